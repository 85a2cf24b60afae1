//! Priority inheritance: an agent plans as if others yielded. They inherit its priority and replan around it.
//!
//! The plans whose reservations it needs are withdrawn. Each of their agents searches among the reservations of all
//! others, and may have agents yield in turn. It is all or nothing: if one of them finds no plan, every plan is
//! restored. First only agents of lower priority yield, whatever it costs them. With bodies of one cell and plans of
//! a few actions that is the pass of EPIBT (Yukhnevich and Andreychuk 2025, <https://arxiv.org/abs/2511.09193>).
//! EPIBT has at most one blocker per plan, this rule any number. Where that fails any agents yield if the plans
//! together cost less than before, as in large neighbourhood search (MAPF-LNS, Li et al. 2021).

use super::crossing::moves_max;
use super::plan::Plan;
use super::reservations::{FOREVER, Precedence, Reservations};
use super::sipp::{Crossing, NO_PLAN_COST, SippQuery};
use crate::cooperative::fixed::{
    INHERITANCE_GAIN_STEPS, LNS_GAIN_HALF_STEPS, LNS_IDLE_STEPS, YIELD_COST_HALF_STEPS,
};
use crate::cooperative::inheritance_kind::InheritanceKind;
use crate::cooperative::moves::{
    end_of_move, half_steps, is_following, pose_after, reserve_begun_move, transition_at,
};
use crate::cooperative::planning::Planning;
use crate::decisions::Decisions;
use crate::motion::AgentSlot;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// An agent that is given another plan, with its previous plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replanned {
    pub(crate) row: u32,
    pub(crate) before: Plan,
    /// When it was last touched before.
    pub(crate) touched_at: u32,
}

/// A yielding agent without a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) key: PriorityKey,
    pub(crate) row: u32,
    /// Cost of its best plan while it, and all that were met with it, kept their plans.
    pub(crate) cost: u32,
}

/// Scratch memory of attempts, and the budget left for the attempts of a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct InheritanceScratch {
    /// All agents that are given another plan, in the order in which theirs were withdrawn.
    pub(crate) log: Vec<Replanned>,
    /// The agents of the attempt without a plan.
    pub(crate) pending: Vec<Pending>,
    /// Agents whose reservations a plan needs.
    pub(crate) blockers: Vec<AgentSlot>,
    /// Expansions left at this tick for plans that cost less together.
    pub(crate) lns_expansions_left: u64,
}

impl InheritanceScratch {
    /// A tick begins.
    pub(crate) fn begin_tick(&mut self, params: &TrafficParams) {
        self.lns_expansions_left = u64::from(params.lns_expansions);
    }
}

/// An agent for which others yield.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) row: usize,
    pub(crate) query: SippQuery,
    /// Cost of its best plan among all others; [`NO_PLAN_COST`] if it has none.
    pub(crate) cost: u32,
}

/// Gives an agent the best plan among the reservations of agents that do not yield. The plan must cost at least a step
/// less than its best plan among all, and the others must find plans. Says whether it did. The guide path of the agent
/// is set before and, if nothing came of it, afterwards.
pub(crate) fn plan_with_yielding(
    planning: &mut Planning<'_>,
    scratch: &mut InheritanceScratch,
    root: Root,
    decisions: &mut Decisions,
) -> bool {
    let mut kinds = InheritanceKind::ALL.into_iter();
    kinds.any(|kind| plan_with_yielding_by(kind, planning, scratch, root, decisions))
}

/// [`plan_with_yielding`] by one kind.
pub(crate) fn plan_with_yielding_by(
    kind: InheritanceKind,
    planning: &mut Planning<'_>,
    scratch: &mut InheritanceScratch,
    root: Root,
    decisions: &mut Decisions,
) -> bool {
    let view = planning.view;
    let Root { row, query, cost } = root;
    let slot = view.agents.slots[row];
    let is_lns = kind == InheritanceKind::Neighbourhood;
    // Costs can be compared only if the agent has a plan.
    let cannot = is_lns && (cost == NO_PLAN_COST || scratch.lns_expansions_left == 0);
    if cannot || view.tick < planning.table.details[slot.index()].inheritance_retries[kind as usize].again_at
    {
        return false;
    }
    let ahead = std::mem::take(&mut planning.ahead);
    let expanded_before = planning.search.expanded;
    let done = kind.steps_to_clear().iter().any(|&steps| {
        planning.ahead.clone_from(&ahead);
        let done = plan_all(planning, scratch, root, (kind, steps));
        if !done {
            restore_plans(planning, &scratch.log);
        }
        done
    });
    planning.ahead = ahead;
    if is_lns {
        let spent = planning.search.expanded - expanded_before;
        scratch.lns_expansions_left = scratch.lns_expansions_left.saturating_sub(spent);
    }
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let retry = &mut planning.table.details[slot.index()].inheritance_retries[kind as usize];
    retry.failures = if done { 0 } else { (retry.failures + 1).min(kind.failures_max()) };
    retry.again_at = view.tick.saturating_add(if done { 0 } else { step_ticks << retry.failures });
    if !done {
        planning.set_guide_path(row, query.from.0);
        return false;
    }
    for replanned in &scratch.log {
        let row = replanned.row as usize;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let plan = planning.table.plans[view.agents.slots[row].index()];
        if is_following(motion) {
            planning.set_guide_path(row, end_of_move(tables, motion, view.tick).0);
        }
        planning.adopt_plan(row, plan, decisions);
    }
    true
}

