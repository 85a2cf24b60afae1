//! Movement tables: a class compiled against a map.

use crate::arguments::{fill, give, optional_output, slice, write};
use crate::call::call;
use crate::class::{Class, read_pose};
use crate::handle::{Kind, Object, Shared, destroy, exclusive, shared};
use crate::map::{Map, check_shape};
use crate::status::Failure;
use crate::value::{wb_cell, wb_path_pose, wb_pose, wb_rect};
use std::ffi::c_char;
use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainTable};
use wheelbase_planner::tables::{MovesEnd, MovesError, Reachability};
use wheelbase_planner::{Legality, MovementTables, PathPose, Pose, tables_need};

/// The tables of a host.
#[derive(Clone)]
pub(crate) struct Tables {
    pub(crate) tables: MovementTables,
    /// Counts what has changed the tables, components among it, so that searches find that they are of others.
    pub(crate) version: u64,
    /// Counts the edits of the map that they have followed.
    pub(crate) edits: u64,
    /// The kinds of the map: tables hold a speed for each.
    terrain: TerrainTable,
    sides: SideTable,
}

impl Object for Tables {
    const KIND: Kind = Kind::Tables;
}

impl Tables {
    /// Tables compiled against a map.
    pub(crate) fn new(tables: MovementTables, map: &Grid) -> Self {
        let (terrain, sides) = (map.terrain_table().clone(), map.side_table().clone());
        Self { tables, version: 0, edits: 0, terrain, sides }
    }

    pub(crate) fn headings(&self) -> u8 {
        self.tables.class().headings()
    }

    /// That a map is of the size, the shape and the kinds for which the tables were compiled.
    pub(crate) fn check_map(&self, map: &Grid) -> Result<(), Failure> {
        let size = self.tables.space().size();
        check_shape(self.tables.class().grid_shape(), map.shape())?;
        if map.size() != size {
            let message = format!("the map is of {} cells, the tables of {size}", map.size());
            return Err(Failure::argument(message));
        }
        if *map.terrain_table() != self.terrain || *map.side_table() != self.sides {
            let message = "the map has other terrain or side kinds than the one the tables were compiled for";
            return Err(Failure::argument(message));
        }
        Ok(())
    }
}

/// One cell leads to the other.
pub const WB_CONNECTED_YES: u32 = 1;
/// No way leads from one cell to the other.
pub const WB_CONNECTED_NO: u32 = 0;
/// Only a search can tell: there are one-way moves, or `wb_tables_make_components` has not been called.
pub const WB_CONNECTED_UNKNOWN: u32 = 2;

/// In `wb_tables_update`: a pose or a move is not as it was.
pub const WB_UPDATE_CHANGED: u32 = 1;
/// In `wb_tables_update`: a pose or a move has become legal, or a move cheaper.
pub const WB_UPDATE_EASED: u32 = 2;

/// Compiles a class against a map. All searches of this class on this map use these tables, which take the place of
/// both.
///
/// Threads: any, beside other readers of map and class. Cost: poses x primitives x swept cells; memory as
/// `wb_tables_need` says. Lifetime: until `wb_tables_destroy`. Statuses: `WB_ARGUMENT` for a class that is larger than
/// the map or for maps of another shape.
///
/// # Safety
/// `tables` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_new(map: u64, class_: u64, tables: *mut u64) -> u32 {
    call("wb_tables_new", || {
        let make = || {
            let (map, class) = (shared::<Map>(map)?, shared::<Class>(class_)?);
            Ok(Tables::new(MovementTables::compile(&map.0, class.on(&map.0)?), &map.0))
        };
        // SAFETY: by this function's contract.
        unsafe { give(tables, "tables", make) }
    })
}

