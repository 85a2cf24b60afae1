//! Path requests: who asks first, and how the tick's expansions are shared out.
//!
//! Requests stand in order of priority plus age, short ways before long ones of nearly the same age, then id.
//! The first `search_slots` of them share the tick's budget equally; what they leave over is shared out
//! again, round by round, among those still searching and those that move up. A search that does not finish
//! keeps its slot and goes on next tick. Workers that have nothing to do in a later phase go ahead with it
//! meanwhile; what they do counts when the search has a share for it, so nobody gets an answer sooner or
//! later for that.

mod slot;

use crate::group_goals::{give_group_poses, poses_of};
use crate::log::TraceEvent;
use crate::motion::{Activity, AgentId, ticks_of};
use crate::orders::OrderKind;
use crate::shared_fields::SharedFields;
use crate::tasks::may_be_goal;
use crate::unreachable::UnreachableReason;
use crate::world::Simulation;
use rayon::prelude::*;
pub(crate) use slot::{Asking, least_ticks};
use slot::{SearchWorld, Slot, shared_goal};
use std::sync::atomic::{AtomicBool, Ordering};
use wheelbase_grid::GridSize;
use wheelbase_planner::{Answer, Goal, GoalMember, Path, Progress, Reached, Status, pass_goal};

/// Ticks until an agent that has asked for the quickest way asks for it again, and for one around resting
/// agents; doubled with each time in a row that there was none.
const LOOK_AGAIN_TICKS: u32 = 64;
const ASK_AGAIN_TICKS: u32 = 16;
/// Times that it is doubled at most.
const FAILURES_MAX: u8 = 6;

/// One that asks for a way that takes so many ticks may wait one tick longer. With 1, 1,000 agents that asked
/// at once had their paths as soon as with 4, behind 58 ticks in the mean; in order of age alone behind 87.
const WAIT_SHARE: u32 = 4;

/// Which way to its goal an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The cheapest.
    Cheapest,
    /// One around agents that rest nearby; the path in hand is kept if there is none.
    AroundResting,
    /// The one on which time and the delays that others are thought to cause are least, up to where the path
    /// in hand leads out of those that count; the path in hand is kept if it is not the quicker one.
    Quickest,
}

/// A request that is not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRequest {
    /// Who asks.
    pub agent: AgentId,
    /// Since when.
    pub issued: u32,
    /// The agent's given priority.
    pub priority: i32,
    /// Which way is asked for.
    pub route: Route,
    /// The path asked for takes no less, in ticks, as far as is known without a search.
    pub least_ticks: u32,
}

impl PathRequest {
    /// Priority plus age, less a share of what the path takes at least: short ways are soon searched for, so
    /// many agents need not wait for a few. Age wins in the end: a request of priority p for a path of at
    /// least m ticks waits for one of priority q and n ticks that comes later at most (q - p) + (m - n) /
    /// [`WAIT_SHARE`] ticks longer than for one of its own.
    fn rank(&self, tick: u32) -> (std::cmp::Reverse<i64>, AgentId) {
        let behind = i64::from(self.least_ticks / WAIT_SHARE);
        (std::cmp::Reverse(i64::from(self.priority) + i64::from(tick - self.issued) - behind), self.agent)
    }
}

/// All path requests: those that wait and those being searched.
#[derive(Debug)]
pub struct Requests {
    queue: Vec<PathRequest>,
    slots: Vec<Slot>,
    /// Slots in use by the ids of those who ask; room for a round.
    in_order: Vec<(AgentId, u32)>,
    pub(crate) fields: SharedFields,
}

impl Requests {
    pub(crate) fn new(slots: usize, size: GridSize) -> Self {
        Self {
            queue: Vec::new(),
            slots: std::iter::repeat_with(|| Slot::new(size)).take(slots).collect(),
            in_order: Vec::with_capacity(slots),
            fields: SharedFields::new(),
        }
    }

    /// Adds a request.
    pub(crate) fn push(&mut self, request: PathRequest) {
        self.queue.push(request);
    }

    /// Requests not answered yet.
    pub fn open(&self) -> usize {
        self.queue.len() + self.slots.iter().filter(|slot| slot.request.is_some()).count()
    }

