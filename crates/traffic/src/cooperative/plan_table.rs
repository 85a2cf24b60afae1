//! What all mechanisms of the rule share: what each agent means to do, which cells it has claimed for that, and in which
//! passages that brings it.

use crate::collision::CollisionRule;
use crate::cooperative::admission::Entrant;
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::OPEN;
use crate::cooperative::corridors_ahead::{Ahead, CORRIDORS_MAX, note_corridors};
use crate::cooperative::plan::Plan;
use crate::cooperative::plan_head::{Has, NOWHERE, PlanCold, PlanHead};
use crate::cooperative::reservations::{FOREVER, Precedence, Reservations, YieldState};
use crate::cooperative::sipp::{PriorityClaims, SippContext};
use crate::cooperative::steps::{goes, is_idle, pose_after, reserve_begun_move, step_ticks, transition_at};
use crate::gates::NONE;
use crate::motion::{AgentId, end_state, sides};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;

/// What each agent means to do, by id, and what that takes of the map, by cell.
#[derive(Debug)]
pub struct PlanTable {
    pub params: TrafficParams,
    pub reservations: Reservations,
    pub priority_claims: PriorityClaims,
    pub corridor_control: CorridorControl,
    /// By id: what every tick looks at; what is cold; and the plans, which [`PlanTable::set_plan`] sets.
    pub heads: Vec<PlanHead>,
    pub cold: Vec<PlanCold>,
    pub plans: Vec<Plan>,
    /// How each gives way at this tick, by id.
    pub yield_states: Vec<YieldState>,
    /// By class: ticks of its fastest move that leads on.
    pub step_ticks: Vec<u32>,
    /// By class: shortest and longest side of its body in cells.
    pub sides: Vec<(u32, u32)>,
}

impl PlanTable {
    /// A map without agents.
    pub fn new(
        tables: &[MovementTables],
        size: GridSize,
        rule: CollisionRule,
        params: TrafficParams,
    ) -> Self {
        let sides: Vec<_> = tables.iter().map(sides).collect();
        let mut priority_claims = PriorityClaims::default();
        priority_claims.resize(size.n_cells());
        Self {
            params,
            reservations: Reservations::new(size, rule),
            priority_claims,
            corridor_control: CorridorControl::new(size, tables, &sides, params),
            heads: Vec::new(),
            cold: Vec::new(),
            plans: Vec::new(),
            yield_states: Vec::new(),
            step_ticks: tables.iter().map(step_ticks).collect(),
            sides,
        }
    }

    /// Makes room for agents of ids below `n`.
    pub fn grow(&mut self, n: usize) {
        self.heads.resize(n, PlanHead::NEW);
        self.cold.resize(n, PlanCold::NEW);
        self.plans.resize(n, Plan::NONE);
        self.yield_states.resize(n, YieldState::NEW);
        self.reservations.grow(n);
    }

    /// Sets the plan of an agent.
    pub fn set_plan(&mut self, id: u32, plan: Plan) {
        self.plans[id as usize] = plan;
        self.note_plan(id);
    }

    /// The first move of an agent's plan has begun.
    pub fn begin_first(&mut self, id: u32) {
        self.plans[id as usize].begin_first();
        self.note_plan(id);
    }

    fn note_plan(&mut self, id: u32) {
        let (plan, head) = (&self.plans[id as usize], &mut self.heads[id as usize]);
        head.plan_begins = plan.moves().first().map_or(NONE, |planned| planned.start);
        (head.plan_ends, head.n_planned) = (plan.end.1, plan.moves().len() as u8);
    }

    /// Notes which cold values of an agent are set, behind a change of one.
    fn note_cold(&mut self, id: u32) {
        self.heads[id as usize].has = Has::of(&self.cold[id as usize]);
    }

