//! Agents as a snapshot holds them, and copies of agents.

use super::{Agents, Row, key_of, stamp_of};
use crate::codec::COUNT_MAX;
use crate::commands::AGENTS_MAX;
use crate::leg::Leg;
use crate::name::Name;
use crate::off_map::{OffMapAgent, SavedOffMap};
use crate::order_pool::saved::SeenPlaces;
use crate::order_pool::{OrderPool, OrderState};
use crate::places::are_distinct;
use crate::progress::TripProgress;
use crate::rows::agent_row::{AgentRow, LastMove};
use crate::serde_ids;
use crate::statistics::TripStatistics;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;
use wheelbase_traffic::motion::{Activity, AgentId, AgentSlot, ClassId, Motion, WaitState};
use wheelbase_traffic::path_pool::{PathHandle, PathPool};
use wheelbase_traffic::teams::Team;
use wheelbase_traffic::view::NO_ROW;

/// A motion: state, `until`, primitive, activity, class, `replan`.
type SavedMotion = (u32, u32, u8, u8, u8, bool);
/// A wait state, its fields in order.
type SavedWait = (i32, u32, u32, u32, u8, u32, u8, bool);

/// All agents: arrays of one length, joined by row.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedAgents {
    /// Number of agents ever placed, of agent slots, and of places given up.
    counts: (u32, u32, u64),
    #[serde(with = "serde_ids::agents")]
    ids: Vec<AgentId>,
    slots: Vec<u32>,
    motion: Vec<SavedMotion>,
    wait_states: Vec<SavedWait>,
    progress: Vec<TripProgress>,
    legs: Vec<Leg>,
    /// Remaining moves of their paths: how many, and all of them concatenated.
    path_lengths: Vec<u32>,
    #[serde(with = "serde_ids::bytes")]
    path_moves: Vec<u8>,
    assigned: Vec<Option<State>>,
    #[serde(with = "serde_ids::bytes")]
    teams: Vec<u8>,
    speed_factors: Vec<u16>,
    last_moves: Vec<LastMove>,
    /// Components; `None` where game code has removed it.
    orders: Vec<Option<OrderState>>,
    statistics: Vec<Option<TripStatistics>>,
    /// Rows that a tick visits, rising.
    busy: Vec<u32>,
    /// Names by row.
    names: Vec<(u32, String)>,
    /// Agents off the map, by id.
    off_map: Vec<SavedOffMap>,
}

impl Agents {
    /// All agents, between two ticks.
    pub(crate) fn save(&self, paths: &PathPool) -> SavedAgents {
        let rows = 0..self.len();
        let motion = |motion: &Motion| {
            let Motion { state, until, primitive, activity, class, replan } = *motion;
            (state.0, until, primitive, activity as u8, class.0, replan)
        };
        let wait = |wait: &WaitState| {
            let WaitState { priority, waits_since, moved_at, ask_again_at, failures, .. } = *wait;
            let WaitState { look_again_at, look_failures, stranded, .. } = *wait;
            (priority, waits_since, moved_at, ask_again_at, failures, look_again_at, look_failures, stranded)
        };
        SavedAgents {
            counts: (self.n_placed, self.n_slots() as u32, self.cleared),
            ids: self.ids.clone(),
            slots: self.slots.iter().map(|slot| slot.0).collect(),
            motion: self.motion.iter().map(motion).collect(),
            wait_states: self.wait_states.iter().map(wait).collect(),
            progress: self.progress.clone(),
            legs: self.legs.clone(),
            path_lengths: self.paths.iter().map(|path| path.len() as u32).collect(),
            path_moves: self.paths.iter().flat_map(|&path| paths.moves(path)).copied().collect(),
            assigned: self.assigned.clone(),
            teams: self.teams.iter().map(|team| team.0).collect(),
            speed_factors: self.speed_factors.clone(),
            last_moves: self.rows.iter().map(AgentRow::last_move).collect(),
            orders: rows.clone().map(|row| self.component(row)).collect(),
            statistics: rows.clone().map(|row| self.component(row)).collect(),
            busy: self.busy.iter().map(|row| row as u32).collect(),
            names: rows.filter_map(|row| Some((row as u32, self.name(row)?))).collect(),
            off_map: self.off_map.iter().map(|&(agent, entity)| self.save_off_map(agent, entity)).collect(),
        }
    }

