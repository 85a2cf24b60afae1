//! Runs a recording again and says where it differs.

use crate::agents::{AgentId, ClassId};
use crate::build::{
    Files, LoadError, LoadedMap, Overrides, SimulationParts, build_classes, build_problem,
    build_simulation_of, build_simulation_on, is_problem, most_agents, problem_class,
};
use crate::metrics::Counters;
use crate::recording::error::RecordingError;
use crate::recording::header::{Header, RecordedKind};
use crate::recording::observe::Observer;
use crate::recording::reader::Reader;
use crate::recording::record::{Event, TickRecord, pose_text};
use crate::reservation::CollisionRule;
use crate::scenario::{self, Elevation, MapSource, Scenario};
use crate::shared_fields;
use crate::tick::Step;
use crate::world::Simulation;
use std::fmt;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use wheelbase_grid::{
    Cell, Grid, GridSize, MemoryMax, SIDES_MAX, SideEntry, SideKind, SideTable, TerrainEntry, TerrainKind,
    TerrainTable,
};
use wheelbase_planner::MovementClass;

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

/// Builds the simulation that a recording began with, out of what is in it.
/// # Errors
/// [`RecordingError::Scenario`] if that cannot be done.
pub fn rebuild(header: &Header) -> Result<Simulation, RecordingError> {
    let (path, files) = (Path::new(&header.file), Files::Attached(&header.attached));
    if is_problem(path) {
        let built = build_problem(path, header.scenario.as_bytes(), overrides(header), files);
        return built.map_err(RecordingError::Scenario);
    }
    let typed = typed_scenario(header)?;
    let build = match (&typed.map.source, &typed.map.elevation) {
        // Files need not be there any more, nor be as they were.
        (MapSource::File(_), _) | (_, Some(Elevation::File(_))) => {
            build_simulation_on(path, &typed, recorded_map(header)?, files, MemoryMax::NONE)
        }
        _ => build_simulation_of(path, &typed, files),
    };
    build.map_err(RecordingError::Scenario)
}

/// Whether the simulation that [`rebuild`] would make takes no more memory than may be taken, told before it is
/// made.
/// # Errors
/// [`RecordingError::Scenario`] if it does, or cannot be made.
pub fn check_memory(header: &Header, memory_max: MemoryMax) -> Result<(), RecordingError> {
    let classes = movement_classes(header)?;
    let LoadedMap { grid, .. } = recorded_map(header)?;
    let mut parts = SimulationParts {
        grid: &grid,
        classes: classes.iter().collect(),
        collision: CollisionRule::Discrete,
        search_slots: 0,
        agents: 0,
        landmarks: 0,
        fields: shared_fields::NEED,
    };
    if !is_problem(Path::new(&header.file)) {
        let typed = typed_scenario(header)?;
        parts.search_slots = typed.search_slots.into();
        parts.agents = most_agents(&typed, header.objects.len());
    }
    let too_large = |error| LoadError::Memory { file: header.file.clone(), error };
    parts.check(memory_max).map_err(too_large).map_err(RecordingError::Scenario)
}

/// The movement classes of a recording, by [`ClassId`](crate::ClassId), out of the scenario in it.
/// # Errors
/// [`RecordingError::Scenario`] if they cannot be built.
pub fn movement_classes(header: &Header) -> Result<Vec<MovementClass>, RecordingError> {
    if is_problem(Path::new(&header.file)) {
        return Ok(vec![problem_class()]);
    }
    let typed = scenario::parse(&header.file, header.scenario.as_bytes());
    let typed = typed.map_err(|errors| RecordingError::Scenario(errors.into()))?;
    let (width, height) = (header.map.width.into(), header.map.height.into());
    // A header that was read has a size that is one of maps.
    let size = GridSize::new(width, height)
        .map_err(|error| RecordingError::Damaged { part: "the start".to_owned(), why: error.to_string() })?;
    build_classes(Path::new(&header.file), &typed, &header.objects, (header.grid_shape(), size))
        .map_err(RecordingError::Scenario)
}

/// The scenario of a recording, with what was set in its place.
fn typed_scenario(header: &Header) -> Result<Scenario, RecordingError> {
    let mut typed = scenario::parse(&header.file, header.scenario.as_bytes())
        .map_err(|errors| RecordingError::Scenario(errors.into()))?;
    overrides(header).apply(&mut typed);
    Ok(typed)
}

/// What was set in place of the scenario's own.
fn overrides(header: &Header) -> Overrides {
    Overrides {
        ticks: Some(header.ticks),
        seed: Some(header.seed),
        expansions_per_tick: Some(header.expansions_per_tick),
        tries_per_tick: Some(header.tries_per_tick),
        memory_max: MemoryMax::NONE,
    }
}

