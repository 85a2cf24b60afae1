//! A bit per cell, 64 cells per word.

use crate::cell::{CellXY, GridSize, Rect};
use std::ops::Range;

/// Cells per word.
const WORD_BITS: u32 = u64::BITS;

/// A bit for each cell of a map.
///
/// Bits are stored in one flat, row-major array of `u64` words, `[height * words_per_row]` with `words_per_row
/// = ceil(width / 64)`. Column `x` is bit `x % 64` of word `x / 64` of its row. Each row starts on a new word,
/// so that rows can be combined word by word. A map narrower than 64 cells therefore still takes 8 bytes per
/// row. Bits beyond the width in the last word of a row are always zero.
/// ```
/// use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
/// let mut held = BitGrid::new(GridSize::new(100, 20)?);
/// held.fill(Rect::new(60, 3, 10, 2), true);
/// held.set(CellXY::new(61, 3), false);
/// assert_eq!(held.count_ones(), 19);
/// assert!(held.get(CellXY::new(60, 3)) && !held.get(CellXY::new(-1, 3)));
/// assert!(!held.any_in(Rect::new(0, 0, 60, 20)));
/// # Ok::<(), wheelbase_grid::SizeError>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "BitGridParts"))]
pub struct BitGrid {
    size: GridSize,
    #[cfg_attr(feature = "serde", serde(skip_serializing))]
    words_per_row: u32,
    words: Vec<u64>,
}

impl Clone for BitGrid {
    fn clone(&self) -> Self {
        Self { size: self.size, words_per_row: self.words_per_row, words: self.words.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.copy_from(source);
    }
}

/// A bit grid as it is read, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct BitGridParts {
    size: GridSize,
    words: Vec<u64>,
}

#[cfg(feature = "serde")]
impl TryFrom<BitGridParts> for BitGrid {
    type Error = String;

    fn try_from(BitGridParts { size, words }: BitGridParts) -> Result<Self, String> {
        let words_per_row = size.width().div_ceil(WORD_BITS);
        let expected = words_per_row as usize * size.height() as usize;
        if words.len() != expected {
            return Err(format!("{} words for a bit grid of {size} cells, expected {expected}", words.len()));
        }
        // Rows are combined word by word, so stray bits would be counted and spread.
        let beyond = (!0_u64).checked_shl((size.width() - 1) % WORD_BITS + 1).unwrap_or(0);
        match words.chunks(words_per_row as usize).position(|row| row[row.len() - 1] & beyond != 0) {
            Some(row) => Err(format!("row {row} of a bit grid has bits beyond its {} columns", size.width())),
            None => Ok(Self { size, words_per_row, words }),
        }
    }
}

impl BitGrid {
    /// A grid of the given size with every bit clear.
    pub fn new(size: GridSize) -> Self {
        let words_per_row = size.width().div_ceil(WORD_BITS);
        let words = vec![0; words_per_row as usize * size.height() as usize];
        Self { size, words_per_row, words }
    }

    /// Width and height in cells.
    pub fn size(&self) -> GridSize {
        self.size
    }

    /// The bit of a cell; false off the map.
    pub fn get(&self, xy: CellXY) -> bool {
        self.size.contains(xy) && self.words[self.word_idx(xy)] & bit_mask(xy) != 0
    }

    /// Sets or clears the bit of a cell.
    /// # Panics
    /// If the cell is off the map.
    pub fn set(&mut self, xy: CellXY, value: bool) {
        assert!(self.size.contains(xy), "set: cell {xy} is off the map of {}", self.size);
        let word_idx = self.word_idx(xy);
        put(&mut self.words[word_idx], bit_mask(xy), value);
    }

    /// Sets or clears every bit of `area` that lies on the map. Linear in the words it touches.
    pub fn fill(&mut self, area: Rect, value: bool) {
        let area = area.intersection(self.size.rect());
        if area.is_empty() {
            return;
        }
        let span = WordSpan::new(area);
        for y in rows_of(area) {
            let start = y * self.words_per_row as usize;
            let row = &mut self.words[start..start + self.words_per_row as usize];
            fill_words(&mut row[span.words.clone()], span.first_mask, span.last_mask, value);
        }
    }

    /// Clears every bit.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Makes it a copy of another grid. Does not allocate if both have the same size.
    pub fn copy_from(&mut self, other: &Self) {
        (self.size, self.words_per_row) = (other.size, other.words_per_row);
        self.words.clone_from(&other.words);
    }

    /// Whether any bit of `area` is set; the part off the map is ignored. Linear in the words it touches; stops
    /// at the first row with a set bit.
    pub fn any_in(&self, area: Rect) -> bool {
        let area = area.intersection(self.size.rect());
        if area.is_empty() {
            return false;
        }
        let span = WordSpan::new(area);
        rows_of(area).any(|y| {
            let start = y * self.words_per_row as usize;
            let row = &self.words[start..start + self.words_per_row as usize];
            any_in_words(&row[span.words.clone()], span.first_mask, span.last_mask)
        })
    }

