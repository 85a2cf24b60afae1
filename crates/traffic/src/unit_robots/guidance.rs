//! Guidance: what a step costs beyond its tick, so that robots going opposite ways keep apart and none goes
//! where all stand.
//!
//! Each step is counted where it is made, and each tick in which a robot waits; what is old is forgotten by
//! and by. A step against the stream costs more, and so does one out of a cell in which robots wait for it;
//! fields made from then on lead around both, and what was a small lead of one direction becomes a lane (as
//! in Guided PIBT: Chen et al., AAAI 2024, whose costs grow with contraflow and crowding too).

use super::unit_map::{BLOCKED, UnitMap};

/// Streams and what they make steps cost.
#[derive(Debug)]
pub(super) struct Guidance {
    /// Steps made from each free cell at each heading, the older the less.
    flow: Vec<[u32; 4]>,
    /// Ticks waited in each free cell, the older the less.
    waiting: Vec<u32>,
    /// The steps that lead to each free cell at each heading: the cell they come from `<< STEP_BITS`, and
    /// what they cost in ticks; [`NO_STEP`] where there is none.
    steps_to: Vec<[u32; 4]>,
}

/// Bits for what a step costs.
pub(super) const STEP_BITS: u32 = 4;
/// No step leads there.
pub(super) const NO_STEP: u32 = u32::MAX;

impl Guidance {
    /// Most that a step may cost.
    pub const STEP_MAX: u32 = (1 << STEP_BITS) - 1;
    /// Ticks that a step against a stream that is all one way costs more.
    const AGAINST: u32 = 8;
    /// Ticks that a step costs more for each tick that a robot waits for it, and at most.
    const FOR_WAITING: u32 = 8;
    const FOR_WAITING_MAX: u32 = 12;
    /// Steps that no stream is made of: so many for as many cells a robot, within bounds. The more room there
    /// is, the less it matters to go against a few.
    const STILL_OF_CELLS: usize = 2 << 8;
    const STILL_LEAST: usize = 4 << 8;
    const STILL_MOST: usize = 16 << 8;

    /// A map without streams.
    pub fn new(map: &UnitMap) -> Self {
        let step_to = |number, heading| match map.behind(number, heading) {
            BLOCKED => NO_STEP,
            behind => behind << STEP_BITS | 1,
        };
        let steps_to = |number| std::array::from_fn(|heading| step_to(number, heading as u32));
        Self {
            flow: vec![[0; 4]; map.n_free()],
            waiting: vec![0; map.n_free()],
            steps_to: (0..map.n_free() as u32).map(steps_to).collect(),
        }
    }

    /// The step that leads to a free cell at a heading: the cell it comes from `<< STEP_BITS`, and what it
    /// costs; [`NO_STEP`] if there is none.
    #[inline]
    pub fn step_to(&self, number: u32, heading: u32) -> u32 {
        self.steps_to[number as usize][heading as usize]
    }

    /// Counts a step.
    pub fn count(&mut self, number: u32, heading: u8) {
        let flow = &mut self.flow[number as usize][usize::from(heading)];
        *flow = flow.saturating_add(1 << 8);
    }

    /// Counts a tick that a robot waits.
    pub fn count_waiting(&mut self, number: u32) {
        let waiting = &mut self.waiting[number as usize];
        *waiting = waiting.saturating_add(1 << 8);
    }

    /// Sets what steps cost by the streams as they are, for so many robots.
    pub fn follow_streams(&mut self, robots: usize) {
        let still = (Self::STILL_OF_CELLS * self.flow.len() / robots.max(1))
            .clamp(Self::STILL_LEAST, Self::STILL_MOST) as u32;
        let Self { flow, waiting, steps_to } = self;
        for (number, steps) in steps_to.iter_mut().enumerate() {
            for (heading, step) in steps.iter_mut().enumerate().filter(|(_, step)| **step != NO_STEP) {
                let behind = (*step >> STEP_BITS) as usize;
                let with = flow[behind][heading];
                let against = flow[number][(heading + 2) % 4];
                let lead = against.saturating_sub(with);
                // Rounded to whole ticks.
                let more = (2 * Self::AGAINST * lead / (with + against + still)).div_ceil(2);
                let steps: u32 = flow[behind].iter().sum();
                let waits = Self::FOR_WAITING * waiting[behind] / (steps + still);
                let more = more + waits.min(Self::FOR_WAITING_MAX);
                *step = *step >> STEP_BITS << STEP_BITS | (1 + more.min(Self::STEP_MAX - 1));
            }
        }
    }

    /// Old steps and ticks count less.
    pub fn fade(&mut self) {
        for count in self.flow.as_flattened_mut().iter_mut().chain(&mut self.waiting) {
            *count = *count / 4 * 3;
        }
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        for (of_cell, &waiting) in self.flow.iter().zip(&self.waiting) {
            if *of_cell != [0; 4] || waiting != 0 {
                word(u64::from(of_cell[0]) << 32 | u64::from(of_cell[1]));
                word(u64::from(of_cell[2]) << 32 | u64::from(of_cell[3]));
                word(u64::from(waiting));
            }
        }
    }
}
