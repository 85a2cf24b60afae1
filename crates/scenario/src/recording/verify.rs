//! Runs a recording again and says where it differs.

use crate::load::Loaded;
use crate::outcome::recorded_outcome_json;
use crate::recording::error::RecordingError;
use crate::recording::header::{Header, MapLayers, RecordedClass};
use crate::recording::observe::Observer;
use crate::recording::reader::Reader;
use crate::recording::rebuild::rebuild;
use crate::recording::record::{End, Event, PathRun, RecordedSet, TickRecord, pose_text};
use crate::recording::recorded_agents::RecordedAgents;
use crate::recording::recorder::EditsInForce;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::io::{Read, Seek};
use wheelbase_grid::Rect;
use wheelbase_sim::{AgentId, ClassId, Counters, RunResult, RunState, TickTimes, World};

/// Where a recording and a second run first differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The tick; 0 for what is said before the first.
    pub tick: u32,
    /// The agent, if it is about one.
    pub agent: Option<AgentId>,
    /// What differs.
    pub field: String,
    /// As recorded.
    pub recorded: String,
    /// In the second run.
    pub found: String,
}

impl Difference {
    /// One that is about no agent.
    fn of(tick: u32, field: &str, recorded: &str, found: &str) -> Self {
        let (field, recorded, found) = (field.to_owned(), recorded.to_owned(), found.to_owned());
        Self { tick, agent: None, field, recorded, found }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, agent, field, recorded, found } = self;
        write!(f, "differs at tick {tick}: ")?;
        if let Some(agent) = agent {
            write!(f, "agent {}: ", agent.0)?;
        }
        write!(f, "{field}: recorded {recorded}, found {found}")
    }
}

/// What came of a second run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Ticks held against each other.
    pub n_ticks: u32,
    /// Where they first differ.
    pub difference: Option<Difference>,
}

/// Runs a recording again, up to its end or its last whole chunk, and holds all that is in it against the second
/// run: the header, each tick to the byte (events, moves, paths, waits, counters, the hash of the state), each key
/// frame, and the end. `progress` is told each tick, and ends the run early where it says `false`.
///
/// What the second run is made of is held against nothing: the text of the scenario and the name of its file, what
/// is in the files beside it, the cells of a map file and the objects on it, the kinds of a map of Tiled, and what
/// was set in place of the scenario's own. A change there is another run, and differs where that does.
/// # Errors
/// [`RecordingError`] if the recording is damaged or its scenario cannot be built.
pub fn verify<R: Read + Seek>(
    reader: &mut Reader<R>,
    mut progress: impl FnMut(u32) -> bool,
) -> Result<Verified, RecordingError> {
    let Loaded { mut world, source } = rebuild(reader.header())?;
    let mut header = Header::of(&world, &source, &reader.header().file, &reader.header().scenario);
    header.take_texts_of(reader.header());
    if let Some(difference) = header_difference(reader.header(), &header) {
        return Ok(Verified { n_ticks: 0, difference: Some(difference) });
    }
    if reader.end().is_some_and(counts_collisions) {
        world.check_invariants();
    }
    world.keep_log();
    let (mut observer, mut edits) = (Observer::default(), EditsInForce::default());
    let (mut bytes, mut recorded) = (Vec::new(), TickRecord::default());
    let (mut n_ticks, mut ended) = (0, false);
    let differs = |n_ticks, difference| Ok(Verified { n_ticks, difference: Some(difference) });
    while progress(n_ticks) {
        let Some(begins_chunk) = reader.begin_chunk()? else { break };
        if begins_chunk {
            observer.frame.forget_history();
            bytes.clear();
            edits.put(&mut bytes);
            let tick = world.tick();
            let in_frame = frame_difference(tick, reader.agents(), &observer.frame);
            let in_map = || (bytes != reader.key_edits()).then(|| key_edits_difference(tick));
            if let Some(difference) = in_frame.or_else(in_map) {
                return differs(n_ticks, difference);
            }
        }
        if !reader.next_tick(&mut recorded)? {
            break;
        }
        let tick = world.tick();
        let step = world.step();
        bytes.clear();
        let observed = observer.observe(&world, &header, tick, step, &mut bytes);
        world.clear_log();
        if let Err(why) = observed {
            return differs(n_ticks, Difference::of(tick, "tick", "one that can be recorded", &why));
        }
        edits.note(&observer.record);
        ended = step == RunState::Ended;
        // Equal bytes, read from equal frames, mean the same.
        if bytes != reader.tick_bytes() {
            let ends = reader.has_ended() != ended;
            let difference = tick_difference(&header, &observer, &recorded);
            let difference = difference.or_else(|| ends.then(|| end_tick_difference(tick, ended)));
            let written = || Difference::of(tick, "bytes", "another way to write the same", "the usual one");
            return differs(n_ticks + u32::from(ends), difference.unwrap_or_else(written));
        }
        n_ticks += 1;
    }
    let end = reader.end().filter(|_| n_ticks == reader.n_ticks());
    let difference = end.and_then(|end| end_difference(end, reader.end_ticks(), &world, ended));
    Ok(Verified { n_ticks, difference })
}

