//! Bad input of every kind: each is refused with file, line, key or cell, the value found and the value expected. The
//! exit status is 2, standard output is empty, and nothing panics.

use crate::common::*;
use serde_json::{Value, json};
use std::fmt::Write;

/// A one-cell class for scenarios on small maps.
const STEP: &str = "[class.step]\nheadings = 1\nmoves = [{ name = \"east\", by = [1, 0], time = 1 }]\n";

/// The error of `run` for a scenario, without the file name; `check` must report the same.
#[track_caller]
fn refused(scenario: impl AsRef<[u8]>) -> String {
    let folder = Folder::with("s.toml", scenario);
    let message = folder.run(&["run", "s.toml"]).refused();
    let checked = folder.run(&["check", "s.toml"]).code(2);
    assert_eq!((checked.stdout.trim_end(), checked.stderr.as_str()), (message.as_str(), ""));
    let Some(message) = message.strip_prefix("s.toml:") else { panic!("no file is named: {message}") };
    message.to_owned()
}

/// The error for the good scenario with one piece replaced, which must name the line of `piece`.
#[track_caller]
fn refused_at(piece: &str, replacement: &str) -> String {
    let scenario = trucks_with(piece, replacement);
    let message = refused(&scenario);
    let line = format!("{}: ", line_of(TRUCKS, piece));
    let Some(message) = message.strip_prefix(&line) else { panic!("not at line {line}{message}") };
    message.to_owned()
}

/// The common error of `plan`, `check` and `run` for a map, without the file name.
#[track_caller]
fn map_refused(map: impl AsRef<[u8]>) -> String {
    let folder = Folder::with("a.map", map);
    folder.write("cart.toml", CART);
    let args = ["plan", "a.map", "--class", "cart.toml", "--from", "0,0,E", "--to", "0,0"];
    let message = folder.run(&args).refused();
    assert_eq!(folder.run(&["check", "a.map"]).code(2).stdout.trim_end(), message);
    folder.write("s.toml", format!("name = \"s\"\nticks = 1\n[map]\nfile = \"a.map\"\n{CART}"));
    assert_eq!(folder.run(&["run", "s.toml"]).refused(), message);
    let Some(message) = message.strip_prefix("a.map:") else { panic!("no file is named: {message}") };
    message.to_owned()
}

/// The result of a scenario that runs to its end.
#[track_caller]
fn result(scenario: &str) -> Value {
    let folder = Folder::with("s.toml", scenario);
    let ended = folder.run(&["run", "s.toml", "--format", "json", "--check-invariants"]).code(0);
    let result = ended.json();
    assert_eq!(result["collisions"], 0);
    assert_eq!(ended.stderr.is_empty(), result["orders_unreachable"] == 0, "{}", ended.stderr);
    result
}

// Files

#[test]
fn file_missing() {
    let folder =
        Folder::with("s.toml", format!("name = \"s\"\nticks = 1\n[map]\nfile = \"maps/no.map\"\n{CART}"));
    let missing = "cannot be read: No such file or directory (os error 2)";
    assert_eq!(folder.run(&["run", "no.toml"]).refused(), format!("no.toml: {missing}"));
    let plan = ["plan", "no.map", "--from", "0,0,E", "--to", "1,1", "--class"];
    folder.write("cart.toml", CART);
    assert_eq!(folder.run(&[&plan[..], &["cart.toml"]].concat()).refused(), format!("no.map: {missing}"));
    let refused = folder.run(&["run", "s.toml"]).refused();
    assert_eq!(refused, format!("s.toml:4: map.file: maps/no.map: {missing}"));
    let nowhere = folder.run(&["run", "s.toml", "--trace", "no/t.jsonl"]).refused();
    assert_eq!(nowhere, refused, "the scenario is read before the trace is begun");
    folder.write("trucks.toml", TRUCKS);
    let nowhere = folder.run(&["run", "trucks.toml", "--trace", "no/t.jsonl"]).code(2);
    let why = "no/t.jsonl: cannot be written: No such file or directory (os error 2)";
    assert_eq!(nowhere.stderr, format!("warning: {why}; the run goes on without it\nerror: {why}\n"));
    let full = folder.run(&["run", "trucks.toml", "--trace", "/dev/full"]).code(2);
    assert_eq!(full.stderr, "error: /dev/full: cannot be written: No space left on device (os error 28)\n");
}

#[test]
fn folder_as_file() {
    let folder = Folder::with("folder.toml/x", "");
    folder.write("folder.map/x", "");
    folder.write("s.toml", format!("name = \"s\"\nticks = 1\n[map]\nfile = \"folder.map\"\n{CART}"));
    folder.write("trucks.toml", TRUCKS);
    folder.write("cart.toml", CART);
    let found = "is a folder, expected a file";
    assert_eq!(folder.run(&["run", "folder.toml"]).refused(), format!("folder.toml: {found}"));
    assert_eq!(folder.run(&["run", "s.toml"]).refused(), format!("s.toml:4: map.file: folder.map: {found}"));
    let args = ["--from", "1,0,E", "--to", "1,1"];
    let plan = |more: &[&str]| folder.run(&[&["plan"], more, &args[..]].concat()).refused();
    assert_eq!(plan(&["folder.map", "--class", "cart.toml"]), format!("folder.map: {found}"));
    assert_eq!(plan(&["trucks.toml", "--class", "folder.toml"]), format!("folder.toml: {found}"));
    let queries = folder.run(&["plan", "trucks.toml", "--queries", "folder.toml"]).refused();
    assert_eq!(queries, format!("folder.toml: {found}"));
    assert_eq!(folder.run(&["check", "folder.map"]).code(2).stdout, format!("folder.map: {found}\n"));
    let trace = folder.run(&["run", "trucks.toml", "--trace", "folder.toml"]).code(2).stderr;
    assert!(
        trace.ends_with("error: folder.toml: cannot be written: Is a directory (os error 21)\n"),
        "{trace}"
    );
}

