//! What hosts do to agents between two ticks: hold, other speeds, other classes, other teams.

use super::ground::{Ground, RULES, at, dot, ground, rule, truck};
use super::hand_world::{HandWorld, Trips, cooperative, to};
use super::teams::step;
use crate::collision::CollisionRule;
use crate::motion::{Activity, AgentId};
use crate::params::TrafficParams;
use crate::random::Random;
use crate::rule::Traffic;
use crate::speed::ticks_at_speed;
use crate::teams::Team;
use crate::view::CommandedMove;
use crate::{Commanded, UnitRobots};
use proptest::prelude::*;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, TerrainKind};
use wheelbase_planner::{ClassSpec, Heading, Pose, Primitive};

/// An agent on hold rests in a lane with a bay: nobody pushes it, whatever its priority; put off hold it is pushed.
#[test]
fn one_on_hold_is_not_pushed() {
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&["####.##", "......."], &[dot(2)]), collision);
        let held = world.add(0, at(3, 1), -1000, Trips::default());
        let walker = world.add(0, at(0, 1), 1000, to(6, 1));
        world.set_hold(held, true);
        let mut rule = cooperative(&world);
        let mut has_asked = false;
        for _ in 0..300 {
            step(&mut world, &mut rule);
            has_asked |= world.decisions.around.contains(&1);
            assert_eq!((world.pose(held), rule.is_yielding(held)), (at(3, 1), false));
        }
        assert!(has_asked && !world.busy.contains(0), "{collision:?}");
        world.set_hold(held, false);
        while world.done(walker) == 0 {
            assert!(world.tick < 500, "{collision:?}");
            step(&mut world, &mut rule);
        }
    }
}

/// An agent is put on hold while another has planned to cross the cells on which it will rest. It stops there all the
/// same, and nobody overlaps it.
#[test]
fn one_stops_where_others_had_planned_to_go() {
    for collision in RULES {
        for tick_of_hold in 1..12 {
            let ground = Ground::square(&["......", "......", "......"], &[dot(3)]);
            let mut world = HandWorld::new(ground, collision);
            let held = world.add(0, at(0, 1), 9, to(5, 1));
            let follower = world.add(0, at(3, 0), 0, to(3, 2));
            world.add(0, at(2, 2), 5, to(2, 0));
            let mut rule = cooperative(&world);
            while world.tick < tick_of_hold {
                step(&mut world, &mut rule);
            }
            world.set_hold(held, true);
            let moves = (0..12).filter(|_| {
                step(&mut world, &mut rule);
                world.decisions.starts.iter().any(|start| start.row == 0)
            });
            assert_eq!(moves.count(), 0, "{collision:?}, tick {tick_of_hold}");
            world.run(&mut rule, 200);
            assert_eq!(world.motion[0].activity, Activity::Holding);
            assert_eq!(world.done(follower), 1, "{collision:?}, tick {tick_of_hold}");
        }
    }
}

/// An agent that is alone takes the time of each move at its own speed, also on slow ground. A change counts from the
/// next move on.
#[test]
fn moves_take_their_time_at_the_speed_of_the_agent() {
    for collision in RULES {
        for (before, after) in
            [(1000, 500), (500, 1000), (3000, 30), (30, 65_535), (65_535, 700), (999, 1001)]
        {
            let ground = Ground::square(&["....mmss...."], &[dot(7)]);
            let mut world = HandWorld::new(ground, collision);
            let id = world.add(0, at(0, 0), 0, to(11, 0));
            world.set_speed(id, before);
            let mut rule = cooperative(&world);
            let (mut begun, mut lasted) = (0, Vec::new());
            while !world.all_done() {
                step(&mut world, &mut rule);
                if world.moves_begun > begun {
                    begun = world.moves_begun;
                    // It is alone, and begins a move as soon as the last has ended.
                    lasted.extend(world.decisions.starts.iter().map(|start| (world.tick - 1, start.ticks)));
                    if begun == 6 {
                        world.set_speed(id, after);
                    }
                }
            }
            let tables = &world.ground.tables[0];
            let mut begins = lasted[0].0;
            for (number, x) in (0..11).enumerate() {
                let state = tables.space().state(at(x, 0)).unwrap();
                let factor = if number < 6 { before } else { after };
                let ticks = ticks_at_speed(tables.move_ticks(state, 0).unwrap(), factor);
                assert_eq!(
                    lasted[number],
                    (begins, ticks),
                    "{collision:?}: {before} then {after}, move {number}"
                );
                begins += ticks;
            }
        }
    }
}

