//! Objects of Tiled maps: agents and their goals.

use crate::scenario::{
    AGENTS_MAX, Agent, Area, Fallback, GoalOptions, Located, ORDERS_MAX, Order, OrderKind, Scenario,
    TypedPose,
};
use crate::scenario::{Diagnostics, listed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use wheelbase_grid::Rect;
use wheelbase_sim::{IfUnreachable, USUAL_SPEED_PERMILLE};

/// Class of the objects that are goals. The class of any other object is the movement class of an agent.
const GOAL_CLASS: &str = "goal";
const AGENT_PROPERTIES: [&str; 4] = ["heading", "priority", "goal", "patrol"];
const GOAL_PROPERTIES: [&str; 4] = ["heading", "within", "fallback", "if_unreachable"];

/// An object of a map file, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapObject {
    /// Line in the map file, from 1.
    pub line: u32,
    /// Its number, unique in the file.
    pub id: u32,
    /// Name; may be empty.
    pub name: String,
    /// `goal`, or a movement class.
    pub class: String,
    /// Its cells: `[x, y]` of the north-western one, then columns and rows; may lie off the map.
    pub cells: ([i32; 2], [u32; 2]),
    /// Name and value of each property, and whether the value is the number of an object.
    pub properties: Vec<(String, String, bool)>,
}

impl MapObject {
    /// Whether it is a goal rather than an agent.
    pub fn is_goal(&self) -> bool {
        self.class == GOAL_CLASS
    }

    fn key(&self) -> String {
        format!("object {}", self.id)
    }

    fn area(&self) -> Rect {
        let ([x, y], [width, height]) = self.cells;
        Rect::new(x, y, width, height)
    }

    fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|(known, ..)| known == name).map(|(_, value, _)| value.as_str())
    }
}

/// The agents among the objects, with their orders. Their names must differ from those in the scenario.
pub(super) fn agents_of(objects: &[MapObject], typed: &Scenario, errors: &mut Diagnostics<'_>) -> Vec<Agent> {
    let named = typed.agents.iter().filter_map(|agent| agent.name.as_ref());
    let mut names: BTreeSet<&str> = named.map(|name| name.value.as_str()).collect();
    let in_groups: u64 = typed.groups.iter().map(|group| u64::from(group.count)).sum();
    let mut agents = Vec::new();
    for object in objects {
        let known = if object.is_goal() { GOAL_PROPERTIES } else { AGENT_PROPERTIES };
        for (name, ..) in object.properties.iter().filter(|(name, ..)| !known.contains(&name.as_str())) {
            let message = format!("unknown property \"{name}\", expected {}", listed(known.into_iter()));
            errors.add(object.line, &object.key(), message);
        }
        if object.is_goal() {
            continue;
        }
        if !object.name.is_empty() && !names.insert(&object.name) {
            let message = format!("expected a unique name, found \"{}\" twice", object.name);
            errors.add(object.line, &object.key(), message);
        }
        agents.extend(agent_of(object, objects, errors));
        let n_agents = (typed.agents.len() + agents.len()) as u64 + in_groups;
        if n_agents > u64::from(AGENTS_MAX) {
            let message =
                format!("expected at most {AGENTS_MAX} agents in total, found {n_agents} up to here");
            errors.add(object.line, &object.key(), message);
            break;
        }
    }
    agents
}

fn agent_of(object: &MapObject, objects: &[MapObject], errors: &mut Diagnostics<'_>) -> Option<Agent> {
    let (line, key) = (object.line, object.key());
    let ([x, y], size) = object.cells;
    if size != [1, 1] {
        let message = format!(
            "expected the cell of its anchor: a point, or an object of one cell; found {} x {} cells",
            size[0], size[1]
        );
        errors.add(line, &key, message);
        return None;
    }
    let priority = match object.property("priority") {
        None => 0,
        Some(text) => text.parse().unwrap_or_else(|_| {
            errors.add(line, &key, format!("\"priority\": expected a whole number, found {text:?}"));
            0
        }),
    };
    let mut orders = Vec::new();
    for (goal, number) in goals_of(object, "goal", objects, errors).into_iter().zip(0..) {
        orders.extend(goto(goal, &format!("{key}: goal {number}"), errors));
    }
    let stops = goals_of(object, "patrol", objects, errors);
    if !stops.is_empty() {
        orders.extend(patrol(object, &stops, errors));
    }
    Some(Agent {
        name: (!object.name.is_empty()).then(|| Located { value: object.name.clone(), line }),
        class: Located { value: object.class.clone(), line },
        at: TypedPose { x, y, heading: object.property("heading").map(str::to_owned), line },
        priority,
        team: None,
        speed_factor: USUAL_SPEED_PERMILLE,
        orders,
        line,
        key,
    })
}

