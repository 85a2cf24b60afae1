//! Cost estimates as evaluated by the search: weighted lower bounds per state.

use crate::model::outcome::COST_MAX;
use crate::model::state_indexing::{HexIndexing, SquareIndexing, StateIndexing};
use wheelbase_grid::{CellXY, GridShape, GridSize, Rect, hex_coordinates};

/// Bounding box of a set of cells, inclusive; on hexagonal maps the bounding hexagon, by the minimum and
/// maximum of each of the cells' [`hex_coordinates`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellBounds {
    pub(crate) shape: GridShape,
    pub(crate) low: [i32; 3],
    pub(crate) high: [i32; 3],
}

impl CellBounds {
    /// The box of no cells, on a map of the given shape.
    pub fn empty(shape: GridShape) -> Self {
        Self { shape, low: [i32::MAX; 3], high: [i32::MIN; 3] }
    }

    /// The box of a rectangle of cells on the map.
    pub fn rectangle(shape: GridShape, area: Rect) -> Self {
        let mut cells = Self::empty(shape);
        let (right, bottom) = (area.x + area.width as i32 - 1, area.y + area.height as i32 - 1);
        for (x, y) in [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)] {
            cells.add(CellXY::new(x, y));
        }
        cells
    }

    /// Extends the box by a cell of the map.
    #[inline]
    pub fn add(&mut self, cell: CellXY) {
        let coordinates = match self.shape {
            GridShape::Square => [cell.x, cell.y, 0],
            GridShape::Hex => hex_coordinates(cell).map(|coordinate| coordinate as i32),
        };
        for (axis, coordinate) in coordinates.into_iter().enumerate() {
            self.low[axis] = self.low[axis].min(coordinate);
            self.high[axis] = self.high[axis].max(coordinate);
        }
    }
}

/// A heuristic as seen by the kernel, evaluated at a cell and heading.
pub(crate) trait Estimate {
    /// Whether it is ever more than 0.
    const GUIDED: bool = true;
    /// The bound that orders the open list, including the weight.
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32;
    /// Open-list key of a pose, from its cost so far and its weighted bound.
    #[inline(always)]
    fn key(&self, cost: u32, bound: u32) -> u64 {
        u64::from(cost) + u64::from(bound)
    }
    /// Whether the first path found to a pose is kept, even if a cheaper one turns up.
    #[inline(always)]
    fn keeps_first(&self) -> bool {
        false
    }
    /// For estimates not known to be consistent: maximum by which a key may exceed the current key. Keys
    /// outside that range are clamped into it, which keeps answers exact as long as the bound is admissible.
    #[inline(always)]
    fn range(&self) -> Option<u64> {
        None
    }
    /// Whether the bound of a goal state is the cost of a known continuation from it, to be included before the
    /// goal is settled.
    #[inline(always)]
    fn has_continuations(&self) -> bool {
        false
    }
    /// The unweighted bound.
    fn plain(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.weighted(state, x, y, heading)
    }
}

/// Zero: Dijkstra's algorithm.
pub(crate) struct ZeroEstimate;

impl Estimate for ZeroEstimate {
    const GUIDED: bool = false;

    #[inline(always)]
    fn weighted(&self, _: u32, _: i32, _: i32, _: usize) -> u32 {
        0
    }
}

/// The goal's [`CellBounds`], and the minimum turning cost from each heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct GoalBox {
    pub(crate) low: (i32, i32),
    pub(crate) high: (i32, i32),
    pub(crate) turn_ticks: [u32; 8],
    pub(crate) shape: GridShape,
    /// Minimum and maximum third coordinate, on hexagonal maps.
    pub(crate) third: (i32, i32),
}

impl GoalBox {
    /// Whether it lies on a map, so that no arithmetic overflows.
    fn is_on(&self, shape: GridShape, size: GridSize) -> bool {
        let (width, height) = (size.width() as i32, size.height() as i32);
        let within = |low: i32, high: i32, first: i32, end: i32| first <= low && low <= high && high < end;
        let west = -(height / 2);
        let columns = match self.shape {
            GridShape::Square => within(self.low.0, self.high.0, 0, width),
            GridShape::Hex => {
                within(self.low.0, self.high.0, west, width)
                    && within(self.third.0, self.third.1, west, width + height)
            }
        };
        // The box of squares also stands for none.
        (self.shape == shape || self.shape == GridShape::Square)
            && columns
            && within(self.low.1, self.high.1, 0, height)
            && self.turn_ticks.iter().all(|&ticks| ticks <= COST_MAX)
    }

