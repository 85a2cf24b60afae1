//! Which agents the edits wait for that are still pending, and what keeps each where it is.

use crate::disturbed::{WaysOff, disturbed_by};
use crate::metrics::orders_left::HeldAgent;
use crate::wait_reason::{NamedReason, WaitReason};
use crate::world::World;
use serde::Serialize;
use wheelbase_grid::Change;
use wheelbase_traffic::motion::AgentId;

/// Agents named of one edit at most.
const HELD_MAX: usize = 16;

/// An edit that waits, and the agents that it waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the keys are documented in docs/format.md")]
pub struct EditPendingFor {
    pub asked: u32,
    pub agents: u64,
    /// The first of them by id, at most 16.
    pub held: Vec<HeldAgent>,
}

impl World {
    /// The edits that wait, oldest first, and the agents that each waits for. An agent that no move leads off the cells
    /// of its edit, alone on the map, is named with the rule `no_way_out`. Linear in the agents and cells of the edits,
    /// and a search of at most 100,000 poses for each agent named.
    pub fn edits_pending_for(&self) -> Vec<EditPendingFor> {
        let edits = self.pending_edits.edits().iter();
        let mut ways = WaysOff::default();
        edits
            .map(|pending| {
                let changes = &pending.edit.changes;
                // Pending edits were checked when they came.
                let disturbed = disturbed_by(self, changes).unwrap_or_default();
                let held = disturbed.iter().take(HELD_MAX);
                EditPendingFor {
                    asked: pending.asked,
                    agents: disturbed.len() as u64,
                    held: held.filter_map(|&agent| self.held_by_edit(agent, changes, &mut ways)).collect(),
                }
            })
            .collect()
    }

    fn held_by_edit(&self, agent: AgentId, changes: &[Change], ways: &mut WaysOff) -> Option<HeldAgent> {
        let row = self.agents.row(agent)?;
        let reason = self.reason_for_waiting(agent)?;
        let stays = matches!(reason, WaitReason::Holding | WaitReason::Stranded);
        let is_shut_in = !stays && !ways.lead_off(self, row, changes);
        let mut reason = reason.named();
        if is_shut_in {
            let text = "no move leads off the cells of the edit".to_owned();
            reason = NamedReason { rule: "no_way_out", text, ..WaitReason::None.named() };
        }
        Some(self.held_agent(row, reason))
    }
}
