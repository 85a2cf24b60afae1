//! Few agents in hand-made scenes: one mechanism of a rule each.

use super::ground::{Ground, RULES, at, dot, truck};
use super::hand_world::{HandWorld, Trips, body_of, cooperative};
use crate::Cooperative;
use crate::collision::CollisionRule;
use crate::forbidden::ForbiddenArea;
use crate::motion::{Activity, AgentId, AgentSlot, YIELD_HOLD_TICKS};
use crate::params::TrafficParams;
use crate::rule::Traffic;
use crate::unit_robots::UnitRobots;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{ClassSpec, Heading, Pose, Primitive};

fn to(goals: &[(i32, i32)]) -> Trips {
    Trips { goals: goals.iter().map(|&(x, y)| CellXY::new(x, y)).collect(), ..Trips::default() }
}

fn patrol(goals: &[(i32, i32)]) -> Trips {
    Trips { is_patrol: true, ..to(goals) }
}

/// Steps until an agent has arrived at its first goal, and gives the tick.
fn arrival(world: &mut HandWorld, rule: &mut dyn Traffic, id: AgentId) -> u32 {
    while world.motion[world.row(id)].activity != Activity::Arrived {
        assert!(world.tick < 1000, "agent {} has not arrived", id.0);
        world.step(rule);
    }
    world.tick
}

/// An agent that is alone takes exactly its path's time, and makes no search.
#[test]
fn a_free_path_is_followed_without_a_search() {
    for collision in RULES {
        let mut spec = ClassSpec::new("a", 4);
        spec.primitives = vec![Primitive::step("ahead", (1, 0), 3), Primitive::turn("left", 1, 2)];
        let mut world = HandWorld::new(Ground::square(&[".".repeat(40).as_str(); 8], &[spec]), collision);
        let id = world.add(0, at(0, 7), 0, to(&[(30, 0)]));
        let mut rule = cooperative(&world);
        assert_eq!(arrival(&mut world, &mut rule, id), 37 * 3 + 2, "{collision:?}");
        world.run(&mut rule, 1000);
        assert_eq!((world.done(id), world.moves_begun), (1, 38));
        let mut n_fields = 0;
        rule.search.windows.for_each_word(&mut |_| n_fields += 1);
        assert_eq!(n_fields, 0, "{collision:?}");
    }
}

/// However many poses the searches of others take, an agent elsewhere moves as if they were not there.
#[test]
fn a_jam_takes_nothing_from_agents_elsewhere() {
    let rows = ["......#.....", "......#.....", "......#....."];
    for (collision, poses_per_agent) in
        RULES.into_iter().flat_map(|rule| [(rule, 1), (rule, 16), (rule, 1_000)])
    {
        let walk = |has_jam: bool| {
            let mut world = HandWorld::new(Ground::square(&rows, &[dot(2)]), collision);
            world.poses_per_agent = poses_per_agent;
            // Two that have to make way for each other in the room on the right, after all in the jam.
            let ids =
                [(7, 11), (11, 7)].map(|(x, goal)| world.add(0, at(x, 1), 0, patrol(&[(goal, 1), (x, 1)])));
            if has_jam {
                for cell in 0..16 {
                    world.add(
                        0,
                        at(cell % 6, cell / 6),
                        1,
                        patrol(&[(5 - cell % 6, 2 - cell / 6), (cell % 6, cell / 6)]),
                    );
                }
            }
            let mut rule = cooperative(&world);
            let step = |_| {
                world.step(&mut rule);
                ids.map(|id| world.motion[world.row(id)].state)
            };
            (0..300).map(step).collect::<Vec<_>>()
        };
        let (alone, beside_jam) = (walk(false), walk(true));
        assert!(
            alone.iter().collect::<BTreeSet<_>>().len() > 10,
            "{collision:?}, {poses_per_agent}: {alone:?}"
        );
        assert_eq!(alone, beside_jam, "{collision:?}, {poses_per_agent}");
    }
}

