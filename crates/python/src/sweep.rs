//! Sweeps: scenarios over seeds and values of keys, as `wheelbase sweep` runs them. `wheelbase/_sweep.py` has the calls
//! of users, and `_ray.py` runs items on other machines.

use crate::error::{Kind, argument, busy, failure, of_sweep};
use crate::pool::check_threads;
use crate::value::{Whole, parts, shown};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;
use wheelbase_grid::MemoryMax;
use wheelbase_scenario::load::FileStore;
use wheelbase_scenario::machine_memory::{bytes_of, machine_memory};
use wheelbase_scenario::output_clash::refuse_clashes;
use wheelbase_scenario::output_file::{OutputFile, Unfinished};
use wheelbase_scenario::scenario::Message;
use wheelbase_scenario::sweep::{
    FailedItems, Format, Manifest, PreparedSweep, ReadRows, Row, RunOptions, Setting, Shard, Summary, Sweep,
    SweepError, Table, TableFile, cell_text, files_of_table, merge, parse_seeds, write_table,
};
use wheelbase_view::{safe_text, sweep::page};

/// Time between two looks for a signal while items run.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Rows that wait for the table before the items stop for it.
const ROWS_WAITING: usize = 256;

/// Rows of a table that become objects together.
const ROWS_OF_BATCH: usize = 1 << 14;

/// A text, or the texts of a list of values.
fn texts(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<String>> {
    if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
        return Ok(vec![given.str()?.to_string_lossy().into_owned()]);
    }
    parts(given, name, "a str or a list")?
        .iter()
        .map(|one| Ok(one.str()?.to_string_lossy().into_owned()))
        .collect()
}

/// The values of a key as the command line has them.
fn value_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(flag.to_string());
    }
    Ok(value.str()?.to_string_lossy().into_owned())
}

/// The keys that are set: a dict of values, or texts as the command line has them.
fn settings(
    given: Option<&Bound<'_, PyAny>>,
    named: &dyn Fn(&SweepError) -> PyErr,
) -> PyResult<Vec<Setting>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let setting = |text: &str| text.parse::<Setting>().map_err(|error| named(&error));
    let Ok(by_key) = given.cast::<PyDict>() else {
        return texts(given, "set")?.iter().map(|text| setting(text)).collect();
    };
    let mut all = Vec::new();
    for (key, values) in by_key {
        let key: String = key.extract().map_err(|_| {
            argument(format!("`set` has the key {}, expected the name of a key of the scenario", shown(&key)))
        })?;
        let values: Vec<Bound<'_, PyAny>> = match values.try_iter() {
            Ok(all) if !values.is_instance_of::<PyString>() => all.collect::<PyResult<_>>()?,
            _ => vec![values],
        };
        let values: Vec<String> = values.iter().map(value_text).collect::<PyResult<_>>()?;
        all.push(setting(&format!("{key}={}", values.join(",")))?);
    }
    Ok(all)
}

/// The memory limit of this many bytes, or the free memory of this machine, of which `share` processes each have a
/// part.
fn memory(bytes: Option<Whole<u64>>, share: u64) -> MemoryMax {
    let MemoryMax { built, total } = bytes.map_or_else(machine_memory, |bytes| MemoryMax::of_all(bytes.0));
    let part = |bytes: Option<u64>| bytes.map(|bytes| bytes / share.max(1));
    MemoryMax { built: part(built), total: part(total) }
}

/// Reads bytes, or a number of KiB, MiB, GiB or TiB.
#[pyfunction]
pub(crate) fn parse_bytes(text: &str) -> PyResult<u64> {
    bytes_of(text).map_err(argument)
}

