//! Combines the layers of a map, tile by tile as they are read.

use super::error::{TiledError, TiledErrorKind};
use super::flip::{FLIPS, HEX_120, OPEN, flipped};
use super::layer::Layer;
use super::source::SourceLocation;
use super::tile_kinds::{KindOfTile, TileKinds};
use super::tileset::{Name, Tile, Tileset};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use wheelbase_grid::{
    CellXY, GridShape, GridSize, SIDES_MAX, SideKind, SideTable, TERRAIN_KINDS_MAX, TerrainEntry,
    TerrainKind, TerrainTable, pack_sides, unpack_sides,
};

/// Most tilesets that an error lists.
const TILESETS_SHOWN_MAX: usize = 8;
/// Slots of the cache of tile effects.
const CACHE_SLOTS: usize = 64;

/// What tiles may be, besides what they say themselves.
#[derive(Clone, Copy)]
pub(super) struct KnownKinds<'t> {
    pub shape: GridShape,
    /// The kinds of the caller.
    pub terrain: &'t TerrainTable,
    pub sides: &'t SideTable,
    /// The kinds that the caller gives to tiles by name.
    pub of_tiles: &'t TileKinds,
}

/// The layers combined so far.
pub(super) struct TileStack<'t> {
    tilesets: &'t [Tileset],
    known: KnownKinds<'t>,
    size: GridSize,
    /// The speed of each kind that has one in the map.
    speeds: BTreeMap<&'t str, u16>,
    layers: &'t [Layer<'t>],
    /// Index of the layer that is being read.
    layer_idx: usize,
    /// The kind of each cell: 0 without a tile, else its index in `names` plus 1. The table of kinds is known only
    /// after the last tile.
    kinds: Vec<u8>,
    /// Packed sides of each cell; empty while all are open.
    sides: Vec<u32>,
    /// Names of the kinds of the tiles, in the order of their first tile.
    names: Vec<(&'t str, &'t SourceLocation)>,
    /// The tiles on the map that have a kind, by number, each with the index of its kind in `names`.
    used: BTreeSet<(u32, usize)>,
    /// The tiles of which nothing says what they are, by number.
    unknown: BTreeSet<u32>,
    /// The error on the first of them.
    first_unknown: Option<TiledError>,
    /// Effects of the tiles of the layer, by number with flips. Only for look-ups: the order of a hash map must not
    /// matter.
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

/// Sides of a tile, if any are said.
type SaidSides = Option<[SideKind; SIDES_MAX]>;

/// What a tile is.
enum Meaning<'t> {
    /// Terrain of this name, and where that is said.
    Terrain(&'t str, &'t SourceLocation, SaidSides),
    /// Sides that are added to those below.
    SidesAlone([SideKind; SIDES_MAX]),
    /// Nothing that matters.
    Decoration,
    /// Nothing says it.
    Unknown,
}

impl TileEffect {
    const NONE: Self = Self { kind: None, sides: OPEN };
}

