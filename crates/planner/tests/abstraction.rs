//! The abstract graph: equal to a new one after edits, the same for any number of threads, and routes that paths
//! follow.

use crate::common::{apply, class_of, drain, edit, grid_of};
use proptest::prelude::*;
use std::sync::Arc;
use wheelbase_grid::*;
use wheelbase_planner::abstraction::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::{PathQueue, QueuedRequest};
use wheelbase_planner::tables::*;
use wheelbase_planner::{Request, Scratch, plan};

/// Maps of more than one cluster, and a class of any kind.
fn large_world() -> impl Strategy<Value = (Grid, MovementClass)> {
    let shape = prop_oneof![2 => Just(GridShape::Square), 1 => Just(GridShape::Hex)];
    shape.prop_flat_map(|shape| (grid_of(shape, 30..75), class_of(shape)))
}

/// The goal as a request, planned exactly.
fn exact(tables: &MovementTables, start: Pose, goal: GoalMember, path: &mut Path) -> Status {
    let members = [goal];
    plan(tables, &Request::new(start, Goal::of(&members)), &mut Scratch::new(), path).status
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn updates_equal_new_graphs((mut grid, class) in large_world(), edits in prop::collection::vec(edit(), 1..4)) {
        let mut tables = MovementTables::compile(&grid, class);
        let mut graph = Abstraction::of(&tables);
        for edit in edits {
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            graph.update(&tables, changed);
            prop_assert!(graph == Abstraction::of(&tables));
            prop_assert!(graph.memory_bytes() as u64 <= routes_need(tables.space(), 0).built);
        }
    }

    /// A graph made a few clusters at a time, with edits between, equals a new one.
    #[test]
    fn graphs_in_parts_equal_new_graphs((mut grid, class) in large_world(), steps in prop::collection::vec((0..3_usize, edit()), 1..8)) {
        let mut tables = MovementTables::compile(&grid, class);
        let mut graph = Abstraction::without_costs(&tables);
        for (n, edit) in steps {
            graph.search_more(&tables, n);
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            graph.update(&tables, changed);
        }
        while !graph.is_complete() {
            prop_assert_eq!(graph.search_more(&tables, 1), 1);
        }
        prop_assert!(graph == Abstraction::of(&tables));
        prop_assert_eq!(graph.search_more(&tables, 1), 0);
    }

    /// Whatever the class: a route never leads where no path does, and paths along it are legal.
    #[test]
    fn paths_along_routes_are_legal((grid, class) in large_world(), cells in prop::collection::vec((0..75_i32, 0..75_i32), 8)) {
        let tables = MovementTables::compile(&grid, class.clone());
        let graph = Abstraction::of(&tables);
        let (mut memory, mut path, mut along) = (RouteScratch::default(), Path::new(), Path::new());
        for pair in cells.windows(2) {
            let start = Pose::new(pair[0].0, pair[0].1, Heading(0));
            let goal = GoalMember::any(CellXY::new(pair[1].0, pair[1].1));
            if !tables.is_legal_pose(start) {
                continue;
            }
            let Some(route) = graph.route(&tables, start, goal, &mut memory) else { continue };
            if plan_along(&tables, &route, (start, goal), &mut Scratch::new(), &mut along).is_none() {
                continue;
            }
            prop_assert_eq!(exact(&tables, start, goal, &mut path), Status::Found);
            prop_assert!(path.cost() <= along.cost());
            prop_assert_eq!(along.poses.last().unwrap().pose.cell, goal.cell);
            prop_assert!(check_path(&Legality::new(&grid, &class), &along).is_ok());
        }
    }
}

