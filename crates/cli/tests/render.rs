//! `wheelbase render`: pages of recordings. `.ci/page_test.py` checks in a browser what a page shows.

use crate::common::*;
use miniz_oxide::inflate::decompress_to_vec_zlib;

fn recorded(scenario: &str) -> Folder {
    let folder = Folder::with("a.toml", scenario);
    folder.run(&["run", "a.toml", "--record", "a.rec"]).code(0);
    folder
}

/// The sections of the packed run in a page.
fn sections(page: &str) -> Vec<Vec<u8>> {
    let (_, rest) = page.split_once("<script id=\"run\" type=\"text/plain\">").unwrap();
    let (text, _) = rest.split_once("</script>").unwrap();
    let packed = decompress_to_vec_zlib(&from_base64(text)).unwrap();
    let (mut rest, mut found) = (&packed[..], Vec::new());
    while !rest.is_empty() {
        let (mut len, mut shift) = (0_usize, 0);
        loop {
            let (byte, after) = rest.split_first().unwrap();
            rest = after;
            len |= usize::from(byte & 127) << shift;
            shift += 7;
            if *byte < 128 {
                break;
            }
        }
        let (section, after) = rest.split_at(len);
        found.push(section.to_vec());
        rest = after;
    }
    found
}

#[test]
fn a_file_whose_name_says_otherwise_is_refused() {
    let folder = recorded(TRUCKS);
    for (flag, file, ending) in [
        ("--png", "x.jpg", "png"),
        ("--svg", "x.png", "svg"),
        ("--gif", "x.GIFF.png", "gif"),
        ("--html", "x.svg", "html"),
    ] {
        let refused = folder.run(&["render", "a.rec", flag, file]).refused();
        assert_eq!(refused, format!("{flag}: expected a file .{ending}, found {file}"));
        assert!(!folder.path(file).exists());
    }
    folder.run(&["render", "a.rec", "--png", "x.PNG", "--html", "x"]).code(0);
}

#[test]
fn a_page_is_self_contained_and_reproducible() {
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
    assert_eq!(sections.len(), 22);
    let about: serde_json::Value = serde_json::from_slice(&sections[0]).unwrap();
    assert_eq!(about["name"], "two trucks");
    assert_eq!(about["names"][0], "convoy-1");
    assert_eq!(about["agents"], 2);
    assert_eq!(about["classes"][0]["footprints"][0], serde_json::json!([[-1, 0], [0, 0]]));
    // The same inset outline as in pictures, about the pivot: a box for each heading.
    let (outlines, reach) = (&about["classes"][0]["outlines"], &about["classes"][0]["reach"]);
    assert_eq!(outlines.as_array().unwrap().len(), 4);
    let mut east: Vec<(f64, f64)> = serde_json::from_value(outlines[0][0].clone()).unwrap();
    east.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(east, [(-1.43, -0.43), (-1.43, 0.43), (0.43, -0.43), (0.43, 0.43)]);
    assert_eq!(reach, 1.4933);
    // Row-major: 8 + 2 cells of ground, then deep water.
    assert_eq!(sections[1][0], 10);
    // The first agent: id, class, placed, never removed, x 1, y 0, heading E.
    assert_eq!(sections[4][..7], [0, 0, 0, 0, 2, 0, 0]);
}

/// On hexagonal maps, tables have entries for even and for odd rows.
#[test]
fn pages_of_hexagons_have_entries_by_row_parity() {
    let folder = Folder::new();
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/first/09_hexagons.toml");
    folder.run(&["run", scenario, "--record", "a.rec"]).code(0);
    folder.run(&["render", "a.rec", "--html", "a.html"]).done();
    let sections = sections(&folder.read("a.html"));
    let about: serde_json::Value = serde_json::from_slice(&sections[0]).unwrap();
    assert_eq!((&about["shape"], &about["size"]), (&"hex".into(), &serde_json::json!([9, 8])));
    let wagon = &about["classes"][0];
    let entries = |of: &serde_json::Value| of.as_array().unwrap().len();
    assert_eq!(entries(&wagon["footprints"]), 12);
    // Forward to the NE: the row above is shifted half a cell to the west or to the east.
    let steps = &wagon["primitives"][0]["steps"];
    assert_eq!((&steps[2], &steps[3]), (&serde_json::json!([0, -1, 1]), &serde_json::json!([1, -1, 1])));
    let swept = &wagon["primitives"][0]["swept"];
    assert_eq!((entries(&swept[2]), entries(&swept[3])), (3, 3));
    assert_ne!(swept[2], swept[3]);
}

/// The first agent is stranded by an edit, and says so once its page is made by stepping the run again.
#[test]
fn a_page_says_why_agents_rest() {
    let flood = "\n[[events]]\ntick = 2\nset_terrain = { area = [0, 0, 2, 1], kind = \"deep\", on_agents = \"strand\" }\n";
    let folder = Folder::with("a.toml", format!("{TRUCKS}{flood}"));
    let run = folder.run(&["run", "a.toml", "--record", "a.rec", "--format", "json"]).code(0);
    let outcome: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    folder.run(&["render", "a.rec", "--html", "a.html"]).done();
    folder.run(&["render", "a.rec", "--all-reasons", "--html", "b.html"]).done();
    // A short run is stepped again to its end anyway.
    assert_eq!(folder.read("a.html"), folder.read("b.html"));
    let sections = sections(&folder.read("a.html"));
    let about: serde_json::Value = serde_json::from_slice(&sections[0]).unwrap();
    assert_eq!(about["ticks"], outcome["ticks"]);
    let reasons = about["reasons"].as_array().unwrap();
    let expected =
        "an edit has made its pose illegal. Remedy: make the pose legal by another edit, or use \"wait\".";
    assert!(reasons.contains(&expected.into()), "{reasons:?}");
    assert!(sections[21].len() > 2, "{:?}", sections[21]);
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
    assert_eq!(sections(&page).len(), 22);
}

#[test]
fn unrenderable_recordings_are_errors() {
    let folder = recorded(TRUCKS);
    let refused = folder.run(&["render", "no.rec", "--html", "a.html"]).refused();
    assert!(refused.starts_with("no.rec: "), "{refused}");
    let refused = folder.run(&["render", "a.toml", "--html", "a.html"]).refused();
    assert_eq!(refused, "a.toml: is a scenario, expected a recording from run --record");
    let refused = folder.run(&["render", "a.rec", "--html", "no/a.html"]).refused();
    assert!(refused.starts_with("no/a.html: cannot be written: "), "{refused}");
    let refused = folder.run(&["render", "a.rec"]).refused();
    assert!(refused.contains("--html <FILE.html>"), "{refused}");
    // A cut recording is rendered up to the cut.
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    folder.write("cut.rec", &file[..file.len() - 3]);
    let cut = folder.run(&["render", "cut.rec", "--html", "cut.html"]).code(0);
    assert!(cut.stderr.starts_with("warning: cut.rec: cut off"), "{cut:#?}");
}
