//! Plans of the SIPP search, compared with the rule of collision tick by tick and with the best of all plans.

use super::ground::{Ground, ground, rule};
use super::walks::{Doing, Walk, cells, collide, random_walks};
use crate::collision::{CollisionRule, Transition};
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::moves::transition_at;
use crate::cooperative::plan::USUAL_MOVES_MAX;
use crate::cooperative::reservations::{Precedence, Reservations};
use crate::cooperative::sipp::*;
use crate::cooperative::soft_reservations::SoftReservations;
use crate::cooperative::turnaround::TurnaroundFootprints;
use crate::cooperative::windowed_cost_to_go::UNKNOWN;
use crate::motion::{AgentSlot, sides};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::random::Random;
use crate::teams::Team;
use proptest::prelude::*;
use std::collections::BTreeSet;
use wheelbase_grid::CellXY;
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::{Goal, GoalMember, MovementTables, Pose, SettleTarget};

/// Cells that others reserve at a tick, and of these the ones that none of them is about to leave with the move that it
/// has begun.
#[derive(Default)]
struct Reserved {
    all: BTreeSet<CellXY>,
    kept: BTreeSet<CellXY>,
}

/// What others reserve, tick by tick; from the last tick on forever.
fn reserved(tables: &[MovementTables], rule: CollisionRule, others: &[Walk]) -> Vec<Reserved> {
    let last = others.iter().map(Walk::ends).max().unwrap_or(0);
    let at = |tick| {
        let mut reserved = Reserved::default();
        for walk in others {
            match (walk.doing(tables, tick), rule) {
                (Doing::Moves(step, _), CollisionRule::Discrete) => {
                    reserved.all.extend(cells(step.start()));
                    reserved.kept.extend(cells(step.end()));
                }
                _ => reserved.kept.extend(walk.held(tables, rule, tick)),
            }
        }
        reserved.all.extend(&reserved.kept);
        reserved
    };
    (0..=last).map(at).collect()
}

/// The best cost of all plans: arrival, or the horizon if that is later, plus cost-to-go. Each begins its moves from
/// poses reached before the horizon. And the largest number of intervals in which one pose is free.
struct Best<'a> {
    tables: &'a [MovementTables],
    rule: CollisionRule,
    reserved: &'a [Reserved],
}

impl Best<'_> {
    fn at(&self, tick: u32) -> &Reserved {
        &self.reserved[(tick as usize).min(self.reserved.len() - 1)]
    }

    fn is_free(&self, body: &BTreeSet<CellXY>, mut ticks: std::ops::Range<u32>) -> bool {
        ticks.all(|tick| self.at(tick).all.is_disjoint(body))
    }

    fn rests_forever(&self, body: &BTreeSet<CellXY>, from: u32) -> bool {
        self.is_free(body, from..from.max(self.reserved.len() as u32) + 1)
    }

    /// Whether an agent that rests where a move begins can make it between these ticks.
    fn can_move(&self, step: &Transition<'_>, (start, end): (u32, u32)) -> bool {
        match self.rule {
            CollisionRule::Swept => self.is_free(&cells(step.swept()), start..end),
            CollisionRule::Discrete => {
                let ends_on = cells(step.end());
                self.is_free(&cells(step.start()), start..end)
                    && (start..end).all(|tick| self.at(tick).kept.is_disjoint(&ends_on))
                    && self.at(end).all.is_disjoint(&ends_on)
            }
        }
    }

    fn key(&self, class: usize, query: SippQuery, cost_to_go: impl Fn(Pose) -> u32) -> (Option<u32>, usize) {
        let tables = &self.tables[class];
        let space = tables.space();
        let body = |pose: Pose| cells((pose.cell, tables.class().cells_at(pose)));
        let most = 40;
        let last = query.horizon.max(self.reserved.len() as u32);
        // States at rest at a tick, and whether they may move on.
        let mut reached: Vec<Vec<Option<bool>>> = vec![vec![None; space.n_states()]; (last + most) as usize];
        let (mut best, mut stretches) = (None, 0);
        reached[query.from.1 as usize][query.from.0.0 as usize] = Some(true);
        for tick in query.from.1..last + most {
            for state in (0..space.n_states() as u32).map(State) {
                let Some(goes_on) = reached[tick as usize][state.0 as usize] else { continue };
                let pose = space.pose(state);
                let under = body(pose);
                if self.rests_forever(&under, tick) {
                    // An agent that has waited has arrived before.
                    let key = tick.max(query.horizon).saturating_add(cost_to_go(pose));
                    best = Some(best.map_or(key, |best: u32| best.min(key)));
                }
                let free = |at: u32| self.at(at).all.is_disjoint(&under);
                let begins = |&at: &u32| free(at) && (at == 0 || !free(at - 1));
                stretches = stretches.max((0..self.reserved.len() as u32).filter(begins).count());
                if !goes_on || tick >= last {
                    continue;
                }
                if free(tick) {
                    reached[tick as usize + 1][state.0 as usize] = Some(true);
                }
                tables.for_each_successor(state, |next| {
                    let step = transition_at(tables, pose, usize::from(next.primitive));
                    let end = tick + next.ticks;
                    if cost_to_go(space.pose(next.state)) != UNKNOWN && self.can_move(&step, (tick, end)) {
                        let there = &mut reached[end as usize][next.state.0 as usize];
                        *there = Some(there.unwrap_or(false) || end < query.horizon);
                    }
                });
            }
        }
        (best, stretches)
    }
}

/// Counts of the cases that were looked at, so that the test can show that it looked at some.
#[derive(Default)]
struct Seen {
    plans: u32,
    compared: u32,
    with_waits: u32,
}

