//! The `.scen` format of the MovingAI benchmarks: queries on a map, with their optimal lengths.
//!
//! ```text
//! version 1
//! 0  maps/dao/arena2.map  281  209  100  41  98  44  3.82843
//! ```
//!
//! After the version come lines of nine fields, separated by blanks or tabs. The fields are bucket, map, map width, map
//! height, start x, start y, goal x, goal y and optimal length. (0, 0) is the north-western cell; a straight step has
//! length 1, a diagonal one sqrt 2. Blank lines are ignored. The format comes from Nathan Sturtevant, "Benchmarks for
//! Grid-Based Pathfinding", 2012, <https://movingai.com/benchmarks/formats.html>.

#[cfg(test)]
mod tests;

use crate::text_lines::{Lines, end_in_cr_alone, excerpt};
use std::fmt;
use wheelbase_grid::{CellXY, GridSize, SizeError};

/// Most queries of a file; the largest published one has about ten thousand.
pub const QUERIES_MAX: usize = 1 << 20;
/// Spellings of the version.
const VERSIONS: [&str; 2] = ["1", "1.0"];
/// Names of the fields of a line.
const FIELDS: [&str; 9] =
    ["bucket", "map", "width", "height", "start x", "start y", "goal x", "goal y", "optimal length"];
/// Significant digits of C++ streams, which wrote most files.
const STREAM_DIGITS: u32 = 6;

/// The queries of a file, all on one map.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScenFile {
    /// The map as named by the first query, often with folders that the reader lacks.
    pub map: String,
    /// Size of the map.
    pub size: GridSize,
    /// The queries, in order of lines; at least one, at most [`QUERIES_MAX`].
    pub queries: Vec<ScenQuery>,
    /// Largest number of decimals of a length.
    pub decimals: u32,
    /// Largest number of significant digits of a length.
    pub digits: u32,
}

/// One query. Start and goal are on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenQuery {
    /// Line, from 1.
    pub line: u32,
    /// Its group: a quarter of the optimal length, rounded down.
    pub bucket: u32,
    /// Start cell.
    pub start: CellXY,
    /// Goal cell.
    pub goal: CellXY,
    /// Published length of a shortest path, in cells.
    pub length: f64,
}

impl ScenFile {
    /// File name of the map, without the folders.
    pub fn map_name(&self) -> &str {
        self.map.rsplit(['/', '\\']).next().unwrap_or(&self.map)
    }

    /// Rounding tolerance of a published length: 0.001; 0.006 in a file with two decimals. For lengths from 1000 on in
    /// a file with six significant digits it is 0.6 of the last digit.
    pub fn tolerance(&self, length: f64) -> f64 {
        if self.digits == STREAM_DIGITS && length >= 1000.0 {
            let digits_before_point = length.log10().floor() as i32 + 1;
            0.6 * 10_f64.powi(digits_before_point - STREAM_DIGITS as i32)
        } else if self.decimals == 2 {
            6e-3
        } else {
            1e-3
        }
    }
}

/// Why a `.scen` file cannot be read, and where.
///
/// Its text has no file name: `line 7, column 12: start x: found "x", expected a whole number from 0 to 255`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenFileError {
    /// Line, from 1; the line after the last one if more was expected.
    pub line: usize,
    /// Column, from 1, in characters; 1 for the whole line.
    pub column: usize,
    /// The mistake.
    pub kind: ScenFileErrorKind,
}

/// A mistake in a `.scen` file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScenFileErrorKind {
    /// The file is not UTF-8 text from here on.
    NotUtf8,
    /// The lines end in CR alone.
    CrAlone,
    /// The first line is not `version 1`.
    BadVersion {
        /// The text found, shortened.
        found: String,
    },
    /// A line does not have nine fields.
    FieldCount {
        /// Fields in the line.
        found: usize,
    },
    /// A field is wrong.
    BadField {
        /// Name of the field.
        field: &'static str,
        /// The text found, shortened.
        found: String,
        /// The expected text.
        expected: String,
    },
    /// No map has that size.
    BadSize(SizeError),
    /// The file has no query.
    NoQuery,
    /// The file has more than [`QUERIES_MAX`] queries.
    TooManyQueries,
}

