//! Connectivity of poses near an edit.

use crate::model::pose::{State, StateSpace};
use crate::tables::layouts::with_layout;
use crate::tables::moves::{FRAME_STRIDE, MoveDelta};
use crate::tables::pose_graph::PoseGraph;
use crate::tables::{MoveWord, slots_of};
use wheelbase_grid::Rect;

/// Checks whether poses are connected by moves near an edit, which is the common case: around a building.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalConnectivity {
    /// One state of each group of states that are connected near the edit.
    pub groups: Vec<u32>,
    /// `[row][column][heading]` of the cells near the edit.
    marks: Vec<Mark>,
    /// Stack of states and their marks: the states whose connection is tested, and the others, which are
    /// expanded only when the former lead no further.
    open: Vec<(u32, u32)>,
    others: Vec<(u32, u32)>,
    /// Offset between the marks at both ends of a move, `[frame * FRAME_STRIDE + primitive]`; 0 for moves that
    /// lead too far.
    mark_offsets: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Free,
    /// One of the states whose connection is tested.
    Target,
    /// Visited, or too far from the edit.
    Done,
}

/// Width of the searched margin around the touched anchors, and of the border beyond it that moves may reach,
/// in cells.
const MARGIN: i32 = 1;
const BORDER: i32 = 4;

/// Index arithmetic for the marks near an edit.
#[derive(Clone, Copy)]
struct EditRegion {
    cells: Rect,
    space: StateSpace,
    /// Marks per row, and the mark of the first state of the north-west cell.
    stride: usize,
    first: usize,
    /// First state of the north-west cell, and states per row of the map.
    first_state: u32,
    states_stride: u32,
}

impl EditRegion {
    fn of(space: StateSpace, anchors: Rect) -> Self {
        let size = space.size();
        let headings = space.headings() as usize;
        let (width, height) = (anchors.width + 2 * MARGIN as u32, anchors.height + 2 * MARGIN as u32);
        let cells =
            Rect::new(anchors.x - MARGIN, anchors.y - MARGIN, width, height).intersection(size.rect());
        let stride = (cells.width as usize + 2 * BORDER as usize) * headings;
        let first_cell = cells.y as u32 * size.width() + cells.x as u32;
        Self {
            cells,
            space,
            stride,
            first: BORDER as usize * (stride + headings),
            first_state: first_cell * headings as u32,
            states_stride: size.width() * headings as u32,
        }
    }

    /// Calls `found` with the mark of each state. All states must lie within the area; mostly ascending order
    /// is fastest.
    fn for_each_mark(&self, states: &[(u32, u32)], mut found: impl FnMut(u32, usize)) {
        let (mut row, mut row_start) = (0, self.first_state);
        for &(_, state) in states {
            if state < row_start {
                (row, row_start) = (0, self.first_state);
            }
            while state - row_start >= self.states_stride {
                (row, row_start) = (row + 1, row_start + self.states_stride);
            }
            found(state, self.first + row * self.stride + (state - row_start) as usize);
        }
    }
}

impl LocalConnectivity {
    pub fn memory_bytes(&self) -> usize {
        let states = self.open.capacity() + self.others.capacity();
        4 * (self.groups.capacity() + self.mark_offsets.capacity()) + 8 * states + self.marks.capacity()
    }

    /// Groups the states, each of which must be listed once, by connectivity through moves near the anchors.
    /// States of different groups may still be connected elsewhere. Linear in the number of anchors. If moves
    /// are not reversible, each state forms its own group.
    pub fn find_groups(&mut self, tables: &PoseGraph, states: &[(u32, u32)], anchors: Rect) {
        self.groups.clear();
        if !tables.is_reversible() {
            self.groups.extend(states.iter().map(|&(_, state)| state));
            return;
        }
        let region = EditRegion::of(tables.space(), anchors);
        self.prepare(&tables.move_deltas[..], &region);
        region.for_each_mark(states, |_, mark| self.marks[mark] = Mark::Target);
        let mut n_targets = states.len();
        with_layout!(&tables.layouts, layout => {
            region.for_each_mark(states, |state, mark| {
                if self.marks[mark] == Mark::Target {
                    self.groups.push(state);
                    self.marks[mark] = Mark::Done;
                    self.open.push((state, mark as u32));
                    n_targets = self.flood(&tables.move_deltas[..], &layout.words, region.space, n_targets - 1);
                }
            });
        });
    }

    /// Resets the marks and computes the mark offsets of moves.
    fn prepare(&mut self, move_deltas: &[MoveDelta], region: &EditRegion) {
        let EditRegion { cells, space, stride, first, .. } = *region;
        let headings = space.headings() as usize;
        self.marks.clear();
        self.marks.resize(stride * (cells.height as usize + 2 * BORDER as usize), Mark::Done);
        for row in 0..cells.height as usize {
            self.marks[first + row * stride..][..cells.width as usize * headings].fill(Mark::Free);
        }
        self.mark_offsets.clear();
        self.mark_offsets.extend(
            move_deltas.iter().take(space.n_frames() as usize * FRAME_STRIDE).enumerate().map(
                |(at, delta)| {
                    let turned = delta.heading_after as i32 - (at / FRAME_STRIDE % headings) as i32;
                    match delta.dx.abs().max(delta.dy.abs()) <= BORDER {
                        true => delta.dy * stride as i32 + delta.dx * headings as i32 + turned,
                        false => 0,
                    }
                },
            ),
        );
    }

    /// Floods from the open states and returns the number of targets left. Stops as soon as there are none.
    fn flood<W: MoveWord>(
        &mut self,
        move_deltas: &[MoveDelta],
        words: &[W],
        space: StateSpace,
        n_targets: usize,
    ) -> usize {
        let mut n_targets = n_targets;
        while n_targets > 0 {
            let Some((state, mark)) = self.open.pop().or_else(|| self.others.pop()) else { break };
            let frame = space.frame_of(State(state)).0 as usize * FRAME_STRIDE;
            let (move_deltas, mark_offsets) =
                (&move_deltas[frame..][..FRAME_STRIDE], &self.mark_offsets[frame..][..FRAME_STRIDE]);
            for slot in slots_of(words[state as usize].slots()) {
                let at = mark.wrapping_add_signed(mark_offsets[slot]);
                let seen = std::mem::replace(&mut self.marks[at as usize], Mark::Done);
                if seen == Mark::Done {
                    continue;
                }
                let next = (state.wrapping_add_signed(move_deltas[slot].delta), at);
                if seen == Mark::Target {
                    n_targets -= 1;
                    self.open.push(next);
                } else {
                    self.others.push(next);
                }
            }
        }
        self.open.clear();
        self.others.clear();
        n_targets
    }
}
