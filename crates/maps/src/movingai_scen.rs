//! The `.scen` format of the MovingAI benchmarks: queries on a map, each with its optimal length.
//!
//! ```text
//! version 1
//! 0  maps/dao/arena2.map  281  209  100  41  98  44  3.82843
//! ```
//!
//! After the version come lines of nine fields with blanks or tabs between them: bucket, map, width and
//! height of the map, start x and y, goal x and y, optimal length. (0, 0) is the north-west cell, a
//! straight step is 1 long, a diagonal one sqrt 2. Blank lines mean nothing. The format is that of Nathan
//! Sturtevant, "Benchmarks for Grid-Based Pathfinding", 2012,
//! <https://movingai.com/benchmarks/formats.html>.

use crate::text_lines::{Lines, excerpt};
use std::fmt;
use wheelbase_grid::{CellXY, GridSize, SizeError};

/// Most queries that a file may have; the largest published one has some ten thousand.
pub const QUERIES_MAX: usize = 1 << 20;
/// Versions of the format, as they are written.
const VERSIONS: [&str; 2] = ["1", "1.0"];
/// Names of the fields of a line.
const FIELDS: [&str; 9] =
    ["bucket", "map", "width", "height", "start x", "start y", "goal x", "goal y", "optimal length"];
/// Significant digits of a C++ stream, by which most files were written.
const STREAM_DIGITS: u32 = 6;

/// The queries of a file, all on one map.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenFile {
    /// The map as the first query names it, often with folders that the reader does not have.
    pub map: String,
    /// Size of the map.
    pub size: GridSize,
    /// The queries, in order of lines; at least one, at most [`QUERIES_MAX`].
    pub queries: Vec<ScenQuery>,
    /// Most decimals that a length has.
    pub decimals: u32,
    /// Most significant digits that a length has.
    pub digits: u32,
}

/// One query. Start and goal are on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenQuery {
    /// Line, from 1.
    pub line: u32,
    /// Number of the group of queries that it belongs to: a quarter of the optimal length, rounded down.
    pub bucket: u32,
    /// Where the agent is.
    pub start: CellXY,
    /// Where it shall go.
    pub goal: CellXY,
    /// Published length of a shortest path, in cells.
    pub length: f64,
}

impl ScenFile {
    /// File name of the map, without the folders.
    pub fn map_name(&self) -> &str {
        self.map.rsplit(['/', '\\']).next().unwrap_or(&self.map)
    }

    /// By how much a right length may differ from a published one because that was rounded: 0.001; 0.006
    /// in a file with two decimals; in a file with six significant digits, for lengths from 1000 on, 0.6
    /// of the last digit.
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
    /// Line, from 1. One past the last line if more was expected there.
    pub line: usize,
    /// Column, from 1, in characters; 1 when it is the whole line.
    pub column: usize,
    /// What is wrong there.
    pub kind: ScenFileErrorKind,
}

/// What can be wrong in a `.scen` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScenFileErrorKind {
    /// The file is not UTF-8 text from here on.
    NotUtf8,
    /// The first line does not say `version 1`.
    BadVersion {
        /// What stands there, shortened.
        found: String,
    },
    /// A line does not have nine fields.
    FieldCount {
        /// Fields in the line.
        found: usize,
    },
    /// A field is not what it should be.
    BadField {
        /// Name of the field.
        field: &'static str,
        /// What stands there, shortened.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// No map may have that size.
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
            Self::BadVersion { found } => write!(f, "found {found:?}, expected \"version 1\""),
            Self::FieldCount { found } => {
                write!(f, "the line has {found} fields, expected {}: {}", FIELDS.len(), FIELDS.join(", "))
            }
            Self::BadField { field, found, expected } => {
                write!(f, "{field}: found {found:?}, expected {expected}")
            }
            Self::BadSize(error) => error.fmt(f),
            Self::NoQuery => write!(f, "the file has no query, expected one a line"),
            Self::TooManyQueries => write!(f, "a further query, expected at most {QUERIES_MAX} in a file"),
        }
    }
}

impl std::error::Error for ScenFileError {}

