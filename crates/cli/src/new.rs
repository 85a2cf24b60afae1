//! `wheelbase new`: writes a commented scenario to start from.

use crate::args::NewArgs;
use crate::failure::{Exit, Failure};
use crate::output::text_out;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use wheelbase_view::safe_text;

const STARTER: &str = include_str!("starter.toml");
/// Stands in the starter for the name of the scenario.
const NAME: &str = "NAME";

pub fn run(args: &NewArgs) -> Result<Exit, Failure> {
    let (file, name) = file_of(&args.name).map_err(|why| {
        let found = safe_text::path(&args.name);
        Failure::bad_input(format!(
            "NAME: expected a name such as harbour or maps/harbour, found \"{found}\": {why}"
        ))
    })?;
    // An existing file is never opened.
    let mut out = File::create_new(&file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::in_file(&file, "is there already, and is not overwritten; expected another name")
        }
        _ => Failure::writing(&file, &error),
    })?;
    out.write_all(STARTER.replace(NAME, &name).as_bytes())
        .map_err(|error| Failure::writing(&file, &error))?;
    let shown = quoted(&file);
    let mut out = text_out();
    writeln!(out, "{shown} is written. To see it, and its result:\n")?;
    writeln!(out, "    wheelbase show {shown}\n    wheelbase run {shown}")?;
    out.flush()?;
    Ok(Exit::Done)
}

/// The file of a scenario and its name, or why the name is none.
fn file_of(path: &Path) -> Result<(PathBuf, String), String> {
    let text = path.to_str().ok_or("it is no Unicode")?;
    if text.ends_with(['/', std::path::MAIN_SEPARATOR]) || path.file_name().is_none() {
        return Err("it has no name behind the folder".to_owned());
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_suffix(".toml").unwrap_or(name);
    if name.trim_matches(['.', ' ']).is_empty() {
        return Err("the name is empty".to_owned());
    }
    // It stands in the file between quotes.
    if let Some(wrong) = name.chars().find(|&c| !(c.is_alphanumeric() || " -_.".contains(c))) {
        let wrong = wrong.escape_debug();
        return Err(format!("a name has letters, digits, spaces, `-`, `_` and `.`, not `{wrong}`"));
    }
    Ok((path.with_file_name(format!("{name}.toml")), name.to_owned()))
}

/// A path as a word for a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // What begins with a dash would be an option.
    let text = if text.starts_with('-') { format!("./{text}").into() } else { text };
    let is_plain = |c: char| c.is_alphanumeric() || "-_./\\:".contains(c);
    if text.chars().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
