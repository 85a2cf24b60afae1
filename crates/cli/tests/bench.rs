//! `wheelbase bench`: checks published lengths, names wrong ones, and times a scenario by phase. No test depends on
//! times.

use crate::common::*;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Queries on [`MAP`]: on one side of the trees, around them, and from a cell to itself.
const SCEN: &str = "version 1\n\
    0\tmaps/some/a.map\t6\t4\t0\t0\t1\t1\t1.41421\n\
    2\tmaps/some/a.map\t6\t4\t1\t0\t3\t0\t8\n\
    \n\
    0\tmaps/some/a.map\t6\t4\t3\t3\t3\t3\t0\n";

/// A folder with the map and its queries.
fn queries(scen: &str) -> Folder {
    let folder = Folder::with("a.map", MAP);
    folder.write("a.scen", scen);
    folder
}

/// The error for queries on [`MAP`], without the file name; `check` must report the same.
#[track_caller]
fn refused(scen: &str) -> String {
    let folder = queries(scen);
    let message = folder.run(&["bench", "a.scen"]).refused();
    assert_eq!(folder.run(&["check", "a.scen"]).code(2).stdout.trim_end(), message);
    let Some(message) = message.strip_prefix("a.scen:") else { panic!("no file is named: {message}") };
    message.to_owned()
}

fn bench_json(folder: &Folder, more: &[&str], code: i32) -> Value {
    let ended = folder.run(&[&["bench", "a.scen", "--format", "json"], more].concat()).code(code);
    assert_eq!(ended.stderr, "", "{ended:#?}");
    ended.json()
}

#[test]
fn published_lengths_are_checked() {
    let folder = queries(SCEN);
    let result = bench_json(&folder, &["--threads", "2"], 0);
    assert_eq!(
        keys(&result),
        [
            "bench",
            "file",
            "map",
            "size",
            "class",
            "queries",
            "answered",
            "statuses",
            "lengths",
            "cost",
            "expansions",
            "guides",
            "query_ms",
            "ns_per_expansion",
            "threads",
            "queries_per_s",
            "landmarks",
            "load_s",
            "compile_s",
            "components_s",
            "peak_memory_mib",
            "peers",
            "calibration"
        ]
    );
    let landmarks = &result["landmarks"];
    assert_eq!(
        keys(landmarks),
        [
            "number",
            "prepare_s",
            "memory_mib",
            "answered",
            "statuses",
            "lengths",
            "cost",
            "expansions",
            "guides",
            "query_ms",
            "ns_per_expansion"
        ]
    );
    for key in ["answered", "statuses", "lengths", "cost"] {
        assert_eq!(landmarks[key], result[key], "{key}");
    }
    assert!(landmarks["number"].as_u64() > Some(1) && landmarks["memory_mib"].as_f64() > Some(0.0));
    // On so small a map landmarks save no expansions, and the default heuristic guides.
    assert_eq!(landmarks["expansions"], result["expansions"], "{result:#}");
    assert_eq!(landmarks["guides"], json!({"octile": 3}), "{result:#}");
    let lengths = json!({"checked": 3, "differ": 0, "decimals": 5, "tolerance": 0.001, "first": []});
    for (key, expected) in [
        ("bench", json!("queries")),
        ("file", json!("a.scen")),
        ("map", json!("a.map")),
        ("size", json!([6, 4])),
        ("class", json!("octile")),
        ("queries", json!(3)),
        ("answered", json!(3)),
        ("statuses", json!({"found": 3})),
        ("lengths", lengths),
        ("cost", json!(94_142)),
        ("threads", json!(2)),
        ("peers", json!([])),
    ] {
        assert_eq!(result[key], expected, "{key}");
    }
    assert_eq!(keys(&result["query_ms"]), ["median", "p95", "max"]);
    for positive in [&result["calibration"]["integer_ns"], &result["calibration"]["load_ns"]] {
        assert!(positive.as_f64().unwrap() > 0.0, "{result:#}");
    }
    assert!(result["queries_per_s"].as_f64().unwrap() > 0.0);
    let expansions = result["expansions"].as_u64().unwrap();
    assert!(expansions > 6, "{expansions}");
    assert_eq!(bench_json(&folder, &["--threads", "1"], 0)["expansions"], expansions);

    assert_eq!(folder.run(&["check", "a.scen"]).done(), "a.scen: ok\n");
    let text = folder.run(&["bench", "a.scen", "--class", "octile"]).done();
    assert!(text.starts_with("a.scen: 3 queries on a.map, 6 x 4, class octile\n"), "{text}");
    for row in [
        "  answers               3 found\n",
        "  lengths               3 checked, 0 differ; tolerance 0.001, as the file has 5 decimals\n",
        "  peers                 none\n",
    ] {
        assert!(text.contains(row), "{row}{text}");
    }
    for name in ["guided", "expansions", "query", "batch", "tables", "landmarks", "loading", "calibration"] {
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}\n{text}");
    }
}

