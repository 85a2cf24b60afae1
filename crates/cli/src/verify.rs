//! `wheelbase verify`: replays a recording and reports the first difference.

use crate::args::VerifyArgs;
use crate::failure::{Exit, Failure};
use crate::file_kind::Takes;
use crate::interrupt::Interrupt;
use crate::output::{counted, progress_bar, text_out};
use crate::plan::thread_pool;
use std::io::Write;
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_view::safe_text;

pub fn run(args: &VerifyArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let file = safe_text::path(&args.recording);
    let of_file = |error| Failure::in_file(&args.recording, error);
    let pool = thread_pool(args.threads)?;
    let mut reader = Reader::open_file_within(&args.recording, args.memory.max())
        .map_err(|error| Takes::RECORDED.refuse_recording(&args.recording, error))?;
    let bar = progress_bar("tick", reader.ticks_run().into(), !args.progress.quiet);
    let verified = pool.install(|| {
        verify(&mut reader, |tick| {
            // Signals are caught from the first tick on: while the world is built, they end the program immediately.
            stop.catch_signals();
            bar.set_position(tick.into());
            !stop.is_raised()
        })
    });
    bar.finish_and_clear();
    let verified = verified.map_err(of_file)?;
    let mut out = text_out();
    if let Some(cut) = reader.truncation() {
        writeln!(out, "warning: {file}: {cut}")?;
    }
    let exit = match &verified.difference {
        Some(difference) => {
            writeln!(out, "{file}: {difference}")?;
            Exit::Negative
        }
        None => {
            let ticks = reader.ticks_run();
            let equal = counted(verified.n_ticks.min(ticks), "tick");
            writeln!(out, "{file}: equal for {equal} of {ticks}")?;
            match reader.truncation() {
                _ if stop.is_raised() => Exit::Interrupted,
                // The missing part may differ.
                Some(_) => Exit::Negative,
                None => Exit::Done,
            }
        }
    };
    out.flush()?;
    Ok(exit)
}
