//! Properties of all scenarios: agents never overlap, a single agent arrives on time, and the result does not depend on
//! the number of threads.

use crate::common::{CART, OTHERS, TRUCK, build_world, on_threads, run_checked};
use proptest::prelude::*;
use wheelbase_planner::{Goal, GoalMember, Path, Request, Scratch, Status, plan};
use wheelbase_scenario::load::Source;
use wheelbase_scenario::recording::{Reader, Recorder, ScenarioText, verify};

const CLASSES: [&str; 4] = ["cart", "truck", "tank", "walker"];

fn map_rows() -> impl Strategy<Value = (usize, usize, String)> {
    (6_usize..20, 6_usize..16).prop_flat_map(|(width, height)| {
        let glyph = prop_oneof![12 => Just('.'), 1 => Just('S'), 1 => Just('W'), 1 => Just('T')];
        prop::collection::vec(glyph, width * height).prop_map(move |glyphs| {
            let rows: Vec<String> =
                glyphs.chunks(width).map(|row| format!("\"{}\"", row.iter().collect::<String>())).collect();
            (width, height, format!("[map]\nrows = [{}]\n", rows.join(", ")))
        })
    })
}

fn order(width: usize, height: usize) -> impl Strategy<Value = String> {
    let reach = (0_u32..3, any::<bool>(), any::<bool>()).prop_map(|(within, nearest, wait)| {
        let fallback = if nearest { "nearest" } else { "fail" };
        let if_unreachable = if wait { "wait" } else { "drop" };
        format!("within = {within}, fallback = \"{fallback}\", if_unreachable = \"{if_unreachable}\"")
    });
    let cell = move || (0..width, 0..height);
    prop_oneof![
        4 => (cell(), reach.clone()).prop_map(|((x, y), reach)| format!("{{ goto = [{x}, {y}], {reach} }}")),
        1 => (cell(), cell(), reach).prop_map(|((x, y), (u, v), reach)| {
            format!("{{ patrol = [[{x}, {y}], [{u}, {v}]], {reach} }}")
        }),
        2 => (cell(), 1_u32..7, 1_u32..7, any::<bool>(), any::<bool>()).prop_map(|((x, y), w, h, nearest, wait)| {
            let fallback = if nearest { "nearest" } else { "fail" };
            let if_unreachable = if wait { "wait" } else { "drop" };
            format!("{{ goto_area = [{x}, {y}, {w}, {h}], fallback = \"{fallback}\", if_unreachable = \"{if_unreachable}\" }}")
        }),
        1 => (0_u32..30).prop_map(|ticks| format!("{{ wait = {ticks} }}")),
        1 => prop::sample::select(&["stop", "hold"]).prop_map(|kind| format!("{{ {kind} = true }}")),
        1 => (1_u32..6).prop_map(|within| format!("{{ follow = \"leader\", within = {within} }}")),
    ]
}

/// Keys of agents: a team of three, or none, and a speed factor.
fn team_and_speed() -> impl Strategy<Value = String> {
    let team = prop::sample::select(&["", "team = \"red\"", "team = \"blue\"", "team = \"green\""]);
    (team, prop::sample::select(&[1000, 1000, 700, 1900])).prop_map(|(team, factor)| {
        let comma = if team.is_empty() { "" } else { ", " };
        format!("{team}{comma}speed_factor = {factor}")
    })
}

