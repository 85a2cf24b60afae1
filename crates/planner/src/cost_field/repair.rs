//! Repair of a field in place after the map has changed.

use super::arcs::{Arcs, Graph};
use super::frontier::{Block, Frontier};
use super::{AT_SOURCE, CostField, Direction, NO_MOVE, Spread, UNREACHED, Until, downhill_move};
use crate::lattice::{Lattice, with_lattice};
use crate::pose::State;
use crate::tables::{MoveWord, MovementTables, with_layout};
use std::ops::Range;
use wheelbase_grid::Rect;

/// The memory of a repair, one a worker; it grows with the poses that an edit affects, 4 to 12 bytes each.
#[derive(Debug, Default)]
pub struct FieldScratch {
    frontier: Frontier,
    /// States whose cost was lost.
    lost: Vec<u32>,
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

/// Entries that repairs may add to a frontier at least before the stale ones among them are dropped.
pub(super) const STALE_MAX: usize = 4096;

impl CostField {
    /// Follows an edit of the map, after [`MovementTables::update`] has: every pose of at most
    /// [`CostField::radius`] ticks has its exact cost again, lower or higher, and the next moves are
    /// those of a fresh field. `changed` is the changed rectangle of cells; after several edits, one call
    /// for each of them, in any order, and the field holds after the last.
    ///
    /// Time is in proportion to the poses that can touch the rectangle, those whose cost changes, and
    /// their neighbours. Allocates nothing once `scratch` has grown.
    ///
    /// # Panics
    /// If the tables are of another map or class.
    pub fn repair(&mut self, tables: &MovementTables, changed: Rect, scratch: &mut FieldScratch) -> Repaired {
        assert_eq!(tables.space(), self.space, "tables of another map");
        self.revision = tables.revision();
        if tables.is_sloped() != self.sloped {
            self.collect_arcs(tables);
        }
        self.extent.follow(tables, self.radius());
        if changed.is_empty() {
            return Repaired { lost: 0, expansions: 0 };
        }
        // Where the moves downhill may have changed: those out of a state, or those into it. A pose that
        // became legal or not is within either.
        let anchors = match self.direction {
            Direction::ToGoal => tables.touched_anchors(changed),
            Direction::FromStart => tables.touched_ends(changed),
        };
        let expansions = with_layout!(&tables.layouts, layout => with_lattice!(tables.space(), lattice => {
            let graph = Graph { words: &layout.words, times: &tables.times, lattice };
            Repair { field: self, tables, graph, scratch }.run(anchors)
        }));
        Repaired { lost: scratch.lost.len() as u64, expansions }
    }
}

struct Repair<'a, W: MoveWord, L: Lattice> {
    field: &'a mut CostField,
    tables: &'a MovementTables,
    graph: Graph<'a, W, L>,
    scratch: &'a mut FieldScratch,
}

impl<W: MoveWord, L: Lattice> Repair<'_, W, L> {
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

    /// Least cost of a state by its moves to settled states, now. Other states support nothing: they
    /// spread their cost when they are settled.
    #[inline(always)]
    fn supported_cost(&self, state: u32) -> u32 {
        let (field, radius) = (&*self.field, self.field.radius());
        let mut least = UNREACHED;
        self.graph.each(&field.downhill, field.downhill.own_word(), state, |next, ticks, _| {
            let cost = field.costs[next as usize];
            if cost <= radius {
                least = least.min(cost.saturating_add(ticks));
            }
        });
        least
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
        let FieldScratch { nearer, lost, settled, .. } = &mut *self.scratch;
        for list in [nearer, lost, settled] {
            list.clear();
        }
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

    /// In order of their old cost, takes the cost from every state that nothing supports any more. One
    /// comes onto the frontier when its last support is lost, and none comes back before all are gone
    /// through.
    fn drop_lost(&mut self) {
        let Self { field, scratch, .. } = self;
        let FieldScratch { frontier, settled, .. } = &mut **scratch;
        let Some(from) = settled.iter().map(|&state| field.costs[state as usize]).min() else { return };
        frontier.reset(self.tables.most_ticks(), from);
        settled.iter().for_each(|&state| frontier.push(field.costs[state as usize], state));
        let mut block: Block = [0; _];
        while let Some((cost, n)) = self.scratch.frontier.pop_block(&mut block) {
            for &state in &block[..n] {
                if self.field.costs[state as usize] == cost {
                    self.drop_cost(state, cost);
                }
            }
        }
    }

    fn drop_cost(&mut self, state: u32, cost: u32) {
        let radius = self.field.radius();
        let Self { field, scratch, graph, .. } = self;
        let FieldScratch { frontier, lost, .. } = &mut **scratch;
        let CostField { costs, spread, downhill, .. } = &mut **field;
        costs[state as usize] = UNREACHED;
        lost.push(state);
        graph.each(spread, spread.own_word(), state, |before, ticks, _| {
            let held = costs[before as usize];
            // Greater, not only equal: by an edit a dearer state may count on this one.
            let counts_on_it = held != UNREACHED && held >= cost.saturating_add(ticks);
            if counts_on_it && !is_supported(graph, downhill, costs, radius, before) {
                frontier.push(held, before);
            }
        });
    }

    /// Dijkstra's search from the rim of what was lost, and from what came nearer, up to the radius. What
    /// lies beyond waits in the field's frontier.
    fn settle_again(&mut self, from: u32) -> u64 {
        let radius = self.field.radius();
        self.scratch.frontier.reset(self.tables.most_ticks(), from);
        for at in 0..self.scratch.lost.len() {
            self.push_supported(self.scratch.lost[at], radius);
        }
        for at in 0..self.scratch.nearer.len() {
            self.push_supported(self.scratch.nearer[at], radius);
        }
        let Self { field, graph, scratch, .. } = self;
        let FieldScratch { frontier, settled, .. } = &mut **scratch;
        let CostField { costs, moves, spread, downhill, .. } = &mut **field;
        settled.clear();
        let changed = (!moves.is_empty()).then_some(settled);
        let mut search = Spread { graph: *graph, arcs: spread, downhill, costs, moves, changed };
        let expansions = search.run(frontier, Until::Within(radius), u64::MAX).expansions;
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

    /// Gives a state the cost that its settled successors support, if that is less than what it has.
    fn push_supported(&mut self, state: u32, radius: u32) {
        let source = self.field.sources.binary_search(&state).is_ok() && self.tables.is_legal(State(state));
        let cost = if source { 0 } else { self.supported_cost(state) };
        let known = &mut self.field.costs[state as usize];
        if cost >= *known {
            return;
        }
        *known = cost;
        if cost <= radius {
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
        for &state in &scratch.lost {
            if costs[state as usize] > radius {
                moves[state as usize] = NO_MOVE;
            }
        }
        for &state in scratch.lost.iter().chain(&scratch.settled) {
            let cost = costs[state as usize];
            graph.each(spread, spread.own_word(), state, |before, ticks, primitive| {
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

/// Whether a move to a settled state gives a state its cost, or less.
#[inline(always)]
fn is_supported<W: MoveWord, L: Lattice>(
    graph: &Graph<'_, W, L>,
    downhill: &Arcs,
    costs: &[u32],
    radius: u32,
    state: u32,
) -> bool {
    graph.any(downhill, downhill.own_word(), state, |next, ticks, _| {
        let after = costs[next as usize];
        after <= radius && after.saturating_add(ticks) <= costs[state as usize]
    })
}
