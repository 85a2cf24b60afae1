//! Where followers go: to where their leader rests, or to a point ahead of a leader that drives.

use crate::agents::Agents;
use crate::goal_poses::poses_of;
use crate::world::World;
use wheelbase_grid::CellXY;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{GoalMember, MovementTables};
use wheelbase_traffic::motion::{Activity, AgentId, end_state};

/// Moves of a leader's path that are looked at for an aim of its followers.
const AIM_MOVES_MAX: usize = 64;
/// Part of the distance that followers keep, within which each goes to its side of a leader that drives.
const FOLLOW_PARTS: u32 = 2;

/// Where a follower goes.
pub(crate) struct Aim {
    /// To within a number of cells of this one.
    pub cell: CellXY,
    pub within: u32,
    /// Whether its leader drives.
    pub is_driving: bool,
}

/// The row of a leader; `None` if it is gone, or is the follower itself.
pub(crate) fn leader_row(agents: &Agents, row: usize, leader: AgentId) -> Option<usize> {
    agents.present_row(leader).filter(|&leader| leader != row)
}

/// The aim of a follower: where its leader rests, within the distance that it keeps. `None` without a [`leader_row`].
///
/// With a leader that drives it goes ahead along the path, so that it never runs out of path itself. It keeps its side
/// of the leader, so that paths of many followers do not end in one file.
pub(crate) fn aim_of(world: &World, row: usize, leader: AgentId, within: u32) -> Option<Aim> {
    let World { agents, tables, grid, .. } = world;
    let leader = leader_row(agents, row, leader)?;
    let tables_of = |row: usize| &tables[usize::from(agents.motion[row].class.0)];
    let of_leader = tables_of(leader);
    let cell_of = |tables: &MovementTables, state| tables.space().pose(state).cell;
    let mut state = end_state(of_leader, &agents.motion[leader]);
    let at = cell_of(of_leader, state);
    if !matches!(
        agents.motion[leader].activity,
        Activity::Following | Activity::AwaitingPath | Activity::Arrived
    ) {
        return Some(Aim { cell: at, within, is_driving: false });
    }
    let shape = grid.shape();
    let ahead = shape.measure_of(within.saturating_add(within.div_ceil(2)));
    for &primitive in agents.moves(leader).iter().take(AIM_MOVES_MAX) {
        // A path ends for now at a move that an edit forbids.
        let is_ahead = shape.measure(cell_of(of_leader, state), at) >= ahead;
        if is_ahead || of_leader.move_ticks(state, usize::from(primitive)).is_none() {
            break;
        }
        state = of_leader.state_after(state, usize::from(primitive));
    }
    let (aim, near) = (cell_of(of_leader, state), within / FOLLOW_PARTS);
    let (tables, from) = (tables_of(row), end_state(tables_of(row), &agents.motion[row]));
    let own = cell_of(tables, from);
    let (dx, dy) = (i64::from(own.x - at.x), i64::from(own.y - at.y));
    let (far, most) = ((dx * dx + dy * dy).isqrt(), i64::from(within - near));
    let part = |by: i64| (if far > most { by * most / far } else { by }) as i32;
    let beside = CellXY::new(aim.x + part(dx), aim.y + part(dy));
    let mut poses = poses_of(tables, GoalMember::any(beside));
    let is_free = shape.measure(beside, aim) <= shape.measure_of(within - near)
        && poses.any(|to| tables.components().reachability(from, to) != Reachability::No);
    let (cell, within) = if is_free { (beside, near) } else { (aim, within) };
    Some(Aim { cell, within, is_driving: true })
}
