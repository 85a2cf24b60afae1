//! What pushed agents are sent to do, carried out one after the other.

use super::ground::{Ground, class, rows, rule, shape, truck};
use super::hand_world::{HandWorld, Trips, body_at, body_of, cooperative};
use super::walks::cells;
use crate::collision::CollisionRule;
use crate::cooperative::admission::{Entrance, Entrant};
use crate::cooperative::moves::transition_at;
use crate::cooperative::pushing::{clear_entrances, push_aside};
use crate::decisions::Decisions;
use crate::motion::{Activity, AgentId, AgentSlot};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::random::Random;
use crate::rule::Traffic;
use crate::teams::Team;
use crate::view::TrafficView;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;

/// A rule under which no agent moves.
struct Still;

impl Traffic for Still {
    fn decide(&mut self, _: &TrafficView<'_>, _: &mut Decisions) {}

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(Still)
    }
}

/// Agents at rest, the first of them with a path.
fn crowd() -> impl Strategy<Value = Option<HandWorld>> {
    (shape(), 1_u32..15).prop_flat_map(|(shape, walls)| {
        let classes = (class("a", shape, (1, 1)), class("b", shape, (3, 2)));
        let counts = (1_u32..4, 1_u32..4, 1_u32..8, 1_u32..4);
        (rows(walls, 5..9), classes, counts, rule(), any::<u64>()).prop_map(
            move |(rows, (a, b), (going_a, going_b, resting_a, resting_b), rule, seed)| {
                let ground = Ground::new(shape, &rows, &[a, b])?;
                let (mut world, mut random) = (HandWorld::new(ground, rule), Random::new(seed));
                for (class, count, is_following) in
                    [(0, going_a, true), (1, going_b, true), (0, resting_a, false), (1, resting_b, false)]
                {
                    for _ in 0..count {
                        let goal =
                            world.ground.any_state(usize::from(class), &mut random).filter(|_| is_following);
                        let space = world.ground.tables[usize::from(class)].space();
                        let goals = goal.map(|goal| space.pose(goal).cell).into_iter().collect();
                        world.add_anywhere(class, 0, Trips { goals, ..Trips::default() }, &mut random)?;
                    }
                }
                world.step(&mut Still);
                Some(world)
            },
        )
    })
}

/// Checks what a blocked agent has had others do; gives how many were pushed.
fn check(world: &HandWorld, row: usize, other: usize) -> Result<usize, TestCaseError> {
    let mut rule = cooperative(world);
    let mut decisions = Decisions::default();
    let view = world.view();
    rule.update_agents(&view);
    rule.update_paths(&view, &mut decisions);
    let key = rule.table.key(&view, row);
    // As after some failures.
    rule.table.details[view.agents.slots[row].index()].push_failures = 2;
    let (mut planning, coordination) = rule.planning(&view);
    if !push_aside(&mut planning, &mut coordination.push, (row, key), other, &mut decisions) {
        prop_assert!(decisions.reroutes.is_empty());
        return Ok(0);
    }
    let pushed: Vec<usize> = decisions.reroutes.iter().map(|reroute| reroute.row as usize).collect();
    prop_assert!(pushed.contains(&other));
    prop_assert_eq!(pushed.iter().collect::<BTreeSet<_>>().len(), pushed.len());
    // Bodies of all agents, as the pushed ones move in turn.
    let mut bodies: BTreeMap<usize, BTreeSet<CellXY>> =
        (0..world.ids.len()).map(|row| (row, body_of(&world.ground, &world.motion[row]))).collect();
    // The last has to go first; each finds the cells free that it is sent over.
    for reroute in decisions.reroutes.iter().rev() {
        let at = reroute.row as usize;
        let motion = &world.motion[at];
        let tables = &world.ground.tables[motion.class.0 as usize];
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        let aside = rule.table.heads[world.slots[at].index()].retreat_left as usize;
        prop_assert!(0 < aside && aside <= moves.len());
        let mut state = motion.state;
        for (number, &primitive) in moves.iter().enumerate() {
            let primitive = usize::from(primitive);
            prop_assert!(tables.move_ticks(state, primitive).is_some(), "an illegal move");
            if number < aside {
                let step = transition_at(tables, tables.space().pose(state), primitive);
                let needed = cells(world.occupancy.needed(&step));
                for (other, held) in bodies.iter().filter(|(other, _)| **other != at) {
                    prop_assert!(needed.is_disjoint(held), "{} is sent through {}", at, other);
                }
            }
            state = tables.state_after(state, primitive);
            if number + 1 == aside {
                bodies.insert(at, body_at(&world.ground, motion, state));
            }
        }
    }
    // Unless the agent backs out itself, none of them rests on its next moves.
    if !pushed.contains(&row) {
        let motion = &world.motion[row];
        let tables = &world.ground.tables[motion.class.0 as usize];
        let mut state = motion.state;
        for &primitive in
            world.paths.moves(world.handles[row]).iter().take(TrafficParams::USUAL.clear_moves_last as usize)
        {
            let step = transition_at(tables, tables.space().pose(state), usize::from(primitive));
            for &at in &pushed {
                prop_assert!(cells(world.occupancy.needed(&step)).is_disjoint(&bodies[&at]));
            }
            state = tables.state_after(state, usize::from(primitive));
        }
    }
    Ok(pushed.len())
}

