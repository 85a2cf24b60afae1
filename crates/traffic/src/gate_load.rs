//! How much of each gate's time paths take, when each agent travels alone.
//!
//! Whatever the traffic rule, at any tick the agents that hold cells of a gate of `w` cells hold at most `w` of them.
//! At most one of them holds more than a half of the gate, and at most two hold more than a third. Each of these
//! limits is a resource. An agent that holds cells of the gate has a weight in it. At each tick the weights of all
//! agents add up to at most its capacity. Where the paths of single agents take more of a resource than a run has,
//! the agents together cannot do what each does alone.

use crate::collision::{CollisionRule, Transition};
use crate::gates::{Gates, NO_GATE};
use std::sync::atomic::{AtomicU64, Ordering};
use wheelbase_grid::GridSize;
use wheelbase_planner::{MovementTables, Path};

/// Resources of a gate: its cells, bodies wider than a half of it, and bodies wider than a third.
const RESOURCES: usize = 3;

/// The gates of a map, and how much of their time the counted paths take. Memory: 4 bytes per cell.
///
/// Paths are counted through `&self`, by any number of threads: sums do not depend on the order.
#[derive(Debug)]
pub struct GateLoad {
    gates: Gates,
    rule: CollisionRule,
    /// Weight times ticks, by gate and resource.
    taken: Vec<AtomicU64>,
}

impl GateLoad {
    /// The gates of a map for agents of some classes, with no path counted. Linear in cells.
    pub fn new(size: GridSize, tables: &[MovementTables], rule: CollisionRule) -> Self {
        let gates = Gates::find(size, tables);
        let taken = (0..gates.widths.len() * RESOURCES).map(|_| AtomicU64::new(0)).collect();
        Self { gates, rule, taken }
    }

    /// Number of gates.
    pub fn n_gates(&self) -> usize {
        self.gates.widths.len()
    }

    /// Counts what a path of a class takes of the gates.
    pub fn count(&self, tables: &MovementTables, path: &Path) {
        let mut held: Vec<(u32, u32)> = Vec::new();
        for (pair, &primitive) in path.poses.windows(2).zip(&path.moves) {
            let primitive = usize::from(primitive);
            let step = Transition { class: tables.class(), pose: pair[0].pose, primitive };
            let (anchor, cells) = self.rule.held(&step);
            held.clear();
            for offset in cells {
                match self.gates.at(offset.cell_from(anchor)) {
                    NO_GATE => {}
                    gate => match held.iter_mut().find(|held| held.0 == gate) {
                        Some(held) => held.1 += 1,
                        None => held.push((gate, 1)),
                    },
                }
            }
            let ticks = u64::from(pair[1].arrival - pair[0].arrival);
            for &(gate, cells) in &held {
                let width = self.gates.widths[gate as usize];
                for resource in 0..RESOURCES {
                    let taken = &self.taken[gate as usize * RESOURCES + resource];
                    taken.fetch_add(ticks * u64::from(weight(resource, width, cells)), Ordering::Relaxed);
                }
            }
        }
    }

    /// The resource of which the counted paths take the largest share: what they take, and what a run of `ticks`
    /// ticks has. Zeros without gates.
    pub fn busiest(&self, ticks: u32) -> (u64, u64) {
        let is_busier = |(taken, supply): (u64, u64), (most, of): (u64, u64)| {
            u128::from(taken) * u128::from(of) > u128::from(most) * u128::from(supply)
        };
        let mut busiest = (0, 0);
        for (number, taken) in self.taken.iter().enumerate() {
            let width = self.gates.widths[number / RESOURCES];
            let Some(capacity) = capacity(number % RESOURCES, width) else { continue };
            let share = (taken.load(Ordering::Relaxed), u64::from(capacity) * u64::from(ticks));
            if busiest.1 == 0 || is_busier(share, busiest) {
                busiest = share;
            }
        }
        busiest
    }
}

/// Weight of an agent that holds `held` cells of a gate: these cells, or whether they exceed a half or a third of the
/// gate.
fn weight(resource: usize, width: u32, held: u32) -> u32 {
    match resource {
        0 => held,
        _ => u32::from(held > width / (resource as u32 + 1)),
    }
}

/// Most that the weights of all agents can add up to at a tick; `None` where the number of cells is the tighter limit.
fn capacity(resource: usize, width: u32) -> Option<u32> {
    match resource as u32 {
        0 => Some(width),
        // That many agents hold fewer cells than the gate has.
        most => (most * (width / (most + 1) + 1) < width).then_some(most),
    }
}
