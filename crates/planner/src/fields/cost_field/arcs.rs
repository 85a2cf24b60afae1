//! Moves into and out of a state as constant offsets, by frame.

use crate::model::lattice::Lattice;
use crate::model::movement::MovementClass;
use crate::model::pose::Frame;
use crate::tables::steps::STEPS_STRIDE;
use crate::tables::{MoveWord, MovementTables};

/// One move of a state, out of it or into it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arc {
    /// Index of the state at the other end, less that of this one.
    pub delta: i32,
    /// Which lane of the word that is read says whether the move is legal, and at which speed.
    pub slot: u8,
    pub primitive: u8,
    /// Frame of the state at the other end.
    pub frame: u8,
}

/// The moves out of the states of each frame, or those into them, in order of primitive.
///
/// A move off the map needs no test: its lane is 0. So is that of the state whose index is where a
/// move into this one would have to start beyond the map's border, for no legal move leads from there
/// across the border. On hexagonal maps that state may be of another frame, and is passed over then.
#[derive(Clone, Debug)]
pub(crate) struct Arcs {
    /// By fours, so that the loop over them is unrolled: each has branches of its own, which are better
    /// predicted. What is missing to four are arcs from a state to itself, which never shorten a way.
    /// As many for each frame.
    fours: Vec<[Arc; 4]>,
    /// Fours of a frame.
    n_fours: usize,
    /// Whether the word of the state itself is read: of moves out of it always, of moves into it where
    /// each is legal exactly when the move that takes it back is.
    own_word: bool,
}

impl Arcs {
    /// The moves out of the states.
    pub fn out(tables: &MovementTables) -> Self {
        Self::collect(tables.class(), true, |frame, primitive| {
            let step = tables.graph.steps[frame.0 as usize * STEPS_STRIDE + primitive as usize];
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
            let delta = -tables.graph.steps[start.0 as usize * STEPS_STRIDE + primitive as usize].delta;
            let slot = match &own_slots {
                Some(slots) if own_word => slots[frame.0 as usize * STEPS_STRIDE + primitive as usize],
                _ => primitive,
            };
            Some(Arc { delta, slot, primitive, frame: start.0 })
        })
    }

    fn collect(class: &MovementClass, own_word: bool, arc: impl Fn(Frame, u8) -> Option<Arc> + Copy) -> Self {
        let n_primitives = class.primitives().len() as u8;
        // A delta of 0 is a step that leaves the map.
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

    /// Whether a state's own word says all of these moves.
    pub fn own_word(&self) -> bool {
        self.own_word
    }

    #[inline(always)]
    fn at(&self, frame: usize) -> &[[Arc; 4]] {
        &self.fours[frame * self.n_fours..][..self.n_fours]
    }

    /// All arcs of a frame, those to the state itself left out.
    pub fn of_frame(&self, frame: usize) -> impl Iterator<Item = Arc> {
        self.at(frame).iter().flatten().copied().filter(|arc| arc.delta != 0)
    }
}

/// For each frame and each primitive that leads there, `[frame * 16 + primitive]`, the primitive that
/// takes the move back; `None` if some move has none.
fn own_slots(class: &MovementClass, before: impl Fn(Frame, u8) -> Option<Frame>) -> Option<Vec<u8>> {
    let n_primitives = class.primitives().len();
    let mut slots = vec![0; class.frames().count() * STEPS_STRIDE];
    for frame in class.frames() {
        for primitive in 0..n_primitives {
            let Some(start) = before(frame, primitive as u8) else { continue };
            let shape = class.shape(start, primitive);
            let back =
                (0..n_primitives).find(|&back| shape.is_taken_back_by(start, class.shape(frame, back)))?;
            slots[frame.0 as usize * STEPS_STRIDE + primitive] = back as u8;
        }
    }
    Some(slots)
}

/// The words and times that arcs are looked up in.
#[derive(Clone, Copy)]
pub(crate) struct Graph<'a, W: MoveWord, L: Lattice> {
    pub words: &'a [W],
    pub times: &'a [u32],
    pub lattice: L,
}

impl<W: MoveWord, L: Lattice> Graph<'_, W, L> {
    /// The word of a state if it is on the map and of that frame, else one without moves.
    #[inline(always)]
    pub fn word_of(&self, state: u32, frame: u8) -> W {
        match self.words.get(state as usize) {
            Some(&word) if !L::ROWS_DIFFER || self.lattice.frame(state) == frame as usize => word,
            _ => W::default(),
        }
    }

    /// Ticks of a primitive by the code in a lane of a word, 0 if it is not legal.
    #[inline(always)]
    pub fn ticks(&self, word: W, slot: u8, primitive: u8) -> u32 {
        let code = word.code(slot as usize);
        match W::NUMBERED {
            true => self.times[(primitive as usize) << W::BITS | code],
            false => code as u32,
        }
    }

    /// The least that `cost` says of a state plus the time of a move in `arcs` there from `state`; without
    /// branches, for which of them is least is hard to foretell.
    #[inline(always)]
    pub fn least(&self, arcs: &Arcs, state: u32, cost: impl Fn(u32) -> u32) -> u32 {
        let (own_word, own) = (arcs.own_word, self.words[state as usize]);
        let mut least = u32::MAX;
        for four in arcs.at(self.lattice.frame(state)) {
            for arc in four {
                let next = state.wrapping_add_signed(arc.delta);
                let word = match own_word {
                    true => own,
                    false => self.word_of(next, arc.frame),
                };
                let ticks = self.ticks(word, arc.slot, arc.primitive);
                let legal = ticks != 0;
                let whole = cost(if legal { next } else { state }).saturating_add(ticks);
                least = least.min(if legal { whole } else { u32::MAX });
            }
        }
        least
    }

    /// The least primitive in `arcs` at `state` whose time and what `cost` says of the state there make up
    /// `whole`, else `none`; without branches too.
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
        for four in arcs.at(self.lattice.frame(state)).iter().rev() {
            for arc in four.iter().rev() {
                let next = state.wrapping_add_signed(arc.delta);
                let word = match own_word {
                    true => own,
                    false => self.word_of(next, arc.frame),
                };
                let ticks = self.ticks(word, arc.slot, arc.primitive);
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
        for four in arcs.at(self.lattice.frame(state)) {
            for arc in four {
                let next = state.wrapping_add_signed(arc.delta);
                let word = match own_word {
                    true => own,
                    false => self.word_of(next, arc.frame),
                };
                let ticks = self.ticks(word, arc.slot, arc.primitive);
                if ticks != 0 {
                    visit(next, ticks, arc.primitive);
                }
            }
        }
    }
}
