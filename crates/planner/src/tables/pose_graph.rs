//! The pose graph of a class on a map: which moves are legal, and the time of each.

use crate::model::movement::MovementClass;
use crate::model::pose::{Heading, Pose, State, StateSpace};
use crate::tables::isolated_poses::IsolatedPoses;
use crate::tables::layouts::{Layouts, with_layout};
use crate::tables::move_words::MoveWord;
use crate::tables::moves::{COST_ENTRIES, FRAME_STRIDE, FrameSlots, MoveDelta, Successor};
use std::collections::BTreeMap;
use std::sync::Arc;
use wheelbase_grid::CellXY;

/// The part of movement tables that a search reads.
#[derive(Clone, Debug)]
pub(crate) struct PoseGraph {
    pub(crate) class: Arc<MovementClass>,
    pub(crate) space: StateSpace,
    pub(crate) layouts: Layouts,
    /// `[frame * 16 + primitive]`, for sixteen frames, so that indexing needs no bounds check.
    pub(crate) move_deltas: Box<[MoveDelta; FRAME_STRIDE * FRAME_STRIDE]>,
    /// The primitives available in each frame.
    pub(crate) frame_slots: Box<[FrameSlots; FRAME_STRIDE]>,
    /// Ticks by `[primitive << bits | code]`; empty if the words hold times themselves.
    pub(crate) times: Vec<u32>,
    /// The same in the kernel's form, by [`MoveWord::cost_index`].
    pub(crate) costs: Box<[i64; COST_ENTRIES]>,
    /// On slopes: the code of each time of each primitive. Grows with edits, never shrinks.
    pub(crate) slope_codes: Vec<BTreeMap<u32, u32>>,
    /// Bounds of move times in ticks: minimum per primitive, and overall maximum. Edits may leave them loose.
    pub(crate) min_ticks: Vec<u32>,
    pub(crate) max_ticks: u32,
    pub(crate) isolated: IsolatedPoses,
}

impl PoseGraph {
    /// The class.
    pub fn class(&self) -> &MovementClass {
        &self.class
    }

    /// All poses.
    pub fn space(&self) -> StateSpace {
        self.space
    }

    /// Whether every legal move has a legal inverse.
    pub fn is_reversible(&self) -> bool {
        let climb = &self.class.spec().climb;
        let one_way = !self.slope_codes.is_empty() && (climb.max_up.is_some() || climb.max_down.is_some());
        self.class.is_reversible() && !one_way
    }

    /// Whether heights matter: then a move and its inverse may take different times.
    pub(crate) fn is_sloped(&self) -> bool {
        !self.slope_codes.is_empty()
    }

    /// Legal poses with no legal move.
    pub(crate) fn isolated_poses(&self) -> &IsolatedPoses {
        &self.isolated
    }

    /// Whether the pose of a state is legal.
    #[inline]
    pub fn is_legal(&self, state: State) -> bool {
        let state = state.0 as usize;
        with_layout!(&self.layouts, layout => layout.has_move(state)) || self.isolated.contains(state)
    }

    /// Whether a pose is on the map and legal.
    pub fn is_legal_pose(&self, pose: Pose) -> bool {
        self.space.state(pose).is_some_and(|state| self.is_legal(state))
    }

    /// Time of a move from a state in ticks, or `None` if it is illegal.
    #[inline]
    pub fn move_ticks(&self, state: State, primitive: usize) -> Option<u32> {
        if primitive >= self.class.primitives().len() {
            return None;
        }
        with_layout!(&self.layouts, layout => {
            let word = layout.words[state.0 as usize];
            (word.code(primitive) != 0).then(|| word.ticks(primitive, &self.times))
        })
    }

    /// State after a legal move.
    #[inline]
    pub fn state_after(&self, state: State, primitive: usize) -> State {
        let frame = self.space.frame_of(state).0 as usize;
        State(state.0.wrapping_add_signed(self.move_deltas[frame * FRAME_STRIDE + primitive].delta))
    }

    /// Displacement in columns and rows of a primitive in a frame, and the heading after it.
    pub fn move_delta(&self, frame: u8, primitive: usize) -> (i32, i32, u8) {
        let step = self.move_deltas[usize::from(frame) * FRAME_STRIDE + primitive];
        (step.dx, step.dy, step.heading_after as u8)
    }

    /// State before a legal move that leads to a state.
    pub fn state_before(&self, state: State, primitive: usize) -> State {
        let after = self.space.pose(state);
        let turn = self.class.primitives()[primitive].turn;
        let heading = (i32::from(after.heading.0) - turn).rem_euclid(i32::from(self.space.headings()));
        // Row displacements depend only on the heading; column displacements depend on the frame.
        let rows = self.move_deltas[heading as usize * FRAME_STRIDE + primitive].dy;
        let frame = self.space.frame(Pose::new(0, after.cell.y - rows, Heading(heading as u8)));
        let step = self.move_deltas[frame.0 as usize * FRAME_STRIDE + primitive];
        State(state.0.wrapping_add_signed(-step.delta))
    }

    /// Calls `found` with every legal move from a state, in order of primitive.
    pub fn for_each_successor(&self, state: State, mut found: impl FnMut(Successor)) {
        let frame = self.space.frame_of(state).0 as usize;
        let move_deltas = &self.move_deltas[frame * FRAME_STRIDE..][..self.class.primitives().len()];
        with_layout!(&self.layouts, layout => {
            let word = layout.words[state.0 as usize];
            for (primitive, step) in move_deltas.iter().enumerate() {
                if word.code(primitive) != 0 {
                    let ticks = word.ticks(primitive, &self.times);
                    let state = State(state.0.wrapping_add_signed(step.delta));
                    found(Successor { primitive: primitive as u8, state, ticks });
                }
            }
        })
    }

    /// Calls `found` with every state adjacent through a legal move in either direction; some are repeated.
    pub fn for_each_neighbour(&self, state: State, mut found: impl FnMut(State)) {
        self.for_each_successor(state, |next| found(next.state));
        if !self.is_reversible() {
            self.for_each_predecessor(state, |before| found(before.state));
        }
    }

    /// Calls `found` with every legal move that leads to a state, in order of primitive, then of heading before
    /// it.
    pub fn for_each_predecessor(&self, state: State, mut found: impl FnMut(Successor)) {
        let pose = self.space.pose(state);
        for primitive in 0..self.class.primitives().len() {
            for frame in self.class.frames() {
                let step = self.move_deltas[frame.0 as usize * FRAME_STRIDE + primitive];
                if step.heading_after != u32::from(pose.heading.0) {
                    continue;
                }
                let cell = CellXY::new(pose.cell.x - step.dx, pose.cell.y - step.dy);
                let before = Pose { cell, heading: self.class.heading_of(frame) };
                if self.space.frame(before) != frame {
                    continue;
                }
                let Some(before) = self.space.state(before) else { continue };
                if let Some(ticks) = self.move_ticks(before, primitive) {
                    found(Successor { primitive: primitive as u8, state: before, ticks });
                }
            }
        }
    }

    /// Lower bound of the time of the primitive's legal moves, in ticks.
    pub(crate) fn min_ticks(&self, primitive: usize) -> u32 {
        self.min_ticks[primitive]
    }

    /// Upper bound of the time of any legal move, in ticks.
    pub(crate) fn max_ticks(&self) -> u64 {
        u64::from(self.max_ticks)
    }
}
