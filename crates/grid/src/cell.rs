//! Cells, their indices, and rectangles of cells.

use std::fmt;

/// Maximum number of cells of a map: 2^26, so that a state index with 8 headings fits in 32 bits.
pub const CELLS_MAX: u64 = 1 << 26;

/// Index of a cell: `y * width + x`, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cell(pub u32);

/// A cell by column and row; may lie off the map. x grows to the east, y to the south.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CellXY {
    /// Column, 0 at the west border.
    pub x: i32,
    /// Row, 0 at the north border.
    pub y: i32,
}

impl CellXY {
    /// The cell in column `x` and row `y`.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// Squared Euclidean distance.
    #[inline]
    pub fn distance_squared(self, other: Self) -> u64 {
        let dx = u64::from(self.x.abs_diff(other.x));
        let dy = u64::from(self.y.abs_diff(other.y));
        // Saturates only if both cells lie far off any map.
        (dx * dx).saturating_add(dy * dy)
    }

    /// Chebyshev distance: the larger of the column and row distances.
    #[inline]
    pub fn chebyshev_distance(self, other: Self) -> u32 {
        self.x.abs_diff(other.x).max(self.y.abs_diff(other.y))
    }
}

impl fmt::Display for CellXY {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

/// A rectangle of cells, given by its north-west cell. Empty if `width` or `height` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rect {
    /// Column of the north-west cell.
    pub x: i32,
    /// Row of the north-west cell.
    pub y: i32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Rect {
    /// The rectangle of `width` x `height` cells whose north-west cell is `(x, y)`.
    pub const fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
        Self { x, y, width, height }
    }

    /// Whether it contains no cell.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Number of cells.
    #[inline]
    pub fn n_cells(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Whether it contains `cell`.
    #[inline]
    pub fn contains(self, cell: CellXY) -> bool {
        let dx = i64::from(cell.x) - i64::from(self.x);
        let dy = i64::from(cell.y) - i64::from(self.y);
        (0..i64::from(self.width)).contains(&dx) && (0..i64::from(self.height)).contains(&dy)
    }

    /// Whether the two have a cell in common.
    #[inline]
    pub fn overlaps(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// The rectangle of one cell.
    pub fn of_cell(cell: CellXY) -> Self {
        Self::new(cell.x, cell.y, 1, 1)
    }

    /// The rectangle with `by` more columns and rows on every side, clipped to a map.
    ///
    /// ```
    /// use wheelbase_grid::{GridSize, Rect};
    /// let size = GridSize::new(10, 4)?;
    /// assert_eq!(Rect::new(1, 1, 2, 1).grown(2, size), Rect::new(0, 0, 5, 4));
    /// # Ok::<(), wheelbase_grid::SizeError>(())
    /// ```
    pub fn grown(self, by: u32, size: GridSize) -> Self {
        let span = |at: i32, length: u32, limit: u32| {
            let (at, by, limit) = (i64::from(at), i64::from(by), i64::from(limit));
            let first = (at - by).clamp(0, limit);
            let end = (at + i64::from(length) + by).clamp(first, limit);
            (first as i32, (end - first) as u32)
        };
        let (x, width) = span(self.x, self.width, size.width());
        let (y, height) = span(self.y, self.height, size.height());
        Self::new(x, y, width, height)
    }

    /// The cells in both rectangles; may be empty.
    #[inline]
    pub fn intersection(self, other: Self) -> Self {
        let end = |start: i32, length: u32| i64::from(start) + i64::from(length);
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let x_end = end(self.x, self.width).min(end(other.x, other.width));
        let y_end = end(self.y, self.height).min(end(other.y, other.height));
        Self {
            x,
            y,
            width: (x_end - i64::from(x)).max(0) as u32,
            height: (y_end - i64::from(y)).max(0) as u32,
        }
    }

    /// The smallest rectangle that contains both. Empty rectangles are ignored.
    pub fn union(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let x = self.x.min(other.x);
        let y = self.y.min(other.y);
        let x_end =
            (i64::from(self.x) + i64::from(self.width)).max(i64::from(other.x) + i64::from(other.width));
        let y_end =
            (i64::from(self.y) + i64::from(self.height)).max(i64::from(other.y) + i64::from(other.height));
        Self { x, y, width: (x_end - i64::from(x)) as u32, height: (y_end - i64::from(y)) as u32 }
    }

    /// The cells, row by row.
    pub fn cells(self) -> impl Iterator<Item = CellXY> {
        (0..self.height as i32)
            .flat_map(move |dy| (0..self.width as i32).map(move |dx| CellXY::new(self.x + dx, self.y + dy)))
    }
}

/// Width and height of a map: at least 1x1, at most [`CELLS_MAX`] cells.
///
/// ```
/// use wheelbase_grid::{Cell, CellXY, GridSize};
/// let size = GridSize::new(40, 20)?;
/// assert_eq!(size.cell(CellXY::new(3, 2)), Some(Cell(83)));
/// assert_eq!(size.cell(CellXY::new(40, 2)), None);
/// assert_eq!(size.xy(Cell(83)), CellXY::new(3, 2));
/// # Ok::<(), wheelbase_grid::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "SizeParts"))]
pub struct GridSize {
    width: u32,
    height: u32,
}

/// A size as it is read, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct SizeParts {
    width: u32,
    height: u32,
}

#[cfg(feature = "serde")]
impl TryFrom<SizeParts> for GridSize {
    type Error = SizeError;