/// Plans of all agents of an attempt; false if one of them finds none, or all together cost too much.
fn plan_all(
    planning: &mut Planning<'_>,
    scratch: &mut InheritanceScratch,
    Root { row, query, cost }: Root,
    (kind, steps): (InheritanceKind, u32),
) -> bool {
    let view = planning.view;
    scratch.log.clear();
    scratch.pending.clear();
    let query = match kind {
        InheritanceKind::LowerPriority => query,
        InheritanceKind::Neighbourhood => SippQuery { key: PriorityKey::FIRST, ..query },
    };
    let params = planning.table.params;
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let least_gain = INHERITANCE_GAIN_STEPS * step_ticks;
    // An earlier attempt may have left the guide path of another agent.
    planning.set_guide_path(row, query.from.0);
    let found = planning.search_moves(row, query, 0, Some(steps));
    let is_worth_it = |&(_, with): &(Plan, u32)| with < cost.saturating_sub(least_gain);
    let Some((plan, with)) = found.filter(is_worth_it) else { return false };
    // The first agent determines the corridors ahead.
    planning.ahead.clear();
    let mut gain = i64::from(cost) - i64::from(with);
    impose_plan(planning, scratch, row, plan, (kind, &query));
    while let Some(at) = first_by_priority(&scratch.pending) {
        let Pending { row, cost, .. } = scratch.pending.swap_remove(at);
        let row = row as usize;
        if scratch.log.len() > params.displaced_max as usize {
            return false;
        }
        let own = query_of_yielding(planning, row, query.key);
        // A friend's friends need not be friends.
        let query = SippQuery { teams: own.teams & query.teams, ..own };
        let Some((plan, with)) = planning.search_moves(row, query, 0, Some(steps)) else {
            return false;
        };
        if with == NO_PLAN_COST && !planning.table.may_rest(view, row, plan.end.0) {
            return false;
        }
        if kind == InheritanceKind::Neighbourhood {
            gain -= i64::from(with) - i64::from(cost);
            let motion = &view.agents.motion[row];
            // An agent without a goal gains nothing, and moving costs it a step.
            if !is_following(motion) && !plan.is_empty() {
                gain -= i64::from(LNS_IDLE_STEPS * planning.table.step_ticks_of(&view.agents, row));
            }
            if 2 * gain < i64::from(LNS_GAIN_HALF_STEPS * step_ticks) {
                return false;
            }
        }
        impose_plan(planning, scratch, row, plan, (kind, &query));
    }
    true
}

/// Withdraws the plan of an agent: it has reserved the rest of the move that it has begun, and nothing else.
fn withdraw_plan(planning: &mut Planning<'_>, log: &mut Vec<Replanned>, row: usize) {
    let view = planning.view;
    let slot = view.agents.slots[row];
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let touched_at = planning.table.yield_states[slot.index()].touched_at;
    log.push(Replanned { row: row as u32, before: planning.table.plans[slot.index()], touched_at });
    planning.table.touch(slot, view.tick);
    planning.table.release(slot);
    reserve_begun_move(&mut planning.table.reservations, tables, (slot, motion), view.tick);
}

