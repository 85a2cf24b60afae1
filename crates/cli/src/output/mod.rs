//! Output shared by the subcommands: results on standard output, progress bars and messages on standard error, files.

pub mod clash;
pub mod files;

use crate::args::Format;
use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Serialize;
use std::fmt::{self, Display};
use std::io::{self, IsTerminal, StdoutLock, Write};
use std::time::{Duration, Instant};
use wheelbase_view::safe_text::SafeText;

/// How long work takes before its progress is shown.
const PROGRESS_AFTER: Duration = Duration::from_millis(500);

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

/// A number with its noun: `1 tick`, `2 ticks`.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// A share in thousandths as text in percent: `72.6 %`.
pub fn percent(permille: u64) -> String {
    format!("{}.{} %", permille / 10, permille % 10)
}

/// Writes a row of a text result.
pub fn row(out: &mut impl Write, name: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "  {name:<22}{value}")
}

/// A progress bar on standard error that counts `unit`s up to `len`; hidden unless standard error is a terminal.
pub fn progress_bar(unit: &'static str, len: u64, show: bool) -> Progress {
    let bar = ProgressBar::with_draw_target(Some(len), ProgressDrawTarget::hidden()).with_prefix(unit);
    let style = ProgressStyle::with_template("{bar:24} {prefix} {pos} of {len}, {rate}{msg}, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:.0}/s", state.per_sec());
        }));
    }
    Progress { bar, begun: (show && io::stderr().is_terminal()).then(Instant::now) }
}

/// A progress bar. Work that is done soon shows none.
pub struct Progress {
    bar: ProgressBar,
    /// When the work began, if the bar is ever shown.
    begun: Option<Instant>,
}

impl Progress {
    /// Whether updates are not shown, now or soon.
    pub fn is_hidden(&self) -> bool {
        self.begun.is_none()
    }

    pub fn set_message(&self, message: String) {
        self.bar.set_message(message);
    }

    pub fn set_position(&self, position: u64) {
        self.show_if_slow();
        self.bar.set_position(position);
    }

    pub fn inc(&self, by: u64) {
        self.show_if_slow();
        self.bar.inc(by);
    }

    fn show_if_slow(&self) {
        if self.bar.is_hidden() && self.begun.is_some_and(|begun| begun.elapsed() >= PROGRESS_AFTER) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    pub fn finish_and_clear(&self) {
        self.bar.finish_and_clear();
    }
}
