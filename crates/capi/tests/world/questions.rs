//! Questions: the answers of Rust.

use crate::arguments::order;
use crate::calls::{agents, copy_of, fails, get, hash, list, name, ok, step};
use crate::commands::{change, give};
use crate::common::random_commands::{Generator, Kinds};
use crate::scenes::{Driver, world_of};
use std::collections::BTreeSet;
use std::ptr::{null, null_mut};
use wheelbase_c::*;
use wheelbase_grid::{CellXY, Change, GridShape, Rect, TerrainKind};
use wheelbase_planner::{Goal, GoalMember, Heading, Path, Pose, Scratch};
use wheelbase_sim::{AgentId, ClassId, Order, OrderKind, Trip, World};

/// A world of Rust that some commands have filled, and its copy through C.
fn filled(driver: Driver, seed: u64, ticks: u32) -> (World, u64) {
    let mut rust = world_of(GridShape::Square, driver);
    let mut generator = Generator::new(seed, Kinds::OF_BINDINGS);
    for _ in 0..ticks {
        if generator.chance(600) {
            let command = generator.command(&rust);
            rust.command(command);
        }
        rust.step();
    }
    let world = copy_of(&rust, 0);
    (rust, world)
}

fn answer() -> wb_answer {
    wb_answer { size: size_of::<wb_answer>() as u32, ..wb_answer::default() }
}

#[test]
fn answers_are_those_of_rust_and_change_nothing() {
    let (rust, world) = filled(Driver::Planner, 2, 500);
    let before = hash(world);
    assert!(rust.agents().len() > 6);
    // SAFETY: all pointers are valid; buffers are as large as they say.
    unsafe {
        let mut held = 0;
        for (x, y) in (-1..25).flat_map(|x| (-1..15).map(move |y| (x, y))) {
            let cell = wb_cell { x, y };
            let found: u32 = get(|out| wb_world_agent_at(world, &raw const cell, out));
            assert_eq!(found, rust.agent_at(CellXY::new(x, y)).map_or(WB_NONE, |agent| agent.0));
            held += u32::from(found != WB_NONE);
        }
        assert!(held > 6);
        for area in [Rect::new(0, 0, 24, 14), Rect::new(3, 4, 5, 6), Rect::new(-5, -5, 3, 3)] {
            let given = wb_rect::from(area);
            let found: Vec<u32> = list(|buffer, capacity, count| {
                wb_world_agents_in(world, &raw const given, buffer, capacity, count)
            });
            let expected: Vec<u32> = rust.agents_in(area).iter().map(|agent| agent.0).collect();
            assert_eq!(found, expected);
            let flood = Change::Terrain { area, kind: TerrainKind(2) };
            let given = change(&flood, GridShape::Square);
            let found: Vec<u32> = list(|buffer, capacity, count| {
                wb_world_would_disturb(world, &raw const given, 1, buffer, capacity, count)
            });
            let disturbed = rust.would_disturb(&[flood]).unwrap();
            assert_eq!(found, disturbed.iter().map(|agent| agent.0).collect::<Vec<u32>>());
        }
        let members: Vec<AgentId> = rust.agents().iter().map(|row| row.agent()).collect();
        let ids: Vec<u32> = members.iter().map(|agent| agent.0).collect();
        let goal = wb_pose { x: 12, y: 7, heading: WB_ANY_HEADING };
        for kind in [WB_ORDER_GOTO_GROUP, WB_ORDER_GOTO_FORMATION, WB_ORDER_GOTO] {
            let order = wb_order { goals: &raw const goal, n_goals: 1, ..order(kind) };
            let found = list(|buffer, capacity, count| {
                wb_world_group_poses(
                    world,
                    ids.as_ptr(),
                    ids.len(),
                    &raw const order,
                    buffer,
                    capacity,
                    count,
                )
            });
            let trip = Trip::to(vec![GoalMember::any(CellXY::new(12, 7))]);
            let expected = rust.group_poses(
                &members,
                &match kind {
                    WB_ORDER_GOTO => Order::new(OrderKind::Goto(trip)),
                    _ => {
                        let formation = kind == WB_ORDER_GOTO_FORMATION;
                        Order::new(OrderKind::GotoGroup(0, Trip { formation, ..trip }))
                    }
                },
            );
            let nowhere = wb_pose { heading: WB_NONE, ..wb_pose::default() };
            let expected = expected.iter().map(|&(agent, pose)| wb_group_pose {
                agent: agent.0,
                pose: pose.map_or(nowhere, Into::into),
            });
            assert_eq!(found, expected.collect::<Vec<wb_group_pose>>());
            assert_eq!(found.is_empty(), kind == WB_ORDER_GOTO);
        }
        let mut seen = BTreeSet::new();
        for (class, x, y) in
            (0..5).flat_map(|class| (0..24).flat_map(move |x| (0..14).map(move |y| (class, x, y))))
        {
            let pose = wb_pose { x, y, heading: 0 };
            let found: u32 = get(|out| wb_world_can_place(world, class, &raw const pose, out));
            let expected = rust.can_place(ClassId(class as u8), Pose::new(x, y, Heading(0)));
            assert_eq!(found, expected.map_or_else(|reason| reason as u32, |()| WB_NONE));
            seen.insert(found);
        }
        let all = [WB_REFUSED_UNKNOWN_CLASS, WB_REFUSED_ILLEGAL_POSE, WB_REFUSED_POSE_HELD, WB_NONE];
        assert_eq!(seen, all.into());
    }
    assert_eq!(hash(world), before);
    ok(wb_world_destroy(world));
}

