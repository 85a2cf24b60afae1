//! Making way: one that rests in the way of another is sent to room beside it, and whoever stands in its way
//! there before it.
//!
//! Time plays no part here: each one that is displaced gets moves that lead aside, and carries them out as
//! the claims of the others allow. The stretch that is to be cleared is long at first, so that one who meets
//! another in a corridor backs out of it; if there is no room for that, a shorter one may do, as in a full
//! ring where all must move on a little.

use super::reservations::FOREVER;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::retreat::Pushing;
use crate::cooperative::retreat::next_stamp;
use crate::cooperative::steps::{guide_moves, is_idle, make_guide_path, transition_at};
use crate::decisions::{Decisions, Leads, Reroute};
use crate::forbidden::forbids;
use crate::gates::NONE;
use crate::motion::{Activity, AgentId};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;

impl Pushing {
    /// Has `other` step aside for the agent in a row, and whoever stands in its way there before it; says
    /// whether there is room.
    pub fn push_aside(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        other: usize,
        key: PriorityKey,
        decisions: &mut Decisions,
    ) -> bool {
        let view = now.view;
        let id = view.agents.ids[row].0 as usize;
        let (head, cold) = (&now.table.heads[id], now.table.cold[id]);
        if view.tick < cold.push_again_at {
            return false;
        }
        let path = guide_moves(view, row, head);
        // A shorter stretch must be shorter than that of before.
        let lengths = clear_moves(&now.table.params);
        let stretches = lengths.iter().filter(|&&ahead| ahead == lengths[0] || ahead < path.len());
        let mut stretches = stretches.map(|&ahead| &path[..path.len().min(ahead)]);
        // After it has backed out itself, it must not push the other back in.
        let long_only = view.tick < cold.backed_out_until;
        self.doublings = u32::from(cold.push_failures).min(now.table.params.retreat_doublings_max);
        let may_back_out =
            long_only || u32::from(cold.push_failures) >= now.table.params.back_out_after_failures;
        let made = stretches
            .clone()
            .take(if long_only { 1 } else { lengths.len() })
            .any(|clear| self.clear_stretch(now, (row, key), other, (clear, false), decisions));
        let backs_out = !made
            && may_back_out
            && stretches.any(|clear| {
                self.clear_stretch(now, (row, PriorityKey::FIRST), other, (clear, true), decisions)
            });
        let step_ticks = now.table.step_ticks[view.agents.motion[row].class.0 as usize];
        if backs_out {
            now.table.cold[id].backed_out_until =
                view.tick.saturating_add(now.table.params.backed_out_steps * step_ticks);
        }
        let made = made || backs_out;
        let cold = &mut now.table.cold[id];
        cold.push_failures = if made { 0 } else { (cold.push_failures + 1).min(4) };
        cold.push_again_at =
            view.tick.saturating_add(if made { 0 } else { step_ticks << cold.push_failures });
        made
    }

    pub fn clear_stretch(
        &mut self,
        now: &mut Planning<'_>,
        (row, key): (usize, PriorityKey),
        other: usize,
        (clear, backs_out): (&[u8], bool),
        decisions: &mut Decisions,
    ) -> bool {
        let view = now.view;
        self.begin(view.grid_size.n_cells());
        self.mark_ahead(view, &now.table.reservations, row, clear);
        self.chain.clear();
        self.moves.clear();
        // One that backs out of a dead end must not send the other to those who stand at its end.
        self.to_free = backs_out;
        if !backs_out {
            self.chain.push((row as u32, 0, 0));
        }
        self.chain.push((other as u32, 0, 0));
        let first = self.chain.len() - 1;
        if !self.find_retreats(now, first, key) {
            return false;
        }
        for at in first..self.chain.len() {
            let passes = if at > 0 { self.chain[0].0 as usize } else { row };
            self.send_to_retreat(now, at, Some(passes), decisions);
        }
        true
    }

