//! The plain structures that several parts of the interface share, and what they are in Rust.

#![allow(non_camel_case_types)]

use crate::arguments::Sized32;
use crate::status::Failure;
use wheelbase_grid::{CellXY, Change, Grid, GridShape, Rect, SIDES_MAX, SideKind, TerrainKind};
use wheelbase_planner::search::{Answer, Guide, HeuristicName};
use wheelbase_planner::{GoalMember, Heading, Path, PathPose, Pose, Status, model::Reached};

/// The heading of a goal that may be reached with any heading.
pub const WB_ANY_HEADING: u32 = u32::MAX;
/// No number: no agent, no limit, no ticket, where a comment says so.
pub const WB_NONE: u32 = u32::MAX;
/// Ticks to a place that is never reached.
pub const WB_NEVER: u32 = u32::MAX;

/// If the goal cannot be reached, there is no path.
pub const WB_FALLBACK_FAIL: u32 = 0;
/// If the goal cannot be reached, the path leads to the nearest pose that can be reached.
pub const WB_FALLBACK_NEAREST: u32 = 1;

/// Square cells. Sides: 0 east, 1 north, 2 west, 3 south.
pub const WB_SHAPE_SQUARE: u32 = 0;
/// Hexagonal cells with a corner to the north; odd rows are shifted half a cell to the east. Sides: 0 east, 1
/// northeast, 2 northwest, 3 west, 4 southwest, 5 southeast.
pub const WB_SHAPE_HEX: u32 = 1;

/// A cell: column and row. x grows to the east, y to the south; (0, 0) is the northwest cell. May lie off the map.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_cell {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

/// A pose: the cell of the anchor, and the heading counted counterclockwise from east. 4 headings are 0 E, 1 N, 2 W, 3
/// S. 8 headings are E, NE, N, NW, W, SW, S, SE. The 6 headings of hexagonal maps are E, NE, NW, W, SW, SE. A single
/// heading is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_pose {
    /// Column of the anchor.
    pub x: i32,
    /// Row of the anchor.
    pub y: i32,
    /// Heading; in goals also `WB_ANY_HEADING`.
    pub heading: u32,
}

/// A member of a goal: a pose, or a cell with `WB_ANY_HEADING`.
pub type wb_goal = wb_pose;

/// A rectangle of cells. Empty if `width` or `height` is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_rect {
    /// Column of the northwest cell.
    pub x: i32,
    /// Row of the northwest cell.
    pub y: i32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// A pose and when it is reached.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_path_pose {
    /// The pose.
    pub pose: wb_pose,
    /// Ticks from the start of the path.
    pub arrival: u32,
}

/// A change that sets the terrain kind of the cells of `area` to `value`; cells off the map are ignored.
pub const WB_CHANGE_TERRAIN: u32 = 0;
/// A change that sets the height of the cells of `area` to `value`, -32768 to 32767; cells off the map are ignored.
pub const WB_CHANGE_ELEVATION: u32 = 1;
/// A change that sets the sides of the cell (`area.x`, `area.y`), which is on the map, to `side_kinds`.
pub const WB_CHANGE_SIDES: u32 = 2;
/// A change that rotates the cell (`area.x`, `area.y`), which is on the map, with its sides. It turns counterclockwise
/// by `value` steps: quarter turns of a square, sixths of a turn of a hexagon.
pub const WB_CHANGE_ROTATE: u32 = 3;
/// In `side_kinds`: this side stays as it is.
pub const WB_KEEP: u32 = u32::MAX;
/// The side kind that never limits a move. Further kinds come from the map's file.
pub const WB_SIDE_OPEN: u32 = 0;
/// The side kind that no move crosses.
pub const WB_SIDE_WALL: u32 = 1;

/// A change of a map.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_change {
    /// `WB_CHANGE_TERRAIN`, `WB_CHANGE_ELEVATION`, `WB_CHANGE_SIDES` or `WB_CHANGE_ROTATE`.
    pub kind: u32,
    /// The cells; of the last two kinds only `x` and `y` are read.
    pub area: wb_rect,
    /// Terrain kind, height or steps; not read for `WB_CHANGE_SIDES`.
    pub value: i32,
    /// Read for `WB_CHANGE_SIDES` only: kinds by number of the side (see `WB_SHAPE_SQUARE`), or `WB_KEEP`. Square cells
    /// ignore the last two.
    pub side_kinds: [u32; 6],
}

