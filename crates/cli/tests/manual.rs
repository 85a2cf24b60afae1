//! Completions and manual pages list the supported arguments, and none that the program refuses.

use crate::common::*;
use std::process::Command;

const SUBCOMMANDS: [&str; 16] = [
    "run",
    "show",
    "new",
    "plan",
    "distances",
    "check",
    "bench",
    "sweep",
    "verify",
    "render",
    "report",
    "generate",
    "schema",
    "completions",
    "man",
    "help",
];

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect()
}

#[test]
fn completions_list_the_supported_arguments() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]).done();
        let words = words(&script);
        for subcommand in SUBCOMMANDS {
            assert!(words.contains(&subcommand), "{shell}: {subcommand}");
        }
        assert!(words.iter().any(|word| word.trim_start_matches('-') == "expansions-per-tick"), "{shell}");
        assert!(words.iter().any(|word| word.trim_start_matches('-') == "resume"), "{shell}");
    }
    let refused = folder.run(&["completions", "sh"]).code(2);
    assert!(refused.stderr.contains("bash, elvish, fish, powershell, zsh"), "{refused:#?}");
}

#[test]
fn bash_completes_with_the_script() {
    let folder = Folder::new();
    let script = folder.run(&["completions", "bash"]).done();
    folder.write("wheelbase.bash", script);
    let bash = |arguments: &[&str]| {
        let output = Command::new("bash").args(arguments).current_dir(folder.path("")).output();
        output.ok().map(|output| {
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        })
    };
    if bash(&["-n", "wheelbase.bash"]).is_none() {
        println!("skipped: bash is missing");
        return;
    }
    let complete = |line: &str| {
        let asked = format!(
            "source ./wheelbase.bash; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _wheelbase wheelbase \"${{COMP_WORDS[$COMP_CWORD]}}\" \"${{COMP_WORDS[$COMP_CWORD-1]}}\"; \
             echo \"${{COMPREPLY[@]}}\""
        );
        bash(&["--norc", "-c", &asked]).unwrap().trim_end().to_owned()
    };
    assert_eq!(complete("wheelbase ge"), "generate");
    assert_eq!(complete("wheelbase run --t"), "--ticks --threads --trace --tries-per-tick --tune");
    assert_eq!(complete("wheelbase bench --format j"), "json");
}

#[test]
fn the_manual_page_has_its_sections() {
    let folder = Folder::new();
    let page = folder.run(&["man"]).done();
    assert!(page.contains(".TH wheelbase 1"), "{page}");
    for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS", ".SH \"EXIT STATUS\""] {
        assert_eq!(page.lines().filter(|line| *line == section).count(), 1, "{section}\n{page}");
    }
    for subcommand in SUBCOMMANDS {
        assert!(page.contains(&format!("wheelbase\\-{subcommand}(1)")), "{subcommand}\n{page}");
    }
    assert!(page.contains("\\fB130\\fR\ninterrupted"), "{page}");
}

#[test]
fn each_subcommand_has_a_page() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["man", "--out", "share/man1"]).done(), "");
    let main = folder.read("share/man1/wheelbase.1");
    assert_eq!(main, folder.run(&["man"]).done());
    for subcommand in SUBCOMMANDS {
        let page = folder.read(&format!("share/man1/wheelbase-{subcommand}.1"));
        assert!(page.contains(&format!(".TH wheelbase-{subcommand} 1  \"wheelbase 0.")), "{page}");
        assert!(page.contains(&format!("\\fBwheelbase {subcommand}\\fR")), "{page}");
        assert!(page.contains(".SH \"EXIT STATUS\""), "{page}");
    }
    let pages = std::fs::read_dir(folder.path("share/man1")).unwrap().count();
    assert_eq!(pages, 1 + SUBCOMMANDS.len());
    let run = folder.read("share/man1/wheelbase-run.1").replace('\\', "");
    assert!(["--resume", "--snapshot"].iter().all(|word| words(&run).contains(word)), "{run}");
    let bench = folder.read("share/man1/wheelbase-bench.1");
    assert!(bench.contains(".SH OUTPUT") && bench.contains("phase_shares"), "{bench}");
    folder.write("file", "");
    let refused = folder.run(&["man", "--out", "file"]).refused();
    assert_eq!(refused, "file: cannot be written: File exists (os error 17)");
}
