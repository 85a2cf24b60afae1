use crate::requests::{PathRequest, Route};
use crate::{
    AgentSelection, Command, EventKind, Order, OrderKind, RunState, TaskSource, UnreachableReason, World,
    load, scenario,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;
use wheelbase_traffic::Transition;
use wheelbase_traffic::motion::{AgentId, AgentSlot};
use wheelbase_traffic::random::Random;

thread_local! {
    /// Requests since the last look.
    static REQUESTS: RefCell<Vec<PathRequest>> = const { RefCell::new(Vec::new()) };
}

/// Notes a request for the tests of this module.
pub(crate) fn note_request(request: PathRequest) {
    REQUESTS.with_borrow_mut(|requests| requests.push(request));
}

fn world_of(text: &str) -> World {
    let typed = scenario::parse("test.toml", text.as_bytes()).unwrap_or_else(|err| panic!("{err}\n{text}"));
    load::build_world(Path::new("test.toml"), &typed).unwrap_or_else(|err| panic!("{err}\n{text}"))
}

const CLASSES: &str = r#"
[class.scout]
headings = 1
moves = [
  { name = "E", by = [1, 0],  time = 5 },
  { name = "W", by = [-1, 0], time = 5 },
  { name = "N", by = [0, -1], time = 5 },
  { name = "S", by = [0, 1],  time = 5 },
]
[class.tank]
headings = 4
footprint = ["X>"]
moves = [
  { name = "ahead", by = [1, 0], time = 4 },
  { name = "back", by = [-1, 0], time = 8 },
  { name = "left", turn = 1, time = 4 },
  { name = "right", turn = -1, time = 4 },
]
"#;

/// A random world of two teams with orders of all kinds; some units hold, and foreign units move all the time.
fn world_with_foes(random: &mut Random, n_foes: usize) -> String {
    let (width, height) = (12 + random.below(24), 8 + random.below(16));
    // A wall with a few doors, and some trees.
    let wall = width / 2;
    let doors = [random.below(height), random.below(height)];
    let cell = |random: &mut Random, x: usize, y: usize| match x == wall {
        true if doors.contains(&y) => '.',
        true => 'T',
        false if random.below(12) == 0 => 'T',
        false => '.',
    };
    let mut rows = Vec::new();
    for y in 0..height {
        let row: String = (0..width).map(|x| cell(random, x, y)).collect();
        rows.push(format!("\"{row}\""));
    }
    let mut text = format!(
        "name = \"foes\"\nseed = {}\nticks = 3000\nlandmarks = 0\n[map]\nrows = [{}]\n{CLASSES}",
        random.below(1000),
        rows.join(",")
    );
    let all = format!("area = [0, 0, {width}, {height}]\nanywhere = true");
    for _ in 0..2 + random.below(4) {
        let orders =
            if random.below(2) == 0 { "orders = [{ hold = true }]".to_owned() } else { String::new() };
        let team = ["red", "blue"][random.below(2)];
        text += &format!("[[groups]]\nclass = \"scout\"\nteam = \"{team}\"\ncount = 1\n{all}\n{orders}\n");
    }
    for y in doors {
        if random.below(2) == 0 {
            text += &format!(
                "[[agents]]\nclass = \"scout\"\nteam = \"blue\"\nat = [{wall}, {y}]\norders = [{{ hold = true }}]\n"
            );
            break;
        }
    }
    let n_moving = n_foes.min(width * height / 6);
    if n_moving > 0 {
        let tasks = format!("tasks = {{ kind = \"random\", area = [0, 0, {width}, {height}] }}");
        text +=
            &format!("[[groups]]\nclass = \"scout\"\nteam = \"blue\"\ncount = {n_moving}\n{all}\n{tasks}\n");
    }
    for _ in 0..6 {
        let mut cell = || format!("[{}, {}]", random.below(width), random.below(height));
        let (to, back) = (cell(), cell());
        let ends = ["", ", if_unreachable = \"wait\"", ", fallback = \"nearest\""];
        let end = ends[random.below(3)];
        let orders = [
            format!("orders = [{{ goto = {to}{end} }}, {{ goto = {back}, within = 2 }}]"),
            format!("orders = [{{ patrol = [{to}, {back}], within = 1{end} }}]"),
            format!(
                "orders = [{{ goto_area = [{}, 2, 4, 3]{end} }}, {{ goto_group = {back} }}]",
                random.below(6)
            ),
            format!("orders = [{{ goto_group = {to}{end} }}, {{ goto_group = {back}{end} }}]"),
            format!("tasks = {{ kind = \"random\", area = [0, 0, {width}, {height}] }}"),
        ];
        let order = &orders[random.below(5)];
        let (count, class) = (1 + random.below(3), ["scout", "tank"][random.below(2)]);
        text +=
            &format!("[[groups]]\nclass = \"{class}\"\nteam = \"red\"\ncount = {count}\n{all}\n{order}\n");
    }
    text
}

/// Since when an agent is in which state, its trip, and the revision of the map.
type Question = ((u32, State), [u32; 4], u64);

/// A request and what its answer depended on.
struct Asked {
    tick: u32,
    question: Question,
    /// Cells of which a change may change the answer: the cells of obstacles that the search met, of the path found, of the
    /// goal. With the agent on each, and where it stands.
    cells: Vec<(CellXY, Option<(AgentSlot, u64)>)>,
    /// Requests in a row without such a change.
    n_same: u32,
}

/// The agent on a cell, and where it stands.
fn holder_of(world: &World, cell: CellXY) -> Option<(AgentSlot, u64)> {
    let slot = world.occupancy.holder_at(cell)?;
    let motion = &world.agents.motion[world.agents.row_of_slot(slot)?];
    Some((slot, u64::from(motion.state.0) << 32 | u64::from(motion.until)))
}

fn question_of(world: &World, row: usize) -> Question {
    let state = world.agents.orders(row);
    let trip = [state.open.first, state.open.count, state.waypoint, state.since];
    let place = (world.agents.wait_states[row].moved_at, world.agents.motion[row].state);
    (place, trip, world.grid.revision())
}

/// Cells that the answer to a request depends on.
fn cells_of_answer(world: &World, row: usize) -> BTreeSet<CellXY> {
    let (motion, slot) = (&world.agents.motion[row], world.agents.slots[row]);
    let tables = &world.tables[usize::from(motion.class.0)];
    let mut cells = BTreeSet::new();
    let sweep = |state: State, primitive: usize| {
        let pose = tables.space().pose(state);
        let (anchor, swept) = Transition { class: tables.class(), pose, primitive }.swept();
        swept.iter().map(move |offset| offset.cell_from(anchor)).collect::<Vec<_>>()
    };
    let mut state = motion.state;
    for &primitive in world.paths.moves(world.agents.paths[row]) {
        cells.extend(sweep(state, usize::from(primitive)));
        state = tables.state_after(state, usize::from(primitive));
    }
    // Obstacles around everything that the agent can reach among all others.
    let (mut seen, mut stack) = (BTreeSet::from([motion.state]), vec![motion.state]);
    while let Some(state) = stack.pop() {
        tables.for_each_successor(state, |next| {
            let swept = sweep(state, usize::from(next.primitive));
            let held: Vec<CellXY> = swept
                .into_iter()
                .filter(|&cell| world.occupancy.holder_at(cell).is_some_and(|holder| holder != slot))
                .collect();
            if held.is_empty() && seen.insert(next.state) {
                stack.push(next.state);
            }
            cells.extend(held);
        });
    }
    let state = world.agents.orders(row);
    if let Some((_, trip)) = world.orders.current_trip(&state) {
        cells.extend(trip.members.iter().map(|member| member.cell));
    }
    cells
}

/// Runs a world and gives the requests that came too soon after the one before, although nothing had changed that its
/// answer depended on. Congestion-aware requests, which ask about counts that change all the time, are left out.
fn requests_too_soon(world: &mut World) -> Vec<String> {
    let mut asked: BTreeMap<AgentId, Asked> = BTreeMap::new();
    let mut too_soon = Vec::new();
    REQUESTS.take();
    while world.step() == RunState::Running {
        for request in REQUESTS.take().into_iter().filter(|asked| asked.route != Route::CongestionAware) {
            let Some(row) = world.agents.row(request.agent) else { continue };
            let question = question_of(world, row);
            let mut n_same = 0;
            if let Some(before) = asked.get(&request.agent).filter(|before| before.question == question) {
                let is_same = before.cells.iter().all(|&(cell, holder)| holder_of(world, cell) == holder);
                let gap = request.issued - before.tick;
                n_same = if is_same { before.n_same + 1 } else { 0 };
                if is_same && gap < 16 << before.n_same.min(6) {
                    too_soon.push(format!("{request:?}: {gap} ticks after that before, {n_same} in a row"));
                }
            }
            let cells = cells_of_answer(world, row).into_iter().map(|cell| (cell, holder_of(world, cell)));
            let kept = Asked { tick: request.issued, question, cells: cells.collect(), n_same };
            asked.insert(request.agent, kept);
        }
        // An agent that has ended an order asks another question.
        let ends =
            |kind| matches!(kind, Some(EventKind::OrderFailed | EventKind::OrderDone | EventKind::TaskDone));
        for event in world.events().iter().filter(|event| ends(event.kind())) {
            asked.remove(&AgentId(event.agent));
        }
    }
    too_soon
}

/// An agent asks again 16, 32, ... 1,024 ticks later unless something has changed that its last answer depended on, in
/// worlds with orders of all kinds, walls of units on hold, and up to 100 foreign units that move all the time.
#[test]
fn no_request_is_repeated_without_a_change() {
    let mut random = Random::new(7);
    let cases = if std::env::var_os("WHEELBASE_LONG").is_some() { 60 } else { 9 };
    for case in 0..cases {
        let text = world_with_foes(&mut random, [0, 10, 100][case % 3]);
        let too_soon = requests_too_soon(&mut world_of(&text));
        assert!(too_soon.is_empty(), "case {case}\n{}\n{text}", too_soon.join("\n"));
    }
}

/// A door that an agent closes, foreign or on hold, and an agent with an order to go through.
fn door(blocker: &str, order: &str, ticks: u32, events: &str) -> World {
    world_of(&format!(
        r#"
name = "a door"
ticks = {ticks}
[map]
rows = [
  "....................",
  "....................",
  "....................",
  "....................",
  "TTTTTTTTTT.TTTTTTTTT",
  "....................",
  "....................",
  "....................",
]
{CLASSES}
[[agents]]
class = "scout"
team = "red"
at = [4, 1]
orders = [{{ {order} }}]
[[agents]]
name = "door"
class = "scout"
at = [10, 4]
{blocker}
{events}
"#
    ))
}

/// Orders that lead through the door.
const THROUGH: [&str; 3] = ["goto = [10, 7]", "goto_area = [10, 7, 1, 1]", "goto_group = [10, 7]"];
const BLOCKERS: [&str; 2] =
    ["team = \"blue\"\norders = [{ wait = 5000 }]", "team = \"red\"\norders = [{ hold = true }]"];

/// Steps a world to its end; gives the ticks and reasons of orders that failed, and of those done.
fn run_events(world: &mut World) -> (Vec<(u32, u32)>, Vec<u32>) {
    let (mut failed, mut done) = (Vec::new(), Vec::new());
    let mut is_running = true;
    while is_running {
        is_running = world.step() == RunState::Running;
        for event in world.events() {
            match event.kind() {
                Some(EventKind::OrderFailed) => failed.push((event.tick, event.c)),
                Some(EventKind::OrderDone) => done.push(event.tick),
                _ => {}
            }
        }
    }
    (failed, done)
}

const OBSTRUCTED: u32 = UnreachableReason::Obstructed as u32;

#[test]
fn an_obstructed_order_fails_once_whatever_its_kind() {
    for (order, blocker) in THROUGH.iter().flat_map(|order| BLOCKERS.map(|blocker| (order, blocker))) {
        let mut world = door(blocker, order, 3000, "");
        let (failed, done) = run_events(&mut world);
        assert_eq!((failed.len(), done.len()), (1, 0), "{order} {blocker}");
        assert_eq!(failed[0].1, OBSTRUCTED, "{order} {blocker}");
        let counts = world.counts();
        assert!(counts.path_requests <= 2 && counts.expansions < 500, "{order} {blocker} {counts:?}");
    }
}

/// Kept orders ask once more when the door opens, and arrive.
#[test]
fn an_obstructed_order_that_waits_asks_again_when_the_obstacle_leaves() {
    let opens =
        "[[events]]\ntick = 1500\ngive_orders = { names = [\"door\"], orders = [{ goto = [17, 6] }] }";
    for (order, blocker) in THROUGH.iter().flat_map(|order| BLOCKERS.map(|blocker| (order, blocker))) {
        let mut world = door(blocker, &format!("{order}, if_unreachable = \"wait\""), 3000, opens);
        let (failed, done) = run_events(&mut world);
        assert_eq!(failed.len(), 1, "{order} {blocker}");
        assert_eq!(failed[0].1, OBSTRUCTED, "{order} {blocker}");
        // That of the door, and then its own.
        assert!(done.len() == 2 && done[1] < 1700, "{order} {blocker} {done:?}");
        let counts = world.counts();
        assert!(counts.path_requests <= 6 && counts.expansions < 1000, "{order} {blocker} {counts:?}");
    }
}

#[test]
fn an_obstructed_order_to_the_nearest_pose_goes_up_to_the_obstacle() {
    for (order, blocker) in THROUGH.iter().flat_map(|order| BLOCKERS.map(|blocker| (order, blocker))) {
        let mut world = door(blocker, &format!("{order}, fallback = \"nearest\""), 3000, "");
        let (failed, done) = run_events(&mut world);
        let row = world.agents.row(AgentId(0)).unwrap_or(usize::MAX);
        assert_eq!(world.pose(row).cell, CellXY::new(10, 3), "{order} {blocker}");
        // The nearest pose does not count for an area.
        let is_area = order.starts_with("goto_area");
        assert_eq!(
            (failed.len(), done.len()),
            (usize::from(is_area), usize::from(!is_area)),
            "{order} {blocker}"
        );
        assert!(world.counts().path_requests <= 3, "{order} {blocker} {:?}", world.counts());
    }
}

/// An agent with tasks behind a closed door tries others of them, less and less often.
#[test]
fn obstructed_tasks_are_tried_less_and_less_often() {
    for blocker in BLOCKERS {
        let mut world = door(blocker, "wait = 5000", 3000, "");
        let area = Rect::new(0, 5, 20, 3);
        let source = Arc::new(TaskSource::Random { area });
        let agents = AgentSelection::One(AgentId(0));
        world.command(Command::Order {
            agents: agents.clone(),
            orders: Arc::new([Order::new(OrderKind::Stop)]),
            append: false,
        });
        world.command(Command::Tasks { agents, source, stream: 0 });
        let (failed, _) = run_events(&mut world);
        assert!((5..=10).contains(&failed.len()), "{blocker} {failed:?}");
        assert!(world.counts().path_requests <= 10, "{blocker} {:?}", world.counts());
    }
}
