//! Neither a search nor an update of the tables allocates once its memory has grown, and values report the
//! memory they hold.
//!
//! One of the few places with unsafe code: a global allocator that counts the requests of the current thread.

#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use wheelbase_grid::{
    BitGrid, CellXY, Grid, GridSize, Rect, Side, SideKind, SideTable, TerrainKind, TerrainTable,
};
use wheelbase_planner::fields::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::*;
use wheelbase_planner::tables::*;

thread_local! {
    /// Const-initialised and without a destructor, so that counting does not allocate.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes allocated minus bytes freed.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn count(bytes: usize) {
    ALLOCATIONS.with(|n| n.set(n.get() + 1));
    hold(bytes as isize);
}

fn hold(bytes: isize) {
    HELD.with(|n| n.set(n.get() + bytes));
}

// SAFETY: every call is forwarded to `System` unchanged, so `System` upholds the contract; counting neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller upholds the contract of `alloc`, which is the same here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller upholds the contract of `alloc_zeroed`, which is the same here.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        hold(-(layout.size() as isize));
        // SAFETY: the caller upholds the contract of `realloc`; `block` came from `System`, as all blocks do.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        // SAFETY: the caller upholds the contract of `dealloc`; `block` came from `System`, as all blocks do.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_in<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = ALLOCATIONS.with(Cell::get);
    let result = work();
    (ALLOCATIONS.with(Cell::get) - before, result)
}

/// Bytes still held after some work, and its result.
fn allocated_by<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = HELD.with(Cell::get);
    let result = work();
    (usize::try_from(HELD.with(Cell::get) - before).unwrap(), result)
}

const GROUND: TerrainKind = TerrainKind(0);
const WATER: TerrainKind = TerrainKind(2);

/// 64 x 48 cells with a lake, and a river across that leaves one ford, rows 20 to 22.
fn river() -> Grid {
    let rows = vec![".".repeat(64); 48];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    grid.set_terrain(Rect::new(30, 0, 3, 48), WATER);
    grid.set_terrain(FORD, GROUND);
    grid.set_terrain(Rect::new(8, 10, 12, 9), WATER);
    grid
}

const FORD: Rect = Rect::new(30, 20, 3, 3);

fn truck() -> MovementClass {
    let mut spec = ClassSpec::new("truck", 4);
    spec.footprint = vec![(0, 0), (-1, 0)];
    spec.primitives = Primitive::vehicle(2, 6, 2);
    MovementClass::new(spec).unwrap()
}

/// Cannot reverse, so whether poses to its west are reachable is known only after a search.
fn barge() -> MovementClass {
    let mut spec = ClassSpec::new("barge", 1);
    spec.primitives = Primitive::four_directions(40_000);
    spec.primitives.remove(2);
    MovementClass::new(spec).unwrap()
}

/// The parts of a request. Everything here is owned by the caller and made in advance.
struct Query<'a> {
    tables: &'a MovementTables,
    request: Request<'a>,
    /// Expansions per slice.
    slice: Option<u64>,
}

fn answer(ask: &Query<'_>, scratch: &mut Scratch, path: &mut Path) -> Answer {
    let Some(slice) = ask.slice else { return plan(ask.tables, &ask.request, scratch, path) };
    begin(ask.tables, &ask.request, scratch);
    while advance(ask.tables, &ask.request, scratch, slice) == Progress::Running {}
    finish(ask.tables, &ask.request, scratch, path)
}

#[test]
fn after_warm_up_nothing_allocates() {
    a_search_does_not_allocate();
    a_short_request_on_a_large_map_does_not_allocate();
    an_update_does_not_allocate();
    a_field_does_not_allocate();
    replanning_does_not_allocate();
    distances_do_not_allocate();
    connections_do_not_allocate();
    a_graph_does_not_allocate();
}

