//! A cost field as data, so that it goes on elsewhere exactly as it would have here.

use super::arcs::ArcGraph;
use super::extent::rows_of;
use super::frontier::Frontier;
use super::support::{Direction, least_support};
use super::sweep::{CostRun, Cursor, SlotBits, Sweep};
use super::{CostField, FRAME_STRIDE};
use crate::model::goal::{Goal, GoalMember};
use crate::model::outcome::{COST_MAX, UNREACHED};
use crate::model::pose::State;
use crate::model::state_indexing::{StateIndexing, with_indexing};
use crate::open_list::BUCKETS_MAX;
use crate::restore_error::{RestoreError, check_length, state_after};
use crate::saved_queue::SavedQueue;
use crate::tables::MovementTables;
use crate::tables::layouts::with_layout;
use std::cmp::Reverse;
use wheelbase_grid::Rect;

/// A cost field as [`CostField::save`] returns it: plain data.
///
/// Memory: 8 bytes for each pose with a cost, and 4 to 16 for each on the boundary of the settled region.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedField {
    direction: Direction,
    members: Vec<GoalMember>,
    within: u32,
    keeps_moves: bool,
    radius: u32,
    revision: u64,
    /// Of each state with a cost, settled or tentative: how many states after the one before it, from state 0; the
    /// cost.
    gaps: Vec<u32>,
    costs: Vec<u32>,
    sweep: SavedSweep,
    frontier: SavedFrontier,
    repair_pushes: u64,
    repair_pushes_max: u64,
}

/// What a [`Sweep`] still needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SavedSweep {
    states: Vec<u32>,
    /// Cost and start of each run; run and place of each queue.
    runs: Vec<(u32, u32)>,
    cursors: Vec<(u32, u32)>,
}

/// A [`Frontier`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SavedFrontier {
    key: u64,
    /// Range of keys that fit the buckets.
    width: u64,
    near: SavedQueue,
    far: SavedQueue,
}

/// More entries than any frontier holds.
const PUSHES_END: u64 = 1 << 40;

impl CostField {
    /// The field as data. Linear in the states.
    pub fn save(&self) -> SavedField {
        let (mut gaps, mut costs, mut last) = (Vec::new(), Vec::new(), 0);
        for (state, &cost) in (0..).zip(&self.costs).filter(|(_, cost)| **cost != UNREACHED) {
            gaps.push(state - last);
            costs.push(cost);
            last = state;
        }
        SavedField {
            direction: self.direction,
            members: self.members.clone(),
            within: self.within,
            keeps_moves: !self.moves.is_empty(),
            radius: self.radius,
            revision: self.revision,
            gaps,
            costs,
            sweep: SavedSweep::of(&self.sweep, self.sweep_plan.n_queues()),
            frontier: SavedFrontier::of(&self.frontier),
            repair_pushes: self.repair_pushes as u64,
            repair_pushes_max: self.repair_pushes_max as u64,
        }
    }

    /// Restores a saved field: it goes on exactly as it would have where it was saved, also after later edits. `tables`
    /// must be the tables of the field, at the revision of the map that the field has followed. Linear in the states;
    /// takes the memory of the field ([`field_need`](crate::tables::field_need)).
    /// # Errors
    /// [`RestoreError`] unless every cost is what the tables say it is, and everything that is still to be settled will
    /// be.
    pub fn restore(saved: &SavedField, tables: &MovementTables) -> Result<Self, RestoreError> {
        const PLACE: &str = "field";
        if saved.revision != tables.revision() {
            let (found, expected) = (saved.revision, tables.revision());
            return Err(RestoreError::new(
                PLACE,
                format_args!("of revision {found} of the map, expected {expected}"),
            ));
        }
        if saved.radius > COST_MAX {
            return Err(RestoreError::not_below(PLACE, saved.radius, UNREACHED));
        }
        let pushes = saved.repair_pushes.max(saved.repair_pushes_max);
        let to_usize = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        if pushes >= PUSHES_END {
            return Err(RestoreError::not_below(PLACE, pushes, PUSHES_END));
        }
        let goal = Goal { members: &saved.members, within: saved.within };
        let mut field = Self::new(tables, &goal, saved.direction);
        field.radius = saved.radius;
        (field.repair_pushes, field.repair_pushes_max) =
            (to_usize(saved.repair_pushes), to_usize(saved.repair_pushes_max));
        field.write_costs(saved)?;
        field.sweep = saved.sweep.restored(&field)?;
        let least = field.sweep.runs.last().map_or(0, |run| run.cost);
        saved.frontier.restore(&mut field.frontier, least, (field.radius, field.costs.len()))?;
        with_layout!(&tables.graph().layouts, layout => with_indexing!(field.space, indexing => {
            let graph = ArcGraph { words: &layout.words, times: &tables.graph().times, indexing };
            Check::of(&field, tables, graph).run()?;
        }));
        if saved.keeps_moves {
            field.keep_moves(tables);
        }
        Ok(field)
    }

