//! Snapshots as files: written during a run, and read to resume it.

use crate::failure::Failure;
use crate::file_kind::Takes;
use crate::output::say;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use wheelbase_scenario::output_file::{OutputFile, Unfinished};
use wheelbase_sim::{Broken, CRASH_REPORT, CommandsSince, CrashReport, Host, LoadError, World};
use wheelbase_view::safe_text;

/// The snapshot of a run: written every some ticks, if asked for, and at the end. The old file stays until the new one
/// is whole.
pub struct SnapshotFile {
    path: PathBuf,
    every: Option<u32>,
    /// Whether the last tick of the run is saved.
    is_last: bool,
}

impl SnapshotFile {
    pub fn new(path: &Path, every: Option<u32>) -> Self {
        Self { path: path.to_owned(), every, is_last: false }
    }

    /// Before each tick. The last tick of a run does less than others, so that a longer run goes on from before it.
    pub fn before_tick(&mut self, world: &mut World) -> Result<(), Failure> {
        let tick = world.tick();
        self.is_last = tick >= world.settings().ticks;
        let is_due = tick > 0 && self.every.is_some_and(|every| tick.is_multiple_of(every));
        if !is_due && !self.is_last {
            return Ok(());
        }
        // A crash report begins with the last snapshot.
        self.write(world.keep_report())
    }

    /// At the end of the run.
    pub fn finish(self, world: &World) -> Result<(), Failure> {
        if self.is_last { Ok(()) } else { self.write(world.save().as_deref()) }
    }

    fn write(&self, saved: Result<&[u8], impl Display>) -> Result<(), Failure> {
        let bytes = saved.map_err(|error| Failure::bad_input(format!("--snapshot: {error}")))?;
        let written =
            OutputFile::create(&self.path, Unfinished::Removed).and_then(|file| file.commit_with(bytes));
        written.map_err(|error| Failure::writing(&self.path, &error))
    }
}

/// A world that goes on.
pub struct Resumed {
    /// The world.
    pub world: World,
    /// Of a crash report: the commands to give again.
    pub commands: CommandsSince,
    /// The panic to come.
    pub expected: Option<Broken>,
}

/// Reads a snapshot or a crash report. Only files are read, and only the first bytes of a file of another kind.
pub fn load_resumed(path: &Path, host: Host<'_>) -> Result<Resumed, Failure> {
    let name = safe_text::path(path);
    let unreadable = |error| Failure::bad_input(format!("{name}: cannot be read: {error}"));
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        let found = if metadata.is_dir() { "a folder" } else { "a pipe or device" };
        return Err(Failure::bad_input(format!("{name}: is {found}, expected a snapshot from --snapshot")));
    }
    if let Some(wrong) = Takes::RESUMABLE.wrong_kind(path) {
        return Err(wrong.into());
    }
    let mut input = BufReader::new(File::open(path).map_err(unreadable)?);
    let of_file = |error: LoadError| Failure::bad_input(format!("{name}: {error}"));
    if !input.fill_buf().map_err(unreadable)?.starts_with(&CRASH_REPORT.magic) {
        let world = World::load_from(&mut input, host).map_err(of_file)?;
        return Ok(Resumed { world, commands: CommandsSince::default(), expected: None });
    }
    let report = CrashReport::load_from(&mut input, host).map_err(of_file)?;
    let CrashReport { world, commands, broken, program, .. } = report;
    let here = env!("CARGO_PKG_VERSION");
    if program != here {
        let program = safe_text::line(&program);
        say(format_args!("warning: {name}: release {program} wrote the report, this is {here}"));
    }
    Ok(Resumed { world, commands, expected: broken })
}
