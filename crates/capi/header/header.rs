//! The committed header is what cbindgen makes of the sources: WHEELBASE_BLESS=1 cargo test -p wheelbase-header
//! writes it again.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().unwrap();
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_crate(root).with_config(config).generate().unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    // What Rust calls the safety of a function is, to C, what its pointers have to be.
    let made = String::from_utf8(made).unwrap().replace(" * # Safety\n * ", " * Pointers: ");
    assert!(!made.contains("Safety"), "a section of safety that is not one of pointers");
    let file = root.join("include/wheelbase.h");
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        std::fs::create_dir_all(root.join("include")).unwrap();
        return std::fs::write(file, made).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    let mut lines = made.lines().zip(committed.lines()).enumerate();
    let first = lines.find(|(_, (made, committed))| made != committed);
    assert!(
        made == committed,
        "include/wheelbase.h is not that of the sources, at {first:?}: \
         WHEELBASE_BLESS=1 cargo test -p wheelbase-header"
    );
}