    /// Writes the costs over the costs of a new field.
    fn write_costs(&mut self, saved: &SavedField) -> Result<(), RestoreError> {
        const PLACE: &str = "costs of a field";
        check_length(PLACE, saved.costs.len(), saved.gaps.len())?;
        self.sources.iter().for_each(|&state| self.costs[state as usize] = UNREACHED);
        let (n_states, mut last, mut reached) = (self.costs.len(), None, Rect::new(0, 0, 0, 0));
        for (&gap, &cost) in saved.gaps.iter().zip(&saved.costs) {
            let state = state_after(PLACE, (last, gap), n_states)?;
            last = Some(state);
            if cost == UNREACHED {
                return Err(RestoreError::not_below(PLACE, cost, UNREACHED));
            }
            self.costs[state as usize] = cost;
            let cell = self.space.pose(State(state)).cell;
            reached = reached.union(Rect::new(cell.x, cell.y, 1, 1));
        }
        self.extent.include(reached);
        Ok(())
    }
}

impl SavedSweep {
    fn of(sweep: &Sweep, n_queues: usize) -> Self {
        let cursors = &sweep.cursors[..n_queues];
        // Runs that all queues have passed are needed no more: later runs cost more. After a repair they may list
        // states under costs of before.
        let n_runs = sweep.runs.len();
        let passed = cursors.iter().map(|cursor| cursor.run).min().unwrap_or(n_runs);
        let first = sweep.runs.get(passed).map_or(sweep.n_states as u32, |run| run.start);
        let cursor = |cursor: &Cursor| match cursor.run < n_runs {
            true => ((cursor.run - passed) as u32, cursor.at as u32 - first),
            false => ((n_runs - passed) as u32, 0),
        };
        Self {
            states: sweep.states()[first as usize..].to_vec(),
            runs: sweep.runs[passed..].iter().map(|run| (run.cost, run.start - first)).collect(),
            cursors: cursors.iter().map(cursor).collect(),
        }
    }

    /// The sweep, checked against the costs of a field and its frontier.
    fn restored(&self, field: &CostField) -> Result<Sweep, RestoreError> {
        const PLACE: &str = "sweep of a field";
        let error = |why: &str| RestoreError::new(PLACE, why);
        check_length(PLACE, self.cursors.len(), field.sweep_plan.n_queues())?;
        let n = self.states.len();
        let ends = self.runs.iter().skip(1).map(|run| run.1 as usize).chain([n]);
        let mut last = None;
        let mut listed = 0;
        for (&(cost, start), end) in self.runs.iter().zip(ends.clone()) {
            let follows =
                last.is_none_or(|last| cost > last) && start as usize == listed && end >= listed && end <= n;
            if !follows || cost > COST_MAX {
                return Err(error("its runs are not in order of cost"));
            }
            let of_cost = |&state: &u32| field.costs.get(state as usize) == Some(&cost);
            if !self.states[start as usize..end].iter().all(of_cost) {
                return Err(error("it lists a state under another cost than its own"));
            }
            (last, listed) = (Some(cost), end);
        }
        if listed != n || last.is_some_and(|last| u64::from(last) > u64::from(field.radius) + 1) {
            return Err(error("it lists states without a cost, or beyond the next cost"));
        }
        let mut sweep = Sweep {
            states: self.states.clone(),
            n_states: n,
            runs: self.runs.iter().map(|&(cost, start)| CostRun { cost, start }).collect(),
            ..Sweep::default()
        };
        let ticks = field.sweep_plan.queue_ticks();
        for ((to, &(run, at)), ticks) in sweep.cursors.iter_mut().zip(&self.cursors).zip(ticks) {
            let (run, at) = (run as usize, at as usize);
            let is_placed = match (self.runs.get(run), ends.clone().nth(run)) {
                (Some(&(cost, start)), Some(end)) => {
                    let due = u64::from(cost) + u64::from(ticks);
                    (start as usize..=end).contains(&at) && due >= u64::from(last.unwrap_or(0))
                }
                _ => run == self.runs.len() && at == 0,
            };
            if !is_placed {
                return Err(error("a queue is at a place where it cannot be"));
            }
            *to = Cursor { run, at };
        }
        Ok(sweep)
    }
}

impl SavedFrontier {
    fn of(frontier: &Frontier) -> Self {
        let mut far: Vec<u64> = frontier.far.iter().map(|&Reverse(entry)| entry).collect();
        far.sort_unstable();
        Self {
            key: frontier.near.key(),
            width: frontier.near.width(),
            near: SavedQueue::of(|push| frontier.near.for_each(push)),
            far: SavedQueue::of(|push| far.into_iter().for_each(|entry| push(entry >> 32, entry as u32))),
        }
    }