#[test]
fn differing_lengths_are_named_with_status_1() {
    let wrong = replaced(SCEN, "\t8\n", "\t7.99\n");
    let blocked = format!("{wrong}1\tmaps/some/a.map\t6\t4\t0\t0\t2\t0\t4\n");
    let folder = queries(&blocked);
    let result = bench_json(&folder, &[], 1);
    assert_eq!(result["statuses"], json!({"found": 3, "goal_blocked": 1}));
    assert_eq!(result["lengths"]["differ"], 2);
    assert_eq!(
        result["lengths"]["first"],
        json!([
            {"line": 3, "bucket": 2, "start": [1, 0], "goal": [3, 0], "published": 7.99, "ours": 8.0, "status": "found"},
            {"line": 6, "bucket": 1, "start": [0, 0], "goal": [2, 0], "published": 4.0, "ours": null, "status": "goal_blocked"},
        ])
    );
    let ended = folder.run(&["bench", "a.scen"]).code(1);
    let named = "  lengths               4 checked, 2 differ; tolerance 0.001, as the file has 5 decimals\n    \
         line 3, bucket 2: (1, 0) to (3, 0): published 7.99, ours 8.00000\n    \
         line 6, bucket 1: (0, 0) to (2, 0): published 4, ours goal blocked\n";
    assert!(ended.stdout.contains(named) && ended.stderr.is_empty(), "{ended:#?}");

    let many = format!("version 1\n{}", "0 a.map 6 4 0 0 0 1 2\n".repeat(13));
    let folder = queries(&many);
    assert_eq!(bench_json(&folder, &[], 1)["lengths"]["first"].as_array().unwrap().len(), 10);
    assert!(folder.run(&["bench", "a.scen"]).code(1).stdout.contains("    and 3 more\n"));
}

#[test]
fn two_decimals_allow_for_rounding() {
    let scen = |first: &str| replaced(&replaced(SCEN, "1.41421", first), "\t8\n", "\t8.00\n");
    let result = bench_json(&queries(&scen("1.41")), &[], 0);
    assert_eq!((&result["lengths"]["decimals"], &result["lengths"]["tolerance"]), (&json!(2), &json!(0.006)));
    assert_eq!(bench_json(&queries(&scen("1.42")), &[], 0)["lengths"]["differ"], 0);
    assert_eq!(bench_json(&queries(&scen("1.40")), &[], 1)["lengths"]["differ"], 1);
    assert_eq!(bench_json(&queries(&scen("1.410")), &[], 1)["lengths"]["tolerance"], 0.001);
}

