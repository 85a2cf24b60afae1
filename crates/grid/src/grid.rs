//! The map: flat arrays, one per layer, with edits and revisions.

use crate::cell::{Cell, CellXY, GridSize, Rect, SizeError};
use crate::shape::{GridShape, SIDES_MAX, Side};
use crate::side_layer::{SideLayer, pack_sides, turned_sides};
use crate::terrain::{SideKind, SideTable, TerrainKind, TerrainTable};
use std::fmt;
use std::sync::Arc;

/// A map: the terrain kind of each cell, the kind of each of its sides, its elevation.
///
/// Layers are flat, row-major arrays of `width * height` elements. The side layer is allocated when the first side
/// other than `open` is set. The elevation layer is allocated when the first height other than 0 is set.
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
///
/// A clone shares the layers; the first change of one of them gives it a separate copy.
#[derive(Clone, Debug)]
pub struct Grid {
    size: GridSize,
    shape: GridShape,
    terrain: Arc<Vec<TerrainKind>>,
    sides: Arc<SideLayer>,
    /// Empty as long as no cell has left height 0.
    elevation: Arc<Vec<i16>>,
    terrain_table: TerrainTable,
    side_table: SideTable,
    revision: u64,
}

/// The layers of a map that was read, already checked.
#[cfg(feature = "serde")]
pub(crate) struct Layers {
    pub terrain: Vec<TerrainKind>,
    pub sides: SideLayer,
    pub elevation: Vec<i16>,
}

/// Result of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// The smallest rectangle of all cells whose terrain, sides or elevation changed; empty if none did.
    pub changed: Rect,
    /// The map's revision after the edit; unchanged if no cell changed.
    pub revision: u64,
}