    #[inline(always)]
    pub(crate) fn displacement(&self, x: i32, y: i32) -> (u32, u32) {
        let dx = (self.low.0 - x).max(x - self.high.0).max(0);
        let dy = (self.low.1 - y).max(y - self.high.1).max(0);
        (dx as u32, dy as u32)
    }

    /// Lower bound of the steps to the nearest goal cell on a hexagonal map.
    #[inline(always)]
    fn hex_distance(&self, x: i32, y: i32) -> u32 {
        let along_east = x - (y >> 1);
        let third = along_east + y;
        let beyond = |low: i32, at: i32, high: i32| (low - at).max(at - high);
        let max = beyond(self.low.0, along_east, self.high.0)
            .max(beyond(self.low.1, y, self.high.1))
            .max(beyond(self.third.0, third, self.third.1));
        max.max(0) as u32
    }
}

/// `rate * (major * max(dx, dy) + minor * min(dx, dy))`, rounded down, plus turning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LinearEstimate {
    pub(crate) goal: GoalBox,
    pub(crate) major: u64,
    pub(crate) minor: u64,
    /// The rate in ticks per unit of the norm: whole part, and fraction in units of 2^-64, rounded up. Exact for every
    /// norm that a map can have (see `Rate::split`).
    pub(crate) whole: u64,
    pub(crate) fraction: u64,
}

impl Estimate for LinearEstimate {
    #[inline(always)]
    fn weighted(&self, _: u32, x: i32, y: i32, heading: usize) -> u32 {
        let (dx, dy) = match self.goal.shape {
            GridShape::Square => self.goal.displacement(x, y),
            GridShape::Hex => (self.goal.hex_distance(x, y), 0),
        };
        let norm = self.major * u64::from(dx.max(dy)) + self.minor * u64::from(dx.min(dy));
        let part = ((u128::from(norm) * u128::from(self.fraction)) >> 64) as u64;
        let ticks = norm * self.whole + part + u64::from(self.goal.turn_ticks[heading & 7]);
        ticks.min(u64::from(COST_MAX)) as u32
    }
}

/// [`LinearEstimate`] for integer rates and estimates that cannot overflow on the map. That covers nearly every class.
/// It takes a third of the instructions, and it is evaluated at every push.
pub(crate) trait IntegerNorm: Estimate + Copy + Default {
    /// The same estimate, for a map on which [`LinearEstimate::is_integer`] holds; zero for a map of another
    /// shape.
    fn of(linear: &LinearEstimate) -> Self;
}

/// [`IntegerNorm`] of square maps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IntegerEstimate {
    goal: GoalBox,
    /// The rate times `major` and times `minor`.
    major: u32,
    minor: u32,
}

impl IntegerNorm for IntegerEstimate {
    fn of(linear: &LinearEstimate) -> Self {
        if linear.goal.shape == GridShape::Hex {
            return Self::default();
        }
        let rate = |weight: u64| (weight * linear.whole) as u32;
        Self { goal: linear.goal, major: rate(linear.major), minor: rate(linear.minor) }
    }
}

impl Estimate for IntegerEstimate {
    #[inline(always)]
    fn weighted(&self, _: u32, x: i32, y: i32, heading: usize) -> u32 {
        let (dx, dy) = self.goal.displacement(x, y);
        self.major * dx.max(dy) + self.minor * dx.min(dy) + self.goal.turn_ticks[heading & 7]
    }
}

/// [`IntegerNorm`] of hexagonal maps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IntegerHexEstimate {
    goal: GoalBox,
    rate: u32,
}

impl IntegerNorm for IntegerHexEstimate {
    fn of(linear: &LinearEstimate) -> Self {
        if linear.goal.shape == GridShape::Square {
            return Self::default();
        }
        Self { goal: linear.goal, rate: linear.whole as u32 }
    }
}

impl Estimate for IntegerHexEstimate {
    #[inline(always)]
    fn weighted(&self, _: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.rate * self.goal.hex_distance(x, y) + self.goal.turn_ticks[heading & 7]
    }
}

/// [`IntegerEstimate`] for norms that are sums of a term for the column and one for the row, looked up in
/// tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumEstimate<'a> {
    /// `[width]` and `[height]`, in ticks.
    columns: &'a [u32],
    rows: &'a [u32],
    turn_ticks: [u32; 8],
}

impl Estimate for SumEstimate<'_> {
    #[inline(always)]
    fn weighted(&self, _: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.columns[x as u32 as usize] + self.rows[y as u32 as usize] + self.turn_ticks[heading & 7]
    }
}

