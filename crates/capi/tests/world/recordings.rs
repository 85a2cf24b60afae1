//! Recordings: `wheelbase verify` accepts what a host records.

use crate::calls::{copy_of, fails, get, hash, list, message, ok, save, step};
use crate::commands::{give, sayable};
use crate::common::random_commands::{Generator, Kinds};
use crate::scenes::{Driver, world_of};
use std::io::Cursor;
use std::path::Path;
use wheelbase_c::*;
use wheelbase_grid::GridShape;
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_sim::{Host, World};

fn begin(world: u64) -> u64 {
    // SAFETY: the handle may be written.
    get(|out| unsafe { wb_recording_begin(world, out) })
}

fn finish(recording: u64, world: u64) -> Vec<u8> {
    // SAFETY: `list` gives a buffer of the capacity.
    list(|buffer, capacity, count| unsafe { wb_recording_finish(recording, world, buffer, capacity, count) })
}

/// The number of ticks that a recording holds, and whether it ends where its world did: what `wheelbase verify` says.
fn verified(bytes: Vec<u8>) -> (u32, bool) {
    let mut reader = Reader::open(Cursor::new(bytes)).unwrap();
    let has_end = reader.end().is_some();
    let verified = verify(&mut reader, |_| true).unwrap();
    assert!(verified.difference.is_none(), "{:?}", verified.difference);
    (verified.n_ticks, has_end)
}

/// Some ticks with random commands, recorded.
fn play(world: u64, recording: u64, (seed, ticks): (u64, u32)) {
    let mut generator = Generator::new(seed, Kinds::OF_BINDINGS);
    let mut rust = World::load(&save(world), Host::default()).unwrap();
    for tick in 0..ticks {
        if tick % 16 == 0 {
            rust = World::load(&save(world), Host::default()).unwrap();
        }
        if generator.chance(400) {
            let command = sayable(generator.command(&rust), GridShape::Square);
            ok(give(world, &command, GridShape::Square, 0).0);
        }
        let state = step(world);
        ok(wb_recording_tick(recording, world, state));
    }
}

#[test]
fn what_a_host_records_is_verified() {
    // With its setup: a world before its first step, with commands given before the recording begins. With a snapshot:
    // a world that was loaded, at any tick.
    let setup = scenario("first.toml", SCENARIO, &[("lane.map", MAP)]);
    let loaded = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
    for world in [setup, loaded] {
        // A recording ends with its run, so this one has no last tick.
        ok(wb_world_set_ticks(world, 0));
        // SAFETY: the ids are there.
        ok(unsafe { wb_command_priority(world, [0, 1].as_ptr(), 2, 3, 0, std::ptr::null_mut()) });
        let recording = begin(world);
        play(world, recording, (7, 600));
        let bytes = finish(recording, world);
        assert_eq!(verified(bytes.clone()), (600, true));
        assert_eq!(finish(recording, world), bytes);
        fails(wb_recording_tick(recording, world, WB_RUNNING), WB_ARGUMENT, "the recording is finished");
        // The world goes on, and another recording begins where it is.
        (0..30).for_each(|_| {
            step(world);
        });
        let second = begin(world);
        play(world, second, (6, 200));
        assert_eq!(verified(finish(second, world)), (200, true));
        for handle in [recording, second] {
            ok(wb_recording_destroy(handle));
        }
        ok(wb_world_destroy(world));
    }
}

#[test]
fn a_recording_ends_with_its_run() {
    let world = scenario("first.toml", SCENARIO, &[("lane.map", MAP)]);
    let recording = begin(world);
    let mut ticks = 0;
    loop {
        let state = step(world);
        ok(wb_recording_tick(recording, world, state));
        ticks += 1;
        if state == WB_ENDED {
            break;
        }
    }
    // Idle steps add nothing.
    for _ in 0..100 {
        ok(wb_recording_tick(recording, world, step(world)));
    }
    let bytes = finish(recording, world);
    assert_eq!(verified(bytes), (ticks, true));
    ok(wb_recording_destroy(recording));
    // A command is of another recording.
    let recording = begin(world);
    (0..2).for_each(|_| ok(wb_recording_tick(recording, world, step(world))));
    // SAFETY: the id is there.
    ok(unsafe { wb_command_priority(world, [0].as_ptr(), 1, 3, 0, std::ptr::null_mut()) });
    let state = step(world);
    let why = "and its recording with it: begin another one, or run a world without a last tick";
    fails(wb_recording_tick(recording, world, state), WB_LIMIT, why);
    assert_eq!(verified(finish(recording, world)), (1, false));
    ok(wb_recording_destroy(recording));
    ok(wb_world_destroy(world));
}

