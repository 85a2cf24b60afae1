//! Path requests: who asks first, and how the tick's expansions are shared out.
//!
//! Requests stand in order of priority plus age, short ways before long ones of nearly the same age, then id. The
//! first `search_slots` of them share the tick's budget equally; what they leave over is shared out again, round by
//! round, among those still searching and those that move up. A search that does not finish keeps its slot and goes
//! on next tick. Workers that have nothing to do in a later phase go ahead with it meanwhile; what they do counts when
//! the search has a share for it, so nobody gets an answer sooner or later for that.

use crate::agents::{Activity, AgentId, Agents, ClassId};
use crate::congestion::Congestion;
use crate::given_poses::GivenPoses;
use crate::group_goals::{GroupGoals, give_group_poses, longest_move, poses_alike};
use crate::orders::{OrderKind, OrderPool, Trip, current_goal};
use crate::path_pool::PathPool;
use crate::reservation::Reservation;
use crate::shared_fields::{FieldStep, SharedFields};
use crate::trace::TraceEvent;
use crate::world::{SimClass, Simulation};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::{
    Answer, Fallback, Goal, GoalArea, GoalMember, Guide, MovementTables, Path, PathPose, Pose, Progress,
    Reached, Request, Scratch, State, Status, advance, begin, finish, least_cost_of, pass_goal,
};

/// Cells around an agent, along each axis, in which resting agents count as obstacles.
const AROUND_CELLS: i32 = 24;
/// Most expansions of a search for a way around resting agents.
const AROUND_EXPANSIONS_MAX: u64 = 20_000;
/// And for the quickest way, which need not be found exactly: delays are only thought of. With a weight of 1.2 agents
/// on bases of 256^2 and 512^2 cells got as far as with the exact one, for half of the expansions.
const QUICKEST_EXPANSIONS_MAX: u64 = 200_000;
const QUICKEST_WEIGHT_PERMILLE: u32 = 1200;
/// Ticks until an agent that has found a way around those asks again.
const LOOK_AGAIN_TICKS: u32 = 64;
/// Ticks until an agent that found no way around asks again; doubled with each failure.
const ASK_AGAIN_TICKS: u32 = 16;
/// Times that it is doubled at most.
const FAILURES_MAX: u8 = 6;

/// One that asks for a way that takes so many ticks may wait one tick longer. With 1, 1,000 agents that asked at once
/// had their paths as soon as with 4, behind 58 ticks in the mean; in order of age alone behind 87.
const WAIT_SHARE: u32 = 4;

/// The first part of a way to a pose of a group ends where the goal is four times as far as it is from the pose, and
/// of far poses where it is twice as far and this much more, in moves. With twice alone ways of 100 agents were up to
/// 4.6 % longer than the cheapest, with four times 1.7 %, for as many expansions; but far poses are far to search for.
const FIRST_PART_MOVES: u64 = 32;
/// Most headings of a class.
const HEADINGS_MAX: usize = 8;
/// Expansions after which a search that goes ahead looks whether the phase beside it is over.
const AHEAD_STEP: u64 = 2048;
/// Moves of a path for which a slot has room from the start.
const PATH_ROOM: usize = 1024;

/// Which way to its goal an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The cheapest.
    Cheapest,
    /// One around agents that rest nearby; the path in hand is kept if there is none.
    AroundResting,
    /// The one on which time and the delays that others are thought to cause are least, up to where the path in hand
    /// leads out of those that count; the path in hand is kept if it is not the quicker one.
    Quickest,
}

/// A request that is not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRequest {
    /// Who asks.
    pub agent: AgentId,
    /// Since when.
    pub issued: u32,
    /// The agent's given priority.
    pub priority: i32,
    /// Which way is asked for.
    pub route: Route,
    /// The path asked for takes no less, in ticks, as far as is known without a search.
    pub least_ticks: u32,
}

impl PathRequest {
    /// Priority plus age, less a share of what the path takes at least: short ways are soon searched for, so many
    /// agents need not wait for a few. Age wins in the end: a request of priority p for a path of at least m ticks
    /// waits for one of priority q and n ticks that comes later at most (q - p) + (m - n) / [`WAIT_SHARE`] ticks
    /// longer than for one of its own.
    fn rank(&self, tick: u32) -> (std::cmp::Reverse<i64>, AgentId) {
        let behind = i64::from(self.least_ticks / WAIT_SHARE);
        (std::cmp::Reverse(i64::from(self.priority) + i64::from(tick - self.issued) - behind), self.agent)
    }
}