/// Reads the bytes of a whole `.scen` file. A byte-order mark at the start is skipped.
///
/// ```
/// use wheelbase_grid::CellXY;
/// use wheelbase_maps::movingai_scen;
/// let file = movingai_scen::parse(b"version 1\n0\tmaps/a.map\t9\t7\t0\t0\t2\t1\t2.41421\n")?;
/// assert_eq!((file.map_name(), file.queries[0].goal), ("a.map", CellXY::new(2, 1)));
/// # Ok::<(), movingai_scen::ScenFileError>(())
/// ```
/// # Errors
/// [`ScenFileError`] with the place, what was found and what was expected: text that is not UTF-8,
/// another version, a line without its nine fields, a field that is no number or too large, a start or
/// goal off the map, a second map, no query or too many.
pub fn parse(bytes: &[u8]) -> Result<ScenFile, ScenFileError> {
    let mut lines =
        Lines::of(bytes).map_err(|(line, column)| error_at(line, column, ScenFileErrorKind::NotUtf8))?;
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
        let line = Line::of(text, lines.n_taken)?;
        let file = match &mut file {
            Some(file) => file,
            None => file.insert(line.new_file()?),
        };
        if file.queries.len() == QUERIES_MAX {
            return Err(error_at(lines.n_taken, 1, ScenFileErrorKind::TooManyQueries));
        }
        line.read_into(file)?;
    }
    file.ok_or_else(|| error_at(lines.n_taken + 1, 1, ScenFileErrorKind::NoQuery))
}

fn error_at(line: usize, column: usize, kind: ScenFileErrorKind) -> ScenFileError {
    ScenFileError { line, column, kind }
}

/// The fields of a line, in the order of [`FIELDS`].
struct Line<'a> {
    text: &'a str,
    number: usize,
    fields: [&'a str; FIELDS.len()],
}

