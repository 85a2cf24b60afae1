//! The main loop of a real-time strategy game. It has orders, a budget of expansions per frame, and an immediate answer
//! to an order that cannot be carried out. A building is placed in the path of moving units.

use std::error::Error;
use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainTable};
use wheelbase_planner::*;

struct Unit {
    name: &'static str,
    class: usize,
    pose: Pose,
    goal: [GoalMember; 1],
    path: Path,
    moves_made: usize,
    queries: bool,
}

impl Unit {
    fn new(name: &'static str, class: usize, pose: Pose, to: CellXY) -> Self {
        let goal = [GoalMember::any(to)];
        Self { name, class, pose, goal, path: Path::new(), moves_made: 0, queries: true }
    }

    /// Whether the rest of its path is still legal.
    fn can_go_on(&self, tables: &MovementTables) -> bool {
        let mut rest = self.path.poses.iter().zip(&self.path.moves).skip(self.moves_made);
        rest.all(|(from, &m)| {
            tables.space().state(from.pose).is_some_and(|s| tables.move_ticks(s, m.into()).is_some())
        })
    }
}

/// Plays until all units have stopped; returns the log.
pub fn play() -> Result<Vec<String>, Box<dyn Error>> {
    let rows = [
        "................",
        "................",
        ".......W........",
        ".......W..WWW...",
        "..........W.W...",
        "..........WWW...",
        ".......W........",
        ".......W........",
    ];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
    let (mut scout, mut truck) = (ClassSpec::new("scout", 4), ClassSpec::new("truck", 4));
    scout.primitives = Primitive::vehicle(2, 6, 2);
    (truck.footprint, truck.primitives) = (vec![(0, 0), (-1, 0)], Primitive::vehicle(3, 9, 4));
    // Tables are shared by all units of a class; a scratch belongs to a worker, of which there is one here.
    let classes = [MovementClass::new(scout)?, MovementClass::new(truck)?];
    let mut tables = classes.map(|class| MovementTables::compile(&grid, class));
    // With many queries to come, components pay off: unreachable goals need no search.
    tables.iter_mut().for_each(MovementTables::make_components);
    let (mut scratch, mut under_way, mut expanded, mut log) = (Scratch::new(), None, 0, Vec::new());
    let mut units = [
        Unit::new("ant", 0, Pose::new(3, 0, Heading(0)), CellXY::new(11, 4)),
        Unit::new("bee", 0, Pose::new(0, 4, Heading(0)), CellXY::new(15, 5)),
        Unit::new("cow", 1, Pose::new(2, 5, Heading(0)), CellXY::new(14, 6)),
    ];
    for frame in 0..100 {
        if frame == 6 {
            let water = grid.terrain_table().kind_of_name("water").ok_or("no water")?;
            let edit = grid.set_terrain(Rect::new(7, 4, 1, 2), water);
            for tables in &mut tables {
                tables.update(&grid, edit.changed);
            }
            log.push(format!("{frame}: a building closes the gap"));
            under_way = None; // The search on the old map is obsolete: start over.
            for unit in units.iter_mut().filter(|unit| !unit.can_go_on(&tables[unit.class])) {
                log.push(format!("{frame}: {} must replan", unit.name));
                unit.queries = true;
            }
        }
        let mut budget = 150;
        while let Some(at) = under_way.or_else(|| units.iter().position(|unit| unit.queries)) {
            let unit = &mut units[at];
            let (tables, request) = (&tables[unit.class], Request::new(unit.pose, Goal::of(&unit.goal)));
            if under_way.is_none() {
                begin(tables, &request, &mut scratch);
                expanded = 0;
            }
            let progress = advance(tables, &request, &mut scratch, budget);
            let answer = finish(tables, &request, &scratch, &mut unit.path);
            budget -= answer.expansions - expanded;
            (under_way, expanded) = (Some(at), answer.expansions);
            if progress == Progress::Running {
                break; // Continued in the next frame.
            }
            (under_way, unit.queries, unit.moves_made) = (None, false, 0);
            let legality = Legality::new(&grid, tables.class());
            log.push(match answer.reason(&legality, &request) {
                None => format!("{frame}: {} goes, {} ticks", unit.name, answer.cost),
                Some(why) => format!("{frame}: {} stays: {}", unit.name, why.describe(&legality, &grid)),
            });
        }
        // A move per frame; a game would use the arrival ticks.
        for unit in units.iter_mut().filter(|unit| !unit.queries && unit.moves_made < unit.path.moves.len()) {
            unit.moves_made += 1;
            unit.pose = unit.path.poses[unit.moves_made].pose;
            if unit.moves_made == unit.path.moves.len() {
                log.push(format!("{frame}: {} arrives at {}", unit.name, unit.pose.cell));
            }
        }
    }
    Ok(log)
}

fn main() -> Result<(), Box<dyn Error>> {
    play()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
