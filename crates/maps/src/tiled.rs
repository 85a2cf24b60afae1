//! Maps of the Tiled editor: `.tmx` files and the `.tsx` tilesets they name.
//!
//! A tile says what it is by its properties: `terrain` names its terrain kind, `speed` gives that kind a
//! speed where the caller's table has none, `sides` lists the sides that are not open: `"N S"` are walls,
//! `"E=hedge"` is a side of kind `hedge`. A tile that is flipped or turned on the map has its sides flipped
//! and turned with it. Layers of tiles lie one on the other: a tile with `terrain` covers what is below it,
//! one with `sides` alone adds them to it (of two kinds the slower stays). Cells that no tile covers are
//! `out`. A layer whose property `decoration` is true is not read, nor are pictures.
//!
//! Objects that have a class come as [`TiledObject`]: cells, name and properties; what they mean is the
//! caller's. Maps are orthogonal, or hexagonal with staggered axis Y and index odd, which are
//! [`GridShape::Hex`]. The format is described at
//! <https://doc.mapeditor.org/en/stable/reference/tmx-map-format/>.

mod data;
mod error;
mod flip;
mod laid;
mod object;
mod source;
mod tileset;

pub use error::{TiledError, TiledErrorKind};
pub use object::{TiledObject, TiledProperty};

use data::read_layer;
use flip::{FLIPS, OPEN};
use laid::Laid;
use object::Pixels;
use roxmltree::Node;
use source::{Source, document};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tileset::{Tileset, read_tileset};
use wheelbase_grid::unpack_sides;
use wheelbase_grid::{Grid, GridShape, GridSize, MemoryNeed, SideTable, TerrainTable};

/// Most tiles of all layers together: four layers of the largest map.
const TILES_MAX: usize = 1 << 28;

/// A map as read from a file.
#[derive(Clone, Debug)]
pub struct TiledMap {
    /// The map.
    pub grid: Grid,
    /// Its objects that have a class, in the order of the file.
    pub objects: Vec<TiledObject>,
}

/// Reads a map from the bytes of a whole `.tmx` file. `terrain` are the caller's kinds, whose speeds hold
/// whatever the tiles say; kinds of tiles that it lacks are added. `read_tileset` gives the bytes of a
/// tileset that the map names, or why it cannot be read.
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
/// // The second tile is turned by a quarter.
/// assert_eq!(map.grid.side_of(Cell(1), Side::North), SideKind::OPEN);
/// assert_eq!(map.grid.side_of(Cell(1), Side::East), SideKind::WALL);
/// # Ok::<(), tiled::TiledError>(())
/// ```
/// # Errors
/// [`TiledError`] with the line, what was found and what would be right. Memory is taken only for maps of a
/// size that there may be.
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
    let pixels = Pixels::of(&source, map, shape)?;
    let tilesets = tilesets_of(&source, map, shape, &sides, read_file)?;
    let mut laid = Laid::new(&tilesets, (shape, terrain, &sides), size);
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
        read_layer(&source, layer, size, |cell, tile| laid.lay(&source, layer, cell, tile))?;
    }
    let (kinds, packed_sides, table) = laid.finish()?;
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

/// What [`parse()`] takes at its peak, told from the head of a map: the document, the tiles of two layers of four
/// bytes a cell, and terrain and sides twice. A file without a right head needs nothing.
pub fn need(bytes: &[u8]) -> MemoryNeed {
    let size = || {
        let document = document(source::text(bytes, None).ok()?, None).ok()?;
        let source = Source::new(&document, None);
        size_of(&source, source.root("map").ok()?).ok()
    };
    let of_cells = size().map_or(0, |size| 16 * size.n_cells() as u64);
    MemoryNeed::built(DOCUMENT_BYTES * bytes.len() as u64 + of_cells)
}

/// Bytes of a document for each of its text, of one that is nothing but small elements.
const DOCUMENT_BYTES: u64 = 16;

/// The layers of a kind, those in groups too, in the order in which they lie on each other.
fn parts<'d>(map: Node<'d, 'd>, tag: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
    // Tiles have groups of objects of their own.
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
            for (name, right) in [("staggeraxis", "y"), ("staggerindex", "odd")] {
                let found = source.attribute(map, name)?;
                if found != right {
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

/// The tilesets of a map, by their first numbers.
fn tilesets_of(
    source: &Source<'_>,
    map: Node<'_, '_>,
    shape: GridShape,
    sides: &SideTable,
    mut read_file: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Tileset>, TiledError> {
    let mut tilesets: Vec<Tileset> = Vec::new();
    // A map may name one many times.
    let mut files: BTreeMap<&str, Tileset> = BTreeMap::new();
    for node in map.children().filter(|node| node.has_tag_name("tileset")) {
        let least = tilesets.last().map_or(1, |before| u64::from(before.first) + 1);
        let first = source.whole(node, "firstgid", least..=u64::from(!FLIPS))? as u32;
        let mut tileset = match node.attribute("source") {
            None => read_tileset(source, node, (shape, sides))?,
            Some(name) => match files.entry(name) {
                Entry::Occupied(known) => known.get().again(),
                Entry::Vacant(place) => {
                    let unread = |why| TiledErrorKind::Tileset { file: name.to_owned(), why };
                    let bytes = read_file(name).map_err(|why| source.error(node, unread(why)))?;
                    let text = source::text(&bytes, Some(name))?;
                    let document = document(text, Some(name))?;
                    let file = Source::new(&document, Some(name));
                    let root = file.root("tileset")?;
                    place.insert(read_tileset(&file, root, (shape, sides))?).clone()
                }
            },
        };
        tileset.first = first;
        tilesets.push(tileset);
    }
    Ok(tilesets)
}
