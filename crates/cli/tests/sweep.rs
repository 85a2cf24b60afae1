//! `wheelbase sweep`: one table, whatever the way to it.

use crate::common::*;
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

/// Carts at random places that drive to tasks at random places.
const CARTS: &str = r#"name = "carts"
seed = 1
ticks = 150

[map]
rows = [
  "............",
  "....WW......",
  "....WW......",
  "............",
  "............",
  ".....WW.....",
  ".....WW.....",
  "............",
]

[class.cart]
headings = 4
moves = [
  { name = "forward", by = [1, 0], time = 2 },
  { name = "left", turn = 1, time = 2 },
  { name = "right", turn = -1, time = 2 },
]

[[groups]]
class = "cart"
count = 3
area = [0, 0, 12, 8]
tasks = { kind = "random", area = [0, 0, 12, 8] }
"#;

const OUT: &str = "runs.csv";

/// 60 items: 2 scenarios, 3 numbers of carts, 10 seeds.
const SWEEP: [&str; 6] =
    ["sweep", "b.toml", "a.toml", "--seeds=0..10", "--set=groups[0].count=6,2,4", "--quiet"];

fn carts() -> Folder {
    let folder = Folder::with("a.toml", CARTS);
    folder.write("b.toml", replaced(CARTS, "\"carts\"", "\"others\"").replace("time = 2", "time = 3"));
    folder
}

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

/// Runs a sweep into a file; gives the table.
#[track_caller]
fn table(folder: &Folder, args: &[&str], out: &str) -> String {
    folder.run(&with(args, &["--out", out])).done();
    assert!(!folder.path(&format!("{out}.part")).exists());
    folder.read(out)
}

fn number_of_items() -> (usize, usize, String) {
    // By hand: WHEELBASE_SWEEP_KILLS=50 WHEELBASE_SWEEP_SEEDS=84 makes 504 items.
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let seeds = number("WHEELBASE_SWEEP_SEEDS").unwrap_or(10);
    (number("WHEELBASE_SWEEP_KILLS").unwrap_or(10), seeds * 6, format!("--seeds=0..{seeds}"))
}

#[test]
fn one_table_whatever_the_way() {
    let folder = carts();
    let (kills, n_items, seeds) = number_of_items();
    let mut sweep = SWEEP;
    sweep[3] = &seeds;
    let one = table(&folder, &with(&sweep, &["-j", "1"]), "one.csv");
    assert_eq!(one.lines().count(), n_items + 1);
    let first: Vec<&str> = one.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((first[..3].join(","), first[4]), ("b.toml,6,0".to_owned(), "done"));
    assert_eq!(table(&folder, &with(&sweep, &["-j", "2"]), "two.csv"), one);
    // Shards, in any order.
    for shard in ["3/3", "1/3", "2/3"] {
        let out = format!("part{}.csv", &shard[..1]);
        let part = table(&folder, &with(&sweep, &["--shard", shard]), &out);
        assert_eq!(part.lines().count(), n_items / 3 + 1);
    }
    let merge = ["sweep", "--quiet", "--merge", "part2.csv", "part3.csv", "part1.csv"];
    assert_eq!(table(&folder, &merge, "merged.csv"), one);
    // Killed at random moments, and resumed.
    let mut random = Lcg(7);
    let killed = with(&sweep, &["-j", "2", "--out", "killed.csv", "--resume"]);
    let mut interrupted = 0;
    for _ in 0..kills {
        let mut child = folder.command(&killed).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + random.below(10 * n_items / kills) as u64));
        child.kill().unwrap();
        interrupted += usize::from(!child.wait().unwrap().success());
        if folder.path("killed.csv").exists() {
            // Once more from the start, over the finished file.
            assert_eq!(folder.read("killed.csv"), one);
            std::fs::remove_file(folder.path("killed.csv")).unwrap();
        }
    }
    assert!(interrupted > 0);
    println!("{kills} kills, {interrupted} of them while it ran, {n_items} items");
    folder.run(&killed).code(0);
    assert_eq!(folder.read("killed.csv"), one);
    // Nothing is left to do.
    folder.run(&killed).code(0);
    assert_eq!(folder.read("killed.csv"), one);
}

