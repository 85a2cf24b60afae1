//! Pictures of runs: their pixels and shapes, compared with the trace of the same run.

use crate::common::*;
use std::collections::BTreeMap;

const TRUCK: Rgb = [255, 170, 0];
const GROUND: Rgb = [88, 120, 68];
const DEEP: Rgb = [20, 48, 120];
const SHALLOW: Rgb = [60, 110, 170];

/// The composed frames of a GIF, each with its end in hundredths of a second, and the number of stored pixels.
fn gif(folder: &Folder, name: &str) -> (Vec<(u32, Pixels)>, usize) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(folder.path(name)).unwrap()).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let (mut pixels, mut frames) = (vec![[0; 3]; width * height], Vec::new());
    let (mut end, mut n_pixels) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (at, point) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
            if point[3] > 0 {
                let at = (usize::from(frame.top) + y) * width + usize::from(frame.left) + x;
                pixels[at] = [point[0], point[1], point[2]];
            }
        }
        n_pixels += frame.buffer.len() / 4;
        end += u32::from(frame.delay);
        frames.push((end, Pixels { width, height, pixels: pixels.clone() }));
    }
    (frames, n_pixels)
}

fn recorded(scenario: &str) -> Folder {
    let folder = Folder::with("a.toml", scenario);
    folder.run(&["run", "a.toml", "--record", "a.rec", "--trace", "a.jsonl"]).code(0);
    folder
}

/// The pose of each agent at the start of each move, from the trace: `(tick, x, y, heading)`.
fn begun(folder: &Folder) -> Vec<(u32, i64, i64, String)> {
    let mut at: BTreeMap<i64, serde_json::Value> = BTreeMap::new();
    let mut found = Vec::new();
    for line in json_lines(&folder.read("a.jsonl")) {
        if let Some(id) = line["spawn"].as_i64() {
            at.insert(id, line["at"].clone());
        }
        if line["move"].is_string() {
            let id = line["agent"].as_i64().unwrap();
            let from = at.insert(id, line["to"].clone()).unwrap();
            let (tick, heading) = (line["t"].as_u64().unwrap() as u32, from[2].as_str().unwrap().to_owned());
            found.push((tick, from[0].as_i64().unwrap(), from[1].as_i64().unwrap(), heading));
        }
    }
    found
}

#[test]
fn a_png_shows_terrain_and_bodies_where_they_are() {
    let folder = recorded(TRUCKS);
    let begun = begun(&folder);
    assert!(begun.len() > 10);
    let mut headings: Vec<&str> = Vec::new();
    for (tick, x, y, heading) in &begun {
        if headings.iter().filter(|known| *known == heading).count() == 2 {
            continue;
        }
        headings.push(heading);
        folder
            .run(&["render", "a.rec", "--png", "a.png", "--tick", &tick.to_string(), "--scale", "20"])
            .done();
        let picture = png(&folder, "a.png");
        assert_eq!((picture.width, picture.height), (160, 80));
        let (ahead_x, ahead_y) = match heading.as_str() {
            "E" => (1, 0),
            "N" => (0, -1),
            "W" => (-1, 0),
            _ => (0, 1),
        };
        let centre = |x: i64, y: i64| ((x * 20 + 10) as f64, (y * 20 + 10) as f64);
        // The cell behind the anchor is plain; the arrow is on the anchor's cell, its tip in front.
        let (load_x, load_y) = centre(x - ahead_x, y - ahead_y);
        assert_eq!(picture.at(load_x, load_y), TRUCK, "tick {tick}: {x} {y} {heading}");
        let (cab_x, cab_y) = centre(*x, *y);
        let (front_x, front_y) = (cab_x + 5.0 * ahead_x as f64, cab_y + 5.0 * ahead_y as f64);
        assert!(picture.at(front_x, front_y)[0] < 120, "tick {tick}: {x} {y} {heading}");
        let (back_x, back_y) = (cab_x - 6.0 * ahead_x as f64, cab_y - 6.0 * ahead_y as f64);
        assert_eq!(picture.at(back_x, back_y), TRUCK, "tick {tick}: {x} {y} {heading}");
    }
    assert!(headings.contains(&"E") && headings.contains(&"S"), "{headings:?}");
    folder.run(&["render", "a.rec", "--png", "a.png", "--tick", "0", "--scale", "20"]).done();
    let picture = png(&folder, "a.png");
    for (x, y, colour) in [(4, 0, GROUND), (2, 1, DEEP), (3, 2, DEEP), (6, 2, SHALLOW), (7, 2, SHALLOW)] {
        assert_eq!(picture.at(f64::from(x * 20 + 10), f64::from(y * 20 + 10)), colour, "{x} {y}");
    }
}

