//! Messages as a user sees them: mistakes that users make, each with the whole text that is said of it, in
//! `tests/snapshots/messages.txt` and `tests/snapshots/wrong_kinds.txt`. Read these as a stranger would.

use crate::common::*;
use serde_json::{Value, json};
use std::fmt::Write;

const ROWS: &str = "rows = [\n  \"........\",\n  \"..~~....\",\n  \"..~~..ss\",\n  \"........\",\n]";

/// A mistake in [`TRUCKS`]: the deed, pieces with their replacements, and the text at the end.
type Mistake = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const MISTAKES: [Mistake; 40] = [
    ("a mistyped key", &[("seed = 7", "sed = 7")], ""),
    ("a mistyped key in a class", &[("footprint =", "fotprint =")], ""),
    ("a mistyped table", &[], "\n[[event]]\ntick = 5\n"),
    ("an order outside orders", &[("orders = [{ goto = [6, 3, \"E\"] }]", "goto = [6, 3, \"E\"]")], ""),
    ("a key of the top in a table", &[("ticks = 200\n\n[map]", "\n[map]\nticks = 200")], ""),
    ("a key of another program", &[("class = \"truck\"\nat = [1", "type = \"truck\"\nat = [1")], ""),
    ("a mistyped class", &[("class = \"truck\"\nat = [1", "class = \"trukc\"\nat = [1")], ""),
    ("a class that nobody defines", &[("class = \"truck\"\nat = [1", "class = \"ship\"\nat = [1")], ""),
    (
        "headings written otherwise",
        &[("at = [1, 0, \"E\"]", "at = [1, 0, \"e\"]"), ("3, \"E\"]", "3, \"north\"]")],
        "",
    ),
    ("no heading", &[("at = [1, 0, \"E\"]", "at = [1, 0]")], ""),
    ("a pose as a string", &[("at = [1, 0, \"E\"]", "at = \"1, 0, E\"")], ""),
    ("numbers of other types", &[("ticks = 200", "ticks = \"200\""), ("time = 2 }", "time = 2.0 }")], ""),
    (
        "numbers out of range",
        &[("speed = 500", "speed = 70000"), ("by = [1, 0], time = 2", "by = [1, 0], time = 0")],
        "",
    ),
    ("a key left out", &[("turn = 1, time = 4", "turn = 1")], ""),
    (
        "unknown glyphs and a short row",
        &[("\"..~~..ss\"", "\"..#~..s\""), ("\"..~~....\"", "\"..~~.?..\"")],
        "",
    ),
    ("an agent in the water", &[("at = [1, 0, \"E\"]", "at = [4, 1, \"E\"]")], ""),
    ("an agent off the map", &[("at = [6, 3, \"W\"]", "at = [6, 4, \"W\"]")], ""),
    ("two agents in one cell", &[("at = [6, 3, \"W\"]", "at = [0, 0, \"W\"]")], ""),
    ("a goal off the map", &[("goto = [6, 3, \"E\"]", "goto = [8, 3, \"E\"]")], ""),
    ("two moves of one name", &[("name = \"left\"", "name = \"forward\"")], ""),
    ("two orders in one", &[("{ wait = 5 }", "{ wait = 5, goto = [1, 1] }")], ""),
    ("an order with a key of another", &[("{ wait = 5 }", "{ wait = 5, within = 2 }")], ""),
    ("a leader that is not there", &[("{ wait = 5 }", "{ follow = \"convoy-2\", within = 2 }")], ""),
    (
        "mistyped names in events",
        &[],
        "\n[[events]]\ntick = 5\nset_terrain = { area = [0, 0, 1, 1], kind = \"shalow\" }\n\n\
        [[events]]\ntick = 6\nset_side = { cell = [1, 1], side = \"N\", kind = \"wal\" }\n\n\
        [[events]]\ntick = 9\nremove_agents = { names = [\"convoy-l\"] }\n",
    ),
    (
        "a side written out",
        &[],
        "\n[[events]]\ntick = 6\nset_side = { cell = [1, 1], side = \"north\", kind = \"wall\" }\n",
    ),
    ("a mistyped choice", &[("sweep = \"ends\"", "sweep = \"fully\"")], ""),
    ("a mistyped map file", &[(ROWS, "file = \"rivver.map\"")], ""),
    ("a mistyped generator", &[(ROWS, "generate = { kind = \"rivver\", size = [20, 20] }")], ""),
    ("a group without room", &[], "\n[[groups]]\nclass = \"truck\"\ncount = 50\narea = [0, 0, 8, 4]\n"),
    ("friends that nobody is", &[], "\n[teams]\nfriends = [[\"red\", \"blue\"]]\n"),
    (
        "mistakes all over",
        &[
            ("seed = 7", "sed = 7"),
            ("headings = 4", "headings = 5"),
            ("at = [1, 0, \"E\"]", "at = 7"),
            ("class = \"truck\"\nat = [6", "class = \"trcuk\"\nat = [6"),
        ],
        "",
    ),
    (
        "mistakes in agents that do not hide each other",
        &[
            ("name = \"convoy-1\"", "name = \"convoy-1\"\ncolor = \"red\""),
            ("at = [6, 3, \"W\"]", "at = [6, 4, \"W\"]"),
        ],
        "\n[[groups]]\nclass = \"trukc\"\ncount = 1\narea = [0, 0, 8, 4]\n",
    ),
    ("a name without quotes", &[("class = \"truck\"\nat = [1", "class = truck\nat = [1")], ""),
    ("a quote that is not closed", &[("\"..~~....\"", "\"..~~....")], ""),
    ("a colon for an equals sign", &[("seed = 7", "seed: 7")], ""),
    ("one bracket in place of two", &[("[[agents]]\nname", "[agents]\nname")], ""),
    ("a table twice", &[], "\n[map]\nshape = \"square\"\n"),
    ("a comma left out", &[("[0, 0], [-1, 0]", "[0, 0] [-1, 0]")], ""),
    ("a list in round brackets", &[("at = [1, 0, \"E\"]", "at = (1, 0, \"E\")")], ""),
    ("a comment of another language", &[("seed = 7", "// seed\nseed = 7")], ""),
];

