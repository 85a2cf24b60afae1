//! Replanning after edits: every method against a fresh reference search.

use crate::common::{goal, side_of, world};
use proptest::prelude::*;
use proptest::sample::Index;
use wheelbase_grid::*;
use wheelbase_planner::fields::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::search::*;
use wheelbase_planner::*;

/// The cheapest cost to the goal by the reference; `None` if unreachable or beyond the maximum cost.
fn cheapest(legality: &Legality<'_>, start: Pose, goal: &Goal<'_>) -> Option<u32> {
    let space = legality.space();
    let costs = Reference::from(legality, start).costs;
    let at_goal = |state: usize| {
        let pose = space.pose(State(state as u32));
        goal.matches(legality.space().shape(), pose) && legality.check_pose(pose).is_ok()
    };
    let least = (0..costs.len()).filter(|&state| at_goal(state)).filter_map(|state| costs[state]).min()?;
    u32::try_from(least).ok().filter(|&cost| cost <= COST_MAX)
}

/// Checks an answer and its path.
fn assert_answer(legality: &Legality<'_>, request: &Request<'_>, answer: &Answer, path: &Path, by: &str) {
    let expected = cheapest(legality, request.start, &request.goal);
    let found = (answer.status == Status::Found).then_some(answer.cost);
    assert_eq!(found, expected, "{by}: {answer:?} {request:?}");
    if expected.is_some() {
        assert_eq!(check_path(legality, path), Ok(()), "{by}");
        assert_eq!(path.cost(), answer.cost, "{by}");
        assert_eq!(path.poses[0].pose, request.start, "{by}");
        assert!(
            request.goal.matches(legality.space().shape(), path.poses[path.poses.len() - 1].pose),
            "{by}"
        );
    }
}

/// Whether no move became legal or cheaper.
fn only_dearer(before: &MovementTables, after: &MovementTables) -> bool {
    (0..before.space().n_states() as u32).map(State).all(|state| {
        let n = before.class().primitives().len();
        (before.is_legal(state) || !after.is_legal(state))
            && (0..n).all(|p| match (before.move_ticks(state, p), after.move_ticks(state, p)) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(before), Some(after)) => before <= after,
            })
    })
}

type Edit = (i32, i32, u32, u32, u8, usize);

