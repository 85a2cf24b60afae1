//! The skirmish of `skirmish/`, played by Rust: 200 units of four classes, clicks at given ticks, a bridge that is
//! blown up, a saved game. It prints what `skirmish/golden.txt` holds, as the hosts in other languages do:
//! `cargo run -p wheelbase-scenario --example skirmish`.

use Verb::*;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use wheelbase_grid::{MemoryMax, Side, SideKind};
use wheelbase_planner::{Goal, Path as PlannedPath, Scratch};
use wheelbase_scenario::load::{load_class_of_bytes, load_grid};
use wheelbase_sim::*;

const CLASSES: [&str; 4] = ["scout", "truck", "tank", "hovercraft"];
const SAVED_AT: u32 = 300;
const LOADED_UNTIL: u32 = 400;
const TICKS: u32 = 700;
const LINE_EVERY: u32 = 50;

/// Units in rows, all of one class and team: unit k stands at `x + k % columns * dx`, `y + k / columns * dy`.
struct Formation {
    class: u8,
    team: u8,
    count: i32,
    at: (i32, i32),
    columns: i32,
    step: (i32, i32),
    heading: u8,
}

const fn formation(
    [class, team, heading]: [u8; 3],
    count: i32,
    at: (i32, i32),
    columns: i32,
    step: (i32, i32),
) -> Formation {
    Formation { class, team, count, at, columns, step, heading }
}

/// Red (team 0) stands in the west and faces east, blue (team 1) in the east.
const FORMATIONS: [Formation; 8] = [
    formation([0, 0, 0], 50, (2, 2), 10, (2, 2)),
    formation([1, 0, 0], 30, (4, 16), 6, (3, 2)),
    formation([2, 0, 0], 24, (4, 28), 6, (4, 3)),
    formation([3, 0, 0], 12, (4, 46), 6, (3, 3)),
    formation([0, 1, 2], 36, (70, 2), 9, (2, 2)),
    formation([1, 1, 2], 20, (72, 14), 5, (3, 2)),
    formation([2, 1, 2], 16, (72, 24), 4, (4, 3)),
    formation([3, 1, 2], 12, (72, 48), 6, (3, 3)),
];

/// The kind of click, and the meaning of its numbers. Units count in the order in which they were placed.
#[derive(Clone, Copy)]
enum Verb {
    /// First unit, count, x, y, radius.
    Goto,
    /// First unit, count, x, y: or to the nearest pose that can be reached.
    Nearest,
    /// First unit, count, x, y: or waits until there is a way.
    Patient,
    /// First unit, count, x, y, heading.
    Face,
    /// First unit, count, x, y.
    Group,
    /// First unit, count, x, y, width, height.
    Area,
    /// First unit, count, x, y, x, y.
    Patrol,
    /// First unit, count, leader, distance.
    Follow,
    /// First unit, count, ticks, x, y: waits, then goes.
    Pause,
    /// First unit, count, x, y: after the orders that they have.
    Then,
    /// First unit, count.
    Stop,
    /// First unit, count.
    Hold,
    /// X, y of the goal; x, y, width, height of a box around units.
    InBox,
    /// First unit, count, thousandths.
    Speed,
    /// First unit, count, priority.
    Priority,
    /// First unit, count, team.
    Teams,
    /// Unit, class.
    Class,
    /// First unit, count.
    Remove,
    /// X, y, width, height: whoever is there is removed.
    Shell,
    /// Class, team, x, y, heading.
    Place,
    /// Class, count, x, y, width, height.
    Drop,
    /// First unit, count, x, y, width, height: errands there.
    Errands,
    /// X, y, width, height, what becomes of units there (0 to 4: wait ...), deadline: water.
    Blow,
    /// X, y, width, height become ground, after this many ticks.
    Build,
    /// X, y, width, height: water there once nobody is on it, which is withdrawn immediately.
    FalseAlarm,
    /// Unit, the unit that it enters, x, y, heading, ticks: when it returns there.
    Ferry,
    /// X, y, kind of the western side.
    Gate,
    /// Unit: why does it wait?
    Why,
    /// Unit: the rest of its path?
    Left,
    /// X, y: who is there?
    Who,
    /// X, y, width, height: how many are there?
    Many,
    /// Class, x, y, heading: is there room?
    Room,
    /// X, y, width, height: whom would water there disturb?
    Harm,
    /// Unit, x, y, radius: how long would it take?
    Plan,
    /// Unit, ticks: how many poses can it reach?
    Reach,
}

