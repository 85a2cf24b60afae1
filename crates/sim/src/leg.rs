//! Legs: paths of agents along routes over the abstract graph.

use serde::{Deserialize, Serialize};

/// What an agent follows on a trip: a leg of a route, or a path to its goal. 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Leg {
    /// Cost of the route from the beginning of the last leg, in ticks; [`NO_ROUTE`] on a path to the goal. The next
    /// route of the same kind has to be cheaper: otherwise headings at portals could lead an agent in circles.
    pub route_ticks: u32,
    /// Cost of the route from the end of the last leg, in ticks.
    pub rest_ticks: u32,
    /// Whether its route knows the way to the goal itself; else it leads toward it.
    pub is_near: bool,
    /// Whether the next leg has been asked for.
    pub asked: bool,
}

const NO_ROUTE: u32 = u32::MAX;

impl Leg {
    /// Of an agent without a leg.
    pub const NONE: Self = Self { route_ticks: NO_ROUTE, rest_ticks: 0, is_near: false, asked: false };

    /// Whether the agent follows a leg.
    pub fn is_some(self) -> bool {
        self.route_ticks != NO_ROUTE
    }

    /// For the state hash.
    pub fn words(self) -> [u64; 2] {
        [
            u64::from(self.route_ticks) << 32 | u64::from(self.rest_ticks),
            u64::from(self.is_near) << 1 | u64::from(self.asked),
        ]
    }
}
