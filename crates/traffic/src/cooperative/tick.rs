//! A tick of the rule: the state is updated, each agent that is due plans its next moves, and moves begin.

use crate::cooperative::corridors_ahead::entrance_reach;
use crate::cooperative::fixed::DUE_HORIZON_QUARTERS;
use crate::cooperative::moves::{end_of_move, is_following, transition_at};
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::plan_head::Refused;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::prioritized::{CoordinationScratch, plan_agent};
use crate::cooperative::pushing::clear_edits;
use crate::cooperative::reason::reason_of;
use crate::cooperative::restore::restore_cooperative;
use crate::cooperative::roadblocks::renew_roadblocks;
use crate::cooperative::save::visit_cooperative;
use crate::cooperative::state::Cooperative;
use crate::decisions::{Decisions, Leads, Reroute, Start};
use crate::forbidden::forbids;
use crate::motion::{Activity, AgentId};
use crate::reason::Reason;
use crate::rule::{Traffic, copy_of_same_type};
use crate::rule_state::{RuleContext, RuleState, RuleStateError, StateVisitor};
use crate::speed::ticks_at_speed;
use crate::view::TrafficView;
use wheelbase_planner::MovementTables;

impl Traffic for Cooperative {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.update(view, decisions);
        let due = std::mem::take(&mut self.due);
        let (mut planning, coordination) = self.planning(view);
        renew_roadblocks(&mut planning, &mut coordination.push);
        for &(key, row) in &due {
            let row = row as usize;
            let slot = view.agents.slots[row];
            if planning.table.heads[slot.index()].next_try <= view.tick {
                plan_agent(&mut planning, coordination, row, key, decisions);
            }
        }
        clear_edits(&mut planning, &mut coordination.push, decisions);
        (self.scratch, self.due) = (planning.into_scratch(), due);
        self.begin_moves(view, decisions);
        self.next_tick = view.tick.saturating_add(1);
    }

    fn add_class(&mut self, tables: &[MovementTables]) -> bool {
        if let Some(added) = tables.last() {
            self.table.add_class(added);
            self.search.windows.add_class(added);
            self.revisions.push(added.revision());
        }
        true
    }

    fn is_yielding(&self, agent: AgentId) -> bool {
        let Ok(row) = self.present.binary_search_by_key(&agent, |&(id, _)| id) else { return false };
        let slot = self.present[row].1.index();
        self.table.heads[slot].retreat_left > 0 || self.table.details[slot].pusher != AgentId::NOBODY
    }

    fn roadblocks(&self) -> &[AgentId] {
        &self.table.roadblocks
    }

    fn reason(&self, view: &TrafficView<'_>, row: usize) -> Option<Reason> {
        reason_of(&self.table, view, row)
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }

    fn copy_from(&mut self, other: &dyn Traffic) -> bool {
        copy_of_same_type(self, other)
    }

    fn saved_name(&self) -> Option<&'static str> {
        Some(Self::NAME)
    }

    fn visit_state(&self, visitor: &mut dyn StateVisitor) {
        visit_cooperative(self, visitor);
    }

    fn restore_state(&mut self, state: &RuleState, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
        restore_cooperative(self, state, context)
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for &(_, slot) in &self.present {
            let (head, details) = (&self.table.heads[slot.index()], &self.table.details[slot.index()]);
            let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
            word(pair(head.next_try, head.retreat_left));
            word(pair(details.pusher.0, details.pusher_since));
            word(pair(details.retreat_since, details.path));
            word(details.push_again_at.into());
            details.inheritance_retries.iter().for_each(|retry| word(retry.word()));
            word(details.credit.0);
            word(pair(details.admitted_at, details.left_at.0));
            word(pair(
                details.admitted,
                u32::from(head.is_inside) << 16
                    | u32::from(head.failures) << 8
                    | u32::from(details.push_failures),
            ));
            word(details.test_way_at.into());
            for planned in self.table.plans[slot.index()].moves() {
                word(u64::from(planned.start) << 32 | u64::from(planned.primitive));
            }
        }
        self.table.roadblocks.iter().for_each(|agent| word(agent.0.into()));
        self.table.soft_reservations.for_each_word(word);
        self.search.windows.for_each_word(word);
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
        self.coordination.inheritance.begin_tick(&self.table.params);
        self.visited.copy_from(view.agents.busy);
        let just_out = self.just_out.drain(..);
        self.visited.extend(just_out.filter_map(|agent| view.agents.row(agent)));
        self.update_agents(view);
        if !view.refused.is_empty() {
            // These agents are not where their plans say: all replan from where they are.
            self.drop_plans(view);
        }
        self.update_corridors(view);
        let classes = view.agents.motion.iter().map(|motion| motion.class);
        self.table.corridor_control.find_busy(view.tick, view.forbidden, classes);
        self.check_plans(view);
        self.check_speeds_and_holds(view);
        self.update_paths(view, decisions);
        self.update_corridor_states(view);
        self.list_due(view);
    }

    /// Clears the agent slots of agents that are gone and adds the reservations of new agents. The slot of an agent
    /// that is gone may belong to a new one. An agent that has taken another class is both: its body is new. So is an
    /// agent that has come back to the map; `view.reclassed` names it too.
    pub(crate) fn update_agents(&mut self, view: &TrafficView<'_>) {
        let (ids, slots) = (view.agents.ids, view.agents.slots);
        let is_same = ids.len() == self.present.len() && ids.last() == self.present.last().map(|(id, _)| id);
        if is_same && view.reclassed.is_empty() {
            return;
        }
        // Ids rise. Before an agent that stays there may be others that have come back.
        let (mut next, stay) = (0, &mut self.stay);
        stay.clear();
        for &(id, slot) in &self.present {
            while ids.get(next).is_some_and(|&other| other < id) {
                next += 1;
            }
            if ids.get(next) == Some(&id) && slots[next] == slot {
                stay.insert(next);
            } else {
                self.table.clear(slot);
            }
        }
        self.present.clear();
        self.present.extend(ids.iter().copied().zip(slots.iter().copied()));
        self.table.grow(view.agents.row_of_slot.len());
        self.search.windows.grow(view.agents.row_of_slot.len());
        let reclassed = view.reclassed.iter().map(|&row| row as usize).filter(|&row| stay.contains(row));
        reclassed.clone().for_each(|row| self.table.clear_reclassed(slots[row]));
        let mut clash = false;
        for row in reclassed.chain((0..ids.len()).filter(|&row| !stay.contains(row))) {
            let slot = slots[row];
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let pose = tables.space().pose(motion.state);
            let cells = (pose.cell, tables.class().cells_at(pose));
            self.table.set_plan(slot, Plan::rest(motion.state, view.tick));
            self.table.speed_factors[slot.index()] = view.agents.speed_factors[row];
            // Another agent may have planned to cross the cells on which it was placed.
            clash |= !self.table.reservations.is_free(slot, cells, view.tick);
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
            let slot = view.agents.slots[row];
            if self.table.corridor_control.map.is_altered(self.table.details[slot.index()].admitted) {
                self.table.give_up_admission(slot);
            }
            if self.table.corridor_control.map.is_altered(self.table.details[slot.index()].refused.corridor) {
                self.table.details[slot.index()].refused = Refused::NONE;
            }
            self.table.reserve(view, row, &[]);
        }
        let PlanTable { corridor_control, details, .. } = &mut self.table;
        corridor_control
            .admission
            .keep_inside(|corridor, slot| details[slot.index()].corridors.contains(&corridor));
    }

    /// Drops all plans if an edit, applied or waiting, has made a planned move illegal or changed its time.
    pub(crate) fn check_plans(&mut self, view: &TrafficView<'_>) {
        let revisions = view.tables.iter().map(|tables| tables.revision());
        if view.forbidden.is_empty() && revisions.clone().eq(self.revisions.iter().copied()) {
            return;
        }
        if !revisions.clone().eq(self.revisions.iter().copied()) {
            let rows = 0..view.agents.len();
            rows.for_each(|row| self.table.keep_turnaround_free(&view.agents, view.tables, row));
        }
        self.revisions.clear();
        self.revisions.extend(revisions);
        // An agent leaves the busy rows after a tick that has left it at rest without a path. Its plan is empty then:
        // `update_paths` drops the plan of an agent without a path, or makes it the agent's path.
        debug_assert!(
            (0..view.agents.len()).all(|row| {
                let head = &self.table.heads[view.agents.slots[row].index()];
                self.visited.contains(row) || head.plan_is_empty()
            }),
            "an agent with a plan is not visited"
        );
        let all_hold = self.visited.iter().all(|row| {
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let (mut state, _) = end_of_move(tables, motion, view.tick);
            let factor = self.table.speed_factors[view.agents.slots[row].index()];
            let plan = &self.table.plans[view.agents.slots[row].index()];
            plan.moves().iter().all(|planned| {
                let primitive = usize::from(planned.primitive);
                let step = transition_at(tables, tables.space().pose(state), primitive);
                let (anchor, held) = step.start();
                let ticks = tables.move_ticks(state, primitive).map(|ticks| ticks_at_speed(ticks, factor));
                let holds =
                    ticks == Some(planned.ticks) && !forbids(view.forbidden, anchor, held, step.swept().1);
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

    /// Drops the plans of agents whose speed factor has changed, which have wrong times, and of agents on hold. If
    /// others have reserved the cells on which such an agent would rest, all plans are dropped: an agent on hold cannot
    /// leave its cells.
    pub(crate) fn check_speeds_and_holds(&mut self, view: &TrafficView<'_>) {
        let mut clash = false;
        for row in self.visited.iter() {
            let (slot, factor) = (view.agents.slots[row], view.agents.speed_factors[row]);
            let is_other_speed = self.table.speed_factors[slot.index()] != factor;
            let holds = view.agents.motion[row].activity == Activity::Holding;
            if !is_other_speed && !holds {
                continue;
            }
            if is_other_speed {
                self.table.note_speed(slot, factor);
                self.table.heads[slot.index()].next_try = view.tick;
            }
            if !self.table.heads[slot.index()].plan_is_empty() {
                clash |= !self.table.rest_instead(view, row);
            }
        }
        if clash {
            self.drop_plans(view);
        }
    }

    /// Drops all plans: each agent finishes its move in progress and rests. Moves in progress never conflict, and
    /// neither do the footprints in which they end.
    pub(crate) fn drop_plans(&mut self, view: &TrafficView<'_>) {
        self.table.reservations.clear();
        self.table.turnaround.clear();
        self.visited.fill(view.agents.len());
        for row in 0..view.agents.len() {
            let motion = &view.agents.motion[row];
            let tables = &view.tables[motion.class.0 as usize];
            let (state, ready) = end_of_move(tables, motion, view.tick);
            let slot = view.agents.slots[row];
            self.table.set_plan(slot, Plan::rest(state, ready));
            self.table.heads[slot.index()].next_try = view.tick;
            self.table.reserve(view, row, &[]);
        }
    }

    /// Notes which paths have changed. A plan that does not begin the new path is dropped if the agent can rest where
    /// it is; else the plan becomes its path.
    pub(crate) fn update_paths(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let slot = view.agents.slots[row];
            let path = view.paths.moves(view.agents.paths[row]);
            let stamp = view.agents.stamps[row];
            let head = &mut self.table.heads[slot.index()];
            let path_of = (stamp.since, stamp.waypoint);
            if head.path_left != path.len() as u32 || head.path_of != path_of {
                (head.path_left, head.path_of) = (path.len() as u32, path_of);
                let path_number = &mut self.table.details[slot.index()].path;
                *path_number = path_number.wrapping_add(1);
                head.retreat_left = if motion.activity == Activity::Yielding { path.len() as u32 } else { 0 };
                (head.next_try, head.failures) = (view.tick, 0);
                self.table.give_up_admission(slot);
            }
            let plan = &self.table.plans[slot.index()];
            if self.table.heads[slot.index()].plan_is_empty() || (is_following(motion) && plan.begins(path)) {
                continue;
            }
            let end = end_of_move(&view.tables[motion.class.0 as usize], motion, view.tick).0;
            if (self.table.may_rest(view, row, end) && self.table.rest_instead(view, row))
                || !motion.at_rest()
            {
                continue;
            }
            let plan = &self.table.plans[slot.index()];
            let first = decisions.reroute_moves.len() as u32;
            decisions.reroute_moves.extend(plan.moves().iter().map(|planned| planned.primitive));
            let count = plan.moves().len() as u32;
            let head = &mut self.table.heads[slot.index()];
            decisions.reroutes.push(Reroute { row: row as u32, first, count, leads: Leads::Aside });
            (head.path_left, head.retreat_left) = (count, count);
            head.next_try = view.tick + 1;
            self.table.touch(slot, view.tick);
        }
        self.visited = visited;
    }

    /// Notes which agents have left a corridor with the move that has ended, or the ground before its entrance.
    pub(crate) fn update_corridor_states(&mut self, view: &TrafficView<'_>) {
        let visited = std::mem::take(&mut self.visited);
        for row in visited.iter() {
            let motion = &view.agents.motion[row];
            let slot = view.agents.slots[row];
            let head = self.table.heads[slot.index()];
            if head.has.left_at() {
                let space = view.tables[motion.class.0 as usize].space();
                let (from, at) = (
                    space.pose(self.table.details[slot.index()].left_at).cell,
                    space.pose(motion.state).cell,
                );
                let reach = entrance_reach(self.table.sides[motion.class.0 as usize]);
                if from.chebyshev_distance(at) >= reach || !is_following(motion) {
                    self.table.clear_left_at(slot);
                }
            }
            let noted_at = || self.table.details[slot.index()].noted_at;
            if head.has.corridors() && motion.at_rest() && noted_at() != motion.state {
                self.table.note_corridors(view, row, &[]);
                if self.table.heads[slot.index()].has.left_at() && !is_following(motion) {
                    self.just_out.push(view.agents.ids[row]);
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
            let slot = view.agents.slots[row];
            let key = self.table.key(view, row);
            self.table.note_yield_state(view, row, key);
            let head = &self.table.heads[slot.index()];
            let path_left = view.agents.paths[row].len();
            if !is_following(motion) || head.next_try > view.tick || path_left == usize::from(head.n_planned)
            {
                continue;
            }
            let step_ticks = u32::from(self.table.yield_states[slot.index()].step_ticks);
            let horizon = step_ticks * self.table.params.horizon_steps;
            let soon = view.tick.saturating_add(horizon * DUE_HORIZON_QUARTERS / 4);
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
            let slot = view.agents.slots[row];
            let (start, motion) = (self.table.heads[slot.index()].plan_begins, &view.agents.motion[row]);
            if start != view.tick || !motion.at_rest() {
                debug_assert!(start > view.tick || !motion.at_rest(), "a planned move was missed");
                continue;
            }
            let Some(&PlannedMove { ticks, primitive, .. }) = self.table.plans[slot.index()].moves().first()
            else {
                continue;
            };
            decisions.starts.push(Start { row: row as u32, primitive, ticks });
            self.table.begin_first(slot);
            let (head, details) =
                (&mut self.table.heads[slot.index()], &mut self.table.details[slot.index()]);
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
