//! The agents: dense parallel arrays, one row an agent, that the tick streams over.
//!
//! Rows stand in order of id and close up when agents are taken out. Ids are never used again.

use crate::motion::{AgentId, Motion};
use crate::orders::OrderState;
use crate::path_pool::PathHandle;
use wheelbase_planner::State;

/// Row of an agent in the dense arrays; changes when agents before it are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(pub u32);

/// Waiting and giving way.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Given priority; higher goes first.
    pub priority: i32,
    /// Tick since which it could have moved on but did not; `u32::MAX` while it moves.
    pub waits_since: u32,
    /// Tick at which its last move ended or it was placed.
    pub moved_at: u32,
    /// Earliest tick at which it may ask again for a way around others.
    pub ask_again_at: u32,
    /// Times in a row that it found no way around.
    pub failures: u8,
    /// Earliest tick at which it may look again for a quicker way.
    pub look_again_at: u32,
    /// Times in a row that it found none that is quicker.
    pub look_failures: u8,
    /// An edit has made its pose or move illegal, and nothing has freed it since.
    pub stranded: bool,
}

/// All agents that are there. Arrays of one length, joined by row.
#[derive(Debug, Default)]
pub struct Agents {
    /// Ids, rising.
    pub ids: Vec<AgentId>,
    /// Hot: poses and moves.
    pub motion: Vec<Motion>,
    /// Waiting and giving way.
    pub patience: Vec<Patience>,
    /// What is left of their paths.
    pub paths: Vec<PathHandle>,
    /// Where they stand in their orders.
    pub orders: Vec<OrderState>,
    /// Poses that they have been given by an order to an area or a group.
    pub given: Vec<Option<State>>,
    /// Their entities.
    pub entities: Vec<hecs::Entity>,
    /// Row of each id ever given, `u32::MAX` once it is taken out.
    row_of_id: Vec<u32>,
}

impl Agents {
    /// Number of agents that are there.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Row of an agent, or `None` if it is not there.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        let row = *self.row_of_id.get(id.0 as usize)?;
        (row != u32::MAX).then_some(row as usize)
    }

    /// Adds an agent as the last row.
    pub(crate) fn push(
        &mut self,
        motion: Motion,
        priority: i32,
        orders: OrderState,
        entity: hecs::Entity,
        tick: u32,
    ) -> AgentId {
        let id = AgentId(self.row_of_id.len() as u32);
        self.row_of_id.push(self.ids.len() as u32);
        self.ids.push(id);
        self.motion.push(motion);
        self.patience.push(Patience {
            priority,
            waits_since: u32::MAX,
            moved_at: tick,
            ask_again_at: 0,
            look_again_at: 0,
            look_failures: 0,
            failures: 0,
            stranded: false,
        });
        self.paths.push(PathHandle::EMPTY);
        self.orders.push(orders);
        self.given.push(None);
        self.entities.push(entity);
        id
    }

    /// Takes out the rows for which `gone` says so; the others close up in order.
    pub(crate) fn remove_rows(&mut self, gone: &[bool]) {
        fn close_up<T>(rows: &mut Vec<T>, gone: &[bool]) {
            let mut row = 0;
            rows.retain(|_| {
                row += 1;
                !gone[row - 1]
            });
        }
        for (row, id) in self.ids.iter().enumerate() {
            if gone[row] {
                self.row_of_id[id.0 as usize] = u32::MAX;
            }
        }
        close_up(&mut self.ids, gone);
        close_up(&mut self.motion, gone);
        close_up(&mut self.patience, gone);
        close_up(&mut self.paths, gone);
        close_up(&mut self.orders, gone);
        close_up(&mut self.given, gone);
        close_up(&mut self.entities, gone);
        for (row, id) in self.ids.iter().enumerate() {
            self.row_of_id[id.0 as usize] = row as u32;
        }
    }
}