/// Error in the input of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GridError {
    /// The size is out of limits.
    Size(SizeError),
    /// A row is not as long as the first (or as the header declares).
    RaggedRow {
        /// Row, 0 at the top.
        row: usize,
        /// Cells in the row.
        found: usize,
        /// Cells expected.
        expected: usize,
    },
    /// A glyph that stands for no terrain kind.
    UnknownGlyph {
        /// The cell.
        cell: CellXY,
        /// The glyph found.
        glyph: char,
        /// All known glyphs.
        known: String,
    },
    /// A wall that does not run along one line of cell borders, or leaves the map.
    Wall {
        /// The corner points `[x0, y0, x1, y1]`.
        wall: [i64; 4],
        /// Size of the map.
        size: GridSize,
    },
    /// A corner-to-corner wall on a hexagonal map.
    WallOnHex {
        /// The corner points `[x0, y0, x1, y1]`.
        wall: [i64; 4],
    },
    /// An elevation layer without exactly one height per cell.
    ElevationLength {
        /// Heights found.
        found: usize,
        /// Cells of the map.
        expected: usize,
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
            Self::WallOnHex { wall } => write!(
                f,
                "wall {wall:?} runs from corner to corner, which only square maps have; give the sides of terrain kinds, or set_side"
            ),
            Self::ElevationLength { found, expected } => {
                write!(f, "{found} elevations, expected {expected}, one per cell")
            }
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
    /// A map of a single terrain kind, with that kind's initial sides.
    pub fn filled(
        size: GridSize,
        kind: TerrainKind,
        terrain_table: TerrainTable,
        side_table: SideTable,
    ) -> Self {
        let terrain = vec![kind; size.n_cells()];
        Self::from_terrain(size, terrain, terrain_table, side_table)
    }

    /// A map of the given kinds, row-major, with the initial sides of those kinds.
    /// # Panics
    /// If there are not exactly `width * height` kinds, or one is not in the table.
    pub fn from_terrain(
        size: GridSize,
        terrain: Vec<TerrainKind>,
        terrain_table: TerrainTable,
        side_table: SideTable,
    ) -> Self {
        assert_eq!(terrain.len(), size.n_cells(), "one terrain kind per cell");
        let n_kinds = terrain_table.entries().len();
        assert!(terrain.iter().all(|kind| (kind.0 as usize) < n_kinds), "terrain kind not in the table");
        let (shape, sides, elevation) = (GridShape::Square, Arc::default(), Arc::default());
        let mut grid = Self {
            size,
            shape,
            terrain: Arc::new(terrain),
            sides,
            elevation,
            terrain_table,
            side_table,
            revision: 0,
        };
        grid.give_starting_sides();
        grid
    }

    /// The same cells in another shape, each with its kind's initial sides; sides set before are lost. Part of
    /// the construction of a map, not an edit: the revision stays.
    ///
    /// ```
    /// use wheelbase_grid::{CellXY, Grid, GridShape, Side, SideTable, TerrainTable};
    /// let squares = Grid::from_rows(&["..", ".."], TerrainTable::movingai(), SideTable::default())?;
    /// assert_eq!(squares.shape(), GridShape::Square);
    /// let hexagons = squares.with_shape(GridShape::Hex);
    /// assert_eq!(hexagons.shape().neighbour(CellXY::new(0, 1), Side::NorthEast), CellXY::new(1, 0));
    /// # Ok::<(), wheelbase_grid::GridError>(())
    /// ```
    #[must_use]
    pub fn with_shape(mut self, shape: GridShape) -> Self {
        self.shape = shape;
        self.give_starting_sides();
        self
    }

    /// A map from rows of glyphs, top row first.
    /// # Errors
    /// [`GridError`] for an empty map, a ragged row, an unknown glyph, or too many cells.
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

    /// The same map with the given heights, `[height * width]`, row-major. Part of the construction of a map,
    /// not an edit: the revision stays.
    ///
    /// ```
    /// use wheelbase_grid::{Cell, Grid, SideTable, TerrainTable};
    /// let flat = Grid::from_rows(&["..", ".."], TerrainTable::movingai(), SideTable::default())?;
    /// assert_eq!(flat.elevation(), None);
    /// let hill = flat.with_elevation(vec![0, 0, 3, -1])?;
    /// assert_eq!(hill.elevation_of(Cell(2)), 3);
    /// # Ok::<(), wheelbase_grid::GridError>(())
    /// ```
    /// # Errors
    /// [`GridError::ElevationLength`] unless there are exactly `width * height` heights.
    pub fn with_elevation(mut self, elevation: Vec<i16>) -> Result<Self, GridError> {
        let (found, expected) = (elevation.len(), self.size.n_cells());
        if found != expected {
            return Err(GridError::ElevationLength { found, expected });
        }
        // A layer of zeros carries no information, but would keep the planner off its fast path for flat maps.
        let is_flat = elevation.iter().all(|&height| height == 0);
        self.elevation = Arc::new(if is_flat { Vec::new() } else { elevation });
        Ok(self)
    }

    /// The same map with the sides that `sides` returns for each cell, by
    /// [number](crate::GridShape::side_number); sides set before are lost. Part of the construction of a map,
    /// not an edit: the revision stays. Linear in the cells.
    ///
    /// ```
    /// use wheelbase_grid::{Cell, Grid, Side, SideKind, SIDES_MAX, SideTable, TerrainTable};
    /// let open = Grid::from_rows(&["..", ".."], TerrainTable::movingai(), SideTable::default())?;
    /// let (wall, mut all_walls) = (SideKind::WALL, [SideKind::OPEN; SIDES_MAX]);
    /// all_walls[..4].fill(wall);
    /// let grid = open.with_sides(|cell| if cell == Cell(3) { all_walls } else { Default::default() });
    /// assert_eq!((grid.side_of(Cell(3), Side::North), grid.revision()), (wall, 0));
    /// # Ok::<(), wheelbase_grid::GridError>(())
    /// ```
    /// # Panics
    /// If a side kind is not in the table.
    #[must_use]
    pub fn with_sides(mut self, sides: impl Fn(Cell) -> [SideKind; SIDES_MAX]) -> Self {
        let (n_sides, n_kinds) = (self.shape.sides().len(), self.side_table.entries().len());
        self.sides = Arc::default();
        for cell in (0..self.size.n_cells() as u32).map(Cell) {
            let mut of_cell = sides(cell);
            of_cell[n_sides..].fill(SideKind::OPEN);
            assert!(of_cell.iter().all(|kind| (kind.0 as usize) < n_kinds), "side kind not in the table");
            let packed = pack_sides(&of_cell);
            if packed != 0 && self.sides.is_empty() {
                Arc::make_mut(&mut self.sides).fill_open(self.shape, self.size.n_cells());
            }
            if packed != 0 {
                Arc::make_mut(&mut self.sides).set_packed(cell, packed);
            }
        }
        self
    }

    /// Sets the revision, after edits that count as one.
    pub(crate) fn set_revision(&mut self, revision: u64) {
        self.revision = revision;
    }

    /// The same map with its revision set, to continue from a recorded state.
    #[must_use]
    pub fn at_revision(mut self, revision: u64) -> Self {
        self.revision = revision;
        self
    }

    /// A map of layers as they are.
    #[cfg(feature = "serde")]
    pub(crate) fn of_layers(
        (size, shape): (GridSize, GridShape),
        layers: Layers,
        (terrain_table, side_table): (TerrainTable, SideTable),
        revision: u64,
    ) -> Self {
        let Layers { terrain, sides, elevation } = layers;
        let (terrain, sides, elevation) = (Arc::new(terrain), Arc::new(sides), Arc::new(elevation));
        Self { size, shape, terrain, sides, elevation, terrain_table, side_table, revision }
    }

    /// All sides of a cell, packed by [`pack_sides`].
    #[cfg(feature = "serde")]
    pub(crate) fn packed_sides(&self, cell: Cell) -> u32 {
        self.sides.packed(cell)
    }

    fn give_starting_sides(&mut self) {
        let n_sides = self.shape.sides().len();
        let starts = self.terrain_table.entries().iter().map(|entry| {
            let mut sides = entry.sides;
            sides[n_sides..].fill(SideKind::OPEN);
            pack_sides(&sides)
        });
        let kinds = self.terrain.iter().map(|kind| kind.0 as usize);
        self.sides = Arc::new(SideLayer::starting(self.shape, &starts.collect::<Vec<_>>(), kinds));
    }

    /// Width and height.
    pub fn size(&self) -> GridSize {
        self.size
    }

    /// Squares or hexagons.
    pub fn shape(&self) -> GridShape {
        self.shape
    }

    /// The terrain kinds and their speeds.
    pub fn terrain_table(&self) -> &TerrainTable {
        &self.terrain_table
    }

    /// The side kinds and their speeds.
    pub fn side_table(&self) -> &SideTable {
        &self.side_table
    }

    /// Number of edits so far that changed a cell.
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

    /// Whether every side has always been `open`.
    pub fn all_sides_open(&self) -> bool {
        self.sides.is_empty()
    }

    /// Kind of one side of a cell; `open` if cells of this shape lack the side.
    pub fn side_of(&self, cell: Cell, side: Side) -> SideKind {
        if self.sides.is_empty() {
            return SideKind::OPEN;
        }
        self.shape.side_number(side).map_or(SideKind::OPEN, |number| self.sides.kind(cell, number))
    }

    /// The elevation layer, `[height * width]`, row-major, or `None` as long as no cell has left height 0.
    pub fn elevation(&self) -> Option<&[i16]> {
        (!self.elevation.is_empty()).then_some(self.elevation.as_slice())
    }

    /// Height of a cell; 0 on a map without elevation.
    pub fn elevation_of(&self, cell: Cell) -> i16 {
        self.elevation.get(cell.0 as usize).copied().unwrap_or(0)
    }

    /// Sets the terrain kind of every cell of `area` on the map. Sides and elevation stay.
    /// # Panics
    /// If the kind is not in the table.
    pub fn set_terrain(&mut self, area: Rect, kind: TerrainKind) -> Edit {
        assert!((kind.0 as usize) < self.terrain_table.entries().len(), "terrain kind not in the table");
        let changed = fill_area(Arc::<Vec<_>>::make_mut(&mut self.terrain), self.size, area, kind);
        self.count_edit(changed)
    }

    /// Sets the height of every cell of `area` on the map. Allocates the layer when the first cell leaves
    /// height 0.
    pub fn set_elevation(&mut self, area: Rect, height: i16) -> Edit {
        let area = area.intersection(self.size.rect());
        if self.elevation.is_empty() {
            if height == 0 || area.is_empty() {
                return self.count_edit(Rect::new(0, 0, 0, 0));
            }
            self.elevation = Arc::new(vec![0; self.size.n_cells()]);
        }
        let changed = fill_area(Arc::<Vec<_>>::make_mut(&mut self.elevation), self.size, area, height);
        self.count_edit(changed)
    }

    /// Sets one side of a cell. Affects only the edges of this cell.
    /// # Panics
    /// If the cell is off the map, the kind is not in the table, or cells of this shape lack the side.
    pub fn set_side(&mut self, xy: CellXY, side: Side, kind: SideKind) -> Edit {
        assert!((kind.0 as usize) < self.side_table.entries().len(), "side kind not in the table");
        let Some(cell) = self.size.cell(xy) else {
            panic!("set_side: cell {xy} is off the map of {}", self.size);
        };
        let Some(number) = self.shape.side_number(side) else {
            panic!("set_side: cells of a {} map have no side {}", self.shape.name(), side.name());
        };
        if self.side_of(cell, side) == kind {
            return self.count_edit(Rect::new(0, 0, 0, 0));
        }
        if self.sides.is_empty() {
            Arc::make_mut(&mut self.sides).fill_open(self.shape, self.size.n_cells());
        }
        let packed = self.sides.packed(cell) & !(15 << (4 * number));
        Arc::make_mut(&mut self.sides).set_packed(cell, packed | u32::from(kind.0) << (4 * number));
        self.count_edit(Rect::new(xy.x, xy.y, 1, 1))
    }

    /// Rotates a tile and its sides by `turns` steps, counter-clockwise positive. A step is a quarter turn of a square
    /// (the east side becomes the north side) or a sixth of a turn of a hexagon. Terrain and elevation stay. Affects
    /// only the edges of this cell.
    ///
    /// ```
    /// use wheelbase_grid::{Cell, CellXY, Grid, Side, SideKind, SideTable, TerrainTable};
    /// let mut grid = Grid::from_rows(&["..."], TerrainTable::movingai(), SideTable::default())?;
    /// grid.set_side(CellXY::new(1, 0), Side::East, SideKind::WALL);
    /// grid.rotate(CellXY::new(1, 0), 1);
    /// assert_eq!(grid.side_of(Cell(1), Side::North), SideKind::WALL);
    /// assert_eq!(grid.side_of(Cell(1), Side::East), SideKind::OPEN);
    /// # Ok::<(), wheelbase_grid::GridError>(())
    /// ```
    /// # Panics
    /// If the cell is off the map.
    pub fn rotate(&mut self, xy: CellXY, turns: i32) -> Edit {
        let Some(cell) = self.size.cell(xy) else {
            panic!("rotate: cell {xy} is off the map of {}", self.size);
        };
        let mut changed = Rect::new(0, 0, 0, 0);
        // Without a side layer all sides are open, and rotation changes nothing.
        let packed = self.sides.packed(cell);
        let turned = turned_sides(self.shape, packed, turns);
        if turned != packed {
            Arc::make_mut(&mut self.sides).set_packed(cell, turned);
            changed = Rect::new(xy.x, xy.y, 1, 1);
        }
        self.count_edit(changed)
    }

    /// Adds walls along the cell borders from corner point `(x0, y0)` to corner point `(x1, y1)`; corner `(x,
    /// y)` is the north-west corner of cell `(x, y)`. Both sides of each border become `wall`.
    /// # Errors
    /// As [`Grid::check_wall`].
    pub fn add_wall(&mut self, wall: [i64; 4]) -> Result<Edit, GridError> {
        let run = self.wall_run(wall)?;
        Ok(self.add_run(run))
    }

    /// Like [`Grid::add_wall`] for many walls, which may overlap. Linear in the borders covered, not in the sum
    /// of the walls' lengths. Adds no wall if any is invalid.
    /// # Errors
    /// Like [`Grid::check_wall`], for the first invalid wall.
    pub fn add_walls(&mut self, walls: &[[i64; 4]]) -> Result<Edit, GridError> {
        let mut runs = walls.iter().map(|&wall| self.wall_run(wall)).collect::<Result<Vec<_>, _>>()?;
        runs.sort_unstable();
        runs.dedup_by(|next, last| {
            let meet = (next.upright, next.line) == (last.upright, last.line) && next.from <= last.to;
            if meet {
                last.to = last.to.max(next.to);
            }
            meet
        });
        let mut changed = Rect::new(0, 0, 0, 0);
        for run in runs {
            changed = changed.union(self.add_run(run).changed);
        }
        Ok(Edit { changed, revision: self.revision })
    }

    /// Checks that a wall fits the map.
    /// # Errors
    /// [`GridError::Wall`] if it does not run along one line of corners, or leaves the map;
    /// [`GridError::WallOnHex`] on a hexagonal map.
    pub fn check_wall(&self, wall: [i64; 4]) -> Result<(), GridError> {
        self.wall_run(wall).map(drop)
    }

    fn wall_run(&self, wall: [i64; 4]) -> Result<WallRun, GridError> {
        if self.shape == GridShape::Hex {
            return Err(GridError::WallOnHex { wall });
        }
        let size = self.size;
        let (width, height) = (i64::from(size.width()), i64::from(size.height()));
        let [x0, y0, x1, y1] = wall;
        let (x0, x1) = (x0.min(x1), x0.max(x1));
        let (y0, y1) = (y0.min(y1), y0.max(y1));
        if (x0 != x1 && y0 != y1) || x0 < 0 || y0 < 0 || x1 > width || y1 > height {
            return Err(GridError::Wall { wall, size });
        }
        let upright = x0 == x1;
        let (line, from, to) = if upright { (x0, y0, y1) } else { (y0, x0, x1) };
        Ok(WallRun { upright, line, from, to })
    }

    fn add_run(&mut self, WallRun { upright, line, from, to }: WallRun) -> Edit {
        let mut changed = Rect::new(0, 0, 0, 0);
        for at in from..to {
            let (x, y) = if upright { (line, at) } else { (at, line) };
            let before = if upright { (x - 1, y, Side::East) } else { (x, y - 1, Side::South) };
            let after = if upright { (x, y, Side::West) } else { (x, y, Side::North) };
            for (x, y, side) in [before, after] {
                let xy = CellXY::new(x as i32, y as i32);
                if self.size.contains(xy) {
                    changed = changed.union(self.set_side(xy, side, SideKind::WALL).changed);
                }
            }
        }
        Edit { changed, revision: self.revision }
    }

    fn count_edit(&mut self, changed: Rect) -> Edit {
        if !changed.is_empty() {
            self.revision += 1;
        }
        Edit { changed, revision: self.revision }
    }
}

