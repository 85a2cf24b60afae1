//! Agents that are not friends: none ever makes another yield, and each goes round the other where it rests.

use super::ground::{Ground, RULES, at, dot, ground, rule, truck};
use super::hand_world::{HandWorld, Trips, cooperative, to};
use crate::Cooperative;
use crate::collision::CollisionRule;
use crate::motion::{Activity, AgentId};
use crate::random::Random;
use crate::teams::Team;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::CellXY;

/// Runs a tick, and checks that only friends of an agent have yielded to it.
pub fn step(world: &mut HandWorld, rule: &mut Cooperative) {
    let pushers = |rule: &Cooperative| -> BTreeMap<AgentId, AgentId> {
        let slots = rule.present.iter().map(|&(id, slot)| (id, rule.table.details[slot.index()].pusher));
        slots.collect()
    };
    let before = pushers(rule);
    world.step(rule);
    let are_friends = |one: usize, other: usize| world.friends.are(world.teams[one], world.teams[other]);
    for (id, by) in pushers(rule).into_iter().filter(|(id, by)| before.get(id) != Some(by)) {
        if let Ok(pusher) = world.ids.binary_search(&by) {
            assert!(are_friends(world.row(id), pusher), "tick {}: {by:?} pushes {id:?}", world.tick);
        }
    }
    // Agents of the last attempt to plan_with_yielding, successful or not.
    let log = &rule.coordination.inheritance.log;
    for replanned in log.iter().filter(|replanned| (replanned.row as usize) < world.ids.len()) {
        assert!(are_friends(log[0].row as usize, replanned.row as usize), "tick {}", world.tick);
    }
    rule.coordination.inheritance.log.clear();
    if !world.refused.is_empty() {
        // The rule hears of it at the next tick.
        return;
    }
    let view = world.view();
    let audit = rule.audit(view.agents, view.tables, view.grid_size, view.tick);
    audit.check_reservations();
    audit.check_heads();
    audit.check_inside();
}

/// Two armies of 16 on a map; each agent goes to the mirrored place. They are of two teams, friends or not.
fn armies(rows: &[&str], collision: CollisionRule, are_friends: bool) -> (HandWorld, Vec<AgentId>) {
    let mut world = HandWorld::new(Ground::square(rows, &[dot(2)]), collision);
    let last = rows[0].len() as i32 - 1;
    let mut ids = Vec::new();
    for number in 0..16 {
        let (x, y) = (number % 2, 1 + number / 2);
        for (from, goal, team) in [(x, last - x, 0), (last - x, x, 1)] {
            let id = world.add(0, at(from, y), 0, to(goal, y));
            world.set_team(id, Team(team));
            ids.push(id);
        }
    }
    if are_friends {
        world.friends.befriend(Team(0), Team(1));
    }
    (world, ids)
}

/// On an open field all come through, friends or not.
#[test]
fn armies_pass_each_other_on_an_open_field() {
    for collision in RULES {
        for are_friends in [false, true] {
            let (mut world, _) = armies(&["......................"; 10], collision, are_friends);
            let mut rule = cooperative(&world);
            while !world.all_done() {
                assert!(world.tick < 600, "{collision:?}, friends {are_friends}");
                step(&mut world, &mut rule);
            }
        }
    }
}

/// Two armies meet in the only gate. Friends take turns. Enemies do not yield, and agents blocked by an enemy for
/// long ask for a way around. Here friends behind push one of them back, and all come through.
#[test]
fn armies_that_meet_in_a_gate_yield_to_friends_alone() {
    let (wall, gate) = ("..........##..........", "......................");
    let rows = [wall, wall, wall, wall, gate, wall, wall, wall, wall, wall];
    for (collision, are_friends) in RULES.into_iter().flat_map(|rule| [(rule, true), (rule, false)]) {
        let (mut world, _) = armies(&rows, collision, are_friends);
        let mut rule = cooperative(&world);
        let mut asked = BTreeSet::new();
        while world.tick < 10_000 && !world.all_done() {
            step(&mut world, &mut rule);
            asked.extend(world.decisions.around.iter().map(|&row| world.teams[row as usize]));
        }
        assert!(world.all_done(), "{collision:?}, friends {are_friends}");
        assert!(are_friends || asked == BTreeSet::from([Team(0), Team(1)]), "{collision:?}: {asked:?}");
    }
}

