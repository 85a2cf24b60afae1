//! Tables of sweeps: rows as lines of CSV or JSON, read and written.

use super::error::SweepError;
use super::items::{Items, cell_text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values (RFC 4180, with line feeds), with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
}

impl Format {
    /// The format that the ending of a file name says.
    /// # Errors
    /// [`SweepError::Argument`] for another ending.
    pub fn of(path: &Path) -> Result<Self, SweepError> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("jsonl") => Ok(Self::Jsonl),
            _ => Err(SweepError::argument(format_args!(
                "expected a table FILE.csv or FILE.jsonl, found {}",
                path.display()
            ))),
        }
    }
}

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran to its end, and was measured.
    Done,
    /// The scenario cannot be loaded with these values.
    NotLoaded,
    /// It could need more memory than it may take. Elsewhere it might run: such a row is computed again.
    NoMemory,
    /// The step of a tick panicked.
    Panicked,
    /// An invariant broke.
    BrokenInvariant,
}

impl Status {
    /// Every status with its name.
    pub const NAMES: [(Self, &'static str); 5] = [
        (Self::Done, "done"),
        (Self::NotLoaded, "not_loaded"),
        (Self::NoMemory, "no_memory"),
        (Self::Panicked, "panicked"),
        (Self::BrokenInvariant, "broken_invariant"),
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

impl FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(_, name)| *name == text).map(|(status, _)| *status);
        found.ok_or_else(|| format!("expected a status, found `{text}`"))
    }
}

/// What one item gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Number of the item in the order of the table.
    pub item: usize,
    /// Its key: the hash of all that the row depends on.
    pub key: u64,
    /// What became of it.
    pub status: Status,
    /// Why it failed; empty for [`Status::Done`].
    pub reason: String,
    /// The measures in the order of the sweep; all null if it failed.
    pub measures: Vec<Value>,
    /// Wall time of the run in seconds, without loading; if the table has times.
    pub wall_s: Option<f64>,
}

/// Rows of a sweep, each item at most once.
#[derive(Clone, Debug)]
pub struct Table {
    items: Items,
    format: Format,
    rows: BTreeMap<usize, Held>,
}

/// A row as its line, and where it comes from.
#[derive(Clone, Debug)]
struct Held {
    line: String,
    status: Status,
    source: Source,
}

/// A line of a file; line 0 is the run in progress.
#[derive(Clone, Debug)]
struct Source {
    file: Arc<str>,
    line: usize,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// A file of rows as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRows {
    /// Bytes up to the end of the last whole line. What follows was torn off while it was written.
    pub whole_bytes: usize,
    /// Rows of this file.
    pub rows: usize,
    /// Rows that are left out, because their items are now made of other files, or of another release.
    pub stale: usize,
}

impl Table {
    /// A table without rows.
    pub fn new(items: Items, format: Format) -> Self {
        Self { items, format, rows: BTreeMap::new() }
    }

    /// The items that the table is about.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Whether an item has its row; a row that says that there was too little memory does not count.
    pub fn has(&self, item: usize) -> bool {
        self.rows.get(&item).is_some_and(|held| held.status != Status::NoMemory)
    }

    /// Number of rows of each status that occurs.
    pub fn statuses(&self) -> BTreeMap<Status, usize> {
        let mut counts = BTreeMap::new();
        self.rows.values().for_each(|held| *counts.entry(held.status).or_default() += 1);
        counts
    }

    /// The header line of a CSV table, with its line feed; empty for JSON.
    pub fn header(&self) -> String {
        match self.format {
            Format::Csv => csv_line(self.items.columns().into_iter()),
            Format::Jsonl => String::new(),
        }
    }

    fn cells_of(&self, row: &Row) -> Vec<Value> {
        let mut cells: Vec<Value> = vec![self.items.scenario(row.item).into()];
        cells.extend(self.items.values(row.item).into_iter().cloned());
        cells.push(self.items.seed(row.item).into());
        cells.push(format!("{:016x}", row.key).into());
        cells.push(row.status.name().into());
        cells.push(if row.reason.is_empty() { Value::Null } else { row.reason.as_str().into() });
        cells.extend(row.measures.iter().cloned());
        if self.items.sweep().times {
            cells.push(row.wall_s.map_or(Value::Null, Value::from));
        }
        cells
    }

