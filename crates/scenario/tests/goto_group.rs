//! Orders to a group: the chosen poses, their assignment, and the paths.

use crate::common::{
    CART, TRUCK, build_world, cart, cell, on_threads, run_checked, set_terrain, step_to, world_on,
};
use proptest::prelude::*;
use wheelbase_grid::CellXY;
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::{
    Goal, GoalMember, MovementTables, Path, Pose, Request, Scratch, SettleTarget, Status, plan,
};
use wheelbase_sim::TraceEvent;
use wheelbase_sim::{Activity, World};

/// A square that turns on the spot.
const TANK: &str = r#"
[class.tank]
headings = 4
footprint = ["X>", "XX"]
pivot = [-0.5, 0.5]
moves = [
    { name = "forward", by = [1, 0], time = 3 },
    { name = "reverse", by = [-1, 0], time = 9 },
    { name = "left", turn = 1, time = 3 },
    { name = "right", turn = -1, time = 3 },
]
"#;

fn to(goal: &str) -> String {
    format!("{{ goto_group = {goal} }}")
}

fn group(class: &str, count: usize, area: &str, order: &str) -> String {
    format!("[[groups]]\nclass = \"{class}\"\ncount = {count}\narea = {area}\norders = [{order}]\n")
}

fn tables(world: &World, row: usize) -> &MovementTables {
    &world.tables()[world.agent_arrays().motion[row].class.0 as usize]
}

/// The pose assigned to the agent in a row.
fn given(world: &World, row: usize) -> Option<Pose> {
    world.agent_arrays().assigned[row].map(|state| tables(world, row).space().pose(state))
}

fn given_cells(world: &World) -> Vec<(i32, i32)> {
    let cells = (0..world.agent_arrays().len()).map(|row| given(world, row).unwrap().cell);
    cells.map(|cell| (cell.x, cell.y)).collect()
}

/// Cells of the body in a pose.
fn body(tables: &MovementTables, pose: Pose) -> Vec<CellXY> {
    let cells = tables.class().cells_at(pose).iter();
    cells.map(|offset| offset.cell_from(pose.cell)).collect()
}

#[test]
fn poses_fill_the_space_around_the_goal_and_all_arrive() {
    let rows = ["..............."; 11].join("\",\"");
    let text = format!(
        "name = \"disc\"\nticks = 2000\nseed = 3\n[map]\nrows = [\"{rows}\"]\n{CART}{}",
        group("cart", 9, "[0, 0, 4, 11]", &to("[9, 5]"))
    );
    let mut world = build_world(&text);
    step_to(&mut world, 1);
    let mut cells = given_cells(&world);
    cells.sort_unstable();
    let square: Vec<(i32, i32)> = (8..11).flat_map(|x| (4..7).map(move |y| (x, y))).collect();
    assert_eq!(cells, square);
    // One field for all: a request each, with few expansions left.
    assert_eq!(world.counts().path_requests, 9);
    run_checked(&mut world);
    assert_eq!(
        (world.counts().orders_done, world.counts().orders_unreachable),
        (9, 0),
        "{:?}",
        world.counts()
    );
    assert!(world.agent_arrays().assigned.iter().all(Option::is_none));
}

#[test]
fn the_front_agent_gets_the_farthest_pose_and_a_single_agent_the_goal() {
    // In a file in a corridor: the first goes farthest.
    let queue: String = (0..4).map(|at| cart(&format!("[{at}, 0, \"E\"]"), "")).collect::<Vec<_>>().concat();
    let all =
        "[[events]]\ntick = 1\ngive_orders = { area = [0, 0, 99, 9], orders = [{ goto_group = [10, 0] }] }\n";
    let mut world = world_on(&["................"], &(queue + all));
    step_to(&mut world, 2);
    assert_eq!(given_cells(&world), [(9, 0), (10, 0), (11, 0), (12, 0)].map(|(x, y)| (x - 1, y)));
    run_checked(&mut world);
    // No agent waits for more than the one in front of it.
    assert_eq!((world.counts().orders_done, world.counts().moves), (4, 32));
    // A single agent, at its cost; a requested heading counts.
    let mut world = world_on(&["......."], &cart("[0, 0, \"E\"]", &to("[4, 0]")));
    run_checked(&mut world);
    assert_eq!((world.tick(), cell(&world, 0)), (8, CellXY::new(4, 0)));
    // Its single-agent time covers the whole path, not only the searched last part.
    assert_eq!((world.counts().bound_ticks, world.counts().trip_ticks), (8, 8));
    let mut world = world_on(&["......."], &cart("[0, 0, \"E\"]", &to("[4, 0, \"N\"]")));
    run_checked(&mut world);
    assert_eq!((world.tick(), world.pose(0).heading.0), (9, 1));
}

