//! Rules that are saved, restored, cloned and copied decide like the original from then on; forged states are errors,
//! or harmless.

use super::ground::{Ground, RULES, at, dot, ground, rule, truck};
use super::hand_world::{HandWorld, Trips, cooperative, to};
use crate::collision::CollisionRule;
use crate::decisions::Decisions;
use crate::motion::AgentId;
use crate::params::TrafficParams;
use crate::random::Random;
use crate::rule::{Traffic, save_state};
use crate::rule_state::RuleState;
use crate::teams::Team;
use crate::view::TrafficView;
use crate::{Commanded, DecisionFeed, RecordedRule, Reroute, RuleContext, Start, UnitRobots};
use proptest::prelude::*;
use wheelbase_grid::{CellXY, Rect, TerrainKind};
use wheelbase_planner::{ClassSpec, Primitive};

/// Makes a fresh rule for a world as it is.
type Fresh = fn(&HandWorld) -> Box<dyn Traffic>;

fn fresh_cooperative(world: &HandWorld) -> Box<dyn Traffic> {
    Box::new(cooperative(world))
}

fn fresh_robots(world: &HandWorld) -> Box<dyn Traffic> {
    let tables = &world.ground.tables[0];
    let rule = UnitRobots::to_restore(tables, world.occupancy.rule(), 1, TrafficParams::USUAL);
    Box::new(rule.unwrap())
}

/// A rule and others that were made of it: all decide, and must decide alike.
struct Together {
    rules: Vec<Box<dyn Traffic>>,
    decisions: Decisions,
}

fn words(rule: &dyn Traffic) -> Vec<u64> {
    let mut words = Vec::new();
    rule.for_each_word(&mut |word| words.push(word));
    words
}

impl Traffic for Together {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let (first, others) = self.rules.split_first_mut().unwrap();
        first.decide(view, decisions);
        for (number, other) in others.iter_mut().enumerate() {
            self.decisions.clear();
            other.decide(view, &mut self.decisions);
            assert_eq!(&self.decisions, decisions, "tick {}: rule {}", view.tick, number + 1);
        }
    }

    fn needs_paths(&self) -> bool {
        self.rules[0].needs_paths()
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        unreachable!("it stays where it is")
    }
}

impl Together {
    fn new(rule: Box<dyn Traffic>) -> Self {
        Self { rules: vec![rule], decisions: Decisions::default() }
    }

    /// Adds a restored rule, a clone and a copy; some of the former ones go.
    fn copy(&mut self, world: &HandWorld, fresh: Fresh, random: &mut Random) {
        let state = save_state(&*self.rules[0]);
        let mut restored = fresh(world);
        world.restore(&mut *restored, &state).unwrap_or_else(|error| panic!("tick {}: {error}", world.tick));
        if let Some(mut rule) = (self.rules.len() > 1).then(|| self.rules.swap_remove(1)) {
            assert!(rule.copy_from(&*self.rules[0]));
            self.rules.push(rule);
        }
        while self.rules.len() > 3 {
            let gone = 1 + random.below(self.rules.len() - 1);
            self.rules.remove(gone);
        }
        self.rules.push(restored);
        self.rules.push(self.rules[0].clone_box());
        self.check_hashes(world.tick);
    }

    fn check_hashes(&self, tick: u32) {
        let first = words(&*self.rules[0]);
        for (number, rule) in self.rules.iter().enumerate() {
            assert_eq!(words(&**rule), first, "tick {tick}: rule {number}");
        }
    }

    fn check_states(&self, tick: u32) {
        let first = save_state(&*self.rules[0]);
        for (number, rule) in self.rules.iter().enumerate() {
            let state = save_state(&**rule);
            for (one, other) in state.parts.iter().zip(&first.parts) {
                assert_eq!(one, other, "tick {tick}: rule {number}");
            }
        }
    }

    /// Steps the world, sometimes with new copies before.
    fn step(&mut self, world: &mut HandWorld, fresh: Fresh, random: &mut Random) {
        // What has happened since the last tick the rules do not know yet.
        if random.below(6) == 0 {
            self.copy(world, fresh, random);
        }
        world.step(self);
        self.check_hashes(world.tick);
        if random.below(3) == 0 {
            self.check_states(world.tick);
        }
        if random.below(6) == 0 {
            self.copy(world, fresh, random);
            self.check_states(world.tick);
        }
    }
}