/// Two meet in a lane with a bay: the agent of higher priority goes straight on, the other lets it pass in the bay.
#[test]
fn head_on_in_a_lane_the_lower_priority_uses_the_bay() {
    for collision in RULES {
        let ground = Ground::square(&["###.###", "......."], &[dot(2)]);
        let mut world = HandWorld::new(ground, collision);
        let high = world.add(0, at(0, 1), 1, to(&[(6, 1)]));
        let low = world.add(0, at(6, 1), 0, to(&[(0, 1)]));
        let mut rule = cooperative(&world);
        let mut used_bay = BTreeSet::new();
        while !world.all_done() {
            assert!(world.tick < 300, "{collision:?}");
            world.step(&mut rule);
            for id in [high, low] {
                if world.pose(id).cell == CellXY::new(3, 0) {
                    used_bay.insert(id);
                }
            }
        }
        assert_eq!(used_bay, BTreeSet::from([low]), "{collision:?}");
    }
}

/// An idle agent in a lane is pushed into the bay, rests there, and belongs to nobody afterwards.
#[test]
fn an_idle_agent_is_pushed_out_of_the_way() {
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&["####.##", "......."], &[dot(2)]), collision);
        let idle = world.add(0, at(3, 1), 9, Trips::default());
        let pusher = world.add(0, at(0, 1), 0, to(&[(6, 1)]));
        let mut rule = cooperative(&world);
        let mut has_yielded = false;
        while !world.all_done() {
            assert!(world.tick < 200, "{collision:?}");
            world.step(&mut rule);
            has_yielded |= rule.is_yielding(idle);
            assert!(!rule.is_yielding(pusher));
        }
        assert!(has_yielded && world.pose(idle).cell == CellXY::new(4, 0), "{collision:?}");
        for _ in 0..YIELD_HOLD_TICKS + 2 {
            world.step(&mut rule);
        }
        assert!(!rule.is_yielding(idle) && world.motion[world.row(idle)].activity == Activity::Idle);
    }
}

/// Agents from both rooms go through one lane: at no time are there agents of both directions in it.
#[test]
fn a_corridor_is_entered_one_way_at_a_time() {
    let (room, wall) = (".....", "#######");
    let side = format!("{room}{wall}{room}");
    let lane = format!("{room}.......{room}");
    for collision in RULES {
        let rows = [side.as_str(), &side, &lane, &side, &side];
        let mut world = HandWorld::new(Ground::square(&rows, &[dot(1)]), collision);
        let east: Vec<AgentId> = (0..5).map(|y| world.add(0, at(0, y), 0, to(&[(16, y)]))).collect();
        let west: Vec<AgentId> = (0..5).map(|y| world.add(0, at(16, y), 0, to(&[(0, y)]))).collect();
        let mut rule = cooperative(&world);
        let mut turns = BTreeSet::new();
        while !world.all_done() {
            assert!(world.tick < 400, "{collision:?}");
            world.step(&mut rule);
            let inside = |ids: &[AgentId]| ids.iter().any(|&id| (5..12).contains(&world.pose(id).cell.x));
            let by_direction = [inside(&east), inside(&west)];
            assert_ne!(by_direction, [true, true], "{collision:?}: tick {}", world.tick);
            turns.insert(by_direction);
        }
        assert_eq!(turns.len(), 3, "{collision:?}");
    }
}

/// A long slow agent is about to cross the path of one of higher priority. It yields, and the other loses
/// no tick; without priority inheritance the other waits until all of the body has passed.
#[test]
fn priority_inheritance_gives_way_to_higher_priority() {
    let mut bar = ClassSpec::new("bar", 1);
    bar.footprint = (0..5).map(|y| (0, -y)).collect();
    bar.primitives = vec![Primitive::step("S", (0, 1), 4)];
    let (closed, open) = ("######..######", "..............");
    let rows: Vec<&str> = (0..14).map(|y| if y == 7 || y == 8 { open } else { closed }).collect();
    for collision in RULES {
        let arrives = [3, 1000].map(|displace_after_steps| {
            let mut world = HandWorld::new(Ground::square(&rows, &[dot(2), bar.clone()]), collision);
            let low = world.add(1, at(6, 4), 0, to(&[(6, 13)]));
            let params = TrafficParams { displace_after_steps, ..TrafficParams::USUAL };
            let (tables, size) = (&world.ground.tables, world.ground.grid.size());
            let mut rule = Cooperative::new(tables, size, collision, params);
            world.step(&mut rule);
            let high = world.add(0, at(0, 7), 100, to(&[(13, 7)]));
            let ticks = arrival(&mut world, &mut rule, high) - 1;
            world.run(&mut rule, 200);
            assert_eq!(world.done(low), 1);
            ticks
        });
        assert!(arrives[0] == 13 * 2 && arrives[1] > 13 * 2 + 8, "{collision:?}: {arrives:?}");
    }
}