#[test]
fn file_without_end() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let message = "/dev/zero: is larger than 268435456 bytes, the most that is read";
    assert_eq!(folder.run(&["run", "/dev/zero"]).refused(), message);
    let queries = folder.run(&["plan", "trucks.toml", "--queries", "/dev/zero"]).refused();
    assert_eq!(queries, message);
}

#[test]
fn not_utf_8() {
    let mut scenario = TRUCKS.as_bytes().to_vec();
    let at = TRUCKS.find("convoy-1").unwrap();
    scenario[at] = 0xff;
    let line = line_of(TRUCKS, "convoy-1");
    assert_eq!(refused(&scenario), format!("{line}: expected UTF-8 text, found the byte 0xff"));
    let mut map = MAP.as_bytes().to_vec();
    let at = MAP.len() - 3;
    map[at] = 0xff;
    assert_eq!(map_refused(&map), "8:5: not UTF-8 text; expected a text file");
}

#[test]
fn truncated_scenario() {
    let lines = TRUCKS.matches('\n').count();
    let cut = &TRUCKS[..TRUCKS.len() - 20];
    assert_eq!(refused(cut), format!("{lines}: not valid TOML: unclosed inline table, expected `}}`"));
    // A cut anywhere is refused with a line, or leaves a valid scenario with fewer tables.
    let folder = Folder::new();
    for end in (0..TRUCKS.len()).step_by(7) {
        folder.write("s.toml", &TRUCKS[..end]);
        let ended = folder.run(&["run", "s.toml", "--quiet"]);
        let line = ended.stderr.strip_prefix("error: s.toml:").and_then(|text| text.split(':').next());
        match ended.code {
            0 => assert!(end > TRUCKS.find("\n]").unwrap(), "{ended:#?}"),
            _ => assert!(line.unwrap().parse::<usize>().unwrap() <= lines, "{ended:#?}"),
        }
    }
}

#[test]
fn truncated_map() {
    let cut = &MAP[..MAP.len() - 7];
    assert_eq!(map_refused(cut), "8:1: the file ends after 3 rows, expected 4");
    assert_eq!(
        map_refused("type octile\nheight 4\n"),
        "3:1: the file ends in its header, expected a line \"map\""
    );
    assert_eq!(map_refused(""), "1:1: the file ends in its header, expected a line \"map\"");
    assert_eq!(map_refused(&MAP[..MAP.len() - 3]), "8:5: the row has 4 glyphs, expected 6");
}

// Maps

#[test]
fn ragged_rows() {
    assert_eq!(refused_at("\"..~~....\"", "\"..~~...\""), "map.rows[1]: row 1 has 7 cells, expected 8");
    assert_eq!(map_refused(replaced(MAP, "......", ".......")), "8:7: the row has 7 glyphs, expected 6");
}

#[test]
fn unknown_glyph() {
    assert_eq!(
        refused_at("\"..~~....\"", "\"..~~.?..\""),
        "map.rows[1]: cell (5, 1): glyph '?' has no terrain; expected one of \"~s.GSWT@O\""
    );
    assert_eq!(
        map_refused(replaced(MAP, "......", "..é...")),
        "8:3: glyph 'é' has no terrain; expected one of \".GSWT@O\""
    );
}

#[test]
fn map_sizes() {
    let sized = |height: &str, width: &str| {
        map_refused(format!("type octile\nheight {height}\nwidth {width}\nmap\n.\n"))
    };
    let bounds = "width and height must be at least 1 and their product at most 67108864";
    assert_eq!(sized("0", "1"), format!("3:1: a map of 1 x 0 cells; {bounds}"));
    assert_eq!(sized("1", "0"), format!("3:1: a map of 0 x 1 cells; {bounds}"));
    assert_eq!(sized("8192", "8193"), format!("3:1: a map of 8193 x 8192 cells; {bounds}"));
    assert_eq!(
        sized("4294967296", "4294967296"),
        format!("3:1: a map of 4294967296 x 4294967296 cells; {bounds}")
    );
    assert_eq!(
        sized("99999999999999999999", "1"),
        "2:8: \"height\" is \"99999999999999999999\", expected a whole number in digits, below 2^64"
    );
    assert_eq!(sized("-1", "1"), "2:8: \"height\" is \"-1\", expected a whole number in digits, below 2^64");
    // The largest size, with its rows missing: no memory is taken for it.
    assert_eq!(sized("8192", "8192"), "5:2: the row has 1 glyphs, expected 8192");
    assert_eq!(
        refused("name = \"s\"\nticks = 1\n[map]\nrows = [\"\"]\n"),
        format!("4: map.rows[0]: a map of 0 x 1 cells; {bounds}")
    );
    assert_eq!(
        refused("name = \"s\"\nticks = 1\n[map]\nrows = []\n"),
        "4: map.rows: expected at least one row, found an empty list"
    );
}

#[test]
fn wall_off_the_map() {
    let wall = |wall: &str| {
        let scenario = trucks_with("[map]\n", &format!("[map]\nwalls = [[0, 0, 1, 0], {wall}]\n"));
        refused(scenario)
    };
    let rule = "must run along one column or row of cell corners, x from 0 to 8, y from 0 to 4";
    assert_eq!(wall("[5, 2, 9, 2]"), format!("6: map.walls[1]: wall [5, 2, 9, 2] {rule}"));
    assert_eq!(wall("[5, 2, 6, 3]"), format!("6: map.walls[1]: wall [5, 2, 6, 3] {rule}"));
    assert_eq!(
        wall("[-2147483648, 0, 2147483647, 0]"),
        format!("6: map.walls[1]: wall [-2147483648, 0, 2147483647, 0] {rule}")
    );
}

#[test]
fn unknown_side_kind() {
    assert_eq!(
        refused(trucks_with("speed = 500\n", "speed = 500\nsides = { N = \"hedge\" }\n")),
        "20: terrain.shallow.sides.N: no side kind \"hedge\", expected open or wall"
    );
}

