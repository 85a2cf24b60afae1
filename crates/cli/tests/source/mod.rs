//! The source of all crates as modules, items and paths: what the tests of layers and of the public interface read.
pub mod gather;

use gather::Gather;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates from the bottom up, each with the crates that it may use. `maps` and `planner` are independent, and no
/// crate between them and `scenario` uses `maps`.
pub const CRATES: [(&str, &[&str]); 10] = [
    ("grid", &[]),
    ("maps", &["grid"]),
    ("planner", &["grid"]),
    ("traffic", &["grid", "planner"]),
    ("sim", &["grid", "planner", "traffic"]),
    ("scenario", &["grid", "maps", "planner", "traffic", "sim"]),
    ("view", &["grid", "maps", "planner", "traffic", "sim", "scenario"]),
    ("capi", &["grid", "maps", "planner", "traffic", "sim", "scenario"]),
    ("python", &["grid", "maps", "planner", "traffic", "sim", "scenario", "view"]),
    ("cli", &["grid", "maps", "planner", "traffic", "sim", "scenario", "view"]),
];

/// Items made by a macro, which syntax alone does not show: file, macro, item.
pub const MADE_BY_MACROS: [(&str, &str, &str); 3] = [
    ("traffic/src/params.rs", "params", "TrafficParams"),
    ("sim/src/replan_params.rs", "params", "ReplanParams"),
    ("sim/src/metrics/counters.rs", "counters", "Counters"),
];

/// Re-exports can lead to re-exports, but not deeper than this.
const DEPTH_MAX: u32 = 16;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every Rust file under a folder, by its path from `crates/`.
pub fn rust_files(folder: &Path) -> BTreeMap<String, String> {
    let base = root().join("crates");
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(&base).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

pub fn parse(name: &str, text: &str) -> syn::File {
    syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Whether only tests compile it.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    fn needs_test(meta: &syn::Meta) -> bool {
        let all = |list: &syn::MetaList| {
            let parts = list
                .parse_args_with(syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated);
            parts.is_ok_and(|parts| parts.iter().any(needs_test))
        };
        match meta {
            syn::Meta::Path(path) => path.is_ident("test"),
            syn::Meta::List(list) => list.path.is_ident("all") && all(list),
            syn::Meta::NameValue(_) => false,
        }
    }
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Meta>().is_ok_and(|meta| needs_test(&meta))
    })
}

pub fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// What an item is, as far as the type of a receiver or a glob import depends on it.
#[derive(Clone)]
pub enum Kind {
    Struct(BTreeMap<String, syn::Type>),
    Enum(BTreeSet<String>),
    Alias(syn::Type),
    Function(Option<syn::Type>),
    Value(syn::Type),
    Other,
}

/// An inherent method or associated constant.
#[derive(Clone)]
pub struct Member {
    /// The module whose file defines it.
    pub module: usize,
    pub self_type: syn::Type,
    pub item: syn::ImplItem,
}

impl Member {
    /// The return type of a method.
    fn returned(&self) -> Option<&syn::Type> {
        match &self.item {
            syn::ImplItem::Fn(function) => match &function.sig.output {
                syn::ReturnType::Type(_, returned) => Some(returned),
                syn::ReturnType::Default => None,
            },
            _ => None,
        }
    }
}

/// The receiver of a method call, as far as syntax gives its type.
#[derive(Clone)]
pub enum Receiver {
    This,
    Typed(syn::Type),
    /// A value by its path: a constant, or a call of a function.
    Path(Vec<String>),
    Field(Box<Self>, String),
    Element(Box<Self>),
    Returned(Box<Self>, String),
    Unknown,
}

/// A method call.
pub struct Call {
    pub receiver: Receiver,
    pub method: String,
    pub self_type: Option<syn::Type>,
}

/// A module: its file, its items, and the paths and calls in its code.
#[derive(Default)]
pub struct Module {
    pub file: String,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    pub code: Vec<syn::Item>,
    items: BTreeMap<String, Kind>,
    /// By the local name.
    pub imports: BTreeMap<String, Vec<String>>,
    /// Glob imports, and whether each is a re-export.
    pub globs: Vec<(Vec<String>, bool)>,
    /// All paths in the code. A `use` that re-exports is not counted: handing a name on is no use of it.
    pub paths: BTreeSet<Vec<String>>,
    pub calls: Vec<Call>,
    /// Members of inherent impls, by self type.
    members: Vec<(syn::Type, syn::ImplItem)>,
    /// Names of methods of traits and of their impls.
    trait_methods: BTreeSet<String>,
    /// Every identifier of the code; names of methods with a dot in front.
    pub identifiers: BTreeSet<String>,
}