/// The occupancy refuses a move: the agent has not moved, and goes on from where it is.
#[test]
fn a_refused_move_is_planned_again() {
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&["......."; 3], &[dot(2)]), collision);
        let refused = world.add(0, at(0, 1), 0, to(&[(6, 1)]));
        let other = world.add(0, at(6, 0), 0, to(&[(0, 0)]));
        let mut rule = cooperative(&world);
        for _ in 0..4 {
            world.step(&mut rule);
        }
        let before = world.pose(refused);
        world.refuse_next.insert(0);
        world.step(&mut rule);
        assert_eq!((world.pose(refused), world.motion[0].at_rest()), (before, true));
        assert_eq!(world.refused, [0]);
        // It loses the tick that it was refused at, and the other none.
        assert_eq!(arrival(&mut world, &mut rule, other), 12, "{collision:?}");
        assert_eq!(arrival(&mut world, &mut rule, refused), 13, "{collision:?}");
    }
}

/// An edit waits until its area is empty. An agent inside may leave it. An agent outside stops before it and continues
/// when the edit is withdrawn.
#[test]
fn a_waiting_edit_keeps_agents_out() {
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&["........"], &[dot(2)]), collision);
        let inside = world.add(0, at(4, 0), 0, to(&[(7, 0)]));
        let outside = world.add(0, at(0, 0), 0, to(&[(5, 0)]));
        let area = Rect::new(3, 0, 3, 1);
        world.forbidden.push(ForbiddenArea { area, edit: 0 });
        let mut rule = cooperative(&world);
        for _ in 0..40 {
            world.step(&mut rule);
            let row = world.row(outside);
            assert!(body_of(&world.ground, &world.motion[row]).iter().all(|&cell| !area.contains(cell)));
            let end = world.motion[row].until;
            assert!(world.pose(outside).cell.x < 2 || end == crate::Motion::AT_REST, "it enters the area");
        }
        assert_eq!((world.done(inside), world.done(outside)), (1, 0), "{collision:?}");
        world.forbidden.clear();
        world.run(&mut rule, 200);
        assert_eq!(world.done(outside), 1, "{collision:?}");
    }
}

/// An edit closes a door while agents are on their way through it: they go round by the other, and corridors follow.
#[test]
fn plans_through_a_closed_door_are_forgotten() {
    let rows = [".....#.....", "...........", ".....#.....", ".....#.....", "...........", ".....#....."];
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&rows, &[dot(1)]), collision);
        let goals = [(8, 0), (9, 1), (8, 2)];
        let ids: Vec<AgentId> =
            (0..).zip(goals).map(|(y, goal)| world.add(0, at(1, y), 0, to(&[goal]))).collect();
        let mut rule = cooperative(&world);
        world.step(&mut rule);
        let rock = world.ground.grid.terrain_table().kind_of_glyph('#').unwrap();
        world.edit(Rect::new(5, 1, 1, 1), rock);
        let mut passed = BTreeSet::new();
        while !world.all_done() {
            assert!(world.tick < 200, "{collision:?}");
            world.step(&mut rule);
            passed.extend(ids.iter().map(|&id| world.pose(id).cell).filter(|cell| cell.x == 5));
        }
        assert_eq!(passed, BTreeSet::from([CellXY::new(5, 4)]), "{collision:?}");
    }
}