impl fmt::Display for ScenFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.kind)
    }
}

impl fmt::Display for ScenFileErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => write!(f, "not UTF-8 text; expected a text file"),
            Self::CrAlone => write!(f, "the lines end in CR alone, expected LF or CRLF"),
            Self::BadVersion { found } => write!(f, "found {found:?}, expected \"version 1\""),
            Self::FieldCount { found } => {
                write!(f, "the line has {found} fields, expected {}: {}", FIELDS.len(), FIELDS.join(", "))
            }
            Self::BadField { field, found, expected } => {
                write!(f, "{field}: found {found:?}, expected {expected}")
            }
            Self::BadSize(error) => error.fmt(f),
            Self::NoQuery => write!(f, "the file has no query, expected one per line"),
            Self::TooManyQueries => write!(f, "a further query, expected at most {QUERIES_MAX} in a file"),
        }
    }
}

impl std::error::Error for ScenFileError {}

/// Reads a whole `.scen` file. Skips a byte-order mark.
///
/// ```
/// use wheelbase_grid::CellXY;
/// use wheelbase_maps::movingai_scen;
/// let file = movingai_scen::parse(b"version 1\n0\tmaps/a.map\t9\t7\t0\t0\t2\t1\t2.41421\n")?;
/// assert_eq!((file.map_name(), file.queries[0].goal), ("a.map", CellXY::new(2, 1)));
/// # Ok::<(), movingai_scen::ScenFileError>(())
/// ```
/// # Errors
/// [`ScenFileError`] with the place, the text found and the text expected. Causes are text that is not UTF-8, lines
/// that end in CR alone, another version, and a line without nine fields. Others are a field that is not a number or is
/// too large, and a start or goal off the map. A second map, no query, and too many queries are errors too.
pub fn parse(bytes: &[u8]) -> Result<ScenFile, ScenFileError> {
    let mut lines =
        Lines::of(bytes).map_err(|(line, column)| error_at(line, column, ScenFileErrorKind::NotUtf8))?;
    if end_in_cr_alone(bytes) {
        return Err(error_at(1, 1, ScenFileErrorKind::CrAlone));
    }
    let version = lines.next().unwrap_or("").trim_end();
    let number = version.strip_prefix("version").map(str::trim_start);
    if !number.is_some_and(|number| VERSIONS.contains(&number)) {
        return Err(error_at(1, 1, ScenFileErrorKind::BadVersion { found: excerpt(version) }));
    }
    let mut file: Option<ScenFile> = None;
    while let Some(text) = lines.next() {
        if text.trim().is_empty() {
            continue;
        }
        let line = QueryLine::split(text, lines.n_read)?;
        let file = match &mut file {
            Some(file) => file,
            None => file.insert(line.new_file()?),
        };
        if file.queries.len() == QUERIES_MAX {
            return Err(error_at(lines.n_read, 1, ScenFileErrorKind::TooManyQueries));
        }
        line.read_into(file)?;
    }
    file.ok_or_else(|| error_at(lines.n_read + 1, 1, ScenFileErrorKind::NoQuery))
}

fn error_at(line: usize, column: usize, kind: ScenFileErrorKind) -> ScenFileError {
    ScenFileError { line, column, kind }
}

/// A length as written.
struct WrittenLength {
    length: f64,
    /// Number of decimals.
    decimals: u32,
    /// Number of significant digits.
    digits: u32,
}

/// A line with its fields, in the order of [`FIELDS`].
struct QueryLine<'a> {
    text: &'a str,
    number: usize,
    fields: [&'a str; FIELDS.len()],
}

