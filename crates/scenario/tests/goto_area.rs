//! Orders to an area: who is given which pose.

#![allow(clippy::unwrap_used)]

mod common;

use common::{CART, cart, cell, run_checked, set_terrain, step_to, world_from, world_of};
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::{Legality, Pose};
use wheelbase_sim::{Activity, World};

fn to(area: &str) -> String {
    format!("{{ goto_area = {area} }}")
}

/// What the agent in a row has been given.
fn given(world: &World, row: usize) -> Option<Pose> {
    world.agents().assigned[row].map(|state| world.tables()[0].space().pose(state))
}

#[test]
fn poses_are_handed_out_in_order_of_id() {
    // The same way to (3, 0) for all but the last, which is nearer to it and comes last all the same.
    let order = to("[3, 0, 9, 1]");
    let more =
        cart("[0, 0, \"E\"]", &order) + &cart("[0, 1, \"E\"]", &order) + &cart("[2, 0, \"E\"]", &order);
    let mut world = world_of(&["......", "......"], &more);
    step_to(&mut world, 1);
    let places: Vec<i32> = (0..3).map(|row| given(&world, row).unwrap().cell.x).collect();
    assert_eq!(places, [3, 4, 5]);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 3, "{:?}", world.counts());
    assert!((0..3).all(|row| given(&world, row).is_none() && cell(&world, row).x == row as i32 + 3));
}

#[test]
fn a_lone_agent_arrives_at_its_cost_and_one_that_is_there_is_done() {
    let mut world = world_of(&["......."], &cart("[0, 0, \"E\"]", &to("[4, 0, 3, 1]")));
    run_checked(&mut world);
    assert_eq!((world.tick(), cell(&world, 0), world.counts().moves), (8, CellXY::new(4, 0), 4));
    let mut world = world_of(&["......."], &cart("[5, 0, \"N\"]", &to("[4, -3, 3, 9]")));
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().moves, world.counts().orders_done), (1, 0, 1));
}

#[test]
fn others_at_rest_are_passed_over_and_those_that_move_are_not() {
    let rests = "{ wait = 90 }";
    let more = cart("[0, 0, \"E\"]", &to("[3, 0, 1, 2]")) + &cart("[3, 0, \"E\"]", rests);
    let mut world = world_of(&[".....", "....."], &more);
    step_to(&mut world, 1);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(3, 1));
    run_checked(&mut world);
    // It leaves (3, 0) at tick 0 and is in mid-move when the other asks.
    let more = "[[events]]\ntick = 1\nadd_agents = { class = \"cart\", count = 1, area = [0, 0, 1, 1], orders = [{ goto_area = [3, 0, 1, 1] }] }\n";
    let mut world = world_of(&["......"], &(cart("[3, 0, \"E\"]", "{ goto = [5, 0] }") + more));
    run_checked(&mut world);
    assert_eq!((cell(&world, 1), world.counts().orders_done), (CellXY::new(3, 0), 2));
}

#[test]
fn a_full_area_is_unreachable() {
    let more =
        cart("[0, 0, \"E\"]", &(to("[3, 0, 1, 1]") + ", { goto = [1, 0] }")) + &cart("[3, 0, \"E\"]", "");
    let mut world = world_of(&["...."], &more);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_unreachable, world.counts().orders_done), (1, 1));
    // With a way or without, of the map or of the agents.
    let mut world = world_of(&["..W."], &cart("[0, 0, \"E\"]", &to("[3, 0, 1, 1]")));
    run_checked(&mut world);
    assert_eq!((world.counts().orders_unreachable, world.tick()), (1, 1));
}

#[test]
fn nearest_goes_near_and_says_unreachable_there() {
    let order = |rule: &str| {
        format!(
            "{{ goto_area = [5, 0, 3, 1], fallback = \"nearest\", if_unreachable = \"{rule}\" }}, {{ wait = 3 }}"
        )
    };
    let agents = |rule| cart("[0, 0, \"E\"]", &order(rule)) + &cart("[3, 0, \"E\"]", "");
    // (3, 0) is taken: (2, 0) is the nearest that is free.
    let mut world = world_of(&["....W..."], &agents("drop"));
    step_to(&mut world, 3);
    assert_eq!((given(&world, 0).unwrap().cell, world.counts().orders_unreachable), (CellXY::new(2, 0), 0));
    run_checked(&mut world);
    assert_eq!((cell(&world, 0), world.tick()), (CellXY::new(2, 0), 7));
    assert_eq!((world.counts().orders_unreachable, world.counts().orders_done), (1, 1));
    // It waits there, and goes on when the way opens.
    let open = set_terrain(50, "[4, 0, 1, 1]", "ground", "wait");
    let mut world = world_of(&["....W...", "....W..."], &(agents("wait") + &open));
    step_to(&mut world, 40);
    assert_eq!(world.agents().motion[0].activity, Activity::Unreachable);
    run_checked(&mut world);
    assert_eq!((cell(&world, 0).x, world.counts().orders_unreachable, world.counts().orders_done), (5, 0, 2));
}

