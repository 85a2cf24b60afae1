//! Worlds: made, copied, saved, stepped, and read.

#![allow(non_camel_case_types)]

use crate::arguments::{Sized32, fill, fill_structure, give, output, slice, text};
use crate::call::call;
use crate::handle::{Exclusive, Kind, Object, Shared, destroy, exclusive, shared};
use crate::row::{agent_rows, event_details, event_rows, wb_agent_row, wb_event_details, wb_event_row};
use crate::status::{Failure, WB_BROKEN, WB_BUSY, WB_LIMIT, WB_NOT_FOUND, WB_TEXT};
use std::ffi::c_char;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};
use wheelbase_scenario::load::{AttachedFile, Files, Overrides, load_world, load_world_of_bytes};
use wheelbase_sim::{
    AgentId, AgentRow, Host, LoadError, Name, RunState, SaveError, Settings, Threads, UnreachableReason,
    World,
};

/// There is more to do.
pub const WB_RUNNING: u32 = 0;
/// The last tick is reached, or nothing is left to do. A world without a last tick never ends.
pub const WB_ENDED: u32 = 1;

/// Most threads of a world.
const THREADS_MAX: u32 = 1024;

/// A world of a host.
pub(crate) struct HostWorld {
    pub(crate) world: World,
    /// What the host asked for at last.
    threads: u32,
    /// The world as bytes, once they have been asked for: the call that gets them need not make them again.
    saved: Mutex<Option<Vec<u8>>>,
    /// Whether it has its setup still: no snapshot was loaded.
    pub(crate) is_new: bool,
    /// The recording that its log belongs to, if that is there and has missed no step.
    recording: Weak<()>,
    /// What the last step gave, while that recording has not read its log.
    unread: Option<RunState>,
}

impl Object for HostWorld {
    const KIND: Kind = Kind::World;
}

impl HostWorld {
    pub(crate) fn new(world: World, threads: u32) -> Self {
        let (recording, unread) = (Weak::new(), None);
        Self { world, threads, saved: Mutex::new(None), is_new: true, recording, unread }
    }

    /// A loaded world.
    fn loaded(world: World, threads: u32) -> Self {
        Self { is_new: false, ..Self::new(world, threads) }
    }

    /// Has the log, which has been begun, belong to a recording.
    pub(crate) fn begin_log(&mut self, recording: &Arc<()>) {
        (self.recording, self.unread) = (Arc::downgrade(recording), None);
    }

    /// Has the log belong to no recording.
    pub(crate) fn end_log(&mut self) {
        (self.recording, self.unread) = (Weak::new(), None);
        self.world.clear_log();
    }

    /// Whether the log belongs to a recording, which has read it.
    pub(crate) fn is_recorded(&self, recording: &Arc<()>) -> bool {
        self.recording.as_ptr() == Arc::as_ptr(recording) && self.unread.is_none()
    }

    /// What the last step gave, which a recording has not read.
    pub(crate) fn unread_step(&self, recording: &Arc<()>) -> Result<RunState, Failure> {
        if self.recording.as_ptr() != Arc::as_ptr(recording) {
            let message = "the recording has ended: it is of another world, a step was not recorded, or the world was \
                restored, copied over or recorded again";
            return Err(Failure::argument(message));
        }
        self.unread.ok_or_else(|| Failure::argument("no step since the last recorded step"))
    }

    /// A recording has read what the last step gave.
    pub(crate) fn log_is_read(&mut self) {
        self.unread = None;
        self.world.clear_log();
    }

    /// Runs a tick.
    fn step(&mut self) -> Result<RunState, Failure> {
        // Nobody else reads the log, and it would grow.
        if self.recording.strong_count() == 0 || self.unread.is_some() {
            self.end_log();
        }
        let run = self.world.try_step().map_err(|broken| Failure::new(WB_BROKEN, broken.to_string()))?;
        self.unread = (self.recording.strong_count() > 0).then_some(run);
        Ok(run)
    }

    /// The row of an agent.
    pub(crate) fn agent(&self, agent: u32) -> Result<&AgentRow, Failure> {
        self.world.agent(AgentId(agent)).ok_or_else(|| no_agent(agent))
    }
}

pub(crate) fn no_agent(agent: u32) -> Failure {
    Failure::new(WB_NOT_FOUND, format!("no agent of id {agent} is present"))
}