    /// Agents as they were saved, at a tick, with the moves of their paths.
    /// # Errors
    /// The first mistake that can be seen in the agents and their classes alone, in words: lengths, ids and slots,
    /// states, ticks. Cells are left to [`World`](crate::World), orders to [`OrderPool`].
    pub(crate) fn restore(
        saved: SavedAgents,
        (tick, tables, pool): (u32, &[MovementTables], &OrderPool),
        paths: &mut PathPool,
    ) -> Result<Self, String> {
        saved.check_lengths()?;
        saved.check_ids()?;
        let SavedAgents { counts: (n_placed, n_slots, cleared), ids, slots, .. } = &saved;
        let mut agents = Self { n_placed: *n_placed, cleared: *cleared, ..Self::default() };
        agents.row_of_slot = vec![NO_ROW; *n_slots as usize];
        for (row, &slot) in slots.iter().enumerate() {
            agents.row_of_slot[slot as usize] = row as u32;
        }
        let free = (0_u32..).zip(&agents.row_of_slot).filter(|&(_, &row)| row == NO_ROW);
        agents.free_slots = free.map(|(slot, _)| Reverse(AgentSlot(slot))).collect();
        let (mut moves_left, mut seen) = (&saved.path_moves[..], SeenPlaces::default());
        for (row, &id) in ids.iter().enumerate() {
            let in_row = |why: String| format!("agent {}: {why}", id.0);
            let (motion, last_move) = saved.motion_of(row, tick, tables).map_err(in_row)?;
            let wait_state = saved.wait_of(row, tick).map_err(in_row)?;
            let orders = saved.orders_of(row, tick, &motion).map_err(in_row)?;
            pool.check_state(&orders, &mut seen).map_err(in_row)?;
            let finished = saved.statistics[row].map_or(0, |statistics| statistics.finished);
            if finished > u32::MAX / 2 {
                return Err(in_row(format!("{finished} orders finished")));
            }
            let entity =
                agents.spawn_entity((id, motion.class, row), (saved.orders[row], saved.statistics[row]));
            let tables = &tables[usize::from(motion.class.0)];
            let pose = tables.space().pose(motion.state);
            let mut kept = AgentRow::placed(id, motion.class, pose, tick);
            kept.set_last_move(&last_move);
            kept.primitive = if motion.at_rest() { AgentRow::AT_REST } else { motion.primitive };
            (kept.team, kept.activity) = (saved.teams[row], motion.activity as u8);
            kept.waits_since = wait_state.waits_since;
            kept.set(AgentRow::STRANDED, wait_state.stranded);
            kept.set(AgentRow::ON_HOLD, motion.activity == Activity::Holding);
            let (moves, rest) = moves_left.split_at(saved.path_lengths[row] as usize);
            moves_left = rest;
            let n_primitives = tables.class().primitives().len();
            if let Some(primitive) = moves.iter().find(|&&primitive| usize::from(primitive) >= n_primitives) {
                return Err(in_row(format!("a path of primitive {primitive}, of {n_primitives}")));
            }
            agents.ids.push(id);
            agents.slots.push(AgentSlot(slots[row]));
            agents.motion.push(motion);
            agents.wait_states.push(wait_state);
            agents.progress.push(saved.progress_of(row, tick, &motion).map_err(in_row)?);
            agents.legs.push(saved.legs[row]);
            agents.paths.push(PathHandle::EMPTY);
            paths.replace(&mut agents.paths, row, moves);
            let stamp = stamp_of(&orders);
            agents.stamps.push(stamp);
            agents.keys.push(key_of(stamp, wait_state.priority, id));
            agents.assigned.push(saved.assigned[row]);
            let team = Team(saved.teams[row]);
            agents.teams.push(team);
            agents.n_of_team[usize::from(team.0)] += 1;
            agents.n_holding += u32::from(motion.activity == Activity::Holding);
            agents.speed_factors.push(saved.speed_factors[row]);
            agents.rows.push(kept);
            agents.changed.push();
            agents.entity.push(entity);
            agents.set_orders(row, orders, pool);
            agents.set_leg(row, saved.legs[row]);
        }
        agents.restore_busy(&saved.busy)?;
        for (row, name) in saved.names {
            if row as usize >= agents.len() {
                return Err(format!("a name of row {row}, of {} agents", agents.len()));
            }
            agents.set_name(row as usize, Name(name.into()));
        }
        for off in saved.off_map {
            let of_agent = |why: &str| format!("agent {} off the map: {why}", off.agent.id.0);
            let OffMapAgent { id, class, team, speed_factor, .. } = off.agent;
            let is_next = agents.off_map.last().is_none_or(|(last, _)| last.id < id);
            if !is_next || id.0 >= agents.n_placed || agents.row(id).is_some() {
                return Err(of_agent("out of order, on the map, or never placed"));
            }
            if usize::from(class.0) >= tables.len() || !team.is_known() || speed_factor == 0 {
                return Err(of_agent("an unknown class, an unknown team or a speed factor of 0"));
            }
            let orders = off.orders.unwrap_or(OrderState::NONE);
            let finished = off.statistics.map_or(0, |statistics| statistics.finished);
            if orders.given > tick || orders.waypoint.max(finished) > u32::MAX / 2 {
                return Err(of_agent("orders of a later tick, or too many of them"));
            }
            pool.check_state(&orders, &mut seen).map_err(|why| of_agent(&why))?;
            agents.restore_off_map(off);
        }
        if agents.len() + agents.off_map.len() > AGENTS_MAX {
            return Err(format!("more than {AGENTS_MAX} agents"));
        }
        Ok(agents)
    }

