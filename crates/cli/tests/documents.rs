//! The documents are true: help texts match their snapshots, links and paths exist, and programs run. Every tunable is
//! described, and every scenario is valid.

use crate::common::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wheelbase_sim::TrafficParams;

const SUBCOMMANDS: [&str; 15] = [
    "run",
    "show",
    "new",
    "plan",
    "distances",
    "check",
    "verify",
    "render",
    "report",
    "bench",
    "sweep",
    "generate",
    "schema",
    "completions",
    "man",
];
/// Lines at most of documents that are read whole.
const LINES_MAX: [(&str, usize); 2] = [("README.md", 110), ("ARCHITECTURE.md", 300)];
/// Endings by which a word with a slash in it is taken for a path.
const ENDINGS: [&str; 9] = ["rs", "toml", "md", "map", "scen", "h", "c", "png", "svg"];
/// Endings by which a word without a slash is taken for a path.
const ENDINGS_BARE: [&str; 2] = ["rs", "md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file and folder of the repository from its root, except build outputs and the files of git.
fn repository() -> Vec<String> {
    let (root, mut found, mut folders) = (root(), Vec::new(), vec![root()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            if matches!(name.as_str(), "target" | ".git" | "crates/web/node_modules" | "crates/web/dist") {
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

#[test]
fn help_is_as_recorded() {
    let folder = Folder::new();
    check_snapshot("help.txt", &folder.run(&["--help"]).done());
    for subcommand in SUBCOMMANDS {
        check_snapshot(&format!("help_{subcommand}.txt"), &folder.run(&[subcommand, "--help"]).done());
    }
}

#[test]
fn the_readme_of_the_program_names_every_subcommand() {
    let readme = std::fs::read_to_string(root().join("crates/cli/README.md")).unwrap();
    for subcommand in SUBCOMMANDS {
        assert!(
            readme.contains(&format!("`{subcommand}`")),
            "crates/cli/README.md does not name {subcommand}"
        );
    }
}

/// A document that lists its contents lists all of them.
#[test]
fn contents_are_whole() {
    let mut wrong = Vec::new();
    for (document, text) in documents() {
        let lines: Vec<&str> = outside_code(&text).collect();
        let is_part = |line: &&&str| line.starts_with("## ");
        let before = lines.iter().take_while(|line| !is_part(line));
        let listed: Vec<&str> = before
            .filter(|line| line.starts_with("- [") || line.starts_with("  ["))
            .flat_map(|line| links(line).filter_map(|link| link.strip_prefix('#')))
            .collect();
        let parts = lines.iter().filter(is_part).flat_map(|line| anchors(line));
        let missing = parts.filter(|part| !listed.is_empty() && !listed.contains(&part.as_str()));
        wrong.extend(missing.map(|part| format!("{document} does not list its part #{part}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The bindings alone have unsafe code, as CONTRIBUTING.md says.
#[test]
fn unsafe_code_is_forbidden_but_in_the_bindings() {
    let mut allowed = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let sources = entry.unwrap().path().join("src");
        let roots = ["lib.rs", "main.rs"].map(|name| std::fs::read_to_string(sources.join(name)));
        if roots.into_iter().flatten().any(|text| !text.contains("#![forbid(unsafe_code)]")) {
            let name = sources.parent().unwrap().file_name().unwrap();
            allowed.push(format!("`{}`", name.to_str().unwrap()));
        }
    }
    allowed.sort();
    let contributing = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let said = format!("forbidden in every crate but the bindings {}", allowed.join(", "));
    assert!(contributing.contains(&said), "CONTRIBUTING.md does not say \"{said}\"");
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

/// The targets of the links of a line, except links out of the repository.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|target| !target.contains("://"))
}

/// Whether it begins as a path of the repository does.
fn starts_in_a_folder(word: &str) -> bool {
    ["crates/", "scenarios/", "benches/", "golden/", "skirmish/", "./crates/", "./scenarios/", "./benches/"]
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

/// `.ci/book` makes a page of each.
#[test]
fn the_book_lists_each_page_once() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<&str> = summary.lines().flat_map(links).filter(|link| !link.contains('/')).collect();
    listed.sort_unstable();
    let documents = documents();
    let pages = documents.iter().filter_map(|(name, _)| name.strip_prefix("docs/"));
    let pages: Vec<&str> = pages.filter(|page| *page != "SUMMARY.md").collect();
    assert_eq!(listed, pages, "docs/SUMMARY.md, and the pages in docs/");
}

#[test]
fn chapters_of_languages_have_the_same_headings() {
    let expected =
        ["Install", "A first program", "Paths", "Worlds", "Errors", "Threads", "Lifetimes", "Costs"];
    for name in ["embedding", "c", "cpp", "csharp", "web", "python"] {
        let text = std::fs::read_to_string(root().join(format!("docs/{name}.md"))).unwrap();
        let found: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(found, expected, "docs/{name}.md");
    }
}

/// The names of all reasons stand in the tables of docs/troubleshooting.md.
#[test]
fn every_reason_has_a_remedy() {
    let reasons = ["crates/traffic/src/reason.rs", "crates/sim/src/wait_reason.rs"].map(|file| {
        let source = std::fs::read_to_string(root().join(file)).unwrap();
        let (_, names) = source.split_once("pub fn rule(&self)").unwrap();
        let names = names.split("\n    }\n").next().unwrap().split('"').skip(1).step_by(2);
        names.map(str::to_owned).collect::<Vec<String>>()
    });
    let known: BTreeSet<String> = reasons.concat().into_iter().collect();
    let page = std::fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    let rows: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
        .collect();
    assert_eq!(rows.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>(), known);
    assert_eq!(rows.len(), known.len(), "each reason has one row");
    // The page of a run shows the same remedies, without their backticks.
    let remedies =
        rows.iter().map(|(name, row)| format!("{name:?}, {:?}", row.rsplit(" | ").next().unwrap()));
    let source = std::fs::read_to_string(root().join("crates/view/src/page/remedies.rs")).unwrap();
    let shown = source.lines().filter_map(|line| line.trim().strip_prefix('(')?.strip_suffix("),"));
    assert_eq!(shown.collect::<Vec<_>>(), remedies.map(|row| row.replace('`', "")).collect::<Vec<_>>());
}

#[test]
fn documents_that_are_read_whole_are_short() {
    for (name, lines_max) in LINES_MAX {
        let n_lines = std::fs::read_to_string(root().join(name)).unwrap().lines().count();
        assert!(n_lines <= lines_max, "{name} has {n_lines} lines, expected at most {lines_max}");
    }
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
            let rows = [".........", ".........", "....WW...", ".........", ".........", "........."];
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
            let rows = [".........", ".........", "....WW...", ".........", ".........", "........."];
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

            // A building goes up between the lake and the northern edge. Only the poses near it are recompiled.
            let trees = grid.terrain_table().kind_of_name("trees").ok_or("no trees")?;
            let edit = grid.set_terrain(Rect::new(4, 0, 2, 2), trees);
            tables.update(&grid, edit.changed);
            let answer = plan(&tables, &request, &mut scratch, &mut path);
            assert_eq!((answer.status, answer.cost), (Status::Found, 170));
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

    mod queue {
        // docs/embedding.md 3: begin
        use wheelbase_grid::CellXY;
        use wheelbase_planner::model::State;
        use wheelbase_planner::search::{PathQueue, QueueError, QueuedRequest, Ticket};
        use wheelbase_planner::*;

        struct Unit {
            class: u16,
            pose: Pose,
            ticket: Option<Ticket>,
            path: Path,
            moves_made: usize,
        }

        /// At a click. The new order takes the place of the last.
        fn order(queue: &mut PathQueue, unit: &mut Unit, to: CellXY) -> Result<(), QueueError> {
            if let Some(ticket) = unit.ticket.take() {
                queue.cancel(ticket);
            }
            let request = QueuedRequest::new(unit.class, unit.pose, vec![GoalMember::any(to)]);
            unit.ticket = Some(queue.submit(request)?);
            Ok(())
        }

        /// In each frame.
        fn find_paths(queue: &mut PathQueue, tables: &[MovementTables], units: &mut [Unit]) {
            queue.advance(tables, 20_000);
            for found in queue.answers() {
                if let Some(unit) = units.iter_mut().find(|unit| unit.ticket == Some(found.ticket)) {
                    (unit.ticket, unit.moves_made) = (None, 0);
                    unit.path.clone_from(found.path);
                }
            }
        }

        /// After an edit, for each unit that has a path.
        fn can_go_on(tables: &MovementTables, at: State, unit: &Unit) -> bool {
            tables.check_moves(at, &unit.path.moves[unit.moves_made..]).is_ok()
        }
        // docs/embedding.md 3: end

        #[test]
        fn runs() {
            use wheelbase_grid::{Grid, Rect, SideTable, TerrainKind, TerrainTable};
            let rows = ["........"; 5];
            let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
            let mut tables = [MovementTables::compile(&grid, MovementClass::octile())];
            let unit = |y| Unit {
                class: 0,
                pose: Pose::new(0, y, Heading(0)),
                ticket: None,
                path: Path::new(),
                moves_made: 0,
            };
            let mut units = [unit(0), unit(4)];
            let mut queue = PathQueue::new(grid.size(), 1, 2);
            for unit in &mut units {
                order(&mut queue, unit, CellXY::new(3, 2)).unwrap();
            }
            order(&mut queue, &mut units[0], CellXY::new(7, 0)).unwrap();
            find_paths(&mut queue, &tables, &mut units);
            assert_eq!((queue.open(), units[0].path.cost(), units[1].path.cost()), (0, 70_000, 38_284));
            let edit = grid.set_terrain(Rect::new(4, 0, 1, 2), TerrainKind(2));
            tables[0].update(&grid, edit.changed);
            let goes_on = units.map(|unit| {
                let at = tables[0].space().state(unit.pose).unwrap();
                can_go_on(&tables[0], at, &unit)
            });
            assert_eq!(goes_on, [false, true]);
        }
    }

    mod click {
        // docs/embedding.md 4: begin
        use wheelbase_planner::fields::CostField;
        use wheelbase_planner::model::State;
        use wheelbase_planner::*;

        /// The paths of all units of one class to a goal; empty for units that cannot get there.
        fn send(tables: &MovementTables, units: &[State], goal: &Goal<'_>, paths: &mut [Path]) -> CostField {
            let mut field = CostField::to_goal(tables, goal);
            field.settle(tables, SettleTarget::All, u64::MAX);
            for (&unit, path) in units.iter().zip(paths) {
                field.follow(tables, unit, path);
            }
            field
        }
        // docs/embedding.md 4: end

        #[test]
        fn runs() {
            use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
            let rows = ["........", ".....WWW", ".....W.."];
            let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
            let tables = MovementTables::compile(&grid, MovementClass::octile());
            let states =
                [(0, 0), (4, 2), (7, 2)].map(|(x, y)| tables.space().state(Pose::new(x, y, Heading(0))));
            let states = states.map(Option::unwrap);
            let goal = [GoalMember::any(CellXY::new(7, 0))];
            let mut paths = [const { Path { poses: Vec::new(), moves: Vec::new() } }; 3];
            let field = send(&tables, &states, &Goal::of(&goal), &mut paths);
            assert_eq!(paths.map(|path| path.cost()), [70_000, 50_000, 0]);
            assert_eq!(states.map(|state| field.cost(state)), [Some(70_000), Some(50_000), None]);
        }
    }

    /// Two carts of one team and one of another, in the corners of a field.
    fn field() -> wheelbase_sim::World {
        use wheelbase_sim::*;
        let grid =
            Grid::from_rows(&["............"; 8], TerrainTable::movingai(), SideTable::default()).unwrap();
        let mut cart = ClassSpec::new("cart", 4);
        cart.primitives = Primitive::vehicle(2, 4, 1);
        let classes = vec![MovementClass::new(cart).unwrap()];
        let mut setup = Setup::cooperative(Settings::named("field"), grid, classes);
        let at = |x, y| Spawn::new(ClassId(0), Pose::new(x, y, Heading(0)));
        setup.agents = vec![at(0, 0), at(0, 7), Spawn { team: Team(1), ..at(11, 7) }];
        World::new(setup).unwrap()
    }

    mod world_of_a_game {
        // docs/embedding.md 5: begin
        use wheelbase_sim::*;

        /// A battlefield. Units have the ids 0, 1, 2 ... in their order.
        fn battlefield(
            rows: &[&str],
            classes: Vec<MovementClass>,
            units: Vec<Spawn>,
        ) -> Result<World, Box<dyn std::error::Error>> {
            let kinds = TerrainTable::with_standard(vec![TerrainEntry::new("building", "#", 0)])?;
            let grid = Grid::from_rows(rows, kinds, SideTable::default())?;
            let mut setup = Setup::cooperative(Settings::named("battle"), grid, classes);
            setup.agents = units;
            setup.settings.expansions_per_tick = 50_000; // the budget of all path searches
            setup.friends.befriend(Team(1), Team(2)); // every other team is alone
            setup.threads = Threads::Own(4); // changes no result
            Ok(World::new(setup)?)
        }
        // docs/embedding.md 5: end

        #[test]
        fn runs() {
            let unit =
                |team, x| Spawn { team: Team(team), ..Spawn::new(ClassId(0), Pose::new(x, 0, Heading(0))) };
            let world = battlefield(&["...#.."], vec![MovementClass::octile()], vec![unit(1, 0), unit(2, 5)]);
            let mut world = world.unwrap();
            world.command(Command::order(AgentId(0), Order::goto(CellXY::new(2, 0))));
            world.step();
            assert_eq!((world.agents().len(), world.friends().are(Team(2), Team(1))), (2, true));
            let wall = battlefield(&["#"], vec![MovementClass::octile()], vec![unit(0, 0)]);
            assert_eq!(wall.err().unwrap().to_string(), "agent 0: the pose is not legal for the class");
        }
    }

    mod clicks_of_a_game {
        // docs/embedding.md 6: begin
        use wheelbase_sim::*;

        enum Click {
            Go(CellXY),
            GoThen(CellXY),
            Patrol(CellXY, CellXY),
            Escort(AgentId),
            Stop,
            Hold,
        }

        /// Carries out a click for the units that a player has selected.
        fn click(world: &mut World, selected: &[AgentId], click: Click) -> Ticket {
            world.command(match click {
                Click::Go(to) if selected.len() > 1 => Command::order(selected, Order::goto_group(to)),
                Click::Go(to) => Command::order(selected, Order::goto(to).or_nearest()),
                Click::GoThen(to) => Command::append(selected, Order::goto(to)), // with the shift key
                Click::Patrol(from, to) => Command::order(selected, Order::patrol(&[from, to])),
                Click::Escort(leader) => Command::order(selected, Order::follow(leader, 3)),
                Click::Stop => Command::stop(selected),
                Click::Hold => Command::hold(selected),
            })
        }
        // docs/embedding.md 6: end

        #[test]
        fn runs() {
            let mut world = super::field();
            let (one, two) = (AgentId(0), AgentId(1));
            click(&mut world, &[one, two], Click::Go(CellXY::new(6, 3)));
            for _ in 0..60 {
                world.step();
            }
            let near = |world: &World, agent| {
                let CellXY { x, y } = world.agent(agent).unwrap().pose().cell;
                (x - 6).abs() <= 1 && (y - 3).abs() <= 1
            };
            assert!(near(&world, one) && near(&world, two));
            click(&mut world, &[one], Click::Go(CellXY::new(2, 3)));
            click(&mut world, &[one], Click::GoThen(CellXY::new(2, 5)));
            click(&mut world, &[two], Click::Escort(one));
            for _ in 0..60 {
                world.step();
            }
            assert_eq!(world.agent(one).unwrap().pose().cell, CellXY::new(2, 5));
            assert_eq!(world.reason_for_waiting(two), Some(WaitReason::Dwelling));
            click(&mut world, &[one], Click::Patrol(CellXY::new(2, 2), CellXY::new(4, 2)));
            click(&mut world, &[two], Click::Hold);
            world.step();
            assert_eq!(world.agent(two).unwrap().activity(), Some(Activity::Holding));
            click(&mut world, &[one, two], Click::Stop);
            world.step();
            assert!(world.agents().iter().all(|row| row.order_kind == AgentRow::NO_ORDER));
        }
    }

    mod events_of_a_game {
        // docs/embedding.md 7: begin
        use wheelbase_sim::*;

        /// After each step.
        fn report(world: &World, mut say: impl FnMut(String)) {
            for event in world.events() {
                let (unit, order) = (event.agent, || OrderKind::NAMES[event.b as usize]);
                match event.kind() {
                    Some(EventKind::Spawned) => say(format!("unit {unit} is ready")),
                    Some(EventKind::Removed) => say(format!("unit {unit} is lost")),
                    Some(EventKind::OrderDone) => say(format!("unit {unit} has done its {}", order())),
                    Some(EventKind::OrderFailed) => {
                        let why = event.failure().map_or("", UnreachableReason::name);
                        say(format!("unit {unit} cannot do its {}: {why}", order()));
                    }
                    Some(EventKind::Refused) => {
                        let why = event.refusal().map_or("", RefusalReason::name);
                        say(format!("command {} is refused: {why}", event.ticket));
                    }
                    _ => {}
                }
            }
        }
        // docs/embedding.md 7: end

        #[test]
        fn runs() {
            let mut world = super::field();
            world.command(Command::Spawn(Spawn::new(ClassId(0), Pose::new(5, 5, Heading(0)))));
            world.command(Command::order(AgentId(3), Order::goto(CellXY::new(6, 5))));
            world.command(Command::order(AgentId(7), Order::goto(CellXY::new(6, 5))));
            let water = world.grid().terrain_table().kind_of_name("water").unwrap();
            world.command(Command::edit(Change::Terrain { area: Rect::new(9, 0, 1, 1), kind: water }));
            world.command(Command::order(AgentId(0), Order::goto(CellXY::new(9, 0))));
            world.command_at(20, Command::remove(AgentId(1)));
            let mut said = Vec::new();
            for _ in 0..30 {
                world.step();
                report(&world, |text| said.push(text));
            }
            assert_eq!(
                said,
                [
                    "unit 3 is ready",
                    "command 2 is refused: unknown_agent",
                    "unit 0 cannot do its goto: goal_blocked",
                    "unit 3 has done its goto",
                    "unit 1 is lost",
                ]
            );
        }
    }

    mod sprites {
        // docs/embedding.md 8: begin
        use wheelbase_grid::Point;
        use wheelbase_sim::{Body, World};

        /// Centre and angle of each agent at a time in ticks, one `Body::of` for each class.
        fn sprites(world: &World, bodies: &[Body], time: f64, mut draw: impl FnMut(Point, f64)) {
            for row in world.agents() {
                let class = usize::from(row.class);
                let headings = world.tables()[class].space().headings();
                draw(bodies[class].centre_at(row, time), row.angle_at(headings, time));
            }
        }
        // docs/embedding.md 8: end

        #[test]
        fn runs() {
            use std::f64::consts::FRAC_PI_4;
            use wheelbase_scenario::{load, scenario};
            let text = "name = \"turn\"\nticks = 99\n[map]\nrows = [\"..\"]\n[class.cart]\nheadings = 4\n\
                moves = [{ name = \"left\", turn = 1, time = 10 }]\n\
                [[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\norders = [{ goto = [0, 0, \"N\"] }]\n";
            let typed = scenario::parse("turn.toml", text.as_bytes()).unwrap();
            let mut world = load::build_world("turn.toml".as_ref(), &typed).unwrap();
            while world.tick() < 7 {
                world.step();
            }
            let bodies: Vec<Body> = world.tables().iter().map(|tables| Body::of(tables.class())).collect();
            let mut drawn = Vec::new();
            sprites(&world, &bodies, 5.0, |point, angle| drawn.push((point, angle)));
            assert_eq!(drawn, [([0.5, 0.5], FRAC_PI_4)]);
        }
    }

    mod build_of_a_game {
        // docs/embedding.md 9: begin
        use wheelbase_sim::*;

        /// A building of a team; `None` if others are in the way. Units of the team leave for a rally point, and the
        /// edit waits for them.
        fn build(
            world: &mut World,
            team: Team,
            area: Rect,
            kind: TerrainKind,
            rally: CellXY,
        ) -> Result<Option<Ticket>, RefusalReason> {
            let change = Change::Terrain { area, kind };
            let in_the_way = world.would_disturb(&[change])?;
            let is_own = |&agent: &AgentId| world.agent(agent).is_some_and(|row| row.team == team.0);
            if !in_the_way.iter().all(is_own) {
                return Ok(None);
            }
            if !in_the_way.is_empty() {
                world.command(Command::order(in_the_way, Order::goto_group(rally)));
            }
            Ok(Some(world.command(Command::edit(change))))
        }
        // docs/embedding.md 9: end

        #[test]
        fn runs() {
            let mut world = super::field();
            let water = world.grid().terrain_table().kind_of_name("water").unwrap();
            let rally = CellXY::new(3, 6);
            let mut at = |area| build(&mut world, Team(0), area, water, rally);
            assert_eq!(at(Rect::new(10, 6, 2, 2)), Ok(None));
            let free = at(Rect::new(4, 2, 2, 2)).unwrap().unwrap();
            let held = at(Rect::new(0, 7, 1, 1)).unwrap().unwrap();
            assert_eq!(
                build(&mut world, Team(0), Rect::new(0, 0, 1, 1), TerrainKind(99), rally),
                Err(RefusalReason::WrongEdit)
            );
            let mut done = Vec::new();
            for _ in 0..40 {
                world.step();
                let edits = world.events().iter().filter(|event| event.kind() == Some(EventKind::EditDone));
                done.extend(edits.filter_map(|edit| edit.ticket().map(|ticket| (ticket, edit.tick > 0))));
            }
            assert_eq!(done, [(free, false), (held, true)]);
        }
    }

    mod rule_of_a_game {
        // docs/embedding.md 10: begin
        use wheelbase_sim::traffic::speed::ticks_at_speed;
        use wheelbase_sim::traffic::{Decisions, Start, Traffic, TrafficView};

        /// Every unit with a path goes on when it rests; of two units that need a cell, the lower id goes.
        #[derive(Clone)]
        struct EachForItself;

        impl Traffic for EachForItself {
            fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
                let agents = &view.agents;
                for row in agents.busy.iter().filter(|&row| agents.motion[row].at_rest()) {
                    let motion = &agents.motion[row];
                    let Some(&primitive) = view.paths.moves(agents.paths[row]).first() else { continue };
                    let tables = &view.tables[usize::from(motion.class.0)];
                    match tables.move_ticks(motion.state, usize::from(primitive)) {
                        Some(ticks) => {
                            let ticks = ticks_at_speed(ticks, agents.speed_factors[row]);
                            decisions.starts.push(Start { row: row as u32, primitive, ticks });
                        }
                        None => decisions.replan.push(row as u32), // an edit has come in between
                    }
                }
            }

            fn clone_box(&self) -> Box<dyn Traffic> {
                Box::new(self.clone())
            }
        }
        // docs/embedding.md 10: end

        #[test]
        fn runs() {
            use wheelbase_sim::*;
            let lane = |to: [i32; 2]| {
                let grid =
                    Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default()).unwrap();
                let tables = vec![MovementTables::compile(&grid, MovementClass::octile())];
                let mut setup =
                    Setup::with_rule(Settings::named("lane"), grid, tables, Box::new(EachForItself));
                for (x, to) in [0, 7].into_iter().zip(to) {
                    let spawn = Spawn::new(ClassId(0), Pose::new(x, 0, Heading(0)));
                    setup.agents.push(spawn.with_orders([Order::goto(CellXY::new(to, 0))]));
                }
                let mut world = World::new(setup).unwrap();
                for _ in 0..200_000 {
                    world.step();
                }
                [0, 1].map(|row| world.pose(row).cell.x)
            };
            // Each in its half, then each in the other's way.
            assert_eq!((lane([2, 5]), lane([7, 0])), ([2, 5], [3, 4]));
        }
    }

    mod host_of_a_game {
        // docs/embedding.md 11: begin
        use wheelbase_sim::planner::search::QueuedRequest;
        use wheelbase_sim::*;

        /// Answers all path requests: with the moves of a path, or with none.
        fn answer(
            world: &mut World,
            mut find: impl FnMut(&MovementTables, &QueuedRequest) -> Option<Vec<u8>>,
        ) {
            let requests: Vec<(AgentId, QueuedRequest)> = world.path_requests().collect();
            for (agent, request) in requests {
                let tables = &world.tables()[usize::from(request.class)];
                let moves = find(tables, &request).map(Into::into);
                world.command(Command::PathAnswer { agent, moves });
            }
        }
        // docs/embedding.md 11: end

        #[test]
        fn runs() {
            use wheelbase_sim::planner::{Goal, Path, Request, Scratch, Status, plan};
            let grid =
                Grid::from_rows(&["....", "...."], TerrainTable::movingai(), SideTable::default()).unwrap();
            let mut setup = Setup::cooperative(Settings::named("host"), grid, vec![MovementClass::octile()]);
            setup.paths = PathSource::Host;
            setup.settings.ticks = 100_000;
            let spawn = Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0)));
            setup.agents.push(spawn.with_orders([Order::goto(CellXY::new(3, 1))]));
            let mut world = World::new(setup).unwrap();
            let (mut scratch, mut path) = (Scratch::new(), Path::new());
            while world.step() == RunState::Running {
                answer(&mut world, |tables, asked| {
                    let goal = Goal { members: &asked.goal, within: asked.within };
                    let answer = plan(tables, &Request::new(asked.start, goal), &mut scratch, &mut path);
                    (answer.status == Status::Found).then(|| path.moves.clone())
                });
            }
            assert_eq!(world.pose(0).cell, CellXY::new(3, 1));
            assert_eq!(world.counts().orders_done, 1);
        }
    }

    mod lockstep_of_a_game {
        // docs/embedding.md 12: begin
        use wheelbase_sim::*;

        /// A turn, on every machine: the commands of all players in an order that all agree on, then some ticks.
        /// It returns a hash, which the machines exchange and compare.
        fn turn(world: &mut World, commands: impl IntoIterator<Item = Command>, ticks: u32) -> u64 {
            for command in commands {
                world.command(command);
            }
            for _ in 0..ticks {
                world.step();
            }
            world.state_hash()
        }
        // docs/embedding.md 12: end

        #[test]
        fn runs() {
            let run = || {
                let mut world = super::field();
                let to = |x, y| [Command::order(AgentId(0), Order::goto(CellXY::new(x, y)))];
                [turn(&mut world, to(9, 2), 10), turn(&mut world, to(3, 6), 10), turn(&mut world, [], 50)]
            };
            let elsewhere = std::thread::spawn(run);
            assert_eq!(run(), elsewhere.join().unwrap());
        }
    }

    mod recording_of_a_game {
        // docs/embedding.md 13: begin
        use std::io::Write;
        use wheelbase_scenario::recording::Recorder;
        use wheelbase_sim::World;

        /// Plays some ticks of a new world and records them. `play` gives the commands of a tick.
        fn record(
            world: &mut World,
            out: impl Write,
            ticks: u32,
            mut play: impl FnMut(&mut World),
        ) -> std::io::Result<()> {
            let mut recorder = Recorder::begin_host(world, out)?; // before the first step
            for tick in 0..ticks {
                play(world);
                let state = world.step();
                recorder.tick(world, tick, state)?;
                world.clear_log();
            }
            recorder.finish(world)?;
            Ok(())
        }
        // docs/embedding.md 13: end

        #[test]
        fn runs() {
            use std::io::Cursor;
            use wheelbase_scenario::recording::{Reader, verify};
            use wheelbase_sim::*;
            let (mut world, mut file) = (super::field(), Vec::new());
            let play = |world: &mut World| {
                if world.tick() == 3 {
                    world.command(Command::order(AgentId(0), Order::goto(CellXY::new(5, 2))));
                }
            };
            record(&mut world, &mut file, 40, play).unwrap();
            let mut reader = Reader::open(Cursor::new(file)).unwrap();
            assert_eq!(verify(&mut reader, |_| true).unwrap().difference, None);
        }
    }

    mod many_of_a_game {
        // docs/embedding.md 14: begin
        use wheelbase_sim::traffic::Cooperative;
        use wheelbase_sim::*;

        /// Worlds of different seeds on one map. Each class is compiled once.
        fn worlds(
            grid: &Grid,
            classes: Vec<MovementClass>,
            seeds: std::ops::Range<u64>,
        ) -> Result<Vec<World>, SetupErrors> {
            let compile = |class| {
                let mut tables = MovementTables::compile(grid, class);
                tables.make_components();
                tables
            };
            let tables: Vec<MovementTables> = classes.into_iter().map(compile).collect();
            let world = |seed| {
                let settings = Settings { seed, ..Settings::named("many") };
                let rule = Cooperative::new(&tables, grid.size(), settings.collision, settings.traffic);
                World::new(Setup::with_rule(settings, grid.clone(), tables.clone(), Box::new(rule)))
            };
            seeds.map(world).collect()
        }
        // docs/embedding.md 14: end

        #[test]
        fn runs() {
            let grid =
                Grid::from_rows(&["........"; 8], TerrainTable::movingai(), SideTable::default()).unwrap();
            let mut worlds = worlds(&grid, vec![MovementClass::octile()], 1..4).unwrap();
            let group = SpawnGroup {
                class: ClassId(0),
                count: 10,
                area: grid.size().rect(),
                priority: 0,
                team: Team(0),
                orders: [].into(),
                speed_factor: 1000,
                anywhere: false,
                if_no_room: IfNoRoom::Drop,
            };
            std::thread::scope(|scope| {
                for world in &mut worlds {
                    let group = group.clone();
                    scope.spawn(move || {
                        world.command(Command::SpawnGroup(group));
                        world.step();
                    });
                }
            });
            let places: Vec<Vec<Pose>> =
                worlds.iter().map(|world| world.agents().iter().map(AgentRow::pose).collect()).collect();
            assert!(places.iter().all(|poses| poses.len() == 10) && places[0] != places[1], "{places:?}");
        }
    }

    mod ford {
        // crates/sim/README.md 1: begin
        use wheelbase_sim::*;

        fn ford() -> Result<(), Box<dyn std::error::Error>> {
            let rows = ["............", "............", ".....WW.....", "............", "............"];
            let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
            let mut lorry = ClassSpec::new("lorry", 4); // four headings
            lorry.footprint = vec![(0, 0), (-1, 0)]; // the cab, and the load behind it
            lorry.primitives = Primitive::vehicle(2, 6, 2); // ticks of forward, of reverse, of a turn
            let setup = Setup::cooperative(Settings::named("ford"), grid, vec![MovementClass::new(lorry)?]);
            let mut world = World::new(setup)?;

            // Ids are given from 0. Both commands take effect in the next step, in this order.
            world.command(Command::Spawn(Spawn::new(ClassId(0), Pose::new(1, 1, Heading(0)))));
            world.command(Command::order(AgentId(0), Order::goto(CellXY::new(10, 3))));
            let is_done = |event: &EventRow| event.kind() == Some(EventKind::OrderDone);
            while !world.events().iter().any(is_done) {
                world.step();
            }
            assert_eq!(world.agents()[0].pose().cell, CellXY::new(10, 3));
            Ok(())
        }
        // crates/sim/README.md 1: end

        #[test]
        fn runs() {
            ford().unwrap();
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
        let source = concat!(include_str!("documents.rs"), include_str!("../../sim/tests/rts.rs"));
        let trimmed = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        // Doctests of a crate outside the workspace: `.ci/bevy`.
        let by_bevy = "docs/bevy.md";
        assert!(
            include_str!("../../bevy/src/lib.rs").contains(&format!("include_str!(\"../../../{by_bevy}\")"))
        );
        for (document, text) in documents().into_iter().filter(|(document, _)| document != by_bevy) {
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

#[test]
fn the_citation_is_of_this_release() {
    let citation = std::fs::read_to_string(root().join("CITATION.cff")).unwrap();
    let manifest: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let package = &manifest["workspace"]["package"];
    let value = |key: &str| {
        let line = citation.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        line.unwrap_or_else(|| panic!("no {key}")).trim_matches('"').to_owned()
    };
    assert_eq!(value("cff-version"), "1.2.0");
    assert_eq!(value("type"), "software");
    assert_eq!(value("version"), package["version"].as_str().unwrap());
    assert_eq!(value("repository-code"), package["repository"].as_str().unwrap());
    let licences: Vec<&str> = package["license"].as_str().unwrap().split(" OR ").collect();
    let listed = citation.split("license:\n").nth(1).unwrap().lines();
    let listed: Vec<&str> = listed.map_while(|line| line.strip_prefix("  - ")).collect();
    assert_eq!(listed, licences);
}
