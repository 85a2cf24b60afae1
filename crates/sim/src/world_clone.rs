//! Copies of worlds: to look ahead, and to roll back.

use crate::tick_buffers::TickBuffers;
use crate::world::World;

impl Clone for World {
    /// A copy that steps exactly like this world. It shares map, tables, landmarks and cost fields until one of the two
    /// changes them, and runs on threads of the same kind. Components of game code and the log are not copied.
    fn clone(&self) -> Self {
        Self {
            settings: self.settings.clone(),
            grid: self.grid.clone(),
            classes: self.classes.clone(),
            tables: self.tables.clone(),
            agents: self.agents.clone(),
            orders: self.orders.clone(),
            paths: self.paths.clone(),
            occupancy: self.occupancy.clone(),
            assigned_poses: self.assigned_poses.clone(),
            congestion: self.congestion.clone(),
            group_goals: self.group_goals.clone(),
            requests: self.requests.clone(),
            traffic: self.traffic.clone_box(),
            traffic_buffers: self.traffic_buffers.clone(),
            event_rows: self.event_rows.clone(),
            commands: self.commands.clone(),
            tick_buffers: TickBuffers::default(),
            pending_edits: self.pending_edits.clone(),
            class_changes: self.class_changes.clone(),
            followers: self.followers.clone(),
            friends: self.friends,
            obstacles: self.obstacles.clone(),
            obstructed: self.obstructed.clone(),
            pool: self.pool.clone(),
            counts: self.counts,
            tick: self.tick,
            violation: self.violation,
            ended: self.ended.clone(),
            log: None,
            start: self.start.clone(),
        }
    }

    /// Makes this world a copy of another one, in its own memory as far as that goes: what a game does to roll back.
    fn clone_from(&mut self, from: &Self) {
        self.settings.clone_from(&from.settings);
        self.grid.clone_from(&from.grid);
        self.classes.clone_from(&from.classes);
        self.tables.clone_from(&from.tables);
        self.agents.clone_from(&from.agents);
        self.orders.clone_from(&from.orders);
        self.paths.clone_from(&from.paths);
        self.occupancy.clone_from(&from.occupancy);
        self.assigned_poses.clone_from(&from.assigned_poses);
        self.congestion.clone_from(&from.congestion);
        self.group_goals.clone_from(&from.group_goals);
        self.requests.clone_from(&from.requests);
        if !self.traffic.copy_from(&*from.traffic) {
            self.traffic = from.traffic.clone_box();
        }
        self.traffic_buffers.clone_from(&from.traffic_buffers);
        self.event_rows.clone_from(&from.event_rows);
        self.commands.clone_from(&from.commands);
        self.pending_edits.clone_from(&from.pending_edits);
        self.class_changes.clone_from(&from.class_changes);
        self.followers.clone_from(&from.followers);
        self.obstacles.clone_from(&from.obstacles);
        self.obstructed.clone_from(&from.obstructed);
        self.pool.clone_from(&from.pool);
        self.ended.clone_from(&from.ended);
        self.start.clone_from(&from.start);
        (self.friends, self.counts, self.tick) = (from.friends, from.counts, from.tick);
        (self.violation, self.log) = (from.violation, None);
    }
}
