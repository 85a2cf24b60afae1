//! Recordings: they can be read, agree with the run, and damage is reported.

use crate::common::{CART, OTHERS, TRUCK, build_world, cart, on_threads, set_terrain};
use std::collections::BTreeSet;
use std::io::Cursor;
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, Pose};
use wheelbase_scenario::recording::{Event, Reader, RecordingError, TickRecord, verify};
use wheelbase_sim::{AgentId, Counters, RunState};

/// Groups that meet, agents that come and go, edits of all kinds, impossible orders; long enough for several chunks.
fn busy() -> String {
    let rows = vec!["\"........................\""; 16].join(",");
    let mut text = format!(
        "name = \"busy\"\nseed = 5\nticks = 400\n[map]\nrows = [{rows}]\n[side.hedge]\nspeed = 0\n{CART}{TRUCK}{OTHERS}"
    );
    for (class, count) in [("cart", 6), ("truck", 5), ("walker", 4)] {
        text += &format!("[[groups]]\nclass = \"{class}\"\ncount = {count}\narea = [0, 0, 10, 16]\n");
        text += "orders = [{ goto_area = [14, 0, 10, 16] }, { wait = 9 }, { patrol = [[2, 2], [21, 13]], within = 3 }]\n";
    }
    text += &cart("[12, 0, \"E\"]", "{ goto = [12, 15] }").replace("class =", "name = \"lone\"\nclass =");
    text += &set_terrain(30, "[12, 0, 1, 14]", "water", "wait");
    text += &set_terrain(90, "[12, 0, 1, 14]", "ground", "wait");
    text += &set_terrain(150, "[3, 3, 4, 4]", "water", "remove");
    for (tick, action) in [
        (40, "set_elevation = { area = [1, 1, 3, 3], height = -2, on_agents = \"strand\" }"),
        (60, "set_side = { cell = [6, 6], side = \"N\", kind = \"hedge\" }"),
        (61, "rotate = { cell = [6, 6], turns = 1 }"),
        (
            70,
            "add_agents = { class = \"cart\", count = 3, area = [0, 0, 24, 16], orders = [{ goto = [0, 0] }] }",
        ),
        (160, "give_orders = { area = [12, 0, 12, 16], orders = [{ goto = [4, 4] }, { goto = [20, 8] }] }"),
        (200, "remove_agents = { area = [0, 0, 6, 16] }"),
        (210, "give_orders = { area = [6, 0, 18, 16], orders = [{ goto = [9, 9], within = 6 }] }"),
        (
            370,
            "give_orders = { area = [0, 0, 24, 16], orders = [{ goto = [20, 8], within = 6 }, { wait = 99 }] }",
        ),
    ] {
        text += &format!("[[events]]\ntick = {tick}\n{action}\n");
    }
    text
}

/// Records a run of a scenario. Gives the file and the final state hash.
fn record(text: &str) -> (Vec<u8>, u64) {
    let mut world = build_world(text);
    let file = crate::common::record(&mut world, "test.toml", text);
    (file, world.state_hash())
}

fn open(file: &[u8]) -> Result<Reader<Cursor<Vec<u8>>>, RecordingError> {
    Reader::open(Cursor::new(file.to_vec()))
}

/// Reads all ticks.
fn read_all(file: &[u8]) -> Result<Vec<TickRecord>, RecordingError> {
    let mut reader = open(file)?;
    let mut ticks = Vec::new();
    let mut tick = TickRecord::default();
    while reader.next_tick(&mut tick)? {
        ticks.push(tick.clone());
    }
    Ok(ticks)
}

/// Compares a recording with the same run: agents, map and counters after every tick. Gives the number of ticks and the
/// kinds of events.
fn assert_same_as_the_run(mut reader: Reader<Cursor<Vec<u8>>>, text: &str) -> (u64, BTreeSet<String>) {
    let mut world = build_world(text);
    let mut tick = TickRecord::default();
    let mut kinds = BTreeSet::new();
    while reader.next_tick(&mut tick).unwrap() {
        assert_eq!(tick.tick, world.tick());
        let step = world.step();
        assert_eq!((tick.state_hash, tick.counters), (world.state_hash(), Counters::of(&world)));
        assert_eq!(reader.has_ended(), step == RunState::Ended);
        let frame = reader.agents();
        assert_eq!(frame.ids, world.agent_arrays().ids);
        for row in 0..frame.len() {
            assert_eq!(frame.pose(row), world.pose(row));
            assert_eq!(frame.is_moving(row), !world.agent_arrays().motion[row].at_rest());
            assert_eq!(frame.waits_since[row], world.agent_arrays().wait_states[row].waits_since);
            // The path continues from the end of the move, pose by pose.
            let tables = &world.tables()[usize::from(world.agent_arrays().motion[row].class.0)];
            let mut state = tables.space().state(frame.motion[row].to);
            let mut poses = frame.path_poses(row, reader.header());
            assert_eq!(poses.next(), Some(frame.motion[row].to));
            for primitive in frame.path(row) {
                state = state.map(|state| tables.state_after(state, usize::from(primitive)));
                assert_eq!(poses.next(), state.map(|state| tables.space().pose(state)));
            }
            assert_eq!((poses.next(), state.is_some()), (None, true));
        }
        let terrain = world.grid().terrain().iter().map(|kind| kind.0);
        let map = reader.map().unwrap();
        assert!(terrain.eq(map.terrain.iter().copied()));
        for cell in 0..world.grid().size().n_cells() {
            let of_grid = wheelbase_grid::Cell(cell as u32);
            assert_eq!(map.height_of(cell), world.grid().elevation_of(of_grid));
            for (number, &side) in world.grid().shape().sides().iter().enumerate() {
                assert_eq!(map.side(cell, number as u8), world.grid().side_of(of_grid, side).0);
            }
        }
        kinds.extend(
            tick.events.iter().map(|event| format!("{event:?}").split([' ', '(']).next().unwrap().to_owned()),
        );
    }
    (u64::from(world.tick()), kinds)
}

