//! Headings, poses, and the dense index of a pose, which is the search state.

use wheelbase_grid::{Cell, CellXY, GridShape, GridSize};

/// A facing, counted counter-clockwise from east. With 4 headings the order is E, N, W, S. With 8 it is
/// E, NE, N and so on. With the 6 of hexagonal maps it is E, NE, NW, W, SW, SE. An agent without a facing has heading 0
/// only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Heading(pub u8);

/// Numbers of headings that a class can have: of squares 1, 4 and 8, of hexagons 1 and 6.
pub const HEADING_COUNTS: [u8; 4] = [1, 4, 6, 8];

/// Determines the cells of a body and its moves relative to the anchor, in columns and rows. It is the heading and, on
/// hexagonal maps, whether the anchor's row is even or odd, because odd rows are shifted. Numbered
/// `parity * headings + heading`; on square maps that is the heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame(pub u8);

/// Maximum number of frames of a class: 6 headings in rows of 2 parities.
pub(crate) const FRAMES_MAX: usize = 12;

/// Position of an agent: the cell of its anchor and its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// Name of a heading in files: `-` for an agent without a facing, else the compass point. With 6 headings there
/// is no `N` or `S`, with 4 nothing between them.
///
/// # Panics
/// If `heading` is not below `headings`.
pub fn heading_name(headings: u8, heading: Heading) -> &'static str {
    heading_names(headings)[heading.0 as usize]
}

/// The heading with the given name, or `None` if a class with `headings` headings has no such heading.
pub fn heading_from_name(headings: u8, name: &str) -> Option<Heading> {
    let at = heading_names(headings).iter().position(|n| *n == name)?;
    Some(Heading(at as u8))
}

/// All poses of a class on a map: size and shape of the map, and number of headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSpace {
    size: GridSize,
    shape: GridShape,
    headings: u8,
}

impl StateSpace {
    /// The poses of a class with `headings` headings on a map of the given size and shape.
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

    /// Number of frames: the number of headings, doubled on hexagonal maps.
    pub fn n_frames(self) -> u8 {
        self.shape.n_parities() * self.headings
    }

    /// Frame of the pose of a state.
    #[inline]
    pub fn frame_of(self, state: State) -> Frame {
        match self.shape {
            // The number of headings is a power of two.
            GridShape::Square => Frame(state.0 as u8 & (self.headings - 1)),
            GridShape::Hex => self.frame(self.pose(state)),
        }
    }

    /// Frame of a pose.
    #[inline]
    pub fn frame(self, pose: Pose) -> Frame {
        Frame(self.shape.parity(pose.cell.y) * self.headings + pose.heading.0)
    }

    /// Number of states; at most 2^29.
    #[inline]
    pub fn n_states(self) -> usize {
        self.size.n_cells() * self.headings as usize
    }

    /// State of a pose, or `None` if its anchor is off the map or the class lacks its heading.
    #[inline]
    pub fn state(self, pose: Pose) -> Option<State> {
        let cell = self.size.cell(pose.cell)?;
        (pose.heading.0 < self.headings)
            .then(|| State(cell.0 * u32::from(self.headings) + u32::from(pose.heading.0)))
    }

    /// Pose of a state.
    #[inline]
    pub fn pose(self, state: State) -> Pose {
        let headings = u32::from(self.headings);
        Pose { cell: self.size.xy(Cell(state.0 / headings)), heading: Heading((state.0 % headings) as u8) }
    }

    /// Formats a pose as in files: `(3, 4, E)`.
    pub fn display(self, pose: Pose) -> String {
        format!("({}, {}, {})", pose.cell.x, pose.cell.y, heading_name(self.headings, pose.heading))
    }
}
