//! Why agents wait: who is in the way of the next move, and if nobody is, what the traffic rule says.

use crate::goal_cover::{cover_of_goal, obstacle_at};
use crate::roadblocks::roadblocks_of;
use crate::wait_reason::WaitReason;
use crate::world::{World, traffic_view};
use wheelbase_grid::CellXY;
use wheelbase_traffic::motion::{Activity, AgentId, AgentSlot, transition_of};
use wheelbase_traffic::{Reason, TrafficView};

/// The agent that an agent waits for, and the cell.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    pub row: u32,
    pub at: CellXY,
}

impl World {
    /// Why an agent is not moving on; `None` if there is no such agent.
    pub fn reason_for_waiting(&self, agent: AgentId) -> Option<WaitReason> {
        let row = self.agents.row(agent)?;
        let motion = self.agents.motion[row];
        if !motion.at_rest() {
            return Some(WaitReason::Moves);
        }
        if self.agents.wait_states[row].stranded {
            return Some(WaitReason::Stranded);
        }
        Some(match motion.activity {
            Activity::Idle | Activity::Arrived => WaitReason::None,
            Activity::Dwelling => WaitReason::Dwelling,
            Activity::Holding => WaitReason::Holding,
            Activity::AwaitingPath => WaitReason::Path,
            Activity::Unreachable => self.covers_goal(row).unwrap_or(WaitReason::Unreachable),
            // It asks for another one at the next tick.
            Activity::Following if motion.replan => WaitReason::Path,
            Activity::Yielding if self.agents.paths[row].is_empty() => match self.reason_of_rule(row) {
                makes_way @ WaitReason::Traffic(Reason::MakesWay { .. }) => makes_way,
                _ => WaitReason::Yielding,
            },
            Activity::Following | Activity::Yielding => self.name_roadblock(self.why_blocked(row)),
        })
    }

    /// An obstacle to the agent in a row that covers its goal, if each pose there is covered by one.
    fn covers_goal(&self, row: usize) -> Option<WaitReason> {
        let (kind, _) = self.orders.current_trip(&self.agents.orders(row))?;
        if kind.assigns_pose() {
            return None;
        }
        cover_of_goal(self, row, |at| Some(WaitReason::Roadblock { by: obstacle_at(self, row, at)?, at }))
    }

    /// The same reason, for an agent that cannot make way if that is so.
    fn name_roadblock(&self, reason: WaitReason) -> WaitReason {
        let held = match reason {
            WaitReason::Agent { by, at } => Some((by, at)),
            WaitReason::Traffic(reason) => reason.holder().zip(reason.at()),
            _ => None,
        };
        let is_roadblock = |by: &AgentId| roadblocks_of(&*self.traffic).binary_search(by).is_ok();
        match held.filter(|(by, _)| is_roadblock(by)) {
            Some((by, at)) => WaitReason::Roadblock { by, at },
            None => reason,
        }
    }

    /// Why the agent in a row, which rests with a path, does not begin its next move.
    fn why_blocked(&self, row: usize) -> WaitReason {
        if let Some(wait) = self.wait_of(row) {
            return WaitReason::Agent { by: self.agents.ids[wait.row as usize], at: wait.at };
        }
        let mut motion = self.agents.motion[row];
        if let Some(&next) = self.agents.moves(row).first() {
            motion.primitive = next;
            let step = transition_of(&self.tables, &motion);
            let (anchor, held) = step.start();
            let areas = self.pending_edits.areas();
            if wheelbase_traffic::forbidden::forbids(areas, anchor, held, step.swept().1) {
                return WaitReason::Edit;
            }
        }
        self.reason_of_rule(row)
    }

    /// What the traffic rule says.
    fn reason_of_rule(&self, row: usize) -> WaitReason {
        let view = traffic_view!(self, &[]);
        self.traffic.reason(&view, row).map_or(WaitReason::OutsideRule, WaitReason::Traffic)
    }

    /// The agent that keeps a resting agent from its next move, and where.
    pub(crate) fn wait_of(&self, row: usize) -> Option<Wait> {
        let mut motion = self.agents.motion[row];
        let tables = &self.tables[motion.class.0 as usize];
        motion.primitive = *self.agents.moves(row).first()?;
        let ticks = tables.move_ticks(motion.state, motion.primitive as usize)?;
        let (slot, step) = (self.agents.slots[row], transition_of(&self.tables, &motion));
        let until = self.tick.saturating_add(ticks);
        let other = self.occupancy.blocker_of_move(slot, &step, until)?;
        let (anchor, needed) = self.occupancy.needed(&step);
        let mut cells = needed.iter().map(|o| o.cell_from(anchor));
        let has = |found: Option<AgentSlot>| found == Some(other);
        let at = cells
            .find(|&cell| has(self.occupancy.holder_at(cell)) || has(self.occupancy.arriving_at(cell)))?;
        Some(Wait { row: self.agents.row_of_slot(other)? as u32, at })
    }
}
