//! What a good scenario is read as, and what is said of each mistake in a bad one.

use proptest::prelude::*;
use serde_json::json;
use wheelbase_planner::{SweepRule, When};
use wheelbase_sim::scenario::{
    Area, Collision, Event, EventAction, Fallback, IfUnreachable, Located, MapSource, OnAgents, OrderKind,
    Reach, ScenarioError, ScenarioErrors, WrittenPose, parse, parse_class_file,
};

/// Every key that is read, most of them once.
const GOOD: &str = r##"name = "river crossing"
seed = 7
ticks = 3000
collision = "swept"
expansions_per_tick = 100_000
search_slots = 8
tries_per_tick = 0

[map]
rows = [
  "....",
  "..~~",
]
shape = "square"
walls = [[3, 0, 3, 9]]

[terrain.shallow]
speed = 400

[terrain.deep]
glyphs = "W~"
speed = 0
sides = { E = "wall", S = "hedge" }

[side.hedge]
speed = 0

[class.truck]
headings = 4
footprint = [[0, 0], [-1, 0]]
pivot = [0, -0.5]
sweep = { moves = "ends", turns = "ends" }
speed = { shallow = 300 }
side_speed = { hedge = 500 }
moves = [
  { name = "forward", by = [1, 0], time = 10 },
  { name = "left", turn = 1, time = 0x0a, swept = [[1, -1]] },
]

[class."big one"]
headings = 1
footprint = ["XX.", "X>."]
sweep = "ends"
[[class."big one".moves]]
name = "east"
by = [1, 0]
time = 65535

[[agents]]
name = "convoy-1"
class = "truck"
at = [3, 4, "E"]
priority = -2
orders = [
  { goto = [40, 12, "any"], within = 2 },
  { wait = 50 },
  { goto = [[3, 4, "E"], [-1, 4]], fallback = "nearest", if_unreachable = "wait" },
]

[[agents]]
class = "octile"
at = [0, 0]

[[groups]]
class = "truck"
count = 500
area = [0, 0, 64, 512]
orders = [{ patrol = [[460, 40], [40, 460]] }]

[[events]]
tick = 600
set_terrain = { area = [30, 0, 1, 64], kind = "deep", on_agents = "strand" }
"##;

/// A class file, with the kinds it comes with.
const GOOD_CLASS_FILE: &str = r#"
[terrain.mud]
speed = 200
[class.cart]
headings = 4
moves = [{ name = "forward", by = [1, 0], time = 10 }]
[side.gate]
speed = 100
"#;

/// All that is wrong with the scenario.
fn mistakes(text: &str) -> Vec<ScenarioError> {
    let Err(errors) = parse("x.toml", text.as_bytes()) else { panic!("nothing is found wrong in\n{text}") };
    errors.into_vec()
}

/// The text of each mistake, without the name of the file.
fn messages(text: &str) -> Vec<String> {
    mistakes(text).iter().map(|mistake| mistake.to_string().replacen("x.toml:", "", 1)).collect()
}

/// The good scenario with one piece replaced by another.
fn good_with(piece: &str, replacement: &str) -> String {
    assert_eq!(GOOD.matches(piece).count(), 1, "{piece:?} must stand once in the good scenario");
    GOOD.replace(piece, replacement)
}

/// The one thing said of the good scenario with one piece replaced by another.
fn message(piece: &str, replacement: &str) -> String {
    let messages = messages(&good_with(piece, replacement));
    assert_eq!(messages.len(), 1, "{piece:?} as {replacement:?}: {messages:#?}");
    messages[0].clone()
}

fn located<T>(value: T, line: u32) -> Located<T> {
    Located { value, line }
}

fn text(value: &str, line: u32) -> Located<String> {
    located(value.to_owned(), line)
}

fn pose(x: i32, y: i32, heading: Option<&str>, line: u32) -> WrittenPose {
    WrittenPose { x, y, heading: heading.map(str::to_owned), line }
}

#[test]
fn good_scenario_is_read_field_by_field() {
    let scenario = parse("x.toml", GOOD.as_bytes()).expect("the scenario is right");
    assert_eq!(scenario.name, "river crossing");
    assert_eq!((scenario.seed, scenario.ticks, scenario.expansions_per_tick), (7, 3000, 100_000));
    assert_eq!((scenario.search_slots, scenario.tries_per_tick), (8, 0));

    let map = &scenario.map;
    assert_eq!(map.line, 9);
    assert_eq!(map.source, MapSource::Rows(vec![text("....", 11), text("..~~", 12)]));
    assert_eq!(map.walls.len(), 1);
    let wall = &map.walls[0];
    assert_eq!((wall.corners, wall.line, wall.key.as_str()), ([3, 0, 3, 9], 15, "map.walls[0]"));

    // In the order of the file, not of the alphabet.
    let [shallow, deep] = &scenario.terrains[..] else { panic!("{:?}", scenario.terrains) };
    assert_eq!((shallow.name.as_str(), shallow.speed, shallow.line), ("shallow", 400, 17));
    assert_eq!((&shallow.glyphs, &shallow.sides), (&None, &[None, None, None, None]));
    assert_eq!((deep.name.as_str(), deep.speed, deep.line), ("deep", 0, 20));
    assert_eq!(deep.key, "terrain.deep");
    assert_eq!(deep.glyphs, Some(text("W~", 21)));
    assert_eq!(deep.sides, [Some(text("wall", 23)), None, None, Some(text("hedge", 23))]);

    let [hedge] = &scenario.sides[..] else { panic!("{:?}", scenario.sides) };
    assert_eq!((hedge.name.as_str(), hedge.speed, hedge.line), ("hedge", 0, 25));
    assert_eq!(hedge.key, "side.hedge");
}

