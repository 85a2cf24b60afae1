//! What each command means, and each question: one small test each, every tick checked.

use crate::common::{CART, Checked, TANK, TRUCK, WALKER, at, cell, map, open, pose, setup_on, world_on};
use std::sync::Arc;
use wheelbase_grid::{CellXY, Change, Grid, GridShape, Rect, Side, SideKind, TerrainKind};
use wheelbase_planner::{Goal, GoalMember, Heading, Path, Scratch, Status};
use wheelbase_sim::{
    Activity, AgentId, AgentRow, AgentSelection, AtDeadline, CHANGES_MAX, ClassId, Command, EventKind,
    EventRow, GOALS_MAX, IfNoRoom, IfUnreachable, MapEdit, NAMED_MAX, ORDERS_MAX, OnAgents, Order, OrderKind,
    PathSource, RefusalReason, RunState, SetupError, SetupErrors, Spawn, SpawnGroup, TaskSource, Team,
    Ticket, Trip, UnreachableReason, WaitReason, World,
};
use wheelbase_traffic::{Cooperative, Reason, TrafficParams};

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);

const GROUND: TerrainKind = TerrainKind(0);
const WATER: TerrainKind = TerrainKind(2);

fn lane(length: usize) -> Grid {
    open(length, 1)
}

fn flood(x: i32, y: i32, width: u32, height: u32) -> Change {
    Change::Terrain { area: Rect::new(x, y, width, height), kind: WATER }
}

fn edit(changes: impl Into<Arc<[Change]>>, on_agents: OnAgents) -> Command {
    Command::Edit(MapEdit { changes: changes.into(), on_agents })
}

/// Events of a kind, as agents and first numbers.
fn events(world: &World, kind: EventKind) -> Vec<(u32, u32)> {
    world.events().iter().filter(|row| row.kind() == Some(kind)).map(|row| (row.agent, row.a)).collect()
}

// Orders.

#[test]
fn an_order_replaces_what_is_left_and_appended_ones_wait_their_turn() {
    let mut run = Checked::on(open(20, 3), &[at(WALKER, 0, 1, 0)]);
    run.does(Command::order(A, Order::goto(cell(10, 1))));
    run.does(Command::append(A, Order::goto(cell(12, 1))));
    run.does(Command::append(A, Order::goto(cell(12, 2))));
    run.steps_until_at(A, cell(12, 2), 60);
    run.steps(2);
    assert_eq!(run.count(EventKind::OrderDone, A), 3);
    // Replaced in mid-move: that move ends first.
    run.does(Command::order(A, Order::goto(cell(19, 2))));
    run.steps(2);
    assert!(run.row(A).is_moving());
    let ends = run.row(A).to().cell;
    run.does(Command::order(A, Order::goto(cell(10, 2))));
    run.steps(1);
    assert_eq!(run.row(A).from().cell, ends);
    run.steps_until_at(A, cell(10, 2), 20);
    run.steps(2);
    assert_eq!(run.count(EventKind::OrderDone, A), 4);
}

#[test]
fn orders_of_one_tick_are_one_list() {
    let mut run = Checked::on(open(12, 1), &[at(WALKER, 0, 0, 0)]);
    run.steps(3);
    run.world.command(Command::order(A, Order::goto(cell(4, 0))));
    run.world.command(Command::order(A, Order::goto(cell(2, 0))));
    run.steps_until_at(A, cell(4, 0), 20);
    run.steps_until_at(A, cell(2, 0), 20);
    run.steps(3);
    assert_eq!(run.count(EventKind::OrderDone, A), 2);
    // A stop at the same tick forgets those before it, and what follows it counts.
    run.world.command(Command::order(A, Order::goto(cell(9, 0))));
    run.world.command(Command::stop(A));
    run.world.command(Command::order(A, Order::goto(cell(0, 0))));
    run.steps_until_at(A, cell(0, 0), 20);
    run.steps(20);
    assert_eq!(run.cell(A), cell(0, 0));
}

/// A player who clicks again and again changes nothing but which command is answered.
#[test]
fn an_identical_order_does_not_restart_anything() {
    let to = cell(9, 2);
    let orders = [
        Order::goto(to),
        Order::goto_group(to),
        Order::goto_area(Rect::new(9, 2, 1, 1)),
        Order::wait(40).in_place(),
    ];
    for order in orders {
        let play = |again: bool| {
            let mut run = Checked::on(open(12, 4), &[at(CART, 0, 1, 0), at(CART, 0, 2, 0)]);
            run.does(Command::order(vec![A, B], order.clone()));
            for _ in 0..12 {
                if again && run.world.events().is_empty() {
                    run.does(Command::order(vec![A, B], order.clone()));
                    let given = events(&run.world, EventKind::Ordered);
                    assert_eq!(given.iter().map(|&(agent, _)| agent).collect::<Vec<_>>(), [0, 1]);
                } else {
                    run.steps(1);
                }
            }
            let paths = run.told.iter().filter(|row| row.kind() == Some(EventKind::PathFound)).count();
            run.steps(40);
            let done = run.told.iter().filter(|row| row.kind() == Some(EventKind::OrderDone));
            let done: Vec<(u32, u32)> = done.map(|row| (row.tick, row.agent)).collect();
            (done, paths, run.cell(A), run.cell(B))
        };
        assert_eq!(play(true), play(false), "{order:?}");
    }
}

#[test]
fn a_preview_tells_what_agents_obstruct_from_what_the_map_does() {
    let mut run = Checked::on(lane(12), &[at(WALKER, 0, 0, 0), at(WALKER, 4, 0, 0)]);
    run.does(Command::hold(B));
    let preview = |run: &Checked, x| {
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        let goal = [GoalMember::any(cell(x, 0))];
        let answer = run.world.plan(A, Goal::of(&goal), &mut scratch, &mut path).unwrap();
        assert_eq!(path.moves.is_empty(), answer.status != Status::Found);
        answer.status
    };
    assert_eq!([3, 4, 9].map(|x| preview(&run, x)), [Status::Found, Status::Obstructed, Status::Obstructed]);
    run.does(edit([flood(7, 0, 1, 1)], OnAgents::Wait));
    assert_eq!([6, 9].map(|x| preview(&run, x)), [Status::Obstructed, Status::Unreachable]);
}

/// Ids are the ids that a host counts on, whatever is refused.
#[test]
fn nobody_gets_the_id_of_a_refused_agent() {
    let mut run = Checked::on(open(12, 1), &[at(WALKER, 0, 0, 0)]);
    run.refuses(Command::Spawn(at(WALKER, 0, 0, 0)), RefusalReason::PoseHeld);
    run.does(Command::Spawn(at(WALKER, 3, 0, 0)));
    assert_eq!(events(&run.world, EventKind::Spawned), [(2, 0)]);
    assert_eq!(run.world.agent_at(cell(3, 0)), Some(AgentId(2)));
    run.refuses(Command::remove(B), RefusalReason::UnknownAgent);
}

#[test]
fn no_orders_leave_an_agent_without_any() {
    let mut run = Checked::on(open(12, 1), &[at(WALKER, 0, 0, 0)]);
    run.does(Command::order(A, Order::goto(cell(9, 0))));
    run.steps(4);
    run.does(Command::orders(A, Vec::new()));
    run.steps(10);
    assert_eq!((run.row(A).order_kind, run.row(A).activity()), (AgentRow::NO_ORDER, Some(Activity::Idle)));
    assert!(run.cell(A).x < 4);
}

#[test]
fn stop_drops_all_orders_and_others_may_push() {
    let mut run = Checked::on(lane(12), &[at(WALKER, 3, 0, 0), at(WALKER, 0, 0, 0)]);
    run.does(Command::order(A, Order::goto(cell(11, 0))));
    run.does(Command::append(A, Order::goto(cell(0, 0))));
    run.steps(3);
    run.does(Command::stop(A));
    run.steps(6);
    let stopped = run.cell(A);
    assert_eq!((run.row(A).order_kind, run.row(A).is_moving()), (AgentRow::NO_ORDER, false));
    assert_eq!(run.count(EventKind::OrderDone, A), 0);
    run.does(Command::order(B, Order::goto(cell(stopped.x + 2, 0))));
    run.steps_until_at(B, cell(stopped.x + 2, 0), 200);
    assert!(run.cell(A).x > stopped.x + 2);
}

