//! Builds events.

use super::agents::{AgentNames, read_group};
use super::areas::{area_rect, cells_text};
use super::orders::{GroupNumbers, add_orders_for_all, add_orders_read_by};
use super::tasks::TaskReader;
use crate::scenario::{self, EventAction, Located, Scenario};
use crate::scenario::{Diagnostics, listed};
use wheelbase_grid::{CellXY, Change, Side, SideKind, TerrainKind};
use wheelbase_sim::{
    Action, AgentId, AgentSelection, ClassId, Event, MapEdit, NewAgents, NewOrders, OnAgents, OrderList,
    World,
};

/// The events in order of tick, then of the file. All named agents must have been placed.
pub(super) fn build_events(
    world: &mut World,
    typed: &Scenario,
    names: &AgentNames<'_>,
    tasks: &mut TaskReader<'_>,
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Vec<Event> {
    let mut events = Vec::new();
    for event in &typed.events {
        let action = build_action(world, event, names, tasks, groups, errors);
        events.extend(action.map(|action| Event { tick: event.tick, action }));
    }
    // Stable: events of one tick apply in the order of the file.
    events.sort_by_key(|event| event.tick);
    events
}

fn build_action(
    world: &mut World,
    event: &scenario::Event,
    names: &AgentNames<'_>,
    tasks: &mut TaskReader<'_>,
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Option<Action> {
    let edit = |change, on_agents: &OnAgents| Action::Edit(MapEdit { change, on_agents: *on_agents });
    Some(match &event.action {
        EventAction::SetTerrain { area, kind, on_agents } => {
            let kind = terrain_kind(world, kind, &format!("{}.set_terrain.kind", event.key), errors)?;
            edit(Change::Terrain { area: area_rect(area), kind }, on_agents)
        }
        EventAction::SetElevation { area, height, on_agents } => {
            edit(Change::Elevation { area: area_rect(area), height: *height }, on_agents)
        }
        EventAction::SetSide { cell, side, kind, on_agents } => {
            let kind = side_kind(world, kind, &format!("{}.set_side.kind", event.key), errors);
            let cell = cell_on_map(world, cell, &format!("{}.set_side.cell", event.key), errors);
            let side = Side::from_name(&side.value)?;
            edit(Change::Side { cell: cell?, side, kind: kind? }, on_agents)
        }
        EventAction::Rotate { cell, turns, on_agents } => {
            let cell = cell_on_map(world, cell, &format!("{}.rotate.cell", event.key), errors)?;
            edit(Change::Rotate { cell, turns: *turns }, on_agents)
        }
        EventAction::AddAgents(group) => {
            let (class, orders) = read_group(world, group, tasks, groups, errors)?;
            let (count, area, priority) = (group.count, area_rect(&group.area), group.priority);
            Action::AddAgents(NewAgents { class, count, area, priority, orders })
        }
        EventAction::RemoveAgents(selection) => Action::RemoveAgents(selected_agents(
            selection,
            names,
            &format!("{}.remove_agents", event.key),
            errors,
        )?),
        EventAction::GiveOrders { selection, orders } => {
            let agents = selected_agents(selection, names, &format!("{}.give_orders", event.key), errors)?;
            let by_class = given_orders(world, &agents, orders, groups, errors);
            Action::GiveOrders(NewOrders { agents, by_class })
        }
    })
}

/// The orders of an event as a list for each class; of named agents, for their classes only. No orders become a wait of
/// 0 ticks: a trace has a line for each order, but none for their absence.
fn given_orders(
    world: &mut World,
    chosen: &AgentSelection,
    typed: &[scenario::Order],
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Vec<OrderList> {
    let stop =
        [scenario::Order { kind: scenario::OrderKind::Wait { ticks: 0 }, line: 0, key: String::new() }];
    let typed = if typed.is_empty() { &stop } else { typed };
    let AgentSelection::Named(ids) = chosen else { return add_orders_for_all(world, typed, groups, errors) };
    let mut lists = vec![OrderList::default(); world.classes().len()];
    let rows = ids.iter().filter_map(|&id| world.agents().row(id));
    let mut classes: Vec<_> = rows.map(|row| world.agents().motion[row].class).collect();
    classes.sort_unstable();
    classes.dedup();
    let headings = |class: &ClassId| world.tables()[class.0 as usize].space().headings();
    let headings: Vec<u8> = classes.iter().map(headings).collect();
    for (class, list) in classes.iter().zip(add_orders_read_by(world, &headings, typed, groups, errors)) {
        lists[class.0 as usize] = list;
    }
    lists
}

fn terrain_kind(
    world: &World,
    name: &Located<String>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<TerrainKind> {
    let table = world.grid().terrain_table();
    let kind = table.kind_of_name(&name.value);
    if kind.is_none() {
        let known = listed(table.entries().iter().map(|e| e.name.as_str()));
        errors.add(name.line, key, format!("no terrain \"{}\", expected {known}", name.value));
    }
    kind
}

fn side_kind(
    world: &World,
    name: &Located<String>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<SideKind> {
    let table = world.grid().side_table();
    let kind = table.kind_of_name(&name.value);
    if kind.is_none() {
        let known = listed(table.entries().iter().map(|e| e.name.as_str()));
        errors.add(name.line, key, format!("no side kind \"{}\", expected {known}", name.value));
    }
    kind
}

fn cell_on_map(
    world: &World,
    typed: &Located<[i32; 2]>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<CellXY> {
    let [x, y] = typed.value;
    let (cell, size) = (CellXY::new(x, y), world.grid().size());
    if size.contains(cell) {
        return Some(cell);
    }
    errors.add(
        typed.line,
        key,
        format!("cell {cell} is off the map of {size}; expected {}", cells_text(size)),
    );
    None
}

fn selected_agents(
    selection: &scenario::AgentSelection,
    names: &AgentNames<'_>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<AgentSelection> {
    let typed = match selection {
        scenario::AgentSelection::Area(area) => return Some(AgentSelection::Area(area_rect(area))),
        scenario::AgentSelection::Names(typed) => typed,
    };
    let mut ids: Vec<AgentId> = Vec::new();
    for (at, name) in typed.iter().enumerate() {
        match names.get(name.value.as_str()) {
            Some(&id) => ids.push(id),
            None => {
                let known = listed(names.keys().copied());
                let message = format!("no agent \"{}\", expected {known}", name.value);
                errors.add(name.line, &format!("{key}.names[{at}]"), message);
            }
        }
    }
    (ids.len() == typed.len()).then_some(AgentSelection::Named(ids))
}
