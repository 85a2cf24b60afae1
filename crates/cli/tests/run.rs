//! `wheelbase run`: results, exit statuses, traces, Ctrl-C.

use crate::common::*;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Keys of the result in their order.
const KEYS: [&str; 49] = [
    "schema",
    "scenario",
    "seed",
    "threads",
    "ticks",
    "agents",
    "orders_done",
    "orders_unreachable",
    "unreachable_reasons",
    "orders_left",
    "orders_left_by",
    "tasks_done",
    "confined_agents",
    "confined_tasks_done",
    "longest_task_ticks",
    "edits_pending",
    "edits_pending_for",
    "removed",
    "not_placed",
    "collisions",
    "moves",
    "flowtime",
    "trips",
    "trips_of_no_length",
    "trip_ticks",
    "bound_ticks",
    "detour_permille",
    "progress_permille",
    "carried_permille",
    "longest_trip_ticks",
    "wait_ticks",
    "longest_wait_ticks",
    "stuck_agents",
    "wait_for_cycles",
    "no_progress_agents",
    "classes",
    "path_requests",
    "routes_exact",
    "routes_abstract",
    "leg_wait_ticks",
    "longest_request_ticks",
    "expansions",
    "state_hash",
    "wall_s",
    "ticks_per_s",
    "agent_ticks_per_s",
    "moves_per_s",
    "tick_ms",
    "peak_memory_mib",
];

fn trucks() -> Folder {
    Folder::with("trucks.toml", TRUCKS)
}

/// Thirty trucks at random poses that cross a map.
fn crowd() -> String {
    let rows = vec![format!("  \"{}\",\n", ".".repeat(32)); 24].concat();
    let trucks = trucks_with("  \"........\",\n  \"..~~....\",\n  \"..~~..ss\",\n  \"........\",\n", &rows);
    let map_and_class = trucks.split("[[agents]]").next().unwrap();
    format!(
        "{map_and_class}[[groups]]\nclass = \"truck\"\ncount = 30\narea = [0, 0, 12, 24]\n\
         orders = [{{ goto = [[28, 4], [28, 12], [28, 20]], within = 3 }}]\n"
    )
}

