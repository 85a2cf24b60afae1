//! Combines the layers of a map, tile by tile as they are read.

use super::error::{TiledError, TiledErrorKind};
use super::flip::{FLIPS, HEX_120, OPEN, flipped};
use super::source::Source;
use super::tileset::{Tile, Tileset, terrain_of_tiles};
use roxmltree::Node;
use std::collections::{BTreeMap, HashMap};
use wheelbase_grid::{
    CellXY, GridShape, GridSize, SIDES_MAX, SideKind, SideTable, TERRAIN_KINDS_MAX, TerrainKind,
    TerrainTable, pack_sides, unpack_sides,
};

/// Most tilesets that an error lists.
const TILESETS_SHOWN_MAX: usize = 8;
/// Slots of the cache of tile effects.
const CACHE_SLOTS: usize = 64;

/// The layers combined so far.
pub(super) struct TileStack<'t> {
    tilesets: &'t [Tileset],
    shape: GridShape,
    /// The kinds of the caller.
    given: &'t TerrainTable,
    side_table: &'t SideTable,
    size: GridSize,
    /// The kind of each cell: 0 without a tile, else its index in `names` plus 1. The table of kinds is known only after
    /// the last tile.
    kinds: Vec<u8>,
    /// Packed sides of each cell; empty while all are open.
    sides: Vec<u32>,
    /// Names of the kinds of the tiles, in the order of their first tile.
    names: Vec<&'t str>,
    /// The tiles on the map, by number.
    used: BTreeMap<u32, &'t Tile>,
    /// Effects of the tiles, by number with flips. Only for look-ups: the order of a hash map must not matter.
    effects: HashMap<u32, TileEffect>,
    /// A direct-mapped cache of them: most tiles repeat.
    cache: [(u32, TileEffect); CACHE_SLOTS],
}

/// The effect of a tile on its cell.
#[derive(Clone, Copy)]
struct TileEffect {
    /// As in [`TileStack::kinds`]; `None` if the tile only adds its sides to those below.
    kind: Option<u8>,
    sides: [SideKind; SIDES_MAX],
}

impl<'t> TileStack<'t> {
    /// Without layers yet.
    pub fn new(
        tilesets: &'t [Tileset],
        (shape, given, side_table): (GridShape, &'t TerrainTable, &'t SideTable),
        size: GridSize,
    ) -> Self {
        Self {
            tilesets,
            shape,
            given,
            side_table,
            size,
            kinds: vec![0; size.n_cells()],
            sides: Vec::new(),
            names: Vec::new(),
            used: BTreeMap::new(),
            effects: HashMap::new(),
            // No tile has number 0.
            cache: [(0, TileEffect { kind: None, sides: OPEN }); CACHE_SLOTS],
        }
    }

    /// Puts a tile of a layer on a cell. `tile` is its number with its flips.
    pub fn add_tile(
        &mut self,
        source: &Source<'_>,
        layer: Node<'_, '_>,
        cell: usize,
        tile: u32,
    ) -> Result<(), TiledError> {
        if tile & !FLIPS == 0 {
            return Ok(());
        }
        // Mixes in the flips, the highest bits.
        let slot = (tile ^ tile >> 26) as usize % CACHE_SLOTS;
        if tile != self.cache[slot].0 {
            let effect = match self.effects.get(&tile) {
                Some(&known) => known,
                None => self.new_effect(source, layer, cell, tile)?,
            };
            self.cache[slot] = (tile, effect);
        }
        let TileEffect { kind, mut sides } = self.cache[slot].1;
        let below = self.sides.get(cell).copied().unwrap_or(0);
        if let Some(kind) = kind {
            self.kinds[cell] = kind;
        } else {
            let below = unpack_sides(below);
            (0..SIDES_MAX).for_each(|side| sides[side] = self.slower(below[side], sides[side]));
        }
        let sides = pack_sides(&sides);
        if sides != below {
            if self.sides.is_empty() {
                self.sides = vec![0; self.size.n_cells()];
            }
            self.sides[cell] = sides;
        }
        Ok(())
    }

