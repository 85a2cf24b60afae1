//! `wheelbase check`: validates scenario, class, map, problem and recording files, and judges plans.

use crate::args::{CheckArgs, Format, MessageFormat};
use crate::diagnostics::{JsonDiagnostic, Severity, drawn, drawn_mistakes, output_is_coloured, write_drawn};
use crate::failure::{Exit, Failure};
use crate::file_kind::{Takes, is_scen, refuse_map, with_kind_of};
use crate::output::{counted, print, text_out};
use crate::standard_input::{is_standard_input, read_named};
use serde::Serialize;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use wheelbase_grid::MemoryMax;
use wheelbase_scenario::load::{
    Files, LoadError, LoadedOneShot, LoadedProblem, OneShot, OneShotResult, Overrides, check_class_file,
    check_map, check_scen, check_scenario, check_scenario_of_bytes, is_problem, load_one_shot,
    load_world_and_text, read_file,
};
use wheelbase_scenario::recording::{Event, Reader, RecordingError, TickRecord, is_recording};
use wheelbase_scenario::scenario::{Message, ScenarioError, ScenarioErrors, Span};
use wheelbase_scenario::{
    JsonError, MovePlan, MovePlanVerdict, PlanVerdict, check_plannable, judge_move_plan, judge_one_shot_plan,
    judge_plan,
};
use wheelbase_sim::{Counters, World};
use wheelbase_view::safe_text;

/// Extensions that mark a recording whatever its first bytes. `part` is a recording in progress, or of a killed run.
const RECORDING_ENDINGS: [&str; 2] = ["rec", "part"];

pub fn run(args: &CheckArgs, message_format: MessageFormat) -> Result<Exit, Failure> {
    let memory_max = args.memory.max();
    if let Some(plan) = &args.plan {
        return check_plan(args, plan, memory_max);
    }
    let map = args.map.as_deref();
    if !args.files.iter().any(|file| is_scen(file)) {
        refuse_map(map)?;
    }
    let checked: Vec<(&PathBuf, Result<Checked, LoadError>)> =
        args.files.iter().map(|file| (file, check_file(file, map, memory_max))).collect();
    match args.format {
        Format::Json => print_json(&checked)?,
        Format::Text => print_text(&checked, message_format)?,
    }
    Ok(if checked.iter().all(|(_, checked)| checked.is_ok()) { Exit::Done } else { Exit::BadInput })
}

/// Prints a line for each valid file, and the mistakes of the others.
fn print_text(
    checked: &[(&PathBuf, Result<Checked, LoadError>)],
    message_format: MessageFormat,
) -> Result<(), Failure> {
    let is_coloured = output_is_coloured();
    let mut out = text_out();
    for (file_idx, (file, checked)) in checked.iter().enumerate() {
        match checked {
            Ok(checked) => {
                match message_format {
                    _ if checked.warnings.is_empty() => {}
                    MessageFormat::Short => {
                        for warning in &checked.warnings {
                            writeln!(out, "warning: {warning}")?;
                        }
                    }
                    MessageFormat::Full => {
                        let drawn = drawn_mistakes(&checked.warnings, Severity::Warning, is_coloured);
                        write_drawn(&mut out, &format!("{drawn}\n"))?;
                    }
                }
                writeln!(out, "{}: {}", safe_text::path(file), checked.in_words())?;
            }
            Err(error) => match message_format {
                MessageFormat::Short => writeln!(out, "{error}")?,
                MessageFormat::Full => {
                    let gap = if file_idx == 0 { "" } else { "\n" };
                    write_drawn(&mut out, &format!("{gap}{}", drawn(error, is_coloured)))?;
                }
            },
        }
    }
    Ok(out.flush()?)
}

/// Prints one JSON object: each file, and everything that is said of them.
fn print_json(checked: &[(&PathBuf, Result<Checked, LoadError>)]) -> Result<(), Failure> {
    let mut result = JsonResult::default();
    for (file, checked) in checked {
        let file = file.display().to_string();
        match checked {
            Ok(checked) => {
                let warnings = checked.warnings.iter();
                result
                    .diagnostics
                    .extend(warnings.map(|warning| JsonDiagnostic::at(warning, Severity::Warning)));
                result.files.push(JsonFile { file, ok: true, summary: checked.summary.clone() });
            }
            Err(error) => {
                result.diagnostics.extend(JsonDiagnostic::of_error(&file, error));
                result.files.push(JsonFile { file, ok: false, summary: None });
            }
        }
    }
    print(Format::Json, &result, |_| Ok(()))
}

