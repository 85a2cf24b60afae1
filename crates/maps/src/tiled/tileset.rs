//! Tilesets: what their tiles say of themselves.

use super::error::{TiledError, TiledErrorKind};
use super::source::Source;
use roxmltree::Node;
use std::collections::BTreeMap;
use std::rc::Rc;
use wheelbase_grid::{GridShape, SIDES_MAX, Side, SideKind, SideTable, TerrainEntry, TerrainTable};

/// A tileset: its tiles that say something.
#[derive(Clone)]
pub(super) struct Tileset {
    /// Number of its first tile on the map.
    pub first: u32,
    /// Name; may be empty.
    pub name: String,
    /// Whether a tileset before it is of the same file.
    pub is_repeated: bool,
    /// Tiles without gaps.
    n_tiles: u32,
    /// By number in the tileset. Shared by all places of a map that name the file.
    tiles: Rc<BTreeMap<u32, Tile>>,
    /// What stands for those that say nothing.
    silent: Tile,
}

/// A tile.
#[derive(Clone, Default)]
pub(super) struct Tile {
    /// Number in the tileset.
    pub id: u32,
    /// Terrain kind, and where it is named.
    pub terrain: Option<(String, Place)>,
    /// Speed of that kind.
    pub speed: Option<u16>,
    /// Kinds of its sides, where it says any.
    pub sides: Option<[SideKind; SIDES_MAX]>,
}

/// Where something stands.
#[derive(Clone, Default)]
pub(super) struct Place {
    tileset: Option<String>,
    line: u32,
}

impl Tileset {
    /// The tile of that number, if there is one.
    pub fn tile(&self, id: u32) -> Option<&Tile> {
        self.tiles.get(&id).or_else(|| (id < self.n_tiles).then_some(&self.silent))
    }

    /// The same tiles at another place of the map's numbers.
    pub fn again(&self) -> Self {
        Self { is_repeated: true, ..self.clone() }
    }

    /// The numbers of its tiles on the map, in words.
    pub fn numbers(&self) -> String {
        let most = self.tiles.keys().next_back().map_or(0, |id| id + 1).max(self.n_tiles).max(1);
        format!("{} to {} of tileset \"{}\"", self.first, self.first + (most - 1), self.name)
    }
}

/// Reads the tiles of a tileset for a map of that shape with these kinds of sides.
pub(super) fn read_tileset(
    source: &Source<'_>,
    node: Node<'_, '_>,
    (shape, sides): (GridShape, &SideTable),
) -> Result<Tileset, TiledError> {
    // With the first number of the set a tile's number stays below the bits of the flips, and any sum in
    // range.
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
    Ok(Tileset {
        first: 0,
        name,
        is_repeated: false,
        n_tiles,
        tiles: Rc::new(tiles),
        silent: Tile::default(),
    })
}

fn read_tile(
    source: &Source<'_>,
    node: Node<'_, '_>,
    id: u32,
    (shape, sides): (GridShape, &SideTable),
) -> Result<Tile, TiledError> {
    let mut tile = Tile { id, ..Tile::default() };
    for (name, value, _, property) in source.properties_of(node) {
        match name {
            "terrain" if value.is_empty() => {
                return Err(source.bad_value(property, name, value, "the name of a terrain kind".to_owned()));
            }
            "terrain" => tile.terrain = Some((value.to_owned(), source.place(property))),
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
            // Others are for other programs.
            _ => {}
        }
    }
    Ok(tile)
}

/// Reads a list of sides such as `"N, S=hedge"`, or says what would be right.
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

/// The caller's kinds, those of the used tiles that it lacks, and those of the MovingAI format. Whichever
/// tile of a kind has a speed gives it to the kind.
pub(super) fn terrain_of_tiles<'t>(
    given: &TerrainTable,
    used: impl Iterator<Item = &'t Tile>,
    tilesets: &[Tileset],
) -> Result<TerrainTable, TiledError> {
    let error =
        |place: &Place, kind| Err(TiledError { tileset: place.tileset.clone(), line: place.line, kind });
    let is_given = |name: &str| given.given().iter().any(|entry| entry.name == name);
    let mut speeds: BTreeMap<&str, u16> = BTreeMap::new();
    let distinct = tilesets.iter().filter(|tileset| !tileset.is_repeated);
    for tile in distinct.flat_map(|tileset| tileset.tiles.values()) {
        let (Some((name, place)), Some(second)) = (&tile.terrain, tile.speed) else { continue };
        let first = *speeds.entry(name).or_insert(second);
        if first != second && !is_given(name) {
            return error(place, TiledErrorKind::SpeedTwice { terrain: name.clone(), first, second });
        }
    }
    let standard = TerrainTable::movingai();
    let mut entries = given.given().to_vec();
    let mut last = Place::default();
    for (name, place) in used.filter_map(|tile| tile.terrain.as_ref()) {
        if entries.iter().any(|entry| entry.name == *name) {
            continue;
        }
        let standard_speed = standard.kind_of_name(name).map(|kind| standard[kind].speed);
        let Some(speed) = speeds.get(name.as_str()).copied().or(standard_speed) else {
            return error(place, TiledErrorKind::NoSpeed { terrain: name.clone() });
        };
        let (name, glyphs) = (name.clone(), String::new());
        entries.push(TerrainEntry { name, glyphs, speed, colour: None, sides: [SideKind::OPEN; SIDES_MAX] });
        last = place.clone();
    }
    TerrainTable::with_standard(entries).or_else(|wrong| error(&last, TiledErrorKind::Table(wrong)))
}

impl Source<'_> {
    /// Where an element stands.
    fn place(&self, node: Node<'_, '_>) -> Place {
        let TiledError { tileset, line, .. } = self.error(node, TiledErrorKind::NoLayer);
        Place { tileset, line }
    }
}
