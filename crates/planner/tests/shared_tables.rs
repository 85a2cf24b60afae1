//! Clones of tables share their memory until one of them follows an edit.

use wheelbase_grid::{Grid, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_planner::model::State;
use wheelbase_planner::{MovementClass, MovementTables};

#[test]
fn a_clone_is_shared_up_to_the_first_edit_of_one_of_them() {
    let rows = ["......"; 4];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let unedited = grid.clone();
    let mut tables = MovementTables::compile(&grid, MovementClass::octile());
    tables.make_components();
    let kept = tables.clone();
    tables.renew_components();
    assert!(tables.share(&kept), "nothing was stale");
    let edit = grid.set_terrain(Rect::new(2, 0, 1, 4), TerrainKind(2));
    tables.update(&grid, edit.changed);
    assert!(!tables.share(&kept));
    let fresh = [&unedited, &grid].map(|grid| MovementTables::compile(grid, MovementClass::octile()));
    for state in (0..kept.space().n_states() as u32).map(State) {
        for primitive in 0..kept.class().primitives().len() {
            let of = |tables: &MovementTables| tables.move_ticks(state, primitive);
            assert_eq!((of(&kept), of(&tables)), (of(&fresh[0]), of(&fresh[1])));
        }
    }
}
