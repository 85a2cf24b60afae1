//! Messages about files: with an excerpt for people, in one line, or as JSON.

use crate::args::MessageFormat;
use crate::excerpt::{Place, Sources};
use crate::failure::{Exit, Failure};
use crate::output::{TextOut, say};
use annotate_snippets::renderer::DEFAULT_ERROR_STYLE;
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use std::io::{self, Write};
use wheelbase_scenario::load::LoadError;
use wheelbase_scenario::scenario::{Message, ScenarioError};
use wheelbase_view::safe_text;

/// Most mistakes that are drawn together.
const DRAWN_MAX: usize = 20;

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// It can, but it may not do as meant.
    Warning,
}

impl Severity {
    fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The lines of an error: one for each mistake that is shown, and a count of the others.
pub fn in_lines(error: &LoadError) -> String {
    format!("error: {error}")
}

/// Draws an error for people: each mistake with its excerpt and help. With escapes for colours if `is_coloured`.
pub fn drawn(error: &LoadError, is_coloured: bool) -> String {
    match error {
        LoadError::Scenario(errors) => drawn_mistakes(errors.as_slice(), Severity::Error, is_coloured),
        LoadError::File { file, message } => drawn_title(Severity::Error, file, message, is_coloured),
        other => drawn_title(Severity::Error, "", &Message::from(other), is_coloured),
    }
}

/// Draws mistakes or warnings.
pub fn drawn_mistakes(mistakes: &[ScenarioError], severity: Severity, is_coloured: bool) -> String {
    let mut sources = Sources::default();
    let shown = mistakes.iter().take(DRAWN_MAX);
    let mut text: Vec<String> =
        shown.map(|mistake| drawn_mistake(mistake, severity, is_coloured, &mut sources)).collect();
    match mistakes.len() {
        0 | 1 => {}
        n @ ..=DRAWN_MAX => text.push(format!("{n} {}s", severity.name())),
        n => text.push(format!("{n} {}s, of which the first {DRAWN_MAX} are shown", severity.name())),
    }
    text.join("\n\n")
}

/// Draws one mistake: the message, the place, an excerpt, the help.
fn drawn_mistake(
    mistake: &ScenarioError,
    severity: Severity,
    is_coloured: bool,
    sources: &mut Sources,
) -> String {
    let ScenarioError { file, line, span, message, related, .. } = mistake;
    let title = level(severity).primary_title(safe_text::line(&mistake.headline()));
    let place = span.map_or(Place::Line(*line), Place::Span);
    let second = related.as_ref().and_then(|related| Some((related, related.span?)));
    if *line == 0 {
        return drawn_title(severity, file, message, is_coloured);
    }
    let places: Vec<Place> = [place].into_iter().chain(second.map(|(_, span)| Place::Span(span))).collect();
    let shown_file = safe_text::line(file);
    let mut help = message.help.clone();
    let body: Element = match sources.excerpt(file, &places) {
        Some(excerpt) => {
            let mut snippet = Snippet::source(excerpt.text).line_start(excerpt.first_line).path(shown_file);
            let mut marks = excerpt.places.into_iter();
            if let Some(first) = marks.next() {
                snippet = snippet.annotation(AnnotationKind::Primary.span(first).label(label(mistake)));
            }
            if let (Some(other), Some((related, _))) = (marks.next(), second) {
                let label = safe_text::line(&related.label);
                snippet = snippet.annotation(AnnotationKind::Context.span(other).label(label));
            }
            snippet.into()
        }
        None => {
            help = help_of(message);
            let origin = Origin::path(shown_file).line(*line);
            match span {
                Some(span) => origin.char_column(span.column).into(),
                None => origin.into(),
            }
        }
    };
    let help = help.map(|help| Level::HELP.message(safe_text::line(&help)).into());
    let group = title.element(body).elements(help.into_iter().collect::<Vec<Element>>());
    renderer(is_coloured).render(&[group])
}

/// Draws a message about a whole file.
fn drawn_title(severity: Severity, file: &str, message: &Message, is_coloured: bool) -> String {
    let text = if file.is_empty() { message.text.clone() } else { format!("{file}: {}", message.text) };
    let title = level(severity).primary_title(safe_text::line(&text));
    let help = help_of(message).map(|help| Level::HELP.message(safe_text::line(&help)).into());
    let group = title.elements(help.into_iter().collect::<Vec<Element>>());
    renderer(is_coloured).render(&[group])
}

/// What stands next to the underlined place: the intended key, or the missing key.
fn label(mistake: &ScenarioError) -> Option<String> {
    let missing = mistake.missing_key().map(|key| safe_text::line(&format!("`{key}` is missing here")));
    nearest(&mistake.message).or(missing)
}

fn nearest(message: &Message) -> Option<String> {
    message.nearest.as_ref().map(|nearest| safe_text::line(&format!("did you mean {nearest}?")))
}

/// All that helps, in a line.
fn help_of(message: &Message) -> Option<String> {
    match (nearest(message), &message.help) {
        (Some(nearest), Some(help)) => Some(format!("{nearest} {help}")),
        (Some(nearest), None) => Some(nearest),
        (None, help) => help.clone(),
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

fn renderer(is_coloured: bool) -> Renderer {
    if is_coloured { Renderer::styled() } else { Renderer::plain() }
}

/// Whether standard error shows colours: a terminal that has them, unless the user wants none (NO_COLOR).
pub fn errors_are_coloured() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Whether standard output shows colours.
pub fn output_is_coloured() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Prints why a command failed. Returns its exit status.
pub fn say_failure(failure: &Failure, format: MessageFormat) -> Exit {
    match failure {
        Failure::ClosedPipe => Exit::Done,
        Failure::BadFile(error) => {
            say_error(error, format);
            Exit::BadInput
        }
        Failure::Message { exit, text } => {
            say_plain(text);
            *exit
        }
    }
}

/// Prints an error to standard error. Failures are ignored: nobody reads them.
fn say_error(error: &LoadError, format: MessageFormat) {
    match format {
        MessageFormat::Short => say(in_lines(error)),
        // Safe: every text in it has been escaped, and only colours remain.
        MessageFormat::Full => {
            let _ = writeln!(io::stderr().lock(), "{}", drawn(error, errors_are_coloured()));
        }
    }
}

/// Prints a message that is about no file to standard error, its first word in colour where there are any.
fn say_plain(text: &str) {
    match text.strip_prefix("error: ").filter(|_| errors_are_coloured()) {
        Some(text) => {
            let style = DEFAULT_ERROR_STYLE;
            // Written apart from the text, which is escaped.
            let _ = write!(io::stderr(), "{style}error{style:#}: ");
            say(text);
        }
        None => say(text),
    }
}

/// Writes the drawing to standard output.
pub fn write_drawn(out: &mut TextOut, text: &str) -> io::Result<()> {
    // The escapes of colours must reach the terminal; every text between them has been escaped.
    out.flush()?;
    writeln!(io::stdout().lock(), "{text}")
}

/// A message for programs.
#[derive(Debug, Serialize)]
pub struct JsonDiagnostic {
    severity: Severity,
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    key: Option<String>,
    message: String,
    found: Option<String>,
    expected: Option<String>,
    help: Option<String>,
}

impl JsonDiagnostic {
    /// A message at a place.
    pub fn at(mistake: &ScenarioError, severity: Severity) -> Self {
        let ScenarioError { file, line, span, key, message, .. } = mistake;
        Self {
            line: (*line > 0).then_some(*line),
            column: span.map(|span| span.column),
            end_line: span.map(|span| span.end_line),
            end_column: span.map(|span| span.end_column),
            key: (!key.is_empty()).then(|| key.clone()),
            ..Self::of_file(file, message, severity)
        }
    }

    /// A message about a whole file.
    pub fn of_file(file: &str, message: &Message, severity: Severity) -> Self {
        Self {
            severity,
            file: file.to_owned(),
            line: None,
            column: None,
            end_line: None,
            end_column: None,
            key: None,
            message: message.text.clone(),
            found: message.found.clone(),
            expected: message.expected.clone(),
            help: help_of(message),
        }
    }

    /// The messages of an error. `file` is the file that could not be used.
    pub fn of_error(file: &str, error: &LoadError) -> Vec<Self> {
        match error {
            LoadError::Scenario(errors) => {
                errors.as_slice().iter().map(|mistake| Self::at(mistake, Severity::Error)).collect()
            }
            LoadError::File { file, message } => vec![Self::of_file(file, message, Severity::Error)],
            other => vec![Self::of_file(file, &Message::from(other), Severity::Error)],
        }
    }
}
