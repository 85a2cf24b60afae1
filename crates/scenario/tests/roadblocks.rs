//! Agents that cannot make way: others plan around them, or say for whom they wait.

use crate::common::{CART, build_world, cart, run_checked, set_terrain, step_to};
use crate::recorded_outcomes::scenarios;
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::{AgentId, Host, NamedReason, RunState, World};

/// A cart that can move on swamp alone.
const WRECK: &str = r#"
[class.wreck]
headings = 4
speed = { ground = 0, swamp = 1000 }
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "left", turn = 1, time = 1 },
    { name = "right", turn = -1, time = 1 },
]
"#;

/// Three streets one cell wide, 80 cells long, and joined at their ends; the third is a long way off. Swamp is at some
/// places `(x, y)`.
fn streets(swamp: &[(usize, usize)]) -> Vec<String> {
    let street = |y: usize| y == 0 || y == 2 || y == 40;
    let cell = |x: usize, y: usize| match (street(y) || x == 0 || x == 79, swamp.contains(&(x, y))) {
        (true, true) => 'S',
        (true, false) => '.',
        _ => 'T',
    };
    (0..=40).map(|y| (0..80).map(|x| cell(x, y)).collect()).collect()
}

fn world(rows: &[String], ticks: u32, more: &str) -> World {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    build_world(&format!(
        "name = \"t\"\nticks = {ticks}\n[map]\nrows = [{}]\n{CART}{WRECK}{more}",
        rows.join(",")
    ))
}

fn wreck(at: &str, orders: &str) -> String {
    cart(at, orders).replace("cart", "wreck")
}

fn reason(world: &World, agent: u32) -> NamedReason {
    world.reason_for_waiting(AgentId(agent)).unwrap().named()
}

/// The wrecks are too far from each other to be seen together.
#[test]
fn parked_units_in_two_streets_leave_the_third() {
    let rows = streets(&[(30, 0), (70, 2)]);
    let more = cart("[1, 0, \"E\"]", "{ goto = [78, 0] }")
        + &wreck("[30, 0, \"N\"]", "")
        + &wreck("[70, 2, \"N\"]", "");
    let mut world = world(&rows, 1_500, &more);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 1);
}

/// It is on the move at most ticks, and always in the street.
#[test]
fn a_unit_that_moves_in_its_pocket_is_in_the_way_for_good() {
    let rows = streets(&[(30, 0), (31, 0), (32, 0), (70, 2)]);
    let more = cart("[1, 0, \"E\"]", "{ goto = [78, 0] }")
        + &wreck("[30, 0, \"E\"]", "{ patrol = [[32, 0], [30, 0]] }")
        + &wreck("[70, 2, \"N\"]", "");
    let mut world = world(&rows, 1_500, &more);
    step_to(&mut world, 1_500);
    assert_eq!(world.counts().orders_done, 1);
}

#[test]
fn broken_down_trucks_leave_the_third_street() {
    let truck = CART.replace("[class.cart]", "[class.truck]\nspeed = { mud = 0 }");
    let more = "[terrain.mud]\nspeed = 1000\n".to_owned()
        + &truck
        + &cart("[1, 0, \"E\"]", "{ goto = [78, 0] }")
        + &cart("[30, 0, \"E\"]", "").replace("cart", "truck")
        + &cart("[70, 2, \"E\"]", "").replace("cart", "truck")
        + &set_terrain(2, "[30, 0, 1, 1]", "mud", "strand")
        + &set_terrain(2, "[70, 2, 1, 1]", "mud", "strand");
    let mut world = world(&streets(&[]), 1_500, &more);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 1);
}

/// The last of two that wait goes around as well.
#[test]
fn a_queue_behind_a_parked_unit_dissolves() {
    let rows = streets(&[(30, 0), (70, 2)]);
    let more = cart("[2, 0, \"E\"]", "{ goto = [78, 0] }")
        + &cart("[1, 0, \"E\"]", "{ goto = [77, 0] }")
        + &wreck("[30, 0, \"N\"]", "")
        + &wreck("[70, 2, \"N\"]", "");
    let mut world = world(&rows, 2_500, &more);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 2);
}

/// Every lane of a garage that others drive through holds a parked unit, and there is another goal in it.
#[test]
fn a_full_garage_is_driven_around() {
    let parked = [(30, 0), (30, 1), (30, 2), (70, 2), (70, 1), (70, 0)];
    let mut rows = streets(&parked);
    rows[1] = rows[2].clone();
    let mut more =
        cart("[1, 1, \"E\"]", "{ goto = [78, 1] }") + &cart("[78, 0, \"W\"]", "{ goto = [70, 0] }");
    for (x, y) in parked {
        more += &wreck(&format!("[{x}, {y}, \"N\"]"), "");
    }
    let mut world = world(&rows, 1_500, &more);
    step_to(&mut world, 1_500);
    assert_eq!(world.counts().orders_done, 1);
    let NamedReason { rule, holder, at, .. } = reason(&world, 1);
    assert_eq!((rule, holder, at), ("roadblock", Some(7), Some([70, 0])));
}

