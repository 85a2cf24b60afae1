//! Motion primitives: the moves an agent can make.

use crate::model::pose::Heading;

/// Most primitives a class may have.
pub const PRIMITIVES_MAX: usize = 16;
/// Farthest that one primitive may move the anchor along one axis, in cells.
pub const DISPLACEMENT_MAX: i32 = 255;
/// Longest base time of a primitive, in ticks.
pub const TIME_MAX: u32 = 65_535;

/// From which headings a primitive can start, with 8 headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum When {
    /// From all.
    #[default]
    Any,
    /// From E, N, W and S.
    Straight,
    /// From NE, NW, SW and SE. Its displacement and swept cells are given in map axes `(east, south)`
    /// while facing NE, and turn with the heading by quarter turns.
    Diagonal,
}

impl When {
    /// Whether it holds at a heading.
    pub fn holds(self, heading: Heading) -> bool {
        match self {
            Self::Any => true,
            Self::Straight => heading.0.is_multiple_of(2),
            Self::Diagonal => !heading.0.is_multiple_of(2),
        }
    }

    /// Whether both can hold at one heading.
    pub(crate) fn meets(self, other: Self) -> bool {
        self == Self::Any || other == Self::Any || self == other
    }
}

/// Which cells a move touches (DESIGN 2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SweepRule {
    /// The footprints at both ends, and at each of the equal steps between.
    #[default]
    Ends,
    /// Every cell whose open square the moving body touches.
    Full,
}

/// The rule for displacements and the rule for turns. A primitive that does both is swept as `ends`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sweep {
    /// Of primitives that move.
    pub moves: SweepRule,
    /// Of primitives that turn.
    pub turns: SweepRule,
}

impl Sweep {
    /// One rule for both.
    pub const fn both(rule: SweepRule) -> Self {
        Self { moves: rule, turns: rule }
    }
}

/// One move an agent can make, in its own frame.
///
/// ```
/// use wheelbase_planner::Primitive;
/// let forward = Primitive::step("forward", (1, 0), 10);
/// let left = Primitive::turn("left", 1, 10);
/// assert_eq!((forward.by, left.turn), ((1, 0), 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Name, unique in its class.
    pub name: String,
    /// Displacement `(forward, right)` in cells, each at most 255 either way. A class with one
    /// heading gives it in map axes `(east, south)`, on hexagonal maps `(east, south-east)`.
    pub by: (i32, i32),
    /// Heading steps, positive counter-clockwise (left); less than the number of headings.
    pub turn: i32,
    /// Base time in ticks at speed 1000, 1 to 65,535.
    pub time: u32,
    /// Further swept cells, offsets from the start anchor in the start frame. A primitive that both moves
    /// and turns must list them, if only an empty list, where a rule of the class is `full`.
    pub swept: Option<Vec<(i32, i32)>>,
    /// From which headings it can start; with 8 headings one that moves or lists swept cells must say
    /// `Straight` or `Diagonal`, with fewer it is `Any`.
    pub when: When,
}

impl Primitive {
    /// A displacement by `(forward, right)` cells that keeps the heading.
    pub fn step(name: &str, by: (i32, i32), time: u32) -> Self {
        Self { name: name.to_owned(), by, turn: 0, time, swept: None, when: When::Any }
    }

    /// A turn by so many heading steps, positive to the left, about the pivot.
    pub fn turn(name: &str, turn: i32, time: u32) -> Self {
        Self { name: name.to_owned(), by: (0, 0), turn, time, swept: None, when: When::Any }
    }

    /// The usual four moves of a vehicle: `forward`, `reverse`, `left`, `right`.
    pub fn vehicle(forward: u32, reverse: u32, turn: u32) -> Vec<Self> {
        vec![
            Self::step("forward", (1, 0), forward),
            Self::step("reverse", (-1, 0), reverse),
            Self::turn("left", 1, turn),
            Self::turn("right", -1, turn),
        ]
    }

    /// Steps to the four neighbours, named `E` `N` `W` `S`, for a class without facing.
    pub fn four_ways(time: u32) -> Vec<Self> {
        let ways = [("E", (1, 0)), ("N", (0, -1)), ("W", (-1, 0)), ("S", (0, 1))];
        ways.into_iter().map(|(name, by)| Self::step(name, by, time)).collect()
    }

    /// Steps to the six neighbours, named `E` `NE` `NW` `W` `SW` `SE`, for a class without facing on
    /// hexagonal maps.
    pub fn six_ways(time: u32) -> Vec<Self> {
        let ways = [
            ("E", (1, 0)),
            ("NE", (1, -1)),
            ("NW", (0, -1)),
            ("W", (-1, 0)),
            ("SW", (-1, 1)),
            ("SE", (0, 1)),
        ];
        ways.into_iter().map(|(name, by)| Self::step(name, by, time)).collect()
    }
}
