//! Estimates as the search reads them: a lower bound at a state, with its weight.

use crate::model::lattice::{Hexagons, Lattice, Squares};
use crate::model::outcome::COST_MAX;
use wheelbase_grid::{CellXY, GridShape, GridSize, Rect, hex_coordinates};

/// The smallest rectangle around some cells, inclusive; on hexagonal maps the smallest hexagon, by the least
/// and the greatest of each of their [`hex_coordinates`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellsAround {
    pub(crate) shape: GridShape,
    pub(crate) low: [i32; 3],
    pub(crate) high: [i32; 3],
}

impl CellsAround {
    /// Around no cell yet, of a map of that shape.
    pub fn none(shape: GridShape) -> Self {
        Self { shape, low: [i32::MAX; 3], high: [i32::MIN; 3] }
    }

    /// Around the cells of a rectangle on the map.
    pub fn rectangle(shape: GridShape, area: Rect) -> Self {
        let mut cells = Self::none(shape);
        let (right, bottom) = (area.x + area.width as i32 - 1, area.y + area.height as i32 - 1);
        for (x, y) in [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)] {
            cells.add(CellXY::new(x, y));
        }
        cells
    }

    /// Takes in a cell of the map.
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

/// What the kernel asks of a heuristic, at a cell and heading.
pub(crate) trait Estimate {
    /// Whether it is ever more than 0.
    const GUIDED: bool = true;
    /// The bound that orders the open list, weight included.
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32;
    /// Key of a pose on the open list, from its cost so far and its weighted bound.
    #[inline(always)]
    fn key(&self, cost: u32, bound: u32) -> u64 {
        u64::from(cost) + u64::from(bound)
    }
    /// Whether the first way found to a pose is kept, cheaper ones or not.
    #[inline(always)]
    fn keeps_first(&self) -> bool {
        false
    }
    /// Where it is not known to be consistent: most by which a key may exceed the one under way. A key
    /// outside that range is moved into it, which keeps answers exact as long as the bound holds.
    #[inline(always)]
    fn range(&self) -> Option<u64> {
        None
    }
    /// Whether a goal's bound is the cost of a known way on from it, to be counted before it is settled.
    #[inline(always)]
    fn has_exits(&self) -> bool {
        false
    }
    /// The bound itself.
    fn plain(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.weighted(state, x, y, heading)
    }
}

/// Dijkstra.
pub(crate) struct ZeroEstimate;

impl Estimate for ZeroEstimate {
    const GUIDED: bool = false;

    #[inline(always)]
    fn weighted(&self, _: u32, _: i32, _: i32, _: usize) -> u32 {
        0
    }
}

/// The goal's cells as [`CellsAround`] has them, and the least turning cost from a heading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GoalBox {
    pub(crate) low: (i32, i32),
    pub(crate) high: (i32, i32),
    pub(crate) turn_ticks: [u32; 8],
    pub(crate) shape: GridShape,
    /// Least and greatest third coordinate on hexagonal maps.
    pub(crate) third: (i32, i32),
}

impl GoalBox {
    #[inline(always)]
    pub(crate) fn apart(&self, x: i32, y: i32) -> (u32, u32) {
        let dx = (self.low.0 - x).max(x - self.high.0).max(0);
        let dy = (self.low.1 - y).max(y - self.high.1).max(0);
        (dx as u32, dy as u32)
    }

    /// Steps to the nearest cell, or fewer, on a hexagonal map.
    #[inline(always)]
    fn hex_apart(&self, x: i32, y: i32) -> u32 {
        let along_east = x - (y >> 1);
        let third = along_east + y;
        let beyond = |low: i32, at: i32, high: i32| (low - at).max(at - high);
        let most = beyond(self.low.0, along_east, self.high.0)
            .max(beyond(self.low.1, y, self.high.1))
            .max(beyond(self.third.0, third, self.third.1));
        most.max(0) as u32
    }
}

/// `rate * (major * max(dx, dy) + minor * min(dx, dy))`, rounded down, plus turning.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinearEstimate {
    pub(crate) goal: GoalBox,
    pub(crate) major: u64,
    pub(crate) minor: u64,
    /// The rate in ticks a unit of the norm: whole part, and 2^-64 parts rounded up, which is exact
    /// for every norm a map can have (see `Rate::split`).
    pub(crate) whole: u64,
    pub(crate) fraction: u64,
}

impl Estimate for LinearEstimate {
    #[inline(always)]
    fn weighted(&self, _: u32, x: i32, y: i32, heading: usize) -> u32 {
        let (dx, dy) = match self.goal.shape {
            GridShape::Square => self.goal.apart(x, y),
            GridShape::Hex => (self.goal.hex_apart(x, y), 0),
        };
        let norm = self.major * u64::from(dx.max(dy)) + self.minor * u64::from(dx.min(dy));
        let part = ((u128::from(norm) * u128::from(self.fraction)) >> 64) as u64;
        let ticks = norm * self.whole + part + u64::from(self.goal.turn_ticks[heading & 7]);
        ticks.min(u64::from(COST_MAX)) as u32
    }
}

