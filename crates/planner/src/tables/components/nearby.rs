//! Which poses are connected near an edit.

use crate::model::pose::{State, StateSpace};
use crate::tables::layouts::with_layout;
use crate::tables::pose_graph::PoseGraph;
use crate::tables::steps::{STEPS_STRIDE, Step};
use crate::tables::{MoveWord, slots_of};
use wheelbase_grid::Rect;

/// Looks which poses are connected by moves near an edit, as they mostly all are: round the building.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    /// One state of each group that moves near the edit connect.
    pub groups: Vec<u32>,
    /// `[row][column][heading]` of the cells near the edit.
    marks: Vec<Mark>,
    /// States to be looked at, and their marks: those that are to meet, and the others, which are looked at
    /// only where those lead no further.
    open: Vec<(u32, u32)>,
    others: Vec<(u32, u32)>,
    /// Distance of the mark at the end of a move, `[frame * STEPS_STRIDE + primitive]`; 0 for moves that lead
    /// too far.
    deltas: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Free,
    /// One of the states that are to meet.
    Wanted,
    /// Looked at, or too far from the edit.
    Done,
}

/// Cells beyond the touched anchors that are looked at, and those beyond them that moves may lead to.
const NEAR: i32 = 1;
const BEYOND: i32 = 4;

/// Where the cells near an edit lie.
#[derive(Clone, Copy)]
struct Near {
    cells: Rect,
    space: StateSpace,
    /// Marks in a row, and the first of the north-west cell.
    stride: usize,
    first: usize,
    /// First state of the north-west cell, and states in a row of the map.
    first_state: u32,
    states_stride: u32,
}

impl Near {
    fn of(space: StateSpace, anchors: Rect) -> Self {
        let size = space.size();
        let headings = space.headings() as usize;
        let (width, height) = (anchors.width + 2 * NEAR as u32, anchors.height + 2 * NEAR as u32);
        let cells = Rect::new(anchors.x - NEAR, anchors.y - NEAR, width, height).intersection(size.rect());
        let stride = (cells.width as usize + 2 * BEYOND as usize) * headings;
        let first_cell = cells.y as u32 * size.width() + cells.x as u32;
        Self {
            cells,
            space,
            stride,
            first: BEYOND as usize * (stride + headings),
            first_state: first_cell * headings as u32,
            states_stride: size.width() * headings as u32,
        }
    }

    /// Calls `found` with the mark of each of some states, which lie near and rise mostly.
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

impl Nearby {
    pub fn memory_bytes(&self) -> usize {
        let states = self.open.capacity() + self.others.capacity();
        4 * (self.groups.capacity() + self.deltas.capacity()) + 8 * states + self.marks.capacity()
    }

    /// Groups the states, each of which is named once, by what moves near the anchors connect; states of two
    /// groups may still be connected. Time: linear in the number of anchors. Where moves cannot be taken back
    /// each state is a group.
    pub fn find_groups(&mut self, tables: &PoseGraph, states: &[(u32, u32)], anchors: Rect) {
        self.groups.clear();
        if !tables.is_reversible() {
            self.groups.extend(states.iter().map(|&(_, state)| state));
            return;
        }
        let near = Near::of(tables.space(), anchors);
        self.prepare(&tables.steps[..], &near);
        near.for_each_mark(states, |_, mark| self.marks[mark] = Mark::Wanted);
        let mut wanted = states.len();
        with_layout!(&tables.layouts, layout => {
            near.for_each_mark(states, |state, mark| {
                if self.marks[mark] == Mark::Wanted {
                    self.groups.push(state);
                    self.marks[mark] = Mark::Done;
                    self.open.push((state, mark as u32));
                    wanted = self.flood(&tables.steps[..], &layout.words, near.space, wanted - 1);
                }
            });
        });
    }

    /// Makes room for marks, and works out how far moves lead among them.
    fn prepare(&mut self, steps: &[Step], near: &Near) {
        let Near { cells, space, stride, first, .. } = *near;
        let headings = space.headings() as usize;
        self.marks.clear();
        self.marks.resize(stride * (cells.height as usize + 2 * BEYOND as usize), Mark::Done);
        for row in 0..cells.height as usize {
            self.marks[first + row * stride..][..cells.width as usize * headings].fill(Mark::Free);
        }
        self.deltas.clear();
        self.deltas.extend(steps.iter().take(space.n_frames() as usize * STEPS_STRIDE).enumerate().map(
            |(at, step)| {
                let turned = step.heading_after as i32 - (at / STEPS_STRIDE % headings) as i32;
                match step.dx.abs().max(step.dy.abs()) <= BEYOND {
                    true => step.dy * stride as i32 + step.dx * headings as i32 + turned,
                    false => 0,
                }
            },
        ));
    }

    /// Floods from the open states; returns how many of the wanted ones are left. Ends early when none is.
    fn flood<W: MoveWord>(&mut self, steps: &[Step], words: &[W], space: StateSpace, wanted: usize) -> usize {
        let mut wanted = wanted;
        while wanted > 0 {
            let Some((state, mark)) = self.open.pop().or_else(|| self.others.pop()) else { break };
            let frame = space.frame_of(State(state)).0 as usize * STEPS_STRIDE;
            let (steps, deltas) = (&steps[frame..][..STEPS_STRIDE], &self.deltas[frame..][..STEPS_STRIDE]);
            for slot in slots_of(words[state as usize].slots()) {
                let at = mark.wrapping_add_signed(deltas[slot]);
                let seen = std::mem::replace(&mut self.marks[at as usize], Mark::Done);
                if seen == Mark::Done {
                    continue;
                }
                let next = (state.wrapping_add_signed(steps[slot].delta), at);
                if seen == Mark::Wanted {
                    wanted -= 1;
                    self.open.push(next);
                } else {
                    self.others.push(next);
                }
            }
        }
        self.open.clear();
        self.others.clear();
        wanted
    }
}