    /// An agent gets the right to enter a passage, at a tick if it is a busy one, if it can be in one more.
    pub fn admit(&mut self, id: u32, corridor: u32, at: Option<u32>) -> bool {
        let cold = &mut self.cold[id as usize];
        let free = cold.corridors.iter_mut().find(|corridor| **corridor == OPEN);
        let Some(free) = free.filter(|_| cold.admitted == OPEN) else { return false };
        *free = corridor;
        (cold.admitted, cold.admitted_at, cold.left_at) = (corridor, at.unwrap_or(NONE), NOWHERE);
        self.note_cold(id);
        true
    }

    /// An agent is off the ground before the mouth of the busy passage that it has come out of.
    pub fn clear_left_at(&mut self, id: u32) {
        let cold = &mut self.cold[id as usize];
        (cold.admitted_at, cold.left_at) = (NONE, NOWHERE);
        self.note_cold(id);
    }

    /// Forgets the passages of an agent that is gone; gives them.
    pub fn forget_corridors(&mut self, id: u32) -> [u32; CORRIDORS_MAX] {
        let before = std::mem::replace(&mut self.cold[id as usize].corridors, [OPEN; CORRIDORS_MAX]);
        self.note_cold(id);
        before
    }

    /// An agent has been given a plan or sent another way: it gives way to nobody any more at this tick.
    pub fn touch(&mut self, id: u32, tick: u32) {
        self.yield_states[id as usize].touched_at = tick;
    }

