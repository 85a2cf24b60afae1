//! Runs a recording again: rebuilds its world and steps it beside the recorded ticks, with the commands of its host.
//!
//! The one loop of its kind. [`verify`](super::verify) compares both sides, [`profile`](super::profile) measures the
//! second run; each is a [`ReplayVisitor`].

use crate::recording::error::RecordingError;
use crate::recording::reader::Reader;
use crate::recording::rebuild::{Rebuilt, check_memory, rebuild_within};
use crate::recording::record::TickRecord;
use std::io::{Read, Seek};
use wheelbase_sim::{GivenCommand, RunState, World};

/// How a replay continues after a call of its visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayFlow {
    /// Reads the next tick and steps the world.
    Step,
    /// Reads the remaining ticks; the world steps no more.
    ReadOnly,
    /// Ends here.
    End,
}

/// A tick of a replay: both sides after it.
pub struct ReplayedTick<'a, R> {
    /// Number of the tick in the second run.
    pub tick: u32,
    /// The recording, with the agents and the map after the tick.
    pub reader: &'a Reader<R>,
    /// The record of the tick.
    pub record: &'a TickRecord,
    /// The world, one step further.
    pub world: &'a mut World,
    /// What the step came to.
    pub state: RunState,
}

/// The purpose of a replay. Calls come in the order of the methods, and from `goes_on` on once per tick.
pub trait ReplayVisitor<R: Read + Seek> {
    /// The world is rebuilt and has not stepped.
    fn begin(&mut self, reader: &Reader<R>, rebuilt: &mut Rebuilt) -> ReplayFlow;

    /// Whether to read another tick after `n_ticks`.
    fn goes_on(&mut self, n_ticks: u32) -> bool;

    /// The next tick begins a chunk, whose key frame the reader holds. Not called once the world steps no more.
    fn key_frame(&mut self, _reader: &Reader<R>, _world: &World) -> ReplayFlow {
        ReplayFlow::Step
    }

    /// Steps the world by one tick.
    fn step(&mut self, world: &mut World) -> RunState {
        world.step()
    }

    /// A tick was read and stepped.
    fn tick(&mut self, tick: ReplayedTick<'_, R>) -> ReplayFlow;

    /// A tick was read after [`ReplayFlow::ReadOnly`].
    fn tick_read(&mut self, _record: &TickRecord) {}
}

/// Runs a recording again. Gives the world, unless the visitor ended the replay by [`ReplayFlow::End`].
/// # Errors
/// [`RecordingError`] if the recording is damaged or its scenario or setup cannot be built.
pub fn replay<R: Read + Seek>(
    reader: &mut Reader<R>,
    visitor: &mut impl ReplayVisitor<R>,
) -> Result<Option<World>, RecordingError> {
    let memory_max = reader.memory_max();
    let need = check_memory(reader.header(), memory_max)?;
    let rebuilt = rebuild_within(reader.header(), memory_max)?;
    // Chunks take what the world does not need.
    reader.set_memory_max(memory_max.less(need.built));
    let replayed = replay_with(reader, visitor, rebuilt);
    reader.set_memory_max(memory_max);
    replayed
}

fn replay_with<R: Read + Seek>(
    reader: &mut Reader<R>,
    visitor: &mut impl ReplayVisitor<R>,
    mut rebuilt: Rebuilt,
) -> Result<Option<World>, RecordingError> {
    let mut flow = visitor.begin(reader, &mut rebuilt);
    let Rebuilt { mut world, feed, .. } = rebuilt;
    let (mut record, mut n_ticks) = (TickRecord::default(), 0);
    while flow != ReplayFlow::End && visitor.goes_on(n_ticks) {
        let Some(begins_chunk) = reader.begin_chunk()? else { break };
        if begins_chunk && flow == ReplayFlow::Step {
            flow = visitor.key_frame(reader, &world);
            if flow == ReplayFlow::End {
                break;
            }
        }
        if !reader.next_tick(&mut record)? {
            break;
        }
        if flow == ReplayFlow::Step {
            let tick = world.tick();
            give(&mut world, &record.commands, || format!("tick {tick}"))?;
            if let Some(feed) = &feed {
                feed.put(|decisions| decisions.clone_from(&record.decisions));
            }
            let state = visitor.step(&mut world);
            flow = visitor.tick(ReplayedTick { tick, reader, record: &record, world: &mut world, state });
        } else {
            visitor.tick_read(&record);
        }
        n_ticks += 1;
    }
    if flow == ReplayFlow::Step && n_ticks == reader.n_ticks() {
        give(&mut world, &reader.commands_after_end()?, || "the end".to_owned())?;
    }
    Ok((flow != ReplayFlow::End).then_some(world))
}

/// Gives the commands of a host again.
fn give(
    world: &mut World,
    commands: &[GivenCommand],
    part: impl Fn() -> String,
) -> Result<(), RecordingError> {
    for given in commands {
        let found = world.command_again(given.clone());
        if found != given.ticket {
            let why = format!("a command of ticket {}, expected {}", given.ticket.0, found.0);
            return Err(RecordingError::Damaged { part: part(), why });
        }
    }
    Ok(())
}