/// One search under way and its memory.
#[derive(Debug)]
struct Slot {
    request: Option<PathRequest>,
    begun: bool,
    progress: Progress,
    /// Expansions it may spend in this round, and has spent.
    share: u64,
    spent: u64,
    /// Expansions made; more than spent where the search went ahead.
    made: u64,
    scratch: Scratch,
    path: Path,
    /// First part of the way, along the field of a group's goal, and where it ends; the search begins there.
    first_part: Path,
    from: Option<State>,
    obstacles: BitGrid,
    answer: Option<Answer>,
    /// The request is answered by the field of its goal, or that was tried in vain.
    by_field: bool,
    field_failed: bool,
}

/// All path requests: those that wait and those being searched.
#[derive(Debug)]
pub struct Requests {
    queue: Vec<PathRequest>,
    slots: Vec<Slot>,
    /// Slots in use by the ids of those who ask; room for a round.
    in_order: Vec<(AgentId, u32)>,
    pub(crate) fields: SharedFields,
}

impl Requests {
    pub(crate) fn new(slots: usize, size: GridSize) -> Self {
        let slot = || Slot {
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
        };
        let slots_free = std::iter::repeat_with(slot).take(slots).collect();
        Self {
            queue: Vec::new(),
            slots: slots_free,
            in_order: Vec::with_capacity(slots),
            fields: SharedFields::new(),
        }
    }

    /// Adds a request.
    pub(crate) fn push(&mut self, request: PathRequest) {
        self.queue.push(request);
    }

    /// Requests not answered yet.
    pub fn open(&self) -> usize {
        self.queue.len() + self.slots.iter().filter(|slot| slot.request.is_some()).count()
    }

    /// Drops what an agent asked for.
    pub(crate) fn forget(&mut self, agent: AgentId) {
        self.forget_where(|asker| asker == agent);
    }

    /// Drops what some agents asked for.
    pub(crate) fn forget_where(&mut self, is_gone: impl Fn(AgentId) -> bool) {
        self.queue.retain(|request| !is_gone(request.agent));
        for slot in &mut self.slots {
            if slot.request.is_some_and(|request| is_gone(request.agent)) {
                slot.request = None;
                slot.answer = None;
            }
        }
    }

    /// The map has changed for some agents: their searches under way begin anew and keep their age.
    pub(crate) fn restart_searches(&mut self, is_stale: impl Fn(AgentId) -> bool) {
        for slot in &mut self.slots {
            if slot.request.is_some_and(|request| is_stale(request.agent)) {
                slot.begun = false;
            }
        }
    }

    /// Everything here that the next tick depends on, for the state hash.
    pub(crate) fn for_each_word(&self, mut word: impl FnMut(u64)) {
        let mut request_words = |request: &PathRequest| {
            word(u64::from(request.agent.0) << 32 | u64::from(request.issued));
            word(u64::from(request.least_ticks) << 2 | request.route as u64);
        };
        self.queue.iter().for_each(&mut request_words);
        for slot in &self.slots {
            if let Some(request) = &slot.request {
                request_words(request);
            }
        }
        for slot in self.slots.iter().filter(|slot| slot.request.is_some()) {
            word(slot.spent << 2 | u64::from(slot.by_field) << 1 | u64::from(slot.field_failed));
        }
        self.fields.for_each_word(word);
    }

    /// Fills free slots from the queue, first request first.
    fn fill_slots(&mut self, tick: u32) {
        if self.queue.is_empty() {
            return;
        }
        // Last request first, so that the first can be popped.
        self.queue.sort_unstable_by_key(|request| std::cmp::Reverse(request.rank(tick)));
        for slot in self.slots.iter_mut().filter(|slot| slot.request.is_none()) {
            let Some(request) = self.queue.pop() else { break };
            slot.request = Some(request);
            slot.begun = false;
            slot.spent = 0;
            slot.field_failed = false;
        }
    }

    /// Does some work, and meanwhile has workers that have nothing to do go ahead with the searches under way, each
    /// by an equal share of a tick's budget at most.
    pub(crate) fn go_ahead_beside(&mut self, asking: Asking<'_>, budget: u64, work: impl FnOnce() + Send) {
        let ahead_max = budget / self.slots.len().max(1) as u64;
        if rayon::current_num_threads() < 2 || !self.slots.iter().any(Slot::is_under_way) {
            work();
            return;
        }
        let is_over = AtomicBool::new(false);
        let slots = &mut self.slots;
        rayon::join(
            || {
                work();
                is_over.store(true, Ordering::Relaxed);
            },
            || {
                let slots = slots.par_iter_mut().with_max_len(1).filter(|slot| slot.is_under_way());
                slots.for_each(|slot| slot.go_ahead(asking, ahead_max, &is_over));
            },
        );
    }