/// Gives an agent a plan for which others yield, and withdraws the plans whose reservations it needs.
fn impose_plan(
    planning: &mut Planning<'_>,
    scratch: &mut InheritanceScratch,
    row: usize,
    plan: Plan,
    (kind, query): (InheritanceKind, &SippQuery),
) {
    let view = planning.view;
    let slot = view.agents.slots[row];
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let InheritanceScratch { log, pending, blockers, .. } = scratch;
    blockers.clear();
    let (state, ready) = end_of_move(tables, motion, view.tick);
    let precedence = planning.table.precedence(view.tick, (query.key, query.teams), 0);
    list_blockers(&planning.table.reservations, tables, (slot, state, ready), &plan, precedence, blockers);
    let body = (slot, motion.class.0 as usize, tables);
    if planning.table.turnaround.are_used() {
        let reserved = (&planning.table.reservations, precedence);
        planning.table.turnaround.list_yielding(body, plan.end.0, reserved, blockers);
    }
    let first = pending.len();
    for &other in &*blockers {
        let Some(row) = view.agents.row_of_slot(other) else { continue };
        let key = planning.table.yield_states[other.index()].key;
        // Asked before the first of their plans is withdrawn.
        let cost = match kind {
            InheritanceKind::LowerPriority => 0,
            InheritanceKind::Neighbourhood => cost_among_others(planning, row, key),
        };
        pending.push(Pending { key, row: row as u32, cost });
    }
    if log.is_empty() {
        withdraw_plan(planning, log, row);
    }
    for pending in &pending[first..] {
        withdraw_plan(planning, log, pending.row as usize);
    }
    planning.table.set_plan(slot, plan);
    planning.table.reserve_plan(view, row);
}

/// Undoes an attempt: all plans are as they were before it.
fn restore_plans(planning: &mut Planning<'_>, log: &[Replanned]) {
    let view = planning.view;
    for replanned in log {
        let slot = view.agents.slots[replanned.row as usize];
        planning.table.release(slot);
        planning.table.set_plan(slot, replanned.before);
        planning.table.yield_states[slot.index()].touched_at = replanned.touched_at;
    }
    for replanned in log {
        planning.table.reserve_plan(view, replanned.row as usize);
    }
}

/// Index of the agent that comes first by priority.
fn first_by_priority(pending: &[Pending]) -> Option<usize> {
    pending.iter().enumerate().min_by_key(|(_, pending)| (pending.key, pending.row)).map(|(at, _)| at)
}

/// Lists the agents whose reservations an agent needs for a plan from a state and tick on.
fn list_blockers(
    reservations: &Reservations,
    tables: &MovementTables,
    (slot, state, mut ready): (AgentSlot, State, u32),
    plan: &Plan,
    precedence: Precedence<'_>,
    blockers: &mut Vec<AgentSlot>,
) {
    let mut pose = tables.space().pose(state);
    for planned in plan.moves() {
        let step = transition_at(tables, pose, usize::from(planned.primitive));
        let end = planned.start + planned.ticks;
        reservations.list_yielding(slot, step.start(), (ready, planned.start), precedence, blockers);
        reservations.list_yielding(slot, step.swept(), (planned.start, end), precedence, blockers);
        (pose, ready) = (pose_after(&step), end);
    }
    let cells = (pose.cell, tables.class().cells_at(pose));
    reservations.list_yielding(slot, cells, (ready, FOREVER), precedence, blockers);
}

/// The query of a yielding agent; sets its guide path.
pub(crate) fn query_of_yielding(planning: &mut Planning<'_>, row: usize, key: PriorityKey) -> SippQuery {
    let view = planning.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, motion, view.tick);
    if is_following(motion) {
        planning.set_guide_path(row, from.0);
    }
    let params = planning.table.params;
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let horizon = from.1.saturating_add(step_ticks * params.horizon_steps);
    SippQuery {
        from,
        crossing: Crossing::NONE,
        horizon,
        crossing_horizon: horizon,
        moves_max: moves_max(None),
        nodes_max: params.search_nodes as usize,
        intervals_max: params.search_intervals,
        yield_ticks: half_steps(step_ticks, YIELD_COST_HALF_STEPS),
        teams: view.friends.of_team(view.agents.teams[row]),
        key,
    }
}

/// Cost of the best plan of an agent while all others keep theirs.
fn cost_among_others(planning: &mut Planning<'_>, row: usize, key: PriorityKey) -> u32 {
    let view = planning.view;
    let query = query_of_yielding(planning, row, key);
    let found = planning.search_moves(row, query, 0, None);
    let motion = &view.agents.motion[row];
    let (end, ready) = planning.table.plans[view.agents.slots[row].index()].end;
    let left = if is_following(motion) { planning.cost_to_go(row, end) } else { 0 };
    let as_it_stands = ready.max(query.horizon).saturating_add(left);
    found.map_or(as_it_stands, |(_, cost)| cost.min(as_it_stands))
}
