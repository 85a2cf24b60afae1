#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use super::*;
use crate::scenes::{class, drive, map, setup};
use crate::world::World;
use crate::{Order, RunState, Spawn};
use std::collections::BTreeMap;
use wheelbase_planner::{ClassSpec, Heading, Pose, Primitive};
use wheelbase_traffic::motion::ClassId;
use wheelbase_traffic::random::Random;

/// A crowd of two classes, one of them long, on a square or hexagonal map; each agent has an order.
fn crowd(random: &mut Random, is_hex: bool) -> World {
    let (shape, spec): (_, fn(&str) -> ClassSpec) = match is_hex {
        true => (GridShape::Hex, |name| ClassSpec::hexagonal(name, 6)),
        false => (GridShape::Square, |name| ClassSpec::new(name, 4)),
    };
    let cart = class(spec("cart"), &[(0, 0)], drive(4, 4));
    let truck = class(spec("truck"), &[(0, 0), (-1, 0), (-2, 0), (-3, 0)], Primitive::vehicle(9, 40, 9));
    let grid = map(&vec![".".repeat(40); 40]).with_shape(shape);
    let mut setup = setup(400, grid, vec![cart, truck]);
    for number in 0..20 {
        let class = ClassId(random.below(2) as u8);
        let from = Pose::new(5 + number % 4 * 9, 5 + number / 4 * 7, Heading(0));
        let to = CellXY::new(5 + random.below(30) as i32, 5 + random.below(30) as i32);
        setup.agents.push(Spawn::new(class, from).with_orders([Order::goto(to)]));
    }
    World::new(setup).unwrap()
}

/// The planned moves of all agents by cell and direction, without optimisation.
fn reference(world: &World) -> BTreeMap<(CellXY, usize), u32> {
    let mut counts = BTreeMap::new();
    for (motion, &path) in world.agents.motion.iter().zip(&world.agents.paths) {
        let tables = &world.tables[usize::from(motion.class.0)];
        let (mut state, mut ticks) = (end_state(tables, motion), 0);
        for (number, &primitive) in world.paths().moves(path).iter().enumerate() {
            ticks += tables.move_ticks(state, usize::from(primitive)).unwrap();
            let from = tables.space().pose(state).cell;
            state = tables.state_after(state, usize::from(primitive));
            let to = tables.space().pose(state);
            if number >= 128 || ticks > 1024 || from == to.cell {
                continue;
            }
            let direction = direction_to(world.grid.shape(), from, to.cell).unwrap();
            for offset in tables.class().cells_at(to) {
                *counts.entry((offset.cell_from(to.cell), direction)).or_default() += 1;
            }
        }
    }
    counts.into_iter().map(|(at, count): (_, u32)| (at, count.min(255))).collect()
}

/// At the end of each period the counts equal the reference, whatever was counted before.
#[test]
fn planned_flow_is_the_planned_moves_of_all_agents() {
    let mut some = 0;
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut world = crowd(&mut random, seed % 2 == 1);
        let mut planned = PlannedFlow::new(world.grid.size(), world.grid.shape(), ReplanParams::USUAL);
        for _ in 0..5 {
            (0..random.below(60)).for_each(|_| assert!(world.step() == RunState::Running));
            // The agents stand still during the count.
            for tick in 0..ReplanParams::USUAL.planned_period_ticks {
                planned.renew(tick, &world.agents, &world.tables);
            }
            let expected_counts = reference(&world);
            for (number, cell) in world.grid.size().rect().cells().enumerate() {
                for (direction, &count) in planned.at(number).iter().enumerate() {
                    let expected = expected_counts.get(&(cell, direction)).copied().unwrap_or(0);
                    assert_eq!(u32::from(count), expected, "{cell:?} {direction}");
                    some += usize::from(expected > 0);
                }
            }
        }
    }
    assert!(some > 10_000, "{some} cells in use");
}

/// During a count readers see the last complete one.
#[test]
fn only_complete_counts_are_read() {
    let mut random = Random::new(5);
    let mut world = crowd(&mut random, false);
    (0..20).for_each(|_| assert!(world.step() == RunState::Running));
    let mut planned = PlannedFlow::new(world.grid.size(), world.grid.shape(), ReplanParams::USUAL);
    let is_empty = |planned: &PlannedFlow| planned.counts.complete.iter().all(|&count| count == 0);
    for tick in 0..ReplanParams::USUAL.planned_period_ticks {
        assert!(is_empty(&planned), "at {tick}");
        planned.renew(tick, &world.agents, &world.tables);
    }
    let first = planned.counts.complete.clone();
    assert!(!is_empty(&planned));
    (0..40).for_each(|_| assert!(world.step() == RunState::Running));
    for tick in 0..ReplanParams::USUAL.planned_period_ticks {
        assert_eq!(planned.counts.complete, first, "at {tick}");
        planned.renew(tick, &world.agents, &world.tables);
    }
    assert_ne!(planned.counts.complete, first);
}

/// A single agent is in nobody's way, not even its own.
#[test]
fn a_single_agent_is_not_counted() {
    let mut random = Random::new(6);
    let mut world = crowd(&mut random, false);
    (0..20).for_each(|_| assert!(world.step() == RunState::Running));
    let mut planned = PlannedFlow::new(world.grid.size(), world.grid.shape(), ReplanParams::USUAL);
    let count = |planned: &mut PlannedFlow, world: &World| {
        for tick in 0..ReplanParams::USUAL.planned_period_ticks {
            planned.renew(tick, &world.agents, &world.tables);
        }
        planned.counts.complete.iter().any(|&count| count > 0)
    };
    assert!(count(&mut planned, &world));
    (1..world.agents.len()).for_each(|row| world.remove(row));
    world.agents.close_up();
    assert!(!world.agents.moves(0).is_empty() && !count(&mut planned, &world));
}
