//! Movement classes.

#![allow(non_camel_case_types)]

use crate::arguments::{Sized32, fill, fill_structure, give, slice, structure, structures, text, write};
use crate::call::call;
use crate::handle::{Kind, Object, destroy, shared};
use crate::map::check_shape;
use crate::status::{Failure, WB_NOT_FOUND};
use crate::value::{WB_NONE, shape, shape_number, wb_cell, wb_pose};
use std::ffi::c_char;
use std::path::Path;
use wheelbase_grid::{CELLS_MAX, Grid, GridShape};
use wheelbase_planner::model::{Climb, Pivot, Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, MovementClass, Pose, Primitive, When};
use wheelbase_scenario::load::load_class_of_bytes;

/// A movement class of a host.
#[derive(Clone)]
pub(crate) struct Class {
    class: MovementClass,
    /// With one heading, a class file does not say the shape of the maps: it takes the shape of each map.
    any_shape: bool,
}

impl Object for Class {
    const KIND: Kind = Kind::Class;
}

impl Class {
    /// A class of a world.
    pub(crate) fn new(class: MovementClass) -> Self {
        Self { class, any_shape: false }
    }

    /// The class on a map, if it fits there.
    pub(crate) fn on(&self, map: &Grid) -> Result<MovementClass, Failure> {
        let class = if self.any_shape && map.shape() != self.class.grid_shape() {
            let spec = ClassSpec { shape: map.shape(), ..self.class.spec().clone() };
            MovementClass::new(spec).map_err(in_class)?
        } else {
            self.class.clone()
        };
        check_shape(class.grid_shape(), map.shape())?;
        class.check_fits(map.size()).map_err(in_class)?;
        Ok(class)
    }
}

fn in_class(error: wheelbase_planner::model::ClassError) -> Failure {
    Failure::argument(format!("the class: {error}"))
}

/// A move touches the footprints at its ends, and at each equal step between them.
pub const WB_SWEEP_ENDS: u32 = 0;
/// A move touches every cell whose interior the moving body touches; square maps only.
pub const WB_SWEEP_FULL: u32 = 1;
/// The default: `WB_SWEEP_FULL` on square maps, `WB_SWEEP_ENDS` on hexagonal maps.
pub const WB_SWEEP_USUAL: u32 = 2;

/// A primitive of any heading.
pub const WB_WHEN_ANY: u32 = 0;
/// With 8 headings: a primitive that starts facing E, N, W or S.
pub const WB_WHEN_STRAIGHT: u32 = 1;
/// With 8 headings: a primitive that starts facing NE, NW, SW or SE; its cells are given in map axes (east, south)
/// while facing NE.
pub const WB_WHEN_DIAGONAL: u32 = 2;

/// A motion primitive: a move in the agent's own frame.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wb_primitive {
    /// `sizeof(wb_primitive)`.
    pub size: u32,
    /// Displacement forward, in cells, -255 to 255. With one heading: to the east.
    pub forward: i32,
    /// Displacement to the right, in cells, -255 to 255. With one heading: to the south, on hexagonal maps to the
    /// southeast.
    pub right: i32,
    /// Heading steps, positive to the left (counterclockwise).
    pub turn: i32,
    /// Base time in ticks at speed 1000, 1 to 65535.
    pub time: u32,
    /// `WB_WHEN_ANY`; with 8 headings a primitive that moves is `WB_WHEN_STRAIGHT` or `WB_WHEN_DIAGONAL`.
    pub when: u32,
    /// 1 if `swept` is given, even without cells; else 0. It matters for a primitive that moves and turns. If `swept`
    /// is not given and a rule is `WB_SWEEP_FULL`, the primitive sweeps every cell that the body touches during the
    /// turn and the move.
    pub lists_swept: u32,
    /// 0.
    pub reserved: u32,
    /// Name, no other primitive of the class has it.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: usize,
    /// Further swept cells: x is forward, y is right of the anchor at the start.
    pub swept: *const wb_cell,
    /// Number of swept cells.
    pub n_swept: usize,
}

// SAFETY: numbers and pointers, the first a `u32`.
unsafe impl Sized32 for wb_primitive {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_primitive";
}