impl<'a> Line<'a> {
    fn of(text: &'a str, number: usize) -> Result<Self, ScenFileError> {
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

    /// A file on the map of this line, without queries.
    fn new_file(&self) -> Result<ScenFile, ScenFileError> {
        let map = self.fields[1];
        if !map.ends_with(".map") {
            return Err(self.wrong(1, "the name of a map, with the ending .map"));
        }
        let (width, height) = (self.whole(2, u64::MAX)?, self.whole(3, u64::MAX)?);
        let size = GridSize::new(width, height)
            .map_err(|error| error_at(self.number, self.column(2), ScenFileErrorKind::BadSize(error)))?;
        Ok(ScenFile { map: map.to_owned(), size, queries: Vec::new(), decimals: 0, digits: 0 })
    }

    /// Adds the query of this line to the others.
    fn read_into(&self, file: &mut ScenFile) -> Result<(), ScenFileError> {
        let (width, height) = (u64::from(file.size.width()), u64::from(file.size.height()));
        let same = |at: usize, is: bool, first: &dyn fmt::Display| match is {
            true => Ok(()),
            false => Err(self.wrong(at, format!("{first} as in the first query; a file is on one map"))),
        };
        same(1, self.fields[1] == file.map, &file.map)?;
        same(2, self.whole(2, u64::MAX)? == width, &width)?;
        same(3, self.whole(3, u64::MAX)? == height, &height)?;
        let cell = |at: usize| {
            let (x, y) = (self.whole(at, width - 1)?, self.whole(at + 1, height - 1)?);
            Ok(CellXY::new(x as i32, y as i32))
        };
        let bucket = self.whole(0, u64::from(u32::MAX))? as u32;
        let (start, goal) = (cell(4)?, cell(6)?);
        let (length, decimals, digits) = self.length()?;
        file.decimals = file.decimals.max(decimals);
        file.digits = file.digits.max(digits);
        file.queries.push(ScenQuery { line: self.number as u32, bucket, start, goal, length });
        Ok(())
    }

    /// A field as a whole number from 0 to `most`.
    fn whole(&self, at: usize, most: u64) -> Result<u64, ScenFileError> {
        let text = self.fields[at];
        // `parse` alone would let a plus sign pass.
        let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        number
            .filter(|&number| number <= most)
            .ok_or_else(|| self.wrong(at, format!("a whole number from 0 to {most}")))
    }

    /// The length, its decimals and its significant digits.
    fn length(&self) -> Result<(f64, u32, u32), ScenFileError> {
        let at = FIELDS.len() - 1;
        let text = self.fields[at];
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits_only = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = (digits_only(whole) && digits_only(decimals)).then(|| text.parse::<f64>().ok());
        let Some(length) = number.flatten().filter(|length| length.is_finite()) else {
            return Err(self.wrong(at, "a number of cells such as 12 or 12.0711"));
        };
        let n_decimals = text.len() - whole.len();
        let n_decimals = n_decimals.saturating_sub(1) as u32;
        Ok((length, n_decimals, whole.trim_start_matches('0').len() as u32 + n_decimals))
    }

    /// Column of a field, from 1, in characters.
    fn column(&self, at: usize) -> usize {
        let offset = self.fields[at].as_ptr() as usize - self.text.as_ptr() as usize;
        self.text[..offset].chars().count() + 1
    }

    fn wrong(&self, at: usize, expected: impl Into<String>) -> ScenFileError {
        let kind = ScenFileErrorKind::BadField {
            field: FIELDS[at],
            found: excerpt(self.fields[at]),
            expected: expected.into(),
        };
        error_at(self.number, self.column(at), kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = "version 1\n0\tmaps/a.map\t9\t7\t0\t1\t2\t3\t2.82843\n\
                         3\tmaps/a.map\t9\t7\t8\t6\t8\t0\t6\n";

    /// The text of the error that a file gives.
    fn refused(text: impl AsRef<[u8]>) -> String {
        parse(text.as_ref()).unwrap_err().to_string()
    }

    /// The text of the error that the first query gives with one of its fields replaced.
    fn field_refused(at: usize, replacement: &str) -> String {
        let mut fields: Vec<&str> = SMALL.lines().nth(1).unwrap().split('\t').collect();
        fields[at] = replacement;
        refused(format!("version 1\n{}\n", fields.join("\t")))
    }

    fn with_lengths(lengths: &[&str]) -> ScenFile {
        let lines: String = lengths.iter().map(|length| format!("0 a.map 9 9 0 0 1 1 {length}\n")).collect();
        parse(format!("version 1\n{lines}").as_bytes()).unwrap()
    }

    #[test]
    fn a_small_file_is_read() {
        let file = parse(SMALL.as_bytes()).unwrap();
        assert_eq!((file.map.as_str(), file.map_name()), ("maps/a.map", "a.map"));
        assert_eq!(file.size, GridSize::new(9, 7).unwrap());
        let (start, goal) = (CellXY::new(0, 1), CellXY::new(2, 3));
        assert_eq!(file.queries[0], ScenQuery { line: 2, bucket: 0, start, goal, length: 2.82843 });
        assert_eq!((file.queries.len(), file.queries[1].line, file.queries[1].bucket), (2, 3, 3));
        assert_eq!((file.decimals, file.digits), (5, 6));
        let spaced = SMALL.replace('\t', "  ").replace("version 1", "version 1.0 ").replace('\n', "\r\n");
        assert_eq!(parse(format!("\u{feff}{spaced}").as_bytes()).unwrap(), file);
        let mut blanks = parse(SMALL.replace("\n3", "\n\n \t\n3").trim_end().as_bytes()).unwrap();
        assert_eq!(std::mem::replace(&mut blanks.queries[1].line, 3), 5);
        assert_eq!(blanks, file);
        let windows = parse(SMALL.replace("maps/", "maps\\dao\\").as_bytes()).unwrap();
        assert_eq!(windows.map_name(), "a.map");
    }

    #[test]
    fn the_version_is_checked() {
        let wrong = |found: &str| format!("line 1, column 1: found {found:?}, expected \"version 1\"");
        for found in ["", "version", "version 2", "version 1.1", "type octile"] {
            assert_eq!(refused(SMALL.replace("version 1", found)), wrong(found));
        }
        assert_eq!(refused(""), wrong(""));
        assert_eq!(refused("x".repeat(100_000)), wrong(&format!("{}...", "x".repeat(40))));
    }

    #[test]
    fn each_field_is_checked_and_named_with_its_place() {
        let of = |field: &str, column: usize, found: &str, expected: &str| {
            format!("line 2, column {column}: {field}: found {found:?}, expected {expected}")
        };
        let up_to = |most: u64| format!("a whole number from 0 to {most}");
        for (at, field, column, most) in [
            (0, "bucket", 1, u64::from(u32::MAX)),
            (2, "width", 14, u64::MAX),
            (3, "height", 16, u64::MAX),
            (4, "start x", 18, 8),
            (5, "start y", 20, 6),
            (6, "goal x", 22, 8),
            (7, "goal y", 24, 6),
        ] {
            let too_large = most.checked_add(1).map_or("18446744073709551616".to_owned(), |n| n.to_string());
            for found in ["-1", "+1", "1.0", "x", "1e1", "é", too_large.as_str()] {
                assert_eq!(field_refused(at, found), of(field, column, found, &up_to(most)));
            }
        }
        assert_eq!(
            field_refused(1, "a.png"),
            of("map", 3, "a.png", "the name of a map, with the ending .map")
        );
        for found in ["-1", "+1", "nan", "inf", "1e3", ".5", "5.", "1.2.3", "1,5"] {
            let expected = "a number of cells such as 12 or 12.0711";
            assert_eq!(field_refused(8, found), of("optimal length", 26, found, expected));
        }
        let endless = "9".repeat(1000);
        assert!(field_refused(8, &endless).contains("999..."), "a length that is no finite number");
        let size =
            "a map of 4294967296 x 7 cells; width and height must be at least 1 and their product at most";
        assert!(field_refused(2, "4294967296").starts_with(&format!("line 2, column 14: {size}")));
        assert!(field_refused(3, "0").starts_with("line 2, column 14: a map of 9 x 0 cells"));
    }

    #[test]
    fn lines_must_have_nine_fields() {
        let fields = "bucket, map, width, height, start x, start y, goal x, goal y, optimal length";
        for (line, found) in [("0 a.map 9 9 0 0 1 1", 8), ("0 a.map 9 9 0 0 1 1 2 3", 10), ("0", 1)] {
            assert_eq!(
                refused(format!("version 1\n{line}\n")),
                format!("line 2, column 1: the line has {found} fields, expected 9: {fields}")
            );
        }
        // A file that was cut off is refused, but where only a line's last digits are gone.
        let last_fields =
            [SMALL.find("2.8").unwrap()..SMALL.find("\n3").unwrap() + 2, SMALL.len() - 2..SMALL.len()];
        for end in 0..SMALL.len() {
            let read = parse(&SMALL.as_bytes()[..end]);
            assert_eq!(
                read.is_ok(),
                last_fields
                    .iter()
                    .any(|range| (range.start + 1..range.end).contains(&end) && !SMALL[..end].ends_with('.')),
                "{end}"
            );
        }
    }

    #[test]
    fn a_file_is_on_one_map() {
        let second = |from: &str, to: &str| {
            let (first, second) = SMALL.split_at(SMALL.find("\n3").unwrap());
            refused(format!("{first}{}", second.replacen(from, to, 1)))
        };
        let end = "as in the first query; a file is on one map";
        assert_eq!(
            second("maps/a.map", "b.map"),
            format!("line 3, column 3: map: found \"b.map\", expected maps/a.map {end}")
        );
        assert_eq!(
            second("\t9\t", "\t8\t"),
            format!("line 3, column 14: width: found \"8\", expected 9 {end}")
        );
        assert_eq!(
            second("\t7\t", "\t8\t"),
            format!("line 3, column 16: height: found \"8\", expected 7 {end}")
        );
    }

    #[test]
    fn the_number_of_queries_is_bounded() {
        let none = "the file has no query, expected one a line";
        assert_eq!(refused("version 1\n"), format!("line 2, column 1: {none}"));
        assert_eq!(refused("version 1\n\n \n"), format!("line 4, column 1: {none}"));
        let mut many = "version 1\n".to_owned();
        many.push_str(&"0 a.map 9 9 0 0 1 1 2\n".repeat(QUERIES_MAX));
        assert_eq!(parse(many.as_bytes()).unwrap().queries.len(), QUERIES_MAX);
        many.push_str("0 a.map 9 9 0 0 1 1 2\n");
        let line = QUERIES_MAX + 2;
        assert_eq!(
            refused(&many),
            format!("line {line}, column 1: a further query, expected at most {QUERIES_MAX} in a file")
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_named_with_their_place() {
        let mut bytes = SMALL.as_bytes().to_vec();
        bytes[12] = 0xff;
        assert_eq!(refused(bytes), "line 2, column 3: not UTF-8 text; expected a text file");
    }

    #[test]
    fn the_tolerance_follows_from_how_lengths_are_written() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        let stream = with_lengths(&["4.82843", "760.394", "1234.56", "5"]);
        near(stream.tolerance(999.999), 1e-3);
        near(stream.tolerance(1234.56), 6e-3);
        near(stream.tolerance(12345.6), 6e-2);
        let long = with_lengths(&["361.20815277", "1.00000000"]);
        near(long.tolerance(1361.2), 1e-3);
        let two = with_lengths(&["470.43", "0.00", "3.8"]);
        assert_eq!((two.decimals, two.digits), (2, 5));
        near(two.tolerance(3.8), 6e-3);
        let whole = with_lengths(&["5", "12"]);
        assert_eq!((whole.decimals, whole.digits), (0, 2));
        near(whole.tolerance(12.0), 1e-3);
    }

    proptest! {
        #[test]
        fn a_spoilt_file_is_read_or_refused_at_a_place_in_it(
            at in 0..SMALL.len(),
            removed in 0usize..6,
            inserted in proptest::collection::vec(any::<u8>(), 0..6),
        ) {
            let mut bytes = SMALL.as_bytes().to_vec();
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, inserted);
            if let Err(error) = parse(&bytes) {
                let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
                prop_assert!((1..=lines.len() + 1).contains(&error.line));
                let length = lines.get(error.line - 1).map_or(0, |line| line.len());
                prop_assert!((1..=length + 1).contains(&error.column));
            }
        }
    }
}
