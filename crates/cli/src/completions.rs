//! `wheelbase completions`: completion scripts for shells.

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

/// The commands without hidden arguments, which exist only to be refused: the generators of completions and manual
/// pages ignore the hidden flag.
pub fn supported_commands() -> Command {
    supported(&Args::command())
}

fn supported(command: &Command) -> Command {
    let mut shown = Command::new(command.get_name().to_owned())
        .args(command.get_arguments().filter(|arg| !arg.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().filter(|c| !c.is_hide_set()).map(supported))
        .subcommand_required(command.is_subcommand_required_set())
        .disable_help_subcommand(command.is_disable_help_subcommand_set());
    if let Some(version) = command.get_version() {
        shown = shown.version(version.to_owned());
    }
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(about) = command.get_long_about() {
        shown = shown.long_about(about.clone());
    }
    if let Some(keys) = command.get_after_long_help() {
        shown = shown.after_long_help(keys.clone());
    }
    shown
}
