//! The output files of a command. A failed file is reported at the end; the others and the printed result are still
//! written.

use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use std::path::Path;
use wheelbase_scenario::output_file::{OutputFile, Unfinished};

/// Failures among the outputs of a command.
#[derive(Debug, Default)]
pub struct Outputs {
    failed: Vec<String>,
}

impl Outputs {
    /// Writes a file. Ctrl-C does not cut it off, except while a pipe is opened that has no reader yet.
    pub fn write(&mut self, path: &Path, bytes: &[u8], stop: &Interrupt) {
        let written = OutputFile::create(path, Unfinished::Removed)
            .and_then(|file| stop.shielded(|| file.commit_with(bytes)));
        self.note(written.map_err(|error| Failure::writing(path, &error)));
    }

    /// Notes a failure for the end, or returns the value. A pipe closed by its reader is not a failure.
    pub fn note<T>(&mut self, done: Result<T, Failure>) -> Option<T> {
        if let Err(Failure::Message { text, .. }) = &done
            && !self.failed.contains(text)
        {
            self.failed.push(text.clone());
        }
        done.ok()
    }

    /// Like [`Self::end`], after the result was `printed`. Ends quietly if the reader of standard output is gone.
    /// # Errors
    /// All failures.
    pub fn end_after(mut self, printed: Result<(), Failure>, exit: Exit) -> Result<Exit, Failure> {
        let nobody_reads = matches!(printed, Err(Failure::ClosedPipe));
        self.note(printed);
        self.end(if nobody_reads { Exit::Done } else { exit })
    }

    /// Ends the program with `exit` if all outputs were written.
    /// # Errors
    /// All failures.
    pub fn end(self, exit: Exit) -> Result<Exit, Failure> {
        match self.failed.is_empty() {
            true => Ok(exit),
            false => Err(Failure::Message { exit: Exit::BadInput, text: self.failed.join("\n") }),
        }
    }
}