#[test]
fn json_has_every_key_in_order() {
    let folder = trucks();
    let ended = folder.run(&["run", "trucks.toml", "--format", "json", "--threads", "2"]).code(0);
    assert_eq!(ended.stderr, "", "no progress bar on a pipe");
    assert_eq!(ended.stdout.matches('\n').count(), 1);
    let result = ended.json();
    assert_eq!(keys(&result), KEYS);
    assert_eq!(keys(&result["tick_ms"]), ["p50", "p99", "max"]);
    assert_eq!(result["scenario"], "two trucks");
    for (key, value) in [
        ("seed", 7),
        ("threads", 2),
        ("ticks", 36),
        ("agents", 2),
        ("orders_done", 3),
        ("orders_unreachable", 0),
        ("orders_left", 0),
        ("tasks_done", 0),
        ("edits_pending", 0),
        ("removed", 0),
        ("not_placed", 0),
    ] {
        assert_eq!((key, &result[key]), (key, &json!(value)));
    }
    assert_eq!(result["collisions"], Value::Null);
    let hash = result["state_hash"].as_str().unwrap();
    assert!(hash.len() == 16 && hash.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')), "{hash}");
    for key in ["wall_s", "ticks_per_s", "agent_ticks_per_s", "moves_per_s", "peak_memory_mib"] {
        assert!(result[key].as_f64().unwrap() > 0.0, "{key}");
    }
    let checked =
        folder.run(&["run", "trucks.toml", "--format", "json", "--check-invariants"]).code(0).json();
    assert_eq!(checked["collisions"], 0);
    assert_eq!(checked["state_hash"], result["state_hash"]);
}

#[test]
fn text_is_for_people() {
    let folder = trucks();
    let text = folder.run(&["run", "trucks.toml", "--quiet", "--threads", "2"]).done();
    let lines: Vec<&str> = text.lines().collect();
    let (head, counts) = lines.split_first().unwrap();
    assert_eq!(*head, "two trucks, 36 ticks: all 3 orders done");
    let names: Vec<&str> = counts.iter().map(|line| line[..24].trim()).collect();
    assert_eq!(
        names,
        ["agents", "flowtime", "detour", "carried", "waiting", "path requests", "time", "tick", "state hash"],
        "nothing is said where there is nothing to say"
    );
    assert!(counts[0].starts_with("  agents                2, ") && counts[0].ends_with(" moves, 2 threads"));
    let checked = folder.run(&["run", "trucks.toml", "--check-invariants"]).done();
    assert!(checked.contains("\n  collisions            0\n"), "{checked}");
}

/// The result names an order that is not done, its agent, place and reason, or the obstacle of its agent.
#[test]
fn what_is_not_done_is_named() {
    let cart = |at: &str, more: &str| format!("[[agents]]\nclass = \"cart\"\nat = {at}\n{more}\n");
    let scenario = [
        "name = \"split\"\nticks = 3\n[map]\nrows = [\"....T..\"]\n".to_owned() + CART,
        cart("[0, 0, \"E\"]", "name = \"post\"\norders = [{ goto = [6, 0] }]"),
        cart("[1, 0, \"E\"]", "orders = [{ goto = [3, 0] }, { wait = 99 }]"),
    ];
    let folder = Folder::with("split.toml", scenario.concat());
    let text = folder.run(&["run", "split.toml", "--quiet"]).code(1).stdout;
    let lines: Vec<&str> = text.lines().take(6).collect();
    let moves = lines[1];
    assert!(moves.starts_with("  agents                2, "), "{text}");
    let expected = [
        "split, 3 ticks: 1 of 3 orders done, 1 unreachable, 1 left",
        moves,
        "  orders unreachable    1: 1 unreachable",
        "    tick 0              cart 0 \"post\" at (0, 0), goto: no sequence of moves leads to the goal",
        "  orders left           1, of 1 agent",
        "    dwelling            1, as cart 1 at (3, 0): it rests as its order says",
    ];
    assert_eq!(lines, expected);
    let early = folder.run(&["run", "split.toml", "--quiet", "--ticks", "1"]).code(1).stdout;
    assert!(early.contains("\n  no trip finished      1 of 2 agents: still on their first\n"), "{early}");
    let result = folder.run(&["run", "split.toml", "--format", "json"]).code(1).json();
    let by = &result["orders_left_by"];
    assert_eq!((&by[0]["rule"], &by[0]["agents"], &by[1]), (&json!("dwelling"), &json!(1), &json!(null)));
    assert_eq!((&by[0]["example"]["class"], &by[0]["example"]["agent"]), (&json!("cart"), &json!(1)));
}

#[test]
fn the_exit_status_tells_whether_orders_are_left() {
    let folder = trucks();
    let status = |more: &[&str]| {
        let ended = folder.run(&[&["run", "s.toml", "--format", "json"], more].concat());
        assert_eq!(ended.stderr, "");
        (ended.code, ended.json())
    };
    folder.write("s.toml", TRUCKS);
    assert_eq!(status(&[]).0, 0);
    let (code, result) = status(&["--ticks", "5"]);
    assert_eq!((code, &result["ticks"], &result["orders_left"]), (1, &json!(5), &json!(3)));
    let (code, result) = status(&["--ticks", "0"]);
    assert_eq!((code, &result["ticks"], &result["moves"]), (1, &json!(0), &json!(0)));
    assert_eq!(status(&["--ticks", "36"]).0, 0, "what ends at the last tick counts");
    assert_eq!(status(&["--ticks", "35"]).0, 1);
    // A patrol never ends, so the order after it never begins.
    let patrol = "[{ patrol = [[6, 3], [1, 0]] }, { wait = 1 }]";
    folder.write("s.toml", trucks_with("[{ goto = [6, 3, \"E\"] }]", patrol));
    let (code, result) = status(&[]);
    assert_eq!((code, &result["ticks"], &result["orders_left"]), (0, &json!(200), &json!(0)));
    // An order that is kept although it is unreachable.
    let shut = "[{ goto = [2, 1, \"E\"], if_unreachable = \"wait\" }]";
    folder.write("s.toml", trucks_with("[{ goto = [6, 3, \"E\"] }]", shut));
    let (code, result) = status(&[]);
    assert_eq!((code, &result["orders_left"], &result["orders_unreachable"]), (0, &json!(1), &json!(0)));
}

#[test]
fn unreachable_orders_are_a_warning_or_a_failure() {
    let shut = trucks_with("goto = [6, 3, \"E\"]", "goto = [2, 1, \"E\"]");
    let folder = Folder::with("s.toml", shut);
    let run = |more: &[&str]| folder.run(&[&["run", "s.toml", "--format", "json"], more].concat());
    let warning = "warning: 1 order proved unreachable: 1 goal_blocked\n";
    let ended = run(&[]).code(0);
    assert_eq!((ended.stderr.as_str(), &ended.json()["orders_unreachable"]), (warning, &json!(1)));
    assert_eq!(run(&["--fail-unreachable", "-q", "-j", "1"]).code(1).stderr, warning);
    folder.write("s.toml", TRUCKS);
    assert_eq!(run(&["--fail-unreachable"]).code(0).stderr, "");
}

#[test]
fn a_hyphen_is_standard_input() {
    let folder = Folder::with("lane.map", "type octile\nheight 1\nwidth 4\nmap\n....\n");
    let scenario = format!(
        "name = \"lane\"\nticks = 9\n[map]\nfile = \"lane.map\"\n{CART}[[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\n\
         orders = [{{ goto = [3, 0] }}]\n"
    );
    let given = |args: &[&str], text: &str| {
        let mut child = folder
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        Ended::of(args, &child.wait_with_output().unwrap())
    };
    let args = ["run", "-", "--format", "json", "--record", "a.rec"];
    assert_eq!(given(&args, &scenario).code(0).json()["orders_done"], 1);
    folder.run(&["verify", "a.rec"]).code(0);
    assert_eq!(given(&["check", "-"], &scenario).done(), "-: ok\n");
    let wrong = scenario.replace("goto = [3, 0]", "goto = [4, 0]");
    assert!(given(&["run", "-"], &wrong).refused().contains("-:15"));
    let query = "{\"from\":[0,0,\"-\"],\"to\":[3,0,\"any\"]}\n";
    let answers = given(&["plan", "lane.map", "--queries", "-"], query).code(0).json_lines();
    assert_eq!(answers[0]["cost"], 30000);
}

#[test]
fn one_is_singular() {
    let folder = Folder::with("s.toml", trucks_with("ticks = 200", "ticks = 1"));
    let text = folder.run(&["run", "s.toml", "--threads", "1"]).code(1).stdout;
    assert!(text.starts_with("two trucks, 1 tick: ") && text.contains(", 1 thread\n"), "{text}");
}

#[test]
fn the_version_names_commit_target_and_formats() {
    let folder = Folder::new();
    let version = folder.run(&["--version"]).done();
    let lines: Vec<&str> = version.lines().collect();
    assert!(lines[0].starts_with("wheelbase 0.") && lines[1].starts_with("commit: "), "{version}");
    assert!(lines[2].starts_with("target: ") && lines[2].contains('-'), "{version}");
    assert!(lines[3].starts_with("formats: results 2, trace 1, recording "), "{version}");
    assert_eq!(folder.run(&["-V"]).done().lines().count(), 1);
}

#[test]
fn help_has_help() {
    let folder = Folder::new();
    assert!(folder.run(&["help", "--help"]).done().contains("Usage: wheelbase help [OPTIONS] [COMMAND]"));
    assert_eq!(folder.run(&["help"]).done(), folder.run(&["--help"]).done());
    assert_eq!(folder.run(&["help", "bench"]).done(), folder.run(&["bench", "--help"]).done());
    let wrong = folder.run(&["help", "rnu"]).refused();
    assert_eq!(wrong, "no subcommand is called \"rnu\"; did you mean \"run\"?");
}

#[test]
fn arguments_override_the_scenario() {
    let folder = Folder::with("crowd.toml", crowd());
    let run = |more: &[&str]| folder.run(&[&["run", "crowd.toml", "--format", "json"], more].concat());
    let result = run(&[]).json();
    assert_eq!(result["seed"], 7);
    let reseeded = run(&["--seed", "18446744073709551615"]).json();
    assert_eq!(reseeded["seed"], u64::MAX);
    assert_ne!(reseeded["state_hash"], result["state_hash"]);
    let slow = run(&["--expansions-per-tick", "20"]).json();
    assert!(slow["longest_request_ticks"].as_u64() > result["longest_request_ticks"].as_u64());
    // Two carts in a lane: one must yield into the bay, and may find no way there.
    let lane = format!(
        "name = \"lane\"\nticks = 500\n[map]\nrows = [\"@@@@.@@@@\", \".........\"]\n{CART}\
         [[agents]]\nclass = \"cart\"\nat = [0, 1, \"E\"]\norders = [{{ goto = [8, 1] }}]\n\
         [[agents]]\nclass = \"cart\"\nat = [8, 1, \"W\"]\norders = [{{ goto = [0, 1] }}]\n"
    );
    folder.write("lane.toml", lane);
    assert_eq!(folder.run(&["run", "lane.toml", "--format", "json"]).code(0).json()["orders_done"], 2);
    let frugal =
        folder.run(&["run", "lane.toml", "--format", "json", "--poses-per-agent", "1"]).code(0).json();
    let usual = folder.run(&["run", "lane.toml", "--format", "json"]).code(0).json();
    assert!(frugal["ticks"].as_u64() > usual["ticks"].as_u64());
    let clumsy = |more: &[&str]| {
        let tuned = ["search_nodes=1", "search_nodes_after_waiting=1", "retreat_poses=1", "horizon_steps=1"];
        let tuned = tuned.iter().flat_map(|one| ["--tune", *one]);
        folder.run(&["run"].into_iter().chain(more.iter().copied()).chain(tuned).collect::<Vec<_>>()).code(1)
    };
    let stopped = clumsy(&["lane.toml", "--format", "json"]).json();
    assert_eq!((&stopped["orders_left"], &stopped["stuck_agents"]), (&json!(2), &json!(2)));
    let ring = json!([{ "agents": [0, 1], "at": [[5, 1], [4, 1]], "ring": true, "waiting": 2 }]);
    assert_eq!(stopped["wait_for_cycles"], ring);
    let text = clumsy(&["lane.toml"]).stdout;
    let expected = "0 waits for 1 at (5, 1), 1 for 0 at (4, 1), in a ring; 2 agents stuck in or behind it";
    assert!(text.contains(expected), "{text}");
    // A queue behind an agent that has arrived.
    folder.write("queue.toml", QUEUE.replace("CART", CART));
    let queue = clumsy(&["queue.toml", "--format", "json"]).json();
    assert_eq!(queue["stuck_agents"], 2);
    let idle = json!({ "rule": "nothing_to_do", "text": "nothing is left for it to do" });
    let rests = json!([{ "agents": [1, 0], "at": [[7, 0]], "ring": false, "waiting": 2, "reason": idle }]);
    assert_eq!(queue["wait_for_cycles"], rests);
    let longest = &queue["classes"][0]["longest_wait"];
    let text = "0 is at (7, 0) and cannot make way";
    let in_way = json!({ "rule": "roadblock", "holder": 0, "at": [7, 0], "text": text });
    assert_eq!((&longest["tick"], &longest["reason"]), (&json!(499), &in_way));
    let text = clumsy(&["queue.toml"]).stdout;
    assert!(
        text.contains("1 waits for 0 at (7, 0), 0: nothing is left for it to do; 2 agents stuck"),
        "{text}"
    );
}

/// The budgets of the two rules: each is refused with the other, and the message names the right one.
#[test]
fn each_rule_has_its_own_budget() {
    let folder = Folder::with("crowd.toml", crowd());
    let message = folder.run(&["run", "crowd.toml", "--tries-per-tick", "5"]).code(2).stderr;
    assert!(
        message.contains("crowd.toml: only a problem (.json) has tries_per_tick; expected poses_per_agent (--poses-per-agent N)"),
        "{message}"
    );
    folder.write("old.toml", format!("tries_per_tick = 20_000\n{}", crowd()));
    let message = folder.run(&["run", "old.toml"]).code(2).stderr;
    assert!(message.contains("1: tries_per_tick: unknown key, expected name, seed"), "{message}");
    folder.write("problem.json", "{}");
    let message =
        folder.run(&["run", "problem.json", "--ticks", "5", "--poses-per-agent", "5"]).code(2).stderr;
    assert!(
        message.contains(
            "problem.json: only a scenario has poses_per_agent; expected tries_per_tick (--tries-per-tick N)"
        ),
        "{message}"
    );
}

/// Three carts in a queue in a lane; the first has arrived.
const QUEUE: &str = r#"
name = "queue"
ticks = 500
[map]
rows = [".........."]
CART
[[agents]]
class = "cart"
at = [7, 0, "E"]
[[agents]]
class = "cart"
at = [5, 0, "E"]
orders = [{ goto = [9, 0] }]
[[agents]]
class = "cart"
at = [3, 0, "E"]
orders = [{ goto = [8, 0] }]
"#;

#[test]
fn the_state_hash_is_the_same_for_any_number_of_threads() {
    let folder = Folder::with("crowd.toml", crowd());
    let run = |threads: &str| {
        let args = ["run", "crowd.toml", "--format", "json", "--check-invariants", "--threads", threads];
        let trace = format!("{threads}.jsonl");
        let ended = folder.run(&[&args[..], &["--trace", &trace]].concat());
        (outcome(&ended.json()), folder.read(&trace))
    };
    let one = run("1");
    assert!(one.0["moves"].as_u64() > Some(300) && one.0["collisions"] == 0, "{}", one.0);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("8"));
}

