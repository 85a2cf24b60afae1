//! The documents are true: help texts are as recorded, paths they name exist, all scenarios are good.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod common;

use common::*;
use std::path::{Path, PathBuf};

/// Documents whose paths must exist.
const DOCUMENTS: [&str; 2] = ["README.md", "ARCHITECTURE.md"];
/// Endings by which a word with a slash in it is taken for a path.
const ENDINGS: [&str; 9] = ["rs", "toml", "md", "map", "scen", "h", "c", "png", "svg"];
/// Endings by which a word without a slash is taken for a path.
const ENDINGS_BARE: [&str; 2] = ["rs", "md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file and folder of the repository from its root, but for what is built and for git's own.
fn repository() -> Vec<String> {
    let (root, mut found, mut folders) = (root(), Vec::new(), vec![root()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            if matches!(name.as_str(), "target" | ".git") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            }
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Checks a text against a file of `tests/snapshots`, or writes it there if WHEELBASE_BLESS is set.
fn check_snapshot(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let recorded = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        text,
        recorded,
        "{} differs; if that is meant: WHEELBASE_BLESS=1 cargo test -p wheelbase --test documents",
        file.display()
    );
}

#[test]
fn help_is_as_recorded() {
    let folder = Folder::new();
    check_snapshot("help.txt", &folder.run(&["--help"]).done());
    let subcommands = [
        "run",
        "plan",
        "distances",
        "check",
        "verify",
        "render",
        "report",
        "bench",
        "generate",
        "completions",
        "man",
    ];
    for subcommand in subcommands {
        check_snapshot(&format!("help_{subcommand}.txt"), &folder.run(&[subcommand, "--help"]).done());
    }
}

/// The words of a document that are code, and the targets of its links.
fn words(document: &str) -> Vec<String> {
    let (mut words, mut fenced) = (Vec::new(), false);
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            words.extend(line.split_whitespace().filter(|word| starts_in_a_folder(word)).map(str::to_owned));
        } else {
            // Every second piece is in backticks.
            words.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let targets = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
            words.extend(targets.map(|target| format!("]({target}")));
        }
    }
    words
}

/// Whether it begins as a path of the repository does.
fn starts_in_a_folder(word: &str) -> bool {
    ["crates/", "scenarios/", "benches/", "./crates/", "./scenarios/", "./benches/"]
        .iter()
        .any(|folder| word.starts_with(folder))
}

/// Whether a word in backticks names a path, and not a flag, a type or a pattern.
fn is_path(word: &str) -> bool {
    let of_path = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    // A word in capitals stands for whatever the user has, as `FILE.map` does.
    let stem = word.rsplit('/').next().unwrap_or(word).split('.').next().unwrap_or("");
    let placeholder = stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase()) && stem != "README";
    if word.starts_with('-') || placeholder && !DOCUMENTS.contains(&word) || !word.chars().all(of_path) {
        return false;
    }
    let ending = Path::new(word).extension().and_then(|ending| ending.to_str()).unwrap_or("");
    match word.contains('/') {
        true => starts_in_a_folder(word) || word.ends_with('/') || ENDINGS.contains(&ending),
        false => ENDINGS_BARE.contains(&ending),
    }
}

/// Whether the repository has a path: from its root, or by its last parts (`planner/src/pose.rs`).
fn exists(repository: &[String], path: &str) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let tail = format!("/{path}");
    repository.iter().any(|file| file == path || file.ends_with(&tail))
}

#[test]
fn paths_named_in_documents_exist() {
    let repository = repository();
    let mut wrong = Vec::new();
    for document in DOCUMENTS {
        let Ok(text) = std::fs::read_to_string(root().join(document)) else {
            wrong.push(format!("{document} is missing"));
            continue;
        };
        for word in words(&text) {
            let (path, linked) = match word.strip_prefix("](") {
                Some(target) => (target.split('#').next().unwrap_or(""), true),
                None => (word.as_str(), is_path(&word)),
            };
            // The line behind a colon: `crates/sim/src/tick.rs:40`.
            let path = path.split(':').next().unwrap_or(path);
            if linked && !exists(&repository, path) {
                wrong.push(format!("{document} names {path}, which does not exist"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn words_and_paths_are_told_apart() {
    for word in
        ["crates/sim", "src/lib.rs", "planner/successor.rs", "README.md", "ARCHITECTURE.md", "map_file/"]
    {
        assert!(is_path(word), "{word}");
    }
    for word in
        ["--trace", "FILE.jsonl", "a b.rs", "E/N/W/S", "text/json", "u32", "out.json", "crates/*", "x.toml"]
    {
        assert!(!is_path(word), "{word}");
    }
    let text = "See [this](a/b.md#c) and [that](https://x.y), `p.rs`.\n```sh\nrun scenarios/x.toml -o y/z.toml\n```\n";
    assert_eq!(words(text), ["p.rs", "](a/b.md#c", "scenarios/x.toml"]);
    let repository = vec!["crates/planner/src/successor.rs".to_owned(), "scenarios".to_owned()];
    assert!(exists(&repository, "src/successor.rs") && exists(&repository, "./scenarios/"));
    assert!(!exists(&repository, "sor.rs") && !exists(&repository, "planner/successor.rs"));
}

#[test]
fn every_scenario_is_good() {
    // Maps are checked with the scenarios that bring their terrain.
    let is_scenario = |file: &String| file.starts_with("scenarios/") && file.ends_with(".toml");
    let files: Vec<String> = repository().into_iter().filter(is_scenario).collect();
    assert!(!files.is_empty(), "there is no scenario in {}", root().display());
    let folder = Folder::new();
    for file in files {
        let path = root().join(file);
        let ended = folder.run(&["check", path.to_str().unwrap()]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:#?}");
    }
}
