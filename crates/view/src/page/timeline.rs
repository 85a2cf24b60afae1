//! A whole run as a timeline for each agent, built in one pass over a recording.

use crate::picture::bodies::{BodyShape, INSET};
use crate::recorded::{NONE, names};
use std::collections::BTreeMap;
use std::io::{Read, Seek};
use wheelbase_grid::CellXY;
use wheelbase_planner::model::{MoveShape, Offset};
use wheelbase_planner::{Heading, Pose};
use wheelbase_scenario::recording::{
    Event, Header, PathRun, Reader, RecordedClass, RecordingError, TickRecord,
};
use wheelbase_sim::{AgentId, AppliedEdit, ClassId, Counters};

/// Most bytes of memory for a timeline, not counting spare capacity of its lists. Browsers cannot show larger pages.
const MEMORY_MAX: usize = 1 << 29;

/// A run, agent by agent.
pub struct Timeline {
    /// Header of the recording.
    pub header: Header,
    /// By class number.
    pub geometries: Vec<ClassGeometry>,
    /// Names of the agents listed by the scenario, by id; empty for unnamed agents.
    pub names: Vec<String>,
    /// All agents of the run, in order of id. An agent that takes another class ends, and goes on as a new entry after
    /// the others.
    pub agents: Vec<TimelineAgent>,
    /// Texts of orders: from the header by number, then the others that were current.
    pub orders: Vec<String>,
    /// Runs of equal moves of all planned paths, path after path.
    pub path_runs: Vec<PathRun>,
    /// Map edits with the ticks at which they took effect.
    pub edits: Vec<(u32, AppliedEdit)>,
    /// Counts after each tick.
    pub counters: Vec<Counters>,
    /// The tick after the last tick that was run or, if the recording is cut off, recorded. The counts of a whole run
    /// have one entry more: what happened after its last tick.
    pub last: u32,
    /// Whether the recording reaches the end of the run.
    pub complete: bool,
    /// The outcome of the run; null until then.
    pub outcome: serde_json::Value,
}

/// The geometry of a class. Tables by pose are indexed by heading, then by the parity of the row, on which offsets
/// depend on hexagonal maps.
pub struct ClassGeometry {
    /// Outlines and facing mark.
    pub shape: BodyShape,
    /// `[x, y]` of the covered cells, relative to the anchor, by pose.
    pub footprints: Vec<Vec<[i32; 2]>>,
    /// `[x, y, heading]` of each primitive by pose: offset of the anchor and heading afterwards; `None` where it does
    /// not apply.
    pub steps: Vec<Vec<Option<[i32; 3]>>>,
    /// `[x, y]` of the cells swept by each primitive, relative to its start anchor, by pose.
    pub swept: Vec<Vec<Vec<[i32; 2]>>>,
}

/// The timeline of one agent.
pub struct TimelineAgent {
    /// Id.
    pub id: u32,
    /// Class number.
    pub class: u8,
    /// Tick of placement. Of agents that a resumed run begins with: the tick at which their move in progress began, or
    /// the first.
    pub placed: u32,
    /// Tick of removal, or [`NONE`].
    pub removed: u32,
    /// Pose at placement.
    pub pose: Pose,
    /// Moves in order of time.
    pub moves: Vec<TimelineMove>,
    /// Intervals `[from, to)` of ticks in which the agent waited.
    pub waits: Vec<[u32; 2]>,
    /// `[tick, order]`: the current order from a tick on, an index into [`Timeline::orders`] or [`NONE`].
    pub orders: Vec<[u32; 2]>,
    /// Assigned paths in order of time.
    pub paths: Vec<TimelinePath>,
    /// Tasks given, in order of time.
    pub tasks: Vec<TimelineTask>,
}

/// A task of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineTask {
    /// Tick at which it was given.
    pub tick: u32,
    /// Cell of its goal.
    pub cell: CellXY,
    /// Tick at which it was done, or [`NONE`].
    pub done: u32,
}

/// A move of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineMove {
    /// First tick.
    pub start: u32,
    /// Duration in ticks.
    pub ticks: u32,
    /// Index of the primitive.
    pub primitive: u8,
}

/// A path assigned to an agent, in place of the path before. May be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelinePath {
    /// Tick of assignment.
    pub tick: u32,
    /// Index of the first run in [`Timeline::path_runs`].
    pub first: usize,
    /// Number of runs.
    pub count: usize,
    /// Where its last move ends.
    pub end: CellXY,
}

