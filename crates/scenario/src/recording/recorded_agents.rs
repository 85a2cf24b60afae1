//! The state of all agents between two ticks of a recording.
//!
//! Writer and reader each keep one and apply the same events to it, so that whatever follows from it is not written.

use crate::recording::header::{Header, RecordedClass};
use crate::recording::order_texts::OrderTexts;
use crate::recording::record::{Event, PathRun, TickRecord};
use crate::scenario::AGENTS_MAX;
use serde::{Deserialize, Serialize};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{AgentId, ClassId, Counters, PathHandle, PathPool, World};

/// `u32` for none.
pub(super) const NONE: u32 = u32::MAX;

/// All agents between two ticks: a frame. Arrays of equal length, joined by row, in order of id.
#[derive(Debug, Default)]
pub struct RecordedAgents {
    /// The next tick; once the run has ended, the tick at which it did.
    pub tick: u32,
    /// Ids, rising.
    pub ids: Vec<AgentId>,
    /// Their classes.
    pub classes: Vec<ClassId>,
    /// The position and the last move of each.
    pub motion: Vec<RecordedMotion>,
    /// Number of the current order of each ([`RecordedAgents::order_text`]); `u32::MAX` for none.
    pub orders: Vec<u32>,
    /// Tick since which each waits although it could go on; `u32::MAX` if it does not wait.
    pub waits_since: Vec<u32>,
    /// Counters after the last tick.
    pub counters: Counters,
    /// Texts of the orders that the header lacks.
    pub(super) texts: OrderTexts,
    paths: Vec<PathHandle>,
    pool: PathPool<PathRun>,
    /// Rows to remove after the events of the tick.
    gone: Vec<u32>,
    /// End tick of each row's move, a copy that each tick scans.
    ends: Vec<u32>,
    /// A lower bound of the end ticks of moves in progress.
    next_end: u32,
}

/// The position of an agent, and its last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedMotion {
    /// Where the move began.
    pub from: Pose,
    /// Where it ends; the pose of the agent once it has.
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

    /// An agent at rest.
    fn resting(pose: Pose, tick: u32) -> Self {
        Self { from: pose, to: pose, primitive: Self::NO_MOVE, start: tick, end: tick }
    }

    /// Whether the move is in progress when a tick begins.
    pub fn is_moving(&self, tick: u32) -> bool {
        self.end > tick
    }
}

/// A frame as written: in columns, so that similar numbers are adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeyFrame {
    /// Each id minus the one before.
    ids: Vec<u32>,
    classes: Vec<u8>,
    /// Coordinates of `from`, each minus the one before.
    x: Vec<i32>,
    y: Vec<i32>,
    headings: Vec<u8>,
    /// `NO_MOVE` at rest.
    primitives: Vec<u8>,
    /// Ticks since the move began, and until it ends; of moving agents only.
    since: Vec<u32>,
    left: Vec<u32>,
    /// Number of the current order, plus 1; 0 for none.
    orders: Vec<u32>,
    /// Ticks it has waited, plus 1; 0 if it does not wait.
    waits: Vec<u32>,
    /// Number of runs of each path, and the runs of all.
    n_runs: Vec<u32>,
    runs: Vec<u32>,
    counters: [u64; 13],
}

/// Most runs of all paths together: 32 for each agent of the largest simulation.
pub(super) const PATH_RUNS_MAX: usize = 1 << 25;

impl RecordedAgents {
    /// No agents, before the first tick.
    pub(super) fn before(header: &Header) -> Self {
        Self { texts: OrderTexts::after(header.orders.len()), ..Self::default() }
    }

