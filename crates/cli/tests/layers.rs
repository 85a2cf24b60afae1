//! Holds the layers: imports point down, between crates and between files, in the order in which ARCHITECTURE.md
//! names them, and so there is no circle.
//!
//! An import is any path that names an item of another file, in a `use` or written out in the code; it leads to
//! the file that defines the item, whatever re-exports it on the way. What only tests see is left out.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "all of it is for tests")]

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// The crates from the bottom up: each may use those before it, but `maps` and `planner` know nothing of each
/// other, and nothing between them and `scenario` knows of maps.
const CRATES: [(&str, &[&str]); 8] = [
    ("grid", &[]),
    ("maps", &["grid"]),
    ("planner", &["grid"]),
    ("traffic", &["grid", "planner"]),
    ("sim", &["grid", "planner", "traffic"]),
    ("scenario", &["grid", "maps", "planner", "traffic", "sim"]),
    ("view", &["grid", "maps", "planner", "traffic", "sim", "scenario"]),
    ("cli", &["grid", "maps", "planner", "traffic", "sim", "scenario", "view"]),
];

/// What the crate of pictures never names, for it steps no world.
const NOT_IN_VIEW: [&str; 6] = ["World", "Simulation", "Command", "Step", ".step", ".step_observed"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A module: its file, and what is defined in it and imported.
#[derive(Default)]
struct Module {
    file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    /// By the name that it has here.
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// All paths that are named in it.
    paths: BTreeSet<Vec<String>>,
    identifiers: BTreeSet<String>,
}

/// All modules of all crates; the first of each crate by its name as it is imported.
#[derive(Default)]
struct Modules {
    all: Vec<Module>,
    roots: BTreeMap<String, usize>,
}

/// What a path leads to.
#[derive(Clone, Copy)]
enum Found {
    Module(usize),
    /// An item, in the file of a module.
    Item(usize),
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// The names of a `use`, as (name here, path), and those of which all is imported.
fn flatten(
    tree: &syn::UseTree,
    path: &mut Vec<String>,
    names: &mut Vec<(String, Vec<String>)>,
    globs: &mut Vec<Vec<String>>,
) {
    match tree {
        syn::UseTree::Path(part) => {
            path.push(part.ident.to_string());
            flatten(&part.tree, path, names, globs);
            path.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => {
            names.push((path.last().unwrap().clone(), path.clone()));
        }
        syn::UseTree::Name(name) => {
            let whole = path.iter().cloned().chain([name.ident.to_string()]).collect();
            names.push((name.ident.to_string(), whole));
        }
        syn::UseTree::Rename(name) => {
            let whole = path.iter().cloned().chain([name.ident.to_string()]).collect();
            names.push((name.rename.to_string(), whole));
        }
        syn::UseTree::Glob(_) => globs.push(path.clone()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, names, globs)),
    }
}

/// Gathers the paths of a file's code.
struct Gather<'m> {
    module: &'m mut Module,
}

impl Gather<'_> {
    /// Paths among the tokens of a macro: names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    self.module.identifiers.insert(name.to_string());
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.end(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        if !path.is_empty() {
            self.module.paths.insert(std::mem::take(path));
        }
    }
}

