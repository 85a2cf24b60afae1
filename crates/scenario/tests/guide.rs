//! The guides agree with the code. `docs/scenario.md` has exactly the keys that the reader knows, with their limits and
//! defaults. `docs/format.md` has every key of the result.

use std::collections::BTreeSet;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{RunResult, RunState, TickTimes};

const GUIDE: &str = include_str!("../../../docs/scenario.md");
/// Where the results are described.
const FORMAT: &str = include_str!("../../../docs/format.md");
/// The reader's files that say which keys there are.
const READER: [&str; 4] = [
    include_str!("../src/scenario/document.rs"),
    include_str!("../src/scenario/event.rs"),
    include_str!("../src/scenario/class.rs"),
    include_str!("../src/scenario/agents.rs"),
];

/// Where the guide describes the keys of each `Keys` constant.
const SECTIONS: [(&str, &str); 22] = [
    ("SCENARIO_KEYS", "Top level"),
    ("CLASS_FILE_KEYS", "Class files"),
    ("MAP_KEYS", "`[map]`"),
    ("GENERATE_KEYS", "`generate`"),
    ("TEAMS_KEYS", "`[teams]`"),
    ("TERRAIN_KEYS", "`[terrain.NAME]`"),
    ("TERRAIN_SIDE_KEYS", "`sides`"),
    ("SIDE_KEYS", "`[side.NAME]`"),
    ("EVENT_KEYS", "`[[events]]`"),
    ("SET_TERRAIN_KEYS", "`set_terrain`"),
    ("SET_ELEVATION_KEYS", "`set_elevation`"),
    ("SET_SIDE_KEYS", "`set_side`"),
    ("ROTATE_KEYS", "`rotate`"),
    ("REMOVE_AGENTS_KEYS", "`remove_agents`"),
    ("GIVE_ORDERS_KEYS", "`give_orders`"),
    ("CLASS_KEYS", "`[class.NAME]`"),
    ("SWEEP_KEYS", "`sweep`"),
    ("MOVE_KEYS", "`moves`"),
    ("AGENT_KEYS", "`[[agents]]`"),
    ("GROUP_KEYS", "`[[groups]]`"),
    ("TASKS_KEYS", "Tasks"),
    ("ORDER_KEYS", "Orders"),
];

/// The definition in the schema of the keys of each `Keys` constant. The top of the schema has the keys of the
/// scenario, and of class files with them.
const DEFINITIONS: [(&str, &str); 20] = [
    ("MAP_KEYS", "map"),
    ("GENERATE_KEYS", "generate"),
    ("TEAMS_KEYS", "teams"),
    ("TERRAIN_KEYS", "terrain"),
    ("TERRAIN_SIDE_KEYS", "sides"),
    ("SIDE_KEYS", "side"),
    ("EVENT_KEYS", "event"),
    ("SET_TERRAIN_KEYS", "set_terrain"),
    ("SET_ELEVATION_KEYS", "set_elevation"),
    ("SET_SIDE_KEYS", "set_side"),
    ("ROTATE_KEYS", "rotate"),
    ("REMOVE_AGENTS_KEYS", "remove_agents"),
    ("GIVE_ORDERS_KEYS", "give_orders"),
    ("CLASS_KEYS", "class"),
    ("SWEEP_KEYS", "sweep"),
    ("MOVE_KEYS", "move"),
    ("AGENT_KEYS", "agent"),
    ("GROUP_KEYS", "group"),
    ("TASKS_KEYS", "tasks"),
    ("ORDER_KEYS", "order"),
];

/// A `const NAME: Keys = Keys { known: ..., later: ... };` of the reader.
struct Keys {
    name: &'static str,
    known: BTreeSet<String>,
    later: BTreeSet<String>,
}

/// The text between two marks, and what comes after.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<(&'t str, &'t str)> {
    let text = &text[text.find(begin)? + begin.len()..];
    let at = text.find(end)?;
    Some((&text[..at], &text[at + end.len()..]))
}

/// Every second piece of a text cut at `mark`: what stands in quotes, or between backticks.
fn quoted(text: &str, mark: char) -> BTreeSet<String> {
    text.split(mark).skip(1).step_by(2).map(str::to_owned).collect()
}

/// The names in a list, or in the constant that stands in its place.
fn names(field: &str, source: &str) -> BTreeSet<String> {
    let field = field.trim().trim_start_matches('&');
    if field.starts_with('[') {
        return quoted(field, '"');
    }
    if let Some(constant) = field.strip_suffix(".later") {
        let (body, _) = between(source, &format!("const {constant}: Keys = Keys {{"), "};").unwrap();
        return quoted(body.split("later:").nth(1).unwrap(), '"');
    }
    let (body, _) = between(source, &format!("const {field}: [&str; "), ";\n").unwrap();
    quoted(body, '"')
}

