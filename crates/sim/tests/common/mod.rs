//! Worlds from code: classes, maps, and runs that are checked after every tick.

#![allow(dead_code, clippy::unwrap_used)]

pub mod random_commands;

use wheelbase_grid::{CellXY, Grid, GridShape, SideTable, TerrainTable};
use wheelbase_planner::model::{Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive, When};
use wheelbase_sim::invariant::{RowCheck, check, check_pools};
use wheelbase_sim::{
    AgentId, ClassId, Command, EventKind, EventRow, RefusalReason, Settings, Setup, Spawn, Threads, Ticket,
    World,
};

/// One cell, no facing.
pub const WALKER: ClassId = ClassId(0);
/// One cell, 4 headings; slow in reverse.
pub const CART: ClassId = ClassId(1);
/// Three cells in a row, 4 headings.
pub const TRUCK: ClassId = ClassId(2);
/// Two by two cells, 8 headings, swept in full.
pub const TANK: ClassId = ClassId(3);

/// The classes of square maps.
pub fn square_classes() -> Vec<MovementClass> {
    let mut walker = ClassSpec::new("walker", 1);
    walker.primitives = Primitive::four_directions(2);
    let mut cart = ClassSpec::new("cart", 4);
    cart.primitives = Primitive::vehicle(2, 6, 1);
    let mut truck = ClassSpec::new("truck", 4);
    truck.footprint = vec![(-1, 0), (0, 0), (1, 0)];
    truck.primitives = Primitive::vehicle(3, 5, 4);
    let mut tank = ClassSpec::new("tank", 8);
    tank.footprint = vec![(0, 0), (-1, 0), (0, -1), (-1, -1)];
    tank.pivot = wheelbase_planner::model::Pivot { forward: -1, right: -1 };
    tank.sweep = Sweep::both(SweepRule::Full);
    let when = |primitive, when| Primitive { when, ..primitive };
    tank.primitives = vec![
        when(Primitive::step("forward", (1, 0), 3), When::Straight),
        when(Primitive::step("diagonal", (1, -1), 4), When::Diagonal),
        Primitive::turn("left", 1, 2),
        Primitive::turn("right", -1, 2),
    ];
    [walker, cart, truck, tank].map(|spec| MovementClass::new(spec).unwrap()).to_vec()
}

/// The classes of hexagonal maps: without and with a facing, and one of two cells.
pub fn hex_classes() -> Vec<MovementClass> {
    let mut walker = ClassSpec::hexagonal("walker", 1);
    walker.primitives = Primitive::six_directions(2);
    let mut cart = ClassSpec::hexagonal("cart", 6);
    cart.primitives = Primitive::vehicle(2, 5, 1);
    let mut truck = ClassSpec::hexagonal("truck", 6);
    truck.footprint = vec![(0, 0), (-1, 0)];
    truck.primitives = Primitive::vehicle(3, 5, 2);
    [walker, cart, truck].map(|spec| MovementClass::new(spec).unwrap()).to_vec()
}

/// A map of rows of glyphs: `.` ground, `S` swamp, `W` water.
pub fn map(rows: &[&str], shape: GridShape) -> Grid {
    Grid::from_rows(rows, TerrainTable::movingai(), SideTable::default()).unwrap().with_shape(shape)
}

/// An open square map.
pub fn open(width: usize, height: usize) -> Grid {
    map(&vec![".".repeat(width).as_str(); height], GridShape::Square)
}

/// A setup of all classes of the map's shape.
pub fn setup_on(grid: Grid) -> Setup {
    let classes = if grid.shape() == GridShape::Hex { hex_classes() } else { square_classes() };
    Setup::cooperative(Settings::named("test"), grid, classes)
}

/// A world of these agents on a map.
pub fn world_on(grid: Grid, agents: &[Spawn]) -> World {
    let mut setup = setup_on(grid);
    setup.agents = agents.to_vec();
    World::new(setup).unwrap()
}

/// A world of these agents on an open map, on a separate pool of threads.
pub fn open_world(width: usize, height: usize, agents: &[Spawn], threads: usize) -> World {
    let mut setup = setup_on(open(width, height));
    setup.agents = agents.to_vec();
    setup.threads = Threads::Own(threads);
    World::new(setup).unwrap()
}

/// An agent without orders.
pub fn at(class: ClassId, x: i32, y: i32, heading: u8) -> Spawn {
    Spawn::new(class, pose(x, y, heading))
}

/// A pose.
pub fn pose(x: i32, y: i32, heading: u8) -> Pose {
    Pose::new(x, y, Heading(heading))
}

/// A cell.
pub fn cell(x: i32, y: i32) -> CellXY {
    CellXY::new(x, y)
}

/// A world whose every tick is checked: invariants, rows, events and pools.
pub struct Checked {
    /// The world.
    pub world: World,
    rows: RowCheck,
    /// All events so far.
    pub told: Vec<EventRow>,
}

impl Checked {
    /// A world before its first tick.
    pub fn new(mut world: World) -> Self {
        let rows = RowCheck::begin(&mut world);
        Self { world, rows, told: Vec::new() }
    }

    /// On a map, with these agents.
    pub fn on(grid: Grid, agents: &[Spawn]) -> Self {
        Self::new(world_on(grid, agents))
    }

    /// One tick.
    pub fn step(&mut self) {
        self.world.step();
        let (tick, counts) = (self.world.tick(), self.world.counts());
        let n_agents = self.world.agents().len() + self.world.off_map().len();
        assert_eq!(counts.placed - counts.removed, n_agents as u64, "tick {tick}");
        assert_eq!(check(&self.world), [], "tick {tick}");
        assert_eq!(check_pools(&self.world), Ok(()), "tick {tick}");
        assert_eq!(self.rows.follow(&mut self.world), Ok(()), "tick {tick}");
        self.told.extend_from_slice(self.world.events());
    }

    /// Some ticks.
    pub fn steps(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.step();
        }
    }

    /// Gives a command and runs the tick at which it takes effect.
    pub fn does(&mut self, command: Command) -> Ticket {
        let ticket = self.world.command(command);
        self.step();
        ticket
    }

    /// Gives a command that is refused for this reason immediately.
    pub fn refuses(&mut self, command: Command, reason: RefusalReason) {
        let words = format!("{command:?}");
        let ticket = self.does(command);
        let refused: Vec<_> =
            self.world.events().iter().filter(|row| row.kind() == Some(EventKind::Refused)).collect();
        assert!(!refused.is_empty(), "not refused: {words}");
        for row in refused {
            assert_eq!((row.ticket, row.a), (ticket.0, reason as u32), "{words}");
        }
    }

    /// Row of an agent.
    pub fn row(&self, agent: AgentId) -> wheelbase_sim::AgentRow {
        *self.world.agents().iter().find(|row| row.agent() == agent).unwrap()
    }

    /// Cell of the anchor of an agent.
    pub fn cell(&self, agent: AgentId) -> CellXY {
        self.row(agent).pose().cell
    }

    /// Ticks until an agent rests with its anchor on a cell.
    pub fn steps_until_at(&mut self, agent: AgentId, cell: CellXY, at_most: u32) -> u32 {
        for step in 0..at_most {
            if self.cell(agent) == cell && !self.row(agent).is_moving() {
                return step;
            }
            self.step();
        }
        panic!("{agent:?} is at {} after {at_most} ticks", self.cell(agent));
    }

    /// Number of events of a kind so far, about an agent.
    pub fn count(&self, kind: EventKind, agent: AgentId) -> usize {
        self.told.iter().filter(|row| row.kind() == Some(kind) && row.agent == agent.0).count()
    }
}