/// Tick, what, and its numbers.
#[rustfmt::skip]
const CLICKS: &[(u32, Verb, [i32; 6])] = &[
    (1, Group, [0, 50, 60, 14, 0, 0]),        // red's scouts over the northern bridge
    (1, Group, [80, 24, 58, 48, 0, 0]),       // its tanks over the southern one
    (1, Area, [104, 12, 56, 16, 12, 10]),     // its hovercraft across the river
    (2, Follow, [50, 10, 0, 4, 0, 0]),        // trucks behind the first scout
    (2, Goto, [60, 10, 38, 14, 6, 0]),        // trucks to the head of the bridge
    (2, Patient, [70, 10, 57, 30, 0, 0]),     // trucks over the ford
    (5, Patrol, [116, 18, 66, 6, 66, 18]),    // blue's scouts
    (5, Patrol, [134, 18, 60, 20, 60, 32]),
    (5, Pause, [152, 10, 40, 56, 30, 0]),     // its trucks set out later
    (5, Errands, [162, 10, 70, 14, 20, 20]),
    (5, Group, [172, 16, 62, 49, 0, 0]),      // its tanks to the southern bridge
    (6, Area, [188, 12, 30, 40, 10, 12]),     // its hovercraft across the river
    (20, Priority, [80, 4, 5, 0, 0, 0]),
    (30, Speed, [0, 10, 500, 0, 0, 0]),       // ten scouts are hit
    (31, Place, [0, 0, 46, 5, 0, 0]),         // into the water: refused
    (31, Place, [0, 0, 4, 60, 0, 0]),
    (31, Room, [2, 46, 5, 0, 0, 0]),
    (31, Room, [3, 46, 5, 0, 0, 0]),
    (36, FalseAlarm, [4, 16, 18, 8, 0, 0]),   // where trucks stand
    (37, Blow, [4, 16, 18, 8, 0, 0]),         // under trucks: it waits,
    (37, Build, [4, 16, 18, 8, 1, 0]),        // and is replaced
    (40, Then, [0, 20, 66, 24, 0, 0]),
    (42, Ferry, [45, 50, 38, 14, 0, 15]),     // a scout rides in a truck
    (60, Why, [50, 0, 0, 0, 0, 0]),
    (60, Left, [80, 0, 0, 0, 0, 0]),
    (75, Hold, [172, 2, 0, 0, 0, 0]),
    (90, Face, [104, 4, 60, 24, 3, 0]),
    (100, Harm, [44, 12, 8, 4, 0, 0]),
    (100, Many, [44, 12, 8, 4, 0, 0]),
    (120, Blow, [44, 12, 8, 4, 2, 0]),        // the northern bridge, with whoever is on it
    (121, Many, [44, 12, 8, 4, 0, 0]),
    (121, Left, [20, 0, 0, 0, 0, 0]),
    (121, Why, [20, 0, 0, 0, 0, 0]),
    (140, Nearest, [0, 20, 60, 14, 0, 0]),    // to the bank, then: the ford is far
    (140, Stop, [60, 10, 0, 0, 0, 0]),
    (150, Teams, [152, 10, 2, 0, 0, 0]),      // ten trucks change sides: team 2 is a friend of red
    (160, Class, [50, 2, 0, 0, 0, 0]),        // a truck becomes a tank, if there is room
    (160, Class, [61, 0, 0, 0, 0, 0]),
    (180, Drop, [0, 12, 2, 50, 20, 12]),      // twelve scouts from the air
    (200, Plan, [80, 80, 48, 2, 0, 0]),
    (200, Reach, [104, 40, 0, 0, 0, 0]),
    (200, Who, [58, 48, 0, 0, 0, 0]),
    (220, InBox, [80, 14, 56, 40, 12, 20]),     // whoever is in the box
    (240, Remove, [116, 3, 0, 0, 0, 0]),
    (250, Gate, [57, 30, 1, 0, 0, 0]),        // a wall across the ford's end
    (260, Blow, [44, 46, 8, 5, 4, 60]),       // the southern bridge, 60 ticks after the warning
    (262, Harm, [44, 46, 8, 5, 0, 0]),
    (270, Why, [81, 0, 0, 0, 0, 0]),
    (275, Shell, [76, 20, 6, 8, 0, 0]),
    (280, Speed, [0, 10, 1500, 0, 0, 0]),
    (282, Group, [104, 12, 40, 24, 0, 0]),
    (284, Patrol, [20, 20, 30, 6, 30, 40]),
    (286, Plan, [10, 80, 48, 0, 0, 0]),
    (290, Build, [44, 12, 8, 4, 60, 0]),      // given now, for later: it is in the saved game
    (295, Blow, [44, 29, 14, 2, 3, 80]),     // the ford: it waits when the game is saved
    (305, Area, [0, 50, 56, 6, 12, 16]),      // to be given again to the game that is loaded
    (310, Place, [2, 0, 10, 56, 0, 0]),
    (320, Follow, [80, 10, 104, 6, 0, 0]),
    (355, Group, [20, 30, 60, 16, 0, 0]),
    (365, Left, [104, 0, 0, 0, 0, 0]),
    (380, Why, [70, 0, 0, 0, 0, 0]),
    (400, Build, [44, 46, 8, 5, 0, 0]),
    (410, Group, [80, 24, 60, 48, 0, 0]),
    (430, Gate, [57, 30, 0, 0, 0, 0]),
    (460, Drop, [3, 5, 80, 40, 12, 8]),
    (505, InBox, [20, 14, 52, 8, 30, 16]),
    (530, Blow, [44, 12, 8, 4, 0, 0]),        // again, when nobody is on it
    (560, Hold, [116, 20, 0, 0, 0, 0]),
    (600, Errands, [150, 20, 52, 0, 44, 20]),   // ten of them had errands before
    (640, Harm, [44, 46, 8, 5, 0, 0]),
    (660, Why, [80, 0, 0, 0, 0, 0]),
    (690, Stop, [0, 100, 0, 0, 0, 0]),
];