    fn slower(&self, a: SideKind, b: SideKind) -> SideKind {
        if self.side_table[b].speed < self.side_table[a].speed { b } else { a }
    }

    /// The effect of a tile that has not occurred before.
    fn new_effect(
        &mut self,
        source: &Source<'_>,
        layer: Node<'_, '_>,
        cell: usize,
        flipped_number: u32,
    ) -> Result<TileEffect, TiledError> {
        let number = flipped_number & !FLIPS;
        let bad_flip = self.shape == GridShape::Square && flipped_number & HEX_120 != 0;
        let width = self.size.width() as usize;
        let cell = CellXY::new((cell % width) as i32, (cell / width) as i32);
        let after = self.tilesets.partition_point(|tileset| tileset.first <= number);
        let tileset = self.tilesets[..after].last();
        let tile = tileset.and_then(|tileset| tileset.tile(number - tileset.first));
        let Some(tile) = tile.filter(|_| !bad_flip) else {
            let kind =
                TiledErrorKind::TileOutOfRange { cell, found: flipped_number, known: self.known_numbers() };
            return Err(source.error(layer, kind));
        };
        if tile.terrain.is_none() && tile.sides.is_none() {
            let (tile, tileset) = (tile.id, tileset.map_or("", |tileset| &tileset.name).to_owned());
            return Err(source.error(layer, TiledErrorKind::NoTerrain { cell, tile, tileset }));
        }
        self.used.insert(number, tile);
        let mut effect = TileEffect { kind: None, sides: tile.sides.unwrap_or(OPEN) };
        if let Some((name, _)) = &tile.terrain {
            let index = self.names.iter().position(|known| known == name).unwrap_or(self.names.len());
            if index == self.names.len() {
                self.names.push(name);
            }
            if index >= TERRAIN_KINDS_MAX {
                // Fails: there are too many kinds, or one of them is wrong.
                self.table()?;
            }
            effect.kind = Some((index + 1) as u8);
            let sides_of_kind = || {
                let given = self.given.given().iter().find(|entry| entry.name == *name);
                given.map_or(OPEN, |entry| entry.sides)
            };
            effect.sides = tile.sides.unwrap_or_else(sides_of_kind);
        }
        effect.sides = flipped(self.shape, effect.sides, flipped_number & FLIPS);
        self.effects.insert(flipped_number, effect);
        Ok(effect)
    }

    /// The tile numbers of all tilesets, for a message; of many tilesets only the first.
    fn known_numbers(&self) -> String {
        let shown = self.tilesets.iter().take(TILESETS_SHOWN_MAX).map(Tileset::numbers);
        let shown = shown.collect::<Vec<_>>().join(", ");
        match self.tilesets.len().saturating_sub(TILESETS_SHOWN_MAX) {
            0 => shown,
            more => format!("{shown} or of one of {more} more"),
        }
    }

    /// The kinds of the map.
    fn table(&self) -> Result<TerrainTable, TiledError> {
        terrain_of_tiles(self.given, self.used.values().copied(), self.tilesets)
    }

    /// The map: kinds and packed sides of all cells (no sides if all are open), and the table of kinds.
    pub fn finish(mut self) -> Result<(Vec<TerrainKind>, Vec<u32>, TerrainTable), TiledError> {
        let table = self.table()?;
        let out = table.kind_of_name("out").unwrap_or(TerrainKind(0));
        let kind_of = |name: &&str| table.kind_of_name(name).unwrap_or(out);
        let kinds: Vec<TerrainKind> = std::iter::once(out).chain(self.names.iter().map(kind_of)).collect();
        let of_cells = std::mem::take(&mut self.kinds).into_iter().map(|kind| kinds[kind as usize]);
        Ok((of_cells.collect(), self.sides, table))
    }
}