/// An event of any kind, at a tick up to 200.
fn event(width: usize, height: usize) -> impl Strategy<Value = String> {
    let cell = move || (0..width, 0..height);
    let area = move || {
        (cell(), 1_u32..5, 1_u32..5).prop_map(|((x, y), w, h)| format!("area = [{x}, {y}, {w}, {h}]"))
    };
    // What stands in quotes, with the keys that follow.
    let on_agents = || {
        let until = (0_u32..90, prop::sample::select(&["strand", "remove"]))
            .prop_map(|(ticks, then)| format!("wait\", deadline = {ticks}, at_deadline = \"{then}"));
        let plain = prop::sample::select(&["wait", "strand", "remove"]).prop_map(str::to_owned);
        prop_oneof![3 => plain, 1 => until]
    };
    let side = prop::sample::select(&["E", "N", "W", "S"]);
    let chosen = prop_oneof![
        3 => area(),
        1 => Just("names = [\"a\"]".to_owned()),
        1 => Just("names = [\"b\", \"a\"]".to_owned()),
    ];
    let removed = prop_oneof![4 => chosen.clone(), 1 => Just("names = [\"leader\"]".to_owned())];
    let orders =
        move || prop::collection::vec(order(width, height), 0..3).prop_map(|orders| orders.join(", "));
    let kinds = prop::sample::select(&["ground", "water", "swamp", "trees"]);
    let side_kinds = prop::sample::select(&["open", "wall", "hedge"]);
    let action = prop_oneof![
        3 => (area(), kinds, on_agents()).prop_map(|(area, kind, on)| {
            format!("set_terrain = {{ {area}, kind = \"{kind}\", on_agents = \"{on}\" }}")
        }),
        2 => (area(), -2_i32..5, on_agents()).prop_map(|(area, height, on)| {
            format!("set_elevation = {{ {area}, height = {height}, on_agents = \"{on}\" }}")
        }),
        2 => (cell(), side, side_kinds, on_agents()).prop_map(|((x, y), side, kind, on)| {
            format!("set_side = {{ cell = [{x}, {y}], side = \"{side}\", kind = \"{kind}\", on_agents = \"{on}\" }}")
        }),
        2 => (cell(), 1_i32..9, on_agents()).prop_map(|((x, y), turns, on)| {
            format!("rotate = {{ cell = [{x}, {y}], turns = {turns}, on_agents = \"{on}\" }}")
        }),
        1 => (area(), 0_usize..4, 1_u32..4, team_and_speed(), orders()).prop_map(|(area, class, count, keys, orders)| {
            format!(
                "add_agents = {{ class = \"{}\", count = {count}, {area}, {keys}, orders = [{orders}] }}",
                CLASSES[class]
            )
        }),
        1 => removed.prop_map(|chosen| format!("remove_agents = {{ {chosen} }}")),
        2 => (chosen, orders()).prop_map(|(chosen, orders)| {
            format!("give_orders = {{ {chosen}, orders = [{orders}] }}")
        }),
    ];
    (0_u32..200, action).prop_map(|(tick, action)| format!("[[events]]\ntick = {tick}\n{action}\n"))
}

fn scenario() -> impl Strategy<Value = String> {
    map_rows().prop_flat_map(|(width, height, map)| {
        let orders = prop::collection::vec(order(width, height), 0..4);
        let group = (0_usize..4, 1_u32..5, -3_i32..4, team_and_speed(), orders);
        let groups = prop::collection::vec(group, 1..5);
        let events = prop::collection::vec(event(width, height), 0..9);
        (Just((width, height, map)), groups, events, 1_u64..400, 1_u32..5, (any::<u32>(), any::<bool>()))
    })
    .prop_map(|((width, height, map), groups, events, expansions, slots, (seed, discrete))| {
        let collision = if discrete { "discrete" } else { "swept" };
        let mut text = format!(
            "name = \"random\"\nseed = {seed}\nticks = 260\nexpansions_per_tick = {expansions}\nsearch_slots = {slots}\ncollision = \"{collision}\"\n{map}"
        );
        text += "[side.hedge]\nspeed = 0\n";
        // Heights that tilt the truck and are too steep for the cart.
        text += &CART.replace("moves =", "up = 300\nmax_up = 1\nmoves =");
        text += &TRUCK.replace("moves =", "max_tilt = 1\nmoves =");
        text += OTHERS;
        text += &format!("[[agents]]\nname = \"a\"\nclass = \"cart\"\nat = [0, 0, \"E\"]\norders = [{{ goto_area = [{}, {}, 3, 3] }}]\n", width - 3, height - 3);
        text += "[[agents]]\nname = \"b\"\nclass = \"walker\"\nat = [1, 0]\norders = [{ patrol = [[1, 0], [4, 3]] }]\n";
        text += "[[agents]]\nname = \"leader\"\nclass = \"walker\"\nteam = \"red\"\nat = [2, 0]\n";
        text += &format!("orders = [{{ goto = [{}, {}] }}, {{ patrol = [[1, 1], [5, 3]] }}]\n", width - 1, height - 1);
        for (class, count, priority, keys, orders) in groups {
            text += &format!(
                "[[groups]]\nclass = \"{}\"\ncount = {count}\npriority = {priority}\narea = [0, 0, {width}, {height}]\n{}\norders = [{}]\n",
                CLASSES[class],
                keys.replace(", ", "\n"),
                orders.join(", ")
            );
        }
        if ["red", "blue"].iter().all(|team| text.contains(&format!("team = \"{team}\""))) {
            text += "[teams]\nfriends = [[\"blue\", \"red\"]]\n";
        }
        text += &events.concat();
        text
    })
}