#[test]
fn nobody_moves_an_agent_on_hold() {
    let mut run = Checked::on(lane(12), &[at(WALKER, 4, 0, 0), at(WALKER, 0, 0, 0)]);
    run.does(Command::hold(A));
    run.does(Command::order(B, Order::goto(cell(9, 0))));
    run.steps(200);
    assert_eq!((run.cell(A), run.row(A).activity()), (cell(4, 0), Some(Activity::Holding)));
    assert!(run.row(A).has(AgentRow::ON_HOLD));
    // The goal is walled in: reported as obstructed, and dropped.
    let failed = run.told.iter().find(|row| row.kind() == Some(EventKind::OrderFailed)).unwrap();
    assert_eq!((failed.agent, failed.c), (B.0, UnreachableReason::Obstructed as u32));
    assert_eq!(run.world.reason_for_waiting(A), Some(WaitReason::Holding));
    // Another order ends the hold.
    run.does(Command::order(A, Order::goto(cell(11, 0))));
    run.steps_until_at(A, cell(11, 0), 60);
    run.does(Command::order(B, Order::goto(cell(9, 0))));
    run.steps_until_at(B, cell(9, 0), 60);
}

#[test]
fn an_agent_that_waits_in_place_is_never_pushed_and_goes_on() {
    let mut run = Checked::on(lane(12), &[at(WALKER, 4, 0, 0), at(WALKER, 0, 0, 0)]);
    run.does(Command::orders(A, [Order::wait(60).in_place(), Order::goto(cell(11, 0))]));
    run.does(Command::order(B, Order::goto(cell(9, 0)).or_wait()));
    run.steps(57);
    assert_eq!((run.cell(A), run.row(A).activity()), (cell(4, 0), Some(Activity::Holding)));
    assert_eq!((run.row(A).order_kind, run.count(EventKind::OrderDone, A)), (9, 0));
    // The goal of the other is walled in until then.
    let failed = run.told.iter().find(|row| row.kind() == Some(EventKind::OrderFailed)).unwrap();
    assert_eq!((failed.agent, failed.c), (B.0, UnreachableReason::Obstructed as u32));
    run.steps(4);
    assert_eq!(run.count(EventKind::OrderDone, A), 1);
    run.steps_until_at(B, cell(9, 0), 100);
    assert_eq!(run.cell(A), cell(11, 0));
    assert_eq!(Order::hold().in_place(), Order::hold());
}

#[test]
fn an_agent_that_waits_in_place_leaves_for_an_edit_alone() {
    let mut run = Checked::on(open(8, 3), &[at(WALKER, 4, 1, 0), at(WALKER, 0, 1, 0)]);
    run.does(Command::order(A, Order::wait(200).in_place()));
    run.does(Command::order(B, Order::goto(cell(7, 1))));
    run.steps_until_at(B, cell(7, 1), 60);
    assert_eq!(run.cell(A), cell(4, 1));
    run.does(edit([flood(4, 1, 1, 1)], OnAgents::Wait));
    assert_eq!(run.world.edits_pending(), 1);
    run.steps(60);
    assert_eq!(run.world.edits_pending(), 0);
    // It has left, and stands for the rest of its time.
    assert_eq!((run.row(A).activity(), run.count(EventKind::OrderDone, A)), (Some(Activity::Holding), 0));
    run.steps(200);
    assert_eq!(run.count(EventKind::OrderDone, A), 1);
}

#[test]
fn an_order_that_waits_goes_on_when_the_hold_ends() {
    let mut run = Checked::on(lane(12), &[at(WALKER, 4, 0, 0), at(WALKER, 0, 0, 0)]);
    run.does(Command::hold(A));
    run.does(Command::order(B, Order::goto(cell(9, 0)).or_wait()));
    run.steps(100);
    assert_eq!(run.world.reason_for_waiting(B), Some(WaitReason::Unreachable));
    run.does(Command::order(A, Order::goto(cell(11, 0))));
    run.steps_until_at(B, cell(9, 0), 400);
}

#[test]
fn a_follower_keeps_near_and_is_done_when_the_leader_is_gone() {
    let mut run = Checked::on(open(30, 6), &[at(WALKER, 12, 2, 0), at(CART, 0, 2, 0)]);
    run.does(Command::order(B, Order::follow(A, 2)));
    run.steps(80);
    let far = |run: &Checked| {
        let (a, b) = (run.cell(A), run.cell(B));
        (a.x - b.x).pow(2) + (a.y - b.y).pow(2)
    };
    assert!(far(&run) <= 4, "{} {}", run.cell(A), run.cell(B));
    assert_eq!(run.row(B).activity(), Some(Activity::Dwelling));
    let rested_at = run.cell(B);
    // One step is within the distance: the follower stays.
    run.does(Command::order(A, Order::goto(cell(28, 4))));
    run.steps(120);
    assert!(far(&run) <= 4 && run.cell(B) != rested_at);
    assert_eq!(run.count(EventKind::OrderDone, B), 0);
    run.does(Command::append(B, Order::goto(cell(20, 0))));
    run.does(Command::remove(A));
    run.steps_until_at(B, cell(20, 0), 120);
    run.steps(2);
    assert_eq!(run.count(EventKind::OrderDone, B), 2);
    assert_eq!(run.row(B).order_kind, AgentRow::NO_ORDER);
}

#[test]
fn followers_in_a_circle_and_of_nobody() {
    let mut run = Checked::on(open(12, 4), &[at(WALKER, 0, 0, 0), at(WALKER, 11, 3, 0)]);
    run.refuses(Command::order(A, Order::follow(A, 1)), RefusalReason::WrongOrder);
    run.refuses(Command::order(A, Order::follow(AgentId(9), 1)), RefusalReason::UnknownAgent);
    run.does(Command::order(A, Order::follow(B, 1)));
    run.does(Command::order(B, Order::follow(A, 1)));
    run.steps(100);
    let (a, b) = (run.cell(A), run.cell(B));
    assert!((a.x - b.x).abs() + (a.y - b.y).abs() <= 1, "{a} {b}");
}

#[test]
fn a_patrol_goes_on_for_ever() {
    let mut run = Checked::on(open(12, 2), &[at(WALKER, 0, 0, 0)]);
    run.does(Command::order(A, Order::patrol(&[cell(5, 0), cell(1, 1)])));
    for _ in 0..3 {
        run.steps_until_at(A, cell(5, 0), 40);
        run.steps_until_at(A, cell(1, 1), 40);
    }
    assert_eq!(run.count(EventKind::OrderDone, A), 0);
}

#[test]
fn a_group_shares_out_the_poses_around_its_goal() {
    let agents: Vec<Spawn> = (0..9).map(|x| at(WALKER, x, 0, 0)).collect();
    let mut run = Checked::on(open(20, 16), &agents);
    let ids: Vec<AgentId> = (0..9).map(AgentId).collect();
    run.does(Command::order(ids.clone(), Order::goto_group(cell(10, 10))));
    run.steps(150);
    for &id in &ids {
        let at = run.cell(id);
        assert!((at.x - 10).abs() <= 1 && (at.y - 10).abs() <= 1, "{id:?} at {at}");
        assert_eq!(run.count(EventKind::OrderDone, id), 1);
    }
}

#[test]
fn an_order_to_an_area_and_one_to_a_radius_and_a_set() {
    let mut run = Checked::on(open(24, 8), &[at(WALKER, 0, 0, 0), at(CART, 0, 3, 0)]);
    run.world.command(Command::order(vec![A, B], Order::goto_area(Rect::new(10, 2, 2, 1))));
    run.steps(80);
    let mut cells = [run.cell(A), run.cell(B)];
    cells.sort_by_key(|cell| cell.x);
    assert_eq!(cells, [cell(10, 2), cell(11, 2)]);
    run.does(Command::order(A, Order::goto_any(vec![GoalMember::any(cell(20, 4))], 3)));
    run.steps(60);
    let at = run.cell(A);
    let squared = (at.x - 20).pow(2) + (at.y - 4).pow(2);
    assert!((5..=9).contains(&squared), "{at}");
    let set = vec![GoalMember::any(cell(0, 7)), GoalMember::any(cell(20, 7))];
    run.does(Command::order(A, Order::goto_any(set, 0)));
    run.steps_until_at(A, cell(20, 7), 40);
}

#[test]
fn orders_that_name_headings_mean_the_same_for_all_classes() {
    let mut run = Checked::on(open(16, 8), &[at(CART, 1, 1, 0), at(WALKER, 1, 3, 0)]);
    run.world.command(Command::order(vec![A, B], Order::goto_pose(pose(8, 1, 1), 4)));
    run.steps(60);
    assert_eq!(run.row(A).pose(), pose(8, 1, 1));
    // The walker has no facing: it has no such heading.
    let failed: Vec<_> = run.told.iter().filter(|row| row.kind() == Some(EventKind::OrderFailed)).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0].agent, failed[0].c), (B.0, UnreachableReason::NoSuchHeading as u32));
}