impl<'a> QueryLine<'a> {
    fn split(text: &'a str, number: usize) -> Result<Self, ScenFileError> {
        let mut fields = [""; FIELDS.len()];
        let mut found = 0;
        for field in text.split_whitespace() {
            if let Some(slot) = fields.get_mut(found) {
                *slot = field;
            }
            found += 1;
        }
        if found != FIELDS.len() {
            return Err(error_at(number, 1, ScenFileErrorKind::FieldCount { found }));
        }
        Ok(Self { text, number, fields })
    }

    /// A file without queries on the map of this line.
    fn new_file(&self) -> Result<ScenFile, ScenFileError> {
        let map = self.fields[1];
        if !map.ends_with(".map") {
            return Err(self.bad_field(1, "the name of a map, with the extension .map"));
        }
        let (width, height) = (self.whole(2, u64::MAX)?, self.whole(3, u64::MAX)?);
        let size = GridSize::new(width, height)
            .map_err(|error| error_at(self.number, self.column(2), ScenFileErrorKind::BadSize(error)))?;
        Ok(ScenFile { map: map.to_owned(), size, queries: Vec::new(), decimals: 0, digits: 0 })
    }

    /// Adds the query of this line.
    fn read_into(&self, file: &mut ScenFile) -> Result<(), ScenFileError> {
        let (width, height) = (u64::from(file.size.width()), u64::from(file.size.height()));
        let check_same = |at: usize, is_same: bool, first: &dyn fmt::Display| match is_same {
            true => Ok(()),
            false => Err(self.bad_field(at, format!("{first} as in the first query; a file is on one map"))),
        };
        check_same(1, self.fields[1] == file.map, &file.map)?;
        check_same(2, self.whole(2, u64::MAX)? == width, &width)?;
        check_same(3, self.whole(3, u64::MAX)? == height, &height)?;
        let cell = |at: usize| {
            let (x, y) = (self.whole(at, width - 1)?, self.whole(at + 1, height - 1)?);
            Ok(CellXY::new(x as i32, y as i32))
        };
        let bucket = self.whole(0, u64::from(u32::MAX))? as u32;
        let (start, goal) = (cell(4)?, cell(6)?);
        let WrittenLength { length, decimals, digits } = self.length()?;
        file.decimals = file.decimals.max(decimals);
        file.digits = file.digits.max(digits);
        file.queries.push(ScenQuery { line: self.number as u32, bucket, start, goal, length });
        Ok(())
    }

    /// A field as a whole number from 0 to `max`.
    fn whole(&self, at: usize, max: u64) -> Result<u64, ScenFileError> {
        let text = self.fields[at];
        // `parse` would accept a plus sign.
        let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        number
            .filter(|&number| number <= max)
            .ok_or_else(|| self.bad_field(at, format!("a whole number from 0 to {max}")))
    }

    fn length(&self) -> Result<WrittenLength, ScenFileError> {
        let at = FIELDS.len() - 1;
        let text = self.fields[at];
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits_only = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = (digits_only(whole) && digits_only(decimals)).then(|| text.parse::<f64>().ok());
        let Some(length) = number.flatten().filter(|length| length.is_finite()) else {
            return Err(self.bad_field(at, "a number of cells such as 12 or 12.0711"));
        };
        // Without the point.
        let decimals = (text.len() - whole.len()).saturating_sub(1) as u32;
        let digits = whole.trim_start_matches('0').len() as u32 + decimals;
        Ok(WrittenLength { length, decimals, digits })
    }

    /// Column of a field, from 1, in characters.
    fn column(&self, at: usize) -> usize {
        let offset = self.fields[at].as_ptr() as usize - self.text.as_ptr() as usize;
        self.text[..offset].chars().count() + 1
    }

    fn bad_field(&self, at: usize, expected: impl Into<String>) -> ScenFileError {
        let kind = ScenFileErrorKind::BadField {
            field: FIELDS[at],
            found: excerpt(self.fields[at]),
            expected: expected.into(),
        };
        error_at(self.number, self.column(at), kind)
    }
}