#[test]
fn a_moving_body_is_between_its_cells() {
    let folder = recorded(TRUCKS);
    // The first move is forward in 2 ticks: at tick 1 the truck covers half of the cells at both ends.
    folder.run(&["render", "a.rec", "--png", "a.png", "--tick", "1", "--scale", "20"]).done();
    let picture = png(&folder, "a.png");
    for (x, colour) in [(5.0, GROUND), (15.0, TRUCK), (24.0, TRUCK), (53.0, GROUND)] {
        assert_eq!(picture.at(x, 10.0), colour, "{x}");
    }
}

#[test]
fn frames_of_a_gif_are_the_pictures_of_their_ticks() {
    let folder = recorded(TRUCKS);
    folder.run(&["render", "a.rec", "--gif", "a.gif", "--every", "1", "--scale", "12"]).done();
    let (frames, n_pixels) = gif(&folder, "a.gif");
    let (end, last) = frames.last().unwrap();
    // At 20 frames per second each lasts 5 hundredths.
    let n_ticks = end / 5;
    assert!(n_ticks > 30, "{n_ticks}");
    for tick in (0..n_ticks).step_by(7).chain([n_ticks - 1]) {
        let scale = ["--scale", "12", "--tick", &tick.to_string()];
        folder.run(&[&["render", "a.rec", "--png", "a.png"], &scale[..]].concat()).done();
        let picture = png(&folder, "a.png");
        let (_, frame) = frames.iter().find(|(end, _)| *end > tick * 5).unwrap();
        assert_eq!((frame.width, frame.height), (picture.width, picture.height));
        assert!(frame.pixels == picture.pixels, "tick {tick}");
    }
    // Only changed pixels are stored.
    assert!(
        n_pixels < last.pixels.len() * frames.len() / 2,
        "{n_pixels} of {}",
        last.pixels.len() * frames.len()
    );
    // A range of ticks, at a given frame rate.
    let part = ["--from", "4", "--to", "21", "--every", "5", "--fps", "8", "--scale", "12"];
    folder.run(&[&["render", "a.rec", "--gif", "b.gif"], &part[..]].concat()).done();
    let (part, _) = gif(&folder, "b.gif");
    assert_eq!(part.iter().map(|frame| frame.0).collect::<Vec<_>>(), [12, 25, 37, 50, 62]);
    for (number, tick) in [4, 9, 14, 19, 21].into_iter().enumerate() {
        let (_, frame) = frames.iter().find(|(end, _)| *end > tick * 5).unwrap();
        assert!(part[number].1.pixels == frame.pixels, "tick {tick}");
    }
}

#[test]
fn a_picture_shows_the_map_at_its_tick() {
    let event = "[[events]]\ntick = 9\nset_terrain = { area = [7, 0, 1, 1], kind = \"shallow\" }\n";
    let folder = recorded(&format!("{TRUCKS}\n{event}"));
    for (tick, colour) in [("8", GROUND), ("9", SHALLOW), ("20", SHALLOW)] {
        folder.run(&["render", "a.rec", "--png", "a.png", "--tick", tick, "--scale", "8"]).done();
        assert_eq!(png(&folder, "a.png").at(60.0, 4.0), colour, "{tick}");
    }
    folder.run(&["render", "a.rec", "--gif", "a.gif", "--scale", "8", "--every", "1"]).done();
    let (frames, _) = gif(&folder, "a.gif");
    for (tick, colour) in [(8, GROUND), (9, SHALLOW)] {
        let (_, frame) = frames.iter().find(|(end, _)| *end > tick * 5).unwrap();
        assert_eq!(frame.at(60.0, 4.0), colour, "{tick}");
    }
}

