//! What a recording says of each tick, and of the end.

use crate::recording::header::{Header, RecordedClass};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::codec::plain_bytes;
use wheelbase_sim::{AgentId, AppliedEdit, ClassId, Counters, GivenCommand, RefusalReason, Team, Ticket};
use wheelbase_traffic::Decisions;

/// All that took effect at a tick. Meant to be refilled tick after tick.
///
/// First the commands of the host, then the events, in the order in which they took effect. Then, each in order of id:
/// moves that began; waits that began or ended; changes of the current order; dropped paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TickRecord {
    /// The tick.
    pub tick: u32,
    /// The commands that the host gave before the tick, since the one before it.
    pub commands: Vec<GivenCommand>,
    /// The decisions of a traffic rule from outside.
    pub decisions: Decisions,
    /// The orders stored at the tick: numbers and canonical texts.
    pub new_orders: Vec<(u32, String)>,
    /// What took effect.
    pub events: Vec<Event>,
    /// The runs of the paths of [`Event::Path`], one after the other.
    pub path_runs: Vec<PathRun>,
    /// Counters after the tick.
    pub counters: Counters,
    /// [`World::state_hash`](wheelbase_sim::World::state_hash) after the tick.
    pub state_hash: u64,
}

/// Consecutive equal moves of a path, 1 to 2^27. Paths are kept as runs, never as moves: five bytes of a recording
/// claim 2^27 moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRun(u32);

impl PathRun {
    /// Most moves of a run.
    pub const MOVES_MAX: u32 = 1 << 27;

    /// The primitive of its moves, 0 to 15.
    pub fn primitive(self) -> u8 {
        (self.0 % 16) as u8
    }

    /// Number of its moves.
    pub fn n_moves(self) -> u32 {
        self.0 / 16 + 1
    }

    /// The run without its first move.
    pub(super) fn rest(self) -> Option<Self> {
        self.0.checked_sub(16).map(Self)
    }

    /// Its number in a recording: `(moves - 1) * 16 + primitive`.
    pub(super) fn to_number(self) -> u32 {
        self.0
    }

    pub(super) fn of_number(number: u32) -> Self {
        Self(number)
    }

    /// Appends the runs of a path.
    pub(super) fn append_path(moves: &[u8], runs: &mut Vec<Self>) {
        for run in moves.chunk_by(|a, b| a == b) {
            let parts = run.chunks(Self::MOVES_MAX as usize);
            runs.extend(parts.map(|part| Self((part.len() as u32 - 1) * 16 + u32::from(part[0] & 15))));
        }
    }

    /// Whether it may follow another run: two that could be one are refused, so that equal paths have equal runs.
    pub(super) fn may_follow(self, previous: Self) -> bool {
        self.primitive() != previous.primitive() || previous.n_moves() == Self::MOVES_MAX
    }

    /// The primitives of runs, one by one.
    pub(super) fn moves(runs: &[Self]) -> impl Iterator<Item = u8> {
        runs.iter().flat_map(|run| std::iter::repeat_n(run.primitive(), run.n_moves() as usize))
    }
}

/// The runs of one path in [`TickRecord::path_runs`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunRange {
    /// Index of the first.
    pub first: u32,
    /// Number of runs; 0 of a path without moves.
    pub count: u32,
}