/// A world to read.
pub(crate) fn reading(world: u64) -> Result<Shared<HostWorld>, Failure> {
    let found = shared::<HostWorld>(world)?;
    check_whole(&found.world)?;
    Ok(found)
}

/// A world to change.
pub(crate) fn changing(world: u64) -> Result<Exclusive<HostWorld>, Failure> {
    let mut found = exclusive::<HostWorld>(world)?;
    check_whole(&found.world)?;
    *found.saved.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    Ok(found)
}

fn check_whole(world: &World) -> Result<(), Failure> {
    world.broken().map_or(Ok(()), |broken| Err(Failure::new(WB_BROKEN, broken.to_string())))
}

/// The threads that a host asks for by number.
pub(crate) fn threads_of(threads: u32) -> Result<Threads, Failure> {
    match threads {
        0 | 1 => Ok(Threads::Caller),
        2..=THREADS_MAX => Ok(Threads::Own(threads as usize)),
        _ => Err(Failure::argument(format!("`threads` is {threads}, expected 0 to {THREADS_MAX}"))),
    }
}

/// Why a snapshot cannot be loaded.
fn of_snapshot(error: &LoadError) -> Failure {
    let status = if matches!(error, LoadError::Memory(_)) { WB_LIMIT } else { WB_TEXT };
    Failure::new(status, format!("`bytes`: {error}"))
}

/// A file in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct wb_file {
    /// Its path as the scenario writes it.
    pub name: *const c_char,
    /// Bytes of `name`.
    pub name_length: usize,
    /// Its content.
    pub bytes: *const u8,
    /// Bytes of the content.
    pub length: usize,
}

/// What a run counts as it goes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct wb_counts {
    /// `sizeof(wb_counts)`, set by the caller.
    pub size: u32,
    /// Agents in mid-move at the last tick, once its moves had begun.
    pub moving: u32,
    /// Agents at rest at the last tick with a path to follow, or waiting for a path.
    pub waiting: u32,
    /// Longest time from giving a task to its end, in ticks, over the tasks done.
    pub longest_task_ticks: u32,
    /// Longest time from start to end of a trip, in ticks, over all trips finished.
    pub longest_trip_ticks: u32,
    /// Longest wait of one agent with a path, or for one, in ticks.
    pub longest_wait_ticks: u32,
    /// Longest time from a path request to its answer, in ticks.
    pub longest_request_ticks: u32,
    /// Edits that wait until they disturb no agent.
    pub edits_pending: u32,
    /// Agents ever placed.
    pub placed: u64,
    /// Agents removed since.
    pub removed: u64,
    /// Agents that events could not place for lack of room.
    pub not_placed: u64,
    /// Commands, or their parts about an agent, that were not carried out.
    pub commands_refused: u64,
    /// Orders done.
    pub orders_done: u64,
    /// Orders dropped because their goal cannot be reached.
    pub orders_unreachable: u64,
    /// Of these, the orders of each reason, by `WB_FAILURE_...`; the others are 0 for now.
    pub unreachable_by: [u64; 16],
    /// Tasks done.
    pub tasks_done: u64,
    /// Moves begun.
    pub moves: u64,
    /// Starts that the traffic rule asked for and that were refused.
    pub moves_refused: u64,
    /// Of these, the moves that would have overlapped another.
    pub moves_overlapping: u64,
    /// Ticks from giving an order or a task to its end, summed over those done.
    pub flowtime: u64,
    /// Trips finished whose single-agent bound is known.
    pub trips: u64,
    /// Ticks from start to end, summed over these trips.
    pub trip_ticks: u64,
    /// Single-agent bounds in ticks, summed over these trips.
    pub bound_ticks: u64,
    /// Sum of `waiting` over the ticks.
    pub wait_ticks: u64,
    /// Path requests made.
    pub path_requests: u64,
    /// Expansions of all searches.
    pub expansions: u64,
    /// Pairs of agents in violation, summed over ticks; `UINT64_MAX` unless invariants are checked.
    pub collisions: u64,
}

// SAFETY: numbers alone, the first a `u32`.
unsafe impl Sized32 for wb_counts {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_counts";
}

const _: () = assert!(UnreachableReason::ALL.len() <= 16);