fn reader_keys() -> Vec<Keys> {
    let mut found = Vec::new();
    for source in READER {
        let mut rest = source;
        while let Some((name, after)) = between(rest, "const ", ": ") {
            rest = after;
            // The value may stand on a separate line.
            let value = after.strip_prefix("Keys =").map(str::trim_start);
            let Some(after) = value.and_then(|value| value.strip_prefix("Keys {")) else { continue };
            let (body, after) = after.split_once("};").unwrap();
            rest = after;
            let (known, later) = body.split_once("later:").unwrap();
            let known = known.trim().strip_prefix("known:").unwrap().trim().trim_end_matches(',');
            let later = later.trim().trim_end_matches(',');
            found.push(Keys { name, known: names(known, source), later: names(later, source) });
        }
    }
    found
}

/// The text of the guide under a heading, up to the next one.
fn section(heading: &str) -> &'static str {
    section_of(GUIDE, heading)
}

/// The text of a document under a heading, up to the next one.
fn section_of<'d>(document: &'d str, heading: &str) -> &'d str {
    let mut lines = document.lines();
    let line = lines.find(|line| line.trim_start_matches('#').trim() == heading && line.starts_with('#'));
    let line = line.unwrap_or_else(|| panic!("there is no heading {heading}"));
    let (_, text) = document.split_once(&format!("\n{line}\n")).unwrap();
    text.split("\n#").next().unwrap()
}

/// Keys in the first column of the table under a heading.
fn documented(heading: &str) -> BTreeSet<String> {
    keys_in(section(heading))
}

/// Keys in the first column of a table.
fn keys_in(section: &str) -> BTreeSet<String> {
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| quoted(row.split('|').nth(1).unwrap(), '`')).collect()
}

#[test]
fn every_key_is_described_and_no_other() {
    let keys = reader_keys();
    assert_eq!(keys.len(), SECTIONS.len(), "key constants found in the reader");
    for Keys { name, known, .. } in &keys {
        let section = SECTIONS.iter().find(|(constant, _)| constant == name);
        let (_, heading) = section.unwrap_or_else(|| panic!("which section describes {name}?"));
        assert!(!known.is_empty(), "{name}");
        assert_eq!(&documented(heading), known, "{name}: section {heading}");
    }
}

#[test]
fn every_later_key_is_listed() {
    let listed = quoted(section("Not supported yet"), '`');
    for Keys { name, later, .. } in reader_keys() {
        let missing: Vec<_> = later.difference(&listed).collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}

#[test]
fn every_row_is_complete() {
    for (_, heading) in SECTIONS {
        for row in section(heading).lines().filter(|line| line.starts_with("| `")) {
            let columns: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(columns.len(), 5, "{row}");
            assert!(!columns[1].is_empty() && !columns[3].is_empty(), "{row}");
        }
    }
}

/// A number with commas, as in the guide.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn row(heading: &str, key: &str) -> &'static str {
    let rows = section(heading).lines();
    let start = format!("| `{key}` |");
    rows.into_iter().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{heading}: {key}"))
}

#[test]
fn limits_are_those_of_the_code() {
    let i32_range = format!("-{} to {}", grouped(1 << 31), grouped((1 << 31) - 1));
    let limits = [
        ("Top level", "seed", grouped(i64::MAX as u64)),
        ("Top level", "ticks", grouped(scenario::TICK_MAX.into())),
        ("Top level", "expansions_per_tick", grouped(scenario::EXPANSIONS_PER_TICK_MAX)),
        ("Top level", "search_slots", grouped(scenario::SEARCH_SLOTS_MAX.into())),
        ("Top level", "landmarks", grouped(scenario::LANDMARKS_MAX.into())),
        ("Top level", "terrain", grouped(wheelbase_grid::TERRAIN_KINDS_MAX as u64)),
        ("Top level", "side", grouped(wheelbase_grid::SIDE_KINDS_MAX as u64)),
        ("Top level", "class", grouped(scenario::CLASSES_MAX as u64)),
        ("Top level", "agents", grouped(scenario::AGENTS_MAX.into())),
        ("Top level", "events", grouped(scenario::EVENTS_MAX as u64)),
        ("`[map]`", "rows", grouped(wheelbase_grid::CELLS_MAX)),
        ("`[class.NAME]`", "footprint", grouped(scenario::FOOTPRINT_CELLS_MAX as u64)),
        ("`[class.NAME]`", "footprint", grouped(wheelbase_planner::model::OFFSET_MAX as u64)),
        ("`[class.NAME]`", "moves", grouped(scenario::MOVES_MAX as u64)),
        ("`moves`", "by", grouped(scenario::DISPLACEMENT_MAX.into())),
        ("`moves`", "time", grouped(u16::MAX.into())),
        ("`[[agents]]`", "priority", i32_range),
        ("`[[agents]]`", "orders", grouped(scenario::ORDERS_MAX as u64)),
        ("`[[agents]]`", "team", grouped(wheelbase_sim::Team::COUNT as u64 - 1)),
        ("`[[agents]]`", "speed_factor", grouped(u16::MAX.into())),
        ("`[[groups]]`", "count", grouped(scenario::AGENTS_MAX.into())),
        ("`[[groups]]`", "team", grouped(wheelbase_sim::Team::COUNT as u64 - 1)),
        ("`[[groups]]`", "speed_factor", grouped(u16::MAX.into())),
        ("Orders", "wait", grouped(scenario::TICK_MAX.into())),
        ("Orders", "within", grouped(u16::MAX.into())),
        ("`[[events]]`", "tick", grouped(scenario::TICK_MAX.into())),
        ("`set_terrain`", "deadline", grouped(scenario::TICK_MAX.into())),
        ("`set_elevation`", "deadline", grouped(scenario::TICK_MAX.into())),
        ("`set_side`", "deadline", grouped(scenario::TICK_MAX.into())),
        ("`rotate`", "deadline", grouped(scenario::TICK_MAX.into())),
    ];
    for (heading, key, limit) in limits {
        assert!(row(heading, key).contains(&limit), "{heading}: {key}: expected {limit}");
    }
}

