#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use super::*;
use crate::scenes::{class, drive, group, map, setup, tasks, world};
use crate::world::World;
use crate::{Order, RunState, Setup, Spawn, invariant};
use proptest::prelude::*;
use std::collections::BTreeMap;
use wheelbase_grid::Rect;
use wheelbase_planner::{ClassSpec, Heading, Pose};

const WIDTH: i32 = 64;
const HEIGHT: i32 = 40;

/// A wall across the map with a gap in the middle and one near the top, for carts.
fn two_gaps(params: ReplanParams) -> Setup {
    let is_wall = |x: i32, y: i32| x == 32 && !(18..22).contains(&y) && !(4..8).contains(&y);
    let row = |y| (0..WIDTH).map(|x| if is_wall(x, y) { 'W' } else { '.' }).collect();
    let rows: Vec<String> = (0..HEIGHT).map(row).collect();
    let cart = class(ClassSpec::new("cart", 4), &[(0, 0)], drive(4, 4));
    let mut setup = setup(4000, map(&rows), vec![cart]);
    setup.settings.replan = params;
    setup
}

/// A cart that goes straight through the gap in the middle.
fn cart() -> World {
    let mut setup = two_gaps(ReplanParams::USUAL);
    let cart = Spawn::new(ClassId(0), Pose::new(4, 20, Heading(0)));
    setup.agents.push(cart.with_orders([Order::goto(CellXY::new(60, 20))]));
    World::new(setup).unwrap()
}

/// Rows in which the first agent's path leads through the wall.
fn crosses_at(world: &World) -> Vec<i32> {
    let tables = &world.tables[0];
    let mut state = world.agents.motion[0].state;
    let moves = world.agents.moves(0).iter();
    let cells = moves.map(|&primitive| {
        state = tables.state_after(state, usize::from(primitive));
        tables.space().pose(state).cell
    });
    cells.filter(|cell| cell.x == 32).map(|cell| cell.y).collect()
}

/// Agents wait in the middle gap for `ticks` ticks each.
fn jam(world: &mut World, ticks: u32) {
    for _ in 0..40 {
        let step = (CellXY::new(0, 0), CellXY::new(32, 20));
        world.congestion.count_move(ClassId(0), step);
        (0..ticks).for_each(|_| world.congestion.count_wait(ClassId(0), CellXY::new(32, 20)));
    }
}

#[test]
fn a_path_avoids_a_jam_that_costs_more_than_the_detour() {
    let mut world = cart();
    world.step();
    assert_eq!(crosses_at(&world), [20]);
    // The detour takes 2 x 13 more steps, and turns.
    jam(&mut world, 300);
    for _ in 0..8 {
        world.step();
    }
    let around = crosses_at(&world);
    assert!(around.len() == 1 && (4..8).contains(&around[0]), "{around:?}");
    assert_eq!(world.counts.path_requests, 2);
    world.run();
    assert_eq!(world.counts.orders_done, 1);
}

#[test]
fn a_path_leads_through_a_jam_that_costs_less_than_the_detour() {
    let mut world = cart();
    world.step();
    jam(&mut world, 80);
    for _ in 0..8 {
        world.step();
    }
    assert_eq!((crosses_at(&world), world.counts.path_requests), (vec![20], 2));
    world.run();
    // It made a request and kept its path, so it was on time: a step takes four ticks, and the order is closed on
    // arrival.
    assert_eq!((world.counts.orders_done, world.counts.flowtime), (1, 56 * 4));
}

