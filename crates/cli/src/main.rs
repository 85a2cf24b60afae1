//! `wheelbase`: runs, plans and checks scenarios of multi-tile units from the command line.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod bench_keys;
mod calibration;
mod check;
mod completions;
mod crash;
mod diagnostics;
mod distances;
mod excerpt;
mod failed_orders;
mod failure;
mod file_kind;
mod generate;
mod guide;
mod help;
mod interrupt;
mod man;
mod memory_max;
mod new;
mod output;
mod page_place;
mod peak_memory;
mod phase_times;
mod picture_files;
mod plan;
mod query;
mod render;
mod report;
mod result_text;
mod routes;
mod run;
mod run_files;
mod schema;
mod show;
mod snapshot_file;
mod standard_input;
mod sweep;
mod verify;
mod version;
mod watch;

use anstream::ColorChoice;
use args::{Args, Command};
use clap::FromArgMatches;
use diagnostics::say_failure;
use failure::Exit;
use interrupt::Interrupt;
use output::say;
use std::process::ExitCode;
use wheelbase_view::safe_text;

fn main() -> ExitCode {
    quiet_in_fences();
    let matches = help::program().try_get_matches();
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(error) => {
            // Help and version go to standard output and are not failures.
            if !error.use_stderr() {
                let _ = error.print();
                return Exit::Done.into();
            }
            // The message repeats the arguments. If they hold escapes, these cannot be told from its colours, so it is
            // printed plain and escaped.
            let typed = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned());
            match typed.collect::<String>() {
                plain if safe_text::line(&plain) == plain => drop(error.print()),
                _ => say(error.render().to_string().trim_end()),
            }
            return Exit::BadInput.into();
        }
    };
    ColorChoice::from(args.color).write_global();
    let stop = Interrupt::listen();
    let outcome = match args.command {
        Command::Run(args) => run::run(&args, &stop),
        Command::Show(show) => show::run(&show, args.message_format, &stop),
        Command::New(args) => new::run(&args),
        Command::Plan(args) => plan::run(&args, &stop),
        Command::Check(check) => check::run(&check, args.message_format),
        Command::Bench(args) => bench::run(&args, &stop),
        Command::Sweep(args) => sweep::run(&args, &stop),
        Command::Distances(args) => distances::run(&args, &stop),
        Command::Verify(args) => verify::run(&args, &stop),
        Command::Render(args) => render::run(&args, &stop),
        Command::Report(args) => report::run(&args, &stop),
        Command::Generate(args) => generate::run(&args, &stop),
        Command::Schema => schema::run(),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, &stop),
        Command::Help(args) => help::run(&args),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => say_failure(&failure, args.message_format).into(),
    }
}

/// Silences panics of fenced decoders, which are reported as errors of the file.
fn quiet_in_fences() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !wheelbase_maps::is_in_decoder() {
            print(panic);
        }
    }));
}
