//! The documents are true: help texts are as recorded, links lead somewhere, paths exist, programs in them run, every
//! tunable is described, all scenarios are good.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod common;

use common::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wheelbase_sim::TrafficParams;

/// Lines of the README at most: whoever meets the project reads it whole.
const README_LINES_MAX: usize = 130;
/// Endings by which a word with a slash in it is taken for a path.
const ENDINGS: [&str; 9] = ["rs", "toml", "md", "map", "scen", "h", "c", "png", "svg"];
/// Endings by which a word without a slash is taken for a path.
const ENDINGS_BARE: [&str; 2] = ["rs", "md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file and folder of the repository from its root, but for what is built and for git's own.
fn repository() -> Vec<String> {
    let (root, mut found, mut folders) = (root(), Vec::new(), vec![root()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            if matches!(name.as_str(), "target" | ".git") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            }
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Checks a text against a file of `tests/snapshots`, or writes it there if WHEELBASE_BLESS is set.
fn check_snapshot(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let recorded = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        text,
        recorded,
        "{} differs; if that is meant: WHEELBASE_BLESS=1 cargo test -p wheelbase --test documents",
        file.display()
    );
}

#[test]
fn help_is_as_recorded() {
    let folder = Folder::new();
    check_snapshot("help.txt", &folder.run(&["--help"]).done());
    let subcommands = [
        "run",
        "plan",
        "distances",
        "check",
        "verify",
        "render",
        "report",
        "bench",
        "generate",
        "completions",
        "man",
    ];
    for subcommand in subcommands {
        check_snapshot(&format!("help_{subcommand}.txt"), &folder.run(&[subcommand, "--help"]).done());
    }
}

/// The words of a document that are code.
fn words(document: &str) -> Vec<String> {
    let (mut words, mut fenced) = (Vec::new(), false);
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            words.extend(line.split_whitespace().filter(|word| starts_in_a_folder(word)).map(str::to_owned));
        } else {
            // Every second piece is in backticks.
            words.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    words
}

/// The targets of the links of a line, but for those that leave the repository.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://"))
}

/// Whether it begins as a path of the repository does.
fn starts_in_a_folder(word: &str) -> bool {
    ["crates/", "scenarios/", "benches/", "./crates/", "./scenarios/", "./benches/"]
        .iter()
        .any(|folder| word.starts_with(folder))
}

/// Whether a word in backticks names a path, and not a flag, a type or a pattern.
fn is_path(word: &str) -> bool {
    let of_path = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    // A word in capitals stands for whatever the user has, as `FILE.map` does.
    let stem = word.rsplit('/').next().unwrap_or(word).split('.').next().unwrap_or("");
    let ending = Path::new(word).extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let placeholder = stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase()) && ending != "md";
    if word.starts_with('-') || placeholder || !word.chars().all(of_path) {
        return false;
    }
    match word.contains('/') {
        true => starts_in_a_folder(word) || word.ends_with('/') || ENDINGS.contains(&ending),
        false => ENDINGS_BARE.contains(&ending),
    }
}

/// Whether the repository has a path: from its root, or by its last parts (`planner/src/pose.rs`).
fn exists(repository: &[String], path: &str) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let tail = format!("/{path}");
    repository.iter().any(|file| file == path || file.ends_with(&tail))
}

/// Every Markdown file of the repository, with its text.
fn documents() -> Vec<(String, String)> {
    let names = repository().into_iter().filter(|name| name.ends_with(".md"));
    names.map(|name| (name.clone(), std::fs::read_to_string(root().join(name)).unwrap())).collect()
}

/// Where a link leads from a document: a path from the root of the repository, and an anchor, which may be empty.
fn target_of(document: &str, link: &str) -> (String, String) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return (document.to_owned(), anchor.to_owned());
    }
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    (parts.join("/"), anchor.to_owned())
}

/// The anchors of a document's headings.
fn anchors(text: &str) -> Vec<String> {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(is_kept).collect()
    };
    outside_code(text).filter(|line| line.starts_with('#')).map(anchor).collect()
}

