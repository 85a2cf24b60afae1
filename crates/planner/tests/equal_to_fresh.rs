//! Tables and components that followed edits equal freshly compiled ones.

#![allow(clippy::unwrap_used)]

mod common;

use common::{apply, edit, world, world_of};
use proptest::prelude::*;
use wheelbase_grid::*;
use wheelbase_planner::*;

/// Labels differ from those of fresh tables, but not what is labelled alike.
fn assert_same_sets(tables: &MovementTables, fresh: &MovementTables) -> Result<(), TestCaseError> {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for state in (0..tables.space().n_states() as u32).map(State) {
        let labels = (tables.components().label(state), fresh.components().label(state));
        match labels {
            (Some(label), Some(other)) => pairs.push((label, other)),
            _ => prop_assert_eq!(labels, (None, None)),
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let n_sets = pairs.len();
    prop_assert_eq!(pairs.chunk_by(|a, b| a.0 == b.0).count(), n_sets);
    pairs.sort_unstable_by_key(|pair| pair.1);
    prop_assert_eq!(pairs.chunk_by(|a, b| a.1 == b.1).count(), n_sets);
    Ok(())
}

fn assert_tables(grid: &Grid, class: &MovementClass, movement: &MovementTables) {
    let legality = Legality::new(grid, class);
    let space = movement.space();
    let mut before: Vec<(State, u8, State, u32)> = Vec::new();
    let mut after = before.clone();
    for state in (0..space.n_states() as u32).map(State) {
        let pose = space.pose(state);
        assert_eq!(movement.is_legal(state), legality.check_pose(pose).is_ok(), "{pose:?}");
        let mut quick = Vec::new();
        movement
            .for_each_successor(state, |s| quick.push((s.primitive as usize, space.pose(s.state), s.ticks)));
        let slow: Vec<_> = legality.successors(pose).collect();
        assert_eq!(quick, slow, "successors of {pose:?}");
        quick.clear();
        movement.for_each_predecessor(state, |s| {
            quick.push((s.primitive as usize, space.pose(s.state), s.ticks))
        });
        let slow: Vec<_> = legality.predecessors(pose).collect();
        assert_eq!(quick, slow, "predecessors of {pose:?}");
        movement.for_each_successor(state, |s| after.push((state, s.primitive, s.state, s.ticks)));
        movement.for_each_predecessor(state, |s| before.push((s.state, s.primitive, state, s.ticks)));
    }
    before.sort_unstable();
    after.sort_unstable();
    assert_eq!(before, after, "predecessors are not the inverse of successors");
}

/// What an update says of itself, move by move.
fn assert_update(before: &MovementTables, after: &MovementTables, update: Update) {
    let ticks = |tables: &MovementTables, state, primitive| tables.move_ticks(state, primitive);
    let (mut changed, mut eased) = (false, false);
    for state in (0..after.space().n_states() as u32).map(State) {
        let (was, is) = (before.is_legal(state), after.is_legal(state));
        (changed, eased) = (changed || was != is, eased || is && !was);
        for primitive in 0..after.class().primitives().len() {
            let (was, is) = (ticks(before, state, primitive), ticks(after, state, primitive));
            changed |= was != is;
            eased |= is.is_some_and(|is| was.is_none_or(|was| is < was));
        }
    }
    assert_eq!(update, Update { changed, eased });
}

/// The states that moves lead to from one, itself included if it is legal.
fn reachable(tables: &MovementTables, from: State) -> Vec<bool> {
    let mut reached = vec![false; tables.space().n_states()];
    let mut open = Vec::new();
    if tables.is_legal(from) {
        reached[from.0 as usize] = true;
        open.push(from);
    }
    while let Some(state) = open.pop() {
        tables.for_each_successor(state, |next| {
            if !std::mem::replace(&mut reached[next.state.0 as usize], true) {
                open.push(next.state);
            }
        });
    }
    reached
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Tables against the rule, move by move; predecessors are the exact inverse of successors, in
    /// both; and an update after edits gives what a fresh compile gives.
    #[test]
    fn tables_equal_the_rule_before_and_after_edits(
        (mut grid, class) in world(),
        edits in prop::collection::vec(edit(), 1..6),
    ) {
        let mut movement = MovementTables::compile(&grid, class.clone());
        assert_tables(&grid, &class, &movement);
        for edit in edits {
            let changed = apply(&mut grid, edit);
            let before = movement.clone();
            let update = movement.update(&grid, changed);
            assert_update(&before, &movement, update);
            assert_tables(&grid, &class, &movement);
            let fresh = MovementTables::compile(&grid, class.clone());
            assert_same_sets(&movement, &fresh)?;
            let mut renewed = movement.clone();
            renewed.renew_components();
            prop_assert!(!renewed.components().is_stale());
            let states = || (0..movement.space().n_states() as u32).map(State);
            for from in states().step_by(3) {
                let reachable = reachable(&fresh, from);
                for to in states() {
                    let exact = fresh.components().way(from, to);
                    prop_assert_eq!(renewed.components().way(from, to), exact);
                    let followed = movement.components().way(from, to);
                    let truth = if reachable[to.0 as usize] { Way::Yes } else { Way::No };
                    prop_assert!(followed == truth || followed == Way::Unknown);
                    prop_assert!(followed == truth || exact == Way::Unknown || movement.components().is_stale());
                }
            }
        }
    }

    /// The same on larger maps, where an update is small and the sets of poses are followed, not labelled
    /// anew: many edits, of which some seal rooms and others open them.
    #[test]
    fn many_edits_are_followed(
        (mut grid, class) in world_of(16..34),
        edits in prop::collection::vec(edit(), 1..25),
    ) {
        let mut movement = MovementTables::compile(&grid, class.clone());
        for edit in edits {
            let changed = apply(&mut grid, edit);
            let before = movement.clone();
            let update = movement.update(&grid, changed);
            assert_update(&before, &movement, update);
            let fresh = MovementTables::compile(&grid, class.clone());
            assert_same_sets(&movement, &fresh)?;
            for state in (0..movement.space().n_states() as u32).map(State) {
                prop_assert_eq!(movement.is_legal(state), fresh.is_legal(state));
                for primitive in 0..class.primitives().len() {
                    prop_assert_eq!(movement.move_ticks(state, primitive), fresh.move_ticks(state, primitive));
                }
            }
        }
    }
}