    fn line(&self, cells: &[Value]) -> String {
        match self.format {
            Format::Csv => csv_line(cells.iter().map(cell_text)),
            Format::Jsonl => {
                let columns = self.items.columns().into_iter().map(str::to_owned);
                let row: Map<String, Value> = columns.zip(cells.iter().cloned()).collect();
                format!("{}\n", Value::Object(row))
            }
        }
    }

    /// Adds a row; gives it as a line, with its line feed.
    /// # Errors
    /// [`SweepError::Differs`] if the item has another one, times aside.
    pub fn add(&mut self, row: &Row) -> Result<String, SweepError> {
        let source = Source { file: "the run".into(), line: 0 };
        let line = self.line(&self.cells_of(row));
        self.hold(row.item, Held { line: line.clone(), status: row.status, source })?;
        Ok(line)
    }

    /// Of two rows of an item, a row that says too little memory gives way.
    fn hold(&mut self, item: usize, held: Held) -> Result<(), SweepError> {
        let Some(old) = self.rows.get(&item).filter(|old| old.status != Status::NoMemory) else {
            self.rows.insert(item, held);
            return Ok(());
        };
        if held.status == Status::NoMemory || self.timeless(&old.line) == self.timeless(&held.line) {
            return Ok(());
        }
        let (a, b) = (self.cells(&old.line), self.cells(&held.line));
        let columns = self.items.columns();
        let differs = columns.iter().zip(a.iter().zip(&b)).find(|(_, (a, b))| a != b);
        let differs =
            differs.map(|(column, (a, b))| format!("{column} is {} and {}", cell_text(a), cell_text(b)));
        let (label, source) = (self.items.label(item), &held.source);
        Err(SweepError::Differs(format!(
            "{} and {source}: the row of {label} was computed twice, and differs: {}",
            old.source,
            differs.unwrap_or_default()
        )))
    }