    /// The agents of a world between two ticks.
    /// # Errors
    /// The reason why they cannot be recorded.
    pub(super) fn of_world(world: &World) -> Result<Self, String> {
        let tick = world.tick();
        let counters = Counters::of(world);
        let mut frame = Self { tick, counters, next_end: u32::MAX, ..Self::default() };
        frame.texts = OrderTexts::of_pool(world.orders())?;
        let (agents, mut path) = (world.agent_arrays(), Vec::new());
        for (row, body) in world.agents().iter().enumerate() {
            let motion = &agents.motion[row];
            let from = world.pose(row);
            let mut recorded = RecordedMotion::resting(from, tick);
            if !motion.at_rest() {
                let to = CellXY::new(body.to_x, body.to_y);
                recorded.to = Pose { cell: to, heading: Heading(body.to_heading) };
                recorded.primitive = motion.primitive;
                (recorded.start, recorded.end) = (body.begin_tick, motion.until);
            }
            frame.push(agents.ids[row], motion.class, recorded);
            frame.orders[row] = current_order(world, row);
            frame.waits_since[row] = agents.wait_states[row].waits_since;
            path.clear();
            PathRun::append_path(world.paths().moves(agents.paths[row]), &mut path);
            if frame.n_runs() + path.len() > PATH_RUNS_MAX {
                return Err(format!("paths of more than {PATH_RUNS_MAX} runs of equal moves"));
            }
            frame.pool.replace(&mut frame.paths, row, &path);
        }
        Ok(frame)
    }

    /// The canonical text of an order that an agent has or is given at the last tick; `None` if there is no such order.
    pub fn order_text<'a>(&'a self, number: u32, header: &'a Header) -> Option<&'a str> {
        let in_header = header.orders.get(number as usize).map(String::as_str);
        in_header.or_else(|| self.texts.get(number))
    }

    /// The number of an order with a known text, or [`NONE`]; other numbers are refused.
    pub(super) fn check_order(&self, order: u32, header: &Header) -> Result<u32, String> {
        let known = order == NONE || self.order_text(order, header).is_some();
        if known { Ok(order) } else { Err(format!("order {order}, of which there is no text")) }
    }

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

    /// Whether the agent of a row is moving.
    pub fn is_moving(&self, row: usize) -> bool {
        self.motion[row].is_moving(self.tick)
    }

    /// Pose of the agent of a row; while it moves, the pose from which it does.
    pub fn pose(&self, row: usize) -> Pose {
        let motion = &self.motion[row];
        if motion.is_moving(self.tick) { motion.from } else { motion.to }
    }

    /// The rest of the path of a row, next first: runs of equal moves.
    pub fn runs(&self, row: usize) -> &[PathRun] {
        self.pool.moves(self.paths[row])
    }

    /// Primitives of the rest of the path of a row, next first.
    pub fn path(&self, row: usize) -> impl Iterator<Item = u8> {
        PathRun::moves(self.runs(row))
    }

    /// Runs of all paths together.
    pub(super) fn n_runs(&self) -> usize {
        self.pool.live()
    }

    /// Primitive of the next move of the path of a row.
    pub(super) fn next_move(&self, row: usize) -> Option<u8> {
        self.runs(row).first().map(|run| run.primitive())
    }

