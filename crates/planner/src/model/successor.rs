//! THE legal move and its cost: the single definition behind search, tables, traffic and checks.
//!
//! This is the obvious version, cell by cell; [`crate::MovementTables`] is compiled from the same speeds and
//! time rule, and tested against it.

use crate::model::class_spec::Climb;
use crate::model::movement::MovementClass;
use crate::model::offset::Offset;
use crate::model::pose::{Heading, Pose, StateSpace};
use std::borrow::Cow;
use std::fmt;
use wheelbase_grid::{Cell, CellXY, Change, Grid, Rect, Side, SideKind, TerrainKind};

/// `slope` of a move on flat ground, in thousandths of the base time.
pub const SLOPE_FLAT: u64 = 1000;

/// Time of a move in ticks: `ceil(base * slope / speed)`. `speed` in thousandths is the lowest over the swept cells and
/// the edges between them. `slope` is 1000 on flat ground. Overflow saturates to `u32::MAX`, longer than any path.
///
/// # Panics
/// If the speed is 0; such a move is illegal.
pub fn move_time(base: u32, slope: u64, speed: u16) -> u32 {
    let ticks = u64::from(base).saturating_mul(slope).div_ceil(u64::from(speed));
    ticks.min(u64::from(u32::MAX)) as u32
}

/// `slope` of a move that rises (negative: falls) by `rise` units.
pub(crate) fn slope_of(climb: &Climb, rise: i32) -> u64 {
    let per_unit = if rise > 0 { i64::from(climb.up) } else { i64::from(climb.down) };
    (1000 + i64::from(rise.unsigned_abs()) * per_unit).max(1) as u64
}

/// Whether the class can rise (negative: fall) by `rise` units in one move.
pub(crate) fn climbs(climb: &Climb, rise: i32) -> bool {
    let limit = if rise > 0 { climb.max_up } else { climb.max_down };
    limit.is_none_or(|limit| rise.unsigned_abs() <= limit)
}

/// Whether the class can stand on ground whose highest and lowest cell differ by `tilt` units.
pub(crate) fn tilts(climb: &Climb, tilt: i32) -> bool {
    climb.max_tilt.is_none_or(|limit| tilt.unsigned_abs() <= limit)
}

/// Why a pose is illegal: the first reason in row-major order, cells before edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoseBlocked {
    /// The anchor or a covered cell is off the map.
    OffMap {
        /// The cell.
        cell: CellXY,
    },
    /// Terrain impassable for the class.
    Terrain {
        /// The cell.
        cell: CellXY,
        /// Its kind.
        kind: TerrainKind,
    },
    /// An impassable edge between two cells of the body.
    Edge {
        /// The first of its two cells in row-major order: to the west or north.
        cell: CellXY,
        /// The side of that cell.
        side: Side,
        /// The slower of the two side kinds that face each other.
        kind: SideKind,
    },
    /// The ground under the body is too uneven.
    Tilt {
        /// Cell of the anchor.
        cell: CellXY,
        /// Height difference between the highest and the lowest cell.
        tilt: i32,
        /// Maximum for the class.
        max_tilt: u32,
    },
}

