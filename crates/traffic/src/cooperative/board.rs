//! What all mechanisms of the rule share: what each agent means to do, which cells it has claimed for that, and in which
//! passages that brings it.

use crate::collision::CollisionRule;
use crate::cooperative::admission::Passer;
use crate::cooperative::ahead::{Ahead, PASSAGES_MAX, note_passages};
use crate::cooperative::claims::{Claims, FOREVER, Rank, Standing};
use crate::cooperative::interval_search::{Mover, Wishes};
use crate::cooperative::member::{ColdMember, Has, Member, NOWHERE};
use crate::cooperative::narrows::Narrows;
use crate::cooperative::passage_map::OPEN;
use crate::cooperative::plan::Plan;
use crate::cooperative::steps::{claim_begun_move, goes, is_idle, pose_after, step_at, step_ticks};
use crate::gates::NONE;
use crate::motion::{AgentId, end_state, sides};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;

/// What each agent means to do, by id, and what that takes of the map, by cell.
#[derive(Debug)]
pub struct Board {
    pub params: TrafficParams,
    pub claims: Claims,
    pub wishes: Wishes,
    pub narrows: Narrows,
    /// By id: what every tick looks at; what is cold; and the plans, which [`Board::set_plan`] sets.
    pub members: Vec<Member>,
    pub cold: Vec<ColdMember>,
    pub plans: Vec<Plan>,
    /// How each gives way at this tick, by id.
    pub standings: Vec<Standing>,
    /// By class: ticks of its fastest move that leads on.
    pub step_ticks: Vec<u32>,
    /// By class: shortest and longest side of its body in cells.
    pub sides: Vec<(u32, u32)>,
}

impl Board {
    /// A map without agents.
    pub fn new(
        tables: &[MovementTables],
        size: GridSize,
        rule: CollisionRule,
        params: TrafficParams,
    ) -> Self {
        let sides: Vec<_> = tables.iter().map(sides).collect();
        let mut wishes = Wishes::default();
        wishes.resize(size.n_cells());
        Self {
            params,
            claims: Claims::new(size, rule),
            wishes,
            narrows: Narrows::new(size, tables, &sides, params),
            members: Vec::new(),
            cold: Vec::new(),
            plans: Vec::new(),
            standings: Vec::new(),
            step_ticks: tables.iter().map(step_ticks).collect(),
            sides,
        }
    }

    /// Makes room for agents of ids below `n`.
    pub fn grow(&mut self, n: usize) {
        self.members.resize(n, Member::NEW);
        self.cold.resize(n, ColdMember::NEW);
        self.plans.resize(n, Plan::NONE);
        self.standings.resize(n, Standing::NEW);
        self.claims.grow(n);
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
        let (plan, member) = (&self.plans[id as usize], &mut self.members[id as usize]);
        member.plan_begins = plan.moves().first().map_or(NONE, |planned| planned.start);
        (member.plan_ends, member.n_planned) = (plan.end.1, plan.moves().len() as u8);
    }

    /// Notes which cold values of an agent are set, behind a change of one.
    fn note_cold(&mut self, id: u32) {
        self.members[id as usize].has = Has::of(&self.cold[id as usize]);
    }

    /// An agent gets the right to enter a passage, at a tick if it is a busy one, if it can be in one more.
    pub fn grant(&mut self, id: u32, passage: u32, at: Option<u32>) -> bool {
        let cold = &mut self.cold[id as usize];
        let free = cold.passages.iter_mut().find(|passage| **passage == OPEN);
        let Some(free) = free.filter(|_| cold.granted == OPEN) else { return false };
        *free = passage;
        (cold.granted, cold.granted_at, cold.left_at) = (passage, at.unwrap_or(NONE), NOWHERE);
        self.note_cold(id);
        true
    }

    /// An agent is off the ground before the mouth of the busy passage that it has come out of.
    pub fn clear_left_at(&mut self, id: u32) {
        let cold = &mut self.cold[id as usize];
        (cold.granted_at, cold.left_at) = (NONE, NOWHERE);
        self.note_cold(id);
    }

    /// Forgets the passages of an agent that is gone; gives them.
    pub fn forget_passages(&mut self, id: u32) -> [u32; PASSAGES_MAX] {
        let before = std::mem::replace(&mut self.cold[id as usize].passages, [OPEN; PASSAGES_MAX]);
        self.note_cold(id);
        before
    }

    /// An agent has been given a plan or sent another way: it gives way to nobody any more at this tick.
    pub fn touch(&mut self, id: u32, tick: u32) {
        self.standings[id as usize].touched_at = tick;
    }

