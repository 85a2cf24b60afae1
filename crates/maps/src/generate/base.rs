//! Military bases: compounds of buildings, walled compounds with gates, open yards, and roads between them.

use super::span::Span;
use super::terrain_builder::{GROUND, OUT, TREES, TerrainBuilder, inset};
use wheelbase_grid::{Rect, SplitMix64};

/// Cells of ground around the whole map, which connect the gaps between buildings that end at the border.
const RIM: i32 = 3;
/// Cells of ground along the inside of the walls of a compound, for the same reason.
const RING: i32 = 3;
/// Greatest length of a compound.
const COMPOUND_MAX: i32 = 44;
/// Least length of a compound.
const COMPOUND_MIN: i32 = 16;
/// Least length of a walled compound.
const WALLED_MIN: i32 = 20;
/// Least length of a building.
const BUILDING_MIN: i32 = 4;
/// Greatest length of a building.
const BUILDING_MAX: i32 = 14;

pub(super) fn draw(terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
    let whole = inset(terrain.rect(), RIM);
    let mut n_walled = 0;
    for compound in divide(random, whole, divide_compound) {
        let fits_walls = compound.width.min(compound.height) as i32 >= WALLED_MIN;
        // The first compound large enough gets walls, so that no base is without.
        if fits_walls && (n_walled == 0 || random.chance(500)) {
            n_walled += 1;
            draw_fort(terrain, random, compound);
        } else if random.chance(250) {
            draw_yard(terrain, random, compound);
        } else {
            draw_buildings(terrain, random, compound, 150);
        }
    }
}

/// How to split an area in two.
struct Split {
    /// Whether the parts lie along x.
    along_x: bool,
    /// The gap between them, from the start of the area.
    gap: Span,
}

/// Splits an area recursively for as long as `choose` wants to. Each gap reaches from one gap or border to another, so
/// that all gaps are connected if the border of the area is.
fn divide(
    random: &mut SplitMix64,
    area: Rect,
    choose: impl Fn(&mut SplitMix64, Rect) -> Option<Split>,
) -> Vec<Rect> {
    let mut whole = Vec::new();
    let mut open = vec![area];
    while let Some(area) = open.pop() {
        if area.is_empty() {
            continue;
        }
        let Some(Split { along_x, gap }) = choose(random, area) else {
            whole.push(area);
            continue;
        };
        let (columns, rows) = (Span::new(area.x, area.width as i32), Span::new(area.y, area.height as i32));
        let halves = |span: Span| {
            let after = span.start + gap.end();
            [Span::new(span.start, gap.start), Span::new(after, span.end() - after)]
        };
        if along_x {
            open.extend(halves(columns).map(|half| half.rect(rows)));
        } else {
            open.extend(halves(rows).map(|half| columns.rect(half)));
        }
    }
    whole
}

/// A road across an area that is too long for one compound.
fn divide_compound(random: &mut SplitMix64, area: Rect) -> Option<Split> {
    let along_x = area.width > area.height;
    let length = area.width.max(area.height) as i32;
    let road = random.between(4, 8);
    let slack = length - road - 2 * COMPOUND_MIN;
    // Some small compounds are split too, to vary their sizes.
    let too_long = length > COMPOUND_MAX || random.chance(300);
    (too_long && slack >= 0).then(|| {
        // Near the middle: not in the first or last quarter of the slack.
        let start = COMPOUND_MIN + random.between(slack / 4, slack * 3 / 4);
        Split { along_x, gap: Span::new(start, road) }
    })
}

/// A gap across an area that is too long for one building.
fn divide_building(random: &mut SplitMix64, area: Rect) -> Option<Split> {
    let along_x = area.width > area.height;
    let length = area.width.max(area.height) as i32;
    let length_max = random.between(BUILDING_MIN + 4, BUILDING_MAX);
    if length <= length_max {
        return None;
    }
    // Rarely 2 cells, too narrow for most vehicles: a trap for planners that model a body by its short side.
    let gap = if random.chance(150) { 2 } else { random.between(3, 8).min(random.between(3, 8)) };
    let slack = length - gap - 2 * BUILDING_MIN;
    (slack >= 0).then(|| Split { along_x, gap: Span::new(BUILDING_MIN + random.between(0, slack), gap) })
}

