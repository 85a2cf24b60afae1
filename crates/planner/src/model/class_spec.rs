//! The specification of a movement class, as written by the user.

use crate::model::offset::Pivot;
use crate::model::primitive::{Primitive, Sweep};
use wheelbase_grid::GridShape;

/// Costs and limits of slopes for a class (`docs/rules.md` 2.4). An agent stands at the height of the highest
/// cell under its footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Climb {
    /// Thousandths of the base time per unit of rise.
    pub up: u32,
    /// Thousandths of the base time per unit of fall; may be negative.
    pub down: i32,
    /// Maximum rise of a move, in units.
    pub max_up: Option<u32>,
    /// Maximum fall of a move, in units.
    pub max_down: Option<u32>,
    /// Maximum height difference between the highest and the lowest cell of a footprint, in units.
    pub max_tilt: Option<u32>,
}

/// Specification of a movement class; [`MovementClass::new`](crate::MovementClass::new) validates it.
///
/// Start from [`ClassSpec::new`] or [`ClassSpec::hexagonal`] and set further fields: fields may be added.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClassSpec {
    /// Name.
    pub name: String,
    /// Shape of the maps it moves on.
    pub shape: GridShape,
    /// 1 (no facing), 4 or 8; on hexagonal maps 1 or 6.
    pub headings: u8,
    /// Covered cells `(forward, right)` from the anchor while facing east, 1 to 1,024.
    pub footprint: Vec<(i32, i32)>,
    /// With 8 headings, the cells covered while facing NE, in map axes `(east, south)`. If absent: the cells
    /// that the turned body covers at least half.
    pub footprint_diagonal: Option<Vec<(i32, i32)>>,
    /// Centre of rotation; on hexagonal maps the centre of a cell.
    pub pivot: Pivot,
    /// Sweep rules of its moves; on hexagonal maps always `ends`.
    pub sweep: Sweep,
    /// Costs and limits of slopes.
    pub climb: Climb,
    /// Speeds in thousandths by name of terrain kind, overriding the map's. Names unknown to the map are ignored.
    pub speed: Vec<(String, u16)>,
    /// Speeds in thousandths by name of side kind, overriding the map's.
    pub side_speed: Vec<(String, u16)>,
    /// Its motion primitives, at most 16. A class without any is for bodies that stay, such as buildings.
    pub primitives: Vec<Primitive>,
}

impl ClassSpec {
    /// A 1x1 class for square maps that turns about its centre and sweeps in full, with no primitives yet.
    pub fn new(name: &str, headings: u8) -> Self {
        Self {
            name: name.to_owned(),
            shape: GridShape::Square,
            headings,
            footprint: vec![(0, 0)],
            footprint_diagonal: None,
            pivot: Pivot::default(),
            sweep: Sweep::usual(GridShape::Square),
            climb: Climb::default(),
            speed: Vec::new(),
            side_speed: Vec::new(),
            primitives: Vec::new(),
        }
    }

    /// Like [`ClassSpec::new`], for hexagonal maps, where it sweeps its `ends`.
    pub fn hexagonal(name: &str, headings: u8) -> Self {
        let shape = GridShape::Hex;
        Self { shape, sweep: Sweep::usual(shape), ..Self::new(name, headings) }
    }
}
