//! Terrain for units that cover more than one cell.
//!
//! A [`Grid`] is a rectangle of square or hexagonal cells ([`GridShape`]) in flat arrays, one per layer. The layers
//! hold each cell's terrain kind, the kinds of its sides, and its elevation. A grid knows no agents and no headings.
//! Every edit reports the rectangle it changed and increments a revision, so that data compiled from the map can
//! follow. Map files and generators live in the crate `wheelbase-maps`.
//!
//! x grows to the east, y to the south; cell `(x, y)` has index `y * width + x`.

#![forbid(unsafe_code)]

mod bit_grid;
mod cell;
mod change;
mod colour;
mod epoch;
mod fnv;
mod grid;
#[cfg(feature = "serde")]
mod grid_parts;
mod lattice;
mod memory;
mod random;
mod shape;
mod side_layer;
mod terrain;
mod world_space;

pub use bit_grid::BitGrid;
pub use cell::{CELLS_MAX, Cell, CellXY, GridSize, Rect, SizeError};
pub use change::{Change, ChangeError};
pub use colour::{Rgb, colour_from_hexadecimal, hexadecimal};
pub use epoch::{Epoch, EpochMarks};
pub use fnv::Fnv1a;
pub use grid::{Edit, Grid, GridError};
pub use lattice::{Corner, Lattice, Point};
pub use memory::{Bytes, MemoryMax, MemoryNeed, MemoryTooLarge, grid_bytes};
pub use random::SplitMix64;
pub use shape::{GridShape, SIDES_MAX, Side, hex_coordinates};
pub use side_layer::{pack_sides, unpack_sides};
pub use terrain::{
    SIDE_KINDS_MAX, SPEED_NORMAL, SPEED_OPEN, SideEntry, SideKind, SideTable, TERRAIN_KINDS_MAX, TableError,
    TerrainEntry, TerrainKind, TerrainTable,
};
pub use world_space::{WorldPose, WorldSpace, WorldSpaceError};
