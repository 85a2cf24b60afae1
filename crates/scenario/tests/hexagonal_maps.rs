//! Hexagonal maps in scenarios: refusals and their messages, and how a run differs.

use crate::common::{build_world, run_checked};
use std::path::Path;
use wheelbase_grid::{Cell, GridShape, Side, SideKind};
use wheelbase_planner::{Heading, Pose};
use wheelbase_scenario::scenario::{self, ScenarioError};
use wheelbase_scenario::{load, trace};

/// A wagon of two cells on a map of 5 x 5 hexagons.
fn board(map: &str, class: &str, rest: &str) -> String {
    format!(
        r#"name = "board"
ticks = 300
[map]
shape = "hex"
{map}
[terrain.lock]
glyphs = "/"
speed = 1000
sides = {{ E = "wall", NW = "wall" }}
[class.wagon]
{class}
moves = [
  {{ name = "forward", by = [1, 0], time = 2 }},
  {{ name = "left", turn = 1, time = 3 }},
]
{rest}"#
    )
}

const ROWS: &str = r#"rows = [".....", "..WW.", "./...", ".....", "....."]"#;
const WAGON: &str = "headings = 6\nfootprint = [[0, 0], [-1, 0]]";

fn refused(text: &str) -> String {
    let typed = match scenario::parse("s.toml", text.as_bytes()) {
        Ok(typed) => typed,
        // By their lines, as mistakes of building.
        Err(errors) => {
            let line = |error| ScenarioError { span: None, ..error }.to_string();
            return errors.into_vec().into_iter().map(line).collect::<Vec<_>>().join("\n");
        }
    };
    load::build_world(Path::new("s.toml"), &typed).err().unwrap().to_string()
}

#[test]
fn features_of_square_maps_are_refused_by_name() {
    let walls = format!("{ROWS}\nwalls = [[0, 0, 0, 2]]");
    assert_eq!(
        refused(&board(&walls, WAGON, "")),
        "s.toml:6: map.walls[0]: wall [0, 0, 0, 2] runs from corner to corner, which only square maps have; \
         give the sides of terrain kinds, or set_side"
    );
    let class = |class: &str, expected: &str| {
        let found = refused(&board(ROWS, class, ""));
        assert_eq!(found, format!("s.toml:{expected}"));
    };
    class("headings = 4", "11: class.wagon.headings: expected 1 or 6, found 4");
    class(
        "headings = 6\npivot = [-0.5, 0.5]",
        "12: class.wagon.pivot: expected the centre of a cell: two whole numbers on hexagonal maps",
    );
    class(
        "headings = 6\nsweep = \"full\"",
        "10: class.wagon.sweep: expected \"ends\": \"full\" is for square maps",
    );
    let octile = "[[agents]]\nclass = \"octile\"\nat = [0, 0]\n";
    assert_eq!(
        refused(&board(ROWS, WAGON, octile)),
        "s.toml:18: agents[0].class: class \"octile\" is for square maps; on hexagonal maps classes have 1 or 6 headings"
    );
    let north = "[[events]]\ntick = 1\nset_side = { cell = [0, 0], side = \"N\", kind = \"wall\" }\n";
    assert_eq!(
        refused(&board(ROWS, WAGON, north)),
        "s.toml:19: events[0].set_side.side: expected \"E\", \"NE\", \"NW\", \"W\", \"SW\" or \"SE\", found \"N\""
    );
    let sides = board(ROWS, WAGON, "").replace("NW = \"wall\"", "N = \"wall\"");
    assert_eq!(
        refused(&sides),
        "s.toml:9: terrain.lock.sides.N: cells of a map of shape \"hex\" have sides E, NE, NW, W, SW or SE"
    );
    let square = board(ROWS, "headings = 4", "").replace("\"hex\"", "\"square\"");
    assert_eq!(
        refused(&square),
        "s.toml:9: terrain.lock.sides.NW: cells of a map of shape \"square\" have sides E, N, W or S"
    );
    let six = board(ROWS, WAGON, "").replace("\"hex\"", "\"square\"").replace("NW", "N");
    assert_eq!(refused(&six), "s.toml:11: class.wagon.headings: expected 1, 4 or 8, found 6");
    let heading = "[[agents]]\nclass = \"wagon\"\nat = [2, 0, \"N\"]\n";
    let found = refused(&board(ROWS, WAGON, heading));
    assert!(found.contains("E, NE, NW, W, SW or SE"), "{found}");
}

#[test]
fn sides_start_and_turn_by_sixths() {
    let turn = "[[events]]\ntick = 1\nrotate = { cell = [1, 2], turns = -1 }\n";
    let agent = "[[agents]]\nclass = \"wagon\"\nat = [1, 0, \"E\"]\norders = [{ wait = 5 }]\n";
    let mut world = build_world(&board(ROWS, WAGON, &format!("{agent}{turn}")));
    assert_eq!(world.grid().shape(), GridShape::Hex);
    let walls = |world: &wheelbase_sim::World| -> Vec<Side> {
        let is_wall = |side: &Side| world.grid().side_of(Cell(11), *side) == SideKind::WALL;
        Side::ALL.into_iter().filter(is_wall).collect()
    };
    assert_eq!(walls(&world), [Side::East, Side::NorthWest]);
    let mut header = Vec::new();
    trace::write_header(&world, &mut header).unwrap();
    let header: serde_json::Value = serde_json::from_slice(&header).unwrap();
    assert_eq!(header["shape"], "hex");
    assert_eq!(header["sides"], serde_json::json!([[1, 2, "E", 1], [1, 2, "NW", 1]]));
    run_checked(&mut world);
    assert_eq!(walls(&world), [Side::NorthEast, Side::SouthEast]);
}

/// Six neighbours, a turn of 60 degrees, and a radius in steps.
#[test]
fn a_wagon_arrives_when_its_moves_say() {
    let orders =
        |goto: &str| format!("[[agents]]\nclass = \"wagon\"\nat = [1, 3, \"E\"]\norders = [{{ {goto} }}]\n");
    let run = |goto: &str| {
        let mut world = build_world(&board(ROWS, WAGON, &orders(goto)));
        run_checked(&mut world);
        (world.pose(0), world.tick())
    };
    assert_eq!(run("goto = [4, 3, \"E\"]"), (Pose::new(4, 3, Heading(0)), 6));
    // (4, 2) is one step from (3, 3) and from (4, 3): with `within` the shorter path wins.
    assert_eq!(run("goto = [4, 2], within = 1"), (Pose::new(3, 3, Heading(0)), 4));
    // Two steps E and, after a turn, one to the NE: from the odd row 3 a column further east.
    assert_eq!(run("goto = [4, 2, \"NE\"]"), (Pose::new(4, 2, Heading(1)), 4 + 3 + 2));
}

#[test]
fn generated_maps_can_be_hexagonal() {
    let world = build_world(&board("generate = { kind = \"river\", size = [40, 30], seed = 3 }", WAGON, ""));
    assert_eq!((world.grid().shape(), world.grid().size().n_cells()), (GridShape::Hex, 1200));
}
