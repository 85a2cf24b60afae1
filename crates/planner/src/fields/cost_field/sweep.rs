//! Dijkstra's search in order of cost without an open list, for classes whose moves take few times.
//!
//! The states of cost `c` are those that a move of `t` ticks leads to from the states of cost `c - t`, for
//! each `t`, and that are not reached yet. The settled states stand in a list in order of cost; for each time
//! that a move takes, a queue goes through that list as far behind as the time says (the buckets of Dial
//! 1969, turned round: nothing is put where it belongs, everything is fetched when it is due). So a state
//! enters the list once, at its final cost, and without a branch. Moves of other times (slow terrain, slopes,
//! classes with many times) go through a [`Frontier`].

use super::arcs::{Arcs, Graph};
use super::frontier::{Block, Frontier};
use crate::fields::cost_field::support::{UNREACHED, least_support};
use crate::model::lattice::Lattice;
use crate::model::outcome::COST_MAX;
use crate::tables::layouts::with_layout;
use crate::tables::{MoveWord, MovementTables};
use std::ops::Range;

/// Queues of a plan at most. Each goes through all states, so many cost more than the frontier does.
const QUEUES_MAX: usize = 4;

/// A word whose lanes are compared without taking them apart.
pub(crate) trait SlotBits: MoveWord {
    /// Whether it can be.
    const PACKED: bool;
    /// The word as a number, 0 where it cannot.
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

/// Whether some lane holds a code other than 0 and that of the pattern.
#[inline(always)]
fn strays<W: SlotBits>(word: u64, pattern: u64) -> bool {
    if !W::PACKED {
        return true;
    }
    // Bits of a lane are 2 or 4: each spread over its lane.
    let held = match W::BITS {
        2 => ((word | word >> 1) & (!0 / 3)) * 3,
        _ => {
            let pairs = word | word >> 1;
            ((pairs | pairs >> 2) & (!0 / 15)) * 15
        }
    };
    held & pattern != word
}

/// A move as a queue sees it.
#[derive(Clone, Copy, Debug)]
struct DueArc {
    /// The lane's bits in the word, and what they are where the move takes the queue's time.
    mask: u64,
    value: u64,
    delta: i32,
    slot: u8,
    primitive: u8,
    /// Frame of the state at the other end.
    frame: u8,
}

/// Fills up a frame with fewer moves than others; never legal.
const NO_ARC: DueArc = DueArc { mask: 0, value: !0, delta: 0, slot: 0, primitive: 0, frame: 0 };

/// The moves of one time.
#[derive(Clone, Debug)]
struct Queue {
    ticks: u32,
    /// `[frame * stride + n]`.
    arcs: Vec<DueArc>,
    stride: usize,
}

/// Which moves each queue sees to: of a class, in one direction.
#[derive(Clone, Debug)]
pub(crate) struct SweepPlan {
    /// The least time last: its queue counts expansions and may be stopped amid a cost.
    queues: Vec<Queue>,
    /// The codes that queues expect in a word.
    pattern: u64,
    own_word: bool,
}

impl SweepPlan {
    pub fn of(tables: &MovementTables, arcs: &Arcs) -> Self {
        with_layout!(&tables.graph.layouts, layout => Self::of_words(tables, arcs, &layout.words))
    }