#[test]
fn a_recording_of_a_hexagonal_map_agrees_with_the_run() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/first/09_hexagons.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let reader = open(&record(&text).0).unwrap();
    let header = reader.header();
    assert_eq!(header.shape, "hex");
    let cells = |row| header.classes[0].movement().cells_at(Pose::new(0, row, Heading(1))).to_vec();
    assert_ne!(cells(0), cells(1), "a body facing north-east leans with the row");
    let (ticks, kinds) = assert_same_as_the_run(reader, &text);
    assert!(ticks > 200 && kinds.contains("Edit") && kinds.contains("Move"), "{ticks} {kinds:?}");
}

#[test]
fn a_recording_agrees_with_the_run() {
    let text = busy();
    let (file, hash) = record(&text);
    let reader = open(&file).unwrap();
    assert_eq!((reader.header().name.as_str(), reader.header().scenario.as_str()), ("busy", text.as_str()));
    let truck: Vec<_> = reader.header().classes[1].cells(Pose::new(3, 0, Heading(0))).collect();
    assert_eq!(truck, [CellXY::new(2, 0), CellXY::new(3, 0)]);
    let end = reader.end().unwrap().clone();
    assert_eq!((end.state_hash, end.interrupted, reader.truncation()), (hash, false, None));
    assert!(reader.chunks().len() > 2, "{:?}", reader.chunks());

    let (ticks, kinds) = assert_same_as_the_run(reader, &text);
    assert_eq!(ticks, 400);
    let all = ["Current", "Done", "Edit", "Move", "Order", "Path", "Remove", "Spawn", "Unreachable", "Wait"];
    assert!(kinds.iter().map(String::as_str).eq(all), "{kinds:?}");
}

#[test]
fn recording_changes_nothing_and_does_not_depend_on_threads() {
    let text = busy();
    let mut world = build_world(&text);
    world.run();
    let (file, hash) = on_threads(1, || record(&text));
    assert_eq!(hash, world.state_hash());
    assert!(file == on_threads(3, || record(&text)).0);
}

#[test]
fn reading_can_begin_at_any_key_frame() {
    let (file, _) = record(&busy());
    let ticks = read_all(&file).unwrap();
    let mut reader = open(&file).unwrap();
    for target in [399, 0, 250, 128, 127, 9999] {
        let first = reader.seek(target).unwrap();
        assert!(first <= target && (target > 399 || target - first < 128));
        let mut tick = TickRecord::default();
        for expected in &ticks[first as usize..] {
            assert!(reader.next_tick(&mut tick).unwrap());
            assert_eq!(&tick, expected);
        }
        assert!(!reader.next_tick(&mut tick).unwrap());
        // The final map does not depend on where reading began.
        assert_eq!(reader.map().unwrap().terrain[3 * 24 + 3], 2);
    }
}

#[test]
fn a_second_run_is_equal() {
    let (file, _) = record(&busy());
    for threads in [1, 2] {
        let verified = on_threads(threads, || verify(&mut open(&file).unwrap(), |_| true)).unwrap();
        assert_eq!((verified.n_ticks, verified.difference), (401, None));
    }
}

#[test]
fn a_flipped_bit_is_always_reported() {
    let text = "name = \"small\"\nticks = 20\n[map]\nrows = [\"......\"]\n".to_owned()
        + CART
        + &cart("[0, 0, \"E\"]", "{ goto = [5, 0] }");
    let (file, _) = record(&text);
    assert_eq!(read_all(&file).unwrap().len(), 11);
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            let error = read_all(&damaged).map(|ticks| ticks.len()).unwrap_err().to_string();
            // Of earlier releases the version alone is read: their checksums were of another kind.
            let is_earlier = at == 8 && error.contains("written by an earlier release");
            let is_reported = error.contains("damaged") || error == "is not a recording" || is_earlier;
            assert!(is_reported, "bit {bit} of byte {at}: {error}");
        }
    }
}