    /// Shares a budget among the slots in use, in order of their requests; says how many have any.
    fn share_out(&mut self, budget: u64, tick: u32) -> usize {
        let searches = |slot: &Slot| slot.request.is_some() && slot.answer.is_none();
        let mut active = self.slots.iter().filter(|slot| searches(slot)).count() as u64;
        let mut left = budget;
        let mut given = 0;
        self.slots.iter_mut().for_each(|slot| slot.share = 0);
        // A free slot ranks last. Slots are few, so they are ranked where they stand.
        while active > 0 && left > 0 {
            let next = self.slots.iter_mut().filter(|slot| slot.share == 0 && searches(slot));
            let Some(slot) = next.min_by_key(|slot| slot.request.map(|request| request.rank(tick))) else {
                break;
            };
            slot.share = left.div_ceil(active);
            left -= slot.share;
            active -= 1;
            given += 1;
        }
        given
    }
}

/// The requests phase of a tick: spends at most the tick's expansions and hands out the answers.
pub(crate) fn answer_requests(sim: &mut Simulation) {
    let mut budget = sim.settings.expansions_per_tick;
    // Half of it is left for those who ask for paths.
    let spent = give_group_poses(sim, budget.div_ceil(2));
    budget -= spent;
    sim.counts.expansions += spent;
    loop {
        sim.requests.fill_slots(sim.tick);
        if sim.requests.share_out(budget, sim.tick) == 0 {
            break;
        }
        search_slots(sim);
        let spent: u64 = sim.requests.slots.iter().map(|slot| slot.share).sum();
        budget -= spent;
        sim.counts.expansions += spent;
        deliver_all(sim, false);
    }
    deliver_all(sim, true);
}

/// Hands out the answers of a round in order of id. Poses of an area are handed out only as far as those of
/// lower id have theirs, or at the last round of the tick: one whose find overlaps what was handed out before
/// it searches on.
fn deliver_all(sim: &mut Simulation, last: bool) {
    let mut slots = std::mem::take(&mut sim.requests.in_order);
    slots.clear();
    for (at, slot) in sim.requests.slots.iter().enumerate() {
        slots.extend(slot.request.map(|request| (request.agent, at as u32)));
    }
    slots.sort_unstable();
    let mut held_up = false;
    for &(agent, at) in &slots {
        let at = at as usize;
        let Some(request) = sim.requests.slots[at].request else { continue };
        let Some(row) = sim.agents.row(agent) else { continue };
        let by_area =
            request.route == Route::Cheapest && sim.agents.given[row].is_none() && goes_to_area(sim, row);
        if by_area && held_up {
            continue;
        }
        let slot = &mut sim.requests.slots[at];
        let Some(answer) = slot.answer.take() else {
            held_up |= by_area && !last;
            continue;
        };
        let path = std::mem::take(&mut slot.path);
        if !slot.by_field
            && let Some((class, goal)) = shared_goal(&sim.agents, &sim.orders, request, row)
        {
            sim.requests.fields.note(class, &goal, answer.expansions);
        }
        if answer.status == Status::Unreachable || answer.reached == Some(Reached::Nearest) {
            // The next such request of a class with one-way moves need not search for it.
            sim.classes[sim.agents.motion[row].class.0 as usize].tables.renew_components();
        }
        let outcome = deliver(sim, row, request, &answer, &path);
        let slot = &mut sim.requests.slots[at];
        slot.path = path;
        match outcome {
            Outcome::Answered => slot.request = None,
            Outcome::SearchOn => {
                // A search that ended at the nearest pose has no next one at hand.
                slot.progress = pass_goal(&mut slot.scratch);
                slot.begun = slot.progress == Progress::Running;
            }
            Outcome::SearchAnew => slot.begun = false,
        }
        held_up |= !matches!(outcome, Outcome::Answered) && !last;
    }
    sim.requests.in_order = slots;
}

/// Whether the current order of an agent is one to an area.
fn goes_to_area(sim: &Simulation, row: usize) -> bool {
    let order = sim.orders.current(&sim.agents.orders[row]);
    order.is_some_and(|order| matches!(order.kind, OrderKind::GotoArea(..)))
}

