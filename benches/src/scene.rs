//! A class on a map with queries.

use crate::class::{carrier, cart, truck};
use crate::map::{blobs, file_grid, noise, open, rooms};
use std::fmt;
use wheelbase_grid::{Fnv1a, Grid, SplitMix64};
use wheelbase_planner::model::State;
use wheelbase_planner::search::{Answer, Guide, Heuristic, HeuristicName};
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{
    Goal, GoalMember, Heading, MovementClass, MovementTables, Path, Pose, Request, Scratch, Status, plan,
};

/// A query; both poses are legal and in one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Start pose.
    pub start: Pose,
    /// The only goal pose.
    pub goal: Pose,
}

/// A class on a map with queries.
#[derive(Debug)]
pub struct Scene {
    /// Name in outputs.
    pub name: String,
    /// The class compiled against the map.
    pub tables: MovementTables,
    /// The queries in order.
    pub queries: Vec<Query>,
    /// The heuristic of all queries. Peers use [`crate::manhattan_ticks`] or [`crate::octile_ticks`] for it.
    pub heuristic: HeuristicName,
}

impl Scene {
    /// Compiles a class and draws long queries: start and goal at least half of the map's longer side apart along one
    /// axis.
    ///
    /// # Panics
    /// If the map does not have enough of them.
    pub fn new(name: &str, grid: &Grid, class: MovementClass, n_queries: usize, seed: u64) -> Self {
        let far = grid.size().width().max(grid.size().height()) as i32 / 2;
        let mut scene = Self::with_queries(name, grid, class, Vec::new());
        scene.ask(n_queries, seed, |query, random, tables| {
            query.goal = tables.space().pose(draw_state(tables, random));
            let (from, to) = (query.start.cell, query.goal.cell);
            (from.x - to.x).abs().max((from.y - to.y).abs()) >= far
        });
        scene
    }

    /// Compiles a class and draws short queries: goals within a Euclidean distance of `cells` from the start.
    ///
    /// # Panics
    /// If the map does not have enough of them.
    pub fn within(
        name: &str,
        grid: &Grid,
        class: MovementClass,
        cells: u32,
        n_queries: usize,
        seed: u64,
    ) -> Self {
        let mut scene = Self::with_queries(name, grid, class, Vec::new());
        scene.ask(n_queries, seed, |query, random, tables| {
            let cells = cells as i32;
            let mut offset = || random.below(2 * cells as u32 + 1) as i32 - cells;
            let (dx, dy) = (offset(), offset());
            let headings = u32::from(tables.space().headings());
            query.goal = Pose::new(
                query.start.cell.x + dx,
                query.start.cell.y + dy,
                Heading(random.below(headings) as u8),
            );
            dx * dx + dy * dy <= cells * cells
        });
        scene
    }

    /// Compiles a class for given queries.
    pub fn with_queries(name: &str, grid: &Grid, class: MovementClass, queries: Vec<Query>) -> Self {
        let heuristic = match class.primitives().len() {
            4 => HeuristicName::Manhattan,
            _ => HeuristicName::Octile,
        };
        let mut tables = MovementTables::compile(grid, class);
        tables.make_components();
        Self { name: name.to_owned(), tables, queries, heuristic }
    }

    /// Draws starts. `goal` sets the goal and returns whether the query is suitable; answerable queries are kept.
    fn ask(
        &mut self,
        n_queries: usize,
        seed: u64,
        mut goal: impl FnMut(&mut Query, &mut SplitMix64, &MovementTables) -> bool,
    ) {
        let tables = &self.tables;
        let mut random = SplitMix64::new(seed);
        for _ in 0..10_000_000 {
            if self.queries.len() == n_queries {
                break;
            }
            let start = draw_state(tables, &mut random);
            let pose = tables.space().pose(start);
            let mut query = Query { start: pose, goal: pose };
            if goal(&mut query, &mut random, tables)
                && tables
                    .space()
                    .state(query.goal)
                    .is_some_and(|goal| tables.components().reachability(start, goal) == Reachability::Yes)
            {
                self.queries.push(query);
            }
        }
        assert_eq!(self.queries.len(), n_queries, "{}: too few queries", self.name);
    }

    /// The same scene with another heuristic.
    pub fn guided_by(mut self, heuristic: HeuristicName) -> Self {
        self.name = format!("{} {}", self.name, heuristic.name());
        self.heuristic = heuristic;
        self
    }
}

fn draw_state(tables: &MovementTables, random: &mut SplitMix64) -> State {
    State(random.below(tables.space().n_states() as u32))
}

