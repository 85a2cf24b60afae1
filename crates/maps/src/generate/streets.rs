//! A grid of streets between blocks of buildings.

use super::span::Span;
use super::terrain_builder::{GROUND, OUT, TREES, TerrainBuilder, inset};
use super::union_find::UnionFind;
use wheelbase_grid::{Rect, SplitMix64};

const STREET_WIDTH_MIN: i32 = 4;
const STREET_WIDTH_MAX: i32 = 7;
/// Widths of an alley into a block.
const ALLEY_WIDTH_MIN: i32 = 3;
const ALLEY_WIDTH_MAX: i32 = 4;
const BLOCK_LENGTH_MIN: i32 = 10;
const BLOCK_LENGTH_MAX: i32 = 24;

/// A segment of a street between two crossings.
struct StreetSegment {
    /// Numbers of the crossings.
    crossings: [u32; 2],
    /// Whether it runs along x.
    along_x: bool,
    /// Its cells from crossing to crossing.
    along: Span,
    /// Its cells from kerb to kerb.
    across: Span,
}

pub(super) fn draw(terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
    let (width, height) = terrain.lengths();
    let columns = streets(random, width);
    let rows = streets(random, height);
    terrain.fill(terrain.rect(), OUT);
    for column in &columns {
        terrain.fill(column.rect(Span::new(0, height)), GROUND);
    }
    for row in &rows {
        terrain.fill(Span::new(0, width).rect(*row), GROUND);
    }
    close_streets(terrain, random, &columns, &rows);
    for row in blocks(&rows, height) {
        for column in blocks(&columns, width) {
            draw_block(terrain, random, column.rect(row));
        }
    }
}

/// The streets across an axis of `length` cells, in order. The map is a section of a larger town: it begins and ends
/// within a block.
fn streets(random: &mut SplitMix64, length: i32) -> Vec<Span> {
    // No room for a street and a block.
    if length < STREET_WIDTH_MIN + BLOCK_LENGTH_MIN {
        return vec![Span::new(0, length)];
    }
    let mut streets = Vec::new();
    let mut start = random.between(3, BLOCK_LENGTH_MIN);
    loop {
        let street = Span::new(start, random.between(STREET_WIDTH_MIN, STREET_WIDTH_MAX));
        if street.end() > length {
            break;
        }
        streets.push(street);
        // Two numbers, so that short and long blocks are rarer than medium ones.
        let mut half = || random.between(BLOCK_LENGTH_MIN / 2, BLOCK_LENGTH_MAX / 2);
        start = street.end() + half() + half();
    }
    if streets.is_empty() {
        streets.push(Span::new((length - STREET_WIDTH_MIN) / 2, STREET_WIDTH_MIN));
    }
    streets
}

/// The blocks before, between and after the streets of an axis.
fn blocks(streets: &[Span], length: i32) -> Vec<Span> {
    let starts = std::iter::once(0).chain(streets.iter().map(|street| street.end()));
    let ends = streets.iter().map(|street| street.start).chain(std::iter::once(length));
    starts.zip(ends).map(|(start, end)| Span::new(start, end - start)).collect()
}

/// Builds over some street segments, in whole or in part, which leaves dead ends. A random spanning tree of segments
/// stays, so that every crossing is reachable.
fn close_streets(terrain: &mut TerrainBuilder, random: &mut SplitMix64, columns: &[Span], rows: &[Span]) {
    let mut segments = segments_of(columns, rows);
    random.shuffle(&mut segments);
    let mut reached = UnionFind::new(columns.len() * rows.len());
    for StreetSegment { crossings: [a, b], along_x, along, across } in segments {
        if reached.join(a, b) || !random.chance(350) {
            continue;
        }
        let built = match random.below(4) {
            0 => along,
            1 => along.part(random, along.length / 2),
            2 => Span::new(along.start, along.length / 2),
            _ => Span::new(along.start + along.length / 2, along.length - along.length / 2),
        };
        terrain.fill(if along_x { built.rect(across) } else { across.rect(built) }, OUT);
    }
}

/// All street segments. Crossings are numbered row by row.
fn segments_of(columns: &[Span], rows: &[Span]) -> Vec<StreetSegment> {
    let between = |a: &Span, b: &Span| Span::new(a.end(), b.start - a.end());
    let mut segments = Vec::with_capacity(2 * columns.len() * rows.len());
    for (at_row, row) in rows.iter().enumerate() {
        for (at_column, column) in columns.iter().enumerate() {
            let crossing = (at_row * columns.len() + at_column) as u32;
            if let Some(next) = columns.get(at_column + 1) {
                let (crossings, along) = ([crossing, crossing + 1], between(column, next));
                segments.push(StreetSegment { crossings, along_x: true, along, across: *row });
            }
            if let Some(next) = rows.get(at_row + 1) {
                let (crossings, along) = ([crossing, crossing + columns.len() as u32], between(row, next));
                segments.push(StreetSegment { crossings, along_x: false, along, across: *column });
            }
        }
    }
    segments
}

/// Opens some blocks: makes a square of the block, an alley into it, or an alley with a courtyard.
fn draw_block(terrain: &mut TerrainBuilder, random: &mut SplitMix64, block: Rect) {
    if block.width.min(block.height) < BLOCK_LENGTH_MIN as u32 {
        return;
    }
    let Alley { cells: alley, entrance } = alley_into(random, block);
    // Without a street at its entrance the alley would be enclosed.
    if !terrain.is_ground(entrance) {
        return;
    }
    match random.below(100) {
        0..12 => draw_square(terrain, random, block),
        12..35 => terrain.fill(alley, GROUND),
        35..55 => {
            terrain.fill(alley, GROUND);
            terrain.fill(inset(block, 3), GROUND);
        }
        _ => {}
    }
}

/// An alley into a block.
struct Alley {
    /// Its cells in the block.
    cells: Rect,
    /// The cells of the street in front of it.
    entrance: Rect,
}

/// An alley from a random side of a block to its middle.
fn alley_into(random: &mut SplitMix64, block: Rect) -> Alley {
    let columns = Span::new(block.x, block.width as i32);
    let rows = Span::new(block.y, block.height as i32);
    let width = random.between(ALLEY_WIDTH_MIN, ALLEY_WIDTH_MAX);
    let is_vertical = random.chance(500);
    let at_end = random.chance(500);
    let (along, across) = if is_vertical { (rows, columns) } else { (columns, rows) };
    let across = Span::new(across.start + 3, across.length - 6).part(random, width);
    let depth = along.length / 2 + random.between(0, along.length / 4);
    let (alley, entrance) = if at_end {
        (Span::new(along.end() - depth, depth), Span::new(along.end(), 1))
    } else {
        (Span::new(along.start, depth), Span::new(along.start - 1, 1))
    };
    let rect = |along: Span| if is_vertical { across.rect(along) } else { along.rect(across) };
    Alley { cells: rect(alley), entrance: rect(entrance) }
}

/// A square, some with a monument or trees.
fn draw_square(terrain: &mut TerrainBuilder, random: &mut SplitMix64, block: Rect) {
    terrain.fill(block, GROUND);
    match random.below(3) {
        0 => {
            let (x, y) = (block.x + block.width as i32 / 2 - 1, block.y + block.height as i32 / 2 - 1);
            terrain.fill(Rect::new(x, y, 2, 2), OUT);
        }
        1 => terrain.clump(random, inset(block, 4), 2, TREES),
        _ => {}
    }
}
