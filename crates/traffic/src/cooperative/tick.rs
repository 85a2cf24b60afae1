//! A tick of the rule: the state is updated, each agent that is due plans its next moves, and moves begin.

use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::entrance_reach;
use crate::cooperative::moves::{end_of_move, is_following, transition_at};
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::prioritized::{CoordinationScratch, plan_agent};
use crate::cooperative::pushing::clear_entrances;
use crate::cooperative::reservations::{FOREVER, Precedence};
use crate::cooperative::state::Cooperative;
use crate::decisions::{Decisions, Leads, Reroute, Start};
use crate::forbidden::forbids;
use crate::motion::{Activity, AgentId};
use crate::rule::Traffic;
use crate::view::TrafficView;

impl Traffic for Cooperative {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.update(view, decisions);
        let due = std::mem::take(&mut self.due);
        let (mut planning, coordination) = self.planning(view);
        for &(key, row) in &due {
            let row = row as usize;
            let id = view.agents.ids[row].0 as usize;
            if planning.table.heads[id].next_try <= view.tick {
                plan_agent(&mut planning, coordination, row, key, decisions);
            }
        }
        clear_entrances(&mut planning, &mut coordination.push, decisions);
        (self.scratch, self.due) = (planning.into_scratch(), due);
        self.begin_moves(view, decisions);
    }

    fn is_yielding(&self, agent: AgentId) -> bool {
        let id = agent.0 as usize;
        let head = self.table.heads.get(id);
        head.is_some_and(|head| head.retreat_left > 0 || self.table.details[id].pusher != AgentId::NOBODY)
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for &id in &self.present {
            let (head, details) = (&self.table.heads[id as usize], &self.table.details[id as usize]);
            let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
            word(pair(head.next_try, head.retreat_left));
            word(pair(details.pusher.0, details.pusher_since));
            word(pair(details.retreat_since, details.path));
            word(pair(details.push_again_at, details.backed_out_until));
            details.displace_retries.iter().for_each(|retry| word(retry.word()));
            word(pair(details.admitted_at, details.left_at.0));
            word(pair(
                details.admitted,
                u32::from(head.is_inside) << 16
                    | u32::from(head.failures) << 8
                    | u32::from(details.push_failures),
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
    /// The planning context of a tick; its scratch memory must be given back.
    pub(crate) fn planning<'a>(
        &'a mut self,
        view: &'a TrafficView<'a>,
    ) -> (Planning<'a>, &'a mut CoordinationScratch) {
        let Self { table, search, coordination, scratch, .. } = self;
        (Planning::new(view, table, search, std::mem::take(scratch)), coordination)
    }

    /// Updates the state to what has happened since the last tick, and lists the agents that plan.
    pub(crate) fn update(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.search.tries_left = view.tries;
        self.coordination.displacement.begin_tick(&self.table.params);
        self.visited.copy_from(view.agents.busy);
        let just_out = self.just_out.drain(..);
        self.visited.extend(just_out.filter_map(|id| view.agents.row(AgentId(id))));
        self.update_agents(view);
        if !view.refused.is_empty() {
            // These agents are not where their plans say: all plan again from where they are.
            self.drop_plans(view);
        }
        self.update_corridors(view);
        self.table.corridor_control.admission.find_busy(view.tick);
        self.check_plans(view);
        self.update_paths(view, decisions);
        self.update_corridor_states(view);
        self.list_due(view);
    }

    /// Removes the reservations of agents that are gone and adds those of new agents.
    pub(crate) fn update_agents(&mut self, view: &TrafficView<'_>) {
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
                if corridor != NO_CORRIDOR {
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
            // Another agent may have planned to cross the cells on which it was placed.
            clash |= !self.table.reservations.is_free(id, cells, view.tick);
            if !clash {
                self.table.reserve(view, row, &[]);
            }
        }
        if clash {
            self.drop_plans(view);
        }
    }

    /// Computes the corridors again where the map was edited. An agent in a corridor that has changed is in what has
    /// become of it; an agent that was only admitted has to ask again.
    pub(crate) fn update_corridors(&mut self, view: &TrafficView<'_>) {
        if view.edited.is_empty() || !self.table.corridor_control.update(view.tables, view.edited) {
            return;
        }
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let id = view.agents.ids[row].0;
            if self.table.corridor_control.map.is_altered(self.table.details[id as usize].admitted) {
                self.table.give_up_admission(id);
            }
            self.table.reserve(view, row, &[]);
        }
        let PlanTable { corridor_control, details, .. } = &mut self.table;
        corridor_control
            .admission
            .keep_inside(|corridor, agent| details[agent as usize].corridors.contains(&corridor));
    }

    /// Drops all plans if an edit, applied or waiting, has made a planned move illegal or changed its time.
    pub(crate) fn check_plans(&mut self, view: &TrafficView<'_>) {
        let revisions = view.tables.iter().map(|tables| tables.revision());
        if view.forbidden.is_empty() && revisions.clone().eq(self.revisions.iter().copied()) {
            return;
        }
        self.revisions.clear();
        self.revisions.extend(revisions);
        // An agent leaves the busy rows after a tick that has left it at rest without a path. Its plan is empty then:
        // `update_paths` drops the plan of an agent without a path, or makes it the agent's path.
        debug_assert!(
            (0..view.agents.len()).all(|row| {
                let head = &self.table.heads[view.agents.ids[row].0 as usize];
                self.visited.contains(row) || head.plan_is_empty()
            }),
            "an agent with a plan is not visited"
        );
        let all_hold = self.visited.iter().all(|row| {
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
            self.drop_plans(view);
        }
    }

    /// Drops all plans: each agent finishes its move in progress and rests. Moves in progress never conflict, and
    /// neither do the footprints in which they end.
    pub(crate) fn drop_plans(&mut self, view: &TrafficView<'_>) {
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

    /// Notes which paths have changed. A plan that does not begin the new path is dropped if the agent can rest where
    /// it is; else the plan becomes its path.
    pub(crate) fn update_paths(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
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
                let path_number = &mut self.table.details[id as usize].path;
                *path_number = path_number.wrapping_add(1);
                head.retreat_left = if motion.activity == Activity::Yielding { path.len() as u32 } else { 0 };
                (head.next_try, head.failures) = (view.tick, 0);
                self.table.give_up_admission(id);
            }
            let plan = &self.table.plans[id as usize];
            if self.table.heads[id as usize].plan_is_empty() || (is_following(motion) && plan.begins(path)) {
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

    /// Notes which agents have left a corridor with the move that has ended, or the ground before its entrance.
    pub(crate) fn update_corridor_states(&mut self, view: &TrafficView<'_>) {
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let id = view.agents.ids[row].0;
            let head = self.table.heads[id as usize];
            if head.has.left_at() {
                let space = view.tables[motion.class.0 as usize].space();
                let (from, at) =
                    (space.pose(self.table.details[id as usize].left_at).cell, space.pose(motion.state).cell);
                let reach = entrance_reach(self.table.sides[motion.class.0 as usize], &self.table.params);
                if from.chebyshev_distance(at) >= reach || !is_following(motion) {
                    self.table.clear_left_at(id);
                }
            }
            let noted_at = || self.table.details[id as usize].noted_at;
            if head.has.corridors() && motion.at_rest() && noted_at() != motion.state {
                self.table.note_corridors(view, row, &[]);
                if self.table.heads[id as usize].has.left_at() && !is_following(motion) {
                    self.just_out.push(id);
                }
            }
        }
        self.visited = visited;
    }

    /// Lists the agents that follow a path and whose plan ends soon, by priority.
    pub(crate) fn list_due(&mut self, view: &TrafficView<'_>) {
        self.due.clear();
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let id = view.agents.ids[row].0;
            let key = self.table.key(view, row);
            self.table.note_yield_state(view, row, key);
            let head = &self.table.heads[id as usize];
            let path_left = view.agents.paths[row].len();
            if !is_following(motion) || head.next_try > view.tick || path_left == usize::from(head.n_planned)
            {
                continue;
            }
            let horizon = self.table.step_ticks[motion.class.0 as usize] * self.table.params.horizon_steps;
            let soon = view.tick.saturating_add(horizon * self.table.params.due_horizon_quarters / 4);
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

    /// Begins the planned moves of this tick.
    pub(crate) fn begin_moves(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        // An idle agent that got a plan has got a path with it.
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
            let (head, details) = (&mut self.table.heads[id as usize], &mut self.table.details[id as usize]);
            head.path_left -= 1;
            if head.retreat_left > 0 {
                head.retreat_left -= 1;
                if head.retreat_left == 0 {
                    details.retreat_since = start + ticks;
                    details.path = details.path.wrapping_add(1);
                }
            }
        }
    }
}
