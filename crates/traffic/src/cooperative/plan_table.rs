//! The table that all mechanisms of the rule share: the plan of each agent, the cells that are reserved for it, and the
//! corridors that it enters.

use crate::collision::CollisionRule;
use crate::cooperative::admission::Entrant;
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::{CORRIDORS_MAX, CorridorAhead, note_corridors};
use crate::cooperative::moves::{
    is_following, is_idle, pose_after, reserve_begun_move, step_ticks, transition_at,
};
use crate::cooperative::plan::Plan;
use crate::cooperative::plan_head::{DetailFlags, NO_STATE, PlanDetails, PlanHead};
use crate::cooperative::priority_claims::PriorityClaims;
use crate::cooperative::reservations::{FOREVER, Precedence, Reservations, YieldState};
use crate::cooperative::sipp::SippContext;
use crate::motion::{end_state, sides};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::ticks::NEVER;
use crate::view::TrafficView;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;

/// Plans by agent, and what they need of the map by cell.
#[derive(Debug)]
pub(crate) struct PlanTable {
    pub(crate) params: TrafficParams,
    pub(crate) reservations: Reservations,
    pub(crate) priority_claims: PriorityClaims,
    pub(crate) corridor_control: CorridorControl,
    /// By id: what every tick reads.
    pub(crate) heads: Vec<PlanHead>,
    /// By id: what is cold.
    pub(crate) details: Vec<PlanDetails>,
    /// By id; set by [`PlanTable::set_plan`] alone.
    pub(crate) plans: Vec<Plan>,
    /// By id: whether and how each agent yields at this tick.
    pub(crate) yield_states: Vec<YieldState>,
    /// By class: ticks of a step.
    pub(crate) step_ticks: Vec<u32>,
    /// By class: shortest and longest side of the body in cells.
    pub(crate) sides: Vec<(u32, u32)>,
}

impl PlanTable {
    /// A map without agents.
    pub(crate) fn new(
        tables: &[MovementTables],
        size: GridSize,
        rule: CollisionRule,
        params: TrafficParams,
    ) -> Self {
        let sides: Vec<_> = tables.iter().map(sides).collect();
        Self {
            params,
            reservations: Reservations::new(size, rule),
            priority_claims: PriorityClaims::new(size.n_cells()),
            corridor_control: CorridorControl::new(size, tables, &sides, params),
            heads: Vec::new(),
            details: Vec::new(),
            plans: Vec::new(),
            yield_states: Vec::new(),
            step_ticks: tables.iter().map(step_ticks).collect(),
            sides,
        }
    }

    /// Makes room for agents of ids below `n`.
    pub(crate) fn grow(&mut self, n: usize) {
        self.heads.resize(n, PlanHead::NEW);
        self.details.resize(n, PlanDetails::NEW);
        self.plans.resize(n, Plan::NONE);
        self.yield_states.resize(n, YieldState::NEW);
        self.reservations.grow(n);
    }

    /// Sets the plan of an agent.
    pub(crate) fn set_plan(&mut self, id: u32, plan: Plan) {
        self.plans[id as usize] = plan;
        self.note_plan(id);
    }

    /// The first move of an agent's plan has begun.
    pub(crate) fn begin_first(&mut self, id: u32) {
        self.plans[id as usize].begin_first();
        self.note_plan(id);
    }

    fn note_plan(&mut self, id: u32) {
        let (plan, head) = (&self.plans[id as usize], &mut self.heads[id as usize]);
        head.plan_begins = plan.moves().first().map_or(NEVER, |planned| planned.start);
        (head.plan_ends, head.n_planned) = (plan.end.1, plan.moves().len() as u8);
    }

    /// Notes which details of an agent are set, after a change of one.
    fn note_details(&mut self, id: u32) {
        self.heads[id as usize].has = DetailFlags::of(&self.details[id as usize]);
    }

    /// Admits an agent to a corridor, at a tick if the corridor is busy. Fails if the agent is admitted elsewhere, or
    /// in as many corridors as can be noted.
    pub(crate) fn admit(&mut self, id: u32, corridor: u32, at: Option<u32>) -> bool {
        let details = &mut self.details[id as usize];
        let free = details.corridors.iter_mut().find(|corridor| **corridor == NO_CORRIDOR);
        let Some(free) = free.filter(|_| details.admitted == NO_CORRIDOR) else { return false };
        *free = corridor;
        (details.admitted, details.admitted_at, details.left_at) = (corridor, at.unwrap_or(NEVER), NO_STATE);
        self.note_details(id);
        true
    }

    /// An agent has left the ground before the entrance of the busy corridor that it came out of.
    pub(crate) fn clear_left_at(&mut self, id: u32) {
        let details = &mut self.details[id as usize];
        (details.admitted_at, details.left_at) = (NEVER, NO_STATE);
        self.note_details(id);
    }

    /// Removes and returns the corridors of an agent that is gone.
    pub(crate) fn forget_corridors(&mut self, id: u32) -> [u32; CORRIDORS_MAX] {
        let before =
            std::mem::replace(&mut self.details[id as usize].corridors, [NO_CORRIDOR; CORRIDORS_MAX]);
        self.note_details(id);
        before
    }

    /// An agent has got a plan or was pushed: at this tick it yields no more.
    pub(crate) fn touch(&mut self, id: u32, tick: u32) {
        self.yield_states[id as usize].touched_at = tick;
    }