fn a_search_does_not_allocate() {
    let grid = river();
    let (mut truck, mut barge) =
        (MovementTables::compile(&grid, truck()), MovementTables::compile(&grid, barge()));
    truck.make_components();
    barge.make_components();
    let start = Pose::new(2, 40, Heading(0));
    let far = [GoalMember::any(CellXY::new(60, 2))];
    let set = [far[0], GoalMember::pose(Pose::new(50, 30, Heading(2))), GoalMember::any(CellXY::new(40, 44))];
    let lake = [GoalMember::any(CellXY::new(14, 14))];
    let off = [GoalMember::any(CellXY::new(-9, 3))];
    let mut held = BitGrid::new(grid.size());
    held.fill(Rect::new(30, 20, 3, 1), true);
    held.fill(Rect::new(40, 0, 1, 30), true);
    let custom = |pose: Pose| (60 - pose.cell.x).unsigned_abs();

    let ask = |members, change: &dyn Fn(&mut Request<'_>)| {
        let mut request = Request::new(start, Goal::of(members));
        change(&mut request);
        Query { tables: &truck, request, slice: None }
    };
    let mut queries: Vec<Query<'_>> = HeuristicName::ALL
        .into_iter()
        .map(|name| ask(&far, &|r| r.heuristic = Heuristic::Named(name)))
        .collect();
    queries.push(ask(&far, &|r| r.weight_permille = 1800));
    queries.push(ask(&set, &|r| r.goal.within = 3));
    queries.push(ask(&lake, &|_| ()));
    queries.push(ask(&lake, &|r| r.fallback = Fallback::Nearest));
    queries.push(ask(&off, &|r| r.fallback = Fallback::Nearest));
    queries.push(ask(&far, &|r| (r.expansions_max, r.partial) = (Some(300), true)));
    queries.push(Query { slice: Some(17), ..ask(&set, &|_| ()) });
    let mut around = ask(&far, &|_| ());
    around.request.obstacles = Some(&held);
    queries.push(around);
    let mut guided = ask(&far, &|_| ());
    guided.request.heuristic = Heuristic::Custom(&custom);
    queries.push(guided);
    for fallback in [Fallback::Fail, Fallback::Nearest] {
        let mut back = ask(&far, &|r| r.fallback = fallback);
        (back.request.start, back.tables) = (Pose::new(63, 47, Heading(0)), &barge);
        queries.push(back);
    }

    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let expected: Vec<Answer> = queries.iter().map(|ask| answer(ask, &mut scratch, &mut path)).collect();
    let statuses = |status| expected.iter().filter(|answer| answer.status == status).count();
    assert_eq!((statuses(Status::Found), statuses(Status::Unreachable)), (queries.len() - 3, 1));
    assert_eq!((statuses(Status::GoalBlocked), statuses(Status::LimitReached)), (1, 1));
    // In reverse order, so that the previous query differs.
    for (ask, expected) in queries.iter().zip(&expected).rev() {
        let (allocations, answer) = allocations_in(|| answer(ask, &mut scratch, &mut path));
        assert_eq!(allocations, 0, "{:?}", ask.request);
        assert_eq!(answer, *expected, "{:?}", ask.request);
    }
}

/// A short request does not tabulate the norm by column and row; a long one does.
fn a_short_request_on_a_large_map_does_not_allocate() {
    let size = GridSize::new(1024, 1024).unwrap();
    let grid = Grid::filled(size, GROUND, TerrainTable::movingai(), SideTable::default());
    let tables = MovementTables::compile(&grid, truck());
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let mut cost = |from: (i32, i32), to: (i32, i32)| {
        let goal = [GoalMember::any(CellXY::new(to.0, to.1))];
        let request = Request::new(Pose::new(from.0, from.1, Heading(0)), Goal::of(&goal));
        plan(&tables, &request, &mut scratch, &mut path).cost
    };
    assert_eq!(cost((500, 500), (501, 500)), 2);
    let (allocations, costs) =
        allocations_in(|| (1..900).map(|at| cost((at, 3 * at % 1000), (at + 1, 3 * at % 1000))).sum::<u32>());
    assert_eq!((allocations, costs), (0, 2 * 899));
    let (allocations, far) = allocations_in(|| cost((1, 1), (1000, 1000)));
    assert!(allocations > 0 && far >= 2 * 1998, "{allocations} allocations, {far} ticks");
}