/// An estimate of the memory that `wb_tables_new` takes: `kept` by the tables, and `peak` while it compiles, in bytes.
///
/// Threads: any, beside other readers of map and class. Statuses: as `wb_tables_new`.
///
/// # Safety
/// `kept` and `peak` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_need(map: u64, class_: u64, kept: *mut u64, peak: *mut u64) -> u32 {
    call("wb_tables_need", || {
        let (map, class) = (shared::<Map>(map)?, shared::<Class>(class_)?);
        let need = tables_need(&map.0, &class.on(&map.0)?);
        // SAFETY: by this function's contract.
        unsafe {
            write(kept, need.kept, "kept")?;
            write(peak, need.peak, "peak")
        }
    })
}

/// A copy of tables. The two share their memory until one of them is updated.
///
/// Threads: any, beside other readers of the tables. Lifetime: until `wb_tables_destroy`.
///
/// # Safety
/// `copy` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_clone(tables: u64, copy: *mut u64) -> u32 {
    // SAFETY: by this function's contract.
    call("wb_tables_clone", || unsafe {
        give(copy, "copy", || Ok(Tables::clone(&*shared::<Tables>(tables)?)))
    })
}

/// Destroys tables; 0 is none. Searches, fields and frames of queues in progress with them cannot go on.
///
/// Threads: any, while no other call uses the tables (else `WB_BUSY`).
#[unsafe(no_mangle)]
pub extern "C" fn wb_tables_destroy(tables: u64) -> u32 {
    call("wb_tables_destroy", || destroy::<Tables>(tables))
}

/// Follows an edit of the map: recompiles everything that the `changed` rectangle of `wb_map_edit` can touch, and keeps
/// the components correct. After several edits give the rectangle that contains all of them. `effect` gets
/// `WB_UPDATE_CHANGED` and `WB_UPDATE_EASED`, or 0; it may be null. Searches in progress must be restarted, and fields
/// repaired (`wb_field_repair`).
///
/// Threads: one, while no other call uses the tables (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for a map of another
/// size, shape or other kinds.
///
/// # Safety
/// `changed` can be read, or is null; `effect` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_update(
    tables: u64,
    map: u64,
    changed: *const wb_rect,
    effect: *mut u32,
) -> u32 {
    call("wb_tables_update", || {
        let (mut tables, map) = (exclusive::<Tables>(tables)?, shared::<Map>(map)?);
        // SAFETY: by this function's contract.
        let (out, changed) = unsafe { (optional_output(effect, "effect")?, read_area(changed, "changed")?) };
        tables.check_map(&map.0)?;
        let update = tables.tables.update(&map.0, changed);
        tables.version += 1;
        tables.edits += 1;
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        if let Some(out) = out {
            out.write(flag(update.changed, WB_UPDATE_CHANGED) | flag(update.eased, WB_UPDATE_EASED));
        }
        Ok(())
    })
}

/// # Safety
/// Where not null, `area` can be read.
pub(crate) unsafe fn read_area(area: *const wb_rect, name: &str) -> Result<Rect, Failure> {
    // SAFETY: by this function's contract.
    match unsafe { slice(area, 1, name)? } {
        [area] => Ok((*area).into()),
        _ => unreachable!("a slice of one"),
    }
}

/// Makes the components of the poses: which are connected. Updates keep them. They answer `wb_tables_connected`, and
/// searches for goals out of reach end immediately; that pays for many requests.
///
/// Threads: one, while no other call uses the tables (else `WB_BUSY`). Cost: about as much as compiling. Searches in
/// progress must be restarted.
#[unsafe(no_mangle)]
pub extern "C" fn wb_tables_make_components(tables: u64) -> u32 {
    call("wb_tables_make_components", || {
        let mut tables = exclusive::<Tables>(tables)?;
        tables.version += 1;
        tables.tables.make_components();
        Ok(())
    })
}

/// Whether a pose is on the map and legal: `*legal` gets 1 or 0.
///
/// Threads: any, beside other readers of the tables. Statuses: `WB_ARGUMENT` for a heading that the class lacks.
///
/// # Safety
/// `pose` can be read, or is null; `legal` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_is_legal(tables: u64, pose: *const wb_pose, legal: *mut u8) -> u32 {
    call("wb_tables_is_legal", || {
        let tables = shared::<Tables>(tables)?;
        // SAFETY: by this function's contract.
        let pose = unsafe { read_pose(pose, tables.headings())? };
        // SAFETY: by this function's contract.
        unsafe { write(legal, u8::from(tables.tables.is_legal_pose(pose)), "legal") }
    })
}

