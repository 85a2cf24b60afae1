//! The help of the program, with its subcommands by task, and `wheelbase help`.

use crate::args::{Args, HelpArgs};
use crate::failure::{Exit, Failure};
use crate::query::did_you_mean;
use clap::builder::Styles;
use clap::{Command, CommandFactory};
use std::fmt::Write as _;
use wheelbase_scenario::scenario::nearest_name;
use wheelbase_view::safe_text;

/// The subcommands by task.
const TASKS: [(&str, &[&str]); 5] = [
    ("Start", &["new", "show", "run"]),
    ("Inspect", &["check", "verify", "render", "report"]),
    ("Measure", &["bench", "sweep"]),
    ("Maps and paths", &["plan", "distances", "generate"]),
    ("Tools", &["schema", "completions", "man", "help"]),
];

/// The program as it is parsed.
pub fn program() -> Command {
    let program = Args::command();
    let (styles, width) = (Styles::styled(), names(&program).map(str::len).max().unwrap_or(0));
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut by_task = String::new();
    for (task, commands) in TASKS {
        let _ = writeln!(by_task, "{header}{task}:{header:#}");
        for name in commands {
            let about = program.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(by_task, "  {literal}{name:<width$}{literal:#}  {about}");
        }
        by_task.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{by_task}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    program.help_template(template)
}

pub fn run(args: &HelpArgs) -> Result<Exit, Failure> {
    let program = program();
    if let Some(typed) = &args.command
        && program.find_subcommand(typed).is_none()
    {
        let near = did_you_mean(nearest_name(typed, names(&program)));
        let typed = safe_text::line(typed);
        return Err(Failure::bad_input(format!("no subcommand is called \"{typed}\"{near}")));
    }
    // Answered as `COMMAND --help` is.
    let words = ["wheelbase"].into_iter().chain(args.command.as_deref()).chain(["--help"]);
    if let Err(help) = program.try_get_matches_from(words) {
        help.print()?;
    }
    Ok(Exit::Done)
}

fn names(program: &Command) -> impl Iterator<Item = &str> {
    program.get_subcommands().map(Command::get_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_subcommand_has_a_task() {
        let listed: Vec<&str> = TASKS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        let program = Args::command();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), names(&program).collect());
        assert_eq!(listed.len(), names(&program).count());
    }
}
