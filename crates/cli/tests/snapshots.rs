//! `run --snapshot` and `run --resume`: equal to a straight run, and safe from kills, full disks and forged files.

use crate::common::*;
use serde_json::Value;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wheelbase_sim::{AgentId, Host, World};

/// Carts and trucks with tasks, a door that closes and opens, and agents that come later: it never ends.
const BUSY: &str = r#"
name = "busy"
ticks = 4000000000
seed = 5
[map]
generate = { kind = "rooms", size = [40, 30], seed = 2 }
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "left", turn = 1, time = 1 },
    { name = "right", turn = -1, time = 1 },
]
[class.truck]
headings = 4
footprint = ["X>"]
moves = [
    { name = "forward", by = [1, 0], time = 3 },
    { name = "reverse", by = [-1, 0], time = 9 },
    { name = "left", turn = 1, time = 3 },
    { name = "right", turn = -1, time = 3 },
]
[[groups]]
class = "cart"
count = 25
area = [0, 0, 40, 30]
tasks = { kind = "random", area = [0, 0, 40, 30] }
[[groups]]
class = "cart"
count = 8
area = [0, 0, 40, 30]
orders = [{ goto_group = [20, 14], fallback = "nearest" }, { wait = 30 }, { patrol = [[3, 3], [36, 26]] }]
[[events]]
tick = 120
set_terrain = { area = [18, 10, 3, 3], kind = "water", on_agents = "wait" }
[[events]]
tick = 500
set_terrain = { area = [18, 10, 3, 3], kind = "ground" }
"#;

fn busy() -> Folder {
    Folder::with("busy.toml", BUSY)
}

#[test]
fn a_resumed_run_ends_as_a_straight_one() {
    let folder = busy();
    let straight = run_outcome(&folder, &["busy.toml", "--ticks", "900"]);
    run_outcome(&folder, &["busy.toml", "--ticks", "400", "--snapshot", "a.snap"]);
    // In steps, into the file that is resumed, with other numbers of threads.
    run_outcome(&folder, &["--resume", "a.snap", "--ticks", "411", "--snapshot", "a.snap", "--threads", "1"]);
    let args = ["--resume", "a.snap", "--ticks", "900", "--snapshot", "b.snap", "--snapshot-every", "100"];
    assert_eq!(run_outcome(&folder, &args), straight);
    let again = run_outcome(&folder, &["--resume", "b.snap"]);
    assert_eq!(again["state_hash"], straight["state_hash"]);
    assert!(!folder.path("b.snap.part").exists());
}

