//! Sweeps: scenarios over seeds and values of keys, as `wheelbase sweep` runs them.

use crate::error::{argument, of_sweep};
use crate::pool::check_threads;
use crate::value::{Whole, parts, shown};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use wheelbase_grid::MemoryMax;
use wheelbase_scenario::sweep::{
    Manifest, PreparedSweep, Row, RunOptions, Setting, Shard, Sweep, SweepError, TableFile, cell_text,
    parse_seeds,
};

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

fn settings(given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Setting>> {
    let mut all = Vec::new();
    for (key, values) in given.into_iter().flatten() {
        let key: String = key.extract().map_err(|_| {
            argument(format!("`set` has the key {}, expected the name of a key of the scenario", shown(&key)))
        })?;
        let values: Vec<Bound<'_, PyAny>> = match values.try_iter() {
            Ok(all) if !values.is_instance_of::<PyString>() => all.collect::<PyResult<_>>()?,
            _ => vec![values],
        };
        let values: Vec<String> = values.iter().map(value_text).collect::<PyResult<_>>()?;
        all.push(format!("{key}={}", values.join(",")).parse::<Setting>().map_err(|error| of_sweep(&error))?);
    }
    Ok(all)
}

/// Runs a sweep, and writes its table and manifest; the rows of this run and of earlier ones.
#[pyfunction]
#[pyo3(signature = (
    scenarios, seeds, *, out, measures = None, set = None, resume = false, shard = None, jobs = Whole(0), times = false,
    check_invariants = false, record_failed = None, progress = None
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    scenarios: &Bound<'py, PyAny>,
    seeds: &Bound<'py, PyAny>,
    out: PathBuf,
    measures: Option<&Bound<'py, PyAny>>,
    set: Option<&Bound<'py, PyDict>>,
    resume: bool,
    shard: Option<&str>,
    jobs: Whole<u32>,
    times: bool,
    check_invariants: bool,
    record_failed: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let seeds = match seeds.extract::<Vec<u64>>() {
        Ok(seeds) => seeds,
        Err(_) => parse_seeds(&texts(seeds, "seeds")?.join(",")).map_err(|error| of_sweep(&error))?,
    };
    let asked = Sweep {
        scenarios: texts(scenarios, "scenarios")?,
        set: settings(set)?,
        seeds,
        measures: measures.map_or(Ok(Vec::new()), |measures| texts(measures, "measures"))?,
        check_invariants,
        times,
    };
    let shard: Shard =
        shard.map_or(Ok(Shard::WHOLE), str::parse).map_err(|error: SweepError| of_sweep(&error))?;
    let options = RunOptions { jobs: check_threads(jobs.0)? as usize, record_failed };
    let stop = AtomicBool::new(false);
    let raised = std::sync::Mutex::new(None);
    let ran = py.detach(|| {
        let prepared = PreparedSweep::new(asked, MemoryMax::NONE)?;
        let (mut file, _) = TableFile::open(&out, &prepared, resume)?;
        let items = file.items_left(shard);
        let (mut done, all) = (0, items.len());
        let ran = prepared.run(&items, &options, &|| stop.load(Ordering::Relaxed), &mut |row: Row| {
            file.add(&row)?;
            done += 1;
            // A key of the user stops it, and so does an exception of `progress`.
            let told = Python::attach(|py| {
                py.check_signals()?;
                progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done, all)).map(|_| ()))
            });
            if let Err(error) = told {
                stop.store(true, Ordering::Relaxed);
                if let Ok(mut raised) = raised.lock() {
                    raised.get_or_insert(error);
                }
            }
            Ok(())
        });
        if ran.is_err() || stop.load(Ordering::Relaxed) {
            let table = file.pause()?;
            return ran.map(|()| table);
        }
        let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        file.finish(&Manifest::of(&prepared, shard, command))
    });
    if let Ok(Some(error)) = raised.into_inner() {
        return Err(error);
    }
    let table = ran.map_err(|error| of_sweep(&error))?;
    let items = table.items();
    let names: Vec<&str> = items.sweep().set.iter().map(|setting| &setting.key[..]).collect();
    let one = |row: Row| {
        let all = PyDict::new(py);
        all.set_item("scenario", items.scenario(row.item))?;
        for (name, value) in names.iter().zip(items.values(row.item)) {
            all.set_item(name, python_of(py, value)?)?;
        }
        all.set_item("seed", items.seed(row.item))?;
        all.set_item("status", row.status.name())?;
        all.set_item("reason", row.reason)?;
        for (name, value) in items.sweep().measures.iter().zip(&row.measures) {
            all.set_item(name, python_of(py, value)?)?;
        }
        if let Some(wall_s) = row.wall_s {
            all.set_item("wall_s", wall_s)?;
        }
        Ok(all)
    };
    table.rows().map(one).collect()
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