    fn of_words<W: SlotBits>(tables: &MovementTables, arcs: &Arcs, _: &[W]) -> Self {
        let frames = usize::from(tables.space().n_frames());
        // On flat ground the greatest code is that of the fastest ground, which most cells are.
        let fast = |primitive: u8| {
            let first = usize::from(primitive) << W::BITS;
            let times = tables.graph.times.get(first..first + (1 << W::BITS)).filter(|_| W::PACKED)?;
            let code = times.iter().rposition(|&ticks| ticks != 0).filter(|_| !tables.is_sloped())?;
            // Where slower ground takes no more time, two codes would be due at once.
            (!times[..code].contains(&times[code])).then_some((code as u64, times[code]))
        };
        let all = || (0..frames).flat_map(|frame| arcs.of_frame(frame));
        let mut ticks: Vec<u32> = all().filter_map(|arc| Some(fast(arc.primitive)?.1)).collect();
        ticks.sort_unstable();
        ticks.dedup();
        ticks.truncate(QUEUES_MAX);
        if all().any(|arc| fast(arc.primitive).is_none()) || ticks.is_empty() {
            // Due at once: everything goes through the frontier.
            ticks = vec![0];
        }
        ticks.reverse();
        // The greatest that is not too late.
        let queue_of = |primitive: u8| {
            let own = fast(primitive).map_or(0, |(_, ticks)| ticks);
            ticks.iter().position(|&ticks| ticks <= own).unwrap_or(ticks.len() - 1)
        };
        let (mut pattern, mut late) = (0, 0);
        let queues = ticks.iter().enumerate().map(|(number, &ticks)| {
            let mut of_frames: Vec<Vec<DueArc>> = Vec::new();
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
                        DueArc {
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
            of_frames.iter_mut().for_each(|arcs| arcs.resize(stride, NO_ARC));
            Queue { ticks, arcs: of_frames.concat(), stride }
        });
        let queues = queues.collect();
        Self { queues, pattern: pattern & !late, own_word: arcs.own_word() }
    }

    pub fn n_queues(&self) -> usize {
        self.queues.len()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.queues.iter().map(|queue| queue.arcs.capacity() * size_of::<DueArc>()).sum()
    }
}

/// States of one cost: from `start` in the list to where the next begin.
#[derive(Clone, Copy, Debug)]
struct Run {
    cost: u32,
    start: u32,
}

/// How far a queue has come: the run, and the place in the list within it.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    run: usize,
    at: usize,
}

/// The settled states that some move still leads on from, in order of cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    /// The list, and room above it.
    states: Vec<u32>,
    n_states: usize,
    runs: Vec<Run>,
    places: [Place; QUEUES_MAX],
}

/// Room in the list that is given back only if it is most of it.
const PASSED_MAX: usize = 4096;

impl Sweep {
    /// Empties it.
    pub fn clear(&mut self) {
        self.n_states = 0;
        self.runs.clear();
        self.places = [Place::default(); QUEUES_MAX];
    }

    /// All in the list: where nothing was passed, all that were ever settled.
    pub fn states(&self) -> &[u32] {
        &self.states[..self.n_states]
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        4 * self.states.capacity() + size_of::<Run>() * self.runs.capacity()
    }

    /// Whether no queue has anything left.
    pub fn is_empty(&self, plan: &SweepPlan) -> bool {
        self.places[..plan.queues.len()].iter().all(|place| place.run == self.runs.len())
    }

    /// The least cost at which something is due to a queue.
    fn least_due(&self, plan: &SweepPlan) -> Option<u64> {
        let due = plan.queues.iter().zip(&self.places).filter_map(|(queue, place)| {
            Some(u64::from(self.runs.get(place.run)?.cost) + u64::from(queue.ticks))
        });
        due.min()
    }

    /// What is left of a run for the queue that is there.
    fn rest_of_run(&self, place: Place) -> Range<usize> {
        let end = self.runs.get(place.run + 1).map_or(self.n_states, |next| next.start as usize);
        place.at..end
    }

    fn push(&mut self, state: u32) {
        if self.n_states == self.states.len() {
            self.states.resize((2 * self.n_states).max(256), 0);
        }
        self.states[self.n_states] = state;
        self.n_states += 1;
    }

    /// Begins a run, or goes on with the last one.
    fn begin_run(&mut self, cost: u32) {
        if self.runs.last().is_none_or(|last| last.cost != cost) {
            // Queues that have passed all wait at its start already.
            self.runs.push(Run { cost, start: self.n_states as u32 });
            for place in &mut self.places {
                if place.run + 1 == self.runs.len() {
                    place.at = self.n_states;
                }
            }
        }
    }

    fn run_start(&self) -> usize {
        self.runs.last().map_or(0, |run| run.start as usize)
    }

    /// Takes the last run away if nothing came of it.
    fn end_run(&mut self) {
        if self.run_start() == self.n_states {
            self.runs.pop();
        }
    }

    /// Forgets the states that all queues have passed, once they are most of the list.
    fn drop_passed(&mut self, n_queues: usize) {
        let Some(first) = self.places[..n_queues].iter().map(|place| place.run).min() else { return };
        let passed = self.runs.get(first).map_or(self.n_states, |run| run.start as usize);
        if passed < PASSED_MAX || passed < self.n_states / 2 {
            return;
        }
        self.states.copy_within(passed..self.n_states, 0);
        self.n_states -= passed;
        self.runs.copy_within(first.., 0);
        self.runs.truncate(self.runs.len() - first);
        self.runs.iter_mut().for_each(|run| run.start -= passed as u32);
        for place in &mut self.places[..n_queues] {
            place.run -= first;
            place.at = place.at.saturating_sub(passed);
        }
    }
}

