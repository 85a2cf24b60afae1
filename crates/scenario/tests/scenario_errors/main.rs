//! The result of reading a good scenario, and the message of each mistake in a bad one: a file for each table.

#![allow(clippy::expect_used, reason = "all of it is for tests")]

mod agents;
mod class;
mod document;
mod events;
mod groups;
mod map;
mod orders;
mod teams;
mod terrain;
mod top_level;

use wheelbase_grid::Side;
use wheelbase_planner::When;
use wheelbase_planner::model::{Climb, SweepRule};
use wheelbase_scenario::scenario::{
    AgentSelection, Area, AtDeadline, Collision, Elevation, Event, EventAction, Fallback, FriendPair,
    GoalOptions, IfUnreachable, Located, MapSource, OnAgents, OrderKind, Scenario, ScenarioError,
    ScenarioErrors, TypedPose, parse, parse_class_file,
};

/// Most keys that are read, most of them once; [`EDITS`] has the others.
const GOOD: &str = r##"name = "river crossing"
seed = 7
ticks = 3000
collision = "swept"
expansions_per_tick = 100_000
search_slots = 8
poses_per_agent = 1

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

/// The text of each mistake, without the name of the file and the column, which must be one of the line.
fn messages(text: &str) -> Vec<String> {
    let said = |mistake: &ScenarioError| {
        let span = mistake.span.expect("the text is known");
        let line = text.lines().nth(mistake.line - 1).unwrap_or("");
        assert!((1..=line.chars().count() + 1).contains(&span.column), "{mistake}: {line:?}");
        let place = format!("x.toml:{}:{}:", mistake.line, span.column);
        mistake.to_string().replacen(&place, &format!("{}:", mistake.line), 1)
    };
    mistakes(text).iter().map(said).collect()
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

/// A scenario with one piece replaced, for each (piece, replacement): the message.
fn check(text: &str, cases: &[(&str, &str, &str)]) {
    for (piece, replacement, expected) in cases {
        assert_eq!(only_message(&with(text, piece, replacement), replacement), *expected);
    }
}

/// [`check`] of the good scenario.
fn check_good(cases: &[(&str, &str, &str)]) {
    check(GOOD, cases);
}

/// The good scenario with one piece replaced by a number out of the range of a key.
fn check_ranges(cases: &[(&str, &str, &str, (i64, i64))]) {
    for (piece, replacement, key, (least, most)) in cases {
        let (_, found) = replacement.split_once("= ").expect("key = value");
        let found = found.trim_start_matches("[[1, ").trim_end_matches("]]");
        let expected = format!(" {key}: expected a whole number from {least} to {most}, found {found}");
        let message = message(piece, replacement);
        assert_eq!(message.split_once(':').expect("a line").1, expected);
    }
}

fn good() -> Scenario {
    parse("x.toml", GOOD.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
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

fn pose(x: i32, y: i32, heading: Option<&str>, line: u32) -> TypedPose {
    TypedPose { x, y, heading: heading.map(str::to_owned), line }
}
