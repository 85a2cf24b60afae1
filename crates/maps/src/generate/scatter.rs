//! Maps of scattered obstacles: open land with clumps of trees, and random single cells.

use super::terrain_builder::{OUT, SWAMP, TREES, TerrainBuilder, inset};
use std::ops::RangeInclusive;
use wheelbase_grid::{Rect, SplitMix64, TerrainKind};

/// Side, in cells, of the tiles that hold at most one clump of trees each.
const TREE_TILE: u32 = 16;
/// Side, in cells, of the tiles that hold at most one patch of swamp each.
const SWAMP_TILE: u32 = 20;

pub(super) fn draw_open(terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
    clumps(terrain, random, 570, 1..=2, TREES);
}

pub(super) fn draw_random(terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
    for tile in tiles(terrain.rect(), SWAMP_TILE) {
        if random.chance(500) {
            terrain.clump(random, tile, 5, SWAMP);
        }
    }
    for kind in terrain.cells_mut() {
        if random.chance(200) {
            *kind = OUT;
        }
    }
}

/// Puts clumps of radii in `radii` into `permille` tiles of a thousand. At least two cells separate two clumps, and
/// one cell separates a clump from the border. So clumps enclose no cells but their own holes.
pub(super) fn clumps(
    terrain: &mut TerrainBuilder,
    random: &mut SplitMix64,
    permille: u32,
    radii: RangeInclusive<i32>,
    kind: TerrainKind,
) {
    for tile in tiles(terrain.rect(), TREE_TILE) {
        let within = inset(tile, 1);
        let radius = random.between(*radii.start(), *radii.end());
        // A tile at the edge of the map may have room only for a hedge along the border.
        if random.chance(permille) && !inset(within, radius).is_empty() {
            terrain.clump(random, within, radius, kind);
        }
    }
}

/// Squares of `side` cells that fill `area`, row by row; smaller at its eastern and southern edges.
fn tiles(area: Rect, side: u32) -> impl Iterator<Item = Rect> {
    let starts = move |length: u32| (0..length).step_by(side as usize).map(|start| start as i32);
    starts(area.height)
        .flat_map(move |y| starts(area.width).map(move |x| Rect::new(x, y, side, side).intersection(area)))
}