    /// Calls `each` for every row whose move ends at this tick, in order. `each` may begin the next move.
    pub(super) fn for_each_due<E>(
        &mut self,
        mut each: impl FnMut(&mut Self, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        /// Rows tested together: a fold without branches, which the compiler vectorises.
        const ROWS: usize = 64;
        let tick = self.tick;
        if self.next_end > tick {
            return Ok(());
        }
        let mut next_end = u32::MAX;
        for first in (0..self.len()).step_by(ROWS) {
            let last = self.len().min(first + ROWS);
            if self.ends[first..last].iter().fold(false, |any, &end| any | (end == tick)) {
                for row in first..last {
                    if self.ends[row] == tick {
                        each(self, row)?;
                    }
                }
            }
            let later = |end: u32| if end > tick { end } else { u32::MAX };
            next_end = self.ends[first..last].iter().fold(next_end, |least, &end| least.min(later(end)));
        }
        self.next_end = next_end;
        Ok(())
    }

    fn set_motion(&mut self, row: usize, motion: RecordedMotion) {
        self.motion[row] = motion;
        self.ends[row] = motion.end;
        self.next_end = self.next_end.min(motion.end);
    }

    fn push(&mut self, agent: AgentId, class: ClassId, motion: RecordedMotion) {
        self.insert(self.len(), agent, class, motion);
    }

    /// Inserts the row of an agent without an order.
    fn insert(&mut self, row: usize, agent: AgentId, class: ClassId, motion: RecordedMotion) {
        self.ids.insert(row, agent);
        self.classes.insert(row, class);
        self.motion.insert(row, motion);
        self.ends.insert(row, motion.end);
        self.next_end = self.next_end.min(motion.end);
        self.orders.insert(row, NONE);
        self.waits_since.insert(row, NONE);
        self.paths.insert(row, PathHandle::EMPTY);
    }

    /// Checks that there are not too many agents for a simulation, and that their bodies fit on the map without
    /// overlap.
    pub(super) fn check_fits(&self, header: &Header) -> Result<(), String> {
        if self.len() > AGENTS_MAX as usize {
            return Err(format!("{} agents, expected at most {AGENTS_MAX}", self.len()));
        }
        let cells = header.classes.iter().map(RecordedClass::cells_min).collect::<Vec<_>>();
        let covered: usize = self.classes.iter().map(|class| cells[usize::from(class.0)]).sum();
        let n_cells = header.map.terrain.len();
        if covered > n_cells {
            return Err(format!("agents that cover {covered} cells of a map of {n_cells}"));
        }
        Ok(())
    }

    /// Poses of the rest of the path of a row: where it begins and the pose after each move.
    pub fn path_poses(&self, row: usize, header: &Header) -> impl Iterator<Item = Pose> {
        let class = header.classes.get(usize::from(self.classes[row].0));
        let mut moves = self.path(row);
        std::iter::successors(Some(self.motion[row].to), move |&pose: &Pose| {
            class?.after(pose, moves.next()?)
        })
    }

    /// Expected time of a primitive of an agent: that of its last move if the primitive is the same, else that on
    /// normal ground.
    pub(super) fn expected_ticks(&self, row: usize, class: &RecordedClass, primitive: u8) -> u32 {
        let last = &self.motion[row];
        let primitives = class.movement().primitives();
        let base = primitives.get(usize::from(primitive)).map_or(1, |primitive| primitive.time);
        if last.primitive == primitive { last.end - last.start } else { base }
    }

    /// Applies an event of the tick `self.tick`.
    /// # Errors
    /// The reason why it is impossible.
    pub(super) fn apply(&mut self, event: &Event, record: &TickRecord) -> Result<(), String> {
        if let Event::Spawn { agent, class, pose, .. } = *event {
            if self.ids.last().is_some_and(|&last| last >= agent) {
                return Err(format!("agent {} is placed after one of a higher id", agent.0));
            }
            // As many may be removed at the same tick; `check_fits` counts what remains.
            if self.len() >= 2 * AGENTS_MAX as usize {
                return Err(format!("more than {AGENTS_MAX} agents"));
            }
            self.push(agent, class, RecordedMotion::resting(pose, self.tick));
            return Ok(());
        }
        if let Event::Leave { agent, class, pose, .. } = *event {
            // Others, or the agent itself, may have gone at this tick.
            self.remove_gone()?;
            let row = self.ids.partition_point(|&other| other < agent);
            if self.ids.get(row) == Some(&agent) || self.len() >= AGENTS_MAX as usize {
                return Err(format!(
                    "agent {} comes back to the map, and is on it or beyond all room",
                    agent.0
                ));
            }
            self.insert(row, agent, class, RecordedMotion::resting(pose, self.tick));
            return Ok(());
        }
        let Some(agent) = event.agent().filter(|_| !matches!(event, Event::Refused { .. })) else {
            return Ok(());
        };
        let Some(row) = self.row(agent) else { return Err(format!("agent {} is not there", agent.0)) };
        match *event {
            // `remove_gone` finds an agent that is removed twice.
            Event::Remove { .. } | Event::Enter { .. } if self.gone.len() < self.len() => {
                self.gone.push(row as u32);
            }
            Event::Remove { .. } | Event::Enter { .. } => return Err(REMOVED_TWICE.to_owned()),
            Event::Class { class, pose, .. } => {
                if self.is_moving(row) {
                    return Err(format!("agent {} takes another class in mid-move", agent.0));
                }
                self.classes[row] = class;
                self.pool.drop_path(&mut self.paths[row]);
                self.set_motion(row, RecordedMotion::resting(pose, self.tick));
            }
            Event::Path { runs, .. } => {
                let runs = record.runs_of_path(runs);
                if self.n_runs() - self.runs(row).len() + runs.len() > PATH_RUNS_MAX {
                    return Err(format!("paths of more than {PATH_RUNS_MAX} runs of equal moves"));
                }
                self.pool.replace(&mut self.paths, row, runs);
            }
            Event::Move { primitive, from, to, end, .. } => {
                if self.is_moving(row) || end <= self.tick {
                    return Err(format!("agent {} cannot begin a move that ends at {end}", agent.0));
                }
                if self.next_move(row) == Some(primitive) {
                    self.advance(row);
                }
                self.set_motion(row, RecordedMotion { from, to, primitive, start: self.tick, end });
                self.waits_since[row] = NONE;
            }
            Event::Wait { since, .. } => self.waits_since[row] = since,
            Event::Current { order, .. } => self.orders[row] = order,
            _ => {}
        }
        Ok(())
    }

    /// Removes the first move of the path of a row.
    fn advance(&mut self, row: usize) {
        let path = &mut self.paths[row];
        let Some(run) = self.pool.first_mut(*path) else { return };
        match run.rest() {
            Some(rest) => *run = rest,
            None => self.pool.advance(path),
        }
    }

    /// Removes the agents whose removal was among the events of the tick.
    /// # Errors
    /// An agent is removed twice.
    pub(super) fn remove_gone(&mut self) -> Result<(), String> {
        let Self { gone, .. } = self;
        gone.sort_unstable();
        let Some(&first) = gone.first() else { return Ok(()) };
        if gone.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(REMOVED_TWICE.to_owned());
        }
        /// Moves up the rows between removed rows.
        fn keep<T: Copy>(rows: &mut Vec<T>, gone: &[u32], first: u32) {
            let mut to = first as usize;
            for (number, &row) in gone.iter().enumerate() {
                let stretch =
                    row as usize + 1..gone.get(number + 1).map_or(rows.len(), |&next| next as usize);
                rows.copy_within(stretch.clone(), to);
                to += stretch.len();
            }
            rows.truncate(to);
        }
        for &row in &*gone {
            self.pool.drop_path(&mut self.paths[row as usize]);
        }
        keep(&mut self.ids, gone, first);
        keep(&mut self.classes, gone, first);
        keep(&mut self.motion, gone, first);
        keep(&mut self.ends, gone, first);
        keep(&mut self.orders, gone, first);
        keep(&mut self.waits_since, gone, first);
        keep(&mut self.paths, gone, first);
        gone.clear();
        Ok(())
    }

