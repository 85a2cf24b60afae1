//! A tick of the rule: it follows what has happened, each agent that is due plans its next moves, and moves begin.

use crate::cooperative::ahead::{PASSAGES_MAX, mouth_reach, note_passages};
use crate::cooperative::claims::{FOREVER, Rank};
use crate::cooperative::interval_search::{Mover, Quest};
use crate::cooperative::member::{Member, NOWHERE};
use crate::cooperative::narrows::{OPEN, Passer};
use crate::cooperative::params::{
    AROUND_AFTER, GIVE_UP_AFTER, HOLD_MOVES_MAX, HORIZON_STEPS, LIFT_AFTER_STEPS, NODES, NODES_AFTER_WAITING,
    PUSH_AFTER, PUSH_ANY_AFTER, PUSH_IDLE_AFTER,
};
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::state::Cooperative;
use crate::cooperative::steps::{
    claim_begun_move, descend, end_of_move, goes, is_idle, line_moves, make_line, pose_after, step_at, waited,
};
use crate::cooperative::window_field::{Costs, FieldKey, FieldView, WindowFields};
use crate::decisions::{Decisions, Leads, Reroute, Start};
use crate::forbidden::forbids;
use crate::gates::NONE;
use crate::motion::{Activity, AgentId, end_state};
use crate::priority::PriorityKey;
use crate::rule::Traffic;
use crate::view::TrafficView;
use wheelbase_planner::State;

impl Traffic for Cooperative {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.follow(view, decisions);
        let due = std::mem::take(&mut self.due);
        for &(place, row) in &due {
            let row = row as usize;
            let id = view.agents.ids[row].0 as usize;
            if self.members[id].next_try <= view.tick {
                self.plan_one(view, row, place, decisions);
            }
        }
        self.due = due;
        self.clear_mouths(view, decisions);
        self.begin_moves(view, decisions);
    }

    fn makes_way(&self, agent: AgentId) -> bool {
        let member = self.members.get(agent.0 as usize);
        member.is_some_and(|member| member.aside_left > 0 || member.for_agent != NONE)
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for &id in &self.present {
            let member = &self.members[id as usize];
            let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
            word(pair(member.next_try, member.aside_left));
            word(pair(member.for_agent, member.for_order));
            word(pair(member.held_since, member.path));
            word(pair(member.push_again_at, member.backed_out_until));
            member.lift_retries.iter().for_each(|retry| word(retry.word()));
            word(pair(member.granted_at, member.left_at.0));
            word(pair(
                member.granted,
                u32::from(member.is_inside) << 16
                    | u32::from(member.failures) << 8
                    | u32::from(member.push_failures),
            ));
            for planned in member.plan.moves() {
                word(u64::from(planned.start) << 32 | u64::from(planned.primitive));
            }
        }
        self.wishes.for_each_word(word);
        self.fields.for_each_word(word);
        self.narrows.for_each_word(word);
    }
}

impl Cooperative {
    /// Follows what has happened since the last tick, and lists who looks for a plan.
    pub fn follow(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.tries_left = view.tries;
        self.lifting.begin_tick(view.tick);
        self.visited.copy_from(view.agents.busy);
        self.ahead.clear();
        self.follow_agents(view);
        if !view.refused.is_empty() {
            // They are not where their plans say; all plan anew from where they are.
            self.forget_plans(view);
        }
        self.follow_passages(view);
        self.narrows.find_busy(view.tick);
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
        let n = ids.last().map_or(0, |id| id.0 as usize + 1).max(self.members.len());
        self.members.resize(n, Member::NEW);
        self.claims.grow(n);
        self.fields.grow(n);
        let gone = |id: &&u32| view.agents.row(AgentId(**id)).is_none();
        for &id in self.present.iter().filter(gone) {
            self.claims.remove(id);
            let member = &mut self.members[id as usize];
            member.plan = Plan::NONE;
            for passage in std::mem::replace(&mut member.passages, [OPEN; PASSAGES_MAX]) {
                if passage != OPEN {
                    self.narrows.leave(passage, id);
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
            self.members[id as usize].plan = Plan::rest(motion.state, view.tick);
            // Somebody may mean to cross the cells on which it was put down.
            clash |= !self.claims.is_free(id, cells, view.tick);
            if !clash {
                self.claim(view, row);
            }
        }
        if clash {
            self.forget_plans(view);
        }
    }

    /// Finds the passages anew where the map was edited. Who is in one that has changed, or will be with its
    /// plan, is in what has become of it; one that only had the right to enter has to ask again.
    pub fn follow_passages(&mut self, view: &TrafficView<'_>) {
        if view.edited.is_empty() || !self.narrows.follow_edits(view.tables, view.edited) {
            return;
        }
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let id = view.agents.ids[row].0;
            if self.narrows.is_altered(self.members[id as usize].granted) {
                self.give_up_right(id);
            }
            self.claim(view, row);
        }
        let members = &self.members;
        self.narrows.keep_inside(|passage, agent| members[agent as usize].passages.contains(&passage));
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
            let plan = &self.members[view.agents.ids[row].0 as usize].plan;
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
        self.claims.clear();
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let (state, ready) = end_of_move(tables, motion, view.tick);
            let member = &mut self.members[view.agents.ids[row].0 as usize];
            member.plan = Plan::rest(state, ready);
            member.next_try = view.tick;
            self.claim(view, row);
        }
    }

