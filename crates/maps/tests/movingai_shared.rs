//! The MovingAI maps next to the project are as their README describes them.

use std::collections::BTreeMap;
use std::path::Path;
use wheelbase_grid::{SideTable, TerrainTable};
use wheelbase_maps::movingai;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/movingai");

/// Sizes `(width, height)` by map name, from the table of the README. Its rows are
/// `| names | set | sizes |`, names and sizes separated by commas, one size per name.
fn sizes_in(readme: &str) -> BTreeMap<&str, (u32, u32)> {
    let mut sizes = BTreeMap::new();
    for row in readme.lines().filter(|line| line.starts_with('|')) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        for (name, size) in columns[1].split(", ").zip(columns[3].split(", ")) {
            let numbers = size.split_once('x').map(|(width, height)| (width.parse(), height.parse()));
            if let Some((Ok(width), Ok(height))) = numbers {
                sizes.insert(name.trim_end_matches(".map"), (width, height));
            }
        }
    }
    sizes
}

#[test]
#[ignore = "needs ../shared/data"]
fn every_map_is_read_written_and_read_again() {
    let readme = std::fs::read_to_string(Path::new(FOLDER).join("README.md")).unwrap();
    let sizes = sizes_in(&readme);
    let parse = |bytes: &[u8]| movingai::parse(bytes, TerrainTable::movingai(), SideTable::default());
    let mut n_maps = 0;
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "map") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let size = file.grid.size();
        assert_eq!(Some(&(size.width(), size.height())), sizes.get(name), "{name}");
        assert_eq!(file.warnings, [], "{name}");

        let has = |kind: &str| {
            let kind = file.grid.terrain_table().kind_of_name(kind);
            file.grid.terrain().iter().any(|&found| Some(found) == kind)
        };
        match name {
            "Berlin_1_256" => assert!(bytes.windows(2).any(|pair| pair == b"\r\n")),
            "divideandconquer" => assert!(has("swamp") && has("water")),
            _ => {}
        }

        let mut written = Vec::new();
        movingai::write(&file.grid, &mut written).unwrap();
        let again = parse(&written).unwrap();
        assert_eq!(again.grid.size(), size, "{name}");
        assert!(again.grid.terrain() == file.grid.terrain(), "{name}: the terrain layer differs");
        n_maps += 1;
    }
    assert!(n_maps >= 7, "found {n_maps} maps in {FOLDER}");
}
