//! Orders and events on small hand-made worlds.

use crate::common::{CART, build_world, cart, cell, run_checked, set_terrain, step_to, world_on};
use wheelbase_grid::CellXY;
use wheelbase_sim::{Activity, RunState};

#[test]
fn orders_run_in_turn_one_per_tick_at_most() {
    let orders = "{ goto = [0, 0] }, { wait = 0 }, { goto = [3, 0] }, { wait = 10 }, { goto = [0, 0] }";
    let mut world = world_on(&["...."], &cart("[0, 0, \"E\"]", orders));
    run_checked(&mut world);
    // Done at 1, 2, 8 (3 x 2 ticks), 18, and 26 (it turns around in 2 and drives 6).
    assert_eq!((world.tick(), world.counts().orders_done), (26, 5));
    assert_eq!(world.counts().flowtime, 1 + 2 + 8 + 18 + 26);
}

#[test]
fn a_patrol_runs_forever_and_does_not_count_as_left() {
    let mut world =
        world_on(&["...."], &cart("[0, 0, \"E\"]", "{ patrol = [[0, 0], [3, 0]] }, { wait = 1 }"));
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done), (500, 0));
    assert!(world.counts().moves > 100);
    let times = wheelbase_sim::TickTimes::default();
    assert_eq!(wheelbase_sim::RunResult::of(&world, 1, &times, 1.0, 1).orders_left, 0);
}

#[test]
fn an_unreachable_order_is_dropped_and_the_next_runs() {
    let mut world = world_on(&["..W."], &cart("[0, 0, \"E\"]", "{ goto = [3, 0] }, { goto = [1, 0] }"));
    run_checked(&mut world);
    assert_eq!((world.counts().orders_unreachable, world.counts().orders_done), (1, 1));
    assert_eq!(cell(&world, 0), CellXY::new(1, 0));
}

#[test]
fn nearest_goes_as_near_as_it_can() {
    let mut world = world_on(&["..W."], &cart("[0, 0, \"E\"]", "{ goto = [3, 0], fallback = \"nearest\" }"));
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, cell(&world, 0)), (1, CellXY::new(1, 0)));
}

#[test]
fn a_waiting_order_is_retried_after_a_relevant_edit() {
    let order = "{ goto = [3, 0], if_unreachable = \"wait\" }";
    let more = cart("[0, 0, \"E\"]", order)
        // Makes nothing faster: no retry.
        + &set_terrain(20, "[0, 1, 1, 1]", "trees", "wait")
        + &set_terrain(50, "[2, 0, 1, 1]", "ground", "wait");
    let mut world = world_on(&["..W.", "...."], &more.replace("[0, 1, 1, 1]", "[3, 1, 1, 1]"));
    step_to(&mut world, 1);
    // Row 1 leads around the water.
    assert_eq!(world.agent_arrays().motion[0].activity, Activity::Following);

    let mut world =
        world_on(&["..W."], &more.replace("[0, 1, 1, 1]", "[3, 0, 1, 1]").replace("trees", "swamp"));
    step_to(&mut world, 40);
    assert_eq!(world.agent_arrays().motion[0].activity, Activity::Unreachable);
    assert_eq!(world.counts().path_requests, 1);
    run_checked(&mut world);
    // From tick 50: three steps, the last onto swamp at half speed.
    assert_eq!((world.tick(), world.counts().orders_done, world.counts().orders_unreachable), (58, 1, 0));
}

#[test]
fn an_edit_waits_until_it_disturbs_no_agent_and_lets_no_other_in() {
    // The first cart is on the bridge at tick 5; the second would follow.
    let more = cart("[1, 0, \"E\"]", "{ goto = [6, 0] }")
        + &cart("[0, 0, \"E\"]", "{ goto = [5, 0], if_unreachable = \"wait\" }")
        + &set_terrain(5, "[3, 0, 1, 1]", "water", "wait")
        + &set_terrain(60, "[3, 0, 1, 1]", "ground", "wait");
    let mut world = world_on(&["......."], &more);
    step_to(&mut world, 6);
    assert_eq!(world.edits_pending(), 1);
    step_to(&mut world, 7);
    // Its move off the bridge occupies the bridge until tick 6; the edit takes effect in the tick after.
    assert_eq!(world.edits_pending(), 0);
    step_to(&mut world, 59);
    assert_eq!(cell(&world, 1), CellXY::new(2, 0));
    assert_eq!(world.agent_arrays().motion[1].activity, Activity::Unreachable);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 2);
}