impl<'ast> Visit<'ast> for Gather<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    // Modules in the file are modules of their own.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let (mut names, mut globs) = (Vec::new(), Vec::new());
        flatten(&item.tree, &mut Vec::new(), &mut names, &mut globs);
        let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        for (name, path) in names {
            // Handing a name on is no use of it.
            if !is_reexport {
                self.module.paths.insert(path.clone());
            }
            self.module.imports.insert(name, path);
        }
        self.module.globs.extend(globs);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.module.paths.insert(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.module.identifiers.insert(name.to_string());
    }

    fn visit_expr_method_call(&mut self, called: &'ast syn::ExprMethodCall) {
        self.module.identifiers.insert(format!(".{}", called.method));
        visit::visit_expr_method_call(self, called);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

impl Modules {
    /// Reads the crates.
    fn read() -> Self {
        let mut modules = Self::default();
        for (name, _) in CRATES {
            let source = root().join("crates").join(name).join("src");
            let head = ["lib.rs", "main.rs"].map(|head| source.join(head));
            let Some(head) = head.into_iter().find(|head| head.exists()) else { continue };
            let number = modules.read_file(&head, &source, None);
            modules.roots.insert(format!("wheelbase_{name}"), number);
        }
        modules
    }

    /// Reads a file and the modules in it; those in files of their own lie in `folder`.
    fn read_file(&mut self, path: &Path, folder: &Path, parent: Option<usize>) -> usize {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.strip_prefix(root().join("crates")).unwrap().to_str().unwrap().to_owned();
        self.add(name, &file.items, folder, parent)
    }

    fn add(&mut self, file: String, items: &[syn::Item], folder: &Path, parent: Option<usize>) -> usize {
        let number = self.all.len();
        let mut module = Module { file: file.clone(), parent, ..Module::default() };
        module.items =
            items.iter().filter(|item| !is_for_tests(attributes_of(item))).filter_map(name_of).collect();
        let mut gather = Gather { module: &mut module };
        items.iter().for_each(|item| gather.visit_item(item));
        self.all.push(module);
        for item in items {
            let syn::Item::Mod(child) = item else { continue };
            if is_for_tests(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let inside = folder.join(&name);
            let child = match &child.content {
                Some((_, items)) => self.add(file.clone(), items, &inside, Some(number)),
                None => {
                    let places = [folder.join(format!("{name}.rs")), inside.join("mod.rs")];
                    let place = places.into_iter().find(|place| place.exists()).expect(&name);
                    self.read_file(&place, &inside, Some(number))
                }
            };
            self.all[number].children.insert(name, child);
        }
        number
    }

    fn root_of(&self, mut module: usize) -> usize {
        while let Some(parent) = self.all[module].parent {
            module = parent;
        }
        module
    }

    /// What a path that is named in a module leads to, if that is in one of the crates.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Found> {
        if depth == 0 {
            return None;
        }
        let first = path.first()?.as_str();
        let mut rest = &path[1..];
        let mut module = match first {
            "crate" => self.root_of(from),
            "self" => from,
            "super" => self.all[from].parent?,
            _ => match self.roots.get(first) {
                Some(&root) => root,
                None => return self.within(from, path, depth, true),
            },
        };
        while rest.first().is_some_and(|part| part == "super") {
            (module, rest) = (self.all[module].parent?, &rest[1..]);
        }
        self.within(module, rest, depth, false)
    }

    /// What a path leads to that begins in a module.
    fn within(&self, module: usize, path: &[String], depth: usize, is_local: bool) -> Option<Found> {
        let Some(name) = path.first() else { return Some(Found::Module(module)) };
        let here = &self.all[module];
        if let Some(&child) = here.children.get(name) {
            return self.within(child, &path[1..], depth, false);
        }
        if here.items.contains(name) {
            return Some(Found::Item(module));
        }
        if let Some(import) = here.imports.get(name) {
            // `use x::x` names itself.
            if is_local && import.len() == 1 {
                return None;
            }
            return match self.resolve(module, import, depth - 1)? {
                Found::Module(module) => self.within(module, &path[1..], depth - 1, false),
                found => Some(found),
            };
        }
        here.globs.iter().find_map(|glob| match self.resolve(module, glob, depth - 1)? {
            Found::Module(glob) if glob != module => self.within(glob, path, depth - 1, false),
            _ => None,
        })
    }

    /// All arrows between files: from, to, and a path that is one.
    fn arrows(&self) -> BTreeMap<(String, String), String> {
        let mut arrows = BTreeMap::new();
        for (number, module) in self.all.iter().enumerate() {
            for path in &module.paths {
                let Some(Found::Item(to)) = self.resolve(number, path, 12) else { continue };
                let to = &self.all[to].file;
                if *to != module.file {
                    arrows.entry((module.file.clone(), to.clone())).or_insert_with(|| path.join("::"));
                }
            }
        }
        arrows
    }
}

/// The files of the crates in the order in which ARCHITECTURE.md names them.
fn order() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let map = text.split("\n## Code map").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut order: Vec<String> = Vec::new();
    for name in map.split('`').skip(1).step_by(2) {
        let is_source = CRATES.iter().any(|(folder, _)| name.starts_with(&format!("{folder}/src/")));
        if is_source && name.ends_with(".rs") && !order.iter().any(|known| known == name) {
            order.push(name.to_owned());
        }
    }
    order
}

/// Some order in which imports point down, for whoever has to write one; and what stands in circles.
fn sorted(
    files: &BTreeSet<String>,
    arrows: &BTreeMap<(String, String), String>,
) -> (Vec<String>, BTreeSet<String>) {
    let ties = |from: &str, to: &str| arrows.contains_key(&(from.to_owned(), to.to_owned()));
    let mut left = files.clone();
    let mut sorted = Vec::new();
    while let Some(file) = left.iter().find(|file| !left.iter().any(|below| ties(file, below))).cloned() {
        left.remove(&file);
        sorted.push(file);
    }
    // What stands above or between circles and in none.
    let below = |from: &String| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(file) = open.pop() {
            let next = left.iter().filter(|below| ties(&file, below) && !reached.contains(*below));
            let next: Vec<String> = next.cloned().collect();
            reached.extend(next.iter().cloned());
            open.extend(next);
        }
        reached
    };
    let left = left.iter().filter(|file| below(file).contains(*file)).cloned().collect();
    (sorted, left)
}

#[test]
fn crates_use_only_those_below_them() {
    for (name, below) in CRATES {
        let Ok(text) = std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")) else {
            panic!("there is no crate {name}");
        };
        // What tests alone use may come from any crate that does not use this one.
        for line in text.lines().take_while(|line| *line != "[dev-dependencies]") {
            let Some(used) = line.strip_prefix("wheelbase-") else { continue };
            let used: String = used.chars().take_while(char::is_ascii_alphanumeric).collect();
            assert!(below.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
}

#[test]
fn imports_point_down() {
    let modules = Modules::read();
    let arrows = modules.arrows();
    let files: BTreeSet<String> = modules.all.iter().map(|module| module.file.clone()).collect();
    let (sorted, in_circles) = sorted(&files, &arrows);
    let tied: Vec<String> = arrows
        .iter()
        .filter(|((from, to), _)| in_circles.contains(from) && in_circles.contains(to))
        .map(|((from, to), path)| format!("{from} -> {to}: {path}"))
        .collect();
    assert!(tied.is_empty(), "files import each other in circles:\n{}", tied.join("\n"));
    let order = order();
    let place: BTreeMap<&String, usize> = order.iter().zip(0..).collect();
    let missing: Vec<&String> = sorted.iter().filter(|file| !place.contains_key(file)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names them nowhere: {missing:#?}");
    let up: Vec<String> = arrows
        .iter()
        .filter(|((from, to), _)| place[to] > place[from])
        .map(|((from, to), path)| format!("{from} -> {to}: {path}"))
        .collect();
    assert!(
        up.is_empty(),
        "imports point to files that ARCHITECTURE.md names later:\n{}\nan order without:\n{}",
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