/// Factors of the norms, see `Prepared`: of none, of rows and columns, of the greater of them, octile.
const NORM_FACTORS: [(u64, u64); 4] = [(0, 0), (1, 1), (1, 0), (10_000, 4_142)];

impl LinearEstimate {
    /// Whether it may be the estimate of a search on a map: no arithmetic overflows.
    pub fn is_sound(&self, shape: GridShape, size: GridSize) -> bool {
        let factors = (self.major, self.minor);
        let is_norm =
            NORM_FACTORS.contains(&factors) && (self.goal.shape == GridShape::Square || factors != (1, 0));
        // No time of a move is longer.
        is_norm && self.major.max(1) * self.whole.min(1 << 33) <= 1 << 32 && self.goal.is_on(shape, size)
    }

    /// Whether an [`IntegerNorm`] is exact on a map of the given size.
    pub fn is_integer(&self, size: GridSize) -> bool {
        let (width, height) = (u64::from(size.width()), u64::from(size.height()));
        // On hexagonal maps both factors are 1, and this bounds the distance of any two cells.
        let norm = self.major * width.max(height) + self.minor * width.min(height);
        let turning = self.goal.turn_ticks.iter().max().map_or(0, |&t| u64::from(t));
        self.fraction == 0 && norm.saturating_mul(self.whole).saturating_add(turning) <= u64::from(COST_MAX)
    }

    /// Whether [`LinearEstimate::is_integer`] holds and the norm is a sum of columns and rows.
    pub fn is_sum(&self, size: GridSize) -> bool {
        self.goal.shape == GridShape::Square && self.major == self.minor && self.is_integer(size)
    }

    /// Fills the tables for [`LinearEstimate::sum`]. Requires [`LinearEstimate::is_sum`].
    pub fn list_parts(&self, size: GridSize, parts: &mut Vec<u32>) {
        let rate = (self.major * self.whole) as u32;
        parts.clear();
        parts.extend((0..size.width() as i32).map(|x| rate * self.goal.displacement(x, self.goal.low.1).0));
        parts.extend((0..size.height() as i32).map(|y| rate * self.goal.displacement(self.goal.low.0, y).1));
    }

    /// The same estimate, looked up in the tables.
    pub fn sum<'a>(&self, size: GridSize, parts: &'a [u32]) -> SumEstimate<'a> {
        let (columns, rows) = parts.split_at(size.width() as usize);
        SumEstimate { columns, rows, turn_ticks: self.goal.turn_ticks }
    }
}

/// The larger of a bound stored per state and an estimate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayEstimate<'a, N> {
    pub(crate) base: N,
    /// `[n_states]`.
    pub(crate) bounds: &'a [u32],
    /// Bound of the states with larger stored values.
    pub(crate) max: u32,
    pub(crate) range: u64,
    pub(crate) has_continuations: bool,
}

impl<N: IntegerNorm> Estimate for ArrayEstimate<'_, N> {
    #[inline(always)]
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.bounds[state as usize].min(self.max).max(self.base.weighted(state, x, y, heading))
    }

    #[inline(always)]
    fn range(&self) -> Option<u64> {
        Some(self.range)
    }

    #[inline(always)]
    fn has_continuations(&self) -> bool {
        self.has_continuations
    }
}

/// An estimate with a weight, or ordered by the estimate alone.
pub(crate) struct Weighted<E> {
    pub estimate: E,
    pub weight_permille: u32,
    pub greedy: bool,
}

impl<E: Estimate> Estimate for Weighted<E> {
    #[inline(always)]
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        let plain = u64::from(self.plain(state, x, y, heading));
        // Rounded down, so that the bound of the weight holds to the tick.
        (plain * u64::from(self.weight_permille) / 1000).min(u64::from(COST_MAX)) as u32
    }

    #[inline(always)]
    fn key(&self, cost: u32, bound: u32) -> u64 {
        if self.greedy { u64::from(bound) } else { u64::from(cost) + u64::from(bound) }
    }

    #[inline(always)]
    fn keeps_first(&self) -> bool {
        self.greedy
    }

    #[inline(always)]
    fn plain(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.estimate.weighted(state, x, y, heading)
    }
}

/// The integer norm of maps of one shape.
pub(crate) trait ShapeNorm: StateIndexing {
    type Integer: IntegerNorm;
}

impl ShapeNorm for SquareIndexing {
    type Integer = IntegerEstimate;
}

impl ShapeNorm for HexIndexing {
    type Integer = IntegerHexEstimate;
}
