//! Queries and answers of `plan`, as JSON lines and as command-line arguments.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wheelbase_grid::{CellXY, GridShape, Rect};
use wheelbase_planner::abstraction::Route;
use wheelbase_planner::model::{heading_from_name, heading_name};
use wheelbase_planner::search::{Answer, Fallback, Heuristic, HeuristicName};
use wheelbase_planner::{Goal, GoalMember, Heading, MovementTables, Path, Pose, Request};
use wheelbase_scenario::JsonError;
use wheelbase_scenario::scenario::{Message, nearest_heading, nearest_name};

/// A validated query.
#[derive(Clone, Debug)]
pub struct Query {
    pub id: Option<Box<RawValue>>,
    pub start: Pose,
    pub goal: Vec<GoalMember>,
    pub within: u32,
    pub heuristic: HeuristicChoice,
    pub weight: u32,
    pub expansions_max: Option<u64>,
    pub partial: bool,
    pub fallback: Fallback,
    pub window: Option<Rect>,
}

/// The heuristic of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeuristicChoice {
    /// Not named: chosen by the program.
    Automatic,
    /// A heuristic without preparation.
    Named(HeuristicName),
    /// Landmarks of the map and class.
    Landmarks,
    /// The exact cost field of the goal.
    Field,
}

impl HeuristicChoice {
    /// Heuristics with preparation, by name.
    const PREPARED: [(&'static str, Self); 2] = [("landmarks", Self::Landmarks), ("field", Self::Field)];

    /// The heuristic of a name, for maps of a shape. `source` is the key or flag that names it.
    pub fn from_name(name: &str, shape: GridShape, source: &str) -> Result<Self, String> {
        let measures = |heuristic: &HeuristicName| heuristic.measures(shape);
        let named = HeuristicName::from_name(name).filter(measures).map(Self::Named);
        let prepared = || Self::PREPARED.iter().find(|(known, _)| *known == name).map(|&(_, choice)| choice);
        named.or_else(prepared).ok_or_else(|| {
            let names =
                HeuristicName::ALL.iter().filter(|name| measures(name)).map(|heuristic| heuristic.name());
            let names: Vec<&str> = names.chain(Self::PREPARED.map(|(name, _)| name)).collect();
            let of = if shape == GridShape::Hex { " on hexagonal maps" } else { "" };
            let near = did_you_mean(nearest_name(name, names.iter().copied()));
            format!("{source}: expected one of {}{of}, found \"{name}\"{near}", names.join(", "))
        })
    }
}

/// Keys of a query line.
const KEYS: [&str; 10] =
    ["id", "from", "to", "within", "heuristic", "weight", "expansions_max", "partial", "fallback", "window"];

impl Query {
    /// Parses a query line. With `by_route` it refuses what paths along routes do not know. The error names the wrong
    /// key and the expected keys.
    pub fn from_json(line: &str, headings: u8, shape: GridShape, by_route: bool) -> Result<Self, QueryError> {
        let value: Value = serde_json::from_str(line).map_err(|error| QueryError::not_json(&error))?;
        let Value::Object(table) = value else {
            return Err(QueryError::at_key(
                line,
                "",
                format!("expected a JSON object, found {value}").into(),
            ));
        };
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let text = format!("unknown key \"{key}\"; expected one of {}", KEYS.join(", "));
            let nearest = nearest_name(key, KEYS).map(|near| format!("{near:?}"));
            return Err(QueryError::at_key(line, key, Message::from(text).with_nearest(nearest)));
        }
        let query = Self::from_keys(line, &table, headings, shape)
            .and_then(|query| if by_route { query.for_routes() } else { Ok(query) });
        query.map_err(|text| {
            let key = text.split(':').next().unwrap_or_default();
            QueryError::at_key(line, key, text.as_str().into())
        })
    }

    /// The same, if paths along routes know all that it asks for.
    fn for_routes(self) -> Result<Self, String> {
        let asked = [
            ("within", self.within != 0),
            ("heuristic", self.heuristic != HeuristicChoice::Automatic),
            ("weight", self.weight != 1000),
            ("expansions_max", self.expansions_max.is_some()),
            ("partial", self.partial),
            ("fallback", self.fallback != Fallback::Fail),
            ("window", self.window.is_some()),
        ];
        if let Some((key, _)) = asked.iter().find(|(_, asked)| *asked) {
            return Err(format!("{key}: cannot be used with --abstract; leave the key out"));
        }
        match self.goal.len() {
            1 => Ok(self),
            n => Err(format!("to: expected one goal, because of --abstract, found {n}")),
        }
    }

    /// The query of a line whose keys are known.
    fn from_keys(
        line: &str,
        table: &Map<String, Value>,
        headings: u8,
        shape: GridShape,
    ) -> Result<Self, String> {
        let get = |key: &str| table.get(key);
        let required = |key: &str| get(key).ok_or_else(|| format!("key \"{key}\" is missing"));
        let start = start_from_json(required("from")?, headings)?;
        let mut query = Self::new(start, goal_from_json(required("to")?, headings)?);
        if get("id").is_some() {
            let EchoedId { id } = serde_json::from_str(line).map_err(|error| error.to_string())?;
            query.id = id;
        }
        if let Some(value) = get("within") {
            query.within = whole(value, "within", 0, u64::from(u32::MAX))? as u32;
        }
        if let Some(value) = get("heuristic") {
            let name = value.as_str().ok_or_else(|| wrong("heuristic", "a name", value))?;
            query.heuristic = HeuristicChoice::from_name(name, shape, "heuristic")?;
        }
        if let Some(value) = get("weight") {
            query.weight = whole(value, "weight", 1000, u64::from(u32::MAX))? as u32;
        }
        if let Some(value) = get("expansions_max") {
            query.expansions_max = Some(whole(value, "expansions_max", 0, u64::MAX)?);
        }
        if let Some(value) = get("partial") {
            query.partial = value.as_bool().ok_or_else(|| wrong("partial", "true or false", value))?;
        }
        if let Some(value) = get("fallback") {
            query.fallback = match value.as_str() {
                Some("fail") => Fallback::Fail,
                Some("nearest") => Fallback::Nearest,
                _ => return Err(wrong("fallback", "\"fail\" or \"nearest\"", value)),
            };
        }
        if let Some(value) = get("window") {
            query.window = Some(rectangle_from_json(value, "window")?);
        }
        Ok(query)
    }

    /// A query with defaults: the cheapest path, automatic heuristic.
    pub fn new(start: Pose, goal: Vec<GoalMember>) -> Self {
        Self {
            id: None,
            start,
            goal,
            within: 0,
            heuristic: HeuristicChoice::Automatic,
            weight: 1000,
            expansions_max: None,
            partial: false,
            fallback: Fallback::Fail,
            window: None,
        }
    }

    /// The goal of the request.
    pub fn goal(&self) -> Goal<'_> {
        Goal { members: &self.goal, within: self.within }
    }

