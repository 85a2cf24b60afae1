//! In-place repair of a field after the map has changed.
//!
//! Time is proportional to the number of poses whose cost changes. A block on a path to the goal changes the costs of
//! everything behind it. So for a single request a fresh search is cheaper on most maps. A search guided by the
//! unrepaired field is cheaper still: see [`Heuristic::Field`](crate::search::Heuristic::Field).

use super::arcs::ArcGraph;
use super::frontier::{Block, Frontier};
use super::sweep::{DropCosts, FieldSearch, SlotBits, Sweep, unwind};
use super::{CostField, KeepMoves};
use crate::fields::cost_field::support::{
    AT_SOURCE, Direction, NO_MOVE, STALE_MAX, downhill_move, least_support,
};
use crate::model::outcome::{COST_MAX, UNREACHED};
use crate::model::pose::State;
use crate::model::state_indexing::{StateIndexing, with_indexing};
use crate::tables::MovementTables;
use crate::tables::layouts::with_layout;
use std::ops::Range;
use wheelbase_grid::Rect;

/// The memory of a repair, one per worker; it grows with the poses affected by an edit, 4 to 12 bytes each.
#[derive(Debug, Default)]
pub struct RepairScratch {
    frontier: Frontier,
    /// The search that drops costs: its states lost their cost, in that order.
    dropping: Sweep,
    /// The search that settles them again.
    settling: Sweep,
    /// States whose cost decreased by the edit.
    lowered: Vec<u32>,
    /// States that lost their support by the edit itself; later the states settled again.
    settled: Vec<u32>,
    /// Live entries of a frontier, while stale ones are removed.
    entries: Vec<(u32, u32)>,
}

impl RepairScratch {
    /// Empty; memory is allocated at the first repair.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Result of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// Poses that lost their cost.
    pub lost: u64,
    /// Poses settled again.
    pub expansions: u64,
}

impl CostField {
    /// Follows an edit of the map, after [`MovementTables::update`]. Every pose of at most [`CostField::radius`] ticks
    /// gets its exact cost, lower or higher. Next moves are as in a fresh field. `changed` is the changed
    /// rectangle of cells. After several edits, call it once for each of them, in any order; the field is valid after
    /// the last call.
    ///
    /// Time is proportional to the poses that can touch the rectangle, the poses whose cost changes, and their
    /// neighbours. After a block on the path of a single agent that is mostly more than a fresh search takes. Does not
    /// allocate once `scratch` has grown.
    ///
    /// # Panics
    /// If the tables are of another map or class.
    pub fn repair(
        &mut self,
        tables: &MovementTables,
        changed: Rect,
        scratch: &mut RepairScratch,
    ) -> Repaired {
        assert_eq!(tables.space(), self.space, "tables of another map");
        self.revision = tables.revision();
        scratch.dropping.clear();
        let n_queues = self.sweep_plan.n_queues();
        let under_way = !self.sweep.is_empty(&self.sweep_plan);
        if tables.is_sloped() != self.sloped {
            self.collect_arcs(tables);
        }
        self.extent.follow(tables, self.radius());
        if under_way {
            self.unwind(tables, n_queues);
        }
        if changed.is_empty() {
            return Repaired { lost: 0, expansions: 0 };
        }
        // Where moves downhill may have changed: out of a state, or into it. Both cover the poses that became
        // legal or illegal.
        let anchors = match self.direction {
            Direction::ToGoal => tables.touched_anchors(changed),
            Direction::FromStart => tables.touched_ends(changed),
        };
        let expansions = with_layout!(&tables.graph().layouts, layout => with_indexing!(tables.space(), indexing => {
            let graph = ArcGraph { words: &layout.words, times: &tables.graph().times, indexing };
            Repair { field: self, tables, graph, scratch }.run(anchors)
        }));
        Repaired { lost: scratch.dropping.states().len() as u64, expansions }
    }

    /// Transfers all pending work to the frontier. Then each state on the boundary of the settled region has the least
    /// cost derived from settled states.
    fn unwind(&mut self, tables: &MovementTables, n_queues: usize) {
        with_layout!(&tables.graph().layouts, layout => with_indexing!(self.space, indexing => {
            let graph = ArcGraph { words: &layout.words, times: &tables.graph().times, indexing };
            let Self { costs, radius, sweep, spread, frontier, .. } = self;
            unwind(&graph, spread, (sweep, n_queues), costs, frontier, *radius);
        }));
    }
}