/// What a host may do between two ticks.
fn disturb(world: &mut HandWorld, random: &mut Random, n_max: usize, edits: bool) {
    let any = |world: &HandWorld, random: &mut Random| -> Option<AgentId> {
        (!world.ids.is_empty()).then(|| world.ids[random.below(world.ids.len())])
    };
    let size = world.ground.grid.size();
    let cell = |random: &mut Random| {
        let (x, y) = (random.below(size.width() as usize), random.below(size.height() as usize));
        CellXY::new(x as i32, y as i32)
    };
    if world.ids.len() < n_max && random.below(8) == 0 {
        for _ in 0..random.below(4) {
            let goals = if random.below(4) == 0 { Vec::new() } else { vec![cell(random), cell(random)] };
            let trips = Trips { goals, is_patrol: random.below(3) > 0, done: 0 };
            let class = random.below(world.ground.tables.len()) as u8;
            let priority = random.below(40) as i32;
            world.add_anywhere(class, priority, trips, random);
        }
    }
    let Some(id) = any(world, random) else { return };
    match random.below(60) {
        0 | 1 => world.remove(id),
        2 => {
            let holds = !world.holds[world.row(id)];
            world.set_hold(id, holds);
        }
        3 => world.set_team(id, Team(random.below(3) as u8)),
        4 => world.set_speed(id, [1000, 1000, 500, 2500][random.below(4)]),
        5 => {
            let class = random.below(world.ground.tables.len());
            let state = world.ground.any_state(class, random);
            let rests = world.motion[world.row(id)].at_rest();
            if let Some(state) = state.filter(|_| rests) {
                world.set_class(id, class as u8, state);
            }
        }
        6 if edits => {
            let cell = cell(random);
            let is_held =
                world.occupancy.holder_at(cell).is_some() || world.occupancy.arriving_at(cell).is_some();
            // Under the discrete rule a body may sweep cells that nobody holds.
            if !is_held && world.motion.iter().all(|motion| motion.at_rest()) {
                world.edit(Rect::new(cell.x, cell.y, 1, 1), TerrainKind(random.below(4) as u8));
            }
        }
        _ => {}
    }
}

fn check_cooperative(
    ground: &Ground,
    collision: CollisionRule,
    seed: u64,
    (n_max, ticks): (usize, u32),
) -> Result<(), TestCaseError> {
    let mut random = Random::new(seed);
    let mut world = HandWorld::new(ground.clone(), collision);
    world.friends.befriend(Team(0), Team(1));
    let mut together = Together::new(fresh_cooperative(&world));
    for _ in 0..20 {
        disturb(&mut world, &mut random, n_max, true);
    }
    for _ in 0..ticks {
        disturb(&mut world, &mut random, n_max, true);
        together.step(&mut world, fresh_cooperative, &mut random);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_rule_decides_like_the_saved_one(
        ground in ground(20), rule in rule(), seed in any::<u64>(),
    ) {
        let Some(ground) = ground else { return Ok(()) };
        check_cooperative(&ground, rule, seed, (20, 150))?;
    }

    #[test]
    fn also_in_crowds_before_corridors(rule in rule(), seed in any::<u64>()) {
        let rows = ["....#######.....", "................", "....#######.....", "....#######.....", "................", "....#######....."];
        check_cooperative(&Ground::square(&rows, &[dot(1), truck()]), rule, seed, (26, 300))?;
    }
}

/// Memory for one cost window: windows of former paths may be dropped too.
#[test]
fn the_order_of_fields_is_kept() {
    fn fresh(world: &HandWorld) -> Box<dyn Traffic> {
        let mut rule = cooperative(world);
        rule.search.windows.bytes_max = 20_000;
        Box::new(rule)
    }
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&["................"; 12], &[dot(1)]), collision);
        let mut random = Random::new(5);
        for _ in 0..60 {
            let mut goal = || CellXY::new(random.below(16) as i32, random.below(12) as i32);
            let trips = Trips { goals: vec![goal(), goal()], is_patrol: true, done: 0 };
            world.add_anywhere(0, 0, trips, &mut random);
        }
        let mut together = Together::new(fresh(&world));
        for _ in 0..200 {
            together.step(&mut world, fresh, &mut random);
        }
    }
}

