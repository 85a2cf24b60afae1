//! Terrain for units that are bigger than one cell.
//!
//! A [`Grid`] is a rectangle of cells, one flat array a layer: the terrain kind of each cell, the kind
//! of each of its sides, its elevation. Cells are squares or hexagons ([`GridShape`]). It knows no agent and
//! no heading. Edits report the
//! rectangle they changed and bump a revision, so that whatever was compiled from the map can follow.
//! Files and generators of maps are the crate `wheelbase-maps`.
//!
//! x grows to the east, y grows to the south; cell `(x, y)` has index `y * width + x`.

#![forbid(unsafe_code)]

mod bit_grid;
mod cell;
mod change;
mod colour;
mod grid;
mod memory;
mod shape;
mod side_layer;
mod terrain;
mod world_space;

pub use bit_grid::BitGrid;
pub use cell::{CELLS_MAX, Cell, CellXY, GridSize, Rect, SizeError};
pub use change::Change;
pub use colour::{Rgb, colour_from_hexadecimal, hexadecimal};
pub use grid::{Edit, Grid, GridError};
pub use memory::{Bytes, MemoryMax, MemoryNeed, MemoryTooLarge, grid_bytes};
pub use shape::{GridShape, SIDES_MAX, Side, hex_coordinates};
pub use side_layer::{pack_sides, unpack_sides};
pub use terrain::{
    SIDE_KINDS_MAX, SPEED_NORMAL, SPEED_OPEN, SideEntry, SideKind, SideTable, TERRAIN_KINDS_MAX, TableError,
    TerrainEntry, TerrainKind, TerrainTable,
};
pub use world_space::{WorldPose, WorldSpace, WorldSpaceError};