#[test]
fn kinds_without_number() {
    let mut kinds = String::new();
    (0..256).for_each(|kind| write!(kinds, "[terrain.k{kind}]\nspeed = 1\n").unwrap());
    let scenario = trucks_with("[class.truck]\n", &format!("{kinds}[class.truck]\n"));
    let line = line_of(&scenario, "[terrain.k255]");
    assert_eq!(
        refused(&scenario),
        format!(
            "{line}: terrain.k255: expected at most 255 terrain kinds, found 263, including kinds of the map \
             format that are not replaced"
        )
    );
    let mut kinds = String::new();
    (0..16).for_each(|kind| write!(kinds, "[side.k{kind}]\nspeed = 1\n").unwrap());
    let scenario = trucks_with("[class.truck]\n", &format!("{kinds}[class.truck]\n"));
    let line = line_of(&scenario, "[side.k15]");
    assert_eq!(
        refused(&scenario),
        format!("{line}: side.k15: expected at most 15 side kinds, found 18 with open and wall")
    );
}

#[test]
fn one_cell_is_a_map() {
    let scenario = format!(
        "name = \"s\"\nticks = 9\n[map]\nrows = [\".\"]\n{STEP}\
         [[agents]]\nclass = \"step\"\nat = [0, 0]\norders = [{{ goto = [0, 0] }}]\n"
    );
    let result = result(&scenario);
    assert_eq!((&result["orders_done"], &result["moves"]), (&json!(1), &json!(0)));
}

// Keys and values

#[test]
fn unknown_key() {
    assert_eq!(refused_at("seed = 7", "sed = 7"), "sed: unknown key, did you mean `seed`?");
    assert_eq!(
        refused_at("footprint = ", "fotprint = "),
        "class.truck.fotprint: unknown key, did you mean `footprint`?"
    );
    assert_eq!(
        refused_at("name = \"convoy-1\"", "colour = \"red\""),
        "agents[0].colour: unknown key, expected name, class, at, priority, team, speed_factor or orders"
    );
}

#[test]
fn wrong_type() {
    assert_eq!(
        refused_at("ticks = 200", "ticks = \"200\""),
        "ticks: expected a whole number from 1 to 4294967294, found \"200\""
    );
    assert_eq!(
        refused_at("ticks = 200", "ticks = 200.0"),
        "ticks: expected a whole number from 1 to 4294967294, found 200.0"
    );
    assert_eq!(
        refused_at("at = [1, 0, \"E\"]", "at = \"1, 0, E\""),
        "agents[0].at: expected [x, y, heading], found \"1, 0, E\""
    );
    assert_eq!(
        refused_at("\"..~~..ss\"", "[]"),
        "map.rows[2]: expected a row of glyphs, found an empty list"
    );
}

#[test]
fn negative_time() {
    assert_eq!(
        refused_at("by = [1, 0], time = 2", "by = [1, 0], time = -2"),
        "class.truck.moves[0].time: expected a whole number from 1 to 65535, found -2"
    );
}

#[test]
fn zero_time() {
    assert_eq!(
        refused_at("by = [1, 0], time = 2", "by = [1, 0], time = 0"),
        "class.truck.moves[0].time: expected a whole number from 1 to 65535, found 0"
    );
}

#[test]
fn speed_over_65535() {
    assert_eq!(
        refused_at("speed = 500", "speed = 65536"),
        "terrain.shallow.speed: expected a whole number from 0 to 65535, found 65536"
    );
    assert_eq!(
        refused(trucks_with("headings = 4\n", "headings = 4\nspeed = { deep = 99999999999999999999 }\n")),
        "23: class.truck.speed.deep: expected a whole number from 0 to 65535, found 99999999999999999999"
    );
}

#[test]
fn duplicate_names() {
    assert_eq!(
        refused_at("name = \"left\"", "name = \"forward\""),
        "class.truck.moves[2].name: expected a unique name, found \"forward\", which is \
         also class.truck.moves[0].name (line 25)"
    );
    let twice = "[[agents]]\nname = \"convoy-1\"\nclass = \"truck\"\nat = [6, 0, \"E\"]\n";
    assert_eq!(
        refused(format!("{TRUCKS}{twice}")),
        "42: agents[2].name: expected a unique name, found \"convoy-1\", which is also agents[0].name (line 32)"
    );
    assert_eq!(refused(format!("{TRUCKS}[class.truck]\n")), "41: not valid TOML: duplicate key");
    assert_eq!(
        refused_at("glyphs = \"s\"", "glyphs = \"s~\""),
        "terrain.shallow.glyphs: glyph '~' belongs to \"deep\" and to \"shallow\"; a glyph has one kind"
    );
}

#[test]
fn slopes_headings_and_generated_maps() {
    let at = |piece: &str, replacement: &str, message: &str| {
        let found = refused(trucks_with(piece, replacement));
        assert!(found.contains(message), "{found}");
    };
    at("headings = 4", "headings = 5", "class.truck.headings: expected 1, 4 or 8, found 5");
    at("headings = 4", "headings = 4\nmax_up = -1", "class.truck.max_up: expected a whole number from 0");
    at("headings = 4", "headings = 4\nup = 1.5", "class.truck.up: expected a whole number from 0");
    at("sweep = \"ends\"", "sweep = \"half\"", "class.truck.sweep: expected \"ends\" or \"full\"");
    at("headings = 4", "headings = 8", "must say `when`");
    at("headings = 4", "headings = 4\nfootprint_diagonal = [[0, 0]]", "needs 8 headings");
    at("ticks = 200", "ticks = 200\ncollision = \"hard\"", "collision: expected \"swept\" or \"discrete\"");
    let map = |map: &str| refused(format!("name = \"s\"\nticks = 1\n[map]\n{map}\n"));
    assert_eq!(
        map("rows = [\"..\"]\nelevation = [[0]]"),
        "5: map.elevation[0]: expected 2 heights, one per cell of the row, found 1"
    );
    assert_eq!(
        map("rows = [\".\"]\nelevation = [[0], [1]]"),
        "5: map.elevation: expected 1 rows of heights, one per row of the map, found 2"
    );
    assert!(map("rows = [\".\"]\nelevation = [[40000]]").contains("from -32768 to 32767, found 40000"));
    assert!(
        map("generate = { kind = \"hills\", size = [9, 9] }").contains("map.generate.kind: expected open, ")
    );
    assert!(map("generate = { kind = \"maze\", size = [67108864, 2] }").contains("67108864 x 2 cells"));
    assert!(map("generate = { kind = \"maze\" }").contains("map.generate.size: missing"));
}

