//! A game that adds its own components to the entities of agents: two carts lose health in a swamp, and are drawn
//! between two ticks. Run it with `cargo run --release --example health`.

use std::path::Path;
use wheelbase_grid::TerrainKind;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{AgentId, Row, RunState, World};

/// Data of a unit that only the game knows.
struct Health(i32);

/// Health lost per tick in the swamp.
const SWAMP_DAMAGE: i32 = 3;

const SCENARIO: &str = r#"
name = "swamp"
ticks = 200
[map]
rows = ["..........", "...SSS....", ".........."]
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 4 },
    { name = "left", turn = 1, time = 4 },
    { name = "right", turn = -1, time = 4 },
]
[[agents]]
class = "cart"
at = [0, 0, "E"]
orders = [{ goto = [9, 0] }]
[[agents]]
class = "cart"
at = [0, 1, "E"]
orders = [{ goto = [5, 1] }, { goto = [9, 1] }]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let typed = scenario::parse("swamp.toml", SCENARIO.as_bytes())?;
    let mut world = load::build_world(Path::new("swamp.toml"), &typed)?;
    let swamp = world.grid().terrain_table().kind_of_name("swamp").ok_or("the map has no swamp")?;
    for row in 0..world.agent_arrays().len() {
        let entity = world.agent_arrays().entity(row);
        world.entities_mut().insert_one(entity, Health(100))?;
    }
    while world.step() == RunState::Running {
        hurt(&mut world, swamp);
        if world.tick() == 18 {
            draw(&world);
        }
    }
    // Components of game and simulation in one query. The order of entities is arbitrary: sort by id.
    let mut query = world.entities().query::<(&AgentId, &Row, &Health)>();
    let finished = |row: &Row| world.agent_arrays().statistics(row.0 as usize).finished;
    let mut units: Vec<_> = query.iter().map(|(id, row, health)| (*id, finished(row), health.0)).collect();
    units.sort_unstable();
    for &(AgentId(id), finished, health) in &units {
        println!("agent {id}: {finished} orders done, health {health}");
    }
    assert!(units[0].2 == 100 && units[1].2 < 100, "the swamp lies in the way of the second alone");
    Ok(())
}

/// Takes health from all units in the swamp.
fn hurt(world: &mut World, swamp: TerrainKind) {
    let in_swamp: Vec<bool> = (0..world.agent_arrays().len())
        .map(|row| world.grid().terrain_at(world.pose(row).cell) == Some(swamp))
        .collect();
    for (row, health) in world.entities_mut().query_mut::<(&Row, &mut Health)>() {
        if in_swamp[row.0 as usize] {
            health.0 -= SWAMP_DAMAGE;
        }
    }
}

/// Prints the position of each unit half a tick ago, at 16 pixels per cell: rows know where everybody was since the
/// tick before.
fn draw(world: &World) {
    let time = f64::from(world.tick()) - 0.5;
    for row in world.agents() {
        let headings = world.tables()[usize::from(row.class)].space().headings();
        let [x, y] = row.anchor_at(world.grid().shape(), time).map(|cells| cells * 16.0);
        let angle = row.angle_at(headings, time);
        println!("tick {time}: agent {} at [{x:.1}, {y:.1}], turned by {angle:.2}", row.id);
    }
}
