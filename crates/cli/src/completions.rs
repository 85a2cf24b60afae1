//! `wheelbase completions`: what a shell needs to complete our arguments.

use crate::args::{Args, CompletionsArgs};
use crate::failure::{Exit, Failure};
use clap::{Command, CommandFactory};
use std::io::{self, Write};

pub fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut supported_commands(), "wheelbase", &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Exit::Done)
}

/// The program's commands without those that are known only to be refused: the generators of completions
/// take no notice of what is hidden.
pub fn supported_commands() -> Command {
    supported(&Args::command())
}

fn supported(command: &Command) -> Command {
    let shown = Command::new(command.get_name().to_owned())
        .args(command.get_arguments().filter(|arg| !arg.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().filter(|c| !c.is_hide_set()).map(supported))
        .subcommand_required(command.is_subcommand_required_set());
    let shown = match command.get_version() {
        Some(version) => shown.version(version.to_owned()),
        None => shown,
    };
    let shown = match command.get_after_long_help() {
        Some(text) => shown.after_long_help(text.clone()),
        None => shown,
    };
    match command.get_about() {
        Some(about) => shown.about(about.clone()),
        None => shown,
    }
}
