//! Lifting in crowds on the move, held against what the agents do cell by cell: who plans anew for whom, that
//! all that they do then fits together, and that nothing is left of a try in vain.

use super::cooperative::{Shared, check_reservations, crowd, fitted, fresh_rule, walk_of};
use super::scenes::{Walk, built, collide, map_of};
use crate::{RunState, World, invariant};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::BTreeSet;
use wheelbase_planner::model::State;
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::cooperative::corridor_entry::look_ahead;
use wheelbase_traffic::cooperative::displaced::{DisplacementKind, Retry};
use wheelbase_traffic::cooperative::displacement::query_of_displaced;
use wheelbase_traffic::cooperative::local_field::GuidePose;
use wheelbase_traffic::cooperative::plan::{Plan, PlannedMove};
use wheelbase_traffic::cooperative::plan_table::PlanTable;
use wheelbase_traffic::cooperative::planning::Planning;
use wheelbase_traffic::cooperative::prioritized::{Others, lets_pass, plan_one};
use wheelbase_traffic::cooperative::reservations::YieldState;
use wheelbase_traffic::cooperative::retreat::Pushing;
use wheelbase_traffic::cooperative::sipp::SippQuery;
use wheelbase_traffic::cooperative::*;
use wheelbase_traffic::decisions::Decisions;
use wheelbase_traffic::priority::PriorityKey;
use wheelbase_traffic::random::Random;
use wheelbase_traffic::rule::Traffic;
use wheelbase_traffic::view::TrafficView;

/// All that a try in vain is to leave as it was.
#[derive(Debug, PartialEq)]
struct Whole {
    /// By id; of the one that tries but for when it tries again.
    heads: Vec<String>,
    yield_states: Vec<YieldState>,
    /// Cell, agent, from and until, of what the claims say from now on.
    reservations: BTreeSet<(usize, u32, u32, u32)>,
    guide_path: Vec<GuidePose>,
    ahead: String,
    corridor_control: Vec<u64>,
    n_decided: [usize; 4],
}

fn head(table: &PlanTable, id: usize) -> String {
    let cold = PlanCold { displace_retries: Retry::NEW, ..table.cold[id] };
    format!("{:?} {cold:?} {:?}", table.heads[id], table.plans[id])
}

fn whole(now: &Planning<'_>, decisions: &Decisions) -> Whole {
    let (view, table) = (now.view, &*now.table);
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
    Whole {
        heads: (0..table.heads.len()).map(|id| head(table, id)).collect(),
        yield_states: table.yield_states.clone(),
        reservations,
        guide_path: now.guide_path.clone(),
        ahead: format!("{:?}", now.ahead),
        corridor_control,
        n_decided: [starts.len(), reroutes.len(), reroute_moves.len(), replan.len()],
    }
}

/// What all agents will do, by row; the present tick counts as 0.
fn walks(table: &PlanTable, view: &TrafficView<'_>) -> Vec<Walk> {
    let from_now = |row| {
        let mut walk = walk_of((view.agents, view.tick), table, row);
        walk.moves.iter_mut().for_each(|planned| planned.start -= view.tick);
        walk
    };
    (0..view.agents.len()).map(from_now).collect()
}

/// What an agent that is due asks for where it would lift others, with its line made;
/// `None` where it would not look for a plan of its own.
fn quest_of(now: &mut Planning<'_>, room: &mut Pushing, row: usize, key: PriorityKey) -> Option<SippQuery> {
    let view = now.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, motion, view.tick);
    let path = view.paths.moves(view.agents.paths[row]);
    let goes_on = tables.move_ticks(from.0, usize::from(*path.first()?)).is_some();
    if lets_pass(now, room, row) || !goes_on {
        return None;
    }
    look_ahead(now, room, row, from.0, key);
    Some(query_of_displaced(now, row, key))
}

/// What a plan of an agent costs, as the field says with which it has searched; it is all the same to one that
/// has nowhere to go.
fn cost_of(now: &Planning<'_>, row: usize, plan: &Plan) -> u64 {
    let view = now.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, motion, view.tick);
    let (end, ready) = plan.end;
    let horizon = from.1 + now.table.step_ticks[motion.class.0 as usize] * TrafficParams::USUAL.horizon_steps;
    let field = || now.search.fields.kept(view.agents.ids[row].0).unwrap();
    let space = tables.space();
    let left = if goes(motion) { field().cost(space.pose(end), space.headings()) } else { 0 };
    u64::from(ready.max(horizon)) + u64::from(left)
}

/// What came of the tries.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Those that came about, by how many were lifted: none, one, two, more.
    done: [u32; 4],
    /// Those in vain for which nobody had been lifted yet, and for which some had.
    in_vain: [u32; 2],
    /// Of those lifted: they had nothing to do, they were under way.
    displaceable: [u32; 2],
    /// Those that came about for all, by how many were lifted, and of those the ones of higher rank.
    for_all: [u32; 4],
    higher: u32,
}

