//! One search under way: what it reads, what it asks the planner for by each route, and how it goes on.

use super::request::{PathRequest, Route};
use crate::agents::Agents;
use crate::class::SimClass;
use crate::congestion::Congestion;
use crate::given_poses::GivenPoses;
use crate::goal_poses::poses_alike;
use crate::group_goals::{GroupGoals, longest_move};
use crate::orders::{OrderKind, OrderPool, current_goal};
use crate::shared_fields::{FieldStep, SharedFields};
use crate::trip::Trip;
use std::sync::atomic::{AtomicBool, Ordering};
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::model::{Reached, State};
use wheelbase_planner::search::{Answer, Fallback, GoalArea, Guide, cost_lower_bound_of};
use wheelbase_planner::{
    Goal, GoalMember, MovementTables, Path, PathPose, Pose, Progress, Request, Scratch, Status, advance,
    begin, finish,
};
use wheelbase_traffic::motion::{AgentId, ClassId};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::path_pool::PathPool;

/// Cells around an agent, along each axis, in which resting agents count as obstacles.
const AROUND_CELLS: i32 = 24;
/// Most expansions of a search for a way around resting agents.
const AROUND_EXPANSIONS_MAX: u64 = 20_000;
/// And for the quickest way, which need not be found exactly: delays are only thought of. With a weight of
/// 1.2 agents on bases of 256^2 and 512^2 cells got as far as with the exact one, for half of the expansions.
const QUICKEST_EXPANSIONS_MAX: u64 = 200_000;
const QUICKEST_WEIGHT_PERMILLE: u32 = 1200;
/// The first part of a way to a pose of a group ends where the goal is four times as far as it is from the
/// pose, and of far poses where it is twice as far and this much more, in moves. With twice alone ways of 100
/// agents were up to 4.6 % longer than the cheapest, with four times 1.7 %, for as many expansions; but far
/// poses are far to search for.
const FIRST_PART_MOVES: u64 = 32;
/// Most headings of a class.
const HEADINGS_MAX: usize = 8;
/// Expansions after which a search that goes ahead looks whether the phase beside it is over.
const AHEAD_STEP: u64 = 2048;
/// Moves of a path for which a slot has room from the start.
const PATH_ROOM: usize = 1024;

/// One search under way and its memory.
#[derive(Debug)]
pub(crate) struct Slot {
    pub request: Option<PathRequest>,
    pub begun: bool,
    pub progress: Progress,
    /// Expansions it may spend in this round, and has spent.
    pub share: u64,
    pub spent: u64,
    /// Expansions made; more than spent where the search went ahead.
    pub made: u64,
    pub scratch: Scratch,
    pub path: Path,
    /// First part of the way, along the field of a group's goal, and where it ends; the search begins there.
    first_part: Path,
    from: Option<State>,
    obstacles: BitGrid,
    pub answer: Option<Answer>,
    /// The request is answered by the field of its goal, or that was tried in vain.
    pub by_field: bool,
    pub field_failed: bool,
}

impl Slot {
    /// A free one, for maps of a size.
    pub fn new(size: GridSize) -> Self {
        Self {
            request: None,
            begun: false,
            progress: Progress::Running,
            share: 0,
            spent: 0,
            made: 0,
            scratch: Scratch::new(),
            path: Path { poses: Vec::with_capacity(PATH_ROOM), moves: Vec::with_capacity(PATH_ROOM) },
            first_part: Path::new(),
            from: None,
            obstacles: BitGrid::new(size),
            answer: None,
            by_field: false,
            field_failed: false,
        }
    }

    /// Whether it has begun to search for what is still asked for.
    pub fn is_under_way(&self) -> bool {
        self.begun && self.request.is_some() && !self.by_field
    }