/// Whether a run was recorded that counted the pairs of agents in violation.
fn counts_collisions(end: &End) -> bool {
    let outcome = serde_json::from_str::<Value>(&end.outcome).unwrap_or_default();
    outcome.get("collisions").is_some_and(|collisions| !collisions.is_null())
}

/// The first agent that a key frame shows otherwise.
fn frame_difference(tick: u32, recorded: &RecordedAgents, found: &RecordedAgents) -> Option<Difference> {
    let differs = |what: &str, agent| Difference {
        agent,
        ..Difference::of(tick, what, "another in a key frame", "that of the run")
    };
    match found.difference(recorded) {
        Some((agent, what)) => Some(differs(what, Some(agent))),
        None => (found.counters != recorded.counters).then(|| differs("counters", None)),
    }
}

fn key_edits_difference(tick: u32) -> Difference {
    Difference::of(tick, "edits in force", "others in a key frame", "those of the run")
}

fn end_tick_difference(tick: u32, ended: bool) -> Difference {
    let text = |ended: bool| if ended { "the run ends" } else { "the run goes on" };
    Difference::of(tick, "end", text(!ended), text(ended))
}

/// What the end says that is not so.
fn end_difference(end: &End, end_ticks: (u32, u32), world: &World, ended: bool) -> Option<Difference> {
    let tick = world.tick();
    let differs = |field: &str, recorded: String, found: String| {
        (recorded != found).then(|| Difference::of(tick, field, &recorded, &found))
    };
    let hash = |hash: u64| format!("{hash:016x}");
    let head = |(tick, n_ticks): (u32, u32)| format!("tick {tick} and {n_ticks} ticks");
    differs("tick of the end", end.tick.to_string(), tick.to_string())
        .or_else(|| differs("head of the end", head(end_ticks), head((tick, 0))))
        .or_else(|| differs("interrupted", end.interrupted.to_string(), (!ended).to_string()))
        .or_else(|| differs("state hash at the end", hash(end.state_hash), hash(world.state_hash())))
        .or_else(|| {
            let found = recorded_outcome_json(&RunResult::of(world, 1, &TickTimes::default(), 0.0, 0));
            outcome_difference(tick, &end.outcome, &found)
        })
}

/// Keys of the outcome that came after the first recordings of this format, which lack them.
const LATER_KEYS: [&str; 1] = ["unreachable_reasons"];

/// The first key of an outcome that is another. Blanks between values are none of it.
fn outcome_difference(tick: u32, recorded: &str, found: &Value) -> Option<Difference> {
    let parsed = serde_json::from_str::<Value>(recorded).ok();
    let Some(Value::Object(keys)) = &parsed else {
        return Some(Difference::of(tick, "outcome", &shown(recorded), "a JSON object"));
    };
    let mut found = found.clone();
    if let Value::Object(found) = &mut found {
        found.retain(|key, _| keys.contains_key(key) || !LATER_KEYS.contains(&key.as_str()));
    }
    let text = found.to_string();
    if without_blanks(recorded) == text {
        return None;
    }
    let difference = first_difference("outcome: ", parsed.as_ref(), Some(&found));
    let (field, recorded, found) =
        difference.unwrap_or_else(|| ("outcome".to_owned(), shown(recorded), shown(&text)));
    Some(Difference::of(tick, &field, &recorded, &found))
}

/// JSON without the blanks between its values.
fn without_blanks(json: &str) -> String {
    let (mut in_text, mut escaped) = (false, false);
    let kept = json.chars().filter(|&c| {
        let blank = !in_text && matches!(c, ' ' | '\t' | '\n' | '\r');
        if c == '"' && !escaped {
            in_text = !in_text;
        }
        escaped = in_text && c == '\\' && !escaped;
        !blank
    });
    kept.collect()
}

