//! The kinds of the sides of all cells, four bits per side.

use crate::cell::Cell;
use crate::shape::{GridShape, SIDES_MAX};
use crate::terrain::SideKind;

/// Side kinds by cell and side number, the east side in the lowest bits. Not allocated while every side is
/// open.
#[derive(Clone, Debug, Default)]
pub(crate) struct SideLayer {
    /// Sides 0 to 3 of each cell.
    first: Vec<u16>,
    /// Sides 4 and 5 of each cell; hexagonal maps only.
    rest: Vec<u8>,
}

impl SideLayer {
    /// The layer of a map of the given cells, each with the initial sides of its kind.
    pub fn starting(shape: GridShape, starts: &[u32], kinds: impl Iterator<Item = usize> + Clone) -> Self {
        let mut layer = Self::default();
        if kinds.clone().all(|kind| starts[kind] == 0) {
            return layer;
        }
        layer.first = kinds.clone().map(|kind| starts[kind] as u16).collect();
        if shape == GridShape::Hex {
            layer.rest = kinds.map(|kind| (starts[kind] >> 16) as u8).collect();
        }
        layer
    }

    /// The layer of these packed sides, one for each cell; no layer for none.
    #[cfg(feature = "serde")]
    pub fn of_packed(shape: GridShape, packed: &[u32]) -> Self {
        let rest = if shape == GridShape::Hex { packed } else { &[] };
        Self {
            first: packed.iter().map(|&sides| sides as u16).collect(),
            rest: rest.iter().map(|&sides| (sides >> 16) as u8).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Allocates the layer for every cell, with all sides open.
    pub fn fill_open(&mut self, shape: GridShape, n_cells: usize) {
        self.first = vec![0; n_cells];
        if shape == GridShape::Hex {
            self.rest = vec![0; n_cells];
        }
    }

    /// Kind of the side with the given number.
    pub fn kind(&self, cell: Cell, number: usize) -> SideKind {
        let cell = cell.0 as usize;
        let Some(&first) = self.first.get(cell) else { return SideKind::OPEN };
        let packed = if number < 4 { first } else { u16::from(self.rest[cell]) };
        SideKind((packed >> (4 * (number % 4)) & 15) as u8)
    }

    /// All sides of a cell, packed by [`pack_sides`].
    pub fn packed(&self, cell: Cell) -> u32 {
        let at = |layer: Option<u32>| layer.unwrap_or(0);
        let cell = cell.0 as usize;
        at(self.first.get(cell).map(|&p| u32::from(p))) | at(self.rest.get(cell).map(|&p| u32::from(p))) << 16
    }

    /// Sets all sides of a cell. The layer must be allocated.
    pub fn set_packed(&mut self, cell: Cell, packed: u32) {
        let cell = cell.0 as usize;
        self.first[cell] = packed as u16;
        if let Some(rest) = self.rest.get_mut(cell) {
            *rest = (packed >> 16) as u8;
        }
    }
}

/// Packs the kinds of a cell's sides into one number: four bits per side, the east side lowest.
pub fn pack_sides(sides: &[SideKind; SIDES_MAX]) -> u32 {
    sides.iter().enumerate().fold(0, |packed, (at, kind)| packed | u32::from(kind.0) << (4 * at))
}

/// Inverse of [`pack_sides`].
pub fn unpack_sides(packed: u32) -> [SideKind; SIDES_MAX] {
    std::array::from_fn(|at| SideKind((packed >> (4 * at) & 15) as u8))
}

/// The packed sides of a tile rotated counter-clockwise by `turns` steps: sides are packed counter-clockwise,
/// so this is a rotation of the bits.
pub(crate) fn turned_sides(shape: GridShape, packed: u32, turns: i32) -> u32 {
    let n_sides = shape.sides().len() as i32;
    let (bits, by) = (4 * n_sides, 4 * turns.rem_euclid(n_sides));
    let doubled = u64::from(packed) << bits | u64::from(packed);
    (doubled >> (bits - by)) as u32 & ((1 << bits) - 1)
}
