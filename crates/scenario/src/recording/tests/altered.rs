//! Recordings altered at random, with right checksums: all are read within the limits, and none passes for the run.

use super::record_text;
use crate::recording::chunk::Chunk;
use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, KIND};
use crate::recording::order_texts::OrderTexts;
use crate::recording::record::PathRun;
use crate::recording::recorded_agents::RecordedAgents;
use crate::recording::tick_code::EDITS_MAX;
use crate::recording::{
    Difference, End, Event, Header, Reader, RecordedKind, Recorder, RecordingError, TickRecord, verify,
};
use crate::scenario::AGENTS_MAX;
use crate::varint;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;
use wheelbase_grid::{CellXY, Change, Grid, MemoryMax, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_planner::{ClassSpec, GoalMember, Heading, MovementClass, Pose, Primitive};
use wheelbase_sim::codec::{BlockHead, BlockWriter, read_block, read_prefix, write_prefix};
use wheelbase_sim::{
    AgentId, AgentSelection, AtDeadline, ClassId, CollisionRule, Command, MapEdit, OnAgents, Order,
    OrderKind, Random, Settings, Setup, Spawn, TaskSource, Team, World,
};
use wheelbase_traffic::{Cooperative, Decisions, Traffic, TrafficParams, TrafficView};

/// Processor time of this thread. Other load on the machine does not count. 0 on systems that do not tell.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = stat.split_whitespace().next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0))
}

const FILE: &str = "altered.toml";
/// Two carts, one of which patrols in the way of the other; edits of all kinds; two chunks.
const TEXT: &str = r#"
name = "altered"
ticks = 140
[map]
rows = ["......", "WWWW.W", "......"]
[side.hedge]
speed = 0
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "reverse", by = [-1, 0], time = 6 },
    { name = "left", turn = 1, time = 2 },
    { name = "right", turn = -1, time = 2 },
]
[[agents]]
name = "one"
class = "cart"
at = [0, 0, "E"]
orders = [{ wait = 3 }, { patrol = [[5, 0], [0, 0]] }]
[[agents]]
class = "cart"
at = [3, 0, "E"]
orders = [{ goto = [0, 2] }]
[[events]]
tick = 9
set_terrain = { area = [1, 2, 3, 1], kind = "swamp", on_agents = "strand" }
[[events]]
tick = 10
set_elevation = { area = [1, 1, 2, 2], height = 3, on_agents = "strand" }
[[events]]
tick = 11
set_side = { cell = [2, 2], side = "E", kind = "hedge" }
[[events]]
tick = 30
add_agents = { class = "cart", count = 1, area = [0, 2, 6, 1], tasks = { kind = "random", area = [0, 0, 6, 3] } }
[[events]]
tick = 100
remove_agents = { names = ["one"] }
"#;

/// A recording taken apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Parts {
    header: Header,
    /// First tick, number of ticks.
    chunks: Vec<((u32, u32), Chunk)>,
    end: Option<((u32, u32), End)>,
}

impl Parts {
    fn of(file: &[u8]) -> Self {
        let mut input = file;
        read_prefix(&KIND, &mut input).unwrap();
        let (mut header, mut chunks, mut end) = (None, Vec::new(), None);
        while !input.is_empty() {
            let head = BlockHead::read(&mut input).unwrap();
            let ticks = (head.first_tick, head.n_ticks);
            match head.kind {
                BLOCK_HEADER => header = Some(read_block(&head, 1 << 30, &mut input).unwrap()),
                BLOCK_CHUNK => chunks.push((ticks, read_block(&head, 1 << 30, &mut input).unwrap())),
                _ => end = Some((ticks, read_block(&head, 1 << 30, &mut input).unwrap())),
            }
        }
        Self { header: header.unwrap(), chunks, end }
    }

    fn recorded() -> Self {
        Self::of(&record_text(FILE, TEXT))
    }

    fn file(&self) -> Vec<u8> {
        let (mut file, mut blocks) = (Vec::new(), BlockWriter::default());
        write_prefix(&KIND, &mut file).unwrap();
        blocks.write(BLOCK_HEADER, (0, 0), &self.header, &mut file).unwrap();
        for (ticks, chunk) in &self.chunks {
            blocks.write(BLOCK_CHUNK, *ticks, chunk, &mut file).unwrap();
        }
        if let Some((ticks, end)) = &self.end {
            blocks.write(BLOCK_END, *ticks, end, &mut file).unwrap();
        }
        file
    }
}

