//! Parses problems of the League of Robot Runners, 2023 (<https://github.com/MAPF-Competition>).
//!
//! A problem is a JSON file that names three others. These are a map in the MovingAI format, a list of start cells and
//! a list of task cells. Cells are numbered row by row. [`load`](crate::load) interprets the files.

use super::diagnostics::Diagnostics;
use super::error::{ScenarioError, ScenarioErrors, Span};
use super::message::{MISSING, Message, found_field};
use super::place::Lines;
use super::typed::{AGENTS_MAX, Located};
use crate::json_error::JsonError;
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

/// Longest problem file that is read, in bytes. The files that it names may be longer.
pub const PROBLEM_BYTES_MAX: usize = 1 << 20;

/// The year whose problems are read. They have no key `version`; later ones have it, and other keys.
const YEAR: &str = "2023";
/// The task assignment of that year.
const ROUND_ROBIN: &str = "roundrobin";

/// A problem file.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// `mapFile`: relative to the problem file; not empty.
    pub map_file: Located<String>,
    /// `agentFile`, likewise.
    pub agent_file: Located<String>,
    /// `taskFile`, likewise.
    pub task_file: Located<String>,
    /// `teamSize`: number of agents, 1 to [`AGENTS_MAX`].
    pub team_size: Located<u32>,
}

/// A list of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CellList {
    /// Number of cells that the head of the file announces.
    pub announced: Located<u64>,
    /// The cells.
    pub cells: Vec<ListedCell>,
}

/// A cell of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedCell {
    /// `row * width + column`; not checked against a map.
    pub cell: u32,
    /// Line in the file, from 1.
    pub line: u32,
}

/// Parses a problem. `file` is its name in messages.
/// # Errors
/// Every mistake in the file, in line order; only the first if it is not JSON, or a problem of another year.
///
/// ```
/// use wheelbase_scenario::scenario::parse_problem;
/// let text = r#"{"mapFile": "a.map", "agentFile": "a.agents", "teamSize": 3, "taskFile": "a.tasks",
///     "numTasksReveal": 1, "taskAssignmentStrategy": "greedy"}"#;
/// let errors = parse_problem("a.json", text.as_bytes()).unwrap_err();
/// assert_eq!(
///     errors.to_string(),
///     "a.json:2:26: taskAssignmentStrategy: expected \"roundrobin\", found \"greedy\""
/// );
/// ```
pub fn parse_problem(file: &str, bytes: &[u8]) -> Result<Problem, ScenarioErrors> {
    let whole_file = |line: usize, message: String| {
        ScenarioErrors::from(ScenarioError::new(file.to_owned(), line, String::new(), message))
    };
    if bytes.len() > PROBLEM_BYTES_MAX {
        let message =
            format!("expected a problem of at most {PROBLEM_BYTES_MAX} bytes, found {}", bytes.len());
        return Err(whole_file(1, message));
    }
    let document: Value = serde_json::from_slice(bytes).map_err(|error| JsonError::of(&error)).map_err(
        |JsonError { line, column, message }| {
            let span = Span::in_line(line, column.max(1), 1);
            ScenarioErrors::from(ScenarioError::at(file.to_owned(), span, format!("not JSON: {message}")))
        },
    )?;
    let Value::Object(keys) = document else {
        return Err(whole_file(1, "expected an object with the keys of a problem".to_owned()));
    };
    let line_of = |key: &str| line_of_key(bytes, key);
    let mut diagnostics = Diagnostics::new(Path::new(file));
    if let Some(version) = keys.get("version") {
        let version = version.as_str().map_or_else(|| version.to_string(), str::to_owned);
        if !version.starts_with(YEAR) {
            let line = line_of("version") as usize;
            let span = bytes_of_key(bytes, "version").map(|key| Lines::new(bytes).span_of(key));
            let error =
                ScenarioError::new(file.to_owned(), line, "version".to_owned(), not_of_the_year(&version));
            return Err(ScenarioErrors::from(ScenarioError { span, ..error }));
        }
    }
    let mut report = |key: &str, expected: &str| {
        let found = keys.get(key);
        let message = match found {
            None => Message::wrong(MISSING, expected),
            Some(found) => Message::unexpected(expected, excerpt(found)),
        };
        diagnostics.add(line_of(key), key, message);
    };
    let mut path = |key: &str, expected: &str| {
        let text = keys.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if text.is_none() {
            report(key, expected);
        }
        Located { value: text.unwrap_or_default().to_owned(), line: line_of(key) }
    };
    let map_file = path("mapFile", "the path of a map");
    let agent_file = path("agentFile", "the path of a list of starts");
    let task_file = path("taskFile", "the path of a list of tasks");
    let in_range = |team: &u64| (1..=u64::from(AGENTS_MAX)).contains(team);
    let team = keys.get("teamSize").and_then(Value::as_u64).filter(in_range);
    if team.is_none() {
        report("teamSize", &format!("a whole number from 1 to {AGENTS_MAX}"));
    }
    if keys.get("numTasksReveal").is_some_and(|reveal| reveal.as_u64() != Some(1)) {
        report("numTasksReveal", "1, the number of tasks that an agent knows");
    }
    if keys.get("taskAssignmentStrategy").and_then(Value::as_str) != Some(ROUND_ROBIN) {
        report("taskAssignmentStrategy", &format!("\"{ROUND_ROBIN}\""));
    }
    let mut errors = diagnostics.take();
    if !errors.is_empty() {
        let mut lines = Lines::new(bytes);
        for error in &mut errors {
            error.span = bytes_of_key(bytes, &error.key).map(|bytes| lines.span_of(bytes));
        }
        return Err(ScenarioErrors::new(errors));
    }
    let team_size = Located { value: team.unwrap_or(0) as u32, line: line_of("teamSize") };
    Ok(Problem { map_file, agent_file, task_file, team_size })
}