struct Repair<'a, W: SlotBits, L: StateIndexing> {
    field: &'a mut CostField,
    tables: &'a MovementTables,
    graph: ArcGraph<'a, W, L>,
    scratch: &'a mut RepairScratch,
}

impl<W: SlotBits, L: StateIndexing> Repair<'_, W, L> {
    fn run(&mut self, anchors: Rect) -> u64 {
        let from = self.find_changed(anchors);
        if from != UNREACHED {
            self.drop_unsupported();
        }
        let expansions = if from == UNREACHED { 0 } else { self.settle_again(from) };
        if !self.field.moves.is_empty() {
            self.renew_moves(anchors);
        }
        if self.field.repair_pushes > self.field.repair_pushes_max {
            self.drop_stale_entries();
        }
        expansions
    }

    /// The least cost of a state by its current moves to settled states.
    #[inline(always)]
    fn supported_cost(&self, state: u32) -> u32 {
        let field = &*self.field;
        least_support(&self.graph, &field.downhill, &field.costs, field.radius, state)
    }

    /// Calls `visit` for each row of anchors with its states and the sources among them.
    fn each_row(&mut self, anchors: Rect, mut visit: impl FnMut(&mut Self, Range<u32>, Range<usize>)) {
        let (width, headings) = (self.field.space.size().width(), u32::from(self.field.space.headings()));
        for y in anchors.y as u32..anchors.y as u32 + anchors.height {
            let first = (y * width + anchors.x as u32) * headings;
            let states = first..first + anchors.width * headings;
            let sources = &self.field.sources;
            let [from, to] = [states.start, states.end].map(|end| sources.partition_point(|&s| s < end));
            visit(self, states, from..to);
        }
    }

    /// Examines every state whose moves may have changed, and lists the states that lost their support or whose
    /// cost decreased. Returns the least cost at which anything changes.
    fn find_changed(&mut self, anchors: Rect) -> u32 {
        let RepairScratch { lowered, settled, .. } = &mut *self.scratch;
        lowered.clear();
        settled.clear();
        let mut least = UNREACHED;
        self.each_row(anchors, |repair, states, sources| {
            for state in states {
                let source = repair.field.sources[sources.clone()].binary_search(&state).is_ok();
                let source = source && repair.tables.is_legal(State(state));
                let new = if source { 0 } else { repair.supported_cost(state) };
                let old = repair.field.costs[state as usize];
                if new < old {
                    repair.scratch.lowered.push(state);
                    least = least.min(new);
                } else if new > old {
                    repair.scratch.settled.push(state);
                    least = least.min(old);
                }
            }
        });
        least
    }

    /// Drops the costs of all states that are no longer supported, in order of their old cost. States whose
    /// moves the edit changed are examined anyway; any other state can only have depended on a state whose cost
    /// accounts for its own.
    fn drop_unsupported(&mut self) {
        let Self { field, scratch, graph, .. } = self;
        let RepairScratch { frontier, settled, lowered, dropping, .. } = &mut **scratch;
        let CostField { costs, radius, sweep_plan, downhill, .. } = &mut **field;
        let changed = settled.iter().chain(lowered.iter()).map(|&state| (costs[state as usize], state));
        let changed = changed.filter(|&(cost, _)| cost != UNREACHED);
        let Some(from) = changed.clone().map(|(cost, _)| cost).min().filter(|_| !settled.is_empty()) else {
            return;
        };
        frontier.reset_wide(self.tables.max_ticks(), from);
        changed.for_each(|(cost, state)| frontier.push(cost, state));
        let mut task = DropCosts { downhill, radius: *radius };
        let graph = *graph;
        let mut search =
            FieldSearch { graph, plan: sweep_plan, costs, sweep: dropping, frontier, radius: &mut 0 };
        search.run(&mut task, COST_MAX, u64::MAX, |_, _| false);
    }

    /// Dijkstra's algorithm, up to the radius, from the boundary of the dropped states and from states whose
    /// cost decreased. States beyond the radius go to the field's frontier.
    fn settle_again(&mut self, from: u32) -> u64 {
        let radius = self.field.radius();
        self.scratch.frontier.reset_wide(self.tables.max_ticks(), from);
        for at in 0..self.scratch.dropping.states().len() {
            let state = self.scratch.dropping.states()[at];
            // None of these is a legal source, so only moves can support them.
            let cost = self.supported_cost(state);
            self.push_at_cost(state, cost);
        }
        for at in 0..self.scratch.lowered.len() {
            let state = self.scratch.lowered[at];
            let is_source = self.field.sources.binary_search(&state).is_ok();
            let is_source = is_source && self.tables.is_legal(State(state));
            let cost = if is_source { 0 } else { self.supported_cost(state) };
            self.push_at_cost(state, cost);
        }
        let Self { field, graph, scratch, .. } = self;
        let RepairScratch { frontier, settled, settling, .. } = &mut **scratch;
        let CostField { costs, moves, sweep_plan, spread, downhill, .. } = &mut **field;
        settled.clear();
        settling.clear();
        let changed = (!moves.is_empty()).then_some(settled);
        let mut task = KeepMoves { moves, downhill, changed };
        let mut known = radius;
        let graph = *graph;
        let mut search =
            FieldSearch { graph, plan: sweep_plan, costs, sweep: settling, frontier, radius: &mut known };
        let (_, expansions) = search.run(&mut task, radius, u64::MAX, |_, _| false);
        unwind(&graph, spread, (settling, sweep_plan.n_queues()), costs, frontier, radius);
        let mut block: Block = [0; _];
        while let Some((cost, n)) = self.scratch.frontier.pop_block(&mut block) {
            for &state in &block[..n] {
                if self.field.costs[state as usize] == cost {
                    self.field.frontier.push(cost, state);
                    self.field.repair_pushes += 1;
                }
            }
        }
        expansions
    }

    /// Lowers the cost of a state, if the new cost is less.
    fn push_at_cost(&mut self, state: u32, cost: u32) {
        let known = &mut self.field.costs[state as usize];
        if cost >= *known {
            return;
        }
        *known = cost;
        if cost <= self.field.radius {
            self.scratch.frontier.push(cost, state);
        } else {
            self.field.frontier.push(cost, state);
            self.field.repair_pushes += 1;
        }
    }

    /// Updates the next moves of states whose cost, moves or successors' costs have changed.
    fn renew_moves(&mut self, anchors: Rect) {
        let radius = self.field.radius();
        let Self { field, graph, scratch, .. } = self;
        let CostField { costs, moves, spread, downhill, .. } = &mut **field;
        let graph = *graph;
        let lost = scratch.dropping.states();
        for &state in lost {
            if costs[state as usize] > radius {
                moves[state as usize] = NO_MOVE;
            }
        }
        for &state in lost.iter().chain(&scratch.settled) {
            let cost = costs[state as usize];
            graph.each(spread, state, |before, ticks, primitive| {
                let (at, known_cost) = (before as usize, costs[before as usize]);
                if known_cost > radius || moves[at] == AT_SOURCE {
                    return;
                }
                if cost <= radius && cost.checked_add(ticks) == Some(known_cost) {
                    moves[at] = moves[at].min(primitive);
                } else if moves[at] == primitive {
                    moves[at] = downhill_move(&graph, downhill, costs, before);
                }
            });
        }
        self.each_row(anchors, |repair, states, _| {
            let CostField { costs, moves, downhill, .. } = &mut *repair.field;
            for state in states {
                moves[state as usize] = match costs[state as usize] <= radius {
                    true => downhill_move(&graph, downhill, costs, state),
                    false => NO_MOVE,
                };
            }
        });
    }

    /// Removes entries of the field's frontier whose state has another cost by now.
    #[cold]
    fn drop_stale_entries(&mut self) {
        let radius = self.field.radius();
        let (entries, frontier) = (&mut self.scratch.entries, &mut self.field.frontier);
        entries.clear();
        let mut block: Block = [0; _];
        while let Some((cost, n)) = frontier.pop_block(&mut block) {
            let live = block[..n].iter().filter(|&&state| self.field.costs[state as usize] == cost);
            entries.extend(live.map(|&state| (cost, state)));
        }
        entries.sort_unstable();
        entries.dedup();
        frontier.reset(self.tables.max_ticks(), radius);
        entries.iter().for_each(|&(cost, state)| frontier.push(cost, state));
        self.field.repair_pushes = 0;
        self.field.repair_pushes_max = entries.len().max(STALE_MAX);
    }
}