fn open(file: &[u8]) -> Result<Reader<Cursor<&[u8]>>, RecordingError> {
    Reader::open(Cursor::new(file))
}

/// Reads all ticks, the final map and the end. Gives the number of events.
fn read(file: &[u8]) -> Result<usize, RecordingError> {
    let (mut reader, mut record, mut n_events) = (open(file)?, TickRecord::default(), 0);
    while reader.next_tick(&mut record)? {
        n_events += record.events.len();
    }
    reader.map()?;
    reader.check_end()?;
    Ok(n_events)
}

fn refused(parts: &Parts) -> String {
    read(&parts.file()).unwrap_err().to_string()
}

fn difference(parts: &Parts) -> Result<Option<Difference>, RecordingError> {
    Ok(verify(&mut open(&parts.file())?, |_| true)?.difference)
}

/// The difference that `verify` finds, as text.
fn verified(parts: &Parts) -> String {
    difference(parts).unwrap().map_or("equal".to_owned(), |difference| difference.to_string())
}

/// Writes a tick: flags, no commands and new orders, events, a rest of each agent that is due, late moves, lists,
/// counters and a hash. `events` writes the number of events and the events, which spawn `n_spawned` agents.
fn tick(out: &mut Vec<u8>, n_spawned: u8, events: impl FnOnce(&mut Vec<u8>)) {
    out.extend([0; 3]);
    events(out);
    out.extend(vec![0; usize::from(n_spawned)]);
    out.extend([0; 4]);
    varint::put_signed(out, n_spawned.into());
    out.extend([0; 12]);
    out.extend([0; 8]);
}

/// A recording of one chunk with the given ticks, before which there are no agents.
fn of_ticks(n_ticks: u32, ticks: Vec<u8>) -> Parts {
    let mut parts = Parts::recorded();
    let mut chunk = Chunk { ticks, ..Chunk::default() };
    RecordedAgents::default().to_key(&mut chunk.key);
    OrderTexts::after(parts.header.orders.len()).encode(&mut chunk.orders);
    parts.chunks = vec![((0, n_ticks), chunk)];
    parts.end = None;
    parts
}

#[test]
fn parts_make_the_same_file_again() {
    let file = record_text(FILE, TEXT);
    let parts = Parts::of(&file);
    assert!(parts.file() == file && parts.chunks.len() == 2);
    assert_eq!(difference(&parts).unwrap(), None);
    let json = serde_json::to_value(&parts).unwrap();
    assert_eq!(serde_json::from_value::<Parts>(json).unwrap(), parts);
}

#[test]
fn paths_of_many_moves_take_the_memory_of_their_runs() {
    // Two agents, each of which gets 2^27 moves at every tick.
    let with = |runs: [u32; 2]| {
        let mut ticks = Vec::new();
        tick(&mut ticks, 2, |out| {
            varint::put(out, 2);
            out.extend([0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0]);
        });
        for _ in 1..100 {
            tick(&mut ticks, 0, |out| {
                varint::put(out, 2);
                for agent in [0, 2] {
                    out.extend([5, agent, 2]);
                    runs.iter().for_each(|&run| varint::put(out, run.into()));
                }
            });
        }
        of_ticks(100, ticks)
    };
    let longest = (PathRun::MOVES_MAX - 1) * 16;
    let run = PathRun::of_number(longest);
    assert_eq!((run.primitive(), run.n_moves()), (0, PathRun::MOVES_MAX));
    let why = refused(&with([longest, u32::MAX]));
    assert!(why.contains("a path of primitive 15, which its class lacks"), "{why}");
    assert!(refused(&with([1, longest + 16])).contains("a run of 134217729 moves"));
    assert!(refused(&with([16, 32])).contains("a path of which two runs are one"));
    let begun = cpu_time();
    assert_eq!(read(&with([longest, 1]).file()).unwrap(), 2 + 2 * 99);
    let spent = cpu_time() - begun;
    assert!(spent < Duration::from_secs(2), "{spent:?}");
}