impl<'t> TileStack<'t> {
    /// Without tiles yet.
    /// # Errors
    /// If two tiles give their kind different speeds.
    pub fn new(
        tilesets: &'t [Tileset],
        layers: &'t [Layer<'t>],
        known: KnownKinds<'t>,
        size: GridSize,
    ) -> Result<Self, TiledError> {
        Ok(Self {
            tilesets,
            known,
            size,
            speeds: speeds_of(tilesets, layers, known.terrain)?,
            layers,
            layer_idx: 0,
            kinds: vec![0; size.n_cells()],
            sides: Vec::new(),
            names: Vec::new(),
            used: BTreeSet::new(),
            unknown: BTreeSet::new(),
            first_unknown: None,
            effects: HashMap::new(),
            // No tile has number 0.
            cache: [(0, TileEffect::NONE); CACHE_SLOTS],
        })
    }

    /// Begins the next layer, which may say other things of the same tiles. Returns whether it is to be read.
    pub fn begin_layer(&mut self, layer_idx: usize) -> bool {
        self.layer_idx = layer_idx;
        self.effects.clear();
        self.cache = [(0, TileEffect::NONE); CACHE_SLOTS];
        !self.known.of_tiles.is_decoration(self.layer().name)
    }

    fn layer(&self) -> &'t Layer<'t> {
        &self.layers[self.layer_idx]
    }

    /// Puts a tile of the layer on a cell. `tile` is its number with its flips.
    pub fn add_tile(&mut self, cell: usize, tile: u32) -> Result<(), TiledError> {
        if tile & !FLIPS == 0 {
            return Ok(());
        }
        // Mixes in the flips, the highest bits.
        let slot = (tile ^ tile >> 26) as usize % CACHE_SLOTS;
        if tile != self.cache[slot].0 {
            let effect = match self.effects.get(&tile) {
                Some(&known) => known,
                None => self.new_effect(cell, tile)?,
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
        if self.known.sides[b].speed < self.known.sides[a].speed { b } else { a }
    }

    /// The effect of a tile that has not occurred before in the layer.
    fn new_effect(&mut self, cell: usize, flipped_number: u32) -> Result<TileEffect, TiledError> {
        let KnownKinds { shape, terrain, .. } = self.known;
        let number = flipped_number & !FLIPS;
        let bad_flip = shape == GridShape::Square && flipped_number & HEX_120 != 0;
        let width = self.size.width() as usize;
        let cell = CellXY::new((cell % width) as i32, (cell / width) as i32);
        let tilesets = self.tilesets;
        let after = tilesets.partition_point(|tileset| tileset.first <= number);
        let tileset = tilesets[..after].last();
        let tile = tileset.and_then(|tileset| Some((tileset, tileset.tile(number - tileset.first)?)));
        let Some((tileset, tile)) = tile.filter(|_| !bad_flip) else {
            let kind =
                TiledErrorKind::TileOutOfRange { cell, found: flipped_number, known: self.known_numbers() };
            return Err(self.layer().location.error(kind));
        };
        let id = number - tileset.first;
        let mut effect = TileEffect::NONE;
        match self.meaning(tileset, id, tile) {
            Meaning::Decoration => {}
            Meaning::SidesAlone(sides) => effect.sides = sides,
            Meaning::Terrain(name, location, sides) => {
                let index = self.names.iter().position(|(known, _)| *known == name);
                let index = index.unwrap_or(self.names.len());
                if index == self.names.len() {
                    self.names.push((name, location));
                }
                self.used.insert((number, index));
                if index >= TERRAIN_KINDS_MAX {
                    // Fails: there are too many kinds, or one of them is wrong.
                    self.table()?;
                }
                effect.kind = Some((index + 1) as u8);
                let sides_of_kind = || {
                    let given = terrain.given().iter().find(|entry| entry.name == name);
                    given.map_or(OPEN, |entry| entry.sides)
                };
                effect.sides = sides.unwrap_or_else(sides_of_kind);
            }
            Meaning::Unknown => {
                self.unknown.insert(number);
                let class = tile.class.as_ref().map_or(String::new(), |class| class.name.clone());
                let kind = TiledErrorKind::NoTerrain {
                    cell,
                    tile: id,
                    tileset: tileset.name.clone(),
                    class,
                    more: 0,
                };
                let location = &self.layer().location;
                self.first_unknown.get_or_insert_with(|| location.error(kind));
            }
        }
        effect.sides = flipped(shape, effect.sides, flipped_number & FLIPS);
        self.effects.insert(flipped_number, effect);
        Ok(effect)
    }

    /// What a tile of the layer is: by its number, its own properties, its layer, its tileset, in this order.
    fn meaning(&self, tileset: &'t Tileset, id: u32, tile: &'t Tile) -> Meaning<'t> {
        let (of_tiles, layer) = (self.known.of_tiles, self.layer());
        let given = |kind, sides| match kind {
            KindOfTile::Kind(name) => Meaning::Terrain(name, &layer.location, sides),
            KindOfTile::Decoration => Meaning::Decoration,
        };
        let named = |Name { name, location }: &'t Name, sides| match of_tiles.of_name(name) {
            Some(kind) => given(kind, sides),
            None => Meaning::Terrain(name, location, sides),
        };
        if let Some(kind) = of_tiles.of_tile(&tileset.name, id) {
            return given(kind, tile.sides);
        }
        // A class may also be for other programs.
        let class = tile.class.as_ref().filter(|Name { name, .. }| {
            let is_known = || self.known.terrain.kind_of_name(name).is_some();
            of_tiles.of_name(name).is_some() || is_known() || self.speeds.contains_key(name.as_str())
        });
        if let Some(name) = tile.terrain.as_ref().or(class) {
            return named(name, tile.sides);
        }
        if let Some(sides) = tile.sides {
            return Meaning::SidesAlone(sides);
        }
        if let Some(kind) = of_tiles.of_name(layer.name) {
            return given(kind, layer.says.sides);
        }
        if let Some(terrain) = &layer.says.terrain {
            return named(terrain, layer.says.sides);
        }
        if let Some(sides) = layer.says.sides {
            return Meaning::SidesAlone(sides);
        }
        of_tiles.of_name(&tileset.name).map_or(Meaning::Unknown, |kind| given(kind, None))
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

    /// The kinds of the map: the caller's kinds, further kinds of the used tiles, and the kinds of the MovingAI
    /// format.
    fn table(&self) -> Result<TerrainTable, TiledError> {
        let standard = TerrainTable::movingai();
        let mut entries = self.known.terrain.given().to_vec();
        let nowhere = SourceLocation::default();
        let mut last = &nowhere;
        for (name, location) in self.used.iter().map(|&(_, index)| self.names[index]) {
            if entries.iter().any(|entry| entry.name == name) {
                continue;
            }
            let standard_speed = standard.kind_of_name(name).map(|kind| standard[kind].speed);
            let Some(speed) = self.speeds.get(name).copied().or(standard_speed) else {
                return Err(location.error(TiledErrorKind::NoSpeed { terrain: name.to_owned() }));
            };
            let (name, glyphs, sides) = (name.to_owned(), String::new(), [SideKind::OPEN; SIDES_MAX]);
            entries.push(TerrainEntry { name, glyphs, speed, colour: None, sides });
            last = location;
        }
        TerrainTable::with_standard(entries).map_err(|why| last.error(TiledErrorKind::Table(why)))
    }

    /// The map: kinds and packed sides of all cells (no sides if all are open), and the table of kinds.
    pub fn finish(mut self) -> Result<(Vec<TerrainKind>, Vec<u32>, TerrainTable), TiledError> {
        if let Some(mut error) = self.first_unknown.take() {
            if let TiledErrorKind::NoTerrain { more, .. } = &mut error.kind {
                *more = self.unknown.len() - 1;
            }
            return Err(error);
        }
        let table = self.table()?;
        let out = table.kind_of_name("out").unwrap_or(TerrainKind(0));
        let kind_of = |(name, _): &(&str, _)| table.kind_of_name(name).unwrap_or(out);
        let kinds: Vec<TerrainKind> = std::iter::once(out).chain(self.names.iter().map(kind_of)).collect();
        let of_cells = std::mem::take(&mut self.kinds).into_iter().map(|kind| kinds[kind as usize]);
        Ok((of_cells.collect(), self.sides, table))
    }
}

/// The speeds of kinds in a map. A kind has the speed of any tile or layer that says it is of the kind, used or not.
fn speeds_of<'t>(
    tilesets: &'t [Tileset],
    layers: &'t [Layer<'t>],
    given: &TerrainTable,
) -> Result<BTreeMap<&'t str, u16>, TiledError> {
    let is_given = |name: &str| given.given().iter().any(|entry| entry.name == name);
    let mut speeds = BTreeMap::new();
    let distinct = tilesets.iter().filter(|tileset| !tileset.is_repeated);
    let tiles = distinct.flat_map(Tileset::tiles).chain(layers.iter().map(|layer| &layer.says));
    for tile in tiles {
        let named = tile.terrain.as_ref().or(tile.class.as_ref());
        let (Some(Name { name, location }), Some(second)) = (named, tile.speed) else { continue };
        let first = *speeds.entry(name.as_str()).or_insert(second);
        if first != second && !is_given(name) {
            return Err(location.error(TiledErrorKind::SpeedTwice { terrain: name.clone(), first, second }));
        }
    }
    Ok(speeds)
}
