//! A world made by hand for traffic rules: agents on a map, their paths and goals, and ticks. In a tick a rule decides,
//! the occupancy begins moves, and moves end.
//!
//! It does the work of a simulation around a rule, in the plainest way. Paths are planned immediately, and goals are
//! cells to visit one after the other. Every tick checks that no cell is held by two agents and that the rule asks
//! for nothing that is illegal.

use super::ground::Ground;
use super::walks::{body, cells};
use crate::Cooperative;
use crate::collision::{CollisionRule, Transition};
use crate::decisions::{Decisions, Leads};
use crate::forbidden::ForbiddenArea;
use crate::motion::{
    Activity, AgentId, AgentSlot, ClassId, Motion, WaitState, YIELD_HOLD_TICKS, transition_of,
};
use crate::occupancy::Occupancy;
use crate::own_rule::OwnRule;
use crate::params::TrafficParams;
use crate::path_pool::{PathHandle, PathPool};
use crate::priority::PriorityKey;
use crate::random::Random;
use crate::row_set::RowSet;
use crate::rule::Traffic;
use crate::rule_state::{RuleContext, RuleState, RuleStateError};
use crate::speed::{USUAL_SPEED_PERMILLE, ticks_at_speed};
use crate::teams::{Friends, Team};
use crate::view::{AgentsView, CommandedMove, GoalStamp, NO_ROW, TrafficView};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use wheelbase_grid::{BitGrid, CellXY, Rect, TerrainKind};
use wheelbase_planner::model::State;
use wheelbase_planner::{Goal, GoalMember, Path, Pose, Request, Scratch, Status, plan};

/// The cells that an agent visits, and how many it has visited.
#[derive(Clone, Debug, Default)]
pub struct Trips {
    pub goals: Vec<CellXY>,
    /// After the last goal it goes to the first again.
    pub is_patrol: bool,
    pub done: usize,
}

impl Trips {
    /// The cell it goes to now.
    pub fn goal(&self) -> Option<CellXY> {
        let n = self.goals.len();
        (self.done < n || (self.is_patrol && n > 0)).then(|| self.goals[self.done % n])
    }
}

/// One trip.
pub fn to(x: i32, y: i32) -> Trips {
    Trips { goals: vec![CellXY::new(x, y)], ..Trips::default() }
}

pub struct HandWorld {
    pub ground: Ground,
    pub tick: u32,
    pub poses_per_agent: u32,
    pub search_budget: u64,
    pub ids: Vec<AgentId>,
    pub motion: Vec<Motion>,
    pub wait_states: Vec<WaitState>,
    pub busy: RowSet,
    pub keys: Vec<PriorityKey>,
    pub handles: Vec<PathHandle>,
    pub stamps: Vec<GoalStamp>,
    pub goals: Vec<Option<CellXY>>,
    pub teams: Vec<Team>,
    pub speed_factors: Vec<u16>,
    /// Whether each agent is to hold as soon as it rests.
    pub holds: Vec<bool>,
    pub slots: Vec<AgentSlot>,
    pub row_of_slot: Vec<u32>,
    /// Whether agent slots are reused; tests compare worlds with and without.
    pub reuses_slots: bool,
    next_id: u32,
    pub trips: Vec<Trips>,
    pub paths: PathPool,
    pub occupancy: Occupancy,
    /// Areas of edits that wait.
    pub forbidden: Vec<ForbiddenArea>,
    pub friends: Friends,
    /// Moves that a host asks for at the next tick.
    pub commanded: Vec<CommandedMove>,
    /// Rows of agents that have taken another class since the last tick.
    pub reclassed: Vec<u32>,
    reclassed_ids: BTreeSet<AgentId>,
    pub edited: Vec<Rect>,
    pub refused: Vec<u32>,
    /// Whether the rule may ask for moves that overlap.
    pub may_overlap: bool,
    /// Of the last tick.
    pub decisions: Decisions,
    /// Rows whose next start is refused, as if it overlapped another agent.
    pub refuse_next: BTreeSet<u32>,
    pub moves_begun: u32,
    scratch: Scratch,
}