/// Values report the memory that the allocator counts, also after a scratch has shrunk.
#[test]
fn reported_memory_equals_allocated_memory() {
    let near = |reported: usize, held: usize, what: &str| {
        let slack = held / 40 + 2048;
        assert!(reported.abs_diff(held) <= slack, "{what}: says {reported}, holds {held}");
    };
    let mut grid = Grid::filled(
        GridSize::new(300, 200).unwrap(),
        GROUND,
        TerrainTable::movingai(),
        SideTable::default(),
    );
    for column in (7..300).step_by(9) {
        grid.set_terrain(Rect::new(column, (column * 7) % 20, 2, 170), WATER);
    }
    for class in [truck(), barge(), MovementClass::octile()] {
        // The shapes of a class are its own.
        let (of_class, class) = allocated_by(|| class.clone());
        let (held, mut tables) = allocated_by(|| MovementTables::compile(&grid, class));
        let bare = tables.memory_bytes();
        near(bare, held, "tables");
        assert!(of_class < held, "{of_class}");
        let (held, ()) = allocated_by(|| tables.make_components());
        near(tables.components().memory_bytes(), held, "components");
        assert_eq!(tables.memory_bytes(), bare + tables.components().memory_bytes());
        let (more, ()) = allocated_by(|| {
            for kind in [WATER, GROUND, WATER] {
                let edit = grid.set_terrain(Rect::new(40, 60, 6, 6), kind);
                tables.update(&grid, edit.changed);
            }
        });
        near(tables.components().memory_bytes() + bare, bare + held + more, "after edits");

        let goal = [GoalMember::any(CellXY::new(299, 0))];
        let request = Request::new(Pose::new(2, 2, Heading(0)), Goal::of(&goal));
        let mut path = Path::new();
        let (held, mut scratch) = allocated_by(|| {
            let mut scratch = Scratch::new();
            for weight in [1000, 1500] {
                plan(
                    &tables,
                    &Request { weight_permille: weight, ..request },
                    &mut scratch,
                    &mut Path::new(),
                );
            }
            scratch
        });
        near(scratch.memory_bytes(), held, "scratch");
        let answer = plan(&tables, &request, &mut scratch, &mut path);
        let whole = scratch.memory_bytes();
        for n_states in [tables.space().n_states(), 1000, 0] {
            scratch.shrink_to(n_states);
            assert!(scratch.memory_bytes() <= whole.min((1 << 18) + 8 * n_states), "{n_states}");
            assert_eq!(plan(&tables, &request, &mut scratch, &mut path), answer, "after shrinking");
        }
        #[cfg(feature = "rayon")]
        a_batch_reports_its_memory(&tables, &request, answer, near);
    }
}

#[cfg(feature = "rayon")]
fn a_batch_reports_its_memory(
    tables: &MovementTables,
    request: &Request<'_>,
    answer: Answer,
    near: impl Fn(usize, usize, &str) + Sync,
) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let requests = vec![*request; 100];
        let (held, mut slots) = allocated_by(|| {
            let mut slots = batch::BatchScratch::new();
            batch::plan_all(tables, &requests, &mut slots, |_, reported, _| assert_eq!(*reported, answer));
            slots
        });
        near(slots.memory_bytes(), held, "a batch");
        slots.shrink_to(0, 0);
        assert_eq!(slots.memory_bytes(), 0);
    });
}

fn an_update_does_not_allocate() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    tables.make_components();
    let banks = |tables: &MovementTables| {
        let state = |x, y| tables.space().state(Pose::new(x, y, Heading(0))).unwrap();
        tables.components().reachability(state(5, 5), state(50, 40)) == Reachability::Yes
    };
    let update = |tables: &mut MovementTables, grid: &mut Grid, area, kind| {
        let (allocations, ()) = allocations_in(|| {
            let edit = grid.set_terrain(area, kind);
            tables.update(grid, edit.changed);
        });
        allocations
    };
    // The largest edit allocates memory for all later ones.
    assert!(banks(&tables));
    update(&mut tables, &mut grid, FORD, WATER);
    update(&mut tables, &mut grid, Rect::new(0, 0, 64, 48), GROUND);
    grid = river();
    tables.update(&grid, Rect::new(0, 0, 64, 48));
    assert!(banks(&tables));
    assert_eq!(update(&mut tables, &mut grid, FORD, WATER), 0);
    assert!(!banks(&tables), "the components follow");
    assert_eq!(update(&mut tables, &mut grid, Rect::new(0, 0, 64, 48), GROUND), 0);
    assert!(banks(&tables));

    // The first side that is not open creates the edge layers; later ones find them.
    let edit = grid.set_side(CellXY::new(3, 3), Side::East, SideKind::WALL);
    tables.update(&grid, edit.changed);
    update(&mut tables, &mut grid, Rect::new(40, 30, 7, 7), WATER);
    let (allocations, ()) = allocations_in(|| {
        let edit = grid.set_side(CellXY::new(20, 30), Side::South, SideKind::WALL);
        tables.update(&grid, edit.changed);
    });
    assert_eq!(allocations, 0);
    assert_eq!(update(&mut tables, &mut grid, Rect::new(10, 10, 5, 5), WATER), 0);
}

