//! Turnaround footprints compared with their definition, and crowds of bodies without reverse that meet in a lane.

use super::ground::{Ground, RULES, at, dot, ground};
use super::hand_world::{HandWorld, to};
use crate::Cooperative;
use crate::collision::CollisionRule;
use crate::cooperative::reservations::{Precedence, Reservations};
use crate::cooperative::turnaround::{Rest, TurnaroundFootprints};
use crate::motion::AgentSlot;
use crate::params::TrafficParams;
use crate::random::Random;
use proptest::prelude::*;
use std::collections::BTreeSet;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::{State, Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, MovementTables, Primitive};

/// A lorry of 1x2 cells that turns on the spot and does not reverse.
fn lorry() -> ClassSpec {
    let mut lorry = ClassSpec::new("lorry", 4);
    lorry.sweep = Sweep::both(SweepRule::Ends);
    lorry.footprint = vec![(0, 0), (-1, 0)];
    lorry.primitives = vec![
        Primitive::step("ahead", (1, 0), 2),
        Primitive::turn("left", 1, 2),
        Primitive::turn("right", -1, 2),
    ];
    lorry
}

/// For each quickest half turn from a state on open ground, the cells that the body sweeps on the way. A half turn ends
/// in any state of the opposite heading.
fn half_turns(tables: &MovementTables, from: State) -> Vec<BTreeSet<CellXY>> {
    let (class, space) = (tables.class(), tables.space());
    let heading = space.pose(from).heading.0;
    let opposite = (heading + class.headings() / 2) % class.headings();
    let mut found: Vec<(u32, BTreeSet<CellXY>)> = Vec::new();
    let mut open = vec![(0, from, BTreeSet::new())];
    for _ in 0..=4 {
        let mut next = Vec::new();
        for (ticks, state, cells) in open {
            if space.pose(state).heading.0 == opposite {
                found.push((ticks, cells));
                continue;
            }
            tables.for_each_successor(state, |after| {
                let pose = space.pose(state);
                let swept = &class.shape_at(pose, usize::from(after.primitive)).swept;
                let cells = cells.iter().copied().chain(swept.iter().map(|to| to.cell_from(pose.cell)));
                let time = class.primitives()[usize::from(after.primitive)].time;
                next.push((ticks + time, after.state, cells.collect()));
            });
        }
        open = next;
    }
    let least = found.iter().map(|(ticks, _)| *ticks).min();
    found.into_iter().filter(|(ticks, _)| Some(*ticks) == least).map(|(_, cells)| cells).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Where there is room, a footprint is what a cheapest half turn sweeps, and a lone body may rest there. Another
    /// body may not rest on its cells.
    #[test]
    fn footprints_are_swept_by_half_turns(ground in ground(10).prop_filter_map("no class", |ground| ground), seed in any::<u64>()) {
        let (size, mut random) = (ground.grid.size(), Random::new(seed));
        let mut footprints = TurnaroundFootprints::new(&ground.tables, size, true);
        footprints.grow(2);
        let mut reservations = Reservations::new(size, CollisionRule::Swept);
        reservations.grow(2);
        for (class, tables) in ground.tables.iter().enumerate() {
            if !footprints.needs(class) {
                continue;
            }
            for _ in 0..20 {
                let Some(state) = ground.any_state(class, &mut random) else { continue };
                let pose = tables.space().pose(state);
                let body = (AgentSlot(0), class, tables);
                let rests = |footprints: &TurnaroundFootprints, slot, kind| {
                    let reserved = (&reservations, Precedence::STRICT);
                    footprints.may_rest((AgentSlot(slot), class, tables), state, kind, reserved, |_| false)
                };
                let cells: BTreeSet<CellXY> =
                    footprints.cells_at((class, tables), state).iter().map(|to| to.cell_from(pose.cell)).collect();
                prop_assert_eq!(footprints.fits((class, tables), state), !cells.is_empty());
                prop_assert_eq!(rests(&footprints, 0, Rest::OnTheWay), !cells.is_empty());
                prop_assert!(rests(&footprints, 0, Rest::PathEnd) && rests(&footprints, 0, Rest::Locked));
                if !cells.is_empty() {
                    prop_assert!(half_turns(tables, state).contains(&cells));
                }
                footprints.keep_free(body, state);
                prop_assert!(rests(&footprints, 0, Rest::PathEnd));
                prop_assert_eq!(rests(&footprints, 1, Rest::PathEnd), cells.is_empty());
                footprints.release(AgentSlot(0));
            }
        }
    }
}

/// Bodies that can undo every move need no footprint, nor do bodies that cannot turn at all.
#[test]
fn only_bodies_that_can_turn_but_not_go_back_need_room_to_turn() {
    let mut tram = ClassSpec::new("tram", 1);
    tram.primitives = vec![Primitive::step("south", (0, 1), 1)];
    let ground = Ground::square(&["......"; 6], &[dot(1), lorry(), tram]);
    let footprints = TurnaroundFootprints::new(&ground.tables, ground.grid.size(), true);
    assert_eq!([0, 1, 2].map(|class| footprints.needs(class)), [false, true, false]);
}

/// Lorries from both ends of a lane in which two of them pass side by side. With footprints all come through; where
/// they may stop nose to nose some lock for good.
#[test]
fn bodies_without_reverse_pass_each_other_in_a_lane() {
    for collision in RULES {
        let done = [1, 0].map(|turning_circles| {
            let row = ".".repeat(62);
            let mut world = HandWorld::new(Ground::square(&[row.as_str(); 6], &[lorry()]), collision);
            let starts = (0..3).flat_map(|column| (1..5).map(move |y| (3 + 3 * column, y)));
            let ids: Vec<_> = starts
                .flat_map(|(x, y)| [((x, y), (58 - x, 5 - y)), ((58 - x, y), (x, 5 - y))])
                .map(|(start, goal)| world.add(0, at(start.0, start.1), 0, to(goal.0, goal.1)))
                .collect();
            // Enough poses that credit keeps nobody from its turn: this test is not about credit.
            world.poses_per_agent = 1_000;
            let params = TrafficParams { turning_circles, ..TrafficParams::USUAL };
            let (tables, size) = (&world.ground.tables, world.ground.grid.size());
            let mut rule = Cooperative::new(tables, size, collision, params);
            let mut n_checked = 0;
            while !world.all_done() && world.tick < 3000 {
                world.step(&mut rule);
                let view = world.view();
                let audit = rule.audit(view.agents, view.tables, view.grid_size, view.tick);
                n_checked += audit.check_turnaround(view.paths);
            }
            assert_eq!(n_checked > 0, turning_circles == 1);
            ids.iter().filter(|&&id| world.done(id) > 0).count()
        });
        assert_eq!(done[0], 24, "{collision:?}");
        assert!(done[1] < 24, "{collision:?}: {done:?}");
    }
}