/// The speed of a class on a terrain kind or over a side kind, in place of the map's.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wb_speed {
    /// Name of the kind; a map that lacks the kind ignores it.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: usize,
    /// In thousandths: 1000 normal, 0 impassable; at most 65535.
    pub speed: u32,
    /// 0.
    pub reserved: u32,
}

/// What a movement class is. Begin with `wb_class_spec_init`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wb_class_spec {
    /// `sizeof(wb_class_spec)`.
    pub size: u32,
    /// Shape of the maps it moves on: `WB_SHAPE_SQUARE` or `WB_SHAPE_HEX`.
    pub shape: u32,
    /// 1 (no facing), 4 or 8; on hexagonal maps 1 or 6.
    pub headings: u32,
    /// Which cells a displacement touches: `WB_SWEEP_USUAL`, `WB_SWEEP_ENDS` or `WB_SWEEP_FULL`.
    pub sweep_moves: u32,
    /// Which cells a turn touches: `WB_SWEEP_USUAL`, `WB_SWEEP_ENDS` or `WB_SWEEP_FULL`.
    pub sweep_turns: u32,
    /// The point about which it turns, in half cells forward of the anchor's centre.
    pub pivot_forward: i32,
    /// The same, in half cells to the right. Both even or both odd.
    pub pivot_right: i32,
    /// Climbing: extra time for each unit of rise, in thousandths of the base time.
    pub climb_up: u32,
    /// Extra time for each unit of fall, in thousandths of the base time; may be negative.
    pub climb_down: i32,
    /// Most rise of a move in units; `WB_NONE` for no limit.
    pub max_up: u32,
    /// Most fall of a move in units; `WB_NONE` for no limit.
    pub max_down: u32,
    /// Largest difference of the heights under the footprint; `WB_NONE` for no limit.
    pub max_tilt: u32,
    /// Name.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: usize,
    /// The cells it covers while facing east: x is forward (east), y is right (south) of the anchor. None: the anchor
    /// alone.
    pub footprint: *const wb_cell,
    /// Number of cells, at most 1024.
    pub n_footprint: usize,
    /// With 8 headings: the cells it covers while facing NE, in map axes (east, south). None: the cells that the turned
    /// body covers at least half.
    pub diagonal: *const wb_cell,
    /// Number of diagonal cells.
    pub n_diagonal: usize,
    /// Its motion primitives.
    pub primitives: *const wb_primitive,
    /// Number of primitives, at most 16; 0 of a building.
    pub n_primitives: usize,
    /// Its own speeds on terrain kinds.
    pub speeds: *const wb_speed,
    /// Number of speeds.
    pub n_speeds: usize,
    /// Its own speeds over side kinds.
    pub side_speeds: *const wb_speed,
    /// Number of speeds over sides.
    pub n_side_speeds: usize,
}

// SAFETY: numbers and pointers, the first a `u32`.
unsafe impl Sized32 for wb_class_spec {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_class_spec";
}

/// Facts about a class.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct wb_class_info {
    /// `sizeof(wb_class_info)`, set by the caller.
    pub size: u32,
    /// `WB_SHAPE_SQUARE` or `WB_SHAPE_HEX`.
    pub shape: u32,
    /// Number of headings.
    pub headings: u32,
    /// Cells of its footprint while facing east.
    pub footprint_cells: u32,
    /// Number of primitives, numbered from 0.
    pub primitives: u32,
    /// Columns of its footprint while facing east.
    pub width: u32,
    /// Rows of its footprint while facing east.
    pub height: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: numbers alone, without padding, the first a `u32`.
unsafe impl Sized32 for wb_class_info {
    const SIZE_MIN: usize = 32;
    const NAME: &'static str = "wb_class_info";
}

