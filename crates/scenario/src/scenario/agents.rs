//! Reads agents, groups of agents and their orders.

use super::message::Message;
use super::reader::{Keys, ListOf, Names, Node, Reader, Table};
use super::typed::{
    AGENTS_MAX, Agent, Fallback, GOALS_MAX, GoalOptions, Group, IfUnreachable, Located, ORDERS_MAX, Order,
    OrderKind, TaskSource, Tasks, TypedPose,
};
use super::values::{I32_RANGE, TEAM_NAME, TICK_RANGE, area, located_name, required_area};
use wheelbase_sim::USUAL_SPEED_PERMILLE;

const AGENT_KEYS: Keys =
    Keys { known: &["name", "class", "at", "priority", "team", "speed_factor", "orders"], later: &[] };
const GROUP_KEYS: Keys = Keys {
    known: &[
        "class",
        "count",
        "area",
        "anywhere",
        "if_no_room",
        "priority",
        "team",
        "speed_factor",
        "orders",
        "tasks",
    ],
    later: &[],
};
const ORDER_KEYS: Keys = Keys {
    known: &[
        "goto",
        "goto_area",
        "goto_group",
        "goto_formation",
        "wait",
        "wait_in_place",
        "patrol",
        "repeat",
        "stop",
        "hold",
        "follow",
        "orders",
        "dwell",
        "within",
        "fallback",
        "if_unreachable",
    ],
    later: &[],
};
const TASKS_KEYS: Keys = Keys { known: &["kind", "area", "file"], later: &[] };
const TASK_SOURCES: [&str; 2] = ["kind", "file"];

pub(super) const AGENTS: ListOf = ListOf { one: "agent", many: "agents", len: 0..=AGENTS_MAX as usize };
pub(super) const GROUPS: ListOf = ListOf { one: "group", many: "groups", len: 0..=AGENTS_MAX as usize };
const ORDERS: ListOf = ListOf { one: "order", many: "orders", len: 0..=ORDERS_MAX };
const POSES: ListOf = ListOf { one: "pose", many: "poses", len: 1..=GOALS_MAX };

const START_FORM: &str = "[x, y, heading]";
const GOAL_FORM: &str = "[x, y] or [x, y, heading]";
const ORDERS_FORM: &str = "a list of orders";
const GOAL_AREA_FORM: &str = "[x, y, width, height]";
const GOALS_FORM: &str = "[x, y], [x, y, heading] or a list of these";
const TASK_FILE: &str = "the path of a table of tasks";
const CLASS_NAME: &str = "the name of a class";
const ROUNDS_FORM: &str = "a number of rounds or \"forever\"";
const ROUNDS_RANGE: std::ops::RangeInclusive<i64> = 1..=ORDERS_MAX as i64;
const LEADER_NAME: &str = "the name of an agent";
/// The orders that take `within`, and the orders that take `fallback` and `if_unreachable`.
const WITHIN_ORDERS: &str = "goto, patrol or follow";
const GOAL_ORDERS: &str = "goto, goto_area, goto_group, goto_formation or patrol";
const FALLBACK_KEYS: [&str; 2] = ["fallback", "if_unreachable"];

/// Reads an `[[agents]]` table. `names` contains the agents before, and gets its name.
pub(super) fn agent(reader: &mut Reader, node: &Node, names: &mut Names) -> Option<Agent> {
    let table = reader.table(node, &AGENT_KEYS)?;
    let name = reader.optional(&table, "name", None, |reader, node| {
        let name = reader.filled_string(node, "the name of the agent")?;
        let value = reader.unique_name(node, name, names)?;
        Some(Some(Located { value, line: reader.line(node) }))
    });
    let class = class_name(reader, &table);
    let at = reader.required(&table, "at", START_FORM, |reader, node| pose(reader, node, START_FORM));
    let priority = priority(reader, &table);
    let team = team(reader, &table);
    let speed_factor = speed_factor(reader, &table);
    let orders = orders(reader, &table);
    Some(Agent {
        name: name?,
        class: class?,
        at: at?,
        priority: priority?,
        team: team?,
        speed_factor: speed_factor?,
        orders: orders?,
        line: reader.line(node),
        key: node.key(),
    })
}