/// What the program says, drawn in full, with the command.
fn said(folder: &Folder, args: &[&str]) -> String {
    let ended = Ended::of(args, &folder.program().args(args).output().unwrap()).code(2);
    assert!(ended.stdout.is_empty() || ended.stderr.is_empty(), "{ended:#?}");
    format!("$ wheelbase {}\n{}{}\n", args.join(" "), ended.stdout, ended.stderr)
}

#[test]
fn mistakes_are_drawn_with_their_place_and_help() {
    let mut text = String::new();
    for (what, changes, end) in MISTAKES {
        let mut scenario = TRUCKS.to_owned();
        for (piece, replacement) in changes {
            assert!(scenario.contains(piece), "{what}: {piece}");
            scenario = scenario.replacen(piece, replacement, 1);
        }
        let folder = Folder::with("s.toml", scenario + end);
        folder.write("river.map", MAP);
        write!(text, "## {what}\n\n{}", said(&folder, &["run", "s.toml"])).unwrap();
    }
    check_snapshot("messages.txt", &text);
}

/// A folder with a file of each kind.
fn kinds() -> Folder {
    let folder = Folder::with("trucks.toml", TRUCKS);
    folder.write("cart.toml", CART);
    folder.write("yard.map", MAP);
    folder.write("data.toml", b"\x7fELF\0\0\xff\xfe");
    folder.write("bad.map", replaced(MAP, "......", ".x..z."));
    folder.write("bad.scen", "version 1\n0\tyard.map\t6\t4\t0\t0\tx\t3\t4.0\n");
    folder.write(
        "q.jsonl",
        "{\"from\":[1,0,\"E\"],\"too\":[6,3]}\n{\"from\":[1,0],\"to\":[6,3]}\n{\"from\":[1,0\n",
    );
    let outputs =
        ["--record", "a.rec", "--snapshot", "a.snap", "--trace", "a.jsonl", "--metrics", "a.csv", "--quiet"];
    folder.run(&[&["run", "trucks.toml"], &outputs[..]].concat()).code(0);
    folder.run(&["render", "a.rec", "--html", "a.html", "--gif", "a.gif"]).code(0);
    folder.run(&["generate", "yard.map", "-o", "yard.png"]).code(0);
    folder
}

#[test]
fn files_of_a_wrong_kind_are_named() {
    let folder = kinds();
    let plan = |target: &'static str| ["plan", target, "--from", "1,0,E", "--to", "3,3"];
    let commands: &[&[&str]] = &[
        &["run", "a.rec"],
        &["run", "yard.png"],
        &["run", "yard.map"],
        &["run", "cart.toml"],
        &["run", "a.snap"],
        &["run", "a.jsonl"],
        &["run", "a.html"],
        &["run", "data.toml"],
        &["run", "."],
        &["run", "truks.toml"],
        &["run", "--resume", "a.rec"],
        &["render", "trucks.toml", "--html", "b.html"],
        &["verify", "yard.png"],
        &["report", "a.snap", "--html", "b.html"],
        &plan("a.rec"),
        &plan("cart.toml"),
        &["plan", "yard.map", "--class", "trucks.toml", "--from", "1,0,E", "--to", "3,3"],
        &["plan", "trucks.toml", "--class", "trukc", "--from", "1,0,E", "--to", "3,3"],
        &["plan", "trucks.toml", "--class", "crat.toml", "--from", "1,0,E", "--to", "3,3"],
        &["plan", "trucks.toml", "--from", "1,0,e", "--to", "3,3"],
        &["plan", "trucks.toml", "--heuristic", "octil", "--from", "1,0,E", "--to", "3,3"],
        &["plan", "trucks.toml", "--queries", "q.jsonl"],
        &["bench", "yard.map"],
        &["bench", "bad.scen"],
        &["generate", "mze", "--size", "5,5", "--seed", "1", "-o", "b.map"],
        &["check", "."],
        &["run", "trucks.toml", "--tune", "horizon_step=3"],
        &["check", "bad.map"],
        &["check", "a.gif", "a.csv", "q.jsonl"],
    ];
    let text: String = commands.iter().map(|args| said(&folder, args)).collect();
    check_snapshot("wrong_kinds.txt", &text);
}

