//! A crowd of five classes with random tasks, for programs that time or check whole worlds.

use std::path::Path;
use wheelbase_grid::Rect;
use wheelbase_scenario::load;
use wheelbase_scenario::scenario::{self, Scenario};
use wheelbase_sim::World;

/// The classes of [`crowd`].
pub const CROWD_CLASSES: [&str; 5] = ["scout", "truck", "tank", "loader", "carrier"];

/// Agents in equal parts of the five classes of `scenarios/first/12_crowd.toml`, on open land of `side` cells along
/// each side, placed at random in an area. Each has random tasks on all of the land. Before its first tick.
/// # Errors
/// The scenario cannot be read or built, in words.
pub fn crowd(agents: usize, side: u32, area: Rect) -> Result<World, String> {
    let typed = crowd_scenario("open", agents, side, area)?;
    load::build_world(Path::new("crowd.toml"), &typed).map_err(|error| error.to_string())
}

/// The scenario of such a crowd on a generated map of a kind, such as `open` or `base`.
/// # Errors
/// The file of the classes cannot be read, or the kind is unknown, in words.
pub fn crowd_scenario(kind: &str, agents: usize, side: u32, area: Rect) -> Result<Scenario, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios/first/12_crowd.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let classes = text.split("[[groups]]").next().unwrap_or_default();
    let map = format!("kind = \"{kind}\", size = [{side}, {side}]");
    let mut text = classes.replace("kind = \"open\", size = [96, 64]", &map);
    let (count, Rect { x, y, width, height }) = (agents / CROWD_CLASSES.len(), area);
    for class in CROWD_CLASSES {
        text += &format!("[[groups]]\nclass = \"{class}\"\ncount = {count}\n");
        text += &format!("area = [{x}, {y}, {width}, {height}]\n");
        text += &format!("tasks = {{ kind = \"random\", area = [0, 0, {side}, {side}] }}\n");
    }
    scenario::parse("crowd.toml", text.as_bytes()).map_err(|error| error.to_string())
}