    /// Claims what an agent needs for the move that it has begun, its plan and its rest, and notes in which
    /// passages that brings it.
    pub fn claim(&mut self, view: &TrafficView<'_>, row: usize) {
        self.claim_plan(view, row);
        self.note_passages(view, row);
    }

    /// Claims what an agent needs for the move that it has begun, its plan and its rest.
    pub fn claim_plan(&mut self, view: &TrafficView<'_>, row: usize) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { claims, members, .. } = self;
        claims.remove(id);
        let (state, mut ready) = claim_begun_move(claims, tables, (id, motion), view.tick);
        let mut pose = tables.space().pose(state);
        for planned in members[id as usize].plan.moves() {
            let step = step_at(tables, pose, usize::from(planned.primitive));
            let end = planned.start + planned.ticks;
            claims.rest(id, step.start(), ready, planned.start);
            claims.move_on(id, &step, (planned.start, end));
            (pose, ready) = (pose_after(&step), end);
        }
        claims.rest(id, (pose.cell, tables.class().cells_at(pose)), ready, FOREVER);
    }

    /// Notes in which passages an agent is and will be with its plan.
    pub fn note_passages(&mut self, view: &TrafficView<'_>, row: usize) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { claims, members, narrows, sides, ahead, .. } = self;
        let mut in_passages = [OPEN; PASSAGES_MAX];
        let start = tables.space().pose(motion.state);
        note_passages(narrows, claims, (start.cell, tables.class().cells_at(start)), &mut in_passages);
        let is_inside = in_passages[0] != OPEN;
        let member = &mut members[id as usize];
        if !is_inside && member.is_inside && member.granted_at != NONE {
            member.left_at = motion.state;
        }
        member.is_inside = is_inside;
        member.noted_at = motion.state;
        let mut pose = tables.space().pose(end_state(tables, motion));
        note_passages(narrows, claims, (pose.cell, tables.class().cells_at(pose)), &mut in_passages);
        for planned in members[id as usize].plan.moves() {
            pose = pose_after(&step_at(tables, pose, usize::from(planned.primitive)));
            note_passages(narrows, claims, (pose.cell, tables.class().cells_at(pose)), &mut in_passages);
        }
        let member = &mut members[id as usize];
        if in_passages.contains(&member.granted) {
            member.granted = OPEN;
        } else if let Some(free) = in_passages.iter_mut().find(|passage| **passage == OPEN) {
            *free = member.granted;
        } else {
            // It is in so many others that it has to ask again.
            member.granted = OPEN;
        }
        if in_passages[0] == OPEN && member.left_at == NOWHERE {
            member.granted_at = NONE;
        }
        let before = std::mem::replace(&mut member.passages, in_passages);
        for passage in
            before.into_iter().filter(|&passage| passage != OPEN && !in_passages.contains(&passage))
        {
            narrows.leave(passage, id);
        }
        let passer = Passer { agent: id, way: (0, 0), width: sides[motion.class.0 as usize].0, stays: None };
        for passage in in_passages.into_iter().filter(|&passage| passage != OPEN) {
            let known = ahead.iter().find(|ahead| ahead.passage == passage && ahead.passer.agent == id);
            if let Some(known) = known {
                narrows.enter(passage, known.passer);
            } else if !narrows.is_inside(passage, id) {
                narrows.enter(passage, passer);
            }
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
            let member = &mut self.members[id as usize];
            let path_of = (stamp.since, stamp.station);
            if member.path_left != path.len() as u32 || member.path_of != path_of {
                (member.path_left, member.path_of) = (path.len() as u32, path_of);
                member.path = member.path.wrapping_add(1);
                member.aside_left = if motion.activity == Activity::Yielding { path.len() as u32 } else { 0 };
                (member.next_try, member.failures) = (view.tick, 0);
                self.give_up_right(id);
            }
            let member = &mut self.members[id as usize];
            if member.plan.is_empty() || (goes(motion) && member.plan.begins(path)) {
                continue;
            }
            let tables = &view.tables[motion.class.0 as usize];
            let (state, ready) = end_of_move(tables, motion, view.tick);
            let pose = tables.space().pose(state);
            let cells = (pose.cell, tables.class().cells_at(pose));
            if self.claims.free_until(id, cells, ready, Rank::STRICT) == FOREVER {
                member.plan = Plan::rest(state, ready);
                self.claim(view, row);
            } else if motion.at_rest() {
                let first = decisions.reroute_moves.len() as u32;
                decisions.reroute_moves.extend(member.plan.moves().iter().map(|planned| planned.primitive));
                let count = member.plan.moves().len() as u32;
                decisions.reroutes.push(Reroute { row: row as u32, first, count, leads: Leads::Aside });
                (member.path_left, member.aside_left) = (count, count);
                (member.next_try, member.changed_at) = (view.tick + 1, view.tick);
            }
        }
        self.visited = visited;
    }

