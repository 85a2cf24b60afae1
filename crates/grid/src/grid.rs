//! The map itself: one flat array a layer, edits and revisions.

use crate::{Cell, CellXY, GridSize, Rect, Side, SideKind, SideTable, SizeError, TerrainKind, TerrainTable};
use std::fmt;

/// A map: terrain kind of each cell, kind of each of its sides.
///
/// Layers are flat, row-major arrays of `width * height` elements. The side layer takes memory only
/// once a side other than `open` has been set.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainTable};
/// let mut grid = Grid::from_rows(&["....", ".WW.", "...."], TerrainTable::movingai(), SideTable::default())?;
/// let water = grid.terrain_table().kind_of_name("water").unwrap();
/// assert_eq!(grid.terrain_at(CellXY::new(1, 1)), Some(water));
/// let edit = grid.set_terrain(Rect::new(0, 0, 4, 1), water);
/// assert_eq!((edit.changed, edit.revision), (Rect::new(0, 0, 4, 1), 1));
/// # Ok::<(), wheelbase_grid::GridError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grid {
    size: GridSize,
    terrain: Vec<TerrainKind>,
    /// Four side kinds a cell, four bits each, the east side lowest. Empty while every side is open.
    sides: Vec<u16>,
    terrain_table: TerrainTable,
    side_table: SideTable,
    revision: u64,
}

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The cells whose terrain or sides differ now; empty if nothing does.
    pub changed: Rect,
    /// The map's revision after the edit; the same as before if nothing changed.
    pub revision: u64,
}

/// Why a map could not be made of what was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GridError {
    /// No map has that size.
    Size(SizeError),
    /// A row is not as long as the first (or as the header said).
    RaggedRow {
        /// Row, 0 at the top.
        row: usize,
        /// Cells in it.
        found: usize,
        /// Cells it should have.
        expected: usize,
    },
    /// A glyph has no terrain kind.
    UnknownGlyph {
        /// The cell.
        cell: CellXY,
        /// What stands there.
        glyph: char,
        /// All glyphs that would be right.
        known: String,
    },
    /// A wall does not run along one line of cell borders, or leaves the map.
    Wall {
        /// The corner points `[x0, y0, x1, y1]`.
        wall: [i64; 4],
        /// Size of the map.
        size: GridSize,
    },
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(error) => error.fmt(f),
            Self::RaggedRow { row, found, expected } => {
                write!(f, "row {row} has {found} cells, expected {expected}")
            }
            Self::UnknownGlyph { cell, glyph, known } => {
                write!(f, "cell {cell}: glyph {glyph:?} has no terrain; expected one of {known:?}")
            }
            Self::Wall { wall, size } => write!(
                f,
                "wall {wall:?} must run along one column or row of cell corners, x from 0 to {}, y from 0 to {}",
                size.width(),
                size.height()
            ),
        }
    }
}

impl std::error::Error for GridError {}

impl From<SizeError> for GridError {
    fn from(error: SizeError) -> Self {
        Self::Size(error)
    }
}

impl Grid {
    /// A map of one terrain kind, with the sides that kind starts with.
    pub fn filled(
        size: GridSize,
        kind: TerrainKind,
        terrain_table: TerrainTable,
        side_table: SideTable,
    ) -> Self {
        let terrain = vec![kind; size.n_cells()];
        Self::from_terrain(size, terrain, terrain_table, side_table)
    }

    /// A map of the given kinds, row-major, with the sides those kinds start with.
    /// # Panics
    /// If there are not `width * height` kinds, or one is not in the table.
    pub fn from_terrain(
        size: GridSize,
        terrain: Vec<TerrainKind>,
        terrain_table: TerrainTable,
        side_table: SideTable,
    ) -> Self {
        assert_eq!(terrain.len(), size.n_cells(), "one terrain kind a cell");
        let n_kinds = terrain_table.entries().len();
        assert!(terrain.iter().all(|kind| (kind.0 as usize) < n_kinds), "terrain kind not in the table");
        let mut grid = Self { size, terrain, sides: Vec::new(), terrain_table, side_table, revision: 0 };
        grid.give_starting_sides();
        grid
    }

    /// A map from rows of glyphs, the top row first.
    /// # Errors
    /// [`GridError`] for no rows, a ragged row, an unknown glyph, too many cells.
    pub fn from_rows<R: AsRef<str>>(
        rows: &[R],
        terrain_table: TerrainTable,
        side_table: SideTable,
    ) -> Result<Self, GridError> {
        let width = rows.first().map_or(0, |row| row.as_ref().chars().count());
        let size = GridSize::new(width as u64, rows.len() as u64)?;
        let mut terrain = Vec::with_capacity(size.n_cells());
        for (y, row) in rows.iter().enumerate() {
            for (x, glyph) in row.as_ref().chars().enumerate() {
                let kind = terrain_table.kind_of_glyph(glyph);
                terrain.push(kind.ok_or_else(|| GridError::UnknownGlyph {
                    cell: CellXY::new(x as i32, y as i32),
                    glyph,
                    known: terrain_table.entries().iter().map(|e| e.glyphs.as_str()).collect(),
                })?);
            }
            let found = terrain.len() - y * width;
            if found != width {
                return Err(GridError::RaggedRow { row: y, found, expected: width });
            }
        }
        Ok(Self::from_terrain(size, terrain, terrain_table, side_table))
    }

