//! Generated maps stay the same for ever, are connected, and have room for vehicles.

use wheelbase_grid::map_file::movingai;
use wheelbase_grid::{CellXY, Grid, GridSize, MapKind, Rect, SideTable, TerrainTable, generate};

fn map(kind: MapKind, width: u64, height: u64, seed: u64) -> Grid {
    generate(kind, GridSize::new(width, height).unwrap(), seed)
}

fn text(grid: &Grid) -> String {
    let mut file = Vec::new();
    movingai::write(grid, &mut file).unwrap();
    String::from_utf8(file).unwrap()
}

#[test]
#[ignore = "prints maps to look at"]
fn print_maps() {
    let number =
        |name: &str, usual| std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual);
    let (width, height) = (number("WIDTH", 64), number("HEIGHT", 48));
    for kind in MapKind::ALL {
        for seed in number("SEED", 1)..number("SEED", 1) + number("MAPS", 2) {
            println!("{} {seed}", kind.name());
            let file = text(&map(kind, width, height, seed));
            file.lines().skip(4).for_each(|row| println!("{row}"));
        }
    }
}