impl fmt::Debug for HandWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes: Vec<_> = self.ground.tables.iter().map(|tables| tables.class().spec()).collect();
        f.debug_struct("HandWorld")
            .field("tick", &self.tick)
            .field("size", &self.ground.grid.size())
            .field("terrain", &self.ground.grid.terrain())
            .field("classes", &classes)
            .field("motion", &self.motion)
            .field("trips", &self.trips)
            .finish_non_exhaustive()
    }
}

impl Clone for HandWorld {
    fn clone(&self) -> Self {
        Self {
            ground: self.ground.clone(),
            tick: self.tick,
            poses_per_agent: self.poses_per_agent,
            search_budget: self.search_budget,
            ids: self.ids.clone(),
            motion: self.motion.clone(),
            wait_states: self.wait_states.clone(),
            busy: self.busy.clone(),
            keys: self.keys.clone(),
            handles: self.handles.clone(),
            stamps: self.stamps.clone(),
            goals: self.goals.clone(),
            teams: self.teams.clone(),
            speed_factors: self.speed_factors.clone(),
            holds: self.holds.clone(),
            slots: self.slots.clone(),
            row_of_slot: self.row_of_slot.clone(),
            reuses_slots: self.reuses_slots,
            next_id: self.next_id,
            trips: self.trips.clone(),
            paths: self.paths.clone(),
            occupancy: self.occupancy.clone(),
            forbidden: self.forbidden.clone(),
            friends: self.friends,
            commanded: self.commanded.clone(),
            reclassed: self.reclassed.clone(),
            reclassed_ids: self.reclassed_ids.clone(),
            edited: self.edited.clone(),
            refused: self.refused.clone(),
            may_overlap: self.may_overlap,
            decisions: self.decisions.clone(),
            refuse_next: self.refuse_next.clone(),
            moves_begun: self.moves_begun,
            scratch: Scratch::new(),
        }
    }
}

impl HandWorld {
    /// A world without agents.
    pub fn new(ground: Ground, collision: CollisionRule) -> Self {
        let size = ground.grid.size();
        Self {
            ground,
            tick: 0,
            poses_per_agent: 16,
            search_budget: 1_000_000,
            ids: Vec::new(),
            motion: Vec::new(),
            wait_states: Vec::new(),
            busy: RowSet::default(),
            keys: Vec::new(),
            handles: Vec::new(),
            stamps: Vec::new(),
            goals: Vec::new(),
            teams: Vec::new(),
            speed_factors: Vec::new(),
            holds: Vec::new(),
            slots: Vec::new(),
            row_of_slot: Vec::new(),
            reuses_slots: true,
            next_id: 0,
            trips: Vec::new(),
            paths: PathPool::default(),
            occupancy: Occupancy::new(size, collision),
            forbidden: Vec::new(),
            friends: Friends::default(),
            commanded: Vec::new(),
            reclassed: Vec::new(),
            reclassed_ids: BTreeSet::new(),
            edited: Vec::new(),
            refused: Vec::new(),
            may_overlap: false,
            decisions: Decisions::default(),
            refuse_next: BTreeSet::new(),
            moves_begun: 0,
            scratch: Scratch::new(),
        }
    }

    /// Places an agent of a class at rest; its trips begin at the next tick.
    pub fn add(&mut self, class: u8, pose: Pose, priority: i32, trips: Trips) -> AgentId {
        let tables = &self.ground.tables[usize::from(class)];
        let state = tables.space().state(pose).filter(|&state| tables.is_legal(state)).unwrap();
        let (id, row) = (AgentId(self.next_id), self.ids.len());
        self.next_id += 1;
        let free = self.row_of_slot.iter().position(|&row| row == NO_ROW).filter(|_| self.reuses_slots);
        let slot = free.unwrap_or(self.row_of_slot.len());
        self.row_of_slot.resize(self.row_of_slot.len().max(slot + 1), NO_ROW);
        self.row_of_slot[slot] = row as u32;
        let slot = AgentSlot(slot as u32);
        self.occupancy.hold(slot, pose.cell, tables.class().cells_at(pose));
        self.busy.insert(row);
        self.ids.push(id);
        self.slots.push(slot);
        self.motion.push(Motion {
            state,
            until: Motion::AT_REST,
            primitive: 0,
            activity: Activity::Idle,
            class: ClassId(class),
            replan: false,
        });
        self.wait_states.push(WaitState {
            priority,
            waits_since: WaitState::NOT_WAITING,
            moved_at: self.tick,
            ask_again_at: 0,
            failures: 0,
            look_again_at: 0,
            look_failures: 0,
            stranded: false,
        });
        self.keys.push(PriorityKey::LAST);
        self.handles.push(PathHandle::EMPTY);
        self.stamps.push(GoalStamp { since: self.tick, waypoint: 0, has_order: false });
        self.teams.push(Team::default());
        self.speed_factors.push(USUAL_SPEED_PERMILLE);
        self.holds.push(false);
        self.trips.push(trips);
        id
    }