    /// Notes who has left a passage with the move that has ended, and who is off the ground before one.
    pub fn follow_moves(&mut self, view: &TrafficView<'_>) {
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let member = &mut self.members[view.agents.ids[row].0 as usize];
            if member.left_at != NOWHERE {
                let space = view.tables[motion.class.0 as usize].space();
                let (from, at) = (space.pose(member.left_at).cell, space.pose(motion.state).cell);
                let reach = mouth_reach(self.sides[motion.class.0 as usize]);
                if from.chebyshev_distance(at) >= reach || !goes(motion) {
                    (member.granted_at, member.left_at) = (NONE, NOWHERE);
                }
            }
            let is_in_any = member.passages.iter().any(|&passage| passage != OPEN);
            if is_in_any && motion.at_rest() && member.noted_at != motion.state {
                self.note_passages(view, row);
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
            let place = self.place(view, row);
            self.note_standing(view, row, place);
            let member = &self.members[id as usize];
            let path_left = view.agents.paths[row].len();
            if !goes(motion) || member.next_try > view.tick || path_left == member.plan.moves().len() {
                continue;
            }
            let horizon = self.step_ticks[motion.class.0 as usize] * HORIZON_STEPS;
            let soon = view.tick.saturating_add(horizon / 2);
            let (_, until) = member.plan.end;
            let busy = if motion.at_rest() { 0 } else { motion.until };
            if member.plan.is_empty() && busy > soon {
                continue;
            }
            if member.plan.is_empty() || until <= soon {
                self.due.push((place, row as u32));
            }
        }
        self.visited = visited;
        self.due.sort_unstable();
    }

    /// Place of an agent in the order of rank: that of its own order, or of the one for which it steps aside.
    pub fn place(&self, view: &TrafficView<'_>, row: usize) -> PriorityKey {
        let member = &self.members[view.agents.ids[row].0 as usize];
        // Who is in a passage goes before all that are not.
        let own = match member.granted_at {
            _ if member.is_inside => view.agents.keys[row],
            NONE => view.agents.keys[row].outside(),
            at => PriorityKey::of_entering(at, view.agents.ids[row]),
        };
        if member.aside_left == 0 {
            return own;
        }
        let other = view.agents.row(AgentId(member.for_agent));
        own.min(other.map_or(PriorityKey::LAST, |other| view.agents.keys[other].outside()))
    }

