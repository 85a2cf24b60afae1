//! Windowed cost-to-go: of every pose in a window around an agent, to where its path leaves the window.
//!
//! A path is a single string of poses. An agent that has to leave it because others are in its way must know the
//! cost-to-go of every pose nearby. A Dijkstra search goes backward over the movement tables. Its sources are the poses
//! of the path within the window, each with the cost of the rest of the path. So a goal that no other agent shares
//! costs a few thousand poses, not all poses of the map.
//!
//! The search stops when it has settled the pose that is asked for, and goes on when another is. Most agents ask only
//! for poses that are little farther from where the path leaves the window than they are themselves.

use crate::clone_fields::clone_fields;
use crate::cooperative::fixed::{WINDOW_RADIUS, WINDOW_RADIUS_BODIES, WINDOW_REUSE_PARTS};
use crate::motion::{AgentId, AgentSlot};
use crate::saved::saved;
use crate::speed::ticks_at_speed;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;
use wheelbase_planner::{Heading, MovementTables, Pose};

/// Cost-to-go of a pose that a window does not know.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The same in a window.
pub(crate) const UNKNOWN_SHORT: u16 = u16::MAX;

/// Buckets of the search, one for each cost in a ring. Moves that take longer are not made off the path.
const RING: usize = 4096;

/// Window number of an agent without a window.
pub(crate) const NO_WINDOW: u32 = u32::MAX;

/// Index at the end of a list of entries.
const NO_ENTRY: u32 = u32::MAX;

/// The owner of a window; another key needs another window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowKey {
    /// Its agent: the next agent in the slot needs another window.
    pub(crate) agent: AgentId,
    /// Number of the path among all paths of the agent.
    pub(crate) path: u32,
    /// Revision of the tables of its class.
    pub(crate) revision: u64,
    /// Its speed factor in thousandths: a window is settled little by little, all of it at one speed.
    pub(crate) speed_factor: u16,
}

saved!(WindowKey { agent, path, revision, speed_factor });

/// The window of an agent.
#[derive(Debug)]
pub(crate) struct CostWindow {
    pub(crate) slot: AgentSlot,
    pub(crate) used_at: u32,
    pub(crate) key: WindowKey,
    /// Cell of the agent when the window was made.
    pub(crate) center: CellXY,
    pub(crate) radius: u32,
    pub(crate) area: Rect,
    /// Costs in ticks, `[height * width * headings]` of the window, of the poses that are settled.
    pub(crate) costs: Vec<u16>,
    /// Up to this cost all poses are settled.
    pub(crate) settled: u32,
    /// Room made for costs so far. The capacity would not do: a clone has another.
    pub(crate) room: usize,
}

clone_fields!(CostWindow { slot, used_at, key, center, radius, area, costs, settled, room });

/// The windows of all agents that have recently needed one. Memory: 2 bytes per pose of each window, at most
/// [`CostWindows::BYTES_MAX`].
#[derive(Debug, Default)]
pub(crate) struct CostWindows {
    pub(crate) list: Vec<CostWindow>,
    /// Number of the window of each agent, by agent slot. The next agent in an agent slot reuses the memory of the
    /// last.
    pub(crate) of_agent: Vec<u32>,
    /// Bytes of all costs.
    pub(crate) bytes: usize,
    /// From this many bytes on, a new window takes the place of an old one.
    pub(crate) bytes_max: usize,
    /// By class.
    moves_to: Vec<MovesTo>,
    scratch: WindowScratch,
}

clone_fields!(CostWindows { list, of_agent, bytes, bytes_max, moves_to } keep { scratch });

/// The moves of a class by the frame in which they end.
#[derive(Clone, Debug)]
struct MovesTo {
    /// Columns or rows that a move leads over at most.
    reach: u32,
    of_frame: Vec<Vec<MoveTo>>,
}

/// A move, seen from its end.
#[derive(Clone, Copy, Debug)]
struct MoveTo {
    primitive: u8,
    /// Rows that it leads down.
    rows: i32,
    /// Difference of state indices within a row.
    along: i32,
}

