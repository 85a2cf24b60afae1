//! Reservations compared with a plain list of which agent reserves which cell at which tick.

use super::ground::{Ground, ground, rule};
use super::walks::{Doing, Walk, cells, collide, random_walks};
use crate::collision::{CollisionRule, Transition};
use crate::cooperative::moves::transition_at;
use crate::cooperative::reservations::*;
use crate::motion::AgentSlot;
use crate::random::Random;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::CellXY;
use wheelbase_planner::MovementTables;

/// Whether an agent that reserves a cell at a tick is about to leave it with the move that it has begun.
type Leaves = bool;

/// What every agent reserves, tick by tick; from the last tick on forever.
struct Plain {
    ticks: u32,
    /// By cell and tick: agents.
    reservations: BTreeMap<(CellXY, u32), BTreeMap<AgentSlot, Leaves>>,
}

impl Plain {
    fn of(tables: &[MovementTables], rule: CollisionRule, agents: &BTreeMap<AgentSlot, Walk>) -> Self {
        let ticks = agents.values().map(Walk::ends).max().unwrap_or(0) + 1;
        let mut plain = Self { ticks, reservations: BTreeMap::new() };
        for (&agent, walk) in agents {
            for tick in 0..=ticks {
                for cell in walk.held(tables, rule, tick) {
                    plain.note(agent, cell, tick, false);
                }
                if let (Doing::Moves(step, _), CollisionRule::Discrete) = (walk.doing(tables, tick), rule) {
                    cells(step.start()).into_iter().for_each(|cell| plain.note(agent, cell, tick, true));
                    cells(step.end()).into_iter().for_each(|cell| plain.note(agent, cell, tick, false));
                }
            }
        }
        plain
    }

    fn note(&mut self, agent: AgentSlot, cell: CellXY, tick: u32, leaves: Leaves) {
        self.reservations.entry((cell, tick)).or_default().insert(agent, leaves);
    }

    /// Other agents that reserve a cell at a tick.
    fn others(&self, agent: AgentSlot, cell: CellXY, tick: u32) -> impl Iterator<Item = (AgentSlot, Leaves)> {
        let at = self.reservations.get(&(cell, tick.min(self.ticks)));
        at.into_iter()
            .flatten()
            .map(|(&other, &leaves)| (other, leaves))
            .filter(move |&(other, _)| other != agent)
    }

    fn is_reserved(&self, agent: AgentSlot, cells: &BTreeSet<CellXY>, tick: u32) -> bool {
        cells.iter().any(|&cell| self.others(agent, cell, tick).next().is_some())
    }

    /// Whether a move needs what another agent has reserved.
    fn conflicts(
        &self,
        rule: CollisionRule,
        agent: AgentSlot,
        step: &Transition<'_>,
        (start, end): (u32, u32),
    ) -> bool {
        match rule {
            CollisionRule::Swept => {
                (start..end).any(|tick| self.is_reserved(agent, &cells(step.swept()), tick))
            }
            CollisionRule::Discrete => {
                let ends_on = cells(step.end());
                let stays = |tick| {
                    ends_on.iter().any(|&cell| self.others(agent, cell, tick).any(|(_, leaves)| !leaves))
                };
                (start..end).any(stays) || self.is_reserved(agent, &ends_on, end)
            }
        }
    }

    /// Reservations of a cell as agents and runs of ticks.
    fn runs(&self, cell: CellXY) -> BTreeSet<(AgentSlot, u32, u32)> {
        let mut runs = BTreeSet::new();
        let mut open: BTreeMap<AgentSlot, u32> = BTreeMap::new();
        for tick in 0..=self.ticks {
            let now: BTreeSet<AgentSlot> =
                self.others(AgentSlot::NOBODY, cell, tick).map(|(agent, _)| agent).collect();
            open.retain(|&agent, &mut from| {
                let goes_on = now.contains(&agent);
                if !goes_on {
                    runs.insert((agent, from, tick));
                }
                goes_on
            });
            now.into_iter().for_each(|agent| _ = open.entry(agent).or_insert(tick));
        }
        runs.extend(open.into_iter().map(|(agent, from)| (agent, from, FOREVER)));
        runs
    }
}

