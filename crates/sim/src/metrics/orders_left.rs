//! Agents with orders left, by the obstacle.

use crate::wait_reason::NamedReason;
use crate::world::World;
use serde::Serialize;
use std::cmp::Reverse;

/// Agents with orders left that the same rule keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the keys are documented in docs/format.md")]
pub struct OrdersLeftBy {
    pub rule: &'static str,
    pub agents: u64,
    /// One of them: the first that has made no progress for longest.
    pub example: HeldAgent,
}

/// An agent, where it is, and what keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the keys are documented in docs/format.md")]
pub struct HeldAgent {
    pub agent: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub class: String,
    pub at: [i32; 2],
    pub reason: NamedReason,
}

impl World {
    /// Agents with orders left that have an end, by the rule of their [reason](World::reason_for_waiting): the most
    /// agents first, then by rule. Linear in agents, and a walk along the next moves of each.
    pub fn orders_left_by(&self) -> Vec<OrdersLeftBy> {
        let mut found: Vec<OrdersLeftBy> = Vec::new();
        // The age of the example of each.
        let mut since: Vec<u32> = Vec::new();
        for row in 0..self.agents.len() {
            let orders = self.agents.orders(row);
            if self.orders.left(&orders) == 0 {
                continue;
            }
            let id = self.agents.ids[row];
            let Some(reason) = self.reason_for_waiting(id) else { continue };
            let at = found.iter().position(|known| known.rule == reason.rule());
            let progress = self.agents.progress[row].last().unwrap_or(self.tick);
            if let Some(at) = at {
                found[at].agents += 1;
                if progress >= since[at] {
                    continue;
                }
            }
            let example = self.held_agent(row, reason.named());
            if let Some(at) = at {
                (found[at].example, since[at]) = (example, progress);
            } else {
                found.push(OrdersLeftBy { rule: reason.rule(), agents: 1, example });
                since.push(progress);
            }
        }
        found.sort_by_key(|of| (Reverse(of.agents), of.rule));
        found
    }

    /// The agent in a row, with what keeps it.
    pub(crate) fn held_agent(&self, row: usize, reason: NamedReason) -> HeldAgent {
        let motion = &self.agents.motion[row];
        let class = usize::from(motion.class.0);
        let cell = self.tables[class].space().pose(motion.state).cell;
        HeldAgent {
            agent: self.agents.ids[row].0,
            name: self.agents.name(row),
            class: self.classes[class].name.clone(),
            at: [cell.x, cell.y],
            reason,
        }
    }
}