#[test]
fn warnings_are_drawn_too() {
    let folder =
        Folder::with("s.toml", trucks_with("sweep = \"ends\"", "speed = { shalow = 700 }\nsweep = \"full\""));
    let ended = Ended::of(&[], &folder.program().args(["check", "s.toml"]).output().unwrap()).done();
    let drawn = "warning: class.truck.speed.shalow: the map has no terrain \"shalow\"; ignored\n  --> s.toml:21:11\n   |\n\
        21 | speed = { shalow = 700 }\n   |           ^^^^^^ did you mean `shallow`?\n\n";
    assert!(ended.starts_with(drawn), "{ended}");
}

#[test]
fn check_prints_everything_as_one_json_object() {
    let folder =
        Folder::with("s.toml", trucks_with("class = \"truck\"\nat = [1", "class = \"trukc\"\nat = [1"));
    folder.write("good.toml", TRUCKS.replace("seed = 7\n", "collision = \"discrete\"\n"));
    folder.write("bad.map", replaced(MAP, "......", ".x..z."));
    let checked =
        folder.run(&["check", "s.toml", "good.toml", "bad.map", "no.toml", "--format", "json"]).code(2);
    let result = checked.json();
    let ok: Vec<&Value> = result["files"].as_array().unwrap().iter().map(|file| &file["ok"]).collect();
    assert_eq!(ok, [&json!(false), &json!(true), &json!(false), &json!(false)]);
    let diagnostics = result["diagnostics"].as_array().unwrap();
    assert_eq!(
        diagnostics[0],
        json!({
            "severity": "error", "file": "s.toml", "line": 33, "column": 9, "end_line": 33, "end_column": 16,
            "key": "agents[0].class", "message": "no class \"trukc\", expected truck", "found": "\"trukc\"",
            "expected": "truck", "help": "did you mean \"truck\"?",
        })
    );
    let places: Vec<(&Value, &Value, &Value)> =
        diagnostics.iter().map(|found| (&found["file"], &found["line"], &found["column"])).collect();
    assert_eq!(
        places[1..],
        [
            (&json!("bad.map"), &json!(8), &json!(2)),
            (&json!("bad.map"), &json!(8), &json!(5)),
            (&json!("no.toml"), &json!(null), &json!(null)),
        ]
    );
}

#[test]
fn a_file_that_cannot_be_read_twice_has_no_excerpt() {
    let folder = Folder::with("s.toml", trucks_with("seed = 7", "sed = 7"));
    let line = format!("cat s.toml | {} run /dev/stdin", env!("CARGO_BIN_EXE_wheelbase"));
    let mut bash = std::process::Command::new("bash");
    let output = bash.args(["-c", &line]).current_dir(folder.path(".")).output().unwrap();
    let said = Ended::of(&[&line], &output).refused();
    assert_eq!(said, "unknown key `sed`\n--> /dev/stdin:2:1\n = help: did you mean `seed`?");
}

#[test]
fn characters_that_control_a_terminal_are_not_repeated() {
    let folder = Folder::with(
        "s.toml",
        trucks_with("name = \"left\"", "name = \"left\" # \u{9b}31m\u{202e}\u{1b}[2J"),
    );
    folder.write(
        "t.toml",
        trucks_with("time = 4 },\n  { name = \"right\"", "time = 0 }, # \u{9b}31m\n  { name = \"right\""),
    );
    for file in ["s.toml", "t.toml"] {
        let said = said(&folder, &["run", file]);
        let is_safe = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        assert!(said.chars().all(is_safe), "{said:?}");
    }
}

/// Colours only on a terminal, and not where the user wants none.
#[test]
fn colours_are_for_terminals() {
    let folder = Folder::with("s.toml", trucks_with("seed = 7", "sed = 7"));
    assert!(!said(&folder, &["run", "s.toml"]).contains('\u{1b}'));
    let on_terminal = |variables: &[(&str, &str)]| {
        let line = format!("{} run s.toml", env!("CARGO_BIN_EXE_wheelbase"));
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(folder.path("."));
        for set_by_machines in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            script.env_remove(set_by_machines);
        }
        script.env("TERM", "xterm-256color").envs(variables.iter().copied());
        String::from_utf8(script.output().unwrap().stdout).unwrap()
    };
    assert!(on_terminal(&[]).contains("\u{1b}[1m\u{1b}[91merror"), "{:?}", on_terminal(&[]));
    for quiet in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let said = on_terminal(&[quiet]);
        assert!(said.contains("unknown key `sed`") && !said.contains('\u{1b}'), "{said:?}");
    }
}