/// Two enemies meet in a lane: neither backs out, whatever their priorities, and both ask for a way around. Where there
/// is one, both arrive.
#[test]
fn neither_backs_out_of_a_lane() {
    let (closed, open) = ("##.########.##", "..............");
    for (collision, other_lane) in RULES.into_iter().flat_map(|rule| [(rule, false), (rule, true)]) {
        let rows = if other_lane { vec![open, closed, open] } else { vec![open] };
        let mut world = HandWorld::new(Ground::square(&rows, &[dot(2)]), collision);
        let lane = rows.len() as i32 - 1;
        let ids = [world.add(0, at(0, lane), 100, to(13, lane)), world.add(0, at(13, lane), 0, to(0, lane))];
        world.set_team(ids[0], Team(3));
        let mut rule = cooperative(&world);
        let (mut asked, mut nearest) = (BTreeSet::new(), [0, 13]);
        for _ in 0..400 {
            step(&mut world, &mut rule);
            asked.extend(world.decisions.around.iter().copied());
            let [west, east] = ids.map(|id| world.pose(id).cell.x);
            if !other_lane {
                assert!(west >= nearest[0] && east <= nearest[1], "one backs out");
                nearest = [west, east];
            }
        }
        if other_lane {
            assert!(world.all_done(), "{collision:?}");
        } else {
            assert_eq!((nearest[1] - nearest[0], asked), (1, BTreeSet::from([0, 1])), "{collision:?}");
        }
    }
}

/// An agent rests in a doorway. A friend pushes it out of the way; an enemy asks for a way around, and takes it.
#[test]
fn one_in_a_doorway_is_pushed_by_friends_alone() {
    // The other door is beyond what a search for moves sees.
    let rows: Vec<&str> =
        (0..60).map(|y| if y == 2 || y == 59 { "........." } else { "....#...." }).collect();
    for (collision, are_friends) in RULES.into_iter().flat_map(|rule| [(rule, true), (rule, false)]) {
        let mut world = HandWorld::new(Ground::square(&rows, &[dot(2)]), collision);
        let guard = world.add(0, at(4, 2), 0, Trips::default());
        let walker = world.add(0, at(1, 2), 1000, to(8, 2));
        let behind = world.add(0, at(0, 2), 0, to(7, 2));
        world.set_team(guard, Team(if are_friends { 0 } else { 31 }));
        let mut rule = cooperative(&world);
        let (mut has_asked, mut was_pushed) = (false, false);
        while !world.all_done() {
            assert!(world.tick < 600, "{collision:?}, friends {are_friends}");
            step(&mut world, &mut rule);
            has_asked |= world.decisions.around.iter().any(|&row| row > 0);
            was_pushed |= world.pose(guard).cell != CellXY::new(4, 2);
        }
        assert_eq!((has_asked, was_pushed), (!are_friends, are_friends), "{collision:?}");
        let ends = [walker, behind].map(|id| world.pose(id).cell);
        assert_eq!(ends, [8, 7].map(|x| CellXY::new(x, 2)), "{collision:?}");
    }
}

