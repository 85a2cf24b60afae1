//! The free poses nearest to the goal of a group.

use super::view::GroupView;
use crate::goal_poses::poses_of;
use wheelbase_grid::{BitGrid, CellXY, GridShape, GridSize, Rect};
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{GoalMember, MovementTables, Pose};
use wheelbase_traffic::motion::{AgentSlot, ClassId};

/// The poses around a goal, for agents of one class.
pub(super) struct NearbyPoses<'a> {
    pub view: GroupView<'a>,
    pub class: ClassId,
    pub goal: GoalMember,
    /// By row: whether the agent waits for a pose itself, and so will leave the cells it holds.
    pub is_member: &'a [bool],
    /// By row: whether it also rests, and gets one of these poses.
    pub stands: &'a [bool],
    /// Costs to the goal, settled as far as poses are searched.
    pub field: Option<&'a CostField>,
    /// States of which each agent reaches one and is reached from it.
    pub starts: &'a [State],
}

/// Distance of poses to a goal, in sixteenths of a cell: the straight distance, or half the length of the path if that
/// is more. So poses reached only by a detour count as farther.
#[derive(Clone, Copy, Debug)]
pub(super) struct GoalDistance {
    shape: GridShape,
    goal: CellXY,
    /// The move with the least time per cell: its ticks and its cells.
    ticks: u64,
    cells: u64,
    /// Length of path that two turns are worth: they do not count.
    turns: u64,
}

/// Parts of a cell in which distances are measured.
pub(super) const PARTS: u32 = 16;

impl GoalDistance {
    pub fn new(tables: &MovementTables, goal: CellXY) -> Self {
        let moves = tables.class().primitives().iter();
        let strides = moves.clone().filter(|by| by.by != (0, 0)).map(|primitive| {
            let (f, r) = primitive.by;
            (u64::from(primitive.time), u64::from(f.unsigned_abs().max(r.unsigned_abs())))
        });
        // Of equal moves, the first.
        let fastest = strides.min_by(|one, other| (one.0 * other.1).cmp(&(other.0 * one.1)));
        let (ticks, cells) = fastest.unwrap_or((1, 1));
        let turn = moves.filter(|by| by.by == (0, 0)).map(|primitive| u64::from(primitive.time)).max();
        let turns = 2 * turn.unwrap_or(0) * cells * u64::from(PARTS) / ticks;
        Self { shape: tables.space().shape(), goal, ticks, cells, turns }
    }

    /// Distance of a cell from which the goal costs `cost` ticks.
    pub fn parts(&self, cell: CellXY, cost: u32) -> u64 {
        let length = u64::from(cost) * self.cells * u64::from(PARTS) / self.ticks;
        self.straight(cell).max(length.saturating_sub(self.turns) / 2)
    }

    /// Straight distance of a cell.
    fn straight(&self, cell: CellXY) -> u64 {
        let far = self.shape.measure(cell, self.goal);
        match self.shape {
            GridShape::Square => (far * u64::from(PARTS).pow(2)).isqrt(),
            GridShape::Hex => far * u64::from(PARTS),
        }
    }

    /// The least time of a cell, as cells and their ticks.
    pub fn cells_and_ticks(&self) -> (u64, u64) {
        (self.cells, self.ticks)
    }

    /// Ticks that the cost of a pose within a distance never exceeds.
    pub fn ticks(&self, parts: u32) -> u32 {
        let length = (2 * (u64::from(parts) + 1) + self.turns + 1) * self.ticks;
        u32::try_from(length.div_ceil(self.cells * u64::from(PARTS))).unwrap_or(u32::MAX)
    }
}

