//! Orders to an area: which agent gets which pose.

use crate::common::{CART, build_world, cart, cell, run_checked, set_terrain, step_to, world_on};
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::{Legality, Pose};
use wheelbase_sim::{Activity, World};

fn to(area: &str) -> String {
    format!("{{ goto_area = {area} }}")
}

/// The pose assigned to the agent in a row.
fn given(world: &World, row: usize) -> Option<Pose> {
    world.agent_arrays().assigned[row].map(|state| world.tables()[0].space().pose(state))
}

#[test]
fn poses_are_assigned_in_order_of_id() {
    // Equally far from (3, 0), except the last agent, which is nearer and still chooses last.
    let order = to("[3, 0, 9, 1]");
    let more =
        cart("[0, 0, \"E\"]", &order) + &cart("[0, 1, \"E\"]", &order) + &cart("[2, 0, \"E\"]", &order);
    let mut world = world_on(&["......", "......"], &more);
    step_to(&mut world, 1);
    let places: Vec<i32> = (0..3).map(|row| given(&world, row).unwrap().cell.x).collect();
    assert_eq!(places, [3, 4, 5]);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 3, "{:?}", world.counts());
    assert!((0..3).all(|row| given(&world, row).is_none() && cell(&world, row).x == row as i32 + 3));
}

#[test]
fn a_single_agent_arrives_at_its_cost_or_is_done_at_once() {
    let mut world = world_on(&["......."], &cart("[0, 0, \"E\"]", &to("[4, 0, 3, 1]")));
    run_checked(&mut world);
    assert_eq!((world.tick(), cell(&world, 0), world.counts().moves), (8, CellXY::new(4, 0), 4));
    let mut world = world_on(&["......."], &cart("[5, 0, \"N\"]", &to("[4, -3, 3, 9]")));
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().moves, world.counts().orders_done), (1, 0, 1));
}

#[test]
fn poses_of_resting_agents_are_skipped_but_not_of_moving_ones() {
    let rests = "{ wait = 90 }";
    let more = cart("[0, 0, \"E\"]", &to("[3, 0, 1, 2]")) + &cart("[3, 0, \"E\"]", rests);
    let mut world = world_on(&[".....", "....."], &more);
    step_to(&mut world, 1);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(3, 1));
    run_checked(&mut world);
    // It leaves (3, 0) at tick 0 and is moving when the other asks.
    let more = "[[events]]\ntick = 1\nadd_agents = { class = \"cart\", count = 1, area = [0, 0, 1, 1], orders = [{ goto_area = [3, 0, 1, 1] }] }\n";
    let mut world = world_on(&["......"], &(cart("[3, 0, \"E\"]", "{ goto = [5, 0] }") + more));
    run_checked(&mut world);
    assert_eq!((cell(&world, 1), world.counts().orders_done), (CellXY::new(3, 0), 2));
}

#[test]
fn a_full_area_is_unreachable() {
    let more =
        cart("[0, 0, \"E\"]", &(to("[3, 0, 1, 1]") + ", { goto = [1, 0] }")) + &cart("[3, 0, \"E\"]", "");
    let mut world = world_on(&["...."], &more);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_unreachable, world.counts().orders_done), (1, 1));
    // With or without a path, blocked by the map or by agents.
    let mut world = world_on(&["..W."], &cart("[0, 0, \"E\"]", &to("[3, 0, 1, 1]")));
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
    // (3, 0) is taken; (2, 0) is the nearest free cell.
    let mut world = world_on(&["....W..."], &agents("drop"));
    step_to(&mut world, 3);
    assert_eq!((given(&world, 0).unwrap().cell, world.counts().orders_unreachable), (CellXY::new(2, 0), 0));
    run_checked(&mut world);
    assert_eq!((cell(&world, 0), world.tick()), (CellXY::new(2, 0), 7));
    assert_eq!((world.counts().orders_unreachable, world.counts().orders_done), (1, 1));
    // It waits there, and goes on once there is a path.
    let open = set_terrain(50, "[4, 0, 1, 1]", "ground", "wait");
    let mut world = world_on(&["....W...", "....W..."], &(agents("wait") + &open));
    step_to(&mut world, 40);
    assert_eq!(world.agent_arrays().motion[0].activity, Activity::Unreachable);
    run_checked(&mut world);
    assert_eq!((cell(&world, 0).x, world.counts().orders_unreachable, world.counts().orders_done), (5, 0, 2));
}

