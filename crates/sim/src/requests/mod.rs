//! Path requests: their order, and how the expansions of a tick are shared out.
//!
//! Requests are ordered by priority plus age, short paths before long ones of nearly the same age, then by id. The
//! first `search_slots` of them share the tick's budget equally. The rest is shared out round by round, among
//! requests that still search and requests that move up. An unfinished search keeps its slot and continues next tick.
//! Workers that are idle in a later phase search ahead. These expansions count when the search has a share for them.
//! So no answer comes sooner or later because of them.

mod policy;
mod request;
pub(crate) mod saved;
mod search_inputs;
mod slot;
mod slot_leg;

use crate::group_goals::GroupGoals;
use crate::shared_fields::SharedFields;
use crate::threads::n_threads_here;
pub(crate) use policy::{RoutePolicy, least_leg_ticks};
use rayon::prelude::*;
pub use request::{PathRequest, Route};
pub(crate) use search_inputs::{SearchContext, SearchInputs, least_ticks, shared_goal};
use serde::{Deserialize, Serialize};
pub(crate) use slot::{SearchState, Slot};
pub(crate) use slot_leg::{SlotLeg, end_of_far_route, end_of_path};
use std::sync::atomic::{AtomicBool, Ordering};
use wheelbase_grid::GridSize;
use wheelbase_planner::search::schedule;
use wheelbase_traffic::motion::AgentId;

/// The source of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathSource {
    /// The planner, within the budget of expansions.
    #[default]
    Planner,
    /// The host, by [`Command::PathAnswer`](crate::Command::PathAnswer).
    Host,
}

/// All path requests: those in the queue and those with a slot.
#[derive(Debug)]
pub struct Requests {
    pub(crate) source: PathSource,
    queue: Vec<PathRequest>,
    /// Whether the queue is in order. Its requests age alike, so it stays so until one is added or changed.
    is_sorted: bool,
    pub(crate) slots: Vec<Slot>,
    /// Scratch of a round: the slots in use, by agent.
    pub(crate) in_order: Vec<(AgentId, u32)>,
    pub(crate) fields: SharedFields,
}

impl Clone for Requests {
    fn clone(&self) -> Self {
        let Self { source, queue, is_sorted, slots, in_order: _, fields } = self;
        let (queue, slots, fields) = (queue.clone(), slots.clone(), fields.clone());
        let in_order = Vec::with_capacity(slots.len());
        Self { source: *source, queue, is_sorted: *is_sorted, slots, in_order, fields }
    }

    fn clone_from(&mut self, from: &Self) {
        self.source = from.source;
        self.queue.clone_from(&from.queue);
        self.is_sorted = from.is_sorted;
        self.slots.clone_from(&from.slots);
        self.fields.clone_from(&from.fields);
    }
}

impl Requests {
    pub(crate) fn new(slots: usize, size: GridSize, source: PathSource) -> Self {
        Self {
            source,
            queue: Vec::new(),
            is_sorted: false,
            slots: std::iter::repeat_with(|| Slot::new(size)).take(slots).collect(),
            in_order: Vec::with_capacity(slots),
            fields: SharedFields::new(),
        }
    }

    /// Queues a request.
    pub(crate) fn push(&mut self, request: PathRequest) {
        self.is_sorted = false;
        self.queue.push(request);
    }

    /// Whether a request waits for a slot.
    pub(crate) fn any_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The source of answers.
    pub fn source(&self) -> PathSource {
        self.source
    }

    /// Requests without an answer.
    pub fn open(&self) -> usize {
        self.queue.len() + self.slots.iter().filter(|slot| slot.state.request.is_some()).count()
    }

    /// Puts the requests that the host has to answer in order of id, for [`Requests::of_host`]. None is added until all
    /// commands of the tick are carried out.
    pub(crate) fn sort_for_host(&mut self) {
        if self.source == PathSource::Host {
            self.queue.sort_unstable_by_key(|request| request.agent);
        }
    }

    /// The request of an agent that the host has to answer. Logarithmic in the requests.
    pub(crate) fn of_host(&self, agent: AgentId) -> Option<PathRequest> {
        if self.source != PathSource::Host {
            return None;
        }
        let at = self.queue.binary_search_by_key(&agent, |request| request.agent).ok()?;
        Some(self.queue[at])
    }

    /// Requests that wait for a slot, or for the host's answer.
    pub fn queued(&self) -> &[PathRequest] {
        &self.queue
    }

    /// Sets the priorities of the requests of agents that have others now.
    pub(crate) fn set_priorities(&mut self, priority_of: impl Fn(AgentId) -> Option<i32>) {
        self.is_sorted = false;
        let in_slots = self.slots.iter_mut().filter_map(|slot| slot.state.request.as_mut());
        for request in self.queue.iter_mut().chain(in_slots) {
            request.priority = priority_of(request.agent).unwrap_or(request.priority);
        }
    }

    /// Has an agent wait for the answer to its request for a next leg. Returns whether it has one.
    pub(crate) fn await_next_leg(&mut self, agent: AgentId) -> bool {
        let in_slots = self.slots.iter_mut().filter_map(|slot| slot.state.request.as_mut());
        let mut all = in_slots.chain(&mut self.queue);
        let request = all.find(|request| request.agent == agent && request.route == Route::NextLeg);
        request.is_some_and(|request| {
            request.route = Route::Cheapest;
            true
        })
    }

    /// Drops the request of an agent.
    pub(crate) fn forget(&mut self, agent: AgentId) {
        self.forget_where(|requester| requester == agent);
    }

