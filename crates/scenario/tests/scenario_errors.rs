//! What a good scenario is read as, and what is said of each mistake in a bad one.

use proptest::prelude::*;
use wheelbase_grid::Side;
use wheelbase_planner::When;
use wheelbase_planner::model::{Climb, Sweep, SweepRule};
use wheelbase_scenario::scenario::{
    Area, Chosen, Collision, Elevation, Event, EventAction, Fallback, IfUnreachable, Located, MapSource,
    OnAgents, OrderKind, Reach, Scenario, ScenarioError, ScenarioErrors, WrittenPose, parse,
    parse_class_file,
};

/// Most keys that are read, most of them once; [`EDITS`] has the others.
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

/// What [`GOOD`] has no room for: a generated map, slopes, eight headings, every kind of event.
const EDITS: &str = r##"name = "edits"
ticks = 9
collision = "discrete"
[map]
generate = { kind = "river", size = [256, 67108864], seed = 3 }
elevation = [[0, -7], [32767, -32768]]

[class.tank]
headings = 8
footprint_diagonal = [[0, 0], [1, -1]]
sweep = { turns = "full" }
up = 100
down = -50
max_up = 3
max_down = 4
max_tilt = 0
moves = [
  { name = "go", by = [1, 0], time = 1, when = "straight", swept = [] },
  { name = "go", by = [1, -1], time = 2, when = "diagonal" },
  { name = "left", turn = -7, time = 3 },
]

[[groups]]
class = "tank"
count = 1
area = [0, 0, 8, 8]
orders = [{ goto_area = [-1, 2, 3, 4], fallback = "nearest", if_unreachable = "wait" }]

[[events]]
tick = 1
set_elevation = { area = [1, 2, 3, 4], height = -300, on_agents = "remove" }
[[events]]
tick = 2
set_side = { cell = [5, -6], side = "N", kind = "hedge", on_agents = "strand" }
[[events]]
tick = 3
rotate = { cell = [7, 8], turns = -1 }
[[events]]
tick = 4
[events.add_agents]
class = "octile"
count = 2
area = [9, 9, 1, 1]
priority = 6
orders = [{ wait = 5 }]
[[events]]
tick = 5
remove_agents = { names = ["a", "b"] }
[[events]]
tick = 6
remove_agents = { area = [0, 1, 2, 3] }
[[events]]
tick = 7
give_orders = { names = ["c"], orders = [] }
[[events]]
tick = 8
give_orders = { area = [1, 1, 1, 1], orders = [{ wait = 6 }] }
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

/// A scenario with one piece replaced by another.
fn with(text: &str, piece: &str, replacement: &str) -> String {
    assert_eq!(text.matches(piece).count(), 1, "{piece:?} must stand once in the scenario");
    text.replace(piece, replacement)
}

/// The good scenario with one piece replaced by another.
fn good_with(piece: &str, replacement: &str) -> String {
    with(GOOD, piece, replacement)
}

/// The one thing said of a scenario.
fn only_message(text: &str, change: &str) -> String {
    let messages = messages(text);
    assert_eq!(messages.len(), 1, "{change}: {messages:#?}");
    messages[0].clone()
}

/// The one thing said of the good scenario with one piece replaced by another.
fn message(piece: &str, replacement: &str) -> String {
    only_message(&good_with(piece, replacement), replacement)
}

/// The one thing said of [`EDITS`] with one piece replaced by another.
fn edits_message(piece: &str, replacement: &str) -> String {
    only_message(&with(EDITS, piece, replacement), replacement)
}