#[test]
fn wrong_orders_are_refused_with_the_reason() {
    let mut run = Checked::on(open(8, 4), &[at(WALKER, 0, 0, 0)]);
    let order = |kind| Command::order(A, Order::new(kind));
    let goto = |members| OrderKind::Goto(Trip::to(members));
    run.refuses(Command::order(AgentId(7), Order::goto(cell(1, 1))), RefusalReason::UnknownAgent);
    run.refuses(Command::order(AgentId(u32::MAX), Order::goto(cell(1, 1))), RefusalReason::UnknownAgent);
    run.refuses(Command::order(A, Order::goto(cell(8, 0))), RefusalReason::GoalOffMap);
    run.refuses(Command::order(A, Order::goto(cell(i32::MIN, i32::MAX))), RefusalReason::GoalOffMap);
    run.refuses(Command::order(A, Order::goto_group(cell(-1, 0))), RefusalReason::GoalOffMap);
    run.refuses(Command::order(A, Order::goto_area(Rect::new(50, 50, 4, 4))), RefusalReason::GoalOffMap);
    run.refuses(Command::order(A, Order::goto_area(Rect::new(1, 1, 0, 4))), RefusalReason::GoalOffMap);
    run.refuses(Command::order(A, Order::patrol(&[cell(1, 1), cell(9, 9)])), RefusalReason::GoalOffMap);
    run.refuses(order(goto(Vec::new())), RefusalReason::WrongOrder);
    let two = Trip::to(vec![GoalMember::any(cell(1, 1)); 2]);
    run.refuses(order(OrderKind::GotoGroup(0, two)), RefusalReason::WrongOrder);
    let turned = goto(vec![GoalMember { cell: cell(1, 1), heading: Some(Heading(4)) }]);
    run.refuses(
        Command::order(A, Order { headings: 4, ..Order::new(turned.clone()) }),
        RefusalReason::WrongHeading,
    );
    run.refuses(Command::order(A, Order { headings: 5, ..Order::new(turned) }), RefusalReason::WrongHeading);
    let many = vec![GoalMember::any(cell(1, 1)); GOALS_MAX + 1];
    run.refuses(order(goto(many)), RefusalReason::TooLong);
    run.refuses(Command::orders(A, vec![Order::wait(1); ORDERS_MAX + 1]), RefusalReason::TooLong);
    run.refuses(Command::order(vec![A; NAMED_MAX + 1], Order::wait(1)), RefusalReason::TooLong);
    let tasks = Order::new(OrderKind::Tasks(Arc::new(TaskSource::Random { area: Rect::new(0, 0, 8, 4) }), 0));
    run.refuses(Command::orders(A, vec![tasks, Order::wait(1)]), RefusalReason::WrongOrder);
    assert_eq!(run.count(EventKind::Ordered, A), 0);
    assert_eq!(run.world.counts().commands_refused, 16);
}

#[test]
fn lacked_goals_count_against_the_limit_too() {
    let mut run = Checked::on(open(8, 4), &[at(WALKER, 0, 0, 0)]);
    let lacked = wheelbase_sim::LackedGoal { number: 0, cell: cell(1, 1), heading: (4, Heading(1)) };
    let order = |kind| Order { kind, headings: 1, lacked: vec![lacked; GOALS_MAX + 1].into() };
    run.refuses(Command::order(A, order(OrderKind::Wait(3))), RefusalReason::TooLong);
    let area = OrderKind::GotoArea(Rect::new(0, 0, 4, 4), Trip::to(Vec::new()));
    run.refuses(Command::order(A, order(area)), RefusalReason::TooLong);
}

// Tasks.

#[test]
fn tasks_are_replaced_wherever_they_stand() {
    let task = |x| {
        let cells: Arc<[CellXY]> = Arc::new([cell(x, 0), cell(x, 1)]);
        Arc::new(TaskSource::RoundRobin { cells, team: 1 })
    };
    let given = |x| Command::Tasks { agents: A.into(), source: task(x), stream: 0 };
    let mut run = Checked::on(open(16, 2), &[at(WALKER, 0, 0, 0)]);
    run.does(given(4));
    run.steps(40);
    assert!(run.count(EventKind::TaskDone, A) > 5 && run.cell(A).x == 4);
    run.does(given(8));
    assert_eq!(events(&run.world, EventKind::TasksReplaced), [(0, 0)]);
    run.steps(40);
    assert_eq!(run.cell(A).x, 8);
    // Appended orders that end in tasks stand behind tasks for good; new tasks replace them all.
    let orders: Arc<[Order]> = Arc::new([Order::goto(cell(1, 0)), Order::new(OrderKind::Tasks(task(2), 0))]);
    run.does(Command::Order { agents: A.into(), orders, append: true });
    run.steps(10);
    run.does(given(12));
    run.steps_until_at(A, cell(1, 0), 60);
    run.steps(60);
    assert_eq!(run.cell(A).x, 12);
    let wrong = Arc::new(TaskSource::Random { area: Rect::new(10, 0, 10, 2) });
    run.refuses(Command::Tasks { agents: A.into(), source: wrong, stream: 0 }, RefusalReason::WrongTasks);
    let none = Arc::new(TaskSource::RoundRobin { cells: Arc::default(), team: 1 });
    run.refuses(Command::Tasks { agents: A.into(), source: none, stream: 0 }, RefusalReason::WrongTasks);
    // A goal off the map could be reached by nobody, and recorded by nobody.
    let cells: Arc<[CellXY]> = Arc::new([cell(1, 0), cell(1, -1)]);
    let off = Arc::new(TaskSource::RoundRobin { cells, team: 1 });
    run.refuses(Command::Tasks { agents: A.into(), source: off, stream: 0 }, RefusalReason::WrongTasks);
}

// Agents that come, change and go.

#[test]
fn spawns_are_placed_or_refused_with_the_reason() {
    let grid = map(&["....W...", "........"], GridShape::Square);
    let mut run = Checked::on(grid, &[at(WALKER, 0, 0, 0)]);
    let spawn = |spawn: Spawn| Command::Spawn(spawn);
    let ticket =
        run.does(spawn(Spawn { team: Team(3), priority: 7, speed_factor: 500, ..at(CART, 2, 1, 3) }));
    let row = run.row(B);
    assert_eq!((row.pose(), row.team, row.class), (pose(2, 1, 3), 3, CART.0));
    let told = run.world.events()[0];
    assert_eq!((told.kind(), told.agent, told.ticket), (Some(EventKind::Spawned), 1, ticket.0));
    let arrays = run.world.agent_arrays();
    assert_eq!((arrays.wait_states[1].priority, arrays.speed_factors[1]), (7, 500));
    run.refuses(spawn(at(ClassId(4), 1, 1, 0)), RefusalReason::UnknownClass);
    run.refuses(spawn(at(ClassId(255), 1, 1, 0)), RefusalReason::UnknownClass);
    run.refuses(spawn(at(WALKER, 4, 0, 0)), RefusalReason::IllegalPose);
    run.refuses(spawn(at(WALKER, 8, 0, 0)), RefusalReason::IllegalPose);
    run.refuses(spawn(at(WALKER, i32::MIN, i32::MAX, 0)), RefusalReason::IllegalPose);
    run.refuses(spawn(at(CART, 1, 1, 4)), RefusalReason::IllegalPose);
    run.refuses(spawn(at(CART, 1, 1, 255)), RefusalReason::IllegalPose);
    run.refuses(spawn(at(TRUCK, 0, 1, 0)), RefusalReason::IllegalPose);
    run.refuses(spawn(at(WALKER, 0, 0, 0)), RefusalReason::PoseHeld);
    run.refuses(spawn(at(TRUCK, 3, 1, 0)), RefusalReason::PoseHeld);
    run.refuses(spawn(Spawn { team: Team(32), ..at(WALKER, 1, 1, 0) }), RefusalReason::UnknownTeam);
    run.refuses(spawn(Spawn { speed_factor: 0, ..at(WALKER, 1, 1, 0) }), RefusalReason::WrongSpeedFactor);
    let off = at(WALKER, 1, 1, 0).with_orders([Order::goto(cell(99, 0))]);
    run.refuses(spawn(off), RefusalReason::GoalOffMap);
    assert_eq!(run.world.counts().placed, 2);
    // The cells of a move in progress are held, and its end is.
    run.does(Command::order(B, Order::goto(cell(2, 0))));
    run.steps(12);
    run.does(Command::order(A, Order::goto(cell(1, 0))));
    run.refuses(spawn(at(WALKER, 1, 0, 0)), RefusalReason::PoseHeld);
}