    /// Drops what an agent asked for.
    pub(crate) fn forget(&mut self, agent: AgentId) {
        self.forget_where(|asker| asker == agent);
    }

    /// Drops what some agents asked for.
    pub(crate) fn forget_where(&mut self, is_gone: impl Fn(AgentId) -> bool) {
        self.queue.retain(|request| !is_gone(request.agent));
        for slot in &mut self.slots {
            if slot.request.is_some_and(|request| is_gone(request.agent)) {
                slot.request = None;
                slot.answer = None;
            }
        }
    }

    /// The map has changed for some agents: their searches under way begin anew and keep their age.
    pub(crate) fn restart_searches(&mut self, is_stale: impl Fn(AgentId) -> bool) {
        for slot in &mut self.slots {
            if slot.request.is_some_and(|request| is_stale(request.agent)) {
                slot.begun = false;
            }
        }
    }

    /// Everything here that the next tick depends on, for the state hash.
    pub(crate) fn for_each_word(&self, mut word: impl FnMut(u64)) {
        let mut request_words = |request: &PathRequest| {
            word(u64::from(request.agent.0) << 32 | u64::from(request.issued));
            word(u64::from(request.least_ticks) << 2 | request.route as u64);
        };
        self.queue.iter().for_each(&mut request_words);
        for slot in &self.slots {
            if let Some(request) = &slot.request {
                request_words(request);
            }
        }
        for slot in self.slots.iter().filter(|slot| slot.request.is_some()) {
            word(slot.spent << 2 | u64::from(slot.by_field) << 1 | u64::from(slot.field_failed));
        }
        self.fields.for_each_word(word);
    }

    /// Fills free slots from the queue, first request first.
    fn fill_slots(&mut self, tick: u32) {
        if self.queue.is_empty() {
            return;
        }
        // Last request first, so that the first can be popped.
        self.queue.sort_unstable_by_key(|request| std::cmp::Reverse(request.rank(tick)));
        for slot in self.slots.iter_mut().filter(|slot| slot.request.is_none()) {
            let Some(request) = self.queue.pop() else { break };
            slot.request = Some(request);
            slot.begun = false;
            slot.spent = 0;
            slot.field_failed = false;
        }
    }

    /// Does some work, and meanwhile has workers that have nothing to do go ahead with the searches under
    /// way, each by an equal share of a tick's budget at most.
    pub(crate) fn go_ahead_beside(&mut self, asking: Asking<'_>, budget: u64, work: impl FnOnce() + Send) {
        let ahead_max = budget / self.slots.len().max(1) as u64;
        if rayon::current_num_threads() < 2 || !self.slots.iter().any(Slot::is_under_way) {
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
                slots.for_each(|slot| slot.go_ahead(asking, ahead_max, &is_over));
            },
        );
    }

    /// Shares a budget among the slots in use, in order of their requests; says how many have any.
    fn share_out(&mut self, budget: u64, tick: u32) -> usize {
        let searches = |slot: &Slot| slot.request.is_some() && slot.answer.is_none();
        let mut active = self.slots.iter().filter(|slot| searches(slot)).count() as u64;
        let mut left = budget;
        let mut given = 0;
        self.slots.iter_mut().for_each(|slot| slot.share = 0);
        // A free slot ranks last. Slots are few, so they are ranked where they stand.
        while active > 0 && left > 0 {
            let next = self.slots.iter_mut().filter(|slot| slot.share == 0 && searches(slot));
            let Some(slot) = next.min_by_key(|slot| slot.request.map(|request| request.rank(tick))) else {
                break;
            };
            slot.share = left.div_ceil(active);
            left -= slot.share;
            active -= 1;
            given += 1;
        }
        given
    }
}

/// The requests phase of a tick: spends at most the tick's expansions and hands out the answers.
pub(crate) fn answer_requests(sim: &mut Simulation) {
    let mut budget = sim.settings.expansions_per_tick;
    // Half of it is left for those who ask for paths.
    let spent = give_group_poses(sim, budget.div_ceil(2));
    budget -= spent;
    sim.counts.expansions += spent;
    loop {
        sim.requests.fill_slots(sim.tick);
        if sim.requests.share_out(budget, sim.tick) == 0 {
            break;
        }
        search_slots(sim);
        let spent: u64 = sim.requests.slots.iter().map(|slot| slot.share).sum();
        budget -= spent;
        sim.counts.expansions += spent;
        deliver_all(sim, false);
    }
    deliver_all(sim, true);
}

