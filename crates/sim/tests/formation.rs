//! Orders to go in formation.

use crate::common::{CART, Checked, TRUCK, WALKER, at, cell, map, open};
use wheelbase_grid::{CellXY, GridShape};
use wheelbase_sim::{
    AgentId, Command, EventKind, Heading, Host, Order, OrderKind, Pose, RefusalReason, Spawn,
    UnreachableReason, World,
};

/// Walkers, carts and trucks in two ranks of three.
fn two_ranks(x: i32, y: i32) -> Vec<Spawn> {
    let unit = |(number, class)| at(class, x + 6 * (number / 3), y + 4 * (number % 3), 0);
    (0..).zip([WALKER, CART, TRUCK, TRUCK, WALKER, CART]).map(unit).collect()
}

fn all_of(run: &Checked) -> Vec<AgentId> {
    run.world.agents().iter().map(|row| row.agent()).collect()
}

fn cells(run: &Checked) -> Vec<CellXY> {
    run.world.agents().iter().map(|row| row.pose().cell).collect()
}

fn factors(run: &Checked) -> Vec<u16> {
    run.world.agent_arrays().speed_factors.to_vec()
}

/// Runs until `n_done` orders are done.
fn run_until_done(run: &mut Checked, n_done: u64) {
    while run.world.counts().orders_done < n_done {
        run.step();
        assert!(run.world.tick() < 2_000, "{:?}", cells(run));
    }
}

#[test]
fn members_keep_their_layout_and_the_pace_of_the_slowest() {
    let mut run = Checked::on(open(90, 40), &two_ranks(4, 4));
    let (all, from) = (all_of(&run), cells(&run));
    let order = Order::goto_formation(Pose::new(70, 30, Heading(1)), 4);
    let shown = run.world.group_poses(&all, &order);
    run.does(Command::order(all, order));
    run.steps(2);
    // A truck needs 3 ticks for a cell, a walker and a cart 2.
    assert_eq!(factors(&run), [667, 667, 1000, 1000, 667, 667]);
    let mut spread = 0;
    while run.world.counts().orders_done == 0 {
        run.step();
        let columns = cells(&run).into_iter().zip(&from).map(|(now, from)| now.x - from.x + now.y - from.y);
        let (least, most) = columns.fold((i32::MAX, 0), |(least, most), by| (least.min(by), most.max(by)));
        spread = spread.max(most - least);
    }
    assert!(spread <= 12, "{spread}");
    run_until_done(&mut run, 6);
    run.steps(2);
    // The mean of their cells, (7, 8), has gone to the goal.
    let to: Vec<CellXY> = from.iter().map(|from| cell(from.x + 63, from.y + 22)).collect();
    assert_eq!(cells(&run), to);
    assert_eq!(shown.iter().map(|(_, pose)| pose.unwrap().cell).collect::<Vec<_>>(), to);
    let headings: Vec<u8> = run.world.agents().iter().map(|row| row.to_heading).collect();
    assert_eq!(headings, [0, 1, 1, 1, 0, 1]);
    assert_eq!(factors(&run), [1000; 6]);
    let done = run.told.iter().filter(|row| row.kind() == Some(EventKind::OrderDone));
    assert!(
        done.clone().all(|row| OrderKind::NAMES[row.b as usize] == "goto_formation") && done.count() == 6
    );
}

/// Water lies where a rank is to stand, and another unit stands on a place. The rest keep their places.
#[test]
fn the_nearest_free_poses_replace_places_that_are_not_free() {
    let mut rows = vec![".".repeat(40); 20];
    rows[8].replace_range(28..33, "WWWWW");
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut agents: Vec<Spawn> =
        (0..9).map(|at_| at(WALKER, 2 + 2 * (at_ % 3), 2 + 2 * (at_ / 3), 0)).collect();
    agents.push(at(WALKER, 32, 12, 0).with_orders([Order::hold()]));
    let mut run = Checked::on(map(&rows, GridShape::Square), &agents);
    let members: Vec<AgentId> = (0..9).map(AgentId).collect();
    run.does(Command::order(members, Order::goto_formation(Pose::new(30, 10, Heading(0)), 4)));
    run_until_done(&mut run, 9);
    let now = cells(&run);
    for (number, expected) in (0..9).map(|at_| (at_, cell(28 + 2 * (at_ % 3), 8 + 2 * (at_ / 3)))) {
        let is_free = expected.y != 8 && expected != cell(32, 12);
        let off = (now[number as usize].x - expected.x).abs() + (now[number as usize].y - expected.y).abs();
        assert_eq!(off, i32::from(!is_free), "{number}: {}", now[number as usize]);
    }
}