#[test]
fn a_group_of_spawns_takes_the_room_there_is() {
    let mut run = Checked::on(open(6, 6), &[]);
    let spawns = |count, area| {
        let (class, orders) = (CART, Arc::default());
        SpawnGroup {
            class,
            count,
            area,
            priority: 0,
            team: Team(0),
            orders,
            speed_factor: 800,
            anywhere: false,
            if_no_room: IfNoRoom::Drop,
        }
    };
    let group = |count, area| Command::SpawnGroup(spawns(count, area));
    let ticket = run.does(group(u32::MAX, Rect::new(-4, -4, 7, 6)));
    assert_eq!(run.world.agents().len(), 6);
    assert_eq!(run.world.agent_arrays().speed_factors, [800; 6]);
    let spawned = run.world.events().iter().filter(|row| row.kind() == Some(EventKind::Spawned));
    assert!(spawned.clone().all(|row| row.ticket == ticket.0) && spawned.count() == 6);
    assert_eq!(events(&run.world, EventKind::Refused), [(EventRow::NONE, RefusalReason::NoRoom as u32)]);
    assert_eq!(run.world.counts().not_placed, u64::from(u32::MAX) - 6);
    run.refuses(group(1, Rect::new(9, 9, 3, 3)), RefusalReason::NoRoom);
    let stands = SpawnGroup { speed_factor: 0, ..spawns(1, Rect::new(0, 0, 6, 6)) };
    run.refuses(Command::SpawnGroup(stands), RefusalReason::WrongSpeedFactor);
    run.does(group(0, Rect::new(0, 0, 6, 6)));
    assert_eq!(run.world.events(), []);
}

#[test]
fn an_agent_is_removed_in_mid_move_and_its_id_is_never_given_again() {
    let mut run = Checked::on(open(12, 2), &[at(TRUCK, 2, 0, 0), at(WALKER, 2, 1, 0)]);
    run.does(Command::order(A, Order::goto(cell(9, 0))));
    run.step();
    assert!(run.row(A).is_moving());
    run.world.command(Command::remove(A));
    run.world.command(Command::order(A, Order::goto(cell(4, 0))));
    run.world.command(Command::remove(A));
    run.step();
    assert_eq!(events(&run.world, EventKind::Removed), [(0, 0)]);
    let unknown = RefusalReason::UnknownAgent as u32;
    assert_eq!(events(&run.world, EventKind::Refused), [(0, unknown), (0, unknown)]);
    assert_eq!(run.world.agent_at(cell(3, 0)), None);
    run.does(Command::Spawn(at(TRUCK, 3, 0, 0)));
    assert_eq!(run.world.agents().iter().map(|row| row.id).collect::<Vec<_>>(), [1, 2]);
    // All in an area; at its edge the anchors decide.
    run.does(Command::remove(Rect::new(3, 0, 1, 1)));
    assert_eq!(run.world.agents().len(), 1);
}

#[test]
fn a_class_change_deploys_where_there_is_room() {
    let mut run = Checked::on(open(12, 6), &[at(CART, 4, 3, 1), at(WALKER, 4, 2, 0)]);
    // A truck in heading N needs the cell of the other.
    let to = |class, pose| Command::Class { agent: A, class, pose };
    run.refuses(to(TRUCK, None), RefusalReason::PoseHeld);
    assert_eq!((run.row(A).class, run.row(A).pose()), (CART.0, pose(4, 3, 1)));
    run.refuses(to(TRUCK, Some(pose(0, 0, 0))), RefusalReason::IllegalPose);
    run.refuses(to(TRUCK, Some(pose(4, 3, 4))), RefusalReason::IllegalPose);
    run.refuses(to(ClassId(4), None), RefusalReason::UnknownClass);
    run.refuses(Command::Class { agent: AgentId(5), class: CART, pose: None }, RefusalReason::UnknownAgent);
    // Over its own cells, turned.
    run.does(to(TRUCK, Some(pose(4, 3, 0))));
    assert_eq!(events(&run.world, EventKind::ClassSet), [(0, u32::from(TRUCK.0))]);
    assert_eq!(run.world.agent_at(cell(5, 3)), Some(A));
    // Back: the heading of the same name; of a class without headings the only one.
    run.does(to(CART, None));
    assert_eq!((run.row(A).pose(), run.world.agent_at(cell(5, 3))), (pose(4, 3, 0), None));
    run.does(to(TANK, None));
    assert_eq!(run.row(A).pose(), pose(4, 3, 0));
    run.does(to(WALKER, None));
    assert_eq!(run.row(A).pose(), pose(4, 3, 0));
}

#[test]
fn a_class_change_waits_for_the_end_of_a_move_and_keeps_orders() {
    let mut run = Checked::on(open(24, 4), &[at(CART, 0, 1, 0)]);
    let orders = vec![Order::goto_pose(pose(8, 1, 0), 4), Order::goto_pose(pose(16, 1, 1), 4)];
    run.does(Command::orders(A, orders));
    run.steps(2);
    assert!(run.row(A).is_moving());
    run.does(Command::Class { agent: A, class: WALKER, pose: None });
    while run.row(A).class == CART.0 {
        assert!(run.row(A).is_moving() || run.row(A).end_tick == run.world.tick());
        run.step();
    }
    // The walker has no heading E or N: any will do.
    run.steps_until_at(A, cell(8, 1), 60);
    run.steps_until_at(A, cell(16, 1), 60);
    run.steps(2);
    assert_eq!(run.count(EventKind::OrderDone, A), 2);
    // A waiting command is refused if the agent goes first.
    run.does(Command::order(A, Order::goto(cell(20, 1))));
    run.step();
    let ticket = run.does(Command::Class { agent: A, class: CART, pose: None });
    if run.row(A).class == WALKER.0 {
        run.does(Command::remove(A));
        run.step();
        let refused = run.told.iter().find(|row| row.kind() == Some(EventKind::Refused)).unwrap();
        assert_eq!((refused.ticket, refused.a), (ticket.0, RefusalReason::UnknownAgent as u32));
    }
}

#[test]
fn appended_orders_count_from_their_own_tick_after_a_class_change() {
    let mut run = Checked::on(open(24, 4), &[at(CART, 0, 1, 0)]);
    let mut given = vec![run.world.tick()];
    run.does(Command::order(A, Order::goto_pose(pose(3, 1, 0), 4)));
    run.steps(3);
    given.push(run.world.tick());
    run.does(Command::append(A, Order::goto_pose(pose(6, 1, 1), 4)));
    run.does(Command::Class { agent: A, class: WALKER, pose: None });
    run.steps(80);
    let done: Vec<u32> =
        run.told.iter().filter(|row| row.kind() == Some(EventKind::OrderDone)).map(|row| row.tick).collect();
    let flowtime: u32 = done.iter().zip(&given).map(|(done, given)| done - given).sum();
    assert_eq!((done.len(), run.world.counts().flowtime), (2, flowtime.into()));
}

#[test]
fn tasks_with_orders_behind_them_are_replaced_after_a_class_change_too() {
    let mut run = Checked::on(open(24, 4), &[at(WALKER, 0, 1, 0)]);
    let tasks = |x| {
        let cells: Arc<[CellXY]> = Arc::new([cell(x, 0), cell(x, 1)]);
        let source = Arc::new(TaskSource::RoundRobin { cells, team: 1 });
        Command::Tasks { agents: A.into(), source, stream: 0 }
    };
    run.does(tasks(9));
    run.does(Command::append(A, Order::goto_pose(pose(3, 1, 0), 1)));
    run.steps(40);
    run.does(Command::Class { agent: A, class: CART, pose: None });
    run.steps(8);
    run.does(tasks(14));
    run.steps(60);
    assert_eq!((run.row(A).class, run.cell(A).x), (CART.0, 14));
}

#[test]
fn a_speed_factor_scales_each_move_that_begins() {
    for (permille, forward, turn) in
        [(1000, 3, 4), (500, 6, 8), (999, 4, 5), (1001, 3, 4), (65_535, 1, 1), (3000, 1, 2), (1, 3000, 4000)]
    {
        let mut run = Checked::on(open(16, 9), &[at(TRUCK, 2, 4, 0)]);
        run.does(Command::SpeedFactor { agents: A.into(), permille });
        assert_eq!(events(&run.world, EventKind::SpeedFactorSet), [(0, u32::from(permille))]);
        run.does(Command::order(A, Order::goto(cell(3, 4))));
        let row = run.row(A);
        assert_eq!(row.end_tick - row.begin_tick, forward, "{permille}");
        // In mid-move another factor changes nothing of this move.
        run.does(Command::SpeedFactor { agents: A.into(), permille: 1000 });
        assert_eq!(run.row(A).end_tick - run.row(A).begin_tick, forward);
        run.steps(forward + 2);
        run.does(Command::SpeedFactor { agents: A.into(), permille });
        run.does(Command::order(A, Order::goto_pose(pose(3, 4, 1), 4)));
        let row = run.row(A);
        assert_eq!(row.end_tick - row.begin_tick, turn, "{permille}");
    }
    let mut run = Checked::on(open(4, 4), &[at(WALKER, 0, 0, 0)]);
    run.refuses(Command::SpeedFactor { agents: A.into(), permille: 0 }, RefusalReason::WrongSpeedFactor);
}

