//! `wheelbase check`: what is wrong in scenario, class and map files, and where.

use crate::args::CheckArgs;
use crate::failure::{Exit, Failure};
use std::io::{self, Write};
use std::path::Path;
use wheelbase_sim::build::{
    LoadError, build_simulation, check_map, read_class_file, read_scenario, warnings,
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
    match extension {
        "map" => check_map(file),
        "toml" => match read_scenario(file) {
            Ok(typed) => {
                let sim = build_simulation(file, &typed)?;
                Ok(warnings(file, &typed, &sim).iter().map(ToString::to_string).collect())
            }
            Err(error @ LoadError::File { .. }) => Err(error),
            Err(error) => {
                let class_file = lacks_map(&error);
                if class_file { read_class_file(file).map(|_| Vec::new()) } else { Err(error) }
            }
        },
        _ => Err(LoadError::File {
            file: file.display().to_string(),
            why: "expected a scenario or class file (.toml) or a map (.map)".to_owned(),
        }),
    }
}

fn lacks_map(error: &LoadError) -> bool {
    match error {
        LoadError::Scenario(errors) => {
            let missing = |key: &str| {
                errors.as_slice().iter().any(|e| e.key == key && e.message.starts_with("missing"))
            };
            missing("map") && missing("name") && missing("ticks")
        }
        LoadError::File { .. } => false,
    }
}
