//! Wrong arguments: each gets a status and a message that names it, and nothing happens.

use crate::calls::{copy_of, fails, hash, message, ok, step};
use crate::scenes::{Driver, world_of};
use std::ptr::{null, null_mut};
use wheelbase_c::*;
use wheelbase_grid::GridShape;

pub fn order(kind: u32) -> wb_order {
    // SAFETY: numbers and null pointers: zeros are a value.
    let mut order: wb_order = unsafe { std::mem::zeroed() };
    // SAFETY: the order may be written.
    ok(unsafe { wb_order_init(&raw mut order, kind) });
    order
}

fn spawn() -> wb_spawn {
    // SAFETY: numbers and null pointers: zeros are a value.
    wb_spawn { size: size_of::<wb_spawn>() as u32, ..unsafe { std::mem::zeroed() } }
}

#[test]
fn handles_that_are_none_are_refused_everywhere() {
    let world = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
    let recording = {
        let mut recording = 0;
        // SAFETY: the handle may be written.
        ok(unsafe { wb_recording_begin(world, &raw mut recording) });
        recording
    };
    let gone = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
    ok(wb_world_destroy(gone));
    let (mut state, mut number, mut rows, mut events) = (0, 0_u64, null(), null());
    // SAFETY: zeros are a row.
    let mut one: wb_agent_row = unsafe { std::mem::zeroed() };
    let mut count = 0;
    for (handle, status, words) in [
        (0, WB_NO_HANDLE, "0x0 is no handle, expected one of kind world"),
        (u64::MAX, WB_NO_HANDLE, "is no handle"),
        (gone, WB_DESTROYED, "this world has been destroyed"),
        (recording, WB_WRONG_KIND, "a handle of kind recording, expected world"),
    ] {
        let (order, spawn, cell) = (order(WB_ORDER_STOP), spawn(), wb_rect::default());
        // SAFETY: all pointers are valid.
        let statuses = unsafe {
            let (state, number, count) = (&raw mut state, &raw mut number, &raw mut count);
            [
                wb_world_step(handle, state),
                wb_world_tick(handle, state),
                wb_world_hash(handle, number),
                wb_world_agents(handle, &raw mut rows, count),
                wb_world_events(handle, &raw mut events, count),
                wb_world_agent(handle, 0, &raw mut one),
                wb_world_clone(handle, number),
                wb_world_save(handle, null_mut(), 0, count),
                wb_world_restore(handle, null(), 0),
                wb_world_copy_from(world, handle),
                wb_world_copy_from(handle, world),
                wb_world_set_threads(handle, 2),
                wb_world_set_ticks(handle, 2),
                wb_world_check_invariants(handle),
                wb_world_name_agent(handle, 0, null(), 0),
                wb_world_agent_name(handle, 0, null_mut(), 0, count),
                wb_command_remove(handle, null(), 0, 0, null_mut()),
                wb_command_order_in(handle, &raw const cell, &raw const order, 1, 0, 0, null_mut()),
                wb_command_spawn(handle, &raw const spawn, 0, null_mut()),
                wb_recording_begin(handle, number),
            ]
        };
        assert_eq!(statuses, [status; 20], "{handle:#x}: {}", message());
        assert!(message().contains(words), "{}", message());
        if status != WB_NO_HANDLE {
            fails(wb_world_destroy(handle), status, "wb_world_destroy");
        }
    }
    assert_eq!(rows, null());
    ok(wb_world_destroy(0));
    ok(wb_recording_destroy(recording));
    ok(wb_world_destroy(world));
}

