//! Output files: a failure never loses the old file, and no output overwrites an input or another output. Also signals
//! while a scenario is built, and hostile names.

#![cfg(unix)]

use crate::common::*;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A scenario with a map, elevation, tasks and a recording; a Tiled map with its tileset; a problem.
fn inputs() -> Folder {
    let folder = Folder::with(
        "s.toml",
        format!(
            "name = \"s\"\nticks = 40\n[map]\nfile = \"a.map\"\nelevation = \"h.png\"\n{CART}[[groups]]\nclass = \"cart\"\ncount = 1\narea = [0, 0, 2, 2]\ntasks = {{ file = \"t.csv\" }}\n"
        ),
    );
    folder.write("a.map", MAP);
    folder.write("h.png", grey_6_by_4());
    folder.write("t.csv", "agent,x,y,heading\n0,5,3,any\n");
    folder.write("cart.toml", CART);
    folder.write("q.jsonl", "{\"from\":[0,0,\"E\"],\"to\":[1,1]}\n");
    let run =
        ["run", "s.toml", "--quiet", "--record", "r.rec", "--plan-out", "plan.json", "--snapshot", "s.wbs"];
    folder.run(&run).code(0);
    folder.write("m.tmx", TMX);
    folder.write("tiles.tsx", TSX);
    folder.write("p.json", PROBLEM);
    folder.write("p.map", "type octile\nheight 3\nwidth 4\nmap\n....\n.@T.\n....\n");
    folder.write("p.agents", "2\n0\n11\n");
    folder.write("p.tasks", "4\n3\n8\n8\n3\n");
    folder
}

/// A grey picture, all black.
fn grey_6_by_4() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 6, 4);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[0; 24]).unwrap();
    bytes
}

const TMX: &str = r#"<map version="1.10" orientation="orthogonal" width="2" height="2" tilewidth="8" tileheight="8">
<tileset firstgid="1" source="tiles.tsx"/>
<layer id="1" width="2" height="2"><data encoding="csv">1,1,1,1</data></layer></map>"#;

const TSX: &str = r#"<tileset name="t" tilewidth="8" tileheight="8" tilecount="1" columns="1">
<tile id="0"><properties><property name="terrain" value="ground"/></properties></tile></tileset>"#;

const PROBLEM: &str = r#"{"mapFile": "p.map", "agentFile": "p.agents", "teamSize": 2, "taskFile": "p.tasks", "numTasksReveal": 1, "taskAssignmentStrategy": "roundrobin"}"#;

/// Every command that writes files: its arguments, its output flags, and the files it reads.
fn writers() -> Vec<(Vec<&'static str>, Vec<&'static str>, Vec<&'static str>)> {
    let plan = vec!["plan", "s.toml", "--class", "cart.toml", "--from", "0,0,E", "--to", "1,1"];
    vec![
        (
            vec!["run", "s.toml", "--quiet"],
            vec!["--trace", "--record", "--metrics"],
            vec!["s.toml", "a.map", "h.png", "t.csv"],
        ),
        (
            vec!["run", "p.json", "--ticks", "9", "--quiet"],
            vec!["--plan-out", "--record", "--trace"],
            vec!["p.json", "p.map", "p.agents", "p.tasks"],
        ),
        (plan, vec!["--png", "--svg"], vec!["s.toml", "cart.toml", "a.map", "h.png"]),
        (
            vec!["distances", "s.toml", "--class", "cart.toml", "--from", "0,0,E"],
            vec!["--png"],
            vec!["s.toml", "cart.toml", "a.map", "h.png"],
        ),
        (vec!["render", "r.rec"], vec!["--html", "--gif", "--svg", "--png"], vec!["r.rec"]),
        (vec!["report", "r.rec"], vec!["--output"], vec!["r.rec"]),
        (
            vec!["render", "s.toml", "--plan", "plan.json"],
            vec!["--html", "--gif", "--svg", "--png"],
            vec!["s.toml", "plan.json", "a.map", "h.png", "t.csv"],
        ),
    ]
}

