//! One search in progress: its memory, its question to the planner on each route, and its continuation.

use super::request::{PathRequest, Route};
use super::search_inputs::{SearchContext, SearchInputs, shared_goal};
use super::slot_leg::{SlotLeg, end_of_path, first_leg};
use crate::agents::Agents;
use crate::goal_poses::poses_alike;
use crate::group_goals::{GroupGoals, longest_move};
use crate::leg::Leg;
use crate::obstacles::TeamObstacles;
use crate::orders::OrderKind;
use crate::roadblocks::mark_roadblocks;
use crate::shared_fields::{FieldAnswer, SharedFields};
use crate::trip::Trip;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::abstraction::RouteScratch;
use wheelbase_planner::model::State;
use wheelbase_planner::search::schedule::{RequestKey, SearchSlot};
use wheelbase_planner::search::{Answer, Fallback, GoalArea, Guide, for_each_obstacle_met};
use wheelbase_planner::{
    Goal, GoalMember, MovementTables, Path, PathPose, Progress, Request, Scratch, Status, advance, begin,
    finish,
};

/// The first part of a path to a pose of a group follows the group's field. It ends where the goal is four times as far
/// as the goal is from the pose. For far poses it ends when the goal is twice as far and this many moves. With twice
/// alone, paths of 100 agents were up to 4.6 % longer than the cheapest, with four times 1.7 %. Both took as many
/// expansions, but the search to a far pose is long.
const FIRST_PART_MOVES: u64 = 32;
/// Most headings of a class.
const HEADINGS_MAX: usize = 8;
/// Expansions between two checks of a search ahead whether the phase that it runs along with is over.
const AHEAD_EXPANSIONS: u64 = 2048;
/// Moves of a path for which a slot has room initially.
const PATH_ROOM: usize = 1024;

/// How far a search has come, without its memory.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SearchState {
    pub request: Option<PathRequest>,
    pub begun: bool,
    pub progress: Progress,
    /// Expansions spent since it began.
    pub spent: u64,
    /// Expansions made: more than spent after a search ahead.
    pub made: u64,
    /// Whether the field of the goal answers the request, and whether it has failed to.
    pub by_field: bool,
    pub field_failed: bool,
    /// The last state of the first part of the path, where the search begins.
    pub from: Option<State>,
    /// [`Agents::cleared`] when the search began, if agents all over the map are obstacles to it: places given up since
    /// still are.
    pub among_agents: Option<u64>,
    /// Whether it searches for a leg of a route if the goal is far, and whether it has found none.
    pub goes_abstract: bool,
    pub has_failed: bool,
    /// The leg that it searches for, and the expansions of the search for its route.
    pub leg: Option<SlotLeg>,
    pub charge: u64,
}

/// A search in progress and its memory.
#[derive(Debug)]
pub(crate) struct Slot {
    pub state: SearchState,
    /// Expansions that it may spend in this round.
    pub share: u64,
    pub scratch: Scratch,
    pub path: Path,
    /// First part of the path, along the field of a group's goal.
    pub(super) first_part: Path,
    pub(super) obstacles: BitGrid,
    /// Whether the search goes around `obstacles`.
    pub(super) has_obstacles: bool,
    /// Output: cells of agents all over the map that kept the search from its goal, in order.
    pub met: Vec<CellXY>,
    pub answer: Option<Answer>,
    pub route_scratch: RouteScratch,
}

impl SearchSlot for Slot {
    fn searching(&self) -> Option<RequestKey> {
        self.state.request.filter(|_| self.answer.is_none()).map(|request| request.key())
    }

    fn share_mut(&mut self) -> &mut u64 {
        &mut self.share
    }
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.obstacles.size());
        copy.clone_from(self);
        copy
    }

    /// In the same memory. Copies a search only if it is in progress.
    fn clone_from(&mut self, from: &Self) {
        (self.state, self.share, self.answer) = (from.state, from.share, from.answer);
        self.has_obstacles = from.has_obstacles;
        if from.is_under_way() {
            self.scratch.clone_from(&from.scratch);
            self.obstacles.copy_from(&from.obstacles);
        }
        if from.state.from.is_some() {
            self.first_part.clone_from(&from.first_part);
        }
    }
}