/// One event of a tick, as recorded.
///
/// The simulation logs the same facts as [`TraceEvent`](wheelbase_sim::TraceEvent). The two stay apart. A recorded
/// event refers to orders by number, and to their kinds by number in the header, which another release may have
/// written. It has paths as runs ([`PathRun`]). It includes changes that only the state shows, not the log: waits,
/// current orders, dropped paths. An edit is the same type in both.
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
        /// Its team.
        team: Team,
        /// Its speed factor in thousandths.
        speed_factor: u16,
    },
    /// An agent on the map was removed. The commands tell of agents removed off the map.
    Remove {
        /// The agent.
        agent: AgentId,
    },
    /// An order was given.
    Order {
        /// The agent.
        agent: AgentId,
        /// Number of the order: [`Reader::order_text`](crate::recording::Reader::order_text).
        order: u32,
        /// Whether it was added after the remaining orders.
        append: bool,
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
    /// A command, or its part about an agent, was not carried out.
    Refused {
        /// The command.
        ticket: Ticket,
        /// The agent, if it is about one; there need not be such an agent.
        agent: Option<AgentId>,
        /// Why.
        reason: RefusalReason,
    },
    /// An agent got another priority.
    Priority {
        /// The agent.
        agent: AgentId,
        /// Its priority.
        priority: i32,
    },
    /// An agent joined another team.
    Team {
        /// The agent.
        agent: AgentId,
        /// Its team.
        team: Team,
    },
    /// An agent got another speed factor.
    SpeedFactor {
        /// The agent.
        agent: AgentId,
        /// The factor in thousandths.
        permille: u16,
    },
    /// An agent took another class, in a pose.
    Class {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// Its pose.
        pose: Pose,
    },
    /// The tasks of an agent were replaced.
    TasksReplaced {
        /// The agent.
        agent: AgentId,
    },
    /// An agent left the map.
    Enter {
        /// The agent.
        agent: AgentId,
        /// The agent that it entered; [`AgentId::NOBODY`] if none was named.
        container: AgentId,
    },
    /// An agent came back to the map. Its order, if it has one, is a change of the current order.
    Leave {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// Its pose.
        pose: Pose,
        /// Its team.
        team: Team,
        /// Its speed factor in thousandths.
        speed_factor: u16,
    },
    /// An edit of the map took effect. Its areas and its cell are on the map.
    Edit(AppliedEdit),
    /// An agent was given a path, by a search or to retreat. A path without moves drops the rest of the one before.
    /// [`TickRecord::path_poses`] follows it.
    Path {
        /// The agent.
        agent: AgentId,
        /// Where it begins.
        from: Pose,
        /// Its runs.
        runs: RunRange,
    },
    /// A move began.
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
    /// An agent that could go on began to wait, or stopped waiting without a move.
    Wait {
        /// The agent.
        agent: AgentId,
        /// Tick since which it waits; `u32::MAX` if it stopped.
        since: u32,
    },
    /// The current order of an agent changed.
    Current {
        /// The agent.
        agent: AgentId,
        /// Number of the order, as in [`Event::Order`]; `u32::MAX` for none.
        order: u32,
    },
}

impl Event {
    /// Its agent, unless it is about none.
    pub fn agent(&self) -> Option<AgentId> {
        match *self {
            Self::Spawn { agent, .. }
            | Self::Remove { agent }
            | Self::Order { agent, .. }
            | Self::Done { agent, .. }
            | Self::Unreachable { agent, .. }
            | Self::Task { agent, .. }
            | Self::TaskDone { agent, .. }
            | Self::Priority { agent, .. }
            | Self::Team { agent, .. }
            | Self::SpeedFactor { agent, .. }
            | Self::Class { agent, .. }
            | Self::TasksReplaced { agent }
            | Self::Enter { agent, .. }
            | Self::Leave { agent, .. }
            | Self::Path { agent, .. }
            | Self::Move { agent, .. }
            | Self::Wait { agent, .. }
            | Self::Current { agent, .. } => Some(agent),
            Self::Refused { agent, .. } => agent,
            Self::Edit(_) => None,
        }
    }
}

impl TickRecord {
    /// Empties the record and keeps its memory.
    pub fn clear(&mut self) {
        self.commands.clear();
        self.decisions.clear();
        self.new_orders.clear();
        self.events.clear();
        self.path_runs.clear();
        self.counters = Counters::default();
        self.state_hash = 0;
    }

    /// Runs of a path; none if they are not of this tick.
    pub fn runs_of_path(&self, RunRange { first, count }: RunRange) -> &[PathRun] {
        let runs = first as usize..first as usize + count as usize;
        self.path_runs.get(runs).unwrap_or(&[])
    }

    /// Poses of a path of [`Event::Path`]: `from`, then one for each move.
    pub fn path_poses(
        &self,
        class: &RecordedClass,
        from: Pose,
        runs: RunRange,
    ) -> impl Iterator<Item = Pose> {
        let mut moves = PathRun::moves(self.runs_of_path(runs));
        std::iter::successors(Some(from), move |&pose| class.after(pose, moves.next()?))
    }
}

/// The end of a recording.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct End {
    /// Tick at which the run ended.
    pub tick: u32,
    /// Whether it was interrupted before its end.
    pub interrupted: bool,
    /// [`World::state_hash`](wheelbase_sim::World::state_hash) at the end, as `run` prints it.
    pub state_hash: u64,
    /// The outcome as JSON: the keys of the result that do not depend on time, threads or memory.
    pub outcome: String,
    /// The commands given after the last tick, as they stand in a tick.
    #[serde(deserialize_with = "plain_bytes")]
    pub(super) commands: Vec<u8>,
}

/// A pose as scenarios write it.
pub(super) fn pose_text(header: &Header, class: ClassId, pose: Pose) -> String {
    let class = header.classes.get(usize::from(class.0));
    let heading = class.map_or("?", |class| class.heading_name(pose.heading));
    format!("[{}, {}, \"{heading}\"]", pose.cell.x, pose.cell.y)
}
