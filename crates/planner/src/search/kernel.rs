//! The kernel: takes poses off the open list and generates their successors.
//!
//! About half its time goes to instructions and half to mispredicted branches. So both are minimised. Facts about all
//! successors of a pose are decided once per pose. One comparison rejects successors that are illegal or already
//! reached as cheaply.

use crate::model::pose::{Heading, Pose, State};
use crate::model::state_indexing::StateIndexing;
use crate::open_list::{KeyOrder, OpenList};
use crate::search::estimate::Estimate;
use crate::search::free_moves::is_free;
use crate::search::request::Request;
use crate::search::scratch::SearchRun;
use crate::tables::moves::{COST_ENTRIES, FRAME_STRIDE, MoveDelta};
use crate::tables::node::Node;
use crate::tables::{MoveWord, MovementTables};
use wheelbase_grid::CellXY;

/// A search in progress over the words of one layout, on a map of one shape.
pub(super) struct Kernel<'a, W: MoveWord, L: StateIndexing> {
    pub tables: &'a MovementTables,
    pub indexing: L,
    pub words: &'a [W],
    pub move_deltas: &'a [MoveDelta; FRAME_STRIDE * FRAME_STRIDE],
    pub costs: &'a [i64; COST_ENTRIES],
    /// Least node of this search, and least node reached at a cost of at most `COST_MAX`.
    pub touched: u64,
    pub dearest: u64,
    pub budget: u64,
    /// Poses of a greater sum of cost and bound are left on the open list.
    pub sum_max: u64,
    pub order: KeyOrder,
    pub request: &'a Request<'a>,
    pub run: &'a mut SearchRun,
}

/// Why the kernel stopped.
pub(super) enum StopReason {
    Goal(State),
    Exhausted,
    Budget,
}

/// No state.
const NO_STATE: u32 = u32::MAX;

/// The state to expand next with its key, unless it is [`NO_STATE`]; then `key` is the current key.
#[derive(Clone, Copy)]
struct PendingState {
    key: u64,
    state: u32,
}

/// The pose under expansion.
#[derive(Clone, Copy)]
struct Expansion<W> {
    /// Its key on the open list.
    key: u64,
    state: u32,
    /// Its node without the flags.
    node: u64,
    x: i32,
    y: i32,
    heading: usize,
    frame: usize,
    word: W,
}

