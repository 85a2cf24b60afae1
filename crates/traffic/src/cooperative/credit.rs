//! Credit: how many poses each agent may expand, so that no agent's searches use up what others need.
//!
//! An agent earns the same number of poses per tick, and saves the poses of a few ticks. Moves along its path cost
//! nothing while they are free, so an agent alone never waits for credit. Nobody knows beforehand how many poses a
//! search takes, so a turn may take more than was saved. Then the agent has no turn until it has earned the rest, but
//! not for long: it stands in the way of others.

use crate::saved::saved;

/// Ticks for which an agent saves its earnings.
const SAVED_TICKS: u64 = 4;
/// Ticks for which an agent that has overdrawn its credit waits at most. The rest of its debt is forgiven.
const DEBT_TICKS: u64 = 8;

/// Poses that an agent has used: as many as it would have earned from tick 0 on, had it saved all and had none left. So
/// nothing has to be done for an agent at a tick at which it does not plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Credit(pub(crate) u64);

saved!(Credit { 0 });

impl Credit {
    /// Of an agent that has saved all that it can.
    pub(crate) const FULL: Self = Self(0);

    /// Whether an agent may expand a pose at a tick.
    pub(crate) fn is_positive(self, tick: u32, poses_per_agent: u32) -> bool {
        self.0 < earned(tick, SAVED_TICKS, poses_per_agent)
    }

    /// The first tick at which it may.
    pub(crate) fn positive_at(self, poses_per_agent: u32) -> u32 {
        let ticks = self.0.checked_div(u64::from(poses_per_agent)).map(|ticks| ticks + 1);
        ticks.map_or(u32::MAX, |ticks| u32::try_from(ticks.saturating_sub(SAVED_TICKS)).unwrap_or(u32::MAX))
    }

    /// Takes the poses that its turn at a tick has expanded.
    pub(crate) fn take(&mut self, poses: u64, tick: u32, poses_per_agent: u32) {
        let used = self.0.max(earned(tick, 0, poses_per_agent)).saturating_add(poses);
        self.0 = used.min(Self::most_used(tick, poses_per_agent));
    }

    /// The most that an agent can have used after a tick.
    pub(crate) fn most_used(tick: u32, poses_per_agent: u32) -> u64 {
        earned(tick, SAVED_TICKS + DEBT_TICKS, poses_per_agent)
    }
}

/// Poses earned some ticks after a tick.
fn earned(tick: u32, after: u64, poses_per_agent: u32) -> u64 {
    (u64::from(tick) + after).saturating_mul(poses_per_agent.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Step by step: savings grow by the same number per tick up to the earnings of four ticks. They fall to a debt
    /// of at most eight ticks.
    #[test]
    fn equals_a_balance_that_every_tick_updates() {
        let mut random = crate::random::Random::new(5);
        for poses_per_agent in [0, 1, 3, 16, 1_000, u32::MAX] {
            let each = i128::from(poses_per_agent);
            let (mut credit, mut balance) = (Credit::FULL, 4 * each);
            for tick in 0..2_000 {
                assert_eq!(credit.is_positive(tick, poses_per_agent), balance > 0, "{tick}");
                if balance > 0 {
                    assert!(credit.positive_at(poses_per_agent) <= tick);
                    let poses =
                        random.below(2 * SAVED_TICKS as usize) * random.below(16 + poses_per_agent as usize);
                    credit.take(poses as u64, tick, poses_per_agent);
                    balance = (balance - poses as i128).max(-8 * each);
                } else if poses_per_agent > 0 {
                    let waits = (-balance) / each + 1;
                    assert_eq!(credit.positive_at(poses_per_agent), tick + waits as u32);
                } else {
                    assert_eq!(credit.positive_at(poses_per_agent), u32::MAX);
                }
                assert!(credit.0 <= Credit::most_used(tick, poses_per_agent));
                balance = (balance + each).min(4 * each);
            }
        }
    }

    #[test]
    fn the_last_ticks_do_not_overflow() {
        let mut credit = Credit::FULL;
        credit.take(u64::MAX, u32::MAX, u32::MAX);
        assert!(!credit.is_positive(u32::MAX, u32::MAX));
        assert!(Credit::FULL.is_positive(u32::MAX, u32::MAX));
    }
}
