//! A search in progress as data, so that it goes on elsewhere exactly as it would have here.

use crate::model::outcome::{COST_MAX, Status, UNREACHED};
use crate::model::pose::{Pose, State};
use crate::open_list::{BUCKETS_MAX, KeyOrder, OpenList};
use crate::restore_error::{RestoreError, check_length, state_after};
use crate::saved_queue::SavedQueue;
use crate::search::estimate::Estimate;
use crate::search::guide::Guide;
use crate::search::heuristic::{AnyEstimate, Prepared};
use crate::search::plan::{estimate_of, sum_range};
use crate::search::request::Request;
use crate::search::scratch::{NearestRun, Outcome, Scratch, SearchRun};
use crate::tables::MovementTables;
use crate::tables::node::Node;

/// A search in progress as [`Scratch::save`] returns it, or the results of the last one: plain data.
///
/// Memory: 9 bytes for each pose that the search has reached, and 4 to 16 for each on its open list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedSearch {
    /// What [`SearchRun`] holds. Terms of the heuristic are listed again when they are needed.
    start: Option<State>,
    outcome: Option<Outcome>,
    expansions: u64,
    earlier_expansions: u64,
    overflowed: bool,
    prepared: Option<Prepared>,
    guide: Guide,
    in_buckets: bool,
    order: KeyOrder,
    keys_from: u64,
    by_area: bool,
    nearest: Option<NearestRun>,
    best: Option<(u32, u32, u32)>,
    /// Where the buckets stand, what they hold, and what the heap holds.
    key: u64,
    near: SavedQueue,
    far: SavedQueue,
    /// Of each state reached: the number of states since the state before, from state 0; its cost so far; its primitive
    /// and [`Node::CLOSED`].
    gaps: Vec<u32>,
    costs: Vec<u32>,
    flags: Vec<u8>,
    goals: Vec<u32>,
}

impl SavedSearch {
    /// Expansions made so far, as an [`Answer`](crate::search::Answer) counts them.
    pub fn expansions(&self) -> u64 {
        self.expansions.max(self.earlier_expansions)
    }
}

/// Greater than any key of a search: a sum of two costs, and a class.
const KEYS_END: u64 = 1 << 40;
/// More expansions than any search makes.
const EXPANSIONS_END: u64 = 1 << 48;

impl Scratch {
    /// The search in progress, or the results of the last one, as data; `None` before the first search. Time is linear
    /// in the states.
    pub fn save(&self) -> Option<SavedSearch> {
        let run = &self.run;
        if run.start.is_none() && run.outcome.is_none() {
            return None;
        }
        let begun = run.start.is_some();
        let near = SavedQueue::of(|push| {
            if begun {
                self.buckets.for_each(push);
            }
        });
        let far = SavedQueue::of(|push| {
            if begun && !run.in_buckets {
                self.heap.for_each(push);
            }
        });
        let mut saved = SavedSearch {
            start: run.start,
            outcome: run.outcome,
            expansions: run.expansions,
            earlier_expansions: run.earlier_expansions,
            overflowed: run.overflowed,
            prepared: run.prepared,
            guide: run.guide,
            in_buckets: run.in_buckets,
            order: run.order,
            keys_from: run.keys_from,
            by_area: run.by_area,
            nearest: run.nearest,
            best: run.best,
            key: if begun { self.buckets.key() } else { 0 },
            near,
            far,
            gaps: Vec::new(),
            costs: Vec::new(),
            flags: Vec::new(),
            goals: self.goals.clone(),
        };
        let mut last = 0;
        for (state, node) in self.touched() {
            saved.gaps.push(state - last);
            saved.costs.push(Node::cost(node));
            saved.flags.push((node & (Node::CLOSED | Node::SLOT_MASK)) as u8);
            last = state;
        }
        Some(saved)
    }

    /// Restores a saved search: [`crate::advance`] and [`crate::finish`] go on as they would have where it was saved,
    /// if tables and request belong to that search. Of the request, heuristic and penalties alone are read here.
    /// Drops a search in progress. Allocates 8 bytes per state if the scratch has not held so large a map.
    /// # Errors
    /// [`RestoreError`] if the search is not one on these tables with this heuristic. Whatever is restored without an
    /// error is safe: no path leaves the map or takes an illegal move. The scratch is empty after an error.
    pub fn restore(
        &mut self,
        saved: &SavedSearch,
        tables: &MovementTables,
        request: &Request<'_>,
    ) -> Result<(), RestoreError> {
        // Drops the old search, whatever becomes of the new one.
        self.reset(0);
        let range = check_run(saved, tables, request)?;
        self.reset(saved.start.map_or(0, |_| tables.space().n_states()));
        self.run = SearchRun {
            start: saved.start,
            outcome: saved.outcome,
            expansions: saved.expansions,
            earlier_expansions: saved.earlier_expansions,
            overflowed: saved.overflowed,
            prepared: saved.prepared,
            guide: saved.guide,
            in_buckets: saved.in_buckets,
            order: saved.order,
            keys_from: saved.keys_from,
            parts_listed: false,
            by_area: saved.by_area,
            nearest: saved.nearest,
            best: saved.best,
        };
        let restored = match saved.start {
            Some(start) => self
                .restore_states(saved, tables, start)
                .and_then(|()| self.restore_queues(saved, range))
                .and_then(|()| self.check_keys(saved, tables, request)),
            None => check_nothing_reached(saved),
        };
        if restored.is_err() {
            self.reset(0);
        }
        restored
    }

