//! What a user writes of a movement class.

use crate::model::offset::Pivot;
use crate::model::primitive::{Primitive, Sweep};
use wheelbase_grid::GridShape;

/// What slopes cost a class and which it can take (DESIGN 2.4). An agent stands at the height of the
/// highest cell under its footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Climb {
    /// Permille of the base time for each unit that a move rises.
    pub up: u32,
    /// Permille of the base time for each unit that it falls; may be negative.
    pub down: i32,
    /// Most units that a move may rise.
    pub max_up: Option<u32>,
    /// Most units that it may fall.
    pub max_down: Option<u32>,
    /// Most units by which the highest and the lowest cell of a footprint may differ.
    pub max_tilt: Option<u32>,
}

/// What a user writes of a class; [`MovementClass::new`](crate::MovementClass::new) checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSpec {
    /// Name.
    pub name: String,
    /// The shape of the maps it moves on.
    pub shape: GridShape,
    /// 1 (no facing), 4 or 8; on hexagonal maps 1 or 6.
    pub headings: u8,
    /// Covered cells `(forward, right)` from the anchor while facing east, 1 to 1,024.
    pub footprint: Vec<(i32, i32)>,
    /// With 8 headings, the cells covered while facing NE, in map axes `(east, south)`; without it those
    /// of which the turned body covers at least half.
    pub footprint_diagonal: Option<Vec<(i32, i32)>>,
    /// Where it turns; on hexagonal maps the centre of a cell.
    pub pivot: Pivot,
    /// Which cells its moves touch.
    pub sweep: Sweep,
    /// What slopes cost it.
    pub climb: Climb,
    /// Speeds in permille by name of terrain kind, in place of the map's. Names the map lacks are
    /// ignored.
    pub speed: Vec<(String, u16)>,
    /// Speeds in permille by name of side kind, in place of the map's.
    pub side_speed: Vec<(String, u16)>,
    /// Its moves, 1 to 16.
    pub primitives: Vec<Primitive>,
}

impl ClassSpec {
    /// A 1x1 class of square maps that turns about its centre, without moves yet.
    pub fn new(name: &str, headings: u8) -> Self {
        Self {
            name: name.to_owned(),
            shape: GridShape::Square,
            headings,
            footprint: vec![(0, 0)],
            footprint_diagonal: None,
            pivot: Pivot::default(),
            sweep: Sweep::default(),
            climb: Climb::default(),
            speed: Vec::new(),
            side_speed: Vec::new(),
            primitives: Vec::new(),
        }
    }

    /// The same for hexagonal maps.
    pub fn hexagonal(name: &str, headings: u8) -> Self {
        Self { shape: GridShape::Hex, ..Self::new(name, headings) }
    }
}
