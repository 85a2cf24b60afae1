//! Growth with the size of the map: requests to an adjacent cell, which must not grow, and tables with components.
//!
//! `cargo run --release -p wheelbase-benches --bin map_sizes -- [ROUNDS [SCENE]]` (default 5). The 1x2 of most scenes,
//! and a 1x1 on hexagons. A near request leads to the next cell to the east; ns per request with warm caches.
//! Components: time to compile tables and to make components, bytes per state, and ns per connectivity test of two
//! random poses.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;
use wheelbase_benches::{SplitMix64, arguments, blobs, calibration, noise, open, rooms, timed, truck};
use wheelbase_grid::{CellXY, Grid, GridShape};
use wheelbase_planner::model::State;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{
    ClassSpec, Goal, GoalMember, Heading, MovementClass, MovementTables, Path, Pose, Primitive, Request,
    Scratch, plan,
};

const NEAR_QUERIES: usize = 1000;
const PAIRS: usize = 4096;
const SIDES: [u32; 4] = [64, 512, 2048, 4096];

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("map_sizes", 5) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    println!("least of {rounds} rounds\n{:<20}{:>8}{:>8}  work", "near requests, ns", "exact", "x1.2");
    for side in SIDES {
        for (name, grid, class) in [
            ("squares", open(side), truck()),
            ("hexagons", open(side).with_shape(GridShape::Hex), hexagonal_cart()),
        ] {
            let name = format!("{name} {side}");
            if name.contains(&part) {
                near_requests(&name, &MovementTables::compile(&grid, class), rounds);
            }
        }
    }
    println!(
        "{:<16}{:>9}{:>9}{:>9}{:>9}{:>9}  work",
        "components", "compile", "make", "tables", "comp.", "test"
    );
    println!("{:<16}{:>9}{:>9}{:>9}{:>9}{:>9}", "", "ms", "ms", "B/state", "B/state", "ns");
    for side in SIDES {
        for kind in ["open", "blobs", "rooms", "noise"] {
            let name = format!("{kind} {side}");
            if name.contains(&part) {
                components(&name, &drawn(kind, side), rounds);
            }
        }
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn drawn(kind: &str, side: u32) -> Grid {
    match kind {
        "blobs" => blobs(side, 3),
        "rooms" => rooms(side, 4),
        "noise" => noise(side, 5),
        _ => open(side),
    }
}

fn hexagonal_cart() -> MovementClass {
    let mut spec = ClassSpec::hexagonal("cart", 6);
    spec.primitives = Primitive::vehicle(2, 6, 2);
    MovementClass::new(spec).unwrap_or_else(|error| panic!("a cart: {error}"))
}

fn near_requests(name: &str, tables: &MovementTables, rounds: usize) {
    let mut random = SplitMix64::new(5);
    let side = tables.space().size().width();
    // Within the same block at the centre of any map, so that caches have the same effect.
    let mut coordinate = || (side / 2 - 30 + random.below(60)) as i32;
    let queries: Vec<(Pose, [GoalMember; 1])> = (0..NEAR_QUERIES)
        .map(|_| (coordinate(), coordinate()))
        .map(|(x, y)| (Pose::new(x, y, Heading(0)), [GoalMember::any(CellXY::new(x + 1, y))]))
        .collect();
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let (mut ns, mut work) = ([f64::MAX; 2], (0, 0));
    for _ in 0..=rounds {
        for (weight, ns) in [1000, 1200].into_iter().zip(&mut ns) {
            work = (0, 0);
            let ((), ms) = timed(|| {
                for (start, goal) in &queries {
                    let request = Request { weight_permille: weight, ..Request::new(*start, Goal::of(goal)) };
                    let answer = plan(tables, &request, &mut scratch, &mut path);
                    work = (work.0 + answer.expansions, work.1 + u64::from(answer.cost));
                }
            });
            *ns = ns.min(ms * 1e6 / NEAR_QUERIES as f64);
        }
    }
    println!("{name:<20}{:>8.0}{:>8.0}  {} expansions, {} ticks", ns[0], ns[1], work.0, work.1);
}

fn components(name: &str, grid: &Grid, rounds: usize) {
    let (mut compile_ms, mut make_ms, mut test_ns) = (f64::MAX, f64::MAX, f64::MAX);
    let (mut tables, _) = timed(|| MovementTables::compile(grid, truck()));
    let (table_bytes, n_states) = (tables.memory_bytes(), tables.space().n_states());
    let mut random = SplitMix64::new(7);
    let mut state = || State(random.below(n_states as u32));
    let pairs: Vec<(State, State)> = (0..PAIRS).map(|_| (state(), state())).collect();
    let mut connected = 0;
    for _ in 0..rounds {
        compile_ms = compile_ms.min(timed(|| black_box(MovementTables::compile(grid, truck()))).1);
        make_ms = make_ms.min(timed(|| tables.make_components()).1);
        let are_connected =
            |&&(from, to): &&(State, State)| tables.components().reachability(from, to) == Reachability::Yes;
        let (n, ms) = timed(|| pairs.iter().filter(are_connected).count());
        connected = n;
        test_ns = test_ns.min(ms * 1e6 / PAIRS as f64);
    }
    let per_state = |bytes: usize| bytes as f64 / n_states as f64;
    println!(
        "{name:<16}{compile_ms:>9.1}{make_ms:>9.1}{:>9.3}{:>9.3}{test_ns:>9.1}  {connected} of {PAIRS} pairs connected",
        per_state(table_bytes),
        per_state(tables.components().memory_bytes()),
    );
}
