//! Routes over the abstract graph: legs are legal and joined. Answers depend on the request and the map alone, and
//! unreachable goals are refused exactly.

use crate::common::{build_world, on_threads, record, run_checked, step_to};
use proptest::prelude::*;
use wheelbase_grid::{CellXY, Rect, TerrainKind};
use wheelbase_planner::model::{Legality, check_path};
use wheelbase_planner::{Goal, GoalMember, Path, Scratch, Status};
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_sim::invariant::{RowCheck, check_pools};
use wheelbase_sim::{
    AgentId, AgentRow, Change, Command, EventKind, Host, MapEdit, OnAgents, Order, RunState, World, invariant,
};

/// A cart that turns in place, and a long truck that does not.
const CLASSES: &str = "[class.cart]\nheadings = 4\nmoves = [\n{ name = \"forward\", by = [1, 0], time = 2 },\n\
    { name = \"left\", turn = 1, time = 1 },\n{ name = \"right\", turn = -1, time = 1 },\n]\n\
    [class.truck]\nheadings = 4\nfootprint = [\"XX>\"]\nmoves = [\n\
    { name = \"ahead\", by = [1, 0], time = 2 },\n{ name = \"back\", by = [-1, 0], time = 5 },\n\
    { name = \"left\", by = [2, -2], turn = 1, time = 6 },\n{ name = \"right\", by = [2, 2], turn = -1, time = 6 },\n]\n";

/// A base of 200 x 160 cells with agents of both classes and orders of all kinds.
fn base(routes: &str, seed: u32, expansions: u32) -> String {
    let group = |class: &str, orders: &str| {
        format!("[[groups]]\nclass = \"{class}\"\ncount = 4\narea = [0, 0, 200, 160]\norders = [{orders}]\n")
    };
    let far = "fallback = \"nearest\"";
    let mut text = format!(
        "name = \"far\"\nseed = {seed}\nticks = 900\nexpansions_per_tick = {expansions}\nroutes = \"{routes}\"\n\
        landmarks = 0\n[map]\ngenerate = {{ kind = \"base\", size = [200, 160], seed = {seed} }}\n{CLASSES}"
    );
    for class in ["cart", "truck"] {
        text += &group(
            class,
            &format!("{{ goto = [190, 150], within = 3, {far} }}, {{ goto = [6, 80], within = 2, {far} }}"),
        );
        text += &group(class, "{ goto_area = [0, 0, 40, 30] }, { goto_area = [150, 120, 50, 40] }");
        text += &group(class, &format!("{{ patrol = [[5, 5], [190, 20], [100, 150]], within = 2, {far} }}"));
    }
    text + "[[groups]]\nclass = \"cart\"\ncount = 8\narea = [0, 0, 200, 160]\ntasks = { kind = \"random\", area = [0, 0, 200, 160] }\n\
        [[events]]\ntick = 150\nset_terrain = { area = [60, 0, 3, 90], kind = \"trees\", on_agents = \"wait\" }\n\
        [[events]]\ntick = 400\nset_terrain = { area = [60, 0, 3, 90], kind = \"ground\", on_agents = \"wait\" }\n"
}

/// An open map of 300 x 40 cells and one cart, with orders.
fn lane(routes: &str, rows: impl Fn(i32, i32) -> char, orders: &str) -> String {
    let rows: Vec<String> =
        (0..40).map(|y| format!("\"{}\"", (0..300).map(|x| rows(x, y)).collect::<String>())).collect();
    format!(
        "name = \"lane\"\nticks = 2000\nexpansions_per_tick = 20000\nroutes = \"{routes}\"\n[map]\nrows = [{}]\n{CLASSES}\
        [[agents]]\nclass = \"cart\"\nat = [2, 20, \"E\"]\norders = [{orders}]\n",
        rows.join(",")
    )
}

fn open(_: i32, _: i32) -> char {
    '.'
}

fn row(world: &World) -> AgentRow {
    world.agents()[0]
}

/// Steps until the agent follows a leg and moves.
fn step_onto_leg(world: &mut World) {
    while !(row(world).has(AgentRow::ON_LEG) && row(world).is_moving()) {
        assert_eq!(world.step(), RunState::Running);
        assert!(world.tick() < 20, "it has no leg");
    }
}

