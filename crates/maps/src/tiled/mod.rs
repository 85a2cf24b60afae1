//! Maps of the Tiled editor: `.tmx` files and the tilesets they name, in XML or JSON.
//!
//! Properties define a tile: `terrain` names its terrain kind. `speed` is the speed of that kind, unless the table of
//! the caller has one. `sides` lists the sides that are not open: `"N S"` are walls, `"E=hedge"` is a side of kind
//! `hedge`. The sides of a tile are flipped and turned with it. A tile without `terrain` is of the kind that its
//! class names, if that is a kind. A layer with these properties says it for its tiles without any. [`TileKinds`]
//! gives kinds to tiles of maps made for other programs.
//!
//! Layers are stacked. A tile with a kind covers the tiles below. A tile with `sides` alone adds its sides to theirs
//! (the slower kind wins). Cells without a tile are `out`. Layers and groups with a true property `decoration`, and
//! pictures, are ignored. An infinite map becomes the rectangle around its chunks.
//!
//! Objects with a class become [`TiledObject`]s: cells, name and properties, which the caller interprets. Maps are
//! orthogonal, or hexagonal with staggered axis Y and index odd, which is [`GridShape::Hex`]. The format is described
//! at <https://doc.mapeditor.org/en/stable/reference/tmx-map-format/>.

mod data;
mod error;
mod flip;
mod inflate;
mod json_tileset;
mod layer;
mod object;
mod pixel_grid;
mod source;
mod tile_kinds;
mod tile_stack;
mod tileset;

pub use error::{TiledError, TiledErrorKind};
pub use object::{TiledObject, TiledProperty};
pub use tile_kinds::TileKinds;

use crate::text_lines::excerpt;
use flip::{FLIPS, OPEN};
use json_tileset::{is_json, read_json_tileset};
use layer::{Frame, Layer, fixed_size, layers, parts};
use pixel_grid::PixelGrid;
use roxmltree::Node;
use source::{Source, document};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use tile_stack::{KnownKinds, TileStack};
use tileset::{Tileset, read_tileset};
use wheelbase_grid::{Grid, GridShape, MemoryNeed, SideTable, TerrainTable, unpack_sides};

/// A map as read from a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TiledMap {
    /// The map.
    pub grid: Grid,
    /// Its objects with a class, in the order of the file.
    pub objects: Vec<TiledObject>,
    /// The names by which [`TileKinds`] knows its tiles: of layers, tilesets, classes, properties `terrain`.
    pub names: BTreeSet<String>,
}

