//! Agents and groups: their classes and where they stand.

use super::classes::class_named;
use super::complaints::{Complaints, listed};
use super::events::area_rect;
use super::orders::build_orders;
use crate::agents::ClassId;
use crate::random::Random;
use crate::scenario::{self, Scenario};
use crate::world::Simulation;
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::{Heading, Legality, Pose, PoseBlocked, State, heading_from_name, heading_name};

pub(super) fn place_agents(sim: &mut Simulation, typed: &Scenario, errors: &mut Complaints<'_>) {
    // The agents that were placed, by number of their ids.
    let mut placed: Vec<&scenario::Agent> = Vec::new();
    for agent in &typed.agents {
        let Some(class) = class_named(sim, &agent.class, &agent.key, errors) else { continue };
        let orders = build_orders(sim, class, &agent.orders, errors);
        match start_of(sim, agent, class, &placed) {
            Ok(state) => {
                let orders = sim.orders.add(&orders);
                sim.place(class, state, agent.priority, orders);
                placed.push(agent);
            }
            Err(message) => {
                let name = agent.name.as_ref().map(|name| format!("agent \"{}\": ", name.value));
                let message = name.unwrap_or_default() + &message;
                errors.add(agent.at.line, &format!("{}.at", agent.key), message);
            }
        }
    }
}

/// Where an agent is to stand, or why it cannot.
fn start_of(
    sim: &Simulation,
    agent: &scenario::Agent,
    class: ClassId,
    placed: &[&scenario::Agent],
) -> Result<State, String> {
    let tables = &sim.classes[class.0 as usize].tables;
    let headings = tables.space().headings();
    let heading = match &agent.at.heading {
        None if headings == 1 => Some(Heading(0)),
        None => None,
        Some(name) => heading_from_name(headings, name),
    };
    let heading = heading.ok_or_else(|| {
        let found = agent.at.heading.as_ref().map_or("none".to_owned(), |name| format!("{name:?}"));
        format!(
            "expected heading {} of class \"{}\", found {found}",
            heading_list(headings),
            agent.class.value
        )
    })?;
    let pose = Pose::new(agent.at.x, agent.at.y, heading);
    let legality = Legality::new(&sim.grid, tables.class());
    legality.check_pose(pose).map_err(|blocked| {
        format!("{}; {}", blocked.describe(&sim.grid), needs(sim, &agent.class.value, &legality, blocked))
    })?;
    for &offset in tables.class().footprint().at(heading) {
        let cell = CellXY::new(pose.cell.x + offset.dx, pose.cell.y + offset.dy);
        if let Some(other) = sim.reservation.holder_at(cell).and_then(|id| placed.get(id.0 as usize)) {
            let name = other.name.as_ref().map(|name| format!("agent \"{}\"", name.value));
            let name = name.unwrap_or_else(|| other.key.clone());
            return Err(format!(
                "cell {cell} is held by {name} (line {}); agents need cells of their own",
                other.line
            ));
        }
    }
    tables.space().state(pose).ok_or_else(|| format!("{} is no pose", pose.cell))
}

/// What a class needs where a pose is blocked.
fn needs(sim: &Simulation, class: &str, legality: &Legality<'_>, blocked: PoseBlocked) -> String {
    match blocked {
        PoseBlocked::Terrain { .. } => {
            let kinds = sim.grid.terrain_table().entries().iter().zip(legality.terrain_speeds());
            let passable = kinds.filter(|(_, speed)| **speed > 0).map(|(entry, _)| entry.name.as_str());
            format!("class \"{class}\" needs {}", listed(passable))
        }
        PoseBlocked::OffMap { .. } => {
            format!("class \"{class}\" needs its body on {}", cells_of_map(sim.grid.size()))
        }
        _ => format!("class \"{class}\" needs it open"),
    }
}

/// The cells of a map in words.
pub(super) fn cells_of_map(size: GridSize) -> String {
    format!("columns 0 to {} and rows 0 to {}", size.width() - 1, size.height() - 1)
}

pub(super) fn heading_list(headings: u8) -> String {
    listed((0..headings).map(|h| heading_name(headings, Heading(h))))
}

/// Class of a group and its orders in the pool.
pub(super) fn read_group(
    sim: &mut Simulation,
    group: &scenario::Group,
    errors: &mut Complaints<'_>,
) -> Option<(ClassId, (u32, u32))> {
    let class = class_named(sim, &group.class, &group.key, errors)?;
    let orders = build_orders(sim, class, &group.orders, errors);
    Some((class, sim.orders.add(&orders)))
}

/// Places a group at random: its legal poses are drawn without putting back, and those that are free
/// are taken.
pub(super) fn place_group(
    sim: &mut Simulation,
    group: &scenario::Group,
    class: ClassId,
    orders: (u32, u32),
    random: &mut Random,
    errors: &mut Complaints<'_>,
) {
    let space = sim.classes[class.0 as usize].tables.space();
    let mut poses: Vec<State> = Vec::new();
    for cell in area_rect(&group.area).intersection(sim.grid.size().rect()).cells() {
        let at = |h| space.state(Pose { cell, heading: Heading(h) });
        let tables = &sim.classes[class.0 as usize].tables;
        poses.extend((0..space.headings()).filter_map(at).filter(|&state| tables.is_legal(state)));
    }
    let n_poses = poses.len();
    for placed in 0..group.count {
        let free = loop {
            if poses.is_empty() {
                break None;
            }
            let state = poses.swap_remove(random.below(poses.len()));
            let pose = space.pose(state);
            let cells = sim.classes[class.0 as usize].tables.class().footprint().at(pose.heading);
            let nobody = crate::agents::AgentId(u32::MAX);
            if sim.reservation.blocker(nobody, pose.cell, cells).is_none() {
                break Some(state);
            }
        };
        let Some(state) = free else {
            let message = format!(
                "found room for {placed} of {} agents; the area has {n_poses} legal poses of class \"{}\" and no free one is left",
                group.count, group.class.value
            );
            errors.add(group.line, &group.key, message);
            return;
        };
        sim.place(class, state, group.priority, orders);
    }
}
