//! The whole rule in small crowded worlds: the invariants hold at every tick, and every agent has all its reservations.

use crate::common::on_threads;
use crate::common::scenes::{built, built_with, class, map_of, rows, rule, shape};
use proptest::prelude::*;
use wheelbase_grid::CellXY;
use wheelbase_planner::{Goal, GoalMember, Path, Request, Scratch, Status, plan as plan_path};
use wheelbase_sim::{RunState, World, invariant};
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::params::Tunable;

/// Which agents each tick of the rule visits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visits {
    All,
    Busy,
}

/// Runs to the end and audits the rule after every tick. Gives the state hash after each.
fn run(world: &mut World, visits: Visits) -> Vec<u64> {
    let mut hashes = Vec::new();
    loop {
        if visits == Visits::All {
            invariant::visit_all(world);
        }
        let ticked = world.step();
        assert_eq!(invariant::check(world), [], "tick {}", world.tick());
        if ticked == RunState::Ended {
            return hashes;
        }
        invariant::audit_rule(world);
        hashes.push(world.state_hash());
    }
}

/// How many random cases a test draws: a fifth of all. WHEELBASE_LONG=1, as `.ci/run --all` sets it, draws all of
/// them, and WHEELBASE_LONG=N draws N times as many.
pub fn cases(all: u32) -> u32 {
    let times = std::env::var("WHEELBASE_LONG").ok().and_then(|times| times.parse::<u32>().ok());
    times.map_or(all.div_ceil(5), |times| all * times)
}

/// Columns or rows of the maps.
const SIDES: std::ops::Range<usize> = 6..12;
const LONGEST: (i32, i32) = (5, 3);

/// An order for the agents of a map.
fn order() -> impl Strategy<Value = String> {
    let cell = || (0..SIDES.start, 0..SIDES.start);
    let fallback = || prop::sample::select(&["fail", "nearest"]);
    prop_oneof![
        3 => (cell(), 0_u32..4, fallback()).prop_map(|((x, y), within, fallback)| {
            format!("{{ goto = [{x}, {y}], within = {within}, fallback = \"{fallback}\", if_unreachable = \"wait\" }}")
        }),
        2 => (cell(), cell()).prop_map(|((x, y), (u, v))| {
            format!("{{ patrol = [[{x}, {y}], [{u}, {v}]], fallback = \"nearest\" }}")
        }),
        1 => (cell(), 2_u32..8).prop_map(|((x, y), side)| {
            format!("{{ goto_area = [{x}, {y}, {side}, {side}], fallback = \"nearest\" }}")
        }),
        1 => (0_u32..20).prop_map(|ticks| format!("{{ wait = {ticks} }}")),
    ]
}

/// An event: the map is edited, or agents come, go, or are given other orders.
fn event(shape: &'static str) -> impl Strategy<Value = String> {
    let area = || (0..SIDES.end, 0..SIDES.end, 1_u32..4, 1_u32..4);
    let area = move || area().prop_map(|(x, y, w, h)| format!("area = [{x}, {y}, {w}, {h}]"));
    let on_agents = || prop::sample::select(&["wait", "strand", "remove"]);
    let kind = prop::sample::select(&["sand", "mud", "rock", "ground"]);
    let side = prop::sample::select(if shape == "hex" { &["E", "NE", "SW"] } else { &["E", "N", "S"] });
    let class = || prop::sample::select(&["a", "b", "c"]);
    let action = prop_oneof![
        5 => (area(), kind, on_agents()).prop_map(|(area, kind, on)| {
            format!("set_terrain = {{ {area}, kind = \"{kind}\", on_agents = \"{on}\" }}")
        }),
        2 => (0..SIDES.start, 0..SIDES.start, side, any::<bool>(), on_agents()).prop_map(|(x, y, side, shut, on)| {
            let kind = if shut { "wall" } else { "open" };
            format!("set_side = {{ cell = [{x}, {y}], side = \"{side}\", kind = \"{kind}\", on_agents = \"{on}\" }}")
        }),
        2 => (area(), class(), 1_u32..4, order()).prop_map(|(area, class, count, order)| {
            format!("add_agents = {{ class = \"{class}\", count = {count}, {area}, orders = [{order}] }}")
        }),
        1 => area().prop_map(|area| format!("remove_agents = {{ {area} }}")),
        1 => (area(), order()).prop_map(|(area, order)| format!("give_orders = {{ {area}, orders = [{order}] }}")),
    ];
    (0_u32..150, action).prop_map(|(tick, action)| format!("[[events]]\ntick = {tick}\n{action}\n"))
}

/// A world of three classes, its groups and its events.
pub fn crowd() -> impl Strategy<Value = (String, Vec<String>, String)> {
    (shape(), 1_u32..20).prop_flat_map(|(shape, walls)| {
        let classes = (class("a", shape, (1, 1)), class("b", shape, (3, 2)), class("c", shape, LONGEST));
        let groups = prop::collection::vec((0_usize..3, 1_u32..5, -3_i32..4, order(), order()), 5..12);
        let events = prop::collection::vec(event(shape), 0..10);
        (rows(walls, SIDES), classes, groups, events, rule(), any::<u32>()).prop_map(
            move |(rows, (a, b, c), groups, events, rule, seed)| {
                let head = format!(
                    "name = \"crowd\"\nseed = {seed}\nticks = 220\ncollision = \"{}\"\n{}{a}{b}{c}",
                    rule.name(),
                    map_of(shape, &rows)
                );
                let area = format!("[0, 0, {}, {}]", rows[0].len(), rows.len());
                let groups = groups.into_iter().map(|(class, count, priority, one, other)| {
                    format!(
                        "[[groups]]\nclass = \"{}\"\ncount = {count}\npriority = {priority}\narea = {area}\norders = [{one}, {other}]\n",
                        ["a", "b", "c"][class]
                    )
                });
                (head, groups.collect(), events.concat())
            },
        )
    })
}

