//! Scenes of the benches, the work they do, and the peers that do the same work beside us.
//!
//! A scene is a compiled class on a map and a list of long random queries; everything comes from a
//! seed, so two machines run the same work and can prove it by the hash in [`Work`]. The peers are
//! `pathfinding::astar` twice: as its documentation would have it, and as a patient user would tune
//! it. Both get our tables and our heuristic and must find our costs; [`FAIR`] says so in each output.

#![forbid(unsafe_code)]

use pathfinding::directed::astar::astar;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;
use wheelbase_grid::map_file::movingai;
use wheelbase_grid::{CellXY, Grid, GridSize, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_planner::{
    Answer, ClassSpec, Goal, GoalMember, Heading, Heuristic, HeuristicName, MovementClass, MovementTables,
    Path, Pose, Primitive, Request, Scratch, State, Status, Way, plan,
};
use wheelbase_sim::Calibration;

/// What each output says of the comparison.
pub const FAIR: &str = "fair: same tables, same heuristic, exact, costs equal";

/// Ticks of the moves of every class here: forward, reverse, a quarter turn.
pub const MOVE_TICKS: (u32, u32, u32) = (2, 6, 2);

/// A vehicle on four headings that turns about its anchor, with the moves of [`MOVE_TICKS`].
///
/// # Panics
/// If the footprint breaks a limit of the planner.
pub fn vehicle(name: &str, footprint: Vec<(i32, i32)>) -> MovementClass {
    let (forward, reverse, turn) = MOVE_TICKS;
    let mut spec = ClassSpec::new(name, 4);
    spec.footprint = footprint;
    spec.primitives = Primitive::vehicle(forward, reverse, turn);
    MovementClass::new(spec).unwrap_or_else(|error| panic!("class {name}: {error}"))
}

/// The 1x2 of most scenes.
pub fn truck() -> MovementClass {
    vehicle("truck", vec![(0, 0), (-1, 0)])
}

/// One cell, with a truck's moves.
pub fn cart() -> MovementClass {
    vehicle("cart", vec![(0, 0)])
}

/// 3 x 9 cells about their middle, with a truck's moves.
pub fn carrier() -> MovementClass {
    vehicle("carrier", (-4..=4).flat_map(|f| (-1..=1).map(move |r| (f, r))).collect())
}

/// One question: both poses legal and in one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Where the agent is.
    pub start: Pose,
    /// The one pose it shall take.
    pub goal: Pose,
}

/// A class on a map and what is asked of it.
#[derive(Debug)]
pub struct Scene {
    /// Name in outputs.
    pub name: String,
    /// The class compiled against the map.
    pub tables: MovementTables,
    /// The questions, in order.
    pub queries: Vec<Query>,
    /// How all of them are guided: ours by this name, the peers by [`manhattan_ticks`] where it is
    /// [`HeuristicName::Manhattan`].
    pub heuristic: HeuristicName,
}

/// Splitmix64 (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The draws of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(n)) >> 32) as u32
    }
}

impl Scene {
    /// Compiles a class and draws long queries: starts and goals at least half the map's longer side
    /// apart along one axis.
    ///
    /// # Panics
    /// If the map does not have them.
    pub fn new(name: &str, grid: &Grid, class: MovementClass, n_queries: usize, seed: u64) -> Self {
        let tables = MovementTables::compile(grid, class);
        let far = grid.size().width().max(grid.size().height()) as i32 / 2;
        let mut draws = Draws::new(seed);
        let mut queries = Vec::with_capacity(n_queries);
        for _ in 0..10_000_000 {
            if queries.len() == n_queries {
                break;
            }
            let (start, goal) = (draw_state(&tables, &mut draws), draw_state(&tables, &mut draws));
            let query = Query { start: tables.space().pose(start), goal: tables.space().pose(goal) };
            let (from, to) = (query.start.cell, query.goal.cell);
            let apart = (from.x - to.x).abs().max((from.y - to.y).abs());
            if apart >= far && tables.components().way(start, goal) == Way::Yes {
                queries.push(query);
            }
        }
        assert_eq!(queries.len(), n_queries, "{name}: too few long queries");
        Self { name: name.to_owned(), tables, queries, heuristic: HeuristicName::Manhattan }
    }

    /// The same scene guided by another heuristic.
    pub fn guided_by(mut self, heuristic: HeuristicName) -> Self {
        self.name = format!("{} {}", self.name, heuristic.name());
        self.heuristic = heuristic;
        self
    }
}

fn draw_state(tables: &MovementTables, draws: &mut Draws) -> State {
    State(draws.below(tables.space().n_states() as u32))
}

/// Maps of the MovingAI benchmark that the planner is judged on.
pub const FILE_MAPS: [&str; 3] = ["lak303d", "Aftershock", "divideandconquer"];

/// The truck on the maps of [`FILE_MAPS`] that lie in `../shared/data/movingai` beside the project.
/// Says on standard output which are skipped because they do not.
pub fn file_scenes(n_queries: usize) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for name in FILE_MAPS {
        if let Some(grid) = file_grid(name) {
            scenes.push(Scene::new(name, &grid, truck(), n_queries, 1));
        }
    }
    scenes
}

