//! A tick of the rule: it follows what has happened, each agent that is due plans its next moves, and moves begin.

use crate::cooperative::corridor_map::OPEN;
use crate::cooperative::corridors_ahead::entrance_reach;
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::prioritized::{Others, plan_one};
use crate::cooperative::reservations::{FOREVER, Precedence};
use crate::cooperative::state::Cooperative;
use crate::cooperative::steps::{end_of_move, goes, transition_at};
use crate::decisions::{Decisions, Leads, Reroute, Start};
use crate::forbidden::forbids;
use crate::gates::NONE;
use crate::motion::{Activity, AgentId};
use crate::rule::Traffic;
use crate::view::TrafficView;

impl Traffic for Cooperative {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.follow(view, decisions);
        let due = std::mem::take(&mut self.due);
        let (mut now, others) = self.planning(view);
        for &(key, row) in &due {
            let row = row as usize;
            let id = view.agents.ids[row].0 as usize;
            if now.table.heads[id].next_try <= view.tick {
                plan_one(&mut now, others, row, key, decisions);
            }
        }
        others.pushing.clear_entrances(&mut now, decisions);
        (self.scratch, self.due) = (now.into_scratch(), due);
        self.begin_moves(view, decisions);
    }

    fn is_yielding(&self, agent: AgentId) -> bool {
        let id = agent.0 as usize;
        let head = self.table.heads.get(id);
        head.is_some_and(|head| head.retreat_left > 0 || self.table.cold[id].for_agent != NONE)
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for &id in &self.present {
            let (head, cold) = (&self.table.heads[id as usize], &self.table.cold[id as usize]);
            let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
            word(pair(head.next_try, head.retreat_left));
            word(pair(cold.for_agent, cold.for_order));
            word(pair(cold.held_since, cold.path));
            word(pair(cold.push_again_at, cold.backed_out_until));
            cold.displace_retries.iter().for_each(|retry| word(retry.word()));
            word(pair(cold.admitted_at, cold.left_at.0));
            word(pair(
                cold.admitted,
                u32::from(head.is_inside) << 16
                    | u32::from(head.failures) << 8
                    | u32::from(cold.push_failures),
            ));
            for planned in self.table.plans[id as usize].moves() {
                word(u64::from(planned.start) << 32 | u64::from(planned.primitive));
            }
        }
        self.table.priority_claims.for_each_word(word);
        self.search.fields.for_each_word(word);
        self.table.corridor_control.admission.for_each_word(word);
    }
}

