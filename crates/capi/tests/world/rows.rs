//! Rows and numbers borrowed from the world equal the rows and numbers of Rust.

use crate::calls::{agents, copy_of, counts, events, fails, get, hash, name, ok, save, step};
use crate::common::{WALKER, at, open_world};
use std::sync::atomic::{AtomicBool, Ordering};
use wheelbase_c::*;
use wheelbase_sim::{
    Activity, AgentRow, CellXY, Command, EventKind, EventRow, Order, OrderKind, RefusalReason, Spawn,
    UnreachableReason,
};

/// A field of walkers, each with an order.
fn field(side: i32) -> u64 {
    let spawn = |number: i32| {
        let (x, y) = (2 * (number % side), 2 * (number / side));
        Spawn { ..at(WALKER, x, y, 0) }.with_orders([Order::patrol(&[
            CellXY::new(2 * side - 1 - x, y),
            CellXY::new(x, 2 * side - 1 - y),
        ])])
    };
    let spawns: Vec<Spawn> = (0..side * side).map(spawn).collect();
    copy_of(&open_world(2 * side as usize, 2 * side as usize, &spawns, 1), 0)
}

#[test]
fn rows_of_five_thousand_agents_are_not_copied() {
    let world = field(71);
    let before = agents(world);
    assert_eq!(before.len(), 5_041);
    // The same memory at every call, and after commands, which leave the rows as they are.
    let (first, copy) = (before.as_ptr(), before.to_vec());
    assert_eq!(agents(world).as_ptr(), first);
    let all: Vec<u32> = before.iter().map(|row| row.id).collect();
    // SAFETY: the ids are there.
    ok(unsafe { wb_command_remove(world, all.as_ptr(), 10, 0, std::ptr::null_mut()) });
    assert_eq!((agents(world).as_ptr(), before), (first, &copy[..]));
    // The row of one agent is the same row.
    for &id in &[0, 77, 5_040] {
        // SAFETY: zeros are a row; it may be written.
        let mut row: wb_agent_row = unsafe { std::mem::zeroed() };
        ok(unsafe { wb_world_agent(world, id, &raw mut row) });
        assert_eq!(row, copy[id as usize]);
    }
    step(world);
    let rows = agents(world);
    assert_eq!((rows.len(), rows[0].id), (5_031, 10));
    assert!(rows.iter().any(|row| row.primitive != WB_AT_REST || row.activity == WB_ACTIVITY_AWAITING_PATH));
    // SAFETY: zeros are a row; it may be written.
    let mut row: wb_agent_row = unsafe { std::mem::zeroed() };
    fails(unsafe { wb_world_agent(world, 3, &raw mut row) }, WB_NOT_FOUND, "no agent of id 3");
    ok(wb_world_destroy(world));
}

/// Details of an event, with their size set.
fn details(world: u64, index: usize) -> (u32, wb_event_details) {
    let mut details = wb_event_details { size: size_of::<wb_event_details>() as u32, ..Default::default() };
    // SAFETY: the size is set.
    let status = unsafe { wb_world_event_details(world, index, &raw mut details) };
    (status, details)
}

#[test]
fn events_have_details() {
    let order = [Order::goto(CellXY::new(2, 0))];
    let agents = [at(WALKER, 0, 0, 0).with_orders(order), at(WALKER, 5, 0, 0)];
    let mut of_rust = open_world(8, 1, &agents, 1);
    let spawn = of_rust.command(Command::Spawn(at(WALKER, 5, 0, 0)));
    let world = copy_of(&of_rust, 0);
    step(world);
    let kinds: Vec<u32> = events(world).iter().map(|row| row.kind).collect();
    assert_eq!(kinds[0], WB_EVENT_REFUSED);
    let (status, found) = details(world, 0);
    ok(status);
    assert_eq!((found.ticket, found.blocker, found.class_, found.team), (spawn.0, 1, WALKER.0.into(), 0));
    assert_eq!(found.pose, wb_pose { x: 5, y: 0, heading: 0 });
    assert_eq!((found.reached, found.n_agents, found.area), (WB_REACHED_NOTHING, 0, wb_rect::default()));
    fails(details(world, kinds.len()).0, WB_NOT_FOUND, "event");
    let change = wb_change {
        kind: WB_CHANGE_TERRAIN,
        area: wb_rect { x: 5, y: 0, width: 9, height: 1 },
        value: 2,
        ..Default::default()
    };
    // SAFETY: one change.
    ok(unsafe {
        wb_command_edit(world, &raw const change, 1, WB_ON_AGENTS_REMOVE, 0, 0, std::ptr::null_mut())
    });
    step(world);
    let at_row = |kind| events(world).iter().position(|row| row.kind == kind).unwrap();
    let edited = details(world, at_row(WB_EVENT_EDIT_DONE)).1;
    assert_eq!(edited.area, wb_rect { x: 5, y: 0, width: 3, height: 1 });
    let removed = details(world, at_row(WB_EVENT_REMOVED)).1;
    assert_eq!((removed.ticket, removed.pose.x, removed.team), (edited.ticket, 5, 0));
    while events(world).iter().all(|row| row.kind != WB_EVENT_ORDER_DONE) {
        step(world);
    }
    let done = details(world, at_row(WB_EVENT_ORDER_DONE)).1;
    assert_eq!((done.reached, done.ticket), (WB_REACHED_GOAL, WB_NO_TICKET));
    ok(wb_world_destroy(world));
}

