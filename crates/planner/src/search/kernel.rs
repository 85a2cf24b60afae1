//! The kernel: takes poses off the open list and generates their successors.
//!
//! Its time is instructions and mispredicted branches, about half each, so both are counted: what holds for
//! all successors of a pose is decided once a pose, and one comparison says whether a successor is illegal or
//! known to be as cheap already.

use crate::model::lattice::Lattice;
use crate::model::pose::{Heading, Pose, State};
use crate::search::estimate::Estimate;
use crate::search::free_moves::is_free;
use crate::search::open_list::{KeyOrder, OpenList};
use crate::search::request::Request;
use crate::search::scratch::Run;
use crate::tables::node::Node;
use crate::tables::steps::{COSTS, STEPS_STRIDE, Step};
use crate::tables::{MoveWord, MovementTables};
use wheelbase_grid::CellXY;

/// One search under way over the words of one layout, on a map of one shape.
pub(super) struct Kernel<'a, W: MoveWord, L: Lattice> {
    pub tables: &'a MovementTables,
    pub lattice: L,
    pub words: &'a [W],
    pub steps: &'a [Step; STEPS_STRIDE * STEPS_STRIDE],
    pub costs: &'a [i64; COSTS],
    /// Least node of this search, and of those reached at no more than `COST_MAX`.
    pub touched: u64,
    pub dearest: u64,
    pub budget: u64,
    pub order: KeyOrder,
    pub request: &'a Request<'a>,
    pub run: &'a mut Run,
}

/// Why the kernel stopped.
pub(super) enum Stop {
    Goal(State),
    Exhausted,
    Budget,
}

/// No state.
const NONE: u32 = u32::MAX;

/// The state that comes next if it is not [`NONE`], with its key; else the key under way.
#[derive(Clone, Copy)]
struct Held {
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

impl<W: MoveWord, L: Lattice> Kernel<'_, W, L> {
    /// Goes on with the search. `nodes` are as many as there are words.
    pub fn run<E: Estimate, Q: OpenList>(&mut self, nodes: &mut [u64], estimate: &E, open: &mut Q) -> Stop {
        let Request { obstacles, window, area, partial, penalties, .. } = self.request;
        let asks_more = obstacles.is_some() || penalties.is_some() || window.is_some() || area.is_some();
        if !asks_more && !partial {
            self.expand_all::<E, Q, false>(nodes, estimate, open)
        } else {
            self.expand_all::<E, Q, true>(nodes, estimate, open)
        }
    }

