//! Details of an event, beyond the numbers of its row.

use crate::commands::Ticket;
use wheelbase_grid::Rect;
use wheelbase_planner::Pose;
use wheelbase_planner::model::Reached;
use wheelbase_traffic::clone_fields;
use wheelbase_traffic::motion::{AgentId, ClassId};
use wheelbase_traffic::teams::Team;

/// Most agents that an edit names of those for which it waits.
pub(crate) const WAITS_FOR_MAX: usize = 8;

/// Details of an event, beyond the numbers of its [`EventRow`](crate::EventRow). [`World::event_details`] and
/// [`World::log_details`] give it. A field that does not apply is `None`, or empty.
///
/// | event | fields |
/// |---|---|
/// | `spawned` | `ticket`, `class`, `team`, `pose` |
/// | `removed` | `ticket`, `class`, `team`, `pose`: the last one, in mid-move that in which the move began |
/// | `entered`, `left` | as `removed`, as `spawned` |
/// | `refused` | `ticket`; about a pose: `class`, `team`, `pose`, its `blocker` or the `area` of a waiting edit |
/// | `ordered` | `ticket` |
/// | `order_done` | `ticket`; `reached` of an order with a goal |
/// | `order_failed` | `ticket`; `blocker` if it is obstructed |
/// | `blocked` | `blocker` |
/// | `edit_done` | `ticket`, `area`; `agents`: those for which it waited at first |
/// | `edit_waits` | `ticket`, `area`; `agents`: those for which it waits |
/// | `edit_cancelled`, `edit_replaced` | `ticket`, and the `area` of the edit that was withdrawn or replaced in part |
/// | `class_set`, `team_set` | `ticket`, and `class` and `pose`, or `team` |
/// | others | `ticket`, if a command is their cause |
///
/// ```
/// use wheelbase_sim::{AgentId, CellXY, ClassId, Command, EventKind, Grid, Heading, MovementClass, Pose};
/// use wheelbase_sim::{Settings, Setup, SideTable, Spawn, TerrainTable, World};
/// let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
/// let mut setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]);
/// let spawn = Spawn::new(ClassId(0), Pose::new(2, 0, Heading(0)));
/// setup.agents.push(spawn.clone());
/// let mut world = World::new(setup)?;
/// let ticket = world.command(Command::Spawn(spawn));
/// world.step();
/// assert_eq!(world.events()[0].kind(), Some(EventKind::Refused));
/// let details = world.event_details(0);
/// assert_eq!((details.ticket, details.blocker), (Some(ticket), Some(AgentId(0))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`World::event_details`]: crate::World::event_details
/// [`World::log_details`]: crate::World::log_details
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventDetails<'a> {
    /// The command that is the cause. Of an order: the command that gave it; `None` if the agent was placed with it
    /// before the first tick.
    pub ticket: Option<Ticket>,
    /// Where an order has ended: at its goal or at the nearest pose. No order ends at a partial path.
    pub reached: Option<Reached>,
    /// The agent in the way; `None` if none is known.
    pub blocker: Option<AgentId>,
    /// Rectangle around the cells of an edit, on the map.
    pub area: Option<Rect>,
    /// The class.
    pub class: Option<ClassId>,
    /// The team.
    pub team: Option<Team>,
    /// The pose.
    pub pose: Option<Pose>,
    /// Agents for which an edit waits or waited, in order of id: the first 8.
    pub agents: &'a [AgentId],
}

/// Details of some events of a list, by the index of the event.
#[derive(Debug, Default)]
pub(crate) struct DetailsList {
    stored: Vec<Stored>,
    /// The agents of all details, one after the other.
    agents: Vec<AgentId>,
}

clone_fields!(DetailsList { stored, agents });

#[derive(Clone, Copy, Debug)]
struct Stored {
    /// Index of the event.
    event: usize,
    /// Without its agents.
    details: EventDetails<'static>,
    /// Where its agents begin, and how many there are.
    agents: (usize, usize),
}

impl DetailsList {
    /// Adds the details of an event behind all others that have some.
    pub fn push(&mut self, event: usize, details: EventDetails<'_>) {
        if details == EventDetails::default() {
            return;
        }
        let EventDetails { ticket, reached, blocker, area, class, team, pose, agents } = details;
        let at = (self.agents.len(), agents.len());
        self.agents.extend_from_slice(agents);
        let details = EventDetails { ticket, reached, blocker, area, class, team, pose, agents: &[] };
        self.stored.push(Stored { event, details, agents: at });
    }

    /// The details of an event; the default if it has none.
    pub fn get(&self, event: usize) -> EventDetails<'_> {
        let found = self.stored.binary_search_by_key(&event, |stored| stored.event);
        found.map_or_else(
            |_| EventDetails::default(),
            |at| {
                let Stored { details, agents: (first, count), .. } = self.stored[at];
                EventDetails { agents: &self.agents[first..first + count], ..details }
            },
        )
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.stored.clear();
        self.agents.clear();
    }

    /// Follows a list of `n_events` events from which all but some are dropped.
    pub fn retain(&mut self, n_events: usize, is_kept: impl Fn(usize) -> bool) {
        let (mut kept, mut event) = (0, 0);
        self.stored.retain_mut(|stored| {
            kept += (event..stored.event).filter(|&at| is_kept(at)).count();
            event = stored.event;
            let stays = event < n_events && is_kept(event);
            stored.event = kept;
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_follow_events_that_are_dropped() {
        let mut list = DetailsList::default();
        let of = |ticket| EventDetails { ticket: Some(Ticket(ticket)), ..EventDetails::default() };
        for event in [1, 2, 4, 5] {
            list.push(event, of(event as u64));
        }
        list.push(6, EventDetails { agents: &[AgentId(3), AgentId(9)], ..of(6) });
        list.push(7, EventDetails::default());
        // Events 0, 2 and 5 are dropped.
        list.retain(8, |event| ![0, 2, 5].contains(&event));
        let tickets: Vec<Option<u64>> =
            (0..5).map(|event| list.get(event).ticket.map(|ticket| ticket.0)).collect();
        assert_eq!(tickets, [Some(1), None, Some(4), Some(6), None]);
        assert_eq!(list.get(3).agents, [AgentId(3), AgentId(9)]);
    }
}
