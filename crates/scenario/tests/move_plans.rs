//! Move plans: what runs write is judged right, and a plan that was changed as a slow check of every tick says.

use crate::common::{CART, OTHERS, TRUCK, build_world};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::Path;
use wheelbase_grid::MemoryMax;
use wheelbase_scenario::load::{AttachedFile, Files, LoadedProblem, Overrides, build_problem};
use wheelbase_scenario::recording::{Event, Reader, TickRecord, verify};
use wheelbase_scenario::{
    MovePlan, MovePlanRecorder, MovePlanVerdict, MovePlanViolation, MoveRun, judge_move_plan,
    record_move_plan, record_problem_plan,
};
use wheelbase_sim::{CollisionRule, Random, RunState, World};
use wheelbase_traffic::collision::Transition;
use wheelbase_traffic::speed::ticks_at_speed;

/// A plan of a run to its end, and the world at its end. Written and read on the way.
fn plan_of(text: &str) -> (MovePlan, World) {
    let mut world = build_world(text);
    let mut recorder = MovePlanRecorder::begin(&mut world).unwrap();
    loop {
        let tick = world.tick();
        let step = world.step();
        recorder.tick(&world, tick);
        world.clear_log();
        if step == RunState::Ended {
            break;
        }
    }
    let plan = recorder.finish(&world);
    let mut written = Vec::new();
    plan.write(&mut written).unwrap();
    assert_eq!(MovePlan::parse(&written).unwrap(), plan);
    (plan, world)
}

fn judged(text: &str, plan: &MovePlan) -> MovePlanVerdict {
    judge_move_plan(&build_world(text), plan)
}

/// Whether a plan keeps the rules, orders aside: every tick of every agent, cell by cell.
fn is_legal(world: &World, plan: &MovePlan) -> bool {
    struct Step {
        begin: u32,
        end: u32,
        from: wheelbase_planner::model::State,
        primitive: usize,
    }
    let mut tracks: Vec<Vec<Step>> = Vec::new();
    for (spawn, agent) in world.setup_agents().iter().zip(&plan.agents) {
        let tables = &world.tables()[usize::from(spawn.class.0)];
        let (mut state, mut free_at, mut track) = (tables.space().state(spawn.pose).unwrap(), 0, Vec::new());
        for run in &agent.moves {
            let mut begin = run.tick;
            for _ in 0..run.count {
                let named = |p: &usize| tables.class().primitives()[*p].name == run.name;
                let legal = |p: usize| tables.move_ticks(state, p).map(|ticks| (p, ticks));
                let found = (0..tables.class().primitives().len()).filter(named).find_map(legal);
                let Some((primitive, ticks)) = found.filter(|_| begin >= free_at && begin < plan.ticks)
                else {
                    return false;
                };
                let end = begin + ticks_at_speed(ticks, spawn.speed_factor);
                track.push(Step { begin, end, from: state, primitive });
                state = tables.state_after(state, primitive);
                (begin, free_at) = (end, end);
            }
        }
        tracks.push(track);
    }
    let rule = world.settings().collision;
    let cells = |(anchor, offsets): (wheelbase_grid::CellXY, &[wheelbase_planner::model::Offset])| {
        offsets.iter().map(|o| o.cell_from(anchor)).map(|c| (c.x, c.y)).collect::<BTreeSet<_>>()
    };
    let body = |agent: usize, state| {
        let tables = &world.tables()[usize::from(world.setup_agents()[agent].class.0)];
        let pose = tables.space().pose(state);
        cells((pose.cell, tables.class().cells_at(pose)))
    };
    let after = |agent: usize, step: &Step| {
        let tables = &world.tables()[usize::from(world.setup_agents()[agent].class.0)];
        tables.state_after(step.from, step.primitive)
    };
    let held = |agent: usize, tick: u32| {
        let spawn = &world.setup_agents()[agent];
        let tables = &world.tables()[usize::from(spawn.class.0)];
        if let Some(step) = tracks[agent].iter().find(|step| (step.begin..step.end).contains(&tick)) {
            let pose = tables.space().pose(step.from);
            let moving = Transition { class: tables.class(), pose, primitive: step.primitive };
            return cells(if rule == CollisionRule::Swept { moving.swept() } else { moving.start() });
        }
        let last = tracks[agent].iter().rfind(|step| step.end <= tick);
        body(agent, last.map_or(tables.space().state(spawn.pose).unwrap(), |step| after(agent, step)))
    };
    for tick in 0..=plan.ticks {
        let all: Vec<BTreeSet<(i32, i32)>> = (0..tracks.len()).map(|agent| held(agent, tick)).collect();
        for (a, of_a) in all.iter().enumerate() {
            for (b, of_b) in all.iter().enumerate().skip(a + 1) {
                let ending = |agent: usize| tracks[agent].iter().find(|step| step.end == tick);
                let exchange = || {
                    let (Some(one), Some(other)) = (ending(a), ending(b)) else { return false };
                    !body(a, after(a, one)).is_disjoint(&body(b, other.from))
                        && !body(b, after(b, other)).is_disjoint(&body(a, one.from))
                };
                if !of_a.is_disjoint(of_b) || (rule == CollisionRule::Discrete && exchange()) {
                    return false;
                }
            }
        }
    }
    true
}

