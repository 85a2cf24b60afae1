//! Cost fields: making, following and repairing them. Also replanning after the path was blocked.
//!
//! `cargo run --release -p wheelbase-benches --bin fields -- [ROUNDS]` (default 5). The 1x2 truck on drawn maps of 512
//! x 512 cells and on lak303d. An edit builds or removes a 4x4 building at a random site on free ground. Times are on
//! one thread. The calibration of the machine is printed at both ends: if the two differ much, measure again.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use wheelbase_benches::{SplitMix64, blobs, calibration, file_grid, open, truck};
use wheelbase_grid::{CellXY, Grid, GridSize, Rect, TerrainKind};
use wheelbase_maps::{MapKind, generate};
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::{Reached, State};
use wheelbase_planner::search::{BackTraces, Fallback, Heuristic, HeuristicName, LearnedCosts};
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{
    Goal, GoalMember, MovementTables, Path, RepairScratch, Request, Scratch, SettleTarget, Status, advance,
    begin, finish, plan,
};

const GROUND: TerrainKind = TerrainKind(0);
const WATER: TerrainKind = TerrainKind(2);

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).map_or(Ok(5), |text| text.parse());
    let Ok(rounds @ 1..) = rounds else {
        eprintln!("usage: fields [ROUNDS]; ROUNDS is a whole number from 1, by default 5");
        return ExitCode::from(2);
    };
    println!("calibration: {}", calibration());
    let maps = maps();
    println!("\nmaking: ns per settled state, least of {rounds} rounds; and Dijkstra by the search kernel");
    println!(
        "{:<10}{:>9}{:>10}{:>12}{:>12}{:>10}",
        "map", "settled", "to goal", "from start", "with moves", "kernel"
    );
    maps.iter().for_each(|(name, grid)| make(name, grid, rounds));
    println!("\nfollowing: ns per step, least of {rounds} rounds; agents all over the map, 100 steps each");
    println!("{:<10}{:>10}{:>10}{:>10}{:>10}", "map", "follow()", "8 agents", "256", "10000");
    maps.iter().for_each(|(name, grid)| follow(name, grid, rounds));
    println!("\nrepair after a 4x4 building, {EDITS} edits per row; fresh is a whole new field");
    println!(
        "{:<10}{:<12}{:>10}{:>10}{:>10}{:>10}{:>9}",
        "map", "edit", "median us", "mean", "p95", "fresh", "lost"
    );
    maps.iter().for_each(|(name, grid)| repair(name, grid));
    println!("\nreplanning after a 4x4 block on the path, {BLOCKS} queries per row: median us (expansions)");
    println!(
        "of a fresh search with the default heuristic and of the other methods, and their median speed-up"
    );
    maps.iter().skip(1).for_each(|(name, grid)| replan(name, grid));
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn maps() -> Vec<(&'static str, Grid)> {
    let size = GridSize::new(512, 512).unwrap_or_else(|error| panic!("{error}"));
    let mut maps = vec![("flat", open(512)), ("blobs", blobs(512, 3))];
    maps.extend(
        [MapKind::Open, MapKind::Rooms, MapKind::Base].map(|kind| (kind.name(), generate(kind, size, 3))),
    );
    match file_grid("lak303d") {
        Some(grid) => maps.push(("lak303d", grid)),
        None => println!("lak303d: skipped, it is missing"),
    }
    maps
}

fn draw(tables: &MovementTables, random: &mut SplitMix64) -> State {
    State(random.below(tables.space().n_states() as u32))
}

/// A random goal reachable from at least a third of the legal poses.
fn draw_goal(tables: &MovementTables, random: &mut SplitMix64) -> [GoalMember; 1] {
    let n_legal = (0..tables.space().n_states() as u32).filter(|&s| tables.is_legal(State(s))).count();
    loop {
        let goal = [GoalMember::any(tables.space().pose(draw(tables, random)).cell)];
        let mut field = CostField::to_goal(tables, &Goal::of(&goal));
        if field.settle(tables, SettleTarget::All, u64::MAX).expansions as usize > n_legal / 3 {
            return goal;
        }
    }
}

fn whole_field(tables: &MovementTables, goal: &Goal<'_>, keep_moves: bool) -> CostField {
    let mut field = CostField::to_goal(tables, goal);
    if keep_moves {
        field.keep_moves(tables);
    }
    field.settle(tables, SettleTarget::All, u64::MAX);
    field
}

