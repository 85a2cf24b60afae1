//! Landmarks never change an answer, on the map they were made on and on harder ones.

#![allow(clippy::unwrap_used)]

mod common;

use common::{apply, edit, goal, world_of};
use proptest::prelude::*;
use proptest::sample::Index;
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

    /// Edits both ways: as long as no cell may ease a move, none is easier than when the landmarks were made, they
    /// change no cost, and what is known of a cost before a search is no more.
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
                    prop_assert!(least_cost_of(&tables, &request) <= plain.cost);
                }
            }
        }
    }
}

/// Sixteen landmarks on a map of rooms guide most requests, and the searches expand less.
#[test]
fn landmarks_guide_where_walls_bend_the_ways() {
    let grid = wheelbase_grid::generate(
        wheelbase_grid::MapKind::Rooms,
        wheelbase_grid::GridSize::new(96, 96).unwrap(),
        3,
    );
    let tables = MovementTables::compile(&grid, common::truck());
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
