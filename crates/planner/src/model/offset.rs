//! Cell offsets and the pivot of a body.

use wheelbase_grid::CellXY;

/// Maximum distance of a footprint or swept cell from the anchor, in cells along one axis.
pub const OFFSET_MAX: i32 = 65_535;

/// A displacement between cells in map axes: `dx` to the east, `dy` to the south.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Offset {
    /// Cells to the east.
    pub dx: i32,
    /// Cells to the south.
    pub dy: i32,
}

impl Offset {
    /// The displacement of `dx` cells to the east and `dy` to the south.
    pub const fn new(dx: i32, dy: i32) -> Self {
        Self { dx, dy }
    }

    /// The cell at this offset from `cell`.
    #[inline]
    pub const fn cell_from(self, cell: CellXY) -> CellXY {
        CellXY::new(cell.x + self.dx, cell.y + self.dy)
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::new(self.dx + other.dx, self.dy + other.dy)
    }

    /// An offset `(forward, right)` in the frame of an agent turned `quarters` quarter turns counter-clockwise
    /// from east. y grows to the south, so when facing east, right is `+y`.
    pub(crate) fn in_frame((forward, right): (i32, i32), quarters: u8) -> Self {
        match quarters % 4 {
            0 => Self::new(forward, right),
            1 => Self::new(right, -forward),
            2 => Self::new(-forward, -right),
            _ => Self::new(-right, forward),
        }
    }
}

/// Row-major order, in which cells are listed and blocking reasons are searched.
impl Ord for Offset {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.dy, self.dx).cmp(&(other.dy, other.dx))
    }
}

impl PartialOrd for Offset {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The point about which an agent turns, relative to the centre of its anchor cell, in **half cells**
/// `(forward, right)` while it faces east. Both are even or both odd, so that quarter turns map cells to cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pivot {
    /// Half cells forward.
    pub forward: i32,
    /// Half cells to the right.
    pub right: i32,
}

impl Pivot {
    /// The pivot at `(forward, right)` cells, or `None` unless both are multiples of a half, both whole or both
    /// not, and at most [`OFFSET_MAX`] in magnitude.
    pub fn from_cells(forward: f64, right: f64) -> Option<Self> {
        let (f, r) = (2.0 * forward, 2.0 * right);
        // Larger numbers saturate, beyond the limit.
        let pivot = Self { forward: f as i32, right: r as i32 };
        (f.fract() == 0.0 && r.fract() == 0.0 && pivot.is_valid()).then_some(pivot)
    }

    /// Whether quarter turns map cells to cells, and both numbers are within the limit.
    pub(crate) fn is_valid(self) -> bool {
        let is_near = |half_cells: i32| half_cells.unsigned_abs() <= 2 * OFFSET_MAX as u32;
        is_near(self.forward) && is_near(self.right) && (self.forward - self.right) % 2 == 0
    }

    /// Whether it is the centre of a cell.
    pub(crate) fn is_centre(self) -> bool {
        self.forward % 2 == 0 && self.right % 2 == 0
    }

    /// A cell rotated `quarters` quarter turns counter-clockwise about this pivot, which stays fixed relative
    /// to the anchor.
    pub(crate) fn turn(self, cell: Offset, quarters: u8) -> Offset {
        let from_pivot = (2 * cell.dx - self.forward, 2 * cell.dy - self.right);
        let turned = Offset::in_frame(from_pivot, quarters);
        Offset::new((turned.dx + self.forward) / 2, (turned.dy + self.right) / 2)
    }
}