    /// Places an agent in a free state drawn at random; `None` if some draws find none.
    pub fn add_anywhere(
        &mut self,
        class: u8,
        priority: i32,
        trips: Trips,
        random: &mut Random,
    ) -> Option<AgentId> {
        let states = (0..40).filter_map(|_| self.ground.any_state(usize::from(class), random));
        let state = states.into_iter().find(|&state| self.has_room(class, state))?;
        let pose = self.ground.tables[usize::from(class)].space().pose(state);
        Some(self.add(class, pose, priority, trips))
    }

    /// Whether no agent is in the way of a body of a class in a state.
    pub fn has_room(&self, class: u8, state: State) -> bool {
        let tables = &self.ground.tables[usize::from(class)];
        let mut cells = body(tables, tables.space().pose(state)).into_iter();
        cells.all(|cell| {
            self.occupancy.holder_at(cell).is_none() && self.occupancy.arriving_at(cell).is_none()
        })
    }

    /// Takes an agent out.
    pub fn remove(&mut self, id: AgentId) {
        let row = self.row(id);
        let (motion, slot) = (self.motion[row], self.slots[row]);
        let step = transition_of(&self.ground.tables, &motion);
        if motion.at_rest() {
            let (anchor, cells) = step.start();
            self.occupancy.release(slot, anchor, cells);
        } else {
            self.occupancy.end_move(slot, &step);
        }
        self.paths.drop_path(&mut self.handles[row]);
        self.row_of_slot[slot.index()] = NO_ROW;
        self.ids.remove(row);
        self.slots.remove(row);
        self.motion.remove(row);
        self.wait_states.remove(row);
        self.keys.remove(row);
        self.handles.remove(row);
        self.stamps.remove(row);
        self.teams.remove(row);
        self.speed_factors.remove(row);
        self.holds.remove(row);
        self.trips.remove(row);
        self.busy.fill(self.ids.len());
        for (row, slot) in self.slots.iter().enumerate() {
            self.row_of_slot[slot.index()] = row as u32;
        }
    }

    /// Puts an agent on hold as soon as it rests, or ends its hold.
    pub fn set_hold(&mut self, id: AgentId, holds: bool) {
        let row = self.row(id);
        self.holds[row] = holds;
        self.paths.drop_path(&mut self.handles[row]);
        self.motion[row].activity = Activity::Idle;
        self.motion[row].replan = false;
        self.stamps[row] = GoalStamp { since: self.tick, waypoint: 0, has_order: holds };
        self.busy.insert(row);
    }

    /// Sets the team of an agent.
    pub fn set_team(&mut self, id: AgentId, team: Team) {
        let row = self.row(id);
        self.teams[row] = team;
        self.busy.insert(row);
    }

    /// Sets the speed factor of an agent.
    pub fn set_speed(&mut self, id: AgentId, permille: u16) {
        let row = self.row(id);
        self.speed_factors[row] = permille;
        self.busy.insert(row);
    }

    /// Gives an agent at rest another class, in a state of it; says whether there is room.
    pub fn set_class(&mut self, id: AgentId, class: u8, state: State) -> bool {
        let row = self.row(id);
        let (slot, before) = (self.slots[row], self.motion[row]);
        assert!(before.at_rest());
        let step = transition_of(&self.ground.tables, &before);
        let (anchor, cells) = step.start();
        self.occupancy.release(slot, anchor, cells);
        let has_room = self.has_room(class, state);
        let (class, state) = if has_room { (class, state) } else { (before.class.0, before.state) };
        let tables = &self.ground.tables[usize::from(class)];
        let pose = tables.space().pose(state);
        self.occupancy.hold(slot, pose.cell, tables.class().cells_at(pose));
        if !has_room {
            return false;
        }
        self.paths.drop_path(&mut self.handles[row]);
        let motion = &mut self.motion[row];
        (motion.class, motion.state, motion.primitive) = (ClassId(class), state, 0);
        (motion.activity, motion.replan) = (Activity::Idle, false);
        self.stamps[row].since = self.tick;
        self.busy.insert(row);
        self.reclassed_ids.insert(id);
        true
    }

