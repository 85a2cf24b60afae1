//! Distances: a thousand targets compared with one field, the range of a turn, turned tiles, plain graphs.
//!
//! `cargo run --release -p wheelbase-benches --bin distances -- [ROUNDS [TABLE]]` (default 5). The 1x2 truck of the
//! other programs on maps of 512 x 512 cells. Times are the least of the rounds, on one thread. The calibration of the
//! machine is printed at both ends: if the two differ much, measure again.

#![forbid(unsafe_code)]

use petgraph::algo::{astar, dijkstra};
use petgraph::graph::{DiGraph, NodeIndex};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use wheelbase_benches::{SplitMix64, Times, arguments, blobs, calibration, open, rooms, times, truck};
use wheelbase_grid::{CellXY, Grid, Rect, Side, SideKind};
use wheelbase_planner::fields::{Connections, CostField};
use wheelbase_planner::graph::{Edge, Graph, GraphField, GraphPath, GraphRequest, GraphScratch};
use wheelbase_planner::model::State;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{
    ClassSpec, Distances, Goal, GoalMember, MovementClass, MovementTables, Pose, Primitive, SettleTarget,
};

const SIDE: u32 = 512;

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("distances", 5) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    let maps = [("open", open(SIDE)), ("blobs", blobs(SIDE, 3)), ("rooms", rooms(SIDE, 4))];
    if "targets".contains(&part) {
        println!(
            "\n1,000 targets from one pose, compared with one full field; then the first move to each; restarted each round"
        );
        println!(
            "{:<8}{:>10}{:>10}{:>8}{:>8}{:>12}{:>12}  work",
            "map", "field ms", "targets", "ratio", "moves", "settled", "again us"
        );
        maps.iter().for_each(|(name, grid)| targets(name, grid, rounds));
    }
    if "range".contains(&part) {
        println!("\nrange of 20 cells, 40 ticks, from {RANGES} poses: us each to restart, settle and list");
        println!("{:<8}{:>8}{:>8}{:>8}{:>10}{:>10}", "map", "mean", "p95", "most", "poses", "ns/pose");
        maps.iter().for_each(|(name, grid)| ranges(name, grid, rounds));
    }
    if "turns".contains(&part) {
        println!(
            "\nboards of tiles: ns per turn (edit, tables, components) and per connectivity test, least of {rounds} rounds; {TURNS} turns"
        );
        println!(
            "{:<12}{:>8}{:>8}{:>8}{:>8}{:>8}{:>10}  work",
            "board", "median", "mean", "p99", "most", "test", "shortest"
        );
        for side in [16, 64, 512] {
            turns(side, rounds);
        }
    }
    if "graphs".contains(&part) {
        println!(
            "\ngraphs: ms for {QUERIES} queries and for one field, least of {rounds} rounds; petgraph on the same graph"
        );
        println!(
            "{:<24}{:>9}{:>10}{:>7}{:>9}{:>10}{:>7}  work",
            "graph", "queries", "petgraph", "ratio", "field", "petgraph", "ratio"
        );
        println!(
            "queries: unfair to petgraph for small weights, where ours uses buckets; both Dijkstra, costs equal"
        );
        graphs("lattice 256, weights to 9", &lattice(256, 9), rounds);
        graphs("lattice 256, to 100000", &lattice(256, 100_000), rounds);
        graphs("random 50000, to 1000", &scattered(50_000, 1000), rounds);
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

/// A random legal pose.
fn draw(tables: &MovementTables, random: &mut SplitMix64) -> Pose {
    loop {
        let state = State(random.below(tables.space().n_states() as u32));
        if tables.is_legal(state) {
            return tables.space().pose(state);
        }
    }
}

fn micros(begun: Instant) -> f64 {
    begun.elapsed().as_nanos() as f64 / 1000.0
}

fn targets(name: &str, grid: &Grid, rounds: usize) {
    let mut tables = MovementTables::compile(grid, truck());
    tables.make_components();
    let mut random = SplitMix64::new(21);
    let [mut field_us, mut targets_us, mut moves_us, mut again_us] = [f64::MAX; 4];
    let mut firsts = 0;
    // A start that reaches a quarter of all states: in the main part of the map.
    let (start, mut field) = loop {
        let start = draw(&tables, &mut random);
        let mut field = CostField::from_start(&tables, &Goal::of(&[GoalMember::pose(start)]));
        if field.settle(&tables, SettleTarget::All, u64::MAX).expansions as usize
            > tables.space().n_states() / 4
        {
            break (start, field);
        }
    };
    let asked: Vec<GoalMember> =
        (0..1000).map(|_| GoalMember::any(draw(&tables, &mut random).cell)).collect();
    let mut from = Distances::from_pose(&tables, start);
    let (mut answers, mut settled, mut whole) = (Vec::new(), 0, 0);
    for _ in 0..rounds {
        let begun = Instant::now();
        field.restart(&tables, &Goal::of(&[GoalMember::pose(start)]));
        whole = field.settle(&tables, SettleTarget::All, u64::MAX).expansions;
        field_us = field_us.min(micros(begun));
        let begun = Instant::now();
        from.restart_from(&tables, start);
        settled = from.measure(&tables, &asked, &mut answers);
        targets_us = targets_us.min(micros(begun));
        firsts = answers
            .iter()
            .flatten()
            .filter(|distance| from.next_move(&tables, distance.pose).is_some())
            .count();
        moves_us = moves_us.min(micros(begun));
        let begun = Instant::now();
        from.measure(&tables, &asked, &mut answers);
        again_us = again_us.min(micros(begun));
    }
    let sum: u64 = answers.iter().flatten().map(|distance| u64::from(distance.ticks)).sum();
    println!(
        "{name:<8}{:>10.2}{:>10.2}{:>8.2}{:>8.2}{:>11.0}%{again_us:>12.0}  {} reached, {sum} ticks, {firsts} first moves",
        field_us / 1000.0,
        targets_us / 1000.0,
        targets_us / field_us,
        moves_us / field_us,
        100.0 * settled as f64 / whole as f64,
        answers.iter().flatten().count(),
    );
}

const RANGES: usize = 300;

fn ranges(name: &str, grid: &Grid, rounds: usize) {
    let mut tables = MovementTables::compile(grid, truck());
    tables.make_components();
    let mut random = SplitMix64::new(22);
    let starts: Vec<Pose> = (0..RANGES).map(|_| draw(&tables, &mut random)).collect();
    let mut from = Distances::from_pose(&tables, starts[0]);
    let mut within: Vec<(Pose, u32)> = Vec::new();
    let mut us = vec![f64::MAX; RANGES];
    let mut n_poses = 0;
    for _ in 0..rounds {
        n_poses = 0;
        for (&start, us) in starts.iter().zip(&mut us) {
            let begun = Instant::now();
            from.restart_from(&tables, start);
            from.settle(&tables, SettleTarget::Within(40), u64::MAX);
            within.clear();
            within.extend(from.within(40));
            *us = us.min(micros(begun));
            n_poses += black_box(&within).len();
        }
    }
    let total: f64 = us.iter().sum();
    us.sort_unstable_by(f64::total_cmp);
    println!(
        "{name:<8}{:>8.1}{:>8.1}{:>8.1}{:>10}{:>10.1}",
        total / RANGES as f64,
        us[RANGES * 95 / 100],
        us[RANGES - 1],
        n_poses / RANGES,
        total * 1000.0 / n_poses as f64
    );
}

const TURNS: usize = 20_000;

/// A square board of random tiles of five kinds, each randomly turned.
fn board(side: u32, random: &mut SplitMix64) -> Grid {
    const SHUT: [&[Side]; 5] = [
        &[],
        &[Side::North],
        &[Side::North, Side::East],
        &[Side::North, Side::South],
        &[Side::North, Side::East, Side::South],
    ];
    let mut grid = open(side);
    for cell in Rect::new(0, 0, side, side).cells() {
        for &side in SHUT[random.below(5) as usize] {
            grid.set_side(cell, side, SideKind::WALL);
        }
        grid.rotate(cell, random.below(4) as i32);
    }
    grid
}

fn turns(side: u32, rounds: usize) {
    let mut random = SplitMix64::new(23);
    let begun = board(side, &mut random);
    let mut spec = ClassSpec::new("current", 1);
    spec.primitives = Primitive::four_directions(1);
    let class = MovementClass::new(spec).unwrap_or_else(|error| panic!("{error}"));
    let mut cell = || CellXY::new(random.below(side) as i32, random.below(side) as i32);
    let plan: Vec<[CellXY; 3]> = (0..TURNS).map(|_| [cell(), cell(), cell()]).collect();
    let mut ns = vec![f64::MAX; TURNS];
    let (mut test_ns, mut shortest_us) = (f64::MAX, f64::MAX);
    let (mut connected, mut tiles) = (0, Vec::new());
    for _ in 0..rounds {
        let mut grid = begun.clone();
        let mut tables = MovementTables::compile(&grid, class.clone());
        tables.make_components();
        let mut connections = Connections::new(&tables);
        let mut answers = Vec::with_capacity(TURNS);
        for (at, (&[turned, from, to], ns)) in plan.iter().zip(&mut ns).enumerate() {
            let begun = Instant::now();
            let edit = grid.rotate(turned, 1 + at as i32 % 3);
            tables.update(&grid, edit.changed);
            *ns = ns.min(begun.elapsed().as_nanos() as f64);
            answers.push(tables.connects(from, to));
        }
        let begun = Instant::now();
        for &[_, from, to] in &plan {
            black_box(tables.connects(black_box(from), to));
        }
        test_ns = test_ns.min(begun.elapsed().as_nanos() as f64 / TURNS as f64);
        connected = answers.iter().filter(|&&answer| answer == Reachability::Yes).count();
        let begun = Instant::now();
        for &[_, from, to] in &plan[..200] {
            connections.shortest(&tables, from, to, &mut tiles);
        }
        shortest_us = shortest_us.min(micros(begun) / 200.0);
    }
    let mean = ns.iter().sum::<f64>() / TURNS as f64;
    ns.sort_unstable_by(f64::total_cmp);
    let name = format!("{side} x {side}");
    println!(
        "{name:<12}{:>8.0}{mean:>8.0}{:>8.0}{:>8.0}{test_ns:>8.1}{shortest_us:>7.1} us  {connected} of {TURNS} connected",
        ns[TURNS / 2],
        ns[TURNS * 99 / 100],
        ns[TURNS - 1],
    );
}

const QUERIES: usize = 50;

/// A lattice of nodes joined to their four neighbours, with a random weight for each direction.
fn lattice(side: u32, most: u32) -> (u32, Vec<Edge>) {
    let mut random = SplitMix64::new(24);
    let mut edges = Vec::new();
    for node in 0..side * side {
        let (x, y) = (node % side, node / side);
        let mut join = |there: bool, other: u32| {
            if there {
                edges.push(Edge::new(node, other, i64::from(1 + random.below(most))));
                edges.push(Edge::new(other, node, i64::from(1 + random.below(most))));
            }
        };
        join(x + 1 < side, node + 1);
        join(y + 1 < side, node + side);
    }
    (side * side, edges)
}

/// Nodes with four edges each to random others.
fn scattered(n_nodes: u32, most: u32) -> (u32, Vec<Edge>) {
    let mut random = SplitMix64::new(25);
    let mut edge = |from| Edge::new(from, random.below(n_nodes), i64::from(1 + random.below(most)));
    (n_nodes, (0..4 * n_nodes).map(|number| edge(number / 4)).collect())
}

fn graphs(name: &str, (n_nodes, edges): &(u32, Vec<Edge>), rounds: usize) {
    let graph = Graph::new(*n_nodes, edges.iter().copied()).unwrap_or_else(|error| panic!("{error}"));
    let ends = edges.iter().map(|edge| (edge.from, edge.to, edge.weight as u32));
    let peer: DiGraph<(), u32> = DiGraph::from_edges(ends);
    let mut random = SplitMix64::new(26);
    let queries: Vec<(u32, u32)> =
        (0..QUERIES).map(|_| (random.below(*n_nodes), random.below(*n_nodes))).collect();
    let (mut scratch, mut path) = (GraphScratch::new(), GraphPath::new());
    let mut field = GraphField::from_start(&graph, &[]);
    let mut expansions = 0;
    let [ours, theirs] = times(
        rounds,
        &queries,
        [
            &mut |&(start, goal)| {
                let answer = graph.plan(&GraphRequest::new(start, &[goal]), &mut scratch, &mut path);
                expansions += answer.expansions;
                answer.cost.into()
            },
            &mut |&(start, goal)| {
                let (start, goal) = (NodeIndex::from(start), NodeIndex::from(goal));
                let found = astar(&peer, start, |node| node == goal, |edge| *edge.weight(), |_| 0);
                found.map_or(0, |(cost, _)| cost.into())
            },
        ],
    );
    let [our_field, their_field] = times(
        rounds,
        &queries[..1],
        [
            &mut |&(start, _)| {
                field.restart(&graph, &[start]);
                field.settle(&graph, SettleTarget::All, u64::MAX).expansions
            },
            &mut |&(start, _)| {
                dijkstra(&peer, NodeIndex::from(start), None, |edge| *edge.weight()).len() as u64
            },
        ],
    );
    for &(start, goal) in &queries {
        let cost = graph.plan(&GraphRequest::new(start, &[goal]), &mut scratch, &mut path).cost;
        let (start, goal) = (NodeIndex::from(start), NodeIndex::from(goal));
        let other = astar(&peer, start, |node| node == goal, |edge| *edge.weight(), |_| 0);
        assert_eq!(other.map_or(0, |(cost, _)| cost), cost, "{name}");
    }
    let ms = |times: &Times| times.total_s() * 1e3;
    println!(
        "{name:<24}{:>9.1}{:>10.1}{:>7.1}{:>9.2}{:>10.2}{:>7.1}  {} expansions per round",
        ms(&ours),
        ms(&theirs),
        ms(&theirs) / ms(&ours),
        ms(&our_field),
        ms(&their_field),
        ms(&their_field) / ms(&our_field),
        expansions / rounds as u64,
    );
}
