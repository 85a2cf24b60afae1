//! Teams, speed factors, and orders to stop, hold and follow, as scenarios give them.

use crate::common::{CART, build_world, cart, cell, record, run_checked, step_to, world_on};
use wheelbase_grid::CellXY;
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_scenario::trace;
use wheelbase_sim::{Activity, RunResult, RunState, Team, TickTimes, World};

/// An agent with further keys.
fn with(keys: &str, at: &str, orders: &str) -> String {
    cart(at, orders).replace("class =", &format!("{keys}\nclass ="))
}

fn event(tick: u32, action: &str) -> String {
    format!("[[events]]\ntick = {tick}\n{action}\n")
}

/// The lines of a trace from the header to the last event.
fn lines(world: &mut World) -> Vec<String> {
    let mut out = Vec::new();
    trace::write_header(world, &mut out).unwrap();
    world.keep_log();
    loop {
        let tick = world.tick();
        let step = world.step();
        trace::write_log(world, tick, &mut out).unwrap();
        world.clear_log();
        if step == RunState::Ended {
            return String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
        }
    }
}

fn result(world: &World) -> RunResult {
    RunResult::of(world, 1, &TickTimes::default(), 0.0, 0)
}

#[test]
fn teams_are_numbered_in_the_order_of_the_file() {
    let group =
        |team: &str| format!("[[groups]]\nclass = \"cart\"\ncount = 1\narea = [0, 1, 9, 1]\n{team}\n");
    let text = format!(
        "name = \"t\"\nticks = 9\n[map]\nrows = [\".........\", \".........\"]\n{CART}{}{}{}{}{}{}\
         [teams]\nfriends = [[\"blue\", \"red\"]]\n",
        event(3, "add_agents = { class = \"cart\", count = 1, area = [8, 0, 1, 1], team = \"green\" }"),
        group("team = \"blue\"\nspeed_factor = 700"),
        group("speed_factor = 900"),
        with("team = \"red\"", "[0, 0, \"E\"]", ""),
        with("team = \"blue\"", "[1, 0, \"E\"]", ""),
        cart("[2, 0, \"E\"]", ""),
    );
    let mut world = build_world(&text);
    let friends = *world.friends();
    assert!(
        friends.are(Team(2), Team(3)) && !friends.are(Team(1), Team(2)) && !friends.are(Team(0), Team(2))
    );
    run_checked(&mut world);
    let teams: Vec<u8> = world.agents().iter().map(|row| row.team).collect();
    assert_eq!(teams, [3, 2, 0, 2, 0, 1], "agents, then groups, then those of events");
    assert_eq!(world.agent_arrays().speed_factors, [1000, 1000, 1000, 700, 900, 1000]);
}

