//! Tables that are saved and restored answer as if they had not been, now and after later edits.

use crate::common::{apply, class_of, edit, goal, saved_cases, world, world_of};
use proptest::prelude::*;
use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::*;
use wheelbase_planner::tables::*;

/// An edit, see [`edit`].
type Edited = (i32, i32, u32, u32, u8, usize);

type Query = (u32, (Vec<GoalMember>, u32), u8);

fn query() -> impl Strategy<Value = Query> {
    (any::<u32>(), goal(), 0_u8..9)
}

fn assert_equal(tables: &MovementTables, other: &MovementTables, queries: &[Query]) {
    let n_states = tables.space().n_states() as u32;
    assert_eq!((tables.revision(), tables.is_reversible()), (other.revision(), other.is_reversible()));
    assert_eq!(tables.components().is_stale(), other.components().is_stale());
    for state in (0..n_states).map(State) {
        assert_eq!(tables.is_legal(state), other.is_legal(state));
        for primitive in 0..tables.class().primitives().len() {
            assert_eq!(tables.move_ticks(state, primitive), other.move_ticks(state, primitive));
        }
    }
    let step = 1 + n_states as usize / 60;
    for from in (0..n_states).step_by(step).map(State) {
        for to in (0..n_states).map(State) {
            let reachability = |tables: &MovementTables| tables.components().reachability(from, to);
            assert_eq!(reachability(tables), reachability(other));
        }
    }
    for (start, (members, within), heuristic) in queries {
        let start = (0..n_states).map(|n| State((start % n_states + n) % n_states));
        let start = start.clone().find(|&s| tables.is_legal(s)).unwrap_or(State(0));
        let mut request = Request::new(tables.space().pose(start), Goal { members, within: *within });
        request.fallback = if heuristic % 2 == 0 { Fallback::Nearest } else { Fallback::Fail };
        if let Some(&name) = HeuristicName::ALL.get(usize::from(*heuristic)) {
            request.heuristic = Heuristic::Named(name);
        }
        let planned = |tables: &MovementTables| {
            let (mut scratch, mut path) = (Scratch::new(), Path::new());
            let answer = plan(tables, &request, &mut scratch, &mut path);
            let expanded: Vec<_> = (0..n_states).map(|state| scratch.expanded_cost(State(state))).collect();
            (answer, path, expanded)
        };
        assert_eq!(planned(tables), planned(other));
    }
    assert_eq!(tables.save(), other.save());
}

fn restored(tables: &MovementTables, grid: &Grid) -> MovementTables {
    let saved = tables.save();
    let restored = MovementTables::restore(&saved, grid, tables.class().clone()).unwrap();
    assert_eq!(restored.save(), saved);
    restored
}

fn check(
    (mut grid, class): (Grid, MovementClass),
    edits: &[(Edited, u8)],
    queries: &[Query],
    components: bool,
) {
    let mut tables = MovementTables::compile(&grid, class);
    if components {
        tables.make_components();
    }
    let mut other = restored(&tables, &grid);
    for &(edit, what) in edits {
        assert_equal(&tables, &other, &queries[..queries.len().min(2)]);
        let changed = apply(&mut grid, edit);
        assert_eq!(tables.update(&grid, changed), other.update(&grid, changed));
        if what % 4 == 0 {
            tables.renew_components();
            other.renew_components();
        }
        if what % 2 == 0 {
            assert_equal(&tables, &other, &[]);
            other = restored(&other, &grid);
        }
    }
    assert_equal(&tables, &other, queries);
    assert_equal(&tables, &restored(&tables, &grid), queries);
}