    /// Edits the terrain of an area; tables and paths follow.
    pub fn edit(&mut self, area: Rect, kind: TerrainKind) {
        let changed = self.ground.grid.set_terrain(area, kind).changed;
        for tables in &mut self.ground.tables {
            tables.update(&self.ground.grid, changed);
        }
        self.edited.push(changed);
        self.busy.fill(self.ids.len());
        for motion in &mut self.motion {
            match motion.activity {
                Activity::Following => motion.replan = true,
                Activity::Unreachable => motion.activity = Activity::Idle,
                _ => {}
            }
        }
    }

    pub fn row(&self, id: AgentId) -> usize {
        self.ids.binary_search(&id).unwrap()
    }

    /// Pose of an agent at rest, or in which its move began.
    pub fn pose(&self, id: AgentId) -> Pose {
        let motion = &self.motion[self.row(id)];
        self.ground.tables[usize::from(motion.class.0)].space().pose(motion.state)
    }

    /// How many goals an agent has visited.
    pub fn done(&self, id: AgentId) -> usize {
        self.trips[self.row(id)].done
    }

    /// Whether all agents have visited all of their goals.
    pub fn all_done(&self) -> bool {
        self.trips.iter().all(|trips| trips.goal().is_none())
    }

    /// What a rule sees.
    pub fn view(&self) -> TrafficView<'_> {
        TrafficView {
            tick: self.tick,
            poses_per_agent: self.poses_per_agent,
            search_budget: self.search_budget,
            grid_size: self.ground.grid.size(),
            tables: &self.ground.tables,
            agents: AgentsView {
                ids: &self.ids,
                motion: &self.motion,
                wait_states: &self.wait_states,
                busy: &self.busy,
                keys: &self.keys,
                paths: &self.handles,
                stamps: &self.stamps,
                teams: &self.teams,
                speed_factors: &self.speed_factors,
                goals: &self.goals,
                slots: &self.slots,
                row_of_slot: &self.row_of_slot,
            },
            paths: &self.paths,
            forbidden: &self.forbidden,
            friends: &self.friends,
            commanded: &self.commanded,
            reclassed: &self.reclassed,
            edited: &self.edited,
            refused: &self.refused,
            occupancy: &self.occupancy,
        }
    }

    /// Gives a fresh rule a saved state, in this world between two ticks.
    /// # Errors
    /// Errors of the rule.
    pub fn restore(&self, fresh: &mut dyn Traffic, state: &RuleState) -> Result<(), RuleStateError> {
        let view = self.view();
        let reclassed: Vec<u32> = self.reclassed_rows().collect();
        let context = RuleContext {
            tick: view.tick,
            poses_per_agent: view.poses_per_agent,
            grid_size: view.grid_size,
            tables: view.tables,
            agents: view.agents,
            edited: view.edited,
            refused: view.refused,
            reclassed: &reclassed,
        };
        fresh.restore_state(state, &context)
    }

    fn reclassed_rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.reclassed_ids.iter().filter_map(|id| self.ids.binary_search(id).ok()).map(|row| row as u32)
    }

    /// One tick under a rule.
    pub fn step(&mut self, rule: &mut dyn Traffic) {
        for row in 0..self.ids.len() {
            self.begin_trip(row, rule.needs_paths());
        }
        self.goals.clear();
        if !rule.needs_paths() {
            self.goals.extend(self.trips.iter().map(Trips::goal));
        }
        let reclassed = std::mem::take(&mut self.reclassed_ids);
        let row_of = |id: &AgentId| self.ids.binary_search(id).ok();
        self.reclassed.extend(reclassed.iter().filter_map(row_of).map(|row| row as u32));
        let mut decisions = std::mem::take(&mut self.decisions);
        decisions.clear();
        rule.decide(&self.view(), &mut decisions);
        self.decisions = decisions;
        self.edited.clear();
        self.commanded.clear();
        self.reclassed.clear();
        self.replace_paths();
        self.begin_moves(rule.needs_paths());
        self.answer_requests();
        self.count_waiting();
        self.tick += 1;
        self.end_moves(rule.needs_paths());
        self.check();
        if OwnRule::of(rule).is_some() {
            self.check_reasons(rule);
        }
    }

    /// Ticks until all trips are done, at most this many.
    pub fn run(&mut self, rule: &mut dyn Traffic, ticks_max: u32) {
        while self.tick < ticks_max && !self.all_done() {
            self.step(rule);
        }
    }

    /// The next goal of an agent without one, and a path where the agent needs it.
    fn begin_trip(&mut self, row: usize, needs_paths: bool) {
        let motion = self.motion[row];
        if self.holds[row] {
            self.keys[row] = PriorityKey::of_trip(self.stamps[row].since, 0, self.ids[row]);
            if motion.at_rest() {
                self.motion[row].activity = Activity::Holding;
            }
            return;
        }
        if motion.activity == Activity::Arrived && self.is_at_goal(row) {
            self.trips[row].done += 1;
            self.motion[row].activity = Activity::Idle;
        }
        let Some(goal) = self.trips[row].goal() else {
            let stamp = &mut self.stamps[row];
            (stamp.has_order, self.keys[row]) = (false, PriorityKey::LAST);
            let (motion, wait_state) = (&mut self.motion[row], &self.wait_states[row]);
            let has_yielded = motion.activity == Activity::Yielding && self.handles[row].is_empty();
            if has_yielded && self.tick >= wait_state.ask_again_at {
                motion.activity = Activity::Idle;
            }
            return;
        };
        let motion = self.motion[row];
        if !motion.at_rest() {
            return;
        }
        self.busy.insert(row);
        match motion.activity {
            Activity::Idle => {
                let key = PriorityKey::of_trip(self.tick, self.wait_states[row].priority, self.ids[row]);
                self.stamps[row] = GoalStamp { since: self.tick, waypoint: 0, has_order: true };
                self.keys[row] = key;
            }
            Activity::Arrived => {}
            Activity::Yielding if self.handles[row].is_empty() => {
                if self.tick < self.wait_states[row].ask_again_at {
                    return;
                }
            }
            Activity::Following if motion.replan => {}
            _ => return,
        }
        self.motion[row].replan = false;
        if self.is_at_goal(row) {
            self.motion[row].activity = Activity::Arrived;
        } else if needs_paths {
            let found = self.set_path(row, goal, None);
            self.motion[row].activity = if found { Activity::Following } else { Activity::Unreachable };
        } else {
            self.motion[row].activity = Activity::Following;
        }
    }

    fn is_at_goal(&self, row: usize) -> bool {
        let space = self.ground.tables[usize::from(self.motion[row].class.0)].space();
        self.trips[row].goal() == Some(space.pose(self.motion[row].state).cell)
    }

    /// Plans the path of an agent; says whether there is one.
    fn set_path(&mut self, row: usize, goal: CellXY, obstacles: Option<&BitGrid>) -> bool {
        let tables = &self.ground.tables[usize::from(self.motion[row].class.0)];
        let start = tables.space().pose(self.motion[row].state);
        let goal = [GoalMember::any(goal)];
        let mut request = Request::new(start, Goal::of(&goal));
        request.obstacles = obstacles;
        let mut path = Path::new();
        let found = plan(tables, &request, &mut self.scratch, &mut path).status == Status::Found;
        if found {
            self.paths.replace(&mut self.handles, row, &path.moves);
        } else if obstacles.is_none() {
            self.paths.drop_path(&mut self.handles[row]);
        }
        found
    }

    fn replace_paths(&mut self) {
        for reroute in &self.decisions.reroutes {
            let row = reroute.row as usize;
            let moves = &self.decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
            self.paths.replace(&mut self.handles, row, moves);
            self.busy.insert(row);
            let motion = &mut self.motion[row];
            motion.replan = false;
            if reroute.leads == Leads::Aside {
                motion.activity = Activity::Yielding;
            }
        }
    }

    /// Begins the moves of a tick. A rule asks once for the next move of a path. The move is legal and the agent
    /// rests. The rules of this crate ask for no overlap.
    fn begin_moves(&mut self, needs_paths: bool) {
        let mut asked = BTreeSet::new();
        for start in &self.decisions.starts {
            let row = start.row as usize;
            let motion = &self.motion[row];
            let tables = &self.ground.tables[usize::from(motion.class.0)];
            assert!(motion.at_rest() && asked.insert(row), "row {row} has begun a move already");
            let ticks = tables.move_ticks(motion.state, usize::from(start.primitive));
            let factor = self.speed_factors[row];
            assert_eq!(ticks.map(|ticks| ticks_at_speed(ticks, factor)), Some(start.ticks));
            assert!(motion.activity != Activity::Holding || !needs_paths, "row {row} is on hold");
            if needs_paths {
                assert_eq!(self.paths.moves(self.handles[row]).first(), Some(&start.primitive), "row {row}");
            }
        }
        let mut starts = self.decisions.starts.clone();
        let refuse_next = &mut self.refuse_next;
        self.refused.clear();
        self.refused.extend(starts.iter().map(|start| start.row).filter(|row| refuse_next.remove(row)));
        starts.retain(|start| !self.refused.contains(&start.row));
        let mut overlaps = Vec::new();
        let proposal = |number: usize| {
            let start = starts[number];
            let motion = &self.motion[start.row as usize];
            let tables = &self.ground.tables[usize::from(motion.class.0)];
            let (class, pose) = (tables.class(), tables.space().pose(motion.state));
            let step = Transition { class, pose, primitive: usize::from(start.primitive) };
            (self.slots[start.row as usize], step, self.tick + start.ticks)
        };
        self.occupancy.begin(starts.len(), proposal, &mut overlaps);
        // A move onto the cells of an agent that was refused by hand is refused too.
        assert!(
            self.may_overlap || overlaps.is_empty() || !self.refused.is_empty(),
            "tick {}: {overlaps:?}",
            self.tick
        );
        self.refused.extend(overlaps.iter().map(|refusal| starts[refusal.number as usize].row));
        starts.retain(|start| !self.refused.contains(&start.row));
        for start in starts {
            let row = start.row as usize;
            if needs_paths {
                self.paths.advance(&mut self.handles[row]);
            }
            self.busy.insert(row);
            self.wait_states[row].waits_since = WaitState::NOT_WAITING;
            self.motion[row].primitive = start.primitive;
            self.motion[row].until = self.tick + start.ticks;
            self.moves_begun += 1;
        }
    }

    /// Paths that the rule has asked for, and retreats that it has given up.
    fn answer_requests(&mut self) {
        let Decisions { replan, around, give_up, unreachable, .. } = &self.decisions;
        let (replan, around, give_up) = (replan.clone(), around.clone(), give_up.clone());
        let unreachable = unreachable.clone();
        for &row in &replan {
            let motion = &mut self.motion[row as usize];
            motion.replan = motion.activity == Activity::Following;
        }
        for &row in &around {
            let row = row as usize;
            let mut obstacles = BitGrid::new(self.ground.grid.size());
            for other in (0..self.ids.len()).filter(|&other| other != row && self.motion[other].at_rest()) {
                body_of(&self.ground, &self.motion[other])
                    .into_iter()
                    .for_each(|cell| obstacles.set(cell, true));
            }
            let Some(goal) = self.trips[row].goal() else { continue };
            if !self.set_path(row, goal, Some(&obstacles)) {
                self.wait_states[row].ask_again_at = self.tick + 40;
            }
        }
        for &row in &give_up {
            self.paths.drop_path(&mut self.handles[row as usize]);
            self.wait_states[row as usize].ask_again_at = self.tick;
        }
        for &row in &unreachable {
            self.motion[row as usize].activity = Activity::Unreachable;
        }
        let decided = replan.iter().chain(&around).chain(&give_up).chain(&unreachable);
        self.busy.extend(decided.map(|&row| row as usize));
    }

    fn count_waiting(&mut self) {
        for row in 0..self.ids.len() {
            let motion = &self.motion[row];
            let is_following = match motion.activity {
                Activity::Following => true,
                Activity::Yielding => !self.handles[row].is_empty(),
                _ => false,
            };
            let waits_since = &mut self.wait_states[row].waits_since;
            if !(motion.at_rest() && is_following) {
                *waits_since = WaitState::NOT_WAITING;
                let is_done = match motion.activity {
                    Activity::Idle => !self.stamps[row].has_order,
                    Activity::Unreachable | Activity::Holding => true,
                    _ => false,
                };
                if is_done && motion.at_rest() && self.handles[row].is_empty() {
                    self.busy.remove(row);
                }
            } else if *waits_since == WaitState::NOT_WAITING {
                *waits_since = self.tick;
            }
        }
    }

    fn end_moves(&mut self, needs_paths: bool) {
        let ended: Vec<usize> =
            (0..self.ids.len()).filter(|&row| self.motion[row].until == self.tick).collect();
        for &row in &ended {
            let step = transition_of(&self.ground.tables, &self.motion[row]);
            self.occupancy.end_move(self.slots[row], &step);
        }
        for &row in &ended {
            let motion = &mut self.motion[row];
            let tables = &self.ground.tables[usize::from(motion.class.0)];
            motion.state = tables.state_after(motion.state, usize::from(motion.primitive));
            motion.until = Motion::AT_REST;
            let pose = tables.space().pose(motion.state);
            self.occupancy.hold(self.slots[row], pose.cell, tables.class().cells_at(pose));
            self.wait_states[row].moved_at = self.tick;
        }
        for &row in &ended {
            let path_done = self.handles[row].is_empty();
            match self.motion[row].activity {
                Activity::Following if self.is_at_goal(row) => {
                    self.paths.drop_path(&mut self.handles[row]);
                    self.motion[row].activity = Activity::Arrived;
                }
                Activity::Following if path_done && needs_paths => self.motion[row].replan = true,
                Activity::Yielding if path_done => {
                    self.wait_states[row].ask_again_at = self.tick + YIELD_HOLD_TICKS;
                }
                _ => {}
            }
        }
    }

    /// Every agent that waits does so for a reason, and for another agent if it names one.
    fn check_reasons(&self, rule: &dyn Traffic) {
        let view = self.view();
        for (row, motion) in self.motion.iter().enumerate() {
            let goes = matches!(motion.activity, Activity::Following | Activity::Yielding) && !motion.replan;
            if goes && motion.at_rest() && (!self.handles[row].is_empty() || !rule.needs_paths()) {
                let reason = rule.reason(&view, row);
                assert!(reason.is_some(), "tick {}: row {row} waits for no known reason", self.tick);
                let holder = reason.and_then(|reason| reason.holder());
                let is_other = |holder: AgentId| holder != self.ids[row] && self.ids.contains(&holder);
                assert!(holder.is_none_or(is_other), "tick {}: row {row}: {reason:?}", self.tick);
            }
        }
    }

    /// Every cell is held by at most one agent, and by whom the occupancy says.
    fn check(&self) {
        let mut holders: BTreeMap<CellXY, AgentSlot> = BTreeMap::new();
        for (row, &slot) in self.slots.iter().enumerate() {
            let motion = &self.motion[row];
            let step = transition_of(&self.ground.tables, motion);
            let held = if motion.at_rest() { step.start() } else { self.occupancy.held(&step) };
            for cell in cells(held) {
                assert_eq!(holders.insert(cell, slot), None, "tick {}: {cell} is held twice", self.tick);
            }
        }
        for cell in self.ground.grid.size().rect().cells() {
            assert_eq!(self.occupancy.holder_at(cell), holders.get(&cell).copied(), "{cell}");
        }
    }
}

/// The rule for bodies of any size, fresh.
pub fn cooperative(world: &HandWorld) -> Cooperative {
    cooperative_with(world, TrafficParams::USUAL)
}

/// A fresh rule for bodies of any size with the given tunables.
pub fn cooperative_with(world: &HandWorld, params: TrafficParams) -> Cooperative {
    let (tables, size) = (&world.ground.tables, world.ground.grid.size());
    Cooperative::new(tables, size, world.occupancy.rule(), params)
}

/// The cells under an agent at rest, or where its move began.
pub fn body_of(ground: &Ground, motion: &Motion) -> BTreeSet<CellXY> {
    body_at(ground, motion, motion.state)
}

/// The cells under an agent in a state.
pub fn body_at(ground: &Ground, motion: &Motion, state: State) -> BTreeSet<CellXY> {
    let tables = &ground.tables[usize::from(motion.class.0)];
    body(tables, tables.space().pose(state))
}
