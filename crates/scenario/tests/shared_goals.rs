//! Goals for many agents with room for one. Under every traffic rule no agent repeats its search without end. If there
//! is room to pass, each agent gets its turn.

use crate::common::{CART, build_world, cart, cell};
use wheelbase_grid::CellXY;
use wheelbase_sim::{EventKind, OrderKind, RunResult, RunState, TickTimes, World, invariant};

fn world_on(rows: &[String], ticks: u32, more: &str) -> World {
    let rows = rows.join("\",\"");
    build_world(&format!(
        "name = \"shared\"\nticks = {ticks}\nseed = 5\n[map]\nrows = [\"{rows}\"]\n{CART}{more}"
    ))
}

fn open(width: usize, height: usize) -> Vec<String> {
    vec![".".repeat(width); height]
}

fn group(count: u32, area: &str, orders: &str) -> String {
    format!("[[groups]]\nclass = \"cart\"\ncount = {count}\narea = {area}\norders = [{orders}]\n")
}

/// Runs to the end without overlaps. Gives the result, and the requests in the second half of the ticks.
fn run(mut world: World) -> (World, RunResult, u64) {
    let half = world.settings().ticks / 2;
    let mut before = 0;
    while world.step() == RunState::Running {
        let found = invariant::check(&world);
        assert!(found.is_empty(), "tick {}: {found:?}", world.tick());
        if world.tick() <= half {
            before = world.counts().path_requests;
        }
    }
    let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
    let late = result.path_requests - before;
    (world, result, late)
}

/// On average an agent requests at most one path in eight ticks, even if it has waited near its goal for long.
fn assert_few_searches(result: &RunResult, late: u64, agents: u64, ticks: u64) {
    assert!(result.path_requests * 8 <= agents * ticks, "{} requests", result.path_requests);
    assert!(late * 16 <= agents * ticks, "{late} of {} requests are late", result.path_requests);
}

#[test]
fn all_to_one_cell() {
    // With room around the goal each agent reaches it and yields to the next.
    let world = world_on(&open(24, 24), 4000, &group(40, "[0, 0, 24, 24]", "{ goto = [12, 12] }"));
    let (_, result, late) = run(world);
    assert_eq!((result.orders_done, result.orders_left), (40, 0));
    assert!(result.longest_wait_ticks <= 1000, "{}", result.longest_wait_ticks);
    assert_few_searches(&result, late, 40, 1000);
}

#[test]
fn all_to_one_cell_forever() {
    let world = world_on(
        &open(24, 24),
        1000,
        &group(40, "[0, 0, 24, 24]", "{ patrol = [[12, 12], [2, 12], [12, 12], [21, 12]] }"),
    );
    let (_, result, late) = run(world);
    assert_few_searches(&result, late, 40, 1000);
    // The same, but no agent has another goal.
    let world =
        world_on(&open(24, 24), 1000, &group(40, "[0, 0, 24, 24]", "{ goto = [12, 12] }, { wait = 4000 }"));
    let (_, result, late) = run(world);
    assert_few_searches(&result, late, 40, 1000);
}

#[test]
fn a_goal_under_a_resting_agent() {
    // It yields, and the other agent completes its order.
    let more = cart("[6, 3, \"E\"]", "") + &cart("[0, 3, \"E\"]", "{ goto = [6, 3] }");
    let (world, result, _) = run(world_on(&open(12, 7), 1000, &more));
    assert_eq!((result.orders_done, cell(&world, 1)), (1, CellXY::new(6, 3)));
    assert!(result.longest_wait_ticks <= 100 && result.path_requests <= 20, "{}", result.path_requests);
    // Enclosed by walls it cannot yield: the other waits for it, and is reported.
    let rows = [".....WWW".to_owned(), "........".to_owned(), ".....WWW".to_owned()];
    let more = cart("[7, 1, \"E\"]", "") + &cart("[0, 1, \"E\"]", "{ goto = [7, 1] }");
    let (_, result, late) = run(world_on(&rows, 1000, &more));
    assert_few_searches(&result, late, 1, 1000);
    if result.orders_left > 0 {
        assert_eq!((result.stuck_agents, result.wait_for_cycles.len()), (1, 1));
        assert_eq!(
            (&result.wait_for_cycles[0].agents[..], result.wait_for_cycles[0].ring),
            (&[1, 0][..], false)
        );
    }
}

