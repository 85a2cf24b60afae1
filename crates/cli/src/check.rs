//! `wheelbase check`: validates scenario, class, map, problem and recording files, and judges plans.

use crate::args::CheckArgs;
use crate::failure::{Exit, Failure};
use crate::output::text_out;
use crate::scen::load_scen;
use std::io::Write;
use std::path::{Path, PathBuf};
use wheelbase_grid::MemoryMax;
use wheelbase_scenario::load::{
    Files, LoadError, LoadedProblem, build_world_within, check_class_file, check_map, is_problem, read_file,
    read_scenario, warnings,
};
use wheelbase_scenario::recording::{Event, Reader, RecordingError, TickRecord, is_recording};
use wheelbase_scenario::{JsonError, PlanVerdict, judge_plan};
use wheelbase_sim::Counters;
use wheelbase_view::safe_text;

/// Extensions that mark a recording whatever its first bytes. `part` is a recording in progress, or of a killed run.
const RECORDING_ENDINGS: [&str; 2] = ["rec", "part"];

pub fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let memory_max = args.memory.max();
    if let Some(plan) = &args.plan {
        return check_plan(&args.files, plan, memory_max);
    }
    let mut exit = Exit::Done;
    let mut out = text_out();
    for file in &args.files {
        match check_file(file, memory_max) {
            Ok(Checked { warnings, summary }) => {
                for warning in &warnings {
                    writeln!(out, "warning: {warning}")?;
                }
                let count = match warnings.len() {
                    0 => "ok".to_owned(),
                    1 => "ok, 1 warning".to_owned(),
                    n => format!("ok, {n} warnings"),
                };
                let summary = summary.map_or_else(String::new, |summary| format!(": {summary}"));
                writeln!(out, "{}: {count}{summary}", safe_text::path(file))?;
            }
            Err(error) => {
                exit = Exit::BadInput;
                writeln!(out, "{error}")?;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// A valid file.
struct Checked {
    /// Contents that are probably not intended.
    warnings: Vec<String>,
    /// A summary of a binary file.
    summary: Option<String>,
}

/// Checks a file by its extension, recordings also by their first bytes.
fn check_file(file: &Path, memory_max: MemoryMax) -> Result<Checked, LoadError> {
    let by_ending =
        || RECORDING_ENDINGS.iter().any(|ending| file.extension().is_some_and(|it| it == *ending));
    if is_recording(file) || by_ending() {
        let of_file = |error: RecordingError| LoadError::File {
            file: file.display().to_string(),
            why: error.to_string(),
        };
        return check_recording(file).map_err(of_file);
    }
    check_text_file(file, memory_max).map(|warnings| Checked { warnings, summary: None })
}

/// Reads a whole recording.
fn check_recording(file: &Path) -> Result<Checked, RecordingError> {
    let mut reader = Reader::open_file(file)?;
    let (mut record, mut n_agents) = (TickRecord::default(), 0_u64);
    let mut counters = Counters::default();
    while reader.next_tick(&mut record)? {
        n_agents += record.events.iter().filter(|event| matches!(event, Event::Spawn { .. })).count() as u64;
        counters = record.counters;
    }
    reader.check_end()?;
    let warnings = reader.truncation().map(|cut| format!("{}: {cut}", file.display())).into_iter().collect();
    let summary = format!(
        "recording of \"{}\", {} chunks, {} ticks, {n_agents} agents, {} moves",
        safe_text::line(&reader.header().name),
        reader.chunks().len(),
        reader.ticks_run(),
        counters.moves
    );
    Ok(Checked { warnings, summary: Some(summary) })
}

/// The warnings of a valid file. A `.toml` file without a map is taken for a class file.
fn check_text_file(file: &Path, memory_max: MemoryMax) -> Result<Vec<String>, LoadError> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let refuse = |why| Err(LoadError::File { file: file.display().to_string(), why });
    match extension {
        "map" | "tmx" | "png" => check_map(file, memory_max),
        "scen" => load_scen(file, None, memory_max).map(|_| Vec::new()),
        "toml" => match read_scenario(file, memory_max) {
            Ok(mut typed) => {
                // Loading only searches for the first orders: one slot will do, and landmarks would not pay.
                typed.landmarks = Some(0);
                typed.search_slots = 1;
                let world = build_world_within(file, &typed, Files::Disk, memory_max)?.world;
                Ok(warnings(file, &typed, &world).iter().map(ToString::to_string).collect())
            }
            Err(error) if lacks(&error, &["map", "name", "ticks"]) => {
                match check_class_file(file, memory_max) {
                    Err(of_class) if lacks(&of_class, &["class"]) => Err(error),
                    checked => checked.map(|()| Vec::new()),
                }
            }
            Err(error) => Err(error),
        },
        "json" => Ok(LoadedProblem::read(file, &read_file(file)?, Files::Disk, memory_max)?.warnings),
        other => {
            let found = if other.is_empty() { "no extension".to_owned() } else { format!("\".{other}\"") };
            refuse(format!(
                "expected a scenario or class file (.toml), a map (.map, .tmx, .png), queries on one (.scen), a problem (.json) or a recording, found {found}"
            ))
        }
    }
}

/// Judges a plan of a problem by the rules of the competition.
fn check_plan(files: &[PathBuf], plan: &Path, memory_max: MemoryMax) -> Result<Exit, Failure> {
    let [problem] = files else {
        let found = files.len();
        return Err(Failure::bad_input(format!(
            "--plan: expected one problem file (.json), found {found} files"
        )));
    };
    if !is_problem(problem) {
        let file = problem.display();
        return Err(Failure::bad_input(format!("--plan: expected a problem file (.json), found {file}")));
    }
    let read = |file: &Path| read_file(file).map_err(Failure::bad_input);
    let loaded =
        LoadedProblem::read(problem, &read(problem)?, Files::Disk, memory_max).map_err(Failure::bad_input)?;
    let text = read(plan)?;
    let verdict = judge_plan(&loaded, &text).map_err(|JsonError { line, column, message, .. }| {
        Failure::bad_input(format!("{}:{line}:{column}: not a plan: {message}", safe_text::path(plan)))
    })?;
    let (mut out, plan) = (text_out(), safe_text::path(plan));
    for violation in &verdict.violations {
        writeln!(out, "{plan}: {violation}")?;
    }
    let more = verdict.n_violations - verdict.violations.len() as u64;
    if more > 0 {
        writeln!(out, "{plan}: and {more} more")?;
    }
    let PlanVerdict { agents, steps, tasks_finished, n_violations, .. } = verdict;
    writeln!(
        out,
        "{plan}: {agents} agents, {steps} steps, {tasks_finished} tasks finished, {n_violations} violations"
    )?;
    out.flush()?;
    Ok(if n_violations == 0 { Exit::Done } else { Exit::Negative })
}

/// Whether a file lacks all of these top-level keys.
fn lacks(error: &LoadError, keys: &[&str]) -> bool {
    let LoadError::Scenario(errors) = error else { return false };
    let is_missing =
        |key: &&str| errors.as_slice().iter().any(|e| e.key == *key && e.message.starts_with("missing"));
    keys.iter().all(is_missing)
}
