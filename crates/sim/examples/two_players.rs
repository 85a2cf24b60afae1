//! A small real-time strategy game in one screen: two players, three kinds of units, clicks, buildings, shots.
//!
//! The clicks are lines of text, `TICK PLAYER WHO VERB ...`, and the game plays the script below by itself. Another
//! script comes from standard input: `echo "0 red all group 30 5" | cargo run --example two_players -- -`. Equal clicks
//! give equal games: the last line is the hash of the world.

use std::collections::BTreeMap;
use std::error::Error;
use wheelbase_sim::planner::model::heading_from_name;
use wheelbase_sim::*;

/// Red's land lies west of the river, blue's east of it. `#` is a building, `.` ground, `W` water.
const MAP: [&str; 16] = [
    "....................WW......................",
    "....................WW......................",
    "....................WW......................",
    "............................................",
    "............................................",
    "............................................",
    "....................WW......................",
    "..........##........WW........##............",
    "..........##........WW........##............",
    "....................WW......................",
    "............................................",
    "............................................",
    "............................................",
    "....................WW......................",
    "....................WW......................",
    "....................WW......................",
];

/// What the players do.
const SCRIPT: &str = "\
# Red sends its tanks (units 0 to 2) over the northern bridge as a group, and its lorry behind the first of them.
0 red tank group 17 4
0 red tank then group 36 4
0 red lorry follow 0 3
# Blue's scouts go to and fro; one of its tanks (6 to 8) bars the southern bridge, and nobody may push it.
0 blue scout patrol 24 10 40 10
0 blue 8 goto 21 11
0 blue 8 then hold
# A click on a unit of the other player, one off the map, and one on water: to the bank of the river.
5 blue 0 goto 40 8
5 red scout group 99 99
5 red 5 goto 20 1
# New units: on top of a building, on a unit, where there is room, and once more before the first is there.
8 red train tank 10 7 E
8 red train tank 5 13 E
8 red train scout 10 14 E
8 red train tank 11 13 E
# Red tries the south too; shift keeps the order before.
12 red 5 goto 17 10
12 red 5 then goto 27 10
# Blue builds a wall behind the northern bridge. Red shoots a way through it.
20 blue build 23 3 1 3
70 red destroy 23 3 1 3
# A unit of blue's own stands where it builds: that leaves first.
30 blue build 39 5 3 2
100 blue tank group 26 4
110 red scout stop
";

const PLAYERS: [&str; 2] = ["red", "blue"];
const SCREENS_EVERY: u32 = 60;
const TICKS: u32 = 300;

/// A kind of unit: a movement class for Wheelbase, and the game's own data.
struct Kind {
    name: &'static str,
    health: i32,
    damage: i32,
    range: i32,
    reload_ticks: u32,
}

const KINDS: [Kind; 3] = [
    Kind { name: "scout", health: 20, damage: 2, range: 4, reload_ticks: 6 },
    Kind { name: "tank", health: 60, damage: 12, range: 6, reload_ticks: 15 },
    Kind { name: "lorry", health: 30, damage: 0, range: 0, reload_ticks: 1 },
];

fn classes() -> Result<Vec<MovementClass>, Box<dyn Error>> {
    let [mut scout, mut tank, mut lorry] = KINDS.map(|kind| ClassSpec::new(kind.name, 4));
    scout.primitives = Primitive::vehicle(1, 2, 1); // ticks of forward, of reverse, of a turn
    tank.footprint = (0..6).map(|cell| (cell / 2 - 1, cell % 2)).collect(); // three long, two wide
    tank.primitives = Primitive::vehicle(3, 4, 4);
    lorry.footprint = vec![(0, 0), (-1, 0)]; // the cab, and the load behind it
    lorry.primitives = Primitive::vehicle(2, 10, 3); // very slow in reverse
    Ok(vec![MovementClass::new(scout)?, MovementClass::new(tank)?, MovementClass::new(lorry)?])
}

/// What the game knows of a unit.
#[derive(Clone, Copy, Default)]
struct Unit {
    health: i32,
    loaded_at: u32,
}

struct Game {
    world: World,
    /// By agent id: ids are for life and never given again.
    units: Vec<Unit>,
    /// The clicks that may still be answered.
    asked: BTreeMap<Ticket, String>,
    log: Vec<String>,
}

