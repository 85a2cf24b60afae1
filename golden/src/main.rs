//! Prints what came out of the scene: `golden [--threads N] [--each-tick]`.

use std::process::ExitCode;

const USAGE: &str = "usage: golden [--threads N] [--each-tick]";

/// Number of threads, and whether to print the hash of each tick.
fn arguments() -> Option<(usize, bool)> {
    let (mut threads, mut each_tick) = (1, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = arguments.next()?.parse().ok().filter(|n| (1..=256).contains(n))?,
            "--each-tick" => each_tick = true,
            _ => return None,
        }
    }
    Some((threads, each_tick))
}

fn main() -> ExitCode {
    let Some((threads, each_tick)) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let outcome = wheelbase_golden::run_observed(threads, |tick, hash| {
        if each_tick {
            println!("tick {tick} {hash:016x}");
        }
    });
    match outcome {
        Ok(outcome) => {
            print!("{outcome}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("golden: {error}");
            ExitCode::FAILURE
        }
    }
}
