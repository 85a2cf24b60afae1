//! Errors of writing maps to formats that hold only terrain.

use std::fmt;
use std::io;
use wheelbase_grid::{Cell, CellXY, Grid, GridShape, Side, SideKind};

/// Why a map could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum MapWriteError {
    /// A terrain kind in use has no glyph that fits in a row.
    NoGlyph {
        /// Name of the kind.
        kind: String,
        /// The first cell of that kind, row by row.
        cell: CellXY,
    },
    /// A side is not open, which the format cannot express.
    SideNotOpen {
        /// The first such cell, row by row.
        cell: CellXY,
        /// Its first such side, counter-clockwise from east.
        side: Side,
        /// Name of the kind of the side.
        kind: String,
    },
    /// The cells are hexagons, which the format cannot express.
    Hexagons,
    /// The writer failed.
    Io(io::Error),
}

impl fmt::Display for MapWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGlyph { kind, cell } => {
                write!(f, "cell {cell}: terrain \"{kind}\" has no glyph; a map file needs one for it")
            }
            Self::SideNotOpen { cell, side, kind } => write!(
                f,
                "cell {cell}: side {} is \"{kind}\", expected \"open\"; .map and .png files have no sides",
                side.name()
            ),
            Self::Hexagons => write!(f, ".map and .png files have no hexagonal cells, expected squares"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MapWriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Hexagons | Self::NoGlyph { .. } | Self::SideNotOpen { .. } => None,
        }
    }
}

impl From<io::Error> for MapWriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Checks that the cells are squares and every side is open.
pub(crate) fn check_sides(grid: &Grid) -> Result<(), MapWriteError> {
    if grid.shape() == GridShape::Hex {
        return Err(MapWriteError::Hexagons);
    }
    if grid.all_sides_open() {
        return Ok(());
    }
    for cell in (0..grid.size().n_cells() as u32).map(Cell) {
        for &side in grid.shape().sides() {
            let kind = grid.side_of(cell, side);
            if kind != SideKind::OPEN {
                let kind = grid.side_table()[kind].name.clone();
                return Err(MapWriteError::SideNotOpen { cell: grid.size().xy(cell), side, kind });
            }
        }
    }
    Ok(())
}
