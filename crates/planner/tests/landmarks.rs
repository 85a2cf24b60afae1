//! Landmarks never change an answer, on the map they were made on and on maps with dearer moves.

use crate::common::{apply, edit, goal, world_of};
use proptest::prelude::*;
use proptest::sample::Index;
use wheelbase_grid::Rect;
use wheelbase_planner::fields::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::*;
use wheelbase_planner::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn landmarks_change_no_answer(
        (mut grid, class) in world_of(1..20),
        edits in prop::collection::vec(edit(), 0..6),
        queries in prop::collection::vec((any::<Index>(), goal(), any::<bool>()), 1..6),
        n in 1_usize..6,
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        let mut landmarks = Landmarks::of(&tables, n);
        for edit in edits {
            let changed = apply(&mut grid, edit);
            if tables.update(&grid, changed).eased {
                landmarks = Landmarks::of(&tables, n);
            }
        }
        let space = tables.space();
        let (mut scratch, mut path, mut other) = (Scratch::new(), Path::new(), Path::new());
        for (start, (members, within), nearest) in queries {
            let start = space.pose(State(start.index(space.n_states()) as u32));
            let mut request = Request::new(start, Goal { members: &members, within });
            request.fallback = if nearest { Fallback::Nearest } else { Fallback::Fail };
            let plain = plan(&tables, &request, &mut scratch, &mut path);
            request.heuristic = Heuristic::Landmarks(&landmarks);
            let guided = plan(&tables, &request, &mut scratch, &mut other);
            prop_assert_eq!(
                (guided.status, guided.reached, guided.cost),
                (plain.status, plain.reached, plain.cost),
                "{:?}", request
            );
            if guided.status == Status::Found {
                prop_assert_eq!(check_path(&Legality::new(&grid, tables.class()), &other), Ok(()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Arbitrary edits. As long as no cell may ease a move, no move is easier than when the landmarks were made.
    /// Landmarks change no cost, and the bound known before a search does not exceed the cost.
    #[test]
    fn landmarks_hold_while_no_cell_eases_a_move(
        (mut grid, class) in world_of(1..20),
        edits in prop::collection::vec(edit(), 1..12),
        queries in prop::collection::vec((any::<Index>(), goal()), 1..4),
    ) {
        let made_on = grid.clone();
        let before = MovementTables::compile(&grid, class);
        let landmarks = Landmarks::of(&before, 3);
        let mut tables = before.clone();
        let space = tables.space();
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        for edit in edits {
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            let speeds = ClassSpeeds::of(&grid, tables.class());
            let eases = |cell| speeds.may_ease(tables.class(), &made_on, &grid, cell);
            if grid.size().rect().cells().any(eases) {
                continue;
            }
            for state in (0..space.n_states() as u32).map(State) {
                prop_assert!(before.is_legal(state) || !tables.is_legal(state));
                tables.for_each_successor(state, |next| {
                    let was = before.move_ticks(state, next.primitive as usize);
                    assert!(was.is_some_and(|was| was <= next.ticks), "{state:?}: {was:?}, {next:?}");
                });
            }
            for (start, (members, within)) in &queries {
                let start = space.pose(State(start.index(space.n_states()) as u32));
                let mut request = Request::new(start, Goal { members, within: *within });
                request.heuristic = Heuristic::Named(HeuristicName::Zero);
                let plain = plan(&tables, &request, &mut scratch, &mut path);
                request.heuristic = Heuristic::Landmarks(&landmarks);
                let guided = plan(&tables, &request, &mut scratch, &mut path);
                prop_assert_eq!((guided.status, guided.cost), (plain.status, plain.cost), "{:?}", request);
                if plain.status == Status::Found {
                    prop_assert!(cost_lower_bound_of(&tables, &request) <= plain.cost);
                }
            }
        }
    }
}

/// On a map of rooms sixteen landmarks guide most requests and reduce expansions.
#[test]
fn landmarks_guide_where_walls_force_detours() {
    let grid = wheelbase_maps::generate(
        wheelbase_maps::MapKind::Rooms,
        wheelbase_grid::GridSize::new(96, 96).unwrap(),
        3,
    );
    let tables = MovementTables::compile(&grid, crate::common::truck());
    let landmarks = Landmarks::of(&tables, 16);
    assert_eq!(landmarks.states().len(), 16);
    let mut states = (0..tables.space().n_states() as u32).map(State).filter(|&state| tables.is_legal(state));
    let first = states.next().unwrap();
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let (mut used, mut plain_total, mut guided_total) = (0, 0, 0);
    let mut asked = 0;
    for state in states.step_by(997) {
        let goal = [GoalMember::pose(tables.space().pose(state))];
        let mut request = Request::new(tables.space().pose(first), Goal::of(&goal));
        let plain = plan(&tables, &request, &mut scratch, &mut path);
        request.heuristic = Heuristic::Landmarks(&landmarks);
        let guided = plan(&tables, &request, &mut scratch, &mut path);
        assert_eq!((guided.status, guided.cost), (plain.status, plain.cost));
        asked += 1;
        used += u32::from(guided.guide == Guide::Landmarks);
        plain_total += plain.expansions;
        guided_total += guided.expansions;
    }
    assert!(used * 2 > asked, "{used} of {asked}");
    assert!(guided_total * 2 < plain_total, "{guided_total} against {plain_total}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each landmark after the first is as far as possible from the previous ones, according to whole fields.
    #[test]
    fn landmarks_are_farthest_from_previous_ones((grid, class) in world_of(1..20), n in 1_usize..6) {
        let mut tables = MovementTables::compile(&grid, class);
        tables.make_components();
        let space = tables.space();
        let landmarks = Landmarks::of(&tables, n);
        let field = |state: State, direction| {
            let members = [GoalMember::pose(space.pose(state))];
            let mut field = match direction {
                Direction::ToGoal => CostField::to_goal(&tables, &Goal::of(&members)),
                Direction::FromStart => CostField::from_start(&tables, &Goal::of(&members)),
            };
            field.settle(&tables, SettleTarget::All, u64::MAX);
            field
        };
        let Some((&first, others)) = landmarks.states().split_first() else { return Ok(()) };
        let back = field(first, Direction::ToGoal);
        let mut nearest = vec![u32::MAX; space.n_states()];
        let mut last = first;
        for &landmark in others.iter().chain([&first]) {
            let from = field(last, Direction::FromStart);
            for state in (0..space.n_states() as u32).map(State) {
                let known = &mut nearest[state.0 as usize];
                *known = from.cost(state).filter(|_| back.cost(state).is_some()).unwrap_or(0).min(*known);
            }
            let farthest = nearest.iter().copied().max().unwrap_or(0);
            if landmark == first {
                prop_assert!(landmarks.states().len() == n || farthest == 0);
                break;
            }
            prop_assert_eq!(nearest[landmark.0 as usize], farthest);
            prop_assert!(farthest > 0);
            last = landmark;
        }
    }
}

/// Columns do not depend on the worker that computes them.
#[cfg(feature = "rayon")]
#[test]
fn landmarks_are_equal_for_any_number_of_threads() {
    let size = wheelbase_grid::GridSize::new(64, 64).unwrap();
    let grid = wheelbase_maps::generate(wheelbase_maps::MapKind::Base, size, 5);
    let tables = MovementTables::compile(&grid, crate::common::truck());
    let made = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        format!("{:?}", pool.install(|| Landmarks::of(&tables, 7)))
    });
    assert!(made[0] == made[1] && made[0] == made[2]);
}

/// With landmarks and a weight, costs keep within the weight to the tick.
#[test]
fn weight_bounds_hold_with_landmarks() {
    let size = wheelbase_grid::GridSize::new(48, 48).unwrap();
    for (kind, class) in [
        (wheelbase_maps::MapKind::Rooms, crate::common::truck()),
        (wheelbase_maps::MapKind::Base, MovementClass::octile()),
    ] {
        let tables = MovementTables::compile(&wheelbase_maps::generate(kind, size, 3), class);
        let landmarks = Landmarks::of(&tables, 4);
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        let legal = (0..tables.space().n_states() as u32).map(State).filter(|&state| tables.is_legal(state));
        let poses: Vec<Pose> = legal.map(|state| tables.space().pose(state)).collect();
        let mut guided = 0;
        for number in 0..60 {
            let (from, to) = (poses[number * 7919 % poses.len()], poses[number * 104_729 % poses.len()]);
            let goal = [GoalMember::pose(to)];
            let mut request = Request::new(from, Goal::of(&goal));
            let cheapest = plan(&tables, &request, &mut scratch, &mut path);
            request.heuristic = Heuristic::Landmarks(&landmarks);
            for weight in [1001, 1050, 1200, 3000] {
                request.weight_permille = weight;
                let answer = plan(&tables, &request, &mut scratch, &mut path);
                assert_eq!(answer.status, cheapest.status);
                assert!(u64::from(answer.cost) * 1000 <= u64::from(cheapest.cost) * u64::from(weight));
                assert!(answer.cost >= cheapest.cost);
                guided += u32::from(answer.guide == Guide::Landmarks);
            }
        }
        assert!(guided > 20, "{guided} searches guided by landmarks");
    }
}

/// In the open, landmarks guide no request, because the norm is as good. Among walls they guide most, and would
/// not have saved much on the others. The comparison counts expansions, so it is deterministic.
#[test]
fn landmarks_guide_where_calibration_says_so() {
    let size = wheelbase_grid::GridSize::new(96, 96).unwrap();
    let empty = vec![".".repeat(96); 96];
    let table = wheelbase_grid::TerrainTable::movingai();
    let empty = wheelbase_grid::Grid::from_rows(&empty, table, wheelbase_grid::SideTable::default()).unwrap();
    let kinds =
        [wheelbase_maps::MapKind::Open, wheelbase_maps::MapKind::Base, wheelbase_maps::MapKind::Rooms];
    let maps = kinds.into_iter().map(|kind| wheelbase_maps::generate(kind, size, 4));
    for (number, grid) in [empty].into_iter().chain(maps).enumerate() {
        let tables = MovementTables::compile(&grid, crate::common::truck());
        let landmarks = Landmarks::of(&tables, 8);
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        let legal = (0..tables.space().n_states() as u32).map(State).filter(|&state| tables.is_legal(state));
        let poses: Vec<Pose> = legal.map(|state| tables.space().pose(state)).collect();
        let (mut plain_total, mut guided_total, mut used, asked) = (0, 0, 0, 150);
        for number in 0..asked {
            let (from, to) = (poses[number * 7919 % poses.len()], poses[number * 104_729 % poses.len()]);
            let goal = [GoalMember::pose(to)];
            let mut request = Request::new(from, Goal::of(&goal));
            let plain = plan(&tables, &request, &mut scratch, &mut path);
            request.heuristic = Heuristic::Landmarks(&landmarks);
            let guided = plan(&tables, &request, &mut scratch, &mut path);
            assert_eq!((plain.status, plain.cost), (guided.status, guided.cost));
            plain_total += plain.expansions;
            guided_total += guided.expansions;
            used += usize::from(guided.guide == Guide::Landmarks);
        }
        match number {
            0 => assert_eq!((used, plain_total), (0, guided_total)),
            3 => assert!(
                used * 2 > asked && guided_total * 2 < plain_total,
                "{used}: {guided_total} of {plain_total}"
            ),
            _ => assert!(
                guided_total * 20 < plain_total * 19,
                "{number}: {used}, {guided_total} of {plain_total}"
            ),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// After edits that only ease moves, distances repaired a few expansions at a time equal fresh ones.
    #[test]
    fn repaired_landmarks_equal_fresh_ones(
        (mut grid, class) in world_of(1..20),
        edits in prop::collection::vec(edit(), 1..8),
        n in 1_usize..4,
        expansions_max in 1_u64..40,
    ) {
        let mut best = grid.clone();
        let mut tables = MovementTables::compile(&best, class);
        let mut landmarks = Landmarks::of(&tables, n);
        for edit in edits {
            let changed = apply(&mut grid, edit).intersection(grid.size().rect());
            let speeds = ClassSpeeds::of(&grid, tables.class());
            let eased: Vec<_> =
                changed.cells().filter(|&cell| speeds.may_ease(tables.class(), &best, &grid, cell)).collect();
            for &cell in &eased {
                speeds.ease(&mut best, &grid, cell);
                prop_assume!(!speeds.may_ease(tables.class(), &best, &grid, cell));
            }
            let areas: Vec<Rect> = eased.into_iter().map(Rect::of_cell).collect();
            areas.iter().for_each(|&area| { tables.update(&best, area); });
            let mut repair = landmarks.begin_repair(&tables, &areas);
            let (mut spent, mut is_done) = (expansions_max, false);
            while !is_done {
                prop_assert_eq!(spent, expansions_max);
                (spent, is_done) = landmarks.repair(&tables, &mut repair, expansions_max);
            }
            let fresh = MovementTables::compile(&best, tables.class().clone());
            let fresh = Landmarks::at(&fresh, landmarks.states().to_vec(), landmarks.threshold_permille());
            for state in (0..tables.space().n_states() as u32).map(State) {
                for landmark in 0..landmarks.states().len() {
                    prop_assert_eq!(landmarks.distances(landmark, state), fresh.distances(landmark, state));
                }
            }
        }
    }
}