    /// An agent looks for a plan.
    pub fn plan_one(
        &mut self,
        view: &TrafficView<'_>,
        row: usize,
        place: PriorityKey,
        decisions: &mut Decisions,
    ) {
        let motion = view.agents.motion[row];
        let id = view.agents.ids[row].0;
        let tables = &view.tables[motion.class.0 as usize];
        let from = end_of_move(tables, &motion, view.tick);
        if self.lets_pass(view, row) {
            let pause = (self.step_ticks[motion.class.0 as usize] / 2).max(1);
            self.members[id as usize].next_try = view.tick.saturating_add(pause);
            return;
        }
        let step_ticks = self.step_ticks[motion.class.0 as usize];
        let horizon = from.1.saturating_add(step_ticks * HORIZON_STEPS);
        let path = view.paths.moves(view.agents.paths[row]);
        if self.members[id as usize].plan.is_empty()
            && tables.move_ticks(from.0, usize::from(path[0])).is_none()
        {
            if motion.at_rest() {
                decisions.replan.push(row as u32);
                self.members[id as usize].next_try = view.tick + 1;
            }
            return;
        }
        self.look_ahead(view, row, from.0, place);
        if let Some(plan) = self.follow_line(view, row, from, horizon, place) {
            self.take(view, row, plan, decisions);
            return;
        }
        if self.tries_left == 0 {
            // Others have used up the tick's tries; it looks again at the next.
            return;
        }
        let waited = waited(view, row);
        // Who has waited for long will wait for long: ways around become worth more.
        let patience = waited.saturating_mul(2).min(3 * HORIZON_STEPS * step_ticks);
        let quest = Quest {
            from,
            horizon: horizon.saturating_add(patience),
            nodes_max: if waited > 2 * step_ticks { NODES_AFTER_WAITING } else { NODES },
            place,
            lift_ticks: step_ticks / 2,
        };
        self.make_line(view, row, from.0);
        let own = self.cost_to_go(view, row, from.0);
        // It comes no nearer to a passage that it is kept from, but it may go away from it.
        let last = self.line.last().map_or(0, |&(_, left)| left);
        let floor = self.line.get(self.stop as usize).map_or(0, |&(_, left)| left - last);
        let found = self.search_moves(view, row, quest, (floor.min(own), None));
        let cost = found.map_or(u32::MAX, |(_, cost)| cost);
        let without_others = from.1.saturating_add(own).max(quest.horizon);
        if self.stop > HORIZON_STEPS
            && own != crate::cooperative::window_field::UNKNOWN
            && cost > without_others.saturating_add(LIFT_AFTER_STEPS * step_ticks)
            && self.lift(view, row, quest, cost, decisions)
        {
            return;
        }
        match found {
            Some((plan, _)) if !plan.is_empty() => self.take(view, row, plan, decisions),
            found => {
                if let Some((rest, _)) = found
                    && self.members[id as usize].plan.is_empty()
                {
                    self.members[id as usize].plan = rest;
                }
                self.wait(view, row, place, waited, decisions);
            }
        }
    }

    /// Searches for the moves of an agent, whose line is made if it goes anywhere, to poses of at least some
    /// cost-to-go. Those behind its place in the order of rank give way, if so many steps are given
    /// them.
    pub fn search_moves(
        &mut self,
        view: &TrafficView<'_>,
        row: usize,
        quest: Quest,
        (nearest, lift_steps): (u32, Option<u32>),
    ) -> Option<(Plan, u32)> {
        let motion = &view.agents.motion[row];
        let space = view.tables[motion.class.0 as usize].space();
        let (mut search, mut fields) = (std::mem::take(&mut self.search), std::mem::take(&mut self.fields));
        let field = goes(motion).then(|| self.field(&mut fields, view, row));
        let mut mover = self.mover(view, row);
        if let Some(steps) = lift_steps {
            mover.rank = self.lifting.rank(quest.place, steps);
        }
        let found = search.search(&mover, quest, |pose| {
            match field.map_or(0, |field| field.cost(pose, space.headings())) {
                cost if cost < nearest => crate::cooperative::window_field::UNKNOWN,
                cost => cost,
            }
        });
        self.tries_left = self.tries_left.saturating_sub(1 + search.spent);
        (self.search, self.fields) = (search, fields);
        found
    }

