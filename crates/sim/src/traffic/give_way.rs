//! The simple rule: wait; after a while look for a way around those that rest; after longer make those
//! of lower rank step aside.
//!
//! Rank is priority plus the age of the order, then the lower id, so that the order of two agents does
//! not change while both are under way (as in PIBT, Okumura et al. 2019), and age wins in the end.

use super::{Decisions, Start, Traffic, TrafficView, Yield};
use crate::agents::{Activity, AgentId, Motion};
use crate::reservation::Step;
use std::cmp::Reverse;
use wheelbase_grid::CellXY;
use wheelbase_planner::{Offset, State};

/// Moves ahead of an agent that one stepping aside keeps clear of.
const AHEAD_MOVES: usize = 32;
/// Poses tried for one agent that is to step aside.
const ASIDE_TRIES: usize = 600;
/// Agents in one chain of displacement at most.
const CHAIN_MAX: usize = 24;
/// An agent asks for a way around after so many times the length of its next move.
const AROUND_AFTER_MOVES: u32 = 2;
/// It makes others step aside after so many.
const PUSH_AFTER_MOVES: u32 = 4;

/// After so many it makes any others step aside, whatever their rank: whoever has room must make it, or
/// those packed around a goal keep the one on it from leaving.
const PUSH_ANY_AFTER_MOVES: u32 = 10;

/// Wait, go around, give way. Scratch memory: 4 bytes a cell twice, 4 bytes a state.
#[derive(Debug, Default)]
pub struct GiveWay {
    /// Rows that would start a move, first first.
    order: Vec<(Reverse<i64>, AgentId, u32)>,
    /// Cells that a blocked agent of higher rank claims at this tick, by stamp.
    claimed: Vec<u32>,
    /// Cells that one stepping aside must keep clear of, by stamp.
    avoid: Vec<u32>,
    /// States seen while looking for room, by stamp.
    seen: Vec<u32>,
    /// Poses reached while looking for room: state, index of the one before, primitive.
    reached: Vec<(State, u32, u8)>,
    /// By row: it starts a move or makes way at this tick, so nobody may displace it.
    settled: Vec<bool>,
    /// The one that is to pass, then those displaced for it.
    chain: Vec<u32>,
    claim_stamp: u32,
    stamp: u32,
    seen_stamp: u32,
}

impl Traffic for GiveWay {
    fn decide(&mut self, view: &mut TrafficView<'_>, decisions: &mut Decisions) {
        self.begin_tick(view);
        let order = std::mem::take(&mut self.order);
        for &(_, _, row) in &order {
            if !self.settled[row as usize] {
                self.decide_one(view, row as usize, decisions);
            }
        }
        self.order = order;
    }
}

impl GiveWay {
    fn begin_tick(&mut self, view: &TrafficView<'_>) {
        let n_cells = view.grid_size.n_cells();
        let n_states = view.classes.iter().map(|class| class.tables.space().n_states()).max().unwrap_or(0);
        self.claimed.resize(n_cells, 0);
        self.avoid.resize(n_cells, 0);
        self.seen.resize(n_states, 0);
        self.claim_stamp = next_stamp(self.claim_stamp, &mut self.claimed);
        self.settled.clear();
        self.settled.resize(view.agents.len(), false);
        self.order.clear();
        for (row, motion) in view.agents.motion.iter().enumerate() {
            let goes = matches!(motion.activity, Activity::Following | Activity::Yielding)
                && !motion.replan
                && !view.agents.paths[row].is_empty();
            if goes && motion.at_rest() {
                self.order.push((Reverse(rank(view, row)), view.agents.ids[row], row as u32));
            }
        }
        self.order.sort_unstable();
    }

    fn decide_one(&mut self, view: &mut TrafficView<'_>, row: usize, decisions: &mut Decisions) {
        let motion = view.agents.motion[row];
        let agent = view.agents.ids[row];
        let tables = &view.classes[motion.class.0 as usize].tables;
        let primitive = view.paths.moves(view.agents.paths[row])[0] as usize;
        let Some(ticks) = tables.move_ticks(motion.state, primitive) else {
            decisions.replan.push(row as u32);
            return;
        };
        let pose = tables.space().pose(motion.state);
        let step = Step { class: tables.class(), pose, primitive };
        let (swept, footprint) = (step.swept().1, step.start().1);
        if view.pending.forbid(pose.cell, footprint, swept) {
            return;
        }
        let until = view.tick.saturating_add(ticks);
        let blocker = view.reservation.blocker_of_move(agent, &step, until);
        let (needed_anchor, needed) = view.reservation.needed(&step);
        // One that stands on a claimed cell may always go: it clears the way.
        let claimed =
            self.is_claimed(view, needed_anchor, needed) && !self.is_claimed(view, pose.cell, footprint);
        if blocker.is_none() && !claimed {
            view.reservation.begin_move(agent, &step, until);
            decisions.starts.push(Start { row: row as u32, primitive: primitive as u8, ticks });
            self.settled[row] = true;
            return;
        }
        let waits_since = view.agents.patience[row].waits_since;
        let waited = if waits_since == u32::MAX { 0 } else { view.tick - waits_since };
        if waited >= ticks.saturating_mul(PUSH_AFTER_MOVES) {
            self.claim(view, needed_anchor, needed);
        }
        let gives_up = motion.activity == Activity::Yielding;
        if gives_up && waited >= ticks.saturating_mul(PUSH_AFTER_MOVES) {
            // The room it was sent to is taken; it goes its own way again.
            decisions.give_up.push(row as u32);
            return;
        }
        let Some(other) = blocker.and_then(|other| view.agents.row(other)) else { return };
        self.deal_with(view, row, other, waited, ticks, decisions);
    }