    /// Those behind a place give way, and are given so many steps for it.
    pub fn precedence(&self, tick: u32, key: PriorityKey, steps: u32) -> Precedence<'_> {
        Precedence { yield_states: &self.yield_states, key, steps, tick }
    }

    /// Place of an agent in the order of rank: that of its own order, or of the one for which it steps aside.
    pub fn key(&self, view: &TrafficView<'_>, row: usize) -> PriorityKey {
        let head = &self.heads[view.agents.ids[row].0 as usize];
        // Who is in a passage goes before all that are not.
        let (id, key) = (view.agents.ids[row], view.agents.keys[row]);
        let own = match head.has.admitted_at() {
            _ if head.is_inside => key,
            true => PriorityKey::of_entering(self.cold[id.0 as usize].admitted_at, id),
            false => key.outside(),
        };
        if head.retreat_left == 0 {
            return own;
        }
        let other = view.agents.row(AgentId(self.cold[id.0 as usize].for_agent));
        own.min(other.map_or(PriorityKey::LAST, |other| view.agents.keys[other].outside()))
    }

    /// Claims what an agent needs for the move that it has begun, its plan and its rest, and notes in which
    /// passages that brings it.
    pub fn reserve(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[Ahead]) {
        self.reserve_plan(view, row);
        self.note_corridors(view, row, ahead);
    }

    /// Claims what an agent needs for the move that it has begun, its plan and its rest.
    pub fn reserve_plan(&mut self, view: &TrafficView<'_>, row: usize) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { reservations, plans, .. } = self;
        reservations.remove(id);
        let (state, mut ready) = reserve_begun_move(reservations, tables, (id, motion), view.tick);
        let mut pose = tables.space().pose(state);
        for planned in plans[id as usize].moves() {
            let step = transition_at(tables, pose, usize::from(planned.primitive));
            let end = planned.start + planned.ticks;
            reservations.rest(id, step.start(), ready, planned.start);
            reservations.move_on(id, &step, (planned.start, end));
            (pose, ready) = (pose_after(&step), end);
        }
        reservations.rest(id, (pose.cell, tables.class().cells_at(pose)), ready, FOREVER);
    }

    /// Notes in which passages an agent is and will be with its plan.
    pub fn note_corridors(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[Ahead]) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { reservations, heads, cold, plans, corridor_control, sides, .. } = self;
        let mut in_corridors = [OPEN; CORRIDORS_MAX];
        let start = tables.space().pose(motion.state);
        note_corridors(
            corridor_control,
            reservations,
            (start.cell, tables.class().cells_at(start)),
            &mut in_corridors,
        );
        let is_inside = in_corridors[0] != OPEN;
        let (head, cold) = (&mut heads[id as usize], &mut cold[id as usize]);
        if !is_inside && head.is_inside && cold.admitted_at != NONE {
            cold.left_at = motion.state;
        }
        head.is_inside = is_inside;
        cold.noted_at = motion.state;
        let mut pose = tables.space().pose(end_state(tables, motion));
        note_corridors(
            corridor_control,
            reservations,
            (pose.cell, tables.class().cells_at(pose)),
            &mut in_corridors,
        );
        for planned in plans[id as usize].moves() {
            pose = pose_after(&transition_at(tables, pose, usize::from(planned.primitive)));
            note_corridors(
                corridor_control,
                reservations,
                (pose.cell, tables.class().cells_at(pose)),
                &mut in_corridors,
            );
        }
        if in_corridors.contains(&cold.admitted) {
            cold.admitted = OPEN;
        } else if let Some(free) = in_corridors.iter_mut().find(|corridor| **corridor == OPEN) {
            *free = cold.admitted;
        } else {
            // It is in so many others that it has to ask again.
            cold.admitted = OPEN;
        }
        if in_corridors[0] == OPEN && cold.left_at == NOWHERE {
            cold.admitted_at = NONE;
        }
        let before = std::mem::replace(&mut cold.corridors, in_corridors);
        head.has = Has::of(cold);
        for corridor in
            before.into_iter().filter(|&corridor| corridor != OPEN && !in_corridors.contains(&corridor))
        {
            corridor_control.admission.leave(corridor, id);
        }
        let entrant =
            Entrant { agent: id, direction: (0, 0), width: sides[motion.class.0 as usize].0, stays: None };
        for corridor in in_corridors.into_iter().filter(|&corridor| corridor != OPEN) {
            let known = ahead.iter().find(|ahead| ahead.corridor == corridor && ahead.entrant.agent == id);
            if let Some(known) = known {
                corridor_control.admission.enter(corridor, known.entrant);
            } else if !corridor_control.admission.is_inside(corridor, id) {
                corridor_control.admission.enter(corridor, entrant);
            }
        }
    }

    /// An agent has the right no more to enter where it is not yet.
    pub fn give_up_admission(&mut self, agent: u32) {
        let cold = &mut self.cold[agent as usize];
        let admitted = std::mem::replace(&mut cold.admitted, OPEN);
        if admitted != OPEN {
            (cold.admitted_at, cold.left_at) = (NONE, NOWHERE);
            cold.corridors.iter_mut().filter(|of| **of == admitted).for_each(|of| *of = OPEN);
            self.note_cold(agent);
            self.corridor_control.admission.leave(admitted, agent);
        }
    }

    /// Notes at which place an agent stands at this tick, and whether it can be lifted.
    pub fn note_yield_state(&mut self, view: &TrafficView<'_>, row: usize, key: PriorityKey) {
        let id = view.agents.ids[row].0 as usize;
        let motion = &view.agents.motion[row];
        let head = &self.heads[id];
        let stands = motion.at_rest() && head.plan_is_empty() && is_idle(motion.activity);
        let can = stands || (goes(motion) && !view.agents.paths[row].is_empty());
        let yield_state = &mut self.yield_states[id];
        *yield_state = YieldState {
            key: if can { key } else { PriorityKey::FIRST },
            touched_at: yield_state.touched_at,
            busy_until: if motion.at_rest() { 0 } else { motion.until },
            step_ticks: self.step_ticks[motion.class.0 as usize],
        };
    }

    /// An agent that wants to move among the others.
    pub fn context<'a>(
        &'a self,
        view: &'a TrafficView<'_>,
        row: usize,
        ahead: &'a [Ahead],
    ) -> SippContext<'a> {
        SippContext {
            agent: view.agents.ids[row].0,
            tables: &view.tables[view.agents.motion[row].class.0 as usize],
            reservations: &self.reservations,
            forbidden: view.forbidden,
            priority_claims: &self.priority_claims,
            corridor_control: &self.corridor_control,
            ahead,
            corridors: &self.cold[view.agents.ids[row].0 as usize].corridors,
            precedence: Precedence::STRICT,
            tick: view.tick,
        }
    }
}
