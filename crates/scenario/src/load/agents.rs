//! Places agents and groups.

use super::areas::{POSES_CHECKED_MAX, area_rect, cells_text, heading_list, nearest_heading_of, off_map};
use super::classes::find_class;
use super::orders::{AgentNames, check_followers, orders_of_class};
use super::tasks::{TaskReader, tasks_order};
use super::teams::Teams;
use crate::scenario;
use crate::scenario::{Diagnostics, Message, listed};
use std::sync::Arc;
use wheelbase_planner::model::{PoseBlocked, heading_from_name};
use wheelbase_planner::{Heading, Legality, Pose};
use wheelbase_sim::{AgentId, ClassId, Order, Placement, PlacementArea, Random, Setup, Spawn, Team};
use wheelbase_traffic::{AgentSlot, Occupancy};

const UNPLACED: AgentId = AgentId(u32::MAX);

/// The agents placed so far that have a start pose.
#[derive(Default)]
pub(super) struct PlacedAgents<'s> {
    /// By name.
    pub(super) names: AgentNames<'s>,
    /// The placed ones, by number of their ids.
    agents: Vec<&'s scenario::Agent>,
}

/// Places agents that have a start pose. `all` are the names of all agents, with the ids that they have once all are
/// placed.
pub(super) fn place_agents<'s>(
    setup: &mut Setup,
    agents: &'s [scenario::Agent],
    (all, teams): (&AgentNames<'_>, &Teams<'_>),
    PlacedAgents { names, agents: placed }: &mut PlacedAgents<'s>,
    occupancy: &mut Occupancy,
    errors: &mut Diagnostics<'_>,
) {
    let named = agents.iter().filter_map(|agent| agent.name.as_ref());
    // Includes agents that cannot be placed: only their pose is reported then, not references to their name.
    names.extend(named.map(|name| (name.value.as_str(), UNPLACED)));
    for agent in agents {
        let Some(class) = find_class(setup, &agent.class, &agent.key, errors) else { continue };
        let orders = orders_of_class(setup, all, class, &agent.orders, errors);
        check_followers(&agent.orders, agent.name.iter().map(|name| name.value.as_str()), errors);
        match start_of(setup, occupancy, agent, class, placed) {
            Ok(pose) => {
                if let Some(name) = &agent.name {
                    names.insert(name.value.as_str(), AgentId(setup.agents.len() as u32));
                }
                placed.push(agent);
                let spawn = Spawn {
                    priority: agent.priority,
                    team: teams.number(agent.team.as_ref()),
                    speed_factor: agent.speed_factor,
                    orders: orders.into(),
                    ..Spawn::new(class, pose)
                };
                place(setup, occupancy, spawn);
            }
            Err((mut message, other)) => {
                if let Some(name) = &agent.name {
                    message.text.insert_str(0, &format!("agent \"{}\": ", name.value));
                }
                let place = (agent.at.line, &*format!("{}.at", agent.key));
                match other {
                    Some(other) => {
                        errors.add_related(
                            place,
                            *message,
                            (&format!("{}.at", other.key), "the other agent"),
                        );
                    }
                    None => errors.add(place.0, place.1, *message),
                }
            }
        }
    }
}

/// Adds an agent to the setup, in a pose that is free.
fn place(setup: &mut Setup, occupancy: &mut Occupancy, spawn: Spawn) {
    let class = setup.tables[usize::from(spawn.class.0)].class();
    occupancy.hold(AgentSlot(setup.agents.len() as u32), spawn.pose.cell, class.cells_at(spawn.pose));
    setup.agents.push(spawn);
}

/// Why an agent cannot stand somewhere, with the agent in its way.
type Refused<'s> = (Box<Message>, Option<&'s scenario::Agent>);

/// The start of an agent, or the reason why it cannot stand there.
fn start_of<'s>(
    setup: &Setup,
    occupancy: &Occupancy,
    agent: &scenario::Agent,
    class: ClassId,
    placed: &[&'s scenario::Agent],
) -> Result<Pose, Refused<'s>> {
    let tables = &setup.tables[class.0 as usize];
    let headings = tables.space().headings();
    let heading = match &agent.at.heading {
        None if headings == 1 => Some(Heading(0)),
        None => None,
        Some(name) => heading_from_name(headings, name),
    };
    let heading = heading.ok_or_else(|| {
        let expected = format!("heading {} of class \"{}\"", heading_list(headings), agent.class.value);
        let message = match &agent.at.heading {
            Some(name) => {
                let nearest = nearest_heading_of(headings, name);
                let message = Message::unexpected(expected, format!("{name:?}")).with_nearest(nearest);
                message.of_value_below("[2]".to_owned())
            }
            None => {
                let (x, y) = (agent.at.x, agent.at.y);
                let help = format!("say which way it faces, such as at = [{x}, {y}, \"E\"]");
                Message::unexpected(expected, "none").with_help(help)
            }
        };
        (Box::new(message), None)
    })?;
    let pose = Pose::new(agent.at.x, agent.at.y, heading);
    let legality = Legality::new(&setup.grid, tables.class());
    legality.check_pose(pose).map_err(|blocked| {
        let requirement = requirement(setup, &agent.class.value, &legality, blocked);
        (Box::new(format!("{}; {requirement}", blocked.describe(&setup.grid)).into()), None)
    })?;
    for &offset in tables.class().cells_at(pose) {
        let cell = offset.cell_from(pose.cell);
        if let Some(other) = occupancy.holder_at(cell).and_then(|slot| placed.get(slot.index())) {
            let name = other.name.as_ref().map(|name| format!("agent \"{}\"", name.value));
            let name = name.unwrap_or_else(|| other.key.clone());
            let message =
                format!("cell {cell} is taken by {name} (line {}); agents need separate cells", other.line);
            return Err((Box::new(message.into()), Some(other)));
        }
    }
    Ok(pose)
}

