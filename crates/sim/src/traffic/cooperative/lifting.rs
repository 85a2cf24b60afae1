//! Lifting: an agent plans as if those of lower rank got out of its way, and they plan anew around it.
//!
//! The plans of all whose claims it needs are lifted, and each of them searches among the claims of the
//! others, where it may lift those of lower rank than the first in its turn. It is all or nothing: if one of
//! them finds no plan, every plan stands again as it stood. With bodies of one cell and plans of a few
//! actions that is the pass of EPIBT (arXiv 2511.09193), with at most one blocker a plan there, and as many
//! as there are here.

use super::claims::{Claims, Rank, Standing};
use super::interval_search::Quest;
use super::plan::Plan;
use super::{
    Cooperative, HORIZON_STEPS, NODES, claim_begun_move, end_of_move, goes, is_idle, pose_after, step_at,
};
use crate::agents::AgentId;
use crate::traffic::{Decisions, TrafficView};
use wheelbase_planner::MovementTables;

/// Agents that plan anew for one at most.
const LIFTED_MAX: usize = 12;
/// Steps in which one that is lifted is thought to clear a cell: tried one after the other.
const STEPS_TO_CLEAR: [u32; 2] = [1, 4];
/// Failures in a row after which the time to the next try is doubled no more.
const FAILURES_MAX: u8 = 4;

/// A plan as it stood before.
#[derive(Clone, Copy, Debug)]
struct Lifted {
    row: u32,
    place: u64,
    before: Plan,
}

/// Scratch memory: 16 bytes an agent.
#[derive(Debug, Default)]
pub(super) struct Lifting {
    /// By id.
    standings: Vec<Standing>,
    /// All that are given another plan, in the order in which they were lifted.
    log: Vec<Lifted>,
    /// Those of them that have none yet: place in the order of rank, row.
    pending: Vec<(u64, u32)>,
    met: Vec<u32>,
}

impl Lifting {
    /// Those behind a place give way, and are given so many steps for it.
    pub fn rank(&self, place: u64, steps: u32) -> Rank<'_> {
        Rank { standings: &self.standings, place, steps }
    }

    /// An agent gives way to nobody any more at this tick.
    pub fn hold(&mut self, id: u32) {
        if let Some(standing) = self.standings.get_mut(id as usize) {
            standing.place = 0;
        }
    }
}

impl Cooperative {
    /// Notes at which place an agent stands at this tick, and whether it can be lifted.
    pub(super) fn note_standing(&mut self, view: &TrafficView<'_>, row: usize, place: u64) {
        let id = view.agents.ids[row].0 as usize;
        let motion = &view.agents.motion[row];
        let member = &self.members[id];
        let stands = motion.at_rest() && member.plan.is_empty() && is_idle(motion.activity);
        let can = stands || (goes(motion) && !view.agents.paths[row].is_empty());
        let standings = &mut self.lifting.standings;
        if standings.len() < self.members.len() {
            standings.resize(self.members.len(), Standing::default());
        }
        standings[id] = Standing {
            place: if can && member.changed_at != view.tick { place } else { 0 },
            busy_until: if motion.at_rest() { view.tick } else { motion.until },
            step_ticks: self.step_ticks[motion.class.0 as usize],
        };
    }

    /// Gives an agent, whose field is ready, the best plan among the claims of those of higher rank, if it
    /// costs less than a limit and all the others find another plan; says whether that came about. The
    /// agent's line is made before and, if it came to nothing, behind.
    pub(super) fn lift(
        &mut self,
        view: &TrafficView<'_>,
        row: usize,
        quest: Quest,
        cost_below: u32,
        decisions: &mut Decisions,
    ) -> bool {
        let id = view.agents.ids[row].0 as usize;
        if view.tick < self.members[id].lift_again_at {
            return false;
        }
        let ahead = std::mem::take(&mut self.ahead);
        let done = STEPS_TO_CLEAR.iter().any(|&steps| {
            self.ahead.clone_from(&ahead);
            let done = self.lift_all(view, row, quest, (cost_below, steps));
            if !done {
                self.put_back(view);
            }
            done
        });
        self.ahead = ahead;
        let step_ticks = self.step_ticks[view.agents.motion[row].class.0 as usize];
        let member = &mut self.members[id];
        member.lift_failures = if done { 0 } else { (member.lift_failures + 1).min(FAILURES_MAX) };
        member.lift_again_at = view.tick + if done { 0 } else { step_ticks << member.lift_failures };
        if done {
            let log = std::mem::take(&mut self.lifting.log);
            for lifted in &log {
                let row = lifted.row as usize;
                let motion = &view.agents.motion[row];
                let tables = &view.classes[motion.class.0 as usize].tables;
                let plan = self.members[view.agents.ids[row].0 as usize].plan;
                if goes(motion) {
                    self.make_line(view, row, end_of_move(tables, motion, view.tick).0);
                }
                self.take(view, row, plan, decisions);
            }
            self.lifting.log = log;
        } else {
            self.make_line(view, row, quest.from.0);
        }
        done
    }

