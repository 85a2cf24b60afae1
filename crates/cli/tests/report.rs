//! `wheelbase report`: plots of recordings.

use crate::common::*;

fn recorded() -> (Folder, serde_json::Value) {
    let folder = Folder::with("a.toml", TRUCKS);
    let result = folder.run(&["run", "a.toml", "--record", "a.rec", "--format", "json"]).json();
    (folder, result)
}

/// Calls `look` with each SVG plot of a page. Returns their number.
fn for_each_plot(page: &str, mut look: impl FnMut(&roxmltree::Document<'_>)) -> usize {
    let plots: Vec<&str> =
        page.split("<svg").skip(1).map(|rest| rest.split_once("</svg>").unwrap().0).collect();
    for plot in &plots {
        let text = format!("<svg{plot}</svg>");
        look(&roxmltree::Document::parse(&text).unwrap());
    }
    plots.len()
}

/// The PNG pictures embedded in a page.
fn pictures(folder: &Folder, page: &str) -> Vec<Pixels> {
    let decoded = |rest: &str| {
        let bytes = from_base64(rest.split_once('"').unwrap().0);
        folder.write("map.png", &bytes);
        png(folder, "map.png")
    };
    page.split("data:image/png;base64,").skip(1).map(decoded).collect()
}

#[test]
fn a_page_shows_the_counts_and_is_self_contained() {
    let (folder, result) = recorded();
    std::fs::remove_file(folder.path("a.toml")).unwrap();
    assert_eq!(folder.run(&["report", "a.rec", "--html", "a.html"]).done(), "");
    let page = folder.read("a.html");
    for outside in ["http://", "https://", "@import", "url(", "<script", "src=\"/", "{{"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let fact = |name: &str| {
        let (_, rest) = page.split_once(&format!("<dt>{name}</dt><dd>")).unwrap();
        rest.split_once("</dd>").unwrap().0.to_owned()
    };
    assert_eq!(fact("Ticks"), result["ticks"].to_string());
    assert_eq!(fact("Moves"), result["moves"].to_string());
    assert_eq!(fact("Done"), format!("{} orders, 0 tasks", result["orders_done"]));
    assert_eq!(fact("Waited"), format!("{} agent-ticks", result["wait_ticks"]));
    assert!(page.contains("its state equals the recorded state after each of "), "{page}");
    for phase in ["events", "orders", "requests", "traffic", "moves", "metrics"] {
        assert!(page.contains(&format!("<tr><td>{phase}</td>")), "{phase}");
    }
    // Series per plot.
    let mut n_series = Vec::new();
    let n_plots = for_each_plot(&page, |plot| {
        let paths = plot.descendants().filter(|node| node.has_tag_name("path") && node.has_children());
        n_series.push(paths.count());
    });
    assert_eq!((n_plots, n_series), (5, vec![1, 3, 1, 1, 6]));
}

#[test]
fn maps_show_where_agents_drove() {
    let (folder, _) = recorded();
    folder.run(&["report", "a.rec", "--html", "a.html"]).done();
    let maps = pictures(&folder, &folder.read("a.html"));
    assert_eq!(maps.len(), 2);
    let [_, traffic] = &maps[..] else { unreachable!() };
    assert_eq!((traffic.width, traffic.height), (256, 128));
    let at = |x: u32, y: u32| traffic.at(f64::from(x * 32 + 16), f64::from(y * 32 + 16));
    // Darkened deep water; the first truck drove through (2, 0).
    let shaded = |colour: Rgb| colour.map(|part| ((u32::from(part) * 145 + 127) / 255) as u8);
    assert_eq!((at(2, 1), at(3, 2)), (shaded([20, 48, 120]), shaded([20, 48, 120])));
    assert!(at(2, 0)[0] > 120, "{:?}", at(2, 0));
}

#[test]
fn recordings_without_a_report_are_errors() {
    let (folder, _) = recorded();
    let refused = |args: &[&str]| folder.run(&[&["report"], args].concat()).refused();
    assert_eq!(
        refused(&["a.toml", "--html", "a.html"]),
        "a.toml: is a scenario, expected a recording from run --record"
    );
    assert!(refused(&["a.rec", "--html", "no/a.html"]).starts_with("no/a.html: cannot be written: "));
    assert!(refused(&["a.rec"]).contains("--output <FILE.html>"));
    assert_eq!(refused(&["a.rec", "-o", "a.png"]), "--output: expected a file .html, found a.png");
    let file = std::fs::read(folder.path("a.rec")).unwrap();
    folder.write("cut.rec", &file[..file.len() - 3]);
    let cut = folder.run(&["report", "cut.rec", "--html", "cut.html"]).code(0);
    assert!(cut.stderr.starts_with("warning: cut.rec: cut off"), "{cut:#?}");
    assert!(folder.read("cut.html").contains("The recording is cut off"));
}
