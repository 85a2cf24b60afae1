//! Each of the first scenarios ends with "Now change this and see": edits that a reader makes by hand. Here they are
//! made: the changed scenario loads, runs, and ends otherwise than before, as the line below the edit says. With
//! WHEELBASE_BLESS set, the test writes these lines.

use crate::recorded_outcomes::{names_in, scenarios};
use std::path::{Path, PathBuf};
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{RunResult, TickTimes};

const RENEW: &str = "WHEELBASE_BLESS=1 cargo test -p wheelbase-scenario --test integration lessons::";
/// The start of the comment that contains the edits. Then the prefixes of its lines: the old line, the new line, and
/// the result of the run.
const COMMENT: &str = "\n# Now change this and see: ";
const OLD: &str = "#     - ";
const NEW: &str = "#     + ";
const ENDS: &str = "#     =";

/// An edit of a scenario: lines that stand in it, one below the other, and those in their place.
#[derive(Default)]
struct Edit<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

fn path(name: &str) -> PathBuf {
    scenarios().join("first").join(name)
}

/// The edits of a comment, with what each comes to.
fn edits(comment: &str) -> Vec<(Edit<'_>, &str)> {
    let (mut edits, mut edit) = (Vec::new(), Edit::default());
    for line in comment.lines() {
        if let Some(old) = line.strip_prefix(OLD) {
            edit.old.push(old);
        } else if let Some(new) = line.strip_prefix(NEW) {
            edit.new.push(new);
        } else if let Some(ends) = line.strip_prefix(ENDS) {
            edits.push((std::mem::take(&mut edit), ends.trim()));
        }
    }
    assert!(edit.old.is_empty() && edit.new.is_empty(), "an edit without a line {ENDS:?}: {comment}");
    edits
}

/// Whether a line of the file belongs to an edit, which leaves the comment behind it out.
fn is_line(line: &str, of_edit: &str) -> bool {
    let rest = line.trim_start().strip_prefix(of_edit).map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// A scenario with an edit made. Its lines must stand there once.
fn edited(name: &str, text: &str, edit: &Edit<'_>) -> String {
    let Edit { old, new } = edit;
    assert!(!old.is_empty() && !new.is_empty(), "{name}: an edit needs a line {OLD:?} and a line {NEW:?}");
    let lines: Vec<&str> = text.lines().collect();
    let is_here = |at: &usize| lines[*at..].iter().zip(old).all(|(line, old)| is_line(line, old));
    let places: Vec<usize> = (0..=lines.len() - old.len()).filter(is_here).collect();
    assert_eq!(places.len(), 1, "{name}: {old:?} must stand there once");
    let (before, rest) = lines.split_at(places[0]);
    [before, new, &rest[old.len()..]].concat().join("\n") + "\n"
}

/// Runs a scenario to its end, and says its outcome in words.
fn ends(path: &Path, text: &str) -> String {
    let file = path.display().to_string();
    let typed = scenario::parse(&file, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let mut world = load::build_world(path, &typed).unwrap_or_else(|error| panic!("{error}"));
    world.run();
    let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
    let counts = [
        (result.orders_done, ["order done", "orders done"]),
        (result.tasks_done, ["task done", "tasks done"]),
        (result.orders_unreachable, ["unreachable"; 2]),
        (result.orders_left, ["left"; 2]),
        (result.removed, ["removed"; 2]),
    ];
    let is_any = |(count, _): &&(u64, [&str; 2])| *count > 0;
    let counts = counts.iter().filter(is_any);
    let counts =
        counts.map(|(count, [one, many])| format!(", {count} {}", if *count == 1 { one } else { many }));
    format!("{} ticks, {} moves", result.ticks, result.moves) + &counts.collect::<String>()
}

/// Makes the edits of a scenario, each by itself. Returns the file with what they come to.
fn try_edits(name: &str) -> String {
    let (path, mut written) = (path(name), std::fs::read_to_string(path(name)).unwrap());
    let text = written.clone();
    let (lesson, comment) = text.split_once(COMMENT).unwrap_or_else(|| panic!("{name} has no {COMMENT:?}"));
    let edits = edits(comment);
    assert!(!edits.is_empty(), "{name}: no edit below {COMMENT:?}");
    let before = ends(&path, lesson);
    let mut at = lesson.len();
    for (edit, _) in edits {
        let after = ends(&path, &edited(name, lesson, &edit));
        assert_ne!(after, before, "{name}: {:?} changes nothing", edit.new);
        let line = at + written[at..].find(ENDS).unwrap();
        let end = line + written[line..].find('\n').unwrap();
        written.replace_range(line..end, &format!("{ENDS} {after}"));
        at = line + ENDS.len();
    }
    written
}

#[test]
fn what_a_lesson_asks_to_change_ends_as_it_says() {
    let is_blessed = std::env::var_os("WHEELBASE_BLESS").is_some();
    for name in names_in("first") {
        let written = try_edits(&name);
        if is_blessed {
            std::fs::write(path(&name), &written).unwrap();
        }
        let text = std::fs::read_to_string(path(&name)).unwrap();
        for (line, expected) in text.lines().zip(written.lines()) {
            assert_eq!(line, expected, "{name}; if that is meant: {RENEW}");
        }
    }
}

#[test]
fn edits_are_found_and_made() {
    let text = "a = 1   # one\nb = 2\nb = 2\nc = 3\na = 10\n";
    let edit = |old: &[&'static str]| Edit { old: old.to_vec(), new: vec!["n", "m"] };
    assert_eq!(edited("t", text, &edit(&["a = 1"])), "n\nm\nb = 2\nb = 2\nc = 3\na = 10\n");
    assert_eq!(edited("t", text, &edit(&["b = 2", "c = 3"])), "a = 1   # one\nb = 2\nn\nm\na = 10\n");
    for wrong in [&["b = 2"][..], &["b"], &["a = 1", "c = 3"]] {
        assert!(std::panic::catch_unwind(|| edited("t", text, &edit(wrong))).is_err(), "{wrong:?}");
    }
    let found = edits("x\n#     - a\n#     + b\n#     = c\n#\n#     - d\n#     - e\n#     + f\n#     =\n");
    let of = |at: usize| (found[at].0.old.as_slice(), found[at].0.new.as_slice(), found[at].1);
    assert_eq!((of(0), of(1)), ((&["a"][..], &["b"][..], "c"), (&["d", "e"][..], &["f"][..], "")));
}