/// The result for programs.
#[derive(Debug, Default, Serialize)]
struct JsonResult {
    files: Vec<JsonFile>,
    diagnostics: Vec<JsonDiagnostic>,
}

/// A file that was checked.
#[derive(Debug, Serialize)]
struct JsonFile {
    file: String,
    ok: bool,
    summary: Option<String>,
}

/// A valid file.
struct Checked {
    /// Contents that are probably not intended.
    warnings: Vec<ScenarioError>,
    /// A summary of a binary file.
    summary: Option<String>,
}

impl Checked {
    /// That it is valid, and how many warnings there are.
    fn in_words(&self) -> String {
        let count = match self.warnings.len() {
            0 => "ok".to_owned(),
            1 => "ok, 1 warning".to_owned(),
            n => format!("ok, {n} warnings"),
        };
        count + &self.summary.as_ref().map_or_else(String::new, |summary| format!(": {summary}"))
    }
}

/// Checks a file by its extension, recordings also by their first bytes.
fn check_file(file: &Path, map: Option<&Path>, memory_max: MemoryMax) -> Result<Checked, LoadError> {
    let by_ending =
        || RECORDING_ENDINGS.iter().any(|ending| file.extension().is_some_and(|it| it == *ending));
    if is_recording(file) || by_ending() {
        return check_recording(file, memory_max).map_err(|error| LoadError::in_file(file, error));
    }
    check_text_file(file, map, memory_max).map(|warnings| Checked { warnings, summary: None })
}

/// Reads a whole recording.
fn check_recording(file: &Path, memory_max: MemoryMax) -> Result<Checked, RecordingError> {
    let mut reader = Reader::open_file_within(file, memory_max)?;
    let (mut record, mut n_agents) = (TickRecord::default(), 0_u64);
    let mut counters = Counters::default();
    while reader.next_tick(&mut record)? {
        n_agents += record.events.iter().filter(|event| matches!(event, Event::Spawn { .. })).count() as u64;
        counters = record.counters;
    }
    reader.check_end()?;
    let name = || file.display().to_string();
    let warning = reader.truncation().map(|cut| ScenarioError::of_file(name(), cut));
    let summary = format!(
        "recording of \"{}\", {}, {}, {}, {}",
        safe_text::line(&reader.header().name),
        counted(reader.chunks().len(), "chunk"),
        counted(reader.ticks_run(), "tick"),
        counted(n_agents, "agent"),
        counted(counters.moves, "move")
    );
    Ok(Checked { warnings: warning.into_iter().collect(), summary: Some(summary) })
}

/// The warnings of a valid file; `map` is the map of queries. A `.toml` file without a map is taken for a class file.
fn check_text_file(
    file: &Path,
    map: Option<&Path>,
    memory_max: MemoryMax,
) -> Result<Vec<ScenarioError>, LoadError> {
    if file.is_dir() {
        let message = Message::wrong("is a folder", "a file").with_help("name a file in it");
        return Err(LoadError::in_file(file, message));
    }
    if is_standard_input(file) {
        return check_scenario_of_bytes(file, &read_named(file)?, memory_max);
    }
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let by_ending = match extension {
        "map" | "tmx" | "png" => check_map(file, memory_max),
        "scen" => check_scen(file, map, memory_max),
        "toml" => match check_scenario(file, memory_max) {
            Err(error) if lacks(&error, &["map", "name", "ticks"]) => {
                match check_class_file(file, memory_max) {
                    Err(of_class) if lacks(&of_class, &["class"]) => Err(error),
                    checked => checked.map(|()| Vec::new()),
                }
            }
            checked => checked,
        },
        "json" => Ok(LoadedProblem::read(file, &read_file(file)?, Files::Disk, memory_max)?.warnings),
        other => {
            let found = if other.is_empty() { "no extension".to_owned() } else { format!("\".{other}\"") };
            let message = Message::unexpected(Takes::CHECKABLE.expected, found);
            return Err(LoadError::in_file(file, with_kind_of(file, message)));
        }
    };
    by_ending.map_err(|error| match error.is_in(file) {
        true => Takes::CHECKABLE.wrong_kind(file).unwrap_or(error),
        false => error,
    })
}