impl PoseBlocked {
    /// The reason in words, with the map's names of kinds.
    pub fn describe(&self, grid: &Grid) -> String {
        match *self {
            Self::OffMap { cell } => format!("cell {cell} is off the map of {}", grid.size()),
            Self::Terrain { cell, kind } => {
                format!("cell {cell} is {}", grid.terrain_table()[kind].name)
            }
            Self::Edge { cell, side, kind } => format!(
                "the {} side of cell {cell} is closed by {}",
                side.name(),
                grid.side_table()[kind].name
            ),
            Self::Tilt { cell, tilt, max_tilt } => {
                format!(
                    "at cell {cell} the ground under the body tilts by {tilt}; the class takes at most {max_tilt}"
                )
            }
        }
    }
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveBlocked {
    /// The class has no such primitive.
    NoSuchPrimitive {
        /// Number of the primitive.
        primitive: usize,
        /// Number of primitives of the class.
        n_primitives: usize,
    },
    /// The primitive does not start at this heading.
    WrongHeading {
        /// The heading.
        heading: Heading,
    },
    /// A swept cell or edge is blocked.
    Swept(PoseBlocked),
    /// The move rises too far.
    Rise {
        /// Rise in units.
        rise: i32,
        /// Maximum for the class.
        max_up: u32,
    },
    /// The move falls too far.
    Fall {
        /// Fall in units.
        fall: i32,
        /// Maximum for the class.
        max_down: u32,
    },
}

impl MoveBlocked {
    /// The reason in words, with the map's names of kinds.
    pub fn describe(&self, grid: &Grid) -> String {
        match self {
            Self::Swept(blocked) => blocked.describe(grid),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for MoveBlocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPrimitive { primitive, n_primitives } => {
                write!(f, "no move {primitive}; the class has {n_primitives} moves, numbered from 0")
            }
            Self::WrongHeading { heading } => {
                write!(f, "the move does not start at heading {} (`when`)", heading.0)
            }
            Self::Swept(PoseBlocked::OffMap { cell }) => write!(f, "cell {cell} is off the map"),
            Self::Swept(PoseBlocked::Terrain { cell, .. }) => write!(f, "cell {cell} is impassable"),
            Self::Swept(PoseBlocked::Edge { cell, side, .. }) => {
                write!(f, "the {} side of cell {cell} is closed", side.name())
            }
            Self::Swept(PoseBlocked::Tilt { cell, tilt, max_tilt }) => {
                write!(f, "the body would tilt by {tilt} at cell {cell}, at most {max_tilt} is allowed")
            }
            Self::Rise { rise, max_up } => write!(f, "it rises by {rise}, at most {max_up} is allowed"),
            Self::Fall { fall, max_down } => write!(f, "it falls by {fall}, at most {max_down} is allowed"),
        }
    }
}

/// A class's rules on one map: which poses and moves are legal, and the cost of a move.
///
/// ```
/// # use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// # use wheelbase_planner::*;
/// # let grid = Grid::from_rows(&["..W"], TerrainTable::movingai(), SideTable::default())?;
/// # let mut spec = ClassSpec::new("cart", 4);
/// # spec.primitives = Primitive::vehicle(2, 6, 2);
/// let class = MovementClass::new(spec)?;
/// let legality = Legality::new(&grid, &class);
/// assert_eq!(legality.explain(Pose::new(0, 0, Heading(0)), 0), Ok(2));
/// let why = legality.explain(Pose::new(1, 0, Heading(0)), 0).unwrap_err();
/// assert_eq!(why.describe(&grid), "cell (2, 0) is water");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Legality<'a> {
    grid: &'a Grid,
    class: &'a MovementClass,
    speeds: Cow<'a, ClassSpeeds>,
    /// Changes of the map that are assumed to have been made.
    changes: &'a [Change],
}

/// The speed of a class on each terrain kind and over each side kind of a map, in thousandths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSpeeds {
    terrain: Vec<u16>,
    sides: Vec<u16>,
}

impl ClassSpeeds {
    /// The map's speeds, with the overrides of the class.
    pub fn of(grid: &Grid, class: &MovementClass) -> Self {
        let terrain = grid.terrain_table().entries().iter();
        let sides = grid.side_table().entries().iter();
        let spec = class.spec();
        Self {
            terrain: terrain.map(|e| overridden(&spec.speed, &e.name, e.speed)).collect(),
            sides: sides.map(|e| overridden(&spec.side_speed, &e.name, e.speed)).collect(),
        }
    }

    /// Speed on a terrain kind of the map.
    pub fn of_terrain(&self, kind: TerrainKind) -> u16 {
        self.terrain[usize::from(kind.0)]
    }

    /// Speed over a side kind of the map.
    pub fn of_side(&self, kind: SideKind) -> u16 {
        self.sides[usize::from(kind.0)]
    }

    /// Whether a change of the map at cell `xy` can make a move that sweeps the cell legal or cheaper. The cell or one
    /// of its sides becomes faster, or its height changes and the class depends on heights. `before` and `after` have
    /// the same size and kinds. If this is false for every cell, no move becomes easier; cells off the map are false.
    pub fn may_ease(&self, class: &MovementClass, before: &Grid, after: &Grid, xy: CellXY) -> bool {
        let Some(cell) = before.size().cell(xy) else { return false };
        let by_side =
            |&side: &Side| self.of_side(after.side_of(cell, side)) > self.of_side(before.side_of(cell, side));
        let by_height = || before.elevation_of(cell) != after.elevation_of(cell);
        self.of_terrain(after.terrain_of(cell)) > self.of_terrain(before.terrain_of(cell))
            || before.shape().sides().iter().any(by_side)
            || (class.spec().climb != Climb::default() && by_height())
    }