/// Against a flow that fills the middle gap the path leads through the top one; with the flow it leads straight on.
#[test]
fn a_path_avoids_an_opposing_flow() {
    for (by, crosses) in [(-1, false), (1, true)] {
        let mut world = cart();
        world.step();
        for x in 8..56 {
            let rows = 14..26;
            let cells = |x: i32| rows.clone().map(move |y| CellXY::new(x, y));
            for _ in 0..8 {
                world.congestion.planned.count(CellXY::new(x - by, 20), CellXY::new(x, 20), cells(x));
            }
        }
        world.congestion.planned.publish();
        for _ in 0..8 {
            world.step();
        }
        assert_eq!(crosses_at(&world) == [20], crosses, "{:?}", crosses_at(&world));
        world.run();
        assert_eq!(world.counts.orders_done, 1);
    }
}

/// Shortest and longest sides of classes; the last two share a width.
const SIDES: [(u32, u32); 6] = [(3, 5), (1, 1), (2, 3), (3, 3), (5, 6), (9, 9)];

/// The counts of blocks and cells, without optimisation.
#[derive(Default)]
struct Reference {
    /// By block and width: ticks waited and agents entered, of bodies at least that wide.
    blocks: BTreeMap<((i32, i32), u32), (u32, u32)>,
    /// Planned moves onto a cell, by displacement.
    planned: BTreeMap<(CellXY, (i32, i32)), u32>,
}

impl Reference {
    /// Penalty on a move of a body with these sides.
    fn penalty(&self, (width, longest): (u32, u32), (from, to): (CellXY, CellXY), ticks: u32) -> u32 {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        if (dx, dy) == (0, 0) {
            return 0;
        }
        let half = width as i32 / 2;
        let over = |cell: CellXY| {
            let moves = |dx: i32, dy: i32| self.planned.get(&(cell, (dx, dy))).copied().unwrap_or(0);
            let others = moves(dx, dy) + moves(dy, dx) + moves(-dy, -dx);
            others - others.min(longest) + 6 * moves(-dx, -dy)
        };
        let most =
            [-half, 0, half].into_iter().map(|aside| over(CellXY::new(to.x + dy * aside, to.y + dx * aside)));
        let mut penalty = ticks * most.max().unwrap_or(0) / 32;
        let block = |cell: CellXY| (cell.x / 8, cell.y / 8);
        if block(from) != block(to) {
            let (waited, entered) = self.blocks.get(&(block(to), width.min(5))).copied().unwrap_or_default();
            penalty += waited / (entered + 1);
        }
        penalty.min(1000)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the tunables, agents never collide, and they do tasks.
    #[test]
    fn no_tunables_make_agents_collide(
        tuned in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..3), 1..6),
    ) {
        let (mut params, tunables) = (ReplanParams::USUAL, ReplanParams::tunables());
        for (which, value, end) in tuned {
            let tunable = which.get(&tunables);
            let (low, high) = (*tunable.range.start(), *tunable.range.end());
            let between = low + value.index((high - low) as usize + 1) as u32;
            params.set(tunable.name, [low, between, high][end]).unwrap();
        }
        let carts = |x| group(0, 12, Rect::new(x, 10, 8, 20), [tasks(Rect::new(56 - x, 0, 8, 40), x as u32)]);
        let mut world = world(two_gaps(params), [carts(4), carts(52)]);
        while world.tick < 600 && world.step() == RunState::Running {
            if world.tick.is_multiple_of(8) {
                prop_assert_eq!(invariant::check(&world), []);
            }
        }
        prop_assert!(world.counts.tasks_done > 20, "{:?} {:?}", world.counts, params);
    }
}