/// The rule, but that many of those that are due lift others without need.
struct Watched {
    rule: Cooperative,
    watch: Watch,
}

struct Watch {
    /// The same world, for where agents are.
    scene: World,
    random: Random,
    counts: Counts,
}

impl Traffic for Watched {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let Self { rule, watch } = self;
        rule.follow(view, decisions);
        let due = rule.due.clone();
        let (mut now, others) = rule.planning(view);
        for (key, row) in due {
            let row = row as usize;
            if now.table.heads[view.agents.ids[row].0 as usize].next_try > view.tick {
                continue;
            }
            if watch.random.below(2) > 0 || !watch.displace((&mut now, others), row, key, decisions) {
                plan_one(&mut now, others, row, key, decisions);
            }
        }
        rule.scratch = now.into_scratch();
        rule.begin_moves(view, decisions);
    }
}

impl Watch {
    /// Has an agent lift others for less than it costs without that, if it can, and checks what comes of it;
    /// says whether it has a plan.
    fn displace(
        &mut self,
        (now, others): (&mut Planning<'_>, &mut Others),
        row: usize,
        key: PriorityKey,
        decisions: &mut Decisions,
    ) -> bool {
        let view = now.view;
        let Some(query) = quest_of(now, &mut others.pushing, row, key) else { return false };
        if now.stop <= TrafficParams::USUAL.horizon_steps {
            // It is kept from a passage, and lifts nobody.
            return false;
        }
        let id = view.agents.ids[row].0 as usize;
        let found = now.search_moves(row, query, (0, None));
        let cost_below = found.map_or(u32::MAX, |(_, cost)| cost);
        let space = view.tables[view.agents.motion[row].class.0 as usize].space();
        let states = (0..space.n_states() as u32).map(State);
        let to_go: Vec<u32> = states.map(|state| now.cost_to_go(row, state)).collect();
        now.table.cold[id].displace_retries = Retry::NEW;
        others.displacement.lns_expansions_left = u64::MAX;
        let aim = if self.random.below(2) == 0 {
            DisplacementKind::LowerPriority
        } else {
            DisplacementKind::Neighbourhood
        };
        // Some run out of tries amid all that.
        let tries = if self.random.below(4) == 0 { 1 + self.random.below(60) as u64 } else { view.tries };
        let (before, walks_before) = (whole(now, decisions), walks(now.table, view));
        let places: Vec<PriorityKey> = (0..view.agents.len()).map(|row| now.table.key(view, row)).collect();
        // What each can come to while all others stand, at best.
        let rows = 0..view.agents.len();
        let costs: Vec<u64> = rows
            .map(|row| {
                let yield_state = now.table.yield_states[view.agents.ids[row].0 as usize];
                if yield_state.key == PriorityKey::FIRST || yield_state.touched_at == view.tick {
                    return 0;
                }
                let stands = now.table.plans[view.agents.ids[row].0 as usize];
                let query = query_of_displaced(now, row, places[row]);
                let ahead = std::mem::take(&mut now.ahead);
                let found = now.search_moves(row, query, (0, None));
                now.ahead = ahead;
                let as_it_stands = cost_of(now, row, &stands);
                found.map_or(as_it_stands, |(_, cost)| as_it_stands.min(u64::from(cost)))
            })
            .collect();
        now.make_guide_path(row, query.from.0);
        now.search.tries_left = tries;
        let done = others.displacement.displace_with(now, row, query, cost_below, aim, decisions);
        now.search.tries_left = view.tries;
        let log: Vec<usize> =
            others.displacement.log.iter().map(|displaceable| displaceable.row as usize).collect();
        if !done {
            let again_at = now.table.cold[id].displace_retries[aim as usize].again_at;
            assert!(again_at > view.tick || cost_below == u32::MAX);
            assert_eq!(whole(now, decisions), before);
            self.counts.in_vain[usize::from(log.len() > 1)] += 1;
            return false;
        }
        match aim {
            DisplacementKind::LowerPriority => self.counts.done[(log.len() - 1).min(3)] += 1,
            DisplacementKind::Neighbourhood => self.counts.for_all[(log.len() - 1).min(3)] += 1,
        }
        assert!(log[0] == row && log.len() <= TrafficParams::USUAL.displaced_max as usize);
        assert_eq!(log.iter().collect::<BTreeSet<_>>().len(), log.len());
        let (state, arrival) = now.table.plans[id].end;
        assert!(arrival.max(query.horizon) + to_go[state.0 as usize] < cost_below);

        let after = walks(now.table, view);
        let collision = now.table.reservations.rule();
        for (at, &other) in log.iter().enumerate() {
            check_plan(now.table, view, other, decisions);
            for (third, walk) in after.iter().enumerate().filter(|(third, _)| *third != other) {
                assert!(!collide(&self.scene, collision, &after[other], walk), "rows {other} and {third}");
            }
            if at == 0 {
                continue;
            }
            // It may be lifted, and is of lower rank where that counts.
            let (motion, other_id) = (&view.agents.motion[other], view.agents.ids[other].0 as usize);
            let stands = motion.at_rest() && is_idle(motion.activity) && walks_before[other].moves.is_empty();
            assert!(stands || goes(motion));
            assert!(places[other] > key || aim == DisplacementKind::Neighbourhood);
            self.counts.higher += u32::from(places[other] < key);
            assert_eq!(before.yield_states[other_id].key, places[other]);
            self.counts.displaceable[usize::from(!stands)] += 1;
            // Under the other rule one may be lifted that would have been gone in time.
            let in_way = |&by: &usize| collide(&self.scene, collision, &after[by], &walks_before[other]);
            assert!(collision == CollisionRule::Discrete || log[..at].iter().any(in_way), "row {other}");
        }
        let in_way_of_first =
            |&other: &usize| collide(&self.scene, collision, &after[row], &walks_before[other]);
        // One that is in the way of those lifted is asked for its cost when these have begun to give way.
        if aim == DisplacementKind::Neighbourhood && log[1..].iter().all(in_way_of_first) {
            // Together they come sooner than before, by half a step of the first at least.
            let mut sums = (u64::from(cost_below), 0);
            for (at, &other) in log.iter().enumerate() {
                let plan = now.table.plans[view.agents.ids[other].0 as usize];
                sums.0 += if at > 0 { costs[other] } else { 0 };
                sums.1 += cost_of(now, other, &plan);
                if !goes(&view.agents.motion[other]) && !plan.is_empty() {
                    sums.1 += u64::from(now.table.step_ticks[view.agents.motion[other].class.0 as usize]);
                }
            }
            let step_ticks = now.table.step_ticks[view.agents.motion[row].class.0 as usize];
            assert!(2 * sums.1 + u64::from(step_ticks) <= 2 * sums.0, "{sums:?}, {} lifted", log.len() - 1);
        }
        for other in (0..view.agents.len()).filter(|other| !log.contains(other)) {
            let id = view.agents.ids[other].0 as usize;
            assert_eq!(
                (head(now.table, id), now.table.yield_states[id]),
                (before.heads[id].clone(), before.yield_states[id])
            );
        }
        true
    }
}

/// The moves of a plan are legal, none begins before the one ahead of it has ended, and the agent's path
/// begins with them.
fn check_plan(table: &PlanTable, view: &TrafficView<'_>, row: usize, decisions: &Decisions) {
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let plan = &table.plans[view.agents.ids[row].0 as usize];
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

#[test]
fn those_lifted_plan_around_the_first_or_nothing_changes() {
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    };
    let total = RefCell::new(Counts::default());
    let result = TestRunner::new(config).run(&(crowd(), any::<u64>()), |((head, groups, _), seed)| {
        let Some(text) = fitted(&(head, groups, String::new())) else { return Ok(()) };
        let (Some(mut world), Some(scene)) = (built(&text), built(&text)) else { return Ok(()) };
        let (rule, random) = (fresh_rule(&world), Random::new(seed));
        let watched = Shared::give(
            &mut world,
            Watched { rule, watch: Watch { scene, random, counts: Counts::default() } },
        );
        while world.tick < TICKS && world.step() != RunState::Ended {
            prop_assert_eq!(invariant::check(&world), []);
            check_reservations(&world, &watched.0.lock().unwrap().rule);
        }
        let Counts { done, in_vain, displaceable, for_all, higher } = watched.0.lock().unwrap().watch.counts;
        let mut total = total.borrow_mut();
        total.done.iter_mut().zip(done).for_each(|(sum, n)| *sum += n);
        total.in_vain.iter_mut().zip(in_vain).for_each(|(sum, n)| *sum += n);
        total.displaceable.iter_mut().zip(displaceable).for_each(|(sum, n)| *sum += n);
        total.for_all.iter_mut().zip(for_all).for_each(|(sum, n)| *sum += n);
        total.higher += higher;
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let counts = total.into_inner();
    let Counts { done, in_vain, displaceable, for_all, higher } = counts;
    let often = done[1..].iter().chain(&in_vain).chain(&displaceable).chain(&for_all[1..]).chain([&higher]);
    assert!(often.copied().all(|n| n > 20), "{counts:?}");
}

/// A rule under which the first agent lifts the other once both have their paths, and nobody moves.
struct Once {
    rule: Cooperative,
    /// Whether it came about, and the plans of both; whether all was as before.
    seen: Option<(bool, [Plan; 2], bool)>,
}

impl Traffic for Once {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        if self.seen.is_some() || !view.agents.motion.iter().all(goes) {
            return;
        }
        let rule = &mut self.rule;
        rule.follow(view, decisions);
        let (key, row) = rule.due[0];
        assert_eq!(row, 0);
        let (mut now, others) = rule.planning(view);
        let query = quest_of(&mut now, &mut others.pushing, 0, key).unwrap();
        // Passages are entered by turns, so that nobody meets in a lane; here they are to.
        now.ahead.clear();
        let before = whole(&now, decisions);
        let done = others.displacement.displace(&mut now, 0, query, u32::MAX, decisions);
        let plans = [now.table.plans[0], now.table.plans[1]];
        self.seen = Some((done, plans, whole(&now, decisions) == before));
    }
}

/// Two meet in a lane. Where there is a bay between them, the one of lower rank goes into it and the other
/// straight on; without one nothing changes.
#[test]
fn the_other_goes_into_the_bay_or_nothing_changes() {
    for (bay, collision) in
        [true, false].into_iter().flat_map(|bay| ["swept", "discrete"].map(|rule| (bay, rule)))
    {
        let rows = [if bay { "###.###" } else { "#######" }, "......."].map(String::from);
        let text = format!(
            "name = \"bay\"\nticks = 9\ncollision = \"{collision}\"\n{}[class.a]\nheadings = 1\nmoves = [\n\
             {{ name = \"E\", by = [1, 0], time = 2 }}, {{ name = \"N\", by = [0, -1], time = 2 }},\n\
             {{ name = \"W\", by = [-1, 0], time = 2 }}, {{ name = \"S\", by = [0, 1], time = 2 }}]\n\
             [[agents]]\nclass = \"a\"\nat = [0, 1]\npriority = 1\norders = [{{ goto = [6, 1] }}]\n\
             [[agents]]\nclass = \"a\"\nat = [4, 1]\norders = [{{ goto = [0, 1] }}]\n",
            map_of("square", &rows)
        );
        let mut world = built(&text).unwrap();
        let rule = fresh_rule(&world);
        let once = Shared::give(&mut world, Once { rule, seen: None });
        while world.step() != RunState::Ended {}
        let (done, [first, other], is_as_before) = once.0.lock().unwrap().seen.unwrap();
        assert_eq!((done, is_as_before), (bay, !bay), "{collision}");
        if bay {
            let begin = first.moves()[0].start;
            let straight = (0..6).map(|at| PlannedMove { start: begin + 2 * at, ticks: 2, primitive: 0 });
            assert!(first.moves().iter().copied().eq(straight), "{collision}: {first:?}");
            let primitives: Vec<u8> = other.moves().iter().map(|planned| planned.primitive).collect();
            assert!(primitives.starts_with(&[2, 1]), "{collision}: {primitives:?}");
        }
    }
}

/// Agents plan among each other where there is room for the field of one alone, so that each takes the place of
/// the one before: once, an agent was to read its own after it had made room for those that it lifted.
#[test]
fn fields_may_make_way_for_each_other_while_others_are_lifted() {
    let rows = ["...........", "...........", "####...####", "...........", "..........."].map(String::from);
    let side = |name: &str, x: i32, to: i32| {
        format!(
            "[[groups]]\nclass = \"{name}\"\ncount = 6\narea = [{x}, 0, 4, 5]\n\
             orders = [{{ patrol = [[{to}, 0], [{to}, 4], [{x}, 4], [{x}, 0]] }}]\n"
        )
    };
    let class = "[class.a]\nheadings = 4\nmoves = [{ name = \"f\", by = [1, 0], time = 2 },\n\
                 { name = \"l\", turn = 1, time = 1 }, { name = \"r\", turn = -1, time = 1 }]\n";
    let text = format!(
        "name = \"full\"\nticks = 400\n{}{class}{}{}",
        map_of("square", &rows),
        side("a", 0, 10),
        side("a", 7, 0)
    );
    let mut world = built(&text).unwrap();
    let mut rule = fresh_rule(&world);
    rule.search.fields.shrink_to_one();
    let rule = Shared::give(&mut world, rule);
    let mut any_retry = false;
    while world.step() != RunState::Ended {
        assert_eq!(invariant::check(&world), []);
        let rule = rule.0.lock().unwrap();
        let mut n_fields = 0;
        rule.search.fields.for_each_word(&mut |_| n_fields += 1);
        assert!(n_fields <= 1);
        any_retry |=
            rule.table.cold.iter().any(|cold| cold.displace_retries.iter().any(|retry| retry.failures > 0));
    }
    assert!(any_retry && world.counts().moves > 1000, "{:?}", world.counts());
}
