//! Reads events.

use super::agents::{group, required_orders};
use super::message::{Message, alternatives};
use super::reader::{Keys, ListOf, Node, Reader, Table};
use super::typed::{
    AGENTS_MAX, AgentSelection, AtDeadline, EVENTS_MAX, Event, EventAction, Located, OnAgents,
};
use super::values::{I32_RANGE, TICK_RANGE, area, located_name, required_area};
use wheelbase_grid::{GridShape, Side};

const EVENT_KEYS: Keys = Keys {
    known: &[
        "tick",
        "set_terrain",
        "set_elevation",
        "set_side",
        "rotate",
        "add_agents",
        "remove_agents",
        "give_orders",
    ],
    later: &[],
};
const ACTIONS: [&str; 7] =
    ["set_terrain", "set_elevation", "set_side", "rotate", "add_agents", "remove_agents", "give_orders"];
const SET_TERRAIN_KEYS: Keys =
    Keys { known: &["area", "kind", "on_agents", "deadline", "at_deadline"], later: &[] };
const SET_ELEVATION_KEYS: Keys =
    Keys { known: &["area", "height", "on_agents", "deadline", "at_deadline"], later: &[] };
const SET_SIDE_KEYS: Keys =
    Keys { known: &["cell", "side", "kind", "on_agents", "deadline", "at_deadline"], later: &[] };
const ROTATE_KEYS: Keys =
    Keys { known: &["cell", "turns", "on_agents", "deadline", "at_deadline"], later: &[] };
const REMOVE_AGENTS_KEYS: Keys = Keys { known: &SELECTION_KEYS, later: &[] };
const GIVE_ORDERS_KEYS: Keys = Keys { known: &["names", "area", "orders"], later: &[] };
const SELECTION_KEYS: [&str; 2] = ["names", "area"];

pub(super) const EVENTS: ListOf = ListOf { one: "event", many: "events", len: 0..=EVENTS_MAX };
const NAMES: ListOf = ListOf { one: "name", many: "names", len: 1..=AGENTS_MAX as usize };

/// Reads an `[[events]]` table and adds the agents that it spawns to `n_agents`. `shape` is the shape of the map, if it
/// is known.
pub(super) fn event(
    reader: &mut Reader,
    node: &Node,
    n_agents: &mut u64,
    shape: Option<GridShape>,
) -> Option<Event> {
    let table = reader.table(node, &EVENT_KEYS)?;
    let tick = reader.required_whole(&table, "tick", TICK_RANGE);
    let action = reader.exactly_one(&table, &ACTIONS).and_then(|name| {
        reader.required(&table, name, "a table", |reader, node| match name {
            "set_terrain" => set_terrain(reader, node),
            "set_elevation" => set_elevation(reader, node),
            "set_side" => set_side(reader, node, shape),
            "rotate" => rotate(reader, node),
            "add_agents" => group(reader, node, n_agents).map(EventAction::AddAgents),
            "remove_agents" => remove_agents(reader, node),
            _ => give_orders(reader, node),
        })
    });
    Some(Event { tick: tick?, action: action?, line: reader.line(node), key: node.key() })
}

fn set_terrain(reader: &mut Reader, node: &Node) -> Option<EventAction> {
    let table = reader.table(node, &SET_TERRAIN_KEYS)?;
    let area = required_area(reader, &table);
    let kind = kind(reader, &table, "the name of a terrain kind");
    let on_agents = on_agents(reader, &table);
    Some(EventAction::SetTerrain { area: area?, kind: kind?, on_agents: on_agents? })
}

fn set_elevation(reader: &mut Reader, node: &Node) -> Option<EventAction> {
    let table = reader.table(node, &SET_ELEVATION_KEYS)?;
    let area = required_area(reader, &table);
    let height = reader.required_whole(&table, "height", i64::from(i16::MIN)..=i64::from(i16::MAX));
    let on_agents = on_agents(reader, &table);
    Some(EventAction::SetElevation { area: area?, height: height?, on_agents: on_agents? })
}