/// Most characters of a value that are shown.
const SHOWN_MAX: usize = 200;

/// A value that may be long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("{}... ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

/// The first place in which two values differ, and what stands there. `field` is where they are.
fn first_difference(
    field: &str,
    recorded: Option<&Value>,
    found: Option<&Value>,
) -> Option<(String, String, String)> {
    if recorded == found {
        return None;
    }
    let next = |name: &str| {
        let dot = if field.ends_with(' ') || name.starts_with('[') { "" } else { "." };
        format!("{field}{dot}{name}")
    };
    match (recorded, found) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let mut keys = b.keys().chain(a.keys());
            keys.find_map(|key| first_difference(&next(key), a.get(key), b.get(key)))
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => (0..a.len().max(b.len()))
            .find_map(|at| first_difference(&next(&format!("[{at}]")), a.get(at), b.get(at))),
        (recorded, found) => {
            let text =
                |value: Option<&Value>| value.map_or("nothing".to_owned(), |value| shown(&value.to_string()));
            Some((field.trim_end().trim_end_matches(':').to_owned(), text(recorded), text(found)))
        }
    }
}

/// The first entry in which two lists differ.
fn list_difference<T: PartialEq + Serialize>(name: &str, recorded: &[T], found: &[T]) -> Option<Difference> {
    let at = (0..recorded.len().max(found.len())).find(|&at| recorded.get(at) != found.get(at))?;
    let value = |entry: Option<&T>| entry.map(|entry| serde_json::to_value(entry).unwrap_or_default());
    let (field, recorded, found) = first_difference(
        &format!("{name} {at}: "),
        value(recorded.get(at)).as_ref(),
        value(found.get(at)).as_ref(),
    )?;
    Some(Difference::of(0, &field, &recorded, &found))
}

/// The first part of the header that is another.
fn header_difference(recorded: &Header, found: &Header) -> Option<Difference> {
    if recorded == found {
        return None;
    }
    let differs = |field: &str, recorded: String, found: String| {
        (recorded != found).then(|| Difference::of(0, field, &shown(&recorded), &shown(&found)))
    };
    let text =
        |field: &str, of: fn(&Header) -> &str| differs(field, of(recorded).to_owned(), of(found).to_owned());
    let (of_map, here) = (&recorded.map, &found.map);
    let sizes = |map: &MapLayers| format!("{} x {}", map.width, map.height);
    let place = |index: usize| {
        let width = of_map.width as usize;
        format!("cell ({}, {})", index % width, index / width)
    };
    let cells = |what: &str, value: &dyn Fn(&Header, usize) -> String, differ: &dyn Fn(usize) -> bool| {
        let index = (0..of_map.terrain.len()).find(|&index| differ(index))?;
        differs(&format!("{what} of {}", place(index)), value(recorded, index), value(found, index))
    };
    let kind = |header: &Header, index: usize| {
        let number = header.map.terrain[index];
        let known = header.terrain_kinds.get(usize::from(number));
        known.map_or_else(|| number.to_string(), |kind| kind.name.clone())
    };
    let sides = |header: &Header, index: usize| {
        format!("{:06x}", header.map.sides.get(index).copied().unwrap_or_default())
    };
    let sides_differ = |index: usize| of_map.sides.get(index) != here.sides.get(index);
    let heights_differ = |index: usize| of_map.elevation.get(index) != here.elevation.get(index);
    differs("size of the map", sizes(of_map), sizes(here))
        .or_else(|| text("name", |header| &header.name))
        .or_else(|| text("collision", |header| &header.collision))
        .or_else(|| text("shape", |header| &header.shape))
        .or_else(|| cells("terrain", &kind, &|index| of_map.terrain[index] != here.terrain[index]))
        .or_else(|| cells("sides", &sides, &sides_differ))
        .or_else(|| {
            cells("height", &|header, index| header.map.height_of(index).to_string(), &heights_differ)
        })
        .or_else(|| list_difference("terrain kind", &recorded.terrain_kinds, &found.terrain_kinds))
        .or_else(|| {
            list_difference("colour of terrain kind", &recorded.terrain_colours, &found.terrain_colours)
        })
        .or_else(|| list_difference("side kind", &recorded.side_kinds, &found.side_kinds))
        .or_else(|| {
            let revision = |header: &Header| header.map_revision.to_string();
            differs("revision of the map", revision(recorded), revision(found))
        })
        .or_else(|| list_difference("object", &recorded.objects, &found.objects))
        .or_else(|| {
            // What a class does says more than its text.
            let without_text = |header: &Header| -> Vec<RecordedClass> {
                let blank = |class: &RecordedClass| RecordedClass { text: String::new(), ..class.clone() };
                header.classes.iter().map(blank).collect()
            };
            list_difference("class", &without_text(recorded), &without_text(found))
        })
        .or_else(|| list_difference("class", &recorded.classes, &found.classes))
        .or_else(|| list_difference("order", &recorded.orders, &found.orders))
        .or_else(|| list_difference("kind of order", &recorded.order_kinds, &found.order_kinds))
        .or_else(|| {
            let names = |header: &Header| -> Vec<String> {
                header.attached.iter().map(|file| file.name.clone()).collect()
            };
            list_difference("attached file", &names(recorded), &names(found))
        })
        .or_else(|| {
            let bytes = |header: &Header| header.attached.iter().map(|file| file.bytes.len()).sum::<usize>();
            let text = |header: &Header| format!("{} bytes", bytes(header));
            Some(Difference::of(0, "header", &text(recorded), &text(found)))
        })
}