/// Hands out the answers of a round in order of id. Poses of an area are handed out only as far as those of
/// lower id have theirs, or at the last round of the tick: one whose find overlaps what was handed out before
/// it searches on.
fn deliver_all(sim: &mut Simulation, last: bool) {
    let mut slots = std::mem::take(&mut sim.requests.in_order);
    slots.clear();
    for (at, slot) in sim.requests.slots.iter().enumerate() {
        slots.extend(slot.request.map(|request| (request.agent, at as u32)));
    }
    slots.sort_unstable();
    let mut held_up = false;
    for &(agent, at) in &slots {
        let at = at as usize;
        let Some(request) = sim.requests.slots[at].request else { continue };
        let Some(row) = sim.agents.row(agent) else { continue };
        let by_area =
            request.route == Route::Cheapest && sim.agents.given[row].is_none() && goes_to_area(sim, row);
        if by_area && held_up {
            continue;
        }
        let slot = &mut sim.requests.slots[at];
        let Some(answer) = slot.answer.take() else {
            held_up |= by_area && !last;
            continue;
        };
        let path = std::mem::take(&mut slot.path);
        if !slot.by_field
            && let Some((class, goal)) = shared_goal(&sim.agents, &sim.orders, request, row)
        {
            sim.requests.fields.note(class, &goal, answer.expansions);
        }
        if answer.status == Status::Unreachable || answer.reached == Some(Reached::Nearest) {
            // The next such request of a class with one-way moves need not search for it.
            sim.tables[sim.agents.motion[row].class.0 as usize].renew_components();
        }
        let outcome = deliver(sim, row, request, &answer, &path);
        let slot = &mut sim.requests.slots[at];
        slot.path = path;
        match outcome {
            Outcome::Answered => slot.request = None,
            Outcome::SearchOn => {
                // A search that ended at the nearest pose has no next one at hand.
                slot.progress = pass_goal(&mut slot.scratch);
                slot.begun = slot.progress == Progress::Running;
            }
            Outcome::SearchAnew => slot.begun = false,
        }
        held_up |= !matches!(outcome, Outcome::Answered) && !last;
    }
    sim.requests.in_order = slots;
}

/// Whether the current order of an agent is one to an area.
fn goes_to_area(sim: &Simulation, row: usize) -> bool {
    let order = sim.orders.current(&sim.agents.orders[row]);
    order.is_some_and(|order| matches!(order.kind, OrderKind::GotoArea(..)))
}

/// The order to a group that an agent has now, by number.
fn group_of(sim: &Simulation, row: usize) -> Option<u32> {
    match sim.orders.current(&sim.agents.orders[row])?.kind {
        OrderKind::GotoGroup(order, _) => Some(order),
        _ => None,
    }
}

/// Whether there is a field to a goal of an order to a group, for the class of an agent.
fn has_field(sim: &Simulation, row: usize, order: u32) -> bool {
    let class = sim.agents.motion[row].class;
    let mut goals = sim.group_goals.seeds(order, class);
    goals.any(|goal| sim.requests.fields.get(class, &Goal::of(&[goal])).is_some())
}

/// What comes of an answer.
enum Outcome {
    /// The agent has it.
    Answered,
    /// Another has been given what was found: the search goes on behind it.
    SearchOn,
    /// The pose that the agent had been given cannot be reached any more: another is looked for.
    SearchAnew,
}

/// Advances every slot by its share, in parallel. A slot writes only to itself; `share` becomes what it
/// spent.
fn search_slots(sim: &mut Simulation) {
    let Simulation {
        requests,
        agents,
        classes,
        tables,
        orders,
        reservation,
        given,
        group_goals,
        tick,
        congestion,
        paths,
        ..
    } = sim;
    let asking = Asking { agents, classes, tables, orders };
    let world = SearchWorld { asking, reservation, given, congestion, paths };
    let Requests { slots, fields, .. } = requests;
    for slot in slots.iter_mut().filter(|slot| slot.share > 0 && !slot.begun) {
        slot.follow_group_field(asking, fields, group_goals);
    }
    // Fields are shared, so these go one after the other.
    for slot in slots.iter_mut().filter(|slot| slot.share > 0) {
        slot.search_by_field(asking, fields, *tick);
    }
    let searches = |slot: &&mut Slot| slot.share > 0 && !slot.by_field;
    let active = slots.iter_mut().filter(searches).count();
    if active > 1 && rayon::current_num_threads() > 1 {
        // Slots in use lie side by side: each is a piece of work of its own.
        slots.par_iter_mut().with_max_len(1).filter(searches).for_each(|slot| slot.search(&world));
    } else {
        slots.iter_mut().filter(searches).for_each(|slot| slot.search(&world));
    }
}