#[test]
fn unsupported_keys() {
    let event = "add_agents = { class = \"truck\", count = 1, area = [0, 0, 9, 9], tasks = {} }";
    assert!(of_event(event).starts_with("43: events[0].add_agents.tasks: expected kind or file, found none"));
}

#[test]
fn nesting_without_end() {
    for text in [
        format!("x = {}", "[".repeat(200_000)),
        format!("x = {}", "{a=".repeat(200_000)),
        format!("x{} = 1", ".x".repeat(200_000)),
        format!("[x{}]", ".x".repeat(200_000)),
    ] {
        let message = refused(text);
        assert!(message.starts_with("1: not valid TOML: "), "{message}");
    }
    let folder = Folder::with("trucks.toml", TRUCKS);
    folder.write("q.jsonl", "[".repeat(200_000));
    let message = folder.run(&["plan", "trucks.toml", "--queries", "q.jsonl"]).refused();
    assert_eq!(message, "q.jsonl:1:128: not JSON: recursion limit exceeded");
}

// Classes

#[test]
fn footprint_empty() {
    assert_eq!(
        refused_at("footprint = [[0, 0], [-1, 0]]", "footprint = []"),
        "class.truck.footprint: expected at least one cell, found an empty list"
    );
}

#[test]
fn footprint_larger_than_the_map() {
    assert_eq!(
        refused_at("footprint = [[0, 0], [-1, 0]]", "footprint = [[0, 0], [-8, 0]]"),
        "class.truck.footprint: a footprint of 9 x 1 cells does not fit on a map of 8 x 4 cells"
    );
}

#[test]
fn footprint_cell_twice() {
    assert_eq!(
        refused_at("footprint = [[0, 0], [-1, 0]]", "footprint = [[0, 0], [-1, 0], [0, 0]]"),
        "class.truck.footprint: expected each cell once, found [0, 0] twice"
    );
}

#[test]
fn no_moves() {
    let (head, rest) = TRUCKS.split_once("moves = [").unwrap();
    let (_, tail) = rest.split_once("\n]\n").unwrap();
    assert_eq!(refused(format!("{head}{tail}")), "20: class.truck.moves: missing, expected a list of moves");
}

#[test]
fn seventeen_moves() {
    let mut more = "moves = [\n".to_owned();
    (0..13).for_each(|n| writeln!(more, "  {{ name = \"m{n}\", by = [1, 0], time = 1 }},").unwrap());
    assert_eq!(refused_at("moves = [\n", &more), "class.truck.moves: expected at most 16 moves, found 17");
}

#[test]
fn bad_pivot() {
    for pivot in ["[0.5, 0]", "[0.25, 0.25]", "[65535, 0.5]"] {
        assert_eq!(
            refused(trucks_with("headings = 4\n", &format!("headings = 4\npivot = {pivot}\n"))),
            format!(
                "23: class.truck.pivot: expected two multiples of a half within 65535 cells, both whole or both \
                 not, found {pivot}"
            )
        );
    }
    assert_eq!(
        refused(trucks_with("headings = 4\n", "headings = 4\npivot = [inf, 0]\n")),
        "23: class.truck.pivot[0]: expected a number from -65535 to 65535, found inf"
    );
}

#[test]
fn turn_beyond_the_headings() {
    let rule = "with 4 headings expected fewer than 4 either way";
    assert_eq!(
        refused_at("turn = 1,", "turn = 4,"),
        format!("class.truck.moves[2]: move \"left\" turns by 4 steps; {rule}")
    );
    assert_eq!(
        refused_at("turn = -1,", "turn = -7,"),
        format!("class.truck.moves[3]: move \"right\" turns by -7 steps; {rule}")
    );
    assert_eq!(
        refused_at("turn = 1,", "turn = 8,"),
        "class.truck.moves[2].turn: expected a whole number from -7 to 7, found 8"
    );
}

#[test]
fn unknown_class() {
    assert_eq!(
        refused_at("class = \"truck\"\nat = [1", "class = \"trukc\"\nat = [1"),
        "agents[0].class: no class \"trukc\", expected truck; did you mean \"truck\"?"
    );
    let group = "[[groups]]\nclass = \"tank\"\ncount = 1\narea = [0, 0, 9, 9]\n";
    assert_eq!(refused(format!("{TRUCKS}{group}")), "42: groups[0].class: no class \"tank\", expected truck");
}

// Agents

#[test]
fn agent_on_water() {
    assert_eq!(
        refused_at("at = [1, 0, \"E\"]", "at = [4, 1, \"E\"]"),
        "agents[0].at: agent \"convoy-1\": cell (3, 1) is deep; class \"truck\" needs shallow, ground or swamp"
    );
}

#[test]
fn agent_off_the_map() {
    let needs = "is off the map of 8 x 4; class \"truck\" needs its body on columns 0 to 7 and rows 0 to 3";
    assert_eq!(
        refused_at("at = [1, 0, \"E\"]", "at = [0, 0, \"E\"]"),
        format!("agents[0].at: agent \"convoy-1\": cell (-1, 0) {needs}")
    );
    assert_eq!(
        refused_at("at = [6, 3, \"W\"]", "at = [6, 4, \"W\"]"),
        format!("agents[1].at: cell (6, 4) {needs}")
    );
    assert_eq!(
        refused_at("at = [1, 0, \"E\"]", "at = [2147483647, -2147483648, \"E\"]"),
        format!("agents[0].at: agent \"convoy-1\": cell (2147483647, -2147483648) {needs}")
    );
}

