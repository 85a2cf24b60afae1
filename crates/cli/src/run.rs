//! `wheelbase run`: runs a scenario to its end and prints the result.

use crate::args::{Format, RunArgs};
use crate::crash::{end_broken, report};
use crate::failed_orders::FailedOrders;
use crate::failure::{Exit, Failure};
use crate::file_kind::{Takes, is_scen};
use crate::interrupt::Interrupt;
use crate::output::clash::refuse_clashes;
use crate::output::{counted, print, progress_bar, row, say};
use crate::peak_memory::peak_memory_mib;
use crate::plan::thread_pool;
use crate::result_text::write_text;
use crate::run_files::{OpenedFiles, RunFiles};
use crate::snapshot_file::{Resumed, load_resumed};
use crate::standard_input::load_named;
use crate::watch;
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use wheelbase_scenario::check_plannable;
use wheelbase_scenario::load::{
    Loaded, LoadedOneShot, OneShot, OneShotResult, Overrides, Source, is_problem, load_one_shot,
};
use wheelbase_sim::{
    Broken, CommandsSince, Counters, Host, Phase, ReplanParams, RunResult, RunState, TickTimes,
    TrafficParams, World, tune,
};
use wheelbase_view::safe_text;
use wheelbase_view::terminal::Terminal;

/// Ticks between two updates of the progress bar.
const PROGRESS_TICKS: u32 = 16;

pub fn run(args: &RunArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let (mut traffic, mut replan) = (TrafficParams::default(), ReplanParams::default());
    for (name, value) in &args.tune {
        tune(&mut traffic, &mut replan, name, *value)
            .map_err(|error| Failure::bad_input(format!("--tune: {error}")))?;
    }
    let overrides = Overrides {
        ticks: args.ticks,
        seed: args.seed,
        expansions_per_tick: args.expansions_per_tick,
        routes: args.routes.map(Into::into),
        poses_per_agent: args.poses_per_agent,
        tries_per_tick: args.tries_per_tick,
        traffic,
        replan,
        memory_max: args.memory.max(),
    };
    let scenario = args.scenario.as_deref();
    check_one_shot(args)?;
    let class_file = args.class.as_deref().map(Path::new);
    let read = [scenario, class_file, args.map.as_deref()];
    refuse_clashes(args.outputs(), read.into_iter().flatten())?;
    refuse_clashes(args.outputs_not_resumed(), args.resume.as_deref())?;
    if args.watch {
        watch::require_terminal()?;
    }
    let pool = thread_pool(args.threads)?;
    if args.format == Format::Json {
        stop.set_last_words(Some(json!({ "interrupted": true }).to_string()));
    }
    let Begun { mut world, read, mut given, expected } = pool.install(|| begin(args, overrides))?;
    if let (Some(file), Some((_, source))) = (scenario, &read) {
        refuse_clashes(args.outputs(), source.files_read(file).iter().map(PathBuf::as_path))?;
    }
    if args.plan_out.is_some() && !scenario.is_some_and(is_problem) {
        check_plannable(&world).map_err(|why| Failure::bad_input(format!("--plan-out: {why}")))?;
    }
    // A crash report begins where the run does. Saving that beforehand takes up to half as long as loading.
    let start_hash = world.state_hash();
    let again = || {
        let begun = pool.install(|| begin(args, overrides)).ok()?;
        (begun.world.state_hash() == start_hash).then_some((begun.world, begun.given.since))
    };
    let files = OpenedFiles::open(args);
    stop.catch_signals();
    let from = scenario.zip(read.as_ref()).map(|(file, (text, source))| (file, text.as_str(), source));
    let mut files = files.begin(from, &mut world);
    drop(read);
    let mut terminal = args.watch.then(Terminal::begin).transpose()?;
    let started = Instant::now();
    let (term, show) = (terminal.as_mut(), !args.progress.quiet);
    let Driven { times, agent_ticks, failed, broken } =
        pool.install(|| drive(&mut world, &mut given, &mut files, term, stop, show, &mut |_| {}))?;
    let wall_s = started.elapsed().as_secs_f64();
    // Restores the terminal before anything else is written to it.
    drop(terminal);
    if let Some(broken) = broken {
        return Err(end_broken(&world, &broken, again, files, Path::new("")));
    }
    if let Some(expected) = expected.filter(|expected| world.tick() > expected.tick()) {
        say(format_args!("warning: the panic of the report, {expected}, has not come again"));
    }
    let result = RunResult {
        peak_memory_mib: peak_memory_mib(),
        ..RunResult::of(&world, pool.current_num_threads(), &times, wall_s, agent_ticks)
    };
    let outputs = files.finish(&world, &result);
    let one_shot = given.one_shot.map(|one_shot| one_shot.result());
    let interrupted = stop.is_raised();
    stop.set_last_words(None);
    let printed = print(args.format, &Printed { result: &result, one_shot, interrupted }, |out| {
        write_text(out, &result, &failed)?;
        one_shot.map_or(Ok(()), |one_shot| write_one_shot(out, one_shot))
    });
    // Reported first, so that a closed pipe cannot hide it.
    if let Some((tick, violation)) = world.violation() {
        if let Err(Failure::Message { text, .. }) = outputs.end(Exit::Broken) {
            say(text);
        }
        return Err(Failure::Message {
            exit: Exit::Broken,
            text: format!(
                "error: an invariant of the simulation broke at tick {tick}: {violation}\n{}",
                report(&world, again, " --check-invariants", Path::new(""))
            ),
        });
    }
    if result.not_placed > 0 {
        say(format_args!("warning: events found no room for {} of their new agents", result.not_placed));
    }
    if result.orders_unreachable > 0 {
        let (count, reasons) = (result.orders_unreachable, &result.unreachable_reasons);
        say(format_args!("warning: {} proved unreachable: {reasons}", counted(count, "order")));
    }
    let exit = match &result {
        _ if interrupted => Exit::Interrupted,
        result if result.orders_left_doable > 0 => Exit::Negative,
        result if args.fail_unreachable && result.orders_unreachable > 0 => Exit::Negative,
        _ if one_shot.is_some_and(|one_shot| one_shot.agents_off_goal > 0) => Exit::Negative,
        _ => Exit::Done,
    };
    outputs.end_after(printed, exit)
}

