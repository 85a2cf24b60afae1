//! What looks wrong in a scenario that can be run.

use super::complaints::Complaints;
use super::events::area_rect;
use super::map::{beside, read_map};
use crate::orders::OrderKind;
use crate::scenario::{self, Area, Chosen, EventAction, Located, Scenario, ScenarioError};
use crate::world::Simulation;
use std::collections::BTreeMap;
use std::path::Path;
use wheelbase_planner::{Goal, GoalArea, GoalMember, Legality, Primitive, SLOPE_FLAT, move_time};

/// What looks wrong in a scenario that can be run: text after the last row of its map, overrides of
/// kinds that the map lacks, speeds that change no time, first orders that cannot be done on the map as
/// it starts, events that do nothing.
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
    warn_of_events(typed, sim, &mut found);
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

/// Events that come too late, that are about no cell of the map, or about agents that are gone by then.
fn warn_of_events(typed: &Scenario, sim: &Simulation, found: &mut Complaints<'_>) {
    let mut by_time: Vec<&scenario::Event> = typed.events.iter().collect();
    by_time.sort_by_key(|event| event.tick);
    // Tick and event that took each name out.
    let mut gone: BTreeMap<&str, (u32, &str)> = BTreeMap::new();
    for event in by_time {
        if event.tick >= typed.ticks {
            let message = format!("never takes effect: the run stops at tick {}", typed.ticks);
            found.add(event.line, &event.key, message);
        }
        let (action, area, names) = parts_of(&event.action);
        let key = format!("{}.{action}", event.key);
        if let Some(area) = area
            && area_rect(area).intersection(sim.grid.size().rect()).is_empty()
        {
            let message = format!("no cell is on the map of {}; ignored", sim.grid.size());
            found.add(area.line, &format!("{key}.area"), message);
        }
        for (at, name) in names.iter().enumerate() {
            if let Some((tick, by)) = gone.get(name.value.as_str()) {
                let message =
                    format!("agent \"{}\" is taken out at tick {tick} by {by}; ignored", name.value);
                found.add(name.line, &format!("{key}.names[{at}]"), message);
            }
        }
        if let EventAction::RemoveAgents(_) = event.action {
            for name in names {
                gone.entry(name.value.as_str()).or_insert((event.tick, event.key.as_str()));
            }
        }
    }
}

/// Name of an event's action, and the cells and the agents that it is about.
fn parts_of(action: &EventAction) -> (&'static str, Option<&Area>, &[Located<String>]) {
    let (name, area, chosen) = match action {
        EventAction::SetTerrain { area, .. } => ("set_terrain", Some(area), None),
        EventAction::SetElevation { area, .. } => ("set_elevation", Some(area), None),
        EventAction::SetSide { .. } => ("set_side", None, None),
        EventAction::Rotate { .. } => ("rotate", None, None),
        EventAction::AddAgents(group) => ("add_agents", Some(&group.area), None),
        EventAction::RemoveAgents(chosen) => ("remove_agents", None, Some(chosen)),
        EventAction::GiveOrders { chosen, .. } => ("give_orders", None, Some(chosen)),
    };
    match chosen {
        Some(Chosen::Area(area)) => (name, Some(area), &[]),
        Some(Chosen::Names(names)) => (name, None, names),
        None => (name, area, &[]),
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
            let mut request = Request { fallback: trip.fallback, ..Request::new(sim.pose(row), goal) };
            if let OrderKind::GotoArea(area, _) = order.kind {
                // Whoever stands there may go.
                request.area = Some(GoalArea { area, open: &|_| true });
            }
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