fn a_field_does_not_allocate() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    let goals = [(60, 2), (5, 40), (40, 44)].map(|(x, y)| [GoalMember::any(CellXY::new(x, y))]);
    let starts: Vec<State> = (0..64).map(|s| State(s * 97)).collect();
    let mut agents = starts.clone();
    let (mut field, mut path) = (CostField::to_goal(&tables, &Goal::of(&goals[0])), Path::new());
    field.keep_moves(&tables);
    let mut scratch = RepairScratch::new();
    let mut costs = Vec::new();
    for round in 0..4 {
        let (allocations, sum) = allocations_in(|| {
            let mut sum = 0_u64;
            for goal in &goals {
                field.restart(&tables, &Goal::of(goal));
                while field.settle(&tables, SettleTarget::Within(90), 100).progress == Progress::Running {}
                field.settle(&tables, SettleTarget::All, u64::MAX);
                for (area, kind) in [(FORD, WATER), (FORD, GROUND), (Rect::new(35, 5, 8, 20), WATER)] {
                    let edit = grid.set_terrain(area, kind);
                    tables.update(&grid, edit.changed);
                    let repaired = field.repair(&tables, edit.changed, &mut scratch);
                    sum += repaired.lost + repaired.expansions;
                }
                agents.copy_from_slice(&starts);
                for _ in 0..50 {
                    field.step_all(&mut agents);
                }
                for &agent in &starts {
                    field.follow(&tables, agent, &mut path);
                    sum += u64::from(path.cost());
                }
                let edit = grid.set_terrain(Rect::new(35, 5, 8, 20), GROUND);
                tables.update(&grid, edit.changed);
                field.repair(&tables, edit.changed, &mut scratch);
            }
            sum
        });
        costs.push(sum);
        assert!(sum > 50_000, "{sum}");
        assert!(round == 0 || allocations == 0, "round {round}: {allocations}");
    }
    assert!(costs.windows(2).all(|pair| pair[0] == pair[1]), "{costs:?}");
}

fn replanning_does_not_allocate() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    let goal = [GoalMember::any(CellXY::new(60, 2))];
    let goal = Goal::of(&goal);
    let mut field = CostField::to_goal(&tables, &goal);
    field.settle(&tables, SettleTarget::All, u64::MAX);
    let (mut learned, mut traces) = (LearnedCosts::new(&tables, &goal), BackTraces::new(&tables, &goal));
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for round in 0..4 {
        let (allocations, costs) = allocations_in(|| {
            let mut request = Request::new(Pose::new(2, 40, Heading(0)), goal);
            let mut costs = [[0; 3]; 2];
            for (costs, kind) in costs.iter_mut().zip([GROUND, WATER]) {
                let edit = grid.set_terrain(Rect::new(31, 21, 1, 1), kind);
                tables.update(&grid, edit.changed);
                traces.after_edit(&tables, edit.changed, kind == WATER);
                if kind == GROUND {
                    learned.forget();
                }
                costs[0] = learned.plan(&tables, &request, &mut scratch, &mut path).cost;
                costs[1] = traces.plan(&tables, &request, &mut scratch, &mut path).cost;
                request.heuristic = Heuristic::Field(&field);
                costs[2] = plan(&tables, &request, &mut scratch, &mut path).cost;
            }
            costs
        });
        assert!(costs.iter().all(|c| c[0] == c[1] && c[0] == c[2]), "{costs:?}");
        // The corridor is first opened again in the second round.
        assert!(round < 2 || allocations == 0, "round {round}: {allocations}");
    }
}

