//! Lifting: an agent plans as if others got out of its way, and they plan anew around it.
//!
//! The plans of all whose claims it needs are lifted, and each of them searches among the claims of the
//! others, where it may lift others in its turn. It is all or nothing: if one of them finds no plan, every
//! plan stands again as it stood. Those of lower rank than the first give way whatever it costs them. With
//! bodies of one cell and plans of a few actions that is the pass of EPIBT (arXiv 2511.09193), with at most
//! one blocker a plan there, and as many as there are here. Where that comes to nothing all others give way
//! if the plans cost less together than before, as in its search of large neighbourhoods.

pub use super::claims::Standing;
use super::claims::{Claims, Rank};
use super::interval_search::Quest;
use super::plan::Plan;
use crate::cooperative::lifted::{Aim, Lifted, Lifting, Pending, least};
use crate::cooperative::planning::Planning;
use crate::cooperative::steps::{claim_begun_move, end_of_move, goes, pose_after, step_at};
use crate::decisions::Decisions;
use crate::motion::AgentId;
use crate::priority::PriorityKey;
use wheelbase_planner::MovementTables;

impl Lifting {
    /// Gives an agent the best plan among the claims of those that do not give way, if
    /// it costs at least a step less than its best among all and the others find another plan; says whether
    /// that came about. The agent's line is made before and, if it came to nothing, behind.
    pub fn lift(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        quest: Quest,
        cost: u32,
        decisions: &mut Decisions,
    ) -> bool {
        Aim::ALL.into_iter().any(|aim| self.lift_with(now, row, quest, cost, aim, decisions))
    }

    /// As [`lift`](Self::lift), with those who give way for one aim.
    pub fn lift_with(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        quest: Quest,
        cost: u32,
        aim: Aim,
        decisions: &mut Decisions,
    ) -> bool {
        let view = now.view;
        let id = view.agents.ids[row].0 as usize;
        // What all cost together is only known where it has a plan.
        let cannot = aim == Aim::ForAll && (cost == u32::MAX || self.left_for_all == 0);
        if cannot || view.tick < now.board.cold[id].lift_retries[aim as usize].again_at {
            return false;
        }
        let ahead = std::mem::take(&mut now.ahead);
        let tries_before = now.search.tries_left;
        let done = aim.steps_to_clear(&now.board.params).iter().any(|&steps| {
            now.ahead.clone_from(&ahead);
            let done = self.lift_all(now, row, quest, cost, (aim, steps));
            if !done {
                self.put_back(now);
            }
            done
        });
        now.ahead = ahead;
        if aim == Aim::ForAll {
            let spent = tries_before - now.search.tries_left;
            self.left_for_all = self.left_for_all.saturating_sub(spent);
        }
        let step_ticks = now.board.step_ticks[view.agents.motion[row].class.0 as usize];
        let retry = &mut now.board.cold[id].lift_retries[aim as usize];
        retry.failures = if done { 0 } else { (retry.failures + 1).min(aim.failures_max()) };
        retry.again_at = view.tick.saturating_add(if done { 0 } else { step_ticks << retry.failures });
        if done {
            let log = std::mem::take(&mut self.log);
            for lifted in &log {
                let row = lifted.row as usize;
                let motion = &view.agents.motion[row];
                let tables = &view.tables[motion.class.0 as usize];
                let plan = now.board.plans[view.agents.ids[row].0 as usize];
                if goes(motion) {
                    now.make_line(row, end_of_move(tables, motion, view.tick).0);
                }
                now.take(row, plan, decisions);
            }
            self.log = log;
        } else {
            now.make_line(row, quest.from.0);
        }
        done
    }

    /// Makes the plans; false if one of the agents finds none, or all of them together cost too much.
    pub fn lift_all(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        quest: Quest,
        cost: u32,
        (aim, steps): (Aim, u32),
    ) -> bool {
        let view = now.view;
        self.log.clear();
        self.pending.clear();
        let quest = match aim {
            Aim::OfRank => quest,
            Aim::ForAll => Quest { place: PriorityKey::FIRST, ..quest },
        };
        let least_gain = now.board.step_ticks[view.agents.motion[row].class.0 as usize];
        // That of the last one lifted may stand there from a try before.
        now.make_line(row, quest.from.0);
        let found = now.search_moves(row, quest, (0, Some(steps)));
        let worth = |&(_, with): &(Plan, u32)| with < cost.saturating_sub(least_gain);
        let Some((plan, with)) = found.filter(worth) else { return false };
        // Passages ahead are those of the first.
        now.ahead.clear();
        let mut gain = i64::from(cost) - i64::from(with);
        self.put_through(now, row, plan, (aim, quest.place));
        while let Some(at) = least(&self.pending) {
            let Pending { row, cost, .. } = self.pending.swap_remove(at);
            let row = row as usize;
            if self.log.len() > (now.board.params.lifted_max as usize) || now.search.tries_left == 0 {
                return false;
            }
            let quest = quest_of_lifted(now, row, quest.place);
            let Some((plan, with)) = now.search_moves(row, quest, (0, Some(steps))) else {
                return false;
            };
            if aim == Aim::ForAll {
                gain -= i64::from(with) - i64::from(cost);
                let motion = &view.agents.motion[row];
                // One that has nowhere to go gains nothing, and moving costs it something.
                if !goes(motion) && !plan.is_empty() {
                    gain -= i64::from(now.board.step_ticks[motion.class.0 as usize]);
                }
                if 2 * gain < i64::from(least_gain) {
                    return false;
                }
            }
            self.put_through(now, row, plan, (aim, quest.place));
        }
        true
    }

