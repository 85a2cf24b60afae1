//! Generated maps never change, are connected, and have room for vehicles.

use wheelbase_grid::{
    BitGrid, CellXY, Fnv1a, Grid, GridShape, GridSize, Rect, Side, SideTable, TerrainTable,
};
use wheelbase_maps::movingai;
use wheelbase_maps::{MapKind, generate};

/// Sizes with little room in one direction or both, and one with much.
const ODD_SIZES: [(u64, u64); 12] = [
    (1, 1),
    (1, 64),
    (64, 1),
    (2, 2),
    (3, 200),
    (17, 5),
    (9, 9),
    (511, 3),
    (13, 40),
    (31, 33),
    (128, 128),
    (1000, 27),
];

fn map(kind: MapKind, width: u64, height: u64, seed: u64) -> Grid {
    generate(kind, GridSize::new(width, height).unwrap(), seed)
}

fn text(grid: &Grid) -> String {
    let mut file = Vec::new();
    movingai::write(grid, &mut file).unwrap();
    String::from_utf8(file).unwrap()
}

/// Hash of the numbers of the terrain kinds, row by row.
fn terrain_hash(grid: &Grid) -> u64 {
    let mut hash = Fnv1a::new();
    grid.terrain().iter().for_each(|kind| hash.write(&[kind.0]));
    hash.finish()
}

/// A changed generator invalidates every recording and every published cost on its maps: give it a new name instead, or
/// a good reason.
#[test]
fn a_seed_always_gives_the_same_map() {
    let hashes = MapKind::ALL.map(|kind| (kind.name(), terrain_hash(&map(kind, 64, 48, 1))));
    let pinned: [(&str, u64); 7] = [
        ("open", 0xd86c_1a5c_6f3b_7a90),
        ("random", 0x52a9_6a5c_3a4b_1d34),
        ("rooms", 0x1ebe_777f_6a0d_50d1),
        ("maze", 0xfc99_c415_b9f8_e645),
        ("river", 0xf49d_843a_64ad_408b),
        ("base", 0xfb01_978b_dccf_5a61),
        ("streets", 0x6475_3d36_3e5e_5dd1),
    ];
    assert_eq!(hashes, pinned, "{hashes:#x?}");
}

#[test]
fn other_seeds_and_other_kinds_give_other_maps() {
    let mut hashes: Vec<u64> = MapKind::ALL
        .into_iter()
        .flat_map(|kind| (0..50).map(move |seed| terrain_hash(&map(kind, 64, 48, seed))))
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 50 * MapKind::ALL.len());
}