/// [`LinearEstimate`] where the rate is a whole number of ticks and no estimate on the map is too large,
/// as for nearly every class: a third of the instructions, and it is asked at every push.
pub(crate) trait WholeNorm: Estimate + Copy + Default {
    /// The same estimate for a map on which [`LinearEstimate::is_whole`]; nothing on one of another shape.
    fn of(linear: &LinearEstimate) -> Self;
}

/// [`WholeNorm`] of square maps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WholeEstimate {
    goal: GoalBox,
    /// The rate times `major` and times `minor`.
    major: u32,
    minor: u32,
}

impl WholeNorm for WholeEstimate {
    fn of(linear: &LinearEstimate) -> Self {
        if linear.goal.shape == GridShape::Hex {
            return Self::default();
        }
        let rate = |weight: u64| (weight * linear.whole) as u32;
        Self { goal: linear.goal, major: rate(linear.major), minor: rate(linear.minor) }
    }
}

impl Estimate for WholeEstimate {
    #[inline(always)]
    fn weighted(&self, _: u32, x: i32, y: i32, heading: usize) -> u32 {
        let (dx, dy) = self.goal.apart(x, y);
        self.major * dx.max(dy) + self.minor * dx.min(dy) + self.goal.turn_ticks[heading & 7]
    }
}

/// [`WholeNorm`] of hexagonal maps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WholeHexEstimate {
    goal: GoalBox,
    rate: u32,
}

impl WholeNorm for WholeHexEstimate {
    fn of(linear: &LinearEstimate) -> Self {
        if linear.goal.shape == GridShape::Square {
            return Self::default();
        }
        Self { goal: linear.goal, rate: linear.whole as u32 }
    }
}

impl Estimate for WholeHexEstimate {
    #[inline(always)]
    fn weighted(&self, _: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.rate * self.goal.hex_apart(x, y) + self.goal.turn_ticks[heading & 7]
    }
}

/// [`WholeEstimate`] where the norm is a sum: a part for the column and one for the row, looked up.
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

impl LinearEstimate {
    /// Whether a [`WholeNorm`] can stand in on a map of that size.
    pub fn is_whole(&self, size: GridSize) -> bool {
        let (width, height) = (u64::from(size.width()), u64::from(size.height()));
        // On hexagonal maps both are 1, and no two cells are farther apart than that.
        let norm = self.major * width.max(height) + self.minor * width.min(height);
        let turning = self.goal.turn_ticks.iter().max().map_or(0, |&t| u64::from(t));
        self.fraction == 0 && norm.saturating_mul(self.whole).saturating_add(turning) <= u64::from(COST_MAX)
    }

    /// Whether the norm is a sum of columns and rows and [`LinearEstimate::is_whole`].
    pub fn is_sum(&self, size: GridSize) -> bool {
        self.goal.shape == GridShape::Square && self.major == self.minor && self.is_whole(size)
    }

    /// Writes what [`LinearEstimate::sum`] looks up, where [`LinearEstimate::is_sum`].
    pub fn list_parts(&self, size: GridSize, parts: &mut Vec<u32>) {
        let rate = (self.major * self.whole) as u32;
        parts.clear();
        parts.extend((0..size.width() as i32).map(|x| rate * self.goal.apart(x, self.goal.low.1).0));
        parts.extend((0..size.height() as i32).map(|y| rate * self.goal.apart(self.goal.low.0, y).1));
    }

    /// The same estimate with its parts listed.
    pub fn sum<'a>(&self, size: GridSize, parts: &'a [u32]) -> SumEstimate<'a> {
        let (columns, rows) = parts.split_at(size.width() as usize);
        SumEstimate { columns, rows, turn_ticks: self.goal.turn_ticks }
    }
}

/// A bound by state, or an estimate where that is more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayEstimate<'a, N> {
    pub(crate) base: N,
    /// `[n_states]`.
    pub(crate) bounds: &'a [u32],
    /// Bound of states that say more.
    pub(crate) most: u32,
    pub(crate) range: u64,
    pub(crate) has_exits: bool,
}

impl<N: WholeNorm> Estimate for ArrayEstimate<'_, N> {
    #[inline(always)]
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        self.bounds[state as usize].min(self.most).max(self.base.weighted(state, x, y, heading))
    }

    #[inline(always)]
    fn range(&self) -> Option<u64> {
        Some(self.range)
    }

    #[inline(always)]
    fn has_exits(&self) -> bool {
        self.has_exits
    }
}

/// An estimate with a weight, or with the cost so far left aside.
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

/// The norm that guides a search on maps of one shape.
pub(crate) trait LatticeNorm: Lattice {
    type Whole: WholeNorm;
}

impl LatticeNorm for Squares {
    type Whole = WholeEstimate;
}

impl LatticeNorm for Hexagons {
    type Whole = WholeHexEstimate;
}
