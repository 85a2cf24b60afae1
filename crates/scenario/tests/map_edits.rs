//! The four kinds of map edits: their effect on agents under both collision rules.

use crate::common::{build_world, cell, run_checked, step_to};
use wheelbase_grid::{CellXY, Side, SideKind};
use wheelbase_scenario::trace::write_log;
use wheelbase_sim::{Activity, RunState, World};

/// A truck of two cells that cannot stand on uneven ground, on a strip whose cell (3, 0) has a wall to the north.
/// Forward takes 3 ticks.
fn strip(collision: &str, agents: &str, events: &str) -> World {
    build_world(&format!(
        r#"
name = "strip"
ticks = 100
collision = "{collision}"
[map]
rows = ["...n..."]
[terrain.north]
glyphs = "n"
speed = 1000
sides = {{ N = "wall" }}
[class.truck]
headings = 4
footprint = [[0, 0], [-1, 0]]
max_tilt = 2
max_up = 2
moves = [{{ name = "forward", by = [1, 0], time = 3 }}]
{agents}{events}"#
    ))
}

fn truck(at: i32, goal: i32) -> String {
    format!(
        "[[agents]]\nclass = \"truck\"\nat = [{at}, 0, \"E\"]\norders = [{{ goto = [{goal}, 0], if_unreachable = \"wait\" }}]\n"
    )
}

/// An edit that closes (3, 0) or its western border, and the edit that opens it again. The tick at which the first
/// truck has left it; whether a truck on (3, 0) and (4, 0) can go on.
struct Kind {
    shut: &'static str,
    open: &'static str,
    clear: u32,
    goes_on: bool,
}

const KINDS: [Kind; 4] = [
    Kind {
        shut: "set_terrain = { area = [3, 0, 1, 1], kind = \"water\"",
        open: "set_terrain = { area = [3, 0, 1, 1], kind = \"ground\"",
        clear: 12,
        goes_on: false,
    },
    Kind {
        shut: "set_elevation = { area = [3, 0, 1, 1], height = 9",
        open: "set_elevation = { area = [3, 0, 1, 1], height = 0",
        clear: 12,
        goes_on: false,
    },
    Kind {
        shut: "set_side = { cell = [3, 0], side = \"W\", kind = \"wall\"",
        open: "set_side = { cell = [3, 0], side = \"W\", kind = \"open\"",
        clear: 9,
        goes_on: true,
    },
    Kind {
        shut: "rotate = { cell = [3, 0], turns = 5",
        open: "rotate = { cell = [3, 0], turns = -1",
        clear: 9,
        goes_on: true,
    },
];

fn event(tick: u32, action: &str, on_agents: &str) -> String {
    format!("[[events]]\ntick = {tick}\n{action}, on_agents = \"{on_agents}\" }}\n")
}

/// Checks every kind of edit under both rules.
fn each(check: impl Fn(&str, &Kind)) {
    for collision in ["swept", "discrete"] {
        KINDS.iter().for_each(|kind| check(collision, kind));
    }
}

#[test]
fn an_edit_waits_for_the_agent_there_and_keeps_others_out() {
    each(|collision, kind| {
        // The first truck leaves (2, 0) and (3, 0); the second would follow.
        let agents = truck(3, 6) + &truck(1, 4);
        let events = event(1, kind.shut, "wait") + &event(60, kind.open, "wait");
        let mut world = strip(collision, &agents, &events);
        // Two moves earlier than from (1, 0).
        let clear = kind.clear - 6;
        step_to(&mut world, clear);
        assert_eq!(world.edits_pending(), 1, "{collision}: {}", kind.shut);
        let revision = world.grid().revision();
        step_to(&mut world, clear + 1);
        assert_eq!((world.edits_pending(), world.grid().revision()), (0, revision + 1), "{}", kind.shut);
        step_to(&mut world, 60);
        // Within two cells of the edit, the length of a truck, no plan ends: it stays where it is. Under the discrete
        // rule it has begun to move up before, while the first is still leaving.
        let kept_at = if collision == "swept" { 1 } else { 2 };
        assert_eq!((cell(&world, 0), cell(&world, 1)), (CellXY::new(6, 0), CellXY::new(kept_at, 0)));
        // Reported once, kept, and retried when it opens.
        assert_eq!(world.agent_arrays().motion[1].activity, Activity::Unreachable);
        run_checked(&mut world);
        let arrival = 60 + 3 * (4 - kept_at as u32);
        assert_eq!((world.tick(), world.counts().orders_done), (arrival, 2), "{collision}: {}", kind.shut);
        assert_eq!(world.counts().orders_unreachable, 0);
    });
}

#[test]
fn a_stranded_truck_stays_until_an_edit_frees_it() {
    each(|collision, kind| {
        let events = event(7, kind.shut, "strand") + &event(30, kind.open, "strand");
        let mut world = strip(collision, &truck(1, 6), &events);
        step_to(&mut world, 8);
        assert!(world.agent_arrays().wait_states[0].stranded, "{collision}: {}", kind.shut);
        // Its move keeps its time and ends at tick 9 over (3, 0) and (4, 0).
        step_to(&mut world, 10);
        assert_eq!((cell(&world, 0), world.counts().moves), (CellXY::new(4, 0), 3 + u64::from(kind.goes_on)));
        run_checked(&mut world);
        let arrival = if kind.goes_on { 15 } else { 36 };
        assert_eq!(world.counts().flowtime, arrival, "{collision}: {}", kind.shut);
        assert!(!world.agent_arrays().wait_states[0].stranded);
    });
}