#[test]
fn traces_name_teams_factors_and_orders() {
    let add = "add_agents = { class = \"cart\", count = 1, area = [4, 0, 1, 1], team = \"red\", speed_factor = 500 }";
    let give =
        "give_orders = { names = [\"a\"], orders = [{ follow = \"b\", within = 4 }, { stop = true }] }";
    let more =
        with("name = \"a\"\nspeed_factor = 2000", "[0, 0, \"E\"]", "{ goto = [1, 0] }, { hold = true }")
            + &with("name = \"b\"\nteam = \"red\"", "[2, 0, \"E\"]", "{ stop = true }")
            + &event(4, add)
            + &event(5, give);
    let mut world = world_on(&["....."], &format!("{more}[teams]\nfriends = []\n"));
    let found = lines(&mut world);
    assert!(!found[0].contains("\"teams\""));
    assert_eq!(
        found[1..],
        [
            r#"{"t":0,"spawn":0,"class":"cart","at":[0,0,"E"],"speed_factor":2000}"#,
            r#"{"t":0,"agent":0,"order":{"goto":[1,0]}}"#,
            r#"{"t":0,"agent":0,"order":{"hold":true}}"#,
            r#"{"t":0,"spawn":1,"class":"cart","at":[2,0,"E"],"team":1}"#,
            r#"{"t":0,"agent":1,"order":{"stop":true}}"#,
            r#"{"t":0,"agent":0,"move":"forward","to":[1,0,"E"],"until":1}"#,
            r#"{"t":1,"agent":0,"done":"goto"}"#,
            r#"{"t":4,"spawn":2,"class":"cart","at":[4,0,"E"],"team":1,"speed_factor":500,"ticket":0}"#,
            r#"{"t":5,"agent":0,"order":{"follow":1,"within":4},"ticket":1}"#,
            r#"{"t":5,"agent":0,"order":{"stop":true},"ticket":1}"#,
        ]
    );
    let more = with("team = \"a\"", "[0, 0, \"E\"]", "") + &with("team = \"b\"", "[1, 0, \"E\"]", "");
    let header =
        lines(&mut world_on(&[".."], &format!("{more}[teams]\nfriends = [[\"b\", \"a\"]]\n"))).remove(0);
    assert!(header.contains(r#""teams":{"friends":[[1,2]]}"#), "{header}");
}

/// A foe at rest is an obstacle: the way leads round it, or there is none. A friend makes way.
#[test]
fn foes_are_not_pushed() {
    let lane = |friends: &str, rows: &[&str]| {
        let more = with("team = \"red\"", "[0, 0, \"E\"]", "{ goto = [5, 0] }")
            + &with("team = \"blue\"", "[3, 0, \"E\"]", "");
        let mut world = world_on(rows, &format!("{more}[teams]\nfriends = [{friends}]\n"));
        run_checked(&mut world);
        (world.counts().orders_done, world.counts().orders_unreachable, cell(&world, 1))
    };
    let (stays, lane_of_one, wide) = (CellXY::new(3, 0), ["......"], ["......", "......"]);
    assert_eq!(lane("", &lane_of_one), (0, 1, stays));
    assert_eq!(lane("", &wide), (1, 0, stays));
    let (done, unreachable, at) = lane("[\"red\", \"blue\"]", &["......", "TTTT.."]);
    assert_eq!((done, unreachable), (1, 0));
    assert_ne!(at, stays);
}

#[test]
fn speed_factors_are_times_of_moves() {
    for (factor, ticks) in [(500, 4), (1000, 2), (3000, 1), (65_535, 1), (999, 3)] {
        let more = with(&format!("speed_factor = {factor}"), "[0, 0, \"E\"]", "{ goto = [3, 0] }");
        let mut world = world_on(&["...."], &more);
        run_checked(&mut world);
        assert_eq!((world.tick(), world.counts().orders_done), (3 * ticks, 1), "{factor}");
    }
}

/// A hold has no end, so that nothing behind it is left; nobody pushes the agent.
#[test]
fn a_hold_has_no_end() {
    let rows = ["......", "TTTT.."];
    let more = cart("[0, 0, \"E\"]", "{ goto = [5, 0] }")
        + &cart("[3, 0, \"E\"]", "{ hold = true }, { goto = [0, 0] }");
    let mut world = world_on(&rows, &more);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_unreachable, cell(&world, 1)), (1, CellXY::new(3, 0)));
    assert_eq!(world.agent_arrays().motion[1].activity, Activity::Holding);
    assert_eq!(result(&world).orders_left, 0);
    assert!(world.tick() < 10, "nothing is left to do");
}

#[test]
fn a_stop_drops_what_is_left_and_counts_as_no_order() {
    let stop = event(3, "give_orders = { names = [\"a\"], orders = [{ stop = true }] }");
    let more = with("name = \"a\"", "[0, 0, \"E\"]", "{ goto = [5, 0] }, { goto = [0, 0] }") + &stop;
    let mut world = world_on(&["......"], &more);
    run_checked(&mut world);
    // It ends the move in progress.
    assert_eq!((world.tick(), cell(&world, 0)), (4, CellXY::new(2, 0)));
    let result = result(&world);
    assert_eq!((result.orders_done, result.orders_left, result.orders_unreachable), (0, 0, 0));
}