/// All modules of all crates.
#[derive(Default)]
pub struct Modules {
    pub all: Vec<Module>,
    /// The root module of each crate, by the name under which it is imported.
    pub roots: BTreeMap<String, usize>,
    /// Members of inherent impls by module and name of the type, then by name of the member.
    members: BTreeMap<(usize, String), BTreeMap<String, Vec<Member>>>,
    /// Modules whose globs are being searched.
    in_globs: RefCell<BTreeSet<usize>>,
    /// Paths that have been resolved.
    resolved: RefCell<Resolved>,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Module(usize),
    /// An item in the file of a module, and the rest of the path after it.
    Item(usize, String, Vec<String>),
    /// An item of a crate outside the workspace, a local name, or one of the prelude.
    Outside,
}

/// Paths in the code of modules, and what they lead to.
type Resolved = BTreeMap<(usize, Vec<String>), Option<Found>>;

/// A type in the module where it is written.
struct TypeIn {
    module: usize,
    written: syn::Type,
    self_type: Option<syn::Type>,
}

/// The type without references and owning pointers.
fn peeled(written: &syn::Type) -> &syn::Type {
    match written {
        syn::Type::Reference(reference) => peeled(&reference.elem),
        syn::Type::Paren(paren) => peeled(&paren.elem),
        syn::Type::Group(group) => peeled(&group.elem),
        syn::Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            match first_argument(last) {
                Some(inner) if ["Box", "Arc", "Rc"].iter().any(|owner| last.ident == owner) => peeled(inner),
                _ => written,
            }
        }
        _ => written,
    }
}

fn first_argument(segment: &syn::PathSegment) -> Option<&syn::Type> {
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

/// The type of the elements of a slice, an array or a vector.
fn element(written: &syn::Type) -> Option<&syn::Type> {
    match peeled(written) {
        syn::Type::Slice(slice) => Some(&slice.elem),
        syn::Type::Array(array) => Some(&array.elem),
        syn::Type::Path(path) => {
            let last = path.path.segments.last()?;
            (last.ident == "Vec").then(|| first_argument(last)).flatten()
        }
        _ => None,
    }
}

pub fn names_of(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|part| part.ident.to_string()).collect()
}

impl Modules {
    /// Reads the crates.
    pub fn read() -> Self {
        let sources =
            CRATES.iter().flat_map(|(name, _)| rust_files(&root().join("crates").join(name).join("src")));
        Self::of(&sources.collect())
    }

    /// Reads crates from the texts of their files, by path from `crates/`.
    pub fn of(files: &BTreeMap<String, String>) -> Self {
        let mut modules = Self::default();
        for (name, _) in CRATES {
            let heads = ["lib", "main"].map(|head| format!("{name}/src/{head}.rs"));
            let Some(head) = heads.iter().find(|head| files.contains_key(*head)) else { continue };
            let number = modules.read_file(files, head, &format!("{name}/src"), None);
            modules.roots.insert(format!("wheelbase_{name}"), number);
        }
        modules.index_members();
        modules
    }

    /// Reads a file and the modules in it; modules in separate files lie in `folder`.
    fn read_file(
        &mut self,
        files: &BTreeMap<String, String>,
        name: &str,
        folder: &str,
        parent: Option<usize>,
    ) -> usize {
        let items = parse(name, &files[name]).items;
        self.add(files, name, items, folder, parent)
    }