/// Violations other than orders that are not carried out.
fn breaks_rules(verdict: &MovePlanVerdict) -> bool {
    let mut violations = verdict.violations.iter();
    verdict.n_violations > verdict.violations.len() as u64
        || violations.any(|violation| !matches!(violation, MovePlanViolation::NotReached { .. }))
}

/// A scenario with a few agents on a small map.
fn scenario(random: &mut Random) -> String {
    let (width, height) = (7 + random.below(6), 6 + random.below(5));
    let row = |random: &mut Random| -> String {
        (0..width).map(|_| ["T", "S", ".", ".", ".", ".", ".", ".", ".", "."][random.below(10)]).collect()
    };
    let rows: Vec<String> = (0..height).map(|_| format!("\"{}\"", row(random))).collect();
    let collision = ["swept", "discrete"][random.below(2)];
    let mut text = format!(
        "name = \"random\"\nticks = {}\nseed = {}\ncollision = \"{collision}\"\n[map]\nrows = [{}]\n\
         [side.hedge]\nspeed = 500\n{CART}{TRUCK}{OTHERS}",
        60 + random.below(200),
        random.below(1000),
        rows.join(", ")
    );
    for class in ["cart", "truck", "tank", "walker"] {
        let (x, y, u, v) =
            (random.below(width), random.below(height), random.below(width), random.below(height));
        let speed = [1000, 1000, 700, 1900][random.below(4)];
        let wait = random.below(9);
        text += &format!(
            "[[groups]]\nclass = \"{class}\"\ncount = {}\narea = [0, 0, {width}, {height}]\nspeed_factor = {speed}\n\
             orders = [{{ goto = [{x}, {y}], within = 1 }}, {{ wait = {wait} }}, {{ goto = [{u}, {v}], within = 2 }}]\n",
            1 + random.below(2),
        );
    }
    text
}

