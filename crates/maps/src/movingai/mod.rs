//! The `.map` format of the MovingAI benchmarks.
//!
//! ```text
//! type octile
//! height 2
//! width 3
//! map
//! .@.
//! ...
//! ```
//!
//! After the line `map` come `height` rows of `width` glyphs, the top row first. `type`, `height` and `width` can be
//! in any order. Lines end in LF or CRLF. The format comes from Nathan Sturtevant, "Benchmarks for Grid-Based
//! Pathfinding", 2012, <https://movingai.com/benchmarks/formats.html>; the caller gives the meaning of glyphs, see
//! [`TerrainTable::movingai`].

#[cfg(test)]
mod tests;

use crate::text_lines::{Lines, end_in_cr_alone, excerpt};
use crate::write_error::{MapWriteError, check_sides};
use std::fmt;
use std::io;
use wheelbase_grid::{Cell, Grid, GridSize, SideTable, SizeError, TerrainKind, TerrainTable};

/// Keys of the header with a value, in the order in which [`write()`] writes them.
const KEYS: [&str; 3] = ["type", "height", "width"];
/// The only value of `type`.
const TYPE: &str = "octile";
/// Most characters of a key of the header that an error repeats.
const KEY_CHARS_MAX: usize = 16;

/// A map as read from a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MapFile {
    /// The map.
    pub grid: Grid,
    /// Likely mistakes that do not prevent reading, in order of lines.
    pub warnings: Vec<MapFileWarning>,
}

/// Why a map file cannot be read, and where.
///
/// Its text has no file name: `line 7, column 12: glyph 'x' has no terrain; expected one of ".GSWT@O"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapFileError {
    /// Line, from 1; the line after the last one if more was expected.
    pub line: usize,
    /// Column, from 1, in characters; 1 for the whole line.
    pub column: usize,
    /// The mistake.
    pub kind: MapFileErrorKind,
}

/// A mistake in a map file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapFileErrorKind {
    /// The file is not UTF-8 text from here on.
    NotUtf8,
    /// The lines end in CR alone.
    CrAlone,
    /// A line of the header is empty.
    EmptyLine {
        /// Whether nothing stands above it.
        is_before_header: bool,
    },
    /// A line or value of the header is wrong.
    BadHeader {
        /// The expected text.
        expected: &'static str,
        /// The text found, shortened. `None` for a line without a key: the file may be any other, whose content
        /// messages must not show.
        found: Option<String>,
    },
    /// The header lacks a key; the line contains `map`.
    KeyMissing {
        /// `type`, `height` or `width`.
        key: &'static str,
    },
    /// The header has a key twice.
    KeyTwice {
        /// `type`, `height` or `width`.
        key: &'static str,
        /// Line of the first, from 1.
        first_line: usize,
    },
    /// The file ends before the line `map`.
    MapLineMissing,
    /// A height or width is not a decimal number of at most 64 bits.
    BadNumber {
        /// `height` or `width`.
        key: &'static str,
        /// The text found, shortened.
        found: String,
    },
    /// No map has that size.
    BadSize(SizeError),
    /// The file ends before the last row.
    Truncated {
        /// Rows in the file.
        found: usize,
        /// Rows according to the header.
        expected: usize,
    },
    /// A row does not have the length in the header. The column names the first excess glyph, or the column after the
    /// last glyph of a short row.
    RaggedRow {
        /// Glyphs in the row.
        found: usize,
        /// Glyphs according to the header.
        expected: usize,
    },
    /// A glyph has no terrain kind.
    UnknownGlyph {
        /// The glyph.
        glyph: char,
        /// All known glyphs.
        known: String,
    },
}

impl fmt::Display for MapFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.kind)
    }
}

impl fmt::Display for MapFileErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => write!(f, "not UTF-8 text; expected a text file"),
            Self::CrAlone => write!(f, "the lines end in CR alone, expected LF or CRLF"),
            Self::EmptyLine { is_before_header: true } => {
                write!(f, "an empty line before the header, expected \"type {TYPE}\" in the first line")
            }
            Self::EmptyLine { is_before_header: false } => {
                write!(f, "an empty line in the header, expected none before \"map\"")
            }
            Self::BadHeader { expected, found: None } => write!(f, "found another line, expected {expected}"),
            Self::BadHeader { expected, found: Some(found) } => {
                write!(f, "found {found:?}, expected {expected}")
            }
            Self::KeyMissing { key } => write!(f, "the header has no \"{key}\"; expected it before \"map\""),
            Self::KeyTwice { key, first_line } => {
                write!(f, "\"{key}\" is in line {first_line} already; expected it once")
            }
            Self::MapLineMissing => write!(f, "the file ends in its header, expected a line \"map\""),
            Self::BadNumber { key, found } => {
                write!(f, "\"{key}\" is {found:?}, expected a whole number in digits, below 2^64")
            }
            Self::BadSize(error) => error.fmt(f),
            Self::Truncated { found, expected } => {
                write!(f, "the file ends after {found} rows, expected {expected}")
            }
            Self::RaggedRow { found, expected } => {
                write!(f, "the row has {found} glyphs, expected {expected}")
            }
            Self::UnknownGlyph { glyph, known } => {
                write!(f, "glyph {glyph:?} has no terrain; expected one of {known:?}")
            }
        }
    }
}