/// Memory in use for agents and goals. Not counted: the map, movement tables, occupancy and searches, which grow with
/// the map, and the memory of the traffic rule.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct wb_memory {
    /// `sizeof(wb_memory)`, set by the caller.
    pub size: u32,
    /// 0.
    pub reserved: u32,
    /// Agents present.
    pub agents: u64,
    /// Bytes of their rows, orders, tasks, and remaining paths.
    pub agent_bytes: u64,
    /// Goals with a cost field.
    pub fields: u64,
    /// Bytes of their fields.
    pub field_bytes: u64,
    /// Bytes of the landmarks of all classes.
    pub landmark_bytes: u64,
}

// SAFETY: numbers alone, the first a `u32`.
unsafe impl Sized32 for wb_memory {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_memory";
}

/// A world from a scenario (`.toml`) or a problem of the League of Robot Runners (`.json`) on the disk, and the files
/// that it names. It has not stepped. `threads`: as for `wb_world_set_threads`.
///
/// Fails with `WB_TEXT` for mistakes in the files: the message has a line for each, with its place.
///
/// Threads: any.
///
/// # Safety
/// `path` has `length` bytes; `world` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_open(
    path: *const c_char,
    length: usize,
    threads: u32,
    world: *mut u64,
) -> u32 {
    call("wb_world_open", || {
        // SAFETY: by this function's contract.
        let path = unsafe { text(path, length, "path")? };
        let make = || {
            let own = threads_of(threads)?;
            let mut loaded = load_world(Path::new(path), Overrides::default())?;
            loaded.set_threads(own);
            Ok(HostWorld::new(loaded, threads))
        };
        // SAFETY: by this function's contract.
        unsafe { give(world, "world", make) }
    })
}

/// A world from the text of a scenario or problem in memory. `name` is in all messages, and its extension, `.toml` or
/// `.json`, tells the two apart. All files that the text names, such as its map, are among `files`.
///
/// Fails with `WB_TEXT` for mistakes in the texts: the message has a line for each, with its place.
///
/// Threads: any. Lifetime: everything is copied.
///
/// # Safety
/// `name` has `name_length` bytes, `bytes` has `length`, `files` points to `n_files` files that are valid likewise;
/// `world` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_parse(
    name: *const c_char,
    name_length: usize,
    bytes: *const u8,
    length: usize,
    files: *const wb_file,
    n_files: usize,
    threads: u32,
    world: *mut u64,
) -> u32 {
    call("wb_world_parse", || {
        // SAFETY: by this function's contract.
        let (name, bytes, given) = unsafe {
            let name = text(name, name_length, "name")?;
            (name, slice(bytes, length, "bytes")?, slice(files, n_files, "files")?)
        };
        let mut files = Vec::with_capacity(given.len());
        for (number, file) in given.iter().enumerate() {
            // SAFETY: by this function's contract.
            files.push(unsafe {
                let name = text(file.name, file.name_length, &format!("files[{number}].name"))?.to_owned();
                let bytes = slice(file.bytes, file.length, &format!("files[{number}].bytes"))?.to_vec();
                AttachedFile { name, bytes }
            });
        }
        let make = || {
            let (own, files) = (threads_of(threads)?, Files::Memory(&files));
            let loaded = load_world_of_bytes(Path::new(name), bytes, files, Overrides::default())?;
            let mut loaded = loaded.world;
            loaded.set_threads(own);
            Ok(HostWorld::new(loaded, threads))
        };
        // SAFETY: by this function's contract.
        unsafe { give(world, "world", make) }
    })
}

/// A copy that steps exactly like the world. It shares map, tables and cost fields with it until one of the two changes
/// them.
///
/// Threads: reads `world`.
///
/// # Safety
/// `copy` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_clone(world: u64, copy: *mut u64) -> u32 {
    call("wb_world_clone", || {
        let make = || {
            let from = reading(world)?;
            Ok(HostWorld { is_new: from.is_new, ..HostWorld::new(from.world.clone(), from.threads) })
        };
        // SAFETY: by this function's contract.
        unsafe { give(copy, "copy", make) }
    })
}

