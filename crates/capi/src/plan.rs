//! Paths for one agent: whole, in slices, and in batches.

#![allow(non_camel_case_types)]

use crate::arguments::{
    Sized32, fill, fill_structure, fill_structures, give, known_size, output, slice, structure, structures,
    write,
};
use crate::call::call;
use crate::handle::{Exclusive, Kind, Object, Shared, destroy, exclusive, shared};
use crate::status::{Failure, WB_BUFFER, WB_LIMIT};
use crate::tables::{Tables, with_map};
use crate::value::{
    WB_FALLBACK_FAIL, WB_FALLBACK_NEAREST, WB_HEURISTIC_DEFAULT, answer, goal_members, heuristic,
    result_name, result_number, wb_answer, wb_goal, wb_path_pose, wb_pose, wb_rect,
};
use std::ffi::c_char;
use std::sync::Arc;
use wheelbase_grid::{BitGrid, GridSize, Rect};
use wheelbase_planner::search::batch::{BatchScratch, plan_all};
use wheelbase_planner::search::{Answer, Fallback, QueuedRequest};
use wheelbase_planner::{
    Heading, Legality, Path, Pose, Progress, Request, Scratch, Status, advance, begin, finish, plan,
};

/// In `moves` of `wb_plan_batch`: the last pose of a path, after which there is no move.
pub const WB_NO_MOVE: u8 = u8::MAX;

/// Most threads of a batch.
const THREADS_MAX: u32 = 1024;

/// A request to the planner. Initialise it with `wb_request_init`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wb_request {
    /// `sizeof(wb_request)`.
    pub size: u32,
    /// Radius of the goal in cells: any anchor this near to a member is one too.
    pub within: u32,
    /// Pose of the agent.
    pub start: wb_pose,
    /// `WB_HEURISTIC_DEFAULT` ...; guides the search, and changes no cost unless it is greedy.
    pub heuristic: u32,
    /// The cost is at most this many thousandths of the cheapest: 1000 is exact; at least 1000.
    pub weight_permille: u32,
    /// `WB_FALLBACK_FAIL` or `WB_FALLBACK_NEAREST`.
    pub fallback: u32,
    /// 1: a search that hits the limit gives the path to its best pose; else 0.
    pub partial: u32,
    /// 0.
    pub reserved: u32,
    /// Most expansions; 0 for no limit.
    pub expansions_max: u64,
    /// No move sweeps a cell outside it; empty for no window.
    pub window: wb_rect,
    /// The members of the goal.
    pub goals: *const wb_goal,
    /// Number of members, at least 1.
    pub n_goals: usize,
    /// Cells that no move may sweep, such as resting agents: a bit for each cell, with a new word for each row. The bit
    /// of (x, y) is `obstacles[y * ((width + 63) / 64) + x / 64] >> (x % 64) & 1`. Null for none.
    pub obstacles: *const u64,
    /// Number of words: `(width + 63) / 64 * height`; 0 for none.
    pub n_obstacles: usize,
}

// SAFETY: numbers and pointers, the first a `u32`.
unsafe impl Sized32 for wb_request {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_request";
}

/// The memory of searches, and the request of the search in progress.
pub(crate) struct SearchMemory {
    pub(crate) scratch: Scratch,
    asked: QueuedRequest,
    /// A request while it is read: only a whole one takes the place of `asked`.
    next: QueuedRequest,
    /// Where the host wants no path.
    path: Path,
    /// Tables and their version of the search in progress.
    begun: Option<(u64, u64)>,
    batch: BatchScratch,
    batch_asked: Vec<QueuedRequest>,
    pool: Option<rayon::ThreadPool>,
}

impl Object for SearchMemory {
    const KIND: Kind = Kind::Scratch;
}

impl SearchMemory {
    pub(crate) fn new() -> Self {
        Self {
            scratch: Scratch::new(),
            asked: no_request(),
            next: no_request(),
            path: Path::new(),
            begun: None,
            batch: BatchScratch::new(),
            batch_asked: Vec::new(),
            pool: None,
        }
    }

    /// The memory for a search outside this file, and a path in case the host wants none. Drops a search in progress.
    pub(crate) fn for_other(&mut self) -> (&mut Scratch, &mut Path) {
        self.begun = None;
        (&mut self.scratch, &mut self.path)
    }
}