#[test]
fn a_goal_in_a_dead_end_of_one_lane() {
    // A room with a dead-end corridor.
    let mut rows = open(16, 9);
    rows.iter_mut().for_each(|row| row.replace_range(8.., "WWWWWWWW"));
    rows[4] = ".".repeat(16);
    // Each agent must go in and come out backwards; agents that follow the first into the corridor block it.
    let orders = "{ goto = [15, 4] }, { goto = [2, 4] }";
    for count in [1, 4] {
        let (_, result, late) = run(world_on(&rows, 1000, &group(count, "[0, 0, 6, 9]", orders)));
        assert_few_searches(&result, late, u64::from(count), 1000);
        if count == 1 {
            assert_eq!((result.orders_done, result.orders_left), (2, 0));
        }
        // Every stuck agent is in a reported wait-for cycle.
        let n_reported: u64 = result.wait_for_cycles.iter().map(|cycle| cycle.waiting).sum();
        assert_eq!(n_reported, result.stuck_agents);
    }
    // Agents that stay at the end of the corridor all get their own cell.
    let order = "{ goto_group = [15, 4] }";
    let (world, result, late) = run(world_on(&rows, 1000, &group(5, "[0, 0, 6, 9]", order)));
    assert_eq!((result.orders_done, result.orders_left), (5, 0));
    // An agent may have to come out again for another agent that goes farther in; it does not return.
    let inside = (0..5).filter(|&row| cell(&world, row).x >= 8).count();
    assert!(inside > 0 && result.stuck_agents == 0);
    assert_few_searches(&result, late, 5, 1000);
}

/// Two agents that want to swap the only two cells, on squares and on hexagons: no rule can solve that.
#[test]
fn an_impossible_swap_is_reported_as_a_cycle() {
    let crab = "[class.crab]\nheadings = 1\nmoves = [\n{ name = \"E\", by = [1, 0], time = 2 },\n\
                { name = \"W\", by = [-1, 0], time = 2 },\n]\n";
    let agent = |from: usize, to: usize| {
        format!("[[agents]]\nclass = \"crab\"\nat = [{from}, 0]\norders = [{{ goto = [{to}, 0] }}]\n")
    };
    for shape in ["square", "hex"] {
        for collision in ["swept", "discrete"] {
            let world = build_world(&format!(
                "name = \"exchange\"\nticks = 400\ncollision = \"{collision}\"\n[map]\nshape = \"{shape}\"\n\
                 rows = [\"..\"]\n{crab}{}{}",
                agent(0, 1),
                agent(1, 0)
            ));
            let (_, result, late) = run(world);
            assert_few_searches(&result, late, 2, 400);
            assert_eq!((result.stuck_agents, result.wait_for_cycles.len()), (2, 1));
            let cycle = &result.wait_for_cycles[0];
            assert_eq!((&cycle.agents[..], &cycle.at[..]), (&[0, 1][..], &[[1, 0], [0, 0]][..]));
            assert!(cycle.ring && cycle.waiting == 2);
        }
    }
}

/// The recipe of the guide: trucks take a dock in turn, stand there for 60 ticks each, one at a time, and drive home.
#[test]
fn trucks_queue_for_a_dock() {
    const GUIDE: &str = include_str!("../../../docs/scenario.md");
    let recipe = GUIDE.split("### A dock with a queue").nth(1).unwrap();
    let text = recipe.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    for seed in 1..=4 {
        let mut world = build_world(&format!("seed = {seed}\n{text}"));
        // Agents and ticks: of arrivals at the dock, and of departures.
        let (mut came, mut left) = (Vec::new(), Vec::new());
        while world.step() == RunState::Running {
            assert_eq!(invariant::check(&world), []);
            for event in world.events().iter().filter(|event| event.kind() == Some(EventKind::OrderDone)) {
                match OrderKind::NAMES[event.b as usize] {
                    "goto" => came.push((event.agent, event.tick)),
                    "wait_in_place" => left.push((event.agent, event.tick)),
                    _ => {}
                }
            }
        }
        let counts = world.counts();
        assert_eq!((came.len(), counts.orders_done), (6, 24), "{seed}");
        let stays: Vec<(u32, u32)> = came.iter().map(|&(agent, tick)| (agent, tick + 60)).collect();
        assert_eq!(left, stays, "{seed}");
        assert!(world.tick() < 1_200 && counts.path_requests < 120, "{} {counts:?}", world.tick());
    }
}
