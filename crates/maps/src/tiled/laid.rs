//! The layers of a map laid on each other, tile by tile as they are read.

use super::error::{TiledError, TiledErrorKind};
use super::flip::{FLIPS, HEX_120, OPEN, flipped};
use super::source::Source;
use super::tileset::{Tile, Tileset, terrain_of_tiles};
use roxmltree::Node;
use std::collections::{BTreeMap, HashMap};
use wheelbase_grid::{
    CellXY, GridShape, GridSize, SIDES_MAX, SideKind, SideTable, TERRAIN_KINDS_MAX, TerrainKind, TerrainTable,
};
use wheelbase_grid::{pack_sides, unpack_sides};

/// Most tilesets that an error lists.
const TILESETS_SHOWN_MAX: usize = 8;
/// Places for meanings that are found without a search.
const RECENT: usize = 64;

/// The layers so far.
pub(super) struct Laid<'t> {
    tilesets: &'t [Tileset],
    shape: GridShape,
    given: &'t TerrainTable,
    side_table: &'t SideTable,
    size: GridSize,
    /// The kind of each cell: 0 where no tile lies, else 1 more than its place in `names`. The table of kinds is
    /// known only when all tiles are.
    kinds: Vec<u8>,
    /// Packed sides of each cell; empty while all are open.
    sides: Vec<u32>,
    /// The kinds of the tiles, in the order in which they were met.
    names: Vec<&'t str>,
    /// The tiles that lie on the map, by number.
    used: BTreeMap<u32, &'t Tile>,
    /// What the tiles mean, by number with flips. Looked up alone, never walked.
    meanings: HashMap<u32, Meaning>,
    /// Some of them, each at a place that its number gives: most tiles are alike.
    recent: [(u32, Meaning); RECENT],
}

/// What a tile does to its cell.
#[derive(Clone, Copy)]
struct Meaning {
    /// As in [`Laid::kinds`]; `None` if it adds its sides to what lies below.
    kind: Option<u8>,
    sides: [SideKind; SIDES_MAX],
}

impl<'t> Laid<'t> {
    /// No layer yet.
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
            meanings: HashMap::new(),
            // No tile has the number 0.
            recent: [(0, Meaning { kind: None, sides: OPEN }); RECENT],
        }
    }

    /// Lays a tile of a layer on what lies on a cell.
    pub fn lay(
        &mut self,
        source: &Source<'_>,
        layer: Node<'_, '_>,
        cell: usize,
        laid: u32,
    ) -> Result<(), TiledError> {
        if laid & !FLIPS == 0 {
            return Ok(());
        }
        // The flips are the highest bits.
        let place = (laid ^ laid >> 26) as usize % RECENT;
        if laid != self.recent[place].0 {
            let meaning = match self.meanings.get(&laid) {
                Some(&known) => known,
                None => self.meaning(source, layer, cell, laid)?,
            };
            self.recent[place] = (laid, meaning);
        }
        let Meaning { kind, mut sides } = self.recent[place].1;
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

    /// What a tile means that was not met before.
    fn meaning(
        &mut self,
        source: &Source<'_>,
        layer: Node<'_, '_>,
        cell: usize,
        laid: u32,
    ) -> Result<Meaning, TiledError> {
        let number = laid & !FLIPS;
        let bad_flip = self.shape == GridShape::Square && laid & HEX_120 != 0;
        let width = self.size.width() as usize;
        let cell = CellXY::new((cell % width) as i32, (cell / width) as i32);
        let behind = self.tilesets.partition_point(|tileset| tileset.first <= number);
        let tileset = self.tilesets[..behind].last();
        let tile = tileset.and_then(|tileset| tileset.tile(number - tileset.first));
        let Some(tile) = tile.filter(|_| !bad_flip) else {
            let kind = TiledErrorKind::TileOutOfRange { cell, found: laid, known: self.known_numbers() };
            return Err(source.error(layer, kind));
        };
        if tile.terrain.is_none() && tile.sides.is_none() {
            let (tile, tileset) = (tile.id, tileset.map_or("", |tileset| &tileset.name).to_owned());
            return Err(source.error(layer, TiledErrorKind::NoTerrain { cell, tile, tileset }));
        }
        self.used.insert(number, tile);
        let mut meaning = Meaning { kind: None, sides: tile.sides.unwrap_or(OPEN) };
        if let Some((name, _)) = &tile.terrain {
            let place = self.names.iter().position(|known| known == name).unwrap_or(self.names.len());
            if place == self.names.len() {
                self.names.push(name);
            }
            if place >= TERRAIN_KINDS_MAX {
                // There are too many kinds, whatever comes, or one of them is wrong.
                self.table()?;
            }
            meaning.kind = Some((place + 1) as u8);
            let starting = || {
                let given = self.given.given().iter().find(|entry| entry.name == *name);
                given.map_or(OPEN, |entry| entry.sides)
            };
            meaning.sides = tile.sides.unwrap_or_else(starting);
        }
        meaning.sides = flipped(self.shape, meaning.sides, laid & FLIPS);
        self.meanings.insert(laid, meaning);
        Ok(meaning)
    }

    /// The numbers of the tiles of all tilesets, in words; of many only the first.
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

    /// The kinds and the packed sides of all cells, these empty if all are open, and the table of kinds.
    pub fn finish(mut self) -> Result<(Vec<TerrainKind>, Vec<u32>, TerrainTable), TiledError> {
        let table = self.table()?;
        let out = table.kind_of_name("out").unwrap_or(TerrainKind(0));
        let kind_of = |name: &&str| table.kind_of_name(name).unwrap_or(out);
        let kinds: Vec<TerrainKind> = std::iter::once(out).chain(self.names.iter().map(kind_of)).collect();
        let of_cells = std::mem::take(&mut self.kinds).into_iter().map(|kind| kinds[kind as usize]);
        Ok((of_cells.collect(), self.sides, table))
    }
}