fn distances_do_not_allocate() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    let targets: Vec<GoalMember> =
        (0..60).map(|n| GoalMember::any(CellXY::new(n * 7 % 64, n * 11 % 48))).collect();
    let starts = [(2, 40, 0), (60, 2, 1), (34, 21, 2)].map(|(x, y, h)| Pose::new(x, y, Heading(h)));
    let goal = [GoalMember::any(CellXY::new(60, 2))];
    let mut from = Distances::from_pose(&tables, starts[0]);
    let mut to = Distances::to_goal(&tables, &Goal::of(&goal));
    let (mut answers, mut path, mut scratch) = (Vec::new(), Path::new(), RepairScratch::new());
    let mut sums = Vec::new();
    for round in 0..4 {
        let (allocations, sum) = allocations_in(|| {
            let mut sum = 0;
            for start in starts {
                from.restart_from(&tables, start);
                to.restart_to(&tables, &Goal::of(&goal));
                from.settle(&tables, SettleTarget::Within(40), u64::MAX);
                sum += from.within(40).map(|(_, ticks)| ticks).sum::<u32>();
                sum += from.nearest(&tables, &targets[30..]).map_or(0, |(_, distance)| distance.ticks);
                for kind in [WATER, GROUND] {
                    for distances in [&mut from, &mut to] {
                        distances.measure(&tables, &targets, &mut answers);
                        sum += answers.iter().flatten().map(|answer| answer.ticks).sum::<u32>();
                        for answer in answers.iter().flatten() {
                            sum += distances.next_move(&tables, answer.pose).map_or(0, u32::from);
                            distances.path(&tables, answer.pose, &mut path);
                        }
                    }
                    let edit = grid.set_terrain(FORD, kind);
                    tables.update(&grid, edit.changed);
                    from.repair(&tables, edit.changed, &mut scratch);
                    to.repair(&tables, edit.changed, &mut scratch);
                }
            }
            sum
        });
        sums.push(sum);
        assert!(sum > 10_000, "{sum}");
        assert!(round < 2 || allocations == 0, "round {round}: {allocations}");
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "{sums:?}");
}

fn connections_do_not_allocate() {
    let rows = vec![".".repeat(20); 20];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    for cell in Rect::new(0, 0, 20, 20).cells() {
        grid.set_side(cell, Side::SQUARE[(cell.x * 7 + cell.y * 3) as usize % 4], SideKind::WALL);
    }
    let mut spec = ClassSpec::new("current", 1);
    spec.primitives = Primitive::four_directions(1);
    let mut tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    tables.make_components();
    let (mut connections, mut tiles) = (Connections::new(&tables), Vec::new());
    let [from, to] = [CellXY::new(8, 8), CellXY::new(10, 9)];
    // After four rounds the tiles are back in their initial orientation.
    for round in 0..12 {
        let (allocations, connected) = allocations_in(|| {
            let mut connected = 0;
            for cell in Rect::new(0, 0, 20, 20).cells() {
                let edit = grid.rotate(cell, 1);
                tables.update(&grid, edit.changed);
                connected += u32::from(tables.connects(from, to) == Reachability::Yes);
                connections.shortest(&tables, from, to, &mut tiles);
                connections.all(&tables, from, &mut tiles);
            }
            connected
        });
        assert!(connected > 0);
        assert!(round < 4 || allocations == 0, "round {round}: {allocations}");
    }
}

fn a_graph_does_not_allocate() {
    use wheelbase_planner::graph::{Edge, Graph, GraphField, GraphPath, GraphRequest, GraphScratch};
    let n = 900_u32;
    let edge = |number: u32| {
        Edge::new(number % n, (number * 7919 + number / n * 13) % n, i64::from(number * 31 % 40))
    };
    let mut graph = Graph::new(n, (0..4 * n).map(edge)).unwrap();
    let (mut scratch, mut path) = (GraphScratch::new(), GraphPath::new());
    let mut fields = [GraphField::to_goal(&graph, &[5]), GraphField::from_start(&graph, &[5])];
    let (asked, mut answers): (Vec<u32>, _) = ((0..n).step_by(7).collect(), Vec::new());
    let bound = |_: u32| 0;
    for round in 0..4 {
        let (allocations, found) = allocations_in(|| {
            let mut found = 0;
            for weight in [400, 3] {
                graph.set_weight(40, weight).unwrap();
                for goal in 1..40 {
                    let goals = [goal * 20];
                    let mut request = GraphRequest::new(goal, &goals);
                    found += u32::from(graph.plan(&request, &mut scratch, &mut path).status == Status::Found);
                    request.estimate = Some(&bound);
                    graph.plan(&request, &mut scratch, &mut path);
                }
                for field in &mut fields {
                    field.restart(&graph, &[17]);
                    field.measure(&graph, &asked, &mut answers);
                    field.follow(&graph, 300, &mut path);
                }
            }
            found
        });
        assert!(found > 30);
        assert!(round == 0 || allocations == 0, "round {round}: {allocations}");
    }
}
