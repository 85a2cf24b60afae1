//! Crossings: the next moves of an agent lead over keep-clear ground, and its plan has to lead off it.

use crate::cooperative::moves::guide_moves;
use crate::cooperative::plan::{MOVES_MAX, USUAL_MOVES_MAX};
use crate::cooperative::plan_table::PlanTable;
use crate::view::TrafficView;
use wheelbase_planner::model::State;

/// What an agent with keep-clear ground before it, or under its body, has to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    /// The end of its path, if a plan can lead there: even on keep-clear ground it may rest there.
    pub(crate) goal: Option<State>,
}

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
    let tables = &view.tables[motion.class.0 as usize];
    let (space, team) = (tables.space(), view.agents.teams[row]);
    let keep_clear = &table.corridor_control.keep_clear;
    let horizon_moves = table.params.horizon_steps as usize;
    if !keep_clear.is_active() {
        return None;
    }
    let covers = |state: State| {
        let pose = space.pose(state);
        keep_clear.covers((pose.cell, tables.class().cells_at(pose)), team)
    };
    let path = guide_moves(view, row, &table.heads[view.agents.slots[row].index()]);
    let (mut state, mut crosses) = (from, covers(from));
    for (at, &primitive) in path.iter().take(MOVES_MAX).enumerate() {
        if tables.move_ticks(state, usize::from(primitive)).is_none() {
            return crosses.then_some(Crossing { goal: None });
        }
        state = tables.state_after(state, usize::from(primitive));
        crosses |= at < horizon_moves && covers(state);
        if !crosses && at >= horizon_moves {
            return None;
        }
    }
    crosses.then_some(Crossing { goal: (path.len() <= MOVES_MAX).then_some(state) })
}