    /// A component of the agent in a row; `None` if game code has removed it.
    fn component<C: hecs::Component + Copy>(&self, row: usize) -> Option<C> {
        self.component_of(self.entity[row])
    }

    fn component_of<C: hecs::Component + Copy>(&self, entity: hecs::Entity) -> Option<C> {
        self.entities.get::<&C>(entity).ok().map(|kept| *kept)
    }

    fn save_off_map(&self, agent: OffMapAgent, entity: hecs::Entity) -> SavedOffMap {
        SavedOffMap {
            agent,
            orders: self.component_of(entity),
            statistics: self.component_of(entity),
            name: self.name_of(entity),
        }
    }

    /// Adds an agent off the map, with an entity for it, behind those with lower ids.
    fn restore_off_map(&mut self, saved: SavedOffMap) {
        let SavedOffMap { agent, orders, statistics, name } = saved;
        let entity = self.spawn_entity((agent.id, agent.class, 0), (orders, statistics));
        let _ = self.entities.remove_one::<Row>(entity);
        if let Some(name) = name {
            let _ = self.entities.insert_one(entity, Name(name.into()));
        }
        self.off_map.push((agent, entity));
    }

    /// An entity for the agent in a row. What game code had removed stays removed.
    fn spawn_entity(
        &mut self,
        (id, class, row): (AgentId, ClassId, usize),
        (orders, statistics): (Option<OrderState>, Option<TripStatistics>),
    ) -> hecs::Entity {
        let kept = (orders.unwrap_or(OrderState::NONE), statistics.unwrap_or(TripStatistics::NEW));
        let entity = self.entities.spawn((id, class, Row(row as u32), kept.0, kept.1));
        if orders.is_none() {
            let _ = self.entities.remove_one::<OrderState>(entity);
        }
        if statistics.is_none() {
            let _ = self.entities.remove_one::<TripStatistics>(entity);
        }
        entity
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
}

impl SavedAgents {
    /// Number of agents.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    fn check_lengths(&self) -> Result<(), String> {
        let n = self.ids.len();
        let lengths = [
            self.slots.len(),
            self.motion.len(),
            self.wait_states.len(),
            self.progress.len(),
            self.legs.len(),
            self.path_lengths.len(),
            self.assigned.len(),
            self.teams.len(),
            self.speed_factors.len(),
            self.last_moves.len(),
            self.orders.len(),
            self.statistics.len(),
        ];
        if lengths.iter().any(|&length| length != n) {
            return Err(format!("arrays of {lengths:?} agents, expected {n}"));
        }
        let moves: u64 = self.path_lengths.iter().map(|&length| u64::from(length)).sum();
        if moves != self.path_moves.len() as u64 {
            return Err(format!("{} moves of paths, expected {moves}", self.path_moves.len()));
        }
        Ok(())
    }

