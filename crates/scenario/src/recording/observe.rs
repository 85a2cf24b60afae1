//! Turns a tick of a world into its record and its bytes, for the recorder and for the second run of `verify`.

use crate::recording::header::Header;
use crate::recording::record::{Event, PathRun, RunRange, TickRecord};
use crate::recording::recorded_agents::{NONE, RecordedAgents};
use crate::recording::tick_code::{ENDED, LateMove, encode_events, encode_moves, encode_rest};
use wheelbase_sim::{Counters, OrderKind, RunState, TraceEvent, World};

/// Follows a world tick by tick. Keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Observer {
    /// The agents as a reader of the recording knows them.
    pub frame: RecordedAgents,
    /// The last tick.
    pub record: TickRecord,
    /// Scratch of [`encode_moves`].
    late: Vec<LateMove>,
}

impl Observer {
    /// Records the last tick of `world`, whose number is `tick`, from the log of the world, and appends its bytes.
    ///
    /// # Errors
    /// The reason why it cannot be recorded: it exceeds the limits of a recording, or is impossible, such as two
    /// moves of one agent at once.
    pub(super) fn observe(
        &mut self,
        world: &World,
        header: &Header,
        tick: u32,
        step: RunState,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let Self { frame, record, late } = self;
        record.clear();
        record.tick = tick;
        frame.tick = tick;
        out.push(if step == RunState::Ended { ENDED } else { 0 });
        let n_events = gather_events(world, record);
        encode_events(record, n_events, frame, out)?;
        encode_moves(record, n_events, header, frame, late, out)?;
        let n_moved = record.events.len();
        gather_rest(world, frame, record);
        encode_rest(record, n_moved, frame, out)?;
        frame.tick = next_tick(tick, step == RunState::Ended);
        debug_assert!(matches_world(world, frame));
        Ok(())
    }
}

/// The tick after `tick`: a run that ends stays at its last.
pub(super) fn next_tick(tick: u32, ended: bool) -> u32 {
    if ended { tick } else { tick + 1 }
}

/// Fills in the events in their order, then the moves in order of id. Gives the number of events before the moves.
fn gather_events(world: &World, record: &mut TickRecord) -> usize {
    let TickRecord { events, path_runs, .. } = record;
    let kind_of = |name: &str| OrderKind::NAMES.iter().position(|known| *known == name).unwrap_or(0) as u8;
    for event in world.log() {
        events.push(match *event {
            TraceEvent::Spawn { agent, class, pose, .. } => Event::Spawn { agent, class, pose },
            TraceEvent::Remove { agent } => Event::Remove { agent },
            TraceEvent::Order { agent, order } => Event::Order { agent, order },
            TraceEvent::Done { agent, order } => Event::Done { agent, kind: kind_of(order) },
            TraceEvent::Unreachable { agent, order } => Event::Unreachable { agent, kind: kind_of(order) },
            TraceEvent::Task { agent, goal, .. } => {
                Event::Task { agent, cell: goal.cell, heading: goal.heading }
            }
            TraceEvent::TaskDone { agent, cell } => Event::TaskDone { agent, cell },
            TraceEvent::Edit(edit) => Event::Edit(edit),
            TraceEvent::Path { agent, from, first, count } => {
                let first_run = path_runs.len();
                let moves = &world.log_moves()[first as usize..][..count as usize];
                PathRun::append_path(moves, path_runs);
                let count = (path_runs.len() - first_run) as u32;
                Event::Path { agent, from, runs: RunRange { first: first_run as u32, count } }
            }
            TraceEvent::Move { .. } => continue,
        });
    }
    let n_events = events.len();
    events.extend(world.log().iter().filter_map(|event| match *event {
        TraceEvent::Move { agent, primitive, from, to, until, .. } => {
            Some(Event::Move { agent, primitive, from, to, end: until })
        }
        _ => None,
    }));
    events[n_events..].sort_unstable_by_key(Event::agent);
    n_events
}

/// Fills in what the log leaves out: changes of waits, current orders and paths against the frame; counters and
/// hash.
fn gather_rest(world: &World, frame: &RecordedAgents, record: &mut TickRecord) {
    let agents = world.agents();
    let rows = || agents.ids.iter().copied().enumerate();
    for (row, agent) in rows() {
        let since = agents.wait_states[row].waits_since;
        if frame.waits_since[row] != since {
            record.events.push(Event::Wait { agent, since });
        }
    }
    for (row, agent) in rows() {
        let order = current_order(world, row);
        if frame.orders[row] != order {
            record.events.push(Event::Current { agent, order });
        }
    }
    for (row, agent) in rows() {
        if agents.paths[row].is_empty() && !frame.runs(row).is_empty() {
            let from = frame.motion[row].to;
            record.events.push(Event::Path { agent, from, runs: RunRange::default() });
        }
    }
    record.counters = Counters::of(world);
    record.state_hash = world.tick_hash();
}

/// Number of the current order of the agent in a row.
fn current_order(world: &World, row: usize) -> u32 {
    let open = world.agents().orders(row).open;
    if open.count > 0 { open.first } else { NONE }
}

/// Whether a frame agrees with the world.
fn matches_world(world: &World, frame: &RecordedAgents) -> bool {
    let agents = world.agents();
    agents.ids == frame.ids
        && (0..agents.len()).all(|row| {
            let motion = &agents.motion[row];
            motion.at_rest() != frame.is_moving(row)
                && world.pose(row) == frame.pose(row)
                && motion.class == frame.classes[row]
                && (motion.at_rest() || motion.until == frame.motion[row].end)
                && world.paths().moves(agents.paths[row]).iter().copied().eq(frame.path(row))
                && current_order(world, row) == frame.orders[row]
        })
}
