//! Moves of agents as the rule looks at them: the one begun, those of the path, and who stands how.

use crate::collision::Transition;
use crate::cooperative::local_field::{FieldView, GuidePose};
use crate::cooperative::plan_head::PlanHead;
use crate::cooperative::reservations::Reservations;
use crate::motion::{Activity, Motion, end_state};
use crate::view::TrafficView;
use wheelbase_planner::model::State;
use wheelbase_planner::{MovementTables, Pose};

/// Moves of a path that a field is made of, at most.
pub const GUIDE_MOVES_MAX: usize = 64;

/// Whether an agent follows its path.
pub fn goes(motion: &Motion) -> bool {
    matches!(motion.activity, Activity::Following | Activity::Yielding) && !motion.replan
}

/// Whether an agent of that activity has nothing to do but to stand there.
pub fn is_idle(activity: Activity) -> bool {
    matches!(activity, Activity::Idle | Activity::Arrived | Activity::Unreachable | Activity::Dwelling)
}

/// Ticks for which an agent has waited.
pub fn waited(view: &TrafficView<'_>, row: usize) -> u32 {
    match view.agents.wait_states[row].waits_since {
        u32::MAX => 0,
        since => view.tick - since,
    }
}

/// The moves of an agent's path that it follows now: those that lead aside, or all.
pub fn guide_moves<'a>(view: &TrafficView<'a>, row: usize, head: &PlanHead) -> &'a [u8] {
    let path = view.paths.moves(view.agents.paths[row]);
    if head.retreat_left > 0 { &path[..head.retreat_left as usize] } else { path }
}

pub fn make_guide_path(tables: &MovementTables, from: State, path: &[u8], guide_path: &mut Vec<GuidePose>) {
    guide_path.clear();
    let (mut state, mut gone) = (from, 0_u32);
    guide_path.push((state, gone));
    for &primitive in path.iter().take(GUIDE_MOVES_MAX) {
        let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
        state = tables.state_after(state, usize::from(primitive));
        gone = gone.saturating_add(ticks);
        guide_path.push((state, gone));
    }
    for (_, cost) in guide_path {
        *cost = gone - *cost;
    }
}

/// Adds to `moves` the way downhill from a state to a pose of the line; gives its place on the line.
pub fn descend(
    tables: &MovementTables,
    field: FieldView<'_>,
    mut state: State,
    guide_path: &[GuidePose],
    moves: &mut Vec<u8>,
) -> Option<usize> {
    let space = tables.space();
    let mut left = field.cost(space.pose(state), space.headings());
    for _ in 0..4 * GUIDE_MOVES_MAX {
        // The last place, in case a path comes through a pose twice.
        if let Some(at) = guide_path.iter().rposition(|&(pose, _)| pose == state) {
            return Some(at);
        }
        let mut next = None;
        tables.for_each_successor(state, |successor| {
            let cost = field.cost(space.pose(successor.state), space.headings());
            if next.is_none() && cost < left && cost.saturating_add(successor.ticks) <= left {
                next = Some((successor, cost));
            }
        });
        let (successor, cost) = next?;
        moves.push(successor.primitive);
        (state, left) = (successor.state, cost);
    }
    None
}

/// Claims what an agent needs to finish the move that it has begun; gives where and when that ends.
pub fn reserve_begun_move(
    reservations: &mut Reservations,
    tables: &MovementTables,
    (id, motion): (u32, &Motion),
    tick: u32,
) -> (State, u32) {
    let (state, ready) = end_of_move(tables, motion, tick);
    if !motion.at_rest() {
        let step = transition_at(tables, tables.space().pose(motion.state), usize::from(motion.primitive));
        reservations.move_on(id, &step, (tick, ready));
    }
    (state, ready)
}

/// Where an agent rests when the move that it has begun has ended, and from which tick on.
pub fn end_of_move(tables: &MovementTables, motion: &Motion, tick: u32) -> (State, u32) {
    (end_state(tables, motion), if motion.at_rest() { tick } else { motion.until })
}

pub fn transition_at(tables: &MovementTables, pose: Pose, primitive: usize) -> Transition<'_> {
    Transition { class: tables.class(), pose, primitive }
}

pub fn pose_after(step: &Transition<'_>) -> Pose {
    let shape = step.class.shape_at(step.pose, step.primitive);
    Pose { cell: step.end().0, heading: shape.heading_after }
}

/// Ticks of the fastest move of a class that leads on, at normal speed.
pub fn step_ticks(tables: &MovementTables) -> u32 {
    let steps = tables.class().primitives().iter().filter(|primitive| primitive.by != (0, 0));
    steps.map(|primitive| primitive.time).min().unwrap_or(1)
}
