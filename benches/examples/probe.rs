use std::time::Instant;
use wheelbase_benches::*;
use wheelbase_grid::*;
use wheelbase_planner::*;
fn least<R>(n: usize, mut f: impl FnMut() -> R) -> f64 {
    (0..n)
        .map(|_| {
            let t = Instant::now();
            let r = f();
            let e = t.elapsed().as_secs_f64();
            drop(r);
            e
        })
        .fold(f64::MAX, f64::min)
}
fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let all = what.is_empty();
    if all || what == "compile" {
        for (n, g) in [("open", open(1024)), ("rooms", rooms(1024, 4))] {
            println!(
                "{n} words {:.3} ms",
                1e3 * least(60, || MovementTables::compile_without_components(&g, truck()))
            );
            let t = MovementTables::compile_without_components(&g, truck());
            println!("{n} comps {:.3} ms", 1e3 * least(10, || Components::of(&t)));
        }
    }
    if all || what == "update" {
        for comps in [false, true] {
            for (n, mut g) in [("open", open(512)), ("blobs", blobs(512, 3)), ("rooms", rooms(512, 4))] {
                let mut d = Draws::new(6);
                let places: Vec<Rect> = (0..512)
                    .map(|_| Rect::new(d.below(508) as i32, d.below(508) as i32, 4, 4))
                    .filter(|a| a.cells().all(|c| g.terrain_at(c) == Some(TerrainKind(0))))
                    .collect();
                let mut t = if comps {
                    MovementTables::compile(&g, truck())
                } else {
                    MovementTables::compile_without_components(&g, truck())
                };
                let mut times = Vec::new();
                for _ in 0..4 {
                    for p in &places {
                        for k in [2, 0] {
                            let e = g.set_terrain(*p, TerrainKind(k));
                            let i = Instant::now();
                            t.update(&g, e.changed);
                            times.push(i.elapsed().as_nanos() as u64);
                        }
                    }
                }
                times.sort_unstable();
                println!(
                    "{n} update comps={comps} p10 {} median {} p95 {} max {} mean {} ns",
                    times[times.len() / 10],
                    times[times.len() / 2],
                    times[times.len() * 95 / 100],
                    times[times.len() - 1],
                    times.iter().sum::<u64>() / times.len() as u64
                );
            }
        }
    }
    if all || what == "long" {
        let n: usize = std::env::args().nth(2).map_or(16, |n| n.parse().unwrap());
        let mut noise = open(512);
        let mut d = Draws::new(9);
        for _ in 0..512 * 512 / 5 {
            noise.set_terrain(Rect::new(d.below(512) as i32, d.below(512) as i32, 1, 1), TerrainKind(2));
        }
        for (name, g) in [("blobs", blobs(512, 3)), ("rooms", rooms(512, 4)), ("noise", noise)] {
            let t = MovementTables::compile(&g, truck());
            let time = Instant::now();
            let marks = Landmarks::of(&t, n);
            println!(
                "{name}: {} landmarks in {:.0} ms, {} MiB",
                marks.states().len(),
                time.elapsed().as_secs_f64() * 1e3,
                marks.memory_bytes() >> 20
            );
            let mut d = Draws::new(11);
            let mut queries = Vec::new();
            while queries.len() < 200 {
                let (a, b) = (
                    State(d.below(t.space().n_states() as u32)),
                    State(d.below(t.space().n_states() as u32)),
                );
                if t.components().way(a, b) == Way::Yes {
                    queries.push((t.space().pose(a), t.space().pose(b)));
                }
            }
            let (mut scratch, mut path) = (Scratch::new(), Path::new());
            for h in [Heuristic::Default, Heuristic::Landmarks(&marks)] {
                let mut times = Vec::new();
                let mut exps = Vec::new();
                let mut costs = 0u64;
                let mut per = 0.0;
                let mut used = 0;
                for (a, b) in &queries {
                    let goal = [GoalMember::pose(*b)];
                    let mut r = Request::new(*a, Goal::of(&goal));
                    r.heuristic = h;
                    let mut best = f64::MAX;
                    let mut ans = None;
                    for _ in 0..3 {
                        let i = Instant::now();
                        ans = Some(plan(&t, &r, &mut scratch, &mut path));
                        best = best.min(i.elapsed().as_secs_f64());
                    }
                    let ans = ans.unwrap();
                    times.push(best);
                    exps.push(ans.expansions);
                    costs += ans.cost as u64;
                    per += best;
                    used += (ans.guide == Guide::Landmarks) as u32;
                }
                per /= exps.iter().sum::<u64>() as f64;
                times.sort_by(f64::total_cmp);
                exps.sort_unstable();
                println!(
                    "  median {:.3} ms p95 {:.3} mean {:.3}, expansions median {} total {}, {:.1} ns an expansion, cost {costs}, landmarks used {used}",
                    times[100] * 1e3,
                    times[190] * 1e3,
                    times.iter().sum::<f64>() / 200.0 * 1e3,
                    exps[100],
                    exps.iter().sum::<u64>(),
                    per * 1e9
                );
            }
        }
    }
    if all || what == "kernel" {
        let mut spec = ClassSpec::new("general", 8);
        spec.footprint = vec![(0, 0), (-1, 0)];
        spec.climb = Climb { up: 100, down: 50, ..Climb::default() };
        let longer = |t: u32| (t * 1414).div_ceil(1000);
        let step = |name: &str, by, time, when| Primitive { when, ..Primitive::step(name, by, time) };
        let mut moves = vec![
            step("forward", (1, 0), 20, When::Straight),
            step("forward", (1, -1), longer(20), When::Diagonal),
            step("reverse", (-1, 0), 60, When::Straight),
            step("reverse", (-1, 1), longer(60), When::Diagonal),
            Primitive::turn("left", 1, 10),
            Primitive::turn("right", -1, 10),
            step("slide left", (0, -1), 50, When::Straight),
            step("slide right", (0, 1), 50, When::Straight),
            step("dash", (2, 0), 35, When::Straight),
            step("dash", (2, -2), longer(35), When::Diagonal),
        ];
        for (n, turn) in [("arc left", 1), ("arc right", -1)] {
            moves.push(Primitive { turn, swept: Some(vec![]), ..step(n, (1, 0), 25, When::Straight) });
            moves.push(Primitive { turn, swept: Some(vec![]), ..step(n, (1, -1), 35, When::Diagonal) });
        }
        moves.push(Primitive::turn("about", 4, 30));
        moves.push(Primitive::turn("quarter", 2, 18));
        spec.primitives = moves;
        let general = MovementClass::new(spec).unwrap();
        for side in [512, 1024, 4096] {
            let grid = open(side);
            let mut hilly = open(side);
            let mut d = Draws::new(5);
            let heights = (0..side * side).map(|i| ((i % side) / 16 + (i / side) / 16) as i16 % 7).collect();
            for _ in 0..side {
                hilly.set_side(
                    CellXY::new(d.below(side) as i32, d.below(side) as i32),
                    Side::East,
                    SideKind(1),
                );
            }
            let hilly = hilly.with_elevation(heights).unwrap();
            for (name, t) in [
                ("plain", MovementTables::compile_without_components(&grid, truck())),
                ("general", MovementTables::compile_without_components(&hilly, general.clone())),
            ] {
                if name == "general" && side > 1024 {
                    continue;
                }
                let (mut scratch, mut path) = (Scratch::new(), Path::new());
                for h in [HeuristicName::Zero, HeuristicName::Octile, HeuristicName::Manhattan] {
                    if name == "general" && h == HeuristicName::Manhattan {
                        continue;
                    }
                    let m = side as i32;
                    let goal = [GoalMember::pose(Pose::new(m - 9, m - 7, Heading(1)))];
                    let mut r = Request::new(Pose::new(9, 7, Heading(0)), Goal::of(&goal));
                    r.heuristic = Heuristic::Named(h);
                    let mut best = f64::MAX;
                    let mut e = 0;
                    for _ in 0..(if side > 2000 { 2 } else { 7 }) {
                        let i = Instant::now();
                        let a = plan(&t, &r, &mut scratch, &mut path);
                        e = a.expansions;
                        best = best.min(i.elapsed().as_secs_f64() / e as f64);
                    }
                    println!("{side} {name} {}: {:.1} ns an expansion, {e}", h.name(), best * 1e9);
                }
            }
        }
    }
    if all || what == "short" {
        for (name, g) in [("open", open(512)), ("blobs", blobs(512, 3)), ("rooms", rooms(512, 4))] {
            let t = MovementTables::compile(&g, truck());
            let mut d = Draws::new(11);
            let mut queries = Vec::new();
            while queries.len() < 5000 {
                let a = State(d.below(t.space().n_states() as u32));
                let p = t.space().pose(a);
                let q = Pose::new(
                    p.cell.x + d.below(57) as i32 - 28,
                    p.cell.y + d.below(57) as i32 - 28,
                    Heading(d.below(4) as u8),
                );
                let Some(b) = t.space().state(q) else { continue };
                if p.cell.distance_squared(q.cell) <= 1600 && t.components().way(a, b) == Way::Yes {
                    queries.push((p, q));
                }
            }
            let (mut scratch, mut path) = (Scratch::new(), Path::new());
            let mut best = f64::MAX;
            let mut e = 0;
            for _ in 0..5 {
                let i = Instant::now();
                e = 0;
                for (a, b) in &queries {
                    let goal = [GoalMember::pose(*b)];
                    e += plan(&t, &Request::new(*a, Goal::of(&goal)), &mut scratch, &mut path).expansions;
                }
                best = best.min(i.elapsed().as_secs_f64());
            }
            println!(
                "{name} within 40: {:.0} requests a second, {:.1} us, {} expansions each, {:.1} ns an expansion",
                5000.0 / best,
                best / 5000.0 * 1e6,
                e / 5000,
                best * 1e9 / e as f64
            );
        }
    }
    println!("{}", Calibration::measure());
}
