//! What the rule promises about arriving (`docs/traffic.md`, *Promises*), on random worlds.

use super::ground::{Ground, RULES};
use super::hand_world::{HandWorld, Trips, cooperative};
use crate::motion::Activity;
use crate::random::Random;
use wheelbase_grid::GridShape;
use wheelbase_planner::{ClassSpec, Primitive};

/// A class that can undo each of its moves.
fn vehicle(name: &str, (length, width): (i32, i32)) -> ClassSpec {
    let mut spec = ClassSpec::new(name, 4);
    spec.footprint = (0..length).flat_map(|front| (0..width).map(move |right| (front, right))).collect();
    spec.primitives = vec![
        Primitive::step("forward", (1, 0), 2),
        Primitive::step("reverse", (-1, 0), 6),
        Primitive::turn("left", 1, 3),
        Primitive::turn("right", -1, 3),
    ];
    spec
}

/// Open ground of 10 to 23 cells a side, one fifth or less covered by agents that rest, and one on its way.
fn jam(random: &mut Random) -> Option<HandWorld> {
    let [width, height] = [0; 2].map(|_| 10 + random.below(14));
    let size = [(1, 1), (2, 1), (3, 2)][random.below(3)];
    let classes = [vehicle("a", size), vehicle("b", (2, 1))];
    let ground = Ground::new(GridShape::Square, &vec![".".repeat(width); height], &classes)?;
    let mut world = HandWorld::new(ground, RULES[random.below(2)]);
    let goal = world.ground.any_state(0, random)?;
    let goals = vec![world.ground.tables[0].space().pose(goal).cell];
    world.add_anywhere(0, 0, Trips { goals, ..Trips::default() }, random)?;
    let (mut covered, most) = (0, width * height * random.below(21) / 100);
    while covered < most {
        let class = random.below(2) as u8;
        world.add_anywhere(class, 0, Trips::default(), random)?;
        covered += [(size.0 * size.1) as usize, 2][usize::from(class)];
    }
    Some(world)
}

/// The agent on its way arrives, whoever stands on its path or its goal.
#[test]
fn one_among_agents_at_rest_arrives_on_open_ground() {
    let (mut random, mut arrived) = (Random::new(17), 0);
    for round in 0..400 {
        let Some(mut world) = jam(&mut random) else { continue };
        let mut rule = cooperative(&world);
        let can_arrive = |world: &HandWorld| world.motion[0].activity != Activity::Unreachable;
        while !world.all_done() && can_arrive(&world) {
            assert!(world.tick < 3_000, "world {round}");
            world.step(&mut rule);
        }
        arrived += u32::from(world.all_done());
    }
    assert!(arrived > 300, "{arrived}");
}

/// In a jam that lasts, no agent with a path is left out: each repeats its search for a plan within 40 ticks.
#[test]
fn everyone_in_a_jam_gets_its_turn() {
    let classes = [vehicle("a", (2, 1)), vehicle("b", (3, 2))];
    let mut random = Random::new(5);
    for round in 0..20 {
        let ground = Ground::new(GridShape::Square, &["...................."; 16], &classes).unwrap();
        let mut world = HandWorld::new(ground, RULES[round % 2]);
        for number in 0..40 {
            let class = number % 2;
            let goal = world.ground.any_state(usize::from(class), &mut random).unwrap();
            let goals = vec![world.ground.tables[usize::from(class)].space().pose(goal).cell; 9];
            world.add_anywhere(class, 0, Trips { goals, ..Trips::default() }, &mut random);
        }
        let mut rule = cooperative(&world);
        for _ in 0..300 {
            world.step(&mut rule);
            for (&slot, motion) in world.slots.iter().zip(&world.motion) {
                let next_try = rule.table.heads[slot.index()].next_try;
                let is_due = motion.at_rest() && motion.activity == Activity::Following;
                assert!(!is_due || next_try <= world.tick + 40, "round {round}, tick {}", world.tick);
            }
        }
    }
}