/// A map that lies in `../shared/data/movingai` beside the project. Says on standard output if it does
/// not.
///
/// # Panics
/// If it is not a map.
pub fn file_grid(name: &str) -> Option<Grid> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/movingai"));
    let file = folder.join(format!("{name}.map"));
    let Ok(bytes) = std::fs::read(&file) else {
        println!("{name}: skipped, there is no {}", file.display());
        return None;
    };
    let map = movingai::parse(&bytes, TerrainTable::movingai(), SideTable::default())
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Some(map.grid)
}

/// The truck on drawn maps of 256 and 512 cells a side, round blobs and walled rooms.
pub fn drawn_scenes(n_queries: usize) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for side in [256, 512] {
        scenes.push(Scene::new(&format!("blobs {side}"), &blobs(side, 3), truck(), n_queries, 2));
        scenes.push(Scene::new(&format!("rooms {side}"), &rooms(side, 4), truck(), n_queries, 2));
    }
    scenes
}

/// A 1x1 and a 3x9 with the same moves and the same queries on open ground of 512 x 512 cells, by
/// Dijkstra, so that both expand nearly all of it: the size of a body must not cost time.
pub fn open_scenes(n_queries: usize) -> [Scene; 2] {
    let grid = open(512);
    let mut scenes = [("open 1x1", cart()), ("open 3x9", carrier())]
        .map(|(name, class)| Scene::new(name, &grid, class, n_queries, 5).guided_by(HeuristicName::Zero));
    // Where the larger body fits, so does the smaller.
    scenes[0].queries = scenes[1].queries.clone();
    scenes
}

const GROUND: TerrainKind = TerrainKind(0);
const WATER: TerrainKind = TerrainKind(2);

/// Ground everywhere.
pub fn open(side: u32) -> Grid {
    let size = GridSize::new(u64::from(side), u64::from(side))
        .unwrap_or_else(|error| panic!("a map of side {side}: {error}"));
    Grid::filled(size, GROUND, TerrainTable::movingai(), SideTable::default())
}

/// Ground with discs of water of radius 2 to 11, about 35 % of the map.
pub fn blobs(side: u32, seed: u64) -> Grid {
    let mut grid = open(side);
    let mut draws = Draws::new(seed);
    for _ in 0..side * side / 400 {
        let (x, y) = (draws.below(side) as i32, draws.below(side) as i32);
        let radius = 2 + draws.below(10) as i32;
        for dy in -radius..=radius {
            let half = (radius * radius - dy * dy).isqrt();
            grid.set_terrain(Rect::new(x - half, y + dy, (2 * half + 1) as u32, 1), WATER);
        }
    }
    grid
}

/// Rooms of 15 x 15 cells between walls one cell thick, with a gap of 2 to 4 cells in three of four
/// walls.
pub fn rooms(side: u32, seed: u64) -> Grid {
    const PITCH: u32 = 16;
    let mut grid = open(side);
    let mut draws = Draws::new(seed);
    for at in (PITCH..side).step_by(PITCH as usize) {
        grid.set_terrain(Rect::new(at as i32, 0, 1, side), WATER);
        grid.set_terrain(Rect::new(0, at as i32, side, 1), WATER);
    }
    for at in (PITCH..side).step_by(PITCH as usize) {
        for along in (0..side).step_by(PITCH as usize) {
            for upright in [true, false] {
                let (gap, width, open) = (1 + draws.below(11), 2 + draws.below(3), draws.below(4) > 0);
                let width = if open { width } else { 0 };
                let (wall, gap) = (at as i32, (along + gap) as i32);
                grid.set_terrain(
                    match upright {
                        true => Rect::new(wall, gap, 1, width),
                        false => Rect::new(gap, wall, width, 1),
                    },
                    GROUND,
                );
            }
        }
    }
    grid
}

/// What a scene took: printed beside every time, so that times of unlike work are never compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Queries answered, all of them with a path.
    pub queries: usize,
    /// Sum of their costs in ticks.
    pub cost_total: u64,
    /// Poses that we expanded.
    pub expansions: u64,
    /// 64-bit FNV-1a of every cost and every move of every path, in order.
    pub hash: u64,
}

impl std::fmt::Display for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { queries, cost_total, expansions, hash } = self;
        write!(f, "{queries} queries, cost {cost_total}, {expansions} expansions, hash {hash:016x}")
    }
}