/// Reads a `[[groups]]` table, or the table of an event with the same keys. Adds its count to `n_agents`, the number of
/// agents before it.
pub(super) fn group(reader: &mut Reader, node: &Node, n_agents: &mut u64) -> Option<Group> {
    let table = reader.table(node, &GROUP_KEYS)?;
    let class = class_name(reader, &table);
    let count = reader.required_whole(&table, "count", 1..=i64::from(AGENTS_MAX));
    let before = *n_agents;
    *n_agents += u64::from(count.unwrap_or(0));
    let limit = u64::from(AGENTS_MAX);
    // Reported once, where the sum passes the limit.
    if before <= limit && *n_agents > limit {
        let message = format!("expected at most {limit} agents in total, found {n_agents} up to here");
        reader.report(&table.child("count").unwrap_or(*node), message);
    }
    let area = required_area(reader, &table);
    let anywhere = reader.optional(&table, "anywhere", false, Reader::boolean);
    let waits_for_room = reader.optional(&table, "if_no_room", false, |reader, node| {
        reader.choice(node, &[("drop", false), ("wait", true)])
    });
    let priority = priority(reader, &table);
    let team = team(reader, &table);
    let speed_factor = speed_factor(reader, &table);
    let orders = orders(reader, &table);
    let tasks = tasks(reader, &table);
    Some(Group {
        class: class?,
        count: count?,
        area: area?,
        anywhere: anywhere?,
        priority: priority?,
        team: team?,
        speed_factor: speed_factor?,
        orders: orders?,
        tasks: tasks?,
        waits_for_room: waits_for_room?,
        line: reader.line(node),
        key: node.key(),
    })
}

/// Reads the optional `tasks` of a table.
fn tasks(reader: &mut Reader, table: &Table) -> Option<Option<Tasks>> {
    reader.optional(table, "tasks", None, |reader, node| {
        let table = reader.table(node, &TASKS_KEYS)?;
        let source = match reader.exactly_one(&table, &TASK_SOURCES)? {
            "file" => {
                if let Some(area) = table.child("area") {
                    reader.report(&area, Message::unexpected("only with kind", "with file").of_key());
                }
                let file = reader.required(&table, "file", TASK_FILE, |reader, node| {
                    located_name(reader, node, TASK_FILE)
                });
                TaskSource::File(file?)
            }
            _ => {
                let kind = reader.required(&table, "kind", "\"random\"", |reader, node| {
                    reader.choice(node, &[("random", ())])
                });
                let area = required_area(reader, &table);
                kind?;
                TaskSource::Random { area: area? }
            }
        };
        Some(Some(Tasks { source, line: reader.line(node), key: node.key() }))
    })
}

fn class_name(reader: &mut Reader, table: &Table) -> Option<Located<String>> {
    reader.required(table, "class", CLASS_NAME, |reader, node| located_name(reader, node, CLASS_NAME))
}

fn priority(reader: &mut Reader, table: &Table) -> Option<i32> {
    reader.optional_whole(table, "priority", 0, I32_RANGE)
}

fn team(reader: &mut Reader, table: &Table) -> Option<Option<Located<String>>> {
    reader.optional(table, "team", None, |reader, node| located_name(reader, node, TEAM_NAME).map(Some))
}

fn speed_factor(reader: &mut Reader, table: &Table) -> Option<u16> {
    reader.optional_whole(table, "speed_factor", USUAL_SPEED_PERMILLE, 1..=i64::from(u16::MAX))
}

fn orders(reader: &mut Reader, table: &Table) -> Option<Vec<Order>> {
    reader.optional(table, "orders", Vec::new(), list_of_orders)
}

/// The required `orders` of a table.
pub(super) fn required_orders(reader: &mut Reader, table: &Table) -> Option<Vec<Order>> {
    reader.required(table, "orders", ORDERS_FORM, list_of_orders)
}