impl std::error::Error for MapFileError {}

/// A likely mistake in a map file that can be read, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapFileWarning {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters; 1 for the whole line.
    pub column: usize,
    /// The likely mistake.
    pub kind: MapFileWarningKind,
}

/// A likely mistake in a map file that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapFileWarningKind {
    /// Text after the last row, which is ignored. The line is that where it begins.
    TextAfterLastRow {
        /// Lines after the last row that are not blank.
        n_lines: usize,
    },
}

impl fmt::Display for MapFileWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.kind)
    }
}

impl fmt::Display for MapFileWarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TextAfterLastRow { n_lines } => {
                write!(f, "text after the last row is not read (lines: {n_lines})")
            }
        }
    }
}

/// Reads a map from the bytes of a whole `.map` file. `terrain` gives the meaning of glyphs, `sides` the side kinds of
/// the map; cells have the initial sides of their terrain kinds.
///
/// Skips a byte-order mark, and blanks at the end of header lines. Takes two passes over the file: memory for cells is
/// allocated only after all of them were found.
///
/// ```
/// use wheelbase_grid::{SideTable, TerrainTable};
/// use wheelbase_maps::movingai;
/// let file = b"type octile\nheight 2\nwidth 3\nmap\n.@.\n..x\n";
/// let error = movingai::parse(file, TerrainTable::movingai(), SideTable::default()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 6, column 3: glyph 'x' has no terrain; expected one of \".GSWT@O\""
/// );
/// ```
/// # Errors
/// [`MapFileError`] with the place, the text found and the text expected. Causes are text that is not UTF-8, lines
/// that end in CR alone, and an incomplete or wrong header. Others are an invalid size, a missing or ragged row, and
/// a glyph that is not in `terrain`.
pub fn parse(bytes: &[u8], terrain: TerrainTable, sides: SideTable) -> Result<MapFile, MapFileError> {
    let mut lines =
        Lines::of(bytes).map_err(|(line, column)| error_at(line, column, MapFileErrorKind::NotUtf8))?;
    if end_in_cr_alone(bytes) {
        return Err(error_at(1, 1, MapFileErrorKind::CrAlone));
    }
    let size = read_header(&mut lines)?;
    check_rows(lines.clone(), size)?;
    let kinds = read_rows(&mut lines, size, &terrain)?;
    let warnings = read_end(lines);
    Ok(MapFile { grid: Grid::from_terrain(size, kinds, terrain, sides), warnings })
}

/// Writes the terrain of a map as a `.map` file with LF line ends. Each cell becomes the first glyph of its kind that
/// is not a line break. Does not flush `out`. Speeds and sides are not in the file: its reader needs the tables.
/// # Errors
/// [`MapWriteError`] if a kind in use has no glyph or a side is not open, before anything is written. Also if `out`
/// fails.
pub fn write(grid: &Grid, out: &mut impl io::Write) -> Result<(), MapWriteError> {
    let glyphs = glyphs_in_use(grid)?;
    check_sides(grid)?;
    let size = grid.size();
    write!(out, "type {TYPE}\nheight {}\nwidth {}\nmap\n", size.height(), size.width())?;
    let mut row_text = String::new();
    for row in grid.terrain().chunks_exact(size.width() as usize) {
        row_text.clear();
        // Skips no cell: every kind in use has a glyph.
        row_text.extend(row.iter().filter_map(|kind| glyphs[kind.0 as usize]));
        row_text.push('\n');
        out.write_all(row_text.as_bytes())?;
    }
    Ok(())
}

/// A value of the header; 0 for `type`.
#[derive(Clone, Copy)]
struct HeaderValue {
    line: usize,
    value: u64,
}

fn error_at(line: usize, column: usize, kind: MapFileErrorKind) -> MapFileError {
    MapFileError { line, column, kind }
}

/// Reads the header, including the line `map`.
fn read_header(lines: &mut Lines<'_>) -> Result<GridSize, MapFileError> {
    let mut values = [None; KEYS.len()];
    loop {
        let Some(text) = lines.next() else {
            return Err(error_at(lines.n_read + 1, 1, MapFileErrorKind::MapLineMissing));
        };
        if text.trim_end() == "map" {
            break;
        }
        if text.trim_end().is_empty() {
            let is_before_header = values.iter().all(Option::is_none);
            return Err(error_at(lines.n_read, 1, MapFileErrorKind::EmptyLine { is_before_header }));
        }
        read_header_line(text, lines.n_read, &mut values)?;
    }
    let value = |at: usize| {
        let missing = MapFileErrorKind::KeyMissing { key: KEYS[at] };
        values[at].ok_or_else(|| error_at(lines.n_read, 1, missing))
    };
    value(0)?;
    let (height, width) = (value(1)?, value(2)?);
    let size = GridSize::new(width.value, height.value);
    // Reported at the second of the two numbers, where it becomes known.
    size.map_err(|error| error_at(height.line.max(width.line), 1, MapFileErrorKind::BadSize(error)))
}

