//! Recordings whose ticks were changed and written again: `verify` names the first difference.

use super::record_text;
use crate::recording::chunk::Chunk;
use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, KIND};
use crate::recording::record::PathRun;
use crate::recording::recorded_agents::RecordedAgents;
use crate::recording::tick_code::{encode_events, encode_head, encode_moves, encode_rest};
use crate::recording::{Difference, Event, Header, Reader, TickRecord, verify};
use std::io::Cursor;
use wheelbase_sim::AgentId;
use wheelbase_sim::codec::{BlockWriter, write_prefix};

/// A cart that drives five cells, and another one in its way, which must yield.
const TEXT: &str = r#"
name = "two carts"
ticks = 100
[map]
rows = ["......", "WWWW.W"]
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "reverse", by = [-1, 0], time = 6 },
    { name = "left", turn = 1, time = 2 },
    { name = "right", turn = -1, time = 2 },
]
[[agents]]
class = "cart"
at = [0, 0, "E"]
orders = [{ goto = [5, 0] }]
[[agents]]
class = "cart"
at = [3, 0, "E"]
"#;

/// Verifies a recording after a change of its tick records, written again with right checksums.
fn verify_changed(change: impl FnOnce(&Header, &mut Vec<TickRecord>)) -> Option<Difference> {
    let mut reader = Reader::open(Cursor::new(record_text("two.toml", TEXT))).unwrap();
    let (mut records, mut record) = (Vec::new(), TickRecord::default());
    while reader.next_tick(&mut record).unwrap() {
        records.push(record.clone());
    }
    let header = reader.header().clone();
    change(&header, &mut records);
    let (mut file, mut blocks, mut chunk) = (Vec::new(), BlockWriter::default(), Chunk::default());
    write_prefix(&KIND, &mut file).unwrap();
    blocks.write(BLOCK_HEADER, (0, 0), &header, &mut file).unwrap();
    let (mut frame, mut late, mut scratch) = (RecordedAgents::before(&header), Vec::new(), Vec::new());
    frame.to_key(&mut chunk.key);
    frame.texts.encode(&mut chunk.orders);
    for (tick, record) in records.iter_mut().enumerate() {
        let last = tick as u32 == reader.end().unwrap().tick;
        frame.tick = tick as u32;
        encode_head(record, last, &header, &mut frame, &mut scratch, &mut chunk.ticks).unwrap();
        let is_rest = |event: &Event| matches!(event, Event::Wait { .. } | Event::Current { .. });
        let n_moved = record.events.iter().position(is_rest).unwrap_or(record.events.len());
        let rest = record.events.split_off(n_moved);
        let is_move = |event: &Event| matches!(event, Event::Move { .. });
        let n_events = record.events.iter().position(is_move).unwrap_or(n_moved);
        encode_events(record, n_events, &mut frame, &mut chunk.ticks).unwrap();
        encode_moves(record, n_events, &header, &mut frame, &mut late, &mut chunk.ticks).unwrap();
        record.events.extend(rest);
        encode_rest(record, n_moved, &mut frame, &mut chunk.ticks).unwrap();
    }
    blocks.write(BLOCK_CHUNK, (0, records.len() as u32), &chunk, &mut file).unwrap();
    let end = reader.end().unwrap();
    blocks.write(BLOCK_END, (end.tick, 0), end, &mut file).unwrap();
    verify(&mut Reader::open(Cursor::new(file)).unwrap(), |_| true).unwrap().difference
}

/// The last move of agent 0: its tick and its index among the events.
fn last_move(records: &[TickRecord]) -> (usize, usize) {
    let is_last = |event: &Event| matches!(event, Event::Move { agent: AgentId(0), .. });
    let tick = records.iter().rposition(|record| record.events.iter().any(is_last)).unwrap();
    (tick, records[tick].events.iter().position(is_last).unwrap())
}

#[test]
fn an_unchanged_recording_is_equal() {
    assert_eq!(verify_changed(|_, _| {}), None);
}

#[test]
fn a_changed_move_is_named_with_tick_agent_and_field() {
    let mut at = (0, 0);
    let found = verify_changed(|_, records| {
        at = last_move(records);
        let Event::Move { end, .. } = &mut records[at.0].events[at.1] else { panic!() };
        *end += 1;
    });
    let tick = at.0 as u32;
    assert_eq!(
        found.unwrap().to_string(),
        format!(
            "differs at tick {tick}: agent 0: end tick of its move: recorded {}, found {}",
            tick + 3,
            tick + 2
        )
    );
    let found = verify_changed(|header, records| {
        let Event::Move { primitive, from, to, .. } = &mut records[at.0].events[at.1] else { panic!() };
        *primitive = 3;
        *to = header.classes[0].after(*from, 3).unwrap();
    });
    assert_eq!(
        found.unwrap().to_string(),
        format!("differs at tick {tick}: agent 0: move: recorded right, found forward")
    );
    let found = verify_changed(|_, records| {
        records[at.0].events.remove(at.1);
    })
    .unwrap();
    assert_eq!((found.tick, found.agent, found.field.as_str()), (tick, Some(AgentId(0)), "move"));
    assert_eq!(found.recorded, "nothing");
}

#[test]
fn changed_waits_counters_and_hashes_are_named() {
    let mut tick = 0;
    let found = verify_changed(|_, records| {
        let is_wait = |event: &Event| matches!(event, Event::Wait { .. });
        tick = records.iter().position(|record| record.events.iter().any(is_wait)).unwrap();
        records[tick].events.retain(|event| !is_wait(event));
    });
    assert_eq!(
        found.unwrap().to_string(),
        format!("differs at tick {tick}: agent 0: wait: recorded nothing, found waits since {tick}")
    );
    let found = verify_changed(|_, records| records[7].counters.expansions += 1).unwrap();
    assert_eq!((found.tick, found.agent, found.field.as_str()), (7, None, "expansions"));
    let found = verify_changed(|_, records| records[5].state_hash ^= 1).unwrap();
    assert_eq!((found.tick, found.agent, found.field.as_str()), (5, None, "state hash"));
}

#[test]
fn a_changed_path_is_named() {
    let found = verify_changed(|_, records| {
        // Shortens its last run by a move and appends another run.
        let path = records[0].events.iter_mut().find_map(|event| match event {
            Event::Path { runs, .. } => Some(runs),
            _ => None,
        });
        path.unwrap().count += 1;
        let runs = &mut records[0].path_runs;
        *runs.last_mut().unwrap() = runs.last().unwrap().rest().unwrap();
        runs.push(PathRun::of_number(3));
    })
    .unwrap();
    assert_eq!((found.tick, found.agent), (0, Some(AgentId(0))));
    assert_eq!(found.field, "move 4 of its path");
}