#[test]
fn damage_names_the_chunk() {
    let (file, _) = record(&busy());
    let chunks: Vec<_> = open(&file).unwrap().chunks().to_vec();
    for chunk in &chunks {
        let mut damaged = file.clone();
        damaged[chunk.offset as usize + 100] ^= 16;
        let error = read_all(&damaged).unwrap_err().to_string();
        let last = chunk.first_tick + chunk.n_ticks - 1;
        assert_eq!(
            error,
            format!(
                "is damaged: chunk {} (ticks {} to {last}, at byte {}): its checksum does not match",
                chunk.number, chunk.first_tick, chunk.offset
            )
        );
    }
}

#[test]
fn a_truncated_recording_is_read_up_to_its_last_whole_chunk() {
    let (file, _) = record(&busy());
    let whole = read_all(&file).unwrap();
    let chunks: Vec<_> = open(&file).unwrap().chunks().to_vec();
    let first = chunks[0].offset as usize;
    for length in (0..first).step_by(7) {
        let error = open(&file[..length]).unwrap_err();
        assert!(matches!(error, RecordingError::NoStart), "{length}: {error}");
    }
    // Every length near the boundaries of chunks, and some in between.
    let near = |length: usize| chunks.iter().any(|chunk| length.abs_diff(chunk.offset as usize) < 45);
    for length in
        (first..file.len()).filter(|&length| near(length) || length % 61 == 0 || file.len() - length < 40)
    {
        let cut = &file[..length];
        let reader = open(cut).unwrap();
        let n_whole = chunks.iter().filter(|chunk| chunk.end() <= length as u64).count();
        assert_eq!(reader.chunks().len(), n_whole);
        assert!(reader.end().is_none() && reader.truncation().unwrap().starts_with("cut off"), "{length}");
        let ticks = read_all(cut).unwrap();
        assert_eq!(ticks.len() as u32, reader.n_ticks());
        assert!(ticks == whole[..ticks.len()]);
    }
}

#[test]
fn other_files_and_versions_are_refused_by_name() {
    let refused = |file: &[u8]| open(file).unwrap_err().to_string();
    assert_eq!(refused(b"name = \"a scenario\""), "is not a recording");
    assert_eq!(refused(b""), "is a recording that is cut off before its first chunk");
    let (mut file, _) = record(&busy());
    assert_eq!((&file[..8], file[8]), (&b"WB-REC\r\n"[..], 7));
    file[8] = 9;
    let sum = crc32(&file[..16]);
    file[16..20].copy_from_slice(&sum.to_le_bytes());
    assert_eq!(
        refused(&file),
        "is a recording of version 9, written by a later release; this one reads version 7"
    );
    // The release before did not write `sweep`, whose default was another.
    file[8] = 5;
    let sum = crc32(&file[..16]);
    file[16..20].copy_from_slice(&sum.to_le_bytes());
    assert_eq!(
        refused(&file),
        "is a recording of version 5, written by an earlier release; this one reads version 7"
    );
    file[8] = 7;
    file[12] ^= 1;
    let sum = crc32(&file[..16]);
    file[16..20].copy_from_slice(&sum.to_le_bytes());
    assert!(refused(&file).contains("of version 7 with an unknown layout"), "{}", refused(&file));
    // The first bytes that an earlier release wrote, with checksums of another kind.
    let before =
        b"WB-REC\r\n\x03\0\0\0\x5f\x70\xc2\x3b\xe9\xb1\x0f\x94\x02\x94\x7c\xbd\xb3\xb0\xf1\x41\x01\0\0\0";
    assert_eq!(
        refused(before),
        "is a recording of version 3, written by an earlier release; this one reads version 7"
    );
}

/// CRC-32, from its definition: independent of the code under test.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[test]
fn paths_are_as_planned() {
    let text = "name = \"small\"\nticks = 60\n[map]\nrows = [\"......\", \"......\"]\n".to_owned()
        + CART
        + &cart("[0, 0, \"E\"]", "{ goto = [5, 1] }");
    let (file, _) = record(&text);
    let ticks = read_all(&file).unwrap();
    let reader = open(&file).unwrap();
    let path = ticks[0].events.iter().find_map(|event| match *event {
        Event::Path { agent, from, runs } => Some((agent, from, runs)),
        _ => None,
    });
    let (agent, from, runs) = path.unwrap();
    let poses: Vec<_> = ticks[0].path_poses(&reader.header().classes[0], from, runs).collect();
    let moves = ticks.iter().flat_map(|tick| &tick.events).filter_map(|event| match *event {
        Event::Move { to, .. } => Some(to),
        _ => None,
    });
    assert_eq!(agent, AgentId(0));
    let n_moves: u32 = ticks[0].runs_of_path(runs).iter().map(|run| run.n_moves()).sum();
    assert_eq!(poses.len(), n_moves as usize + 1);
    assert!(poses[1..].iter().copied().eq(moves));
}
