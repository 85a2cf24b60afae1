//! Scenes of the benches, the work they do, and the peers that do the same work beside us.
//!
//! A scene is a compiled class on a map and a list of long random queries; everything comes from a
//! seed, so two machines run the same work and can prove it by the hash in [`Work`]. [`Peers`] search
//! the same states with our tables and our heuristic and must find our costs; [`FAIR`] says so in each
//! output. [`PointPeer`]s plan for points by rules of their own, and say which.

#![forbid(unsafe_code)]

// That of the program: its figures and ours are held against each other.
#[path = "../../crates/cli/src/calibration.rs"]
mod calibration;
mod class;
mod draws;
mod map;
mod peer;
mod point_peer;
mod scene;
mod timing;

pub use calibration::Calibration;
pub use class::{
    MOVE_TICKS, carrier, cart, four_ways, general, octile_past_corners, truck, truck_at_resolution, vehicle,
};
pub use draws::Draws;
pub use map::{at_resolution, blobs, file_grid, hilly, noise, open, rooms};
pub use peer::{FAIR, Peer, Peers, manhattan_ticks, octile_ticks};
pub use point_peer::PointPeer;
pub use scene::{Ours, Query, SCENARIO_MAPS, Scene, Work, drawn_scenes, file_scenes, open_scenes};
pub use timing::{Times, arguments, calibration, made, times};