impl MovesTo {
    fn new(tables: &MovementTables) -> Self {
        let (class, space) = (tables.class(), tables.space());
        let mut moves = Self { reach: 0, of_frame: vec![Vec::new(); usize::from(space.n_frames())] };
        for frame in class.frames() {
            for primitive in 0..class.primitives().len() {
                let shape = class.shape(frame, primitive);
                if !shape.applies {
                    continue;
                }
                let turn = i32::from(shape.heading_after.0) - i32::from(class.heading_of(frame).0);
                let along = shape.step.dx * i32::from(space.headings()) + turn;
                let to = &mut moves.of_frame[usize::from(shape.frame_after.0)];
                to.push(MoveTo { primitive: primitive as u8, rows: shape.step.dy, along });
                moves.reach = moves.reach.max(shape.step.dx.unsigned_abs()).max(shape.step.dy.unsigned_abs());
            }
        }
        moves
    }
}

/// What the moves of an agent cost at a tick: their times at its speed.
#[derive(Clone, Copy)]
pub(crate) struct MoveCosts<'a> {
    pub(crate) tables: &'a MovementTables,
    /// Number of the class.
    pub(crate) class: usize,
    /// Speed factor of the agent in thousandths.
    pub(crate) speed_factor: u16,
    pub(crate) tick: u32,
}

/// A pose of a path: its state and the ticks that remain from there.
pub(crate) type GuidePose = (State, u32);

impl CostWindows {
    /// Most memory of all windows together, in bytes.
    pub(crate) const BYTES_MAX: usize = 256 << 20;

    /// No windows yet, for some classes.
    pub(crate) fn new<'a>(classes: impl Iterator<Item = &'a MovementTables>) -> Self {
        Self {
            list: Vec::new(),
            of_agent: Vec::new(),
            bytes: 0,
            bytes_max: Self::BYTES_MAX,
            moves_to: classes.map(MovesTo::new).collect(),
            scratch: WindowScratch::default(),
        }
    }

    /// Adds a class.
    pub(crate) fn add_class(&mut self, tables: &MovementTables) {
        self.moves_to.push(MovesTo::new(tables));
    }

    /// Makes room for agent slots below `n`.
    pub(crate) fn grow(&mut self, n: usize) {
        if self.of_agent.len() < n {
            self.of_agent.resize(n, NO_WINDOW);
        }
    }

    /// The scratch memory no longer belongs to a window: the windows may be others now.
    pub(crate) fn begin_tick(&mut self) {
        self.scratch.number = NO_WINDOW;
    }

    /// The window of an agent, for this tick. It is made unless the agent has one of the same key whose centre is
    /// near. `guide_path` are the next poses of its path, the last with cost 0; those from the first outside the
    /// window on do not count. `radius` is half the side of the window in cells.
    ///
    /// A window obtained later may take the place of this one, so no caller keeps it.
    pub(crate) fn obtain<'a>(
        &'a mut self,
        slot: AgentSlot,
        key: WindowKey,
        move_costs: MoveCosts<'a>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> WindowView<'a> {
        let own = self.of_agent[slot.index()];
        let fits = |window: &CostWindow| {
            let off = center.chebyshev_distance(window.center);
            window.key == key && WINDOW_REUSE_PARTS * off <= window.radius
        };
        match self.list.get(own as usize) {
            Some(window) if fits(window) => self.view(own, move_costs),
            _ => self.make(slot, key, move_costs, (center, radius), guide_path),
        }
    }

    fn view<'a>(&'a mut self, number: u32, move_costs: MoveCosts<'a>) -> WindowView<'a> {
        let window = &mut self.list[number as usize];
        window.used_at = move_costs.tick;
        let (moves_to, scratch) = (&self.moves_to[move_costs.class], &mut self.scratch);
        let headings = move_costs.tables.space().headings();
        WindowView { window, number, headings, search: BackwardSearch { moves_to, move_costs, scratch } }
    }

    /// Makes the window of an agent, and settles the poses of the guide path.
    fn make<'a>(
        &'a mut self,
        slot: AgentSlot,
        key: WindowKey,
        move_costs: MoveCosts<'a>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> WindowView<'a> {
        let space = move_costs.tables.space();
        let area = Rect::of_cell(center).grown(radius, space.size());
        let inside = |state: State| area.contains(space.pose(state).cell);
        let n_inside = guide_path.iter().position(|&(state, _)| !inside(state)).unwrap_or(guide_path.len());
        let number = self.number_for(slot, move_costs.tick);
        let window = &mut self.list[number];
        self.bytes -= window.room * 2;
        window.costs.clear();
        // Room for a window that no border cuts off, so that a later one allocates nothing.
        let room = room_of(radius, space.headings());
        window.costs.reserve_exact(room);
        window.room = window.room.max(room);
        self.bytes += window.room * 2;
        let n = area.width as usize * area.height as usize * usize::from(space.headings());
        window.costs.resize(n, UNKNOWN_SHORT);
        (window.slot, window.key, window.settled) = (slot, key, 0);
        (window.center, window.radius, window.area) = (center, radius, area);
        self.of_agent[slot.index()] = number as u32;
        let mut view = self.view(number as u32, move_costs);
        view.search.begin(view.window, view.number);
        view.search.settle(view.window, &guide_path[..n_inside], |_| true);
        view
    }

    /// The number of an agent's window. An agent without a window gets a new one or, when memory is full, the least
    /// recently used.
    fn number_for(&mut self, slot: AgentSlot, tick: u32) -> usize {
        let own = self.of_agent[slot.index()];
        if own != NO_WINDOW {
            return own as usize;
        }
        if self.bytes >= self.bytes_max {
            let oldest = self.list.iter().enumerate().min_by_key(|(_, window)| window.used_at);
            if let Some((number, window)) = oldest {
                self.of_agent[window.slot.index()] = NO_WINDOW;
                return number;
            }
        }
        let key = WindowKey { agent: AgentId::NOBODY, path: 0, revision: 0, speed_factor: 0 };
        let (center, area) = (CellXY::new(0, 0), Rect::new(0, 0, 0, 0));
        let costs = Vec::new();
        let window =
            CostWindow { slot, used_at: tick, key, center, radius: 0, area, costs, settled: 0, room: 0 };
        self.list.push(window);
        self.list.len() - 1
    }

    /// Cost-to-go of a pose by the last window of an agent, as far as that is settled; [`UNKNOWN`] beyond.
    #[cfg(test)]
    pub(crate) fn settled_cost(&self, slot: AgentSlot, pose: Pose, headings: u8) -> u32 {
        let window = &self.list[self.of_agent[slot.index()] as usize];
        let cost = index_in(window.area, pose, headings).map_or(UNKNOWN_SHORT, |at| window.costs[at]);
        if cost == UNKNOWN_SHORT { UNKNOWN } else { cost.into() }
    }

    /// Leaves memory for a single window.
    #[cfg(test)]
    pub(crate) fn shrink_to_one(&mut self) {
        self.bytes_max = 1;
    }

    /// Which windows there are, for the state hash.
    pub(crate) fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for window in &self.list {
            word(u64::from(window.key.agent.0) << 32 | u64::from(window.used_at));
        }
    }
}

