//! Turns a tick of a world into its record and its bytes, for the recorder and for the second run of `verify`.

use crate::order_text::order_json;
use crate::recording::header::Header;
use crate::recording::record::{Event, PathRun, RunRange, TickRecord};
use crate::recording::recorded_agents::{RecordedAgents, current_order};
use crate::recording::tick_code::{LateMove, encode_events, encode_head, encode_moves, encode_rest};
use wheelbase_sim::{Counters, RunState, TraceEvent, World};

/// Follows a world tick by tick. Keeps its memory.
#[derive(Debug)]
pub(super) struct Observer {
    /// The agents as a reader of the recording knows them.
    pub frame: RecordedAgents,
    /// The last tick.
    pub record: TickRecord,
    /// Scratch of [`encode_moves`], and of [`encode_head`].
    late: Vec<LateMove>,
    bytes: Vec<u8>,
}

impl Observer {
    /// Before the first tick.
    pub(super) fn new(header: &Header) -> Self {
        let frame = RecordedAgents::before(header);
        Self { frame, record: TickRecord::default(), late: Vec::new(), bytes: Vec::new() }
    }

    /// Takes over a world that has stepped, before its next tick.
    /// # Errors
    /// The reason why it cannot be recorded.
    pub(super) fn begin_at(&mut self, world: &World) -> Result<(), String> {
        self.frame = RecordedAgents::of_world(world)?;
        debug_assert!(matches_world(world, &self.frame));
        Ok(())
    }

    /// Makes the frame a key frame, before the next tick of `world`.
    pub(super) fn begin_chunk(&mut self, world: &World) {
        self.frame.forget_history();
        self.frame.texts.keep(world.orders().lists_in_use());
    }

    /// Records the last tick of `world`, whose number is `tick`, from the log of the world, and appends its bytes.
    ///
    /// # Errors
    /// The reason why it cannot be recorded: it exceeds the limits of a recording, or is impossible, such as two
    /// simultaneous moves of one agent.
    pub(super) fn observe(
        &mut self,
        world: &World,
        header: &Header,
        tick: u32,
        step: RunState,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let Self { frame, record, late, bytes } = self;
        record.clear();
        record.tick = tick;
        frame.tick = tick;
        gather_head(world, header, frame, record)?;
        encode_head(record, step == RunState::Ended, header, frame, bytes, out)?;
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

/// Fills in what stands before the events: commands, decisions, and the orders that were stored.
fn gather_head(
    world: &World,
    header: &Header,
    frame: &RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    record.commands.extend_from_slice(world.log_commands());
    if let Some(decisions) = world.log_decisions().filter(|_| header.rule_is_outside()) {
        record.decisions.clone_from(decisions);
    }
    let mut next = frame.texts.next();
    for (first, orders) in world.orders().lists_from(next) {
        if first != next {
            return Err(format!("order {first} was stored, expected {next}: not every tick was recorded"));
        }
        for order in orders {
            record.new_orders.push((next, order_json(order).to_string()));
            next = next.wrapping_add(1);
        }
    }
    Ok(())
}

/// Fills in the events in their order, then the moves in order of id. Gives the number of events before the moves.
fn gather_events(world: &World, record: &mut TickRecord) -> usize {
    let TickRecord { events, path_runs, .. } = record;
    for event in world.log() {
        events.push(match *event {
            TraceEvent::Refused { ticket, agent, reason } => Event::Refused { ticket, agent, reason },
            TraceEvent::Priority { agent, priority } => Event::Priority { agent, priority },
            TraceEvent::Team { agent, team } => Event::Team { agent, team },
            TraceEvent::SpeedFactor { agent, permille } => Event::SpeedFactor { agent, permille },
            TraceEvent::Class { agent, class, pose } => Event::Class { agent, class, pose },
            TraceEvent::TasksReplaced { agent } => Event::TasksReplaced { agent },
            TraceEvent::Spawn { agent, class, pose, team, speed_factor, .. } => {
                Event::Spawn { agent, class, pose, team, speed_factor }
            }
            TraceEvent::Remove { agent, was_off_map: false } => Event::Remove { agent },
            TraceEvent::Enter { agent, container } => Event::Enter { agent, container },
            TraceEvent::Leave { agent, class, pose, team, speed_factor } => {
                Event::Leave { agent, class, pose, team, speed_factor }
            }
            TraceEvent::Order { agent, order, append, .. } => Event::Order { agent, order, append },
            TraceEvent::Done { agent, kind, .. } => Event::Done { agent, kind },
            TraceEvent::Unreachable { agent, kind, .. } => Event::Unreachable { agent, kind },
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
            // The commands tell.
            TraceEvent::EditCancelled { .. }
            | TraceEvent::EditReplaced { .. }
            | TraceEvent::Remove { was_off_map: true, .. }
            | TraceEvent::Move { .. } => continue,
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
    let agents = world.agent_arrays();
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
    record.state_hash = world.state_hash();
}

/// Whether a frame agrees with the world.
fn matches_world(world: &World, frame: &RecordedAgents) -> bool {
    let agents = world.agent_arrays();
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
