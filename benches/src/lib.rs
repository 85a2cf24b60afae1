//! Scenes of the benches, the work they represent, and peers that do the same work in the same run.
//!
//! A scene is a compiled class on a map with a list of long random queries. Everything comes from a seed, so two
//! machines run the same work, which the hash in [`Work`] proves. [`Peers`] search the same states with our tables and
//! our heuristic and must find our costs; [`FAIR`] says so in each output. [`PointPeer`]s plan for points by their own
//! rules and say which.

#![forbid(unsafe_code)]

// Shared with the program, so that its figures and ours are comparable.
#[path = "../../crates/cli/src/calibration.rs"]
mod calibration;
mod class;
mod crowd;
mod map;
mod peer;
mod point_peer;
mod scene;
mod timing;

pub use calibration::Calibration;
pub use class::{
    MOVE_TICKS, carrier, cart, four_neighbours, general, octile_past_corners, truck, truck_at_resolution,
    vehicle,
};
pub use crowd::{CROWD_CLASSES, crowd, crowd_scenario};
pub use map::{at_resolution, blobs, file_grid, hilly, noise, open, rooms};
pub use peer::{FAIR, Peer, Peers, manhattan_ticks, octile_ticks};
pub use point_peer::PointPeer;
pub use scene::{Ours, Query, SCENARIO_MAPS, Scene, Work, drawn_scenes, file_scenes, open_scenes};
pub use timing::{Times, arguments, calibration, median, timed, times};
pub use wheelbase_grid::SplitMix64;