/// Whether some pose with its anchor in the cell `to` can be reached from some legal pose with its anchor in `from`.
/// `*answer` gets `WB_CONNECTED_YES`, `WB_CONNECTED_NO` or `WB_CONNECTED_UNKNOWN`. No search.
///
/// Threads: any, beside other readers of the tables.
///
/// # Safety
/// `from` and `to` can be read, or are null; `answer` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_connected(
    tables: u64,
    from: *const wb_cell,
    to: *const wb_cell,
    answer: *mut u32,
) -> u32 {
    call("wb_tables_connected", || {
        let tables = shared::<Tables>(tables)?;
        // SAFETY: by this function's contract.
        let (from, to) = unsafe { (slice(from, 1, "from")?, slice(to, 1, "to")?) };
        let (from, to): (CellXY, CellXY) = (from[0].into(), to[0].into());
        let found = match tables.tables.connects(from, to) {
            Reachability::Yes => WB_CONNECTED_YES,
            Reachability::No => WB_CONNECTED_NO,
            Reachability::Unknown => WB_CONNECTED_UNKNOWN,
        };
        // SAFETY: by this function's contract.
        unsafe { write(answer, found, "answer") }
    })
}

/// One move from a pose. `*ticks` gets its time, or 0 if it is illegal (`wb_explain_move` says why). `*after` gets the
/// pose after a legal move, else the pose itself. `after` may be null.
///
/// Threads: any, beside other readers of the tables. Statuses: `WB_ARGUMENT` for a heading or a primitive that the
/// class lacks.
///
/// # Safety
/// `pose` can be read, or is null; `after` and `ticks` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_move(
    tables: u64,
    pose: *const wb_pose,
    primitive: u32,
    after: *mut wb_pose,
    ticks: *mut u32,
) -> u32 {
    call("wb_tables_move", || {
        let tables = shared::<Tables>(tables)?;
        // SAFETY: by this function's contract.
        let pose = unsafe { read_pose(pose, tables.headings())? };
        check_primitive(primitive, tables.tables.class().primitives().len())?;
        let (tables, primitive) = (&tables.tables, primitive as usize);
        let found = tables.space().state(pose).and_then(|state| {
            let ticks = tables.move_ticks(state, primitive)?;
            Some((tables.space().pose(tables.state_after(state, primitive)), ticks))
        });
        let (end, time) = found.unwrap_or((pose, 0));
        // SAFETY: by this function's contract.
        unsafe {
            write(ticks, time, "ticks")?;
            if after.is_null() { Ok(()) } else { write(after, end.into(), "after") }
        }
    })
}

fn check_primitive(primitive: u32, n_primitives: usize) -> Result<(), Failure> {
    if (primitive as usize) < n_primitives {
        return Ok(());
    }
    Err(Failure::argument(format!("`primitive` is {primitive}, expected less than {n_primitives}")))
}

/// Checks a list of moves from a pose, such as a path after an edit. `*n_legal` gets the number of leading legal moves,
/// and `*end` the pose and the ticks after them. `end` may be null.
///
/// Threads: any, beside other readers of the tables. Statuses: `WB_ARGUMENT` for a heading that the class lacks.
///
/// # Safety
/// `start` can be read, or is null; `moves` has `count` bytes; `end` and `n_legal` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_check_moves(
    tables: u64,
    start: *const wb_pose,
    moves: *const u8,
    count: usize,
    end: *mut wb_path_pose,
    n_legal: *mut usize,
) -> u32 {
    call("wb_tables_check_moves", || {
        let tables = shared::<Tables>(tables)?;
        // SAFETY: by this function's contract.
        let (start, moves) = unsafe { (read_pose(start, tables.headings())?, slice(moves, count, "moves")?) };
        let (legal, last) = leading(&tables.tables, start, moves);
        // SAFETY: by this function's contract.
        unsafe {
            write(n_legal, legal, "n_legal")?;
            if end.is_null() { Ok(()) } else { write(end, last.into(), "end") }
        }
    })
}