    /// Forgets what a key frame does not hold, so that reading on and reading from the key frame give the same.
    pub(super) fn forget_history(&mut self) {
        for (motion, end) in self.motion.iter_mut().zip(&mut self.ends) {
            if !motion.is_moving(self.tick) {
                *motion = RecordedMotion::resting(motion.to, self.tick);
                (*end, self.next_end) = (self.tick, self.tick);
            }
        }
    }

    /// Writes the frame to columns and keeps their memory.
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
            key.runs.extend(self.runs(row).iter().map(|run| run.to_number()));
            key.n_runs.push((key.runs.len() - before) as u32);
            (last, id) = (pose.cell, self.ids[row].0);
        }
        key.counters = self.counters.values();
    }

    /// Reads the frame before a tick.
    /// # Errors
    /// The first thing in it that does not match.
    pub(super) fn from_key(
        key: &KeyFrame,
        texts: OrderTexts,
        tick: u32,
        header: &Header,
    ) -> Result<Self, String> {
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
        let n_moving =
            key.primitives.iter().filter(|&&primitive| primitive != RecordedMotion::NO_MOVE).count();
        let n_runs: u64 = key.n_runs.iter().map(|&n| u64::from(n)).sum();
        if columns.iter().any(|&len| len != n)
            || [key.since.len(), key.left.len()] != [n_moving; 2]
            || key.runs.len() as u64 != n_runs
        {
            return Err("columns of a key frame do not match".to_owned());
        }
        if n_runs > PATH_RUNS_MAX as u64 {
            return Err(format!("paths of {n_runs} runs of equal moves, expected at most {PATH_RUNS_MAX}"));
        }
        let counters = Counters::of_values(key.counters).ok_or("counters that are too large")?;
        let mut frame = Self { tick, counters, texts, next_end: u32::MAX, ..Self::default() };
        let (mut last, mut id) = (CellXY::new(0, 0), 0_u32);
        let (mut times, mut runs) = (key.since.iter().zip(&key.left), &key.runs[..]);
        let mut path = Vec::new();
        for row in 0..n {
            let missing = || format!("row {row} of a key frame lacks something");
            let rises = row == 0 || key.ids[row] > 0;
            id = id.checked_add(key.ids[row]).filter(|_| rises).ok_or_else(missing)?;
            let cell = CellXY::new(last.x.wrapping_add(key.x[row]), last.y.wrapping_add(key.y[row]));
            let pose = Pose::new(cell.x, cell.y, Heading(key.headings[row]));
            let class = ClassId(key.classes[row]);
            check_pose(header, class, pose)?;
            let known = &header.classes[usize::from(class.0)];
            let mut motion = RecordedMotion::resting(pose, tick);
            if key.primitives[row] != RecordedMotion::NO_MOVE {
                let (&since, &left) = times.next().ok_or_else(missing)?;
                motion.primitive = key.primitives[row];
                motion.start = tick.checked_sub(since).ok_or_else(missing)?;
                motion.end = tick.checked_add(left).filter(|&end| end > tick).ok_or_else(missing)?;
                motion.to = known.after(pose, motion.primitive).ok_or_else(missing)?;
                check_pose(header, class, motion.to)?;
            }
            frame.push(AgentId(id), class, motion);
            frame.orders[row] = frame.check_order(key.orders[row].wrapping_sub(1), header)?;
            let waits = key.waits[row];
            frame.waits_since[row] = if waits == 0 { NONE } else { tick.wrapping_sub(waits - 1) };
            let (of_row, rest) = runs.split_at(key.n_runs[row] as usize);
            runs = rest;
            last = cell;
            path.clear();
            for &run in of_row {
                push_run(PathRun::of_number(run), known, 0, &mut path)?;
            }
            frame.pool.replace(&mut frame.paths, row, &path);
        }
        frame.check_fits(header)?;
        Ok(frame)
    }

    /// The first agent in which two frames of one tick differ, and in what.
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
                .or_else(|| same("path", self.runs(row) == other.runs(row)));
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Number of the current order of the agent in a row of a world.
pub(super) fn current_order(world: &World, row: usize) -> u32 {
    let open = world.agent_arrays().orders(row).open;
    if open.count > 0 { open.first } else { NONE }
}

