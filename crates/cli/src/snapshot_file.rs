//! Snapshots as files: written during a run, and read to resume it.

use crate::failure::Failure;
use crate::output::file::{OutputFile, Unfinished};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use wheelbase_grid::MemoryMax;
use wheelbase_sim::{Host, World};
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
    pub fn before_tick(&mut self, world: &World) -> Result<(), Failure> {
        let tick = world.tick();
        self.is_last = tick >= world.settings().ticks;
        let is_due = tick > 0 && self.every.is_some_and(|every| tick.is_multiple_of(every));
        if is_due || self.is_last { self.write(world) } else { Ok(()) }
    }

    /// At the end of the run.
    pub fn finish(self, world: &World) -> Result<(), Failure> {
        if self.is_last { Ok(()) } else { self.write(world) }
    }

    fn write(&self, world: &World) -> Result<(), Failure> {
        let bytes = world.save().map_err(|error| Failure::bad_input(format!("--snapshot: {error}")))?;
        let written = OutputFile::create(&self.path, Unfinished::Removed).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.commit()
        });
        written.map_err(|error| Failure::writing(&self.path, &error))
    }
}

/// Reads a snapshot. Nothing is read of what is no file, and no more than its first bytes of what is no snapshot.
pub fn load_snapshot(path: &Path, memory_max: MemoryMax) -> Result<World, Failure> {
    let name = safe_text::path(path);
    let unreadable = |error| Failure::bad_input(format!("{name}: cannot be read: {error}"));
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        let found = if metadata.is_dir() { "a folder" } else { "a pipe or device" };
        return Err(Failure::bad_input(format!("{name}: is {found}, expected a snapshot from --snapshot")));
    }
    let mut input = BufReader::new(File::open(path).map_err(unreadable)?);
    let host = Host { memory_max, ..Host::default() };
    World::load_from(&mut input, host).map_err(|error| Failure::bad_input(format!("{name}: {error}")))
}