/// The first thing in a tick that is another.
fn tick_difference(header: &Header, observer: &Observer, recorded: &TickRecord) -> Option<Difference> {
    let found = &observer.record;
    if found == recorded {
        return None;
    }
    let tick = found.tick;
    let n = found.events.len().max(recorded.events.len());
    let events = (0..n).find_map(|at| {
        let (there, here) = (recorded.events.get(at), found.events.get(at));
        event_difference(header, observer, recorded, there, here)
    });
    let of_counters = || {
        let values = recorded.counters.values().into_iter().zip(found.counters.values());
        let (field, (there, here)) =
            Counters::NAMES.into_iter().zip(values).find(|(_, (there, here))| there != here)?;
        Some((None, field.to_owned(), there.to_string(), here.to_string()))
    };
    let of_hash = || {
        let text = |hash: u64| format!("{hash:016x}");
        Some((None, "state hash".to_owned(), text(recorded.state_hash), text(found.state_hash)))
    };
    let (agent, field, recorded, found) = events.or_else(of_counters).or_else(of_hash)?;
    Some(Difference { tick, agent, field, recorded, found })
}

/// Agent, field, and both values.
type Found = (Option<AgentId>, String, String, String);

fn event_difference(
    header: &Header,
    observer: &Observer,
    record: &TickRecord,
    recorded: Option<&Event>,
    found: Option<&Event>,
) -> Option<Found> {
    let frame = &observer.frame;
    let class_of = |agent| frame.row(agent).map_or(ClassId(u8::MAX), |row| frame.classes[row]);
    let pose = |agent, pose| pose_text(header, class_of(agent), pose);
    let differs = |agent, field: &str, recorded: String, found: String| {
        (recorded != found).then(|| (Some(agent), field.to_owned(), recorded, found))
    };
    let (recorded, found) = match (recorded, found) {
        (Some(recorded), Some(found)) => (recorded, found),
        (Some(only), None) => {
            return Some((
                only.agent(),
                event_field(only).to_owned(),
                event_text(header, only),
                "nothing".to_owned(),
            ));
        }
        (None, only) => {
            let only = only?;
            return Some((
                only.agent(),
                event_field(only).to_owned(),
                "nothing".to_owned(),
                event_text(header, only),
            ));
        }
    };
    match (recorded, found) {
        (
            &Event::Move { agent, primitive, from, to, end },
            &Event::Move { agent: here, primitive: p, from: f, to: t, end: e },
        ) if agent == here => {
            let name = |primitive: u8| {
                let class = header.classes.get(usize::from(class_of(agent).0));
                let known = class.and_then(|class| class.primitives.get(usize::from(primitive)));
                known.map_or_else(|| primitive.to_string(), |known| known.name.clone())
            };
            differs(agent, "move", name(primitive), name(p))
                .or_else(|| differs(agent, "start pose of its move", pose(agent, from), pose(agent, f)))
                .or_else(|| differs(agent, "end pose of its move", pose(agent, to), pose(agent, t)))
                .or_else(|| differs(agent, "end tick of its move", end.to_string(), e.to_string()))
        }
        (
            &Event::Path { agent, from, first, count },
            &Event::Path { agent: here, from: f, first: at, count: n },
        ) if agent == here => {
            let (there, ours) = (record.runs_of_path(first, count), observer.record.runs_of_path(at, n));
            let n_moves = |runs: &[PathRun]| runs.iter().map(|run| u64::from(run.n_moves())).sum::<u64>();
            let (a, b) = (format!("{} moves", n_moves(there)), format!("{} moves", n_moves(ours)));
            differs(agent, "start of its path", pose(agent, from), pose(agent, f))
                .or_else(|| differs(agent, "path", a, b))
                .or_else(|| {
                    // As many moves, so they end alike; no more are looked at than stand in the shorter run.
                    let at = there.iter().zip(ours).position(|(a, b)| a != b)?;
                    let alike = there[at].primitive() == ours[at].primitive();
                    let shared = u64::from(there[at].n_moves().min(ours[at].n_moves()));
                    let number = n_moves(&there[..at]) + if alike { shared } else { 0 };
                    let text = |runs: &[PathRun]| {
                        let run = if alike && u64::from(runs[at].n_moves()) == shared { at + 1 } else { at };
                        runs.get(run)
                            .map_or("none".to_owned(), |run| format!("primitive {}", run.primitive()))
                    };
                    differs(agent, &format!("move {number} of its path"), text(there), text(ours))
                })
        }
        (&Event::Spawn { agent, class, pose: at }, &Event::Spawn { agent: here, class: c, pose: p })
            if agent == here =>
        {
            differs(agent, "class", class.0.to_string(), c.0.to_string())
                .or_else(|| differs(agent, "pose", pose_text(header, class, at), pose_text(header, c, p)))
        }
        (a, b) if a == b => None,
        (a, b) => {
            // The one that comes first in order of id is what the other lacks.
            let agent = match (a.agent(), b.agent()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            let known = |event: &Event| {
                if event.agent() == agent { event_text(header, event) } else { "nothing".to_owned() }
            };
            let field = if a.agent() == agent { event_field(a) } else { event_field(b) };
            Some((agent, field.to_owned(), known(a), known(b)))
        }
    }
}

/// What an event is about.
fn event_field(event: &Event) -> &'static str {
    match event {
        Event::Spawn { .. } => "placing",
        Event::Remove { .. } => "removal",
        Event::Order { .. } => "order given",
        Event::Done { .. } => "order done",
        Event::Unreachable { .. } => "order that cannot be done",
        Event::Task { .. } => "task given",
        Event::TaskDone { .. } => "task done",
        Event::Edit(_) => "edit of the map",
        Event::Path { .. } => "path",
        Event::Move { .. } => "move",
        Event::Wait { .. } => "wait",
        Event::Current { .. } => "current order",
    }
}

