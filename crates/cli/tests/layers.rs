//! Checks the layers: imports point down, between crates and between files, in the order of `module_order.txt`. So
//! there is no circle.
//!
//! An import is a path or a method call that leads to an item of another file, in a `use` or in the code. It leads to
//! the file that defines the item, whatever re-exports it on the way; a method leads to the file of its `impl`. Code
//! for tests is left out. So are methods called through a trait: the trait is imported, its impls are not.

mod manifests;
mod self_check;

use crate::source::{CRATES, Methods, Modules, is_for_tests, parse, root, rust_files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use syn::visit::{self, Visit};

/// Names that `view` must not use, because it steps no world: it is given rows, grids and recordings.
const NOT_IN_VIEW: [&str; 12] = [
    "World",
    "Simulation",
    "Setup",
    "Command",
    "Step",
    "build_world",
    "rebuild",
    "replay",
    ".rebuild",
    ".run",
    ".step",
    ".step_observed",
];

/// Files that compile sources of another crate, for tests alone: file, beginning of the paths. The tests of `capi` give
/// the random commands of the tests of `sim`.
const BORROWED_SOURCES: [(&str, &str); 1] = [("capi/tests/world/main.rs", "../../../sim/tests/")];

/// Arrows between files: from, to, and a path or a call that is one.
type Arrows = BTreeMap<(String, String), String>;

fn arrows(modules: &Modules) -> Arrows {
    let methods = Methods::of(modules);
    let mut arrows = Arrows::new();
    for (number, module) in modules.all.iter().enumerate() {
        let mut add = |homes: BTreeSet<usize>, by: &dyn Fn() -> String| {
            for home in homes {
                let to = &modules.all[home].file;
                if *to != module.file {
                    arrows.entry((module.file.clone(), to.clone())).or_insert_with(by);
                }
            }
        };
        for path in &module.paths {
            add(modules.homes_of_path(number, path).unwrap_or_default(), &|| path.join("::"));
        }
        for call in &module.calls {
            add(modules.homes_of_call(number, call, &methods), &|| format!(".{}()", call.method));
        }
    }
    arrows
}

/// Paths that must lead to an item of a crate and lead nowhere, which hides an arrow.
fn unresolved(modules: &Modules) -> Vec<String> {
    let mut unresolved = Vec::new();
    for (number, module) in modules.all.iter().enumerate() {
        // Of re-exports too: an arrow can lead through them.
        let imports = module.imports.values().chain(module.globs.iter().map(|(glob, _)| glob));
        for path in module.paths.iter().chain(imports) {
            if modules.resolve(number, path).is_none() {
                unresolved.push(format!("{}: {}", module.file, path.join("::")));
            }
        }
    }
    unresolved.sort();
    unresolved.dedup();
    unresolved
}

/// The files of the crates in import order: `module_order.txt` has one per line, under a heading `# crates/NAME` for
/// each crate. A file imports only from files above it.
fn order() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("crates/cli/tests/module_order.txt")).unwrap();
    let (mut order, mut heading) = (Vec::new(), "");
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("# crates/") {
            heading = name;
        } else {
            let is_of_crate = line.strip_prefix(heading).is_some_and(|rest| rest.starts_with("/src/"));
            assert!(is_of_crate, "module_order.txt: {line} is under the heading of `{heading}`");
            order.push(line.to_owned());
        }
    }
    order
}

/// Some order in which imports point down, for whoever has to write one, and the arrows that are part of a circle.
fn sorted(files: &BTreeSet<String>, arrows: &Arrows) -> (Vec<String>, Vec<String>) {
    let mut below: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for (from, to) in arrows.keys() {
        below.entry(from).or_default().insert(to);
    }
    let mut left: BTreeSet<&String> = files.iter().collect();
    let mut sorted = Vec::new();
    let is_free =
        |file: &String, left: &BTreeSet<&String>| below.get(file).is_none_or(|below| below.is_disjoint(left));
    while let Some(file) = left.iter().copied().find(|file| is_free(file, &left)) {
        left.remove(file);
        sorted.push(file.clone());
    }
    let reaches = |from: &String, to: &String| {
        let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(file) = open.pop() {
            open.extend(below.get(file).into_iter().flatten().filter(|next| reached.insert(next)));
        }
        reached.contains(to)
    };
    let in_circles = arrows.iter().filter(|((from, to), _)| left.contains(from) && reaches(to, from));
    (sorted, in_circles.map(|((from, to), path)| format!("{from} -> {to}: {path}")).collect())
}

#[test]
fn crates_use_only_those_below_them() {
    let folders = std::fs::read_dir(root().join("crates")).unwrap();
    let manifest: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let outside = manifest["workspace"]["exclude"].as_array().unwrap();
    // A package of another language is no crate, and a crate for an engine is outside the workspace.
    let is_inside = |path: &PathBuf| {
        let is_outside = |name: &toml::Value| root().join(name.as_str().unwrap()) == *path;
        path.join("Cargo.toml").is_file() && !outside.iter().any(is_outside)
    };
    let folders = folders.map(|folder| folder.unwrap().path()).filter(is_inside);
    let folders: BTreeSet<String> =
        folders.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let known: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders, known, "each crate has its place in the table");

    let read = |path: PathBuf| manifests::read(&std::fs::read_to_string(path.join("Cargo.toml")).unwrap());
    assert_eq!(read(root()).renamed, [""; 0], "Cargo.toml of the workspace");
    let manifests: BTreeMap<_, _> =
        CRATES.iter().map(|(name, _)| ((*name).to_owned(), read(root().join("crates").join(name)))).collect();
    for (name, below) in CRATES {
        let manifest = &manifests[name];
        assert_eq!(manifest.renamed, [""; 0], "{name}: renamed dependencies");
        for used in &manifest.used {
            assert!(below.contains(&used.as_str()), "{name} must not use {used}");
        }
        // Else tests would see two copies of the types of this crate.
        for used in &manifest.by_tests {
            assert!(!manifests::reaches(&manifests, used, name), "tests of {name}: {used} uses {name}");
        }
    }
}

