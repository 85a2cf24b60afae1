//! Tasks of groups, random or from a table, done one after the other forever.

use crate::common::{CART, TRUCK, build_world, on_threads, record_loaded, run_checked, step_to};
use std::io::Cursor;
use std::path::Path;
use wheelbase_scenario::load::{AttachedFile, Files, Loaded, build_world_of};
use wheelbase_scenario::recording::{Event, Reader, TickRecord, verify};
use wheelbase_scenario::scenario;
use wheelbase_sim::{OrderKind, RunState, TraceEvent, World};

fn text(map: &str, more: &str) -> String {
    format!("name = \"tasks\"\nseed = 3\nticks = 400\n[map]\nrows = {map}\n{CART}{TRUCK}{more}")
}

fn open_map() -> String {
    format!("[{}]", ["\"................\""; 12].join(","))
}

fn group(class: &str, count: u32, tasks: &str) -> String {
    format!("[[groups]]\nclass = \"{class}\"\ncount = {count}\narea = [0, 0, 16, 12]\ntasks = {tasks}\n")
}

fn random_tasks(count: u32) -> String {
    let tasks = "{ kind = \"random\", area = [0, 0, 16, 12] }";
    text(&open_map(), &(group("cart", count, tasks) + &group("truck", count, tasks)))
}

/// A world with a table of tasks.
fn with_table(text: &str, table: &str) -> Result<World, String> {
    loaded_with_table(text, table).map(|loaded| loaded.world)
}

fn loaded_with_table(text: &str, table: &str) -> Result<Loaded, String> {
    let files = [AttachedFile { name: "trips.csv".to_owned(), bytes: table.as_bytes().to_vec() }];
    let typed = scenario::parse("test.toml", text.as_bytes()).unwrap();
    let built = build_world_of(Path::new("test.toml"), &typed, Files::Attached(&files));
    built.map_err(|error| error.to_string())
}

fn of_table(count: u32) -> String {
    text(&open_map(), &group("cart", count, "{ file = \"trips.csv\" }"))
}

#[test]
fn each_agent_does_random_tasks_forever() {
    let run = || {
        let mut world = build_world(&random_tasks(5));
        world.keep_log();
        let hashes = run_checked(&mut world);
        let mut done = vec![0; world.agent_arrays().len()];
        for event in world.log() {
            if let TraceEvent::TaskDone { agent, .. } = event {
                done[agent.0 as usize] += 1;
            }
        }
        assert_eq!(done.iter().sum::<u64>(), world.counts().tasks_done);
        assert!(done.iter().all(|&done| done >= 3), "{done:?}");
        assert_eq!((world.tick(), world.counts().orders_done), (400, 0));
        hashes
    };
    assert_eq!(on_threads(1, run), on_threads(3, run));
}

#[test]
fn tasks_of_a_table_come_in_turn_and_repeat() {
    let table = "agent,x,y,heading\n1,15,11,any\n0,4,0,E\n0,0,0,\n1,15,0,N\n";
    let mut world = with_table(&of_table(2), table).unwrap();
    world.keep_log();
    run_checked(&mut world);
    let goals = |agent: u32| -> Vec<_> {
        let of_agent = world.log().iter().filter_map(|event| match event {
            TraceEvent::Task { agent: of, goal, .. } if of.0 == agent => Some(goal),
            _ => None,
        });
        of_agent.map(|goal| (goal.cell.x, goal.cell.y, goal.heading.map(|heading| heading.0))).collect()
    };
    assert_eq!(goals(0)[..3], [(4, 0, Some(0)), (0, 0, None), (4, 0, Some(0))]);
    assert_eq!(goals(1)[..3], [(15, 11, None), (15, 0, Some(1)), (15, 11, None)]);
    assert!(world.counts().tasks_done > 10);
}

#[test]
fn orders_come_before_tasks_and_orders_given_later_end_them() {
    let tasks = "{ kind = \"random\", area = [8, 0, 8, 12] }\norders = [{ goto = [0, 0] }, { wait = 5 }]";
    let event =
        "[[events]]\ntick = 200\ngive_orders = { area = [0, 0, 16, 12], orders = [{ goto = [0, 11] }] }\n";
    let mut world = build_world(&text(&open_map(), &(group("cart", 1, tasks) + event)));
    step_to(&mut world, 200);
    let before = world.counts().tasks_done;
    assert!(world.counts().orders_done == 2 && before > 1, "{:?}", world.counts());
    run_checked(&mut world);
    assert_eq!((world.counts().orders_done, world.counts().tasks_done), (3, before));
    assert!(world.tick() < 400, "nothing is left to do");
}

#[test]
fn an_unreachable_task_is_dropped() {
    let map = "[\"......#...\", \"......#...\"]\n[terrain.rock]\nglyphs = \"#\"\nspeed = 0";
    let group =
        "[[groups]]\nclass = \"cart\"\ncount = 1\narea = [0, 0, 6, 2]\ntasks = { file = \"trips.csv\" }\n";
    let mut world =
        with_table(&text(map, group), "agent,x,y,heading\n0,8,1,any\n0,5,0,any\n0,0,0,any\n").unwrap();
    world.keep_log();
    run_checked(&mut world);
    let given_up = |event: &&TraceEvent| matches!(event, TraceEvent::Unreachable { kind, .. } if OrderKind::NAMES[usize::from(*kind)] == "task");
    let n_given_up = world.log().iter().filter(given_up).count() as u64;
    let done = world.counts().tasks_done;
    assert!(done > 10 && n_given_up.abs_diff(done / 2) <= 1, "{done} {n_given_up}");
    assert_eq!(world.counts().orders_unreachable, 0);
}