/// Two enemies are both friends of a third: the third pushes the nearer one, but not the farther one through it.
#[test]
fn friends_of_a_friend_are_not_pushed() {
    for (collision, are_friends) in RULES.into_iter().flat_map(|rule| [(rule, true), (rule, false)]) {
        // The first can only make room by pushing the second on.
        let mut world = HandWorld::new(Ground::square(&["........#", "########."], &[dot(2)]), collision);
        let pusher = world.add(0, at(0, 0), 0, to(3, 0));
        let first = world.add(0, at(3, 0), 0, Trips::default());
        let second = world.add(0, at(4, 0), 0, Trips::default());
        world.set_team(pusher, Team(1));
        world.set_team(second, Team(2));
        world.friends.befriend(Team(0), Team(1));
        world.friends.befriend(Team(0), Team(2));
        if are_friends {
            world.friends.befriend(Team(1), Team(2));
        }
        let mut rule = cooperative(&world);
        for _ in 0..200 {
            step(&mut world, &mut rule);
        }
        assert_eq!(world.done(pusher) > 0, are_friends, "{collision:?}");
        assert_eq!(world.pose(second).cell == CellXY::new(4, 0), !are_friends);
        assert_eq!(world.pose(first).cell == CellXY::new(3, 0), !are_friends);
    }
}

/// Agents that wait at the far end of a corridor do not keep out an enemy, which enters all the same.
#[test]
fn those_who_wait_before_a_corridor_keep_friends_alone_out() {
    let (room, lane) = (".....#######.....", ".................");
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&[room, room, lane, room, room], &[dot(1)]), collision);
        // A crowd wants west, and an agent of a third team in the mouth of the corridor keeps it out.
        let plug = world.add(0, at(12, 2), 0, Trips::default());
        world.set_team(plug, Team(2));
        for y in [0, 1, 3, 4] {
            for x in [13, 14] {
                world.add(0, at(x, y), 50, to(0, y));
            }
        }
        let lone = world.add(0, at(0, 2), 0, to(10, 2));
        world.set_team(lone, Team(1));
        let mut rule = cooperative(&world);
        for _ in 0..80 {
            step(&mut world, &mut rule);
        }
        assert_eq!(world.done(lone), 1, "{collision:?}");
        assert_eq!(world.pose(plug).cell, CellXY::new(12, 2));
    }
}

/// Agents of one team rest, and agents of another go to and fro: no resting agent ever moves.
fn check_resting(ground: &Ground, collision: CollisionRule, seed: u64) -> Result<(), TestCaseError> {
    let (mut world, mut random) = (HandWorld::new(ground.clone(), collision), Random::new(seed));
    let mut resting = Vec::new();
    for number in 0..14_u8 {
        let class = number % 2;
        let goals = (0..2).filter_map(|_| ground.any_state(usize::from(class), &mut random));
        let space = ground.tables[usize::from(class)].space();
        let goals: Vec<CellXY> = goals.map(|goal| space.pose(goal).cell).collect();
        let rests = number % 4 > 1;
        let trips = Trips { goals: if rests { Vec::new() } else { goals }, is_patrol: true, done: 0 };
        let Some(id) = world.add_anywhere(class, random.below(99) as i32, trips, &mut random) else {
            continue;
        };
        if rests {
            world.set_team(id, Team(1));
            resting.push((id, world.pose(id)));
        }
    }
    let mut rule = cooperative(&world);
    for _ in 0..250 {
        step(&mut world, &mut rule);
        for &(id, pose) in &resting {
            let motion = &world.motion[world.row(id)];
            prop_assert!(world.pose(id) == pose && motion.at_rest() && motion.activity == Activity::Idle);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(120), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn those_at_rest_stay(ground in prop_oneof![ground(5), ground(20)], rule in rule(), seed in any::<u64>()) {
        let Some(ground) = ground else { return Ok(()) };
        check_resting(&ground, rule, seed)?;
    }

    #[test]
    fn those_at_rest_in_lanes_stay(rule in rule(), seed in any::<u64>()) {
        let rows = ["....#######.....", "................", "....#######.....", "................", "....#######....."];
        check_resting(&Ground::square(&rows, &[dot(1), truck()]), rule, seed)?;
    }
}