    /// Agents after a key yield, and clear cells within some steps.
    pub(crate) fn precedence(&self, tick: u32, key: PriorityKey, steps: u32) -> Precedence<'_> {
        Precedence { yield_states: &self.yield_states, key, steps, tick }
    }

    /// Priority key of an agent: its own or, on the way to a retreat, that of its pusher if that comes first.
    pub(crate) fn key(&self, view: &TrafficView<'_>, row: usize) -> PriorityKey {
        let head = &self.heads[view.agents.ids[row].0 as usize];
        // Agents in corridors come before all others.
        let (id, key) = (view.agents.ids[row], view.agents.keys[row]);
        let own = match head.has.admitted_at() {
            _ if head.is_inside => key,
            true => PriorityKey::of_entering(self.details[id.0 as usize].admitted_at, id),
            false => key.outside(),
        };
        if head.retreat_left == 0 {
            return own;
        }
        let other = view.agents.row(self.details[id.0 as usize].pusher);
        own.min(other.map_or(PriorityKey::LAST, |other| view.agents.keys[other].outside()))
    }

    /// Reserves what an agent needs for its move in progress, its plan and its rest, and notes its corridors.
    pub(crate) fn reserve(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[CorridorAhead]) {
        self.reserve_plan(view, row);
        self.note_corridors(view, row, ahead);
    }

    /// Reserves what an agent needs for its move in progress, its plan and its rest.
    pub(crate) fn reserve_plan(&mut self, view: &TrafficView<'_>, row: usize) {
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

    /// Notes the corridors that an agent is in and will be in with its plan.
    pub(crate) fn note_corridors(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[CorridorAhead]) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { reservations, heads, details, plans, corridor_control, sides, .. } = self;
        let mut in_corridors = [NO_CORRIDOR; CORRIDORS_MAX];
        let start = tables.space().pose(motion.state);
        note_corridors(
            corridor_control,
            reservations,
            (start.cell, tables.class().cells_at(start)),
            &mut in_corridors,
        );
        let is_inside = in_corridors[0] != NO_CORRIDOR;
        let (head, details) = (&mut heads[id as usize], &mut details[id as usize]);
        if !is_inside && head.is_inside && details.admitted_at != NEVER {
            details.left_at = motion.state;
        }
        head.is_inside = is_inside;
        details.noted_at = motion.state;
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
        if in_corridors.contains(&details.admitted) {
            details.admitted = NO_CORRIDOR;
        } else if let Some(free) = in_corridors.iter_mut().find(|corridor| **corridor == NO_CORRIDOR) {
            *free = details.admitted;
        } else {
            // It is in as many others as can be noted, and has to ask again.
            details.admitted = NO_CORRIDOR;
        }
        if in_corridors[0] == NO_CORRIDOR && details.left_at == NO_STATE {
            details.admitted_at = NEVER;
        }
        let before = std::mem::replace(&mut details.corridors, in_corridors);
        head.has = DetailFlags::of(details);
        for corridor in before
            .into_iter()
            .filter(|&corridor| corridor != NO_CORRIDOR && !in_corridors.contains(&corridor))
        {
            corridor_control.admission.leave(corridor, id);
        }
        let entrant =
            Entrant { agent: id, direction: (0, 0), width: sides[motion.class.0 as usize].0, stays: None };
        for corridor in in_corridors.into_iter().filter(|&corridor| corridor != NO_CORRIDOR) {
            let known = ahead.iter().find(|ahead| ahead.corridor == corridor && ahead.entrant.agent == id);
            if let Some(known) = known {
                corridor_control.admission.enter(corridor, known.entrant);
            } else if !corridor_control.admission.is_inside(corridor, id) {
                corridor_control.admission.enter(corridor, entrant);
            }
        }
    }

    /// An agent loses its admission to a corridor that it is not in yet.
    pub(crate) fn give_up_admission(&mut self, agent: u32) {
        let details = &mut self.details[agent as usize];
        let admitted = std::mem::replace(&mut details.admitted, NO_CORRIDOR);
        if admitted != NO_CORRIDOR {
            (details.admitted_at, details.left_at) = (NEVER, NO_STATE);
            details.corridors.iter_mut().filter(|of| **of == admitted).for_each(|of| *of = NO_CORRIDOR);
            self.note_details(agent);
            self.corridor_control.admission.leave(admitted, agent);
        }
    }

    /// Notes the priority key of an agent at this tick, and whether its plan can be displaced.
    pub(crate) fn note_yield_state(&mut self, view: &TrafficView<'_>, row: usize, key: PriorityKey) {
        let id = view.agents.ids[row].0 as usize;
        let motion = &view.agents.motion[row];
        let head = &self.heads[id];
        let is_idle = motion.at_rest() && head.plan_is_empty() && is_idle(motion.activity);
        let can_yield = is_idle || (is_following(motion) && !view.agents.paths[row].is_empty());
        let yield_state = &mut self.yield_states[id];
        *yield_state = YieldState {
            key: if can_yield { key } else { PriorityKey::FIRST },
            touched_at: yield_state.touched_at,
            busy_until: if motion.at_rest() { 0 } else { motion.until },
            step_ticks: self.step_ticks[motion.class.0 as usize],
        };
    }

    /// The context of an agent that searches.
    pub(crate) fn context<'a>(
        &'a self,
        view: &'a TrafficView<'_>,
        row: usize,
        ahead: &'a [CorridorAhead],
    ) -> SippContext<'a> {
        SippContext {
            agent: view.agents.ids[row].0,
            tables: &view.tables[view.agents.motion[row].class.0 as usize],
            reservations: &self.reservations,
            forbidden: view.forbidden,
            priority_claims: &self.priority_claims,
            corridor_control: &self.corridor_control,
            ahead,
            corridors: &self.details[view.agents.ids[row].0 as usize].corridors,
            precedence: Precedence::STRICT,
            tick: view.tick,
        }
    }
}