#[test]
fn threads_read_at_once_and_writers_are_told() {
    let world = field(12);
    (0..5).for_each(|_| {
        step(world);
    });
    let (expected, n) = (hash(world), agents(world).len());
    // Four threads read; all get answers.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!((hash(world), agents(world).len()), (expected, n));
                    assert_eq!(counts(world).placed, 144);
                }
            });
        }
    });
    // One steps while another asks for hashes: each call gets its answer or is told that the other excludes it.
    let (done, mut told) = (AtomicBool::new(false), [0; 2]);
    std::thread::scope(|scope| {
        let stepping = scope.spawn(|| {
            let mut busy = 0;
            for _ in 0..300 {
                let mut state = 0;
                // SAFETY: the state may be written.
                while unsafe { wb_world_step(world, &raw mut state) } == WB_BUSY {
                    busy += 1;
                    std::thread::yield_now();
                }
            }
            done.store(true, Ordering::Relaxed);
            busy
        });
        while !done.load(Ordering::Relaxed) {
            let mut hash = 0;
            // SAFETY: the hash may be written.
            let status = unsafe { wb_world_hash(world, &raw mut hash) };
            assert!(status == WB_OK || status == WB_BUSY);
            told[usize::from(status == WB_BUSY)] += 1;
        }
        told[1] += stepping.join().unwrap();
    });
    assert!(told[1] > 0, "{told:?}");
    // SAFETY: the tick may be written.
    assert_eq!(get(|out| unsafe { wb_world_tick(world, out) }), 305_u32);
    assert!(!save(world).is_empty());
    ok(wb_world_destroy(world));
}