/// Judges a plan.
fn check_plan(args: &CheckArgs, plan: &Path, memory_max: MemoryMax) -> Result<Exit, Failure> {
    let [file] = args.files.as_slice() else {
        let found = args.files.len();
        return Err(Failure::bad_input(format!(
            "--plan: expected one scenario (.toml), file of queries (.scen) or problem (.json), found {found} files"
        )));
    };
    if !is_scen(file) {
        refuse_map(args.map.as_deref())?;
    }
    if is_problem(file) {
        return check_plan_of_problem(file, plan, args.format, memory_max);
    }
    let read = read_move_plan(plan)?;
    let of_queries = (args.map.as_deref(), args.class.as_deref());
    let Planned { world, one_shot, .. } = load_planned(file, &read, of_queries, memory_max)?;
    let verdict = match &one_shot {
        Some(one_shot) => judge_one_shot_plan(&world, one_shot, &read),
        None => judge_move_plan(&world, &read),
    };
    if args.format == Format::Json {
        let rating = verdict.one_shot.filter(|rating| rating.makespan.is_some());
        let violations = in_words(&verdict.violations);
        print_plan_json(plan, &verdict, violations, rating)?;
    } else {
        write_move_plan_verdict(&safe_text::path(plan), &verdict)?;
    }
    Ok(if verdict.n_violations == 0 { Exit::Done } else { Exit::Negative })
}

/// Violations, and what they say.
fn in_words<V: Serialize + Display>(violations: &[V]) -> Vec<InWords<'_, V>> {
    violations.iter().map(|violation| InWords { message: violation.to_string(), violation }).collect()
}

/// A violation with its text.
#[derive(Serialize)]
struct InWords<'a, V: Serialize> {
    message: String,
    #[serde(flatten)]
    violation: &'a V,
}

/// Prints a verdict as one JSON object; `rating` has further keys.
fn print_plan_json<V: Serialize>(
    plan: &Path,
    verdict: &impl Serialize,
    violations: Vec<InWords<'_, V>>,
    rating: Option<impl Serialize>,
) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Verdict<'a, T: Serialize, V: Serialize, R: Serialize> {
        plan: String,
        ok: bool,
        #[serde(flatten)]
        verdict: &'a T,
        #[serde(flatten)]
        rating: Option<R>,
        violations: Vec<InWords<'a, V>>,
    }
    let (ok, plan) = (violations.is_empty(), plan.display().to_string());
    print(Format::Json, &Verdict { plan, ok, verdict, rating, violations }, |_| Ok(()))
}

/// Prints the violations of a move plan, and what there is in it.
fn write_move_plan_verdict(plan: &str, verdict: &MovePlanVerdict) -> Result<(), Failure> {
    let mut out = text_out();
    write_violations(&mut out, plan, &verdict.violations, verdict.n_violations)?;
    let MovePlanVerdict { agents, moves, ticks, ticks_of_scenario, orders_reached, n_violations, .. } =
        verdict;
    if ticks > ticks_of_scenario {
        let until = format!("the scenario ends at tick {ticks_of_scenario}, the plan at tick {ticks}");
        writeln!(out, "{plan}: not judged: {until}")?;
    }
    let (agents, moves) = (counted(*agents, "agent"), counted(*moves, "move"));
    let (ticks, orders) = (counted(*ticks, "tick"), counted(*orders_reached, "order"));
    write!(out, "{plan}: {agents}, {moves}, {ticks}, {orders} carried out")?;
    for (count, what) in
        [(verdict.orders_unreachable, "unreachable"), (verdict.orders_not_judged, "orders not judged")]
    {
        if count > 0 {
            write!(out, ", {count} {what}")?;
        }
    }
    if let Some(OneShotResult { makespan: Some(makespan), sum_of_costs: Some(sum), .. }) = verdict.one_shot {
        write!(out, ", makespan {makespan}, sum of costs {sum}")?;
    }
    writeln!(out, ", {}", counted(*n_violations, "violation"))?;
    Ok(out.flush()?)
}

