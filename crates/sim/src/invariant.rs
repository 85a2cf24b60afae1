//! What must hold after every tick, checked the obvious way, from the agents alone.

use crate::motion::AgentId;
use crate::reservation::CollisionRule;
use crate::world::Simulation;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use wheelbase_grid::{Cell, CellXY};
use wheelbase_planner::Legality;

/// Something that must never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Two agents hold a cell.
    Overlap {
        /// The one of lower id.
        first: AgentId,
        /// The other.
        second: AgentId,
        /// One of the cells.
        cell: CellXY,
    },
    /// Two agents whose moves ended at one tick have exchanged places (discrete rule).
    Exchange {
        /// The one of lower id.
        first: AgentId,
        /// The other.
        second: AgentId,
    },
    /// The reservation does not say who holds a cell.
    Reservation {
        /// The cell.
        cell: CellXY,
        /// Who it says.
        kept: Option<AgentId>,
        /// Who does.
        right: Option<AgentId>,
    },
    /// What is kept of the poses that have been given is not what the agents have.
    Given {
        /// A cell of a given pose.
        cell: CellXY,
        /// Who it is kept for.
        kept: Option<AgentId>,
        /// Who has been given it; of several the one of lowest id.
        right: Option<AgentId>,
    },
    /// A move in progress has no end in the future.
    Overdue {
        /// The agent.
        agent: AgentId,
        /// Tick at which its move ended or should have.
        until: u32,
    },
    /// An agent rests in a pose that is not legal, though no edit stranded it.
    IllegalPose {
        /// The agent.
        agent: AgentId,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            |agent: &Option<AgentId>| agent.map_or("nobody".to_owned(), |id| format!("agent {}", id.0));
        match self {
            Self::Overlap { first, second, cell } => {
                write!(f, "agents {} and {} both hold cell {cell}", first.0, second.0)
            }
            Self::Exchange { first, second } => {
                write!(f, "agents {} and {} exchange places", first.0, second.0)
            }
            Self::Reservation { cell, kept, right } => {
                write!(f, "cell {cell} is reserved for {}, but {} holds it", name(kept), name(right))
            }
            Self::Given { cell, kept, right } => {
                write!(f, "cell {cell} is given to {}, but kept for {}", name(right), name(kept))
            }
            Self::Overdue { agent, until } => {
                write!(f, "the move of agent {} should have ended at tick {until}", agent.0)
            }
            Self::IllegalPose { agent } => write!(f, "agent {} rests in a pose that is not legal", agent.0),
        }
    }
}

/// Checks a simulation between two ticks: no cell is held by two agents, the reservation agrees with
/// where the agents are, no move is overdue, and every pose but those that an edit stranded is legal by the
/// slow rule.
pub fn check(sim: &Simulation) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut holders: BTreeMap<CellXY, AgentId> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    // Linear in the kinds and the class's shapes: once a class, not once an agent.
    let rules: Vec<Legality> =
        sim.tables().iter().map(|tables| Legality::new(sim.grid(), tables.class())).collect();
    for row in 0..sim.agents().len() {
        let agent = sim.agents().ids[row];
        let (anchor, cells) = sim.held_cells(row);
        for offset in cells {
            let cell = offset.cell_from(anchor);
            if let Some(&first) = holders.get(&cell)
                && pairs.insert((first, agent))
            {
                found.push(Violation::Overlap { first, second: agent, cell });
            }
            holders.entry(cell).or_insert(agent);
        }
        let motion = &sim.agents().motion[row];
        if !motion.at_rest() && motion.until <= sim.tick() {
            found.push(Violation::Overdue { agent, until: motion.until });
        }
        let stranded = sim.agents().patience[row].stranded;
        if !stranded && rules[motion.class.0 as usize].check_pose(sim.pose(row)).is_err() {
            found.push(Violation::IllegalPose { agent });
        }
    }
    if sim.settings().collision == CollisionRule::Discrete {
        find_exchanges(sim, &mut found);
    }
    find_given(sim, &mut found);
    for cell in sim.grid().size().rect().cells() {
        let (kept, right) = (sim.reservation().holder_at(cell), holders.get(&cell).copied());
        if kept != right {
            found.push(Violation::Reservation { cell, kept, right });
        }
    }
    found
}

/// Poses that have been given: none of them overlap, and no other cell is kept for anybody.
fn find_given(sim: &Simulation, found: &mut Vec<Violation>) {
    let mut right_of: BTreeMap<CellXY, AgentId> = BTreeMap::new();
    for (row, state) in sim.agents().given.iter().enumerate() {
        let Some(state) = *state else { continue };
        let (agent, class) = (sim.agents().ids[row], sim.agents().motion[row].class);
        let tables = &sim.tables()[class.0 as usize];
        let pose = tables.space().pose(state);
        for offset in tables.class().cells_at(pose) {
            let cell = offset.cell_from(pose.cell);
            let right = *right_of.entry(cell).or_insert(agent);
            if right != agent {
                found.push(Violation::Given { cell, kept: Some(agent), right: Some(right) });
            }
        }
    }
    let size = sim.grid().size();
    for cell in (0..size.n_cells() as u32).map(Cell) {
        let (kept, right) = (sim.given.holder(cell), right_of.get(&size.xy(cell)).copied());
        if kept != right {
            found.push(Violation::Given { cell: size.xy(cell), kept, right });
        }
    }
}

/// Of moves that ended at the present tick: each of two ended on what the other gave up.
fn find_exchanges(sim: &Simulation, found: &mut Vec<Violation>) {
    let place = |row: u32, state| {
        let tables = &sim.tables()[sim.agents().motion[row as usize].class.0 as usize];
        let pose = tables.space().pose(state);
        let cells = tables.class().cells_at(pose).iter();
        cells.map(|o| o.cell_from(pose.cell)).collect::<BTreeSet<_>>()
    };
    let places: Vec<_> = sim
        .ended
        .iter()
        .map(|&(row, before)| (row, place(row, before), place(row, sim.agents().motion[row as usize].state)))
        .collect();
    for (at, (row, before, after)) in places.iter().enumerate() {
        for (other, other_before, other_after) in &places[at + 1..] {
            if !after.is_disjoint(other_before) && !other_after.is_disjoint(before) {
                let (first, second) = (sim.agents().ids[*row as usize], sim.agents().ids[*other as usize]);
                found.push(Violation::Exchange { first, second });
            }
        }
    }
}

/// Pairs of agents in violation among the findings.
pub fn colliding_pairs(found: &[Violation]) -> u64 {
    let colliding = |v: &&Violation| matches!(v, Violation::Overlap { .. } | Violation::Exchange { .. });
    found.iter().filter(colliding).count() as u64
}
