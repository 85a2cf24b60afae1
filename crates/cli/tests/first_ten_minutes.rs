//! `docs/first_ten_minutes.md` as a reader follows it: its files are saved, its commands run, and print the quoted
//! text. With WHEELBASE_BLESS set, the test writes its picture.

use crate::common::{Ended, Folder};
use std::path::{Path, PathBuf};

const RENEW: &str = "WHEELBASE_BLESS=1 cargo test -p wheelbase --test integration first_ten_minutes::";
/// The file that every block of TOML is saved as, and the picture that a command makes of it.
const FILE: &str = "valley.toml";
const PICTURE: &str = "valley.png";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn text_of(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// The blocks of a document: language and text, in order.
fn blocks(document: &str) -> Vec<(&str, &str)> {
    let fenced = document.split("\n```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
}

/// The commands before `wheelbase` is there: `.ci/run` carries out the third.
fn installing() -> [String; 3] {
    let manifest = text_of("Cargo.toml");
    let url = manifest.split("\nrepository = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let folder = url.rsplit('/').next().unwrap();
    [
        format!("git clone {url}"),
        format!("cd {folder}"),
        "cargo install --path crates/cli --locked".to_owned(),
    ]
}

/// Runs a command of the page. Pages stay closed, and scenarios of the repository are found.
fn run(folder: &Folder, command: &str) -> Ended {
    let words =
        command.strip_prefix("wheelbase ").unwrap_or_else(|| panic!("not a command of ours: {command}"));
    let of_repository = |word: &str| match word.starts_with("scenarios/") {
        true => root().join(word).to_str().unwrap().to_owned(),
        false => word.to_owned(),
    };
    let mut args: Vec<String> = words.split_whitespace().map(of_repository).collect();
    if args[0] == "show" {
        args.push("--no-open".to_owned());
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = folder.program().args(&args).env("TMPDIR", folder.path("temp")).output().unwrap();
    Ended::of(&args, &output).code(0)
}

#[test]
fn the_page_can_be_followed() {
    let (page, folder) = (text_of("docs/first_ten_minutes.md"), Folder::new());
    std::fs::create_dir(folder.path("temp")).unwrap();
    let (mut installing, mut printed, mut n_files) = (installing().to_vec(), String::new(), 0);
    installing.reverse();
    for (language, text) in blocks(&page) {
        match language {
            "toml" => {
                folder.write(FILE, text);
                n_files += 1;
            }
            "sh" => {
                for command in text.lines() {
                    if let Some(expected) = installing.pop() {
                        assert_eq!(command, expected);
                        continue;
                    }
                    let ended = run(&folder, command);
                    printed = ended.stdout + &ended.stderr;
                }
            }
            "text" => {
                for line in text.lines() {
                    assert!(printed.lines().any(|found| found == line), "expected {line:?} in\n{printed}");
                }
            }
            other => panic!("a block of {other}"),
        }
    }
    assert_eq!((n_files, installing.len()), (3, 0));
    check_picture(&std::fs::read(folder.path(PICTURE)).unwrap());
}

/// Compares the picture of the page with the new picture of its command, or writes it.
fn check_picture(made: &[u8]) {
    let file = root().join("docs").join(PICTURE);
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        std::fs::write(&file, made).unwrap();
    }
    let shown = std::fs::read(&file).unwrap_or_default();
    assert!(shown == made, "docs/{PICTURE} is not what the program draws; if that is meant: {RENEW}");
}

/// What the page says of the first and the second map, without a separate block.
#[test]
fn what_the_page_says_is_so() {
    let page = text_of("docs/first_ten_minutes.md");
    let files: Vec<&str> =
        blocks(&page).into_iter().filter(|block| block.0 == "toml").map(|block| block.1).collect();
    let folder = Folder::with("1.toml", files[0]);
    let warned = run(&folder, "wheelbase check 1.toml").stdout;
    let warning = "on the initial map, no sequence of moves leads from the start to the goal";
    assert!(warned.contains(warning) && page.contains(&format!("`{warning}`")), "{warned}");
    folder.write("2.toml", files[1]);
    let result = run(&folder, "wheelbase run 2.toml --format json").json();
    assert_eq!((result["ticks"].as_u64(), result["moves"].as_u64()), (Some(72), Some(24)));
    assert!(page.contains("after 72 ticks: 24 cells at 3 ticks each"));
    folder.write("3.toml", files[2]);
    let result = run(&folder, "wheelbase run 3.toml --format json").json();
    assert_eq!((result["agents"].as_u64(), result["edits_pending"].as_u64()), (Some(23), Some(0)));
}
