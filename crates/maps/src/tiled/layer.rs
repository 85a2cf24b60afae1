//! Layers of a map: where on it their tiles lie, and the part of the plane that is the map.

use super::data::{TileForm, text_of};
use super::error::{TiledError, TiledErrorKind};
use super::pixel_grid::PixelGrid;
use super::source::{Source, SourceLocation};
use super::tileset::{Tile, properties_of, tile_of};
use roxmltree::{Node, NodeId};
use std::collections::HashMap;
use wheelbase_grid::{GridShape, GridSize, SideTable};

/// Most tiles of all layers together: four layers of the largest map.
const TILES_MAX: u64 = 1 << 28;
/// Most chunks of all layers together: the chunks of 2^28 tiles, as the editor makes them.
const CHUNKS_MAX: usize = 1 << 20;
/// Most columns and rows of a chunk, and from the middle of an infinite map to it.
const CHUNK_COORDINATE_MAX: i64 = 1 << 26;

/// A layer of tiles or objects that is read.
pub(super) struct Part<'d> {
    pub node: Node<'d, 'd>,
    /// Pixels by which it is moved to the east and to the south.
    pub offset: (f64, f64),
}

/// A layer of tiles.
pub(super) struct Layer<'d> {
    pub name: &'d str,
    /// The properties that it gives to its tiles.
    pub says: Tile,
    pub location: SourceLocation,
    data: Node<'d, 'd>,
    blocks: Vec<Block<'d>>,
}

/// Tiles of a layer that are written together.
struct Block<'d> {
    node: Node<'d, 'd>,
    /// The north-western cell.
    x: i64,
    y: i64,
    width: u32,
    height: u32,
}

/// The part of the plane that is the map.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The cell of the plane that is cell (0, 0) of the map.
    pub origin: (i64, i64),
    pub size: GridSize,
}

/// The layers with a tag from the bottom up, including those in groups, without decoration.
pub(super) fn parts<'d>(
    source: &Source<'_>,
    map: Node<'d, 'd>,
    tag: &'static str,
) -> Result<Vec<Part<'d>>, TiledError> {
    // The offset of each group, `None` for decoration. Only for look-ups: the order of a hash map must not matter.
    let mut groups: HashMap<NodeId, Option<(f64, f64)>> = HashMap::new();
    groups.insert(map.id(), Some((0.0, 0.0)));
    let mut parts = Vec::new();
    // Parents come before their children. The object groups of tiles have another parent.
    for node in map.descendants().filter(|node| node.has_tag_name("group") || node.has_tag_name(tag)) {
        let Some(&of_parent) = node.parent().and_then(|parent| groups.get(&parent.id())) else { continue };
        let offset = match of_parent.filter(|_| !source.is_decoration(node)) {
            Some((x, y)) => {
                let along = |name| source.number(node, name, PixelGrid::PIXELS_MAX);
                Some((x + along("offsetx")?, y + along("offsety")?))
            }
            None => None,
        };
        if node.has_tag_name("group") {
            groups.insert(node.id(), offset);
        } else if let Some(offset) = offset {
            parts.push(Part { node, offset });
        }
    }
    Ok(parts)
}

/// The size of a map; `None` if it is infinite.
pub(super) fn fixed_size(source: &Source<'_>, map: Node<'_, '_>) -> Result<Option<GridSize>, TiledError> {
    if map.attribute("infinite").is_some_and(|infinite| infinite != "0") {
        return Ok(None);
    }
    let whole = |name| source.whole(map, name, 0..=u64::MAX);
    let size = GridSize::new(whole("width")?, whole("height")?);
    size.map(Some).map_err(|error| source.error(map, TiledErrorKind::BadSize(error)))
}