#[test]
fn agent_across_a_wall() {
    assert_eq!(
        refused(trucks_with("[map]\n", "[map]\nwalls = [[1, 0, 1, 1]]\n")),
        "35: agents[0].at: agent \"convoy-1\": the E side of cell (0, 0) is closed by wall; class \"truck\" needs it open"
    );
}

#[test]
fn heading_missing_or_wrong() {
    let expected = "expected heading E, N, W or S of class \"truck\", found";
    assert_eq!(refused_at("at = [6, 3, \"W\"]", "at = [6, 3]"), format!("agents[1].at: {expected} none"));
    assert_eq!(
        refused_at("at = [1, 0, \"E\"]", "at = [1, 0, \"NE\"]"),
        format!("agents[0].at: agent \"convoy-1\": {expected} \"NE\"")
    );
    assert_eq!(
        refused_at("at = [6, 3, \"W\"]", "at = [6, 3, \"any\"]"),
        format!("agents[1].at: {expected} \"any\"")
    );
    assert_eq!(
        refused_at("goto = [6, 3, \"E\"]", "goto = [6, 3, \"e\"]"),
        "agents[0].orders[0]: expected heading any, E, N, W or S, found \"e\"; did you mean \"E\"?"
    );
}

#[test]
fn agents_overlap() {
    let message = refused_at("at = [6, 3, \"W\"]", "at = [0, 0, \"W\"]");
    let line = line_of(TRUCKS, "name = \"convoy-1\"") - 1;
    assert_eq!(
        message,
        format!(
            "agents[1].at: cell (0, 0) is taken by agent \"convoy-1\" (line {line}); agents need separate cells"
        )
    );
    // An agent without a name is named by its key.
    let third = "[[agents]]\nclass = \"truck\"\nat = [6, 2, \"N\"]\n";
    let message = refused(format!("{TRUCKS}{third}"));
    let held = "agents[2].at: cell (6, 3) is taken by agents[1] (line 37); agents need separate cells";
    assert_eq!(message, format!("43: {held}"));
}

#[test]
fn twenty_five_misplaced_agents() {
    let mut scenario = TRUCKS.to_owned();
    for n in 0..25 {
        write!(scenario, "[[agents]]\nname = \"a{n}\"\nclass = \"truck\"\nat = [3, {}, \"E\"]\n", 1 + n % 2)
            .unwrap();
    }
    let message = refused(&scenario);
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 21);
    for (n, line) in lines[..20].iter().enumerate() {
        let (y, at) = (1 + n % 2, line_of(&scenario, &format!("\"a{n}\"")) + 2);
        let line = line.trim_start_matches("s.toml:");
        assert_eq!(
            line,
            format!(
                "{at}: agents[{}].at: agent \"a{n}\": cell (2, {y}) is deep; class \"truck\" needs shallow, ground or swamp",
                n + 2
            )
        );
    }
    assert_eq!(lines[20], "and 5 more");
}

#[test]
fn no_agents() {
    let result = result(TRUCKS.split("[[agents]]").next().unwrap());
    assert_eq!((&result["agents"], &result["ticks"]), (&json!(0), &json!(0)));
}

#[test]
fn group_without_room() {
    let group = |area: &str| {
        let group = format!("[[groups]]\nclass = \"truck\"\ncount = 50\narea = {area}\n");
        refused(format!("{TRUCKS}{group}"))
    };
    let message = group("[0, 0, 8, 4]");
    let parts: Vec<&str> = message.split(" of 50 agents; the area has ").collect();
    assert!(parts[0].starts_with("41: groups[0]: found room for "), "{message}");
    assert_eq!(parts[1], "80 legal poses of class \"truck\" and none is free");
    assert_eq!(
        group("[100, 100, 8, 4]"),
        "44: groups[0].area: no cell of the area is on the map of 8 x 4; expected columns 0 to 7 and rows 0 to 3"
    );
    // Far more agents than fit are refused quickly.
    let many = "[[groups]]\nclass = \"truck\"\ncount = 1048577\narea = [0, 0, 8, 4]\n";
    assert_eq!(
        refused(format!("{TRUCKS}{many}")),
        "43: groups[0].count: expected a whole number from 1 to 1048576, found 1048577"
    );
}

// Orders and events

#[test]
fn goal_off_the_map() {
    let expected = "is off the map of 8 x 4; expected columns 0 to 7 and rows 0 to 3";
    assert_eq!(
        refused_at("goto = [6, 3, \"E\"]", "goto = [8, 3, \"E\"]"),
        format!("agents[0].orders[0]: goal (8, 3) {expected}")
    );
    assert_eq!(
        refused_at("goto = [6, 3, \"E\"]", "goto = [[-1, -1], [9, 9]]"),
        format!("agents[0].orders[0]: goal (-1, -1) {expected}")
    );
    assert_eq!(
        refused_at("goto = [6, 3, \"E\"]", "patrol = [[6, 3], [6, 4]]"),
        format!("agents[0].orders[0]: goal (6, 4) {expected}")
    );
    assert_eq!(result(&trucks_with("goto = [6, 3, \"E\"]", "goto = [8, 3], within = 1"))["orders_done"], 3);
    assert_eq!(
        result(&trucks_with("goto = [6, 3, \"E\"]", "goto = [8, 3], fallback = \"nearest\""))["orders_done"],
        3
    );
    assert_eq!(result(&trucks_with("goto = [6, 3, \"E\"]", "goto = [[-5, -5], [6, 3]]"))["orders_done"], 3);
}