/// What a class requires of a blocked pose.
fn requirement(setup: &Setup, class: &str, legality: &Legality<'_>, blocked: PoseBlocked) -> String {
    match blocked {
        PoseBlocked::Terrain { .. } => {
            let kinds = setup.grid.terrain_table().entries().iter().zip(legality.terrain_speeds());
            let passable = kinds.filter(|(_, speed)| **speed > 0).map(|(entry, _)| entry.name.as_str());
            format!("class \"{class}\" needs {}", listed(passable))
        }
        PoseBlocked::OffMap { .. } => {
            format!("class \"{class}\" needs its body on {}", cells_text(setup.grid.size()))
        }
        _ => format!("class \"{class}\" needs it open"),
    }
}

/// Class, team and orders of a group.
pub(super) struct ReadGroup {
    pub(super) class: ClassId,
    pub(super) team: Team,
    /// Tasks are the last one.
    pub(super) orders: Arc<[Order]>,
}

/// Looks up what a group names.
pub(super) fn read_group(
    setup: &Setup,
    group: &scenario::Group,
    (names, teams): (&AgentNames<'_>, &Teams<'_>),
    tasks: &mut TaskReader<'_>,
    errors: &mut Diagnostics<'_>,
) -> Option<ReadGroup> {
    let class = find_class(setup, &group.class, &group.key, errors)?;
    let mut orders = orders_of_class(setup, names, class, &group.orders, errors);
    if let Some(typed) = &group.tasks {
        orders.push(tasks_order(setup, class, group.count, typed, tasks, errors)?);
    }
    Some(ReadGroup { class, team: teams.number(group.team.as_ref()), orders: orders.into() })
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
    /// Places a group: draws poses without replacement, and takes the free ones.
    pub(super) fn place(
        &mut self,
        (setup, occupancy): (&mut Setup, &mut Occupancy),
        group: &scenario::Group,
        ReadGroup { class, team, orders }: ReadGroup,
        random: &mut Random,
        errors: &mut Diagnostics<'_>,
    ) {
        if group.waits_for_room {
            let message = Message::unexpected("\"wait\" only in add_agents", "in a group");
            errors.add(group.line, &format!("{}.if_no_room", group.key), message);
            return;
        }
        let (rect, size) = (area_rect(&group.area), setup.grid.size());
        if let Some(message) = off_map(rect, size) {
            errors.add(group.area.line, &format!("{}.area", group.key), message);
            return;
        }
        let area = rect.intersection(size.rect());
        let of = PlacementArea { class, area, anywhere: group.anywhere };
        let mut placement = match self.last.take() {
            Some(last) if last.is_of(of) => last,
            _ => {
                let headings = setup.tables[class.0 as usize].space().headings();
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
                Placement::new(&setup.tables, of)
            }
        };
        for placed in 0..group.count {
            let Some(state) = placement.draw(&setup.tables, occupancy, &[], random) else {
                let message = format!(
                    "found room for {placed} of {} agents; the area has {} legal poses of class \"{}\" and none is free",
                    group.count, placement.n_legal, group.class.value
                );
                let help = "make its area larger or its count smaller";
                errors.add(group.line, &group.key, Message::from(message).with_help(help));
                break;
            };
            let pose = setup.tables[usize::from(class.0)].space().pose(state);
            let spawn = Spawn {
                priority: group.priority,
                team,
                speed_factor: group.speed_factor,
                orders: Arc::clone(&orders),
                number: placed,
                ..Spawn::new(class, pose)
            };
            place(setup, occupancy, spawn);
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
        let world = crate::load::build_world(Path::new("p.toml"), &typed).unwrap();
        let (grid, tables) = (world.grid().clone(), world.tables().to_vec());
        let mut occupancy = Occupancy::new(grid.size(), world.settings().collision);
        let settings = world.settings().clone();
        let rule =
            wheelbase_traffic::Cooperative::new(&tables, grid.size(), settings.collision, settings.traffic);
        let mut setup = Setup::with_rule(settings, grid, tables, Box::new(rule));
        let mut placer = GroupPlacer { n_poses: POSES_CHECKED_MAX, ..GroupPlacer::default() };
        let mut errors = Diagnostics::new(Path::new("p.toml"));
        for _ in 0..3 {
            let to = (&mut setup, &mut occupancy);
            let group = ReadGroup { class: ClassId(0), team: Team(0), orders: Arc::default() };
            placer.place(to, &typed.groups[0], group, &mut Random::new(0), &mut errors);
        }
        let messages: Vec<String> = errors.take().iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 1);
        assert!(
            messages[0].starts_with("p.toml:8: groups[0]: the areas of the groups so far have more than"),
            "{messages:?}"
        );
    }
}
