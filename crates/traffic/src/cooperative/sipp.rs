//! Safe interval path planning (SIPP, Phillips and Likhachev, ICRA 2011). It searches for the moves of an agent
//! within a horizon among the reservations of all others.
//!
//! A node is a pose and an interval of ticks in which no other agent has reserved its footprint, reached as early as
//! possible. The search looks ahead to a horizon (windowed, as in Silver 2005); what remains after it is worth the
//! cost-to-go. A plan ends in a pose where the agent can rest forever, so that reservations keep agents apart
//! whatever is planned later.

use super::corridor_control::CorridorControl;
use super::corridor_map::NO_CORRIDOR;
use super::plan::{MOVES_MAX, Plan, PlannedMove};
use super::reservations::{FOREVER, Precedence, Reservations};
use super::windowed_cost_to_go::UNKNOWN;
use crate::collision::{CollisionRule, Transition};
use crate::cooperative::corridors_ahead::CorridorAhead;
use crate::cooperative::no_stopping::StoppingAgent;
use crate::cooperative::plan_head::PlanHead;
use crate::cooperative::soft_reservations::SoftReservations;
use crate::cooperative::turnaround::{Rest, TurnaroundFootprints};
use crate::forbidden::{ForbiddenArea, forbids};
use crate::motion::AgentSlot;
use crate::priority::PriorityKey;
use crate::speed::ticks_at_speed;
use crate::teams::Team;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};

/// Slots of the hash table of nodes: a power of two, more than twice as many as nodes.
const SLOTS: usize = 1 << 13;
/// Nodes of one search at most.
pub(crate) const NODES_MAX: usize = SLOTS / 4;

/// Cost of the best plan of an agent that finds none.
pub(crate) const NO_PLAN_COST: u32 = u32::MAX;

/// Index of the node before the first.
const NO_NODE: u32 = u32::MAX;

/// An agent that plans, and all that restricts its moves.
#[derive(Clone, Copy)]
pub(crate) struct SippContext<'a> {
    pub(crate) agent: AgentSlot,
    pub(crate) tables: &'a MovementTables,
    pub(crate) reservations: &'a Reservations,
    pub(crate) forbidden: &'a [ForbiddenArea],
    pub(crate) soft_reservations: &'a SoftReservations,
    pub(crate) corridor_control: &'a CorridorControl,
    pub(crate) turnaround: &'a TurnaroundFootprints,
    /// Of all agents, by slot.
    pub(crate) heads: &'a [PlanHead],
    /// Number of its class.
    pub(crate) class: usize,
    /// Corridors on its path.
    pub(crate) ahead: &'a [CorridorAhead],
    /// Corridors that it is in or admitted to.
    pub(crate) corridors: &'a [u32],
    /// Whose reservations count.
    pub(crate) precedence: Precedence<'a>,
    /// Its relation to no-stopping ground, from the end of its move on.
    pub(crate) stopping_agent: StoppingAgent,
    /// Its team, and its friends, a bit each.
    pub(crate) team: Team,
    pub(crate) friends: u32,
    /// Its speed factor in thousandths.
    pub(crate) speed_factor: u16,
    pub(crate) tick: u32,
}

impl<'a> SippContext<'a> {
    /// The earliest tick, from `ready` on, at which a move of `ticks` can begin, if the agent can wait for it until
    /// `leave_by`. `None` if it would have to wait beyond `latest`.
    pub(crate) fn earliest_start(
        &self,
        step: &Transition<'a>,
        ticks: u32,
        ready: u32,
        (leave_by, latest): (u32, u32),
    ) -> Option<u32> {
        let mut start = ready;
        let latest = latest.min(leave_by);
        loop {
            let end = start.checked_add(ticks).filter(|&end| end < FOREVER)?;
            if self.reservations.rule() == CollisionRule::Discrete && end > leave_by {
                return None;
            }
            match self.reservations.look_again_at(self.agent, step, (start, end, latest), self.precedence) {
                None => return Some(start),
                Some(later) if later > latest || later == FOREVER => return None,
                Some(later) => start = later,
            }
        }
    }