#[test]
fn goal_blocked() {
    let result = result(&trucks_with("goto = [6, 3, \"E\"]", "goto = [2, 1, \"E\"]"));
    assert_eq!((&result["orders_unreachable"], &result["orders_left"]), (&json!(1), &json!(0)));
}

#[test]
fn goal_sealed_off() {
    let walls = "[map]\nwalls = [[5, 2, 8, 2], [5, 2, 5, 4]]\n";
    let scenario = trucks_with("[map]\n", walls).replace("at = [6, 3, \"W\"]", "at = [1, 3, \"E\"]");
    let result = result(&scenario);
    assert_eq!((&result["orders_unreachable"], &result["orders_left"]), (&json!(1), &json!(0)));
    assert_eq!(result["orders_done"], 2);
}

#[test]
fn one_goal_for_two_agents() {
    let scenario =
        trucks_with("[{ goto = [1, 0, \"any\"], within = 1 }, { wait = 5 }]", "[{ goto = [6, 3, \"E\"] }]");
    let scenario = replaced(&scenario, "at = [6, 3, \"W\"]", "at = [1, 3, \"E\"]");
    let result = result(&scenario);
    assert_eq!((&result["orders_done"], &result["orders_left"]), (&json!(2), &json!(0)));
}

// Teams and leaders

/// A `[teams]` table, on line 41 behind [`TRUCKS`], where both have a team.
fn friends(pairs: &str) -> String {
    let trucks = trucks_with("name = \"convoy-1\"", "name = \"convoy-1\"\nteam = \"red\"");
    let trucks = replaced(&trucks, "at = [6, 3, \"W\"]", "at = [6, 3, \"W\"]\nteam = \"blue\"");
    format!("{trucks}[teams]\nfriends = [{pairs}]\n")
}

#[test]
fn friends_that_are_no_teams() {
    assert_eq!(result(&friends("[\"red\", \"blue\"], [\"blue\", \"red\"]"))["orders_done"], 3);
    for (pairs, expected) in [
        ("[\"red\", \"green\"]", "teams.friends[0][1]: no agent is of team \"green\", expected blue or red"),
        (
            "[\"red\", \"blue\"], [\"Red\", \"blue\"]",
            "teams.friends[1][0]: no agent is of team \"Red\", expected blue or red; did you mean \"red\"?",
        ),
        ("[\"red\", \"red\"]", "teams.friends[0]: expected two teams, found \"red\" twice"),
    ] {
        assert_eq!(refused(friends(pairs)), format!("44: {expected}"));
    }
    let nobody = format!("{TRUCKS}[teams]\nfriends = [[\"red\", \"red\"]]\n");
    let [one, other] = ["0", "1"]
        .map(|at| format!("42: teams.friends[0][{at}]: no agent is of team \"red\", expected none"));
    assert_eq!(refused(nobody), format!("{one}\ns.toml:{other}"));
}

#[test]
fn more_teams_than_there_can_be() {
    let event = |number: u32| {
        format!(
            "[[events]]\ntick = 300\nadd_agents = {{ class = \"truck\", count = 1, area = [0, 0, 8, 4], \
             team = \"t{number}\" }}\n"
        )
    };
    let events: String = (1..=31).map(event).collect();
    assert_eq!(result(&format!("{TRUCKS}{events}{}", event(7)))["orders_done"], 3);
    // Once, and nothing of friends: which of them there are is not known.
    let more = format!("{TRUCKS}{events}{}{}[teams]\nfriends = [[\"t32\", \"t99\"]]\n", event(32), event(33));
    assert_eq!(
        refused(more),
        "136: events[31].add_agents.team: expected at most 32 teams, one of which has the agents without a team; \
         found \"t32\" beyond them"
    );
}

#[test]
fn leaders_that_are_not_there() {
    assert_eq!(
        refused_at("{ wait = 5 }", "{ follow = \"convoy-2\", within = 2 }"),
        "agents[1].orders[1].follow: no agent \"convoy-2\", expected convoy-1; did you mean \"convoy-1\"?"
    );
    assert_eq!(
        refused_at("goto = [6, 3, \"E\"]", "follow = \"convoy-1\", within = 2"),
        "agents[0].orders[0].follow: agent \"convoy-1\" cannot follow itself, expected another agent"
    );
    let orders = "orders = [{ wait = 1 }, { follow = \"convoy-1\", within = 2 }]";
    for (action, expected) in [
        (
            format!("give_orders = {{ names = [\"convoy-1\"], {orders} }}"),
            "give_orders.orders[1].follow: agent \"convoy-1\" cannot follow itself, expected another agent",
        ),
        (
            format!("give_orders = {{ area = [0, 0, 1, 1], {orders} }}").replace("convoy-1", "tank"),
            "give_orders.orders[1].follow: no agent \"tank\", expected convoy-1",
        ),
        (
            format!("add_agents = {{ class = \"truck\", count = 1, area = [0, 0, 8, 4], {orders} }}")
                .replace("convoy-1", "tank"),
            "add_agents.orders[1].follow: no agent \"tank\", expected convoy-1",
        ),
    ] {
        assert_eq!(of_event(&action), format!("43: events[0].{expected}"));
    }
}

/// The error for an event on line 43.
#[track_caller]
fn of_event(action: &str) -> String {
    refused(format!("{TRUCKS}[[events]]\ntick = 5\n{action}\n"))
}

