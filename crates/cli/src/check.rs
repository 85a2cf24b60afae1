//! `wheelbase check`: what is wrong in scenario, class and map files, and where.

use crate::args::CheckArgs;
use crate::failure::{Exit, Failure};
use crate::scen::load_scen;
use std::io::{self, Write};
use std::path::Path;
use wheelbase_sim::build::{
    LoadError, build_simulation, check_class_file, check_map, read_scenario, warnings,
};

pub fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let mut out = io::stdout().lock();
    for file in &args.files {
        match check_file(file) {
            Ok(warnings) => {
                for warning in &warnings {
                    writeln!(out, "warning: {warning}")?;
                }
                let count = match warnings.len() {
                    0 => "ok".to_owned(),
                    1 => "ok, 1 warning".to_owned(),
                    n => format!("ok, {n} warnings"),
                };
                writeln!(out, "{}: {count}", file.display())?;
            }
            Err(error) => {
                exit = Exit::BadInput;
                writeln!(out, "{error}")?;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Warnings of a file that is right otherwise. A `.toml` file without a map is taken for a class file.
fn check_file(file: &Path) -> Result<Vec<String>, LoadError> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let refuse = |why| Err(LoadError::File { file: file.display().to_string(), why });
    match extension {
        "map" => check_map(file),
        "scen" => load_scen(file, None).map(|_| Vec::new()),
        "toml" => match read_scenario(file) {
            Ok(typed) => {
                let sim = build_simulation(file, &typed)?;
                Ok(warnings(file, &typed, &sim).iter().map(ToString::to_string).collect())
            }
            Err(error) if lacks(&error, &["map", "name", "ticks"]) => match check_class_file(file) {
                Err(of_class) if lacks(&of_class, &["class"]) => Err(error),
                checked => checked.map(|()| Vec::new()),
            },
            Err(error) => Err(error),
        },
        "json" => refuse("not supported yet: problem files (.json)".to_owned()),
        other => {
            let found = if other.is_empty() { "no ending".to_owned() } else { format!("\".{other}\"") };
            refuse(format!(
                "expected a scenario or class file (.toml), a map (.map) or queries on one (.scen), found {found}"
            ))
        }
    }
}

/// Whether a file lacks all of these keys at its top.
fn lacks(error: &LoadError, keys: &[&str]) -> bool {
    let LoadError::Scenario(errors) = error else { return false };
    let is_missing =
        |key: &&str| errors.as_slice().iter().any(|e| e.key == *key && e.message.starts_with("missing"));
    keys.iter().all(is_missing)
}