/// The world of a scenario with room for its agents.
fn built(text: &str) -> Option<wheelbase_sim::World> {
    let typed = wheelbase_scenario::scenario::parse("test.toml", text.as_bytes()).unwrap();
    match wheelbase_scenario::load::build_world(std::path::Path::new("test.toml"), &typed) {
        Ok(world) => Some(world),
        Err(error)
            if ["room for", "agent \"a\": ", "agent \"b\": ", "agent \"leader\": "]
                .iter()
                .any(|text| error.to_string().contains(text)) =>
        {
            None
        }
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Records a run to its end.
fn record(world: &mut wheelbase_sim::World, text: &str) -> Vec<u8> {
    let scenario = ScenarioText { file: "test.toml", text };
    let mut recorder = Recorder::begin(world, &Source::default(), scenario, Vec::new()).unwrap();
    loop {
        let tick = world.tick();
        let step = world.step();
        recorder.tick(world, tick, step).unwrap();
        world.clear_log();
        if step == wheelbase_sim::RunState::Ended {
            return recorder.finish(world).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recordings_verify(text in scenario()) {
        let Some(mut plain) = built(&text) else { return Ok(()) };
        plain.run();
        let mut world = built(&text).unwrap();
        let file = record(&mut world, &text);
        prop_assert_eq!(world.state_hash(), plain.state_hash());
        let mut reader = Reader::open(std::io::Cursor::new(file)).unwrap();
        let verified = verify(&mut reader, |_| true).unwrap();
        prop_assert_eq!(verified.difference, None);
        prop_assert_eq!(verified.n_ticks, reader.n_ticks());
        prop_assert_eq!(reader.end().unwrap().tick, plain.tick());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agents_never_overlap_and_threads_change_nothing(text in scenario()) {
        let Some(mut world) = built(&text) else { return Ok(()) };
        let hashes = on_threads(1, || run_checked(&mut world));
        for threads in [2, 8] {
            let mut again = built(&text).unwrap();
            prop_assert_eq!(&on_threads(threads, || run_checked(&mut again)), &hashes);
            prop_assert_eq!(again.counts(), world.counts());
        }
    }

    #[test]
    fn a_single_agent_arrives_exactly_on_time(
        (width, height, map) in map_rows(),
        class in 0_usize..4,
        goal in (0_i32..20, 0_i32..16),
        seed in any::<u32>(),
    ) {
        let (x, y) = (goal.0 % width as i32, goal.1 % height as i32);
        let text = [
            &format!("name = \"lone\"\nseed = {seed}\nticks = 4000\n{map}[side.hedge]\nspeed = 0\n"),
            CART, TRUCK, OTHERS,
            &format!("[[groups]]\nclass = \"{}\"\ncount = 1\narea = [0, 0, {width}, {height}]\norders = [{{ goto = [{x}, {y}] }}]\n", CLASSES[class]),
        ].concat();
        let Some(mut world) = built(&text) else { return Ok(()) };
        let tables = &world.tables()[class];
        let members = [GoalMember::any(wheelbase_grid::CellXY::new(x, y))];
        let request = Request::new(world.pose(0), Goal::of(&members));
        let answer = plan(tables, &request, &mut Scratch::new(), &mut Path::new());
        run_checked(&mut world);
        let counts = world.counts();
        if answer.status == Status::Found {
            // At the earliest at tick 1, if it starts at its goal.
            prop_assert_eq!(counts.orders_done, 1);
            prop_assert_eq!(counts.flowtime, u64::from(answer.cost.max(1)));
            prop_assert_eq!(counts.wait_ticks, 0);
        } else {
            prop_assert_eq!((counts.orders_done, counts.orders_unreachable), (0, 1));
        }
    }
}

/// A crowd with few expansions per tick, and the same scenario twice in one process.
#[test]
fn a_tiny_budget_only_makes_it_slower() {
    let text = |expansions: u64| {
        let rows = vec!["\"....................\""; 20].join(",");
        format!(
            "name = \"crowd\"\nticks = 3000\nexpansions_per_tick = {expansions}\nsearch_slots = 3\n[map]\nrows = [{rows}]\n{CART}{TRUCK}\n[[groups]]\nclass = \"truck\"\ncount = 20\narea = [3, 3, 14, 14]\norders = [{{ goto = [10, 10], within = 9 }}, {{ goto = [2, 2], within = 8 }}]\n"
        )
    };
    let mut rich = build_world(&text(1_000_000));
    let mut poor = build_world(&text(40));
    run_checked(&mut rich);
    run_checked(&mut poor);
    assert_eq!(rich.counts().orders_done, 40);
    assert_eq!(poor.counts().orders_done, 40);
    assert!(poor.counts().longest_request_ticks > rich.counts().longest_request_ticks);
}
