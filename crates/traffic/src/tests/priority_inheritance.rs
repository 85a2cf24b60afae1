//! Priority inheritance in moving crowds, compared with the agents' moves cell by cell. The tests check which agents
//! replan, that all plans then fit together, and that a failed attempt leaves nothing.

use super::ground::{Ground, RULES, class, dot, rows, rule, shape};
use super::hand_world::{HandWorld, Trips, cooperative};
use super::walks::{Walk, collide};
use crate::Cooperative;
use crate::collision::CollisionRule;
use crate::cooperative::corridor_entry::{find_corridors_ahead, request_admission};
use crate::cooperative::inheritance_kind::{InheritanceKind, Retry};
use crate::cooperative::moves::{end_of_move, is_following, is_idle};
use crate::cooperative::path_cells::PathCells;
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::plan_head::PlanDetails;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::prioritized::{CoordinationScratch, plan_agent, stays_at_retreat};
use crate::cooperative::priority_inheritance::{
    Root, plan_with_yielding, plan_with_yielding_by, query_of_yielding,
};
use crate::cooperative::reservations::YieldState;
use crate::cooperative::sipp::{NO_PLAN_COST, SippQuery};
use crate::cooperative::windowed_cost_to_go::GuidePose;
use crate::decisions::Decisions;
use crate::motion::AgentSlot;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::random::Random;
use crate::rule::Traffic;
use crate::view::TrafficView;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::BTreeSet;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;
use wheelbase_planner::{ClassSpec, Heading, Pose, Primitive};

/// All that an attempt that fails leaves as it was.
#[derive(Debug, PartialEq)]
struct Snapshot {
    /// By agent slot, without the time of the next attempt.
    heads: Vec<String>,
    yield_states: Vec<YieldState>,
    /// Cell, agent, from and until, of all reservations from now on.
    reservations: BTreeSet<(usize, AgentSlot, u32, u32)>,
    guide_path: Vec<GuidePose>,
    ahead: String,
    corridor_control: Vec<u64>,
    n_decided: [usize; 4],
}

fn head(table: &PlanTable, id: usize) -> String {
    let details = PlanDetails { inheritance_retries: Retry::NEW, ..table.details[id] };
    format!("{:?} {details:?} {:?}", table.heads[id], table.plans[id])
}

fn snapshot(planning: &Planning<'_>, decisions: &Decisions) -> Snapshot {
    let (view, table) = (planning.view, &*planning.table);
    let mut reservations = BTreeSet::new();
    for cell in 0..view.grid_size.n_cells() {
        let here = table.reservations.on(cell).filter(|reservation| reservation.until > view.tick);
        reservations.extend(here.map(|reservation| {
            (cell, reservation.agent, reservation.from.max(view.tick), reservation.until)
        }));
    }
    let mut corridor_control = Vec::new();
    table.corridor_control.admission.for_each_word(&mut |word| corridor_control.push(word));
    let Decisions { starts, reroutes, reroute_moves, replan, .. } = decisions;
    Snapshot {
        heads: (0..table.heads.len()).map(|id| head(table, id)).collect(),
        yield_states: table.yield_states.clone(),
        reservations,
        guide_path: planning.guide_path.clone(),
        ahead: format!("{:?}", planning.ahead),
        corridor_control,
        n_decided: [starts.len(), reroutes.len(), reroute_moves.len(), replan.len()],
    }
}

/// What all agents will do, by row; the present tick counts as 0.
fn walks(table: &PlanTable, view: &TrafficView<'_>) -> Vec<Walk> {
    let from_now = |row: usize| {
        let motion = &view.agents.motion[row];
        let mut moves = Vec::new();
        if !motion.at_rest() {
            let ticks = motion.until - view.tick;
            moves.push(PlannedMove { start: view.tick, ticks, primitive: motion.primitive });
        }
        moves.extend_from_slice(table.plans[view.agents.slots[row].index()].moves());
        moves.iter_mut().for_each(|planned| planned.start -= view.tick);
        Walk { class: usize::from(motion.class.0), from: motion.state, moves }
    };
    (0..view.agents.len()).map(from_now).collect()
}

