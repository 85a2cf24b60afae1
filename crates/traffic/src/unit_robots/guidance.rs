//! Guidance: costs of steps beyond their tick, so that opposite flows keep apart and robots avoid jams.
//!
//! Each step is counted where it is made, and each tick in which a robot waits; counts fade gradually. A step against
//! the flow costs more, and so does a step out of a cell in which robots wait. Later fields lead around both, and a
//! small lead of one direction grows into a lane. (Guided PIBT, Chen et al., AAAI 2024. Its costs grow with contraflow
//! and crowding, too.)

use super::unit_map::{BLOCKED, UnitMap};
use crate::clone_fields::clone_fields;
use crate::params::TrafficParams;

/// The flow of robots and the costs of steps that follow from it.
#[derive(Debug)]
pub(super) struct Guidance {
    /// Steps made from each free cell at each heading, fading.
    pub flow: Vec<[u32; 4]>,
    /// Ticks waited in each free cell, fading.
    pub waiting: Vec<u32>,
    /// The step that leads to each free cell at each heading: the cell it comes from `<< STEP_BITS`, and its cost in
    /// ticks. [`NO_STEP`] where there is none.
    pub steps_to: Vec<[u32; 4]>,
}

/// Bits for the cost of a step.
pub(super) const STEP_BITS: u32 = 4;
/// The step where there is none.
pub(super) const NO_STEP: u32 = u32::MAX;

clone_fields!(Guidance { flow, waiting, steps_to });

impl Guidance {
    /// Highest cost of a step.
    pub const STEP_MAX: u32 = (1 << STEP_BITS) - 1;
    /// Unit of the counts, so that they fade in fractions.
    const ONE: u32 = 1 << 8;

    /// A map without flow.
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

    /// The step that leads to a free cell at a heading: the cell it comes from `<< STEP_BITS`, and its cost;
    /// [`NO_STEP`] if there is none.
    #[inline]
    pub fn step_to(&self, number: u32, heading: u32) -> u32 {
        self.steps_to[number as usize][heading as usize]
    }

    /// Counts a step from a cell.
    pub fn count(&mut self, number: u32, heading: u8) {
        let flow = &mut self.flow[number as usize][usize::from(heading)];
        *flow = flow.saturating_add(Self::ONE);
    }

    /// Counts a tick that a robot waits in a cell.
    pub fn count_waiting(&mut self, number: u32) {
        let waiting = &mut self.waiting[number as usize];
        *waiting = waiting.saturating_add(Self::ONE);
    }

    /// Sets the costs of steps by the present flow of this many robots.
    pub fn set_step_costs(&mut self, robots: usize, params: &TrafficParams) {
        let of_cells =
            params.robot_still_of_cells as usize * Self::ONE as usize * self.flow.len() / robots.max(1);
        let least = (params.robot_still_min * Self::ONE) as usize;
        let most = (params.robot_still_max * Self::ONE) as usize;
        let still = of_cells.min(most).max(least) as u64;
        let [against_ticks, wait_ticks] =
            [params.robot_against_ticks, params.robot_wait_ticks].map(u64::from);
        let Self { flow, waiting, steps_to } = self;
        for (number, steps) in steps_to.iter_mut().enumerate() {
            for (heading, step) in steps.iter_mut().enumerate().filter(|(_, step)| **step != NO_STEP) {
                let behind = (*step >> STEP_BITS) as usize;
                let with = u64::from(flow[behind][heading]);
                let against = u64::from(flow[number][(heading + 2) % 4]);
                let lead = against.saturating_sub(with);
                // Rounded to whole ticks.
                let more = (2 * against_ticks * lead / (with + against + still)).div_ceil(2);
                let steps: u64 = flow[behind].iter().copied().map(u64::from).sum();
                let waits = wait_ticks * u64::from(waiting[behind]) / (steps + still);
                let more = more + waits.min(u64::from(params.robot_wait_ticks_max));
                *step =
                    *step >> STEP_BITS << STEP_BITS | (1 + more.min(u64::from(Self::STEP_MAX) - 1) as u32);
            }
        }
    }

    /// Fades all counts.
    pub fn fade(&mut self, params: &TrafficParams) {
        for count in self.flow.as_flattened_mut().iter_mut().chain(&mut self.waiting) {
            *count = *count / 4 * params.robot_fade_quarters;
        }
    }

    /// The state on which later ticks depend, for the state hash.
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
