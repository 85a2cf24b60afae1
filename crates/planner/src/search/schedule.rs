//! The schedule of path requests: which are searched now, and how a budget of expansions is divided among them.
//!
//! Requests stand in order of priority plus age, less a quarter of the least ticks of the path, then number. The
//! first few hold a slot and share the budget equally; a caller repeats [`share_out`] with the rest until the
//! budget or the work ends. No clock and no thread takes part, so the answers of a frame are the same on every machine.
//!
//! No request starves. Let E be the expansions per tick and K the slots. A request whose own search takes S expansions
//! is answered within `W / E + ceil(S / max(1, E / K))` ticks. Divisions round down, except for `ceil`. W counts the
//! expansions of the requests that have a slot when it is made, and of all requests before it in order
//! ([`RequestKey::order`]). The order is by priority less tick of issue less share of the path, which never changes. A
//! request does not come before another if it is made later than the difference of their priorities plus the other's
//! share. This holds while callers spend the whole budget as long as a search is left. They must fill each free slot
//! with the first in order, and take no slot away.

use std::cmp::Reverse;

/// A path of this many ticks delays its request by one tick. With 1, 1,000 agents that asked together had their paths
/// as soon as with 4, after 58 ticks on average. In order of age alone they had them after 87.
const WAIT_SHARE: u32 = 4;

/// What decides the order of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestKey {
    /// Higher goes first, one tick of age a unit.
    pub priority: i32,
    /// Tick or frame of the request.
    pub issued: u32,
    /// Lower bound of the cost of the path, in ticks, known without a search.
    pub least_ticks: u32,
    /// Breaks ties; the lower goes first.
    pub number: u64,
}

impl RequestKey {
    /// Sorts requests at a tick: the least goes first. Short paths are found soon, so many agents do not wait for a
    /// few. Age wins in the end. Compare a request of priority p for at least m ticks with a later one of priority q
    /// for n ticks. The first waits for the second at most (q - p) + (m - n) / 4 ticks longer than for an equal
    /// request.
    pub fn order(&self, tick: u32) -> (Reverse<i64>, u64) {
        let age = i64::from(tick.saturating_sub(self.issued));
        let path = i64::from(self.least_ticks / WAIT_SHARE);
        (Reverse(i64::from(self.priority) + age - path), self.number)
    }
}

/// A slot of a schedule: room for one search.
pub trait SearchSlot {
    /// Key of the request that still searches in it; `None` if it is free or has its answer.
    fn searching(&self) -> Option<RequestKey>;

    /// Expansions that the search may spend in this round.
    fn share_mut(&mut self) -> &mut u64;
}

/// Divides a budget equally among the searching slots, in order of their requests, and sets every other share to 0.
/// Returns the number of slots with a share. Quadratic in slots, which are few.
pub fn share_out<S: SearchSlot>(slots: &mut [S], budget: u64, tick: u32) -> usize {
    let mut active = slots.iter().filter(|slot| slot.searching().is_some()).count() as u64;
    let mut left = budget;
    let mut given = 0;
    slots.iter_mut().for_each(|slot| *slot.share_mut() = 0);
    while active > 0 && left > 0 {
        let waiting = slots.iter_mut().filter_map(|slot| {
            let key = slot.searching()?;
            (*slot.share_mut() == 0).then_some((key, slot))
        });
        let Some((_, slot)) = waiting.min_by_key(|(key, _)| key.order(tick)) else { break };
        let share = left.div_ceil(active);
        *slot.share_mut() = share;
        left -= share;
        active -= 1;
        given += 1;
    }
    given
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Slot(Option<RequestKey>, u64);

    impl SearchSlot for Slot {
        fn searching(&self) -> Option<RequestKey> {
            self.0
        }

        fn share_mut(&mut self) -> &mut u64 {
            &mut self.1
        }
    }

    proptest! {
        /// Nothing of a budget is lost, shares differ by one at most, and the first in order have the larger ones.
        #[test]
        fn shares_are_equal_and_whole(
            keys in proptest::collection::vec(proptest::option::of((-9_i32..9, 0_u32..40, 0_u32..99)), 0..12),
            budget in 0_u64..200,
        ) {
            let key = |(number, key): (usize, Option<(i32, u32, u32)>)| {
                let key = key.map(|(priority, issued, least_ticks)| RequestKey {
                    priority,
                    issued,
                    least_ticks,
                    number: number as u64,
                });
                Slot(key, 77)
            };
            let mut slots: Vec<Slot> = keys.into_iter().enumerate().map(key).collect();
            let given = share_out(&mut slots, budget, 40);
            let mut searching: Vec<_> = slots.iter().filter_map(|slot| Some((slot.0?.order(40), slot.1))).collect();
            searching.sort_unstable();
            let shares: Vec<u64> = searching.iter().map(|(_, share)| *share).collect();
            prop_assert_eq!(shares.iter().sum::<u64>(), if shares.is_empty() { 0 } else { budget });
            prop_assert!(shares.is_sorted_by(|one, other| one >= other));
            prop_assert!(shares.first().zip(shares.last()).is_none_or(|(most, least)| most - least <= 1));
            prop_assert_eq!(given, shares.iter().filter(|share| **share > 0).count());
            prop_assert!(slots.iter().all(|slot| slot.0.is_some() || slot.1 == 0));
        }
    }
}
