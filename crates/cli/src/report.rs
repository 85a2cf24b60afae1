//! `wheelbase report`: writes plots of a recorded run as a page.

use crate::args::ReportArgs;
use crate::failure::{Exit, Failure};
use crate::file_kind::Takes;
use crate::interrupt::Interrupt;
use crate::output::clash::refuse_clashes;
use crate::output::files::Outputs;
use crate::output::{progress_bar, say};
use crate::phase_times::PhaseTimes;
use crate::picture_files::{PAGE_ENDINGS, check_ending};
use crate::plan::thread_pool;
use wheelbase_scenario::recording::{PhaseNanos, Reader, RecordingError, profile};
use wheelbase_sim::{Phase, RunState, World};
use wheelbase_view::{report, safe_text};

pub fn run(args: &ReportArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let file = safe_text::path(&args.recording);
    let of_file = |error: RecordingError| Failure::in_file(&args.recording, error);
    check_ending("--output", Some(&args.output), &PAGE_ENDINGS)?;
    refuse_clashes([("--output", Some(args.output.as_path()))], [args.recording.as_path()])?;
    let pool = thread_pool(args.threads)?;
    let mut reader = Reader::open_file_within(&args.recording, args.memory.max())
        .map_err(|error| Takes::RECORDED.refuse_recording(&args.recording, error))?;
    if let Some(cut) = reader.truncation() {
        say(format_args!("warning: {file}: {cut}"));
    }
    let bar = progress_bar("tick", reader.ticks_run().into(), !args.progress.quiet);
    let profile = pool.install(|| {
        profile(&mut reader, timed_step, |tick| {
            // Signals are caught from the first tick on: while the world is built, they end the program immediately.
            stop.catch_signals();
            bar.set_position(tick.into());
            !stop.is_raised()
        })
    });
    bar.finish_and_clear();
    let profile = profile.map_err(of_file)?;
    if let Some(tick) = profile.differs_at {
        say(format_args!("warning: {file}: the replay differs from tick {tick} on"));
    }
    let page = report::page(&mut reader, &profile, pool.current_num_threads()).map_err(of_file)?;
    let mut outputs = Outputs::default();
    outputs.write(&args.output, page.as_bytes(), stop);
    outputs.end(match profile.differs_at {
        _ if stop.is_raised() => Exit::Interrupted,
        Some(_) => Exit::Negative,
        None => Exit::Done,
    })
}

/// A step with the time of each phase.
fn timed_step(world: &mut World) -> (RunState, PhaseNanos) {
    let mut phases = PhaseTimes::new();
    let step = world.step_observed(&mut |phase| phases.begin(phase));
    phases.begin(Phase::Metrics);
    (step, phases.nanos)
}