    /// Finds room for all of the chain from a place on. Each one that is displaced may displace others, which
    /// are put behind it in the chain.
    pub fn find_retreats(&mut self, now: &mut Planning<'_>, first: usize, key: PriorityKey) -> bool {
        self.stretch_left =
            now.search.tries_left.min(u64::from(now.table.params.retreat_poses_of_stretch) << self.doublings);
        let mut at = first;
        while at < self.chain.len() {
            if self.chain.len() > (now.table.params.pushed_max as usize) || !self.retreat(now, at, key) {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Has those with nothing to do leave the ground before the mouths of busy passages, one of each at a
    /// time, the nearest first.
    pub fn clear_entrances(&mut self, now: &mut Planning<'_>, decisions: &mut Decisions) {
        let view = now.view;
        if !view.tick.is_multiple_of(now.table.params.clear_entrances_ticks) {
            return;
        }
        let mut from = 0;
        while let Some((entrance, at)) = now.table.corridor_control.admission.next_entrance(from, view.tick) {
            from = at + 1;
            self.begin(view.grid_size.n_cells());
            let mut nearest: Option<(u32, usize)> = None;
            for cell in entrance.bounds(view.grid_size).cells().filter(|&cell| entrance.has_before(cell)) {
                let index = now.table.reservations.index(cell, Offset::new(0, 0));
                self.avoid[index] = self.avoid_stamp;
                let off = cell.chebyshev_distance(entrance.cell);
                for reservation in
                    now.table.reservations.on(index).filter(|reservation| reservation.until == FOREVER)
                {
                    let Some(row) = view.agents.row(AgentId(reservation.agent)) else { continue };
                    let motion = &view.agents.motion[row];
                    let head = &now.table.heads[reservation.agent as usize];
                    let push_again_at = now.table.cold[reservation.agent as usize].push_again_at;
                    let stands = motion.at_rest() && head.plan_is_empty() && head.retreat_left == 0;
                    if stands && is_idle(motion.activity) && push_again_at <= view.tick {
                        nearest = Some(nearest.map_or((off, row), |known| known.min((off, row))));
                    }
                }
            }
            let Some((_, row)) = nearest else { continue };
            self.chain.clear();
            self.moves.clear();
            self.to_free = false;
            self.doublings = 1;
            self.chain.push((row as u32, 0, 0));
            if self.find_retreats(now, 0, PriorityKey::LAST) {
                for at in 0..self.chain.len() {
                    self.send_to_retreat(now, at, None, decisions);
                }
            } else {
                let step_ticks = now.table.step_ticks[view.agents.motion[row].class.0 as usize];
                let cold = &mut now.table.cold[view.agents.ids[row].0 as usize];
                cold.push_again_at =
                    view.tick.saturating_add(now.table.params.clear_again_steps * step_ticks);
            }
        }
    }

    /// Finds moves for an agent of the chain that lead to the nearest pose clear of the cells to avoid:
    /// through free cells, or if there is none, through others at rest, which join the chain.
    pub fn retreat(&mut self, now: &mut Planning<'_>, at: usize, key: PriorityKey) -> bool {
        let view = now.view;
        self.at = at;
        let row = self.chain[at].0 as usize;
        let found =
            self.find_retreat(now, row, key, false).or_else(|| self.find_retreat(now, row, key, true));
        let Some(found) = found else { return false };
        let reservations = &now.table.reservations;
        let first = self.moves.len();
        let mut reached = found;
        while self.reached[reached].1 != NONE {
            self.moves.push(self.reached[reached].2);
            reached = self.reached[reached].1 as usize;
        }
        self.moves[first..].reverse();
        self.chain[at].1 = first as u32;
        self.chain[at].2 = (self.moves.len() - first) as u32;
        // Those that it displaces keep clear of its way.
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let mut state = motion.state;
        let agent = view.agents.ids[row].0;
        for number in first..self.moves.len() {
            let primitive = usize::from(self.moves[number]);
            let step = transition_at(tables, tables.space().pose(state), primitive);
            let (anchor, cells) = view.occupancy.needed(&step);
            for &offset in cells {
                let cell = reservations.index(anchor, offset);
                self.avoid[cell] = self.avoid_stamp;
                for reservation in reservations
                    .on(cell)
                    .filter(|reservation| reservation.agent != agent && reservation.until == FOREVER)
                {
                    let Some(other) = view.agents.row(AgentId(reservation.agent)) else { continue };
                    if self.chain.iter().all(|link| link.0 != other as u32) {
                        self.chain.push((other as u32, 0, 0));
                    }
                }
            }
            state = tables.state_after(state, primitive);
        }
        true
    }

    /// Looks breadth-first for the nearest pose clear of the cells to avoid; gives its place in `reached`.
    pub fn find_retreat(
        &mut self,
        now: &mut Planning<'_>,
        row: usize,
        key: PriorityKey,
        through: bool,
    ) -> Option<usize> {
        let view = now.view;
        let motion = view.agents.motion[row];
        let agent = view.agents.ids[row].0;
        let tables = &view.tables[motion.class.0 as usize];
        let n_states = view.tables.iter().map(|tables| tables.space().n_states()).max().unwrap_or(0);
        self.seen.resize(n_states, 0);
        self.seen_stamp = next_stamp(self.seen_stamp, &mut self.seen);
        let seen_stamp = self.seen_stamp;
        let mut reached = std::mem::take(&mut self.reached);
        let mut seen = std::mem::take(&mut self.seen);
        reached.clear();
        // A pose leads to 16 others at most.
        reached.reserve(
            16 * ((now.table.params.retreat_poses as usize) << now.table.params.retreat_doublings_max),
        );
        let poses_max = (now.table.params.retreat_poses as usize) << self.doublings;
        reached.push((motion.state, NONE, 0));
        seen[motion.state.0 as usize] = seen_stamp;
        let (mut at, mut found) = (0, None);
        while at < reached.len() && at < poses_max && self.stretch_left > 0 {
            self.stretch_left -= 1;
            now.search.tries_left -= 1;
            let state = reached[at].0;
            let pose = tables.space().pose(state);
            let body = (pose.cell, tables.class().cells_at(pose));
            // Nobody may mean to come through where it will stand, but those that are displaced.
            let is_room = at > 0
                && !self.is_avoided(&now.table.reservations, body)
                && self.is_open(now.table, view, agent, body, (key, through), true);
            if is_room {
                found = Some(at);
                break;
            }
            tables.for_each_successor(state, |next| {
                let step = transition_at(tables, pose, usize::from(next.primitive));
                let fresh = seen[next.state.0 as usize] != seen_stamp;
                if fresh
                    && now.table.corridor_control.enters_busy(&step).is_none()
                    && self.is_open(
                        now.table,
                        view,
                        agent,
                        view.occupancy.needed(&step),
                        (key, through),
                        false,
                    )
                    && !forbids(view.forbidden, pose.cell, body.1, step.swept().1)
                {
                    seen[next.state.0 as usize] = seen_stamp;
                    reached.push((next.state, at as u32, next.primitive));
                }
            });
            at += 1;
        }
        self.reached = reached;
        self.seen = seen;
        found
    }

    /// Whether nobody else rests on the cells, but those that may be displaced; to stay there, whether nobody
    /// claims them either.
    pub fn is_open(
        &self,
        table: &PlanTable,
        view: &TrafficView<'_>,
        agent: u32,
        (anchor, cells): (CellXY, &[Offset]),
        (key, through): (PriorityKey, bool),
        to_stay: bool,
    ) -> bool {
        cells.iter().all(|&offset| {
            table.reservations.on(table.reservations.index(anchor, offset)).all(|reservation| {
                reservation.agent == agent
                    || (reservation.until != FOREVER && !to_stay)
                    || (through
                        && reservation.until == FOREVER
                        && !(to_stay && self.to_free)
                        && self.may_push(table, view, reservation.agent, key))
            })
        })
    }

    /// Whether an agent can be displaced for one of that place in the order of rank.
    pub fn may_push(&self, table: &PlanTable, view: &TrafficView<'_>, agent: u32, key: PriorityKey) -> bool {
        let Some(row) = view.agents.row(AgentId(agent)) else { return false };
        let motion = &view.agents.motion[row];
        let head = &table.heads[agent as usize];
        let horizon = table.params.horizon_steps * table.step_ticks[motion.class.0 as usize];
        motion.at_rest()
            && head.plan_is_empty()
            && head.next_try <= view.tick.saturating_add(horizon)
            // Those behind it in the chain have still to be sent aside, clear of its way.
            && self.chain[..=self.at].iter().all(|link| link.0 != row as u32)
            && (is_idle(motion.activity) || key < table.key(view, row))
    }

    /// Gives an agent of the chain the moves that lead it aside, and from there back to its path; and who is
    /// to pass it there, if it is for one.
    pub fn send_to_retreat(
        &mut self,
        now: &mut Planning<'_>,
        at: usize,
        passes: Option<usize>,
        decisions: &mut Decisions,
    ) {
        let view = now.view;
        let (row, first, count) = self.chain[at];
        let row = row as usize;
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let begin = decisions.reroute_moves.len() as u32;
        let aside = &self.moves[first as usize..][..count as usize];
        decisions.reroute_moves.extend_from_slice(aside);
        let mut joins_path = false;
        let goes_back =
            motion.activity == Activity::Following && now.table.heads[id as usize].retreat_left == 0;
        if goes_back {
            let mut state = motion.state;
            for &primitive in aside {
                state = tables.state_after(state, usize::from(primitive));
            }
            let path = view.paths.moves(view.agents.paths[row]);
            make_guide_path(tables, motion.state, path, &mut now.guide_path);
            now.moves.clear();
            if let Some(joins) = now.lead_back(row, state) {
                decisions.reroute_moves.extend_from_slice(&now.moves);
                decisions.reroute_moves.extend_from_slice(&path[joins..]);
                joins_path = true;
            }
        }
        let total = decisions.reroute_moves.len() as u32 - begin;
        let leads = match motion.activity {
            Activity::Following if joins_path => Leads::On,
            Activity::Following => Leads::Off,
            _ => Leads::Aside,
        };
        decisions.reroutes.push(Reroute { row: row as u32, first: begin, count: total, leads });
        // It goes where it is sent now, whatever else it meant to ask for at this tick.
        for list in [&mut decisions.give_up, &mut decisions.replan, &mut decisions.around] {
            list.retain(|&of| of != row as u32);
        }
        let cold = &mut now.table.cold[id as usize];
        cold.path = cold.path.wrapping_add(1);
        (cold.for_agent, cold.for_order) =
            passes.map_or((NONE, 0), |row| (view.agents.ids[row].0, view.agents.stamps[row].since));
        cold.held_since = view.tick;
        let head = &mut now.table.heads[id as usize];
        (head.path_left, head.retreat_left) = (total, count);
        (head.next_try, head.failures) = (view.tick + 1, 0);
        now.table.touch(id, view.tick);
        // One that is sent away does not enter where it was about to.
        now.table.give_up_admission(id);
    }
}

/// Moves ahead of an agent that one stepping aside keeps clear of: tried one after the other.
pub fn clear_moves(params: &TrafficParams) -> [usize; 3] {
    let TrafficParams { clear_moves_first, clear_moves_second, clear_moves_last, .. } = params;
    [clear_moves_first, clear_moves_second, clear_moves_last].map(|&moves| moves as usize)
}
