//! Events that add and remove agents and give them orders.

use crate::common::{
    CART, OTHERS, TRUCK, build_world, cart, cell, run_checked, set_terrain, step_to, world_on,
};
use wheelbase_grid::CellXY;
use wheelbase_scenario::trace;
use wheelbase_sim::{Activity, Counts, UnreachableReason, World};

fn named(name: &str, at: &str, orders: &str) -> String {
    cart(at, orders).replace("class =", &format!("name = \"{name}\"\nclass ="))
}

fn event(tick: u32, action: &str) -> String {
    format!("[[events]]\ntick = {tick}\n{action}\n")
}

/// The lines of a trace from the start to the end, without the header.
fn lines(world: &mut World) -> Vec<String> {
    world.keep_log();
    let mut out = Vec::new();
    loop {
        let tick = world.tick();
        let step = world.step();
        trace::write_log(world, tick, &mut out).unwrap();
        world.clear_log();
        if step == wheelbase_sim::RunState::Ended {
            return String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
        }
    }
}

/// A trace holds the orders of one tick for one list, so it must not show what the second order has replaced.
#[test]
fn traces_leave_out_orders_replaced_at_the_tick_of_placement() {
    let give = "give_orders = { names = [\"a\"], orders = [{ goto = [3, 0] }] }";
    let more = named("a", "[0, 0, \"E\"]", "{ goto = [9, 0] }, { wait = 5 }") + &event(0, give);
    let lines = lines(&mut world_on(&[".........."], &more));
    let orders: Vec<&String> = lines.iter().filter(|line| line.contains("\"order\"")).collect();
    assert_eq!(orders, ["{\"t\":0,\"agent\":0,\"order\":{\"goto\":[3,0]},\"ticket\":0}"]);
}

#[test]
fn added_agents_take_free_cells_and_begin_at_once() {
    let add =
        "add_agents = { class = \"cart\", count = 9, area = [0, 0, 4, 2], orders = [{ goto = [9, 0] }] }";
    let more = cart("[1, 0, \"E\"]", "{ wait = 90 }") + &event(20, add);
    let mut world = world_on(&["..........", ".........."], &more);
    step_to(&mut world, 20);
    assert_eq!(world.agent_arrays().len(), 1);
    step_to(&mut world, 21);
    // Seven free cells for nine agents.
    assert_eq!((world.counts().placed, world.counts().not_placed), (8, 2));
    assert!(world.counts().moves > 0);
    assert!((1..8).all(|row| world.agent_arrays().orders(row).given == 20));
    run_checked(&mut world);
}

#[test]
fn added_agents_keep_off_cells_that_an_edit_waits_for() {
    for collision in ["swept", "discrete"] {
        let add = "add_agents = { class = \"cart\", count = 5, area = [0, 0, 6, 1] }";
        let more = cart("[2, 0, \"E\"]", "{ goto = [5, 0] }")
            + &set_terrain(1, "[1, 0, 2, 1]", "water", "wait")
            + &event(1, add);
        let mut world = world_on(&["......"], &more.replace("[map]", ""));
        if collision == "discrete" {
            let text = format!(
                "name = \"t\"\nticks = 90\ncollision = \"discrete\"\n[map]\nrows = [\"......\"]\n{CART}{more}"
            );
            world = build_world(&text);
        }
        step_to(&mut world, 2);
        // Not on (1, 0) and (2, 0), which will flood, nor on (3, 0), the target of the cart.
        let mut places: Vec<i32> = (1..world.agent_arrays().len()).map(|row| cell(&world, row).x).collect();
        places.sort_unstable();
        assert_eq!((places, world.counts().not_placed), (vec![0, 4, 5], 2), "{collision}");
        run_checked(&mut world);
    }
}

#[test]
fn random_draws_of_events_do_not_change_earlier_placements() {
    let groups = "[[groups]]\nclass = \"cart\"\ncount = 6\narea = [0, 0, 9, 3]\n";
    let add = "add_agents = { class = \"cart\", count = 3, area = [0, 0, 9, 3] }";
    let rows = [".........", ".........", "........."];
    let places = |more: &str| {
        let mut world = world_on(&rows, more);
        step_to(&mut world, 0);
        world.step();
        (0..world.agent_arrays().len()).map(|row| world.pose(row)).collect::<Vec<_>>()
    };
    let (without, with) = (places(groups), places(&(groups.to_owned() + &event(0, add))));
    assert_eq!((without.len(), with.len()), (6, 9));
    assert_eq!(without, with[..6]);
    // Each event has its own random numbers.
    let twice = places(&(groups.to_owned() + &event(0, add) + &event(0, add)));
    assert_eq!(twice[..9], with);
}

