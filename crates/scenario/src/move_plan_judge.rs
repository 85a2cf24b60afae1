//! Judges move plans by the rules (docs/rules.md 2.2 to 2.6) by a separate replay.
//!
//! Independent of the simulation's tick, its occupancy, its traffic and its movement tables. Of the world it reads map,
//! classes, collision rule, and the agents with their orders as the scenario places them. What a legal move is and how
//! long it takes says [`Legality`], the slow definition.

use crate::load::{OneShot, OneShotResult};
use crate::move_plan::{BegunMove, MovePlan, PlannedAgent};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use wheelbase_grid::{CellXY, GridShape};
use wheelbase_planner::model::{MoveBlocked, State, heading_name};
use wheelbase_planner::search::Fallback;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::{Goal, Legality, MovementClass, Pose};
use wheelbase_sim::{CollisionRule, IfUnreachable, Order, OrderKind, Spawn, World};
use wheelbase_traffic::collision::Transition;
use wheelbase_traffic::speed::ticks_at_speed;

/// Violations that a verdict lists; further ones are only counted.
const VIOLATIONS_KEPT: usize = 20;

/// The verdict on a move plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MovePlanVerdict {
    /// Agents of the scenario.
    pub agents: usize,
    /// Moves replayed.
    pub moves: u64,
    /// Tick at which the plan ends.
    pub ticks: u32,
    /// Tick at which the scenario ends. That a plan ends later is not judged.
    pub ticks_of_scenario: u32,
    /// Orders that the plan carries out.
    pub orders_reached: u64,
    /// Orders whose goal no moves lead to.
    pub orders_unreachable: u64,
    /// Orders that say no pose at which they end, and those behind them: judged is that the moves are legal alone.
    pub orders_not_judged: u64,
    /// Of a one-shot instance: how good the plan is.
    #[serde(skip)]
    pub one_shot: Option<OneShotResult>,
    /// The first violations: by agent id, then collisions in order of time.
    #[serde(skip)]
    pub violations: Vec<MovePlanViolation>,
    /// Number of all violations.
    pub n_violations: u64,
}

/// A violation of the rules by a move plan, or a false statement of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "violation", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MovePlanViolation {
    /// The number of agents is not that of the scenario.
    Agents {
        /// Agents of the plan.
        found: usize,
        /// Agents of the scenario.
        expected: usize,
    },
    /// The collision rule is not that of the scenario, by which the plan is judged.
    Collision {
        /// The rule of the plan.
        found: String,
        /// The rule of the scenario.
        expected: &'static str,
    },
    /// An agent has another class or start than in the scenario, from which the plan is judged.
    Start {
        /// The agent.
        agent: usize,
        /// Class and start in the plan.
        found: String,
        /// Class and start in the scenario.
        expected: String,
    },
    /// An agent has another name than in the scenario.
    Name {
        /// The agent.
        agent: usize,
        /// Its name in the plan.
        found: String,
        /// Its name in the scenario; empty without one.
        expected: String,
    },
    /// A move of an agent cannot be made; the rest of its moves are not judged.
    Move {
        /// The agent.
        agent: usize,
        /// Tick at which the move begins.
        tick: u32,
        /// The anchor of the agent then.
        at: CellXY,
        /// Name of the move.
        name: String,
        /// Why.
        why: String,
    },
    /// Two agents hold a cell.
    Overlap {
        /// The agents: the former holder of the cell, and the taker.
        agents: [usize; 2],
        /// The tick.
        tick: u32,
        /// The first such cell, row by row.
        cell: CellXY,
    },
    /// Two agents, whose moves end at one tick, exchange cells.
    Exchange {
        /// The agents.
        agents: [usize; 2],
        /// The tick.
        tick: u32,
        /// A cell that the second gave up and the first took.
        cell: CellXY,
    },
    /// An order that can be carried out is not; the rest of the agent's orders are not judged.
    NotReached {
        /// The agent.
        agent: usize,
        /// Index of the order.
        order: usize,
        /// Its kind.
        kind: &'static str,
        /// Tick at which it was the agent's next.
        since: u32,
        /// The anchor of the agent at the end.
        at: CellXY,
    },
    /// An agent of a one-shot instance does not end at rest at its goal.
    OffGoal {
        /// The agent.
        agent: usize,
        /// The anchor of the agent at the end.
        at: CellXY,
        /// Its goal.
        goal: CellXY,
    },
}

