//! Failures as exceptions of the package: `wheelbase/_errors.py` has their classes.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use wheelbase_scenario::load::LoadError;
use wheelbase_scenario::sweep::SweepError;

/// What kind of failure it is: the name of its class.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A wrong argument.
    Argument,
    /// A mistake in a text or a file.
    Text,
    /// Another thread is in the object.
    Busy,
    /// A step of the world has panicked.
    Broken,
    /// Too large, or more memory than allowed.
    Limit,
    /// No such agent, class or kind.
    NotFound,
    /// A row of a sweep that was computed twice has two values.
    RowsDiffer,
}

impl Kind {
    /// The name of the class.
    const fn class(self) -> &'static str {
        match self {
            Self::Argument => "ArgumentError",
            Self::Text => "TextError",
            Self::Busy => "BusyError",
            Self::Broken => "BrokenError",
            Self::Limit => "LimitError",
            Self::NotFound => "NotFoundError",
            Self::RowsDiffer => "RowsDifferError",
        }
    }
}

/// A place in a text: file, line, column, each from 1, 0 where it is not known.
type Place = (String, usize, usize);

/// The exception of a failure.
pub(crate) fn failure(kind: Kind, message: impl Into<String>) -> PyErr {
    at_places(kind, message.into(), Vec::new())
}

/// The exception for a wrong argument.
pub(crate) fn argument(message: impl Into<String>) -> PyErr {
    failure(Kind::Argument, message)
}

/// The exception for an object in which another thread is.
pub(crate) fn busy(what: &str) -> PyErr {
    failure(Kind::Busy, format!("another thread is in this {what}"))
}

fn at_places(kind: Kind, message: String, places: Vec<Place>) -> PyErr {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Python::attach(|py| {
        let make = || -> PyResult<PyErr> {
            let module = ERRORS.get_or_try_init(py, || py.import("wheelbase._errors").map(Bound::unbind))?;
            let class = module.bind(py).getattr(kind.class())?.cast_into::<PyType>()?;
            Ok(PyErr::from_value(class.call1((&message, places))?))
        };
        make().unwrap_or_else(|error| PyRuntimeError::new_err(format!("{message} ({error})")))
    })
}

/// The exception for files that cannot be loaded, with the places of the mistakes.
pub(crate) fn of_load(error: &LoadError) -> PyErr {
    match error {
        LoadError::Scenario(errors) => {
            let places = errors
                .as_slice()
                .iter()
                .map(|one| (one.file.clone(), one.line, one.span.map_or(0, |span| span.column)));
            at_places(Kind::Text, error.to_string(), places.collect())
        }
        LoadError::Memory { file, error } => failure(Kind::Limit, format!("{file}: {error}")),
        LoadError::File { file, .. } => at_places(Kind::Text, error.to_string(), vec![(file.clone(), 0, 0)]),
        _ => failure(Kind::Text, error.to_string()),
    }
}

/// The exception for rows of a map, with their place.
pub(crate) fn in_rows(message: String, line: usize, column: usize) -> PyErr {
    at_places(Kind::Text, message, vec![("rows".to_owned(), line, column)])
}

/// The exception for a sweep that cannot go on.
pub(crate) fn of_sweep(error: &SweepError) -> PyErr {
    match error {
        SweepError::Load(error) => of_load(error),
        SweepError::Argument(_) => argument(error.to_string()),
        SweepError::Differs(_) => failure(Kind::RowsDiffer, error.to_string()),
        _ => failure(Kind::Text, error.to_string()),
    }
}