#[test]
fn one_goal_for_several_classes_and_for_moving_agents() {
    let rows = ["...................."; 12].join("\",\"");
    let text = format!(
        "name = \"mixed\"\nticks = 3000\nseed = 8\n[map]\nrows = [\"{rows}\"]\n{CART}{TRUCK}{TANK}{}{}{}\
         [[events]]\ntick = 9\ngive_orders = {{ area = [0, 0, 20, 12], orders = [{{ goto_group = [14, 6] }}] }}\n",
        group("cart", 5, "[0, 0, 6, 12]", "{ patrol = [[3, 0], [3, 11]] }"),
        group("truck", 4, "[2, 2, 4, 8]", "{ goto = [19, 3] }"),
        group("tank", 3, "[6, 0, 6, 12]", ""),
    );
    let mut world = build_world(&text);
    step_to(&mut world, 10);
    assert!((0..12).any(|row| !world.agent_arrays().motion[row].at_rest()));
    // Moving agents have poses too.
    assert!((0..12).all(|row| given(&world, row).is_some()));
    let near = |row| given(&world, row).unwrap().cell.distance_squared(CellXY::new(14, 6));
    assert!((0..12).map(near).max().unwrap() <= 25);
    run_checked(&mut world);
    assert_eq!(world.counts().orders_unreachable, 0, "{:?}", world.counts());
    assert_eq!(
        world.agent_arrays().motion.iter().filter(|motion| motion.activity != Activity::Idle).count(),
        0
    );
}

#[test]
fn agents_without_room_or_path_are_reported() {
    // Three cells behind the door for four carts, and a cart that cannot leave its cell.
    let more = group("cart", 4, "[2, 0, 5, 1]", &to("[9, 0]")) + &cart("[0, 0, \"E\"]", &to("[9, 0]"));
    let mut world = world_on(&[".W........"], &more);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, world.counts().orders_unreachable), (4, 1));
    let more = group("cart", 4, "[0, 0, 2, 2]", &to("[3, 0]"));
    let mut world = world_on(&["..W.", "..W."], &more);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, world.counts().orders_unreachable), (0, 4));
    // Five carts for five cells, one of them taken by an agent that stays: the farthest cart gets none.
    let more = cart("[4, 0, \"E\"]", "{ wait = 400 }") + &group("cart", 4, "[0, 0, 4, 1]", &to("[2, 0]"));
    let mut world = world_on(&["....."], &more);
    step_to(&mut world, 1);
    assert_eq!((1..5).filter(|&row| given(&world, row).is_some()).count(), 4);
    assert_eq!(world.counts().orders_unreachable, 0);
}

#[test]
fn nearest_spreads_agents_on_each_side_of_the_water() {
    let order = "{ goto_group = [5, 1], fallback = \"nearest\" }";
    let more = group("cart", 3, "[0, 0, 3, 3]", order) + &group("cart", 3, "[8, 0, 3, 3]", order);
    let mut world = world_on(&["....WWW....", "....WWW....", "....WWW...."], &more);
    step_to(&mut world, 1);
    // Around the cells on the bank that are nearest to the goal.
    let near = |row: usize| {
        let bank = CellXY::new(if row < 3 { 3 } else { 7 }, 1);
        given(&world, row).unwrap().cell.distance_squared(bank)
    };
    assert!((0..6).all(|row| near(row) <= 1));
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 6);
}

#[test]
fn a_flooded_pose_is_replaced_and_a_waiting_order_is_retried() {
    let more = cart("[0, 0, \"E\"]", &to("[6, 0]")) + &set_terrain(3, "[6, 0, 2, 1]", "water", "wait");
    let mut world = world_on(&["........", "........"], &more);
    step_to(&mut world, 1);
    assert_eq!(given_cells(&world), [(6, 0)]);
    // Without the goal no pose is near it.
    run_checked(&mut world);
    assert_eq!(world.counts().orders_unreachable, 1);
    // The goal is there, the adjacent pose is not.
    let more =
        group("cart", 2, "[0, 0, 2, 1]", &to("[6, 0]")) + &set_terrain(3, "[5, 0, 1, 1]", "water", "wait");
    let mut world = world_on(&["........", "........"], &more);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, world.counts().orders_unreachable), (2, 0));
    let order = "{ goto_group = [6, 0], if_unreachable = \"wait\" }";
    let more = cart("[0, 0, \"E\"]", order) + &set_terrain(30, "[3, 0, 1, 1]", "ground", "wait");
    let mut world = world_on(&["...W...."], &more);
    step_to(&mut world, 20);
    assert_eq!(world.agent_arrays().motion[0].activity, Activity::Unreachable);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, cell(&world, 0)), (1, CellXY::new(6, 0)));
}