impl fmt::Display for MovePlanViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agents { found, expected } => {
                write!(f, "agents: expected {expected} as in the scenario, found {found}")
            }
            Self::Collision { found, expected } => {
                write!(f, "collision: expected {expected:?} as in the scenario, found {found:?}")
            }
            Self::Start { agent, found, expected } => {
                write!(f, "agent {agent}: expected {expected} as in the scenario, found {found}")
            }
            Self::Name { agent, found, expected } if expected.is_empty() => {
                write!(f, "agent {agent}: expected no name as in the scenario, found {found:?}")
            }
            Self::Name { agent, found, expected } => {
                write!(f, "agent {agent}: expected the name {expected:?} as in the scenario, found {found:?}")
            }
            Self::Move { agent, tick, at, name, why } => {
                write!(f, "tick {tick}: agent {agent} at {at}: move {name:?}: {why}")
            }
            Self::Overlap { agents: [a, b], tick, cell } => {
                write!(f, "tick {tick}: agents {a} and {b} both hold cell {cell}")
            }
            Self::Exchange { agents: [a, b], tick, cell } => {
                write!(f, "tick {tick}: agents {a} and {b} exchange cells, as {cell}")
            }
            Self::NotReached { agent, order, kind, since, at } => write!(
                f,
                "agent {agent}: order {order}, {kind}, its next since tick {since}, is not carried out; it ends at {at}"
            ),
            Self::OffGoal { agent, at, goal } => {
                write!(f, "agent {agent} ends at {at}, expected at rest at its goal {goal}")
            }
        }
    }
}

/// Judges a plan of the scenario of a world that has not stepped. Linear in moves times the cells that they hold. But
/// each order that is not reached takes a search of the whole map.
pub fn judge_move_plan(world: &World, plan: &MovePlan) -> MovePlanVerdict {
    judge(world, plan).0.verdict
}

/// Judges a plan of a one-shot instance: in addition all agents end at their goals.
pub fn judge_one_shot_plan(world: &World, one_shot: &OneShot, plan: &MovePlan) -> MovePlanVerdict {
    let (mut judge, tracks) = judge(world, plan);
    let ticks = plan.ticks;
    let arrived_at = tracks.iter().zip(one_shot.goals()).enumerate().map(|(agent, (track, &goal))| {
        let (at, tick) = track.moves.last().map_or((track.start.cell, 0), |last| (last.to.cell, last.end));
        let is_there = at == goal && tick <= ticks;
        if !is_there {
            judge.add(MovePlanViolation::OffGoal { agent, at, goal });
        }
        is_there.then_some(tick)
    });
    let arrived_at: Vec<Option<u32>> = arrived_at.collect();
    judge.verdict.one_shot = Some(OneShotResult::of(&arrived_at));
    judge.verdict
}

fn judge<'a>(world: &'a World, plan: &MovePlan) -> (Judge<'a>, Vec<Track>) {
    let spawns = world.setup_agents();
    let mut judge = Judge {
        world,
        rules: world.tables().iter().map(|tables| Legality::new(world.grid(), tables.class())).collect(),
        verdict: MovePlanVerdict {
            agents: spawns.len(),
            ticks: plan.ticks,
            ticks_of_scenario: world.settings().ticks,
            ..MovePlanVerdict::default()
        },
    };
    if plan.agents.len() != spawns.len() {
        judge.add(MovePlanViolation::Agents { found: plan.agents.len(), expected: spawns.len() });
    }
    let rule = world.settings().collision;
    if plan.collision != rule.name() {
        judge.add(MovePlanViolation::Collision { found: plan.collision.clone(), expected: rule.name() });
    }
    let nothing =
        PlannedAgent { name: None, class: String::new(), at: (0, 0, String::new()), moves: Vec::new() };
    let mut tracks = Vec::with_capacity(spawns.len());
    for (agent, spawn) in spawns.iter().enumerate() {
        let planned = plan.agents.get(agent);
        if let Some(planned) = planned {
            judge.check_start(agent, spawn, planned);
        }
        let track = judge.follow(agent, spawn, planned.unwrap_or(&nothing));
        judge.check_orders(agent, spawn, &track);
        tracks.push(track);
    }
    judge.find_collisions(rule, &tracks);
    (judge, tracks)
}