impl<W: MoveWord, L: StateIndexing> Kernel<'_, W, L> {
    /// Continues the search. `nodes` and the words have the same length.
    pub fn run<E: Estimate, Q: OpenList>(
        &mut self,
        nodes: &mut [u64],
        estimate: &E,
        open: &mut Q,
    ) -> StopReason {
        let Request { obstacles, window, area, partial, penalties, .. } = self.request;
        let asks_more = obstacles.is_some()
            || penalties.is_some()
            || window.is_some()
            || area.is_some()
            || self.sum_max < u64::MAX;
        if !asks_more && !partial {
            self.expand_all::<E, Q, false>(nodes, estimate, open)
        } else {
            self.expand_all::<E, Q, true>(nodes, estimate, open)
        }
    }

    /// Expands poses until one is a goal, none is left, or the budget is spent. `ALL` enables rarely used
    /// features of requests: obstacles and windows, penalties, a goal by area, and the best pose so far.
    fn expand_all<E: Estimate, Q: OpenList, const ALL: bool>(
        &mut self,
        nodes: &mut [u64],
        estimate: &E,
        open: &mut Q,
    ) -> StopReason {
        let words = self.words;
        assert_eq!(nodes.len(), words.len(), "one node per state");
        let indexing = self.indexing;
        let n_slots = self.tables.class().primitives().len();
        // Successors of nodes below this may be too dear.
        let longest = self.tables.max_ticks()
            + u64::from(self.request.penalties.map_or(0, |penalties| penalties.max_ticks()));
        let near_dearest = self.dearest + (longest << Node::COST_SHIFT);
        let mut left = self.budget;
        // A successor whose key is at most the current key comes next. Held outside the list, it is available
        // without waiting for a store whose address depends on the estimate. Without a heuristic there is none.
        let mut pending = PendingState { key: 0, state: NO_STATE };
        let stop = loop {
            let PendingState { mut key, mut state } = pending;
            if !E::GUIDED || state == NO_STATE {
                let Some(popped) = open.pop() else { break StopReason::Exhausted };
                (key, state) = popped;
            }
            pending = PendingState { key, state: NO_STATE };
            if ALL && self.order.sum(key) > self.sum_max {
                open.push(key, state);
                break StopReason::Exhausted;
            }
            let node = nodes[state as usize];
            if node & (Node::CLOSED | Node::GOAL) != 0 {
                if node & Node::CLOSED != 0 {
                    continue;
                }
                if let Some(range) = estimate.range().filter(|_| estimate.has_continuations()) {
                    let ((x, y), heading) = indexing.split(state);
                    let total =
                        u64::from(Node::cost(node)) + u64::from(estimate.weighted(state, x, y, heading));
                    let sum = self.order.sum(key);
                    if total > sum {
                        // Its continuation is dearer than its key promised: it waits until nothing is cheaper.
                        open.push(self.order.key(total.min(sum + range), u32::MAX), state);
                        continue;
                    }
                }
                break StopReason::Goal(State(state));
            }
            if ALL && self.is_in_area(state) {
                // Back on the list, for `pass_goal`.
                open.push(key, state);
                break StopReason::Goal(State(state));
            }
            if left == 0 {
                // Back on top of its equals, so that the search resumes as if it had not stopped.
                open.push(key, state);
                break StopReason::Budget;
            }
            left -= 1;
            nodes[state as usize] = node | Node::CLOSED;
            let ((x, y), heading) = indexing.split(state);
            if ALL && self.request.partial {
                let candidate = (estimate.plain(state, x, y, heading), Node::cost(node), state);
                if self.run.best.is_none_or(|best| candidate < best) {
                    self.run.best = Some(candidate);
                }
            }
            let word = words[state as usize];
            let frame = indexing.frame_at(y, heading);
            let mut at = Expansion { key, state, node: node & !Node::FLAGS, x, y, heading, frame, word };
            if at.node < near_dearest {
                at.word = self.without_overflow(at, n_slots);
            }
            if W::SLOTS == 4 {
                // Unrolled, so that each of the four has its own branches, which are better predicted. Slots
                // beyond the last primitive are never legal.
                macro_rules! generate {
                    ($($slot:literal)*) => {$(
                        let delta = self.step(&at, $slot).delta;
                        self.generate::<E, Q, ALL>(nodes, &at, ($slot, delta), estimate, open, &mut pending);
                    )*};
                }
                generate!(0 1 2 3);
            } else {
                let frame_slots = &self.tables.graph().frame_slots[frame % FRAME_STRIDE];
                for &(slot, delta) in &frame_slots.slots[..frame_slots.n.min(FRAME_STRIDE)] {
                    self.generate::<E, Q, ALL>(
                        nodes,
                        &at,
                        (slot as usize, delta),
                        estimate,
                        open,
                        &mut pending,
                    );
                }
            }
        };
        self.run.expansions += self.budget - left;
        stop
    }

    #[inline(always)]
    fn step(&self, at: &Expansion<W>, slot: usize) -> &MoveDelta {
        &self.move_deltas[at.frame % FRAME_STRIDE * FRAME_STRIDE + slot % FRAME_STRIDE]
    }

    /// Generates the successor by one primitive, unless it is illegal or already reached as cheaply.
    #[inline(always)]
    fn generate<E: Estimate, Q: OpenList, const ALL: bool>(
        &self,
        nodes: &mut [u64],
        at: &Expansion<W>,
        (slot, delta): (usize, i32),
        estimate: &E,
        open: &mut Q,
        pending: &mut PendingState,
    ) {
        // The successor's node; less than any node if the move is illegal.
        let reached = at.node as i64 - at.word.cost(slot, self.costs);
        let next = at.state.wrapping_add_signed(delta);
        let Some(&known) = nodes.get(next as usize) else { return };
        if known as i64 >= reached {
            return;
        }
        let mut reached = reached as u64;
        if ALL && self.request.penalties.is_some() {
            reached -= self.penalty(at, slot);
            if known >= reached {
                return;
            }
        }
        if ALL && !self.may_sweep(*at, slot) {
            return;
        }
        if estimate.keeps_first() && known >= self.touched {
            return;
        }
        nodes[next as usize] = reached | (known & Node::GOAL) | slot as u64;
        let step = self.step(at, slot);
        let h = estimate.weighted(next, at.x + step.dx, at.y + step.dy, step.heading_after as usize);
        let mut sum = estimate.key(Node::cost(reached), h);
        if let Some(range) = estimate.range() {
            let least = self.order.sum(at.key);
            sum = sum.clamp(least, least + range);
        }
        let key = self.order.key(sum, h);
        if !E::GUIDED || key > pending.key {
            open.push(key, next);
            return;
        }
        // Last pushed among equals, except that a turn never precedes a move: turns often lead along the wrong
        // side of the remaining displacement.
        let (mut first, mut second) = (PendingState { key, state: next }, *pending);
        if second.state != NO_STATE {
            if key == second.key && (step.dx, step.dy) == (0, 0) {
                std::mem::swap(&mut first, &mut second);
            }
            open.push(second.key, second.state);
        }
        *pending = first;
    }

    /// The word without the moves that exceed the maximum cost. They are not followed, but a search that finds
    /// nothing must then report the overflow.
    #[cold]
    #[inline(never)]
    fn without_overflow(&mut self, at: Expansion<W>, n_slots: usize) -> W {
        let mut word = at.word;
        for slot in (0..n_slots).filter(|&slot| at.word.code(slot) != 0) {
            let reached = at.node as i64 - at.word.cost(slot, self.costs) - self.penalty(&at, slot) as i64;
            if reached < self.dearest as i64 {
                word.clear(slot);
                self.run.overflowed |= self.may_sweep(at, slot);
            }
        }
        word
    }

    /// Penalty of a legal move, in node units.
    #[inline(never)]
    fn penalty(&self, at: &Expansion<W>, slot: usize) -> u64 {
        let Some(penalties) = self.request.penalties else { return 0 };
        let step = self.step(at, slot);
        let ticks = (at.word.cost(slot, self.costs) >> Node::COST_SHIFT) as u32;
        let (from, to) = (CellXY::new(at.x, at.y), CellXY::new(at.x + step.dx, at.y + step.dy));
        u64::from(penalties.ticks(from, to, ticks).min(penalties.max_ticks())) << Node::COST_SHIFT
    }

    #[inline(never)]
    fn is_in_area(&self, state: u32) -> bool {
        self.request.area.is_some_and(|area| area.matches(self.tables.space().pose(State(state))))
    }

    #[inline(never)]
    fn may_sweep(&self, at: Expansion<W>, slot: usize) -> bool {
        let pose = Pose::new(at.x, at.y, Heading(at.heading as u8));
        is_free(self.tables, self.request, pose, slot)
    }
}
