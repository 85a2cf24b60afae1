//! What is known of all agents between two ticks of a recording.
//!
//! The writer and the reader each keep one and change it by the same events: what follows from it need not
//! be written.

use crate::agents::{AgentId, ClassId};
use crate::metrics::Counters;
use crate::path_pool::{PathHandle, PathPool};
use crate::recording::header::{Header, RecordedClass};
use crate::recording::record::{Event, TickRecord};
use serde::{Deserialize, Serialize};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, Pose};

/// `u32` that stands for none.
pub(super) const NONE: u32 = u32::MAX;

/// All agents between two ticks. Arrays of one length, joined by row, in order of id.
#[derive(Debug, Default)]
pub struct RecordedAgents {
    /// The tick that comes next; of a run that ended, the one at which it ended.
    pub tick: u32,
    /// Ids, rising.
    pub ids: Vec<AgentId>,
    /// Their classes.
    pub classes: Vec<ClassId>,
    /// Where they are and the move each has begun last.
    pub motion: Vec<RecordedMotion>,
    /// Number of the current order of each in [`Header::orders`]; `u32::MAX` for none.
    pub orders: Vec<u32>,
    /// Tick since which each waits though it could go on; `u32::MAX` if it does not.
    pub waits_since: Vec<u32>,
    /// Counts behind the last tick.
    pub counters: Counters,
    paths: Vec<PathHandle>,
    pool: PathPool,
    /// Rows to be taken out once the events of the tick are through.
    gone: Vec<u32>,
}

/// Where an agent is, and the move it has begun last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedMotion {
    /// Where the move began.
    pub from: Pose,
    /// Where it ends; where an agent stands whose move has ended.
    pub to: Pose,
    /// Number of its primitive; 255 if none has begun since the last key frame.
    pub primitive: u8,
    /// Tick at which it began.
    pub start: u32,
    /// Tick at which it ends.
    pub end: u32,
}

impl RecordedMotion {
    /// [`RecordedMotion::primitive`] without a move.
    pub const NO_MOVE: u8 = u8::MAX;

    /// One at rest.
    fn resting(pose: Pose, tick: u32) -> Self {
        Self { from: pose, to: pose, primitive: Self::NO_MOVE, start: tick, end: tick }
    }

    /// Whether the move is in progress when a tick begins.
    pub fn is_moving(&self, tick: u32) -> bool {
        self.end > tick
    }
}

/// A frame as it is written: a column each, so that like stands by like.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct KeyFrame {
    /// Each id less the one before.
    ids: Vec<u32>,
    classes: Vec<u8>,
    /// Coordinates of `from`, each less the one before.
    x: Vec<i32>,
    y: Vec<i32>,
    headings: Vec<u8>,
    /// `NO_MOVE` at rest.
    primitives: Vec<u8>,
    /// Ticks since the move began, and until it ends; of those in mid-move only.
    since: Vec<u32>,
    left: Vec<u32>,
    /// Number of the current order and 1; 0 for none.
    orders: Vec<u32>,
    /// Ticks it has waited and 1; 0 if it does not wait.
    waits: Vec<u32>,
    /// Number of runs of each path, and all runs.
    n_runs: Vec<u32>,
    runs: Vec<u32>,
    counters: [u64; 13],
}

/// Most moves that one run may stand for.
const RUN_MOVES_MAX: u32 = 1 << 27;

/// Calls `each` with the runs of equal moves of a path: `(moves - 1) * 16 + primitive`.
pub(super) fn for_each_run(moves: &[u8], mut each: impl FnMut(u32)) {
    for run in moves.chunk_by(|a, b| a == b) {
        for part in run.chunks(RUN_MOVES_MAX as usize) {
            each((part.len() as u32 - 1) * 16 + u32::from(part[0] & 15));
        }
    }
}

/// Puts the moves of a run behind others, of which there may be so many in all.
pub(super) fn unroll(run: u32, moves: &mut Vec<u8>, moves_max: usize) -> Result<(), String> {
    let count = (run / 16 + 1) as usize;
    if moves.len() + count > moves_max {
        return Err(format!("paths of more than {moves_max} moves"));
    }
    moves.extend(std::iter::repeat_n((run % 16) as u8, count));
    Ok(())
}

/// Most moves of all paths together that are read: those of the largest simulation.
pub(super) const PATH_MOVES_MAX: usize = 1 << 29;

impl RecordedAgents {
    /// Number of agents.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Row of an agent, or `None` if it is not there.
    pub fn row(&self, agent: AgentId) -> Option<usize> {
        self.ids.binary_search(&agent).ok()
    }

    /// Whether the agent of a row is in mid-move.
    pub fn is_moving(&self, row: usize) -> bool {
        self.motion[row].is_moving(self.tick)
    }

    /// Pose of the agent of a row at rest, or from which its move in progress began.
    pub fn pose(&self, row: usize) -> Pose {
        let motion = &self.motion[row];
        if motion.is_moving(self.tick) { motion.from } else { motion.to }
    }

    /// Primitives of what is left of the path of a row, next first.
    pub fn path(&self, row: usize) -> &[u8] {
        self.pool.moves(self.paths[row])
    }

