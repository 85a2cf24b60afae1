//! Plans held against the rule of collision tick by tick, and against the best of all that there are.

use super::scenes::{Doing, Walk, any_state, built, cells, collide, rule, scene, walks};
use crate::World;
use proptest::prelude::*;
use std::collections::BTreeSet;
use wheelbase_grid::CellXY;
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::{Goal, GoalMember, Pose, SettleTarget};
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::collision::{CollisionRule, Transition};
use wheelbase_traffic::cooperative::corridor_control::CorridorControl;
use wheelbase_traffic::cooperative::reservations::{Precedence, Reservations};
use wheelbase_traffic::cooperative::sipp::*;
use wheelbase_traffic::cooperative::transition_at;
use wheelbase_traffic::motion::sides;
use wheelbase_traffic::priority::PriorityKey;
use wheelbase_traffic::random::Random;

/// Who claims what at a tick: cells that others claim, and of these the ones that all who claim them leave
/// with the move that they have begun.
#[derive(Default)]
struct Reserved {
    all: BTreeSet<CellXY>,
    kept: BTreeSet<CellXY>,
}

/// What others claim, tick by tick; from the last tick on for ever.
fn reserved(world: &World, rule: CollisionRule, others: &[Walk]) -> Vec<Reserved> {
    let last = others.iter().map(Walk::ends).max().unwrap_or(0);
    let at = |tick| {
        let mut reserved = Reserved::default();
        for walk in others {
            match (walk.doing(world, tick), rule) {
                (Doing::Moves(step, _), CollisionRule::Discrete) => {
                    reserved.all.extend(cells(step.start()));
                    reserved.kept.extend(cells(step.end()));
                }
                _ => reserved.kept.extend(walk.held(world, rule, tick)),
            }
        }
        reserved.all.extend(&reserved.kept);
        reserved
    };
    (0..=last).map(at).collect()
}

/// The best key of all plans: arrival, or the horizon if that is later, plus cost-to-go. Each begins its
/// moves from poses reached before the horizon. The number of stretches of time in which one pose is free, at
/// most.
struct Best<'a> {
    world: &'a World,
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

    fn rests_for_ever(&self, body: &BTreeSet<CellXY>, from: u32) -> bool {
        self.is_free(body, from..from.max(self.reserved.len() as u32) + 1)
    }

    /// Whether a move can be made between these ticks by one whose body rests there before.
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
        let tables = &self.world.tables()[class];
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
                if self.rests_for_ever(&under, tick) {
                    // One that has waited has arrived before.
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
                    if cost_to_go(space.pose(next.state))
                        != wheelbase_traffic::cooperative::local_field::UNKNOWN
                        && self.can_move(&step, (tick, end))
                    {
                        let there = &mut reached[end as usize][next.state.0 as usize];
                        *there = Some(there.unwrap_or(false) || end < query.horizon);
                    }
                });
            }
        }
        (best, stretches)
    }
}

/// Counts of what was looked at, so that the test can say that it looked at something.
#[derive(Default)]
struct Seen {
    plans: u32,
    compared: u32,
    with_waits: u32,
}

fn check(
    world: &World,
    rule: CollisionRule,
    random: &mut Random,
    seen: &mut Seen,
) -> Result<(), TestCaseError> {
    let size = world.grid().size();
    let others = walks(world, rule, random, (6, 8));
    let mut reservations = Reservations::new(size, rule);
    reservations.grow(16);
    for (agent, walk) in others.iter().enumerate() {
        walk.reserve(world, &mut reservations, agent as u32);
    }
    let reserved = reserved(world, rule, &others);
    let mut priority_claims = PriorityClaims::default();
    priority_claims.resize(size.n_cells());
    let sides: Vec<_> = world.tables().iter().map(sides).collect();
    let corridor_control = CorridorControl::new(size, world.tables(), &sides, TrafficParams::USUAL);
    let mut search = SippSearch::default();
    for _ in 0..6 {
        let class = random.below(world.classes().len());
        let tables = &world.tables()[class];
        let space = tables.space();
        let (Some(from), Some(goal)) = (any_state(world, class, random), any_state(world, class, random))
        else {
            return Ok(());
        };
        let ready = random.below(6) as u32;
        let best = Best { world, rule, reserved: &reserved };
        let pose = space.pose(from);
        if !best.is_free(&cells((pose.cell, tables.class().cells_at(pose))), 0..ready + 1) {
            continue;
        }
        let heads = [GoalMember::any(space.pose(goal).cell)];
        let mut field = CostField::to_goal(tables, &Goal::of(&heads));
        field.settle(tables, SettleTarget::All, u64::MAX);
        let cost_to_go = |pose: Pose| {
            space
                .state(pose)
                .and_then(|state| field.cost(state))
                .unwrap_or(wheelbase_traffic::cooperative::local_field::UNKNOWN)
        };
        let query = SippQuery {
            from: (from, ready),
            horizon: ready + 1 + random.below(15) as u32,
            nodes_max: NODES_MAX,
            key: PriorityKey::FIRST,
            displacement_ticks: 0,
        };
        let context = SippContext {
            agent: 15,
            tables,
            reservations: &reservations,
            forbidden: &[],
            priority_claims: &priority_claims,
            corridor_control: &corridor_control,
            ahead: &[],
            corridors: &[],
            precedence: Precedence::STRICT,
            tick: ready,
        };
        let (plan, cost) = search.search(&context, query, cost_to_go).unzip();
        if let Some(plan) = plan {
            let walk = Walk { class, from, moves: plan.moves().to_vec() };
            prop_assert_eq!(walk.end_state(world), plan.end.0);
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
                prop_assert!(!collide(world, rule, &walk, other), "{:?} and {:?}", walk, other);
            }
            seen.plans += u32::from(!plan.is_empty());
            let ends = plan.moves().iter().map(|planned| planned.start + planned.ticks);
            let waits =
                std::iter::once(ready).chain(ends).zip(plan.moves()).any(|(end, next)| end < next.start);
            seen.with_waits += u32::from(waits);
        }
        if search.nodes.len() >= NODES_MAX || search.spent >= query.nodes_max as u64 {
            continue;
        }
        let (right, stretches) = best.key(class, query, cost_to_go);
        if stretches > INTERVALS_MAX {
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
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let seen_in = std::cell::RefCell::new(&mut seen);
    let given = (prop_oneof![scene(3), scene(25)], rule(), any::<u64>());
    let result = runner.run(&given, |(text, rule, seed)| {
        let Some(world) = built(&text) else { return Ok(()) };
        check(&world, rule, &mut Random::new(seed), &mut seen_in.borrow_mut())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let Seen { plans, compared, with_waits } = seen;
    assert!(plans > 300 && compared > 600 && with_waits > 20, "{plans}, {compared}, {with_waits}");
}
