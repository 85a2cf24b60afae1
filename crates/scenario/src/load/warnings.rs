//! Warnings about scenarios that can be run.

use super::areas::area_rect;
use super::map::{read_map, relative_to};
use crate::scenario::{self, AgentSelection, Area, EventAction, Located, Scenario, ScenarioError};
use crate::scenario::{Diagnostics, Message, nearest_name};
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{Grid, GridShape, MemoryMax, Rect};
use wheelbase_planner::model::{SLOPE_FLAT, Sweep, SweepRule, move_time};
use wheelbase_planner::search::{Fallback, GoalArea, Reason};
use wheelbase_planner::{
    ClassSpec, Goal, GoalMember, Heading, Legality, MovementClass, Path, Pose, Primitive, Request, Scratch,
    Status, plan,
};
use wheelbase_sim::{ClassId, CollisionRule, Command, Order, OrderKind, Trip, World};

/// Most poses of a scenario that are checked for warnings about the goals of groups and events.
const GOAL_CHECKS_MAX: u64 = 1 << 27;

/// Likely mistakes in a scenario that can be run. On the map: text after its last row, and speed overrides for kinds
/// that it lacks. Of classes: speeds that change no time, and moves swept by their ends that let bodies overlap on
/// screen. Of orders: first orders that cannot be done on the initial map, and goals of groups and events without a
/// legal pose. Also events without effect, and friends without agents.
pub fn warnings(path: &std::path::Path, typed: &Scenario, world: &World) -> Vec<ScenarioError> {
    let mut found = Diagnostics::new(path);
    warn_about_map(path, typed, world, &mut found);
    found.extend(ignored_speeds(path, typed, world.grid()));
    for (tables, typed_class) in world.tables().iter().zip(&typed.classes) {
        let primitives = tables.class().primitives();
        // Buildings are meant to stay.
        if primitives.is_empty() {
            continue;
        }
        if primitives.iter().all(|primitive| primitive.by == (0, 0)) {
            let message =
                "no move of the class has `by`, so its agents stay on the cell where they are placed";
            let help = "add a move such as { name = \"forward\", by = [1, 0], time = 1 }";
            found.add(typed_class.line, &typed_class.key, Message::from(message).with_help(help));
        }
        let legality = Legality::new(world.grid(), tables.class());
        for (entry, &speed) in world.grid().terrain_table().entries().iter().zip(legality.terrain_speeds()) {
            let same = |p: &Primitive| move_time(p.time, SLOPE_FLAT, speed) == p.time;
            if speed > 0 && speed != 1000 && primitives.iter().all(same) {
                let message = format!(
                    "terrain \"{}\" at speed {speed} takes as long as at 1000: the base times are too small to show it",
                    entry.name
                );
                found.add(typed_class.line, &typed_class.key, message);
            }
        }
    }
    warn_about_sweeps(typed, world, &mut found);
    warn_about_goals(typed, world, &mut found);
    warn_about_events(typed, world, &mut found);
    warn_about_teams(typed, &mut found);
    found.take()
}

/// Classes with a move that sweeps fewer cells than its body touches. Under `discrete` bodies overlap in any case.
fn warn_about_sweeps(typed: &Scenario, world: &World, found: &mut Diagnostics<'_>) {
    if world.settings().collision != CollisionRule::Swept || world.grid().shape() == GridShape::Hex {
        return;
    }
    for (tables, typed_class) in world.tables().iter().zip(&typed.classes) {
        if let Some(name) = swept_too_little(tables.class()) {
            let message = format!(
                "move \"{name}\" sweeps its ends alone, so bodies beside it can overlap on the screen; expected \"full\""
            );
            found.add(typed_class.line, &format!("{}.sweep", typed_class.key), message);
        }
    }
}

/// The first move that would sweep more cells if the class swept in full. A move that turns on its way and lists its
/// cells chooses them itself.
fn swept_too_little(class: &MovementClass) -> Option<&str> {
    let full = Sweep::both(SweepRule::Full);
    if class.spec().sweep == full {
        return None;
    }
    let in_full = MovementClass::new(ClassSpec { sweep: full, ..class.spec().clone() }).ok()?;
    let swept_less = |number: usize| {
        class.frames().any(|frame| {
            let (ours, full) = (class.shape(frame, number), in_full.shape(frame, number));
            ours.applies && ours.swept.len() < full.swept.len()
        })
    };
    class.primitives().iter().enumerate().find(|&(number, _)| swept_less(number)).map(|(_, one)| &*one.name)
}

