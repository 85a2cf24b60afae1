//! Why agents rest: recordings do not say, so the run is stepped again and its world is asked.

use crate::recording::error::RecordingError;
use crate::recording::reader::Reader;
use crate::recording::rebuild::Rebuilt;
use crate::recording::record::{Event, TickRecord};
use crate::recording::replay::{ReplayFlow, ReplayVisitor, ReplayedTick, replay};
use std::io::{Read, Seek};
use wheelbase_sim::{AgentId, WaitReason, World};

/// Work after which [`wait_reasons`] ends by default, in agents times ticks: some seconds.
pub const REASON_WORK_MAX: u64 = 250_000;

/// Expansions of searches that take as long as an agent's tick.
const EXPANSIONS_OF_WORK: u64 = 100;
/// An agent at rest is asked at each tick that is a power of two after its move. Later it is asked once per this number
/// of ticks.
const ASK_TICKS: u32 = 64;
/// Most rows kept.
const ROWS_MAX: usize = 1 << 20;

/// Why an agent rested from a tick on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonRow {
    /// First tick at which it was found.
    pub tick: u32,
    /// Last tick at which it was found.
    pub last: u32,
    /// The agent.
    pub agent: AgentId,
    /// The reason; `None` once it does what its order says.
    pub reason: Option<WaitReason>,
}

/// The reasons of a run, as far as they were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitReasons {
    /// In order of tick, then of row.
    pub rows: Vec<ReasonRow>,
    /// The ticks stepped again.
    pub n_ticks: u32,
    /// The first tick at which the second run differs; it ends there.
    pub differs_at: Option<u32>,
}

/// Steps a recorded run again, up to `work_max` agents times ticks, and asks for the reasons of those at rest.
/// # Errors
/// [`RecordingError`] if the recording is damaged or its scenario cannot be built.
pub fn wait_reasons<R: Read + Seek>(
    reader: &mut Reader<R>,
    work_max: u64,
) -> Result<WaitReasons, RecordingError> {
    reader.seek(reader.first_tick())?;
    let mut asker = Asker { work_left: work_max, ..Asker::default() };
    replay(reader, &mut asker)?;
    Ok(asker.found)
}

#[derive(Default)]
struct Asker {
    work_left: u64,
    /// Of all searches so far.
    expansions: u64,
    /// By id: the end of the last move, and the place of the last row since then.
    rests: Vec<(u32, Option<usize>)>,
    found: WaitReasons,
}

impl<R: Read + Seek> ReplayVisitor<R> for Asker {
    fn begin(&mut self, reader: &Reader<R>, rebuilt: &mut Rebuilt) -> ReplayFlow {
        // No event places the agents that a resumed run begins with.
        let n_ids = rebuilt.world.agent_arrays().ids.last().map_or(0, |id| id.0 as usize + 1);
        self.rests.resize(n_ids, (reader.first_tick(), None));
        ReplayFlow::Step
    }

    fn goes_on(&mut self, _: u32) -> bool {
        self.work_left > 0 && self.found.rows.len() < ROWS_MAX && self.found.differs_at.is_none()
    }

    fn tick(&mut self, ReplayedTick { tick, record, world, .. }: ReplayedTick<'_, R>) -> ReplayFlow {
        if world.state_hash() != record.state_hash {
            self.found.differs_at = Some(tick);
            return ReplayFlow::End;
        }
        self.note_moves(record);
        self.ask(world, tick);
        self.found.n_ticks += 1;
        let searched = record.counters.expansions.saturating_sub(self.expansions) / EXPANSIONS_OF_WORK;
        self.expansions = record.counters.expansions;
        self.work_left = self.work_left.saturating_sub(u64::from(record.counters.agents) + searched + 1);
        ReplayFlow::Step
    }
}

impl Asker {
    /// Notes when the moves that begin at a tick end. Not asked of the world: some rules prolong a rest tick by tick.
    fn note_moves(&mut self, record: &TickRecord) {
        for event in &record.events {
            let (agent, rests_from) = match *event {
                Event::Move { agent, end, .. } => (agent, end),
                Event::Spawn { agent, .. } | Event::Leave { agent, .. } => (agent, record.tick),
                _ => continue,
            };
            let id = agent.0 as usize;
            if id >= self.rests.len() {
                self.rests.resize(id + 1, (0, None));
            }
            self.rests[id] = (rests_from, None);
        }
    }

    /// Asks for the agents at rest after a tick.
    fn ask(&mut self, world: &World, tick: u32) {
        for &agent in &world.agent_arrays().ids {
            let Some((from, place)) = self.rests.get_mut(agent.0 as usize) else { continue };
            let age = (tick + 1).saturating_sub(*from);
            if age == 0 || !(age.is_power_of_two() || age.is_multiple_of(ASK_TICKS)) {
                continue;
            }
            let reason = world.reason_for_waiting(agent).filter(tells_more);
            let before = place.map(|place| &mut self.found.rows[place]);
            match before {
                Some(before) if before.reason == reason => before.last = tick,
                None if reason.is_none() => {}
                _ => {
                    *place = Some(self.found.rows.len());
                    self.found.rows.push(ReasonRow { tick, last: tick, agent, reason });
                }
            }
        }
    }
}

/// Whether a reason says more than the order of the agent.
fn tells_more(reason: &WaitReason) -> bool {
    !matches!(reason, WaitReason::None | WaitReason::Moves | WaitReason::Dwelling | WaitReason::Holding)
}
