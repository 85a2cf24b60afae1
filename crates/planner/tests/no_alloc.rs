//! Neither a search nor an update of the tables allocates once its memory has grown, and values hold as much
//! memory as they say.
//!
//! The one place outside `capi` with unsafe code: it counts what the thread it runs on asks of the allocator.

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
    /// Made in advance and without a destructor, so that counting allocates nothing itself.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes taken, less those given back.
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

// SAFETY: every call is handed to `System` as it came, so `System` upholds the contract; counting
// neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`, which is the same here.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        hold(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract of `realloc`; `block` came from `System`, as all do.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract of `dealloc`; `block` came from `System`, as all do.
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

/// Bytes that some work leaves held, and what it gives.
fn held_by<T>(work: impl FnOnce() -> T) -> (usize, T) {
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

/// Cannot go back, so what lies west of it is not reached but by search.
fn barge() -> MovementClass {
    let mut spec = ClassSpec::new("barge", 1);
    spec.primitives = Primitive::four_ways(40_000);
    spec.primitives.remove(2);
    MovementClass::new(spec).unwrap()
}

/// What a request may be made of. Everything here is the caller's, and made in advance.
struct Ask<'a> {
    tables: &'a MovementTables,
    request: Request<'a>,
    /// Expansions a slice.
    slice: Option<u64>,
}

fn answer(ask: &Ask<'_>, scratch: &mut Scratch, path: &mut Path) -> Answer {
    let Some(slice) = ask.slice else { return plan(ask.tables, &ask.request, scratch, path) };
    begin(ask.tables, &ask.request, scratch);
    while advance(ask.tables, &ask.request, scratch, slice) == Progress::Running {}
    finish(ask.tables, &ask.request, scratch, path)
}

#[test]
fn after_warm_up_nothing_allocates() {
    a_search_allocates_nothing();
    a_near_request_on_a_large_map_allocates_nothing();
    an_update_allocates_nothing();
    a_field_allocates_nothing();
    replanning_allocates_nothing();
    distances_allocate_nothing();
    connections_allocate_nothing();
    a_graph_allocates_nothing();
}

fn a_search_allocates_nothing() {
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
        Ask { tables: &truck, request, slice: None }
    };
    let mut asks: Vec<Ask<'_>> = HeuristicName::ALL
        .into_iter()
        .map(|name| ask(&far, &|r| r.heuristic = Heuristic::Named(name)))
        .collect();
    asks.push(ask(&far, &|r| r.weight_permille = 1800));
    asks.push(ask(&set, &|r| r.goal.within = 3));
    asks.push(ask(&lake, &|_| ()));
    asks.push(ask(&lake, &|r| r.fallback = Fallback::Nearest));
    asks.push(ask(&off, &|r| r.fallback = Fallback::Nearest));
    asks.push(ask(&far, &|r| (r.expansions_max, r.partial) = (Some(300), true)));
    asks.push(Ask { slice: Some(17), ..ask(&set, &|_| ()) });
    let mut around = ask(&far, &|_| ());
    around.request.obstacles = Some(&held);
    asks.push(around);
    let mut guided = ask(&far, &|_| ());
    guided.request.heuristic = Heuristic::Custom(&custom);
    asks.push(guided);
    for fallback in [Fallback::Fail, Fallback::Nearest] {
        let mut back = ask(&far, &|r| r.fallback = fallback);
        (back.request.start, back.tables) = (Pose::new(63, 47, Heading(0)), &barge);
        asks.push(back);
    }

    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let expected: Vec<Answer> = asks.iter().map(|ask| answer(ask, &mut scratch, &mut path)).collect();
    let statuses = |status| expected.iter().filter(|answer| answer.status == status).count();
    assert_eq!((statuses(Status::Found), statuses(Status::Unreachable)), (asks.len() - 3, 1));
    assert_eq!((statuses(Status::GoalBlocked), statuses(Status::LimitReached)), (1, 1));
    // Another order, so that nothing is left from the same query just before.
    for (ask, expected) in asks.iter().zip(&expected).rev() {
        let (allocations, answer) = allocations_in(|| answer(ask, &mut scratch, &mut path));
        assert_eq!(allocations, 0, "{:?}", ask.request);
        assert_eq!(answer, *expected, "{:?}", ask.request);
    }
}

/// A request to the next cell lists nothing by column and row, which a far one does.
fn a_near_request_on_a_large_map_allocates_nothing() {
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

/// What values say of their memory, against the allocator, and what is left of a scratch that has shrunk.
#[test]
fn values_hold_as_much_memory_as_they_say() {
    let near = |told: usize, held: usize, what: &str| {
        let slack = held / 40 + 2048;
        assert!(told.abs_diff(held) <= slack, "{what}: says {told}, holds {held}");
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
        let (of_class, class) = held_by(|| class.clone());
        let (held, mut tables) = held_by(|| MovementTables::compile(&grid, class));
        let bare = tables.memory_bytes();
        near(bare, held, "tables");
        assert!(of_class < held, "{of_class}");
        let (held, ()) = held_by(|| tables.make_components());
        near(tables.components().memory_bytes(), held, "components");
        assert_eq!(tables.memory_bytes(), bare + tables.components().memory_bytes());
        let (more, ()) = held_by(|| {
            for kind in [WATER, GROUND, WATER] {
                let edit = grid.set_terrain(Rect::new(40, 60, 6, 6), kind);
                tables.update(&grid, edit.changed);
            }
        });
        near(tables.components().memory_bytes() + bare, bare + held + more, "after edits");

        let goal = [GoalMember::any(CellXY::new(299, 0))];
        let request = Request::new(Pose::new(2, 2, Heading(0)), Goal::of(&goal));
        let mut path = Path::new();
        let (held, mut scratch) = held_by(|| {
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
        a_batch_holds_as_much_as_it_says(&tables, &request, answer, near);
    }
}

#[cfg(feature = "rayon")]
fn a_batch_holds_as_much_as_it_says(
    tables: &MovementTables,
    request: &Request<'_>,
    answer: Answer,
    near: impl Fn(usize, usize, &str) + Sync,
) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let requests = vec![*request; 100];
        let (held, mut slots) = held_by(|| {
            let mut slots = batch::BatchScratch::new();
            batch::plan_all(tables, &requests, &mut slots, |_, told, _| assert_eq!(*told, answer));
            slots
        });
        near(slots.memory_bytes(), held, "a batch");
        slots.shrink_to(0, 0);
        assert_eq!(slots.memory_bytes(), 0);
    });
}

