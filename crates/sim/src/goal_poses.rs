//! Legal poses of a goal.

use wheelbase_planner::model::State;
use wheelbase_planner::{GoalMember, Heading, MovementTables, Pose};

/// The legal poses of a goal, by state.
pub(crate) fn poses_of(tables: &MovementTables, goal: GoalMember) -> impl Iterator<Item = State> {
    let space = tables.space();
    let headings = (0..space.headings()).map(Heading);
    let wanted = headings.filter(move |&heading| goal.heading.is_none_or(|only| only == heading));
    let states = wanted.filter_map(move |heading| space.state(Pose { cell: goal.cell, heading }));
    states.filter(|&state| tables.is_legal(state))
}

/// All poses at the cell of a legal pose in which the body covers the same cells, that one first.
pub(crate) fn poses_alike(tables: &MovementTables, state: State) -> impl Iterator<Item = State> {
    let space = tables.space();
    let covered = tables.class().cells_at(space.pose(state));
    let others = poses_of(tables, GoalMember::any(space.pose(state).cell)).filter(move |&other| {
        let cells = tables.class().cells_at(space.pose(other));
        // A footprint lists each cell once.
        other != state && cells.len() == covered.len() && cells.iter().all(|cell| covered.contains(cell))
    });
    std::iter::once(state).chain(others)
}