/// A world in which much happens among few agents, at a tick. `pending`: with changes that the rule has not seen.
fn small_world(collision: CollisionRule, stop: u32, pending: bool) -> (HandWorld, Box<dyn Traffic>) {
    let lane = Ground::square(&["....####.##....", "...............", "....#######...."], &[dot(2), truck()]);
    let mut world = HandWorld::new(lane, collision);
    for y in 0..3 {
        world.add(0, at(0, y), 0, to(14, y));
        world.add(0, at(14, y), 1, to(0, 2 - y));
    }
    world.add(0, at(6, 1), 0, Trips::default());
    world.add_anywhere(1, 0, to(13, 1), &mut Random::new(3));
    world.set_team(world.ids[2], Team(1));
    world.friends.befriend(Team(0), Team(1));
    let mut rule = fresh_cooperative(&world);
    while world.tick < stop {
        // The numbers of corridors change.
        if world.tick == 6 || world.tick == 7 {
            world.edit(Rect::new(5, 0, 1, 1), TerrainKind([3, 2][world.tick as usize - 6]));
        }
        world.step(&mut *rule);
    }
    if pending {
        world.edit(Rect::new(5, 2, 1, 1), TerrainKind(3));
        world.remove(world.ids[1]);
        world.set_speed(world.ids[0], 500);
        world.add_anywhere(0, 0, to(0, 0), &mut Random::new(4));
    }
    (world, rule)
}

/// What a value is changed to.
fn other_values(value: u64) -> impl Iterator<Item = u64> {
    let near = [value.wrapping_add(1), value.wrapping_sub(1), value.wrapping_add(7), value ^ 1 << 31];
    let others = [0, 1, 2, 0xffff_fffe, u64::MAX].into_iter().chain(near);
    others.filter(move |&other| other != value)
}

/// Restores forged states: each is an error, or does no harm in the ticks that follow.
struct Forger<'a> {
    world: &'a HandWorld,
    fresh: Fresh,
    n: u32,
    n_errors: u32,
}

impl Forger<'_> {
    fn restore(&mut self, forged: &RuleState, what: impl Fn() -> String) {
        let run = || {
            let mut rule = (self.fresh)(self.world);
            if let Err(error) = self.world.restore(&mut *rule, forged) {
                assert!(!error.to_string().is_empty());
                return true;
            }
            let mut world = self.world.clone();
            world.may_overlap = true;
            for _ in 0..50 {
                world.step(&mut *rule);
            }
            false
        };
        let is_error = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let is_error = is_error.unwrap_or_else(|_| panic!("tick {}: {}", self.world.tick, what()));
        self.n_errors += u32::from(is_error);
        self.n += 1;
    }

    /// Changes values one by one, at most a given number in each part.
    fn change_each(&mut self, state: &RuleState, samples: usize) {
        for (number, part) in state.parts.iter().enumerate() {
            let name = &part.name;
            for (at, &value) in
                part.values.iter().enumerate().step_by(part.values.len().div_ceil(samples).max(1))
            {
                for other in other_values(value) {
                    let mut forged = state.clone();
                    forged.parts[number].values[at] = other;
                    self.restore(&forged, || format!("{name} [{at}]: {value} becomes {other}"));
                }
                let mut forged = state.clone();
                forged.parts[number].values.remove(at);
                self.restore(&forged, || format!("{name} [{at}] is missing"));
                forged.parts[number].values.truncate(at);
                self.restore(&forged, || format!("{name} is cut at {at}"));
                forged.parts[number].values.clone_from(&part.values);
                forged.parts[number].values.insert(at, value);
                self.restore(&forged, || format!("{name} [{at}] is doubled"));
            }
            let mut forged = state.clone();
            forged.parts.remove(number);
            self.restore(&forged, || format!("{name} is missing"));
            forged.parts.truncate(number);
            self.restore(&forged, || format!("cut before {name}"));
            let mut forged = state.clone();
            forged.parts.swap(number, 0);
            self.restore(&forged, || format!("{name} comes first"));
        }
    }

    /// Copies values within a part: they are in range more often.
    fn mix(&mut self, state: &RuleState, times: u32) {
        let mut random = Random::new(u64::from(self.world.tick));
        let long: Vec<usize> =
            (0..state.parts.len()).filter(|&at| state.parts[at].values.len() > 1).collect();
        for _ in 0..times {
            let mut forged = state.clone();
            let mut changes = Vec::new();
            for _ in 0..1 + random.below(3) {
                let part = &mut forged.parts[long[random.below(long.len())]];
                let (at, from) = (random.below(part.values.len()), random.below(part.values.len()));
                let value = part.values[from];
                if random.below(4) == 0 {
                    part.values.swap(at, from);
                }
                part.values[at] = value.wrapping_add([0, 0, 1, 2][random.below(4)]);
                changes.push(format!("{} [{at}] from [{from}]: {}", part.name, part.values[at]));
            }
            self.restore(&forged, || changes.join(", "));
        }
    }
}

