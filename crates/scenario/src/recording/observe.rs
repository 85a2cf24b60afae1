//! A tick of a simulation as a record: what the recorder writes and what a second run is held against.

use crate::recording::header::Header;
use crate::recording::record::{Event, PathRun, RecordedEdit, RecordedSet, TickRecord};
use crate::recording::recorded_agents::{NONE, RecordedAgents};
use crate::recording::tick_code::{ENDED, Put, put_events, put_moves, put_rest};
use wheelbase_sim::{Counters, EditEffect, OrderKind, RunState, TraceEvent, World};

/// Follows a simulation tick by tick. Keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Observer {
    /// The agents as they are known from what was recorded.
    pub frame: RecordedAgents,
    /// The last tick.
    pub record: TickRecord,
    late: Vec<(u32, u32)>,
}

impl Observer {
    /// Records the tick that was just run and puts its bytes behind others. What happened must be in the
    /// simulation's log.
    ///
    /// # Errors
    /// What of it cannot be recorded: more than a recording may hold, or what cannot be, such as two moves of one
    /// agent at once.
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
        out.byte(if step == RunState::Ended { ENDED } else { 0 });
        let n_events = gather_events(world, record);
        put_events(record, n_events, frame, out)?;
        put_moves(record, n_events, header, frame, late, out)?;
        let n_moved = record.events.len();
        gather_rest(world, frame, record);
        put_rest(record, n_moved, frame, out)?;
        frame.tick = next_tick(tick, step == RunState::Ended);
        debug_assert!(matches_simulation(world, frame));
        Ok(())
    }
}

/// The tick behind one: a run that ends stays at its last.
pub(super) fn next_tick(tick: u32, ended: bool) -> u32 {
    if ended { tick } else { tick + 1 }
}

/// Fills in the events in their order, then the moves in order of id; says how many are no moves.
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
            TraceEvent::Edit { set, on_agents, asked } => {
                Event::Edit(RecordedEdit { set: recorded_set(set), on_agents, asked })
            }
            TraceEvent::Path { agent, from, first, count } => {
                let runs_before = path_runs.len();
                let moves = &world.log_moves()[first as usize..][..count as usize];
                PathRun::put_runs(moves, path_runs);
                let count = (path_runs.len() - runs_before) as u32;
                Event::Path { agent, from, first: runs_before as u32, count }
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

fn recorded_set(set: EditEffect) -> RecordedSet {
    match set {
        EditEffect::Terrain { area, kind } => RecordedSet::Terrain { area, kind: kind.0 },
        EditEffect::Elevation { area, height } => RecordedSet::Elevation { area, height },
        EditEffect::Sides { cell, kinds: set, .. } => {
            let mut kinds = [None; 6];
            for (kind, set) in kinds.iter_mut().zip(set) {
                *kind = set.map(|kind| kind.0);
            }
            RecordedSet::Sides { cell, kinds }
        }
    }
}

/// Fills in what is told by looking: waits, current orders and dropped paths that differ from the frame's;
/// counters and hash.
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
            record.events.push(Event::Path { agent, from: frame.motion[row].to, first: 0, count: 0 });
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

/// Whether a frame holds what the simulation does.
fn matches_simulation(world: &World, frame: &RecordedAgents) -> bool {
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
