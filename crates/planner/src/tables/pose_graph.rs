//! The graph of poses of a class on a map: which moves are legal, and what each costs.

use crate::model::movement::MovementClass;
use crate::model::pose::{Pose, State, StateSpace};
use crate::tables::isolated_poses::IsolatedPoses;
use crate::tables::layouts::{Layouts, with_layout};
use crate::tables::move_words::MoveWord;
use crate::tables::steps::{COSTS, STEPS_STRIDE, SlotsAt, Step, Successor};
use std::collections::BTreeMap;
use std::sync::Arc;
use wheelbase_grid::CellXY;

/// What a search reads of movement tables.
#[derive(Clone, Debug)]
pub(crate) struct PoseGraph {
    pub(crate) class: Arc<MovementClass>,
    pub(crate) space: StateSpace,
    pub(crate) layouts: Layouts,
    /// `[frame * 16 + primitive]`, of sixteen frames, so that none needs to be looked for past the end.
    pub(crate) steps: Box<[Step; STEPS_STRIDE * STEPS_STRIDE]>,
    /// Which primitives there are in each frame.
    pub(crate) slots_at: Box<[SlotsAt; STEPS_STRIDE]>,
    /// Ticks by `[primitive << bits | code]`; empty where the words hold times themselves.
    pub(crate) times: Vec<u32>,
    /// The same as the kernel reads it, by [`MoveWord::cost_index`].
    pub(crate) costs: Box<[i64; COSTS]>,
    /// Where slopes count: the code of each time of each primitive. Grows with edits, never shrinks.
    pub(crate) slope_codes: Vec<BTreeMap<u32, u32>>,
    /// Least time of each primitive and most of all, in ticks. Edits may leave them too wide.
    pub(crate) least_ticks: Vec<u32>,
    pub(crate) most_ticks: u32,
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

    /// Whether every legal move can be taken back by one legal move.
    pub fn is_reversible(&self) -> bool {
        let climb = &self.class.spec().climb;
        let one_way = !self.slope_codes.is_empty() && (climb.max_up.is_some() || climb.max_down.is_some());
        self.class.is_reversible() && !one_way
    }

    /// Whether heights count: then a move and the one that takes it back may take unlike times.
    pub(crate) fn is_sloped(&self) -> bool {
        !self.slope_codes.is_empty()
    }

    /// Legal poses without any legal move.
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

    /// Time of a move from a state in ticks, or `None` if it is not legal.
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
        State(state.0.wrapping_add_signed(self.steps[frame * STEPS_STRIDE + primitive].delta))
    }

    /// Calls `found` with every legal move from a state, in order of primitive.
    pub fn for_each_successor(&self, state: State, mut found: impl FnMut(Successor)) {
        let frame = self.space.frame_of(state).0 as usize;
        let steps = &self.steps[frame * STEPS_STRIDE..][..self.class.primitives().len()];
        with_layout!(&self.layouts, layout => {
            let word = layout.words[state.0 as usize];
            for (primitive, step) in steps.iter().enumerate() {
                if word.code(primitive) != 0 {
                    let ticks = word.ticks(primitive, &self.times);
                    let state = State(state.0.wrapping_add_signed(step.delta));
                    found(Successor { primitive: primitive as u8, state, ticks });
                }
            }
        })
    }

    /// Calls `found` with every state that a legal move leads to or from; some come more than once.
    pub fn for_each_neighbour(&self, state: State, mut found: impl FnMut(State)) {
        self.for_each_successor(state, |next| found(next.state));
        if !self.is_reversible() {
            self.for_each_predecessor(state, |before| found(before.state));
        }
    }

    /// Calls `found` with every legal move that leads to a state, in order of primitive, then of the
    /// heading before.
    pub fn for_each_predecessor(&self, state: State, mut found: impl FnMut(Successor)) {
        let pose = self.space.pose(state);
        for primitive in 0..self.class.primitives().len() {
            for frame in self.class.frames() {
                let step = self.steps[frame.0 as usize * STEPS_STRIDE + primitive];
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

    /// No legal move by the primitive takes less, in ticks.
    pub(crate) fn least_ticks(&self, primitive: usize) -> u32 {
        self.least_ticks[primitive]
    }

    /// No legal move takes more, in ticks.
    pub(crate) fn most_ticks(&self) -> u64 {
        u64::from(self.most_ticks)
    }
}
