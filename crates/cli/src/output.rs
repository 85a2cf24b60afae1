//! What subcommands put out alike: a result on standard output, meanwhile a progress bar on standard error,
//! and files.

use crate::args::Format;
use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, StdoutLock, Write};
use std::path::Path;

/// Prints a result: as one JSON object on one line, or as text by `write_text`.
pub fn print(
    format: Format,
    result: &impl Serialize,
    write_text: impl FnOnce(&mut StdoutLock<'static>) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match format {
        Format::Json => {
            serde_json::to_writer(&mut out, result).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text => write_text(&mut out)?,
    }
    Ok(out.flush()?)
}

/// Writes a file whole.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::writing(path, &error))
}

/// A row of a result as text.
pub fn row(out: &mut impl Write, name: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "  {name:<22}{value}")
}

/// A bar on standard error that counts `unit`s up to `len`, on a terminal only. Its message stands before the
/// time that is left.
pub fn progress_bar(unit: &'static str, len: u64, show: bool) -> ProgressBar {
    if !show || !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(len).with_prefix(unit);
    let style = ProgressStyle::with_template("{bar:24} {prefix} {pos} of {len}, {per_sec}{msg}, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
