//! `[class.NAME]`, and files of one class.

use crate::*;

#[test]
fn good_classes_are_read_field_by_field() {
    let scenario = good();
    let [truck, big] = &scenario.classes[..] else { panic!("{:?}", scenario.classes) };
    assert_eq!((truck.name.as_str(), truck.key.as_str(), truck.line), ("truck", "class.truck", 28));
    assert_eq!(truck.headings, located(4, 29));
    assert_eq!(truck.footprint, located(vec![[0, 0], [-1, 0]], 30));
    assert_eq!(truck.pivot, located([0.0, -0.5], 31));
    let [shallow] = &truck.speed[..] else { panic!("{:?}", truck.speed) };
    assert_eq!((shallow.name.as_str(), shallow.speed, shallow.line), ("shallow", 300, 33));
    assert_eq!(shallow.key, "class.truck.speed.shallow");
    let [hedge] = &truck.side_speed[..] else { panic!("{:?}", truck.side_speed) };
    assert_eq!((hedge.name.as_str(), hedge.speed, hedge.line), ("hedge", 500, 34));
    let [forward, left] = &truck.moves[..] else { panic!("{:?}", truck.moves) };
    assert_eq!((forward.name.as_str(), forward.by, forward.turn), ("forward", [1, 0], 0));
    assert_eq!((forward.time, &forward.swept, forward.line), (10, &None, 36));
    assert_eq!((left.name.as_str(), left.by, left.turn), ("left", [0, 0], 1));
    assert_eq!((left.time, &left.swept, left.line), (10, &Some(vec![[1, -1]]), 37));
    assert_eq!((left.key.as_str(), left.when), ("class.truck.moves[1]", When::Any));
    assert_eq!([truck.sweep_moves, truck.sweep_turns], [Some(SweepRule::Ends); 2]);
    assert_eq!(truck.climb, Climb::default());
    assert_eq!(truck.footprint_diagonal, None);

    assert_eq!((big.name.as_str(), big.key.as_str(), big.line), ("big one", r#"class."big one""#, 40));
    // Rows: forward is to the right on the page, right is down; `>` is the anchor.
    assert_eq!(big.footprint, located(vec![[-1, -1], [0, -1], [-1, 0], [0, 0]], 42));
    assert_eq!((&big.pivot, big.headings.value), (&located([0.0, 0.0], 40), 1));
    assert_eq!((big.moves[0].time, big.moves[0].line), (65_535, 44));
}

#[test]
fn slopes_and_diagonals_are_read_field_by_field() {
    let scenario = edits();
    let tank = &scenario.classes[0];
    assert_eq!(tank.headings, located(8, 9));
    assert_eq!(tank.footprint_diagonal, Some(vec![[0, 0], [1, -1]]));
    // A missing value has the default of the shape of the map.
    assert_eq!([tank.sweep_moves, tank.sweep_turns], [None, Some(SweepRule::Full)]);
    let climb = Climb { up: 100, down: -50, max_up: Some(3), max_down: Some(4), max_tilt: Some(0) };
    assert_eq!(tank.climb, climb);
    let [straight, diagonal, left] = &tank.moves[..] else { panic!("{:?}", tank.moves) };
    // One name may stand for the straight and for the diagonal headings.
    assert_eq!((straight.name.as_str(), diagonal.name.as_str()), ("go", "go"));
    assert_eq!((straight.when, diagonal.when, left.when), (When::Straight, When::Diagonal, When::Any));
    assert_eq!((&straight.swept, &diagonal.swept), (&Some(vec![]), &None));
    assert_eq!((diagonal.by, left.turn), ([1, -1], -7));
}

#[test]
fn wrong_values_say_what_was_found() {
    let time = "37: class.truck.moves[1].time: expected a whole number from 1 to 65535, found";
    assert_eq!(message("time = 0x0a", "time = -5"), format!("{time} -5"));
    assert_eq!(message("time = 0x0a", "time = 0"), format!("{time} 0"));
    assert_eq!(message("time = 0x0a", "time = 10.0"), format!("{time} 10.0"));
    assert_eq!(message("time = 0x0a", "time = 65536"), format!("{time} 65536"));
    check_good(&[
        ("headings = 4\n", "", "28: class.truck.headings: missing, expected 1, 4 or 8"),
        ("name = \"left\", ", "", "37: class.truck.moves[1].name: missing, expected the name of the move"),
        (
            ", time = 0x0a",
            "",
            "37: class.truck.moves[1].time: missing, expected a whole number from 1 to 65535",
        ),
        ("{ shallow = 300 }", "500", "33: class.truck.speed: expected a table of terrain speeds, found 500"),
        (
            "pivot = [0, -0.5]",
            "pivot = [0, nan]",
            "31: class.truck.pivot[1]: expected a number from -67108864 to 67108864, found nan",
        ),
        ("pivot = [0, -0.5]", "pivot = 0.5", "31: class.truck.pivot: expected [forward, right], found 0.5"),
    ]);
    check_ranges(&[
        ("shallow = 300", "shallow = 65536", "class.truck.speed.shallow", (0, 65_535)),
        ("turn = 1", "turn = 8", "class.truck.moves[1].turn", (-7, 7)),
        (
            "swept = [[1, -1]]",
            "swept = [[1, 67108865]]",
            "class.truck.moves[1].swept[0][1]",
            (-67_108_864, 67_108_864),
        ),
    ]);
    assert_eq!(
        messages("name = 'x'\nticks = 1\nmap.file = 'a'\n[class.a]\nheadings = 1"),
        ["4: class.a.moves: missing, expected a list of moves"]
    );
}

#[test]
fn buildings_need_no_moves_but_classes_must_have_a_body() {
    let building = "name = 'x'\nticks = 1\nmap.file = 'a'\n[class.a]\nheadings = 1\nmoves = []";
    let typed = parse("x.toml", building.as_bytes()).expect("nothing is wrong");
    assert!(typed.classes[0].moves.is_empty());
    check_good(&[
        (
            "[[0, 0], [-1, 0]]",
            "[]",
            "30: class.truck.footprint: expected at least one cell, found an empty list",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[[0, 0, 0]]",
            "30: class.truck.footprint[0]: expected [forward, right], found [0, 0, 0]",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\"XX\"]",
            "30: class.truck.footprint: expected exactly one > (the covered anchor), found 0",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\">>\"]",
            "30: class.truck.footprint: expected exactly one > (the covered anchor), found 2",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\"X>\", \"x.\"]",
            "30: class.truck.footprint[1]: expected a row of the glyphs X, > and ., found \"x.\"",
        ),
        (
            "[[0, 0], [-1, 0]]",
            "[\"X>\", \"X..\"]",
            "30: class.truck.footprint[1]: expected 2 glyphs, as in the first row, found 3",
        ),
        ("headings = 4", "headings = 5", "29: class.truck.headings: expected 1, 4 or 8, found 5"),
        (
            "name = \"left\"",
            "name = \"\"",
            "37: class.truck.moves[1].name: expected the name of the move, found \"\"",
        ),
        (
            "name = \"left\"",
            "name = \"forward\"",
            "37: class.truck.moves[1].name: expected a unique name, found \"forward\", which is \
             also class.truck.moves[0].name (line 36)",
        ),
        (
            "turn = 1, ",
            "",
            "37: class.truck.moves[1]: expected by = [forward, right] or turn = steps, found no motion",
        ),
        (
            "turns = \"ends\"",
            "turns = \"end\"",
            "32: class.truck.sweep.turns: expected \"ends\" or \"full\", found \"end\"; did you mean \"ends\"?",
        ),
        ("[class.truck]", "[class.\"\"]", "28: class.\"\": expected a name for the class, found \"\""),
    ]);
}

#[test]
fn slopes_and_diagonals_say_what_is_wrong() {
    let unsigned = "expected a whole number from 0 to 4294967295, found";
    for (piece, replacement, expected) in [
        (
            "footprint_diagonal = [[0, 0], [1, -1]]",
            "footprint_diagonal = [\"X\"]",
            "10: class.tank.footprint_diagonal[0]: expected [forward, right], found \"X\"".to_owned(),
        ),
        (
            "footprint_diagonal = [[0, 0], [1, -1]]",
            "footprint_diagonal = []",
            "10: class.tank.footprint_diagonal: expected at least one cell, found an empty list".to_owned(),
        ),
        (
            "turns = \"full\"",
            "turns = \"half\"",
            "11: class.tank.sweep.turns: expected \"ends\" or \"full\", found \"half\"".to_owned(),
        ),
        ("\nup = 100", "\nup = -1", format!("12: class.tank.up: {unsigned} -1")),
        (
            "down = -50",
            "down = 2147483648",
            "13: class.tank.down: expected a whole number from -2147483648 to 2147483647, found 2147483648"
                .to_owned(),
        ),
        ("max_up = 3", "max_up = -1", format!("14: class.tank.max_up: {unsigned} -1")),
        ("max_down = 4", "max_down = \"4\"", format!("15: class.tank.max_down: {unsigned} \"4\"")),
        ("max_tilt = 0", "max_tilt = 4294967296", format!("16: class.tank.max_tilt: {unsigned} 4294967296")),
        (
            "max_tilt = 0",
            "max_titl = 0",
            "16: class.tank.max_titl: unknown key, did you mean `max_tilt`?".to_owned(),
        ),
        (
            "when = \"straight\"",
            "when = \"any\"",
            "18: class.tank.moves[0].when: expected \"straight\" or \"diagonal\", found \"any\"".to_owned(),
        ),
        (
            "when = \"diagonal\"",
            "when = \"straight\"",
            "19: class.tank.moves[1].name: expected a unique name, found \"go (straight)\", which is \
             also class.tank.moves[0].name (line 18)"
                .to_owned(),
        ),
        (
            "turn = -7",
            "turn = -8",
            "20: class.tank.moves[2].turn: expected a whole number from -7 to 7, found -8".to_owned(),
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), expected);
    }
}

#[test]
fn counts_are_bounded() {
    let moves: String =
        (0..17).map(|move_idx| format!("{{ name = 'm{move_idx}', turn = 1, time = 1 }},")).collect();
    let left = "  { name = \"left\", turn = 1, time = 0x0a, swept = [[1, -1]] },\n";
    let start = "35: class.truck.moves: expected at most 16 moves, found";
    assert_eq!(message(left, &moves), format!("{start} 18"));
    assert_eq!(
        message("[[0, 0], [-1, 0]]", &format!("[{}]", "[0, 0],".repeat(1025))),
        "30: class.truck.footprint: expected at most 1024 cells, found 1025"
    );
    assert_eq!(
        message("[[0, 0], [-1, 0]]", &format!("[{:?}]", format!(">{}", "X".repeat(1024)))),
        "30: class.truck.footprint: expected at most 1024 cells, found 1025"
    );
    let classes: String = (0..257).map(|class_idx| format!("c{class_idx}.headings = 1\n")).collect();
    assert_eq!(
        messages(&format!("name = 'x'\nticks = 1\nmap.file = 'a'\n[class]\n{classes}")),
        ["4: class: expected at most 256 classes, found 257"]
    );
}

#[test]
fn class_files_hold_one_class() {
    let file = parse_class_file("c.toml", GOOD_CLASS_FILE.as_bytes()).expect("right");
    assert_eq!((file.class.name.as_str(), file.class.line), ("cart", 4));
    assert_eq!((file.terrains[0].name.as_str(), file.sides[0].name.as_str()), ("mud", "gate"));

    let said = |text: &str| parse_class_file("c.toml", text.as_bytes()).expect_err("wrong").to_string();
    assert_eq!(
        said("[terrain.mud]\nspeed = 1"),
        "c.toml:1:1: class: missing, expected one [class.NAME] table"
    );
    assert_eq!(
        said(&format!(
            "{GOOD_CLASS_FILE}[class.b]\nheadings = 4\nmoves = [{{ name = 'l', turn = 1, time = 1 }}]"
        )),
        "c.toml:9:1: class.b: expected one class in a class file, found a second"
    );
    assert_eq!(
        said(&format!("ticks = 3{GOOD_CLASS_FILE}")),
        "c.toml:1:1: ticks: unknown key, expected class, terrain or side"
    );
}
