//! What was typed: problems of the League of Robot Runners, 2023 (<https://github.com/MAPF-Competition>).
//!
//! A problem is a JSON file that names three others: a map in the MovingAI format, the cells in which the
//! agents start, and the cells they are sent to. Cells are numbered row by row. Nothing is given a meaning
//! here; that is for [`crate::load`].

use super::error::{ScenarioError, ScenarioErrors, quoted_cell};
use super::typed::{AGENTS_MAX, Located};
use crate::json_mistake::JsonMistake;
use serde_json::Value;

/// Longest problem file that is read, in bytes; the files that it names may be longer.
pub const PROBLEM_BYTES_MAX: usize = 1 << 20;

/// The only way of handing out tasks in the competition of 2023.
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

/// Cells listed in a file, with what stands at its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellList {
    /// How many the head promises, and its line.
    pub promised: (u64, u32),
    /// The cells, `row * width + column`, not checked against a map, and their lines.
    pub cells: Vec<(u32, u32)>,
}

/// Reads a problem file. `file` is the name by which messages call it.
/// # Errors
/// Every mistake in the file; only the first where it is not JSON at all.
///
/// ```
/// use wheelbase_scenario::scenario::parse_problem;
/// let text = r#"{"mapFile": "a.map", "agentFile": "a.agents", "teamSize": 3, "taskFile": "a.tasks",
///     "numTasksReveal": 1, "taskAssignmentStrategy": "greedy"}"#;
/// let errors = parse_problem("a.json", text.as_bytes()).unwrap_err();
/// assert_eq!(
///     errors.to_string(),
///     "a.json:2: taskAssignmentStrategy: expected \"roundrobin\", found \"greedy\""
/// );
/// ```
pub fn parse_problem(file: &str, bytes: &[u8]) -> Result<Problem, ScenarioErrors> {
    let at = |line: usize, key: &str, message: String| ScenarioError {
        file: file.to_owned(),
        line,
        key: key.to_owned(),
        message,
    };
    if bytes.len() > PROBLEM_BYTES_MAX {
        let message =
            format!("expected a problem of at most {PROBLEM_BYTES_MAX} bytes, found {}", bytes.len());
        return Err(at(1, "", message).into());
    }
    let document: Value = serde_json::from_slice(bytes).map_err(|error| JsonMistake::of(&error)).map_err(
        |JsonMistake { line, column, message }| at(line, "", format!("not JSON: column {column}: {message}")),
    )?;
    let Value::Object(keys) = document else {
        return Err(at(1, "", "expected an object with the keys of a problem".to_owned()).into());
    };
    let line_of = |key: &str| line_of_key(bytes, key);
    let mut mistakes = Vec::new();
    let mut report = |key: &str, expected: &str| {
        let found = keys.get(key);
        let message = match found {
            None => format!("missing, expected {expected}"),
            Some(found) => format!("expected {expected}, found {}", excerpt(found)),
        };
        mistakes.push(at(line_of(key) as usize, key, message));
    };
    let mut path = |key: &str, of: &str| {
        let text = keys.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if text.is_none() {
            report(key, of);
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
        report("numTasksReveal", "1, the number of tasks of which an agent knows");
    }
    if keys.get("taskAssignmentStrategy").and_then(Value::as_str) != Some(ROUND_ROBIN) {
        report("taskAssignmentStrategy", &format!("\"{ROUND_ROBIN}\""));
    }
    if !mistakes.is_empty() {
        mistakes.sort_by_key(|mistake| mistake.line);
        return Err(ScenarioErrors::new(mistakes));
    }
    let team_size = Located { value: team.unwrap_or(0) as u32, line: line_of("teamSize") };
    Ok(Problem { map_file, agent_file, task_file, team_size })
}

/// Reads a list of cells: lines that begin with `#`, a count, then one cell a line. Lines behind as many as
/// the count, or as `enough`, are not read.
/// # Errors
/// The first line that is not as it should be.
pub fn parse_cell_list(file: &str, bytes: &[u8], enough: usize) -> Result<CellList, ScenarioError> {
    let mut promised = None;
    let mut cells = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line_number = number as u32 + 1;
        let text = line.trim_ascii();
        if text.is_empty() || text[0] == b'#' {
            continue;
        }
        let found = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
        let mistake = |expected: String| {
            let message = format!("expected {expected}, {}", quoted_cell(&String::from_utf8_lossy(text)));
            ScenarioError { file: file.to_owned(), line: line_number as usize, key: String::new(), message }
        };
        let Some((count, _)) = promised else {
            let count = found.ok_or_else(|| mistake("the number of cells in the list".to_owned()))?;
            promised = Some((count, line_number));
            continue;
        };
        if cells.len() as u64 >= count || cells.len() >= enough {
            break;
        }
        let cell = found.and_then(|cell| u32::try_from(cell).ok());
        cells.push((cell.ok_or_else(|| mistake("the number of a cell".to_owned()))?, line_number));
    }
    let promised = promised.ok_or_else(|| ScenarioError {
        file: file.to_owned(),
        line: 1,
        key: String::new(),
        message: "expected the number of cells in the list, found the end of the file".to_owned(),
    })?;
    Ok(CellList { promised, cells })
}

/// The line on which a key stands, from 1; 1 where it does not.
fn line_of_key(bytes: &[u8], key: &str) -> u32 {
    let quoted = format!("\"{key}\"");
    let at = bytes.windows(quoted.len()).position(|window| window == quoted.as_bytes());
    let before = &bytes[..at.unwrap_or(0)];
    before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1
}

/// A value as text, shortened.
fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