fn edits() -> Scenario {
    parse("x.toml", EDITS.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
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
    assert_eq!(scenario.collision, Collision::Swept);

    let map = &scenario.map;
    assert_eq!((map.line, &map.elevation), (9, &None));
    assert_eq!(map.source, MapSource::Rows(vec![text("....", 11), text("..~~", 12)]));
    assert_eq!(map.walls.len(), 1);
    let wall = &map.walls[0];
    assert_eq!((wall.corners, wall.line, wall.key.as_str()), ([3, 0, 3, 9], 15, "map.walls[0]"));

    // In the order of the file, not of the alphabet.
    let [shallow, deep] = &scenario.terrains[..] else { panic!("{:?}", scenario.terrains) };
    assert_eq!((shallow.name.as_str(), shallow.speed, shallow.line), ("shallow", 400, 17));
    assert_eq!((&shallow.glyphs, &shallow.sides), (&None, &Vec::new()));
    assert_eq!((deep.name.as_str(), deep.speed, deep.line), ("deep", 0, 20));
    assert_eq!(deep.key, "terrain.deep");
    assert_eq!(deep.glyphs, Some(text("W~", 21)));
    let sides = [(Side::East, text("wall", 23)), (Side::South, text("hedge", 23))];
    assert_eq!(deep.sides, sides);

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
    assert_eq!((left.key.as_str(), left.when), ("class.truck.moves[1]", When::Any));
    assert_eq!((truck.sweep, truck.climb), (Sweep::both(SweepRule::Ends), Climb::default()));
    assert_eq!(truck.footprint_diagonal, None);

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
fn edits_and_slopes_are_read_field_by_field() {
    let scenario = edits();
    assert_eq!(scenario.collision, Collision::Discrete);
    assert_eq!(
        scenario.map.source,
        MapSource::Generate { kind: text("river", 5), size: [256, 67_108_864], seed: 3 }
    );
    let heights = vec![located(vec![0, -7], 6), located(vec![32_767, -32_768], 6)];
    assert_eq!(scenario.map.elevation, Some(Elevation::Rows(heights)));

    let tank = &scenario.classes[0];
    assert_eq!(tank.headings, located(8, 9));
    assert_eq!(tank.footprint_diagonal, Some(vec![[0, 0], [1, -1]]));
    assert_eq!(tank.sweep, Sweep { moves: SweepRule::Ends, turns: SweepRule::Full });
    let climb = Climb { up: 100, down: -50, max_up: Some(3), max_down: Some(4), max_tilt: Some(0) };
    assert_eq!(tank.climb, climb);
    let [straight, diagonal, left] = &tank.moves[..] else { panic!("{:?}", tank.moves) };
    // One name may stand for the straight and for the diagonal headings.
    assert_eq!((straight.name.as_str(), diagonal.name.as_str()), ("go", "go"));
    assert_eq!((straight.when, diagonal.when, left.when), (When::Straight, When::Diagonal, When::Any));
    assert_eq!((&straight.swept, &diagonal.swept), (&Some(vec![]), &None));
    assert_eq!((diagonal.by, left.turn), ([1, -1], -7));

    let order = &scenario.groups[0].orders[0];
    let reach = Reach { within: 0, fallback: Fallback::Nearest, if_unreachable: IfUnreachable::Wait };
    let area = Area { x: -1, y: 2, width: 3, height: 4, line: 27 };
    assert_eq!(order.kind, OrderKind::GotoArea { area, reach });
    assert_eq!((order.line, order.key.as_str()), (27, "groups[0].orders[0]"));
}

#[test]
fn each_event_is_read_field_by_field() {
    let scenario = edits();
    let places: Vec<_> =
        scenario.events.iter().map(|event| (event.tick, event.line, event.key.clone())).collect();
    let lines = [29, 32, 35, 38, 46, 49, 52, 55];
    let expected: Vec<_> =
        (0..8).map(|idx| (idx + 1, lines[idx as usize], format!("events[{idx}]"))).collect();
    assert_eq!(places, expected);

    let [set_elevation, set_side, rotate, add_agents, rest @ ..] = &scenario.events[..] else {
        panic!("{:?}", scenario.events)
    };
    let area = Area { x: 1, y: 2, width: 3, height: 4, line: 31 };
    assert_eq!(
        set_elevation.action,
        EventAction::SetElevation { area, height: -300, on_agents: OnAgents::Remove }
    );
    assert_eq!(
        set_side.action,
        EventAction::SetSide {
            cell: located([5, -6], 34),
            side: text("N", 34),
            kind: text("hedge", 34),
            on_agents: OnAgents::Strand
        }
    );
    assert_eq!(
        rotate.action,
        EventAction::Rotate { cell: located([7, 8], 37), turns: -1, on_agents: OnAgents::Wait }
    );
    let EventAction::AddAgents(group) = &add_agents.action else { panic!("{:?}", add_agents.action) };
    assert_eq!((&group.class, group.count, group.priority), (&text("octile", 41), 2, 6));
    assert_eq!(group.area, Area { x: 9, y: 9, width: 1, height: 1, line: 43 });
    assert_eq!((group.line, group.key.as_str()), (40, "events[3].add_agents"));
    assert_eq!(group.orders[0].kind, OrderKind::Wait { ticks: 5 });
    assert_eq!(group.orders[0].key, "events[3].add_agents.orders[0]");

    let [remove_named, remove_there, order_named, order_there] = rest else { panic!("{rest:?}") };
    let names = Chosen::Names(vec![text("a", 48), text("b", 48)]);
    assert_eq!(remove_named.action, EventAction::RemoveAgents(names));
    let area = Area { x: 0, y: 1, width: 2, height: 3, line: 51 };
    assert_eq!(remove_there.action, EventAction::RemoveAgents(Chosen::Area(area)));
    let chosen = Chosen::Names(vec![text("c", 54)]);
    assert_eq!(order_named.action, EventAction::GiveOrders { chosen, orders: vec![] });
    let EventAction::GiveOrders { chosen, orders } = &order_there.action else { panic!("{order_there:?}") };
    assert_eq!(*chosen, Chosen::Area(Area { x: 1, y: 1, width: 1, height: 1, line: 57 }));
    assert_eq!((orders.len(), orders[0].key.as_str()), (1, "events[7].give_orders.orders[0]"));
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = parse("x.toml", b"name = ''\nticks = 4294967294\n[map]\nfile = 'a.map'").expect("right");
    assert_eq!((scenario.seed, scenario.ticks, scenario.expansions_per_tick), (0, u32::MAX - 1, 200_000));
    assert_eq!((scenario.search_slots, scenario.tries_per_tick), (16, 20_000));
    assert_eq!(scenario.landmarks, None);
    assert_eq!(scenario.map.source, MapSource::File(text("a.map", 4)));
    assert!(scenario.map.walls.is_empty() && scenario.agents.is_empty() && scenario.events.is_empty());
    // None at all is not the same as none by default.
    let scenario = good_with("search_slots = 8", "landmarks = 0");
    assert_eq!(parse("x.toml", scenario.as_bytes()).expect("right").landmarks, Some(0));
    // One pose is a patrol of one stop, and a walled-in order may follow it.
    let scenario = good_with("[{ patrol = [[460, 40], [40, 460]] }]", "[{ patrol = [1, 2] }, { wait = 1 }]");
    let scenario = parse("x.toml", scenario.as_bytes()).expect("right");
    assert_eq!(scenario.groups[0].orders.len(), 2);
    let event = good_with(r#", on_agents = "strand""#, "");
    let scenario = parse("x.toml", event.as_bytes()).expect("right");
    assert!(matches!(scenario.events[0].action, EventAction::SetTerrain { on_agents: OnAgents::Wait, .. }));
    let scenario = "name = ''\nticks = 1\nmap.generate = { kind = 'a', size = [1, 1] }";
    let scenario = parse("x.toml", scenario.as_bytes()).expect("right");
    assert_eq!(scenario.collision, Collision::Swept);
    assert_eq!(scenario.map.source, MapSource::Generate { kind: text("a", 3), size: [1, 1], seed: 0 });
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
        message("S = \"hedge\"", "North = \"hedge\""),
        "23: terrain.deep.sides.North: unknown key, expected E, NE, N, NW, W, SW, S or SE"
    );
    assert_eq!(
        message("seed = 7", "\"a b\" = 7"),
        "2: \"a b\": unknown key, expected name, seed, ticks, collision, expansions_per_tick, \
         search_slots, landmarks, tries_per_tick, map, terrain, side, class, agents, groups or events"
    );
    // The order that was meant is the one mistyped: its lack is not a second mistake.
    assert_eq!(
        message("{ wait = 50 }", "{ wiat = 50 }"),
        "56: agents[0].orders[1].wiat: unknown key, did you mean `wait`?"
    );
    assert_eq!(
        message("{ wait = 50 }", "{ fly = 50 }"),
        "56: agents[0].orders[1].fly: unknown key, expected goto, goto_area, goto_group, wait, \
         patrol, within, fallback or if_unreachable"
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
        ("search_slots = 8", "landmarks = 65", "landmarks", (0, 64)),
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

#[test]
fn tasks_say_what_is_wrong() {
    for (tasks, expected) in [
        ("{ kind = \"random\" }", "groups[0].tasks.area: missing, expected [x, y, width, height]"),
        (
            "{ kind = \"rare\", area = [0, 0, 1, 1] }",
            "groups[0].tasks.kind: expected \"random\", found \"rare\"",
        ),
        ("{ file = \"\" }", "groups[0].tasks.file: expected the path of a table of tasks, found \"\""),
        (
            "{ file = \"a.csv\", area = [0, 0, 1, 1] }",
            "groups[0].tasks.area: expected only beside kind, found beside file",
        ),
        ("{ area = [0, 0, 1, 1] }", "groups[0].tasks: expected kind or file, found none"),
        ("7", "groups[0].tasks: expected a table, found 7"),
    ] {
        let found = message("count = 500", &format!("count = 500\ntasks = {tasks}"));
        assert_eq!(found, format!("67: {expected}"));
    }
    assert_eq!(
        edits_message("priority = 6", "tasks = 6"),
        "44: events[3].add_agents.tasks: expected a table, found 6"
    );
}

#[test]
fn generated_maps_say_what_is_wrong() {
    let whole = "generate = { kind = \"river\", size = [256, 67108864], seed = 3 }";
    for (piece, replacement, expected) in [
        (whole, "generate = \"river\"", "generate: expected a table, found \"river\""),
        ("kind = \"river\"", "kind = 1", "generate.kind: expected the name of a generator, found 1"),
        ("kind = \"river\"", "kind = \"\"", "generate.kind: expected the name of a generator, found \"\""),
        ("kind = \"river\", ", "", "generate.kind: missing, expected the name of a generator"),
        ("size = [256, 67108864], ", "", "generate.size: missing, expected [width, height]"),
        ("[256, 67108864]", "256", "generate.size: expected [width, height], found 256"),
        (
            "67108864",
            "67108865",
            "generate.size[1]: expected a whole number from 1 to 67108864, found 67108865",
        ),
        ("[256,", "[0,", "generate.size[0]: expected a whole number from 1 to 67108864, found 0"),
        (
            "seed = 3",
            "seed = -3",
            "generate.seed: expected a whole number from 0 to 9223372036854775807, found -3",
        ),
        ("seed = 3", "sead = 3", "generate.sead: unknown key, did you mean `seed`?"),
        ("seed = 3", "river = 3", "generate.river: unknown key, expected kind, size or seed"),
        ("generate =", "generat =", "generat: unknown key, did you mean `generate`?"),
    ] {
        assert_eq!(edits_message(piece, replacement), format!("5: map.{expected}"));
    }
    for (piece, replacement, expected) in [
        (
            "elevation = [[",
            "elevation = [[], [",
            "elevation[0]: expected at least one height, found an empty list",
        ),
        ("32767", "32768", "elevation[1][0]: expected a whole number from -32768 to 32767, found 32768"),
        (
            "elevation = [[0, -7], [32767, -32768]]",
            "elevation = 3",
            "elevation: expected a list of rows, found 3",
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), format!("6: map.{expected}"));
    }
}

#[test]
fn slopes_and_diagonals_say_what_is_wrong() {
    let unsigned = "expected a whole number from 0 to 4294967295, found";
    for (piece, replacement, expected) in [
        (
            "footprint_diagonal = [[0, 0], [1, -1]]",
            "footprint_diagonal = [\"X\"]",
            "10: class.tank.footprint_diagonal[0]: expected [forward, right], found \"X\"".to_owned(),
        ),
        (
            "footprint_diagonal = [[0, 0], [1, -1]]",
            "footprint_diagonal = []",
            "10: class.tank.footprint_diagonal: expected at least one cell, found an empty list".to_owned(),
        ),
        (
            "turns = \"full\"",
            "turns = \"half\"",
            "11: class.tank.sweep.turns: expected \"ends\" or \"full\", found \"half\"".to_owned(),
        ),
        ("\nup = 100", "\nup = -1", format!("12: class.tank.up: {unsigned} -1")),
        (
            "down = -50",
            "down = 2147483648",
            "13: class.tank.down: expected a whole number from -2147483648 to 2147483647, found 2147483648"
                .to_owned(),
        ),
        ("max_up = 3", "max_up = -1", format!("14: class.tank.max_up: {unsigned} -1")),
        ("max_down = 4", "max_down = \"4\"", format!("15: class.tank.max_down: {unsigned} \"4\"")),
        ("max_tilt = 0", "max_tilt = 4294967296", format!("16: class.tank.max_tilt: {unsigned} 4294967296")),
        (
            "max_tilt = 0",
            "max_titl = 0",
            "16: class.tank.max_titl: unknown key, did you mean `max_tilt`?".to_owned(),
        ),
        (
            "when = \"straight\"",
            "when = \"any\"",
            "18: class.tank.moves[0].when: expected \"straight\" or \"diagonal\", found \"any\"".to_owned(),
        ),
        (
            "when = \"diagonal\"",
            "when = \"straight\"",
            "19: class.tank.moves[1].name: expected a name of its own, found \"go (straight)\", which is \
             class.tank.moves[0].name too (line 18)"
                .to_owned(),
        ),
        (
            "turn = -7",
            "turn = -8",
            "20: class.tank.moves[2].turn: expected a whole number from -7 to 7, found -8".to_owned(),
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), expected);
    }
}

#[test]
fn collision_is_one_of_two_rules() {
    assert_eq!(
        edits_message("\"discrete\"", "\"discreet\""),
        "3: collision: expected \"swept\" or \"discrete\", found \"discreet\""
    );
    assert_eq!(
        edits_message("\"discrete\"", "true"),
        "3: collision: expected \"swept\" or \"discrete\", found true"
    );
}

#[test]
fn orders_to_an_area_say_what_is_wrong() {
    let order = "{ goto_area = [-1, 2, 3, 4], fallback = \"nearest\", if_unreachable = \"wait\" }";
    let area = "[-1, 2, 3, 4]";
    for (piece, replacement, expected) in [
        (area, "[-1, 2]", ".goto_area: expected [x, y, width, height], found [-1, 2]"),
        (area, "\"all\"", ".goto_area: expected [x, y, width, height], found \"all\""),
        (area, "[-1, 2, 3, 0]", ".goto_area[3]: expected a whole number from 1 to 4294967295, found 0"),
        (order, "{ goto_aera = [1, 1, 1, 1] }", ".goto_aera: unknown key, did you mean `goto_area`?"),
        (
            order,
            "{ goto_area = [1, 1, 1, 1], within = 1 }",
            ".within: expected only beside goto or patrol, found beside goto_area",
        ),
        (
            order,
            "{ wait = 1, fallback = \"fail\" }",
            ".fallback: expected only beside goto, goto_area, goto_group or patrol, found beside wait",
        ),
        (
            order,
            "{ goto_area = [1, 1, 1, 1], goto = [1, 1] }",
            ": expected only one of goto, goto_area, goto_group, wait or patrol, found goto and goto_area",
        ),
        (
            order,
            "{ goto_group = [[1, 1]] }",
            ".goto_group: expected [x, y] or [x, y, heading], found [[1, 1]]",
        ),
        (
            order,
            "{ goto_group = [1, 1, 1, 1] }",
            ".goto_group: expected [x, y] or [x, y, heading], found [1, 1, 1, 1]",
        ),
        (
            order,
            "{ goto_group = [1, 1], within = 2 }",
            ".within: expected only beside goto or patrol, found beside goto_group",
        ),
        ("\"nearest\"", "\"near\"", ".fallback: expected \"fail\" or \"nearest\", found \"near\""),
        (
            "if_unreachable = \"wait\"",
            "if_unreachable = 3",
            ".if_unreachable: expected \"drop\" or \"wait\", found 3",
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), format!("27: groups[0].orders[0]{expected}"));
    }
}

#[test]
fn edits_of_the_map_say_what_is_wrong() {
    let elevation = "{ area = [1, 2, 3, 4], height = -300, on_agents = \"remove\" }";
    let rule = "expected \"wait\", \"strand\" or \"remove\", found";
    for (piece, replacement, expected) in [
        (elevation, "7", "31: events[0].set_elevation: expected a table, found 7".to_owned()),
        (
            "area = [1, 2, 3, 4], ",
            "",
            "31: events[0].set_elevation.area: missing, expected [x, y, width, height]".to_owned(),
        ),
        (
            "[1, 2, 3, 4]",
            "[1, 2, 0, 4]",
            "31: events[0].set_elevation.area[2]: expected a whole number from 1 to 4294967295, found 0"
                .to_owned(),
        ),
        (
            "height = -300",
            "height = -32769",
            "31: events[0].set_elevation.height: expected a whole number from -32768 to 32767, found -32769"
                .to_owned(),
        ),
        (
            "height = -300, ",
            "",
            "31: events[0].set_elevation.height: missing, expected a whole number from -32768 to 32767"
                .to_owned(),
        ),
        (
            "height = -300",
            "height = -300, hieght = 1",
            "31: events[0].set_elevation.hieght: unknown key, did you mean `height`?".to_owned(),
        ),
        ("\"remove\"", "\"push\"", format!("31: events[0].set_elevation.on_agents: {rule} \"push\"")),
        ("[5, -6]", "5", "34: events[1].set_side.cell: expected [x, y], found 5".to_owned()),
        (
            "[5, -6]",
            "[5, 0.5]",
            "34: events[1].set_side.cell[1]: expected a whole number from -2147483648 to 2147483647, \
             found 0.5"
                .to_owned(),
        ),
        ("cell = [5, -6], ", "", "34: events[1].set_side.cell: missing, expected [x, y]".to_owned()),
        (
            "side = \"N\"",
            "side = \"NE\"",
            "34: events[1].set_side.side: expected \"E\", \"N\", \"W\" or \"S\", found \"NE\"".to_owned(),
        ),
        (
            "side = \"N\", ",
            "",
            "34: events[1].set_side.side: missing, expected \"E\", \"N\", \"W\" or \"S\"".to_owned(),
        ),
        (
            "\"hedge\"",
            "\"\"",
            "34: events[1].set_side.kind: expected the name of a side kind, found \"\"".to_owned(),
        ),
        (
            ", kind = \"hedge\"",
            "",
            "34: events[1].set_side.kind: missing, expected the name of a side kind".to_owned(),
        ),
        ("\"strand\"", "true", format!("34: events[1].set_side.on_agents: {rule} true")),
        (
            "side = \"N\"",
            "side = \"N\", sides = \"N\"",
            "34: events[1].set_side.sides: unknown key, did you mean `side`?".to_owned(),
        ),
        (
            "turns = -1",
            "turns = 0",
            "37: events[2].rotate.turns: expected a whole number other than 0, found 0".to_owned(),
        ),
        (
            "turns = -1",
            "turns = 2147483648",
            "37: events[2].rotate.turns: expected a whole number from -2147483648 to 2147483647, \
             found 2147483648"
                .to_owned(),
        ),
        (
            ", turns = -1",
            "",
            "37: events[2].rotate.turns: missing, expected a whole number other than 0".to_owned(),
        ),
        ("[7, 8]", "[7, 8, 9]", "37: events[2].rotate.cell: expected [x, y], found [7, 8, 9]".to_owned()),
        ("turns = -1", "turns = -1, on_agents = 1", format!("37: events[2].rotate.on_agents: {rule} 1")),
        (
            "turns = -1",
            "turns = -1, kind = \"a\"",
            "37: events[2].rotate.kind: unknown key, expected cell, turns or on_agents".to_owned(),
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), expected);
    }
}

