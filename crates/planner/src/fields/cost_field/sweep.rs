//! Dijkstra's algorithm in order of cost without an open list, for classes whose moves take few distinct times.
//!
//! The states of cost `c` are the unreached ends of moves of `t` ticks from states of cost `c - t`, for each `t`.
//! Settled states form a list in order of cost. For each move time, a queue traverses that list with a lag of that
//! time. (The buckets of Dial 1969 inverted: each state is fetched when it is due, and not inserted where it belongs.)
//! So a state enters the list once, at its final cost, and without a branch. Moves of other times (slow terrain,
//! slopes, classes with many times) go through a [`Frontier`].

use super::arcs::{ArcGraph, Arcs};
use super::frontier::{Block, Frontier};
use crate::fields::cost_field::support::least_support;
use crate::model::outcome::{COST_MAX, Progress, UNREACHED};
use crate::model::state_indexing::StateIndexing;
use crate::tables::layouts::with_layout;
use crate::tables::{MoveWord, MovementTables};
use std::ops::Range;

/// Maximum number of queues. Each traverses all states, so many queues cost more than the frontier.
const QUEUES_MAX: usize = 4;

/// A word whose slots can be compared in packed form.
pub(crate) trait SlotBits: MoveWord {
    /// Whether this is supported.
    const PACKED: bool;
    /// The word as a number; 0 if unsupported.
    fn bits(self) -> u64;
}