#[test]
fn with_another_class_no_lengths_are_checked() {
    let folder = queries(&replaced(SCEN, "\t8\n", "\t7.99\n"));
    folder.write("cart.toml", CART);
    let result = bench_json(&folder, &["--class", "cart.toml"], 0);
    assert_eq!((&result["class"], &result["lengths"]), (&json!("cart"), &Value::Null));
    // Two steps and a turn; eight steps around the trees and three turns; nothing.
    assert_eq!((&result["statuses"], &result["cost"]), (&json!({"found": 3}), &json!(3 + 11)));
    let text = folder.run(&["bench", "a.scen", "--class", "cart.toml"]).done();
    assert!(
        text.contains("  lengths               not checked: the published ones are for class octile\n"),
        "{text}"
    );
}

#[test]
fn the_map_is_found_by_the_name_in_the_file_or_of_the_file() {
    let folder = queries(SCEN);
    assert_eq!(bench_json(&folder, &[], 0)["map"], "a.map");
    std::fs::rename(folder.path("a.map"), folder.path("b.map")).unwrap();
    for scen in ["b.map.scen", "b.scen"] {
        folder.write(scen, SCEN);
        let result = folder.run(&["bench", scen, "--format", "json"]).code(0).json();
        assert_eq!((&result["map"], &result["file"]), (&json!("b.map"), &json!(scen)));
    }
    let message = folder.run(&["bench", "a.scen"]).refused();
    let above = "maps/some/a.map in the working folder or in a folder above the queries; expected --map FILE";
    assert_eq!(message, format!("a.scen:2: map: there is no a.map, and no {above}"));
    folder.write("c.map.scen", SCEN);
    let message = folder.run(&["bench", "c.map.scen"]).refused();
    assert_eq!(message, format!("c.map.scen:2: map: there is neither a.map nor c.map, and no {above}"));
}

/// As archives of maps and of queries are unpacked.
#[test]
fn the_map_is_found_in_other_folders() {
    let folder = Folder::with("x/maps/some/a.map", MAP);
    let run = |args: &[&str]| folder.run(&[args, &["--format", "json"]].concat());
    for scen in ["x/scen/a.scen", "x/scen/deep/er/a.scen", "x/b.scen"] {
        folder.write(scen, SCEN);
        assert_eq!(run(&["bench", scen]).code(0).json()["map"], "x/maps/some/a.map");
        assert_eq!(folder.run(&["check", scen]).done(), format!("{scen}: ok\n"));
        run(&["run", scen, "--agents", "1", "--record", "a.rec"]).code(0);
        folder.run(&["verify", "a.rec"]).code(0);
    }
    folder.write("x/scen/windows.scen", SCEN.replace('/', "\\"));
    assert_eq!(run(&["bench", "x/scen/windows.scen"]).code(0).json()["map"], "x/maps/some/a.map");
    // From the working folder, where the queries lie elsewhere.
    folder.write("y/a.scen", SCEN);
    folder.run(&["check", "y/a.scen"]).code(2);
    folder.write("maps/some/a.map", MAP);
    assert_eq!(run(&["bench", "y/a.scen"]).code(0).json()["map"], "maps/some/a.map");
    // Named, also in a folder that does not lie above.
    std::fs::rename(folder.path("maps/some/a.map"), folder.path("z.map")).unwrap();
    assert_eq!(run(&["bench", "y/a.scen", "--map", "z.map"]).code(0).json()["map"], "z.map");
    assert_eq!(folder.run(&["check", "y/a.scen", "--map", "z.map"]).done(), "y/a.scen: ok\n");
    let plan = ["--plan-out", "p.json", "--record", "a.rec"];
    let ran = run(&[&["run", "y/a.scen", "--map", "z.map", "--agents", "1"][..], &plan].concat()).code(0);
    let here = std::fs::canonicalize(folder.path("z.map")).unwrap();
    let absolute = run(&["run", "y/a.scen", "--map", here.to_str().unwrap(), "--agents", "1"]).code(0);
    assert_eq!(ran.json()["state_hash"], absolute.json()["state_hash"]);
    folder.run(&["verify", "a.rec"]).code(0);
    folder.run(&["check", "y/a.scen", "--map", "z.map", "--plan", "p.json"]).code(0);
    folder.run(&["render", "y/a.scen", "--map", "z.map", "--plan", "p.json", "--svg", "p.svg"]).code(0);
    let overwrite = ["run", "y/a.scen", "--map", "z.map", "--agents", "1", "--record", "z.map"];
    assert!(folder.run(&overwrite).refused().contains("z.map"));
    for args in [&["bench", "s.toml"][..], &["check", "s.toml"], &["check", "s.toml", "--plan", "p.json"]] {
        assert_eq!(
            folder.run(&[args, &["--map", "z.map"]].concat()).refused(),
            "--map: only queries take a map; expected it with a .scen file"
        );
    }
}

