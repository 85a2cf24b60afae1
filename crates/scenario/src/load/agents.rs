//! Agents and groups: their classes and where they stand.

use super::classes::class_named;
use super::diagnostics::{Diagnostics, listed};
use super::orders::{GroupNumbers, add_orders};
use super::places::{POSES_LOOKED_AT_MAX, area_rect, cells_of_map, heading_list};
use super::tasks::{TaskReader, add_tasks};
use crate::scenario;
use std::collections::BTreeMap;
use wheelbase_planner::model::{PoseBlocked, State, heading_from_name};
use wheelbase_planner::{Heading, Legality, Pose};
use wheelbase_sim::{AgentId, ClassId, GroupOrders, OrderList, Placement, Random, World};

const NOT_PLACED: AgentId = AgentId(u32::MAX);

/// Agents by name.
pub(super) type AgentNames<'s> = BTreeMap<&'s str, AgentId>;

/// Agents that have a place of their own.
#[derive(Default)]
pub(super) struct Placed<'s> {
    /// By name.
    pub(super) names: AgentNames<'s>,
    /// Those that were placed, by number of their ids.
    agents: Vec<&'s scenario::Agent>,
}

/// Places agents that have a place of their own.
pub(super) fn place_agents<'s>(
    world: &mut World,
    agents: &'s [scenario::Agent],
    Placed { names, agents: placed }: &mut Placed<'s>,
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) {
    let named = agents.iter().filter_map(|agent| agent.name.as_ref());
    // One that cannot be placed has a name all the same, so that only its place is complained of.
    names.extend(named.map(|name| (name.value.as_str(), NOT_PLACED)));
    for agent in agents {
        let Some(class) = class_named(world, &agent.class, &agent.key, errors) else { continue };
        let orders = add_orders(world, class, &agent.orders, groups, errors);
        let start = start_of(world, agent, class, placed);
        let place = |state| {
            world.place_agent(class, state, agent.priority, orders).map_err(|error| error.to_string())
        };
        match start.and_then(place) {
            Ok(id) => {
                if let Some(name) = &agent.name {
                    names.insert(name.value.as_str(), id);
                    world.name_agent(id, &name.value);
                }
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
    world: &World,
    agent: &scenario::Agent,
    class: ClassId,
    placed: &[&scenario::Agent],
) -> Result<State, String> {
    let tables = &world.tables()[class.0 as usize];
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
    let legality = Legality::new(world.grid(), tables.class());
    legality.check_pose(pose).map_err(|blocked| {
        format!(
            "{}; {}",
            blocked.describe(world.grid()),
            needs(world, &agent.class.value, &legality, blocked)
        )
    })?;
    for &offset in tables.class().cells_at(pose) {
        let cell = offset.cell_from(pose.cell);
        if let Some(other) = world.occupancy().holder_at(cell).and_then(|id| placed.get(id.0 as usize)) {
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
fn needs(world: &World, class: &str, legality: &Legality<'_>, blocked: PoseBlocked) -> String {
    match blocked {
        PoseBlocked::Terrain { .. } => {
            let kinds = world.grid().terrain_table().entries().iter().zip(legality.terrain_speeds());
            let passable = kinds.filter(|(_, speed)| **speed > 0).map(|(entry, _)| entry.name.as_str());
            format!("class \"{class}\" needs {}", listed(passable))
        }
        PoseBlocked::OffMap { .. } => {
            format!("class \"{class}\" needs its body on {}", cells_of_map(world.grid().size()))
        }
        _ => format!("class \"{class}\" needs it open"),
    }
}

/// Class of a group, its orders and its tasks in the pool.
pub(super) fn read_group(
    world: &mut World,
    group: &scenario::Group,
    tasks: &mut TaskReader<'_>,
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Option<(ClassId, GroupOrders)> {
    let class = class_named(world, &group.class, &group.key, errors)?;
    let orders = add_orders(world, class, &group.orders, groups, errors);
    let tasks = match &group.tasks {
        Some(typed) => add_tasks(world, class, group.count, typed, tasks, errors)?,
        None => OrderList::default(),
    };
    Some((class, GroupOrders { orders, tasks }))
}

/// Places groups at random, one after the other.
#[derive(Default)]
pub(super) struct GroupPlacer {
    /// Of the last group: many groups have class and area in common.
    last: Option<Placement>,
    /// Poses looked at so far.
    n_poses: u64,
    /// Whether that they are too many was told.
    is_told: bool,
}

impl GroupPlacer {
    /// Places a group: its legal poses are drawn without putting back, and those that are free are taken.
    pub(super) fn place(
        &mut self,
        world: &mut World,
        group: &scenario::Group,
        (class, orders): (ClassId, GroupOrders),
        random: &mut Random,
        errors: &mut Diagnostics<'_>,
    ) {
        let area = area_rect(&group.area).intersection(world.grid().size().rect());
        let mut placement = match self.last.take() {
            Some(last) if last.is_of(class, area) => last,
            _ => {
                let headings = world.tables()[class.0 as usize].space().headings();
                self.n_poses += u64::from(area.width) * u64::from(area.height) * u64::from(headings);
                if self.n_poses > POSES_LOOKED_AT_MAX {
                    let message = format!(
                        "the areas of the groups so far have more than {POSES_LOOKED_AT_MAX} poses in all, expected \
                         fewer groups, smaller areas, or groups of one class and area behind each other"
                    );
                    // Those behind it would say the same.
                    if !std::mem::replace(&mut self.is_told, true) {
                        errors.add(group.line, &group.key, message);
                    }
                    return;
                }
                Placement::new(world, class, area)
            }
        };
        for placed in 0..group.count {
            let Some(state) = placement.draw(world, random) else {
                let message = format!(
                    "found room for {placed} of {} agents; the area has {} legal poses of class \"{}\" and no free one is left",
                    group.count, placement.n_legal, group.class.value
                );
                errors.add(group.line, &group.key, message);
                break;
            };
            if let Err(error) = world.place_member(class, state, group.priority, orders, placed) {
                errors.add(group.line, &group.key, error.to_string());
                break;
            }
        }
        placement.put_back();
        self.last = Some(placement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn too_many_poses_of_groups_are_told_once() {
        let text = "name = \"p\"\nticks = 1\n[map]\nrows = [\"....\"]\n[class.c]\nheadings = 1\n\
            moves = [{ name = \"E\", by = [1, 0], time = 1 }]\n[[groups]]\nclass = \"c\"\ncount = 1\narea = [0, 0, 4, 1]\n";
        let typed = scenario::parse("p.toml", text.as_bytes()).unwrap();
        let mut world = crate::load::build_world(Path::new("p.toml"), &typed).unwrap();
        let mut placer = GroupPlacer { n_poses: POSES_LOOKED_AT_MAX, ..GroupPlacer::default() };
        let mut errors = Diagnostics::new(Path::new("p.toml"));
        let orders = GroupOrders { orders: OrderList::default(), tasks: OrderList::default() };
        for _ in 0..3 {
            let group = (ClassId(0), orders);
            placer.place(&mut world, &typed.groups[0], group, &mut Random::new(0), &mut errors);
        }
        let told: Vec<String> = errors.take().iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 1);
        assert!(
            told[0].starts_with("p.toml:8: groups[0]: the areas of the groups so far have more than"),
            "{told:?}"
        );
    }
}