/// Every reservation, and answers to random questions.
fn compare(
    ground: &Ground,
    reservations: &Reservations,
    agents: &BTreeMap<AgentSlot, Walk>,
    random: &mut Random,
) -> Result<(), TestCaseError> {
    let rule = reservations.rule();
    let plain = Plain::of(&ground.tables, rule, agents);
    let size = ground.grid.size();
    for (at, cell) in size.rect().cells().enumerate() {
        let kept: Vec<_> = reservations
            .on(at)
            .map(|reservation| (reservation.agent, reservation.from, reservation.until))
            .collect();
        let set: BTreeSet<_> = kept.iter().copied().collect();
        prop_assert_eq!(kept.len(), set.len());
        prop_assert_eq!(set, plain.runs(cell), "{}", cell);
    }
    for _ in 0..60 {
        let class = random.below(ground.tables.len());
        let Some(state) = ground.any_state(class, random) else { return Ok(()) };
        let tables = &ground.tables[class];
        let pose = tables.space().pose(state);
        let body = (pose.cell, tables.class().cells_at(pose));
        let under = cells(body);
        let agent = AgentSlot(random.below(8) as u32);
        let tick = random.below(plain.ticks as usize + 3) as u32;
        let first_reserved =
            |from: u32| (from..=plain.ticks.max(from)).find(|&at| plain.is_reserved(agent, &under, at));
        prop_assert_eq!(reservations.is_free(agent, body, tick), first_reserved(tick).is_none());
        if !plain.is_reserved(agent, &under, tick) {
            prop_assert_eq!(
                reservations.free_until(agent, body, tick, Precedence::STRICT),
                first_reserved(tick).unwrap_or(FOREVER)
            );
        }
        // Of several on one cell it may be any.
        let resting = body.1.iter().find_map(|&offset| {
            let on = cells((body.0, &[offset]));
            let all: Vec<AgentSlot> = on
                .iter()
                .flat_map(|&cell| plain.others(agent, cell, plain.ticks))
                .map(|(other, _)| other)
                .collect();
            (!all.is_empty()).then_some(all)
        });
        match (reservations.resting_on(agent, body), resting) {
            (Some(one), Some(all)) => prop_assert!(all.contains(&one)),
            (one, all) => prop_assert_eq!((one, all), (None, None)),
        }
        let mut steps = Vec::new();
        tables.for_each_successor(state, |next| steps.push(usize::from(next.primitive)));
        for primitive in steps {
            let step = transition_at(tables, pose, primitive);
            let ticks = 1 + random.below(6) as u32;
            let conflict = |start: u32| plain.conflicts(rule, agent, &step, (start, start + ticks));
            let latest = if random.below(2) == 0 { FOREVER } else { tick + random.below(20) as u32 };
            let again = |latest: u32| {
                let ticks = (tick, tick + ticks, latest);
                reservations.look_again_at(agent, &step, ticks, Precedence::STRICT)
            };
            match again(latest) {
                None => prop_assert!(!conflict(tick)),
                Some(later) => {
                    prop_assert!(later > latest || again(FOREVER) == Some(later));
                    prop_assert!(later > tick && conflict(tick));
                    // Nothing is missed in between.
                    let last = later.min(plain.ticks + 1).max(tick);
                    prop_assert!((tick..last).all(conflict), "{} to {}", tick, later);
                    prop_assert!(later < FOREVER || conflict(plain.ticks + 1));
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(150), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reservations_are_as_a_plain_list_says(ground in ground(10), rule in rule(), seed in any::<u64>()) {
        let Some(ground) = ground else { return Ok(()) };
        let mut random = Random::new(seed);
        let mut reservations = Reservations::new(ground.grid.size(), rule);
        reservations.grow(8);
        let mut agents: BTreeMap<AgentSlot, Walk> = BTreeMap::new();
        for round in 0..4 {
            // Some agents go, and all that are there have other plans.
            if round == 2 {
                reservations.clear();
                agents.clear();
            }
            let gone: Vec<AgentSlot> = agents.keys().copied().filter(|_| random.below(2) == 0).collect();
            for agent in gone {
                agents.remove(&agent);
                reservations.remove(agent);
            }
            compare(&ground, &reservations, &agents, &mut random)?;
            for walk in random_walks(&ground, rule, &mut random, (8, 6)) {
                let agent = AgentSlot(random.below(8) as u32);
                let fits = |(&other, with): (&AgentSlot, &Walk)| {
                    other == agent || !collide(&ground.tables, rule, &walk, with)
                };
                if agents.iter().all(fits) {
                    reservations.remove(agent);
                    walk.reserve(&ground.tables, &mut reservations, agent);
                    agents.insert(agent, walk);
                }
            }
            compare(&ground, &reservations, &agents, &mut random)?;
        }
    }
}
