//! How much of the time of doors the ways of lone agents take: a cell is held by one agent at a time.
//!
//! Gates are short lines of cells across doors, bridges and lanes ([`Gates`]). Whatever the rule of traffic, at any
//! tick the agents that hold cells of a gate of `w` cells hold no more than `w` of them; and of those that hold more
//! than a half of the gate there is but one, of those that hold more than a third at most two. Each of these is a
//! resource: an agent that holds cells of the gate has a weight in it, and the weights of all together are at most its
//! capacity at each tick. Where lone agents take more of one than there is in the run, they cannot all do together
//! what each does alone.

use crate::metrics::result::permille;
use crate::metrics::single_agent_bound::{NoSingleAgentBound, SingleAgentBound, bounds_seen};
use crate::world::World;
use std::sync::atomic::{AtomicU64, Ordering};
use wheelbase_planner::{MovementTables, Path};
use wheelbase_traffic::collision::{CollisionRule, Transition};
use wheelbase_traffic::gates::{Gates, NONE};

/// Ways of counting what is held of a gate: cell by cell, and by those that hold so many cells that but one
/// or but two of them find room.
const COUNTS: usize = 3;

/// What the ways of lone agents take of the doors of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoorLoad {
    /// Lines across doors and other narrow places that were looked at.
    pub gates: u32,
    /// What is taken of the one of which most is taken, in thousandths of what there is of it in the run.
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
    pub fn find(world: &World) -> Self {
        let gates = Gates::find(world.grid.size(), &world.tables);
        let taken = (0..gates.widths.len() * COUNTS).map(|_| AtomicU64::new(0)).collect();
        Self { gates, rule: world.settings.collision, taken }
    }

    /// What each agent would do alone, as [`crate::single_agent_bounds`] says it; notes which doors it goes through.
    /// # Errors
    /// [`NoSingleAgentBound`] where it cannot be said.
    pub fn single_agent_bounds(
        &self,
        world: &World,
        go_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Option<Vec<SingleAgentBound>>, NoSingleAgentBound> {
        self.taken.iter().for_each(|taken| taken.store(0, Ordering::Relaxed));
        bounds_seen(world, go_on, &|tables, path| self.note(tables, path))
    }

    /// Notes what a path takes of the gates. Sums do not depend on who adds first.
    fn note(&self, tables: &MovementTables, path: &Path) {
        let mut held: Vec<(u32, u32)> = Vec::new();
        for (pair, &primitive) in path.poses.windows(2).zip(&path.moves) {
            let step =
                Transition { class: tables.class(), pose: pair[0].pose, primitive: usize::from(primitive) };
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

    /// What the ways noted last take of doors.
    pub fn load(&self, world: &World) -> DoorLoad {
        let supply = self.supply(world.settings.ticks);
        let taken = self.taken.iter().map(|taken| taken.load(Ordering::Relaxed));
        let shares = taken.zip(supply).filter(|&(_, supply)| supply > 0);
        let busiest_permille = shares.map(|(taken, supply)| permille(taken, supply)).max().unwrap_or(0);
        DoorLoad { gates: self.gates.widths.len() as u32, busiest_permille }
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

/// What is held of a gate by a body that covers so many of its cells, by the number of the count: a weight.
/// With 0 cell by cell; with 1 or 2 it is told whether there are more cells than a half or a third.
fn weight(count: usize, width: u32, held: u32) -> u32 {
    match count {
        0 => held,
        _ => u32::from(held > width / (count as u32 + 1)),
    }
}

/// The weights of all that hold cells of a gate at one time are no more than this together; `None` where the
/// count tells no more than that of cells.
fn capacity(count: usize, width: u32) -> Option<u32> {
    match count as u32 {
        0 => Some(width),
        // So many of them cover less than all of it between them.
        most => (most * (width / (most + 1) + 1) < width).then_some(most),
    }
}