macro_rules! packed {
    ($($type:ty),*) => {$(
        impl SlotBits for $type {
            const PACKED: bool = true;
            #[inline(always)]
            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}
packed!(u8, u16, u32, u64);

impl<T, const N: usize> SlotBits for [T; N]
where
    Self: MoveWord,
{
    const PACKED: bool = false;
    fn bits(self) -> u64 {
        0
    }
}

/// Whether any slot holds a code other than 0 and the code of the pattern.
#[inline(always)]
fn strays<W: SlotBits>(word: u64, pattern: u64) -> bool {
    if !W::PACKED {
        return true;
    }
    // Slots have 2 or 4 bits: if any bit of a slot is set, sets all of them.
    let held = match W::BITS {
        2 => ((word | word >> 1) & (!0 / 3)) * 3,
        _ => {
            let pairs = word | word >> 1;
            ((pairs | pairs >> 2) & (!0 / 15)) * 15
        }
    };
    held & pattern != word
}

/// A move as processed by a queue.
#[derive(Clone, Copy, Debug)]
struct QueueArc {
    /// Mask of the slot in the word, and the slot's value if the move takes the queue's time.
    mask: u64,
    value: u64,
    delta: i32,
    slot: u8,
    primitive: u8,
    /// Frame of the state at the other end.
    frame: u8,
}

/// Pads frames to equal length; never legal.
const PADDING_ARC: QueueArc = QueueArc { mask: 0, value: !0, delta: 0, slot: 0, primitive: 0, frame: 0 };

/// The moves of one time.
#[derive(Clone, Debug)]
struct Queue {
    ticks: u32,
    /// `[frame * stride + n]`.
    arcs: Vec<QueueArc>,
    stride: usize,
}

/// Assignment of moves to queues, for a class and direction.
#[derive(Clone, Debug)]
pub(crate) struct SweepPlan {
    /// In descending order of time. The last queue counts expansions and can be interrupted within a cost.
    queues: Vec<Queue>,
    /// The codes that queues expect in a word.
    pattern: u64,
    own_word: bool,
}

impl SweepPlan {
    pub fn of(tables: &MovementTables, arcs: &Arcs) -> Self {
        with_layout!(&tables.graph().layouts, layout => Self::of_words(tables, arcs, &layout.words))
    }

    fn of_words<W: SlotBits>(tables: &MovementTables, arcs: &Arcs, _: &[W]) -> Self {
        let frames = usize::from(tables.space().n_frames());
        // On flat ground the largest code belongs to the fastest ground, which most cells have.
        let fast = |primitive: u8| {
            let first = usize::from(primitive) << W::BITS;
            let times = tables.graph().times.get(first..first + (1 << W::BITS)).filter(|_| W::PACKED)?;
            let code = times.iter().rposition(|&ticks| ticks != 0).filter(|_| !tables.is_sloped())?;
            // If slower ground takes equally long, two codes would be due together.
            (!times[..code].contains(&times[code])).then_some((code as u64, times[code]))
        };
        let all = || (0..frames).flat_map(|frame| arcs.of_frame(frame));
        let mut ticks: Vec<u32> = all().filter_map(|arc| Some(fast(arc.primitive)?.1)).collect();
        ticks.sort_unstable();
        ticks.dedup();
        ticks.truncate(QUEUES_MAX);
        if all().any(|arc| fast(arc.primitive).is_none()) || ticks.is_empty() {
            // Due immediately: everything goes through the frontier.
            ticks = vec![0];
        }
        ticks.reverse();
        // The queue with the greatest time that is not too late.
        let queue_of = |primitive: u8| {
            let own = fast(primitive).map_or(0, |(_, ticks)| ticks);
            ticks.iter().position(|&ticks| ticks <= own).unwrap_or(ticks.len() - 1)
        };
        let (mut pattern, mut late) = (0, 0);
        let queues = ticks.iter().enumerate().map(|(number, &ticks)| {
            let mut of_frames: Vec<Vec<QueueArc>> = Vec::new();
            for frame in 0..frames {
                let own = arcs.of_frame(frame).filter(|arc| queue_of(arc.primitive) == number);
                of_frames.push(
                    own.map(|arc| {
                        let shift = u32::from(arc.slot) * W::BITS;
                        let slot_mask = if W::PACKED { ((1_u64 << W::BITS) - 1) << shift } else { 0 };
                        let code = fast(arc.primitive).filter(|&(_, own)| own == ticks).map(|(code, _)| code);
                        let value = code.map_or(!0, |code| code << shift);
                        match code {
                            Some(_) => pattern |= value,
                            None => late |= slot_mask,
                        }
                        QueueArc {
                            mask: slot_mask,
                            value,
                            delta: arc.delta,
                            slot: arc.slot,
                            primitive: arc.primitive,
                            frame: arc.frame,
                        }
                    })
                    .collect(),
                );
            }
            let stride = of_frames.iter().map(Vec::len).max().unwrap_or(0);
            of_frames.iter_mut().for_each(|arcs| arcs.resize(stride, PADDING_ARC));
            Queue { ticks, arcs: of_frames.concat(), stride }
        });
        let queues = queues.collect();
        Self { queues, pattern: pattern & !late, own_word: arcs.own_word() }
    }

    pub fn n_queues(&self) -> usize {
        self.queues.len()
    }

    /// Time of each queue, in order.
    pub(super) fn queue_ticks(&self) -> impl Iterator<Item = u32> {
        self.queues.iter().map(|queue| queue.ticks)
    }

    /// The queue of a primitive's moves, if it has any.
    pub(super) fn queue_of(&self, primitive: u8) -> Option<usize> {
        let has = |queue: &Queue| queue.arcs.iter().any(|arc| arc.delta != 0 && arc.primitive == primitive);
        self.queues.iter().position(has)
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.queues.iter().map(|queue| queue.arcs.capacity() * size_of::<QueueArc>()).sum()
    }
}

/// The states of one cost: from `start` in the list to the start of the next run.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostRun {
    pub(super) cost: u32,
    pub(super) start: u32,
}

/// Position of a queue: the run, and the list index within it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    pub(super) run: usize,
    pub(super) at: usize,
}

/// Settled states that are still to be expanded by some queue, in order of cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    /// The list, with spare capacity beyond `n_states`.
    pub(super) states: Vec<u32>,
    pub(super) n_states: usize,
    pub(super) runs: Vec<CostRun>,
    pub(super) cursors: [Cursor; QUEUES_MAX],
}

/// Minimum number of processed states that are worth discarding.
const PASSED_MAX: usize = 4096;

impl Sweep {
    /// Empties it.
    pub fn clear(&mut self) {
        self.n_states = 0;
        self.runs.clear();
        self.cursors = [Cursor::default(); QUEUES_MAX];
    }

    /// All listed states. If none were discarded, all states ever settled.
    pub fn states(&self) -> &[u32] {
        &self.states[..self.n_states]
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        4 * self.states.capacity() + size_of::<CostRun>() * self.runs.capacity()
    }

    /// Whether every queue has processed everything.
    pub fn is_empty(&self, plan: &SweepPlan) -> bool {
        self.cursors[..plan.queues.len()].iter().all(|cursor| cursor.run == self.runs.len())
    }

    /// The least cost at which anything is due.
    fn least_due(&self, plan: &SweepPlan) -> Option<u64> {
        let due = plan.queues.iter().zip(&self.cursors).filter_map(|(queue, cursor)| {
            Some(u64::from(self.runs.get(cursor.run)?.cost) + u64::from(queue.ticks))
        });
        due.min()
    }