#[test]
fn agents_are_removed_by_name_and_by_area_even_while_moving() {
    for collision in ["swept", "discrete"] {
        let more = named("a", "[0, 0, \"E\"]", "{ goto = [5, 0] }")
            + &named("b", "[0, 1, \"E\"]", "{ goto = [5, 1] }")
            + &cart("[0, 2, \"E\"]", "{ goto = [5, 2] }")
            + &event(3, "remove_agents = { names = [\"a\", \"a\"] }")
            + &event(3, "remove_agents = { area = [1, 1, 1, 1] }")
            + &event(5, "remove_agents = { names = [\"b\"] }");
        let rows = ["\"......\""; 3].join(",");
        let mut world = build_world(&format!(
            "name = \"t\"\nticks = 90\ncollision = \"{collision}\"\n[map]\nrows = [{rows}]\n{CART}{more}"
        ));
        step_to(&mut world, 3);
        // Moving from (1, 1), where its anchor still is.
        assert_eq!((cell(&world, 1), world.agent_arrays().motion[1].at_rest()), (CellXY::new(1, 1), false));
        step_to(&mut world, 4);
        assert_eq!((world.agent_arrays().len(), world.counts().removed), (1, 2), "{collision}");
        let free = |y| (0..6).all(|x| world.agent_at(CellXY::new(x, y)).is_none());
        assert!(free(0) && free(1));
        run_checked(&mut world);
        assert_eq!((world.counts().removed, world.counts().orders_done), (2, 1));
    }
}

#[test]
fn a_removal_frees_an_edit_that_waits_at_the_same_tick() {
    let more = named("a", "[1, 0, \"E\"]", "{ wait = 90 }")
        + &set_terrain(2, "[1, 0, 1, 1]", "water", "wait")
        + &event(7, "remove_agents = { names = [\"a\"] }");
    let mut world = world_on(&["...."], &more);
    step_to(&mut world, 7);
    assert_eq!(world.edits_pending(), 1);
    world.step();
    assert_eq!((world.edits_pending(), world.grid().revision()), (0, 1));
}

#[test]
fn given_orders_replace_the_remaining_ones() {
    let more = named("a", "[0, 0, \"E\"]", "{ goto = [6, 0] }, { wait = 9 }")
        + &event(3, "give_orders = { names = [\"a\"], orders = [{ goto = [0, 0] }] }");
    let mut world = world_on(&["......."], &more);
    step_to(&mut world, 4);
    // It first ends its move from (1, 0) to (2, 0), at tick 4.
    assert_eq!((cell(&world, 0), world.agent_arrays().orders(0).given), (CellXY::new(2, 0), 3));
    run_checked(&mut world);
    // It turns around in 2 ticks and drives 4.
    assert_eq!((world.tick(), world.counts().orders_done, world.counts().flowtime), (10, 1, 7));
}

#[test]
fn orders_for_an_agent_at_rest_begin_at_their_tick() {
    for before in ["", "{ wait = 50 }", "{ goto = [9, 0], if_unreachable = \"wait\" }"] {
        let more = named("a", "[0, 0, \"E\"]", before)
            + &event(20, "give_orders = { area = [0, 0, 1, 1], orders = [{ goto = [3, 0] }, { wait = 4 }] }");
        let mut world = world_on(&[".......W.."], &more);
        run_checked(&mut world);
        assert_eq!((world.tick(), world.counts().orders_done), (30, 2), "{before}");
        assert_eq!(world.counts().flowtime, 6 + 10);
    }
}

#[test]
fn orders_of_one_tick_are_one_list() {
    let give = |names: &str, x: i32| {
        event(5, &format!("give_orders = {{ {names}, orders = [{{ goto = [{x}, 0] }}] }}"))
    };
    let more = named("a", "[0, 0, \"E\"]", "{ wait = 3 }, { wait = 80 }")
        + &cart("[0, 1, \"E\"]", "{ wait = 99 }")
        + &give("names = [\"a\"]", 2)
        + &give("area = [0, 0, 1, 2]", 4)
        + &give("names = [\"a\"]", 5);
    let mut world = world_on(&["......", "......"], &more);
    step_to(&mut world, 6);
    assert_eq!([0, 1].map(|row| world.orders().left(&world.agent_arrays().orders(row))), [3, 1]);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, cell(&world, 0)), (5, CellXY::new(5, 0)));
    // What an agent is placed with at that tick is no part of the list: it is replaced.
    let more =
        named("a", "[0, 0, \"E\"]", "{ wait = 3 }") + &give("names = [\"a\"]", 2).replace("= 5", "= 0");
    let mut world = world_on(&["......", "......"], &more);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, world.counts().flowtime), (1, 4));
}

#[test]
fn a_wait_given_during_a_move_begins_at_its_end() {
    let more = named("a", "[0, 0, \"E\"]", "{ goto = [6, 0] }")
        + &event(5, "give_orders = { names = [\"a\"], orders = [{ wait = 10 }] }");
    let mut world = world_on(&["......."], &more);
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done), (16, 1));
}

