//! Component labels for classes with reversible moves, computed for runs of like cells.
//!
//! The moves of a cell connect its poses with each other and with earlier cells. These connections are computed once
//! for all cells with the same moves. Mostly a cell has the same moves as its predecessor. Then the whole run gets one
//! label per part of a cell, and only the states that its moves lead to need to be examined.

use super::disjoint_sets::{DisjointSets, NO_LABEL};
use super::labels::{BLOCK, Labels};
use crate::model::pose::State;
use crate::tables::moves::FRAME_STRIDE;
use crate::tables::pose_graph::PoseGraph;
use crate::tables::{MoveWord, slots_of};

/// Maximum number of headings of a class.
const HEADINGS_MAX: usize = 8;
/// Number of cached patterns.
const PATTERNS_KEPT: usize = 256;
/// Minimum number of labels flushed together.
const FLUSH_MIN: usize = 1 << 12;
/// Marks a pose without moves.
const NO_PART: u8 = u8::MAX;

/// Cache of recent cell patterns, kept so that relabelling does not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct CellPatterns {
    patterns: Vec<CellPattern>,
    /// `[pattern * backward_stride + move]`.
    backward: Vec<BackwardMove>,
    backward_stride: usize,
    recent: RecentLabels,
}

/// Labels of the most recent states, as far back as moves lead. Sets are still being joined while labels are
/// buffered here, so most blocks are uniform when they are flushed.
#[derive(Clone, Debug, Default)]
struct RecentLabels {
    labels: Vec<u32>,
    /// The first buffered state.
    first: usize,
}

impl RecentLabels {
    /// Flushes all but the last `keep` labels, in whole blocks.
    fn flush(&mut self, keep: usize, sets: &mut DisjointSets, to: &mut Labels) {
        let (blocks, _) = self.labels[..self.labels.len().saturating_sub(keep)].as_chunks::<BLOCK>();
        let n = blocks.len() * BLOCK;
        for (block, labels) in (self.first / BLOCK..).zip(blocks) {
            to.write_roots(block, labels, |label| sets.find(label));
        }
        self.labels.copy_within(n.., 0);
        self.labels.truncate(self.labels.len() - n);
        self.first += n;
    }
}

/// How the moves of a cell connect its poses.
#[derive(Clone, Debug)]
struct CellPattern {
    /// The legal moves by heading, and the first frame of the cell's row.
    slots: [u32; HEADINGS_MAX],
    frame: u8,
    /// Part of each pose: poses connected by moves within the cell form one part.
    part_of: [u8; HEADINGS_MAX],
    n_parts: usize,
    /// Whether every pose belongs to a part.
    has_all_parts: bool,
    /// Whether moves connect each part to the same part, and no other, of an equal cell to the west.
    continues_west: bool,
    n_backward: usize,
}

/// A move to an earlier cell.
#[derive(Clone, Copy, Debug, Default)]
struct BackwardMove {
    part: u8,
    /// In a run of equal cells, the number of leading cells whose move can end outside the run.
    n_boundary: u32,
    /// Distance in cells from the cell to the end of the move, and the heading there.
    cells: u32,
    heading: u8,
}

