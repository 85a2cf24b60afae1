//! One click sends 500 units of three classes to one place, in two ways that give the same costs to the tick.
//!
//! A cost field a class answers all its units: this is how to send many units to one goal. A queue of 500 requests
//! answers each by a separate search: this is how to serve many units with separate goals. Both spend the same budget
//! of expansions per frame, and while both are at work a building goes up on a bridge.

use std::error::Error;
use wheelbase_grid::{CellXY, Grid, GridSize, Rect, SideTable, TerrainTable};
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::search::{PathQueue, QueuedRequest, Ticket};
use wheelbase_planner::*;

/// Expansions per frame: a fraction of a millisecond on one core.
const BUDGET: u64 = 20_000;
/// Frame in which the building is placed.
const BUILT_AT: usize = 4;
/// Frame in which the player recalls a unit, and which.
const RECALLED: (usize, usize) = (8, 499);
/// The click: any heading, at most three cells away.
const CLICK: ([GoalMember; 1], u32) = ([GoalMember::any(CellXY::new(118, 70))], 3);

struct Unit {
    class: u16,
    pose: Pose,
    path: Path,
}

struct Game {
    grid: Grid,
    /// One a class, shared by its units.
    tables: Vec<MovementTables>,
    units: Vec<Unit>,
}

impl Game {
    fn new() -> Result<Self, Box<dyn Error>> {
        // A river from north to south with two bridges. The southern one is on the way.
        let kinds = TerrainTable::movingai();
        let kind = |name| kinds.kind_of_name(name).ok_or("no such terrain");
        let (ground, water) = (kind("ground")?, kind("water")?);
        let mut grid = Grid::filled(GridSize::new(128, 96)?, ground, kinds, SideTable::default());
        grid.set_terrain(Rect::new(60, 0, 4, 96), water);
        grid.set_terrain(Rect::new(60, 20, 4, 3), ground);
        grid.set_terrain(Rect::new(60, 66, 4, 3), ground);

        let (mut scout, mut lorry, mut tank) =
            (ClassSpec::new("scout", 4), ClassSpec::new("lorry", 4), ClassSpec::new("tank", 4));
        scout.primitives = Primitive::vehicle(2, 3, 1); // ticks of forward, of reverse, of a turn
        lorry.footprint = vec![(0, 0), (-1, 0)];
        lorry.primitives = Primitive::vehicle(3, 15, 4); // reverses at a fifth of its speed
        tank.footprint = (0..9).map(|cell| (cell % 3 - 1, cell / 3 - 1)).collect();
        tank.primitives = Primitive::vehicle(5, 6, 8);
        let mut tables = Vec::new();
        for spec in [scout, lorry, tank] {
            tables.push(MovementTables::compile(&grid, MovementClass::new(spec)?));
        }

        // 25 columns and 20 rows, two cells apart and three; their classes and headings are mixed.
        let unit = |number: i32| Unit {
            class: (number % 3) as u16,
            pose: Pose::new(2 + number % 25 * 2, 18 + number / 25 * 3, Heading((number % 4) as u8)),
            path: Path::new(),
        };
        Ok(Self { grid, tables, units: (0..500).map(unit).collect() })
    }

    /// Places a building on the southern bridge and updates the tables. Returns the cells that changed.
    fn build(&mut self) -> Result<Rect, Box<dyn Error>> {
        let trees = self.grid.terrain_table().kind_of_name("trees").ok_or("no trees")?;
        let edit = self.grid.set_terrain(Rect::new(61, 66, 2, 3), trees);
        for tables in &mut self.tables {
            tables.update(&self.grid, edit.changed);
        }
        Ok(edit.changed)
    }

    fn state(&self, unit: usize) -> Result<State, &'static str> {
        let Unit { class, pose, .. } = self.units[unit];
        self.tables[usize::from(class)].space().state(pose).ok_or("off the map")
    }

    fn costs(&self) -> Vec<u32> {
        self.units.iter().map(|unit| unit.path.cost()).collect()
    }
}

