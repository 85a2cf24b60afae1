//! The rules of this crate by name.

use crate::collision::CollisionRule;
use crate::commanded::Commanded;
use crate::cooperative::Cooperative;
use crate::params::TrafficParams;
use crate::rule::Traffic;
use crate::unit_robots::UnitRobots;
use std::any::Any;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;

/// A rule of this crate.
///
/// ```
/// use wheelbase_traffic::OwnRule;
/// assert_eq!(OwnRule::from_name("unit_robots"), Some(OwnRule::UnitRobots));
/// assert_eq!(OwnRule::Cooperative.name(), "cooperative");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRule {
    /// [`Cooperative`].
    Cooperative,
    /// [`UnitRobots`].
    UnitRobots,
    /// [`Commanded`].
    Commanded,
}

/// What a rule is made for.
#[derive(Clone, Copy, Debug)]
pub struct RuleSetting<'a> {
    /// Movement tables by class.
    pub tables: &'a [MovementTables],
    /// Size of the map.
    pub size: GridSize,
    /// The collision rule.
    pub collision: CollisionRule,
    /// Number of initial agents.
    pub n_agents: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Tunables.
    pub params: TrafficParams,
}

impl OwnRule {
    /// All rules.
    pub const ALL: [Self; 3] = [Self::Cooperative, Self::UnitRobots, Self::Commanded];

    /// The variant of a rule; `None` for a rule from outside.
    pub fn of(rule: &dyn Traffic) -> Option<Self> {
        let rule: &dyn Any = rule;
        if rule.is::<Cooperative>() {
            Some(Self::Cooperative)
        } else if rule.is::<UnitRobots>() {
            Some(Self::UnitRobots)
        } else if rule.is::<Commanded>() {
            Some(Self::Commanded)
        } else {
            None
        }
    }

    /// Name in recordings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cooperative => Cooperative::NAME,
            Self::UnitRobots => UnitRobots::NAME,
            Self::Commanded => Commanded::NAME,
        }
    }

    /// The rule of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// Makes the rule to take over a saved state ([`Traffic::restore_state`]), on the map and among the agents of that
    /// state. `None` if it does not support the classes or the collision rule.
    pub fn make_to_restore(self, setting: RuleSetting<'_>) -> Option<Box<dyn Traffic>> {
        let RuleSetting { tables, collision, seed, params, .. } = setting;
        match (self, tables) {
            (Self::UnitRobots, [tables]) => {
                Some(Box::new(UnitRobots::to_restore(tables, collision, seed, params)?))
            }
            _ => self.make(setting),
        }
    }

    /// Makes the rule in its initial state; `None` if it does not support the classes or the collision rule.
    pub fn make(self, setting: RuleSetting<'_>) -> Option<Box<dyn Traffic>> {
        let RuleSetting { tables, size, collision, n_agents, seed, params } = setting;
        Some(match self {
            Self::Cooperative => Box::new(Cooperative::new(tables, size, collision, params)),
            Self::UnitRobots => match tables {
                [tables] => Box::new(UnitRobots::new(tables, collision, n_agents, seed, params)?),
                _ => return None,
            },
            Self::Commanded => Box::new(Commanded),
        })
    }
}