/// Gives an agent its answer.
fn deliver(sim: &mut Simulation, row: usize, request: PathRequest, answer: &Answer, path: &Path) -> Outcome {
    let found = answer.status == Status::Found;
    // A path that is not the quicker one is as good as none.
    let found = found && (request.route != Route::Quickest || is_quicker(sim, row, path));
    let to_area = goes_to_area(sim, row);
    let group = group_of(sim, row);
    let given = sim.agents.given[row].is_some();
    if to_area && !given && found {
        let tables = &sim.tables[sim.agents.motion[row].class.0 as usize];
        let end = path.poses.last().map(|end| end.pose);
        if end.is_some_and(|pose| !SearchWorld::of(sim).is_free(row, pose)) {
            return Outcome::SearchOn;
        }
        if let Some(state) = end.and_then(|pose| tables.space().state(pose)) {
            sim.give(row, state);
        }
    }
    if to_area && given && !found && request.route == Route::Cheapest {
        sim.give_back(row);
        return Outcome::SearchAnew;
    }
    if let (Some(order), true, false, false) = (group, given, found, request.route != Route::Cheapest)
        && answer.status != Status::StartBlocked
        && has_field(sim, row, order)
    {
        // Its pose cannot be reached any more: it is given another one, for a field knows which can be.
        sim.give_back(row);
        sim.group_goals.open(order);
        return Outcome::Answered;
    }
    if group.is_some() && given && found {
        // The same cells, and maybe another heading.
        let tables = &sim.tables[sim.agents.motion[row].class.0 as usize];
        let end = path.poses.last().and_then(|end| tables.space().state(end.pose));
        sim.agents.given[row] = end.or(sim.agents.given[row]);
    }
    let waited = sim.tick - request.issued;
    sim.counts.longest_request_ticks = sim.counts.longest_request_ticks.max(waited);
    if found {
        sim.agents.motion[row].replan = false;
    }
    if request.route != Route::Cheapest {
        let patience = &mut sim.agents.patience[row];
        let (failures, again_at, pause) = match request.route {
            Route::Quickest => (&mut patience.look_failures, &mut patience.look_again_at, LOOK_AGAIN_TICKS),
            _ => (&mut patience.failures, &mut patience.ask_again_at, ASK_AGAIN_TICKS),
        };
        *failures = if found { 0 } else { (*failures + 1).min(FAILURES_MAX) };
        *again_at = sim.tick.saturating_add(pause << *failures);
        sim.agents.motion[row].activity = Activity::Following;
        if found && !path.moves.is_empty() {
            // One around others that is no way to a given pose leads to the goal itself.
            let to_goal = request.route == Route::AroundResting && !given;
            sim.agents.orders[row].to_nearest &= !to_goal;
            sim.paths.replace(&mut sim.agents.paths, row, &path.moves);
            sim.note_path(row);
        }
    } else if found {
        let state = &mut sim.agents.orders[row];
        state.to_nearest = answer.reached == Some(Reached::Nearest);
        state.note_lone_ticks(answer.cost);
        sim.paths.replace(&mut sim.agents.paths, row, &path.moves);
        sim.note_path(row);
        let arrived = path.moves.is_empty();
        sim.agents.motion[row].activity = if arrived { Activity::Arrived } else { Activity::Following };
        // Whoever is delayed much on the cheapest path asks at once for the quickest one, but where others
        // have no path yet.
        let motion = sim.agents.motion[row];
        let tables = &sim.tables[motion.class.0 as usize];
        if !arrived
            && sim.requests.queue.is_empty()
            && !sim.agents.orders[row].to_nearest
            && sim.congestion.is_worth_a_look(motion.class, tables, motion.state, &path.moves)
        {
            crate::tick::ask_for_path(sim, row, Route::Quickest);
        }
    } else {
        sim.paths.drop_path(&mut sim.agents.paths[row]);
        refuse(sim, row, answer.status);
    }
    Outcome::Answered
}

