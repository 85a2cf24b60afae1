//! Classes without moves, for buildings.

use crate::common::{Checked, at, cell, open};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
use wheelbase_sim::{AgentId, ClassId, Command, EventKind, Order, Settings, Setup, World};

const BARRACKS: AgentId = AgentId(0);
const SCOUT: AgentId = AgentId(1);

/// A building has a class without moves. It stands where it was placed, and every order to another place fails.
#[test]
fn buildings_have_no_moves_and_reach_no_other_place() {
    let mut barracks = ClassSpec::new("barracks", 1);
    barracks.footprint = (0..3).flat_map(|f| (0..3).map(move |r| (f, r))).collect();
    let mut scout = ClassSpec::new("scout", 1);
    scout.primitives = Primitive::eight_directions(2, 3);
    let classes = [barracks, scout].map(|spec| MovementClass::new(spec).unwrap()).to_vec();
    let mut setup = Setup::cooperative(Settings::named("town"), open(20, 9), classes);
    setup.agents = vec![at(ClassId(0), 8, 3, 0), at(ClassId(1), 0, 4, 0)];
    let mut run = Checked::new(World::new(setup).unwrap());
    let away = Order::goto(cell(1, 1));
    for order in
        [away.clone(), away.or_wait(), Order::patrol(&[cell(1, 1), cell(5, 1)]), Order::follow(SCOUT, 2)]
    {
        run.does(Command::order(BARRACKS, order));
        run.steps(40);
    }
    run.does(Command::order(BARRACKS, Order::goto(cell(8, 3))));
    run.steps(3);
    assert_eq!(run.count(EventKind::OrderFailed, BARRACKS), 4);
    assert_eq!(run.count(EventKind::OrderDone, BARRACKS), 1);
    // It comes as near as it is, and finds no other place around a goal.
    let near = run.world.counts().orders_done;
    run.does(Command::order(BARRACKS, Order::goto(cell(1, 1)).or_nearest()));
    run.steps(5);
    run.does(Command::order(BARRACKS, Order::goto_group(cell(1, 1))));
    run.steps(5);
    assert_eq!((run.world.counts().orders_done, run.count(EventKind::OrderFailed, BARRACKS)), (near + 1, 5));
    // On hold it is an obstacle, around which the scout goes by diagonal steps: 19 cells, 2 of them to one side.
    run.does(Command::hold(BARRACKS));
    run.does(Command::order(SCOUT, Order::goto(cell(19, 4))));
    assert_eq!(run.steps_until_at(SCOUT, cell(19, 4), 100), 19 * 2 + 4 - 1);
    assert_eq!(run.cell(BARRACKS), cell(8, 3));
}
