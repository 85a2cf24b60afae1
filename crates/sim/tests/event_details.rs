//! What each kind of event says beyond its row.

use crate::common::{CART, Checked, TRUCK, WALKER, at, cell, map, open, pose, setup_on};
use wheelbase_grid::{Change, GridShape, Rect, TerrainKind};
use wheelbase_planner::GoalMember;
use wheelbase_planner::model::Reached;
use wheelbase_planner::search::Fallback;
use wheelbase_sim::{
    AgentId, ClassId, Command, EventDetails, EventKind, Host, MapEdit, OnAgents, Order, OrderKind,
    RefusalReason, Spawn, Team, Ticket, Trip, World,
};

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);
const WATER: TerrainKind = TerrainKind(2);
const NOTHING: EventDetails<'static> = EventDetails {
    ticket: None,
    reached: None,
    blocker: None,
    area: None,
    class: None,
    team: None,
    pose: None,
    agents: &[],
};

/// Details of the first event of a kind at the last tick.
fn found(world: &World, kind: EventKind) -> Option<EventDetails<'_>> {
    let index = world.events().iter().position(|row| row.kind() == Some(kind))?;
    Some(world.event_details(index))
}

/// Details of the next event of a kind, within 200 ticks.
fn next(run: &mut Checked, kind: EventKind) -> EventDetails<'_> {
    let steps = (0..200).find(|_| {
        let is_there = found(&run.world, kind).is_some();
        if !is_there {
            run.step();
        }
        is_there
    });
    assert!(steps.is_some(), "no {} within 200 ticks", kind.name());
    found(&run.world, kind).unwrap()
}

fn of(ticket: Ticket) -> EventDetails<'static> {
    EventDetails { ticket: Some(ticket), ..NOTHING }
}

fn flood(area: Rect, on_agents: OnAgents) -> Command {
    Command::Edit(MapEdit { on_agents, ..MapEdit::new(Change::Terrain { area, kind: WATER }) })
}

#[test]
fn an_order_done_says_where_it_ended_and_who_gave_it() {
    let grid = map(&["....W..", "....W.."], GridShape::Square);
    let mut run = Checked::on(grid, &[at(WALKER, 0, 0, 0).with_orders([Order::wait(3)])]);
    assert_eq!(next(&mut run, EventKind::OrderDone), NOTHING);
    let ticket = run.does(Command::order(A, Order::goto(cell(2, 0))));
    assert_eq!(found(&run.world, EventKind::Ordered), Some(of(ticket)));
    let expected = EventDetails { reached: Some(Reached::Goal), ..of(ticket) };
    assert_eq!(next(&mut run, EventKind::OrderDone), expected);
    let trip = Trip { fallback: Fallback::Nearest, ..Trip::to(vec![GoalMember::any(cell(6, 0))]) };
    let ticket = run.does(Command::order(A, Order::new(OrderKind::Goto(trip))));
    let expected = EventDetails { reached: Some(Reached::Nearest), ..of(ticket) };
    assert_eq!(next(&mut run, EventKind::OrderDone), expected);
    let ticket = run.does(Command::order(A, Order::goto(cell(6, 0))));
    assert_eq!(next(&mut run, EventKind::OrderFailed), of(ticket));
}

#[test]
fn tickets_of_orders_are_saved() {
    let mut run = Checked::on(open(8, 1), &[at(CART, 0, 0, 0)]);
    run.does(Command::order(A, Order::goto(cell(2, 0))));
    let ticket = run.does(Command::append(A, Order::goto(cell(5, 0))));
    // Its list is stored again for another number of headings.
    run.does(Command::Class { agent: A, class: WALKER, pose: None });
    let mut loaded = World::load(&run.world.save().unwrap(), Host::default()).unwrap();
    let done = |world: &World| found(world, EventKind::OrderDone).and_then(|details| details.ticket);
    let mut last = None;
    for _ in 0..60 {
        loaded.step();
        run.step();
        assert_eq!(done(&loaded), done(&run.world));
        last = done(&loaded).or(last);
    }
    assert_eq!(last, Some(ticket));
}