/// The query, with its guide path set, of an agent that is due to make others yield. `None` if the agent would not
/// search for a plan.
fn query_of(
    planning: &mut Planning<'_>,
    path_cells: &mut PathCells,
    row: usize,
    key: PriorityKey,
) -> Option<SippQuery> {
    let view = planning.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, motion, view.tick);
    let path = view.paths.moves(view.agents.paths[row]);
    let goes_on = tables.move_ticks(from.0, usize::from(*path.first()?)).is_some();
    if stays_at_retreat(planning, path_cells, row) || !goes_on {
        return None;
    }
    find_corridors_ahead(planning, row, from.0);
    request_admission(planning, path_cells, row, key);
    Some(query_of_yielding(planning, row, key))
}

/// Cost of a plan of an agent by the cost-to-go with which it has searched; an agent without a goal has none to go.
fn cost_of(planning: &Planning<'_>, row: usize, plan: &Plan) -> u64 {
    let view = planning.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, motion, view.tick);
    let (end, ready) = plan.end;
    let horizon =
        from.1 + planning.table.step_ticks[motion.class.0 as usize] * TrafficParams::USUAL.horizon_steps;
    let space = tables.space();
    let (slot, end) = (view.agents.slots[row], space.pose(end));
    let windows = &planning.search.windows;
    let left = if is_following(motion) { windows.settled_cost(slot, end, space.headings()) } else { 0 };
    u64::from(ready.max(horizon)) + u64::from(left)
}

/// What came of the attempts.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// By priority: successes by how many agents replanned: none, one, two, more.
    done: [u32; 4],
    /// Failures before any agent had replanned, and after.
    failed: [u32; 2],
    /// Replanned agents that were idle, and that were on their way.
    replanned: [u32; 2],
    /// By neighbourhood: successes by how many replanned, and such agents of higher priority.
    by_neighbourhood: [u32; 4],
    higher: u32,
}

/// The rule, but many of the agents that are due have others yield without need.
#[derive(Clone)]
struct Observed {
    rule: Cooperative,
    observer: Observer,
}

#[derive(Clone)]
struct Observer {
    random: Random,
    counts: Counts,
}

impl Traffic for Observed {
    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }

    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let Self { rule, observer } = self;
        rule.update(view, decisions);
        let due = rule.due.clone();
        let (mut planning, coordination) = rule.planning(view);
        for (key, row) in due {
            let row = row as usize;
            if planning.table.heads[view.agents.slots[row].index()].next_try > view.tick {
                continue;
            }
            if observer.random.below(2) > 0
                || !observer.plan_with_yielding((&mut planning, coordination), row, key, decisions)
            {
                plan_agent(&mut planning, coordination, row, key, decisions);
            }
        }
        rule.scratch = planning.into_scratch();
        rule.begin_moves(view, decisions);
    }
}

