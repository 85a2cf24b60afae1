//! Lifting: an agent plans as if others got out of its way, and they plan anew around it.
//!
//! The plans of all whose claims it needs are lifted, and each of them searches among the claims of the
//! others, where it may lift others in its turn. It is all or nothing: if one of them finds no plan, every
//! plan stands again as it stood. Those of lower rank than the first give way whatever it costs them. With
//! bodies of one cell and plans of a few actions that is the pass of EPIBT (arXiv 2511.09193), with at most
//! one blocker a plan there, and as many as there are here. Where that comes to nothing all others give way
//! if the plans cost less together than before, as in its search of large neighbourhoods.

use super::plan::Plan;
pub use super::reservations::YieldState;
use super::reservations::{Precedence, Reservations};
use super::sipp::SippQuery;
use crate::cooperative::displaced::{Displaced, Displacement, DisplacementKind, Pending, least};
use crate::cooperative::planning::Planning;
use crate::cooperative::steps::{end_of_move, goes, pose_after, reserve_begun_move, transition_at};
use crate::decisions::Decisions;
use crate::motion::AgentId;
use crate::priority::PriorityKey;
use wheelbase_planner::MovementTables;

impl Displacement {
    /// Gives an agent the best plan among the claims of those that do not give way, if
    /// it costs at least a step less than its best among all and the others find another plan; says whether
    /// that came about. The agent's line is made before and, if it came to nothing, behind.
    pub fn displace(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        query: SippQuery,
        cost: u32,
        decisions: &mut Decisions,
    ) -> bool {
        DisplacementKind::ALL.into_iter().any(|aim| self.displace_with(now, row, query, cost, aim, decisions))
    }

    /// As [`displace`](Self::lift), with those who give way for one aim.
    pub fn displace_with(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        query: SippQuery,
        cost: u32,
        aim: DisplacementKind,
        decisions: &mut Decisions,
    ) -> bool {
        let view = now.view;
        let id = view.agents.ids[row].0 as usize;
        // What all cost together is only known where it has a plan.
        let cannot =
            aim == DisplacementKind::Neighbourhood && (cost == u32::MAX || self.lns_expansions_left == 0);
        if cannot || view.tick < now.table.cold[id].displace_retries[aim as usize].again_at {
            return false;
        }
        let ahead = std::mem::take(&mut now.ahead);
        let tries_before = now.search.tries_left;
        let done = aim.steps_to_clear(&now.table.params).iter().any(|&steps| {
            now.ahead.clone_from(&ahead);
            let done = self.displace_all(now, row, query, cost, (aim, steps));
            if !done {
                self.put_back(now);
            }
            done
        });
        now.ahead = ahead;
        if aim == DisplacementKind::Neighbourhood {
            let spent = tries_before - now.search.tries_left;
            self.lns_expansions_left = self.lns_expansions_left.saturating_sub(spent);
        }
        let step_ticks = now.table.step_ticks[view.agents.motion[row].class.0 as usize];
        let retry = &mut now.table.cold[id].displace_retries[aim as usize];
        retry.failures = if done { 0 } else { (retry.failures + 1).min(aim.failures_max()) };
        retry.again_at = view.tick.saturating_add(if done { 0 } else { step_ticks << retry.failures });
        if done {
            let log = std::mem::take(&mut self.log);
            for displaceable in &log {
                let row = displaceable.row as usize;
                let motion = &view.agents.motion[row];
                let tables = &view.tables[motion.class.0 as usize];
                let plan = now.table.plans[view.agents.ids[row].0 as usize];
                if goes(motion) {
                    now.make_guide_path(row, end_of_move(tables, motion, view.tick).0);
                }
                now.take(row, plan, decisions);
            }
            self.log = log;
        } else {
            now.make_guide_path(row, query.from.0);
        }
        done
    }

    /// Makes the plans; false if one of the agents finds none, or all of them together cost too much.
    pub fn displace_all(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        query: SippQuery,
        cost: u32,
        (aim, steps): (DisplacementKind, u32),
    ) -> bool {
        let view = now.view;
        self.log.clear();
        self.pending.clear();
        let query = match aim {
            DisplacementKind::LowerPriority => query,
            DisplacementKind::Neighbourhood => SippQuery { key: PriorityKey::FIRST, ..query },
        };
        let least_gain = now.table.step_ticks[view.agents.motion[row].class.0 as usize];
        // That of the last one lifted may stand there from a try before.
        now.make_guide_path(row, query.from.0);
        let found = now.search_moves(row, query, (0, Some(steps)));
        let worth = |&(_, with): &(Plan, u32)| with < cost.saturating_sub(least_gain);
        let Some((plan, with)) = found.filter(worth) else { return false };
        // Passages ahead are those of the first.
        now.ahead.clear();
        let mut gain = i64::from(cost) - i64::from(with);
        self.put_through(now, row, plan, (aim, query.key));
        while let Some(at) = least(&self.pending) {
            let Pending { row, cost, .. } = self.pending.swap_remove(at);
            let row = row as usize;
            if self.log.len() > (now.table.params.displaced_max as usize) || now.search.tries_left == 0 {
                return false;
            }
            let query = query_of_displaced(now, row, query.key);
            let Some((plan, with)) = now.search_moves(row, query, (0, Some(steps))) else {
                return false;
            };
            if aim == DisplacementKind::Neighbourhood {
                gain -= i64::from(with) - i64::from(cost);
                let motion = &view.agents.motion[row];
                // One that has nowhere to go gains nothing, and moving costs it something.
                if !goes(motion) && !plan.is_empty() {
                    gain -= i64::from(now.table.step_ticks[motion.class.0 as usize]);
                }
                if 2 * gain < i64::from(least_gain) {
                    return false;
                }
            }
            self.put_through(now, row, plan, (aim, query.key));
        }
        true
    }