/// The message on a problem of another year.
fn not_of_the_year(version: &str) -> Message {
    let year = version.get(..YEAR.len()).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let of = year.map_or_else(|| format!("version {:?}", shortened(version)), str::to_owned);
    let text = format!("problems of {of} are not supported; problems of {YEAR} are");
    Message { found: Some(format!("{:?}", shortened(version))), ..Message::from(text) }
}

/// Parses a list of cells: their number, then one cell a line, with comment lines that begin with `#`. Stops after
/// that number, or after `cells_max`.
/// # Errors
/// The first wrong line.
pub fn parse_cell_list(file: &str, bytes: &[u8], cells_max: usize) -> Result<CellList, ScenarioErrors> {
    let mut announced = None;
    let mut cells = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line_number = number as u32 + 1;
        let text = line.trim_ascii();
        if text.is_empty() || text[0] == b'#' {
            continue;
        }
        let found = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
        let mistake = |expected: String| {
            let message = format!("expected {expected}, {}", found_field(&String::from_utf8_lossy(text)));
            let indent = line.len() - line.trim_ascii_start().len();
            let length = String::from_utf8_lossy(text).chars().count();
            let span = Span::in_line(line_number as usize, indent + 1, length);
            ScenarioErrors::from(ScenarioError::at(file.to_owned(), span, message))
        };
        let Some(Located { value: count, .. }) = announced else {
            let count = found.ok_or_else(|| mistake("the number of cells in the list".to_owned()))?;
            announced = Some(Located { value: count, line: line_number });
            continue;
        };
        if cells.len() as u64 >= count || cells.len() >= cells_max {
            break;
        }
        let cell = found.and_then(|cell| u32::try_from(cell).ok());
        let cell = cell.ok_or_else(|| mistake("the number of a cell".to_owned()))?;
        cells.push(ListedCell { cell, line: line_number });
    }
    let announced = announced.ok_or_else(|| {
        let message = Message::unexpected("the number of cells in the list", "the end of the file");
        ScenarioErrors::from(ScenarioError::new(file.to_owned(), 1, String::new(), message))
    })?;
    Ok(CellList { announced, cells })
}

/// The bytes of a key in quotes; `None` if it is missing.
fn bytes_of_key(bytes: &[u8], key: &str) -> Option<Range<usize>> {
    let quoted = format!("\"{key}\"");
    let start = bytes.windows(quoted.len()).position(|window| window == quoted.as_bytes())?;
    Some(start..start + quoted.len())
}

/// The line of a key, from 1; 1 if it is missing.
fn line_of_key(bytes: &[u8], key: &str) -> u32 {
    let before = &bytes[..bytes_of_key(bytes, key).map_or(0, |key| key.start)];
    before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1
}

/// A value as text, shortened.
fn excerpt(value: &Value) -> String {
    shortened(&value.to_string())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
