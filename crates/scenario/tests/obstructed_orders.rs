//! Orders whose way other agents obstruct.

use crate::common::build_world;
use std::sync::Arc;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_sim::{
    AgentId, AgentSelection, Command, EventKind, RunState, TaskSource, UnreachableReason, World,
};

const CLASSES: &str = r#"
[class.scout]
headings = 1
moves = [
  { name = "E", by = [1, 0],  time = 5 },
  { name = "W", by = [-1, 0], time = 5 },
  { name = "N", by = [0, -1], time = 5 },
  { name = "S", by = [0, 1],  time = 5 },
]
[class.tank]
headings = 4
footprint = ["X>"]
moves = [
  { name = "ahead", by = [1, 0], time = 4 },
  { name = "back", by = [-1, 0], time = 8 },
  { name = "left", turn = 1, time = 4 },
  { name = "right", turn = -1, time = 4 },
]
"#;

/// A door that an agent closes, foreign or on hold, and an agent with an order to go through.
fn door(blocker: &str, order: &str, ticks: u32, events: &str) -> World {
    build_world(&format!(
        r#"
name = "a door"
ticks = {ticks}
[map]
rows = [
  "....................",
  "....................",
  "....................",
  "....................",
  "TTTTTTTTTT.TTTTTTTTT",
  "....................",
  "....................",
  "....................",
]
{CLASSES}
[[agents]]
class = "scout"
team = "red"
at = [4, 1]
orders = [{{ {order} }}]
[[agents]]
name = "door"
class = "scout"
at = [10, 4]
{blocker}
{events}
"#
    ))
}

/// Orders that lead through the door.
const THROUGH: [&str; 3] = ["goto = [10, 7]", "goto_area = [10, 7, 1, 1]", "goto_group = [10, 7]"];
const BLOCKERS: [&str; 2] =
    ["team = \"blue\"\norders = [{ wait = 5000 }]", "team = \"red\"\norders = [{ hold = true }]"];

/// Steps a world to its end; gives the ticks and reasons of orders that failed, and of those done.
fn run_events(world: &mut World) -> (Vec<(u32, u32)>, Vec<u32>) {
    let (mut failed, mut done) = (Vec::new(), Vec::new());
    let mut is_running = true;
    while is_running {
        is_running = world.step() == RunState::Running;
        for event in world.events() {
            match event.kind() {
                Some(EventKind::OrderFailed) => failed.push((event.tick, event.c)),
                Some(EventKind::OrderDone) => done.push(event.tick),
                _ => {}
            }
        }
    }
    (failed, done)
}

const OBSTRUCTED: u32 = UnreachableReason::Obstructed as u32;

#[test]
fn an_obstructed_order_fails_once_whatever_its_kind() {
    for (order, blocker) in THROUGH.iter().flat_map(|order| BLOCKERS.map(|blocker| (order, blocker))) {
        let mut world = door(blocker, order, 3000, "");
        let (failed, done) = run_events(&mut world);
        assert_eq!((failed.len(), done.len()), (1, 0), "{order} {blocker}");
        assert_eq!(failed[0].1, OBSTRUCTED, "{order} {blocker}");
        let counts = world.counts();
        assert!(counts.path_requests <= 2 && counts.expansions < 500, "{order} {blocker} {counts:?}");
    }
}

/// Kept orders ask once more when the door opens, and arrive.
#[test]
fn an_obstructed_order_that_waits_asks_again_when_the_obstacle_leaves() {
    let opens =
        "[[events]]\ntick = 1500\ngive_orders = { names = [\"door\"], orders = [{ goto = [17, 6] }] }";
    for (order, blocker) in THROUGH.iter().flat_map(|order| BLOCKERS.map(|blocker| (order, blocker))) {
        let mut world = door(blocker, &format!("{order}, if_unreachable = \"wait\""), 3000, opens);
        let (failed, done) = run_events(&mut world);
        assert_eq!(failed.len(), 1, "{order} {blocker}");
        assert_eq!(failed[0].1, OBSTRUCTED, "{order} {blocker}");
        // That of the door, and then its own.
        assert!(done.len() == 2 && done[1] < 1700, "{order} {blocker} {done:?}");
        let counts = world.counts();
        assert!(counts.path_requests <= 6 && counts.expansions < 1000, "{order} {blocker} {counts:?}");
    }
}

#[test]
fn an_obstructed_order_to_the_nearest_pose_goes_up_to_the_obstacle() {
    for (order, blocker) in THROUGH.iter().flat_map(|order| BLOCKERS.map(|blocker| (order, blocker))) {
        let mut world = door(blocker, &format!("{order}, fallback = \"nearest\""), 3000, "");
        let (failed, done) = run_events(&mut world);
        assert_eq!(world.agent(AgentId(0)).unwrap().pose().cell, CellXY::new(10, 3), "{order} {blocker}");
        // The nearest pose does not count for an area.
        let is_area = order.starts_with("goto_area");
        assert_eq!(
            (failed.len(), done.len()),
            (usize::from(is_area), usize::from(!is_area)),
            "{order} {blocker}"
        );
        assert!(world.counts().path_requests <= 3, "{order} {blocker} {:?}", world.counts());
    }
}

/// An agent with tasks behind a closed door tries others of them, less and less often.
#[test]
fn obstructed_tasks_are_tried_less_and_less_often() {
    for blocker in BLOCKERS {
        let mut world = door(blocker, "wait = 5000", 3000, "");
        let area = Rect::new(0, 5, 20, 3);
        let source = Arc::new(TaskSource::Random { area });
        let agents = AgentSelection::One(AgentId(0));
        world.command(Command::stop(agents.clone()));
        world.command(Command::Tasks { agents, source, stream: 0 });
        let (failed, _) = run_events(&mut world);
        assert!((5..=10).contains(&failed.len()), "{blocker} {failed:?}");
        assert!(world.counts().path_requests <= 10, "{blocker} {:?}", world.counts());
    }
}