    /// Answers by the field of the goal if there is one or it pays to make it. One that leads nowhere leaves
    /// the request to a search, which knows what to say.
    pub fn search_by_field(&mut self, search_inputs: SearchInputs<'_>, fields: &mut SharedFields, tick: u32) {
        let SearchInputs { agents, orders, .. } = search_inputs;
        let Some(asked) = self.request else { return };
        let Some(row) = agents.row(asked.agent) else { return };
        let Some((class, goal)) = shared_goal(agents, orders, asked, row) else {
            self.by_field = false;
            return;
        };
        let tables = search_inputs.tables(row);
        let start = agents.motion[row].state;
        if !self.begun {
            self.by_field = !self.field_failed && tables.is_legal(start) && fields.pays(class, tables, &goal);
        }
        if !self.by_field {
            return;
        }
        self.begun = true;
        let step = fields.step(class, tables, &goal, (start, tick), self.share, &mut self.path);
        self.share = step.as_ref().map_or(0, |step| step.expansions);
        self.spent += self.share;
        match step {
            Some(FieldStep { progress: Progress::Running, .. }) => {}
            Some(FieldStep { found: true, .. }) => {
                let mut answer = Answer::ended(Status::Found);
                (answer.reached, answer.cost) = (Some(Reached::Goal), self.path.cost());
                (answer.expansions, answer.guide) = (self.spent, Guide::Field);
                self.answer = Some(answer);
            }
            _ => (self.by_field, self.begun, self.field_failed) = (false, false, true),
        }
    }

    /// Of a request for the way to a pose of a group: the field of the group's goal leads to where the goal
    /// is four times as far away as it is from the pose; from there on the search has little to do.
    pub fn follow_group_field(
        &mut self,
        search_inputs: SearchInputs<'_>,
        fields: &SharedFields,
        group_goals: &GroupGoals,
    ) {
        self.from = None;
        let SearchInputs { agents, orders, .. } = search_inputs;
        let Some(row) = self.request.and_then(|asked| agents.row(asked.agent)) else { return };
        let (motion, given) = (agents.motion[row], agents.given[row]);
        let order = orders.current(&agents.orders(row)).map(|order| &order.kind);
        let (Some(&OrderKind::GotoGroup(order, _)), Some(given)) = (order, given) else { return };
        if self.request.is_none_or(|asked| asked.route != Route::Cheapest) {
            return;
        }
        let tables = search_inputs.tables(row);
        let longest = u64::from(longest_move(tables));
        for goal in group_goals.seeds(order, motion.class) {
            let Some(field) = fields.get(motion.class, &Goal::of(&[goal])) else { continue };
            let Some(far) = field.cost(given).map(u64::from) else { continue };
            let near = 2 * far + far.min(FIRST_PART_MOVES / 2 * longest) * 2;
            if !field.follow(tables, motion.state, &mut self.first_part) {
                continue;
            }
            let whole = self.first_part.cost();
            let is_far = |at: &PathPose| u64::from(whole - at.arrival) > near;
            let moves = self.first_part.poses.partition_point(is_far).min(self.first_part.moves.len());
            self.first_part.moves.truncate(moves);
            self.first_part.poses.truncate(moves + 1);
            self.from = self.first_part.poses.last().and_then(|last| tables.space().state(last.pose));
            return;
        }
    }

