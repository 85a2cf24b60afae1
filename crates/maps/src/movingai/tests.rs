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

/// Line, column and kind of the error of `text`.
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
    for text in ["type octile\nheight 1\nwidth 1\nmap\n@", "type octile\nheight 1\nwidth 1\nmap\n@\n\n \n"] {
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
    // Every prefix of a file is refused, except without the last line end.
    for end in 0..SMALL.len() - 1 {
        assert!(read(&SMALL[..end]).is_err(), "first {end} bytes");
    }
}

#[test]
fn an_unknown_glyph_is_named_with_its_place() {
    let error = read(SMALL.replace("SWT", "SWx")).unwrap_err();
    assert_eq!((error.line, error.column), (6, 3));
    assert_eq!(error.to_string(), "line 6, column 3: glyph 'x' has no terrain; expected one of \".GSWT@O\"");
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
    let error = parse(text.replace("湖山\n", "湖.\n").as_bytes(), table, SideTable::default()).unwrap_err();
    assert_eq!((error.line, error.column), (6, 3));
}

#[test]
fn invalid_utf8_is_named_with_its_place() {
    assert_eq!(refused(b"\xff"), (1, 1, MapFileErrorKind::NotUtf8));
    let mut bytes = "\u{feff}".as_bytes().to_vec();
    bytes.extend(SMALL.replace("SWT", "éS").trim_end().as_bytes());
    bytes.extend(b"\xe5\xb1");
    assert_eq!(refused(bytes), (6, 3, MapFileErrorKind::NotUtf8));
}

#[test]
fn sizes_are_checked_before_allocation() {
    let sized =
        |height: &str, width: &str| refused(format!("type octile\nheight {height}\nwidth {width}\nmap\n.\n"));
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
    let empty = |is_before_header| MapFileErrorKind::EmptyLine { is_before_header };
    assert_eq!(header("type octile\n\nheight 2\nwidth 3"), (2, 1, empty(false)));
    assert_eq!(header("\r\n\r\ntype octile"), (1, 1, empty(true)));
    assert_eq!(refused("type octile\rheight 2\r"), (1, 1, MapFileErrorKind::CrAlone));
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
    // A scenario may name any file: its lines must not be in messages.
    for line in ["é".repeat(100_000), "root:x:0:0:root:/root".to_owned(), "abcdefghijklmnopq".to_owned()] {
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
    fn written_maps_are_read_again(grid in any_grid(), crlf in any::<bool>(), mark in any::<bool>()) {
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
    fn damaged_files_are_read_or_refused_at_a_place_in_them(
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