/// A map of random obstacles.
fn obstacles(seed: u64, percent: u64) -> Grid {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let rows: Vec<String> =
        (0..90).map(|_| (0..110).map(|_| if draw() % 100 < percent { '@' } else { '.' }).collect()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap()
}

/// Walkers in four directions among [`obstacles`].
fn walkers(seed: u64, percent: u64) -> MovementTables {
    let mut spec = ClassSpec::new("walker", 1);
    spec.primitives = Primitive::four_directions(10);
    MovementTables::compile(&obstacles(seed, percent), MovementClass::new(spec).unwrap())
}

/// Without headings, routes and paths exist for the same goals. A route then costs at least as much as a path of longer
/// legs.
#[test]
fn walkers_find_routes_where_there_are_paths() {
    let (mut memory, mut path, mut along) = (RouteScratch::default(), Path::new(), Path::new());
    let (mut n_found, mut excess, mut n_cheaper) = (0, 0, 0);
    for seed in 0..6 {
        let tables = walkers(seed, 10 + 5 * seed);
        let graph = Abstraction::of(&tables);
        for at in 0..40 {
            let start = Pose::new(at * 37 % 110, at * 53 % 90, Heading(0));
            let goal = GoalMember::any(CellXY::new((at * 71 + 50) % 110, (at * 29 + 40) % 90));
            if !tables.is_legal_pose(start) {
                continue;
            }
            let route = graph.route(&tables, start, goal, &mut memory);
            let is_found = exact(&tables, start, goal, &mut path) == Status::Found;
            assert_eq!(route.is_some(), is_found, "seed {seed}: {start:?} to {goal:?}");
            let Some(route) = route else { continue };
            let expansions = plan_along(&tables, &route, (start, goal), &mut Scratch::new(), &mut along);
            assert!(expansions.is_some_and(|n| start.cell == goal.cell || n > 0));
            assert!(path.cost() <= along.cost() && along.cost() <= route.cost, "seed {seed}");
            assert!(route.portals.is_sorted_by_key(|portal| portal.cost));
            assert!(route.portals.iter().all(|portal| portal.cost + portal.remaining == route.cost));
            // From each portal the rest of the route is the cheapest way on.
            for portal in &route.portals {
                let here = Pose { cell: portal.cell, heading: Heading(0) };
                let onward = graph.route_from_portal(&tables, (here, goal), true, &mut memory).unwrap();
                assert!(onward.cost <= portal.remaining, "seed {seed}: {here:?} to {goal:?}");
                let from_pose = graph.route(&tables, here, goal, &mut memory).unwrap();
                n_cheaper += u32::from(onward.expansions < from_pose.expansions);
                assert!(onward.expansions <= from_pose.expansions);
                assert_eq!(exact(&tables, here, goal, &mut path), Status::Found);
                assert!(path.cost() <= onward.cost);
            }
            exact(&tables, start, goal, &mut path);
            n_found += 1;
            excess += (along.cost() - path.cost()) * 1000 / path.cost().max(1);
        }
    }
    assert!(n_found > 120 && n_cheaper > n_found, "{n_found}, {n_cheaper}");
    assert!(excess / n_found < 30, "{excess} permille in {n_found} paths");
}

/// With a graph the queue gives the paths of [`plan_along`], whatever the budget and the slots. Without a route or with
/// a graph of another revision it gives the exact answer.
#[test]
fn a_queue_follows_routes() {
    let mut routed = [0, 0];
    for seed in 0..4 {
        let mut tables = walkers(seed, 20 + 5 * seed);
        let graph = Arc::new(Abstraction::of(&tables));
        let requests: Vec<_> = (0..24)
            .map(|at: i32| (at * 37 % 110, at * 53 % 90, at * 71 % 113, at * 29 % 90))
            .map(|(x, y, to_x, to_y)| {
                let goal = vec![GoalMember::any(CellXY::new(to_x, to_y))];
                let exact = QueuedRequest::new(0, Pose::new(x, y, Heading(0)), goal);
                QueuedRequest { graph: Some(graph.clone()), ..exact }
            })
            .collect();
        for (round, n_routed) in routed.iter_mut().enumerate() {
            let (mut memory, mut search) = (RouteScratch::default(), Scratch::new());
            let right: Vec<_> = requests
                .iter()
                .map(|asked| {
                    let (mut path, goal) = (Path::new(), asked.goal[0]);
                    let route =
                        (round == 0).then(|| graph.route(&tables, asked.start, goal, &mut memory)).flatten();
                    let legs = route.and_then(|route| {
                        let ends = (asked.start, goal);
                        let spent = plan_along(&tables, &route, ends, &mut search, &mut path)?;
                        Some(spent + route.expansions)
                    });
                    *n_routed += u32::from(legs.is_some());
                    let (status, expansions) = legs.map_or_else(
                        || {
                            let answer = plan(&tables, &asked.as_request(), &mut search, &mut path);
                            (answer.status, answer.expansions)
                        },
                        |expansions| (Status::Found, expansions),
                    );
                    (status, expansions, path)
                })
                .collect();
            for (budget, slots) in [(u64::MAX, 1), (7, 3), (500, 8)] {
                let mut queue = PathQueue::new(tables.space().size(), 1, slots);
                for request in &requests {
                    queue.submit(request.clone()).unwrap();
                }
                let mut found = drain(&mut queue, std::slice::from_ref(&tables), budget);
                found.sort_unstable_by_key(|&(_, ticket, ..)| ticket);
                assert_eq!(found.len(), right.len());
                for ((.., answer, path), right) in found.into_iter().zip(&right) {
                    assert_eq!((answer.status, answer.expansions, &path), (right.0, right.1, &right.2));
                    assert_eq!(answer.cost, path.cost());
                }
            }
            // The graph is of the map before.
            let mut grid = obstacles(seed, 20 + 5 * seed);
            let edit = grid.set_terrain(Rect::new(50, 0, 1, 60), TerrainKind(1));
            tables.update(&grid, edit.changed);
        }
    }
    assert!(routed[0] > 40 && routed[1] == 0, "{routed:?}");
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_builds_the_same_graph() {
    let tables = walkers(7, 25);
    let alone = Abstraction::of(&tables);
    for threads in [2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| Abstraction::of(&tables)) == alone);
    }
}
