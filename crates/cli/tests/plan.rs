//! `wheelbase plan`: answers, statuses, queries, classes.

use crate::common::*;
use serde_json::{Value, json};
use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A class that only goes east, so that every path is unique.
const EAST: &str = r#"
[class.east]
headings = 1
moves = [{ name = "east", by = [1, 0], time = 10 }]
"#;

/// A row of cells for [`EAST`], with one water cell and one slow cell.
const ROW: &str = "type octile\nheight 2\nwidth 6\nmap\n....S.\n..W...\n";

fn row() -> Folder {
    let folder = Folder::with("row.map", ROW);
    folder.write("east.toml", EAST);
    folder
}

/// Arguments of a single plan with JSON output on the row.
fn on_row<'a>(from: &'a str, to: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["plan", "row.map", "--class", "east.toml", "--format", "json", "--from", from];
    args.extend(["--to", to]);
    args.extend(more);
    args
}

#[test]
fn a_found_answer_is_one_line_with_its_keys_in_order() {
    let folder = row();
    let line = concat!(
        r#"{"status":"found","reached":"goal","cost":20,"expansions":2,"moves":["east","east"],"#,
        r#""poses":[[0,0,"-",0],[1,0,"-",10],[2,0,"-",20]]}"#,
        "\n"
    );
    assert_eq!(folder.run(&on_row("0,0", "2,0", &[])).done(), line);
    // The heading of a class without facing is optional.
    assert_eq!(folder.run(&on_row("0,0,-", "2,0,-", &[])).done(), line);
    assert_eq!(folder.run(&on_row(" 0, 0 ", "2,0,any", &[])).done(), line);
    let at_goal = concat!(
        r#"{"status":"found","reached":"goal","cost":0,"expansions":0,"moves":[],"poses":[[5,1,"-",0]]}"#,
        "\n"
    );
    assert_eq!(folder.run(&on_row("5,1", "5,1", &[])).done(), at_goal);
    // Slow ground: 10 ticks at 500 thousandths.
    let swamp = folder.run(&on_row("3,0", "5,0", &[])).json();
    assert_eq!(swamp["poses"], json!([[3, 0, "-", 0], [4, 0, "-", 20], [5, 0, "-", 40]]));
}

#[test]
fn an_oriented_answer_names_headings_and_moves() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let plan =
        folder.run(&["plan", "trucks.toml", "--from", "5,3,E", "--to", "7,3,E", "--format", "json"]).json();
    assert_eq!(plan["moves"], json!(["forward", "forward"]));
    assert_eq!(plan["poses"], json!([[5, 3, "E", 0], [6, 3, "E", 2], [7, 3, "E", 4]]));
    let plan =
        folder.run(&["plan", "trucks.toml", "--from", "5,3,E", "--to", "5,3,W", "--format", "json"]).json();
    assert_eq!((&plan["status"], plan["poses"].as_array().unwrap().len()), (&json!("found"), 3));
    assert_eq!(plan["cost"], 8);
}

/// Every status with its reason, in the order of `docs/rules.md` 2.5.
#[test]
fn each_status_has_its_reason_and_exit_status_1() {
    let folder = row();
    for (from, to, more, status, reason) in [
        ("-1,0", "9,9", &[][..], "start_off_map", "the start (-1, 0) is off the map of 6 x 2"),
        ("2,1", "6,0", &[], "goal_off_map", "no goal is on the map of 6 x 2; the first is (6, 0)"),
        ("2,1", "2,1", &[], "start_blocked", "the start is not a legal pose: cell (2, 1) is water"),
        ("0,0", "2,1", &[], "goal_blocked", "no goal is a legal pose; of (2, 1, -): cell (2, 1) is water"),
        ("3,0", "0,0", &[], "unreachable", "no sequence of moves leads from the start to the goal"),
        // With a limit components are made, so that unreachable goals are recognised within it.
        (
            "3,0",
            "0,0",
            &["--expansions-max", "0"],
            "unreachable",
            "no sequence of moves leads from the start to the goal",
        ),
        (
            "0,0",
            "5,0",
            &["--expansions-max", "2"],
            "limit_reached",
            "the limit of 2 expansions was reached first",
        ),
    ] {
        let ended = folder.run(&on_row(from, to, more)).code(1);
        assert_eq!(ended.stderr, "");
        let answer = ended.json();
        assert_eq!(keys(&answer), ["status", "expansions", "reason"], "{answer}");
        assert_eq!((&answer["status"], &answer["reason"]), (&json!(status), &json!(reason)));
    }
    // 65,535 ticks at a thousandth of the speed: 66 cells overflow a 32-bit cost.
    let bog = format!("{EAST}\n[terrain.bog]\nglyphs = \"b\"\nspeed = 1\n").replace("10 }", "65535 }");
    folder.write("bog.toml", bog);
    folder.write("bog.map", format!("type octile\nheight 1\nwidth 70\nmap\n{}\n", "b".repeat(70)));
    let args = ["plan", "bog.map", "--class", "bog.toml", "--format", "json", "--from", "0,0", "--to"];
    let answer = folder.run(&[&args[..], &["69,0"]].concat()).code(1).json();
    assert_eq!(answer["status"], "cost_overflow");
    assert_eq!(answer["reason"], "the path would take more than 4294967294 ticks");
    let answer = folder.run(&[&args[..], &["65,0"]].concat()).code(0).json();
    assert_eq!(answer["cost"], 65 * 65_535_000_u64);
}