/// A path of a host, with its poses as C reads them.
#[derive(Default)]
pub(crate) struct HostPath {
    pub(crate) path: Path,
    poses: Vec<wb_path_pose>,
}

impl Object for HostPath {
    const KIND: Kind = Kind::Path;
}

impl HostPath {
    /// To be called when `path` has changed.
    pub(crate) fn renew(&mut self) {
        self.poses.clear();
        self.poses.extend(self.path.poses.iter().map(|pose| wb_path_pose::from(*pose)));
    }
}

/// A request of nothing, to be filled.
pub(crate) fn no_request() -> QueuedRequest {
    QueuedRequest::new(0, Pose::new(0, 0, Heading(0)), Vec::new())
}

/// The request of Rust. What `asked` holds is reused.
///
/// # Safety
/// Goals and obstacles of `given` can be read as far as their counts say.
pub(crate) unsafe fn read_request(
    given: &wb_request,
    (size, headings): (GridSize, u8),
    asked: &mut QueuedRequest,
) -> Result<(), Failure> {
    // SAFETY: by this function's contract.
    let (goals, words) = unsafe {
        (slice(given.goals, given.n_goals, "goals")?, slice(given.obstacles, given.n_obstacles, "obstacles")?)
    };
    if goals.is_empty() {
        return Err(Failure::argument("`n_goals` is 0, expected at least 1"));
    }
    if given.weight_permille < 1000 {
        let message = format!("`weight_permille` is {}, expected at least 1000", given.weight_permille);
        return Err(Failure::argument(message));
    }
    asked.fallback = match given.fallback {
        WB_FALLBACK_FAIL => Fallback::Fail,
        WB_FALLBACK_NEAREST => Fallback::Nearest,
        other => {
            let message =
                format!("`fallback` is {other}, expected WB_FALLBACK_FAIL (0) or WB_FALLBACK_NEAREST (1)");
            return Err(Failure::argument(message));
        }
    };
    asked.start = given.start.pose(headings, "start")?;
    asked.heuristic = heuristic(given.heuristic)?;
    asked.goal.clear();
    goal_members(goals, headings, &mut asked.goal)?;
    asked.within = given.within;
    asked.weight_permille = given.weight_permille;
    asked.expansions_max = (given.expansions_max > 0).then_some(given.expansions_max);
    asked.partial = given.partial != 0;
    asked.window = Some(Rect::from(given.window)).filter(|window| !window.is_empty());
    read_obstacles(words, size, &mut asked.obstacles)
}

fn read_obstacles(
    words: &[u64],
    size: GridSize,
    obstacles: &mut Option<Arc<BitGrid>>,
) -> Result<(), Failure> {
    if words.is_empty() {
        *obstacles = None;
        return Ok(());
    }
    let mut kept = obstacles.take().filter(|kept| kept.size() == size);
    // Nobody else has it but a queue, which has got a clone of the request.
    let bits = match kept.as_mut().and_then(Arc::get_mut) {
        Some(bits) => bits,
        None => Arc::make_mut(kept.insert(Arc::new(BitGrid::new(size)))),
    };
    if !bits.set_words(words) {
        let expected = size.width().div_ceil(64) * size.height();
        let message = format!("`n_obstacles` is {}, expected {expected} for a map of {size}", words.len());
        return Err(Failure::argument(message));
    }
    *obstacles = kept;
    Ok(())
}

/// Sets a request to the default values: the cheapest path, default heuristic, no limits. Start and goals are left to
/// set.
///
/// Threads: any.
///
/// # Safety
/// `request` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_request_init(request: *mut wb_request) -> u32 {
    call("wb_request_init", || {
        let value = wb_request {
            size: size_of::<wb_request>() as u32,
            within: 0,
            start: wb_pose::default(),
            heuristic: WB_HEURISTIC_DEFAULT,
            weight_permille: 1000,
            fallback: WB_FALLBACK_FAIL,
            partial: 0,
            reserved: 0,
            expansions_max: 0,
            window: wb_rect::default(),
            goals: std::ptr::null(),
            n_goals: 0,
            obstacles: std::ptr::null(),
            n_obstacles: 0,
        };
        // SAFETY: by this function's contract.
        unsafe { write(request, value, "request") }
    })
}

