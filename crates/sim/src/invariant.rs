//! What must hold after every tick, checked the obvious way, from the agents alone.

pub use crate::violation::Violation;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{Cell, CellXY};
use wheelbase_planner::Legality;
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::motion::AgentId;

/// Checks a simulation between two ticks: no cell is held by two agents, the reservation agrees with
/// where the agents are, no move is overdue, and every pose but those that an edit stranded is legal by the
/// slow rule.
pub fn check(world: &World) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut holders: BTreeMap<CellXY, AgentId> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    // Linear in the kinds and the class's shapes: once a class, not once an agent.
    let rules: Vec<Legality> =
        world.tables().iter().map(|tables| Legality::new(world.grid(), tables.class())).collect();
    for row in 0..world.agents().len() {
        let agent = world.agents().ids[row];
        let (anchor, cells) = world.held_cells(row);
        for offset in cells {
            let cell = offset.cell_from(anchor);
            if let Some(&first) = holders.get(&cell)
                && pairs.insert((first, agent))
            {
                found.push(Violation::Overlap { first, second: agent, cell });
            }
            holders.entry(cell).or_insert(agent);
        }
        let motion = &world.agents().motion[row];
        if !motion.at_rest() && motion.until <= world.tick() {
            found.push(Violation::Overdue { agent, until: motion.until });
        }
        let stranded = world.agents().wait_states[row].stranded;
        if !stranded && rules[motion.class.0 as usize].check_pose(world.pose(row)).is_err() {
            found.push(Violation::IllegalPose { agent });
        }
    }
    if world.settings().collision == CollisionRule::Discrete {
        find_exchanges(world, &mut found);
    }
    find_given(world, &mut found);
    for cell in world.grid().size().rect().cells() {
        let (kept, right) = (world.occupancy().holder_at(cell), holders.get(&cell).copied());
        if kept != right {
            found.push(Violation::Reservation { cell, kept, right });
        }
    }
    found
}

/// Poses that have been given: none of them overlap, and no other cell is kept for anybody.
fn find_given(world: &World, found: &mut Vec<Violation>) {
    let mut right_of: BTreeMap<CellXY, AgentId> = BTreeMap::new();
    for (row, state) in world.agents().given.iter().enumerate() {
        let Some(state) = *state else { continue };
        let (agent, class) = (world.agents().ids[row], world.agents().motion[row].class);
        let tables = &world.tables()[class.0 as usize];
        let pose = tables.space().pose(state);
        for offset in tables.class().cells_at(pose) {
            let cell = offset.cell_from(pose.cell);
            let right = *right_of.entry(cell).or_insert(agent);
            if right != agent {
                found.push(Violation::Given { cell, kept: Some(agent), right: Some(right) });
            }
        }
    }
    let size = world.grid().size();
    for cell in (0..size.n_cells() as u32).map(Cell) {
        let (kept, right) = (world.given.holder(cell), right_of.get(&size.xy(cell)).copied());
        if kept != right {
            found.push(Violation::Given { cell: size.xy(cell), kept, right });
        }
    }
}

/// Of moves that ended at the present tick: each of two ended on what the other gave up.
fn find_exchanges(world: &World, found: &mut Vec<Violation>) {
    let place = |row: u32, state| {
        let tables = &world.tables()[world.agents().motion[row as usize].class.0 as usize];
        let pose = tables.space().pose(state);
        let cells = tables.class().cells_at(pose).iter();
        cells.map(|o| o.cell_from(pose.cell)).collect::<BTreeSet<_>>()
    };
    let places: Vec<_> = world
        .ended
        .iter()
        .map(|&(row, before)| {
            (row, place(row, before), place(row, world.agents().motion[row as usize].state))
        })
        .collect();
    for (at, (row, before, after)) in places.iter().enumerate() {
        for (other, other_before, other_after) in &places[at + 1..] {
            if !after.is_disjoint(other_before) && !other_after.is_disjoint(before) {
                let (first, second) =
                    (world.agents().ids[*row as usize], world.agents().ids[*other as usize]);
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