/// The contents of the files of a folder, without subfolders.
fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder.path(".")).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| std::fs::metadata(entry.path()).is_ok_and(|found| found.is_file()));
    let mut files: Vec<_> = files
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

/// The error of a command that is refused and changes nothing.
#[track_caller]
fn refused_unchanged(folder: &Folder, args: &[&str]) -> String {
    let before = contents(folder);
    let refused = folder.run(args).refused();
    assert_eq!(contents(folder), before, "{args:?}: {refused}");
    refused
}

#[test]
fn no_output_is_an_input_by_any_of_its_names() {
    let folder = inputs();
    for (args, flags, files) in writers() {
        for file in files {
            let (link, hard, dotted) = (format!("link-{file}"), format!("hard-{file}"), format!("./{file}"));
            if !folder.path(&link).exists() {
                symlink(file, folder.path(&link)).unwrap();
                std::fs::hard_link(folder.path(file), folder.path(&hard)).unwrap();
            }
            for flag in &flags {
                for output in [file, &link, &hard, &dotted] {
                    let refused = refused_unchanged(&folder, &[&args[..], &[flag, output]].concat());
                    let expected = format!("{flag}: expected another file than {output}: ");
                    let is_clash = refused.starts_with(&expected) && refused.ends_with(" is read");
                    let is_other_kind = refused.starts_with(&format!("{flag}: expected a file ."));
                    assert!(is_clash || is_other_kind, "{refused}");
                }
            }
        }
    }
}

#[test]
fn a_resumed_snapshot_is_replaced_by_the_next_snapshot_alone() {
    let folder = inputs();
    symlink("s.wbs", folder.path("link")).unwrap();
    std::fs::hard_link(folder.path("s.wbs"), folder.path("hard")).unwrap();
    let resume = ["run", "--resume", "s.wbs", "--ticks", "60", "--quiet"];
    for flag in ["--record", "--trace", "--metrics"] {
        for output in ["s.wbs", "link", "hard", "./s.wbs"] {
            let refused = refused_unchanged(&folder, &[&resume[..], &[flag, output]].concat());
            let expected = format!("{flag}: expected another file than {output}: s.wbs is read");
            assert_eq!(refused, expected);
        }
    }
    // Nor is its part file read.
    folder.run(&["run", "s.toml", "--quiet", "--snapshot", "x.part"]).code(0);
    let part = ["run", "--resume", "x.part", "--ticks", "60", "--quiet", "--snapshot", "x"];
    assert!(refused_unchanged(&folder, &part).starts_with("--snapshot: expected another file than x: "));
    let before = std::fs::read(folder.path("s.wbs")).unwrap();
    folder.run(&[&resume[..], &["--snapshot", "link"]].concat()).code(0);
    assert!(folder.path("link").is_symlink() && std::fs::read(folder.path("s.wbs")).unwrap() != before);
}

#[test]
fn the_manifest_of_a_table_is_an_output() {
    let folder = inputs();
    std::fs::copy(folder.path("s.toml"), folder.path("m.csv.manifest.json")).unwrap();
    let refused =
        refused_unchanged(&folder, &["sweep", "m.csv.manifest.json", "--seeds", "0..2", "--out", "m.csv"]);
    assert!(refused.starts_with("--output: expected another file than m.csv.manifest.json: "), "{refused}");
    std::fs::remove_file(folder.path("m.csv.manifest.json")).unwrap();
    let sweep = ["sweep", "s.toml", "--seeds", "0..2", "--quiet", "--out", "q.csv"];
    for page in ["q.csv.manifest.json", "q.csv.sorted", "q.csv", "q.csv.part"] {
        let refused = refused_unchanged(&folder, &[&sweep[..], &["--html", page]].concat());
        assert!(refused.starts_with("--output and --html: expected a file for each: "), "{refused}");
    }
    folder.run(&sweep).code(0);
    let page = "q.csv.manifest.json";
    let refused =
        refused_unchanged(&folder, &["sweep", "--merge", "q.csv", "--out", "r.csv", "--html", page]);
    assert!(refused.starts_with("--html: expected another file than q.csv.manifest.json: "), "{refused}");
}

