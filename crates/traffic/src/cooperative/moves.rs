//! Moves of agents as the rule reads them, and the guide paths that these make.

use crate::collision::Transition;
use crate::cooperative::plan_head::PlanHead;
use crate::cooperative::reservations::Reservations;
use crate::cooperative::windowed_cost_to_go::{GuidePose, UNKNOWN, WindowView};
use crate::motion::{Activity, AgentSlot, Motion, WaitState, end_state};
use crate::speed::ticks_at_speed;
use crate::view::TrafficView;
use wheelbase_planner::model::State;
use wheelbase_planner::{MovementTables, Pose};

/// Whether an agent follows its path.
pub(crate) fn is_following(motion: &Motion) -> bool {
    matches!(motion.activity, Activity::Following | Activity::Yielding) && !motion.replan
}

/// Whether an agent of that activity may be pushed away without delaying it.
pub(crate) fn is_idle(activity: Activity) -> bool {
    matches!(activity, Activity::Idle | Activity::Arrived | Activity::Unreachable | Activity::Dwelling)
}

/// Ticks that an agent has waited.
pub(crate) fn waited(view: &TrafficView<'_>, row: usize) -> u32 {
    match view.agents.wait_states[row].waits_since {
        WaitState::NOT_WAITING => 0,
        since => view.tick - since,
    }
}

/// The moves of an agent's path that count now: those to its retreat, or all.
pub(crate) fn guide_moves<'a>(view: &TrafficView<'a>, row: usize, head: &PlanHead) -> &'a [u8] {
    let path = view.paths.moves(view.agents.paths[row]);
    if head.retreat_left > 0 { &path[..head.retreat_left as usize] } else { path }
}

/// Sets a guide path: the poses of the next moves of a path. Each has the ticks from there to the last pose at a speed
/// factor.
pub(crate) fn set_guide_path(
    tables: &MovementTables,
    (from, factor): (State, u16),
    path: &[u8],
    moves_max: u32,
    guide_path: &mut Vec<GuidePose>,
) {
    guide_path.clear();
    let (mut state, mut elapsed) = (from, 0_u32);
    guide_path.push((state, elapsed));
    for &primitive in path.iter().take(moves_max as usize) {
        let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
        state = tables.state_after(state, usize::from(primitive));
        elapsed = elapsed.saturating_add(ticks_at_speed(ticks, factor));
        guide_path.push((state, elapsed));
    }
    for (_, cost) in guide_path {
        *cost = elapsed - *cost;
    }
}

/// Appends to `moves` the steepest descent from a state, in the times of a speed factor, to a pose of the guide path.
/// Gives the index of that pose.
pub(crate) fn descend(
    tables: &MovementTables,
    mut window: WindowView<'_>,
    (mut state, factor): (State, u16),
    (guide_path, moves_max): (&[GuidePose], u32),
    moves: &mut Vec<u8>,
) -> Option<usize> {
    let space = tables.space();
    let mut left = window.cost(space.pose(state), UNKNOWN);
    for _ in 0..moves_max {
        // The last index, in case the path visits a pose twice.
        if let Some(at) = guide_path.iter().rposition(|&(pose, _)| pose == state) {
            return Some(at);
        }
        let mut next = None;
        tables.for_each_successor(state, |successor| {
            if next.is_some() {
                return;
            }
            let cost = window.cost(space.pose(successor.state), left);
            if cost < left && cost.saturating_add(ticks_at_speed(successor.ticks, factor)) <= left {
                next = Some((successor, cost));
            }
        });
        let (successor, cost) = next?;
        moves.push(successor.primitive);
        (state, left) = (successor.state, cost);
    }
    None
}

/// Reserves what an agent needs to finish its move in progress; gives the state and tick at its end.
pub(crate) fn reserve_begun_move(
    reservations: &mut Reservations,
    tables: &MovementTables,
    (slot, motion): (AgentSlot, &Motion),
    tick: u32,
) -> (State, u32) {
    let (state, ready) = end_of_move(tables, motion, tick);
    if !motion.at_rest() {
        let step = transition_at(tables, tables.space().pose(motion.state), usize::from(motion.primitive));
        reservations.move_on(slot, &step, (tick, ready));
    }
    (state, ready)
}

/// State at the end of an agent's move in progress, and the tick of that end; at rest, the present ones.
pub(crate) fn end_of_move(tables: &MovementTables, motion: &Motion, tick: u32) -> (State, u32) {
    (end_state(tables, motion), if motion.at_rest() { tick } else { motion.until })
}

/// The move of a primitive from a pose.
pub(crate) fn transition_at(tables: &MovementTables, pose: Pose, primitive: usize) -> Transition<'_> {
    Transition { class: tables.class(), pose, primitive }
}

/// The pose in which a move ends.
pub(crate) fn pose_after(step: &Transition<'_>) -> Pose {
    let shape = step.class.shape_at(step.pose, step.primitive);
    Pose { cell: step.end().0, heading: shape.heading_after }
}

/// Ticks of some half steps.
pub(crate) fn half_steps(step_ticks: u32, halves: u32) -> u32 {
    step_ticks * halves / 2
}

/// Ticks of the fastest displacement of a class at normal speed: a step.
pub(crate) fn step_ticks(tables: &MovementTables) -> u32 {
    let steps = tables.class().primitives().iter().filter(|primitive| primitive.by != (0, 0));
    steps.map(|primitive| primitive.time).min().unwrap_or(1)
}
