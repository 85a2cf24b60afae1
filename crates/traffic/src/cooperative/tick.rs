//! A tick of the rule: it follows what has happened, each agent that is due plans its next moves, and moves begin.

use crate::cooperative::ahead::mouth_reach;
use crate::cooperative::board::Board;
use crate::cooperative::claims::{FOREVER, Rank};
use crate::cooperative::passage_map::OPEN;
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::planning::Planning;
use crate::cooperative::state::Cooperative;
use crate::cooperative::steps::{end_of_move, goes, step_at};
use crate::cooperative::turns::{Others, plan_one};
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
        for &(place, row) in &due {
            let row = row as usize;
            let id = view.agents.ids[row].0 as usize;
            if now.board.members[id].next_try <= view.tick {
                plan_one(&mut now, others, row, place, decisions);
            }
        }
        others.make_way.clear_mouths(&mut now, decisions);
        (self.scratch, self.due) = (now.into_scratch(), due);
        self.begin_moves(view, decisions);
    }

    fn makes_way(&self, agent: AgentId) -> bool {
        let id = agent.0 as usize;
        let member = self.board.members.get(id);
        member.is_some_and(|member| member.aside_left > 0 || self.board.cold[id].for_agent != NONE)
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for &id in &self.present {
            let (member, cold) = (&self.board.members[id as usize], &self.board.cold[id as usize]);
            let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
            word(pair(member.next_try, member.aside_left));
            word(pair(cold.for_agent, cold.for_order));
            word(pair(cold.held_since, cold.path));
            word(pair(cold.push_again_at, cold.backed_out_until));
            cold.lift_retries.iter().for_each(|retry| word(retry.word()));
            word(pair(cold.granted_at, cold.left_at.0));
            word(pair(
                cold.granted,
                u32::from(member.is_inside) << 16
                    | u32::from(member.failures) << 8
                    | u32::from(cold.push_failures),
            ));
            for planned in self.board.plans[id as usize].moves() {
                word(u64::from(planned.start) << 32 | u64::from(planned.primitive));
            }
        }
        self.board.wishes.for_each_word(word);
        self.search.fields.for_each_word(word);
        self.board.narrows.admission.for_each_word(word);
    }
}