impl Timeline {
    /// Reads a recording up to its last whole chunk. Linear in its events.
    /// # Errors
    /// [`RecordingError`] if it is damaged, its scenario cannot be built, or the timeline would exceed half a GiB.
    pub fn read<R: Read + Seek>(reader: &mut Reader<R>, with_paths: bool) -> Result<Self, RecordingError> {
        let header = reader.header().clone();
        let mut timeline = Self {
            geometries: header.classes.iter().enumerate().map(geometry).collect(),
            orders: header.orders.clone(),
            names: names(&header),
            header,
            agents: Vec::new(),
            path_runs: Vec::new(),
            edits: Vec::new(),
            counters: Vec::new(),
            last: reader.first_tick() + reader.ticks_run(),
            complete: reader.end().is_some(),
            outcome: reader.end().and_then(|end| serde_json::from_str(&end.outcome).ok()).unwrap_or_default(),
        };
        let (mut record, mut memory) = (TickRecord::default(), 0);
        let mut index = AgentIndex::default();
        let mut orders = BTreeMap::new();
        if timeline.header.snapshot.is_some() {
            memory += timeline.add_present(reader, &mut index, &mut orders, with_paths)?;
        }
        while reader.next_tick(&mut record)? {
            memory += size_of::<Counters>() + record.events.iter().map(memory_of).sum::<usize>();
            memory += if with_paths { size_of_val(&record.path_runs[..]) } else { 0 };
            if memory > MEMORY_MAX {
                let advice = if with_paths { "; planned paths can be left out" } else { "" };
                let mib = MEMORY_MAX >> 20;
                return Err(RecordingError::TooLarge {
                    what: format!(
                        "the events up to tick {} of {} take {mib} MiB, the limit of a page{advice}",
                        record.tick,
                        reader.n_ticks()
                    ),
                });
            }
            for event in &record.events {
                let mut event = *event;
                if let Event::Current { order, .. } = &mut event
                    && *order != NONE
                    && *order as usize >= timeline.header.orders.len()
                {
                    // The index of its text.
                    *order = timeline.text_index(*order, reader, &mut orders, &mut memory);
                }
                timeline.add(&record, &event, &mut index, with_paths);
            }
            timeline.counters.push(record.counters);
        }
        let end = timeline.end();
        for agent in &mut timeline.agents {
            agent.end_wait(end);
        }
        timeline.agents.sort_by_key(|agent| (agent.id, agent.placed));
        Ok(timeline)
    }

    /// The tick after the last one recorded.
    pub fn end(&self) -> u32 {
        self.header.first_tick() + self.counters.len() as u32
    }

    /// Index of the text of an order, which is added if it is new.
    fn text_index<R: Read + Seek>(
        &mut self,
        order: u32,
        reader: &Reader<R>,
        known: &mut BTreeMap<u32, u32>,
        memory: &mut usize,
    ) -> u32 {
        *known.entry(order).or_insert_with(|| {
            let text = reader.order_text(order).unwrap_or_default();
            *memory += size_of::<(u32, u32, String)>() + text.len();
            self.orders.push(text.to_owned());
            self.orders.len() as u32 - 1
        })
    }

    /// Adds the agents that are there when a resumed run goes on. Gives the bytes of memory that they take.
    fn add_present<R: Read + Seek>(
        &mut self,
        reader: &mut Reader<R>,
        index: &mut AgentIndex,
        orders: &mut BTreeMap<u32, u32>,
        with_paths: bool,
    ) -> Result<usize, RecordingError> {
        let first = reader.seek(reader.first_tick())?;
        let frame = reader.agents();
        let mut memory = frame.len() * AGENT_BYTES;
        for (row, &id) in frame.ids.iter().enumerate() {
            let motion = frame.motion[row];
            let is_moving = motion.is_moving(first);
            let placed = if is_moving { motion.start } else { first };
            let mut agent = TimelineAgent::placed_at(placed, id, frame.classes[row], frame.pose(row));
            if is_moving {
                let ticks = motion.end - motion.start;
                agent.moves.push(TimelineMove { start: motion.start, ticks, primitive: motion.primitive });
            }
            if frame.waits_since[row] != NONE {
                agent.waits.push([frame.waits_since[row], NONE]);
            }
            let order = frame.orders[row];
            if order != NONE {
                agent.orders.push([first, self.text_index(order, reader, orders, &mut memory)]);
            }
            let runs = frame.runs(row);
            if with_paths && !runs.is_empty() {
                let count = runs.len();
                let end =
                    frame.path_poses(row, &self.header).last().map_or(agent.pose.cell, |pose| pose.cell);
                agent.paths.push(TimelinePath { tick: first, first: self.path_runs.len(), count, end });
                self.path_runs.extend_from_slice(runs);
                memory += size_of_val(runs);
            }
            index.add(id, self.agents.len());
            self.agents.push(agent);
        }
        Ok(memory)
    }