/// Reads a map from the bytes of a whole `.tmx` file. Kinds of tiles that `terrain` lacks are added; the speeds in
/// `terrain` take precedence over the speeds of the tiles. `kinds` says what tiles are that do not say it, or
/// replaces what they say. `read_file` returns the bytes of a tileset that the map names, or the reason why it cannot
/// be read.
///
/// ```
/// use wheelbase_grid::{Cell, Side, SideKind, SideTable, TerrainTable};
/// use wheelbase_maps::tiled;
/// let file = br#"<map orientation="orthogonal" width="2" height="1" tilewidth="16" tileheight="16">
///   <tileset firstgid="1" name="roads" tilecount="1">
///     <tile id="0"><properties>
///       <property name="terrain" value="road"/><property name="speed" value="1500"/>
///       <property name="sides" value="N S"/>
///     </properties></tile>
///   </tileset>
///   <layer width="2" height="1"><data encoding="csv">1, 2684354561</data></layer>
/// </map>"#;
/// let no_file = |name: &str| Err(format!("there is no {name}"));
/// let (terrain, kinds) = (TerrainTable::movingai(), tiled::TileKinds::default());
/// let map = tiled::parse(file, &terrain, SideTable::default(), &kinds, no_file)?;
/// assert_eq!(map.grid.side_of(Cell(0), Side::North), SideKind::WALL);
/// // The second tile is rotated by 90 degrees.
/// assert_eq!(map.grid.side_of(Cell(1), Side::North), SideKind::OPEN);
/// assert_eq!(map.grid.side_of(Cell(1), Side::East), SideKind::WALL);
/// # Ok::<(), tiled::TiledError>(())
/// ```
/// # Errors
/// [`TiledError`] with the line, the text found and the text expected. Memory is allocated only for a valid size.
pub fn parse(
    bytes: &[u8],
    terrain: &TerrainTable,
    sides: SideTable,
    kinds: &TileKinds,
    read_file: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<TiledMap, TiledError> {
    let text = source::text(bytes, None)?;
    let document = document(text, None)?;
    let source = Source::new(&document, None);
    let map = source.root("map")?;
    let shape = shape_of(&source, map)?;
    let fixed = fixed_size(&source, map)?;
    let pixels = PixelGrid::of(&source, map, shape)?;
    let tilesets = tilesets_of(&source, map, shape, &sides, read_file)?;
    let layers = layers(&source, map, (&pixels, fixed), (shape, &sides))?;
    let frame = Frame::of(&source, map, (shape, fixed), &layers)?;
    let known = KnownKinds { shape, terrain, sides: &sides, of_tiles: kinds };
    let mut stack = TileStack::new(&tilesets, &layers, known, frame.size)?;
    for (layer_idx, layer) in layers.iter().enumerate() {
        if stack.begin_layer(layer_idx) {
            layer.read(&source, frame, |cell, tile| stack.add_tile(cell, tile))?;
        }
    }
    let (terrain, packed_sides, table) = stack.finish()?;
    let mut names = names_of(&tilesets, &layers);
    let mut grid = Grid::from_terrain(frame.size, terrain, table, sides).with_shape(shape);
    grid = grid
        .with_sides(|cell| packed_sides.get(cell.0 as usize).map_or(OPEN, |&packed| unpack_sides(packed)));
    let mut objects = Vec::new();
    for group in parts(&source, map, "objectgroup")? {
        let name = group.node.attribute("name").unwrap_or("");
        if !kinds.is_decoration(name) {
            object::read_group(&source, group, (&pixels, frame), &mut objects)?;
        }
        names.extend((!name.is_empty()).then(|| name.to_owned()));
    }
    Ok(TiledMap { grid, objects, names })
}

/// The names by which a table of kinds may know tiles.
fn names_of(tilesets: &[Tileset], layers: &[Layer<'_>]) -> BTreeSet<String> {
    let distinct = || tilesets.iter().filter(|tileset| !tileset.is_repeated);
    let tiles = distinct().flat_map(Tileset::tiles).chain(layers.iter().map(|layer| &layer.says));
    let of_tiles =
        tiles.flat_map(|tile| tile.terrain.iter().chain(&tile.class)).map(|name| name.name.as_str());
    let of_parts =
        distinct().map(|tileset| tileset.name.as_str()).chain(layers.iter().map(|layer| layer.name));
    of_tiles.chain(of_parts).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Estimates the peak memory of [`parse()`] from the head of a map and its chunks. It counts the document, the tiles
/// of two layers of four bytes per cell, and terrain and sides twice. Zero without a valid head, which [`parse()`]
/// refuses.
pub fn need(bytes: &[u8]) -> MemoryNeed {
    let size = || {
        let document = document(source::text(bytes, None).ok()?, None).ok()?;
        let source = Source::new(&document, None);
        let map = source.root("map").ok()?;
        let (shape, fixed) = (shape_of(&source, map).ok()?, fixed_size(&source, map).ok()?);
        if fixed.is_some() {
            return fixed;
        }
        let pixels = PixelGrid::of(&source, map, shape).ok()?;
        let layers = layers(&source, map, (&pixels, None), (shape, &SideTable::default())).ok()?;
        Frame::of(&source, map, (shape, None), &layers).map(|frame| frame.size).ok()
    };
    let of_cells = size().map_or(0, |size| 16 * size.n_cells() as u64);
    MemoryNeed::built(DOCUMENT_BYTES * bytes.len() as u64 + of_cells)
}

/// Memory of a document per byte of text, if it consists of small elements only.
const DOCUMENT_BYTES: u64 = 16;

/// The shape of a map's cells.
fn shape_of(source: &Source<'_>, map: Node<'_, '_>) -> Result<GridShape, TiledError> {
    let orientation = source.attribute(map, "orientation")?;
    match orientation {
        "orthogonal" => Ok(GridShape::Square),
        "hexagonal" => {
            for (name, expected) in [("staggeraxis", "y"), ("staggerindex", "odd")] {
                let found = source.attribute(map, name)?;
                if found != expected {
                    let what = format!("hexagonal maps with {name} \"{}\"", excerpt(found));
                    let instead = "staggeraxis \"y\" and staggerindex \"odd\"";
                    return Err(source.not_supported(map, what, instead));
                }
            }
            Ok(GridShape::Hex)
        }
        other => {
            let what = match other {
                "isometric" => "isometric maps (orientation \"isometric\")".to_owned(),
                "staggered" => "staggered isometric maps (orientation \"staggered\")".to_owned(),
                other => format!("orientation {:?}", excerpt(other)),
            };
            let instead = "\"orthogonal\", or \"hexagonal\" with staggeraxis \"y\" and staggerindex \"odd\"";
            Err(source.not_supported(map, what, instead))
        }
    }
}

/// The tilesets of a map, in order of their first tile numbers.
fn tilesets_of(
    source: &Source<'_>,
    map: Node<'_, '_>,
    shape: GridShape,
    sides: &SideTable,
    mut read_file: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Tileset>, TiledError> {
    let mut tilesets: Vec<Tileset> = Vec::new();
    // Read once: a map can name one many times.
    let mut files: BTreeMap<&str, Tileset> = BTreeMap::new();
    for node in map.children().filter(|node| node.has_tag_name("tileset")) {
        let least = tilesets.last().map_or(1, |previous| previous.first + 1);
        let first = source.whole(node, "firstgid", least..=!FLIPS)?;
        let mut tileset = match node.attribute("source") {
            None => read_tileset(source, node, (shape, sides))?,
            Some(name) => match files.entry(name) {
                Entry::Occupied(known) => known.get().repeated(),
                Entry::Vacant(entry) => {
                    let unread = |why| TiledErrorKind::Tileset { file: name.to_owned(), why };
                    let bytes = read_file(name).map_err(|why| source.error(node, unread(why)))?;
                    let text = source::text(&bytes, Some(name))?;
                    let read = match is_json(text) {
                        true => read_json_tileset(text, name, (shape, sides))?,
                        false => {
                            let document = document(text, Some(name))?;
                            let file = Source::new(&document, Some(name));
                            read_tileset(&file, file.root("tileset")?, (shape, sides))?
                        }
                    };
                    entry.insert(read).clone()
                }
            },
        };
        tileset.first = first;
        tilesets.push(tileset);
    }
    Ok(tilesets)
}
