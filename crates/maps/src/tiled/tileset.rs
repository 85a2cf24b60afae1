//! Tilesets: what their tiles say of themselves.

use super::error::TiledError;
use super::source::{FileText, Property, Source, SourceLocation};
use roxmltree::Node;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use wheelbase_grid::{GridShape, SIDES_MAX, Side, SideKind, SideTable};

/// Most tiles of a tileset. Plus the first number of the tileset, a tile number stays below the flip bits, and no sum
/// overflows.
pub(super) const TILES_MAX: u32 = 1 << 28;

/// A tileset.
#[derive(Clone)]
pub(super) struct Tileset {
    /// Number of its first tile on the map.
    pub first: u32,
    /// Name; may be empty.
    pub name: String,
    /// Whether an earlier tileset is from the same file.
    pub is_repeated: bool,
    /// Number of tiles, numbered without gaps from 0; [`TILES_MAX`] if it does not say.
    n_tiles: u32,
    /// The tiles with an element, by number in the tileset. Shared by all tilesets from the same file.
    tiles: Rc<BTreeMap<u32, Tile>>,
    /// The other tiles: without properties.
    plain: Tile,
}

/// A tile; or what a layer says of its tiles.
#[derive(Clone, Default)]
pub(super) struct Tile {
    /// Terrain kind.
    pub terrain: Option<Name>,
    /// Class, called type in other versions of the format.
    pub class: Option<Name>,
    /// Speed of its kind.
    pub speed: Option<u16>,
    /// Kinds of its sides, if it has any.
    pub sides: Option<[SideKind; SIDES_MAX]>,
}

/// A name, and where it is written.
#[derive(Clone)]
pub(super) struct Name {
    pub name: String,
    pub location: SourceLocation,
}

/// A property of a tile, in a file of either format.
pub(super) struct TileProperty<'p> {
    pub name: &'p str,
    pub value: Cow<'p, str>,
    /// Byte of the file at which it is.
    pub at: usize,
}

/// The sizes by which tiles are cut from a picture; 0 if they are not stated.
#[derive(Clone, Copy, Default)]
pub(super) struct Picture {
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Width and height of a tile.
    pub tile: [u32; 2],
    /// Pixels around all tiles.
    pub margin: u32,
    /// Pixels between two tiles.
    pub spacing: u32,
}

impl Picture {
    /// How many tiles can be cut from it, as the editor does.
    fn n_tiles(self) -> Option<u32> {
        let Self { size, tile, margin, spacing } = self;
        let along = |axis: usize| {
            if size[axis] == 0 || tile[axis] == 0 {
                return None;
            }
            let used = u64::from(size[axis].saturating_sub(margin)) + u64::from(spacing);
            Some(used / (u64::from(tile[axis]) + u64::from(spacing)))
        };
        Some((along(0)? * along(1)?).min(TILES_MAX.into()) as u32)
    }
}

impl Tileset {
    /// A tileset with tiles by their numbers, for all numbers of the map. Without a number of tiles, the picture tells.
    pub fn new(name: &str, n_tiles: Option<u32>, picture: Picture, tiles: BTreeMap<u32, Tile>) -> Self {
        let n_tiles = n_tiles.or_else(|| picture.n_tiles()).unwrap_or(TILES_MAX);
        let (name, tiles) = (name.to_owned(), Rc::new(tiles));
        Self { first: 0, name, is_repeated: false, n_tiles, tiles, plain: Tile::default() }
    }

    /// The tile with a number in the tileset.
    pub fn tile(&self, id: u32) -> Option<&Tile> {
        self.tiles.get(&id).or_else(|| (id < self.n_tiles).then_some(&self.plain))
    }

    /// The tiles that say something.
    pub fn tiles(&self) -> impl Iterator<Item = &Tile> {
        self.tiles.values()
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
    let optional = |node: Node<'_, '_>, name| match node.attribute(name) {
        Some(_) => source.whole(node, name, 0..=TILES_MAX).map(Some),
        None => Ok(None),
    };
    let or_0 = |node, name| optional(node, name).map(Option::unwrap_or_default);
    let size = match node.children().find(|child| child.has_tag_name("image")) {
        Some(image) => [or_0(image, "width")?, or_0(image, "height")?],
        None => [0; 2],
    };
    let picture = Picture {
        size,
        tile: [or_0(node, "tilewidth")?, or_0(node, "tileheight")?],
        margin: or_0(node, "margin")?,
        spacing: or_0(node, "spacing")?,
    };
    let mut tiles = BTreeMap::new();
    for tile_node in node.children().filter(|child| child.has_tag_name("tile")) {
        let id = source.whole(tile_node, "id", 0..=TILES_MAX)?;
        let class = tile_node.attribute("class").or_else(|| tile_node.attribute("type"));
        let class = class.map(|class| (class, tile_node.range().start));
        tiles.insert(id, tile_of(&source.file, class, properties_of(source, tile_node), (shape, sides))?);
    }
    let name = node.attribute("name").unwrap_or("");
    Ok(Tileset::new(name, optional(node, "tilecount")?, picture, tiles))
}

/// The properties of an element, as of a tile.
pub(super) fn properties_of<'n, 'i: 'n>(
    source: &Source<'_>,
    node: Node<'n, 'i>,
) -> impl Iterator<Item = TileProperty<'n>> + use<'n, 'i> {
    source.properties_of(node).map(|Property { name, value, node, .. }| TileProperty {
        name,
        value: Cow::Borrowed(value),
        at: node.range().start,
    })
}

/// The tile with a class, written at a byte, and properties.
pub(super) fn tile_of<'p>(
    file: &FileText<'_>,
    class: Option<(&str, usize)>,
    properties: impl Iterator<Item = TileProperty<'p>>,
    (shape, sides): (GridShape, &SideTable),
) -> Result<Tile, TiledError> {
    let named = |name: &str, at| Name { name: name.to_owned(), location: file.location(at) };
    let class = class.filter(|(class, _)| !class.is_empty()).map(|(class, at)| named(class, at));
    let mut tile = Tile { class, ..Tile::default() };
    for TileProperty { name, value, at } in properties {
        let bad = |expected: String| file.bad_value(at, name, &value, expected);
        match name {
            "terrain" if value.is_empty() => return Err(bad("the name of a terrain kind".to_owned())),
            "terrain" => tile.terrain = Some(named(&value, at)),
            "speed" => {
                let speed = value.parse();
                tile.speed = Some(speed.map_err(|_| bad("a whole number from 0 to 65535".to_owned()))?);
            }
            "sides" => tile.sides = Some(read_sides(&value, shape, sides).map_err(bad)?),
            // Ignored: other programs have theirs.
            _ => {}
        }
    }
    Ok(tile)
}

/// Reads a list of sides such as `"N, S=hedge"`. The error is the expected text.
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