    /// Poses of what is left of the path of a row: where it begins and the pose after each move.
    pub fn path_poses(&self, row: usize, header: &Header) -> impl Iterator<Item = Pose> {
        let class = header.classes.get(usize::from(self.classes[row].0));
        let mut moves = self.path(row).iter();
        std::iter::successors(Some(self.motion[row].to), move |&pose: &Pose| {
            class?.after(pose, *moves.next()?)
        })
    }

    /// Time that a primitive of an agent is taken to last: as long as its last move, if that was of the
    /// same primitive, else as long as on normal ground.
    pub(super) fn expected_ticks(&self, row: usize, class: &RecordedClass, primitive: u8) -> u32 {
        let last = &self.motion[row];
        let base = class.primitives.get(usize::from(primitive)).map_or(1, |primitive| primitive.ticks);
        if last.primitive == primitive { last.end - last.start } else { base }
    }

    /// Lets an event of the tick `self.tick` take effect on the agents.
    /// # Errors
    /// What is impossible about it.
    pub(super) fn apply(&mut self, event: &Event, record: &TickRecord) -> Result<(), String> {
        if let Event::Spawn { agent, class, pose } = *event {
            if self.ids.last().is_some_and(|&last| last >= agent) {
                return Err(format!("agent {} is placed behind one of a higher id", agent.0));
            }
            self.ids.push(agent);
            self.classes.push(class);
            self.motion.push(RecordedMotion::resting(pose, self.tick));
            self.orders.push(NONE);
            self.waits_since.push(NONE);
            self.paths.push(PathHandle::EMPTY);
            return Ok(());
        }
        let Some(agent) = event.agent() else { return Ok(()) };
        let Some(row) = self.row(agent) else { return Err(format!("agent {} is not there", agent.0)) };
        match *event {
            Event::Remove { .. } => self.gone.push(row as u32),
            Event::Path { first, count, .. } => {
                self.pool.replace(&mut self.paths, row, record.moves_of_path(first, count));
            }
            Event::Move { primitive, from, to, end, .. } => {
                if self.is_moving(row) || end <= self.tick {
                    return Err(format!("agent {} cannot begin a move that ends at {end}", agent.0));
                }
                if self.path(row).first() == Some(&primitive) {
                    self.pool.advance(&mut self.paths[row]);
                }
                self.motion[row] = RecordedMotion { from, to, primitive, start: self.tick, end };
                self.waits_since[row] = NONE;
            }
            Event::Wait { since, .. } => self.waits_since[row] = since,
            Event::Current { order, .. } => self.orders[row] = order,
            _ => {}
        }
        Ok(())
    }

    /// Takes out the agents whose removal was among the events of the tick.
    pub(super) fn close_up(&mut self) {
        if self.gone.is_empty() {
            return;
        }
        self.gone.sort_unstable();
        fn keep<T>(rows: &mut Vec<T>, gone: &[u32]) {
            let (mut row, mut next) = (0, 0);
            rows.retain(|_| {
                let goes = gone.get(next) == Some(&row);
                row += 1;
                next += usize::from(goes);
                !goes
            });
        }
        self.gone.dedup();
        for &row in &self.gone {
            self.pool.drop_path(&mut self.paths[row as usize]);
        }
        keep(&mut self.ids, &self.gone);
        keep(&mut self.classes, &self.gone);
        keep(&mut self.motion, &self.gone);
        keep(&mut self.orders, &self.gone);
        keep(&mut self.waits_since, &self.gone);
        keep(&mut self.paths, &self.gone);
        self.gone.clear();
    }

    /// Forgets what a key frame does not hold, so that those who read on and those who begin at the key
    /// frame know the same.
    pub(super) fn forget_history(&mut self) {
        for motion in &mut self.motion {
            if !motion.is_moving(self.tick) {
                *motion = RecordedMotion::resting(motion.to, self.tick);
            }
        }
    }

    /// Writes the frame to columns, whose memory is kept.
    pub(super) fn to_key(&self, key: &mut KeyFrame) {
        key.clear();
        let (mut last, mut id) = (CellXY::new(0, 0), 0);
        for row in 0..self.len() {
            let motion = self.motion[row];
            let moving = motion.is_moving(self.tick);
            let pose = self.pose(row);
            key.ids.push(self.ids[row].0 - id);
            key.classes.push(self.classes[row].0);
            key.x.push(pose.cell.x.wrapping_sub(last.x));
            key.y.push(pose.cell.y.wrapping_sub(last.y));
            key.headings.push(pose.heading.0);
            key.primitives.push(if moving { motion.primitive } else { RecordedMotion::NO_MOVE });
            if moving {
                key.since.push(self.tick - motion.start);
                key.left.push(motion.end - self.tick);
            }
            key.orders.push(self.orders[row].wrapping_add(1));
            let since = self.waits_since[row];
            key.waits.push(if since == NONE { 0 } else { self.tick.wrapping_sub(since).wrapping_add(1) });
            let before = key.runs.len();
            for_each_run(self.path(row), |run| key.runs.push(run));
            key.n_runs.push((key.runs.len() - before) as u32);
            (last, id) = (pose.cell, self.ids[row].0);
        }
        key.counters = self.counters.values();
    }

