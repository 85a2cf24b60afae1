//! Problems of the League of Robot Runners: reading, errors, results, and the judge of plans.

use crate::common::{on_threads, plan_checked, record_loaded};
use std::io::Cursor;
use std::path::Path;
use wheelbase_grid::MemoryMax;
use wheelbase_scenario::load::{AttachedFile, Files, Loaded, LoadedProblem, Overrides, build_problem};
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_scenario::{PlanVerdict, judge_plan};
use wheelbase_sim::{RunState, World};

const PROBLEM: &str = r#"{
    "mapFile": "a.map",
    "agentFile": "a.agents",
    "teamSize": 2,
    "taskFile": "a.tasks",
    "numTasksReveal": 1,
    "taskAssignmentStrategy": "roundrobin"
}"#;
/// All glyphs but `@` and `T` are free.
const MAP: &str = "type octile\nheight 3\nwidth 4\nmap\n.E.S\n.@T.\n....\n";

fn files(map: &str, agents: &str, tasks: &str) -> Vec<AttachedFile> {
    let file =
        |name: &str, text: &str| AttachedFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    vec![file("a.map", map), file("a.agents", agents), file("a.tasks", tasks)]
}

/// Two robots on opposite corners; tasks for both in turn.
fn small() -> Vec<AttachedFile> {
    files(MAP, "# starts\n2\n0\n11\n", "4\n3\n8\n8\n3\n")
}

fn build_world(problem: &str, files: &[AttachedFile], ticks: u32) -> Result<World, String> {
    loaded(problem, files, ticks).map(|loaded| loaded.world)
}

fn loaded(problem: &str, files: &[AttachedFile], ticks: u32) -> Result<Loaded, String> {
    let overrides = Overrides { ticks: Some(ticks), ..Overrides::default() };
    let built = build_problem(Path::new("a.json"), problem.as_bytes(), overrides, Files::Attached(files));
    built.map_err(|error| error.to_string())
}

fn refused(problem: &str, files: &[AttachedFile]) -> String {
    build_world(problem, files, 10).map(|_| ()).unwrap_err()
}

fn judged(files: &[AttachedFile], plan: &[u8]) -> PlanVerdict {
    let problem =
        LoadedProblem::read(Path::new("a.json"), PROBLEM.as_bytes(), Files::Attached(files), MemoryMax::NONE)
            .unwrap();
    judge_plan(&problem, plan).unwrap()
}