#[test]
fn null_pointers_are_refused_before_anything_is_done() {
    let world = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
    let before = hash(world);
    let (stop, spawn) = (order(WB_ORDER_STOP), spawn());
    let (mut rows, mut count, mut handle) = (null(), 0, 0);
    // SAFETY: pointers are valid or null.
    unsafe {
        fails(wb_world_step(world, null_mut()), WB_POINTER, "wb_world_step: `state` is null");
        fails(wb_world_tick(world, null_mut()), WB_POINTER, "`tick`");
        fails(wb_world_hash(world, null_mut()), WB_POINTER, "`hash`");
        fails(wb_world_agents(world, null_mut(), &raw mut count), WB_POINTER, "`rows`");
        fails(wb_world_agents(world, &raw mut rows, null_mut()), WB_POINTER, "`count`");
        fails(wb_world_events(world, null_mut(), &raw mut count), WB_POINTER, "`rows`");
        fails(wb_world_agent(world, 0, null_mut()), WB_POINTER, "`row`");
        fails(wb_world_counts(world, null_mut()), WB_POINTER, "`counts`");
        fails(wb_world_memory(world, null_mut()), WB_POINTER, "`memory`");
        fails(wb_world_nothing_left(world, null_mut()), WB_POINTER, "`nothing_left`");
        fails(wb_world_clone(world, null_mut()), WB_POINTER, "`copy`");
        fails(wb_world_save(world, null_mut(), 0, null_mut()), WB_POINTER, "`count`");
        fails(wb_world_save(world, null_mut(), 1 << 30, &raw mut count), WB_POINTER, "`buffer`");
        fails(wb_world_load(null(), 5, 0, &raw mut handle), WB_POINTER, "`bytes`");
        fails(wb_world_load(null(), 0, 0, null_mut()), WB_POINTER, "`world`");
        fails(wb_world_load(null(), 0, 0, &raw mut handle), WB_TEXT, "`bytes`: is cut off");
        fails(wb_world_open(null(), 3, 0, &raw mut handle), WB_POINTER, "`path`");
        fails(wb_world_parse(null(), 0, null(), 3, null(), 0, 0, &raw mut handle), WB_POINTER, "`bytes`");
        fails(wb_world_parse(null(), 0, null(), 0, null(), 2, 0, &raw mut handle), WB_POINTER, "`files`");
        fails(wb_world_name_agent(world, 0, null(), 4), WB_POINTER, "`name`");
        fails(wb_command_spawn(world, null(), 0, null_mut()), WB_POINTER, "`spawn`");
        fails(wb_command_spawn_group(world, null(), 0, null_mut()), WB_POINTER, "`group`");
        fails(wb_command_remove(world, null(), 2, 0, null_mut()), WB_POINTER, "`agents`");
        fails(wb_command_remove_in(world, null(), 0, null_mut()), WB_POINTER, "`area`");
        let orders = &raw const stop;
        fails(wb_command_order(world, null(), 1, orders, 1, 0, 0, null_mut()), WB_POINTER, "`agents`");
        fails(wb_command_order(world, null(), 0, null(), 1, 0, 0, null_mut()), WB_POINTER, "`orders`");
        fails(wb_command_tasks(world, null(), 0, null(), 0, 0, null_mut()), WB_POINTER, "`source`");
        fails(wb_command_edit(world, null(), 1, 0, 0, 0, null_mut()), WB_POINTER, "`changes`");
        fails(wb_command_decisions(world, null(), null(), 1, 0, null_mut()), WB_POINTER, "`agents`");
        fails(wb_command_path_answer(world, 0, 1, null(), 1, 0, null_mut()), WB_POINTER, "`moves`");
        fails(wb_recording_begin(world, null_mut()), WB_POINTER, "`recording`");
        // A pointer that is not aligned.
        let tick = (&raw mut handle).cast::<u8>().add(1).cast::<u32>();
        fails(wb_world_tick(world, tick), WB_POINTER, "`tick` is not aligned to 4 bytes");
        let spawn = (&raw const spawn).cast::<u8>().add(4).cast::<wb_spawn>();
        fails(wb_command_spawn(world, spawn, 0, null_mut()), WB_POINTER, "`spawn` is not aligned");
        fails(wb_command_remove(world, null(), 0, 0, tick.cast()), WB_POINTER, "`ticket` is not aligned");
    }
    assert_eq!(hash(world), before);
    ok(wb_world_destroy(world));
}

