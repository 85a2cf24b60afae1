//! Tilesets: the properties of their tiles.

use super::error::{TiledError, TiledErrorKind};
use super::source::{Property, Source};
use roxmltree::Node;
use std::collections::BTreeMap;
use std::rc::Rc;
use wheelbase_grid::{GridShape, SIDES_MAX, Side, SideKind, SideTable, TerrainEntry, TerrainTable};

/// A tileset.
#[derive(Clone)]
pub(super) struct Tileset {
    /// Number of its first tile on the map.
    pub first: u32,
    /// Name; may be empty.
    pub name: String,
    /// Whether an earlier tileset is from the same file.
    pub is_repeated: bool,
    /// Number of tiles, numbered without gaps from 0.
    n_tiles: u32,
    /// The tiles with an element, by number in the tileset. Shared by all tilesets from the same file.
    tiles: Rc<BTreeMap<u32, Tile>>,
    /// The other tiles: without properties.
    plain: Tile,
}

/// A tile.
#[derive(Clone, Default)]
pub(super) struct Tile {
    /// Number in the tileset.
    pub id: u32,
    /// Terrain kind, and the location of its name.
    pub terrain: Option<(String, SourceLocation)>,
    /// Speed of that kind.
    pub speed: Option<u16>,
    /// Kinds of its sides, if it has any.
    pub sides: Option<[SideKind; SIDES_MAX]>,
}

/// A place in a file.
#[derive(Clone, Default)]
pub(super) struct SourceLocation {
    tileset: Option<String>,
    line: u32,
}

impl Tileset {
    /// The tile with a number in the tileset.
    pub fn tile(&self, id: u32) -> Option<&Tile> {
        self.tiles.get(&id).or_else(|| (id < self.n_tiles).then_some(&self.plain))
    }

    /// The same tiles once more, for other tile numbers of the map.
    pub fn repeated(&self) -> Self {
        Self { is_repeated: true, ..self.clone() }
    }

    /// The numbers of its tiles on the map, for a message.
    pub fn numbers(&self) -> String {
        let most = self.tiles.keys().next_back().map_or(0, |id| id + 1).max(self.n_tiles).max(1);
        format!("{} to {} of tileset \"{}\"", self.first, self.first + (most - 1), self.name)
    }
}

/// Reads a tileset for a map of the given shape and side kinds.
pub(super) fn read_tileset(
    source: &Source<'_>,
    node: Node<'_, '_>,
    (shape, sides): (GridShape, &SideTable),
) -> Result<Tileset, TiledError> {
    // Plus the first number of the tileset, a tile number stays below the flip bits, and no sum overflows.
    const TILES_MAX: u64 = 1 << 28;
    let n_tiles = match node.attribute("tilecount") {
        Some(_) => source.whole(node, "tilecount", 0..=TILES_MAX)? as u32,
        None => 0,
    };
    let mut tiles = BTreeMap::new();
    for tile_node in node.children().filter(|child| child.has_tag_name("tile")) {
        let id = source.whole(tile_node, "id", 0..=TILES_MAX)? as u32;
        tiles.insert(id, read_tile(source, tile_node, id, (shape, sides))?);
    }
    let name = node.attribute("name").unwrap_or("").to_owned();
    Ok(Tileset { first: 0, name, is_repeated: false, n_tiles, tiles: Rc::new(tiles), plain: Tile::default() })
}

fn read_tile(
    source: &Source<'_>,
    node: Node<'_, '_>,
    id: u32,
    (shape, sides): (GridShape, &SideTable),
) -> Result<Tile, TiledError> {
    let mut tile = Tile { id, ..Tile::default() };
    for Property { name, value, node: property, .. } in source.properties_of(node) {
        match name {
            "terrain" if value.is_empty() => {
                return Err(source.bad_value(property, name, value, "the name of a terrain kind".to_owned()));
            }
            "terrain" => tile.terrain = Some((value.to_owned(), source.location(property))),
            "speed" => {
                let speed = value.parse().map_err(|_| {
                    source.bad_value(property, name, value, "a whole number from 0 to 65535".to_owned())
                })?;
                tile.speed = Some(speed);
            }
            "sides" => {
                let read = read_sides(value, shape, sides);
                let read = read.map_err(|expected| source.bad_value(property, name, value, expected))?;
                tile.sides = Some(read);
            }
            // Ignored: other programs have theirs.
            _ => {}
        }
    }
    Ok(tile)
}

