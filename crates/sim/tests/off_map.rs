//! Agents leave the map and come back with what they had.

use crate::common::{CART, Checked, TANK, WALKER, at, cell, map, open, pose, setup_on};
use wheelbase_grid::GridShape;
use wheelbase_sim::{
    AgentId, AgentSelection, Command, EventKind, EventRow, Host, Name, Order, OrderKind, RefusalReason,
    RunState, Settings, Team, World,
};

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);
const C: AgentId = AgentId(2);

fn events(world: &World, kind: EventKind) -> Vec<EventRow> {
    world.events().iter().filter(|event| event.kind() == Some(kind)).copied().collect()
}

/// A unit that drives enters a transport in mid-move. It comes back with id, name, components and both orders.
#[test]
fn a_unit_comes_back_with_what_it_had() {
    let mut run = Checked::on(open(20, 8), &[at(CART, 1, 2, 0), at(TANK, 9, 5, 0), at(WALKER, 19, 4, 0)]);
    run.world.name_agent(A, "scout");
    let entity = run.world.entity(A).unwrap();
    run.world.entities_mut().insert_one(entity, 7_u64).unwrap();
    run.does(Command::orders(A, [Order::goto(cell(18, 2)), Order::goto(cell(1, 2))]));
    run.does(Command::Priority { agents: A.into(), priority: 3 });
    run.does(Command::Team { agents: A.into(), team: Team(2) });
    run.steps(6);
    assert!(run.row(A).is_moving());
    run.does(Command::enter(A, B));
    assert_eq!(run.world.agent(A), None);
    let (entered, details) = (events(&run.world, EventKind::Entered), run.world.event_details(0));
    assert_eq!((entered.len(), entered[0].agent, entered[0].a), (1, A.0, B.0));
    assert_eq!((details.class, details.team), (Some(CART), Some(Team(2))));
    let off: Vec<_> = run.world.off_map().copied().collect();
    assert_eq!((off.len(), off[0].id, off[0].container, off[0].priority), (1, A, B, 3));
    // It is nowhere on the map, asks for nothing and blocks nobody.
    assert!((0..20).all(|x| run.world.agent_at(cell(x, 2)).is_none()));
    let asked = run.world.counts().path_requests;
    run.does(Command::order(C, Order::goto(cell(0, 2))));
    run.steps(100);
    assert_eq!((run.cell(C), run.world.counts().path_requests), (cell(0, 2), asked + 1));
    // Other commands do not reach it.
    run.refuses(Command::stop(A), RefusalReason::OffMap);
    run.refuses(Command::enter(A, B), RefusalReason::OffMap);
    run.refuses(Command::order(C, Order::follow(A, 2)), RefusalReason::UnknownAgent);
    run.refuses(Command::enter(C, C), RefusalReason::UnknownAgent);
    run.refuses(Command::enter(C, AgentId(9)), RefusalReason::UnknownAgent);
    run.refuses(Command::leave(B, pose(1, 1, 0)), RefusalReason::OnMap);
    run.refuses(Command::leave(AgentId(9), pose(1, 1, 0)), RefusalReason::UnknownAgent);
    let held = run.row(C).pose();
    let exact = |pose| Command::Leave { agent: A, pose, or_nearest: false };
    run.refuses(exact(held), RefusalReason::PoseHeld);
    run.refuses(exact(pose(-1, 1, 0)), RefusalReason::IllegalPose);
    run.does(exact(pose(3, 3, 0)));
    let left = events(&run.world, EventKind::Left);
    assert_eq!((left.len(), left[0].agent, left[0].a), (1, A.0, u32::from(CART.0)));
    assert_eq!((run.world.off_map().len(), run.world.entity(A)), (0, Some(entity)));
    assert_eq!(*run.world.entities().get::<&u64>(entity).unwrap(), 7);
    assert_eq!(run.world.entities().get::<&Name>(entity).unwrap().0.as_ref(), "scout");
    assert_eq!((run.row(A).team, run.world.agents().iter().map(|row| row.id).collect()), (2, vec![0, 1, 2]));
    run.steps_until_at(A, cell(18, 2), 200);
    run.steps_until_at(A, cell(1, 2), 200);
    run.step();
    assert_eq!(run.count(EventKind::OrderDone, A), 2);
}

