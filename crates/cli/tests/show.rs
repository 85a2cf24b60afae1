//! `wheelbase show`: the page of each kind of file, refusals, and the effect of saving the file; `wheelbase
//! new`: a scenario that all of it works with.

use crate::common::*;
use std::path::PathBuf;
use std::process::Stdio;

const PROBLEM: &str = "{\"mapFile\": \"a.map\", \"agentFile\": \"a.agents\", \"teamSize\": 1,\n\"taskFile\": \"a.tasks\", \"numTasksReveal\": 1, \"taskAssignmentStrategy\": \"roundrobin\"}";

/// Runs the program with a separate temporary folder.
fn show(folder: &Folder, args: &[&str]) -> Ended {
    std::fs::create_dir_all(folder.path("temp")).unwrap();
    let args: Vec<&str> = ["show"].iter().chain(args).copied().collect();
    Ended::of(&args, &folder.command(&args).env("TMPDIR", folder.path("temp")).output().unwrap())
}

/// The page that the output names, by its path.
#[track_caller]
fn page_of(stdout: &str) -> PathBuf {
    let line = stdout.lines().last().unwrap_or_default();
    let Some(path) = line.strip_prefix("page: file://") else { panic!("{stdout}") };
    path.into()
}

/// The files in the temporary folders.
fn temporary(folder: &Folder) -> Vec<PathBuf> {
    let entries = |path| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries(folder.path("temp")).flat_map(entries).collect()
}

#[test]
fn each_kind_of_file_has_a_page() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    folder.write("a.map", "type octile\nheight 1\nwidth 4\nmap\n....\n");
    folder.write("a.agents", "1\n0\n");
    folder.write("a.tasks", "1\n3\n");
    folder.write("a.json", PROBLEM);
    folder.run(&["run", "trucks.toml", "--record", "a.rec"]).code(0);
    for (args, title) in [
        (&["trucks.toml", "--no-open"][..], "two trucks"),
        // There is no terminal, so no browser is opened either.
        (&["trucks.toml", "--seed", "3"], "two trucks"),
        (&["a.json", "--ticks", "20"], "a"),
        (&["a.rec"], "two trucks"),
    ] {
        let page = page_of(&show(&folder, args).done());
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.contains(&format!("<title>{title}</title>")), "{args:?}");
        // Nothing else is left, and nothing that makes it reload.
        assert_eq!(temporary(&folder), [page.as_path()]);
        assert!(!text.contains("wheelbaseVersion") && !text.contains("file:"), "{args:?}");
        std::fs::remove_dir_all(page.parent().unwrap()).unwrap();
    }
    // The page of a recording equals the page of `render`.
    folder.run(&["render", "a.rec", "--html", "rendered.html"]).done();
    show(&folder, &["a.rec", "-o", "shown.html"]).done();
    assert_eq!(folder.read("shown.html"), folder.read("rendered.html"));
}

#[test]
fn orders_that_are_left_are_a_negative_answer_with_a_page() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let ended = show(&folder, &["trucks.toml", "--ticks", "5", "--output", "a b.html"]).code(1);
    assert!(ended.stdout.starts_with("two trucks, 5 ticks: 0 of 3 orders done, 3 left\n"), "{ended:#?}");
    assert!(ended.stdout.ends_with("/a%20b.html\n") && folder.path("a b.html").exists(), "{ended:#?}");
}

#[test]
fn other_files_are_named() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    folder.write("a.map", MAP);
    folder.write("cart.toml", CART);
    folder.write("a.txt", PROBLEM);
    folder.write("broken.toml", trucks_with("seed = 7", "sed = 7"));
    folder.run(&["run", "trucks.toml", "--record", "a.rec", "--snapshot", "a.snap"]).code(0);
    let expected = "expected a scenario (.toml), a problem (.json) or a recording from run --record";
    for (args, message) in [
        (&["a.map"][..], format!("a.map: is a map, {expected}")),
        (&["cart.toml"], format!("cart.toml: is a class file, {expected}")),
        (&["a.snap", "--reload"], format!("a.snap: is a snapshot, {expected}")),
        (
            &["a.txt"],
            "a.txt: is a problem of the League of Robot Runners, expected a name that ends in .json"
                .to_owned(),
        ),
        (
            &["a.rec", "--ticks", "5"],
            "a.rec: is a recording: --ticks and --seed are for scenarios and problems".to_owned(),
        ),
        (&["no.toml"], "no.toml: cannot be read: No such file or directory (os error 2)".to_owned()),
        (
            &["no.toml", "--reload"],
            "no.toml: cannot be read: No such file or directory (os error 2)".to_owned(),
        ),
        (&["broken.toml"], "broken.toml:2:1: sed: unknown key, did you mean `seed`?".to_owned()),
    ] {
        let refused = show(&folder, args).refused();
        assert!(refused.starts_with(&message) && refused.lines().count() == 1, "{refused}");
        assert!(temporary(&folder).is_empty());
    }
}