fn make(name: &str, grid: &Grid, rounds: usize) {
    let tables = MovementTables::compile(grid, truck());
    let goal = draw_goal(&tables, &mut SplitMix64::new(9));
    let goal = Goal::of(&goal);
    let mut fields = [
        CostField::to_goal(&tables, &goal),
        CostField::from_start(&tables, &goal),
        whole_field(&tables, &goal, true),
    ];
    let mut least = [f64::MAX; 4];
    let mut n_settled = 0;
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    // An unreachable goal, so that the search expands everything.
    let nowhere = [GoalMember::any(CellXY::new(-9, -9))];
    let start = goal.members[0].cell;
    let start =
        (0..4).map(|h| wheelbase_planner::Pose { cell: start, heading: wheelbase_planner::Heading(h) });
    let Some(start) = start.into_iter().find(|&pose| tables.is_legal_pose(pose)) else { return };
    let mut request = Request::new(start, Goal::of(&nowhere));
    request.heuristic = Heuristic::Named(HeuristicName::Zero);
    request.fallback = Fallback::Nearest;
    for _ in 0..rounds {
        for (field, least) in fields.iter_mut().zip(&mut least) {
            field.restart(&tables, &goal);
            let begun = Instant::now();
            n_settled = field.settle(&tables, SettleTarget::All, u64::MAX).expansions;
            *least = least.min(begun.elapsed().as_nanos() as f64 / n_settled as f64);
        }
        begin(&tables, &request, &mut scratch);
        let begun = Instant::now();
        // All but the last few expansions: the choice of the nearest pose after the last must not be timed.
        advance(&tables, &request, &mut scratch, n_settled - 9);
        let ns = begun.elapsed().as_nanos() as f64;
        let expansions = finish(&tables, &request, &scratch, &mut path).expansions;
        least[3] = least[3].min(ns / expansions as f64);
    }
    let [to_goal, from_start, with_moves, kernel] = least;
    println!("{name:<10}{n_settled:>9}{to_goal:>10.2}{from_start:>12.2}{with_moves:>12.2}{kernel:>10.2}");
}

fn follow(name: &str, grid: &Grid, rounds: usize) {
    let tables = MovementTables::compile(grid, truck());
    let mut random = SplitMix64::new(9);
    let goal = draw_goal(&tables, &mut random);
    let field = whole_field(&tables, &Goal::of(&goal), true);
    let mut path = Path::new();
    print!("{name:<10}");
    let mut agents = |n| {
        let legal =
            std::iter::repeat_with(|| draw(&tables, &mut random)).filter(|&s| field.cost(s).is_some());
        legal.take(n).collect::<Vec<State>>()
    };
    let mut least = f64::MAX;
    for &state in &agents(20 * rounds) {
        field.follow(&tables, state, &mut path);
        let begun = Instant::now();
        field.follow(&tables, state, &mut path);
        least = least.min(begun.elapsed().as_nanos() as f64 / path.moves.len().max(1) as f64);
    }
    print!("{least:>10.2}");
    for n in [8, 256, 10_000] {
        let starts = agents(n);
        let mut states = starts.clone();

        let steps = 100;
        let mut least = f64::MAX;
        for _ in 0..20 * rounds {
            states.copy_from_slice(&starts);
            let begun = Instant::now();
            for _ in 0..steps {
                field.step_all(&mut states);
            }
            black_box(&states);
            least = least.min(begun.elapsed().as_nanos() as f64 / (steps * n) as f64);
        }
        print!("{least:>10.2}");
    }
    println!();
}

const EDITS: usize = 600;

/// A random free site for a 4x4 building, away from the goal.
fn draw_site(grid: &Grid, goal: &Goal<'_>, random: &mut SplitMix64) -> Rect {
    let size = grid.size();
    loop {
        let (x, y) = (random.below(size.width() - 4), random.below(size.height() - 4));
        let site = Rect::new(x as i32, y as i32, 4, 4);
        let free = site.cells().all(|cell| grid.terrain_at(cell) == Some(GROUND));
        if free && goal.measure(grid.shape(), CellXY::new(site.x + 2, site.y + 2)) > 36 {
            return site;
        }
    }
}

fn repair(name: &str, grid: &Grid) {
    for keep_moves in [false, true] {
        let mut grid = grid.clone();
        let mut tables = MovementTables::compile(&grid, truck());
        tables.make_components();
        let mut random = SplitMix64::new(9);
        let goal = draw_goal(&tables, &mut random);
        let goal = Goal::of(&goal);
        let mut field = whole_field(&tables, &goal, keep_moves);
        let mut scratch = RepairScratch::new();
        let (mut us, mut lost) = ([const { Vec::new() }; 2], 0);
        for _ in 0..EDITS {
            let site = draw_site(&grid, &goal, &mut random);
            for (us, kind) in us.iter_mut().zip([WATER, GROUND]) {
                let edit = grid.set_terrain(site, kind);
                tables.update(&grid, edit.changed);
                let begun = Instant::now();
                lost += field.repair(&tables, edit.changed, &mut scratch).lost;
                us.push(begun.elapsed().as_nanos() as f64 / 1000.0);
            }
        }
        let begun = Instant::now();
        let fresh = whole_field(&tables, &goal, keep_moves);
        let fresh_us = begun.elapsed().as_nanos() as f64 / 1000.0;
        assert!(field.settled().eq(fresh.settled()), "{name}: a repaired field differs from a fresh one");
        for (what, us) in ["built", "removed"].into_iter().zip(&mut us) {
            let mean = us.iter().sum::<f64>() / us.len() as f64;
            us.sort_unstable_by(f64::total_cmp);
            let what = if keep_moves { format!("{what} +m") } else { what.to_owned() };
            let (median, p95) = (us[us.len() / 2], us[us.len() * 95 / 100]);
            let lost = lost / EDITS as u64;
            println!("{name:<10}{what:<12}{median:>10.1}{mean:>10.1}{p95:>10.1}{fresh_us:>10.0}{lost:>9}");
        }
    }
}

