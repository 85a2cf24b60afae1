//! Motion primitives: the moves of an agent.

use crate::model::pose::Heading;
use wheelbase_grid::GridShape;

/// Maximum number of primitives of a class.
pub const PRIMITIVES_MAX: usize = 16;
/// Maximum displacement of the anchor along one axis by a primitive, in cells.
pub const DISPLACEMENT_MAX: i32 = 255;
/// Maximum base time of a primitive, in ticks.
pub const TIME_MAX: u32 = 65_535;

/// The headings from which a primitive can start, for classes with 8 headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum When {
    /// All headings.
    #[default]
    Any,
    /// E, N, W and S.
    Straight,
    /// NE, NW, SW and SE. The displacement and swept cells are given in map axes `(east, south)` while facing
    /// NE, and rotate with the heading by quarter turns.
    Diagonal,
}

impl When {
    /// Whether it includes a heading.
    pub fn holds(self, heading: Heading) -> bool {
        match self {
            Self::Any => true,
            Self::Straight => heading.0.is_multiple_of(2),
            Self::Diagonal => !heading.0.is_multiple_of(2),
        }
    }

    /// Whether the two have a heading in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        self == Self::Any || other == Self::Any || self == other
    }
}

/// Which cells a move touches (`docs/rules.md` 2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum SweepRule {
    /// The footprints at both ends, and at each equal step between them.
    Ends,
    /// Every cell whose interior the moving body touches; for square maps only.
    #[default]
    Full,
}

/// The sweep rules for displacements and for turns. A primitive that does both and lists no `swept` cells is
/// swept in full where either rule is `full`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sweep {
    /// For primitives that move.
    pub moves: SweepRule,
    /// For primitives that turn.
    pub turns: SweepRule,
}

impl Sweep {
    /// The same rule for both.
    pub const fn both(rule: SweepRule) -> Self {
        Self { moves: rule, turns: rule }
    }

    /// The default on maps of a shape: `full` on square maps, `ends` on hexagonal maps.
    pub const fn usual(shape: GridShape) -> Self {
        match shape {
            GridShape::Square => Self::both(SweepRule::Full),
            GridShape::Hex => Self::both(SweepRule::Ends),
        }
    }

    /// Whether either rule is `full`.
    pub(crate) fn any_full(self) -> bool {
        self.moves == SweepRule::Full || self.turns == SweepRule::Full
    }
}

/// A move of an agent, in its own frame. Start from [`Primitive::step`] or [`Primitive::turn`]: fields may be added.
///
/// ```
/// use wheelbase_planner::Primitive;
/// let forward = Primitive::step("forward", (1, 0), 10);
/// let left = Primitive::turn("left", 1, 10);
/// assert_eq!((forward.by, left.turn), ((1, 0), 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Primitive {
    /// Name, unique in its class.
    pub name: String,
    /// Displacement `(forward, right)` in cells, each at most 255 in magnitude. A class with one heading gives
    /// it in map axes `(east, south)`, on hexagonal maps `(east, south-east)`.
    pub by: (i32, i32),
    /// Heading steps, counter-clockwise (left) positive; fewer than the number of headings in magnitude.
    pub turn: i32,
    /// Base time in ticks at speed 1000, 1 to 65,535.
    pub time: u32,
    /// Additional swept cells, as offsets from the start anchor in the start frame. A primitive that both moves and
    /// turns sweeps these and its `ends`. Without a list, and with the sweep rule `full`, it sweeps more.
    /// It sweeps every cell that the body touches at any angle of the turn and any point of the way.
    pub swept: Option<Vec<(i32, i32)>>,
    /// Headings from which it can start. With 8 headings a primitive that moves or lists swept cells must be
    /// `Straight` or `Diagonal`; with fewer headings it must be `Any`.
    pub when: When,
}

impl Primitive {
    /// A displacement by `(forward, right)` cells at constant heading.
    pub fn step(name: &str, by: (i32, i32), time: u32) -> Self {
        Self { name: name.to_owned(), by, turn: 0, time, swept: None, when: When::Any }
    }

    /// A turn by `turn` heading steps about the pivot, left positive.
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

    /// Steps to the four neighbours, named `E` `N` `W` `S`, for a class without a facing.
    pub fn four_directions(time: u32) -> Vec<Self> {
        let directions = [("E", (1, 0)), ("N", (0, -1)), ("W", (-1, 0)), ("S", (0, 1))];
        directions.into_iter().map(|(name, by)| Self::step(name, by, time)).collect()
    }

    /// Steps to the eight cells around, named by their direction, for a class without a facing and with any body. A
    /// diagonal step takes `diagonal` ticks. Under the sweep rule `full` it cuts no corner.
    ///
    /// ```
    /// use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
    /// let mut scout = ClassSpec::new("scout", 1);
    /// scout.primitives = Primitive::eight_directions(10, 14);
    /// assert_eq!(MovementClass::new(scout)?.primitives()[1].name, "NE");
    /// # Ok::<(), wheelbase_planner::model::ClassError>(())
    /// ```
    pub fn eight_directions(straight: u32, diagonal: u32) -> Vec<Self> {
        let directions = [
            ("E", (1, 0)),
            ("NE", (1, -1)),
            ("N", (0, -1)),
            ("NW", (-1, -1)),
            ("W", (-1, 0)),
            ("SW", (-1, 1)),
            ("S", (0, 1)),
            ("SE", (1, 1)),
        ];
        let ticks = |(dx, dy): (i32, i32)| if dx * dy == 0 { straight } else { diagonal };
        directions.into_iter().map(|(name, by)| Self::step(name, by, ticks(by))).collect()
    }

    /// Steps to the six neighbours, named `E` `NE` `NW` `W` `SW` `SE`, for a class without a facing on
    /// hexagonal maps.
    pub fn six_directions(time: u32) -> Vec<Self> {
        let directions = [
            ("E", (1, 0)),
            ("NE", (1, -1)),
            ("NW", (0, -1)),
            ("W", (-1, 0)),
            ("SW", (-1, 1)),
            ("SE", (0, 1)),
        ];
        directions.into_iter().map(|(name, by)| Self::step(name, by, time)).collect()
    }
}
