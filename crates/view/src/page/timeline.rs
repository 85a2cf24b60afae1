//! A whole run by agent: what each did, in the order of time. Made in one pass over a recording.

use crate::recorded::{NONE, names};
use std::io::{Read, Seek};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose};
use wheelbase_scenario::recording::{
    Event, Header, PathRun, Reader, RecordedEdit, RecordingError, TickRecord, movement_classes,
};
use wheelbase_sim::Counters;

/// Most bytes of memory that a timeline takes, spare room of its lists aside. A page of as much is none that a browser
/// shows.
const MEMORY_MAX: usize = 1 << 29;

/// A run, agent by agent.
pub struct Timeline {
    /// What the recording says at its start.
    pub header: Header,
    /// How the bodies of the classes move, by number of the class.
    pub bodies: Vec<Body>,
    /// Names of the agents that the scenario lists, by id; empty for those without.
    pub names: Vec<String>,
    /// Every agent that ever was there, in order of id.
    pub agents: Vec<TimelineAgent>,
    /// Moves of all planned paths, one path behind the other, in runs of equal ones.
    pub path_runs: Vec<PathRun>,
    /// Edits of the map and the ticks at which they took effect.
    pub edits: Vec<(u32, RecordedEdit)>,
    /// Counts behind each tick.
    pub counters: Vec<Counters>,
    /// Whether the recording goes to the end of the run.
    pub complete: bool,
}

/// What a class's shape must know beyond the recording's header.
pub struct Body {
    /// The class.
    pub spec: ClassSpec,
    /// `[x, y]` of the cells that each primitive sweeps, from its start anchor, at `[primitive]` and then at
    /// [`RecordedClass::pose_index`](wheelbase_scenario::recording::RecordedClass::pose_index).
    pub swept: Vec<Vec<Vec<[i32; 2]>>>,
}

/// What became of one agent.
pub struct TimelineAgent {
    /// Its id.
    pub id: u32,
    /// Number of its class.
    pub class: u8,
    /// Tick at which it was placed.
    pub placed: u32,
    /// Tick at which it was taken out, or [`NONE`].
    pub removed: u32,
    /// Where it was placed.
    pub pose: Pose,
    /// Its moves.
    pub moves: Vec<TimelineMove>,
    /// `[from, to)`: ticks in which it waited though it could go on.
    pub waits: Vec<[u32; 2]>,
    /// Its current order from a tick on: a number into [`Header::orders`], or [`NONE`].
    pub orders: Vec<[u32; 2]>,
    /// The paths it was given.
    pub paths: Vec<TimelinePath>,
}

/// A move of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineMove {
    /// Tick at which it began.
    pub start: u32,
    /// Ticks it took.
    pub ticks: u32,
    /// Number of its primitive.
    pub primitive: u8,
}

/// A path that an agent was given; one without moves takes away the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelinePath {
    /// Tick at which it was given.
    pub tick: u32,
    /// First of its runs in [`Timeline::path_runs`].
    pub first: usize,
    /// Number of its runs.
    pub count: usize,
}

impl Timeline {
    /// Reads a recording, up to its last whole chunk. Linear in its events.
    /// # Errors
    /// [`RecordingError`] if it is damaged, its scenario cannot be built, or it would take more than half a GiB.
    pub fn read<R: Read + Seek>(reader: &mut Reader<R>, with_paths: bool) -> Result<Self, RecordingError> {
        let header = reader.header().clone();
        let mut timeline = Self {
            bodies: bodies(&header)?,
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
                let why = if with_paths { "; planned paths can be left out" } else { "" };
                let mib = MEMORY_MAX >> 20;
                return Err(RecordingError::TooLarge {
                    what: format!(
                        "what happens up to tick {} of {} takes {mib} MiB, the most that a page is made of{why}",
                        record.tick,
                        reader.n_ticks()
                    ),
                });
            }
            for event in &record.events {
                timeline.note(&record, event, with_paths);
            }
            timeline.counters.push(record.counters);
        }
        let end = timeline.n_ticks();
        for agent in &mut timeline.agents {
            agent.end_wait(end);
        }
        Ok(timeline)
    }

    /// Ticks that are there.
    pub fn n_ticks(&self) -> u32 {
        self.counters.len() as u32
    }

    fn note(&mut self, record: &TickRecord, event: &Event, with_paths: bool) {
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
        // Ids rise as agents are placed, so the agents stand in their order.
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
            Event::Path { first, count, .. } if with_paths => {
                let runs = record.runs_of_path(first, count);
                agent.paths.push(TimelinePath { tick, first: self.path_runs.len(), count: runs.len() });
                self.path_runs.extend_from_slice(runs);
            }
            _ => {}
        }
    }
}

/// Bytes that a timeline takes for an event.
fn memory_of(event: &Event) -> usize {
    match event {
        // Its lists, each with room for some.
        Event::Spawn { .. } => size_of::<TimelineAgent>() + 128,
        Event::Move { .. } => size_of::<TimelineMove>(),
        Event::Wait { .. } | Event::Current { .. } => size_of::<[u32; 2]>(),
        Event::Path { .. } => size_of::<TimelinePath>(),
        Event::Edit(_) => size_of::<(u32, RecordedEdit)>(),
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

/// The bodies of the classes, out of the scenario in the recording.
fn bodies(header: &Header) -> Result<Vec<Body>, RecordingError> {
    let of_class = |movement: MovementClass| {
        let swept = |primitive, heading, row| {
            let shape = movement.shape(movement.frame(Pose::new(0, row, Heading(heading))), primitive);
            shape.swept.iter().filter(|_| shape.applies).map(|cell| [cell.dx, cell.dy]).collect()
        };
        let poses = || (0..movement.headings()).flat_map(|heading| [(heading, 0), (heading, 1)]);
        let at_poses = |primitive| poses().map(|(heading, row)| swept(primitive, heading, row)).collect();
        Body {
            spec: movement.spec().clone(),
            swept: (0..movement.primitives().len()).map(at_poses).collect(),
        }
    };
    Ok(movement_classes(header)?.into_iter().map(of_class).collect())
}
