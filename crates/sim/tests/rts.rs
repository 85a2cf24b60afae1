//! The programs of docs/rts.md, word for word, and the meaning of each order there and in its rustdoc.

use crate::common::{Checked, TRUCK, WALKER, at, cell, open, open_world, pose};
use std::collections::BTreeSet;
use wheelbase_planner::{Goal, Path, Scratch, Status};
use wheelbase_sim::*;

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);

// docs/rts.md 1: begin
/// Once per tick and unit. It holds and fights while an enemy is within `range` cells; then it goes on to `goal`.
fn attack_move(world: &mut World, unit: AgentId, goal: CellXY, range: i32, fights: &mut bool) {
    let Some(row) = world.agent(unit) else { return };
    let (at, team, size) = (row.pose().cell, Team(row.team), 2 * range as u32 + 1);
    let near = world.agents_in(Rect::new(at.x - range, at.y - range, size, size));
    let mut teams = near.iter().filter_map(|&other| Some(Team(world.agent(other)?.team)));
    let sees_enemy = teams.any(|other| !world.friends().are(team, other));
    if sees_enemy != *fights {
        *fights = sees_enemy;
        let go_on = || Command::order(unit, Order::goto(goal));
        world.command(if sees_enemy { Command::hold(unit) } else { go_on() });
    }
}
// docs/rts.md 1: end

#[test]
fn an_attack_move_stops_at_the_enemy_and_goes_on() {
    let enemy = Spawn { team: Team(1), ..at(WALKER, 8, 1, 0) };
    let mut run = Checked::on(open(16, 3), &[at(WALKER, 0, 1, 0), enemy]);
    run.does(Command::order(A, Order::goto(cell(15, 1))));
    let mut fights = false;
    for tick in 0..200 {
        attack_move(&mut run.world, A, cell(15, 1), 3, &mut fights);
        run.step();
        if tick == 60 {
            assert_eq!((run.cell(A), fights), (cell(5, 1), true));
            run.does(Command::remove(B));
        }
    }
    assert_eq!((run.cell(A), fights), (cell(15, 1), false));
}

// docs/rts.md 2: begin
/// A truck goes to a dock, stands there for 60 ticks, pushed by nobody, and goes home.
fn unload(world: &mut World, truck: AgentId, dock: Pose, home: CellXY) -> Ticket {
    let to_dock = Order::goto_pose(dock, 4); // of a class with four headings
    world.command(Command::orders(truck, [to_dock, Order::wait(60).in_place(), Order::goto(home)]))
}
// docs/rts.md 2: end

#[test]
fn a_truck_docks() {
    let mut run = Checked::on(open(16, 5), &[at(TRUCK, 2, 2, 0)]);
    unload(&mut run.world, A, pose(12, 2, 0), cell(3, 2));
    let arrives = run.steps_until_at(A, cell(12, 2), 100);
    run.steps(60);
    assert!(arrives > 0 && run.row(A).pose() == pose(12, 2, 0));
    run.steps_until_at(A, cell(3, 2), 200);
}

// docs/rts.md 3: begin
/// A gate is a kind of terrain. Its owner's classes pass it, and all other classes do not.
fn gate_world(mut spec: ClassSpec) -> Result<World, Box<dyn std::error::Error>> {
    let gate = TerrainEntry::new("gate", "g", 0);
    let rows = ["....T....", "....g....", "....T...."];
    let grid = Grid::from_rows(&rows, TerrainTable::with_standard(vec![gate])?, SideTable::default())?;
    let stranger = MovementClass::new(spec.clone())?;
    spec.name.push_str("_of_the_owner");
    spec.speed.push(("gate".to_owned(), 1000)); // permille of the usual speed
    let classes = vec![stranger, MovementClass::new(spec)?];
    Ok(World::new(Setup::cooperative(Settings::named("gate"), grid, classes))?)
}
// docs/rts.md 3: end