#[test]
fn a_field_that_takes_many_ticks_only_delays_the_choice() {
    let text = |budget: u32| {
        format!(
            "name = \"slow\"\nticks = 4000\nseed = 2\nexpansions_per_tick = {budget}\n\
             [map]\ngenerate = {{ kind = \"rooms\", size = [40, 40], seed = 3 }}\n{CART}{}",
            group("cart", 12, "[0, 0, 12, 40]", &to("[30, 20]"))
        )
    };
    let mut fast = build_world(&text(200_000));
    step_to(&mut fast, 1);
    let mut slow = build_world(&text(64));
    while slow.agent_arrays().assigned.iter().all(Option::is_none) {
        assert!(slow.tick() < 500);
        let next = slow.tick() + 1;
        step_to(&mut slow, next);
    }
    assert!(slow.tick() > 20);
    // The heading is decided with the path.
    let cells = |world: &World| given_cells(world);
    assert_eq!(cells(&slow), cells(&fast));
    run_checked(&mut slow);
    assert_eq!(slow.counts().orders_done, 12, "{:?}", slow.counts());
}

/// Cost of the cheapest path between two poses, and the expansions of a search for it.
fn cheapest(tables: &MovementTables, from: Pose, to: Pose) -> (u32, u64) {
    let goal = [GoalMember::pose(to)];
    let request = Request::new(from, Goal::of(&goal));
    let answer = plan(tables, &request, &mut Scratch::new(), &mut Path::new());
    assert_eq!(answer.status, Status::Found);
    (answer.cost, answer.expansions)
}

/// A group that gets an order together: sums over its agents, together and alone.
#[derive(Debug)]
struct GroupPaths {
    /// Ticks of the assigned paths, and of the cheapest paths to the same poses.
    ticks: [u64; 2],
    /// Expansions of the choice and of all paths, and of searches for the same paths alone.
    expansions: [u64; 2],
}

fn group_paths(kind: &str) -> GroupPaths {
    let text = format!(
        "name = \"ways\"\nticks = 4000\nseed = 5\n[map]\ngenerate = {{ kind = \"{kind}\", size = [128, 128], seed = 4 }}\n\
         {CART}{TRUCK}{}{}",
        group("cart", 60, "[0, 0, 128, 128]", &to("[48, 48]")),
        group("truck", 40, "[0, 0, 128, 128]", &to("[48, 52]"))
    );
    let mut world = build_world(&text);
    world.keep_log();
    let starts: Vec<Pose> = (0..100).map(|row| world.pose(row)).collect();
    step_to(&mut world, 1);
    let mut ways = GroupPaths { ticks: [0; 2], expansions: [world.counts().expansions, 0] };
    let moves = world.log_moves();
    for event in world.log() {
        let &TraceEvent::Path { agent, from, first, count } = event else { continue };
        let (row, tables) = (agent.0 as usize, tables(&world, agent.0 as usize));
        assert_eq!(from, starts[row]);
        let mut state = tables.space().state(from).unwrap();
        for &primitive in &moves[first as usize..][..count as usize] {
            ways.ticks[0] += u64::from(tables.move_ticks(state, primitive as usize).unwrap());
            state = tables.state_after(state, primitive as usize);
        }
        assert_eq!(world.agent_arrays().assigned[row], Some(state));
        let (cost, expansions) = cheapest(tables, from, tables.space().pose(state));
        ways.ticks[1] += u64::from(cost);
        ways.expansions[1] += expansions;
    }
    ways
}

#[test]
fn paths_along_the_shared_field_are_hardly_longer() {
    for kind in ["open", "rooms", "base"] {
        let GroupPaths { ticks: [went, least], expansions: [shared, alone] } = group_paths(kind);
        assert!(least <= went && went * 100 <= least * 103, "{kind}: {went} {least}");
        // A field extends in all directions from its goal; without obstacles a search goes straight to it.
        assert!(kind == "open" || shared < alone, "{kind}: {shared} {alone}");
    }
}