/// Changes one thing of a plan.
fn mutate(plan: &mut MovePlan, random: &mut Random) {
    let with_moves: Vec<usize> =
        (0..plan.agents.len()).filter(|&a| !plan.agents[a].moves.is_empty()).collect();
    if with_moves.is_empty() {
        return;
    }
    let moves = &mut plan.agents[with_moves[random.below(with_moves.len())]].moves;
    let at = random.below(moves.len());
    match random.below(5) {
        0 => drop(moves.remove(at)),
        1 => moves[at].tick += 1 + random.below(6) as u32,
        2 => moves[at].tick = moves[at].tick.saturating_sub(1 + random.below(6) as u32),
        3 => {
            moves[at].name =
                ["forward", "left", "right", "reverse", "E", "W", "N", "S"][random.below(8)].to_owned()
        }
        _ => moves[at].count += 1,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn plans_are_judged_as_a_slow_check_judges_them(seed: u64) {
        let mut random = Random::new(seed);
        let text = scenario(&mut random);
        let typed = wheelbase_scenario::scenario::parse("a.toml", text.as_bytes()).unwrap();
        // A map too full for its groups is no case.
        let built = wheelbase_scenario::load::build_world(Path::new("a.toml"), &typed);
        prop_assume!(built.is_ok());
        let world = built.unwrap();
        let (plan, end) = plan_of(&text);
        let verdict = judge_move_plan(&world, &plan);
        prop_assert!(!breaks_rules(&verdict), "{verdict:?}\n{text}");
        prop_assert!(is_legal(&world, &plan));
        let begun = end.counts().moves;
        prop_assert_eq!(verdict.moves, begun);
        // The judge is not stricter with orders than the run.
        prop_assert!(verdict.orders_reached >= end.counts().orders_done, "{verdict:?}\n{text}");
        for _ in 0..12 {
            let mut changed = plan.clone();
            (0..=random.below(2)).for_each(|_| mutate(&mut changed, &mut random));
            let verdict = judge_move_plan(&world, &changed);
            prop_assert_eq!(breaks_rules(&verdict), !is_legal(&world, &changed), "{:?}\n{:?}\n{}", verdict, changed, text);
        }
    }
}

#[test]
fn a_plan_carried_out_is_the_run() {
    let mut n_moves = 0;
    for seed in 0..12 {
        let text = scenario(&mut Random::new(seed));
        let typed = wheelbase_scenario::scenario::parse("a.toml", text.as_bytes()).unwrap();
        let Ok(world) = wheelbase_scenario::load::build_world(Path::new("a.toml"), &typed) else { continue };
        let (plan, end) = plan_of(&text);
        let recorded = record_move_plan(&world, &plan).unwrap();
        assert_eq!(recorded.stopped_at, None, "{text}");
        let mut reader = Reader::open(Cursor::new(recorded.bytes)).unwrap();
        let (mut record, mut moves) = (TickRecord::default(), 0);
        while reader.next_tick(&mut record).unwrap() {
            moves = record.counters.moves;
        }
        assert_eq!(moves, end.counts().moves, "{text}");
        assert_eq!(verify(&mut reader, |_| true).unwrap().difference, None);
        n_moves += moves;
    }
    assert!(n_moves > 200, "{n_moves}");
    // Up to the first move that cannot begin.
    let plan = row_plan("swept", [vec![(0, "forward", 3)], vec![(3, "forward", 1)]]);
    let recorded = record_move_plan(&build_world(&row("swept")), &plan).unwrap();
    assert_eq!(recorded.stopped_at, Some(4));
}

#[test]
fn a_plan_of_a_problem_has_its_tasks() {
    let file =
        |name: &str, text: &str| AttachedFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let files = [
        file("a.map", "type octile\nheight 3\nwidth 4\nmap\n....\n.@T.\n....\n"),
        file("a.agents", "2\n0\n11\n"),
        file("a.tasks", "5\n4\n3\n8\n8\n3\n"),
    ];
    let text = br#"{"mapFile": "a.map", "agentFile": "a.agents", "teamSize": 2, "taskFile": "a.tasks",
        "numTasksReveal": 1, "taskAssignmentStrategy": "roundrobin"}"#;
    let (path, files) = (Path::new("a.json"), Files::Attached(&files));
    let load = |ticks| {
        let overrides = Overrides { ticks: Some(ticks), ..Overrides::default() };
        build_problem(path, text, overrides, files).unwrap()
    };
    let events = |bytes: Vec<u8>| {
        let mut reader = Reader::open(Cursor::new(bytes)).unwrap();
        let (mut record, mut found, mut tick) = (TickRecord::default(), Vec::new(), 0);
        while reader.next_tick(&mut record).unwrap() {
            let of_tasks = |event: &&Event| matches!(event, Event::Task { .. } | Event::TaskDone { .. });
            found.extend(record.events.iter().filter(of_tasks).map(|event| format!("{tick}: {event:?}")));
            tick += 1;
        }
        found
    };
    let plan = crate::common::plan_checked(&mut load(60).world);
    let run = crate::common::record_loaded(&mut load(60), "a.json", str::from_utf8(text).unwrap());
    let problem = LoadedProblem::read(path, text, files, MemoryMax::NONE).unwrap();
    let recorded = record_problem_plan(&load(0).world, &problem, &plan).unwrap().unwrap();
    assert_eq!(recorded.stopped_at, None);
    let expected = events(run);
    assert!(expected.len() > 8, "{expected:?}");
    assert_eq!(events(recorded.bytes), expected);
}

