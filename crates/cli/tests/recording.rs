//! Recordings on the command line (`run --record`, `check`, `verify`), and `run --metrics`.

use crate::common::*;
use std::process::Stdio;
use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
use wheelbase_scenario::recording::Recorder;
use wheelbase_sim::{AgentId, ClassId, Command, Order, Settings, Setup, Spawn, World};

/// Trucks that cross a river, with the map in its own file.
const CROSSING: &str = r#"
name = "crossing"
seed = 3
ticks = 300
[map]
file = "river.map"
walls = [[2, 2, 2, 4]]
[class.truck]
headings = 4
footprint = ["X>"]
moves = [
  { name = "forward", by = [1, 0],  time = 3 },
  { name = "reverse", by = [-1, 0], time = 9 },
  { name = "left",    turn = 1,     time = 3 },
  { name = "right",   turn = -1,    time = 3 },
]
[[groups]]
class = "truck"
count = 5
area = [0, 0, 5, 8]
orders = [{ goto_area = [10, 0, 6, 8] }, { patrol = [[2, 1], [13, 6]], within = 2 }]
[[events]]
tick = 250
set_terrain = { area = [7, 3, 2, 2], kind = "water" }
"#;

const RIVER: &str = "type octile\nheight 8\nwidth 16\nmap\n\
    .......WW.......\n.......WW.......\n.......WW.......\n................\n\
    ................\n.......SS.......\n.......WW.......\n.......WW.......\n";

fn crossing() -> Folder {
    let folder = Folder::with("crossing.toml", CROSSING);
    folder.write("river.map", RIVER);
    folder
}

/// The content of a recording, and the world that is rebuilt of it.
#[test]
fn a_recording_keeps_to_the_memory_limit() {
    let folder = Folder::with("s.toml", TRUCKS);
    folder.run(&["run", "s.toml", "--quiet", "--record", "s.rec"]).code(0);
    for command in [&["check", "s.rec"][..], &["verify", "s.rec"], &["report", "s.rec", "--html", "a.html"]] {
        let small = folder.run(&[command, &["--memory-max", "1000"]].concat()).code(2);
        let said = small.stdout + &small.stderr;
        assert!(said.contains("of memory"), "{command:?}: {said}");
        folder.run(&[command, &["--memory-max", "64MiB"]].concat()).code(0);
    }
}

#[test]
fn a_recording_needs_nothing_beside_it() {
    let folder = crossing();
    let args = ["run", "crossing.toml", "--format", "json", "--seed", "8", "--ticks", "280"];
    let plain = folder.run(&args).code(0).json();
    let result = folder.run(&[&args[..], &["--record", "a.rec"]].concat()).code(0).json();
    assert_eq!(result["state_hash"], plain["state_hash"]);
    std::fs::remove_file(folder.path("river.map")).unwrap();
    std::fs::remove_file(folder.path("crossing.toml")).unwrap();
    let checked = folder.run(&["check", "a.rec"]).done();
    let moves = &result["moves"];
    let expected = format!("recording of \"crossing\", 3 chunks, 280 ticks, 5 agents, {moves} moves");
    assert_eq!(checked, format!("a.rec: ok: {expected}\n"));
    for threads in ["1", "2"] {
        let verified = folder.run(&["verify", "a.rec", "--threads", threads]).done();
        assert_eq!(verified, "a.rec: equal for 280 ticks of 280\n");
    }
    let checked = folder.run(&["check", "no.rec"]).code(2);
    assert!(checked.stdout.starts_with("no.rec: cannot be read: "), "{checked:#?}");
}

#[test]
fn damage_is_reported_and_a_cut_recording_is_read_up_to_the_cut() {
    let folder = crossing();
    folder.run(&["run", "crossing.toml", "--record", "a.rec"]).code(0);
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    let mut damaged = file.clone();
    let middle = file.len() / 2;
    damaged[middle] ^= 4;
    folder.write("damaged.rec", &damaged);
    folder.write("cut.rec", &file[..file.len() - 600]);
    folder.write("other.rec", b"not one");
    let checked = folder.run(&["check", "damaged.rec", "cut.rec", "other.rec"]).code(2);
    let lines: Vec<&str> = checked.stdout.lines().collect();
    let is_damage =
        lines[0].starts_with("damaged.rec: is damaged: chunk ") && lines[0].contains(", at byte ");
    assert!(is_damage && lines[0].ends_with(": its checksum does not match"), "{lines:#?}");
    assert!(lines[1].starts_with("warning: cut.rec: cut off: the last "), "{lines:#?}");
    assert!(lines[1].ends_with("; whole up to chunk 2, tick 255"), "{lines:#?}");
    assert!(lines[2].starts_with("cut.rec: ok, 1 warning: recording of \"crossing\", 2 chunks, 256 ticks"));
    assert_eq!(lines[3], "other.rec: is not a recording");
    // The missing part may differ.
    let verified = folder.run(&["verify", "cut.rec"]).code(1).stdout;
    assert!(verified.ends_with("cut.rec: equal for 256 ticks of 256\n"), "{verified}");
    let refused = folder.run(&["verify", "damaged.rec"]).refused();
    assert_eq!(refused, lines[0]);
    assert_eq!(folder.run(&["verify", "other.rec"]).refused(), "other.rec: is not a recording");
}

