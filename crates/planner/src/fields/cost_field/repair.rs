//! Repair of a field in place after the map has changed.
//!
//! It takes as long as there are poses whose cost changes. A block on a path to the goal changes those of all
//! that lies behind it, so that for one request a fresh search is cheaper on most maps, and one guided by the
//! field as it was cheaper still: see [`Heuristic::Field`](crate::search::Heuristic::Field).

use super::arcs::Graph;
use super::frontier::{Block, Frontier};
use super::sweep::{DropCosts, Search, SlotBits, Sweep, unwind};
use super::{CostField, KeepMoves};
use crate::fields::cost_field::support::{
    AT_SOURCE, Direction, NO_MOVE, STALE_MAX, UNREACHED, downhill_move, least_support,
};
use crate::model::lattice::{Lattice, with_lattice};
use crate::model::outcome::COST_MAX;
use crate::model::pose::State;
use crate::tables::MovementTables;
use crate::tables::layouts::with_layout;
use std::ops::Range;
use wheelbase_grid::Rect;

/// The memory of a repair, one a worker; it grows with the poses that an edit affects, 4 to 12 bytes each.
#[derive(Debug, Default)]
pub struct FieldScratch {
    frontier: Frontier,
    /// The search that takes costs away: its states are those that lost theirs, in order of that.
    losing: Sweep,
    /// The search that settles them again.
    settling: Sweep,
    /// States that an edit brought nearer.
    nearer: Vec<u32>,
    /// States that lost their support by the edit itself; then states settled anew.
    settled: Vec<u32>,
    /// Live entries of a frontier, while the stale ones are dropped.
    entries: Vec<(u32, u32)>,
}

impl FieldScratch {
    /// Empty; memory is taken at the first repair.
    pub fn new() -> Self {
        Self::default()
    }
}

/// What a repair did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// Poses whose cost was lost.
    pub lost: u64,
    /// Poses settled anew.
    pub expansions: u64,
}

impl CostField {
    /// Follows an edit of the map, after [`MovementTables::update`] has: every pose of at most
    /// [`CostField::radius`] ticks has its exact cost again, lower or higher, and the next moves are
    /// those of a fresh field. `changed` is the changed rectangle of cells; after several edits, one call
    /// for each of them, in any order, and the field holds after the last.
    ///
    /// Time is in proportion to the poses that can touch the rectangle, those whose cost changes, and
    /// their neighbours: after a block on the path of one agent mostly more than a fresh search takes. Allocates nothing once `scratch` has grown.
    ///
    /// # Panics
    /// If the tables are of another map or class.
    pub fn repair(&mut self, tables: &MovementTables, changed: Rect, scratch: &mut FieldScratch) -> Repaired {
        assert_eq!(tables.space(), self.space, "tables of another map");
        self.revision = tables.revision();
        scratch.losing.clear();
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
        // Where the moves downhill may have changed: those out of a state, or those into it. A pose that
        // became legal or not is within either.
        let anchors = match self.direction {
            Direction::ToGoal => tables.touched_anchors(changed),
            Direction::FromStart => tables.touched_ends(changed),
        };
        let expansions = with_layout!(&tables.graph.layouts, layout => with_lattice!(tables.space(), lattice => {
            let graph = Graph { words: &layout.words, times: &tables.graph.times, lattice };
            Repair { field: self, tables, graph, scratch }.run(anchors)
        }));
        Repaired { lost: scratch.losing.states().len() as u64, expansions }
    }

    /// Has all that the search comes to next wait in the frontier, so that each state on the rim of what is
    /// settled has the least cost that settled states give it.
    fn unwind(&mut self, tables: &MovementTables, n_queues: usize) {
        with_layout!(&tables.graph.layouts, layout => with_lattice!(self.space, lattice => {
            let graph = Graph { words: &layout.words, times: &tables.graph.times, lattice };
            let Self { costs, radius, sweep, spread, frontier, .. } = self;
            unwind(&graph, spread, (sweep, n_queues), costs, frontier, *radius);
        }));
    }
}

struct Repair<'a, W: SlotBits, L: Lattice> {
    field: &'a mut CostField,
    tables: &'a MovementTables,
    graph: Graph<'a, W, L>,
    scratch: &'a mut FieldScratch,
}

