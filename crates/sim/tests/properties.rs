//! What holds for every scenario: no two agents ever hold a cell, a lone agent arrives on time, and the
//! result does not depend on the number of threads.

#![allow(clippy::unwrap_used)]

mod common;

use common::{CART, OTHERS, TRUCK, on_threads, run_checked, simulation};
use proptest::prelude::*;
use wheelbase_planner::{Goal, GoalMember, Path, Request, Scratch, Status, plan};

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
        1 => (0_u32..30).prop_map(|ticks| format!("{{ wait = {ticks} }}")),
    ]
}

fn scenario() -> impl Strategy<Value = String> {
    map_rows().prop_flat_map(|(width, height, map)| {
        let group = (0_usize..4, 1_u32..5, -3_i32..4, prop::collection::vec(order(width, height), 0..4));
        let event = (0_u32..200, 0..width, 0..height, 1_u32..5, 1_u32..5, 0_usize..4, 0_usize..3);
        let groups = prop::collection::vec(group, 1..5);
        let events = prop::collection::vec(event, 0..5);
        (Just((width, height, map)), groups, events, 1_u64..400, 1_u32..5, (any::<u32>(), any::<bool>()))
    })
    .prop_map(|((width, height, map), groups, events, expansions, slots, (seed, discrete))| {
        let collision = if discrete { "discrete" } else { "swept" };
        let mut text = format!(
            "name = \"random\"\nseed = {seed}\nticks = 260\nexpansions_per_tick = {expansions}\nsearch_slots = {slots}\ncollision = \"{collision}\"\n{map}"
        );
        text += "[side.hedge]\nspeed = 0\n";
        text += &[CART, TRUCK, OTHERS].concat();
        for (class, count, priority, orders) in groups {
            text += &format!(
                "[[groups]]\nclass = \"{}\"\ncount = {count}\npriority = {priority}\narea = [0, 0, {width}, {height}]\norders = [{}]\n",
                CLASSES[class],
                orders.join(", ")
            );
        }
        for (tick, x, y, w, h, kind, on_agents) in events {
            text += &format!(
                "[[events]]\ntick = {tick}\nset_terrain = {{ area = [{x}, {y}, {w}, {h}], kind = \"{}\", on_agents = \"{}\" }}\n",
                ["ground", "water", "swamp", "trees"][kind],
                ["wait", "strand", "remove"][on_agents]
            );
        }
        text
    })
}

/// A scenario that has room for its groups.
fn built(text: &str) -> Option<wheelbase_sim::Simulation> {
    let typed = wheelbase_sim::scenario::parse("test.toml", text.as_bytes()).unwrap();
    match wheelbase_sim::build::build_simulation(std::path::Path::new("test.toml"), &typed) {
        Ok(sim) => Some(sim),
        Err(error) if error.to_string().contains("room for") => None,
        Err(error) => panic!("{error}\n{text}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_ever_overlaps_and_threads_change_nothing(text in scenario()) {
        let Some(mut sim) = built(&text) else { return Ok(()) };
        let hashes = on_threads(1, || run_checked(&mut sim));
        for threads in [2, 8] {
            let mut again = built(&text).unwrap();
            prop_assert_eq!(&on_threads(threads, || run_checked(&mut again)), &hashes);
            prop_assert_eq!(again.counts(), sim.counts());
        }
    }

    #[test]
    fn a_lone_agent_arrives_exactly_on_time(
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
        let Some(mut sim) = built(&text) else { return Ok(()) };
        let tables = &sim.classes()[class].tables;
        let members = [GoalMember::any(wheelbase_grid::CellXY::new(x, y))];
        let request = Request::new(sim.pose(0), Goal::of(&members));
        let answer = plan(tables, &request, &mut Scratch::new(), &mut Path::new());
        run_checked(&mut sim);
        let counts = sim.counts();
        if answer.status == Status::Found {
            // Done at tick 1 at the earliest, where it stands at the goal already.
            prop_assert_eq!(counts.orders_done, 1);
            prop_assert_eq!(counts.flowtime, u64::from(answer.cost.max(1)));
            prop_assert_eq!(counts.wait_ticks, 0);
        } else {
            prop_assert_eq!((counts.orders_done, counts.orders_unreachable), (0, 1));
        }
    }
}

/// The same scenario twice in one process, and a crowd on few expansions a tick.
#[test]
fn a_starved_budget_only_makes_it_slower() {
    let text = |expansions: u64| {
        let rows = vec!["\"....................\""; 20].join(",");
        format!(
            "name = \"crowd\"\nticks = 3000\nexpansions_per_tick = {expansions}\nsearch_slots = 3\n[map]\nrows = [{rows}]\n{CART}{TRUCK}\n[[groups]]\nclass = \"truck\"\ncount = 20\narea = [0, 0, 20, 20]\norders = [{{ goto = [10, 10], within = 9 }}, {{ goto = [2, 2], within = 8 }}]\n"
        )
    };
    let mut rich = simulation(&text(1_000_000));
    let mut poor = simulation(&text(40));
    run_checked(&mut rich);
    run_checked(&mut poor);
    assert_eq!(rich.counts().orders_done, 40);
    assert_eq!(poor.counts().orders_done, 40);
    assert!(poor.counts().longest_request_ticks > rich.counts().longest_request_ticks);
}