    /// Puts the first part of the way before what the search found; gives its ticks.
    fn join_first_part(&mut self) -> u32 {
        if self.from.take().is_none() || self.path.poses.is_empty() {
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

    /// Puts moves behind what the search found, which ends in a state.
    fn join_rest(&mut self, tables: &MovementTables, mut state: State, moves: &[u8]) {
        let mut arrival = self.path.cost();
        for &primitive in moves {
            let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
            arrival = arrival.saturating_add(ticks);
            state = tables.state_after(state, usize::from(primitive));
            self.path.moves.push(primitive);
            self.path.poses.push(PathPose { pose: tables.space().pose(state), arrival });
        }
    }

    /// Searches as far as its share goes; `share` becomes what it spent.
    pub fn search(&mut self, context: &SearchContext<'_>) {
        let search_inputs = context.search_inputs;
        let Some(asked) = self.request else { return };
        let Some(row) = search_inputs.agents.row(asked.agent) else { return };
        let tables = search_inputs.tables(row);
        let from = self.from.unwrap_or(search_inputs.agents.motion[row].state);
        let Some((kind, trip, mut request)) = search_inputs.cheapest(row, from) else { return };
        let given = search_inputs.agents.given[row].map(|state| given_goal(tables, kind, trip, state));
        let is_free = |pose| context.is_free(row, pose);
        match (kind, &given) {
            (OrderKind::GotoArea(..) | OrderKind::GotoGroup(..), Some(given)) => {
                request.goal = Goal::of(&given.0[..given.1]);
                request.fallback = Fallback::Fail;
            }
            (&OrderKind::GotoArea(area, _), None) => {
                request.area = Some(GoalArea { area, open: &is_free });
            }
            _ => {}
        }
        let penalties =
            context.congestion.around(context.search_inputs.agents.motion[row].class, request.start.cell);
        let leaves = match asked.route {
            Route::CongestionAware => context.leaves_penalties(row),
            _ => None,
        };
        let meets = leaves.map(|(_, state)| [GoalMember::pose(tables.space().pose(state))]);
        match asked.route {
            Route::Cheapest => {}
            Route::AroundResting => {
                if !self.begun {
                    mark_resting_agents(&mut self.obstacles, context, row);
                }
                request.obstacles = Some(&self.obstacles);
                request.obstacle_area = Some(around(request.start.cell));
                request.expansions_max = Some(AROUND_EXPANSIONS_MAX);
            }
            Route::CongestionAware => {
                // What is behind that is the cheapest already.
                if let Some(meets) = &meets {
                    (request.goal, request.area) = (Goal::of(meets), None);
                }
                request.penalties = Some(&penalties);
                request.weight_permille = QUICKEST_WEIGHT_PERMILLE;
                request.expansions_max = Some(QUICKEST_EXPANSIONS_MAX);
            }
        }
        if asked.route != Route::Cheapest {
            request.fallback = Fallback::Fail;
        }
        if !self.begun {
            self.progress = begin(tables, &request, &mut self.scratch);
            self.begun = true;
            (self.spent, self.made) = (0, 0);
        }
        let may_spend = self.spent + self.share;
        if self.progress == Progress::Running && self.made < may_spend {
            self.progress = advance(tables, &request, &mut self.scratch, may_spend - self.made);
        }
        let answer = finish(tables, &request, &self.scratch, &mut self.path);
        self.made = answer.expansions;
        // What the search did in this round or had done for it before; the rest of its share goes back.
        let spent = self.made.min(may_spend);
        self.share = spent - self.spent;
        self.spent = spent;
        if self.progress == Progress::Done && self.made <= may_spend {
            let first_ticks = self.join_first_part();
            let cost = answer.cost.saturating_add(first_ticks);
            let mut joined = answer;
            joined.cost = cost;
            self.answer = Some(joined);
            if let (Status::Found, Some((at, state))) = (answer.status, leaves) {
                self.join_rest(tables, state, &context.paths.moves(search_inputs.agents.paths[row])[at..]);
            }
        }
    }

    /// Goes on with the search for a cheapest path, until it has made so many expansions more than it has
    /// spent or the work beside it is over. Those for poses that are given and for ways around others are
    /// left alone, for they depend on where agents rest.
    pub fn go_ahead(&mut self, search_inputs: SearchInputs<'_>, ahead_max: u64, is_over: &AtomicBool) {
        let Some(asked) = self.request.filter(|asked| asked.route == Route::Cheapest) else { return };
        let Some(row) = search_inputs.agents.row(asked.agent) else { return };
        let from = search_inputs.agents.motion[row].state;
        let Some((kind, _, request)) = search_inputs.cheapest(row, from) else { return };
        if kind.gives_poses() {
            return;
        }
        let tables = search_inputs.tables(row);
        while self.progress == Progress::Running
            && self.made < self.spent + ahead_max
            && !is_over.load(Ordering::Relaxed)
        {
            let step = AHEAD_STEP.min(self.spent + ahead_max - self.made);
            self.progress = advance(tables, &request, &mut self.scratch, step);
            self.made += step;
        }
    }
}

/// What the search for a cheapest path reads.
#[derive(Clone, Copy)]
pub(crate) struct SearchInputs<'a> {
    pub agents: &'a Agents,
    pub classes: &'a [SimClass],
    pub tables: &'a [MovementTables],
    pub orders: &'a OrderPool,
}

impl<'a> SearchInputs<'a> {
    fn class(self, row: usize) -> &'a SimClass {
        &self.classes[self.agents.motion[row].class.0 as usize]
    }

    pub fn tables(self, row: usize) -> &'a MovementTables {
        &self.tables[self.agents.motion[row].class.0 as usize]
    }

    /// The order and the trip that an agent is on, and the request for the cheapest path to its goal from a
    /// state.
    fn cheapest(self, row: usize, from: State) -> Option<(&'a OrderKind, &'a Trip, Request<'a>)> {
        let state = &self.agents.orders(row);
        let (kind, trip) = self.orders.current_trip(state)?;
        let class = self.class(row);
        let goal = current_goal(trip, kind, state);
        let request = Request {
            heuristic: class.heuristic(),
            fallback: trip.fallback,
            ..Request::new(self.tables(row).space().pose(from), goal)
        };
        Some((kind, trip, request))
    }
}