impl Cooperative {
    /// For the agents that plan at this tick; the scratch memory is to be given back.
    pub fn planning<'a>(&'a mut self, view: &'a TrafficView<'a>) -> (Planning<'a>, &'a mut Others) {
        let Self { board, search, others, scratch, .. } = self;
        (Planning::new(view, board, search, std::mem::take(scratch)), others)
    }

    /// Follows what has happened since the last tick, and lists who looks for a plan.
    pub fn follow(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.search.tries_left = view.tries;
        self.others.lifting.begin_tick(&self.board.params);
        self.visited.copy_from(view.agents.busy);
        self.follow_agents(view);
        if !view.refused.is_empty() {
            // They are not where their plans say; all plan anew from where they are.
            self.forget_plans(view);
        }
        self.follow_passages(view);
        self.board.narrows.admission.find_busy(view.tick);
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
        let n = ids.last().map_or(0, |id| id.0 as usize + 1).max(self.board.members.len());
        self.board.grow(n);
        self.search.fields.grow(n);
        let gone = |id: &&u32| view.agents.row(AgentId(**id)).is_none();
        for &id in self.present.iter().filter(gone) {
            self.board.claims.remove(id);
            self.board.set_plan(id, Plan::NONE);
            for passage in self.board.forget_passages(id) {
                if passage != OPEN {
                    self.board.narrows.admission.leave(passage, id);
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
            self.board.set_plan(id, Plan::rest(motion.state, view.tick));
            // Somebody may mean to cross the cells on which it was put down.
            clash |= !self.board.claims.is_free(id, cells, view.tick);
            if !clash {
                self.board.claim(view, row, &[]);
            }
        }
        if clash {
            self.forget_plans(view);
        }
    }

    /// Finds the passages anew where the map was edited. Who is in one that has changed, or will be with its
    /// plan, is in what has become of it; one that only had the right to enter has to ask again.
    pub fn follow_passages(&mut self, view: &TrafficView<'_>) {
        if view.edited.is_empty() || !self.board.narrows.follow_edits(view.tables, view.edited) {
            return;
        }
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let id = view.agents.ids[row].0;
            if self.board.narrows.map.is_altered(self.board.cold[id as usize].granted) {
                self.board.give_up_right(id);
            }
            self.board.claim(view, row, &[]);
        }
        let Board { narrows, cold, .. } = &mut self.board;
        narrows.admission.keep_inside(|passage, agent| cold[agent as usize].passages.contains(&passage));
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
            let plan = &self.board.plans[view.agents.ids[row].0 as usize];
            plan.moves().iter().all(|planned| {
                let primitive = usize::from(planned.primitive);
                let step = step_at(tables, tables.space().pose(state), primitive);
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
        self.board.claims.clear();
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let (state, ready) = end_of_move(tables, motion, view.tick);
            let id = view.agents.ids[row].0;
            self.board.set_plan(id, Plan::rest(state, ready));
            self.board.members[id as usize].next_try = view.tick;
            self.board.claim(view, row, &[]);
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
            let member = &mut self.board.members[id as usize];
            let path_of = (stamp.since, stamp.station);
            if member.path_left != path.len() as u32 || member.path_of != path_of {
                (member.path_left, member.path_of) = (path.len() as u32, path_of);
                let path_number = &mut self.board.cold[id as usize].path;
                *path_number = path_number.wrapping_add(1);
                member.aside_left = if motion.activity == Activity::Yielding { path.len() as u32 } else { 0 };
                (member.next_try, member.failures) = (view.tick, 0);
                self.board.give_up_right(id);
            }
            let plan = &self.board.plans[id as usize];
            if self.board.members[id as usize].plan_is_empty() || (goes(motion) && plan.begins(path)) {
                continue;
            }
            let tables = &view.tables[motion.class.0 as usize];
            let (state, ready) = end_of_move(tables, motion, view.tick);
            let pose = tables.space().pose(state);
            let cells = (pose.cell, tables.class().cells_at(pose));
            if self.board.claims.free_until(id, cells, ready, Rank::STRICT) == FOREVER {
                self.board.set_plan(id, Plan::rest(state, ready));
                self.board.claim(view, row, &[]);
            } else if motion.at_rest() {
                let first = decisions.reroute_moves.len() as u32;
                decisions.reroute_moves.extend(plan.moves().iter().map(|planned| planned.primitive));
                let count = plan.moves().len() as u32;
                let member = &mut self.board.members[id as usize];
                decisions.reroutes.push(Reroute { row: row as u32, first, count, leads: Leads::Aside });
                (member.path_left, member.aside_left) = (count, count);
                member.next_try = view.tick + 1;
                self.board.touch(id, view.tick);
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
            let member = self.board.members[id as usize];
            if member.has.left_at() {
                let space = view.tables[motion.class.0 as usize].space();
                let (from, at) =
                    (space.pose(self.board.cold[id as usize].left_at).cell, space.pose(motion.state).cell);
                let reach = mouth_reach(self.board.sides[motion.class.0 as usize], &self.board.params);
                if from.chebyshev_distance(at) >= reach || !goes(motion) {
                    self.board.clear_left_at(id);
                }
            }
            let noted_at = || self.board.cold[id as usize].noted_at;
            if member.has.passages() && motion.at_rest() && noted_at() != motion.state {
                self.board.note_passages(view, row, &[]);
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
            let place = self.board.place(view, row);
            self.board.note_standing(view, row, place);
            let member = &self.board.members[id as usize];
            let path_left = view.agents.paths[row].len();
            if !goes(motion) || member.next_try > view.tick || path_left == usize::from(member.n_planned) {
                continue;
            }
            let horizon = self.board.step_ticks[motion.class.0 as usize] * self.board.params.horizon_steps;
            let soon = view.tick.saturating_add(horizon / 2);
            let busy = if motion.at_rest() { 0 } else { motion.until };
            if member.plan_is_empty() && busy > soon {
                continue;
            }
            if member.plan_is_empty() || member.plan_ends <= soon {
                self.due.push((place, row as u32));
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
            let (start, motion) = (self.board.members[id as usize].plan_begins, &view.agents.motion[row]);
            if start != view.tick || !motion.at_rest() {
                debug_assert!(start > view.tick || !motion.at_rest(), "a planned move was missed");
                continue;
            }
            let Some(&PlannedMove { ticks, primitive, .. }) = self.board.plans[id as usize].moves().first()
            else {
                continue;
            };
            decisions.starts.push(Start { row: row as u32, primitive, ticks });
            self.board.begin_first(id);
            let (member, cold) = (&mut self.board.members[id as usize], &mut self.board.cold[id as usize]);
            member.path_left -= 1;
            if member.aside_left > 0 {
                member.aside_left -= 1;
                if member.aside_left == 0 {
                    cold.held_since = start + ticks;
                    cold.path = cold.path.wrapping_add(1);
                }
            }
        }
    }
}
