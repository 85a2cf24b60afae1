//! How the program ends: exit statuses (DESIGN 8) and messages.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;
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
    /// An internal invariant broke.
    Broken = 3,
    /// Interrupted; what work under way was to write is still written whole.
    Interrupted = 130,
}

impl Exit {
    /// Every status with its meaning, for people.
    pub const MEANINGS: [(Self, &'static str); 5] = [
        (Self::Done, "done"),
        (
            Self::Negative,
            "a negative answer: no path, orders left that could have been done, a length that is not the \
             published one, or a recording that differs",
        ),
        (Self::BadInput, "bad arguments, a bad file, or an output that could not be written"),
        (Self::Broken, "an internal invariant broke"),
        (Self::Interrupted, "interrupted; what work under way was to write is still written whole"),
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
    /// Whoever read our output has closed it: a quiet end.
    ClosedPipe,
    /// A message for standard error, and the status.
    Message {
        /// Status to end with.
        exit: Exit,
        /// What to say.
        text: String,
    },
}

impl Failure {
    /// Bad arguments or a bad file.
    pub fn bad_input(text: impl Display) -> Self {
        Self::Message { exit: Exit::BadInput, text: format!("error: {text}") }
    }

    /// A file that cannot be written. It may be a pipe, and a closed one.
    pub fn writing(path: &std::path::Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Self::bad_input(format!("{}: cannot be written: {error}", safe_text::path(path)))
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