#[test]
fn a_lone_order_drives_off_at_its_tick_and_never_rests_between_legs() {
    let order = "{ goto = [295, 20] }";
    let mut exact = build_world(&lane("exact", open, order));
    run_checked(&mut exact);
    // A graph would cost more than the search.
    let mut auto = build_world(&lane("auto", open, order));
    run_checked(&mut auto);
    assert_eq!(auto.agents(), exact.agents());
    assert_eq!((auto.tick(), auto.memory().graph_bytes), (exact.tick(), 0));
    let mut world = build_world(&lane("abstract", open, order));
    world.step();
    assert!(row(&world).is_moving() && row(&world).has(AgentRow::ON_LEG));
    run_checked(&mut world);
    let counts = world.counts();
    assert_eq!((counts.orders_done, counts.leg_wait_ticks), (1, 0));
    assert!(counts.routes_abstract >= 2 && counts.routes_exact == 1, "{counts:?}");
    assert!(!row(&world).has(AgentRow::ON_LEG));
    // Portals are not on the straight line.
    assert!(world.tick() <= exact.tick() * 21 / 20, "{} ticks of {}", world.tick(), exact.tick());
}

/// By `auto` the ticks make a graph part by part, once searches that do not fit cost as much; then agents get legs.
/// A preview follows a route where an order would get one, and is exact elsewhere.
#[test]
fn previews_follow_routes() {
    let (mut scratch, mut along, mut exact) = (Scratch::new(), Path::new(), Path::new());
    let (mut far, mut routes) = (0, 0);
    for seed in 1..4 {
        let [routed, usual] = ["abstract", "exact"].map(|routes| build_world(&base(routes, seed, 20000)));
        for agent in routed.agents() {
            let (id, start) = (AgentId(agent.id), CellXY::new(agent.to_x, agent.to_y));
            let class = routed.tables()[usize::from(agent.class)].class();
            for cell in [(190, 150), (6, 80), (100, 10)].map(|(x, y)| CellXY::new(x, y)) {
                let members = [GoalMember::any(cell)];
                let mut preview = |world: &World, path: &mut Path| {
                    world.plan(id, Goal::of(&members), &mut scratch, path).unwrap()
                };
                let (found, shortest) = (preview(&routed, &mut along), preview(&usual, &mut exact));
                assert_eq!(found.status, shortest.status);
                assert!(found.cost >= shortest.cost);
                if found.status != Status::Found {
                    continue;
                }
                assert_eq!(along.cost(), found.cost);
                assert_eq!(along.poses.last().unwrap().pose.cell, cell);
                assert!(check_path(&Legality::new(routed.grid(), class), &along).is_ok());
                if start.chebyshev_distance(cell) < 64 {
                    assert_eq!(found, shortest);
                } else {
                    far += 1;
                    routes += u32::from(found.expansions != shortest.expansions);
                }
            }
        }
    }
    assert!(far > 50 && routes > far / 2, "{routes} of {far} far paths follow routes");
}

#[test]
fn graphs_that_pay_are_made_tick_by_tick() {
    let mut world = build_world(&base("auto", 4, 3_000));
    assert_eq!(world.memory().graph_bytes, 0);
    let mut sizes = Vec::new();
    while world.counts().routes_abstract == 0 {
        assert_eq!(world.step(), RunState::Running);
        sizes.push(world.memory().graph_bytes);
    }
    sizes.dedup();
    // A cluster per tick, of the 35 of each class.
    assert!(sizes.len() > 30 && sizes.is_sorted(), "{sizes:?}");
    run_checked(&mut world);
    assert!(world.counts().routes_abstract > 40, "{:?}", world.counts());
}

#[test]
fn near_goals_are_answered_exactly() {
    let hashes = |routes: &str| {
        run_checked(&mut build_world(&lane(routes, open, "{ goto = [60, 30] }, { goto = [4, 4] }")))
    };
    assert_eq!(hashes("abstract"), hashes("exact"));
    assert_eq!(hashes("auto"), hashes("exact"));
}