    /// An agent that wants to move among the others.
    pub fn mover<'a>(&'a self, view: &'a TrafficView<'_>, row: usize) -> Mover<'a> {
        Mover {
            agent: view.agents.ids[row].0,
            tables: &view.tables[view.agents.motion[row].class.0 as usize],
            claims: &self.claims,
            forbidden: view.forbidden,
            wishes: &self.wishes,
            narrows: &self.narrows,
            ahead: &self.ahead,
            passages: &self.members[view.agents.ids[row].0 as usize].passages,
            rank: Rank::STRICT,
            tick: view.tick,
        }
    }

    /// The next stretch of an agent's path, if nobody is in its way for a quarter of the horizon at least.
    pub fn follow_line(
        &mut self,
        view: &TrafficView<'_>,
        row: usize,
        (mut state, mut ready): (State, u32),
        horizon: u32,
        place: PriorityKey,
    ) -> Option<Plan> {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let member = &self.members[id as usize];
        let path = line_moves(view, row, member);
        let mover = self.mover(view, row);
        let begin = ready;
        let mut against = 0;
        let mut plan = Plan::rest(state, ready);
        let (mut good, mut tried) = (None, 0);
        for (at, &primitive) in path.iter().enumerate().take_while(|(at, _)| (*at as u32) < self.stop) {
            let primitive = usize::from(primitive);
            let Some(ticks) = tables.move_ticks(state, primitive) else { break };
            let step = step_at(tables, tables.space().pose(state), primitive);
            tried += 1;
            let class = motion.class.0 as usize;
            against += self.contraflow.extra(view.streams, class, state, primitive, ticks);
            if against > u64::from(self.step_ticks[class]) {
                good = None;
                break;
            }
            if mover.is_forbidden(&step, place) || !mover.can_begin(&step, ticks, ready) {
                break;
            }
            state = tables.state_after(state, primitive);
            plan.push(PlannedMove { start: ready, ticks, primitive: primitive as u8 }, state);
            ready += ticks;
            let last = at + 1 == path.len() || at as u32 + 1 == self.stop;
            let far = ready - begin >= (horizon - begin).div_ceil(4) || last;
            if far && mover.free_until(pose_after(&step), ready) == FOREVER {
                good = Some(plan);
            }
            if plan.is_full() || ready >= horizon {
                break;
            }
        }
        self.tries_left = self.tries_left.saturating_sub(tried);
        good
    }

    /// The poses of an agent's path from where its plan begins, each with what remains from there to the last
    /// of them.
    pub fn make_line(&mut self, view: &TrafficView<'_>, row: usize, from: State) {
        let id = view.agents.ids[row].0;
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let path = line_moves(view, row, &self.members[id as usize]);
        make_line(tables, from, path, &mut self.line);
    }

    /// An agent takes a plan. Where that leaves its path, the path is led back to where it goes on.
    pub fn take(&mut self, view: &TrafficView<'_>, row: usize, plan: Plan, decisions: &mut Decisions) {
        let id = view.agents.ids[row].0;
        let path = view.paths.moves(view.agents.paths[row]);
        let leaves_path = !plan.begins(path);
        let member = &mut self.members[id as usize];
        member.plan = plan;
        member.failures = 0;
        // Until then others hardly make room for more; to look at every tick found no better plans.
        let pause = (self.step_ticks[view.agents.motion[row].class.0 as usize] / 2).max(1);
        (member.next_try, member.changed_at) = (view.tick.saturating_add(pause), view.tick);
        self.lifting.hold(id);
        if leaves_path {
            let motion = &view.agents.motion[row];
            // One that goes nowhere steps aside with all of its moves.
            let steps_aside = member.aside_left > 0 || !goes(motion);
            let aside = member.aside_left;
            self.moves.clear();
            self.moves.extend(plan.moves().iter().map(|planned| planned.primitive));
            let joins = if goes(motion) { self.lead_back(view, row, plan.end.0) } else { None };
            let member = &mut self.members[id as usize];
            let first = decisions.reroute_moves.len() as u32;
            decisions.reroute_moves.extend_from_slice(&self.moves);
            if let Some(at) = joins {
                decisions.reroute_moves.extend_from_slice(&path[at..]);
                if aside > 0 {
                    member.aside_left = self.moves.len() as u32 + aside.saturating_sub(at as u32);
                }
            } else if steps_aside {
                member.aside_left = self.moves.len() as u32;
            }
            let count = decisions.reroute_moves.len() as u32 - first;
            member.path_left = count;
            let leads = match motion.activity {
                Activity::Following if joins.is_some() => Leads::On,
                Activity::Following if goes(motion) => Leads::Off,
                _ => Leads::Aside,
            };
            decisions.reroutes.push(Reroute { row: row as u32, first, count, leads });
        }
        self.claim(view, row);
    }

    /// Adds to `moves` the way from a pose downhill to the agent's path, of which the line is made; gives the
    /// move at which the path goes on from there.
    pub fn lead_back(&mut self, view: &TrafficView<'_>, row: usize, from: State) -> Option<usize> {
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let (mut fields, mut moves) = (std::mem::take(&mut self.fields), std::mem::take(&mut self.moves));
        let joins = descend(tables, self.field(&mut fields, view, row), from, &self.line, &mut moves);
        (self.fields, self.moves) = (fields, moves);
        joins
    }

    /// Cost-to-go of an agent from a state, as the field of its line says, which is made.
    pub fn cost_to_go(&mut self, view: &TrafficView<'_>, row: usize, from: State) -> u32 {
        let space = view.tables[view.agents.motion[row].class.0 as usize].space();
        let mut fields = std::mem::take(&mut self.fields);
        let cost = self.field(&mut fields, view, row).cost(space.pose(from), space.headings());
        self.fields = fields;
        cost
    }

    /// The field of an agent for its line, which is made.
    pub fn field<'f>(
        &self,
        fields: &'f mut WindowFields,
        view: &TrafficView<'_>,
        row: usize,
    ) -> FieldView<'f> {
        let id = view.agents.ids[row].0;
        let number = view.agents.motion[row].class.0 as usize;
        let tables = &view.tables[number];
        let key = FieldKey { path: self.members[id as usize].path, revision: tables.revision() };
        let center = tables.space().pose(self.line[0].0).cell;
        let contraflow = &self.contraflow;
        let costs = Costs { tables, number, contraflow, streams: view.streams, tick: view.tick };
        fields.obtain(id, key, costs, (center, 14 + 2 * self.sides[number].1), &self.line)
    }

    /// An agent has found nothing better than to stay.
    pub fn wait(
        &mut self,
        view: &TrafficView<'_>,
        row: usize,
        place: PriorityKey,
        waited: u32,
        decisions: &mut Decisions,
    ) {
        let id = view.agents.ids[row].0;
        let motion = view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let step_ticks = self.step_ticks[motion.class.0 as usize];
        let member = &mut self.members[id as usize];
        let pause = (step_ticks << member.failures >> 2).max(1);
        member.next_try = view.tick.saturating_add(pause);
        member.failures = (member.failures + 1).min(3);
        if !motion.at_rest() || !member.plan.is_empty() {
            return;
        }
        if member.aside_left > 0 && waited.min(member.held_for(view.tick)) >= GIVE_UP_AFTER * step_ticks {
            // The room it was sent to is taken; it goes its own way again.
            let list = if motion.activity == Activity::Yielding {
                &mut decisions.give_up
            } else {
                &mut decisions.replan
            };
            list.push(row as u32);
            member.next_try = view.tick + 1;
            return;
        }
        let path = view.paths.moves(view.agents.paths[row]);
        let step = step_at(tables, tables.space().pose(motion.state), usize::from(path[0]));
        if waited >= PUSH_AFTER * step_ticks {
            let (anchor, cells) = view.occupancy.needed(&step);
            let until = view.tick.saturating_add(pause + 1);
            for &offset in cells {
                self.wishes.wish(self.claims.index(anchor, offset), until, place);
            }
        }
        let kept =
            self.ahead.iter().find(|ahead| ahead.keeper.is_some() && self.stop <= HORIZON_STEPS).copied();
        // Who rests on the next few poses of the path.
        let mut state = motion.state;
        let mut blocker = None;
        for &primitive in line_moves(view, row, &self.members[id as usize]).iter().take(3) {
            let primitive = usize::from(primitive);
            if tables.move_ticks(state, primitive).is_none() {
                break;
            }
            let step = step_at(tables, tables.space().pose(state), primitive);
            blocker = self.claims.resting_on(id, view.occupancy.needed(&step));
            if blocker.is_some() {
                break;
            }
            state = tables.state_after(state, primitive);
        }
        // One that stands in a passage with nothing to do has to leave it.
        let keeper = kept.and_then(|kept| kept.keeper).filter(|&keeper| keeper != id);
        let Some(other) = blocker.or(keeper).and_then(|other| view.agents.row(AgentId(other))) else {
            return;
        };
        self.deal_with(view, row, other, (place, waited), decisions);
    }

    /// An agent is blocked by another at rest: has it step aside, or asks for a path around, in due time.
    pub fn deal_with(
        &mut self,
        view: &TrafficView<'_>,
        row: usize,
        other: usize,
        (place, waited): (PriorityKey, u32),
        decisions: &mut Decisions,
    ) {
        let theirs = view.agents.motion[other];
        let their = self.members[view.agents.ids[other].0 as usize];
        let ticks = self.step_ticks[view.agents.motion[row].class.0 as usize];
        // One that is sent aside has time to begin to, however long it has waited before.
        let since_sent = self::waited(view, other).min(their.held_for(view.tick));
        let stands_aside = their.aside_left > 0 && since_sent < PUSH_AFTER * ticks;
        if !theirs.at_rest() || !their.plan.is_empty() || stands_aside {
            return;
        }
        let idle = is_idle(theirs.activity);
        let after = if idle { PUSH_IDLE_AFTER } else { PUSH_AFTER };
        let pushes_any = waited >= ticks * PUSH_ANY_AFTER;
        let may_push = idle || pushes_any || place < self.place(view, other);
        let place = if pushes_any { PriorityKey::FIRST } else { place };
        // One that has arrived goes on by itself at the next tick, but for one on the station of a patrol.
        let goes_on = theirs.activity == Activity::Arrived && view.agents.stamps[other].station == 0;
        if waited >= ticks * after
            && may_push
            && !goes_on
            && self.make_way(view, row, other, place, decisions)
        {
            return;
        }
        let member = &mut self.members[view.agents.ids[row].0 as usize];
        let asks = view.agents.motion[row].activity == Activity::Following
            && member.aside_left == 0
            && waited >= ticks * AROUND_AFTER
            && view.tick >= view.agents.patience[row].ask_again_at;
        if asks {
            decisions.around.push(row as u32);
            member.next_try = view.tick + 1;
        }
    }

    /// Whether an agent that stepped aside stays there, for the other has still to pass. Not where that one
    /// waits and it stands in its way itself: each would wait for the other.
    pub fn lets_pass(&mut self, view: &TrafficView<'_>, row: usize) -> bool {
        let id = view.agents.ids[row].0;
        let member = self.members[id as usize];
        if member.for_agent == NONE || member.aside_left > 0 {
            return false;
        }
        let step_ticks = self.step_ticks[view.agents.motion[row].class.0 as usize];
        let other = view.agents.row(AgentId(member.for_agent)).filter(|&other| {
            view.agents.stamps[other].since == member.for_order
                && member.held_for(view.tick) <= HOLD_MOVES_MAX * step_ticks
                && matches!(
                    view.agents.motion[other].activity,
                    Activity::Following | Activity::Asking | Activity::Yielding
                )
        });
        let passes = other.is_some_and(|other| {
            let waits = waited(view, other).min(member.held_for(view.tick)) >= PUSH_AFTER * step_ticks;
            self.make_way.is_in_way(view, &self.claims, other, row)
                && !(waits && self.make_way.stands_in_way(view, &self.claims, other, row))
        });
        if !passes {
            self.members[id as usize].for_agent = NONE;
        }
        passes
    }

    /// Lets the moves begin whose tick has come.
    pub fn begin_moves(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        // Who was idle and has a plan now was given a path with it.
        self.visited.extend(decisions.reroutes.iter().map(|reroute| reroute.row as usize));
        for row in self.visited.iter() {
            let id = view.agents.ids[row];
            let member = &mut self.members[id.0 as usize];
            let Some(&PlannedMove { start, ticks, primitive }) = member.plan.moves().first() else {
                continue;
            };
            let motion = &view.agents.motion[row];
            if start != view.tick || !motion.at_rest() {
                debug_assert!(start > view.tick || !motion.at_rest(), "a planned move was missed");
                continue;
            }
            decisions.starts.push(Start { row: row as u32, primitive, ticks });
            member.plan.begin_first();
            member.path_left -= 1;
            if member.aside_left > 0 {
                member.aside_left -= 1;
                if member.aside_left == 0 {
                    member.held_since = start + ticks;
                    member.path = member.path.wrapping_add(1);
                }
            }
        }
    }
}