impl CellPatterns {
    /// Labels every state, in order, and joins the sets connected by moves.
    pub fn label<W: MoveWord>(
        &mut self,
        tables: &PoseGraph,
        words: &[W],
        labels: &mut Labels,
        sets: &mut DisjointSets,
    ) {
        let headings = tables.space().headings() as usize;
        self.make_room(headings * tables.class().primitives().len());
        match headings {
            1 => self.label_cells::<W, 1>(tables, words.as_chunks().0, labels, sets),
            4 => self.label_cells::<W, 4>(tables, words.as_chunks().0, labels, sets),
            6 => self.label_cells::<W, 6>(tables, words.as_chunks().0, labels, sets),
            _ => self.label_cells::<W, 8>(tables, words.as_chunks().0, labels, sets),
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.patterns.capacity() * size_of::<CellPattern>()
            + self.backward.capacity() * size_of::<BackwardMove>()
            + 4 * self.recent.labels.capacity()
    }

    fn make_room(&mut self, moves_max: usize) {
        if self.backward_stride == moves_max && !self.patterns.is_empty() {
            return;
        }
        let none = CellPattern {
            slots: [0; HEADINGS_MAX],
            frame: 0,
            part_of: [NO_PART; HEADINGS_MAX],
            n_parts: 0,
            has_all_parts: false,
            continues_west: true,
            n_backward: 0,
        };
        self.patterns = vec![none; PATTERNS_KEPT];
        self.backward = vec![BackwardMove::default(); PATTERNS_KEPT * moves_max];
        self.backward_stride = moves_max;
    }

    #[inline(never)]
    fn label_cells<W: MoveWord, const H: usize>(
        &mut self,
        tables: &PoseGraph,
        words: &[[W; H]],
        labels: &mut Labels,
        sets: &mut DisjointSets,
    ) {
        let isolated = tables.isolated_poses();
        let size = tables.space().size();
        let states_in_row = size.width() as usize * H;
        let reach = tables.move_deltas.iter().map(|step| step.dy.unsigned_abs()).max().unwrap_or(0);
        let reach = reach.min(size.height()) as usize * states_in_row;
        // Flushed a few rows at a time, so that the kept labels are not moved at every row.
        let flush_at = (reach + reach.max(states_in_row.max(FLUSH_MIN))).min(words.len() * H);
        let mut recent = std::mem::take(&mut self.recent);
        recent.labels.clear();
        recent.labels.reserve_exact(flush_at + states_in_row + BLOCK);
        recent.first = 0;
        for row in words.chunks(size.width() as usize) {
            if recent.labels.len() > flush_at {
                recent.flush(reach, sets, labels);
            }
            let frame = tables.space().frame_of(State((recent.first + recent.labels.len()) as u32)).0;
            let mut column = 0;
            while column < row.len() {
                let of_cell = &row[column];
                let pattern = self.pattern_of(tables, of_cell, frame);
                let CellPattern { has_all_parts, continues_west, n_backward, .. } = self.patterns[pattern];
                let mut n_cells = 1;
                if continues_west {
                    n_cells += count_equal(&row[column + 1..], of_cell);
                }
                column += n_cells;
                let at = recent.labels.len();
                let backward = &self.backward[pattern * self.backward_stride..][..n_backward];
                label_run::<H>(&self.patterns[pattern], backward, n_cells, &mut recent.labels, sets);
                let first = recent.first + at;
                if has_all_parts || !isolated.any_near(&(first..first + n_cells * H)) {
                    continue;
                }
                for (state, label) in (first..).zip(&mut recent.labels[at..]) {
                    if isolated.contains(state) {
                        *label = sets.add();
                    }
                }
            }
        }
        let n = recent.labels.len().next_multiple_of(BLOCK);
        recent.labels.resize(n, NO_LABEL);
        recent.flush(0, sets, labels);
        self.recent = recent;
    }

    /// Cache index of the pattern of a cell.
    #[inline]
    fn pattern_of<W: MoveWord, const H: usize>(
        &mut self,
        tables: &PoseGraph,
        words: &[W; H],
        frame: u8,
    ) -> usize {
        let mut slots = [0; HEADINGS_MAX];
        let mut mixed = u32::from(frame);
        for (slots, word) in slots.iter_mut().zip(words) {
            *slots = word.slots();
            mixed = (mixed.rotate_left(5) ^ *slots).wrapping_mul(0x9e37_79b1);
        }
        let at = (mixed >> 24) as usize % PATTERNS_KEPT;
        if (self.patterns[at].slots, self.patterns[at].frame) != (slots, frame) {
            let backward = &mut self.backward[at * self.backward_stride..][..self.backward_stride];
            self.patterns[at] = CellPattern::of::<H>(tables, (slots, frame), backward);
        }
        at
    }
}

/// Number of leading cells with the given words.
#[inline]
fn count_equal<T: PartialEq>(cells: &[T], words: &T) -> usize {
    // Whole vectors first.
    const CELLS: usize = 16;
    let (chunks, _) = cells.as_chunks::<CELLS>();
    let all_equal = |chunk: &&[T; CELLS]| chunk.iter().fold(true, |equal, cell| equal & (cell == words));
    let n_equal = CELLS * chunks.iter().take_while(all_equal).count();
    n_equal + cells[n_equal..].iter().take_while(|&cell| cell == words).count()
}

/// Labels a run of equal cells, each part of which continues from one cell to the next.
#[inline]
fn label_run<const H: usize>(
    pattern: &CellPattern,
    backward: &[BackwardMove],
    n_cells: usize,
    labels: &mut Vec<u32>,
    sets: &mut DisjointSets,
) {
    let first = labels.len();
    let mut of_parts = [NO_LABEL; H];
    for &BackwardMove { part, n_boundary, cells, heading } in backward {
        let label = &mut of_parts[part as usize];
        let n_boundary = n_cells.min(n_boundary as usize);
        let (before, _) = labels[first - cells as usize * H..].as_chunks::<H>();
        let mut last = *label;
        for other in before.iter().take(n_boundary).map(|of_cell| of_cell[heading as usize % H]) {
            if other != last {
                last = other;
                *label =
                    if *label == NO_LABEL { other } else { sets.join(sets.root(*label), sets.root(other)) };
            }
        }
    }
    for label in of_parts[..pattern.n_parts].iter_mut().filter(|label| **label == NO_LABEL) {
        *label = sets.add();
    }
    if pattern.n_parts == 0 || pattern.has_all_parts && pattern.n_parts == 1 {
        labels.resize(first + n_cells * H, of_parts[0]);
        return;
    }
    let of_cell: [u32; H] = std::array::from_fn(|heading| match pattern.part_of[heading] {
        NO_PART => NO_LABEL,
        part => of_parts[part as usize],
    });
    for _ in 0..n_cells {
        labels.extend_from_slice(&of_cell);
    }
}

impl CellPattern {
    /// The pattern of a cell with the given legal moves; writes the moves that lead to earlier cells.
    fn of<const H: usize>(
        tables: &PoseGraph,
        (slots, frame): ([u32; HEADINGS_MAX], u8),
        backward: &mut [BackwardMove],
    ) -> Self {
        let moves = || {
            let of_heading = |heading: usize| {
                let move_deltas = &tables.move_deltas[(frame as usize + heading) * FRAME_STRIDE..];
                slots_of(slots[heading]).map(move |slot| (heading, move_deltas[slot]))
            };
            (0..H).flat_map(of_heading)
        };
        // Initially each pose with a move is a part; turns merge parts.
        let mut parts: [u8; H] =
            std::array::from_fn(|heading| if slots[heading] == 0 { NO_PART } else { heading as u8 });
        for (heading, step) in moves().filter(|(_, step)| (step.dx, step.dy) == (0, 0)) {
            let (from, to) = (parts[heading], parts[step.heading_after as usize]);
            parts.iter_mut().filter(|part| **part == to).for_each(|part| *part = from);
        }
        let mut pattern = Self {
            slots,
            frame,
            part_of: [NO_PART; HEADINGS_MAX],
            n_parts: 0,
            has_all_parts: !parts.contains(&NO_PART),
            continues_west: true,
            n_backward: 0,
        };
        let mut numbers = [NO_PART; H];
        for (heading, &part) in parts.iter().enumerate().filter(|(_, part)| **part != NO_PART) {
            let number = &mut numbers[part as usize];
            if *number == NO_PART {
                *number = pattern.n_parts as u8;
                pattern.n_parts += 1;
            }
            pattern.part_of[heading] = *number;
        }
        let mut linked = [false; H];
        for (heading, step) in moves().filter(|(_, step)| (step.dy, step.dx) < (0, 0)) {
            let part = pattern.part_of[heading];
            let to_same_part = pattern.part_of[step.heading_after as usize] == part;
            linked[part as usize] |= (step.dx, step.dy) == (-1, 0) && to_same_part;
            // Differing poses of one row may still belong to one set: then cells are labelled one by one.
            pattern.continues_west &= step.dy != 0 || to_same_part;
            let n_boundary = if step.dy == 0 { step.dx.unsigned_abs() } else { u32::MAX };
            // The end of a legal move is on the map, so it precedes this cell.
            let after = step.heading_after as u8;
            let states = heading as i64 + i64::from(step.delta) - i64::from(after);
            let cells = (-states / H as i64) as u32;
            backward[pattern.n_backward] = BackwardMove { part, n_boundary, cells, heading: after };
            pattern.n_backward += 1;
        }
        pattern.continues_west &= linked[..pattern.n_parts].iter().all(|&linked| linked);
        pattern
    }
}