    /// Drops the requests of some agents.
    pub(crate) fn forget_where(&mut self, is_dropped: impl Fn(AgentId) -> bool) {
        self.queue.retain(|request| !is_dropped(request.agent));
        for slot in &mut self.slots {
            if slot.state.request.is_some_and(|request| is_dropped(request.agent)) {
                slot.state.request = None;
                slot.answer = None;
            }
        }
    }

    /// Restarts the searches of agents for which the map has changed. They keep their age.
    pub(crate) fn restart_searches(&mut self, is_stale: impl Fn(AgentId) -> bool) {
        for slot in &mut self.slots {
            if slot.state.request.is_some_and(|request| is_stale(request.agent)) {
                slot.state.begun = false;
            }
        }
    }

    /// Everything that a later tick depends on, for the state hash.
    pub(crate) fn for_each_word(&self, mut word: impl FnMut(u64)) {
        let mut request_words = |request: &PathRequest| {
            word(u64::from(request.agent.0) << 32 | u64::from(request.issued));
            let (route, high) = (request.route as u64 & 3, request.route as u64 >> 2);
            word(high << 40 | u64::from(request.least_ticks) << 2 | route);
        };
        self.queue.iter().for_each(&mut request_words);
        for slot in &self.slots {
            if let Some(request) = &slot.state.request {
                request_words(request);
            }
        }
        for SearchState { spent, by_field, field_failed, goes_abstract, has_failed, leg, charge, .. } in
            self.slots.iter().map(|slot| slot.state).filter(|state| state.request.is_some())
        {
            word(spent << 2 | u64::from(by_field) << 1 | u64::from(field_failed));
            if goes_abstract || has_failed {
                word(leg.map_or(u64::MAX, |SlotLeg { end, .. }| {
                    u64::from(end.x as u32) << 32 | u64::from(end.y as u32)
                }));
                word(charge << 2 | u64::from(goes_abstract) << 1 | u64::from(has_failed));
            }
        }
        self.fields.for_each_word(word);
    }

    /// Fills free slots from the queue, in order, and has the policy decide for each request.
    pub(crate) fn fill_slots(
        &mut self,
        tick: u32,
        policy: &mut RoutePolicy,
        search_inputs: SearchInputs<'_>,
    ) {
        if self.queue.is_empty() {
            return;
        }
        // Last request first, to pop from the end.
        let order = |request: &PathRequest| std::cmp::Reverse(request.key().order(tick));
        if !self.is_sorted {
            self.queue.sort_unstable_by_key(order);
            self.is_sorted = true;
        }
        debug_assert!(self.queue.is_sorted_by_key(order), "a request was added or changed");
        for slot in self.slots.iter_mut().filter(|slot| slot.state.request.is_none()) {
            let Some(request) = self.queue.pop() else { break };
            slot.state.request = Some(request);
            slot.state.begun = false;
            slot.state.spent = 0;
            slot.state.field_failed = false;
            slot.state.goes_abstract = policy.goes_abstract(search_inputs, &request);
            slot.state.has_failed = false;
        }
    }

    /// Runs `work`, while idle workers advance the searches in progress, each by at most an equal share of a tick's
    /// budget.
    pub(crate) fn search_ahead_during(
        &mut self,
        search_inputs: SearchInputs<'_>,
        budget: u64,
        work: impl FnOnce() + Send,
    ) {
        let ahead_max = budget / self.slots.len().max(1) as u64;
        if n_threads_here() < 2 || !self.slots.iter().any(Slot::is_under_way) {
            work();
            return;
        }
        let is_over = AtomicBool::new(false);
        let slots = &mut self.slots;
        rayon::join(
            || {
                work();
                is_over.store(true, Ordering::Relaxed);
            },
            || {
                let slots = slots.par_iter_mut().with_max_len(1).filter(|slot| slot.is_under_way());
                slots.for_each(|slot| slot.search_ahead(search_inputs, ahead_max, &is_over));
            },
        );
    }

    /// Advances every slot by its share, in parallel. A slot writes only to itself; its `share` becomes the
    /// expansions spent.
    pub(crate) fn search(&mut self, context: &SearchContext<'_>, group_goals: &GroupGoals, tick: u32) {
        let search_inputs = context.search_inputs;
        let Self { slots, fields, .. } = self;
        for slot in slots.iter_mut().filter(|slot| slot.share > 0 && !slot.state.begun) {
            slot.take_obstacles(search_inputs.agents, context.obstacles);
            slot.follow_group_field(search_inputs, fields, group_goals);
            slot.begin_at_end_of_leg(search_inputs);
        }
        // One after another: slots share fields.
        for slot in slots.iter_mut().filter(|slot| slot.share > 0) {
            slot.search_by_field(search_inputs, fields, tick);
        }
        let searches = |slot: &&mut Slot| slot.share > 0 && !slot.state.by_field;
        let active = slots.iter_mut().filter(searches).count();
        if active > 1 && n_threads_here() > 1 {
            // Slots in use are adjacent: without the limit one worker would get several.
            slots.par_iter_mut().with_max_len(1).filter(searches).for_each(|slot| slot.search(context));
        } else {
            slots.iter_mut().filter(searches).for_each(|slot| slot.search(context));
        }
    }

    /// Shares a budget among the slots in use, in order of their requests. Returns the number of slots with a share.
    pub(crate) fn share_out(&mut self, budget: u64, tick: u32) -> usize {
        schedule::share_out(&mut self.slots, budget, tick)
    }
}

#[cfg(test)]
mod tests;