#[test]
fn numbers_and_names_are_those_of_rust() {
    let events = [
        WB_EVENT_SPAWNED,
        WB_EVENT_REMOVED,
        WB_EVENT_REFUSED,
        WB_EVENT_ORDERED,
        WB_EVENT_ORDER_DONE,
        WB_EVENT_ORDER_FAILED,
        WB_EVENT_TASK_GIVEN,
        WB_EVENT_TASK_DONE,
        WB_EVENT_PATH_FOUND,
        WB_EVENT_BLOCKED,
        WB_EVENT_EDIT_DONE,
        WB_EVENT_EDIT_WAITS,
        WB_EVENT_PRIORITY_SET,
        WB_EVENT_TEAM_SET,
        WB_EVENT_SPEED_FACTOR_SET,
        WB_EVENT_CLASS_SET,
        WB_EVENT_TASKS_REPLACED,
        WB_EVENT_EDIT_CANCELLED,
        WB_EVENT_EDIT_REPLACED,
        WB_EVENT_ENTERED,
        WB_EVENT_LEFT,
    ];
    assert_eq!(events.to_vec(), EventKind::ALL.map(|kind| kind as u32));
    let names = |of: extern "C" fn(u32) -> *const std::ffi::c_char, n: usize| -> Vec<&'static str> {
        assert_eq!(name(of(n as u32)), None);
        assert_eq!(name(of(u32::MAX)), None);
        (0..n).map(|number| name(of(number as u32)).unwrap()).collect()
    };
    assert_eq!(names(wb_event_kind_name, events.len()), EventKind::ALL.map(EventKind::name));
    let refusals = [
        WB_REFUSED_UNKNOWN_AGENT,
        WB_REFUSED_UNKNOWN_CLASS,
        WB_REFUSED_ILLEGAL_POSE,
        WB_REFUSED_POSE_HELD,
        WB_REFUSED_GOAL_OFF_MAP,
        WB_REFUSED_WRONG_HEADING,
        WB_REFUSED_WRONG_ORDER,
        WB_REFUSED_WRONG_TASKS,
        WB_REFUSED_TOO_LONG,
        WB_REFUSED_WRONG_EDIT,
        WB_REFUSED_UNKNOWN_TEAM,
        WB_REFUSED_WRONG_SPEED_FACTOR,
        WB_REFUSED_TOO_MANY_AGENTS,
        WB_REFUSED_NO_ROOM,
        WB_REFUSED_NO_REQUEST,
        WB_REFUSED_WRONG_PATH,
        WB_REFUSED_WRONG_PRIMITIVE,
        WB_REFUSED_NO_SUCH_EDIT,
        WB_REFUSED_OFF_MAP,
        WB_REFUSED_ON_MAP,
    ];
    assert_eq!(refusals.to_vec(), RefusalReason::ALL.map(|reason| reason as u32));
    assert_eq!(names(wb_refusal_name, refusals.len()), RefusalReason::ALL.map(RefusalReason::name));
    let failures = [
        WB_FAILURE_GOAL_OFF_MAP,
        WB_FAILURE_NO_SUCH_HEADING,
        WB_FAILURE_GOAL_BLOCKED,
        WB_FAILURE_UNREACHABLE,
        WB_FAILURE_OBSTRUCTED,
        WB_FAILURE_NO_ROOM,
        WB_FAILURE_COST_OVERFLOW,
    ];
    assert_eq!(failures.to_vec(), UnreachableReason::ALL.map(|reason| reason as u32));
    assert_eq!(names(wb_failure_name, failures.len()), UnreachableReason::ALL.map(UnreachableReason::name));
    let activities = [
        WB_ACTIVITY_IDLE,
        WB_ACTIVITY_DWELLING,
        WB_ACTIVITY_AWAITING_PATH,
        WB_ACTIVITY_FOLLOWING,
        WB_ACTIVITY_YIELDING,
        WB_ACTIVITY_ARRIVED,
        WB_ACTIVITY_UNREACHABLE,
        WB_ACTIVITY_HOLDING,
    ];
    assert_eq!(activities.to_vec(), Activity::ALL.map(|activity| activity as u8));
    assert_eq!(names(wb_activity_name, activities.len()), Activity::ALL.map(Activity::name));
    let orders = [
        ("goto", WB_ORDER_GOTO),
        ("goto_area", WB_ORDER_GOTO_AREA),
        ("patrol", WB_ORDER_PATROL),
        ("wait", WB_ORDER_WAIT),
        ("task", WB_ORDER_TASKS),
        ("goto_group", WB_ORDER_GOTO_GROUP),
        ("stop", WB_ORDER_STOP),
        ("hold", WB_ORDER_HOLD),
        ("follow", WB_ORDER_FOLLOW),
        ("wait_in_place", WB_ORDER_WAIT_IN_PLACE),
        ("repeat", WB_ORDER_REPEAT),
        ("goto_formation", WB_ORDER_GOTO_FORMATION),
    ];
    assert_eq!(names(wb_order_kind_name, orders.len()), OrderKind::NAMES);
    for (of, number) in orders {
        assert_eq!(name(wb_order_kind_name(number)), Some(of));
    }
    assert_eq!((WB_AT_REST, WB_NO_ORDER), (AgentRow::AT_REST, AgentRow::NO_ORDER));
    assert_eq!((WB_NEVER, WB_NONE, WB_NO_TICKET), (AgentRow::NEVER, EventRow::NONE, EventRow::NO_TICKET));
    let flags = [AgentRow::STRANDED, AgentRow::ON_HOLD, AgentRow::TO_NEAREST, AgentRow::ON_LEG];
    assert_eq!([WB_FLAG_STRANDED, WB_FLAG_ON_HOLD, WB_FLAG_TO_NEAREST, WB_FLAG_ON_LEG], flags);
}

#[test]
fn what_a_world_counts_is_what_rust_counts() {
    let mut rust = open_world(8, 8, &[at(WALKER, 0, 0, 0)], 1);
    let world = copy_of(&rust, 0);
    for agent in [0, 9] {
        let command = Command::order(wheelbase_sim::AgentId(agent), Order::goto(CellXY::new(5, 5)));
        let (status, _) = crate::commands::give(world, &command, wheelbase_grid::GridShape::Square, 0);
        ok(status);
        rust.command(command);
    }
    ok(wb_world_check_invariants(world));
    for _ in 0..40 {
        step(world);
        rust.step();
    }
    let (of_c, of_rust) = (counts(world), rust.counts());
    assert_eq!((of_c.orders_done, of_c.commands_refused, of_c.collisions), (1, 1, 0));
    assert_eq!(of_c.moves, of_rust.moves);
    assert_eq!(of_c.expansions, of_rust.expansions);
    assert_eq!((of_c.placed, of_c.removed, of_c.moving, of_c.waiting), (1, 0, 0, 0));
    // SAFETY: the flag may be written.
    assert_eq!(get(|out| unsafe { wb_world_nothing_left(world, out) }), 1_u8);
    let size = size_of::<wb_memory>() as u32;
    let mut memory = wb_memory {
        size,
        reserved: 0,
        agents: 0,
        agent_bytes: 0,
        fields: 0,
        field_bytes: 0,
        landmark_bytes: 0,
    };
    // SAFETY: the structure has its size.
    ok(unsafe { wb_world_memory(world, &raw mut memory) });
    assert_eq!((memory.agents, memory.agent_bytes), (1, rust.memory().agent_bytes));
    // A world with a last tick ends there.
    ok(wb_world_set_ticks(world, 42));
    assert_eq!([step(world), step(world), step(world)], [WB_ENDED; 3]);
    ok(wb_world_destroy(world));
}