const _: () = assert!(SIDES_MAX == 6);

/// A path to the goal was found; with `WB_FALLBACK_NEAREST`, or to the nearest pose.
pub const WB_PLAN_FOUND: u32 = 0;
/// The anchor of the start is off the map.
pub const WB_PLAN_START_OFF_MAP: u32 = 1;
/// No member of the goal has its anchor on the map.
pub const WB_PLAN_GOAL_OFF_MAP: u32 = 2;
/// The start is not a legal pose.
pub const WB_PLAN_START_BLOCKED: u32 = 3;
/// No member of the goal is a legal pose.
pub const WB_PLAN_GOAL_BLOCKED: u32 = 4;
/// There is no path.
pub const WB_PLAN_UNREACHABLE: u32 = 5;
/// The limit of expansions was reached first.
pub const WB_PLAN_LIMIT_REACHED: u32 = 6;
/// The path would take more than 2^32 - 2 ticks.
pub const WB_PLAN_COST_OVERFLOW: u32 = 7;
/// The map has a path, but agents on hold, or resting agents of other teams, block it: of `wb_world_plan` alone.
pub const WB_PLAN_OBSTRUCTED: u32 = 8;

/// The names of the results, each with the zero byte that ends it in C.
const RESULTS: [&str; 9] = [
    "found\0",
    "start_off_map\0",
    "goal_off_map\0",
    "start_blocked\0",
    "goal_blocked\0",
    "unreachable\0",
    "limit_reached\0",
    "cost_overflow\0",
    "obstructed\0",
];

/// There is no path.
pub const WB_REACHED_NOTHING: u32 = 0;
/// The path ends at a member of the goal.
pub const WB_REACHED_GOAL: u32 = 1;
/// The path ends at the pose nearest to the goal.
pub const WB_REACHED_NEAREST: u32 = 2;
/// The path ends at the best pose expanded before the limit.
pub const WB_REACHED_PARTIAL: u32 = 3;

/// The default heuristic: the norm that estimates most for the class. As a guide in an answer: never.
pub const WB_HEURISTIC_DEFAULT: u32 = 0;
/// No heuristic: Dijkstra's algorithm.
pub const WB_HEURISTIC_ZERO: u32 = 1;
/// Manhattan norm; square maps only.
pub const WB_HEURISTIC_MANHATTAN: u32 = 2;
/// Chebyshev norm; square maps only.
pub const WB_HEURISTIC_CHEBYSHEV: u32 = 3;
/// Octile norm; square maps only.
pub const WB_HEURISTIC_OCTILE: u32 = 4;
/// Euclidean norm.
pub const WB_HEURISTIC_EUCLID: u32 = 5;
/// Hexagonal norm; hexagonal maps only.
pub const WB_HEURISTIC_HEXAGONAL: u32 = 6;
/// Greedy: a path, fast, and not the cheapest one.
pub const WB_HEURISTIC_GREEDY: u32 = 7;
/// As a guide in an answer: landmarks.
pub const WB_GUIDE_LANDMARKS: u32 = 100;
/// As a guide in an answer: a field of costs to the goal.
pub const WB_GUIDE_FIELD: u32 = 101;
/// As a guide in an answer: costs learned by earlier searches.
pub const WB_GUIDE_LEARNED: u32 = 102;
/// As a guide in an answer: a bound that the host gives.
pub const WB_GUIDE_CUSTOM: u32 = 103;

/// What came of a request.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_answer {
    /// `sizeof(wb_answer)`, set by the caller.
    pub size: u32,
    /// `WB_PLAN_FOUND` ...
    pub result: u32,
    /// Where the path ends: `WB_REACHED_GOAL` ...; `WB_REACHED_NOTHING` without a path.
    pub reached: u32,
    /// Ticks that the path takes; 0 without one.
    pub cost: u32,
    /// Poses that the search expanded.
    pub expansions: u64,
    /// The last pose of the path; all zeros without one.
    pub end: wb_pose,
    /// Moves of the path.
    pub moves: u32,
    /// What guided the search: `WB_HEURISTIC_ZERO` ... or `WB_GUIDE_LANDMARKS` ...
    pub guide: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: numbers alone, without padding, the first a `u32`.
