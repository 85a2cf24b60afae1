//! `wheelbase run`: a scenario to its end, and what came of it.

use crate::args::RunArgs;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::{print, progress_bar, row};
use crate::plan::thread_pool;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{Phase, RunResult, Simulation, Step, TickTimes, trace};

/// Ticks between two looks at the progress bar.
const PROGRESS_TICKS: u32 = 16;

pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let overrides = Overrides {
        ticks: args.ticks,
        seed: args.seed,
        expansions_per_tick: args.expansions_per_tick,
        tries_per_tick: args.tries_per_tick,
    };
    if args.scenario.extension().is_some_and(|extension| extension == "json") {
        let file = args.scenario.display();
        return Err(Failure::bad_input(format!("{file}: not supported yet: problem files (.json)")));
    }
    let stop = Interrupt::listen();
    let pool = thread_pool(args.threads)?;
    let mut sim = pool.install(|| load_simulation(&args.scenario, overrides)).map_err(Failure::bad_input)?;
    if args.check_invariants {
        sim.check_invariants();
    }
    let mut trace = args.trace.as_deref().map(|path| TraceFile::create(path, &mut sim)).transpose()?;
    let started = Instant::now();
    let (times, agent_ticks) =
        pool.install(|| drive(&mut sim, trace.as_mut(), &stop, !args.quiet, &mut |_| {}))?;
    let wall_s = started.elapsed().as_secs_f64();
    let result = RunResult::of(&sim, pool.current_num_threads(), &times, wall_s, agent_ticks);
    if let Some(trace) = trace {
        trace.finish(&result)?;
    }
    let printed = print(args.format, &result, |out| write_text(out, &result));
    // Said first: a closed pipe must not hide it.
    if let Some((tick, violation)) = sim.violation() {
        return Err(Failure::Message {
            exit: Exit::Broken,
            text: format!(
                "error: a rule of the simulation broke at tick {tick}: {violation}\nto report it, send the scenario, seed {} and this command",
                result.seed
            ),
        });
    }
    printed?;
    if result.not_placed > 0 {
        // Nobody may be there to read it.
        let _ = writeln!(
            io::stderr(),
            "warning: events found no room for {} of the agents that they were to add",
            result.not_placed
        );
    }
    Ok(match &result {
        _ if stop.is_raised() => Exit::Interrupted,
        result if result.orders_left_doable > 0 => Exit::Negative,
        _ => Exit::Done,
    })
}

/// Ticks to the end, or to the end of the tick in which Ctrl-C is pressed. Gives the times of the ticks
/// and the agents summed over them; tells `begins` of each phase of a tick.
pub fn drive(
    sim: &mut Simulation,
    mut trace: Option<&mut TraceFile>,
    stop: &Interrupt,
    show: bool,
    begins: &mut impl FnMut(Phase),
) -> Result<(TickTimes, u64), Failure> {
    let mut times = TickTimes::with_capacity(sim.settings().ticks);
    let mut agent_ticks = 0;
    let bar = progress_bar("tick", sim.settings().ticks.into(), show);
    while !stop.is_raised() {
        let tick = sim.tick();
        let began = Instant::now();
        let step = sim.step_observed(begins);
        times.add(tick, began.elapsed());
        if let Some(trace) = trace.as_deref_mut() {
            trace.write(sim, tick)?;
        }
        sim.clear_log();
        if step == Step::Ended {
            break;
        }
        agent_ticks += sim.agents().len() as u64;
        if tick.is_multiple_of(PROGRESS_TICKS) {
            bar.set_position(u64::from(tick));
        }
    }
    bar.finish_and_clear();
    Ok((times, agent_ticks))
}

/// A trace being written.
pub struct TraceFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl TraceFile {
    fn create(path: &Path, sim: &mut Simulation) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| Failure::writing(path, &error))?;
        let mut trace = Self { path: path.to_owned(), out: BufWriter::with_capacity(1 << 16, file) };
        sim.keep_log();
        trace.check(|out| trace::write_header(sim, out))?;
        Ok(trace)
    }

    fn check(&mut self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        write(&mut self.out).map_err(|error| Failure::writing(&self.path, &error))
    }

    fn write(&mut self, sim: &Simulation, tick: u32) -> Result<(), Failure> {
        self.check(|out| sim.log().iter().try_for_each(|event| trace::write_event(sim, tick, event, out)))
    }

    fn finish(mut self, result: &RunResult) -> Result<(), Failure> {
        self.check(|out| {
            trace::write_end(result, out)?;
            out.flush()
        })
    }
}

/// Orders done, of how many, and their share; rounded down, so that 100 % is all of them.
fn share_of_orders(result: &RunResult) -> String {
    let done = result.orders_done;
    let all = done + result.orders_unreachable + result.orders_left;
    if all == 0 {
        return done.to_string();
    }
    let permille = u128::from(done) * 1000 / u128::from(all);
    format!("{done} of {all}, {}.{} %", permille / 10, permille % 10)
}

fn write_text(out: &mut impl Write, result: &RunResult) -> io::Result<()> {
    let RunResult { scenario, ticks, agents, moves, threads, .. } = result;
    writeln!(out, "{scenario}: {agents} agents, {ticks} ticks, {moves} moves, {threads} threads")?;
    let mut line = |name: &str, value: String| row(out, name, value);
    line("orders done", share_of_orders(result))?;
    line("orders unreachable", result.orders_unreachable.to_string())?;
    line("orders left", result.orders_left.to_string())?;
    line("edits pending", result.edits_pending.to_string())?;
    line("agents removed", result.removed.to_string())?;
    if result.not_placed > 0 {
        line("agents not placed", result.not_placed.to_string())?;
    }
    line("agents stuck", result.stuck_agents.to_string())?;
    if let Some(collisions) = result.collisions {
        line("collisions", collisions.to_string())?;
    }
    line("flowtime", format!("{} ticks", result.flowtime))?;
    line("waiting", format!("{} agent-ticks, longest {}", result.wait_ticks, result.longest_wait_ticks))?;
    line(
        "path requests",
        format!(
            "{}, {} expansions, longest {} ticks",
            result.path_requests, result.expansions, result.longest_request_ticks
        ),
    )?;
    let tick_ms = result.tick_ms;
    line("time", format!("{:.3} s, {:.0} ticks a second", result.wall_s, result.ticks_per_s))?;
    line("tick", format!("p50 {:.3} ms, p99 {:.3} ms, max {:.3} ms", tick_ms.p50, tick_ms.p99, tick_ms.max))?;
    line("state hash", result.state_hash.clone())
}
