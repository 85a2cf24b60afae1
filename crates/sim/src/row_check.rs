//! A slow check of rows and events: after every tick it rebuilds both from the state that they repeat.

use crate::log::TraceEvent;
use crate::rows::agent_row::{AgentRow, LastMove};
use crate::rows::event_details::EventDetails;
use crate::rows::event_row::{EventKind, EventRow};
use crate::world::World;
use std::collections::BTreeMap;
use wheelbase_planner::Pose;
use wheelbase_traffic::motion::AgentId;

/// A slow check of [`World::agents`] and [`World::events`] against the arrays of the agents and the log.
///
/// ```
/// use wheelbase_grid::{Grid, SideTable, TerrainTable};
/// use wheelbase_planner::{Heading, MovementClass, Pose};
/// use wheelbase_sim::invariant::RowCheck;
/// use wheelbase_sim::{ClassId, Settings, Setup, Spawn, World};
/// let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
/// let mut setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]);
/// setup.agents.push(Spawn::new(ClassId(0), Pose::new(2, 0, Heading(0))));
/// let mut world = World::new(setup)?;
/// let mut rows = RowCheck::begin(&mut world);
/// for _ in 0..10 {
///     world.step();
///     rows.follow(&mut world)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RowCheck {
    moves: BTreeMap<AgentId, LastMove>,
    /// The rows after the tick before.
    before: Vec<AgentRow>,
}

impl RowCheck {
    /// Starts the log of a world before its first tick, and reads its initial agents.
    pub fn begin(world: &mut World) -> Self {
        let mut check = Self { moves: BTreeMap::new(), before: world.agents().to_vec() };
        world.keep_log();
        check.read_moves(world);
        world.clear_log();
        check
    }

    /// Compares after a tick, and clears the log.
    /// # Errors
    /// The first difference, in words.
    pub fn follow(&mut self, world: &mut World) -> Result<(), String> {
        self.read_moves(world);
        let result = self.check_rows(world).and_then(|()| self.check_changes(world));
        let result = result.and_then(|()| check_events(world));
        self.before = world.agents().to_vec();
        world.clear_log();
        result
    }

    /// Compares all rows with the rows of the tick before.
    fn check_changes(&self, world: &World) -> Result<(), String> {
        let differs = |(at, row): (usize, &AgentRow)| {
            let before = self.before.binary_search_by_key(&row.id, |row| row.id);
            before.map_or(true, |before| self.before[before] != *row).then_some(at)
        };
        let changed: Vec<usize> = world.agents().iter().enumerate().filter_map(differs).collect();
        if world.changed_rows().eq(changed.iter().copied()) {
            return Ok(());
        }
        let told: Vec<usize> = world.changed_rows().collect();
        Err(format!("rows {told:?} are said to have changed, and {changed:?} have"))
    }

    /// Notes that an agent stands in a pose since a tick.
    fn place(&mut self, agent: AgentId, pose: Pose, tick: u32) {
        self.moves.insert(agent, LastMove { from: pose, to: pose, turn: 0, begin: tick, end: tick });
    }

    /// Notes the moves that began at the last tick, and its placements and class changes.
    fn read_moves(&mut self, world: &World) {
        let begin = world.tick().saturating_sub(1);
        for event in world.log() {
            match *event {
                TraceEvent::Spawn { agent, pose, tick, .. } => self.place(agent, pose, tick),
                TraceEvent::Class { agent, pose, .. } | TraceEvent::Leave { agent, pose, .. } => {
                    self.place(agent, pose, begin);
                }
                TraceEvent::Move { agent, class, primitive, from, to, until } => {
                    let class = world.tables[usize::from(class.0)].class();
                    let turn = class.primitives()[usize::from(primitive)].turn as i16;
                    self.moves.insert(agent, LastMove { from, to, turn, begin, end: until });
                }
                TraceEvent::Remove { agent, .. } | TraceEvent::Enter { agent, .. } => {
                    self.moves.remove(&agent);
                }
                _ => {}
            }
        }
    }

    fn check_rows(&self, world: &World) -> Result<(), String> {
        let (found, n_agents) = (world.agents(), world.agent_arrays().len());
        if found.len() != n_agents || self.moves.len() != n_agents {
            return Err(format!("{} rows, {n_agents} agents, {} moves", found.len(), self.moves.len()));
        }
        for (row, found) in found.iter().enumerate() {
            let agents = world.agent_arrays();
            let last_move = self.moves.get(&agents.ids[row]);
            let expected = last_move.map(|last_move| agents.row_of(row, last_move, world.orders()));
            let agrees = expected.as_ref() == Some(found)
                && found.pose() == world.pose(row)
                && found.activity() == Some(agents.motion[row].activity)
                && found.is_moving() == (found.end_tick > world.tick());
            if !agrees {
                return Err(format!("tick {}: row {found:?}, expected {expected:?}", world.tick()));
            }
        }
        Ok(())
    }
}

/// The events of a tick equal its log without moves; only blocked agents and edits that begin to wait are not logged.
fn check_events(world: &World) -> Result<(), String> {
    // The last step of a run does not advance its tick.
    let tick = world.events().first().map_or(world.tick().saturating_sub(1), |row| row.tick);
    let about_edits =
        [EventKind::EditDone, EventKind::EditWaits, EventKind::EditCancelled, EventKind::EditReplaced];
    let besides = [EventKind::EditWaits, EventKind::Blocked];
    let mut told = Vec::new();
    let mut details_told = Vec::new();
    for (index, row) in world.events().iter().enumerate() {
        let Some(kind) = row.kind() else { return Err(format!("no kind: {row:?}")) };
        let about_no_agent = about_edits.contains(&kind);
        let by_command = about_no_agent || matches!(kind, EventKind::Spawned | EventKind::Refused);
        let is_right = row.tick == tick
            && (row.ticket != EventRow::NO_TICKET) == by_command
            && (row.agent == EventRow::NONE || !about_no_agent)
            && (row.agent != EventRow::NONE || about_no_agent || kind == EventKind::Refused);
        if !is_right {
            return Err(format!("tick {tick}: event {row:?}"));
        }
        // The log does not say which command asked for an edit.
        let ticket = if kind == EventKind::EditDone { EventRow::NO_TICKET } else { row.ticket };
        let details = world.event_details(index);
        let is_right = (row.ticket == EventRow::NO_TICKET
            || details.ticket.map(|ticket| ticket.0) == Some(row.ticket))
            && (kind != EventKind::Removed || details.class.is_some() && details.team.is_some())
            && (kind != EventKind::EditWaits || !details.agents.is_empty())
            && details.agents.is_sorted();
        if !is_right {
            return Err(format!("tick {tick}: event {row:?}, {details:?}"));
        }
        if !besides.contains(&kind) {
            told.push(EventRow { ticket, ..*row });
            details_told.push(details);
        }
    }
    let logged: Vec<EventRow> = world.log().iter().filter_map(|event| EventRow::of(tick, event)).collect();
    if told != logged {
        return Err(format!("tick {tick}: events {told:?}, log {logged:?}"));
    }
    let log = world.log().iter().enumerate().filter(|(_, event)| EventRow::of(tick, event).is_some());
    let details_logged: Vec<EventDetails<'_>> = log.map(|(index, _)| world.log_details(index)).collect();
    if details_told == details_logged {
        Ok(())
    } else {
        Err(format!("tick {tick}: details {details_told:?}, in the log {details_logged:?}"))
    }
}
