//! The reader of imports finds arrows however they are written.

use super::{NOT_IN_VIEW, arrows, manifests, stays, unresolved};
use crate::source::Modules;
use std::collections::{BTreeMap, BTreeSet};

/// Crates of a few lines.
fn made_up(files: &[(&str, &str)]) -> Modules {
    Modules::of(&files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect())
}

/// Arrows out of one file.
fn arrows_from(file: &str, files: &[(&str, &str)]) -> Vec<String> {
    let arrows = arrows(&made_up(files));
    arrows.into_keys().filter(|(from, _)| from == file).map(|(_, to)| to).collect()
}

const LIB: (&str, &str) = ("grid/src/lib.rs", "mod a; mod b; mod c;");
const TYPE: (&str, &str) =
    ("grid/src/a.rs", "pub struct A { pub field: Vec<A> } impl A { pub fn itself(&self) -> &Self { self } }");
const METHOD: (&str, &str) =
    ("grid/src/b.rs", "use super::a::A; impl A { pub fn far(&self) {} pub const FAR: u32 = 1; }");

/// Arrows out of `c.rs`, whose code is given.
fn arrows_of(code: &str) -> Vec<String> {
    arrows_from("grid/src/c.rs", &[LIB, TYPE, METHOD, ("grid/src/c.rs", code)])
}

#[test]
fn methods_lead_to_the_file_of_their_impl() {
    let both = ["grid/src/a.rs", "grid/src/b.rs"];
    for code in [
        "fn f(it: &crate::a::A) { crate::a::A::far(it); }",
        "use crate::a::A as Other; fn f() -> u32 { Other::FAR }",
        "type Alias = crate::a::A; fn f(it: &Alias) { Alias::far(it); }",
        "fn f(it: &crate::a::A) { <crate::a::A>::far(it); }",
        "impl crate::a::A { fn g(&self) { Self::far(self); } }",
        "impl crate::a::A { fn g(&self) { self.far(); } }",
        "fn f(it: &crate::a::A) { it.field[0].itself().far(); }",
        "fn f(it: &crate::a::A) { assert!(it.far() == ()); }",
    ] {
        assert_eq!(arrows_of(code), both, "{code}");
    }
    // The type of the receiver is unknown: the only method of that name.
    for code in [
        "fn f() { g(|it| it.far()); }",
        "fn f() { m!(it => it.far()); }",
        "macro_rules! m { () => { x.far() } }",
    ] {
        assert_eq!(arrows_of(code), ["grid/src/b.rs"], "{code}");
    }
    for code in [
        "fn f(it: &Foreign) { it.far(); }",
        "struct C; impl C { fn far(&self) {} } fn f(it: C) { it.far(); g(|it| it.far()); }",
        "#[cfg(test)] fn f(it: &crate::a::A) { it.far(); }",
        "#[cfg(all(test, unix))] mod tests { fn f(it: &crate::a::A) { it.far(); } }",
        "fn f(it: Any) { m!(it => it.far); }",
    ] {
        assert_eq!(arrows_of(code), [""; 0], "{code}");
    }
}

#[test]
fn a_method_of_two_types_leads_to_that_of_its_receiver() {
    let other = ("grid/src/c.rs", "pub struct C; impl C { pub fn far(&self) {} }");
    let lib = ("grid/src/lib.rs", "mod a; mod b; mod c; mod d;");
    let code = "struct D { c: crate::c::C } impl D { fn f(&self) { self.c.far(); } }";
    let from = arrows_from("grid/src/d.rs", &[lib, TYPE, METHOD, other, ("grid/src/d.rs", code)]);
    assert_eq!(from, ["grid/src/c.rs"]);
}