#[test]
fn a_trace_begins_with_the_map_and_ends_with_the_result() {
    let folder = Folder::with("trucks.toml", trucks_with("[map]\n", "[map]\nwalls = [[6, 0, 6, 1]]\n"));
    let ended = folder.run(&["run", "trucks.toml", "--format", "json", "--trace", "t.jsonl"]).code(0);
    assert_eq!(ended.stderr, "");
    let text = folder.read("t.jsonl");
    let lines = json_lines(&text);
    let header = concat!(
        r#"{"trace":1,"scenario":"two trucks","seed":7,"collision":"swept","shape":"square","size":[8,4],"#,
        r#""terrain":[["deep",0],["shallow",500],["ground",1000],["swamp",500],["water",0],["trees",0],["out",0]],"#,
        r#""cells":[[10,2],[2,0],[6,2],[2,0],[2,2],[2,1],[8,2]],"#,
        r#""sides":[[5,0,"E",1],[6,0,"W",1]],"side_kinds":[["open",65535],["wall",0]],"#,
        r#""classes":{"truck":{"headings":4,"footprint":[[-1,0],[0,0]],"sweep":"ends","moves":["#,
        r#"{"name":"forward","by":[1,0],"time":2},{"name":"reverse","by":[-1,0],"time":6},"#,
        r#"{"name":"left","turn":1,"time":4},{"name":"right","turn":-1,"time":4}]}}}"#,
    );
    assert_eq!(text.lines().next(), Some(header));
    let end = lines.last().unwrap();
    assert_eq!(keys(end), ["t", "end"]);
    let result = ended.json();
    assert_eq!(end["t"], result["ticks"]);
    assert_eq!(end["end"].to_string(), outcome(&result).to_string());

    assert_eq!(text.lines().nth(1), Some(r#"{"t":0,"spawn":0,"class":"truck","at":[1,0,"E"]}"#));
    let order = r#"{"t":0,"agent":1,"order":{"goto":[1,0],"within":1}}"#;
    assert!(text.lines().any(|line| line == order), "{text}");
    let moves: Vec<&Value> = lines.iter().filter(|line| line.get("move").is_some()).collect();
    assert_eq!(result["moves"], moves.len());
    assert!(moves.iter().all(|line| keys(line) == ["t", "agent", "move", "to", "until"]));
    let done = lines.iter().filter(|line| line.get("done").is_some()).count();
    assert_eq!(result["orders_done"], done);
    let ticks: Vec<u64> = lines[1..].iter().map(|line| line["t"].as_u64().unwrap()).collect();
    assert!(ticks.is_sorted());
}

#[test]
fn a_trace_has_edits_and_unreachable_orders() {
    let events = "[[events]]\ntick = 3\nset_terrain = { area = [7, 0, 9, 1], kind = \"deep\", on_agents = \"strand\" }\n";
    let scenario = trucks_with("goto = [6, 3, \"E\"]", "goto = [2, 1]") + events;
    let folder = Folder::with("s.toml", scenario);
    let result = folder.run(&["run", "s.toml", "--format", "json", "--trace", "t.jsonl"]).code(0).json();
    assert_eq!(result["orders_unreachable"], 1);
    let trace = folder.read("t.jsonl");
    let has = |line: &str| assert!(trace.lines().any(|other| other == line), "{line} is not in\n{trace}");
    has(r#"{"t":3,"set_terrain":{"cells":[[7,0]],"kind":0},"on_agents":"strand","asked":3,"ticket":0}"#);
    has(r#"{"t":0,"agent":0,"unreachable":"goto","reason":"goal_blocked"}"#);
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    let folder = trucks();
    for more in [&["--format", "json"][..], &["--format", "text"], &["--trace", "/dev/stdout"]] {
        let args = [&["run", "trucks.toml"], more].concat();
        let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = Ended::of(&args, &child.wait_with_output().unwrap()).code(0);
        assert_eq!(ended.stderr, "");
    }
    // A closed standard error is ignored.
    let mut child =
        folder.command(&["run", "no.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

#[test]
fn after_ctrl_c_all_files_are_complete() {
    let folder = endless();
    let args = ["run", "endless.toml", "--format", "json", "--trace", "t.jsonl"];
    let child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let_it_work(&child);
    let asked = Instant::now();
    interrupt(&child);
    let ended = Ended::of(&args, &child.wait_with_output().unwrap()).code(130);
    assert!(asked.elapsed() < Duration::from_secs(300), "{:?}", asked.elapsed());
    assert_eq!(ended.stderr, "");
    let mut result = ended.json();
    assert_eq!(result.as_object_mut().unwrap().remove("interrupted"), Some(json!(true)));
    assert_eq!(keys(&result), KEYS);
    let ticks = result["ticks"].as_u64().unwrap();
    assert!((1..4_294_967_294).contains(&ticks));
    let trace = json_lines(&folder.read("t.jsonl"));
    assert_eq!(trace[0]["trace"], 1);
    let end = trace.last().unwrap();
    assert_eq!((&end["t"], &end["end"]), (&json!(ticks), &outcome(&result)));
    // An uninterrupted run of the same length has the same state.
    let ticks = ticks.to_string();
    let again = folder.run(&["run", "endless.toml", "--format", "json", "--ticks", &ticks]).json();
    assert_eq!(again["state_hash"], result["state_hash"]);
}

#[test]
fn nothing_but_data_is_on_standard_output() {
    let folder = Folder::with("crowd.toml", crowd());
    for more in [&[][..], &["--quiet"]] {
        let ended = folder.run(&[&["run", "crowd.toml", "--format", "json"], more].concat());
        assert_eq!((ended.stderr.as_str(), ended.json_lines().len()), ("", 1));
    }
    assert!(folder.run(&["--version"]).done().starts_with("wheelbase 0."));
    let missing = folder.run(&[]).code(2);
    assert!(missing.stdout.is_empty() && missing.stderr.contains("Usage: wheelbase [OPTIONS] <COMMAND>"));
}