    /// Whether a move of `ticks` can begin at a tick, if the agent rests in its start pose until then.
    pub(crate) fn can_begin(&self, step: &Transition<'a>, ticks: u32, start: u32) -> bool {
        // Under the discrete rule it holds its start footprint until the move ends.
        let leave_by = match self.reservations.rule() {
            CollisionRule::Swept => start,
            CollisionRule::Discrete => self.free_until(step.pose, start),
        };
        self.earliest_start(step, ticks, start, (leave_by, start)) == Some(start)
    }

    /// The first tick after `at` at which another agent has reserved the footprint of a pose.
    pub(crate) fn free_until(&self, pose: Pose, at: u32) -> u32 {
        self.reservations.free_until(
            self.agent,
            (pose.cell, self.tables.class().cells_at(pose)),
            at,
            self.precedence,
        )
    }

    /// Whether a plan may end in a pose. It may not end on no-stopping ground, except in the last pose of the agent's
    /// path. It may not end where the agent or another could not turn.
    pub(crate) fn may_end(&self, pose: Pose, state: State, crossing: Crossing) -> bool {
        let body = (pose.cell, self.tables.class().cells_at(pose));
        (crossing.goal == Some(state) || !self.corridor_control.no_stopping.covers(body, self.stopping_agent))
            && (!self.turnaround.are_used() || self.may_turn(state, crossing))
    }

    /// Whether it may rest in a state as far as turnaround footprints are concerned.
    fn may_turn(&self, state: State, crossing: Crossing) -> bool {
        let head = |slot: AgentSlot| &self.heads[slot.index()];
        let rest = match crossing {
            Crossing { may_lock: true, .. } => Rest::Locked,
            // A retreat is no goal.
            Crossing { goal, .. } if goal == Some(state) && head(self.agent).retreat_left == 0 => {
                Rest::PathEnd
            }
            Crossing { .. } => Rest::OnTheWay,
        };
        let body = (self.agent, self.class, self.tables);
        let reserved = (self.reservations, self.precedence);
        self.turnaround.may_rest(body, state, rest, reserved, |other| head(other).path_left == 0)
    }

    /// Whether a waiting edit, a soft reservation or a corridor keeps the agent from a move.
    pub(crate) fn is_forbidden(&self, step: &Transition<'a>, key: PriorityKey) -> bool {
        let ((anchor, held), (_, swept)) = (step.start(), step.swept());
        (!self.forbidden.is_empty() && forbids(self.forbidden, anchor, held, swept))
            || (self.soft_reservations.until > self.tick && self.enters_soft_reservation(step, key))
            || self.enters_closed(step)
            || self.enters_busy(step)
    }

    /// Whether a move enters a busy corridor that is not on the agent's path, as that of an agent that yields.
    fn enters_busy(&self, step: &Transition<'a>) -> bool {
        self.corridor_control.enters_busy(step, self.team).is_some_and(|corridor| {
            !self.corridors.contains(&corridor) && self.ahead.iter().all(|ahead| ahead.corridor != corridor)
        })
    }

    /// Whether a move enters a corridor that the agent is not admitted to, or the ground before an entrance that it
    /// keeps clear.
    pub(crate) fn enters_closed(&self, step: &Transition<'a>) -> bool {
        // Most agents have no such corridor ahead, and need not ask where corridors are.
        if self.ahead.iter().all(|ahead| ahead.refusal.is_none()) {
            return false;
        }
        let (anchor, cells) = step.end();
        let is_before = |ahead: &CorridorAhead, (anchor, cells): (CellXY, &[Offset])| {
            let mut cells = cells.iter();
            cells.any(|to| ahead.entrance.has_before(to.cell_from(anchor)))
        };
        let mut kept_off = self.ahead.iter().filter(|ahead| ahead.keeps_off);
        if kept_off.any(|ahead| is_before(ahead, step.end()) && !is_before(ahead, step.start())) {
            return true;
        }
        cells.iter().any(|&offset| {
            let corridor = self.corridor_control.map.at(self.reservations.index(anchor, offset));
            corridor != NO_CORRIDOR
                && self.ahead.iter().any(|ahead| ahead.corridor == corridor && ahead.refusal.is_some())
        })
    }