#[test]
fn a_row_is_what_run_gives() {
    let folder = carts();
    let args = with(&SWEEP, &["--measure", "all"]);
    let rows = table(&folder, &args, "runs.jsonl");
    let rows = json_lines(&rows);
    assert_eq!(rows.len(), 60);
    for (file, count, seed) in [("b.toml", 6, 0), ("a.toml", 2, 7), ("a.toml", 4, 9)] {
        let is_it =
            |row: &&Value| row["scenario"] == file && row["groups[0].count"] == count && row["seed"] == seed;
        let row = rows.iter().find(is_it).unwrap().as_object().unwrap();
        folder.write("set.toml", folder.read(file).replace("count = 3", &format!("count = {count}")));
        let run = run_outcome(&folder, &["set.toml", "--seed", &seed.to_string()]);
        let run = run.as_object().unwrap();
        let fixed = ["scenario", "seed", "key", "status", "reason", "groups[0].count"];
        let measures: Vec<&String> = row.keys().filter(|key| !fixed.contains(&key.as_str())).collect();
        assert_eq!(measures, run.keys().skip(3).collect::<Vec<_>>());
        assert!(measures.iter().all(|key| row[*key] == run[*key]), "{row:?}\n{run:?}");
    }
    let csv = table(&folder, &with(&SWEEP, &["--measure", "moves,state_hash"]), OUT);
    let csv: Vec<&str> = csv.lines().collect();
    assert_eq!(csv[0], "scenario,groups[0].count,seed,key,status,reason,moves,state_hash");
    for (line, row) in csv[1..].iter().zip(&rows) {
        let cell = |name: &str| row[name].as_str().map_or(row[name].to_string(), str::to_owned);
        assert!(line.ends_with(&format!(",done,,{},{}", cell("moves"), cell("state_hash"))), "{line}");
    }
}

#[test]
fn a_failed_item_is_a_row() {
    let folder = carts();
    let args = ["sweep", "a.toml", "--seeds", "0..2", "--set", "groups[0].count=500,2,-1", "--out", OUT];
    let ended = folder.run(&with(&args, &["--record-failed", "failed", "--check-invariants"])).code(0);
    assert!(
        ended.stderr.contains(
            "runs.csv: 6 rows, 4 not_loaded\n  the first that failed: a.toml, groups[0].count = 500, seed 0: "
        ),
        "{}",
        ended.stderr
    );
    let rows = folder.read(OUT);
    let rows: Vec<&str> = rows.lines().collect();
    for (row, status) in
        rows[1..].iter().zip(["not_loaded", "not_loaded", "done", "done", "not_loaded", "not_loaded"])
    {
        assert!(row.contains(&format!(",{status},")), "{row}");
        let key = row.split(',').nth(3).unwrap();
        let recorded = folder.path(&format!("failed/{key}.toml"));
        assert_eq!(recorded.exists(), status != "done");
        if recorded.exists() {
            let checked = folder.run(&["run", &format!("failed/{key}.toml"), "--quiet"]).code(2);
            assert!(checked.stderr.contains("groups[0]"), "{}", checked.stderr);
        }
    }
    assert!(rows[5].contains("groups[0].count: expected a whole number"), "{}", rows[5]);
    // Invariants are checked: their count is no empty cell.
    let at = rows[0].split(',').position(|name| name == "collisions").unwrap();
    assert_eq!(rows[3].split(',').nth(at), Some("0"));
}

/// Cuts the file of a whole table to some rows, as if its sweep had been killed.
fn cut_to_part(folder: &Folder, table: &str, rows: usize, torn: &str) {
    let lines: String = table.lines().take(rows + 1).map(|line| format!("{line}\n")).collect();
    folder.write("runs.csv.part", lines + torn);
    let _ = std::fs::remove_file(folder.path(OUT));
}

#[test]
fn a_torn_line_is_computed_again() {
    let folder = carts();
    let whole = table(&folder, &SWEEP, OUT);
    let line = whole.lines().nth(21).unwrap();
    for torn in ["", "b", &line[..line.len() / 2], line, "b.toml,6,0,\"quoted\nline"] {
        cut_to_part(&folder, &whole, 20, torn);
        assert_eq!(table(&folder, &with(&SWEEP, &["--resume"]), OUT), whole, "{torn}");
    }
    // The header itself.
    folder.write("runs.csv.part", &whole[..30]);
    std::fs::remove_file(folder.path(OUT)).unwrap();
    assert_eq!(table(&folder, &with(&SWEEP, &["--resume"]), OUT), whole);
    // A line in the middle that is no row is another thing.
    cut_to_part(&folder, &whole, 20, "nonsense\n");
    let refused = folder.run(&with(&SWEEP, &["--resume", "--out", OUT])).refused();
    let columns = whole.lines().next().unwrap().split(',').count();
    let expected = format!("runs.csv.part: line 22: expected {columns} cells, found 1");
    assert!(refused.contains(&expected), "{refused}");
}