#[test]
fn pushed_agents_find_their_retreats_free() {
    let config =
        ProptestConfig { cases: super::cases(400), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    // By number of agents pushed at once.
    let pushed = std::cell::RefCell::new([0_u32; 4]);
    let result = runner.run(&crowd(), |world| {
        let Some(world) = world else { return Ok(()) };
        for row in 0..world.ids.len() {
            if world.motion[row].activity != Activity::Following {
                continue;
            }
            for other in (0..world.ids.len()).filter(|&other| other != row) {
                let n = check(&world, row, other)?;
                pushed.borrow_mut()[n.min(3)] += 1;
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let pushed = pushed.into_inner();
    assert!(pushed.iter().all(|&n| n > 20), "{pushed:?}");
}

/// Agents that rest before the entrances of a busy gate leave the ground there, one at each entrance at a time, and
/// none of them through the gate. Agents of another team than the traffic of the gate stay.
#[test]
fn agents_at_rest_before_a_busy_gate_leave() {
    assert!(leave_gate_to(Team(0)) > 0);
    assert_eq!(leave_gate_to(Team(1)), 0);
}

/// Agents of team 0 that leave for those of a team; gives their number.
fn leave_gate_to(team: Team) -> usize {
    let (wall, gate) = ("............#............", ".........................");
    let ground = Ground::square(&[wall, wall, wall, gate, wall, wall, wall], &[truck()]);
    let (mut world, mut random) = (HandWorld::new(ground, CollisionRule::Swept), Random::new(3));
    for area in [Rect::new(0, 0, 12, 7), Rect::new(13, 0, 12, 7)] {
        let mut n_placed = 0;
        while n_placed < 14 {
            let state = world.ground.any_state(0, &mut random).unwrap();
            let space = world.ground.tables[0].space();
            if area.contains(space.pose(state).cell) && world.has_room(0, state) {
                world.add(0, space.pose(state), 0, Trips::default());
                n_placed += 1;
            }
        }
    }
    world.step(&mut Still);
    let mut rule = cooperative(&world);
    let mut decisions = Decisions::default();
    let corridor = rule.table.corridor_control.map.at_anchor(CellXY::new(12, 3));
    let entrances =
        [(11, 1), (13, -1)].map(|(x, dx)| Entrance { cell: CellXY::new(x, 3), direction: (dx, 0), reach: 4 });
    let mut view = world.view();
    view.tick = view.tick.next_multiple_of(TrafficParams::USUAL.clear_entrances_ticks);
    rule.update_agents(&view);
    let (mut planning, coordination) = rule.planning(&view);
    clear_entrances(&mut planning, &mut coordination.push, &mut decisions);
    assert!(decisions.reroutes.is_empty(), "no agent asks to go through");
    for agent in 100..120 {
        let direction = if agent % 2 == 0 { (2, 0) } else { (-2, 0) };
        let (agent, slot) = (AgentId(agent), AgentSlot(agent));
        let entrant = Entrant { agent, slot, direction, width: 1, stays: None, team, friends: 1 << team.0 };
        rule.table.corridor_control.admission.note_request(
            corridor,
            entrant,
            (PriorityKey::FIRST, 4),
            (view.tick, true),
        );
    }
    rule.table.corridor_control.admission.find_busy(view.tick);
    entrances.iter().for_each(|&entrance| {
        rule.table.corridor_control.admission.note_entrance(corridor, entrance, view.tick)
    });
    let (mut planning, coordination) = rule.planning(&view);
    clear_entrances(&mut planning, &mut coordination.push, &mut decisions);
    let before = |cells: &BTreeSet<CellXY>| {
        entrances.iter().any(|entrance| cells.iter().any(|&cell| entrance.has_before(cell)))
    };
    let mut left = [0, 0];
    for reroute in &decisions.reroutes {
        let row = reroute.row as usize;
        let tables = &view.tables[0];
        let from = view.agents.motion[row].state;
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        let to =
            moves.iter().fold(from, |state, &primitive| tables.state_after(state, usize::from(primitive)));
        let body = |state: State| {
            let pose = tables.space().pose(state);
            cells((pose.cell, tables.class().cells_at(pose)))
        };
        assert!(!before(&body(to)), "it stays before the entrance");
        let side = |state: State| usize::from(tables.space().pose(state).cell.x > 12);
        assert_eq!(side(from), side(to), "it went through the gate");
        left[side(from)] += usize::from(before(&body(from)));
        assert_eq!(rule.table.details[row].pusher, AgentId::NOBODY);
    }
    assert!(team != Team(0) || (left[0] > 0 && left[1] > 0), "{left:?}");
    decisions.reroutes.len()
}