#[test]
fn an_svg_has_a_shape_for_each_agent_and_colour() {
    let folder = recorded(&TRUCKS.replace("convoy-1", "convoy <1> & \\\"2\\\""));
    folder.run(&["render", "a.rec", "--svg", "a.svg", "--tick", "0", "--scale", "20"]).done();
    let text = folder.read("a.svg");
    let document = roxmltree::Document::parse(&text).unwrap();
    let svg = document.root_element();
    assert_eq!((svg.attribute("width"), svg.attribute("viewBox")), (Some("160"), Some("0 0 8 4")));
    let titles: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(titles, ["two trucks, tick 0", "agent 0 \"convoy <1> & \"2\"\": truck", "agent 1: truck"]);
    let paths = |name: &str, value: &str| {
        let paths = document.descendants().filter(|node| node.has_tag_name("path"));
        paths.filter(|path| path.attribute(name) == Some(value)).collect::<Vec<_>>()
    };
    // One path per terrain with a run per row at least: here 2 rows of water, 2 wide.
    let water = paths("fill", "#143078");
    assert_eq!(
        water.iter().map(|path| path.attribute("d").unwrap()).collect::<Vec<_>>(),
        ["M2 1h2v1h-2zM2 2h2v1h-2z"]
    );
    assert_eq!((paths("fill", "#587844").len(), paths("fill", "#3c6eaa").len()), (1, 1));
    let bodies = paths("fill", "#ffaa00");
    assert_eq!(bodies.len(), 2);
    // The inset outline of the truck at (1, 0), facing east.
    let body = bodies[0].attribute("d").unwrap();
    assert!(body.contains("0.07 0.07") && body.contains("1.93 0.93"), "{body}");
}

#[test]
fn captions_stand_below_pictures_of_all_kinds() {
    let folder = recorded(TRUCKS);
    let render = |file: &str, caption: &[&str]| {
        let kind = format!("--{}", file.split_once('.').unwrap().1);
        let tick: &[&str] = if kind == "--gif" { &[] } else { &["--tick", "17"] };
        folder.run(&[&["render", "a.rec", &kind, file, "--scale", "20"], tick, caption].concat()).done();
    };
    for file in ["plain.png", "plain.svg", "plain.gif"] {
        render(file, &[]);
    }
    for file in ["titled.png", "titled.svg", "titled.gif"] {
        render(file, &["--caption"]);
    }
    // The map is as it was, and below it something is written in light letters on a dark strip.
    let check = |plain: &Pixels, titled: &Pixels| {
        assert_eq!(titled.width, plain.width);
        assert!(titled.pixels[..plain.pixels.len()] == plain.pixels[..]);
        let strip = &titled.pixels[plain.pixels.len()..];
        let light = strip.iter().filter(|pixel| pixel[0] > 150).count();
        assert!(light > 200 && light < strip.len() / 3, "{light} of {}", strip.len());
    };
    let (plain, titled) = (png(&folder, "plain.png"), png(&folder, "titled.png"));
    check(&plain, &titled);
    let (plain_frames, titled_frames) = (gif(&folder, "plain.gif").0, gif(&folder, "titled.gif").0);
    assert!(titled_frames.len() >= plain_frames.len());
    check(&plain_frames[0].1, &titled_frames[0].1);
    // Every frame says its tick.
    let last = &titled_frames.last().unwrap().1;
    let first = &titled_frames[0].1;
    assert!(first.pixels[plain.pixels.len()..] != last.pixels[plain.pixels.len()..]);
    let svg = folder.read("titled.svg");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(texts, ["two trucks, tick 17", "5 cells"]);
    let root = document.root_element();
    assert_eq!(root.attribute("height"), Some(titled.height.to_string().as_str()));
    assert!(!folder.read("plain.svg").contains("<text"));
}

#[test]
fn a_part_of_a_map_looks_as_in_the_whole() {
    let folder = recorded(TRUCKS);
    folder.run(&["render", "a.rec", "--png", "a.png", "--tick", "17", "--scale", "20"]).done();
    let part = ["--png", "b.png", "--tick", "17", "--scale", "20", "--area", "3,1,4,9"];
    folder.run(&[&["render", "a.rec"], &part[..]].concat()).done();
    let (whole, part) = (png(&folder, "a.png"), png(&folder, "b.png"));
    assert_eq!((part.width, part.height), (80, 60));
    for y in 0..60 {
        assert!(part.pixels[y * 80..][..80] == whole.pixels[(y + 20) * 160 + 60..][..80], "row {y}");
    }
}