#[test]
fn paths_are_followed_through_aliases_globs_and_reexports() {
    let lib = ("grid/src/lib.rs", "mod a; mod b; mod c; pub use a::E;");
    let item = ("grid/src/a.rs", "pub enum E { One } pub trait T {} pub fn a() {}");
    for code in [
        "use crate::a::E::*;",
        "use crate::a::T::*;",
        "fn f() { use crate::a::E::*; One; }",
        "use crate as r; fn f() -> r::E { loop {} }",
        "use crate::a as r; fn f() { r::a(); }",
        "use crate::a::*; fn f() { a(); }",
        "use super::{a::{self, T as _}};",
        "pub(crate) use crate::a::E as Other; fn f() { Other::One; }",
        "extern crate self as me; fn f() { me::a::a(); }",
        "m! { x => crate::a::a() }",
    ] {
        let from = arrows_from("grid/src/c.rs", &[lib, item, ("grid/src/b.rs", ""), ("grid/src/c.rs", code)]);
        assert_eq!(from, ["grid/src/a.rs"], "{code}");
    }
    for code in
        ["use wheelbase_grid as y; fn f() -> y::E { loop {} }", "extern crate wheelbase_grid as y; use y::E;"]
    {
        let from = arrows_from(
            "planner/src/lib.rs",
            &[lib, item, ("grid/src/b.rs", ""), ("grid/src/c.rs", ""), ("planner/src/lib.rs", code)],
        );
        assert_eq!(from, ["grid/src/a.rs"], "{code}");
    }
    // A module and the function after which it is named.
    let lib = ("grid/src/lib.rs", "mod a; mod b; mod c; pub use a::a;");
    let files = [lib, item, ("grid/src/b.rs", ""), ("grid/src/c.rs", "fn f() { crate::a(); }")];
    assert_eq!(arrows_from("grid/src/c.rs", &files), ["grid/src/a.rs"]);
}

#[test]
fn a_path_that_leads_nowhere_is_told() {
    for path in
        ["crate::a::Made", "super::a::Made", "self::Made", "wheelbase_grid::Made", "wheelbase_new::Made"]
    {
        for code in
            [format!("use {path};"), format!("fn f() {{ {path}::new(); }}"), format!("pub use {path};")]
        {
            let modules = made_up(&[LIB, TYPE, METHOD, ("grid/src/c.rs", &code)]);
            assert!(
                unresolved(&modules).contains(&format!("grid/src/c.rs: {path}"))
                    || unresolved(&modules).contains(&format!("grid/src/c.rs: {path}::new")),
                "{code}"
            );
        }
    }
    // A re-export leads nowhere by a relative path.
    let lib = ("grid/src/lib.rs", "mod a; mod b; mod c; pub use a::Made;");
    let modules = made_up(&[lib, TYPE, METHOD, ("grid/src/c.rs", "use crate::Made;")]);
    assert_eq!(unresolved(&modules), ["grid/src/c.rs: crate::Made", "grid/src/lib.rs: a::Made"]);
    let code =
        "use std::fmt; use crate::a::A; fn f<T>(it: A) { fmt::f(); T::new(); it.field; vec![A::far]; }";
    assert_eq!(unresolved(&made_up(&[LIB, TYPE, METHOD, ("grid/src/c.rs", code)])), [""; 0]);
}

#[test]
fn names_in_macros_are_seen_in_view() {
    for (code, name) in [
        ("fn f() { assert!(it.step()); }", ".step"),
        ("fn f() { m!(a => it.run()); }", ".run"),
        ("use wheelbase_sim::Setup as S;", "Setup"),
        ("fn f() { x::recording::rebuild(); }", "rebuild"),
    ] {
        let modules = made_up(&[("view/src/lib.rs", code)]);
        assert!(NOT_IN_VIEW.contains(&name) && modules.all[0].identifiers.contains(name), "{code}");
    }
}

#[test]
fn dependencies_are_read_from_every_table() {
    let manifest = manifests::read(
        "[dependencies]\nwheelbase-grid.workspace = true\nserde = '1'\n\
         [dependencies.wheelbase-sim]\npath = '../sim'\n\
         [build-dependencies]\nwheelbase-maps = '1'\n\
         [target.'cfg(unix)'.dependencies]\nother = { package = 'wheelbase-view', version = '1' }\n\
         [target.x86.dev-dependencies]\nwheelbase = '1'\n",
    );
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(manifest.used, names(&["grid", "sim", "maps", "view"]));
    assert_eq!(manifest.by_tests, names(&["cli"]));
    assert_eq!(manifest.renamed, ["other is wheelbase-view"]);

    let uses = |used| manifests::Manifest { used: names(used), ..manifests::Manifest::default() };
    let all: BTreeMap<_, _> = [("grid", uses(&[])), ("sim", uses(&["grid"])), ("scenario", uses(&["sim"]))]
        .map(|(name, manifest)| (name.to_owned(), manifest))
        .into();
    assert!(manifests::reaches(&all, "scenario", "grid") && !manifests::reaches(&all, "sim", "scenario"));
}

#[test]
fn paths_of_sources_stay_in_their_crate() {
    assert!(stays("planner/tests/embed_runs.rs", "../examples/embed.rs"));
    assert!(!stays("planner/tests/embed_runs.rs", "../../grid/src/lib.rs"));
    assert!(!stays("sim/src/lib.rs", "../../../elsewhere.rs") && !stays("sim/src/lib.rs", "/lib.rs"));
}
