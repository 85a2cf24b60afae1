//! Agents as a snapshot holds them, and copies of agents.

use super::{Agents, Row, each_column, key_of, stamp_of};
use crate::codec::COUNT_MAX;
use crate::commands::AGENTS_MAX;
use crate::name::Name;
use crate::off_map::{OffMap, OffMapAgent};
use crate::order_pool::saved::SeenPlaces;
use crate::order_pool::{OrderPool, OrderState};
use crate::plain;
use crate::rows::agent_row::{AgentRow, LastMove};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};
use wheelbase_traffic::clone_fields;
use wheelbase_traffic::motion::{Activity, AgentId, AgentSlot, WaitState};
use wheelbase_traffic::path_pool::PathHandle;
use wheelbase_traffic::view::NO_ROW;

/// All agents, and what their arrays do not hold.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedAgents<'a> {
    agents: Cow<'a, Agents>,
    /// Remaining moves of their paths: how many, and all of them concatenated.
    path_lengths: Vec<u32>,
    #[serde(with = "plain::bytes")]
    path_moves: Vec<u8>,
    /// Rows that a tick visits, rising.
    busy: Vec<u32>,
    /// By id.
    names: Vec<(u32, Name)>,
}

impl SavedAgents<'_> {
    /// Number of agents.
    pub(crate) fn len(&self) -> usize {
        self.agents.len()
    }
}

