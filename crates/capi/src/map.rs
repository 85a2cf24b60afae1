//! Maps and their edits.

#![allow(non_camel_case_types)]

use crate::arguments::{
    Sized32, fill, fill_structure, give, optional_output, slice, structures, text, write,
};
use crate::call::call;
use crate::handle::{Kind, Object, destroy, exclusive, shared};
use crate::status::{Failure, WB_NOT_FOUND, WB_TEXT};
use crate::value::{changes, shape, shape_number, wb_change, wb_rect};
use std::ffi::c_char;
use std::path::Path;
use wheelbase_grid::{
    Change, Grid, GridError, GridShape, GridSize, MemoryMax, SideTable, TerrainEntry, TerrainKind,
    TerrainTable,
};
use wheelbase_scenario::load::{Files, load_grid, load_grid_of_bytes};

/// A map of a host.
pub(crate) struct Map(pub(crate) Grid);

impl Object for Map {
    const KIND: Kind = Kind::Map;
}

/// A terrain kind of a map.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wb_terrain {
    /// `sizeof(wb_terrain)`.
    pub size: u32,
    /// Speed in thousandths: 1000 normal, 400 slow, 0 impassable; at most 65535.
    pub speed: u32,
    /// Name; movement classes set their own speeds by it.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: usize,
    /// The characters that stand for the kind in rows.
    pub characters: *const c_char,
    /// Bytes of the characters.
    pub characters_length: usize,
}

// SAFETY: numbers and pointers, the first a `u32`.
unsafe impl Sized32 for wb_terrain {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_terrain";
}

/// Facts about a map.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct wb_map_info {
    /// `sizeof(wb_map_info)`, set by the caller.
    pub size: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `WB_SHAPE_SQUARE` or `WB_SHAPE_HEX`.
    pub shape: u32,
    /// Edits so far that changed something.
    pub revision: u64,
    /// Number of terrain kinds, numbered from 0.
    pub terrain_kinds: u32,
    /// Number of side kinds, numbered from 0: `WB_SIDE_OPEN`, `WB_SIDE_WALL`, then the side kinds of the map's file.
    pub side_kinds: u32,
    /// 1 if a cell has or had a height other than 0, else 0.
    pub has_elevation: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: numbers alone, without padding, the first a `u32`.
unsafe impl Sized32 for wb_map_info {
    const SIZE_MIN: usize = 40;
    const NAME: &'static str = "wb_map_info";
}

fn size(width: u32, height: u32) -> Result<GridSize, Failure> {
    GridSize::new(u64::from(width), u64::from(height)).map_err(|error| Failure::argument(error.to_string()))
}

/// Makes a map of `width` x `height` cells of one terrain kind, with open sides, of height 0.
///
/// It has the terrain kinds of MovingAI maps, in this order, with characters, and speeds in thousandths. They are
/// `ground` (`.` `G`) 1000, `swamp` (`S`) 500, and `water` (`W`), `trees` (`T`) and `out` (`@` `O`) 0. At most 2^26
/// cells; 1 byte each.
///
/// Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_ARGUMENT` for a size, shape or kind that does not
/// exist.
///
/// # Safety
/// `map` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_new(width: u32, height: u32, shape: u32, terrain: u32, map: *mut u64) -> u32 {
    call("wb_map_new", || {
        let make = || {
            let (size, shape) = (size(width, height)?, self::shape(shape, "shape")?);
            let table = TerrainTable::movingai();
            let kind = terrain_kind(terrain, &table)?;
            Ok(Map(Grid::filled(size, kind, table, SideTable::default()).with_shape(shape)))
        };
        // SAFETY: by this function's contract.
        unsafe { give(map, "map", make) }
    })
}

fn terrain_kind(number: u32, table: &TerrainTable) -> Result<TerrainKind, Failure> {
    let n_kinds = table.entries().len();
    if (number as usize) < n_kinds {
        return Ok(TerrainKind(number as u8));
    }
    Err(Failure::argument(format!("`terrain` is {number}, expected less than {n_kinds}")))
}