/// The message on an agent that is removed twice at a tick.
const REMOVED_TWICE: &str = "an agent that is removed twice";

/// Appends a run to the runs of its path, which begin at `first`.
pub(super) fn push_run(
    run: PathRun,
    class: &RecordedClass,
    first: usize,
    runs: &mut Vec<PathRun>,
) -> Result<(), String> {
    if usize::from(run.primitive()) >= class.movement().primitives().len() {
        return Err(format!("a path of primitive {}, which its class lacks", run.primitive()));
    }
    if run.n_moves() > PathRun::MOVES_MAX {
        return Err(format!("a run of {} moves, expected at most {}", run.n_moves(), PathRun::MOVES_MAX));
    }
    if runs[first..].last().is_some_and(|&previous| !run.may_follow(previous)) {
        return Err("a path of which two runs are one".to_owned());
    }
    runs.push(run);
    Ok(())
}

/// Checks that a class can have a pose on the map.
pub(super) fn check_pose(header: &Header, class: ClassId, pose: Pose) -> Result<(), String> {
    let Some(known) = header.classes.get(usize::from(class.0)) else {
        return Err(format!("class {}, expected one of {}", class.0, header.classes.len()));
    };
    if header.map.index(pose.cell).is_none() || pose.heading.0 >= known.movement().headings() {
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