/// Borders along one line of corners, to become walls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WallRun {
    upright: bool,
    /// x of a vertical run, y of a horizontal one.
    line: i64,
    /// First and last corner along the line.
    from: i64,
    to: i64,
}

/// Sets a value of one layer in every cell of `area` on the map. Returns the smallest rectangle of all changed
/// cells.
fn fill_area<T: Copy + PartialEq>(layer: &mut [T], size: GridSize, area: Rect, value: T) -> Rect {
    let mut changed = Rect::new(0, 0, 0, 0);
    let area = area.intersection(size.rect());
    // An empty intersection may lie off the map altogether.
    let rows = if area.is_empty() { 0 } else { area.height as i32 };
    for y in area.y..area.y + rows {
        let start = y as usize * size.width() as usize + area.x as usize;
        let row = &mut layer[start..start + area.width as usize];
        let first = row.iter().position(|&old| old != value);
        let last = row.iter().rposition(|&old| old != value);
        if let (Some(first), Some(last)) = (first, last) {
            row.fill(value);
            let part = Rect::new(area.x + first as i32, y, (last - first + 1) as u32, 1);
            changed = changed.union(part);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    /// 55,000 walls along a whole long map once took time in the sum of their lengths.
    #[test]
    fn overlapping_walls_take_the_time_of_one() {
        let mut grid = open_grid(1, 1 << 20);
        let walls: Vec<_> = (0..55_000).map(|number| [0, number % 7, 0, (1 << 20) - number % 11]).collect();
        grid.add_walls(&walls).unwrap();
        assert_eq!(grid.revision(), 1 << 20);
    }

    proptest! {
        #[test]
        fn adding_walls_together_equals_adding_them_one_by_one(
            walls in prop::collection::vec((any::<bool>(), 0_i64..=5, 0_i64..=5, 0_i64..=5), 0..12),
        ) {
            let walls: Vec<_> = walls
                .into_iter()
                .map(|(upright, line, a, b)| if upright { [line, a, line, b] } else { [a, line, b, line] })
                .collect();
            let (mut together, mut one_by_one) = (open_grid(5, 5), open_grid(5, 5));
            let edit = together.add_walls(&walls).unwrap();
            let changed = walls.iter().fold(Rect::new(0, 0, 0, 0), |changed, &wall| {
                changed.union(one_by_one.add_wall(wall).unwrap().changed)
            });
            prop_assert_eq!(edit.changed, changed);
            prop_assert_eq!(together.revision(), one_by_one.revision());
            for cell in (0..25).map(Cell) {
                for &side in together.shape().sides() {
                    prop_assert_eq!(together.side_of(cell, side), one_by_one.side_of(cell, side));
                }
            }
        }
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
    fn kinds_have_initial_sides_and_set_terrain_keeps_sides() {
        let mut table = TerrainTable::movingai().entries().to_vec();
        table[1].sides[GridShape::Square.side_number(Side::North).unwrap()] = SideKind::WALL;
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

    #[test]
    fn a_flat_map_has_no_elevation_layer_until_a_cell_leaves_height_0() {
        let mut grid = open_grid(4, 3);
        assert_eq!((grid.elevation(), grid.elevation_of(Cell(5))), (None, 0));
        assert!(grid.set_elevation(Rect::new(0, 0, 4, 3), 0).changed.is_empty());
        assert!(grid.set_elevation(Rect::new(9, 9, 2, 2), 7).changed.is_empty());
        assert_eq!((grid.elevation(), grid.revision()), (None, 0));
        let edit = grid.set_elevation(Rect::new(2, 1, 9, 9), -7);
        assert_eq!(edit, Edit { changed: Rect::new(2, 1, 2, 2), revision: 1 });
        assert_eq!(grid.elevation(), Some(&[0, 0, 0, 0, 0, 0, -7, -7, 0, 0, -7, -7][..]));
    }

    #[test]
    fn an_elevation_layer_has_one_height_per_cell() {
        let error = open_grid(4, 3).with_elevation(vec![0; 11]).unwrap_err();
        assert_eq!(error, GridError::ElevationLength { found: 11, expected: 12 });
        assert_eq!(error.to_string(), "11 elevations, expected 12, one per cell");
        assert_eq!(open_grid(4, 3).with_elevation(vec![0; 12]).unwrap().elevation(), None);
        let heights = vec![1, 0, i16::MIN, i16::MAX];
        let grid = open_grid(2, 2).with_elevation(heights.clone()).unwrap();
        assert_eq!((grid.elevation(), grid.revision()), (Some(&heights[..]), 0));
    }

    #[test]
    fn a_quarter_turn_brings_east_to_north() {
        let mut grid = open_grid(3, 3);
        let xy = CellXY::new(1, 1);
        assert!(grid.rotate(xy, 1).changed.is_empty(), "all four sides are open");
        grid.set_side(xy, Side::East, SideKind::WALL);
        let edit = grid.rotate(xy, 1);
        assert_eq!(edit, Edit { changed: Rect::new(1, 1, 1, 1), revision: 2 });
        let at = |grid: &Grid| -> Vec<Side> {
            Side::SQUARE.into_iter().filter(|&side| grid.side_of(Cell(4), side) == SideKind::WALL).collect()
        };
        assert_eq!(at(&grid), [Side::North]);
        grid.rotate(xy, 1);
        assert_eq!(at(&grid), [Side::West]);
        grid.rotate(xy, -3);
        assert_eq!(at(&grid), [Side::South]);
        assert!(grid.rotate(xy, 400).changed.is_empty());
        grid.set_side(xy, Side::North, SideKind::WALL);
        assert!(grid.rotate(xy, i32::MIN + 2).changed.is_empty(), "half a turn of two opposite walls");
    }

    #[test]
    fn a_hexagon_has_six_sides_and_turns_by_sixths() {
        let mut table = TerrainTable::movingai().entries().to_vec();
        table[1].sides = [0, 0, 0, 0, 0, 1].map(SideKind);
        let table = TerrainTable::new(table).unwrap();
        let squares = Grid::from_rows(&[".S", ".."], table, SideTable::default()).unwrap();
        assert!(squares.all_sides_open(), "a square has no sixth side");
        let mut grid = squares.with_shape(GridShape::Hex);
        let walls = |grid: &Grid| -> Vec<Side> {
            Side::HEX.into_iter().filter(|&side| grid.side_of(Cell(1), side) == SideKind::WALL).collect()
        };
        assert_eq!(walls(&grid), [Side::SouthEast]);
        let xy = CellXY::new(1, 0);
        assert_eq!(grid.rotate(xy, 1), Edit { changed: Rect::new(1, 0, 1, 1), revision: 1 });
        assert_eq!(walls(&grid), [Side::East]);
        grid.set_side(xy, Side::SouthWest, SideKind::WALL);
        grid.rotate(xy, -1);
        assert_eq!(walls(&grid), [Side::West, Side::SouthEast]);
        assert_eq!(grid.side_of(Cell(1), Side::North), SideKind::OPEN);
        let refused = grid.add_wall([0, 0, 0, 1]).unwrap_err();
        assert_eq!(refused, GridError::WallOnHex { wall: [0, 0, 0, 1] });
    }

    #[test]
    #[should_panic(expected = "cells of a hex map have no side N")]
    fn setting_the_north_side_of_a_hexagon_panics() {
        let mut grid = open_grid(3, 3).with_shape(GridShape::Hex);
        grid.set_side(CellXY::new(1, 1), Side::North, SideKind::WALL);
    }

    #[test]
    #[should_panic(expected = "rotate: cell (3, 0) is off the map of 3 x 3")]
    fn rotate_off_the_map_panics() {
        open_grid(3, 3).rotate(CellXY::new(3, 0), 1);
    }

    /// Reference implementation: one record per cell, one cell at a time.
    #[derive(Clone, PartialEq)]
    struct PlainCell {
        height: i16,
        /// Side kinds, counter-clockwise from east; four for a square, six for a hexagon.
        sides: Vec<u8>,
    }

    #[derive(Clone, Debug)]
    enum Step {
        SetElevation(Rect, i16),
        SetSide(i32, i32, usize, u8),
        Rotate(i32, i32, i32),
    }

    impl Step {
        /// Applies the edit to the map and returns the map's report.
        fn apply(&self, grid: &mut Grid) -> Edit {
            match *self {
                Self::SetElevation(area, height) => grid.set_elevation(area, height),
                Self::SetSide(x, y, side, kind) => {
                    let sides = grid.shape().sides();
                    grid.set_side(CellXY::new(x, y), sides[side % sides.len()], SideKind(kind))
                }
                Self::Rotate(x, y, turns) => grid.rotate(CellXY::new(x, y), turns),
            }
        }

        /// Applies the edit to the record of the cell at `xy`.
        fn apply_plainly(&self, cell: &mut PlainCell, xy: CellXY) {
            match *self {
                Self::SetElevation(area, height) if area.contains(xy) => cell.height = height,
                Self::SetSide(x, y, side, kind) if xy == CellXY::new(x, y) => {
                    let n_sides = cell.sides.len();
                    cell.sides[side % n_sides] = kind;
                }
                Self::Rotate(x, y, turns) if xy == CellXY::new(x, y) => {
                    for _ in 0..turns.unsigned_abs() {
                        if turns > 0 { cell.sides.rotate_right(1) } else { cell.sides.rotate_left(1) }
                    }
                }
                _ => {}
            }
        }
    }

    /// Edits of a map of at least 5 x 4; areas may lie off it.
    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (-3..8, -3..8, 0u32..7, 0u32..7, prop_oneof![-2..3i16, any::<i16>()])
                .prop_map(|(x, y, w, h, height)| Step::SetElevation(Rect::new(x, y, w, h), height)),
            (0..5, 0..4, 0usize..12, 0u8..2).prop_map(|(x, y, side, kind)| Step::SetSide(x, y, side, kind)),
            (0..5, 0..4, -9..10).prop_map(|(x, y, turns)| Step::Rotate(x, y, turns)),
        ]
    }

    proptest! {
        #[test]
        fn elevation_and_rotation_agree_with_one_record_per_cell(
            width in 5u64..8,
            height in 4u64..8,
            shape in prop_oneof![Just(GridShape::Square), Just(GridShape::Hex)],
            steps in proptest::collection::vec(step(), 0..30),
        ) {
            let mut grid = open_grid(width, height).with_shape(shape);
            let size = grid.size();
            let mut plain = vec![PlainCell { height: 0, sides: vec![0; shape.sides().len()] }; size.n_cells()];
            let mut revision = 0;
            for step in steps {
                let before = plain.clone();
                for (cell, xy) in plain.iter_mut().zip(size.rect().cells()) {
                    step.apply_plainly(cell, xy);
                }
                let changed = size.rect().cells().zip(before.iter().zip(&plain))
                    .filter(|(_, (before, after))| before != after)
                    .fold(Rect::new(0, 0, 0, 0), |all, (xy, _)| all.union(Rect::new(xy.x, xy.y, 1, 1)));
                revision += u64::from(!changed.is_empty());

                let edit = step.apply(&mut grid);
                prop_assert_eq!(edit.revision, revision);
                prop_assert_eq!(edit.changed.is_empty(), changed.is_empty());
                if !changed.is_empty() {
                    prop_assert_eq!(edit.changed, changed);
                }
                for (at, cell) in plain.iter().enumerate() {
                    let at = Cell(at as u32);
                    prop_assert_eq!(grid.elevation_of(at), cell.height);
                    let sides: Vec<u8> = shape.sides().iter().map(|&side| grid.side_of(at, side).0).collect();
                    prop_assert_eq!(&sides, &cell.sides);
                }
                let ever_raised = grid.elevation().is_some();
                prop_assert!(ever_raised || plain.iter().all(|cell| cell.height == 0));
            }
        }
    }
}