    fn add(
        &mut self,
        files: &BTreeMap<String, String>,
        file: &str,
        items: Vec<syn::Item>,
        folder: &str,
        parent: Option<usize>,
    ) -> usize {
        let number = self.all.len();
        let mut module = Module { file: file.to_owned(), parent, ..Module::default() };
        for item in items.iter().filter(|item| !is_for_tests(attributes_of(item))) {
            module.items.extend(named(item));
        }
        let made = MADE_BY_MACROS.iter().filter(|(made_in, _, _)| *made_in == file);
        module.items.extend(made.map(|(_, _, item)| ((*item).to_owned(), Kind::Other)));
        Gather::of(&mut module).read(&items);
        self.all.push(module);
        for item in &items {
            let syn::Item::Mod(child) = item else { continue };
            if is_for_tests(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let inside = format!("{folder}/{name}");
            let child = match &child.content {
                Some((_, items)) => self.add(files, file, items.clone(), &inside, Some(number)),
                None => {
                    let candidates = [format!("{inside}.rs"), format!("{inside}/mod.rs")];
                    let place = candidates.iter().find(|place| files.contains_key(*place));
                    let place = place.unwrap_or_else(|| panic!("{file}: module {name} has no file"));
                    self.read_file(files, place, &inside, Some(number))
                }
            };
            self.all[number].children.insert(name, child);
        }
        self.all[number].code = items;
        number
    }

    fn index_members(&mut self) {
        let mut index: BTreeMap<(usize, String), BTreeMap<String, Vec<Member>>> = BTreeMap::new();
        for (number, module) in self.all.iter().enumerate() {
            for (self_type, item) in &module.members {
                let name = match item {
                    syn::ImplItem::Fn(function) => function.sig.ident.to_string(),
                    syn::ImplItem::Const(constant) => constant.ident.to_string(),
                    _ => continue,
                };
                let written = TypeIn { module: number, written: self_type.clone(), self_type: None };
                let Some(Found::Item(home, of, _)) = self.item_of(&written) else { continue };
                let member = Member { module: number, self_type: self_type.clone(), item: item.clone() };
                index.entry((home, of)).or_default().entry(name).or_default().push(member);
            }
        }
        self.members = index;
    }

    /// Members of the inherent impls of a type, by name.
    pub fn members_of(&self, module: usize, name: &str) -> impl Iterator<Item = (&String, &Vec<Member>)> {
        self.members.get(&(module, name.to_owned())).into_iter().flatten()
    }

    fn member(&self, module: usize, name: &str, member: &str) -> &[Member] {
        let of_type = self.members.get(&(module, name.to_owned()));
        of_type.and_then(|members| members.get(member)).map_or(&[], Vec::as_slice)
    }

    /// The path of a module in its crate.
    pub fn path_of(&self, module: usize) -> Vec<String> {
        let Some(parent) = self.all[module].parent else { return Vec::new() };
        let mut path = self.path_of(parent);
        path.extend(
            self.all[parent]
                .children
                .iter()
                .find(|(_, child)| **child == module)
                .map(|(name, _)| name.clone()),
        );
        path
    }

    pub fn root_of(&self, mut module: usize) -> usize {
        while let Some(parent) = self.all[module].parent {
            module = parent;
        }
        module
    }

    /// A crate and the crates that it may use, by their root modules.
    fn reach_of(&self, root: usize) -> BTreeSet<usize> {
        let is_root = |name: &str| self.roots.get(&format!("wheelbase_{name}")).copied();
        let (_, below) = CRATES.iter().find(|(name, _)| is_root(name) == Some(root)).unwrap();
        below.iter().filter_map(|name| is_root(name)).chain([root]).collect()
    }

    /// What a path in the code of a module leads to. None for a path that must lead into one of the crates and leads
    /// nowhere.
    pub fn resolve(&self, from: usize, path: &[String]) -> Option<Found> {
        let key = (from, path.to_vec());
        if let Some(found) = self.resolved.borrow().get(&key) {
            return found.clone();
        }
        let found = self.resolve_to_depth(from, path, DEPTH_MAX);
        self.resolved.borrow_mut().insert(key, found.clone());
        found
    }

    fn resolve_to_depth(&self, from: usize, path: &[String], depth: u32) -> Option<Found> {
        let Some(first) = path.first() else { return Some(Found::Outside) };
        if depth == 0 {
            return None;
        }
        let mut rest = &path[1..];
        let mut module = match first.as_str() {
            "crate" => self.root_of(from),
            "self" => from,
            "super" => self.all[from].parent?,
            name => match self.roots.get(name) {
                Some(&root) => root,
                None => return self.local(from, path, depth),
            },
        };
        while rest.first().is_some_and(|part| part == "super") {
            (module, rest) = (self.all[module].parent?, &rest[1..]);
        }
        self.within(module, rest, depth)
    }

    /// What a path leads to that begins with a name of the module.
    fn local(&self, from: usize, path: &[String], depth: u32) -> Option<Found> {
        // `use x;` and `use x as y;` name a crate, not themselves.
        let import = self.all[from].imports.get(&path[0]);
        if import.is_some_and(|import| import.len() == 1 && import[0] == path[0]) {
            return Some(Found::Outside);
        }
        if self.within(from, &path[..1], depth).is_some() {
            return self.within(from, path, depth);
        }
        // Foreign, or a local variable: an unknown name may be anything but one of the crates.
        (!path[0].starts_with("wheelbase_")).then_some(Found::Outside)
    }

    /// What a path leads to that begins inside a module.
    fn within(&self, module: usize, path: &[String], depth: u32) -> Option<Found> {
        let Some(name) = path.first() else { return Some(Found::Module(module)) };
        if depth == 0 {
            return None;
        }
        let here = &self.all[module];
        // One name can be a module and a function.
        let child = here.children.get(name).and_then(|&child| self.within(child, &path[1..], depth));
        if let Some(found) = &child
            && !(path.len() == 1 && matches!(found, Found::Module(_)))
        {
            return child;
        }
        let item =
            || here.items.contains_key(name).then(|| Found::Item(module, name.clone(), path[1..].to_vec()));
        let imported = || {
            let import = here.imports.get(name)?;
            self.followed(module, import, &path[1..], depth)
        };
        let found = item().or_else(imported);
        // The path of a glob is not looked for in the globs beside it.
        if found.is_some() || here.globs.is_empty() || !self.in_globs.borrow_mut().insert(module) {
            return found.or(child);
        }
        let through = |(glob, _): &(Vec<String>, bool)| self.through_glob(module, glob, path, depth);
        let globbed = here.globs.iter().find_map(through);
        // A name that a foreign glob can bring is taken for foreign.
        let is_foreign = |(glob, _): &(Vec<String>, bool)| {
            self.resolve_to_depth(module, glob, depth - 1) == Some(Found::Outside)
        };
        let foreign = || here.globs.iter().any(is_foreign).then_some(Found::Outside);
        let found = globbed.or(child).or_else(foreign);
        self.in_globs.borrow_mut().remove(&module);
        found
    }

    /// What an import leads to, and the rest of a path after it.
    fn followed(&self, module: usize, import: &[String], rest: &[String], depth: u32) -> Option<Found> {
        match self.resolve_to_depth(module, import, depth - 1)? {
            Found::Module(found) => self.within(found, rest, depth - 1),
            Found::Item(home, name, before) => {
                Some(Found::Item(home, name, before.into_iter().chain(rest.iter().cloned()).collect()))
            }
            Found::Outside => Some(Found::Outside),
        }
    }

    fn through_glob(&self, module: usize, glob: &[String], path: &[String], depth: u32) -> Option<Found> {
        match self.resolve_to_depth(module, glob, depth - 1)? {
            Found::Module(found) if found != module => self.within(found, path, depth - 1),
            Found::Item(home, name, _) => match self.all[home].items.get(&name) {
                Some(Kind::Enum(variants)) if variants.contains(&path[0]) => {
                    Some(Found::Item(home, name, path.to_vec()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The item that a type names.
    fn item_of(&self, of: &TypeIn) -> Option<Found> {
        let syn::Type::Path(path) = peeled(&of.written) else { return Some(Found::Outside) };
        if path.qself.is_some() {
            return None;
        }
        let names = names_of(&path.path);
        if names[0] == "Self" {
            let written = of.self_type.clone().filter(|_| names.len() == 1)?;
            return self.item_of(&TypeIn { module: of.module, written, self_type: None });
        }
        match self.resolve(of.module, &names)? {
            Found::Item(home, name, rest) => match self.all[home].items.get(&name) {
                Some(Kind::Alias(aliased)) => {
                    self.item_of(&TypeIn { module: home, written: aliased.clone(), self_type: None })
                }
                _ => Some(Found::Item(home, name, rest)),
            },
            found => Some(found),
        }
    }

    /// The type of a receiver in the code of a module, where syntax and declarations give it.
    fn type_of(&self, module: usize, receiver: &Receiver, self_type: Option<&syn::Type>) -> Option<TypeIn> {
        match receiver {
            Receiver::This => {
                Some(TypeIn { module, written: self_type?.clone(), self_type: self_type.cloned() })
            }
            Receiver::Typed(written) => {
                Some(TypeIn { module, written: written.clone(), self_type: self_type.cloned() })
            }
            Receiver::Path(path) => self.type_of_path(module, path, self_type),
            Receiver::Field(of, field) => {
                let of = self.type_of(module, of, self_type)?;
                let Some(Found::Item(home, name, _)) = self.item_of(&of) else { return None };
                let Some(Kind::Struct(fields)) = self.all[home].items.get(&name) else { return None };
                Some(TypeIn { module: home, written: fields.get(field)?.clone(), self_type: None })
            }
            Receiver::Element(of) => {
                let of = self.type_of(module, of, self_type)?;
                let written = element(&of.written)?.clone();
                Some(TypeIn { written, ..of })
            }
            Receiver::Returned(of, method) => {
                let of = self.type_of(module, of, self_type)?;
                let Some(Found::Item(home, name, _)) = self.item_of(&of) else { return None };
                self.returned(home, &name, method)
            }
            Receiver::Unknown => None,
        }
    }

    /// The type of a constant, or the return type of a function.
    fn type_of_path(&self, module: usize, path: &[String], self_type: Option<&syn::Type>) -> Option<TypeIn> {
        let of_self = path[0] == "Self";
        let found = if of_self {
            let written = self_type?.clone();
            match self.item_of(&TypeIn { module, written, self_type: None })? {
                Found::Item(home, name, _) => Found::Item(home, name, path[1..].to_vec()),
                _ => return None,
            }
        } else {
            self.resolve(module, path)?
        };
        let Found::Item(home, name, rest) = found else { return None };
        match (self.all[home].items.get(&name)?, rest.as_slice()) {
            (Kind::Function(returned), []) => {
                Some(TypeIn { module: home, written: returned.clone()?, self_type: None })
            }
            (Kind::Value(written), []) => {
                Some(TypeIn { module: home, written: written.clone(), self_type: None })
            }
            (Kind::Struct(_) | Kind::Enum(_), [member]) => self.returned(home, &name, member),
            _ => None,
        }
    }

    fn returned(&self, home: usize, name: &str, method: &str) -> Option<TypeIn> {
        let [member] = self.member(home, name, method) else { return None };
        let written = member.returned()?.clone();
        Some(TypeIn { module: member.module, written, self_type: Some(member.self_type.clone()) })
    }

    /// The files that define what a path leads to: that of the item, and that of its inherent member.
    pub fn homes_of_path(&self, from: usize, path: &[String]) -> Option<BTreeSet<usize>> {
        let mut homes = BTreeSet::new();
        if let Found::Item(home, name, rest) = self.resolve(from, path)? {
            homes.insert(home);
            let item = match self.all[home].items.get(&name) {
                Some(Kind::Alias(aliased)) if !rest.is_empty() => {
                    self.item_of(&TypeIn { module: home, written: aliased.clone(), self_type: None })
                }
                _ => Some(Found::Item(home, name, Vec::new())),
            };
            if let (Some(Found::Item(home, name, _)), Some(member)) = (item, rest.first()) {
                homes.extend(self.member(home, &name, member).iter().map(|member| member.module));
            }
        }
        Some(homes)
    }

    /// The modules that define the method of a call. The receiver's type decides where it is known. Otherwise it is the
    /// crate's only method of that name, unless a type of the standard library has one.
    pub fn homes_of_call(&self, from: usize, call: &Call, methods: &Methods) -> BTreeSet<usize> {
        if !methods.defined.contains_key(&call.method) {
            return BTreeSet::new();
        }
        let of = self.type_of(from, &call.receiver, call.self_type.as_ref());
        let item = of.as_ref().and_then(|of| self.item_of(of));
        if let Some(Found::Item(home, name, _)) = &item {
            let members = self.member(*home, name, &call.method);
            if !members.is_empty() {
                return members.iter().map(|member| member.module).collect();
            }
        }
        if item == Some(Found::Outside) {
            return BTreeSet::new();
        }
        let root = self.root_of(from);
        methods.only(&self.reach_of(root), root, &call.method).into_iter().collect()
    }
}

/// The name of an item and its kind.
pub fn named(item: &syn::Item) -> Option<(String, Kind)> {
    let (name, kind) = match item {
        syn::Item::Const(item) => (&item.ident, Kind::Value((*item.ty).clone())),
        syn::Item::Static(item) => (&item.ident, Kind::Value((*item.ty).clone())),
        syn::Item::Enum(item) => {
            let variants = item.variants.iter().map(|variant| variant.ident.to_string());
            (&item.ident, Kind::Enum(variants.collect()))
        }
        syn::Item::Fn(item) => {
            let returned = match &item.sig.output {
                syn::ReturnType::Type(_, returned) => Some((**returned).clone()),
                syn::ReturnType::Default => None,
            };
            (&item.sig.ident, Kind::Function(returned))
        }
        syn::Item::Macro(item) => (item.ident.as_ref()?, Kind::Other),
        syn::Item::Struct(item) => {
            let fields = item.fields.iter().enumerate().map(|(number, field)| {
                let name = field.ident.as_ref().map_or(number.to_string(), ToString::to_string);
                (name, field.ty.clone())
            });
            (&item.ident, Kind::Struct(fields.collect()))
        }
        syn::Item::Trait(item) => (&item.ident, Kind::Other),
        syn::Item::TraitAlias(item) => (&item.ident, Kind::Other),
        syn::Item::Type(item) => (&item.ident, Kind::Alias((*item.ty).clone())),
        syn::Item::Union(item) => (&item.ident, Kind::Other),
        _ => return None,
    };
    Some((name.to_string(), kind))
}

/// Names of methods that types of the standard library and of foreign crates have too. A call on a receiver of unknown
/// type leads nowhere for them.
const FOREIGN_METHODS: [&str; 71] = [
    "all",
    "any",
    "as_bytes",
    "as_mut",
    "as_ref",
    "as_slice",
    "as_str",
    "bytes",
    "chars",
    "chunks",
    "clear",
    "contains",
    "copied",
    "count",
    "drain",
    "end",
    "entry",
    "extend",
    "fill",
    "filter",
    "find",
    "finish",
    "first",
    "flush",
    "get",
    "get_mut",
    "insert",
    "intersection",
    "into_iter",
    "is_empty",
    "is_none",
    "is_some",
    "iter",
    "iter_mut",
    "join",
    "keys",
    "kind",
    "last",
    "len",
    "lines",
    "map",
    "max",
    "min",
    "next",
    "parse",
    "pop",
    "position",
    "product",
    "push",
    "read",
    "remove",
    "replace",
    "resize",
    "retain",
    "rev",
    "seek",
    "set",
    "skip",
    "sort",
    "split",
    "start",
    "step",
    "sum",
    "swap",
    "take",
    "truncate",
    "union",
    "values",
    "windows",
    "write",
    "zip",
];

/// The types that define methods of each name, in each crate.
pub struct Methods {
    /// By name: the crate and the module, None where it is a method of a trait.
    defined: BTreeMap<String, Vec<(usize, Option<usize>)>>,
}

impl Methods {
    pub fn of(modules: &Modules) -> Self {
        let mut defined: BTreeMap<String, Vec<(usize, Option<usize>)>> = BTreeMap::new();
        for (number, module) in modules.all.iter().enumerate() {
            let root = modules.root_of(number);
            for (_, item) in &module.members {
                if let syn::ImplItem::Fn(function) = item
                    && function.sig.receiver().is_some()
                {
                    let name = function.sig.ident.to_string();
                    defined.entry(name).or_default().push((root, Some(number)));
                }
            }
            for name in &module.trait_methods {
                defined.entry(name.clone()).or_default().push((root, None));
            }
        }
        Self { defined }
    }

    /// The module of the only method of that name in a crate.
    fn only(&self, reach: &BTreeSet<usize>, root: usize, name: &str) -> Option<usize> {
        let mut within_reach = self.defined.get(name)?.iter().filter(|(of, _)| reach.contains(of));
        match (within_reach.next(), within_reach.next()) {
            (Some((of, only)), None) if *of == root && !FOREIGN_METHODS.contains(&name) => *only,
            _ => None,
        }
    }
}