    /// Lifts the plan of an agent: it claims the rest of the move that it has begun, and no more.
    pub fn lift_plan(&mut self, now: &mut Planning<'_>, row: usize) {
        let view = now.view;
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let touched_at = now.board.standings[id as usize].touched_at;
        self.log.push(Lifted { row: row as u32, before: now.board.plans[id as usize], touched_at });
        now.board.touch(id, view.tick);
        now.board.claims.remove(id);
        claim_begun_move(&mut now.board.claims, tables, (id, motion), view.tick);
    }

    /// Gives an agent a plan for which others give way, and lifts all whose claims it needs.
    pub fn put_through(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        plan: Plan,
        (aim, place): (Aim, PriorityKey),
    ) {
        let view = now.view;
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        let (state, ready) = end_of_move(tables, motion, view.tick);
        list_lifted(
            &now.board.claims,
            tables,
            (id, state, ready),
            &plan,
            now.board.rank(view.tick, place, 0),
            &mut met,
        );
        let first = self.pending.len();
        for &other in &met {
            let Some(row) = view.agents.row(AgentId(other)) else { continue };
            let place = now.board.standings[other as usize].place;
            // Asked before the first of them is lifted.
            let cost = match aim {
                Aim::OfRank => 0,
                Aim::ForAll => cost_among_others(now, row, place),
            };
            self.pending.push(Pending { place, row: row as u32, cost });
        }
        self.met = met;
        if self.log.is_empty() {
            self.lift_plan(now, row);
        }
        for at in first..self.pending.len() {
            self.lift_plan(now, self.pending[at].row as usize);
        }
        now.board.set_plan(id, plan);
        now.board.claim_plan(view, row);
    }

    /// All plans stand as they stood.
    pub fn put_back(&mut self, now: &mut Planning<'_>) {
        let view = now.view;
        let log = std::mem::take(&mut self.log);
        for lifted in &log {
            let id = view.agents.ids[lifted.row as usize].0;
            now.board.claims.remove(id);
            now.board.set_plan(id, lifted.before);
            now.board.standings[id as usize].touched_at = lifted.touched_at;
        }
        for lifted in &log {
            now.board.claim_plan(view, lifted.row as usize);
        }
        self.log = log;
    }
}

/// Lists those whose claims an agent needs for a plan that begins at a state and tick.
pub fn list_lifted(
    claims: &Claims,
    tables: &MovementTables,
    (id, state, mut ready): (u32, wheelbase_planner::model::State, u32),
    plan: &Plan,
    rank: Rank<'_>,
    lifted: &mut Vec<u32>,
) {
    let mut pose = tables.space().pose(state);
    for planned in plan.moves() {
        let step = step_at(tables, pose, usize::from(planned.primitive));
        let end = planned.start + planned.ticks;
        claims.list_lifted(id, step.start(), (ready, planned.start), rank, lifted);
        claims.list_lifted(id, step.swept(), (planned.start, end), rank, lifted);
        (pose, ready) = (pose_after(&step), end);
    }
    let cells = (pose.cell, tables.class().cells_at(pose));
    claims.list_lifted(id, cells, (ready, super::claims::FOREVER), rank, lifted);
}

/// What an agent that is lifted searches for; makes its line.
pub fn quest_of_lifted(now: &mut Planning<'_>, row: usize, place: PriorityKey) -> Quest {
    let view = now.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, motion, view.tick);
    if goes(motion) {
        now.make_line(row, from.0);
    }
    let step_ticks = now.board.step_ticks[motion.class.0 as usize];
    let horizon = from.1.saturating_add(step_ticks * now.board.params.horizon_steps);
    Quest {
        from,
        horizon,
        nodes_max: now.board.params.search_nodes as usize,
        lift_ticks: step_ticks / 2,
        place,
    }
}

/// What the best plan of an agent costs as long as all others stand.
pub fn cost_among_others(now: &mut Planning<'_>, row: usize, place: PriorityKey) -> u32 {
    let view = now.view;
    let quest = quest_of_lifted(now, row, place);
    let found = now.search_moves(row, quest, (0, None));
    let motion = &view.agents.motion[row];
    let (end, ready) = now.board.plans[view.agents.ids[row].0 as usize].end;
    let left = if goes(motion) { now.cost_to_go(row, end) } else { 0 };
    let as_it_stands = ready.max(quest.horizon).saturating_add(left);
    found.map_or(as_it_stands, |(_, cost)| cost.min(as_it_stands))
}
