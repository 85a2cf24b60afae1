//! Tasks: goals that an agent is given one after another, forever.
//!
//! The tasks of an agent are one order, which never closes: when a goal is reached, the next one replaces it. All
//! agents of a command share the order; each has a slot with its current task. So nothing grows, however many tasks are
//! done.

use crate::plain;
use crate::trip::Trip;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::model::{HEADING_COUNTS, State, heading_from_name, heading_name};
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{GoalMember, Heading, MovementTables, Pose};
use wheelbase_traffic::random::Random;

/// Random goals tried before the legal ones are searched for in order.
const DRAWS_MAX: usize = 64;
/// Limit of the poses visited to find the goals of an agent in an enclosed region.
const GATHERED_POSES_MAX: usize = 1 << 14;
/// An agent that can reach fewer poses than this is confined. Its tasks are a step or two away, and it does hundreds of
/// them while another agent does one.
pub const CONFINED_BELOW_POSES: usize = 256;

/// A source of tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskSource {
    /// Random cells of an area, with a legal pose from which the agent can come back if there is one.
    Random {
        /// The area, within the map.
        area: Rect,
    },
    /// A list of goals for each agent, repeated. Groups that name the same table share it.
    List {
        /// The lists of all agents, concatenated.
        goals: Arc<[GoalMember]>,
        /// For each agent its first goal and the number of its goals, at least one.
        of_agent: Arc<[(u32, u32)]>,
        /// Number of headings that the goals count in: 1, 4, 6 or 8.
        headings: u8,
    },
    /// One list for all: of `team` agents, agent k gets the k-th goal, the (team + k)-th and so on.
    RoundRobin {
        /// The list; not empty.
        cells: Arc<[CellXY]>,
        /// Number of agents.
        team: u32,
    },
}

impl TaskSource {
    /// Whether it has goals on the map for `n_agents` agents: an area, a list for each, cells to hand out.
    pub(crate) fn is_right(&self, size: GridSize, n_agents: usize) -> bool {
        match self {
            Self::Random { area } => !area.is_empty() && area.intersection(size.rect()) == *area,
            Self::List { goals, of_agent, headings } => {
                let known = |heading: Heading| heading.0 < *headings;
                let is_there = |&(first, n): &(u32, u32)| {
                    let goals = goals.get(first as usize..).and_then(|goals| goals.get(..n as usize));
                    goals.is_some_and(|goals| !goals.is_empty())
                };
                HEADING_COUNTS.contains(headings)
                    && goals.iter().filter_map(|goal| goal.heading).all(known)
                    && goals.iter().all(|goal| size.contains(goal.cell))
                    && of_agent.len() >= n_agents
                    && of_agent.iter().all(is_there)
            }
            Self::RoundRobin { cells, .. } => {
                !cells.is_empty() && cells.iter().all(|&cell| size.contains(cell))
            }
        }
    }
}

/// The tasks of one agent: the current one, and how to make the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskSlot {
    /// Index of the agent in the source.
    number: u32,
    /// Tasks given so far.
    given: u32,
    #[serde(with = "plain")]
    random: Random,
    /// Whether there is a current task: the goal of the trip.
    open: bool,
    /// The trip to the goal of the current task.
    trip: Trip,
}

/// Slots are equal if they have given the same tasks and will give the same.
impl PartialEq for TaskSlot {
    fn eq(&self, other: &Self) -> bool {
        let key = |slot: &Self| (slot.number, slot.given, slot.open);
        key(self) == key(other) && self.trip == other.trip
    }
}

impl TaskSlot {
    /// The tasks of the agent of an index in a source. A random source draws from `stream` of `seed`.
    pub(crate) fn new(number: u32, (seed, stream): (u64, u64)) -> Self {
        let trip = Trip::to(Vec::with_capacity(1));
        Self { number, given: 0, random: Random::of_stream(seed, stream), open: false, trip }
    }

    /// As [`TaskSlot::new`], in the same memory.
    pub(crate) fn restart(&mut self, number: u32, (seed, stream): (u64, u64)) {
        self.trip.members.clear();
        (self.number, self.given, self.open) = (number, 0, false);
        self.random = Random::of_stream(seed, stream);
    }

    /// The trip to the goal of the current task.
    pub fn trip(&self) -> &Trip {
        &self.trip
    }

    /// The goal of the current task.
    pub fn goal(&self) -> Option<GoalMember> {
        self.trip.members.first().copied().filter(|_| self.open)
    }

    /// Tasks given so far.
    pub fn given(&self) -> u32 {
        self.given
    }

    /// Whether an open task has its goal. An agent beyond the lists of its source has none.
    pub(crate) fn is_sound(&self) -> bool {
        !self.open || self.trip.members.len() == 1
    }

