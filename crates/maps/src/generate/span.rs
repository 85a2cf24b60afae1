//! Spans of cells along one axis of a map.

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

    /// The first cell after it.
    pub(super) fn end(self) -> i32 {
        self.start + self.length
    }

    /// A random part of at most `length` cells.
    pub(super) fn part(self, random: &mut SplitMix64, length: i32) -> Self {
        let length = length.min(self.length);
        Self::new(self.start + random.between(0, self.length - length), length)
    }

    /// The cells with a column in `self` and a row in `rows`.
    pub(super) fn rect(self, rows: Self) -> Rect {
        Rect::new(self.start, rows.start, self.length.max(0) as u32, rows.length.max(0) as u32)
    }
}

/// Lengths of the spans of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpanLengths {
    pub(super) min: i32,
    /// Most are near it.
    pub(super) usual: i32,
    pub(super) max: i32,
}

/// Splits an axis of `length` cells into spans with `gap` cells between them. If the lengths cannot be kept, the
/// spans are fewer and longer, or a single shorter span.
pub(super) fn split_axis(
    random: &mut SplitMix64,
    length: i32,
    gap: i32,
    SpanLengths { min, usual, max }: SpanLengths,
) -> Vec<Span> {
    let n_most = (length + gap) / (min + gap);
    let n_least = (length + gap + max + gap - 1) / (max + gap);
    let n_usual = (length + gap + (usual + gap) / 2) / (usual + gap);
    let n_spans = n_usual.max(n_least).min(n_most).max(1);

    let mut left = length;
    let mut lengths: Vec<i32> = (1..=n_spans)
        .rev()
        .map(|n_left| {
            let (n_after, left_now) = (n_left - 1, left);
            // The spans after this one must be able to hold the rest.
            let least = min.max(left_now - n_after * (max + gap));
            let most = max.min(left_now - n_after * (min + gap)).max(least);
            let taken = if n_after == 0 { left_now } else { random.between(least, most) };
            left -= taken + gap;
            taken
        })
        .collect();
    // The last spans compensate for the first: shuffling spreads them over the axis.
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
    fn spans_fill_the_axis_within_their_lengths() {
        for (gap, [min, usual, max]) in [(1, [12, 16, 20]), (1, [3, 4, 4]), (0, [1, 2, 3])] {
            for length in 1..400 {
                let mut random = SplitMix64::new(length as u64);
                let spans = split_axis(&mut random, length, gap, SpanLengths { min, usual, max });
                assert_eq!((spans[0].start, spans[spans.len() - 1].end()), (0, length));
                assert!(spans.windows(2).all(|pair| pair[0].end() + gap == pair[1].start));
                assert!(spans.len() == 1 || spans.iter().all(|span| span.length >= min));
                assert!(length < 40 || spans.iter().all(|span| span.length <= max), "{spans:?}");
            }
        }
    }
}