/// Writes the violations that a verdict lists, and how many more there are.
fn write_violations<V: Display>(
    out: &mut impl Write,
    plan: &str,
    violations: &[V],
    n_violations: u64,
) -> Result<(), Failure> {
    for violation in violations {
        writeln!(out, "{plan}: {}", safe_text::line(&violation.to_string()))?;
    }
    let more = n_violations - violations.len() as u64;
    if more > 0 {
        writeln!(out, "{plan}: and {more} more")?;
    }
    Ok(())
}

/// A world before its first tick, for the scenario of a plan.
pub struct Planned {
    pub world: World,
    /// The files read besides that of the scenario.
    pub read: Vec<PathBuf>,
    /// The goals of a file of queries.
    pub one_shot: Option<OneShot>,
}

/// Reads a move plan.
pub fn read_move_plan(plan: &Path) -> Result<MovePlan, Failure> {
    MovePlan::parse(&read_file(plan)?).map_err(|error| not_a_plan(plan, Takes::MOVE_PLAN, error))
}

/// Loads the scenario of a plan, with its seed; or as many queries as it has agents, on a map and for a class.
pub fn load_planned(
    file: &Path,
    plan: &MovePlan,
    (map, class): (Option<&Path>, Option<&str>),
    memory_max: MemoryMax,
) -> Result<Planned, Failure> {
    let overrides = Overrides { seed: Some(plan.seed), memory_max, ..Overrides::default() };
    let planned = if is_scen(file) {
        let agents = plan.agents.len() as u32;
        load_one_shot(file, map, agents, class, overrides).map(
            |LoadedOneShot { loaded, one_shot, .. }| Planned {
                read: loaded.source.files_read(file),
                world: loaded.world,
                one_shot: Some(one_shot),
            },
        )
    } else {
        load_world_and_text(file, overrides).map(|(loaded, _)| Planned {
            read: loaded.source.files_read(file),
            world: loaded.world,
            one_shot: None,
        })
    };
    let planned = planned.map_err(|error| Takes::RUNNABLE.refuse(file, error))?;
    check_plannable(&planned.world).map_err(|why| Failure::in_file(file, why))?;
    Ok(planned)
}

/// The failure on a text that is not a plan.
pub fn not_a_plan(plan: &Path, takes: Takes, JsonError { line, column, message, .. }: JsonError) -> Failure {
    let span = Span::in_line(line, column.max(1), 1);
    let error = ScenarioError::at(plan.display().to_string(), span, format!("not a plan: {message}"));
    takes.refuse(plan, ScenarioErrors::from(error).into())
}

/// Judges a plan of a problem by the rules of the competition.
fn check_plan_of_problem(
    problem: &Path,
    plan: &Path,
    format: Format,
    memory_max: MemoryMax,
) -> Result<Exit, Failure> {
    let loaded = LoadedProblem::read(problem, &read_file(problem)?, Files::Disk, memory_max)?;
    let verdict =
        judge_plan(&loaded, &read_file(plan)?).map_err(|error| not_a_plan(plan, Takes::PLAN, error))?;
    let PlanVerdict { agents, steps, tasks_finished, n_violations, ref violations, .. } = verdict;
    if format == Format::Json {
        print_plan_json(plan, &verdict, in_words(violations), None::<OneShotResult>)?;
    } else {
        let (mut out, plan) = (text_out(), safe_text::path(plan));
        write_violations(&mut out, &plan, violations, n_violations)?;
        let (agents, steps) = (counted(agents, "agent"), counted(steps, "step"));
        let (tasks, violations) = (counted(tasks_finished, "task"), counted(n_violations, "violation"));
        writeln!(out, "{plan}: {agents}, {steps}, {tasks} finished, {violations}")?;
        out.flush()?;
    }
    Ok(if n_violations == 0 { Exit::Done } else { Exit::Negative })
}

/// Whether a file lacks all of these top-level keys.
fn lacks(error: &LoadError, keys: &[&str]) -> bool {
    let LoadError::Scenario(errors) = error else { return false };
    let is_missing =
        |key: &&str| errors.as_slice().iter().any(|e| e.key == *key && e.message.text.starts_with("missing"));
    keys.iter().all(is_missing)
}
