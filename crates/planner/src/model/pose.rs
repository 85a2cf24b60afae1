//! Headings, poses and their dense index, the search state.

use wheelbase_grid::{Cell, CellXY, GridShape, GridSize};

/// A facing, counted counter-clockwise from east: of 4 headings 0 is E, 1 N, 2 W, 3 S; of 8
/// 0 is E, 1 NE, 2 N and so on; of the 6 of hexagonal maps E, NE, NW, W, SW, SE. An agent that has no
/// facing has heading 0 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Heading(pub u8);

/// What the cells of a body and of its moves depend on, counted from the anchor in columns and rows: the
/// heading, and on hexagonal maps also whether the anchor's row is even or odd, for odd rows are shifted.
/// Its number is `parity * headings + heading`, so on square maps that of the heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame(pub u8);

/// Most frames a class has: 6 headings in two kinds of rows.
pub(crate) const FRAMES_MAX: usize = 12;

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
const NAMES_6: [&str; 6] = ["E", "NE", "NW", "W", "SW", "SE"];
const NAMES_8: [&str; 8] = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];

fn heading_names(headings: u8) -> &'static [&'static str] {
    match headings {
        1 => &NAMES_1,
        4 => &NAMES_4,
        6 => &NAMES_6,
        _ => &NAMES_8,
    }
}

/// Name of a heading as written in files: `-` for an agent without a facing, else the compass point; 6
/// headings have no `N` and `S`, 4 have nothing between.
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

/// All poses of a class on a map: size and shape of the map and number of headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSpace {
    size: GridSize,
    shape: GridShape,
    headings: u8,
}

impl StateSpace {
    /// The poses of a class with `headings` headings on a map of that size and shape.
    pub fn new(size: GridSize, shape: GridShape, headings: u8) -> Self {
        Self { size, shape, headings }
    }

    /// Size of the map.
    pub fn size(self) -> GridSize {
        self.size
    }

    /// Shape of the map's cells.
    pub fn shape(self) -> GridShape {
        self.shape
    }

    /// Number of headings: 1, 4 or 8; 6 on hexagonal maps.
    pub fn headings(self) -> u8 {
        self.headings
    }

    /// Number of frames: as many as headings, twice as many on hexagonal maps.
    pub fn n_frames(self) -> u8 {
        self.shape.n_parities() * self.headings
    }

    /// Frame of the pose of a state.
    pub fn frame_of(self, state: State) -> Frame {
        match self.shape {
            // A power of two.
            GridShape::Square => Frame(state.0 as u8 & (self.headings - 1)),
            GridShape::Hex => self.frame(self.pose(state)),
        }
    }

    /// Frame of a pose.
    pub fn frame(self, pose: Pose) -> Frame {
        Frame(self.shape.parity(pose.cell.y) * self.headings + pose.heading.0)
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
