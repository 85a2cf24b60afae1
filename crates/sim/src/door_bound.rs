//! What doors allow: a bound of the tasks that all agents together can do, for a cell is held by one at a
//! time.
//!
//! Gates are short lines of cells across doors, bridges and lanes ([`gates`]). Whatever the rule of traffic,
//! at any tick the agents that hold cells of a gate of `w` cells hold no more than `w` of them; and of those
//! that hold more than a half of the gate there is but one, of those that hold more than a third at most two.
//! Each of these is a resource `r`: an agent that holds cells of the gate has a weight in it, and the weights
//! of all together are at most its capacity `c_r` at each tick. In `T` ticks no more than `T c_r` of it can be
//! had.
//!
//! To go from one region of its poses to another, between which there are gates, a body takes at least
//! `q_r` of a resource, the least over all sequences of moves of ticks times weight ([`ways`]). Trip `j` of an
//! agent leads from where its trip before can end, in any heading, to where it can end itself; with a price
//! `y_r >= 0` on each resource let `l_j(y)` be the price of the cheapest sequence of regions, a start or a goal
//! between regions being as good as any of those at it.
//!
//! Of the tasks that agent `a` does in a run the first `m_a <= k_a` count, `k_a` being what it does alone. (One
//! in a crowd that ends a task in another heading may happen to do one more.) What they take of the resources
//! for these costs no less than `l_1 + ... + l_m` each, and no more than `T sum c_r y_r` all together. So, added
//! to the number of tasks,
//!
//! ```text
//! sum m_a  <=  T sum c_r y_r  +  sum_a max over m <= k_a of sum_{j <= m} (1 - l_j(y)),
//! ```
//!
//! for any prices: weak duality of a packing problem. Without prices it is the bound of lone agents; the least
//! is looked for by steps along subgradients ([`prices`]). All of it is counted in whole numbers.
//!
//! Where the ways that lone agents go take no more of any resource than there is, no prices give less than
//! the tasks that they do, and none are looked for. That all go at the same time is not seen: a gate may be
//! wanted by all at once and still have room for all over the whole run.
//!
//! The tasks of an agent must not depend on what it does, so agents of classes with one-way moves go free of
//! charge. Confined agents are left out.

mod prices;
mod ways;

use crate::lone::{LoneAgent, NotAlone, lone_agents_seen};
use crate::metrics::permille;
use crate::orders::OrderKind;
use crate::tasks::ReachedPoses;
use crate::world::Simulation;
use prices::{Group, Problem, TASK, TripEnds};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use ways::{COUNTS, Ways, capacity, weight};
use wheelbase_planner::{GoalMember, Heading, MovementTables, Path, Pose, State, Way};
use wheelbase_traffic::collision::{CollisionRule, Step};
use wheelbase_traffic::gates::{Gates, NONE};

/// What doors allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoorBound {
    /// Tasks that all agents together can do at most, of those that are not confined; of each agent no more
    /// count than it does alone.
    pub tasks: u64,
    /// Lines across doors and other narrow places that were looked at.
    pub gates: u32,
    /// What the ways of lone agents take of the one of which they take most, in thousandths of what there is
    /// of it in the run.
    pub busiest_permille: u64,
}

/// The doors of a map, and what the ways of lone agents take of them. Memory: 4 bytes a cell.
#[derive(Debug)]
pub struct Doors {
    gates: Gates,
    rule: CollisionRule,
    /// Weight times ticks, by resource.
    taken: Vec<AtomicU64>,
}

impl Doors {
    /// The doors on the map of a simulation as it is. Linear in its cells.
    pub fn find(sim: &Simulation) -> Self {
        let gates = Gates::find(sim.grid.size(), &sim.tables);
        let taken = (0..gates.widths.len() * COUNTS).map(|_| AtomicU64::new(0)).collect();
        Self { gates, rule: sim.settings.collision, taken }
    }