    /// Makes the plans; false if one of the agents finds none.
    fn lift_all(
        &mut self,
        view: &TrafficView<'_>,
        row: usize,
        quest: Quest,
        (cost_below, steps): (u32, u32),
    ) -> bool {
        self.lifting.log.clear();
        self.lifting.pending.clear();
        let found = self.search_moves(view, row, quest, (0, Some(steps)));
        let Some((plan, _)) = found.filter(|&(_, cost)| cost < cost_below) else { return false };
        self.lift_plan(view, row);
        self.put_through(view, row, plan, quest.place);
        // Passages ahead are those of the first.
        self.ahead.clear();
        while let Some(at) = least(&self.lifting.pending) {
            let (_, row) = self.lifting.pending.swap_remove(at);
            let row = row as usize;
            if self.lifting.log.len() > LIFTED_MAX || self.tries_left == 0 {
                return false;
            }
            let motion = &view.agents.motion[row];
            let tables = &view.classes[motion.class.0 as usize].tables;
            let from = end_of_move(tables, motion, view.tick);
            if goes(motion) {
                self.make_line(view, row, from.0);
                self.ready_field(view, row);
            }
            let step_ticks = self.step_ticks[motion.class.0 as usize];
            let horizon = from.1.saturating_add(step_ticks * HORIZON_STEPS);
            let quest = Quest { from, horizon, nodes_max: NODES, lift_ticks: step_ticks / 2, ..quest };
            let Some((plan, _)) = self.search_moves(view, row, quest, (0, Some(steps))) else { return false };
            self.put_through(view, row, plan, quest.place);
        }
        true
    }

    /// Lifts the plan of an agent: it claims the rest of the move that it has begun, and no more.
    fn lift_plan(&mut self, view: &TrafficView<'_>, row: usize) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.classes[motion.class.0 as usize].tables;
        let place = self.lifting.standings[id as usize].place;
        self.lifting.log.push(Lifted { row: row as u32, place, before: self.members[id as usize].plan });
        self.lifting.hold(id);
        self.claims.remove(id);
        claim_begun_move(&mut self.claims, tables, (id, motion), view.tick);
    }

    /// Gives a plan to an agent that has been lifted, and lifts all whose claims it needs.
    fn put_through(&mut self, view: &TrafficView<'_>, row: usize, plan: Plan, place: u64) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.classes[motion.class.0 as usize].tables;
        let mut met = std::mem::take(&mut self.lifting.met);
        met.clear();
        let (state, ready) = end_of_move(tables, motion, view.tick);
        list_lifted(&self.claims, tables, (id, state, ready), &plan, self.lifting.rank(place, 0), &mut met);
        for &other in &met {
            let Some(other_row) = view.agents.row(AgentId(other)) else { continue };
            self.lifting.pending.push((self.lifting.standings[other as usize].place, other_row as u32));
            self.lift_plan(view, other_row);
        }
        self.lifting.met = met;
        self.members[id as usize].plan = plan;
        self.claim_plan(view, row);
    }

    /// All plans stand as they stood.
    fn put_back(&mut self, view: &TrafficView<'_>) {
        let log = std::mem::take(&mut self.lifting.log);
        for lifted in &log {
            let id = view.agents.ids[lifted.row as usize].0;
            self.claims.remove(id);
            self.members[id as usize].plan = lifted.before;
            self.lifting.standings[id as usize].place = lifted.place;
        }
        for lifted in &log {
            self.claim_plan(view, lifted.row as usize);
        }
        self.lifting.log = log;
    }
}

/// Index of the least.
fn least(pending: &[(u64, u32)]) -> Option<usize> {
    pending.iter().enumerate().min_by_key(|(_, pending)| **pending).map(|(at, _)| at)
}

/// Lists those whose claims an agent needs for a plan that begins at a state and tick.
fn list_lifted(
    claims: &Claims,
    tables: &MovementTables,
    (id, state, mut ready): (u32, wheelbase_planner::State, u32),
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
    claims.list_lifted(id, cells, (ready, super::FOREVER), rank, lifted);
}

#[cfg(test)]
mod tests;