/// All kinds of orders, with edits, on little budgets. Nobody overlaps, and rows and pools agree with the arrays. Any
/// number of threads gives the same hashes.
#[test]
fn crowds_on_legs_are_legal_and_the_same_on_any_number_of_threads() {
    for (routes, seed, expansions) in [("abstract", 1, 20_000), ("abstract", 2, 900), ("auto", 3, 3_000)] {
        let text = base(routes, seed, expansions);
        let run = |threads: usize| {
            on_threads(threads, || {
                let mut world = build_world(&text);
                let mut rows = RowCheck::begin(&mut world);
                let mut hashes = Vec::new();
                loop {
                    let step = world.step();
                    assert_eq!(invariant::check(&world), [], "tick {}", world.tick());
                    rows.follow(&mut world).unwrap_or_else(|why| panic!("tick {}: {why}", world.tick()));
                    check_pools(&world).unwrap_or_else(|why| panic!("tick {}: {why}", world.tick()));
                    hashes.push(world.state_hash());
                    if step == RunState::Ended {
                        return (hashes, *world.counts());
                    }
                }
            })
        };
        let alone = run(1);
        let counts = alone.1;
        assert!(counts.routes_abstract > 40 && counts.orders_done + counts.tasks_done > 15, "{counts:?}");
        assert_eq!(run(2), alone, "{routes}, seed {seed}");
        assert_eq!(run(3), alone, "{routes}, seed {seed}");
    }
}

/// A snapshot and a clone in mid-leg, with searches for legs in progress and graphs in the making, go on exactly.
#[test]
fn snapshots_and_clones_go_on_in_mid_leg() {
    let (first, last) = go_on_from_snapshots("abstract");
    assert!(first > 0 && first == last);
    let (first, last) = go_on_from_snapshots("auto");
    assert!(first > 0 && first < last, "the first snapshot has a part of the graphs");
}

/// Saves eleven times, and returns the bytes of graphs at the first and the last time.
fn go_on_from_snapshots(routes: &str) -> (u64, u64) {
    let mut world = build_world(&base(routes, 4, 700));
    let (mut on_legs, mut sizes) = (0, Vec::new());
    for part in 1..12 {
        step_to(&mut world, part * 60 - 30);
        let mut loaded = World::load(&world.save().unwrap(), Host::default()).unwrap();
        let mut copy = world.clone();
        sizes.push(world.memory().graph_bytes);
        assert_eq!(loaded.memory().graph_bytes, sizes[part as usize - 1]);
        on_legs += u32::from(world.agents().iter().any(|row| row.has(AgentRow::ON_LEG)));
        assert_eq!(loaded.agents(), world.agents());
        for _ in 0..40 {
            world.step();
            loaded.step();
            copy.step();
            let tick = world.tick();
            assert_eq!(loaded.state_hash(), world.state_hash(), "loaded, tick {tick}");
            assert_eq!(copy.state_hash(), world.state_hash(), "clone, tick {tick}");
        }
        assert_eq!(copy.counts(), world.counts());
    }
    assert!(on_legs > 9);
    (sizes[0], sizes[10])
}

#[test]
fn recordings_replay_legs() {
    let text = base("auto", 5, 2_000);
    let mut world = build_world(&text);
    let bytes = record(&mut world, "test.toml", &text);
    let mut reader = Reader::open(std::io::Cursor::new(bytes)).unwrap();
    let verified = verify(&mut reader, |_| true).unwrap();
    assert!(verified.difference.is_none(), "{:?}", verified.difference);
}

/// A wall across the current leg: the agent goes on around it without a search of the whole map.
#[test]
fn an_edit_that_cuts_a_leg_is_driven_around() {
    let mut world = build_world(&lane("abstract", open, "{ goto = [295, 20] }"));
    step_onto_leg(&mut world);
    let end = world.agents()[0].to().cell;
    let wall = Rect::new(end.x + 12, 4, 1, 36);
    let change = Change::Terrain { area: wall, kind: TerrainKind(4) };
    world.command(Command::Edit(MapEdit { changes: [change].into(), on_agents: OnAgents::Wait }));
    let searched = world.counts().expansions;
    for _ in 0..40 {
        world.step();
    }
    assert!(world.counts().expansions - searched < 20_000);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, row(&world).to().cell), (1, CellXY::new(295, 20)));
}