    /// Gives the next task, if there is one.
    pub(crate) fn give(
        &mut self,
        source: &TaskSource,
        tables: &MovementTables,
        from: State,
        reached: &mut ReachedPoses,
    ) -> Option<GoalMember> {
        let goal = match source {
            TaskSource::Random { area } => {
                let cell = self.draw(*area, tables, from, reached)?;
                GoalMember { cell, heading: None }
            }
            TaskSource::List { goals, of_agent, headings } => {
                let &(first, count) = of_agent.get(self.number as usize)?;
                let GoalMember { cell, heading } = *goals.get((first + self.given % count) as usize)?;
                let own = tables.space().headings();
                let heading = heading.and_then(|heading| match own == *headings {
                    true => Some(heading),
                    // A heading that the class lacks means any.
                    false => heading_from_name(own, heading_name(*headings, heading)),
                });
                GoalMember { cell, heading }
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

    /// Closes the current task, done or not.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }

    /// A random cell of the area with a pose that the agent can reach and leave again, as far as is known. If such
    /// cells are rare, it need not come back; if these are rare too, the first in row-major order from a random cell
    /// on.
    fn draw(
        &mut self,
        area: Rect,
        tables: &MovementTables,
        from: State,
        reached: &mut ReachedPoses,
    ) -> Option<CellXY> {
        let n_cells = area.width as usize * area.height as usize;
        let cell_of = |at: usize| {
            let (x, y) = (at % area.width as usize, at / area.width as usize);
            CellXY::new(area.x + x as i32, area.y + y as i32)
        };
        let mut one_way = None;
        for _ in 0..DRAWS_MAX {
            let cell = cell_of(self.random.below(n_cells));
            if may_be_goal_and_back(tables, from, cell) {
                return Some(cell);
            }
            one_way = one_way.or(Some(cell).filter(|&cell| may_be_goal(tables, from, cell)));
        }
        if one_way.is_some() {
            return one_way;
        }
        let first = self.random.below(n_cells);
        // Scanning the cells of a large area takes longer than visiting many poses.
        let below = (n_cells / 64).clamp(CONFINED_BELOW_POSES, GATHERED_POSES_MAX);
        if tables.components().are_known()
            && reached.gather(from, below, |state, found| tables.for_each_neighbour(state, found))
        {
            // All candidate cells are among these few poses.
            let cells = reached.poses.iter().map(|&state| tables.space().pose(state).cell);
            let goals = cells.filter(|&cell| area.contains(cell) && may_be_goal(tables, from, cell));
            return goals.min_by_key(|cell| {
                let at = (cell.y - area.y) as usize * area.width as usize + (cell.x - area.x) as usize;
                (at + n_cells - first) % n_cells
            });
        }
        (0..n_cells)
            .map(|step| cell_of((first + step) % n_cells))
            .find(|&cell| may_be_goal(tables, from, cell))
    }
}

/// Scratch for the poses reachable from a pose in an enclosed region. 320 kB.
#[derive(Debug)]
pub(crate) struct ReachedPoses {
    poses: Vec<State>,
    /// Hash table of the poses; [`FREE`] marks an empty slot. A power of two of the slots is in use, at least four
    /// for each pose.
    seen: Vec<u32>,
}

/// An empty slot of the table.
const FREE: u32 = u32::MAX;

impl Default for ReachedPoses {
    fn default() -> Self {
        let places = (4 * GATHERED_POSES_MAX).next_power_of_two();
        Self { poses: Vec::with_capacity(GATHERED_POSES_MAX), seen: vec![FREE; places] }
    }
}

impl ReachedPoses {
    /// Gathers all poses reachable from one by steps. Stops and returns `false` once there are `below` of them, or
    /// [`GATHERED_POSES_MAX`] if that is less.
    pub fn gather(
        &mut self,
        from: State,
        below: usize,
        for_each_step: impl Fn(State, &mut dyn FnMut(State)),
    ) -> bool {
        let below = below.min(GATHERED_POSES_MAX);
        // Only this part of the table needs to be cleared.
        let seen = &mut self.seen[..(4 * below).next_power_of_two()];
        let poses = &mut self.poses;
        poses.clear();
        seen.fill(FREE);
        let mut add = |poses: &mut Vec<State>, state: State| {
            let mut at = state.0.wrapping_mul(0x9e37_79b1) as usize >> 8;
            loop {
                at %= seen.len();
                if seen[at] == state.0 || poses.len() >= below {
                    return;
                }
                if seen[at] == FREE {
                    seen[at] = state.0;
                    poses.push(state);
                    return;
                }
                at += 1;
            }
        };
        add(poses, from);
        let mut at = 0;
        while at < poses.len() && poses.len() < below {
            for_each_step(poses[at], &mut |next| add(poses, next));
            at += 1;
        }
        poses.len() < below
    }
}

/// Whether some pose with its anchor on the cell is legal and not known to be unreachable.
pub(crate) fn may_be_goal(tables: &MovementTables, from: State, cell: CellXY) -> bool {
    has_pose(tables, cell, |state| is_reachable(tables, from, state))
}

/// Whether some such pose is also not known to be one without a way back.
fn may_be_goal_and_back(tables: &MovementTables, from: State, cell: CellXY) -> bool {
    has_pose(tables, cell, |state| is_reachable(tables, from, state) && is_reachable(tables, state, from))
}

/// Whether some legal pose with its anchor on the cell will do.
fn has_pose(tables: &MovementTables, cell: CellXY, will_do: impl Fn(State) -> bool) -> bool {
    let space = tables.space();
    let mut poses =
        (0..space.headings()).filter_map(|heading| space.state(Pose { cell, heading: Heading(heading) }));
    poses.any(|state| tables.is_legal(state) && will_do(state))
}

/// Whether one legal pose is not known to be unreachable from another.
fn is_reachable(tables: &MovementTables, from: State, to: State) -> bool {
    tables.components().reachability(from, to) != Reachability::No
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use wheelbase_grid::{Grid, SideTable, TerrainTable};
    use wheelbase_planner::{ClassSpec, MovementClass, Primitive};

    /// Gathered poses equal a flood fill without tables, up to the limit.
    #[test]
    fn reached_poses_are_those_of_a_flood() {
        let rows: Vec<String> = (0..60)
            .map(|y| (0..70).map(|x| if (x * 7 + y * 13) % 11 < 3 || x == 33 { 'W' } else { '.' }).collect())
            .collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
        let mut spec = ClassSpec::new("walker", 1);
        spec.primitives = Primitive::four_directions(1);
        let tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
        let mut reached = ReachedPoses::default();
        for from in (0..tables.space().n_states() as u32).step_by(97).map(State) {
            let mut flood = vec![from];
            let mut at = 0;
            while at < flood.len() {
                tables.for_each_neighbour(flood[at], |next| {
                    if !flood.contains(&next) {
                        flood.push(next);
                    }
                });
                at += 1;
            }
            for below in [1, 2, 9, flood.len(), flood.len() + 1, 1 << 14] {
                let few = reached.gather(from, below, |state, found| tables.for_each_neighbour(state, found));
                assert_eq!(few, flood.len() < below, "{from:?}, {below}");
                assert!(reached.poses.len() <= below && flood.starts_with(&reached.poses));
                assert!(!few || reached.poses == flood);
            }
        }
    }

    /// Goals drawn for an agent in an enclosed region, compared with a scan of every cell of the area.
    #[test]
    fn goals_of_agents_that_are_shut_in_are_the_next_in_order() {
        let rows = ["......W..W...", "WWWWWWW..WWW.", ".W.W....W.W..", "WWWWWWWWWWWW."];
        let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
        let both_ways = Primitive::four_directions(1);
        // East and south only: some cells of the same weak component are unreachable, which this check does not find
        // out.
        let one_way = vec![both_ways[0].clone(), both_ways[3].clone()];
        for primitives in [both_ways, one_way] {
            let mut spec = ClassSpec::new("walker", 1);
            spec.primitives = primitives;
            let mut tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
            tables.make_components();
            let mut reached = ReachedPoses::default();
            let mut n_goals = 0;
            for from in (0..tables.space().n_states() as u32).map(State) {
                for (seed, area) in (0..20).map(|seed| (seed, Rect::new(seed as i32 % 3, 0, 9, 4))) {
                    let slot = TaskSlot::new(0, (seed, u64::from(from.0)));
                    let found = slot.clone().draw(area, &tables, from, &mut reached);
                    let mut random = slot.random.clone();
                    let cells: Vec<CellXY> = area.cells().collect();
                    let may = |cell: &CellXY| may_be_goal(&tables, from, *cell);
                    let drawn: Vec<CellXY> =
                        (0..DRAWS_MAX).map(|_| cells[random.below(cells.len())]).collect();
                    let back = |cell: &CellXY| may_be_goal_and_back(&tables, from, *cell);
                    let drawn = drawn.iter().copied().find(back).or_else(|| drawn.iter().copied().find(may));
                    let expected = drawn.or_else(|| {
                        let first = random.below(cells.len());
                        cells[first..].iter().chain(&cells[..first]).copied().find(may)
                    });
                    assert_eq!(found, expected, "{from:?}, {seed}");
                    n_goals += usize::from(found.is_some());
                }
            }
            assert!(n_goals > 100, "{n_goals}");
        }
    }
}
