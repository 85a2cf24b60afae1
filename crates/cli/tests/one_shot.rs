//! `run MAP.scen --agents N`: one-shot multi-agent path finding on MovingAI queries.

use crate::common::{CART, Folder};

/// Agent 0 is at its goal and in the way of agent 1; there is a bay.
const MAP: &str = "type octile\nheight 2\nwidth 5\nmap\n.....\n@@.@@\n";
const QUERIES: &str = "version 1\n0\tx/a.map\t5\t2\t1\t0\t1\t0\t0\n1\tx/a.map\t5\t2\t0\t0\t4\t0\t4\n\
                       0\tx/a.map\t5\t2\t4\t0\t1\t0\t3\n";

fn instance() -> Folder {
    let folder = Folder::with("a.scen", QUERIES);
    folder.write("a.map", MAP);
    folder
}

#[test]
fn an_instance_runs_and_says_how_good_it_is() {
    let folder = instance();
    let run = ["run", "a.scen", "--agents", "2", "--format", "json", "--check-invariants"];
    let result = folder.run(&run).json();
    assert_eq!((&result["scenario"], &result["agents"]), (&"a".into(), &2.into()));
    assert_eq!((&result["collisions"], &result["agents_off_goal"]), (&0.into(), &0.into()));
    let (makespan, sum) = (result["makespan"].as_u64().unwrap(), result["sum_of_costs"].as_u64().unwrap());
    assert!(makespan >= 4 && makespan < sum && sum <= 2 * makespan, "{result}");
    let text = folder.run(&["run", "a.scen", "--agents", "2"]).done();
    assert!(text.contains(&format!("  makespan              {makespan} ticks\n")), "{text}");
    assert!(text.ends_with(&format!("  sum of costs          {sum} ticks\n")), "{text}");
    let short = folder.run(&["run", "a.scen", "--agents", "2", "--ticks", "3"]).code(1).stdout;
    assert!(short.ends_with(" agents are not at their goals\n"), "{short}");
    let result = folder.run(&["run", "a.scen", "--agents", "2", "--ticks", "3", "--format", "json"]).code(1);
    assert!(result.stdout.contains("\"makespan\":null,\"sum_of_costs\":null,\"agents_off_goal\":"));
}

#[test]
fn its_recording_is_verified() {
    let folder = instance();
    folder.run(&["run", "a.scen", "--agents", "2", "--record", "a.rec", "--quiet"]).done();
    std::fs::remove_file(folder.path("a.map")).unwrap();
    folder.run(&["verify", "a.rec"]).done();
}

#[test]
fn a_class_may_be_named() {
    let folder = instance();
    folder.write("cart.toml", CART);
    let run = ["run", "a.scen", "--agents", "1", "--class", "cart.toml", "--format", "json"];
    assert_eq!(folder.run(&run).json()["makespan"], 0);
    let same = ["run", "a.scen", "--agents", "1", "--class", "cart.toml", "--trace", "cart.toml"];
    assert_eq!(
        folder.run(&same).refused(),
        "--trace: expected another file than cart.toml: cart.toml is read"
    );
}

#[test]
fn mismatched_arguments_are_refused() {
    let folder = instance();
    folder.write("trucks.toml", crate::common::TRUCKS);
    for (args, expected) in [
        (&["run", "a.scen"][..], "a.scen: queries do not say how many agents to run; expected --agents N"),
        (
            &["run", "trucks.toml", "--agents", "2"],
            "--agents: expected queries on a map (.scen), found trucks.toml",
        ),
        (
            &["run", "a.scen", "--agents", "2", "--snapshot", "s"],
            "--snapshot: expected a scenario or a problem: a snapshot does not hold the goals of queries, to which \
             agents that made way go back",
        ),
        (
            &["run", "a.scen", "--agents", "3"],
            "a.scen:4: goal: cell (1, 0) belongs to the goal of line 2, expected a goal for each agent",
        ),
        (&["run", "a.scen", "--agents", "4"], "a.scen: expected at least 4 queries, one per agent, found 3"),
    ] {
        assert_eq!(folder.run(args).refused(), expected);
    }
}