impl Slot {
    /// A free slot, for maps of a size.
    pub fn new(size: GridSize) -> Self {
        Self {
            state: SearchState::default(),
            share: 0,
            scratch: Scratch::new(),
            path: Path { poses: Vec::with_capacity(PATH_ROOM), moves: Vec::with_capacity(PATH_ROOM) },
            first_part: Path::new(),
            obstacles: BitGrid::new(size),
            has_obstacles: false,
            met: Vec::with_capacity(PATH_ROOM),
            answer: None,
            route_scratch: RouteScratch::default(),
        }
    }

    /// Whether a search of its request has begun.
    pub fn is_under_way(&self) -> bool {
        self.state.begun && self.state.request.is_some() && !self.state.by_field
    }

    /// Answers the request by the field of its goal, if there is one or it pays to make one. If the start cannot
    /// reach the goal, the request is left to a search, which finds out why.
    pub fn search_by_field(&mut self, search_inputs: SearchInputs<'_>, fields: &mut SharedFields, tick: u32) {
        let SearchInputs { agents, orders, .. } = search_inputs;
        let Some(asked) = self.state.request else { return };
        let Some(row) = agents.row(asked.agent) else { return };
        let Some((class, goal)) = shared_goal(agents, orders, asked, row) else {
            self.state.by_field = false;
            return;
        };
        let tables = search_inputs.tables(row);
        let start = agents.motion[row].state;
        if !self.state.begun {
            // A field knows of no agents in the way.
            let may_follow =
                !self.state.field_failed && self.state.among_agents.is_none() && tables.is_legal(start);
            self.state.by_field = may_follow && fields.pays(class, tables, &goal);
        }
        if self.state.begun && self.state.by_field && fields.get(class, &goal).is_none() {
            // Fields of other goals have displaced it. If it were rebuilt, it could displace them in turn, and none
            // would ever be ready.
            (self.state.by_field, self.state.begun, self.state.field_failed) = (false, false, true);
        }
        if !self.state.by_field {
            return;
        }
        self.state.begun = true;
        let answer = fields.answer(class, tables, &goal, (start, tick), self.share, &mut self.path);
        self.share = answer.as_ref().map_or(0, |answer| answer.expansions);
        self.state.spent += self.share;
        match answer {
            Some(FieldAnswer { progress: Progress::Running, .. }) => {}
            Some(FieldAnswer { found: true, .. }) => {
                let mut answer = Answer::at_goal(self.path.cost(), self.state.spent);
                answer.guide = Guide::Field;
                self.answer = Some(answer);
            }
            _ => (self.state.by_field, self.state.begun, self.state.field_failed) = (false, false, true),
        }
    }

    /// Before a search begins: copies the obstacles to the requester's team, if there are any.
    pub fn take_obstacles(&mut self, agents: &Agents, obstacles: &TeamObstacles) {
        let row = self.state.request.and_then(|asked| agents.row(asked.agent));
        let map = row.and_then(|row| obstacles.of(agents.teams[row]));
        self.state.among_agents = map.map(|_| agents.cleared);
        if let Some(map) = map {
            self.obstacles.copy_from(map);
        }
    }

    /// Makes the first part of the path to a pose of a group. It follows the field of the group's goal, up to where
    /// the goal is four times as far as it is from the pose. This leaves little to search.
    pub fn follow_group_field(
        &mut self,
        search_inputs: SearchInputs<'_>,
        fields: &SharedFields,
        group_goals: &GroupGoals,
    ) {
        self.state.from = None;
        let SearchInputs { agents, orders, .. } = search_inputs;
        let Some(row) = self.state.request.and_then(|asked| agents.row(asked.agent)) else { return };
        let (motion, assigned) = (agents.motion[row], agents.assigned[row]);
        let order = orders.kind(&agents.orders(row)).and_then(OrderKind::group);
        let (Some(order), Some(assigned)) = (order, assigned) else { return };
        if self.state.among_agents.is_some()
            || self.state.request.is_none_or(|asked| asked.route != Route::Cheapest)
        {
            return;
        }
        let tables = search_inputs.tables(row);
        let longest = u64::from(longest_move(tables));
        for goal in group_goals.centres(order, motion.class) {
            let Some(field) = fields.get(motion.class, &Goal::of(&[goal])) else { continue };
            let Some(far) = field.cost(assigned).map(u64::from) else { continue };
            let near = 2 * far + far.min(FIRST_PART_MOVES / 2 * longest) * 2;
            if !field.follow(tables, motion.state, &mut self.first_part) {
                continue;
            }
            let whole = self.first_part.cost();
            let is_far = |at: &PathPose| u64::from(whole - at.arrival) > near;
            let moves = self.first_part.poses.partition_point(is_far).min(self.first_part.moves.len());
            self.first_part.moves.truncate(moves);
            self.first_part.poses.truncate(moves + 1);
            self.state.from = self.first_part.poses.last().and_then(|last| tables.space().state(last.pose));
            return;
        }
    }

