//! Copies of worlds: to look ahead, and to roll back.

use crate::tick_buffers::TickBuffers;
use crate::world::World;

impl Clone for World {
    /// A copy that steps exactly like this world. It shares map, tables, landmarks and cost fields until one of the two
    /// changes them, and runs on threads of the same kind. Components of game code, the log and
    /// what is kept for a crash report are not copied.
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
            event_details: self.event_details.clone(),
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
            longest: self.longest.clone(),
            tick: self.tick,
            violation: self.violation,
            ended: self.ended.clone(),
            log: None,
            start: self.start.clone(),
            broken: self.broken.clone(),
            report_base: None,
        }
    }

    /// Makes this world a copy of another one, in its own memory as far as that goes: what a game does to roll back.
    fn clone_from(&mut self, from: &Self) {
        // Every field is named, so that none is forgotten.
        let Self {
            settings,
            grid,
            classes,
            tables,
            agents,
            orders,
            paths,
            occupancy,
            assigned_poses,
            congestion,
            group_goals,
            requests,
            traffic,
            traffic_buffers,
            event_rows,
            event_details,
            commands,
            tick_buffers: _,
            pending_edits,
            class_changes,
            followers,
            friends,
            obstacles,
            obstructed,
            pool,
            counts,
            longest,
            tick,
            violation,
            ended,
            log: _,
            start,
            broken,
            report_base: _,
        } = from;
        self.settings.clone_from(settings);
        self.grid.clone_from(grid);
        self.classes.clone_from(classes);
        self.tables.clone_from(tables);
        self.agents.clone_from(agents);
        self.orders.clone_from(orders);
        self.paths.clone_from(paths);
        self.occupancy.clone_from(occupancy);
        self.assigned_poses.clone_from(assigned_poses);
        self.congestion.clone_from(congestion);
        self.group_goals.clone_from(group_goals);
        self.requests.clone_from(requests);
        self.traffic_buffers.clone_from(traffic_buffers);
        self.event_rows.clone_from(event_rows);
        self.event_details.clone_from(event_details);
        self.commands.clone_from(commands);
        self.pending_edits.clone_from(pending_edits);
        self.class_changes.clone_from(class_changes);
        self.followers.clone_from(followers);
        self.obstacles.clone_from(obstacles);
        self.obstructed.clone_from(obstructed);
        self.pool.clone_from(pool);
        self.longest.clone_from(longest);
        self.ended.clone_from(ended);
        self.start.clone_from(start);
        self.broken.clone_from(broken);
        self.report_base = None;
        if !self.traffic.copy_from(&**traffic) {
            self.traffic = traffic.clone_box();
        }
        (self.friends, self.counts, self.tick) = (*friends, *counts, *tick);
        (self.violation, self.log) = (*violation, None);
    }
}