#[test]
fn a_gate_lets_one_team_through() {
    let mut spec = ClassSpec::new("scout", 1);
    spec.primitives = Primitive::four_directions(2);
    let mut world = gate_world(spec).unwrap();
    for (class, y) in [(ClassId(0), 0), (ClassId(1), 2)] {
        let spawn = Spawn { team: Team(class.0), ..Spawn::new(class, pose(0, y, 0)) };
        world.command(Command::Spawn(spawn.with_orders([Order::goto(cell(8, y))])));
    }
    (0..60).for_each(|_| _ = world.step());
    assert_eq!([0, 1].map(|row| world.pose(row).cell), [cell(0, 0), cell(8, 2)]);
}

// docs/rts.md 4: begin
/// Lets units in that stand at the door of a garrison or a transport, which may drive on with them.
fn board(world: &mut World, units: Vec<AgentId>, container: AgentId) -> Ticket {
    world.command(Command::enter(units, container))
}

/// Lets them all out around the door. They keep ids and orders. A refusal says `no_room` for each unit left inside.
fn unload_all(world: &mut World, container: AgentId, door: Pose) {
    let inside: Vec<AgentId> =
        world.off_map().filter(|unit| unit.container == container).map(|unit| unit.id).collect();
    for unit in inside {
        world.command(Command::leave(unit, door));
    }
}
// docs/rts.md 4: end

#[test]
fn a_garrison_is_entered_and_left() {
    let mut run = Checked::on(open(8, 2), &[at(WALKER, 4, 1, 0), at(WALKER, 5, 1, 0), at(TRUCK, 1, 1, 0)]);
    run.does(Command::order(B, Order::goto(cell(7, 0))));
    board(&mut run.world, vec![A, B], AgentId(2));
    run.step();
    assert_eq!((run.world.agents().len(), run.world.off_map().len()), (1, 2));
    unload_all(&mut run.world, AgentId(2), pose(3, 0, 0));
    run.step();
    assert_eq!((run.cell(A), run.world.off_map().len()), (cell(3, 0), 0));
    run.steps_until_at(B, cell(7, 0), 60);
}

// docs/rts.md 5: begin
/// A unit deploys: it takes another class at the end of its move, and holds. It keeps its id.
fn deploy(world: &mut World, unit: AgentId, deployed: ClassId) -> Ticket {
    let ticket = world.command(Command::Class { agent: unit, class: deployed, pose: None });
    world.command(Command::hold(unit));
    ticket // a refusal has it: pose_held, with the unit that is in the way
}
// docs/rts.md 5: end

#[test]
fn a_walker_deploys() {
    let mut run = Checked::on(open(8, 3), &[at(WALKER, 4, 1, 0), at(WALKER, 2, 1, 0)]);
    deploy(&mut run.world, A, TRUCK);
    run.steps(2);
    assert_eq!((run.row(A).class, run.row(A).activity()), (TRUCK.0, Some(Activity::Holding)));
    let ticket = deploy(&mut run.world, B, TRUCK);
    run.step();
    let index = run.world.events().iter().position(|row| row.kind() == Some(EventKind::Refused));
    assert_eq!(run.world.events()[index.unwrap()].ticket, ticket.0);
}

// docs/rts.md 6: begin
/// A factory builds a unit at its exit. It goes to a free pose of the rally area.
fn build(world: &mut World, class: ClassId, exit: Pose, rally: Rect) -> Ticket {
    let spawn = Spawn::new(class, exit).with_orders([Order::goto_area(rally).or_wait()]);
    world.command(Command::Spawn(spawn)) // refused with pose_held while the exit is not free: build it again later
}
// docs/rts.md 6: end

#[test]
fn units_gather_at_the_rally_point() {
    let mut run = Checked::on(open(16, 4), &[]);
    for _ in 0..4 {
        build(&mut run.world, WALKER, pose(0, 0, 0), Rect::new(12, 1, 2, 2));
        run.steps(8);
    }
    run.steps(60);
    let inside = run.world.agents().iter().filter(|row| Rect::new(12, 1, 2, 2).contains(row.pose().cell));
    assert_eq!(inside.count(), 4);
}

// docs/rts.md 7: begin
/// Paves cells. `road` is a kind with `TerrainEntry::new("road", "r", 2000)`: twice as fast, so paths prefer it.
fn pave(world: &mut World, area: Rect) -> Option<Ticket> {
    let kind = world.grid().terrain_table().kind_of_name("road")?;
    Some(world.command(Command::edit(Change::Terrain { area, kind })))
}
// docs/rts.md 7: end

