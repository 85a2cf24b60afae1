//! `wheelbase`: runs, plans and checks scenarios of multi-tile units from the command line.

mod args;
mod bench;
mod check;
mod colours;
mod completions;
mod distances;
mod failure;
mod generate;
mod guide;
mod interrupt;
mod man;
mod output;
mod phase_times;
mod picture;
mod plan;
mod query;
mod render;
mod report;
mod round_numbers;
mod run;
mod run_files;
mod scen;
mod verify;
mod watch;

use args::{Args, Command};
use clap::Parser;
use failure::{Exit, Failure};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version go to standard output and are no failure.
            let code = if error.use_stderr() { Exit::BadInput } else { Exit::Done };
            let _ = error.print();
            return code.into();
        }
    };
    let outcome = args.refuse_unsupported().and_then(|()| match args.command {
        Command::Run(args) => run::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Distances(args) => distances::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    });
    match outcome {
        Ok(exit) => exit.into(),
        Err(Failure::ClosedPipe) => Exit::Done.into(),
        Err(Failure::Message { exit, text }) => {
            // Nobody may be there to read it; `eprintln` would panic.
            let _ = writeln!(std::io::stderr(), "{text}");
            exit.into()
        }
    }
}