    /// Number of set bits. Linear in the words of the map.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The words of row `y`, `[ceil(width / 64)]`; bits beyond the width are zero.
    /// # Panics
    /// If the row is off the map.
    pub fn row_words(&self, y: u32) -> &[u64] {
        assert!(y < self.size.height(), "row_words: row {y} is off the map of {}", self.size);
        let start = y as usize * self.words_per_row as usize;
        &self.words[start..start + self.words_per_row as usize]
    }

    /// Sets all bits from words as [`row_words`](Self::row_words) gives them, row by row; bits beyond the width are
    /// ignored. Does not allocate. Whether there are as many words as the grid has.
    pub fn set_words(&mut self, words: &[u64]) -> bool {
        if words.len() != self.words.len() {
            return false;
        }
        self.words.copy_from_slice(words);
        let last = self.words_per_row as usize - 1;
        let on_map = !0 >> (self.words_per_row * WORD_BITS - self.size.width());
        self.words.chunks_mut(last + 1).for_each(|row| row[last] &= on_map);
        true
    }

    /// Index of the word that holds a cell of the map.
    fn word_idx(&self, xy: CellXY) -> usize {
        xy.y as usize * self.words_per_row as usize + (xy.x as u32 / WORD_BITS) as usize
    }
}

/// The words of a row that a range of columns touches, with masks for the partial first and last word. If both
/// are the same word, its bits are those in both masks.
struct WordSpan {
    words: Range<usize>,
    first_mask: u64,
    last_mask: u64,
}

impl WordSpan {
    /// The span of a non-empty rectangle on the map.
    fn new(area: Rect) -> Self {
        let first = area.x as u32;
        let last = first + area.width - 1;
        Self {
            words: (first / WORD_BITS) as usize..(last / WORD_BITS) as usize + 1,
            first_mask: u64::MAX << (first % WORD_BITS),
            last_mask: u64::MAX >> (WORD_BITS - 1 - last % WORD_BITS),
        }
    }
}

/// The rows of a rectangle on the map.
fn rows_of(area: Rect) -> Range<usize> {
    area.y as usize..area.y as usize + area.height as usize
}

/// The bit of a cell of the map within its word.
fn bit_mask(xy: CellXY) -> u64 {
    1 << (xy.x as u32 % WORD_BITS)
}

/// Sets or clears the bits of `mask` in one word.
fn put(word: &mut u64, mask: u64, value: bool) {
    *word = if value { *word | mask } else { *word & !mask };
}

/// Sets or clears a span of bits. Only the outer words need masks; the words between lie wholly inside.
fn fill_words(words: &mut [u64], first_mask: u64, last_mask: u64, value: bool) {
    match words {
        [] => {}
        [only] => put(only, first_mask & last_mask, value),
        [first, between @ .., last] => {
            put(first, first_mask, value);
            between.fill(if value { u64::MAX } else { 0 });
            put(last, last_mask, value);
        }
    }
}

