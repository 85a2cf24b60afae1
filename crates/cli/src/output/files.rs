//! The output files of a command. One that fails is reported at the end, and takes neither the others nor what
//! is printed with it.

use super::file::{OutputFile, Unfinished};
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use std::io::Write;
use std::path::Path;

/// What became of the outputs of a command.
#[derive(Debug, Default)]
pub struct Outputs {
    failed: Vec<String>,
}

impl Outputs {
    /// Writes a file whole. Ctrl-C does not cut it off, but for one that waits for the reader of a pipe.
    pub fn write(&mut self, path: &Path, bytes: &[u8], stop: &Interrupt) {
        let written = OutputFile::create(path, Unfinished::Removed).and_then(|mut file| {
            stop.hold(|| {
                file.write_all(bytes)?;
                file.commit()
            })
        });
        self.note(written.map_err(|error| Failure::writing(path, &error)));
    }

    /// Keeps a failure for the end; what there is otherwise. A pipe that its reader has closed is no failure.
    pub fn note<T>(&mut self, done: Result<T, Failure>) -> Option<T> {
        if let Err(Failure::Message { text, .. }) = &done
            && !self.failed.contains(text)
        {
            self.failed.push(text.clone());
        }
        done.ok()
    }

    /// As [`Self::end`], behind what was `printed`: where nobody reads that any more, a quiet end.
    /// # Errors
    /// What failed, all of it.
    pub fn end_behind(mut self, printed: Result<(), Failure>, exit: Exit) -> Result<Exit, Failure> {
        let nobody_reads = matches!(printed, Err(Failure::ClosedPipe));
        self.note(printed);
        self.end(if nobody_reads { Exit::Done } else { exit })
    }

    /// How the program ends that would end with `exit`.
    /// # Errors
    /// What failed, all of it.
    pub fn end(self, exit: Exit) -> Result<Exit, Failure> {
        match self.failed.is_empty() {
            true => Ok(exit),
            false => Err(Failure::Message { exit: Exit::BadInput, text: self.failed.join("\n") }),
        }
    }
}