/// On a map of hexagons a layout keeps its shape between rows of unlike parity.
#[test]
fn a_layout_keeps_its_shape_among_hexagons() {
    let rows = vec![".".repeat(40); 30];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let agents: Vec<Spawn> = (0..7).map(|y| at(WALKER, 3 + (y + 1) / 2, 2 + y, 0)).collect();
    let mut run = Checked::on(map(&rows, GridShape::Hex), &agents);
    let far = |cells: &[CellXY]| {
        let pairs =
            cells.iter().flat_map(|one| cells.iter().map(|other| GridShape::Hex.measure(*one, *other)));
        pairs.collect::<Vec<_>>()
    };
    let before = far(&cells(&run));
    let all = all_of(&run);
    for (n_done, y) in [(7, 20), (14, 9)] {
        run.does(Command::order(all.clone(), Order::goto_formation(Pose::new(25, y, Heading(0)), 6)));
        run_until_done(&mut run, n_done);
        assert_eq!(far(&cells(&run)), before);
        assert_eq!(cells(&run)[3].y, y);
    }
}

/// Own speed factors come back however the order ends, and survive a snapshot.
#[test]
fn own_speed_factors_return_when_a_member_leaves_the_formation() {
    let mut run = Checked::on(open(90, 40), &two_ranks(4, 4));
    let order = Order::goto_formation(Pose::new(70, 30, Heading(0)), 4);
    let all = all_of(&run);
    run.does(Command::order(all, order.clone()));
    run.steps(20);
    // The slowest has the pace; a slower factor counts immediately, a faster one later.
    run.does(Command::SpeedFactor { agents: AgentId(0).into(), permille: 500 });
    run.does(Command::SpeedFactor { agents: AgentId(1).into(), permille: 2000 });
    assert_eq!(factors(&run)[..2], [500, 667]);
    let saved = run.world.save().unwrap();
    let mut loaded = World::load(&saved, Host::default()).unwrap();
    assert_eq!(loaded.state_hash(), run.world.state_hash());
    run.does(Command::stop(AgentId(1)));
    run.does(Command::order(AgentId(4), Order::goto(cell(9, 9))));
    run.does(Command::enter(AgentId(5), AgentId(2)));
    run.steps(3);
    assert_eq!(factors(&run), [500, 2000, 1000, 1000, 1000]);
    run_until_done(&mut run, 4);
    run.steps(2);
    assert_eq!(factors(&run), [500, 2000, 1000, 1000, 1000]);
    for _ in 0..400 {
        loaded.step();
    }
    assert_eq!(loaded.agent_arrays().speed_factors, [500, 2000, 1000, 1000, 1000, 1000]);
}

/// A formation too large for the ground leaves out the members without room, each with a reason.
#[test]
fn members_without_room_are_told() {
    let water = "W".repeat(12);
    let mut agents: Vec<Spawn> = [1, 4, 7].map(|x| at(TRUCK, x, 1, 0)).to_vec();
    agents.extend((9..12).map(|x| at(WALKER, x, 1, 0)));
    let mut run = Checked::on(map(&[&water, &".".repeat(12), &water], GridShape::Square), &agents);
    let members: Vec<AgentId> = (0..3).map(AgentId).collect();
    // Places at columns 2, 5 and 8; a walker stands on the last, and the two others leave only two cells beside them.
    run.does(Command::order(members, Order::goto_formation(Pose::new(5, 1, Heading(0)), 4)));
    run.steps(100);
    let failed = run.told.iter().filter(|row| row.kind() == Some(EventKind::OrderFailed));
    let failed: Vec<_> = failed.map(|row| (row.agent, row.c)).collect();
    assert_eq!(failed, [(2, UnreachableReason::NoRoom as u32)]);
}

#[test]
fn only_orders_to_a_group_go_in_formation() {
    let mut run = Checked::on(open(90, 40), &two_ranks(4, 4));
    let mut order = Order::goto(cell(9, 9));
    if let OrderKind::Goto(trip) = &mut order.kind {
        trip.formation = true;
    }
    run.refuses(Command::order(AgentId(0), order), RefusalReason::WrongOrder);
}