#[test]
fn lists_of_empty_texts_are_refused_before_allocation() {
    let mut parts = Parts::recorded();
    parts.header.orders = vec![String::new(); 12_000_000];
    let file = parts.file();
    assert!(file.len() < 100_000);
    let why = read(&file).unwrap_err().to_string();
    assert_eq!(why, "is damaged: the start: it takes more than 1073741824 bytes of memory");
}

/// Memory limits of recordings. Classes without text take only the counted memory. A scenario whose map is larger than
/// the recorded map is not built.
#[test]
fn a_limit_of_memory_holds_for_forged_recordings() {
    let within = |parts: &Parts, mib: u64| -> Result<u32, RecordingError> {
        let file = parts.file();
        let mut reader = Reader::open_within(Cursor::new(&file[..]), MemoryMax::of_all(mib << 20))?;
        verify(&mut reader, |_| true).map(|verified| verified.n_ticks)
    };
    let whole = Parts::recorded();
    assert_eq!(within(&whole, 300).unwrap(), 141);
    // The world takes more than that.
    let refused = within(&whole, 1).unwrap_err().to_string();
    assert!(refused.contains("needs about") && refused.contains("may take"), "{refused}");
    let mut large = whole.clone();
    let rows = "rows = [\"......\", \"WWWW.W\", \"......\"]";
    large.header.scenario =
        TEXT.replace(rows, "generate = { kind = \"open\", size = [8192, 8192], seed = 1 }");
    assert_ne!(large.header.scenario, TEXT);
    let refused = within(&large, 250).unwrap_err().to_string();
    assert!(refused.contains("a map of 8192 x 8192 cells: needs about 256.0 MiB"), "{refused}");
    let mut many = whole;
    let mut none = many.header.classes[0].clone();
    (none.name, none.text) = (String::new(), String::new());
    many.header.classes = vec![none; 1_000_000];
    let refused = within(&many, 64).unwrap_err().to_string();
    assert_eq!(refused, "is too large: the start takes more than 64.0 MiB of memory, the limit");
    // Nothing is made of a class that the decoder does not count.
    assert!(size_of_val(&many.header.classes[0]) <= 64);
    assert_eq!(many.header.classes[0].movement().spec().name, MovementClass::octile().spec().name);
}

#[test]
fn a_scenario_of_too_many_values_for_its_size_is_refused() {
    let mut parts = Parts::recorded();
    parts.header.scenario = "a=[".to_owned() + &"{a=1},".repeat(1_000_000);
    let why = refused(&parts);
    assert!(why.starts_with("is too large: a scenario and classes of 3000025 values in "), "{why}");
}

#[test]
fn edits_of_a_large_map_are_limited_and_painted_on_demand() {
    let mut parts = of_ticks(1, Vec::new());
    parts.header.map.width = 8192;
    parts.header.map.height = 8192;
    parts.header.map.terrain = vec![0; 1 << 26];
    let edit = |out: &mut Vec<u8>, x: u64, width: u64| {
        out.extend([6, 1, 0, 0, 0]);
        varint::put(out, x * 2);
        out.push(0);
        varint::put(out, width);
        varint::put(out, 8192);
        out.push(1);
    };
    let with = |n: usize, grows: bool| {
        let mut ticks = Vec::new();
        tick(&mut ticks, 0, |out| {
            varint::put(out, n as u64);
            for number in 0..n as u64 {
                // A shrinking edit does not overwrite the ones before.
                if grows { edit(out, 0, 8192) } else { edit(out, number % 4096, 8192 - number % 4096) }
            }
        });
        let mut parts = parts.clone();
        parts.chunks[0].1.ticks = ticks;
        parts.file()
    };
    let begun = cpu_time();
    // A repeated flood is painted once.
    assert_eq!(read(&with(EDITS_MAX, true)).unwrap(), EDITS_MAX);
    let why = read(&with(4000, false)).unwrap_err().to_string();
    assert!(why.contains("its edits, 4000 of them here, paint more than"), "{why}");
    let why = read(&with(EDITS_MAX + 1, true)).unwrap_err().to_string();
    assert!(why.contains("tick 0: more than 1048576 edits of the map"), "{why}");
    let spent = cpu_time() - begun;
    assert!(spent < Duration::from_secs(20), "{spent:?}");
}

