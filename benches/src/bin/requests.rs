//! Requests as in a game: long ones with landmarks, short ones per second, and many together.
//!
//! `cargo run --release -p wheelbase-benches --bin requests -- [ROUNDS [SCENE]]` (default 3). The 1x2 truck, on one
//! thread except in the last table. The gain of landmarks is printed with their preparation time and memory; the
//! calibration of the machine is printed at both ends.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use wheelbase_benches::{
    Ours, SCENARIO_MAPS, Scene, arguments, blobs, calibration, drawn_scenes, file_scenes, noise, open, rooms,
    timed, times, truck,
};
use wheelbase_planner::search::batch::{BatchScratch, plan_all};
use wheelbase_planner::search::{Heuristic, Landmarks};
use wheelbase_planner::{Goal, GoalMember, Request};

const LANDMARKS: usize = 16;
const LONG_QUERIES: usize = 200;
const SHORT_QUERIES: usize = 4000;
/// Greatest distance from start to goal of a short request, in cells.
const SHORT_CELLS: u32 = 40;

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("requests", 3) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    let with_part = |scene: &Scene| scene.name.contains(&part);
    println!("\nlong: {LONG_QUERIES} queries, least of {rounds} rounds each; {LANDMARKS} landmarks");
    println!("{:<16}{:>30} |{:>30} | prepared", "", "default heuristic", "landmarks");
    println!(
        "{:<16}{:>10}{:>9}{:>11} |{:>10}{:>9}{:>11} |{:>7}{:>9}{:>6}",
        "", "median us", "mean", "expansions", "median us", "mean", "expansions", "used", "prep ms", "MiB"
    );
    let drawn = [256, 512].into_iter().flat_map(|side| drawn_scenes(side, LONG_QUERIES));
    let scenes: Vec<Scene> = file_scenes(&SCENARIO_MAPS, LONG_QUERIES).into_iter().chain(drawn).collect();
    scenes.iter().filter(|scene| with_part(scene)).for_each(|scene| long(scene, rounds));
    println!(
        "\nwithin {SHORT_CELLS} cells on 512 x 512: {SHORT_QUERIES} queries, least of {rounds} rounds each"
    );
    println!("{:<16}{:>14}{:>10}{:>11}{:>8}", "", "requests/s", "mean us", "expansions", "ns/x");
    let maps =
        [("open", open(512)), ("blobs", blobs(512, 3)), ("rooms", rooms(512, 4)), ("noise", noise(512, 9))];
    let short_scenes =
        maps.map(|(name, grid)| Scene::within(name, &grid, truck(), SHORT_CELLS, SHORT_QUERIES, 11));
    short_scenes.iter().filter(|scene| with_part(scene)).for_each(|scene| short(scene, rounds));
    println!("\nplanner::batch: all queries at once, least of {rounds} rounds");
    println!("{:<16}{:>10}{:>14}{:>12}{:>8}", "", "queries", "1 thread ms", "2 threads", "ratio");
    let long_scenes = scenes.iter().filter(|scene| scene.name.ends_with("512"));
    let batches = short_scenes.iter().chain(long_scenes).filter(|scene| with_part(scene));
    batches.for_each(|scene| batch(scene, rounds));
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn long(scene: &Scene, rounds: usize) {
    let (landmarks, prepare_ms) = timed(|| Landmarks::of(&scene.tables, LANDMARKS));
    let [mut plain, mut guided] = [Heuristic::Default, Heuristic::Landmarks(&landmarks)]
        .map(|heuristic| Ours::guided(scene, heuristic));
    let works = [plain.work(), guided.work()];
    assert_eq!(works[0].cost_total, works[1].cost_total, "{}", scene.name);
    let least =
        times(rounds, &scene.queries, [&mut |query| plain.cost(query), &mut |query| guided.cost(query)]);
    print!("{:<16}", scene.name);
    for (least, work) in least.iter().zip(works) {
        let expansions = work.expansions as f64 / work.queries as f64;
        print!("{:>10.0}{:>9.0}{expansions:>11.0} |", least.median_us(), least.mean_us());
    }
    println!("{:>7}{prepare_ms:>9.0}{:>6}", works[1].guided, landmarks.memory_bytes() >> 20);
}

fn short(scene: &Scene, rounds: usize) {
    let mut ours = Ours::guided(scene, Heuristic::Default);
    let work = ours.work();
    let [least] = times(rounds, &scene.queries, [&mut |query| ours.cost(query)]);
    println!(
        "{:<16}{:>14.0}{:>10.2}{:>11.1}{:>8.1}",
        scene.name,
        1e6 / least.mean_us(),
        least.mean_us(),
        work.expansions as f64 / work.queries as f64,
        least.total_s() * 1e9 / work.expansions as f64
    );
}

fn batch(scene: &Scene, rounds: usize) {
    let goals: Vec<[GoalMember; 1]> =
        scene.queries.iter().map(|query| [GoalMember::pose(query.goal)]).collect();
    let queries = scene.queries.iter().zip(&goals);
    let requests: Vec<Request<'_>> =
        queries.map(|(query, goal)| Request::new(query.start, Goal::of(goal))).collect();
    let run = |pool: &rayon::ThreadPool, memory: &mut BatchScratch| {
        let mut cost_total = 0;
        pool.install(|| {
            plan_all(&scene.tables, &requests, memory, |_, answer, _| cost_total += u64::from(answer.cost));
        });
        cost_total
    };
    let pools = [1, 2].map(|n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
        pool.unwrap_or_else(|error| panic!("a pool of {n} threads: {error}"))
    });
    let mut memory = [const { None }; 2].map(|_: Option<BatchScratch>| BatchScratch::new());
    let costs = [0, 1].map(|at| run(&pools[at], &mut memory[at]));
    assert_eq!(costs[0], costs[1], "{}", scene.name);
    let [one_memory, two_memory] = &mut memory;
    let [one, two] =
        times(rounds, &[()], [&mut |()| run(&pools[0], one_memory), &mut |()| run(&pools[1], two_memory)]);
    let (one, two) = (one.total_s(), two.total_s());
    println!(
        "{:<16}{:>10}{:>14.1}{:>12.1}{:>8.2}",
        scene.name,
        requests.len(),
        one * 1e3,
        two * 1e3,
        one / two
    );
}