    /// An agent is blocked by another: has it step aside, or asks for a way around, in due time.
    fn deal_with(
        &mut self,
        view: &mut TrafficView<'_>,
        row: usize,
        other: usize,
        waited: u32,
        ticks: u32,
        decisions: &mut Decisions,
    ) {
        let theirs = view.agents.motion[other];
        if !theirs.at_rest() || self.settled[other] {
            return;
        }
        let idle = matches!(theirs.activity, Activity::Idle | Activity::Arrived | Activity::Shut);
        let push_after = if idle { ticks } else { ticks.saturating_mul(PUSH_AFTER_MOVES) };
        let stands_aside = theirs.activity == Activity::Yielding && !view.agents.paths[other].is_empty();
        let may_push =
            idle || outranks(view, row, other) || waited >= ticks.saturating_mul(PUSH_ANY_AFTER_MOVES);
        let pushes = waited >= push_after && may_push && !stands_aside;
        // One that has arrived goes on by itself at the next tick, but for one that stands on the station
        // of a patrol: it may have no other.
        let goes_on = theirs.activity == Activity::Arrived && view.agents.orders[other].station == 0;
        if pushes && !goes_on && self.make_way(view, row, other, decisions) {
            return;
        }
        let asks = view.agents.motion[row].activity == Activity::Following
            && waited >= ticks.saturating_mul(AROUND_AFTER_MOVES)
            && view.tick >= view.agents.patience[row].ask_again_at;
        if asks {
            decisions.around.push(row as u32);
        }
    }

    fn is_claimed(&self, view: &TrafficView<'_>, anchor: CellXY, cells: &[Offset]) -> bool {
        cells.iter().any(|&offset| self.claimed[index(view, anchor, offset)] == self.claim_stamp)
    }

    /// Nobody of lower rank may enter these cells at this tick.
    fn claim(&mut self, view: &TrafficView<'_>, anchor: CellXY, cells: &[Offset]) {
        for &offset in cells {
            self.claimed[index(view, anchor, offset)] = self.claim_stamp;
        }
    }

    /// Has `other` step aside for `row`, and whoever stands in its way there before it; says whether it
    /// found room.
    fn make_way(
        &mut self,
        view: &mut TrafficView<'_>,
        row: usize,
        other: usize,
        decisions: &mut Decisions,
    ) -> bool {
        self.stamp = next_stamp(self.stamp, &mut self.avoid);
        self.mark_ahead(view, row);
        self.chain.clear();
        self.chain.extend([row as u32, other as u32]);
        let (yields, moves) = (decisions.yields.len(), decisions.yield_moves.len());
        let mut at = 1;
        // Each one that is displaced may displace others, which are put behind it in the chain.
        while at < self.chain.len() {
            let room =
                self.chain.len() <= CHAIN_MAX && self.step_aside(view, self.chain[at] as usize, decisions);
            if !room {
                decisions.yields.truncate(yields);
                decisions.yield_moves.truncate(moves);
                return false;
            }
            at += 1;
        }
        for &row in &self.chain[1..] {
            self.settled[row as usize] = true;
        }
        true
    }

    /// Sends an agent to the nearest pose that is clear of the cells to avoid: through free cells, or if
    /// there is none, through others at rest, which join the chain.
    fn step_aside(&mut self, view: &mut TrafficView<'_>, other: usize, decisions: &mut Decisions) -> bool {
        let found = self.find_room(view, other, false).or_else(|| self.find_room(view, other, true));
        let Some(at) = found else { return false };
        let first = decisions.yield_moves.len();
        let mut at = at;
        while self.reached[at].1 != u32::MAX {
            decisions.yield_moves.push(self.reached[at].2);
            at = self.reached[at].1 as usize;
        }
        decisions.yield_moves[first..].reverse();
        let moves = &decisions.yield_moves[first..];
        decisions.yields.push(Yield { row: other as u32, first: first as u32, count: moves.len() as u32 });
        // Those it displaces keep clear of its way.
        let Motion { mut state, class, .. } = view.agents.motion[other];
        let tables = &view.classes[class.0 as usize].tables;
        for &primitive in moves {
            let pose = tables.space().pose(state);
            let step = Step { class: tables.class(), pose, primitive: primitive as usize };
            let (anchor, needed) = view.reservation.needed(&step);
            for &offset in needed {
                self.avoid[index(view, anchor, offset)] = self.stamp;
                let cell = CellXY::new(anchor.x + offset.dx, anchor.y + offset.dy);
                if let Some(row) = view.reservation.holder_at(cell).and_then(|agent| view.agents.row(agent))
                    && !self.chain.contains(&(row as u32))
                {
                    self.chain.push(row as u32);
                }
            }
            state = tables.state_after(state, primitive as usize);
        }
        true
    }

