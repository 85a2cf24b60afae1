//! How the program ends: exit statuses and error messages.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use wheelbase_scenario::load::LoadError;
use wheelbase_view::safe_text;

/// Exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A negative answer.
    Negative = 1,
    /// Bad arguments, a bad file, or an output that could not be written.
    BadInput = 2,
    /// An internal invariant broke, or a step panicked.
    Broken = 3,
    /// Interrupted; outputs of the work in progress are still completed.
    Interrupted = 130,
}

impl Exit {
    /// Every status with its meaning, for people.
    pub const MEANINGS: [(Self, &'static str); 5] = [
        (Self::Done, "done"),
        (
            Self::Negative,
            "a negative answer: no path, feasible orders left, a wrong length, a plan with violations, a \
             recording or table that differs or is not whole",
        ),
        (Self::BadInput, "bad arguments, a bad file, or an output that could not be written"),
        (
            Self::Broken,
            "an internal invariant broke, or a panic ended a tick; a report is written to reproduce it",
        ),
        (Self::Interrupted, "interrupted; outputs of the work in progress are still completed"),
    ];
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why the program ends early.
#[derive(Debug)]
pub enum Failure {
    /// The reader of our output has closed the pipe: end quietly.
    ClosedPipe,
    /// A file that cannot be used.
    BadFile(Box<LoadError>),
    /// A message for standard error, and the status.
    Message {
        /// Exit status.
        exit: Exit,
        /// The message.
        text: String,
    },
}

impl Failure {
    /// Bad arguments or a bad file.
    pub fn bad_input(text: impl Display) -> Self {
        Self::Message { exit: Exit::BadInput, text: format!("error: {text}") }
    }

    /// A bad file, named in the message.
    pub fn in_file(path: &Path, error: impl Display) -> Self {
        Self::bad_input(format!("{}: {error}", safe_text::path(path)))
    }

    /// A file that cannot be written; [`Self::ClosedPipe`] if it is a pipe without a reader.
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Self::in_file(path, format_args!("cannot be written: {error}"))
    }
}

/// Errors of files.
impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::BadFile(Box::new(error))
    }
}

/// Errors of standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Self::bad_input(format!("standard output: {error}"))
    }
}