const SMALLEST: &str = "name = ''\nticks = 1\nmap = { rows = ['.'] }";

#[test]
fn defaults_are_those_of_the_code() {
    let read = scenario::parse("smallest.toml", SMALLEST.as_bytes()).unwrap();
    let defaults = [
        ("seed", read.seed),
        ("expansions_per_tick", read.expansions_per_tick),
        ("search_slots", read.search_slots.into()),
        ("poses_per_agent", read.poses_per_agent.into()),
    ];
    for (key, default) in defaults {
        assert!(row("Top level", key).ends_with(&format!(" {} |", grouped(default))), "{key}: {default}");
    }
}

#[test]
fn every_key_of_the_result_is_described() {
    let read = scenario::parse("smallest.toml", SMALLEST.as_bytes()).unwrap();
    let mut world = load::build_world(std::path::Path::new("smallest.toml"), &read).unwrap();
    while world.step() == RunState::Running {}
    let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
    let printed = serde_json::to_value(&result).unwrap();
    let mut printed: BTreeSet<String> = printed.as_object().unwrap().keys().cloned().collect();
    // The program adds it after a signal.
    printed.insert("interrupted".to_owned());
    assert_eq!(keys_in(section_of(FORMAT, "Results")), printed);
}

/// What an editor shows of a key: its meaning, range and default, without links.
fn description(heading: &str, key: &str) -> String {
    let columns: Vec<&str> = row(heading, key).trim_matches('|').split('|').map(str::trim).collect();
    let (range, meaning, default) = (columns[2], columns[3], columns[4]);
    let mut text = without_links(meaning);
    if !range.is_empty() {
        text += &format!(". {}", without_links(range));
    }
    match default.trim() {
        "" | "required" => {}
        default => text += &format!(". Default: {}", without_links(default)),
    }
    text
}

/// Markdown with the text of each link in place of the link.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((label, after)) = between(rest, "[", "](") {
        let start = rest.find(&format!("[{label}](")).unwrap();
        plain += &rest[..start];
        plain += label;
        rest = after.split_once(')').unwrap().1;
    }
    plain + rest
}

/// `wheelbase schema` has the keys of the reader, and the texts of the guide.
#[test]
fn the_schema_has_the_keys_and_texts_of_the_guide() {
    let written: serde_json::Value = serde_json::from_str(scenario::SCHEMA).unwrap();
    let mut schema = written.clone();
    let places =
        DEFINITIONS.iter().map(|(constant, name)| (*constant, format!("/definitions/{name}/properties")));
    for (constant, place) in places.chain([("SCENARIO_KEYS", "/properties".to_owned())]) {
        let (_, heading) = SECTIONS.iter().find(|(known, _)| *known == constant).unwrap();
        let properties = schema.pointer_mut(&place).and_then(|found| found.as_object_mut()).unwrap();
        let keys: BTreeSet<String> = properties.keys().cloned().collect();
        assert_eq!(keys, documented(heading), "{place}");
        for (key, value) in properties.iter_mut() {
            value["description"] = description(heading, key).into();
        }
    }
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/scenario/schema.json");
        std::fs::write(path, format!("{}\n", serde_json::to_string_pretty(&schema).unwrap())).unwrap();
    } else {
        let renew = "WHEELBASE_BLESS=1 cargo test -p wheelbase-scenario --test integration guide::";
        assert!(schema == written, "the schema lacks texts of the guide: {renew}");
    }
}