/// The name of a result, such as `start_blocked`, ending with a zero byte; null for a number that is none.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_plan_result_name(result: u32) -> *const c_char {
    result_name(result).map_or(std::ptr::null(), |name| name.as_ptr().cast())
}

/// Makes the memory of searches. It grows to the largest map that it is used with, 8 to 16 bytes for each pose.
///
/// Threads: any; one at a time uses it, so make one for each. Lifetime: until `wb_scratch_destroy`.
///
/// # Safety
/// `scratch` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_scratch_new(scratch: *mut u64) -> u32 {
    // SAFETY: by this function's contract.
    call("wb_scratch_new", || unsafe { give(scratch, "scratch", || Ok(SearchMemory::new())) })
}

/// Destroys the memory of searches; 0 is none. A search in progress is dropped.
///
/// Threads: any, while no other call uses it (else `WB_BUSY`).
#[unsafe(no_mangle)]
pub extern "C" fn wb_scratch_destroy(scratch: u64) -> u32 {
    call("wb_scratch_destroy", || destroy::<SearchMemory>(scratch))
}

/// Makes an empty path, to be written by searches. Its memory is used again.
///
/// Threads: any; one at a time writes it. Lifetime: until `wb_path_destroy`.
///
/// # Safety
/// `path` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_path_new(path: *mut u64) -> u32 {
    // SAFETY: by this function's contract.
    call("wb_path_new", || unsafe { give(path, "path", || Ok(HostPath::default())) })
}

/// Destroys a path; 0 is none.
///
/// Threads: any, while no other call uses the path (else `WB_BUSY`).
#[unsafe(no_mangle)]
pub extern "C" fn wb_path_destroy(path: u64) -> u32 {
    call("wb_path_destroy", || destroy::<HostPath>(path))
}

/// The path of a host that is to be written; `None` for handle 0.
pub(crate) fn path_to_write(path: u64) -> Result<Option<Exclusive<HostPath>>, Failure> {
    if path == 0 { Ok(None) } else { exclusive(path).map(Some) }
}

/// Plans a cheapest path. `path` gets its poses and moves, and is empty without one; 0 if only the answer is wanted.
/// That there is no path is an answer (`answer->result`), not a failure.
///
/// Threads: any number together with the same tables, each with its own scratch and path. Cost: expansions; after the
/// first searches nothing is allocated. Statuses: `WB_ARGUMENT` for a request that makes no sense, `WB_SIZE`.
///
/// # Safety
/// `request` and all data that it points to can be read as far as its sizes and counts say, or `request` is null.
/// `answer` may be written as far as its `size` says, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_plan(
    tables: u64,
    request: *const wb_request,
    scratch: u64,
    path: u64,
    answer: *mut wb_answer,
) -> u32 {
    call("wb_plan", || {
        let tables = shared::<Tables>(tables)?;
        let mut memory = exclusive::<SearchMemory>(scratch)?;
        let mut path = path_to_write(path)?;
        // SAFETY: by this function's contract.
        unsafe {
            known_size(answer, "answer")?;
            take_request(request, &tables, &mut memory.next)?;
        }
        let SearchMemory { scratch, asked, next, path: unwanted, begun, .. } = &mut *memory;
        std::mem::swap(asked, next);
        *begun = None;
        let written = path.as_mut().map_or(unwanted, |path| &mut path.path);
        let found = plan(&tables.tables, &asked.as_request(), scratch, written);
        let value = self::answer(&found, written);
        if let Some(path) = &mut path {
            path.renew();
        }
        // SAFETY: by this function's contract.
        unsafe { fill_structure(answer, &value, "answer") }
    })
}

/// # Safety
/// As for [`structure`] and [`read_request`].
unsafe fn take_request(
    request: *const wb_request,
    tables: &Tables,
    asked: &mut QueuedRequest,
) -> Result<(), Failure> {
    let space = (tables.tables.space().size(), tables.headings());
    // SAFETY: by this function's contract.
    let taken = unsafe { read_request(&structure(request, "request")?, space, asked) };
    taken.map_err(|failure| Failure::new(failure.status, format!("`request`: {}", failure.message)))
}