impl Game {
    fn new(threads: Threads) -> Result<Self, Box<dyn Error>> {
        let kinds = TerrainTable::with_standard(vec![TerrainEntry::new("building", "#", 0)])?;
        let grid = Grid::from_rows(&MAP, kinds, SideTable::default())?;
        let mut setup = Setup::cooperative(Settings::named("two players"), grid, classes()?);
        setup.threads = threads;
        // Three tanks, a lorry and two scouts each; blue's face west.
        for (team, x, heading) in [(0, 3, Heading(0)), (1, 40, Heading(2))] {
            let at = |class, x, y| Spawn {
                team: Team(team),
                ..Spawn::new(ClassId(class), Pose::new(x, y, heading))
            };
            setup.agents.extend([at(1, x, 2), at(1, x, 5), at(1, x, 8), at(2, x, 11)]);
            setup.agents.extend([at(0, x - 1, 12), at(0, x - 1, 14)]);
        }
        let world = World::new(setup)?;
        let mut game = Self { world, units: Vec::new(), asked: BTreeMap::new(), log: Vec::new() };
        // Initial units have no events.
        let rows: Vec<AgentRow> = game.world.agents().to_vec();
        rows.iter().for_each(|row| game.enlist(row.agent(), ClassId(row.class)));
        Ok(game)
    }

    /// Adds a new unit to the game.
    fn enlist(&mut self, agent: AgentId, class: ClassId) {
        let at = agent.0 as usize;
        self.units.resize(self.units.len().max(at + 1), Unit::default());
        self.units[at] = Unit { health: KINDS[usize::from(class.0)].health, loaded_at: 0 };
    }

    fn say(&mut self, text: &str) {
        self.log.push(format!("{:3}: {text}", self.world.tick()));
    }

    /// The units of a player that a word selects: all, a kind, or an id.
    fn selected(&self, team: usize, who: &str) -> Vec<AgentId> {
        let is_meant = |row: &&AgentRow| {
            who == "all" || who == KINDS[usize::from(row.class)].name || who == row.id.to_string()
        };
        let own = self.world.agents().iter().filter(|row| usize::from(row.team) == team);
        own.filter(is_meant).map(AgentRow::agent).collect()
    }

    /// Carries out a click of a player.
    fn click(&mut self, team: usize, click: &str) -> Result<(), Box<dyn Error>> {
        let words: Vec<&str> = click.split_whitespace().collect();
        let command = match words[..] {
            ["train", kind, x, y, heading] => return self.train(team, click, (kind, x, y, heading)),
            ["build", x, y, w, h] => return self.build(team, click, area(x, y, w, h)?),
            ["destroy", x, y, w, h] => {
                let kind = self.terrain("ground")?;
                Command::edit(Change::Terrain { area: area(x, y, w, h)?, kind })
            }
            [who, ref verb @ ..] => {
                let units = self.selected(team, who);
                if units.is_empty() {
                    self.say(&format!("{}'s click \"{click}\" selects nobody", PLAYERS[team]));
                    return Ok(());
                }
                match *verb {
                    ["stop"] => Command::stop(units),
                    ["hold"] => Command::hold(units),
                    ["then", ref verb @ ..] => Command::append(units, order(verb)?),
                    _ => Command::order(units, order(verb)?),
                }
            }
            [] => return Ok(()),
        };
        let ticket = self.world.command(command);
        self.asked.insert(ticket, format!("{}'s click \"{click}\"", PLAYERS[team]));
        Ok(())
    }

    /// A new unit. The game asks first, to tell the player immediately. A later refusal comes as an event.
    fn train(
        &mut self,
        team: usize,
        click: &str,
        (kind, x, y, heading): (&str, &str, &str, &str),
    ) -> Result<(), Box<dyn Error>> {
        let class = KINDS.iter().position(|known| known.name == kind).ok_or("no such kind of unit")?;
        let class = ClassId(class as u8);
        let heading = heading_from_name(4, heading).ok_or("no such heading")?;
        let pose = Pose { cell: cell(x, y)?, heading };
        if let Err(reason) = self.world.can_place(class, pose) {
            self.say(&format!("{} cannot {click}: {reason}", PLAYERS[team]));
            return Ok(());
        }
        let spawn = Spawn { team: Team(team as u8), ..Spawn::new(class, pose) };
        let ticket = self.world.command(Command::Spawn(spawn));
        self.asked.insert(ticket, format!("{}'s click \"{click}\"", PLAYERS[team]));
        Ok(())
    }