/// Whether any bit of a span is set.
fn any_in_words(words: &[u64], first_mask: u64, last_mask: u64) -> bool {
    match words {
        [] => false,
        [only] => only & first_mask & last_mask != 0,
        [first, between @ .., last] => {
            first & first_mask != 0 || last & last_mask != 0 || between.iter().any(|&word| word != 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clear_grid(width: u64, height: u64) -> BitGrid {
        BitGrid::new(GridSize::new(width, height).unwrap())
    }

    #[test]
    fn words_are_taken_as_they_are_given_but_for_bits_beyond_the_width() {
        for width in [1, 63, 64, 65, 130] {
            let (mut from, mut to) = (clear_grid(width, 2), clear_grid(width, 2));
            from.fill(Rect::new(0, 1, width as u32, 1), true);
            let words: Vec<u64> = (0..2).flat_map(|y| from.row_words(y)).copied().collect();
            assert!(to.set_words(&words));
            assert_eq!(to, from);
            assert!(to.set_words(&vec![!0; words.len()]));
            assert_eq!(to.count_ones(), 2 * width as usize);
            assert!(!to.set_words(&words[1..]));
        }
    }

    /// Reference implementation: one `bool` per cell.
    struct BoolGrid {
        size: GridSize,
        bits: Vec<bool>,
    }

    impl BoolGrid {
        fn on_map(&self, area: Rect) -> impl Iterator<Item = usize> + use<> {
            let size = self.size;
            area.cells().filter_map(move |xy| size.cell(xy)).map(|cell| cell.0 as usize)
        }

        fn fill(&mut self, area: Rect, value: bool) {
            self.on_map(area).for_each(|at| self.bits[at] = value);
        }

        fn any_in(&self, area: Rect) -> bool {
            self.on_map(area).any(|at| self.bits[at])
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Set(i32, i32, bool),
        Fill(Rect, bool),
        Clear,
    }

    fn rect() -> impl Strategy<Value = Rect> {
        (-80..220, -3..8, 0u32..300, 0u32..8).prop_map(|(x, y, w, h)| Rect::new(x, y, w, h))
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => (0..200, 0..6, any::<bool>()).prop_map(|(x, y, value)| Step::Set(x, y, value)),
            8 => (rect(), any::<bool>()).prop_map(|(area, value)| Step::Fill(area, value)),
            1 => Just(Step::Clear),
        ]
    }

    #[test]
    fn every_span_of_columns_fills_and_is_found() {
        let width = 131;
        for start in 0..width {
            for end in start..=width {
                let area = Rect::new(start, 1, (end - start) as u32, 1);
                let mut grid = clear_grid(width as u64, 3);
                grid.fill(area, true);
                assert_eq!(grid.count_ones(), (end - start) as usize);
                assert_eq!(grid.any_in(area), start < end);
                assert!(!grid.any_in(Rect::new(0, 1, start as u32, 1)));
                assert!(!grid.any_in(Rect::new(end, 1, (width - end) as u32, 1)));
                assert!((0..width).all(|x| grid.get(CellXY::new(x, 1)) == (start..end).contains(&x)));
                grid.fill(area, false);
                assert_eq!(grid, clear_grid(width as u64, 3));
            }
        }
    }

    #[test]
    fn bits_past_the_width_stay_zero() {
        for width in [1, 63, 64, 65, 128, 130] {
            let mut grid = clear_grid(width, 2);
            grid.fill(Rect::new(i32::MIN, i32::MIN, u32::MAX, u32::MAX), true);
            assert_eq!(grid.count_ones(), 2 * width as usize);
            assert_eq!(grid.row_words(1).len(), width.div_ceil(64) as usize);
            let last = grid.row_words(1).last().unwrap();
            assert_eq!(u64::from(last.count_ones()), (width - 1) % 64 + 1);
        }
    }

    #[test]
    fn off_the_map_reads_false_and_fills_nothing() {
        let mut grid = clear_grid(70, 4);
        for area in [
            Rect::new(70, 0, 5, 5),
            Rect::new(-5, 0, 5, 5),
            Rect::new(0, 4, 5, 5),
            Rect::new(0, -5, 5, 5),
            Rect::new(i32::MAX, i32::MAX, u32::MAX, u32::MAX),
            Rect::new(3, 3, 0, 9),
        ] {
            grid.fill(area, true);
            assert_eq!(grid.count_ones(), 0);
        }
        grid.fill(grid.size().rect(), true);
        assert!(!grid.any_in(Rect::new(70, 0, 5, 5)));
        assert!(!grid.get(CellXY::new(70, 0)) && !grid.get(CellXY::new(0, -1)));
    }

    #[test]
    #[should_panic(expected = "cell (70, 0) is off the map of 70 x 4")]
    fn set_off_the_map_panics() {
        clear_grid(70, 4).set(CellXY::new(70, 0), true);
    }

    #[test]
    #[should_panic(expected = "row 4 is off the map of 70 x 4")]
    fn row_off_the_map_panics() {
        clear_grid(70, 4).row_words(4);
    }

    proptest! {
        #[test]
        fn agrees_with_one_bool_per_cell(
            width in 1u64..200,
            height in 1u64..6,
            steps in proptest::collection::vec(step(), 0..40),
            probes in proptest::collection::vec(rect(), 1..10),
        ) {
            let size = GridSize::new(width, height).unwrap();
            let mut fast = BitGrid::new(size);
            let mut slow = BoolGrid { size, bits: vec![false; size.n_cells()] };
            for step in steps {
                match step {
                    Step::Set(x, y, value) => {
                        let xy = CellXY::new(x % width as i32, y % height as i32);
                        fast.set(xy, value);
                        slow.bits[size.cell(xy).unwrap().0 as usize] = value;
                    }
                    Step::Fill(area, value) => {
                        fast.fill(area, value);
                        slow.fill(area, value);
                    }
                    Step::Clear => {
                        fast.clear();
                        slow.bits.fill(false);
                    }
                }
            }
            let bits: Vec<bool> = size.rect().cells().map(|xy| fast.get(xy)).collect();
            prop_assert_eq!(&bits, &slow.bits);
            prop_assert_eq!(fast.count_ones(), bits.iter().filter(|&&bit| bit).count());
            for area in probes {
                prop_assert_eq!(fast.any_in(area), slow.any_in(area));
            }
        }
    }
}