fn event_text(header: &Header, event: &Event) -> String {
    let order = |order: u32| header.orders.get(order as usize).map_or("none", String::as_str);
    let kind = |kind: u8| header.order_kinds.get(usize::from(kind)).map_or("?", String::as_str);
    match *event {
        Event::Order { order: number, .. } | Event::Current { order: number, .. } => order(number).to_owned(),
        Event::Done { kind: number, .. } | Event::Unreachable { kind: number, .. } => kind(number).to_owned(),
        Event::Path { count, .. } => format!("a path of {count} stretches"),
        Event::Move { primitive, end, .. } => format!("primitive {primitive} until {end}"),
        Event::Wait { since: u32::MAX, .. } => "waits no more".to_owned(),
        Event::Wait { since, .. } => format!("waits since {since}"),
        Event::Spawn { class, pose, .. } => pose_text(header, class, pose),
        Event::Task { cell, heading: None, .. } | Event::TaskDone { cell, .. } => cell.to_string(),
        Event::Task { cell, heading: Some(heading), .. } => format!("{cell} with heading {}", heading.0),
        Event::Remove { .. } => "taken out".to_owned(),
        Event::Edit(edit) => match edit.set {
            RecordedSet::Terrain { area, kind } => {
                let known = header.terrain_kinds.get(usize::from(kind)).map_or("?", |kind| &kind.name);
                format!("terrain {known} on {}", area_text(area))
            }
            RecordedSet::Elevation { area, height } => format!("height {height} on {}", area_text(area)),
            RecordedSet::Sides { cell, kinds } => {
                let kinds = kinds.map(|kind| kind.map_or("-".to_owned(), |kind| kind.to_string()));
                format!("sides {} of cell {cell}", kinds.join(" "))
            }
        },
    }
}

