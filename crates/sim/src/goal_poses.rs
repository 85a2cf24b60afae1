//! The legal poses of a goal.

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

/// The poses of a cell in which the body covers the same cells as in a legal one of them: it may face any way
/// there. The given one is the first.
pub(crate) fn poses_alike(tables: &MovementTables, state: State) -> impl Iterator<Item = State> {
    let space = tables.space();
    let given = tables.class().cells_at(space.pose(state));
    let others = poses_of(tables, GoalMember::any(space.pose(state).cell)).filter(move |&other| {
        let cells = tables.class().cells_at(space.pose(other));
        // No cell comes twice.
        other != state && cells.len() == given.len() && cells.iter().all(|cell| given.contains(cell))
    });
    std::iter::once(state).chain(others)
}