#[test]
fn sizes_and_numbers_out_of_range_are_named() {
    let world = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
    let before = hash(world);
    let place = |change: fn(&mut wb_spawn)| {
        let mut spawn = spawn();
        change(&mut spawn);
        // SAFETY: the structure is valid for its real size.
        unsafe { wb_command_spawn(world, &raw const spawn, 0, null_mut()) }
    };
    let words = format!("`spawn.size` is 0, expected {}: set it to sizeof(wb_spawn)", size_of::<wb_spawn>());
    fails(place(|spawn| spawn.size = 0), WB_SIZE, &words);
    fails(place(|spawn| spawn.size += 8), WB_SIZE, "`spawn.size`");
    fails(place(|spawn| spawn.class_ = 256), WB_ARGUMENT, "`spawn.class_` is 256");
    fails(place(|spawn| spawn.team = 256), WB_ARGUMENT, "`spawn.team` is 256, expected 0 to 31");
    fails(place(|spawn| spawn.speed_factor = 65_536), WB_ARGUMENT, "`spawn.speed_factor` is 65536");
    fails(place(|spawn| spawn.pose.heading = 300), WB_ARGUMENT, "`spawn.pose.heading` is 300");
    fails(place(|spawn| spawn.n_orders = 1), WB_POINTER, "`spawn.orders` is null");
    let give = |orders: &[wb_order], append: u8| {
        let (at, n) = (orders.as_ptr(), orders.len());
        // SAFETY: the orders are there.
        unsafe { wb_command_order(world, null(), 0, at, n, append, 0, null_mut()) }
    };
    let with = |kind: u32, change: fn(&mut wb_order)| {
        let mut order = order(kind);
        change(&mut order);
        order
    };
    let stop = order(WB_ORDER_STOP);
    fails(give(&[stop], 2), WB_ARGUMENT, "`append` is 2, expected 0 or 1");
    fails(give(&[with(99, |_| ())], 0), WB_ARGUMENT, "`orders[0]`: `kind` is 99, expected 0 to 11");
    let wrong = with(WB_ORDER_STOP, |order| order.size = 8);
    fails(give(&[stop, wrong], 0), WB_SIZE, "`orders[1].size` is 8");
    fails(give(&[wrong], 0), WB_SIZE, "`orders.size` is 8");
    let wrong = with(WB_ORDER_WAIT, |order| order.headings = 300);
    fails(give(&[stop, wrong], 0), WB_ARGUMENT, "`orders[1]`: `headings` is 300, expected 1, 4, 6 or 8");
    let wrong = with(WB_ORDER_GOTO, |order| order.fallback = 2);
    fails(give(&[wrong], 0), WB_ARGUMENT, "`orders[0]`: `fallback` is 2, expected WB_FALLBACK_FAIL (0)");
    let wrong = with(WB_ORDER_GOTO_AREA, |order| order.if_unreachable = 2);
    fails(give(&[wrong], 0), WB_ARGUMENT, "`orders[0]`: `if_unreachable` is 2");
    let wrong = with(WB_ORDER_PATROL, |order| order.n_goals = 3);
    fails(give(&[wrong], 0), WB_POINTER, "`orders[0]`: `goals` is null");
    fails(give(&[order(WB_ORDER_TASKS)], 0), WB_POINTER, "`orders[0]`: `tasks` is null");
    let goals = [wb_goal { x: 1, y: 1, heading: WB_ANY_HEADING }, wb_goal { x: 1, y: 1, heading: 256 }];
    let mut wrong = order(WB_ORDER_GOTO);
    (wrong.goals, wrong.n_goals) = (goals.as_ptr(), 2);
    fails(give(&[wrong], 0), WB_ARGUMENT, "`orders[0]`: `goals[1].heading` is 256");
    // SAFETY: numbers and null pointers: zeros are a value.
    let mut source: wb_task_source = unsafe { std::mem::zeroed() };
    (source.size, source.kind) = (size_of::<wb_task_source>() as u32, 3);
    // SAFETY: pointers are valid or null.
    unsafe {
        let tasks = wb_command_tasks(world, null(), 0, &raw const source, 0, 0, null_mut());
        fails(tasks, WB_ARGUMENT, "`source`: `kind` is 3, expected 0 to 2");
        fails(wb_command_team(world, null(), 0, 300, 0, null_mut()), WB_ARGUMENT, "`team` is 300");
        let factor = wb_command_speed_factor(world, null(), 0, 70_000, 0, null_mut());
        fails(factor, WB_ARGUMENT, "`factor` is 70000, expected 1 to 65,535");
        fails(wb_command_class(world, 0, 300, null(), 0, null_mut()), WB_ARGUMENT, "`class_` is 300");
        fails(wb_command_edit(world, null(), 0, 5, 0, 0, null_mut()), WB_ARGUMENT, "`on_agents` is 5");
        let change = wb_change { kind: 4, ..wb_change::default() };
        let edit = wb_command_edit(world, &raw const change, 1, 0, 0, 0, null_mut());
        fails(edit, WB_ARGUMENT, "changes[0]: kind 4");
        let answer = wb_command_path_answer(world, 0, 2, null(), 0, 0, null_mut());
        fails(answer, WB_ARGUMENT, "`found` is 2, expected 0 or 1");
        let mut handle = 1;
        fails(wb_world_load(null(), 0, 1025, &raw mut handle), WB_ARGUMENT, "`threads` is 1025");
        assert_eq!(handle, 0, "a handle that is not made is 0");
        fails(wb_world_set_threads(world, 5000), WB_ARGUMENT, "`threads` is 5000, expected 0 to 1024");
        let mut counts: wb_counts = std::mem::zeroed();
        fails(wb_world_counts(world, &raw mut counts), WB_SIZE, "`counts.size` is 0");
        let (path, mut handle) = ("no such file.toml", 0);
        let open = wb_world_open(path.as_ptr().cast(), path.len(), 0, &raw mut handle);
        fails(open, WB_TEXT, "wb_world_open: no such file.toml: cannot be read");
        let open = wb_world_open([0xff_u8, b'a'].as_ptr().cast(), 2, 0, &raw mut handle);
        fails(open, WB_ARGUMENT, "`path` is not UTF-8 at byte 0");
        let name = wb_world_name_agent(world, 4, path.as_ptr().cast(), path.len());
        fails(name, WB_NOT_FOUND, "no agent of id 4 is present");
    }
    // None of all these was a command: the next one has the first ticket.
    assert_eq!(hash(world), before);
    let mut ticket = 9;
    // SAFETY: the ticket may be written.
    ok(unsafe { wb_command_remove(world, null(), 0, 0, &raw mut ticket) });
    assert_eq!(ticket, 0);
    ok(wb_world_destroy(world));
}