impl Observer {
    /// Has others yield to an agent for any gain, if it can, and checks what comes of it; says whether it has a plan.
    fn plan_with_yielding(
        &mut self,
        (planning, coordination): (&mut Planning<'_>, &mut CoordinationScratch),
        row: usize,
        key: PriorityKey,
        decisions: &mut Decisions,
    ) -> bool {
        let view = planning.view;
        let Some(query) = query_of(planning, &mut coordination.push.avoided, row, key) else { return false };
        if planning.stop <= TrafficParams::USUAL.horizon_steps {
            // It is kept from a corridor, and no agent yields to it.
            return false;
        }
        let id = view.agents.slots[row].index();
        let found = planning.search_moves(row, query, 0, None);
        let cost_below = found.map_or(NO_PLAN_COST, |(_, cost)| cost);
        let space = view.tables[view.agents.motion[row].class.0 as usize].space();
        let states = (0..space.n_states() as u32).map(State);
        let to_go: Vec<u32> = states.map(|state| planning.cost_to_go(row, state)).collect();
        planning.table.details[id].inheritance_retries = Retry::NEW;
        coordination.inheritance.lns_expansions_left = u64::MAX;
        let kind = if self.random.below(2) == 0 {
            InheritanceKind::LowerPriority
        } else {
            InheritanceKind::Neighbourhood
        };
        let (before, walks_before) = (snapshot(planning, decisions), walks(planning.table, view));
        let ends_before: Vec<State> =
            view.agents.slots.iter().map(|slot| planning.table.plans[slot.index()].end.0).collect();
        let keys: Vec<PriorityKey> =
            (0..view.agents.len()).map(|row| planning.table.key(view, row)).collect();
        // The best that each can come to while all others keep their plans.
        let rows = 0..view.agents.len();
        let costs: Vec<u64> = rows
            .map(|row| {
                let yield_state = planning.table.yield_states[view.agents.slots[row].index()];
                if yield_state.key == PriorityKey::FIRST || yield_state.touched_at == view.tick {
                    return 0;
                }
                let stands = planning.table.plans[view.agents.slots[row].index()];
                let query = query_of_yielding(planning, row, keys[row]);
                let ahead = std::mem::take(&mut planning.ahead);
                let found = planning.search_moves(row, query, 0, None);
                planning.ahead = ahead;
                let as_it_stands = cost_of(planning, row, &stands);
                found.map_or(as_it_stands, |(_, cost)| as_it_stands.min(u64::from(cost)))
            })
            .collect();
        planning.set_guide_path(row, query.from.0);
        let done = plan_with_yielding_by(
            kind,
            planning,
            &mut coordination.inheritance,
            Root { row, query, cost: cost_below },
            decisions,
        );
        let log: Vec<usize> =
            coordination.inheritance.log.iter().map(|replanned| replanned.row as usize).collect();
        if !done {
            let again_at = planning.table.details[id].inheritance_retries[kind as usize].again_at;
            assert!(again_at > view.tick || cost_below == NO_PLAN_COST);
            assert_eq!(snapshot(planning, decisions), before);
            self.counts.failed[usize::from(log.len() > 1)] += 1;
            return false;
        }
        match kind {
            InheritanceKind::LowerPriority => self.counts.done[(log.len() - 1).min(3)] += 1,
            InheritanceKind::Neighbourhood => self.counts.by_neighbourhood[(log.len() - 1).min(3)] += 1,
        }
        assert!(log[0] == row && log.len() <= TrafficParams::USUAL.displaced_max as usize);
        assert_eq!(log.iter().collect::<BTreeSet<_>>().len(), log.len());
        let (state, arrival) = planning.table.plans[id].end;
        assert!(arrival.max(query.horizon) + to_go[state.0 as usize] < cost_below);

        let after = walks(planning.table, view);
        let collision = planning.table.reservations.rule();
        for (at, &other) in log.iter().enumerate() {
            check_plan(planning.table, view, other, decisions);
            for (third, walk) in after.iter().enumerate().filter(|(third, _)| *third != other) {
                assert!(!collide(view.tables, collision, &after[other], walk), "rows {other} and {third}");
            }
            if at == 0 {
                continue;
            }
            // It may yield, and is of lower priority where that counts.
            let (motion, other_id) = (&view.agents.motion[other], view.agents.slots[other].index());
            let stands = motion.at_rest() && is_idle(motion.activity) && walks_before[other].moves.is_empty();
            assert!(stands || is_following(motion));
            assert!(keys[other] > key || kind == InheritanceKind::Neighbourhood);
            self.counts.higher += u32::from(keys[other] < key);
            assert_eq!(before.yield_states[other_id].key, keys[other]);
            self.counts.replanned[usize::from(!stands)] += 1;
            // Under the discrete rule an agent may replan that would have been gone in time.
            let in_way = |&by: &usize| {
                let ends = [planning.table.plans[view.agents.slots[by].index()].end.0, ends_before[other]];
                collide(view.tables, collision, &after[by], &walks_before[other])
                    || needs_room_to_turn(planning.table, view, [by, other], ends)
            };
            assert!(collision == CollisionRule::Discrete || log[..at].iter().any(in_way), "row {other}");
        }
        let in_way_of_first =
            |&other: &usize| collide(view.tables, collision, &after[row], &walks_before[other]);
        // An agent in the way of yielding ones is asked for its cost when these have begun to yield.
        if kind == InheritanceKind::Neighbourhood && log[1..].iter().all(in_way_of_first) {
            // Together they come sooner than before, by half a step of the first at least.
            let mut sums = (u64::from(cost_below), 0);
            for (at, &other) in log.iter().enumerate() {
                let plan = planning.table.plans[view.agents.slots[other].index()];
                sums.0 += if at > 0 { costs[other] } else { 0 };
                sums.1 += cost_of(planning, other, &plan);
                if !is_following(&view.agents.motion[other]) && !plan.is_empty() {
                    sums.1 +=
                        u64::from(planning.table.step_ticks[view.agents.motion[other].class.0 as usize]);
                }
            }
            let step_ticks = planning.table.step_ticks[view.agents.motion[row].class.0 as usize];
            assert!(
                2 * sums.1 + u64::from(step_ticks) <= 2 * sums.0,
                "{sums:?}, {} replanned",
                log.len() - 1
            );
        }
        for other in (0..view.agents.len()).filter(|other| !log.contains(other)) {
            let id = view.agents.slots[other].index();
            assert_eq!(
                (head(planning.table, id), planning.table.yield_states[id]),
                (before.heads[id].clone(), before.yield_states[id])
            );
        }
        true
    }
}

/// Whether one of two agents, at rest in these states, rests where the other has to turn.
fn needs_room_to_turn(table: &PlanTable, view: &TrafficView<'_>, rows: [usize; 2], ends: [State; 2]) -> bool {
    let cells = |at: usize, turns: bool| -> BTreeSet<CellXY> {
        let class = view.agents.motion[rows[at]].class.0 as usize;
        let tables = &view.tables[class];
        let pose = tables.space().pose(ends[at]);
        let offsets = match turns {
            true => table.turnaround.cells_at((class, tables), ends[at]),
            false => tables.class().cells_at(pose),
        };
        offsets.iter().map(|offset| offset.cell_from(pose.cell)).collect()
    };
    [(0, 1), (1, 0)].iter().any(|&(turns, rests)| !cells(turns, true).is_disjoint(&cells(rests, false)))
}

/// The moves of a plan are legal, none begins before the one before it has ended, and the agent's path begins with
/// them.
fn check_plan(table: &PlanTable, view: &TrafficView<'_>, row: usize, decisions: &Decisions) {
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let plan = &table.plans[view.agents.slots[row].index()];
    let (mut state, mut ready) = end_of_move(tables, motion, view.tick);
    for planned in plan.moves() {
        let primitive = usize::from(planned.primitive);
        assert_eq!(tables.move_ticks(state, primitive), Some(planned.ticks));
        assert!(planned.start >= ready);
        (state, ready) = (tables.state_after(state, primitive), planned.start + planned.ticks);
    }
    assert_eq!(plan.end, (state, ready));
    let rerouted = decisions.reroutes.iter().rfind(|reroute| reroute.row as usize == row);
    let path = match rerouted {
        Some(reroute) => &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize],
        None => view.paths.moves(view.agents.paths[row]),
    };
    assert!(plan.begins(path));
}