    fn give_starting_sides(&mut self) {
        let starts: Vec<u16> =
            self.terrain_table.entries().iter().map(|entry| pack_sides(entry.sides)).collect();
        if starts.iter().all(|&start| start == 0) {
            return;
        }
        let sides: Vec<u16> = self.terrain.iter().map(|kind| starts[kind.0 as usize]).collect();
        if sides.iter().any(|&side| side != 0) {
            self.sides = sides;
        }
    }

    /// Width and height.
    pub fn size(&self) -> GridSize {
        self.size
    }

    /// The terrain kinds and their speeds.
    pub fn terrain_table(&self) -> &TerrainTable {
        &self.terrain_table
    }

    /// The side kinds and their speeds.
    pub fn side_table(&self) -> &SideTable {
        &self.side_table
    }

    /// Number of edits so far that changed something.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The terrain layer, `[height * width]`, row-major.
    pub fn terrain(&self) -> &[TerrainKind] {
        &self.terrain
    }

    /// Terrain kind of a cell.
    pub fn terrain_of(&self, cell: Cell) -> TerrainKind {
        self.terrain[cell.0 as usize]
    }

    /// Terrain kind of the cell at `xy`, or `None` off the map.
    pub fn terrain_at(&self, xy: CellXY) -> Option<TerrainKind> {
        self.size.cell(xy).map(|cell| self.terrain_of(cell))
    }

    /// Whether no side other than `open` has ever been set.
    pub fn all_sides_open(&self) -> bool {
        self.sides.is_empty()
    }

    /// Kind of one side of a cell.
    pub fn side_of(&self, cell: Cell, side: Side) -> SideKind {
        match self.sides.get(cell.0 as usize) {
            Some(packed) => SideKind((packed >> (4 * side as u16) & 15) as u8),
            None => SideKind::OPEN,
        }
    }

    /// Gives every cell of `area` that lies on the map a terrain kind. Sides stay as they are.
    /// # Panics
    /// If the kind is not in the table.
    pub fn set_terrain(&mut self, area: Rect, kind: TerrainKind) -> Edit {
        assert!((kind.0 as usize) < self.terrain_table.entries().len(), "terrain kind not in the table");
        let mut changed = Rect::new(0, 0, 0, 0);
        let area = area.intersection(self.size.rect());
        // An empty one may lie off the map altogether.
        let rows = if area.is_empty() { 0 } else { area.height as i32 };
        for y in area.y..area.y + rows {
            let start = y as usize * self.size.width() as usize + area.x as usize;
            let row = &mut self.terrain[start..start + area.width as usize];
            let first = row.iter().position(|&k| k != kind);
            let last = row.iter().rposition(|&k| k != kind);
            if let (Some(first), Some(last)) = (first, last) {
                row.fill(kind);
                let part = Rect::new(area.x + first as i32, y, (last - first + 1) as u32, 1);
                changed = changed.union(part);
            }
        }
        self.count_edit(changed)
    }

    /// Sets one side of a cell. Only the edges of this cell change.
    /// # Panics
    /// If the cell is off the map or the kind is not in the table.
    pub fn set_side(&mut self, xy: CellXY, side: Side, kind: SideKind) -> Edit {
        assert!((kind.0 as usize) < self.side_table.entries().len(), "side kind not in the table");
        let Some(cell) = self.size.cell(xy) else {
            panic!("set_side: cell {xy} is off the map of {}", self.size);
        };
        if self.side_of(cell, side) == kind {
            return self.count_edit(Rect::new(0, 0, 0, 0));
        }
        if self.sides.is_empty() {
            self.sides = vec![0; self.size.n_cells()];
        }
        let shift = 4 * side as u16;
        let packed = &mut self.sides[cell.0 as usize];
        *packed = (*packed & !(15 << shift)) | u16::from(kind.0) << shift;
        self.count_edit(Rect::new(xy.x, xy.y, 1, 1))
    }