#[test]
fn a_small_problem_runs_and_its_plan_has_its_actions() {
    let files = small();
    let mut world = build_world(PROBLEM, &files, 40).unwrap();
    let plan = plan_checked(&mut world);
    let verdict = judged(&files, &plan);
    assert_eq!((verdict.agents, verdict.steps, verdict.n_violations), (2, 40, 0), "{:?}", verdict.violations);
    assert_eq!(verdict.tasks_finished, world.counts().tasks_done);
    assert!(verdict.tasks_finished >= 4, "{verdict:?}");
    let text = String::from_utf8(plan).unwrap();
    assert!(text.starts_with(
        r#"{"actionModel":"MAPF_T","AllValid":"Yes","teamSize":2,"start":[[0,0,"E"],[2,3,"E"]]"#
    ));
    // Task 0 is the first of agent 0: row 0, column 3.
    assert!(text.contains(r#""tasks":[[0,0,3],[1,2,0],"#), "{text}");
    assert!(text.contains(r#""events":[[[0,0,"assigned"],[0,"#), "{text}");
}

#[test]
fn the_first_task_takes_the_time_of_its_path() {
    // A single robot, from the corner to the end of the first row: three steps.
    let files = files(MAP, "1\n0\n", "2\n3\n3\n");
    let problem = PROBLEM.replace("\"teamSize\": 2", "\"teamSize\": 1");
    let mut world = build_world(&problem, &files, 10).unwrap();
    while world.counts().tasks_done == 0 {
        assert_eq!(world.step(), RunState::Running);
    }
    // The tick of assignment, the tick after three moves; the next goal is its own cell, reached a tick later.
    assert_eq!(world.tick(), 4);
    world.step();
    assert_eq!((world.tick(), world.counts().tasks_done), (5, 2));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let good = small();
    let with = |from: &str, to: &str| refused(&PROBLEM.replace(from, to), &good);
    assert_eq!(with("\"a.map\"", "7"), "a.json:2:5: mapFile: expected the path of a map, found 7");
    assert_eq!(
        with("\"teamSize\": 2", "\"teamSize\": 0"),
        "a.json:4:5: teamSize: expected a whole number from 1 to 1048576, found 0"
    );
    assert_eq!(
        with("\"teamSize\": 2,", ""),
        "a.json:1: teamSize: missing, expected a whole number from 1 to 1048576"
    );
    assert_eq!(
        with("Reveal\": 1", "Reveal\": 2"),
        "a.json:6:5: numTasksReveal: expected 1, the number of tasks that an agent knows, found 2"
    );
    assert!(with("\"a.agents\"", "\"b\"").starts_with("a.json:3: agentFile: b: is not among the files"));
    let array = with("{", "[");
    assert!(array.starts_with("a.json:2:") && array.contains(": not JSON: "), "{array}");
    assert_eq!(refused("[]", &good), "a.json:1: expected an object with the keys of a problem");
    assert!(refused(&" ".repeat(1 << 21), &good).contains("at most 1048576 bytes"));

    let bad = |agents: &str, tasks: &str| refused(PROBLEM, &files(MAP, agents, tasks));
    let tasks = "1\n3\n";
    assert_eq!(
        bad("", tasks),
        "a.agents:1: expected the number of cells in the list, found the end of the file"
    );
    assert_eq!(bad("two", tasks), "a.agents:1:1: expected the number of cells in the list, found \"two\"");
    assert_eq!(bad("2\n0\n-1", tasks), "a.agents:3:1: expected the number of a cell, found \"-1\"");
    assert_eq!(bad("2\n0\n12", tasks), "a.agents:3: expected a cell from 0 to 11, found 12");
    assert_eq!(bad("2\n0\n5", tasks), "a.agents:3: cell 5 is blocked, expected a free one");
    assert_eq!(
        bad("2\n0\n0", tasks),
        "a.agents:3: cell 0 is also the start of line 2; agents need separate cells"
    );
    assert_eq!(bad("1\n0", tasks), "a.agents:1: expected 2 starts, one per agent of the team, found 1");
    assert_eq!(bad("2\n0\n1", "1\n6\n"), "a.tasks:2: cell 6 is blocked, expected a free one");
    assert_eq!(bad("2\n0\n1", "# none\n0\n"), "a.tasks:2: expected at least one task");
    let map = MAP.replace("....", "...");
    assert!(refused(PROBLEM, &files(&map, "2\n0\n1", tasks)).starts_with("a.map:7:4: "));
    let without_ticks =
        build_problem(Path::new("a.json"), PROBLEM.as_bytes(), Overrides::default(), Files::Attached(&good));
    let message = without_ticks.map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "a.json: a problem does not say how many ticks to run; expected --ticks N");
}

#[test]
fn the_judge_finds_each_kind_of_violation() {
    let found = |paths: [&str; 2], more: &str| {
        let text = format!("{{\"actualPaths\": [\"{}\", \"{}\"]{more}}}", paths[0], paths[1]);
        let verdict = judged(&small(), text.as_bytes());
        let texts: Vec<String> = verdict.violations.iter().map(ToString::to_string).collect();
        (verdict.tasks_finished, texts.join("; "))
    };
    // Agent 0 is on cell 0, agent 1 on cell 11; both face east.
    assert_eq!(found(["F,F,F", "C,W,C"], ""), (1, String::new()));
    assert_eq!(found(["F,F,F", "F,W,W"], "").1, "step 0: agent 1 moves off the free cells");
    assert_eq!(found(["R,C,X", "W,W,W"], "").1, "actualPaths[0]: step 2: expected F, R, C or W, found \"X\"");
    assert_eq!(found(["W,W", "W"], "").1, "actualPaths[1]: expected 2 steps as for agent 0, found 1");
    assert_eq!(
        found(["W", "W"], ", \"teamSize\": 3, \"makespan\": 2, \"numTaskFinished\": 1").1,
        "teamSize: expected 2, found 3; makespan: expected 1, found 2; numTaskFinished: expected 0, found 1"
    );
    assert_eq!(
        found(["W", "W"], ", \"start\": [[0, 0, \"E\"], [2, 3, \"S\"]]").1,
        "start[1]: expected the start of agent 1 in the problem"
    );
    // They meet along the south: one goes from 0 to 8 and east, the other from 11 west.
    let south = "R,F,F,C,F";
    assert_eq!(
        found([&format!("{south},W,F"), "C,C,F,W,W,F,W"], "").1,
        "step 5: agents 0 and 1 both enter cell 9"
    );
    assert_eq!(
        found([&format!("{south},F,W"), "C,C,F,W,W,F,W"], "").1,
        "step 5: agents 0 and 1 exchange their cells"
    );
    let broken = judge_plan(
        &LoadedProblem::read(
            Path::new("a.json"),
            PROBLEM.as_bytes(),
            Files::Attached(&small()),
            MemoryMax::NONE,
        )
        .unwrap(),
        b"{\"actualPaths\": 3}",
    );
    let broken = broken.unwrap_err();
    assert_eq!((broken.line, broken.column), (1, 17));
    assert_eq!(broken.message, "invalid type: integer `3`, expected a sequence");
}

#[test]
fn a_recorded_problem_can_be_verified_without_its_files() {
    let files = small();
    let mut loaded = loaded(PROBLEM, &files, 60).unwrap();
    let file = record_loaded(&mut loaded, "a.json", PROBLEM);
    let mut reader = Reader::open(Cursor::new(file)).unwrap();
    let verified = verify(&mut reader, |_| true).unwrap();
    assert_eq!((verified.n_ticks, verified.difference), (61, None));
}

#[test]
#[ignore = "needs ../shared"]
fn published_problems_run_and_the_best_known_plan_is_judged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/lorr2023");
    let path = folder.join("main/random.domain/MR23-I-04.json");
    let bytes = std::fs::read(&path).unwrap();
    let problem = LoadedProblem::read(&path, &bytes, Files::Disk, MemoryMax::NONE).unwrap();
    let best = std::fs::read_dir(folder.join("best")).unwrap().next().unwrap().unwrap().path();
    let verdict = judge_plan(&problem, &std::fs::read(best).unwrap()).unwrap();
    assert_eq!((verdict.agents, verdict.steps), (100, 500));
    assert_eq!((verdict.tasks_finished, verdict.n_violations), (1741, 0));
    let run = || {
        let overrides = Overrides { ticks: Some(100), ..Overrides::default() };
        let mut world = build_problem(&path, &bytes, overrides, Files::Disk).unwrap().world;
        let plan = plan_checked(&mut world);
        (world, plan)
    };
    let (world, plan) = on_threads(1, run);
    let verdict = judge_plan(&problem, &plan).unwrap();
    assert_eq!((verdict.tasks_finished, verdict.n_violations), (world.counts().tasks_done, 0));
    assert_eq!(on_threads(2, run).0.state_hash(), world.state_hash());
}