/// An order to follow has no end as long as its leader is there, and nothing behind it is left. When the leader is gone
/// it is done, and the next begins. Leaders may stand behind their followers in the file.
#[test]
fn an_order_to_follow_ends_with_its_leader() {
    let follow = "{ follow = \"leader\", within = 2 }, { goto = [0, 0] }";
    let more = cart("[0, 0, \"E\"]", follow)
        + &with("name = \"leader\"", "[1, 0, \"E\"]", "{ wait = 5 }, { goto = [15, 0] }");
    let mut world = world_on(&["................"], &more);
    step_to(&mut world, 100);
    assert_eq!((cell(&world, 1).x, world.counts().orders_done), (15, 2));
    // It asks for a way again once the leader is more than two cells from where it was.
    assert!((11..15).contains(&cell(&world, 0).x), "{:?}", cell(&world, 0));
    assert_eq!(result(&world).orders_left, 0);
    run_checked(&mut world);
    assert_eq!(world.tick(), 500, "it has no end");

    let more = more + &event(100, "remove_agents = { names = [\"leader\"] }");
    let mut world = world_on(&["................"], &more);
    run_checked(&mut world);
    let result = result(&world);
    assert_eq!((result.orders_done, result.orders_left, cell(&world, 0).x), (4, 0, 0));
    assert!(world.tick() < 500);
}

#[test]
fn groups_and_added_agents_follow() {
    let follow = "area = [0, 1, 20, 3], orders = [{ follow = \"leader\", within = 5 }] }";
    let more = with("name = \"leader\"", "[0, 0, \"E\"]", "{ wait = 20 }, { goto = [19, 0] }")
        + "[[groups]]\nclass = \"cart\"\ncount = 3\narea = [0, 1, 4, 3]\norders = [{ follow = \"leader\", within = 5 }]\n"
        + &event(9, &format!("add_agents = {{ class = \"cart\", count = 3, {follow}"))
        // Of those in the area the leader itself is refused.
        + &event(150, "give_orders = { area = [0, 0, 20, 4], orders = [{ follow = \"leader\", within = 3 }] }");
    let mut world = world_on(&["...................."; 4], &more);
    let is_near = |world: &World, row: usize, within: i32| {
        let (CellXY { x, y }, leader) = (cell(world, row), cell(world, 0));
        (x - leader.x).pow(2) + (y - leader.y).pow(2) <= within.pow(2)
    };
    step_to(&mut world, 150);
    assert_eq!(cell(&world, 0), CellXY::new(19, 0));
    assert!((1..7).all(|row| is_near(&world, row, 10)));
    step_to(&mut world, 200);
    assert!((1..7).all(|row| is_near(&world, row, 6)));
    assert_eq!((world.counts().commands_refused, cell(&world, 0)), (1, CellXY::new(19, 0)));
}

#[test]
fn recordings_verify() {
    let more = with("name = \"leader\"\nteam = \"red\"", "[0, 0, \"E\"]", "{ patrol = [[0, 0], [19, 3]] }")
        + &with("team = \"blue\"\nspeed_factor = 1700", "[9, 0, \"W\"]", "{ wait = 40 }, { hold = true }")
        + "[[groups]]\nclass = \"cart\"\ncount = 5\narea = [0, 1, 20, 3]\nteam = \"green\"\nspeed_factor = 600\n"
        + "orders = [{ follow = \"leader\", within = 4 }]\n"
        + &event(
            60,
            "add_agents = { class = \"cart\", count = 4, area = [0, 0, 20, 4], team = \"blue\", speed_factor = 800 }",
        )
        + &event(
            90,
            "give_orders = { area = [0, 0, 20, 4], orders = [{ stop = true }, { follow = \"leader\", within = 2 }] }",
        )
        + &event(200, "remove_agents = { names = [\"leader\"] }")
        + &event(
            210,
            "give_orders = { area = [0, 0, 20, 4], orders = [{ follow = \"leader\", within = 2 }] }",
        )
        + "[teams]\nfriends = [[\"red\", \"green\"]]\n";
    let rows = ["\"....................\""; 4].join(",");
    let text = format!("name = \"r\"\nticks = 300\n[map]\nrows = [{rows}]\n{CART}{more}");
    let mut world = build_world(&text);
    let file = record(&mut world, "test.toml", &text);
    assert_eq!(world.counts().commands_refused, 2, "the leader that follows itself; the leader that is gone");
    let mut reader = Reader::open(std::io::Cursor::new(file)).unwrap();
    assert_eq!(verify(&mut reader, |_| true).unwrap().difference, None);
}