/// Two carts on a row, towards each other; there is no room to pass.
const ROW: &str = "name = \"row\"\nticks = 40\n[map]\nrows = [\".....\", \"..T..\"]\n";

fn row(collision: &str) -> String {
    let agent = |x: u32, heading: &str, goal: u32| {
        format!(
            "[[agents]]\nclass = \"cart\"\nat = [{x}, 0, \"{heading}\"]\norders = [{{ goto = [{goal}, 0] }}]\n"
        )
    };
    let text = ROW.replace("ticks", &format!("collision = \"{collision}\"\nticks"));
    format!("{text}{CART}{}{}", agent(0, "E", 2), agent(4, "W", 3))
}

fn row_plan(collision: &str, moves: [Vec<(u32, &str, u32)>; 2]) -> MovePlan {
    let (mut plan, _) = plan_of(&row(collision));
    plan.ticks = 40;
    for (agent, moves) in plan.agents.iter_mut().zip(moves) {
        let run = |(tick, name, count): (u32, &str, u32)| MoveRun { tick, name: name.to_owned(), count };
        agent.moves = moves.into_iter().map(run).collect();
    }
    plan
}

#[test]
fn violations_are_named() {
    let said = |collision: &str, moves: [Vec<(u32, &str, u32)>; 2]| -> Vec<String> {
        let verdict = judged(&row(collision), &row_plan(collision, moves));
        assert_eq!(verdict.violations.len() as u64, verdict.n_violations);
        verdict.violations.iter().map(ToString::to_string).collect()
    };
    let good = || [vec![(0, "forward", 2)], vec![(3, "forward", 1)]];
    assert_eq!(said("swept", good()), [""; 0]);
    assert_eq!(said("discrete", good()), [""; 0]);
    assert_eq!(
        said("swept", [vec![(0, "forward", 3)], vec![(3, "forward", 1)]]),
        [
            "tick 4: agents 1 and 0 both hold cell (3, 0)",
            "tick 5: agents 0 and 1 both hold cell (3, 0)",
            "tick 6: agents 1 and 0 both hold cell (3, 0)"
        ]
    );
    // The two change places at tick 4: cells given up may be taken, but not like this.
    let swap = || [vec![(0, "forward", 3)], vec![(2, "forward", 1), (4, "forward", 1)]];
    assert_eq!(said("discrete", swap()), ["tick 6: agents 0 and 1 exchange cells, as (3, 0)"]);
    assert_eq!(
        said("swept", [vec![(0, "forward", 1), (1, "forward", 1)], vec![(3, "forward", 1)]]),
        [
            "tick 1: agent 0 at (1, 0): move \"forward\": the move before it ends at tick 2",
            "agent 0: order 0, goto, its next since tick 0, is not carried out; it ends at (1, 0)"
        ]
    );
    assert_eq!(
        said("swept", [vec![(0, "forward", 2), (4, "right", 1), (5, "forward", 1)], vec![(3, "forward", 1)]]),
        ["tick 5: agent 0 at (2, 0): move \"forward\": not legal: cell (2, 1) is trees"]
    );
    assert_eq!(
        said("swept", [vec![(0, "forward", 2), (40, "left", 1)], vec![(3, "fly", 1)]]),
        [
            "tick 40: agent 0 at (2, 0): move \"left\": the plan ends at tick 40",
            "tick 3: agent 1 at (4, 0): move \"fly\": class \"cart\" has no such move",
            "agent 1: order 0, goto, its next since tick 0, is not carried out; it ends at (4, 0)"
        ]
    );
    let mut other = row_plan("swept", good());
    other.agents[1].at.2 = "N".to_owned();
    other.agents.push(other.agents[0].clone());
    other.collision = "discrete".to_owned();
    let verdict = judged(&row("swept"), &other);
    let said: Vec<String> = verdict.violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "agents: expected 2 as in the scenario, found 3",
            "collision: expected \"swept\" as in the scenario, found \"discrete\"",
            "agent 1: expected \"cart\" at [4, 0, \"W\"] as in the scenario, found \"cart\" at [4, 0, \"N\"]"
        ]
    );
}

