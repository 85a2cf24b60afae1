//! Search for the moves of the next ticks, in and out between the claims of all others.
//!
//! Safe interval path planning (Phillips and Likhachev, ICRA 2011): a node is a pose and an interval of ticks
//! in which nobody else claims its footprint, reached as early as possible. It looks as far ahead as a
//! horizon (windowed, as in Silver 2005), and what lies behind is worth what the cost-to-go says. It ends on
//! a pose where the agent can rest for ever, so that its claims keep all agents apart whatever they do next.

use super::corridor_control::CorridorControl;
use super::corridor_map::OPEN;
use super::plan::{MOVES_MAX, Plan, PlannedMove};
use super::reservations::{FOREVER, Precedence, Reservations};
use crate::collision::{CollisionRule, Transition};
use crate::cooperative::corridors_ahead::Ahead;
use crate::forbidden::forbids;
use crate::hash::fold;
use crate::priority::PriorityKey;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};

/// Intervals of one pose that a move from another one leads to, at most.
pub const INTERVALS_MAX: usize = 3;
/// Places of the table of nodes seen; a power of two, more than twice as many as nodes.
pub const SEEN: usize = 1 << 13;
/// Nodes of one search at most.
pub const NODES_MAX: usize = SEEN / 4;

/// An agent that wants to move among the others.
#[derive(Clone, Copy)]
pub struct SippContext<'a> {
    pub agent: u32,
    pub tables: &'a MovementTables,
    pub reservations: &'a Reservations,
    pub forbidden: &'a [Rect],
    pub priority_claims: &'a PriorityClaims,
    pub corridor_control: &'a CorridorControl,
    /// Passages ahead of it, and those that it is in or has the right to enter.
    pub ahead: &'a [Ahead],
    pub corridors: &'a [u32],
    /// Whose claims hold.
    pub precedence: Precedence<'a>,
    pub tick: u32,
}

/// Cells that agents of higher rank that wait will need next: nobody of lower rank may take them.
#[derive(Debug, Default)]
pub struct PriorityClaims {
    /// By cell: tick before which the wish holds, and the place in the order of who made it.
    pub of_cell: Vec<(u32, PriorityKey)>,
    /// No wish holds from this tick on.
    pub until: u32,
    /// Hash of all that was ever wished for, in order.
    pub claimed_so_far: u64,
}

impl PriorityClaims {
    pub fn resize(&mut self, n_cells: usize) {
        self.of_cell.resize(n_cells, (0, PriorityKey::FIRST));
    }

    /// Wishes for a cell until a tick.
    pub fn claim_cell(&mut self, cell: usize, until: u32, key: PriorityKey) {
        let claimed = (cell as u64) << 32 ^ u64::from(until) ^ key.word();
        self.claimed_so_far = fold(self.claimed_so_far, claimed);
        let (holds, of) = &mut self.of_cell[cell];
        if *holds < until || key < *of {
            (*holds, *of) = (until, key);
        }
        self.until = self.until.max(until);
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.claimed_so_far);
    }

    pub fn is_claimed(&self, cell: usize, tick: u32, key: PriorityKey) -> bool {
        let (until, of) = self.of_cell[cell];
        until > tick && of < key
    }
}

impl<'a> SippContext<'a> {
    /// The earliest tick, not before `ready`, at which a move of so many ticks can begin; the agent can wait
    /// for it until `leave_by`.
    pub fn earliest_start(
        &self,
        step: &Transition<'a>,
        ticks: u32,
        ready: u32,
        leave_by: u32,
    ) -> Option<u32> {
        let mut start = ready;
        loop {
            let end = start.checked_add(ticks).filter(|&end| end < FOREVER)?;
            if self.reservations.rule() == CollisionRule::Discrete && end > leave_by {
                return None;
            }
            match self.reservations.look_again_at(self.agent, step, (start, end), self.precedence) {
                None => return Some(start),
                Some(FOREVER) => return None,
                Some(later) => start = later,
            }
            if start > leave_by {
                return None;
            }
        }
    }

    /// Whether a move of so many ticks can begin at a tick, by one that rests where it begins until then.
    pub fn can_begin(&self, step: &Transition<'a>, ticks: u32, start: u32) -> bool {
        // Under the discrete rule it holds its start until the move ends.
        let leave_by = match self.reservations.rule() {
            CollisionRule::Swept => start,
            CollisionRule::Discrete => self.free_until(step.pose, start),
        };
        self.earliest_start(step, ticks, start, leave_by) == Some(start)
    }

