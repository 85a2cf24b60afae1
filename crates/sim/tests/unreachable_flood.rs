//! 5,000 requests for unreachable goals together starve nobody: every other request is answered within the bound of
//! docs/determinism.md, "Budgets".

use crate::common::map;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, Change, GridShape, Rect, SplitMix64, TerrainKind};
use wheelbase_planner::model::State;
use wheelbase_planner::search::{Heuristic, cost_lower_bound_of};
use wheelbase_planner::{
    ClassSpec, Goal, GoalMember, Heading, MovementClass, MovementTables, Pose, Primitive, Request,
};
use wheelbase_sim::{Activity, AgentId, ClassId, Command, EventKind, Order, Settings, Setup, Spawn, World};
use wheelbase_traffic::Cooperative;

/// Agents whose goals cannot be reached, and agents whose goals can.
const LOST: usize = 5_000;
const OTHERS: usize = 50;
/// Tick of the flood; the other agents ask from it on, each at another tick before `LAST`.
const FLOOD: u32 = 3;
const LAST: u32 = 60;
/// Columns of the pen of the lost agents, of the island of their goals, and of the yard of the others.
const PEN: i32 = 80;
const ISLAND: i32 = 20;
const YARD: i32 = 60;
const HEIGHT: i32 = 82;

/// What differs between the floods.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// Carts, which cannot go back, instead of walkers.
    carts: bool,
    /// Cells between the walls of the pen; 0 for no walls.
    walls: i32,
    /// No water around the island, but a cliff that nobody climbs: one weak component.
    cliff: bool,
    components: bool,
    /// An edit of the same tick makes the strong components stale.
    stale: bool,
    /// All lost agents have the same goal, so that it gets a cost field.
    shared: bool,
    budget: u64,
    slots: usize,
}

const PLAIN: Case = Case {
    carts: false,
    walls: 0,
    cliff: false,
    components: false,
    stale: false,
    shared: false,
    budget: 200_000,
    slots: 16,
};

fn class(case: Case) -> MovementClass {
    let mut spec = ClassSpec::new("walker", 1);
    spec.primitives = Primitive::four_directions(2);
    if case.carts {
        spec = ClassSpec::new("cart", 4);
        spec.primitives = vec![
            Primitive::step("forward", (1, 0), 2),
            Primitive::turn("left", 1, 1),
            Primitive::turn("right", -1, 1),
        ];
    }
    if case.cliff {
        spec.climb.max_up = Some(1);
    }
    MovementClass::new(spec).unwrap()
}

fn is_in_yard(cell: CellXY) -> bool {
    cell.x > PEN + 1 + ISLAND
}

fn is_on_island(cell: CellXY) -> bool {
    cell.x > PEN && cell.x <= PEN + ISLAND
}