#[test]
fn a_stranded_agent_stays_until_an_edit_frees_it() {
    let more = cart("[1, 0, \"E\"]", "{ goto = [4, 0] }")
        + &set_terrain(0, "[1, 0, 1, 1]", "water", "strand")
        + &set_terrain(30, "[1, 0, 1, 1]", "ground", "strand");
    let mut world = world_on(&["....."], &more);
    step_to(&mut world, 29);
    assert_eq!((cell(&world, 0), world.counts().moves), (CellXY::new(1, 0), 0));
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done, world.counts().orders_unreachable), (36, 1, 0));
}

/// Found by random runs: a pending edit takes effect in the same tick in which another edit strands the agent it waited
/// for.
#[test]
fn an_edit_that_strands_an_agent_releases_a_pending_edit() {
    let truck = "[[agents]]\nclass = \"truck\"\nat = [1, 0, \"E\"]\norders = [{ wait = 15 }]\n";
    let more = truck.to_owned()
        + &set_terrain(3, "[1, 0, 1, 1]", "water", "wait")
        + &set_terrain(5, "[0, 0, 1, 1]", "water", "strand");
    let mut world = world_on(&["...."], &more);
    step_to(&mut world, 5);
    assert_eq!(world.edits_pending(), 1);
    step_to(&mut world, 6);
    assert_eq!(world.edits_pending(), 0);
}

#[test]
fn a_move_keeps_its_time_despite_edits() {
    let more =
        cart("[0, 0, \"E\"]", "{ goto = [1, 0] }") + &set_terrain(1, "[0, 0, 2, 1]", "swamp", "strand");
    let mut world = world_on(&[".."], &more);
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done), (2, 1));
}

#[test]
fn removed_agents_are_counted_and_free_their_cells() {
    let more = cart("[2, 0, \"E\"]", "{ wait = 400 }")
        + &cart("[0, 0, \"E\"]", "{ goto = [4, 0], if_unreachable = \"wait\" }")
        + &set_terrain(1, "[2, 0, 1, 1]", "water", "remove")
        + &set_terrain(2, "[2, 0, 1, 1]", "ground", "remove");
    let mut world = world_on(&["....."], &more);
    run_checked(&mut world);
    assert_eq!((world.counts().removed, world.agent_arrays().len()), (1, 1));
    assert_eq!(world.agent_arrays().ids[0].0, 1);
    assert_eq!((cell(&world, 0), world.counts().orders_done), (CellXY::new(4, 0), 1));
    let rows: Vec<u32> = world.entities().query::<&wheelbase_sim::Row>().iter().map(|row| row.0).collect();
    assert_eq!(rows, [0]);
}

#[test]
fn two_agents_share_a_goal_one_after_the_other() {
    let orders = "{ goto = [4, 1] }";
    let more = cart("[0, 0, \"E\"]", orders) + &cart("[0, 2, \"E\"]", orders);
    let mut world = world_on(&[".......", ".......", "......."], &more);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 2);
}

#[test]
fn head_on_in_a_corridor_with_a_bay_the_lower_priority_yields() {
    let more = cart("[0, 1, \"E\"]", "{ goto = [9, 1] }") + &cart("[9, 1, \"W\"]", "{ goto = [0, 1] }");
    let mut world = world_on(&["TTTTT.TTTT", "..........", "TTTTTTTTTT"], &more);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 2, "{:?}", world.counts());
}

#[test]
fn nothing_begins_at_the_last_tick_but_moves_ending_there_count() {
    let text = |ticks: u32| {
        format!(
            "name = \"t\"\nticks = {ticks}\n[map]\nrows = [\"....\"]\n{CART}{}",
            cart("[0, 0, \"E\"]", "{ goto = [3, 0] }")
        )
    };
    let mut world = build_world(&text(6));
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done, world.counts().moves), (6, 1, 3));
    let mut world = build_world(&text(4));
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done, world.counts().moves), (4, 0, 2));
}