#[test]
fn more_agents_than_a_simulation_may_have_are_refused() {
    let mut parts = Parts::recorded();
    let n = AGENTS_MAX as usize + 1;
    let key = &mut parts.chunks[0].1.key;
    let mut json = serde_json::to_value(&*key).unwrap();
    for (name, column) in json.as_object_mut().unwrap() {
        match name.as_str() {
            "since" | "left" | "runs" | "counters" => {}
            "ids" => *column = (0..n).map(|row| u32::from(row > 0)).collect(),
            "primitives" => *column = vec![u8::MAX; n].into(),
            _ => *column = vec![0; n].into(),
        }
    }
    *key = serde_json::from_value(json).unwrap();
    let why = refused(&parts);
    assert!(why.ends_with("1048577 agents, expected at most 1048576"), "{why}");
    // A small map holds fewer.
    let mut ticks = Vec::new();
    tick(&mut ticks, 0, |out| {
        varint::put(out, 19);
        for _ in 0..19 {
            out.extend([0, 2, 0, 0, 0, 0]);
        }
    });
    let why = refused(&of_ticks(1, ticks));
    assert!(why.ends_with("tick 0: agents that cover 19 cells of a map of 18"), "{why}");
}

#[test]
fn unknown_flags_and_overfull_chunks_are_refused() {
    let mut ticks = Vec::new();
    tick(&mut ticks, 0, |out| varint::put(out, 0));
    let with = |flags: u8| {
        let mut ticks = ticks.clone();
        ticks[0] = flags;
        refused(&of_ticks(1, ticks))
    };
    for (flags, unknown) in [(2, "0x02"), (3, "0x02"), (0x81, "0x80")] {
        let why = with(flags);
        assert!(why.ends_with(&format!("tick 0: unknown flags {unknown}, expected 0 or 0x01")), "{why}");
    }
    let why = refused(&of_ticks(129, ticks.repeat(129)));
    assert!(why.ends_with("its head does not follow"), "{why}");
    // A tick after the bytes that fill a chunk.
    let mut full = Vec::new();
    tick(&mut full, 1, |out| {
        varint::put(out, 1 + (1 << 19));
        out.extend([0; 6]);
        (0..1 << 19).for_each(|_| out.extend([3, 0, 0]));
    });
    assert_eq!(read(&of_ticks(1, full.clone()).file()).unwrap(), 1 + (1 << 19));
    full.extend_from_slice(&ticks);
    let why = refused(&of_ticks(2, full));
    assert!(why.ends_with("bytes before its last tick, expected fewer"), "{why}");
}

#[test]
fn a_wrong_end_is_reported() {
    let parts = Parts::recorded();
    let with = |change: &dyn Fn(&mut End)| {
        let mut parts = parts.clone();
        change(&mut parts.end.as_mut().unwrap().1);
        verified(&parts)
    };
    let outcome = |from: &str, to: &str| with(&|end| end.outcome = end.outcome.replacen(from, to, 1));
    let at = "differs at tick 140: ";
    assert_eq!(with(&|end| end.interrupted = true), format!("{at}interrupted: recorded true, found false"));
    assert_eq!(with(&|end| end.tick = 139), format!("{at}tick of the end: recorded 139, found 140"));
    assert_eq!(
        with(&|end| end.outcome = "not json".into()),
        format!("{at}outcome: recorded not json, found a JSON object")
    );
    let empty = with(&|end| end.outcome = "{}".into());
    assert_eq!(empty, format!("{at}outcome: schema: recorded nothing, found 2"));
    assert_eq!(outcome("\"moves\":", "\"moves\":9"), {
        let found: Value = serde_json::from_str(&parts.end.as_ref().unwrap().1.outcome).unwrap();
        let moves = &found["moves"];
        format!("{at}outcome: moves: recorded 9{moves}, found {moves}")
    });
    assert!(
        outcome("{", "{\"more\":1,").starts_with(&format!("{at}outcome: more: recorded 1, found nothing"))
    );
    assert!(
        outcome("\"collisions\":null", "\"collisions\":77")
            .contains("outcome: collisions: recorded 77, found 0")
    );
    assert!(outcome("{", "{\"moves\":7,").starts_with(&format!("{at}outcome: recorded ")));
    // White space does not count.
    assert_eq!(outcome("{", "{ "), "equal");
    assert_eq!(
        outcome("{\"unreachable\":1}", "{\"unreachable\":2}"),
        format!("{at}outcome: unreachable_reasons.unreachable: recorded 2, found 1")
    );
}