    /// Puts walls along cell borders from corner point `(x0, y0)` to corner point `(x1, y1)`; corner
    /// `(x, y)` is the north-west corner of cell `(x, y)`. Both sides of each border become `wall`.
    /// # Errors
    /// [`GridError::Wall`] if it does not run along one line of corners, or leaves the map.
    pub fn add_wall(&mut self, wall: [i64; 4]) -> Result<Edit, GridError> {
        let size = self.size;
        let (width, height) = (i64::from(size.width()), i64::from(size.height()));
        let [x0, y0, x1, y1] = wall;
        let (x0, x1) = (x0.min(x1), x0.max(x1));
        let (y0, y1) = (y0.min(y1), y0.max(y1));
        if (x0 != x1 && y0 != y1) || x0 < 0 || y0 < 0 || x1 > width || y1 > height {
            return Err(GridError::Wall { wall, size });
        }
        let mut changed = Rect::new(0, 0, 0, 0);
        let upright = x0 == x1;
        let along = if upright { y0..y1 } else { x0..x1 };
        for at in along {
            let (x, y) = if upright { (x0, at) } else { (at, y0) };
            let before = if upright { (x - 1, y, Side::East) } else { (x, y - 1, Side::South) };
            let after = if upright { (x, y, Side::West) } else { (x, y, Side::North) };
            for (x, y, side) in [before, after] {
                let xy = CellXY::new(x as i32, y as i32);
                if size.contains(xy) {
                    changed = changed.union(self.set_side(xy, side, SideKind::WALL).changed);
                }
            }
        }
        Ok(Edit { changed, revision: self.revision })
    }

    fn count_edit(&mut self, changed: Rect) -> Edit {
        if !changed.is_empty() {
            self.revision += 1;
        }
        Edit { changed, revision: self.revision }
    }
}

fn pack_sides(sides: [SideKind; 4]) -> u16 {
    (0..4).fold(0, |packed, at| packed | u16::from(sides[at].0) << (4 * at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_grid(width: u64, height: u64) -> Grid {
        let size = GridSize::new(width, height).unwrap();
        Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default())
    }

    #[test]
    fn an_edit_reports_the_changed_rectangle_and_counts_once() {
        let mut grid = open_grid(6, 5);
        let edit = grid.set_terrain(Rect::new(4, -2, 9, 4), TerrainKind(2));
        assert_eq!(edit.changed, Rect::new(4, 0, 2, 2));
        assert_eq!(grid.revision(), 1);
        let again = grid.set_terrain(Rect::new(3, 0, 2, 2), TerrainKind(2));
        assert_eq!(again.changed, Rect::new(3, 0, 1, 2));
        let nothing = grid.set_terrain(Rect::new(3, 0, 2, 2), TerrainKind(2));
        assert!(nothing.changed.is_empty());
        assert_eq!(nothing.revision, 2);
    }

    #[test]
    fn walls_close_both_sides_of_a_border() {
        let mut grid = open_grid(4, 4);
        assert!(grid.all_sides_open());
        let edit = grid.add_wall([2, 3, 2, 1]).unwrap();
        assert_eq!(edit.changed, Rect::new(1, 1, 2, 2));
        let cell = |x, y| grid.size().cell(CellXY::new(x, y)).unwrap();
        assert_eq!(grid.side_of(cell(1, 1), Side::East), SideKind::WALL);
        assert_eq!(grid.side_of(cell(2, 2), Side::West), SideKind::WALL);
        assert_eq!(grid.side_of(cell(2, 3), Side::West), SideKind::OPEN);
        assert!(grid.add_wall([0, 0, 4, 0]).is_ok());
        assert!(matches!(grid.add_wall([0, 0, 1, 1]), Err(GridError::Wall { .. })));
        assert!(matches!(grid.add_wall([0, 5, 1, 5]), Err(GridError::Wall { .. })));
        assert!(matches!(grid.add_wall([i64::MIN, 0, i64::MAX, 0]), Err(GridError::Wall { .. })));
    }

    #[test]
    fn kinds_start_with_their_sides_and_set_terrain_leaves_them() {
        let mut table = TerrainTable::movingai().entries().to_vec();
        table[1].sides[Side::North as usize] = SideKind::WALL;
        let table = TerrainTable::new(table).unwrap();
        let mut grid = Grid::from_rows(&[".S"], table, SideTable::default()).unwrap();
        assert_eq!(grid.side_of(Cell(0), Side::North), SideKind::OPEN);
        assert_eq!(grid.side_of(Cell(1), Side::North), SideKind::WALL);
        grid.set_terrain(Rect::new(0, 0, 2, 1), TerrainKind(1));
        assert_eq!(grid.side_of(Cell(0), Side::North), SideKind::OPEN);
    }

    #[test]
    fn rows_are_checked() {
        let rows = |rows: &[&str]| Grid::from_rows(rows, TerrainTable::movingai(), SideTable::default());
        assert!(matches!(rows(&[]), Err(GridError::Size(_))));
        assert!(matches!(rows(&[""]), Err(GridError::Size(_))));
        assert_eq!(rows(&["..", "..."]).unwrap_err(), GridError::RaggedRow { row: 1, found: 3, expected: 2 });
        let unknown = rows(&["..", ".é"]).unwrap_err();
        assert!(unknown.to_string().starts_with("cell (1, 1): glyph 'é' has no terrain"));
        assert_eq!(rows(&["."]).unwrap().size().n_cells(), 1);
    }
}
