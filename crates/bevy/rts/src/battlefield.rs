//! The map, the classes and the two armies.

use bevy::prelude::*;
use bevy_wheelbase::prelude::*;
use bevy_wheelbase::sim;

pub const TANK: ClassId = ClassId(0);
pub const LORRY: ClassId = ClassId(1);
/// Kinds of terrain.
pub const WALL: &str = "wall";
pub const GROUND: &str = "ground";

const SIZE: (i32, i32) = (128, 72);
const UNITS_PER_ARMY: i32 = 72;

/// A river with two bridges, and trees.
pub fn world() -> Result<sim::World, Box<dyn std::error::Error>> {
    let is_river = |x: i32, y: i32| (x - 64 - (y - 36) / 6).abs() < 4;
    let is_bridge = |y: i32| (14..24).contains(&y) || (46..56).contains(&y);
    let glyph = |x: i32, y: i32| match () {
        () if is_river(x, y) && !is_bridge(y) => 'W',
        () if (42..54).contains(&x) && (x * 7 + y * 13) % 61 == 0 => 'T',
        () => '.',
    };
    let rows: Vec<String> = (0..SIZE.1).map(|y| (0..SIZE.0).map(|x| glyph(x, y)).collect()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let kinds = TerrainTable::with_standard(vec![TerrainEntry::new(WALL, "#", 0)])?;
    let grid = Grid::from_rows(&rows, kinds, SideTable::default())?;
    let mut tank = ClassSpec::new("tank", 4);
    tank.footprint = vec![(0, 0), (1, 0), (0, 1), (1, 1)];
    tank.pivot = sim::planner::model::Pivot { forward: 1, right: 1 };
    tank.primitives = Primitive::vehicle(4, 8, 4);
    let mut lorry = ClassSpec::new("lorry", 4);
    lorry.footprint = vec![(-1, 0), (0, 0), (1, 0)];
    lorry.primitives = Primitive::vehicle(3, 6, 5);
    let classes = vec![MovementClass::new(tank)?, MovementClass::new(lorry)?];
    Ok(sim::World::new(Setup::cooperative(Settings::named("rts"), grid, classes))?)
}

/// An army on each bank. A unit whose place is taken is refused, and its entity with it.
pub fn armies(mut orders: Orders) {
    for (team, x, heading) in [(0, 6, 0), (1, 90, 2)] {
        for i in 0..UNITS_PER_ARMY {
            let class = if i % 3 == 2 { LORRY } else { TANK };
            let pose = Pose::new(x + 5 * (i % 6), 8 + 4 * (i / 6), Heading(heading));
            orders.spawn(class, pose, Team(team));
        }
    }
}
