//! What all mechanisms of the rule share: what each agent means to do, which cells it has claimed for that, and in which
//! passages that brings it.

use crate::collision::CollisionRule;
use crate::cooperative::ahead::{Ahead, PASSAGES_MAX, note_passages};
use crate::cooperative::claims::{Claims, FOREVER, Rank, Standing};
use crate::cooperative::interval_search::{Mover, Wishes};
use crate::cooperative::member::{Member, NOWHERE};
use crate::cooperative::narrows::{Narrows, OPEN, Passer};
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
    /// By id.
    pub members: Vec<Member>,
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
            standings: Vec::new(),
            step_ticks: tables.iter().map(step_ticks).collect(),
            sides,
        }
    }

    /// Makes room for agents of ids below `n`.
    pub fn grow(&mut self, n: usize) {
        self.members.resize(n, Member::NEW);
        self.standings.resize(n, Standing::NEW);
        self.claims.grow(n);
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
    pub fn note_passages(&mut self, view: &TrafficView<'_>, row: usize, ahead: &[Ahead]) {
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let Self { claims, members, narrows, sides, .. } = self;
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

    /// An agent has the right no more to enter where it is not yet.
    pub fn give_up_right(&mut self, agent: u32) {
        let member = &mut self.members[agent as usize];
        let granted = std::mem::replace(&mut member.granted, OPEN);
        if granted != OPEN {
            (member.granted_at, member.left_at) = (NONE, NOWHERE);
            member.passages.iter_mut().filter(|of| **of == granted).for_each(|of| *of = OPEN);
            self.narrows.leave(granted, agent);
        }
    }

    /// Notes at which place an agent stands at this tick, and whether it can be lifted.
    pub fn note_standing(&mut self, view: &TrafficView<'_>, row: usize, place: PriorityKey) {
        let id = view.agents.ids[row].0 as usize;
        let motion = &view.agents.motion[row];
        let member = &self.members[id];
        let stands = motion.at_rest() && member.plan.is_empty() && is_idle(motion.activity);
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
            passages: &self.members[view.agents.ids[row].0 as usize].passages,
            rank: Rank::STRICT,
            tick: view.tick,
        }
    }
}
