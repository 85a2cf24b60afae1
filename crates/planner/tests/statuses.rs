//! Outcomes of queries on small maps drawn by hand. Each status and its reason, their precedence, the fallback, and
//! obstacles. Also reasons of illegal moves, invalid paths, and heuristics that never change a cost.

use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::search::*;
use wheelbase_planner::*;

const EAST: Heading = Heading(0);

fn table() -> TerrainTable {
    let entry = |name: &str, glyphs: &str, speed| TerrainEntry {
        name: name.to_owned(),
        glyphs: glyphs.to_owned(),
        speed,
        colour: None,
        sides: [SideKind::OPEN; SIDES_MAX],
    };
    TerrainTable::with_standard(vec![entry("mire", "m", 1)]).unwrap()
}

fn grid(rows: &[&str]) -> Grid {
    Grid::from_rows(rows, table(), SideTable::default()).unwrap()
}

/// Swept by its ends, so that a small map has room for it.
fn class(headings: u8, footprint: &[(i32, i32)], primitives: Vec<Primitive>) -> MovementClass {
    let mut spec = ClassSpec::new("any", headings);
    spec.sweep = Sweep::both(SweepRule::Ends);
    (spec.footprint, spec.primitives) = (footprint.to_vec(), primitives);
    MovementClass::new(spec).unwrap()
}

/// 1x1 without a facing, 5 ticks per step.
fn walker() -> MovementClass {
    class(1, &[(0, 0)], Primitive::four_directions(5))
}

/// 1x1 without a facing that can only go east and south.
fn drifter() -> MovementClass {
    let mut ways = Primitive::four_directions(5);
    ways.retain(|way| way.name == "E" || way.name == "S");
    class(1, &[(0, 0)], ways)
}

/// 1x1 without a facing: 65,535 ticks per step, 65,535,000 in a mire, of which a path can hold 65.
fn slug() -> MovementClass {
    class(1, &[(0, 0)], Primitive::four_directions(65_535))
}

fn truck() -> MovementClass {
    class(4, &[(0, 0), (-1, 0)], Primitive::vehicle(2, 6, 2))
}

/// Returns the answer, the reason in words, and the end of the path. Validates the path if there is one.
fn ask<'a>(
    grid: &Grid,
    class: &MovementClass,
    start: Pose,
    goals: &'a [GoalMember],
    change: impl FnOnce(&mut Request<'a>),
) -> (Answer, Option<String>, Option<Pose>) {
    let mut tables = MovementTables::compile(grid, class.clone());
    let legality = Legality::new(grid, class);
    let mut request = Request::new(start, Goal::of(goals));
    change(&mut request);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let without = plan(&tables, &request, &mut scratch, &mut path);
    tables.make_components();
    let answer = plan(&tables, &request, &mut scratch, &mut path);
    if request.expansions_max.is_none() && request.weight_permille == 1000 {
        let reported = |answer: &Answer| (answer.status, answer.reached, answer.cost);
        assert_eq!(reported(&without), reported(&answer), "without components and with them");
    }
    let reason = answer.reason(&legality, &request).map(|reason| reason.describe(&legality, grid));
    assert_eq!(answer.reached.is_some(), !path.poses.is_empty());
    if answer.reached.is_some() {
        assert_eq!(check_path(&legality, &path), Ok(()));
        assert_eq!(answer.cost, path.cost());
    }
    (answer, reason, path.poses.last().map(|last| last.pose))
}

fn at(x: i32, y: i32) -> Pose {
    Pose::new(x, y, EAST)
}

fn any(x: i32, y: i32) -> [GoalMember; 1] {
    [GoalMember::any(CellXY::new(x, y))]
}

/// A query for a walker: status, reason and expansions.
fn walk(rows: &[&str], start: (i32, i32), goal: (i32, i32)) -> (Status, Option<String>, u64) {
    let (answer, reason, _) = ask(&grid(rows), &walker(), at(start.0, start.1), &any(goal.0, goal.1), |_| ());
    (answer.status, reason, answer.expansions)
}