/// What a run begins with.
struct Begun {
    world: World,
    /// The text of the scenario and its sources; `None` for a resumed run.
    read: Option<(String, Source)>,
    /// Input while it runs.
    given: Given,
    /// Of a crash report: the panic to come.
    expected: Option<Broken>,
}

/// What a world is given while it runs, besides what its scenario says.
#[derive(Default)]
pub struct Given {
    /// Of a crash report: the commands to give again.
    pub since: CommandsSince,
    /// Of a one-shot instance: its goals, to which agents that made way are sent back.
    pub one_shot: Option<OneShot>,
}

/// A result as JSON: a one-shot instance has additional keys at the end.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    result: &'a RunResult,
    #[serde(flatten)]
    one_shot: Option<OneShotResult>,
    /// Only there if it is true: a run that came to its end has the keys that it always had.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
}

/// Writes the rows of a one-shot instance.
fn write_one_shot(out: &mut impl Write, result: OneShotResult) -> io::Result<()> {
    match result {
        OneShotResult { makespan: Some(makespan), sum_of_costs: Some(sum), .. } => {
            row(out, "makespan", counted(makespan, "tick"))?;
            row(out, "sum of costs", counted(sum, "tick"))
        }
        OneShotResult { agents_off_goal, .. } => {
            let are = if agents_off_goal == 1 { "is not at its goal" } else { "are not at their goals" };
            row(out, "not solved", format!("{} {are}", counted(agents_off_goal, "agent")))
        }
    }
}

/// Refuses the arguments of a one-shot instance without its file, and its file without them.
fn check_one_shot(args: &RunArgs) -> Result<(), Failure> {
    let Some(file) = args.scenario.as_deref() else { return Ok(()) };
    let shown = safe_text::path(file);
    let wrong = match (is_scen(file), args.agents) {
        (true, None) => format!("{shown}: queries do not say how many agents to run; expected --agents N"),
        (true, _) if args.snapshot.is_some() => {
            "--snapshot: expected a scenario or a problem: a snapshot does not hold the goals of queries, to \
             which agents that made way go back"
                .to_owned()
        }
        (false, Some(_)) => format!("--agents: expected queries on a map (.scen), found {shown}"),
        _ => return Ok(()),
    };
    Err(Failure::bad_input(wrong))
}

