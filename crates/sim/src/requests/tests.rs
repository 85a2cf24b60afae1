use super::*;
use crate::scenes::{class, drive, group, map, order, rows, setup, tasks, within, world};
use crate::{Command, Order, RunState, World};
use wheelbase_grid::{CellXY, Change, Grid, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_maps::{MapKind, generate};
use wheelbase_planner::fields::CostField;
use wheelbase_planner::{
    ClassSpec, Goal, GoalMember, Heading, MovementClass, MovementTables, Pose, Primitive, SettleTarget,
};
use wheelbase_traffic::motion::ClassId;
use wheelbase_traffic::random::Random;

fn request(agent: u32, issued: u32, priority: i32, least_ticks: u32) -> PathRequest {
    PathRequest { agent: AgentId(agent), issued, priority, route: Route::Cheapest, least_ticks }
}

/// Of requests of one age the shorter path comes first. A later request overtakes a long one only within its share of
/// ticks and priority.
#[test]
fn short_paths_come_first_and_no_request_starves() {
    let far = request(0, 10, 0, 4000);
    let comes_before = |other: PathRequest| other.key().order(other.issued) < far.key().order(other.issued);
    for near in [request(1, 10, 0, 40), request(1, 10, 3, 4000), request(1, 999, 0, 40)] {
        assert!(comes_before(near), "{near:?}");
    }
    // 10 + 4000 / 4 - 40 / 4 = 1000; at that tick the lower id comes first.
    assert!(comes_before(request(1, 999, 0, 40)) && !comes_before(request(1, 1000, 0, 40)));
    assert!(comes_before(request(1, 1006, 7, 40)) && !comes_before(request(1, 1007, 7, 40)));
}

/// A crowd of a class of two cells, with orders of all kinds, on a map with walls; few expansions, and edits.
fn crowd(random: &mut Random) -> World {
    let size = (12 + random.below(30), 8 + random.below(20));
    let cart = class(ClassSpec::new("a", 4), &[(0, 0), (-1, 0)], Primitive::vehicle(2, 4, 2));
    let mut setup = setup(200, map(&rows(random, size, 6)), vec![cart]);
    setup.settings.seed = random.below(1000) as u64;
    setup.settings.expansions_per_tick = 1 + random.below(200) as u64;
    setup.settings.search_slots = 1 + random.below(4);
    setup.landmarks = Some(2 * random.below(2));
    let all = Rect::new(0, 0, size.0 as u32, size.1 as u32);
    let mut groups = vec![group(0, 4, all, [tasks(all, 0)])];
    for _ in 0..4 {
        groups.push(group(0, 1, all, [order(random, size), order(random, size)]));
    }
    for _ in 0..random.below(6) {
        let area = Rect::new(random.below(size.0 - 3) as i32, random.below(size.1 - 2) as i32, 3, 2);
        let kind = setup.grid.terrain_table().kind_of_glyph(['T', '.'][random.below(2)]).unwrap();
        let tick = 1 + random.below(150) as u32;
        setup.scheduled.push((tick, Command::edit(Change::Terrain { area, kind })));
    }
    world(setup, groups)
}

/// Runs a world and its copy, the copy with random searches ahead in some ticks. Returns the number of searches ahead.
fn run_ahead(mut plain: World, random: &mut Random) -> usize {
    let (mut world, mut n_ahead) = (plain.clone(), 0);
    loop {
        let (step, other) = (plain.step(), world.step());
        let tick = world.tick();
        assert_eq!((step, plain.state_hash()), (other, world.state_hash()), "tick {tick}");
        assert_eq!(plain.counts(), world.counts(), "tick {tick}");
        if step == RunState::Ended {
            return n_ahead;
        }
        let World { agents, classes, tables, orders, requests, .. } = &mut world;
        let search_inputs = SearchInputs { agents, classes, tables, orders };
        for slot in requests.slots.iter_mut().filter(|slot| slot.is_under_way()) {
            if random.below(3) > 0 {
                slot.search_ahead(search_inputs, random.below(400) as u64, &AtomicBool::new(false));
                n_ahead += usize::from(slot.state.made > slot.state.spent);
            }
        }
    }
}

#[test]
fn searches_ahead_change_nothing() {
    let ahead = |seed| {
        let mut random = Random::new(seed);
        run_ahead(crowd(&mut random), &mut random)
    };
    let n_ahead: usize = (0..100).map(ahead).sum();
    assert!(n_ahead > 2000, "{n_ahead}");
}

/// Six agents patrol between separate waypoints. The goals earn cost fields, of which one fits in memory. Fields that
/// displace each other before they are ready must not keep requests without an answer.
#[test]
fn fields_that_displace_each_other_leave_their_requests_to_searches() {
    let (agents, expansions) = (6, 200);
    let size = GridSize::new(40, 30).unwrap();
    let cart = class(ClassSpec::new("cart", 4), &[(0, 0)], drive(2, 1));
    let mut setup = setup(12_000, generate(MapKind::Rooms, size, 2), vec![cart]);
    (setup.settings.expansions_per_tick, setup.settings.search_slots) = (expansions, agents as usize);
    let mut world = world(
        setup,
        (0..agents as i32).map(|agent| {
            let ends = [CellXY::new(2 + agent, 2 + 4 * agent), CellXY::new(37 - agent, 27 - 4 * agent)];
            group(0, 1, size.rect(), [within(Order::patrol(&ends), 1).or_nearest()])
        }),
    );
    let states = world.tables()[0].space().n_states() as u64;
    world.requests.fields = SharedFields::with_bytes_max(6 * states as usize);
    // A field and a search of each, and its own.
    let bound = 2 * states * agents / expansions + (2 * states).div_ceil(expansions / agents);
    let mut n_by_field = 0;
    while world.step() == RunState::Running {
        let open =
            world.requests.slots.iter().filter_map(|slot| Some((slot.state.request?, slot.state.by_field)));
        let open: Vec<_> = open.collect();
        let longest = open.iter().map(|(request, _)| u64::from(world.tick() - request.issued)).max();
        assert!(longest.is_none_or(|longest| longest <= bound), "tick {}: {open:?}", world.tick());
        n_by_field = n_by_field.max(open.iter().filter(|(_, by_field)| *by_field).count());
    }
    assert!(n_by_field > 1, "no two fields are made at once");
}

/// Goals that are searched for now and then never earn a field, however long a world runs.
#[test]
fn counts_and_fields_end_with_their_period() {
    let grid = Grid::from_rows(&["........"; 4], TerrainTable::movingai(), SideTable::default()).unwrap();
    let tables = MovementTables::compile(&grid, MovementClass::octile());
    let goals: Vec<[GoalMember; 1]> =
        (0..32).map(|at| [GoalMember::any(CellXY::new(at % 8, at / 8))]).collect();
    let often = [GoalMember::any(CellXY::new(0, 0)), GoalMember::any(CellXY::new(7, 3))];
    let mut fields = SharedFields::new();
    // A field costs 16 expansions: three searches.
    let use_of = |fields: &mut SharedFields, members: &[GoalMember], tick: u32| {
        let goal = Goal::of(members);
        if fields.pays(ClassId(0), &tables, &goal) {
            fields.obtain(ClassId(0), &tables, &goal, tick);
        }
        fields.count_search(ClassId(0), &goal, 6);
    };
    for tick in (0..300_000_u32).step_by(1000) {
        fields.end_period(tick, 1);
        // Each of these once in 32,000 ticks.
        use_of(&mut fields, &goals[tick as usize / 1000 % goals.len()], tick);
        use_of(&mut fields, &often, tick);
        assert!(fields.len() <= 1, "tick {tick}: {} fields", fields.len());
    }
    assert!(fields.get(ClassId(0), &Goal::of(&often)).is_some());
}

/// An edit repairs the fields in use and drops the others, so that it costs the same however long a world has run.
#[test]
fn an_edit_drops_fields_that_were_long_unused() {
    let mut grid = Grid::from_rows(&["........"; 4], TerrainTable::movingai(), SideTable::default()).unwrap();
    let mut tables = MovementTables::compile(&grid, MovementClass::octile());
    let goals: Vec<[GoalMember; 1]> = (0..4).map(|x| [GoalMember::any(CellXY::new(x, 1))]).collect();
    let mut fields = SharedFields::new();
    for (goal, tick) in goals.iter().zip([10, 499, 500, 1400]) {
        let field = fields.obtain(ClassId(0), &tables, &Goal::of(goal), tick).unwrap();
        field.settle(&tables, SettleTarget::All, u64::MAX);
    }
    let edit = grid.set_terrain(Rect::new(4, 0, 1, 3), TerrainKind(2));
    tables.update(&grid, edit.changed);
    fields.repair(ClassId(1), &tables, edit.changed, 1500);
    assert_eq!(fields.len(), 4);
    fields.repair(ClassId(0), &tables, edit.changed, 1500);
    let kept = |goal: &[GoalMember; 1]| fields.get(ClassId(0), &Goal::of(goal)).is_some();
    assert_eq!(goals.iter().map(kept).collect::<Vec<_>>(), [false, false, true, true]);
    let far = tables.space().state(Pose::new(7, 1, Heading(0))).unwrap();
    let cost = |goal: &[GoalMember; 1]| fields.get(ClassId(0), &Goal::of(goal))?.cost(far);
    // Around the wall.
    let mut fresh = CostField::to_goal(&tables, &Goal::of(&goals[2]));
    fresh.settle(&tables, SettleTarget::All, u64::MAX);
    assert!(cost(&goals[2]).is_some() && cost(&goals[2]) == fresh.cost(far));
}