#[test]
fn priority_and_team_are_set() {
    let mut run = Checked::on(open(8, 4), &[at(WALKER, 0, 0, 0), at(WALKER, 2, 0, 0)]);
    run.does(Command::Priority { agents: vec![A, B, A].into(), priority: i32::MIN });
    let set = (0, i32::MIN as u32);
    assert_eq!(events(&run.world, EventKind::PrioritySet), [set, (1, set.1)]);
    run.does(Command::Team { agents: Rect::new(0, 0, 1, 1).into(), team: Team(31) });
    assert_eq!((run.row(A).team, run.row(B).team), (31, 0));
    run.refuses(Command::Team { agents: A.into(), team: Team(32) }, RefusalReason::UnknownTeam);
}

#[test]
fn the_agent_of_higher_priority_goes_first() {
    let grid = || map(&[".....", "WW.WW", "....."], GridShape::Square);
    let first_through = |priority| {
        let agents = [at(WALKER, 1, 0, 0), at(WALKER, 3, 0, 0)];
        let mut run = Checked::on(grid(), &agents);
        run.world.command(Command::Priority { agents: B.into(), priority });
        run.world.command(Command::order(A, Order::goto(cell(1, 2))));
        run.world.command(Command::order(B, Order::goto(cell(3, 2))));
        loop {
            run.step();
            if let Some(agent) = run.world.agent_at(cell(2, 1)) {
                return agent;
            }
        }
    };
    assert_eq!((first_through(5), first_through(-5)), (B, A));
}

// Edits.

#[test]
fn an_edit_of_many_changes_is_one_revision() {
    let mut run = Checked::on(open(8, 4), &[at(WALKER, 0, 0, 0)]);
    let before = run.world.grid().revision();
    let sides = Change::Side { cell: cell(5, 2), side: Side::East, kind: SideKind::WALL };
    let changes =
        [flood(3, 0, 1, 1), flood(3, 3, 1, 1), sides, Change::Rotate { cell: cell(5, 2), turns: 1 }];
    let ticket = run.does(edit(changes, OnAgents::Wait));
    assert_eq!(run.world.grid().revision(), before + 1);
    assert_eq!(run.world.events().len(), 1);
    let done = run.world.events()[0];
    assert_eq!((done.kind(), done.ticket), (Some(EventKind::EditDone), ticket.0));
    let at = run.world.grid().size().cell(cell(5, 2)).unwrap();
    assert_eq!(run.world.grid().side_of(at, Side::North), SideKind::WALL);
    // Of two changes of a cell the later one counts.
    let ground = Change::Terrain { area: Rect::new(3, 0, 1, 1), kind: GROUND };
    run.does(edit([ground, flood(3, 0, 1, 1), ground], OnAgents::Wait));
    assert_eq!(run.world.grid().terrain_at(cell(3, 0)), Some(GROUND));
}

#[test]
fn an_edit_waits_as_a_whole_until_it_disturbs_nobody() {
    let mut run = Checked::on(open(8, 2), &[at(WALKER, 2, 0, 0), at(WALKER, 6, 1, 0)]);
    run.does(Command::hold(A));
    assert_eq!(run.world.would_disturb(&[flood(2, 0, 1, 1), flood(6, 1, 1, 1)]), Ok(vec![A, B]));
    let ticket = run.does(edit([flood(2, 0, 1, 1), flood(5, 0, 1, 1)], OnAgents::Wait));
    let waits = run.world.events()[0];
    assert_eq!((waits.kind(), waits.a, waits.ticket), (Some(EventKind::EditWaits), 1, ticket.0));
    assert_eq!((run.world.edits_pending(), run.world.grid().terrain_at(cell(5, 0))), (1, Some(GROUND)));
    // Until then nobody enters its cells, nor is placed there.
    run.refuses(Command::Spawn(at(WALKER, 5, 0, 0)), RefusalReason::PoseHeld);
    assert_eq!(run.world.can_place(WALKER, pose(5, 0, 0)), Err(RefusalReason::PoseHeld));
    run.does(Command::order(B, Order::goto(cell(5, 0))));
    run.steps(30);
    assert_ne!(run.cell(B), cell(5, 0));
    run.does(Command::order(A, Order::goto(cell(0, 0))));
    run.steps(8);
    assert_eq!((run.world.edits_pending(), run.world.grid().terrain_at(cell(5, 0))), (0, Some(WATER)));
    let done = run.told.iter().find(|row| row.kind() == Some(EventKind::EditDone)).unwrap();
    assert_eq!((done.ticket, done.a), (ticket.0, waits.tick));
}

/// A building on the beat of a guard: the guard leaves, and its patrol ends once there is no waypoint left.
#[test]
fn a_patrol_whose_waypoints_are_to_be_built_on_is_sent_off() {
    let mut run = Checked::on(open(12, 6), &[at(WALKER, 4, 2, 0)]);
    run.does(Command::order(A, Order::patrol(&[cell(4, 2), cell(6, 2)])));
    run.steps(20);
    run.does(edit([flood(3, 1, 5, 3)], OnAgents::Wait));
    assert_eq!(run.world.edits_pending(), 1);
    run.steps(200);
    assert_eq!(run.world.edits_pending(), 0);
    let failed = run.told.iter().find(|row| row.kind() == Some(EventKind::OrderFailed)).unwrap();
    assert_eq!((failed.agent, failed.c), (A.0, UnreachableReason::GoalBlocked as u32));
    assert_eq!(run.row(A).order_kind, AgentRow::NO_ORDER);
    // With a waypoint outside it goes there, as before.
    let mut run = Checked::on(open(12, 6), &[at(WALKER, 4, 2, 0)]);
    run.does(Command::order(A, Order::patrol(&[cell(4, 2), cell(10, 2)])));
    run.does(edit([flood(3, 1, 5, 3)], OnAgents::Wait));
    run.steps(60);
    assert_eq!(run.world.edits_pending(), 0);
}

#[test]
fn an_edit_that_waits_can_be_cancelled() {
    let mut run = Checked::on(open(8, 2), &[at(WALKER, 2, 0, 0), at(WALKER, 6, 1, 0)]);
    run.does(Command::hold(A));
    let ticket = run.does(edit([flood(2, 0, 1, 1), flood(5, 0, 1, 1)], OnAgents::Wait));
    let other = run.does(edit([flood(2, 0, 1, 2)], OnAgents::Wait));
    assert_eq!(run.world.edits_pending(), 1);
    run.refuses(Command::CancelEdit(ticket), RefusalReason::NoSuchEdit);
    let cancel = run.does(Command::CancelEdit(other));
    let event = run.world.events()[0];
    assert_eq!(
        (event.kind(), event.edit(), event.ticket),
        (Some(EventKind::EditCancelled), Some(other), cancel.0)
    );
    assert_eq!(run.world.edits_pending(), 0);
    run.refuses(Command::CancelEdit(other), RefusalReason::NoSuchEdit);
    // Its cells may be entered again, and nothing comes of it once they are free.
    run.does(Command::order(B, Order::goto(cell(2, 1))));
    run.steps_until_at(B, cell(2, 1), 40);
    run.does(Command::order(vec![A, B], Order::goto_group(cell(7, 0))));
    run.steps(60);
    assert_eq!(run.world.grid().terrain_at(cell(2, 0)), Some(GROUND));
}

/// A building goes up, its cells are razed while it waits, and nothing of it comes.
#[test]
fn a_later_edit_replaces_what_waits_for_the_same_cells() {
    let ground = |x, y, width, height| Change::Terrain { area: Rect::new(x, y, width, height), kind: GROUND };
    let mut run = Checked::on(open(8, 3), &[at(WALKER, 2, 0, 0), at(WALKER, 6, 1, 0)]);
    run.does(Command::hold(A));
    let build = run.does(edit([flood(1, 0, 4, 2), flood(7, 0, 1, 1)], OnAgents::Wait));
    // The hole is in the middle of the first change. Nobody stands on the rest of it.
    let raze = run.does(edit([ground(2, 0, 2, 3)], OnAgents::Wait));
    let event = run.world.events()[0];
    assert_eq!(
        (event.kind(), event.edit(), event.ticket),
        (Some(EventKind::EditReplaced), Some(build), raze.0)
    );
    assert_eq!((event.c, run.world.edits_pending()), (3, 0));
    let terrain = |run: &Checked, x| run.world.grid().terrain_at(cell(x, 0));
    let expected = [GROUND, WATER, GROUND, GROUND, WATER, GROUND, GROUND, WATER];
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|x| terrain(&run, x)), expected.map(Some));
    // Of an edit that is replaced as a whole nothing waits.
    run.does(edit([flood(2, 0, 1, 1)], OnAgents::Wait));
    run.does(edit([ground(0, 0, 8, 3)], OnAgents::Wait));
    let replaced = run.told.iter().filter(|row| row.kind() == Some(EventKind::EditReplaced)).map(|row| row.c);
    assert_eq!(replaced.collect::<Vec<_>>(), [3, 0]);
    assert_eq!((run.world.edits_pending(), terrain(&run, 2)), (0, Some(GROUND)));
}