#[test]
fn a_truck_in_the_way_is_removed_while_moving() {
    each(|collision, kind| {
        let agents = truck(1, 6) + &truck(6, 6);
        let mut world = strip(collision, &agents, &event(7, kind.shut, "remove"));
        step_to(&mut world, 7);
        assert_eq!(world.agent_arrays().len(), 2);
        world.step();
        assert_eq!(
            (world.agent_arrays().len(), world.counts().removed),
            (1, 1),
            "{collision}: {}",
            kind.shut
        );
        let held = (0..7).filter(|&x| world.agent_at(CellXY::new(x, 0)).is_some());
        assert_eq!(held.collect::<Vec<_>>(), [5, 6]);
        run_checked(&mut world);
    });
}

#[test]
fn an_edit_without_effect_disturbs_no_agent() {
    for action in [
        "set_terrain = { area = [3, 0, 1, 1], kind = \"north\"",
        "set_elevation = { area = [0, 0, 7, 1], height = 0",
        "set_side = { cell = [3, 0], side = \"N\", kind = \"wall\"",
        "rotate = { cell = [3, 0], turns = -8",
        "rotate = { cell = [0, 0], turns = 1",
        "set_elevation = { area = [70, 0, 7, 1], height = 4",
    ] {
        let mut world = strip("swept", &truck(1, 6), &event(7, action, "remove"));
        run_checked(&mut world);
        assert_eq!((world.grid().revision(), world.counts().path_requests), (0, 1), "{action}");
        assert_eq!(
            (world.tick(), world.counts().removed, world.counts().orders_done),
            (15, 0, 1),
            "{action}"
        );
    }
}

#[test]
fn a_cell_turns_counter_clockwise() {
    for (turns, side) in
        [(1, Side::West), (2, Side::South), (-1, Side::East), (7, Side::East), (-6, Side::South)]
    {
        let action = format!("rotate = {{ cell = [3, 0], turns = {turns}");
        let mut world = strip("swept", "", &event(0, &action, "wait"));
        world.step();
        let walls =
            Side::ALL.map(|side| world.grid().side_of(wheelbase_grid::Cell(3), side) == SideKind::WALL);
        assert_eq!(walls.iter().position(|&wall| wall), Some(side as usize), "{turns}");
        assert_eq!(walls.iter().filter(|&&wall| wall).count(), 1);
    }
}

#[test]
fn an_edit_irrelevant_to_a_class_does_not_disturb_it() {
    // Heights far from its path, and a border that the body never crosses.
    let events = event(4, "set_elevation = { area = [0, 0, 1, 1], height = 9", "wait")
        + &event(5, "set_side = { cell = [3, 0], side = \"S\", kind = \"wall\"", "wait");
    let mut world = strip("swept", &truck(2, 6), &events);
    run_checked(&mut world);
    assert_eq!((world.grid().revision(), world.counts().path_requests, world.tick()), (2, 1, 12));
}

/// Ground that rises evenly under a truck does not tilt it, but closes the way down.
#[test]
fn a_lift_under_a_truck_does_not_disturb_it() {
    let lift = "set_elevation = { area = [0, 0, 4, 1], height = 9";
    let mut world = strip("swept", &truck(1, 6), &event(1, lift, "wait"));
    step_to(&mut world, 2);
    assert_eq!(world.edits_pending(), 0);
    run_checked(&mut world);
    assert_eq!((cell(&world, 0), world.counts().orders_done), (CellXY::new(2, 0), 0));
}

/// A truck on hold stands in the way forever: the edit is carried out at its deadline, and the trace says so.
#[test]
fn a_deadline_ends_the_wait() {
    each(|collision, kind| {
        for then in ["strand", "remove"] {
            let events = event(1, kind.shut, &format!("wait\", deadline = 20, at_deadline = \"{then}"));
            let on_hold = "[[agents]]\nclass = \"truck\"\nat = [3, 0, \"E\"]\norders = [{ hold = true }]\n";
            let mut world = strip(collision, on_hold, &events);
            world.keep_log();
            step_to(&mut world, 21);
            assert_eq!(world.edits_pending(), 1, "{collision}: {}", kind.shut);
            let mut out = Vec::new();
            world.clear_log();
            world.step();
            write_log(&world, 21, &mut out).unwrap();
            let line = String::from_utf8(out).unwrap();
            let told =
                format!(r#""on_agents":"{then}","asked":1,"deadline":20,"ticket":0,"waited_for":[0]}}"#);
            assert!(line.starts_with(r#"{"t":21,"set_"#) && line.contains(&told), "{line}");
            let removed = u64::from(then == "remove");
            assert_eq!((world.edits_pending(), world.counts().removed), (0, removed));
            assert!(removed == 1 || world.agent_arrays().wait_states[0].stranded);
            run_checked(&mut world);
            assert_eq!(world.tick(), 21, "nothing is left to do");
        }
    });
}

/// Before its deadline it is like any other that waits, and the trace does not tell them apart.
#[test]
fn an_edit_is_not_kept_for_its_deadline() {
    each(|collision, kind| {
        let lines = |on_agents: &str| {
            let events = event(1, kind.shut, on_agents) + &event(60, kind.open, "wait");
            let mut world = strip(collision, &(truck(3, 6) + &truck(1, 4)), &events);
            world.keep_log();
            let mut out = Vec::new();
            loop {
                let (tick, step) = (world.tick(), world.step());
                write_log(&world, tick, &mut out).unwrap();
                world.clear_log();
                if step == RunState::Ended {
                    return String::from_utf8(out).unwrap();
                }
            }
        };
        let plain = lines("wait");
        assert!(plain.contains(r#""on_agents":"wait","asked":1,"ticket":0,"waited_for":["#), "{plain}");
        assert_eq!(
            lines("wait\", deadline = 50, at_deadline = \"remove"),
            plain,
            "{collision}: {}",
            kind.shut
        );
    });
}