/// Makes `world` a copy of `from`, in the memory that `world` has, as far as it goes: what a game does to roll back.
/// Both may be the same world. A recording of `world` ends.
///
/// Threads: changes `world`, reads `from`. Lifetime: invalidates memory borrowed from `world`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_world_copy_from(world: u64, from: u64) -> u32 {
    call("wb_world_copy_from", || {
        if world == from {
            return reading(world).map(|_| ());
        }
        let from = reading(from)?;
        let mut to = changing(world)?;
        to.world.clone_from(&from.world);
        (to.threads, to.is_new) = (from.threads, from.is_new);
        to.end_log();
        Ok(())
    })
}

/// Destroys a world. 0 does nothing.
///
/// Threads: changes `world`. Lifetime: invalidates memory borrowed from it.
#[unsafe(no_mangle)]
pub extern "C" fn wb_world_destroy(world: u64) -> u32 {
    call("wb_world_destroy", || destroy::<HostWorld>(world))
}

/// Writes the whole world as bytes, for `wb_world_load`: a saved game, or the start of a player who joins late. The
/// bytes are kept until the world changes. So one call can ask for their number and the next can get them, without
/// making them twice. They do not contain events.
///
/// Threads: reads `world`; of two threads that save it together, one may get `WB_BUSY`.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_save(
    world: u64,
    buffer: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_save", || {
        let found = reading(world)?;
        let mut saved = match found.saved.try_lock() {
            Ok(saved) => saved,
            // Bytes are there whole or not at all.
            Err(TryLockError::Poisoned(saved)) => saved.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(WB_BUSY, "another thread is saving this world"));
            }
        };
        let bytes = match &*saved {
            Some(bytes) => bytes,
            None => saved.insert(found.world.save().map_err(|error| of_saving(&error))?),
        };
        // SAFETY: by this function's contract.
        unsafe { fill(buffer, capacity, count, bytes, "buffer") }
    })
}

fn of_saving(error: &SaveError) -> Failure {
    let status = if matches!(error, SaveError::Broken(_)) { WB_BROKEN } else { WB_LIMIT };
    Failure::new(status, error.to_string())
}

fn load(bytes: &[u8], threads: u32) -> Result<World, Failure> {
    let host = Host { threads: threads_of(threads)?, ..Host::default() };
    World::load(bytes, host).map_err(|error| of_snapshot(&error))
}

/// A world from the bytes of `wb_world_save`. It steps exactly like the world that was saved. Fails with `WB_TEXT` for
/// bytes that are damaged, whatever they are. `threads`: as for `wb_world_set_threads`.
///
/// Threads: any.
///
/// # Safety
/// `bytes` has `length` bytes; `world` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_load(
    bytes: *const u8,
    length: usize,
    threads: u32,
    world: *mut u64,
) -> u32 {
    call("wb_world_load", || {
        // SAFETY: by this function's contract.
        unsafe {
            let bytes = slice(bytes, length, "bytes")?;
            give(world, "world", || Ok(HostWorld::loaded(load(bytes, threads)?, threads)))
        }
    })
}

/// Puts the world of `wb_world_save` in place of this one, which keeps its handle and its threads. If it fails, the
/// world is as it was. A recording of `world` ends.
///
/// Threads: changes `world`. Lifetime: invalidates memory borrowed from it.
///
/// # Safety
/// `bytes` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_restore(world: u64, bytes: *const u8, length: usize) -> u32 {
    call("wb_world_restore", || {
        // SAFETY: by this function's contract.
        let bytes = unsafe { slice(bytes, length, "bytes")? };
        let threads = reading(world)?.threads;
        let loaded = load(bytes, threads)?;
        let mut found = changing(world)?;
        *found = HostWorld::loaded(loaded, threads);
        Ok(())
    })
}

/// Sets the threads that the world runs on: 0 or 1 for the calling thread, else this many threads of the world, at most
/// 1,024. Results are equal for all. In a browser there is only the calling thread.
///
/// Threads: changes `world`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_world_set_threads(world: u64, threads: u32) -> u32 {
    call("wb_world_set_threads", || {
        let own = threads_of(threads)?;
        let mut found = changing(world)?;
        found.world.set_threads(own);
        found.threads = threads;
        Ok(())
    })
}

/// Sets the last tick of the run, counted from tick 0: no tick begins after it. 0 for a world without a last tick,
/// which idles when nothing is left to do.
///
/// Threads: changes `world`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_world_set_ticks(world: u64, ticks: u32) -> u32 {
    call("wb_world_set_ticks", || {
        changing(world)?.world.set_ticks(if ticks == 0 { Settings::ENDLESS } else { ticks });
        Ok(())
    })
}

