//! Tables as files: written row by row to `FILE.part`, sorted and renamed at the end.

use super::error::SweepError;
use super::manifest::Manifest;
use super::prepared::PreparedSweep;
use super::table::{Format, ReadRows, Row, Table};
use super::values::Shard;
use crate::load::read_file;
use crate::output_file::{Destination, OutputFile, Unfinished, open_part, part_of, remove_part};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest time that rows stay unsynced while others come: a crash of the machine costs no more work than that, one of
/// the program none.
const SYNC_INTERVAL: Duration = Duration::from_secs(2);

/// The table of a sweep, being written.
#[derive(Debug)]
pub struct TableFile {
    target: PathBuf,
    part: PathBuf,
    file: File,
    table: Table,
    synced: Instant,
}

impl TableFile {
    /// Begins the table of a sweep at a path. With `resume` the rows of the file and of its `FILE.part` are kept, and
    /// how many they are is said. Without, `FILE.part` is replaced, and the file once the table is whole.
    /// # Errors
    /// [`SweepError::File`] for files that cannot be read or written, are being written by another program, or have
    /// rows of another sweep, and [`SweepError::Differs`].
    pub fn open(out: &Path, prepared: &PreparedSweep, resume: bool) -> Result<(Self, ReadRows), SweepError> {
        let format = Format::of(out)?;
        let target = target_of(out)?;
        let part = part_of(&target);
        let mut table = Table::new(prepared.items().clone(), format);
        let mut kept = ReadRows { whole_bytes: 0, rows: 0, stale: 0 };
        let file = open_part(&part, resume).map_err(SweepError::writing(&part))?;
        let mut file = Self { target, part, file, table: table.clone(), synced: Instant::now() };
        if resume {
            let key_of = |item| prepared.key(item);
            let mut read = |path: &Path| -> Result<ReadRows, SweepError> {
                let read = table.read(path, &read_file(path)?, Some(&key_of))?;
                kept.stale += read.stale;
                Ok(read)
            };
            if file.target.exists() {
                read(&file.target.clone())?;
            }
            let of_part = read(&file.part.clone())?;
            kept.rows = table.n_rows();
            file.begin_at(of_part.whole_bytes).map_err(SweepError::writing(&file.part))?;
            file.table = table;
        } else {
            file.begin_at(0).map_err(SweepError::writing(&file.part))?;
        }
        Ok((file, kept))
    }

    /// Cuts off a torn last line, and writes the header if there is none.
    fn begin_at(&mut self, whole_bytes: usize) -> std::io::Result<()> {
        self.file.set_len(whole_bytes as u64)?;
        self.file.seek(SeekFrom::End(0))?;
        if whole_bytes == 0 {
            self.file.write_all(self.table.header().as_bytes())?;
        }
        Ok(())
    }

    /// The table so far.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The items of a shard that have no row yet, in order.
    pub fn items_left(&self, shard: Shard) -> Vec<usize> {
        let all = 0..self.table.items().n_items();
        all.filter(|&item| shard.has(item) && !self.table.has(item)).collect()
    }

    /// Adds a row. It is with the system when this returns: killing the program does not lose it.
    /// # Errors
    /// [`SweepError::File`] if it cannot be written, and [`SweepError::Differs`].
    pub fn add(&mut self, row: &Row) -> Result<(), SweepError> {
        let line = self.table.add(row)?;
        let mut write = || {
            self.file.write_all(line.as_bytes())?;
            if self.synced.elapsed() > SYNC_INTERVAL {
                self.synced = Instant::now();
                self.file.sync_data()?;
            }
            Ok(())
        };
        write().map_err(SweepError::writing(&self.part))
    }

    /// Ends the table before it is whole: `FILE.part` stays, for a sweep that resumes it.
    /// # Errors
    /// [`SweepError::File`].
    pub fn pause(self) -> Result<Table, SweepError> {
        self.file.sync_all().map_err(SweepError::writing(&self.part))?;
        Ok(self.table)
    }

    /// Ends the table: writes the manifest, then all rows in order to a new file, which replaces the file atomically,
    /// and removes `FILE.part`. Cut off at any moment, resuming gives the same file.
    /// # Errors
    /// [`SweepError::File`].
    pub fn finish(self, manifest: &Manifest) -> Result<Table, SweepError> {
        let Self { target, part, file, table, .. } = self;
        file.sync_all().map_err(SweepError::writing(&part))?;
        write_table(&target, &table, manifest)?;
        remove_part(&part, file).map_err(SweepError::writing(&part))?;
        Ok(table)
    }
}