    /// What each agent would do alone, as [`crate::lone_agents`] says it; notes which doors it goes through.
    /// # Errors
    /// [`NotAlone`] where it cannot be said.
    pub fn lone_agents(
        &self,
        sim: &Simulation,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Option<Vec<LoneAgent>>, NotAlone> {
        self.taken.iter().for_each(|taken| taken.store(0, Ordering::Relaxed));
        lone_agents_seen(sim, go_on, &|tables, path| self.note(tables, path))
    }

    /// Notes what a path takes of the gates. Sums do not depend on who adds first.
    fn note(&self, tables: &MovementTables, path: &Path) {
        let mut held: Vec<(u32, u32)> = Vec::new();
        for (pair, &primitive) in path.poses.windows(2).zip(&path.moves) {
            let step = Step { class: tables.class(), pose: pair[0].pose, primitive: usize::from(primitive) };
            let (anchor, cells) = self.rule.held(&step);
            held.clear();
            for offset in cells {
                match self.gates.at(offset.cell_from(anchor)) {
                    NONE => {}
                    gate => match held.iter_mut().find(|held| held.0 == gate) {
                        Some(held) => held.1 += 1,
                        None => held.push((gate, 1)),
                    },
                }
            }
            let ticks = u64::from(pair[1].arrival - pair[0].arrival);
            for &(gate, cells) in &held {
                let width = self.gates.widths[gate as usize];
                for count in 0..COUNTS {
                    let taken = &self.taken[gate as usize * COUNTS + count];
                    taken.fetch_add(ticks * u64::from(weight(count, width, cells)), Ordering::Relaxed);
                }
            }
        }
    }

    /// The bound that doors put on the tasks of all, of whom it is known what they do alone.
    ///
    /// Runs on the current rayon pool, with equal results for any number of threads; `None` where `go_on` says
    /// no. Takes no time to speak of where lone agents leave time at each door; else it is linear in the poses
    /// of all classes, and a search over the regions of the map for each trip and step. Memory then: 4 bytes a
    /// state of each class, some hundred bytes a gate and class, and a few a trip and region on its way.
    pub fn bound(
        &self,
        sim: &Simulation,
        alone: &[LoneAgent],
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Option<DoorBound> {
        let supply = self.supply(sim.settings.ticks);
        let taken: Vec<u64> = self.taken.iter().map(|taken| taken.load(Ordering::Relaxed)).collect();
        let shares = taken.iter().zip(&supply).filter(|&(_, &supply)| supply > 0);
        let busiest_permille = shares.map(|(&taken, &supply)| permille(taken, supply)).max().unwrap_or(0);
        let fits = taken.iter().zip(&supply).all(|(taken, supply)| *supply == 0 || taken <= supply);
        let counted = alone.iter().filter(|lone| !lone.confined);
        let mut tasks: u64 = counted.map(|lone| lone.tasks_done).sum();
        if !fits {
            let bound = problem(sim, &self.gates, supply, alone, go_on)?.least_bound(go_on)?;
            tasks = tasks.min(u64::try_from(bound / TASK).unwrap_or(u64::MAX));
        }
        Some(DoorBound { tasks, gates: self.gates.widths.len() as u32, busiest_permille })
    }

    /// Weight times ticks that there is of each resource; 0 for those that tell nothing.
    fn supply(&self, ticks: u32) -> Vec<u64> {
        let of = |width: u32, count: usize| {
            capacity(count, width).map_or(0, |weight| u64::from(weight) * u64::from(ticks))
        };
        let widths = self.gates.widths.iter();
        widths.flat_map(|&width| (0..COUNTS).map(move |count| of(width, count))).collect()
    }
}

/// Whether what is said of the ways of a class holds: its tasks are the same whatever it does.
fn is_priced(tables: &MovementTables) -> bool {
    tables.is_reversible() && tables.components().are_known()
}

/// Trips with their regions, and the ways between these. `None` where `go_on` says no.
fn problem(
    sim: &Simulation,
    gates: &Gates,
    supply: Vec<u64>,
    alone: &[LoneAgent],
    go_on: &(impl Fn() -> bool + Sync),
) -> Option<Problem> {
    let rule = sim.settings.collision;
    let find = |tables: &MovementTables| {
        let is_priced = is_priced(tables) && go_on();
        if is_priced { Ways::find(tables, rule, gates, go_on) } else { Ways::default() }
    };
    let mut problem = Problem { supply, ..Problem::default() };
    problem.classes = sim.tables.par_iter().map(find).collect();
    if !go_on() {
        return None;
    }
    let mut groups: BTreeMap<(u32, Vec<u32>), TripEnds> = BTreeMap::new();
    let mut reached = ReachedPoses::new();
    for (row, lone) in alone.iter().enumerate().filter(|(_, lone)| !lone.confined) {
        let first = problem.n_trips;
        problem.n_trips += lone.tasks_done as usize;
        problem.agents.push(first..problem.n_trips);
        let class = sim.agents.motion[row].class.0;
        if !is_priced(&sim.tables[class as usize]) {
            continue;
        }
        let ways = &problem.classes[class as usize];
        for (trip, from, to) in trips_of(sim, ways, row, lone.tasks_done, &mut reached) {
            groups.entry((u32::from(class), from)).or_default().push(((first + trip) as u32, to));
        }
    }
    problem.groups = groups.into_iter().map(|((class, from), trips)| Group { class, from, trips }).collect();
    problem.classes.iter_mut().for_each(Ways::forget_poses);
    Some(problem)
}

/// The first trips of an agent that lead from regions to others: their numbers, and both. Those to which there
/// is no way are given up at once and count for nothing.
fn trips_of(
    sim: &Simulation,
    ways: &Ways,
    row: usize,
    count: u64,
    reached: &mut ReachedPoses,
) -> Vec<(usize, Vec<u32>, Vec<u32>)> {
    let motion = sim.agents.motion[row];
    let tables = &sim.tables[motion.class.0 as usize];
    let mut trips = Vec::new();
    let order = sim.orders.current(&sim.agents.orders(row));
    let Some(OrderKind::Task(slot)) = order.map(|order| &order.kind) else { return trips };
    let Some(source) = sim.orders.task_sources.get(slot.source()) else { return trips };
    let (mut slot, mut number) = (slot.clone(), 0);
    let mut from = regions_of(ways, [motion.state]);
    while number < count as usize {
        // What it is given is the same wherever it is: all moves can be taken back.
        let Some(goal) = slot.give(source, tables, motion.state, reached) else { break };
        let poses: Vec<State> = poses_of(tables, motion.state, goal).collect();
        if !poses.is_empty() {
            let to = regions_of(ways, poses);
            let apart = to.iter().all(|region| !from.contains(region));
            if apart && !from.is_empty() && !to.is_empty() {
                trips.push((number, from, to.clone()));
            }
            from = to;
            number += 1;
        }
        slot.close();
    }
    trips
}

/// Regions at some poses, in order.
fn regions_of(ways: &Ways, states: impl IntoIterator<Item = State>) -> Vec<u32> {
    let mut regions: Vec<u32> =
        states.into_iter().flat_map(|state| ways.regions_at(state).iter().copied()).collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

/// Poses at a goal to which there is a way.
fn poses_of(tables: &MovementTables, from: State, goal: GoalMember) -> impl Iterator<Item = State> {
    let space = tables.space();
    let headings = (0..space.headings()).map(Heading);
    let headings = headings.filter(move |&heading| goal.heading.is_none_or(|only| only == heading));
    let states = headings.filter_map(move |heading| space.state(Pose { cell: goal.cell, heading }));
    states.filter(move |&state| tables.is_legal(state) && tables.components().way(from, state) != Way::No)
}
