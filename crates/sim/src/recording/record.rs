//! What a recording says of each tick.

use crate::agents::{AgentId, ClassId};
use crate::metrics::Counters;
use crate::recording::header::{Header, MapLayers, RecordedClass};
use crate::scenario::OnAgents;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{Heading, Pose};

/// All that took effect at a tick. Made to be filled again and again.
///
/// Events stand in the order in which they took effect, then the moves that began, in order of id, then
/// who began or ceased to wait, whose current order is another, and whose path was dropped, each in order
/// of id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TickRecord {
    /// The tick.
    pub tick: u32,
    /// What took effect.
    pub events: Vec<Event>,
    /// Moves of the paths of [`Event::Path`], one behind the other.
    pub path_moves: Vec<u8>,
    /// Counts behind the tick.
    pub counters: Counters,
    /// Hash of the state behind the tick: [`Simulation::tick_hash`](crate::Simulation::tick_hash).
    pub state_hash: u64,
}

/// One thing that took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An agent was placed.
    Spawn {
        /// The agent; ids rise.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// Where.
        pose: Pose,
    },
    /// An agent was taken out.
    Remove {
        /// The agent.
        agent: AgentId,
    },
    /// An order was given.
    Order {
        /// The agent.
        agent: AgentId,
        /// Number of the order in [`Header::orders`].
        order: u32,
    },
    /// An order was done.
    Done {
        /// The agent.
        agent: AgentId,
        /// Number in [`Header::order_kinds`].
        kind: u8,
    },
    /// An order cannot be done.
    Unreachable {
        /// The agent.
        agent: AgentId,
        /// Number in [`Header::order_kinds`].
        kind: u8,
    },
    /// A task was given.
    Task {
        /// The agent.
        agent: AgentId,
        /// Cell of its goal.
        cell: CellXY,
        /// Heading of its goal; `None` for any.
        heading: Option<Heading>,
    },
    /// A task was done.
    TaskDone {
        /// The agent.
        agent: AgentId,
        /// Cell of its goal.
        cell: CellXY,
    },
    /// A change of the map took effect.
    Edit(RecordedEdit),
    /// An agent was given a path, by a search or to make way; one without moves drops what is left of the
    /// path before. [`TickRecord::path_poses`] follows it.
    Path {
        /// The agent.
        agent: AgentId,
        /// Where it begins.
        from: Pose,
        /// First of its moves in [`TickRecord::path_moves`].
        first: u32,
        /// Number of its moves.
        count: u32,
    },
    /// A move began at this tick.
    Move {
        /// The agent.
        agent: AgentId,
        /// Number of the primitive.
        primitive: u8,
        /// Where it began.
        from: Pose,
        /// Where it ends.
        to: Pose,
        /// Tick at which it ends.
        end: u32,
    },
    /// An agent that could go on began to wait at this tick, or waits no more without having moved.
    Wait {
        /// The agent.
        agent: AgentId,
        /// Tick since which it waits; `u32::MAX` if no more.
        since: u32,
    },
    /// The current order of an agent is another one.
    Current {
        /// The agent.
        agent: AgentId,
        /// Number of the order in [`Header::orders`]; `u32::MAX` for none.
        order: u32,
    },
}

impl Event {
    /// The agent it is about, if it is about one.
    pub fn agent(&self) -> Option<AgentId> {
        match *self {
            Self::Spawn { agent, .. }
            | Self::Remove { agent }
            | Self::Order { agent, .. }
            | Self::Done { agent, .. }
            | Self::Unreachable { agent, .. }
            | Self::Task { agent, .. }
            | Self::TaskDone { agent, .. }
            | Self::Path { agent, .. }
            | Self::Move { agent, .. }
            | Self::Wait { agent, .. }
            | Self::Current { agent, .. } => Some(agent),
            Self::Edit(_) => None,
        }
    }
}

/// A change of the map that took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedEdit {
    /// What it set.
    pub set: RecordedSet,
    /// What the event said about agents in its way.
    pub on_agents: OnAgents,
    /// Tick at which the event asked for it.
    pub asked: u32,
}

/// What a change set on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedSet {
    /// The kind of cells.
    Terrain {
        /// The cells, all on the map.
        area: Rect,
        /// Number of their new kind.
        kind: u8,
    },
    /// The height of cells.
    Elevation {
        /// The cells, all on the map.
        area: Rect,
        /// Their new height.
        height: i16,
    },
    /// Sides of a cell.
    Sides {
        /// The cell.
        cell: CellXY,
        /// New kind of each side that was set, counter-clockwise from east.
        kinds: [Option<u8>; 6],
    },
}

impl RecordedSet {
    /// Makes the change. Cells off the map are left out.
    pub fn apply(&self, map: &mut MapLayers) {
        let size = map.terrain.len();
        match *self {
            Self::Terrain { area, kind } => {
                for cell in area.cells() {
                    if let Some(index) = map.index(cell) {
                        map.terrain[index] = kind;
                    }
                }
            }
            Self::Elevation { area, height } => {
                map.elevation.resize(size, 0);
                for cell in area.cells() {
                    if let Some(index) = map.index(cell) {
                        map.elevation[index] = height;
                    }
                }
            }
            Self::Sides { cell, kinds } => {
                map.sides.resize(size, 0);
                let Some(index) = map.index(cell) else { return };
                for (side, kind) in kinds.iter().enumerate() {
                    if let Some(kind) = kind {
                        let bits = 4 * side as u32;
                        map.sides[index] = map.sides[index] & !(15 << bits) | u32::from(*kind & 15) << bits;
                    }
                }
            }
        }
    }
}

impl TickRecord {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.events.clear();
        self.path_moves.clear();
        self.counters = Counters::default();
        self.state_hash = 0;
    }

    /// Moves of a path; none if `first` and `count` are not those of one of this tick's.
    pub fn moves_of_path(&self, first: u32, count: u32) -> &[u8] {
        let moves = first as usize..first as usize + count as usize;
        self.path_moves.get(moves).unwrap_or(&[])
    }

    /// Poses of a path of [`Event::Path`], `from` first, one more than moves.
    pub fn path_poses(
        &self,
        class: &RecordedClass,
        from: Pose,
        first: u32,
        count: u32,
    ) -> impl Iterator<Item = Pose> {
        let mut moves = self.moves_of_path(first, count).iter();
        std::iter::successors(Some(from), move |&pose| class.after(pose, *moves.next()?))
    }
}

/// How a recording ends.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct End {
    /// Tick at which the run ended.
    pub tick: u32,
    /// Whether it was interrupted before its end.
    pub interrupted: bool,
    /// [`Simulation::state_hash`](crate::Simulation::state_hash) at the end: the one that is printed.
    pub state_hash: u64,
    /// What the run came to, as JSON: the keys of its result that depend neither on time nor on threads or
    /// memory.
    pub outcome: String,
}

/// Text of a pose, as scenarios write it.
pub(super) fn pose_text(header: &Header, class: ClassId, pose: Pose) -> String {
    let class = header.classes.get(usize::from(class.0));
    let heading = class.map_or("?", |class| class.heading_name(pose.heading));
    format!("[{}, {}, \"{heading}\"]", pose.cell.x, pose.cell.y)
}
