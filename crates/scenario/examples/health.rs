//! A game that keeps components of its own beside ours: two carts cross a swamp that eats at them, and are
//! drawn between two ticks. Run it with `cargo run --release --example health`.

use std::f32::consts::TAU;
use std::path::Path;
use wheelbase_grid::{TerrainKind, WorldPose, WorldSpace};
use wheelbase_planner::{Heading, Pose};
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{AgentId, Row, Simulation, Step, TripStatistics};

/// What the game knows of a unit and the simulation does not.
struct Health(i32);

/// Health that a tick in the swamp costs.
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
    let mut sim = load::build_simulation(Path::new("swamp.toml"), &typed)?;
    let swamp = sim.grid().terrain_table().kind_of_name("swamp").ok_or("the map has no swamp")?;
    for row in 0..sim.agents().len() {
        let entity = sim.agents().entity(row);
        sim.entities_mut().insert_one(entity, Health(100))?;
    }
    while sim.step() == Step::Running {
        hurt(&mut sim, swamp);
        if sim.tick() == 18 {
            draw(&sim);
        }
    }
    // Its components and ours in one query; the order of entities means nothing, so it is sorted by id.
    let mut query = sim.entities().query::<(&AgentId, &TripStatistics, &Health)>();
    let mut units: Vec<_> = query.iter().map(|(id, trips, health)| (*id, trips.finished, health.0)).collect();
    units.sort_unstable();
    for &(AgentId(id), finished, health) in &units {
        println!("agent {id}: {finished} orders done, health {health}");
    }
    assert!(units[0].2 == 100 && units[1].2 < 100, "the swamp lies in the way of the second alone");
    Ok(())
}

/// Takes health from all who stand in the swamp.
fn hurt(sim: &mut Simulation, swamp: TerrainKind) {
    let in_swamp: Vec<bool> =
        (0..sim.agents().len()).map(|row| sim.grid().terrain_at(sim.pose(row).cell) == Some(swamp)).collect();
    for (row, health) in sim.entities_mut().query_mut::<(&Row, &mut Health)>() {
        if in_swamp[row.0 as usize] {
            health.0 -= SWAMP_DAMAGE;
        }
    }
}

/// Prints where each unit is drawn half a tick from now, in units of 16 points a cell.
fn draw(sim: &Simulation) {
    let Ok(space) = WorldSpace::new(glam::Vec2::ZERO, 16.0) else { return };
    for row in 0..sim.agents().len() {
        let motion = sim.agents().motion[row];
        let tables = &sim.tables()[usize::from(motion.class.0)];
        let headings = f32::from(tables.space().headings());
        let angle = |heading: Heading| TAU * f32::from(heading.0) / headings;
        let placed = |pose: Pose| -> WorldPose { space.pose(pose.cell, angle(pose.heading)) };
        let from = placed(sim.pose(row));
        let shown = match tables.move_ticks(motion.state, usize::from(motion.primitive)) {
            Some(ticks) if !motion.at_rest() => {
                let to = tables.space().pose(tables.state_after(motion.state, usize::from(motion.primitive)));
                let gone = ticks as f32 - (motion.until - sim.tick()) as f32 + 0.5;
                from.interpolate(placed(to), gone / ticks as f32)
            }
            _ => from,
        };
        println!("tick {}.5: agent {row} at {:.1}, turned by {:.2}", sim.tick(), shown.position, shown.angle);
    }
}
