//! Random calls with random arguments, right and wrong: nothing panics, nothing is written that may not be, and the
//! worlds stay whole.
//!
//! `WHEELBASE_CALLS=1000000` makes that many calls in place of a hundred thousand, `WHEELBASE_SEED=7` other ones.

use crate::calls::{agents, copy_of, counts, fails, get, list, message, ok, save, step, tick};
use crate::commands::{give, sayable};
use crate::common::random_commands::{Generator, Kinds};
use crate::scenes::{Driver, world_of};
use wheelbase_c::*;
use wheelbase_grid::{GridShape, SplitMix64};
use wheelbase_sim::{Host, World};

fn from_env(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Statuses that a call may give: none of them is a panic.
#[track_caller]
fn check(status: u32, made: &mut [u64; 14]) {
    assert!(status != WB_PANIC && status != WB_BROKEN, "{}", message());
    assert!(status == WB_OK || message().starts_with("wb_"), "{}", message());
    made[status as usize] += 1;
}

/// A buffer behind which nothing may be written.
struct Buffer<T> {
    values: Vec<T>,
    capacity: usize,
    guard: T,
}

impl<T: Copy + PartialEq + std::fmt::Debug> Buffer<T> {
    /// Room for `most` values, or for fewer.
    fn new(random: &mut SplitMix64, guard: T, most: usize) -> Self {
        let capacity = [0, 1, 7, most, most][random.below(5) as usize];
        Self { values: vec![guard; capacity + 2], capacity, guard }
    }

    fn at(&mut self) -> *mut T {
        if self.capacity == 0 { std::ptr::null_mut() } else { self.values.as_mut_ptr() }
    }

    /// The call wrote as many values as the count says.
    fn check(&self, status: u32, count: usize) {
        let written = if status == WB_OK { count } else { 0 };
        assert!(written <= self.capacity);
        assert!(self.values[written..].iter().all(|value| *value == self.guard), "{written} {count}");
    }
}

/// Worlds of C, some of them gone, and a world of Rust that shows the generator the contents of one of them.
struct Calls {
    random: SplitMix64,
    generator: Generator,
    worlds: Vec<u64>,
    recordings: Vec<u64>,
    scratch: u64,
    path: u64,
    shown: World,
    saved: Vec<u8>,
    made: [u64; 14],
}

impl Calls {
    fn new(seed: u64) -> Self {
        let shown = world_of(GridShape::Square, Driver::Planner);
        let worlds = vec![copy_of(&shown, 0), copy_of(&shown, 2)];
        let saved = save(worlds[0]);
        // SAFETY: the handles may be written.
        let (scratch, path) = unsafe { (get(|out| wb_scratch_new(out)), get(|out| wb_path_new(out))) };
        let (random, generator) = (SplitMix64::new(seed), Generator::new(seed, Kinds::OF_BINDINGS));
        Self { random, generator, worlds, recordings: Vec::new(), scratch, path, shown, saved, made: [0; 14] }
    }

    /// A world that is there, mostly.
    fn world(&mut self) -> u64 {
        let of = if self.random.chance(900) { 2.min(self.worlds.len()) } else { self.worlds.len() };
        let world = self.worlds[self.random.below(of as u32) as usize];
        match self.random.below(60) {
            0 => 0,
            1 => world ^ (1 << self.random.below(64)),
            2 => self.recordings.first().copied().unwrap_or(3),
            _ => world,
        }
    }

    fn recording(&mut self) -> u64 {
        match self.recordings.len() {
            0 => self.world(),
            n => self.recordings[self.random.below(n as u32) as usize],
        }
    }

    fn agent(&mut self) -> u32 {
        let placed = self.shown.counts().placed as u32;
        [self.random.below(placed + 2), self.random.below(placed + 2), u32::MAX]
            [self.random.below(3) as usize]
    }

    fn note(&mut self, status: u32) {
        check(status, &mut self.made);
    }

    /// A handle that a call makes, kept among the others.
    fn keep(&mut self, status: u32, handle: u64) {
        self.note(status);
        assert_eq!(status == WB_OK, handle != 0);
        if handle == 0 {
            return;
        }
        // One of the spare worlds makes room; its handle may be used later, and is told to be destroyed.
        if self.worlds.len() > 5 {
            let at = 2 + self.random.below(self.worlds.len() as u32 - 2) as usize;
            let status = wb_world_destroy(self.worlds[at]);
            self.note(status);
            self.worlds[at] = handle;
        } else {
            self.worlds.push(handle);
        }
    }

    fn one(&mut self) {
        let world = self.world();
        let mut count = 0;
        // SAFETY: all pointers are valid for what the calls write, or null where the call says so by a status.
        unsafe {
            let of = self.random.below(100);
            // What takes milliseconds is rarer.
            let of = if (76..81).contains(&of) && self.random.chance(700) { 74 } else { of };
            match of {
                0..34 => {
                    let command = sayable(self.generator.command(&self.shown), GridShape::Square);
                    let at = if self.random.chance(200) { self.random.below(4_000) } else { 0 };
                    let (status, _) = give(world, &command, GridShape::Square, at);
                    self.note(status);
                }
                34..50 => {
                    let mut state = 7;
                    let status = wb_world_step(world, &raw mut state);
                    assert!(status != WB_OK || state <= WB_ENDED);
                    self.note(status);
                }
                50..66 => {
                    let mut rows = std::ptr::null();
                    let status = wb_world_agents(world, &raw mut rows, &raw mut count);
                    self.note(status);
                    if status == WB_OK {
                        let rows = std::slice::from_raw_parts(rows, count);
                        assert!(rows.is_sorted_by_key(|row| row.id));
                    }
                }
                66..70 => {
                    let mut rows = std::ptr::null();
                    let status = wb_world_events(world, &raw mut rows, &raw mut count);
                    self.note(status);
                    if status == WB_OK {
                        let rows = std::slice::from_raw_parts(rows, count);
                        assert!(rows.iter().all(|row| row.kind <= WB_EVENT_LEFT));
                    }
                }
                70..74 => {
                    let mut row: wb_agent_row = std::mem::zeroed();
                    let agent = self.agent();
                    let status = wb_world_agent(world, agent, &raw mut row);
                    assert!(status != WB_OK || row.id == agent);
                    self.note(status);
                }
                74..76 => {
                    let (mut tick, mut hash) = (0, 0);
                    let status = wb_world_tick(world, &raw mut tick);
                    self.note(status);
                    let status = wb_world_hash(world, &raw mut hash);
                    self.note(status);
                }
                76 => {
                    let mut buffer = Buffer::new(&mut self.random, 0xa5_u8, 200_000);
                    let (at, capacity) = (buffer.at(), buffer.capacity);
                    let status = wb_world_save(world, at, capacity, &raw mut count);
                    buffer.check(status, count);
                    self.note(status);
                    if status == WB_OK {
                        self.saved = buffer.values[..count].to_vec();
                    }
                }
                77 => {
                    let mut handle = 0;
                    let status = wb_world_clone(world, &raw mut handle);
                    self.keep(status, handle);
                }
                78 => {
                    let mut bytes = self.saved.clone();
                    if self.random.chance(700) {
                        let at = self.random.below(bytes.len() as u32) as usize;
                        bytes[at] ^= 1 << self.random.below(8);
                    }
                    let mut handle = 0;
                    let status = wb_world_load(bytes.as_ptr(), bytes.len(), 0, &raw mut handle);
                    self.keep(status, handle);
                }
                79 => {
                    let cut = self.random.below(self.saved.len() as u32 + 1) as usize;
                    let length = if self.random.chance(500) { cut } else { self.saved.len() };
                    let status = wb_world_restore(world, self.saved.as_ptr(), length);
                    self.note(status);
                }
                80 => {
                    let from = self.world();
                    let status = wb_world_copy_from(world, from);
                    self.note(status);
                }
                81 => {
                    let ticks = [0, self.random.below(5_000)][self.random.below(2) as usize];
                    let status = wb_world_set_ticks(world, ticks);
                    self.note(status);
                    let threads = [0, 1, 2, 5_000][self.random.below(4) as usize];
                    let status = wb_world_set_threads(world, threads);
                    self.note(status);
                }
                82 => {
                    let mut counts: wb_counts = std::mem::zeroed();
                    counts.size = [size_of::<wb_counts>() as u32, 0, 9][self.random.below(3) as usize];
                    let status = wb_world_counts(world, &raw mut counts);
                    self.note(status);
                }
                83..85 => {
                    let mut buffer = Buffer::new(&mut self.random, 0xa5_u8, 300);
                    let (at, capacity, agent) = (buffer.at(), buffer.capacity, self.agent());
                    let status = wb_world_agent_name(world, agent, at.cast(), capacity, &raw mut count);
                    buffer.check(status, count);
                    self.note(status);
                    let name = ["", "anna", "b\u{fc}"][self.random.below(3) as usize];
                    let status = wb_world_name_agent(world, agent, name.as_ptr().cast(), name.len());
                    self.note(status);
                }
                85 => {
                    let mut handle = 0;
                    let status = wb_recording_begin(world, &raw mut handle);
                    self.note(status);
                    if status == WB_OK {
                        self.recordings.push(handle);
                    }
                    if self.recordings.len() > 4 {
                        let status = wb_recording_destroy(self.recordings.remove(0));
                        self.note(status);
                    }
                }
                86..90 => {
                    let recording = self.recording();
                    let status = wb_recording_tick(recording, world, self.random.below(2));
                    self.note(status);
                }
                90 => {
                    let mut buffer = Buffer::new(&mut self.random, 0xa5_u8, 4_000_000);
                    let (at, capacity, recording) = (buffer.at(), buffer.capacity, self.recording());
                    let status = wb_recording_finish(recording, world, at, capacity, &raw mut count);
                    buffer.check(status, count);
                    self.note(status);
                }
                91 => {
                    let status = wb_world_check_invariants(world);
                    self.note(status);
                }
                _ => self.question(world),
            }
        }
    }

    fn number(&mut self) -> i32 {
        let near = self.random.between(-2, 26);
        [near, near, near, i32::MIN, i32::MAX][self.random.below(5) as usize]
    }

    fn pose(&mut self) -> wb_pose {
        let heading = [0, 3, 7, 200, u32::MAX][self.random.below(5) as usize];
        wb_pose { x: self.number(), y: self.number(), heading }
    }

    fn question(&mut self, world: u64) {
        let (mut count, mut number) = (0, 0);
        let (agent, pose, class) = (self.agent(), self.pose(), self.random.below(6));
        let (width, height) = (self.number().unsigned_abs(), self.number().unsigned_abs());
        let area = wb_rect { x: pose.x, y: pose.y, width, height };
        let cell = wb_cell { x: pose.x, y: pose.y };
        let mut ids = Buffer::new(&mut self.random, 0xa5a5_a5a5_u32, 400);
        let mut poses =
            Buffer::new(&mut self.random, wb_path_pose { arrival: 77, ..Default::default() }, 3_000);
        let mut cells = Buffer::new(&mut self.random, wb_cell { x: 5, y: -5 }, 30);
        let mut text = Buffer::new(&mut self.random, 0xa5_u8, 300);
        let (n_ids, n_poses, n_cells, n_text) = (ids.capacity, poses.capacity, cells.capacity, text.capacity);
        // SAFETY: all pointers are valid, or null with a capacity of 0.
        let status = unsafe {
            match self.random.below(16) {
                0 => wb_world_agent_at(world, &raw const cell, &raw mut number),
                1 => {
                    let status = wb_world_agents_in(world, &raw const area, ids.at(), n_ids, &raw mut count);
                    ids.check(status, count);
                    status
                }
                2 => wb_world_can_place(world, class, &raw const pose, &raw mut number),
                3 => {
                    let kind = self.random.below(6);
                    let side_kinds = [self.random.below(3), WB_KEEP, 0, 1, WB_KEEP, 7];
                    let change = wb_change { kind, area, value: self.number(), side_kinds };
                    let n = self.random.below(2) as usize;
                    let change = &raw const change;
                    let status = wb_world_would_disturb(world, change, n, ids.at(), n_ids, &raw mut count);
                    ids.check(status, count);
                    status
                }
                4 | 5 => {
                    let mut answer = wb_answer { size: size_of::<wb_answer>() as u32, ..Default::default() };
                    let goals = [pose, self.pose()];
                    let n = self.random.below(3) as usize;
                    let within = [0, 2, u32::MAX][self.random.below(3) as usize];
                    let path = [0, self.path, world][self.random.below(3) as usize];
                    let goals = goals.as_ptr();
                    let scratch = self.scratch;
                    let status =
                        wb_world_plan(world, agent, goals, n, within, scratch, path, &raw mut answer);
                    if status == WB_OK && path != 0 {
                        let (mut found, mut n_found) = (std::ptr::null(), 0);
                        ok(wb_path_poses(path, &raw mut found, &raw mut n_found));
                        assert_eq!(n_found as u32, if answer.reached == 0 { 0 } else { answer.moves + 1 });
                    }
                    status
                }
                6 => {
                    let ticks = [0, 9, 40, u32::MAX][self.random.below(4) as usize];
                    let status = wb_world_reach(world, agent, ticks, poses.at(), n_poses, &raw mut count);
                    poses.check(status, count);
                    status
                }
                7 => {
                    let status = wb_world_path(world, agent, poses.at(), n_poses, &raw mut count);
                    poses.check(status, count);
                    status
                }
                8 => {
                    let mut reason: wb_wait_reason = std::mem::zeroed();
                    reason.size = size_of::<wb_wait_reason>() as u32;
                    let (reason, buffer) = (&raw mut reason, text.at().cast());
                    let status =
                        wb_world_reason_for_waiting(world, agent, reason, buffer, n_text, &raw mut count);
                    text.check(status, count);
                    assert!(status != WB_OK || (*reason).rule <= WB_WAIT_ROADBLOCK);
                    status
                }
                9 => {
                    let mut requests = Buffer::new(&mut self.random, wb_path_request::default(), 30);
                    let mut goals = Buffer::new(&mut self.random, wb_pose::default(), 30);
                    let (mut n_goals, room, goal_room) = (0, requests.capacity, goals.capacity);
                    let status = wb_world_path_requests(
                        world,
                        requests.at(),
                        room,
                        &raw mut count,
                        goals.at(),
                        goal_room,
                        &raw mut n_goals,
                    );
                    requests.check(status, count);
                    goals.check(status, n_goals);
                    status
                }
                10 => {
                    let buffer = text.at().cast();
                    let status = wb_world_class_name(world, class, buffer, n_text, &raw mut count);
                    text.check(status, count);
                    status
                }
                11 => {
                    let (pose, room) = (&raw const pose, cells.at());
                    let status = wb_world_class_cells(world, class, pose, room, n_cells, &raw mut count);
                    cells.check(status, count);
                    status
                }
                12 => {
                    let mut handle = 0;
                    let status = [wb_world_class, wb_world_tables][self.random.below(2) as usize](
                        world,
                        class,
                        &raw mut handle,
                    );
                    let destroyed =
                        if wb_class_destroy(handle) == WB_OK { WB_OK } else { wb_tables_destroy(handle) };
                    ok(destroyed);
                    status
                }
                13 => wb_world_landmarks_in_use(world, class, &mut 0),
                14 => {
                    let mut handle = 0;
                    let made = wb_world_class(world, class, &raw mut handle);
                    let status = wb_world_add_class(world, handle, &raw mut number);
                    assert!(made != WB_OK || matches!(status, WB_OK | WB_LIMIT));
                    ok(wb_class_destroy(handle));
                    status
                }
                _ => {
                    let (mut handle, mut terrain) = (0, std::ptr::null());
                    let status = wb_world_map(world, &raw mut handle);
                    ok(wb_map_destroy(handle));
                    let other = wb_world_terrain(world, &raw mut terrain, &raw mut count);
                    assert_eq!(status, other);
                    if status == WB_OK {
                        let kinds = std::slice::from_raw_parts(terrain, count);
                        assert!(kinds.iter().all(|kind| *kind < 9));
                    }
                    wb_world_classes(world, &raw mut number)
                }
            }
        };
        self.note(status);
    }
}

#[test]
fn random_calls_never_panic_and_leave_worlds_whole() {
    let (n_calls, seed) = (from_env("WHEELBASE_CALLS", 100_000), from_env("WHEELBASE_SEED", 1));
    let mut calls = Calls::new(seed);
    for number in 0..n_calls {
        if number % 256 == 0 {
            let found = calls.worlds[0];
            calls.shown = World::load(&save(found), Host::default()).unwrap();
        }
        calls.one();
        // Worlds whose last tick has come step no more: others take their places.
        if number % 8_192 == 0 {
            for at in 0..2 {
                ok(wb_world_destroy(calls.worlds[at]));
                calls.worlds[at] = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
            }
        }
    }
    println!("statuses of {n_calls} calls: {:?}", calls.made);
    let seen = |status: u32| assert!(calls.made[status as usize] > 0, "{:?}", calls.made);
    [WB_OK, WB_NO_HANDLE, WB_DESTROYED, WB_WRONG_KIND, WB_SIZE, WB_BUFFER, WB_ARGUMENT, WB_TEXT]
        .into_iter()
        .for_each(seen);
    for &world in &calls.worlds[..2] {
        ok(wb_world_check_invariants(world));
        for _ in 0..5 {
            step(world);
        }
        assert_eq!(counts(world).collisions, 0);
        // SAFETY: `list` gives a buffer of the capacity.
        let off_map: Vec<u32> =
            list(|to, room, count| unsafe { wb_world_off_map(world, WB_NONE, to, room, count) });
        let n_agents = agents(world).len() + off_map.len();
        assert_eq!(n_agents as u64, counts(world).placed - counts(world).removed);
        assert!(tick(world) > 0);
    }
    ok(wb_scratch_destroy(calls.scratch));
    ok(wb_path_destroy(calls.path));
    for recording in calls.recordings {
        ok(wb_recording_destroy(recording));
    }
    for world in calls.worlds {
        ok(wb_world_destroy(world));
        fails(wb_world_destroy(world), WB_DESTROYED, "destroyed");
    }
}