/// What a search reads.
pub(crate) struct SearchContext<'a> {
    pub search_inputs: SearchInputs<'a>,
    pub occupancy: &'a Occupancy,
    pub given: &'a GivenPoses,
    pub congestion: &'a Congestion,
    pub paths: &'a PathPool,
}

impl SearchContext<'_> {
    /// Where an agent's path in hand leads out of where delays count: moves up to there, and the state.
    /// `None` if it ends before.
    fn leaves_penalties(&self, row: usize) -> Option<(usize, State)> {
        let agents = self.search_inputs.agents;
        let tables = self.search_inputs.tables(row);
        let space = tables.space();
        let mut state = agents.motion[row].state;
        let penalties = self.congestion.around(agents.motion[row].class, space.pose(state).cell);
        for (at, &primitive) in self.paths.moves(agents.paths[row]).iter().enumerate() {
            if !penalties.reach(space.pose(state).cell) {
                return Some((at, state));
            }
            tables.move_ticks(state, usize::from(primitive))?;
            state = tables.state_after(state, usize::from(primitive));
        }
        None
    }

    /// Whether no other agent rests on a legal pose or has been given one that overlaps it.
    pub fn is_free(&self, row: usize, pose: Pose) -> bool {
        let agents = self.search_inputs.agents;
        let agent = agents.ids[row];
        let cells = self.search_inputs.tables(row).class().cells_at(pose);
        let rests = |other: AgentId| {
            other != agent && agents.row(other).is_some_and(|row| agents.motion[row].at_rest())
        };
        self.given.is_free(agent, pose.cell, cells)
            && cells.iter().all(|o| {
                let cell = o.cell_from(pose.cell);
                !self.occupancy.holder_at(cell).is_some_and(rests)
            })
    }
}

/// What the path to the goal of an agent's present order takes at least, in ticks, from where it rests; 0
/// where that is not known.
pub(crate) fn least_ticks(search_inputs: SearchInputs<'_>, row: usize) -> u32 {
    let request = search_inputs.cheapest(row, search_inputs.agents.motion[row].state);
    request.map_or(0, |(.., request)| cost_lower_bound_of(search_inputs.tables(row), &request))
}

/// Class and goal of a request that a field can answer: not one around others nor one to a pose that was
/// given.
pub(crate) fn shared_goal<'a>(
    agents: &Agents,
    orders: &'a OrderPool,
    asked: PathRequest,
    row: usize,
) -> Option<(ClassId, Goal<'a>)> {
    let state = &agents.orders(row);
    let (kind, trip) = orders.current_trip(state)?;
    let by_members = asked.route == Route::Cheapest && !kind.gives_poses();
    by_members.then(|| (agents.motion[row].class, current_goal(trip, kind, state)))
}

/// The goal of one who has been given a pose, and how many of its members count. Where its order does not say
/// how it is to face and its body covers the same cells at several headings, it comes to face as it likes.
fn given_goal(
    tables: &MovementTables,
    kind: &OrderKind,
    trip: &Trip,
    state: State,
) -> ([GoalMember; HEADINGS_MAX], usize) {
    let space = tables.space();
    let any = matches!(kind, OrderKind::GotoGroup(..))
        && trip.members.iter().all(|member| member.heading.is_none());
    let mut members = [GoalMember::pose(space.pose(state)); HEADINGS_MAX];
    let mut count = 0;
    let poses = poses_alike(tables, state).take(if any { HEADINGS_MAX } else { 1 });
    for (member, state) in members.iter_mut().zip(poses) {
        *member = GoalMember::pose(space.pose(state));
        count += 1;
    }
    (members, count)
}

/// Where resting agents count as obstacles for an agent at a cell.
fn around(center: CellXY) -> Rect {
    let side = 2 * AROUND_CELLS as u32 + 1;
    Rect::new(center.x - AROUND_CELLS, center.y - AROUND_CELLS, side, side)
}

/// The cells of agents that rest near an agent.
fn mark_resting_agents(obstacles: &mut BitGrid, context: &SearchContext<'_>, row: usize) {
    obstacles.clear();
    let agents = context.search_inputs.agents;
    let center = context.search_inputs.tables(row).space().pose(agents.motion[row].state).cell;
    for cell in around(center).intersection(obstacles.size().rect()).cells() {
        let holder = context.occupancy.holder_at(cell).and_then(|agent| agents.row(agent));
        if holder.is_some_and(|other| other != row && agents.motion[other].at_rest()) {
            obstacles.set(cell, true);
        }
    }
}
