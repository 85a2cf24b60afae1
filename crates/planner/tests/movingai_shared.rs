//! The built-in class on the MovingAI benchmark: every published optimal length.

use std::fs;
use wheelbase_grid::{SideTable, TerrainTable};
use wheelbase_maps::{movingai, movingai_scen};
use wheelbase_planner::*;

#[test]
#[ignore = "needs ../shared/data"]
fn every_published_optimum_is_reproduced() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/movingai");
    let mut files: Vec<_> = fs::read_dir(folder).expect("../shared/data/movingai").flatten().collect();
    files.sort_by_key(fs::DirEntry::file_name);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let mut queries = 0;
    for file in files.iter().map(fs::DirEntry::path).filter(|f| f.extension().is_some_and(|e| e == "scen")) {
        let name = file.display();
        let scen = movingai_scen::parse(&fs::read(&file).unwrap()).unwrap();
        let map = fs::read(file.with_file_name(scen.map_name())).unwrap();
        let grid = movingai::parse(&map, TerrainTable::movingai(), SideTable::default()).unwrap().grid;
        assert_eq!(grid.size(), scen.size, "{name}");
        let tables = MovementTables::compile(&grid, MovementClass::octile());
        for query in &scen.queries {
            let goal = [GoalMember::any(query.goal)];
            let start = Pose { cell: query.start, heading: Heading(0) };
            let answer = plan(&tables, &Request::new(start, Goal::of(&goal)), &mut scratch, &mut path);
            assert_eq!(answer.status, Status::Found, "{name}: {query:?}");
            let (found, tolerance) = (path.octile_length(), scen.tolerance(query.length));
            assert!((found - query.length).abs() <= tolerance, "{name}: {query:?}: found {found}");
            queries += 1;
        }
    }
    assert!(queries > 5000, "{queries}");
}
