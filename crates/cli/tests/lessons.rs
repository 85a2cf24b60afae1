//! The guide of the first scenarios, `docs/lessons.md`: a section per scenario, with its command and the picture that
//! the program makes today. With WHEELBASE_BLESS set, the test makes the pictures.

use crate::common::Folder;
use std::path::{Path, PathBuf};

const RENEW: &str = "WHEELBASE_BLESS=1 cargo test -p wheelbase --test integration lessons::";
/// Most bytes of a picture, and of an animation.
const PICTURE_BYTES_MAX: usize = 40_000;
const ANIMATION_BYTES_MAX: usize = 1_000_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn text_of(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// Names of the first scenarios without their ending, in order.
fn lessons() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("scenarios/first")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".toml").map(str::to_owned)).collect();
    names.sort();
    names
}

/// A picture of a document: its file, and the arguments that make it, which stand in its title.
struct Picture<'a> {
    file: &'a str,
    args: Vec<&'a str>,
}

/// The pictures of a document that have a title: `![what is to be seen](FILE "ARGUMENTS")`.
fn pictures(text: &str) -> Vec<Picture<'_>> {
    let links = text.lines().filter(|line| line.starts_with("![")).filter_map(|line| line.split_once("]("));
    let titled = links.filter_map(|(_, link)| link.trim_end_matches(')').split_once(' '));
    titled
        .map(|(file, title)| Picture { file, args: title.trim_matches('"').split_whitespace().collect() })
        .collect()
}

/// Makes a picture of a scenario: `plan` with the rest of the arguments, or `render` after a run to the last tick
/// shown.
fn made(lesson: &str, picture: &Picture<'_>) -> Vec<u8> {
    let (folder, scenario) = (Folder::new(), root().join(format!("scenarios/first/{lesson}.toml")));
    let scenario = scenario.to_str().unwrap();
    let flag = if picture.file.ends_with(".gif") { "--gif" } else { "--png" };
    let drawn = |command: [&str; 2]| {
        let args = [&command[..], &[flag, "made"], &picture.args[1..]].concat();
        folder.run(&args).code(0);
    };
    match picture.args[0] {
        "plan" => drawn(["plan", scenario]),
        "render" => {
            let last = picture.args.iter().position(|arg| ["--tick", "--to"].contains(arg)).unwrap() + 1;
            let ticks = (picture.args[last].parse::<u32>().unwrap() + 1).to_string();
            // Exit status 1 says that orders are left.
            let ended = folder.run(&["run", scenario, "--quiet", "--record", "run.rec", "--ticks", &ticks]);
            assert!(ended.code <= 1, "{ended:?}");
            drawn(["render", "run.rec"]);
        }
        other => panic!("{}: expected plan or render, found {other}", picture.file),
    }
    std::fs::read(folder.path("made")).unwrap()
}

#[test]
fn every_lesson_has_a_section_with_a_picture_that_is_current() {
    let guide = text_of("docs/lessons.md");
    let sections: Vec<&str> = guide.split("\n## ").skip(1).collect();
    for (number, lesson) in (1..).zip(lessons()) {
        let begin = format!("{number}. ");
        let section = sections.iter().find(|section| section.starts_with(&begin));
        let section = section.unwrap_or_else(|| panic!("docs/lessons.md has no section {number}: {lesson}"));
        let command = format!("\nwheelbase show scenarios/first/{lesson}.toml\n");
        assert!(section.contains(&command), "docs/lessons.md, section {number}: expected {command}");
        assert!(
            section.contains("\n**Change** "),
            "docs/lessons.md, section {number}: what is to be changed?"
        );
        let [picture] = &pictures(section)[..] else { panic!("section {number}: expected one picture") };
        let named = picture.file.strip_prefix("lessons/").and_then(|file| file.split_once('.'));
        assert_eq!(named.map(|(name, _)| name), Some(lesson.as_str()), "{}", picture.file);
        if picture.file.ends_with(".gif") {
            let command = format!(".gif {}\n```", picture.args[1..].join(" "));
            assert!(section.contains(&command), "docs/lessons.md, section {number}: expected {command}");
        }
        check(&root().join("docs").join(picture.file), &made(&lesson, picture));
    }
}

/// Holds a picture against the one just made, or writes it.
fn check(file: &Path, made: &[u8]) {
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        std::fs::write(file, made).unwrap();
    }
    let shown = std::fs::read(file).unwrap_or_default();
    assert!(shown == made, "{} is not what the program draws; if that is meant: {RENEW}", file.display());
    let is_animation = file.extension().is_some_and(|ending| ending == "gif");
    let bytes_max = if is_animation { ANIMATION_BYTES_MAX } else { PICTURE_BYTES_MAX };
    assert!(made.len() <= bytes_max, "{}: {} bytes, more than {bytes_max}", file.display(), made.len());
}

/// Pictures that no document shows would never be renewed.
#[test]
fn no_picture_is_left_over() {
    let shown = text_of("docs/lessons.md");
    for entry in std::fs::read_dir(root().join("docs/lessons")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(shown.contains(&format!("](lessons/{name} \"")), "docs/lessons.md does not show {name}");
    }
}
