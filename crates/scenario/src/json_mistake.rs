//! What keeps a text from being JSON of the kind that is read.

/// A mistake in a JSON text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonMistake {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1; 0 in front of the first.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl JsonMistake {
    /// What the parser says, less the place in its words.
    pub fn of(error: &serde_json::Error) -> Self {
        let (line, column, text) = (error.line(), error.column(), error.to_string());
        let place = format!(" at line {line} column {column}");
        let message = text.strip_suffix(&place).unwrap_or(&text).to_owned();
        Self { line: line.max(1), column, message }
    }
}