fn apply(grid: &mut Grid, (x, y, width, height, kind, what): Edit) -> Rect {
    let size = grid.size();
    let xy = CellXY::new(x.rem_euclid(size.width() as i32), y.rem_euclid(size.height() as i32));
    let area = Rect::new(x, y, width, height);
    let edit = match what {
        number @ 0..4 => grid.set_side(xy, side_of(grid, number, x), SideKind(kind % 4)),
        4 => grid.set_elevation(area, i16::from(kind) * 7 - 9),
        5 => grid.rotate(xy, i32::from(kind) - 2),
        // Mostly water, which certainly makes moves dearer.
        6 => grid.set_terrain(area, TerrainKind(kind)),
        _ => grid.set_terrain(area, TerrainKind(4)),
    };
    edit.changed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// All four methods through a sequence of edits and agents, with moves getting cheaper and dearer.
    #[test]
    fn replanning_is_exact(
        (mut grid, class) in world(),
        (members, within) in goal(),
        settled in prop_oneof![0_u64..300, Just(u64::MAX)],
        rounds in prop::collection::vec(
            (
                prop::collection::vec(any::<Index>(), 1..4),
                (-2_i32..9, -2_i32..9, 0_u32..4, 0_u32..4, 0_u8..5, 0_usize..14),
                0_u64..200,
            ),
            1..6,
        ),
    ) {
        let mut tables = MovementTables::compile(&grid, class.clone());
        let goal = Goal { members: &members, within };
        let mut repaired = CostField::to_goal(&tables, &goal);
        let mut old = CostField::to_goal(&tables, &goal);
        old.settle(&tables, SettleTarget::All, settled);
        let mut learned = LearnedCosts::new(&tables, &goal);
        let mut traces = BackTraces::new(&tables, &goal);
        let mut field_scratch = RepairScratch::new();
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        for (starts, edit, budget) in rounds {
            let legality = Legality::new(&grid, &class);
            for start in starts {
                let state = State(start.index(tables.space().n_states()) as u32);
                let start = tables.space().pose(state);
                let mut request = Request::new(start, goal);
                let answer = learned.plan(&tables, &request, &mut scratch, &mut path);
                assert_answer(&legality, &request, &answer, &path, "learned");
                let answer = traces.plan(&tables, &request, &mut scratch, &mut path);
                assert_answer(&legality, &request, &answer, &path, "traces");
                request.heuristic = Heuristic::Field(&old);
                let answer = plan(&tables, &request, &mut scratch, &mut path);
                assert_answer(&legality, &request, &answer, &path, "old field");
                request.weight_permille = 1500;
                let answer = plan(&tables, &request, &mut scratch, &mut path);
                let least = cheapest(&legality, start, &goal);
                if let Some(least) = least.filter(|_| answer.status == Status::Found) {
                    prop_assert!(u64::from(answer.cost) * 1000 <= u64::from(least) * 1500);
                }
                repaired.settle(&tables, SettleTarget::Pose(state), u64::MAX);
                prop_assert_eq!(repaired.cost(state), cheapest(&legality, start, &goal));
                prop_assert_eq!(repaired.follow(&tables, state, &mut path), least.is_some());
            }
            let before = tables.clone();
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            let dearer = only_dearer(&before, &tables);
            repaired.repair(&tables, changed, &mut field_scratch);
            traces.after_edit(&tables, changed, dearer);
            if !dearer {
                learned.forget();
                old.restart(&tables, &goal);
                old.settle(&tables, SettleTarget::All, budget);
            }
        }
    }

    /// The costs known to back traces are exact, after any edits.
    #[test]
    fn known_costs_are_exact(
        (mut grid, class) in world(),
        (members, within) in goal(),
        starts in prop::collection::vec(any::<Index>(), 5),
        edits in prop::collection::vec((-2_i32..9, -2_i32..9, 0_u32..4, 0_u32..4, 0_u8..5, 0_usize..14), 5),
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        let goal = Goal { members: &members, within };
        let mut traces = BackTraces::new(&tables, &goal);
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        for (start, edit) in starts.into_iter().zip(edits) {
            let start = tables.space().pose(State(start.index(tables.space().n_states()) as u32));
            traces.plan(&tables, &Request::new(start, goal), &mut scratch, &mut path);
            let before = tables.clone();
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            traces.after_edit(&tables, changed, only_dearer(&before, &tables));
            let mut field = CostField::to_goal(&tables, &goal);
            field.settle(&tables, SettleTarget::All, u64::MAX);
            for state in (0..tables.space().n_states() as u32).map(State) {
                if let Some(cost) = traces.cost(state) {
                    prop_assert_eq!(field.cost(state), Some(cost));
                }
            }
        }
    }
}

/// A known continuation is far dearer than the estimate at its pose: it leads down a cliff next to a better path. Its
/// key is clamped into the range of the buckets, and this must not end the search there.
#[test]
fn an_expensive_continuation_does_not_end_the_search_early() {
    let mut rows = vec!["...".to_owned() + "T."; 40];
    for (y, x) in [(24, 1), (27, 0), (30, 1), (33, 0), (36, 1)] {
        rows[y].replace_range(x..=x, "T");
    }
    for (y, row) in rows.iter_mut().enumerate() {
        if y == 0 || y == 39 {
            row.replace_range(3..=3, ".");
        }
        if (30..39).contains(&y) {
            row.replace_range(2..=2, "T");
        }
    }
    let heights = (0..40 * 5).map(|cell| i16::from(cell % 5 < 2 && cell / 5 < 39)).collect();
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let grid = grid.with_elevation(heights).unwrap();
    let mut spec = ClassSpec::new("walker", 1);
    spec.primitives = Primitive::four_directions(10);
    spec.climb.max_up = Some(0);
    let tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    let legality = Legality::new(&grid, tables.class());
    let goal = [GoalMember::any(CellXY::new(1, 39))];
    let goal = Goal::of(&goal);
    let mut traces = BackTraces::new(&tables, &goal);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for (x, cost) in [(2, 640), (1, 250)] {
        let request = Request::new(Pose::new(x, 20, Heading(0)), goal);
        let answer = traces.plan(&tables, &request, &mut scratch, &mut path);
        assert_answer(&legality, &request, &answer, &path, "traces");
        assert_eq!(answer.cost, cost);
    }
}