/// Recording and trace of a resumed run begin where it goes on, and tell what a straight run tells from there.
#[test]
fn a_resumed_run_is_recorded_and_traced() {
    let folder = busy();
    run_outcome(&folder, &["busy.toml", "--ticks", "500", "--trace", "straight.jsonl"]);
    for tick in ["0", "1", "123", "400"] {
        run_outcome(&folder, &["busy.toml", "--ticks", tick, "--snapshot", "a.snap"]);
        let written = ["--trace", "a.jsonl", "--record", "a.rec", "--metrics", "a.csv"];
        run_outcome(&folder, &[&["--resume", "a.snap", "--ticks", "500"][..], &written].concat());
        let n_ticks = 500 - tick.parse::<u32>().unwrap();
        let verified = folder.run(&["verify", "a.rec"]).done();
        assert!(verified.contains(&format!("equal for {n_ticks} ticks of {n_ticks}")), "{verified}");
        let lines = |name: &str| -> Vec<Value> {
            let text = fs::read_to_string(folder.path(name)).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let (straight, resumed) = (lines("straight.jsonl"), lines("a.jsonl"));
        let of_header = resumed[0].get("tick").map_or("0".to_owned(), Value::to_string);
        assert_eq!(of_header, tick);
        // What the agents have comes first, then the same lines.
        let opening = |line: &&Value| {
            let key = |key: &str| line.get(key).is_some();
            key("trace") || key("spawn") || key("order") || key("task") || key("move")
        };
        let begun = resumed.iter().take_while(opening).count();
        assert!(begun > 30, "{begun}");
        let later = &resumed[begun..];
        assert!(straight.ends_with(later) && later.len() > 100, "resumed at {tick}: {} lines", later.len());
        folder.run(&["render", "a.rec", "--html", "a.html", "--png", "a.png", "--tick", "450"]).done();
        folder.run(&["report", "a.rec", "--html", "b.html"]).code(0);
    }
    let early = folder.run(&["render", "a.rec", "--png", "a.png", "--tick", "399"]).refused();
    assert!(early.contains("has no tick 399; expected one from 400 to "), "{early}");
    let plan = folder.run(&["run", "--resume", "a.snap", "--plan-out", "a.json"]).refused();
    assert!(plan.contains("--plan-out"), "{plan}");
}

/// A report holds the last snapshot and the commands since; the program gives them again.
#[test]
fn a_crash_report_is_resumed() {
    let folder = busy();
    run_outcome(&folder, &["busy.toml", "--ticks", "200", "--snapshot", "a.snap"]);
    let bytes = fs::read(folder.path("a.snap")).unwrap();
    let mut world = World::load(&bytes, Host::default()).unwrap();
    world.set_ticks(400);
    world.keep_report().unwrap();
    for tick in 200..300 {
        if tick % 10 == 3 {
            world.command(wheelbase_sim::Command::remove(AgentId(tick / 10)));
        }
        world.step();
    }
    let report = world.report().unwrap();
    fs::write(folder.path("a.report"), &report).unwrap();
    let resumed = run_outcome(&folder, &["--resume", "a.report", "--check-invariants", "--record", "a.rec"]);
    world.run();
    assert_eq!(resumed["state_hash"], format!("{:016x}", world.state_hash()));
    assert_eq!(resumed["removed"], 10);
    assert!(folder.run(&["verify", "a.rec"]).done().contains("equal for 200 ticks of 200"));
    let mut forged = report.clone();
    *forged.last_mut().unwrap() ^= 1;
    fs::write(folder.path("b.report"), &forged).unwrap();
    let refused = folder.run(&["run", "--resume", "b.report"]).refused();
    assert!(refused.contains("b.report: block 4 is damaged"), "{refused}");
    fs::write(folder.path("c.report"), &report[..30]).unwrap();
    let refused = folder.run(&["run", "--resume", "c.report"]).refused();
    assert!(refused.contains("c.report: crash report: is cut off"), "{refused}");
}

#[test]
fn what_is_no_snapshot_is_refused() {
    let folder = busy();
    run_outcome(&folder, &["busy.toml", "--ticks", "50", "--snapshot", "a.snap"]);
    let bytes = fs::read(folder.path("a.snap")).unwrap();
    let refused = |name: &str| folder.run(&["run", "--resume", name]).refused();
    let expected = "expected a snapshot from --snapshot, or a crash report";
    assert_eq!(refused("busy.toml"), format!("busy.toml: is a scenario, {expected}"));
    assert!(refused("none.snap").contains("none.snap: cannot be read"));
    folder.write("cut.snap", &bytes[..bytes.len() - 3]);
    assert!(refused("cut.snap").ends_with("is cut off"), "{}", refused("cut.snap"));
    folder.write("long.snap", [&bytes[..], b"x"].concat());
    assert!(refused("long.snap").contains("behind the last block"));
    let mut version = bytes.clone();
    version[8] += 1;
    folder.write("version.snap", version);
    let why = refused("version.snap");
    assert!(why.contains("damaged") || why.contains("version"), "{why}");
    assert!(refused(".").contains("is a folder"));
    let began = Instant::now();
    File::create(folder.path("large.snap")).unwrap().set_len(1 << 30).unwrap();
    assert!(refused("large.snap").ends_with(expected));
    assert!(refused("/dev/zero").contains("is a pipe or device"));
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    assert!(refused("pipe").contains("is a pipe or device"));
    assert!(began.elapsed() < Duration::from_secs(300), "it waits for a pipe or reads a large file");
    let twice = folder.run(&["run", "busy.toml", "--resume", "a.snap"]).refused();
    assert!(twice.contains("--resume"), "{twice}");
}

#[test]
fn a_killed_run_leaves_an_old_or_a_new_snapshot() {
    let folder = busy();
    run_outcome(&folder, &["busy.toml", "--ticks", "20", "--snapshot", "a.snap"]);
    let mut random = Lcg(7);
    let mut ticks = Vec::new();
    for _ in 0..12 {
        let args = [
            "run",
            "--resume",
            "a.snap",
            "--ticks",
            "4000000",
            "--snapshot",
            "a.snap",
            "--snapshot-every",
            "1",
        ];
        let mut child = folder.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(60 + random.below(200) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = folder.run(&["run", "--resume", "a.snap", "--ticks", "0", "--format", "json"]).json();
        ticks.push(found["ticks"].as_u64().unwrap());
    }
    assert!(ticks.is_sorted() && ticks.last() > ticks.first(), "{ticks:?}");
    let tick = ticks.last().unwrap().to_string();
    let resumed = run_outcome(&folder, &["--resume", "a.snap", "--ticks", &tick]);
    let straight = run_outcome(&folder, &["busy.toml", "--ticks", &tick]);
    assert_eq!(resumed["state_hash"], straight["state_hash"]);
}

#[test]
fn a_snapshot_that_cannot_be_written_costs_nothing_else() {
    let folder = busy();
    fs::create_dir(folder.path("shut")).unwrap();
    let ended =
        folder.run(&["run", "busy.toml", "--ticks", "30", "--snapshot", "none/a.snap", "--format", "json"]);
    let ended = ended.code(2);
    assert_eq!(ended.json()["ticks"], 30);
    if std::path::Path::new("/dev/full").exists() {
        let full = folder.run(&["run", "busy.toml", "--ticks", "30", "--snapshot", "/dev/full"]).code(2);
        drop(full);
    }
}