/// The scenario with as many of the groups as find room.
pub fn fitted((head, groups, events): &(String, Vec<String>, String)) -> Option<String> {
    let mut text = head.clone();
    built(&text)?;
    for group in groups {
        let more = text.clone() + group;
        if built(&more).is_some() {
            text = more;
        }
    }
    Some(text + events)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(250), failure_persistence: None, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn crowds_never_collide_and_all_they_need_is_reserved(crowd in crowd()) {
        let Some(text) = fitted(&crowd) else { return Ok(()) };
        let mut hashes: Option<Vec<u64>> = None;
        for (threads, visits) in [(1, Visits::All), (2, Visits::Busy), (8, Visits::Busy)] {
            let Some(mut world) = built(&text) else { return Ok(()) };
            let found = on_threads(threads, || run(&mut world, visits));
            prop_assert_eq!(hashes.get_or_insert_with(|| found.clone()), &found);
        }
    }

    #[test]
    fn no_tunables_make_agents_collide(
        crowd in crowd(),
        tuned in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..3), 1..5),
    ) {
        let Some(text) = fitted(&crowd) else { return Ok(()) };
        let (mut params, tunables) = (TrafficParams::USUAL, TrafficParams::tunables());
        for (which, value, end) in tuned {
            let Tunable { name, range, .. } = which.get(&tunables);
            let (low, high) = (*range.start(), *range.end());
            let between = low + value.index((high - low) as usize + 1) as u32;
            params.set(name, [low, between, high][end]).unwrap();
        }
        let Some(mut world) = built_with(&text, params) else { return Ok(()) };
        run(&mut world, Visits::Busy);
    }

    #[test]
    fn an_agent_alone_arrives_exactly_on_time(
        (shape, seed) in (shape(), any::<u32>()),
        goal in (0_i32..11, 0_i32..11),
        parts in shape().prop_flat_map(|_| (rows(15, SIDES), rule())),
        pick in any::<bool>(),
        square in class("a", "square", LONGEST),
        hexagonal in class("a", "hex", LONGEST),
    ) {
        let (rows, rule) = parts;
        let (x, y) = (goal.0 % rows[0].len() as i32, goal.1 % rows.len() as i32);
        let class = if shape == "hex" { hexagonal } else { square };
        // A budget that no search spends.
        let text = format!(
            "name = \"lone\"\nseed = {seed}\nticks = 3000\nexpansions_per_tick = 1000000\ncollision = \"{}\"\n{}{class}\
             [[groups]]\nclass = \"a\"\ncount = 1\narea = [0, 0, {}, {}]\norders = [{{ goto = [{x}, {y}], if_unreachable = \"{}\" }}]\n",
            rule.name(),
            map_of(shape, &rows),
            rows[0].len(),
            rows.len(),
            if pick { "drop" } else { "wait" },
        );
        let Some(mut world) = built(&text) else { return Ok(()) };
        let heads = [GoalMember::any(CellXY::new(x, y))];
        let request = Request::new(world.pose(0), Goal::of(&heads));
        let answer = plan_path(&world.tables()[0], &request, &mut Scratch::new(), &mut Path::new());
        run(&mut world, Visits::Busy);
        let counts = world.counts();
        if answer.status == Status::Found {
            prop_assert_eq!((counts.orders_done, counts.wait_ticks), (1, 0));
            prop_assert_eq!(counts.flowtime, u64::from(answer.cost.max(1)));
        } else {
            prop_assert_eq!(counts.orders_done, 0);
        }
    }
}

/// An agent came out of a busy corridor with the last move of its order. It kept its place on the ground before the
/// corridor, for ticks pass over agents with nothing to do.
#[test]
fn agents_whose_orders_end_before_a_corridor_are_visited_once_more() {
    let open = ".".repeat(24);
    let wall = format!("{0}####{0}", ".".repeat(10));
    let rows = [&wall, &wall, &wall, &open, &wall, &wall, &wall].map(String::as_str).map(String::from);
    for seed in 0..40 {
        let text = format!(
            "name = \"lane\"\nseed = {seed}\nticks = 600\n{}{}\
             [[groups]]\nclass = \"a\"\ncount = 10\narea = [0, 0, 8, 7]\norders = [{{ goto = [14, 3], fallback = \"nearest\" }}]\n\
             [[groups]]\nclass = \"a\"\ncount = 10\narea = [16, 0, 8, 7]\norders = [{{ goto = [9, 3], fallback = \"nearest\" }}]\n",
            map_of("square", &rows),
            "[class.a]\nheadings = 1\nfootprint = [[0, 0]]\nmoves = [{ name = \"east\", by = [1, 0], turn = 0, time = 2 }, \
             { name = \"west\", by = [-1, 0], turn = 0, time = 2 }, { name = \"south\", by = [0, 1], turn = 0, time = 2 }, \
             { name = \"north\", by = [0, -1], turn = 0, time = 2 }]\n",
        );
        let hashes = [Visits::All, Visits::Busy].map(|visits| run(&mut built(&text).unwrap(), visits));
        assert_eq!(hashes[0], hashes[1], "seed {seed}");
    }
}

/// Ticks that skip agents at rest give the same state hashes as ticks that visit all agents. Here an agent rests on the
/// cells of a waiting edit.
#[test]
fn rest_on_an_edit_counts_alike_whoever_is_visited() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/regression/rest_on_edit.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let hashes = [Visits::All, Visits::Busy].map(|visits| {
        let mut world = built(&text).unwrap();
        run(&mut world, visits)
    });
    assert_eq!(hashes[0], hashes[1]);
}
