//! Classes that are added to a running world.

use crate::progress::LongestOfClass;
use crate::setup::{SetupError, class_of};
use crate::world::World;
use wheelbase_planner::{MovementClass, MovementTables};
use wheelbase_traffic::motion::{ClassId, sides};

impl World {
    /// Adds a class between two ticks, such as a unit that a game has just unlocked. Gives its number, for commands.
    /// Compiles it against the map as it is, which takes as long as in a setup. Equal worlds add equal classes between
    /// the same ticks. It has no landmarks. Corridors and no-stopping ground stay as the bodies of the setup have them,
    /// so declare the smallest and the largest body there.
    ///
    /// Snapshots, copies and crash reports have the class. A recording that began before does not: begin another one.
    ///
    /// ```
    /// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
    /// use wheelbase_sim::{ClassId, Command, Settings, Setup, Spawn, World};
    /// let grid = Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default())?;
    /// let mut world = World::new(Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]))?;
    /// world.step();
    /// let mut cart = ClassSpec::new("cart", 4);
    /// cart.primitives = Primitive::vehicle(4, 8, 4);
    /// let cart = world.add_class(MovementClass::new(cart)?)?;
    /// world.command(Command::Spawn(Spawn::new(cart, Pose::new(0, 0, Heading(0)))));
    /// world.step();
    /// assert_eq!((cart, world.agents().len()), (ClassId(1), 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// # Errors
    /// [`SetupError::OtherMap`] for a class for maps of another shape, [`SetupError::TooManyClasses`], or
    /// [`SetupError::RuleRefuses`]. The world is as it was.
    pub fn add_class(&mut self, class: MovementClass) -> Result<ClassId, SetupError> {
        let n = self.classes.len();
        let id = ClassId(u8::try_from(n).map_err(|_| SetupError::TooManyClasses(n + 1))?);
        if class.spec().shape != self.grid.shape() {
            return Err(SetupError::OtherMap(id));
        }
        let mut tables = MovementTables::compile(&self.grid, class);
        tables.make_components();
        self.tables.push(tables);
        if !self.traffic.add_class(&self.tables) {
            self.tables.pop();
            return Err(SetupError::RuleRefuses(id));
        }
        let tables = &self.tables[n];
        self.classes.push(class_of(&self.grid, tables));
        self.congestion.add_class(sides(tables));
        self.longest.push(LongestOfClass::default());
        // Its commands since would name a class that its snapshot does not have.
        if self.report_base.take().is_some() {
            self.keep_report().ok();
        }
        Ok(id)
    }
}
