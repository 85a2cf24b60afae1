//! Stretches of cells along one axis of a map.

use wheelbase_grid::{Rect, SplitMix64};

/// The cells from `start` to `start + length - 1` of one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: i32,
    pub(super) length: i32,
}

impl Span {
    pub(super) fn new(start: i32, length: i32) -> Self {
        Self { start, length }
    }

    /// The first cell past it.
    pub(super) fn end(self) -> i32 {
        self.start + self.length
    }

    /// A part of at most `length` cells, somewhere at random.
    pub(super) fn part(self, random: &mut SplitMix64, length: i32) -> Self {
        let length = length.min(self.length);
        Self::new(self.start + random.between(0, self.length - length), length)
    }

    /// The cells whose column lies in `self` and whose row lies in `rows`.
    pub(super) fn rect(self, rows: Self) -> Rect {
        Rect::new(self.start, rows.start, self.length.max(0) as u32, rows.length.max(0) as u32)
    }
}

/// Cuts an axis of `length` cells into spans of `low` to `high` cells, most of them near `usual`, with
/// `gap` cells between each two. An axis that cannot be cut so gives fewer, longer spans, or a single
/// one that is shorter.
pub(super) fn cut(
    random: &mut SplitMix64,
    length: i32,
    gap: i32,
    (low, usual, high): (i32, i32, i32),
) -> Vec<Span> {
    let n_most = (length + gap) / (low + gap);
    let n_least = (length + gap + high + gap - 1) / (high + gap);
    let n_usual = (length + gap + (usual + gap) / 2) / (usual + gap);
    let n_spans = n_usual.max(n_least).min(n_most).max(1);

    let mut left = length;
    let mut lengths: Vec<i32> = (1..=n_spans)
        .rev()
        .map(|n_left| {
            let (n_after, left_now) = (n_left - 1, left);
            // What the spans after this one can hold at least and at most bounds it, too.
            let least = low.max(left_now - n_after * (high + gap));
            let most = high.min(left_now - n_after * (low + gap)).max(least);
            let taken = if n_after == 0 { left_now } else { random.between(least, most) };
            left -= taken + gap;
            taken
        })
        .collect();
    // The last spans have to make up for the first ones: shuffled, they do not all stand at one end.
    random.shuffle(&mut lengths);
    let mut start = 0;
    lengths
        .into_iter()
        .map(|length| {
            let span = Span::new(start, length);
            start = span.end() + gap;
            span
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_fill_the_axis_and_keep_to_their_lengths() {
        for (gap, lengths) in [(1, (12, 16, 20)), (1, (3, 4, 4)), (0, (1, 2, 3))] {
            for length in 1..400 {
                let mut random = SplitMix64::new(length as u64);
                let spans = cut(&mut random, length, gap, lengths);
                assert_eq!((spans[0].start, spans[spans.len() - 1].end()), (0, length));
                assert!(spans.windows(2).all(|pair| pair[0].end() + gap == pair[1].start));
                assert!(spans.len() == 1 || spans.iter().all(|span| span.length >= lengths.0));
                assert!(length < 40 || spans.iter().all(|span| span.length <= lengths.2), "{spans:?}");
            }
        }
    }
}
