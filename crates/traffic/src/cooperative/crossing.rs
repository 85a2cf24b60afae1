//! Crossings: the next moves of an agent lead over ground where it must not stop, and its plan has to lead off it.
//! Such ground is no-stopping ground, or a place too narrow to turn in for a body that cannot undo its moves.

use crate::cooperative::moves::guide_moves;
use crate::cooperative::plan::{MOVES_MAX, USUAL_MOVES_MAX};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::sipp::Crossing;
use crate::view::TrafficView;
use wheelbase_planner::model::State;

/// Moves of the plan of an agent at most.
pub(crate) fn moves_max(crossing: Option<Crossing>) -> usize {
    if crossing.is_some() { MOVES_MAX } else { USUAL_MOVES_MAX }
}

/// Whether an agent is on no-stopping ground or will be within the usual horizon of its path from a state.
pub(crate) fn find_crossing(
    table: &PlanTable,
    view: &TrafficView<'_>,
    row: usize,
    from: State,
) -> Option<Crossing> {
    let motion = &view.agents.motion[row];
    let class = motion.class.0 as usize;
    let tables = &view.tables[class];
    let (space, stopping_agent) = (tables.space(), table.stopping_agent(&view.agents, view.tables, row));
    let no_stopping = &table.corridor_control.no_stopping;
    let horizon_moves = table.params.horizon_steps as usize;
    // A body that cannot undo its moves has to come to where it can turn.
    let turns = table.turnaround.needs(class);
    if !no_stopping.is_active() && !turns {
        return None;
    }
    let covers = |state: State| {
        let pose = space.pose(state);
        no_stopping.covers((pose.cell, tables.class().cells_at(pose)), stopping_agent)
    };
    let path = guide_moves(view, row, &table.heads[view.agents.slots[row].index()]);
    let (mut state, mut crosses, mut fits_at) = (from, turns || covers(from), 0);
    for (at, &primitive) in path.iter().take(MOVES_MAX).enumerate() {
        if tables.move_ticks(state, usize::from(primitive)).is_none() {
            return crosses.then_some(Crossing::NONE);
        }
        state = tables.state_after(state, usize::from(primitive));
        crosses |= at < horizon_moves && covers(state);
        if turns && table.turnaround.fits((class, tables), state) {
            fits_at = at + 1;
        }
        if !crosses && at >= horizon_moves {
            return None;
        }
    }
    let goal = (path.len() <= MOVES_MAX).then_some(state);
    crosses.then_some(Crossing { goal, may_lock: goal.is_none() && fits_at < USUAL_MOVES_MAX })
}