#[test]
fn resuming_keeps_what_is_there() {
    let folder = carts();
    let whole = table(&folder, &SWEEP, OUT);
    let resume = with(&SWEEP[..5], &["--resume", "--out", OUT]);
    cut_to_part(&folder, &whole, 20, "");
    let ended = folder.run(&resume).code(0);
    assert!(ended.stderr.starts_with("20 rows kept; 40 items to run\n"), "{}", ended.stderr);
    let ended = folder.run(&resume).code(0);
    assert!(ended.stderr.starts_with("60 rows kept; 0 items to run\n"), "{}", ended.stderr);
    // More seeds go on with a finished table.
    let mut more = resume.clone();
    more[3] = "--seeds=0..12";
    let ended = folder.run(&more).code(0);
    assert!(ended.stderr.starts_with("60 rows kept; 12 items to run\n"), "{}", ended.stderr);
    // Fewer would lose rows.
    let refused = folder.run(&resume).refused();
    assert!(refused.contains("runs.csv: line 12: b.toml, 6, seed 10 is no item of this sweep"), "{refused}");
    // Another text of a scenario makes other items of it, and leaves the items of the other one alone.
    table(&folder, &SWEEP, OUT);
    folder.write("a.toml", CARTS.replace("ticks = 150", "ticks = 160"));
    let ended = folder.run(&resume).code(0);
    assert!(
        ended.stderr.starts_with("30 rows kept, 30 left out: they are of other files"),
        "{}",
        ended.stderr
    );
    let resumed = folder.read(OUT);
    assert_eq!(table(&folder, &SWEEP, OUT), resumed);
    // Without --resume the part of an earlier sweep is replaced.
    folder.write("runs.csv.part", "nonsense\n");
    assert_eq!(table(&folder, &SWEEP, OUT), resumed);
}

#[test]
fn rows_that_differ_are_named() {
    let folder = carts();
    let whole = table(&folder, &SWEEP, OUT);
    let at = whole.lines().next().unwrap().split(',').position(|name| name == "moves").unwrap();
    let changed: String = whole
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if number == 5 {
                cells[at] = "77777";
            }
            cells.join(",") + "\n"
        })
        .collect();
    folder.write("runs.csv.part", &changed);
    let ended = folder.run(&with(&SWEEP, &["--resume", "--out", OUT])).code(1);
    let named = "error: runs.csv:6 and runs.csv.part:6: the row of b.toml, groups[0].count = 6, seed 4 was computed twice, and differs: moves is ";
    assert!(ended.stderr.starts_with(named) && ended.stderr.contains("and 77777"), "{}", ended.stderr);
    folder.write("other.csv", &changed);
    std::fs::copy(folder.path("runs.csv.manifest.json"), folder.path("other.csv.manifest.json")).unwrap();
    let ended = folder.run(&["sweep", "--merge", "other.csv", OUT, "--out", "both.csv"]).code(1);
    assert!(ended.stderr.contains("other.csv:6 and runs.csv:6: the row of b.toml"), "{}", ended.stderr);
    assert!(!folder.path("both.csv").exists());
    assert_eq!(folder.read(OUT), whole);
    // Times are no difference.
    let times = with(&SWEEP, &["--times"]);
    let first = table(&folder, &times, "times.csv");
    assert!(first.lines().next().unwrap().ends_with(",wall_s"));
    folder.write(
        "times.csv.part",
        first
            .lines()
            .map(|line| {
                format!(
                    "{}\n",
                    match line.rsplit_once(',') {
                        Some((row, time)) if time != "wall_s" => format!("{row},9.5"),
                        _ => line.to_owned(),
                    }
                )
            })
            .collect::<String>(),
    );
    assert_eq!(table(&folder, &with(&times, &["--resume"]), "times.csv"), first);
}