    /// The first tick after `at` at which another agent claims the footprint of a pose.
    pub fn free_until(&self, pose: Pose, at: u32) -> u32 {
        self.reservations.free_until(
            self.agent,
            (pose.cell, self.tables.class().cells_at(pose)),
            at,
            self.precedence,
        )
    }

    /// Whether an edit that waits or one of higher rank keeps the agent from a move.
    pub fn is_forbidden(&self, step: &Transition<'a>, key: PriorityKey) -> bool {
        let ((anchor, held), (_, swept)) = (step.start(), step.swept());
        (!self.forbidden.is_empty() && forbids(self.forbidden, anchor, held, swept))
            || (self.priority_claims.until > self.tick && self.enters_claim(step, key))
            || self.enters_closed(step)
            || self.enters_busy(step)
    }

    /// Whether a move enters a busy passage that does not lie ahead of the agent, as for one that is to make
    /// room for others.
    pub fn enters_busy(&self, step: &Transition<'a>) -> bool {
        self.corridor_control.enters_busy(step).is_some_and(|corridor| {
            !self.corridors.contains(&corridor) && self.ahead.iter().all(|ahead| ahead.corridor != corridor)
        })
    }

    /// Whether a move enters a passage that the agent is kept from, or comes to the mouth of one off which it
    /// stays.
    pub fn enters_closed(&self, step: &Transition<'a>) -> bool {
        // Most have no such passage ahead of them, and need not look what passages there are.
        if self.ahead.iter().all(|ahead| ahead.holder.is_none()) {
            return false;
        }
        let (anchor, cells) = step.end();
        let is_before = |ahead: &Ahead, (anchor, cells): (CellXY, &[Offset])| {
            let mut cells = cells.iter();
            cells.any(|to| ahead.entrance.has_before(to.cell_from(anchor)))
        };
        let mut off = self.ahead.iter().filter(|ahead| ahead.stays_off);
        if off.any(|ahead| is_before(ahead, step.end()) && !is_before(ahead, step.start())) {
            return true;
        }
        cells.iter().any(|&offset| {
            let corridor = self.corridor_control.map.at(self.reservations.index(anchor, offset));
            corridor != OPEN
                && self.ahead.iter().any(|ahead| ahead.corridor == corridor && ahead.holder.is_some())
        })
    }

    /// Whether a move enters what one of higher rank wishes for. One that stands on it may go on: it clears
    /// it.
    pub fn enters_claim(&self, step: &Transition<'a>, key: PriorityKey) -> bool {
        let claimed = |(anchor, cells): (CellXY, &[Offset])| {
            let mut cells = cells.iter().map(|&offset| self.reservations.index(anchor, offset));
            cells.any(|cell| self.priority_claims.is_claimed(cell, self.tick, key))
        };
        claimed(step.swept()) && !claimed(step.start())
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub pose: Pose,
    pub state: State,
    pub arrival: u32,
    /// When the footprint is claimed by another.
    pub free_until: u32,
    /// Cost-to-go, and what its moves count as longer because others have to give way.
    pub left: u32,
    pub dearer: u32,
    pub before: u32,
    pub planned: PlannedMove,
    pub depth: u8,
}

impl Node {
    /// Cost of the cheapest way through it, as far as is known.
    pub fn cost(&self) -> u32 {
        self.arrival.saturating_add(self.left).saturating_add(self.dearer)
    }
}

/// Scratch memory of the search. About 150 kB.
#[derive(Debug, Default)]
pub struct SippSearch {
    pub nodes: Vec<Node>,
    pub open: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// Pose and interval of the nodes seen, by hash: stamp, state, end of the interval, cost so far.
    pub seen: Vec<(u32, u32, u32, u32)>,
    pub stamp: u32,
    /// Nodes expanded by the last search.
    pub spent: u64,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct SippQuery {
    /// Where the agent rests before, and from which tick on.
    pub from: (State, u32),
    /// It looks ahead to this tick.
    pub horizon: u32,
    /// Nodes to be expanded at most.
    pub nodes_max: usize,
    /// The agent's place in the order of rank.
    pub key: PriorityKey,
    /// By so many ticks a move counts as longer for which others have to give way.
    pub displacement_ticks: u32,
}

impl SippSearch {
    /// The moves that bring the agent farthest, and their cost: least time of arrival, or of the horizon if
    /// that is later, plus cost-to-go. Without moves if it is best to rest; `None` if it cannot rest
    /// anywhere.
    pub fn search(
        &mut self,
        context: &SippContext<'_>,
        query: SippQuery,
        cost_to_go: impl Fn(Pose) -> u32,
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
            left: cost_to_go(pose),
            dearer: 0,
            before: u32::MAX,
            planned: PlannedMove::default(),
            depth: 0,
        };
        self.push(root);
        // Of nodes where it can rest for ever.
        let mut best: Option<((u32, u32), u32)> = None;
        while let Some(Reverse((_, _, at))) = self.open.pop() {
            let node = self.nodes[at as usize];
            if node.free_until == FOREVER {
                let cost = node.arrival.max(query.horizon).saturating_add(node.left);
                let key = (cost.saturating_add(node.dearer), node.arrival);
                if best.is_none_or(|(found, _)| key < found) {
                    best = Some((key, at));
                }
                if node.arrival >= query.horizon || node.left == 0 {
                    break;
                }
            }
            let hopeless = |((found, _), _): ((u32, u32), u32)| node.cost() > found;
            if best.is_some_and(hopeless) || self.spent >= query.nodes_max as u64 {
                break;
            }
            if usize::from(node.depth) < MOVES_MAX && node.arrival < query.horizon {
                self.spent += 1;
                self.expand(context, at, query, &cost_to_go);
            }
        }
        best.map(|((cost, _), at)| (self.plan_to(at, query.from), cost))
    }