/// A cart of two hexagons, with deep water to its east.
const HEXAGONS: &str = r#"name = "hexagons"
ticks = 100
[map]
shape = "hex"
rows = ["......", "......", "...~..", "......"]
[terrain.deep]
glyphs = "~"
speed = 0
[class.cart]
headings = 6
footprint = [[0, 0], [-1, 0]]
moves = [
  { name = "forward", by = [1, 0], time = 2 },
  { name = "left", turn = 1, time = 4 },
  { name = "right", turn = -1, time = 4 },
]
[[agents]]
class = "cart"
at = [2, 1, "NE"]
orders = [{ goto = [1, 3, "SW"] }]
"#;

#[test]
fn hexagonal_maps_are_drawn_as_hexagons() {
    let folder = recorded(HEXAGONS);
    folder.run(&["render", "a.rec", "--png", "a.png", "--tick", "0", "--scale", "40"]).done();
    let picture = png(&folder, "a.png");
    let unit = 40.0 / 3_f64.sqrt() / 2.0;
    assert_eq!((picture.width, picture.height), (260, (13.0 * unit).ceil() as usize));
    let centre = |x: i32, y: i32| (f64::from(2 * x + 1 + y % 2) * 20.0, f64::from(3 * y + 2) * unit);
    let (x, y) = centre(3, 2);
    assert_eq!(picture.at(x, y), DEEP);
    // Hexagons have corners to the north and south, with neighbours on both sides of them.
    assert_eq!(picture.at(x, y - 19.0), DEEP);
    assert_eq!(picture.at(x + 17.0, y - 19.0), GROUND);
    // The cart's anchor with the arrow, and its cell to the south-west.
    let ((x, y), (behind_x, behind_y)) = (centre(2, 1), centre(2, 2));
    assert_eq!(picture.at(behind_x, behind_y), TRUCK);
    assert!(picture.at(x + 3.0, y - 5.0)[0] < 120);
    assert_eq!(picture.at(centre(3, 1).0, y), GROUND);
    // Odd rows begin with a gap.
    assert_eq!(picture.at(5.0, centre(0, 1).1), [13, 15, 17]);
    folder.run(&["render", "a.rec", "--svg", "a.svg", "--gif", "a.gif"]).done();
    let text = folder.read("a.svg");
    let document = roxmltree::Document::parse(&text).unwrap();
    let water = document.descendants().find(|node| node.attribute("fill") == Some("#143078")).unwrap();
    assert_eq!(water.attribute("d").unwrap().matches(['M', 'L']).count(), 6);
    assert!(gif(&folder, "a.gif").0.len() > 10);
}

/// An empty map of a size, with an idle agent.
fn open_map(width: u32, height: u32) -> String {
    format!(
        "name = \"open\"\nticks = 3\n[map]\ngenerate = {{ kind = \"open\", size = [{width}, {height}], seed = 1 }}\n\
         {CART}\n[[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\n"
    )
}

#[test]
fn too_large_pictures_are_refused_with_the_limit() {
    let folder = recorded(&open_map(300, 300));
    let refused = |args: &[&str]| folder.run(&[&["render", "a.rec"], args].concat()).refused();
    assert_eq!(
        refused(&["--png", "a.png", "--scale", "200"]),
        "a picture of 60000 x 60000 pixels is too large; the limit is 67108864 pixels; --scale 27 is the largest \
         that fits, or show a part with --area X,Y,W,H"
    );
    assert!(!folder.path("a.png").exists());
    folder.run(&["render", "a.rec", "--png", "a.png", "--scale", "200", "--area", "0,0,10,8"]).done();
    assert_eq!(png(&folder, "a.png").width, 2000);
    let gif = refused(&["--gif", "a.gif", "--scale", "100"]);
    assert!(gif.contains("the limit is 16777216 pixels; --scale 13 is the largest"), "{gif}");
    assert!(!folder.path("a.gif").exists());
    let long = recorded(&open_map(1 << 17, 1));
    let refused = |args: &[&str]| long.run(&[&["render", "a.rec"], args].concat()).refused();
    let gif = refused(&["--gif", "a.gif"]);
    assert!(gif.contains("the limit is 65535 pixels along each side"), "{gif}");
    let svg = recorded(&open_map(1025, 1024)).run(&["render", "a.rec", "--svg", "a.svg"]).refused();
    assert_eq!(
        svg,
        "an SVG of 1049600 cells is too large; the limit is 1048576 cells; show a part of the map with --area \
         X,Y,W,H, or write a PNG"
    );
}