    /// Fills a frontier; no entry may be below `least`, or beyond the states of the map.
    fn restore(
        &self,
        frontier: &mut Frontier,
        least: u32,
        (radius, n_states): (u32, usize),
    ) -> Result<(), RestoreError> {
        const PLACE: &str = "frontier of a field";
        let Self { key, width, near, far } = self;
        if !width.is_power_of_two() || !(64..=BUCKETS_MAX).contains(width) || *key > u64::from(radius) + 1 {
            return Err(RestoreError::new(PLACE, format_args!("{width} costs from {key} on")));
        }
        let first = u64::from(least).max(*key);
        let last = u64::from(COST_MAX);
        let check = |state: u32| match (state as usize) < n_states {
            true => Ok(()),
            false => Err(RestoreError::not_below(PLACE, state, n_states)),
        };
        frontier.near.reset(width - 1, *key);
        frontier.far.clear();
        frontier.n_states = near.len() + far.len();
        near.read(PLACE, first..=last.min(key + width - 1), |cost, state| {
            frontier.near.push_ahead(cost, state);
            check(state)
        })?;
        far.read(PLACE, first..=last, |cost, state| {
            frontier.far.push(Reverse(cost << 32 | u64::from(state)));
            check(state)
        })
    }
}

/// Holds a restored field against the tables.
struct Check<'a, W: SlotBits, L: StateIndexing> {
    field: &'a CostField,
    tables: &'a MovementTables,
    graph: ArcGraph<'a, W, L>,
    /// Cost and state of all that waits: the frontier, and states found of the next cost; ascending.
    waiting: Vec<(u32, u32)>,
    /// State and place in the sweep, ascending.
    listed: Vec<(u32, u32)>,
    /// By primitive: the place up to which the queue of its moves has come.
    passed: [u32; FRAME_STRIDE],
}

impl<'a, W: SlotBits, L: StateIndexing> Check<'a, W, L> {
    fn of(field: &'a CostField, tables: &'a MovementTables, graph: ArcGraph<'a, W, L>) -> Self {
        let (sweep, plan) = (&field.sweep, &field.sweep_plan);
        let mut waiting = Vec::new();
        field.frontier.near.for_each(|cost, state| waiting.push((cost as u32, state)));
        waiting.extend(field.frontier.far.iter().map(|&Reverse(entry)| ((entry >> 32) as u32, entry as u32)));
        if let Some(run) = sweep.runs.last().filter(|run| run.cost > field.radius) {
            waiting.extend(sweep.states()[run.start as usize..].iter().map(|&state| (run.cost, state)));
        }
        waiting.sort_unstable();
        let mut listed: Vec<(u32, u32)> = (0..).zip(sweep.states()).map(|(at, &state)| (state, at)).collect();
        listed.sort_unstable();
        let passed = std::array::from_fn(|primitive| {
            let cursor = plan.queue_of(primitive as u8).map(|queue| sweep.cursors[queue]);
            let cursor = cursor.filter(|cursor| cursor.run < sweep.runs.len());
            cursor.map_or(u32::MAX, |cursor| cursor.at as u32)
        });
        Self { field, tables, graph, waiting, listed, passed }
    }

    /// Costs up to the radius are exact, because each follows from lower ones and no other. Each larger cost is the
    /// cost of some path, and waits for its turn. So does the end of every move from a settled state.
    fn run(&self) -> Result<(), RestoreError> {
        let field = self.field;
        let error =
            |state: u32, why: &str| Err(RestoreError::new("field", format_args!("state {state}: {why}")));
        for row in rows_of(field.space, field.extent.reached(field.space, field.radius)) {
            for state in row.start as u32..row.end as u32 {
                let cost = field.costs[state as usize];
                let is_source =
                    field.sources.binary_search(&state).is_ok() && self.tables.is_legal(State(state));
                let least = match is_source {
                    true => 0,
                    false => least_support(&self.graph, &field.downhill, &field.costs, field.radius, state),
                };
                let is_waiting = || self.waiting.binary_search(&(cost, state)).is_ok();
                // In a new field the sources wait for their turn, but are settled.
                if cost.min(least) <= field.radius && cost != least {
                    return error(state, "another cost than by its moves");
                }
                if cost > field.radius && (cost < least || cost != UNREACHED && !is_waiting()) {
                    return error(state, "a cost that is no path's, or does not wait for its turn");
                }
                if cost <= field.radius && !self.has_spread(state, cost) && !is_waiting() {
                    return error(
                        state,
                        "it has been passed, and the ends of its moves have not been reached",
                    );
                }
            }
        }
        Ok(())
    }

    /// Whether each move from a settled state has reached its end, or a queue will come to it.
    fn has_spread(&self, state: u32, cost: u32) -> bool {
        // The last place where it is listed.
        let after = self.listed.partition_point(|&(listed, _)| listed <= state);
        let place = after.checked_sub(1).map(|at| self.listed[at]).filter(|&(listed, _)| listed == state);
        let mut holds = true;
        self.graph.each(&self.field.spread, state, |next, ticks, primitive| {
            let reached = cost.saturating_add(ticks);
            let is_pending = place.is_some_and(|(_, at)| at >= self.passed[usize::from(primitive)]);
            holds &= is_pending || self.field.costs[next as usize] <= reached;
        });
        holds
    }
}