/// Pen, island and yard from west to east; water between them, and here and there in the yard.
fn setup(case: Case, random: &mut SplitMix64) -> Setup {
    let glyph = |x: i32, y: i32, random: &mut SplitMix64| {
        let wall = case.walls > 0 && x < PEN && (x % case.walls == 0 || y % case.walls == 0);
        let shore = x == PEN && !case.cliff || x == PEN + 1 + ISLAND;
        let pond = is_in_yard(CellXY::new(x, y)) && random.chance(100);
        if wall || shore || pond { 'W' } else { '.' }
    };
    let width = PEN + ISLAND + YARD + 2;
    let rows: Vec<String> = (0..HEIGHT).map(|y| (0..width).map(|x| glyph(x, y, random)).collect()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut grid = map(&rows, GridShape::Square);
    if case.cliff {
        let cells = grid.size().rect().cells();
        let height = |cell| if is_on_island(cell) { 9 } else { 0 };
        grid = grid.clone().with_elevation(cells.map(height).collect()).unwrap();
    }
    let mut settings = Settings::named("flood");
    (settings.expansions_per_tick, settings.search_slots) = (case.budget, case.slots);
    // The bounds are of exact searches.
    settings.replan.routes = 0;
    let mut tables = vec![MovementTables::compile(&grid, class(case))];
    if case.components {
        tables[0].make_components();
    }
    let rule = Cooperative::new(&tables, grid.size(), settings.collision, settings.traffic);
    let mut setup = Setup::with_rule(settings, grid, tables, Box::new(rule));
    setup.landmarks = Some(0);
    setup
}

/// The states that can be reached from one.
fn reached(tables: &MovementTables, from: State) -> BTreeSet<State> {
    let (mut found, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(state) = open.pop() {
        tables.for_each_successor(state, |next| {
            if found.insert(next.state) {
                open.push(next.state);
            }
        });
    }
    found
}

fn drawn<T: Copy>(of: &[T], random: &mut SplitMix64) -> T {
    of[random.below(of.len() as u32) as usize]
}

/// A request as the schedule orders it.
#[derive(Clone, Copy, Debug)]
struct Asked {
    agent: AgentId,
    tick: u32,
    priority: i32,
    least_ticks: u32,
}

impl Asked {
    fn of(tables: &MovementTables, spawn: &Spawn, agent: usize, tick: u32, goal: CellXY) -> Self {
        let members = [GoalMember::any(goal)];
        let request =
            Request { heuristic: Heuristic::Default, ..Request::new(spawn.pose, Goal::of(&members)) };
        let least_ticks = cost_lower_bound_of(tables, &request);
        Self { agent: AgentId(agent as u32), tick, priority: spawn.priority, least_ticks }
    }

    fn comes_before(&self, other: &Self) -> bool {
        let key = |asked: &Self| {
            (
                i64::from(asked.priority) - i64::from(asked.tick) - i64::from(asked.least_ticks / 4),
                std::cmp::Reverse(asked.agent),
            )
        };
        key(self) > key(other)
    }
}

/// The bound on the ticks that a request waits: the requests before it take at most `before` expansions, its own search
/// at most `own`.
fn bound(before: u64, own: u64, case: Case) -> u64 {
    let share = (case.budget / case.slots as u64).max(1);
    before / case.budget + own.div_ceil(share)
}

fn check(case: Case, seed: u64) {
    let random = &mut SplitMix64::new(seed);
    let mut setup = setup(case, random);
    let (grid, tables) = (setup.grid.clone(), setup.tables[0].clone());
    let space = tables.space();
    let state_at = |cell, heading| space.state(Pose { cell, heading: Heading(heading) }).unwrap();
    let legal: Vec<CellXY> =
        grid.size().rect().cells().filter(|&cell| tables.is_legal(state_at(cell, 0))).collect();
    let mut pen: Vec<CellXY> = legal.iter().copied().filter(|cell| cell.x < PEN).collect();
    let island: Vec<CellXY> = legal.iter().copied().filter(|&cell| is_on_island(cell)).collect();
    // The largest part of the yard.
    let in_yard: Vec<State> =
        legal.iter().filter(|&&cell| is_in_yard(cell)).map(|&cell| state_at(cell, 0)).collect();
    let parts = in_yard.iter().step_by(97).map(|&state| reached(&tables, state));
    let yard_states = parts.max_by_key(BTreeSet::len).unwrap();
    let mut yard: Vec<CellXY> = in_yard
        .into_iter()
        .filter(|state| yard_states.contains(state))
        .map(|state| space.pose(state).cell)
        .collect();
    let mut goals = yard.clone();
    let spawn = |from: &mut Vec<CellXY>, priority, random: &mut SplitMix64| {
        let cell = from.swap_remove(random.below(from.len() as u32) as usize);
        let heading = Heading(random.below(space.headings().into()) as u8);
        Spawn { priority, ..Spawn::new(ClassId(0), Pose { cell, heading }) }
    };
    for _ in 0..LOST {
        setup.agents.push(spawn(&mut pen, 0, random));
    }
    for _ in 0..OTHERS {
        let priority = if random.chance(300) { random.below(41) as i32 - 20 } else { 0 };
        setup.agents.push(spawn(&mut yard, priority, random));
    }
    // Most expansions of a search of each lost agent, and of the others: the states that it can reach. A field of a
    // shared goal may be made first, and settles the island.
    let of_field = if case.shared { island.len() * usize::from(space.headings()) } else { 0 };
    let mut regions: BTreeMap<State, u64> = BTreeMap::new();
    let mut most_of = |spawn: &Spawn| {
        let state = space.state(spawn.pose).unwrap();
        if !regions.contains_key(&state) {
            let region = reached(&tables, state);
            let states = (region.len() + of_field) as u64;
            regions.extend(region.into_iter().map(|state| (state, states)));
        }
        regions[&state]
    };
    let most_of_lost: Vec<u64> = setup.agents[..LOST].iter().map(&mut most_of).collect();
    let (most_of_others, largest) = (yard_states.len() as u64, most_of_lost.iter().copied().max().unwrap());
    // Most expansions of lost agents before a request: lost agents before it in order, and lost agents that have the
    // slots when it asks. Current components refuse all immediately. The first answer updates stale components.
    let of_lost = |asked: &Asked, lost: &[Asked]| {
        let in_slots = if asked.tick > FLOOD { case.slots as u64 * largest } else { 0 };
        let before = lost.iter().zip(&most_of_lost).filter(|(other, _)| other.comes_before(asked));
        match (case.components, case.stale) {
            (true, false) => 0,
            (true, true) => case.slots as u64 * largest,
            (false, _) => before.map(|(_, most)| most).sum::<u64>() + in_slots,
        }
    };

    let shared = drawn(&island, random);
    let goal_of = |_: usize| if case.shared { shared } else { drawn(&island, random) };
    let lost_goals: Vec<CellXY> = (0..LOST).map(goal_of).collect();
    let lost: Vec<Asked> = (0..LOST)
        .map(|agent| Asked::of(&tables, &setup.agents[agent], agent, FLOOD, lost_goals[agent]))
        .collect();
    let others: Vec<(Asked, CellXY)> = (LOST..LOST + OTHERS)
        .map(|agent| {
            let at = setup.agents[agent].pose.cell;
            goals.retain(|&goal| goal != at);
            let goal = goals.swap_remove(random.below(goals.len() as u32) as usize);
            let tick = if agent % 2 == 0 { FLOOD } else { FLOOD + 1 + random.below(LAST - FLOOD - 1) };
            (Asked::of(&tables, &setup.agents[agent], agent, tick, goal), goal)
        })
        .collect();

    let mut world = World::new(setup).unwrap();
    let mut open: Vec<Asked> = Vec::new();
    let (mut answered, mut longest, mut tightest) = (0, 0, (0, 0));
    while answered < OTHERS || world.requests().open() > 0 || world.tick() <= LAST {
        let tick = world.tick();
        if tick == FLOOD {
            for (agent, &goal) in lost_goals.iter().enumerate() {
                world.command(Command::order(AgentId(agent as u32), Order::goto(goal)));
            }
            if case.stale {
                let shore = Rect::new(PEN + 1 + ISLAND, 0, 1, 1);
                world.command(Command::edit(Change::Terrain { area: shore, kind: TerrainKind(0) }));
            }
        }
        for (asked, goal) in others.iter().filter(|(asked, _)| asked.tick == tick) {
            world.command(Command::order(asked.agent, Order::goto(*goal)));
            open.push(*asked);
        }
        let before = world.counts().expansions;
        world.step();
        let spent = world.counts().expansions - before;
        assert!(spent <= case.budget, "{case:?}, tick {tick}: {spent} expansions");
        assert!(
            world.requests().open() == 0 || spent == case.budget,
            "{case:?}, tick {tick}: {spent} expansions, and requests are open"
        );
        let is_path = |agent: AgentId| {
            let mut events = world.events().iter().filter(|event| event.agent == agent.0);
            events.any(|event| event.kind() == Some(EventKind::PathFound))
        };
        open.retain(|asked| {
            let row = world.agent(asked.agent).unwrap();
            let waited = u64::from(tick - asked.tick);
            // Whatever the others have asked for counts as before it.
            let of_others = (world.counts().path_requests - LOST as u64) * most_of_others;
            let most = bound(of_lost(asked, &lost) + of_others, most_of_others, case);
            assert!(waited <= most, "{case:?}, seed {seed}: {asked:?} waits for {waited} > {most} ticks");
            if row.activity == Activity::AwaitingPath as u8 {
                return true;
            }
            assert!(is_path(asked.agent), "{case:?}, tick {tick}: {asked:?} has no path: {row:?}");
            answered += 1;
            longest = longest.max(waited);
            if waited > 0 && waited * 100 / most >= tightest.0 {
                tightest = (waited * 100 / most, most);
            }
            false
        });
        assert!(tick < 200_000, "{case:?}: {} of {OTHERS} answered", answered);
    }
    let counts = world.counts();
    assert_eq!(counts.orders_unreachable, LOST as u64, "{case:?}");
    if case.components && !case.stale {
        assert!(counts.longest_request_ticks as u64 <= longest, "{case:?}: {counts:?}");
    }
    let of_all = most_of_lost.iter().sum::<u64>() + (counts.path_requests - LOST as u64) * most_of_others;
    let all = bound(of_all, largest.max(most_of_others), case);
    assert!(u64::from(counts.longest_request_ticks) <= all, "{case:?}: {counts:?}, bound {all}");
    assert!(case.components || counts.longest_request_ticks > 5, "{case:?}: no flood: {counts:?}");
    println!(
        "{case:?}, seed {seed}: {} expansions; longest wait {longest} of the others, {} of all, which is at most {all}; \
         tightest {} % of {}",
        counts.expansions, counts.longest_request_ticks, tightest.0, tightest.1
    );
}

#[test]
fn without_components_each_search_floods_its_region() {
    check(PLAIN, 1);
    check(Case { budget: 60_000, slots: 3, ..PLAIN }, 2);
}

#[test]
fn a_flood_of_small_regions_by_few_expansions() {
    check(Case { walls: 11, carts: true, budget: 20_000, ..PLAIN }, 3);
    // Fewer expansions than slots.
    check(Case { walls: 9, budget: 100, slots: 128, ..PLAIN }, 4);
}

#[test]
fn a_flood_to_one_goal_with_a_cost_field() {
    check(Case { shared: true, walls: 11, carts: true, ..PLAIN }, 5);
    check(Case { shared: true, walls: 11, budget: 5_000, slots: 8, ..PLAIN }, 6);
}

#[test]
fn components_refuse_a_flood_at_once() {
    check(Case { components: true, ..PLAIN }, 7);
    check(Case { components: true, carts: true, budget: 20_000, ..PLAIN }, 8);
}

#[test]
fn strong_components_refuse_a_flood_once_they_are_current() {
    let cliff = Case { components: true, cliff: true, ..PLAIN };
    check(cliff, 9);
    check(Case { stale: true, ..cliff }, 10);
    check(Case { stale: true, carts: true, budget: 20_000, slots: 4, ..cliff }, 11);
}