#[test]
fn parts_of_the_header_that_no_tick_uses_are_compared() {
    let parts = Parts::recorded();
    let with = |change: &dyn Fn(&mut Header)| {
        let mut parts = parts.clone();
        change(&mut parts.header);
        verified(&parts)
    };
    let at = "differs at tick 0: ";
    assert!(
        with(&|header| header.terrain_colours[1] = [1, 2, 3])
            .starts_with(&format!("{at}colour of terrain kind 1"))
    );
    let object = |header: &mut Header| {
        header.objects.push(crate::load::MapObject {
            line: 1,
            id: 1,
            name: String::new(),
            class: "goal".to_owned(),
            cells: ([0, 0], [1, 1]),
            properties: Vec::new(),
        });
    };
    assert!(with(&object).starts_with(&format!("{at}object 0: recorded {{")));
    let attached = |header: &mut Header| {
        let file = crate::load::AttachedFile { name: "more.csv".to_owned(), bytes: vec![1] };
        header.attached.push(file);
    };
    assert_eq!(with(&attached), format!("{at}attached file 0: recorded \"more.csv\", found nothing"));
    let kind = |header: &mut Header| {
        header.side_kinds[2] = RecordedKind { speed: 9, ..header.side_kinds[2].clone() }
    };
    assert_eq!(with(&kind), format!("{at}side kind 2: speed: recorded 9, found 0"));
    assert_eq!(
        with(&|header| header.map_revision += 1),
        format!("{at}revision of the map: recorded 1, found 0")
    );
    let ticks = |header: &mut Header| {
        let text = &mut header.classes[0].text;
        *text = text.replace("\"time\":6", "\"time\":7");
    };
    assert!(with(&ticks).starts_with(&format!("{at}class 0: text: recorded \"{{")), "{}", with(&ticks));
    assert_eq!(with(&|header| header.search_slots = 9), format!("{at}search slots: recorded 9, found 16"));
    let mut edited = parts.clone();
    let edits = &mut edited.chunks[1].1.edits;
    // The tick at which the first edit was asked for.
    edits[2] ^= 1;
    assert!(verified(&edited).starts_with("differs at tick 128: edits in force: "), "{}", verified(&edited));
}

#[test]
fn a_deadline_stands_with_the_edit_that_it_forced() {
    let shut =
        "[[events]]\ntick = 1\nset_terrain = { area = [3, 0, 1, 1], kind = \"water\", deadline = 4 }\n";
    let text = TEXT.replacen("[[events]]", &format!("{shut}[[events]]"), 1);
    let text = text.replace("{ goto = [0, 2] }", "{ hold = true }");
    let parts = Parts::of(&record_text(FILE, &text));
    assert_eq!(verified(&parts), "equal");
    let file = parts.file();
    let (mut reader, mut tick) = (open(&file).unwrap(), TickRecord::default());
    let forced = loop {
        assert!(reader.next_tick(&mut tick).unwrap());
        if let Some(Event::Edit(edit)) = tick.events.iter().find(|event| matches!(event, Event::Edit(_))) {
            break *edit;
        }
    };
    assert_eq!((tick.tick, forced.asked), (5, 1));
    assert_eq!(forced.on_agents, OnAgents::WaitUntil { deadline: 4, then: AtDeadline::Strand });
    // The key frame of the second chunk: a tag, what happens to agents, the deadline.
    let with = |at: usize, byte: u8| {
        let mut altered = parts.clone();
        altered.chunks[1].1.edits[at] = byte;
        difference(&altered).map_or_else(
            |error| error.to_string(),
            |found| found.map_or_else(String::new, |found| found.to_string()),
        )
    };
    assert_eq!(parts.chunks[1].1.edits[1..3], [3, 4]);
    for (at, byte) in [(1, 4), (2, 5)] {
        assert!(with(at, byte).starts_with("differs at tick 128: edits in force: "), "{}", with(at, byte));
    }
    assert!(with(1, 5).contains("an edit that does 5 with agents"), "{}", with(1, 5));
}