#[test]
fn hexagons_and_bodies_that_never_turn() {
    let hopper = "[class.hopper]\nheadings = 6\nmoves = [\n{ name = \"forward\", by = [1, 0], time = 2 },\n\
                  { name = \"left\", turn = 1, time = 1 },\n{ name = \"right\", turn = -1, time = 1 },\n]\n";
    let crab = "[class.crab]\nheadings = 1\nfootprint = [[0, 0], [1, 0]]\nmoves = [\n\
                { name = \"E\", by = [1, 0], time = 2 }, { name = \"W\", by = [-1, 0], time = 2 },\n\
                { name = \"S\", by = [0, 1], time = 2 }, { name = \"N\", by = [0, -1], time = 2 },\n]\n";
    let rows = [".............."; 12].join("\",\"");
    for shape in ["square", "hex"] {
        let turns = if shape == "hex" { hopper } else { CART };
        let name = if shape == "hex" { "hopper" } else { "cart" };
        let text = format!(
            "name = \"hex\"\nticks = 3000\nseed = 4\n[map]\nshape = \"{shape}\"\nrows = [\"{rows}\"]\n{turns}{crab}{}{}",
            group(name, 7, "[0, 0, 4, 12]", &to("[9, 3]")),
            group("crab", 5, "[0, 0, 5, 12]", &to("[9, 9]"))
        );
        let mut world = build_world(&text);
        step_to(&mut world, 1);
        if shape == "hex" {
            // The goal and its six neighbours.
            let steps =
                |row| world.grid().shape().measure(given(&world, row).unwrap().cell, CellXY::new(9, 3));
            assert_eq!((0..7).map(steps).sum::<u64>(), 6);
        }
        run_checked(&mut world);
        assert_eq!(world.counts().orders_done, 12, "{shape}: {:?}", world.counts());
    }
}

fn crowd(threads: usize) -> u64 {
    let text = format!(
        "name = \"crowd\"\nticks = 400\nseed = 6\nsearch_slots = 5\nexpansions_per_tick = 900\n\
         [map]\ngenerate = {{ kind = \"base\", size = [48, 48], seed = 9 }}\n{CART}{TRUCK}{TANK}{}{}{}",
        group("cart", 30, "[0, 0, 48, 48]", &to("[20, 20]")),
        group("truck", 15, "[0, 0, 48, 48]", "{ goto_group = [30, 30, \"N\"], fallback = \"nearest\" }"),
        "[[events]]\ntick = 120\ngive_orders = { area = [0, 0, 40, 40], orders = [{ goto_group = [24, 8], fallback = \"nearest\" }] }\n"
    );
    on_threads(threads, || *run_checked(&mut build_world(&text)).last().unwrap())
}

#[test]
fn the_state_is_the_same_for_any_number_of_threads() {
    let alone = crowd(1);
    assert_eq!([crowd(2), crowd(8)], [alone; 2]);
}

/// Poses mutually reachable with the goal.
fn connected(tables: &MovementTables, goal: GoalMember) -> Vec<State> {
    let members = [goal];
    let mut to = CostField::to_goal(tables, &Goal::of(&members));
    let mut from = CostField::from_start(tables, &Goal::of(&members));
    to.settle(tables, SettleTarget::All, u64::MAX);
    from.settle(tables, SettleTarget::All, u64::MAX);
    let both = to.settled().filter_map(|(pose, _)| tables.space().state(pose));
    both.filter(|&state| from.cost(state).is_some()).collect()
}

/// The poses that can be reached from one.
fn reached_from(tables: &MovementTables, pose: Pose) -> CostField {
    let members = [GoalMember::pose(pose)];
    let mut field = CostField::from_start(tables, &Goal::of(&members));
    field.settle(tables, SettleTarget::All, u64::MAX);
    field
}