/// A field a class: the cost of every pose to the goal, from which every unit reads its path.
fn by_fields(game: &mut Game, log: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    let goal = Goal { members: &CLICK.0, within: CLICK.1 };
    let mut fields: Vec<CostField> =
        game.tables.iter().map(|tables| CostField::to_goal(tables, &goal)).collect();
    let (mut repair, mut expansions, mut repaired) = (RepairScratch::new(), 0, 0);
    for frame in 1.. {
        if frame == BUILT_AT {
            // Only what the building changes is searched again.
            let changed = game.build()?;
            for (field, tables) in fields.iter_mut().zip(&game.tables) {
                repaired += field.repair(tables, changed, &mut repair).expansions;
            }
        }
        let mut left = BUDGET;
        for (field, tables) in fields.iter_mut().zip(&game.tables) {
            left -= field.settle(tables, SettleTarget::All, left).expansions.min(left);
        }
        expansions += BUDGET - left;
        if frame > BUILT_AT && fields.iter().all(CostField::is_complete) {
            log.push(format!(
                "fields: {expansions} expansions in {frame} frames, {repaired} more to repair them"
            ));
            break;
        }
    }
    for at in 0..game.units.len() {
        let (state, class) = (game.state(at)?, usize::from(game.units[at].class));
        if !fields[class].follow(&game.tables[class], state, &mut game.units[at].path) {
            log.push(format!("fields: unit {at} cannot get there"));
        }
    }
    Ok(())
}

/// A request a unit: the queue first serves units that have waited longest or have priority.
fn by_queue(game: &mut Game, log: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    let request = |unit: &Unit| {
        let mut request = QueuedRequest::new(unit.class, unit.pose, CLICK.0.to_vec());
        request.within = CLICK.1;
        request.priority = if unit.class == 0 { 1_000 } else { 0 }; // The scouts go first.
        request
    };
    let mut queue = PathQueue::new(game.grid.size(), game.tables.len() as u16, 4);
    // The unit of each ticket.
    let mut asked: Vec<usize> = Vec::new();
    for (at, unit) in game.units.iter().enumerate() {
        queue.submit(request(unit))?;
        asked.push(at);
    }
    let (mut expansions, mut again, mut scouts_at) = (0, 0, 0);
    for frame in 1.. {
        if frame == BUILT_AT {
            // Searches in progress restart by themselves. Paths that lead over the bridge are asked for again.
            game.build()?;
            for at in 0..game.units.len() {
                let (state, unit) = (game.state(at)?, &mut game.units[at]);
                let tables = &game.tables[usize::from(unit.class)];
                if tables.check_moves(state, &unit.path.moves).is_err() {
                    unit.path.clear();
                    queue.submit(request(unit))?;
                    asked.push(at);
                    again += 1;
                }
            }
        }
        if frame == RECALLED.0 {
            for (ticket, _) in (0..).map(Ticket).zip(&asked).filter(|(_, at)| **at == RECALLED.1) {
                queue.cancel(ticket);
            }
        }
        queue.advance(&game.tables, BUDGET);
        for found in queue.answers() {
            let at = asked[found.ticket.0 as usize];
            expansions += found.answer.expansions;
            game.units[at].path.clone_from(found.path);
            scouts_at = if game.units[at].class == 0 { frame } else { scouts_at };
        }
        if queue.open() == 0 {
            log.push(format!(
                "queue: {expansions} expansions in {frame} frames, the scouts' by frame {scouts_at}"
            ));
            log.push(format!("queue: {again} paths led over the bridge and were asked for again"));
            break;
        }
    }
    Ok(())
}

/// Sends the units in both ways; returns the log.
pub fn play() -> Result<Vec<String>, Box<dyn Error>> {
    let (mut fields, mut queue, mut log) = (Game::new()?, Game::new()?, Vec::new());
    by_fields(&mut fields, &mut log)?;
    by_queue(&mut queue, &mut log)?;
    let mut costs = fields.costs();
    log.push(format!("unit {} would have gone {} ticks, but was recalled", RECALLED.1, costs[RECALLED.1]));
    costs[RECALLED.1] = 0;
    let is_same = costs == queue.costs();
    let sum: u64 = costs.iter().copied().map(u64::from).sum();
    log.push(format!("499 paths, {sum} ticks; the same cost for each in both ways: {is_same}"));
    Ok(log)
}

fn main() -> Result<(), Box<dyn Error>> {
    play()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
