//! Runs the program in a temporary folder. Also the scenario that most tests start from.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Two trucks that pass each other around a pond and arrive. They have room to turn only if turns are swept by their
/// ends.
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
sweep = "ends"
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

/// A class file with a cart of one cell.
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

/// A text with the single occurrence of `piece` replaced.
pub fn replaced(text: &str, piece: &str, replacement: &str) -> String {
    assert_eq!(text.matches(piece).count(), 1, "{piece:?} must stand once in\n{text}");
    text.replace(piece, replacement)
}

/// Line of the single occurrence of `piece`, from 1.
pub fn line_of(text: &str, piece: &str) -> usize {
    assert_eq!(text.matches(piece).count(), 1, "{piece:?} must stand once in\n{text}");
    text[..text.find(piece).unwrap()].matches('\n').count() + 1
}

/// A temporary folder for a test, removed at its end. The program runs in it, so messages name files as the test does.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A folder with a file.
    pub fn with(name: &str, contents: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        folder.write(name, contents);
        folder
    }

    /// The path of a file in the folder.
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

    /// The program with arguments, not started. Its messages on files have one line each: `tests/messages.rs` holds how
    /// they are drawn.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program();
        if !args.is_empty() {
            command.args(["--message-format", "short"]).args(args);
        }
        command
    }

    /// The program without arguments.
    pub fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wheelbase"));
        command.current_dir(&self.0).env("RUST_BACKTRACE", "0");
        command
    }

    /// Runs the program to its end. Its messages on TOML files are given without their columns, which
    /// `tests/messages.rs` holds.
    pub fn run(&self, args: &[&str]) -> Ended {
        let ended = Ended::of(args, &self.command(args).output().unwrap());
        let (stdout, stderr) = (without_columns(&ended.stdout), without_columns(&ended.stderr));
        Ended { stdout, stderr, ..ended }
    }
}

/// A text without the columns of the places in it, such as `s.toml:12:5: `.
fn without_columns(text: &str) -> String {
    let mut pieces = text.split(".toml:");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain += ".toml:";
        let parts: Vec<&str> = piece.splitn(3, ':').collect();
        match parts[..] {
            [line, column, rest] if [line, column].iter().all(|part| part.parse::<u32>().is_ok()) => {
                plain += &format!("{line}:{rest}");
            }
            _ => plain += piece,
        }
    }
    plain
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ended {
    /// Arguments, for messages.
    #[allow(dead_code, reason = "shown by `Debug` alone")]
    pub args: Vec<String>,
    /// Exit status; -1 if a signal killed it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ended {
    /// The end of a process, which must not have panicked.
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

    /// Asserts the exit status.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Asserts success with nothing on standard error. Returns standard output.
    #[track_caller]
    pub fn done(self) -> String {
        let ended = self.code(0);
        assert_eq!(ended.stderr, "", "{ended:#?}");
        ended.stdout
    }

    /// Asserts refused input: status 2, nothing on standard output, a message. Returns the message without `error: `
    /// and the line end.
    #[track_caller]
    pub fn refused(self) -> String {
        let ended = self.code(2);
        assert_eq!(ended.stdout, "", "{ended:#?}");
        let Some(message) = ended.stderr.strip_prefix("error: ") else { panic!("{ended:#?}") };
        message.trim_end().to_owned()
    }

    /// Standard output as a JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Standard output as a JSON value per line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }
}

/// Checks a text against a file of `tests/snapshots`, or writes it there if WHEELBASE_BLESS is set.
#[track_caller]
pub fn check_snapshot(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let recorded = std::fs::read_to_string(&file).unwrap_or_default();
    let file = file.display();
    assert_eq!(text, recorded, "{file} differs; if that is meant: WHEELBASE_BLESS=1 cargo test -p wheelbase");
}

/// A run that never ends: a patrol of slow steps, and an agent at rest.
pub fn endless() -> Folder {
    let patrol = trucks_with("[{ goto = [6, 3, \"E\"] }]", "[{ patrol = [[6, 3], [1, 0]] }]");
    let endless = replaced(&patrol, "ticks = 200", "ticks = 4294967294");
    let slow =
        endless.replace("time = 2 }", "time = 20000 }").replace("{ wait = 5 }", "{ wait = 4000000000 }");
    Folder::with("endless.toml", slow)
}

/// Keys that depend on time, threads or memory, which the end of a trace lacks.
const NOT_OUTCOME: [&str; 7] =
    ["threads", "wall_s", "ticks_per_s", "agent_ticks_per_s", "moves_per_s", "tick_ms", "peak_memory_mib"];

/// The outcome of `run` with more arguments.
pub fn run_outcome(folder: &Folder, args: &[&str]) -> Value {
    let args: Vec<&str> =
        ["run", "--format", "json", "--quiet"].into_iter().chain(args.iter().copied()).collect();
    outcome(&folder.run(&args).json())
}

/// The keys of a result that do not.
pub fn outcome(result: &Value) -> Value {
    let mut result = result.clone();
    result.as_object_mut().unwrap().retain(|key, _| !NOT_OUTCOME.contains(&key.as_str()));
    result
}

/// Waits until a condition holds.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the program has used 0.4 s of CPU time, however busy the machine is.
#[track_caller]
pub fn let_it_work(child: &Child) {
    let worked = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        // User and system time in hundredths of a second.
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

/// A JSON value per line; the last line must be complete.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "the last line has no end: {text:?}");
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(read).collect()
}

/// The keys of a JSON object in order.
#[track_caller]
pub fn keys(object: &Value) -> Vec<&str> {
    let Some(object) = object.as_object() else { panic!("no object: {object}") };
    object.keys().map(String::as_str).collect()
}

/// A linear congruential generator (Knuth's MMIX), for reproducible random numbers.
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

/// A picture in memory.
pub struct Pixels {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Row-major.
    pub pixels: Vec<Rgb>,
}

impl Pixels {
    /// The pixel at a position.
    pub fn at(&self, x: f64, y: f64) -> Rgb {
        self.pixels[y as usize * self.width + x as usize]
    }
}

/// Bytes from base64 (RFC 4648), padded.
pub fn from_base64(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, &digit| bits << 6 | u32::from(value(digit)));
        bytes.extend(&bits.to_be_bytes()[1..]);
    }
    let padding = text.bytes().filter(|&digit| digit == b'=').count();
    bytes.truncate(bytes.len() - padding);
    bytes
}

/// Reads a PNG file.
pub fn png(folder: &Folder, name: &str) -> Pixels {
    let file = std::io::BufReader::new(std::fs::File::open(folder.path(name)).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = bytes.as_chunks::<3>().0.to_vec();
    assert_eq!(pixels.len(), (info.width * info.height) as usize);
    Pixels { width: info.width as usize, height: info.height as usize, pixels }
}
