//! Each rule that keeps an agent is named, with the agent that holds the cells it needs.

use super::ground::{Ground, at, dot, truck};
use super::hand_world::{HandWorld, Trips, cooperative, to};
use super::no_stopping::make_busy;
use crate::collision::CollisionRule;
use crate::commanded::Commanded;
use crate::cooperative::Cooperative;
use crate::forbidden::ForbiddenArea;
use crate::motion::{AgentId, WaitState};
use crate::params::TrafficParams;
use crate::reason::{CorridorPlace, CorridorSide, Reason};
use crate::rule::Traffic;
use crate::unit_robots::UnitRobots;
use std::collections::BTreeMap;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::Offset;
use wheelbase_planner::{ClassSpec, Heading, Pose, Primitive};

fn world_of(rows: &[&str], classes: &[ClassSpec]) -> HandWorld {
    HandWorld::new(Ground::square(rows, classes), CollisionRule::Swept)
}

/// Why an agent that waits does; `None` of any other agent.
fn reason(world: &HandWorld, rule: &dyn Traffic, agent: AgentId) -> Option<Reason> {
    let (row, view) = (world.row(agent), world.view());
    let motion = &world.motion[row];
    let waits = world.wait_states[row].waits_since != WaitState::NOT_WAITING && !motion.replan;
    if waits { rule.reason(&view, row) } else { None }
}

/// Steps until an agent waits for a reason that some function takes.
fn wait_for(
    world: &mut HandWorld,
    rule: &mut dyn Traffic,
    agent: AgentId,
    is_it: impl Fn(Reason) -> bool,
) -> Reason {
    for _ in 0..2_000 {
        world.step(rule);
        if let Some(found) = reason(world, rule, agent).filter(|&found| is_it(found)) {
            return found;
        }
    }
    panic!("agent {} never waits for that reason", agent.0);
}

#[test]
fn an_agent_at_rest_on_the_path() {
    let mut world = world_of(&["........"], &[dot(2)]);
    let (one, other) = (world.add(0, at(0, 0), 0, to(7, 0)), world.add(0, at(4, 0), 0, Trips::default()));
    world.set_hold(other, true);
    let mut rule = cooperative(&world);
    let found = wait_for(&mut world, &mut rule, one, |_| true);
    assert_eq!(found, Reason::Resting { holder: other, at: CellXY::new(4, 0) });
}

#[test]
fn an_edit_that_waits() {
    let mut world = world_of(&["........"], &[dot(2)]);
    let one = world.add(0, at(0, 0), 0, to(7, 0));
    world.forbidden.push(ForbiddenArea { area: Rect::new(3, 0, 2, 1), edit: 1 });
    let mut rule = cooperative(&world);
    let found = wait_for(&mut world, &mut rule, one, |_| true);
    assert_eq!(found, Reason::Edit { at: CellXY::new(3, 0) });
}

#[test]
fn a_spent_budget() {
    let mut world = world_of(&["........"], &[dot(2)]);
    let (one, other) = (world.add(0, at(0, 0), 0, to(7, 0)), world.add(0, at(2, 0), 0, Trips::default()));
    world.set_hold(other, true);
    world.poses_per_agent = 1;
    let mut rule = cooperative(&world);
    wait_for(&mut world, &mut rule, one, |found| found.holder() == Some(other));
    // Its search for a way around has found none, and cost more than it earns in the next ticks.
    world.remove(other);
    world.step(&mut rule);
    assert_eq!(reason(&world, &rule, one), Some(Reason::Budget));
    (0..20).for_each(|_| world.step(&mut rule));
    assert_eq!(reason(&world, &rule, one), None);
}

/// Two rooms with a lane between them.
const LANE: [&str; 5] =
    [".....######.....", ".....######.....", "................", ".....######.....", ".....######....."];

#[test]
fn a_corridor_that_another_agent_holds() {
    let mut world = world_of(&LANE, &[dot(2)]);
    let (one, other) = (world.add(0, at(3, 2), 0, to(15, 2)), world.add(0, at(13, 2), 0, to(0, 2)));
    let mut rule = cooperative(&world);
    let found = wait_for(&mut world, &mut rule, other, |found| found.corridor().is_some());
    let corridor = place_at(&rule, CellXY::new(5, 2));
    assert_eq!(found, Reason::CorridorHeld { corridor, holder: one, ahead: 0 });
}

/// The corridor at a cell, which must be the first of its cells.
fn place_at(rule: &Cooperative, cell: CellXY) -> CorridorPlace {
    CorridorPlace { number: rule.table.corridor_control.map.at_anchor(cell), cell }
}

#[test]
fn turns_and_queues_at_a_corridor() {
    let mut world = world_of(&LANE, &[dot(2)]);
    for number in 0..10 {
        let (x, y) = (number % 2 * 2, number / 2);
        world.add(0, at(x, y), 0, to(15 - x, y));
        world.add(0, at(15 - x, y), 0, to(x, y));
    }
    let mut rule = cooperative(&world);
    let corridor = place_at(&rule, CellXY::new(5, 2));
    let (mut turns, mut longest) = (BTreeMap::new(), 0);
    while !world.all_done() && world.tick < 3_000 {
        world.step(&mut rule);
        for row in 0..world.ids.len() {
            let retreats = rule.table.heads[world.slots[row].index()].retreat_left > 0;
            let found = reason(&world, &rule, world.ids[row]).filter(|_| !retreats);
            let east = row % 2 == 0;
            match found {
                // Eastbound agents wait in the queue from the west for the turn of agents from the east.
                Some(Reason::CorridorTurn { corridor: of, side, .. }) => {
                    let others = if east { CorridorSide::East } else { CorridorSide::West };
                    assert_eq!((of, side), (corridor, others));
                    *turns.entry(side.name()).or_insert(0) += 1;
                }
                Some(Reason::CorridorQueue { corridor: of, side, ahead }) => {
                    let own = if east { CorridorSide::West } else { CorridorSide::East };
                    assert_eq!((of, side), (corridor, own));
                    longest = longest.max(ahead);
                }
                _ => {}
            }
        }
    }
    assert!(world.all_done() && turns.len() == 2 && longest > 1, "{turns:?}, {longest} ahead");
}