    pub fn begin(&mut self) {
        self.nodes.clear();
        self.nodes.reserve(NODES_MAX);
        self.open.clear();
        self.open.reserve(NODES_MAX);
        self.seen.resize(SEEN, (0, 0, 0, 0));
        self.spent = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.seen.fill((0, 0, 0, 0));
            self.stamp = 1;
        }
    }

    pub fn expand(
        &mut self,
        context: &SippContext<'_>,
        at: u32,
        query: SippQuery,
        cost_to_go: &impl Fn(Pose) -> u32,
    ) {
        let node = self.nodes[at as usize];
        let space = context.tables.space();
        context.tables.for_each_successor(node.state, |next| {
            let pose = space.pose(next.state);
            let left = cost_to_go(pose);
            let step = Transition {
                class: context.tables.class(),
                pose: node.pose,
                primitive: usize::from(next.primitive),
            };
            if left == super::local_field::UNKNOWN || context.is_forbidden(&step, query.key) {
                return;
            }
            let mut ready = node.arrival;
            for _ in 0..INTERVALS_MAX {
                let Some(start) = context.earliest_start(&step, next.ticks, ready, node.free_until) else {
                    return;
                };
                let arrival = start + next.ticks;
                let free_until = context.free_until(pose, arrival);
                let yields = context.reservations.lifts_any(
                    context.agent,
                    &step,
                    (start, arrival),
                    context.precedence,
                );
                self.push(Node {
                    pose,
                    state: next.state,
                    arrival,
                    free_until,
                    left,
                    dearer: node.dearer + if yields { query.displacement_ticks } else { 0 },
                    before: at,
                    planned: PlannedMove { start, ticks: next.ticks, primitive: next.primitive },
                    depth: node.depth + 1,
                });
                if free_until == FOREVER {
                    return;
                }
                // The next interval begins behind the claim that ends this one.
                ready = free_until.saturating_sub(next.ticks).max(start) + 1;
            }
        });
    }

    /// Adds a node unless one is there that reaches the same interval of the pose at no higher cost.
    pub fn push(&mut self, node: Node) {
        if self.nodes.len() >= NODES_MAX {
            return;
        }
        let key = node.state.0.wrapping_mul(0x9e37_79b1) ^ node.free_until.wrapping_mul(0x85eb_ca6b);
        let mut at = (key >> 7) as usize % SEEN;
        loop {
            let (stamp, state, free_until, cost) = &mut self.seen[at];
            let own = node.arrival.saturating_add(node.dearer);
            if *stamp != self.stamp {
                self.seen[at] = (self.stamp, node.state.0, node.free_until, own);
                break;
            }
            if *state == node.state.0 && *free_until == node.free_until {
                if *cost <= own {
                    return;
                }
                *cost = own;
                break;
            }
            at = (at + 1) % SEEN;
        }
        let number = self.nodes.len() as u32;
        self.open.push(Reverse((node.cost(), node.left, number)));
        self.nodes.push(node);
    }

    pub fn plan_to(&self, at: u32, (state, ready): (State, u32)) -> Plan {
        let mut chain = [0_u32; MOVES_MAX];
        let (mut at, mut n) = (at, 0);
        while self.nodes[at as usize].before != u32::MAX {
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
