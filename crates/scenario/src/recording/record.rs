//! What a recording says of each tick.

use crate::recording::header::{Header, MapLayers, RecordedClass};
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{AgentId, ClassId, Counters, OnAgents};

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
    /// Moves of the paths of [`Event::Path`], one behind the other, in runs of equal ones.
    pub path_runs: Vec<PathRun>,
    /// Counts behind the tick.
    pub counters: Counters,
    /// Hash of the state behind the tick: [`World::tick_hash`](wheelbase_sim::Simulation::tick_hash).
    pub state_hash: u64,
}

/// Equal moves of a path, one behind the other: 1 to 2^27. A path is kept as runs, never as moves: five bytes of
/// a recording say 2^27 moves.
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

    /// The number that stands for it in a recording: `(moves - 1) * 16 + primitive`.
    pub(super) fn to_number(self) -> u32 {
        self.0
    }

    pub(super) fn of_number(number: u32) -> Self {
        Self(number)
    }

    /// Puts the runs of a path behind others.
    pub(super) fn put_runs(moves: &[u8], runs: &mut Vec<Self>) {
        for run in moves.chunk_by(|a, b| a == b) {
            let parts = run.chunks(Self::MOVES_MAX as usize);
            runs.extend(parts.map(|part| Self((part.len() as u32 - 1) * 16 + u32::from(part[0] & 15))));
        }
    }

    /// Whether a run may follow another: runs that could be one are one, so that equal paths have equal runs.
    pub(super) fn may_follow(self, before: Self) -> bool {
        self.primitive() != before.primitive() || before.n_moves() == Self::MOVES_MAX
    }

    /// The primitives of runs, one by one.
    pub(super) fn moves(runs: &[Self]) -> impl Iterator<Item = u8> {
        runs.iter().flat_map(|run| std::iter::repeat_n(run.primitive(), run.n_moves() as usize))
    }
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
        /// First of its runs in [`TickRecord::path_runs`].
        first: u32,
        /// Number of its runs.
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

/// What a row of painted cells counts as beside its cells: where it is must be found.
const ROW_CELLS: u64 = 16;
/// Changes that earlier ones are held against before those are made.
const LATER_KEPT: usize = 16;

impl RecordedSet {
    /// Makes changes one after the other, but for some that later ones undo. `painted` counts cells, up to so many.
    /// # Errors
    /// What is too much.
    pub(super) fn apply_all(
        sets: &[Self],
        map: &mut MapLayers,
        painted: &mut u64,
        painted_max: u64,
    ) -> Result<(), String> {
        // Those that change most, from the last on: a flood that comes and goes is painted once.
        let mut later: Vec<Self> = Vec::with_capacity(LATER_KEPT);
        let mut made: Vec<&Self> = Vec::new();
        for set in sets.iter().rev() {
            if later.iter().any(|later| later.covers(set)) {
                continue;
            }
            *painted = painted.saturating_add(set.cells_painted());
            made.push(set);
            if later.len() < LATER_KEPT {
                later.push(*set);
            } else if let Some(least) = later.iter_mut().min_by_key(|later| later.cells_painted())
                && least.cells_painted() < set.cells_painted()
            {
                *least = *set;
            }
        }
        if *painted > painted_max {
            let n = sets.len();
            return Err(format!(
                "its edits, {n} of them here, paint more than {painted_max} cells of the map"
            ));
        }
        made.iter().rev().for_each(|set| set.apply(map));
        Ok(())
    }

    fn cells_painted(&self) -> u64 {
        let area = |area: &Rect| u64::from(area.height) * (u64::from(area.width) + ROW_CELLS);
        match self {
            Self::Terrain { area: of_terrain, .. } => area(of_terrain),
            Self::Elevation { area: of_elevation, .. } => area(of_elevation),
            Self::Sides { .. } => ROW_CELLS,
        }
    }

    /// Whether what this change sets is all that an earlier one did.
    pub(super) fn covers(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Terrain { area, .. }, Self::Terrain { area: of_earlier, .. })
            | (Self::Elevation { area, .. }, Self::Elevation { area: of_earlier, .. }) => {
                area.intersection(*of_earlier) == *of_earlier
            }
            (Self::Sides { cell, kinds }, Self::Sides { cell: of_earlier, kinds: kinds_of_earlier }) => {
                cell == of_earlier
                    && kinds
                        .iter()
                        .zip(kinds_of_earlier)
                        .all(|(later, earlier)| later.is_some() || earlier.is_none())
            }
            _ => false,
        }
    }

    /// Makes the change. Cells off the map are left out.
    pub fn apply(&self, map: &mut MapLayers) {
        let size = map.terrain.len();
        let on_map = Rect::new(0, 0, map.width, map.height);
        let width = map.width as usize;
        fn fill<T: Copy>(layer: &mut [T], width: usize, area: Rect, value: T) {
            let (x, y) = (area.x as usize, area.y as usize);
            if area.is_empty() {
                return;
            }
            for row in layer.chunks_exact_mut(width).skip(y).take(area.height as usize) {
                row[x..x + area.width as usize].fill(value);
            }
        }
        match *self {
            Self::Terrain { area, kind } => {
                fill(&mut map.terrain, width, area.intersection(on_map), kind);
            }
            Self::Elevation { area, height } => {
                map.elevation.resize(size, 0);
                fill(&mut map.elevation, width, area.intersection(on_map), height);
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
        self.path_runs.clear();
        self.counters = Counters::default();
        self.state_hash = 0;
    }

    /// Runs of a path; none if `first` and `count` are not those of one of this tick's.
    pub fn runs_of_path(&self, first: u32, count: u32) -> &[PathRun] {
        let runs = first as usize..first as usize + count as usize;
        self.path_runs.get(runs).unwrap_or(&[])
    }

    /// Poses of a path of [`Event::Path`], `from` first, one more than moves.
    pub fn path_poses(
        &self,
        class: &RecordedClass,
        from: Pose,
        first: u32,
        count: u32,
    ) -> impl Iterator<Item = Pose> {
        let mut moves = PathRun::moves(self.runs_of_path(first, count));
        std::iter::successors(Some(from), move |&pose| class.after(pose, moves.next()?))
    }
}

/// How a recording ends.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct End {
    /// Tick at which the run ended.
    pub tick: u32,
    /// Whether it was interrupted before its end.
    pub interrupted: bool,
    /// [`World::state_hash`](wheelbase_sim::Simulation::state_hash) at the end: the one that is printed.
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