    fn restore_states(
        &mut self,
        saved: &SavedSearch,
        tables: &MovementTables,
        start: State,
    ) -> Result<(), RestoreError> {
        let n_states = tables.space().n_states();
        self.write_nodes(saved, n_states)?;
        let mut state = 0;
        for &gap in &saved.gaps {
            state += gap;
            self.check_node(saved, tables, start, State(state))?;
        }
        let end = match saved.outcome {
            Some(Outcome::AtGoal(state) | Outcome::AtNearest(state)) => Some(state.0),
            Some(Outcome::Without(_)) | None => None,
        };
        let nearest = saved.nearest.and_then(|nearest| nearest.best).map(|(_, state, _)| state);
        if let Some(state) = nearest.filter(|&state| state as usize >= n_states) {
            return Err(RestoreError::not_below("nearest pose of a search", state, n_states));
        }
        for state in [Some(start.0), end, saved.best.map(|(.., state)| state)].into_iter().flatten() {
            if !is_reached(&self.nodes, self.stamp.get(), state) {
                return Err(RestoreError::new("search", format_args!("state {state} is not reached")));
            }
        }
        for &goal in &saved.goals {
            if goal as usize >= n_states {
                return Err(RestoreError::not_below("goal of a search", goal, n_states));
            }
            self.mark_goal(State(goal));
        }
        Ok(())
    }

    /// Puts the states of the open list where they were. `range`: most by which a sum exceeds that of the key popped
    /// last.
    fn restore_queues(&mut self, saved: &SavedSearch, range: u64) -> Result<(), RestoreError> {
        let SavedSearch { key, near, far, keys_from, in_buckets, order, .. } = saved;
        let Self { nodes, stamp, buckets, heap, .. } = self;
        let check = |state| match is_reached(nodes, stamp.get(), state) {
            true => Ok(()),
            false => Err(RestoreError::new("open list", format_args!("state {state} is not reached"))),
        };
        // Any number of buckets gives the same order if all keys fit.
        let least = if *in_buckets { 0 } else { *keys_from };
        if !(least..KEYS_END).contains(key) {
            return Err(RestoreError::new(
                "open list",
                format_args!("at key {key}, expected {least} to {KEYS_END}"),
            ));
        }
        let last = match in_buckets {
            true => order.last_key(order.sum(*key) + range),
            false => keys_from + BUCKETS_MAX - 1,
        };
        buckets.reset(BUCKETS_MAX - 1, *key);
        near.read("open list", *key..=last, |key, state| {
            buckets.push(key, state);
            check(state)
        })?;
        heap.reset();
        if *in_buckets && !far.is_empty() {
            return check_length("distant part of an open list", far.len(), 0);
        }
        far.read("open list", 0..=KEYS_END, |key, state| {
            heap.push(key, state);
            check(state)
        })
    }

    /// Checks the keys of an open list in buckets, which contains no other keys than the search. Each state is due at
    /// its cost and its bound, but states that became cheaper are listed twice. A search that clamps its keys takes
    /// any.
    fn check_keys(
        &self,
        saved: &SavedSearch,
        tables: &MovementTables,
        request: &Request<'_>,
    ) -> Result<(), RestoreError> {
        // A search that has ended elsewhere than at a goal never pops again.
        let goes_on = matches!(saved.outcome, None | Some(Outcome::AtGoal(_)));
        let Some(prepared) = saved.prepared.as_ref().filter(|_| saved.in_buckets && goes_on) else {
            return Ok(());
        };
        let estimate = estimate_of(tables, prepared, request);
        if matches!(estimate.estimate, AnyEstimate::Array(..)) {
            return Ok(());
        }
        let (mut due, mut again) = (Vec::new(), Vec::new());
        saved.near.read("open list", 0..=KEYS_END, |key, state| {
            let node = self.nodes[state as usize];
            let Pose { cell, heading } = tables.space().pose(State(state));
            let bound = estimate.weighted(state, cell.x, cell.y, heading.0 as usize);
            let exact = saved.order.key(estimate.key(Node::cost(node), bound), bound);
            if key < exact {
                let why = format_args!("state {state} at key {key}, expected at least {exact}");
                return Err(RestoreError::new("open list", why));
            }
            if node & Node::CLOSED == 0 {
                if key == exact { &mut due } else { &mut again }.push(state);
            }
            Ok(())
        })?;
        if let Some(Outcome::AtGoal(end)) = saved.outcome {
            // It was popped and not closed.
            due.push(end.0);
        }
        due.sort_unstable();
        match again.iter().find(|state| due.binary_search(state).is_err()) {
            Some(state) => {
                Err(RestoreError::new("open list", format_args!("state {state} is at none of its keys")))
            }
            None => Ok(()),
        }
    }

