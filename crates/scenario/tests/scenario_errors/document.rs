//! The document as a whole: text that is no TOML, several mistakes together, hostile input.

use crate::*;
use proptest::prelude::*;

#[test]
fn a_file_that_is_not_toml_is_one_mistake_with_a_line() {
    let mut bytes = GOOD.as_bytes().to_vec();
    let at = GOOD.find("convoy").expect("there");
    bytes[at] = 0xff;
    let errors = parse("x.toml", &bytes).expect_err("not UTF-8");
    assert_eq!(errors.to_string(), "x.toml:50:9: expected UTF-8 text, found the byte 0xff");

    let cut = GOOD.find("{ name = \"left\"").expect("there");
    assert_eq!(messages(&GOOD[..cut]), ["36: not valid TOML: unclosed array, expected `]`"]);
    assert_eq!(messages("name = \"x\nticks = 1"), ["1: not valid TOML: invalid basic string, expected `\"`"]);
    assert_eq!(message("ticks = 3000", "seed = 8"), "3: not valid TOML: duplicate key");
    assert_eq!(
        messages(""),
        [
            "1: name: missing, expected a string",
            "1: ticks: missing, expected a whole number from 1 to 4294967294",
            "1: map: missing, expected a [map] table with file, rows or generate",
        ]
    );
}

#[test]
fn several_mistakes_come_in_line_order() {
    let text = good_with("at = [0, 0]", "at = 7")
        .replace("speed = 400", "speed = 70000")
        .replace("seed = 7", "sead = 7")
        .replace("tick = 600", "tick = -1")
        .replace("headings = 4", "headings = 6\nmax_up = -2");
    let errors = parse("scenarios/x.toml", text.as_bytes()).expect_err("wrong");
    assert_eq!(
        errors.to_string(),
        "scenarios/x.toml:2:1: sead: unknown key, did you mean `seed`?\n\
         scenarios/x.toml:18:9: terrain.shallow.speed: expected a whole number from 0 to 65535, found 70000\n\
         scenarios/x.toml:29:12: class.truck.headings: expected 1, 4 or 8, found 6\n\
         scenarios/x.toml:30:10: class.truck.max_up: expected a whole number from 0 to 4294967295, found -2\n\
         scenarios/x.toml:63:6: agents[1].at: expected [x, y, heading], found 7\n\
         scenarios/x.toml:72:8: events[0].tick: expected a whole number from 0 to 4294967294, found -1"
    );
}

#[test]
fn the_first_twenty_mistakes_are_shown() {
    let text = format!("name = 'x'\nticks = 1\nmap.file = 'a'\n{}", "[[agents]]\n".repeat(15));
    let errors = parse("x.toml", text.as_bytes()).expect_err("wrong");
    assert_eq!(errors.as_slice().len(), 30);
    let shown = errors.to_string();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[19], "x.toml:13:1: agents[9].at: missing, expected [x, y, heading]");
    assert_eq!(lines[20], "and 10 more");
}

#[test]
fn errors_of_others_join_the_same_list() {
    let (file, key) = ("a.toml".to_owned(), "agents[3].at".to_owned());
    let error = ScenarioError::new(file, 14, key, "cell (9, 4) is deep water");
    let errors = ScenarioErrors::from(error.clone());
    assert_eq!(errors, ScenarioErrors::new(vec![error]));
    assert_eq!(errors.to_string(), "a.toml:14: agents[3].at: cell (9, 4) is deep water");
}

#[test]
#[should_panic = "at least one mistake"]
fn an_empty_list_of_errors_is_our_mistake() {
    let _ = ScenarioErrors::new(Vec::new());
}

#[test]
fn positions_survive_a_byte_order_mark_and_carriage_returns() {
    let text = GOOD.replace('\n', "\r\n").replace("at = [0, 0]", "at = 7");
    assert_eq!(messages(&text), ["62: agents[1].at: expected [x, y, heading], found 7"]);
    let text = format!("\u{feff}{}", GOOD.replace("at = [0, 0]", "at = 7"));
    assert_eq!(messages(&text), ["62: agents[1].at: expected [x, y, heading], found 7"]);
}

#[test]
fn deep_nesting_is_refused_without_a_crash() {
    for text in [
        format!("name = {}", "[".repeat(100_000)),
        format!("name = {}", "{ a = ".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(100_000)),
        format!("[{}a]\n{}a = 1", "a.".repeat(79), "a.".repeat(79)).repeat(2),
    ] {
        assert!(parse("x.toml", text.as_bytes()).is_err());
    }
}

/// Every mistake must have a line of the file and a message of one line.
fn check_mistakes(bytes: &[u8], errors: &ScenarioErrors) {
    let n_lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
    for error in errors.as_slice() {
        assert!((1..=n_lines).contains(&error.line), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
        let span = error.span.expect("the text is known");
        assert!(span.line == error.line && span.column > 0, "{error}");
        assert!((span.end_line, span.end_column) > (span.line, span.column), "{error}: {span:?}");
    }
    assert!(errors.as_slice().is_sorted_by_key(|error| error.line));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_bytes_never_panic(
        good in prop::sample::select(&[GOOD, EDITS]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), 32..127u8]), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = good.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at.index(good.len())] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(good.len()));
        }
        if let Err(errors) = parse("x.toml", &bytes) {
            check_mistakes(&bytes, &errors);
        }
        let _ = parse_class_file("x.toml", &bytes);
    }

    #[test]
    fn shuffled_values_never_panic(
        good in prop::sample::select(&[GOOD, EDITS]),
        swaps in prop::collection::vec((0..GOOD_VALUES.len(), any::<prop::sample::Index>()), 1..6),
    ) {
        // Whole values of a wrong kind reach farther into the reader than bytes do.
        let mut lines: Vec<String> = good.lines().map(str::to_owned).collect();
        for (value_idx, line) in swaps {
            let line_idx = line.index(lines.len());
            if let Some((key, _)) = lines[line_idx].clone().split_once(" = ") {
                lines[line_idx] = format!("{key} = {}", GOOD_VALUES[value_idx]);
            }
        }
        let text = lines.join("\n");
        if let Err(errors) = parse("x.toml", text.as_bytes()) {
            check_mistakes(text.as_bytes(), &errors);
        }
    }
}

/// Values to put where others belong.
const GOOD_VALUES: [&str; 18] = [
    "0",
    "-1",
    "70000",
    "9223372036854775807",
    "-9223372036854775808",
    "1e400",
    "inf",
    "true",
    "\"\"",
    "\"ends\"",
    "[]",
    "[[]]",
    "[0, 0]",
    "[[0, 0], 1]",
    "{}",
    "{ a = {} }",
    "1979-05-27",
    "[\"X\", \">\"]",
];
