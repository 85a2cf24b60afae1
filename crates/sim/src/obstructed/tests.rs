use crate::requests::{PathRequest, Route};
use crate::scenes::{class, group, map, setup, tasks, within, world};
use crate::{EventKind, Order, RunState, Spawn, SpawnGroup, World};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;
use wheelbase_planner::{ClassSpec, Heading, Pose, Primitive};
use wheelbase_traffic::Transition;
use wheelbase_traffic::motion::{AgentId, AgentSlot, ClassId};
use wheelbase_traffic::random::Random;
use wheelbase_traffic::teams::Team;

thread_local! {
    /// Requests since the last look.
    static REQUESTS: RefCell<Vec<PathRequest>> = const { RefCell::new(Vec::new()) };
}

/// Notes a request for the tests of this module.
pub(crate) fn note_request(request: PathRequest) {
    REQUESTS.with_borrow_mut(|requests| requests.push(request));
}

const SCOUT: u8 = 0;
const RED: Team = Team(0);
const BLUE: Team = Team(1);

/// A random world of two teams with orders of all kinds; some units hold, and foreign units move all the time.
fn world_with_foes(random: &mut Random, n_foes: usize) -> World {
    let (width, height) = (12 + random.below(24), 8 + random.below(16));
    // A wall with a few doors, and some trees.
    let wall = width / 2;
    let doors = [random.below(height), random.below(height)];
    let mut glyph = |x: usize, y: usize| match x == wall {
        true if doors.contains(&y) => '.',
        true => 'T',
        false if random.below(12) == 0 => 'T',
        false => '.',
    };
    let rows: Vec<String> = (0..height).map(|y| (0..width).map(|x| glyph(x, y)).collect()).collect();
    let scout = class(ClassSpec::new("scout", 1), &[(0, 0)], Primitive::four_directions(5));
    let tank = class(ClassSpec::new("tank", 4), &[(0, 0), (-1, 0)], Primitive::vehicle(4, 8, 4));
    let mut setup = setup(3000, map(&rows), vec![scout, tank]);
    setup.settings.seed = random.below(1000) as u64;
    let all = Rect::new(0, 0, width as u32, height as u32);
    let of_team = |team, class, count: usize, orders: Vec<Order>| SpawnGroup {
        team,
        anywhere: true,
        ..group(class, count as u32, all, orders)
    };
    let mut groups = Vec::new();
    for _ in 0..2 + random.below(4) {
        let orders = if random.below(2) == 0 { vec![Order::hold()] } else { Vec::new() };
        groups.push(of_team([RED, BLUE][random.below(2)], SCOUT, 1, orders));
    }
    if let Some(&y) = doors.iter().find(|_| random.below(2) == 0) {
        let at = Spawn::new(ClassId(SCOUT), Pose::new(wall as i32, y as i32, Heading(0)));
        setup.agents.push(Spawn { team: BLUE, ..at.with_orders([Order::hold()]) });
    }
    groups.push(of_team(BLUE, SCOUT, n_foes.min(width * height / 6), vec![tasks(all, 0)]));
    for stream in 1..7 {
        let mut cell = || CellXY::new(random.below(width) as i32, random.below(height) as i32);
        let (to, back) = (cell(), cell());
        let end = random.below(3);
        let ends = |order: Order| [order.clone(), order.clone().or_wait(), order.or_nearest()][end].clone();
        let area = Rect::new(random.below(6) as i32, 2, 4, 3);
        let orders = [
            vec![ends(Order::goto(to)), within(Order::goto(back), 2)],
            vec![ends(within(Order::patrol(&[to, back]), 1))],
            vec![ends(Order::goto_area(area)), Order::goto_group(back)],
            vec![ends(Order::goto_group(to)), ends(Order::goto_group(back))],
            vec![tasks(all, stream)],
        ];
        let (count, class) = (1 + random.below(3), random.below(2) as u8);
        groups.push(of_team(RED, class, count, orders[random.below(5)].clone()));
    }
    world(setup, groups)
}

/// Since when an agent is in which state, its trip, and the revision of the map.
type Question = ((u32, State), [u32; 4], u64);

/// A request and what its answer depended on.
struct Asked {
    tick: u32,
    question: Question,
    /// Cells of which a change may change the answer: the cells of obstacles that the search met, of the path found, of
    /// the goal. With the agent on each, and where it stands.
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
    for &primitive in world.agents.moves(row) {
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

/// An agent asks again 16, 32, ... 1,024 ticks later, or when something changes that its last answer depended on. The
/// worlds have orders of all kinds, walls of units on hold, and up to 100 foreign units that move all the time.
#[test]
fn no_request_is_repeated_without_a_change() {
    let mut random = Random::new(7);
    let cases = if std::env::var_os("WHEELBASE_LONG").is_some() { 60 } else { 9 };
    for case in 0..cases {
        let too_soon = requests_too_soon(&mut world_with_foes(&mut random, [0, 10, 100][case % 3]));
        assert!(too_soon.is_empty(), "case {case}\n{}", too_soon.join("\n"));
    }
}