/// The order to a group that an agent has now, by number.
fn group_of(sim: &Simulation, row: usize) -> Option<u32> {
    match sim.orders.current(&sim.agents.orders[row])?.kind {
        OrderKind::GotoGroup(order, _) => Some(order),
        _ => None,
    }
}

/// Whether there is a field to a goal of an order to a group, for the class of an agent.
fn has_field(sim: &Simulation, row: usize, order: u32) -> bool {
    let class = sim.agents.motion[row].class;
    let mut goals = sim.group_goals.seeds(order, class);
    goals.any(|goal| sim.requests.fields.get(class, &Goal::of(&[goal])).is_some())
}

/// What comes of an answer.
enum Outcome {
    /// The agent has it.
    Answered,
    /// Another has been given what was found: the search goes on behind it.
    SearchOn,
    /// The pose that the agent had been given cannot be reached any more: another is looked for.
    SearchAnew,
}

/// Advances every slot by its share, in parallel. A slot writes only to itself; `share` becomes what it
/// spent.
fn search_slots(sim: &mut Simulation) {
    let Simulation {
        requests,
        agents,
        classes,
        orders,
        reservation,
        given,
        group_goals,
        tick,
        congestion,
        paths,
        ..
    } = sim;
    let asking = Asking { agents, classes, orders };
    let world = SearchWorld { asking, reservation, given, congestion, paths };
    let Requests { slots, fields, .. } = requests;
    for slot in slots.iter_mut().filter(|slot| slot.share > 0 && !slot.begun) {
        slot.follow_group_field(asking, fields, group_goals);
    }
    // Fields are shared, so these go one after the other.
    for slot in slots.iter_mut().filter(|slot| slot.share > 0) {
        slot.search_by_field(asking, fields, *tick);
    }
    let searches = |slot: &&mut Slot| slot.share > 0 && !slot.by_field;
    let active = slots.iter_mut().filter(searches).count();
    if active > 1 && rayon::current_num_threads() > 1 {
        // Slots in use lie side by side: each is a piece of work of its own.
        slots.par_iter_mut().with_max_len(1).filter(searches).for_each(|slot| slot.search(&world));
    } else {
        slots.iter_mut().filter(searches).for_each(|slot| slot.search(&world));
    }
}

/// What the search for a cheapest path reads.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub agents: &'a Agents,
    pub classes: &'a [SimClass],
    pub orders: &'a OrderPool,
}

impl<'a> Asking<'a> {
    fn of(sim: &'a Simulation) -> Self {
        Self { agents: &sim.agents, classes: &sim.classes, orders: &sim.orders }
    }

    fn class(self, row: usize) -> &'a SimClass {
        &self.classes[self.agents.motion[row].class.0 as usize]
    }

    fn tables(self, row: usize) -> &'a MovementTables {
        &self.class(row).tables
    }

    /// The order and the trip that an agent is on, and the request for the cheapest path to its goal from a state.
    fn cheapest(self, row: usize, from: State) -> Option<(&'a OrderKind, &'a Trip, Request<'a>)> {
        let state = &self.agents.orders[row];
        let (kind, trip) = self.orders.current_trip(state)?;
        let class = self.class(row);
        let goal = current_goal(trip, kind, state);
        let request = Request {
            heuristic: class.heuristic(),
            fallback: trip.fallback,
            ..Request::new(class.tables.space().pose(from), goal)
        };
        Some((kind, trip, request))
    }
}

/// What a search reads.
struct SearchWorld<'a> {
    asking: Asking<'a>,
    reservation: &'a Reservation,
    given: &'a GivenPoses,
    congestion: &'a Congestion,
    paths: &'a PathPool,
}

impl<'a> SearchWorld<'a> {
    fn of(sim: &'a Simulation) -> Self {
        let Simulation { reservation, given, congestion, paths, .. } = sim;
        Self { asking: Asking::of(sim), reservation, given, congestion, paths }
    }

    /// Where an agent's path in hand leads out of where delays count: moves up to there, and the state. `None` if it ends
    /// before.
    fn leaves_delays(&self, row: usize) -> Option<(usize, State)> {
        let agents = self.asking.agents;
        let tables = self.asking.tables(row);
        let space = tables.space();
        let mut state = agents.motion[row].state;
        let delays = self.congestion.around(space.pose(state).cell);
        for (at, &primitive) in self.paths.moves(agents.paths[row]).iter().enumerate() {
            if !delays.reach(space.pose(state).cell) {
                return Some((at, state));
            }
            tables.move_ticks(state, usize::from(primitive))?;
            state = tables.state_after(state, usize::from(primitive));
        }
        None
    }

