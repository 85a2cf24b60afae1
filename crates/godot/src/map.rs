//! The map as a class of the engine.

use crate::place::{Place, Tiles};
use crate::terrain::Kinds;
use crate::told::{Told, integer, read_file};
use godot::classes::TileMapLayer;
use godot::global::Error;
use godot::prelude::*;
use wheelbase_grid::Grid;
use wheelbase_sim::CellXY;

/// The map of a [WheelbaseWorld]: a rectangle of squares, or of hexagons with a corner to the north. Each cell has a
/// kind of terrain.
///
/// It is read from a [TileMapLayer], from text or from bytes. The kinds `ground`, `swamp`, `water`, `trees` and `out`
/// are always there; units drive on ground, and through swamp at half speed. A class of units can say otherwise. A
/// method that fails writes its mistake to the log, returns an error and changes nothing.
#[derive(GodotClass)]
#[class(init, base=RefCounted)]
pub struct WheelbaseMap {
    kinds: Kinds,
    grid: Option<Grid>,
    place: Option<Place>,
    told: Told,
    base: Base<RefCounted>,
}

#[godot_api]
impl WheelbaseMap {
    /// Adds a kind of terrain. `letters` stand for it in text. `speed` is in thousandths of the usual speed, for units
    /// whose class says nothing else: 2000 is a road, 0 stops them. Add kinds before you read the map.
    #[func]
    fn add_terrain(&mut self, name: GString, letters: GString, #[opt(default = 1000)] speed: i64) -> Error {
        let added = integer("speed", speed, "0 to 65535")
            .and_then(|speed| self.kinds.add(&name.to_string(), &letters.to_string(), speed));
        self.done("add_terrain", added)
    }

    /// Reads rows of letters, or a whole MovingAI file: `.` is ground, `S` swamp, `W` water, `T` trees, `@` out.
    #[func]
    fn read_text(&mut self, text: GString) -> Error {
        let grid = self.kinds.parse(&text.to_string());
        self.take("read_text", grid.map(|grid| (grid, None)))
    }

    /// Reads a file as [method read_text] does. Export it with the project: it is no resource.
    #[func]
    fn read_file(&mut self, path: GString) -> Error {
        let text = read_file(&path)
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| format!("{path}: not UTF-8 text")));
        let grid = text.and_then(|text| self.kinds.parse(&text).map_err(|error| format!("{path}: {error}")));
        self.take("read_file", grid.map(|grid| (grid, None)))
    }

    /// Reads a byte per cell, row by row from the north-west: an index into `names`, which are kinds of terrain.
    #[func]
    fn read_bytes(&mut self, width: i64, bytes: PackedByteArray, names: PackedStringArray) -> Error {
        let grid = integer::<u32>("width", width, "1 or more").and_then(|width| {
            let (width, n_cells) = (u64::from(width.max(1)), bytes.len() as u64);
            if n_cells % width != 0 {
                return Err(format!("{n_cells} bytes are no rows of {width} cells"));
            }
            self.kinds.of_names((width, n_cells / width), |x, y| {
                let kind = bytes.as_slice()[y as usize * width as usize + x as usize];
                let name = names.get(usize::from(kind)).map(|name| name.to_string());
                name.ok_or_else(|| {
                    format!("cell ({x}, {y}): byte {kind}, but there are {} names", names.len())
                })
            })
        });
        self.take("read_bytes", grid.map(|grid| (grid, None)))
    }

    /// Reads the used rectangle of a layer of square or hexagonal tiles, and where it lies. Its first tile is cell (0,
    /// 0); [method WheelbaseWorld.start] puts the world there.
    ///
    /// Hexagonal tile sets have the layout `TILE_LAYOUT_STACKED` or `TILE_LAYOUT_STACKED_OFFSET`, and the offset axis
    /// `TILE_OFFSET_AXIS_HORIZONTAL`. If the first row of tiles is shifted to the east, row 0 of the map is an empty
    /// row above it.
    ///
    /// `terrain` says which kind of terrain a tile is. As a [String] it is the name of a custom data layer of the
    /// tile set. As a [Dictionary] it leads from atlas coordinates ([Vector2i]) to names. `empty` is the kind of cells
    /// without a tile.
    #[func]
    fn read_tile_map_layer(
        &mut self,
        layer: Option<Gd<TileMapLayer>>,
        terrain: Variant,
        #[opt(default = "out")] empty: GString,
    ) -> Error {
        let read = layer
            .ok_or_else(|| "layer is null".to_owned())
            .and_then(|layer| self.of_layer(&layer, &terrain, &empty.to_string()));
        self.take("read_tile_map_layer", read)
    }

    /// Columns and rows; (0, 0) before a map is read.
    #[func]
    fn size(&self) -> Vector2i {
        let size = self.grid.as_ref().map(Grid::size);
        size.map_or(Vector2i::ZERO, |size| Vector2i::new(size.width() as i32, size.height() as i32))
    }

    /// The kind of terrain of a cell; empty off the map.
    #[func]
    fn terrain_at(&self, cell: Vector2i) -> GString {
        self.grid.as_ref().map_or_else(GString::new, |grid| terrain_name(grid, cell))
    }

    /// The names of all kinds of terrain.
    #[func]
    fn terrain_names(&self) -> PackedStringArray {
        self.kinds.table().entries().iter().map(|entry| GString::from(entry.name.as_str())).collect()
    }

    /// The message of the last call that failed; empty if none has.
    #[func]
    fn last_error(&self) -> GString {
        self.told.last()
    }
}