/// Begins a search, to be advanced over several frames. `*done` gets 1 if it has ended already, else 0. The request is
/// copied. Drops a search in progress in the same scratch.
///
/// Threads, statuses: as `wb_plan`.
///
/// # Safety
/// `request` as for `wb_plan`; `done` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_plan_begin(
    tables: u64,
    request: *const wb_request,
    scratch: u64,
    done: *mut u8,
) -> u32 {
    call("wb_plan_begin", || {
        let handle = tables;
        let tables = shared::<Tables>(tables)?;
        let mut memory = exclusive::<SearchMemory>(scratch)?;
        // SAFETY: by this function's contract.
        let out = unsafe { output(done, "done")? };
        // SAFETY: by this function's contract.
        unsafe { take_request(request, &tables, &mut memory.next)? };
        let SearchMemory { scratch, asked, next, begun, .. } = &mut *memory;
        std::mem::swap(asked, next);
        *begun = None;
        let progress = begin(&tables.tables, &asked.as_request(), scratch);
        *begun = Some((handle, tables.version));
        out.write(u8::from(progress == Progress::Done));
        Ok(())
    })
}

/// The search in progress in a scratch, with its tables.
fn under_way(tables: u64, scratch: u64) -> Result<(Shared<Tables>, Exclusive<SearchMemory>), Failure> {
    let handle = tables;
    let (tables, memory) = (shared::<Tables>(tables)?, exclusive::<SearchMemory>(scratch)?);
    match memory.begun {
        None => Err(Failure::argument("no search is under way in this scratch: call wb_plan_begin first")),
        Some((of, _)) if of != handle => {
            Err(Failure::argument("the search that is under way in this scratch was begun with other tables"))
        }
        Some((_, version)) if version != tables.version => Err(Failure::argument(
            "the tables have changed since the search was begun: call wb_plan_begin again",
        )),
        Some(_) => Ok((tables, memory)),
    }
}

/// Goes on with a search for at most `expansions`; `*done` gets 1 when it has ended, else 0. Slicing changes no answer.
///
/// Threads: as `wb_plan`; another thread may go on. Statuses: `WB_ARGUMENT` if no search is in progress, or the tables
/// have changed since: then restart it.
///
/// # Safety
/// `done` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_plan_advance(tables: u64, scratch: u64, expansions: u64, done: *mut u8) -> u32 {
    call("wb_plan_advance", || {
        let (tables, mut memory) = under_way(tables, scratch)?;
        // SAFETY: by this function's contract.
        let out = unsafe { output(done, "done")? };
        let SearchMemory { scratch, asked, .. } = &mut *memory;
        let progress = advance(&tables.tables, &asked.as_request(), scratch, expansions);
        out.write(u8::from(progress == Progress::Done));
        Ok(())
    })
}

/// Writes answer and path of a search. Before its end that is `WB_PLAN_LIMIT_REACHED`, with `partial` a path towards
/// the goal, and the search can still go on. `path` may be 0.
///
/// Threads, statuses: as `wb_plan_advance`.
///
/// # Safety
/// `answer` may be written as far as its `size` says, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_plan_finish(tables: u64, scratch: u64, path: u64, answer: *mut wb_answer) -> u32 {
    call("wb_plan_finish", || {
        let (tables, mut memory) = under_way(tables, scratch)?;
        let mut path = path_to_write(path)?;
        // SAFETY: by this function's contract.
        unsafe { known_size(answer, "answer")? };
        let SearchMemory { scratch, asked, path: unwanted, .. } = &mut *memory;
        let written = path.as_mut().map_or(unwanted, |path| &mut path.path);
        let found = finish(&tables.tables, &asked.as_request(), scratch, written);
        let value = self::answer(&found, written);
        if let Some(path) = &mut path {
            path.renew();
        }
        // SAFETY: by this function's contract.
        unsafe { fill_structure(answer, &value, "answer") }
    })
}

