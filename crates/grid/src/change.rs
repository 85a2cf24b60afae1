//! A change of a map as a value.

use crate::cell::{Cell, CellXY, GridSize, Rect};
use crate::grid::{Edit, Grid};
use crate::shape::{GridShape, Side};
use crate::terrain::{SideKind, TerrainKind};
use std::fmt;

/// A change of a map. [`Change::apply`] makes it; the other methods read the map as it would be afterwards.
///
/// ```
/// use wheelbase_grid::{CellXY, Change, Grid, Rect, SideTable, TerrainKind, TerrainTable};
/// let mut grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
/// let flood = Change::Terrain { area: Rect::new(1, 0, 2, 1), kind: TerrainKind(2) };
/// assert_eq!(Change::terrain_after(&[flood], &grid, CellXY::new(1, 0)), Some(TerrainKind(2)));
/// assert_eq!(grid.terrain_at(CellXY::new(1, 0)), Some(TerrainKind(0)));
/// assert_eq!(flood.apply(&mut grid).changed, Rect::new(1, 0, 2, 1));
/// # Ok::<(), wheelbase_grid::GridError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
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

/// Why a change cannot be made on a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeError {
    /// The map's table has fewer terrain kinds.
    NoTerrain {
        /// The kind.
        kind: TerrainKind,
        /// Kinds of the map.
        n_kinds: usize,
    },
    /// The map's table has fewer side kinds.
    NoSideKind {
        /// The kind.
        kind: SideKind,
        /// Kinds of the map.
        n_kinds: usize,
    },
    /// Cells of the map lack the side.
    NoSide {
        /// The side.
        side: Side,
        /// Shape of the map's cells.
        shape: GridShape,
    },
    /// The cell of a side or of a rotation is off the map.
    OffMap {
        /// The cell.
        cell: CellXY,
        /// Size of the map.
        size: GridSize,
    },
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTerrain { kind, n_kinds } => {
                write!(f, "terrain kind {}: the map has {n_kinds} kinds", kind.0)
            }
            Self::NoSideKind { kind, n_kinds } => {
                write!(f, "side kind {}: the map has {n_kinds} kinds", kind.0)
            }
            Self::NoSide { side, shape } => {
                write!(f, "cells of a {} map have no side {}", shape.name(), side.name())
            }
            Self::OffMap { cell, size } => write!(f, "cell {cell} is off the map of {size}"),
        }
    }
}

impl std::error::Error for ChangeError {}

impl Change {
    /// Checks whether the change can be made on a map, for changes from outside before [`Change::apply`].
    /// # Errors
    /// [`ChangeError`] with the first reason.
    pub fn check(&self, grid: &Grid) -> Result<(), ChangeError> {
        let on_map = |cell: CellXY| match grid.size().contains(cell) {
            true => Ok(()),
            false => Err(ChangeError::OffMap { cell, size: grid.size() }),
        };
        match *self {
            Self::Terrain { kind, .. } => match grid.terrain_table().entries().len() {
                n_kinds if usize::from(kind.0) >= n_kinds => Err(ChangeError::NoTerrain { kind, n_kinds }),
                _ => Ok(()),
            },
            Self::Elevation { .. } => Ok(()),
            Self::Side { cell, side, kind } => {
                let (n_kinds, shape) = (grid.side_table().entries().len(), grid.shape());
                if usize::from(kind.0) >= n_kinds {
                    return Err(ChangeError::NoSideKind { kind, n_kinds });
                }
                if shape.side_number(side).is_none() {
                    return Err(ChangeError::NoSide { side, shape });
                }
                on_map(cell)
            }
            Self::Rotate { cell, .. } => on_map(cell),
        }
    }

    /// The cells whose terrain, height or sides are set; may extend off the map.
    pub fn area(&self) -> Rect {
        match *self {
            Self::Terrain { area, .. } | Self::Elevation { area, .. } => area,
            Self::Side { cell, .. } | Self::Rotate { cell, .. } => Rect::new(cell.x, cell.y, 1, 1),
        }
    }

    /// Makes the change.
    /// # Panics
    /// If [`Change::check`] is an error.
    pub fn apply(self, grid: &mut Grid) -> Edit {
        match self {
            Self::Terrain { area, kind } => grid.set_terrain(area, kind),
            Self::Elevation { area, height } => grid.set_elevation(area, height),
            Self::Side { cell, side, kind } => grid.set_side(cell, side, kind),
            Self::Rotate { cell, turns } => grid.rotate(cell, turns),
        }
    }

    /// Makes several changes, one after the other, as one edit: with one revision.
    /// # Panics
    /// As [`Change::apply`].
    pub fn apply_all(changes: &[Self], grid: &mut Grid) -> Edit {
        let before = grid.revision();
        let changed = changes.iter().fold(Rect::new(0, 0, 0, 0), |changed, change| {
            let edit = change.apply(grid);
            if changed.is_empty() { edit.changed } else { changed.union(edit.changed) }
        });
        let revision = before + u64::from(!changed.is_empty());
        grid.set_revision(revision);
        Edit { changed, revision }
    }

