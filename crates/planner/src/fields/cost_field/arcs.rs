//! Moves into and out of a state as constant offsets, by frame.

use crate::model::movement::MovementClass;
use crate::model::outcome::UNREACHED;
use crate::model::pose::Frame;
use crate::model::state_indexing::StateIndexing;
use crate::tables::moves::FRAME_STRIDE;
use crate::tables::{MoveWord, MovementTables};

/// A move of a state, out of it or into it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arc {
    /// State index at the other end, minus that of this state.
    pub delta: i32,
    /// The slot, in the word that is read, that holds the legality and speed of the move.
    pub slot: u8,
    pub primitive: u8,
    /// Frame of the state at the other end.
    pub frame: u8,
}

/// The moves out of the states of each frame, or into them, in order of primitive.
///
/// Moves off the map need no test: their slot is 0. For a move into a state that would have to start beyond the
/// border, the computed index wraps to another row. But no legal move leads from that state across the border.
/// On hexagonal maps that state may have another frame, and is then skipped.
#[derive(Clone, Debug)]
pub(crate) struct Arcs {
    /// In groups of four, so that the loop is unrolled: each arc has its own branches, which are better
    /// predicted. Padded with arcs from a state to itself, which never shorten a path. The same number for each
    /// frame.
    fours: Vec<[Arc; 4]>,
    /// Groups per frame.
    n_fours: usize,
    /// Whether the word of the state itself is read: always for moves out of it. It is read for
    /// moves into it if each is legal exactly when its inverse is.
    own_word: bool,
}

impl Arcs {
    /// The moves out of the states.
    pub fn out(tables: &MovementTables) -> Self {
        Self::collect(tables.class(), true, |frame, primitive| {
            let step = tables.graph().move_deltas[frame.0 as usize * FRAME_STRIDE + primitive as usize];
            let shape = tables.class().shape(frame, primitive as usize);
            shape.applies.then_some(Arc {
                delta: step.delta,
                slot: primitive,
                primitive,
                frame: shape.frame_after.0,
            })
        })
    }

    /// The moves into the states.
    pub fn into(tables: &MovementTables) -> Self {
        let class = tables.class();
        let before = |frame: Frame, primitive: u8| {
            let leads_here = |of: &Frame| {
                let shape = class.shape(*of, primitive as usize);
                shape.frame_after == frame && shape.applies
            };
            class.frames().find(leads_here)
        };
        let own_slots = own_slots(class, before);
        let own_word = !tables.is_sloped() && own_slots.is_some();
        Self::collect(class, own_word, |frame, primitive| {
            let start = before(frame, primitive)?;
            let delta =
                -tables.graph().move_deltas[start.0 as usize * FRAME_STRIDE + primitive as usize].delta;
            let slot = match &own_slots {
                Some(slots) if own_word => slots[frame.0 as usize * FRAME_STRIDE + primitive as usize],
                _ => primitive,
            };
            Some(Arc { delta, slot, primitive, frame: start.0 })
        })
    }

    fn collect(class: &MovementClass, own_word: bool, arc: impl Fn(Frame, u8) -> Option<Arc> + Copy) -> Self {
        let n_primitives = class.primitives().len() as u8;
        // A delta of 0 marks a step that leaves the map.
        let of_frame =
            |frame| (0..n_primitives).filter_map(move |p| arc(frame, p)).filter(|arc| arc.delta != 0);
        let most = class.frames().map(|frame| of_frame(frame).count()).max().unwrap_or(0);
        let n_fours = most.div_ceil(4);
        let mut fours = vec![[Arc::default(); 4]; class.frames().count() * n_fours];
        for frame in class.frames() {
            for (at, arc) in of_frame(frame).enumerate() {
                fours[frame.0 as usize * n_fours + at / 4][at % 4] = arc;
            }
        }
        Self { fours, n_fours, own_word }
    }

    /// Whether a state's own word covers all of these moves.
    pub fn own_word(&self) -> bool {
        self.own_word
    }

    #[inline(always)]
    fn at(&self, frame: usize) -> &[[Arc; 4]] {
        &self.fours[frame * self.n_fours..][..self.n_fours]
    }

    /// All arcs of a frame without padding.
    pub fn of_frame(&self, frame: usize) -> impl Iterator<Item = Arc> {
        self.at(frame).iter().flatten().copied().filter(|arc| arc.delta != 0)
    }
}