/// A number at a limit, or next to the number before.
fn extreme(random: &mut Random, before: i128) -> i128 {
    const EDGES: [i128; 16] = [
        0,
        1,
        2,
        250,
        251,
        255,
        256,
        65_535,
        1 << 20,
        1 << 26,
        (1 << 31) - 1,
        1 << 31,
        (1 << 32) - 1,
        1 << 32,
        1 << 63,
        (1 << 64) - 1,
    ];
    match random.below(6) {
        0 => before + 1,
        1 => before - 1,
        2 => -before,
        3 => before ^ (1 << random.below(8)),
        _ => EDGES[random.below(EDGES.len())] * if random.below(4) == 0 { -1 } else { 1 },
    }
}

/// Alters a random part of a value and appends its path.
fn alter(random: &mut Random, value: &mut Value, path: &mut String) {
    match value {
        Value::Object(keys) => {
            let at = random.below(keys.len());
            if let Some((key, value)) = keys.iter_mut().nth(at) {
                *path += &format!("/{key}");
                alter(random, value, path);
            }
        }
        Value::Array(elements) if !elements.is_empty() && random.below(8) > 0 => {
            let at = random.below(elements.len());
            *path += &format!("/{at}");
            alter(random, &mut elements[at], path);
        }
        Value::Array(elements) => match (random.below(4), elements.last().cloned()) {
            (0, Some(last)) => elements.extend(vec![last; 1 << random.below(12)]),
            (1, Some(_)) => elements.clear(),
            (2, _) => elements.reverse(),
            (_, Some(_)) => elements.truncate(elements.len() - 1),
            (_, None) => elements.push(0.into()),
        },
        Value::String(text) => match random.below(4) {
            0 => text.clear(),
            1 => *text = text.replace('1', "4294967295"),
            2 => *text = text.repeat(1 << random.below(6)),
            _ => text.insert(0, ['\u{0}', '\u{ffff}', '\u{202e}', '"'][random.below(4)]),
        },
        Value::Number(number) => {
            let before = number.as_i128().unwrap_or(0);
            let after = extreme(random, before);
            *value = u64::try_from(after).map_or_else(|_| (after as i64).into(), Value::from);
        }
        Value::Bool(truth) => *truth = !*truth,
        Value::Null => *value = Value::Array(vec![0.into(), 0.into(), 0.into()]),
    }
}

/// The inputs of a second run, which `verify` compares with nothing.
const INPUTS: [&str; 7] = [
    "/header/file",
    "/header/scenario",
    "/header/ticks",
    "/header/expansions_per_tick",
    "/header/poses_per_agent",
    "/header/tries_per_tick",
    "/header/attached",
];

/// What became of altered recordings.
#[derive(Debug, Default)]
struct Outcomes {
    n_refused: u32,
    n_differ: u32,
    n_equal: u32,
}

impl Outcomes {
    /// Counts the outcome of `parts` altered at `path`, if parts other than these came of it.
    fn count(&mut self, parts: &Parts, altered: Value, path: &str, may_be_equal: bool) {
        let altered = serde_json::from_value::<Parts>(altered);
        let Some(altered) = altered.ok().filter(|altered| altered != parts) else { return };
        let (file, begun) = (altered.file(), cpu_time());
        let is_read = read(&file).is_ok();
        match difference(&altered) {
            Err(_) => self.n_refused += 1,
            Ok(Some(_)) => self.n_differ += 1,
            Ok(None) => {
                assert!(is_read && may_be_equal, "{path} is equal");
                self.n_equal += 1;
            }
        }
        let spent = cpu_time() - begun;
        assert!(spent < Duration::from_secs(5), "{path}: {spent:?}");
    }