#[test]
fn tables_that_do_not_belong_together_are_not_merged() {
    let folder = carts();
    for (shard, out) in [("1/2", "1.csv"), ("2/2", "2.csv")] {
        table(&folder, &with(&SWEEP, &["--shard", shard]), out);
    }
    let merge = |files: &[&str]| folder.run(&[&["sweep", "--out", "m.csv", "--merge"], files].concat());
    let lacking = merge(&["1.csv"]).code(1);
    assert!(lacking.stderr.contains("30 of 60 items have no row"), "{}", lacking.stderr);
    assert_eq!(folder.read("m.csv"), folder.read("1.csv"));
    // Overlaps are equal rows.
    merge(&["1.csv", "2.csv", "1.csv"]).code(0);
    let other = with(&["sweep", "a.toml", "b.toml"], &SWEEP[3..]);
    table(&folder, &other, "3.csv");
    assert!(merge(&["1.csv", "3.csv"]).refused().starts_with("3.csv: its scenarios differ from 1.csv"));
    let mut other = SWEEP;
    other[3] = "--seeds=1..11";
    table(&folder, &other, "3.csv");
    assert!(
        merge(&["1.csv", "3.csv"]).refused().starts_with("3.csv: its seeds differ from 1.csv: \"1..=10\"")
    );
    folder.write("a.toml", CARTS.replace("ticks = 150", "ticks = 100"));
    table(&folder, &SWEEP, "3.csv");
    assert!(merge(&["1.csv", "3.csv"]).refused().starts_with("3.csv: its inputs differ from 1.csv: "));
    table(&folder, &SWEEP, "3.jsonl");
    assert!(merge(&["3.csv", "3.jsonl"]).refused().contains("3.jsonl: expected tables of one format"));
    std::fs::remove_file(folder.path("2.csv.manifest.json")).unwrap();
    assert!(
        merge(&["1.csv", "2.csv"])
            .refused()
            .starts_with("2.csv.manifest.json: is missing; a table to merge needs")
    );
    folder.write("2.csv.part", "");
    std::fs::remove_file(folder.path("2.csv")).unwrap();
    assert!(merge(&["1.csv", "2.csv"]).refused().starts_with("2.csv: is not finished"));
    assert!(merge(&["4.csv"]).refused().starts_with("4.csv: cannot be read"));
}