/// Makes a map of cells that the host has: `width * height` terrain kinds, row by row. `terrains` are the kinds,
/// numbered in their order from 0; the kinds of MovingAI maps (see `wb_map_new`) that are not among them follow. At
/// most 255 kinds.
///
/// Threads: any. Lifetime: until `wb_map_destroy`; all data is copied. Statuses: `WB_ARGUMENT` for an invalid size or
/// shape, a wrong number of cells, or a cell of no kind. Also for two kinds with the same name or character.
///
/// # Safety
/// `cells` has `n_cells` bytes. `terrains` has `n_terrains` structures with texts as long as they say, or is null with
/// 0. `map` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_from_cells(
    width: u32,
    height: u32,
    shape: u32,
    cells: *const u8,
    n_cells: usize,
    terrains: *const wb_terrain,
    n_terrains: usize,
    map: *mut u64,
) -> u32 {
    call("wb_map_from_cells", || {
        let make = || {
            let (size, shape) = (size(width, height)?, self::shape(shape, "shape")?);
            // SAFETY: by this function's contract.
            let (cells, table) =
                unsafe { (slice(cells, n_cells, "cells")?, terrain_table(terrains, n_terrains)?) };
            if cells.len() != size.n_cells() {
                let message =
                    format!("`n_cells` is {n_cells}, expected {} for a map of {size}", size.n_cells());
                return Err(Failure::argument(message));
            }
            let n_kinds = table.entries().len();
            if let Some(at) = cells.iter().position(|kind| usize::from(*kind) >= n_kinds) {
                let (x, y, kind) = (at as u32 % width, at as u32 / width, cells[at]);
                let message =
                    format!("cell ({x}, {y}) is of terrain kind {kind}, expected less than {n_kinds}");
                return Err(Failure::argument(message));
            }
            let cells = cells.iter().map(|kind| TerrainKind(*kind)).collect();
            Ok(Map(Grid::from_terrain(size, cells, table, SideTable::default()).with_shape(shape)))
        };
        // SAFETY: by this function's contract.
        unsafe { give(map, "map", make) }
    })
}

/// The given kinds, then the standard ones.
///
/// # Safety
/// As for `wb_map_from_cells`.
unsafe fn terrain_table(terrains: *const wb_terrain, n_terrains: usize) -> Result<TerrainTable, Failure> {
    let mut entries = Vec::new();
    // SAFETY: by this function's contract.
    for (number, given) in unsafe { structures(terrains, n_terrains, "terrains")? }.iter().enumerate() {
        // SAFETY: by this function's contract.
        let (name, characters) = unsafe {
            let name = text(given.name, given.name_length, "terrains[].name")?;
            (name, text(given.characters, given.characters_length, "terrains[].characters")?)
        };
        let speed = u16::try_from(given.speed).map_err(|_| {
            Failure::argument(format!(
                "`terrains[{number}].speed` is {}, expected at most 65535",
                given.speed
            ))
        })?;
        entries.push(TerrainEntry::new(name, characters, speed));
    }
    TerrainTable::with_standard(entries).map_err(|error| Failure::argument(format!("`terrains`: {error}")))
}

/// Makes a map of square cells of text: a line for each row, a character for each cell (see `wb_map_new`).
///
/// Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_TEXT` with line and column of an unknown character or
/// of a row of another length; `WB_ARGUMENT` for text that is not UTF-8.
///
/// # Safety
/// `rows` has `length` bytes; `map` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_from_rows(rows: *const c_char, length: usize, map: *mut u64) -> u32 {
    call("wb_map_from_rows", || {
        let make = || {
            // SAFETY: by this function's contract.
            let rows: Vec<&str> = unsafe { text(rows, length, "rows")? }.lines().collect();
            Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).map(Map).map_err(in_rows)
        };
        // SAFETY: by this function's contract.
        unsafe { give(map, "map", make) }
    })
}