/// The layers of tiles of a map.
pub(super) fn layers<'d>(
    source: &Source<'_>,
    map: Node<'d, 'd>,
    (pixels, fixed): (&PixelGrid, Option<GridSize>),
    kinds: (GridShape, &SideTable),
) -> Result<Vec<Layer<'d>>, TiledError> {
    let (mut n_tiles, mut n_chunks) = (0, 0);
    let mut layers = Vec::new();
    for Part { node, offset } in parts(source, map, "layer")? {
        let Some(data) = node.children().find(|child| child.has_tag_name("data")) else {
            let kind = TiledErrorKind::BadData("there is no element \"data\"".to_owned());
            return Err(source.error(node, kind));
        };
        let (dx, dy) = pixels.cells_of_offset(source, node, offset)?;
        let mut blocks = Vec::new();
        for chunk in data.children().filter(|child| child.has_tag_name("chunk")) {
            n_chunks += 1;
            if n_chunks > CHUNKS_MAX {
                let what = format!("more than {CHUNKS_MAX} chunks in all layers together");
                return Err(source.not_supported(chunk, what, "a smaller map"));
            }
            let at = |name| source.whole(chunk, name, -CHUNK_COORDINATE_MAX..=CHUNK_COORDINATE_MAX);
            let length = |name| source.whole(chunk, name, 1..=CHUNK_COORDINATE_MAX as u32);
            let (x, y) = (at("x")? + dx, at("y")? + dy);
            blocks.push(Block { node: chunk, x, y, width: length("width")?, height: length("height")? });
        }
        if let Some(size) = fixed.filter(|_| blocks.is_empty()) {
            let (width, height) = (size.width(), size.height());
            for (name, of_map) in [("width", width), ("height", height)] {
                if let Some(found) = node.attribute(name).filter(|found| found.parse() != Ok(of_map)) {
                    return Err(source.bad_value(node, name, found, format!("{of_map}, as for the map")));
                }
            }
            blocks.push(Block { node: data, x: dx, y: dy, width, height });
        } else if blocks.is_empty() && has_tiles(data) {
            // Other programs write infinite maps without chunks.
            let length = |name| source.whole(node, name, 1..=CHUNK_COORDINATE_MAX as u32);
            blocks.push(Block {
                node: data,
                x: dx,
                y: dy,
                width: length("width")?,
                height: length("height")?,
            });
        }
        n_tiles += blocks.iter().map(|block| u64::from(block.width) * u64::from(block.height)).sum::<u64>();
        if n_tiles > TILES_MAX {
            let what = format!("more than {TILES_MAX} tiles in all layers together");
            return Err(source.not_supported(node, what, "fewer layers"));
        }
        let says = tile_of(&source.file, None, properties_of(source, node), kinds)?;
        let (name, location) = (node.attribute("name").unwrap_or(""), source.location(node));
        layers.push(Layer { name, says, location, data, blocks });
    }
    match layers.is_empty() {
        true => Err(source.error(map, TiledErrorKind::NoLayer)),
        false => Ok(layers),
    }
}

/// Whether there are tiles right in an element `data`.
fn has_tiles(data: Node<'_, '_>) -> bool {
    !text_of(data).trim().is_empty() || data.children().any(|child| child.has_tag_name("tile"))
}

impl Frame {
    /// The map: of a fixed size, or the rectangle around all chunks of an infinite one.
    pub fn of(
        source: &Source<'_>,
        map: Node<'_, '_>,
        (shape, fixed): (GridShape, Option<GridSize>),
        layers: &[Layer<'_>],
    ) -> Result<Self, TiledError> {
        if let Some(size) = fixed {
            return Ok(Self { origin: (0, 0), size });
        }
        let blocks = || layers.iter().flat_map(|layer| &layer.blocks);
        let (Some(west), Some(north)) =
            (blocks().map(|block| block.x).min(), blocks().map(|block| block.y).min())
        else {
            return Err(source.error(map, TiledErrorKind::NoChunk));
        };
        // Odd rows of hexagons stay odd.
        let north = if shape == GridShape::Hex { north & !1 } else { north };
        let east = blocks().map(|block| block.x + i64::from(block.width)).max().unwrap_or(west);
        let south = blocks().map(|block| block.y + i64::from(block.height)).max().unwrap_or(north);
        let size = GridSize::new((east - west) as u64, (south - north) as u64);
        let size = size.map_err(|error| source.error(map, TiledErrorKind::BadSize(error)))?;
        Ok(Self { origin: (west, north), size })
    }

    /// The cell of the map at a cell of the plane, by its index.
    fn cell(self, x: i64, y: i64) -> Option<usize> {
        let (x, y) = (x - self.origin.0, y - self.origin.1);
        let (width, height) = (i64::from(self.size.width()), i64::from(self.size.height()));
        ((0..width).contains(&x) && (0..height).contains(&y)).then_some((y * width + x) as usize)
    }
}

impl Layer<'_> {
    /// Calls `add_tile` with each cell of the map that has a tile in the layer, and the number of the tile, including
    /// the flip bits.
    pub fn read(
        &self,
        source: &Source<'_>,
        frame: Frame,
        mut add_tile: impl FnMut(usize, u32) -> Result<(), TiledError>,
    ) -> Result<(), TiledError> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let form = TileForm::of(source, self.data)?;
        for &Block { node, x, y, width, height } in &self.blocks {
            let n_cells = width as usize * height as usize;
            let (columns, rows) = (frame.size.width(), frame.size.height());
            let is_whole_map = (x, y, width, height) == (frame.origin.0, frame.origin.1, columns, rows);
            form.read(source, node, n_cells, |at, tile| {
                if is_whole_map {
                    return add_tile(at, tile);
                }
                let (column, row) = (at % width as usize, at / width as usize);
                // Tiles that a layer has beyond the border are not on the map.
                match frame.cell(x + column as i64, y + row as i64) {
                    Some(cell) => add_tile(cell, tile),
                    None => Ok(()),
                }
            })?;
        }
        Ok(())
    }
}
