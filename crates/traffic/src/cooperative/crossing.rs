//! Crossings: the next moves of an agent lead over ground where it must not stop, and its plan has to lead off it.
//! Such ground is keep-clear ground, or a place too narrow to turn in for a body that cannot undo its moves.

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

/// Whether an agent is on keep-clear ground or will be within the usual horizon of its path from a state.
pub(crate) fn find_crossing(
    table: &PlanTable,
    view: &TrafficView<'_>,
    row: usize,
    from: State,
) -> Option<Crossing> {
    let motion = &view.agents.motion[row];
    let class = motion.class.0 as usize;
    let tables = &view.tables[class];
    let (space, keeps_clear) = (tables.space(), table.keeps_clear(&view.agents, view.tables, row));
    let keep_clear = &table.corridor_control.keep_clear;
    let horizon_moves = table.params.horizon_steps as usize;
    // A body that cannot undo its moves has to come to where it can turn.
    let turns = table.turning.needs(class);
    if !keep_clear.is_active() && !turns {
        return None;
    }
    let covers = |state: State| {
        let pose = space.pose(state);
        keep_clear.covers((pose.cell, tables.class().cells_at(pose)), keeps_clear)
    };
    let path = guide_moves(view, row, &table.heads[view.agents.slots[row].index()]);
    let (mut state, mut crosses, mut fits_at) = (from, turns || covers(from), 0);
    for (at, &primitive) in path.iter().take(MOVES_MAX).enumerate() {
        if tables.move_ticks(state, usize::from(primitive)).is_none() {
            return crosses.then_some(Crossing::NONE);
        }
        state = tables.state_after(state, usize::from(primitive));
        crosses |= at < horizon_moves && covers(state);
        if turns && table.turning.fits((class, tables), state) {
            fits_at = at + 1;
        }
        if !crosses && at >= horizon_moves {
            return None;
        }
    }
    let goal = (path.len() <= MOVES_MAX).then_some(state);
    crosses.then_some(Crossing { goal, may_lock: goal.is_none() && fits_at < USUAL_MOVES_MAX })
}