/// FNV-1a of 32 bits, for the bytes of saved games.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skirmish")
}

/// What the game keeps beside the world, and saves with it.
#[derive(Clone)]
struct Notes {
    /// The ids of all units ever placed, in order.
    units: Vec<AgentId>,
    /// Events so far, by number of their kind.
    events: [u32; EventKind::ALL.len()],
}

struct Game {
    world: World,
    notes: Notes,
    text: String,
}

impl Game {
    fn new() -> Result<Self, Box<dyn Error>> {
        let grid = load_grid(&folder().join("river.map"), MemoryMax::NONE)?.grid;
        let class = |name: &str| -> Result<MovementClass, Box<dyn Error>> {
            let file = folder().join(format!("{name}.toml"));
            Ok(MovementClass::new(load_class_of_bytes(&file, None, &std::fs::read(&file)?)?)?)
        };
        let classes = CLASSES.iter().map(|name| class(name)).collect::<Result<_, _>>()?;
        let settings = Settings { seed: 7, expansions_per_tick: 15_000, ..Settings::named("skirmish") };
        let mut setup = Setup::cooperative(settings, grid, classes);
        setup.friends.befriend(Team(0), Team(2));
        let mut world = World::new(setup)?;
        world.check_invariants();
        for Formation { class, team, count, at, columns, step, heading } in FORMATIONS {
            for k in 0..count {
                let (x, y) = (at.0 + k % columns * step.0, at.1 + k / columns * step.1);
                let spawn = Spawn::new(ClassId(class), Pose::new(x, y, Heading(heading)));
                world.command(Command::Spawn(Spawn { team: Team(team), ..spawn }));
            }
        }
        let notes = Notes { units: Vec::new(), events: [0; EventKind::ALL.len()] };
        Ok(Self { world, notes, text: String::new() })
    }

    /// Units by their numbers.
    fn units(&self, first: i32, count: i32) -> Vec<AgentId> {
        self.notes.units[first as usize..(first + count) as usize].to_vec()
    }

    fn terrain(&self, name: &str) -> Result<TerrainKind, Box<dyn Error>> {
        Ok(self.world.grid().terrain_table().kind_of_name(name).ok_or("no such terrain")?)
    }

