//! Output shared by the subcommands: results on standard output, progress bars and messages on standard error, files.

pub mod clash;
pub mod files;

use crate::args::Format;
use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, StdoutLock, Write};
use wheelbase_view::safe_text::SafeText;

/// Standard output, escaped.
pub type TextOut = SafeText<StdoutLock<'static>>;

/// Standard output for text that people read.
pub fn text_out() -> TextOut {
    SafeText::for_people(io::stdout().lock())
}

/// Standard output for lines of JSON.
pub fn json_out() -> SafeText<StdoutLock<'static>> {
    SafeText::json(io::stdout().lock())
}

/// Prints a result as a JSON object on one line, or as text by `write_text`.
pub fn print(
    format: Format,
    result: &impl Serialize,
    write_text: impl FnOnce(&mut TextOut) -> io::Result<()>,
) -> Result<(), Failure> {
    match format {
        Format::Json => {
            let mut out = json_out();
            serde_json::to_writer(&mut out, result).map_err(io::Error::from)?;
            writeln!(out)?;
            Ok(out.flush()?)
        }
        Format::Text => {
            let mut out = text_out();
            write_text(&mut out)?;
            Ok(out.flush()?)
        }
    }
}

/// Prints a message to standard error. Failures are ignored: nobody reads them.
pub fn say(text: impl Display) {
    let _ = writeln!(SafeText::for_people(io::stderr().lock()), "{text}");
}

/// Writes a row of a text result.
pub fn row(out: &mut impl Write, name: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "  {name:<22}{value}")
}

/// A progress bar on standard error that counts `unit`s up to `len`; hidden unless standard error is a terminal.
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