/// The lines of a document that are not in a block of code.
fn outside_code(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

#[test]
fn paths_named_in_documents_exist() {
    let repository = repository();
    let mut wrong = Vec::new();
    for (document, text) in documents() {
        for word in words(&text).iter().filter(|word| is_path(word)) {
            // The line behind a colon: `crates/sim/src/tick.rs:40`.
            let path = word.split(':').next().unwrap_or(word);
            if !exists(&repository, path) {
                wrong.push(format!("{document} names {path}, which does not exist"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn links_lead_somewhere() {
    let (repository, documents) = (repository(), documents());
    let mut wrong = Vec::new();
    for (document, text) in &documents {
        for link in outside_code(text).flat_map(links) {
            let (path, anchor) = target_of(document, link);
            if !repository.contains(&path) {
                wrong.push(format!("{document} links to {link}, which does not exist"));
            }
            let linked = documents.iter().find(|(name, _)| *name == path);
            if !anchor.is_empty() && linked.is_none_or(|(_, text)| !anchors(text).contains(&anchor)) {
                wrong.push(format!("{document} links to {link}, which has no such heading"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn readme_is_short() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let n_lines = readme.lines().count();
    assert!(
        n_lines <= README_LINES_MAX,
        "README.md has {n_lines} lines, expected at most {README_LINES_MAX}"
    );
}

#[test]
fn every_crate_has_a_readme() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let readme = entry.unwrap().path().join("README.md");
        assert!(readme.exists(), "{} is missing", readme.display());
    }
}

/// What the rules of traffic can be told is in the table of docs/traffic.md, and nothing else that looks like it.
#[test]
fn every_tunable_is_described() {
    let text = std::fs::read_to_string(root().join("docs/traffic.md")).unwrap();
    let described: BTreeSet<String> = text
        .lines()
        .filter(|line| line.starts_with("| "))
        .filter_map(|row| row.split('|').nth(3))
        .flat_map(|column| column.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let tunables = TrafficParams::tunables();
    let known: BTreeSet<String> = tunables.iter().map(|tunable| tunable.name.to_owned()).collect();
    assert_eq!(described, known);
}

#[test]
fn words_and_paths_are_told_apart() {
    for word in
        ["crates/sim", "src/lib.rs", "planner/successor.rs", "README.md", "ARCHITECTURE.md", "map_file/"]
    {
        assert!(is_path(word), "{word}");
    }
    for word in
        ["--trace", "FILE.jsonl", "a b.rs", "E/N/W/S", "text/json", "u32", "out.json", "crates/*", "x.toml"]
    {
        assert!(!is_path(word), "{word}");
    }
    let text = "See [this](a/b.md#c) and [that](https://x.y), `p.rs`.\n```sh\nrun scenarios/x.toml -o y/z.toml\n```\n";
    assert_eq!(words(text), ["p.rs", "scenarios/x.toml"]);
    assert_eq!(text.lines().flat_map(links).collect::<Vec<_>>(), ["a/b.md#c"]);
    assert_eq!(target_of("docs/a.md", "../b.md#c"), ("b.md".to_owned(), "c".to_owned()));
    assert_eq!(target_of("docs/a.md", "#c"), ("docs/a.md".to_owned(), "c".to_owned()));
    assert_eq!(anchors("# A b\n## 2.1 `[x.Y]` c\n```\n# d\n```\n"), ["a-b", "21-xy-c"]);
    let repository = vec!["crates/planner/src/successor.rs".to_owned(), "scenarios".to_owned()];
    assert!(exists(&repository, "src/successor.rs") && exists(&repository, "./scenarios/"));
    assert!(!exists(&repository, "sor.rs") && !exists(&repository, "planner/successor.rs"));
}

#[test]
fn every_scenario_is_good() {
    // Maps are checked with the scenarios that bring their terrain.
    let is_scenario = |file: &String| file.starts_with("scenarios/") && file.ends_with(".toml");
    let files: Vec<String> = repository().into_iter().filter(is_scenario).collect();
    assert!(!files.is_empty(), "there is no scenario in {}", root().display());
    let folder = Folder::new();
    for file in files {
        let path = root().join(file);
        let ended = folder.run(&["check", path.to_str().unwrap()]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:#?}");
    }
}

/// The programs in the documents, word for word: here they are compiled and run.
mod programs {
    use super::documents;

    mod lorry {
        // README.md 1: begin
        use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
        use wheelbase_planner::*;

        fn lorry() -> Result<(), Box<dyn std::error::Error>> {
            let rows = ["........", "........", "...WW...", "........", "........"];
            let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
            let mut spec = ClassSpec::new("lorry", 4); // four headings
            spec.footprint = vec![(0, 0), (-1, 0)]; // the cab, and the load behind it
            spec.primitives = Primitive::vehicle(10, 30, 10); // ticks of forward, of reverse, of a turn
            let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
            let goal = [GoalMember::any(CellXY::new(7, 1))];
            let request = Request::new(Pose::new(1, 1, Heading(0)), Goal::of(&goal));
            let (mut scratch, mut path) = (Scratch::new(), Path::new());
            let answer = plan(&tables, &request, &mut scratch, &mut path);
            assert_eq!((answer.status, answer.cost), (Status::Found, 60));
            Ok(())
        }
        // README.md 1: end

        #[test]
        fn runs() {
            lorry().unwrap();
        }
    }

    mod lorry_and_lake {
        // docs/embedding.md 1: begin
        use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainTable};
        use wheelbase_planner::*;

        fn lorry_and_lake() -> Result<(), Box<dyn std::error::Error>> {
            let rows = ["........", "........", "...WW...", "........", "........"];
            let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;

            // Two cells long; it turns about its cab and reverses at a third of its speed.
            let mut spec = ClassSpec::new("lorry", 4);
            spec.footprint = vec![(0, 0), (-1, 0)];
            spec.primitives = vec![
                Primitive::step("forward", (1, 0), 10),
                Primitive::step("reverse", (-1, 0), 30),
                Primitive::turn("left", 1, 10),
                Primitive::turn("right", -1, 10),
            ];

            // All lorries share the tables. A scratch belongs to one worker and is reused from search to search.
            let mut tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
            let (mut scratch, mut path) = (Scratch::new(), Path::new());
            let goal = [GoalMember::any(CellXY::new(7, 1))];
            let request = Request::new(Pose::new(1, 1, Heading(0)), Goal::of(&goal));
            let answer = plan(&tables, &request, &mut scratch, &mut path);
            assert_eq!((answer.status, answer.cost), (Status::Found, 60));

            // A building goes up between the lake and the northern edge. Only the poses near it are compiled again.
            let trees = grid.terrain_table().kind_of_name("trees").ok_or("no trees")?;
            let edit = grid.set_terrain(Rect::new(3, 0, 2, 2), trees);
            tables.update(&grid, edit.changed);
            let answer = plan(&tables, &request, &mut scratch, &mut path);
            assert_eq!((answer.status, answer.cost), (Status::Found, 130));
            Ok(())
        }
        // docs/embedding.md 1: end

        #[test]
        fn runs() {
            lorry_and_lake().unwrap();
        }
    }

    mod slices {
        // docs/embedding.md 2: begin
        use wheelbase_planner::search::Answer;
        use wheelbase_planner::*;

        fn plan_in_slices(
            tables: &MovementTables,
            request: &Request<'_>,
            scratch: &mut Scratch,
            path: &mut Path,
            mut next_frame: impl FnMut(),
        ) -> Answer {
            let mut progress = begin(tables, request, scratch);
            while progress == Progress::Running {
                next_frame();
                progress = advance(tables, request, scratch, 500);
            }
            finish(tables, request, scratch, path)
        }
        // docs/embedding.md 2: end

        #[test]
        fn runs() {
            use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
            use wheelbase_planner::search::{Heuristic, HeuristicName};
            let row = ".".repeat(100);
            let rows = vec![row.as_str(); 100];
            let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
            let tables = MovementTables::compile(&grid, MovementClass::octile());
            let goal = [GoalMember::any(CellXY::new(99, 99))];
            let mut request = Request::new(Pose::new(0, 0, Heading(0)), Goal::of(&goal));
            request.heuristic = Heuristic::Named(HeuristicName::Zero);
            let (mut scratch, mut path, mut frames) = (Scratch::new(), Path::new(), 0);
            let answer = plan_in_slices(&tables, &request, &mut scratch, &mut path, || frames += 1);
            assert_eq!((answer.status, answer.cost), (Status::Found, 99 * 14142));
            assert!(frames > 10, "{frames}");
        }
    }

    #[test]
    fn grid() {
        // crates/grid/README.md 1: begin
        use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};

        let rows = ["..W", ".T."];
        let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
        assert_eq!(grid.size().n_cells(), 6);
        let water = grid.terrain_at(CellXY::new(2, 0)).unwrap();
        assert_eq!(grid.terrain_table()[water].name, "water");
        // crates/grid/README.md 1: end
    }

    #[test]
    fn maps() {
        // crates/maps/README.md 1: begin
        use wheelbase_grid::GridSize;
        use wheelbase_maps::{MapKind, generate};

        let grid = generate(MapKind::Rooms, GridSize::new(64, 64).unwrap(), 7);
        assert_eq!(grid.size().n_cells(), 4096);
        // crates/maps/README.md 1: end
    }

    #[test]
    fn scenario() {
        // crates/scenario/README.md 1: begin
        use std::path::Path;
        use wheelbase_scenario::{load, scenario};

        let text = "name = 'lane'\nticks = 10\nmap = { rows = ['....'] }";
        let typed = scenario::parse("lane.toml", text.as_bytes()).unwrap();
        let mut world = load::build_world(Path::new("lane.toml"), &typed).unwrap();
        world.run();
        // crates/scenario/README.md 1: end
    }

    #[test]
    fn they_are_those_of_the_documents() {
        let source = include_str!("documents.rs");
        let trimmed = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        for (document, text) in documents() {
            let blocks =
                text.split("\n```rust\n").skip(1).map(|block| block.split("\n```\n").next().unwrap());
            for (number, printed) in (1..).zip(blocks) {
                let begin = format!("// {document} {number}: begin\n");
                let program = source.split_once(&begin);
                let (_, program) =
                    program.unwrap_or_else(|| panic!("{document}: program {number} is not tested"));
                let (program, _) = program.split_once(&format!("// {document} {number}: end")).unwrap();
                assert_eq!(trimmed(printed.trim()), trimmed(program.trim()), "{document}, program {number}");
            }
        }
    }
}