#[test]
fn an_obstructed_order_names_who_holds_its_goal_or_the_way() {
    let enemy = |class, x, y, heading| Spawn { team: Team(1), ..at(class, x, y, heading) };
    let fails = |agents: &[Spawn], order: Order| {
        let mut run = Checked::on(open(12, 3), agents);
        let ticket = run.does(Command::order(A, order));
        let expected = EventDetails { blocker: Some(B), ..of(ticket) };
        assert_eq!(next(&mut run, EventKind::OrderFailed), expected);
    };
    let one = at(WALKER, 0, 1, 0);
    fails(&[one.clone(), enemy(WALKER, 8, 1, 0)], Order::goto(cell(8, 1)));
    fails(&[one.clone(), enemy(TRUCK, 5, 1, 1)], Order::goto(cell(8, 1)));
    fails(&[one.clone(), enemy(TRUCK, 8, 1, 0)], Order::goto_area(Rect::new(7, 1, 3, 1)));
    fails(&[one, enemy(TRUCK, 5, 1, 1)], Order::goto_group(cell(8, 1)));
}

#[test]
fn a_refusal_names_who_holds_the_pose() {
    let mut run = Checked::on(open(8, 3), &[at(WALKER, 3, 0, 0), at(WALKER, 2, 1, 0)]);
    let spawn = Spawn { team: Team(4), ..at(TRUCK, 3, 1, 0) };
    let ticket = run.does(Command::Spawn(spawn));
    let asked = EventDetails {
        class: Some(TRUCK),
        team: Some(Team(4)),
        pose: Some(pose(3, 1, 0)),
        blocker: Some(B),
        ..of(ticket)
    };
    assert_eq!(found(&run.world, EventKind::Refused), Some(asked));
    // A change of class is no obstacle to itself.
    let ticket = run.does(Command::Class { agent: A, class: TRUCK, pose: Some(pose(3, 1, 0)) });
    let asked = EventDetails { team: Some(Team(0)), ..asked };
    assert_eq!(found(&run.world, EventKind::Refused), Some(EventDetails { ticket: Some(ticket), ..asked }));
    // An edit waits for the cells: nobody is in the way.
    run.does(Command::hold(A));
    run.does(flood(Rect::new(3, 0, 9, 1), OnAgents::Wait));
    let ticket = run.does(Command::Spawn(at(CART, 6, 0, 0)));
    let asked = EventDetails {
        class: Some(CART),
        team: Some(Team(0)),
        pose: Some(pose(6, 0, 0)),
        area: Some(Rect::new(3, 0, 5, 1)),
        ..of(ticket)
    };
    assert_eq!(found(&run.world, EventKind::Refused), Some(asked));
    // A refusal without a pose repeats the question.
    run.refuses(Command::Spawn(at(ClassId(9), 6, 0, 0)), RefusalReason::UnknownClass);
    let asked = found(&run.world, EventKind::Refused).unwrap();
    assert_eq!((asked.class, asked.blocker), (Some(ClassId(9)), None));
    run.refuses(Command::Class { agent: A, class: ClassId(9), pose: None }, RefusalReason::UnknownClass);
    run.refuses(Command::Class { agent: AgentId(99), class: CART, pose: None }, RefusalReason::UnknownAgent);
    // In mid-move the change waits, and is then refused with the same details.
    run.does(Command::order(B, Order::goto(cell(2, 2))));
    while !run.row(B).is_moving() {
        run.step();
    }
    let ticket = run.does(Command::Class { agent: B, class: TRUCK, pose: Some(pose(3, 0, 0)) });
    let details = next(&mut run, EventKind::Refused);
    assert_eq!((details.ticket, details.blocker), (Some(ticket), Some(A)));
}

#[test]
fn an_edit_says_its_area_and_for_whom_it_waits() {
    let trucks: Vec<Spawn> = (0..10).map(|x| at(WALKER, x, 1, 0).with_orders([Order::hold()])).collect();
    let mut run = Checked::on(open(12, 3), &trucks);
    run.step();
    let on_map = Rect::new(1, 1, 11, 1);
    let ticket = run.does(flood(Rect::new(1, 1, 99, 1), OnAgents::Wait));
    let first: Vec<AgentId> = (1..9).map(AgentId).collect();
    let expected = EventDetails { area: Some(on_map), agents: &first, ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::EditWaits), Some(expected));
    assert_eq!(run.world.events()[0].a, 9);
    // They are saved with it.
    let mut loaded = World::load(&run.world.save().unwrap(), Host::default()).unwrap();
    for world in [&mut run.world, &mut loaded] {
        world.command(Command::remove(Rect::new(0, 0, 12, 3)));
        world.step();
        assert_eq!(found(world, EventKind::EditDone), Some(expected));
    }
    // Edits that wait for nobody, are withdrawn, and are replaced.
    let mut run = Checked::on(open(12, 3), &trucks[..1]);
    run.step();
    let ticket = run.does(flood(Rect::new(4, 0, 2, 2), OnAgents::Wait));
    let expected = EventDetails { area: Some(Rect::new(4, 0, 2, 2)), ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::EditDone), Some(expected));
    let area = Rect::new(0, 0, 2, 2);
    let waits = run.does(flood(area, OnAgents::Wait));
    let ticket = run.does(Command::CancelEdit(waits));
    let expected = EventDetails { area: Some(area), ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::EditCancelled), Some(expected));
    run.does(flood(area, OnAgents::Wait));
    let ticket = run.does(flood(Rect::new(1, 0, 1, 3), OnAgents::Wait));
    let expected = EventDetails { area: Some(area), ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::EditReplaced), Some(expected));
}

