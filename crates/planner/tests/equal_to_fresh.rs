//! Tables and components updated after edits equal freshly compiled ones.

use crate::common::{apply, class_of, edit, world, world_of};
use proptest::prelude::*;
use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::tables::*;

/// Tables with components.
fn compiled(grid: &Grid, class: &MovementClass) -> MovementTables {
    let mut tables = MovementTables::compile(grid, class.clone());
    tables.make_components();
    tables
}

/// Labels differ from fresh tables, but the partition into sets is the same.
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

/// Checks the reported effect of an update, move by move.
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

/// The states reachable from a state, including itself if it is legal.
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

    /// Tables against the rule, move by move, before and after edits; predecessors are the exact inverse of successors
    /// in both. Updated tables equal freshly compiled ones.
    #[test]
    fn tables_equal_the_rule_before_and_after_edits(
        (mut grid, class) in world(),
        edits in prop::collection::vec((edit(), 0_u8..4), 1..6),
    ) {
        let mut movement = compiled(&grid, &class);
        assert_tables(&grid, &class, &movement);
        for (edit, beyond) in edits {
            let Rect { x, y, width, height } = apply(&mut grid, edit);
            // May reach beyond the map.
            let (off, more) = (i32::from(beyond), 2 * u32::from(beyond));
            let changed = Rect::new(x - off, y - off, width + more, height + more);
            let before = movement.clone();
            let update = movement.update(&grid, changed);
            assert_update(&before, &movement, update);
            assert_tables(&grid, &class, &movement);
            let fresh = compiled(&grid, &class);
            assert_same_sets(&movement, &fresh)?;
            let mut renewed = movement.clone();
            renewed.renew_components();
            prop_assert!(!renewed.components().is_stale());
            let states = || (0..movement.space().n_states() as u32).map(State);
            for from in states().step_by(3) {
                let reachable = reachable(&fresh, from);
                for to in states() {
                    let exact = fresh.components().reachability(from, to);
                    prop_assert_eq!(renewed.components().reachability(from, to), exact);
                    let followed = movement.components().reachability(from, to);
                    let truth = if reachable[to.0 as usize] { Reachability::Yes } else { Reachability::No };
                    prop_assert!(followed == truth || followed == Reachability::Unknown);
                    prop_assert!(followed == truth || exact == Reachability::Unknown || movement.components().is_stale());
                }
            }
        }
    }

    /// Maps in which most rows equal the row above: copied words agree with the rule.
    #[test]
    fn repeated_rows_equal_the_rule(
        (width, height) in (30_u64..140, 3_u64..30),
        (shape, class) in prop_oneof![2 => Just(GridShape::Square), 1 => Just(GridShape::Hex)]
            .prop_flat_map(|shape| (Just(shape), class_of(shape))),
        edits in prop::collection::vec(edit(), 0..8),
        shift in 0_i32..110,
    ) {
        let size = GridSize::new(width, height).unwrap();
        let (terrain, sides) = crate::common::tables();
        let mut grid = Grid::filled(size, TerrainKind(0), terrain, sides).with_shape(shape);
        for (number, mut edit) in edits.into_iter().enumerate() {
            // Posts and walls, some of them high.
            edit.0 += if number % 2 == 0 { shift } else { 0 };
            edit.3 *= 1 + number as u32 % 4;
            apply(&mut grid, edit);
        }
        let tables = MovementTables::compile(&grid, class.clone());
        let legality = Legality::new(&grid, &class);
        for state in (0..tables.space().n_states() as u32).map(State) {
            let pose = tables.space().pose(state);
            prop_assert_eq!(tables.is_legal(state), legality.check_pose(pose).is_ok(), "{:?}", pose);
            for primitive in 0..class.primitives().len() {
                let rule = legality.explain(pose, primitive).ok();
                prop_assert_eq!(tables.move_ticks(state, primitive), rule, "{:?} {}", pose, primitive);
            }
        }
    }

    /// Larger maps, where updates are small and components are followed rather than relabelled: many edits,
    /// some of which seal or open rooms.
    #[test]
    fn many_edits_are_followed(
        (mut grid, class) in world_of(16..34),
        edits in prop::collection::vec(edit(), 1..25),
    ) {
        let mut movement = compiled(&grid, &class);
        for edit in edits {
            let changed = apply(&mut grid, edit);
            let before = movement.clone();
            let update = movement.update(&grid, changed);
            assert_update(&before, &movement, update);
            let fresh = compiled(&grid, &class);
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

/// A building closes the only door of a room and is later removed. The room is disconnected exactly in between,
/// wherever it lies, and no other pose is separated.
#[test]
fn a_building_seals_a_room_and_opens_it_again() {
    const SIDE: u32 = 96;
    let water = TerrainKind(4);
    for columns in [6, 20, SIDE / 2] {
        let (terrain, sides) = crate::common::tables();
        let size = GridSize::new(u64::from(SIDE), u64::from(SIDE)).unwrap();
        let mut grid = Grid::filled(size, TerrainKind(0), terrain, sides);
        // The room is the west of the map; its door is 4 cells wide.
        let (wall, door) = (columns as i32, Rect::new(columns as i32, 40, 4, 4));
        grid.set_terrain(Rect::new(wall, 0, 4, SIDE), water);
        grid.set_terrain(door, TerrainKind(0));
        for class in [crate::common::truck(), MovementClass::octile()] {
            let mut tables = compiled(&grid, &class);
            let pose = |x, y| tables.space().state(Pose::new(x, y, Heading(0))).unwrap();
            let (inside, also_inside) = (pose(2, 3), pose(wall - 1, SIDE as i32 - 4));
            let (outside, also_outside) = (pose(wall + 6, 50), pose(SIDE as i32 - 2, 2));
            for _ in 0..3 {
                assert_eq!(tables.components().reachability(inside, outside), Reachability::Yes);
                let edit = grid.set_terrain(door, water);
                tables.update(&grid, edit.changed);
                assert_eq!(tables.components().reachability(inside, outside), Reachability::No);
                assert_eq!(tables.components().reachability(also_outside, also_inside), Reachability::No);
                assert_eq!(tables.components().reachability(inside, also_inside), Reachability::Yes);
                assert_eq!(tables.components().reachability(also_outside, outside), Reachability::Yes);
                assert_same_sets(&tables, &compiled(&grid, &class)).unwrap();
                let edit = grid.set_terrain(door, TerrainKind(0));
                tables.update(&grid, edit.changed);
                assert_same_sets(&tables, &compiled(&grid, &class)).unwrap();
            }
        }
    }
}