    fn check_ids(&self) -> Result<(), String> {
        let (n_placed, n_slots, cleared) = self.counts;
        let is_rising = self.ids.is_sorted_by(|one, other| one < other);
        if !is_rising || self.ids.last().is_some_and(|id| id.0 >= n_placed) || n_placed == u32::MAX {
            return Err(format!("ids of agents out of order, or none of {n_placed} ever placed"));
        }
        if n_slots as usize > AGENTS_MAX || cleared > COUNT_MAX {
            return Err(format!("{n_slots} agent slots, {cleared} places given up"));
        }
        if !are_distinct(&self.slots, n_slots as usize) {
            return Err(format!("two agents in one agent slot, or in none of {n_slots}"));
        }
        let team = self.teams.iter().find(|&&team| !Team(team).is_known());
        if let Some(team) = team {
            return Err(format!("team {team}"));
        }
        if self.speed_factors.contains(&0) { Err("a speed factor of 0".to_owned()) } else { Ok(()) }
    }

    /// Motion and last move of the agent in a row.
    fn motion_of(
        &self,
        row: usize,
        tick: u32,
        tables: &[MovementTables],
    ) -> Result<(Motion, LastMove), String> {
        let (state, until, primitive, activity, class, replan) = self.motion[row];
        let last_move = self.last_moves[row];
        let Some(of_class) = tables.get(usize::from(class)) else { return Err(format!("class {class}")) };
        let (space, movement) = (of_class.space(), of_class.class());
        let Some(&activity) = Activity::ALL.get(usize::from(activity)) else {
            return Err(format!("activity {activity}"));
        };
        let (class, state) = (ClassId(class), State(state));
        let motion = Motion { state, until, primitive, activity, class, replan };
        if state.0 as usize >= space.n_states() {
            return Err(format!("state {}, of {}", state.0, space.n_states()));
        }
        let n_primitives = movement.primitives().len();
        if usize::from(primitive) >= n_primitives.max(1) {
            return Err(format!("primitive {primitive}, of {n_primitives}"));
        }
        let pose = space.pose(state);
        let is_on_map = |anchor, cells: &[wheelbase_planner::model::Offset]| {
            cells.iter().all(|offset| space.size().contains(offset.cell_from(anchor)))
        };
        if !is_on_map(pose.cell, movement.cells_at(pose)) {
            return Err(format!("it stands beyond the map at {}", pose.cell));
        }
        let mut to = pose;
        if !motion.at_rest() {
            let shape = movement.shape_at(pose, usize::from(primitive));
            let cell = shape.step.cell_from(pose.cell);
            to = wheelbase_planner::Pose { cell, heading: shape.heading_after };
            let stays = shape.applies && space.state(to).is_some() && is_on_map(pose.cell, &shape.swept);
            if !stays || until <= tick {
                return Err(format!("a move by primitive {primitive} until {until} at tick {tick}"));
            }
        }
        let is_right = last_move.to == to
            && (motion.at_rest() || last_move.from == pose && last_move.end == until)
            && space.state(last_move.from).is_some()
            && last_move.begin <= last_move.end
            && last_move.begin <= tick
            && (!motion.at_rest() || last_move.end <= tick)
            && last_move.turn.unsigned_abs() < u16::from(space.headings().max(1));
        if !is_right {
            return Err(format!("last move {last_move:?} of an agent at {pose:?}"));
        }
        if self.assigned[row].is_some_and(|state| {
            let pose = space.pose(state);
            state.0 as usize >= space.n_states() || !is_on_map(pose.cell, movement.cells_at(pose))
        }) {
            return Err("an assigned pose beyond the map".to_owned());
        }
        Ok((motion, last_move))
    }