#[test]
fn paths_and_ranges_are_those_of_rust() {
    let (rust, world) = filled(Driver::Planner, 4, 100);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let mut longest = 0;
    // SAFETY: all pointers are valid; buffers are as large as they say.
    unsafe {
        let scratch_of_c: u64 = get(|out| wb_scratch_new(out));
        let path_of_c: u64 = get(|out| wb_path_new(out));
        for row in rust.agents() {
            let agent = row.id;
            let left: Vec<wb_path_pose> =
                list(|buffer, capacity, count| wb_world_path(world, agent, buffer, capacity, count));
            assert!(rust.path_of(AgentId(agent), &mut path));
            let expected: Vec<wb_path_pose> = path.poses.iter().map(|&pose| pose.into()).collect();
            assert_eq!(left, expected);
            longest = longest.max(left.len());
            let reached: Vec<wb_path_pose> =
                list(|buffer, capacity, count| wb_world_reach(world, agent, 25, buffer, capacity, count));
            let distances = rust.reach(AgentId(agent), 25).unwrap();
            let expected: Vec<(wb_pose, u32)> =
                distances.within(25).map(|(pose, ticks)| (pose.into(), ticks)).collect();
            assert_eq!(reached.iter().map(|at| (at.pose, at.arrival)).collect::<Vec<_>>(), expected);
            // To one of two cells, or near them.
            for within in [0, 2] {
                let goals = [(20, 12), (1, 1)].map(|(x, y)| wb_goal { x, y, heading: WB_ANY_HEADING });
                let mut answer = answer();
                let (at, n) = (goals.as_ptr(), 2);
                for path in [path_of_c, 0] {
                    ok(wb_world_plan(world, agent, at, n, within, scratch_of_c, path, &raw mut answer));
                }
                let members = [(20, 12), (1, 1)].map(|(x, y)| GoalMember::any(CellXY::new(x, y)));
                let goal = Goal { members: &members, within };
                let expected = rust.plan(AgentId(agent), goal, &mut scratch, &mut path).unwrap();
                assert_eq!((answer.cost, answer.expansions), (expected.cost, expected.expansions));
                assert_eq!(answer.moves as usize, path.moves.len());
                let (mut poses, mut count) = (null(), 0);
                ok(wb_path_poses(path_of_c, &raw mut poses, &raw mut count));
                let found = std::slice::from_raw_parts(poses, count);
                assert_eq!(found.last().map(|last| last.arrival), path.poses.last().map(|last| last.arrival));
            }
        }
        assert!(longest > 3, "some agent is on its way");
        let gone = u32::MAX - 5;
        fails(wb_world_path(world, gone, null_mut(), 0, &mut 0), WB_NOT_FOUND, "no agent of id");
        fails(wb_world_reach(world, gone, 5, null_mut(), 0, &mut 0), WB_NOT_FOUND, "no agent of id");
        let mut answer = answer();
        let plan = wb_world_plan(world, gone, null(), 0, 0, scratch_of_c, path_of_c, &raw mut answer);
        fails(plan, WB_NOT_FOUND, "no agent of id");
        let first = rust.agents()[0].id;
        let plan = wb_world_plan(world, first, null(), 0, 0, path_of_c, path_of_c, &raw mut answer);
        fails(plan, WB_WRONG_KIND, "expected scratch");
        ok(wb_scratch_destroy(scratch_of_c));
        ok(wb_path_destroy(path_of_c));
    }
    ok(wb_world_destroy(world));
}

