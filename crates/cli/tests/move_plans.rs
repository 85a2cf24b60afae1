//! Plans of moves: `run --plan-out`, `check --plan` and `render --plan`.

use crate::common::{CART, Folder, TRUCKS};

const MAP: &str = "type octile\nheight 2\nwidth 5\nmap\n.....\n@@.@@\n";
const QUERIES: &str = "version 1\n0\ta.map\t5\t2\t1\t0\t1\t0\t0\n1\ta.map\t5\t2\t0\t0\t4\t0\t4\n0\ta.map\t5\t2\t4\t0\t0\t0\t4\n";
const PROBLEM: &str = "{\"mapFile\": \"p.map\", \"agentFile\": \"p.agents\", \"teamSize\": 2,\n\"taskFile\": \"p.tasks\", \"numTasksReveal\": 1, \"taskAssignmentStrategy\": \"roundrobin\"}";

fn folder() -> Folder {
    let folder = Folder::with("trucks.toml", TRUCKS);
    folder.write("a.scen", QUERIES);
    folder.write("a.map", MAP);
    folder.write("p.json", PROBLEM);
    folder.write("p.map", "type octile\nheight 3\nwidth 4\nmap\n....\n.@T.\n....\n");
    folder.write("p.agents", "2\n0\n11\n");
    folder.write("p.tasks", "4\n3\n8\n8\n3\n");
    folder
}

