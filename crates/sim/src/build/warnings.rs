//! What looks wrong in a scenario that can be run.

use super::complaints::Complaints;
use super::events::area_rect;
use super::map::{beside, read_map};
use crate::orders::OrderKind;
use crate::scenario::{self, Scenario, ScenarioError};
use crate::world::Simulation;
use std::path::Path;
use wheelbase_planner::{Goal, GoalMember, Legality, Primitive, SLOPE_FLAT, move_time};

/// What looks wrong in a scenario that can be run: text after the last row of its map, overrides of
/// kinds that the map lacks, speeds that change no time, first orders that cannot be done on the map as
/// it starts, edits off the map.
pub fn warnings(path: &Path, typed: &Scenario, sim: &Simulation) -> Vec<ScenarioError> {
    let mut found = Complaints::new(path);
    warn_of_map(path, typed, sim, &mut found);
    for class in &typed.classes {
        let terrain = sim.grid.terrain_table();
        for over in class.speed.iter().filter(|over| terrain.kind_of_name(&over.name).is_none()) {
            found.add(over.line, &over.key, format!("the map has no terrain \"{}\"; ignored", over.name));
        }
        let sides = sim.grid.side_table();
        for over in class.side_speed.iter().filter(|over| sides.kind_of_name(&over.name).is_none()) {
            found.add(over.line, &over.key, format!("the map has no side kind \"{}\"; ignored", over.name));
        }
    }
    for (class, typed_class) in sim.classes.iter().zip(&typed.classes) {
        let legality = Legality::new(&sim.grid, class.tables.class());
        for (entry, &speed) in sim.grid.terrain_table().entries().iter().zip(legality.terrain_speeds()) {
            let same = |p: &Primitive| move_time(p.time, SLOPE_FLAT, speed) == p.time;
            if speed > 0 && speed != 1000 && class.tables.class().primitives().iter().all(same) {
                let message = format!(
                    "terrain \"{}\" at speed {speed} takes as long as at 1000: the base times are too small to tell",
                    entry.name
                );
                found.add(typed_class.line, &typed_class.key, message);
            }
        }
    }
    warn_of_goals(typed, sim, &mut found);
    for event in &typed.events {
        let scenario::EventAction::SetTerrain { area, .. } = &event.action;
        if area_rect(area).intersection(sim.grid.size().rect()).is_empty() {
            let message = format!("no cell is on the map of {}; ignored", sim.grid.size());
            found.add(area.line, &format!("{}.set_terrain.area", event.key), message);
        }
    }
    found.take()
}

/// The map was read without its warnings, which only `check` asks for.
fn warn_of_map(path: &Path, typed: &Scenario, sim: &Simulation, found: &mut Complaints<'_>) {
    let scenario::MapSource::File(file) = &typed.map.source else { return };
    let map = beside(path, &file.value);
    let (terrain, sides) = (sim.grid.terrain_table().clone(), sim.grid.side_table().clone());
    for warning in read_map(&map, terrain, sides).map(|read| read.warnings).unwrap_or_default() {
        found.add_in(&map, warning.line as u32, "", warning.kind);
    }
}

fn warn_of_goals(typed: &Scenario, sim: &Simulation, found: &mut Complaints<'_>) {
    use wheelbase_planner::{Path, Request, Scratch, Status, plan};
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for (row, agent) in typed.agents.iter().enumerate() {
        let Some(order) = sim.orders.current(&sim.agents.orders[row]) else { continue };
        let Some(trip) = order.kind.trip() else { continue };
        let class = &sim.classes[sim.agents.motion[row].class.0 as usize];
        // Each stop of a patrol is a goal of its own.
        let goals: Vec<&[GoalMember]> = match &order.kind {
            OrderKind::Patrol(_) => trip.members.chunks(1).collect(),
            _ => vec![&trip.members],
        };
        for members in goals {
            let goal = Goal { members, within: trip.within };
            let request = Request { fallback: trip.fallback, ..Request::new(sim.pose(row), goal) };
            let answer = plan(&class.tables, &request, &mut scratch, &mut path);
            if answer.status != Status::Found {
                let legality = Legality::new(&sim.grid, class.tables.class());
                let why = answer.reason(&legality, &request);
                let why = why.map(|reason| reason.describe(&legality, &sim.grid));
                let line = agent.orders.first().map_or(agent.line, |order| order.line);
                let key = agent.orders.first().map_or(&agent.key, |order| &order.key);
                found.add(line, key, format!("as the map starts, {}", why.unwrap_or_default()));
                break;
            }
        }
    }
}