    /// Those behind a place give way, and are given so many steps for it.
    pub fn rank(&self, tick: u32, place: PriorityKey, steps: u32) -> Rank<'_> {
        Rank { standings: &self.standings, place, steps, tick }
    }

    /// Place of an agent in the order of rank: that of its own order, or of the one for which it steps aside.
    pub fn place(&self, view: &TrafficView<'_>, row: usize) -> PriorityKey {
        let member = &self.members[view.agents.ids[row].0 as usize];
        // Who is in a passage goes before all that are not.
        let (id, key) = (view.agents.ids[row], view.agents.keys[row]);
        let own = match member.has.granted_at() {
            _ if member.is_inside => key,
            true => PriorityKey::of_entering(self.cold[id.0 as usize].granted_at, id),
            false => key.outside(),
        };
        if member.aside_left == 0 {
            return own;
        }
        let other = view.agents.row(AgentId(self.cold[id.0 as usize].for_agent));
        own.min(other.map_or(PriorityKey::LAST, |other| view.agents.keys[other].outside()))
    }

    /// Claims what an agent needs for the move that it has begun, its plan and its rest, and notes in which
    /// passages that brings it.
    pub fn claim(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[Ahead]) {
        self.claim_plan(view, row);
        self.note_passages(view, row, ahead);
    }

    /// Claims what an agent needs for the move that it has begun, its plan and its rest.
    pub fn claim_plan(&mut self, view: &TrafficView<'_>, row: usize) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { claims, plans, .. } = self;
        claims.remove(id);
        let (state, mut ready) = claim_begun_move(claims, tables, (id, motion), view.tick);
        let mut pose = tables.space().pose(state);
        for planned in plans[id as usize].moves() {
            let step = step_at(tables, pose, usize::from(planned.primitive));
            let end = planned.start + planned.ticks;
            claims.rest(id, step.start(), ready, planned.start);
            claims.move_on(id, &step, (planned.start, end));
            (pose, ready) = (pose_after(&step), end);
        }
        claims.rest(id, (pose.cell, tables.class().cells_at(pose)), ready, FOREVER);
    }

    /// Notes in which passages an agent is and will be with its plan.
    pub fn note_passages(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[Ahead]) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { claims, members, cold, plans, narrows, sides, .. } = self;
        let mut in_passages = [OPEN; PASSAGES_MAX];
        let start = tables.space().pose(motion.state);
        note_passages(narrows, claims, (start.cell, tables.class().cells_at(start)), &mut in_passages);
        let is_inside = in_passages[0] != OPEN;
        let (member, cold) = (&mut members[id as usize], &mut cold[id as usize]);
        if !is_inside && member.is_inside && cold.granted_at != NONE {
            cold.left_at = motion.state;
        }
        member.is_inside = is_inside;
        cold.noted_at = motion.state;
        let mut pose = tables.space().pose(end_state(tables, motion));
        note_passages(narrows, claims, (pose.cell, tables.class().cells_at(pose)), &mut in_passages);
        for planned in plans[id as usize].moves() {
            pose = pose_after(&step_at(tables, pose, usize::from(planned.primitive)));
            note_passages(narrows, claims, (pose.cell, tables.class().cells_at(pose)), &mut in_passages);
        }
        if in_passages.contains(&cold.granted) {
            cold.granted = OPEN;
        } else if let Some(free) = in_passages.iter_mut().find(|passage| **passage == OPEN) {
            *free = cold.granted;
        } else {
            // It is in so many others that it has to ask again.
            cold.granted = OPEN;
        }
        if in_passages[0] == OPEN && cold.left_at == NOWHERE {
            cold.granted_at = NONE;
        }
        let before = std::mem::replace(&mut cold.passages, in_passages);
        member.has = Has::of(cold);
        for passage in
            before.into_iter().filter(|&passage| passage != OPEN && !in_passages.contains(&passage))
        {
            narrows.admission.leave(passage, id);
        }
        let passer = Passer { agent: id, way: (0, 0), width: sides[motion.class.0 as usize].0, stays: None };
        for passage in in_passages.into_iter().filter(|&passage| passage != OPEN) {
            let known = ahead.iter().find(|ahead| ahead.passage == passage && ahead.passer.agent == id);
            if let Some(known) = known {
                narrows.admission.enter(passage, known.passer);
            } else if !narrows.admission.is_inside(passage, id) {
                narrows.admission.enter(passage, passer);
            }
        }
    }

    /// An agent has the right no more to enter where it is not yet.
    pub fn give_up_right(&mut self, agent: u32) {
        let cold = &mut self.cold[agent as usize];
        let granted = std::mem::replace(&mut cold.granted, OPEN);
        if granted != OPEN {
            (cold.granted_at, cold.left_at) = (NONE, NOWHERE);
            cold.passages.iter_mut().filter(|of| **of == granted).for_each(|of| *of = OPEN);
            self.note_cold(agent);
            self.narrows.admission.leave(granted, agent);
        }
    }

    /// Notes at which place an agent stands at this tick, and whether it can be lifted.
    pub fn note_standing(&mut self, view: &TrafficView<'_>, row: usize, place: PriorityKey) {
        let id = view.agents.ids[row].0 as usize;
        let motion = &view.agents.motion[row];
        let member = &self.members[id];
        let stands = motion.at_rest() && member.plan_is_empty() && is_idle(motion.activity);
        let can = stands || (goes(motion) && !view.agents.paths[row].is_empty());
        let standing = &mut self.standings[id];
        *standing = Standing {
            place: if can { place } else { PriorityKey::FIRST },
            touched_at: standing.touched_at,
            busy_until: if motion.at_rest() { 0 } else { motion.until },
            step_ticks: self.step_ticks[motion.class.0 as usize],
        };
    }

    /// An agent that wants to move among the others.
    pub fn mover<'a>(&'a self, view: &'a TrafficView<'_>, row: usize, ahead: &'a [Ahead]) -> Mover<'a> {
        Mover {
            agent: view.agents.ids[row].0,
            tables: &view.tables[view.agents.motion[row].class.0 as usize],
            claims: &self.claims,
            forbidden: view.forbidden,
            wishes: &self.wishes,
            narrows: &self.narrows,
            ahead,
            passages: &self.cold[view.agents.ids[row].0 as usize].passages,
            rank: Rank::STRICT,
            tick: view.tick,
        }
    }
}
