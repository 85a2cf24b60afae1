//! Kinds of files, told by their first bytes: a file of the wrong kind is named, with the command that takes it.

use crate::failure::Failure;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use wheelbase_scenario::load::LoadError;
use wheelbase_scenario::recording::RecordingError;
use wheelbase_scenario::scenario::Message;

/// Bytes by which a kind is told.
const BYTES_READ: u64 = 1 << 16;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Scenario,
    ClassFile,
    MovingAiMap,
    TiledMap,
    Picture,
    Queries,
    QueryLines,
    Problem,
    Plan,
    MovePlan,
    Recording,
    Snapshot,
    CrashReport,
    Trace,
    Page,
    Animation,
    Binary,
}

impl FileKind {
    /// Magic words of binary files.
    const MAGIC: [(&'static [u8], Self); 5] = [
        (b"WB-REC\r\n", Self::Recording),
        (b"WB-SNP\r\n", Self::Snapshot),
        (b"WB-CRS\r\n", Self::CrashReport),
        (b"\x89PNG\r\n", Self::Picture),
        (b"GIF8", Self::Animation),
    ];

    /// The kind of a file, if it can be told. Pipes and devices are not read.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(BYTES_READ).read_to_end(&mut bytes).ok()?;
        let known = Self::MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
        if let Some((_, kind)) = known {
            return Some(*kind);
        }
        // The last character may be cut.
        match str::from_utf8(&bytes) {
            Ok(text) => Self::of_text(text),
            Err(error) if error.error_len().is_none() => {
                Self::of_text(str::from_utf8(&bytes[..error.valid_up_to()]).ok()?)
            }
            Err(_) => bytes.contains(&0).then_some(Self::Binary),
        }
    }

    fn of_text(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.contains('\0') {
            return Some(Self::Binary);
        }
        let has_line = |start: &str| text.lines().any(|line| line.trim_start().starts_with(start));
        Some(match text {
            _ if text.starts_with("type octile") => Self::MovingAiMap,
            _ if text.starts_with("version 1") => Self::Queries,
            _ if text.starts_with("<!DOCTYPE html") || text.starts_with("<!doctype html") => Self::Page,
            _ if text.starts_with('<') && text.contains("<map") => Self::TiledMap,
            _ if text.starts_with("{\"trace\":") => Self::Trace,
            _ if text.starts_with('{') && text.contains("\"mapFile\"") => Self::Problem,
            _ if text.starts_with('{') && text.contains("\"actualPaths\"") => Self::Plan,
            _ if text.starts_with("{\"plan\":") => Self::MovePlan,
            _ if text.starts_with('{') && text.contains("\"from\"") => Self::QueryLines,
            _ if has_line("[map") || has_line("map.") || has_line("[[agents]]") || has_line("ticks") => {
                Self::Scenario
            }
            _ if has_line("[class.") => Self::ClassFile,
            _ => return None,
        })
    }

    /// Its kind, in words.
    fn name(self) -> &'static str {
        match self {
            Self::Scenario => "a scenario",
            Self::ClassFile => "a class file",
            Self::MovingAiMap => "a map",
            Self::TiledMap => "a Tiled map",
            Self::Picture => "a PNG picture",
            Self::Queries => "a MovingAI file of queries",
            Self::QueryLines => "a file of query lines",
            Self::Problem => "a problem of the League of Robot Runners",
            Self::Plan => "a plan of the League of Robot Runners",
            Self::MovePlan => "a plan of moves",
            Self::Recording => "a recording",
            Self::Snapshot => "a snapshot",
            Self::CrashReport => "a crash report",
            Self::Trace => "a trace",
            Self::Page => "a page for a browser",
            Self::Animation => "a GIF animation",
            Self::Binary => "a binary file of a kind that Wheelbase does not know",
        }
    }

    /// What takes it: `{}` is the file.
    fn use_of_it(self) -> Option<&'static str> {
        Some(match self {
            Self::Scenario => "`wheelbase run {}` runs it, `wheelbase check {}` checks it",
            Self::ClassFile => "`wheelbase plan MAP --class {} --from X,Y,H --to X,Y` plans for its class",
            Self::MovingAiMap | Self::TiledMap | Self::Picture => {
                "a scenario names it, as in [map] file = \"{}\"; `wheelbase plan {} --from X,Y --to X,Y` plans on it"
            }
            Self::Queries => {
                "`wheelbase bench {}` answers its queries and checks their lengths, `wheelbase run {} --agents N` runs them together"
            }
            Self::QueryLines => "`wheelbase plan MAP --queries {}` answers them",
            Self::Problem => "`wheelbase run {} --ticks N` runs it; its name must end in .json",
            Self::Plan => "`wheelbase check PROBLEM.json --plan {}` judges it",
            Self::MovePlan => "`wheelbase check SCENARIO --plan {}` judges it",
            Self::Recording => {
                "`wheelbase render {} --html FILE.html` makes a page that plays it, `wheelbase verify {}` runs it again"
            }
            Self::Snapshot | Self::CrashReport => "`wheelbase run --resume {}` goes on from it",
            Self::Page => "open it in a browser",
            Self::Trace | Self::Animation | Self::Binary => return None,
        })
    }

    /// The extensions by which commands know the kind; none where any will do.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::MovingAiMap => &["map"],
            Self::TiledMap => &["tmx"],
            Self::Picture => &["png"],
            Self::Queries => &["scen"],
            Self::Problem => &["json"],
            _ => &[],
        }
    }
}