const BLOCKS: usize = 60;

/// Methods of replanning, in printing order.
const METHODS: [&str; 5] = ["fresh", "field repaired", "old field as h", "learned", "back traces"];

fn replan(name: &str, grid: &Grid) {
    let mut grid = grid.clone();
    let mut tables = MovementTables::compile(&grid, truck());
    tables.make_components();
    let mut random = SplitMix64::new(11);
    let goal = draw_goal(&tables, &mut random);
    let goal = Goal::of(&goal);
    let begun = Instant::now();
    let mut field = whole_field(&tables, &goal, false);
    let field_us = begun.elapsed().as_nanos() as f64 / 1000.0;
    let mut field_scratch = RepairScratch::new();
    let (mut scratch, mut path, mut again) = (Scratch::new(), Path::new(), Path::new());
    let (mut us, mut expansions) = ([const { Vec::new() }; 5], [const { Vec::new() }; 5]);
    let mut bytes = [0; 5];
    while us[0].len() < BLOCKS {
        let state = draw(&tables, &mut random);
        let start = tables.space().pose(state);
        let request = Request::new(start, goal);
        if plan(&tables, &request, &mut scratch, &mut path).status != Status::Found || path.moves.len() < 100
        {
            continue;
        }
        let middle = path.poses[path.poses.len() / 2].pose.cell;
        let site = Rect::new(middle.x - 2, middle.y - 2, 4, 4);
        if site.cells().any(|cell| grid.terrain_at(cell) != Some(GROUND)) {
            continue;
        }
        // What the search before the block has learned.
        let mut learned = LearnedCosts::new(&tables, &goal);
        let mut traces = BackTraces::new(&tables, &goal);
        learned.plan(&tables, &request, &mut scratch, &mut again);
        traces.plan(&tables, &request, &mut scratch, &mut again);
        let edit = grid.set_terrain(site, WATER);
        tables.update(&grid, edit.changed);
        let goal_state = tables.space().state(path.poses[path.poses.len() - 1].pose);
        let open =
            goal_state.is_some_and(|goal| tables.components().reachability(state, goal) == Reachability::Yes);
        if open {
            let mut costs = [0; 5];
            let mut timed = |method: usize, us_list: &mut Vec<f64>, run: &mut dyn FnMut() -> (u32, u64)| {
                let begun = Instant::now();
                let (cost, n) = run();
                us_list.push(begun.elapsed().as_nanos() as f64 / 1000.0);
                costs[method] = cost;
                expansions[method].push(n);
            };
            let [fresh, repaired, old, adaptive, traced] = &mut us;
            timed(0, fresh, &mut || {
                let answer = plan(&tables, &request, &mut scratch, &mut again);
                (answer.cost, answer.expansions)
            });
            let guided = Request { heuristic: Heuristic::Field(&field), ..request };
            timed(2, old, &mut || {
                let answer = plan(&tables, &guided, &mut scratch, &mut again);
                (answer.cost, answer.expansions)
            });
            timed(3, adaptive, &mut || {
                let answer = learned.plan(&tables, &request, &mut scratch, &mut again);
                (answer.cost, answer.expansions)
            });
            timed(4, traced, &mut || {
                traces.after_edit(&tables, edit.changed, true);
                let answer = traces.plan(&tables, &request, &mut scratch, &mut again);
                assert_eq!(answer.reached, Some(Reached::Goal));
                (answer.cost, answer.expansions)
            });
            timed(1, repaired, &mut || {
                let done = field.repair(&tables, edit.changed, &mut field_scratch);
                field.follow(&tables, state, &mut again);
                (again.cost(), done.expansions)
            });
            assert!(costs.iter().all(|&cost| cost == costs[0]), "{name}: {costs:?}");
            bytes = [
                0,
                field.memory_bytes(),
                field.memory_bytes(),
                learned.memory_bytes(),
                traces.memory_bytes(),
            ];
        } else {
            field.repair(&tables, edit.changed, &mut field_scratch);
        }
        let edit = grid.set_terrain(site, GROUND);
        tables.update(&grid, edit.changed);
        field.repair(&tables, edit.changed, &mut field_scratch);
    }
    print!("{name:<10}");
    let fresh: Vec<f64> = us[0].clone();
    for (method, us) in us.iter_mut().enumerate() {
        let mut ratios: Vec<f64> = fresh.iter().zip(us.iter()).map(|(fresh, us)| fresh / us).collect();
        let (ratio, us) = (median(&mut ratios), median(us));
        let mut counts: Vec<f64> = expansions[method].iter().map(|&n| n as f64).collect();
        let n = median(&mut counts);
        print!(" {}: {us:.0} ({n:.0}) {ratio:.1}x;", METHODS[method]);
    }
    println!();
    println!(
        "{:<10} preparation: field {field_us:.0} us; KiB kept per goal: field {}, learned {}, back traces {}",
        "",
        bytes[1] / 1024,
        bytes[3] / 1024,
        bytes[4] / 1024
    );
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
