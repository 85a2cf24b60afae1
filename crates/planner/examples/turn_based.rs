//! A turn-based game: each unit goes for its nearest target by path length, with a limited range and number of
//! steps per turn. Other units are obstacles, and a gate closes.
//!
//! One search per target answers all units at every step; one per unit and turn gives the cells in its range.

use std::error::Error;
use wheelbase_grid::{BitGrid, CellXY, Grid, Rect, SideTable, TerrainTable};
use wheelbase_planner::*;

/// Ticks and steps that a unit has per turn.
const RANGE: u32 = 14;
const STEPS: usize = 6;

struct Unit {
    name: &'static str,
    pose: Pose,
    /// Index of the target it has reached.
    arrived: Option<usize>,
}

struct Target {
    name: &'static str,
    cell: CellXY,
    /// From every pose to this target: searched once, kept from turn to turn.
    distances: Distances,
}

/// Cells covered by all units but one.
fn others(tables: &MovementTables, units: &[Unit], but: usize) -> BitGrid {
    let mut held = BitGrid::new(tables.space().size());
    for (_, unit) in units.iter().enumerate().filter(|&(at, _)| at != but) {
        for offset in tables.class().footprint().at(tables.space().frame(unit.pose)) {
            held.set(offset.cell_from(unit.pose.cell), true);
        }
    }
    held
}

/// The nearest unoccupied target by path length; among equals the first.
fn pick(
    tables: &MovementTables,
    targets: &mut [Target],
    units: &[Unit],
    unit: &Unit,
) -> Option<(usize, u32)> {
    let mut best = None;
    for (at, target) in targets.iter_mut().enumerate() {
        if units.iter().any(|unit| unit.arrived == Some(at)) {
            continue;
        }
        // A pose already queried by another unit costs nothing to query again.
        let here = [GoalMember::pose(unit.pose)];
        if let Some((_, distance)) = target.distances.nearest(tables, &here)
            && best.is_none_or(|(_, least)| distance.ticks < least)
        {
            best = Some((at, distance.ticks));
        }
    }
    best
}

/// Plays some turns; returns the log.
pub fn play() -> Result<Vec<String>, Box<dyn Error>> {
    let rows = [
        "..............",
        "..WWWW.WWWW...",
        "..W.......W...",
        "..W...........",
        "..WWWWWWWWW...",
        "..............",
    ];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
    let mut spec = ClassSpec::new("robot", 4);
    spec.primitives = Primitive::vehicle(2, 6, 2);
    let mut tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
    let mut targets = [("gold", 4, 2), ("iron", 13, 5), ("coal", 8, 0)].map(|(name, x, y)| {
        let cell = CellXY::new(x, y);
        Target { name, cell, distances: Distances::to_goal(&tables, &Goal::of(&[GoalMember::any(cell)])) }
    });
    let unit = |name, x, y, heading| Unit { name, pose: Pose::new(x, y, Heading(heading)), arrived: None };
    let mut units = [unit("ant", 4, 5, 0), unit("bee", 3, 0, 0), unit("cow", 1, 0, 0)];
    let mut reach = Distances::from_pose(&tables, units[0].pose);
    let (mut scratch, mut path, mut log) = (Scratch::new(), Path::new(), Vec::new());
    for turn in 1..=12 {
        if turn == 2 {
            // The northern gate closes. Cached distances are repaired.
            let water = grid.terrain_table().kind_of_name("water").ok_or("no water")?;
            let edit = grid.set_terrain(Rect::new(6, 1, 1, 1), water);
            tables.update(&grid, edit.changed);
            for target in &mut targets {
                target.distances.repair(&tables, edit.changed, &mut RepairScratch::new());
            }
            log.push(format!("{turn}: the gate falls shut"));
        }
        for at in 0..units.len() {
            if units[at].arrived.is_some() {
                continue;
            }
            let (name, start) = (units[at].name, units[at].pose);
            let Some((goal, ticks)) = pick(&tables, &mut targets, &units, &units[at]) else {
                log.push(format!("{turn}: {name} finds no target left"));
                continue;
            };
            let target = &mut targets[goal];
            reach.restart_from(&tables, start);
            reach.settle(&tables, SettleTarget::Within(RANGE), u64::MAX);
            let cells = reach.within(RANGE).filter(|(pose, _)| pose.heading == Heading(0)).count();
            // Its path, or a path around the other units if they block it.
            target.distances.path(&tables, start, &mut path);
            let held = others(&tables, &units, at);
            let mut how = "";
            if path.poses.iter().any(|at| held.get(at.pose.cell)) {
                let goal = [GoalMember::any(target.cell)];
                let mut request = Request::new(start, Goal::of(&goal));
                request.obstacles = Some(&held);
                let around = plan(&tables, &request, &mut scratch, &mut path);
                how = if around.status == Status::Found { ", around the others" } else { ", blocked" };
            }
            let within = |step: &&PathPose| step.arrival <= RANGE;
            let last = path.poses.iter().take(STEPS + 1).take_while(within).last();
            let spent = last.map_or(0, |last| last.arrival);
            units[at].pose = last.map_or(start, |last| last.pose);
            let cell = units[at].pose.cell;
            log.push(format!(
                "{turn}: {name} can face east in {cells} cells; goes for {}, {ticks} ticks away{how}; \
                 spends {spent}, to {cell}",
                targets[goal].name
            ));
            if cell == targets[goal].cell {
                units[at].arrived = Some(goal);
                log.push(format!("{turn}: {name} has the {}", targets[goal].name));
            }
        }
    }
    Ok(log)
}

fn main() -> Result<(), Box<dyn Error>> {
    play()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
