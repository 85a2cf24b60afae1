//! A thousand queries through the C interface cost and lead what they do in Rust. They are written to a file, too,
//! which the C program `tests/c/queries.c` answers again.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::fmt::Write;
use wheelbase_c::*;
use wheelbase_grid::{CellXY, GridSize, SplitMix64};
use wheelbase_maps::{MapKind, generate};
use wheelbase_planner::search::Fallback;
use wheelbase_planner::{
    ClassSpec, Goal, GoalMember, Heading, MovementClass, MovementTables, Path, Pose, Primitive, Request,
    Scratch, plan,
};

const CLASS: &str = "[class.lorry]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [\n  \
    { name = \"forward\", by = [1, 0], time = 10 },\n  { name = \"reverse\", by = [-1, 0], time = 30 },\n  \
    { name = \"left\", turn = 1, time = 10 },\n  { name = \"right\", turn = -1, time = 10 },\n]\n";

fn ok(status: u32) {
    let mut message = vec![0_u8; 1000];
    let mut length = 0;
    if status != WB_OK {
        unsafe { wb_last_error(message.as_mut_ptr().cast(), message.len(), &mut length) };
        panic!("{}", String::from_utf8_lossy(&message[..length]));
    }
}

#[test]
fn a_thousand_queries_cost_what_they_do_in_rust() {
    let grid = generate(MapKind::Base, GridSize::new(96, 64).unwrap(), 5);
    let mut file = Vec::new();
    wheelbase_maps::movingai::write(&grid, &mut file).unwrap();
    let mut spec = ClassSpec::new("lorry", 4);
    (spec.footprint, spec.primitives) = (vec![(0, 0), (-1, 0)], Primitive::vehicle(10, 30, 10));
    let in_rust = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    let (mut map, mut class, mut tables, mut scratch, mut path) = (0, 0, 0, 0, 0);
    let name = "base.map";
    unsafe {
        ok(wb_map_parse(name.as_ptr().cast(), name.len(), file.as_ptr(), file.len(), &mut map));
        ok(wb_class_parse(name.as_ptr().cast(), name.len(), CLASS.as_ptr().cast(), CLASS.len(), &mut class));
        ok(wb_tables_new(map, class, &mut tables));
        ok(wb_scratch_new(&mut scratch));
        ok(wb_path_new(&mut path));
    }
    let mut random = SplitMix64::new(7);
    let (mut of_rust, mut path_of_rust, mut text) = (Scratch::new(), Path::new(), String::new());
    let mut n_found = 0;
    for number in 0..1000 {
        let mut cell = || CellXY::new(random.between(0, 95), random.between(0, 63));
        let (start, to) = (Pose { cell: cell(), heading: Heading((number % 4) as u8) }, cell());
        let goal = [GoalMember::any(to)];
        let mut request = Request::new(start, Goal::of(&goal));
        request.fallback = if number % 5 == 0 { Fallback::Nearest } else { Fallback::Fail };
        let expected = plan(&in_rust, &request, &mut of_rust, &mut path_of_rust);

        let goals = [wb_pose { x: to.x, y: to.y, heading: WB_ANY_HEADING }];
        let mut answer = wb_answer { size: size_of::<wb_answer>() as u32, ..Default::default() };
        let (mut moves, mut count) = (std::ptr::null(), 0);
        // SAFETY: all pointers are to values that live here.
        let moves = unsafe {
            let mut asked = std::mem::zeroed();
            ok(wb_request_init(&mut asked));
            asked.start = wb_pose { x: start.cell.x, y: start.cell.y, heading: number % 4 };
            (asked.goals, asked.n_goals) = (goals.as_ptr(), 1);
            asked.fallback = u32::from(number % 5 == 0);
            ok(wb_plan(tables, &asked, scratch, path, &mut answer));
            ok(wb_path_moves(path, &mut moves, &mut count));
            std::slice::from_raw_parts(moves, count)
        };
        assert_eq!((answer.cost, answer.expansions), (expected.cost, expected.expansions), "query {number}");
        assert_eq!(moves, path_of_rust.moves, "query {number}");
        n_found += u32::from(answer.result == WB_PLAN_FOUND);
        let (from, fallback) = (start.cell, u8::from(number % 5 == 0));
        writeln!(
            text,
            "{} {} {} {} {} {fallback} {} {}",
            from.x,
            from.y,
            number % 4,
            to.x,
            to.y,
            answer.result,
            answer.cost
        )
        .unwrap();
    }
    assert!(n_found > 300, "{n_found} paths");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("queries.map"), file).unwrap();
    std::fs::write(folder.join("queries.txt"), text).unwrap();
    ok(wb_path_destroy(path));
    ok(wb_scratch_destroy(scratch));
    ok(wb_tables_destroy(tables));
    ok(wb_class_destroy(class));
    ok(wb_map_destroy(map));
}

