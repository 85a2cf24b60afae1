//! Copies of worlds: to look ahead, and to roll back.

use crate::tick_buffers::TickBuffers;
use crate::world::World;

/// Every field is named, so that none is forgotten.
macro_rules! clone_world {
    ($($field:ident)+) => {
        impl Clone for World {
            /// A copy that steps exactly like this world. It shares map, tables, landmarks and cost fields until one of
            /// the two changes them, and runs on threads of the same kind. Components of game code, the log and the
            /// data of a crash report are not copied.
            fn clone(&self) -> Self {
                Self {
                    $($field: self.$field.clone(),)+
                    traffic: self.traffic.clone_box(),
                    tick_buffers: TickBuffers::default(),
                    report_base: None,
                }
            }

            /// Makes this world a copy of another one, in its own memory as far as that goes: what a game does to roll
            /// back.
            fn clone_from(&mut self, from: &Self) {
                $(self.$field.clone_from(&from.$field);)+
                if !self.traffic.copy_from(&*from.traffic) {
                    self.traffic = from.traffic.clone_box();
                }
                self.report_base = None;
            }
        }
    };
}

clone_world! {
    settings grid classes tables agents orders occupancy assigned_poses congestion group_goals requests
    traffic_buffers events commands pending_edits class_changes followers friends obstacles obstructed
    pool counts longest tick violation ended start broken
}