/// The map of a recording as it was before the first tick, and the objects of its file.
fn recorded_map(header: &Header) -> Result<LoadedMap, RecordingError> {
    let map = &header.map;
    let damaged = |why: String| RecordingError::Damaged { part: "the start".to_owned(), why };
    let size = GridSize::new(u64::from(map.width), u64::from(map.height));
    let size = size.map_err(|error| damaged(error.to_string()))?;
    let entry = |(kind, colour): (&RecordedKind, &[u8; 3])| TerrainEntry {
        name: kind.name.clone(),
        glyphs: kind.glyphs.clone(),
        speed: kind.speed,
        colour: Some(*colour),
        // What cells start with is in the layer of sides.
        sides: [SideKind::OPEN; SIDES_MAX],
    };
    let terrain = header.terrain_kinds.iter().zip(&header.terrain_colours).map(entry).collect();
    let terrain = TerrainTable::new(terrain).map_err(|error| damaged(error.to_string()))?;
    let side = |kind: &RecordedKind| SideEntry { name: kind.name.clone(), speed: kind.speed };
    let sides = SideTable::new(header.side_kinds.iter().map(side).collect());
    let sides = sides.map_err(|error| damaged(error.to_string()))?;
    let n_side_kinds = sides.entries().len();
    let kinds_of = |packed: u32| (0..SIDES_MAX).map(move |side| (packed >> (4 * side) & 15) as usize);
    if map.sides.iter().any(|&packed| kinds_of(packed).any(|kind| kind >= n_side_kinds)) {
        return Err(damaged(format!("a side of a kind that is none of {n_side_kinds}")));
    }
    let kinds = map.terrain.iter().map(|&kind| TerrainKind(kind)).collect();
    let grid = Grid::from_terrain(size, kinds, terrain, sides).with_shape(header.grid_shape());
    let sides_of = |cell: Cell| std::array::from_fn(|side| SideKind(map.side(cell.0 as usize, side as u8)));
    let mut grid = grid.with_sides(sides_of);
    if !map.elevation.is_empty() {
        grid = grid.with_elevation(map.elevation.clone()).map_err(|error| damaged(error.to_string()))?;
    }
    let (grid, objects) = (grid.at_revision(header.map_revision), header.objects.clone());
    Ok(LoadedMap { grid, objects, file: PathBuf::from(&header.file), files: Vec::new() })
}

/// Runs a recording again, up to its end or its last whole chunk, and holds every tick against it: events,
/// moves, paths, waits, counters and the hash of the state. `progress` is told each tick, and ends the run
/// early where it says `false`.
/// # Errors
/// [`RecordingError`] if the recording is damaged or its scenario cannot be built.
pub fn verify<R: Read + Seek>(
    reader: &mut Reader<R>,
    mut progress: impl FnMut(u32) -> bool,
) -> Result<Verified, RecordingError> {
    let mut sim = rebuild(reader.header())?;
    let header = Header::of(&sim, &reader.header().file, &reader.header().scenario);
    if let Some(difference) = header_difference(reader.header(), &header) {
        return Ok(Verified { n_ticks: 0, difference: Some(difference) });
    }
    sim.keep_log();
    let (mut observer, mut bytes, mut recorded) = (Observer::default(), Vec::new(), TickRecord::default());
    let mut n_ticks = 0;
    while progress(n_ticks) && reader.next_tick(&mut recorded)? {
        let tick = sim.tick();
        let step = sim.step();
        bytes.clear();
        observer.observe(&sim, &header, tick, step, &mut bytes);
        sim.clear_log();
        if let Some(difference) = tick_difference(&header, &observer, &recorded) {
            return Ok(Verified { n_ticks, difference: Some(difference) });
        }
        n_ticks += 1;
        let (ends_there, ends_here) = (reader.has_ended(), step == Step::Ended);
        if ends_there != ends_here {
            let text = |ended: bool| if ended { "the run ends" } else { "the run goes on" }.to_owned();
            let difference = Difference {
                tick,
                agent: None,
                field: "end".to_owned(),
                recorded: text(ends_there),
                found: text(ends_here),
            };
            return Ok(Verified { n_ticks, difference: Some(difference) });
        }
    }
    let difference = reader.end().filter(|_| n_ticks == reader.n_ticks()).and_then(|end| {
        let (recorded, found) = (end.state_hash, sim.state_hash());
        (recorded != found).then(|| Difference {
            tick: sim.tick(),
            agent: None,
            field: "state hash at the end".to_owned(),
            recorded: format!("{recorded:016x}"),
            found: format!("{found:016x}"),
        })
    });
    Ok(Verified { n_ticks, difference })
}

