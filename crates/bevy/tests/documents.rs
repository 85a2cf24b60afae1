//! The program of the README is an example that is built with all of Bevy.

#[test]
fn the_program_of_the_readme_is_built() {
    let readme = include_str!("../README.md");
    let (_, program) = readme.split_once("```rust,ignore\n").unwrap();
    let (program, _) = program.split_once("```").unwrap();
    let (_, built) = include_str!("../rts/examples/readme.rs").split_once("\n\n").unwrap();
    assert_eq!(program, built);
}
