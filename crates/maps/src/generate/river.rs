//! Open land with a winding river, fords and bridges.

use super::canvas::{Canvas, GROUND, SWAMP, TREES, WATER};
use super::scatter;
use wheelbase_grid::{SplitMix64, TerrainKind};

/// Cells of ground kept free of trees on either side of the river, at right angles to it. A 3x3 body can
/// always go along the bank, even of a slanting river, so that no crossing is closed off by a wood.
const BANK: i64 = 5;
/// Least distance across from the river's middle to the border of a map that has room for it.
const MARGIN: i32 = 14;

pub(super) fn draw(canvas: &mut Canvas, random: &mut SplitMix64) {
    scatter::clumps(canvas, random, 600, (2, 3), TREES);
    let course = Course::new(canvas, random);
    let crossings = course.crossings(random);
    course.draw_water(canvas, random);
    for crossing in crossings {
        course.draw_crossing(canvas, random, crossing);
    }
}

/// A bend of the river: how far along the map, where its middle is across it, and how wide it is.
#[derive(Clone, Copy)]
struct Bend {
    along: i32,
    across: i32,
    width: i32,
}

/// A way over the river at right angles to its course.
struct Crossing {
    /// Its first cell along the map, and how many it is wide.
    along: i32,
    width: i32,
    /// Swamp for a ford, ground for a bridge.
    kind: TerrainKind,
}

/// What the river takes of a line across the map.
struct Line {
    /// The first cell of water and the first past it.
    water: (i32, i32),
    /// Cells of bank on either side.
    bank: i32,
}

/// The river's course, in cells along the axis of the map in which it flows and across it. There is
/// one middle to each place along, so that a straight line across the map meets the river once.
struct Course {
    /// Whether it flows along x.
    along_x: bool,
    length: i32,
    breadth: i32,
    /// In order along the map; the first lies at or before its border, the last past the other.
    bends: Vec<Bend>,
}

impl Course {
    fn new(canvas: &Canvas, random: &mut SplitMix64) -> Self {
        let (width, height) = canvas.lengths();
        // On a narrow map the river flows the short way, or one bank would have no room.
        let along_x = if width.min(height) < 2 * MARGIN { width < height } else { random.chance(500) };
        let (length, breadth) = if along_x { (width, height) } else { (height, width) };
        let margin = MARGIN.max(breadth / 6).min((breadth - 1) / 2);
        let widest = 8.min(breadth / 4);
        let mut bends = Vec::new();
        let mut along = -random.between(0, 16);
        let mut across = random.between(margin.max(breadth / 3), (breadth - 1 - margin).min(breadth * 2 / 3));
        let mut sign = if random.chance(500) { 1 } else { -1 };
        loop {
            bends.push(Bend { along, across, width: random.between(widest.min(4), widest) });
            if along >= length {
                return Self { along_x, length, breadth, bends };
            }
            let step = random.between(14, 26);
            along += step;
            // The steepest piece between two bends is one and a half times as steep as the mean.
            let swing = random.between(step / 3, step * 7 / 8);
            // Mostly to and fro, for a river that only drifts does not wind.
            sign = if random.chance(850) { -sign } else { sign };
            let (low, high) = (margin, breadth - 1 - margin);
            if across + sign * swing < low || across + sign * swing > high {
                sign = if across - low > high - across { -1 } else { 1 };
            }
            across = (across + sign * swing).clamp(low, high);
        }
    }

    /// The line across the map at one place along it.
    fn line(&self, along: i32) -> Line {
        let after = self.bends.partition_point(|bend| bend.along <= along).clamp(1, self.bends.len() - 1);
        let (a, b) = (self.bends[after - 1], self.bends[after]);
        let (done, step) = (i64::from(along - a.along), i64::from(b.along - a.along));
        let rise = i64::from(b.across - a.across);
        // The middle follows 3u^2 - 2u^3, which lies flat at both bends.
        let middle = i64::from(a.across) + rise * done * done * (3 * step - 2 * done) / step.pow(3);
        let width = i64::from(a.width) + i64::from(b.width - a.width) * done / step;
        // A slanting river is as wide as a flat one only if its extent across grows with its slope.
        let slope_256 = 256 * rise * 6 * done * (step - done) / step.pow(3);
        let stretch_256 = (65_536 + slope_256 * slope_256).isqrt();
        let extent = width * stretch_256 / 256;
        let start = (middle - extent / 2) as i32;
        Line { water: (start, start + extent as i32), bank: (BANK * stretch_256 / 256) as i32 }
    }

    fn draw_water(&self, canvas: &mut Canvas, random: &mut SplitMix64) {
        for along in 0..self.length {
            let Line { water: (start, end), bank } = self.line(along);
            self.fill_across(canvas, along, (start - bank, end + bank), |_| Some(GROUND));
            let ragged = i32::from(end - start > 4 && random.chance(200));
            self.fill_across(canvas, along, (start + ragged, end), |_| Some(WATER));
        }
    }

    /// Gives each cell from `start` to before `end` of the line across the map the kind that `change`
    /// makes of the one it has.
    fn fill_across(
        &self,
        canvas: &mut Canvas,
        along: i32,
        (start, end): (i32, i32),
        mut change: impl FnMut(TerrainKind) -> Option<TerrainKind>,
    ) {
        for across in start.max(0)..end.min(self.breadth) {
            let (x, y) = if self.along_x { (along, across) } else { (across, along) };
            if let Some(kind) = canvas.at(x, y).and_then(&mut change) {
                canvas.put(x, y, kind);
            }
        }
    }

    /// Where the river is crossed: at some of its bends, for there it flows straight along the map.
    /// Fords and bridges take turns; there is one crossing at least.
    fn crossings(&self, random: &mut SplitMix64) -> Vec<Crossing> {
        let mut places: Vec<i32> = self.bends.iter().map(|bend| bend.along).collect();
        places.retain(|&along| along >= 6 && along < self.length - 6);
        // Two at least, where there are so many, then two bends in five. More would make the river no
        // obstacle.
        random.shuffle(&mut places);
        places.truncate((places.len() * 2 / 5).max(2));
        places.sort_unstable();
        let mut is_ford = random.chance(600);
        if places.is_empty() {
            places.push(self.length / 2);
            // On a short map a bridge might leave no water at all.
            is_ford = true;
        }
        let mut crossings = Vec::with_capacity(places.len());
        for middle in places {
            let width = if is_ford { random.between(4, 8) } else { random.between(4, 6) };
            let kind = if is_ford { SWAMP } else { GROUND };
            crossings.push(Crossing { along: middle - width / 2, width, kind });
            is_ford = !is_ford;
        }
        crossings
    }

    fn draw_crossing(&self, canvas: &mut Canvas, random: &mut SplitMix64, crossing: Crossing) {
        let over_water = |kind: TerrainKind| move |old| (old == WATER).then_some(kind);
        for along in crossing.along.max(0)..(crossing.along + crossing.width).min(self.length) {
            self.fill_across(canvas, along, (0, self.breadth), over_water(crossing.kind));
        }
        // A ford has no straight edges.
        if crossing.kind == SWAMP {
            for along in [crossing.along - 1, crossing.along + crossing.width] {
                if (0..self.length).contains(&along) {
                    let ragged = |old| (old == WATER && random.chance(400)).then_some(SWAMP);
                    self.fill_across(canvas, along, (0, self.breadth), ragged);
                }
            }
        }
    }
}