    /// A building. Units of the player that are in the way are sent off; the edit waits for them.
    fn build(&mut self, team: usize, click: &str, area: Rect) -> Result<(), Box<dyn Error>> {
        let change = Change::Terrain { area, kind: self.terrain("building")? };
        let in_the_way = self.world.would_disturb(&[change])?;
        let is_own =
            |&agent: &AgentId| self.world.agent(agent).is_some_and(|row| usize::from(row.team) == team);
        let (own, others): (Vec<_>, Vec<_>) = in_the_way.into_iter().partition(is_own);
        if !others.is_empty() {
            self.say(&format!("{} cannot {click}: {} enemies are there", PLAYERS[team], others.len()));
            return Ok(());
        }
        if !own.is_empty() {
            self.say(&format!("{}'s building waits for {} units to leave", PLAYERS[team], own.len()));
            self.world.command(Command::order(
                own,
                Order::goto_group(CellXY::new(area.x, area.y - 4)).or_nearest(),
            ));
        }
        let ticket = self.world.command(Command::edit(change));
        self.asked.insert(ticket, format!("{}'s click \"{click}\"", PLAYERS[team]));
        Ok(())
    }

    fn terrain(&self, name: &str) -> Result<TerrainKind, Box<dyn Error>> {
        Ok(self.world.grid().terrain_table().kind_of_name(name).ok_or("no such terrain")?)
    }

    /// Runs a tick of the world and reads its events.
    fn step(&mut self) {
        self.world.step();
        let events = self.world.events().to_vec();
        for event in events {
            let asked = event.ticket().and_then(|ticket| self.asked.get(&ticket).cloned());
            let asked = asked.unwrap_or_else(|| "a command".to_owned());
            let order = || OrderKind::NAMES[event.b as usize];
            match (event.kind(), event.agent()) {
                (Some(EventKind::Spawned), Some(agent)) => {
                    self.enlist(agent, ClassId(event.a as u8));
                    self.say(&format!("unit {} is ready", agent.0));
                }
                (Some(EventKind::Removed), Some(agent)) => self.say(&format!("unit {} is lost", agent.0)),
                (Some(EventKind::OrderDone), Some(agent)) => {
                    self.say(&format!("unit {} has done its {}", agent.0, order()));
                }
                (Some(EventKind::OrderFailed), Some(agent)) => {
                    let why = event.failure().map_or("", UnreachableReason::name);
                    self.say(&format!("unit {} gives up its {}: {why}", agent.0, order()));
                }
                (Some(EventKind::Refused), _) => {
                    let why = event.refusal().map_or("", RefusalReason::name);
                    self.say(&format!("{asked} is refused: {why}"));
                }
                (Some(EventKind::EditDone), _) => self.say(&format!("{asked} is done")),
                (Some(EventKind::EditWaits), _) => self.say(&format!("{asked} waits for {} units", event.a)),
                _ => {}
            }
        }
    }

    /// Every unit that is loaded shoots at the nearest enemy in range. Hits slow down, and at last remove.
    fn fight(&mut self) {
        let (world, tick) = (&self.world, self.world.tick());
        let mut hits = Vec::new();
        for row in world.agents() {
            let (kind, CellXY { x, y }) = (&KINDS[usize::from(row.class)], row.pose().cell);
            if kind.damage == 0 || self.units[row.id as usize].loaded_at > tick {
                continue;
            }
            let (range, side) = (kind.range, 2 * kind.range as u32 + 1);
            let near = world.agents_in(Rect::new(x - range, y - range, side, side));
            let enemies = near.iter().filter_map(|&agent| world.agent(agent));
            let distance = |enemy: &&AgentRow| {
                let to = enemy.pose().cell;
                ((to.x - x).pow(2) + (to.y - y).pow(2), enemy.id)
            };
            let target = enemies.filter(|enemy| enemy.team != row.team).min_by_key(distance);
            hits.extend(target.map(|target| (row.id as usize, target.agent(), kind)));
        }
        for (shooter, target, kind) in hits {
            self.units[shooter].loaded_at = tick + kind.reload_ticks;
            let unit = &mut self.units[target.0 as usize];
            let before = unit.health;
            unit.health -= kind.damage;
            if unit.health <= 0 && before > 0 {
                self.world.command(Command::remove(target));
            } else if unit.health < 15 && before >= 15 {
                self.world.command(Command::SpeedFactor { agents: target.into(), permille: 500 });
            }
        }
    }

