//! Tells the program its commit and target; `src/version.rs` prints it.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=WHEELBASE_COMMIT");
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo:rustc-env=WHEELBASE_TARGET={target}");
    // A commit must not make every debug build do its work again.
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let read = || if is_release { commit() } else { None };
    let commit = env::var("WHEELBASE_COMMIT").ok().or_else(read).unwrap_or_default();
    println!("cargo:rustc-env=WHEELBASE_COMMIT={commit}");
}

/// Hash and date of the commit that is checked out; `None` without git, or outside our repository.
fn commit() -> Option<String> {
    if git(&["rev-parse", "--show-prefix"])? != "crates/cli/" {
        return None;
    }
    // Its log gains a line with each commit and checkout.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={log}");
    git(&["log", "-1", "--abbrev=12", "--format=%h of %cs"])
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