impl NearbyPoses<'_> {
    /// Chooses up to `n` poses within a [distance](GoalDistance) of `reach` that overlap neither each other nor a
    /// taken cell. The nearest come first, among equals a pose on whose cells an agent stands. Then the least cost to
    /// the goal decides, then the lowest state. Marks their cells as taken. The pose of an agent that stands replaces a
    /// chosen pose on the same cells.
    ///
    /// The goal must be reachable from each pose, and each pose from the goal and from all agents. At the edge of a map
    /// a body may stand near the goal in poses that it can reach only from one another.
    pub fn choose(&self, n: usize, reach: u32, taken: &mut BitGrid) -> Vec<State> {
        let tables = self.tables();
        let space = tables.space();
        let distance = GoalDistance::new(tables, self.goal.cell);
        let key = |state: State, cost: u32| {
            (distance.parts(space.pose(state).cell, cost), self.standing_on(state).is_none(), cost, state)
        };
        let mut near: Vec<(u64, bool, u32, State)> = match self.field {
            Some(field) => {
                field.within(distance.ticks(reach)).map(|(state, cost)| key(state, cost)).collect()
            }
            None => {
                let cells = Rect::of_cell(self.goal.cell).grown(reach / PARTS, space.size()).cells();
                let states = cells.flat_map(|cell| poses_of(tables, GoalMember::any(cell)));
                states.map(|state| key(state, 0)).collect()
            }
        };
        near.retain(|&(parts, ..)| parts <= u64::from(reach));
        near.sort_unstable();
        let goals: Vec<State> = poses_of(tables, self.goal).collect();
        let mut chosen = Vec::new();
        for (.., state) in near {
            if chosen.len() == n {
                break;
            }
            let cells = || cells_of(tables, space.pose(state));
            if !cells().all(|cell| self.is_free(cell, taken)) {
                continue;
            }
            let mut states = self.standing_on(state).into_iter().chain([state]);
            if let Some(state) = states.find(|&state| self.is_open(&goals, state)) {
                cells().for_each(|cell| taken.set(cell, true));
                chosen.push(state);
            }
        }
        chosen
    }

    /// The free pose nearest to a cell by straight distance, at most `reach_max` columns and rows away. It has the
    /// heading of the goal; if that has none, preferably the heading of `near`. It can be reached as in
    /// [`NearbyPoses::choose`]. Marks its cells as taken.
    pub fn nearest(&self, near: Pose, reach_max: u32, taken: &mut BitGrid) -> Option<State> {
        let tables = self.tables();
        let goals: Vec<State> = poses_of(tables, self.goal).collect();
        let member = GoalMember { cell: near.cell, ..self.goal };
        let state = nearest_state(tables, member, (4.min(reach_max), reach_max), |state| {
            let pose = tables.space().pose(state);
            let is_free = cells_of(tables, pose).all(|cell| self.is_free(cell, taken));
            (is_free && self.is_open(&goals, state)).then_some(pose.heading != near.heading)
        })?;
        cells_of(tables, tables.space().pose(state)).for_each(|cell| taken.set(cell, true));
        Some(state)
    }

    /// Whether a state has the heading of the goal, if that has one, and can be reached. The way begins at the agents
    /// and at one of the goal's states; without a field it also leads back to that.
    fn is_open(&self, goals: &[State], state: State) -> bool {
        let tables = self.tables();
        let reaches = |from, to| tables.components().reachability(from, to) == Reachability::Yes;
        let faces = self.goal.heading.is_none_or(|heading| heading == tables.space().pose(state).heading);
        let both_ways =
            |goal: &State| reaches(*goal, state) && (self.field.is_some() || reaches(state, *goal));
        let from = |&start: &State| tables.components().reachability(start, state) != Reachability::No;
        faces && self.starts.iter().all(from) && goals.iter().any(both_ways)
    }

    /// The state of the agent that stands on exactly the cells of a state.
    fn standing_on(&self, state: State) -> Option<State> {
        let GroupView { agents, occupancy, .. } = self.view;
        let mut holders =
            cells_of(self.tables(), self.tables().space().pose(state)).map(|cell| occupancy.holder_at(cell));
        let first = holders.next()??;
        let row = agents.row_of_slot(first).filter(|&row| self.stands[row])?;
        holders.all(|holder| holder == Some(first)).then(|| agents.motion[row].state)
    }

    /// Marks the cells of poses as free again.
    pub fn release(&self, poses: &[State], taken: &mut BitGrid) {
        let tables = self.tables();
        let cells = poses.iter().flat_map(|&state| cells_of(tables, tables.space().pose(state)));
        cells.for_each(|cell| taken.set(cell, false));
    }

    /// Whether a cell is neither taken nor part of a pose assigned to others, and no agent that stays rests on it.
    fn is_free(&self, cell: CellXY, taken: &BitGrid) -> bool {
        let GroupView { size, agents, assigned_poses, occupancy, .. } = self.view;
        let stays = |slot: AgentSlot| {
            agents.row_of_slot(slot).is_some_and(|row| !self.is_member[row] && agents.motion[row].at_rest())
        };
        let is_other = |slot: AgentSlot| agents.row_of_slot(slot).is_none_or(|row| !self.is_member[row]);
        let owner = size.cell(cell).and_then(|cell| assigned_poses.owner(cell));
        !taken.get(cell) && !owner.is_some_and(is_other) && !occupancy.holder_at(cell).is_some_and(stays)
    }

    fn tables(&self) -> &MovementTables {
        &self.view.tables[self.class.0 as usize]
    }
}

/// Cells that the body covers in a pose.
fn cells_of(tables: &MovementTables, pose: Pose) -> impl Iterator<Item = CellXY> {
    let cells = tables.class().cells_at(pose).iter();
    cells.map(move |offset| offset.cell_from(pose.cell))
}

/// Whether the whole map lies at most `reach` columns and rows from a cell.
pub(super) fn is_near_goal(size: GridSize, center: CellXY, reach: u32) -> bool {
    Rect::of_cell(center).grown(reach, size) == size.rect()
}

/// The cell of the legal pose at the least straight distance from a goal, with the goal's heading if it has one. By its
/// component the pose may be reachable from a state. Among equals it is the pose of the lowest state.
pub(super) fn nearest_member(tables: &MovementTables, goal: GoalMember, from: State) -> Option<GoalMember> {
    let is_open = |state| tables.components().reachability(from, state) != Reachability::No;
    let nearest = nearest_state(tables, goal, (8, u32::MAX), |state| is_open(state).then_some(()))?;
    Some(GoalMember { cell: tables.space().pose(nearest).cell, ..goal })
}

/// The legal state at the least straight distance from a goal, with the goal's heading if it has one. States without a
/// rank are left out. Among equals the lowest rank decides, then the lowest state. The search is in growing squares,
/// from `reach` columns and rows around the goal to `reach_max`.
fn nearest_state<R: Ord>(
    tables: &MovementTables,
    goal: GoalMember,
    (mut reach, reach_max): (u32, u32),
    rank: impl Fn(State) -> Option<R>,
) -> Option<State> {
    let space = tables.space();
    let shape = space.shape();
    loop {
        let square = Rect::of_cell(goal.cell).grown(reach, space.size());
        let is_whole_map = square == space.size().rect();
        let states = square.cells().flat_map(|cell| poses_of(tables, GoalMember { cell, ..goal }));
        let ranked = states.filter_map(|state| {
            Some((shape.measure(space.pose(state).cell, goal.cell), rank(state)?, state))
        });
        let nearest = ranked.min().filter(|&(far, ..)| is_whole_map || far <= shape.measure_of(reach));
        if nearest.is_some() || is_whole_map || reach >= reach_max {
            return nearest.map(|(.., state)| state);
        }
        reach = reach.saturating_mul(2).min(reach_max);
    }
}
