//! Tasks: goals that an agent is given one after the other, for ever.
//!
//! A task stands in the pool of orders as one order of each agent, which never closes: when its goal is
//! reached the next one takes its place. So nothing grows, however many tasks are done, and whoever looks at
//! an agent's order sees the present task and none of those that come.

use crate::orders::Trip;
use crate::random::Random;
use crate::scenario::IfUnreachable;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{Fallback, GoalMember, Heading, MovementTables, Pose, State, Way};

/// Random goals tried before the legal ones are looked for row by row.
const DRAWS_MAX: usize = 64;

/// Where tasks come from.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskSource {
    /// Legal cells of an area, at random.
    Random {
        /// The area, within the map.
        area: Rect,
    },
    /// Goals of each agent in turn, repeated.
    List {
        /// All goals, those of an agent one behind the other.
        goals: Vec<GoalMember>,
        /// First goal of each agent, and how many it has; at least one.
        of_agent: Vec<(u32, u32)>,
    },
    /// One list for all: of `team` agents, agent k is given the k-th, the (team + k)-th and so on.
    RoundRobin {
        /// The list; not empty.
        cells: Vec<CellXY>,
        /// Number of agents.
        team: u32,
    },
}

/// The tasks of one agent, of which it knows the present one.
#[derive(Clone, Debug)]
pub struct TaskSlot {
    /// Number of the source.
    source: u16,
    /// Number of the agent among those of the source.
    number: u32,
    /// Tasks given so far.
    given: u32,
    random: Random,
    /// Whether the goal of the trip is the task's; else there is no task at present.
    open: bool,
    /// The goal of the present task.
    trip: Trip,
}

/// Two slots are alike if they have given the same tasks and give the same.
impl PartialEq for TaskSlot {
    fn eq(&self, other: &Self) -> bool {
        let key = |slot: &Self| (slot.source, slot.number, slot.given, slot.open);
        key(self) == key(other) && self.trip == other.trip
    }
}

impl TaskSlot {
    /// Tasks of the agent with that number among those of a source. The numbers of a random source are those
    /// of `stream`.
    pub(crate) fn new(source: u16, number: u32, (seed, stream): (u64, u64)) -> Self {
        let trip = Trip {
            members: Vec::with_capacity(1),
            within: 0,
            fallback: Fallback::Fail,
            if_unreachable: IfUnreachable::Drop,
        };
        Self { source, number, given: 0, random: Random::of_stream(seed, stream), open: false, trip }
    }

    /// The trip to the present task's goal.
    pub fn trip(&self) -> &Trip {
        &self.trip
    }

    /// The present task's goal.
    pub fn goal(&self) -> Option<GoalMember> {
        self.trip.members.first().copied().filter(|_| self.open)
    }

    /// Number of the source among all of the simulation.
    pub(crate) fn source(&self) -> usize {
        usize::from(self.source)
    }

    /// Tasks given so far.
    pub fn given(&self) -> u32 {
        self.given
    }

    /// Gives the next task, if there is one.
    pub(crate) fn give(
        &mut self,
        source: &TaskSource,
        tables: &MovementTables,
        from: State,
    ) -> Option<GoalMember> {
        let goal = match source {
            TaskSource::Random { area } => {
                let cell = self.draw(*area, tables, from)?;
                GoalMember { cell, heading: None }
            }
            TaskSource::List { goals, of_agent } => {
                let &(first, count) = of_agent.get(self.number as usize)?;
                goals[(first + self.given % count) as usize]
            }
            TaskSource::RoundRobin { cells, team } => {
                let at = u64::from(self.given) * u64::from(*team) + u64::from(self.number);
                GoalMember { cell: cells[(at % cells.len() as u64) as usize], heading: None }
            }
        };
        self.given = self.given.wrapping_add(1);
        self.trip.members.clear();
        self.trip.members.push(goal);
        self.open = true;
        Some(goal)
    }

    /// The present task is done or given up.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }

    /// A cell of the area where the class can stand and to which it is not known that there is no way: at
    /// random; where such cells are rare, the first row by row behind one drawn at random.
    fn draw(&mut self, area: Rect, tables: &MovementTables, from: State) -> Option<CellXY> {
        let n_cells = area.width as usize * area.height as usize;
        let cell_of = |at: usize| {
            let (x, y) = (at % area.width as usize, at / area.width as usize);
            CellXY::new(area.x + x as i32, area.y + y as i32)
        };
        for _ in 0..DRAWS_MAX {
            let cell = cell_of(self.random.below(n_cells));
            if may_be_goal(tables, from, cell) {
                return Some(cell);
            }
        }
        let first = self.random.below(n_cells);
        let behind = |cell: CellXY| {
            let at = (cell.y - area.y) as usize * area.width as usize + (cell.x - area.x) as usize;
            (at + n_cells - first) % n_cells
        };
        if let Some(confined) = ConfinedPoses::of(tables, from) {
            let cells = confined.states().iter().map(|&state| tables.space().pose(state).cell);
            let goals = cells.filter(|&cell| area.contains(cell) && may_be_goal(tables, from, cell));
            return goals.min_by_key(|&cell| behind(cell));
        }
        (0..n_cells)
            .map(|step| cell_of((first + step) % n_cells))
            .find(|&cell| may_be_goal(tables, from, cell))
    }
}

/// An agent that can reach fewer poses than this is confined: its tasks are a step or two away, and it does
/// hundreds in the time in which another does one.
pub const CONFINED_BELOW_POSES: usize = 256;

/// All poses that an agent can reach which is confined.
pub(crate) struct ConfinedPoses {
    states: [State; CONFINED_BELOW_POSES],
    n: usize,
}

impl ConfinedPoses {
    /// The poses that can be reached from one, itself first; `None` if they are not fewer than
    /// [`CONFINED_BELOW_POSES`]. Takes some ten microseconds at most, and no memory.
    pub(crate) fn of(tables: &MovementTables, from: State) -> Option<Self> {
        let mut found = Self { states: [from; CONFINED_BELOW_POSES], n: 1 };
        let mut at = 0;
        while at < found.n {
            tables.for_each_successor(found.states[at], |next| {
                if found.n < CONFINED_BELOW_POSES && !found.states().contains(&next.state) {
                    found.states[found.n] = next.state;
                    found.n += 1;
                }
            });
            if found.n == CONFINED_BELOW_POSES {
                return None;
            }
            at += 1;
        }
        Some(found)
    }

    pub(crate) fn states(&self) -> &[State] {
        &self.states[..self.n]
    }
}

/// Whether some pose with its anchor on the cell is legal and not known to be out of reach.
pub(crate) fn may_be_goal(tables: &MovementTables, from: State, cell: CellXY) -> bool {
    let space = tables.space();
    let mut poses =
        (0..space.headings()).filter_map(|heading| space.state(Pose { cell, heading: Heading(heading) }));
    poses.any(|state| tables.is_legal(state) && tables.components().way(from, state) != Way::No)
}
