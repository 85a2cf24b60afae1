//! A grid of streets between blocks of buildings.

use super::canvas::{Canvas, GROUND, OUT, TREES, inset};
use super::span::Span;
use super::union_find::UnionFind;
use wheelbase_grid::{Rect, SplitMix64};

/// Least and greatest width of a street, and of an alley into a block.
const STREET: (i32, i32) = (4, 7);
const ALLEY: (i32, i32) = (3, 4);
/// Least and greatest length of a block.
const BLOCK: (i32, i32) = (10, 24);

/// A piece of street between two crossings.
struct Piece {
    /// Numbers of the crossings.
    crossings: (u32, u32),
    /// Whether it leads along x.
    along_x: bool,
    /// Its cells from crossing to crossing.
    along: Span,
    /// Its cells from kerb to kerb.
    across: Span,
}

pub(super) fn draw(canvas: &mut Canvas, random: &mut SplitMix64) {
    let (width, height) = canvas.lengths();
    let columns = streets(random, width);
    let rows = streets(random, height);
    canvas.fill(canvas.rect(), OUT);
    for column in &columns {
        canvas.fill(column.rect(Span::new(0, height)), GROUND);
    }
    for row in &rows {
        canvas.fill(Span::new(0, width).rect(*row), GROUND);
    }
    close_streets(canvas, random, &columns, &rows);
    for row in blocks(&rows, height) {
        for column in blocks(&columns, width) {
            draw_block(canvas, random, column.rect(row));
        }
    }
}

/// The streets across an axis of `length` cells, in order. The map is cut out of a larger town: it
/// begins and ends within a block.
fn streets(random: &mut SplitMix64, length: i32) -> Vec<Span> {
    // No room for a block beside a street.
    if length < STREET.0 + BLOCK.0 {
        return vec![Span::new(0, length)];
    }
    let mut streets = Vec::new();
    let mut start = random.between(3, BLOCK.0);
    loop {
        let street = Span::new(start, random.between(STREET.0, STREET.1));
        if street.end() > length {
            break;
        }
        streets.push(street);
        // Short and long blocks are rarer than those between.
        let half = (BLOCK.0 / 2, BLOCK.1 / 2);
        start = street.end() + random.between(half.0, half.1) + random.between(half.0, half.1);
    }
    if streets.is_empty() {
        streets.push(Span::new((length - STREET.0) / 2, STREET.0));
    }
    streets
}

/// What lies before, between and after the streets of an axis.
fn blocks(streets: &[Span], length: i32) -> Vec<Span> {
    let starts = std::iter::once(0).chain(streets.iter().map(|street| street.end()));
    let ends = streets.iter().map(|street| street.start).chain(std::iter::once(length));
    starts.zip(ends).map(|(start, end)| Span::new(start, end - start)).collect()
}

/// Builds over some streets between two crossings, wholly or but for a dead end. A random spanning
/// tree of streets stays, so that every crossing can be reached.
fn close_streets(canvas: &mut Canvas, random: &mut SplitMix64, columns: &[Span], rows: &[Span]) {
    let mut pieces = pieces_of(columns, rows);
    random.shuffle(&mut pieces);
    let mut reached = UnionFind::new(columns.len() * rows.len());
    for Piece { crossings, along_x, along, across } in pieces {
        if reached.join(crossings.0, crossings.1) || !random.chance(350) {
            continue;
        }
        let built = match random.below(4) {
            0 => along,
            1 => along.part(random, along.length / 2),
            2 => Span::new(along.start, along.length / 2),
            _ => Span::new(along.start + along.length / 2, along.length - along.length / 2),
        };
        canvas.fill(if along_x { built.rect(across) } else { across.rect(built) }, OUT);
    }
}

/// All pieces of street between two crossings; the crossings are numbered row by row.
fn pieces_of(columns: &[Span], rows: &[Span]) -> Vec<Piece> {
    let between = |a: &Span, b: &Span| Span::new(a.end(), b.start - a.end());
    let mut pieces = Vec::with_capacity(2 * columns.len() * rows.len());
    for (at_row, row) in rows.iter().enumerate() {
        for (at_column, column) in columns.iter().enumerate() {
            let crossing = (at_row * columns.len() + at_column) as u32;
            if let Some(next) = columns.get(at_column + 1) {
                let crossings = (crossing, crossing + 1);
                pieces.push(Piece { crossings, along_x: true, along: between(column, next), across: *row });
            }
            if let Some(next) = rows.get(at_row + 1) {
                let crossings = (crossing, crossing + columns.len() as u32);
                pieces.push(Piece { crossings, along_x: false, along: between(row, next), across: *column });
            }
        }
    }
    pieces
}

/// Opens some blocks: a square, an alley that ends in the block, or a courtyard at its end.
fn draw_block(canvas: &mut Canvas, random: &mut SplitMix64, block: Rect) {
    if block.width.min(block.height) < BLOCK.0 as u32 {
        return;
    }
    let (alley, mouth) = alley_into(random, block);
    // What opens on no street would be closed off.
    if !canvas.is_ground(mouth) {
        return;
    }
    match random.below(100) {
        0..12 => draw_square(canvas, random, block),
        12..35 => canvas.fill(alley, GROUND),
        35..55 => {
            canvas.fill(alley, GROUND);
            canvas.fill(inset(block, 3), GROUND);
        }
        _ => {}
    }
}

/// An alley from a random side of a block to its middle, and the cells of the street before it.
fn alley_into(random: &mut SplitMix64, block: Rect) -> (Rect, Rect) {
    let columns = Span::new(block.x, block.width as i32);
    let rows = Span::new(block.y, block.height as i32);
    let width = random.between(ALLEY.0, ALLEY.1);
    let upright = random.chance(500);
    let at_end = random.chance(500);
    let (along, across) = if upright { (rows, columns) } else { (columns, rows) };
    let across = Span::new(across.start + 3, across.length - 6).part(random, width);
    let depth = along.length / 2 + random.between(0, along.length / 4);
    let (alley, mouth) = if at_end {
        (Span::new(along.end() - depth, depth), Span::new(along.end(), 1))
    } else {
        (Span::new(along.start, depth), Span::new(along.start - 1, 1))
    };
    let place = |along: Span| if upright { across.rect(along) } else { along.rect(across) };
    (place(alley), place(mouth))
}

/// A square, with a monument or some trees in it.
fn draw_square(canvas: &mut Canvas, random: &mut SplitMix64, block: Rect) {
    canvas.fill(block, GROUND);
    match random.below(3) {
        0 => {
            let (x, y) = (block.x + block.width as i32 / 2 - 1, block.y + block.height as i32 / 2 - 1);
            canvas.fill(Rect::new(x, y, 2, 2), OUT);
        }
        1 => canvas.clump(random, inset(block, 4), 2, TREES),
        _ => {}
    }
}
