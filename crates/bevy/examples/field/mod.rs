//! The field that two players share, and their clicks.

use bevy_ecs::system::Query;
use bevy_wheelbase::prelude::*;
use std::error::Error;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// An open field with a column of tanks for each player.
pub fn battlefield() -> Outcome<bevy_wheelbase::sim::World> {
    let grid =
        Grid::from_rows(&[".".repeat(60).as_str(); 30], TerrainTable::movingai(), SideTable::default())?;
    let mut tank = ClassSpec::new("tank", 4);
    tank.footprint = vec![(0, 0), (-1, 0)];
    tank.primitives = Primitive::vehicle(4, 10, 5);
    let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::new(tank)?]);
    for y in 0..12 {
        let [left, right] = [(4, 0, 0), (55, 2, 1)].map(|(x, heading, team)| {
            let pose = Pose::new(x, 2 + 2 * y, Heading(heading));
            UnitSpawn { team: Team(team), ..UnitSpawn::new(ClassId(0), pose) }
        });
        setup.agents.extend([left, right]);
    }
    Ok(bevy_wheelbase::sim::World::new(setup)?)
}

/// Own tanks go to a point that depends on the tick.
pub fn send_tanks(me: u8, tick: u32, units: &Query<(&Unit, &UnitTeam)>, orders: &mut Orders) {
    let own = units.iter().filter(|(_, team)| team.0.0 == me).map(|(unit, _)| unit.0);
    let mut own: Vec<AgentId> = own.collect();
    own.sort_unstable();
    orders.of(own).goto_group(CellXY::new(10 + tick as i32 % 41, 4 + tick as i32 % 23));
}
