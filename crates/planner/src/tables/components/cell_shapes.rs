//! Labels of the poses of a map where every move can be taken back, a run of like cells at a time.
//!
//! How the moves of a cell connect its poses with each other, and with those of earlier cells, is worked out
//! once for all cells that have the same moves. Mostly a cell has those of the one before it: then the run of
//! them has one label for each part of a cell, and it is enough to look at what its moves lead to.

use super::labels::{BLOCK, Labels};
use super::sets::{NONE, Sets};
use crate::model::pose::State;
use crate::tables::pose_graph::PoseGraph;
use crate::tables::steps::STEPS_STRIDE;
use crate::tables::{MoveWord, slots_of};

/// Headings that a class has at most.
const HEADINGS_MAX: usize = 8;
/// Shapes that are remembered.
const SHAPES_KEPT: usize = 256;
/// Labels handed on at once, at least.
const LABELS_AT_ONCE: usize = 1 << 12;
/// Of a pose without any move.
const NO_PART: u8 = u8::MAX;

/// Shapes of the cells met last, kept so that labelling once more allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct CellShapes {
    shapes: Vec<CellShape>,
    /// `[shape * back_stride + move]`.
    back: Vec<Back>,
    back_stride: usize,
    recent: Recent,
}

/// Labels of the states last met, as many as moves may lead back to. Sets are still joined while they are
/// here, so most blocks are of one set when they leave.
#[derive(Clone, Debug, Default)]
struct Recent {
    labels: Vec<u32>,
    /// The first state of them.
    first: usize,
}