/// Reads a header line with a key and a value into `values`.
fn read_header_line(
    text: &str,
    line: usize,
    values: &mut [Option<HeaderValue>; KEYS.len()],
) -> Result<(), MapFileError> {
    let key = text.split(char::is_whitespace).next().unwrap_or("");
    let Some(at) = KEYS.iter().position(|known| *known == key) else {
        let expected = "\"type\", \"height\", \"width\" or \"map\"";
        let found = is_word(key).then(|| key.to_owned());
        return Err(error_at(line, 1, MapFileErrorKind::BadHeader { expected, found }));
    };
    if let Some(first) = values[at] {
        let twice = MapFileErrorKind::KeyTwice { key: KEYS[at], first_line: first.line };
        return Err(error_at(line, 1, twice));
    }
    let after_key = &text[key.len()..];
    let value_start = text.len() - after_key.trim_start().len();
    let column = text[..value_start].chars().count() + 1;
    let found = after_key.trim();
    let value = match KEYS[at] {
        "type" if found == TYPE => 0,
        "type" => {
            let kind = MapFileErrorKind::BadHeader { expected: "\"octile\"", found: Some(excerpt(found)) };
            return Err(error_at(line, column, kind));
        }
        key => read_number(found, key, line, column)?,
    };
    values[at] = Some(HeaderValue { line, value });
    Ok(())
}

/// Reads a decimal number at `column`.
fn read_number(text: &str, key: &'static str, line: usize, column: usize) -> Result<u64, MapFileError> {
    let bad = |offset: usize| {
        error_at(line, column + offset, MapFileErrorKind::BadNumber { key, found: excerpt(text) })
    };
    // `parse` would accept a plus sign.
    if let Some(offset) = text.chars().position(|c| !c.is_ascii_digit()) {
        return Err(bad(offset));
    }
    text.parse().map_err(|_| bad(0))
}

/// Checks number and length of the rows before memory is allocated for them. The header may claim a large map that
/// the file does not contain.
fn check_rows(mut lines: Lines<'_>, size: GridSize) -> Result<(), MapFileError> {
    let (rows_expected, expected) = (size.height() as usize, size.width() as usize);
    for y in 0..rows_expected {
        let Some(row) = lines.next() else {
            let kind = MapFileErrorKind::Truncated { found: y, expected: rows_expected };
            return Err(error_at(lines.n_read + 1, 1, kind));
        };
        let found = row.chars().count();
        if found != expected {
            let column = found.min(expected) + 1;
            return Err(error_at(lines.n_read, column, MapFileErrorKind::RaggedRow { found, expected }));
        }
    }
    Ok(())
}

/// Reads the terrain kinds of all rows, `[height * width]`, row-major.
fn read_rows(
    lines: &mut Lines<'_>,
    size: GridSize,
    table: &TerrainTable,
) -> Result<Vec<TerrainKind>, MapFileError> {
    let mut kinds = Vec::with_capacity(size.n_cells());
    for _ in 0..size.height() {
        let Some(row) = lines.next() else { break };
        for (x, glyph) in row.chars().enumerate() {
            let Some(kind) = table.kind_of_glyph(glyph) else {
                let known = table.entries().iter().map(|entry| entry.glyphs.as_str()).collect();
                let kind = MapFileErrorKind::UnknownGlyph { glyph, known };
                return Err(error_at(lines.n_read, x + 1, kind));
            };
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// Warns about text after the last row, once: it may be a whole other file.
fn read_end(mut lines: Lines<'_>) -> Vec<MapFileWarning> {
    let not_blank = |line: &&str| !line.trim().is_empty();
    if lines.find(not_blank).is_none() {
        return Vec::new();
    }
    let line = lines.n_read;
    let kind = MapFileWarningKind::TextAfterLastRow { n_lines: 1 + lines.filter(not_blank).count() };
    vec![MapFileWarning { line, column: 1, kind }]
}

/// Whether a text can be a mistyped key.
fn is_word(text: &str) -> bool {
    (1..=KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The glyph of each kind, by number. Only kinds in use need one.
fn glyphs_in_use(grid: &Grid) -> Result<Vec<Option<char>>, MapWriteError> {
    // A line break would be read as the end of a row.
    let first_glyph = |glyphs: &str| glyphs.chars().find(|glyph| !matches!(glyph, '\n' | '\r'));
    let entries = grid.terrain_table().entries();
    let glyphs: Vec<Option<char>> = entries.iter().map(|entry| first_glyph(&entry.glyphs)).collect();
    match grid.terrain().iter().position(|kind| glyphs[kind.0 as usize].is_none()) {
        None => Ok(glyphs),
        Some(at) => {
            let cell = Cell(at as u32);
            let kind = grid.terrain_table()[grid.terrain_of(cell)].name.clone();
            Err(MapWriteError::NoGlyph { kind, cell: grid.size().xy(cell) })
        }
    }
}