    /// Looks breadth-first for the nearest pose clear of the cells to avoid; gives its place in
    /// `reached`. Cells held by others are closed to it, or, if it may go through, only those held by
    /// agents that move, make way already or stand in the chain.
    fn find_room(&mut self, view: &mut TrafficView<'_>, other: usize, through: bool) -> Option<usize> {
        self.seen_stamp = next_stamp(self.seen_stamp, &mut self.seen);
        let Self { reached, seen, avoid, chain, settled, stamp, seen_stamp, .. } = self;
        let motion = view.agents.motion[other];
        let agent = view.agents.ids[other];
        let tables = &view.classes[motion.class.0 as usize].tables;
        reached.clear();
        reached.push((motion.state, u32::MAX, 0));
        seen[motion.state.0 as usize] = *seen_stamp;
        let may_displace = |holder: AgentId| {
            holder == agent
                || view.agents.row(holder).is_some_and(|row| {
                    let motion = &view.agents.motion[row];
                    through && motion.at_rest() && !settled[row] && !chain.contains(&(row as u32))
                })
        };
        let mut at = 0;
        while at < reached.len() && at < ASIDE_TRIES && view.tries > 0 {
            view.tries -= 1;
            let state = reached[at].0;
            let pose = tables.space().pose(state);
            let held = tables.class().cells_at(pose);
            if at > 0 && held.iter().all(|&o| avoid[index(view, pose.cell, o)] != *stamp) {
                return Some(at);
            }
            tables.for_each_successor(state, |next| {
                let step = Step { class: tables.class(), pose, primitive: next.primitive as usize };
                let fresh = seen[next.state.0 as usize] != *seen_stamp;
                let (anchor, needed) = view.reservation.needed(&step);
                let mut cells = needed.iter().map(|o| CellXY::new(anchor.x + o.dx, anchor.y + o.dy));
                let open = |cell| {
                    view.reservation.holder_at(cell).is_none_or(may_displace)
                        && view.reservation.claimant_at(cell).is_none()
                };
                if fresh && cells.all(open) && !view.pending.forbid(pose.cell, held, step.swept().1) {
                    seen[next.state.0 as usize] = *seen_stamp;
                    reached.push((next.state, at as u32, next.primitive));
                }
            });
            at += 1;
        }
        None
    }

    /// Marks the cells that an agent sweeps in its next moves.
    fn mark_ahead(&mut self, view: &TrafficView<'_>, row: usize) {
        let Motion { mut state, class, .. } = view.agents.motion[row];
        let tables = &view.classes[class.0 as usize].tables;
        for &primitive in view.paths.moves(view.agents.paths[row]).iter().take(AHEAD_MOVES) {
            if tables.move_ticks(state, primitive as usize).is_none() {
                break;
            }
            let pose = tables.space().pose(state);
            let step = Step { class: tables.class(), pose, primitive: primitive as usize };
            let (anchor, needed) = view.reservation.needed(&step);
            for &offset in needed {
                self.avoid[index(view, anchor, offset)] = self.stamp;
            }
            state = tables.state_after(state, primitive as usize);
        }
    }
}

/// Priority plus the ticks since the order was begun.
fn rank(view: &TrafficView<'_>, row: usize) -> i64 {
    let age = view.tick - view.agents.orders[row].since;
    i64::from(view.agents.patience[row].priority) + i64::from(age)
}

fn outranks(view: &TrafficView<'_>, row: usize, other: usize) -> bool {
    let key = |row: usize| (Reverse(rank(view, row)), view.agents.ids[row]);
    key(row) < key(other)
}

fn index(view: &TrafficView<'_>, anchor: CellXY, offset: Offset) -> usize {
    let (x, y) = (anchor.x + offset.dx, anchor.y + offset.dy);
    y as usize * view.grid_size.width() as usize + x as usize
}

/// The next stamp; after 2^32 - 1 of them the marks are wiped and the count begins anew.
fn next_stamp(stamp: u32, marks: &mut [u32]) -> u32 {
    if stamp == u32::MAX {
        marks.fill(0);
        return 1;
    }
    stamp + 1
}
