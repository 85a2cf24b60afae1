//! Problems of the League of Robot Runners on the command line: running, writing a plan, judging it.

use crate::common::{Folder, TRUCKS};

const PROBLEM: &str = "{\"mapFile\": \"a.map\", \"agentFile\": \"a.agents\", \"teamSize\": 2,\n\"taskFile\": \"a.tasks\", \"numTasksReveal\": 1, \"taskAssignmentStrategy\": \"roundrobin\"}";

fn problem() -> Folder {
    let folder = Folder::with("a.json", PROBLEM);
    folder.write("a.map", "type octile\nheight 3\nwidth 4\nmap\n....\n.@T.\n....\n");
    folder.write("a.agents", "2\n0\n11\n");
    folder.write("a.tasks", "4\n3\n8\n8\n3\n");
    folder
}

#[test]
fn a_plan_is_written_and_judged() {
    let folder = problem();
    let run =
        ["run", "a.json", "--ticks", "50", "--format", "json", "--plan-out", "p.json", "--check-invariants"];
    let result = folder.run(&run).json();
    assert_eq!(
        (&result["scenario"], &result["ticks"], &result["collisions"]),
        (&"a".into(), &50.into(), &0.into())
    );
    assert_eq!(
        (&result["trips"], &result["detour_permille"]),
        (&0.into(), &().into()),
        "no paths are asked for"
    );
    let done = result["tasks_done"].as_u64().unwrap();
    assert!(done > 4, "{result}");
    let judged = folder.run(&["check", "a.json", "--plan", "p.json"]).done();
    assert_eq!(judged, format!("p.json: 2 agents, 50 steps, {done} tasks finished, 0 violations\n"));

    let plan = std::fs::read_to_string(folder.path("p.json")).unwrap();
    folder.write("p.json", plan.replace(&format!("\"numTaskFinished\":{done}"), "\"numTaskFinished\":1"));
    let judged = folder.run(&["check", "a.json", "--plan", "p.json"]).code(1).stdout;
    assert!(judged.starts_with(&format!("p.json: numTaskFinished: expected {done}, found 1\n")), "{judged}");
    assert!(judged.ends_with(" 1 violation\n"), "{judged}");
}

#[test]
fn a_recorded_problem_is_verified() {
    let folder = problem();
    folder.run(&["run", "a.json", "--ticks", "30", "--record", "a.rec", "--quiet"]).done();
    std::fs::remove_file(folder.path("a.tasks")).unwrap();
    folder.run(&["verify", "a.rec"]).done();
}

#[test]
fn mismatched_arguments_are_refused() {
    let folder = problem();
    folder.write("trucks.toml", TRUCKS);
    for (args, expected) in [
        (&["run", "a.json"][..], "a.json: a problem does not say how many ticks to run; expected --ticks N"),
        (
            &["check", "a.json", "a.json", "--plan", "p.json"],
            "--plan: expected one scenario (.toml), file of queries (.scen) or problem (.json), found 2 files",
        ),
        (
            &["check", "a.json", "--plan", "a.json"],
            "a.json: is a problem of the League of Robot Runners, expected a plan in the format of the competition (.json)",
        ),
    ] {
        assert_eq!(folder.run(args).refused(), expected);
    }
    folder.write("a.tasks", "1\n5\n");
    let checked = folder.run(&["check", "a.json"]).code(2).stdout;
    assert_eq!(checked, "a.tasks:2: cell 5 is blocked, expected a free one\n");
}

/// Problems of later years have other keys, and lists of errands in place of cells.
#[test]
fn problems_of_other_years_are_named() {
    let folder = problem();
    for (version, expected) in [
        ("\"2024 LoRR\"", "problems of 2024 are not supported; problems of 2023 are"),
        ("\"2026 LoRR\"", "problems of 2026 are not supported; problems of 2023 are"),
        ("2025", "problems of 2025 are not supported; problems of 2023 are"),
        ("\"next\"", "problems of version \"next\" are not supported; problems of 2023 are"),
    ] {
        let later =
            PROBLEM.replace("\"taskAssignmentStrategy\": \"roundrobin\"", &format!("\"version\": {version}"));
        folder.write("b.json", later.replace("\"numTasksReveal\": 1", "\"numTasksReveal\": 1.5"));
        let message = folder.run(&["check", "b.json"]).code(2).stdout;
        assert_eq!(message, format!("b.json:2:47: version: {expected}\n"));
    }
    folder.write("b.json", PROBLEM.replace("{", "{\"version\": \"2023 LoRR\", "));
    assert_eq!(folder.run(&["check", "b.json"]).done(), "b.json: ok\n");
}