#[test]
fn bad_queries_are_refused_with_their_place() {
    assert_eq!(refused(""), "1:1: found \"\", expected \"version 1\"");
    assert_eq!(refused("version 1\n"), "2:1: the file has no query, expected one per line");
    let fields = "bucket, map, width, height, start x, start y, goal x, goal y, optimal length";
    assert_eq!(
        refused(&replaced(SCEN, "\t8\n", "\n")),
        format!("3:1: the line has 8 fields, expected 9: {fields}")
    );
    assert_eq!(
        refused(&replaced(SCEN, "\t8\n", "\tfar\n")),
        "3:31: optimal length: found \"far\", expected a number of cells such as 12 or 12.0711"
    );
    assert_eq!(
        refused(&replaced(SCEN, "\t3\t0\t8\n", "\t6\t0\t8\n")),
        "3:27: goal x: found \"6\", expected a whole number from 0 to 5"
    );
    assert_eq!(
        refused(&replaced(SCEN, "\t1\t0\t3\t0\t8\n", "\t1\t-1\t3\t0\t8\n")),
        "3:25: start y: found \"-1\", expected a whole number from 0 to 3"
    );
    assert_eq!(
        refused(&SCEN.replace("\t6\t4\t", "\t4\t6\t")),
        "2: the size of the map is 4 x 6, but a.map is 6 x 4"
    );
}

#[test]
fn bad_targets_are_refused() {
    let folder = queries(SCEN);
    let missing = "cannot be read: No such file or directory (os error 2)";
    for file in ["no.scen", "no.toml"] {
        assert_eq!(folder.run(&["bench", file]).refused(), format!("{file}: {missing}"));
    }
    let expected = "expected a scenario (.toml) or queries of the MovingAI benchmark (.scen)";
    for file in ["no", "no.json"] {
        assert_eq!(folder.run(&["bench", file]).refused(), format!("{file}: {expected}"));
    }
    assert_eq!(folder.run(&["bench", "a.map"]).refused(), format!("a.map: is a map, {expected}"));
    folder.write("folder.scen/x", "");
    assert_eq!(folder.run(&["bench", "folder.scen"]).refused(), "folder.scen: is a folder, expected a file");
    let class = folder.run(&["bench", "a.scen", "--class", "no.toml"]).refused();
    assert_eq!(class, "a.map: no class and no file named \"no.toml\"; classes of a.map: none");
    folder.write("trucks.toml", TRUCKS);
    assert_eq!(
        folder.run(&["bench", "trucks.toml", "--class", "truck"]).refused(),
        "--class: a scenario has its own classes; expected it with a .scen file"
    );
    folder.write("a.map", replaced(MAP, "......", "...x.."));
    let map = folder.run(&["bench", "a.scen"]).refused();
    assert_eq!(map, "a.map:8:4: glyph 'x' has no terrain; expected one of \".GSWT@O\"");
    let bad = folder.run(&["bench", "trucks.toml", "--threads", "0"]).code(2);
    assert!(bad.stderr.contains("expected a whole number from 1 to 1024"), "{bad:#?}");
}