/// What of a plan can be carried out.
pub(crate) struct CarriedOut {
    /// The moves of all agents as far as each can make them.
    pub moves: Vec<BegunMove>,
    /// Tick at which the last of them ends.
    pub ends: u32,
    /// First tick at which a move cannot begin, whatever the others do.
    pub stops_at: Option<u32>,
    /// Where the plan is not one of the scenario: other agents, starts, names or collision rule.
    pub differences: Vec<MovePlanViolation>,
}

impl CarriedOut {
    /// Of a plan, in the scenario of a world that has not stepped.
    pub(crate) fn of(world: &World, plan: &MovePlan) -> Self {
        let (Judge { verdict, .. }, tracks) = judge(world, plan);
        let differences = verdict.violations.into_iter().filter(|violation| {
            use MovePlanViolation::{Agents, Collision, Name, Start};
            matches!(violation, Agents { .. } | Collision { .. } | Start { .. } | Name { .. })
        });
        let steps = tracks.iter().flat_map(|track| &track.moves);
        let ends = steps.map(|step| step.end).max().unwrap_or(0);
        let stops_at = tracks.iter().filter_map(|track| track.stopped_at).min();
        let of = |(agent, track): (u32, &Track)| {
            let begun =
                move |step: &TimedMove| BegunMove { tick: step.begin, agent, primitive: step.primitive };
            track.moves.iter().map(begun).collect::<Vec<_>>()
        };
        let moves = (0..).zip(&tracks).flat_map(of).collect();
        Self { moves, ends, stops_at, differences: differences.collect() }
    }
}

/// The legal moves of an agent.
struct Track {
    class: usize,
    start: Pose,
    moves: Vec<TimedMove>,
    /// Tick at which it would begin the first move that it cannot make.
    stopped_at: Option<u32>,
}

/// A move and its time.
#[derive(Clone, Copy)]
struct TimedMove {
    begin: u32,
    end: u32,
    from: Pose,
    to: Pose,
    primitive: u8,
}

struct Judge<'a> {
    world: &'a World,
    /// By class.
    rules: Vec<Legality<'a>>,
    verdict: MovePlanVerdict,
}

impl<'a> Judge<'a> {
    fn add(&mut self, violation: MovePlanViolation) {
        self.verdict.n_violations += 1;
        if self.verdict.violations.len() < VIOLATIONS_KEPT {
            self.verdict.violations.push(violation);
        }
    }