/// Sets a specification to the default values: 4 headings on square maps, 1 cell, pivot at the anchor's centre,
/// `WB_SWEEP_USUAL`, no limits of climbing. Name and primitives are left to set.
///
/// Threads: any.
///
/// # Safety
/// `spec` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_spec_init(spec: *mut wb_class_spec) -> u32 {
    call("wb_class_spec_init", || {
        let value = wb_class_spec {
            size: size_of::<wb_class_spec>() as u32,
            shape: shape_number(GridShape::Square),
            headings: 4,
            sweep_moves: WB_SWEEP_USUAL,
            sweep_turns: WB_SWEEP_USUAL,
            pivot_forward: 0,
            pivot_right: 0,
            climb_up: 0,
            climb_down: 0,
            max_up: WB_NONE,
            max_down: WB_NONE,
            max_tilt: WB_NONE,
            name: std::ptr::null(),
            name_length: 0,
            footprint: std::ptr::null(),
            n_footprint: 0,
            diagonal: std::ptr::null(),
            n_diagonal: 0,
            primitives: std::ptr::null(),
            n_primitives: 0,
            speeds: std::ptr::null(),
            n_speeds: 0,
            side_speeds: std::ptr::null(),
            n_side_speeds: 0,
        };
        // SAFETY: by this function's contract.
        unsafe { write(spec, value, "spec") }
    })
}

/// Makes a movement class: what an agent covers, how it moves, how long that takes.
///
/// Threads: any. Lifetime: until `wb_class_destroy`; all data is copied. Statuses: `WB_ARGUMENT`, whose message names
/// the mistake and the expected value; `WB_SIZE`.
///
/// # Safety
/// `spec` and all data that it points to can be read as far as its sizes and counts say, or `spec` is null. `class_`
/// may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_new(spec: *const wb_class_spec, class_: *mut u64) -> u32 {
    call("wb_class_new", || {
        let make = || {
            // SAFETY: by this function's contract.
            let spec = unsafe { read_spec(&structure(spec, "spec")?)? };
            let class =
                MovementClass::new(spec).map_err(|error| Failure::argument(format!("`spec`: {error}")))?;
            Ok(Class { class, any_shape: false })
        };
        // SAFETY: by this function's contract.
        unsafe { give(class_, "class_", make) }
    })
}

/// # Safety
/// As for `wb_class_new`.
unsafe fn read_spec(given: &wb_class_spec) -> Result<ClassSpec, Failure> {
    let shape = shape(given.shape, "spec.shape")?;
    let usual = Sweep::usual(shape);
    let rule = |number: u32, usual: SweepRule, name: &str| match number {
        WB_SWEEP_ENDS => Ok(SweepRule::Ends),
        WB_SWEEP_FULL => Ok(SweepRule::Full),
        WB_SWEEP_USUAL => Ok(usual),
        _ => Err(Failure::argument(format!(
            "`spec.{name}` is {number}, expected WB_SWEEP_ENDS (0), WB_SWEEP_FULL (1) or WB_SWEEP_USUAL (2)"
        ))),
    };
    let headings = u8::try_from(given.headings).unwrap_or(u8::MAX);
    let limit = |number: u32| (number != WB_NONE).then_some(number);
    // SAFETY: by this function's contract.
    let (name, footprint, diagonal, primitives, speed, side_speed) = unsafe {
        (
            text(given.name, given.name_length, "spec.name")?,
            cells(given.footprint, given.n_footprint, "spec.footprint")?,
            cells(given.diagonal, given.n_diagonal, "spec.diagonal")?,
            structures(given.primitives, given.n_primitives, "spec.primitives")?,
            read_speeds(given.speeds, given.n_speeds, "spec.speeds")?,
            read_speeds(given.side_speeds, given.n_side_speeds, "spec.side_speeds")?,
        )
    };
    let mut spec = ClassSpec::new(name, headings);
    spec.shape = shape;
    if !footprint.is_empty() {
        spec.footprint = footprint;
    }
    spec.footprint_diagonal = (!diagonal.is_empty()).then_some(diagonal);
    spec.pivot = Pivot { forward: given.pivot_forward, right: given.pivot_right };
    spec.sweep = Sweep {
        moves: rule(given.sweep_moves, usual.moves, "sweep_moves")?,
        turns: rule(given.sweep_turns, usual.turns, "sweep_turns")?,
    };
    spec.climb = Climb {
        up: given.climb_up,
        down: given.climb_down,
        max_up: limit(given.max_up),
        max_down: limit(given.max_down),
        max_tilt: limit(given.max_tilt),
    };
    (spec.speed, spec.side_speed) = (speed, side_speed);
    for (number, primitive) in primitives.iter().enumerate() {
        // SAFETY: by this function's contract.
        spec.primitives.push(unsafe { read_primitive(primitive, number)? });
    }
    Ok(spec)
}