/// Ticks of a run.
const TICKS: u32 = 80;

/// Agents of three classes and several priorities, most with two goals to go to and fro between.
fn crowd() -> impl Strategy<Value = Option<HandWorld>> {
    (shape(), 1_u32..20).prop_flat_map(|(shape, walls)| {
        let classes = (class("a", shape, (1, 1)), class("b", shape, (3, 2)), class("c", shape, (5, 3)));
        let groups = prop::collection::vec((0_u8..3, 1_u32..5, -3_i32..4, 0_usize..4), 5..12);
        (rows(walls, 6..12), classes, groups, rule(), any::<u64>()).prop_map(
            move |(rows, (a, b, c), groups, rule, seed)| {
                let ground = Ground::new(shape, &rows, &[a, b, c])?;
                let (mut world, mut random) = (HandWorld::new(ground, rule), Random::new(seed));
                for (class, count, priority, n_goals) in groups {
                    for _ in 0..count {
                        let ground = &world.ground;
                        let space = ground.tables[usize::from(class)].space();
                        let goals =
                            (0..n_goals).filter_map(|_| ground.any_state(usize::from(class), &mut random));
                        let goals = goals.map(|goal| space.pose(goal).cell).collect();
                        let trips = Trips { goals, is_patrol: n_goals > 1, ..Trips::default() };
                        // Where there is no room the group is smaller.
                        let _ = world.add_anywhere(class, priority, trips, &mut random);
                    }
                }
                Some(world)
            },
        )
    })
}