/// For each frame and each primitive that leads to it, `[frame * 16 + primitive]`, the primitive that inverts
/// the move; `None` if some move has no inverse.
fn own_slots(class: &MovementClass, before: impl Fn(Frame, u8) -> Option<Frame>) -> Option<Vec<u8>> {
    let n_primitives = class.primitives().len();
    let mut slots = vec![0; class.frames().count() * FRAME_STRIDE];
    for frame in class.frames() {
        for primitive in 0..n_primitives {
            let Some(start) = before(frame, primitive as u8) else { continue };
            let shape = class.shape(start, primitive);
            let back =
                (0..n_primitives).find(|&back| shape.is_taken_back_by(start, class.shape(frame, back)))?;
            slots[frame.0 as usize * FRAME_STRIDE + primitive] = back as u8;
        }
    }
    Some(slots)
}

/// The words and times in which arcs are looked up.
#[derive(Clone, Copy)]
pub(crate) struct ArcGraph<'a, W: MoveWord, L: StateIndexing> {
    pub words: &'a [W],
    pub times: &'a [u32],
    pub indexing: L,
}

impl<W: MoveWord, L: StateIndexing> ArcGraph<'_, W, L> {
    /// The word of a state if it exists and has the given frame, otherwise a word without moves.
    #[inline(always)]
    pub fn word_of(&self, state: u32, frame: u8) -> W {
        match self.words.get(state as usize) {
            Some(&word) if !L::ROWS_DIFFER || self.indexing.frame(state) == frame as usize => word,
            _ => W::default(),
        }
    }

    /// Ticks of a primitive by the code in a slot of a word; 0 if it is illegal.
    #[inline(always)]
    pub fn ticks(&self, word: W, slot: u8, primitive: u8) -> u32 {
        let code = word.code(slot as usize);
        match W::NUMBERED {
            true => self.times[(primitive as usize) << W::BITS | code],
            false => code as u32,
        }
    }

    /// The state at the other end of an arc, and the time of the move, 0 if it is illegal. The state's own word is
    /// read if `own_word` is set.
    #[inline(always)]
    fn end_of(&self, arc: &Arc, state: u32, (own_word, own): (bool, W)) -> (u32, u32) {
        let next = state.wrapping_add_signed(arc.delta);
        let word = match own_word {
            true => own,
            false => self.word_of(next, arc.frame),
        };
        (next, self.ticks(word, arc.slot, arc.primitive))
    }

    /// The minimum, over the moves in `arcs` from `state`, of the time of the move plus `cost` of the state it
    /// leads to. Branch-free, because the minimum is hard to predict.
    #[inline(always)]
    pub fn least(&self, arcs: &Arcs, state: u32, cost: impl Fn(u32) -> u32) -> u32 {
        let (own_word, own) = (arcs.own_word, self.words[state as usize]);
        let mut least = UNREACHED;
        for four in arcs.at(self.indexing.frame(state)) {
            for arc in four {
                let (next, ticks) = self.end_of(arc, state, (own_word, own));
                let legal = ticks != 0;
                let whole = cost(if legal { next } else { state }).saturating_add(ticks);
                least = least.min(if legal { whole } else { UNREACHED });
            }
        }
        least
    }

    /// The least primitive in `arcs` at `state` whose time plus `cost` of the state it leads to equals `whole`,
    /// else `none`. Branch-free as well.
    #[inline(always)]
    pub fn primitive_of(
        &self,
        arcs: &Arcs,
        state: u32,
        (whole, none): (u32, u8),
        cost: impl Fn(u32) -> u32,
    ) -> u8 {
        let (own_word, own) = (arcs.own_word, self.words[state as usize]);
        let mut found = none;
        for four in arcs.at(self.indexing.frame(state)).iter().rev() {
            for arc in four.iter().rev() {
                let (next, ticks) = self.end_of(arc, state, (own_word, own));
                let legal = ticks != 0;
                let makes_up = cost(if legal { next } else { state }).saturating_add(ticks) == whole;
                found = if legal & makes_up { arc.primitive } else { found };
            }
        }
        found
    }

    /// Calls `visit` with state, ticks and primitive of every legal move in `arcs` at `state`, in order of
    /// primitive.
    #[inline(always)]
    pub fn each(&self, arcs: &Arcs, state: u32, mut visit: impl FnMut(u32, u32, u8)) {
        let (own_word, own) = (arcs.own_word, self.words[state as usize]);
        for four in arcs.at(self.indexing.frame(state)) {
            for arc in four {
                let (next, ticks) = self.end_of(arc, state, (own_word, own));
                if ticks != 0 {
                    visit(next, ticks, arc.primitive);
                }
            }
        }
    }
}
