//! What the C interface costs beyond Rust: cargo run --release -p wheelbase-capi --example overhead
//!
//! Of each pair of times the less of five runs is printed. The figures in docs/c.md are from here.
#![allow(clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;
use std::time::Instant;
use wheelbase_c::*;
use wheelbase_grid::{CellXY, GridSize, SplitMix64};
use wheelbase_maps::{MapKind, generate};
use wheelbase_planner::search::batch::{BatchScratch, plan_all};
use wheelbase_planner::*;

/// Seconds of the fastest of five runs.
fn seconds(mut run: impl FnMut()) -> f64 {
    let times = (0..5).map(|_| {
        let begin = Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

fn ok(status: u32) {
    assert_eq!(status, WB_OK);
}

fn main() {
    let grid = generate(MapKind::Base, GridSize::new(256, 256).unwrap(), 5);
    let mut spec = ClassSpec::new("lorry", 4);
    (spec.footprint, spec.primitives) = (vec![(0, 0), (-1, 0)], Primitive::vehicle(10, 30, 10));
    let class = MovementClass::new(spec).unwrap();
    let in_rust = MovementTables::compile(&grid, class.clone());
    let (mut map, mut class_in_c, mut tables, mut scratch, mut path) = (0, 0, 0, 0, 0);
    let mut file = Vec::new();
    wheelbase_maps::movingai::write(&grid, &mut file).unwrap();
    let toml = "[class.lorry]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [\n  \
        { name = \"forward\", by = [1, 0], time = 10 },\n  { name = \"reverse\", by = [-1, 0], time = 30 },\n  \
        { name = \"left\", turn = 1, time = 10 },\n  { name = \"right\", turn = -1, time = 10 },\n]\n";
    // SAFETY: here and below all pointers are to values that live here.
    unsafe {
        ok(wb_map_parse(c"m".as_ptr(), 1, file.as_ptr(), file.len(), &mut map));
        ok(wb_class_parse(c"c".as_ptr(), 1, toml.as_ptr().cast(), toml.len(), &mut class_in_c));
        ok(wb_tables_new(map, class_in_c, &mut tables));
        ok(wb_scratch_new(&mut scratch));
        ok(wb_path_new(&mut path));
    }

    let n = 10_000_000_u32;
    let pose = |number: u32| wb_pose {
        x: (number & 255) as i32,
        y: (number >> 8 & 255) as i32,
        heading: number & 3,
    };
    let of_rust = |pose: wb_pose| Pose::new(pose.x, pose.y, Heading(pose.heading as u8));
    let mut count = [0_u32; 2];
    let rust = seconds(|| {
        count[0] = (0..n).map(|at| u32::from(in_rust.is_legal_pose(black_box(of_rust(pose(at)))))).sum()
    });
    let c = seconds(|| {
        count[1] = 0;
        for at in 0..n {
            let (asked, mut legal) = (pose(at), 0);
            ok(unsafe { wb_tables_is_legal(tables, black_box(&asked), &mut legal) });
            count[1] += u32::from(legal);
        }
    });
    assert_eq!(count[0], count[1]);
    let each = |seconds: f64| seconds * 1e9 / f64::from(n);
    println!("is_legal: Rust {:.1} ns, C {:.1} ns", each(rust), each(c));

    for (what, reach) in [("far", 256), ("near", 4)] {
        plans(&in_rust, [tables, scratch, path], what, reach);
    }
    batches(&in_rust, tables, scratch);

    let saved = in_rust.save();
    let compile = seconds(|| drop(black_box(MovementTables::compile(&grid, class.clone()))));
    let restore = seconds(|| drop(black_box(MovementTables::restore(&saved, &grid, class.clone()).unwrap())));
    let bytes = in_rust.memory_bytes();
    println!(
        "tables of 256 x 256: compile {:.2} ms, restore {:.2} ms, {bytes} bytes",
        compile * 1e3,
        restore * 1e3
    );
    ok(wb_path_destroy(path));
    ok(wb_scratch_destroy(scratch));
    ok(wb_tables_destroy(tables));
    ok(wb_class_destroy(class_in_c));
    ok(wb_map_destroy(map));
}

/// Queries between legal poses; `reach` limits how far the goal is from the start in each direction.
fn queries(tables: &MovementTables, number: usize, reach: i32) -> Vec<(Pose, [GoalMember; 1])> {
    let mut random = SplitMix64::new(3);
    let mut found = Vec::new();
    while found.len() < number {
        let start = Pose::new(random.between(0, 255), random.between(0, 255), Heading(random.below(4) as u8));
        let near =
            |random: &mut SplitMix64, at: i32| random.between((at - reach).max(0), (at + reach).min(255));
        let goal = CellXY::new(near(&mut random, start.cell.x), near(&mut random, start.cell.y));
        let goal = Pose { cell: goal, heading: Heading(0) };
        if tables.is_legal_pose(start) && tables.is_legal_pose(goal) {
            found.push((start, [GoalMember::any(goal.cell)]));
        }
    }
    found
}

fn in_c(queries: &[(Pose, [GoalMember; 1])]) -> (Vec<wb_goal>, Vec<wb_request>) {
    let goal = |(_, [goal]): &(Pose, [GoalMember; 1])| wb_goal {
        x: goal.cell.x,
        y: goal.cell.y,
        heading: WB_ANY_HEADING,
    };
    let goals: Vec<wb_goal> = queries.iter().map(goal).collect();
    let requests = queries.iter().zip(&goals).map(|((start, _), goal)| unsafe {
        let mut asked = std::mem::zeroed();
        ok(wb_request_init(&mut asked));
        asked.start = wb_pose { x: start.cell.x, y: start.cell.y, heading: u32::from(start.heading.0) };
        (asked.goals, asked.n_goals) = (goal, 1);
        asked
    });
    let requests = requests.collect();
    (goals, requests)
}

fn plans(in_rust: &MovementTables, [tables, scratch, path]: [u64; 3], what: &str, reach: i32) {
    let queries = queries(in_rust, 1000, reach);
    let (_goals, requests) = in_c(&queries);
    let (mut memory, mut found) = (Scratch::new(), Path::new());
    let mut cost = [0_u64; 2];
    let rust = seconds(|| {
        cost[0] = 0;
        for (start, goal) in &queries {
            let answer = plan(in_rust, &Request::new(*start, Goal::of(goal)), &mut memory, &mut found);
            cost[0] += u64::from(answer.cost);
        }
    });
    let c = seconds(|| {
        cost[1] = 0;
        for asked in &requests {
            let mut answer = wb_answer { size: size_of::<wb_answer>() as u32, ..Default::default() };
            ok(unsafe { wb_plan(tables, asked, scratch, path, &mut answer) });
            cost[1] += u64::from(answer.cost);
        }
    });
    assert_eq!(cost[0], cost[1]);
    println!(
        "1,000 {what} plans: Rust {:.2} ms, C {:.2} ms, {:+.0} ns each; sum of costs {}",
        rust * 1e3,
        c * 1e3,
        (c - rust) * 1e6,
        cost[0]
    );
}

fn batches(in_rust: &MovementTables, tables: u64, scratch: u64) {
    let queries = queries(in_rust, 10_000, 256);
    let (_goals, requests) = in_c(&queries);
    let of_rust: Vec<Request<'_>> =
        queries.iter().map(|(start, goal)| Request::new(*start, Goal::of(goal))).collect();
    let mut answers =
        vec![wb_answer { size: size_of::<wb_answer>() as u32, ..Default::default() }; requests.len()];
    let mut offsets = vec![0; requests.len() + 1];
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut memory, mut sum, mut poses_of_rust) = (BatchScratch::new(), 0, Vec::new());
        let rust = seconds(|| {
            (sum, poses_of_rust) = (0, Vec::new());
            pool.install(|| {
                plan_all(in_rust, &of_rust, &mut memory, |_, answer, path| {
                    sum += u64::from(answer.cost);
                    poses_of_rust.extend_from_slice(&path.poses);
                });
            });
        });
        let (mut poses, mut moves) =
            (vec![wb_path_pose::default(); poses_of_rust.len()], vec![0; poses_of_rust.len()]);
        let c = seconds(|| {
            ok(unsafe {
                let (room, to) = (poses.len(), (poses.as_mut_ptr(), moves.as_mut_ptr()));
                let (answers, offsets) = (answers.as_mut_ptr(), offsets.as_mut_ptr());
                wb_plan_batch(
                    tables,
                    requests.as_ptr(),
                    requests.len(),
                    threads as u32,
                    scratch,
                    answers,
                    to.0,
                    to.1,
                    room,
                    offsets,
                )
            });
        });
        assert_eq!(sum, answers.iter().map(|answer| u64::from(answer.cost)).sum::<u64>());
        println!(
            "10,000 requests, {threads} threads: Rust {:.0} ms, C {:.0} ms, {} poses",
            rust * 1e3,
            c * 1e3,
            poses.len()
        );
    }
}
