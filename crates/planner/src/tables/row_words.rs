//! Rows of states: the states of an area of anchors, and interleaving of per-heading words.

use crate::model::movement::MovementClass;
use crate::model::pose::{Frame, Heading, Pose, StateSpace};
use crate::tables::move_words::{MoveWord, SpeedClass};
use crate::tables::plan::CompilePlan;
use std::ops::Range;
use wheelbase_grid::Rect;

/// Inputs shared by everything that compiles rows.
pub(crate) struct RowContext<'a> {
    pub class: &'a MovementClass,
    pub plan: &'a CompilePlan,
    pub space: StateSpace,
}

impl RowContext<'_> {
    /// Frame of the poses of a row at a heading.
    pub(crate) fn frame(&self, y: i32, heading: usize) -> Frame {
        self.space.frame(Pose::new(0, y, Heading(heading as u8)))
    }

    /// Index of the body in that frame.
    pub(crate) fn body(&self, y: i32, heading: usize) -> usize {
        self.plan.body_of[self.frame(y, heading).0 as usize]
    }
}

/// Consecutive anchors of one row of the map, from `(x, y)` on.
#[derive(Clone, Copy)]
pub(crate) struct AnchorRow {
    pub x: i32,
    pub y: i32,
    pub width: usize,
}

/// The states of a rectangle of anchors, row by row.
pub(crate) fn state_rows(space: StateSpace, anchors: Rect) -> impl Iterator<Item = Range<usize>> {
    let headings = space.headings() as usize;
    let row_of = move |y: u32| {
        let first = (anchors.y as usize + y as usize) * space.size().width() as usize + anchors.x as usize;
        first * headings..(first + anchors.width as usize) * headings
    };
    (0..anchors.height).map(row_of)
}

/// Sets the codes of four primitives in a row of words, by the lower of the speed classes at both ends. `NEW`
/// marks the first four primitives. Returns whether any legal pose has no move among those set so far.
pub(crate) fn set_four<W: MoveWord, const NEW: bool>(
    words: &mut [W],
    rest: &[W::SpeedClass],
    ends: [&[W::SpeedClass]; 4],
    first: usize,
) -> bool {
    let n = words.len();
    let mut isolated = W::SpeedClass::default();
    // Slices of one known length, so that the loop is vectorised without bounds checks.
    let (rest, [a, b, c, d]) = (&rest[..n], ends.map(|end| &end[..n]));
    let slots = W::SLOTS.min(4);
    for i in 0..n {
        let speed_class = rest[i];
        let mut word = if NEW { W::default() } else { words[i] };
        word.set(first, a[i].min(speed_class).number() as u32);
        word.set(first + 1, b[i].min(speed_class).number() as u32);
        word.set(first + 2, c[i].min(speed_class).number() as u32);
        if slots == 4 {
            word.set(first + 3, d[i].min(speed_class).number() as u32);
        }
        words[i] = word;
        isolated = isolated.max(if word == W::default() { speed_class } else { W::SpeedClass::default() });
    }
    isolated != W::SpeedClass::default()
}

/// `states[column * headings + heading] = rows[heading * width + column]`, first by pairs, then by pairs of
/// pairs, for which the machine has instructions.
pub(crate) fn interleave<W: Copy + Default>(states: &mut [W], rows: &[W], headings: usize) {
    match headings {
        1 => states.copy_from_slice(rows),
        4 => {
            let width = states.len() / 4;
            let (twos, _) = states.as_chunks_mut::<2>();
            let (fours, _) = twos.as_chunks_mut::<2>();
            let row = |heading: usize| &rows[heading * width..][..width];
            interleave_4(fours, [row(0), row(1), row(2), row(3)]);
        }
        6 => interleave_any::<W, 6>(states, rows),
        _ => interleave_any::<W, 8>(states, rows),
    }
}

fn interleave_any<W: Copy, const HEADINGS: usize>(states: &mut [W], rows: &[W]) {
    let (cells, _) = states.as_chunks_mut::<HEADINGS>();
    let width = cells.len();
    let rows: [&[W]; HEADINGS] = std::array::from_fn(|heading| &rows[heading * width..][..width]);
    for (column, cell) in cells.iter_mut().enumerate() {
        *cell = std::array::from_fn(|heading| rows[heading][column]);
    }
}

fn interleave_4<W: Copy + Default>(fours: &mut [[[W; 2]; 2]], [a, b, c, d]: [&[W]; 4]) {
    const COLUMNS: usize = 128;
    let (mut low, mut high) = ([[W::default(); 2]; COLUMNS], [[W::default(); 2]; COLUMNS]);
    let rows = a.chunks(COLUMNS).zip(b.chunks(COLUMNS)).zip(c.chunks(COLUMNS).zip(d.chunks(COLUMNS)));
    for (fours, ((a, b), (c, d))) in fours.chunks_mut(COLUMNS).zip(rows) {
        let (low, high) = (&mut low[..a.len()], &mut high[..a.len()]);
        interleave_2(low, a, b);
        interleave_2(high, c, d);
        interleave_2(fours, low, high);
    }
}

/// `twos[i] = [a[i], b[i]]`. Vectorised only as a separate function.
#[inline(never)]
fn interleave_2<T: Copy>(twos: &mut [[T; 2]], a: &[T], b: &[T]) {
    let n = twos.len();
    let (a, b) = (&a[..n], &b[..n]);
    for i in 0..n {
        twos[i] = [a[i], b[i]];
    }
}
