//! A whole run as a timeline for each agent, built in one pass over a recording.

use crate::picture::bodies::{BodyShape, INSET};
use crate::recorded::{NONE, names};
use std::io::{Read, Seek};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose};
use wheelbase_scenario::recording::{
    Event, Header, PathRun, Reader, RecordingError, TickRecord, movement_classes,
};
use wheelbase_sim::{AppliedEdit, Counters};

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
    /// All agents of the run, in order of id.
    pub agents: Vec<TimelineAgent>,
    /// Runs of equal moves of all planned paths, path after path.
    pub path_runs: Vec<PathRun>,
    /// Map edits with the ticks at which they took effect.
    pub edits: Vec<(u32, AppliedEdit)>,
    /// Counts after each tick.
    pub counters: Vec<Counters>,
    /// Whether the recording reaches the end of the run.
    pub complete: bool,
}

/// The parts of a class's geometry that the header of a recording lacks.
pub struct ClassGeometry {
    /// The class.
    pub spec: ClassSpec,
    /// Outlines and facing mark.
    pub shape: BodyShape,
    /// `[x, y]` of the cells swept by each primitive, relative to its start anchor; indexed by primitive, then by
    /// [`RecordedClass::pose_index`](wheelbase_scenario::recording::RecordedClass::pose_index).
    pub swept: Vec<Vec<Vec<[i32; 2]>>>,
}

/// The timeline of one agent.
pub struct TimelineAgent {
    /// Id.
    pub id: u32,
    /// Class number.
    pub class: u8,
    /// Tick of placement.
    pub placed: u32,
    /// Tick of removal, or [`NONE`].
    pub removed: u32,
    /// Pose at placement.
    pub pose: Pose,
    /// Moves in order of time.
    pub moves: Vec<TimelineMove>,
    /// Intervals `[from, to)` of ticks in which the agent waited.
    pub waits: Vec<[u32; 2]>,
    /// `[tick, order]`: the current order from a tick on, an index into [`Header::orders`] or [`NONE`].
    pub orders: Vec<[u32; 2]>,
    /// Assigned paths in order of time.
    pub paths: Vec<TimelinePath>,
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
}

impl Timeline {
    /// Reads a recording up to its last whole chunk. Linear in its events.
    /// # Errors
    /// [`RecordingError`] if it is damaged, its scenario cannot be built, or the timeline would exceed half a GiB.
    pub fn read<R: Read + Seek>(reader: &mut Reader<R>, with_paths: bool) -> Result<Self, RecordingError> {
        let header = reader.header().clone();
        let mut timeline = Self {
            geometries: geometries(&header)?,
            names: names(&header),
            header,
            agents: Vec::new(),
            path_runs: Vec::new(),
            edits: Vec::new(),
            counters: Vec::new(),
            complete: reader.end().is_some(),
        };
        let (mut record, mut memory) = (TickRecord::default(), 0);
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
                timeline.add(&record, event, with_paths);
            }
            timeline.counters.push(record.counters);
        }
        let end = timeline.n_ticks();
        for agent in &mut timeline.agents {
            agent.end_wait(end);
        }
        Ok(timeline)
    }

    /// Number of recorded ticks.
    pub fn n_ticks(&self) -> u32 {
        self.counters.len() as u32
    }

    fn add(&mut self, record: &TickRecord, event: &Event, with_paths: bool) {
        let tick = record.tick;
        if let Event::Edit(edit) = *event {
            self.edits.push((tick, edit));
        }
        if let Event::Spawn { agent, class, pose } = *event {
            self.agents.push(TimelineAgent {
                id: agent.0,
                class: class.0,
                placed: tick,
                removed: NONE,
                pose,
                moves: Vec::new(),
                waits: Vec::new(),
                orders: Vec::new(),
                paths: Vec::new(),
            });
        }
        let Some(id) = event.agent() else { return };
        // Ids grow with placement, so the agents are sorted by id.
        let Ok(at) = self.agents.binary_search_by_key(&id.0, |agent| agent.id) else { return };
        let agent = &mut self.agents[at];
        match *event {
            Event::Remove { .. } => {
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
            Event::Path { runs, .. } if with_paths => {
                let runs = record.runs_of_path(runs);
                agent.paths.push(TimelinePath { tick, first: self.path_runs.len(), count: runs.len() });
                self.path_runs.extend_from_slice(runs);
            }
            _ => {}
        }
    }
}

/// Bytes of a timeline for an event.
fn memory_of(event: &Event) -> usize {
    match event {
        // With the first allocations of its lists.
        Event::Spawn { .. } => size_of::<TimelineAgent>() + 128,
        Event::Move { .. } => size_of::<TimelineMove>(),
        Event::Wait { .. } | Event::Current { .. } => size_of::<[u32; 2]>(),
        Event::Path { .. } => size_of::<TimelinePath>(),
        Event::Edit(_) => size_of::<(u32, AppliedEdit)>(),
        _ => 0,
    }
}

impl TimelineAgent {
    fn end_wait(&mut self, tick: u32) {
        if let Some(wait) = self.waits.last_mut().filter(|wait| wait[1] == NONE) {
            wait[1] = tick;
        }
    }
}

/// The geometries of the classes, from the scenario within the recording.
fn geometries(header: &Header) -> Result<Vec<ClassGeometry>, RecordingError> {
    let geometry = |(number, movement): (usize, MovementClass)| {
        let swept = |primitive, heading, row| {
            let shape = movement.shape(movement.frame(Pose::new(0, row, Heading(heading))), primitive);
            shape.swept.iter().filter(|_| shape.applies).map(|cell| [cell.dx, cell.dy]).collect()
        };
        let poses = || (0..movement.headings()).flat_map(|heading| [(heading, 0), (heading, 1)]);
        let at_poses = |primitive| poses().map(|(heading, row)| swept(primitive, heading, row)).collect();
        ClassGeometry {
            spec: movement.spec().clone(),
            shape: BodyShape::inset_by(INSET, &movement, number),
            swept: (0..movement.primitives().len()).map(at_poses).collect(),
        }
    };
    Ok(movement_classes(header)?.into_iter().enumerate().map(geometry).collect())
}