    fn click(&mut self, verb: Verb, [a, b, c, d, e, f]: [i32; 6]) -> Result<(), Box<dyn Error>> {
        let units = |game: &Self| game.units(a, b);
        let area = |x: i32, y: i32, width: i32, height: i32| Rect::new(x, y, width as u32, height as u32);
        let (at, tick) = (CellXY::new(c, d), self.world.tick());
        let command = match verb {
            Goto => Command::order(units(self), Order::goto_any(vec![GoalMember::any(at)], e as u32)),
            Nearest => Command::order(units(self), Order::goto(at).or_nearest()),
            Patient => Command::order(units(self), Order::goto(at).or_wait()),
            Face => Command::order(units(self), Order::goto_pose(Pose::new(c, d, Heading(e as u8)), 4)),
            Group => Command::order(units(self), Order::goto_group(at)),
            Area => Command::order(units(self), Order::goto_area(area(c, d, e, f))),
            Patrol => Command::order(units(self), Order::patrol(&[at, CellXY::new(e, f)])),
            Follow => {
                let leader = self.notes.units[c as usize];
                Command::order(units(self), Order::follow(leader, d as u32))
            }
            Pause => {
                let orders = [Order::wait(c as u32), Order::goto(CellXY::new(d, e)).or_nearest()];
                Command::orders(units(self), orders)
            }
            Then => Command::append(units(self), Order::goto(at).or_nearest()),
            Stop => Command::stop(units(self)),
            Hold => Command::hold(units(self)),
            InBox => Command::order(area(c, d, e, f), Order::goto_group(CellXY::new(a, b))),
            Speed => Command::SpeedFactor { agents: units(self).into(), permille: c as u16 },
            Priority => Command::Priority { agents: units(self).into(), priority: c },
            Teams => Command::Team { agents: units(self).into(), team: Team(c as u8) },
            Class => {
                let agent = self.notes.units[a as usize];
                Command::Class { agent, class: ClassId(b as u8), pose: None }
            }
            Remove => Command::remove(units(self)),
            Shell => Command::remove(area(a, b, c, d)),
            Place => {
                let spawn = Spawn::new(ClassId(a as u8), Pose::new(c, d, Heading(e as u8)));
                Command::Spawn(Spawn { team: Team(b as u8), ..spawn })
            }
            Drop => Command::SpawnGroup(SpawnGroup {
                class: ClassId(a as u8),
                count: b as u32,
                area: area(c, d, e, f),
                priority: 0,
                team: Team(0),
                orders: [].into(),
                speed_factor: USUAL_SPEED_PERMILLE,
                anywhere: false,
                if_no_room: IfNoRoom::Drop,
            }),
            Errands => {
                let source = TaskSource::Random { area: area(c, d, e, f) }.into();
                Command::Tasks { agents: units(self).into(), source, stream: 1 }
            }
            Blow => {
                let change = Change::Terrain { area: area(a, b, c, d), kind: self.terrain("water")? };
                let on_agents = match e {
                    0 => OnAgents::Wait,
                    1 => OnAgents::Strand,
                    2 => OnAgents::Remove,
                    3 => OnAgents::WaitUntil { deadline: f as u32, then: AtDeadline::Strand },
                    _ => OnAgents::WaitUntil { deadline: f as u32, then: AtDeadline::Remove },
                };
                Command::Edit(MapEdit { on_agents, ..MapEdit::new(change) })
            }
            Ferry => {
                let [unit, truck] = [a, b].map(|at| self.notes.units[at as usize]);
                let back = Command::leave(unit, Pose::new(c, d, Heading(e as u8)));
                self.world.command_at(tick + f as u32, back);
                Command::enter(unit, truck)
            }
            FalseAlarm => {
                let change = Change::Terrain { area: area(a, b, c, d), kind: self.terrain("water")? };
                let edit = self.world.command(Command::edit(change));
                Command::CancelEdit(edit)
            }
            Build => {
                let kind = self.terrain("ground")?;
                let edit = Command::edit(Change::Terrain { area: area(a, b, c, d), kind });
                self.world.command_at(tick + e as u32, edit);
                return Ok(());
            }
            Gate => {
                let (cell, kind) = (CellXY::new(a, b), SideKind(c as u8));
                Command::edit(Change::Side { cell, side: Side::West, kind })
            }
            _ => return self.ask(verb, [a, b, c, d]),
        };
        self.world.command(command);
        Ok(())
    }