/// The warnings on speeds for kinds that the map lacks. A mistyped name is often why something else is wrong.
pub(super) fn ignored_speeds(path: &std::path::Path, typed: &Scenario, grid: &Grid) -> Vec<ScenarioError> {
    let mut found = Diagnostics::new(path);
    for class in &typed.classes {
        let terrain = grid.terrain_table();
        for over in class.speed.iter().filter(|over| terrain.kind_of_name(&over.name).is_none()) {
            let known = terrain.entries().iter().map(|entry| entry.name.as_str());
            found.add(over.line, &over.key, ignored_kind("terrain", &over.name, known));
        }
        let sides = grid.side_table();
        for over in class.side_speed.iter().filter(|over| sides.kind_of_name(&over.name).is_none()) {
            let known = sides.entries().iter().map(|entry| entry.name.as_str());
            found.add(over.line, &over.key, ignored_kind("side kind", &over.name, known));
        }
    }
    found.take()
}

/// The warning on a speed for a kind that the map lacks.
fn ignored_kind<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Message {
    let nearest = nearest_name(name, known).map(|near| format!("`{near}`"));
    let message = Message::from(format!("the map has no {what} \"{name}\"; ignored"));
    message.with_nearest(nearest).of_key()
}

/// Reads the map again for its warnings, which loading a scenario drops: only `check` asks for them.
fn warn_about_map(path: &std::path::Path, typed: &Scenario, world: &World, found: &mut Diagnostics<'_>) {
    let scenario::MapSource::File(file) = &typed.map.source else { return };
    let map = relative_to(path, &file.value);
    let (terrain, sides) = (world.grid().terrain_table().clone(), world.grid().side_table().clone());
    for warning in
        read_map(&map, terrain, sides, MemoryMax::NONE).map(|read| read.warnings).unwrap_or_default()
    {
        found.add_in(&map, warning.line as u32, "", warning.kind);
    }
}

/// Events after the end of the run, on no cell of the map, or for agents that are gone by then.
fn warn_about_events(typed: &Scenario, world: &World, found: &mut Diagnostics<'_>) {
    let mut by_time: Vec<&scenario::Event> = typed.events.iter().collect();
    by_time.sort_by_key(|event| event.tick);
    // Tick and event of the removal of each name.
    let mut gone: BTreeMap<&str, (u32, &str)> = BTreeMap::new();
    for event in by_time {
        if event.tick >= typed.ticks {
            let message = format!("never takes effect: the run stops at tick {}", typed.ticks);
            found.add(event.line, &event.key, message);
        }
        let (action, area, names) = parts_of(&event.action);
        let key = format!("{}.{action}", event.key);
        if let Some(area) = area
            && area_rect(area).intersection(world.grid().size().rect()).is_empty()
        {
            let message = format!("no cell is on the map of {}; ignored", world.grid().size());
            found.add(area.line, &format!("{key}.area"), message);
        }
        for (at, name) in names.iter().enumerate() {
            if let Some((tick, by)) = gone.get(name.value.as_str()) {
                let message = format!("agent \"{}\" is removed at tick {tick} by {by}; ignored", name.value);
                found.add(name.line, &format!("{key}.names[{at}]"), message);
            }
        }
        for order in orders_of(&event.action) {
            if let scenario::OrderKind::Follow { leader, .. } = &order.kind
                && let Some((tick, by)) = gone.get(leader.value.as_str())
            {
                let message = format!(
                    "agent \"{}\" is removed at tick {tick} by {by}; the event is refused, as nobody can follow it",
                    leader.value
                );
                found.add(leader.line, &format!("{}.follow", order.key), message);
            }
        }
        if let EventAction::RemoveAgents(_) = event.action {
            for name in names {
                gone.entry(name.value.as_str()).or_insert((event.tick, event.key.as_str()));
            }
        }
    }
}