/// A call that fails changes nothing: neither the path, nor a search in progress with its request.
#[test]
fn calls_that_fail_change_nothing() {
    let rows = "................\n................\n................\n";
    let (mut map, mut class, mut tables, mut scratch, mut path) = (0, 0, 0, 0, 0);
    let goal = |x, heading| [wb_pose { x, y: 1, heading }];
    let (far, near, wrong) = (goal(15, WB_ANY_HEADING), goal(5, WB_ANY_HEADING), goal(5, 7));
    let mut answer = wb_answer { size: size_of::<wb_answer>() as u32, ..Default::default() };
    // SAFETY: all pointers are to values that live here.
    unsafe {
        ok(wb_map_from_rows(rows.as_ptr().cast(), rows.len(), &mut map));
        ok(wb_class_parse("lorry".as_ptr().cast(), 5, CLASS.as_ptr().cast(), CLASS.len(), &mut class));
        ok(wb_tables_new(map, class, &mut tables));
        ok(wb_scratch_new(&mut scratch));
        ok(wb_path_new(&mut path));
        let mut asked = std::mem::zeroed();
        ok(wb_request_init(&mut asked));
        asked.start = wb_pose { x: 2, y: 1, heading: 0 };
        let mut with = |goals: &[wb_pose; 1]| {
            (asked.goals, asked.n_goals) = (goals.as_ptr(), 1);
            asked
        };
        let (far, near, wrong) = (with(&far), with(&near), with(&wrong));
        ok(wb_plan(tables, &far, scratch, path, &mut answer));
        assert_eq!(answer.cost, 130);

        let (mut poses, mut count, mut done) = (std::ptr::null(), 0, 0);
        let mut small = wb_answer { size: 3, ..Default::default() };
        assert_eq!(wb_plan(tables, &near, scratch, path, &mut small), WB_SIZE);
        ok(wb_path_poses(path, &mut poses, &mut count));
        assert_eq!(count, 14, "the path is that of the plan before");

        ok(wb_plan_begin(tables, &far, scratch, &mut done));
        assert_eq!(wb_plan(tables, &wrong, scratch, path, &mut answer), WB_ARGUMENT);
        assert_eq!(wb_plan_begin(tables, &wrong, scratch, &mut done), WB_ARGUMENT);
        assert_eq!(wb_plan_begin(tables, &near, scratch, std::ptr::null_mut()), WB_POINTER);
        while done == 0 {
            ok(wb_plan_advance(tables, scratch, 1, &mut done));
        }
        ok(wb_plan_finish(tables, scratch, path, &mut answer));
        assert_eq!(answer.cost, 130, "the search that was under way");

        let (area, unaligned) =
            (wb_rect { x: 4, y: 0, width: 1, height: 3 }, std::ptr::without_provenance_mut::<u32>(1));
        let wall = wb_change { kind: WB_CHANGE_TERRAIN, area, value: 3, ..Default::default() };
        assert_eq!(wb_map_edit(map, &wall, 1, unaligned.cast()), WB_POINTER);
        assert_eq!(wb_tables_update(tables, map, &area, unaligned), WB_POINTER);
        ok(wb_tables_update(tables, map, &area, std::ptr::null_mut()));
        ok(wb_plan(tables, &far, scratch, path, &mut answer));
        assert_eq!(answer.cost, 130, "there is no wall");
    }
    ok(wb_path_destroy(path));
    ok(wb_scratch_destroy(scratch));
    ok(wb_tables_destroy(tables));
    ok(wb_class_destroy(class));
    ok(wb_map_destroy(map));
}