/// A scenario lists its edits together: a later one leaves an earlier one as it is.
#[test]
fn an_edit_of_the_setup_replaces_nothing() {
    let mut setup = setup_on(open(8, 3));
    setup.agents.push(at(WALKER, 2, 0, 0).with_orders([Order::wait(9), Order::goto(cell(6, 2))]));
    let razed = Change::Terrain { area: Rect::new(2, 0, 2, 3), kind: GROUND };
    setup.scheduled =
        vec![(1, edit([flood(1, 0, 4, 2)], OnAgents::Wait)), (2, edit([razed], OnAgents::Wait))];
    let mut run = Checked::new(World::new(setup).unwrap());
    run.steps(4);
    assert_eq!(run.world.edits_pending(), 1);
    run.steps(30);
    let terrain = [1, 2, 3, 4].map(|x| run.world.grid().terrain_at(cell(x, 1)));
    assert_eq!((run.world.edits_pending(), terrain), (0, [Some(WATER); 4]));
}

#[test]
fn an_edit_strands_or_removes() {
    let mut run = Checked::on(open(8, 2), &[at(WALKER, 2, 0, 0), at(WALKER, 6, 1, 0)]);
    run.does(edit([flood(2, 0, 1, 1), flood(0, 1, 1, 1)], OnAgents::Strand));
    assert!(run.row(A).has(AgentRow::STRANDED));
    run.does(Command::order(A, Order::goto(cell(5, 0))));
    run.steps(5);
    assert_eq!((run.cell(A), run.world.reason_for_waiting(A)), (cell(2, 0), Some(WaitReason::Stranded)));
    run.does(edit([Change::Terrain { area: Rect::new(0, 0, 8, 2), kind: GROUND }], OnAgents::Wait));
    run.steps_until_at(A, cell(5, 0), 20);
    run.does(edit([flood(6, 0, 1, 2), flood(5, 0, 1, 1)], OnAgents::Remove));
    assert_eq!(events(&run.world, EventKind::Removed), [(0, 0), (1, 0)]);
    assert_eq!(run.world.counts().removed, 2);
}

/// An edit that still waits is carried out at its deadline, before the commands of that tick.
#[test]
fn an_edit_with_a_deadline_strands_or_removes_then() {
    for (deadline, then) in [0, 1, 7]
        .into_iter()
        .flat_map(|ticks| [AtDeadline::Strand, AtDeadline::Remove].map(|then| (ticks, then)))
    {
        let mut run = Checked::on(open(8, 2), &[at(WALKER, 2, 0, 0), at(WALKER, 6, 1, 0)]);
        // Else it would be sent off.
        run.does(Command::hold(A));
        let ticket = run.does(edit([flood(2, 0, 1, 1)], OnAgents::WaitUntil { deadline, then }));
        let asked = run.world.tick() - 1;
        while run.world.tick() < asked + deadline {
            assert_eq!((run.world.edits_pending(), run.world.nothing_left()), (1, false));
            run.step();
        }
        if deadline > 0 {
            assert_eq!(run.world.edits_pending(), 1);
            // It comes too late to save the walker.
            run.does(Command::order(A, Order::goto(cell(0, 0))));
        }
        let done = run.world.events().iter().find(|row| row.kind() == Some(EventKind::EditDone)).unwrap();
        assert_eq!((done.tick, done.a, done.ticket), (asked + deadline, asked, ticket.0));
        assert_eq!((run.world.edits_pending(), run.world.grid().terrain_at(cell(2, 0))), (0, Some(WATER)));
        let removed = u64::from(then == AtDeadline::Remove);
        assert_eq!((run.world.counts().removed, run.world.agents().len()), (removed, 2 - removed as usize));
        assert!(removed == 1 || run.row(A).has(AgentRow::STRANDED));
    }
}

/// Up to its deadline an edit waits like any other: it is carried out once it disturbs nobody, and nobody comes in.
#[test]
fn an_edit_with_a_deadline_does_not_wait_for_it() {
    let mut run = Checked::on(open(8, 1), &[at(WALKER, 2, 0, 0), at(WALKER, 4, 0, 0)]);
    let until = OnAgents::WaitUntil { deadline: 40, then: AtDeadline::Remove };
    run.does(Command::hold(A));
    run.does(edit([flood(2, 0, 1, 1)], until));
    run.does(Command::order(B, Order::goto(cell(0, 0))));
    run.does(Command::order(A, Order::goto(cell(0, 0))));
    run.steps(6);
    assert_eq!((run.world.edits_pending(), run.world.grid().terrain_at(cell(2, 0))), (0, Some(WATER)));
    run.steps(60);
    assert_eq!((run.world.counts().removed, run.cell(A)), (0, cell(0, 0)));
    assert!(run.cell(B).x > 2);
}

/// Worlds that differ in nothing but the deadline of an edit that waits differ in their hashes.
#[test]
fn deadlines_are_part_of_the_state() {
    let until = |deadline, then| OnAgents::WaitUntil { deadline, then };
    let all = [
        OnAgents::Wait,
        until(9, AtDeadline::Strand),
        until(10, AtDeadline::Strand),
        until(10, AtDeadline::Remove),
    ];
    let hashes = all.map(|on_agents| {
        let mut run = Checked::on(open(8, 1), &[at(WALKER, 2, 0, 0)]);
        run.does(Command::hold(A));
        run.does(edit([flood(2, 0, 1, 1)], on_agents));
        run.steps(3);
        run.world.state_hash()
    });
    assert!((1..hashes.len()).all(|at| !hashes[..at].contains(&hashes[at])), "{hashes:x?}");
}

#[test]
fn wrong_edits_are_refused_as_a_whole() {
    let mut run = Checked::on(open(8, 2), &[]);
    let wait = |changes: Vec<Change>| edit(changes, OnAgents::Wait);
    let kind = Change::Terrain { area: Rect::new(0, 0, 1, 1), kind: TerrainKind(200) };
    run.refuses(wait(vec![flood(3, 0, 1, 1), kind]), RefusalReason::WrongEdit);
    assert_eq!(run.world.grid().terrain_at(cell(3, 0)), Some(GROUND));
    let side = |cell, side, kind| Change::Side { cell, side, kind: SideKind(kind) };
    run.refuses(wait(vec![side(cell(0, 0), Side::East, 9)]), RefusalReason::WrongEdit);
    run.refuses(wait(vec![side(cell(8, 0), Side::East, 1)]), RefusalReason::WrongEdit);
    run.refuses(wait(vec![side(cell(1, 0), Side::NorthEast, 1)]), RefusalReason::WrongEdit);
    run.refuses(wait(vec![Change::Rotate { cell: cell(-1, 0), turns: i32::MIN }]), RefusalReason::WrongEdit);
    run.refuses(wait(vec![flood(0, 0, 1, 1); CHANGES_MAX + 1]), RefusalReason::TooLong);
    assert_eq!(run.world.grid().revision(), 0);
    // Partly off the map is right.
    run.does(wait(vec![flood(7, -5, u32::MAX, 6)]));
    assert_eq!(run.world.grid().terrain_at(cell(7, 0)), Some(WATER));
}

// Paths from the host.

fn host_world(agents: &[Spawn]) -> Checked {
    let mut setup = setup_on(open(12, 3));
    setup.agents = agents.to_vec();
    setup.paths = PathSource::Host;
    Checked::new(World::new(setup).unwrap())
}

fn answer(agent: AgentId, moves: &[u8]) -> Command {
    Command::PathAnswer { agent, moves: Some(moves.into()) }
}

#[test]
fn the_host_answers_paths_and_wrong_ones_are_refused() {
    let mut run = host_world(&[at(WALKER, 1, 1, 0), at(WALKER, 9, 1, 0)]);
    run.refuses(answer(A, &[0]), RefusalReason::NoRequest);
    run.does(Command::order(A, Order::goto(cell(3, 0))));
    let asked: Vec<AgentId> = run.world.path_requests().map(|(agent, _)| agent).collect();
    assert_eq!(asked, [A]);
    run.steps(5);
    assert_eq!(run.row(A).activity(), Some(Activity::AwaitingPath));
    run.refuses(answer(AgentId(4), &[0]), RefusalReason::UnknownAgent);
    run.refuses(answer(B, &[0]), RefusalReason::NoRequest);
    // To another cell; with an unknown primitive; off the map; nowhere.
    for wrong in [&[0, 0][..], &[0, 0, 9], &[1, 1, 1, 0, 0], &[0, 0, 255], &[]] {
        run.refuses(answer(A, wrong), RefusalReason::WrongPath);
    }
    assert_eq!(run.row(A).activity(), Some(Activity::AwaitingPath));
    run.does(answer(A, &[0, 1, 0]));
    assert_eq!(run.row(A).activity(), Some(Activity::Following));
    run.steps_until_at(A, cell(3, 0), 20);
    run.steps(2);
    assert_eq!(run.count(EventKind::OrderDone, A), 1);
    run.does(Command::order(A, Order::goto(cell(5, 0))));
    run.does(Command::PathAnswer { agent: A, moves: None });
    assert_eq!(run.count(EventKind::OrderFailed, A), 1);
    assert_eq!(run.row(A).order_kind, AgentRow::NO_ORDER);
}