fn check_forged(world: &HandWorld, rule: &dyn Traffic, fresh: Fresh) {
    let mut forger = Forger { world, fresh, n: 0, n_errors: 0 };
    let state = save_state(rule);
    forger.change_each(&state, super::cases(SAMPLES) as usize);
    forger.mix(&state, super::cases(MIXED));
    assert!(forger.n_errors * 5 > forger.n, "{} of {}", forger.n_errors, forger.n);
}

/// Values of each part that are changed, and states of which several are.
const SAMPLES: u32 = 24;
const MIXED: u32 = 300;

#[test]
fn forged_states_are_errors_or_harmless() {
    for collision in RULES {
        for (stop, pending) in [(0, false), (9, false), (24, false), (60, false), (17, true)] {
            let (world, rule) = small_world(collision, stop, pending);
            check_forged(&world, &*rule, fresh_cooperative);
        }
    }
}

/// A state does not fit another world, and says so.
#[test]
fn states_of_other_worlds_are_errors() {
    for collision in RULES {
        let (late, rule) = small_world(collision, 60, false);
        let state = save_state(&*rule);
        let (early, _) = small_world(collision, 9, false);
        let mut fresh = fresh_cooperative(&early);
        let error = early.restore(&mut *fresh, &state).unwrap_err();
        assert_eq!(
            error.to_string(),
            "state of the traffic rule, part `cooperative`, element 1: found 60, expected the tick 9 of the world"
        );
        let mut other_map = late.clone();
        let free = (0..14).map(|x| CellXY::new(x, 1)).find(|&cell| late.occupancy.holder_at(cell).is_none());
        let cell = free.unwrap();
        let rock = TerrainKind(2);
        other_map.ground.grid.set_terrain(Rect::new(cell.x, cell.y, 1, 1), rock);
        let grid = other_map.ground.grid.clone();
        for tables in &mut other_map.ground.tables {
            tables.update(&grid, grid.size().rect());
        }
        let error = other_map.restore(&mut *fresh_cooperative(&other_map), &state).unwrap_err();
        assert_eq!(error.part, "revisions");
    }
}

fn robot() -> ClassSpec {
    let mut robot = ClassSpec::new("robot", 4);
    robot.primitives =
        vec![Primitive::step("F", (1, 0), 1), Primitive::turn("L", 1, 1), Primitive::turn("R", -1, 1)];
    robot
}

/// Teams of robots with room and without, on a map that edits change.
fn robots(n: usize, seed: u64) -> (HandWorld, Random) {
    let rows = ["..........", ".#.#..#.#.", "..........", "..#.##.#..", ".........."];
    let mut world = HandWorld::new(Ground::square(&rows, &[robot()]), CollisionRule::Discrete);
    let mut random = Random::new(seed);
    for _ in 0..n {
        let goals = (0..3).filter_map(|_| world.ground.any_state(0, &mut random));
        let space = world.ground.tables[0].space();
        let goals = goals.map(|goal| space.pose(goal).cell).collect();
        world.add_anywhere(0, 0, Trips { goals, is_patrol: true, done: 0 }, &mut random);
    }
    world.search_budget = 20;
    (world, random)
}