    fn try_from(parts: SizeParts) -> Result<Self, SizeError> {
        Self::new(parts.width.into(), parts.height.into())
    }
}

/// A size outside the limits of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeError {
    /// Requested columns.
    pub width: u64,
    /// Requested rows.
    pub height: u64,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a map of {} x {} cells; width and height must be at least 1 and their product at most {}",
            self.width, self.height, CELLS_MAX
        )
    }
}

impl std::error::Error for SizeError {}

impl GridSize {
    /// A size of `width` columns and `height` rows.
    /// # Errors
    /// [`SizeError`] if either is 0 or there are more than [`CELLS_MAX`] cells.
    pub fn new(width: u64, height: u64) -> Result<Self, SizeError> {
        let fits =
            width >= 1 && height >= 1 && width.checked_mul(height).is_some_and(|cells| cells <= CELLS_MAX);
        if !fits {
            return Err(SizeError { width, height });
        }
        Ok(Self { width: width as u32, height: height as u32 })
    }

    /// Columns, 1 to 2^26.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Rows, 1 to 2^26.
    pub fn height(self) -> u32 {
        self.height
    }

    /// Number of cells.
    #[inline]
    pub fn n_cells(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The whole map.
    #[inline]
    pub fn rect(self) -> Rect {
        Rect::new(0, 0, self.width, self.height)
    }

    /// Whether a cell lies on the map.
    #[inline]
    pub fn contains(self, xy: CellXY) -> bool {
        (xy.x as u32) < self.width && (xy.y as u32) < self.height
    }

    /// Index of a cell, or `None` off the map.
    #[inline]
    pub fn cell(self, xy: CellXY) -> Option<Cell> {
        self.contains(xy).then(|| Cell(xy.y as u32 * self.width + xy.x as u32))
    }

    /// Column and row of a cell.
    #[inline]
    pub fn xy(self, cell: Cell) -> CellXY {
        CellXY::new((cell.0 % self.width) as i32, (cell.0 / self.width) as i32)
    }
}

impl fmt::Display for GridSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bounded_without_overflow() {
        assert!(GridSize::new(0, 5).is_err());
        assert!(GridSize::new(u64::MAX, u64::MAX).is_err());
        assert!(GridSize::new(1 << 26, 2).is_err());
        assert_eq!(GridSize::new(1 << 26, 1).unwrap().n_cells(), 1 << 26);
        assert_eq!(GridSize::new(1, 1).unwrap().n_cells(), 1);
    }

    #[test]
    fn chebyshev_distance_is_the_larger_axis_distance() {
        let (a, b) = (CellXY::new(i32::MIN, 4), CellXY::new(i32::MAX, -3));
        assert_eq!((a.chebyshev_distance(b), b.chebyshev_distance(a)), (u32::MAX, u32::MAX));
        assert_eq!(CellXY::new(2, 4).chebyshev_distance(CellXY::new(1, -3)), 7);
        assert_eq!(a.chebyshev_distance(a), 0);
    }

    #[test]
    fn rectangles_intersect_and_unite() {
        let a = Rect::new(0, 0, 4, 4);
        let b = Rect::new(2, 3, 5, 5);
        assert_eq!(a.intersection(b), Rect::new(2, 3, 2, 1));
        assert_eq!(a.union(b), Rect::new(0, 0, 7, 8));
        assert!(a.intersection(Rect::new(9, 9, 2, 2)).is_empty());
        assert_eq!(a.union(Rect::new(9, 9, 0, 2)), a);
        assert_eq!(b.cells().count(), 25);
        assert!(b.contains(CellXY::new(6, 7)) && !b.contains(CellXY::new(7, 7)));
    }
}
