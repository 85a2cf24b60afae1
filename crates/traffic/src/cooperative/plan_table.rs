//! The table that all mechanisms of the rule share. It stores each agent's plan, its reserved cells, and the corridors
//! that it enters.

use crate::clone_fields::clone_fields;
use crate::collision::CollisionRule;
use crate::cooperative::admission::Entrant;
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::{CORRIDORS_MAX, CorridorAhead, note_corridors};
use crate::cooperative::moves::{
    end_of_move, is_following, is_idle, pose_after, reserve_begun_move, step_ticks, transition_at,
};
use crate::cooperative::no_stopping::StoppingAgent;
use crate::cooperative::plan::Plan;
use crate::cooperative::plan_head::{DetailFlags, NO_STATE, PlanDetails, PlanHead};
use crate::cooperative::reservations::{FOREVER, Precedence, Reservations, YieldState};
use crate::cooperative::sipp::SippContext;
use crate::cooperative::soft_reservations::SoftReservations;
use crate::cooperative::turnaround::{Rest, TurnaroundFootprints};
use crate::motion::{AgentId, AgentSlot, end_state, sides};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::speed::{USUAL_SPEED_PERMILLE, ticks_at_speed};
use crate::ticks::NEVER;
use crate::view::{AgentsView, TrafficView};
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// Plans by agent, and what they need of the map by cell.
#[derive(Debug)]
pub(crate) struct PlanTable {
    pub(crate) params: TrafficParams,
    pub(crate) reservations: Reservations,
    pub(crate) soft_reservations: SoftReservations,
    pub(crate) corridor_control: CorridorControl,
    pub(crate) turnaround: TurnaroundFootprints,
    /// By agent slot: what every tick reads.
    pub(crate) heads: Vec<PlanHead>,
    /// By agent slot: the cold data.
    pub(crate) details: Vec<PlanDetails>,
    /// By agent slot; set by [`PlanTable::set_plan`] alone.
    pub(crate) plans: Vec<Plan>,
    /// By agent slot: whether and how each agent yields at this tick.
    pub(crate) yield_states: Vec<YieldState>,
    /// By agent slot: the speed factor with which the plan was made.
    pub(crate) speed_factors: Vec<u16>,
    /// Agents that cannot make way, by id. Some may be gone since the last tick.
    pub(crate) roadblocks: Vec<AgentId>,
    /// By class: ticks of a step at the usual speed.
    pub(crate) step_ticks: Vec<u32>,
    /// By class: shortest and longest side of the body in cells.
    pub(crate) sides: Vec<(u32, u32)>,
}

