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
//! After the line `map` come `height` rows of `width` glyphs, the top row first. `type`, `height` and
//! `width` may come in any order. Lines end in LF or CRLF. The format is that of Nathan Sturtevant,
//! "Benchmarks for Grid-Based Pathfinding", 2012, <https://movingai.com/benchmarks/formats.html>;
//! which glyph means what is the caller's, see [`TerrainTable::movingai`].

use crate::text_lines::{Lines, excerpt};
use crate::write_error::{MapWriteError, check_sides};
use std::fmt;
use std::io;
use wheelbase_grid::{Cell, Grid, GridSize, SideTable, SizeError, TerrainKind, TerrainTable};

/// Keys of the header that have a value, in the order in which [`write()`] puts them.
const KEYS: [&str; 3] = ["type", "height", "width"];
/// The only value of `type` there is.
const TYPE: &str = "octile";
/// Most characters of a key of the header that an error repeats.
const KEY_CHARS_MAX: usize = 16;

/// A map as read from a file.
#[derive(Clone, Debug)]
pub struct MapFile {
    /// The map.
    pub grid: Grid,
    /// What looks wrong in the file but does not keep it from being read, in order of lines.
    pub warnings: Vec<MapFileWarning>,
}

/// Why a map file cannot be read, and where.
///
/// Its text has no file name: `line 7, column 12: glyph 'x' has no terrain; expected one of ".GSWT@O"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapFileError {
    /// Line, from 1. One past the last line if more was expected there.
    pub line: usize,
    /// Column, from 1, in characters; 1 when it is the whole line.
    pub column: usize,
    /// What is wrong there.
    pub kind: MapFileErrorKind,
}

