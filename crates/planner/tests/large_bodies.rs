//! Bodies far larger than a game's: refused, or worked out by what they sweep and not by how far they reach.

#![allow(clippy::unwrap_used)]

use wheelbase_grid::*;
use wheelbase_maps::{MapKind, generate};
use wheelbase_planner::model::*;
use wheelbase_planner::*;

/// A body that turns left, swept in full.
fn turning(headings: u8, footprint: Vec<(i32, i32)>) -> ClassSpec {
    let mut spec = ClassSpec::new("far", headings);
    spec.footprint = footprint;
    spec.sweep = Sweep::both(SweepRule::Full);
    spec.primitives = vec![Primitive::turn("left", 1, 1)];
    spec
}

fn size(width: u64, height: u64) -> GridSize {
    GridSize::new(width, height).unwrap()
}

/// Why a class is refused. The class itself is too long to be printed.
fn refused(made: Result<MovementClass, ClassError>) -> ClassError {
    made.map(|_| ()).unwrap_err()
}

#[test]
fn a_body_larger_than_the_map_is_refused_before_its_turns_are_worked_out() {
    // Of two cells at the farthest that offsets may be, and of the most cells, which sweep the more.
    for cells in [vec![(0, 0), (65_535, 65_535)], (0..1024).map(|n| (64 * n, 0)).collect()] {
        let refused = refused(MovementClass::for_map(turning(4, cells), size(128, 128)));
        assert!(matches!(refused, ClassError::LargerThanMap { .. }), "{refused}");
    }
}

#[test]
fn a_class_that_sweeps_too_many_cells_is_refused_by_name() {
    let spec = turning(4, (0..1024).map(|n| (60 * n, 0)).collect());
    let refused = refused(MovementClass::for_map(spec, size(65_535, 1000)));
    let ClassError::SweptTooMany { name, least } = &refused else { panic!("{refused}") };
    assert!(name == "left" && *least > SWEPT_CELLS_MAX, "{refused}");
    // More than a heading's turn may sweep, and fewer than all headings' together.
    let spec = turning(4, (0..1024).map(|n| (n, 0)).collect());
    let class = MovementClass::new(spec).unwrap();
    assert!((3_000_000..SWEPT_CELLS_MAX).contains(&class.n_swept_cells()), "{}", class.n_swept_cells());
}

#[test]
fn a_turn_without_room_on_the_map_is_never_legal() {
    let class = MovementClass::for_map(turning(4, vec![(0, 0), (500, 0)]), size(600, 40)).unwrap();
    let grid = Grid::filled(size(600, 40), TerrainKind(0), TerrainTable::movingai(), SideTable::default());
    let legality = Legality::new(&grid, &class);
    let mut tables = MovementTables::compile(&grid, class.clone());
    let mut grid = grid.clone();
    let check = |tables: &MovementTables, legality: &Legality<'_>| {
        for state in (0..tables.space().n_states() as u32).step_by(7).map(State) {
            let pose = tables.space().pose(state);
            assert_eq!(tables.is_legal(state), legality.check_pose(pose).is_ok(), "{pose:?}");
            assert_eq!(tables.move_ticks(state, 0), legality.explain(pose, 0).ok(), "{pose:?}");
        }
    };
    check(&tables, &legality);
    assert!(tables.is_legal_pose(Pose::new(99, 0, Heading(0))));
    assert!(!tables.is_legal_pose(Pose::new(99, 0, Heading(1))));
    // And after an edit in the middle, about which nothing reaches beyond the map.
    let edit = grid.set_terrain(Rect::new(300, 20, 2, 2), TerrainKind(2));
    tables.update(&grid, edit.changed);
    check(&tables, &Legality::new(&grid, &class));
}

#[test]
fn a_long_body_turns_as_the_rule_says_where_it_has_room() {
    let mut spec = turning(8, (0..40).map(|n| (n, 0)).collect());
    spec.primitives.push(Primitive::turn("right", -1, 2));
    let map = generate(MapKind::Random, size(90, 70), 3);
    let mut grid = Grid::filled(size(90, 70), TerrainKind(0), TerrainTable::movingai(), SideTable::default());
    for (number, xy) in grid.size().rect().cells().enumerate() {
        if map.terrain()[number] != TerrainKind(0) && number % 37 == 0 {
            grid.set_terrain(Rect::new(xy.x, xy.y, 1, 1), TerrainKind(2));
        }
    }
    let class = MovementClass::for_map(spec, grid.size()).unwrap();
    let (tables, legality) = (MovementTables::compile(&grid, class.clone()), Legality::new(&grid, &class));
    let mut n_legal = 0;
    for state in (0..tables.space().n_states() as u32).map(State) {
        let pose = tables.space().pose(state);
        for primitive in 0..2 {
            let ticks = legality.explain(pose, primitive).ok();
            n_legal += usize::from(ticks.is_some());
            assert_eq!(tables.move_ticks(state, primitive), ticks, "{pose:?} {primitive}");
        }
    }
    assert!(n_legal > 100, "{n_legal}");
}

#[test]
fn the_bytes_of_tables_are_told_beforehand() {
    let grid = Grid::filled(size(512, 512), TerrainKind(0), TerrainTable::movingai(), SideTable::default());
    let mut spec = ClassSpec::new("cart", 4);
    spec.primitives = Primitive::vehicle(2, 6, 2);
    let need = tables_need(&grid, &MovementClass::new(spec).unwrap());
    let n_states = 4 * 512 * 512;
    // A word of a byte, a level and a label; while components are made labels of four, and sets.
    assert!((2 * n_states..4 * n_states).contains(&need.kept), "{need:?}");
    assert!((5 * n_states..18 * n_states).contains(&(need.peak - need.kept)), "{need:?}");
    let octile = tables_need(&grid, &MovementClass::octile());
    assert!(octile.kept > 5 * 512 * 512, "{octile:?}");
}