    /// Whether a move enters a cell with a soft reservation of a friend of higher priority. From such a cell the
    /// agent may go on, for that clears it.
    pub(crate) fn enters_soft_reservation(&self, step: &Transition<'a>, key: PriorityKey) -> bool {
        let is_reserved = |(anchor, cells): (CellXY, &[Offset])| {
            let mut cells = cells.iter().map(|&offset| self.reservations.index(anchor, offset));
            cells.any(|cell| self.soft_reservations.is_reserved(cell, self.tick, (key, self.friends)))
        };
        is_reserved(step.swept()) && !is_reserved(step.start())
    }
}

/// A pose in one of its free intervals.
#[derive(Clone, Copy, Debug)]
struct Node {
    pose: Pose,
    state: State,
    arrival: u32,
    /// End of the interval.
    free_until: u32,
    cost_to_go: u32,
    /// Ticks that its moves count as longer because others must yield.
    penalty: u32,
    /// Index of the node before; [`NO_NODE`] of the first.
    before: u32,
    planned: PlannedMove,
    depth: u8,
}

impl Node {
    /// Its arrival and penalty.
    fn cost_so_far(&self) -> u32 {
        self.arrival.saturating_add(self.penalty)
    }

    /// Lower bound on the cost of plans through it.
    fn cost(&self) -> u32 {
        self.arrival.saturating_add(self.cost_to_go).saturating_add(self.penalty)
    }
}

/// A slot of the hash table of nodes: the pose and interval of a node, and its cost so far.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Search that has filled it.
    stamp: u32,
    state: u32,
    free_until: u32,
    cost: u32,
}

/// The search, with its scratch memory of about 150 kB.
#[derive(Clone, Debug, Default)]
pub(crate) struct SippSearch {
    nodes: Vec<Node>,
    open: BinaryHeap<Reverse<(u32, u32, u32)>>,
    seen: Vec<Slot>,
    stamp: u32,
    /// Nodes expanded by the last search.
    pub(crate) spent: u64,
}

/// What an agent has to know that has ground before it, or under its body, where it must not stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    /// The end of its path, if a plan can lead there: even on no-stopping ground it may rest there.
    pub(crate) goal: Option<State>,
    /// It may stop where it cannot turn: a plan leads to no place with room to turn.
    pub(crate) may_lock: bool,
}

impl Crossing {
    /// What an agent has to know whose plan ends anywhere within the usual horizon.
    pub(crate) const NONE: Self = Self { goal: None, may_lock: false };
}

/// What an agent searches for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SippQuery {
    /// State in which the agent rests before, and the tick from which on it may move.
    pub(crate) from: (State, u32),
    /// Where it may end, and where it may not.
    pub(crate) crossing: Crossing,
    /// Tick up to which it looks ahead.
    pub(crate) horizon: u32,
    /// The same from no-stopping ground on, where it may not end.
    pub(crate) crossing_horizon: u32,
    /// Moves of the plan at most, up to [`MOVES_MAX`].
    pub(crate) moves_max: usize,
    /// Nodes that may be expanded.
    pub(crate) nodes_max: usize,
    /// Free intervals of one pose that a move into it is tried for, at most.
    pub(crate) intervals_max: u32,
    /// Priority key of the agent.
    pub(crate) key: PriorityKey,
    /// Teams whose agents may yield to it, a bit each.
    pub(crate) teams: u32,
    /// Ticks that a move counts as longer for which others must yield.
    pub(crate) yield_ticks: u32,
}