    /// Writes the nodes of the states reached.
    fn write_nodes(&mut self, saved: &SavedSearch, n_states: usize) -> Result<(), RestoreError> {
        let n = saved.gaps.len();
        check_length("costs of a search", saved.costs.len(), n)?;
        check_length("moves of a search", saved.flags.len(), n)?;
        let mut last = None;
        for (&gap, (&cost, &flags)) in saved.gaps.iter().zip(saved.costs.iter().zip(&saved.flags)) {
            let state = state_after("states of a search", (last, gap), n_states)?;
            last = Some(state);
            let flags = u64::from(flags);
            if flags & !(Node::CLOSED | Node::SLOT_MASK) != 0 {
                return Err(RestoreError::not_below("move of a search", flags, Node::GOAL));
            }
            self.nodes[state as usize] = Node::pack(cost, self.stamp.get(), flags);
        }
        Ok(())
    }

    /// Checks that a state was reached by a legal move from a state reached before it. So a path can be followed back
    /// to the start, and costs no more than is said.
    fn check_node(
        &self,
        saved: &SavedSearch,
        tables: &MovementTables,
        start: State,
        state: State,
    ) -> Result<(), RestoreError> {
        let node = self.nodes[state.0 as usize];
        let cost = Node::cost(node);
        let error = |why: &str| Err(RestoreError::new("search", format_args!("state {}: {why}", state.0)));
        if state == start {
            return if cost == 0 { Ok(()) } else { error("a start with a cost") };
        }
        if cost == UNREACHED {
            // Met while all reachable states were enumerated.
            return if saved.outcome.is_some() { Ok(()) } else { error("without a cost") };
        }
        let slot = (node & Node::SLOT_MASK) as usize;
        if slot >= tables.class().primitives().len() {
            return error("reached by a move that the class lacks");
        }
        let before = tables.graph().state_before(state, slot);
        if before.0 as usize >= tables.space().n_states() {
            return error("reached from beyond the map");
        }
        let ticks = tables.move_ticks(before, slot).filter(|_| tables.state_after(before, slot) == state);
        let known = self.nodes[before.0 as usize];
        let follows = ticks.is_some_and(|ticks| {
            Node::stamp(known) == self.stamp.get()
                && Node::cost(known).checked_add(ticks).is_some_and(|least| least <= cost)
        });
        if follows {
            Ok(())
        } else {
            error("not reached by a legal move from a state that was reached before")
        }
    }
}

/// Checks what holds for every search. Returns the most by which a sum exceeds that of the key popped last.
fn check_run(
    saved: &SavedSearch,
    tables: &MovementTables,
    request: &Request<'_>,
) -> Result<u64, RestoreError> {
    let n_states = tables.space().n_states();
    let error = |why: &str| Err(RestoreError::new("search", why));
    let range = match (saved.start, &saved.prepared, saved.outcome) {
        (None, None, Some(Outcome::Without(_))) => 0,
        (Some(start), Some(prepared), _) => {
            if start.0 as usize >= n_states {
                return Err(RestoreError::not_below("start of a search", start.0, n_states));
            }
            if !prepared.is_sound(&request.heuristic, tables) {
                return error("its heuristic is not that of the request, or not of this map");
            }
            let range = sum_range(tables, request, prepared);
            if saved.in_buckets && saved.order.is_sound() && saved.order.range(range) >= BUCKETS_MAX {
                return error("its open list has no room for these moves");
            }
            range
        }
        _ => return error("it has neither begun nor ended"),
    };
    if let Some(Outcome::Without(Status::Found | Status::LimitReached)) = saved.outcome {
        return error("it has found a path and has none");
    }
    let expansions = saved.expansions.max(saved.earlier_expansions);
    if !saved.order.is_sound() || saved.keys_from >= KEYS_END || expansions >= EXPANSIONS_END {
        return error("its keys or its expansions are none of a search");
    }
    Ok(range)
}

/// Whether a state is reached. Only a search that has ended lists states without a cost.
fn is_reached(nodes: &[u64], stamp: u32, state: u32) -> bool {
    let node = nodes.get(state as usize).copied().filter(|&node| Node::stamp(node) == stamp);
    node.is_some_and(|node| Node::cost(node) <= COST_MAX)
}

/// A search that ended before it began has reached nothing.
fn check_nothing_reached(saved: &SavedSearch) -> Result<(), RestoreError> {
    let lists = [saved.gaps.len(), saved.costs.len(), saved.flags.len(), saved.goals.len()];
    let open = saved.near.len() + saved.far.len();
    check_length("search that has not begun", lists.iter().sum::<usize>() + open, 0)
}