fn an_update_allocates_nothing() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    tables.make_components();
    let banks = |tables: &MovementTables| {
        let state = |x, y| tables.space().state(Pose::new(x, y, Heading(0))).unwrap();
        tables.components().way(state(5, 5), state(50, 40)) == Way::Yes
    };
    let update = |tables: &mut MovementTables, grid: &mut Grid, area, kind| {
        let (allocations, ()) = allocations_in(|| {
            let edit = grid.set_terrain(area, kind);
            tables.update(grid, edit.changed);
        });
        allocations
    };
    // The largest edit takes room for all that follow.
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

    // The first side that is not open brings the edge layers into being; later ones find them.
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

fn a_field_allocates_nothing() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    let goals = [(60, 2), (5, 40), (40, 44)].map(|(x, y)| [GoalMember::any(CellXY::new(x, y))]);
    let starts: Vec<State> = (0..64).map(|s| State(s * 97)).collect();
    let mut agents = starts.clone();
    let (mut field, mut path) = (CostField::to_goal(&tables, &Goal::of(&goals[0])), Path::new());
    field.keep_moves(&tables);
    let mut scratch = FieldScratch::new();
    let mut costs = Vec::new();
    for round in 0..4 {
        let (allocations, sum) = allocations_in(|| {
            let mut sum = 0_u64;
            for goal in &goals {
                field.restart(&tables, &Goal::of(goal));
                while field.settle(&tables, Until::Within(90), 100).progress == Progress::Running {}
                field.settle(&tables, Until::All, u64::MAX);
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

fn replanning_allocates_nothing() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    let goal = [GoalMember::any(CellXY::new(60, 2))];
    let goal = Goal::of(&goal);
    let mut field = CostField::to_goal(&tables, &goal);
    field.settle(&tables, Until::All, u64::MAX);
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
        // The passage is first opened again in the second round.
        assert!(round < 2 || allocations == 0, "round {round}: {allocations}");
    }
}

fn distances_allocate_nothing() {
    let mut grid = river();
    let mut tables = MovementTables::compile(&grid, truck());
    let targets: Vec<GoalMember> =
        (0..60).map(|n| GoalMember::any(CellXY::new(n * 7 % 64, n * 11 % 48))).collect();
    let starts = [(2, 40, 0), (60, 2, 1), (34, 21, 2)].map(|(x, y, h)| Pose::new(x, y, Heading(h)));
    let goal = [GoalMember::any(CellXY::new(60, 2))];
    let mut from = Distances::from_pose(&tables, starts[0]);
    let mut to = Distances::to_goal(&tables, &Goal::of(&goal));
    let (mut answers, mut path, mut scratch) = (Vec::new(), Path::new(), FieldScratch::new());
    let mut sums = Vec::new();
    for round in 0..4 {
        let (allocations, sum) = allocations_in(|| {
            let mut sum = 0;
            for start in starts {
                from.restart_from(&tables, start);
                to.restart_to(&tables, &Goal::of(&goal));
                from.settle(&tables, Until::Within(40), u64::MAX);
                sum += from.within(40).map(|(_, ticks)| ticks).sum::<u32>();
                sum += from.nearest(&tables, &targets[30..]).map_or(0, |(_, distance)| distance.ticks);
                for kind in [WATER, GROUND] {
                    for distances in [&mut from, &mut to] {
                        distances.measure(&tables, &targets, &mut answers);
                        sum += answers.iter().flatten().map(|answer| answer.ticks).sum::<u32>();
                        for answer in answers.iter().flatten() {
                            sum += distances.next_move(&tables, answer.pose).map_or(0, u32::from);
                            distances.way(&tables, answer.pose, &mut path);
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

fn connections_allocate_nothing() {
    let rows = vec![".".repeat(20); 20];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    for cell in Rect::new(0, 0, 20, 20).cells() {
        grid.set_side(cell, Side::SQUARE[(cell.x * 7 + cell.y * 3) as usize % 4], SideKind::WALL);
    }
    let mut spec = ClassSpec::new("current", 1);
    spec.primitives = Primitive::four_ways(1);
    let mut tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    tables.make_components();
    let (mut connections, mut tiles) = (Connections::new(&tables), Vec::new());
    let [from, to] = [CellXY::new(8, 8), CellXY::new(10, 9)];
    // After four rounds the tiles lie as at first.
    for round in 0..12 {
        let (allocations, connected) = allocations_in(|| {
            let mut connected = 0;
            for cell in Rect::new(0, 0, 20, 20).cells() {
                let edit = grid.rotate(cell, 1);
                tables.update(&grid, edit.changed);
                connected += u32::from(tables.connects(from, to) == Way::Yes);
                connections.shortest(&tables, from, to, &mut tiles);
                connections.all(&tables, from, &mut tiles);
            }
            connected
        });
        assert!(connected > 0);
        assert!(round < 4 || allocations == 0, "round {round}: {allocations}");
    }
}

fn a_graph_allocates_nothing() {
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
