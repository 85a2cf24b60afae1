//! Data that only the game knows, as components beside the simulation's: health, cargo, a cooldown.
//!
//! Every unit is an entity of a `hecs` world. The simulation keeps its cold data there, and a game adds its components.
//! It does so at the beginning, when a `Spawned` event says that a unit has come, or at any other time. They are gone
//! with the unit. Nothing of them reaches the simulation but by commands, so they change no result by themselves.

use std::error::Error;
use wheelbase_sim::*;

/// Health left of a unit. The swamp takes some each tick.
struct Health(i32);
/// Crates on board, and where the unit is going with them.
#[derive(Default)]
struct Cargo {
    crates: u32,
    delivers: bool,
}
/// The tick from which the unit can be repaired again.
struct NextRepair(u32);

const LORRY: ClassId = ClassId(0);
const QUARRY: CellXY = CellXY::new(1, 3);
const HARBOUR: CellXY = CellXY::new(14, 3);
const SWAMP_DAMAGE: i32 = 2;

struct Game {
    world: World,
    swamp: TerrainKind,
    delivered: u32,
    log: Vec<String>,
}

impl Game {
    fn new() -> Result<Self, Box<dyn Error>> {
        let rows = [
            "................",
            "................",
            ".....SSSSS......",
            "................",
            "................",
            "................",
        ];
        let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
        let swamp = grid.terrain_table().kind_of_name("swamp").ok_or("no swamp")?;
        let mut lorry = ClassSpec::new("lorry", 4);
        lorry.footprint = vec![(0, 0), (-1, 0)];
        lorry.primitives = Primitive::vehicle(2, 6, 2);
        let mut setup = Setup::cooperative(Settings::named("cargo"), grid, vec![MovementClass::new(lorry)?]);
        setup.agents.push(Spawn::new(LORRY, Pose::new(2, 1, Heading(0))));
        let world = World::new(setup)?;
        let mut game = Self { world, swamp, delivered: 0, log: Vec::new() };
        // Units of the setup come with no event.
        let ids: Vec<AgentId> = game.world.agents().iter().map(AgentRow::agent).collect();
        ids.into_iter().for_each(|agent| game.equip(agent));
        Ok(game)
    }

    /// Attaches the game's components to a unit, and sends it to work.
    fn equip(&mut self, agent: AgentId) {
        let Some(entity) = self.world.entity(agent) else { return };
        let components = (Health(40), Cargo::default(), NextRepair(0));
        // An error would say that the entity is gone.
        if self.world.entities_mut().insert(entity, components).is_ok() {
            self.world.command(Command::order(agent, Order::goto_any(vec![GoalMember::any(QUARRY)], 2)));
        }
    }

    fn step(&mut self) {
        self.world.step();
        // Events borrow the world: copy the needed fields before it is changed.
        let mut spawned = Vec::new();
        let mut arrived = Vec::new();
        for event in self.world.events() {
            match (event.kind(), event.agent()) {
                (Some(EventKind::Spawned), Some(agent)) => spawned.push(agent),
                (Some(EventKind::OrderDone), Some(agent)) => arrived.push(agent),
                _ => {}
            }
        }
        spawned.into_iter().for_each(|agent| self.equip(agent));
        arrived.into_iter().for_each(|agent| self.load_or_unload(agent));
        self.wear();
    }

    /// At the quarry a unit takes three crates, at the harbour it leaves them. Then it goes back.
    fn load_or_unload(&mut self, agent: AgentId) {
        let Some(entity) = self.world.entity(agent) else { return };
        let Ok(cargo) = self.world.entities_mut().query_one_mut::<&mut Cargo>(entity) else { return };
        let crates = std::mem::replace(&mut cargo.crates, if cargo.delivers { 0 } else { 3 });
        cargo.delivers = !cargo.delivers;
        let (to, is_delivery) = if cargo.delivers { (HARBOUR, false) } else { (QUARRY, true) };
        if is_delivery {
            self.delivered += crates;
            let (tick, id) = (self.world.tick(), agent.0);
            self.log.push(format!("{tick:3}: unit {id} delivers {crates} crates, {} in all", self.delivered));
        }
        self.world.command(Command::order(agent, Order::goto_any(vec![GoalMember::any(to)], 2)));
    }

    /// The swamp hurts; units low on health are repaired, units without health removed.
    fn wear(&mut self) {
        let tick = self.world.tick();
        // By row: where each unit is. The query below holds the world.
        let terrain = |row: &AgentRow| self.world.grid().terrain_at(row.pose().cell);
        let in_swamp: Vec<bool> =
            self.world.agents().iter().map(|row| terrain(row) == Some(self.swamp)).collect();
        let mut lost = Vec::new();
        let units = self.world.entities_mut().query_mut::<(&AgentId, &Row, &mut Health, &mut NextRepair)>();
        for (&agent, row, health, repair) in units {
            if in_swamp[row.0 as usize] {
                health.0 -= SWAMP_DAMAGE;
            }
            if health.0 <= 0 {
                lost.push(agent);
            } else if health.0 < 10 && repair.0 <= tick {
                (health.0, repair.0) = (health.0 + 15, tick + 200);
                self.log.push(format!("{tick:3}: unit {} is repaired", agent.0));
            }
        }
        // The order of entities is arbitrary: sort before anything reaches the world.
        lost.sort_unstable();
        for agent in lost {
            self.log.push(format!("{tick:3}: unit {} sinks", agent.0));
            self.world.command(Command::remove(agent));
        }
    }
}

/// Plays some minutes. Returns what happened.
pub fn play() -> Result<Vec<String>, Box<dyn Error>> {
    let mut game = Game::new()?;
    while game.world.tick() < 400 {
        if game.world.tick() == 10 {
            // A second lorry takes the way through the swamp: it gets its components when it is there.
            let spawn = Spawn::new(LORRY, Pose::new(6, 2, Heading(2)));
            game.world.command(Command::Spawn(spawn));
            game.world.command_at(12, Command::hold(AgentId(1)));
        }
        game.step();
    }
    let with_health = game.world.entities().query::<(&AgentId, &Health)>().iter().count();
    game.log.push(format!("{} units, {with_health} with health", game.world.agents().len()));
    Ok(game.log)
}

fn main() -> Result<(), Box<dyn Error>> {
    play()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