    /// The rest of a run from a queue's position.
    fn rest_of_run(&self, cursor: Cursor) -> Range<usize> {
        let end = self.runs.get(cursor.run + 1).map_or(self.n_states, |next| next.start as usize);
        cursor.at..end
    }

    fn push(&mut self, state: u32) {
        if self.n_states == self.states.len() {
            self.states.resize((2 * self.n_states).max(256), 0);
        }
        self.states[self.n_states] = state;
        self.n_states += 1;
    }

    /// Begins a run, or continues the last one of equal cost.
    fn begin_run(&mut self, cost: u32) {
        if self.runs.last().is_none_or(|last| last.cost != cost) {
            // Queues that have processed all runs already wait at its start.
            self.runs.push(CostRun { cost, start: self.n_states as u32 });
            for cursor in &mut self.cursors {
                if cursor.run + 1 == self.runs.len() {
                    cursor.at = self.n_states;
                }
            }
        }
    }

    fn run_start(&self) -> usize {
        self.runs.last().map_or(0, |run| run.start as usize)
    }

    /// Removes the last run if it is empty.
    fn end_run(&mut self) {
        if self.run_start() == self.n_states {
            self.runs.pop();
        }
    }

    /// Discards states that all queues have processed, once they are most of the list.
    fn drop_passed(&mut self, n_queues: usize) {
        let Some(first) = self.cursors[..n_queues].iter().map(|cursor| cursor.run).min() else { return };
        let passed = self.runs.get(first).map_or(self.n_states, |run| run.start as usize);
        if passed < PASSED_MAX || passed < self.n_states / 2 {
            return;
        }
        self.states.copy_within(passed..self.n_states, 0);
        self.n_states -= passed;
        self.runs.copy_within(first.., 0);
        self.runs.truncate(self.runs.len() - first);
        self.runs.iter_mut().for_each(|run| run.start -= passed as u32);
        for cursor in &mut self.cursors[..n_queues] {
            cursor.run -= first;
            cursor.at = cursor.at.saturating_sub(passed);
        }
    }
}

/// Processing of visited states.
pub(crate) trait SweepTask<W: SlotBits, L: StateIndexing> {
    /// Whether states lose their costs, in order of cost, instead of gaining them.
    const DROPS: bool = false;
    /// When dropping costs: whether a state's cost is supported otherwise.
    fn is_supported(&self, _graph: &ArcGraph<'_, W, L>, _costs: &[u32], _state: u32, _cost: u32) -> bool {
        false
    }
    /// Called when all states of a cost are settled.
    fn settled(&mut self, _graph: &ArcGraph<'_, W, L>, _costs: &[u32], _states: &[u32]) {}
}

/// The arrays of a search.
pub(crate) struct FieldSearch<'a, W: SlotBits, L: StateIndexing> {
    pub graph: ArcGraph<'a, W, L>,
    pub plan: &'a SweepPlan,
    pub costs: &'a mut [u32],
    pub sweep: &'a mut Sweep,
    /// States with tentative costs.
    pub frontier: &'a mut Frontier,
    /// All states of at most this cost are settled.
    pub radius: &'a mut u32,
}