#[test]
fn text_is_for_people() {
    let folder = row();
    let args = |from, to| vec!["plan", "row.map", "--class", "east.toml", "--from", from, "--to", to];
    assert_eq!(
        folder.run(&args("3,0", "5,0")).done(),
        "found, 2 expansions, guided by manhattan\n\
         reached: goal, cost 40 ticks, 2 moves\n    \
         tick  pose\n       \
         0  (3, 0, -)\n      \
         20  (4, 0, -)  east\n      \
         40  (5, 0, -)  east\n"
    );
    assert_eq!(
        folder.run(&args("0,0", "2,1")).code(1).stdout,
        "goal blocked, 0 expansions, unguided\n\
         no goal is a legal pose; of (2, 1, -): cell (2, 1) is water\n"
    );
}

#[test]
fn within_weight_heuristic_and_fallback_take_effect() {
    let folder = row();
    let answer = folder.run(&on_row("0,0", "5,0", &["--within", "2"])).json();
    assert_eq!(answer["cost"], 30);
    // A Euclidean radius: (2, 1) is sqrt(2) away from (1, 0).
    let answer = folder.run(&on_row("0,0", "1,1", &["--within", "1"])).json();
    assert_eq!((&answer["cost"], &answer["status"]), (&json!(10), &json!("found")));
    let answer = folder.run(&on_row("0,0", "1,0", &["--within", "4294967295"])).json();
    assert_eq!(answer["cost"], 0);
    let answer = folder.run(&on_row("0,1", "4,1", &["--fallback", "nearest"])).code(0).json();
    assert_eq!((&answer["reached"], &answer["cost"]), (&json!("nearest"), &json!(10)));
    let answer = folder.run(&on_row("0,1", "4,1", &["--fallback", "fail"])).code(1).json();
    assert_eq!(answer["status"], "unreachable");
    for name in ["zero", "manhattan", "chebyshev", "octile", "euclid"] {
        let answer = folder.run(&on_row("0,0", "5,0", &["--heuristic", name])).json();
        assert_eq!((name, &answer["cost"]), (name, &json!(70)));
    }
    let trucks = Folder::with("trucks.toml", TRUCKS);
    let args = ["plan", "trucks.toml", "--format", "json", "--from", "1,0,E", "--to", "6,3"];
    let cheapest = trucks.run(&args).json()["cost"].as_u64().unwrap();
    for weight in ["1000", "1001", "1500", "4000", "4294967295"] {
        let answer = trucks.run(&[&args[..], &["--weight", weight]].concat()).code(0).json();
        let (cost, weight): (u64, u64) = (answer["cost"].as_u64().unwrap(), weight.parse().unwrap());
        assert!(cost >= cheapest && cost * 1000 <= cheapest * weight, "{cost} at {weight}");
    }
}

#[test]
fn queries_are_answered_in_order_with_their_ids() {
    let folder = row();
    folder.write(
        "q.jsonl",
        concat!(
            r#"{"id":"first","from":[0,0,"-"],"to":[1,0,"-"]}"#,
            "\n",
            r#"  {"to":[[5,1],[2,0,"any"]], "from":[0,0], "id":17}  "#,
            "\n\n",
            r#"{"from":[0,0],"to":[2,1]}"#,
            "\r\n",
            r#"{"id":123456789012345678901234567890,"from":[0,0],"to":[2,0],"expansions_max":1,"partial":true}"#,
            "\n",
            r#"{"id":null,"from":[0,0],"to":[2,0],"expansions_max":1,"partial":false}"#,
            "\n",
            r#"{"id":{"b":[1.50,"é"],"a":2},"from":[0,1],"to":[4,1],"fallback":"nearest"}"#,
            "\n",
            r#"{"id":"","from":[0,0],"to":[5,0],"within":4,"heuristic":"zero","weight":1500}"#,
        ),
    );
    let ended = folder.run(&["plan", "row.map", "--class", "east.toml", "--queries", "q.jsonl"]).code(0);
    assert_eq!(ended.stderr, "7 queries: 5 guided by manhattan, 2 unguided\n");
    assert_eq!(
        ended.stdout.lines().collect::<Vec<_>>(),
        [
            r#"{"id":"first","status":"found","reached":"goal","cost":10,"expansions":1,"moves":["east"],"poses":[[0,0,"-",0],[1,0,"-",10]]}"#,
            r#"{"id":17,"status":"found","reached":"goal","cost":20,"expansions":2,"moves":["east","east"],"poses":[[0,0,"-",0],[1,0,"-",10],[2,0,"-",20]]}"#,
            r#"{"status":"goal_blocked","expansions":0,"reason":"no goal is a legal pose; of (2, 1, -): cell (2, 1) is water"}"#,
            r#"{"id":123456789012345678901234567890,"status":"limit_reached","reached":"partial","cost":0,"expansions":1,"reason":"the limit of 1 expansions was reached first","moves":[],"poses":[[0,0,"-",0]]}"#,
            r#"{"id":null,"status":"limit_reached","expansions":1,"reason":"the limit of 1 expansions was reached first"}"#,
            r#"{"id":{"b":[1.50,"é"],"a":2},"status":"found","reached":"nearest","cost":10,"expansions":1,"moves":["east"],"poses":[[0,1,"-",0],[1,1,"-",10]]}"#,
            r#"{"id":"","status":"found","reached":"goal","cost":10,"expansions":1,"moves":["east"],"poses":[[0,0,"-",0],[1,0,"-",10]]}"#,
        ]
    );
}