    /// A line without the wall time, which is its last cell.
    fn timeless<'l>(&self, line: &'l str) -> &'l str {
        let mark = if self.format == Format::Csv { "," } else { ",\"wall_s\":" };
        let cut = line.rsplit_once(mark).filter(|_| self.items.sweep().times);
        cut.map_or(line, |(before, _)| before)
    }

    /// The cells of a line of this table.
    fn cells(&self, line: &str) -> Vec<Value> {
        match self.format {
            Format::Csv => {
                let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
                let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
                record.iter().map(value_of_csv).collect()
            }
            Format::Jsonl => match serde_json::from_str(line) {
                Ok(Value::Object(row)) => row.into_iter().map(|(_, cell)| cell).collect(),
                _ => Vec::new(),
            },
        }
    }

    /// Reads the rows of a file. `key_of` is the key that the row of an item must have; rows with another key are left
    /// out. A torn last line is left out too.
    /// # Errors
    /// [`SweepError::File`] if there is something that is no row of this table, and [`SweepError::Differs`].
    pub fn read(
        &mut self,
        file: &Path,
        bytes: &[u8],
        key_of: Option<&dyn Fn(usize) -> u64>,
    ) -> Result<ReadRows, SweepError> {
        let whole_bytes = whole_bytes(bytes, self.format);
        let mut read = ReadRows { whole_bytes, rows: 0, stale: 0 };
        let name: Arc<str> = file.display().to_string().into();
        let wrong = |line: usize, why: &dyn fmt::Display| {
            SweepError::in_file(file, format_args!("line {line}: {why}"))
        };
        let whole = &bytes[..whole_bytes];
        let mut hold = |table: &mut Self, line: usize, cells: Vec<Value>| {
            let parsed = table.parsed(&cells).map_err(|why| wrong(line, &why))?;
            let Parsed { item, key, status } = parsed;
            if key_of.is_some_and(|key_of| key_of(item) != key) {
                read.stale += 1;
                return Ok(());
            }
            read.rows += 1;
            table.hold(
                item,
                Held { line: table.line(&cells), status, source: Source { file: name.clone(), line } },
            )
        };
        match self.format {
            Format::Csv => {
                let mut reader =
                    csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(whole);
                let mut record = csv::StringRecord::new();
                let mut is_header = true;
                loop {
                    let line = reader.position().line() as usize;
                    if !reader.read_record(&mut record).map_err(|error| wrong(line, &error))? {
                        break;
                    }
                    let columns = self.items.columns();
                    if is_header {
                        is_header = false;
                        if !record.iter().eq(columns.iter().copied()) {
                            return Err(wrong(line, &other_columns(&columns, record.iter())));
                        }
                        continue;
                    }
                    if record.len() != columns.len() {
                        let why = format!("expected {} cells, found {}", columns.len(), record.len());
                        return Err(wrong(line, &why));
                    }
                    hold(self, line, record.iter().map(value_of_csv).collect())?;
                }
            }
            Format::Jsonl => {
                for (number, line) in whole.split(|&byte| byte == b'\n').enumerate() {
                    if line.is_empty() {
                        continue;
                    }
                    let row: Map<String, Value> =
                        serde_json::from_slice(line).map_err(|error| wrong(number + 1, &error))?;
                    let columns = self.items.columns();
                    if !row.keys().eq(columns.iter().copied()) {
                        let found = row.keys().map(String::as_str);
                        return Err(wrong(number + 1, &other_columns(&columns, found)));
                    }
                    hold(self, number + 1, row.into_iter().map(|(_, cell)| cell).collect())?;
                }
            }
        }
        Ok(read)
    }

    /// Checks the cells of a row, as many as there are columns.
    fn parsed(&self, cells: &[Value]) -> Result<Parsed, String> {
        let n_keys = self.items.sweep().set.len();
        let text = |at: usize| cell_text(&cells[at]);
        let values: Vec<_> = (1..=n_keys).map(text).collect();
        let seed = text(n_keys + 1);
        let seed = seed.parse().map_err(|_| format!("expected a seed, found `{seed}`"))?;
        let scenario = text(0);
        let item = self.items.find(&scenario, &values, seed).ok_or_else(|| {
            let labels: Vec<&str> =
                [&*scenario].into_iter().chain(values.iter().map(|value| &**value)).collect();
            format!("{}, seed {seed} is no item of this sweep", labels.join(", "))
        })?;
        let key = text(n_keys + 2);
        let parsed = u64::from_str_radix(&key, 16).ok().filter(|_| key.len() == 16);
        let key = parsed.ok_or_else(|| format!("expected a key of 16 hexadecimal digits, found `{key}`"))?;
        Ok(Parsed { item, key, status: text(n_keys + 3).parse()? })
    }

    /// The rows in order.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.rows_from(0)
    }

    /// The rows of an item and of the following items, in order.
    pub fn rows_from(&self, item: usize) -> impl Iterator<Item = Row> {
        let first_measure = self.items.sweep().set.len() + 5;
        let n_measures = self.items.sweep().measures.len();
        self.rows.range(item..).filter_map(move |(_, held)| {
            let cells = self.cells(&held.line);
            let Parsed { item, key, status } = self.parsed(&cells).ok()?;
            let reason = cell_text(&cells[first_measure - 1]).into_owned();
            let measures = cells[first_measure..first_measure + n_measures].to_vec();
            let wall_s = cells.get(first_measure + n_measures).and_then(Value::as_f64);
            Some(Row { item, key, status, reason, measures, wall_s })
        })
    }

    /// Writes header and rows in order.
    /// # Errors
    /// Errors of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.header().as_bytes())?;
        self.rows.values().try_for_each(|held| out.write_all(held.line.as_bytes()))
    }
}

/// What identifies a row.
struct Parsed {
    item: usize,
    key: u64,
    status: Status,
}

fn other_columns<'c>(expected: &[&str], found: impl Iterator<Item = &'c str>) -> String {
    let found: Vec<&str> = found.collect();
    format!("expected the columns {}, found {}; it is of another sweep", expected.join(","), found.join(","))
}

fn csv_line(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    for cell in cells {
        // Writing to memory cannot fail, here and below.
        let _ = writer.write_field(cell.as_ref());
    }
    let _ = writer.write_record(None::<&[u8]>);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The value of a cell of CSV: what JSON writes in the same letters, else text.
fn value_of_csv(cell: &str) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    // A cell has no quotes of JSON, and nothing is an empty cell.
    match serde_json::from_str::<Value>(cell) {
        Ok(value) if !value.is_string() && !value.is_null() && cell_text(&value) == cell => value,
        _ => cell.into(),
    }
}

