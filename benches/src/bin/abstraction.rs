//! The abstract graph: building, routes, paths along them and edits, compared with exact searches and with a peer.
//!
//! `cargo run --release -p wheelbase-benches --bin abstraction --`, then
//! `[--pairs N] [--edits N] [--large] [--only PART] [MAP]` (default 100 pairs and 200 edits). MAP is a MovingAI file.
//! Without it, the maps are generated, of kind `base` and `rooms` and 1024 x 1024 cells; with `--large`, 2048 x 2048.
//! `--only` takes the classes whose name contains PART. Everything runs on one thread, but graphs are built and updated
//! on the threads of rayon. Two graphs after edits are compared with new ones. The peer plans for the class with the
//! same moves and costs, `1x1 4 ways`, on the same pairs.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::Instant;
use wheelbase_benches::{
    Ours, PointPeer, Query, Scene, SplitMix64, Times, calibration, four_neighbours, median, timed, times,
    vehicle,
};
use wheelbase_grid::{Grid, GridSize, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_maps::movingai;
use wheelbase_maps::{MapKind, generate};
use wheelbase_planner::abstraction::{Abstraction, Route, RouteScratch, plan_along};
use wheelbase_planner::search::Heuristic;
use wheelbase_planner::{ClassSpec, GoalMember, MovementClass, Path, Primitive, Scratch, When};

const USAGE: &str = "usage: abstraction [--pairs N] [--edits N] [--large] [--only PART] [MAP]";

/// The command line.
struct Settings {
    pairs: usize,
    edits: usize,
    side: u32,
    part: String,
    map: Option<String>,
}

impl Settings {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut settings = Self { pairs: 100, edits: 200, side: 1024, part: String::new(), map: None };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--pairs" => settings.pairs = arguments.next()?.parse().ok().filter(|&n| n > 0)?,
                "--edits" => settings.edits = arguments.next()?.parse().ok()?,
                "--large" => settings.side = 2048,
                "--only" => settings.part = arguments.next()?,
                flag if flag.starts_with("--") => return None,
                _ if settings.map.is_some() => return None,
                _ => settings.map = Some(argument),
            }
        }
        Some(settings)
    }
}

fn main() -> ExitCode {
    let Some(settings) = Settings::parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let maps = match &settings.map {
        Some(file) => match file_map(file) {
            Ok(grid) => vec![(file.rsplit('/').next().unwrap_or(file).to_owned(), grid)],
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(2);
            }
        },
        None => [MapKind::Base, MapKind::Rooms].map(|kind| drawn_map(kind, settings.side)).into(),
    };
    println!("calibration: {}", calibration());
    println!("{} pairs, {} edits; us: median per request", settings.pairs, settings.edits);
    println!(
        "pairs: far, as far as half of the longer side; excess: cost of the path along the route over the cheapest"
    );
    println!("{}: unfair: not optimal (chunks), and for points only", PointPeer::LABELS[2].0);
    for (name, grid) in &maps {
        println!("\n{name}, {} x {} cells", grid.size().width(), grid.size().height());
        for (class, of) in classes().into_iter().filter(|(class, _)| class.contains(&settings.part)) {
            measure(&Scene::new(&class, grid, of, settings.pairs, 1), grid, &settings);
        }
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn file_map(file: &str) -> Result<Grid, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let map = movingai::parse(&bytes, TerrainTable::movingai(), SideTable::default());
    Ok(map.map_err(|error| error.to_string())?.grid)
}

fn drawn_map(kind: MapKind, side: u32) -> (String, Grid) {
    let size = GridSize::new(u64::from(side), u64::from(side))
        .unwrap_or_else(|error| panic!("a map of side {side}: {error}"));
    (kind.name().to_owned(), generate(kind, size, 1))
}

/// Bodies of `width` x `length` cells around their anchors.
fn body(width: i32, length: i32) -> Vec<(i32, i32)> {
    let (left, rear) = ((width - 1) / 2, length / 2);
    (-rear..length - rear).flat_map(|f| (-left..width - left).map(move |r| (f, r))).collect()
}

fn classes() -> Vec<(String, MovementClass)> {
    let mut classes = vec![("1x1 4 ways".to_owned(), four_neighbours())];
    for (width, length) in [(1, 1), (1, 2), (2, 3), (3, 5)] {
        let name = format!("{width}x{length} 4 headings");
        classes.push((name.clone(), vehicle(&name, body(width, length))));
    }
    let diagonal =
        |name: &str, by, time| Primitive { when: When::Diagonal, ..Primitive::step(name, by, time) };
    let straight =
        |name: &str, by, time| Primitive { when: When::Straight, ..Primitive::step(name, by, time) };
    let mut spec = ClassSpec::new("3x5 8 headings", 8);
    spec.footprint = body(3, 5);
    spec.primitives = vec![
        straight("forward", (1, 0), 20),
        straight("reverse", (-1, 0), 60),
        diagonal("forward", (1, -1), 29),
        diagonal("reverse", (-1, 1), 85),
        Primitive::turn("left", 1, 10),
        Primitive::turn("right", -1, 10),
    ];
    let class = MovementClass::new(spec).unwrap_or_else(|error| panic!("3x5 8 headings: {error}"));
    classes.push(("3x5 8 headings".to_owned(), class));
    classes
}

/// Routes and paths along them, with the memory of their searches.
struct Routed<'a> {
    scene: &'a Scene,
    graph: &'a Abstraction,
    memory: RouteScratch,
    scratch: Scratch,
    path: Path,
}