fn set_side(reader: &mut Reader, node: &Node, shape: Option<GridShape>) -> Option<EventAction> {
    let table = reader.table(node, &SET_SIDE_KEYS)?;
    let cell = cell(reader, &table);
    // Of an unknown shape, accept any side.
    let sides = shape.map_or(&Side::ALL[..], GridShape::sides);
    let names: Vec<(&str, &str)> = sides.iter().map(|side| (side.name(), side.name())).collect();
    let expected = alternatives(&names.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>());
    let side = reader.required(&table, "side", &expected, |reader, node| {
        let value = reader.choice(node, &names)?;
        Some(Located { value: value.to_owned(), line: reader.line(node) })
    });
    let kind = kind(reader, &table, "the name of a side kind");
    let on_agents = on_agents(reader, &table);
    Some(EventAction::SetSide { cell: cell?, side: side?, kind: kind?, on_agents: on_agents? })
}

fn rotate(reader: &mut Reader, node: &Node) -> Option<EventAction> {
    let table = reader.table(node, &ROTATE_KEYS)?;
    let cell = cell(reader, &table);
    let turns = reader.required(&table, "turns", "a whole number other than 0", |reader, node| {
        let turns = reader.whole(node, I32_RANGE)?;
        if turns == 0 {
            reader.unexpected(node, "a whole number other than 0");
            return None;
        }
        Some(turns)
    });
    let on_agents = on_agents(reader, &table);
    Some(EventAction::Rotate { cell: cell?, turns: turns?, on_agents: on_agents? })
}

fn remove_agents(reader: &mut Reader, node: &Node) -> Option<EventAction> {
    let table = reader.table(node, &REMOVE_AGENTS_KEYS)?;
    selection(reader, &table).map(EventAction::RemoveAgents)
}

fn give_orders(reader: &mut Reader, node: &Node) -> Option<EventAction> {
    let table = reader.table(node, &GIVE_ORDERS_KEYS)?;
    let selection = selection(reader, &table);
    let orders = required_orders(reader, &table);
    Some(EventAction::GiveOrders { selection: selection?, orders: orders? })
}

/// Reads `names` or `area`: the agents to which an event applies.
fn selection(reader: &mut Reader, table: &Table) -> Option<AgentSelection> {
    let name = reader.exactly_one(table, &SELECTION_KEYS)?;
    reader.required(table, name, "a choice of agents", |reader, node| match name {
        "names" => {
            let expected = "the name of an agent";
            reader
                .list(node, &NAMES, |reader, node| located_name(reader, node, expected))
                .map(AgentSelection::Names)
        }
        _ => area(reader, node).map(AgentSelection::Area),
    })
}

fn cell(reader: &mut Reader, table: &Table) -> Option<Located<[i32; 2]>> {
    let form = "[x, y]";
    reader.required(table, "cell", form, |reader, node| {
        let value = reader.whole_array(node, form, I32_RANGE)?;
        Some(Located { value, line: reader.line(node) })
    })
}

fn kind(reader: &mut Reader, table: &Table, expected: &str) -> Option<Located<String>> {
    reader.required(table, "kind", expected, |reader, node| located_name(reader, node, expected))
}

/// Reads what becomes of the agents that an edit disturbs: `on_agents`, `deadline` and `at_deadline`.
fn on_agents(reader: &mut Reader, table: &Table) -> Option<OnAgents> {
    let choices = [("wait", OnAgents::Wait), ("strand", OnAgents::Strand), ("remove", OnAgents::Remove)];
    let on_agents = reader
        .optional(table, "on_agents", OnAgents::default(), |reader, node| reader.choice(node, &choices));
    let deadline =
        reader.optional(table, "deadline", None, |reader, node| reader.whole(node, TICK_RANGE).map(Some));
    let then = reader.optional(table, "at_deadline", AtDeadline::default(), |reader, node| {
        reader.choice(node, &[("strand", AtDeadline::Strand), ("remove", AtDeadline::Remove)])
    });
    let (on_agents, deadline, then) = (on_agents?, deadline?, then?);
    let (keys, expected): (&[&str], &str) = match (on_agents, deadline) {
        (OnAgents::Wait, Some(deadline)) => return Some(OnAgents::WaitUntil { deadline, then }),
        (OnAgents::Wait, None) => (&["at_deadline"], "deadline"),
        _ => (&["deadline", "at_deadline"], "on_agents = \"wait\""),
    };
    for node in keys.iter().filter_map(|key| table.child(key)) {
        reader.report(&node, Message::from(format!("expected only with {expected}")).of_key());
    }
    Some(on_agents)
}
