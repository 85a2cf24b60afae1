//! `wheelbase run`: runs a scenario to its end and prints the result.

use crate::args::RunArgs;
use crate::crash::{end_broken, report};
use crate::failed_orders::FailedOrders;
use crate::failure::{Exit, Failure};
use crate::file_kind::Takes;
use crate::interrupt::Interrupt;
use crate::output::clash::refuse_clashes;
use crate::output::{print, progress_bar, say};
use crate::peak_memory::peak_memory_mib;
use crate::plan::thread_pool;
use crate::result_text::write_text;
use crate::run_files::{OpenedFiles, RunFiles};
use crate::snapshot_file::{Resumed, load_resumed};
use crate::watch;
use std::path::{Path, PathBuf};
use std::time::Instant;
use wheelbase_scenario::load::{Loaded, Overrides, Source, is_problem, load_world_and_text};
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
        tries_per_tick: args.tries_per_tick,
        traffic,
        replan,
        memory_max: args.memory.max(),
    };
    let scenario = args.scenario.as_deref();
    if let Some(file) = scenario.filter(|file| args.plan_out.is_some() && !is_problem(file)) {
        let file = safe_text::path(file);
        return Err(Failure::bad_input(format!("--plan-out: expected a problem file (.json), found {file}")));
    }
    refuse_clashes(args.outputs(), scenario)?;
    if args.watch {
        watch::require_terminal()?;
    }
    let pool = thread_pool(args.threads)?;
    let Begun { mut world, read, mut commands, expected } = pool.install(|| begin(args, overrides))?;
    if let (Some(file), Some((_, source))) = (scenario, &read) {
        refuse_clashes(args.outputs(), source.files_read(file).iter().map(PathBuf::as_path))?;
    }
    // A crash report begins where the run does. Saving that beforehand takes up to half as long as loading.
    let start_hash = world.state_hash();
    let again = || {
        let begun = pool.install(|| begin(args, overrides)).ok()?;
        (begun.world.state_hash() == start_hash).then_some((begun.world, begun.commands))
    };
    let files = OpenedFiles::open(args);
    stop.catch_signals();
    let from = scenario.zip(read.as_ref()).map(|(file, (text, source))| (file, text.as_str(), source));
    let mut files = files.begin(from, &mut world);
    drop(read);
    let mut terminal = args.watch.then(Terminal::begin).transpose()?;
    let started = Instant::now();
    let (term, show) = (terminal.as_mut(), !args.quiet);
    let Driven { times, agent_ticks, failed, broken } =
        pool.install(|| drive(&mut world, &mut commands, &mut files, term, stop, show, &mut |_| {}))?;
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
    let printed = print(args.format, &result, |out| write_text(out, &result, &failed));
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
    let exit = match &result {
        _ if stop.is_raised() => Exit::Interrupted,
        result if result.orders_left_doable > 0 => Exit::Negative,
        _ => Exit::Done,
    };
    outputs.end_after(printed, exit)
}

/// What a run begins with.
struct Begun {
    world: World,
    /// The text of the scenario and its sources; `None` for a resumed run.
    read: Option<(String, Source)>,
    /// Of a crash report: the commands to give again, and the panic to come.
    commands: CommandsSince,
    expected: Option<Broken>,
}

/// Loads what the arguments name.
fn begin(args: &RunArgs, overrides: Overrides) -> Result<Begun, Failure> {
    let mut begun = match (&args.scenario, &args.resume) {
        (Some(file), _) => {
            let (Loaded { world, source, .. }, text) =
                load_world_and_text(file, overrides).map_err(|error| Takes::RUNNABLE.refuse(file, error))?;
            Begun { world, read: Some((text, source)), commands: CommandsSince::default(), expected: None }
        }
        (None, Some(file)) => {
            let host = Host { memory_max: overrides.memory_max, ..Host::default() };
            let Resumed { mut world, commands, expected } = load_resumed(file, host)?;
            world.set_ticks(args.ticks.unwrap_or(world.settings().ticks));
            Begun { world, read: None, commands, expected }
        }
        // The arguments name one of the two.
        (None, None) => return Err(Failure::bad_input("expected a scenario, or --resume FILE")),
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

/// Runs ticks to the end, to a panic, or until Ctrl-C. Gives commands before their ticks. Calls `begins` at each phase of
/// a tick.
pub fn drive(
    world: &mut World,
    commands: &mut CommandsSince,
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
        commands.give_due(world);
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
    bar.finish_and_clear();
    Ok(Driven { times, agent_ticks, failed, broken })
}
