//! A change of a map as a value.

use crate::cell::{Cell, CellXY, Rect};
use crate::grid::{Edit, Grid};
use crate::shape::Side;
use crate::terrain::{SideKind, TerrainKind};

/// A change of a map. [`Change::apply`] makes it; the other methods read the map as it would be afterwards.
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
    /// Sets the terrain kind of cells.
    Terrain {
        /// The cells; cells off the map are ignored.
        area: Rect,
        /// Their new kind.
        kind: TerrainKind,
    },
    /// Sets the height of cells.
    Elevation {
        /// The cells; cells off the map are ignored.
        area: Rect,
        /// Their new height.
        height: i16,
    },
    /// Sets the kind of one side of a cell.
    Side {
        /// The cell, on the map.
        cell: CellXY,
        /// The side.
        side: Side,
        /// Its new kind.
        kind: SideKind,
    },
    /// Rotates a cell together with its sides.
    Rotate {
        /// The cell, on the map.
        cell: CellXY,
        /// Steps, counter-clockwise: quarter turns of a square, sixths of a turn of a hexagon.
        turns: i32,
    },
}

impl Change {
    /// The cells whose terrain, height or sides are set; may extend off the map.
    pub fn area(&self) -> Rect {
        match *self {
            Self::Terrain { area, .. } | Self::Elevation { area, .. } => area,
            Self::Side { cell, .. } | Self::Rotate { cell, .. } => Rect::new(cell.x, cell.y, 1, 1),
        }
    }

    /// Makes the change.
    /// # Panics
    /// If a kind is not in its table, the cell of a side is off the map, or cells of the map lack the side.
    pub fn apply(self, grid: &mut Grid) -> Edit {
        match self {
            Self::Terrain { area, kind } => grid.set_terrain(area, kind),
            Self::Elevation { area, height } => grid.set_elevation(area, height),
            Self::Side { cell, side, kind } => grid.set_side(cell, side, kind),
            Self::Rotate { cell, turns } => grid.rotate(cell, turns),
        }
    }

    /// Terrain kind of the cell at `xy` after the change, or `None` off the map.
    pub fn terrain_at(&self, grid: &Grid, xy: CellXY) -> Option<TerrainKind> {
        match *self {
            Self::Terrain { area, kind } if area.contains(xy) => grid.terrain_at(xy).map(|_| kind),
            _ => grid.terrain_at(xy),
        }
    }

    /// Height of a cell after the change.
    pub fn elevation_of(&self, grid: &Grid, of: Cell) -> i16 {
        match *self {
            Self::Elevation { area, height } if area.contains(grid.size().xy(of)) => height,
            _ => grid.elevation_of(of),
        }
    }

    /// Kind of one side of a cell after the change.
    pub fn side_of(&self, grid: &Grid, of: Cell, of_side: Side) -> SideKind {
        match *self {
            Self::Side { cell, side, kind } if side == of_side && grid.size().cell(cell) == Some(of) => kind,
            Self::Rotate { cell, turns } if grid.size().cell(cell) == Some(of) => {
                let sides = grid.shape().sides();
                let Some(number) = grid.shape().side_number(of_side) else { return SideKind::OPEN };
                let n_sides = sides.len() as i32;
                let before = (number as i32 - turns.rem_euclid(n_sides)).rem_euclid(n_sides);
                grid.side_of(of, sides[before as usize])
            }
            _ => grid.side_of(of, of_side),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::GridSize;
    use crate::shape::GridShape;
    use crate::terrain::{SideTable, TerrainTable};
    use proptest::prelude::*;

    fn change(shape: GridShape) -> impl Strategy<Value = Change> {
        let rect = || {
            (-2..6, -2..6, 1..5_u32, 1..5_u32)
                .prop_map(|(x, y, width, height)| Rect::new(x, y, width, height))
        };
        let cell = || (0..5, 0..4).prop_map(|(x, y)| CellXY::new(x, y));
        prop_oneof![
            (rect(), 0..4_u8).prop_map(|(area, kind)| Change::Terrain { area, kind: TerrainKind(kind) }),
            (rect(), -3..4_i16).prop_map(|(area, height)| Change::Elevation { area, height }),
            (cell(), 0..12_usize, 0..2_u8).prop_map(move |(cell, side, kind)| Change::Side {
                cell,
                side: shape.sides()[side % shape.sides().len()],
                kind: SideKind(kind)
            }),
            (cell(), any::<i32>()).prop_map(|(cell, turns)| Change::Rotate { cell, turns }),
        ]
    }

    fn shape_and_changes() -> impl Strategy<Value = (GridShape, Vec<Change>)> {
        prop_oneof![Just(GridShape::Square), Just(GridShape::Hex)]
            .prop_flat_map(|shape| (Just(shape), prop::collection::vec(change(shape), 1..12)))
    }

    proptest! {
        /// Reading through a change gives the same map as applying it.
        #[test]
        fn reading_through_a_change_equals_applying_it((shape, changes) in shape_and_changes()) {
            let size = GridSize::new(5, 4).unwrap();
            let mut grid = Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default())
                .with_shape(shape);
            for change in changes {
                let mut after = grid.clone();
                change.apply(&mut after);
                for cell in (0..size.n_cells() as u32).map(Cell) {
                    let xy = size.xy(cell);
                    prop_assert_eq!(change.terrain_at(&grid, xy), after.terrain_at(xy));
                    prop_assert_eq!(change.elevation_of(&grid, cell), after.elevation_of(cell));
                    for &side in shape.sides() {
                        prop_assert_eq!(change.side_of(&grid, cell, side), after.side_of(cell, side));
                    }
                }
                grid = after;
            }
        }
    }
}