    /// Reads a frame at a tick.
    /// # Errors
    /// What does not match in it.
    pub(super) fn from_key(key: &KeyFrame, tick: u32, header: &Header) -> Result<Self, String> {
        let n = key.ids.len();
        let columns = [
            key.classes.len(),
            key.x.len(),
            key.y.len(),
            key.headings.len(),
            key.primitives.len(),
            key.orders.len(),
            key.waits.len(),
            key.n_runs.len(),
        ];
        if columns.iter().any(|&len| len != n) {
            return Err("columns of a key frame are not of one length".to_owned());
        }
        let mut frame = Self { tick, counters: Counters::of_values(key.counters), ..Self::default() };
        let (mut last, mut id) = (CellXY::new(0, 0), 0_u32);
        let (mut times, mut runs) = (key.since.iter().zip(&key.left), key.runs.iter());
        let (mut moves, mut n_moves) = (Vec::new(), 0);
        for row in 0..n {
            let missing = || format!("row {row} of a key frame lacks something");
            let rises = row == 0 || key.ids[row] > 0;
            id = id.checked_add(key.ids[row]).filter(|_| rises).ok_or_else(missing)?;
            let cell = CellXY::new(last.x.wrapping_add(key.x[row]), last.y.wrapping_add(key.y[row]));
            let pose = Pose::new(cell.x, cell.y, Heading(key.headings[row]));
            let class = ClassId(key.classes[row]);
            check_pose(header, class, pose)?;
            let mut motion = RecordedMotion::resting(pose, tick);
            if key.primitives[row] != RecordedMotion::NO_MOVE {
                let (&since, &left) = times.next().ok_or_else(missing)?;
                motion.primitive = key.primitives[row];
                motion.start = tick.checked_sub(since).ok_or_else(missing)?;
                motion.end = tick.checked_add(left.max(1)).ok_or_else(missing)?;
                let known = &header.classes[usize::from(class.0)];
                motion.to = known.after(pose, motion.primitive).ok_or_else(missing)?;
            }
            frame.ids.push(AgentId(id));
            frame.classes.push(class);
            frame.motion.push(motion);
            frame.orders.push(key.orders[row].wrapping_sub(1));
            let waits = key.waits[row];
            frame.waits_since.push(if waits == 0 { NONE } else { tick.wrapping_sub(waits - 1) });
            moves.clear();
            for run in runs.by_ref().take(key.n_runs[row] as usize) {
                unroll(*run, &mut moves, PATH_MOVES_MAX - n_moves)?;
            }
            n_moves += moves.len();
            frame.paths.push(PathHandle::EMPTY);
            frame.pool.replace(&mut frame.paths, row, &moves);
            last = cell;
        }
        Ok(frame)
    }

    /// The first row in which two frames of one tick differ, and in what.
    pub(super) fn difference(&self, other: &Self) -> Option<(AgentId, &'static str)> {
        let n = self.len().max(other.len());
        for row in 0..n {
            let (Some(&id), Some(&id_there)) = (self.ids.get(row), other.ids.get(row)) else {
                let id = self.ids.get(row).or(other.ids.get(row)).copied();
                return Some((id.unwrap_or(AgentId(NONE)), "presence"));
            };
            let same = |what, equal: bool| if equal { None } else { Some((id, what)) };
            let moving = self.is_moving(row) || other.is_moving(row);
            let found = same("presence", id == id_there)
                .or_else(|| same("class", self.classes[row] == other.classes[row]))
                .or_else(|| same("pose", self.pose(row) == other.pose(row)))
                .or_else(|| same("move", !moving || self.motion[row] == other.motion[row]))
                .or_else(|| same("order", self.orders[row] == other.orders[row]))
                .or_else(|| same("wait", self.waits_since[row] == other.waits_since[row]))
                .or_else(|| same("path", self.path(row) == other.path(row)));
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Whether a pose can be one of a class on the map.
pub(super) fn check_pose(header: &Header, class: ClassId, pose: Pose) -> Result<(), String> {
    let Some(known) = header.classes.get(usize::from(class.0)) else {
        return Err(format!("class {}, expected one of {}", class.0, header.classes.len()));
    };
    if header.map.index(pose.cell).is_none() || pose.heading.0 >= known.headings {
        let (x, y) = (pose.cell.x, pose.cell.y);
        return Err(format!("pose [{x}, {y}, {}] is not on the map", pose.heading.0));
    }
    Ok(())
}

impl KeyFrame {
    fn clear(&mut self) {
        let Self {
            ids,
            classes,
            x,
            y,
            headings,
            primitives,
            since,
            left,
            orders,
            waits,
            n_runs,
            runs,
            counters,
        } = self;
        for column in [ids, since, left, orders, waits, n_runs, runs] {
            column.clear();
        }
        for column in [classes, headings, primitives] {
            column.clear();
        }
        for column in [x, y] {
            column.clear();
        }
        *counters = [0; 13];
    }
}