#[test]
fn a_removal_says_what_is_gone() {
    let agents = [Spawn { team: Team(2), ..at(TRUCK, 4, 1, 1) }, at(WALKER, 8, 1, 0)];
    let mut run = Checked::on(open(12, 3), &agents);
    let ticket = run.does(Command::remove(A));
    let last =
        EventDetails { class: Some(TRUCK), team: Some(Team(2)), pose: Some(pose(4, 1, 1)), ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::Removed), Some(last));
    // By an edit, whose command is the cause.
    let ticket = run.does(flood(Rect::new(8, 0, 1, 3), OnAgents::Remove));
    let last =
        EventDetails { class: Some(WALKER), team: Some(Team(0)), pose: Some(pose(8, 1, 0)), ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::Removed), Some(last));
}

#[test]
fn other_events_say_which_command_is_their_cause() {
    let mut run = Checked::on(open(12, 3), &[at(CART, 0, 1, 0)]);
    let ticket = run.does(Command::Spawn(Spawn { team: Team(3), ..at(CART, 4, 1, 2) }));
    let spawned =
        EventDetails { class: Some(CART), team: Some(Team(3)), pose: Some(pose(4, 1, 2)), ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::Spawned), Some(spawned));
    let ticket = run.does(Command::Class { agent: B, class: WALKER, pose: None });
    let changed = EventDetails { class: Some(WALKER), pose: Some(pose(4, 1, 0)), ..of(ticket) };
    assert_eq!(found(&run.world, EventKind::ClassSet), Some(changed));
    let ticket = run.does(Command::Team { agents: B.into(), team: Team(5) });
    assert_eq!(
        found(&run.world, EventKind::TeamSet),
        Some(EventDetails { team: Some(Team(5)), ..of(ticket) })
    );
    let ticket = run.does(Command::Priority { agents: B.into(), priority: 2 });
    assert_eq!(found(&run.world, EventKind::PrioritySet), Some(of(ticket)));
    // A path is nobody's command.
    run.does(Command::order(A, Order::goto(cell(2, 1))));
    assert_eq!(found(&run.world, EventKind::PathFound), Some(NOTHING));
    assert_eq!(run.world.event_details(usize::MAX), NOTHING);
    run.step();
    assert_eq!(run.world.event_details(0), NOTHING);
}

#[test]
fn who_is_blocked_says_by_whom() {
    let mut run = Checked::on(open(8, 1), &[at(WALKER, 0, 0, 0), at(WALKER, 2, 0, 0)]);
    run.does(Command::order(A, Order::goto(cell(6, 0))));
    run.does(Command::order(B, Order::goto(cell(0, 0))));
    let by = next(&mut run, EventKind::Blocked).blocker;
    let row = run.world.events().iter().find(|row| row.kind() == Some(EventKind::Blocked)).unwrap();
    assert_eq!(by, Some(AgentId(row.a)));
}

/// Orders of the placement that a command of the same tick replaces are left out, and details follow.
#[test]
fn details_stay_with_their_events_when_others_are_left_out() {
    let mut setup = setup_on(open(8, 1));
    let spawn = at(WALKER, 0, 0, 0).with_orders([Order::goto(cell(4, 0)), Order::goto(cell(2, 0))]);
    setup.scheduled = vec![(1, Command::Spawn(spawn))];
    let mut run = Checked::new(World::new(setup).unwrap());
    run.step();
    let ticket = run.does(Command::order(A, Order::goto(cell(7, 0))));
    let kinds: Vec<_> = run.world.events().iter().filter_map(|row| row.kind()).collect();
    assert_eq!(kinds[..2], [EventKind::Spawned, EventKind::Ordered]);
    assert_eq!(run.world.event_details(0).pose, Some(pose(0, 0, 0)));
    assert_eq!(run.world.event_details(1), of(ticket));
    assert_eq!(kinds.get(2).map(|_| run.world.event_details(2)), Some(NOTHING));
}
