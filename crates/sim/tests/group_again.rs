//! Orders to a group that are given once more, and previews of their poses.

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

/// The preview names the cells that an order gives, to all and to some of the tanks, at rest and in mid-move.
#[test]
fn a_preview_of_group_poses_is_what_the_order_gives() {
    let mut run = sixteen(3);
    let all: Vec<AgentId> = (0..16).map(AgentId).collect();
    let mut n_moving = 0;
    for (round, (members, x, y)) in
        [(&all[..], 40, 20), (&all[4..], 20, 8), (&all[..9], 21, 9), (&all[..], 50, 30), (&all[..1], 30, 30)]
            .into_iter()
            .enumerate()
    {
        let order = Order::goto_group(cell(x, y));
        let before = run.world.state_hash();
        let shown = run.world.group_poses(members, &order);
        assert_eq!(run.world.state_hash(), before);
        n_moving += run.world.agents().iter().filter(|row| row.is_moving()).count();
        run.does(Command::order(members, order));
        // The poses are chosen once one of them rests.
        while run.world.agent_arrays().assigned[members[0].0 as usize].is_none() {
            run.step();
            assert!(run.world.tick() < 5_000);
        }
        let given = |&agent: &AgentId| {
            let state = run.world.agent_arrays().assigned[agent.0 as usize];
            (agent, state.map(|state| run.world.tables()[0].space().pose(state)))
        };
        let given: Vec<_> = members.iter().map(given).collect();
        let cells = |pose: &Option<Pose>| {
            let tables = &run.world.tables()[0];
            let body = pose.map_or(&[][..], |pose| tables.class().cells_at(pose));
            let mut cells: Vec<_> =
                body.iter().filter_map(|by| Some(by.cell_from(pose.as_ref()?.cell))).collect();
            cells.sort_unstable_by_key(|cell| (cell.y, cell.x));
            cells
        };
        let cells_of = |all: &[(AgentId, Option<Pose>)]| {
            all.iter().map(|(agent, pose)| (*agent, cells(pose))).collect::<Vec<_>>()
        };
        assert_eq!(cells_of(&shown), cells_of(&given), "{round}");
        run.steps(150);
    }
    assert!(n_moving > 10);
    // Nobody else, no other order, and no pose where there is no room or no way.
    let unknown = [AgentId(99), AgentId(3), AgentId(3)];
    assert_eq!(run.world.group_poses(&unknown, &Order::goto_group(cell(9, 9))).len(), 1);
    assert_eq!(run.world.group_poses(&all, &Order::goto(cell(9, 9))), []);
    let off_map = run.world.group_poses(&all, &Order::goto_group(cell(99, 9)));
    assert!(off_map.len() == 16 && off_map.iter().all(|(_, pose)| pose.is_none()));
}