/// Says in words why an answer has no path to its goal, and where; without text (`*count` 0) if it has. UTF-8, without
/// a zero byte at its end.
///
/// Threads: any, beside other readers of map and tables. Statuses: `WB_BUFFER` with the bytes needed in `count`;
/// `WB_ARGUMENT` for another map than the tables are of, or a result that does not exist.
///
/// # Safety
/// `request` as for `wb_plan`; `answer` can be read as far as its `size` says, or is null. `buffer` has room for
/// `capacity` bytes, or is null with 0; `count` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_plan_explain(
    map: u64,
    tables: u64,
    request: *const wb_request,
    answer: *const wb_answer,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_plan_explain", || {
        let (map, tables) = with_map(map, tables)?;
        let mut asked = no_request();
        // SAFETY: by this function's contract.
        let given = unsafe {
            take_request(request, &tables, &mut asked)?;
            structure(answer, "answer")?
        };
        let status = STATUSES.into_iter().find(|status| result_number(*status) == given.result);
        let Some(status) = status else {
            return Err(Failure::argument(format!(
                "`answer.result` is {}, which is no result",
                given.result
            )));
        };
        let mut found = Answer::ended(status);
        found.expansions = given.expansions;
        let legality = Legality::new(&map.0, tables.tables.class());
        let reason = found.reason(&legality, &asked.as_request());
        let words = reason.map_or(String::new(), |reason| reason.describe(&legality, &map.0));
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, words.as_bytes(), "buffer") }
    })
}

const STATUSES: [Status; 9] = [
    Status::Found,
    Status::StartOffMap,
    Status::GoalOffMap,
    Status::StartBlocked,
    Status::GoalBlocked,
    Status::Unreachable,
    Status::LimitReached,
    Status::CostOverflow,
    Status::Obstructed,
];

/// Plans many requests together. `answers` gets one answer per request. `offsets` has `count + 1` numbers, which locate
/// the paths. The poses of path n are `poses[offsets[n]]` to `poses[offsets[n + 1] - 1]`. The entry of `moves` at the
/// same index leads from that pose to the next (`WB_NO_MOVE` from the last). `poses` and `moves` have room for
/// `capacity` each; each may be null. If there are more poses, `offsets[count]` is their number. Answers and offsets
/// are then complete, and paths are written up to the first without room.
///
/// `threads`: 0 or 1 for the caller's alone; more are made by the library, and kept in the scratch for the next batch.
/// The answers are the same for any number. `scratch` may be 0: then memory and threads are made for this call.
///
/// Threads: any number together with the same tables, each with its own scratch. Statuses: as `wb_plan`, naming the
/// number of the request, before any is planned; `WB_BUFFER`.
///
/// # Safety
/// `requests` has `count` structures as for `wb_plan`. `answers` has room for `count` structures of the `size` in the
/// first. `poses` and `moves` have room for `capacity`, or are null. `offsets` has room for `count + 1`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_plan_batch(
    tables: u64,
    requests: *const wb_request,
    count: usize,
    threads: u32,
    scratch: u64,
    answers: *mut wb_answer,
    poses: *mut wb_path_pose,
    moves: *mut u8,
    capacity: usize,
    offsets: *mut usize,
) -> u32 {
    call("wb_plan_batch", || {
        let tables = shared::<Tables>(tables)?;
        let (mut of_call, mut of_host);
        let memory = if scratch == 0 {
            of_call = SearchMemory::new();
            &mut of_call
        } else {
            of_host = exclusive::<SearchMemory>(scratch)?;
            &mut *of_host
        };
        if threads > THREADS_MAX {
            let message = format!("`threads` is {threads}, expected at most {THREADS_MAX}");
            return Err(Failure::new(WB_LIMIT, message));
        }
        // SAFETY: by this function's contract.
        let given = unsafe { structures(requests, count, "requests")? };
        let space = (tables.tables.space().size(), tables.headings());
        memory.batch_asked.resize_with(given.len(), no_request);
        for (number, (given, asked)) in given.iter().zip(&mut memory.batch_asked).enumerate() {
            // SAFETY: by this function's contract.
            unsafe { read_request(given, space, asked) }.map_err(|failure| {
                Failure::new(failure.status, format!("requests[{number}]: {}", failure.message))
            })?;
        }
        // SAFETY: by this function's contract.
        let mut out = Paths { room: unsafe { Room::new(poses, moves, capacity)? }, used: 0, is_full: false };
        let mut found = vec![wb_answer::default(); count];
        let mut starts = Vec::with_capacity(count.saturating_add(1));
        plan_many(&tables, memory, threads as usize, |number, one, path| {
            found[number] = answer(one, path);
            starts.push(out.used);
            out.add(path);
        });
        starts.push(out.used);
        // SAFETY: by this function's contract.
        unsafe {
            fill_structures(answers, &found, "answers")?;
            let mut written = 0;
            fill(offsets, starts.len(), &mut written, &starts, "offsets")?;
        }
        if out.is_full {
            let message = format!("`poses` and `moves` have room for {capacity}, needed {}", out.used);
            return Err(Failure::new(WB_BUFFER, message));
        }
        Ok(())
    })
}

