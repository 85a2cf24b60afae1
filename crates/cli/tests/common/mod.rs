//! Runs the program in a folder of its own, and the scenario most tests start from.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses some of it, and all of it is for tests"
)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Two trucks that pass each other around a pond; both arrive.
pub const TRUCKS: &str = r#"name = "two trucks"
seed = 7
ticks = 200

[map]
rows = [
  "........",
  "..~~....",
  "..~~..ss",
  "........",
]

[terrain.deep]
glyphs = "~"
speed = 0

[terrain.shallow]
glyphs = "s"
speed = 500

[class.truck]
headings = 4
footprint = [[0, 0], [-1, 0]]
moves = [
  { name = "forward", by = [1, 0], time = 2 },
  { name = "reverse", by = [-1, 0], time = 6 },
  { name = "left", turn = 1, time = 4 },
  { name = "right", turn = -1, time = 4 },
]

[[agents]]
name = "convoy-1"
class = "truck"
at = [1, 0, "E"]
orders = [{ goto = [6, 3, "E"] }]

[[agents]]
class = "truck"
at = [6, 3, "W"]
orders = [{ goto = [1, 0, "any"], within = 1 }, { wait = 5 }]
"#;

/// A class file: a cart of one cell.
pub const CART: &str = r#"[class.cart]
headings = 4
moves = [
  { name = "forward", by = [1, 0], time = 1 },
  { name = "left", turn = 1, time = 1 },
  { name = "right", turn = -1, time = 1 },
]
"#;

/// A MovingAI map with a wall of trees and a gap at its south end.
pub const MAP: &str = "type octile\nheight 4\nwidth 6\nmap\n..T...\n..T...\n..T...\n......\n";

/// [`TRUCKS`] with one piece replaced by another.
pub fn trucks_with(piece: &str, replacement: &str) -> String {
    replaced(TRUCKS, piece, replacement)
}

/// A text with its one `piece` replaced.
pub fn replaced(text: &str, piece: &str, replacement: &str) -> String {
    assert_eq!(text.matches(piece).count(), 1, "{piece:?} must stand once in\n{text}");
    text.replace(piece, replacement)
}

/// Line of the only place where `piece` stands, from 1.
pub fn line_of(text: &str, piece: &str) -> usize {
    assert_eq!(text.matches(piece).count(), 1, "{piece:?} must stand once in\n{text}");
    text[..text.find(piece).unwrap()].matches('\n').count() + 1
}

/// A folder of its own for a test, removed at its end. The program runs in it, so that messages name
/// files as the test does.
pub struct Folder(PathBuf);

impl Folder {
    /// A new one, empty.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// One with a file.
    pub fn with(name: &str, contents: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        folder.write(name, contents);
        folder
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    /// Reads a text file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with its arguments, not started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wheelbase"));
        command.args(args).current_dir(&self.0).env("RUST_BACKTRACE", "0");
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[&str]) -> Ended {
        Ended::of(args, &self.command(args).output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ended {
    /// Arguments it was given, for messages.
    pub args: Vec<String>,
    /// Exit status; -1 if a signal killed it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ended {
    /// Of a process that has ended. It may never have panicked.
    pub fn of(args: &[&str], output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let ended = Self {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert!(!ended.stderr.contains("panicked") && !ended.stdout.contains("panicked"), "{ended:#?}");
        assert!(matches!(ended.code, 0 | 1 | 2 | 130), "{ended:#?}");
        ended
    }

    /// It ended with this status.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// It ended well and said nothing on standard error; its standard output.
    #[track_caller]
    pub fn done(self) -> String {
        let ended = self.code(0);
        assert_eq!(ended.stderr, "", "{ended:#?}");
        ended.stdout
    }

    /// It refused its input: status 2, nothing on standard output, a message. The message, without the
    /// word `error` before it and the line end behind it.
    #[track_caller]
    pub fn refused(self) -> String {
        let ended = self.code(2);
        assert_eq!(ended.stdout, "", "{ended:#?}");
        let Some(message) = ended.stderr.strip_prefix("error: ") else { panic!("{ended:#?}") };
        message.trim_end().to_owned()
    }

    /// Its standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Its standard output as one JSON value a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }
}

/// A run for ever: a patrol of slow steps, and an agent that stands.
pub fn endless() -> Folder {
    let patrol = trucks_with("[{ goto = [6, 3, \"E\"] }]", "[{ patrol = [[6, 3], [1, 0]] }]");
    let endless = replaced(&patrol, "ticks = 200", "ticks = 4294967294");
    let slow =
        endless.replace("time = 2 }", "time = 20000 }").replace("{ wait = 5 }", "{ wait = 4000000000 }");
    Folder::with("endless.toml", slow)
}

/// Waits until something holds.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the program has worked for a while, however busy the machine is: for 0.4 s of its own time.
#[track_caller]
pub fn let_it_work(child: &Child) {
    let worked = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let behind_name = stat.rsplit_once(')').unwrap().1;
        let fields: Vec<&str> = behind_name.split_whitespace().collect();
        // Hundredths of a second, of the program and for it.
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap() >= 40
    };
    wait_until("the program has worked", worked);
}

/// Sends the signal of Ctrl-C.
pub fn interrupt(child: &Child) {
    send(child, "-INT");
}

/// Sends a signal.
pub fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// One JSON value a line, the last line too.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "the last line has no end: {text:?}");
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(read).collect()
}

/// The keys of a JSON object in the order in which they are written.
#[track_caller]
pub fn keys(object: &Value) -> Vec<&str> {
    let Some(object) = object.as_object() else { panic!("no object: {object}") };
    object.keys().map(String::as_str).collect()
}

/// A small random sequence (Knuth's MMIX), the same on every run.
pub struct Lcg(pub u64);

impl Lcg {
    /// The next number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Points of a picture.
pub struct Points {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row-major.
    pub points: Vec<Rgb>,
}

impl Points {
    /// The point at a place.
    pub fn at(&self, x: f64, y: f64) -> Rgb {
        self.points[y as usize * self.width + x as usize]
    }
}

/// Reads a PNG file.
pub fn png(folder: &Folder, name: &str) -> Points {
    let file = std::io::BufReader::new(std::fs::File::open(folder.path(name)).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let points = bytes.as_chunks::<3>().0.to_vec();
    assert_eq!(points.len(), (info.width * info.height) as usize);
    Points { width: info.width as usize, height: info.height as usize, points }
}