#[test]
fn a_file_may_have_the_longest_name() {
    let folder = inputs();
    // The last letter takes two bytes, at different places.
    for length in 245..=253 {
        let name = format!("{}ä", "x".repeat(length));
        folder.run(&["run", "s.toml", "--quiet", "--metrics", &name]).code(0);
        assert!(folder.read(&name).starts_with("tick,agents,"), "{length}");
    }
    let left = contents(&folder).into_iter().filter(|(name, _)| name.ends_with(".part"));
    assert_eq!(left.count(), 0);
    assert_eq!(contents(&folder).iter().filter(|(name, _)| name.starts_with('x')).count(), 9);
}

#[test]
fn no_map_overwrites_its_sources() {
    let folder = inputs();
    symlink("tiles.tsx", folder.path("x.map")).unwrap();
    for (from, to) in [("a.map", "a.map"), ("s.toml", "a.map"), ("s.toml", "h.png"), ("m.tmx", "x.map")] {
        let refused = refused_unchanged(&folder, &["generate", from, "-o", to]);
        assert!(refused.starts_with(&format!("--output: expected another file than {to}: ")), "{refused}");
    }
}

#[test]
fn no_two_outputs_are_the_same_file() {
    let folder = inputs();
    folder.write("old", "old");
    symlink("old", folder.path("link")).unwrap();
    symlink("nowhere", folder.path("new")).unwrap();
    std::fs::create_dir(folder.path("d")).unwrap();
    symlink("d", folder.path("e")).unwrap();
    for (args, flags, _) in writers() {
        for (one, other) in (0..flags.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            for (a, b) in [
                ("old", "old"),
                ("old", "./old"),
                ("old", "link"),
                ("x", "x"),
                ("x", "d/../x"),
                ("d/x", "e/x"),
                ("new", "nowhere"),
                // The part file of one of them.
                ("x", "x.part"),
                ("old.part", "link"),
            ] {
                let (one, other) = (flags[one], flags[other]);
                let refused = refused_unchanged(&folder, &[&args[..], &[one, a, other, b]].concat());
                assert!(refused.contains(" clash") && refused.contains("expected a file for each"));
            }
        }
    }
    // A device without contents can be named twice.
    folder.run(&["run", "s.toml", "--quiet", "--trace", "/dev/null", "--metrics", "/dev/null"]).code(0);
}

#[test]
fn redirected_standard_output_is_not_overwritten() {
    let folder = inputs();
    let out = std::fs::File::create(folder.path("out")).unwrap();
    let args = ["run", "s.toml", "--quiet", "--trace", "out"];
    let output = folder.command(&args).stdout(out).output().unwrap();
    let ended = Ended::of(&args, &output).code(2);
    assert_eq!(ended.stderr, "error: --trace: expected another file than out: standard output goes there\n");
    // By its own name it is shared.
    let out = std::fs::File::create(folder.path("out")).unwrap();
    let args = ["run", "s.toml", "--quiet", "--trace", "/dev/stdout", "--format", "json"];
    let output = folder.command(&args).stdout(out).output().unwrap();
    Ended::of(&args, &output).code(0);
    let lines = json_lines(&folder.read("out"));
    assert!(lines[0]["trace"] == 1 && lines.last().unwrap()["scenario"] == "s");
}

#[test]
fn an_unfinished_recording_is_not_overwritten_by_its_rendering() {
    let folder = inputs();
    std::fs::rename(folder.path("r.rec"), folder.path("a.part")).unwrap();
    for flag in ["--html", "--svg"] {
        let refused = refused_unchanged(&folder, &["render", "a.part", flag, "a"]);
        assert!(refused.contains("would be overwritten while the output is incomplete"), "{refused}");
    }
}