/// # Safety
/// As for `wb_class_new`.
unsafe fn read_primitive(given: &wb_primitive, number: usize) -> Result<Primitive, Failure> {
    // SAFETY: by this function's contract.
    let (name, swept) = unsafe {
        let name = text(given.name, given.name_length, "spec.primitives[].name")?;
        (name, cells(given.swept, given.n_swept, "spec.primitives[].swept")?)
    };
    let mut primitive = Primitive::step(name, (given.forward, given.right), given.time);
    primitive.turn = given.turn;
    primitive.swept = (given.lists_swept != 0).then_some(swept);
    primitive.when = match given.when {
        WB_WHEN_ANY => When::Any,
        WB_WHEN_STRAIGHT => When::Straight,
        WB_WHEN_DIAGONAL => When::Diagonal,
        when => {
            let message =
                format!("`spec.primitives[{number}].when` is {when}, expected 0 to 2: WB_WHEN_ANY ...");
            return Err(Failure::argument(message));
        }
    };
    Ok(primitive)
}

/// # Safety
/// As for [`slice`].
unsafe fn cells(pointer: *const wb_cell, count: usize, name: &str) -> Result<Vec<(i32, i32)>, Failure> {
    // SAFETY: by this function's contract.
    Ok(unsafe { slice(pointer, count, name)? }.iter().map(|cell| (cell.x, cell.y)).collect())
}

/// # Safety
/// As for [`slice`], and the names have as many bytes as they say.
unsafe fn read_speeds(
    pointer: *const wb_speed,
    count: usize,
    name: &str,
) -> Result<Vec<(String, u16)>, Failure> {
    let mut speeds = Vec::new();
    // SAFETY: by this function's contract.
    for (number, given) in unsafe { slice(pointer, count, name)? }.iter().enumerate() {
        // SAFETY: by this function's contract.
        let kind = unsafe { text(given.name, given.name_length, name)? };
        let speed = u16::try_from(given.speed).map_err(|_| {
            Failure::argument(format!("`{name}[{number}].speed` is {}, expected at most 65535", given.speed))
        })?;
        speeds.push((kind.to_owned(), speed));
    }
    Ok(speeds)
}

/// Makes the class of a text: of a class file (TOML, `[class.NAME]`), or, with the name `FILE#CLASS`, a class of a
/// scenario. The name is used in messages; no file is opened. Terrain kinds that the file defines belong to maps, see
/// `wb_map_parse`.
///
/// Threads: any. Lifetime: until `wb_class_destroy`. Statuses: `WB_TEXT` with file, line and column of each mistake.
///
/// # Safety
/// `name` has `name_length` bytes, `toml` has `length`; `class_` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_parse(
    name: *const c_char,
    name_length: usize,
    toml: *const c_char,
    length: usize,
    class_: *mut u64,
) -> u32 {
    call("wb_class_parse", || {
        let make = || {
            // SAFETY: by this function's contract. A text that is not UTF-8 gets its place from the parser.
            let (name, toml) =
                unsafe { (text(name, name_length, "name")?, slice(toml.cast::<u8>(), length, "toml")?) };
            let (file, of_scenario) = match name.rsplit_once('#') {
                Some((file, class)) => (file, Some(class)),
                None => (name, None),
            };
            let spec = load_class_of_bytes(Path::new(file), of_scenario, toml)?;
            let any_shape = of_scenario.is_none() && spec.headings == 1;
            Ok(Class { class: MovementClass::new(spec).map_err(in_class)?, any_shape })
        };
        // SAFETY: by this function's contract.
        unsafe { give(class_, "class_", make) }
    })
}

