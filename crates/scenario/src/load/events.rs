//! Builds the commands of events.

use super::agents::{ReadGroup, read_group};
use super::areas::{area_rect, cells_text};
use super::orders::{AgentNames, agent_named, check_followers, orders_for_headings};
use super::tasks::TaskReader;
use super::teams::Teams;
use crate::scenario::{self, EventAction, Located, Scenario};
use crate::scenario::{Diagnostics, Message};
use wheelbase_grid::{CellXY, Change, Side, SideKind, TerrainKind};
use wheelbase_sim::{
    AgentId, AgentSelection, Command, IfNoRoom, MapEdit, OnAgents, Order, Setup, SpawnGroup,
};

/// The commands of the events, in order of tick, then of the file. `names` has the named agents that were placed, `all`
/// every named agent with the id that it has if all are placed.
pub(super) fn build_events(
    setup: &Setup,
    typed: &Scenario,
    (all, teams): (&AgentNames<'_>, &Teams<'_>),
    names: &AgentNames<'_>,
    tasks: &mut TaskReader<'_>,
    errors: &mut Diagnostics<'_>,
) -> Vec<(u32, Command)> {
    let mut commands = Vec::new();
    for event in &typed.events {
        let command = build_command(setup, event, (all, teams), names, tasks, errors);
        commands.extend(command.map(|command| (event.tick, command)));
    }
    // Stable: events of one tick apply in the order of the file.
    commands.sort_by_key(|&(tick, _)| tick);
    commands
}

fn build_command(
    setup: &Setup,
    event: &scenario::Event,
    (all, teams): (&AgentNames<'_>, &Teams<'_>),
    names: &AgentNames<'_>,
    tasks: &mut TaskReader<'_>,
    errors: &mut Diagnostics<'_>,
) -> Option<Command> {
    let edit = |change, on_agents: &OnAgents| {
        Command::Edit(MapEdit { on_agents: *on_agents, ..MapEdit::new(change) })
    };
    Some(match &event.action {
        EventAction::SetTerrain { area, kind, on_agents } => {
            let kind = terrain_kind(setup, kind, &format!("{}.set_terrain.kind", event.key), errors)?;
            edit(Change::Terrain { area: area_rect(area), kind }, on_agents)
        }
        EventAction::SetElevation { area, height, on_agents } => {
            edit(Change::Elevation { area: area_rect(area), height: *height }, on_agents)
        }
        EventAction::SetSide { cell, side, kind, on_agents } => {
            let kind = side_kind(setup, kind, &format!("{}.set_side.kind", event.key), errors);
            let cell = cell_on_map(setup, cell, &format!("{}.set_side.cell", event.key), errors);
            let side = Side::from_name(&side.value)?;
            edit(Change::Side { cell: cell?, side, kind: kind? }, on_agents)
        }
        EventAction::Rotate { cell, turns, on_agents } => {
            let cell = cell_on_map(setup, cell, &format!("{}.rotate.cell", event.key), errors)?;
            edit(Change::Rotate { cell, turns: *turns }, on_agents)
        }
        EventAction::AddAgents(group) => {
            let ReadGroup { class, team, orders } = read_group(setup, group, (all, teams), tasks, errors)?;
            Command::SpawnGroup(SpawnGroup {
                class,
                count: group.count,
                area: area_rect(&group.area),
                priority: group.priority,
                team,
                orders,
                speed_factor: group.speed_factor,
                anywhere: group.anywhere,
                if_no_room: if group.waits_for_room { IfNoRoom::Wait { placed: 0 } } else { IfNoRoom::Drop },
            })
        }
        EventAction::RemoveAgents(selection) => Command::Remove(selected_agents(
            selection,
            names,
            &format!("{}.remove_agents", event.key),
            errors,
        )?),
        EventAction::GiveOrders { selection, orders } => {
            let agents = selected_agents(selection, names, &format!("{}.give_orders", event.key), errors)?;
            if let scenario::AgentSelection::Names(names) = selection {
                check_followers(orders, names.iter().map(|name| name.value.as_str()), errors);
            }
            let orders = given_orders(setup, all, &agents, orders, errors).into();
            Command::Order { agents, orders, append: false }
        }
    })
}

/// The orders of an event: of named agents, for their classes. No orders become a wait of 0 ticks: a trace has a line
/// for each order, but none for their absence.
fn given_orders(
    setup: &Setup,
    all: &AgentNames<'_>,
    chosen: &AgentSelection,
    typed: &[scenario::Order],
    errors: &mut Diagnostics<'_>,
) -> Vec<Order> {
    let none =
        [scenario::Order { kind: scenario::OrderKind::Wait { ticks: 0 }, line: 0, key: String::new() }];
    let typed = if typed.is_empty() { &none } else { typed };
    let headings_of = |class: usize| setup.tables[class].space().headings();
    let mut headings: Vec<u8> = match chosen {
        AgentSelection::Named(ids) => {
            let agents = ids.iter().filter_map(|id| setup.agents.get(id.0 as usize));
            agents.map(|agent| headings_of(usize::from(agent.class.0))).collect()
        }
        _ => (0..setup.tables.len()).map(headings_of).collect(),
    };
    headings.sort_unstable();
    headings.dedup();
    orders_for_headings(setup, all, &headings, typed, errors)
}

fn terrain_kind(
    setup: &Setup,
    name: &Located<String>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<TerrainKind> {
    let table = setup.grid.terrain_table();
    let kind = table.kind_of_name(&name.value);
    if kind.is_none() {
        let known = table.entries().iter().map(|e| e.name.as_str());
        errors.add(name.line, key, Message::unknown_name("no terrain", &name.value, known));
    }
    kind
}

fn side_kind(
    setup: &Setup,
    name: &Located<String>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<SideKind> {
    let table = setup.grid.side_table();
    let kind = table.kind_of_name(&name.value);
    if kind.is_none() {
        let known = table.entries().iter().map(|e| e.name.as_str());
        errors.add(name.line, key, Message::unknown_name("no side kind", &name.value, known));
    }
    kind
}

fn cell_on_map(
    setup: &Setup,
    typed: &Located<[i32; 2]>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<CellXY> {
    let [x, y] = typed.value;
    let (cell, size) = (CellXY::new(x, y), setup.grid.size());
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
        ids.extend(agent_named(name, names, &format!("{key}.names[{at}]"), errors));
    }
    (ids.len() == typed.len()).then_some(AgentSelection::Named(ids))
}