    /// Takes poses off the open list until one is a goal, none is left, or the budget is spent. `ALL` is for
    /// requests that ask for more than most do: bounds, delays, an area as goal, or the best pose so far.
    fn expand_all<E: Estimate, Q: OpenList, const ALL: bool>(
        &mut self,
        nodes: &mut [u64],
        estimate: &E,
        open: &mut Q,
    ) -> Stop {
        let words = self.words;
        assert_eq!(nodes.len(), words.len(), "a node a state");
        let lattice = self.lattice;
        let n_slots = self.tables.class().primitives().len();
        // Nodes below may be followed by one that is too dear.
        let longest = self.tables.most_ticks()
            + u64::from(self.request.penalties.map_or(0, |penalties| penalties.most()));
        let near_dearest = self.dearest + (longest << Node::COST_SHIFT);
        let mut left = self.budget;
        // A state whose key is at most the one under way comes next. Kept out of the list, it is at hand
        // without waiting for a store whose place depends on the estimate. Without a heuristic there is none.
        let mut held = Held { key: 0, state: NONE };
        let stop = loop {
            let Held { mut key, mut state } = held;
            if !E::GUIDED || state == NONE {
                let Some(popped) = open.pop() else { break Stop::Exhausted };
                (key, state) = popped;
            }
            held = Held { key, state: NONE };
            let node = nodes[state as usize];
            if node & (Node::CLOSED | Node::GOAL) != 0 {
                if node & Node::CLOSED != 0 {
                    continue;
                }
                if let Some(range) = estimate.range().filter(|_| estimate.has_exits()) {
                    let ((x, y), heading) = lattice.place(state);
                    let whole =
                        u64::from(Node::cost(node)) + u64::from(estimate.weighted(state, x, y, heading));
                    let sum = self.order.sum(key);
                    if whole > sum {
                        // Its way on is dearer than its key said: it waits until nothing is cheaper.
                        open.push(self.order.key(whole.min(sum + range), u32::MAX), state);
                        continue;
                    }
                }
                break Stop::Goal(State(state));
            }
            if ALL && self.is_in_area(state) {
                // Back on the list, for `pass_goal`.
                open.push(key, state);
                break Stop::Goal(State(state));
            }
            if left == 0 {
                // Back on top of its equals: the search goes on as if it had not stopped.
                open.push(key, state);
                break Stop::Budget;
            }
            left -= 1;
            nodes[state as usize] = node | Node::CLOSED;
            let ((x, y), heading) = lattice.place(state);
            if ALL && self.request.partial {
                let candidate = (estimate.plain(state, x, y, heading), Node::cost(node), state);
                if self.run.best.is_none_or(|best| candidate < best) {
                    self.run.best = Some(candidate);
                }
            }
            let word = words[state as usize];
            let frame = lattice.frame_at(y, heading);
            let mut at = Expansion { key, state, node: node & !Node::FLAGS, x, y, heading, frame, word };
            if at.node < near_dearest {
                at.word = self.without_overflow(at, n_slots);
            }
            if W::LANES == 4 {
                // Each of the four has branches of its own, which are better predicted. Lanes past the last
                // primitive are never legal.
                self.generate::<E, Q, ALL>(
                    nodes,
                    &at,
                    (0, self.step(&at, 0).delta),
                    estimate,
                    open,
                    &mut held,
                );
                self.generate::<E, Q, ALL>(
                    nodes,
                    &at,
                    (1, self.step(&at, 1).delta),
                    estimate,
                    open,
                    &mut held,
                );
                self.generate::<E, Q, ALL>(
                    nodes,
                    &at,
                    (2, self.step(&at, 2).delta),
                    estimate,
                    open,
                    &mut held,
                );
                self.generate::<E, Q, ALL>(
                    nodes,
                    &at,
                    (3, self.step(&at, 3).delta),
                    estimate,
                    open,
                    &mut held,
                );
            } else {
                let slots_at = &self.tables.graph.slots_at[frame % STEPS_STRIDE];
                for &(slot, delta) in &slots_at.slots[..slots_at.n.min(STEPS_STRIDE)] {
                    self.generate::<E, Q, ALL>(nodes, &at, (slot as usize, delta), estimate, open, &mut held);
                }
            }
        };
        self.run.expansions += self.budget - left;
        stop
    }

    #[inline(always)]
    fn step(&self, at: &Expansion<W>, slot: usize) -> &Step {
        &self.steps[at.frame % STEPS_STRIDE * STEPS_STRIDE + slot % STEPS_STRIDE]
    }

    /// Generates the successor by one primitive, if it is legal and not known to be as cheap already.
    #[inline(always)]
    fn generate<E: Estimate, Q: OpenList, const ALL: bool>(
        &self,
        nodes: &mut [u64],
        at: &Expansion<W>,
        (slot, delta): (usize, i32),
        estimate: &E,
        open: &mut Q,
        held: &mut Held,
    ) {
        // What the successor's node would be; less than any if the move is illegal.
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
        if !E::GUIDED || key > held.key {
            open.push(key, next);
            return;
        }
        // Of equals the last, but no turn before a move: it often leads along the wrong side of what is left
        // to go.
        let (mut first, mut second) = (Held { key, state: next }, *held);
        if second.state != NONE {
            if key == second.key && (step.dx, step.dy) == (0, 0) {
                std::mem::swap(&mut first, &mut second);
            }
            open.push(second.key, second.state);
        }
        *held = first;
    }

    /// The word without the moves that lead past the greatest cost: they are not followed, and a search that
    /// finds nothing then has to say so.
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

    /// What a legal move counts as longer by, as nodes count.
    #[inline(never)]
    fn penalty(&self, at: &Expansion<W>, slot: usize) -> u64 {
        let Some(penalties) = self.request.penalties else { return 0 };
        let step = self.step(at, slot);
        let ticks = (at.word.cost(slot, self.costs) >> Node::COST_SHIFT) as u32;
        let (from, to) = (CellXY::new(at.x, at.y), CellXY::new(at.x + step.dx, at.y + step.dy));
        u64::from(penalties.ticks(from, to, ticks).min(penalties.most())) << Node::COST_SHIFT
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
