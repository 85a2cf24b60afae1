use super::*;
use proptest::prelude::*;

const SMALL: &str = "version 1\n0\tmaps/a.map\t9\t7\t0\t1\t2\t3\t2.82843\n\
                     3\tmaps/a.map\t9\t7\t8\t6\t8\t0\t6\n";

/// The text of the error of a file.
fn refused(text: impl AsRef<[u8]>) -> String {
    parse(text.as_ref()).unwrap_err().to_string()
}

/// The text of the error of the first query with one of its fields replaced.
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
        of("map", 3, "a.png", "the name of a map, with the extension .map")
    );
    for found in ["-1", "+1", "nan", "inf", "1e3", ".5", "5.", "1.2.3", "1,5"] {
        let expected = "a number of cells such as 12 or 12.0711";
        assert_eq!(field_refused(8, found), of("optimal length", 26, found, expected));
    }
    let endless = "9".repeat(1000);
    assert!(field_refused(8, &endless).contains("999..."), "a length that is no finite number");
    let size = "a map of 4294967296 x 7 cells; width and height must be at least 1 and their product at most";
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
    // A truncated file is refused, unless only the last digits of a line are missing.
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
    assert_eq!(second("\t9\t", "\t8\t"), format!("line 3, column 14: width: found \"8\", expected 9 {end}"));
    assert_eq!(second("\t7\t", "\t8\t"), format!("line 3, column 16: height: found \"8\", expected 7 {end}"));
}

#[test]
fn the_number_of_queries_is_limited() {
    let none = "the file has no query, expected one per line";
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
fn invalid_utf8_is_named_with_its_place() {
    let mut bytes = SMALL.as_bytes().to_vec();
    bytes[12] = 0xff;
    assert_eq!(refused(bytes), "line 2, column 3: not UTF-8 text; expected a text file");
}

#[test]
fn the_tolerance_follows_from_the_digits_of_lengths() {
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
    fn damaged_files_are_read_or_refused_at_a_place_in_them(
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
