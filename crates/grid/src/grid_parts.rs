//! A map as serde writes and reads it: its layers as lists, checked before a map is made of them.

use crate::cell::{Cell, GridSize};
use crate::colour::Rgb;
use crate::grid::{Grid, Layers};
use crate::shape::{GridShape, SIDES_MAX};
use crate::side_layer::{SideLayer, pack_sides, unpack_sides};
use crate::terrain::{
    SIDE_KINDS_MAX, SideEntry, SideKind, SideTable, TERRAIN_KINDS_MAX, TerrainEntry, TerrainKind,
    TerrainTable,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A terrain kind: name, glyphs, speed, colour, initial sides packed.
type TerrainParts = (String, String, u16, Option<Rgb>, u32);

/// The parts of a map. Layers that the map does not have are empty.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct GridParts {
    size: GridSize,
    shape: GridShape,
    /// The kinds, and how many of them the user gave.
    terrain_kinds: (Vec<TerrainParts>, u32),
    /// Name and speed.
    side_kinds: Vec<(String, u16)>,
    /// Row-major, as are the others.
    terrain: Vec<u8>,
    /// All sides of each cell, packed.
    sides: Vec<u32>,
    elevation: Vec<i16>,
    revision: u64,
}

impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        GridParts::of(self).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        GridParts::deserialize(from)?.into_grid().map_err(de::Error::custom)
    }
}

impl GridParts {
    fn of(grid: &Grid) -> Self {
        let kinds = grid.terrain_table().entries().iter().map(|entry| {
            let TerrainEntry { name, glyphs, speed, colour, sides } = entry.clone();
            (name, glyphs, speed, colour, pack_sides(&sides))
        });
        let n_given = grid.terrain_table().given().len() as u32;
        let sides = grid.side_table().entries().iter();
        let n_cells = if grid.all_sides_open() { 0 } else { grid.size().n_cells() as u32 };
        Self {
            size: grid.size(),
            shape: grid.shape(),
            terrain_kinds: (kinds.collect(), n_given),
            side_kinds: sides.map(|entry| (entry.name.clone(), entry.speed)).collect(),
            terrain: grid.terrain().iter().map(|kind| kind.0).collect(),
            sides: (0..n_cells).map(|cell| grid.packed_sides(Cell(cell))).collect(),
            elevation: grid.elevation().unwrap_or_default().to_vec(),
            revision: grid.revision(),
        }
    }

    fn into_grid(self) -> Result<Grid, String> {
        let Self { size, shape, terrain_kinds, side_kinds, terrain, sides, elevation, revision } = self;
        let n_side_kinds = side_kinds.len();
        let side_table = side_table_of(side_kinds)?;
        let terrain_table = terrain_table_of(terrain_kinds, n_side_kinds)?;
        for (layer, found, may_be_empty) in [
            ("terrain", terrain.len(), false),
            ("sides", sides.len(), true),
            ("elevation", elevation.len(), true),
        ] {
            if found != size.n_cells() && !(may_be_empty && found == 0) {
                return Err(format!("{layer} of {found} cells, expected {}", size.n_cells()));
            }
        }
        let n_kinds = terrain_table.entries().len();
        if let Some(at) = terrain.iter().position(|&kind| usize::from(kind) >= n_kinds) {
            let (cell, kind) = (size.xy(Cell(at as u32)), terrain[at]);
            return Err(format!("cell {cell} has terrain kind {kind}, expected one of {n_kinds}"));
        }
        let n_sides = shape.sides().len();
        if let Some(at) = sides.iter().position(|&packed| !are_sides(packed, n_sides, n_side_kinds)) {
            let cell = size.xy(Cell(at as u32));
            return Err(format!("cell {cell} has a side of a kind that is none of {n_side_kinds}"));
        }
        let terrain = terrain.into_iter().map(TerrainKind).collect();
        let layers = Layers { terrain, sides: SideLayer::of_packed(shape, &sides), elevation };
        Ok(Grid::of_layers((size, shape), layers, (terrain_table, side_table), revision))
    }
}

/// Whether packed sides name known kinds, and no side that the shape lacks.
fn are_sides(packed: u32, n_sides: usize, n_kinds: usize) -> bool {
    let kinds = unpack_sides(packed);
    packed >> (4 * SIDES_MAX) == 0
        && kinds[..n_sides].iter().all(|kind| usize::from(kind.0) < n_kinds)
        && kinds[n_sides..].iter().all(|&kind| kind == SideKind::OPEN)
}

fn side_table_of(kinds: Vec<(String, u16)>) -> Result<SideTable, String> {
    let n = kinds.len();
    if n > SIDE_KINDS_MAX {
        return Err(format!("{n} side kinds, expected at most {SIDE_KINDS_MAX}"));
    }
    let names: Vec<String> = kinds.iter().map(|(name, _)| name.clone()).collect();
    let entries = kinds.into_iter().map(|(name, speed)| SideEntry { name, speed });
    let table = SideTable::new(entries.collect()).map_err(|error| error.to_string())?;
    let found = table.entries().iter().map(|entry| &entry.name);
    if found.eq(&names) { Ok(table) } else { Err("the first side kinds are not open and wall".to_owned()) }
}

fn terrain_table_of(
    (kinds, n_given): (Vec<TerrainParts>, u32),
    n_side_kinds: usize,
) -> Result<TerrainTable, String> {
    let (n, n_given) = (kinds.len(), n_given as usize);
    if n > TERRAIN_KINDS_MAX || n_given > n {
        return Err(format!("{n} terrain kinds, {n_given} given, expected at most {TERRAIN_KINDS_MAX}"));
    }
    let mut entries = Vec::with_capacity(n);
    for (name, glyphs, speed, colour, packed) in kinds {
        if !are_sides(packed, SIDES_MAX, n_side_kinds) {
            return Err(format!("terrain kind \"{name}\" begins with a side that is none of {n_side_kinds}"));
        }
        entries.push(TerrainEntry { name, glyphs, speed, colour, sides: unpack_sides(packed) });
    }
    TerrainTable::of_parts(entries, n_given).map_err(|error| error.to_string())
}