/// From now on checks after every tick that no two agents overlap and no agent has an illegal pose. `collisions` of
/// `wb_counts` counts the pairs in violation. For tests: it takes time.
///
/// Threads: changes `world`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_world_check_invariants(world: u64) -> u32 {
    call("wb_world_check_invariants", || {
        changing(world)?.world.check_invariants();
        Ok(())
    })
}

/// Runs one tick. Commands take effect at its beginning. `state`: `WB_RUNNING` or `WB_ENDED`.
///
/// Fails with `WB_BROKEN` if the step panics, which is a fault of the library, as do all later calls but
/// `wb_world_destroy`.
///
/// Threads: changes `world`. Lifetime: invalidates memory borrowed from it.
///
/// # Safety
/// `state` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_step(world: u64, state: *mut u32) -> u32 {
    call("wb_world_step", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(state, "state")? };
        let mut found = changing(world)?;
        out.write(match found.step()? {
            RunState::Running => WB_RUNNING,
            RunState::Ended => WB_ENDED,
        });
        Ok(())
    })
}

/// The tick that comes next: the number of ticks that have run.
///
/// Threads: reads `world`.
///
/// # Safety
/// `tick` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_tick(world: u64, tick: *mut u32) -> u32 {
    call("wb_world_tick", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(tick, "tick")? };
        out.write(reading(world)?.world.tick());
        Ok(())
    })
}

/// The hash of the state: equal worlds that get equal commands at equal ticks have equal hashes, on any machine. Linear
/// in the agents.
///
/// Threads: reads `world`.
///
/// # Safety
/// `hash` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_hash(world: u64, hash: *mut u64) -> u32 {
    call("wb_world_hash", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(hash, "hash")? };
        out.write(reading(world)?.world.state_hash());
        Ok(())
    })
}

/// The agents present, in order of id. Nothing is copied.
///
/// Threads: reads `world`. Lifetime: the rows stay until the next `wb_world_step`, `wb_world_restore`,
/// `wb_world_copy_from` or `wb_world_destroy` of this world; commands leave them as they are. No thread may read them
/// while another is in one of these calls.
///
/// # Safety
/// `rows` and `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_agents(
    world: u64,
    rows: *mut *const wb_agent_row,
    count: *mut usize,
) -> u32 {
    call("wb_world_agents", || {
        // SAFETY: by this function's contract.
        let (out, n) = unsafe { (output(rows, "rows")?, output(count, "count")?) };
        let found = reading(world)?;
        let agents = found.world.agents();
        out.write(agent_rows(agents));
        n.write(agents.len());
        Ok(())
    })
}

/// What happened at the last tick, in order; nothing before the first. Agents placed before the first tick have no
/// events.
///
/// Threads and lifetime: as for `wb_world_agents`.
///
/// # Safety
/// `rows` and `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_events(
    world: u64,
    rows: *mut *const wb_event_row,
    count: *mut usize,
) -> u32 {
    call("wb_world_events", || {
        // SAFETY: by this function's contract.
        let (out, n) = unsafe { (output(rows, "rows")?, output(count, "count")?) };
        let found = reading(world)?;
        let events = found.world.events();
        out.write(event_rows(events));
        n.write(events.len());
        Ok(())
    })
}

/// Details of an event of the last tick, by its index in the rows of `wb_world_events`. `WB_NOT_FOUND` if there are
/// fewer events.
///
/// Threads: reads `world`. Lifetime: the details are a copy.
///
/// # Safety
/// `details` points to a structure whose `size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_event_details(
    world: u64,
    index: usize,
    details: *mut wb_event_details,
) -> u32 {
    call("wb_world_event_details", || {
        let found = reading(world)?;
        let n_events = found.world.events().len();
        if index >= n_events {
            return Err(Failure::new(WB_NOT_FOUND, format!("event {index} of {n_events}")));
        }
        let made = event_details(&found.world.event_details(index));
        // SAFETY: by this function's contract.
        unsafe { fill_structure(details, &made, "details") }
    })
}