    /// Gives a cell of the map `best`, and its sides, the kinds of `present` that are faster. Heights stay, so a move
    /// may still be easier on the present map where the class depends on them.
    pub fn ease(&self, best: &mut Grid, present: &Grid, xy: CellXY) {
        let Some(cell) = present.size().cell(xy) else { return };
        let kind = present.terrain_of(cell);
        if self.of_terrain(kind) > self.of_terrain(best.terrain_of(cell)) {
            best.set_terrain(Rect::of_cell(xy), kind);
        }
        for &side in present.shape().sides() {
            let kind = present.side_of(cell, side);
            if self.of_side(kind) > self.of_side(best.side_of(cell, side)) {
                best.set_side(xy, side, kind);
            }
        }
    }
}

impl<'a> Legality<'a> {
    /// The rules of a class on a map.
    /// # Panics
    /// If the class is for maps of another shape.
    pub fn new(grid: &'a Grid, class: &'a MovementClass) -> Self {
        assert_eq!(grid.shape(), class.grid_shape(), "a class of maps of another shape");
        Self { grid, class, speeds: Cow::Owned(ClassSpeeds::of(grid, class)), changes: &[] }
    }

    /// The rules of a class on a map as it would be after some changes. Linear in them. `speeds` are the class's speeds
    /// on the map. Does not allocate.
    ///
    /// ```
    /// # use wheelbase_grid::{Change, Grid, Rect, SideTable, TerrainKind, TerrainTable};
    /// # use wheelbase_planner::*;
    /// # use wheelbase_planner::model::ClassSpeeds;
    /// # let grid = Grid::from_rows(&["..."], TerrainTable::movingai(), SideTable::default())?;
    /// # let class = MovementClass::octile();
    /// let speeds = ClassSpeeds::of(&grid, &class);
    /// let flood = Change::Terrain { area: Rect::new(1, 0, 1, 1), kind: TerrainKind(2) };
    /// let after = Legality::after(&grid, &class, &speeds, std::slice::from_ref(&flood));
    /// assert!(Legality::new(&grid, &class).check_pose(Pose::new(1, 0, Heading(0))).is_ok());
    /// assert!(after.check_pose(Pose::new(1, 0, Heading(0))).is_err());
    /// # Ok::<(), wheelbase_grid::GridError>(())
    /// ```
    pub fn after(
        grid: &'a Grid,
        class: &'a MovementClass,
        speeds: &'a ClassSpeeds,
        changes: &'a [Change],
    ) -> Self {
        Self { grid, class, speeds: Cow::Borrowed(speeds), changes }
    }

    /// All poses.
    pub fn space(&self) -> StateSpace {
        StateSpace::new(self.grid.size(), self.grid.shape(), self.class.headings())
    }

    /// The class's speed on each terrain kind, in thousandths.
    pub fn terrain_speeds(&self) -> &[u16] {
        &self.speeds.terrain
    }

    /// The class's speed over each side kind, in thousandths.
    pub fn side_speeds(&self) -> &[u16] {
        &self.speeds.sides
    }

    /// Base time of each primitive.
    pub(crate) fn base_times(&self) -> impl Iterator<Item = u32> {
        self.class.primitives().iter().map(|p| p.time)
    }

    fn terrain_at(&self, xy: CellXY) -> Option<TerrainKind> {
        Change::terrain_after(self.changes, self.grid, xy)
    }

    fn side_of(&self, cell: Cell, side: Side) -> SideKind {
        Change::side_after(self.changes, self.grid, cell, side)
    }

    fn elevation_of(&self, cell: Cell) -> i16 {
        Change::elevation_after(self.changes, self.grid, cell)
    }

    /// The slower of the two sides that meet at an edge, and its speed. Both cells must be on the map.
    pub(crate) fn edge(&self, cell: CellXY, side: Side) -> (SideKind, u16) {
        let kind_of = |xy, side| match self.grid.size().cell(xy) {
            Some(cell) => self.side_of(cell, side),
            None => SideKind::OPEN,
        };
        let here = kind_of(cell, side);
        let there = kind_of(self.grid.shape().neighbour(cell, side), side.opposite());
        let speed = |kind: SideKind| self.speeds.sides[kind.0 as usize];
        if speed(there) < speed(here) { (there, speed(there)) } else { (here, speed(here)) }
    }

