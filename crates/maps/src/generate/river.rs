//! Open land with a winding river, fords and bridges.

use super::scatter;
use super::terrain_builder::{GROUND, SWAMP, TREES, TerrainBuilder, WATER};
use std::ops::Range;
use wheelbase_grid::{SplitMix64, TerrainKind};

/// Width of the treeless bank on either side of the river, at right angles to it. A 3x3 body can always drive along it,
/// even along a slanting river, so that woods block no crossing.
const BANK: i64 = 5;
/// Least distance from the middle of the river to the border, across the map, if there is room for it.
const MARGIN: i32 = 14;

pub(super) fn draw(terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
    scatter::clumps(terrain, random, 600, 2..=3, TREES);
    let river = River::new(terrain, random);
    let crossings = river.crossings(random);
    river.draw_water(terrain, random);
    for crossing in crossings {
        river.draw_crossing(terrain, random, crossing);
    }
}

/// A point of the curve that the river follows.
#[derive(Clone, Copy)]
struct ControlPoint {
    /// Position along the map.
    along: i32,
    /// Position of the middle of the river across the map.
    across: i32,
    /// Width of the river.
    width: i32,
}

/// A crossing at right angles to the river.
struct Crossing {
    /// Its cells along the map.
    along: Range<i32>,
    /// Swamp for a ford, ground for a bridge.
    kind: TerrainKind,
}

/// A section across the river.
struct CrossSection {
    /// The cells of water across the map.
    water: Range<i32>,
    /// Cells of bank on either side.
    bank: i32,
}

/// The river, in positions along and across the axis of the map in which it flows. It has one middle at each position
/// along: a straight line across the map meets it once.
struct River {
    /// Whether it flows along x.
    along_x: bool,
    length: i32,
    breadth: i32,
    /// In order along the map, from a point at or before its border to a point at or after the opposite one.
    points: Vec<ControlPoint>,
}

impl River {
    fn new(terrain: &TerrainBuilder, random: &mut SplitMix64) -> Self {
        let (width, height) = terrain.lengths();
        // Along the shorter axis of a narrow map, or one bank would have no room.
        let along_x = if width.min(height) < 2 * MARGIN { width < height } else { random.chance(500) };
        let (length, breadth) = if along_x { (width, height) } else { (height, width) };
        let margin = MARGIN.max(breadth / 6).min((breadth - 1) / 2);
        let widest = 8.min(breadth / 4);
        let mut points = Vec::new();
        let mut along = -random.between(0, 16);
        let mut across = random.between(margin.max(breadth / 3), (breadth - 1 - margin).min(breadth * 2 / 3));
        let mut sign = if random.chance(500) { 1 } else { -1 };
        loop {
            points.push(ControlPoint { along, across, width: random.between(widest.min(4), widest) });
            if along >= length {
                return Self { along_x, length, breadth, points };
            }
            let step = random.between(14, 26);
            along += step;
            // The curve between two points is one and a half times as steep as their mean slope.
            let swing = random.between(step / 3, step * 7 / 8);
            // Mostly alternating: a river that drifts to one side does not wind.
            sign = if random.chance(850) { -sign } else { sign };
            let (low, high) = (margin, breadth - 1 - margin);
            if across + sign * swing < low || across + sign * swing > high {
                sign = if across - low > high - across { -1 } else { 1 };
            }
            across = (across + sign * swing).clamp(low, high);
        }
    }

    /// The section across the river at a position along the map.
    fn cross_section(&self, along: i32) -> CrossSection {
        let after = self.points.partition_point(|point| point.along <= along).clamp(1, self.points.len() - 1);
        let (a, b) = (self.points[after - 1], self.points[after]);
        let (done, step) = (i64::from(along - a.along), i64::from(b.along - a.along));
        let rise = i64::from(b.across - a.across);
        // The middle follows 3u^2 - 2u^3, which has slope 0 at both points.
        let middle = i64::from(a.across) + rise * done * done * (3 * step - 2 * done) / step.pow(3);
        let width = i64::from(a.width) + i64::from(b.width - a.width) * done / step;
        // The extent across grows with the slope, so that the river keeps its width where it slants.
        let slope_256 = 256 * rise * 6 * done * (step - done) / step.pow(3);
        let stretch_256 = (65_536 + slope_256 * slope_256).isqrt();
        let extent = width * stretch_256 / 256;
        let start = (middle - extent / 2) as i32;
        CrossSection { water: start..start + extent as i32, bank: (BANK * stretch_256 / 256) as i32 }
    }

    fn draw_water(&self, terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
        for along in 0..self.length {
            let CrossSection { water: Range { start, end }, bank } = self.cross_section(along);
            self.fill_across(terrain, along, start - bank..end + bank, |_| Some(GROUND));
            let ragged = i32::from(end - start > 4 && random.chance(200));
            self.fill_across(terrain, along, start + ragged..end, |_| Some(WATER));
        }
    }

    /// Changes cells across the map: `change` gives the new kind for the old one, if any.
    fn fill_across(
        &self,
        terrain: &mut TerrainBuilder,
        along: i32,
        across: Range<i32>,
        mut change: impl FnMut(TerrainKind) -> Option<TerrainKind>,
    ) {
        for across in across.start.max(0)..across.end.min(self.breadth) {
            let (x, y) = if self.along_x { (along, across) } else { (across, along) };
            if let Some(kind) = terrain.at(x, y).and_then(&mut change) {
                terrain.put(x, y, kind);
            }
        }
    }

    /// The crossings, at least one: at control points, where the river flows straight along the map. Fords and bridges
    /// alternate.
    fn crossings(&self, random: &mut SplitMix64) -> Vec<Crossing> {
        let mut middles: Vec<i32> = self.points.iter().map(|point| point.along).collect();
        middles.retain(|&along| along >= 6 && along < self.length - 6);
        // Two of five points, but at least two. More crossings would make the river no obstacle.
        random.shuffle(&mut middles);
        middles.truncate((middles.len() * 2 / 5).max(2));
        middles.sort_unstable();
        let mut is_ford = random.chance(600);
        if middles.is_empty() {
            middles.push(self.length / 2);
            // A bridge on a short map might leave no water.
            is_ford = true;
        }
        let mut crossings = Vec::with_capacity(middles.len());
        for middle in middles {
            let width = if is_ford { random.between(4, 8) } else { random.between(4, 6) };
            let kind = if is_ford { SWAMP } else { GROUND };
            let start = middle - width / 2;
            crossings.push(Crossing { along: start..start + width, kind });
            is_ford = !is_ford;
        }
        crossings
    }

    fn draw_crossing(&self, terrain: &mut TerrainBuilder, random: &mut SplitMix64, crossing: Crossing) {
        let Crossing { along: Range { start, end }, kind } = crossing;
        for along in start.max(0)..end.min(self.length) {
            self.fill_across(terrain, along, 0..self.breadth, |old| (old == WATER).then_some(kind));
        }
        // A ford has ragged edges.
        if kind == SWAMP {
            for along in [start - 1, end] {
                if (0..self.length).contains(&along) {
                    let ragged = |old| (old == WATER && random.chance(400)).then_some(SWAMP);
                    self.fill_across(terrain, along, 0..self.breadth, ragged);
                }
            }
        }
    }
}