/// Scratch memory of the search backward: its state while it belongs to a window.
#[derive(Clone, Debug)]
struct WindowScratch {
    /// Number of the window; [`NO_WINDOW`] of none.
    number: u32,
    /// Least costs found so far of the poses of the window and of a rim around it, as wide as a move leads. Costs in
    /// the rim are 0, so that no move from there is ever cheaper.
    costs: Vec<u16>,
    /// By cost modulo the ring: the first entry of that cost.
    buckets: Vec<u32>,
    entries: Vec<Entry>,
    /// Entries in buckets.
    n_open: usize,
    /// The moves that end in each frame.
    moves: Vec<Vec<MoveBefore>>,
}

impl Default for WindowScratch {
    fn default() -> Self {
        let (costs, buckets, entries, moves) = Default::default();
        Self { number: NO_WINDOW, costs, buckets, entries, n_open: 0, moves }
    }
}

/// A move, seen from its end, in a window.
#[derive(Clone, Copy, Debug)]
struct MoveBefore {
    primitive: u8,
    /// Ticks that it takes at least.
    least_ticks: u32,
    /// From its end to its start: difference of states, and of indices in [`WindowScratch::costs`].
    state: i32,
    at: i32,
}

/// A pose in the list of a bucket.
#[derive(Clone, Copy, Debug)]
struct Entry {
    state: State,
    /// Its index in [`WindowScratch::costs`].
    at: u32,
    next: u32,
}

/// Dijkstra backward in a window.
struct BackwardSearch<'a> {
    moves_to: &'a MovesTo,
    move_costs: MoveCosts<'a>,
    scratch: &'a mut WindowScratch,
}