    /// Terrain kind of the cell at `xy` after several changes, or `None` off the map. Linear in them.
    pub fn terrain_after(changes: &[Self], grid: &Grid, xy: CellXY) -> Option<TerrainKind> {
        let before = grid.terrain_at(xy)?;
        let set = changes.iter().rev().find_map(|change| match *change {
            Self::Terrain { area, kind } if area.contains(xy) => Some(kind),
            _ => None,
        });
        Some(set.unwrap_or(before))
    }

    /// Height of a cell after several changes. Linear in them.
    pub fn elevation_after(changes: &[Self], grid: &Grid, of: Cell) -> i16 {
        let xy = grid.size().xy(of);
        let set = changes.iter().rev().find_map(|change| match *change {
            Self::Elevation { area, height } if area.contains(xy) => Some(height),
            _ => None,
        });
        set.unwrap_or_else(|| grid.elevation_of(of))
    }

    /// Kind of one side of a cell after several changes. Linear in them.
    pub fn side_after(changes: &[Self], grid: &Grid, of: Cell, of_side: Side) -> SideKind {
        let mut side_before = of_side;
        for change in changes.iter().rev() {
            match *change {
                Self::Side { cell, side, kind }
                    if side == side_before && grid.size().cell(cell) == Some(of) =>
                {
                    return kind;
                }
                Self::Rotate { cell, turns } if grid.size().cell(cell) == Some(of) => {
                    let Some(before) = before_rotation(grid, side_before, turns) else {
                        return SideKind::OPEN;
                    };
                    side_before = before;
                }
                _ => {}
            }
        }
        grid.side_of(of, side_before)
    }
}

/// The side that a rotation turns into a side; `None` if cells of the map lack it.
fn before_rotation(grid: &Grid, side: Side, turns: i32) -> Option<Side> {
    let sides = grid.shape().sides();
    let n_sides = sides.len() as i32;
    let number = grid.shape().side_number(side)? as i32;
    let before = (number - turns.rem_euclid(n_sides)).rem_euclid(n_sides);
    sides.get(before as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn check_equal(changes: &[Change], grid: &Grid, after: &Grid) -> Result<(), TestCaseError> {
        for cell in (0..grid.size().n_cells() as u32).map(Cell) {
            let xy = grid.size().xy(cell);
            prop_assert_eq!(Change::terrain_after(changes, grid, xy), after.terrain_at(xy));
            prop_assert_eq!(Change::elevation_after(changes, grid, cell), after.elevation_of(cell));
            for &side in grid.shape().sides() {
                prop_assert_eq!(Change::side_after(changes, grid, cell, side), after.side_of(cell, side));
            }
        }
        Ok(())
    }

    proptest! {
        /// A change is refused exactly where it would panic.
        #[test]
        fn a_change_is_refused_or_made(
            hexagons: bool,
            area in (-2..6, -2..6, 0..5_u32, 0..5_u32),
            (side, kind, turns, of) in (0..8_usize, 0..9_u8, any::<i32>(), 0..4_u8),
        ) {
            let size = GridSize::new(5, 4).unwrap();
            let shape = if hexagons { GridShape::Hex } else { GridShape::Square };
            let mut grid = Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default())
                .with_shape(shape);
            let (cell, area) = (CellXY::new(area.0, area.1), Rect::new(area.0, area.1, area.2, area.3));
            let change = match of {
                0 => Change::Terrain { area, kind: TerrainKind(kind) },
                1 => Change::Elevation { area, height: turns as i16 },
                2 => Change::Side { cell, side: Side::ALL[side], kind: SideKind(kind) },
                _ => Change::Rotate { cell, turns },
            };
            let checked = change.check(&grid);
            let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| change.apply(&mut grid)));
            prop_assert_eq!(checked.is_ok(), made.is_ok(), "{:?}", checked);
        }

        /// Reading through a change gives the same map as applying it.
        #[test]
        fn reading_through_a_change_equals_applying_it((shape, changes) in shape_and_changes()) {
            let size = GridSize::new(5, 4).unwrap();
            let mut grid = Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default())
                .with_shape(shape);
            for change in changes {
                let mut after = grid.clone();
                change.apply(&mut after);
                check_equal(&[change], &grid, &after)?;
                grid = after;
            }
        }

        /// The same for several changes together, which are one revision.
        #[test]
        fn several_changes_are_those_one_by_one((shape, changes) in shape_and_changes()) {
            let size = GridSize::new(5, 4).unwrap();
            let grid = Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default())
                .with_shape(shape);
            let (mut one_by_one, mut together) = (grid.clone(), grid.clone());
            changes.iter().for_each(|change| { change.apply(&mut one_by_one); });
            let edit = Change::apply_all(&changes, &mut together);
            check_equal(&changes, &grid, &one_by_one)?;
            check_equal(&[], &together, &one_by_one)?;
            prop_assert_eq!(edit.revision, u64::from(one_by_one.revision() > 0));
            prop_assert_eq!(together.revision(), edit.revision);
        }
    }
}