#[test]
fn recorded_tasks_are_verified_without_the_table() {
    let table = "agent,x,y,heading\n0,15,11,any\n0,0,0,E\n1,3,3,any\n1,12,2,any\n";
    for (text, table) in [(of_table(2), table), (random_tasks(3), "")] {
        let mut loaded = loaded_with_table(&text, table).unwrap();
        let file = record_loaded(&mut loaded, "test.toml", &text);
        let world = loaded.world;
        let mut reader = Reader::open(Cursor::new(&file)).unwrap();
        let (mut record, mut given, mut done) = (TickRecord::default(), 0, 0);
        while reader.next_tick(&mut record).unwrap() {
            given += record.events.iter().filter(|event| matches!(event, Event::Task { .. })).count();
            done += record.events.iter().filter(|event| matches!(event, Event::TaskDone { .. })).count();
        }
        assert_eq!(done as u64, world.counts().tasks_done);
        assert_eq!(given - done, world.agent_arrays().len());
        let verified = verify(&mut Reader::open(Cursor::new(file)).unwrap(), |_| true).unwrap();
        assert_eq!((verified.n_ticks, verified.difference), (401, None));
    }
}

#[test]
fn events_add_agents_with_tasks() {
    let event = "[[events]]\ntick = 20\nadd_agents = { class = \"cart\", count = 3, area = [0, 0, 16, 12], tasks = { kind = \"random\", area = [0, 0, 4, 4] } }\n";
    let mut world = build_world(&text(&open_map(), event));
    run_checked(&mut world);
    assert!(world.counts().tasks_done > 30, "{:?}", world.counts());
}

#[test]
fn mistakes_in_tables_are_named_with_line_and_column() {
    let table = |table: &str| with_table(&of_table(2), table).map(|_| ()).unwrap_err();
    assert_eq!(table("agent;x\n"), "trips.csv:1: expected the line agent,x,y,heading, found another");
    let rows = "agent,x,y,heading\n2,0,0,any\n0,16,0,any\n0,0,-1,any\n0,0,0,NE\n0,0,0,any,1\n1,0,0,any\n";
    assert_eq!(
        table(rows).lines().collect::<Vec<_>>(),
        [
            "trips.csv:2: agent: expected a number from 0 to 1, the agents of the group, found \"2\"",
            "trips.csv:3: x: expected a number from 0 to 15, found \"16\"",
            "trips.csv:4: y: expected a number from 0 to 11, found \"-1\"",
            "trips.csv:5: heading: expected any, E, N, W or S, found \"NE\"",
            "trips.csv:6: expected four columns, agent,x,y,heading, found 5",
        ]
    );
    assert_eq!(
        table("agent,x,y,heading\n0,1,1,any\n"),
        "trips.csv:1: agent 1 has no task, expected at least one for each of 2"
    );
    let missing = world_of_missing_table();
    assert!(missing.starts_with("test.toml:"), "{missing}");
    assert!(missing.contains("groups[0].tasks.file: trips.csv: cannot be read"), "{missing}");
    let typed = text(&open_map(), &group("cart", 1, "{ kind = \"random\", area = [90, 90, 4, 4] }"));
    let typed = scenario::parse("test.toml", typed.as_bytes()).unwrap();
    let built = build_world_of(Path::new("test.toml"), &typed, Files::Disk);
    let message = built.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("groups[0].tasks.area: no cell of the area is on the map of "), "{message}");
}

/// 12,000 groups that named a table of a megabyte each took memory and time for it.
#[test]
fn a_table_named_by_many_groups_is_read_once() {
    let groups = |group_count: fn(u32) -> u32| -> String {
        (0..40).map(|number| group("cart", group_count(number), "{ file = \"trips.csv\" }")).collect()
    };
    let rows = "0,1,1,any\n1,2,1,any\n".repeat(1 << 19);
    let table = format!("agent,x,y,heading\n{rows}");
    // Read for each group it would have more than 2^24 lines.
    let world = with_table(&text(&open_map(), &groups(|_| 2)), &table).unwrap();
    assert_eq!(world.agent_arrays().len(), 80);
    let wrong = with_table(&text(&open_map(), &groups(|_| 2)), &table.replace("1,2,1", "9,2,1"));
    let wrong = wrong.map(|_| ()).unwrap_err();
    assert_eq!(wrong.lines().count(), 20, "mistakes of a table are reported once: {wrong}");
}

/// Each group used to list all legal poses of its area: 9,000 groups on a map of a million cells took minutes.
#[test]
fn groups_of_one_area_share_its_poses() {
    let map = "[map]\ngenerate = { kind = \"open\", size = [512, 512] }\n";
    let groups = "[[groups]]\nclass = \"cart\"\ncount = 1\narea = [0, 0, 512, 999]\n".repeat(4200);
    // Listed for each group there would be more than 2^32 poses, and an error.
    let world = build_world(&format!("name = \"many\"\nticks = 1\n{map}{CART}{groups}"));
    assert_eq!(world.agent_arrays().len(), 4200);
}

fn world_of_missing_table() -> String {
    let typed = scenario::parse("test.toml", of_table(2).as_bytes()).unwrap();
    build_world_of(Path::new("test.toml"), &typed, Files::Disk).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_run_with_tasks_lasts_to_its_last_tick() {
    let mut world = build_world(&random_tasks(1));
    while world.step() == RunState::Running {}
    assert_eq!(world.tick(), 400);
}