/// A mistake in rows, with its place.
fn in_rows(error: GridError) -> Failure {
    let place = match &error {
        GridError::RaggedRow { row, .. } => format!("rows:{}: ", row + 1),
        GridError::UnknownGlyph { cell, .. } => format!("rows:{}:{}: ", cell.y + 1, cell.x + 1),
        _ => "rows: ".to_owned(),
    };
    Failure::new(WB_TEXT, format!("{place}{error}"))
}

/// Makes the map of a file that the host has read. It is a map file or a scenario (`.toml`), which may define terrain
/// kinds, side kinds, walls and heights. The ending of `name` tells the format: `.toml`, `.png`, `.tmx` (Tiled), else
/// MovingAI. The name is used in messages. No file is opened, so a file that names others cannot be read: use
/// `wb_map_open`.
///
/// Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_TEXT` with file, line and column of each mistake.
///
/// # Safety
/// `name` has `name_length` bytes, `bytes` has `length`; `map` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_parse(
    name: *const c_char,
    name_length: usize,
    bytes: *const u8,
    length: usize,
    map: *mut u64,
) -> u32 {
    call("wb_map_parse", || {
        let make = || {
            // SAFETY: by this function's contract.
            let (name, bytes) = unsafe { (text(name, name_length, "name")?, slice(bytes, length, "bytes")?) };
            Ok(Map(load_grid_of_bytes(Path::new(name), bytes, Files::Memory(&[]), MemoryMax::NONE)?))
        };
        // SAFETY: by this function's contract.
        unsafe { give(map, "map", make) }
    })
}

/// Reads a map file, or the map of a scenario (`.toml`), from the disk. As `wb_map_parse`, with the files that it
/// names.
///
/// Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_TEXT` for a file that cannot be read, or with file,
/// line and column of each mistake.
///
/// # Safety
/// `path` has `length` bytes; `map` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_open(path: *const c_char, length: usize, map: *mut u64) -> u32 {
    call("wb_map_open", || {
        let make = || {
            // SAFETY: by this function's contract.
            let path = unsafe { text(path, length, "path")? };
            Ok(Map(load_grid(Path::new(path), MemoryMax::NONE)?.grid))
        };
        // SAFETY: by this function's contract.
        unsafe { give(map, "map", make) }
    })
}

/// A copy of a map, which is edited apart from it.
///
/// Threads: any, beside other readers of the map. Lifetime: until `wb_map_destroy`.
///
/// # Safety
/// `copy` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_clone(map: u64, copy: *mut u64) -> u32 {
    // SAFETY: by this function's contract.
    call("wb_map_clone", || unsafe { give(copy, "copy", || Ok(Map(shared::<Map>(map)?.0.clone()))) })
}

/// Destroys a map; 0 is none. Tables and worlds made of it keep what they need.
///
/// Threads: any, while no other call uses the map (else `WB_BUSY`).
#[unsafe(no_mangle)]
pub extern "C" fn wb_map_destroy(map: u64) -> u32 {
    call("wb_map_destroy", || destroy::<Map>(map))
}

/// Writes the facts about a map: size, shape, revision, numbers of kinds.
///
/// Threads: any, beside other readers of the map.
///
/// # Safety
/// `info` may be written as far as its `size` says, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_describe(map: u64, info: *mut wb_map_info) -> u32 {
    call("wb_map_describe", || {
        let map = &shared::<Map>(map)?.0;
        let value = wb_map_info {
            width: map.size().width(),
            height: map.size().height(),
            shape: shape_number(map.shape()),
            revision: map.revision(),
            terrain_kinds: map.terrain_table().entries().len() as u32,
            side_kinds: map.side_table().entries().len() as u32,
            has_elevation: u32::from(map.elevation().is_some()),
            ..wb_map_info::default()
        };
        // SAFETY: by this function's contract.
        unsafe { fill_structure(info, &value, "info") }
    })
}

