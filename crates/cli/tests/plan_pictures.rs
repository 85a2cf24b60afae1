//! Pictures of plans and distances, compared with the printed answers.

use crate::common::*;

const GROUND: Rgb = [88, 120, 68];
const DEEP: Rgb = [20, 48, 120];
const TRUCK: Rgb = [187, 255, 255];

/// The pixel near the north-west corner of a cell at 20 pixels per cell, which crosses and lines leave free.
fn corner(picture: &Pixels, x: i64, y: i64) -> Rgb {
    picture.at((x * 20 + 2) as f64, (y * 20 + 2) as f64)
}

/// Whether a pixel is covered by the red of obstacles, of opacity 120 of 255.
fn is_blocked(point: Rgb, below: Rgb) -> bool {
    let over = |under: u8, over: u32| (u32::from(under) * 135 + over * 120 + 127) / 255;
    let expected = [over(below[0], 255), over(below[1], 32), over(below[2], 32)];
    point.iter().zip(expected).all(|(&found, expected)| u32::from(found).abs_diff(expected) < 3)
}

fn plan(folder: &Folder, to: &str, more: &[&str]) -> (serde_json::Value, Pixels) {
    let args = [
        "plan", "a.toml", "--from", "1,0,E", "--to", to, "--format", "json", "--png", "a.png", "--scale",
        "20",
    ];
    let ended = folder.run(&[&args[..], more].concat());
    assert!(ended.stderr.is_empty(), "{ended:#?}");
    (ended.json(), png(folder, "a.png"))
}

#[test]
fn a_plan_shows_its_path_and_expansions() {
    let folder = Folder::with("a.toml", TRUCKS);
    // The start is the goal: only the body is drawn on the map.
    let (answer, still) = plan(&folder, "1,0,E", &[]);
    assert_eq!(answer["expansions"], 0);
    for (x, y, colour) in [(3, 0, GROUND), (7, 0, GROUND), (2, 1, DEEP), (0, 3, GROUND)] {
        assert_eq!(corner(&still, x, y), colour, "{x} {y}");
    }
    assert_eq!(still.at(10.0, 10.0), TRUCK);
    let (answer, picture) = plan(&folder, "6,3,E", &[]);
    assert!(answer["expansions"].as_u64().unwrap() > 0);
    let poses = answer["poses"].as_array().unwrap();
    assert!(poses.len() > 5);
    for pose in poses {
        let (x, y) = (pose[0].as_i64().unwrap(), pose[1].as_i64().unwrap());
        assert_ne!(corner(&picture, x, y), corner(&still, x, y), "{pose}");
    }
    // Beyond the body at the start, a line runs through the anchors.
    let on_the_way = &poses[poses.len() / 2];
    let centre = |at: usize| (on_the_way[at].as_i64().unwrap() * 20 + 10) as f64;
    assert_eq!(picture.at(centre(0), centre(1)), [255; 3]);
    // Water is neither expanded nor swept.
    assert_eq!(corner(&picture, 2, 1), DEEP);
    // More expansions colour more pixels.
    let differ = |a: &Pixels, b: &Pixels| a.pixels.iter().zip(&b.pixels).filter(|(a, b)| a != b).count();
    let (zero, wide) = plan(&folder, "6,3,E", &["--heuristic", "zero"]);
    assert!(zero["expansions"].as_u64() > answer["expansions"].as_u64());
    assert!(differ(&wide, &still) > differ(&picture, &still));
}

#[test]
fn obstacles_of_start_and_goal_are_marked() {
    let folder = Folder::with("a.toml", TRUCKS);
    // Facing east at (4, 1) the rear would be on (3, 1), which is water.
    let (answer, picture) = plan(&folder, "4,1,E", &[]);
    assert_eq!(answer["status"], "goal_blocked");
    // Within the outline of the body at the goal, next to the cross.
    assert!(is_blocked(picture.at(76.0, 30.0), DEEP));
    assert_eq!((corner(&picture, 2, 1), corner(&picture, 2, 2)), (DEEP, DEEP));
    // For any heading: a cell of water blocks all of them.
    let (_, picture) = plan(&folder, "3,1", &[]);
    assert!(is_blocked(corner(&picture, 3, 1), DEEP) && is_blocked(corner(&picture, 2, 1), DEEP));
    let from = ["plan", "a.toml", "--from", "2,2,E", "--to", "6,3", "--png", "b.png", "--scale", "20"];
    folder.run(&from).code(1);
    // The body at the start does not hide its obstacles.
    assert!(png(&folder, "b.png").pixels.contains(&[255, 32, 32]));
}