    /// Has a search for the next leg begin where the current leg ends.
    pub fn begin_at_end_of_leg(&mut self, search_inputs: SearchInputs<'_>) {
        let Some(asked) = self.state.request.filter(|asked| asked.route == Route::NextLeg) else { return };
        let Some(row) = search_inputs.agents.row(asked.agent) else { return };
        self.state.from = end_of_path(search_inputs, row, search_inputs.agents.moves(row));
        self.first_part.clear();
        let pose = self.state.from.map(|from| search_inputs.tables(row).space().pose(from));
        self.first_part.poses.extend(pose.map(|pose| PathPose { pose, arrival: 0 }));
    }

    /// Chooses what to search for: the first leg of a route, or a path to the goal.
    fn choose_leg(
        &mut self,
        context: &SearchContext<'_>,
        row: usize,
        asked: PathRequest,
        request: &Request<'_>,
    ) {
        (self.state.leg, self.state.charge) = (None, 0);
        let follows_group = asked.route == Route::Cheapest && self.state.from.is_some();
        let inputs = context.search_inputs;
        let Some(graph) = inputs.graph(row).filter(|_| self.state.goes_abstract && !follows_group) else {
            return;
        };
        // Where a leg ends, the next route has to be cheaper than its own was. Else the way is a new one.
        let leg = inputs.agents.legs[row];
        let goes_on = asked.route == Route::NextLeg || inputs.agents.moves(row).is_empty();
        let in_hand = if goes_on { leg } else { Leg::NONE };
        let tables = (inputs.tables(row), graph);
        (self.state.leg, self.state.charge) = first_leg(tables, request, in_hand, &mut self.route_scratch);
    }

    /// Puts the first part of the path before the path found; returns its ticks.
    fn join_first_part(&mut self) -> u32 {
        if self.state.from.take().is_none() || self.path.poses.is_empty() {
            return 0;
        }
        let ticks = self.first_part.cost();
        let rest = self.path.poses[1..].iter();
        let later = rest.map(|at| PathPose { arrival: ticks.saturating_add(at.arrival), ..*at });
        self.first_part.poses.extend(later);
        self.first_part.moves.extend_from_slice(&self.path.moves);
        std::mem::swap(&mut self.first_part, &mut self.path);
        ticks
    }

    /// Marks the agents that the search goes around, in addition to the obstacles to the team.
    fn mark_obstacles(&mut self, context: &SearchContext<'_>, row: usize, route: Route) {
        self.has_obstacles = self.state.among_agents.is_some();
        let marks = match route {
            Route::Cheapest | Route::NextLeg => false,
            Route::Detour | Route::Bypass => true,
            Route::CongestionAware => !context.roadblocks.is_empty(),
        };
        if !marks {
            return;
        }
        if !self.has_obstacles {
            self.obstacles.clear();
            self.has_obstacles = true;
        }
        if route == Route::Detour {
            mark_resting_agents(&mut self.obstacles, context, row);
        } else {
            let SearchContext { search_inputs: SearchInputs { agents, tables, .. }, roadblocks, .. } =
                *context;
            mark_roadblocks(&mut self.obstacles, (agents, tables), roadblocks, row);
        }
    }