/// The nearest free pose counts, and none behind a wall.
#[test]
fn units_leave_to_the_nearest_pose_they_can_reach() {
    let grid = map(&["....@...", "....@...", "....@...", "@@@@@..."], GridShape::Square);
    let mut run = Checked::on(grid, &(0..3).map(|y| at(WALKER, 3, y, 0)).collect::<Vec<_>>());
    run.does(Command::enter(A, AgentId::NOBODY));
    run.does(Command::Enter { agents: vec![C, B].into(), container: AgentId::NOBODY });
    assert_eq!((run.world.agents().len(), run.world.off_map().len()), (0, 3));
    for agent in [B, A, C] {
        run.does(Command::leave(agent, pose(3, 1, 0)));
    }
    let cells: Vec<_> = [B, A, C].map(|agent| run.cell(agent)).to_vec();
    assert_eq!(cells, [cell(3, 1), cell(3, 0), cell(2, 1)]);
    // A pose in the wall is a door: poses of both sides count.
    run.does(Command::enter(A, B));
    run.does(Command::leave(A, pose(4, 1, 0)));
    assert_eq!(run.cell(A), cell(5, 1));
    // No room at all.
    let mut full = Checked::on(open(2, 1), &[at(WALKER, 0, 0, 0), at(WALKER, 1, 0, 0)]);
    full.does(Command::enter(A, B));
    full.does(Command::Spawn(at(WALKER, 0, 0, 0)));
    full.refuses(Command::leave(A, pose(0, 0, 0)), RefusalReason::NoRoom);
    assert_eq!(full.world.off_map().len(), 1);
}

/// Commands of one tick: a unit enters, comes back and is ordered on; another is removed inside.
#[test]
fn commands_of_one_tick_follow_one_another() {
    let mut run = Checked::on(open(12, 4), &[at(CART, 1, 1, 0), at(CART, 5, 1, 0), at(CART, 9, 1, 0)]);
    run.does(Command::order(B, Order::goto(cell(11, 3))));
    run.world.command(Command::order(C, Order::goto(cell(0, 3))));
    run.world.command(Command::enter(vec![A, B], C));
    run.world.command(Command::leave(A, pose(2, 2, 0)));
    run.world.command(Command::order(A, Order::goto(cell(2, 0))));
    run.world.command(Command::enter(A, C));
    run.world.command(Command::leave(A, pose(4, 2, 0)));
    run.world.command(Command::remove(B));
    run.step();
    assert_eq!((run.world.agents().len(), run.world.off_map().len()), (2, 0));
    assert_eq!(run.world.counts().removed, 1);
    run.steps_until_at(A, cell(2, 0), 100);
    run.steps_until_at(C, cell(0, 3), 100);
    run.does(Command::enter(C, A));
    run.does(Command::Remove(AgentSelection::Named(vec![C, A, C])));
    assert_eq!((run.world.agents().len(), run.world.off_map().len()), (0, 0));
    assert_eq!(run.world.counts().removed, 3);
}

/// Snapshots and copies hold units off the map, whatever they were doing: on hold, waiting, patrolling, following.
#[test]
fn snapshots_and_copies_hold_units_off_the_map() {
    let agents: Vec<_> = (0..5).map(|y| at(WALKER, 2, y, 0)).collect();
    let mut setup = setup_on(open(16, 6));
    setup.settings = Settings { ticks: Settings::ENDLESS, ..setup.settings };
    setup.agents = agents;
    let mut run = Checked::new(World::new(setup).unwrap());
    run.does(Command::hold(A));
    run.does(Command::order(B, Order::wait(30).in_place()));
    run.does(Command::order(C, Order::patrol(&[cell(10, 1), cell(2, 1)])));
    run.does(Command::order(AgentId(3), Order::follow(AgentId(4), 2)));
    run.does(Command::order(AgentId(4), Order::goto_group(cell(12, 4))));
    run.steps(10);
    let all = AgentSelection::Named((0..4).map(AgentId).collect());
    run.does(Command::Enter { agents: all, container: AgentId(4) });
    let before = run.world.state_hash();
    let bytes = run.world.save().unwrap();
    let mut others = [World::load(&bytes, Host::default()).unwrap(), run.world.clone(), run.world.clone()];
    let copied = run.world.clone();
    others[2].clone_from(&copied);
    assert!(others.iter().all(|other| other.state_hash() == before && other.save().unwrap() == bytes));
    let mut all = vec![&mut run.world];
    all.extend(&mut others);
    for world in all {
        for agent in (0..4).map(AgentId).rev() {
            world.command(Command::leave(agent, pose(7, agent.0 as i32, 0)));
        }
        for _ in 0..60 {
            assert_eq!(world.step(), RunState::Running);
        }
        let rows = world.agents();
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!((rows[0].pose(), rows[0].order_kind), (pose(7, 0, 0), OrderKind::Hold.number()));
    }
    assert!(others.iter().all(|other| other.state_hash() == run.world.state_hash()));
    assert_eq!(events(&run.world, EventKind::Refused), []);
}