    fn class(&self, number: usize) -> &'a MovementClass {
        self.world.tables()[number].class()
    }

    fn check_start(&mut self, agent: usize, spawn: &Spawn, planned: &PlannedAgent) {
        let class = self.class(usize::from(spawn.class.0));
        let Pose { cell: CellXY { x, y }, heading } = spawn.pose;
        let shown =
            |class: &str, x: i32, y: i32, heading: &str| format!("{class:?} at [{x}, {y}, {heading:?}]");
        let expected = shown(&class.spec().name, x, y, heading_name(class.headings(), heading));
        let found = shown(&planned.class, planned.at.0, planned.at.1, &planned.at.2);
        if found != expected {
            self.add(MovePlanViolation::Start { agent, found, expected });
        }
        if let Some(found) = &planned.name {
            let expected = self.world.agent_arrays().name(agent).unwrap_or_default();
            if *found != expected {
                let found = found.chars().take(40).collect();
                self.add(MovePlanViolation::Name { agent, found, expected });
            }
        }
    }

    /// Follows the moves of an agent up to the first that it cannot make.
    fn follow(&mut self, agent: usize, spawn: &Spawn, planned: &PlannedAgent) -> Track {
        let number = usize::from(spawn.class.0);
        let (class, ticks) = (self.class(number), self.verdict.ticks);
        let mut track = Track { class: number, start: spawn.pose, moves: Vec::new(), stopped_at: None };
        let (mut pose, mut free_at) = (spawn.pose, 0);
        for run in &planned.moves {
            let mut begin = run.tick;
            for _ in 0..run.count {
                match self.move_of(class, number, (pose, free_at), (begin, &run.name), spawn.speed_factor) {
                    Ok((primitive, time)) if begin < ticks => {
                        let to = self.rules[number].pose_after(pose, usize::from(primitive));
                        // Beyond the end of the plan it makes no difference how far.
                        let end = begin.saturating_add(time);
                        track.moves.push(TimedMove { begin, end, from: pose, to, primitive });
                        (pose, free_at, begin) = (to, end, end);
                        self.verdict.moves += 1;
                    }
                    judged => {
                        let why = judged.err().unwrap_or_else(|| format!("the plan ends at tick {ticks}"));
                        let (name, at) = (run.name.chars().take(40).collect(), pose.cell);
                        self.add(MovePlanViolation::Move { agent, tick: begin, at, name, why });
                        track.stopped_at = Some(begin);
                        return track;
                    }
                }
            }
        }
        track
    }

    /// Number and time of a move from a pose, or why it cannot be made.
    fn move_of(
        &self,
        class: &MovementClass,
        number: usize,
        (pose, free_at): (Pose, u32),
        (begin, name): (u32, &str),
        speed_factor: u16,
    ) -> Result<(u8, u32), String> {
        if begin < free_at {
            return Err(format!("the move before it ends at tick {free_at}"));
        }
        let mut named = class.primitives().iter().enumerate().filter(|(_, primitive)| primitive.name == name);
        let fitting = |primitive: &usize| {
            !matches!(self.rules[number].explain(pose, *primitive), Err(MoveBlocked::WrongHeading { .. }))
        };
        let first = named.next().map(|(primitive, _)| primitive);
        let Some(first) = first else {
            return Err(format!("class {:?} has no such move", class.spec().name));
        };
        // With 8 headings two moves may have the name: a straight and a diagonal one.
        let all = std::iter::once(first).chain(named.map(|(primitive, _)| primitive));
        let primitive = all.clone().find(fitting).unwrap_or(first);
        match self.rules[number].explain(pose, primitive) {
            Ok(ticks) => Ok((primitive as u8, ticks_at_speed(ticks, speed_factor))),
            Err(why) => Err(format!("not legal: {}", why.describe(self.world.grid()))),
        }
    }

    /// Follows the orders of an agent along its track. A goal is reached at the first tick at which the agent is at
    /// rest between two moves in a pose of it. That is not before the order before is done.
    fn check_orders(&mut self, agent: usize, spawn: &Spawn, track: &Track) {
        let (ticks, shape) = (self.verdict.ticks, self.world.grid().shape());
        // Where it rests, from when, and until when.
        let done = track.moves.iter().filter(|step| step.end <= ticks);
        let starts = std::iter::once((track.start, 0)).chain(done.map(|step| (step.to, step.end)));
        let ends = track.moves.iter().map(|step| step.begin).chain([ticks]);
        let stays: Vec<(Pose, u32, u32)> =
            starts.zip(ends).map(|((pose, from), to)| (pose, from, to)).collect();
        let (mut since, mut next) = (0, 0);
        let n_orders = spawn.orders.len();
        for (number, order) in spawn.orders.iter().enumerate() {
            let not_reached = |at: CellXY| MovePlanViolation::NotReached {
                agent,
                order: number,
                kind: order.kind.name(),
                since,
                at,
            };
            let last = stays.last().map_or(track.start, |stay| stay.0).cell;
            match judged(order) {
                Judged::Wait(time) if u64::from(since) + u64::from(time) <= u64::from(ticks) => since += time,
                Judged::Wait(_) => return self.add(not_reached(last)),
                Judged::Goal(matches, if_unreachable) => {
                    while stays.get(next).is_some_and(|stay| stay.2 < since) {
                        next += 1;
                    }
                    let found = (next..stays.len()).find(|&at| matches(shape, stays[at].0));
                    if let Some(found) = found {
                        (next, since) = (found, since.max(stays[found].1));
                    } else {
                        let from = stays.get(next).or(stays.last()).map_or(track.start, |stay| stay.0);
                        if self.can_reach(track.class, from, &*matches) {
                            return self.add(not_reached(last));
                        }
                        self.verdict.orders_unreachable += 1;
                        if if_unreachable == IfUnreachable::Wait {
                            self.verdict.orders_not_judged += (n_orders - number - 1) as u64;
                            return;
                        }
                        continue;
                    }
                }
                Judged::Nothing => {
                    self.verdict.orders_not_judged += (n_orders - number) as u64;
                    return;
                }
            }
            self.verdict.orders_reached += 1;
        }
    }

    /// Whether moves lead from a pose to a goal.
    fn can_reach(&self, class: usize, from: Pose, matches: &Matches<'_>) -> bool {
        let legality = &self.rules[class];
        let (space, shape) = (legality.space(), self.world.grid().shape());
        let reached = Reference::from(legality, from).costs;
        let mut poses = reached.iter().zip(0..).filter(|(cost, _)| cost.is_some());
        poses.any(|(_, state)| matches(shape, space.pose(State(state))))
    }

    /// Sweeps over the ticks at which moves begin or end. At each, agents first give up what they held and then take
    /// what they hold from then on.
    fn find_collisions(&mut self, rule: CollisionRule, tracks: &[Track]) {
        let mut held = Held::default();
        let mut places: Vec<Place> = tracks.iter().map(|_| Place::default()).collect();
        let mut due: BinaryHeap<Reverse<(u32, usize)>> =
            tracks.iter().enumerate().map(|(agent, _)| Reverse((0, agent))).collect();
        let mut now = Vec::new();
        while let Some(&Reverse((tick, _))) = due.peek() {
            // What ends at the last tick rests from then on; nothing begins at it.
            if tick > self.verdict.ticks {
                break;
            }
            now.clear();
            while let Some(&Reverse((at, agent))) = due.peek()
                && at == tick
            {
                due.pop();
                now.push(agent);
            }
            let mut given_up: BTreeMap<(i32, i32), usize> = BTreeMap::new();
            let mut taken: Vec<(usize, Vec<CellXY>)> = Vec::new();
            for &agent in &now {
                let ended = places[agent].advance(&tracks[agent], tick);
                let before = std::mem::take(&mut places[agent].held);
                held.release(agent, &before);
                if ended {
                    let body = self.rest_of(&tracks[agent], ended_from(&tracks[agent], &places[agent]));
                    given_up.extend(body.iter().map(|cell| ((cell.y, cell.x), agent)));
                }
            }
            for &agent in &now {
                let cells = self.held_by(rule, &tracks[agent], &places[agent]);
                for (other, cell) in held.take(agent, &cells) {
                    self.add(MovePlanViolation::Overlap { agents: [other, agent], tick, cell });
                }
                places[agent].held.clone_from(&cells);
                taken.push((agent, cells));
                if let Some(next) = places[agent].next(&tracks[agent]) {
                    due.push(Reverse((next, agent)));
                }
            }
            if rule == CollisionRule::Discrete {
                self.find_exchanges(tick, &given_up, &taken, (tracks, &places));
            }
        }
    }

    /// Pairs of agents whose moves end at a tick, each on cells that the other gave up.
    fn find_exchanges(
        &mut self,
        tick: u32,
        given_up: &BTreeMap<(i32, i32), usize>,
        taken: &[(usize, Vec<CellXY>)],
        (tracks, places): (&[Track], &[Place]),
    ) {
        let mut onto: BTreeMap<(usize, usize), CellXY> = BTreeMap::new();
        for (agent, cells) in taken {
            if places[*agent].ended_at != Some(tick) || tracks[*agent].moves.is_empty() {
                continue;
            }
            for &cell in cells {
                if let Some(&other) = given_up.get(&(cell.y, cell.x)).filter(|&other| other != agent) {
                    onto.entry((*agent, other)).or_insert(cell);
                }
            }
        }
        let pairs: Vec<_> = onto
            .iter()
            .filter(|((a, b), _)| a < b && onto.contains_key(&(*b, *a)))
            .map(|(&(a, b), &cell)| ([a, b], cell))
            .collect();
        for (agents, cell) in pairs {
            self.add(MovePlanViolation::Exchange { agents, tick, cell });
        }
    }

    /// Cells under a body at rest.
    fn rest_of(&self, track: &Track, pose: Pose) -> Vec<CellXY> {
        let cells = self.class(track.class).cells_at(pose);
        cells.iter().map(|offset| offset.cell_from(pose.cell)).collect()
    }

    /// Cells that an agent holds from now to its next begin or end.
    fn held_by(&self, rule: CollisionRule, track: &Track, place: &Place) -> Vec<CellXY> {
        match (rule, place.under_way.then(|| &track.moves[place.next_move - 1])) {
            (CollisionRule::Swept, Some(step)) => {
                let class = self.class(track.class);
                let moving = Transition { class, pose: step.from, primitive: usize::from(step.primitive) };
                let (anchor, cells) = moving.swept();
                cells.iter().map(|offset| offset.cell_from(anchor)).collect()
            }
            (CollisionRule::Discrete, Some(step)) => self.rest_of(track, step.from),
            (_, None) => {
                let last = place.next_move.checked_sub(1).map(|last| track.moves[last].to);
                self.rest_of(track, last.unwrap_or(track.start))
            }
        }
    }
}

