//! Worlds of Rust to compare with.

use crate::common::{map, setup_on};
use wheelbase_grid::GridShape;
use wheelbase_sim::traffic::Commanded;
use wheelbase_sim::{PathSource, Setup, Team, World};

const ROWS: [&str; 14] = [
    "........................",
    "........................",
    "....WW..........WW......",
    "....WW..........WW......",
    "...........S............",
    "..........SSS...........",
    "WWWWW....SSSSS....WWWWWW",
    "..........SSS...........",
    "...........S............",
    "....WW..........WW......",
    "....WW..........WW......",
    "........................",
    "........................",
    "........................",
];

/// What moves the agents and plans their paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Planner,
    HostPaths,
    HostMoves,
}

/// A world without agents.
pub fn world_of(shape: GridShape, driver: Driver) -> World {
    let mut setup: Setup = setup_on(map(&ROWS, shape));
    setup.friends.befriend(Team(0), Team(1));
    match driver {
        Driver::Planner => {}
        Driver::HostPaths => setup.paths = PathSource::Host,
        Driver::HostMoves => setup.traffic = Box::new(Commanded),
    }
    World::new(setup).unwrap()
}