/// Beside the edge of the map two lorries stand in no pose that they could not reach: they wait for no answer for ever.
#[test]
fn poses_at_the_edge_are_within_reach() {
    let rows = [".............."; 10].join("\",\"");
    let text = format!(
        "name = \"edge\"\nticks = 2000\nseed = 212\n[map]\nrows = [\"{rows}\"]\n{TRUCK}{}",
        group("truck", 2, "[2, 1, 10, 6]", &to("[1, 9]"))
    );
    let mut world = build_world(&text);
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, world.counts().orders_unreachable), (2, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Each agent gets its own legal pose connected with the goal, as long as there are any; on open ground no nearer
    /// pose stays free.
    #[test]
    fn poses_are_legal_and_disjoint_and_use_all_room(
        walls in proptest::collection::vec((0..14_usize, 0..10_usize), 0..50),
        class in 0..3_usize,
        count in 1..14_usize,
        goal in (0..14_i32, 0..10_i32),
        heading in 0..5_usize,
        seed in 0..1000_u32,
    ) {
        let mut rows = vec![vec!['.'; 14]; 10];
        walls.iter().for_each(|&(x, y)| rows[y][x] = 'W');
        let rows: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
        let name = ["cart", "truck", "tank"][class];
        let heading = ["", ", \"E\"", ", \"N\"", ", \"W\"", ", \"any\""][heading];
        let order = to(&format!("[{}, {}{heading}]", goal.0, goal.1));
        let text = format!(
            "name = \"random\"\nticks = 60\nseed = {seed}\n[map]\nrows = [\"{}\"]\n{CART}{TRUCK}{TANK}{}",
            rows.join("\",\""), group(name, count, "[0, 0, 14, 10]", &order)
        );
        let typed = wheelbase_scenario::scenario::parse("test.toml", text.as_bytes()).unwrap();
        let built = wheelbase_scenario::load::build_world(std::path::Path::new("test.toml"), &typed);
        // A scenario without room for the group itself is an error.
        prop_assume!(built.is_ok());
        let mut world = built.unwrap();
        step_to(&mut world, 1);
        let goal = {
            let heading = heading.chars().find(|c| "ENW".contains(*c));
            let heading = heading.map(|c| wheelbase_planner::Heading("ENW".find(c).unwrap() as u8));
            GoalMember { cell: CellXY::new(goal.0, goal.1), heading }
        };
        let tables = tables(&world, 0);
        let space = tables.space();
        let connected = connected(tables, goal);
        let faces = |state: &State| goal.heading.is_none_or(|heading| space.pose(*state).heading == heading);
        let rows: Vec<usize> = (0..count).filter(|&row| given(&world, row).is_some()).collect();
        let mut taken = Vec::new();
        for &row in &rows {
            let state = world.agent_arrays().assigned[row].unwrap();
            prop_assert!(tables.is_legal(state) && connected.contains(&state) && faces(&state));
            taken.extend(body(tables, space.pose(state)));
        }
        let n_cells = taken.len();
        taken.sort_unstable_by_key(|cell| (cell.y, cell.x));
        taken.dedup();
        prop_assert_eq!(taken.len(), n_cells);
        prop_assert_eq!(world.counts().orders_unreachable + world.counts().orders_done + rows.len() as u64, count as u64);
        // Agents without a pose cannot reach the goal, or there is no room left.
        let measure = |pose: Pose| pose.cell.distance_squared(goal.cell);
        let overlaps = |state: State| body(tables, space.pose(state)).iter().any(|cell| taken.contains(cell));
        let free: Vec<State> =
            connected.iter().copied().filter(|&state| faces(&state) && !overlaps(state)).collect();
        // The result of each agent that reaches the goal. A pose must be within reach of all of them.
        let mut reached: Vec<CostField> = (0..count).map(|row| reached_from(tables, world.pose(row))).collect();
        let goals: Vec<State> = connected
            .iter()
            .copied()
            .filter(|&state| space.pose(state).cell == goal.cell && faces(&state))
            .collect();
        reached.retain(|field| goals.iter().any(|&state| field.cost(state).is_some()));
        let within_reach = |state: &State| reached.iter().all(|field| field.cost(*state).is_some());
        for row in (0..count).filter(|row| !rows.contains(row)) {
            let from = space.state(world.pose(row)).unwrap();
            prop_assert!(
                !free.iter().any(within_reach) || !connected.contains(&from),
                "row {} of {:?}", row, rows
            );
        }
        // A longer body must drive around others to stand next to them at the edge of the map.
        if walls.is_empty() && class == 0 {
            let farthest = rows.iter().map(|&row| measure(given(&world, row).unwrap())).max().unwrap_or(0);
            prop_assert!(free.iter().all(|&state| measure(space.pose(state)) >= farthest));
        }
    }
}