#[test]
fn events_about_agents_say_what_is_wrong() {
    let names = "names = [\"a\", \"b\"]";
    for (piece, replacement, expected) in [
        (
            "class = \"octile\"",
            "class = 8",
            "41: events[3].add_agents.class: expected the name of a class, found 8",
        ),
        (
            "count = 2",
            "count = 1048577",
            "42: events[3].add_agents.count: expected a whole number from 1 to 1048576, found 1048577",
        ),
        // One stands there before.
        (
            "count = 2",
            "count = 1048576",
            "42: events[3].add_agents.count: expected at most 1048576 agents in all, \
             found 1048577 up to here",
        ),
        (
            "area = [9, 9, 1, 1]\n",
            "",
            "40: events[3].add_agents.area: missing, expected [x, y, width, height]",
        ),
        (
            "priority = 6",
            "name = \"a\"",
            "44: events[3].add_agents.name: unknown key, expected class, count, area, priority, orders or tasks",
        ),
        (
            "priority = 6",
            "prority = 6",
            "44: events[3].add_agents.prority: unknown key, did you mean `priority`?",
        ),
        (names, "", "48: events[4].remove_agents: expected names or area, found none"),
        (
            names,
            "names = [\"a\"], area = [1, 1, 1, 1]",
            "48: events[4].remove_agents: expected only one of names or area, found names and area",
        ),
        (names, "names = \"a\"", "48: events[4].remove_agents.names: expected a list of names, found \"a\""),
        (
            names,
            "names = []",
            "48: events[4].remove_agents.names: expected at least one name, found an empty list",
        ),
        (
            names,
            "names = [\"a\", 3]",
            "48: events[4].remove_agents.names[1]: expected the name of an agent, found 3",
        ),
        (
            names,
            "names = [\"\"]",
            "48: events[4].remove_agents.names[0]: expected the name of an agent, found \"\"",
        ),
        (names, "name = [\"a\"]", "48: events[4].remove_agents.name: unknown key, did you mean `names`?"),
        (
            "[0, 1, 2, 3]",
            "[0, 1, 2]",
            "51: events[5].remove_agents.area: expected [x, y, width, height], found [0, 1, 2]",
        ),
        (
            "{ area = [0, 1, 2, 3] }",
            "{ area = [0, 1, 2, 3], orders = [] }",
            "51: events[5].remove_agents.orders: unknown key, expected names or area",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"]",
            "54: events[6].give_orders.orders: missing, expected a list of orders",
        ),
        (
            "names = [\"c\"], orders = []",
            "orders = []",
            "54: events[6].give_orders: expected names or area, found none",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"], area = [1, 1, 1, 1], orders = []",
            "54: events[6].give_orders: expected only one of names or area, found names and area",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"], orders = [], order = []",
            "54: events[6].give_orders.order: unknown key, did you mean `orders`?",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"], orders = 1",
            "54: events[6].give_orders.orders: expected a list of orders, found 1",
        ),
        (
            "{ wait = 6 }",
            "{ wait = -6 }",
            "57: events[7].give_orders.orders[0].wait: expected a whole number from 0 to 4294967294, \
             found -6",
        ),
        (
            "give_orders = { names",
            "give_order = { names",
            "54: events[6].give_order: unknown key, did you mean `give_orders`?",
        ),
        (
            "rotate = { cell = [7, 8], turns = -1 }",
            "rotate = { cell = [7, 8], turns = -1 }\nremove_agents = { names = [\"a\"] }",
            "35: events[2]: expected only one of set_terrain, set_elevation, set_side, rotate, add_agents, \
             remove_agents or give_orders, found rotate and remove_agents",
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), expected);
    }
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
        (
            "{ wait = 50 }",
            "{}",
            "56: agents[0].orders[1]: expected goto, goto_area, goto_group, wait or patrol, found none",
        ),
        (
            "{ wait = 50 }",
            "{ wait = 50, goto = [1, 1] }",
            "56: agents[0].orders[1]: expected only one of goto, goto_area, goto_group, wait or \
             patrol, found goto and wait",
        ),
        (
            "{ wait = 50 }",
            "{ wait = 50, within = 2 }",
            "56: agents[0].orders[1].within: expected only beside goto or patrol, found beside wait",
        ),
        (
            "set_terrain = { area = [30, 0, 1, 64], kind = \"deep\", on_agents = \"strand\" }\n",
            "",
            "70: events[0]: expected set_terrain, set_elevation, set_side, rotate, add_agents, remove_agents \
             or give_orders, found none",
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
         scenarios/x.toml:29: class.truck.headings: expected 1, 4 or 8, found 6\n\
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
        good in prop::sample::select(&[GOOD, EDITS]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), 32..127u8]), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = good.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at.index(good.len())] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(good.len()));
        }
        if let Err(errors) = parse("x.toml", &bytes) {
            check_mistakes(&bytes, &errors);
        }
        let _ = parse_class_file("x.toml", &bytes);
    }

    #[test]
    fn shuffled_values_never_panic(
        good in prop::sample::select(&[GOOD, EDITS]),
        swaps in prop::collection::vec((0..GOOD_VALUES.len(), any::<prop::sample::Index>()), 1..6),
    ) {
        // Whole values of a wrong kind reach farther into the reader than bytes do.
        let mut lines: Vec<String> = good.lines().map(str::to_owned).collect();
        for (value_idx, line) in swaps {
            let line_idx = line.index(lines.len());
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