#[test]
fn only_a_page_of_our_own_is_replaced() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    for (name, text) in [("mine.html", "<!DOCTYPE html>\n<p>mine"), ("b.html.js", "mine()"), ("c.txt", "")] {
        folder.write(name, text);
    }
    let foreign = |name| {
        format!("--output: expected a new file or a page of Wheelbase, found {name}, which is something else")
    };
    for (page, message) in [
        ("mine.html", foreign("mine.html")),
        ("b.html", foreign("b.html.js")),
        ("c.txt", "--output: expected a file .html, found c.txt".to_owned()),
    ] {
        assert_eq!(show(&folder, &["trucks.toml", "-o", page]).refused(), message);
    }
    assert_eq!(folder.read("mine.html"), "<!DOCTYPE html>\n<p>mine");
    assert!(!folder.path("b.html").exists());
    // An empty file has nothing to lose.
    folder.write("a.html", "");
    show(&folder, &["trucks.toml", "-o", "a.html"]).done();
    let first = folder.read("a.html");
    show(&folder, &["trucks.toml", "-o", "a.html", "--ticks", "20"]).code(1);
    assert_ne!(folder.read("a.html"), first);
}

/// Ends the program, even if the test fails.
struct Shown(std::process::Child);

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_saved_file_is_shown_again_until_ctrl_c() {
    let folder = Folder::with("a.toml", TRUCKS);
    std::fs::create_dir_all(folder.path("temp")).unwrap();
    let file = |name: &str| std::fs::File::create(folder.path(name)).unwrap();
    let mut command = folder.command(&["show", "a.toml", "--reload", "-o", "a.html"]);
    command.env("TMPDIR", folder.path("temp")).stdin(Stdio::null());
    let mut shown = Shown(command.stdout(file("out")).stderr(file("err")).spawn().unwrap());
    let waits = |times: usize| {
        wait_until("it waits", || {
            folder.read("err").matches("waiting until a.toml is saved").count() == times
        });
    };
    waits(1);
    let (first, version) = (folder.read("a.html"), folder.read("a.html.js"));
    // The page knows the version that lies next to it.
    let number = version.split('"').nth(1).unwrap();
    assert!(first.contains(&format!("const shown = \"{number}\"")), "{version}");
    // A mistake is printed, and the page stays.
    folder.write("a.toml", trucks_with("seed = 7", "sed = 7"));
    waits(2);
    assert!(folder.read("err").contains("error: a.toml:2:1: sed: unknown key"), "{}", folder.read("err"));
    assert_eq!(folder.read("a.html"), first);
    // So are a file that is gone for a while, as in editors, and its replacement.
    std::fs::remove_file(folder.path("a.toml")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(400));
    folder.write("new.toml", trucks_with("two trucks", "two lorries"));
    std::fs::rename(folder.path("new.toml"), folder.path("a.toml")).unwrap();
    waits(3);
    assert!(folder.read("a.html").contains("<title>two lorries</title>"));
    assert_ne!(folder.read("a.html.js"), version);
    interrupt(&shown.0);
    assert_eq!(shown.0.wait().unwrap().code(), Some(0));
    // What stays is the page alone, which no more looks for another.
    let last = folder.read("a.html");
    assert!(last.contains("two lorries") && !last.contains("wheelbaseVersion"));
    assert!(!folder.path("a.html.js").exists() && temporary(&folder).is_empty());
    assert_eq!(folder.read("out").matches("page: file://").count(), 1);
}

#[test]
fn a_new_scenario_that_begins_with_a_dash_is_no_option() {
    let folder = Folder::new();
    let said = folder.run(&["new", "--", "-x"]).done();
    assert!(said.contains("wheelbase run ./-x.toml"), "{said}");
    folder.run(&["run", "./-x.toml", "--quiet"]).code(0);
}

#[test]
fn a_new_scenario_can_be_checked_run_and_shown() {
    let folder = Folder::new();
    folder.write("maps/kept", "");
    for (name, file) in [("town", "town.toml"), ("maps/old town.toml", "maps/old town.toml")] {
        let said = folder.run(&["new", name]).done();
        let word = if file.contains(' ') { format!("'{file}'") } else { file.to_owned() };
        let commands: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        assert_eq!(commands, [format!("wheelbase show {word}"), format!("wheelbase run {word}")]);
        assert_eq!(folder.run(&["check", file]).done(), format!("{file}: ok\n"));
        let result = folder.run(&["run", file, "--format", "json", "--check-invariants"]).code(0).json();
        let name = name.trim_start_matches("maps/").trim_end_matches(".toml");
        assert_eq!((&result["scenario"], &result["collisions"]), (&name.into(), &0.into()));
        assert_eq!((&result["orders_done"], &result["edits_pending"]), (&3.into(), &0.into()), "{result}");
        assert!(result["tasks_done"].as_u64().unwrap() > 50, "{result}");
        let page = page_of(&show(&folder, &[file, "--no-open"]).done());
        let page = page.to_str().unwrap().replace("%20", " ");
        assert!(std::fs::read_to_string(page).unwrap().contains(&format!("<title>{name}</title>")));
    }
}

#[test]
fn wrong_names_say_why() {
    let folder = Folder::with("a.toml", "mine");
    let refused = folder.run(&["new", "a"]).refused();
    assert_eq!(refused, "a.toml: is there already, and is not overwritten; expected another name");
    assert_eq!(folder.read("a.toml"), "mine");
    for (name, why) in [
        ("maps/", "it has no name behind the folder"),
        ("..", "it has no name behind the folder"),
        (".toml", "the name is empty"),
        ("a\"b", "a name has letters, digits, spaces, `-`, `_` and `.`, not `\\\"`"),
    ] {
        let refused = folder.run(&["new", name]).refused();
        let shown = format!("NAME: expected a name such as harbour or maps/harbour, found \"{name}\": ");
        assert_eq!(refused, shown + why);
    }
    let refused = folder.run(&["new", "no/b"]).refused();
    assert_eq!(refused, "no/b.toml: cannot be written: No such file or directory (os error 2)");
}