#[test]
fn orders_that_cannot_be_done_are_counted_by_reason() {
    let orders = [
        "{ goto = [2, 0] }",
        "{ goto = [3, 0] }",
        "{ goto_area = [2, 0, 1, 1] }",
        "{ goto_area = [3, 0, 9, 9] }",
        // The only pose of the area is taken.
        "{ goto_area = [1, 0, 1, 1] }",
        "{ goto_group = [2, 0] }",
        "{ goto_group = [3, 0, \"N\"] }",
        // It goes to the bank, which is not in the area.
        "{ goto_area = [3, 0, 1, 1], fallback = \"nearest\" }",
        "{ goto = [3, 0], if_unreachable = \"wait\" }",
    ];
    let more = cart("[0, 0, \"E\"]", &orders.join(", ")) + &cart("[1, 0, \"E\"]", "{ wait = 400 }");
    let mut world = world_on(&["..W."], &more);
    run_checked(&mut world);
    let counts = world.counts();
    assert_eq!((counts.orders_unreachable, counts.orders_done), (8, 1), "{counts:?}");
    assert_eq!(counts.unreachable_reasons.to_string(), "3 goal_blocked, 4 unreachable, 1 no_room");
    // 70 cells of 65,535,000 ticks each.
    let row = "s".repeat(70);
    let mut world = build_world(&format!(
        "name = \"slow\"\nticks = 9\n[map]\nrows = [\"{row}\"]\n[terrain.slow]\nglyphs = \"s\"\nspeed = 1\n\
         [class.snail]\nheadings = 1\nmoves = [{{ name = \"E\", by = [1, 0], time = 65535 }}]\n\
         [[agents]]\nclass = \"snail\"\nat = [0, 0]\norders = [{{ goto = [69, 0] }}]\n"
    ));
    run_checked(&mut world);
    assert_eq!(world.counts().unreachable_reasons.to_string(), "1 cost_overflow");
}

/// Two rounds of a loop without end, without an order left: the rounds have no end.
#[test]
fn a_loop_goes_on_and_its_orders_are_not_left() {
    let orders = "{ wait = 1 }, { repeat = \"forever\", orders = [{ goto = [3, 0] }, { wait = 2 }, { goto = [0, 0] }] }";
    let mut world = world_on(&["...."], &cart("[0, 0, \"E\"]", orders));
    while world.counts().orders_done < 8 {
        assert_eq!(world.step(), RunState::Running);
    }
    let times = wheelbase_sim::TickTimes::default();
    assert_eq!(wheelbase_sim::RunResult::of(&world, 1, &times, 1.0, 1).orders_left, 0);
    run_checked(&mut world);
    assert!(world.counts().orders_done > 8 && world.counts().orders_unreachable == 0);
}

#[test]
fn rounds_of_a_number_are_written_out() {
    let orders =
        "{ repeat = 2, orders = [{ wait = 1 }, { repeat = 3, orders = [{ wait = 2 }] }] }, { wait = 4 }";
    let mut world = world_on(&["...."], &cart("[0, 0, \"E\"]", orders));
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 9);
}

/// A round whose orders all fail is asked again only after 32, 64 ... ticks.
#[test]
fn a_loop_of_unreachable_orders_pauses() {
    let orders = "{ repeat = \"forever\", orders = [{ goto = [3, 0] }] }";
    let mut world = world_on(&["..T."], &cart("[0, 0, \"E\"]", orders));
    run_checked(&mut world);
    let requests = world.counts().path_requests;
    assert!(world.tick() >= 200 && requests <= 1 + world.counts().orders_unreachable, "{requests}");
    assert!(world.counts().orders_unreachable < 8, "{}", world.counts().orders_unreachable);
}

#[test]
fn a_patrol_dwells_at_each_waypoint() {
    let arrivals = |order: &str| {
        let mut world = world_on(&["...."], &cart("[0, 0, \"E\"]", order));
        let (mut cell, mut arrivals) = (world.pose(0).cell, Vec::new());
        while world.step() == RunState::Running && arrivals.len() < 3 {
            let now = world.pose(0).cell;
            if now != cell && [0, 3].contains(&now.x) {
                arrivals.push(world.tick());
            }
            cell = now;
        }
        arrivals
    };
    let (without, with) =
        (arrivals("{ patrol = [[3, 0], [0, 0]] }"), arrivals("{ patrol = [[3, 0], [0, 0]], dwell = 7 }"));
    let later: Vec<u32> = with.iter().zip(&without).map(|(with, without)| with - without).collect();
    assert_eq!(later, [0, 7, 14]);
}

/// Agents that find no room come once those before them have left.
#[test]
fn agents_wait_for_room() {
    let event = |no_room: &str| {
        format!(
            "[[events]]\ntick = 1\nadd_agents = {{ class = \"cart\", count = 3, area = [0, 0, 1, 1], orders = [{{ goto_area = \
             [1, 0, 3, 1] }}]{no_room} }}\n"
        )
    };
    for (no_room, placed) in [("", 1), (", if_no_room = \"wait\"", 3)] {
        let mut world = world_on(&["...."], &event(no_room));
        run_checked(&mut world);
        let counts = world.counts();
        assert_eq!((counts.placed, counts.not_placed), (placed, if placed == 1 { 2 } else { 0 }));
    }
}