/// Reads a list of orders, in which the orders of `repeat = N` stand N times.
fn list_of_orders(reader: &mut Reader, node: &Node) -> Option<Vec<Order>> {
    let orders = reader.list(node, &ORDERS, order)?.into_iter().flatten().collect::<Vec<_>>();
    if orders.len() > ORDERS_MAX {
        let expected = format!("at most {ORDERS_MAX} orders with all rounds of `repeat`");
        reader.report(node, Message::unexpected(expected, orders.len().to_string()));
        return None;
    }
    let goals_of = |order: &Order| match &order.kind {
        OrderKind::Goto { goals, .. } => goals.len(),
        OrderKind::Patrol { stops, .. } => stops.len(),
        OrderKind::GotoGroup { .. } => 1,
        _ => 0,
    };
    let n_goals: usize = orders.iter().map(goals_of).sum();
    if n_goals > GOALS_MAX {
        let expected = format!("at most {GOALS_MAX} goals in all orders of a list");
        reader.report(node, Message::unexpected(expected, n_goals.to_string()));
        return None;
    }
    Some(orders)
}

/// Reads an order, or the orders of a `repeat`.
fn order(reader: &mut Reader, node: &Node) -> Option<Vec<Order>> {
    let table = reader.table(node, &ORDER_KEYS)?;
    let key = reader.exactly_one(&table, &OrderKind::KEYS)?;
    if key != "repeat" {
        refuse(reader, &table, &["orders"], "repeat", key);
    }
    if key != "patrol" {
        refuse(reader, &table, &["dwell"], "patrol", key);
    }
    let kind = match key {
        "repeat" => return repeat(reader, node, &table),
        "goto" => {
            let goals = reader.required(&table, "goto", GOALS_FORM, poses);
            let options = goal_options(reader, &table);
            OrderKind::Goto { goals: goals?, options: options? }
        }
        "goto_area" => {
            refuse(reader, &table, &["within"], WITHIN_ORDERS, "goto_area");
            let area = reader.required(&table, "goto_area", GOAL_AREA_FORM, area);
            let options = goal_options(reader, &table);
            OrderKind::GotoArea { area: area?, options: options? }
        }
        "goto_group" | "goto_formation" => {
            refuse(reader, &table, &["within"], WITHIN_ORDERS, key);
            let goal = reader.required(&table, key, GOAL_FORM, |reader, node| pose(reader, node, GOAL_FORM));
            let options = goal_options(reader, &table);
            OrderKind::GotoGroup { goal: goal?, options: options?, formation: key == "goto_formation" }
        }
        "patrol" => {
            let stops = reader.required(&table, "patrol", GOALS_FORM, poses);
            let options = goal_options(reader, &table);
            let dwell = reader.optional_whole(&table, "dwell", 0, TICK_RANGE);
            OrderKind::Patrol { stops: stops?, options: options?, dwell: dwell? }
        }
        "follow" => {
            refuse(reader, &table, &FALLBACK_KEYS, GOAL_ORDERS, "follow");
            let leader = reader.required(&table, "follow", LEADER_NAME, |reader, node| {
                located_name(reader, node, LEADER_NAME)
            });
            let within = reader.required_whole(&table, "within", 1..=i64::from(u16::MAX));
            OrderKind::Follow { leader: leader?, within: within? }
        }
        kind => {
            refuse(reader, &table, &["within"], WITHIN_ORDERS, kind);
            refuse(reader, &table, &FALLBACK_KEYS, GOAL_ORDERS, kind);
            match kind {
                "wait" => OrderKind::Wait { ticks: reader.required_whole(&table, kind, TICK_RANGE)? },
                "wait_in_place" => {
                    OrderKind::WaitInPlace { ticks: reader.required_whole(&table, kind, TICK_RANGE)? }
                }
                "stop" => reader.required(&table, kind, "true", only_true).map(|()| OrderKind::Stop)?,
                _ => reader.required(&table, kind, "true", only_true).map(|()| OrderKind::Hold)?,
            }
        }
    };
    Some(vec![Order { kind, line: reader.line(node), key: node.key() }])
}