    /// Lowest speed over the cells and edges at an anchor, or the first that is impassable.
    fn lowest_speed(
        &self,
        anchor: CellXY,
        cells: &[Offset],
        edges: &[(Offset, Side)],
    ) -> Result<u16, PoseBlocked> {
        let at = |offset: &Offset| offset.cell_from(anchor);
        let mut lowest = u16::MAX;
        for cell in cells.iter().map(at) {
            let Some(kind) = self.terrain_at(cell) else {
                return Err(PoseBlocked::OffMap { cell });
            };
            let speed = self.speeds.terrain[kind.0 as usize];
            if speed == 0 {
                return Err(PoseBlocked::Terrain { cell, kind });
            }
            lowest = lowest.min(speed);
        }
        for (offset, side) in edges {
            let (kind, speed) = self.edge(at(offset), *side);
            if speed == 0 {
                return Err(PoseBlocked::Edge { cell: at(offset), side: *side, kind });
            }
            lowest = lowest.min(speed);
        }
        Ok(lowest)
    }

    /// Height at which an agent stands at a legal anchor, or why the ground is too uneven. 0 on a map without
    /// elevation.
    fn height(&self, pose: Pose) -> Result<i32, PoseBlocked> {
        if self.grid.elevation().is_none() && self.changes.is_empty() {
            return Ok(0);
        }
        let (mut lowest, mut highest) = (i32::MAX, i32::MIN);
        for offset in self.class.cells_at(pose) {
            let cell = offset.cell_from(pose.cell);
            let Some(at) = self.grid.size().cell(cell) else { return Err(PoseBlocked::OffMap { cell }) };
            let height = i32::from(self.elevation_of(at));
            (lowest, highest) = (lowest.min(height), highest.max(height));
        }
        let climb = &self.class.spec().climb;
        match climb.max_tilt {
            Some(max_tilt) if !tilts(climb, highest - lowest) => {
                Err(PoseBlocked::Tilt { cell: pose.cell, tilt: highest - lowest, max_tilt })
            }
            _ => Ok(highest),
        }
    }

    /// Whether a pose is legal, or why not.
    /// # Errors
    /// [`PoseBlocked`] with the first reason. A heading that the class lacks counts as off the map.
    pub fn check_pose(&self, pose: Pose) -> Result<(), PoseBlocked> {
        if self.space().state(pose).is_none() {
            return Err(PoseBlocked::OffMap { cell: pose.cell });
        }
        let edges = self.class.rest_edges(self.class.frame(pose));
        self.lowest_speed(pose.cell, self.class.cells_at(pose), edges)?;
        self.height(pose).map(|_| ())
    }

    /// Time of a move from a pose in ticks, or why and where it is illegal.
    /// # Errors
    /// [`MoveBlocked`] with the first reason.
    pub fn explain(&self, pose: Pose, primitive: usize) -> Result<u32, MoveBlocked> {
        let n_primitives = self.class.primitives().len();
        if primitive >= n_primitives {
            return Err(MoveBlocked::NoSuchPrimitive { primitive, n_primitives });
        }
        if self.space().state(pose).is_none() {
            return Err(MoveBlocked::Swept(PoseBlocked::OffMap { cell: pose.cell }));
        }
        let shape = self.class.shape_at(pose, primitive);
        if !shape.applies {
            return Err(MoveBlocked::WrongHeading { heading: pose.heading });
        }
        let end = self.pose_after(pose, primitive);
        if !self.grid.size().contains(end.cell) {
            return Err(MoveBlocked::Swept(PoseBlocked::OffMap { cell: end.cell }));
        }
        let speed = self.lowest_speed(pose.cell, &shape.swept, &shape.edges).map_err(MoveBlocked::Swept)?;
        let before = self.height(pose).map_err(MoveBlocked::Swept)?;
        let rise = self.height(end).map_err(MoveBlocked::Swept)? - before;
        let climb = &self.class.spec().climb;
        match (climb.max_up, climb.max_down) {
            _ if climbs(climb, rise) => {}
            (Some(max_up), _) if rise > 0 => return Err(MoveBlocked::Rise { rise, max_up }),
            (_, max_down) => {
                let max_down = max_down.unwrap_or_default();
                return Err(MoveBlocked::Fall { fall: -rise, max_down });
            }
        }
        Ok(move_time(self.class.primitives()[primitive].time, slope_of(climb, rise), speed))
    }