/// What a search does with the states that it comes to.
pub(crate) trait Task<W: SlotBits, L: Lattice> {
    /// Whether states lose their costs, in order of those, instead of getting them.
    const DROPS: bool = false;
    /// Of a search that drops: whether something else gives a state its cost.
    fn is_supported(&self, _graph: &Graph<'_, W, L>, _costs: &[u32], _state: u32, _cost: u32) -> bool {
        false
    }
    /// All states of a cost are settled.
    fn settled(&mut self, _graph: &Graph<'_, W, L>, _costs: &[u32], _states: &[u32]) {}
}

/// How a search came to stop.
pub(crate) enum Stopped {
    /// Nothing of at most the last cost is left.
    Done,
    Budget,
}

/// The arrays of a search.
pub(crate) struct Search<'a, W: SlotBits, L: Lattice> {
    pub graph: Graph<'a, W, L>,
    pub plan: &'a SweepPlan,
    pub costs: &'a mut [u32],
    pub sweep: &'a mut Sweep,
    /// States that have a cost that they do not keep if a lesser one turns up.
    pub frontier: &'a mut Frontier,
    /// All states of at most this cost are settled.
    pub radius: &'a mut u32,
}

impl<W: SlotBits, L: Lattice> Search<'_, W, L> {
    /// Settles all states of at most `last`, at most `expansions` of them, until `stop` says so between two
    /// costs. Returns the expansions too.
    pub fn run<T: Task<W, L>>(
        &mut self,
        task: &mut T,
        last: u32,
        expansions: u64,
        stop: impl Fn(&[u32], u32) -> bool,
    ) -> (Stopped, u64) {
        let mut left = expansions;
        loop {
            if stop(self.costs, *self.radius) {
                return (Stopped::Done, expansions - left);
            }
            let due = self.sweep.least_due(self.plan).unwrap_or(u64::MAX);
            let waiting = self.frontier.least().map_or(u64::MAX, u64::from);
            let speed_class = due.min(waiting);
            if speed_class > u64::from(last) {
                if speed_class > u64::from(COST_MAX) && !T::DROPS {
                    // Nobody follows what costs more.
                    self.sweep.clear();
                }
                *self.radius = last.max(*self.radius);
                return (Stopped::Done, expansions - left);
            }
            self.sweep.begin_run(speed_class as u32);
            self.frontier.advance_to(speed_class as u32);
            if waiting == speed_class {
                self.take_from_frontier(speed_class as u32);
            }
            if !self.settle_cost(task, speed_class as u32, &mut left) {
                // Not all of this cost are found.
                *self.radius = (speed_class as u32).saturating_sub(1).max(*self.radius);
                return (Stopped::Budget, expansions);
            }
        }
    }

    /// All states of one cost; `false` if the budget was spent first.
    fn settle_cost<T: Task<W, L>>(&mut self, task: &mut T, speed_class: u32, left: &mut u64) -> bool {
        let n_queues = self.plan.queues.len();
        for number in 0..n_queues {
            let queue = &self.plan.queues[number];
            if queue.ticks == 0 {
                self.finish_cost(task, speed_class);
            }
            let place = self.sweep.places[number];
            let run = self.sweep.runs.get(place.run);
            if run.is_none_or(|run| u64::from(run.cost) + u64::from(queue.ticks) != u64::from(speed_class)) {
                continue;
            }
            let rest = self.sweep.rest_of_run(place);
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
                true => self.visit::<T, true>(number, part.clone(), speed_class),
                false => self.visit::<T, false>(number, part.clone(), speed_class),
            }
            if part.end < rest.end {
                self.sweep.places[number].at = part.end;
                return false;
            }
            self.sweep.places[number] = Place { run: place.run + 1, at: rest.end };
        }
        if self.plan.queues[n_queues - 1].ticks != 0 {
            self.finish_cost(task, speed_class);
        }
        self.sweep.end_run();
        if !T::DROPS {
            self.sweep.drop_passed(n_queues);
        }
        true
    }

    /// Takes what waits in the frontier with its final cost.
    fn take_from_frontier(&mut self, speed_class: u32) {
        let mut block: Block = [0; _];
        while self.frontier.least() == Some(speed_class) {
            let Some((_, n)) = self.frontier.pop_block(&mut block) else { break };
            for &state in &block[..n] {
                if self.costs[state as usize] == speed_class {
                    self.sweep.push(state);
                }
            }
        }
    }

    /// All states of a cost are found.
    fn finish_cost<T: Task<W, L>>(&mut self, task: &mut T, speed_class: u32) {
        let start = self.sweep.run_start();
        let Sweep { states, n_states, .. } = &mut *self.sweep;
        if T::DROPS {
            let mut kept = start;
            for at in start..*n_states {
                let state = states[at];
                // One that is here a second time has lost its cost already.
                if self.costs[state as usize] == speed_class
                    && !task.is_supported(&self.graph, self.costs, state, speed_class)
                {
                    self.costs[state as usize] = UNREACHED;
                    states[kept] = state;
                    kept += 1;
                }
            }
            *n_states = kept;
        } else {
            *self.radius = speed_class.max(*self.radius);
            task.settled(&self.graph, self.costs, &states[start..*n_states]);
        }
    }

    /// Comes from part of a run to the states of cost `speed_class`.
    #[inline(never)]
    fn visit<T: Task<W, L>, const OWN: bool>(&mut self, number: usize, part: Range<usize>, speed_class: u32) {
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
            let arcs = &queue.arcs[graph.lattice.frame(state) * stride..][..stride];
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
                // An arc that is not due leads to the state itself, which has less already.
                let next = state.wrapping_add_signed(if is_due { arc.delta } else { 0 }) as usize;
                let known = costs[next];
                let comes = if T::DROPS { known == speed_class && is_due } else { speed_class < known };
                if !T::DROPS {
                    costs[next] = known.min(speed_class);
                }
                states[n] = next as u32;
                n += usize::from(comes);
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
                    (state, speed_class - queue.ticks),
                );
            }
        }
        sweep.n_states = n;
    }
}

