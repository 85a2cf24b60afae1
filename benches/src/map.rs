//! The maps of the scenes: drawn from a seed, or from the MovingAI benchmark.

use std::path::PathBuf;
use wheelbase_grid::SplitMix64;
use wheelbase_grid::{CellXY, Grid, GridSize, Rect, Side, SideKind, SideTable, TerrainKind, TerrainTable};
use wheelbase_maps::movingai;

/// A map of `../shared/data/movingai`, next to the project. Prints a line if it is missing.
///
/// # Panics
/// If the file is not a map.
pub fn file_grid(name: &str) -> Option<Grid> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/movingai"));
    let file = folder.join(format!("{name}.map"));
    let Ok(bytes) = std::fs::read(&file) else {
        println!("{name}: skipped, {} is missing", file.display());
        return None;
    };
    let map = movingai::parse(&bytes, TerrainTable::movingai(), SideTable::default())
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Some(map.grid)
}

const GROUND: TerrainKind = TerrainKind(0);
const WATER: TerrainKind = TerrainKind(2);

/// Ground everywhere.
pub fn open(side: u32) -> Grid {
    let size = GridSize::new(u64::from(side), u64::from(side))
        .unwrap_or_else(|error| panic!("a map of side {side}: {error}"));
    Grid::filled(size, GROUND, TerrainTable::movingai(), SideTable::default())
}

/// Ground with discs of water of radius 2 to 11, about 35 % of the map.
pub fn blobs(side: u32, seed: u64) -> Grid {
    let mut grid = open(side);
    let mut random = SplitMix64::new(seed);
    for _ in 0..side * side / 400 {
        let (x, y) = (random.below(side) as i32, random.below(side) as i32);
        let radius = 2 + random.below(10) as i32;
        for dy in -radius..=radius {
            let half = (radius * radius - dy * dy).isqrt();
            grid.set_terrain(Rect::new(x - half, y + dy, (2 * half + 1) as u32, 1), WATER);
        }
    }
    grid
}

/// Rooms of 15 x 15 cells between walls one cell thick, with a gap of 2 to 4 cells in three of four
/// walls.
pub fn rooms(side: u32, seed: u64) -> Grid {
    const PITCH: u32 = 16;
    let mut grid = open(side);
    let mut random = SplitMix64::new(seed);
    for at in (PITCH..side).step_by(PITCH as usize) {
        grid.set_terrain(Rect::new(at as i32, 0, 1, side), WATER);
        grid.set_terrain(Rect::new(0, at as i32, side, 1), WATER);
    }
    for at in (PITCH..side).step_by(PITCH as usize) {
        for along in (0..side).step_by(PITCH as usize) {
            for upright in [true, false] {
                let (gap, width, open) = (1 + random.below(11), 2 + random.below(3), random.below(4) > 0);
                let width = if open { width } else { 0 };
                let (wall, gap) = (at as i32, (along + gap) as i32);
                grid.set_terrain(
                    match upright {
                        true => Rect::new(wall, gap, 1, width),
                        false => Rect::new(gap, wall, width, 1),
                    },
                    GROUND,
                );
            }
        }
    }
    grid
}

/// Ground where each cell is water with a probability of one fifth.
pub fn noise(side: u32, seed: u64) -> Grid {
    let mut grid = open(side);
    let mut random = SplitMix64::new(seed);
    for cell in Rect::new(0, 0, side, side).cells() {
        if random.below(5) == 0 {
            grid.set_terrain(Rect::new(cell.x, cell.y, 1, 1), WATER);
        }
    }
    grid
}

/// Ground in terraces of 16 x 16 cells with 7 heights, and one wall per `side` cells: it needs the planner's general
/// table layout.
///
/// # Panics
/// If the map exceeds the limits of the planner.
pub fn hilly(side: u32, seed: u64) -> Grid {
    let mut grid = open(side);
    let mut random = SplitMix64::new(seed);
    for _ in 0..side {
        let at = CellXY::new(random.below(side) as i32, random.below(side) as i32);
        grid.set_side(at, Side::East, SideKind::WALL);
    }
    let heights = (0..side * side).map(|cell| ((cell % side / 16 + cell / side / 16) % 7) as i16);
    grid.with_elevation(heights.collect()).unwrap_or_else(|error| panic!("a map of side {side}: {error}"))
}

/// The same map with each cell divided into `times` x `times` cells.
///
/// # Panics
/// If the map becomes too large.
pub fn at_resolution(grid: &Grid, times: u32) -> Grid {
    let size = grid.size();
    let (width, height) = (size.width() * times, size.height() * times);
    let finer = GridSize::new(u64::from(width), u64::from(height))
        .unwrap_or_else(|error| panic!("a map of {width} x {height}: {error}"));
    let mut scaled = Grid::filled(finer, GROUND, grid.terrain_table().clone(), grid.side_table().clone());
    for (at, &kind) in grid.terrain().iter().enumerate() {
        let (x, y) = (at as u32 % size.width() * times, at as u32 / size.width() * times);
        scaled.set_terrain(Rect::new(x as i32, y as i32, times, times), kind);
    }
    scaled
}