unsafe impl Sized32 for wb_answer {
    const SIZE_MIN: usize = 48;
    const NAME: &'static str = "wb_answer";
}

impl From<CellXY> for wb_cell {
    fn from(cell: CellXY) -> Self {
        Self { x: cell.x, y: cell.y }
    }
}

impl From<wb_cell> for CellXY {
    fn from(cell: wb_cell) -> Self {
        Self::new(cell.x, cell.y)
    }
}

impl From<Rect> for wb_rect {
    fn from(area: Rect) -> Self {
        Self { x: area.x, y: area.y, width: area.width, height: area.height }
    }
}

impl From<wb_rect> for Rect {
    fn from(area: wb_rect) -> Self {
        Self::new(area.x, area.y, area.width, area.height)
    }
}

impl From<Pose> for wb_pose {
    fn from(pose: Pose) -> Self {
        Self { x: pose.cell.x, y: pose.cell.y, heading: u32::from(pose.heading.0) }
    }
}

impl From<PathPose> for wb_path_pose {
    fn from(pose: PathPose) -> Self {
        Self { pose: pose.pose.into(), arrival: pose.arrival }
    }
}

impl wb_pose {
    /// The pose of a class with a number of headings; it may lie off the map.
    pub(crate) fn pose(self, headings: u8, name: &str) -> Result<Pose, Failure> {
        Ok(Pose::new(self.x, self.y, heading(self.heading, headings, name)?))
    }

    /// The member of a goal of a class with a number of headings.
    pub(crate) fn goal(self, headings: u8, name: impl Fn() -> String) -> Result<GoalMember, Failure> {
        let cell = CellXY::new(self.x, self.y);
        if self.heading == WB_ANY_HEADING {
            return Ok(GoalMember::any(cell));
        }
        // The name is needed only for a mistake, which is rare. So it is made only then.
        match heading(self.heading, headings, "") {
            Ok(heading) => Ok(GoalMember { cell, heading: Some(heading) }),
            Err(_) => Err(Failure::argument(format!(
                "`{}.heading` is {}, expected less than {headings}, or WB_ANY_HEADING",
                name(),
                self.heading
            ))),
        }
    }
}

fn heading(number: u32, headings: u8, name: &str) -> Result<Heading, Failure> {
    if number < u32::from(headings) {
        return Ok(Heading(number as u8));
    }
    Err(Failure::argument(format!("`{name}.heading` is {number}, expected less than {headings}")))
}

/// Appends the members of a goal of a class with a number of headings.
pub(crate) fn goal_members(
    goals: &[wb_goal],
    headings: u8,
    members: &mut Vec<GoalMember>,
) -> Result<(), Failure> {
    for (number, goal) in goals.iter().enumerate() {
        members.push(goal.goal(headings, || format!("goals[{number}]"))?);
    }
    Ok(())
}

/// The changes of Rust, checked against the map, all of them before any is made.
pub(crate) fn changes(given: &[wb_change], grid: &Grid) -> Result<Vec<Change>, Failure> {
    changes_where(given, grid.shape(), |change| change.check(grid).map_err(|error| error.to_string()))
}

/// The changes of Rust for maps of a shape. Whether they can be made on the map is not checked.
pub(crate) fn changes_unchecked(given: &[wb_change], shape: GridShape) -> Result<Vec<Change>, Failure> {
    changes_where(given, shape, |_| Ok(()))
}

fn changes_where(
    given: &[wb_change],
    shape: GridShape,
    check: impl Fn(&Change) -> Result<(), String>,
) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::with_capacity(given.len());
    for (number, change) in given.iter().enumerate() {
        let from = changes.len();
        let in_change = |why: String| Failure::argument(format!("changes[{number}]: {why}"));
        push_change(change, shape, &mut changes).map_err(in_change)?;
        changes[from..].iter().try_for_each(&check).map_err(in_change)?;
    }
    Ok(changes)
}

