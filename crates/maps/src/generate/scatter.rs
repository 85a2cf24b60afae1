//! Maps of scattered obstacles: open land, and single cells at random.

use super::canvas::{Canvas, OUT, SWAMP, TREES, inset};
use wheelbase_grid::{Rect, SplitMix64, TerrainKind};

/// Cells along a side of the tiles that hold at most one clump of trees each.
const TREE_TILE: u32 = 16;
/// Cells along a side of the tiles that hold at most one patch of swamp each.
const SWAMP_TILE: u32 = 20;

pub(super) fn draw_open(canvas: &mut Canvas, random: &mut SplitMix64) {
    clumps(canvas, random, 570, (1, 2), TREES);
}

pub(super) fn draw_random(canvas: &mut Canvas, random: &mut SplitMix64) {
    for tile in tiles(canvas.rect(), SWAMP_TILE) {
        if random.chance(500) {
            canvas.clump(random, tile, 5, SWAMP);
        }
    }
    for kind in canvas.cells_mut() {
        if random.chance(200) {
            *kind = OUT;
        }
    }
}

/// Puts a clump of a radius in that range into so many of a thousand tiles. At least two cells lie
/// between two clumps, and one between a clump and the border, so that they never close off more than
/// a hole of their own.
pub(super) fn clumps(
    canvas: &mut Canvas,
    random: &mut SplitMix64,
    permille: u32,
    (radius_min, radius_max): (i32, i32),
    kind: TerrainKind,
) {
    for tile in tiles(canvas.rect(), TREE_TILE) {
        let within = inset(tile, 1);
        let radius = random.between(radius_min, radius_max);
        // A tile at the end of the map may have no room for more than a hedge along the border.
        if random.chance(permille) && !inset(within, radius).is_empty() {
            canvas.clump(random, within, radius, kind);
        }
    }
}

/// The squares of `side` cells that fill `area`, row by row; those at the east and south end may be
/// smaller.
fn tiles(area: Rect, side: u32) -> impl Iterator<Item = Rect> {
    let starts = move |length: u32| (0..length).step_by(side as usize).map(|start| start as i32);
    starts(area.height)
        .flat_map(move |y| starts(area.width).map(move |x| Rect::new(x, y, side, side).intersection(area)))
}