impl<W: SlotBits, L: StateIndexing> FieldSearch<'_, W, L> {
    /// Settles all states of at most `last`, at most `expansions` of them, until `stop` returns true between
    /// two costs. Also returns the number of expansions.
    pub fn run<T: SweepTask<W, L>>(
        &mut self,
        task: &mut T,
        last: u32,
        expansions: u64,
        stop: impl Fn(&[u32], u32) -> bool,
    ) -> (Progress, u64) {
        let mut left = expansions;
        loop {
            if stop(self.costs, *self.radius) {
                return (Progress::Done, expansions - left);
            }
            let due = self.sweep.least_due(self.plan).unwrap_or(u64::MAX);
            let waiting = self.frontier.least().map_or(u64::MAX, u64::from);
            let due_cost = due.min(waiting);
            if due_cost > u64::from(last) {
                if due_cost > u64::from(COST_MAX) && !T::DROPS {
                    // Costs beyond the maximum are not followed.
                    self.sweep.clear();
                }
                *self.radius = last.max(*self.radius);
                return (Progress::Done, expansions - left);
            }
            self.sweep.begin_run(due_cost as u32);
            self.frontier.advance_to(due_cost as u32);
            if waiting == due_cost {
                self.take_from_frontier(due_cost as u32);
            }
            if !self.settle_cost(task, due_cost as u32, &mut left) {
                // Not all states of this cost are found.
                *self.radius = (due_cost as u32).saturating_sub(1).max(*self.radius);
                return (Progress::Running, expansions);
            }
        }
    }

    /// Processes one cost; `false` if the budget was spent first.
    fn settle_cost<T: SweepTask<W, L>>(&mut self, task: &mut T, due_cost: u32, left: &mut u64) -> bool {
        let n_queues = self.plan.queues.len();
        for number in 0..n_queues {
            let queue = &self.plan.queues[number];
            if queue.ticks == 0 {
                self.finish_cost(task, due_cost);
            }
            let cursor = self.sweep.cursors[number];
            let run = self.sweep.runs.get(cursor.run);
            if run.is_none_or(|run| u64::from(run.cost) + u64::from(queue.ticks) != u64::from(due_cost)) {
                continue;
            }
            let rest = self.sweep.rest_of_run(cursor);
            if rest.is_empty() {
                continue;
            }
            let mut part = rest.clone();
            if number + 1 == n_queues {
                part.end =
                    part.end.min(part.start.saturating_add(usize::try_from(*left).unwrap_or(usize::MAX)));
                *left -= part.len() as u64;
            }
            match self.plan.own_word {
                true => self.visit::<T, true>(number, part.clone(), due_cost),
                false => self.visit::<T, false>(number, part.clone(), due_cost),
            }
            if part.end < rest.end {
                self.sweep.cursors[number].at = part.end;
                return false;
            }
            self.sweep.cursors[number] = Cursor { run: cursor.run + 1, at: rest.end };
        }
        if self.plan.queues[n_queues - 1].ticks != 0 {
            self.finish_cost(task, due_cost);
        }
        self.sweep.end_run();
        if !T::DROPS {
            self.sweep.drop_passed(n_queues);
        }
        true
    }

    /// Takes the states of final cost from the frontier.
    fn take_from_frontier(&mut self, due_cost: u32) {
        let mut block: Block = [0; _];
        while self.frontier.least() == Some(due_cost) {
            let Some((_, n)) = self.frontier.pop_block(&mut block) else { break };
            for &state in &block[..n] {
                if self.costs[state as usize] == due_cost {
                    self.sweep.push(state);
                }
            }
        }
    }

    /// Called when all states of a cost are found.
    fn finish_cost<T: SweepTask<W, L>>(&mut self, task: &mut T, due_cost: u32) {
        let start = self.sweep.run_start();
        let Sweep { states, n_states, .. } = &mut *self.sweep;
        if T::DROPS {
            let mut kept = start;
            for at in start..*n_states {
                let state = states[at];
                // A repeated state has already lost its cost.
                if self.costs[state as usize] == due_cost
                    && !task.is_supported(&self.graph, self.costs, state, due_cost)
                {
                    self.costs[state as usize] = UNREACHED;
                    states[kept] = state;
                    kept += 1;
                }
            }
            *n_states = kept;
        } else {
            *self.radius = due_cost.max(*self.radius);
            task.settled(&self.graph, self.costs, &states[start..*n_states]);
        }
    }

    /// Expands part of a run to the states of cost `due_cost`.
    #[inline(never)]
    fn visit<T: SweepTask<W, L>, const OWN: bool>(
        &mut self,
        number: usize,
        part: Range<usize>,
        due_cost: u32,
    ) {
        let Self { graph, plan, costs, sweep, frontier, .. } = self;
        let queue = &plan.queues[number];
        let stride = queue.stride;
        let mut n = sweep.n_states;
        let room = n + part.len() * stride + 1;
        if sweep.states.len() < room {
            sweep.states.resize(room.next_power_of_two(), 0);
        }
        let states = &mut sweep.states[..];
        for at in part {
            let state = states[at];
            let own = if OWN { graph.words[state as usize] } else { W::default() };
            let arcs = &queue.arcs[graph.indexing.frame(state) * stride..][..stride];
            let mut stray = queue.ticks == 0;
            for arc in arcs {
                let word = match OWN {
                    true => own.bits(),
                    false => {
                        let before = state.wrapping_add_signed(arc.delta);
                        graph.word_of(before, arc.frame).bits()
                    }
                };
                let code = word & arc.mask;
                let is_due = code == arc.value;
                if !OWN {
                    stray |= code != 0 && !is_due;
                }
                // An arc that is not due leads to the state itself, whose cost is lower.
                let next = state.wrapping_add_signed(if is_due { arc.delta } else { 0 }) as usize;
                let known = costs[next];
                let is_new = if T::DROPS { known == due_cost && is_due } else { due_cost < known };
                if !T::DROPS {
                    costs[next] = known.min(due_cost);
                }
                states[n] = next as u32;
                n += usize::from(is_new);
            }
            if OWN {
                stray = strays::<W>(own.bits(), plan.pattern);
            }
            if stray {
                visit_slowly::<W, L, OWN>(
                    graph,
                    queue,
                    T::DROPS,
                    costs,
                    frontier,
                    StateCost { state, cost: due_cost - queue.ticks },
                );
            }
        }
        sweep.n_states = n;
    }
}