#[test]
fn obstacles_around_the_reachable_poses_are_marked() {
    let walled = TRUCKS.replace(
        "\"........\",\n  \"..~~....\",\n  \"..~~..ss\",\n  \"........\"",
        "\"...~....\",\n  \"...~....\",\n  \"...~..ss\",\n  \"...~....\"",
    );
    let folder = Folder::with("a.toml", &walled);
    let (answer, picture) = plan(&folder, "6,3", &[]);
    // A single plan makes no components: all reachable poses are expanded.
    assert_eq!((&answer["status"], &answer["expansions"]), (&"unreachable".into(), &34.into()));
    for y in 0..4 {
        assert!(is_blocked(corner(&picture, 3, y), DEEP), "{y}");
        assert_ne!(corner(&picture, 2, y), GROUND, "{y}");
        assert_eq!(corner(&picture, 5, y % 2), GROUND, "{y}");
    }
    // The nearest pose is reached, with the same obstacles marked.
    let (answer, picture) = plan(&folder, "6,3", &["--fallback", "nearest"]);
    assert_eq!(answer["reached"], "nearest");
    assert!(is_blocked(corner(&picture, 3, 0), DEEP));
}

#[test]
fn the_svg_of_a_plan_has_titles() {
    let folder = Folder::with("a.toml", TRUCKS);
    folder
        .run(&["plan", "a.toml", "--from", "1,0,E", "--to", "6,3,E", "--svg", "a.svg", "--area", "0,0,4,2"])
        .code(0);
    let text = folder.read("a.svg");
    let document = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(document.root_element().attribute("viewBox"), Some("0 0 4 2"));
    let titles = document.descendants().filter(|node| node.has_tag_name("title"));
    let titles: Vec<&str> = titles.filter_map(|node| node.text()).collect();
    assert!(titles[0].starts_with("truck from (1, 0, E): found, cost "), "{titles:?}");
    assert_eq!(titles[1..], ["start", "goal"]);
    folder.run(&["plan", "a.toml", "--from", "1,0,E", "--to", "3,1", "--svg", "a.svg"]).code(1);
    let text = folder.read("a.svg");
    let document = roxmltree::Document::parse(&text).unwrap();
    assert!(document.descendants().any(|node| node.text() == Some("in the way")));
}

#[test]
fn distances_are_darker_when_farther() {
    let folder = Folder::with("a.toml", TRUCKS);
    let args = ["distances", "a.toml", "--from", "1,0,E", "--to", "6,3", "--png", "a.png", "--scale", "20"];
    let ended = folder.run(&args).code(0);
    assert_eq!(ended.stderr, "a.png: contour lines every 5 ticks\n");
    let picture = png(&folder, "a.png");
    let light = |x: i64, y: i64| corner(&picture, x, y).iter().map(|&part| u32::from(part)).sum::<u32>();
    assert!(light(2, 0) > light(4, 0) && light(4, 0) > light(7, 0) && light(7, 0) > light(7, 3));
    // Water is out of reach: darkened.
    assert_eq!(corner(&picture, 2, 1), DEEP.map(|part| ((u32::from(part) * 145 + 127) / 255) as u8));
    // A ring around the target, and a contour line between two cells on either side of a multiple of the step.
    assert!((0..10).any(|x| picture.at(f64::from(120 + x), 70.0) == [255; 3]));
    let line = json_distance_line(&folder);
    assert!(picture.at((line * 20) as f64, 5.0).iter().all(|&part| part < 90), "{line}");
    // Within a range.
    folder.run(&[&args[..], &["--within", "6"]].concat()).code(0);
    let near = png(&folder, "a.png");
    assert_eq!(corner(&near, 7, 3), GROUND.map(|part| ((u32::from(part) * 145 + 127) / 255) as u8));
}