#[test]
fn restored_robots_go_on_like_the_saved_ones() {
    for (seed, n) in (0..12).flat_map(|seed| [(seed, 1), (seed, 8), (seed, 25), (seed, 34)]) {
        let (mut world, mut random) = robots(n, seed);
        let mut together = Together::new(fresh_robots(&world));
        let is_disturbed = seed % 2 == 0;
        for _ in 0..200 {
            if is_disturbed {
                disturb(&mut world, &mut random, n + 4, true);
            }
            together.step(&mut world, fresh_robots, &mut random);
        }
    }
}

#[test]
fn forged_states_of_robots_are_errors_or_harmless() {
    for (n, stop) in [(5, 0), (5, 7), (32, 40)] {
        let (mut world, _) = robots(n, 3);
        let mut rule = fresh_robots(&world);
        while world.tick < stop {
            world.step(&mut *rule);
        }
        if stop == 7 {
            check_forged(&world, &*rule, fresh_robots);
            world.edit(Rect::new(4, 1, 1, 1), TerrainKind(2));
        }
        check_forged(&world, &*rule, fresh_robots);
    }
}

/// Rows of robots have 16 bits.
#[test]
fn too_many_robots_are_refused_by_name() {
    let (world, _) = robots(3, 1);
    let mut rule = fresh_robots(&world);
    let state = save_state(&*rule);
    let view = world.view();
    let ids: Vec<AgentId> = (0..65_535).map(AgentId).collect();
    let context = |ids| RuleContext {
        tick: 0,
        poses_per_agent: view.poses_per_agent,
        grid_size: view.grid_size,
        tables: view.tables,
        agents: crate::AgentsView { ids, ..view.agents },
        edited: &[],
        refused: &[],
        reclassed: &[],
    };
    let error = rule.restore_state(&state, &context(&ids)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "state of the traffic rule, part `unit_robots`: found 65535 robots, expected at most 65534: the rule \
         `unit_robots` can have no more"
    );
    rule.restore_state(&state, &context(&ids[..3])).unwrap();
}

/// The rules whose decisions come from outside: the first has no state, the second the decisions put in.
#[test]
fn rules_driven_from_outside_are_restored() {
    let (world, _) = robots(3, 1);
    assert_eq!(save_state(&Commanded), RuleState::default());
    world.restore(&mut Commanded, &RuleState::default()).unwrap();
    let fill = |feed: &DecisionFeed| {
        feed.put(|decisions| {
            decisions.starts.push(Start { row: 2, primitive: 1, ticks: 7 });
            decisions.replan.extend([1, 0]);
            decisions.give_up.push(2);
            decisions.reroutes.push(Reroute { row: 1, first: 1, count: 2, leads: crate::Leads::Aside });
            decisions.reroute_moves.extend([3, 1, 2]);
        });
    };
    let (mut rule, feed) = RecordedRule::new(false);
    fill(&feed);
    let state = save_state(&rule);
    let fresh: Fresh = |_| Box::new(RecordedRule::new(true).0);
    let mut restored = fresh(&world);
    world.restore(&mut *restored, &state).unwrap();
    let mut copy = fresh(&world);
    assert!(copy.copy_from(&rule) && !copy.copy_from(&Commanded));
    let decide = |rule: &mut dyn Traffic| {
        let mut decisions = Decisions::default();
        rule.decide(&world.view(), &mut decisions);
        (decisions, rule.needs_paths())
    };
    let expected = decide(&mut rule);
    assert!(expected.0.reroutes.len() == 1 && !expected.1);
    assert_eq!((decide(&mut *restored), decide(&mut *copy)), (expected.clone(), expected));
    for part in 0..state.parts.len() {
        for at in 0..state.parts[part].values.len() {
            for other in other_values(state.parts[part].values[at]) {
                let mut forged = state.clone();
                forged.parts[part].values[at] = other;
                let mut rule = fresh(&world);
                if world.restore(&mut *rule, &forged).is_ok() {
                    decide(&mut *rule);
                }
            }
        }
    }
}