/// Reads the orders of a `repeat`: as often as it says, or once with [`OrderKind::Repeat`] behind them.
fn repeat(reader: &mut Reader, node: &Node, table: &Table) -> Option<Vec<Order>> {
    refuse(reader, table, &["within"], WITHIN_ORDERS, "repeat");
    refuse(reader, table, &FALLBACK_KEYS, GOAL_ORDERS, "repeat");
    let rounds = reader.required(table, "repeat", ROUNDS_FORM, |reader, node| {
        if node.is_text("forever") { Some(None) } else { reader.whole(node, ROUNDS_RANGE).map(Some) }
    });
    let orders = required_orders(reader, table);
    let (rounds, mut orders): (Option<u32>, _) = (rounds?, orders?);
    if orders.is_empty() {
        reader.report(&table.child("orders")?, Message::unexpected("at least 1 order", "none"));
        return None;
    }
    if let Some(rounds) = rounds {
        // The caller reports a list that is too long.
        let n_rounds = (rounds as usize).min(ORDERS_MAX / orders.len() + 1);
        let n_orders = n_rounds * orders.len();
        return Some(orders.into_iter().cycle().take(n_orders).collect());
    }
    let is_wrong = |order: &&Order| {
        use OrderKind::{Goto, GotoArea, Wait, WaitInPlace};
        !matches!(order.kind, Goto { .. } | GotoArea { .. } | Wait { .. } | WaitInPlace { .. })
    };
    if let Some(wrong) = orders.iter().find(is_wrong) {
        let message = Message::unexpected("goto, goto_area, wait or wait_in_place", wrong.kind.key());
        reader.report(&table.child("orders")?, message);
        return None;
    }
    let kind = OrderKind::Repeat { orders: orders.len() as u32 };
    orders.push(Order { kind, line: reader.line(node), key: node.key() });
    Some(orders)
}

/// Reads the value of an order that has no other.
fn only_true(reader: &mut Reader, node: &Node) -> Option<()> {
    if !node.is_true() {
        reader.unexpected(node, "true");
        return None;
    }
    Some(())
}

/// Reports the keys among `names` that the table has: they go with the order `expected`, not with `found`.
fn refuse(reader: &mut Reader, table: &Table, names: &[&'static str], expected: &str, found: &str) {
    for node in names.iter().filter_map(|name| table.child(name)) {
        let message = Message::unexpected(format!("only with {expected}"), format!("with {found}"));
        reader.report(&node, message.of_key());
    }
}

fn goal_options(reader: &mut Reader, table: &Table) -> Option<GoalOptions> {
    let within = reader.optional_whole(table, "within", 0, 0..=i64::from(u16::MAX));
    let fallback = reader.optional(table, "fallback", Fallback::default(), |reader, node| {
        reader.choice(node, &[("fail", Fallback::Fail), ("nearest", Fallback::Nearest)])
    });
    let if_unreachable =
        reader.optional(table, "if_unreachable", IfUnreachable::default(), |reader, node| {
            reader.choice(node, &[("drop", IfUnreachable::Drop), ("wait", IfUnreachable::Wait)])
        });
    Some(GoalOptions { within: within?, fallback: fallback?, if_unreachable: if_unreachable? })
}

/// Reads one pose or a list of poses.
fn poses(reader: &mut Reader, node: &Node) -> Option<Vec<TypedPose>> {
    if node.first_item().is_some_and(|first| first.is_list()) {
        reader.list(node, &POSES, |reader, node| pose(reader, node, GOAL_FORM))
    } else {
        pose(reader, node, GOALS_FORM).map(|pose| vec![pose])
    }
}

fn pose(reader: &mut Reader, node: &Node, expected: &str) -> Option<TypedPose> {
    let items: Vec<Node> = node.items().map_or_else(Vec::new, Iterator::collect);
    let (x, y, heading) = match &items[..] {
        [x, y] => (x, y, None),
        [x, y, heading] => (x, y, Some(heading)),
        _ => {
            reader.unexpected(node, expected);
            return None;
        }
    };
    let [x, y] = [x, y].map(|node| reader.whole(node, I32_RANGE));
    let heading = match heading {
        Some(node) => reader.filled_string(node, "a heading such as \"E\"").map(Some),
        None => Some(None),
    };
    Some(TypedPose { x: x?, y: y?, heading: heading?, line: reader.line(node) })
}
