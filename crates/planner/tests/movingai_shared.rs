//! The built-in class on the MovingAI benchmark: every published optimal length.

use std::fs;
use std::path::Path;
use wheelbase_grid::map_file::movingai;
use wheelbase_grid::{CellXY, SideTable, TerrainTable};
use wheelbase_planner::*;

/// Lengths are given with five decimals, in AR0603SR with two.
fn tolerance(file: &str) -> f64 {
    if file.starts_with("AR0603SR") { 6e-3 } else { 1e-3 }
}

#[test]
#[ignore = "needs ../shared/data"]
fn every_published_optimum_is_met() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/movingai");
    let mut files: Vec<_> = fs::read_dir(folder).expect("../shared/data/movingai").flatten().collect();
    files.sort_by_key(fs::DirEntry::file_name);
    let (mut scratch, mut path) = (Scratch::new(), Path_::new());
    let mut queries = 0;
    for file in files {
        let name = file.file_name().into_string().unwrap();
        let Some(map) = name.strip_suffix(".scen") else { continue };
        let bytes = fs::read(Path::new(folder).join(map)).unwrap();
        let grid = movingai::parse(&bytes, TerrainTable::movingai(), SideTable::default()).unwrap().grid;
        let tables = MovementTables::compile(&grid, MovementClass::octile());
        for line in fs::read_to_string(file.path()).unwrap().lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [_, _, _, _, sx, sy, gx, gy, length] = fields[..] else { continue };
            let number = |text: &str| text.parse::<i32>().unwrap();
            let goal = [GoalMember::any(CellXY::new(number(gx), number(gy)))];
            let start = Pose::new(number(sx), number(sy), Heading(0));
            let answer = plan(&tables, &Request::new(start, Goal::of(&goal)), &mut scratch, &mut path);
            assert_eq!(answer.status, Status::Found, "{name}: {line}");
            let diagonal = path.moves.iter().filter(|&&m| m % 2 == 1).count();
            let straight = path.moves.len() - diagonal;
            let found = straight as f64 + diagonal as f64 * std::f64::consts::SQRT_2;
            let published: f64 = length.parse().unwrap();
            assert!((found - published).abs() <= tolerance(&name), "{name}: {line}: found {found}");
            queries += 1;
        }
    }
    assert!(queries > 5000, "{queries}");
}

type Path_ = wheelbase_planner::Path;
