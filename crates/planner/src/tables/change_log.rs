//! Effect of an update on the moves of a class, word by word.

use crate::model::pose::{State, StateSpace};
use crate::tables::graph_change::GraphChange;
use crate::tables::move_words::MoveWord;
use crate::tables::moves::{FRAME_STRIDE, MoveDelta, Update};

/// Replaces move words and records the differences.
pub(crate) struct ChangeLog<'a> {
    pub move_deltas: &'a [MoveDelta],
    pub space: StateSpace,
    /// Whether every legal move has an inverse: then one of the two is recorded.
    pub reversible: bool,
    /// Destination of added and removed moves, if requested.
    pub change: Option<&'a mut GraphChange>,
}

impl ChangeLog<'_> {
    /// Records that a pose became legal or illegal while it has no move before and after.
    pub fn pose(&mut self, state: u32) {
        if let Some(change) = &mut self.change {
            change.states.push(state);
        }
    }

    /// Replaces the words of consecutive states of a row, starting at the first state of a cell, and returns
    /// the effect on their moves. Different codes may stand for the same time.
    pub fn replace<W: MoveWord>(&mut self, old: &mut [W], new: &[W], first: usize, times: &[u32]) -> Update {
        let mut update = Update::default();
        let first_frame = self.space.frame_of(State(first as u32)).0 as usize;
        let end_frame = first_frame + self.space.headings() as usize;
        let mut frame = first_frame;
        for (state, (old, &new)) in (first as u32..).zip(old.iter_mut().zip(new)) {
            if *old != new {
                update = update.or(effect_of(*old, new, times));
                if self.change.is_some() {
                    self.record(state, frame, *old, new);
                }
                *old = new;
            }
            frame += 1;
            frame = if frame == end_frame { first_frame } else { frame };
        }
        update
    }

    /// Records the changed moves of a state.
    fn record<W: MoveWord>(&mut self, state: u32, frame: usize, before: W, after: W) {
        let Some(change) = &mut self.change else { return };
        let (was, is) = (before.slots(), after.slots());
        if was == 0 || is == 0 {
            change.states.push(state);
        }
        let move_deltas = &self.move_deltas[frame * FRAME_STRIDE..][..FRAME_STRIDE];
        let removed = was & !is;
        if removed != 0 {
            change.removed = true;
            change.removed_ends.push(state);
            // A reversible move is also recorded at its other end.
            if !self.reversible {
                change
                    .removed_ends
                    .extend(slots_of(removed).map(|slot| state.wrapping_add_signed(move_deltas[slot].delta)));
            }
        }
        for slot in slots_of(is & !was) {
            let delta = move_deltas[slot].delta;
            if !self.reversible || delta > 0 {
                change.added.push((state, state.wrapping_add_signed(delta)));
            }
        }
    }
}

/// Effect of a changed word on the moves of its state.
#[inline]
fn effect_of<W: MoveWord>(before: W, after: W, times: &[u32]) -> Update {
    // Mostly moves are only removed, or only added.
    if before.kept_by(after) == after {
        return Update { changed: true, eased: false };
    }
    if after.kept_by(before) == before {
        return Update { changed: true, eased: true };
    }
    let (was, is) = (before.slots(), after.slots());
    let mut update = Update { changed: was != is, eased: is & !was != 0 };
    for slot in slots_of(was & is) {
        let (was, is) = (before.ticks(slot, times), after.ticks(slot, times));
        update = update.or(Update { changed: was != is, eased: is < was });
    }
    update
}

/// The indices of the bits that are set.
pub(crate) fn slots_of(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (slot < u32::BITS).then_some(slot as usize)
    })
}