#[test]
fn a_scenario_is_run_and_timed_by_phase() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let of_run = folder.run(&["run", "trucks.toml", "--format", "json"]).code(0).json();
    let ended = folder.run(&["bench", "trucks.toml", "--format", "json", "--threads", "2"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:#?}");
    let result = ended.json();
    let mut expected = vec!["bench", "file"];
    expected.extend(keys(&of_run));
    expected.extend([
        "expansions_per_s",
        "load_s",
        "single_agent_bound",
        "gates",
        "memory",
        "memory_growth_mib",
        "phase_shares",
        "peers",
    ]);
    expected.push("calibration");
    assert_eq!(keys(&result), expected);
    assert_eq!(result["single_agent_bound"], Value::Null, "trucks have orders and no tasks");
    assert_eq!(result["gates"], Value::Null);
    let memory = &result["memory"];
    assert_eq!(keys(memory), ["loaded_mib", "agent_bytes", "fields", "field_bytes", "landmark_bytes"]);
    assert!(memory["agent_bytes"].as_u64() > Some(64), "{memory}");
    assert_eq!((&result["bench"], &result["threads"]), (&json!("scenario"), &json!(2)));
    for key in ["state_hash", "ticks", "moves", "expansions", "orders_done", "flowtime"] {
        assert_eq!(result[key], of_run[key], "{key}");
    }
    let shares = &result["phase_shares"];
    assert_eq!(keys(shares), ["events", "orders", "requests", "traffic", "moves", "metrics"]);
    let shares = shares.as_object().unwrap().values().map(|share| share.as_f64().unwrap());
    assert!((shares.sum::<f64>() - 1.0).abs() < 1e-6);

    let text = folder.run(&["bench", "trucks.toml"]).done();
    for part in
        ["two trucks: 2 agents, ", " agent-ticks/s, ", "  time by phase         events ", " expansions/s\n"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.contains(&format!("  state hash            {}\n", of_run["state_hash"].as_str().unwrap())));
}

#[test]
fn tasks_are_compared_with_the_single_agent_bound() {
    let rows = vec![format!("  \"{}\",\n", ".".repeat(24)); 16].concat();
    let map_and_class =
        trucks_with("  \"........\",\n  \"..~~....\",\n  \"..~~..ss\",\n  \"........\",\n", &rows);
    let map_and_class = map_and_class.split("[[agents]]").next().unwrap();
    let text = |count: u32, more: &str| {
        format!(
            "{map_and_class}[[groups]]\nclass = \"truck\"\ncount = {count}\narea = [0, 0, 24, 16]\n\
             tasks = {{ kind = \"random\", area = [0, 0, 24, 16] }}\n{more}"
        )
    };
    let folder = Folder::with("tasks.toml", text(1, ""));
    let bench = || folder.run(&["bench", "tasks.toml", "--format", "json"]).code(0).json();
    let result = bench();
    let bound = &result["single_agent_bound"];
    assert_eq!(
        keys(bound),
        ["tasks_done", "bound_tasks_done", "permille", "confined_agents", "confined_tasks_done", "wall_s"]
    );
    assert_eq!(
        (&bound["tasks_done"], &bound["bound_tasks_done"]),
        (&result["tasks_done"], &result["tasks_done"])
    );
    assert_eq!((&bound["permille"], &result["detour_permille"]), (&json!(1000), &json!(1000)));
    let gates = &result["gates"];
    assert_eq!(keys(gates), ["number", "busiest_permille", "wall_s"]);
    assert_eq!((&gates["number"], &gates["busiest_permille"]), (&json!(0), &json!(0)));

    folder.write("tasks.toml", text(40, ""));
    let result = bench();
    let bound = &result["single_agent_bound"];
    assert_eq!(bound["tasks_done"], result["tasks_done"]);
    assert!(
        bound["permille"].as_u64() < Some(1000) && result["detour_permille"].as_u64() > Some(1000),
        "{result}"
    );
    let text_form = folder.run(&["bench", "tasks.toml"]).done();
    let line = format!(
        "  single-agent bound    {} of {} tasks, ",
        bound["tasks_done"].as_u64().unwrap(),
        bound["bound_tasks_done"].as_u64().unwrap()
    );
    assert!(text_form.contains(&line), "{line}\n{text_form}");

    assert!(text_form.contains("  gates                 0, the busiest "), "{text_form}");

    let event = "[[events]]\ntick = 3\nremove_agents = { area = [0, 0, 2, 2] }\n";
    folder.write("tasks.toml", text(4, event));
    assert_eq!(bench()["single_agent_bound"], Value::Null);
    let text_form = folder.run(&["bench", "tasks.toml"]).done();
    let line = "  single-agent bound    not computed: the scenario has 1 events; expected none\n";
    assert!(text_form.contains(line), "{text_form}");
}

#[test]
fn orders_left_do_not_fail_a_bench() {
    let short = trucks_with("ticks = 200", "ticks = 3");
    let folder = Folder::with("short.toml", short);
    folder.run(&["run", "short.toml"]).code(1);
    assert_eq!(folder.run(&["bench", "short.toml", "--format", "json"]).code(0).json()["ticks"], 3);
}

/// Queries that take minutes: each leads around a long wall.
fn long_queries() -> Folder {
    let row = format!("{}T{}\n", ".".repeat(150), ".".repeat(149));
    let open = format!("{}\n", ".".repeat(300));
    let map = format!("type octile\nheight 300\nwidth 300\nmap\n{}{open}", row.repeat(299));
    let folder = Folder::with("a.map", map);
    folder.write("a.scen", format!("version 1\n{}", "0 a.map 300 300 0 0 299 0 1\n".repeat(50_000)));
    folder
}

#[test]
fn after_ctrl_c_the_measurements_so_far_are_printed() {
    for (folder, target) in [(long_queries(), "a.scen"), (endless(), "endless.toml")] {
        let args = ["bench", target, "--format", "json"];
        let child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let_it_work(&child);
        let asked = Instant::now();
        interrupt(&child);
        let ended = Ended::of(&args, &child.wait_with_output().unwrap()).code(130);
        assert!(asked.elapsed() < Duration::from_secs(300), "{:?}", asked.elapsed());
        assert_eq!(ended.stderr, "");
        let result = ended.json();
        if target == "a.scen" {
            let answered = result["answered"].as_u64().unwrap();
            assert!(answered < 50_000, "{answered}");
            assert_eq!(result["lengths"]["checked"], answered);
            assert_eq!(result["queries_per_s"], Value::Null);
        } else {
            assert!((1..4_294_967_294).contains(&result["ticks"].as_u64().unwrap()));
        }
        assert!(result["calibration"]["load_ns"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    let folder = queries(SCEN);
    let mut child =
        folder.command(&["bench", "a.scen"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn every_key_is_in_the_help() {
    let folder = queries(SCEN);
    folder.write("trucks.toml", TRUCKS);
    let help = folder.run(&["bench", "--help"]).done();
    let words: Vec<&str> = help.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let of_run = folder.run(&["run", "trucks.toml", "--format", "json"]).json();
    let scenario = folder.run(&["bench", "trucks.toml", "--format", "json"]).json();
    let result = bench_json(&queries(&replaced(SCEN, "\t8\n", "\t7\n")), &[], 1);
    let lengths = &result["lengths"];
    let objects = [&result, lengths, &lengths["first"][0], &result["query_ms"], &result["landmarks"]];
    let objects = objects.into_iter().chain([&result["calibration"], &scenario, &scenario["phase_shares"]]);
    for key in objects.flat_map(keys).filter(|&key| of_run.get(key).is_none()) {
        assert!(words.contains(&key), "{key} is not in the help of bench");
    }
}