    /// Checks that refusals and differences exceed a minimum, and that memory stayed small.
    fn check(&self, n_refused: u32, n_differ: u32) {
        assert!(self.n_refused > n_refused && self.n_differ > n_differ, "{self:?}");
        // Includes the other tests of this process.
        assert!(peak_memory_kib().is_none_or(|kib| kib < 1_900_000), "{:?} KiB", peak_memory_kib());
    }
}

#[test]
fn altered_recordings_are_refused_or_differ() {
    let parts = Parts::recorded();
    let json = serde_json::to_value(&parts).unwrap();
    let mut random = Random::new(25);
    let mut outcomes = Outcomes::default();
    while outcomes.n_refused + outcomes.n_differ + outcomes.n_equal < 500 {
        let (mut altered, mut path) = (json.clone(), String::new());
        for _ in 0..1 + random.below(4) / 3 {
            alter(&mut random, &mut altered, &mut path);
        }
        let may_be_equal = INPUTS.iter().any(|input| path.contains(input));
        outcomes.count(&parts, altered, &path, may_be_equal);
    }
    outcomes.check(100, 30);
}

/// A recording of a host that gives all kinds of commands, under a rule of ours or one from outside.
fn of_host(outside: bool) -> Parts {
    let rows = ["........", ".WWWW.W.", "........", "........"];
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let mut cart = ClassSpec::new("cart", 4);
    cart.primitives = Primitive::vehicle(2, 6, 2);
    let mut walker = ClassSpec::new("walker", 1);
    walker.primitives = Primitive::four_directions(1);
    let classes = [cart, walker].map(|spec| MovementClass::new(spec).unwrap()).to_vec();
    let mut setup = Setup::cooperative(Settings::named("altered"), grid, classes);
    if outside {
        let (tables, size) = (&setup.tables, setup.grid.size());
        let of_ours = Cooperative::new(tables, size, CollisionRule::Swept, TrafficParams::USUAL);
        setup.traffic = Box::new(FromOutside(of_ours));
    }
    let orders: Arc<[Order]> = Arc::new([
        Order::goto_group(CellXY::new(6, 2)),
        Order::patrol(&[CellXY::new(0, 2), CellXY::new(7, 0)]),
    ]);
    for x in 0..3 {
        let pose = Pose::new(2 * x, 0, Heading(0));
        setup.agents.push(Spawn { orders: Arc::clone(&orders), ..Spawn::new(ClassId(0), pose) });
    }
    setup.eased = vec![Change::Terrain { area: Rect::new(1, 1, 2, 1), kind: TerrainKind(0) }];
    setup.landmarks = Some(1);
    let [first, second] = [0, 1].map(AgentId);
    let one = AgentSelection::One;
    let edit = MapEdit {
        changes: Arc::new([
            Change::Terrain { area: Rect::new(2, 1, 1, 1), kind: TerrainKind(0) },
            Change::Elevation { area: Rect::new(0, 0, 2, 2), height: 4 },
            Change::Rotate { cell: CellXY::new(5, 1), turns: 1 },
        ]),
        on_agents: OnAgents::Strand,
    };
    setup.scheduled = vec![(9, Command::Edit(edit.clone()))];
    let mut named = Order::goto(CellXY::new(7, 3));
    named.headings = 8;
    if let OrderKind::Goto(trip) = &mut named.kind {
        trip.members.push(GoalMember { cell: CellXY::new(7, 2), heading: Some(Heading(1)) });
    }
    let source = TaskSource::Random { area: Rect::new(0, 0, 8, 4) };
    let follow = Order::new(OrderKind::Follow { leader: first, within: 2 });
    let script = [
        (1, Command::Spawn(Spawn::new(ClassId(1), Pose::new(0, 3, Heading(0))))),
        (3, Command::order(vec![first, second, AgentId(77)], named)),
        (8, Command::append(second, follow)),
        (12, Command::Class { agent: second, class: ClassId(1), pose: None }),
        (14, Command::SpeedFactor { agents: one(first), permille: 700 }),
        (15, Command::Team { agents: AgentSelection::Area(Rect::new(0, 0, 4, 4)), team: Team(3) }),
        (20, Command::Tasks { agents: one(AgentId(3)), source: Arc::new(source), stream: 2 }),
        (25, Command::Priority { agents: one(first), priority: 4 }),
        (30, Command::Edit(edit)),
        (40, Command::hold(one(second))),
        (44, Command::PathAnswer { agent: first, moves: Some(Arc::new([0, 0])) }),
        (45, Command::Decisions(Arc::new([(first, 1)]))),
        (100, Command::Remove(one(AgentId(2)))),
    ];
    let mut world = World::new(setup).unwrap();
    let mut recorder = Recorder::begin_host(&mut world, Vec::new()).unwrap();
    for tick in 0..140 {
        script.iter().filter(|(at, _)| *at == tick).for_each(|(_, command)| {
            world.command(command.clone());
        });
        let step = world.step();
        recorder.tick(&world, tick, step).unwrap();
        world.clear_log();
    }
    world.command(Command::stop(one(first)));
    Parts::of(&recorder.finish(&world).unwrap())
}