/// The goals that a property names, in turn: one object, or names separated by commas.
fn goals_of<'o>(
    object: &MapObject,
    property: &str,
    objects: &'o [MapObject],
    errors: &mut Diagnostics<'_>,
) -> Vec<&'o MapObject> {
    let goals = || objects.iter().filter(|object| object.is_goal());
    let Some((_, value, is_object)) = object.properties.iter().find(|(name, ..)| name == property) else {
        return Vec::new();
    };
    let mut report = |message: String| errors.add(object.line, &object.key(), message);
    if *is_object {
        // Tiled writes 0 for none.
        let found = goals().find(|goal| goal.id.to_string() == *value);
        if found.is_none() && value != "0" {
            report(format!(
                "\"{property}\": object {value} is not a goal; expected an object of class \"goal\""
            ));
        }
        return found.into_iter().collect();
    }
    let mut found = Vec::new();
    for name in value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let named: Vec<&MapObject> = goals().filter(|goal| goal.name == name).collect();
        match named[..] {
            [one] => found.push(one),
            [] => {
                let known = listed(goals().map(|goal| goal.name.as_str()).filter(|name| !name.is_empty()));
                report(format!("\"{property}\": no goal \"{name}\", expected {known}"));
            }
            _ => report(format!("\"{property}\": {} goals are named \"{name}\", expected one", named.len())),
        }
    }
    if found.len() > ORDERS_MAX {
        report(format!("\"{property}\": expected at most {ORDERS_MAX} goals, found {}", found.len()));
        found.clear();
    }
    found
}

/// An order to go to a goal: to its cell, or anywhere in its area.
fn goto(goal: &MapObject, key: &str, errors: &mut Diagnostics<'_>) -> Option<Order> {
    let options = options_of(goal, errors)?;
    let (line, area) = (goal.line, goal.area());
    let kind = if let Some(pose) = stop_of(goal) {
        OrderKind::Goto { goals: vec![pose], options }
    } else {
        if goal.property("heading").is_some() || options.within > 0 {
            let message = "\"heading\" and \"within\" are for goals of one cell, not for areas";
            errors.add(line, &goal.key(), message);
            return None;
        }
        let Rect { x, y, width, height } = area;
        OrderKind::GotoArea { area: Area { x, y, width, height, line }, options }
    };
    Some(Order { kind, line, key: key.to_owned() })
}

/// An order to patrol between goals, whose options must be equal.
fn patrol(object: &MapObject, stops: &[&MapObject], errors: &mut Diagnostics<'_>) -> Option<Order> {
    let key = format!("{}: patrol", object.key());
    let mut all_options = Vec::new();
    for stop in stops {
        all_options.push(options_of(stop, errors)?);
    }
    let found: Option<Vec<TypedPose>> = stops.iter().map(|stop| stop_of(stop)).collect();
    let (Some(stops), true) = (found, all_options.iter().all(|options| *options == all_options[0])) else {
        let message =
            "expected goals of one cell with the same \"within\", \"fallback\" and \"if_unreachable\"";
        errors.add(object.line, &key, message);
        return None;
    };
    Some(Order {
        kind: OrderKind::Patrol { stops, options: all_options[0], dwell: 0 },
        line: object.line,
        key,
    })
}

/// The pose of a goal of one cell.
fn stop_of(goal: &MapObject) -> Option<TypedPose> {
    let ([x, y], [1, 1]) = goal.cells else { return None };
    let heading = goal.property("heading").map(str::to_owned);
    Some(TypedPose { x, y, heading, line: goal.line })
}

fn options_of(goal: &MapObject, errors: &mut Diagnostics<'_>) -> Option<GoalOptions> {
    let mut report = |name: &str, expected: &str, found: &str| {
        errors.add(goal.line, &goal.key(), format!("\"{name}\": expected {expected}, found {found:?}"));
    };
    let mut options =
        GoalOptions { within: 0, fallback: Fallback::default(), if_unreachable: IfUnreachable::default() };
    for (name, value, _) in &goal.properties {
        let value = value.as_str();
        match (name.as_str(), value) {
            ("within", _) => match value.parse() {
                Ok(within) => options.within = within,
                Err(_) => {
                    report("within", "a whole number from 0 to 65535", value);
                    return None;
                }
            },
            ("fallback", "fail") => options.fallback = Fallback::Fail,
            ("fallback", "nearest") => options.fallback = Fallback::Nearest,
            ("if_unreachable", "drop") => options.if_unreachable = IfUnreachable::Drop,
            ("if_unreachable", "wait") => options.if_unreachable = IfUnreachable::Wait,
            ("fallback", _) => {
                report("fallback", "\"fail\" or \"nearest\"", value);
                return None;
            }
            ("if_unreachable", _) => {
                report("if_unreachable", "\"drop\" or \"wait\"", value);
                return None;
            }
            _ => {}
        }
    }
    Some(options)
}

/// Names of the agents of a scenario and of the objects of its map, by agent id; empty for agents without a name.
pub fn agent_names(typed: &Scenario, objects: &[MapObject]) -> Vec<String> {
    let own = typed.agents.iter().map(|agent| agent.name.as_ref().map_or("", |name| name.value.as_str()));
    let of_map = objects.iter().filter(|object| !object.is_goal()).map(|object| object.name.as_str());
    own.chain(of_map).map(str::to_owned).collect()
}