/// Maps of the MovingAI benchmark with published queries, small ones first.
pub const SCENARIO_MAPS: [&str; 8] = [
    "lak303d",
    "arena2",
    "den520d",
    "Berlin_1_256",
    "Aftershock",
    "AR0603SR",
    "32room_000",
    "random512-20-0",
];

/// The truck on the named maps of `../shared/data/movingai`, next to the project. Prints which maps are skipped because
/// they are missing.
pub fn file_scenes(maps: &[&str], n_queries: usize) -> Vec<Scene> {
    let grids = maps.iter().filter_map(|&name| Some((name, file_grid(name)?)));
    grids.map(|(name, grid)| Scene::new(name, &grid, truck(), n_queries, 1)).collect()
}

/// The truck on drawn square maps of a given side: round blobs, walled rooms, and noise.
pub fn drawn_scenes(side: u32, n_queries: usize) -> [Scene; 3] {
    [("blobs", blobs(side, 3)), ("rooms", rooms(side, 4)), ("noise", noise(side, 9))]
        .map(|(name, grid)| Scene::new(&format!("{name} {side}"), &grid, truck(), n_queries, 2))
}

/// A 1x1 and a 3x9 with the same moves and queries on open ground of 512 x 512 cells. Without a heuristic both expand
/// nearly all poses. The size of a body must not cost time.
pub fn open_scenes(n_queries: usize) -> [Scene; 2] {
    let grid = open(512);
    let mut scenes = [("open 1x1", cart()), ("open 3x9", carrier())]
        .map(|(name, class)| Scene::new(name, &grid, class, n_queries, 5).guided_by(HeuristicName::Zero));
    // Where the larger body fits, so does the smaller.
    scenes[0].queries = scenes[1].queries.clone();
    scenes
}

/// The work of a scene, printed with every time so that times of different work are never compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Queries answered, all of them with a path.
    pub queries: usize,
    /// Number of queries guided by landmarks.
    pub guided: usize,
    /// Sum of their costs in ticks.
    pub cost_total: u64,
    /// Poses expanded by our planner.
    pub expansions: u64,
    /// 64-bit FNV-1a of every cost and every move of every path, in order.
    pub hash: u64,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { queries, cost_total, expansions, hash, .. } = self;
        write!(f, "{queries} queries, cost {cost_total}, {expansions} expansions, hash {hash:016x}")
    }
}

/// Our planner on a scene, with its own scratch.
#[derive(Debug)]
pub struct Ours<'a> {
    /// The scene.
    pub scene: &'a Scene,
    heuristic: Heuristic<'a>,
    weight_permille: u32,
    scratch: Scratch,
    path: Path,
}

impl<'a> Ours<'a> {
    /// With the heuristic of the scene.
    pub fn new(scene: &'a Scene) -> Self {
        Self::guided(scene, Heuristic::Named(scene.heuristic))
    }

    /// With another heuristic.
    pub fn guided(scene: &'a Scene, heuristic: Heuristic<'a>) -> Self {
        Self { scene, heuristic, weight_permille: 1000, scratch: Scratch::new(), path: Path::new() }
    }

    /// With a weight in thousandths and the heuristic of the scene.
    pub fn weighted(scene: &'a Scene, weight_permille: u32) -> Self {
        Self { weight_permille, ..Self::new(scene) }
    }

    /// The answer to one query.
    ///
    /// # Panics
    /// If there is no path: scenes hold only answerable queries.
    pub fn answer(&mut self, query: &Query) -> Answer {
        let goal = [GoalMember::pose(query.goal)];
        let mut request = Request::new(query.start, Goal::of(&goal));
        (request.heuristic, request.weight_permille) = (self.heuristic, self.weight_permille);
        let answer = plan(&self.scene.tables, &request, &mut self.scratch, &mut self.path);
        assert_eq!(answer.status, Status::Found, "{}: {query:?}", self.scene.name);
        answer
    }

    /// Cost of the answer to one query, in ticks.
    ///
    /// # Panics
    /// As [`Self::answer`].
    pub fn cost(&mut self, query: &Query) -> u64 {
        self.answer(query).cost.into()
    }

    /// Answers all queries of the scene and returns the work.
    ///
    /// # Panics
    /// As [`Self::answer`].
    pub fn work(&mut self) -> Work {
        let (mut work, mut hash) =
            (Work { queries: 0, guided: 0, cost_total: 0, expansions: 0, hash: 0 }, Fnv1a::new());
        for query in &self.scene.queries {
            let answer = self.answer(query);
            work.queries += 1;
            work.guided += usize::from(answer.guide == Guide::Landmarks);
            work.cost_total += u64::from(answer.cost);
            work.expansions += answer.expansions;
            hash.write(&answer.cost.to_le_bytes());
            hash.write(&self.path.moves);
        }
        work.hash = hash.finish();
        work
    }
}
