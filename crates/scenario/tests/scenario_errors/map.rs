//! `[map]`.

use crate::*;

#[test]
fn good_map_is_read_field_by_field() {
    let scenario = good();
    let map = &scenario.map;
    assert_eq!((map.line, &map.elevation), (9, &None));
    assert_eq!(map.source, MapSource::Rows(vec![text("....", 11), text("..~~", 12)]));
    assert_eq!(map.walls.len(), 1);
    let wall = &map.walls[0];
    assert_eq!((wall.corners, wall.line, wall.key.as_str()), ([3, 0, 3, 9], 15, "map.walls[0]"));

    let scenario = edits();
    assert_eq!(
        scenario.map.source,
        MapSource::Generate { kind: text("river", 5), size: [256, 67_108_864], seed: 3 }
    );
    let heights = vec![located(vec![0, -7], 6), located(vec![32_767, -32_768], 6)];
    assert_eq!(scenario.map.elevation, Some(Elevation::Rows(heights)));
}

#[test]
fn wrong_values_say_what_was_found() {
    check_good(&[
        (
            "[[3, 0, 3, 9]]",
            "[[3, 0, 3, 9], [3, 0]]",
            "15: map.walls[1]: expected [x0, y0, x1, y1], found [3, 0]",
        ),
        ("\"..~~\"", "2", "12: map.rows[1]: expected a row of glyphs, found 2"),
        (
            "\"..~~\"",
            "[\"a\", { b = 1 }, [2.5, 08:30:00, 0x0f]]",
            "12: map.rows[1]: expected a row of glyphs, found [\"a\", {...}, [2.5, 08:30:00, 0x0f]]",
        ),
    ]);
    // Long values are not quoted whole.
    assert_eq!(
        message("\"..~~\"", &format!("{:?}", [0; 50])),
        "12: map.rows[1]: expected a row of glyphs, found a list of 50"
    );
}

#[test]
fn maps_have_exactly_one_source() {
    assert_eq!(
        messages("name = 'x'\nticks = 1\n"),
        ["1: map: missing, expected a [map] table with file, rows or generate"]
    );
    assert_eq!(
        message("shape = \"square\"", "file = \"a.map\""),
        "9: map: expected only one of file, rows or generate, found file and rows"
    );
    assert_eq!(
        messages("name = 'x'\nticks = 1\n[map]\n"),
        ["3: map: expected file, rows or generate, found none"]
    );
    assert_eq!(
        messages("name = 'x'\nticks = 1\n[map]\nrows = []"),
        ["4: map.rows: expected at least one row, found an empty list"]
    );
    assert_eq!(
        messages("name = 'x'\nticks = 1\n[map]\nfile = ''"),
        ["4: map.file: expected a path, found \"\""]
    );
}

#[test]
fn generated_maps_say_what_is_wrong() {
    let whole = "generate = { kind = \"river\", size = [256, 67108864], seed = 3 }";
    for (piece, replacement, expected) in [
        (whole, "generate = \"river\"", "generate: expected a table, found \"river\""),
        ("kind = \"river\"", "kind = 1", "generate.kind: expected the name of a generator, found 1"),
        ("kind = \"river\"", "kind = \"\"", "generate.kind: expected the name of a generator, found \"\""),
        ("kind = \"river\", ", "", "generate.kind: missing, expected the name of a generator"),
        ("size = [256, 67108864], ", "", "generate.size: missing, expected [width, height]"),
        ("[256, 67108864]", "256", "generate.size: expected [width, height], found 256"),
        (
            "67108864",
            "67108865",
            "generate.size[1]: expected a whole number from 1 to 67108864, found 67108865",
        ),
        ("[256,", "[0,", "generate.size[0]: expected a whole number from 1 to 67108864, found 0"),
        (
            "seed = 3",
            "seed = -3",
            "generate.seed: expected a whole number from 0 to 9223372036854775807, found -3",
        ),
        ("seed = 3", "sead = 3", "generate.sead: unknown key, did you mean `seed`?"),
        ("seed = 3", "river = 3", "generate.river: unknown key, expected kind, size or seed"),
        ("generate =", "generat =", "generat: unknown key, did you mean `generate`?"),
    ] {
        assert_eq!(edits_message(piece, replacement), format!("5: map.{expected}"));
    }
    for (piece, replacement, expected) in [
        (
            "elevation = [[",
            "elevation = [[], [",
            "elevation[0]: expected at least one height, found an empty list",
        ),
        ("32767", "32768", "elevation[1][0]: expected a whole number from -32768 to 32767, found 32768"),
        (
            "elevation = [[0, -7], [32767, -32768]]",
            "elevation = 3",
            "elevation: expected a list of rows, found 3",
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), format!("6: map.{expected}"));
    }
}