#[test]
fn a_plan_is_written_judged_and_drawn() {
    let folder = folder();
    let run = ["run", "trucks.toml", "--plan-out", "plan.json", "--record", "a.rec", "--format", "json"];
    let result = folder.run(&run).json();
    let (moves, ticks) = (result["moves"].as_u64().unwrap(), result["ticks"].as_u64().unwrap());
    let plan = folder.read("plan.json");
    let judged = folder.run(&["check", "trucks.toml", "--plan", "plan.json"]).done();
    assert_eq!(
        judged,
        format!("plan.json: 2 agents, {moves} moves, {ticks} ticks, 3 orders carried out, 0 violations\n")
    );
    // The last picture equals the run.
    folder.run(&["render", "a.rec", "--svg", "run.svg", "--tick", "9"]).done();
    let svg = [
        "render",
        "trucks.toml",
        "--plan",
        "plan.json",
        "--svg",
        "plan.svg",
        "--tick",
        "9",
        "--html",
        "p.html",
    ];
    let drawn = folder.run(&svg);
    assert_eq!((drawn.code, drawn.stderr.as_str()), (0, ""));
    let bodies = |name: &str| {
        let text = folder.read(name);
        text.lines().filter(|line| line.contains("<path")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(!bodies("run.svg").is_empty());
    // A plan that is carried out has no names of agents.
    let unnamed = |line: &String| line.replace(" &quot;convoy-1&quot;", "");
    assert_eq!(bodies("plan.svg"), bodies("run.svg").iter().map(unnamed).collect::<Vec<_>>());

    let wrong = plan.replacen("\"forward\",", "\"reverse\",", 1);
    assert_ne!(wrong, plan);
    folder.write("plan.json", wrong);
    let judged = folder.run(&["check", "trucks.toml", "--plan", "plan.json"]).code(1).stdout;
    assert!(judged.starts_with("plan.json: tick ") && judged.contains(": agent 0 at ("), "{judged}");
}

/// A plan that is not one of its scenario, or that the rules forbid, is drawn with a warning, and judged.
#[test]
fn a_wrong_plan_is_drawn_with_a_warning() {
    let scenario = "name = \"x\"\nticks = 9\n[map]\nrows = [\"...T.\", \".....\"]\n[class.c]\nheadings = 1\n\
        moves = [{ name = \"e\", by = [1, 0], time = 2 }]\n\
        [[agents]]\nname = \"one\"\nclass = \"c\"\nat = [0, 0]\norders = [{ goto = [2, 0] }]\n\
        [[agents]]\nclass = \"c\"\nat = [0, 1]\n";
    let folder = Folder::with("x.toml", scenario);
    let plan = |ticks: u32, first: &str, second: &str| {
        let head = "{\"plan\":1,\"scenario\":\"x\",\"seed\":0,\"collision\":\"swept\",\"ticks\":";
        let text =
            format!("{head}{ticks},\"agents\":[{{\"class\":\"c\",{first}}},{{\"class\":\"c\",{second}}}]}}");
        folder.write("plan.json", text);
        let drawn = folder.run(&["render", "x.toml", "--plan", "plan.json", "--svg", "a.svg"]).code(0);
        let checked = folder.run(&["check", "x.toml", "--plan", "plan.json"]);
        let json = folder.run(&["check", "x.toml", "--plan", "plan.json", "--format", "json"]);
        assert_eq!(json.code, checked.code);
        let json = json.json();
        assert_eq!(json["n_violations"] == 0, checked.code == 0 && json["ok"] == true, "{json}");
        (drawn.stderr, checked.stdout, json)
    };
    let rests = "\"at\":[0,1,\"-\"],\"moves\":[]";
    let stops = "; drawn up to there (`wheelbase check x.toml --plan plan.json` says why)\n";
    let at = |tick: u32| format!("warning: plan.json: not all moves of tick {tick} can begin{stops}");
    // An illegal move, into the trees, and an unknown one.
    let (drawn, checked, json) =
        plan(9, "\"at\":[0,0,\"-\"],\"moves\":[[0,\"e\"],[2,\"e\"],[4,\"e\"]]", rests);
    assert_eq!(drawn, at(4));
    assert!(checked.starts_with("plan.json: tick 4: agent 0 at (2, 0): move \"e\": not legal"), "{checked}");
    let violation = &json["violations"][0];
    assert_eq!((&violation["violation"], &violation["tick"]), (&"move".into(), &4.into()));
    assert!(violation["message"].as_str().unwrap().starts_with("tick 4: agent 0 at (2, 0): "), "{json}");
    let (drawn, ..) =
        plan(9, "\"at\":[0,0,\"-\"],\"moves\":[[0,\"e\",2]]", "\"at\":[0,1,\"-\"],\"moves\":[[7,\"fly\"]]");
    assert_eq!(drawn, at(7));
    // Another start, and another name.
    let (drawn, checked, _) = plan(
        9,
        "\"name\":\"two\",\"at\":[0,0,\"-\"],\"moves\":[[0,\"e\",2]]",
        "\"at\":[0,0,\"-\"],\"moves\":[]",
    );
    let name = "agent 0: expected the name \"one\" as in the scenario, found \"two\"";
    let start = "agent 1: expected \"c\" at [0, 1, \"-\"] as in the scenario, found \"c\" at [0, 0, \"-\"]";
    let warning = |text: &str| format!("warning: plan.json: {text}; drawn as in the scenario\n");
    assert_eq!(drawn, warning(name) + &warning(start));
    assert!(checked.starts_with(&format!("plan.json: {name}\nplan.json: {start}\n")), "{checked}");
    // A plan of billions of ticks is drawn up to its last move; that it is longer than the scenario is not judged.
    let (drawn, checked, json) = plan(u32::MAX - 1, "\"at\":[0,0,\"-\"],\"moves\":[[0,\"e\",2]]", rests);
    assert_eq!(drawn, "");
    let until = "not judged: the scenario ends at tick 9, the plan at tick 4294967294";
    assert!(checked.starts_with(&format!("plan.json: {until}\n")), "{checked}");
    assert_eq!((&json["ticks"], &json["ticks_of_scenario"]), (&u64::from(u32::MAX - 1).into(), &9.into()));
    // A move so late is refused.
    let late = "\"at\":[0,0,\"-\"],\"moves\":[[4000000000,\"e\"]]";
    folder.write(
        "plan.json",
        folder.read("plan.json").replace("\"at\":[0,0,\"-\"],\"moves\":[[0,\"e\",2]]", late),
    );
    let refused = folder.run(&["render", "x.toml", "--plan", "plan.json", "--svg", "a.svg"]).refused();
    assert_eq!(refused, "plan.json: its last move ends at tick 4000000002, expected at most 16777216");
}

#[test]
fn the_plan_in_the_documents_is_right() {
    let document = include_str!("../../../docs/format.md");
    let from = document.find("{\"plan\":1").unwrap();
    let text = document[from..].split("```").next().unwrap();
    let folder = Folder::with("plan.json", text);
    let agents = "[[agents]]\nname = \"post\"\nclass = \"cart\"\nat = [0, 0, \"E\"]\norders = [{ goto = [4, 0] }]\n\
                  [[agents]]\nclass = \"cart\"\nat = [4, 1, \"W\"]\norders = [{ goto = [0, 0] }]\n";
    let map = "name = \"passing\"\nticks = 40\n[map]\nrows = [\".....\", \".....\"]\n";
    folder.write("passing.toml", format!("{map}{CART}{agents}"));
    let judged = folder.run(&["check", "passing.toml", "--plan", "plan.json"]).done();
    assert_eq!(judged, "plan.json: 2 agents, 10 moves, 6 ticks, 2 orders carried out, 0 violations\n");
}

#[test]
fn a_plan_of_queries_is_judged_by_its_goals() {
    let folder = folder();
    let run = ["run", "a.scen", "--agents", "2", "--plan-out", "plan.json", "--format", "json"];
    let result = folder.run(&run).json();
    let judged = folder.run(&["check", "a.scen", "--plan", "plan.json"]).done();
    let end =
        format!(", makespan {}, sum of costs {}, 0 violations\n", result["makespan"], result["sum_of_costs"]);
    assert!(judged.ends_with(&end), "{judged} {end}");
    folder.run(&["render", "a.scen", "--plan", "plan.json", "--html", "p.html"]).done();
    let still = "{\"plan\":1,\"scenario\":\"a\",\"seed\":0,\"collision\":\"discrete\",\"ticks\":9,\"agents\":[\
                 {\"class\":\"grid\",\"at\":[1,0,\"-\"],\"moves\":[[0,\"E\"]]}]}";
    folder.write("plan.json", still);
    let judged = folder.run(&["check", "a.scen", "--plan", "plan.json"]).code(1).stdout;
    assert_eq!(
        judged,
        "plan.json: agent 0 ends at (2, 0), expected at rest at its goal (1, 0)\n\
         plan.json: 1 agent, 1 move, 9 ticks, 1 order carried out, 1 violation\n"
    );
}

#[test]
fn a_plan_of_a_problem_is_drawn_with_its_tasks() {
    let folder = folder();
    let run = [
        "run",
        "p.json",
        "--ticks",
        "30",
        "--plan-out",
        "plan.json",
        "--record",
        "a.rec",
        "--format",
        "json",
    ];
    assert!(folder.run(&run).json()["tasks_done"].as_u64().unwrap() > 3);
    folder.run(&["render", "a.rec", "--html", "run.html"]).done();
    let drawn = folder.run(&["render", "p.json", "--plan", "plan.json", "--html", "plan.html"]);
    assert_eq!((drawn.code, drawn.stderr.as_str()), (0, ""));
    // The tasks are packed into the page; the library's tests compare them.
    assert!(folder.read("plan.html").contains("</html>"));
}

#[test]
fn what_has_no_plan_or_is_none_is_refused() {
    let folder = folder();
    let event = "[[events]]\ntick = 5\nremove_agents = { names = [\"convoy-1\"] }\n";
    folder.write("event.toml", format!("{TRUCKS}{event}"));
    let why = "the scenario has an event at tick 5; expected none: a plan holds the moves of agents that are there from \
               the start, with the orders that they have then, on a map that stays as it is";
    let run = ["run", "event.toml", "--plan-out", "plan.json"];
    assert_eq!(folder.run(&run).refused(), format!("--plan-out: {why}"));
    folder.run(&["run", "trucks.toml", "--plan-out", "plan.json", "--quiet"]).done();
    for command in [&["check"][..], &["render", "--html", "a.html"]] {
        let run = |file: &str, plan: &str| folder.run(&[command, &[file, "--plan", plan]].concat()).refused();
        assert_eq!(run("event.toml", "plan.json"), format!("event.toml: {why}"));
        let said = run("trucks.toml", "trucks.toml");
        assert_eq!(
            said,
            "trucks.toml: is a scenario, expected a plan of moves, as from run --plan-out (.json)"
        );
    }
    folder.write("plan.json", "{\"plan\":1,\n\"agents\":7}");
    let said = folder.run(&["check", "trucks.toml", "--plan", "plan.json"]).refused();
    assert!(
        said.starts_with("plan.json:2:") && said.contains(": not a plan: invalid type: integer `7`"),
        "{said}"
    );
}
