//! Orders to a group that are given once more.

use crate::common::{Checked, cell, open};
use std::collections::BTreeSet;
use wheelbase_planner::model::Pivot;
use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
use wheelbase_sim::*;

/// Two by two cells, which turns on the spot.
fn tank() -> MovementClass {
    let mut tank = ClassSpec::new("tank", 4);
    tank.footprint = vec![(0, 0), (-1, 0), (0, 1), (-1, 1)];
    tank.pivot = Pivot { forward: -1, right: 1 };
    tank.primitives = Primitive::vehicle(12, 36, 12);
    MovementClass::new(tank).unwrap()
}

/// 16 tanks that stand scattered in the west of an open map.
fn sixteen(seed: i32) -> Checked {
    let mut setup = Setup::cooperative(Settings::named("again"), open(60, 40), vec![tank()]);
    for at in 0..16 {
        let (x, y) = (2 + 3 * ((at * (3 + seed)) % 7), 3 + 3 * ((at * (5 + seed) + seed) % 11));
        setup.agents.push(Spawn::new(ClassId(0), Pose::new(x, y, Heading(((at + seed) % 4) as u8))));
    }
    setup.agents.sort_by_key(|spawn| (spawn.pose.cell.y, spawn.pose.cell.x));
    Checked::new(World::new(setup).unwrap())
}

/// The cells that all agents hold, and the moves so far.
fn held(run: &Checked) -> (BTreeSet<(i32, i32)>, u64) {
    let cells = |row: usize| {
        let pose = run.world.pose(row);
        let cells = run.world.tables()[0].class().cells_at(pose).to_vec();
        cells.into_iter().map(move |offset| offset.cell_from(pose.cell)).map(|cell| (cell.x, cell.y))
    };
    ((0..16).flat_map(cells).collect(), run.world.counts().moves)
}

#[test]
fn units_that_stand_in_the_area_of_the_group_keep_their_poses() {
    let all: Vec<AgentId> = (0..16).map(AgentId).collect();
    for seed in [1, 2, 7] {
        let mut run = sixteen(seed);
        let order = Order::goto_group(cell(40, 20));
        run.does(Command::order(all.clone(), order.clone()));
        run.steps(1500);
        let before = held(&run);
        for round in 2..5 {
            run.does(Command::order(all.clone(), order.clone()));
            run.steps(200);
            assert_eq!((held(&run), run.world.counts().orders_done), (before.clone(), 16 * round), "{seed}");
        }
        // With a heading they turn where they stand.
        let mut to_north = order;
        to_north.headings = 4;
        if let OrderKind::GotoGroup(_, trip) = &mut to_north.kind {
            trip.members[0].heading = Some(Heading(1));
        }
        run.does(Command::order(all.clone(), to_north));
        run.steps(200);
        assert_eq!((held(&run).0, run.world.counts().orders_done), (before.0, 16 * 5), "{seed}");
        assert!(run.world.agents().iter().all(|row| row.to_heading == 1));
    }
}