impl WheelbaseMap {
    /// The map, if one was read.
    pub(crate) fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    /// Where its layer lies; `None` if it is of no layer.
    pub(crate) fn place(&self) -> Option<Place> {
        self.place
    }

    fn done<T>(&self, method: &str, result: Result<T, String>) -> Error {
        let told = self.told.told("WheelbaseMap", method, result);
        if told.is_some() { Error::OK } else { Error::ERR_INVALID_PARAMETER }
    }

    fn take(&mut self, method: &str, read: Result<(Grid, Option<Place>), String>) -> Error {
        let taken = read.map(|(grid, place)| (self.grid, self.place) = (Some(grid), place));
        self.done(method, taken)
    }

    fn of_layer(
        &self,
        layer: &Gd<TileMapLayer>,
        terrain: &Variant,
        empty: &str,
    ) -> Result<(Grid, Option<Place>), String> {
        let place =
            if layer.is_inside_tree() { layer.get_path().to_string() } else { layer.get_name().to_string() };
        let tiles = layer.get_tile_set().ok_or_else(|| format!("{place}: the layer has no tile set"))?;
        let size = tiles.get_tile_size();
        let properties =
            [tiles.get_tile_shape().ord(), tiles.get_tile_layout().ord(), tiles.get_tile_offset_axis().ord()];
        let shapes = Tiles::new([size.x, size.y], properties).map_err(|error| format!("{place}: {error}"))?;
        let names = if let Ok(custom) = terrain.try_to_relaxed::<GString>() {
            if tiles.get_custom_data_layer_by_name(&custom) < 0 {
                return Err(format!("{place}: the tile set has no custom data layer \"{custom}\""));
            }
            TileNames::Custom(custom)
        } else if let Ok(mapping) = terrain.try_to_relaxed::<VarDictionary>() {
            TileNames::Mapping(mapping)
        } else {
            let found = terrain.get_type();
            return Err(format!(
                "terrain is {found:?}, expected the name of a custom data layer or a Dictionary"
            ));
        };
        let mut used = layer.get_used_rect();
        if !used.has_area() {
            return Err(format!("{place}: the layer has no tiles"));
        }
        let first_row = shapes.first_row(used.position.y);
        used = Rect2i::from_position_end(Vector2i::new(used.position.x, first_row), used.end());
        let [width, height] = [used.size.x, used.size.y].map(|side| u64::from(side.unsigned_abs()));
        let grid = self.kinds.of_names((width, height), |x, y| {
            let at = used.position + Vector2i::new(x as i32, y as i32);
            if layer.get_cell_source_id(at) < 0 {
                return Ok(empty.to_owned());
            }
            let atlas = layer.get_cell_atlas_coords(at);
            let name = match &names {
                TileNames::Custom(custom) => layer
                    .get_cell_tile_data(at)
                    .map(|data| data.get_custom_data(custom))
                    .filter(|name| !name.is_nil() && !name.stringify().is_empty()),
                TileNames::Mapping(mapping) => mapping.get(atlas),
            };
            let name = name.map(|name| name.stringify().to_string());
            name.ok_or_else(|| format!("tile at {at}, atlas {atlas}, has no terrain"))
        });
        let corner = layer.map_to_local(used.position) - Vector2::new(size.x as f32, size.y as f32) / 2.0;
        let origin =
            if layer.is_inside_tree() { layer.to_global(corner) } else { layer.get_transform() * corner };
        let scale = if layer.is_inside_tree() { layer.get_global_scale() } else { layer.get_scale() };
        let [scale_x, scale_y] = [scale.x, scale.y].map(f64::from);
        let cell_size = f64::from(size.x) * scale_x;
        let stretch = shapes.stretch() * scale_y / scale_x;
        let grid = grid.map_err(|error| format!("{place}: {error}"))?.with_shape(shapes.shape);
        let origin = [origin.x, origin.y].map(f64::from);
        Ok((grid, Some(Place { cell_size, stretch, origin })))
    }
}

/// Which kind of terrain a tile is.
enum TileNames {
    /// The custom data layer of that name says so.
    Custom(GString),
    /// By atlas coordinates.
    Mapping(VarDictionary),
}

/// The kind of terrain of a cell; empty off the map.
pub(crate) fn terrain_name(grid: &Grid, cell: Vector2i) -> GString {
    let kind = grid.terrain_at(CellXY::new(cell.x, cell.y));
    let entry = kind.and_then(|kind| grid.terrain_table().entries().get(usize::from(kind.0)));
    entry.map_or_else(GString::new, |entry| GString::from(entry.name.as_str()))
}