/// The terrain kinds of all cells, row by row: cell (x, y) has `cells[y * width + x]`.
///
/// Threads: any, beside other readers of the map. Lifetime: `*cells` is the map's own memory, valid until the map is
/// edited or destroyed; nothing is copied.
///
/// # Safety
/// `cells` and `count` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_terrain(map: u64, cells: *mut *const u8, count: *mut usize) -> u32 {
    call("wb_map_terrain", || {
        let map = shared::<Map>(map)?;
        let terrain = map.0.terrain();
        // SAFETY: by this function's contract. `TerrainKind` is a transparent `u8`.
        unsafe {
            write(count, terrain.len(), "count")?;
            write(cells, terrain.as_ptr().cast::<u8>(), "cells")
        }
    })
}

/// The number of the terrain kind with a name.
///
/// Threads: any, beside other readers of the map. Statuses: `WB_NOT_FOUND`.
///
/// # Safety
/// `name` has `length` bytes; `kind` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_terrain_kind(
    map: u64,
    name: *const c_char,
    length: usize,
    kind: *mut u32,
) -> u32 {
    call("wb_map_terrain_kind", || {
        let map = shared::<Map>(map)?;
        // SAFETY: by this function's contract.
        let name = unsafe { text(name, length, "name")? };
        let found = map.0.terrain_table().kind_of_name(name).ok_or_else(|| {
            let known: Vec<&str> =
                map.0.terrain_table().entries().iter().map(|kind| &kind.name[..]).collect();
            Failure::new(
                WB_NOT_FOUND,
                format!("no terrain kind is named \"{name}\"; there are {}", known.join(", ")),
            )
        })?;
        // SAFETY: by this function's contract.
        unsafe { write(kind, u32::from(found.0), "kind") }
    })
}

/// The name of a terrain kind, UTF-8, without a zero byte at its end.
///
/// Threads: any, beside other readers of the map. Statuses: `WB_NOT_FOUND`; `WB_BUFFER` with the bytes needed in
/// `count`.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_terrain_name(
    map: u64,
    kind: u32,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_map_terrain_name", || {
        let map = shared::<Map>(map)?;
        let kinds = map.0.terrain_table().entries();
        let entry = kinds.get(kind as usize).ok_or_else(|| {
            Failure::new(WB_NOT_FOUND, format!("terrain kind {kind}: the map has {} kinds", kinds.len()))
        })?;
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, entry.name.as_bytes(), "buffer") }
    })
}

/// Makes changes, in their order, as one edit. All are checked first: a wrong change is named by its number, and then
/// none is made. `changed` gets the rectangle that holds every cell that is not as it was, which `wb_tables_update`
/// takes; it is empty if nothing has changed. `changed` may be null.
///
/// Threads: one, while no other call uses the map (else `WB_BUSY`). Cost: the cells of the changes' areas. Statuses:
/// `WB_ARGUMENT`.
///
/// # Safety
/// `changes` has `count` values; `changed` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_map_edit(
    map: u64,
    changes: *const wb_change,
    count: usize,
    changed: *mut wb_rect,
) -> u32 {
    call("wb_map_edit", || {
        let mut map = exclusive::<Map>(map)?;
        // SAFETY: by this function's contract.
        let (out, given) =
            unsafe { (optional_output(changed, "changed")?, slice(changes, count, "changes")?) };
        let changes = self::changes(given, &map.0)?;
        let edit = Change::apply_all(&changes, &mut map.0);
        if let Some(out) = out {
            out.write(edit.changed.into());
        }
        Ok(())
    })
}

/// That a class is for maps of the shape that a map has.
pub(crate) fn check_shape(class: GridShape, map: GridShape) -> Result<(), Failure> {
    if class == map {
        return Ok(());
    }
    let (class, map) = (class.name(), map.name());
    Err(Failure::argument(format!("the class is for maps of shape \"{class}\", this map is \"{map}\"")))
}