/// A walled compound.
fn draw_fort(terrain: &mut TerrainBuilder, random: &mut SplitMix64, area: Rect) {
    let thickness = random.between(1, 2);
    draw_wall(terrain, random, area, thickness);
    draw_buildings(terrain, random, inset(area, thickness + RING), 250);
}

/// Walls along the border of `area`, at least two of them with a gate.
fn draw_wall(terrain: &mut TerrainBuilder, random: &mut SplitMix64, area: Rect, thickness: i32) {
    terrain.fill(area, OUT);
    terrain.fill(inset(area, thickness), GROUND);
    let mut sides = [0, 1, 2, 3];
    random.shuffle(&mut sides);
    let corner = thickness + RING;
    let columns = Span::new(area.x + corner, area.width as i32 - 2 * corner);
    let rows = Span::new(area.y + corner, area.height as i32 - 2 * corner);
    let (right, below) = (area.x + area.width as i32 - thickness, area.y + area.height as i32 - thickness);
    for side in &sides[..random.between(2, 4) as usize] {
        let width = random.between(4, 7);
        let gate = match side {
            0 => Span::new(area.x, thickness).rect(rows.part(random, width)),
            1 => Span::new(right, thickness).rect(rows.part(random, width)),
            2 => columns.part(random, width).rect(Span::new(area.y, thickness)),
            _ => columns.part(random, width).rect(Span::new(below, thickness)),
        };
        terrain.fill(gate, GROUND);
    }
}

/// Buildings with gaps between them. `empty_permille` lots of a thousand stay empty.
fn draw_buildings(terrain: &mut TerrainBuilder, random: &mut SplitMix64, area: Rect, empty_permille: u32) {
    for lot in divide(random, area, divide_building) {
        let (width, height) = (lot.width as i32, lot.height as i32);
        let fits = width.min(height) >= BUILDING_MIN && width.max(height) <= BUILDING_MAX;
        if !fits || random.chance(empty_permille) {
            continue;
        }
        terrain.fill(lot, OUT);
        if width.min(height) >= 8 && random.chance(350) {
            cut_corner(terrain, random, lot);
        }
    }
}

/// Makes a building L-shaped.
fn cut_corner(terrain: &mut TerrainBuilder, random: &mut SplitMix64, building: Rect) {
    let (width, height) = (building.width / 2, building.height / 2);
    let x = if random.chance(500) { building.x } else { building.x + (building.width - width) as i32 };
    let y = if random.chance(500) { building.y } else { building.y + (building.height - height) as i32 };
    terrain.fill(Rect::new(x, y, width, height), GROUND);
}

/// An open yard with separate stores and clumps of trees.
fn draw_yard(terrain: &mut TerrainBuilder, random: &mut SplitMix64, area: Rect) {
    let (width, height) = (area.width as i32 / 2, area.height as i32 / 2);
    for quarter in 0..4 {
        let (x, y) = (area.x + quarter % 2 * width, area.y + quarter / 2 * height);
        let corner = inset(Rect::new(x, y, width as u32, height as u32), 2);
        if corner.width < 4 || corner.height < 4 {
            continue;
        }
        match random.below(4) {
            0 => {
                let columns = Span::new(corner.x, corner.width as i32);
                let rows = Span::new(corner.y, corner.height as i32);
                let (long, high) = (random.between(4, 7), random.between(4, 7));
                terrain.fill(columns.part(random, long).rect(rows.part(random, high)), OUT);
            }
            1 => terrain.clump(random, corner, 2, TREES),
            _ => {}
        }
    }
}