/// A copy of a class.
///
/// Threads: any. Lifetime: until `wb_class_destroy`.
///
/// # Safety
/// `copy` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_clone(class_: u64, copy: *mut u64) -> u32 {
    // SAFETY: by this function's contract.
    call("wb_class_clone", || unsafe { give(copy, "copy", || Ok(Class::clone(&*shared::<Class>(class_)?))) })
}

/// Destroys a class; 0 is none. Tables and worlds made of it keep what they need.
///
/// Threads: any, while no other call uses the class (else `WB_BUSY`).
#[unsafe(no_mangle)]
pub extern "C" fn wb_class_destroy(class_: u64) -> u32 {
    call("wb_class_destroy", || destroy::<Class>(class_))
}

/// Writes the facts about a class.
///
/// Threads: any.
///
/// # Safety
/// `info` may be written as far as its `size` says, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_describe(class_: u64, info: *mut wb_class_info) -> u32 {
    call("wb_class_describe", || {
        let class = &shared::<Class>(class_)?.class;
        let east = class.frame(Pose::new(0, 0, Default::default()));
        let (width, height) = class.footprint().extent(east);
        let value = wb_class_info {
            shape: shape_number(class.grid_shape()),
            headings: u32::from(class.headings()),
            footprint_cells: class.footprint().at(east).len() as u32,
            primitives: class.primitives().len() as u32,
            width,
            height,
            ..wb_class_info::default()
        };
        // SAFETY: by this function's contract.
        unsafe { fill_structure(info, &value, "info") }
    })
}

/// The name of a class, UTF-8, without a zero byte at its end.
///
/// Threads: any. Statuses: `WB_BUFFER` with the bytes needed in `count`.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_name(
    class_: u64,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_class_name", || {
        let class = &shared::<Class>(class_)?.class;
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, class.spec().name.as_bytes(), "buffer") }
    })
}

/// The name of a primitive of a class, UTF-8, without a zero byte at its end.
///
/// Threads: any. Statuses: `WB_NOT_FOUND`; `WB_BUFFER` with the bytes needed in `count`.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_primitive_name(
    class_: u64,
    primitive: u32,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_class_primitive_name", || {
        let class = &shared::<Class>(class_)?.class;
        let primitives = class.primitives();
        let found = primitives.get(primitive as usize).ok_or_else(|| {
            let message = format!("primitive {primitive}: the class has {} primitives", primitives.len());
            Failure::new(WB_NOT_FOUND, message)
        })?;
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, found.name.as_bytes(), "buffer") }
    })
}

/// The cells that an agent of a class covers at a pose; they may lie off the map.
///
/// Threads: any. Statuses: `WB_BUFFER` with the cells needed in `count`; `WB_ARGUMENT` for a heading that the class
/// lacks.
///
/// # Safety
/// `pose` can be read, or is null; `cells` has room for `capacity` values, or is null with 0; `count` may be written,
/// or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_class_cells(
    class_: u64,
    pose: *const wb_pose,
    cells: *mut wb_cell,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_class_cells", || {
        let class = &shared::<Class>(class_)?.class;
        // SAFETY: by this function's contract.
        unsafe {
            let covered = covered(class, read_pose(pose, class.headings())?)?;
            fill(cells, capacity, count, &covered, "cells")
        }
    })
}

/// The cells that an agent of a class covers at a pose.
pub(crate) fn covered(class: &MovementClass, pose: Pose) -> Result<Vec<wb_cell>, Failure> {
    let near = -(CELLS_MAX as i32)..=CELLS_MAX as i32;
    if !near.contains(&pose.cell.x) || !near.contains(&pose.cell.y) {
        let message = format!("`pose` is at {}, farther than any map extends", pose.cell);
        return Err(Failure::argument(message));
    }
    Ok(class.cells_at(pose).iter().map(|offset| offset.cell_from(pose.cell).into()).collect())
}

/// A pose given by its pointer.
///
/// # Safety
/// Where not null, `pose` can be read.
pub(crate) unsafe fn read_pose(pose: *const wb_pose, headings: u8) -> Result<Pose, Failure> {
    // SAFETY: by this function's contract.
    match unsafe { slice(pose, 1, "pose")? } {
        [pose] => pose.pose(headings, "pose"),
        _ => unreachable!("a slice of one"),
    }
}