/// The regular file that a path leads to, or will.
fn target_of(out: &Path) -> Result<PathBuf, SweepError> {
    match Destination::of(out).map_err(SweepError::writing(out))? {
        Destination::File { target, .. } => Ok(target),
        _ => Err(SweepError::in_file(out, "expected a regular file, which can be resumed")),
    }
}

/// The files that writing a table replaces: itself, its manifest, and the sorted file.
pub fn files_of_table(out: &Path) -> [PathBuf; 3] {
    let target = target_of(out).unwrap_or_else(|_| out.to_owned());
    [out.to_owned(), Manifest::path_of(&target), sorted_of(&target)]
}

/// Where the rows of a table are sorted before they replace it.
fn sorted_of(target: &Path) -> PathBuf {
    let mut sorted = OsString::from(target);
    sorted.push(".sorted");
    sorted.into()
}

/// Writes a whole table and its manifest, and replaces the files together. `FILE.part` is left alone.
/// # Errors
/// [`SweepError::File`].
pub fn write_table(out: &Path, table: &Table, manifest: &Manifest) -> Result<(), SweepError> {
    let target = target_of(out)?;
    manifest.write_beside(&target)?;
    let write = || {
        let mut file = std::io::BufWriter::new(OutputFile::create_by_way_of(
            sorted_of(&target),
            &target,
            Unfinished::Removed,
        )?);
        table.write(&mut file)?;
        file.into_inner().map_err(std::io::IntoInnerError::into_error)?.commit()
    };
    write().map_err(SweepError::writing(&target))
}

/// Merges tables, as of the shards of a sweep, with the manifests beside them. Gives the table of all rows and its
/// manifest. A table of all items is byte for byte that of a sweep that was not divided.
/// # Errors
/// [`SweepError::File`] for files that cannot be read or are of different sweeps, releases or inputs, and
/// [`SweepError::Differs`] for an item with two different rows.
pub fn merge(files: &[PathBuf]) -> Result<(Table, Manifest), SweepError> {
    let mut merged: Option<(Table, Manifest)> = None;
    for file in files {
        let format = Format::of(file)?;
        if !file.exists() && part_of(file).exists() {
            let why = "is not finished: there is only its .part; run its sweep again with --resume";
            return Err(SweepError::in_file(file, why));
        }
        let bytes = read_file(file)?;
        let manifest = Manifest::read_beside(file)?;
        let (table, first) = match &mut merged {
            Some(merged) => merged,
            None => {
                let items = super::items::Items::new(manifest.sweep.clone())?;
                merged.insert((Table::new(items, format), manifest.clone()))
            }
        };
        check_same(first, &manifest, (&files[0], file))?;
        if Format::of(&files[0])? != format {
            return Err(SweepError::in_file(file, "expected tables of one format"));
        }
        let read = table.read(file, &bytes, None)?;
        if read.whole_bytes < bytes.len() {
            return Err(SweepError::in_file(file, "its last line is torn off"));
        }
    }
    let (table, manifest) = merged.ok_or_else(|| SweepError::argument("expected a table to merge"))?;
    Ok((table, Manifest { shard: Shard::WHOLE, ..manifest }))
}

fn check_same(first: &Manifest, other: &Manifest, (a, b): (&Path, &Path)) -> Result<(), SweepError> {
    let differs = |what: &str, one: &dyn std::fmt::Debug, two: &dyn std::fmt::Debug| {
        let why = format!("its {what} differ from {}: {two:?}, there {one:?}", a.display());
        Err(SweepError::in_file(b, why))
    };
    let (x, y) = (&first.sweep, &other.sweep);
    if first.version != other.version {
        return differs("releases", &first.version, &other.version);
    }
    if x.scenarios != y.scenarios {
        return differs("scenarios", &x.scenarios, &y.scenarios);
    }
    if x.set != y.set {
        return differs("keys and values", &x.set, &y.set);
    }
    if x.seeds != y.seeds {
        let text = super::items::seeds_text;
        return differs("seeds", &text(&x.seeds), &text(&y.seeds));
    }
    if x.measures != y.measures {
        return differs("measures", &x.measures, &y.measures);
    }
    if x != y {
        return differs("settings", &(x.check_invariants, x.times), &(y.check_invariants, y.times));
    }
    if let Some((one, two)) = first.inputs.iter().zip(&other.inputs).find(|(one, two)| one != two) {
        return differs("inputs", one, two);
    }
    if first.inputs.len() != other.inputs.len() {
        return differs("numbers of inputs", &first.inputs.len(), &other.inputs.len());
    }
    Ok(())
}