impl Routed<'_> {
    fn route(&mut self, query: &Query) -> Option<Route> {
        self.graph.route(&self.scene.tables, query.start, GoalMember::pose(query.goal), &mut self.memory)
    }

    /// Expansions of route and legs, and the cost of the path; `None` if no path follows a route.
    fn path(&mut self, query: &Query) -> Option<(u64, u64, u32)> {
        let route = self.route(query)?;
        let ends = (query.start, GoalMember::pose(query.goal));
        let of_legs = plan_along(&self.scene.tables, &route, ends, &mut self.scratch, &mut self.path)?;
        Some((route.expansions, of_legs, self.path.cost()))
    }
}

fn measure(scene: &Scene, grid: &Grid, settings: &Settings) {
    let (graph, build_ms) = timed(|| Abstraction::of(&scene.tables));
    println!("  {}", scene.name);
    println!(
        "    graph      built in {:.2} s, {} bytes, {} portals",
        build_ms / 1e3,
        graph.memory_bytes(),
        graph.n_portals()
    );
    let routed = || Routed {
        scene,
        graph: &graph,
        memory: RouteScratch::default(),
        scratch: Scratch::new(),
        path: Path::new(),
    };
    let (mut routes, mut paths) = (routed(), routed());
    let mut ours = Ours::guided(scene, Heuristic::Default);
    let mut sums = [0; 3];
    let mut costs = Vec::new();
    let mut excess = Vec::new();
    for query in &scene.queries {
        let exact = ours.answer(query);
        sums[2] += exact.expansions;
        costs.push(u64::from(exact.cost));
        if let Some((of_route, of_legs, cost)) = paths.path(query) {
            sums[0] += of_route;
            sums[1] += of_legs;
            excess.push(ratio(cost.into(), exact.cost.into()));
        }
    }
    let [route, path, exact] = times(
        1,
        &scene.queries,
        [
            &mut |query| routes.route(query).map_or(0, |route| route.cost.into()),
            &mut |query| paths.path(query).map_or(0, |(_, _, cost)| cost.into()),
            &mut |query| ours.cost(query),
        ],
    );
    let (n, n_along) = (scene.queries.len() as u64, excess.len());
    let [of_route, of_legs, of_exact] =
        [(sums[0], n_along as u64), (sums[1], n_along as u64), (sums[2], n)].map(|(sum, n)| sum / n.max(1));
    println!("    route      {:>9.0} us, {of_route} expansions", route.median_us());
    println!(
        "    with path  {:>9.0} us, {of_legs} expansions of legs; {}",
        path.median_us(),
        quality(excess, scene.queries.len())
    );
    println!("    exact      {:>9.0} us, {of_exact} expansions", exact.median_us());
    if scene.tables.class().headings() == 1 {
        compare(scene, &costs);
    }
    edit(scene, grid, graph, settings.edits);
}

/// The peer on the same pairs, whose cheapest costs are `costs`: one tick per step.
fn compare(scene: &Scene, costs: &[u64]) {
    let (peer, build_ms) = timed(|| PointPeer::four_neighbours(&scene.tables));
    let mut excess = Vec::new();
    for (query, &cost) in scene.queries.iter().zip(costs) {
        let cells = peer.path(query);
        excess.extend(cells.map(|cells| ratio(cells.len() as u64 - 1, cost)));
    }
    let [least]: [Times; 1] =
        times(1, &scene.queries, [&mut |query| peer.path(query).map_or(0, |path| path.len() as u64)]);
    println!(
        "    {}: built in {:.2} s, bytes unknown; {:.0} us with path; {}",
        peer.name(),
        build_ms / 1e3,
        least.median_us(),
        quality(excess, scene.queries.len())
    );
}

/// Edits of 4 x 4 cells, to water or ground. The graph follows each; two are compared with a new graph.
fn edit(scene: &Scene, grid: &Grid, mut graph: Abstraction, edits: usize) {
    let (mut grid, mut tables) = (grid.clone(), scene.tables.clone());
    let (mut random, mut milliseconds) = (SplitMix64::new(5), Vec::new());
    let size = grid.size();
    for at in 0..edits {
        let place = (random.below(size.width() - 3) as i32, random.below(size.height() - 3) as i32);
        let changed = Rect::new(place.0, place.1, 4, 4);
        // Ground, water.
        let kind = TerrainKind([0, 2][at % 2]);
        grid.set_terrain(changed, kind);
        tables.update(&grid, changed);
        let begun = Instant::now();
        graph.update(&tables, changed);
        milliseconds.push(begun.elapsed().as_secs_f64() * 1e3);
        if at + 1 == edits || at == edits / 2 {
            assert!(graph == Abstraction::of(&tables), "{}: edit {at}", scene.name);
        }
    }
    if edits > 0 {
        let worst = milliseconds.iter().copied().fold(0.0, f64::max);
        println!(
            "    edits      median {:.2} ms, worst {worst:.2} ms; equal to new graphs",
            median(milliseconds)
        );
    }
}

/// How much more something costs, in percent.
fn ratio(cost: u64, least: u64) -> f64 {
    (cost as f64 / least.max(1) as f64 - 1.0) * 100.0
}

fn quality(mut excess: Vec<f64>, n_pairs: usize) -> String {
    let n = excess.len();
    if n == 0 {
        return format!("no path for {n_pairs} pairs");
    }
    excess.sort_unstable_by(f64::total_cmp);
    let mean = excess.iter().sum::<f64>() / n as f64;
    let (p99, worst) = (excess[(n * 99).div_ceil(100) - 1], excess[n - 1]);
    let missing =
        if n == n_pairs { String::new() } else { format!(", {} pairs without a path", n_pairs - n) };
    format!("excess mean {mean:.2} %, p99 {p99:.2} %, worst {worst:.2} %{missing}")
}
