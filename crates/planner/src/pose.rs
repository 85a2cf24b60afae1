//! Headings, poses and their dense index, the search state.

use wheelbase_grid::{Cell, CellXY, GridSize};

/// A facing, counted counter-clockwise from east: of 4 headings 0 is E, 1 N, 2 W, 3 S; of 8
/// 0 is E, 1 NE, 2 N and so on. An agent
/// that has no facing has heading 0 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Heading(pub u8);

/// Where an agent is: the cell of its anchor and its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pose {
    /// Cell of the anchor.
    pub cell: CellXY,
    /// Facing.
    pub heading: Heading,
}

impl Pose {
    /// The pose with its anchor in cell `(x, y)`.
    pub const fn new(x: i32, y: i32, heading: Heading) -> Self {
        Self { cell: CellXY::new(x, y), heading }
    }
}

/// Dense index of a pose on a map: `(y * width + x) * headings + heading`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub u32);

const NAMES_1: [&str; 1] = ["-"];
const NAMES_4: [&str; 4] = ["E", "N", "W", "S"];
const NAMES_8: [&str; 8] = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];

fn heading_names(headings: u8) -> &'static [&'static str] {
    match headings {
        1 => &NAMES_1,
        4 => &NAMES_4,
        _ => &NAMES_8,
    }
}

/// Name of a heading as written in files: `-` for an agent without a facing, else `E`, `N`, `W`, `S`, and
/// of 8 headings also `NE`, `NW`, `SW`, `SE`.
///
/// # Panics
/// If `heading` is not below `headings`.
pub fn heading_name(headings: u8, heading: Heading) -> &'static str {
    heading_names(headings)[heading.0 as usize]
}

/// The heading of that name, or `None` if a class with so many headings has none of that name.
pub fn heading_from_name(headings: u8, name: &str) -> Option<Heading> {
    let at = heading_names(headings).iter().position(|n| *n == name)?;
    Some(Heading(at as u8))
}

/// All poses of a class on a map: size of the map and number of headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSpace {
    size: GridSize,
    headings: u8,
}

impl StateSpace {
    /// The poses of a class with `headings` headings on a map of that size.
    pub fn new(size: GridSize, headings: u8) -> Self {
        Self { size, headings }
    }

    /// Size of the map.
    pub fn size(self) -> GridSize {
        self.size
    }

    /// Number of headings: 1, 4 or 8.
    pub fn headings(self) -> u8 {
        self.headings
    }

    /// Number of states; at most 2^29.
    pub fn n_states(self) -> usize {
        self.size.n_cells() * self.headings as usize
    }

    /// State of a pose, or `None` if its anchor is off the map or it has no such heading.
    pub fn state(self, pose: Pose) -> Option<State> {
        let cell = self.size.cell(pose.cell)?;
        (pose.heading.0 < self.headings)
            .then(|| State(cell.0 * u32::from(self.headings) + u32::from(pose.heading.0)))
    }

    /// Pose of a state.
    pub fn pose(self, state: State) -> Pose {
        let headings = u32::from(self.headings);
        Pose { cell: self.size.xy(Cell(state.0 / headings)), heading: Heading((state.0 % headings) as u8) }
    }

    /// Writes a pose as files do: `(3, 4, E)`.
    pub fn display(self, pose: Pose) -> String {
        format!("({}, {}, {})", pose.cell.x, pose.cell.y, heading_name(self.headings, pose.heading))
    }
}