/// What has a value in Rust is the world's to refuse, by an event with the ticket.
#[test]
fn what_a_world_cannot_do_is_an_event_with_the_ticket() {
    let world = copy_of(&world_of(GridShape::Square, Driver::Planner), 0);
    let (goal, mut spawn) = (wb_goal { x: -7, y: 3, heading: WB_ANY_HEADING }, spawn());
    spawn.pose = wb_pose { x: 1, y: 1, heading: 0 };
    let mut goto = order(WB_ORDER_GOTO);
    (goto.goals, goto.n_goals) = (&raw const goal, 1);
    let mut tickets = [0; 4];
    let change = wb_change { value: 200, ..wb_change::default() };
    // SAFETY: all pointers are valid.
    unsafe {
        let given = tickets.as_mut_ptr();
        let ticket = |at: usize| given.add(at);
        ok(wb_command_spawn(world, &raw const spawn, 0, null_mut()));
        let agents = [0_u32, 5];
        ok(wb_command_order(world, agents.as_ptr(), 2, &raw const goto, 1, 0, 0, ticket(0)));
        spawn.class_ = 77;
        ok(wb_command_spawn(world, &raw const spawn, 0, ticket(1)));
        ok(wb_command_edit(world, &raw const change, 1, 0, 0, 0, ticket(2)));
        ok(wb_command_team(world, agents.as_ptr(), 1, 40, 0, ticket(3)));
    }
    assert_eq!(tickets, [1, 2, 3, 4]);
    step(world);
    let refused: Vec<(u64, u32)> = crate::calls::events(world)
        .iter()
        .filter(|event| event.kind == WB_EVENT_REFUSED)
        .map(|event| (event.ticket, event.a))
        .collect();
    assert_eq!(
        refused,
        [
            (1, WB_REFUSED_GOAL_OFF_MAP),
            (2, WB_REFUSED_UNKNOWN_CLASS),
            (3, WB_REFUSED_WRONG_EDIT),
            (4, WB_REFUSED_UNKNOWN_TEAM),
        ]
    );
    ok(wb_world_destroy(world));
}
