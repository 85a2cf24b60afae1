//! The public interface of each library crate matches `docs/api`: every name that a program can use, with methods and
//! public fields. WHEELBASE_BLESS=1 cargo test -p wheelbase --test integration public_api:: renews the record.
//!
//! An item stands under the path of its module where that is public, else under the shortest path that re-exports it.
//! Other paths to it are `use` lines. Impls of traits and items hidden from the documentation are left out. The
//! interface of `capi` is its header, which a separate test checks.

use crate::source::{CRATES, Found, MADE_BY_MACROS, Modules, attributes_of, is_for_tests, root};
use quote::ToTokens;
use std::collections::BTreeMap;

const RENEW: &str = "WHEELBASE_BLESS=1 cargo test -p wheelbase --test integration public_api::";

/// The interface of a crate as text, and its size.
#[derive(Default)]
struct Interface {
    lines: Vec<String>,
    n_names: usize,
    /// Methods and constants of types and traits.
    n_methods: usize,
    /// Public fields, and variants.
    n_fields: usize,
}

/// What a public path leads to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// An item of this crate, by its home module and its name there.
    Item(usize, String),
    /// An item of another crate, by its path as written.
    Foreign(String),
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn is_hidden(attributes: &[syn::Attribute]) -> bool {
    is_for_tests(attributes)
        || attributes.iter().any(|attribute| {
            attribute.path().is_ident("doc")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("hidden"))
        })
}

