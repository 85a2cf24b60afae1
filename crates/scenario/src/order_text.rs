//! The canonical text of an order, for traces and recordings (docs/format.md): its keys in a fixed order, defaults left
//! out.

use serde_json::{Map, Value, json};
use wheelbase_grid::Rect;
use wheelbase_planner::model::heading_name;
use wheelbase_planner::search::Fallback;
use wheelbase_sim::{IfUnreachable, Order, OrderKind, OrderPool, TaskSource, Trip};

/// An order as JSON, whose `to_string` is the canonical text.
pub fn order_json(order: &Order, pool: &OrderPool) -> Value {
    let value = match &order.kind {
        OrderKind::Wait(ticks) => json!(ticks),
        OrderKind::GotoArea(area, _) => area_json(*area),
        OrderKind::Goto(trip) | OrderKind::GotoGroup(_, trip) => single_or_list(goals_json(order, trip)),
        OrderKind::Patrol(trip) => goals_json(order, trip).into(),
        OrderKind::Task(slot) => {
            return match pool.source_of(slot) {
                Some(TaskSource::Random { area }) => json!({ "task": "random", "area": area_json(*area) }),
                Some(TaskSource::RoundRobin { .. }) => json!({ "task": "roundrobin" }),
                Some(TaskSource::List { .. }) | None => json!({ "task": "list" }),
            };
        }
    };
    let trip = order.kind.trip();
    let options = Options {
        within: trip.map_or(0, |trip| trip.within.into()),
        to_nearest: trip.is_some_and(|trip| trip.fallback == Fallback::Nearest),
        waits: trip.is_some_and(|trip| trip.if_unreachable == IfUnreachable::Wait),
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
}

/// The keys of an order in their order.
fn order_keys(kind: &str, value: Value, Options { within, to_nearest, waits }: Options) -> Value {
    let mut keys = Map::new();
    keys.insert(kind.to_owned(), value);
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
            goals.push(json!([goal.cell.x, goal.cell.y, goal.heading]));
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

/// The canonical text of an order as earlier releases recorded it, `None` if it cannot be read. They recorded orders as
/// written in the scenario, tasks with the name of their file, and areas that reach beyond the map.
pub(crate) fn canonical_order(text: &str, map: Rect) -> Option<String> {
    let Value::Object(keys) = serde_json::from_str(text).ok()? else { return None };
    if let Some(task) = keys.get("task") {
        let area = keys.get("area").map(|area| clipped(area, map));
        return Some(match (task.as_str()?, area) {
            ("random", Some(area)) if keys.len() == 2 => {
                json!({ "task": "random", "area": area? }).to_string()
            }
            (_, Some(_)) => return None,
            ("roundrobin", None) => json!({ "task": "roundrobin" }).to_string(),
            _ if keys.len() == 1 => json!({ "task": "list" }).to_string(),
            _ => return None,
        });
    }
    let (mut first, mut options) = (None, Options::default());
    for (key, value) in &keys {
        match (key.as_str(), value.as_str()) {
            ("within", _) => options.within = value.as_u64()?,
            ("fallback", Some(name @ ("fail" | "nearest"))) => options.to_nearest = name == "nearest",
            ("if_unreachable", Some(name @ ("drop" | "wait"))) => options.waits = name == "wait",
            ("wait" | "goto_area", _) if first.is_none() => first = Some((key.as_str(), value.clone())),
            ("goto" | "goto_group", _) if first.is_none() => {
                first = Some((key, single_or_list(read_goals(value)?)))
            }
            ("patrol", _) if first.is_none() => first = Some((key, read_goals(value)?.into())),
            _ => return None,
        }
    }
    let (kind, value) = first?;
    Some(order_keys(kind, value, options).to_string())
}

/// Goals, without a heading where it is "any".
fn read_goals(value: &Value) -> Option<Vec<Value>> {
    let list = value.as_array()?;
    let goal = |pose: &Value| match pose.as_array()?.as_slice() {
        [x, y] => Some(json!([x, y])),
        [x, y, heading] if heading == "any" => Some(json!([x, y])),
        [_, _, _] => Some(pose.clone()),
        _ => None,
    };
    if list.first()?.is_array() { list.iter().map(goal).collect() } else { Some(vec![goal(value)?]) }
}

/// The part of an area that is on the map.
fn clipped(area: &Value, map: Rect) -> Option<Value> {
    let numbers: Vec<i64> = area.as_array()?.iter().map(Value::as_i64).collect::<Option<_>>()?;
    let [x, y, width, height] = numbers.try_into().ok()?;
    let (x, y) = (i32::try_from(x).ok()?, i32::try_from(y).ok()?);
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    Some(area_json(Rect::new(x, y, width, height).intersection(map)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_as_written_has_a_canonical_text() {
        let map = Rect::new(0, 0, 10, 10);
        for (written, text) in [
            (r#"{"goto":[4,1,"any"],"within":0}"#, r#"{"goto":[4,1]}"#),
            (r#"{"within":2,"goto":[[4,1,"E"]],"fallback":"fail"}"#, r#"{"goto":[4,1,"E"],"within":2}"#),
            (r#"{"patrol":[4,1]}"#, r#"{"patrol":[[4,1]]}"#),
            (
                r#"{"if_unreachable":"wait","goto_group":[1,2,"NE"],"fallback":"nearest"}"#,
                r#"{"goto_group":[1,2,"NE"],"fallback":"nearest","if_unreachable":"wait"}"#,
            ),
            (r#"{"wait":5,"if_unreachable":"drop"}"#, r#"{"wait":5}"#),
            (r#"{"task":"random","area":[-2,3,40,2]}"#, r#"{"task":"random","area":[0,3,10,2]}"#),
            (r#"{"task":"tables/a.csv"}"#, r#"{"task":"list"}"#),
        ] {
            assert_eq!(canonical_order(written, map).as_deref(), Some(text), "{written}");
            assert_eq!(canonical_order(text, map).as_deref(), Some(text));
        }
        for invalid in
            ["", "[]", "{}", r#"{"goto":[1]}"#, r#"{"goto":[1,2],"wait":3}"#, r#"{"goto":[1,2],"on":1}"#]
        {
            assert_eq!(canonical_order(invalid, map), None, "{invalid}");
        }
    }
}