#[test]
fn an_answer_behind_other_orders_of_the_tick_is_late() {
    let mut run = host_world(&[at(CART, 1, 1, 0)]);
    run.does(Command::order(A, Order::goto(cell(3, 1))));
    run.world.command(Command::order(A, Order::goto_group(cell(3, 1))));
    run.refuses(answer(A, &[0, 0]), RefusalReason::NoRequest);
    run.steps(2);
    run.world.command(Command::Class { agent: A, class: WALKER, pose: None });
    run.refuses(answer(A, &[0, 0]), RefusalReason::NoRequest);
    run.steps(2);
    run.does(answer(A, &[0, 0]));
    run.steps_until_at(A, cell(3, 1), 20);
}

#[test]
fn a_request_is_answered_once_and_has_the_priority_of_its_agent() {
    let mut run = host_world(&[at(WALKER, 1, 0, 0), at(WALKER, 1, 1, 0), at(WALKER, 1, 2, 0)]);
    // Asked for out of the order of ids.
    for (agent, y) in [(AgentId(2), 2), (B, 1), (A, 0)] {
        run.does(Command::order(agent, Order::goto(cell(3, y))));
    }
    run.does(Command::Priority { agents: vec![A, AgentId(2)].into(), priority: 7 });
    let mut asked: Vec<(AgentId, i32)> =
        run.world.path_requests().map(|(agent, request)| (agent, request.priority)).collect();
    asked.sort_unstable();
    assert_eq!(asked, [(A, 7), (B, 0), (AgentId(2), 7)]);
    for agent in [B, AgentId(2), A] {
        run.world.command(answer(agent, &[0, 0]));
        run.refuses(answer(agent, &[0, 0]), RefusalReason::NoRequest);
    }
    assert_eq!(run.world.path_requests().count(), 0);
    run.steps_until_at(A, cell(3, 0), 20);
}

#[test]
fn a_pose_in_an_area_that_the_host_finds_no_way_to_is_given_up() {
    let mut run = host_world(&[at(WALKER, 1, 1, 0)]);
    run.does(Command::order(A, Order::goto_area(Rect::new(5, 0, 2, 2))));
    run.does(answer(A, &[0, 0, 0, 0]));
    run.steps(2);
    // An edit that makes moves easier has it ask again, to the assigned pose.
    run.does(edit([flood(3, 2, 1, 1)], OnAgents::Wait));
    run.does(edit([Change::Terrain { area: Rect::new(3, 2, 1, 1), kind: GROUND }], OnAgents::Wait));
    run.steps(3);
    assert_eq!(run.row(A).activity(), Some(Activity::AwaitingPath));
    run.does(Command::PathAnswer { agent: A, moves: None });
    // It asks for another pose; with no way to any the order is dropped.
    assert_eq!(run.world.path_requests().count(), 1);
    run.does(Command::PathAnswer { agent: A, moves: None });
    assert_eq!(run.count(EventKind::OrderFailed, A), 1);
}

// The queue.

#[test]
fn tickets_rise_and_commands_take_effect_in_their_order() {
    let mut run = Checked::on(open(12, 2), &[at(WALKER, 0, 0, 0)]);
    let priority = |priority| Command::Priority { agents: A.into(), priority };
    let mut tickets = vec![
        run.world.command(priority(1)),
        run.world.command_at(3, priority(5)),
        run.world.command_at(2, priority(3)),
        run.world.command_at(3, priority(6)),
    ];
    run.steps(3);
    // For tick 3, after the commands already there; a command for a past tick comes at the next.
    tickets.push(run.world.command(priority(7)));
    tickets.push(run.world.command_at(1, priority(8)));
    run.steps(3);
    assert_eq!(tickets, [0, 1, 2, 3, 4, 5].map(Ticket));
    let set = run.told.iter().filter(|row| row.kind() == Some(EventKind::PrioritySet));
    let set: Vec<(u32, u32)> = set.map(|row| (row.tick, row.a)).collect();
    assert_eq!(set, [(0, 1), (2, 3), (3, 5), (3, 6), (3, 7), (3, 8)]);
    // At u32::MAX, which never comes.
    run.world.command_at(u32::MAX, priority(9));
    run.steps(3);
    assert_eq!(run.world.scheduled_commands().len(), 1);
}

#[test]
fn orders_that_agents_begin_with_are_left_before_the_first_tick() {
    let mut spawn = at(WALKER, 0, 0, 0);
    assert!(Checked::on(open(12, 2), std::slice::from_ref(&spawn)).world.nothing_left());
    spawn.orders = [Order::goto(cell(2, 0))].into();
    let mut world = Checked::on(open(12, 2), &[spawn]).world;
    while !world.nothing_left() {
        world.step();
    }
    assert_eq!(world.counts().orders_done, 1);
}

#[test]
fn a_world_without_a_last_tick_idles_and_goes_on() {
    let mut run = Checked::on(open(12, 2), &[at(WALKER, 0, 0, 0)]);
    run.does(Command::order(A, Order::goto(cell(2, 0))));
    run.steps(50);
    assert!(run.world.nothing_left());
    run.does(Command::order(A, Order::goto(cell(5, 0))));
    assert!(!run.world.nothing_left());
    run.steps_until_at(A, cell(5, 0), 20);
    assert_eq!(run.world.step(), RunState::Running);
}

// Teams.

#[test]
fn a_wall_of_enemies_makes_a_goal_unreachable_until_it_moves() {
    let enemy = |y| Spawn { team: Team(1), ..at(WALKER, 5, y, 0) };
    let mut run = Checked::on(open(12, 3), &[at(WALKER, 0, 1, 0), enemy(0), enemy(1), enemy(2)]);
    let trip = Trip { if_unreachable: IfUnreachable::Wait, ..Trip::to(vec![GoalMember::any(cell(10, 1))]) };
    run.does(Command::order(A, Order::new(OrderKind::Goto(trip))));
    run.steps(60);
    let failed: Vec<_> = run.told.iter().filter(|row| row.kind() == Some(EventKind::OrderFailed)).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0].agent, failed[0].c), (A.0, UnreachableReason::Obstructed as u32));
    for id in 1..4 {
        assert_eq!(run.cell(AgentId(id)).x, 5, "an enemy was pushed");
    }
    run.does(Command::remove(AgentId(2)));
    run.steps_until_at(A, cell(10, 1), 400);
}

/// Sends A to a cell behind the enemies in the middle of a field; the order is kept if they obstruct it.
fn past_the_enemies() -> Command {
    let trip = Trip { if_unreachable: IfUnreachable::Wait, ..Trip::to(vec![GoalMember::any(cell(10, 1))]) };
    Command::order(A, Order::new(OrderKind::Goto(trip)))
}

#[test]
fn an_enemy_opens_the_way_by_taking_a_smaller_class() {
    let enemy = Spawn { team: Team(1), ..at(TRUCK, 5, 1, 1) };
    let mut run = Checked::on(open(12, 3), &[at(WALKER, 0, 1, 0), enemy]);
    run.does(past_the_enemies());
    run.steps(60);
    assert_eq!(run.count(EventKind::OrderFailed, A), 1);
    run.does(Command::Class { agent: B, class: WALKER, pose: None });
    run.steps_until_at(A, cell(10, 1), 400);
}

#[test]
fn an_enemy_that_leaves_during_a_search_in_vain_is_noticed() {
    let enemy = |class, y, heading| Spawn { team: Team(1), ..at(class, 5, y, heading) };
    let three = vec![enemy(WALKER, 0, 0), enemy(WALKER, 1, 0), enemy(WALKER, 2, 0)];
    // One of several leaves, or the only one.
    for (enemies, leaves) in [(three, 2), (vec![enemy(TRUCK, 1, 1)], 1)] {
        let mut setup = setup_on(open(12, 3));
        setup.agents = [vec![at(WALKER, 0, 1, 0)], enemies].concat();
        setup.settings.expansions_per_tick = 1;
        let mut run = Checked::new(World::new(setup).unwrap());
        run.does(past_the_enemies());
        run.steps(2);
        assert_eq!(run.row(A).activity(), Some(Activity::AwaitingPath));
        run.does(Command::remove(AgentId(leaves)));
        while run.row(A).activity() == Some(Activity::AwaitingPath) {
            run.step();
        }
        let failed: Vec<_> = run
            .told
            .iter()
            .filter(|row| row.kind() == Some(EventKind::OrderFailed))
            .map(|row| row.c)
            .collect();
        assert_eq!(failed, [UnreachableReason::Obstructed as u32]);
        run.steps_until_at(A, cell(10, 1), 400);
    }
}

