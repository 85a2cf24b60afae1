//! What a replay costs and where its agents move and wait: the figures of a report.

use crate::recording::error::RecordingError;
use crate::recording::header::MapLayers;
use crate::recording::reader::Reader;
use crate::recording::rebuild::Rebuilt;
use crate::recording::record::{Event, TickRecord};
use crate::recording::recorded_agents::{NONE, RecordedAgents};
use crate::recording::replay::{ReplayFlow, ReplayVisitor, ReplayedTick, replay};
use std::io::{Read, Seek};
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;
use wheelbase_sim::{Counters, Phase, RunState, World};

/// Nanoseconds of a tick by phase, in the order of [`Phase::ALL`].
pub type PhaseNanos = [u64; Phase::ALL.len()];

/// A recording by tick and by cell, with the times of a second run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayProfile {
    /// Counters after each recorded tick.
    pub counters: Vec<Counters>,
    /// Times of each tick of the second run.
    pub nanos: Vec<PhaseNanos>,
    /// The first tick at which the second run differs. It ends there; so do the counts by cell.
    pub differs_at: Option<u32>,
    /// How often each cell was swept, `[height * width]`, row-major.
    pub swept: Vec<u32>,
    /// Ticks that agents spent waiting on each cell, summed over agents, `[height * width]`, row-major.
    pub waited: Vec<u32>,
}

/// Runs a recording again and measures it. `timed_step` steps and takes the time: this crate has no clock. `goes_on`
/// gets the number of ticks done before each tick; `false` ends the replay.
/// # Errors
/// [`RecordingError`] if the recording is damaged or its scenario cannot be built.
pub fn profile<R: Read + Seek>(
    reader: &mut Reader<R>,
    timed_step: impl FnMut(&mut World) -> (RunState, PhaseNanos),
    goes_on: impl FnMut(u32) -> bool,
) -> Result<ReplayProfile, RecordingError> {
    let mut profiler =
        Profiler { timed_step, goes_on, nanos: PhaseNanos::default(), profile: ReplayProfile::default() };
    replay(reader, &mut profiler)?;
    Ok(profiler.profile)
}

/// Fills in a profile as a recording is replayed.
struct Profiler<T, G> {
    timed_step: T,
    goes_on: G,
    /// Times of the last step.
    nanos: PhaseNanos,
    profile: ReplayProfile,
}

impl<R, T, G> ReplayVisitor<R> for Profiler<T, G>
where
    R: Read + Seek,
    T: FnMut(&mut World) -> (RunState, PhaseNanos),
    G: FnMut(u32) -> bool,
{
    fn begin(&mut self, _: &Reader<R>, rebuilt: &mut Rebuilt) -> ReplayFlow {
        let n_cells = rebuilt.world.grid().size().n_cells();
        (self.profile.swept, self.profile.waited) = (vec![0; n_cells], vec![0; n_cells]);
        ReplayFlow::Step
    }

    fn goes_on(&mut self, n_ticks: u32) -> bool {
        (self.goes_on)(n_ticks)
    }

    fn step(&mut self, world: &mut World) -> RunState {
        let (state, nanos) = (self.timed_step)(world);
        self.nanos = nanos;
        state
    }

    fn tick(&mut self, ReplayedTick { reader, record, world, state, .. }: ReplayedTick<'_, R>) -> ReplayFlow {
        self.profile.counters.push(record.counters);
        let stopped_early = state == RunState::Running && world.tick() != record.tick + 1;
        if world.state_hash() != record.state_hash || Counters::of(world) != record.counters || stopped_early
        {
            self.profile.differs_at = Some(record.tick);
            // The events of a run that never happened could count a cell without bound.
            return ReplayFlow::ReadOnly;
        }
        self.profile.nanos.push(self.nanos);
        self.profile.count_swept(record, reader.agents(), &reader.header().map, world);
        self.profile.count_waits(reader.agents(), &reader.header().map, world);
        ReplayFlow::Step
    }

    fn tick_read(&mut self, record: &TickRecord) {
        self.profile.counters.push(record.counters);
    }
}

impl ReplayProfile {
    /// Counts the cells swept by the moves that begin at a tick.
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

    /// Counts the cells under agents that wait.
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

/// Adds one for each cell that is on the map.
fn count(counts: &mut [u32], map: &MapLayers, cells: impl Iterator<Item = CellXY>) {
    for index in cells.filter_map(|cell| map.index(cell)) {
        counts[index] = counts[index].saturating_add(1);
    }
}