/// The rows of a random map with one cell in five blocked.
fn random_map(random: &mut Lcg, width: usize, height: usize) -> String {
    let mut map = format!("type octile\nheight {height}\nwidth {width}\nmap\n");
    for _ in 0..height {
        map.extend((0..width).map(|_| if random.below(5) == 0 { '@' } else { '.' }));
        map.push('\n');
    }
    map
}

/// Queries between random poses of a map of a size, some of them blocked or off the map.
fn random_queries(random: &mut Lcg, n_queries: usize, width: usize, height: usize) -> String {
    let mut lines = String::new();
    for id in 0..n_queries {
        let [a, b] = [0, 1].map(|_| [random.below(width + 1), random.below(height)]);
        let heading = ["E", "N", "W", "S"][random.below(4)];
        let more = ["", r#","fallback":"nearest""#, r#","weight":1500"#, r#","within":3"#][random.below(4)];
        let ([x, y], [to_x, to_y]) = (a, b);
        writeln!(lines, r#"{{"id":{id},"from":[{x},{y},"{heading}"],"to":[{to_x},{to_y},"any"]{more}}}"#)
            .unwrap();
    }
    lines
}

#[test]
fn answers_are_the_same_for_any_number_of_threads() {
    let (folder, mut random) = (Folder::with("cart.toml", CART), Lcg(1));
    folder.write("a.map", random_map(&mut random, 48, 40));
    folder.write("q.jsonl", random_queries(&mut random, 500, 48, 40));
    let answers = |threads: &str| {
        let args = ["plan", "a.map", "--class", "cart.toml", "--queries", "q.jsonl", "--threads", threads];
        folder.run(&args).code(0).stdout
    };
    let one = answers("1");
    assert_eq!(one, answers("2"));
    assert_eq!(one, answers("8"));
    let lines = json_lines(&one);
    assert_eq!(
        lines.iter().map(|line| line["id"].as_u64().unwrap()).collect::<Vec<_>>(),
        Vec::from_iter(0..500)
    );
    let statuses = |status: &str| lines.iter().filter(|line| line["status"] == status).count();
    assert!(statuses("found") > 200 && statuses("start_blocked") > 20 && statuses("start_off_map") > 0);
    // A line of the batch equals the answer to the single query.
    let found =
        lines.iter().find(|line| line["cost"].as_u64() > Some(20) && line["reached"] == "goal").unwrap();
    let queries = json_lines(&folder.read("q.jsonl"));
    let query = &queries[found["id"].as_u64().unwrap() as usize];
    let from = format!("{},{},{}", query["from"][0], query["from"][1], query["from"][2].as_str().unwrap());
    let to = format!("{},{}", query["to"][0], query["to"][1]);
    let (within, weight) = (query["within"].as_u64().unwrap_or(0), query["weight"].as_u64().unwrap_or(1000));
    let (within, weight) = (within.to_string(), weight.to_string());
    let mut args = vec!["plan", "a.map", "--class", "cart.toml", "--format", "json", "--from", &from];
    args.extend(["--to", &to, "--within", &within, "--weight", &weight]);
    let mut alone = folder.run(&args).json();
    alone.as_object_mut().unwrap().shift_insert(0, "id".to_owned(), found["id"].clone());
    assert_eq!(alone.to_string(), found.to_string());
}

/// The lines without the values that depend on the heuristic.
fn results(lines: &[Value]) -> Vec<[Value; 4]> {
    lines.iter().map(|line| ["id", "status", "reached", "cost"].map(|key| line[key].clone())).collect()
}

#[test]
fn every_heuristic_gives_the_same_costs() {
    let (folder, mut random) = (Folder::with("cart.toml", CART), Lcg(3));
    let truck = "[class.truck]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [{ name = \"on\", by = [1, 0], \
                 time = 2 }, { name = \"back\", by = [-1, 0], time = 7 }, { name = \"left\", turn = 1, time = 3 }]\n";
    folder.write("truck.toml", truck);
    for class in ["cart.toml", "truck.toml", "octile"] {
        folder.write("a.map", random_map(&mut random, 30, 24));
        // To more goals than cached fields.
        let queries = json_lines(&random_queries(&mut random, 450, 30, 24));
        let mut answers = Vec::new();
        for heuristic in ["", "zero", "octile", "euclid", "landmarks", "field"] {
            let mut lines = String::new();
            for (at, query) in queries.iter().enumerate() {
                let mut query = query.clone();
                let table = query.as_object_mut().unwrap();
                // With a weight the cost depends on the heuristic.
                table.remove("weight");
                if class == "octile" {
                    table["from"].as_array_mut().unwrap().pop();
                }
                // A third of them to one of two goals, some within a window.
                if at % 3 == 0 {
                    table.insert("to".to_owned(), json!([[7 + at % 2, 8], [20, 11]]));
                }
                if at % 7 == 0 {
                    table.insert("window".to_owned(), json!([2, 2, 22, 20]));
                }
                if !heuristic.is_empty() {
                    table.insert("heuristic".to_owned(), json!(heuristic));
                }
                writeln!(lines, "{query}").unwrap();
            }
            folder.write("q.jsonl", lines);
            let run = |threads| {
                let args = ["plan", "a.map", "--class", class, "--queries", "q.jsonl", "--threads", threads];
                folder.run(&args).code(0)
            };
            let ended = run("1");
            assert_eq!(run("5").stdout, ended.stdout, "{heuristic} {class}");
            if ["landmarks", "field"].contains(&heuristic) {
                // If the first landmark is in a dead end, landmarks do not pay.
                let guided = ended.stderr.contains(&format!(" guided by {heuristic}"));
                assert!(guided || (heuristic, class) == ("landmarks", "truck.toml"), "{}", ended.stderr);
                let note = format!("\n{heuristic}").replace("field", "fields");
                assert!(ended.stderr.contains(&note) && ended.stderr.ends_with(" MiB\n"), "{}", ended.stderr);
            }
            answers.push(results(&json_lines(&ended.stdout)));
        }
        let found = answers[0].iter().filter(|answer| answer[1] == "found").count();
        assert!(found > 60, "{found} of {class}");
        for other in &answers[1..] {
            assert_eq!(other, &answers[0], "{class}");
        }
    }
}

/// A map of long walls with gaps at alternate ends.
fn meander(side: usize) -> String {
    let mut map = format!("type octile\nheight {side}\nwidth {side}\nmap\n");
    for row in 0..side {
        let (wall, gap) = ("@".repeat(side - 1), ".");
        map.push_str(&match row % 4 {
            1 => format!("{wall}{gap}\n"),
            3 => format!("{gap}{wall}\n"),
            _ => format!("{}\n", ".".repeat(side)),
        });
    }
    map
}

#[test]
fn fields_and_landmarks_are_selected_where_they_pay() {
    let (folder, mut random) = (Folder::with("cart.toml", CART), Lcg(4));
    folder.write("a.map", meander(40));
    let mut write = |n: usize, to: Option<[usize; 2]>, more: &str| {
        let mut lines = String::new();
        for _ in 0..n {
            let [x, y, to_x, to_y] = [40, 20, 40, 20].map(|below| random.below(below));
            let (y, [to_x, to_y]) = (y * 2, to.unwrap_or([to_x, to_y * 2]));
            writeln!(lines, r#"{{"from":[{x},{y},"E"],"to":[{to_x},{to_y}]{more}}}"#).unwrap();
        }
        folder.write("q.jsonl", lines);
    };
    let run = |more: &[&str]| {
        let args = ["plan", "a.map", "--class", "cart.toml", "--queries", "q.jsonl"];
        folder.run(&[&args[..], more].concat()).code(0)
    };
    // One goal: a field from the 17th query on.
    write(100, Some([0, 38]), "");
    let ended = run(&["--threads", "1"]);
    let first = ended.stderr.lines().next().unwrap();
    assert!(first.starts_with("100 queries: 84 guided by field, 16 guided by manhattan"), "{first}");
    assert!(ended.stderr.contains("\nfields: 1, prepared in "), "{}", ended.stderr);
    for threads in ["2", "7"] {
        let other = run(&["--threads", threads]);
        assert_eq!((&other.stdout, other.stderr.lines().next()), (&ended.stdout, Some(first)));
    }
    let expansions = |line: &Value| line["expansions"].as_u64().unwrap();
    for line in &json_lines(&ended.stdout)[16..] {
        assert_eq!(expansions(line), line["moves"].as_array().unwrap().len() as u64, "{line}");
    }
    // JSON output has no summary.
    assert_eq!(run(&["--format", "json"]).stderr, "");
    // Many goals: landmarks, at the same costs as without.
    write(1500, None, "");
    let ended = run(&["--threads", "1"]);
    assert!(ended.stderr.contains(" guided by landmarks"), "{}", ended.stderr);
    assert!(ended.stderr.contains("\nlandmarks: 16, prepared in "), "{}", ended.stderr);
    assert_eq!(run(&["--threads", "3"]).stdout, ended.stdout);
    let plain = folder.read("q.jsonl").replace('}', r#","heuristic":"manhattan"}"#);
    folder.write("q.jsonl", plain);
    let by_norm = run(&[]);
    assert_eq!(results(&json_lines(&by_norm.stdout)), results(&json_lines(&ended.stdout)));
    let sum = |ended: &Ended| json_lines(&ended.stdout).iter().map(expansions).sum::<u64>();
    assert!(sum(&ended) * 2 < sum(&by_norm), "{} of {}", sum(&ended), sum(&by_norm));
    // Answers that depend on the heuristic keep the default one.
    for more in [r#","weight":1001"#, r#","expansions_max":900"#] {
        write(100, Some([0, 38]), more);
        let ended = run(&[]);
        assert!(!ended.stderr.contains("guided by field"), "{}", ended.stderr);
    }
    // Few queries: nothing is prepared.
    write(16, Some([0, 38]), "");
    assert_eq!(run(&[]).stderr.lines().count(), 1);
}

#[test]
fn prepared_heuristics_of_one_plan_are_shown_with_their_cost() {
    let folder = Folder::with("cart.toml", CART);
    folder.write("a.map", meander(12));
    let plan = |more: &[&str]| {
        let args = ["plan", "a.map", "--class", "cart.toml", "--from", "0,0,E", "--to", "0,10"];
        folder.run(&[&args[..], more].concat())
    };
    let cost = plan(&["--format", "json"]).code(0).json()["cost"].clone();
    for (name, note) in [("landmarks", "landmarks: 16, prepared in "), ("field", "fields: 1, prepared in ")] {
        let answer = plan(&["--format", "json", "--heuristic", name]);
        assert_eq!((&answer.json()["cost"], answer.stderr.as_str()), (&cost, ""));
        assert_eq!(keys(&answer.json()), ["status", "reached", "cost", "expansions", "moves", "poses"]);
        let text = plan(&["--heuristic", name]).done();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(&format!(" expansions, guided by {name}")), "{text}");
        assert!(lines[1].starts_with(note) && lines[1].ends_with(" MiB"), "{text}");
    }
    assert_eq!(
        plan(&["--heuristic", "fields"]).refused(),
        "--heuristic: expected one of zero, manhattan, chebyshev, octile, euclid, greedy, landmarks, field, \
         found \"fields\"; did you mean \"field\"?"
    );
}

#[test]
fn a_malformed_query_is_named_before_any_answer() {
    let folder = row();
    let good = r#"{"from":[0,0],"to":[1,0]}"#;
    let refused = |line: &str| {
        folder.write("q.jsonl", format!("{good}\n\n{line}\n{good}\n"));
        let message =
            folder.run(&["plan", "row.map", "--class", "east.toml", "--queries", "q.jsonl"]).refused();
        let Some(message) = message.strip_prefix("q.jsonl:3:") else { panic!("{message}") };
        let (column, message) = message.split_once(": ").unwrap();
        assert!((1..=line.len()).contains(&column.parse().unwrap()), "{column}: {message}");
        message.to_owned()
    };
    for (line, message) in [
        (r#"{"from":[0,0],"to":[1,0]"#, "not JSON: EOF while parsing an object"),
        ("[]", "expected a JSON object, found []"),
        (r#"{"to":[1,0]}"#, "key \"from\" is missing"),
        (r#"{"from":[0,0]}"#, "key \"to\" is missing"),
        (r#"{"from":[0],"to":[1,0]}"#, "from: expected [x, y, heading] with heading \"-\", found [0]"),
        (
            r#"{"from":[0,0,"E"],"to":[1,0]}"#,
            "from: expected [x, y, heading] with heading \"-\", found [0,0,\"E\"]",
        ),
        (
            r#"{"from":[0,0],"to":[]}"#,
            "to: expected [x, y] or [x, y, heading] with heading \"any\" or \"-\", or a list of such, found []",
        ),
        (
            r#"{"from":[0,0],"to":[[1,0],[1.5,0]]}"#,
            "to: expected [x, y] or [x, y, heading] with heading \"any\" or \"-\", or a list of such, found [1.5,0]",
        ),
        (
            r#"{"from":[0,0],"to":[1,0],"within":-1}"#,
            "within: expected a whole number from 0 to 4294967295, found -1",
        ),
        (
            r#"{"from":[0,0],"to":[1,0],"weight":999}"#,
            "weight: expected a whole number from 1000 to 4294967295, found 999",
        ),
        (
            r#"{"from":[0,0],"to":[1,0],"expansions_max":"many"}"#,
            "expansions_max: expected a whole number from 0 to 18446744073709551615, found \"many\"",
        ),
        (r#"{"from":[0,0],"to":[1,0],"partial":1}"#, "partial: expected true or false, found 1"),
        (
            r#"{"from":[0,0],"to":[1,0],"fallback":"near"}"#,
            "fallback: expected \"fail\" or \"nearest\", found \"near\"",
        ),
        (
            r#"{"from":[0,0],"to":[1,0],"heuristic":"best"}"#,
            "heuristic: expected one of zero, manhattan, chebyshev, octile, euclid, greedy, landmarks, field, found \"best\"",
        ),
        (
            r#"{"from":[0,0],"to":[1,0],"window":[0,0,1]}"#,
            "window: expected [x, y, width, height], whole numbers, width and height not negative, found [0,0,1]",
        ),
        (
            r#"{"from":[0,0],"to":[1,0],"wihtin":1}"#,
            "unknown key \"wihtin\"; expected one of id, from, to, within, heuristic, weight, \
             expansions_max, partial, fallback, window; did you mean \"within\"?",
        ),
    ] {
        assert_eq!(refused(line), message);
    }
    folder.write("q.jsonl", b"\n\xff\n");
    let refused = folder.run(&["plan", "row.map", "--class", "east.toml", "--queries", "q.jsonl"]).refused();
    assert_eq!(refused, "q.jsonl:2:1: not UTF-8 text");
    folder.write("q.jsonl", "");
    let ended = folder.run(&["plan", "row.map", "--class", "east.toml", "--queries", "q.jsonl"]).code(0);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", "0 queries\n"));
    let missing = folder.run(&["plan", "row.map", "--class", "east.toml", "--queries", "no.jsonl"]).refused();
    assert!(missing.starts_with("no.jsonl: cannot be read: "), "{missing}");
}

#[test]
fn a_class_comes_from_a_file_or_from_the_scenario() {
    let two = format!("{TRUCKS}\n{CART}");
    let folder = Folder::with("two.toml", two);
    folder.write("one.toml", TRUCKS);
    folder.write("cart.toml", CART.replace("cart", "hovercart"));
    folder.write("a.map", MAP);
    let plan = |target: &str, more: &[&str]| {
        let args = ["plan", target, "--from", "1,0,E", "--to", "2,0,E", "--format", "json"];
        folder.run(&[&args[..], more].concat())
    };
    let cost = |ended: Ended| ended.code(0).json()["cost"].as_u64().unwrap();
    assert_eq!(cost(plan("one.toml", &[])), 2, "a scenario's only class");
    assert_eq!(cost(plan("two.toml", &["--class", "truck"])), 2, "by name");
    assert_eq!(cost(plan("two.toml", &["--class", "cart"])), 1, "by name");
    assert_eq!(cost(plan("two.toml", &["--class", "cart.toml"])), 1, "by file, on the scenario's map");
    let args =
        ["plan", "a.map", "--class", "cart.toml", "--from", "0,3,E", "--to", "5,3,E", "--format", "json"];
    assert_eq!(cost(folder.run(&args)), 5);

    assert_eq!(
        plan("two.toml", &[]).refused(),
        "two.toml: has several classes; name one with --class: truck, cart"
    );
    assert_eq!(
        plan("two.toml", &["--class", "tank"]).refused(),
        "two.toml: no class and no file named \"tank\"; classes of two.toml: truck, cart"
    );
    assert_eq!(
        plan("a.map", &["--class", "tank"]).refused(),
        "a.map: no class and no file named \"tank\"; classes of a.map: none"
    );
    // The default class of a map is the built-in one.
    for more in [&[][..], &["--class", "octile"]] {
        let args = ["plan", "a.map", "--from", "1,0", "--to", "0,0", "--format", "json"];
        let answer = folder.run(&[&args[..], more].concat()).code(0).json();
        assert_eq!((&answer["cost"], &answer["moves"]), (&10_000.into(), &vec!["W"].into()));
    }
    folder.write("none.toml", TRUCKS.split("[class.truck]").next().unwrap());
    let args = ["plan", "none.toml", "--from", "1,0", "--to", "0,0", "--format", "json"];
    assert_eq!(folder.run(&args).code(0).json()["cost"], 10_000);
}

#[test]
fn a_class_file_defines_its_kinds() {
    let folder = Folder::with("a.map", "type octile\nheight 1\nwidth 4\nmap\n.Sm.\n");
    let cost = |kinds: &str| {
        folder.write("cart.toml", format!("{CART}{kinds}"));
        let args =
            ["plan", "a.map", "--class", "cart.toml", "--from", "0,0,E", "--to", "3,0", "--format", "json"];
        folder.run(&args)
    };
    let unknown = cost("").refused();
    assert_eq!(unknown, "a.map:5:3: glyph 'm' has no terrain; expected one of \".GSWT@O\"");
    let mud = "[terrain.mud]\nglyphs = \"m\"\nspeed = 250\n";
    assert_eq!(cost(mud).code(0).json()["cost"], 2 + 4 + 4);
    let answer = cost(&format!("{mud}[terrain.swamp]\nspeed = 0\n")).code(1).json();
    assert_eq!(answer["status"], "unreachable");
    // An error in the kinds names the class file.
    assert_eq!(
        cost("[terrain.mud]\nglyphs = \"m\"\nspeed = 250\nsides = { W = \"hedge\" }\n").refused(),
        "cart.toml:11: terrain.mud.sides.W: no side kind \"hedge\", expected open or wall"
    );
    assert_eq!(
        cost("[terrain.mud]\nglyphs = \"mm\"\nspeed = 250\n").refused(),
        "cart.toml:9: terrain.mud.glyphs: expected each glyph once, found 'm' twice"
    );
    // The same on the map of a scenario.
    folder.write("trucks.toml", TRUCKS);
    folder.write("cart.toml", format!("{CART}[terrain.mud]\nglyphs = \"s\"\nspeed = 250\n"));
    let args = ["plan", "trucks.toml", "--class", "cart.toml", "--from", "0,0,E", "--to", "3,0"];
    assert_eq!(
        folder.run(&args).refused(),
        "cart.toml:9: terrain.mud.glyphs: glyph 's' belongs to \"shallow\" and to \"mud\"; a glyph has one kind"
    );
}

#[test]
fn a_window_bounds_the_moves_and_greed_finds_a_path() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let plan = |more: &[&str]| {
        let args =
            ["plan", "trucks.toml", "--class", "truck", "--from", "1,0,E", "--to", "6,0", "--format", "json"];
        folder.run(&[&args[..], more].concat())
    };
    let cost = plan(&[]).code(0).json()["cost"].as_u64().unwrap();
    assert_eq!(plan(&["--window", "0,0,9,9"]).code(0).json()["cost"], cost);
    assert_eq!(plan(&["--window", "0,0,4,4"]).code(1).json()["status"], "unreachable");
    assert!(plan(&["--heuristic", "greedy"]).code(0).json()["cost"].as_u64().unwrap() >= cost);
    assert_eq!(
        plan(&["--window", "1,2"]).refused(),
        "--window: expected [x, y, width, height], whole numbers, width and height not negative, found [1,2]"
    );
}

#[test]
fn maps_are_converted_to_another_format() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    folder.run(&["generate", "river", "--size", "50,30", "--seed", "7", "-o", "a.map"]).done();
    folder.run(&["generate", "river", "--size", "50,30", "--seed", "7", "-o", "a.png"]).done();
    folder.run(&["generate", "a.map", "-o", "b.png"]).done();
    folder.run(&["generate", "b.png", "-o", "b.map"]).done();
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("a.png") == read("b.png") && read("a.map") == read("b.map"));
    folder.run(&["check", "a.png"]).code(0);
    // Plans on both are equal.
    let plan = |map: &str| folder.run(&["plan", map, "--from", "0,0", "--to", "49,29", "--format", "json"]);
    assert_eq!(plan("a.map").stdout, plan("a.png").stdout);
    let refused = |args: &[&str]| folder.run(args).refused();
    assert_eq!(
        refused(&["generate", "a.map", "--seed", "1", "-o", "c.png"]),
        "--size and --seed are for new maps; a.map exists already"
    );
    assert_eq!(
        refused(&["generate", "maze", "--seed", "1", "-o", "c.png"]),
        "a map of kind \"maze\" needs --size W,H and --seed N"
    );
    assert_eq!(
        refused(&["generate", "a.map", "-o", "c.gif"]),
        "--output: expected a file .map or .png, found \"c.gif\""
    );
    let missing = refused(&["generate", "no.png", "-o", "c.map"]);
    assert!(missing.starts_with("no.png: cannot be read: "), "{missing}");
    std::fs::write(folder.path("bad.png"), &read("a.png")[..60]).unwrap();
    let bad = folder.run(&["check", "bad.png"]).code(2).stdout;
    assert!(bad.starts_with("bad.png: cannot be read as a PNG picture: "), "{bad}");
    let tiled = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/maps/roads.tmx");
    folder.run(&["check", tiled]).code(0);
    let sides = refused(&["generate", tiled, "-o", "c.png"]);
    assert!(sides.starts_with("c.png: cell (1, 1): side N is \"wall\""), "{sides}");
    assert!(!folder.path("c.png").exists());
}

#[test]
fn generated_maps_are_planned_on() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    for kind in ["open", "random", "rooms", "maze", "river", "base", "streets"] {
        let file = format!("{kind}.map");
        let args = ["generate", kind, "--size", "40,30", "--seed", "7", "-o", &file];
        assert_eq!(folder.run(&args).done(), "");
        let first = folder.read(&file);
        folder.run(&args).done();
        assert_eq!(folder.read(&file), first);
        folder.run(&["check", &file]).code(0);
    }
    let refused = |args: &[&str]| folder.run(args).refused();
    let hills = refused(&["generate", "hills", "--size", "4,4", "--seed", "1", "-o", "a.map"]);
    assert_eq!(
        hills,
        "KIND: expected one of open, random, rooms, maze, river, base, streets or a map (.map, .tmx, .png, .toml), found \"hills\""
    );
    let size = refused(&["generate", "maze", "--size", "4x4", "--seed", "1", "-o", "a.map"]);
    assert_eq!(size, "--size: expected W,H, found \"4x4\"");
    let seed = folder.run(&["generate", "maze", "--size", "4,4", "--seed", "-1", "-o", "a.map"]).code(2);
    assert!(seed.stderr.contains("expected a whole number from 0 to 18446744073709551615"), "{seed:#?}");
    let zero = refused(&["generate", "maze", "--size", "0,4", "--seed", "1", "-o", "a.map"]);
    assert!(zero.starts_with("--size: a map of 0 x 4 cells"), "{zero}");
    assert!(!folder.path("a.map").exists());
}

/// A batch that takes minutes.
fn long_batch() -> Folder {
    let (folder, mut random) = (Folder::with("cart.toml", CART), Lcg(2));
    folder.write("a.map", random_map(&mut random, 300, 300));
    folder.write("q.jsonl", random_queries(&mut random, 50_000, 300, 300));
    folder
}

#[test]
fn interrupted_queries_end_with_a_whole_line() {
    let folder = long_batch();
    let output = std::fs::File::create(folder.path("out.jsonl")).unwrap();
    let args = ["plan", "a.map", "--class", "cart.toml", "--queries", "q.jsonl", "--threads", "1"];
    let mut child = folder.command(&args).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while folder.read("out.jsonl").is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    let asked = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(300), "{:?}", asked.elapsed());
    let lines = json_lines(&folder.read("out.jsonl"));
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    assert!((1..50_000).contains(&ids.len()));
    assert_eq!(ids, Vec::from_iter((0..ids.len()).map(|id| json!(id)).collect::<Vec<_>>().iter()));
}

#[test]
fn a_closed_pipe_ends_queries_early_and_quietly() {
    let folder = long_batch();
    let args = ["plan", "a.map", "--class", "cart.toml", "--queries", "q.jsonl"];
    let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let started = Instant::now();
    let ended = Ended::of(&args, &child.wait_with_output().unwrap()).code(0);
    assert_eq!(ended.stderr, "");
    assert!(started.elapsed() < Duration::from_secs(300), "{:?}", started.elapsed());
}

#[test]
fn a_full_disk_is_reported() {
    let folder = row();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let args = on_row("0,0", "2,0", &[]);
    let output = folder.command(&args).stdout(full).output().unwrap();
    let ended = Ended::of(&args, &output).code(2);
    assert!(ended.stderr.starts_with("error: standard output: "), "{ended:#?}");
}

/// Answers along routes on a map of several clusters: as exact ones, except for costs, paths and the key `route`.
#[test]
fn paths_along_routes_have_the_statuses_of_exact_ones() {
    let (folder, mut random) = (Folder::with("cart.toml", CART), Lcg(4));
    folder.write("a.map", random_map(&mut random, 110, 70));
    let mut lines = String::new();
    for id in 0..150 {
        let [[x, y], [to_x, to_y]] = [0, 1].map(|_| [random.below(111), random.below(70)]);
        let heading = ["E", "N", "W", "S"][random.below(4)];
        writeln!(lines, r#"{{"id":{id},"from":[{x},{y},"{heading}"],"to":[[{to_x},{to_y},"E"]]}}"#).unwrap();
    }
    folder.write("q.jsonl", &lines);
    let answers = |more: &[&str]| {
        let args = ["plan", "a.map", "--class", "cart.toml", "--queries", "q.jsonl"];
        folder.run(&[&args[..], more].concat()).code(0)
    };
    let (exact, along) = (answers(&[]), answers(&["--abstract", "--threads", "1"]));
    assert_eq!(along.stdout, answers(&["--abstract", "--threads", "3"]).stdout);
    let first = along.stderr.lines().next().unwrap();
    assert!(first.starts_with("150 queries: ") && first.contains(" by a route"), "{first}");
    assert!(along.stderr.lines().nth(1).unwrap().starts_with("portals: "), "{}", along.stderr);
    let (mut n_along, mut n_without) = (0, 0);
    for (exact, along) in json_lines(&exact.stdout).iter().zip(json_lines(&along.stdout)) {
        for key in ["id", "status", "reached", "reason"] {
            assert_eq!(exact[key], along[key], "{key}: {along}");
        }
        let Some(route) = along.get("route") else {
            n_without += 1;
            continue;
        };
        n_along += 1;
        assert_eq!(
            keys(&along),
            ["id", "status", "reached", "cost", "route", "expansions", "moves", "poses"]
        );
        assert!(along["cost"].as_u64() >= exact["cost"].as_u64(), "{along}");
        let poses = along["poses"].as_array().unwrap();
        let ends = [poses.last().unwrap(), exact["poses"].as_array().unwrap().last().unwrap()];
        let [end, of_exact] = ends.map(|pose| [&pose[0], &pose[1], &pose[2]]);
        assert_eq!((end, &ends[0][3]), (of_exact, &along["cost"]));
        let costs: Vec<u64> =
            route["portals"].as_array().unwrap().iter().map(|portal| portal[2].as_u64().unwrap()).collect();
        assert!(costs.is_sorted() && costs.last() <= route["cost"].as_u64().as_ref(), "{route}");
    }
    assert!(n_along > 60 && n_without > 30, "{n_along} {n_without}");
}

#[test]
fn a_single_path_along_a_route_is_shown_with_the_cost_of_the_route() {
    let folder = Folder::with("east.toml", EAST);
    folder.write("long.map", format!("type octile\nheight 1\nwidth 70\nmap\n{}\n", ".".repeat(70)));
    let args = ["plan", "long.map", "--class", "east.toml", "--abstract", "--from", "0,0", "--to"];
    let text = folder.run(&[&args[..], &["69,0"]].concat()).done();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("found, ") && lines[0].ends_with(" expansions, by a route"), "{text}");
    assert!(lines[1].starts_with("portals: 2, prepared in "), "{text}");
    assert_eq!(lines[2..4], ["route: cost 690 ticks, 2 portals", "reached: goal, cost 690 ticks, 69 moves"]);
    let answer = folder.run(&[&args[..], &["69,0", "--format", "json"]].concat()).json();
    assert_eq!(answer["route"], json!({ "cost": 690, "portals": [[31, 0, 310], [63, 0, 630]] }));
    // At the goal, and where only the exact search has an answer.
    let answer = folder.run(&[&args[..], &["0,0", "--format", "json"]].concat()).json();
    assert_eq!((&answer["cost"], &answer["route"]), (&json!(0), &json!({ "cost": 0, "portals": [] })));
    for (to, status) in [("70,0", "goal_off_map"), ("69,1", "goal_off_map")] {
        let answer = folder.run(&[&args[..], &[to, "--format", "json"]].concat()).code(1).json();
        assert_eq!((answer["status"].as_str(), answer.get("route")), (Some(status), None));
    }
    let back = ["plan", "long.map", "--class", "east.toml", "--abstract", "--from", "69,0", "--to", "0,0"];
    assert!(folder.run(&back).code(1).stdout.starts_with("unreachable, 0 expansions, unguided\n"));
}

#[test]
fn what_routes_do_not_know_is_refused_with_them() {
    let folder = row();
    for option in [
        ["--within", "1"],
        ["--heuristic", "zero"],
        ["--weight", "1000"],
        ["--fallback", "nearest"],
        ["--window", "0,0,3,2"],
        ["--expansions-max", "9"],
    ] {
        let ended = folder.run(&on_row("0,0", "2,0", &["--abstract", option[0], option[1]])).code(2);
        let told =
            ended.stderr.contains("'--abstract' cannot be used with") && ended.stderr.contains(option[0]);
        assert!(told, "{}", ended.stderr);
    }
    for (key, value) in [
        ("within", "1"),
        ("heuristic", "\"zero\""),
        ("weight", "1001"),
        ("expansions_max", "9"),
        ("partial", "true"),
        ("fallback", "\"nearest\""),
        ("window", "[0,0,3,2]"),
    ] {
        folder.write("q.jsonl", format!(r#"{{"from":[0,0],"to":[2,0],"{key}":{value}}}"#));
        let args = ["plan", "row.map", "--class", "east.toml", "--queries", "q.jsonl", "--abstract"];
        let message = folder.run(&args).refused();
        let expected = format!("{key}: cannot be used with --abstract; leave the key out");
        assert_eq!(message, format!("q.jsonl:1:26: {expected}"));
    }
    folder.write("q.jsonl", r#"{"from":[0,0],"to":[[2,0],[1,0]],"weight":1000}"#);
    let args = ["plan", "row.map", "--class", "east.toml", "--queries", "q.jsonl", "--abstract"];
    let expected = "q.jsonl:1:15: to: expected one goal, because of --abstract, found 2";
    assert_eq!(folder.run(&args).refused(), expected);
}