fn audit(world: &HandWorld, rule: &Cooperative) {
    let view = world.view();
    let audit = rule.audit(view.agents, view.tables, view.grid_size, view.tick);
    audit.check_reservations();
    audit.check_heads();
    audit.check_inside();
}

#[test]
fn yielding_agents_plan_around_the_first_or_nothing_changes() {
    let config = ProptestConfig {
        // More than two replanned agents together are rare: some 5 of 80 worlds.
        cases: super::cases(1280),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    };
    let total = RefCell::new(Counts::default());
    let result = TestRunner::new(config).run(&(crowd(), any::<u64>()), |(world, seed)| {
        let Some(mut world) = world else { return Ok(()) };
        let (rule, random) = (cooperative(&world), Random::new(seed));
        let mut observed = Observed { rule, observer: Observer { random, counts: Counts::default() } };
        while world.tick < TICKS {
            world.step(&mut observed);
            audit(&world, &observed.rule);
        }
        let Counts { done, failed, replanned, by_neighbourhood, higher } = observed.observer.counts;
        let mut total = total.borrow_mut();
        total.done.iter_mut().zip(done).for_each(|(sum, n)| *sum += n);
        total.failed.iter_mut().zip(failed).for_each(|(sum, n)| *sum += n);
        total.replanned.iter_mut().zip(replanned).for_each(|(sum, n)| *sum += n);
        total.by_neighbourhood.iter_mut().zip(by_neighbourhood).for_each(|(sum, n)| *sum += n);
        total.higher += higher;
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let counts = total.into_inner();
    let Counts { done, failed, replanned, by_neighbourhood, higher } = counts;
    let often =
        done[1..].iter().chain(&failed).chain(&replanned).chain(&by_neighbourhood[1..]).chain([&higher]);
    let least = super::cases(20);
    assert!(often.copied().all(|n| n > least), "{counts:?}");
}

/// A rule under which the first agent makes the other yield once both have their paths, and no agent moves.
#[derive(Clone)]
struct Once {
    rule: Cooperative,
    /// Whether it did, the plans of both, and whether all is as before.
    seen: Option<(bool, [Plan; 2], bool)>,
}

impl Traffic for Once {
    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }

    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let rule = &mut self.rule;
        rule.update(view, decisions);
        let (key, row) = rule.due[0];
        assert_eq!(row, 0);
        let (mut planning, coordination) = rule.planning(view);
        let query = query_of(&mut planning, &mut coordination.push.avoided, 0, key).unwrap();
        // Corridors are entered one way at a time, so that no two meet in a lane; here they do.
        planning.ahead.clear();
        let before = snapshot(&planning, decisions);
        let root = Root { row: 0, query, cost: NO_PLAN_COST };
        let done = plan_with_yielding(&mut planning, &mut coordination.inheritance, root, decisions);
        let plans = [planning.table.plans[0], planning.table.plans[1]];
        self.seen = Some((done, plans, snapshot(&planning, decisions) == before));
    }
}

