//! The single-agent bound against runs of single agents; trips and detours in results.

use crate::common::{CART, OTHERS, TRUCK, build_world, cart, on_threads, run_checked, world_on};
use proptest::prelude::*;
use std::path::Path;
use wheelbase_scenario::load::{AttachedFile, Files, build_world_of};
use wheelbase_scenario::scenario;
use wheelbase_sim::{NoSingleAgentBound, RunResult, SingleAgentBound, TickTimes, World, single_agent_bounds};

fn alone(world: &World) -> Result<Vec<SingleAgentBound>, NoSingleAgentBound> {
    single_agent_bounds(world, &|| true).map(Option::unwrap)
}

fn result(world: &World) -> RunResult {
    RunResult::of(world, 1, &TickTimes::default(), 0.0, 0)
}

/// A budget that searches never exhaust.
fn text(rows: &[String], ticks: u32, more: &str) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    format!(
        "name = \"lone\"\nseed = 5\nticks = {ticks}\nexpansions_per_tick = 100000000\n[map]\nrows = [{}]\n{CART}{TRUCK}{OTHERS}{more}",
        rows.join(",")
    )
}

/// Column, row and heading.
type Stop = (usize, usize, usize);

/// Rows of a map, the class of an agent, and its goals in turn.
fn bound_trips() -> impl Strategy<Value = (Vec<String>, &'static str, Vec<Stop>)> {
    let glyph = prop_oneof![9 => Just('.'), 2 => Just('S'), 1 => Just('T')];
    let rows = prop::collection::vec(prop::collection::vec(glyph, 16), 12);
    let rows = rows.prop_map(|rows| rows.into_iter().map(String::from_iter).collect());
    let class = prop::sample::select(vec!["cart", "truck", "tank"]);
    (rows, class, prop::collection::vec((0_usize..16, 0_usize..12, 0_usize..4), 1..8))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Goals have headings, so that the end of a trip does not depend on the choice between several cheapest paths.
    #[test]
    fn a_run_with_one_agent_meets_the_bound((rows, class, goals) in bound_trips(), ticks in 1_u32..1000) {
        let mut table = "agent,x,y,heading\n".to_owned();
        for (x, y, heading) in goals {
            table += &format!("0,{x},{y},{}\n", ["E", "N", "W", "S"][heading]);
        }
        let group = format!("[[groups]]\nclass = \"{class}\"\ncount = 1\narea = [0, 0, 16, 12]\ntasks = {{ file = \"trips.csv\" }}\n");
        let files = [AttachedFile { name: "trips.csv".to_owned(), bytes: table.into_bytes() }];
        let typed = scenario::parse("test.toml", text(&rows, ticks, &group).as_bytes()).unwrap();
        let built = build_world_of(Path::new("test.toml"), &typed, Files::Attached(&files));
        prop_assume!(built.is_ok());
        let mut world = built.unwrap().world;
        let bound = alone(&world).unwrap();
        world.run();
        let counts = *world.counts();
        prop_assert_eq!(bound[0].tasks_done, counts.tasks_done);
        prop_assert_eq!(u64::from(world.agent_arrays().statistics(0).finished), counts.tasks_done);
        let trips = counts.trips + counts.trips_of_no_length;
        prop_assert_eq!((trips, counts.trip_ticks), (counts.tasks_done, counts.bound_ticks));
    }
}

#[test]
fn random_tasks_of_the_bound_are_those_of_a_run() {
    let rows = vec![".".repeat(96); 64];
    for class in ["cart", "truck", "tank"] {
        let group = format!(
            "[[groups]]\nclass = \"{class}\"\ncount = 1\narea = [0, 0, 96, 64]\ntasks = {{ kind = \"random\", area = [0, 0, 96, 64] }}\n"
        );
        let mut world = build_world(&text(&rows, 1500, &group));
        let bound = alone(&world).unwrap();
        world.run();
        assert_eq!(
            bound,
            [SingleAgentBound { tasks_done: world.counts().tasks_done, confined: false }],
            "{class}"
        );
        assert!(bound[0].tasks_done > 2, "{class}: {bound:?}");
        let result = result(&world);
        assert_eq!((result.detour_permille, result.progress_permille), (Some(1000), Some(1000)), "{class}");
    }
}

fn crowd(count: u32) -> String {
    let group = format!(
        "count = {count}\narea = [0, 0, 40, 24]\ntasks = {{ kind = \"random\", area = [0, 0, 40, 24] }}\n"
    );
    let groups = ["cart", "truck", "tank"].map(|class| format!("[[groups]]\nclass = \"{class}\"\n{group}"));
    text(&vec![".".repeat(40); 24], 600, &groups.concat())
}

/// No traffic rule can do more than agents that ignore each other.
#[test]
fn a_crowd_stays_below_its_bound() {
    let mut world = build_world(&crowd(12));
    let bound = on_threads(1, || alone(&build_world(&crowd(12))).unwrap());
    assert_eq!(on_threads(3, || alone(&build_world(&crowd(12))).unwrap()), bound);
    assert_eq!(single_agent_bounds(&world, &|| false), Ok(None), "interrupted");
    world.run();
    let (done, bound) = (world.counts().tasks_done, bound.iter().map(|bound| bound.tasks_done).sum::<u64>());
    assert!(done < bound && done > bound / 4, "{done} of {bound}");
    let finished =
        (0..world.agent_arrays().len()).map(|row| u64::from(world.agent_arrays().statistics(row).finished));
    assert_eq!(finished.sum::<u64>(), done);
    let counts = world.counts();
    assert!(counts.trips <= done && counts.trips > done / 2, "{counts:?}");
    assert!(counts.bound_ticks < counts.trip_ticks && counts.trip_ticks <= counts.flowtime, "{counts:?}");
    assert!(result(&world).longest_trip_ticks >= counts.longest_task_ticks);
}