/// Reads a list of sides such as `"N, S=hedge"`. The error is what was expected.
fn read_sides(text: &str, shape: GridShape, table: &SideTable) -> Result<[SideKind; SIDES_MAX], String> {
    let mut sides = [SideKind::OPEN; SIDES_MAX];
    for part in text.split([',', ' ', '\t', '\n', '\r']).filter(|part| !part.is_empty()) {
        let (name, kind) = part.split_once('=').unwrap_or((part, "wall"));
        let Some(number) = Side::from_name(name).and_then(|side| shape.side_number(side)) else {
            let known: Vec<&str> = shape.sides().iter().map(|side| side.name()).collect();
            return Err(format!("sides out of {}, such as \"E W=wall\"", known.join(", ")));
        };
        let Some(kind) = table.kind_of_name(kind) else {
            let known: Vec<&str> = table.entries().iter().map(|entry| entry.name.as_str()).collect();
            return Err(format!("side kinds out of {}", known.join(", ")));
        };
        sides[number] = kind;
    }
    Ok(sides)
}

/// The kinds of the caller, further kinds of the used tiles, and those of the MovingAI format. A kind has the speed of any
/// of its tiles, used or not.
pub(super) fn terrain_of_tiles<'t>(
    given: &TerrainTable,
    used: impl Iterator<Item = &'t Tile>,
    tilesets: &[Tileset],
) -> Result<TerrainTable, TiledError> {
    let error = |location: &SourceLocation, kind| {
        Err(TiledError { tileset: location.tileset.clone(), line: location.line, kind })
    };
    let is_given = |name: &str| given.given().iter().any(|entry| entry.name == name);
    let mut speeds: BTreeMap<&str, u16> = BTreeMap::new();
    let distinct = tilesets.iter().filter(|tileset| !tileset.is_repeated);
    for tile in distinct.flat_map(|tileset| tileset.tiles.values()) {
        let (Some((name, location)), Some(second)) = (&tile.terrain, tile.speed) else { continue };
        let first = *speeds.entry(name).or_insert(second);
        if first != second && !is_given(name) {
            return error(location, TiledErrorKind::SpeedTwice { terrain: name.clone(), first, second });
        }
    }
    let standard = TerrainTable::movingai();
    let mut entries = given.given().to_vec();
    let mut last = SourceLocation::default();
    for (name, location) in used.filter_map(|tile| tile.terrain.as_ref()) {
        if entries.iter().any(|entry| entry.name == *name) {
            continue;
        }
        let standard_speed = standard.kind_of_name(name).map(|kind| standard[kind].speed);
        let Some(speed) = speeds.get(name.as_str()).copied().or(standard_speed) else {
            return error(location, TiledErrorKind::NoSpeed { terrain: name.clone() });
        };
        let (name, glyphs) = (name.clone(), String::new());
        entries.push(TerrainEntry { name, glyphs, speed, colour: None, sides: [SideKind::OPEN; SIDES_MAX] });
        last = location.clone();
    }
    TerrainTable::with_standard(entries).or_else(|why| error(&last, TiledErrorKind::Table(why)))
}

impl Source<'_> {
    /// The place of an element.
    fn location(&self, node: Node<'_, '_>) -> SourceLocation {
        let TiledError { tileset, line, .. } = self.error(node, TiledErrorKind::NoLayer);
        SourceLocation { tileset, line }
    }
}