#[test]
fn good_classes_are_read_field_by_field() {
    let scenario = parse("x.toml", GOOD.as_bytes()).expect("the scenario is right");
    let [truck, big] = &scenario.classes[..] else { panic!("{:?}", scenario.classes) };
    assert_eq!((truck.name.as_str(), truck.key.as_str(), truck.line), ("truck", "class.truck", 28));
    assert_eq!(truck.headings, located(4, 29));
    assert_eq!(truck.footprint, located(vec![[0, 0], [-1, 0]], 30));
    assert_eq!(truck.pivot, located([0.0, -0.5], 31));
    let [shallow] = &truck.speed[..] else { panic!("{:?}", truck.speed) };
    assert_eq!((shallow.name.as_str(), shallow.speed, shallow.line), ("shallow", 300, 33));
    assert_eq!(shallow.key, "class.truck.speed.shallow");
    let [hedge] = &truck.side_speed[..] else { panic!("{:?}", truck.side_speed) };
    assert_eq!((hedge.name.as_str(), hedge.speed, hedge.line), ("hedge", 500, 34));
    let [forward, left] = &truck.moves[..] else { panic!("{:?}", truck.moves) };
    assert_eq!((forward.name.as_str(), forward.by, forward.turn), ("forward", [1, 0], 0));
    assert_eq!((forward.time, &forward.swept, forward.line), (10, &None, 36));
    assert_eq!((left.name.as_str(), left.by, left.turn), ("left", [0, 0], 1));
    assert_eq!((left.time, &left.swept, left.line), (10, &Some(vec![[1, -1]]), 37));
    assert_eq!(left.key, "class.truck.moves[1]");
    assert_eq!(
        truck.as_written,
        json!({
            "headings": 4,
            "footprint": [[0, 0], [-1, 0]],
            "pivot": [0, -0.5],
            "sweep": { "moves": "ends", "turns": "ends" },
            "speed": { "shallow": 300 },
            "side_speed": { "hedge": 500 },
            "moves": [
                { "name": "forward", "by": [1, 0], "time": 10 },
                { "name": "left", "turn": 1, "time": 10, "swept": [[1, -1]] },
            ],
        })
    );
    assert!(truck.as_written.to_string().contains(r#""pivot":[0,-0.5]"#), "a whole number stays whole");

    assert_eq!((big.name.as_str(), big.key.as_str(), big.line), ("big one", r#"class."big one""#, 40));
    // Rows: forward is to the right on the page, right is down; `>` is the anchor.
    assert_eq!(big.footprint, located(vec![[-1, -1], [0, -1], [-1, 0], [0, 0]], 42));
    assert_eq!((&big.pivot, big.headings.value), (&located([0.0, 0.0], 40), 1));
    assert_eq!((big.moves[0].time, big.moves[0].line), (65_535, 44));
}

#[test]
fn good_agents_and_events_are_read_field_by_field() {
    let scenario = parse("x.toml", GOOD.as_bytes()).expect("the scenario is right");
    let [convoy, walker] = &scenario.agents[..] else { panic!("{:?}", scenario.agents) };
    assert_eq!(convoy.name, Some(text("convoy-1", 50)));
    assert_eq!(convoy.class, text("truck", 51));
    assert_eq!(convoy.at, pose(3, 4, Some("E"), 52));
    assert_eq!((convoy.priority, convoy.line, convoy.key.as_str()), (-2, 49, "agents[0]"));
    let [first, wait, second] = &convoy.orders[..] else { panic!("{:?}", convoy.orders) };
    let reach = Reach { within: 2, fallback: Fallback::Fail, if_unreachable: IfUnreachable::Drop };
    assert_eq!(first.kind, OrderKind::Goto { goals: vec![pose(40, 12, Some("any"), 55)], reach });
    assert_eq!(first.as_written, json!({ "goto": [40, 12, "any"], "within": 2 }));
    assert_eq!((wait.kind.clone(), wait.line), (OrderKind::Wait { ticks: 50 }, 56));
    assert_eq!(wait.key, "agents[0].orders[1]");
    let reach = Reach { within: 0, fallback: Fallback::Nearest, if_unreachable: IfUnreachable::Wait };
    let goals = vec![pose(3, 4, Some("E"), 57), pose(-1, 4, None, 57)];
    assert_eq!(second.kind, OrderKind::Goto { goals, reach });
    assert_eq!((&walker.name, &walker.at), (&None, &pose(0, 0, None, 62)));
    assert_eq!((walker.priority, walker.orders.len(), walker.line), (0, 0, 60));

    let [group] = &scenario.groups[..] else { panic!("{:?}", scenario.groups) };
    assert_eq!((&group.class, group.count, group.priority), (&text("truck", 65), 500, 0));
    assert_eq!(group.area, Area { x: 0, y: 0, width: 64, height: 512, line: 67 });
    assert_eq!((group.line, group.key.as_str()), (64, "groups[0]"));
    let reach = Reach { within: 0, fallback: Fallback::Fail, if_unreachable: IfUnreachable::Drop };
    let stops = vec![pose(460, 40, None, 68), pose(40, 460, None, 68)];
    assert_eq!(group.orders[0].kind, OrderKind::Patrol { stops, reach });

    let action = EventAction::SetTerrain {
        area: Area { x: 30, y: 0, width: 1, height: 64, line: 72 },
        kind: text("deep", 72),
        on_agents: OnAgents::Strand,
    };
    assert_eq!(scenario.events, [Event { tick: 600, action, line: 70, key: "events[0]".to_owned() }]);
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = parse("x.toml", b"name = ''\nticks = 4294967294\n[map]\nfile = 'a.map'").expect("right");
    assert_eq!((scenario.seed, scenario.ticks, scenario.expansions_per_tick), (0, u32::MAX - 1, 200_000));
    assert_eq!((scenario.search_slots, scenario.tries_per_tick), (16, 20_000));
    assert_eq!(scenario.map.source, MapSource::File(text("a.map", 4)));
    assert!(scenario.map.walls.is_empty() && scenario.agents.is_empty() && scenario.events.is_empty());
    // One pose is a patrol of one stop, and a walled-in order may follow it.
    let scenario = good_with("[{ patrol = [[460, 40], [40, 460]] }]", "[{ patrol = [1, 2] }, { wait = 1 }]");
    let scenario = parse("x.toml", scenario.as_bytes()).expect("right");
    assert_eq!(scenario.groups[0].orders.len(), 2);
    let event = good_with(r#", on_agents = "strand""#, "");
    let scenario = parse("x.toml", event.as_bytes()).expect("right");
    let EventAction::SetTerrain { on_agents, .. } = &scenario.events[0].action;
    assert_eq!(*on_agents, OnAgents::Wait);
}

#[test]
fn unknown_keys_name_the_nearest_right_one() {
    assert_eq!(
        message("search_slots", "serch_slots"),
        "6: serch_slots: unknown key, did you mean `search_slots`?"
    );
    assert_eq!(
        message("priority", "prioritty"),
        "53: agents[0].prioritty: unknown key, did you mean `priority`?"
    );
    assert_eq!(message("seed", "Seed"), "2: Seed: unknown key, did you mean `seed`?");
    assert_eq!(
        message("priority = -2", "tasks = []"),
        "53: agents[0].tasks: unknown key, expected name, class, at, priority or orders"
    );
    assert_eq!(
        message("S = \"hedge\"", "NE = \"hedge\""),
        "23: terrain.deep.sides.NE: unknown key, did you mean `E`?"
    );
    assert_eq!(
        message("seed = 7", "\"a b\" = 7"),
        "2: \"a b\": unknown key, expected name, seed, ticks, collision, expansions_per_tick, \
         search_slots, tries_per_tick, map, terrain, side, class, agents, groups or events"
    );
    // The order that was meant is the one mistyped: its lack is not a second mistake.
    assert_eq!(
        message("{ wait = 50 }", "{ wiat = 50 }"),
        "56: agents[0].orders[1].wiat: unknown key, did you mean `wait`?"
    );
    assert_eq!(
        message("{ wait = 50 }", "{ fly = 50 }"),
        "56: agents[0].orders[1].fly: unknown key, expected goto, wait, patrol, within, fallback or \
         if_unreachable"
    );
}

#[test]
fn wrong_types_say_what_was_found() {
    for (piece, replacement, expected) in [
        ("at = [3, 4, \"E\"]", "at = 7", "52: agents[0].at: expected [x, y, heading], found 7"),
        ("at = [0, 0]", "at = [1]", "62: agents[1].at: expected [x, y, heading], found [1]"),
        ("at = [0, 0]", "at = [0, 0, 3]", "62: agents[1].at[2]: expected a heading such as \"E\", found 3"),
        (
            "at = [0, 0]",
            "at = [0, 3e9]",
            "62: agents[1].at[1]: expected a whole number from -2147483648 to 2147483647, found 3e9",
        ),
        ("\"river crossing\"", "1979-05-27", "1: name: expected a string, found 1979-05-27"),
        (
            "name = \"convoy-1\"",
            "name = \"\"",
            "50: agents[0].name: expected the name of the agent, found \"\"",
        ),
        ("[side.hedge]\nspeed = 0", "[side]\nhedge = true", "26: side.hedge: expected a table, found true"),
        ("{ shallow = 300 }", "500", "33: class.truck.speed: expected a table of terrain speeds, found 500"),
        (
            "[[3, 0, 3, 9]]",
            "[[3, 0, 3, 9], [3, 0]]",
            "15: map.walls[1]: expected [x0, y0, x1, y1], found [3, 0]",
        ),
        (
            "[0, 0, 64, 512]",
            "[0, 0, 0, 512]",
            "67: groups[0].area[2]: expected a whole number from 1 to 4294967295, found 0",
        ),
        ("[0, 0, 64, 512]", "{}", "67: groups[0].area: expected [x, y, width, height], found a table"),
        (
            "pivot = [0, -0.5]",
            "pivot = [0, nan]",
            "31: class.truck.pivot[1]: expected a number from -67108864 to 67108864, found nan",
        ),
        ("pivot = [0, -0.5]", "pivot = 0.5", "31: class.truck.pivot: expected [forward, right], found 0.5"),
        (
            "[40, 12, \"any\"]",
            "[]",
            "55: agents[0].orders[0].goto: expected [x, y], [x, y, heading] or a list of these, \
             found an empty list",
        ),
        (
            "\"nearest\"",
            "\"near\"",
            "57: agents[0].orders[2].fallback: expected \"fail\" or \"nearest\", found \"near\"",
        ),
        ("{ wait = 50 }", "7", "56: agents[0].orders[1]: expected a table, found 7"),
        ("\"..~~\"", "2", "12: map.rows[1]: expected a row of glyphs, found 2"),
        (
            "\"..~~\"",
            "[\"a\", { b = 1 }, [2.5, 08:30:00, 0x0f]]",
            "12: map.rows[1]: expected a row of glyphs, found [\"a\", {...}, [2.5, 08:30:00, 0x0f]]",
        ),
    ] {
        assert_eq!(message(piece, replacement), expected);
    }
    // Long values are not quoted whole.
    assert_eq!(
        message("\"..~~\"", &format!("{:?}", [0; 50])),
        "12: map.rows[1]: expected a row of glyphs, found a list of 50"
    );
    assert_eq!(
        message("\"swept\"", &format!("{:?}", "\u{e9}".repeat(100))),
        format!("4: collision: expected \"swept\" or \"discrete\", found \"{}...", "\u{e9}".repeat(39))
    );
}

#[test]
fn numbers_out_of_range_say_the_range() {
    let time = "37: class.truck.moves[1].time: expected a whole number from 1 to 65535, found";
    assert_eq!(message("time = 0x0a", "time = -5"), format!("{time} -5"));
    assert_eq!(message("time = 0x0a", "time = 0"), format!("{time} 0"));
    assert_eq!(message("time = 0x0a", "time = 10.0"), format!("{time} 10.0"));
    assert_eq!(message("time = 0x0a", "time = 65536"), format!("{time} 65536"));
    assert_eq!(
        message("speed = 400", "speed = 70000"),
        "18: terrain.shallow.speed: expected a whole number from 0 to 65535, found 70000"
    );
    assert_eq!(
        message("seed = 7", "seed = -1"),
        "2: seed: expected a whole number from 0 to 9223372036854775807, found -1"
    );
    assert_eq!(
        message("seed = 7", "seed = 99999999999999999999"),
        "2: seed: expected a whole number from 0 to 9223372036854775807, found 99999999999999999999"
    );
    assert_eq!(
        message("ticks = 3000", "ticks = 4294967295"),
        "3: ticks: expected a whole number from 1 to 4294967294, found 4294967295"
    );
    for (piece, replacement, key, range) in [
        ("expansions_per_tick = 100_000", "expansions_per_tick = 0", "expansions_per_tick", (1, 1 << 40)),
        ("search_slots = 8", "search_slots = 1025", "search_slots", (1, 1024)),
        ("tries_per_tick = 0", "tries_per_tick = -1", "tries_per_tick", (0, i64::MAX)),
        ("shallow = 300", "shallow = 65536", "class.truck.speed.shallow", (0, 65_535)),
        ("turn = 1", "turn = 8", "class.truck.moves[1].turn", (-7, 7)),
        (
            "swept = [[1, -1]]",
            "swept = [[1, 67108865]]",
            "class.truck.moves[1].swept[0][1]",
            (-67_108_864, 67_108_864),
        ),
        ("priority = -2", "priority = 2147483648", "agents[0].priority", (-2_147_483_648, 2_147_483_647)),
        ("within = 2", "within = 65536", "agents[0].orders[0].within", (0, 65_535)),
        ("wait = 50", "wait = 4294967295", "agents[0].orders[1].wait", (0, 4_294_967_294)),
        ("count = 500", "count = 0", "groups[0].count", (1, 1 << 20)),
        ("tick = 600", "tick = -1", "events[0].tick", (0, 4_294_967_294)),
    ] {
        let (_, found) = replacement.split_once("= ").expect("key = value");
        let found = found.trim_start_matches("[[1, ").trim_end_matches("]]");
        let (least, most) = range;
        let expected = format!(" {key}: expected a whole number from {least} to {most}, found {found}");
        let message = message(piece, replacement);
        assert_eq!(message.split_once(':').expect("a line").1, expected);
    }
}

/// What of the rule book is read: eight headings, sweeps, slopes, heights, generated maps.
#[test]
fn the_rule_book_is_read() {
    let text = good_with(
        "headings = 4",
        "headings = 8\nup = 100\ndown = -20\nmax_up = 3\nfootprint_diagonal = [[0, 0], [1, -1]]",
    )
    .replace("{ moves = \"ends\", turns = \"ends\" }", "{ turns = \"full\" }")
    .replace("turn = 1,", "turn = 1, when = \"diagonal\",")
    .replace("\"swept\"", "\"discrete\"")
    .replace("shape = \"square\"", "elevation = [[0, 1, 2, 3], [-4, 5, 6, 7]]");
    let scenario = parse("x.toml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(scenario.collision, Collision::Discrete);
    let heights = scenario.map.elevation.expect("heights");
    assert_eq!((&heights[1].value[..], heights.len()), (&[-4, 5, 6, 7][..], 2));
    let class = &scenario.classes[0];
    assert_eq!((class.headings.value, class.climb.up, class.climb.down), (8, 100, -20));
    assert_eq!((class.climb.max_up, class.climb.max_down), (Some(3), None));
    assert_eq!(class.footprint_diagonal, Some(vec![[0, 0], [1, -1]]));
    assert_eq!((class.sweep.moves, class.sweep.turns), (SweepRule::Ends, SweepRule::Full));
    assert_eq!((class.moves[0].when, class.moves[1].when), (When::Any, When::Diagonal));

    let rows = "rows = [\n  \"....\",\n  \"..~~\",\n]";
    let text = good_with(rows, "generate = { kind = \"river\", size = [30, 20], seed = 3 }");
    let scenario = parse("x.toml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
    let MapSource::Generate { kind, size, seed } = scenario.map.source else { panic!("a generated map") };
    assert_eq!((kind.value.as_str(), size, seed), ("river", [30, 20], 3));
}

#[test]
fn what_is_not_supported_yet_is_refused_by_name() {
    for (piece, replacement, line, key) in [
        ("\"square\"", "\"hex\"", 14, "map.shape = \"hex\""),
        ("shape = \"square\"", "elevation = \"a.png\"", 14, "map.elevation = \"a.png\""),
        ("headings = 4", "headings = 6", 29, "class.truck.headings = 6"),
        ("{ wait = 50 }", "{ goto_area = [0, 0, 1, 1] }", 56, "agents[0].orders[1].goto_area"),
        ("count = 500", "count = 500\ntasks = { kind = \"random\" }", 67, "groups[0].tasks"),
        ("set_terrain =", "set_elevation =", 72, "events[0].set_elevation"),
        ("set_terrain =", "set_side =", 72, "events[0].set_side"),
        ("set_terrain =", "rotate =", 72, "events[0].rotate"),
        ("set_terrain =", "add_agents =", 72, "events[0].add_agents"),
        ("set_terrain =", "remove_agents =", 72, "events[0].remove_agents"),
        ("set_terrain =", "give_orders =", 72, "events[0].give_orders"),
    ] {
        assert_eq!(message(piece, replacement), format!("{line}: not supported yet: {key}"));
    }
    let mistakes = mistakes(&good_with("headings = 4", "headings = 6"));
    assert_eq!(mistakes[0].message, "not supported yet: class.truck.headings = 6");
    assert_eq!(mistakes[0].key, "class.truck.headings");
}

#[test]
fn maps_have_exactly_one_source() {
    assert_eq!(
        messages("name = 'x'\nticks = 1\n"),
        ["1: map: missing, expected a [map] table with file, rows or generate"]
    );
    assert_eq!(
        message("shape = \"square\"", "file = \"a.map\""),
        "9: map: expected only one of file, rows or generate, found file and rows"
    );
    assert_eq!(
        messages("name = 'x'\nticks = 1\n[map]\n"),
        ["3: map: expected file, rows or generate, found none"]
    );
    assert_eq!(
        messages("name = 'x'\nticks = 1\n[map]\nrows = []"),
        ["4: map.rows: expected at least one row, found an empty list"]
    );
    assert_eq!(
        messages("name = 'x'\nticks = 1\n[map]\nfile = ''"),
        ["4: map.file: expected a path, found \"\""]
    );
}

#[test]
fn missing_keys_are_named_at_their_table() {
    for (piece, expected) in [
        ("name = \"river crossing\"\n", "1: name: missing, expected a string"),
        ("ticks = 3000\n", "1: ticks: missing, expected a whole number from 1 to 4294967294"),
        ("speed = 400\n", "17: terrain.shallow.speed: missing, expected a whole number from 0 to 65535"),
        ("headings = 4\n", "28: class.truck.headings: missing, expected 1, 4 or 8"),
        ("name = \"left\", ", "37: class.truck.moves[1].name: missing, expected the name of the move"),
        (", time = 0x0a", "37: class.truck.moves[1].time: missing, expected a whole number from 1 to 65535"),
        ("class = \"octile\"\n", "60: agents[1].class: missing, expected the name of a class"),
        ("at = [0, 0]\n", "60: agents[1].at: missing, expected [x, y, heading]"),
        ("count = 500\n", "64: groups[0].count: missing, expected a whole number from 1 to 1048576"),
        ("area = [0, 0, 64, 512]\n", "64: groups[0].area: missing, expected [x, y, width, height]"),
        ("tick = 600\n", "70: events[0].tick: missing, expected a whole number from 0 to 4294967294"),
        (", kind = \"deep\"", "72: events[0].set_terrain.kind: missing, expected the name of a terrain kind"),
    ] {
        assert_eq!(message(piece, ""), expected);
    }
    assert_eq!(
        messages("name = 'x'\nticks = 1\nmap.file = 'a'\n[class.a]\nheadings = 1"),
        ["4: class.a.moves: missing, expected a list of moves"]
    );
}

#[test]
fn classes_must_have_moves_and_a_body() {
    assert_eq!(
        messages("name = 'x'\nticks = 1\nmap.file = 'a'\n[class.a]\nheadings = 1\nmoves = []"),
        ["6: class.a.moves: expected at least one move, found an empty list"]
    );
    for (piece, replacement, expected) in [
        (
            "[[0, 0], [-1, 0]]",
            "[]",
            "30: class.truck.footprint: expected at least one cell, found an empty list",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[[0, 0, 0]]",
            "30: class.truck.footprint[0]: expected [forward, right], found [0, 0, 0]",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\"XX\"]",
            "30: class.truck.footprint: expected exactly one > (the covered anchor), found 0",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\">>\"]",
            "30: class.truck.footprint: expected exactly one > (the covered anchor), found 2",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\"X>\", \"x.\"]",
            "30: class.truck.footprint[1]: expected a row of the glyphs X, > and ., found \"x.\"",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\"X>\", \"X..\"]",
            "30: class.truck.footprint[1]: expected 2 glyphs, as in the first row, found 3",
        ),
        ("headings = 4", "headings = 5", "29: class.truck.headings: expected 1, 4 or 8, found 5"),
        (
            "name = \"left\"",
            "name = \"\"",
            "37: class.truck.moves[1].name: expected the name of the move, found \"\"",
        ),
        (
            "name = \"left\"",
            "name = \"forward\"",
            "37: class.truck.moves[1].name: expected a name of its own, found \"forward\", which is \
             class.truck.moves[0].name too (line 36)",
        ),
        (
            "turn = 1, ",
            "",
            "37: class.truck.moves[1]: expected by = [forward, right] or turn = steps, found no motion",
        ),
        (
            "turns = \"ends\"",
            "turns = \"end\"",
            "32: class.truck.sweep.turns: expected \"ends\" or \"full\", found \"end\"",
        ),
        ("[class.truck]", "[class.\"\"]", "28: class.\"\": expected a name for the class, found \"\""),
    ] {
        assert_eq!(message(piece, replacement), expected);
    }
}

#[test]
fn agent_names_are_unique() {
    assert_eq!(
        message("class = \"octile\"", "name = \"convoy-1\"\nclass = \"octile\""),
        "61: agents[1].name: expected a name of its own, found \"convoy-1\", which is agents[0].name too \
         (line 50)"
    );
}

#[test]
fn orders_and_events_do_exactly_one_thing() {
    for (piece, replacement, expected) in [
        ("{ wait = 50 }", "{}", "56: agents[0].orders[1]: expected goto, wait or patrol, found none"),
        (
            "{ wait = 50 }",
            "{ wait = 50, goto = [1, 1] }",
            "56: agents[0].orders[1]: expected only one of goto, wait or patrol, found goto and wait",
        ),
        (
            "{ wait = 50 }",
            "{ wait = 50, within = 2 }",
            "56: agents[0].orders[1].within: expected only beside goto or patrol, found beside wait",
        ),
        (
            "set_terrain = { area = [30, 0, 1, 64], kind = \"deep\", on_agents = \"strand\" }\n",
            "",
            "70: events[0]: expected set_terrain, found none",
        ),
        (
            "on_agents = \"strand\"",
            "on_agents = \"push\"",
            "72: events[0].set_terrain.on_agents: expected \"wait\", \"strand\" or \"remove\", \
             found \"push\"",
        ),
    ] {
        assert_eq!(message(piece, replacement), expected);
    }
}

#[test]
fn counts_are_bounded() {
    let moves: String =
        (0..17).map(|move_idx| format!("{{ name = 'm{move_idx}', turn = 1, time = 1 }},")).collect();
    let left = "  { name = \"left\", turn = 1, time = 0x0a, swept = [[1, -1]] },\n";
    let start = "35: class.truck.moves: expected at most 16 moves, found";
    assert_eq!(message(left, &moves), format!("{start} 18"));
    assert_eq!(
        message("[[0, 0], [-1, 0]]", &format!("[{}]", "[0, 0],".repeat(1025))),
        "30: class.truck.footprint: expected at most 1024 cells, found 1025"
    );
    assert_eq!(
        message("[[0, 0], [-1, 0]]", &format!("[{:?}]", format!(">{}", "X".repeat(1024)))),
        "30: class.truck.footprint: expected at most 1024 cells, found 1025"
    );
    assert_eq!(
        message("  { wait = 50 },\n", &"  { wait = 1 },\n".repeat(1023)),
        "54: agents[0].orders: expected at most 1024 orders, found 1025"
    );
    let classes: String = (0..257).map(|class_idx| format!("c{class_idx}.headings = 1\n")).collect();
    assert_eq!(
        messages(&format!("name = 'x'\nticks = 1\nmap.file = 'a'\n[class]\n{classes}")),
        ["4: class: expected at most 256 classes, found 257"]
    );
    assert_eq!(
        messages(&format!("name = 'x'\nticks = 1\nmap.file = 'a'\nevents = [{}]", "1,".repeat(65_537))),
        ["4: events: expected at most 65536 events, found 65537"]
    );
    // Two agents stand alone; it is the groups that pass the limit, and the first that does is named.
    let group = |count: u32| format!("[[groups]]\nclass = 'a'\ncount = {count}\narea = [0, 0, 9, 9]\n");
    let groups = format!("{}{}{}\n[[events]]", group(1_000_000), group(48_075), group(1));
    assert_eq!(
        message("[[events]]", &groups),
        "76: groups[2].count: expected at most 1048576 agents in all, found 1048577 up to here"
    );
}

#[test]
fn a_file_that_is_not_toml_is_one_mistake_with_a_line() {
    let mut bytes = GOOD.as_bytes().to_vec();
    let at = GOOD.find("convoy").expect("there");
    bytes[at] = 0xff;
    let errors = parse("x.toml", &bytes).expect_err("not UTF-8");
    assert_eq!(errors.to_string(), "x.toml:50: expected UTF-8 text, found the byte 0xff");

    let cut = GOOD.find("{ name = \"left\"").expect("there");
    assert_eq!(messages(&GOOD[..cut]), ["36: not valid TOML: unclosed array, expected `]`"]);
    assert_eq!(messages("name = \"x\nticks = 1"), ["1: not valid TOML: invalid basic string, expected `\"`"]);
    assert_eq!(message("ticks = 3000", "seed = 8"), "3: not valid TOML: duplicate key");
    assert_eq!(
        messages(""),
        [
            "1: name: missing, expected a string",
            "1: ticks: missing, expected a whole number from 1 to 4294967294",
            "1: map: missing, expected a [map] table with file, rows or generate",
        ]
    );
}

#[test]
fn several_mistakes_come_in_line_order() {
    let text = good_with("at = [0, 0]", "at = 7")
        .replace("speed = 400", "speed = 70000")
        .replace("seed = 7", "sead = 7")
        .replace("tick = 600", "tick = -1")
        .replace("headings = 4", "headings = 6\nmax_up = -2");
    let errors = parse("scenarios/x.toml", text.as_bytes()).expect_err("wrong");
    assert_eq!(
        errors.to_string(),
        "scenarios/x.toml:2: sead: unknown key, did you mean `seed`?\n\
         scenarios/x.toml:18: terrain.shallow.speed: expected a whole number from 0 to 65535, found 70000\n\
         scenarios/x.toml:29: not supported yet: class.truck.headings = 6\n\
         scenarios/x.toml:30: class.truck.max_up: expected a whole number from 0 to 4294967295, found -2\n\
         scenarios/x.toml:63: agents[1].at: expected [x, y, heading], found 7\n\
         scenarios/x.toml:72: events[0].tick: expected a whole number from 0 to 4294967294, found -1"
    );
}

#[test]
fn the_first_twenty_mistakes_are_shown() {
    let text = format!("name = 'x'\nticks = 1\nmap.file = 'a'\n{}", "[[agents]]\n".repeat(15));
    let errors = parse("x.toml", text.as_bytes()).expect_err("wrong");
    assert_eq!(errors.as_slice().len(), 30);
    let shown = errors.to_string();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[19], "x.toml:13: agents[9].at: missing, expected [x, y, heading]");
    assert_eq!(lines[20], "and 10 more");
}

#[test]
fn errors_of_others_join_the_same_list() {
    let error = ScenarioError {
        file: "a.toml".to_owned(),
        line: 14,
        key: "agents[3].at".to_owned(),
        message: "cell (9, 4) is deep water".to_owned(),
    };
    let errors = ScenarioErrors::from(error.clone());
    assert_eq!(errors, ScenarioErrors::new(vec![error]));
    assert_eq!(errors.to_string(), "a.toml:14: agents[3].at: cell (9, 4) is deep water");
}

#[test]
#[should_panic = "at least one mistake"]
fn an_empty_list_of_errors_is_our_mistake() {
    let _ = ScenarioErrors::new(Vec::new());
}

#[test]
fn class_files_hold_one_class() {
    let file = parse_class_file("c.toml", GOOD_CLASS_FILE.as_bytes()).expect("right");
    assert_eq!((file.class.name.as_str(), file.class.line), ("cart", 4));
    assert_eq!((file.terrains[0].name.as_str(), file.sides[0].name.as_str()), ("mud", "gate"));

    let said = |text: &str| parse_class_file("c.toml", text.as_bytes()).expect_err("wrong").to_string();
    assert_eq!(said("[terrain.mud]\nspeed = 1"), "c.toml:1: class: missing, expected one [class.NAME] table");
    assert_eq!(
        said(&format!(
            "{GOOD_CLASS_FILE}[class.b]\nheadings = 4\nmoves = [{{ name = 'l', turn = 1, time = 1 }}]"
        )),
        "c.toml:9: class.b: expected one class in a class file, found a second"
    );
    assert_eq!(
        said(&format!("ticks = 3{GOOD_CLASS_FILE}")),
        "c.toml:1: ticks: unknown key, expected class, terrain or side"
    );
}

#[test]
fn positions_survive_a_byte_order_mark_and_carriage_returns() {
    let text = GOOD.replace('\n', "\r\n").replace("at = [0, 0]", "at = 7");
    assert_eq!(messages(&text), ["62: agents[1].at: expected [x, y, heading], found 7"]);
    let text = format!("\u{feff}{}", GOOD.replace("at = [0, 0]", "at = 7"));
    assert_eq!(messages(&text), ["62: agents[1].at: expected [x, y, heading], found 7"]);
}

#[test]
fn deep_nesting_is_refused_without_a_crash() {
    for text in [
        format!("name = {}", "[".repeat(100_000)),
        format!("name = {}", "{ a = ".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(100_000)),
        format!("[{}a]\n{}a = 1", "a.".repeat(79), "a.".repeat(79)).repeat(2),
    ] {
        assert!(parse("x.toml", text.as_bytes()).is_err());
    }
}

/// Every mistake must have a line of the file and a message of one line.
fn check_mistakes(bytes: &[u8], errors: &ScenarioErrors) {
    let n_lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
    for error in errors.as_slice() {
        assert!((1..=n_lines).contains(&error.line), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    assert!(errors.as_slice().is_sorted_by_key(|error| error.line));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_bytes_never_panic(
        changes in prop::collection::vec((0..GOOD.len(), prop_oneof![any::<u8>(), 32..127u8]), 1..4),
        cut in prop_oneof![4 => Just(GOOD.len()), 1 => 0..GOOD.len()],
    ) {
        let mut bytes = GOOD.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(cut);
        if let Err(errors) = parse("x.toml", &bytes) {
            check_mistakes(&bytes, &errors);
        }
        let _ = parse_class_file("x.toml", &bytes);
    }

    #[test]
    fn shuffled_values_never_panic(
        swaps in prop::collection::vec((0..GOOD_VALUES.len(), 0..GOOD.lines().count()), 1..6),
    ) {
        // Whole values of a wrong kind reach farther into the reader than bytes do.
        let mut lines: Vec<String> = GOOD.lines().map(str::to_owned).collect();
        for (value_idx, line_idx) in swaps {
            if let Some((key, _)) = lines[line_idx].clone().split_once(" = ") {
                lines[line_idx] = format!("{key} = {}", GOOD_VALUES[value_idx]);
            }
        }
        let text = lines.join("\n");
        if let Err(errors) = parse("x.toml", text.as_bytes()) {
            check_mistakes(text.as_bytes(), &errors);
        }
    }
}

/// Values to put where others belong.
const GOOD_VALUES: [&str; 18] = [
    "0",
    "-1",
    "70000",
    "9223372036854775807",
    "-9223372036854775808",
    "1e400",
    "inf",
    "true",
    "\"\"",
    "\"ends\"",
    "[]",
    "[[]]",
    "[0, 0]",
    "[[0, 0], 1]",
    "{}",
    "{ a = {} }",
    "1979-05-27",
    "[\"X\", \">\"]",
];
