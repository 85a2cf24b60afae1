//! Invariants of a run, checked after a tick from the agents alone, without optimisation.

pub use crate::pool_check::{PoolSizes, check_pools, pool_sizes};
pub use crate::row_check::RowCheck;
use crate::rows::event_row::EventKind;
pub use crate::violation::Violation;
use crate::world::World;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{Cell, CellXY};
use wheelbase_planner::Legality;
use wheelbase_traffic::Cooperative;
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::motion::{AgentId, AgentSlot};

/// Checks a world between two ticks. No cell is held by two agents, the occupancy agrees with the agents, and no move
/// is overdue. Every pose is legal by the slow rule unless an edit stranded it.
pub fn check(world: &World) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut holders: BTreeMap<CellXY, AgentId> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    // Linear in the kinds and the shapes of the class: made once per class, not once per agent.
    let rules: Vec<Legality> =
        world.tables().iter().map(|tables| Legality::new(world.grid(), tables.class())).collect();
    for row in 0..world.agent_arrays().len() {
        let agent = world.agent_arrays().ids[row];
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
        let motion = &world.agent_arrays().motion[row];
        if !motion.at_rest() && motion.until <= world.tick() {
            found.push(Violation::Overdue { agent, until: motion.until });
        }
        let stranded = world.agent_arrays().wait_states[row].stranded;
        if !stranded && rules[motion.class.0 as usize].check_pose(world.pose(row)).is_err() {
            found.push(Violation::IllegalPose { agent });
        }
    }
    if world.settings().collision == CollisionRule::Discrete {
        find_exchanges(world, &mut found);
    }
    check_assigned_poses(world, &mut found);
    for cell in world.grid().size().rect().cells() {
        let held_by = world.occupancy.holder_at(cell).map(|slot| id_of(world, slot));
        let expected = holders.get(&cell).copied();
        if held_by != expected {
            found.push(Violation::Occupancy { cell, found: held_by, expected });
        }
    }
    found
}

/// The agent in an agent slot; [`AgentId::NOBODY`] if the slot is free.
fn id_of(world: &World, slot: AgentSlot) -> AgentId {
    world.agent_arrays().row_of_slot(slot).map_or(AgentId::NOBODY, |row| world.agent_arrays().ids[row])
}

/// Assigned poses do not overlap, and the map of assigned poses agrees with the agents.
fn check_assigned_poses(world: &World, found: &mut Vec<Violation>) {
    let mut owners: BTreeMap<CellXY, AgentId> = BTreeMap::new();
    for (row, state) in world.agent_arrays().assigned.iter().enumerate() {
        let Some(state) = *state else { continue };
        let (agent, class) = (world.agent_arrays().ids[row], world.agent_arrays().motion[row].class);
        let tables = &world.tables()[class.0 as usize];
        let pose = tables.space().pose(state);
        for offset in tables.class().cells_at(pose) {
            let cell = offset.cell_from(pose.cell);
            let owner = *owners.entry(cell).or_insert(agent);
            if owner != agent {
                found.push(Violation::AssignedPose { cell, found: Some(agent), expected: Some(owner) });
            }
        }
    }
    let size = world.grid().size();
    for cell in (0..size.n_cells() as u32).map(Cell) {
        let owner = world.assigned_poses.owner(cell).map(|slot| id_of(world, slot));
        let expected = owners.get(&size.xy(cell)).copied();
        if owner != expected {
            found.push(Violation::AssignedPose { cell: size.xy(cell), found: owner, expected });
        }
    }
}

/// Pairs of agents whose moves ended at the last tick, each on cells that the other gave up.
fn find_exchanges(world: &World, found: &mut Vec<Violation>) {
    let footprint = |row: u32, state| {
        let tables = &world.tables()[world.agent_arrays().motion[row as usize].class.0 as usize];
        let pose = tables.space().pose(state);
        let cells = tables.class().cells_at(pose).iter();
        cells.map(|o| o.cell_from(pose.cell)).collect::<BTreeSet<_>>()
    };
    let moves: Vec<_> = world
        .ended
        .iter()
        .map(|&(row, before)| {
            let after = world.agent_arrays().motion[row as usize].state;
            (row, footprint(row, before), footprint(row, after))
        })
        .collect();
    for (at, (row, before, after)) in moves.iter().enumerate() {
        for (other, other_before, other_after) in &moves[at + 1..] {
            if !after.is_disjoint(other_before) && !other_after.is_disjoint(before) {
                let (first, second) =
                    (world.agent_arrays().ids[*row as usize], world.agent_arrays().ids[*other as usize]);
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

/// Has the next tick visit every agent. Tests compare its results with the usual ones.
#[doc(hidden)]
pub fn visit_all(world: &mut World) {
    world.agents.busy.fill(world.agents.len());
}

/// Checks the state of the cooperative rule between two ticks. Panics at the first mistake. For tests.
#[doc(hidden)]
pub fn audit_rule(world: &World) {
    let rule: &dyn Any = &*world.traffic;
    let Some(rule) = rule.downcast_ref::<Cooperative>() else { panic!("the rule is another one") };
    let audit = rule.audit(world.agents.view(&[]), &world.tables, world.grid.size(), world.tick);
    audit.check_reservations();
    audit.check_heads();
    audit.check_inside();
    audit.check_no_stopping(world.paths());
    audit.check_given_up(&world.traffic_buffers.decisions.give_up);
    if world.events().iter().any(|event| event.kind() == Some(EventKind::EditDone)) {
        audit.check_corridor_map();
    }
}
