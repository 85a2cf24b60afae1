//! Edits of the map that wait until they disturb no agent, or for their deadline.

use crate::agents::Agents;
use crate::commands::{MapEdit, OnAgents, Ticket};
use crate::plain;
use serde::{Deserialize, Serialize};
use wheelbase_grid::{Change, Rect};
use wheelbase_planner::model::State;
use wheelbase_traffic::forbidden::ForbiddenArea;
use wheelbase_traffic::motion::{AgentId, ClassId};

/// An edit that was asked for and has not taken effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingEdit {
    /// Tick of its command.
    pub asked: u32,
    /// Ticket of its command.
    pub ticket: Ticket,
    /// The edit.
    pub edit: MapEdit,
    /// The first 8 agents for which it waited when it was asked for, in order of id.
    #[serde(with = "plain::list")]
    pub waited_for: Vec<AgentId>,
}

impl PendingEdit {
    /// An edit that was asked for at a tick.
    pub(crate) fn new(asked: u32, ticket: Ticket, edit: MapEdit) -> Self {
        Self { asked, ticket, edit, waited_for: Vec::new() }
    }

    /// The areas that it keeps other agents off.
    fn forbidden(&self) -> impl Iterator<Item = ForbiddenArea> {
        let edit = self.ticket.0;
        self.edit.changes.iter().map(move |change| ForbiddenArea { area: change.area(), edit })
    }

    /// Rectangle around the cells that it changes, on a map.
    pub(crate) fn area(&self, map: Rect) -> Rect {
        let areas = self.edit.changes.iter().map(|change| change.area().intersection(map));
        areas.fold(Rect::new(0, 0, 0, 0), Rect::union)
    }
}

/// An agent for which an edit waits, as it was when that was found. While it has not moved, nor the map changed, the
/// edit waits on. Neither saved nor hashed: without it the edit is tested against all agents, with the same outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitsFor {
    agent: AgentId,
    motion: (ClassId, State, u8, u32),
    /// Revision of the map.
    revision: u64,
}

impl WaitsFor {
    /// The agent in a row.
    pub(crate) fn of(agents: &Agents, row: usize, revision: u64) -> Self {
        let motion = &agents.motion[row];
        let motion = (motion.class, motion.state, motion.primitive, motion.until);
        Self { agent: agents.ids[row], motion, revision }
    }

    /// The agent.
    pub(crate) fn agent(self) -> AgentId {
        self.agent
    }

    /// Whether the agent is there, and as it was.
    pub(crate) fn holds(self, agents: &Agents, revision: u64) -> bool {
        agents.present_row(self.agent).is_some_and(|row| Self::of(agents, row, revision) == self)
    }
}

/// Edits that wait until they disturb no agent, or for their deadline. Until then only agents that already hold one of
/// an edit's cells may sweep them. An edit of a side, or a rotation of a tile, has one cell: the one whose sides it
/// sets.
#[derive(Clone, Debug, Default)]
pub struct PendingEdits {
    edits: Vec<PendingEdit>,
    /// Of each edit an agent for which it waits, if known.
    waits_for: Vec<Option<WaitsFor>>,
    /// Their areas, with all areas of an edit together.
    areas: Vec<ForbiddenArea>,
    /// Scratch: the agents that an edit disturbs.
    pub(crate) disturbed: Vec<AgentId>,
}

impl PendingEdits {
    /// Number of pending edits.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Whether no edit is pending.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The pending edits, oldest first.
    pub fn edits(&self) -> &[PendingEdit] {
        &self.edits
    }

    /// Whether one of them has a deadline.
    pub(crate) fn any_deadline(&self) -> bool {
        self.edits.iter().any(|pending| matches!(pending.edit.on_agents, OnAgents::WaitUntil { .. }))
    }

    /// Adds an edit.
    pub(crate) fn push(&mut self, edit: PendingEdit) {
        self.areas.extend(edit.forbidden());
        self.edits.push(edit);
        self.waits_for.push(None);
    }

    /// Leaves some changes of an edit, at least one.
    pub(crate) fn set_changes(&mut self, at: usize, changes: Vec<Change>) {
        self.edits[at].edit.changes = changes.into();
        self.waits_for[at] = None;
        self.areas.clear();
        self.areas.extend(self.edits.iter().flat_map(PendingEdit::forbidden));
    }

    /// The place of the edit of a ticket.
    pub(crate) fn find(&self, ticket: Ticket) -> Option<usize> {
        self.edits.iter().position(|edit| edit.ticket == ticket)
    }

    /// An agent for which an edit waits, if known.
    pub(crate) fn waits_for(&self, at: usize) -> Option<WaitsFor> {
        self.waits_for[at]
    }

    /// Notes an agent for which an edit waits.
    pub(crate) fn set_waits_for(&mut self, at: usize, waits_for: Option<WaitsFor>) {
        self.waits_for[at] = waits_for;
    }

    /// Removes an edit.
    pub(crate) fn remove(&mut self, at: usize) {
        let removed = self.edits.remove(at);
        self.waits_for.remove(at);
        self.areas.retain(|area| area.edit != removed.ticket.0);
    }

    /// Areas of the pending edits, oldest first.
    pub fn areas(&self) -> &[ForbiddenArea] {
        &self.areas
    }
}