#[test]
fn a_given_pose_is_kept_while_it_can_be_reached_and_replaced_otherwise() {
    let order = to("[4, 0, 4, 1]");
    // A detour is dearer than another place would be: the place is kept.
    let more = cart("[0, 0, \"E\"]", &order)
        + &set_terrain(1, "[3, 0, 1, 1]", "water", "wait")
        + &set_terrain(3, "[4, 0, 1, 1]", "water", "wait");
    let mut world = world_of(&["........", "........"], &more);
    step_to(&mut world, 1);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(4, 0));
    step_to(&mut world, 3);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(4, 0));
    // Then it floods: another is handed out.
    step_to(&mut world, 5);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(5, 0));
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, cell(&world, 0)), (1, CellXY::new(5, 0)));
}

#[test]
fn a_pose_is_free_again_when_its_agent_is_gone_or_sent_elsewhere() {
    for action in
        ["remove_agents = { names = [\"a\"] }", "give_orders = { names = [\"a\"], orders = [{ wait = 1 }] }"]
    {
        let first = cart("[0, 0, \"E\"]", &to("[5, 0, 1, 1]")).replace("class", "name = \"a\"\nclass");
        let second = cart("[0, 1, \"E\"]", &("{ wait = 4 }, ".to_owned() + &to("[5, 0, 1, 1]")));
        let event = format!("[[events]]\ntick = 3\n{action}\n");
        let mut world = world_of(&["......", "......"], &(first + &second + &event));
        step_to(&mut world, 3);
        assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(5, 0));
        run_checked(&mut world);
        let last = world.agents().len() - 1;
        assert_eq!(
            (cell(&world, last), world.counts().orders_unreachable),
            (CellXY::new(5, 0), 0),
            "{action}"
        );
    }
}

/// Agents of one tick and one priority against the obvious way: one after the other in order of id, each the
/// cheapest of all poses that are left.
#[test]
fn all_are_given_the_cheapest_that_is_left() {
    let rows = ["....S.....T...", "..W.......T...", "..............", ".S..W.....SS..", "......TT......"];
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    for (seed, slots) in [(1, 1), (2, 3), (3, 40), (4, 16), (5, 2)] {
        let text = format!(
            "name = \"t\"\nseed = {seed}\nticks = 900\nsearch_slots = {slots}\n[map]\nrows = [{}]\n{CART}[[groups]]\nclass = \"cart\"\ncount = 14\narea = [0, 0, 8, 5]\norders = [{}]\n",
            rows.join(","),
            to("[6, 0, 8, 4]")
        );
        let mut world = world_from(&text);
        let starts: Vec<Pose> = (0..14).map(|row| world.pose(row)).collect();
        let (grid, area) = (world.grid().clone(), Rect::new(6, 0, 8, 4));
        step_to(&mut world, 1);
        let class = world.tables()[0].class();
        let legality = Legality::new(&grid, class);
        let mut taken = BTreeSet::new();
        for (row, &start) in starts.iter().enumerate() {
            let reference = Reference::from(&legality, start);
            let space = legality.space();
            let is_free = |cell: CellXY| {
                let rests = starts.iter().enumerate().any(|(other, at)| other != row && at.cell == cell);
                !rests && !taken.contains(&cell)
            };
            let cost = |pose: Pose| reference.costs[space.state(pose).unwrap().0 as usize];
            let states = (0..space.n_states() as u32).map(State).map(|state| space.pose(state));
            let free = states.filter(|pose| area.contains(pose.cell) && is_free(pose.cell));
            let least = free.filter_map(cost).min().unwrap();
            // One that was there at once is done and has given it back: it stands on it.
            let got = given(&world, row).unwrap_or(world.pose(row));
            assert!(is_free(got.cell), "seed {seed}: agent {row}: {got:?}");
            assert_eq!(cost(got), Some(least), "seed {seed}: agent {row}: {got:?}");
            taken.insert(got.cell);
        }
        run_checked(&mut world);
        assert_eq!(world.counts().orders_done, 14, "seed {seed}: {:?}", world.counts());
    }
}

#[test]
fn a_starved_budget_gives_each_a_place_too() {
    let text = |expansions: u32| {
        let rows = ["\"....................\""; 12].join(",");
        format!(
            "name = \"t\"\nticks = 4000\nexpansions_per_tick = {expansions}\nsearch_slots = 3\n[map]\nrows = [{rows}]\n{CART}[[groups]]\nclass = \"cart\"\ncount = 30\narea = [0, 0, 6, 12]\norders = [{}, {}]\n",
            to("[14, 0, 6, 12]"),
            to("[0, 0, 6, 12]"),
        )
    };
    for expansions in [5, 60, 100_000] {
        let mut world = world_from(&text(expansions));
        run_checked(&mut world);
        assert_eq!(world.counts().orders_done, 60, "{expansions}: {:?}", world.counts());
    }
}