    /// Lifts the plan of an agent: it claims the rest of the move that it has begun, and no more.
    pub fn displace_plan(&mut self, now: &mut Planning<'_>, row: usize) {
        let view = now.view;
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let touched_at = now.table.yield_states[id as usize].touched_at;
        self.log.push(Displaced { row: row as u32, before: now.table.plans[id as usize], touched_at });
        now.table.touch(id, view.tick);
        now.table.reservations.remove(id);
        reserve_begun_move(&mut now.table.reservations, tables, (id, motion), view.tick);
    }

    /// Gives an agent a plan for which others give way, and lifts all whose claims it needs.
    pub fn put_through(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        plan: Plan,
        (aim, key): (DisplacementKind, PriorityKey),
    ) {
        let view = now.view;
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        let (state, ready) = end_of_move(tables, motion, view.tick);
        list_displaced(
            &now.table.reservations,
            tables,
            (id, state, ready),
            &plan,
            now.table.precedence(view.tick, key, 0),
            &mut met,
        );
        let first = self.pending.len();
        for &other in &met {
            let Some(row) = view.agents.row(AgentId(other)) else { continue };
            let key = now.table.yield_states[other as usize].key;
            // Asked before the first of them is lifted.
            let cost = match aim {
                DisplacementKind::LowerPriority => 0,
                DisplacementKind::Neighbourhood => cost_among_others(now, row, key),
            };
            self.pending.push(Pending { key, row: row as u32, cost });
        }
        self.met = met;
        if self.log.is_empty() {
            self.displace_plan(now, row);
        }
        for at in first..self.pending.len() {
            self.displace_plan(now, self.pending[at].row as usize);
        }
        now.table.set_plan(id, plan);
        now.table.reserve_plan(view, row);
    }

    /// All plans stand as they stood.
    pub fn put_back(&mut self, now: &mut Planning<'_>) {
        let view = now.view;
        let log = std::mem::take(&mut self.log);
        for displaceable in &log {
            let id = view.agents.ids[displaceable.row as usize].0;
            now.table.reservations.remove(id);
            now.table.set_plan(id, displaceable.before);
            now.table.yield_states[id as usize].touched_at = displaceable.touched_at;
        }
        for displaceable in &log {
            now.table.reserve_plan(view, displaceable.row as usize);
        }
        self.log = log;
    }
}

/// Lists those whose claims an agent needs for a plan that begins at a state and tick.
pub fn list_displaced(
    reservations: &Reservations,
    tables: &MovementTables,
    (id, state, mut ready): (u32, wheelbase_planner::model::State, u32),
    plan: &Plan,
    precedence: Precedence<'_>,
    displaceable: &mut Vec<u32>,
) {
    let mut pose = tables.space().pose(state);
    for planned in plan.moves() {
        let step = transition_at(tables, pose, usize::from(planned.primitive));
        let end = planned.start + planned.ticks;
        reservations.list_displaced(id, step.start(), (ready, planned.start), precedence, displaceable);
        reservations.list_displaced(id, step.swept(), (planned.start, end), precedence, displaceable);
        (pose, ready) = (pose_after(&step), end);
    }
    let cells = (pose.cell, tables.class().cells_at(pose));
    reservations.list_displaced(id, cells, (ready, super::reservations::FOREVER), precedence, displaceable);
}

/// What an agent that is lifted searches for; makes its line.
pub fn query_of_displaced(now: &mut Planning<'_>, row: usize, key: PriorityKey) -> SippQuery {
    let view = now.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, motion, view.tick);
    if goes(motion) {
        now.make_guide_path(row, from.0);
    }
    let step_ticks = now.table.step_ticks[motion.class.0 as usize];
    let horizon = from.1.saturating_add(step_ticks * now.table.params.horizon_steps);
    SippQuery {
        from,
        horizon,
        nodes_max: now.table.params.search_nodes as usize,
        displacement_ticks: step_ticks / 2,
        key,
    }
}

/// What the best plan of an agent costs as long as all others stand.
pub fn cost_among_others(now: &mut Planning<'_>, row: usize, key: PriorityKey) -> u32 {
    let view = now.view;
    let query = query_of_displaced(now, row, key);
    let found = now.search_moves(row, query, (0, None));
    let motion = &view.agents.motion[row];
    let (end, ready) = now.table.plans[view.agents.ids[row].0 as usize].end;
    let left = if goes(motion) { now.cost_to_go(row, end) } else { 0 };
    let as_it_stands = ready.max(query.horizon).saturating_add(left);
    found.map_or(as_it_stands, |(_, cost)| cost.min(as_it_stands))
}