    /// Whether no other agent rests on a legal pose or has been given one that overlaps it.
    fn is_free(&self, row: usize, pose: Pose) -> bool {
        let agents = self.asking.agents;
        let agent = agents.ids[row];
        let cells = self.asking.tables(row).class().cells_at(pose);
        let rests = |other: AgentId| {
            other != agent && agents.row(other).is_some_and(|row| agents.motion[row].at_rest())
        };
        self.given.is_free(agent, pose.cell, cells)
            && cells.iter().all(|o| {
                let cell = CellXY::new(pose.cell.x + o.dx, pose.cell.y + o.dy);
                !self.reservation.holder_at(cell).is_some_and(rests)
            })
    }
}

impl Slot {
    /// Whether it has begun to search for what is still asked for.
    fn is_under_way(&self) -> bool {
        self.begun && self.request.is_some() && !self.by_field
    }

    /// Answers by the field of the goal if there is one or it pays to make it. One that leads nowhere leaves
    /// the request to a search, which knows what to say.
    fn search_by_field(&mut self, asking: Asking<'_>, fields: &mut SharedFields, tick: u32) {
        let Asking { agents, orders, .. } = asking;
        let Some(asked) = self.request else { return };
        let Some(row) = agents.row(asked.agent) else { return };
        let Some((class, goal)) = shared_goal(agents, orders, asked, row) else {
            self.by_field = false;
            return;
        };
        let tables = asking.tables(row);
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
                self.answer = Some(Answer {
                    status: Status::Found,
                    reached: Some(Reached::Goal),
                    cost: self.path.cost(),
                    expansions: self.spent,
                    guide: Guide::Field,
                });
            }
            _ => (self.by_field, self.begun, self.field_failed) = (false, false, true),
        }
    }

    /// Of a request for the way to a pose of a group: the field of the group's goal leads to where the goal is
    /// four times as far away as it is from the pose; from there on the search has little to do.
    fn follow_group_field(&mut self, asking: Asking<'_>, fields: &SharedFields, group_goals: &GroupGoals) {
        self.from = None;
        let Asking { agents, orders, .. } = asking;
        let Some(row) = self.request.and_then(|asked| agents.row(asked.agent)) else { return };
        let (motion, given) = (agents.motion[row], agents.given[row]);
        let order = orders.current(&agents.orders[row]).map(|order| &order.kind);
        let (Some(&OrderKind::GotoGroup(order, _)), Some(given)) = (order, given) else { return };
        if self.request.is_none_or(|asked| asked.route != Route::Cheapest) {
            return;
        }
        let tables = asking.tables(row);
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

    /// Puts the first part of the way before what the search found.
    fn join_first_part(&mut self) {
        if self.from.take().is_none() || self.path.poses.is_empty() {
            return;
        }
        let ticks = self.first_part.cost();
        let rest = self.path.poses[1..].iter();
        let later = rest.map(|at| PathPose { arrival: ticks.saturating_add(at.arrival), ..*at });
        self.first_part.poses.extend(later);
        self.first_part.moves.extend_from_slice(&self.path.moves);
        std::mem::swap(&mut self.first_part, &mut self.path);
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

    fn search(&mut self, world: &SearchWorld<'_>) {
        let asking = world.asking;
        let Some(asked) = self.request else { return };
        let Some(row) = asking.agents.row(asked.agent) else { return };
        let tables = asking.tables(row);
        let from = self.from.unwrap_or(asking.agents.motion[row].state);
        let Some((kind, trip, mut request)) = asking.cheapest(row, from) else { return };
        let given = asking.agents.given[row].map(|state| given_goal(tables, kind, trip, state));
        let is_free = |pose| world.is_free(row, pose);
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
        let delays = world.congestion.around(request.start.cell);
        let leaves = match asked.route {
            Route::Quickest => world.leaves_delays(row),
            _ => None,
        };
        let meets = leaves.map(|(_, state)| [GoalMember::pose(tables.space().pose(state))]);
        match asked.route {
            Route::Cheapest => {}
            Route::AroundResting => {
                if !self.begun {
                    mark_resting_agents(&mut self.obstacles, world, row);
                }
                request.obstacles = Some(&self.obstacles);
                request.obstacle_area = Some(around(request.start.cell));
                request.expansions_max = Some(AROUND_EXPANSIONS_MAX);
            }
            Route::Quickest => {
                // What is behind that is the cheapest already.
                if let Some(meets) = &meets {
                    (request.goal, request.area) = (Goal::of(meets), None);
                }
                request.delays = Some(&delays);
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
            self.answer = Some(answer);
            self.join_first_part();
            if let (Status::Found, Some((at, state))) = (answer.status, leaves) {
                self.join_rest(tables, state, &world.paths.moves(asking.agents.paths[row])[at..]);
            }
        }
    }

    /// Goes on with the search for a cheapest path, until it has made so many expansions more than it has spent or
    /// the work beside it is over. Those for poses that are given and for ways around others are left alone, for they
    /// depend on where agents rest.
    fn go_ahead(&mut self, asking: Asking<'_>, ahead_max: u64, is_over: &AtomicBool) {
        let Some(asked) = self.request.filter(|asked| asked.route == Route::Cheapest) else { return };
        let Some(row) = asking.agents.row(asked.agent) else { return };
        let from = asking.agents.motion[row].state;
        let Some((kind, _, request)) = asking.cheapest(row, from) else { return };
        if kind.gives_poses() {
            return;
        }
        let tables = asking.tables(row);
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

/// What the path to the goal of an agent's present order takes at least, in ticks, from where it rests; 0 where that
/// is not known.
pub(crate) fn least_ticks(sim: &Simulation, row: usize) -> u32 {
    let asking = Asking::of(sim);
    let request = asking.cheapest(row, sim.agents.motion[row].state);
    request.map_or(0, |(.., request)| least_cost_of(asking.tables(row), &request))
}

/// Class and goal of a request that a field can answer: not one around others nor one to a pose that was
/// given.
fn shared_goal<'a>(
    agents: &Agents,
    orders: &'a OrderPool,
    asked: PathRequest,
    row: usize,
) -> Option<(ClassId, Goal<'a>)> {
    let state = &agents.orders[row];
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
fn mark_resting_agents(obstacles: &mut BitGrid, world: &SearchWorld<'_>, row: usize) {
    obstacles.clear();
    let agents = world.asking.agents;
    let center = world.asking.tables(row).space().pose(agents.motion[row].state).cell;
    for cell in around(center).intersection(obstacles.size().rect()).cells() {
        let holder = world.reservation.holder_at(cell).and_then(|agent| agents.row(agent));
        if holder.is_some_and(|other| other != row && agents.motion[other].at_rest()) {
            obstacles.set(cell, true);
        }
    }
}

/// Gives an agent its answer.
fn deliver(sim: &mut Simulation, row: usize, request: PathRequest, answer: &Answer, path: &Path) -> Outcome {
    let found = answer.status == Status::Found;
    // A path that is not the quicker one is as good as none.
    let found = found && (request.route != Route::Quickest || is_quicker(sim, row, path));
    let to_area = goes_to_area(sim, row);
    let group = group_of(sim, row);
    let given = sim.agents.given[row].is_some();
    if to_area && !given && found {
        let tables = &sim.classes[sim.agents.motion[row].class.0 as usize].tables;
        let end = path.poses.last().map(|end| end.pose);
        if end.is_some_and(|pose| !SearchWorld::of(sim).is_free(row, pose)) {
            return Outcome::SearchOn;
        }
        if let Some(state) = end.and_then(|pose| tables.space().state(pose)) {
            sim.give(row, state);
        }
    }
    if to_area && given && !found && request.route == Route::Cheapest {
        sim.give_back(row);
        return Outcome::SearchAnew;
    }
    if let (Some(order), true, false, false) = (group, given, found, request.route != Route::Cheapest)
        && answer.status != Status::StartBlocked
        && has_field(sim, row, order)
    {
        // Its pose cannot be reached any more: it is given another one, for a field knows which can be.
        sim.give_back(row);
        sim.group_goals.open(order);
        return Outcome::Answered;
    }
    if group.is_some() && given && found {
        // The same cells, and maybe another heading.
        let tables = &sim.classes[sim.agents.motion[row].class.0 as usize].tables;
        let end = path.poses.last().and_then(|end| tables.space().state(end.pose));
        sim.agents.given[row] = end.or(sim.agents.given[row]);
    }
    let waited = sim.tick - request.issued;
    sim.counts.longest_request_ticks = sim.counts.longest_request_ticks.max(waited);
    if found {
        sim.agents.motion[row].replan = false;
    }
    if request.route != Route::Cheapest {
        let patience = &mut sim.agents.patience[row];
        let (failures, again_at, pause) = match request.route {
            Route::Quickest => (&mut patience.look_failures, &mut patience.look_again_at, LOOK_AGAIN_TICKS),
            _ => (&mut patience.failures, &mut patience.ask_again_at, ASK_AGAIN_TICKS),
        };
        *failures = if found { 0 } else { (*failures + 1).min(FAILURES_MAX) };
        *again_at = sim.tick + (pause << *failures);
        sim.agents.motion[row].activity = Activity::Following;
        if found && !path.moves.is_empty() {
            sim.paths.replace(&mut sim.agents.paths, row, &path.moves);
            sim.note_path(row);
        }
    } else if found {
        let state = &mut sim.agents.orders[row];
        state.to_nearest = answer.reached == Some(Reached::Nearest);
        state.note_lone_ticks(answer.cost);
        sim.paths.replace(&mut sim.agents.paths, row, &path.moves);
        sim.note_path(row);
        let arrived = path.moves.is_empty();
        sim.agents.motion[row].activity = if arrived { Activity::Arrived } else { Activity::Following };
        // Whoever is delayed much on the cheapest path asks at once for the quickest one.
        let motion = sim.agents.motion[row];
        let tables = &sim.classes[motion.class.0 as usize].tables;
        if !arrived
            && !sim.agents.orders[row].to_nearest
            && sim.congestion.is_worth_a_look(tables, motion.state, &path.moves)
        {
            crate::tick::ask_for_path(sim, row, Route::Quickest);
        }
    } else {
        sim.paths.drop_path(&mut sim.agents.paths[row]);
        refuse(sim, row, answer.status);
    }
    Outcome::Answered
}

/// Whether a path is quicker than the one in hand with all delays, by a quarter of the delays on that.
fn is_quicker(sim: &Simulation, row: usize, path: &Path) -> bool {
    let motion = &sim.agents.motion[row];
    let tables = &sim.classes[motion.class.0 as usize].tables;
    let (mut state, mut ticks) = (motion.state, 0);
    let in_hand = sim.paths.moves(sim.agents.paths[row]);
    for &primitive in in_hand {
        let Some(longer) = tables.move_ticks(state, usize::from(primitive)) else { return true };
        ticks += u64::from(longer);
        state = tables.state_after(state, usize::from(primitive));
    }
    let delay = |moves| sim.congestion.delay_along(tables, motion.state, moves);
    let delay_in_hand = delay(in_hand);
    u64::from(path.cost()) + delay(&path.moves) + delay_in_hand / 4 < ticks + delay_in_hand
}

/// An order cannot be done: reported once, then kept or dropped as it says. An agent that an edit has
/// stranded keeps its order in any case: it is the agent that cannot move, not the goal that is shut.
pub(crate) fn refuse(sim: &mut Simulation, row: usize, status: Status) {
    let agent = sim.agents.ids[row];
    sim.agents.motion[row].activity = Activity::Shut;
    // Where it stands nobody else can be sent.
    sim.give_back(row);
    let state = sim.agents.orders[row];
    if status == Status::StartBlocked || sim.orders.keeps_task(&state) {
        return;
    }
    let Some((kind, trip)) = sim.orders.current_trip(&state) else { return };
    let is_task = matches!(kind, OrderKind::Task(_));
    let (order, drop) = (kind.name(), trip.if_unreachable == crate::scenario::IfUnreachable::Drop);
    if !state.reported {
        sim.note(TraceEvent::Unreachable { agent, order });
    }
    sim.agents.orders[row].reported = true;
    if is_task {
        crate::tick::close_task(sim, row);
    } else if drop {
        sim.counts.orders_unreachable += 1;
        crate::tick::close_order(sim, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::{Step, build, scenario};
    use std::path::Path as FilePath;

    fn request(agent: u32, issued: u32, priority: i32, least_ticks: u32) -> PathRequest {
        PathRequest { agent: AgentId(agent), issued, priority, route: Route::Cheapest, least_ticks }
    }

    /// Of requests of one age the short way comes first, and no later one comes before a long way for longer than
    /// its share of ticks and of priority says.
    #[test]
    fn short_ways_come_first_and_nobody_waits_for_ever() {
        let far = request(0, 10, 0, 4000);
        let comes_before = |other: PathRequest| other.rank(other.issued) < far.rank(other.issued);
        for near in [request(1, 10, 0, 40), request(1, 10, 3, 4000), request(1, 999, 0, 40)] {
            assert!(comes_before(near), "{near:?}");
        }
        // 10 + 4000 / 4 - 40 / 4 = 1000, at which the lower id comes first.
        assert!(comes_before(request(1, 999, 0, 40)) && !comes_before(request(1, 1000, 0, 40)));
        assert!(comes_before(request(1, 1006, 7, 40)) && !comes_before(request(1, 1007, 7, 40)));
    }

    /// A crowd of a class of two cells with orders of all kinds on a map with walls, few expansions, and edits.
    fn crowd(random: &mut Random) -> String {
        let (width, height) = (12 + random.below(30), 8 + random.below(20));
        let row = |random: &mut Random| -> String {
            (0..width).map(|_| if random.below(6) == 0 { 'T' } else { '.' }).collect()
        };
        let rows: Vec<String> = (0..height).map(|_| format!("\"{}\"", row(random))).collect();
        let mut text = format!(
            "name = \"crowd\"\nseed = {}\nticks = 200\nexpansions_per_tick = {}\nsearch_slots = {}\n\
            landmarks = {}\n[map]\nrows = [{}]\n[class.a]\nheadings = 4\nfootprint = [\"X>\"]\nmoves = [\n\
            {{ name = \"ahead\", by = [1, 0], time = 2 }},\n{{ name = \"back\", by = [-1, 0], time = 4 }},\n\
            {{ name = \"left\", turn = 1, time = 2 }},\n{{ name = \"right\", turn = -1, time = 2 }},\n]\n",
            random.below(1000),
            1 + random.below(200),
            1 + random.below(4),
            2 * random.below(2),
            rows.join(",")
        );
        let all = format!("area = [0, 0, {width}, {height}]");
        let tasks = format!("tasks = {{ kind = \"random\", {all} }}");
        text += &format!("[[groups]]\nclass = \"a\"\ncount = 4\n{all}\n{tasks}\n");
        for _ in 0..4 {
            let mut cell = || format!("[{}, {}]", random.below(width), random.below(height));
            let (to, from, back) = (cell(), cell(), cell());
            let orders = [
                format!("{{ goto = {to}, fallback = \"nearest\" }}, {{ goto = {back}, within = 2 }}"),
                format!("{{ patrol = [{from}, {back}], within = 1, fallback = \"nearest\" }}"),
                format!("{{ goto_area = [{}, 2, 6, 5] }}, {{ goto = {back} }}", random.below(6)),
            ];
            let order = &orders[random.below(3)];
            text += &format!("[[groups]]\nclass = \"a\"\ncount = 1\n{all}\norders = [{order}]\n");
        }
        for _ in 0..random.below(6) {
            let area = format!("[{}, {}, 3, 2]", random.below(width - 3), random.below(height - 2));
            let kind = ["trees", "ground"][random.below(2)];
            text += &format!(
                "[[events]]\ntick = {}\nset_terrain = {{ area = {area}, kind = \"{kind}\", on_agents = \"wait\" }}\n",
                random.below(150)
            );
        }
        text
    }

    /// Runs a scenario, and once more with searches that go ahead in some ticks by as much as it happens; says how
    /// often one did.
    fn run_ahead(text: &str, random: &mut Random) -> usize {
        let typed = scenario::parse("crowd.toml", text.as_bytes());
        let typed = typed.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let built = || build::build_simulation(FilePath::new("crowd.toml"), &typed);
        let (Ok(mut plain), Ok(mut sim)) = (built(), built()) else { return 0 };
        let mut n_ahead = 0;
        loop {
            let (step, other) = (plain.step(), sim.step());
            let tick = sim.tick();
            assert_eq!((step, plain.state_hash()), (other, sim.state_hash()), "tick {tick}\n{text}");
            assert_eq!(plain.counts(), sim.counts(), "tick {tick}\n{text}");
            if step == Step::Ended {
                return n_ahead;
            }
            let Simulation { agents, classes, orders, requests, .. } = &mut sim;
            let asking = Asking { agents, classes, orders };
            for slot in requests.slots.iter_mut().filter(|slot| slot.is_under_way()) {
                if random.below(3) > 0 {
                    slot.go_ahead(asking, random.below(400) as u64, &AtomicBool::new(false));
                    n_ahead += usize::from(slot.made > slot.spent);
                }
            }
        }
    }

    #[test]
    fn searches_that_go_ahead_change_nothing() {
        let ahead = |seed| {
            let mut random = Random::new(seed);
            run_ahead(&crowd(&mut random), &mut random)
        };
        let n_ahead: usize = (0..100).map(ahead).sum();
        assert!(n_ahead > 2000, "{n_ahead}");
    }
}