/// A text that people read on a terminal, with its control characters escaped.
#[pyfunction]
pub(crate) fn safe(text: &str) -> String {
    let mut out = Vec::new();
    // Writing to memory cannot fail.
    let _ = safe_text::SafeText::for_people(&mut out).write_all(text.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// A sweep whose files are read, and a part of its items.
#[pyclass(frozen, name = "PreparedSweep", module = "wheelbase._native")]
pub(crate) struct PyPreparedSweep {
    prepared: Arc<PreparedSweep>,
    shard: Shard,
}

#[pymethods]
impl PyPreparedSweep {
    /// `prefix` stands before the names of arguments in errors: nothing, or the hyphens of a command line.
    #[new]
    #[pyo3(signature = (
        scenarios, seeds, *, measures = None, set = None, shard = None, check_invariants = false, times = false,
        memory_max = None, prefix = ""
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        scenarios: &Bound<'_, PyAny>,
        seeds: &Bound<'_, PyAny>,
        measures: Option<&Bound<'_, PyAny>>,
        set: Option<&Bound<'_, PyAny>>,
        shard: Option<&str>,
        check_invariants: bool,
        times: bool,
        memory_max: Option<Whole<u64>>,
        prefix: &str,
    ) -> PyResult<Self> {
        let named =
            |name: &'static str| move |error: &SweepError| argument(format!("{prefix}{name}: {error}"));
        let seeds = match seeds.extract::<Vec<u64>>() {
            Ok(seeds) => seeds,
            Err(_) => {
                parse_seeds(&texts(seeds, "seeds")?.join(",")).map_err(|error| named("seeds")(&error))?
            }
        };
        let sweep = Sweep {
            scenarios: texts(scenarios, "scenarios")?,
            set: settings(set, &named("set"))?,
            seeds,
            measures: measures.map_or(Ok(Vec::new()), |measures| texts(measures, "measures"))?,
            check_invariants,
            times,
        };
        let shard = shard.map_or(Ok(Shard::WHOLE), str::parse);
        let shard: Shard = shard.map_err(|error: SweepError| named("shard")(&error))?;
        let prepared = py.detach(|| PreparedSweep::new(sweep, memory(memory_max, 1)));
        Ok(Self { prepared: Arc::new(prepared.map_err(|error| of_sweep(&error))?), shard })
    }

    /// The same sweep in another process, or on another machine, of which `share` processes run items: of what
    /// `sweep()` and `files()` gave.
    #[staticmethod]
    fn of_files(
        py: Python<'_>,
        sweep: &str,
        files: &Bound<'_, PyDict>,
        memory_max: Option<Whole<u64>>,
        share: u64,
    ) -> PyResult<Self> {
        let sweep: Sweep =
            serde_json::from_str(sweep).map_err(|error| argument(format!("`sweep`: {error}")))?;
        let mut contents = Vec::new();
        for (path, content) in files {
            let content = match content.cast::<PyBytes>() {
                Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
                Err(_) => {
                    let (text, nearest) = content.extract::<(String, Option<String>)>()?;
                    Err(Message::from(text).with_nearest(nearest))
                }
            };
            contents.push((path.extract::<PathBuf>()?, content));
        }
        let store = FileStore::of_contents(contents);
        let prepared = py.detach(|| PreparedSweep::with_store(sweep, store, memory(memory_max, share)));
        Ok(Self { prepared: Arc::new(prepared.map_err(|error| of_sweep(&error))?), shard: Shard::WHOLE })
    }

    /// The description of the sweep, as JSON.
    fn sweep(&self) -> PyResult<String> {
        serde_json::to_string(self.prepared.items().sweep())
            .map_err(|error| failure(Kind::Text, error.to_string()))
    }

    /// All files that were read: their bytes by path, or why one cannot be read and the nearest name.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (path, content) in self.prepared.store().contents() {
            match content {
                Ok(bytes) => files.set_item(path.to_string_lossy(), PyBytes::new(py, &bytes))?,
                Err(message) => files.set_item(path.to_string_lossy(), (message.text, message.nearest))?,
            }
        }
        Ok(files)
    }

    /// An item in words.
    fn label(&self, item: usize) -> PyResult<String> {
        let items = self.prepared.items();
        if item >= items.n_items() {
            return Err(argument(format!("`item` is {item}, expected 0 to {}", items.n_items() - 1)));
        }
        Ok(items.label(item))
    }

    /// Refuses two outputs that are the same file, and an output that was read. An output is the name of an argument
    /// and a path.
    fn refuse_clashes(&self, outputs: Vec<(String, PathBuf)>) -> PyResult<()> {
        let read: Vec<PathBuf> = self.prepared.inputs().into_iter().map(|(path, _)| path).collect();
        clashes(&outputs, &read)
    }

    /// Runs items on this thread, one after the other, and gives their rows for [`PyTableFile::add`].
    #[pyo3(signature = (items, record_failed = None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        items: Vec<usize>,
        record_failed: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let n_items = self.prepared.items().n_items();
        if let Some(item) = items.iter().find(|item| **item >= n_items) {
            return Err(argument(format!("`items` has {item}, expected 0 to {}", n_items - 1)));
        }
        let mut rows = Vec::new();
        let options = RunOptions { jobs: 1, record_failed };
        run_items(py, &self.prepared, &items, &options, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        let bytes = serde_json::to_vec(&rows).map_err(|error| failure(Kind::Text, error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// Refuses outputs that are one file, or an input. The manifest of a table is an output too.
fn clashes(outputs: &[(String, PathBuf)], read: &[PathBuf]) -> PyResult<()> {
    let files = |path: &PathBuf| match Format::of(path) {
        Ok(_) => files_of_table(path).to_vec(),
        Err(_) => vec![path.clone()],
    };
    let written =
        outputs.iter().flat_map(|(name, path)| files(path).into_iter().map(move |file| (name, file)));
    let written: Vec<(&String, PathBuf)> = written.collect();
    let named = written.iter().map(|(name, path)| (name.as_str(), Some(path.as_path())));
    refuse_clashes(named, read.iter().map(PathBuf::as_path)).map_err(|clash| argument(clash.to_string()))
}

/// Runs items and gives their rows to `on_row` on this thread. The thread attaches to Python only to check for signals.
/// An exception of a signal handler, or an error of `on_row`, stops the items in progress.
fn run_items(
    py: Python<'_>,
    prepared: &PreparedSweep,
    items: &[usize],
    options: &RunOptions,
    on_row: &mut (dyn FnMut(Row) -> PyResult<()> + Send),
) -> PyResult<()> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        std::thread::scope(|scope| {
            let (send, rows) = mpsc::sync_channel(ROWS_WAITING);
            let stop = &stop;
            let runs = scope.spawn(move || {
                prepared.run(items, options, &|| stop.load(Ordering::Relaxed), &mut |row| {
                    // Nobody takes it any more: the items are being stopped.
                    let _taken = send.send(row);
                    Ok(())
                })
            });
            let mut done = Ok(());
            loop {
                let told = match rows.recv_timeout(POLL_INTERVAL) {
                    Ok(row) if done.is_ok() => on_row(row),
                    // What follows a failure is only taken so that no item waits.
                    Ok(_) => continue,
                    Err(mpsc::RecvTimeoutError::Timeout) if done.is_ok() => {
                        Python::attach(|py| py.check_signals())
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => continue,
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                if let Err(error) = told {
                    done = Err(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            let ran = runs.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            done.and(ran.map_err(|error| of_sweep(&error)))
        })
    })
}

/// The table of a sweep, being written.
#[pyclass(frozen, name = "TableFile", module = "wheelbase._native")]
pub(crate) struct PyTableFile {
    prepared: Arc<PreparedSweep>,
    shard: Shard,
    out: PathBuf,
    kept: ReadRows,
    /// `None` while a call is in it, and after its end.
    open: Mutex<Option<Open>>,
}

struct Open {
    file: TableFile,
    failed: FailedItems,
}

impl Open {
    fn add(&mut self, prepared: &PreparedSweep, row: &Row) -> Result<(), SweepError> {
        self.file.add(row)?;
        self.failed.note(prepared.items(), row);
        Ok(())
    }
}

impl PyTableFile {
    fn locked(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn taken(&self) -> PyResult<Open> {
        self.locked().take().ok_or_else(|| busy("table, or it is finished"))
    }

    fn with<T>(&self, ask: impl FnOnce(&Open) -> T) -> PyResult<T> {
        self.locked().as_ref().map(ask).ok_or_else(|| busy("table, or it is finished"))
    }
}

#[pymethods]
impl PyTableFile {
    #[new]
    #[pyo3(signature = (out, prepared, resume = false))]
    fn new(py: Python<'_>, out: PathBuf, prepared: &PyPreparedSweep, resume: bool) -> PyResult<Self> {
        let (shard, prepared) = (prepared.shard, Arc::clone(&prepared.prepared));
        let opened = py.detach(|| TableFile::open(&out, &prepared, resume));
        let (file, kept) = opened.map_err(|error| of_sweep(&error))?;
        let open = Mutex::new(Some(Open { file, failed: FailedItems::default() }));
        Ok(Self { prepared, shard, out, kept, open })
    }

    /// The items that have no row yet, in order.
    fn items_left(&self) -> PyResult<Vec<usize>> {
        self.with(|open| open.file.items_left(self.shard))
    }

    /// The message when a sweep is resumed and `left` items remain.
    fn kept_text(&self, left: usize) -> String {
        self.kept.text(left)
    }

    /// Number of items that failed in this run.
    #[getter]
    fn failed(&self) -> PyResult<usize> {
        self.with(|open| open.failed.count())
    }

    /// Whether every item has been computed as well as it can be.
    fn is_whole(&self) -> PyResult<bool> {
        self.with(|open| open.failed.leave_whole(&open.file, self.shard))
    }

    /// The message about an interrupted sweep.
    fn interrupted_text(&self) -> PyResult<String> {
        self.with(|open| Summary::of_interrupted(open.file.table(), &safe_text::path(&self.out)))
    }

    /// Runs items and adds their rows. `progress` is called after each with the number of items done and all.
    #[pyo3(signature = (items, *, jobs = Whole(0), record_failed = None, progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        items: Vec<usize>,
        jobs: Whole<u32>,
        record_failed: Option<PathBuf>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let options = RunOptions { jobs: check_threads(jobs.0)? as usize, record_failed };
        let mut done = 0;
        run_items(py, &self.prepared, &items, &options, &mut |row| {
            // Not locked while `progress` is called, which may ask for the failed items.
            let added = self.locked().as_mut().map(|open| open.add(&self.prepared, &row));
            match added {
                Some(added) => added.map_err(|error| of_sweep(&error))?,
                None => return Err(busy("table, or it is finished")),
            }
            done += 1;
            Python::attach(|py| {
                py.check_signals()?;
                progress
                    .as_ref()
                    .map_or(Ok(()), |progress| progress.call1(py, (done, items.len())).map(|_| ()))
            })
        })
    }

    /// Adds rows that [`PyPreparedSweep::run`] gave, perhaps on another machine, and says how many.
    fn add(&self, py: Python<'_>, rows: &[u8]) -> PyResult<usize> {
        let rows: Vec<Row> =
            serde_json::from_slice(rows).map_err(|error| argument(format!("`rows`: {error}")))?;
        let n_items = self.prepared.items().n_items();
        let other = rows.iter().find(|row| row.item >= n_items || self.prepared.key(row.item) != row.key);
        if let Some(row) = other {
            return Err(argument(format!(
                "`rows`: the key of item {} is {:016x}: it is of other files, or of another release",
                row.item, row.key
            )));
        }
        let mut open = self.taken()?;
        let added = py.detach(|| rows.iter().try_for_each(|row| open.add(&self.prepared, row)));
        *self.locked() = Some(open);
        added.map(|()| rows.len()).map_err(|error| of_sweep(&error))
    }

    /// Ends the table before it is whole: its rows stay in `FILE.part`.
    fn pause(&self, py: Python<'_>) -> PyResult<()> {
        let Open { file, .. } = self.taken()?;
        py.detach(|| file.pause()).map(|_| ()).map_err(|error| of_sweep(&error))
    }

    /// Ends the table: sorts and renames it, and writes its manifest, with the command line.
    fn finish(&self, py: Python<'_>, command: Vec<String>) -> PyResult<PyTable> {
        let Open { file, failed } = self.taken()?;
        let manifest = Manifest::of(&self.prepared, self.shard, command);
        let table = py.detach(|| file.finish(&manifest)).map_err(|error| of_sweep(&error))?;
        Ok(PyTable { table, manifest, failed })
    }
}

/// A table of rows and its sources.
#[pyclass(frozen, name = "Table", module = "wheelbase._native")]
pub(crate) struct PyTable {
    table: Table,
    manifest: Manifest,
    failed: FailedItems,
}

#[pymethods]
impl PyTable {
    /// The table that the tables of shards are joined to, with the command line. `outputs` are as for
    /// [`PyPreparedSweep::refuse_clashes`].
    #[staticmethod]
    fn merge(
        py: Python<'_>,
        files: Vec<PathBuf>,
        outputs: Vec<(String, PathBuf)>,
        command: Vec<String>,
    ) -> PyResult<Self> {
        let manifests = files.iter().map(|table| Manifest::path_of(table));
        clashes(&outputs, &files.iter().cloned().chain(manifests).collect::<Vec<_>>())?;
        let (table, manifest) = py.detach(|| merge(&files)).map_err(|error| of_sweep(&error))?;
        Ok(Self { table, manifest: Manifest { command, ..manifest }, failed: FailedItems::default() })
    }

    /// Writes the table and its manifest.
    fn write(&self, py: Python<'_>, out: PathBuf) -> PyResult<()> {
        py.detach(|| write_table(&out, &self.table, &self.manifest)).map_err(|error| of_sweep(&error))
    }

    /// Writes the page of its plots.
    fn write_page(&self, py: Python<'_>, out: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let page = page(&self.table, &self.manifest);
            OutputFile::create(&out, Unfinished::Removed).and_then(|file| file.commit_with(page.as_bytes()))
        })
        .map_err(|error| unwritten(&out, &error))
    }

    /// A summary of it, and a warning if items have no row.
    fn summary(&self, out: PathBuf) -> (String, Option<String>) {
        let Summary { text, warning } =
            Summary::of(&self.table, &self.manifest, &self.failed, &safe_text::path(&out));
        (text, warning)
    }

    /// The names of the columns.
    fn columns(&self) -> Vec<String> {
        self.table.items().columns().into_iter().map(str::to_owned).collect()
    }

    /// The rows of the items from one on, at most some thousand, and the next item; `None` behind the last.
    fn rows<'py>(&self, py: Python<'py>, first: usize) -> PyResult<(Vec<Bound<'py, PyDict>>, Option<usize>)> {
        let items = self.table.items();
        let names: Vec<&str> = items.sweep().set.iter().map(|setting| &setting.key[..]).collect();
        let (mut next, mut rows) = (first, Vec::new());
        for row in self.table.rows_from(first).take(ROWS_OF_BATCH) {
            next = row.item + 1;
            let all = PyDict::new(py);
            all.set_item("scenario", items.scenario(row.item))?;
            for (name, value) in names.iter().zip(items.values(row.item)) {
                all.set_item(name, python_of(py, value)?)?;
            }
            all.set_item("seed", items.seed(row.item))?;
            all.set_item("key", format!("{:016x}", row.key))?;
            all.set_item("status", row.status.name())?;
            all.set_item("reason", row.reason)?;
            for (name, value) in items.sweep().measures.iter().zip(&row.measures) {
                all.set_item(name, python_of(py, value)?)?;
            }
            if items.sweep().times {
                all.set_item("wall_s", row.wall_s)?;
            }
            rows.push(all);
        }
        let is_last = rows.len() < ROWS_OF_BATCH;
        Ok((rows, (!is_last).then_some(next)))
    }
}

/// The exception for a file that cannot be written.
fn unwritten(path: &Path, error: &std::io::Error) -> PyErr {
    failure(Kind::Text, format!("{}: cannot be written: {error}", safe_text::path(path)))
}

/// A cell of a table.
fn python_of<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    use serde_json::Value;
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (_, Some(number)) => number.into_pyobject(py)?.into_any(),
            _ => number.as_f64().into_pyobject(py)?.into_any(),
        },
        other => cell_text(other).into_pyobject(py)?.into_any(),
    })
}
