//! What pushed agents are sent to do, carried out one after the other.

use super::ground::{Ground, class, rows, rule, shape};
use super::hand_world::{HandWorld, Trips, body_at, body_of, cooperative};
use super::walks::cells;
use crate::cooperative::Cooperative;
use crate::cooperative::fixed::CLEAR_MOVES;
use crate::cooperative::moves::transition_at;
use crate::cooperative::pushing::push_aside;
use crate::decisions::{Decisions, Reroute};
use crate::motion::Activity;
use crate::random::Random;
use crate::rule::Traffic;
use crate::view::TrafficView;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::CellXY;
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

/// The state in which a pushed agent comes to its retreat; `None` if another is in its way.
fn end_of_retreat(
    world: &HandWorld,
    rule: &Cooperative,
    decisions: &Decisions,
    reroute: &Reroute,
    bodies: &BTreeMap<usize, BTreeSet<CellXY>>,
) -> Result<Option<State>, TestCaseError> {
    let at = reroute.row as usize;
    let motion = &world.motion[at];
    let tables = &world.ground.tables[motion.class.0 as usize];
    let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
    let aside = rule.table.heads[world.slots[at].index()].retreat_left as usize;
    prop_assert!(0 < aside && aside <= moves.len());
    let (mut state, mut retreat) = (motion.state, None);
    for (number, &primitive) in moves.iter().enumerate() {
        let primitive = usize::from(primitive);
        prop_assert!(tables.move_ticks(state, primitive).is_some(), "an illegal move");
        let needed =
            cells(world.occupancy.needed(&transition_at(tables, tables.space().pose(state), primitive)));
        let is_free = |(&other, held): (&usize, &BTreeSet<_>)| other == at || needed.is_disjoint(held);
        if number < aside && !bodies.iter().all(is_free) {
            return Ok(None);
        }
        state = tables.state_after(state, primitive);
        if number + 1 == aside {
            retreat = Some(state);
        }
    }
    Ok(retreat)
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
    if !push_aside(&mut planning, &mut coordination.push, (row, key, 0), other, &mut decisions) {
        prop_assert!(decisions.reroutes.is_empty());
        return Ok(0);
    }
    let pushed: Vec<usize> = decisions.reroutes.iter().map(|reroute| reroute.row as usize).collect();
    prop_assert!(pushed.contains(&other));
    prop_assert_eq!(pushed.iter().collect::<BTreeSet<_>>().len(), pushed.len());
    // Bodies of all agents, as the pushed ones move in turn.
    let mut bodies: BTreeMap<usize, BTreeSet<CellXY>> =
        (0..world.ids.len()).map(|row| (row, body_of(&world.ground, &world.motion[row]))).collect();
    // In some order, each finds the cells free that it is sent over.
    let mut left: Vec<_> = decisions.reroutes.iter().collect();
    while !left.is_empty() {
        let n_before = left.len();
        for number in (0..n_before).rev() {
            let reroute = left[number];
            if let Some(state) = end_of_retreat(world, &rule, &decisions, reroute, &bodies)? {
                left.remove(number);
                let at = reroute.row as usize;
                bodies.insert(at, body_at(&world.ground, &world.motion[at], state));
            }
        }
        prop_assert!(left.len() < n_before, "{} agents wait for each other", left.len());
    }
    // Unless the agent backs out itself, none of them rests on its next moves.
    if !pushed.contains(&row) {
        let motion = &world.motion[row];
        let tables = &world.ground.tables[motion.class.0 as usize];
        let mut state = motion.state;
        for &primitive in world.paths.moves(world.handles[row]).iter().take(CLEAR_MOVES[2]) {
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
    // By number of agents pushed together.
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