#[test]
fn an_empty_list_stops_the_agent() {
    let more = named("a", "[0, 0, \"E\"]", "{ patrol = [[6, 0], [0, 0]] }")
        + &event(5, "give_orders = { names = [\"a\"], orders = [] }");
    let mut world = world_on(&["......."], &more);
    run_checked(&mut world);
    // It moves from 4 to 6, then stands for a tick.
    assert_eq!((world.tick(), cell(&world, 0), world.counts().orders_done), (7, CellXY::new(3, 0), 1));
}

#[test]
fn each_class_reads_the_headings_it_has() {
    let agents =
        named("a", "[0, 0, \"E\"]", "") + "[[agents]]\nname = \"b\"\nclass = \"walker\"\nat = [0, 1]\n";
    let run_of = |chosen: &str, goals: &str| {
        let give =
            event(1, &format!("give_orders = {{ {chosen}, orders = [{{ {goals} }}, {{ wait = 1 }}] }}"));
        let mut world = build_world(&format!(
            "name = \"t\"\nticks = 90\n[map]\nrows = [\"....\",\"....\"]\n[side.hedge]\nspeed = 0\n\
             {CART}{TRUCK}{OTHERS}{agents}{give}"
        ));
        run_checked(&mut world);
        let Counts { orders_done, orders_unreachable, unreachable_reasons, .. } = *world.counts();
        let reasons: Vec<_> = unreachable_reasons.iter().collect();
        let lacking = (UnreachableReason::NoSuchHeading, orders_unreachable);
        assert!(reasons.is_empty() || reasons == [lacking], "{reasons:?}");
        (orders_done, orders_unreachable)
    };
    let run = |goals: &str| {
        let by_names = run_of("names = [\"b\", \"a\"]", goals);
        assert_eq!(run_of("area = [0, 0, 9, 9]", goals), by_names);
        by_names
    };
    assert_eq!(run("goto = [3, 0, \"N\"]"), (3, 1));
    assert_eq!(run("goto = [[3, 0, \"N\"], [3, 1]]"), (4, 0));
    // The walker has no valid stop, and continues with the next order.
    assert_eq!(run("patrol = [[3, 0, \"N\"], [0, 0, \"W\"]]"), (1, 1));
}

#[test]
fn a_pending_request_is_dropped() {
    let text = format!(
        "name = \"t\"\nticks = 90\nexpansions_per_tick = 3\n[map]\nrows = [\"..............\", \"..............\"]\n{CART}{}{}",
        named("a", "[0, 0, \"W\"]", "{ goto = [13, 1, \"W\"] }"),
        event(4, "give_orders = { names = [\"a\"], orders = [{ wait = 2 }] }")
    );
    let mut world = build_world(&text);
    step_to(&mut world, 4);
    assert_eq!(world.agent_arrays().motion[0].activity, Activity::AwaitingPath);
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done, world.counts().moves), (6, 1, 0));
}

#[test]
fn a_trace_has_a_line_for_each_event() {
    let more = named("a", "[0, 0, \"E\"]", "{ wait = 9 }")
        + &event(
            1,
            "add_agents = { class = \"cart\", count = 1, area = [1, 0, 1, 1], orders = [{ wait = 0 }] }",
        )
        + &event(2, "give_orders = { names = [\"a\"], orders = [] }")
        + &event(3, "remove_agents = { names = [\"a\"] }")
        + &event(4, "set_side = { cell = [0, 0], side = \"N\", kind = \"wall\", on_agents = \"strand\" }")
        + &event(5, "rotate = { cell = [0, 0], turns = 1 }")
        + &event(6, "set_elevation = { area = [1, -5, 2, 6], height = -3, on_agents = \"remove\" }");
    let mut world = world_on(&["...."], &more);
    let written = lines(&mut world);
    let heading = ["E", "N", "W", "S"][world.pose(0).heading.0 as usize];
    let spawn = format!(r#"{{"t":1,"spawn":1,"class":"cart","at":[1,0,"{heading}"],"ticket":0}}"#);
    assert_eq!(
        written,
        [
            r#"{"t":0,"spawn":0,"class":"cart","at":[0,0,"E"]}"#,
            r#"{"t":0,"agent":0,"order":{"wait":9}}"#,
            &spawn,
            r#"{"t":1,"agent":1,"order":{"wait":0},"ticket":0}"#,
            r#"{"t":2,"agent":0,"order":{"wait":0},"ticket":1}"#,
            r#"{"t":2,"agent":1,"done":"wait","ticket":0}"#,
            r#"{"t":3,"remove":0,"ticket":2,"class":"cart","at":[0,0,"E"]}"#,
            r#"{"t":4,"set_side":{"sides":[[0,0,"N",1]]},"on_agents":"strand","asked":4,"ticket":3}"#,
            r#"{"t":5,"set_side":{"sides":[[0,0,"E",0],[0,0,"N",0],[0,0,"W",1],[0,0,"S",0]]},"on_agents":"wait","asked":5,"ticket":4}"#,
            r#"{"t":6,"set_elevation":{"cells":[[1,0],[2,0]],"height":-3},"on_agents":"remove","asked":6,"ticket":5}"#,
        ]
    );
}
