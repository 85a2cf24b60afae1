//! Compounds of buildings, walls with gates and open yards, with roads between them.

use super::canvas::{Canvas, GROUND, OUT, TREES, inset};
use super::span::Span;
use wheelbase_grid::{Rect, SplitMix64};

/// Cells of ground round the whole map. Gaps between buildings that end at the border would be closed
/// off without it.
const RIM: i32 = 3;
/// Cells of ground inside the walls of a compound, on all sides, for the same reason.
const RING: i32 = 3;
/// Greatest length of a compound.
const COMPOUND_MAX: i32 = 44;
/// Least length of a compound, and of one that may have walls.
const COMPOUND_MIN: i32 = 16;
const WALLED_MIN: i32 = 20;
/// Least and greatest length of a building.
const BUILDING: (i32, i32) = (4, 14);

pub(super) fn draw(canvas: &mut Canvas, random: &mut SplitMix64) {
    let whole = inset(canvas.rect(), RIM);
    let mut n_walled = 0;
    for compound in divide(random, whole, divide_compound) {
        let room_for_walls = compound.width.min(compound.height) as i32 >= WALLED_MIN;
        // The first one that has room for walls gets them: no base is without.
        if room_for_walls && (n_walled == 0 || random.chance(500)) {
            n_walled += 1;
            draw_fort(canvas, random, compound);
        } else if random.chance(250) {
            draw_yard(canvas, random, compound);
        } else {
            draw_buildings(canvas, random, compound, 150);
        }
    }
}

/// Where an area is cut in two: along x or y, and the gap between the parts as an offset and a length.
struct Cut {
    along_x: bool,
    gap: Span,
}

/// Cuts an area again and again, as `choose` says, until it leaves all parts whole. Each gap reaches
/// from one gap or border to another, so that all gaps are connected if the area's border is.
fn divide(
    random: &mut SplitMix64,
    area: Rect,
    choose: impl Fn(&mut SplitMix64, Rect) -> Option<Cut>,
) -> Vec<Rect> {
    let mut whole = Vec::new();
    let mut open = vec![area];
    while let Some(area) = open.pop() {
        if area.is_empty() {
            continue;
        }
        let Some(Cut { along_x, gap }) = choose(random, area) else {
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
fn divide_compound(random: &mut SplitMix64, area: Rect) -> Option<Cut> {
    let along_x = area.width > area.height;
    let length = area.width.max(area.height) as i32;
    let road = random.between(4, 8);
    let room = length - road - 2 * COMPOUND_MIN;
    // Small compounds, too, are cut now and then, so that not all are of one size.
    let too_long = length > COMPOUND_MAX || random.chance(300);
    (too_long && room >= 0).then(|| {
        // About the middle: a quarter of the room at either end stays unused.
        let start = COMPOUND_MIN + random.between(room / 4, room * 3 / 4);
        Cut { along_x, gap: Span::new(start, road) }
    })
}

/// A gap across an area that is too long for one building.
fn divide_building(random: &mut SplitMix64, area: Rect) -> Option<Cut> {
    let (least, most) = BUILDING;
    let along_x = area.width > area.height;
    let length = area.width.max(area.height) as i32;
    let bearable = random.between(least + 4, most);
    if length <= bearable {
        return None;
    }
    // Two cells are too narrow for most vehicles: rare, as a trap for planners that take a body for
    // its short side.
    let gap = if random.chance(150) { 2 } else { random.between(3, 8).min(random.between(3, 8)) };
    let room = length - gap - 2 * least;
    (room >= 0).then(|| Cut { along_x, gap: Span::new(least + random.between(0, room), gap) })
}

/// A compound behind walls.
fn draw_fort(canvas: &mut Canvas, random: &mut SplitMix64, area: Rect) {
    let thickness = random.between(1, 2);
    draw_wall(canvas, random, area, thickness);
    draw_buildings(canvas, random, inset(area, thickness + RING), 250);
}

/// Walls along the border of `area`, with a gate in at least two of them.
fn draw_wall(canvas: &mut Canvas, random: &mut SplitMix64, area: Rect, thickness: i32) {
    canvas.fill(area, OUT);
    canvas.fill(inset(area, thickness), GROUND);
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
        canvas.fill(gate, GROUND);
    }
}

/// Buildings with gaps between them; so many of a thousand places stay empty.
fn draw_buildings(canvas: &mut Canvas, random: &mut SplitMix64, area: Rect, empty_permille: u32) {
    for place in divide(random, area, divide_building) {
        let (width, height) = (place.width as i32, place.height as i32);
        let (least, most) = BUILDING;
        if width.min(height) < least || width.max(height) > most || random.chance(empty_permille) {
            continue;
        }
        canvas.fill(place, OUT);
        if width.min(height) >= 8 && random.chance(350) {
            cut_corner(canvas, random, place);
        }
    }
}

/// Makes an L of a building.
fn cut_corner(canvas: &mut Canvas, random: &mut SplitMix64, building: Rect) {
    let (width, height) = (building.width / 2, building.height / 2);
    let x = if random.chance(500) { building.x } else { building.x + (building.width - width) as i32 };
    let y = if random.chance(500) { building.y } else { building.y + (building.height - height) as i32 };
    canvas.fill(Rect::new(x, y, width, height), GROUND);
}

/// An open yard: a store or two and some trees, all apart from each other.
fn draw_yard(canvas: &mut Canvas, random: &mut SplitMix64, area: Rect) {
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
                canvas.fill(columns.part(random, long).rect(rows.part(random, high)), OUT);
            }
            1 => canvas.clump(random, corner, 2, TREES),
            _ => {}
        }
    }
}