    /// Searches until its share is spent; `share` becomes the expansions spent.
    pub fn search(&mut self, context: &SearchContext<'_>) {
        let search_inputs = context.search_inputs;
        let Some(asked) = self.state.request else { return };
        let Some(row) = search_inputs.agents.row(asked.agent) else { return };
        let tables = search_inputs.tables(row);
        let from = self.state.from.unwrap_or(search_inputs.agents.motion[row].state);
        let Some((kind, trip, mut request)) = search_inputs.cheapest(row, from) else { return };
        let assigned = search_inputs.agents.assigned[row].filter(|_| kind.assigns_pose());
        let assigned = assigned.map(|state| assigned_goal(tables, kind, trip, state));
        let is_free = |pose| context.is_free(row, pose);
        if let Some((members, n)) = &assigned {
            request.goal = Goal::of(&members[..*n]);
            request.fallback = Fallback::Fail;
        } else if kind.assigns_pose() {
            // Where others obstruct its pose near the goal of a group, it goes to the nearest free one.
            let cell = trip.members.first().map_or(request.start.cell, |member| member.cell);
            let area = kind.area().unwrap_or(Rect::new(cell.x, cell.y, 1, 1));
            request.area = Some(GoalArea { area, open: &is_free });
        }
        let penalties =
            context.congestion.around(context.search_inputs.agents.motion[row].class, request.start.cell);
        let leaves = match asked.route {
            Route::CongestionAware => context.leaves_penalties(row),
            _ => None,
        };
        let on_leg = || end_of_path(search_inputs, row, search_inputs.agents.moves(row));
        let around_others = matches!(asked.route, Route::Detour | Route::Bypass);
        let exit = match leaves {
            Some((_, state)) => Some(state),
            // On a leg, only its end is near.
            None if around_others && search_inputs.agents.legs[row].is_some() => on_leg(),
            None => None,
        };
        let exit = exit.map(|state| [GoalMember::pose(tables.space().pose(state))]);
        if !self.state.begun {
            self.mark_obstacles(context, row, asked.route);
            self.choose_leg(context, row, asked, &request);
        }
        let members = self.state.leg.map(SlotLeg::members);
        if let Some((members, n)) = &members {
            (request.goal, request.area) = (Goal::of(&members[..*n]), None);
            request.fallback = Fallback::Fail;
            request.expansions_max = Some(SlotLeg::expansions_max(tables));
        }
        if self.has_obstacles {
            request.obstacles = Some(&self.obstacles);
        }
        match asked.route {
            Route::Cheapest | Route::NextLeg => {}
            Route::Detour => {
                if let Some(exit) = &exit {
                    (request.goal, request.area) = (Goal::of(exit), None);
                }
                let near = around(request.start.cell, context.params.detour_reach);
                request.obstacle_area = self.state.among_agents.is_none().then_some(near);
                request.expansions_max = Some(context.params.detour_expansions.into());
            }
            Route::Bypass => {
                if let Some(exit) = &exit {
                    (request.goal, request.area) = (Goal::of(exit), None);
                }
                request.expansions_max = Some(context.params.replan_expansions.into());
            }
            Route::CongestionAware => {
                // The rest of the current path is cheapest already.
                if let Some(exit) = &exit {
                    (request.goal, request.area) = (Goal::of(exit), None);
                }
                request.penalties = Some(&penalties);
                request.weight_permille = context.params.replan_weight_permille;
                request.expansions_max = Some(context.params.replan_expansions.into());
            }
        }
        if !asked.route.is_to_goal() {
            request.fallback = Fallback::Fail;
        }
        if asked.route == Route::NextLeg && self.state.from.is_none() {
            // Its leg is cut.
            (self.share, self.answer) = (0, Some(Answer::ended(Status::StartBlocked)));
            return;
        }
        if !self.state.begun {
            self.state.progress = begin(tables, &request, &mut self.scratch);
            self.state.begun = true;
            (self.state.spent, self.state.made) = (0, self.state.charge);
        }
        let may_spend = self.state.spent + self.share;
        if self.state.progress == Progress::Running && self.state.made < may_spend {
            self.state.progress = advance(tables, &request, &mut self.scratch, may_spend - self.state.made);
        }
        let answer = finish(tables, &request, &self.scratch, &mut self.path);
        self.state.made = self.state.charge + answer.expansions;
        // Expansions made ahead count now. The rest of the share goes back.
        let spent = self.state.made.min(may_spend);
        self.share = spent - self.state.spent;
        self.state.spent = spent;
        if self.state.progress == Progress::Done && self.state.made <= may_spend {
            if self.state.leg.is_some() && answer.status != Status::Found {
                // No path joins the portals of the route: the search for a path to the goal itself begins.
                (self.state.leg, self.state.goes_abstract, self.state.has_failed, self.state.begun) =
                    (None, false, true, false);
                return;
            }
            if answer.status == Status::Unreachable && self.state.among_agents.is_some() {
                let Self { scratch, met, .. } = self;
                met.clear();
                let tells = for_each_obstacle_met(tables, &request, scratch, |cell| met.push(cell));
                met.sort_unstable();
                met.dedup();
                if tells && met.is_empty() {
                    self.state.among_agents = None;
                }
            }
            let first_ticks = self.join_first_part();
            let cost = answer.cost.saturating_add(first_ticks);
            let mut joined = answer;
            joined.cost = cost;
            self.answer = Some(joined);
            if let (Status::Found, Some((at, state))) = (answer.status, leaves) {
                let rest = &search_inputs.agents.moves(row)[at..];
                // As far as it is legal.
                let _ = tables.append_moves(&mut self.path, state, rest);
            }
        }
    }