/// Whether a path is quicker than the one in hand with all delays, by a quarter of the delays on that.
fn is_quicker(sim: &Simulation, row: usize, path: &Path) -> bool {
    let motion = &sim.agents.motion[row];
    let tables = &sim.tables[motion.class.0 as usize];
    let in_hand = sim.paths.moves(sim.agents.paths[row]);
    let Some(ticks) = ticks_of(tables, motion.state, in_hand) else { return true };
    let delay = |moves| sim.congestion.delay_along(motion.class, tables, motion.state, moves);
    let delay_in_hand = delay(in_hand);
    u64::from(path.cost()) + delay(&path.moves) + delay_in_hand / 4 < ticks + delay_in_hand
}

/// An order cannot be done: reported once, then kept or dropped as it says. An agent that an edit has
/// stranded keeps its order in any case: it is the agent that cannot move, not the goal that is shut.
pub(crate) fn refuse(sim: &mut Simulation, row: usize, status: Status) {
    let reason = match status {
        Status::StartBlocked => None,
        status => Some(reason_of(sim, row, status)),
    };
    shut(sim, row, reason);
}

/// As [`refuse`], for a reason that is known.
pub(crate) fn refuse_for(sim: &mut Simulation, row: usize, reason: UnreachableReason) {
    shut(sim, row, Some(reason));
}

/// Why an agent cannot do its order, for which its search has ended with a status.
fn reason_of(sim: &Simulation, row: usize, status: Status) -> UnreachableReason {
    let by_status = match status {
        Status::GoalOffMap => UnreachableReason::GoalOffMap,
        Status::GoalBlocked => UnreachableReason::GoalBlocked,
        Status::CostOverflow => return UnreachableReason::CostOverflow,
        _ => UnreachableReason::Unreachable,
    };
    let motion = &sim.agents.motion[row];
    match sim.orders.current(&sim.agents.orders[row]).map(|order| &order.kind) {
        Some(OrderKind::GotoArea(area, _)) => {
            let tables = &sim.tables[motion.class.0 as usize];
            let area = area.intersection(sim.grid.size().rect());
            let is_legal = |cell| poses_of(tables, GoalMember::any(cell)).next().is_some();
            if area.is_empty() {
                UnreachableReason::GoalOffMap
            } else if area.cells().any(|cell| may_be_goal(tables, motion.state, cell)) {
                // There are poses to go to, and none for it.
                UnreachableReason::NoRoom
            } else if area.cells().any(is_legal) {
                UnreachableReason::Unreachable
            } else {
                UnreachableReason::GoalBlocked
            }
        }
        Some(kind) if kind.trip().is_some_and(|trip| trip.members.is_empty()) => {
            UnreachableReason::NoSuchHeading
        }
        _ => by_status,
    }
}

/// The agent stands where it is; its order is reported, and kept or dropped, unless it is the agent that
/// cannot move.
fn shut(sim: &mut Simulation, row: usize, reason: Option<UnreachableReason>) {
    let agent = sim.agents.ids[row];
    sim.agents.motion[row].activity = Activity::Shut;
    // Where it stands nobody else can be sent.
    sim.give_back(row);
    let state = sim.agents.orders[row];
    let Some(reason) = reason.filter(|_| !sim.orders.keeps_task(&state)) else { return };
    let Some((kind, trip)) = sim.orders.current_trip(&state) else { return };
    let is_task = matches!(kind, OrderKind::Task(_));
    let (order, drop) = (kind.name(), trip.if_unreachable == crate::scenario::IfUnreachable::Drop);
    if !state.reported {
        sim.note(TraceEvent::Unreachable { agent, order });
    }
    sim.agents.orders[row].reported = true;
    if is_task {
        crate::tick::close_task(sim, row);
    } else if drop {
        sim.counts.orders_unreachable += 1;
        sim.counts.unreachable_reasons.count(reason);
        crate::tick::close_order(sim, row);
    }
}

#[cfg(test)]
mod tests;