#[test]
fn orders_are_followed() {
    let text = |orders: &str| {
        format!(
            "name = \"a\"\nticks = 90\n[map]\nrows = [\"......\", \"TTTTT.\", \"....T.\"]\n{CART}\
             [[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\norders = [{orders}]\n"
        )
    };
    let judged_run = |orders: &str| {
        let (plan, world) = plan_of(&text(orders));
        let MovePlanVerdict { orders_reached, orders_unreachable, orders_not_judged, n_violations, .. } =
            judged(&text(orders), &plan);
        assert_eq!(n_violations, 0, "{orders}");
        assert!(world.counts().orders_done >= orders_reached, "{orders}");
        (orders_reached, orders_unreachable, orders_not_judged)
    };
    assert_eq!(judged_run("{ goto = [4, 0] }, { wait = 5 }, { goto = [1, 0] }"), (3, 0, 0));
    // No moves lead to (0, 2): the order is dropped, or kept.
    assert_eq!(judged_run("{ goto = [0, 2] }, { goto = [1, 0] }"), (1, 1, 0));
    assert_eq!(judged_run("{ goto = [0, 2], if_unreachable = \"wait\" }, { goto = [1, 0] }"), (0, 1, 1));
    assert_eq!(judged_run("{ goto = [2, 0] }, { goto_area = [3, 0, 2, 1] }, { goto = [1, 0] }"), (1, 0, 2));
    // A wait that the plan cuts off.
    let (mut plan, _) = plan_of(&text("{ goto = [1, 0] }, { wait = 50 }"));
    plan.ticks = 51;
    let verdict = judged(&text("{ goto = [1, 0] }, { wait = 50 }"), &plan);
    assert_eq!(
        verdict.violations[0].to_string(),
        "agent 0: order 1, wait, its next since tick 2, is not carried out; it ends at (1, 0)"
    );
}

#[test]
fn a_scenario_with_events_has_no_plan() {
    let event = "[[events]]\ntick = 7\nset_terrain = { area = [0, 0, 1, 1], kind = \"water\" }\n";
    let error = MovePlanRecorder::begin(&mut build_world(&(row("swept") + event))).unwrap_err();
    assert!(error.starts_with("the scenario has an event at tick 7; expected none"), "{error}");
}

#[test]
fn mistakes_in_the_text_are_placed() {
    let (plan, _) = plan_of(&row("swept"));
    let mut text = Vec::new();
    plan.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        let error = MovePlan::parse(text.replacen(from, to, 1).as_bytes()).unwrap_err();
        (error.line, error.message)
    };
    assert_eq!(
        refused("{\"plan\":1", "{\"plan\":2"),
        (1, "plan: expected 1, the version of the format, found 2".to_owned())
    );
    assert_eq!(refused("\"forward\"", "\"forward\",0").1, "expected a count of at least 1, found 0");
    let huge = refused("\"forward\"", "\"forward\",4000000000");
    assert_eq!(huge.0, if text.contains("\"forward\",") { 2 } else { 1 });
    let (line, message) = refused("\"class\"", "\"clas\"");
    assert!(line == 2 && message.starts_with("unknown field `clas`"), "{line} {message}");
    let many = text.replace(
        "\"agents\":[",
        "\"agents\":[{\"class\":\"cart\",\"at\":[0,0,\"E\"],\"moves\":[[0,\"left\",4000000000]]},",
    );
    let error = MovePlan::parse(many.as_bytes()).unwrap_err().message;
    assert!(error.ends_with(" moves, expected at most 67108864"), "{error}");
}