/// Classes with climbs on hills, where edits leave most behind.
fn hills() -> impl Strategy<Value = (Grid, MovementClass)> {
    let shape = prop_oneof![Just(GridShape::Square), Just(GridShape::Hex)];
    shape
        .prop_flat_map(|shape| (crate::common::grid_of(shape, 4..10), class_of(shape), any::<u64>()))
        .prop_map(|(grid, class, seed)| {
            let mut rng = seed | 1;
            let heights = (0..grid.size().n_cells()).map(|_| {
                rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (rng >> 60) as i16 * (seed % 5) as i16
            });
            let heights = heights.collect();
            let mut spec = class.spec().clone();
            if seed % 3 > 0 {
                spec.climb.up = 370;
                spec.climb.down = -11;
                spec.climb.max_tilt = None;
            }
            (grid.with_elevation(heights).unwrap(), MovementClass::new(spec).unwrap())
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(saved_cases(500)))]

    #[test]
    fn restored_tables_answer_and_follow_edits_alike(
        world in world(),
        edits in prop::collection::vec((edit(), any::<u8>()), 0..8),
        queries in prop::collection::vec(query(), 1..5),
        components in any::<bool>(),
    ) {
        check(world, &edits, &queries, components);
    }

    #[test]
    fn restored_tables_on_hills_answer_and_follow_edits_alike(
        world in hills(),
        edits in prop::collection::vec((edit(), any::<u8>()), 0..12),
        queries in prop::collection::vec(query(), 1..5),
        components in any::<bool>(),
    ) {
        check(world, &edits, &queries, components);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(saved_cases(60)))]

    #[test]
    fn restored_tables_of_larger_maps_follow_edits_alike(
        world in world_of(20..40),
        edits in prop::collection::vec((edit(), any::<u8>()), 0..8),
        queries in prop::collection::vec(query(), 1..3),
    ) {
        check(world, &edits, &queries, true);
    }
}

#[cfg(feature = "serde")]
mod forged {
    use super::*;
    use crate::common::forge;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(saved_cases(300)))]

        /// Forged tables are refused or harmless: nothing panics, moves agree with the map, answers with a plain
        /// search.
        #[test]
        fn forged_tables_are_refused_or_harmless(
            (mut grid, class) in prop_oneof![hills(), world()],
            edits in prop::collection::vec(edit(), 0..5),
            later in edit(),
            (start, (members, within), _) in query(),
            forgeries in prop::collection::vec((any::<u32>(), any::<i64>()), 1..6),
        ) {
            let mut tables = MovementTables::compile(&grid, class.clone());
            tables.make_components();
            for edit in edits {
                let changed = apply(&mut grid, edit);
                tables.update(&grid, changed);
            }
            let saved = tables.save();
            let json = serde_json::to_value(&saved).unwrap();
            prop_assert_eq!(&serde_json::from_value::<SavedTables>(json.clone()).unwrap(), &saved);
            let bytes = bincode::serde::encode_to_vec(&saved, bincode::config::standard()).unwrap();
            let read = bincode::serde::decode_from_slice::<SavedTables, _>(&bytes, bincode::config::standard());
            prop_assert_eq!(&read.unwrap().0, &saved);
            let n_states = tables.space().n_states() as u32;
            let start = (0..n_states).map(|n| State((start % n_states + n) % n_states));
            let start = start.clone().find(|&s| tables.is_legal(s)).unwrap_or(State(0));
            let request = Request::new(tables.space().pose(start), Goal { members: &members, within });
            for (place, draw) in forgeries {
                let mut forged = json.clone();
                forge(&mut forged, place, draw);
                let Ok(forged) = serde_json::from_value::<SavedTables>(forged) else { continue };
                let Ok(mut restored) = MovementTables::restore(&forged, &grid, class.clone()) else { continue };
                let mut edited = grid.clone();
                for later in [None, Some(later)] {
                    if let Some(later) = later {
                        let changed = apply(&mut edited, later);
                        restored.update(&edited, changed);
                    }
                    let fresh = MovementTables::compile(&edited, class.clone());
                    for state in (0..n_states).map(State) {
                        prop_assert_eq!(restored.is_legal(state), fresh.is_legal(state));
                        for primitive in 0..class.primitives().len() {
                            let ticks = |tables: &MovementTables| tables.move_ticks(state, primitive);
                            prop_assert_eq!(ticks(&restored), ticks(&fresh));
                        }
                    }
                    let planned = |tables: &MovementTables| {
                        let answer = plan(tables, &request, &mut Scratch::new(), &mut Path::new());
                        (answer.status, answer.cost)
                    };
                    prop_assert_eq!(planned(&restored), planned(&fresh));
                }
            }
        }
    }
}
