//! Which crates of the workspace a crate depends on, by its `Cargo.toml`.

use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// Dependencies of one crate on others of the workspace, by their names without `wheelbase-`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// What its library, program and build script are compiled with, on any target.
    pub used: BTreeSet<String>,
    /// What only its tests, examples and benches are compiled with.
    pub by_tests: BTreeSet<String>,
    /// Dependencies under another name than that of their package. The reader of imports could not follow them.
    pub renamed: Vec<String>,
}

/// Reads a manifest.
pub fn read(text: &str) -> Manifest {
    let table: Table = text.parse().unwrap();
    let mut manifest = Manifest::default();
    let mut holders = vec![&table];
    let targets = table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    holders.extend(targets.filter_map(Value::as_table));
    holders.extend(table.get("workspace").and_then(Value::as_table));
    for holder in holders {
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            for (name, dependency) in holder.get(kind).and_then(Value::as_table).into_iter().flatten() {
                let package = dependency.get("package").and_then(Value::as_str).unwrap_or(name);
                let Some(used) = package.strip_prefix("wheelbase") else { continue };
                let used = used.trim_start_matches('-').to_owned();
                let list =
                    if kind == "dev-dependencies" { &mut manifest.by_tests } else { &mut manifest.used };
                list.insert(if used.is_empty() { "cli".to_owned() } else { used });
                if package != name {
                    manifest.renamed.push(format!("{name} is {package}"));
                }
            }
        }
    }
    manifest
}

/// Whether a crate is compiled with another, by itself or by its dependencies.
pub fn reaches(manifests: &BTreeMap<String, Manifest>, from: &str, to: &str) -> bool {
    from == to
        || manifests
            .get(from)
            .is_some_and(|manifest| manifest.used.iter().any(|used| reaches(manifests, used, to)))
}