#[test]
fn a_recording_that_missed_something_is_finished_without_an_end() {
    let world = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
    let ended = "the recording has ended";
    // A step without it.
    let recording = begin(world);
    play(world, recording, (1, 20));
    fails(wb_recording_tick(recording, world, WB_RUNNING), WB_ARGUMENT, "no step since");
    step(world);
    fails(wb_recording_tick(recording, world, WB_ENDED), WB_ARGUMENT, "`state` is 1, expected 0");
    step(world);
    fails(wb_recording_tick(recording, world, WB_RUNNING), WB_ARGUMENT, ended);
    assert_eq!(verified(finish(recording, world)), (20, false));
    ok(wb_recording_destroy(recording));
    // Another state of the world, another recording, another world. Last, the world is gone.
    let bytes = save(world);
    for way in 0..5 {
        let recording = begin(world);
        play(world, recording, (2, 10));
        let other = match way {
            0 => {
                // SAFETY: the bytes are there.
                ok(unsafe { wb_world_restore(world, bytes.as_ptr(), bytes.len()) });
                world
            }
            1 => {
                // SAFETY: the handle may be written.
                let copy = get(|out| unsafe { wb_world_clone(world, out) });
                ok(wb_world_copy_from(world, copy));
                ok(wb_world_destroy(copy));
                world
            }
            2 => {
                ok(wb_recording_destroy(begin(world)));
                world
            }
            // SAFETY: the handle may be written.
            3 => get(|out| unsafe { wb_world_clone(world, out) }),
            _ => 0,
        };
        if other != 0 {
            step(other);
            fails(wb_recording_tick(recording, other, WB_RUNNING), WB_ARGUMENT, ended);
        }
        assert_eq!(verified(finish(recording, other)), (10, false), "way {way}");
        ok(wb_recording_destroy(recording));
    }
    // A recording that is never finished leaves nothing behind: the world keeps no log for it.
    let recording = begin(world);
    ok(wb_recording_destroy(recording));
    (0..20).for_each(|_| {
        step(world);
    });
    ok(wb_world_destroy(world));
}

const MAP: &str =
    "type octile\nheight 6\nwidth 9\nmap\n.........\n.........\n...WW....\n.........\n.........\n.........\n";

const SCENARIO: &str = r#"
name = "first"
ticks = 5000
[map]
file = "lane.map"
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 4 },
    { name = "left", turn = 1, time = 4 },
]
[[agents]]
class = "cart"
at = [0, 0, "E"]
name = "anna"
orders = [{ goto = [7, 0] }]
[[agents]]
class = "octile"
at = [0, 2]
[[events]]
tick = 40
add_agents = { class = "cart", count = 2, area = [0, 0, 9, 6] }
"#;

/// A world of a scenario and its files in memory.
fn scenario(name: &str, text: &str, files: &[(&str, &str)]) -> u64 {
    let files: Vec<wb_file> = files
        .iter()
        .map(|(name, text)| wb_file {
            name: name.as_ptr().cast(),
            name_length: name.len(),
            bytes: text.as_ptr(),
            length: text.len(),
        })
        .collect();
    // SAFETY: the texts are there.
    get(|out| unsafe {
        let (name, n_name, bytes, n_bytes) = (name.as_ptr().cast(), name.len(), text.as_ptr(), text.len());
        wb_world_parse(name, n_name, bytes, n_bytes, files.as_ptr(), files.len(), 0, out)
    })
}

#[test]
fn a_scenario_in_memory_is_the_one_on_the_disk() {
    let folder = std::env::temp_dir().join(format!("wheelbase-capi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("first.toml"), SCENARIO).unwrap();
    std::fs::write(folder.join("lane.map"), MAP).unwrap();
    let path = folder.join("first.toml").display().to_string();
    // SAFETY: the path is there.
    let on_disk = get(|out| unsafe { wb_world_open(path.as_ptr().cast(), path.len(), 2, out) });
    std::fs::remove_dir_all(&folder).unwrap();
    let in_memory = scenario("first.toml", SCENARIO, &[("lane.map", MAP)]);
    for _ in 0..200 {
        assert_eq!(hash(on_disk), hash(in_memory));
        assert_eq!(step(on_disk), step(in_memory));
    }
    // Names come from the scenario, until the host gives others. SAFETY: `list` gives a buffer of the capacity.
    let name = |agent: u32| -> Vec<u8> {
        list(|buffer: *mut u8, capacity, count| unsafe {
            wb_world_agent_name(in_memory, agent, buffer.cast(), capacity, count)
        })
    };
    assert_eq!((name(0), name(1)), (b"anna".to_vec(), Vec::new()));
    // SAFETY: the name is there.
    ok(unsafe { wb_world_name_agent(in_memory, 1, "bea".as_ptr().cast(), 3) });
    assert_eq!(name(1), b"bea");
    ok(wb_world_destroy(on_disk));
    ok(wb_world_destroy(in_memory));
    // Mistakes have their places, one a line.
    let wrong = SCENARIO.replace("count = 2", "count = true").replace("\"octile\"", "\"octal\"");
    let mut world = 7;
    // SAFETY: the texts are there.
    let status = unsafe {
        let (bytes, n_bytes) = (wrong.as_ptr(), wrong.len());
        wb_world_parse("a.toml".as_ptr().cast(), 6, bytes, n_bytes, std::ptr::null(), 0, 0, &raw mut world)
    };
    fails(status, WB_TEXT, "wb_world_parse: a.toml:");
    assert!(message().contains("`lane.map`") || message().lines().count() > 1, "{}", message());
    assert_eq!(world, 0);
}

/// The scenarios of the repository, recorded through C.
#[test]
fn scenarios_of_the_repository_are_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/first");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    let mut recorded = 0;
    for file in files {
        let path = file.display().to_string();
        // SAFETY: the path is there.
        let world = get(|out| unsafe { wb_world_open(path.as_ptr().cast(), path.len(), 0, out) });
        let recording = begin(world);
        let mut ticks = 0;
        for _ in 0..60 {
            let state = step(world);
            ticks += u32::from(state == WB_RUNNING);
            ok(wb_recording_tick(recording, world, state));
            if state == WB_ENDED {
                break;
            }
        }
        let (found, has_end) = verified(finish(recording, world));
        assert!(has_end && found >= ticks, "{path}: {found} of {ticks} ticks");
        ok(wb_recording_destroy(recording));
        ok(wb_world_destroy(world));
        recorded += 1;
    }
    assert!(recorded >= 16, "{recorded} scenarios");
}