impl BackwardSearch<'_> {
    /// Entries of a row of the costs of the window, and of the scratch memory.
    fn rows(&self, area: Rect) -> (usize, usize) {
        let headings = usize::from(self.move_costs.tables.space().headings());
        (area.width as usize * headings, (area.width + 2 * self.moves_to.reach) as usize * headings)
    }

    /// Index of the first cost of the window in the scratch memory.
    fn first(&self, area: Rect) -> usize {
        let headings = usize::from(self.move_costs.tables.space().headings());
        self.moves_to.reach as usize * (self.rows(area).1 + headings)
    }

    /// Takes the scratch memory for a window, with the costs that are settled and nothing in the buckets.
    fn begin(&mut self, window: &CostWindow, number: u32) {
        let area = window.area;
        let ((short, row), first) = (self.rows(area), self.first(area));
        let n = row * (area.height + 2 * self.moves_to.reach) as usize;
        let scratch = &mut *self.scratch;
        scratch.costs.clear();
        scratch.costs.resize(n, 0);
        for (y, costs) in window.costs.chunks(short).enumerate() {
            scratch.costs[first + y * row..][..short].copy_from_slice(costs);
        }
        scratch.buckets.clear();
        scratch.buckets.resize(RING, NO_ENTRY);
        scratch.entries.clear();
        scratch.entries.reserve(2 * n);
        (scratch.number, scratch.n_open) = (number, 0);
        let MoveCosts { tables, speed_factor, .. } = self.move_costs;
        let map_row = tables.space().size().width() as i32 * i32::from(tables.space().headings());
        scratch.moves.resize_with(self.moves_to.of_frame.len().max(scratch.moves.len()), Vec::new);
        for (moves, to) in scratch.moves.iter_mut().zip(&self.moves_to.of_frame) {
            moves.clear();
            moves.extend(to.iter().map(|&MoveTo { primitive, rows, along }| MoveBefore {
                primitive,
                least_ticks: ticks_at_speed(tables.min_ticks(usize::from(primitive)), speed_factor),
                state: -(rows * map_row + along),
                at: -(rows * row as i32 + along),
            }));
        }
    }

    /// Takes the scratch memory for a window, and enters the moves that lead to its settled poses. Of poses of low cost
    /// all that come before are settled.
    fn resume(&mut self, window: &CostWindow, number: u32) {
        self.begin(window, number);
        let MoveCosts { tables, speed_factor, .. } = self.move_costs;
        let space = tables.space();
        let ((short, row), first) = (self.rows(window.area), self.first(window.area));
        let headings = usize::from(space.headings());
        let longest = ticks_at_speed(tables.max_ticks() as u32, speed_factor);
        let lowest = window.settled.saturating_sub(longest);
        let is_low = |cost: u16| cost == UNKNOWN_SHORT || u32::from(cost) < lowest;
        for (at, &cost) in window.costs.iter().enumerate().filter(|&(_, &cost)| !is_low(cost)) {
            let (y, along) = (at / short, at % short);
            let cell = CellXY::new(window.area.x + (along / headings) as i32, window.area.y + y as i32);
            let pose = Pose { cell, heading: Heading((along % headings) as u8) };
            if let Some(state) = space.state(pose) {
                self.enter_before(state, first + y * row + along, cost.into());
            }
        }
    }

    /// Settles poses in order of cost, after all of `sources`, until `is_enough` says so, given the costs found so
    /// far, or no pose is left. Costs of `sources`, which rise backward, count from the last.
    fn settle(
        &mut self,
        window: &mut CostWindow,
        sources: &[GuidePose],
        is_enough: impl Fn(&CostWindow) -> bool,
    ) {
        let space = self.move_costs.tables.space();
        let ((short, row), first) = (self.rows(window.area), self.first(window.area));
        let headings = usize::from(space.headings());
        let base = sources.last().map_or(0, |&(_, left)| left);
        // A pose of the guide path is entered when its cost is due; the last is the cheapest.
        let mut sources = sources.iter().rev().peekable();
        let mut due = if sources.len() > 0 { 0 } else { window.settled + 1 };
        loop {
            while let Some(&&(state, cost)) = sources.peek() {
                let cost = cost - base;
                // Beyond the ring: it waits, unless nothing else is left.
                if self.scratch.n_open > 0 && cost > due {
                    break;
                }
                due = due.max(cost);
                sources.next();
                let CellXY { x, y } = space.pose(state).cell;
                let along = (x - window.area.x) as usize * headings + state.0 as usize % headings;
                let at = first + (y - window.area.y) as usize * row + along;
                let WindowScratch { costs, buckets, entries, n_open, .. } = &mut *self.scratch;
                if cost < u32::from(costs[at]) {
                    costs[at] = cost as u16;
                    enter(buckets, entries, (state, at), cost);
                    *n_open += 1;
                }
            }
            if self.scratch.n_open == 0 || due >= u32::from(UNKNOWN_SHORT) {
                window.settled = u32::MAX;
                return;
            }
            let bucket = &mut self.scratch.buckets[due as usize % RING];
            let mut entry = std::mem::replace(bucket, NO_ENTRY);
            while let Some(&Entry { state, at, next }) = self.scratch.entries.get(entry as usize) {
                entry = next;
                self.scratch.n_open -= 1;
                let at = at as usize;
                if u32::from(self.scratch.costs[at]) == due {
                    let off = at - first;
                    window.costs[off / row * short + off % row] = due as u16;
                    self.enter_before(state, at, due);
                }
            }
            window.settled = due;
            if sources.peek().is_none() && is_enough(window) {
                return;
            }
            // What remains of the path may be nearly 2^32 ticks.
            due = due.saturating_add(1);
        }
    }

    /// Enters the poses before the moves that lead to a pose of cost `due`.
    #[inline]
    fn enter_before(&mut self, state: State, at: usize, due: u32) {
        let MoveCosts { tables, speed_factor, .. } = self.move_costs;
        let WindowScratch { costs, buckets, entries, n_open, moves, .. } = &mut *self.scratch;
        for before in &moves[usize::from(tables.space().frame_of(state).0)] {
            let at = at.wrapping_add_signed(before.at as isize);
            let known = &mut costs[at];
            // Most poses are cheap enough already, before any table is read.
            if u32::from(*known) <= due.saturating_add(before.least_ticks) {
                continue;
            }
            let state = State(state.0.wrapping_add_signed(before.state));
            let Some(ticks) = tables.move_ticks(state, usize::from(before.primitive)) else { continue };
            let ticks = ticks_at_speed(ticks, speed_factor);
            // A move may take nearly 2^32 ticks.
            if u32::from(*known) - due > ticks && (ticks as usize) < RING {
                *known = (due + ticks) as u16;
                enter(buckets, entries, (state, at), due + ticks);
                *n_open += 1;
            }
        }
    }
}