/// The marks of the abstract graph, the route and its portals, on squares and on hexagons.
#[test]
fn a_path_along_a_route_is_drawn_with_clusters_and_portals() {
    let folder = Folder::new();
    for shape in ["square", "hex"] {
        let rows = vec![format!("\"{}\"", ".".repeat(70)); 40].join(", ");
        let trucks = TRUCKS[TRUCKS.find("[class.").unwrap()..].split("[[agents]]").next().unwrap();
        let class =
            if shape == "hex" { trucks.replace("headings = 4", "headings = 6") } else { trucks.to_owned() };
        folder.write(
            "a.toml",
            format!("name = \"far\"\nticks = 1\n[map]\nshape = \"{shape}\"\nrows = [{rows}]\n{class}"),
        );
        let args = ["plan", "a.toml", "--from", "3,3,E", "--to", "66,36", "--abstract", "--format", "json"];
        let files = ["--svg", "a.svg", "--png", "a.png", "--scale", "10"];
        let answer = folder.run(&[&args[..], &files].concat()).code(0).json();
        let portals = answer["route"]["portals"].as_array().unwrap();
        let text = folder.read("a.svg");
        let document = roxmltree::Document::parse(&text).unwrap();
        let titles = document.descendants().filter(|node| node.has_tag_name("title"));
        let titles: Vec<&str> = titles.filter_map(|node| node.text()).collect();
        let along = format!(" along a route of {} portals and cost ", portals.len());
        assert!(titles[0].contains(&along), "{titles:?}");
        let marks = ["clusters", "portals", "route", "portals of the route", "start", "goal"];
        assert_eq!(titles[1..], marks, "{shape}");
        let picture = png(&folder, "a.png");
        let n_pixels = |colour: Rgb| picture.pixels.iter().filter(|&&pixel| pixel == colour).count();
        assert!(n_pixels([90, 220, 255]) > 60 && n_pixels([255, 140, 30]) > 60, "{shape}");
        // Without the search: the ground away from lines and marks is plain.
        assert_eq!(picture.at(15.0, 335.0), picture.at(655.0, 5.0), "{shape}");
    }
}

/// The first column from 3 on in row 0 with a contour line on its west side. Divided by 5, its distance and the
/// previous column's differ.
fn json_distance_line(folder: &Folder) -> i64 {
    let ended = folder.run(&["distances", "a.toml", "--from", "1,0,E", "--within", "60", "--format", "json"]);
    let answer = ended.json();
    let cost = |x: i64| {
        let poses = answer["poses"].as_array().unwrap().iter();
        poses.filter(|pose| pose[0] == x && pose[1] == 0).map(|pose| pose[3].as_u64().unwrap()).min().unwrap()
    };
    (3..8).find(|&x| cost(x) / 5 != cost(x - 1) / 5).unwrap()
}

#[test]
fn bad_pictures_are_refused_before_anything_is_planned() {
    let folder = Folder::with("a.toml", TRUCKS);
    folder.write("q.jsonl", "");
    let plan = ["plan", "a.toml", "--from", "1,0,E", "--to", "6,3"];
    let refused = |more: &[&str]| folder.run(&[&plan[..], more].concat()).refused();
    assert!(refused(&["--svg", "a.svg", "--area", "9,9,1,1"]).starts_with("--area: no cell of 9,9,1,1"));
    let both = folder.run(&["plan", "a.toml", "--queries", "q.jsonl", "--png", "a.png"]).code(2);
    assert!(both.stderr.contains("cannot be used with"), "{both:#?}");
    folder.write("cart.toml", CART);
    folder.run(&["generate", "open", "--size", "500,500", "--seed", "1", "-o", "a.map"]).done();
    let large = ["--class", "cart.toml", "--from", "0,0,E", "--png", "a.png", "--scale", "99"];
    for command in ["plan", "distances"] {
        let refused = folder.run(&[&[command, "a.map", "--to", "9,9"], &large[..]].concat()).refused();
        assert!(refused.contains("49500 x 49500 pixels is too large"), "{refused}");
    }
}