/// Plans the requests of `memory.batch_asked`, and calls `done` for each in their order.
fn plan_many(
    tables: &Tables,
    memory: &mut SearchMemory,
    threads: usize,
    mut done: impl FnMut(usize, &Answer, &Path) + Send,
) {
    let SearchMemory { scratch, path, begun, batch, batch_asked, pool, .. } = memory;
    let requests: Vec<Request<'_>> = batch_asked.iter().map(QueuedRequest::as_request).collect();
    if threads > 1 && pool.as_ref().is_none_or(|pool| pool.current_num_threads() != threads) {
        // Where there are no threads, the caller's does it, with the same answers.
        *pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
    }
    if let Some(pool) = pool.as_ref().filter(|_| threads > 1) {
        return pool.install(|| plan_all(&tables.tables, &requests, batch, done));
    }
    *begun = None;
    for (number, request) in requests.iter().enumerate() {
        let found = plan(&tables.tables, request, scratch, path);
        done(number, &found, path);
    }
}

/// The host's buffers for the paths of a batch.
struct Room {
    poses: *mut wb_path_pose,
    moves: *mut u8,
    capacity: usize,
}

// SAFETY: the thread of the host that lends the buffers waits in the call until all is written.
unsafe impl Send for Room {}

impl Room {
    /// # Safety
    /// Where not null, `poses` and `moves` are valid for writes of `capacity` values for as long as this lives.
    unsafe fn new(poses: *mut wb_path_pose, moves: *mut u8, capacity: usize) -> Result<Self, Failure> {
        if !poses.is_null() && !poses.is_aligned() {
            return Err(Failure::new(crate::status::WB_POINTER, "`poses` is not aligned"));
        }
        Ok(Self { poses, moves, capacity })
    }
}

struct Paths {
    room: Room,
    used: usize,
    is_full: bool,
}

impl Paths {
    /// Appends a path; once there is no room it counts alone.
    fn add(&mut self, path: &Path) {
        let Room { poses, moves, capacity } = self.room;
        let (from, n_poses) = (self.used, path.poses.len());
        self.used += n_poses;
        if poses.is_null() && moves.is_null() {
            return;
        }
        self.is_full |= self.used > capacity;
        if self.is_full {
            return;
        }
        let ends = path.moves.iter().copied().chain([WB_NO_MOVE]);
        for (number, (pose, primitive)) in path.poses.iter().zip(ends).enumerate() {
            if !poses.is_null() {
                // SAFETY: below `used`, which is not more than the capacity, by the contract of `Room::new`.
                unsafe { poses.add(from + number).write((*pose).into()) };
            }
            if !moves.is_null() {
                // SAFETY: as above.
                unsafe { moves.add(from + number).write(primitive) };
            }
        }
    }
}

/// The poses of a path, the start first; none if it is empty.
///
/// Threads: any, beside other readers of the path. Lifetime: `*poses` is the path's own memory, valid until it is
/// written or destroyed; nothing is copied.
///
/// # Safety
/// `poses` and `count` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_path_poses(path: u64, poses: *mut *const wb_path_pose, count: *mut usize) -> u32 {
    call("wb_path_poses", || {
        let path = shared::<HostPath>(path)?;
        // SAFETY: by this function's contract.
        unsafe {
            write(count, path.poses.len(), "count")?;
            write(poses, path.poses.as_ptr(), "poses")
        }
    })
}

/// The moves of a path, as numbers of primitives: the first leads from pose 0 to pose 1.
///
/// Threads: any, beside other readers of the path. Lifetime: `*moves` is the path's own memory, valid until it is
/// written or destroyed; nothing is copied.
///
/// # Safety
/// `moves` and `count` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_path_moves(path: u64, moves: *mut *const u8, count: *mut usize) -> u32 {
    call("wb_path_moves", || {
        let path = shared::<HostPath>(path)?;
        // SAFETY: by this function's contract.
        unsafe {
            write(count, path.path.moves.len(), "count")?;
            write(moves, path.path.moves.as_ptr(), "moves")
        }
    })
}