/// One of our rules as if it came from outside.
struct FromOutside(Cooperative);

impl Traffic for FromOutside {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.0.decide(view, decisions);
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(Self(self.0.clone()))
    }
}

/// Nearly all of a host's recording is an input of the second run. So an altered recording is refused, differs, or
/// describes another run. It has no other effect.
#[test]
fn altered_recordings_of_a_host_do_no_harm() {
    let mut random = Random::new(28);
    let mut outcomes = Outcomes::default();
    for outside in [false, true] {
        let parts = of_host(outside);
        assert_eq!(verified(&parts), "equal");
        let json = serde_json::to_value(&parts).unwrap();
        assert_eq!(serde_json::from_value::<Parts>(json.clone()).unwrap(), parts);
        for round in 0..400 {
            let (mut altered, mut path) = (json.clone(), String::new());
            match round % 4 {
                0 => alter(&mut random, &mut altered["header"]["host"], &mut path),
                1 => alter(&mut random, &mut altered, &mut path),
                _ => {
                    // Commands and decisions stand in the bytes of ticks.
                    let ticks = &mut altered["chunks"][0][1]["ticks"];
                    for _ in 0..1 + random.below(2) {
                        alter(&mut random, ticks, &mut path);
                    }
                }
            }
            let may_be_equal = round % 4 != 1 || path.contains("/header") || path.contains("/ticks");
            outcomes.count(&parts, altered, &path, may_be_equal);
        }
    }
    outcomes.check(120, 120);
}

#[test]
fn a_changed_ticket_is_refused() {
    let parts = of_host(false);
    let mut reader = Reader::open(Cursor::new(parts.file())).unwrap();
    let (mut record, mut at) = (TickRecord::default(), 0);
    while record.commands.is_empty() {
        at = reader.tick_span().1;
        assert!(reader.next_tick(&mut record).unwrap());
    }
    // Flags, number of commands, ticket.
    let mut changed = parts;
    changed.chunks[0].1.ticks[at + 2] += 1;
    let why = difference(&changed).unwrap_err().to_string();
    assert_eq!(why, "is damaged: tick 1: a command of ticket 2, expected 1");
}

#[test]
fn blocks_out_of_order_are_refused() {
    let parts = Parts::recorded();
    let mut swapped = parts.clone();
    swapped.chunks.swap(0, 1);
    assert!(refused(&swapped).ends_with("its head does not follow"));
    let mut twice = parts.clone();
    twice.chunks.push(parts.chunks[1].clone());
    assert!(refused(&twice).ends_with("its head does not follow"));
    let mut without = parts.clone();
    without.chunks.pop();
    assert!(refused(&without).starts_with("is damaged: the end: it belongs to tick 140"));
    assert!(verified(&without).starts_with("differs at tick 128: tick of the end: "));
    let removed = |event: &Event| matches!(event, Event::Remove { .. });
    let (mut reader, mut record) = (Reader::open(Cursor::new(parts.file())).unwrap(), TickRecord::default());
    let mut n_removed = 0;
    while reader.next_tick(&mut record).unwrap() {
        n_removed += record.events.iter().filter(|event| removed(event)).count();
    }
    assert_eq!(n_removed, 1);
}

/// Peak memory of this process; `None` where the system does not report it.
fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    most.trim_end_matches("kB").trim().parse().ok()
}