    fn ask(&mut self, verb: Verb, [a, b, c, d]: [i32; 4]) -> Result<(), Box<dyn Error>> {
        let (world, text) = (&self.world, &mut self.text);
        let unit = || self.notes.units[a as usize];
        let area = Rect::new(a, b, c as u32, d as u32);
        match verb {
            Why => match world.reason_for_waiting(unit()) {
                Some(why) => writeln!(text, "  why {a}: {}: {why}", why.rule())?,
                None => writeln!(text, "  why {a}: gone")?,
            },
            Left => {
                let mut path = PlannedPath::new();
                if world.path_of(unit(), &mut path) {
                    let arrival = path.poses.last().map_or(0, |last| last.arrival);
                    writeln!(text, "  left {a}: {} poses, {arrival} ticks", path.poses.len())?;
                } else {
                    writeln!(text, "  left {a}: gone")?;
                }
            }
            Who => match world.agent_at(CellXY::new(a, b)) {
                Some(agent) => writeln!(text, "  who {a} {b}: {}", agent.0)?,
                None => writeln!(text, "  who {a} {b}: nobody")?,
            },
            Many => writeln!(text, "  many {a} {b}: {}", world.agents_in(area).len())?,
            Room => {
                let room = world.can_place(ClassId(a as u8), Pose::new(b, c, Heading(d as u8)));
                writeln!(text, "  room {a}: {}", room.err().map_or("yes", RefusalReason::name))?;
            }
            Harm => {
                let change = Change::Terrain { area, kind: self.terrain("water")? };
                let disturbed = self.world.would_disturb(&[change])?;
                writeln!(self.text, "  harm {a} {b}: {}", disturbed.len())?;
            }
            Plan => {
                let (mut scratch, mut path) = (Scratch::new(), PlannedPath::new());
                let members = [GoalMember::any(CellXY::new(b, c))];
                let goal = Goal { members: &members, within: d as u32 };
                match world.plan(unit(), goal, &mut scratch, &mut path) {
                    Some(answer) => {
                        let (name, moves) = (answer.status.name(), path.moves.len());
                        writeln!(text, "  plan {a}: {name}, {} ticks, {moves} moves", answer.cost)?;
                    }
                    None => writeln!(text, "  plan {a}: gone")?,
                }
            }
            _ => {
                let reached =
                    world.reach(unit(), b as u32).map_or(0, |reached| reached.within(b as u32).count());
                writeln!(text, "  reach {a}: {reached} poses")?;
            }
        }
        Ok(())
    }

    /// Plays up to a tick.
    fn run(&mut self, until: u32) -> Result<(), Box<dyn Error>> {
        while self.world.tick() < until {
            let tick = self.world.tick();
            for &(_, verb, numbers) in CLICKS.iter().filter(|click| click.0 == tick) {
                self.click(verb, numbers)?;
            }
            self.world.try_step()?;
            for event in self.world.events() {
                self.notes.events[event.kind as usize] += 1;
                if event.kind() == Some(EventKind::Spawned) {
                    self.notes.units.extend(event.agent());
                }
            }
            if self.world.tick().is_multiple_of(LINE_EVERY) {
                self.line()?;
            }
        }
        Ok(())
    }

    fn line(&mut self) -> Result<(), Box<dyn Error>> {
        let (world, text) = (&self.world, &mut self.text);
        let (mut x, mut y, mut headings) = (0, 0, 0);
        for row in world.agents() {
            (x, y, headings) = (x + row.to_x, y + row.to_y, headings + i32::from(row.to_heading));
        }
        let counts = world.counts();
        let saved = world.save()?;
        write!(
            text,
            "tick {} hash {:016x} units {}",
            world.tick(),
            world.state_hash(),
            world.agents().len()
        )?;
        write!(text, " x {x} y {y} headings {headings} moves {} done {}", counts.moves, counts.orders_done)?;
        write!(text, " failed {} overlaps {}", counts.orders_unreachable, counts.collisions.unwrap_or(0))?;
        write!(text, " events")?;
        for n in self.notes.events {
            write!(text, " {n}")?;
        }
        writeln!(text, " saved {} {:08x}", saved.len(), checksum(&saved))?;
        Ok(())
    }
}

/// Plays the skirmish; gives its text.
pub fn play() -> Result<String, Box<dyn Error>> {
    let mut game = Game::new()?;
    game.run(SAVED_AT)?;
    // The saved game is loaded into a second world. It gets the same clicks, and goes the same way.
    let saved = game.world.save()?;
    let world = World::load(&saved, Host::default())?;
    let mut again = Game { world, notes: game.notes.clone(), text: String::new() };
    again.world.check_invariants();
    let before = game.text.len();
    game.run(LOADED_UNTIL)?;
    again.run(LOADED_UNTIL)?;
    if again.text != game.text[before..] {
        return Err(format!("the loaded game goes another way:\n{}", again.text).into());
    }
    writeln!(game.text, "loaded at {SAVED_AT}: hash {:016x}", again.world.state_hash())?;
    // What that one saves goes on in the place of the first.
    game.world = World::load(&again.world.save()?, Host::default())?;
    game.world.check_invariants();
    game.run(TICKS)?;
    Ok(game.text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", play()?);
    Ok(())
}