#[test]
fn an_enclosed_agent_is_distinguished() {
    let mut rows = vec![".".repeat(40); 24];
    rows[4].replace_range(3..8, "TTTTT");
    rows[5].replace_range(3..8, "T...T");
    rows[6].replace_range(3..8, "TTTTT");
    let tasks = "tasks = { kind = \"random\", area = [0, 0, 40, 24] }\n";
    let group = |area: &str| format!("[[groups]]\nclass = \"cart\"\ncount = 1\narea = {area}\n{tasks}");
    let mut world = build_world(&text(&rows, 1000, &(group("[4, 5, 3, 1]") + &group("[20, 0, 5, 5]"))));
    let bound = alone(&world).unwrap();
    assert_eq!([bound[0].confined, bound[1].confined], [true, false]);
    assert!(bound[0].tasks_done > 4 * bound[1].tasks_done, "{bound:?}");
    world.run();
    let result = result(&world);
    assert_eq!((result.confined_agents, result.confined_tasks_done), (1, bound[0].tasks_done));
    assert_eq!(result.tasks_done, bound[0].tasks_done + bound[1].tasks_done);
    // On a small map all are confined, and nobody is counted apart.
    let mut world = build_world(&text(&vec![".".repeat(7); 7], 100, &group("[0, 0, 7, 7]")));
    world.run();
    assert_eq!(RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0).confined_agents, 0);
}

#[test]
fn scenarios_without_a_bound_are_refused() {
    let why = |more: &str| alone(&build_world(&text(&vec![".".repeat(16); 12], 100, more))).unwrap_err();
    let tasks = "[[groups]]\nclass = \"cart\"\ncount = 2\narea = [0, 0, 4, 4]\ntasks = { kind = \"random\", area = [0, 0, 9, 9] }\n";
    assert_eq!(why(&cart("[9, 9, \"E\"]", "{ goto = [0, 0] }")), NoSingleAgentBound::Orders { row: 0 });
    assert_eq!(why(&cart("[9, 9, \"E\"]", "")), NoSingleAgentBound::NoTasks);
    let orders = format!("{tasks}orders = [{{ wait = 3 }}]\n");
    assert_eq!(why(&orders).to_string(), "agent 0 has orders; expected tasks alone");
    let event = format!("{tasks}[[events]]\ntick = 5\nremove_agents = {{ area = [0, 0, 1, 1] }}\n");
    assert_eq!(why(&event).to_string(), "the scenario has 1 events; expected none");
    let mut world = build_world(&text(&vec![".".repeat(16); 12], 100, tasks));
    world.step();
    assert_eq!(alone(&world), Err(NoSingleAgentBound::Begun { tick: 1 }));
}

/// A trip counts from the pose where it begins, whatever the orders before it.
#[test]
fn trips_are_orders_stops_and_tasks() {
    let orders = "{ wait = 7 }, { goto = [7, 0] }, { goto = [7, 0] }, { goto = [3, 0, \"E\"] }";
    let mut world = world_on(&["........"], &cart("[0, 0, \"E\"]", orders));
    run_checked(&mut world);
    // Seven steps ahead, a tick to notice the arrival, a turn, four steps back, a turn. The second has zero length.
    assert_eq!((world.tick(), world.counts().orders_done, world.counts().trips), (34, 4, 2));
    assert_eq!((world.counts().trip_ticks, world.counts().bound_ticks), (14 + 12, 14 + 12));
    let single = result(&world);
    assert_eq!((single.trips_of_no_length, single.carried_permille), (1, Some(765)));
    assert_eq!(
        (single.detour_permille, single.longest_trip_ticks, single.no_progress_agents),
        (Some(1000), 14, 0)
    );

    // Two agents that pass each other need a bay, and time.
    let pass = cart("[0, 1, \"E\"]", "{ goto = [8, 1] }") + &cart("[8, 1, \"W\"]", "{ goto = [0, 1] }");
    let mut world = world_on(&["TTTT.TTTT", "........."], &pass);
    run_checked(&mut world);
    assert_eq!((world.counts().trips, world.counts().bound_ticks), (2, 32));
    let pair = result(&world);
    assert!(world.counts().trip_ticks > 32 && pair.detour_permille > Some(1000));
    assert_eq!(
        pair.progress_permille,
        Some((32_000 + world.counts().trip_ticks / 2) / world.counts().trip_ticks)
    );

    let mut patrol = world_on(&["........"], &cart("[0, 0, \"E\"]", "{ patrol = [[7, 0], [0, 0]] }"));
    run_checked(&mut patrol);
    let counts = patrol.counts();
    assert!(counts.trips > 5 && counts.trip_ticks == counts.bound_ticks, "{counts:?}");
    assert_eq!(result(&patrol).no_progress_agents, 0);
}