impl Cooperative {
    /// For the agents that plan at this tick; the scratch memory is to be given back.
    pub fn planning<'a>(&'a mut self, view: &'a TrafficView<'a>) -> (Planning<'a>, &'a mut Others) {
        let Self { table, search, others, scratch, .. } = self;
        (Planning::new(view, table, search, std::mem::take(scratch)), others)
    }

    /// Follows what has happened since the last tick, and lists who looks for a plan.
    pub fn follow(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.search.tries_left = view.tries;
        self.others.displacement.begin_tick(&self.table.params);
        self.visited.copy_from(view.agents.busy);
        self.follow_agents(view);
        if !view.refused.is_empty() {
            // They are not where their plans say; all plan anew from where they are.
            self.forget_plans(view);
        }
        self.follow_corridors(view);
        self.table.corridor_control.admission.find_busy(view.tick);
        self.follow_edits(view);
        self.follow_paths(view, decisions);
        self.follow_moves(view);
        self.list_due(view);
    }

    /// Takes out the claims of agents that are gone and adds those of new ones.
    pub fn follow_agents(&mut self, view: &TrafficView<'_>) {
        let ids = &view.agents.ids;
        let same =
            ids.len() == self.present.len() && ids.last().map(|id| id.0) == self.present.last().copied();
        if same {
            return;
        }
        let n = ids.last().map_or(0, |id| id.0 as usize + 1).max(self.table.heads.len());
        self.table.grow(n);
        self.search.fields.grow(n);
        let gone = |id: &&u32| view.agents.row(AgentId(**id)).is_none();
        for &id in self.present.iter().filter(gone) {
            self.table.reservations.remove(id);
            self.table.set_plan(id, Plan::NONE);
            for corridor in self.table.forget_corridors(id) {
                if corridor != OPEN {
                    self.table.corridor_control.admission.leave(corridor, id);
                }
            }
        }
        let known = self.present.last().map_or(0, |&last| last + 1);
        self.present.clear();
        self.present.extend(ids.iter().map(|id| id.0));
        let mut clash = false;
        let first_new = ids.partition_point(|id| id.0 < known);
        for (row, id) in ids.iter().enumerate().skip(first_new) {
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let pose = tables.space().pose(motion.state);
            let cells = (pose.cell, tables.class().cells_at(pose));
            let id = id.0;
            self.table.set_plan(id, Plan::rest(motion.state, view.tick));
            // Somebody may mean to cross the cells on which it was put down.
            clash |= !self.table.reservations.is_free(id, cells, view.tick);
            if !clash {
                self.table.reserve(view, row, &[]);
            }
        }
        if clash {
            self.forget_plans(view);
        }
    }

    /// Finds the passages anew where the map was edited. Who is in one that has changed, or will be with its
    /// plan, is in what has become of it; one that only had the right to enter has to ask again.
    pub fn follow_corridors(&mut self, view: &TrafficView<'_>) {
        if view.edited.is_empty() || !self.table.corridor_control.follow_edits(view.tables, view.edited) {
            return;
        }
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let id = view.agents.ids[row].0;
            if self.table.corridor_control.map.is_altered(self.table.cold[id as usize].admitted) {
                self.table.give_up_admission(id);
            }
            self.table.reserve(view, row, &[]);
        }
        let PlanTable { corridor_control, cold, .. } = &mut self.table;
        corridor_control
            .admission
            .keep_inside(|corridor, agent| cold[agent as usize].corridors.contains(&corridor));
    }

    /// Forgets all plans if an edit, or one that waits, has made a move of one illegal or changed its time.
    pub fn follow_edits(&mut self, view: &TrafficView<'_>) {
        let revisions = view.tables.iter().map(|tables| tables.revision());
        if view.forbidden.is_empty() && revisions.clone().eq(self.revisions.iter().copied()) {
            return;
        }
        self.revisions.clear();
        self.revisions.extend(revisions);
        let all_hold = (0..view.agents.len()).all(|row| {
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let (mut state, _) = end_of_move(tables, motion, view.tick);
            let plan = &self.table.plans[view.agents.ids[row].0 as usize];
            plan.moves().iter().all(|planned| {
                let primitive = usize::from(planned.primitive);
                let step = transition_at(tables, tables.space().pose(state), primitive);
                let (anchor, held) = step.start();
                let holds = tables.move_ticks(state, primitive) == Some(planned.ticks)
                    && !forbids(view.forbidden, anchor, held, step.swept().1);
                if holds {
                    state = tables.state_after(state, primitive);
                }
                holds
            })
        });
        if !all_hold {
            self.forget_plans(view);
        }
    }

    /// Everyone finishes the move that it has begun and rests. What all hold then is apart, for the moves
    /// are.
    pub fn forget_plans(&mut self, view: &TrafficView<'_>) {
        self.table.reservations.clear();
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let (state, ready) = end_of_move(tables, motion, view.tick);
            let id = view.agents.ids[row].0;
            self.table.set_plan(id, Plan::rest(state, ready));
            self.table.heads[id as usize].next_try = view.tick;
            self.table.reserve(view, row, &[]);
        }
    }

    /// Looks whose path is another than it was. A plan that is no part of it is given up, if the agent can
    /// rest where it is; else the plan becomes its path.
    pub fn follow_paths(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let id = view.agents.ids[row].0;
            let path = view.paths.moves(view.agents.paths[row]);
            let stamp = view.agents.stamps[row];
            let head = &mut self.table.heads[id as usize];
            let path_of = (stamp.since, stamp.station);
            if head.path_left != path.len() as u32 || head.path_of != path_of {
                (head.path_left, head.path_of) = (path.len() as u32, path_of);
                let path_number = &mut self.table.cold[id as usize].path;
                *path_number = path_number.wrapping_add(1);
                head.retreat_left = if motion.activity == Activity::Yielding { path.len() as u32 } else { 0 };
                (head.next_try, head.failures) = (view.tick, 0);
                self.table.give_up_admission(id);
            }
            let plan = &self.table.plans[id as usize];
            if self.table.heads[id as usize].plan_is_empty() || (goes(motion) && plan.begins(path)) {
                continue;
            }
            let tables = &view.tables[motion.class.0 as usize];
            let (state, ready) = end_of_move(tables, motion, view.tick);
            let pose = tables.space().pose(state);
            let cells = (pose.cell, tables.class().cells_at(pose));
            if self.table.reservations.free_until(id, cells, ready, Precedence::STRICT) == FOREVER {
                self.table.set_plan(id, Plan::rest(state, ready));
                self.table.reserve(view, row, &[]);
            } else if motion.at_rest() {
                let first = decisions.reroute_moves.len() as u32;
                decisions.reroute_moves.extend(plan.moves().iter().map(|planned| planned.primitive));
                let count = plan.moves().len() as u32;
                let head = &mut self.table.heads[id as usize];
                decisions.reroutes.push(Reroute { row: row as u32, first, count, leads: Leads::Aside });
                (head.path_left, head.retreat_left) = (count, count);
                head.next_try = view.tick + 1;
                self.table.touch(id, view.tick);
            }
        }
        self.visited = visited;
    }

    /// Notes who has left a passage with the move that has ended, and who is off the ground before one.
    pub fn follow_moves(&mut self, view: &TrafficView<'_>) {
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let id = view.agents.ids[row].0;
            let head = self.table.heads[id as usize];
            if head.has.left_at() {
                let space = view.tables[motion.class.0 as usize].space();
                let (from, at) =
                    (space.pose(self.table.cold[id as usize].left_at).cell, space.pose(motion.state).cell);
                let reach = entrance_reach(self.table.sides[motion.class.0 as usize], &self.table.params);
                if from.chebyshev_distance(at) >= reach || !goes(motion) {
                    self.table.clear_left_at(id);
                }
            }
            let noted_at = || self.table.cold[id as usize].noted_at;
            if head.has.corridors() && motion.at_rest() && noted_at() != motion.state {
                self.table.note_corridors(view, row, &[]);
            }
        }
        self.visited = visited;
    }

    /// Lists those that have somewhere to go and a plan that is soon at its end, by rank.
    pub fn list_due(&mut self, view: &TrafficView<'_>) {
        self.due.clear();
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let id = view.agents.ids[row].0;
            let key = self.table.key(view, row);
            self.table.note_yield_state(view, row, key);
            let head = &self.table.heads[id as usize];
            let path_left = view.agents.paths[row].len();
            if !goes(motion) || head.next_try > view.tick || path_left == usize::from(head.n_planned) {
                continue;
            }
            let horizon = self.table.step_ticks[motion.class.0 as usize] * self.table.params.horizon_steps;
            let soon = view.tick.saturating_add(horizon / 2);
            let busy = if motion.at_rest() { 0 } else { motion.until };
            if head.plan_is_empty() && busy > soon {
                continue;
            }
            if head.plan_is_empty() || head.plan_ends <= soon {
                self.due.push((key, row as u32));
            }
        }
        self.visited = visited;
        self.due.sort_unstable();
    }

    /// Lets the moves begin whose tick has come.
    pub fn begin_moves(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        // Who was idle and has a plan now was given a path with it.
        self.visited.extend(decisions.reroutes.iter().map(|reroute| reroute.row as usize));
        for row in self.visited.iter() {
            let id = view.agents.ids[row].0;
            let (start, motion) = (self.table.heads[id as usize].plan_begins, &view.agents.motion[row]);
            if start != view.tick || !motion.at_rest() {
                debug_assert!(start > view.tick || !motion.at_rest(), "a planned move was missed");
                continue;
            }
            let Some(&PlannedMove { ticks, primitive, .. }) = self.table.plans[id as usize].moves().first()
            else {
                continue;
            };
            decisions.starts.push(Start { row: row as u32, primitive, ticks });
            self.table.begin_first(id);
            let (head, cold) = (&mut self.table.heads[id as usize], &mut self.table.cold[id as usize]);
            head.path_left -= 1;
            if head.retreat_left > 0 {
                head.retreat_left -= 1;
                if head.retreat_left == 0 {
                    cold.held_since = start + ticks;
                    cold.path = cold.path.wrapping_add(1);
                }
            }
        }
    }
}