/// Answers every query of a scene and says what work it was.
pub fn work(scene: &Scene, scratch: &mut Scratch, path: &mut Path) -> Work {
    let mut work = Work { queries: 0, cost_total: 0, expansions: 0, hash: 0xCBF2_9CE4_8422_2325 };
    for query in &scene.queries {
        let answer = answer(scene, query, scratch, path);
        work.queries += 1;
        work.cost_total += u64::from(answer.cost);
        work.expansions += answer.expansions;
        for byte in answer.cost.to_le_bytes().into_iter().chain(path.moves.iter().copied()) {
            work.hash = (work.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    work
}

/// Our answer to one query.
///
/// # Panics
/// If there is no path: scenes ask only what can be answered.
pub fn answer(scene: &Scene, query: &Query, scratch: &mut Scratch, path: &mut Path) -> Answer {
    let goal = [GoalMember::pose(query.goal)];
    let mut request = Request::new(query.start, Goal::of(&goal));
    request.heuristic = Heuristic::Named(scene.heuristic);
    let answer = plan(&scene.tables, &request, scratch, path);
    assert_eq!(answer.status, Status::Found, "{}: {query:?}", scene.name);
    answer
}

/// Our heuristic for the classes here, as a plain function: Manhattan distance at 2 ticks a cell, and
/// 2 ticks for each quarter turn between the headings.
#[inline(always)]
pub fn manhattan_ticks(x: i32, y: i32, heading: u8, goal: Pose) -> u32 {
    const QUARTERS: [u32; 4] = [0, 1, 2, 1];
    let (forward, _, turn) = MOVE_TICKS;
    let cells = x.abs_diff(goal.cell.x) + y.abs_diff(goal.cell.y);
    forward * cells + turn * QUARTERS[usize::from(goal.heading.0.wrapping_sub(heading) & 3)]
}

/// The peers, by the names they have in outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// `pathfinding::astar` as its documentation shows it: a node struct, successors in a `Vec`.
    Idiomatic,
    /// `pathfinding::astar` at its best: the node is our 4-byte state, successors in an array on the
    /// stack, nothing allocated or hashed that need not be.
    HandTuned,
}

impl Peer {
    /// Both.
    pub const ALL: [Self; 2] = [Self::HandTuned, Self::Idiomatic];

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idiomatic => "pathfinding idiomatic",
            Self::HandTuned => "pathfinding hand-tuned",
        }
    }

    /// Cost of a query in ticks, or `None` without a path.
    pub fn cost(self, tables: &MovementTables, query: &Query) -> Option<u32> {
        match self {
            Self::Idiomatic => idiomatic(tables, query),
            Self::HandTuned => hand_tuned(tables, query),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    x: i32,
    y: i32,
    heading: u8,
}

impl Node {
    fn of(pose: Pose) -> Self {
        Self { x: pose.cell.x, y: pose.cell.y, heading: pose.heading.0 }
    }
}

fn idiomatic(tables: &MovementTables, query: &Query) -> Option<u32> {
    let space = tables.space();
    let goal = Node::of(query.goal);
    let successors = |node: &Node| {
        let mut found = Vec::new();
        let pose = Pose { cell: CellXY::new(node.x, node.y), heading: Heading(node.heading) };
        if let Some(state) = space.state(pose) {
            tables
                .for_each_successor(state, |next| found.push((Node::of(space.pose(next.state)), next.ticks)));
        }
        found
    };
    let estimate = |node: &Node| manhattan_ticks(node.x, node.y, node.heading, query.goal);
    let found = astar(&Node::of(query.start), successors, estimate, |node| *node == goal);
    found.map(|(path, cost)| {
        black_box(path);
        cost
    })
}

/// Successors of one state, on the stack. All classes here have four moves.
#[derive(Default)]
struct Moves {
    found: [(u32, u32); 4],
    n_found: usize,
    at: usize,
}

impl Iterator for Moves {
    type Item = (u32, u32);

    #[inline(always)]
    fn next(&mut self) -> Option<(u32, u32)> {
        let next = self.found[..self.n_found].get(self.at).copied();
        self.at += 1;
        next
    }
}

fn hand_tuned(tables: &MovementTables, query: &Query) -> Option<u32> {
    let space = tables.space();
    let (start, goal) = (space.state(query.start)?.0, space.state(query.goal)?.0);
    let width = space.size().width();
    let successors = |&state: &u32| {
        let mut moves = Moves::default();
        tables.for_each_successor(State(state), |next| {
            moves.found[moves.n_found] = (next.state.0, next.ticks);
            moves.n_found += 1;
        });
        moves
    };
    let estimate = |&state: &u32| {
        let cell = state / 4;
        manhattan_ticks((cell % width) as i32, (cell / width) as i32, (state % 4) as u8, query.goal)
    };
    let found = astar(&start, successors, estimate, |&state| state == goal);
    found.map(|(path, cost)| {
        black_box(path);
        cost
    })
}

/// Holds a peer's costs against ours, query by query.
///
/// # Panics
/// If one differs: then one of us is wrong, and no time means anything.
pub fn assert_same_costs(scene: &Scene, peer: Peer, scratch: &mut Scratch, path: &mut Path) {
    for query in &scene.queries {
        let ours = answer(scene, query, scratch, path).cost;
        assert_eq!(peer.cost(&scene.tables, query), Some(ours), "{}, {}: {query:?}", scene.name, peer.name());
    }
}

/// How fast this machine is just now, by its own clock.
pub fn calibration() -> Calibration {
    let begun = Instant::now();
    Calibration::measure(|| begun.elapsed())
}