fn area_text(area: Rect) -> String {
    format!("[{}, {}, {}, {}]", area.x, area.y, area.width, area.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Source, build_world};
    use crate::recording::Recorder;
    use crate::recording::chunk::Chunk;
    use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, KIND};
    use crate::recording::recorded_agents::RecordedAgents;
    use crate::recording::tick_code::ENDED;
    use crate::recording::tick_code::{Put, put_events, put_moves, put_rest};
    use crate::scenario;
    use std::io::Cursor;
    use std::path::Path;
    use wheelbase_sim::codec::{BlockWriter, write_prefix};

    /// A cart that drives five cells, and one in its way that has to step aside.
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

    fn recorded() -> Vec<u8> {
        let typed = scenario::parse("two.toml", TEXT.as_bytes()).unwrap();
        let mut world = build_world(Path::new("two.toml"), &typed).unwrap();
        let mut recorder =
            Recorder::begin(&mut world, &Source::default(), ("two.toml", TEXT), Vec::new()).unwrap();
        loop {
            let tick = world.tick();
            let step = world.step();
            recorder.tick(&world, tick, step).unwrap();
            world.clear_log();
            if step == RunState::Ended {
                return recorder.finish(&world).unwrap();
            }
        }
    }

    /// Verifies a recording after a change of the records of its ticks, written with right checksums.
    fn verify_changed(change: impl FnOnce(&Header, &mut Vec<TickRecord>)) -> Option<Difference> {
        let mut reader = Reader::open(Cursor::new(recorded())).unwrap();
        let (mut records, mut record) = (Vec::new(), TickRecord::default());
        while reader.next_tick(&mut record).unwrap() {
            records.push(record.clone());
        }
        let header = reader.header().clone();
        change(&header, &mut records);
        let (mut file, mut blocks, mut chunk) = (Vec::new(), BlockWriter::default(), Chunk::default());
        write_prefix(&KIND, &mut file).unwrap();
        blocks.write(BLOCK_HEADER, (0, 0), &header, &mut file).unwrap();
        let (mut frame, mut late) = (RecordedAgents::default(), Vec::new());
        frame.to_key(&mut chunk.key);
        for (tick, record) in records.iter_mut().enumerate() {
            let last = tick as u32 == reader.end().unwrap().tick;
            chunk.ticks.byte(if last { ENDED } else { 0 });
            frame.tick = tick as u32;
            let is_rest = |event: &Event| matches!(event, Event::Wait { .. } | Event::Current { .. });
            let n_moved = record.events.iter().position(is_rest).unwrap_or(record.events.len());
            let rest = record.events.split_off(n_moved);
            let is_move = |event: &Event| matches!(event, Event::Move { .. });
            let n_events = record.events.iter().position(is_move).unwrap_or(n_moved);
            put_events(record, n_events, &mut frame, &mut chunk.ticks).unwrap();
            put_moves(record, n_events, &header, &mut frame, &mut late, &mut chunk.ticks).unwrap();
            record.events.extend(rest);
            put_rest(record, n_moved, &mut frame, &mut chunk.ticks).unwrap();
        }
        blocks.write(BLOCK_CHUNK, (0, records.len() as u32), &chunk, &mut file).unwrap();
        let end = reader.end().unwrap();
        blocks.write(BLOCK_END, (end.tick, 0), end, &mut file).unwrap();
        verify(&mut Reader::open(Cursor::new(file)).unwrap(), |_| true).unwrap().difference
    }

    /// The last move of agent 0: tick and place among the events.
    fn last_move(records: &[TickRecord]) -> (usize, usize) {
        let is_last = |event: &Event| matches!(event, Event::Move { agent: AgentId(0), .. });
        let tick = records.iter().rposition(|record| record.events.iter().any(is_last)).unwrap();
        (tick, records[tick].events.iter().position(is_last).unwrap())
    }

    #[test]
    fn what_was_not_changed_is_equal() {
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
            // Its last run without its last move, and another behind it.
            let path = records[0].events.iter_mut().find_map(|event| match event {
                Event::Path { count, .. } => Some(count),
                _ => None,
            });
            *path.unwrap() += 1;
            let runs = &mut records[0].path_runs;
            *runs.last_mut().unwrap() = runs.last().unwrap().rest().unwrap();
            runs.push(PathRun::of_number(3));
        })
        .unwrap();
        assert_eq!((found.tick, found.agent), (0, Some(AgentId(0))));
        assert_eq!(found.field, "move 4 of its path");
    }
}