#[test]
fn requests_that_cannot_be_drawn_are_errors() {
    let folder = recorded(TRUCKS);
    let refused = |args: &[&str]| folder.run(&[&["render", "a.rec"], args].concat()).refused();
    let last = folder.run(&["verify", "a.rec"]).done();
    let last: u32 = last.split(' ').nth(3).unwrap().parse().unwrap();
    let expected = format!("--tick: a.rec has no tick 900; expected one from 0 to {last}");
    assert_eq!(refused(&["--png", "a.png", "--tick", "900"]), expected);
    let expected = format!("--to: a.rec has no tick 901; expected one from 0 to {last}");
    assert_eq!(refused(&["--gif", "a.gif", "--to", "901"]), expected);
    let expected = "--from: expected a tick up to 6, the value of --to, found 7";
    assert_eq!(refused(&["--gif", "a.gif", "--from", "7", "--to", "6"]), expected);
    for (flag, file) in [("--png", "no/a.png"), ("--svg", "no/a.svg"), ("--gif", "no/a.gif")] {
        let refused = refused(&[flag, file]);
        assert!(refused.starts_with(&format!("{file}: cannot be written: ")), "{refused}");
    }
    let area = refused(&["--png", "a.png", "--area", "8,0,3,3"]);
    assert_eq!(area, "--area: no cell of 8,0,3,3 is on the map of 8 x 4");
    let area = refused(&["--png", "a.png", "--area", "8,0"]);
    assert!(area.starts_with("--area: expected [x, y, width, height]"), "{area}");
    for (flag, value) in
        [("--scale", "0"), ("--scale", "257"), ("--fps", "0"), ("--every", "0"), ("--tick", "-1")]
    {
        let refused = refused(&["--gif", "a.gif", flag, value]);
        assert!(refused.contains("expected a whole number from"), "{refused}");
    }
    let refused = folder.run(&["render", "a.toml", "--png", "a.png"]).refused();
    assert_eq!(refused, "a.toml: is a scenario, expected a recording from run --record");
    // A recording without a whole chunk has no tick to show.
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    let cut = (40..file.len()).step_by(100).find(|&length| {
        folder.write("cut.rec", &file[..length]);
        folder.run(&["render", "cut.rec", "--png", "a.png"]).stderr.contains("the header")
    });
    assert!(cut.is_some());
    let cut = folder.run(&["render", "cut.rec", "--png", "a.png"]).code(2);
    assert!(cut.stderr.ends_with("error: cut.rec: holds no whole tick\n"), "{cut:#?}");
    assert!(!folder.path("a.png").exists());
}

#[test]
fn stuck_agents_have_a_ring() {
    // Two agents that need to swap cells without room to do so.
    let lane = r#"name = "lane"
ticks = 400
[map]
rows = ["TTTT", "T..T", "TTTT"]
[class.cart]
headings = 1
moves = [{ name = "east", by = [1, 0], time = 2 }, { name = "west", by = [-1, 0], time = 2 }]
[[agents]]
class = "cart"
at = [1, 1]
orders = [{ goto = [2, 1] }]
[[agents]]
class = "cart"
at = [2, 1]
orders = [{ goto = [1, 1] }]
"#;
    let folder = Folder::with("a.toml", lane);
    folder.run(&["run", "a.toml", "--record", "a.rec"]).code(1);
    let red = |tick: &str| {
        folder.run(&["render", "a.rec", "--png", "a.png", "--tick", tick, "--scale", "16"]).done();
        png(&folder, "a.png").pixels.iter().filter(|point| **point == [255, 64, 56]).count()
    };
    assert_eq!(red("100"), 0);
    assert!(red("390") > 60);
}