/// Reservations of an agent that is taken out are taken back, and others are planned around a new one.
#[test]
fn agents_come_and_go() {
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&[".........", "........."], &[truck()]), collision);
        let walker = world.add(0, at(1, 0), 0, patrol(&[(8, 0), (1, 0)]));
        let gone = world.add(0, at(4, 1), 0, to(&[(8, 1)]));
        let mut rule = cooperative(&world);
        for _ in 0..6 {
            world.step(&mut rule);
        }
        let gone_from = world.slots[world.row(gone)];
        world.remove(gone);
        let new = world.add(0, at(8, 1), 0, Trips::default());
        assert_eq!(world.slots[world.row(new)], gone_from);
        for _ in 0..200 {
            world.step(&mut rule);
            let holders: BTreeSet<AgentSlot> = (0..world.ground.grid.size().n_cells())
                .flat_map(|cell| rule.table.reservations.on(cell).map(|reservation| reservation.agent))
                .collect();
            assert_eq!(holders, BTreeSet::from([walker, new].map(|id| world.slots[world.row(id)])));
        }
        assert!(world.done(walker) > 4, "{collision:?}: {}", world.done(walker));
    }
}

fn robot() -> ClassSpec {
    let mut spec = ClassSpec::new("robot", 4);
    spec.primitives =
        vec![Primitive::step("F", (1, 0), 1), Primitive::turn("L", 1, 1), Primitive::turn("R", -1, 1)];
    spec
}

fn unit_robots(world: &HandWorld) -> UnitRobots {
    let (tables, n) = (&world.ground.tables[0], world.ids.len());
    UnitRobots::new(tables, world.occupancy.rule(), n, 1, TrafficParams::USUAL).unwrap()
}

/// A robot that is alone takes a shortest path: a turn, seven steps, a turn, two steps.
#[test]
fn a_robot_alone_takes_a_shortest_path() {
    let mut world = HandWorld::new(Ground::square(&["........"; 4], &[robot()]), CollisionRule::Discrete);
    let id = world.add(0, Pose::new(0, 3, Heading(1)), 0, to(&[(7, 1)]));
    let mut rule = unit_robots(&world);
    assert_eq!(arrival(&mut world, &mut rule, id), 1 + 7 + 2);
    assert_eq!(world.pose(id).cell, CellXY::new(7, 1));
}

/// Two robots go to and fro in a lane with one bay, so that one of them has to enter the bay each time.
#[test]
fn robots_pass_each_other_by_a_bay() {
    let ground = Ground::square(&["###.####", "........"], &[robot()]);
    let mut world = HandWorld::new(ground, CollisionRule::Discrete);
    let ids = [
        world.add(0, at(0, 1), 0, patrol(&[(7, 1), (0, 1)])),
        world.add(0, at(7, 1), 0, patrol(&[(0, 1), (7, 1)])),
    ];
    let mut rule = unit_robots(&world);
    world.search_budget = 20;
    for _ in 0..2000 {
        world.step(&mut rule);
    }
    let done = ids.map(|id| world.done(id));
    assert!(done.iter().all(|&n| n >= 8), "{done:?}");
}

/// Eight robots fill a ring, and the ring turns.
#[test]
fn a_full_ring_of_robots_turns() {
    let ground = Ground::square(&["...", ".#.", "..."], &[robot()]);
    let mut world = HandWorld::new(ground, CollisionRule::Discrete);
    let ring = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
    let ids: Vec<AgentId> = (0..8)
        .map(|number| {
            let ((x, y), opposite) = (ring[number], ring[(number + 4) % 8]);
            world.add(0, at(x, y), 0, patrol(&[opposite, (x, y)]))
        })
        .collect();
    let mut rule = unit_robots(&world);
    world.search_budget = 20;
    for _ in 0..1500 {
        world.step(&mut rule);
    }
    let done: Vec<usize> = ids.iter().map(|&id| world.done(id)).collect();
    assert!(done.iter().sum::<usize>() > 40, "{done:?}");
}
