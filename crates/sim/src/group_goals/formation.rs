//! Formations: groups whose members keep their layout and the pace of the slowest.

use super::batch::{Batch, UnassignedAgent, starts_of};
use super::nearby_poses::{GoalDistance, NearbyPoses};
use super::view::GroupView;
use wheelbase_grid::{BitGrid, CellXY, GridShape};
use wheelbase_planner::Pose;
use wheelbase_planner::model::State;
use wheelbase_traffic::motion::AgentId;

/// A cell in axial coordinates, in which a layout keeps its shape wherever it is moved. On square maps they are the
/// column and the row; on hexagonal maps the first runs along a diagonal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Axial {
    q: i64,
    r: i64,
}

impl Axial {
    fn of_cell(shape: GridShape, cell: CellXY) -> Self {
        let (x, r) = (i64::from(cell.x), i64::from(cell.y));
        Self { q: x - shear(shape, r), r }
    }

    /// The cell, if its coordinates fit.
    fn cell(self, shape: GridShape) -> Option<CellXY> {
        let x = self.q + shear(shape, self.r);
        Some(CellXY::new(i32::try_from(x).ok()?, i32::try_from(self.r).ok()?))
    }
}

/// Columns between the two coordinates of a row.
fn shear(shape: GridShape, row: i64) -> i64 {
    match shape {
        GridShape::Square => 0,
        GridShape::Hex => row.div_euclid(2),
    }
}

/// Where each member of a formation stands relative to the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    shape: GridShape,
    /// Mean of the members' anchors, which goes to the goal.
    centre: Axial,
}

impl Layout {
    /// The layout of the agents of all batches, if they are a formation.
    pub fn of_formation(view: GroupView<'_>, batches: &[Batch]) -> Option<Self> {
        let shape = view.tables.first()?.space().shape();
        let (mut n, mut sum) = (0_i64, Axial::default());
        for at in batches.iter().flat_map(|batch| batch.agents.iter().map(|of| cell_of(view, batch, of))) {
            let at = Axial::of_cell(shape, at);
            (n, sum.q, sum.r) = (n + 1, sum.q + at.q, sum.r + at.r);
        }
        let is_formation = batches.iter().any(|batch| batch.in_formation && !batch.agents.is_empty());
        is_formation.then(|| Self { shape, centre: Axial { q: sum.q.div_euclid(n), r: sum.r.div_euclid(n) } })
    }

    /// The cell at which the member at a cell is to stand, if its coordinates fit.
    fn target(&self, member: CellXY, goal: CellXY) -> Option<CellXY> {
        let at = |cell| Axial::of_cell(self.shape, cell);
        let (member, goal) = (at(member), at(goal));
        let (q, r) = (goal.q + member.q - self.centre.q, goal.r + member.r - self.centre.r);
        Axial { q, r }.cell(self.shape)
    }

    /// A pose for each agent of the batches in turn; `None` without room. It is the agent's place in the layout. It has
    /// the heading of the goal if that has one, else the agent's present heading where that is legal. Members whose
    /// places are open get them first. The others get the nearest free poses, in order of the batches.
    pub fn poses(
        &self,
        view: GroupView<'_>,
        batches: &[Batch],
        is_member: &[bool],
        taken: &mut BitGrid,
    ) -> Vec<Option<State>> {
        let mut poses = vec![None; batches.iter().map(|batch| batch.agents.len()).sum()];
        let stands = vec![false; is_member.len()];
        for in_place in [true, false] {
            let mut rest = &mut poses[..];
            for batch in batches {
                let of_batch;
                (of_batch, rest) = rest.split_at_mut(batch.agents.len());
                let (class, goal) = (batch.centre.class, batch.centre.goal);
                let starts = starts_of(&view.tables[class.0 as usize], &batch.agents);
                let field = None;
                let nearby =
                    NearbyPoses { view, class, goal, is_member, stands: &stands, field, starts: &starts };
                for (agent, pose) in batch.agents.iter().zip(of_batch).filter(|(_, pose)| pose.is_none()) {
                    let cell = cell_of(view, batch, agent);
                    let target = self.target(cell, goal.cell).unwrap_or(goal.cell);
                    let heading = view.tables[class.0 as usize].space().pose(agent.from).heading;
                    let at = Pose { cell: target, heading };
                    *pose = nearby.nearest(at, if in_place { 0 } else { u32::MAX }, taken);
                    if pose.is_none() && !in_place {
                        // No pose is left for the agents behind it either.
                        break;
                    }
                }
            }
        }
        poses
    }
}

/// The cell of an agent of a batch.
fn cell_of(view: GroupView<'_>, batch: &Batch, agent: &UnassignedAgent) -> CellXY {
    view.tables[batch.centre.class.0 as usize].space().pose(agent.from).cell
}

/// The speed factors of agents that get a pose, where they differ from their own, in thousandths. All move at the pace
/// of the slowest. Agents that stand in their poses already do not count.
pub(super) fn paces(view: GroupView<'_>, assigned: &[(AgentId, State)]) -> Vec<(AgentId, u16)> {
    // Cells per tick of a class, as a fraction.
    let speeds =
        view.tables.iter().map(|tables| GoalDistance::new(tables, CellXY::new(0, 0)).cells_and_ticks());
    let speeds: Vec<(u128, u128)> = speeds.map(|(cells, ticks)| (cells.into(), ticks.into())).collect();
    let moves = |&(agent, state): &(AgentId, State)| {
        let row = view.agents.row(agent)?;
        let (cells, ticks) = speeds[usize::from(view.agents.motion[row].class.0)];
        let factor = view.agents.speed_factors[row];
        (view.agents.motion[row].state != state).then_some((agent, factor, cells, ticks))
    };
    let moving: Vec<_> = assigned.iter().filter_map(moves).collect();
    let speed = |&(_, factor, cells, ticks): &(AgentId, u16, u128, u128)| (u128::from(factor) * cells, ticks);
    let slower = |one: &(u128, u128), other: &(u128, u128)| (one.0 * other.1).cmp(&(other.0 * one.1));
    let Some(slowest) = moving.iter().map(speed).min_by(slower) else { return Vec::new() };
    let pace = |&(agent, factor, cells, ticks): &(AgentId, u16, u128, u128)| {
        // Rounded up, as the times of moves are: rounded down, it would be slower than the slowest.
        let at_pace = (slowest.0 * ticks).div_ceil(slowest.1 * cells).clamp(1, factor.into()) as u16;
        (at_pace < factor).then_some((agent, at_pace))
    };
    moving.iter().filter_map(pace).collect()
}