#[test]
fn a_road_is_taken() {
    let table = TerrainTable::with_standard(vec![TerrainEntry::new("road", "r", 2000)]).unwrap();
    let grid = Grid::from_rows(&["............"; 5], table, SideTable::default()).unwrap();
    let mut run = Checked::on(grid, &[at(WALKER, 0, 2, 0)]);
    pave(&mut run.world, Rect::new(0, 4, 12, 1)).unwrap();
    run.does(Command::order(A, Order::goto(cell(11, 2))));
    assert_eq!(run.row(A).to().cell.y, 3);
}

// docs/rts.md 8: begin
/// Puts a unit elsewhere. It keeps its id and its orders, and ends its move first.
fn teleport(world: &mut World, unit: AgentId, to: Pose) -> Option<Ticket> {
    let class = ClassId(world.agent(unit)?.class);
    Some(world.command(Command::Class { agent: unit, class, pose: Some(to) }))
}
// docs/rts.md 8: end

#[test]
fn a_unit_is_put_elsewhere_and_goes_on() {
    let mut run = Checked::on(open(16, 4), &[at(WALKER, 0, 0, 0)]);
    run.does(Command::order(A, Order::goto(cell(15, 3))));
    teleport(&mut run.world, A, pose(14, 0, 0)).unwrap();
    assert!(run.steps_until_at(A, cell(15, 3), 60) < 20);
}

// docs/rts.md 9: begin
/// Draws a minimap: a byte for each square of `scale` cells, 0 for ground, else the team and 1. Rows need no copy.
fn minimap(world: &World, scale: usize, pixels: &mut [u8]) {
    let width = (world.grid().size().width() as usize).div_ceil(scale);
    pixels.fill(0);
    for row in world.agents() {
        let CellXY { x, y } = row.pose().cell;
        if let Some(pixel) = pixels.get_mut(y as usize / scale * width + x as usize / scale) {
            *pixel = row.team + 1;
        }
    }
}
// docs/rts.md 9: end

#[test]
fn a_minimap_is_drawn() {
    let world = open_world(10, 4, &[Spawn { team: Team(2), ..at(WALKER, 9, 3, 0) }], 1);
    let mut pixels = [9; 6];
    minimap(&world, 4, &mut pixels);
    assert_eq!(pixels, [0, 0, 3, 0, 0, 0]);
}

// docs/rts.md 10: begin
/// The path that a unit would take to a cell, and what to show if there is none. Call it whenever the mouse moves.
fn preview(world: &World, unit: AgentId, to: CellXY, kept: &mut (Scratch, Path)) -> Option<&'static str> {
    let goal = [GoalMember::any(to)];
    let (scratch, path) = kept;
    let answer = world.plan(unit, Goal::of(&goal), scratch, path)?;
    Some(match answer.status {
        Status::Found => "go", // draw `path.poses`; `answer.cost` is in ticks
        Status::Obstructed => "units are in the way",
        Status::GoalBlocked | Status::GoalOffMap => "nothing can stand there",
        _ => "no way",
    })
}
// docs/rts.md 10: end

#[test]
fn a_path_is_shown() {
    let enemy = Spawn { team: Team(1), ..at(WALKER, 4, 0, 0) };
    let world = open_world(8, 1, &[at(WALKER, 0, 0, 0), enemy], 1);
    let mut kept = (Scratch::new(), Path::new());
    let said = [3, 6, 9].map(|x| preview(&world, A, cell(x, 0), &mut kept).unwrap());
    assert_eq!(said, ["go", "units are in the way", "nothing can stand there"]);
}

// docs/rts.md 11: begin
/// The last ticks of a world, to go back to one when a command arrives late.
struct Rollback(Vec<World>);

