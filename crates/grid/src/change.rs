//! One change of a map as a value.

use crate::{Cell, CellXY, Edit, Grid, Rect, Side, SideKind, TerrainKind};

/// A change of a map: made with [`Change::apply`], or looked through to see the map as it would be.
///
/// ```
/// use wheelbase_grid::{CellXY, Change, Grid, Rect, SideTable, TerrainKind, TerrainTable};
/// let mut grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
/// let flood = Change::Terrain { area: Rect::new(1, 0, 2, 1), kind: TerrainKind(2) };
/// assert_eq!(flood.terrain_at(&grid, CellXY::new(1, 0)), Some(TerrainKind(2)));
/// assert_eq!(grid.terrain_at(CellXY::new(1, 0)), Some(TerrainKind(0)));
/// assert_eq!(flood.apply(&mut grid).changed, Rect::new(1, 0, 2, 1));
/// # Ok::<(), wheelbase_grid::GridError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Cells become of another kind.
    Terrain {
        /// The cells; those off the map are left out.
        area: Rect,
        /// Their new kind.
        kind: TerrainKind,
    },
    /// Cells get another height.
    Elevation {
        /// The cells; those off the map are left out.
        area: Rect,
        /// Their new height.
        height: i16,
    },
    /// One side of a cell becomes of another kind.
    Side {
        /// The cell, on the map.
        cell: CellXY,
        /// The side.
        side: Side,
        /// Its new kind.
        kind: SideKind,
    },
    /// A cell is turned, its four sides with it.
    Rotate {
        /// The cell, on the map.
        cell: CellXY,
        /// Quarter turns, counter-clockwise.
        turns: i32,
    },
}

impl Change {
    /// The cells whose terrain, height or sides are set; may reach off the map.
    pub fn area(&self) -> Rect {
        match *self {
            Self::Terrain { area, .. } | Self::Elevation { area, .. } => area,
            Self::Side { cell, .. } | Self::Rotate { cell, .. } => Rect::new(cell.x, cell.y, 1, 1),
        }
    }

    /// Makes the change.
    /// # Panics
    /// If a kind is not in its table, or the cell of a side is off the map.
    pub fn apply(self, grid: &mut Grid) -> Edit {
        match self {
            Self::Terrain { area, kind } => grid.set_terrain(area, kind),
            Self::Elevation { area, height } => grid.set_elevation(area, height),
            Self::Side { cell, side, kind } => grid.set_side(cell, side, kind),
            Self::Rotate { cell, turns } => grid.rotate(cell, turns),
        }
    }

    /// Terrain kind that the cell at `xy` would have, or `None` off the map.
    pub fn terrain_at(&self, grid: &Grid, xy: CellXY) -> Option<TerrainKind> {
        match *self {
            Self::Terrain { area, kind } if area.contains(xy) => grid.terrain_at(xy).map(|_| kind),
            _ => grid.terrain_at(xy),
        }
    }

    /// Height that a cell would have.
    pub fn elevation_of(&self, grid: &Grid, of: Cell) -> i16 {
        match *self {
            Self::Elevation { area, height } if area.contains(grid.size().xy(of)) => height,
            _ => grid.elevation_of(of),
        }
    }

    /// Kind that one side of a cell would have.
    pub fn side_of(&self, grid: &Grid, of: Cell, of_side: Side) -> SideKind {
        match *self {
            Self::Side { cell, side, kind } if side == of_side && grid.size().cell(cell) == Some(of) => kind,
            Self::Rotate { cell, turns } if grid.size().cell(cell) == Some(of) => {
                let before = (of_side as i32 - turns.rem_euclid(4)).rem_euclid(4);
                grid.side_of(of, Side::ALL[before as usize])
            }
            _ => grid.side_of(of, of_side),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GridSize, SideTable, TerrainTable};
    use proptest::prelude::*;

    fn change() -> impl Strategy<Value = Change> {
        let rect = || {
            (-2..6, -2..6, 1..5_u32, 1..5_u32)
                .prop_map(|(x, y, width, height)| Rect::new(x, y, width, height))
        };
        let cell = || (0..5, 0..4).prop_map(|(x, y)| CellXY::new(x, y));
        prop_oneof![
            (rect(), 0..4_u8).prop_map(|(area, kind)| Change::Terrain { area, kind: TerrainKind(kind) }),
            (rect(), -3..4_i16).prop_map(|(area, height)| Change::Elevation { area, height }),
            (cell(), 0..4_usize, 0..2_u8).prop_map(|(cell, side, kind)| Change::Side {
                cell,
                side: Side::ALL[side],
                kind: SideKind(kind)
            }),
            (cell(), any::<i32>()).prop_map(|(cell, turns)| Change::Rotate { cell, turns }),
        ]
    }

    proptest! {
        /// What is seen through a change is what the map is after it.
        #[test]
        fn a_change_is_seen_as_it_is_made(changes in prop::collection::vec(change(), 1..12)) {
            let size = GridSize::new(5, 4).unwrap();
            let mut grid = Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default());
            for change in changes {
                let mut after = grid.clone();
                change.apply(&mut after);
                for cell in (0..size.n_cells() as u32).map(Cell) {
                    let xy = size.xy(cell);
                    prop_assert_eq!(change.terrain_at(&grid, xy), after.terrain_at(xy));
                    prop_assert_eq!(change.elevation_of(&grid, cell), after.elevation_of(cell));
                    for side in Side::ALL {
                        prop_assert_eq!(change.side_of(&grid, cell, side), after.side_of(cell, side));
                    }
                }
                grid = after;
            }
        }
    }
}