#[test]
fn kinds_are_found_by_name() {
    for kind in MapKind::ALL {
        assert_eq!(MapKind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(MapKind::from_name("River"), None);
}

#[test]
fn maps_of_any_size_can_be_generated_written_and_read_again() {
    for (width, height) in ODD_SIZES {
        for kind in MapKind::ALL {
            for seed in 0..20 {
                let made = map(kind, width, height, seed);
                let read =
                    movingai::parse(text(&made).as_bytes(), TerrainTable::movingai(), SideTable::default());
                let read = read.unwrap();
                assert!(read.warnings.is_empty());
                assert_eq!((read.grid.size(), read.grid.terrain()), (made.size(), made.terrain()));
                assert!(made.all_sides_open() && made.elevation().is_none() && made.revision() == 0);
            }
        }
    }
}

/// Passable cells.
fn passable(grid: &Grid) -> BitGrid {
    let mut cells = BitGrid::new(grid.size());
    for xy in grid.size().rect().cells() {
        let kind = grid.terrain_at(xy).unwrap();
        cells.set(xy, grid.terrain_table()[kind].speed > 0);
    }
    cells
}

/// Cells where the middle of a body of `width` x `height` cells fits; both are odd.
fn room_for(cells: &BitGrid, width: i32, height: i32) -> BitGrid {
    let size = cells.size();
    let mut room = BitGrid::new(size);
    for xy in size.rect().cells() {
        let body = Rect::new(xy.x - width / 2, xy.y - height / 2, width as u32, height as u32);
        room.set(xy, body.cells().all(|cell| cells.get(cell)));
    }
    room
}

/// Share of the cells in the largest edge-connected component, in thousandths.
fn largest_component_permille(cells: &BitGrid) -> usize {
    let mut left = cells.clone();
    let mut largest = 0;
    for start in cells.size().rect().cells() {
        let mut open = Vec::new();
        let mut n_cells = 0;
        open.push(start);
        while let Some(xy) = open.pop() {
            if left.get(xy) {
                left.set(xy, false);
                n_cells += 1;
                open.extend(Side::SQUARE.map(|side| GridShape::Square.neighbour(xy, side)));
            }
        }
        largest = largest.max(n_cells);
    }
    assert!(largest > 0, "a map without a way");
    1000 * largest / cells.count_ones()
}

#[test]
fn most_of_a_map_is_one_component() {
    for kind in MapKind::ALL {
        let (mut least, mut least_3x3) = (1000, 1000);
        for seed in 0..30 {
            for (width, height) in [(128, 128), (32, 32), (33, 100)] {
                let cells = passable(&map(kind, width, height, seed));
                least = least.min(largest_component_permille(&cells));
                if !matches!(kind, MapKind::Open | MapKind::Random) {
                    least_3x3 = least_3x3.min(largest_component_permille(&room_for(&cells, 3, 3)));
                }
            }
        }
        let promised = match kind {
            MapKind::Rooms | MapKind::Maze | MapKind::Base | MapKind::Streets => 1000,
            // A clump of trees can have a hole.
            MapKind::Open | MapKind::River => 990,
            MapKind::Random => 950,
        };
        assert!(least >= promised, "{}: {least}", kind.name());
        assert!(least_3x3 >= 950, "{}: {least_3x3} for 3x3", kind.name());
    }
}

/// Share, in thousandths, of the positions of a 3x5 body, lengthwise or crosswise, that are mutually reachable. Moves
/// are driving forward and back, turning on the spot where both orientations fit, and side steps.
fn largest_3x5_component_permille(cells: &BitGrid, side_steps: bool) -> usize {
    let size = cells.size();
    let mut left = [room_for(cells, 5, 3), room_for(cells, 3, 5)];
    let all = left[0].count_ones() + left[1].count_ones();
    let mut largest = 0;
    for start in size.rect().cells().flat_map(|xy| [(xy, 0), (xy, 1)]) {
        let mut open = vec![start];
        let mut n_places = 0;
        while let Some((xy, facing)) = open.pop() {
            if left[facing].get(xy) {
                left[facing].set(xy, false);
                n_places += 1;
                open.push((xy, 1 - facing));
                for (number, side) in Side::SQUARE.into_iter().enumerate() {
                    if side_steps || number % 2 == facing {
                        open.push((GridShape::Square.neighbour(xy, side), facing));
                    }
                }
            }
        }
        largest = largest.max(n_places);
    }
    1000 * largest / all
}

#[test]
fn a_3x5_body_can_use_the_main_parts() {
    for kind in MapKind::ALL.into_iter().filter(|&kind| kind != MapKind::Random) {
        // A body that enters a corner of a corridor 4 cells wide along the outer wall cannot turn there about its
        // middle.
        let side_steps = kind == MapKind::Maze;
        let least = (0..30)
            .map(|seed| largest_3x5_component_permille(&passable(&map(kind, 128, 128, seed)), side_steps))
            .min()
            .unwrap();
        assert!(least >= 700, "{}: {least}", kind.name());
    }
}

#[test]
fn the_blocked_share_is_as_documented() {
    for (kind, expected) in [(MapKind::Open, 20..45), (MapKind::Random, 190..210)] {
        let grid = map(kind, 1000, 1000, 5);
        let blocked = 1000 - passable(&grid).count_ones() / 1000;
        assert!(expected.contains(&blocked), "{}: {blocked} permille", kind.name());
    }
}

#[test]
fn a_river_crosses_the_map_and_has_fords_and_bridges() {
    for seed in 0..30 {
        let grid = &map(MapKind::River, 128, 96, seed);
        let [swamp, water] = ["swamp", "water"].map(|name| grid.terrain_table().kind_of_name(name).unwrap());
        let cells_of = |kind| grid.size().rect().cells().filter(move |&xy| grid.terrain_at(xy) == Some(kind));
        assert!(cells_of(swamp).count() >= 16, "seed {seed}: no ford of 4 x 4 cells");

        // Even without fords, a bridge joins the banks.
        let mut dry = passable(grid);
        cells_of(swamp).for_each(|xy| dry.set(xy, false));
        assert!(largest_component_permille(&dry) >= 900, "seed {seed}");

        // All lines across the map meet water, except on bridges.
        let distinct = |of: fn(CellXY) -> i32| {
            cells_of(swamp).chain(cells_of(water)).map(of).collect::<std::collections::BTreeSet<i32>>().len()
        };
        let (columns, rows) = (distinct(|xy| xy.x), distinct(|xy| xy.y));
        assert!(columns >= 128 * 7 / 10 || rows >= 96 * 7 / 10, "seed {seed}");
    }
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

#[test]
#[ignore = "times the largest maps"]
fn time_large_maps() {
    for (width, height) in [(4096, 4096), (8192, 8192), (1 << 26, 1), (1, 1 << 26)] {
        for kind in MapKind::ALL {
            let start = std::time::Instant::now();
            let grid = map(kind, width, height, 1);
            let elapsed_ms = start.elapsed().as_millis();
            println!("{} {width}x{height}: {elapsed_ms} ms, hash {:016x}", kind.name(), terrain_hash(&grid));
        }
    }
}