/// Where an agent ended its last move from.
fn ended_from(track: &Track, place: &Place) -> Pose {
    let last = place.next_move.checked_sub(if place.under_way { 2 } else { 1 });
    last.map_or(track.start, |last| track.moves[last].from)
}

/// How far an agent has come along its track.
#[derive(Default)]
struct Place {
    /// Index of the move that begins next.
    next_move: usize,
    /// The move before it has not ended.
    under_way: bool,
    /// Tick at which the last move ended.
    ended_at: Option<u32>,
    held: Vec<CellXY>,
}

impl Place {
    /// Ends and begins what ends and begins at a tick. Whether a move ended.
    fn advance(&mut self, track: &Track, tick: u32) -> bool {
        let ends = self.under_way && track.moves[self.next_move - 1].end == tick;
        if ends {
            self.under_way = false;
            self.ended_at = Some(tick);
        }
        if !self.under_way && track.moves.get(self.next_move).is_some_and(|step| step.begin == tick) {
            self.under_way = true;
            self.next_move += 1;
        }
        ends
    }

    /// Tick of the next end or begin.
    fn next(&self, track: &Track) -> Option<u32> {
        match self.under_way {
            true => Some(track.moves[self.next_move - 1].end),
            false => track.moves.get(self.next_move).map(|step| step.begin),
        }
    }
}