proptest! {
    /// Counts fade, and the penalty of a path is the sum over its moves.
    #[test]
    fn penalties_are_as_counted(
        counted in prop::collection::vec(
            ((0..WIDTH, 0..HEIGHT), 0_usize..4, 0..SIDES.len(), 1_u32..7, 0_u32..2000, 0_u32..3), 1..40
        ),
        class in 0..SIDES.len(),
        from in (0..WIDTH, 0..HEIGHT),
        moves in prop::collection::vec(0_u8..3, 0..200),
    ) {
        let world = cart();
        let mut congestion = Congestion::new(world.grid.size(), world.grid.shape(), &SIDES, ReplanParams::USUAL);
        let mut reference = Reference::default();
        let mut tick = 1;
        for ((x, y), side, of, n_moves, waited, halvings) in counted {
            let (id, (width, _)) = (ClassId(of as u8), SIDES[of]);
            let from = CellXY::new(x, y);
            (0..waited).for_each(|_| congestion.count_wait(id, from));
            let least = [1, 2, 3, 5].into_iter().filter(|&least| least <= width);
            for least in least.clone() {
                reference.blocks.entry(((x / 8, y / 8), least)).or_default().0 += waited;
            }
            let (dx, dy) = [(1, 0), (0, -1), (-1, 0), (0, 1)][side];
            let to = CellXY::new(x + dx, y + dy);
            if world.grid.size().rect().contains(to) {
                for _ in 0..n_moves {
                    congestion.count_move(id, (from, to));
                    for _ in 0..waited / 8 {
                        congestion.planned.count(from, to, [from, to].into_iter());
                    }
                    for cell in [from, to] {
                        let moves = reference.planned.entry((cell, (dx, dy))).or_default();
                        *moves = (*moves + waited / 8).min(255);
                    }
                    if (x / 8, y / 8) != (to.x / 8, to.y / 8) {
                        for least in least.clone() {
                            reference.blocks.entry(((to.x / 8, to.y / 8), least)).or_default().1 += 1;
                        }
                    }
                }
            }
            for _ in 0..halvings * ReplanParams::USUAL.block_half_life_ticks {
                congestion.fade(tick);
                tick += 1;
            }
            for (waited, entered) in reference.blocks.values_mut() {
                (*waited, *entered) = (*waited >> halvings, *entered >> halvings);
            }
        }
        congestion.planned.publish();
        let tables = &world.tables[0];
        let pose = Pose { cell: CellXY::new(from.0, from.1), heading: Heading(0) };
        let first = tables.space().state(pose).unwrap();
        // Up to the first illegal move.
        let (mut state, mut legal, mut sum) = (first, 0, 0);
        for &primitive in &moves {
            let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
            let from = tables.space().pose(state).cell;
            state = tables.state_after(state, usize::from(primitive));
            sum += u64::from(reference.penalty(SIDES[class], (from, tables.space().pose(state).cell), ticks));
            legal += 1;
        }
        prop_assert_eq!(congestion.penalty_along(ClassId(class as u8), tables, first, &moves[..legal]), sum);
    }

    /// Planned moves in the opposite direction cost a penalty up to its reach, and none once they are over.
    #[test]
    fn planned_flow_ends(n_moves in 2_usize..40) {
        let mut world = cart();
        let (from, to) = (CellXY::new(3, 4), CellXY::new(4, 4));
        let class = ClassId(0);
        let congestion = &mut world.congestion;
        (0..n_moves).for_each(|_| congestion.planned.count(from, to, std::iter::once(to)));
        congestion.planned.publish();
        let against = |congestion: &Congestion| congestion.around(class, to).ticks(CellXY::new(5, 4), to, 10);
        // One of the moves could be its own.
        let with = congestion.around(class, from).ticks(from, to, 10);
        prop_assert!(with == 10 * (n_moves as u32 - 1) / 32 && against(congestion) > with);
        let reach = ReplanParams::USUAL.penalty_reach as i32;
        let far = CellXY::new(5 + reach, 4);
        prop_assert!(congestion.around(class, far).ticks(CellXY::new(5, 4), to, 10) > 0);
        let farther = CellXY::new(6 + reach, 4);
        prop_assert_eq!(congestion.around(class, farther).ticks(CellXY::new(5, 4), to, 10), 0);
        for tick in 0..2 * ReplanParams::USUAL.planned_period_ticks {
            congestion.renew(tick, &world.agents, &world.tables);
        }
        prop_assert_eq!(against(congestion), 0);
    }
}
