//! The programs on the pages of C, C++ and C# are the examples, which CI compiles and runs. WHEELBASE_BLESS=1 copies
//! them.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;

#[test]
fn the_programs_on_the_pages_are_the_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (page, language, programs) in [
        ("docs/c.md", "c", &["capi/examples/plan.c", "capi/examples/world.c"][..]),
        ("docs/cpp.md", "cpp", &["capi/examples/plan.cpp"]),
        ("docs/csharp.md", "csharp", &["csharp/examples/FortyLines.cs"]),
    ] {
        let mut text = std::fs::read_to_string(root.join(page)).unwrap();
        for program in programs {
            let file = format!("crates/{program}");
            let example = std::fs::read_to_string(root.join(&file)).unwrap();
            let fence = format!("`{file}`:\n\n```{language}\n");
            let from =
                text.find(&fence).unwrap_or_else(|| panic!("{page} does not show {file}")) + fence.len();
            let to = from + text[from..].find("```\n").unwrap();
            if std::env::var_os("WHEELBASE_BLESS").is_some() {
                text.replace_range(from..to, &example);
                std::fs::write(root.join(page), &text).unwrap();
            }
            assert!(
                text[from..].starts_with(&format!("{example}```\n")),
                "{page} shows another program than {file}: WHEELBASE_BLESS=1 cargo test -p wheelbase-capi --test pages"
            );
        }
    }
}