/// A type or a signature as rustfmt would write it, nearly.
fn written(tokens: &impl ToTokens) -> String {
    // In this order.
    const SPACING: [(&str, &str); 27] = [
        (" ::", "::"),
        (":: ", "::"),
        (" :", ":"),
        (" ,", ","),
        (" ;", ";"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" [", "["),
        ("[ ", "["),
        (" ]", "]"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" .", "."),
        (",)", ")"),
        (",>", ">"),
        ("->(", "-> ("),
        ("->[", "-> ["),
        (":(", ": ("),
        (":[", ": ["),
        (",(", ", ("),
        (",[", ", ["),
        ("=(", "= ("),
        ("'a[", "'a ["),
        ("mut[", "mut ["),
    ];
    let text = tokens.to_token_stream().to_string();
    SPACING.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

/// Public paths of a crate, by what they lead to.
fn exports(modules: &Modules, root: usize) -> BTreeMap<Target, Vec<String>> {
    let mut exports: BTreeMap<Target, Vec<String>> = BTreeMap::new();
    let mut open = vec![(root, String::new())];
    while let Some((module, path)) = open.pop() {
        let mut add = |target, name: &str| exports.entry(target).or_default().push(format!("{path}{name}"));
        for item in modules.all[module].code.iter().filter(|item| !is_hidden(attributes_of(item))) {
            let (visibility, name) = match item {
                syn::Item::Mod(item) if is_public(&item.vis) => {
                    let child = modules.all[module].children[&item.ident.to_string()];
                    open.push((child, format!("{path}{}::", item.ident)));
                    (&item.vis, item.ident.to_string())
                }
                syn::Item::Use(item) if is_public(&item.vis) => {
                    let (names, globs) = crate::source::gather::names_of_use(&item.tree);
                    for glob in globs {
                        match modules.resolve(module, &glob) {
                            Some(Found::Module(of)) if modules.root_of(of) == root => {
                                open.push((of, path.clone()))
                            }
                            _ => panic!("{}: a glob of another crate", modules.all[module].file),
                        }
                    }
                    for (name, imported) in names {
                        match modules.resolve(module, &imported).expect("resolved by the layers test") {
                            Found::Item(home, of, _) if modules.root_of(home) == root => {
                                add(Target::Item(home, of), &name)
                            }
                            Found::Module(home) if modules.root_of(home) == root => {
                                open.push((home, format!("{path}{name}::")));
                            }
                            _ => add(Target::Foreign(imported.join("::")), &name),
                        }
                    }
                    continue;
                }
                syn::Item::Const(item) => (&item.vis, item.ident.to_string()),
                syn::Item::Enum(item) => (&item.vis, item.ident.to_string()),
                syn::Item::Fn(item) => (&item.vis, item.sig.ident.to_string()),
                syn::Item::Static(item) => (&item.vis, item.ident.to_string()),
                syn::Item::Struct(item) => (&item.vis, item.ident.to_string()),
                syn::Item::Trait(item) => (&item.vis, item.ident.to_string()),
                syn::Item::Type(item) => (&item.vis, item.ident.to_string()),
                syn::Item::Macro(item) => {
                    let made = MADE_BY_MACROS.iter().find(|(file, of, _)| {
                        *file == modules.all[module].file
                            && item.ident.is_none()
                            && item.mac.path.is_ident(of)
                    });
                    let exported =
                        item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"));
                    assert!(!exported, "macros have no line here yet");
                    if let Some((_, _, name)) = made {
                        add(Target::Item(module, (*name).to_owned()), name);
                    }
                    continue;
                }
                _ => continue,
            };
            if is_public(visibility) {
                add(Target::Item(module, name.clone()), &name);
            }
        }
    }
    exports
}

impl Interface {
    fn of(modules: &Modules, root: usize) -> Self {
        let mut interface = Self::default();
        let mut blocks: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (target, mut paths) in exports(modules, root) {
            interface.n_names += paths.len();
            paths.sort_by_key(|path| (path.matches("::").count(), path.clone()));
            if let Target::Item(home, name) = &target {
                let own =
                    modules.path_of(*home).into_iter().chain([name.clone()]).collect::<Vec<_>>().join("::");
                let place = paths.iter().position(|path| *path == own).unwrap_or(0);
                let path = paths.remove(place);
                let block = interface.block(modules, *home, name, &path);
                for other in paths {
                    blocks.insert(other, vec![format!("use {path}")]);
                }
                blocks.insert(path, block);
            } else if let Target::Foreign(foreign) = target {
                blocks.extend(paths.into_iter().map(|path| (path, vec![format!("use {foreign}")])));
            }
        }
        for (path, block) in blocks {
            let mut lines = block.into_iter();
            interface.lines.extend(lines.next().map(|line| format!("{path}: {line}")));
            interface.lines.extend(lines.map(|line| format!("    {line}")));
        }
        interface
    }

    /// An item and its parts, a line each.
    fn block(&mut self, modules: &Modules, home: usize, name: &str, path: &str) -> Vec<String> {
        let is_it = |item: &&syn::Item| crate::source::named(item).is_some_and(|(found, _)| found == name);
        let code = &modules.all[home].code;
        let mut lines = Vec::new();
        let items: Vec<&syn::Item> =
            code.iter().filter(|item| !is_hidden(attributes_of(item))).filter(is_it).collect();
        for item in items {
            self.item(item, &mut lines);
        }
        let is_child = |item: &&syn::Item| matches!(item, syn::Item::Mod(child) if child.ident == name && is_public(&child.vis));
        if code.iter().any(|item| is_child(&item)) {
            lines.push("mod".to_owned());
        }
        if lines.is_empty() {
            self.made_by_macro(modules, home, &mut lines);
        }
        assert!(!lines.is_empty(), "{path}: not found");
        let mut members: Vec<String> = modules
            .members_of(home, name)
            .flat_map(|(_, members)| members)
            .filter_map(|member| match &member.item {
                syn::ImplItem::Fn(function) if is_public(&function.vis) && !is_hidden(&function.attrs) => {
                    Some(written(&function.sig))
                }
                syn::ImplItem::Const(constant) if is_public(&constant.vis) && !is_hidden(&constant.attrs) => {
                    Some(format!("const {}: {}", constant.ident, written(&constant.ty)))
                }
                _ => None,
            })
            .collect();
        members.sort();
        self.n_methods += members.len();
        lines.extend(members);
        lines
    }

    fn item(&mut self, item: &syn::Item, lines: &mut Vec<String>) {
        let open = |attributes: &[syn::Attribute], head: String| {
            let is_open = attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"));
            if is_open { format!("#[non_exhaustive] {head}") } else { head }
        };
        match item {
            syn::Item::Const(item) => lines.push(format!("const {}", written(&item.ty))),
            syn::Item::Static(item) => lines.push(format!("static {}", written(&item.ty))),
            syn::Item::Type(item) => lines.push(format!("type {}", written(&item.ty))),
            syn::Item::Fn(item) => lines.push(written(&item.sig)),
            syn::Item::Struct(item) => {
                lines.push(open(
                    &item.attrs,
                    format!("struct {}", written(&item.generics)).trim_end().to_owned(),
                ));
                self.fields(&item.fields, true, "", lines);
            }
            syn::Item::Enum(item) => {
                lines.push(open(
                    &item.attrs,
                    format!("enum {}", written(&item.generics)).trim_end().to_owned(),
                ));
                for variant in &item.variants {
                    self.n_fields += 1;
                    lines.push(variant.ident.to_string());
                    self.fields(&variant.fields, false, &format!("{}.", variant.ident), lines);
                }
            }
            syn::Item::Trait(item) => {
                lines.push(format!("trait {}", written(&item.generics)).trim_end().to_owned());
                for member in &item.items {
                    self.n_methods += 1;
                    lines.push(match member {
                        syn::TraitItem::Fn(function) => written(&function.sig),
                        syn::TraitItem::Const(constant) => {
                            format!("const {}: {}", constant.ident, written(&constant.ty))
                        }
                        syn::TraitItem::Type(of) => format!("type {}", of.ident),
                        _ => continue,
                    });
                }
            }
            _ => {}
        }
    }

    /// Fields of a struct, as far as they are public, or of a variant.
    fn fields(&mut self, fields: &syn::Fields, if_public: bool, of: &str, lines: &mut Vec<String>) {
        for (number, field) in fields.iter().enumerate() {
            if if_public && (!is_public(&field.vis) || is_hidden(&field.attrs)) {
                continue;
            }
            self.n_fields += 1;
            let name = field.ident.as_ref().map_or(number.to_string(), ToString::to_string);
            lines.push(format!("{of}{name}: {}", written(&field.ty)));
        }
    }

    /// A struct made by a macro: its fields are the names before a colon in the call, its methods the public functions
    /// in the definition.
    fn made_by_macro(&mut self, modules: &Modules, home: usize, lines: &mut Vec<String>) {
        let module = &modules.all[home];
        let Some((_, by, _)) = MADE_BY_MACROS.iter().find(|(file, _, _)| *file == module.file) else {
            return;
        };
        lines.push(format!("struct made by {by}!"));
        for item in &module.code {
            let syn::Item::Macro(item) = item else { continue };
            let words: Vec<String> = crate::source::gather::flat(item.mac.tokens.clone());
            if item.ident.as_ref().is_some_and(|name| name == by) {
                for three in words
                    .windows(3)
                    .filter(|three| three[0] == "pub" && ["fn", "const"].contains(&three[1].as_str()))
                {
                    self.n_methods += 1;
                    lines.push(three[1..].join(" "));
                }
            } else if item.mac.path.is_ident(by) {
                for two in words
                    .windows(2)
                    .filter(|two| two[1] == ":" && two[0].starts_with(|c: char| c.is_ascii_lowercase()))
                {
                    self.n_fields += 1;
                    lines.push(two[0].clone());
                }
            }
        }
    }
}

#[test]
fn public_interfaces_are_as_recorded() {
    let modules = Modules::read();
    let folder = root().join("docs/api");
    let mut differ = Vec::new();
    for (name, _) in CRATES.iter().filter(|(name, _)| !["capi", "cli", "python"].contains(name)) {
        let interface = Interface::of(&modules, modules.roots[&format!("wheelbase_{name}")]);
        let Interface { lines, n_names, n_methods, n_fields } = interface;
        let head =
            format!("wheelbase-{name}: {n_names} names, {n_methods} methods, {n_fields} fields and variants");
        println!("{head}");
        let text = format!("{head}\n\n{}\n", lines.join("\n"));
        let file = folder.join(format!("{name}.txt"));
        if std::env::var_os("WHEELBASE_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let recorded = std::fs::read_to_string(&file).unwrap_or_default();
        let only = |of: &str, other: &str, mark: char| {
            let lines = of.lines().filter(|line| !other.lines().any(|known| known == *line));
            lines.map(|line| format!("{mark} {line}")).collect::<Vec<_>>()
        };
        if text != recorded {
            differ.push(format!("docs/api/{name}.txt:"));
            differ.extend(only(&recorded, &text, '-'));
            differ.extend(only(&text, &recorded, '+'));
        }
    }
    assert!(differ.is_empty(), "{}\nif that is meant: {RENEW}", differ.join("\n"));
}
