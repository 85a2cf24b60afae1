//! The state of the rule.

use crate::clone_fields::clone_fields;
use crate::motion::AgentId;
use crate::params::TrafficParams;
use crate::random::Random;
use crate::unit_robots::crowd::Crowd;
use crate::unit_robots::guidance::Guidance;
use crate::unit_robots::operations::{DEPTH, Operations};
use crate::unit_robots::push::PushScratch;
use crate::unit_robots::robot_reservations::RobotReservations;
use crate::unit_robots::team::Team;
use crate::unit_robots::unit_fields::{FieldRequest, UnitFields};
use crate::unit_robots::unit_map::UnitMap;

/// The rule for unit robots. Memory: 16 bytes per cell, 2 bytes per free cell for each goal in use, about 500 bytes
/// per robot.
#[derive(Debug)]
pub struct UnitRobots {
    pub(super) params: TrafficParams,
    pub(super) map: UnitMap,
    pub(super) operations: Operations,
    /// Primitive of each action except waiting.
    pub(super) primitives: [u8; 3],
    pub(super) fields: UnitFields,
    pub(super) guidance: Guidance,
    pub(super) random: Random,
    pub(super) reservations: RobotReservations,
    pub(super) team: Team,
    /// The last robot of the last tick, by id.
    pub(super) newest: Option<AgentId>,
    /// Robots in the order of their turns: sort key, row.
    pub(super) order: Vec<(u32, u32)>,
    /// Robots that may go first: waiting since, row, index in `order`.
    pub(super) old: Vec<(u32, u32, u32)>,
    /// Number of robots with goals; they are the first of the order.
    pub(super) n_with_goal: usize,
    pub(super) chain: Vec<ChainLink>,
    pub(super) crowd: Crowd,
    pub(super) push: PushScratch,
    pub(super) requests: Vec<FieldRequest>,
    /// Rows of the requests.
    pub(super) requested_by: Vec<u32>,
    pub(super) tick: u32,
    /// Number of the turns or the try in which visits count.
    pub(super) epoch: u32,
}

clone_fields!(UnitRobots {
    params, map, operations, primitives, fields, guidance, random, reservations, team, newest, n_with_goal, tick, epoch,
} keep {
    order, old, chain, crowd, push, requests, requested_by,
});

/// A robot of a chain, and the operation that it gave up.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainLink {
    pub robot: u32,
    /// Index of its next choice.
    pub next: u16,
    pub cells: [u32; DEPTH + 1],
    pub actions: [u8; DEPTH],
    pub cost: u32,
}
