//! The state of the rule: who owns which array.

use crate::params::TrafficParams;
use crate::random::Random;
use crate::unit_robots::guidance::Guidance;
use crate::unit_robots::operations::Operations;
use crate::unit_robots::pursuers::Crowd;
use crate::unit_robots::push_search::Push;
use crate::unit_robots::team::{Link, RING, Team};
use crate::unit_robots::unit_fields::{UnitFields, Wanted};
use crate::unit_robots::unit_map::UnitMap;

/// The rule. Memory: 16 bytes a cell, 2 bytes a free cell for each goal in use, about 500 bytes a robot.
#[derive(Debug)]
pub struct UnitRobots {
    pub(super) params: TrafficParams,
    pub(super) map: UnitMap,
    pub(super) operations: Operations,
    /// Number of the primitive of each action but waiting.
    pub(super) primitives: [u8; 3],
    pub(super) fields: UnitFields,
    pub(super) guidance: Guidance,
    pub(super) random: Random,
    /// Who has reserved a cell for each tick of the ring, `[cell][tick % RING]`.
    pub(super) reserved: Vec<[u16; RING]>,
    pub(super) team: Team,
    /// Robots in their turn: what they are sorted by, and their rows.
    pub(super) order: Vec<(u32, u32)>,
    /// Those that may go first: since when they wait, their rows and their places in the order.
    pub(super) old: Vec<(u32, u32, u32)>,
    /// Robots that have a goal; they are the first of the order.
    pub(super) n_with_goal: usize,
    pub(super) chain: Vec<Link>,
    pub(super) crowd: Crowd,
    pub(super) push: Push,
    pub(super) wanted: Vec<Wanted>,
    pub(super) wanted_by: Vec<u32>,
    pub(super) tick: u32,
    /// Number of the turn or try for which visits are counted.
    pub(super) epoch: u32,
}