    fn add(&mut self, record: &TickRecord, event: &Event, index: &mut AgentIndex, with_paths: bool) {
        let tick = record.tick;
        if let Event::Edit(edit) = *event {
            self.edits.push((tick, edit));
        }
        if let Event::Spawn { agent, class, pose, .. } = *event {
            index.add(agent, self.agents.len());
            self.agents.push(TimelineAgent::placed_at(tick, agent, class, pose));
        }
        if let Event::Leave { agent, class, pose, .. } = *event {
            index.put(agent, self.agents.len());
            self.agents.push(TimelineAgent::placed_at(tick, agent, class, pose));
        }
        let Some(at) = event.agent().and_then(|id| index.get(id)) else { return };
        let n_agents = self.agents.len();
        let agent = &mut self.agents[*at as usize];
        match *event {
            Event::Class { agent: id, class, pose } => {
                agent.end_wait(tick);
                agent.removed = tick;
                let mut again = TimelineAgent::placed_at(tick, id, class, pose);
                again.orders.extend(agent.orders.last().map(|&[_, order]| [tick, order]));
                *at = n_agents as u32;
                self.agents.push(again);
            }
            Event::Remove { .. } | Event::Enter { .. } => {
                agent.end_wait(tick);
                agent.removed = tick;
            }
            Event::Move { primitive, end, .. } => {
                agent.end_wait(tick);
                agent.moves.push(TimelineMove { start: tick, ticks: end - tick, primitive });
            }
            Event::Wait { since: NONE, .. } => agent.end_wait(tick),
            Event::Wait { since, .. } => {
                agent.end_wait(tick);
                let after = agent.waits.last().map_or(0, |wait| wait[1]);
                agent.waits.push([since.clamp(after, tick), NONE]);
            }
            Event::Current { order, .. } => agent.orders.push([tick, order]),
            Event::Task { cell, .. } => agent.tasks.push(TimelineTask { tick, cell, done: NONE }),
            Event::TaskDone { cell, .. } => {
                if let Some(task) = agent.tasks.last_mut().filter(|task| task.cell == cell) {
                    task.done = tick;
                }
            }
            Event::Path { from, runs, .. } if with_paths => {
                let class = &self.header.classes[usize::from(agent.class)];
                let end = record.path_poses(class, from, runs).last().map_or(from.cell, |pose| pose.cell);
                let runs = record.runs_of_path(runs);
                agent.paths.push(TimelinePath { tick, first: self.path_runs.len(), count: runs.len(), end });
                self.path_runs.extend_from_slice(runs);
            }
            _ => {}
        }
    }
}

/// Bytes of a timeline for an agent, with the first allocations of its lists.
const AGENT_BYTES: usize = size_of::<TimelineAgent>() + 128;

/// Bytes of a timeline for an event.
fn memory_of(event: &Event) -> usize {
    match event {
        Event::Spawn { .. } | Event::Class { .. } | Event::Leave { .. } => AGENT_BYTES,
        Event::Move { .. } => size_of::<TimelineMove>(),
        Event::Wait { .. } | Event::Current { .. } => size_of::<[u32; 2]>(),
        Event::Path { .. } => size_of::<TimelinePath>(),
        Event::Task { .. } => size_of::<TimelineTask>(),
        Event::Edit(_) => size_of::<(u32, AppliedEdit)>(),
        _ => 0,
    }
}

/// Place of each agent's last entry, while a timeline is read.
#[derive(Default)]
struct AgentIndex {
    /// Ids, rising: they grow with placement.
    ids: Vec<AgentId>,
    places: Vec<u32>,
}

impl AgentIndex {
    fn add(&mut self, agent: AgentId, place: usize) {
        self.ids.push(agent);
        self.places.push(place as u32);
    }

    /// Adds or replaces the place of an agent of any id.
    fn put(&mut self, agent: AgentId, place: usize) {
        match self.ids.binary_search(&agent) {
            Ok(at) => self.places[at] = place as u32,
            Err(at) => {
                self.ids.insert(at, agent);
                self.places.insert(at, place as u32);
            }
        }
    }