    /// The request to the planner, with a prepared heuristic.
    pub fn request<'a>(&'a self, heuristic: Heuristic<'a>) -> Request<'a> {
        Request {
            heuristic,
            weight_permille: self.weight,
            expansions_max: self.expansions_max,
            partial: self.partial,
            fallback: self.fallback,
            window: self.window,
            ..Request::new(self.start, self.goal())
        }
    }
}

/// The mistake in a query line, and its place.
#[derive(Debug)]
pub struct QueryError {
    /// Column of the wrong text, from 1.
    pub column: usize,
    /// Its characters.
    pub length: usize,
    pub message: Box<Message>,
}

impl QueryError {
    fn not_json(error: &serde_json::Error) -> Self {
        let JsonError { column, message, .. } = JsonError::of(error);
        Self { column: column.max(1), length: 1, message: Box::new(format!("not JSON: {message}").into()) }
    }

    /// At a key in quotes; on the whole line if it has none such.
    fn at_key(line: &str, key: &str, message: Message) -> Self {
        let quoted = format!("\"{key}\"");
        let (start, text) = match line.find(&quoted) {
            Some(start) => (start, quoted.as_str()),
            None => (line.len() - line.trim_start().len(), line.trim()),
        };
        let column = line[..start].chars().count() + 1;
        Self { column, length: text.chars().count(), message: Box::new(message) }
    }
}