impl Agents {
    /// All agents, between two ticks.
    pub(crate) fn save(&self) -> SavedAgents<'_> {
        let ids = self.ids.iter().copied().chain(self.off_map.iter().map(|off| off.agent.id));
        SavedAgents {
            agents: Cow::Borrowed(self),
            path_lengths: self.paths.iter().map(|path| path.len() as u32).collect(),
            path_moves: (0..self.len()).flat_map(|row| self.moves(row)).copied().collect(),
            busy: self.busy.iter().map(|row| row as u32).collect(),
            names: ids.filter_map(|id| Some((id.0, self.name_of(id)?))).collect(),
        }
    }

    /// Agents as they were saved, at a tick, with the moves of their paths.
    /// # Errors
    /// The first mistake that can be seen in the agents and their classes alone, in words: lengths, ids and slots,
    /// states, ticks. Cells are left to [`World`](crate::World), orders to [`OrderPool`].
    pub(crate) fn restore(
        saved: SavedAgents<'_>,
        (tick, tables, pool): (u32, &[MovementTables], &OrderPool),
    ) -> Result<Self, String> {
        let SavedAgents { agents, path_lengths, path_moves, busy, names } = saved;
        let (mut agents, mut names) = (agents.into_owned(), BTreeMap::from_iter(names));
        agents.check_ids(&path_lengths)?;
        agents.make_entities(|id| names.remove(&id.0));
        if let Some((id, _)) = names.first_key_value() {
            return Err(format!("a name of agent {id}, which is not there"));
        }
        let moves: u64 = path_lengths.iter().map(|&length| u64::from(length)).sum();
        if moves != path_moves.len() as u64 {
            return Err(format!("{} moves of paths, expected {moves}", path_moves.len()));
        }
        let (mut moves_left, mut seen) = (&path_moves[..], SeenPlaces::default());
        for (row, &length) in path_lengths.iter().enumerate() {
            let id = agents.ids[row];
            let in_row = |why: String| format!("agent {}: {why}", id.0);
            agents.check_row(row, tick, tables).map_err(in_row)?;
            pool.check_state(&agents.orders[row], &mut seen).map_err(in_row)?;
            let (moves, rest) = moves_left.split_at(length as usize);
            moves_left = rest;
            let tables = &tables[usize::from(agents.motion[row].class.0)];
            let n_primitives = tables.class().primitives().len();
            if let Some(primitive) = moves.iter().find(|&&primitive| usize::from(primitive) >= n_primitives) {
                return Err(in_row(format!("a path of primitive {primitive}, of {n_primitives}")));
            }
            agents.set_moves(row, moves);
            agents.rebuild_row(row, pool);
        }
        agents.restore_busy(&busy)?;
        for (at, off) in agents.off_map.iter().enumerate() {
            let of_agent = |why: &str| format!("agent {} off the map: {why}", off.agent.id.0);
            let OffMap { agent: OffMapAgent { id, class, team, speed_factor, .. }, orders, .. } = *off;
            let is_next = at == 0 || agents.off_map[at - 1].agent.id < id;
            if !is_next || id.0 >= agents.n_placed || agents.row(id).is_some() {
                return Err(of_agent("out of order, on the map, or never placed"));
            }
            if usize::from(class.0) >= tables.len() || !team.is_known() || speed_factor == 0 {
                return Err(of_agent("an unknown class, an unknown team or a speed factor of 0"));
            }
            if orders.given > tick || orders.waypoint.max(off.statistics.finished) > u32::MAX / 2 {
                return Err(of_agent("orders of a later tick, or too many of them"));
            }
            pool.check_state(&orders, &mut seen).map_err(|why| of_agent(&why))?;
        }
        Ok(agents)
    }

    /// Checks the arrays as a whole, and makes the arrays that a snapshot lacks.
    fn check_ids(&mut self, path_lengths: &[u32]) -> Result<(), String> {
        let n = self.ids.len();
        let is_rising = self.ids.is_sorted_by(|one, other| one < other);
        if !is_rising || self.ids.last().is_some_and(|id| id.0 >= self.n_placed) || self.n_placed == u32::MAX
        {
            return Err(format!("ids of agents out of order, or none of {} ever placed", self.n_placed));
        }
        let n_slots = self.n_slots();
        if n_slots.max(n + self.off_map.len()) > AGENTS_MAX || self.cleared > COUNT_MAX {
            return Err(format!("{n_slots} agent slots, {n} agents, {} places given up", self.cleared));
        }
        self.slots = vec![AgentSlot::NOBODY; n];
        for (slot, &row) in (0..).map(AgentSlot).zip(&self.row_of_slot) {
            match self.slots.get_mut(row as usize) {
                Some(of_row) if *of_row == AgentSlot::NOBODY => *of_row = slot,
                None if row == NO_ROW => self.free_slots.push(Reverse(slot)),
                _ => return Err(format!("row {row} in two agent slots, or of no agent")),
            }
        }
        if self.slots.contains(&AgentSlot::NOBODY) {
            return Err(format!("an agent in none of {n_slots} agent slots"));
        }
        let stamp = stamp_of(&OrderState::NONE);
        (self.stamps, self.keys) = (vec![stamp; n], vec![key_of(stamp, 0, AgentId::NOBODY); n]);
        (self.paths, self.entity) = (vec![PathHandle::EMPTY; n], vec![hecs::Entity::DANGLING; n]);
        let mut lengths = vec![path_lengths.len()];
        each_column!(self, column => lengths.push(column.len()));
        if lengths.iter().any(|&length| length != n) {
            return Err(format!("arrays of {lengths:?} agents, expected {n}"));
        }
        if let Some(team) = self.teams.iter().find(|team| !team.is_known()) {
            return Err(format!("team {}", team.0));
        }
        if self.speed_factors.contains(&0) { Err("a speed factor of 0".to_owned()) } else { Ok(()) }
    }

    /// Motion, last move, waiting, trip and orders of the agent in a row.
    fn check_row(&self, row: usize, tick: u32, tables: &[MovementTables]) -> Result<(), String> {
        let (motion, last_move) = (&self.motion[row], self.rows[row].last_move());
        let Some(of_class) = tables.get(usize::from(motion.class.0)) else {
            return Err(format!("class {}", motion.class.0));
        };
        let (space, movement) = (of_class.space(), of_class.class());
        let is_on_map = |anchor, cells: &[Offset]| {
            cells.iter().all(|offset| space.size().contains(offset.cell_from(anchor)))
        };
        let stands = |state: State| {
            (state.0 as usize) < space.n_states() && {
                let pose = space.pose(state);
                is_on_map(pose.cell, movement.cells_at(pose))
            }
        };
        let n_primitives = movement.primitives().len();
        if usize::from(motion.primitive) >= n_primitives.max(1) {
            return Err(format!("primitive {}, of {n_primitives}", motion.primitive));
        }
        if !stands(motion.state) {
            return Err(format!(
                "it stands beyond the map in state {} of {}",
                motion.state.0,
                space.n_states()
            ));
        }
        let pose = space.pose(motion.state);
        let (mut to, mut latest) = (pose, tick);
        if !motion.at_rest() {
            let shape = movement.shape_at(pose, usize::from(motion.primitive));
            (to, latest) =
                (Pose { cell: shape.step.cell_from(pose.cell), heading: shape.heading_after }, motion.until);
            let stays = shape.applies && space.state(to).is_some() && is_on_map(pose.cell, &shape.swept);
            if !stays || motion.until <= tick {
                return Err(format!("{motion:?} at tick {tick}"));
            }
        }
        let is_right = last_move.to == to
            && (motion.at_rest() || last_move.from == pose && last_move.end == motion.until)
            && space.state(last_move.from).is_some()
            && last_move.begin <= last_move.end
            && last_move.begin <= tick
            && (!motion.at_rest() || last_move.end <= tick)
            && last_move.turn.unsigned_abs() < u16::from(space.headings().max(1));
        if !is_right {
            return Err(format!("last move {last_move:?} of an agent at {pose:?}"));
        }
        if self.assigned[row].is_some_and(|state| !stands(state)) {
            return Err("an assigned pose beyond the map".to_owned());
        }
        let waits = &self.wait_states[row];
        let is_past = |at: u32| at <= tick || at == WaitState::NOT_WAITING;
        if !is_past(waits.waits_since)
            || waits.moved_at > tick
            || waits.failures.max(waits.look_failures) > 15
        {
            return Err(format!("{waits:?} at tick {tick}"));
        }
        if !self.progress[row].is_possible(latest) {
            return Err(format!("progress {:?} at tick {tick}", self.progress[row]));
        }
        let (orders, finished) = (&self.orders[row], self.statistics[row].finished);
        if orders.given > tick || orders.since > latest || orders.waypoint.max(finished) > u32::MAX / 2 {
            return Err(format!("orders {orders:?} at tick {tick}, {finished} finished"));
        }
        Ok(())
    }

    /// Makes the parts of a row that a snapshot lacks.
    fn rebuild_row(&mut self, row: usize, pool: &OrderPool) {
        let (motion, orders) = (self.motion[row], self.orders[row]);
        self.rows[row] = self.row_of(row, &self.rows[row].last_move(), pool);
        self.changed.push();
        self.n_of_team[usize::from(self.teams[row].0)] += 1;
        self.n_holding += u32::from(motion.activity == Activity::Holding);
        self.stamps[row] = stamp_of(&orders);
        self.keys[row] = key_of(self.stamps[row], self.wait_states[row].priority, self.ids[row]);
    }

    /// The row of an agent, made from the other arrays and its last move.
    pub(crate) fn row_of(&self, row: usize, last_move: &LastMove, pool: &OrderPool) -> AgentRow {
        let (motion, waits, orders) = (&self.motion[row], &self.wait_states[row], &self.orders[row]);
        let mut made = AgentRow::placed(self.ids[row], motion.class, last_move.to, last_move.begin);
        made.set_last_move(last_move);
        (made.team, made.activity) = (self.teams[row].0, motion.activity as u8);
        made.waits_since = waits.waits_since;
        if !motion.at_rest() {
            made.primitive = motion.primitive;
        }
        if let Some(order) = pool.current(orders) {
            (made.order, made.order_kind) = (orders.open.first, order.kind.number());
        }
        made.set(AgentRow::STRANDED, waits.stranded);
        made.set(AgentRow::ON_HOLD, motion.activity == Activity::Holding);
        made.set(AgentRow::TO_NEAREST, orders.to_nearest);
        made.set(AgentRow::ON_LEG, self.legs[row].is_some());
        made
    }

    fn restore_busy(&mut self, busy: &[u32]) -> Result<(), String> {
        if !busy.is_sorted_by(|one, other| one < other)
            || busy.last().is_some_and(|&row| row as usize >= self.len())
        {
            return Err("rows to visit out of order".to_owned());
        }
        self.busy.extend(busy.iter().map(|&row| row as usize));
        let forgotten = (0..self.len()).find(|&row| !self.busy.contains(row) && !self.is_idle(row));
        match forgotten {
            Some(row) => Err(format!("agent {} has something to do, and no tick visits it", self.ids[row].0)),
            None => Ok(()),
        }
    }

    /// Makes an entity for each agent.
    fn make_entities(&mut self, mut name_of: impl FnMut(AgentId) -> Option<Name>) {
        self.entities.clear();
        self.entity.clear();
        for (row, (&id, motion)) in self.ids.iter().zip(&self.motion).enumerate() {
            self.entity.push(self.entities.spawn((id, motion.class, Row(row as u32))));
        }
        for off in &mut self.off_map {
            off.entity = self.entities.spawn((off.agent.id, off.agent.class));
        }
        let off_map = self.off_map.iter().map(|off| (off.agent.id, off.entity));
        for (id, entity) in self.ids.iter().copied().zip(self.entity.iter().copied()).chain(off_map) {
            if let Some(name) = name_of(id) {
                let _ = self.entities.insert_one(entity, name);
            }
        }
    }

    /// Makes entities with the names of other agents. Components of game code are not copied.
    fn copy_entities(&mut self, from: &Self) {
        self.make_entities(|id| from.name_of(id));
    }
}

clone_fields!(Agents {
    ids, slots, motion, busy, wait_states, progress, legs, paths, path_pool, stamps, keys, assigned, teams, speed_factors, rows,
    orders, statistics, changed, leaving, n_leaving, n_holding, n_of_team, cleared, off_map, row_of_slot, free_slots,
    n_placed,
} fresh { gone, entity, entities } then copy_entities);