/// Loads what the arguments name.
fn begin(args: &RunArgs, overrides: Overrides) -> Result<Begun, Failure> {
    let mut begun = match (&args.scenario, args.agents, &args.resume) {
        (Some(file), Some(agents), _) => {
            let LoadedOneShot { loaded: Loaded { world, source, .. }, text, one_shot, .. } =
                load_one_shot(file, args.map.as_deref(), agents, args.class.as_deref(), overrides)
                    .map_err(|error| Takes::RUNNABLE.refuse(file, error))?;
            let given = Given { one_shot: Some(one_shot), ..Given::default() };
            Begun { world, read: Some((text, source)), given, expected: None }
        }
        (Some(file), None, _) => {
            let (Loaded { world, source, .. }, text) =
                load_named(file, overrides).map_err(|error| Takes::RUNNABLE.refuse(file, error))?;
            Begun { world, read: Some((text, source)), given: Given::default(), expected: None }
        }
        (None, _, Some(file)) => {
            let host = Host { memory_max: overrides.memory_max, ..Host::default() };
            let Resumed { mut world, commands: since, expected } = load_resumed(file, host)?;
            world.set_ticks(args.ticks.unwrap_or(world.settings().ticks));
            Begun { world, read: None, given: Given { since, one_shot: None }, expected }
        }
        // The arguments name one of the two.
        (None, _, None) => return Err(Failure::bad_input("expected a scenario, or --resume FILE")),
    };
    if args.check_invariants {
        begun.world.check_invariants();
    }
    Ok(begun)
}

/// What a run came to.
pub struct Driven {
    /// The times of its ticks.
    pub times: TickTimes,
    /// The number of agents summed over its ticks.
    pub agent_ticks: u64,
    /// The orders that it gave up first.
    pub failed: FailedOrders,
    /// The panic that ended it.
    pub broken: Option<Broken>,
}

/// Runs ticks to the end, to a panic, or until Ctrl-C. Gives the due commands before each tick. Calls `begins` at each
/// phase of a tick.
pub fn drive(
    world: &mut World,
    given: &mut Given,
    files: &mut RunFiles,
    mut terminal: Option<&mut Terminal>,
    stop: &Interrupt,
    show: bool,
    begins: &mut (impl FnMut(Phase) + Send),
) -> Result<Driven, Failure> {
    let mut times = TickTimes::with_capacity(world.settings().ticks);
    let (mut agent_ticks, mut failed, mut broken) = (0, FailedOrders::default(), None);
    let bar = progress_bar("tick", world.settings().ticks.into(), show && terminal.is_none());
    while !stop.is_raised() {
        let tick = world.tick();
        given.since.give_due(world);
        if let Some(one_shot) = &mut given.one_shot {
            one_shot.before_tick(world);
        }
        files.before_tick(world);
        let began = Instant::now();
        let step = match world.try_step_observed(begins) {
            Ok(step) => step,
            Err(error) => {
                broken = Some(error);
                break;
            }
        };
        let took = began.elapsed();
        times.add(tick, took);
        failed.note(world);
        files.write(world, tick, step, took)?;
        if let Some(terminal) = terminal.as_deref_mut()
            && !watch::show(terminal, world, stop)?
        {
            stop.raise();
        }
        if step == RunState::Ended {
            break;
        }
        agent_ticks += world.agent_arrays().len() as u64;
        if tick.is_multiple_of(PROGRESS_TICKS) && !bar.is_hidden() {
            let Counters { moving, waiting, stuck, .. } = Counters::of(world);
            bar.set_message(format!(", {moving} moving, {waiting} waiting, {stuck} stuck"));
            bar.set_position(u64::from(tick));
        }
    }
    if let Some(one_shot) = &mut given.one_shot {
        one_shot.note_arrivals(world);
    }
    bar.finish_and_clear();
    Ok(Driven { times, agent_ticks, failed, broken })
}