#[test]
fn bad_arguments_are_refused_before_anything_is_written() {
    let folder = carts();
    folder.write("no.toml", "name = ");
    folder.write("a.map", MAP);
    folder.write("p.json", "{}");
    let refused = |args: &[&str]| folder.run(&[&["sweep"], args].concat());
    let base = ["a.toml", "--seeds", "0..3", "--out", OUT];
    for (args, expected) in [
        (&["--measure", "move"][..], "no measure `move`, expected all or some of ticks, agents, "),
        (&["--measure", "move"], "did you mean `moves`?"),
        (&["--measure", "moves,moves"], "the measure moves is given twice"),
        (&["--set", "tciks=3"], "a.toml: tciks: unknown key"),
        (&["--set", "tciks=3"], "did you mean `ticks`"),
        (
            &["--set", "group[0].count=3"],
            "no key `group`, expected class, groups, map, name, seed or ticks; did you mean `groups`?",
        ),
        (
            &["--set", "groups[1].count=3"],
            "a.toml: groups[1].count: expected an index from 0 to 0, as in groups[0]",
        ),
        (&["--set", "groups[0].cout=3"], "did you mean `count`"),
        (&["--set", "groups[0].cnt=3"], "did you mean `count`"),
        (&["--set", "ticks"], "--set: expected KEY=VALUE,VALUE,..., found `ticks`"),
        (&["--set", "ticks=3,"], "--set: ticks: expected a value of TOML"),
        (&["--set", "ticks=3,3"], "ticks: the value 3 is given twice"),
        (&["--set", "ticks=3", "--set", "ticks=4"], "ticks is set twice"),
        (&["--set", "seed=3"], "--seeds gives the seeds"),
        (&["--shard", "0/3"], "--shard: expected a shard I/N"),
        (&["--html", OUT], "clash"),
        (&["--html", "a.toml"], "is read"),
        (&["a.toml"], "the scenario a.toml is given twice"),
        (&["missing.toml"], "missing.toml: cannot be read"),
        (&["no.toml"], "no.toml:1"),
        (&["a.map"], "a.map: "),
    ] {
        let found = refused(&with(&base, args)).refused();
        assert!(found.contains(expected), "{args:?}: {found}");
    }
    for (seeds, expected) in [
        ("5..5", "--seeds: the range of seeds 5..5 is empty"),
        ("9..2", "the range of seeds 9..2 is empty"),
        ("x", "--seeds: expected seeds as in 0..100"),
        ("-1..4", "expected seeds as in"),
        ("0..99999999999", "expected at most 4194304 seeds"),
    ] {
        let found = refused(&["a.toml", "--seeds", seeds, "--out", OUT]).refused();
        assert!(found.contains(expected), "{seeds}: {found}");
    }
    let found = refused(&["a.toml", "--seeds", "0..4000000", "--out", OUT, "--set", "ticks=1,2"]).refused();
    assert!(found.contains("expected at most 4194304 items, found 2 x 1 x 4000000 of them"), "{found}");
    let found = refused(&["a.toml", "--seeds", "0..3", "--out", "runs.txt"]).refused();
    assert!(found.contains("expected a table FILE.csv or FILE.jsonl, found runs.txt"), "{found}");
    let found = refused(&["p.json", "--seeds", "0..3", "--out", OUT, "--set", "groups[0].count=3"]).refused();
    assert!(found.contains("p.json: groups[0].count: no key of problems; expected ticks, "), "{found}");
    for args in [
        &["--out", OUT][..],
        &["a.toml", "--out", OUT],
        &["a.toml", "--seeds", "1"],
        &["a.toml", "--merge", "b.csv", "--out", OUT],
    ] {
        refused(args).code(2);
    }
    let files: Vec<_> =
        std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files.len(), 5, "{files:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done() {
    let folder = carts();
    folder.write("long.toml", CARTS.replace("ticks = 150", "ticks = 3_000_000_000"));
    let args = ["sweep", "a.toml", "long.toml", "--seeds", "0..4", "--out", OUT, "-j", "1"];
    let child = folder.command(&args).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let four =
        || std::fs::read_to_string(folder.path("runs.csv.part")).is_ok_and(|text| text.lines().count() == 5);
    wait_until("the short items are done", four);
    interrupt(&child);
    let ended = Ended::of(&args, &child.wait_with_output().unwrap()).code(130);
    assert_eq!(
        ended.stderr,
        "interrupted: 4 rows of 8 are in runs.csv.part; the same command with --resume goes on\n"
    );
    folder.write("long.toml", CARTS);
    let resumed = folder.run(&with(&args, &["--resume"])).code(0);
    assert!(resumed.stderr.starts_with("4 rows kept; 4 items to run\n"), "{}", resumed.stderr);
}

#[test]
fn the_manifest_and_the_page_say_what_was_run() {
    let folder = carts();
    folder.run(&with(&SWEEP, &["--out", OUT, "--html", "runs.html"])).done();
    let manifest: Value = serde_json::from_str(&folder.read("runs.csv.manifest.json")).unwrap();
    assert_eq!(manifest["manifest"], 1);
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["sweep"]["seeds"], "0..=9");
    assert_eq!(manifest["sweep"]["scenarios"], serde_json::json!(["b.toml", "a.toml"]));
    assert_eq!(
        manifest["sweep"]["set"],
        serde_json::json!([{ "key": "groups[0].count", "values": ["6", "2", "4"] }])
    );
    assert_eq!(manifest["items"], 60);
    assert_eq!(manifest["inputs"][0]["file"], "a.toml");
    assert_eq!(manifest["inputs"][0]["bytes"], CARTS.len());
    assert_eq!(manifest["inputs"].as_array().unwrap().len(), 2);
    assert!(manifest["command"].as_array().unwrap().iter().any(|argument| argument == "--seeds=0..10"));
    let page = folder.read("runs.html");
    assert!(page.contains("Sweep of b.toml and a.toml") && page.contains("id=\"tasks_done\""));
    assert!(!page.contains("http"), "nothing is loaded from elsewhere");
    // A merged table has the same page, but for the command.
    folder.run(&["sweep", "--quiet", "--merge", OUT, "--out", "m.csv", "--html", "m.html"]).done();
    let without = |page: &str| page.lines().filter(|line| !line.contains("<code>")).collect::<String>();
    assert_eq!(without(&folder.read("m.html")), without(&page));
}