#[test]
fn a_search_in_progress_follows_a_change_of_team() {
    // Enemies close the field; they are friends of the new team, so that the search must start over.
    let enemy = |y| Spawn { team: Team(1), ..at(WALKER, 5, y, 0) };
    let mut setup = setup_on(open(12, 3));
    setup.agents = vec![at(WALKER, 0, 1, 0), enemy(0), enemy(1), enemy(2)];
    setup.settings.expansions_per_tick = 1;
    let mut run = Checked::new(World::new(setup).unwrap());
    run.does(past_the_enemies());
    run.steps(2);
    assert_eq!(run.row(A).activity(), Some(Activity::AwaitingPath));
    run.does(Command::Team { agents: A.into(), team: Team(1) });
    while run.row(A).activity() == Some(Activity::AwaitingPath) {
        run.step();
    }
    assert_eq!(run.count(EventKind::OrderFailed, A), 0);
    run.steps_until_at(A, cell(10, 1), 400);
}

#[test]
fn leaders_in_a_setup_are_checked() {
    let behind = |leader| at(WALKER, 0, 0, 0).with_orders([Order::follow(AgentId(leader), 2)]);
    let made = |leader| {
        let mut setup = setup_on(open(6, 2));
        setup.agents = vec![behind(leader), at(WALKER, 3, 0, 0)];
        World::new(setup).map(|_| ()).map_err(|SetupErrors(errors)| errors)
    };
    let wrong = |reason| Err(vec![SetupError::Agent { number: 0, reason }]);
    // A leader may be placed after its follower.
    assert_eq!(made(1), Ok(()));
    assert_eq!(made(0), wrong(RefusalReason::WrongOrder));
    assert_eq!(made(2), wrong(RefusalReason::UnknownAgent));
}

// Questions.

#[test]
fn agents_in_an_area_are_those_that_hold_a_cell_of_it() {
    let mut run = Checked::on(open(14, 6), &[at(TRUCK, 2, 1, 0), at(WALKER, 8, 3, 0), at(TANK, 11, 5, 0)]);
    run.does(Command::order(B, Order::goto(cell(4, 3))));
    run.does(Command::order(A, Order::goto(cell(9, 1))));
    for _ in 0..20 {
        run.step();
        let size = run.world.grid().size().rect();
        let mut of_cell = Vec::new();
        for at in size.cells() {
            // One cell asks the occupancy; the whole map asks the agents.
            let found = run.world.agents_in(Rect::new(at.x, at.y, 1, 1));
            let holder = run.world.agent_at(at);
            assert!(holder.is_none_or(|holder| found.contains(&holder)));
            of_cell.extend(found);
        }
        of_cell.sort_unstable();
        of_cell.dedup();
        assert_eq!(run.world.agents_in(size), of_cell);
        let huge = Rect::new(i32::MIN, i32::MIN, u32::MAX, u32::MAX);
        assert_eq!(run.world.agents_in(huge), of_cell);
    }
    assert_eq!(run.world.agents_in(Rect::new(40, 0, 5, 5)), []);
    assert_eq!(run.world.agents_in(Rect::new(0, 0, 0, 5)), []);
    assert_eq!(run.world.agent_at(cell(-1, i32::MAX)), None);
}

#[test]
fn what_can_be_placed_can_be_spawned() {
    let grid = map(&["..W...", "......", "......"], GridShape::Square);
    let agents = [at(TRUCK, 2, 2, 0), at(WALKER, 5, 0, 0)];
    let world = || world_on(map(&["..W...", "......", "......"], GridShape::Square), &agents);
    for class in (0..5).map(ClassId) {
        for at in grid.size().rect().cells() {
            for heading in 0..3 {
                let pose = pose(at.x, at.y, heading);
                let mut world = world();
                let said = world.can_place(class, pose);
                world.command(Command::Spawn(Spawn::new(class, pose)));
                world.step();
                let refused = world.events().iter().find(|row| row.kind() == Some(EventKind::Refused));
                assert_eq!(said.err().map(|reason| reason as u32), refused.map(|row| row.a));
            }
        }
    }
}

#[test]
fn plan_and_reach_preview_what_an_agent_would_do() {
    let grid = map(&["....W...", "....W...", "........"], GridShape::Square);
    let mut run = Checked::on(grid, &[at(CART, 0, 0, 0), at(WALKER, 4, 2, 0)]);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let members = [GoalMember::any(cell(7, 0))];
    let goal = Goal::of(&members);
    let found = run.world.plan(A, goal, &mut scratch, &mut path).unwrap();
    assert_eq!(found.status, Status::Found);
    assert_eq!(run.world.plan(AgentId(9), goal, &mut scratch, &mut path), None);
    let reach = run.world.reach(A, 6).unwrap();
    assert_eq!(reach.within(6).count(), reach.within(6).filter(|&(_, ticks)| ticks <= 6).count());
    assert!(run.world.reach(AgentId(9), 6).is_none());
    // The agent on hold is no obstacle to itself.
    run.does(Command::hold(B));
    assert_eq!(run.world.plan(A, goal, &mut scratch, &mut path).unwrap().status, Status::Obstructed);
    assert_eq!(run.world.plan(B, goal, &mut scratch, &mut path).unwrap().status, Status::Found);
}

#[test]
fn reasons_for_waiting() {
    let mut run = Checked::on(lane(12), &[at(WALKER, 0, 0, 0), at(WALKER, 4, 0, 0)]);
    assert_eq!(run.world.reason_for_waiting(A), Some(WaitReason::None));
    assert_eq!(run.world.reason_for_waiting(AgentId(8)), None);
    run.does(Command::order(B, Order::wait(100)));
    assert_eq!(run.world.reason_for_waiting(B), Some(WaitReason::Dwelling));
    run.does(edit([flood(2, 0, 1, 1), flood(4, 0, 1, 1)], OnAgents::Wait));
    run.does(Command::order(A, Order::goto(cell(3, 0))));
    run.steps(6);
    // One body's length before the cells.
    let by_rule = WaitReason::Traffic(Reason::Edit { at: cell(2, 0) });
    assert_eq!((run.cell(A), run.world.reason_for_waiting(A)), (cell(0, 0), Some(by_rule)));
    let mut setup = setup_on(lane(12));
    let params = TrafficParams { keep_clear_quarters: 0, ..TrafficParams::USUAL };
    let (size, rule) = (setup.grid.size(), setup.settings.collision);
    setup.traffic = Box::new(Cooperative::new(&setup.tables, size, rule, params));
    setup.agents = vec![at(WALKER, 0, 0, 0), at(WALKER, 4, 0, 0)];
    let mut run = Checked::new(World::new(setup).unwrap());
    run.does(Command::order(B, Order::wait(100)));
    run.does(edit([flood(2, 0, 1, 1), flood(4, 0, 1, 1)], OnAgents::Wait));
    run.does(Command::order(A, Order::goto(cell(3, 0))));
    run.steps(6);
    assert_eq!((run.cell(A), run.world.reason_for_waiting(A)), (cell(1, 0), Some(WaitReason::Edit)));
    let mut host = host_world(&[at(WALKER, 1, 1, 0)]);
    host.does(Command::order(A, Order::goto(cell(3, 1))));
    assert_eq!(host.world.reason_for_waiting(A), Some(WaitReason::Path));
}

#[test]
fn selections_name_agents_once_and_refuse_each_unknown_one() {
    let mut run = Checked::on(open(8, 4), &[at(WALKER, 0, 0, 0), at(WALKER, 2, 0, 0)]);
    let named = AgentSelection::Named(vec![B, AgentId(9), A, B, AgentId(u32::MAX)]);
    run.does(Command::Priority { agents: named, priority: 1 });
    assert_eq!(events(&run.world, EventKind::PrioritySet), [(0, 1), (1, 1)]);
    let unknown = RefusalReason::UnknownAgent as u32;
    assert_eq!(events(&run.world, EventKind::Refused), [(9, unknown), (u32::MAX, unknown)]);
    run.does(Command::Priority { agents: Rect::new(i32::MIN, 0, u32::MAX, 1).into(), priority: 2 });
    assert_eq!(events(&run.world, EventKind::PrioritySet), [(0, 2), (1, 2)]);
    run.does(Command::Priority { agents: Rect::new(5, 0, 0, 0).into(), priority: 2 });
    assert_eq!(run.world.events(), []);
}