/// The orders that an action gives.
fn orders_of(action: &EventAction) -> &[scenario::Order] {
    match action {
        EventAction::AddAgents(group) => &group.orders,
        EventAction::GiveOrders { orders, .. } => orders,
        _ => &[],
    }
}

/// Friends of which one has no agents: all of them would come after the end of the run.
fn warn_about_teams(typed: &Scenario, found: &mut Diagnostics<'_>) {
    let events = typed.events.iter().filter(|event| event.tick < typed.ticks);
    let added = events.filter_map(|event| match &event.action {
        EventAction::AddAgents(group) => Some(group),
        _ => None,
    });
    let groups = typed.groups.iter().chain(added).map(|group| &group.team);
    let named = typed.agents.iter().map(|agent| &agent.team).chain(groups).flatten();
    let with_agents: BTreeSet<&str> = named.map(|team| team.value.as_str()).collect();
    for pair in &typed.friends {
        for (at, name) in pair.names.iter().enumerate() {
            if !with_agents.contains(name.as_str()) {
                let message =
                    format!("team \"{name}\" has no agents before the run stops at tick {}", typed.ticks);
                found.add(pair.line, &format!("{}[{at}]", pair.key), message);
            }
        }
    }
}

/// The name of an action, its area and the agents that it names.
fn parts_of(action: &EventAction) -> (&'static str, Option<&Area>, &[Located<String>]) {
    let (name, area, selection) = match action {
        EventAction::SetTerrain { area, .. } => ("set_terrain", Some(area), None),
        EventAction::SetElevation { area, .. } => ("set_elevation", Some(area), None),
        EventAction::SetSide { .. } => ("set_side", None, None),
        EventAction::Rotate { .. } => ("rotate", None, None),
        EventAction::AddAgents(group) => ("add_agents", Some(&group.area), None),
        EventAction::RemoveAgents(selection) => ("remove_agents", None, Some(selection)),
        EventAction::GiveOrders { selection, .. } => ("give_orders", None, Some(selection)),
    };
    match selection {
        Some(AgentSelection::Area(area)) => (name, Some(area), &[]),
        Some(AgentSelection::Names(names)) => (name, None, names),
        None => (name, area, &[]),
    }
}

/// First orders of agents that have no path, and orders of groups and events whose goals have no legal pose for any of
/// their classes.
fn warn_about_goals(typed: &Scenario, world: &World, found: &mut Diagnostics<'_>) {
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for (row, agent) in typed.agents.iter().enumerate() {
        let Some(order) = world.orders().current(&world.agent_arrays().orders(row)) else { continue };
        let Some(trip) = order.kind.trip() else { continue };
        let tables = &world.tables()[world.agent_arrays().motion[row].class.0 as usize];
        for members in goals_of(&order.kind, trip) {
            let goal = Goal { members, within: trip.within };
            let mut request = Request { fallback: trip.fallback, ..Request::new(world.pose(row), goal) };
            if let OrderKind::GotoArea(area, _) = order.kind {
                // Agents in the area may leave it.
                request.area = Some(GoalArea { area, open: &|_| true });
            }
            let answer = plan(tables, &request, &mut scratch, &mut path);
            if answer.status != Status::Found {
                let legality = Legality::new(world.grid(), tables.class());
                let why = answer.reason(&legality, &request);
                let why = why.map(|reason| reason.describe(&legality, world.grid()));
                let line = agent.orders.first().map_or(agent.line, |order| order.line);
                let key = agent.orders.first().map_or(&agent.key, |order| &order.key);
                found.add(line, key, on_initial_map(&why.unwrap_or_default()));
                break;
            }
        }
    }
    let mut checks_left = GOAL_CHECKS_MAX;
    let headings = |class: ClassId| world.tables()[usize::from(class.0)].space().headings();
    let mut warn = |typed: &[scenario::Order], orders: &[Order], classes: &[ClassId]| {
        for (at, order) in typed.iter().enumerate() {
            let reasons = classes.iter().map(|&class| {
                let of_class = orders.get(at)?.for_headings(headings(class));
                unusable_goal(world, class, &of_class.kind, &mut checks_left)
            });
            // Only if no class can reach the goal.
            let reasons: Option<Vec<String>> = reasons.collect();
            if let Some(why) = reasons.and_then(|reasons| reasons.into_iter().next()) {
                found.add(order.line, &order.key, on_initial_map(&why));
            }
        }
    };
    // The agents of groups have the last rows, in the order of the file.
    let in_groups: usize = typed.groups.iter().map(|group| group.count as usize).sum();
    let mut row = world.agent_arrays().len().saturating_sub(in_groups);
    for group in &typed.groups {
        if let (Some(state), Some(motion)) = (
            (row < world.agent_arrays().len()).then(|| world.agent_arrays().orders(row)),
            world.agent_arrays().motion.get(row),
        ) {
            let orders: Vec<Order> = world.orders().open(&state).cloned().collect();
            warn(&group.orders, &orders, &[motion.class]);
        }
        row += group.count as usize;
    }
    let mut by_time: Vec<&scenario::Event> = typed.events.iter().collect();
    by_time.sort_by_key(|event| event.tick);
    let all: Vec<ClassId> = (0..world.tables().len()).map(|class| ClassId(class as u8)).collect();
    for (event, (.., command)) in by_time.into_iter().zip(world.scheduled_commands()) {
        match (&event.action, command) {
            (EventAction::AddAgents(group), Command::SpawnGroup(built)) => {
                warn(&group.orders, &built.orders, &[built.class]);
            }
            (EventAction::GiveOrders { orders, .. }, Command::Order { agents, orders: built, .. }) => {
                let classes = match agents {
                    wheelbase_sim::AgentSelection::Named(ids) => {
                        let agents = world.agent_arrays();
                        let rows = ids.iter().filter_map(|&id| agents.row(id));
                        let mut classes: Vec<ClassId> = rows.map(|row| agents.motion[row].class).collect();
                        classes.sort_unstable();
                        classes.dedup();
                        classes
                    }
                    _ => all.clone(),
                };
                warn(orders, built, &classes);
            }
            _ => {}
        }
    }
}