#[test]
fn reasons_for_waiting_are_those_of_rust() {
    let mut seen = BTreeSet::new();
    for driver in [Driver::Planner, Driver::HostPaths, Driver::HostMoves] {
        for seed in 1..20 {
            let (rust, world) = filled(driver, seed, 150);
            for row in rust.agents() {
                let expected = rust.reason_for_waiting(row.agent()).unwrap().named();
                // SAFETY: numbers alone: zeros are a value.
                let mut reason: wb_wait_reason = unsafe { std::mem::zeroed() };
                reason.size = size_of::<wb_wait_reason>() as u32;
                let words: Vec<u8> = {
                    let reason = &raw mut reason;
                    // SAFETY: the structure has its size; the buffer is as large as it says.
                    list(|buffer: *mut u8, capacity, count| unsafe {
                        wb_world_reason_for_waiting(world, row.id, reason, buffer.cast(), capacity, count)
                    })
                };
                assert_eq!(String::from_utf8(words).unwrap(), expected.text);
                assert_eq!(name(wb_wait_rule_name(reason.rule)), Some(expected.rule));
                assert_eq!(reason.holder, expected.holder.unwrap_or(WB_NONE));
                let at = (reason.has_at == 1).then_some([reason.at.x, reason.at.y]);
                assert_eq!(at, expected.at);
                assert_eq!(reason.corridor, expected.corridor.unwrap_or(WB_NONE));
                assert_eq!(reason.ahead, expected.ahead.unwrap_or(WB_NONE));
                let side = expected
                    .side
                    .map(|side| ["east", "north", "west", "south"].iter().position(|of| *of == side));
                assert_eq!(reason.side, side.map_or(WB_NONE, |side| side.unwrap() as u32));
                // Without the words.
                // SAFETY: as above; a null count is allowed.
                ok(unsafe {
                    wb_world_reason_for_waiting(world, row.id, &raw mut reason, null_mut(), 0, null_mut())
                });
                seen.insert(expected.rule);
            }
            ok(wb_world_destroy(world));
        }
    }
    assert!(seen.len() > 10, "{seen:?}");
    assert_eq!(name(wb_wait_rule_name(WB_WAIT_ROADBLOCK)), Some("roadblock"));
    assert_eq!(name(wb_wait_rule_name(WB_WAIT_ROADBLOCK + 1)), None);
}

#[test]
fn a_host_finds_the_paths() {
    let (mut rust, world) = filled(Driver::HostPaths, 3, 200);
    let mut answered = 0;
    for _ in 0..60 {
        let expected: Vec<_> = rust.path_requests().collect();
        let (mut requests, mut goals) =
            (vec![wb_path_request::default(); 64], vec![wb_pose::default(); 4_096]);
        let (mut count, mut n_goals) = (0, 0);
        // SAFETY: the buffers are as large as they say.
        unsafe {
            let (count, n_goals) = (&raw mut count, &raw mut n_goals);
            let asked = wb_world_path_requests(world, null_mut(), 0, count, null_mut(), 0, n_goals);
            assert_eq!(asked, if expected.is_empty() { WB_OK } else { WB_BUFFER });
            let (at, of) = (requests.as_mut_ptr(), goals.as_mut_ptr());
            ok(wb_world_path_requests(world, at, 64, count, of, 4_096, n_goals));
        }
        assert_eq!(count, expected.len());
        requests.truncate(count);
        for (request, (agent, of_rust)) in requests.iter().zip(&expected) {
            assert_eq!((request.agent, request.class_), (agent.0, of_rust.class.into()));
            assert_eq!((request.start, request.within), (of_rust.start.into(), of_rust.within));
            assert_eq!(request.priority, of_rust.priority);
            let of = &goals[request.first_goal as usize..][..request.n_goals as usize];
            let expected: Vec<wb_goal> = of_rust.goal.iter().map(crate::commands::goal).collect();
            assert_eq!(of, expected);
            // The host plans with the tables of the class, and answers both.
            // SAFETY: all pointers are valid.
            unsafe {
                let tables: u64 = get(|out| wb_world_tables(world, request.class_, out));
                let (scratch, path): (u64, u64) =
                    (get(|out| wb_scratch_new(out)), get(|out| wb_path_new(out)));
                let mut asked: wb_request = std::mem::zeroed();
                ok(wb_request_init(&raw mut asked));
                (asked.start, asked.within) = (request.start, request.within);
                (asked.goals, asked.n_goals) = (of.as_ptr(), of.len());
                let mut found = answer();
                let moves: Vec<u8> = if of.is_empty() {
                    Vec::new()
                } else {
                    ok(wb_plan(tables, &raw const asked, scratch, path, &raw mut found));
                    let (mut moves, mut count) = (null(), 0);
                    ok(wb_path_moves(path, &raw mut moves, &raw mut count));
                    std::slice::from_raw_parts(moves, count).to_vec()
                };
                let is_found = !of.is_empty() && found.result == WB_PLAN_FOUND;
                let (agent, at, n) = (request.agent, moves.as_ptr(), moves.len());
                ok(wb_command_path_answer(world, agent, is_found.into(), at, n, 0, null_mut()));
                rust.command(wheelbase_sim::Command::PathAnswer {
                    agent: AgentId(agent),
                    moves: is_found.then(|| moves.as_slice().into()),
                });
                for destroyed in
                    [wb_tables_destroy(tables), wb_scratch_destroy(scratch), wb_path_destroy(path)]
                {
                    ok(destroyed);
                }
                answered += usize::from(is_found);
            }
        }
        rust.step();
        step(world);
        assert_eq!(hash(world), rust.state_hash());
    }
    assert!(answered > 3, "{answered} answered");
    assert!(!agents(world).is_empty());
    let stop = wheelbase_sim::Command::stop(AgentId(0));
    ok(give(world, &stop, GridShape::Square, 0).0);
    ok(wb_world_destroy(world));
}