fn push_change(change: &wb_change, shape: GridShape, changes: &mut Vec<Change>) -> Result<(), String> {
    let area = Rect::from(change.area);
    let cell = CellXY::new(area.x, area.y);
    match change.kind {
        WB_CHANGE_TERRAIN => {
            let kind = u8::try_from(change.value)
                .map_err(|_| format!("terrain kind {}, expected a kind of the map, from 0", change.value))?;
            changes.push(Change::Terrain { area, kind: TerrainKind(kind) });
        }
        WB_CHANGE_ELEVATION => {
            let height = i16::try_from(change.value)
                .map_err(|_| format!("height {}, expected -32768 to 32767", change.value))?;
            changes.push(Change::Elevation { area, height });
        }
        WB_CHANGE_SIDES => {
            let sides = shape.sides().iter().zip(change.side_kinds);
            for (&side, kind) in sides.filter(|(_, kind)| *kind != WB_KEEP) {
                let kind = u8::try_from(kind).map_err(|_| {
                    format!("side kind {kind}, expected a kind of the map, from 0, or WB_KEEP")
                })?;
                changes.push(Change::Side { cell, side, kind: SideKind(kind) });
            }
        }
        WB_CHANGE_ROTATE => changes.push(Change::Rotate { cell, turns: change.value }),
        kind => return Err(format!("kind {kind}, expected 0 to {WB_CHANGE_ROTATE}: WB_CHANGE_TERRAIN ...")),
    }
    Ok(())
}

/// The number of a shape in C.
pub(crate) fn shape_number(shape: GridShape) -> u32 {
    match shape {
        GridShape::Square => WB_SHAPE_SQUARE,
        GridShape::Hex => WB_SHAPE_HEX,
    }
}

/// The shape of a number in C.
pub(crate) fn shape(number: u32, name: &str) -> Result<GridShape, Failure> {
    match number {
        WB_SHAPE_SQUARE => Ok(GridShape::Square),
        WB_SHAPE_HEX => Ok(GridShape::Hex),
        _ => Err(Failure::argument(format!(
            "`{name}` is {number}, expected WB_SHAPE_SQUARE (0) or WB_SHAPE_HEX (1)"
        ))),
    }
}

/// The heuristic of a number in C; `None` for the default one.
pub(crate) fn heuristic(number: u32) -> Result<Option<HeuristicName>, Failure> {
    match number {
        WB_HEURISTIC_DEFAULT => Ok(None),
        _ => HeuristicName::ALL.get(number as usize - 1).copied().map(Some).ok_or_else(|| {
            let most = HeuristicName::ALL.len();
            Failure::argument(format!(
                "`heuristic` is {number}, expected 0 to {most}: WB_HEURISTIC_DEFAULT ..."
            ))
        }),
    }
}

/// The name of a result with a zero byte at its end, or `None` for a number that is none.
pub(crate) fn result_name(result: u32) -> Option<&'static str> {
    RESULTS.get(result as usize).copied()
}

/// The number of where a path or an order ends.
pub(crate) fn reached_number(reached: Option<Reached>) -> u32 {
    match reached {
        None => WB_REACHED_NOTHING,
        Some(Reached::Goal) => WB_REACHED_GOAL,
        Some(Reached::Nearest) => WB_REACHED_NEAREST,
        Some(_) => WB_REACHED_PARTIAL,
    }
}

/// An answer of Rust with its path.
pub(crate) fn answer(answer: &Answer, path: &Path) -> wb_answer {
    wb_answer {
        size: size_of::<wb_answer>() as u32,
        result: result_number(answer.status),
        reached: reached_number(answer.reached),
        cost: answer.cost,
        expansions: answer.expansions,
        end: path.poses.last().map_or(wb_pose::default(), |last| last.pose.into()),
        moves: path.moves.len() as u32,
        guide: match answer.guide {
            Guide::Nothing => WB_HEURISTIC_ZERO,
            Guide::Norm(name) => {
                HeuristicName::ALL.iter().position(|other| *other == name).map_or(0, |at| at as u32 + 1)
            }
            Guide::Landmarks => WB_GUIDE_LANDMARKS,
            Guide::Field => WB_GUIDE_FIELD,
            Guide::Learned => WB_GUIDE_LEARNED,
            _ => WB_GUIDE_CUSTOM,
        },
        reserved: 0,
    }
}