/// Whether a file has queries of the MovingAI benchmark, by its extension `.scen`.
pub fn is_scen(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "scen")
}

/// Refuses `--map` without queries.
/// # Errors
/// If there is a map.
pub fn refuse_map(map: Option<&Path>) -> Result<(), Failure> {
    match map {
        Some(_) => Err(Failure::bad_input("--map: only queries take a map; expected it with a .scen file")),
        None => Ok(()),
    }
}

/// What a command takes: the kinds, and their names in messages.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    kinds: &'static [FileKind],
    /// The expected kind, in words.
    pub expected: &'static str,
}

impl Takes {
    /// Of `run`.
    pub const RUNNABLE: Self = Self {
        kinds: &[FileKind::Scenario, FileKind::Problem, FileKind::Queries],
        expected: "a scenario (.toml), a problem (.json) or queries (.scen)",
    };
    /// Of `show`.
    pub const SHOWABLE: Self = Self {
        kinds: &[FileKind::Scenario, FileKind::Problem, FileKind::Recording],
        expected: "a scenario (.toml), a problem (.json) or a recording from run --record",
    };
    /// Of `plan`, `distances` and `generate`.
    pub const PLANNABLE: Self = Self {
        kinds: &[FileKind::Scenario, FileKind::MovingAiMap, FileKind::TiledMap, FileKind::Picture],
        expected: "a map (.map, .tmx, .png) or a scenario (.toml)",
    };
    /// Of `bench`.
    pub const MEASURABLE: Self = Self {
        kinds: &[FileKind::Scenario, FileKind::Queries],
        expected: "a scenario (.toml) or queries of the MovingAI benchmark (.scen)",
    };
    /// Of `render`, `report` and `verify`.
    pub const RECORDED: Self =
        Self { kinds: &[FileKind::Recording], expected: "a recording from run --record" };
    /// Of `run --resume`.
    pub const RESUMABLE: Self = Self {
        kinds: &[FileKind::Snapshot, FileKind::CrashReport],
        expected: "a snapshot from --snapshot, or a crash report",
    };
    /// Of `check`.
    pub const CHECKABLE: Self = Self {
        kinds: &[
            FileKind::Scenario,
            FileKind::ClassFile,
            FileKind::MovingAiMap,
            FileKind::TiledMap,
            FileKind::Picture,
            FileKind::Queries,
            FileKind::Problem,
            FileKind::Recording,
        ],
        expected: "a scenario or class (.toml), a map (.map, .tmx, .png), queries (.scen), a problem \
                   (.json) or a recording",
    };
    /// Of `check --plan`.
    pub const PLAN: Self =
        Self { kinds: &[FileKind::Plan], expected: "a plan in the format of the competition (.json)" };
    /// Of `check --plan` of a scenario.
    pub const MOVE_PLAN: Self =
        Self { kinds: &[FileKind::MovePlan], expected: "a plan of moves, as from run --plan-out (.json)" };
    /// Of `plan --queries`.
    pub const QUERY_LINES: Self = Self {
        kinds: &[FileKind::QueryLines],
        expected: "query lines, such as {\"from\":[0,0,\"E\"],\"to\":[3,4]}",
    };
    /// Of `--class`.
    pub const CLASS: Self =
        Self { kinds: &[FileKind::ClassFile], expected: "a file with one [class.NAME] table" };

    /// The failure of a command that could not read the file at `path` because of `error`. Names the kind of the file
    /// if that kind is wrong here.
    pub fn refuse(self, path: &Path, error: LoadError) -> Failure {
        // Else another file is wrong, which this file names.
        if !error.is_in(path) {
            return error.into();
        }
        match error {
            LoadError::File { file, message } if path.is_dir() => {
                LoadError::File { file, message: Box::new(message.with_help("name a file in it")) }
            }
            error => self.wrong_kind(path).unwrap_or(error),
        }
        .into()
    }

    /// As [`Self::refuse`], of a file that should be a recording.
    pub fn refuse_recording(self, path: &Path, error: RecordingError) -> Failure {
        self.refuse(path, LoadError::in_file(path, error))
    }

    /// The error on a file of the wrong kind.
    pub fn wrong_kind(self, path: &Path) -> Option<LoadError> {
        let kind = FileKind::of(path)?;
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        let endings = kind.extensions();
        let expected = if self.kinds.contains(&kind) {
            if endings.is_empty() || endings.contains(&ending) {
                return None;
            }
            format!("a name that ends in .{}", endings[0])
        } else {
            self.expected.to_owned()
        };
        Some(LoadError::in_file(path, message(kind, &expected, path)))
    }
}

/// A message on a file whose name tells nothing, with what the file is by its content.
pub fn with_kind_of(path: &Path, message: Message) -> Message {
    let Some(kind) = FileKind::of(path) else { return message };
    match kind.use_of_it() {
        Some(use_of_it) => {
            let use_of_it = use_of_it.replace("{}", &path.display().to_string());
            message.with_help(format!("it is {}: {use_of_it}", kind.name()))
        }
        None => message.with_help(format!("it is {}", kind.name())),
    }
}

/// The message for a file of a kind where another is expected.
fn message(kind: FileKind, expected: &str, path: &Path) -> Message {
    let mut text = Message::wrong(format!("is {}", kind.name()), expected);
    text.found = Some(kind.name().to_owned());
    match kind.use_of_it() {
        Some(help) => text.with_help(help.replace("{}", &path.display().to_string())),
        None => text,
    }
}