/// Gives what the queues have left to the frontier: the states that a move still leads to, with the costs
/// that those give them. States whose cost is not settled yet go there themselves.
///
/// `spread` is collected from the tables as they are now, which an edit may have changed since: a move that
/// it made quicker may lead to less than the radius, and such states are for the repair to find.
pub(crate) fn unwind<W: SlotBits, L: Lattice>(
    graph: &Graph<'_, W, L>,
    spread: &Arcs,
    (sweep, n_queues): (&mut Sweep, usize),
    costs: &mut [u32],
    frontier: &mut Frontier,
    radius: u32,
) {
    // From the queue that is farthest behind: what the others have seen to already changes nothing.
    let first = sweep.places[..n_queues].iter().min_by_key(|place| (place.run, place.at));
    let mut place = first.copied().unwrap_or_default();
    while let Some(&Run { cost, .. }) = sweep.runs.get(place.run) {
        let rest = sweep.rest_of_run(place);
        place = Place { run: place.run + 1, at: rest.end };
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

/// Calls `visit` with the state at the other end of each legal move that a queue sees to, whatever its time,
/// and the cost there.
#[inline(always)]
fn each_arc<W: SlotBits, L: Lattice, const OWN: bool>(
    graph: &Graph<'_, W, L>,
    queue: &Queue,
    (state, cost): (u32, u32),
    mut visit: impl FnMut(u32, u32),
) {
    let frame = graph.lattice.frame(state);
    for arc in &queue.arcs[frame * queue.stride..][..queue.stride] {
        let next = state.wrapping_add_signed(arc.delta);
        let word = match OWN {
            true => graph.words[state as usize],
            false => graph.word_of(next, arc.frame),
        };
        // What fills up a frame has no delta.
        if arc.delta != 0 && word.code(arc.slot as usize) != 0 {
            let ticks = graph.ticks(word, arc.slot, arc.primitive);
            visit(next, cost.saturating_add(ticks));
        }
    }
}

/// The moves of a state whose time is not the queue's.
#[cold]
#[inline(never)]
fn visit_slowly<W: SlotBits, L: Lattice, const OWN: bool>(
    graph: &Graph<'_, W, L>,
    queue: &Queue,
    drops: bool,
    costs: &mut [u32],
    frontier: &mut Frontier,
    (state, cost): (u32, u32),
) {
    let speed_class = cost.saturating_add(queue.ticks);
    each_arc::<W, L, OWN>(graph, queue, (state, cost), |next, reached| {
        let known = &mut costs[next as usize];
        // What is due has been seen to.
        if reached == speed_class {
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

/// Takes their costs from states that nothing supports any more.
pub(crate) struct DropCosts<'a> {
    pub downhill: &'a Arcs,
    pub radius: u32,
}

impl<W: SlotBits, L: Lattice> Task<W, L> for DropCosts<'_> {
    const DROPS: bool = true;

    #[inline(always)]
    fn is_supported(&self, graph: &Graph<'_, W, L>, costs: &[u32], state: u32, cost: u32) -> bool {
        least_support(graph, self.downhill, costs, self.radius, state) <= cost
    }
}