    fn wait_of(&self, row: usize, tick: u32) -> Result<WaitState, String> {
        let (priority, waits_since, moved_at, ask_again_at, failures, look_again_at, look_failures, stranded) =
            self.wait_states[row];
        let is_past = |at: u32| at <= tick || at == WaitState::NOT_WAITING;
        if !is_past(waits_since) || moved_at > tick || failures.max(look_failures) > 15 {
            return Err(format!(
                "it waits since {waits_since}, moved at {moved_at}, with {failures} failures"
            ));
        }
        Ok(WaitState {
            priority,
            waits_since,
            moved_at,
            ask_again_at,
            failures,
            look_again_at,
            look_failures,
            stranded,
        })
    }

    fn progress_of(&self, row: usize, tick: u32, motion: &Motion) -> Result<TripProgress, String> {
        let progress = self.progress[row];
        let latest = if motion.at_rest() { tick } else { motion.until };
        if !progress.is_possible(latest) {
            return Err(format!("progress {progress:?} at tick {tick}"));
        }
        Ok(progress)
    }

    fn orders_of(&self, row: usize, tick: u32, motion: &Motion) -> Result<OrderState, String> {
        let orders = self.orders[row].unwrap_or(OrderState::NONE);
        let latest = if motion.at_rest() { tick } else { motion.until };
        if orders.given > tick || orders.since > latest || orders.waypoint > u32::MAX / 2 {
            return Err(format!("orders {orders:?} at tick {tick}"));
        }
        Ok(orders)
    }
}

impl Clone for Agents {
    /// The same agents with separate entities. Components of game code are not copied.
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, from: &Self) {
        // Every field is named, so that none is forgotten. `gone` is scratch memory.
        let Self {
            ids,
            slots,
            motion,
            busy,
            wait_states,
            progress,
            legs,
            paths,
            stamps,
            keys,
            assigned,
            teams,
            speed_factors,
            rows,
            changed,
            leaving,
            n_leaving,
            gone: _,
            n_holding,
            n_of_team,
            cleared,
            entity: _,
            entities: _,
            off_map: _,
            row_of_slot,
            free_slots,
            n_placed,
            #[cfg(test)]
            keeps_slots,
        } = from;
        self.ids.clone_from(ids);
        self.slots.clone_from(slots);
        self.motion.clone_from(motion);
        self.busy.clone_from(busy);
        self.wait_states.clone_from(wait_states);
        self.progress.clone_from(progress);
        self.legs.clone_from(legs);
        self.paths.clone_from(paths);
        self.stamps.clone_from(stamps);
        self.keys.clone_from(keys);
        self.assigned.clone_from(assigned);
        self.teams.clone_from(teams);
        self.speed_factors.clone_from(speed_factors);
        self.rows.clone_from(rows);
        self.changed.copy_from(changed);
        self.leaving.clone_from(leaving);
        self.row_of_slot.clone_from(row_of_slot);
        self.free_slots.clone_from(free_slots);
        (self.n_leaving, self.n_holding, self.n_of_team) = (*n_leaving, *n_holding, *n_of_team);
        (self.cleared, self.n_placed) = (*cleared, *n_placed);
        #[cfg(test)]
        {
            self.keeps_slots = *keeps_slots;
        }
        self.entities.clear();
        self.entity.clear();
        for (row, (&id, motion)) in from.ids.iter().zip(&from.motion).enumerate() {
            let copy = self.spawn_entity((id, motion.class, row), (from.component(row), from.component(row)));
            if let Ok(name) = from.entities.get::<&Name>(from.entity[row]) {
                let _ = self.entities.insert_one(copy, Name(name.0.clone()));
            }
            self.entity.push(copy);
        }
        self.off_map.clear();
        for &(agent, entity) in &from.off_map {
            self.restore_off_map(from.save_off_map(agent, entity));
        }
    }
}
