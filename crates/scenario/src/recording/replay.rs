//! A recording run again beside what it says: how long each tick took, and how often each cell was swept and
//! waited on.

use crate::recording::error::RecordingError;
use crate::recording::header::MapLayers;
use crate::recording::reader::Reader;
use crate::recording::rebuild::rebuild;
use crate::recording::record::{Event, TickRecord};
use crate::recording::recorded_agents::{NONE, RecordedAgents};
use std::io::{Read, Seek};
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;
use wheelbase_sim::{Counters, Phase, RunState, World};

/// Nanoseconds of a tick by phase, in the order of [`Phase::ALL`].
pub type PhaseNanos = [u64; Phase::ALL.len()];

/// What a recording says by tick and by cell, and what a second run took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Behind each tick of the recording.
    pub counters: Vec<Counters>,
    /// Of each tick of the second run.
    pub nanos: Vec<PhaseNanos>,
    /// The first tick at which the second run was another; it ends there, and with it what is counted by cell.
    pub differs_at: Option<u32>,
    /// How often each cell was swept, `[height * width]`, row-major.
    pub swept: Vec<u32>,
    /// Ticks in which an agent stood on each cell and waited, of all agents, `[height * width]`, row-major.
    pub waited: Vec<u32>,
}

/// Reads a recording and runs it again beside that. `timed_step` does a step and measures it: this crate has no
/// clock. `goes_on` is told before each tick how many are done and may end it.
/// # Errors
/// [`RecordingError`] if the recording is damaged or its scenario cannot be built.
pub fn replay<R: Read + Seek>(
    reader: &mut Reader<R>,
    mut timed_step: impl FnMut(&mut World) -> (RunState, PhaseNanos),
    mut goes_on: impl FnMut(u32) -> bool,
) -> Result<Replayed, RecordingError> {
    let mut world = rebuild(reader.header())?.world;
    let n_cells = world.grid().size().n_cells();
    let mut replayed = Replayed { swept: vec![0; n_cells], waited: vec![0; n_cells], ..Replayed::default() };
    let mut record = TickRecord::default();
    while goes_on(replayed.counters.len() as u32) && reader.next_tick(&mut record)? {
        if replayed.differs_at.is_none() {
            let (step, nanos) = timed_step(&mut world);
            replayed.note_step(&world, step, nanos, &record);
        }
        replayed.counters.push(record.counters);
        // What no run did could be counted without end.
        if replayed.differs_at.is_none() {
            replayed.count_swept(&record, reader.agents(), &reader.header().map, &world);
            replayed.count_waits(reader.agents(), &reader.header().map, &world);
        }
    }
    Ok(replayed)
}

impl Replayed {
    /// Keeps what a tick of the second run took, if it was as recorded.
    fn note_step(&mut self, world: &World, step: RunState, nanos: PhaseNanos, record: &TickRecord) {
        let goes_on = step == RunState::Running && world.tick() != record.tick + 1;
        if world.tick_hash() != record.state_hash || Counters::of(world) != record.counters || goes_on {
            self.differs_at = Some(record.tick);
        } else {
            self.nanos.push(nanos);
        }
    }

    /// Counts the cells that the moves of a tick sweep.
    fn count_swept(&mut self, record: &TickRecord, agents: &RecordedAgents, map: &MapLayers, world: &World) {
        for event in &record.events {
            let Event::Move { agent, primitive, from, .. } = *event else { continue };
            let class = agents.row(agent).map(|row| agents.classes[row]);
            let class = class.and_then(|class| world.tables().get(usize::from(class.0)));
            let Some(class) = class.map(|tables| tables.class()) else { continue };
            if usize::from(primitive) < class.primitives().len() && from.heading.0 < class.headings() {
                let shape = class.shape_at(from, usize::from(primitive));
                let at = |cell: &Offset| cell.cell_from(from.cell);
                count(&mut self.swept, map, shape.swept.iter().map(at));
            }
        }
    }

    /// Counts the cells on which agents wait.
    fn count_waits(&mut self, agents: &RecordedAgents, map: &MapLayers, world: &World) {
        for (row, since) in agents.waits_since.iter().enumerate() {
            let tables = world.tables().get(usize::from(agents.classes[row].0));
            let pose = agents.motion[row].to;
            let Some(tables) = tables.filter(|_| *since != NONE && !agents.is_moving(row)) else { continue };
            let class = tables.class();
            if pose.heading.0 < class.headings() {
                let at = |cell: &Offset| cell.cell_from(pose.cell);
                count(&mut self.waited, map, class.cells_at(pose).iter().map(at));
            }
        }
    }
}

/// Counts each cell once more.
fn count(counts: &mut [u32], map: &MapLayers, cells: impl Iterator<Item = CellXY>) {
    for index in cells.filter_map(|cell| map.index(cell)) {
        counts[index] = counts[index].saturating_add(1);
    }
}