/// The number of leading moves that are legal, and where they end.
fn leading(tables: &MovementTables, start: Pose, moves: &[u8]) -> (usize, PathPose) {
    let nowhere = PathPose { pose: start, arrival: 0 };
    let Some(state) = tables.space().state(start) else { return (0, nowhere) };
    let ends = |MovesEnd { state, ticks }| PathPose { pose: tables.space().pose(state), arrival: ticks };
    let at = match tables.check_moves(state, moves) {
        Ok(end) => return (moves.len(), ends(end)),
        Err(
            MovesError::NoSuchPrimitive { at, .. }
            | MovesError::Illegal { at, .. }
            | MovesError::CostOverflow { at },
        ) => at,
        Err(_) => return (0, nowhere),
    };
    (at, tables.check_moves(state, &moves[..at]).map_or(nowhere, ends))
}

/// Memory of tables in bytes, without the class.
///
/// Threads: any, beside other readers of the tables.
///
/// # Safety
/// `bytes` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_tables_memory(tables: u64, bytes: *mut u64) -> u32 {
    call("wb_tables_memory", || {
        let memory = shared::<Tables>(tables)?.tables.memory_bytes();
        // SAFETY: by this function's contract.
        unsafe { write(bytes, memory as u64, "bytes") }
    })
}

/// Says in words why a move from a pose is illegal, and where; without text (`*count` 0) if it is legal. UTF-8, without
/// a zero byte at its end.
///
/// Threads: any, beside other readers of map and class. Statuses: `WB_BUFFER` with the bytes needed in `count`;
/// `WB_ARGUMENT` for a heading or a primitive that the class lacks.
///
/// # Safety
/// `pose` can be read, or is null; `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written,
/// or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_explain_move(
    map: u64,
    class_: u64,
    pose: *const wb_pose,
    primitive: u32,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_explain_move", || {
        let (map, class) = (shared::<Map>(map)?, shared::<Class>(class_)?);
        let class = class.on(&map.0)?;
        // SAFETY: by this function's contract.
        let pose = unsafe { read_pose(pose, class.headings())? };
        check_primitive(primitive, class.primitives().len())?;
        let blocked = Legality::new(&map.0, &class).explain(pose, primitive as usize).err();
        let words = blocked.map_or(String::new(), |blocked| blocked.describe(&map.0));
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, words.as_bytes(), "buffer") }
    })
}

/// Says in words why a pose is illegal, and where; without text (`*count` 0) if it is legal. UTF-8, without a zero byte
/// at its end.
///
/// Threads: any, beside other readers of map and class. Statuses: `WB_BUFFER` with the bytes needed in `count`;
/// `WB_ARGUMENT` for a heading that the class lacks.
///
/// # Safety
/// As for `wb_explain_move`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_explain_pose(
    map: u64,
    class_: u64,
    pose: *const wb_pose,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_explain_pose", || {
        let (map, class) = (shared::<Map>(map)?, shared::<Class>(class_)?);
        let class = class.on(&map.0)?;
        // SAFETY: by this function's contract.
        let pose = unsafe { read_pose(pose, class.headings())? };
        let blocked = Legality::new(&map.0, &class).check_pose(pose).err();
        let words = blocked.map_or(String::new(), |blocked| blocked.describe(&map.0));
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, words.as_bytes(), "buffer") }
    })
}

/// The tables of a map that a call explains, and the map, which fit together.
pub(crate) fn with_map(map: u64, tables: u64) -> Result<(Shared<Map>, Shared<Tables>), Failure> {
    let (map, tables) = (shared::<Map>(map)?, shared::<Tables>(tables)?);
    tables.check_map(&map.0)?;
    Ok((map, tables))
}