#[test]
fn an_assigned_pose_is_kept_while_it_is_reachable_and_replaced_otherwise() {
    let order = to("[4, 0, 4, 1]");
    // The pose is kept although its detour costs more than another pose would.
    let more = cart("[0, 0, \"E\"]", &order)
        + &set_terrain(1, "[3, 0, 1, 1]", "water", "wait")
        + &set_terrain(3, "[4, 0, 1, 1]", "water", "wait");
    let mut world = world_on(&["........", "........"], &more);
    step_to(&mut world, 1);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(4, 0));
    step_to(&mut world, 3);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(4, 0));
    // It floods: another pose is assigned.
    step_to(&mut world, 5);
    assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(5, 0));
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, cell(&world, 0)), (1, CellXY::new(5, 0)));
}

#[test]
fn a_pose_is_free_again_once_its_agent_is_removed_or_sent_elsewhere() {
    for action in
        ["remove_agents = { names = [\"a\"] }", "give_orders = { names = [\"a\"], orders = [{ wait = 1 }] }"]
    {
        let first = cart("[0, 0, \"E\"]", &to("[5, 0, 1, 1]")).replace("class", "name = \"a\"\nclass");
        let second = cart("[0, 1, \"E\"]", &("{ wait = 4 }, ".to_owned() + &to("[5, 0, 1, 1]")));
        let event = format!("[[events]]\ntick = 3\n{action}\n");
        let mut world = world_on(&["......", "......"], &(first + &second + &event));
        step_to(&mut world, 3);
        assert_eq!(given(&world, 0).unwrap().cell, CellXY::new(5, 0));
        run_checked(&mut world);
        let last = world.agent_arrays().len() - 1;
        assert_eq!(
            (cell(&world, last), world.counts().orders_unreachable),
            (CellXY::new(5, 0), 0),
            "{action}"
        );
    }
}

/// Agents of equal tick and priority against the obvious algorithm: in order of id, each gets the cheapest remaining
/// pose.
#[test]
fn each_agent_gets_the_cheapest_remaining_pose() {
    let rows = ["....S.....T...", "..W.......T...", "..............", ".S..W.....SS..", "......TT......"];
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    for (seed, slots) in [(1, 1), (2, 3), (3, 40), (4, 16), (5, 2)] {
        let text = format!(
            "name = \"t\"\nseed = {seed}\nticks = 900\nsearch_slots = {slots}\n[map]\nrows = [{}]\n{CART}[[groups]]\nclass = \"cart\"\ncount = 14\narea = [0, 0, 8, 5]\norders = [{}]\n",
            rows.join(","),
            to("[6, 0, 8, 4]")
        );
        let mut world = build_world(&text);
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
            // An agent that was there from the start is done and has released its pose, on which it stands.
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
fn a_tiny_budget_still_gives_each_agent_a_pose() {
    let text = |expansions: u32| {
        let rows = ["\"....................\""; 12].join(",");
        format!(
            "name = \"t\"\nticks = 4000\nexpansions_per_tick = {expansions}\nsearch_slots = 3\n[map]\nrows = [{rows}]\n{CART}[[groups]]\nclass = \"cart\"\ncount = 30\narea = [0, 0, 6, 12]\norders = [{}, {}]\n",
            to("[14, 0, 6, 12]"),
            to("[0, 0, 6, 12]"),
        )
    };
    for expansions in [5, 60, 100_000] {
        let mut world = build_world(&text(expansions));
        run_checked(&mut world);
        assert_eq!(world.counts().orders_done, 60, "{expansions}: {:?}", world.counts());
    }
}