impl Recent {
    /// Hands all but so many on, in whole blocks.
    fn hand_on(&mut self, keep: usize, sets: &mut Sets, to: &mut Labels) {
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
struct CellShape {
    /// The legal moves, by heading, and the first frame of its row.
    slots: [u32; HEADINGS_MAX],
    frame: u8,
    /// Poses that moves within the cell connect are one part.
    part_of: [u8; HEADINGS_MAX],
    n_parts: usize,
    /// Whether every pose has a part.
    is_whole: bool,
    /// Whether moves connect each part to the same part of a cell of this shape to the west, and to no other
    /// one.
    goes_on: bool,
    n_back: usize,
}

/// A move to an earlier cell.
#[derive(Clone, Copy, Debug, Default)]
struct Back {
    part: u8,
    /// Of cells of one shape in a row the first so many lead to cells of perhaps another shape.
    n_seen: u32,
    /// How many cells before its own the move ends, and at which heading.
    cells: u32,
    heading: u8,
}

impl CellShapes {
    /// Labels every state, in order, and joins the sets that moves connect.
    pub fn label<W: MoveWord>(
        &mut self,
        tables: &PoseGraph,
        words: &[W],
        labels: &mut Labels,
        sets: &mut Sets,
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
        self.shapes.capacity() * size_of::<CellShape>()
            + self.back.capacity() * size_of::<Back>()
            + 4 * self.recent.labels.capacity()
    }

    fn make_room(&mut self, moves_max: usize) {
        if self.back_stride == moves_max {
            return;
        }
        let none = CellShape {
            slots: [0; HEADINGS_MAX],
            frame: 0,
            part_of: [NO_PART; HEADINGS_MAX],
            n_parts: 0,
            is_whole: false,
            goes_on: true,
            n_back: 0,
        };
        self.shapes = vec![none; SHAPES_KEPT];
        self.back = vec![Back::default(); SHAPES_KEPT * moves_max];
        self.back_stride = moves_max;
    }

    #[inline(never)]
    fn label_cells<W: MoveWord, const H: usize>(
        &mut self,
        tables: &PoseGraph,
        words: &[[W; H]],
        labels: &mut Labels,
        sets: &mut Sets,
    ) {
        let isolated = tables.isolated_poses();
        let size = tables.space().size();
        let states_in_row = size.width() as usize * H;
        let reach = tables.steps.iter().map(|step| step.dy.unsigned_abs()).max().unwrap_or(0);
        let reach = reach.min(size.height()) as usize * states_in_row;
        // Handed on a few rows at a time, so that what is kept is not moved up at each.
        let most = (reach + reach.max(states_in_row.max(LABELS_AT_ONCE))).min(words.len() * H);
        let mut recent = std::mem::take(&mut self.recent);
        recent.labels.clear();
        recent.labels.reserve_exact(most + states_in_row + BLOCK);
        recent.first = 0;
        for row in words.chunks(size.width() as usize) {
            if recent.labels.len() > most {
                recent.hand_on(reach, sets, labels);
            }
            let frame = tables.space().frame_of(State((recent.first + recent.labels.len()) as u32)).0;
            let mut column = 0;
            while column < row.len() {
                let of_cell = &row[column];
                let shape = self.shape_of(tables, of_cell, frame);
                let CellShape { is_whole, goes_on, n_back, .. } = self.shapes[shape];
                let mut n_cells = 1;
                if goes_on {
                    n_cells += count_like(&row[column + 1..], of_cell);
                }
                column += n_cells;
                let at = recent.labels.len();
                let back = &self.back[shape * self.back_stride..][..n_back];
                label_run::<H>(&self.shapes[shape], back, n_cells, &mut recent.labels, sets);
                let first = recent.first + at;
                if is_whole || !isolated.any_near(&(first..first + n_cells * H)) {
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
        recent.labels.resize(n, NONE);
        recent.hand_on(0, sets, labels);
        self.recent = recent;
    }

    /// Where the shape of a cell is remembered.
    #[inline]
    fn shape_of<W: MoveWord, const H: usize>(
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
        let at = (mixed >> 24) as usize % SHAPES_KEPT;
        if (self.shapes[at].slots, self.shapes[at].frame) != (slots, frame) {
            let back = &mut self.back[at * self.back_stride..][..self.back_stride];
            self.shapes[at] = CellShape::of::<H>(tables, (slots, frame), back);
        }
        at
    }
}

/// How many cells from the first on have these words.
#[inline]
fn count_like<T: PartialEq>(cells: &[T], words: &T) -> usize {
    // Whole vectors at a time first.
    const CELLS: usize = 16;
    let (chunks, _) = cells.as_chunks::<CELLS>();
    let all_like = |chunk: &&[T; CELLS]| chunk.iter().fold(true, |like, cell| like & (cell == words));
    let n_like = CELLS * chunks.iter().take_while(all_like).count();
    n_like + cells[n_like..].iter().take_while(|&cell| cell == words).count()
}

/// Labels cells of one shape, each part of which goes on from one cell to the next.
#[inline]
fn label_run<const H: usize>(
    shape: &CellShape,
    back: &[Back],
    n_cells: usize,
    labels: &mut Vec<u32>,
    sets: &mut Sets,
) {
    let first = labels.len();
    let mut of_parts = [NONE; H];
    for &Back { part, n_seen, cells, heading } in back {
        let label = &mut of_parts[part as usize];
        let n_seen = n_cells.min(n_seen as usize);
        let (before, _) = labels[first - cells as usize * H..].as_chunks::<H>();
        let mut last = *label;
        for other in before.iter().take(n_seen).map(|of_cell| of_cell[heading as usize % H]) {
            if other != last {
                last = other;
                *label = if *label == NONE { other } else { sets.join(sets.root(*label), sets.root(other)) };
            }
        }
    }
    for label in of_parts[..shape.n_parts].iter_mut().filter(|label| **label == NONE) {
        *label = sets.add();
    }
    if shape.n_parts == 0 || shape.is_whole && shape.n_parts == 1 {
        labels.resize(first + n_cells * H, of_parts[0]);
        return;
    }
    let of_cell: [u32; H] = std::array::from_fn(|heading| match shape.part_of[heading] {
        NO_PART => NONE,
        part => of_parts[part as usize],
    });
    for _ in 0..n_cells {
        labels.extend_from_slice(&of_cell);
    }
}

impl CellShape {
    /// The shape of a cell with these legal moves; writes those that lead to an earlier cell.
    fn of<const H: usize>(
        tables: &PoseGraph,
        (slots, frame): ([u32; HEADINGS_MAX], u8),
        back: &mut [Back],
    ) -> Self {
        let moves = || {
            let of_heading = |heading: usize| {
                let steps = &tables.steps[(frame as usize + heading) * STEPS_STRIDE..];
                slots_of(slots[heading]).map(move |slot| (heading, steps[slot]))
            };
            (0..H).flat_map(of_heading)
        };
        // Each pose with a move is a part; turns join them.
        let mut parts: [u8; H] =
            std::array::from_fn(|heading| if slots[heading] == 0 { NO_PART } else { heading as u8 });
        for (heading, step) in moves().filter(|(_, step)| (step.dx, step.dy) == (0, 0)) {
            let (from, to) = (parts[heading], parts[step.heading_after as usize]);
            parts.iter_mut().filter(|part| **part == to).for_each(|part| *part = from);
        }
        let mut shape = Self {
            slots,
            frame,
            part_of: [NO_PART; HEADINGS_MAX],
            n_parts: 0,
            is_whole: !parts.contains(&NO_PART),
            goes_on: true,
            n_back: 0,
        };
        let mut numbers = [NO_PART; H];
        for (heading, &part) in parts.iter().enumerate().filter(|(_, part)| **part != NO_PART) {
            let number = &mut numbers[part as usize];
            if *number == NO_PART {
                *number = shape.n_parts as u8;
                shape.n_parts += 1;
            }
            shape.part_of[heading] = *number;
        }
        let mut linked = [false; H];
        for (heading, step) in moves().filter(|(_, step)| (step.dy, step.dx) < (0, 0)) {
            let part = shape.part_of[heading];
            let to_the_same = shape.part_of[step.heading_after as usize] == part;
            linked[part as usize] |= (step.dx, step.dy) == (-1, 0) && to_the_same;
            // Poses of one row that are unlike may still be of one set: then cells are labelled one by one.
            shape.goes_on &= step.dy != 0 || to_the_same;
            let n_seen = if step.dy == 0 { step.dx.unsigned_abs() } else { u32::MAX };
            // The end of a legal move is on the map, so it lies before this cell.
            let after = step.heading_after as u8;
            let states = heading as i64 + i64::from(step.delta) - i64::from(after);
            let cells = (-states / H as i64) as u32;
            back[shape.n_back] = Back { part, n_seen, cells, heading: after };
            shape.n_back += 1;
        }
        shape.goes_on &= linked[..shape.n_parts].iter().all(|&linked| linked);
        shape
    }
}