/// Bytes up to the end of the last whole line: a line feed inside quotes ends none.
fn whole_bytes(bytes: &[u8], format: Format) -> usize {
    let mut is_quoted = false;
    let mut whole = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' if format == Format::Csv => is_quoted = !is_quoted,
            b'\n' if !is_quoted => whole = at + 1,
            _ => {}
        }
    }
    whole
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::items::Sweep;
    use super::super::items::tests::sweep;
    use super::*;
    use proptest::prelude::*;

    pub(in crate::sweep) fn row(item: usize, moves: u64) -> Row {
        let measures = vec![moves.into(), format!("{:016x}", moves * 7919).into()];
        Row {
            item,
            key: item as u64 * 31,
            status: Status::Done,
            reason: String::new(),
            measures,
            wall_s: None,
        }
    }

    fn table(format: Format, times: bool) -> Table {
        Table::new(Items::new(Sweep { times, ..sweep() }).unwrap(), format)
    }

    fn bytes_of(table: &Table) -> Vec<u8> {
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        out
    }

    #[test]
    fn a_table_looks_as_documented() {
        let mut csv = table(Format::Csv, false);
        csv.add(&row(3, 20)).unwrap();
        let failed = Row {
            status: Status::NotLoaded,
            reason: "a \"b\", c\nd".to_owned(),
            measures: vec![Value::Null; 2],
            ..row(0, 0)
        };
        csv.add(&failed).unwrap();
        assert_eq!(
            String::from_utf8(bytes_of(&csv)).unwrap(),
            "scenario,ticks,collision,seed,key,status,reason,moves,state_hash\n\
             b.toml,30,swept,3,0000000000000000,not_loaded,\"a \"\"b\"\", c\nd\",,\n\
             b.toml,30,discrete,3,000000000000005d,done,,20,0000000000026aac\n"
        );
        let mut jsonl = table(Format::Jsonl, true);
        jsonl.add(&Row { wall_s: Some(0.25), ..row(3, 20) }).unwrap();
        assert_eq!(
            String::from_utf8(bytes_of(&jsonl)).unwrap(),
            format!(
                "{{\"scenario\":\"b.toml\",\"ticks\":30,\"collision\":\"discrete\",\"seed\":3,\
                 \"key\":\"000000000000005d\",\"status\":\"done\",\"reason\":null,\"moves\":20,\
                 \"state_hash\":\"{:016x}\",\"wall_s\":0.25}}\n",
                20 * 7919
            )
        );
        assert_eq!(csv.rows().collect::<Vec<_>>(), [failed, row(3, 20)]);
        assert_eq!(jsonl.rows().next(), Some(Row { wall_s: Some(0.25), ..row(3, 20) }));
    }

    #[test]
    fn a_row_computed_twice_must_be_equal_times_aside() {
        for format in [Format::Csv, Format::Jsonl] {
            let mut table = table(format, true);
            table.add(&Row { wall_s: Some(0.5), ..row(3, 20) }).unwrap();
            table.add(&Row { wall_s: Some(1.5), ..row(3, 20) }).unwrap();
            assert_eq!(table.rows().next().unwrap().wall_s, Some(0.5));
            let mut other = self::table(format, true);
            other.add(&Row { wall_s: Some(0.5), ..row(3, 21) }).unwrap();
            let error = table.read(Path::new("other.csv"), &bytes_of(&other), None).unwrap_err();
            assert!(matches!(error, SweepError::Differs(_)));
            let text = error.to_string();
            let line = if format == Format::Csv { 2 } else { 1 };
            assert!(
                text.starts_with(&format!("the run and other.csv:{line}: the row of b.toml, ticks = 30")),
                "{text}"
            );
            assert!(text.ends_with("differs: moves is 20 and 21"), "{text}");
        }
    }

    #[test]
    fn rows_without_memory_give_way() {
        let poor = Row { status: Status::NoMemory, reason: "4 GiB".to_owned(), ..row(3, 20) };
        let mut table = table(Format::Csv, false);
        table.add(&poor).unwrap();
        assert!(!table.has(3) && table.n_rows() == 1);
        table.add(&row(3, 20)).unwrap();
        table.add(&poor).unwrap();
        assert!(table.has(3));
        assert_eq!(table.statuses(), BTreeMap::from([(Status::Done, 1)]));
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let mut good = table(Format::Csv, false);
        good.add(&row(3, 20)).unwrap();
        let good = String::from_utf8(bytes_of(&good)).unwrap();
        for (from, to, expected) in [
            ("scenario,", "scenery,", "line 1: expected the columns scenario,ticks"),
            ("b.toml", "c.toml", "line 2: c.toml, 30, discrete, seed 3 is no item of this sweep"),
            (",3,", ",x,", "line 2: expected a seed, found `x`"),
            (",done,", ",fine,", "line 2: expected a status, found `fine`"),
            (",done,", ",done,,", "line 2: expected 9 cells, found 10"),
            ("005d,", "05d,", "line 2: expected a key of 16"),
        ] {
            let error = table(Format::Csv, false).read(
                Path::new("a.csv"),
                good.replacen(from, to, 1).as_bytes(),
                None,
            );
            let error = error.unwrap_err().to_string();
            assert!(error.starts_with("a.csv: ") && error.contains(expected), "{error}");
        }
        let error = table(Format::Jsonl, false).read(Path::new("a.jsonl"), b"{\"a\":1}\n", None).unwrap_err();
        assert!(error.to_string().contains("a.jsonl: line 1: expected the columns"), "{error}");
        let error = table(Format::Jsonl, false).read(Path::new("a.jsonl"), b"nonsense\n", None).unwrap_err();
        assert!(error.to_string().contains("a.jsonl: line 1: "), "{error}");
    }

    #[test]
    fn rows_of_other_files_are_left_out() {
        let mut old = table(Format::Csv, false);
        old.add(&row(3, 20)).unwrap();
        old.add(&row(4, 20)).unwrap();
        let mut new = table(Format::Csv, false);
        let key_of = |item: usize| if item == 3 { 1 } else { item as u64 * 31 };
        let read = new.read(Path::new("a.csv"), &bytes_of(&old), Some(&key_of)).unwrap();
        assert_eq!((read.rows, read.stale), (1, 1));
        assert!(new.has(4) && !new.has(3));
    }

    fn any_row() -> impl Strategy<Value = Row> {
        let cell = prop_oneof![
            Just(Value::Null),
            any::<u64>().prop_map(Value::from),
            "[a-z0-9,\"\n\r ]{1,12}"
                .prop_filter("null is written as nothing", |text| text != "null")
                .prop_map(Value::from),
        ];
        let status = prop::sample::select(Status::NAMES.map(|(status, _)| status).to_vec());
        (0_usize..24, status, "[a-zé,\"\n\r']{0,20}", prop::collection::vec(cell, 2), any::<u64>()).prop_map(
            |(item, status, reason, measures, key)| Row { item, key, status, reason, measures, wall_s: None },
        )
    }

    proptest! {
        #[test]
        fn tables_are_read_as_they_were_written(rows in prop::collection::vec(any_row(), 0..30), is_csv: bool, cut in 0.0..1.0) {
            let format = if is_csv { Format::Csv } else { Format::Jsonl };
            let mut written = table(format, false);
            for row in &rows {
                if !written.rows.contains_key(&row.item) {
                    written.add(row).unwrap();
                }
            }
            let bytes = bytes_of(&written);
            let mut read = table(format, false);
            let all = read.read(Path::new("a"), &bytes, None).unwrap();
            prop_assert_eq!((all.whole_bytes, all.rows), (bytes.len(), written.n_rows()));
            prop_assert_eq!(bytes_of(&read), bytes.clone());
            // Torn off anywhere, the whole lines before are read.
            let end = (bytes.len() as f64 * cut) as usize;
            let mut torn = table(format, false);
            let part = torn.read(Path::new("a"), &bytes[..end], None).unwrap();
            prop_assert!(part.whole_bytes <= end && part.rows <= all.rows);
            let again = torn.read(Path::new("a"), &bytes[part.whole_bytes..], None);
            if !is_csv {
                again.unwrap();
                prop_assert_eq!(bytes_of(&torn), bytes);
            }
        }

        #[test]
        fn merged_parts_are_the_whole(numbers in prop::collection::vec(0_u64..1000, 24), owners in prop::collection::vec(1_u8..8, 24), is_csv: bool) {
            let format = if is_csv { Format::Csv } else { Format::Jsonl };
            let mut whole = table(format, false);
            let mut parts = [0, 1, 2].map(|_| table(format, false));
            for (item, (&moves, &owner)) in numbers.iter().zip(&owners).enumerate() {
                whole.add(&row(item, moves)).unwrap();
                for (_, table) in parts.iter_mut().enumerate().filter(|(part, _)| owner >> part & 1 == 1) {
                    table.add(&row(item, moves)).unwrap();
                }
            }
            let mut merged = table(format, false);
            for part in parts.iter().rev() {
                merged.read(Path::new("part"), &bytes_of(part), None).unwrap();
            }
            prop_assert_eq!(bytes_of(&merged), bytes_of(&whole));
        }
    }
}