#[test]
fn events_about_what_is_not_there() {
    let off_map = "is off the map of 8 x 4; expected columns 0 to 7 and rows 0 to 3";
    for (action, expected) in [
        (
            "set_terrain = { area = [0, 0, 1, 1], kind = \"lava\" }",
            "set_terrain.kind: no terrain \"lava\", expected deep, shallow, ground, swamp, water, trees or out",
        ),
        (
            "set_side = { cell = [0, 0], side = \"E\", kind = \"hedge\" }",
            "set_side.kind: no side kind \"hedge\", expected open or wall",
        ),
        (
            "set_side = { cell = [8, 0], side = \"E\", kind = \"wall\" }",
            &format!("set_side.cell: cell (8, 0) {off_map}"),
        ),
        ("rotate = { cell = [0, -1], turns = 1 }", &format!("rotate.cell: cell (0, -1) {off_map}")),
        (
            "add_agents = { class = \"tank\", count = 1, area = [0, 0, 9, 9] }",
            "add_agents.class: no class \"tank\", expected truck",
        ),
        (
            "add_agents = { class = \"truck\", count = 1, area = [0, 0, 9, 9], orders = [{ goto = [0, 9] }] }",
            &format!("add_agents.orders[0]: goal (0, 9) {off_map}"),
        ),
        (
            "remove_agents = { names = [\"convoy-1\", \"convoy-2\"] }",
            "remove_agents.names[1]: no agent \"convoy-2\", expected convoy-1; did you mean \"convoy-1\"?",
        ),
        (
            "give_orders = { names = [\"tank\"], orders = [] }",
            "give_orders.names[0]: no agent \"tank\", expected convoy-1",
        ),
        (
            "give_orders = { names = [\"convoy-1\"], orders = [{ goto = [1, 1, \"NE\"] }] }",
            "give_orders.orders[0]: expected heading any, E, N, W or S, found \"NE\"",
        ),
        (
            "give_orders = { area = [0, 0, 1, 1], orders = [{ patrol = [[1, 1, \"NE\"]] }] }",
            "give_orders.orders[0]: expected heading any, E, N, W or S, found \"NE\"",
        ),
        (
            "give_orders = { area = [0, 0, 1, 1], orders = [{ goto_area = [8, 0, 9, 9] }] }",
            "give_orders.orders[0].goto_area: no cell of the area is on the map of 8 x 4; \
             expected columns 0 to 7 and rows 0 to 3",
        ),
    ] {
        assert_eq!(of_event(action), format!("43: events[0].{expected}"));
    }
    assert_eq!(
        refused_at("{ wait = 5 }", "{ goto_group = [9, 9] }"),
        "agents[1].orders[1]: goal (9, 9) is off the map of 8 x 4; expected columns 0 to 7 and rows 0 to 3"
    );
    assert_eq!(
        refused_at("{ wait = 5 }", "{ goto_area = [-9, 0, 9, 9] }"),
        "agents[1].orders[1].goto_area: no cell of the area is on the map of 8 x 4; \
         expected columns 0 to 7 and rows 0 to 3"
    );
}

#[test]
fn a_name_that_an_event_calls_is_no_mistake_where_its_agent_has_no_room() {
    let scenario = trucks_with("at = [1, 0, \"E\"]", "at = [2, 1, \"E\"]")
        + "[[events]]\ntick = 5\nremove_agents = { names = [\"convoy-1\"] }\n";
    let message = refused(scenario);
    assert!(message.contains("agents[0].at: ") && message.lines().count() == 1, "{message}");
}

#[test]
fn agents_without_room_at_an_event_are_counted_and_reported() {
    let event = "[[events]]\ntick = 5\nadd_agents = { class = \"truck\", count = 60, area = [0, 0, 8, 4] }\n";
    let folder = Folder::with("s.toml", format!("{TRUCKS}{event}"));
    let ended = folder.run(&["run", "s.toml", "--ticks", "10", "--format", "json"]).code(1);
    let (placed, not) =
        (ended.json()["agents"].as_u64().unwrap(), ended.json()["not_placed"].as_u64().unwrap());
    assert!(placed > 2 && not > 0 && placed + not == 62, "{placed} and {not}");
    assert_eq!(
        ended.stderr.trim_end(),
        format!("warning: events found no room for {not} of their new agents")
    );
    let text = folder.run(&["run", "s.toml", "--ticks", "10"]).code(1).stdout;
    assert!(
        text.contains(&format!("  agents not placed     {not}: events found no room for them\n")),
        "{text}"
    );
}

#[test]
fn mistakes_of_all_parts_are_told_in_line_order() {
    let scenario = trucks_with("at = [6, 3, \"W\"]", "at = [6, 3]")
        .replace("goto = [6, 3, \"E\"]", "goto = [8, 8]")
        + "[[groups]]\nclass = \"tank\"\ncount = 1\narea = [0, 0, 9, 9]\n\
           [[events]]\ntick = 5\nset_terrain = { area = [0, 0, 1, 1], kind = \"lava\" }\n";
    let message = refused(scenario);
    let keys: Vec<&str> = message.lines().map(|line| line.split(": ").nth(1).unwrap()).collect();
    assert_eq!(
        keys,
        ["agents[0].orders[0]", "agents[1].at", "groups[0].class", "events[0].set_terrain.kind"]
    );
}

// The command line

