use std::time::Instant;
use wheelbase_benches::*;
use wheelbase_grid::*;
use wheelbase_planner::*;
fn least<R>(n: usize, mut f: impl FnMut() -> R) -> f64 {
    (0..n).map(|_| { let t = Instant::now(); let r = f(); let e = t.elapsed().as_secs_f64(); drop(r); e }).fold(f64::MAX, f64::min)
}
fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let all = what.is_empty();
    if all || what == "compile" {
        for (n, g) in [("open", open(1024)), ("rooms", rooms(1024, 4))] {
            println!("{n} words {:.3} ms", 1e3 * least(60, || MovementTables::compile_without_components(&g, truck())));
            let t = MovementTables::compile_without_components(&g, truck());
            println!("{n} comps {:.3} ms", 1e3 * least(10, || Components::of(&t)));
        }
    }
    if all || what == "update" {
        for comps in [false, true] {
            for (n, mut g) in [("open", open(512)), ("blobs", blobs(512, 3)), ("rooms", rooms(512, 4))] {
                let mut d = Draws::new(6);
                let places: Vec<Rect> = (0..512).map(|_| Rect::new(d.below(508) as i32, d.below(508) as i32, 4, 4))
                    .filter(|a| a.cells().all(|c| g.terrain_at(c) == Some(TerrainKind(0)))).collect();
                let mut t = if comps { MovementTables::compile(&g, truck()) } else { MovementTables::compile_without_components(&g, truck()) };
                let mut times = Vec::new();
                for _ in 0..4 { for p in &places { for k in [2, 0] {
                    let e = g.set_terrain(*p, TerrainKind(k));
                    let i = Instant::now(); t.update(&g, e.changed); times.push(i.elapsed().as_nanos() as u64);
                } } }
                times.sort_unstable();
                println!("{n} update comps={comps} p10 {} median {} p95 {} max {} mean {} ns", times[times.len() / 10], times[times.len() / 2], times[times.len() * 95 / 100], times[times.len() - 1], times.iter().sum::<u64>() / times.len() as u64);
            }
        }
    }
    println!("{}", Calibration::measure());
}