fn why(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn start_off_map() {
    let reason = why("the start (4, 0) is off the map of 4 x 1");
    assert_eq!(walk(&["...."], (4, 0), (0, 0)), (Status::StartOffMap, reason, 0));
    // A heading that the class lacks is not a pose of the map either.
    let start = Pose::new(0, 0, Heading(4));
    let (answer, ..) = ask(&grid(&["...."]), &truck(), start, &any(1, 0), |_| ());
    assert_eq!(answer.status, Status::StartOffMap);
}

#[test]
fn goal_off_map() {
    let reason = why("no goal is on the map of 4 x 1; the first is (0, -1)");
    assert_eq!(walk(&["...."], (3, 0), (0, -1)), (Status::GoalOffMap, reason, 0));
    // A goal without members counts as off the map.
    let (answer, ..) = ask(&grid(&["...."]), &walker(), at(0, 0), &[], |_| ());
    assert_eq!(answer.status, Status::GoalOffMap);
    // One member on the map is enough, and a radius may extend back onto it.
    let two = [GoalMember::any(CellXY::new(9, 9)), GoalMember::any(CellXY::new(3, 0))];
    assert_eq!(ask(&grid(&["...."]), &walker(), at(0, 0), &two, |_| ()).0.cost, 15);
    let (answer, _, end) = ask(&grid(&["...."]), &walker(), at(0, 0), &any(5, 0), |r| r.goal.within = 3);
    assert_eq!((answer.status, end), (Status::Found, Some(at(2, 0))));
}

#[test]
fn start_blocked() {
    let reason = why("the start is not a legal pose: cell (1, 0) is water");
    assert_eq!(walk(&[".W.."], (1, 0), (3, 0)), (Status::StartBlocked, reason, 0));
    let (_, reason, _) = ask(&grid(&["...."]), &truck(), at(0, 0), &any(3, 0), |_| ());
    assert_eq!(reason, why("the start is not a legal pose: cell (-1, 0) is off the map of 4 x 1"));
}

#[test]
fn goal_blocked() {
    let reason = why("no goal is a legal pose; of (2, 0, -): cell (2, 0) is trees");
    assert_eq!(walk(&["..T."], (0, 0), (2, 0)), (Status::GoalBlocked, reason, 0));
    // The cell is free, but the body does not fit at any heading: the first heading is reported.
    let map = grid(&["...WWW", "...W.W", "...WWW"]);
    let (answer, reason, _) = ask(&map, &truck(), at(1, 1), &any(4, 1), |_| ());
    assert_eq!(answer.status, Status::GoalBlocked);
    assert_eq!(reason, why("no goal is a legal pose; of (4, 1, E): cell (3, 1) is water"));
}

#[test]
fn found() {
    assert_eq!(walk(&["..W."], (0, 0), (1, 0)), (Status::Found, None, 1));
    let goal = [GoalMember::pose(Pose::new(1, 1, Heading(2)))];
    let (answer, reason, end) = ask(&grid(&["...", "...", "..."]), &truck(), at(1, 1), &goal, |_| ());
    assert_eq!((answer.status, answer.reached, answer.cost), (Status::Found, Some(Reached::Goal), 4));
    assert_eq!((reason, end), (None, Some(Pose::new(1, 1, Heading(2)))));
}

#[test]
fn found_at_cost_0_if_the_start_is_the_goal() {
    // The limit does not matter: taking the goal off the list is not an expansion.
    for limit in [None, Some(0)] {
        let (answer, reason, end) =
            ask(&grid(&["..W."]), &walker(), at(1, 0), &any(1, 0), |r| r.expansions_max = limit);
        assert_eq!((answer.status, answer.reached), (Status::Found, Some(Reached::Goal)));
        assert_eq!((answer.cost, answer.expansions, reason, end), (0, 0, None, Some(at(1, 0))));
    }
}

const NO_WAY: &str = "no sequence of moves leads from the start to the goal";

#[test]
fn unreachable_by_component_without_search() {
    assert_eq!(walk(&["..W."], (0, 0), (3, 0)), (Status::Unreachable, why(NO_WAY), 0));
}

#[test]
fn unreachable_by_one_way_moves_without_search() {
    let map = grid(&["...", "...", "..."]);
    let (answer, reason, _) = ask(&map, &drifter(), at(1, 1), &any(0, 0), |_| ());
    assert_eq!((answer.status, reason, answer.expansions), (Status::Unreachable, why(NO_WAY), 0));
}

#[test]
fn limit_reached_gives_a_path_only_if_requested() {
    let map = grid(&["......"]);
    let limited = |limit, partial| {
        ask(&map, &walker(), at(0, 0), &any(5, 0), |r| {
            (r.expansions_max, r.partial) = (Some(limit), partial);
        })
    };
    let (answer, reason, end) = limited(3, false);
    assert_eq!((answer.status, answer.reached, answer.cost), (Status::LimitReached, None, 0));
    assert_eq!((answer.expansions, end), (3, None));
    assert_eq!(reason, why("the limit of 3 expansions was reached first"));
    let (answer, _, end) = limited(3, true);
    assert_eq!((answer.status, answer.reached), (Status::LimitReached, Some(Reached::Partial)));
    assert_eq!((answer.cost, end), (10, Some(at(2, 0))));
    // Nothing is expanded yet, so the start is the best pose.
    assert_eq!(limited(0, true).2, Some(at(0, 0)));
    assert_eq!(limited(5, true).0.status, Status::Found);
}

#[test]
fn partial_takes_the_least_estimate_then_the_least_cost_then_the_least_index() {
    // The limit is reached exactly when all of the upper three rows are expanded.
    let map = grid(&["...W.", ".S.W.", "...W.", "...W."]);
    let goal = any(4, 1);
    let estimate = |pose: Pose| match pose.cell.y {
        3 => 50_000,
        _ => [9, 9, 4, 9, 0][pose.cell.x as usize],
    };
    let (answer, _, end) = ask(&map, &leaper(), at(0, 1), &goal, |r| {
        r.heuristic = Heuristic::Custom(&estimate);
        (r.expansions_max, r.partial) = (Some(9), true);
    });
    // Column 2 has the least estimate. The swamp makes the middle row the dearest to reach, and of the two
    // corners the northern one has the lower index.
    assert_eq!((answer.reached, end), (Some(Reached::Partial), Some(at(2, 0))));
}

/// A walker that can leap two cells to the east at a very high cost, over anything.
fn leaper() -> MovementClass {
    let mut ways = Primitive::four_directions(5);
    ways.push(Primitive::step("leap", (2, 1), 60_000));
    class(1, &[(0, 0)], ways)
}

#[test]
fn a_limited_search_resumes_with_a_higher_limit() {
    let map = grid(&["........", ".WWWWWW.", "........"]);
    let tables = MovementTables::compile(&map, walker());
    let goal = any(7, 2);
    let mut request = Request::new(at(0, 0), Goal::of(&goal));
    let (mut scratch, mut path, mut whole) = (Scratch::new(), Path::new(), Path::new());
    let expected = plan(&tables, &request, &mut scratch, &mut whole);
    assert_eq!(expected.status, Status::Found);

    begin(&tables, &request, &mut scratch);
    for limit in 0..expected.expansions {
        request.expansions_max = Some(limit);
        assert_eq!(advance(&tables, &request, &mut scratch, u64::MAX), Progress::Done);
        let answer = finish(&tables, &request, &scratch, &mut path);
        assert_eq!((answer.status, answer.expansions), (Status::LimitReached, limit));
        assert!(path.poses.is_empty());
    }
    request.expansions_max = None;
    assert_eq!(advance(&tables, &request, &mut scratch, u64::MAX), Progress::Done);
    assert_eq!(finish(&tables, &request, &scratch, &mut path), expected);
    assert_eq!(path, whole);
    // A finished search stays finished.
    assert_eq!(advance(&tables, &request, &mut scratch, u64::MAX), Progress::Done);
    assert_eq!(finish(&tables, &request, &scratch, &mut path), expected);
}

const TOO_LONG: &str = "the path would take more than 4294967294 ticks";

fn mire(n_cells: usize) -> Grid {
    grid(&["m".repeat(n_cells).as_str()])
}

#[test]
fn cost_overflow_is_a_status_and_never_a_wrap() {
    let (answer, ..) = ask(&mire(80), &slug(), at(0, 0), &any(65, 0), |_| ());
    assert_eq!((answer.status, answer.cost), (Status::Found, 65 * 65_535_000));
    let (answer, reason, end) = ask(&mire(80), &slug(), at(0, 0), &any(66, 0), |_| ());
    assert_eq!((answer.status, answer.reached), (Status::CostOverflow, None));
    assert_eq!((reason, end), (why(TOO_LONG), None));
    for name in HeuristicName::ALL {
        let (answer, ..) =
            ask(&mire(200), &slug(), at(0, 0), &any(199, 0), |r| r.heuristic = Heuristic::Named(name));
        assert_eq!(answer.status, Status::CostOverflow, "{name:?}");
    }
}

#[test]
fn cost_overflow_with_a_weight() {
    let (answer, reason, _) = ask(&mire(80), &slug(), at(0, 0), &any(70, 0), |r| r.weight_permille = 50_000);
    assert_eq!((answer.status, reason), (Status::CostOverflow, why(TOO_LONG)));
    // If the path preferred by the weight overflows, another path is still found.
    let rows = ["m".repeat(70), format!("{}m", ".".repeat(69))];
    let map = grid(&[&rows[0], &rows[1]]);
    let (answer, ..) = ask(&map, &slug(), at(0, 0), &any(69, 0), |r| r.weight_permille = 50_000);
    assert_eq!((answer.status, answer.cost), (Status::Found, 3 * 65_535_000 + 68 * 65_535));
}

#[test]
fn cost_overflow_if_the_nearest_pose_is_too_far() {
    let mut map = mire(80);
    map.set_terrain(Rect::new(70, 0, 1, 1), map.terrain_table().kind_of_name("water").unwrap());
    let nearest = |goal: i32| ask(&map, &slug(), at(0, 0), &any(goal, 0), |r| r.fallback = Fallback::Nearest);
    let (answer, reason, _) = nearest(75);
    assert_eq!((answer.status, reason), (Status::CostOverflow, why(TOO_LONG)));
    // The goal itself is reachable but too far: no nearer pose replaces it.
    assert_eq!(nearest(68).0.status, Status::CostOverflow);
    assert_eq!(nearest(60).0.reached, Some(Reached::Goal));
}

/// Of two cells beside a blocked goal, the first in row-major order is too far; the other takes its place.
#[test]
fn a_near_pose_that_is_too_far_leaves_the_next() {
    let walls = format!("m{}m", "W".repeat(78));
    let map = grid(&[&format!("{}W{}", "m".repeat(40), "m".repeat(39)), &walls, &"m".repeat(80)]);
    for name in HeuristicName::ALL {
        let (answer, _, end) = ask(&map, &slug(), at(44, 0), &any(40, 0), |r| {
            (r.fallback, r.heuristic) = (Fallback::Nearest, Heuristic::Named(name));
        });
        assert_eq!((answer.reached, answer.cost), (Some(Reached::Nearest), 3 * 65_535_000), "{name:?}");
        assert_eq!(end.map(|pose| pose.cell), Some(CellXY::new(41, 0)), "{name:?}");
    }
}

/// A limit that allows every pose that can be reached lets a search end, however many cells are at the least distance.
#[test]
fn a_limit_counts_poses_once_near_a_blocked_goal() {
    let map = grid(&[".....", "..W..", "....."]);
    let mut obstacles = BitGrid::new(map.size());
    for (x, y) in [(1, 0), (3, 0)] {
        obstacles.set(CellXY::new(x, y), true);
    }
    for limit in 1..6 {
        let (answer, _, end) = ask(&map, &walker(), at(2, 0), &any(2, 1), |r| {
            r.heuristic = Heuristic::Named(HeuristicName::Zero);
            (r.fallback, r.expansions_max, r.obstacles) = (Fallback::Nearest, Some(limit), Some(&obstacles));
        });
        assert_eq!((answer.status, answer.reached), (Status::Found, Some(Reached::Nearest)), "limit {limit}");
        assert!(answer.expansions <= limit, "{} expansions, limit {limit}", answer.expansions);
        assert_eq!(end.map(|pose| pose.cell), Some(CellXY::new(2, 0)), "limit {limit}");
    }
}

/// Greed keeps the first way to a pose, through the mire, from where the rest is too long. By road it is not, so that
/// the goal can be reached: no pose near it takes its place.
#[test]
fn cost_overflow_if_greed_leads_astray_whatever_the_fallback() {
    let road = format!("{}{}", ".".repeat(11), "W".repeat(60));
    let walls = format!(".{}.{}", "W".repeat(9), "W".repeat(60));
    let map = grid(&[&road, &walls, &"m".repeat(71)]);
    let to = |fallback, name| {
        ask(&map, &slug(), at(0, 1), &any(70, 2), |r| {
            (r.fallback, r.heuristic) = (fallback, Heuristic::Named(name));
        })
        .0
    };
    for fallback in [Fallback::Fail, Fallback::Nearest] {
        assert_eq!(to(fallback, HeuristicName::Greedy).status, Status::CostOverflow, "{fallback:?}");
        assert_eq!(to(fallback, HeuristicName::Manhattan).reached, Some(Reached::Goal), "{fallback:?}");
    }
}

#[test]
fn unreachable_is_reported_even_if_other_paths_overflow() {
    let mut ways = Primitive::four_directions(65_535);
    ways.retain(|way| way.name == "E");
    let east_only = class(1, &[(0, 0)], ways);
    let (answer, reason, _) = ask(&mire(100), &east_only, at(10, 0), &any(3, 0), |_| ());
    assert_eq!((answer.status, reason), (Status::Unreachable, why(NO_WAY)));
}

#[test]
fn the_first_applicable_status_is_returned() {
    let rows = [".W..W."];
    let status = |start, goal| walk(&rows, start, goal).0;
    assert_eq!(status((-1, 0), (9, 0)), Status::StartOffMap);
    assert_eq!(status((-1, 0), (1, 0)), Status::StartOffMap);
    assert_eq!(status((1, 0), (9, 0)), Status::GoalOffMap);
    assert_eq!(status((1, 0), (4, 0)), Status::StartBlocked);
    assert_eq!(status((0, 0), (4, 0)), Status::GoalBlocked);
    let limited = |map: &Grid, class: &MovementClass, goal: i32| {
        ask(map, class, at(0, 0), &any(goal, 0), |r| r.expansions_max = Some(0)).0.status
    };
    assert_eq!(limited(&grid(&rows), &walker(), 2), Status::Unreachable);
    assert_eq!(limited(&mire(80), &slug(), 79), Status::LimitReached);
    assert_eq!(limited(&mire(80), &slug(), 0), Status::Found);
    // `Nearest` turns errors of the goal into answers, but not errors of the start.
    let nearest = |start: (i32, i32), goal: (i32, i32)| {
        let goal = any(goal.0, goal.1);
        let (answer, _, end) =
            ask(&grid(&rows), &walker(), at(start.0, start.1), &goal, |r| r.fallback = Fallback::Nearest);
        (answer.status, end)
    };
    assert_eq!(nearest((9, 0), (9, 0)), (Status::StartOffMap, None));
    assert_eq!(nearest((1, 0), (9, 0)), (Status::StartBlocked, None));
    assert_eq!(nearest((2, 0), (9, 0)), (Status::Found, Some(at(3, 0))));
    assert_eq!(nearest((2, 0), (4, 0)), (Status::Found, Some(at(3, 0))));
    assert_eq!(nearest((3, 0), (0, 0)), (Status::Found, Some(at(2, 0))));
}

#[test]
fn nearest_takes_the_least_distance_then_cost_then_index() {
    let near = |rows: &[&str], class: &MovementClass, start: Pose, goal: (i32, i32), weight| {
        let (answer, _, end) = ask(&grid(rows), class, start, &any(goal.0, goal.1), |r| {
            (r.fallback, r.weight_permille) = (Fallback::Nearest, weight);
        });
        assert_eq!(answer.reached, Some(Reached::Nearest));
        (end.unwrap(), answer.cost)
    };
    for weight in [1000, 3000] {
        // By distance: (1, 1) is much nearer to walk to, (3, 1) is nearest to the goal.
        let rows = [".....", "...WW", "....."];
        assert_eq!(near(&rows, &walker(), at(0, 1), (4, 1), weight).0, at(4, 0));
        // By cost: four cells adjoin the goal; the start is closest to the southern one.
        let rows = ["...", ".W.", "..."];
        assert_eq!(near(&rows, &walker(), at(1, 2), (1, 1), weight), (at(1, 2), 0));
        // By index: from a corner two of them cost the same; (1, 0) precedes (0, 1).
        assert_eq!(near(&rows, &walker(), at(0, 0), (1, 1), weight), (at(1, 0), 5));
        // Headings of one cell: N is one turn away and W two; both are equally near, and the start already
        // faces E.
        let turner = class(4, &[(0, 0)], Primitive::vehicle(9, 99, 2));
        let rows = ["WWW", "W.W", "WWW"];
        for heading in (0..4).map(Heading) {
            let start = Pose::new(1, 1, heading);
            assert_eq!(near(&rows, &turner, start, (2, 1), weight), (start, 0));
        }
    }
}

#[test]
fn nearest_measures_from_the_named_members() {
    // The radius makes (2, 0) a member, but it is cut off; distance is measured to (4, 0) regardless.
    let map = grid(&["..W.W"]);
    let (answer, _, end) = ask(&map, &walker(), at(0, 0), &any(4, 0), |r| {
        (r.fallback, r.goal.within) = (Fallback::Nearest, 1);
    });
    assert_eq!((answer.reached, end), (Some(Reached::Nearest), Some(at(1, 0))));
    let set = [GoalMember::any(CellXY::new(4, 0)), GoalMember::any(CellXY::new(-2, 0))];
    let (_, _, end) = ask(&map, &walker(), at(1, 0), &set, |r| r.fallback = Fallback::Nearest);
    assert_eq!(end, Some(at(0, 0)));
}

#[test]
fn obstacles_are_cells_that_no_move_sweeps() {
    let map = grid(&["....", "....", "...."]);
    let around = |cells: &[(i32, i32)], start: (i32, i32), goal: (i32, i32)| {
        let mut held = BitGrid::new(map.size());
        cells.iter().for_each(|&(x, y)| held.set(CellXY::new(x, y), true));
        let goal = any(goal.0, goal.1);
        let (answer, ..) = ask(&map, &walker(), at(start.0, start.1), &goal, |r| r.obstacles = Some(&held));
        (answer.status, answer.cost)
    };
    assert_eq!(around(&[], (0, 1), (3, 1)), (Status::Found, 15));
    assert_eq!(around(&[(1, 1)], (0, 1), (3, 1)), (Status::Found, 25));
    assert_eq!(around(&[(1, 0), (1, 1), (1, 2)], (0, 1), (3, 1)), (Status::Unreachable, 0));
    // A start under an obstacle is a legal pose, but no move leads out of it.
    assert_eq!(around(&[(0, 1)], (0, 1), (0, 1)), (Status::Found, 0));
    assert_eq!(around(&[(0, 1)], (0, 1), (3, 1)), (Status::Unreachable, 0));
    assert_eq!(around(&[(3, 1)], (0, 1), (3, 1)), (Status::Unreachable, 0));
}

#[test]
fn obstacles_apply_to_the_whole_body_and_to_nearest() {
    // Its tail cannot swing to the south through the occupied cell: it turns the other direction.
    let map = grid(&[".....", ".....", "....."]);
    let mut held = BitGrid::new(map.size());
    held.set(CellXY::new(2, 2), true);
    let goal = [GoalMember::pose(Pose::new(2, 1, Heading(1)))];
    let (free, ..) = ask(&map, &truck(), at(2, 1), &goal, |_| ());
    let (answer, ..) = ask(&map, &truck(), at(2, 1), &goal, |r| r.obstacles = Some(&held));
    assert_eq!((free.status, free.cost), (Status::Found, 2));
    assert_eq!(answer.status, Status::Unreachable);
    let (answer, _, end) = ask(&map, &walker(), at(0, 2), &any(2, 2), |r| {
        (r.obstacles, r.fallback) = (Some(&held), Fallback::Nearest);
    });
    assert_eq!((answer.reached, end, answer.cost), (Some(Reached::Nearest), Some(at(1, 2)), 5));
}

#[test]
#[should_panic(expected = "obstacles of another map")]
fn obstacles_of_another_map_panic() {
    let held = BitGrid::new(GridSize::new(9, 9).unwrap());
    ask(&grid(&["..."]), &walker(), at(0, 0), &any(2, 0), |r| r.obstacles = Some(&held));
}

#[test]
fn explain_names_the_blocking_cell() {
    let mut map = grid(&["....", "..T.", "...."]);
    map.add_wall([2, 0, 2, 1]).unwrap();
    let (class, tree) = (truck(), map.terrain_table().kind_of_name("trees").unwrap());
    let legality = Legality::new(&map, &class);
    let check = |pose, primitive, expected: MoveBlocked, words: [&str; 2]| {
        let blocked = legality.explain(pose, primitive).unwrap_err();
        assert_eq!(blocked, expected);
        assert_eq!([blocked.describe(&map), blocked.to_string()], words);
    };
    let cell = CellXY::new;
    check(
        at(3, 2),
        0,
        MoveBlocked::Swept(PoseBlocked::OffMap { cell: cell(4, 2) }),
        ["cell (4, 2) is off the map of 4 x 3", "cell (4, 2) is off the map"],
    );
    check(
        at(1, 1),
        0,
        MoveBlocked::Swept(PoseBlocked::Terrain { cell: cell(2, 1), kind: tree }),
        ["cell (2, 1) is trees", "cell (2, 1) is impassable"],
    );
    check(
        at(1, 0),
        0,
        MoveBlocked::Swept(PoseBlocked::Edge { cell: cell(1, 0), side: Side::East, kind: SideKind::WALL }),
        ["the E side of cell (1, 0) is closed by wall", "the E side of cell (1, 0) is closed"],
    );
    check(
        at(1, 0),
        4,
        MoveBlocked::NoSuchPrimitive { primitive: 4, n_primitives: 4 },
        ["no move 4; the class has 4 moves, numbered from 0"; 2],
    );
    // From an illegal pose, and with a heading that the class lacks.
    let off = |pose: Pose| Err(MoveBlocked::Swept(PoseBlocked::OffMap { cell: pose.cell }));
    assert_eq!(legality.explain(at(9, 9), 0), off(at(9, 9)));
    let turned = Pose::new(1, 0, Heading(7));
    assert_eq!(legality.explain(turned, 0), off(turned));
    assert_eq!(legality.check_pose(at(2, 0)).unwrap_err().describe(&map), {
        "the E side of cell (1, 0) is closed by wall"
    });
    assert_eq!(legality.explain(at(1, 2), 0), Ok(2));
}

#[test]
fn check_path_finds_every_defect() {
    let map = grid(&[".....", ".....", "....W"]);
    let class = truck();
    let legality = Legality::new(&map, &class);
    let tables = MovementTables::compile(&map, class.clone());
    let goal = [GoalMember::pose(Pose::new(3, 1, Heading(1)))];
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let answer = plan(&tables, &Request::new(at(1, 1), Goal::of(&goal)), &mut scratch, &mut path);
    assert_eq!((answer.status, path.moves.len()), (Status::Found, 3));
    assert_eq!(check_path(&legality, &path), Ok(()));
    let forged = |change: &dyn Fn(&mut Path)| {
        let mut path = path.clone();
        change(&mut path);
        let error = check_path(&legality, &path).unwrap_err();
        (error.to_string(), error)
    };

    let (text, error) = forged(&|p| p.moves.push(0));
    assert_eq!(error, PathError::Length { poses: 4, moves: 4 });
    assert_eq!(text, "4 poses and 4 moves; expected one pose more than moves");
    assert_eq!(forged(&|p| p.clear()).1, PathError::Length { poses: 0, moves: 0 });

    let (text, error) = forged(&|p| p.poses[0].pose = at(0, 1));
    assert_eq!(error, PathError::Start(PoseBlocked::OffMap { cell: CellXY::new(-1, 1) }));
    assert_eq!(text, "the start is not a legal pose");

    let (text, error) = forged(&|p| p.poses[0].arrival = 1);
    assert_eq!((error, &*text), (PathError::StartArrival(1), "the first arrival is 1, expected 0"));

    let (text, error) = forged(&|p| p.moves[1] = 4);
    let why = MoveBlocked::NoSuchPrimitive { primitive: 4, n_primitives: 4 };
    assert_eq!(error, PathError::Illegal { at: 1, why });
    assert_eq!(text, "move 1 is not legal: no move 4; the class has 4 moves, numbered from 0");
    let (text, error) = forged(&|p| p.moves[0] = 1);
    let why = MoveBlocked::Swept(PoseBlocked::OffMap { cell: CellXY::new(-1, 1) });
    assert_eq!(error, PathError::Illegal { at: 0, why });
    assert_eq!(text, "move 0 is not legal: cell (-1, 1) is off the map");

    let (text, error) = forged(&|p| p.poses[1].pose = at(2, 0));
    assert_eq!(error, PathError::WrongPose { at: 0, found: at(2, 0), expected: at(2, 1) });
    assert_eq!(text, "move 0 ends at (2, 0) heading 0, expected (2, 1) heading 0");

    let (text, error) = forged(&|p| p.poses[2].arrival = 3);
    assert_eq!(error, PathError::WrongArrival { at: 1, found: 3, expected: 4 });
    assert_eq!(text, "move 1 arrives at tick 3, expected 4");
}

#[test]
fn check_path_rejects_a_path_that_overflows() {
    let (map, class) = (mire(80), slug());
    let legality = Legality::new(&map, &class);
    let east = class.primitives().iter().position(|p| p.name == "E").unwrap() as u8;
    let mut path = Path { poses: Vec::new(), moves: vec![east; 66] };
    for x in 0..=66_u32 {
        path.poses.push(PathPose { pose: at(x as i32, 0), arrival: x.saturating_mul(65_535_000) });
    }
    let error = check_path(&legality, &path);
    let expected = 66 * 65_535_000_u64;
    assert_eq!(error, Err(PathError::WrongArrival { at: 65, found: u32::MAX, expected }));
    path.moves.pop();
    path.poses.pop();
    assert_eq!(check_path(&legality, &path), Ok(()));
}

/// Knuth's linear congruential generator, high bits.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

fn random_grid(rng: &mut Rng) -> Grid {
    let mut map = grid(&[".".repeat(30).as_str(); 30]);
    let kind = |map: &Grid, name| map.terrain_table().kind_of_name(name).unwrap();
    let kinds = [kind(&map, "water"), kind(&map, "water"), kind(&map, "swamp")];
    for _ in 0..45 {
        let kind = kinds[rng.below(3) as usize];
        let corner = (rng.below(30) as i32, rng.below(30) as i32);
        map.set_terrain(Rect::new(corner.0, corner.1, 1 + rng.below(4), 1 + rng.below(4)), kind);
    }
    map
}

/// On random maps every heuristic finds Dijkstra's cost, and expands nothing that Dijkstra would not. A consistent
/// heuristic expands each state at most once, and no state farther from the start than the goal.
fn heuristics_are_exact_and_never_expand_more(class: &MovementClass) {
    let mut rng = Rng(7);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let (mut n_found, mut n_saved) = (0, 0);
    for _ in 0..25 {
        let map = random_grid(&mut rng);
        let legality = Legality::new(&map, class);
        let tables = MovementTables::compile(&map, class.clone());
        let n_states = tables.space().n_states() as u32;
        let start = tables.space().pose(State(rng.below(n_states)));
        let goal = [GoalMember::pose(tables.space().pose(State(rng.below(n_states))))];
        let mut request = Request::new(start, Goal::of(&goal));
        request.heuristic = Heuristic::Named(HeuristicName::Zero);
        let zero = plan(&tables, &request, &mut scratch, &mut path);
        let costs = Reference::from(&legality, start).costs;
        // Dijkstra may stop at any of the states at the goal's distance.
        let within = |cost: u64| costs.iter().flatten().filter(|&&c| c <= cost).count() as u64;
        let expansions_max = match zero.status {
            Status::Found => within(u64::from(zero.cost)),
            _ => zero.expansions,
        };
        n_found += u32::from(zero.status == Status::Found);
        // The greedy heuristic promises a path, not a cheap one.
        let exact = HeuristicName::ALL.into_iter().filter(|&name| name != HeuristicName::Greedy);
        for heuristic in exact.map(Heuristic::Named).chain([Heuristic::Default]) {
            request.heuristic = heuristic;
            let answer = plan(&tables, &request, &mut scratch, &mut path);
            assert_eq!((answer.status, answer.cost), (zero.status, zero.cost), "{request:?}");
            assert!(answer.expansions <= expansions_max, "{request:?}: {answer:?}, {expansions_max}");
            n_saved += u64::from(answer.expansions < zero.expansions);
        }
    }
    assert!(n_found >= 5 && n_saved >= 10, "{n_found} found, {n_saved} with fewer expansions");
}

#[test]
fn heuristics_of_a_walker() {
    heuristics_are_exact_and_never_expand_more(&walker());
}

#[test]
fn heuristics_of_a_truck() {
    heuristics_are_exact_and_never_expand_more(&truck());
}

#[test]
fn heuristics_of_a_knight() {
    let ways = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
    let leaps = ways.into_iter().map(|by| Primitive::step(&format!("{by:?}"), by, 3)).collect();
    heuristics_are_exact_and_never_expand_more(&class(1, &[(0, 0)], leaps));
}

#[test]
fn heuristics_of_a_class_with_arc_moves() {
    let mut moves = vec![Primitive::step("forward", (1, 0), 3), Primitive::step("reverse", (-1, 0), 8)];
    moves.push(Primitive { turn: 1, ..Primitive::step("arc left", (2, -1), 7) });
    moves.push(Primitive { turn: -1, ..Primitive::step("arc right", (2, 1), 7) });
    moves.push(Primitive::turn("about", 2, 30));
    heuristics_are_exact_and_never_expand_more(&class(4, &[(0, 0), (-1, 0)], moves));
}

#[test]
fn heuristics_of_a_slow_class() {
    let mut spec = ClassSpec::new("slow", 4);
    spec.primitives = Primitive::vehicle(60_000, 65_535, 50_001);
    spec.speed = vec![("swamp".to_owned(), 7)];
    heuristics_are_exact_and_never_expand_more(&MovementClass::new(spec).unwrap());
}

#[test]
fn expanded_costs_are_those_of_the_last_search() {
    let tables = MovementTables::compile(&grid(&["....", ".WW.", "...."]), truck());
    let states = || (0..tables.space().n_states() as u32).map(State);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    assert_eq!(scratch.expanded_cost(State(0)), None);
    // The first search exhausts everything it can reach and finds nothing; the second is shorter, and nothing
    // of the first may remain.
    for to in [(3, 2), (1, 0)] {
        let goal = [GoalMember::any(CellXY::new(to.0, to.1))];
        let mut request = Request::new(Pose::new(1, 0, EAST), Goal::of(&goal));
        request.heuristic = Heuristic::Named(HeuristicName::Zero);
        let answer = plan(&tables, &request, &mut scratch, &mut path);
        let expanded = states().filter_map(|state| scratch.expanded_cost(state));
        assert_eq!(expanded.clone().count() as u64, answer.expansions);
        assert_eq!(answer.status == Status::Found, to == (1, 0));
        assert!(to != (1, 0) || expanded.max().is_none_or(|cost| cost <= answer.cost));
    }
    let start = tables.space().state(Pose::new(1, 0, EAST)).unwrap();
    assert_eq!(scratch.expanded_cost(start), None);
}

/// A building has no moves: it reaches its own pose, nothing else, and no search expands a pose for that.
#[test]
fn a_class_without_moves_reaches_its_own_pose_alone() {
    let mut grid = grid(&["......", "..W...", "......", "......"]);
    let building = class(4, &[(0, 0), (1, 0), (0, 1)], Vec::new());
    let mut tables = MovementTables::compile(&grid, building);
    tables.make_components();
    let (start, mut scratch, mut path) = (Pose::new(3, 2, EAST), Scratch::new(), Path::new());
    let mut answer_to = |goal: GoalMember, fallback| {
        let goal = [goal];
        let request = Request { fallback, ..Request::new(start, Goal::of(&goal)) };
        let answer = plan(&tables, &request, &mut scratch, &mut path);
        (answer.status, answer.reached, answer.expansions, path.poses.len())
    };
    let own = answer_to(GoalMember::pose(start), Fallback::Fail);
    assert_eq!((own.0, own.3), (Status::Found, 1));
    let other = answer_to(GoalMember::any(CellXY::new(0, 0)), Fallback::Fail);
    assert_eq!((other.0, other.2), (Status::Unreachable, 0));
    let near = answer_to(GoalMember::any(CellXY::new(0, 0)), Fallback::Nearest);
    assert_eq!((near.0, near.1, near.3), (Status::Found, Some(Reached::Nearest), 1));
    let mut field = fields::CostField::to_goal(&tables, &Goal::of(&[GoalMember::pose(start)]));
    field.settle(&tables, SettleTarget::All, u64::MAX);
    assert_eq!(field.settled().count(), 1);
    // An edit of the map changes where it can stand.
    let water = grid.terrain()[6 + 2];
    grid.set_terrain(Rect::of_cell(CellXY::new(4, 2)), water);
    assert!(tables.update(&grid, Rect::of_cell(CellXY::new(4, 2))).changed);
    let fresh = MovementTables::compile(&grid, tables.class().clone());
    let states = (0..fresh.space().n_states() as u32).map(State);
    assert!(states.clone().all(|state| tables.is_legal(state) == fresh.is_legal(state)));
    assert!(tables.space().state(start).is_some_and(|state| !tables.is_legal(state)));
}