    /// Advances a search for a cheapest path until it has made `ahead_max` more expansions than it has spent, or
    /// `is_over`. Not for assigned poses, detours and congestion-aware paths: these depend on where agents rest.
    pub fn search_ahead(&mut self, search_inputs: SearchInputs<'_>, ahead_max: u64, is_over: &AtomicBool) {
        let Some(asked) = self.state.request.filter(|asked| asked.route == Route::Cheapest) else { return };
        let Some(row) = search_inputs.agents.row(asked.agent).filter(|_| self.state.leg.is_none()) else {
            return;
        };
        let from = search_inputs.agents.motion[row].state;
        let Some((kind, _, request)) = search_inputs.cheapest(row, from) else { return };
        if kind.assigns_pose() {
            return;
        }
        let request = Request { obstacles: self.state.among_agents.map(|_| &self.obstacles), ..request };
        let tables = search_inputs.tables(row);
        while self.state.progress == Progress::Running
            && self.state.made < self.state.spent + ahead_max
            && !is_over.load(Ordering::Relaxed)
        {
            let expansions = AHEAD_EXPANSIONS.min(self.state.spent + ahead_max - self.state.made);
            self.state.progress = advance(tables, &request, &mut self.scratch, expansions);
            self.state.made += expansions;
        }
    }
}

/// The goal of an agent with an assigned pose, and the number of its members. If the order names no heading, any
/// heading will do in which the body covers the same cells.
fn assigned_goal(
    tables: &MovementTables,
    kind: &OrderKind,
    trip: &Trip,
    state: State,
) -> ([GoalMember; HEADINGS_MAX], usize) {
    let space = tables.space();
    let any = kind.group().is_some() && trip.members.iter().all(|member| member.heading.is_none());
    let mut members = [GoalMember::pose(space.pose(state)); HEADINGS_MAX];
    let mut count = 0;
    let poses = poses_alike(tables, state).take(if any { HEADINGS_MAX } else { 1 });
    for (member, state) in members.iter_mut().zip(poses) {
        *member = GoalMember::pose(space.pose(state));
        count += 1;
    }
    (members, count)
}

/// Area around a cell in which resting agents are obstacles to a detour.
fn around(center: CellXY, reach: u32) -> Rect {
    let side = 2 * reach + 1;
    Rect::new(center.x - reach as i32, center.y - reach as i32, side, side)
}

/// Marks the cells of other agents that rest near an agent.
fn mark_resting_agents(obstacles: &mut BitGrid, context: &SearchContext<'_>, row: usize) {
    let agents = context.search_inputs.agents;
    let center = context.search_inputs.tables(row).space().pose(agents.motion[row].state).cell;
    for cell in around(center, context.params.detour_reach).intersection(obstacles.size().rect()).cells() {
        let holder = context.occupancy.holder_at(cell).and_then(|slot| agents.row_of_slot(slot));
        if holder.is_some_and(|other| other != row && agents.motion[other].at_rest()) {
            obstacles.set(cell, true);
        }
    }
}