#[test]
fn imports_point_down() {
    let modules = Modules::read();
    let unresolved = unresolved(&modules);
    assert!(unresolved.is_empty(), "lead nowhere (made by a macro? `MADE_BY_MACROS`): {unresolved:#?}");
    let arrows = arrows(&modules);
    let files: BTreeSet<String> = modules.all.iter().map(|module| module.file.clone()).collect();
    let order = order();
    let place: BTreeMap<&String, usize> = order.iter().zip(0..).collect();
    let missing: Vec<&String> = files.iter().filter(|file| !place.contains_key(file)).collect();
    assert!(missing.is_empty(), "crates/cli/tests/module_order.txt lacks: {missing:#?}");
    let gone: Vec<&String> = order.iter().filter(|file| !files.contains(*file)).collect();
    assert!(gone.is_empty(), "crates/cli/tests/module_order.txt names files that do not exist: {gone:#?}");
    assert_eq!(place.len(), order.len(), "crates/cli/tests/module_order.txt names a file twice");
    let (sorted, in_circles) = sorted(&files, &arrows);
    let up: Vec<String> = arrows
        .iter()
        .filter(|((from, to), _)| place[to] > place[from])
        .map(|((from, to), path)| format!("{from} -> {to}: {path}"))
        .collect();
    assert!(
        in_circles.is_empty() && up.is_empty(),
        "files that import each other in circles:\n{}\nimports of files that module_order.txt names later:\n{}\n\
         an order without (of all files but those in and above circles):\n{}",
        in_circles.join("\n"),
        up.join("\n"),
        sorted.join("\n")
    );
}

#[test]
fn pictures_step_no_world() {
    let modules = Modules::read();
    for module in modules.all.iter().filter(|module| module.file.starts_with("view/")) {
        for name in NOT_IN_VIEW {
            assert!(!module.identifiers.contains(name), "{}: names {name}", module.file);
        }
    }
}

/// Modules whose source is named by a path, and code that is included.
struct NamedSources {
    /// Path as written, and whether only tests compile it.
    found: Vec<(String, bool)>,
}

impl<'ast> Visit<'ast> for NamedSources {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        for attribute in &module.attrs {
            // `cfg_attr` can hold a path too: its text is enough to refuse it.
            let path = match &attribute.meta {
                syn::Meta::NameValue(named) if named.path.is_ident("path") => match &named.value {
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => path.value(),
                    _ => "a path that is no string".to_owned(),
                },
                syn::Meta::List(list) if list.path.is_ident("cfg_attr") => list.tokens.to_string(),
                _ => continue,
            };
            if !attribute.path().is_ident("cfg_attr") || path.contains("path =") {
                self.found.push((path, is_for_tests(&module.attrs)));
            }
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        if called.path.is_ident("include") {
            self.found.push((format!("include!({})", called.tokens), false));
        }
        visit::visit_macro(self, called);
    }
}

/// Whether a path that is written in a file of a crate stays in its folder.
fn stays(file: &str, written: &str) -> bool {
    let mut depth = 0;
    let folder = Path::new(file).parent().unwrap();
    for part in folder.join(written).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            _ => return false,
        }
        // The first part is the crate.
        if depth < 1 {
            return false;
        }
    }
    folder.join(written).components().next() == folder.components().next()
}

/// A module's source lies where its name says: the reader of imports looks nowhere else, and a package of the crate
/// holds nothing else. Tests may name examples of their crate.
/// A file that no program names would never be compiled.
#[test]
fn each_file_of_tests_is_in_a_program() {
    for (name, _) in CRATES {
        let folder = root().join("crates").join(name);
        let manifest: toml::Table =
            std::fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
        let package = manifest["package"].as_table().unwrap();
        if package.get("autotests").and_then(toml::Value::as_bool) != Some(false) {
            continue;
        }
        let programs: Vec<&str> =
            manifest["test"].as_array().unwrap().iter().map(|test| test["name"].as_str().unwrap()).collect();
        let root = std::fs::read_to_string(folder.join("tests/integration.rs")).unwrap();
        let modules: Vec<&str> =
            root.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
        for entry in std::fs::read_dir(folder.join("tests")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.file_stem().unwrap().to_str().unwrap();
                assert!(
                    programs.contains(&name) != modules.contains(&name),
                    "{}: expected either `mod {name};` in integration.rs or [[test]] in Cargo.toml",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn sources_lie_where_their_names_say() {
    let mut borrowed: BTreeSet<&(&str, &str)> = BTreeSet::new();
    for (name, _) in CRATES {
        for (file, text) in rust_files(&root().join("crates").join(name)) {
            let mut named = NamedSources { found: Vec::new() };
            named.visit_file(&parse(&file, &text));
            for (path, for_tests) in named.found {
                let in_library = file.starts_with(&format!("{name}/src/"));
                if !in_library && stays(&file, &path) {
                    continue;
                }
                let known =
                    BORROWED_SOURCES.iter().find(|(of, begin)| file == *of && path.starts_with(begin));
                assert!(known.is_some() && for_tests, "{file}: {path}");
                borrowed.extend(known);
            }
        }
    }
    assert_eq!(borrowed.len(), BORROWED_SOURCES.len(), "the table lists no more than there is");
}