fn check(
    ground: &Ground,
    rule: CollisionRule,
    random: &mut Random,
    seen: &mut Seen,
) -> Result<(), TestCaseError> {
    let size = ground.grid.size();
    let others = random_walks(ground, rule, random, (6, 8));
    let mut reservations = Reservations::new(size, rule);
    reservations.grow(16);
    for (agent, walk) in others.iter().enumerate() {
        walk.reserve(&ground.tables, &mut reservations, AgentSlot(agent as u32));
    }
    let reserved = reserved(&ground.tables, rule, &others);
    let soft_reservations = SoftReservations::new(size.n_cells());
    let sides: Vec<_> = ground.tables.iter().map(sides).collect();
    let corridor_control = CorridorControl::new(size, &ground.tables, &sides, TrafficParams::USUAL);
    // The best of all plans below knows no turnaround footprints.
    let turning = TurnaroundFootprints::new(&ground.tables, size, false);
    let mut search = SippSearch::default();
    for _ in 0..6 {
        let class = random.below(ground.tables.len());
        let tables = &ground.tables[class];
        let space = tables.space();
        let (Some(from), Some(goal)) = (ground.any_state(class, random), ground.any_state(class, random))
        else {
            return Ok(());
        };
        let ready = random.below(6) as u32;
        let best = Best { tables: &ground.tables, rule, reserved: &reserved };
        let pose = space.pose(from);
        if !best.is_free(&cells((pose.cell, tables.class().cells_at(pose))), 0..ready + 1) {
            continue;
        }
        let heads = [GoalMember::any(space.pose(goal).cell)];
        let mut field = CostField::to_goal(tables, &Goal::of(&heads));
        field.settle(tables, SettleTarget::All, u64::MAX);
        let cost_to_go =
            |pose: Pose| space.state(pose).and_then(|state| field.cost(state)).unwrap_or(UNKNOWN);
        let horizon = ready + 1 + random.below(15) as u32;
        let query = SippQuery {
            from: (from, ready),
            crossing: Crossing::NONE,
            horizon,
            crossing_horizon: horizon,
            moves_max: USUAL_MOVES_MAX,
            nodes_max: NODES_MAX,
            intervals_max: TrafficParams::USUAL.search_intervals,
            key: PriorityKey::FIRST,
            teams: 1,
            yield_ticks: 0,
        };
        let context = SippContext {
            agent: AgentSlot(15),
            tables,
            reservations: &reservations,
            forbidden: &[],
            soft_reservations: &soft_reservations,
            corridor_control: &corridor_control,
            stopping_agent: corridor_control.no_stopping.agent_at(Team(0), (CellXY::new(0, 0), &[])),
            turnaround: &turning,
            heads: &[],
            class: 0,
            ahead: &[],
            corridors: &[],
            precedence: Precedence::STRICT,
            team: Team(0),
            friends: 1,
            speed_factor: 1000,
            tick: ready,
        };
        // Costs above the limit are not known.
        let limited = |pose, limit| Some(cost_to_go(pose)).filter(|&cost| cost <= limit).unwrap_or(UNKNOWN);
        let (plan, cost) = search.search(&context, query, limited).unzip();
        if let Some(plan) = plan {
            let walk = Walk { class, from, moves: plan.moves().to_vec() };
            prop_assert_eq!(walk.end_state(&ground.tables), plan.end.0);
            let mut state = from;
            for planned in plan.moves() {
                prop_assert_eq!(
                    tables.move_ticks(state, usize::from(planned.primitive)),
                    Some(planned.ticks)
                );
                state = tables.state_after(state, usize::from(planned.primitive));
            }
            let begins_late =
                plan.moves().windows(2).all(|pair| pair[0].start + pair[0].ticks <= pair[1].start);
            prop_assert!(begins_late && plan.moves().first().is_none_or(|first| first.start >= ready));
            for other in &others {
                prop_assert!(!collide(&ground.tables, rule, &walk, other), "{:?} and {:?}", walk, other);
            }
            seen.plans += u32::from(!plan.is_empty());
            let ends = plan.moves().iter().map(|planned| planned.start + planned.ticks);
            let waits =
                std::iter::once(ready).chain(ends).zip(plan.moves()).any(|(end, next)| end < next.start);
            seen.with_waits += u32::from(waits);
        }
        if search.is_full() || search.spent >= query.nodes_max as u64 {
            continue;
        }
        let (right, stretches) = best.key(class, query, cost_to_go);
        if stretches > TrafficParams::USUAL.search_intervals as usize {
            continue;
        }
        let found =
            plan.map(|plan| plan.end.1.max(query.horizon).saturating_add(cost_to_go(space.pose(plan.end.0))));
        prop_assert_eq!(found, cost);
        prop_assert_eq!(
            found,
            right,
            "{:?} of {:?} among {:?}",
            plan.map(|plan| plan.moves().to_vec()),
            query,
            others
        );
        seen.compared += 1;
    }
    Ok(())
}

#[test]
fn plans_are_free_of_conflict_and_none_is_better() {
    let mut seen = Seen::default();
    let config =
        ProptestConfig { cases: super::cases(500), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let seen_in = std::cell::RefCell::new(&mut seen);
    let given = (prop_oneof![ground(3), ground(25)], rule(), any::<u64>());
    let result = runner.run(&given, |(ground, rule, seed)| {
        let Some(ground) = ground else { return Ok(()) };
        check(&ground, rule, &mut Random::new(seed), &mut seen_in.borrow_mut())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let Seen { plans, compared, with_waits } = seen;
    let least = |all| super::cases(all) / 2;
    assert!(
        plans > least(600) && compared > least(1_200) && with_waits > least(40),
        "{plans}, {compared}, {with_waits}"
    );
}
