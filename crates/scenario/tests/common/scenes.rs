//! Random scenarios for the tests of whole runs.

use proptest::prelude::*;
use std::ops::Range;
use std::path::Path;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::World;
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::collision::CollisionRule;

/// Shape of the map.
pub fn shape() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["square", "hex"])
}

/// Rows of glyphs of a random map: ground, two kinds of slow ground, and `cover` walls to a hundred of these.
pub fn rows(cover: u32, sides: Range<usize>) -> impl Strategy<Value = Vec<String>> {
    (sides.clone(), sides).prop_flat_map(move |(width, height)| {
        let glyph = prop_oneof![80 => Just('.'), 10 => Just('s'), 10 => Just('m'), cover => Just('#')];
        let row = prop::collection::vec(glyph, width).prop_map(String::from_iter);
        prop::collection::vec(row, height)
    })
}

/// A random class with a rectangular body of at most this many cells in length and width, its anchor anywhere in it.
pub fn class(
    name: &'static str,
    shape: &'static str,
    (longest, widest): (i32, i32),
) -> impl Strategy<Value = String> {
    let times = (1_u32..4, 1_u32..10, 1_u32..4);
    let with = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3), prop::bool::weighted(0.2));
    let anchor = (0..longest, 0..widest);
    (1..=longest, 1..=widest, anchor, times, with).prop_map(
        move |(length, width, (f0, r0), (ahead, back, turn), (reverses, slides, full, still))| {
            let (f0, r0) = (f0 % length, r0 % width);
            let full = full && shape == "square";
            let body: Vec<String> = (0..length)
                .flat_map(|f| (0..width).map(move |r| format!("[{}, {}]", f - f0, r - r0)))
                .collect();
            let mut moves: Vec<(i32, i32, i32, u32)> = Vec::new();
            let headings = match (still, shape) {
                (true, "hex") => {
                    moves.extend(
                        [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)].map(|(f, r)| (f, r, 0, ahead)),
                    );
                    1
                }
                (true, _) => {
                    moves.extend([(1, 0), (0, -1), (-1, 0), (0, 1)].map(|(f, r)| (f, r, 0, ahead)));
                    1
                }
                (false, _) => {
                    moves.extend([(1, 0, 0, ahead), (0, 0, 1, turn), (0, 0, -1, turn)]);
                    moves.extend(reverses.then_some((-1, 0, 0, back)));
                    moves.extend(slides.then_some((0, 1, 0, back)));
                    if shape == "hex" { 6 } else { 4 }
                }
            };
            let moves: Vec<String> = moves
                .iter()
                .enumerate()
                .map(|(at, (f, r, turn, time))| {
                    format!("{{ name = \"m{at}\", by = [{f}, {r}], turn = {turn}, time = {time} }}")
                })
                .collect();
            format!(
                "[class.{name}]\nheadings = {headings}\nfootprint = [{}]\nsweep = \"{}\"\nmoves = [{}]\n",
                body.join(", "),
                if full { "full" } else { "ends" },
                moves.join(", ")
            )
        },
    )
}

/// The kinds of ground of the rows.
const GROUND: &str = "[terrain.sand]\nglyphs = \"s\"\nspeed = 700\n\
    [terrain.mud]\nglyphs = \"m\"\nspeed = 400\n[terrain.rock]\nglyphs = \"#\"\nspeed = 0\n";

/// A map in a scenario.
pub fn map_of(shape: &str, rows: &[String]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    format!("[map]\nshape = \"{shape}\"\nrows = [{}]\n{GROUND}", rows.join(", "))
}

/// Builds a scenario; `None` if there is no room for its agents or for a body.
pub fn built(text: &str) -> Option<World> {
    built_with(text, TrafficParams::USUAL)
}

/// [`built`] with tunables of the traffic.
pub fn built_with(text: &str, params: TrafficParams) -> Option<World> {
    let mut typed =
        scenario::parse("scene.toml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    typed.traffic = params;
    match load::build_world(Path::new("scene.toml"), &typed) {
        Ok(world) => Some(world),
        Err(error) if ["room for", "does not fit on"].iter().any(|text| error.to_string().contains(text)) => {
            None
        }
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Either rule of collision.
pub fn rule() -> impl Strategy<Value = CollisionRule> {
    prop::sample::select(&[CollisionRule::Swept, CollisionRule::Discrete])
}