#[test]
fn soft_reservations_reservations_and_plans() {
    let (bank, wall) = (".".repeat(24), "#".repeat(4));
    let row = |y| format!("{bank}{}{bank}", if y == 5 || y == 6 { "...." } else { wall.as_str() });
    let rows: Vec<String> = (0..12).map(row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut world = world_of(&rows, &[dot(2), truck()]);
    for number in 0..12 {
        world.add(0, at(1, number), 0, to(50, number));
        world.add(1, at(50, number), 0, to(4, number));
    }
    world.poses_per_agent = 1_000;
    let mut rule = cooperative(&world);
    let mut seen = BTreeMap::new();
    while !world.all_done() && world.tick < 4_000 {
        world.step(&mut rule);
        for row in 0..world.ids.len() {
            let Some(found) = reason(&world, &rule, world.ids[row]) else { continue };
            *seen.entry(found.rule()).or_insert(0) += 1;
            let index = |cell: CellXY| rule.table.reservations.index(cell, Offset::new(0, 0));
            match found {
                Reason::SoftReservation { at, .. } => {
                    let (until, owner) = rule.table.soft_reservations.of_cell[index(at)];
                    assert!(
                        until > world.tick && found.holder().is_none_or(|holder| holder == owner.agent())
                    );
                }
                Reason::Reserved { holder, at } => {
                    let slot = world.slots[world.row(holder)];
                    assert!(rule.table.reservations.on(index(at)).any(|found| found.agent == slot));
                }
                Reason::Planned { begins } => {
                    let head = &rule.table.heads[world.slots[row].index()];
                    assert_eq!(begins, head.plan_begins.max(world.tick));
                }
                _ => {}
            }
        }
    }
    assert!(world.all_done());
    for rule in ["claim", "reserved", "planned"] {
        assert!(seen.contains_key(rule), "{rule} is not among {seen:?}");
    }
}

/// The bridge is busy, and an agent on hold stands on the ground behind it: the next one does not even enter.
#[test]
fn no_stopping_ground_without_a_way_off_it() {
    let mut world = world_of(
        &["......####......", "................", "................", "......####......"],
        &[dot(2)],
    );
    let one = world.add(0, at(0, 1), 0, to(15, 1));
    let others = [1, 2].map(|y| world.add(0, at(10, y), 0, Trips::default()));
    others.into_iter().for_each(|other| world.set_hold(other, true));
    let mut rule = cooperative(&world);
    let corridor = place_at(&rule, CellXY::new(6, 1));
    for _ in 0..60 {
        let tick = world.tick;
        make_busy(&mut rule.table.corridor_control, corridor.number, tick);
        world.step(&mut rule);
    }
    let found = reason(&world, &rule, one);
    let at = CellXY::new(10, 1);
    assert_eq!(found, Some(Reason::NoStopping { corridor, holder: Some(others[0]), at }));
    assert!(world.pose(one).cell.x < 6);
}

#[test]
fn an_agent_that_makes_way() {
    let mut world = world_of(&["####.###", "........"], &[dot(2)]);
    let (first, second) = (world.add(0, at(0, 1), 0, to(7, 1)), world.add(0, at(5, 1), 0, Trips::default()));
    let mut rule = cooperative(&world);
    for _ in 0..200 {
        world.step(&mut rule);
        let row = world.row(second);
        let found = rule.reason(&world.view(), row).filter(|_| world.motion[row].at_rest());
        if let Some(Reason::MakesWay { holder }) = found {
            assert_eq!((holder, world.pose(second).cell), (first, CellXY::new(4, 0)));
            return;
        }
    }
    panic!("the second agent never makes way");
}

#[test]
fn a_host_that_names_no_move() {
    let mut world = world_of(&["....."], &[dot(2)]);
    let one = world.add(0, at(0, 0), 0, to(4, 0));
    let mut rule = Commanded;
    assert_eq!(wait_for(&mut world, &mut rule, one, |_| true), Reason::Host);
}

#[test]
fn robots_name_who_is_in_their_way() {
    let mut robot = ClassSpec::new("robot", 4);
    robot.primitives =
        vec![Primitive::step("F", (1, 0), 1), Primitive::turn("L", 1, 1), Primitive::turn("R", -1, 1)];
    let mut world = HandWorld::new(Ground::square(&["......"], &[robot]), CollisionRule::Discrete);
    let one = world.add(0, Pose::new(0, 0, Heading(0)), 0, to(5, 0));
    let other = world.add(0, Pose::new(3, 0, Heading(0)), 0, Trips::default());
    world.set_hold(other, true);
    let rule = UnitRobots::new(&world.ground.tables[0], CollisionRule::Discrete, 2, 1, TrafficParams::USUAL);
    let mut rule = rule.unwrap();
    let found = wait_for(&mut world, &mut rule, one, |found| found.holder().is_some());
    assert_eq!(found, Reason::Resting { holder: other, at: CellXY::new(3, 0) });
    world.set_speed(one, 500);
    assert_eq!(wait_for(&mut world, &mut rule, one, |_| true), Reason::Stopped);
}