impl<W: SlotBits, L: Lattice> Repair<'_, W, L> {
    fn run(&mut self, anchors: Rect) -> u64 {
        let from = self.find_changed(anchors);
        if from != UNREACHED {
            self.drop_lost();
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

    /// Least cost of a state by its moves to settled states, now.
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

    /// Looks at every state whose moves may have changed: lists those that lost their support and those
    /// that came nearer. Returns the least cost at which anything changes.
    fn find_changed(&mut self, anchors: Rect) -> u32 {
        let FieldScratch { nearer, settled, .. } = &mut *self.scratch;
        nearer.clear();
        settled.clear();
        let mut least = UNREACHED;
        self.each_row(anchors, |repair, states, sources| {
            for state in states {
                let source = repair.field.sources[sources.clone()].binary_search(&state).is_ok();
                let source = source && repair.tables.is_legal(State(state));
                let new = if source { 0 } else { repair.supported_cost(state) };
                let old = repair.field.costs[state as usize];
                if new < old {
                    repair.scratch.nearer.push(state);
                    least = least.min(new);
                } else if new > old {
                    repair.scratch.settled.push(state);
                    least = least.min(old);
                }
            }
        });
        least
    }

    /// In order of their old cost, takes the cost from every state that nothing supports any more. Those
    /// whose moves the edit changed are looked at whatever they lost; of the others, a state can only have
    /// counted on one that makes up its cost.
    fn drop_lost(&mut self) {
        let Self { field, scratch, graph, .. } = self;
        let FieldScratch { frontier, settled, nearer, losing, .. } = &mut **scratch;
        let CostField { costs, radius, sweep_plan, downhill, .. } = &mut **field;
        let changed = settled.iter().chain(nearer.iter()).map(|&state| (costs[state as usize], state));
        let changed = changed.filter(|&(cost, _)| cost != UNREACHED);
        let Some(from) = changed.clone().map(|(cost, _)| cost).min().filter(|_| !settled.is_empty()) else {
            return;
        };
        frontier.reset_wide(self.tables.most_ticks(), from);
        changed.for_each(|(cost, state)| frontier.push(cost, state));
        let mut task = DropCosts { downhill, radius: *radius };
        let graph = *graph;
        let mut search = Search { graph, plan: sweep_plan, costs, sweep: losing, frontier, radius: &mut 0 };
        search.run(&mut task, COST_MAX, u64::MAX, |_, _| false);
    }

    /// Dijkstra's search from the rim of what was lost, and from what came nearer, up to the radius. What
    /// lies beyond waits in the field's frontier.
    fn settle_again(&mut self, from: u32) -> u64 {
        let radius = self.field.radius();
        self.scratch.frontier.reset_wide(self.tables.most_ticks(), from);
        for at in 0..self.scratch.losing.states().len() {
            let state = self.scratch.losing.states()[at];
            // No legal source is among them, so that only its moves can support it.
            let cost = self.supported_cost(state);
            self.push_at_cost(state, cost);
        }
        for at in 0..self.scratch.nearer.len() {
            let state = self.scratch.nearer[at];
            let is_source = self.field.sources.binary_search(&state).is_ok();
            let is_source = is_source && self.tables.is_legal(State(state));
            let cost = if is_source { 0 } else { self.supported_cost(state) };
            self.push_at_cost(state, cost);
        }
        let Self { field, graph, scratch, .. } = self;
        let FieldScratch { frontier, settled, settling, .. } = &mut **scratch;
        let CostField { costs, moves, sweep_plan, spread, downhill, .. } = &mut **field;
        settled.clear();
        settling.clear();
        let changed = (!moves.is_empty()).then_some(settled);
        let mut task = KeepMoves { moves, downhill, changed };
        let mut known = radius;
        let graph = *graph;
        let mut search =
            Search { graph, plan: sweep_plan, costs, sweep: settling, frontier, radius: &mut known };
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

    /// Gives a state a cost, if that is less than what it has.
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

    /// Next moves of the states whose own cost, or moves, or successors' costs have changed.
    fn renew_moves(&mut self, anchors: Rect) {
        let radius = self.field.radius();
        let Self { field, graph, scratch, .. } = self;
        let CostField { costs, moves, spread, downhill, .. } = &mut **field;
        let graph = *graph;
        let lost = scratch.losing.states();
        for &state in lost {
            if costs[state as usize] > radius {
                moves[state as usize] = NO_MOVE;
            }
        }
        for &state in lost.iter().chain(&scratch.settled) {
            let cost = costs[state as usize];
            graph.each(spread, state, |before, ticks, primitive| {
                let (at, held) = (before as usize, costs[before as usize]);
                if held > radius || moves[at] == AT_SOURCE {
                    return;
                }
                if cost <= radius && cost.checked_add(ticks) == Some(held) {
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

    /// Clears the field's frontier of entries whose state has another cost by now.
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
        frontier.reset(self.tables.most_ticks(), radius);
        entries.iter().for_each(|&(cost, state)| frontier.push(cost, state));
        self.field.repair_pushes = 0;
        self.field.repair_pushes_max = entries.len().max(STALE_MAX);
    }
}