/// The row of an agent. `WB_NOT_FOUND` if it is not present.
///
/// Threads: reads `world`. Lifetime: the row is a copy.
///
/// # Safety
/// `row` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_agent(world: u64, agent: u32, row: *mut wb_agent_row) -> u32 {
    call("wb_world_agent", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(row, "row")? };
        let found = reading(world)?;
        let row = agent_rows(std::slice::from_ref(found.agent(agent)?));
        // SAFETY: the row of Rust, which has the same layout.
        out.write(unsafe { *row });
        Ok(())
    })
}

/// The counts of the run so far.
///
/// Threads: reads `world`.
///
/// # Safety
/// `counts` points to a structure whose `size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_counts(world: u64, counts: *mut wb_counts) -> u32 {
    call("wb_world_counts", || {
        let found = reading(world)?;
        // SAFETY: by this function's contract.
        unsafe { fill_structure(counts, &counts_of(&found.world), "counts") }
    })
}

fn counts_of(world: &World) -> wb_counts {
    let counts = world.counts();
    let mut unreachable_by = [0; 16];
    for (reason, orders) in counts.unreachable_reasons.iter() {
        unreachable_by[reason as usize] = orders;
    }
    wb_counts {
        size: size_of::<wb_counts>() as u32,
        moving: counts.moving,
        waiting: counts.waiting,
        longest_task_ticks: counts.longest_task_ticks,
        longest_trip_ticks: counts.longest_trip_ticks,
        longest_wait_ticks: counts.longest_wait_ticks,
        longest_request_ticks: counts.longest_request_ticks,
        edits_pending: world.edits_pending() as u32,
        placed: counts.placed,
        removed: counts.removed,
        not_placed: counts.not_placed,
        commands_refused: counts.commands_refused,
        orders_done: counts.orders_done,
        orders_unreachable: counts.orders_unreachable,
        unreachable_by,
        tasks_done: counts.tasks_done,
        moves: counts.moves,
        moves_refused: counts.moves_refused,
        moves_overlapping: counts.moves_overlapping,
        flowtime: counts.flowtime,
        trips: counts.trips,
        trip_ticks: counts.trip_ticks,
        bound_ticks: counts.bound_ticks,
        wait_ticks: counts.wait_ticks,
        path_requests: counts.path_requests,
        expansions: counts.expansions,
        collisions: counts.collisions.unwrap_or(u64::MAX),
    }
}

/// Memory of agents and goals after the last tick. Linear in orders and fields.
///
/// Threads: reads `world`.
///
/// # Safety
/// `memory` points to a structure whose `size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_memory(world: u64, memory: *mut wb_memory) -> u32 {
    call("wb_world_memory", || {
        let found = reading(world)?.world.memory();
        let value = wb_memory {
            size: size_of::<wb_memory>() as u32,
            reserved: 0,
            agents: found.agents,
            agent_bytes: found.agent_bytes,
            fields: found.fields,
            field_bytes: found.field_bytes,
            landmark_bytes: found.landmark_bytes,
        };
        // SAFETY: by this function's contract.
        unsafe { fill_structure(memory, &value, "memory") }
    })
}

/// Whether no later tick can change anything: no command waits, and every agent rests without anything to do.
///
/// Threads: reads `world`.
///
/// # Safety
/// `nothing_left` may be written; it becomes 0 or 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_nothing_left(world: u64, nothing_left: *mut u8) -> u32 {
    call("wb_world_nothing_left", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(nothing_left, "nothing_left")? };
        out.write(reading(world)?.world.nothing_left().into());
        Ok(())
    })
}

/// Gives an agent a name, for results and for hosts to find it; it is saved, but no part of the state. A recording that
/// begins with a snapshot is to begin after it. `WB_NOT_FOUND` if the agent is not present.
///
/// Threads: changes `world`. Lifetime: the name is copied.
///
/// # Safety
/// `name` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_name_agent(
    world: u64,
    agent: u32,
    name: *const c_char,
    length: usize,
) -> u32 {
    call("wb_world_name_agent", || {
        // SAFETY: by this function's contract.
        let name = unsafe { text(name, length, "name")? };
        let mut found = changing(world)?;
        found.agent(agent)?;
        found.world.name_agent(AgentId(agent), name);
        Ok(())
    })
}

