//! `wheelbase verify`: runs a recording again and says where it differs.

use crate::args::VerifyArgs;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::progress_bar;
use crate::plan::thread_pool;
use std::io::{self, Write};
use wheelbase_sim::recording::{Reader, verify};

pub fn run(args: &VerifyArgs) -> Result<Exit, Failure> {
    let file = args.recording.display();
    let of_file = |error| Failure::bad_input(format!("{file}: {error}"));
    let stop = Interrupt::listen();
    let pool = thread_pool(args.threads)?;
    let mut reader = Reader::open_file(&args.recording).map_err(of_file)?;
    let bar = progress_bar("tick", reader.n_ticks().into(), true);
    let verified = pool.install(|| {
        verify(&mut reader, |tick| {
            bar.set_position(tick.into());
            !stop.is_raised()
        })
    });
    bar.finish_and_clear();
    let verified = verified.map_err(of_file)?;
    let mut out = io::stdout().lock();
    if let Some(cut) = reader.cut() {
        writeln!(out, "warning: {file}: {cut}")?;
    }
    let exit = match &verified.difference {
        Some(difference) => {
            writeln!(out, "{file}: {difference}")?;
            Exit::Negative
        }
        None => {
            writeln!(out, "{file}: equal for {} ticks of {}", verified.n_ticks, reader.n_ticks())?;
            if stop.is_raised() { Exit::Interrupted } else { Exit::Done }
        }
    };
    out.flush()?;
    Ok(exit)
}