/// Beyond a wall without a gate nothing can be reached: refused at the tick of the order, by both modes.
#[test]
fn unreachable_goals_are_refused_exactly() {
    let wall = |x: i32, _: i32| if x == 200 { 'T' } else { '.' };
    for routes in ["exact", "abstract", "auto"] {
        let mut world = build_world(&lane(routes, wall, "{ goto = [295, 20] }"));
        world.step();
        let refused = world.events().iter().any(|event| event.kind() == Some(EventKind::OrderFailed));
        assert!(refused && world.counts().orders_unreachable == 1, "{routes}: {:?}", world.events());
        assert_eq!(world.counts().routes_abstract, 0);
    }
}

/// The pose nearest to an unreachable goal is the same as by an exact search.
#[test]
fn the_nearest_pose_is_found_exactly() {
    let wall = |x: i32, _: i32| if x == 200 { 'T' } else { '.' };
    let end = |routes: &str| {
        let mut world = build_world(&lane(routes, wall, "{ goto = [295, 20], fallback = \"nearest\" }"));
        run_checked(&mut world);
        row(&world).to()
    };
    assert_eq!(end("abstract"), end("exact"));
}

/// Areas that reach beyond the map, up to the most columns that an area can have.
#[test]
fn areas_beyond_the_map_are_no_farther_than_their_cells_on_it() {
    for routes in ["exact", "abstract", "auto"] {
        for area in ["[280, 10, 4294967295, 9]", "[280, -9, 2147483647, 14]"] {
            let mut world = build_world(&lane(routes, open, &format!("{{ goto_area = {area} }}")));
            run_checked(&mut world);
            assert_eq!(world.counts().orders_done, 1, "{routes}, {area}");
        }
    }
}

/// Graphs take time and memory: a class has one before the first tick if agents have it, or if an event places some.
#[test]
fn classes_without_agents_have_no_graph() {
    let bytes = |more: &str| {
        build_world(&(lane("abstract", open, "{ goto = [295, 20] }") + more)).memory().graph_bytes
    };
    let of_cart = bytes("");
    let truck = "class = \"truck\"";
    let placed = bytes(&format!("[[agents]]\n{truck}\nat = [20, 30, \"E\"]\n"));
    let later =
        format!("[[events]]\ntick = 9\nadd_agents = {{ {truck}, count = 1, area = [0, 0, 300, 40] }}\n");
    assert!(of_cart > 0 && placed > of_cart);
    assert_eq!(bytes(&later), placed);
}

#[test]
fn new_orders_and_stops_end_a_leg() {
    let mut world = build_world(&lane("abstract", open, "{ goto = [295, 20] }"));
    step_onto_leg(&mut world);
    world.command(Command::order(AgentId(0), Order::goto(CellXY::new(2, 30))));
    world.step();
    assert!(!row(&world).has(AgentRow::ON_LEG));
    run_checked(&mut world);
    assert_eq!(row(&world).to().cell, CellXY::new(2, 30));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

    /// Random walls: agents on legs arrive wherever exact ones do.
    #[test]
    fn legs_lead_to_every_goal_that_paths_lead_to(seed in 0_u64..1000, share in 5_u64..30) {
        let is_wall = |x: i32, y: i32| {
            let mut state = seed ^ ((x as u64) << 32 | y as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            state ^= state >> 29;
            state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (state >> 33) % 100 < share && (x, y) != (2, 20)
        };
        let orders = "{ goto = [290, 20], within = 2 }, { goto = [150, 35], within = 2 }, { goto = [3, 3], within = 2 }";
        let done = |routes: &str| {
            let mut world =
                build_world(&lane(routes, |x, y| if is_wall(x, y) { 'T' } else { '.' }, orders));
            run_checked(&mut world);
            (world.counts().orders_done, world.counts().orders_unreachable)
        };
        prop_assert_eq!(done("abstract"), done("exact"));
    }
}