/// The number of a result in C.
pub(crate) fn result_number(status: Status) -> u32 {
    match status {
        Status::Found => WB_PLAN_FOUND,
        Status::StartOffMap => WB_PLAN_START_OFF_MAP,
        Status::GoalOffMap => WB_PLAN_GOAL_OFF_MAP,
        Status::StartBlocked => WB_PLAN_START_BLOCKED,
        Status::GoalBlocked => WB_PLAN_GOAL_BLOCKED,
        Status::Unreachable => WB_PLAN_UNREACHABLE,
        Status::LimitReached => WB_PLAN_LIMIT_REACHED,
        Status::CostOverflow => WB_PLAN_COST_OVERFLOW,
        Status::Obstructed => WB_PLAN_OBSTRUCTED,
        _ => WB_NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::{SideTable, TerrainTable};

    #[test]
    fn numbers_of_results_and_heuristics_are_those_of_the_libraries() {
        let all = [
            (Status::Found, WB_PLAN_FOUND),
            (Status::StartOffMap, WB_PLAN_START_OFF_MAP),
            (Status::GoalOffMap, WB_PLAN_GOAL_OFF_MAP),
            (Status::StartBlocked, WB_PLAN_START_BLOCKED),
            (Status::GoalBlocked, WB_PLAN_GOAL_BLOCKED),
            (Status::Unreachable, WB_PLAN_UNREACHABLE),
            (Status::LimitReached, WB_PLAN_LIMIT_REACHED),
            (Status::CostOverflow, WB_PLAN_COST_OVERFLOW),
            (Status::Obstructed, WB_PLAN_OBSTRUCTED),
        ];
        for (status, number) in all {
            assert_eq!(result_number(status), number);
            assert_eq!(result_name(number).unwrap().trim_end_matches('\0'), status.name());
        }
        assert_eq!(result_name(9), None);
        let heuristics = [
            (WB_HEURISTIC_ZERO, HeuristicName::Zero),
            (WB_HEURISTIC_MANHATTAN, HeuristicName::Manhattan),
            (WB_HEURISTIC_CHEBYSHEV, HeuristicName::Chebyshev),
            (WB_HEURISTIC_OCTILE, HeuristicName::Octile),
            (WB_HEURISTIC_EUCLID, HeuristicName::Euclid),
            (WB_HEURISTIC_HEXAGONAL, HeuristicName::Hexagonal),
            (WB_HEURISTIC_GREEDY, HeuristicName::Greedy),
        ];
        for (number, name) in heuristics {
            assert_eq!(heuristic(number), Ok(Some(name)));
        }
        assert!(heuristic(8).is_err() && heuristic(u32::MAX).is_err());
    }

    #[test]
    fn a_wrong_change_is_named_by_its_number() {
        let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default()).unwrap();
        let terrain =
            wb_change { area: wb_rect { x: 1, y: 0, width: 2, height: 1 }, value: 2, ..Default::default() };
        let sides = wb_change {
            kind: WB_CHANGE_SIDES,
            side_kinds: [WB_SIDE_WALL, WB_KEEP, 1, WB_KEEP, 77, 77],
            ..Default::default()
        };
        assert_eq!(changes(&[terrain, sides], &grid).unwrap().len(), 3);
        let message = |change| changes(&[terrain, change], &grid).unwrap_err().message;
        assert_eq!(
            message(wb_change { value: 9, ..terrain }),
            "changes[1]: terrain kind 9: the map has 5 kinds"
        );
        assert_eq!(
            message(wb_change { value: -1, ..terrain }),
            "changes[1]: terrain kind -1, expected a kind of the map, from 0"
        );
        assert_eq!(
            message(wb_change { kind: WB_CHANGE_ELEVATION, value: 40_000, ..terrain }),
            "changes[1]: height 40000, expected -32768 to 32767"
        );
        assert_eq!(
            message(wb_change { kind: 4, ..terrain }),
            "changes[1]: kind 4, expected 0 to 3: WB_CHANGE_TERRAIN ..."
        );
        let off_map = wb_change { area: wb_rect { x: 9, y: 9, width: 1, height: 1 }, ..sides };
        assert_eq!(message(off_map), "changes[1]: cell (9, 9) is off the map of 4 x 1");
    }
}