/// A slow agent before fast ones in a lane, and on open ground: they keep behind it or overtake.
#[test]
fn slow_and_fast_agents_share_the_ground() {
    for collision in RULES {
        for rows in [vec!["...................."; 1], vec!["...................."; 5]] {
            let is_open = rows.len() > 1;
            let mut world = HandWorld::new(Ground::square(&rows, &[dot(4)]), collision);
            let y = rows.len() as i32 / 2;
            let slow = world.add(0, at(3, y), 0, to(19, y));
            let fast = world.add(0, at(1, y), 0, if is_open { to(18, y - 1) } else { to(18, y) });
            world.set_speed(slow, 250);
            world.set_speed(fast, 4000);
            let mut rule = cooperative(&world);
            let mut arrivals = Vec::new();
            while !world.all_done() {
                assert!(world.tick < 900, "{collision:?}, {} rows", rows.len());
                step(&mut world, &mut rule);
                arrivals.extend([slow, fast].into_iter().filter(|&id| {
                    let motion = &world.motion[world.row(id)];
                    motion.activity == Activity::Arrived
                }));
            }
            let expected = if is_open { fast } else { slow };
            assert_eq!(arrivals.first(), Some(&expected), "{collision:?}, {} rows", rows.len());
        }
    }
}

/// Agents take a longer or shorter body in a crowd, and drive on with it.
#[test]
fn one_of_another_class_goes_on_in_a_crowd() {
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&["............"; 8], &[dot(2), truck()]), collision);
        let mut random = Random::new(5);
        let ids: Vec<AgentId> = (0..12)
            .filter_map(|number| {
                let goals = vec![CellXY::new(1 + number % 3, 1 + number / 2), CellXY::new(9, 6 - number / 2)];
                let trips = Trips { goals, is_patrol: true, done: 0 };
                world.add_anywhere((number % 2) as u8, 0, trips, &mut random)
            })
            .collect();
        let mut rule = cooperative(&world);
        let mut changed = 0;
        for _ in 0..600 {
            step(&mut world, &mut rule);
            changed += u32::from(change_class(&mut world, ids[random.below(ids.len())], &mut random));
        }
        let done: Vec<usize> = ids.iter().map(|&id| world.done(id)).collect();
        assert!(changed > 100 && done.iter().sum::<usize>() > 60, "{collision:?}: {changed}, {done:?}");
    }
}

/// Gives an agent that rests another class in its cell, with any heading; says whether there was room.
fn change_class(world: &mut HandWorld, id: AgentId, random: &mut Random) -> bool {
    let (row, cell) = (world.row(id), world.pose(id).cell);
    if !world.motion[row].at_rest() {
        return false;
    }
    let class = random.below(world.ground.tables.len());
    let tables = &world.ground.tables[class];
    let heading = Heading(random.below(usize::from(tables.space().headings())) as u8);
    let state = tables.space().state(Pose { cell, heading }).filter(|&state| tables.is_legal(state));
    state.is_some_and(|state| world.set_class(id, class as u8, state))
}