#[test]
fn links_stay_and_permissions_are_kept() {
    let folder = inputs();
    folder.write("real", "old");
    std::fs::set_permissions(folder.path("real"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real", folder.path("one")).unwrap();
    symlink("one", folder.path("two")).unwrap();
    symlink("not-there", folder.path("three")).unwrap();
    for (link, target) in [("two", "real"), ("three", "not-there")] {
        folder.run(&["run", "s.toml", "--quiet", "--metrics", link]).code(0);
        assert!(folder.path(link).is_symlink() && !folder.path(target).is_symlink());
        assert!(folder.read(target).starts_with("tick,agents,"));
    }
    assert_eq!(std::fs::metadata(folder.path("real")).unwrap().mode() & 0o777, 0o640);
    // A link to itself leads nowhere.
    symlink("ring", folder.path("ring")).unwrap();
    let ring = folder.run(&["run", "s.toml", "--quiet", "--metrics", "ring"]).code(2);
    assert!(ring.stderr.contains("ring: cannot be written: Too many levels"), "{ring:#?}");
}

#[test]
fn a_stale_part_is_replaced_and_its_link_target_is_kept() {
    let folder = inputs();
    folder.write("m.csv.part", "a long rest of an earlier run\n".repeat(1000));
    folder.write("other", "other");
    symlink("other", folder.path("t.jsonl.part")).unwrap();
    std::fs::create_dir(folder.path("x.rec.part")).unwrap();
    let args = ["run", "s.toml", "--quiet", "--metrics", "m.csv", "--trace", "t.jsonl", "--record", "x.rec"];
    let ended = folder.run(&args).code(2);
    assert!(
        ended
            .stderr
            .ends_with("error: x.rec: cannot be written: x.rec.part: exists and is not a regular file\n"),
        "{ended:#?}"
    );
    assert!(folder.read("m.csv").starts_with("tick,agents,") && folder.read("m.csv").len() < 2000);
    assert_eq!((folder.read("other").as_str(), folder.path("t.jsonl").is_symlink()), ("other", false));
    assert!(!folder.path("m.csv.part").exists() && !folder.path("t.jsonl.part").exists());
}

#[test]
fn two_runs_do_not_write_the_same_file() {
    let folder = endless();
    folder.write("s.toml", TRUCKS);
    let args = ["run", "endless.toml", "--quiet", "--metrics", "m.csv"];
    let mut child = folder.command(&args).stdout(Stdio::null()).spawn().unwrap();
    let_it_work(&child);
    let other = folder.run(&["run", "s.toml", "--quiet", "--metrics", "m.csv"]).code(2);
    assert!(other.stderr.contains("m.csv.part: is being written by another program"), "{other:#?}");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(folder.read("m.csv").lines().count() > 2);
}

/// An agent that drives back and forth for many ticks.
fn long_run(ticks: &str) -> Folder {
    let patrol = trucks_with("[{ goto = [6, 3, \"E\"] }]", "[{ patrol = [[6, 3], [1, 0]] }]");
    Folder::with("long.toml", replaced(&patrol, "ticks = 200", &format!("ticks = {ticks}")))
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let folder = long_run("3000");
    folder.run(&["run", "long.toml", "--quiet", "--record", "old.rec"]).code(0);
    let files = ["a.rec", "t.jsonl", "m.csv", "a.html", "a.svg"];
    let run =
        ["run", "long.toml", "--quiet", "--record", "a.rec", "--trace", "t.jsonl", "--metrics", "m.csv"];
    let render = ["render", "old.rec", "--html", "a.html", "--svg", "a.svg"];
    // The complete files.
    let whole = || {
        folder.run(&run).code(0);
        folder.run(&render).code(0);
        files.map(|file| std::fs::read(folder.path(file)).unwrap())
    };
    let began = Instant::now();
    let new = whole();
    let takes = began.elapsed() / 2;
    let mut random = Lcg(7);
    let (mut n_old, mut n_new) = (0, 0);
    for round in 0..30 {
        files.iter().for_each(|file| folder.write(file, "old"));
        let args = if round % 2 == 0 { &run[..] } else { &render[..] };
        let mut child = folder.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(takes.mul_f64(random.below(1200) as f64 / 1000.0));
        child.kill().unwrap();
        child.wait().unwrap();
        for (file, new) in files.iter().zip(&new) {
            let found = std::fs::read(folder.path(file)).unwrap();
            assert!(found == b"old" || found == *new, "{file} after {args:?}, {} bytes", found.len());
            if found == b"old" { n_old += 1 } else { n_new += 1 }
        }
    }
    // Nothing left over blocks the next run.
    assert_eq!(whole(), new);
    assert!(n_old > 0, "{n_old} old and {n_new} new");
}

/// Runs the program with a limit on file sizes, reported by an error in place of a signal.
fn run_with_small_files(folder: &Folder, blocks: u32, args: &[&str]) -> Ended {
    let program = folder.command(&[]);
    let program = program.get_program().to_str().unwrap();
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' {}", quoted.join(" "));
    let output = Command::new("bash").args(["-c", &line]).current_dir(folder.path(".")).output().unwrap();
    Ended::of(args, &output)
}

#[test]
fn a_full_disk_leaves_the_old_files_and_the_other_outputs() {
    let folder = long_run("3000");
    folder.run(&["run", "long.toml", "--quiet", "--record", "old.rec"]).code(0);
    for file in ["a.rec", "t.jsonl", "a.png"] {
        folder.write(file, "old");
    }
    // The trace does not fit, the other files do.
    let args =
        ["run", "long.toml", "--quiet", "--trace", "t.jsonl", "--metrics", "m.csv", "--format", "json"];
    let ended = run_with_small_files(&folder, 32, &args).code(2);
    assert_eq!(ended.stderr, "error: t.jsonl: cannot be written: File too large (os error 27)\n");
    assert_eq!(ended.json()["ticks"], 3000);
    assert_eq!(folder.read("m.csv").lines().count(), 302);
    assert_eq!((folder.read("t.jsonl").as_str(), folder.path("t.jsonl.part").exists()), ("old", false));
    // A recording is kept up to the failure.
    let args = ["run", "long.toml", "--quiet", "--record", "a.rec", "--format", "json"];
    let ended = run_with_small_files(&folder, 2, &args).code(2);
    assert_eq!(ended.stderr, "error: a.rec: cannot be written: File too large (os error 27)\n");
    assert_eq!((folder.read("a.rec").as_str(), folder.path("a.rec.part").exists()), ("old", true));
    // A page does not fit, a picture does.
    let args = ["render", "old.rec", "--html", "a.html", "--png", "a.png"];
    let ended = run_with_small_files(&folder, 8, &args).code(2);
    assert_eq!(ended.stderr, "error: a.html: cannot be written: File too large (os error 27)\n");
    assert!(!folder.path("a.html").exists() && !folder.path("a.html.part").exists());
    assert!(png(&folder, "a.png").width > 0);
}

#[test]
fn a_failed_output_affects_neither_others_nor_the_result() {
    let folder = inputs();
    for (args, flags, _) in writers() {
        for bad in ["/dev/full", "no/such/folder"] {
            let mut args = args.clone();
            for (number, flag) in flags.iter().enumerate() {
                args.extend([*flag, if number == 0 { bad } else { ["x.0", "x.1", "x.2"][number - 1] }]);
            }
            let ended = folder.run(&args).code(2);
            assert!(ended.stderr.contains(&format!("error: {bad}: cannot be written: ")), "{ended:#?}");
            assert_eq!(ended.stdout.is_empty(), matches!(args[0], "render" | "report"), "{ended:#?}");
            for number in 0..flags.len() - 1 {
                let file = folder.path(&format!("x.{number}"));
                assert!(std::fs::metadata(&file).unwrap().len() > 0);
                std::fs::remove_file(file).unwrap();
            }
        }
    }
}

#[test]
fn pipes_and_devices_are_written_directly() {
    let folder = inputs();
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    let reader = folder.path("pipe");
    let reader = std::thread::spawn(move || std::fs::read_to_string(reader).unwrap());
    folder.run(&["run", "s.toml", "--quiet", "--trace", "pipe"]).code(0);
    let trace = reader.join().unwrap();
    assert_eq!(json_lines(&trace)[0]["trace"], 1);
    assert!(std::fs::metadata(folder.path("pipe")).unwrap().file_type().is_fifo());
    folder.run(&["report", "r.rec", "--html", "/dev/null"]).code(0);
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let page = folder.run(&["render", "r.rec", "--svg", "/dev/stdout"]).code(0).stdout;
    roxmltree::Document::parse(&page).unwrap();
}

#[test]
fn read_only_files_are_not_replaced() {
    let folder = inputs();
    folder.write("m.csv", "old");
    std::fs::set_permissions(folder.path("m.csv"), PermissionsExt::from_mode(0o444)).unwrap();
    // Root may write it anyway.
    let may = std::fs::OpenOptions::new().write(true).open(folder.path("m.csv")).is_ok();
    let ended = folder.run(&["run", "s.toml", "--quiet", "--metrics", "m.csv"]);
    assert_eq!(ended.code, if may { 0 } else { 2 }, "{ended:#?}");
    assert_eq!(folder.read("m.csv") == "old", !may);
    assert_eq!(std::fs::metadata(folder.path("m.csv")).unwrap().mode() & 0o777, 0o444);
}

/// A scenario that takes long to build.
fn slow_to_build() -> String {
    let class = |number: u32| {
        format!(
            "[class.c{number}]\nheadings = 8\nfootprint = [[0, 0], [1, 0], [2, 0]]\nmoves = [{{ name = \"f\", by = [1, 0], time = 2, when = \"straight\" }}, {{ name = \"d\", by = [1, 0], time = 3, when = \"diagonal\" }}, {{ name = \"l\", turn = 1, time = 2 }}, {{ name = \"r\", turn = -1, time = 2 }}]\n[[groups]]\nclass = \"c{number}\"\ncount = 1\narea = [0, 0, 2048, 2048]\norders = []\n"
        )
    };
    let classes: String = (0..8).map(class).collect();
    format!(
        "name = \"slow\"\nticks = 5\n[map]\ngenerate = {{ kind = \"rooms\", size = [2048, 2048], seed = 1 }}\n{classes}"
    )
}

#[test]
fn signals_end_a_build() {
    let folder = Folder::with("slow.toml", slow_to_build());
    folder.write("old.rec", "old");
    let commands: [&[&str]; 6] = [
        &["run", "slow.toml", "--quiet", "--record", "old.rec", "--trace", "t.jsonl"],
        &["check", "slow.toml"],
        &["bench", "slow.toml"],
        &["plan", "slow.toml", "--class", "c0", "--from", "9,9,E", "--to", "2000,2000", "--png", "a.png"],
        &["distances", "slow.toml", "--class", "c0", "--from", "9,9,E"],
        &["generate", "maze", "--size", "8192,8192", "--seed", "1", "-o", "a.png"],
    ];
    for (number, args) in commands.iter().enumerate() {
        let child = folder.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let_it_work(&child);
        let asked = Instant::now();
        send(&child, if number % 2 == 0 { "-INT" } else { "-TERM" });
        let ended = Ended::of(args, &child.wait_with_output().unwrap()).code(130);
        assert!(asked.elapsed() < Duration::from_secs(300), "{args:?}: {:?}", asked.elapsed());
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    }
    assert_eq!(contents(&folder).len(), 2, "no output was opened");
    assert_eq!(folder.read("old.rec"), "old");
}

#[test]
fn a_build_that_is_interrupted_still_prints_json() {
    let folder = Folder::with("slow.toml", slow_to_build());
    let args = ["run", "slow.toml", "--format", "json"];
    for signal in ["-INT", "-TERM"] {
        let child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let_it_work(&child);
        send(&child, signal);
        let ended = Ended::of(&args, &child.wait_with_output().unwrap()).code(130);
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("{\"interrupted\":true}\n", ""));
    }
}

/// A name with characters that harm some output.
const HOSTILE: &str = "</title><script>alert(1)</script>]]>&\\u001b[31m\\u0007\\u009b\\u202e\\u2066\\u2028\\ufffe\\uffff\\u0000\\u000b";

/// Whether a character must not reach a terminal or a document.
fn is_unsafe(letter: char) -> bool {
    letter.is_control() && letter != '\n' && letter != '\t'
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

#[test]
fn names_are_escaped_in_terminals_and_documents() {
    let scenario = TRUCKS
        .replace("two trucks", HOSTILE)
        .replace("convoy-1", HOSTILE)
        .replace("terrain.deep", &format!("terrain.\"{HOSTILE}\""))
        .replace("class.truck", &format!("class.\"{HOSTILE}\""))
        .replace("class = \"truck\"", &format!("class = \"{HOSTILE}\""))
        .replace("name = \"forward\"", &format!("name = \"{HOSTILE}\""));
    let folder = Folder::with("s.toml", &scenario);
    folder.write("bad.toml", scenario.replace("at = [1, 0, \"E\"]", "at = [2, 1, \"E\"]"));
    folder.write("b\u{1b}]0;x\u{7}\u{202e}.toml", "no toml");
    let pose = ["--from", "1,0,E", "--to", "6,3"];
    let commands: Vec<Vec<&str>> = vec![
        vec!["run", "s.toml", "--record", "a.rec", "--trace", "t.jsonl"],
        vec!["run", "s.toml", "--format", "json"],
        vec!["check", "s.toml"],
        vec!["check", "bad.toml"],
        vec!["run", "bad.toml"],
        vec!["check", "b\u{1b}]0;x\u{7}\u{202e}.toml"],
        vec!["run", "b\u{1b}]0;x\u{7}\u{202e}.toml"],
        vec!["run", "no\u{1b}[31m\u{9b}\u{202e}.toml"],
        vec!["run", "s.toml", "--trace", "no\u{1b}[31m/\u{202e}t"],
        vec!["run", "s.toml", "--ticks", "\u{1b}[31m\u{9b}\u{202e}"],
        vec!["run", "s.toml", "--no\u{1b}[31m\u{9b}\u{202e}"],
        [&["plan", "s.toml", "--svg", "plan.svg"], &pose[..]].concat(),
        [&["plan", "s.toml", "--format", "json"], &pose[..]].concat(),
        vec!["plan", "s.toml", "--class", "\u{1b}[31m\u{202e}", "--from", "1,0,E", "--to", "\u{1b}\u{9b}"],
        vec!["plan", "s.toml", "--from", "1,0,E", "--to", "\u{1b}\u{9b}\u{202e}"],
        vec!["distances", "s.toml", "--from", "1,0,E", "--within", "9"],
        vec!["distances", "s.toml", "--from", "1,0,E", "--within", "9", "--format", "json"],
        vec!["bench", "s.toml"],
        vec!["bench", "s.toml", "--format", "json"],
        vec!["check", "a.rec"],
        vec!["verify", "a.rec"],
        vec!["render", "a.rec", "--html", "a.html", "--svg", "a.svg"],
        vec!["report", "a.rec", "--html", "r.html"],
    ];
    for args in &commands {
        let ended = folder.run(args);
        for text in [&ended.stdout, &ended.stderr] {
            assert!(!text.chars().any(is_unsafe), "{args:?}: {text:?}");
        }
        if ended.stdout.starts_with('{') {
            ended.json();
        }
    }
    let named = folder.run(&["run", "s.toml"]).done();
    assert!(named.contains("\\u{1b}[31m\\u{7}\\u{9b}\\u{202e}\\u{2066}\\u{2028}\\u{fffe}"), "{named}");
    for file in ["t.jsonl", "plan.svg", "a.svg", "a.html", "r.html"] {
        let text = folder.read(file);
        assert!(!text.chars().any(is_unsafe), "{file}");
        // A trace is data.
        assert!(file == "t.jsonl" || !text.contains("<script>alert"), "{file}");
    }
    for file in ["plan.svg", "a.svg"] {
        let text = folder.read(file);
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let titles = document.descendants().filter(|node| node.has_tag_name("title"));
        assert!(titles.filter_map(|title| title.text()).any(|text| text.contains("</title><script>")));
    }
    // Data keeps the name of the scenario.
    let header = &json_lines(&folder.read("t.jsonl"))[0];
    let name: String = serde_json::from_str(&format!("\"{HOSTILE}\"")).unwrap();
    assert_eq!(header["scenario"], name.as_str());
}