/// The name of an agent, where the scenario or `wb_world_name_agent` gives one; empty otherwise. `WB_NOT_FOUND` if the
/// agent is not present.
///
/// Threads: reads `world`.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_agent_name(
    world: u64,
    agent: u32,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_agent_name", || {
        let found = reading(world)?;
        let entity = found.world.entity(AgentId(agent)).ok_or_else(|| no_agent(agent))?;
        let name = found.world.entities().get::<&Name>(entity);
        let name = name.as_ref().map_or("", |name| &name.0);
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, name.as_bytes(), "buffer") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::with_last_error;
    use crate::command::{wb_command_edit, wb_command_remove};
    use crate::handle::insert;
    use crate::recording::{
        wb_recording_begin, wb_recording_destroy, wb_recording_finish, wb_recording_tick,
    };
    use crate::status::{WB_BUFFER, WB_DESTROYED, WB_OK};
    use std::ptr::null_mut;
    use wheelbase_scenario::recording::{Reader, verify};
    use wheelbase_sim::traffic::{Decisions, Traffic, TrafficView};
    use wheelbase_sim::{Grid, MovementClass, Setup, SideTable, TerrainTable};

    /// Panics when it is asked the fourth time.
    #[derive(Clone, Default)]
    struct Fourth(u32);

    impl Traffic for Fourth {
        fn decide(&mut self, _: &TrafficView<'_>, _: &mut Decisions) {
            self.0 += 1;
            assert!(self.0 < 4, "on purpose");
        }

        fn clone_box(&self) -> Box<dyn Traffic> {
            Box::new(self.clone())
        }
    }

    fn message() -> String {
        with_last_error(str::to_owned)
    }

    #[test]
    fn a_panic_in_a_step_breaks_the_world_and_nothing_else() {
        let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default()).unwrap();
        let mut setup = Setup::cooperative(Settings::named("test"), grid, vec![MovementClass::octile()]);
        setup.traffic = Box::new(Fourth::default());
        let world = insert(HostWorld::new(World::new(setup).unwrap(), 0)).unwrap();
        let (mut recording, mut state, mut count) = (0, 0, 0);
        let (mut copy, mut tick) = (0, 0);
        // SAFETY: all pointers are valid or null.
        unsafe {
            assert_eq!(wb_recording_begin(world, &raw mut recording), WB_OK, "{}", message());
            for _ in 0..3 {
                assert_eq!(wb_world_step(world, &raw mut state), WB_OK, "{}", message());
                assert_eq!(wb_recording_tick(recording, world, state), WB_OK, "{}", message());
            }
            assert_eq!(wb_world_clone(world, &raw mut copy), WB_OK);
            let status = wb_world_save(world, null_mut(), 0, &raw mut count);
            assert_eq!((status, message().contains("has no name to be saved under")), (WB_LIMIT, true));
            // Now, and at every later call.
            let words = "the world is broken: its step of tick 3 panicked: on purpose";
            for call in 0..8 {
                let status = match call {
                    0 | 1 => wb_world_step(world, &raw mut state),
                    2 => wb_world_tick(world, &raw mut tick),
                    3 => wb_command_remove(world, std::ptr::null(), 0, 0, null_mut()),
                    4 => wb_command_edit(world, std::ptr::null(), 0, 0, 0, 0, null_mut()),
                    5 => wb_world_save(world, null_mut(), 0, &raw mut count),
                    6 => wb_world_copy_from(copy, world),
                    _ => wb_recording_tick(recording, world, WB_RUNNING),
                };
                assert_eq!((status, message().contains(words)), (WB_BROKEN, true), "{call}: {}", message());
            }
            // What came before is there: the recording up to the panic, and the copy.
            assert_eq!(wb_recording_finish(recording, world, null_mut(), 0, &raw mut count), WB_BUFFER);
            let mut bytes = vec![0; count];
            let filled = wb_recording_finish(recording, world, bytes.as_mut_ptr(), count, &raw mut count);
            assert_eq!(filled, WB_OK);
            let mut reader = Reader::open(std::io::Cursor::new(bytes)).unwrap();
            assert_eq!(verify(&mut reader, |_| true).unwrap().n_ticks, 3);
            assert_eq!(wb_world_tick(copy, &raw mut tick), WB_OK);
        }
        assert_eq!(tick, 3);
        assert_eq!(wb_recording_destroy(recording), WB_OK);
        assert_eq!(wb_world_destroy(world), WB_OK);
        assert_eq!(wb_world_destroy(world), WB_DESTROYED);
        assert_eq!(wb_world_destroy(copy), WB_OK);
    }
}
