//! Errors of JSON texts.

/// The first error in a JSON text, of syntax or of type, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1; 0 before the first.
    pub column: usize,
    /// The mistake.
    pub message: String,
}

impl JsonError {
    /// The error of the parser; its message without the place, which serde_json appends.
    pub fn of(error: &serde_json::Error) -> Self {
        let (line, column, text) = (error.line(), error.column(), error.to_string());
        let place = format!(" at line {line} column {column}");
        let message = text.strip_suffix(&place).unwrap_or(&text).to_owned();
        Self { line: line.max(1), column, message }
    }
}