fn on_initial_map(why: &str) -> String {
    format!("on the initial map, {why}")
}

/// The goals of an order, all of which must be reached: each stop of a patrol is one.
fn goals_of<'a>(kind: &OrderKind, trip: &'a Trip) -> Vec<&'a [GoalMember]> {
    match kind {
        OrderKind::Patrol(_) => trip.members.chunks(1).collect(),
        _ => vec![&trip.members],
    }
}

/// The reason why a goal of an order has no legal pose for a class. `None` if all goals have one, if the order falls
/// back to another goal, or if no checks are left: each pose takes one.
fn unusable_goal(world: &World, class: ClassId, kind: &OrderKind, checks_left: &mut u64) -> Option<String> {
    let trip = kind.trip().filter(|trip| trip.fallback == Fallback::Fail)?;
    let tables = &world.tables()[class.0 as usize];
    let (space, size) = (tables.space(), world.grid().size());
    let cells_of = |goal: GoalMember| Rect::of_cell(goal.cell).grown(trip.within, size);
    goals_of(kind, trip).into_iter().find_map(|members| {
        let area = match kind {
            OrderKind::GotoArea(area, _) => Some((area.intersection(size.rect()), None)),
            _ => None,
        };
        let of_members = members.iter().map(|&member| (cells_of(member), Some(member)));
        let mut blocked = None;
        for (cells, member) in area.into_iter().chain(of_members) {
            for cell in cells.cells() {
                let headings = (0..space.headings()).map(Heading);
                for pose in headings.map(|heading| Pose { cell, heading }) {
                    *checks_left = checks_left.checked_sub(1)?;
                    let is_goal = member.is_none_or(|member| {
                        Goal { members: &[member], within: trip.within }.matches(space.shape(), pose)
                    });
                    if is_goal && space.state(pose).is_some_and(|state| tables.is_legal(state)) {
                        return None;
                    }
                    blocked = blocked.or(is_goal.then_some(pose));
                }
            }
        }
        let goal = blocked?;
        let legality = Legality::new(world.grid(), tables.class());
        let blocked = legality.check_pose(goal).err()?;
        Some(Reason::GoalBlocked { goal, blocked }.describe(&legality, world.grid()))
    })
}
