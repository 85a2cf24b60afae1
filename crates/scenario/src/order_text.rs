//! The canonical text of an order, for traces and recordings (docs/format.md): its keys in a fixed order, defaults left
//! out.

use serde_json::{Map, Value, json};
use wheelbase_grid::Rect;
use wheelbase_planner::model::heading_name;
use wheelbase_planner::search::Fallback;
use wheelbase_sim::{IfUnreachable, Order, OrderKind, TaskSource, Trip};

/// An order as JSON, whose `to_string` is the canonical text.
pub fn order_json(order: &Order) -> Value {
    let value = match &order.kind {
        OrderKind::Wait(number) | OrderKind::WaitInPlace(number) | OrderKind::Repeat(number) => json!(number),
        OrderKind::GotoArea(area, _) => area_json(*area),
        OrderKind::Goto(trip) | OrderKind::GotoGroup(_, trip) => single_or_list(goals_json(order, trip)),
        OrderKind::Patrol(trip) => goals_json(order, trip).into(),
        OrderKind::Tasks(source, _) => {
            return match &**source {
                TaskSource::Random { area } => json!({ "task": "random", "area": area_json(*area) }),
                TaskSource::RoundRobin { .. } => json!({ "task": "roundrobin" }),
                TaskSource::List { .. } => json!({ "task": "list" }),
            };
        }
        OrderKind::Stop | OrderKind::Hold => json!(true),
        OrderKind::Follow { leader, .. } => json!(leader.0),
    };
    let trip = order.kind.trip();
    let options = Options {
        within: match order.kind {
            OrderKind::Follow { within, .. } => within.into(),
            _ => trip.map_or(0, |trip| trip.within.into()),
        },
        to_nearest: trip.is_some_and(|trip| trip.fallback == Fallback::Nearest),
        waits: trip.is_some_and(|trip| trip.if_unreachable == IfUnreachable::Wait),
        dwell: trip.map_or(0, |trip| trip.dwell),
    };
    order_keys(order.kind.name(), value, options)
}

/// The options of an order; all have a default.
#[derive(Clone, Copy, Debug, Default)]
struct Options {
    within: u64,
    /// `fallback = "nearest"`.
    to_nearest: bool,
    /// `if_unreachable = "wait"`.
    waits: bool,
    dwell: u32,
}

/// The keys of an order in their order.
fn order_keys(kind: &str, value: Value, Options { within, to_nearest, waits, dwell }: Options) -> Value {
    let mut keys = Map::new();
    keys.insert(kind.to_owned(), value);
    if dwell > 0 {
        keys.insert("dwell".to_owned(), dwell.into());
    }
    if within > 0 {
        keys.insert("within".to_owned(), within.into());
    }
    if to_nearest {
        keys.insert("fallback".to_owned(), "nearest".into());
    }
    if waits {
        keys.insert("if_unreachable".to_owned(), "wait".into());
    }
    keys.into()
}

fn area_json(area: Rect) -> Value {
    json!([area.x, area.y, area.width, area.height])
}

/// A list of one entry is written as that entry.
fn single_or_list(mut goals: Vec<Value>) -> Value {
    match goals.pop() {
        Some(goal) if goals.is_empty() => goal,
        last => goals.into_iter().chain(last).collect(),
    }
}

/// The goals as the order names them, including those with a heading that its class lacks.
fn goals_json(order: &Order, trip: &Trip) -> Vec<Value> {
    let (mut members, mut lacked) = (trip.members.iter(), order.lacked.iter().peekable());
    let mut goals = Vec::with_capacity(trip.members.len() + order.lacked.len());
    loop {
        let number = goals.len() as u32;
        if let Some(goal) = lacked.next_if(|goal| goal.number == number) {
            goals.push(json!([goal.cell.x, goal.cell.y, goal.heading_name()]));
            continue;
        }
        let Some(member) = members.next() else { return goals };
        goals.push(match member.heading {
            Some(heading) => {
                json!([member.cell.x, member.cell.y, heading_name(order.headings, heading)])
            }
            None => json!([member.cell.x, member.cell.y]),
        });
    }
}