/// Agents of four teams; at each tick hosts do anything to them.
fn check_anything(
    ground: &Ground,
    collision: CollisionRule,
    seed: u64,
    ticks: u32,
) -> Result<(), TestCaseError> {
    let (mut world, mut random) = (HandWorld::new(ground.clone(), collision), Random::new(seed));
    world.friends.befriend(Team(0), Team(1));
    world.friends.befriend(Team(1), Team(2));
    let mut rule = cooperative(&world);
    let size = ground.grid.size();
    let place = |world: &mut HandWorld, random: &mut Random| {
        let class = random.below(ground.tables.len());
        let goals = (0..random.below(3)).filter_map(|_| ground.any_state(class, random));
        let space = ground.tables[class].space();
        let goals = goals.map(|goal| space.pose(goal).cell).collect();
        let trips = Trips { goals, is_patrol: true, done: 0 };
        if let Some(id) = world.add_anywhere(class as u8, random.below(40) as i32, trips, random) {
            world.set_team(id, Team(random.below(4) as u8));
            world.set_speed(id, [300, 1000, 1000, 2500][random.below(4)]);
        }
    };
    (0..12).for_each(|_| place(&mut world, &mut random));
    for _ in 0..ticks {
        if !world.ids.is_empty() {
            let id = world.ids[random.below(world.ids.len())];
            match random.below(40) {
                0 => world.remove(id),
                1 | 2 => world.set_hold(id, !world.holds[world.row(id)]),
                3 | 4 => world.set_team(id, Team(random.below(4) as u8)),
                5 | 6 => world.set_speed(id, [1, 100, 700, 1000, 1300, 9000, 65_535][random.below(7)]),
                7..10 => {
                    change_class(&mut world, id, &mut random);
                }
                10 => world.friends.befriend(Team(random.below(4) as u8), Team(random.below(4) as u8)),
                11 => {
                    let rest = world.motion.iter().all(|motion| motion.at_rest());
                    let (x, y) = (random.below(size.width() as usize), random.below(size.height() as usize));
                    let cell = CellXY::new(x as i32, y as i32);
                    if rest && world.occupancy.holder_at(cell).is_none() {
                        let area = wheelbase_grid::Rect::new(cell.x, cell.y, 1, 1);
                        world.edit(area, TerrainKind(random.below(4) as u8));
                    }
                }
                12 => {
                    world.refuse_next.insert(random.below(world.ids.len()) as u32);
                }
                _ => {}
            }
        }
        if random.below(20) == 0 {
            place(&mut world, &mut random);
        }
        let held: Vec<(AgentId, Pose)> = (0..world.ids.len())
            .filter(|&row| world.holds[row] && world.motion[row].at_rest())
            .map(|row| (world.ids[row], world.pose(world.ids[row])))
            .collect();
        step(&mut world, &mut rule);
        for (id, pose) in held {
            let motion = &world.motion[world.row(id)];
            prop_assert!(world.pose(id) == pose && motion.at_rest() && motion.activity == Activity::Holding);
        }
        let view = world.view();
        let audit = rule.audit(view.agents, view.tables, view.grid_size, view.tick);
        audit.check_corridor_map();
        audit.check_given_up(&world.decisions.give_up);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(120), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anything_done_to_agents_leaves_them_apart(
        ground in prop_oneof![ground(5), ground(20)], rule in rule(), seed in any::<u64>(),
    ) {
        let Some(ground) = ground else { return Ok(()) };
        check_anything(&ground, rule, seed, 200)?;
    }

    #[test]
    fn anything_done_in_corridors_leaves_them_apart(rule in rule(), seed in any::<u64>()) {
        let rows = ["....#######.....", "................", "....#######.....", "................", "....#######....."];
        check_anything(&Ground::square(&rows, &[dot(1), truck()]), rule, seed, 300)?;
    }
}

/// Robots come and go, are put on hold, slowed down and turned about. Robots that can go on do, and nobody overlaps.
/// A robot on hold, or too slow for a tick, stays where it is.
#[test]
fn unit_robots_bear_anything_done_to_them() {
    let mut robot = ClassSpec::new("robot", 4);
    robot.primitives =
        vec![Primitive::step("F", (1, 0), 1), Primitive::turn("L", 1, 1), Primitive::turn("R", -1, 1)];
    let ground =
        Ground::square(&["..........", ".#.#..#.#.", "..........", "..#.##.#..", ".........."], &[robot]);
    let (mut world, mut random) = (HandWorld::new(ground, CollisionRule::Discrete), Random::new(2));
    let place = |world: &mut HandWorld, random: &mut Random| {
        let goals = (0..3).filter_map(|_| world.ground.any_state(0, random));
        let space = world.ground.tables[0].space();
        let goals = goals.map(|goal| space.pose(goal).cell).collect();
        world.add_anywhere(0, 0, Trips { goals, is_patrol: true, done: 0 }, random);
    };
    (0..12).for_each(|_| place(&mut world, &mut random));
    let tables = &world.ground.tables[0];
    let mut rule = UnitRobots::new(tables, CollisionRule::Discrete, 12, 1, TrafficParams::USUAL).unwrap();
    world.search_budget = 20;
    for _ in 0..3000 {
        let id = world.ids[random.below(world.ids.len())];
        match random.below(60) {
            0 => {
                world.remove(id);
                place(&mut world, &mut random);
            }
            1 => place(&mut world, &mut random),
            2 if world.ids.len() > 8 => world.remove(id),
            3 | 4 => world.set_hold(id, !world.holds[world.row(id)]),
            5 | 6 => world.set_speed(id, [200, 999, 1000, 2000][random.below(4)]),
            7 => {
                change_class(&mut world, id, &mut random);
            }
            8 => {
                world.refuse_next.insert(random.below(world.ids.len()) as u32);
            }
            _ => {}
        }
        let stays = |row: &usize| world.holds[*row] || world.speed_factors[*row] < 1000;
        let stay: Vec<_> = (0..world.ids.len()).filter(stays).collect();
        let before: Vec<_> = stay.iter().map(|&row| world.motion[row].state).collect();
        world.step(&mut rule);
        assert!(stay.iter().map(|&row| world.motion[row].state).eq(before), "tick {}", world.tick);
        if world.ids.len() > 20 {
            world.remove(world.ids[0]);
        }
    }
    assert!(world.moves_begun > 5000, "{}", world.moves_begun);
}

/// A clone of a rule decides as the rule itself, tick by tick, whatever is under way.
#[test]
fn clones_decide_alike() {
    for (collision, at_tick) in RULES.into_iter().flat_map(|rule| [(rule, 30), (rule, 171)]) {
        let rows = [
            "....#######.....",
            "................",
            "....#######.....",
            "................",
            "....#######.....",
        ];
        let ground = Ground::square(&rows, &[dot(1), truck()]);
        let mut worlds = [9, 9].map(|seed| {
            let (mut world, mut random) = (HandWorld::new(ground.clone(), collision), Random::new(seed));
            for number in 0..14 {
                let goals = vec![CellXY::new(1, number % 5), CellXY::new(14, number / 3)];
                let class = (number % 2) as u8;
                world.add_anywhere(class, number, Trips { goals, is_patrol: true, done: 0 }, &mut random);
            }
            world
        });
        let mut rules: [Box<dyn Traffic>; 2] = [Box::new(cooperative(&worlds[0])), Box::new(Commanded)];
        for tick in 0..400 {
            let [rule, other] = &mut rules;
            if tick == at_tick {
                *other = rule.clone_box();
            }
            let [world, other_world] = &mut worlds;
            world.step(&mut **rule);
            if tick < at_tick {
                continue;
            }
            if tick == at_tick {
                // The other world is brought to where this one was by the same ticks under a fresh rule.
                let mut fresh = cooperative(other_world);
                (0..tick).for_each(|_| other_world.step(&mut fresh));
            }
            other_world.step(&mut **other);
            let words = |rule: &dyn Traffic| {
                let mut words = Vec::new();
                rule.for_each_word(&mut |word| words.push(word));
                words
            };
            assert_eq!(words(&**rule), words(&**other), "{collision:?}, tick {tick}");
            assert_eq!(format!("{:?}", world.motion), format!("{:?}", other_world.motion));
        }
        assert!(worlds[0].moves_begun > 500);
    }
}

/// A host moves agents at will, with paths or without: legal moves that overlap nothing begin, at the speed of the
/// agent.
#[test]
fn commanded_moves_begin_where_they_can() {
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&["...#", "...."], &[dot(2)]), collision);
        let ids = [(0, 0), (1, 0), (2, 0)].map(|(x, y)| world.add(0, at(x, y), 0, Trips::default()));
        let goer = world.add(0, at(0, 1), 0, to(1, 1));
        world.set_speed(ids[2], 500);
        let mut rule = Commanded;
        let command = |row, primitive| CommandedMove { row, primitive };
        // North off the map, east into rock, an unknown primitive, an unknown agent: all left out.
        world.commanded = vec![command(0, 1), command(2, 0), command(1, 4), command(9, 0), command(3, 0)];
        world.step(&mut rule);
        assert_eq!(world.decisions.starts.iter().map(|start| start.row).collect::<Vec<_>>(), [3]);
        // South, slowly; it is under way when it is named again.
        world.commanded = vec![command(2, 3)];
        world.step(&mut rule);
        assert_eq!((world.decisions.starts[0].row, world.decisions.starts[0].ticks), (2, 4));
        world.commanded = vec![command(2, 2)];
        world.step(&mut rule);
        assert!(world.decisions.starts.is_empty());
        for _ in 0..3 {
            world.step(&mut rule);
        }
        assert_eq!((world.pose(ids[2]), world.done(goer)), (at(2, 1), 1), "{collision:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(60), failure_persistence: None, ..ProptestConfig::default() })]

    /// The worst of hosts.
    #[test]
    fn commanded_at_random_nobody_overlaps(ground in ground(5), rule in rule(), seed in any::<u64>()) {
        let Some(ground) = ground else { return Ok(()) };
        let (mut world, mut random) = (HandWorld::new(ground, rule), Random::new(seed));
        for class in [0, 1, 0, 1, 0, 1, 0, 1] {
            if let Some(id) = world.add_anywhere(class, 0, Trips::default(), &mut random) {
                world.set_speed(id, [500, 1000, 3000][random.below(3)]);
            }
        }
        let mut commanded = Commanded;
        for _ in 0..150 {
            let rows: BTreeSet<u32> = (0..8).map(|_| random.below(10) as u32).collect();
            let moves = rows.into_iter().map(|row| CommandedMove { row, primitive: random.below(7) as u8 });
            world.commanded = moves.collect();
            world.may_overlap = true;
            world.step(&mut commanded);
        }
    }
}
