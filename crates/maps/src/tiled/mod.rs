//! Maps of the Tiled editor: `.tmx` files and the `.tsx` tilesets they name.
//!
//! Properties define a tile: `terrain` names its terrain kind; `speed` is the speed of that kind, unless the table of
//! the caller has one; `sides` lists the sides that are not open: `"N S"` are walls, `"E=hedge"` is a side of kind
//! `hedge`. The sides of a tile are flipped and turned with it. Layers are stacked: a tile with `terrain` covers the tiles
//! below, a tile with `sides` alone adds its sides to theirs (the slower kind wins). Cells without a tile are `out`.
//! Layers with a true property `decoration` and pictures are ignored.
//!
//! Objects with a class become [`TiledObject`]s: cells, name and properties, which the caller interprets. Maps are
//! orthogonal, or hexagonal with staggered axis Y and index odd, which is [`GridShape::Hex`]. The format is described at
//! <https://doc.mapeditor.org/en/stable/reference/tmx-map-format/>.

mod data;
mod error;
mod flip;
mod object;
mod source;
mod tile_stack;
mod tileset;

pub use error::{TiledError, TiledErrorKind};
pub use object::{TiledObject, TiledProperty};

use data::read_layer;
use flip::{FLIPS, OPEN};
use object::PixelGrid;
use roxmltree::Node;
use source::{Source, document};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tile_stack::TileStack;
use tileset::{Tileset, read_tileset};
use wheelbase_grid::{Grid, GridShape, GridSize, MemoryNeed, SideTable, TerrainTable, unpack_sides};

/// Most tiles of all layers together: four layers of the largest map.
const TILES_MAX: usize = 1 << 28;

/// A map as read from a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TiledMap {
    /// The map.
    pub grid: Grid,
    /// Its objects with a class, in the order of the file.
    pub objects: Vec<TiledObject>,
}

/// Reads a map from the bytes of a whole `.tmx` file. Kinds of tiles that `terrain` lacks are added; the speeds of its own
/// kinds take precedence over those of the tiles. `read_file` returns the bytes of a tileset that the map names, or the
/// reason why it cannot be read.
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
/// let map = tiled::parse(file, &TerrainTable::movingai(), SideTable::default(), |name| {
///     Err(format!("there is no {name}"))
/// })?;
/// assert_eq!(map.grid.side_of(Cell(0), Side::North), SideKind::WALL);
/// // The second tile is rotated by 90 degrees.
/// assert_eq!(map.grid.side_of(Cell(1), Side::North), SideKind::OPEN);
/// assert_eq!(map.grid.side_of(Cell(1), Side::East), SideKind::WALL);
/// # Ok::<(), tiled::TiledError>(())
/// ```
/// # Errors
/// [`TiledError`] with the line, what was found and what was expected. Memory is allocated only for a valid size.
pub fn parse(
    bytes: &[u8],
    terrain: &TerrainTable,
    sides: SideTable,
    read_file: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<TiledMap, TiledError> {
    let text = source::text(bytes, None)?;
    let document = document(text, None)?;
    let source = Source::new(&document, None);
    let map = source.root("map")?;
    let (shape, size) = (shape_of(&source, map)?, size_of(&source, map)?);
    let pixels = PixelGrid::of(&source, map, shape)?;
    let tilesets = tilesets_of(&source, map, shape, &sides, read_file)?;
    let mut stack = TileStack::new(&tilesets, (shape, terrain, &sides), size);
    let layers: Vec<_> = parts(map, "layer").filter(|layer| !source.is_decoration(*layer)).collect();
    if layers.is_empty() {
        return Err(source.error(map, TiledErrorKind::NoLayer));
    }
    let layers_max = TILES_MAX / size.n_cells();
    if let Some(&layer) = layers.get(layers_max) {
        let what = format!("more than {layers_max} layers of {} tiles", size.n_cells());
        return Err(source.error(layer, TiledErrorKind::NotSupported { what, instead: "fewer layers" }));
    }
    for layer in layers {
        read_layer(&source, layer, size, |cell, tile| stack.add_tile(&source, layer, cell, tile))?;
    }
    let (kinds, packed_sides, table) = stack.finish()?;
    let mut grid = Grid::from_terrain(size, kinds, table, sides).with_shape(shape);
    grid = grid
        .with_sides(|cell| packed_sides.get(cell.0 as usize).map_or(OPEN, |&packed| unpack_sides(packed)));
    let mut objects = Vec::new();
    for group in parts(map, "objectgroup") {
        for node in group.children().filter(|node| node.has_tag_name("object")) {
            objects.extend(object::read(&source, node, &pixels)?);
        }
    }
    Ok(TiledMap { grid, objects })
}

/// Estimates the peak memory of [`parse()`] from the head of a map: the document, the tiles of two layers of four bytes
/// per cell, and terrain and sides twice. Zero without a valid head, which [`parse()`] refuses.
pub fn need(bytes: &[u8]) -> MemoryNeed {
    let size = || {
        let document = document(source::text(bytes, None).ok()?, None).ok()?;
        let source = Source::new(&document, None);
        size_of(&source, source.root("map").ok()?).ok()
    };
    let of_cells = size().map_or(0, |size| 16 * size.n_cells() as u64);
    MemoryNeed::built(DOCUMENT_BYTES * bytes.len() as u64 + of_cells)
}

/// Memory of a document per byte of text, if it consists of small elements only.
const DOCUMENT_BYTES: u64 = 16;

/// The layers with a tag, including those in groups, from the bottom up.
fn parts<'d>(map: Node<'d, 'd>, tag: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
    // Not those of tiles, which have object groups too.
    let holds = |node: Node| node.has_tag_name("map") || node.has_tag_name("group");
    map.descendants().filter(move |node| node.has_tag_name(tag) && node.parent_element().is_some_and(holds))
}

