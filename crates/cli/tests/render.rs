//! `wheelbase render`: pages of recordings. What a page shows is checked in a browser by `.ci/page_test.py`.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod common;

use common::*;
use miniz_oxide::inflate::decompress_to_vec_zlib;

fn recorded(scenario: &str) -> Folder {
    let folder = Folder::with("a.toml", scenario);
    folder.run(&["run", "a.toml", "--record", "a.rec"]).code(0);
    folder
}

/// The run that a page carries, as packed: base64 undone, inflated, cut into its sections.
fn sections(page: &str) -> Vec<Vec<u8>> {
    let (_, rest) = page.split_once("<script id=\"run\" type=\"text/plain\">").unwrap();
    let (text, _) = rest.split_once("</script>").unwrap();
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let padding = text.bytes().filter(|&digit| digit == b'=').count();
    let mut bytes: Vec<u8> = Vec::new();
    for four in text.as_bytes().chunks(4) {
        let bits = four.iter().fold(0_u32, |bits, &digit| bits << 6 | u32::from(value(digit)));
        bytes.extend(&bits.to_be_bytes()[1..]);
    }
    bytes.truncate(bytes.len() - padding);
    let packed = decompress_to_vec_zlib(&bytes).unwrap();
    let (mut rest, mut found) = (&packed[..], Vec::new());
    while !rest.is_empty() {
        let (mut len, mut shift) = (0_usize, 0);
        loop {
            let (byte, behind) = rest.split_first().unwrap();
            rest = behind;
            len |= usize::from(byte & 127) << shift;
            shift += 7;
            if *byte < 128 {
                break;
            }
        }
        let (section, behind) = rest.split_at(len);
        found.push(section.to_vec());
        rest = behind;
    }
    found
}

#[test]
fn a_page_needs_nothing_beside_it_and_is_the_same_each_time() {
    let folder = recorded(TRUCKS);
    folder.run(&["render", "a.rec", "--html", "a.html"]).done();
    std::fs::remove_file(folder.path("a.toml")).unwrap();
    folder.run(&["render", "a.rec", "--html", "b.html"]).done();
    let page = folder.read("a.html");
    assert_eq!(page, folder.read("b.html"));
    assert!(page.len() < 100_000, "{}", page.len());
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let sections = sections(&page);
    assert_eq!(sections.len(), 20);
    let about: serde_json::Value = serde_json::from_slice(&sections[0]).unwrap();
    assert_eq!(about["name"], "two trucks");
    assert_eq!(about["names"][0], "convoy-1");
    assert_eq!(about["agents"], 2);
    assert_eq!(about["classes"][0]["footprints"][0], serde_json::json!([[-1, 0], [0, 0]]));
    // Row-major: 8 cells of ground and 2 more, then deep water.
    assert_eq!(sections[1][0], 10);
    // What an agent's section says of the first: id, class, placed, never removed, x 1, y 0, heading E.
    assert_eq!(sections[4][..7], [0, 0, 0, 0, 2, 0, 0]);
}

/// What depends on whether a row is odd stands there for both kinds of rows.
#[test]
fn pages_of_hexagons_say_so() {
    let folder = Folder::new();
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/first/11_hexagons.toml");
    folder.run(&["run", scenario, "--record", "a.rec"]).code(0);
    folder.run(&["render", "a.rec", "--html", "a.html"]).done();
    let sections = sections(&folder.read("a.html"));
    let about: serde_json::Value = serde_json::from_slice(&sections[0]).unwrap();
    assert_eq!((&about["shape"], &about["size"]), (&"hex".into(), &serde_json::json!([9, 8])));
    let wagon = &about["classes"][0];
    let entries = |of: &serde_json::Value| of.as_array().unwrap().len();
    assert_eq!(entries(&wagon["footprints"]), 12);
    // Forwards to the NE: the row above lies half a cell to the west or to the east.
    let steps = &wagon["primitives"][0]["steps"];
    assert_eq!((&steps[2], &steps[3]), (&serde_json::json!([0, -1, 1]), &serde_json::json!([1, -1, 1])));
    let swept = &wagon["primitives"][0]["swept"];
    assert_eq!((entries(&swept[2]), entries(&swept[3])), (3, 3));
    assert_ne!(swept[2], swept[3]);
}

#[test]
fn without_paths_a_page_is_smaller() {
    let folder = recorded(TRUCKS);
    folder.run(&["render", "a.rec", "--html", "a.html"]).done();
    folder.run(&["render", "a.rec", "--no-paths", "--html", "b.html"]).done();
    let (with, without) = (sections(&folder.read("a.html")), sections(&folder.read("b.html")));
    assert!(!with[11].is_empty() && without[11].is_empty() && without[12].is_empty());
    assert_eq!(with[5..11], without[5..11]);
}

#[test]
fn a_name_is_text_and_not_markup() {
    let folder = recorded(&trucks_with("two trucks", "</title><script>alert(1)</script>{{run}}"));
    folder.run(&["render", "a.rec", "--html", "a.html"]).done();
    let page = folder.read("a.html");
    assert!(page.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;{{run}}</title>"));
    assert_eq!(sections(&page).len(), 20);
}

#[test]
fn what_cannot_be_rendered_is_said() {
    let folder = recorded(TRUCKS);
    let refused = folder.run(&["render", "no.rec", "--html", "a.html"]).refused();
    assert!(refused.starts_with("no.rec: "), "{refused}");
    let refused = folder.run(&["render", "a.toml", "--html", "a.html"]).refused();
    assert_eq!(refused, "a.toml: is not a recording");
    let refused = folder.run(&["render", "a.rec", "--html", "no/a.html"]).refused();
    assert!(refused.starts_with("no/a.html: cannot be written: "), "{refused}");
    let refused = folder.run(&["render", "a.rec"]).refused();
    assert!(refused.contains("--html <FILE.html>"), "{refused}");
    // One that is cut off is rendered as far as it goes.
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    folder.write("cut.rec", &file[..file.len() - 3]);
    let cut = folder.run(&["render", "cut.rec", "--html", "cut.html"]).code(0);
    assert!(cut.stderr.starts_with("warning: cut.rec: cut off"), "{cut:#?}");
}