/// Transfers the pending work of the queues to the frontier: the states at the ends of pending moves, with the
/// resulting costs. Unsettled states are pushed themselves.
///
/// `spread` reflects the current tables, possibly after an edit. A move that became faster may lead to a cost below the
/// radius. Such states are left to the repair.
pub(crate) fn unwind<W: SlotBits, L: StateIndexing>(
    graph: &ArcGraph<'_, W, L>,
    spread: &Arcs,
    (sweep, n_queues): (&mut Sweep, usize),
    costs: &mut [u32],
    frontier: &mut Frontier,
    radius: u32,
) {
    // From the queue that is farthest behind; for work already done by the others this has no effect.
    let first = sweep.cursors[..n_queues].iter().min_by_key(|cursor| (cursor.run, cursor.at));
    let mut cursor = first.copied().unwrap_or_default();
    while let Some(&CostRun { cost, .. }) = sweep.runs.get(cursor.run) {
        let rest = sweep.rest_of_run(cursor);
        cursor = Cursor { run: cursor.run + 1, at: rest.end };
        for &state in &sweep.states[rest] {
            if cost > radius {
                frontier.push(cost, state);
                continue;
            }
            graph.each(spread, state, |next, ticks, _| {
                let reached = cost.saturating_add(ticks);
                let known = &mut costs[next as usize];
                if reached > radius && reached < *known {
                    *known = reached;
                    frontier.push(reached, next);
                }
            });
        }
    }
    sweep.clear();
}

/// A state that is expanded, and its cost.
#[derive(Clone, Copy)]
struct StateCost {
    state: u32,
    cost: u32,
}

/// Calls `visit` with the state at the other end of each legal move of a queue, whatever its time, and the cost
/// there.
#[inline(always)]
fn each_arc<W: SlotBits, L: StateIndexing, const OWN: bool>(
    graph: &ArcGraph<'_, W, L>,
    queue: &Queue,
    StateCost { state, cost }: StateCost,
    mut visit: impl FnMut(u32, u32),
) {
    let frame = graph.indexing.frame(state);
    for arc in &queue.arcs[frame * queue.stride..][..queue.stride] {
        let next = state.wrapping_add_signed(arc.delta);
        let word = match OWN {
            true => graph.words[state as usize],
            false => graph.word_of(next, arc.frame),
        };
        // Padding arcs have no delta.
        if arc.delta != 0 && word.code(arc.slot as usize) != 0 {
            let ticks = graph.ticks(word, arc.slot, arc.primitive);
            visit(next, cost.saturating_add(ticks));
        }
    }
}

/// Expands the moves of a state whose time differs from the queue's.
#[cold]
#[inline(never)]
fn visit_slowly<W: SlotBits, L: StateIndexing, const OWN: bool>(
    graph: &ArcGraph<'_, W, L>,
    queue: &Queue,
    drops: bool,
    costs: &mut [u32],
    frontier: &mut Frontier,
    from: StateCost,
) {
    let due_cost = from.cost.saturating_add(queue.ticks);
    each_arc::<W, L, OWN>(graph, queue, from, |next, reached| {
        let known = &mut costs[next as usize];
        // Moves that are due have been processed.
        if reached == due_cost {
            return;
        }
        if drops {
            if *known == reached && reached != UNREACHED {
                frontier.push(reached, next);
            }
        } else if reached < *known {
            *known = reached;
            frontier.push(reached, next);
        }
    });
}

/// Removes the costs of states that are no longer supported.
pub(crate) struct DropCosts<'a> {
    pub downhill: &'a Arcs,
    pub radius: u32,
}

impl<W: SlotBits, L: StateIndexing> SweepTask<W, L> for DropCosts<'_> {
    const DROPS: bool = true;

    #[inline(always)]
    fn is_supported(&self, graph: &ArcGraph<'_, W, L>, costs: &[u32], state: u32, cost: u32) -> bool {
        least_support(graph, self.downhill, costs, self.radius, state) <= cost
    }
}