/// A rectangle `[x, y, width, height]`; it may be empty or extend off the map. `source` is the key or flag.
pub fn rectangle_from_json(value: &Value, source: &str) -> Result<Rect, String> {
    let report =
        || wrong(source, "[x, y, width, height], whole numbers, width and height not negative", value);
    let items = value.as_array().filter(|items| items.len() == 4).ok_or_else(report)?;
    let corner = |at: usize| items[at].as_i64().and_then(|n| i32::try_from(n).ok()).ok_or_else(report);
    let side = |at: usize| items[at].as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(report);
    Ok(Rect::new(corner(0)?, corner(1)?, side(2)?, side(3)?))
}

/// A rectangle given as `X,Y,W,H` after a flag.
pub fn rectangle_from_arg(text: &str, flag: &str) -> Result<Rect, String> {
    let numbers: Result<Vec<i64>, _> = text.split(',').map(|part| part.trim().parse::<i64>()).collect();
    let value = numbers.map_or_else(|_| Value::from(text), Value::from);
    rectangle_from_json(&value, flag)
}

/// Ends a message with the name that was most likely meant.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

fn wrong(key: &str, expected: &str, found: &Value) -> String {
    format!("{key}: expected {expected}, found {found}")
}

fn whole(value: &Value, key: &str, low: u64, high: u64) -> Result<u64, String> {
    let number = value.as_u64().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| wrong(key, &format!("a whole number from {low} to {high}"), value))
}

fn headings_text(headings: u8) -> &'static str {
    match headings {
        1 => "\"-\"",
        4 => "\"E\", \"N\", \"W\" or \"S\"",
        6 => "\"E\", \"NE\", \"NW\", \"W\", \"SW\" or \"SE\"",
        _ => "\"E\", \"NE\", \"N\", \"NW\", \"W\", \"SW\", \"S\" or \"SE\"",
    }
}

/// Cell and heading name from `[x, y]` or `[x, y, "H"]`.
fn parts<'a>(value: &'a Value, key: &str, form: &str) -> Result<(CellXY, Option<&'a str>), String> {
    let report = || wrong(key, form, value);
    let items = value.as_array().filter(|items| (2..=3).contains(&items.len())).ok_or_else(report)?;
    let number = |at: usize| items[at].as_i64().and_then(|n| i32::try_from(n).ok()).ok_or_else(report);
    let name = match items.get(2) {
        None => None,
        Some(name) => Some(name.as_str().ok_or_else(report)?),
    };
    Ok((CellXY::new(number(0)?, number(1)?), name))
}

fn start_from_json(value: &Value, headings: u8) -> Result<Pose, String> {
    let form = format!("[x, y, heading] with heading {}", headings_text(headings));
    let (cell, name) = parts(value, "from", &form)?;
    let heading = match name {
        None if headings == 1 => heading_from_name(1, "-"),
        None => None,
        Some(name) => heading_from_name(headings, name),
    };
    let heading = heading.ok_or_else(|| wrong("from", &form, value))?;
    Ok(Pose { cell, heading })
}

fn goal_from_json(value: &Value, headings: u8) -> Result<Vec<GoalMember>, String> {
    let list = value.as_array().filter(|items| items.first().is_some_and(Value::is_array));
    match list {
        Some(items) => items.iter().map(|item| member_from_json(item, headings)).collect(),
        None => Ok(vec![member_from_json(value, headings)?]),
    }
}

fn member_from_json(value: &Value, headings: u8) -> Result<GoalMember, String> {
    let form = format!(
        "[x, y] or [x, y, heading] with heading \"any\" or {}, or a list of such",
        headings_text(headings)
    );
    let (cell, name) = parts(value, "to", &form)?;
    let heading = match name {
        None | Some("any") => None,
        Some(name) => Some(heading_from_name(headings, name).ok_or_else(|| wrong("to", &form, value))?),
    };
    Ok(GoalMember { cell, heading })
}