impl SippSearch {
    /// The plan that brings the agent farthest, and its cost: arrival, or the horizon if that is later, plus
    /// cost-to-go. A plan without moves if it is best to rest; `None` if the agent cannot rest anywhere. `cost_to_go`
    /// gets a pose and a limit; above the limit any cost will do.
    pub(crate) fn search(
        &mut self,
        context: &SippContext<'_>,
        query: SippQuery,
        mut cost_to_go: impl FnMut(Pose, u32) -> u32,
    ) -> Option<(Plan, u32)> {
        self.begin();
        let space = context.tables.space();
        let (state, ready) = query.from;
        let pose = space.pose(state);
        let root = Node {
            pose,
            state,
            arrival: ready,
            free_until: context.free_until(pose, ready),
            cost_to_go: cost_to_go(pose, UNKNOWN),
            penalty: 0,
            before: NO_NODE,
            planned: PlannedMove::default(),
            depth: 0,
        };
        self.push(root);
        // Among nodes where the agent can rest forever and may end.
        let mut best: Option<((u32, u32), u32)> = None;
        while let Some(Reverse((_, _, at))) = self.open.pop() {
            let node = self.nodes[at as usize];
            let may_end = context.may_end(node.pose, node.state, query.crossing);
            // Where it is it may stay.
            if node.free_until == FOREVER && (may_end || at == 0) {
                let cost = node.arrival.max(query.horizon).saturating_add(node.cost_to_go);
                // It leaves no-stopping ground if it can, whatever that costs.
                let cost = if may_end { cost } else { NO_PLAN_COST };
                let key = (cost.saturating_add(node.penalty), node.arrival);
                if best.is_none_or(|(found, _)| key < found) {
                    best = Some((key, at));
                }
                if may_end && (node.arrival >= query.horizon || node.cost_to_go == 0) {
                    break;
                }
            }
            let bound = best.map_or(NO_PLAN_COST, |((cost, _), _)| cost);
            if node.cost() > bound || self.spent >= query.nodes_max as u64 {
                break;
            }
            let horizon = if may_end { query.horizon } else { query.crossing_horizon };
            if usize::from(node.depth) < query.moves_max && node.arrival < horizon {
                self.spent += 1;
                self.expand(context, (at, bound), query, &mut cost_to_go);
            }
        }
        best.map(|((cost, _), at)| (self.plan_to(at, query.from), cost))
    }