/// The shape of a map's cells.
fn shape_of(source: &Source<'_>, map: Node<'_, '_>) -> Result<GridShape, TiledError> {
    if map.attribute("infinite").is_some_and(|infinite| infinite != "0") {
        let (what, instead) = ("infinite maps", "a map of fixed size (Map, Map Properties, Infinite: off)");
        return Err(source.error(map, TiledErrorKind::NotSupported { what: what.to_owned(), instead }));
    }
    match source.attribute(map, "orientation")? {
        "orthogonal" => Ok(GridShape::Square),
        "hexagonal" => {
            for (name, expected) in [("staggeraxis", "y"), ("staggerindex", "odd")] {
                let found = source.attribute(map, name)?;
                if found != expected {
                    let what = format!("hexagonal maps with {name} \"{found}\"");
                    let instead = "staggeraxis \"y\" and staggerindex \"odd\"";
                    return Err(source.error(map, TiledErrorKind::NotSupported { what, instead }));
                }
            }
            Ok(GridShape::Hex)
        }
        other => {
            let what = format!("orientation \"{other}\"");
            let instead = "\"orthogonal\" or \"hexagonal\"";
            Err(source.error(map, TiledErrorKind::NotSupported { what, instead }))
        }
    }
}

fn size_of(source: &Source<'_>, map: Node<'_, '_>) -> Result<GridSize, TiledError> {
    let whole = |name| source.whole(map, name, 0..=u64::MAX);
    let size = GridSize::new(whole("width")?, whole("height")?);
    size.map_err(|error| source.error(map, TiledErrorKind::BadSize(error)))
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
        let least = tilesets.last().map_or(1, |previous| u64::from(previous.first) + 1);
        let first = source.whole(node, "firstgid", least..=u64::from(!FLIPS))? as u32;
        let mut tileset = match node.attribute("source") {
            None => read_tileset(source, node, (shape, sides))?,
            Some(name) => match files.entry(name) {
                Entry::Occupied(known) => known.get().repeated(),
                Entry::Vacant(entry) => {
                    let unread = |why| TiledErrorKind::Tileset { file: name.to_owned(), why };
                    let bytes = read_file(name).map_err(|why| source.error(node, unread(why)))?;
                    let text = source::text(&bytes, Some(name))?;
                    let document = document(text, Some(name))?;
                    let file = Source::new(&document, Some(name));
                    let root = file.root("tileset")?;
                    entry.insert(read_tileset(&file, root, (shape, sides))?).clone()
                }
            },
        };
        tileset.first = first;
        tilesets.push(tileset);
    }
    Ok(tilesets)
}
