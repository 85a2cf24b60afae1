#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use super::*;
use crate::build::build_simulation;
use crate::scenario;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use wheelbase_planner::Pose;

const WIDTH: i32 = 64;
const HEIGHT: i32 = 40;

/// A wall across the map with a gap in the middle and one near the top, and carts that go straight through the one
/// in the middle.
fn two_gaps(carts: &str) -> Simulation {
    let row = |y: i32| {
        let wall = |x: i32| x == 32 && !(18..22).contains(&y) && !(4..8).contains(&y);
        (0..WIDTH).map(|x| if wall(x) { 'W' } else { '.' }).collect::<String>()
    };
    let rows: Vec<String> = (0..HEIGHT).map(|y| format!("\"{}\"", row(y))).collect();
    let text = format!(
        "name = \"gaps\"\nticks = 4000\n[map]\nrows = [{}]\n[class.cart]\nheadings = 4\nmoves = [\n\
         {{ name = \"forward\", by = [1, 0], time = 4 }},\n{{ name = \"left\", turn = 1, time = 4 }},\n\
         {{ name = \"right\", turn = -1, time = 4 }},\n]\n{carts}",
        rows.join(",")
    );
    let typed = scenario::parse("gaps.toml", text.as_bytes()).unwrap();
    build_simulation(Path::new("gaps.toml"), &typed).unwrap()
}

fn cart() -> Simulation {
    two_gaps("[[agents]]\nclass = \"cart\"\nat = [4, 20, \"E\"]\norders = [{ goto = [60, 20] }]\n")
}

/// Rows in which the first agent's path leads through the wall.
fn crosses_at(sim: &Simulation) -> Vec<i32> {
    let tables = &sim.classes[0].tables;
    let mut state = sim.agents.motion[0].state;
    let moves = sim.paths.moves(sim.agents.paths[0]).iter();
    let cells = moves.map(|&primitive| {
        state = tables.state_after(state, usize::from(primitive));
        tables.space().pose(state).cell
    });
    cells.filter(|cell| cell.x == 32).map(|cell| cell.y).collect()
}

/// Agents wait in the gap in the middle, so many ticks each.
fn jam(sim: &mut Simulation, ticks: u32) {
    for _ in 0..40 {
        sim.congestion.count_move(CellXY::new(0, 0), CellXY::new(32, 20));
        (0..ticks).for_each(|_| sim.congestion.count_wait(CellXY::new(32, 20)));
    }
}

#[test]
fn a_path_keeps_clear_of_a_jam_that_costs_more_than_the_way_around() {
    let mut sim = cart();
    sim.step();
    assert_eq!(crosses_at(&sim), [20]);
    // The way around takes 2 x 13 steps and turns more.
    jam(&mut sim, 300);
    for _ in 0..8 {
        sim.step();
    }
    let around = crosses_at(&sim);
    assert!(around.len() == 1 && (4..8).contains(&around[0]), "{around:?}");
    assert_eq!(sim.counts.path_requests, 2);
    sim.run();
    assert_eq!(sim.counts.orders_done, 1);
}

#[test]
fn a_jam_that_costs_less_than_the_way_around_is_gone_through() {
    let mut sim = cart();
    sim.step();
    jam(&mut sim, 80);
    for _ in 0..8 {
        sim.step();
    }
    assert_eq!((crosses_at(&sim), sim.counts.path_requests), (vec![20], 2));
    sim.run();
    // It asked, kept its path and was on time: a step takes four ticks, and the order is closed when it is there.
    assert_eq!((sim.counts.orders_done, sim.counts.flowtime), (1, 56 * 4));
}

#[test]
fn the_goal_and_the_start_are_never_walled_in() {
    let mut sim = cart();
    jam(&mut sim, 300);
    let mut obstacles = BitGrid::new(sim.grid.size());
    let far = [CellXY::new(4, 20), CellXY::new(60, 20)];
    sim.congestion.mark_jams(&mut obstacles, far.into_iter());
    assert_eq!(obstacles.count_ones(), 64);
    assert!(obstacles.get(CellXY::new(32, 16)) && obstacles.get(CellXY::new(39, 23)));
    sim.congestion.mark_jams(&mut obstacles, far.into_iter().chain([CellXY::new(47, 8)]));
    assert_eq!(obstacles.count_ones(), 0);
}

/// What is counted in a block, the slow way.
#[derive(Default)]
struct Plain {
    waited: u32,
    entered: u32,
}

proptest! {
    /// What is counted fades by halves, and what a path costs is the sum over the blocks that it enters.
    #[test]
    fn delays_are_as_counted(
        counted in prop::collection::vec((0..WIDTH, 0..HEIGHT, 0..WIDTH, 0..HEIGHT, 0_u32..2000, 0_u32..3), 1..40),
        from in (0..WIDTH, 0..HEIGHT),
        moves in prop::collection::vec(0_u8..3, 0..200),
    ) {
        let sim = cart();
        let mut congestion = Congestion::new(sim.grid.size());
        let mut plain: BTreeMap<(i32, i32), Plain> = BTreeMap::new();
        let mut tick = 1;
        for (x, y, to_x, to_y, waited, halvings) in counted {
            (0..waited).for_each(|_| congestion.count_wait(CellXY::new(x, y)));
            plain.entry((x / 8, y / 8)).or_default().waited += waited;
            congestion.count_move(CellXY::new(x, y), CellXY::new(to_x, to_y));
            if (x / 8, y / 8) != (to_x / 8, to_y / 8) {
                plain.entry((to_x / 8, to_y / 8)).or_default().entered += 1;
            }
            for _ in 0..halvings * HALF_LIFE_TICKS {
                congestion.fade(tick);
                tick += 1;
            }
            for block in plain.values_mut() {
                (block.waited, block.entered) = (block.waited >> halvings, block.entered >> halvings);
            }
        }
        let tables = &sim.classes[0].tables;
        let pose = Pose { cell: CellXY::new(from.0, from.1), heading: wheelbase_planner::Heading(0) };
        let first = tables.space().state(pose).unwrap();
        // As far as the moves are legal.
        let mut cells = vec![pose.cell];
        let (mut state, mut legal) = (first, 0);
        for &primitive in &moves {
            if tables.move_ticks(state, usize::from(primitive)).is_none() {
                break;
            }
            state = tables.state_after(state, usize::from(primitive));
            cells.push(tables.space().pose(state).cell);
            legal += 1;
        }
        let block = |cell: &CellXY| (cell.x / 8, cell.y / 8);
        let entered = cells.windows(2).filter(|pair| block(&pair[0]) != block(&pair[1]));
        let delay = |at| plain.get(&at).map_or(0, |block: &Plain| u64::from(block.waited / (block.entered + 1)));
        let sum: u64 = entered.map(|pair| delay(block(&pair[1]))).sum();
        prop_assert_eq!(congestion.delay_along(tables, first, &moves[..legal]), sum);
    }
}
