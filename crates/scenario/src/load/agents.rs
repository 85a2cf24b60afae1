//! Places agents and groups.

use super::areas::{POSES_CHECKED_MAX, area_rect, cells_text, heading_list};
use super::classes::find_class;
use super::orders::{GroupNumbers, add_orders};
use super::tasks::{TaskReader, add_tasks};
use crate::scenario;
use crate::scenario::{Diagnostics, listed};
use std::collections::BTreeMap;
use wheelbase_planner::model::{PoseBlocked, State, heading_from_name};
use wheelbase_planner::{Heading, Legality, Pose};
use wheelbase_sim::{AgentId, ClassId, GroupOrders, OrderList, Placement, Random, World};

const UNPLACED: AgentId = AgentId(u32::MAX);

/// Agents by name.
pub(super) type AgentNames<'s> = BTreeMap<&'s str, AgentId>;

/// The agents placed so far that have a start pose.
#[derive(Default)]
pub(super) struct PlacedAgents<'s> {
    /// By name.
    pub(super) names: AgentNames<'s>,
    /// The placed ones, by number of their ids.
    agents: Vec<&'s scenario::Agent>,
}

/// Places agents that have a start pose.
pub(super) fn place_agents<'s>(
    world: &mut World,
    agents: &'s [scenario::Agent],
    PlacedAgents { names, agents: placed }: &mut PlacedAgents<'s>,
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) {
    let named = agents.iter().filter_map(|agent| agent.name.as_ref());
    // Includes agents that cannot be placed: only their pose is reported then, not references to their name.
    names.extend(named.map(|name| (name.value.as_str(), UNPLACED)));
    for agent in agents {
        let Some(class) = find_class(world, &agent.class, &agent.key, errors) else { continue };
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

/// The start of an agent, or the reason why it cannot stand there.
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
            requirement(world, &agent.class.value, &legality, blocked)
        )
    })?;
    for &offset in tables.class().cells_at(pose) {
        let cell = offset.cell_from(pose.cell);
        if let Some(other) = world.occupancy().holder_at(cell).and_then(|id| placed.get(id.0 as usize)) {
            let name = other.name.as_ref().map(|name| format!("agent \"{}\"", name.value));
            let name = name.unwrap_or_else(|| other.key.clone());
            return Err(format!(
                "cell {cell} is taken by {name} (line {}); agents need separate cells",
                other.line
            ));
        }
    }
    tables.space().state(pose).ok_or_else(|| format!("{} is not a pose", pose.cell))
}

/// What a class requires of a blocked pose.
fn requirement(world: &World, class: &str, legality: &Legality<'_>, blocked: PoseBlocked) -> String {
    match blocked {
        PoseBlocked::Terrain { .. } => {
            let kinds = world.grid().terrain_table().entries().iter().zip(legality.terrain_speeds());
            let passable = kinds.filter(|(_, speed)| **speed > 0).map(|(entry, _)| entry.name.as_str());
            format!("class \"{class}\" needs {}", listed(passable))
        }
        PoseBlocked::OffMap { .. } => {
            format!("class \"{class}\" needs its body on {}", cells_text(world.grid().size()))
        }
        _ => format!("class \"{class}\" needs it open"),
    }
}

/// Adds the orders and tasks of a group to the pool. Gives its class too.
pub(super) fn read_group(
    world: &mut World,
    group: &scenario::Group,
    tasks: &mut TaskReader<'_>,
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Option<(ClassId, GroupOrders)> {
    let class = find_class(world, &group.class, &group.key, errors)?;
    let orders = add_orders(world, class, &group.orders, groups, errors);
    let tasks = match &group.tasks {
        Some(typed) => add_tasks(world, class, group.count, typed, tasks, errors)?,
        None => OrderList::default(),
    };
    Some((class, GroupOrders { orders, tasks }))
}

/// Places groups at random, in order.
#[derive(Default)]
pub(super) struct GroupPlacer {
    /// That of the last group: consecutive groups often share class and area.
    last: Option<Placement>,
    /// Poses checked so far.
    n_poses: u64,
    /// Whether the excess of poses was reported.
    is_reported: bool,
}

impl GroupPlacer {
    /// Places a group: draws legal poses without replacement, and takes the free ones.
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
                if self.n_poses > POSES_CHECKED_MAX {
                    let message = format!(
                        "the areas of the groups so far have more than {POSES_CHECKED_MAX} poses in total; expected \
                         fewer groups, smaller areas, or consecutive groups with the same class and area"
                    );
                    // Once: later groups would repeat it.
                    if !std::mem::replace(&mut self.is_reported, true) {
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
                    "found room for {placed} of {} agents; the area has {} legal poses of class \"{}\" and none is free",
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
    fn too_many_poses_of_groups_are_reported_once() {
        let text = "name = \"p\"\nticks = 1\n[map]\nrows = [\"....\"]\n[class.c]\nheadings = 1\n\
            moves = [{ name = \"E\", by = [1, 0], time = 1 }]\n[[groups]]\nclass = \"c\"\ncount = 1\narea = [0, 0, 4, 1]\n";
        let typed = scenario::parse("p.toml", text.as_bytes()).unwrap();
        let mut world = crate::load::build_world(Path::new("p.toml"), &typed).unwrap();
        let mut placer = GroupPlacer { n_poses: POSES_CHECKED_MAX, ..GroupPlacer::default() };
        let mut errors = Diagnostics::new(Path::new("p.toml"));
        let orders = GroupOrders { orders: OrderList::default(), tasks: OrderList::default() };
        for _ in 0..3 {
            let group = (ClassId(0), orders);
            placer.place(&mut world, &typed.groups[0], group, &mut Random::new(0), &mut errors);
        }
        let messages: Vec<String> = errors.take().iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 1);
        assert!(
            messages[0].starts_with("p.toml:8: groups[0]: the areas of the groups so far have more than"),
            "{messages:?}"
        );
    }
}
