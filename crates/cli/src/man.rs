//! `wheelbase man`: the manual pages.

use crate::args::ManArgs;
use crate::completions::supported_commands;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::files::Outputs;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write};

pub fn run(args: &ManArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let mut program = supported_commands().disable_help_subcommand(true);
    program.build();
    let Some(folder) = &args.output else {
        let mut out = io::stdout().lock();
        out.write_all(&page(program)?)?;
        out.flush()?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    let mut outputs = Outputs::default();
    let subcommands: Vec<Command> = program.get_subcommands().cloned().collect();
    for command in std::iter::once(program).chain(subcommands) {
        let file = folder.join(Man::new(command.clone()).get_filename());
        outputs.write(&file, &page(command)?, stop);
    }
    outputs.end(Exit::Done)
}

/// The manual page of a command, with the customary sections.
fn page(command: Command) -> io::Result<Vec<u8>> {
    let has_subcommands = command.has_subcommands();
    let keys = command.get_after_long_help().map(ToString::to_string);
    let version = command.get_version().unwrap_or(env!("CARGO_PKG_VERSION"));
    let source = format!("wheelbase {version}");
    let man = Man::new(command).source(source);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::new();
    if let Some(keys) = keys {
        roff.control("SH", ["OUTPUT"]).control("nf", []);
        for line in keys.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    roff.control("SH", ["EXIT STATUS"]);
    for (exit, meaning) in Exit::MEANINGS {
        roff.control("TP", []).text([bold((exit as u8).to_string())]).text([roman(meaning)]);
    }
    page.write_all(roff.to_roff().as_bytes())?;
    Ok(page)
}
