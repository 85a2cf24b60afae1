//! Mistakes in the rows of maps: all of them, each with its place.

use super::error::LoadError;
use crate::scenario::{Diagnostics, Located, Message, ScenarioError, ScenarioErrors, Span};
use std::collections::BTreeSet;
use std::path::Path;
use wheelbase_grid::{CellXY, GridError, TerrainTable};
use wheelbase_maps::{MapFileError, MapFileErrorKind};

/// An error in a map file, with its place.
pub(super) fn map_error(path: &Path, error: &MapFileError) -> LoadError {
    ScenarioErrors::from(place_in_map(path, error)).into()
}

fn place_in_map(path: &Path, error: &MapFileError) -> ScenarioError {
    let span = Span::in_line(error.line, error.column, 1);
    let mut message = Message::from(&error.kind);
    if let MapFileErrorKind::UnknownGlyph { glyph, .. } = &error.kind {
        let glyphs = glyph.to_string();
        message = message.with_help(format!(
            "declare it in the scenario that names this map: [terrain.NAME] with glyphs = {glyphs:?} and a speed"
        ));
    }
    ScenarioError::at(path.display().to_string(), span, message)
}

/// An error in a map file, and the mistakes in the rows after it.
pub(super) fn map_errors(
    path: &Path,
    (error, bytes): (&MapFileError, &[u8]),
    kinds: &TerrainTable,
) -> LoadError {
    let width = match error.kind {
        MapFileErrorKind::RaggedRow { expected, .. } => Some(expected),
        MapFileErrorKind::UnknownGlyph { .. } => None,
        _ => return map_error(path, error),
    };
    let text = String::from_utf8_lossy(bytes);
    let header = text.lines().take_while(|line| line.trim() != "map");
    let n_header = header.clone().count();
    let height =
        header.filter_map(|line| line.trim().strip_prefix("height")).find_map(|n| n.trim().parse().ok());
    // Text after the last row is no mistake.
    let rows = text.lines().skip(n_header + 1).take(height.unwrap_or(0));
    let width = width.or_else(|| rows.clone().next().map(|row| row.chars().count()));
    let mistakes = mistakes_in_rows(rows, width.unwrap_or(0), kinds).into_iter().map(|(row, mistake)| {
        let (column, kind) = match mistake {
            RowMistake::Length { found, expected } => {
                (found.min(expected) + 1, MapFileErrorKind::RaggedRow { found, expected })
            }
            RowMistake::Glyph { column, glyph } => {
                (column + 1, MapFileErrorKind::UnknownGlyph { glyph, known: known_glyphs(kinds) })
            }
        };
        place_in_map(path, &MapFileError { line: n_header + 2 + row, column, kind })
    });
    let mut errors: Vec<ScenarioError> = mistakes.collect();
    if errors.is_empty() {
        errors.push(place_in_map(path, error));
    }
    ScenarioErrors::new(errors).into()
}

/// The errors of rows that are no map, by line and key.
pub(super) fn row_errors(rows: &[Located<String>], kinds: &TerrainTable, errors: &mut Diagnostics<'_>) {
    let texts = rows.iter().map(|row| row.value.as_str());
    let width = texts.clone().next().map_or(0, |row| row.chars().count());
    for (row, mistake) in mistakes_in_rows(texts, width, kinds) {
        let message = match mistake {
            RowMistake::Length { found, expected } => {
                Message::from(GridError::RaggedRow { row, found, expected })
            }
            RowMistake::Glyph { column, glyph } => {
                let cell = CellXY::new(column as i32, row as i32);
                let error = GridError::UnknownGlyph { cell, glyph, known: known_glyphs(kinds) };
                let help = format!("give it to a kind: [terrain.NAME] with glyphs = \"{glyph}\" and a speed");
                Message::from(error).with_help(help).of_letter(column as u32)
            }
        };
        errors.add(rows[row].line, &format!("map.rows[{row}]"), message);
    }
}

/// A mistake in a row of glyphs.
enum RowMistake {
    /// It is not as long as the others.
    Length { found: usize, expected: usize },
    /// A glyph of no kind.
    Glyph { column: usize, glyph: char },
}

/// The mistakes in rows, each with the number of its row: every wrong length, and every unknown glyph where it first
/// stands.
fn mistakes_in_rows<'r>(
    rows: impl Iterator<Item = &'r str>,
    expected: usize,
    kinds: &TerrainTable,
) -> Vec<(usize, RowMistake)> {
    let mut mistakes = Vec::new();
    let mut unknown = BTreeSet::new();
    for (row, text) in rows.enumerate() {
        for (column, glyph) in text.chars().enumerate() {
            if kinds.kind_of_glyph(glyph).is_none() && unknown.insert(glyph) {
                mistakes.push((row, RowMistake::Glyph { column, glyph }));
            }
        }
        let found = text.chars().count();
        if found != expected {
            mistakes.push((row, RowMistake::Length { found, expected }));
        }
    }
    mistakes
}

fn known_glyphs(kinds: &TerrainTable) -> String {
    kinds.entries().iter().map(|entry| entry.glyphs.as_str()).collect()
}