clone_fields!(PlanTable {
    params,
    reservations,
    soft_reservations,
    corridor_control,
    turnaround,
    heads,
    details,
    plans,
    yield_states,
    speed_factors,
    roadblocks,
    step_ticks,
    sides,
});

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
            soft_reservations: SoftReservations::new(size.n_cells()),
            corridor_control: CorridorControl::new(size, tables, &sides, params),
            turnaround: TurnaroundFootprints::new(tables, size, params.turning_circles != 0),
            heads: Vec::new(),
            details: Vec::new(),
            plans: Vec::new(),
            yield_states: Vec::new(),
            speed_factors: Vec::new(),
            roadblocks: Vec::new(),
            step_ticks: tables.iter().map(step_ticks).collect(),
            sides,
        }
    }

    /// Adds a class. The corridors stay as they are.
    pub(crate) fn add_class(&mut self, tables: &MovementTables) {
        let sides = sides(tables);
        self.corridor_control.no_stopping.add_class(sides);
        self.turnaround.add_class(tables, self.corridor_control.map.size, self.heads.len());
        self.step_ticks.push(step_ticks(tables));
        self.sides.push(sides);
    }

    /// Makes room for agent slots below `n`.
    pub(crate) fn grow(&mut self, n: usize) {
        self.heads.resize(n, PlanHead::NEW);
        self.details.resize(n, PlanDetails::NEW);
        self.plans.resize(n, Plan::NONE);
        self.yield_states.resize(n, YieldState::NEW);
        self.speed_factors.resize(n, USUAL_SPEED_PERMILLE);
        self.roadblocks.reserve(n - self.roadblocks.len().min(n));
        self.reservations.grow(n);
        self.turnaround.grow(n);
    }

    /// Resets the agent slot of an agent that is gone: no reservations, corridors or plan.
    pub(crate) fn clear(&mut self, slot: AgentSlot) {
        let at = slot.index();
        for corridor in self.details[at].corridors.into_iter().filter(|&corridor| corridor != NO_CORRIDOR) {
            self.corridor_control.admission.leave(corridor, slot);
        }
        self.release(slot);
        (self.heads[at], self.details[at]) = (PlanHead::NEW, PlanDetails::NEW);
        (self.plans[at], self.yield_states[at]) = (Plan::NONE, YieldState::NEW);
        self.speed_factors[at] = USUAL_SPEED_PERMILLE;
    }

    /// Resets the agent slot of an agent that has taken another class. Its next path has a new number, so that no
    /// cost-to-go of the old class is used for the new.
    pub(crate) fn clear_reclassed(&mut self, slot: AgentSlot) {
        let path = self.details[slot.index()].path;
        self.clear(slot);
        self.details[slot.index()].path = path.wrapping_add(1);
    }

    /// Sets the plan of an agent.
    pub(crate) fn set_plan(&mut self, slot: AgentSlot, plan: Plan) {
        self.plans[slot.index()] = plan;
        self.note_plan(slot);
    }

    /// The first move of an agent's plan has begun.
    pub(crate) fn begin_first(&mut self, slot: AgentSlot) {
        self.plans[slot.index()].begin_first();
        self.note_plan(slot);
    }

    fn note_plan(&mut self, slot: AgentSlot) {
        let (plan, head) = (&self.plans[slot.index()], &mut self.heads[slot.index()]);
        head.plan_begins = plan.moves().first().map_or(NEVER, |planned| planned.start);
        (head.plan_ends, head.n_planned) = (plan.end.1, plan.moves().len() as u8);
    }

    /// Notes which details of an agent are set, after a change of one.
    fn note_details(&mut self, slot: AgentSlot) {
        self.heads[slot.index()].has = DetailFlags::of(&self.details[slot.index()]);
    }

    /// Admits an agent to a corridor, at a tick if the corridor is busy. Fails if the agent is admitted elsewhere, or
    /// in as many corridors as can be noted.
    pub(crate) fn admit(&mut self, slot: AgentSlot, corridor: u32, at: Option<u32>) -> bool {
        let details = &mut self.details[slot.index()];
        let free = details.corridors.iter_mut().find(|corridor| **corridor == NO_CORRIDOR);
        let Some(free) = free.filter(|_| details.admitted == NO_CORRIDOR) else { return false };
        *free = corridor;
        (details.admitted, details.admitted_at, details.left_at) = (corridor, at.unwrap_or(NEVER), NO_STATE);
        self.note_details(slot);
        true
    }

    /// An agent has left the ground before the entrance of the busy corridor that it came out of.
    pub(crate) fn clear_left_at(&mut self, slot: AgentSlot) {
        let details = &mut self.details[slot.index()];
        (details.admitted_at, details.left_at) = (NEVER, NO_STATE);
        self.note_details(slot);
    }

    /// An agent has got a plan or was pushed: at this tick it yields no more.
    pub(crate) fn touch(&mut self, slot: AgentSlot, tick: u32) {
        self.yield_states[slot.index()].touched_at = tick;
    }

    /// Agents after a key yield if their teams may, and clear cells within some steps.
    pub(crate) fn precedence(
        &self,
        tick: u32,
        (key, teams): (PriorityKey, u32),
        steps: u32,
    ) -> Precedence<'_> {
        Precedence { yield_states: &self.yield_states, key, teams, steps, tick }
    }

    /// Ticks of a step of an agent, at its own speed. At most the step of the slowest class, so that multiples stay
    /// in range.
    pub(crate) fn step_ticks_of(&self, agents: &AgentsView<'_>, row: usize) -> u32 {
        let usual = self.step_ticks[agents.motion[row].class.0 as usize];
        ticks_at_speed(usual, agents.speed_factors[row]).min(u32::from(u16::MAX))
    }

    /// Priority key of an agent: its own or, on the way to a retreat, that of its pusher if that comes first.
    pub(crate) fn key(&self, view: &TrafficView<'_>, row: usize) -> PriorityKey {
        let (slot, key) = (view.agents.slots[row], view.agents.keys[row]);
        let head = &self.heads[slot.index()];
        // Agents in corridors come before all others, and so do agents that an edit waits for.
        let own = match head.has.admitted_at() {
            _ if head.is_inside || self.is_on_edit(view, row) => key,
            true => PriorityKey::of_entering(self.details[slot.index()].admitted_at, view.agents.ids[row]),
            false => key.outside(),
        };
        if head.retreat_left == 0 {
            return own;
        }
        let other = view.agents.row(self.details[slot.index()].pusher);
        own.min(other.map_or(PriorityKey::LAST, |other| view.agents.keys[other].outside()))
    }

    /// Drops the plan of an agent, to rest at the end of its move in progress, unless others have reserved cells there.
    /// Returns whether it did.
    pub(crate) fn rest_instead(&mut self, view: &TrafficView<'_>, row: usize) -> bool {
        let (slot, motion) = (view.agents.slots[row], &view.agents.motion[row]);
        let tables = &view.tables[motion.class.0 as usize];
        let (state, ready) = end_of_move(tables, motion, view.tick);
        let pose = tables.space().pose(state);
        let cells = (pose.cell, tables.class().cells_at(pose));
        let can_rest = self.reservations.free_until(slot, cells, ready, Precedence::STRICT) == FOREVER;
        if can_rest {
            self.set_plan(slot, Plan::rest(state, ready));
            self.reserve(view, row, &[]);
        }
        can_rest
    }

    /// Keeps free what an agent needs to turn where it will rest, on the map as it is.
    pub(crate) fn keep_turnaround_free(
        &mut self,
        agents: &AgentsView<'_>,
        tables: &[MovementTables],
        row: usize,
    ) {
        let (slot, class) = (agents.slots[row], agents.motion[row].class.0 as usize);
        let end = self.plans[slot.index()].end.0;
        self.turnaround.release(slot);
        self.turnaround.keep_free((slot, class, &tables[class]), end);
    }

    /// Whether an agent may rest in a state as far as turnaround footprints are concerned.
    pub(crate) fn may_rest(&self, view: &TrafficView<'_>, row: usize, state: State) -> bool {
        let class = view.agents.motion[row].class.0 as usize;
        let body = (view.agents.slots[row], class, &view.tables[class]);
        let reserved = (&self.reservations, Precedence::STRICT);
        !self.turnaround.are_used()
            || self.turnaround.may_rest(body, state, Rest::OnTheWay, reserved, |_| false)
    }

    /// Reserves what an agent needs for its move in progress, its plan and its rest, and notes its corridors.
    pub(crate) fn reserve(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[CorridorAhead]) {
        self.reserve_plan(view, row);
        self.note_corridors(view, row, ahead);
    }

    /// Withdraws all that an agent has reserved and keeps free.
    pub(crate) fn release(&mut self, slot: AgentSlot) {
        self.reservations.remove(slot);
        self.turnaround.release(slot);
    }

    /// Reserves what an agent needs for its move in progress, its plan and its rest.
    pub(crate) fn reserve_plan(&mut self, view: &TrafficView<'_>, row: usize) {
        let slot = view.agents.slots[row];
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        self.reservations.remove(slot);
        self.keep_turnaround_free(&view.agents, view.tables, row);
        let Self { reservations, plans, .. } = self;
        let (state, mut ready) = reserve_begun_move(reservations, tables, (slot, motion), view.tick);
        let mut pose = tables.space().pose(state);
        for planned in plans[slot.index()].moves() {
            let step = transition_at(tables, pose, usize::from(planned.primitive));
            let end = planned.start + planned.ticks;
            reservations.rest(slot, step.start(), ready, planned.start);
            reservations.move_on(slot, &step, (planned.start, end));
            (pose, ready) = (pose_after(&step), end);
        }
        reservations.rest(slot, (pose.cell, tables.class().cells_at(pose)), ready, FOREVER);
    }

    /// Notes the corridors that an agent is in and will be in with its plan.
    pub(crate) fn note_corridors(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[CorridorAhead]) {
        let slot = view.agents.slots[row];
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
        let (head, details) = (&mut heads[slot.index()], &mut details[slot.index()]);
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
        for planned in plans[slot.index()].moves() {
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
            corridor_control.admission.leave(corridor, slot);
        }
        let (agent, width) = (view.agents.ids[row], sides[motion.class.0 as usize].0);
        let team = view.agents.teams[row];
        let friends = view.friends.of_team(team);
        let entrant = Entrant { agent, slot, direction: (0, 0), width, stays: None, team, friends };
        for corridor in in_corridors.into_iter().filter(|&corridor| corridor != NO_CORRIDOR) {
            let known = ahead.iter().find(|ahead| ahead.corridor == corridor && ahead.entrant.slot == slot);
            if let Some(known) = known {
                corridor_control.admission.enter(corridor, known.entrant);
            } else if !corridor_control.admission.is_inside(corridor, slot) {
                corridor_control.admission.enter(corridor, entrant);
            }
        }
    }

    /// An agent loses its admission to a corridor that it is not in yet.
    pub(crate) fn give_up_admission(&mut self, slot: AgentSlot) {
        let details = &mut self.details[slot.index()];
        let admitted = std::mem::replace(&mut details.admitted, NO_CORRIDOR);
        if admitted != NO_CORRIDOR {
            (details.admitted_at, details.left_at) = (NEVER, NO_STATE);
            details.corridors.iter_mut().filter(|of| **of == admitted).for_each(|of| *of = NO_CORRIDOR);
            self.note_details(slot);
            self.corridor_control.admission.leave(admitted, slot);
        }
    }

    /// Notes the priority key of an agent at this tick, and whether it can yield.
    pub(crate) fn note_yield_state(&mut self, view: &TrafficView<'_>, row: usize, key: PriorityKey) {
        let slot = view.agents.slots[row];
        let motion = &view.agents.motion[row];
        let head = &self.heads[slot.index()];
        let is_idle = motion.at_rest() && head.plan_is_empty() && is_idle(motion.activity);
        let can_yield = is_idle || (is_following(motion) && !view.agents.paths[row].is_empty());
        let (team, step_ticks) = (view.agents.teams[row], self.step_ticks_of(&view.agents, row) as u16);
        let yield_state = &mut self.yield_states[slot.index()];
        let has_changed_sides = yield_state.team != team;
        *yield_state = YieldState {
            key: if can_yield { key } else { PriorityKey::FIRST },
            touched_at: yield_state.touched_at,
            moves_until: if motion.at_rest() { 0 } else { motion.until },
            step_ticks,
            team,
        };
        if has_changed_sides {
            let corridors = self.details[slot.index()].corridors.into_iter();
            for corridor in corridors.filter(|&corridor| corridor != NO_CORRIDOR) {
                self.corridor_control.admission.set_team(corridor, slot, (team, view.friends.of_team(team)));
            }
        }
    }

    /// Notes the new speed factor of an agent. Its cost-to-go for the old factor is void.
    pub(crate) fn note_speed(&mut self, slot: AgentSlot, factor: u16) {
        self.speed_factors[slot.index()] = factor;
        let path_number = &mut self.details[slot.index()].path;
        *path_number = path_number.wrapping_add(1);
    }

    /// Whether an agent on its way is on cells of an edit that waits, or will be at the end of its move. Not one at
    /// rest: ticks pass over it, so its key must not change with the edits.
    fn is_on_edit(&self, view: &TrafficView<'_>, row: usize) -> bool {
        !view.forbidden.is_empty()
            && is_following(&view.agents.motion[row])
            && self.stopping_agent(&view.agents, view.tables, row).leaves_edit
    }

    /// What an agent is to no-stopping ground, from the end of its move on.
    pub(crate) fn stopping_agent(
        &self,
        agents: &AgentsView<'_>,
        tables: &[MovementTables],
        row: usize,
    ) -> StoppingAgent {
        let motion = &agents.motion[row];
        let tables = &tables[motion.class.0 as usize];
        let pose = tables.space().pose(end_state(tables, motion));
        let body = (pose.cell, tables.class().cells_at(pose));
        self.corridor_control.no_stopping.agent_at(agents.teams[row], body)
    }

    /// The context of an agent that searches.
    pub(crate) fn context<'a>(
        &'a self,
        view: &'a TrafficView<'_>,
        row: usize,
        ahead: &'a [CorridorAhead],
    ) -> SippContext<'a> {
        SippContext {
            agent: view.agents.slots[row],
            tables: &view.tables[view.agents.motion[row].class.0 as usize],
            reservations: &self.reservations,
            forbidden: view.forbidden,
            soft_reservations: &self.soft_reservations,
            corridor_control: &self.corridor_control,
            stopping_agent: self.stopping_agent(&view.agents, view.tables, row),
            turnaround: &self.turnaround,
            heads: &self.heads,
            class: view.agents.motion[row].class.0 as usize,
            ahead,
            corridors: &self.details[view.agents.slots[row].index()].corridors,
            precedence: Precedence::STRICT,
            team: view.agents.teams[row],
            friends: view.friends.of_team(view.agents.teams[row]),
            speed_factor: view.agents.speed_factors[row],
            tick: view.tick,
        }
    }
}