/// CRC-32, from its definition.
fn crc32(bytes: &[u8]) -> [u8; 4] {
    let step = |sum: u32, _| sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
    let sum = bytes.iter().fold(u32::MAX, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step));
    (!sum).to_le_bytes()
}

/// Changes the uncompressed bytes of a block of a recording and updates the checksums.
fn tamper(file: &[u8], block: usize, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let mut at = 20;
    for _ in 0..block {
        at += 29 + number(at + 13) as usize;
    }
    let end = at + 29 + number(at + 13) as usize;
    let mut plain = miniz_oxide::inflate::decompress_to_vec(&file[at + 29..end]).unwrap();
    change(&mut plain);
    let stored = miniz_oxide::deflate::compress_to_vec(&plain, 6);
    let mut head = file[at..at + 13].to_vec();
    head.extend_from_slice(&(stored.len() as u32).to_le_bytes());
    head.extend_from_slice(&(plain.len() as u32).to_le_bytes());
    head.extend_from_slice(&crc32(&stored));
    head.extend_from_slice(&crc32(&head));
    [&file[..at], &head, &stored, &file[end..]].concat()
}

#[test]
fn differences_are_reported_with_their_tick() {
    let folder = crossing();
    folder.run(&["run", "crossing.toml", "--record", "a.rec"]).code(0);
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    // The last bytes of a chunk are the hash of its last tick.
    let hash = tamper(&file, 2, |plain| *plain.last_mut().unwrap() ^= 1);
    folder.write("hash.rec", hash);
    let verified = folder.run(&["verify", "hash.rec"]).code(1);
    let text = verified.stdout.as_str();
    assert!(text.starts_with("hash.rec: differs at tick 255: state hash: recorded "), "{text}");
    // A report replays the run too, and warns.
    let report = folder.run(&["report", "hash.rec", "--html", "a.html"]).code(1);
    assert_eq!(report.stderr, "warning: hash.rec: the replay differs from tick 255 on\n");
    assert!(folder.read("a.html").contains("It differs from the recording at tick 255"));
    // Another scenario: the first truck is faster.
    let name = "time = 3 },\n  { name = \"reverse\"";
    let faster = tamper(&file, 0, |plain| {
        let at = plain.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap();
        plain[at + 7] = b'2';
    });
    folder.write("faster.rec", faster);
    let verified = folder.run(&["verify", "faster.rec"]).code(1);
    assert!(verified.stdout.starts_with("faster.rec: differs at tick 0: class 0: "), "{verified:#?}");
    // A block rewritten with equal bytes is equal.
    folder.write("same.rec", tamper(&file, 1, |_| {}));
    folder.run(&["verify", "same.rec"]).code(0);
}

#[test]
fn a_wrong_end_differs() {
    let folder = crossing();
    folder.run(&["run", "crossing.toml", "--record", "a.rec"]).code(0);
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    let verified = |file: &[u8]| {
        folder.write("b.rec", file);
        folder.run(&["verify", "b.rec"]).code(1).stdout
    };
    // The block after the header and three chunks.
    let moves = b"\"moves\":";
    let more = tamper(&file, 4, |plain| {
        let at = plain.windows(moves.len()).position(|bytes| bytes == moves).unwrap() + moves.len();
        plain[at] = if plain[at] == b'9' { b'8' } else { b'9' };
    });
    let text = verified(&more);
    assert!(text.starts_with("b.rec: differs at tick 300: outcome: moves: recorded "), "{text}");
    // The tick takes three bytes; the flag follows.
    let interrupted = tamper(&file, 4, |plain| plain[3] = 1);
    assert_eq!(
        verified(&interrupted),
        "b.rec: differs at tick 300: interrupted: recorded true, found false\n"
    );
}

