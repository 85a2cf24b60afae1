//! The canonical text of an order, in traces and recordings (docs/format.md): its keys in one sequence, what is as
//! by default left out.

use serde_json::{Map, Value, json};
use wheelbase_grid::Rect;
use wheelbase_planner::model::heading_name;
use wheelbase_planner::search::Fallback;
use wheelbase_sim::{IfUnreachable, Order, OrderKind, OrderPool, TaskSource, Trip};

/// An order as JSON; its text is that of `to_string`.
pub fn order_json(order: &Order, pool: &OrderPool) -> Value {
    let value = match &order.kind {
        OrderKind::Wait(ticks) => json!(ticks),
        OrderKind::GotoArea(area, _) => area_json(*area),
        OrderKind::Goto(trip) | OrderKind::GotoGroup(_, trip) => alone(goals_json(order, trip)),
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
    let is_nearest = trip.is_some_and(|trip| trip.fallback == Fallback::Nearest);
    let waits = trip.is_some_and(|trip| trip.if_unreachable == IfUnreachable::Wait);
    let within = trip.map_or(0, |trip| trip.within);
    with_reach((order.kind.name(), value), within.into(), is_nearest, waits)
}

/// The keys of an order in their sequence.
fn with_reach((kind, value): (&str, Value), within: u64, is_nearest: bool, waits: bool) -> Value {
    let mut keys = Map::new();
    keys.insert(kind.to_owned(), value);
    if within > 0 {
        keys.insert("within".to_owned(), within.into());
    }
    if is_nearest {
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

/// A list of one stands as that one.
fn alone(mut goals: Vec<Value>) -> Value {
    match goals.pop() {
        Some(goal) if goals.is_empty() => goal,
        last => goals.into_iter().chain(last).collect(),
    }
}

/// The goals as the order names them, those among them that its classes lack.
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

/// What an order as written by others comes to as canonical text; `None` if it cannot be read. Earlier releases
/// recorded orders as scenarios have them, and tasks by the name of their file and with areas beyond the map.
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
    let (mut first, mut within, mut is_nearest, mut waits) = (None, 0, false, false);
    for (key, value) in &keys {
        match (key.as_str(), value.as_str()) {
            ("within", _) => within = value.as_u64()?,
            ("fallback", Some(name @ ("fail" | "nearest"))) => is_nearest = name == "nearest",
            ("if_unreachable", Some(name @ ("drop" | "wait"))) => waits = name == "wait",
            ("wait" | "goto_area", _) if first.is_none() => first = Some((key.as_str(), value.clone())),
            ("goto" | "goto_group", _) if first.is_none() => first = Some((key, alone(read_goals(value)?))),
            ("patrol", _) if first.is_none() => first = Some((key, read_goals(value)?.into())),
            _ => return None,
        }
    }
    Some(with_reach(first?, within, is_nearest, waits).to_string())
}

/// Goals without headings that say that any will do.
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

/// What of an area is on the map.
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
    fn an_order_as_it_was_written_comes_to_its_canonical_text() {
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
        for strange in
            ["", "[]", "{}", r#"{"goto":[1]}"#, r#"{"goto":[1,2],"wait":3}"#, r#"{"goto":[1,2],"on":1}"#]
        {
            assert_eq!(canonical_order(strange, map), None, "{strange}");
        }
    }
}
