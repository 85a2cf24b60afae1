//! A world as bytes.

use super::error::SaveError;
use super::format::{AgentsBlock, BLOCKS, RuleBlock, SNAPSHOT, TablesBlock, WorldBlock};
use crate::class_landmarks::ClassLandmarks;
use crate::codec::{BlockWriter, write_prefix};
use crate::replan_params::changed_tunables;
use crate::world::World;
use serde::Serialize;
use std::borrow::Cow;
use wheelbase_traffic::save_state;

impl World {
    /// All of the world, between two ticks: [`World::load`] gives a world that steps exactly like this one. Components
    /// of game code, events and log are not part of it. Linear in the map, the agents and the searches in progress.
    ///
    /// ```
    /// use wheelbase_sim::{CellXY, ClassId, Command, Grid, Heading, Host, MovementClass, Order, Pose};
    /// use wheelbase_sim::{Settings, Setup, SideTable, Spawn, TerrainTable, World};
    /// let grid = Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default())?;
    /// let mut setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]);
    /// let order = Order::goto(CellXY::new(7, 0));
    /// setup.agents.push(Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0))).with_orders([order]));
    /// let mut world = World::new(setup)?;
    /// world.step();
    /// let mut loaded = World::load(&world.save()?, Host::default())?;
    /// for _ in 0..20 {
    ///     world.step();
    ///     loaded.step();
    ///     assert_eq!(loaded.state_hash(), world.state_hash());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// # Errors
    /// [`SaveError`]; the world is as it was.
    pub fn save(&self) -> Result<Vec<u8>, SaveError> {
        if let Some(broken) = self.broken() {
            return Err(SaveError::Broken(broken.clone()));
        }
        let name = self.traffic.saved_name().ok_or(SaveError::UnnamedRule)?;
        let mut writer = Writer { blocks: BlockWriter::default(), tick: self.tick, out: Vec::new() };
        write_prefix(&SNAPSHOT, &mut writer.out).map_err(SaveError::TooLarge)?;
        writer.write(0, &self.world_block())?;
        let landmarks = self.classes.iter().map(|class| class.landmarks.as_ref().map(ClassLandmarks::save));
        let tables = self.tables.iter().map(wheelbase_planner::MovementTables::save);
        let graphs = self.classes.iter().map(|class| class.graph.save());
        let of_classes = tables.zip(landmarks).zip(graphs);
        let blocks = of_classes.map(|((tables, landmarks), graph)| (tables, landmarks, graph));
        writer.write(1, &TablesBlock(blocks.collect()))?;
        writer.write(2, &self.agents_block())?;
        writer.write(3, &self.requests.save())?;
        let parts = save_state(&*self.traffic).parts.into_iter().map(|part| (part.name, part.values));
        writer.write(4, &RuleBlock { name: name.to_owned(), parts: parts.collect() })?;
        Ok(writer.out)
    }

    fn world_block(&self) -> WorldBlock {
        let settings = self.settings.clone();
        WorldBlock {
            tick: self.tick,
            tunables: changed_tunables(&settings.traffic, &settings.replan),
            settings,
            grid: self.grid.clone(),
            classes: self.tables.iter().map(|tables| tables.class().clone()).collect(),
            friends: *self.friends.rows(),
            landmarks: self.start.landmarks.map(|landmarks| landmarks as u32),
            eased: self.start.eased.clone(),
            n_agents: self.agents.len() as u32,
            n_classes: self.start.n_classes as u32,
        }
    }

    fn agents_block(&self) -> AgentsBlock<'_> {
        AgentsBlock {
            agents: self.agents.save(),
            orders: self.orders.save(),
            commands: self.commands.save(),
            pending_edits: self.pending_edits.edits().to_vec(),
            class_changes: self.class_changes.clone(),
            followers: self.followers.clone(),
            obstructed: self.obstructed.clone(),
            congestion: self.congestion.save(),
            group_goals: self.group_goals.clone(),
            buffers: Cow::Borrowed(&self.traffic_buffers),
            counts: self.counts,
            longest: self.longest.clone(),
        }
    }
}

struct Writer {
    blocks: BlockWriter,
    tick: u32,
    out: Vec<u8>,
}

impl Writer {
    fn write(&mut self, at: usize, block: &impl Serialize) -> Result<(), SaveError> {
        let (kind, _) = BLOCKS[at];
        self.blocks.write(kind, (self.tick, 0), block, &mut self.out).map_err(SaveError::TooLarge)
    }
}