/// The first part of the header that is another.
fn header_difference(recorded: &Header, found: &Header) -> Option<Difference> {
    let differs = |field: &str, recorded: String, found: String| {
        let field = field.to_owned();
        (recorded != found).then_some(Difference { tick: 0, agent: None, field, recorded, found })
    };
    let sizes = |header: &Header| format!("{} x {}", header.map.width, header.map.height);
    let cell_of = |index: usize| [index % recorded.map.width as usize, index / recorded.map.width as usize];
    differs("size of the map", sizes(recorded), sizes(found))
        .or_else(|| {
            let mut cells = recorded.map.terrain.iter().zip(&found.map.terrain);
            let index = cells.position(|(a, b)| a != b)?;
            let kind =
                |header: &Header| header.terrain_kinds[usize::from(header.map.terrain[index])].name.clone();
            let [x, y] = cell_of(index);
            differs(&format!("terrain of cell ({x}, {y})"), kind(recorded), kind(found))
        })
        .or_else(|| {
            let layers = |header: &Header| {
                let mut sums = [0_u64; 2];
                for (at, &sides) in header.map.sides.iter().enumerate() {
                    sums[0] = sums[0].wrapping_add((at as u64 + 1).wrapping_mul(u64::from(sides)));
                }
                for (at, &height) in header.map.elevation.iter().enumerate() {
                    sums[1] = sums[1].wrapping_add((at as u64 + 1).wrapping_mul(height as u64));
                }
                format!("sums {:x} and {:x}", sums[0], sums[1])
            };
            differs("sides or elevation of the map", layers(recorded), layers(found))
        })
        .or_else(|| {
            let text = |header: &Header| format!("{:?} {:?}", header.terrain_kinds, header.side_kinds);
            differs("terrain and side kinds", text(recorded), text(found))
        })
        .or_else(|| {
            let text = |header: &Header, at: usize| format!("{:?}", header.classes.get(at));
            let n = recorded.classes.len().max(found.classes.len());
            (0..n).find_map(|at| differs(&format!("class {at}"), text(recorded, at), text(found, at)))
        })
        .or_else(|| {
            let text = |header: &Header| format!("{:?} {:?}", header.orders, header.order_kinds);
            differs("orders", text(recorded), text(found))
        })
        .or_else(|| {
            let text = |header: &Header| format!("{} {} {}", header.name, header.collision, header.shape);
            differs("name, collision or shape", text(recorded), text(found))
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
            let (there, ours) = (record.moves_of_path(first, count), observer.record.moves_of_path(at, n));
            let (a, b) = (format!("{} moves", there.len()), format!("{} moves", ours.len()));
            let move_at = there.iter().zip(ours).position(|(a, b)| a != b);
            differs(agent, "start of its path", pose(agent, from), pose(agent, f))
                .or_else(|| differs(agent, "path", a, b))
                .or_else(|| {
                    let at = move_at?;
                    let text = |moves: &[u8]| format!("primitive {}", moves[at]);
                    differs(agent, &format!("move {at} of its path"), text(there), text(ours))
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
        Event::Path { count, .. } => format!("{count} moves"),
        Event::Move { primitive, end, .. } => format!("primitive {primitive} until {end}"),
        Event::Wait { since: u32::MAX, .. } => "waits no more".to_owned(),
        Event::Wait { since, .. } => format!("waits since {since}"),
        Event::Spawn { class, pose, .. } => pose_text(header, class, pose),
        Event::Task { cell, heading: None, .. } | Event::TaskDone { cell, .. } => cell.to_string(),
        Event::Task { cell, heading: Some(heading), .. } => format!("{cell} with heading {}", heading.0),
        Event::Remove { .. } => "taken out".to_owned(),
        Event::Edit(edit) => format!("{edit:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::build_simulation;
    use crate::codec::{BlockWriter, write_prefix};
    use crate::recording::observe::ENDED;
    use crate::recording::recorded_agents::RecordedAgents;
    use crate::recording::tick_code::{Put, put_events, put_moves, put_rest};
    use crate::recording::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, Chunk, KIND, Recorder};
    use std::io::Cursor;

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
        let mut sim = build_simulation(Path::new("two.toml"), &typed).unwrap();
        let mut recorder = Recorder::begin(&mut sim, "two.toml", TEXT, Vec::new()).unwrap();
        loop {
            let tick = sim.tick();
            let step = sim.step();
            recorder.tick(&sim, tick, step).unwrap();
            sim.clear_log();
            if step == Step::Ended {
                return recorder.finish(&sim).unwrap();
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
        let (mut file, mut blocks, mut chunk) = (Vec::new(), BlockWriter::new(), Chunk::default());
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
        blocks.write(BLOCK_END, (0, 0), reader.end().unwrap(), &mut file).unwrap();
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
            let last = records[0].path_moves.last_mut().unwrap();
            *last = 3;
        })
        .unwrap();
        assert_eq!((found.tick, found.agent), (0, Some(AgentId(0))));
        assert_eq!(found.field, "move 4 of its path");
    }
}
