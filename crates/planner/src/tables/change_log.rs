//! What an update did to the moves of a class, told word by word.

use crate::model::pose::{State, StateSpace};
use crate::tables::graph_change::GraphChange;
use crate::tables::move_words::MoveWord;
use crate::tables::steps::{STEPS_STRIDE, Step, Update};

/// Compares words with those whose place they take.
pub(crate) struct ChangeLog<'a> {
    pub steps: &'a [Step],
    pub space: StateSpace,
    /// Whether every legal move can be taken back: then one of the two is told.
    pub both_ways: bool,
    /// Where moves won and lost are listed, if anybody asks.
    pub change: Option<&'a mut GraphChange>,
}

impl ChangeLog<'_> {
    /// Tells of a pose that it became legal or illegal, without any move before and after.
    pub fn pose(&mut self, state: u32) {
        if let Some(change) = &mut self.change {
            change.states.push(state);
        }
    }

    /// Puts new words in the place of those of some states of a row, from the first of a cell on, and tells
    /// what became of the moves. Other codes may stand for the same times.
    pub fn replace<W: MoveWord>(&mut self, old: &mut [W], new: &[W], first: usize, times: &[u32]) -> Update {
        let mut update = Update::default();
        let first_frame = self.space.frame_of(State(first as u32)).0 as usize;
        let end_frame = first_frame + self.space.headings() as usize;
        let mut frame = first_frame;
        for (state, (old, &new)) in (first as u32..).zip(old.iter_mut().zip(new)) {
            if *old != new {
                update = update.or(became(*old, new, times));
                if self.change.is_some() {
                    self.list(state, frame, *old, new);
                }
                *old = new;
            }
            frame += 1;
            frame = if frame == end_frame { first_frame } else { frame };
        }
        update
    }

    /// Lists what became of the moves of a state.
    fn list<W: MoveWord>(&mut self, state: u32, frame: usize, before: W, after: W) {
        let Some(change) = &mut self.change else { return };
        let (was, is) = (before.slots(), after.slots());
        if was == 0 || is == 0 {
            change.states.push(state);
        }
        let steps = &self.steps[frame * STEPS_STRIDE..][..STEPS_STRIDE];
        let lost = was & !is;
        if lost != 0 {
            change.lost = true;
            change.rim.push(state);
            // The state at the other end of a move that can be taken back tells of itself.
            if !self.both_ways {
                change.rim.extend(slots_of(lost).map(|slot| state.wrapping_add_signed(steps[slot].delta)));
            }
        }
        for slot in slots_of(is & !was) {
            let delta = steps[slot].delta;
            if !self.both_ways || delta > 0 {
                change.won.push((state, state.wrapping_add_signed(delta)));
            }
        }
    }
}

/// What became of the moves of a state whose word changed.
#[inline]
fn became<W: MoveWord>(before: W, after: W, times: &[u32]) -> Update {
    // Mostly moves are only lost, or only won.
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

/// The numbers of the bits that are set.
pub(crate) fn slots_of(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (slot < u32::BITS).then_some(slot as usize)
    })
}