    /// Pose after a primitive, whether legal or not.
    pub fn pose_after(&self, pose: Pose, primitive: usize) -> Pose {
        let shape = self.class.shape_at(pose, primitive);
        let Offset { dx, dy } = shape.step;
        Pose { cell: CellXY::new(pose.cell.x + dx, pose.cell.y + dy), heading: shape.heading_after }
    }

    /// Every legal move from a pose: `(primitive, pose after it, ticks)`, in order of primitive.
    pub fn successors(&self, pose: Pose) -> impl Iterator<Item = (usize, Pose, u32)> {
        (0..self.class.primitives().len()).filter_map(move |primitive| {
            let ticks = self.explain(pose, primitive).ok()?;
            Some((primitive, self.pose_after(pose, primitive), ticks))
        })
    }

    /// Every legal move that leads to a pose: `(primitive, pose before it, ticks)`, in order of primitive, then
    /// of heading before it. The exact inverse of [`Legality::successors`].
    pub fn predecessors(&self, pose: Pose) -> impl Iterator<Item = (usize, Pose, u32)> {
        let pairs = (0..self.class.primitives().len())
            .flat_map(move |primitive| self.class.frames().map(move |frame| (primitive, frame)));
        let after = self.class.frame(pose);
        pairs.filter_map(move |(primitive, frame)| {
            let shape = self.class.shape(frame, primitive);
            // Of two rows that differ in parity, only one is at this distance.
            if shape.frame_after != after || !shape.applies {
                return None;
            }
            let cell = CellXY::new(pose.cell.x - shape.step.dx, pose.cell.y - shape.step.dy);
            let before = Pose { cell, heading: self.class.heading_of(frame) };
            Some((primitive, before, self.explain(before, primitive).ok()?))
        })
    }
}

fn overridden(overrides: &[(String, u16)], name: &str, speed: u16) -> u16 {
    overrides.iter().find(|(n, _)| n == name).map_or(speed, |&(_, s)| s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::class_spec::ClassSpec;
    use crate::model::primitive::Primitive;
    use wheelbase_grid::{SideTable, TerrainTable};

    fn truck() -> MovementClass {
        let mut spec = ClassSpec::new("truck", 4);
        spec.footprint = vec![(0, 0), (-1, 0)];
        spec.primitives = Primitive::vehicle(10, 30, 7);
        spec.speed = vec![("swamp".to_owned(), 300), ("lava".to_owned(), 1)];
        MovementClass::new(spec).unwrap()
    }

    #[test]
    fn time_is_rounded_up_from_the_slowest_cell() {
        assert_eq!(move_time(10, SLOPE_FLAT, 1000), 10);
        assert_eq!(move_time(10, SLOPE_FLAT, 300), 34);
        assert_eq!(move_time(1, SLOPE_FLAT, u16::MAX), 1);
        assert_eq!(move_time(65_535, SLOPE_FLAT, 1), 65_535_000);
        let grid = Grid::from_rows(&["..S."], TerrainTable::movingai(), SideTable::default()).unwrap();
        let class = truck();
        let legality = Legality::new(&grid, &class);
        assert_eq!(legality.explain(Pose::new(1, 0, Heading(0)), 0), Ok(34));
        // The body still covers swamp while it drives out of it.
        assert_eq!(legality.explain(Pose::new(2, 0, Heading(0)), 0), Ok(34));
        assert_eq!(legality.explain(Pose::new(3, 0, Heading(0)), 1), Ok(100));
    }

    #[test]
    fn reasons_name_the_cell() {
        let mut grid =
            Grid::from_rows(&["....", "...T", "...."], TerrainTable::movingai(), SideTable::default())
                .unwrap();
        grid.add_wall([2, 0, 2, 1]).unwrap();
        let class = truck();
        let legality = Legality::new(&grid, &class);
        let why = |x, y, h, m| legality.explain(Pose::new(x, y, Heading(h)), m).unwrap_err().describe(&grid);
        assert_eq!(why(1, 0, 0, 0), "the E side of cell (1, 0) is closed by wall");
        assert_eq!(why(2, 1, 0, 0), "cell (3, 1) is trees");
        assert_eq!(why(1, 1, 0, 1), "cell (-1, 1) is off the map of 4 x 3");
        assert_eq!(why(0, 1, 0, 9), "no move 9; the class has 4 moves, numbered from 0");
        let pose = Pose::new(0, 0, Heading(0));
        assert_eq!(legality.check_pose(pose), Err(PoseBlocked::OffMap { cell: CellXY::new(-1, 0) }));
    }
}