#[test]
fn bad_numbers_on_the_command_line() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let run = |flag: &str, value: &str| folder.run(&["run", "trucks.toml", flag, value]).refused();
    for (flag, value, range) in [
        ("--ticks", "-1", "0 to 4294967294"),
        ("--ticks", "4294967295", "0 to 4294967294"),
        ("--ticks", "many", "0 to 4294967294"),
        ("--ticks", "1.5", "0 to 4294967294"),
        ("--ticks", "", "0 to 4294967294"),
        ("--threads", "0", "1 to 1024"),
        ("--threads", "-2", "1 to 1024"),
        ("--threads", "1025", "1 to 1024"),
        ("--seed", "-7", "0 to 18446744073709551615"),
        ("--seed", "18446744073709551616", "0 to 18446744073709551615"),
        ("--expansions-per-tick", "0", "1 to 1099511627776"),
        ("--poses-per-agent", "0", "1 to 4294967295"),
        ("--tries-per-tick", "-1", "0 to 18446744073709551615"),
    ] {
        let message = run(flag, value);
        let expected =
            format!("invalid value '{value}' for '{flag} <N>': expected a whole number from {range}");
        assert!(message.starts_with(&expected), "{message}");
    }
    let format = run("--format", "xml");
    assert!(
        format.starts_with("invalid value 'xml' for '--format <FORMAT>'") && format.contains("text, json"),
        "{format}"
    );
    let plan = |flag: &str, value: &str| {
        let mut args = vec!["plan", "trucks.toml"];
        for (one, good) in [("--from", "1,0,E"), ("--to", "6,3")] {
            if flag != one {
                args.extend([one, good]);
            }
        }
        args.extend([flag, value]);
        folder.run(&args).refused()
    };
    for value in ["1,2", "1", "", "a,b,E", "1,2,NE", "1,2,any", "1,2,E,3", "99999999999,0,E", "1.5,0,E"] {
        let message = plan("--from", value);
        assert_eq!(
            message,
            format!("--from: expected X,Y,HEADING with heading E, N, W or S, found \"{value}\"")
        );
    }
    for value in ["1", "1,2,NE", "x,y", "1,2,3,4"] {
        let message = plan("--to", value);
        let expected = "--to: expected X,Y or X,Y,HEADING with heading any, E, N, W or S, found";
        assert_eq!(message, format!("{expected} \"{value}\""));
    }
    for (flag, value, range) in [
        ("--within <R>", "-1", "0 to 4294967295"),
        ("--weight <N>", "999", "1000 to 4294967295"),
        ("--expansions-max <N>", "-1", "0 to 18446744073709551615"),
        ("--threads <N>", "0", "1 to 1024"),
    ] {
        let message = plan(flag.split(' ').next().unwrap(), value);
        let expected = format!("invalid value '{value}' for '{flag}': expected a whole number from {range}");
        assert!(message.starts_with(&expected), "{message}");
    }
    assert_eq!(
        plan("--heuristic", "best"),
        "--heuristic: expected one of zero, manhattan, chebyshev, octile, euclid, greedy, landmarks, field, found \"best\""
    );
    assert!(plan("--fallback", "near").contains("[possible values: fail, nearest]"));
}

#[test]
fn arguments_missing_or_unknown() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    for (args, named) in [
        (&["run"][..], "<SCENARIO|PROBLEM.json|MAP.scen>"),
        (&["plan", "trucks.toml"], "--from <X,Y,H>"),
        (&["plan", "trucks.toml", "--from", "1,0,E"], "--to <X,Y[,H]>"),
        (
            &["plan", "trucks.toml", "--queries", "q", "--from", "1,0,E"],
            "'--queries <FILE.jsonl>' cannot be used with",
        ),
        (&["run", "trucks.toml", "--tics", "5"], "'--ticks'"),
        (&["rnu", "trucks.toml"], "unrecognized subcommand 'rnu'"),
        (&["run", "trucks.toml", "more.toml"], "unexpected argument 'more.toml'"),
        (&["run", "trucks.toml", "--ticks", "5", "--ticks", "6"], "cannot be used multiple times"),
    ] {
        let message = folder.run(args).refused();
        assert!(message.contains(named), "{args:?}: {message}");
    }
}

// Random damage

/// A valid scenario that uses every key.
fn rich() -> String {
    let events = "\n[[events]]\ntick = 6\nset_terrain = { area = [4, 1, 1, 2], kind = \"deep\", on_agents = \"wait\" }\n";
    let group = "\n[[groups]]\nclass = \"truck\"\ncount = 2\narea = [4, 0, 3, 3]\norders = [{ patrol = [[0, 3], [7, 3]] }]\n";
    let class = "headings = 4\npivot = [0, 0]\nspeed = { shallow = 300 }\nside_speed = { hedge = 500 }\n";
    let scenario = trucks_with("headings = 4\n", class);
    let scenario = replaced(&scenario, "[map]\n", "[map]\nshape = \"square\"\nwalls = [[6, 0, 6, 1]]\n");
    let side = "speed = 500\nsides = { E = \"hedge\" }\n\n[side.hedge]\nspeed = 0\n";
    replaced(&scenario, "speed = 500\n", side) + group + events
}

#[test]
fn a_spoilt_scenario_is_refused_or_runs() {
    const PIECES: [&str; 24] = [
        "",
        "-",
        "0",
        "9",
        "99999",
        "4294967296",
        "-9223372036854775808",
        ".5",
        "e9",
        "nan",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        ",",
        "=",
        "\n",
        "[[",
        "#",
        "\u{e9}",
        "\\",
        "true",
    ];
    let good = rich();
    let folder = Folder::with("s.toml", &good);
    folder.run(&["check", "s.toml"]).code(0);
    let mut random = Lcg(3);
    let (mut refused, mut passed) = (0, 0);
    for n in 0..300 {
        let mut bytes = good.as_bytes().to_vec();
        let start = random.below(bytes.len());
        let end = (start + random.below(4)).min(bytes.len());
        if n % 10 == 9 {
            // Any byte.
            bytes[start] = random.below(256) as u8;
        } else if n % 10 == 8 {
            // Another digit.
            let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
            bytes[digits[random.below(digits.len())]] = b'0' + random.below(10) as u8;
        } else {
            bytes.splice(start..end, PIECES[random.below(PIECES.len())].bytes());
        }
        folder.write("s.toml", &bytes);
        let checked = folder.run(&["check", "s.toml"]);
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        match checked.code {
            2 => {
                refused += 1;
                let place = checked.stdout.strip_prefix("s.toml:").and_then(|rest| rest.split(':').next());
                assert!(place.is_some_and(|line| line.parse::<usize>().is_ok()), "{checked:#?}\n{}", text());
            }
            0 => {
                passed += 1;
                let ended = folder.run(&["run", "s.toml", "--ticks", "50", "--check-invariants"]);
                let are_warnings = ended.stderr.lines().all(|line| line.starts_with("warning: "));
                assert!(ended.code < 2 && are_warnings, "{ended:#?}\n{}", text());
            }
            _ => panic!("{checked:#?}\n{}", text()),
        }
    }
    assert!(refused > 100 && passed > 30, "{refused} refused, {passed} passed");
}