/// Adds an entry to the bucket of its cost.
#[inline]
fn enter(buckets: &mut [u32], entries: &mut Vec<Entry>, (state, at): (State, usize), cost: u32) {
    let first = &mut buckets[cost as usize % RING];
    entries.push(Entry { state, at: at as u32, next: *first });
    *first = entries.len() as u32 - 1;
}

/// Costs of a window that no border cuts off.
pub(crate) fn room_of(radius: u32, headings: u8) -> usize {
    let side = 2 * radius as usize + 1;
    side * side * usize::from(headings)
}

/// Radius of the window around an agent, given the longest side of its body.
pub(crate) fn window_radius(longest: u32) -> u32 {
    WINDOW_RADIUS + WINDOW_RADIUS_BODIES * longest
}

/// Index of a pose in a window; `None` outside.
fn index_in(area: Rect, pose: Pose, headings: u8) -> Option<usize> {
    let (x, y) = ((pose.cell.x - area.x) as u32, (pose.cell.y - area.y) as u32);
    (x < area.width && y < area.height)
        .then(|| (y * area.width + x) as usize * usize::from(headings) + usize::from(pose.heading.0))
}

/// A window to be read.
pub(crate) struct WindowView<'a> {
    window: &'a mut CostWindow,
    /// Number of the window.
    number: u32,
    headings: u8,
    search: BackwardSearch<'a>,
}

impl WindowView<'_> {
    /// Cost-to-go of a pose in ticks; [`UNKNOWN`] if the window does not know it. It may also be [`UNKNOWN`] if it is
    /// above `limit`.
    #[inline]
    pub(crate) fn cost(&mut self, pose: Pose, limit: u32) -> u32 {
        let Some(at) = index_in(self.window.area, pose, self.headings) else { return UNKNOWN };
        if self.window.costs[at] == UNKNOWN_SHORT && self.window.settled < limit {
            self.settle(at, limit);
        }
        match self.window.costs[at] {
            UNKNOWN_SHORT => UNKNOWN,
            cost => cost.into(),
        }
    }

    /// Settles a pose, or all poses up to a cost.
    #[inline(never)]
    fn settle(&mut self, at: usize, limit: u32) {
        if self.search.scratch.number != self.number {
            self.search.resume(self.window, self.number);
        }
        let is_enough = |window: &CostWindow| window.costs[at] != UNKNOWN_SHORT || window.settled >= limit;
        self.search.settle(self.window, &[], is_enough);
    }
}