/// Cell and heading name from `X,Y` or `X,Y,HEADING`.
fn parts_of_arg(text: &str) -> Option<(CellXY, Option<&str>)> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let (x, y, name) = match parts[..] {
        [x, y] => (x, y, None),
        [x, y, name] => (x, y, Some(name)),
        _ => return None,
    };
    Some((CellXY::new(x.parse().ok()?, y.parse().ok()?), name))
}

/// Ends a message on a pose with the heading that was most likely meant.
fn near_heading(text: &str, headings: u8) -> String {
    let name = parts_of_arg(text).and_then(|(_, name)| name).unwrap_or_default();
    let known = (0..headings).map(|heading| heading_name(headings, Heading(heading)));
    did_you_mean(nearest_heading(name, known))
}

/// The start given on the command line.
pub fn start_from_arg(text: &str, headings: u8) -> Result<Pose, String> {
    let known = headings_text(headings).replace('"', "");
    let parts = parts_of_arg(text).and_then(|(cell, name)| {
        let heading = match name {
            None if headings == 1 => heading_from_name(1, "-"),
            None => None,
            Some(name) => heading_from_name(headings, name),
        };
        heading.map(|heading| Pose { cell, heading })
    });
    parts.ok_or_else(|| {
        let near = near_heading(text, headings);
        format!("--from: expected X,Y,HEADING with heading {known}, found \"{text}\"{near}")
    })
}

/// A goal given on the command line.
pub fn goal_from_arg(text: &str, headings: u8) -> Result<GoalMember, String> {
    let parts = parts_of_arg(text).and_then(|(cell, name)| match name {
        None | Some("any") => Some(GoalMember::any(cell)),
        Some(name) => heading_from_name(headings, name).map(|h| GoalMember { cell, heading: Some(h) }),
    });
    parts.ok_or_else(|| {
        let known = headings_text(headings).replace('"', "");
        let near = near_heading(text, headings);
        format!("--to: expected X,Y or X,Y,HEADING with heading any, {known}, found \"{text}\"{near}")
    })
}

/// The query given on the command line.
pub fn query_from_args(from: &str, to: &str, headings: u8) -> Result<Query, String> {
    let start = start_from_arg(from, headings)?;
    Ok(Query::new(start, vec![goal_from_arg(to, headings)?]))
}

/// The id of a query line, as written: numbers beyond any machine type are echoed too.
#[derive(Deserialize)]
struct EchoedId {
    #[serde(default, deserialize_with = "as_written")]
    id: Option<Box<RawValue>>,
}

/// A null is an id too.
fn as_written<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(from).map(Some)
}

/// The route of an answer line.
#[derive(Debug, Serialize)]
struct RouteLine {
    cost: u32,
    portals: Vec<(i32, i32, u32)>,
}

/// An answer line.
#[derive(Debug, Serialize)]
pub struct AnswerLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<RouteLine>,
    expansions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    poses: Option<Vec<(i32, i32, &'static str, u32)>>,
}

impl<'a> AnswerLine<'a> {
    /// The line of an answer.
    pub fn new(
        query: &'a Query,
        tables: &'a MovementTables,
        answer: &Answer,
        path: &Path,
        reason: Option<String>,
    ) -> Self {
        let headings = tables.space().headings();
        let primitives = tables.class().primitives();
        let name = |&primitive: &u8| primitives[primitive as usize].name.as_str();
        let pose = |p: &wheelbase_planner::PathPose| {
            (p.pose.cell.x, p.pose.cell.y, heading_name(headings, p.pose.heading), p.arrival)
        };
        let with_path = answer.reached.is_some();
        Self {
            id: query.id.as_deref(),
            status: answer.status.name(),
            reached: answer.reached.map(|reached| reached.name()),
            cost: with_path.then_some(answer.cost),
            route: None,
            expansions: answer.expansions,
            reason,
            moves: with_path.then(|| path.moves.iter().map(name).collect()),
            poses: with_path.then(|| path.poses.iter().map(pose).collect()),
        }
    }

    /// The same, with the route that the path follows.
    pub fn along(mut self, route: Option<&Route>) -> Self {
        self.route = route.map(|route| RouteLine {
            cost: route.cost,
            portals: route.portals.iter().map(|of| (of.cell.x, of.cell.y, of.cost)).collect(),
        });
        self
    }
}