impl Rollback {
    fn new(world: &World, ticks: usize) -> Self {
        Self((0..ticks).map(|_| world.clone()).collect())
    }
    /// Before each step. `clone_from` reuses the memory of the tick that it overwrites.
    fn keep(&mut self, world: &World) {
        let n = self.0.len();
        self.0[world.tick() as usize % n].clone_from(world);
    }
    /// Back to an earlier tick: give the commands of each tick again, and step.
    fn back_to(&self, world: &mut World, tick: u32) {
        world.clone_from(&self.0[tick as usize % self.0.len()]);
    }
}
// docs/rts.md 11: end

#[test]
fn a_world_goes_back() {
    let mut world = open_world(16, 2, &[at(WALKER, 0, 0, 0)], 1);
    let mut ring = Rollback::new(&world, 8);
    world.command(Command::order(A, Order::goto(cell(15, 0))));
    let mut hashes = Vec::new();
    for _ in 0..20 {
        ring.keep(&world);
        world.step();
        hashes.push(world.state_hash());
    }
    ring.back_to(&mut world, 14);
    let again: Vec<u64> = (14..20)
        .map(|_| {
            world.step();
            world.state_hash()
        })
        .collect();
    assert_eq!((world.tick(), again), (20, hashes[14..].to_vec()));
}

// docs/rts.md 12: begin
/// A player who joins late gets the bytes of a tick, and then the commands of all later ticks as everybody does.
fn join(bytes: &[u8], turns: &[Vec<Command>]) -> Result<World, LoadError> {
    let mut world = World::load(bytes, Host::default())?;
    for commands in turns {
        for command in commands {
            world.command(command.clone());
        }
        world.step();
    }
    Ok(world)
}
// docs/rts.md 12: end

#[test]
fn a_player_joins_late() {
    let mut world = open_world(16, 2, &[at(WALKER, 0, 0, 0)], 1);
    (0..5).for_each(|_| _ = world.step());
    let bytes = world.save().unwrap();
    let turns: Vec<Vec<Command>> =
        (0..10).map(|at| vec![Command::order(A, Order::goto(cell(at, 1)))]).collect();
    for commands in &turns {
        for command in commands {
            world.command(command.clone());
        }
        world.step();
    }
    assert_eq!(join(&bytes, &turns).unwrap().state_hash(), world.state_hash());
}

/// The words of a text without the links of rustdoc.
fn words(text: &str) -> String {
    let text = text.replace("[`", "`").replace("`]", "`");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The guide and the rustdoc of `OrderKind` say the same of each order.
#[test]
fn each_order_has_one_meaning() {
    let source = include_str!("../src/orders.rs");
    let kinds = source.split_once("pub enum OrderKind {\n").unwrap().1.split_once("\n}\n").unwrap().0;
    let (mut of_rustdoc, mut doc, mut is_first) = (Vec::new(), String::new(), true);
    for line in kinds.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     ")) {
        match line.trim().strip_prefix("///") {
            // Further paragraphs are for Rust alone.
            Some("") => is_first = false,
            Some(text) if is_first => doc.push_str(text),
            Some(_) => {}
            None if !doc.is_empty() => {
                of_rustdoc.push(words(&std::mem::take(&mut doc)));
                is_first = true;
            }
            None => {}
        }
    }
    let guide = include_str!("../../../docs/rts.md");
    let list = guide.split_once("## What each order means\n").unwrap().1.split_once("\n\n- `").unwrap().1;
    let items = list.split_once("\n\n").unwrap().0.split("\n- `");
    let of_guide: Vec<(&str, String)> =
        items.filter_map(|item| item.split_once("`: ")).map(|(name, text)| (name, words(text))).collect();
    // In the order of the variants.
    let names = [
        "goto",
        "goto_area",
        "goto_group",
        "patrol",
        "wait",
        "task",
        "stop",
        "hold",
        "follow",
        "wait_in_place",
        "repeat",
    ];
    // The text on `goto_group` has a sentence on `goto_formation`, which is one too.
    let all = BTreeSet::from_iter(names.into_iter().chain(["goto_formation"]));
    assert_eq!(all, BTreeSet::from(OrderKind::NAMES));
    assert_eq!(names.len(), of_rustdoc.len());
    let expected: Vec<(&str, String)> = names.into_iter().zip(of_rustdoc).collect();
    assert_eq!(of_guide, expected, "the list of docs/rts.md, and the rustdoc of `OrderKind`");
}
