//! Bodies far larger than in any game: rejected, or processed in time of their swept cells rather than their
//! extent.

use wheelbase_grid::*;
use wheelbase_maps::{MapKind, generate};
use wheelbase_planner::model::*;
use wheelbase_planner::*;

/// A body that turns left with a full sweep.
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

/// The error of a rejected class. The class itself is too long to print.
fn refused(made: Result<MovementClass, ClassError>) -> ClassError {
    made.map(|_| ()).unwrap_err()
}

#[test]
fn bodies_larger_than_the_map_are_rejected_before_their_turns_are_computed() {
    // Two cells at the maximum offset, and the maximum number of cells, which sweep even more.
    for cells in [vec![(0, 0), (65_535, 65_535)], (0..1024).map(|n| (64 * n, 0)).collect()] {
        let refused = refused(MovementClass::for_map(turning(4, cells), size(128, 128)));
        assert!(matches!(refused, ClassError::LargerThanMap { .. }), "{refused}");
    }
}

#[test]
fn sweeping_too_many_cells_is_an_error_that_names_the_primitive() {
    let spec = turning(4, (0..1024).map(|n| (60 * n, 0)).collect());
    let refused = refused(MovementClass::for_map(spec, size(65_535, 1000)));
    let ClassError::SweptTooMany { name, n_cells_min } = &refused else { panic!("{refused}") };
    assert!(name == "left" && *n_cells_min > SWEPT_CELLS_MAX, "{refused}");
    // Few enough for each heading's turn, but too many for all headings together.
    let spec = turning(4, (0..1024).map(|n| (n, 0)).collect());
    let class = MovementClass::new(spec).unwrap();
    assert!((3_000_000..SWEPT_CELLS_MAX).contains(&class.n_swept_cells()), "{}", class.n_swept_cells());
}

#[test]
fn turns_that_leave_the_map_are_illegal() {
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
    // Also after an edit in the middle of the map, away from the border.
    let edit = grid.set_terrain(Rect::new(300, 20, 2, 2), TerrainKind(2));
    tables.update(&grid, edit.changed);
    check(&tables, &Legality::new(&grid, &class));
}

#[test]
fn long_bodies_turn_by_the_rule_where_they_fit() {
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
fn table_memory_is_estimated_in_advance() {
    let grid = Grid::filled(size(512, 512), TerrainKind(0), TerrainTable::movingai(), SideTable::default());
    let mut spec = ClassSpec::new("cart", 4);
    spec.primitives = Primitive::vehicle(2, 6, 2);
    let need = tables_need(&grid, &MovementClass::new(spec).unwrap());
    let n_states = 4 * 512 * 512;
    // Per state: a move word and a label of one byte each; while components are made, labels of four bytes, and
    // sets.
    assert!((2 * n_states..4 * n_states).contains(&need.kept), "{need:?}");
    assert!((5 * n_states..18 * n_states).contains(&(need.peak - need.kept)), "{need:?}");
    let octile = tables_need(&grid, &MovementClass::octile());
    assert!(octile.kept > 5 * 512 * 512, "{octile:?}");
}