    fn get(&mut self, agent: AgentId) -> Option<&mut u32> {
        let at = self.ids.binary_search(&agent).ok()?;
        self.places.get_mut(at)
    }
}

impl TimelineAgent {
    fn placed_at(tick: u32, AgentId(id): AgentId, ClassId(class): ClassId, pose: Pose) -> Self {
        let (moves, waits, orders, paths, tasks) = Default::default();
        Self { id, class, placed: tick, removed: NONE, pose, moves, waits, orders, paths, tasks }
    }

    fn end_wait(&mut self, tick: u32) {
        if let Some(wait) = self.waits.last_mut().filter(|wait| wait[1] == NONE) {
            wait[1] = tick;
        }
    }
}

/// The geometry of a class, given with its number.
fn geometry((number, class): (usize, &RecordedClass)) -> ClassGeometry {
    let movement = class.movement();
    let poses = || (0..movement.headings()).flat_map(|heading| [(heading, 0), (heading, 1)]);
    let frame = |(heading, row)| movement.frame(Pose::new(0, row, Heading(heading)));
    let cells = |offsets: &[Offset]| offsets.iter().map(|cell| [cell.dx, cell.dy]).collect::<Vec<_>>();
    let step = |shape: &MoveShape| {
        let MoveShape { step, heading_after, applies, .. } = shape;
        applies.then(|| [step.dx, step.dy, i32::from(heading_after.0)])
    };
    let swept = |shape: &MoveShape| if shape.applies { cells(&shape.swept) } else { Vec::new() };
    let shapes = |primitive| poses().map(move |at| movement.shape(frame(at), primitive));
    let primitives = || 0..movement.primitives().len();
    ClassGeometry {
        shape: BodyShape::inset_by(INSET, movement, number),
        footprints: poses().map(|at| cells(movement.footprint().at(frame(at)))).collect(),
        steps: primitives().map(|primitive| shapes(primitive).map(step).collect()).collect(),
        swept: primitives().map(|primitive| shapes(primitive).map(swept).collect()).collect(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use wheelbase_grid::{Grid, SideTable, TerrainTable};
    use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
    use wheelbase_scenario::recording::Recorder;
    use wheelbase_sim::{Command, Order, Settings, Setup, Spawn, World};

    #[test]
    fn orders_given_later_have_texts_and_an_agent_of_another_class_begins_again() {
        let grid = Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default()).unwrap();
        let class = |name: &str, headings, primitives| {
            let mut spec = ClassSpec::new(name, headings);
            spec.primitives = primitives;
            MovementClass::new(spec).unwrap()
        };
        let classes = vec![
            class("walker", 1, Primitive::four_directions(1)),
            class("cart", 4, Primitive::vehicle(2, 2, 1)),
        ];
        let mut setup = Setup::cooperative(Settings::named("host"), grid, classes);
        for x in [1, 7] {
            let orders = [Order::goto(CellXY::new(x - 1, 0))].into();
            setup.agents.push(Spawn { orders, ..Spawn::new(ClassId(0), Pose::new(x, 0, Heading(0))) });
        }
        let mut world = World::new(setup).unwrap();
        let mut recorder = Recorder::begin_host(&mut world, Vec::new()).unwrap();
        for tick in 0..40 {
            if tick == 5 {
                world.command(Command::order(AgentId(0), Order::goto(CellXY::new(4, 0))));
            } else if tick == 7 {
                world.command(Command::Class { agent: AgentId(0), class: ClassId(1), pose: None });
            }
            let step = world.step();
            recorder.tick(&world, tick, step).unwrap();
            world.clear_log();
        }
        let mut reader = Reader::open(Cursor::new(recorder.finish(&world).unwrap())).unwrap();
        let timeline = Timeline::read(&mut reader, true).unwrap();
        assert_eq!(timeline.orders, ["{\"goto\":[0,0]}", "{\"goto\":[6,0]}", "{\"goto\":[4,0]}"]);
        let [first, again, other] = &timeline.agents[..] else { panic!() };
        assert_eq!([first.id, again.id, other.id], [0, 0, 1]);
        assert_eq!([first.class, again.class, other.class], [0, 1, 0]);
        assert_eq!((first.placed, first.removed, again.placed, again.removed), (0, 7, 7, NONE));
        assert_eq!((first.orders.as_slice(), again.orders[0]), (&[[0, 0], [1, NONE], [5, 2]][..], [7, 2]));
        assert_eq!((again.pose.cell, again.moves.len()), (CellXY::new(2, 0), 2));
    }
}