    /// The map as text: units by the first letter of their kind, red's in capitals.
    fn draw(&mut self) {
        let grid = self.world.grid();
        let glyph =
            |at| grid.terrain_at(at).and_then(|kind| grid.terrain_table()[kind].glyphs.chars().next());
        let mut screen: Vec<Vec<char>> = (0..MAP.len() as i32)
            .map(|y| (0..MAP[0].len() as i32).map(|x| glyph(CellXY::new(x, y)).unwrap_or(' ')).collect())
            .collect();
        for row in self.world.agents() {
            let class = usize::from(row.class);
            let letter = KINDS[class].name.chars().next().unwrap_or('?');
            let letter = if row.team == 0 { letter.to_ascii_uppercase() } else { letter };
            for offset in self.world.tables()[class].class().cells_at(row.pose()) {
                let CellXY { x, y } = offset.cell_from(row.pose().cell);
                screen[y as usize][x as usize] = letter;
            }
        }
        let units = [0, 1].map(|team| self.world.agents().iter().filter(|row| row.team == team).count());
        let status = format!("red {} units, blue {} units", units[0], units[1]);
        self.say(&status);
        self.log.extend(screen.into_iter().map(String::from_iter));
    }
}

/// The order that some words describe.
fn order(words: &[&str]) -> Result<Order, Box<dyn Error>> {
    Ok(match *words {
        // To the nearest cell that can be reached, if not to this one.
        ["goto", x, y] => Order::goto(cell(x, y)?).or_nearest(),
        ["group", x, y] => Order::goto_group(cell(x, y)?),
        ["patrol", ax, ay, bx, by] => Order::patrol(&[cell(ax, ay)?, cell(bx, by)?]),
        ["follow", id, within] => Order::follow(AgentId(id.parse()?), within.parse()?),
        ["wait", ticks] => Order::wait(ticks.parse()?),
        ["hold"] => Order::hold(),
        _ => return Err(format!("no such order: {}", words.join(" ")).into()),
    })
}

fn cell(x: &str, y: &str) -> Result<CellXY, Box<dyn Error>> {
    Ok(CellXY::new(x.parse()?, y.parse()?))
}

fn area(x: &str, y: &str, width: &str, height: &str) -> Result<Rect, Box<dyn Error>> {
    Ok(Rect::new(x.parse()?, y.parse()?, width.parse()?, height.parse()?))
}

/// Plays a script. Returns what happened, and the hash of the world at the end.
pub fn play(script: &str, threads: Threads) -> Result<(Vec<String>, u64), Box<dyn Error>> {
    let mut game = Game::new(threads)?;
    let mut clicks = Vec::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let tick: u32 = words.next().unwrap_or("").parse()?;
        let player = words.next().unwrap_or("");
        let team = PLAYERS.iter().position(|name| *name == player).ok_or("no such player")?;
        clicks.push((tick, team, words.next().unwrap_or("")));
    }
    for tick in 0..TICKS {
        for &(_, team, click) in clicks.iter().filter(|click| click.0 == tick) {
            game.click(team, click)?;
        }
        game.step();
        game.fight();
        let is_over = PLAYERS.iter().enumerate().any(|(team, _)| game.selected(team, "all").is_empty());
        if (tick + 1) % SCREENS_EVERY == 0 || is_over {
            game.draw();
        }
        if is_over {
            break;
        }
    }
    Ok((game.log, game.world.state_hash()))
}

/// The default script.
pub fn script() -> &'static str {
    SCRIPT
}

fn main() -> Result<(), Box<dyn Error>> {
    let given = std::env::args().any(|argument| argument == "-");
    let script = if given { std::io::read_to_string(std::io::stdin())? } else { script().to_owned() };
    let (log, hash) = play(&script, Threads::Caller)?;
    log.iter().for_each(|line| println!("{line}"));
    println!("{hash:016x}");
    Ok(())
}