/// Without a way around, and with a goal that is covered: the order stays, the reason names the unit, and nobody
/// searches over and over.
#[test]
fn who_finds_no_way_around_waits_and_names_the_unit() {
    for goal in ["[30, 0]", "[50, 0]"] {
        let rows: Vec<String> = streets(&[(30, 0)])[..1].to_vec();
        let more = cart("[1, 0, \"E\"]", &format!("{{ goto = {goal} }}")) + &wreck("[30, 0, \"N\"]", "");
        let mut world = world(&rows, 4_000, &more);
        step_to(&mut world, 3_999);
        let NamedReason { rule, holder, at, text, .. } = reason(&world, 0);
        assert_eq!((rule, holder, at), ("roadblock", Some(1), Some([30, 0])));
        assert_eq!(text, "1 is at (30, 0) and cannot make way");
        let counts = world.counts();
        assert_eq!((counts.orders_done, counts.orders_unreachable), (0, 0));
        assert!(counts.path_requests <= 10, "{} requests to {goal}", counts.path_requests);
    }
}

/// An order to a place under a unit on hold is kept, and the reason names the unit.
#[test]
fn who_waits_for_a_goal_under_a_unit_on_hold_names_it() {
    let rows: Vec<String> = streets(&[])[..1].to_vec();
    let more = cart("[1, 0, \"E\"]", "{ goto = [30, 0], if_unreachable = \"wait\" }")
        + &cart("[30, 0, \"N\"]", "{ hold = true }");
    let mut world = world(&rows, 200, &more);
    for _ in 0..100 {
        world.step();
    }
    let NamedReason { rule, holder, at, .. } = reason(&world, 0);
    assert_eq!((rule, holder, at), ("roadblock", Some(1), Some([30, 0])));
}

/// An edit makes room for the parked unit: it is pushed as any other.
#[test]
fn a_unit_that_can_make_way_again_is_no_roadblock() {
    let mut rows: Vec<String> = streets(&[(30, 0)])[..1].to_vec();
    rows.push("T".repeat(80));
    let more = cart("[1, 0, \"E\"]", "{ goto = [50, 0] }")
        + &wreck("[30, 0, \"N\"]", "")
        + &set_terrain(900, "[30, 1, 1, 1]", "swamp", "wait");
    let mut world = world(&rows, 4_000, &more);
    step_to(&mut world, 900);
    assert_eq!(reason(&world, 0).rule, "roadblock");
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 1);
}

#[test]
fn a_unit_on_hold_is_driven_around() {
    let hold = |at: &str| cart(at, "{ hold = true }");
    let more =
        cart("[1, 0, \"E\"]", "{ goto = [78, 0] }") + &hold("[30, 0, \"E\"]") + &hold("[70, 2, \"E\"]");
    let mut world = world(&streets(&[]), 1_500, &more);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 1);
}

/// A loaded world continues exactly like the world that was saved.
#[test]
fn roadblocks_are_saved() {
    let rows = streets(&[(30, 0), (70, 2)]);
    let more = cart("[1, 0, \"E\"]", "{ goto = [78, 0] }")
        + &wreck("[30, 0, \"N\"]", "")
        + &wreck("[70, 2, \"N\"]", "");
    let mut first = world(&rows, 1_500, &more);
    let mut others: Vec<World> = Vec::new();
    loop {
        let step = first.step();
        for other in &mut others {
            other.step();
            assert_eq!(other.state_hash(), first.state_hash(), "tick {}", first.tick());
        }
        if first.tick().is_multiple_of(100) {
            others.push(World::load(&first.save().unwrap(), Host::default()).unwrap());
        }
        if step == RunState::Ended {
            break;
        }
    }
    assert_eq!(first.counts().orders_done, 1);
}

/// Where all are blocked for now, nobody is a roadblock.
#[test]
fn a_crowd_holds_no_roadblocks() {
    for name in ["traffic/6_gate.toml", "traffic/8_bridge.toml", "traffic/7_full_room.toml"] {
        let mut world = load_world(&scenarios().join(name), Overrides::default()).unwrap();
        while world.tick() < 1_000 && world.step() == RunState::Running {
            for &agent in world.agent_arrays().ids.iter().filter(|_| world.tick().is_multiple_of(50)) {
                let reason = world.reason_for_waiting(agent).unwrap().named();
                assert_ne!(reason.rule, "roadblock", "{name}, tick {}: {reason:?}", world.tick());
            }
        }
    }
}