/// What can be wrong in a map file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapFileErrorKind {
    /// The file is not UTF-8 text from here on.
    NotUtf8,
    /// A line or value of the header is not what it should be.
    BadHeader {
        /// What would be right.
        expected: &'static str,
        /// What stands there, shortened; `None` for a line without a key, which may be of any file and is not
        /// for messages.
        found: Option<String>,
    },
    /// The header lacks a key; the line is that of `map`.
    KeyMissing {
        /// `type`, `height` or `width`.
        key: &'static str,
    },
    /// The header has a key twice.
    KeyTwice {
        /// `type`, `height` or `width`.
        key: &'static str,
        /// Line where it stands first, from 1.
        first_line: usize,
    },
    /// The file ends before the line `map`.
    MapLineMissing,
    /// A height or width is not a decimal number that fits 64 bits.
    BadNumber {
        /// `height` or `width`.
        key: &'static str,
        /// What stands there, shortened.
        found: String,
    },
    /// No map may have that size.
    BadSize(SizeError),
    /// The file ends before the last row.
    Truncated {
        /// Rows in the file.
        found: usize,
        /// Rows that the header promises.
        expected: usize,
    },
    /// A row is not as long as the header says. The column is that of the first glyph too many, or
    /// the one after the last glyph of a short row.
    RaggedRow {
        /// Glyphs in the row.
        found: usize,
        /// Glyphs that the header promises.
        expected: usize,
    },
    /// A glyph has no terrain kind.
    UnknownGlyph {
        /// What stands there.
        glyph: char,
        /// All glyphs that would be right.
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
            Self::BadHeader { expected, found: None } => write!(f, "found another line, expected {expected}"),
            Self::BadHeader { expected, found: Some(found) } => {
                write!(f, "found {found:?}, expected {expected}")
            }
            Self::KeyMissing { key } => write!(f, "the header has no \"{key}\"; expected it before \"map\""),
            Self::KeyTwice { key, first_line } => {
                write!(f, "\"{key}\" stands in line {first_line} already; expected it once")
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

/// What looks wrong in a map file that can be read all the same, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapFileWarning {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters; 1 when it is the whole line.
    pub column: usize,
    /// What looks wrong there.
    pub kind: MapFileWarningKind,
}

/// What can look wrong in a map file that can be read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapFileWarningKind {
    /// Text after the last row, which is not read. The line is the first of it.
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

/// Reads a map from the bytes of a whole `.map` file. Glyphs mean what `terrain` says; `sides` are the
/// side kinds of the map, whose cells have the sides that their terrain kinds start with.
///
/// A byte-order mark at the start is skipped, and so are blanks at the end of a line of the header.
/// Takes two passes over the file; no memory is taken for cells before all of them are found there.
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
/// [`MapFileError`] with the place, what was found and what was expected: text that is not UTF-8, a
/// header that is not complete or not right, a size that no map may have, a missing or ragged row, a
/// glyph that is not in `terrain`.
pub fn parse(bytes: &[u8], terrain: TerrainTable, sides: SideTable) -> Result<MapFile, MapFileError> {
    let mut lines =
        Lines::of(bytes).map_err(|(line, column)| error_at(line, column, MapFileErrorKind::NotUtf8))?;
    let size = read_header(&mut lines)?;
    check_rows(lines.clone(), size)?;
    let kinds = read_rows(&mut lines, size, &terrain)?;
    let warnings = read_end(lines);
    Ok(MapFile { grid: Grid::from_terrain(size, kinds, terrain, sides), warnings })
}

/// Writes the terrain of a map as a `.map` file with LF line ends, each cell by the first glyph of its
/// kind that is not a line break. Does not flush `out`. Nothing is written of a map that the format
/// cannot hold.
///
/// The file says nothing of speeds and sides: whoever reads it brings the tables.
/// # Errors
/// [`MapWriteError`] if a kind in use has no glyph, a side is not open, or `out` fails.
pub fn write(grid: &Grid, out: &mut impl io::Write) -> Result<(), MapWriteError> {
    let glyphs = glyphs_in_use(grid)?;
    check_sides(grid)?;
    let size = grid.size();
    write!(out, "type {TYPE}\nheight {}\nwidth {}\nmap\n", size.height(), size.width())?;
    let mut row_text = String::new();
    for row in grid.terrain().chunks_exact(size.width() as usize) {
        row_text.clear();
        // Every kind in use has a glyph, so that no cell is left out here.
        row_text.extend(row.iter().filter_map(|kind| glyphs[kind.0 as usize]));
        row_text.push('\n');
        out.write_all(row_text.as_bytes())?;
    }
    Ok(())
}

/// A value of the header; that of `type` is 0.
#[derive(Clone, Copy)]
struct HeaderValue {
    line: usize,
    value: u64,
}

fn error_at(line: usize, column: usize, kind: MapFileErrorKind) -> MapFileError {
    MapFileError { line, column, kind }
}

/// Reads the header up to and with the line `map`.
fn read_header(lines: &mut Lines<'_>) -> Result<GridSize, MapFileError> {
    let mut values = [None; KEYS.len()];
    loop {
        let Some(text) = lines.next() else {
            return Err(error_at(lines.n_taken + 1, 1, MapFileErrorKind::MapLineMissing));
        };
        if text.trim_end() == "map" {
            break;
        }
        read_header_line(text, lines.n_taken, &mut values)?;
    }
    let value = |at: usize| {
        let missing = MapFileErrorKind::KeyMissing { key: KEYS[at] };
        values[at].ok_or_else(|| error_at(lines.n_taken, 1, missing))
    };
    value(0)?;
    let (height, width) = (value(1)?, value(2)?);
    let size = GridSize::new(width.value, height.value);
    // The size is known to be wrong only where the second of the two numbers stands.
    size.map_err(|error| error_at(height.line.max(width.line), 1, MapFileErrorKind::BadSize(error)))
}

/// Reads one line of the header with a key and a value into the value's place.
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

/// Reads a number in decimal digits, which stands at `column`.
fn read_number(text: &str, key: &'static str, line: usize, column: usize) -> Result<u64, MapFileError> {
    let bad = |offset: usize| {
        error_at(line, column + offset, MapFileErrorKind::BadNumber { key, found: excerpt(text) })
    };
    // `parse` alone would let a plus sign pass.
    if let Some(offset) = text.chars().position(|c| !c.is_ascii_digit()) {
        return Err(bad(offset));
    }
    text.parse().map_err(|_| bad(0))
}

/// Checks that all rows are there and as long as they should be, before memory is taken for them: a
/// header may promise a large map that its file does not hold.
fn check_rows(mut lines: Lines<'_>, size: GridSize) -> Result<(), MapFileError> {
    let (rows_expected, expected) = (size.height() as usize, size.width() as usize);
    for y in 0..rows_expected {
        let Some(row) = lines.next() else {
            let kind = MapFileErrorKind::Truncated { found: y, expected: rows_expected };
            return Err(error_at(lines.n_taken + 1, 1, kind));
        };
        let found = row.chars().count();
        if found != expected {
            let column = found.min(expected) + 1;
            return Err(error_at(lines.n_taken, column, MapFileErrorKind::RaggedRow { found, expected }));
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
                return Err(error_at(lines.n_taken, x + 1, kind));
            };
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// Warns of what stands after the last row. One warning, however much it is: it may be another file.
fn read_end(mut lines: Lines<'_>) -> Vec<MapFileWarning> {
    let not_blank = |line: &&str| !line.trim().is_empty();
    if lines.find(not_blank).is_none() {
        return Vec::new();
    }
    let line = lines.n_taken;
    let kind = MapFileWarningKind::TextAfterLastRow { n_lines: 1 + lines.filter(not_blank).count() };
    vec![MapFileWarning { line, column: 1, kind }]
}

/// Whether a text could be meant for a key.
fn is_word(text: &str) -> bool {
    (1..=KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The glyph by which each kind is written, by number of the kind. A kind that has none may stay
/// without as long as no cell is of it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_lines::EXCERPT_CHARS_MAX;
    use proptest::prelude::*;
    use wheelbase_grid::{CellXY, Rect, Side, SideKind, TerrainEntry};

    const SMALL: &str = "type octile\nheight 2\nwidth 3\nmap\n.@.\nSWT\n";

    fn read(text: impl AsRef<[u8]>) -> Result<MapFile, MapFileError> {
        parse(text.as_ref(), TerrainTable::movingai(), SideTable::default())
    }

    fn written(grid: &Grid) -> String {
        let mut out = Vec::new();
        write(grid, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Line, column and text of the error that `text` gives.
    fn refused(text: impl AsRef<[u8]>) -> (usize, usize, MapFileErrorKind) {
        let error = read(text).unwrap_err();
        (error.line, error.column, error.kind)
    }

    fn entry(name: &str, glyphs: &str) -> TerrainEntry {
        TerrainEntry {
            name: name.to_owned(),
            glyphs: glyphs.to_owned(),
            speed: 1000,
            colour: None,
            sides: [SideKind::OPEN; 6],
        }
    }

    #[test]
    fn a_small_map_is_read_and_written() {
        let file = read(SMALL).unwrap();
        assert_eq!(file.grid.size(), GridSize::new(3, 2).unwrap());
        let kinds: Vec<u8> = file.grid.terrain().iter().map(|kind| kind.0).collect();
        assert_eq!(kinds, [0, 4, 0, 1, 2, 3]);
        assert!(file.warnings.is_empty());
        assert_eq!(written(&file.grid), SMALL);
    }

    #[test]
    fn one_cell_is_a_map() {
        for text in
            ["type octile\nheight 1\nwidth 1\nmap\n@", "type octile\nheight 1\nwidth 1\nmap\n@\n\n \n"]
        {
            let file = read(text).unwrap();
            assert_eq!(file.grid.terrain(), [TerrainKind(4)]);
            assert!(file.warnings.is_empty());
        }
    }

    #[test]
    fn line_ends_byte_order_mark_blanks_and_header_order_do_not_matter() {
        let crlf = SMALL.replace('\n', "\r\n");
        for text in [
            crlf.as_str(),
            crlf.trim_end(),
            crlf.strip_suffix('\n').unwrap(),
            SMALL.trim_end(),
            "\u{feff}width 3\nheight 2\ntype octile\nmap\n.@.\nSWT",
            "height\t2  \nwidth   0003\ntype octile \nmap \n.@.\nSWT\n\n",
        ] {
            let file = read(text).unwrap();
            assert_eq!(written(&file.grid), SMALL, "{text:?}");
            assert!(file.warnings.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn a_ragged_row_is_named() {
        let ragged = |found| MapFileErrorKind::RaggedRow { found, expected: 3 };
        assert_eq!(refused(SMALL.replace("SWT", "SW")), (6, 3, ragged(2)));
        assert_eq!(refused(SMALL.replace(".@.", ".@.  ")), (5, 4, ragged(5)));
        assert_eq!(refused(SMALL.replace("SWT", "\n")), (6, 1, ragged(0)));
        assert_eq!(refused(SMALL.replace("SWT", "SWT\r\r")), (6, 4, ragged(4)));
        let error = read(SMALL.replace("SWT", "SW")).unwrap_err();
        assert_eq!(error.to_string(), "line 6, column 3: the row has 2 glyphs, expected 3");
    }

    #[test]
    fn a_truncated_file_is_named() {
        let truncated = |found| MapFileErrorKind::Truncated { found, expected: 2 };
        assert_eq!(refused("type octile\nheight 2\nwidth 3\nmap\n.@.\n"), (6, 1, truncated(1)));
        assert_eq!(refused("type octile\nheight 2\nwidth 3\nmap\n.@."), (6, 1, truncated(1)));
        assert_eq!(refused("type octile\nheight 2\nwidth 3\nmap"), (5, 1, truncated(0)));
        let missing = MapFileErrorKind::MapLineMissing;
        assert_eq!(refused("type octile\nheight 2\nwidth 3\n"), (4, 1, missing.clone()));
        assert_eq!(refused(""), (1, 1, missing.clone()));
        assert_eq!(refused("\u{feff}"), (1, 1, missing));
        // Every part of a whole file is refused, but for the line end that may be left out.
        for end in 0..SMALL.len() - 1 {
            assert!(read(&SMALL[..end]).is_err(), "first {end} bytes");
        }
    }

    #[test]
    fn an_unknown_glyph_is_named_with_its_place() {
        let error = read(SMALL.replace("SWT", "SWx")).unwrap_err();
        assert_eq!((error.line, error.column), (6, 3));
        assert_eq!(
            error.to_string(),
            "line 6, column 3: glyph 'x' has no terrain; expected one of \".GSWT@O\""
        );
        let known = ".GSWT@O".to_owned();
        let kind = MapFileErrorKind::UnknownGlyph { glyph: 'é', known };
        assert_eq!(refused("\u{feff}type octile\r\nheight 1\r\nwidth 2\r\nmap\r\n.é\r\n"), (5, 2, kind));
    }

    #[test]
    fn columns_count_characters() {
        let table = TerrainTable::new(vec![entry("hill", "山é"), entry("lake", "湖")]).unwrap();
        let text = "type octile\nheight 2\nwidth 3\nmap\n山湖é\n山湖山\n";
        let file = parse(text.as_bytes(), table.clone(), SideTable::default()).unwrap();
        assert_eq!(written(&file.grid), text.replace('é', "山"));
        let error =
            parse(text.replace("湖山\n", "湖.\n").as_bytes(), table, SideTable::default()).unwrap_err();
        assert_eq!((error.line, error.column), (6, 3));
    }

    #[test]
    fn bytes_that_are_no_text_are_named_with_their_place() {
        assert_eq!(refused(b"\xff"), (1, 1, MapFileErrorKind::NotUtf8));
        let mut bytes = "\u{feff}".as_bytes().to_vec();
        bytes.extend(SMALL.replace("SWT", "éS").trim_end().as_bytes());
        bytes.extend(b"\xe5\xb1");
        assert_eq!(refused(bytes), (6, 3, MapFileErrorKind::NotUtf8));
    }

    #[test]
    fn sizes_are_bounded_before_memory_is_taken() {
        let sized = |height: &str, width: &str| {
            refused(format!("type octile\nheight {height}\nwidth {width}\nmap\n.\n"))
        };
        let bad = |found: &str| MapFileErrorKind::BadNumber { key: "height", found: found.to_owned() };
        let many = "99999999999999999999";
        assert_eq!(sized(many, "1"), (2, 8, bad(many)));
        let size = SizeError { width: 1 << 32, height: 1 << 32 };
        assert_eq!(sized("4294967296", "4294967296"), (3, 1, MapFileErrorKind::BadSize(size)));
        assert!(matches!(sized("67108865", "1"), (3, 1, MapFileErrorKind::BadSize(_))));
        assert!(matches!(sized("0", "1"), (3, 1, MapFileErrorKind::BadSize(_))));
        assert!(matches!(sized("18446744073709551615", "2"), (3, 1, MapFileErrorKind::BadSize(_))));
        let truncated = MapFileErrorKind::Truncated { found: 1, expected: 1 << 26 };
        assert_eq!(sized("67108864", "1"), (6, 1, truncated));
        let ragged = MapFileErrorKind::RaggedRow { found: 1, expected: 1 << 26 };
        assert_eq!(sized("1", "67108864"), (5, 2, ragged));
    }

    #[test]
    fn numbers_are_digits_only() {
        let bad = |value: &str| {
            let (line, column, kind) = refused(SMALL.replace("width 3", &format!("width{value}")));
            let found = value.trim().to_owned();
            assert_eq!((line, kind), (3, MapFileErrorKind::BadNumber { key: "width", found }));
            column
        };
        assert_eq!(bad(" -3"), 7);
        assert_eq!(bad(" +3"), 7);
        assert_eq!(bad("  3x"), 9);
        assert_eq!(bad(" 3 3"), 8);
        assert_eq!(bad(" 3.0"), 8);
        assert_eq!(bad(" ３"), 7);
        assert_eq!(bad(""), 6);
        assert_eq!(bad(" "), 7);
    }

    #[test]
    fn the_header_is_checked() {
        let header = |text: &str| refused(format!("{text}\nmap\n.@.\nSWT\n"));
        let bad = |expected, found: Option<&str>| MapFileErrorKind::BadHeader {
            expected,
            found: found.map(str::to_owned),
        };
        let keys = "\"type\", \"height\", \"width\" or \"map\"";
        assert_eq!(header("type octile\nheigth 2\nwidth 3"), (2, 1, bad(keys, Some("heigth"))));
        assert_eq!(header("type octile\n\nheight 2\nwidth 3"), (2, 1, bad(keys, None)));
        assert_eq!(header("map 3"), (1, 1, bad(keys, Some("map"))));
        assert_eq!(header("type hex\nheight 2\nwidth 3"), (1, 6, bad("\"octile\"", Some("hex"))));
        let twice = MapFileErrorKind::KeyTwice { key: "height", first_line: 2 };
        assert_eq!(header("type octile\nheight 2\nheight 2"), (3, 1, twice));
        for (text, key) in [
            ("height 2\nwidth 3", "type"),
            ("type octile\nwidth 3", "height"),
            ("type octile\nheight 2", "width"),
        ] {
            assert_eq!(header(text), (3, 1, MapFileErrorKind::KeyMissing { key }));
        }
        // A line of any file that a scenario names is not for messages.
        for line in ["é".repeat(100_000), "root:x:0:0:root:/root".to_owned(), "abcdefghijklmnopq".to_owned()]
        {
            assert_eq!(refused(line), (1, 1, bad(keys, None)));
        }
        let long = format!("type {}\nmap\n", "é".repeat(100_000));
        let shown = format!("{}...", "é".repeat(EXCERPT_CHARS_MAX));
        assert_eq!(refused(long), (1, 6, bad("\"octile\"", Some(&shown))));
    }

    #[test]
    fn text_after_the_last_row_is_a_warning() {
        let file = read(format!("{SMALL}\n \n...\n\nend")).unwrap();
        let kind = MapFileWarningKind::TextAfterLastRow { n_lines: 2 };
        assert_eq!(file.warnings, [MapFileWarning { line: 9, column: 1, kind }]);
        assert_eq!(
            file.warnings[0].to_string(),
            "line 9, column 1: text after the last row is not read (lines: 2)"
        );
        assert_eq!(written(&file.grid), SMALL);
    }

    #[test]
    fn a_kind_in_use_without_glyph_is_not_written() {
        let table = TerrainTable::new(vec![entry("plain", "\n."), entry("bare", ""), entry("odd", "\r")]);
        let size = GridSize::new(3, 2).unwrap();
        let mut grid = Grid::filled(size, TerrainKind(0), table.unwrap(), SideTable::default());
        assert!(written(&grid).ends_with("map\n...\n...\n"));
        for (kind, name) in [(1, "bare"), (2, "odd")] {
            grid.set_terrain(Rect::new(1, 1, 2, 1), TerrainKind(kind));
            let mut out = Vec::new();
            let error = write(&grid, &mut out).unwrap_err();
            assert!(error.to_string().starts_with(&format!("cell (1, 1): terrain \"{name}\" has no glyph")));
            assert!(out.is_empty());
        }
    }

    #[test]
    fn a_side_that_is_not_open_is_not_written() {
        let mut grid = read(SMALL).unwrap().grid;
        grid.set_side(CellXY::new(2, 0), Side::South, SideKind::WALL);
        let mut out = Vec::new();
        let error = write(&grid, &mut out).unwrap_err();
        assert!(error.to_string().starts_with("cell (2, 0): side S is \"wall\", expected \"open\""));
        assert!(out.is_empty());
        grid.set_side(CellXY::new(2, 0), Side::South, SideKind::OPEN);
        assert_eq!(written(&grid), SMALL);
    }

    #[test]
    fn errors_of_the_writer_pass_through() {
        struct Full;
        impl io::Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = write(&read(SMALL).unwrap().grid, &mut Full).unwrap_err();
        assert!(matches!(error, MapWriteError::Io(e) if e.kind() == io::ErrorKind::StorageFull));
    }

    fn any_grid() -> impl Strategy<Value = Grid> {
        (1usize..20, 1usize..20).prop_flat_map(|(width, height)| {
            proptest::collection::vec(0u8..5, width * height).prop_map(move |kinds| {
                let size = GridSize::new(width as u64, height as u64).unwrap();
                let kinds = kinds.into_iter().map(TerrainKind).collect();
                Grid::from_terrain(size, kinds, TerrainTable::movingai(), SideTable::default())
            })
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(grid in any_grid(), crlf in any::<bool>(), mark in any::<bool>()) {
            let mut text = written(&grid);
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            if mark {
                text.insert(0, '\u{feff}');
            }
            let file = read(&text).unwrap();
            prop_assert_eq!(file.grid.size(), grid.size());
            prop_assert_eq!(file.grid.terrain(), grid.terrain());
            prop_assert!(file.warnings.is_empty());
        }

        #[test]
        fn a_spoilt_file_is_read_or_refused_at_a_place_in_it(
            at in 0..SMALL.len(),
            removed in 0usize..6,
            inserted in proptest::collection::vec(any::<u8>(), 0..6),
        ) {
            let mut bytes = SMALL.as_bytes().to_vec();
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, inserted);
            if let Err(error) = read(&bytes) {
                let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
                prop_assert!((1..=lines.len() + 1).contains(&error.line));
                let length = lines.get(error.line - 1).map_or(0, |line| line.len());
                prop_assert!((1..=length + 1).contains(&error.column));
            }
        }
    }
}