/// Which agents hold each cell. Several, if the plan is wrong.
#[derive(Default)]
struct Held(BTreeMap<(i32, i32), Vec<usize>>);

impl Held {
    fn release(&mut self, agent: usize, cells: &[CellXY]) {
        for cell in cells {
            if let Some(holders) = self.0.get_mut(&(cell.y, cell.x)) {
                holders.retain(|&holder| holder != agent);
                if holders.is_empty() {
                    self.0.remove(&(cell.y, cell.x));
                }
            }
        }
    }

    /// Takes cells. The others that hold some, each with the first such cell.
    fn take(&mut self, agent: usize, cells: &[CellXY]) -> Vec<(usize, CellXY)> {
        let mut found: BTreeMap<usize, CellXY> = BTreeMap::new();
        for &cell in cells {
            let holders = self.0.entry((cell.y, cell.x)).or_default();
            for &other in holders.iter().filter(|&&other| other != agent) {
                found.entry(other).or_insert(cell);
            }
            holders.push(agent);
        }
        found.into_iter().collect()
    }
}

/// Whether a pose is one of a goal.
type Matches<'o> = dyn Fn(GridShape, Pose) -> bool + 'o;

/// What of an order a plan is held to.
enum Judged<'o> {
    /// To be in one of the poses.
    Goal(Box<Matches<'o>>, IfUnreachable),
    /// That time passes.
    Wait(u32),
    /// Nothing: it has no end, or ends where the run says.
    Nothing,
}

fn judged(order: &Order) -> Judged<'_> {
    match &order.kind {
        OrderKind::Goto(trip) if trip.fallback == Fallback::Fail => {
            let goal = Goal { members: &trip.members, within: trip.within };
            Judged::Goal(Box::new(move |shape, pose| goal.matches(shape, pose)), trip.if_unreachable)
        }
        OrderKind::Wait(ticks) | OrderKind::WaitInPlace(ticks) => Judged::Wait(*ticks),
        _ => Judged::Nothing,
    }
}