    /// Whether the last search ran out of nodes.
    #[cfg(test)]
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= NODES_MAX
    }

    fn begin(&mut self) {
        self.nodes.clear();
        self.nodes.reserve(NODES_MAX);
        self.open.clear();
        self.open.reserve(NODES_MAX);
        self.seen.resize(SLOTS, Slot::default());
        self.spent = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.seen.fill(Slot::default());
            self.stamp = 1;
        }
    }

    /// Expands a node. Nodes of a higher cost than `bound` are not worth having.
    fn expand(
        &mut self,
        context: &SippContext<'_>,
        (at, bound): (u32, u32),
        query: SippQuery,
        cost_to_go: &mut impl FnMut(Pose, u32) -> u32,
    ) {
        let node = self.nodes[at as usize];
        let space = context.tables.space();
        context.tables.for_each_successor(node.state, |next| {
            let ticks = ticks_at_speed(next.ticks, context.speed_factor);
            let mut ready = node.arrival;
            // Most moves lead to poses that are reached no later, before anything else is read. A node of the last
            // interval at no higher cost is enough: whatever arrives later is in that interval, too.
            if self.is_known(next.state, FOREVER, ready.saturating_add(ticks)) {
                return;
            }
            let pose = space.pose(next.state);
            let primitive = usize::from(next.primitive);
            let step = Transition { class: context.tables.class(), pose: node.pose, primitive };
            let spent = ready.saturating_add(node.penalty).saturating_add(ticks);
            let limit = if bound == NO_PLAN_COST { UNKNOWN } else { bound.saturating_sub(spent) };
            let cost_to_go = cost_to_go(pose, limit);
            let cost_left = cost_to_go.saturating_add(node.penalty).saturating_add(ticks);
            // Most moves cost too much, before any reservation is read.
            let is_hopeless = |start: u32| start.saturating_add(cost_left) > bound;
            if cost_to_go == UNKNOWN || is_hopeless(ready) {
                return;
            }
            let latest = if bound == NO_PLAN_COST { FOREVER } else { bound - cost_left };
            let mut is_allowed = false;
            for _ in 0..query.intervals_max {
                let ends = (node.free_until, latest);
                let Some(start) = context.earliest_start(&step, ticks, ready, ends) else { return };
                if is_hopeless(start) {
                    return;
                }
                let arrival = start + ticks;
                let free_until = context.free_until(pose, arrival);
                let mut after = Node {
                    pose,
                    state: next.state,
                    arrival,
                    free_until,
                    cost_to_go,
                    penalty: node.penalty,
                    before: at,
                    planned: PlannedMove { start, ticks, primitive: next.primitive },
                    depth: node.depth + 1,
                };
                // Most nodes are known, before it is asked what forbids the move and who yields to it.
                if !self.is_known(after.state, free_until, after.cost_so_far()) {
                    if !is_allowed && context.is_forbidden(&step, query.key) {
                        return;
                    }
                    is_allowed = true;
                    let interval = (start, arrival);
                    if context.reservations.needs_yielding(context.agent, &step, interval, context.precedence)
                    {
                        after.penalty += query.yield_ticks;
                    }
                    self.push(after);
                }
                if free_until == FOREVER {
                    return;
                }
                // The next interval begins after the reservation that ends this one.
                ready = free_until.saturating_sub(ticks).max(start) + 1;
            }
        });
    }

    /// Number of the slot of a pose and interval, or of the empty slot for it.
    fn slot_of(&self, state: State, free_until: u32) -> usize {
        let key = state.0.wrapping_mul(0x9e37_79b1) ^ free_until.wrapping_mul(0x85eb_ca6b);
        let mut at = (key >> 7) as usize % SLOTS;
        loop {
            let slot = &self.seen[at];
            let is_other = (slot.state, slot.free_until) != (state.0, free_until);
            if slot.stamp != self.stamp || !is_other {
                return at;
            }
            at = (at + 1) % SLOTS;
        }
    }

    /// Whether there is a node of a pose and interval at no higher cost.
    fn is_known(&self, state: State, free_until: u32, cost: u32) -> bool {
        let slot = &self.seen[self.slot_of(state, free_until)];
        slot.stamp == self.stamp && slot.cost <= cost
    }

    /// Adds a node unless it is known.
    fn push(&mut self, node: Node) {
        let (state, free_until, cost) = (node.state, node.free_until, node.cost_so_far());
        if self.nodes.len() >= NODES_MAX || self.is_known(state, free_until, cost) {
            return;
        }
        let at = self.slot_of(state, free_until);
        self.seen[at] = Slot { stamp: self.stamp, state: state.0, free_until, cost };
        let number = self.nodes.len() as u32;
        self.open.push(Reverse((node.cost(), node.cost_to_go, number)));
        self.nodes.push(node);
    }

    /// The moves to a node.
    fn plan_to(&self, at: u32, (state, ready): (State, u32)) -> Plan {
        let mut chain = [0_u32; MOVES_MAX];
        let (mut at, mut n) = (at, 0);
        while self.nodes[at as usize].before != NO_NODE {
            chain[n] = at;
            n += 1;
            at = self.nodes[at as usize].before;
        }
        let mut plan = Plan::rest(state, ready);
        for &at in chain[..n].iter().rev() {
            let node = &self.nodes[at as usize];
            plan.push(node.planned, node.state);
        }
        plan
    }
}