/// Two meet in a lane. Where there is a bay between them, the agent of lower priority goes into it and the other
/// straight on; without a bay nothing changes.
#[test]
fn the_other_goes_into_the_bay_or_nothing_changes() {
    for (bay, collision) in [true, false].into_iter().flat_map(|bay| RULES.map(|rule| (bay, rule))) {
        let ground = Ground::square(&[if bay { "###.###" } else { "#######" }, "......."], &[dot(2)]);
        let mut world = HandWorld::new(ground, collision);
        let to = |x| Trips { goals: vec![CellXY::new(x, 1)], ..Trips::default() };
        world.add(0, Pose::new(0, 1, Heading(0)), 1, to(6));
        world.add(0, Pose::new(4, 1, Heading(0)), 0, to(0));
        let mut once = Once { rule: cooperative(&world), seen: None };
        world.step(&mut once);
        let (done, [first, other], is_as_before) = once.seen.unwrap();
        assert_eq!((done, is_as_before), (bay, !bay), "{collision:?}");
        if bay {
            let begin = first.moves()[0].start;
            let straight = (0..6).map(|at| PlannedMove { start: begin + 2 * at, ticks: 2, primitive: 0 });
            assert!(first.moves().iter().copied().eq(straight), "{collision:?}: {first:?}");
            let primitives: Vec<u8> = other.moves().iter().map(|planned| planned.primitive).collect();
            assert!(primitives.starts_with(&[2, 1]), "{collision:?}: {primitives:?}");
        }
    }
}

/// Agents plan among each other where there is memory for one cost window, so that each window evicts the one
/// before. Once, an agent read its window after agents that yielded to it had evicted it.
#[test]
fn windows_may_evict_each_other_during_priority_inheritance() {
    let rows = ["...........", "...........", "####...####", "...........", "..........."];
    let mut spec = ClassSpec::new("a", 4);
    spec.primitives =
        vec![Primitive::step("f", (1, 0), 2), Primitive::turn("l", 1, 1), Primitive::turn("r", -1, 1)];
    let mut world = HandWorld::new(Ground::square(&rows, &[spec]), CollisionRule::Swept);
    let mut random = Random::new(0);
    for (x, to) in [(0, 10), (7, 0)] {
        let goals = [(to, 0), (to, 4), (x, 4), (x, 0)].map(|(x, y)| CellXY::new(x, y)).to_vec();
        let mut n_placed = 0;
        while n_placed < 6 {
            let state = world.ground.any_state(0, &mut random).unwrap();
            let pose = world.ground.tables[0].space().pose(state);
            if (x..x + 4).contains(&pose.cell.x) && world.has_room(0, state) {
                world.add(0, pose, 0, Trips { goals: goals.clone(), is_patrol: true, done: 0 });
                n_placed += 1;
            }
        }
    }
    let mut rule = cooperative(&world);
    rule.search.windows.shrink_to_one();
    let mut any_retry = false;
    for _ in 0..400 {
        world.step(&mut rule);
        let mut n_fields = 0;
        rule.search.windows.for_each_word(&mut |_| n_fields += 1);
        assert!(n_fields <= 1);
        any_retry |= rule
            .table
            .details
            .iter()
            .any(|details| details.inheritance_retries.iter().any(|retry| retry.failures > 0));
    }
    assert!(any_retry && world.moves_begun > 1000, "{}", world.moves_begun);
}