#[test]
fn a_recording_in_progress_is_read_up_to_its_end() {
    let folder = crossing();
    folder.run(&["run", "crossing.toml", "--record", "a.rec"]).code(0);
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    for length in [0, 5, 20, 60, file.len() / 2, file.len() - 300, file.len() - 3, file.len()] {
        for name in ["cut.rec", "cut.rec.part"] {
            folder.write(name, &file[..length]);
        }
        let same = |args: &[&str]| {
            let [whole, part] = ["cut.rec", "cut.rec.part"].map(|name| {
                let ended = folder.run(&[&[args[0], name], &args[1..]].concat());
                (ended.code, ended.stdout.replace(name, "X"), ended.stderr.replace(name, "X"))
            });
            assert_eq!(whole, part, "{args:?} of {length} bytes");
        };
        same(&["check"]);
        same(&["verify"]);
        same(&["render", "--html", "a.html"]);
        same(&["report", "--html", "b.html"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_refused_as_a_recording() {
    let folder = crossing();
    assert!(std::process::Command::new("mkfifo").arg(folder.path("a.rec")).status().unwrap().success());
    let expected = "a.rec: is a pipe, but a recording is not read in one pass: \
                    write it to a file first and pass that file";
    for args in [
        &["verify", "a.rec"][..],
        &["render", "a.rec", "--html", "a.html"],
        &["report", "a.rec", "--html", "a.html"],
    ] {
        assert_eq!(folder.run(args).refused(), expected);
    }
    assert_eq!(folder.run(&["check", "a.rec"]).code(2).stdout, format!("{expected}\n"));
    std::fs::create_dir(folder.path("b.rec")).unwrap();
    assert_eq!(folder.run(&["verify", "b.rec"]).refused(), "b.rec: is a folder, expected a recording");
}

#[test]
fn a_killed_run_leaves_all_but_its_last_chunk() {
    let folder = endless();
    let args = ["run", "endless.toml", "--record", "a.rec", "--quiet"];
    let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let_it_work(&child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path("a.rec").exists());
    let checked = folder.run(&["check", "a.rec.part"]).done();
    assert!(checked.starts_with("warning: a.rec.part: cut off"), "{checked}");
    assert!(checked.contains("a.rec.part: ok, 1 warning: recording of \"two trucks\", "), "{checked}");
}

#[test]
fn ctrl_c_and_sigterm_leave_a_complete_recording_and_metrics() {
    for signal in ["-INT", "-TERM"] {
        let folder = endless();
        let args = ["run", "endless.toml", "--record", "a.rec", "--metrics", "m.csv", "--format", "json"];
        let child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let_it_work(&child);
        send(&child, signal);
        let result = Ended::of(&args, &child.wait_with_output().unwrap()).code(130).json();
        let checked = folder.run(&["check", "a.rec"]).done();
        assert!(
            checked.starts_with("a.rec: ok: recording of ")
                && checked.contains(&format!(" {} ticks", result["ticks"]))
        );
        let metrics = folder.read("m.csv");
        assert!(metrics.ends_with('\n'));
        let last: Vec<u64> = metrics.lines().last().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
        assert_eq!(result["ticks"], last[0] + 1);
        assert_eq!(result["moves"], last[10]);
    }
}

#[test]
fn metrics_have_a_row_per_interval_and_one_at_the_end() {
    let folder = crossing();
    let run = |more: &[&str]| {
        let args =
            [&["run", "crossing.toml", "--ticks", "95", "--format", "json", "--metrics", "m.csv"], more];
        let result = folder.run(&args.concat()).json();
        (result, folder.read("m.csv"))
    };
    let (result, metrics) = run(&[]);
    let (header, rows) = metrics.split_once('\n').unwrap();
    assert_eq!(
        header,
        "tick,agents,moving,waiting,stuck,edits_pending,requests_open,orders_done,orders_unreachable,tasks_done,moves,path_requests,expansions,wait_ticks"
    );
    let rows: Vec<Vec<u64>> =
        rows.lines().map(|row| row.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    let ticks: Vec<u64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(ticks, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95]);
    let last = rows.last().unwrap();
    for (name, value) in header.split(',').zip(last) {
        if let Some(expected) = result.get(name) {
            assert_eq!(expected, value, "{name}");
        }
    }
    assert_eq!(rows.iter().map(|row| row[1]).max(), Some(5));
    assert!(rows.iter().any(|row| row[2] > 0));
    // Every column is the same for any number of threads.
    assert_eq!(run(&["--threads", "1"]).1, run(&["--threads", "3"]).1);
    let every = run(&["--metrics-every", "50"]).1;
    assert_eq!(every.lines().count(), 4);
    let refused = folder.run(&["run", "crossing.toml", "--metrics-every", "5"]).refused();
    assert!(refused.contains("--metrics <FILE.csv>"), "{refused}");
}

#[test]
fn unwritable_files_are_reported_at_once_and_at_the_end() {
    let folder = crossing();
    for flag in ["--record", "--metrics"] {
        let ended = folder.run(&["run", "crossing.toml", flag, "no/such/folder/a"]).code(2);
        let why = "no/such/folder/a: cannot be written: No such file or directory (os error 2)";
        assert_eq!(
            ended.stderr,
            format!("warning: {why}; the run goes on without it\nerror: {why}\n"),
            "{ended:#?}"
        );
        assert!(ended.stdout.contains("state hash"), "{ended:#?}");
    }
}

#[test]
fn watch_needs_a_terminal() {
    let folder = crossing();
    let refused = folder.run(&["run", "crossing.toml", "--watch", "--record", "a.rec"]).refused();
    assert!(!folder.path("a.rec.part").exists());
    assert!(refused.starts_with("--watch draws in a terminal, but standard output is not one"), "{refused}");
}

/// Stands for a signal in place of keys.
#[cfg(target_os = "linux")]
const TERMINATED: &str = "SIGTERM";

/// Runs the program in a pseudo-terminal made by `script`, and types keys or sends it [`TERMINATED`]. Returns the exit
/// status and the output.
#[cfg(target_os = "linux")]
fn in_a_terminal(folder: &Folder, args: &[&str], keys: &str) -> (Option<i32>, String) {
    use std::io::Write;
    let program = folder.command(&[]);
    let program = program.get_program().to_str().unwrap();
    // The shell becomes the program, so that the signal reaches it.
    let kill = if keys == TERMINATED { "(sleep 1.5; kill -TERM $$) & " } else { "" };
    let line = format!("stty rows 24 cols 80; {kill}exec {program} {}", args.join(" "));
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(folder.path("."));
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program must be running before the keys arrive.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    if keys != TERMINATED {
        stdin.write_all(keys.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
#[cfg(target_os = "linux")]
fn watch_draws_and_restores_the_terminal() {
    let folder = endless();
    for key in ["q", "\u{3}", TERMINATED] {
        let (status, text) = in_a_terminal(&folder, &["run", "endless.toml", "--watch"], key);
        assert_eq!(status, Some(130), "{text}");
        let drawn = text.find("\u{1b}[?1049h").unwrap();
        let left = text.find("\u{1b}[?1049l").unwrap();
        let picture = &text[drawn..left];
        // A truck in the colour of its class, drawn by half blocks, and the status line.
        assert!(picture.contains('▀') && picture.contains("38;5;214"), "{picture}");
        assert!(picture.contains("tick ") && picture.contains("q quit"), "{picture}");
        // The cursor is shown again, and the result follows.
        assert!(text[drawn..].contains("\u{1b}[?25h"));
        assert!(text[left..].contains("two trucks, "), "{text}");
        assert!(text[left..].contains("  agents                2, "), "{text}");
    }
}

/// What a program with its own world has recorded.
#[test]
fn a_recording_of_a_host_is_checked_verified_and_drawn() {
    let mut cart = ClassSpec::new("cart", 4);
    cart.primitives = Primitive::vehicle(4, 8, 4);
    let grid = Grid::from_rows(&["........", "........"], TerrainTable::movingai(), SideTable::default());
    let classes = vec![MovementClass::new(cart).unwrap()];
    let mut world = World::new(Setup::cooperative(Settings::named(""), grid.unwrap(), classes)).unwrap();
    let mut recorder = Recorder::begin_host(&mut world, Vec::new()).unwrap();
    world.command(Command::Spawn(Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0)))));
    for tick in 0..40 {
        if tick == 3 {
            world.command(Command::order(AgentId(0), Order::goto(CellXY::new(5, 0))));
        }
        let step = world.step();
        recorder.tick(&world, tick, step).unwrap();
        world.clear_log();
    }
    let folder = Folder::with("host.rec", recorder.finish(&world).unwrap());
    let checked = folder.run(&["check", "host.rec"]).done();
    assert_eq!(checked, "host.rec: ok: recording of \"host\", 1 chunk, 40 ticks, 1 agent, 5 moves\n");
    let verified = folder.run(&["verify", "host.rec", "--threads", "2"]).done();
    assert_eq!(verified, "host.rec: equal for 40 ticks of 40\n");
    folder
        .run(&["render", "host.rec", "--html", "a.html", "--gif", "a.gif", "--svg", "a.svg", "--tick", "9"])
        .code(0);
    assert!(std::fs::read_to_string(folder.path("a.html")).unwrap().contains("<title>host"));
    folder.run(&["report", "host.rec", "--html", "b.html"]).code(0);
    let report = std::fs::read_to_string(folder.path("b.html")).unwrap();
    assert!(report.contains("host, seed 0") && !report.contains("class=\"differs\""), "{report}");
}
