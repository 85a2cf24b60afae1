//! Windowed cost-to-go: of every pose in a window around an agent, to where its path leaves the window.
//!
//! A path is a single string of poses. An agent that has to leave it because others are in its way must know the
//! cost-to-go of every pose nearby. The poses of the path within the window, each with what remains of the path from
//! there, are the sources of a Dijkstra search backward over the movement tables. So a goal that no other agent
//! shares costs a few thousand poses, not all poses of the map.

use crate::clone_fields::clone_fields;
use crate::cooperative::fixed::{WINDOW_RADIUS, WINDOW_RADIUS_BODIES, WINDOW_REUSE_PARTS};
use crate::motion::{AgentId, AgentSlot};
use crate::saved::saved;
use crate::speed::ticks_at_speed;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;
use wheelbase_planner::{MovementTables, Pose};

/// Cost-to-go of a pose that a window does not know.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The same in a window.
const UNKNOWN_SHORT: u16 = u16::MAX;

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
}

saved!(WindowKey { agent, path, revision });

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
    /// Costs in ticks, `[height * width * headings]` of the window.
    pub(crate) costs: Vec<u16>,
    /// Room made for costs so far. The capacity would not do: a clone has another.
    pub(crate) room: usize,
}

clone_fields!(CostWindow { slot, used_at, key, center, radius, area, costs, room });

/// The windows of all agents that have recently needed one. Memory: 2 bytes per pose of each window, at most
/// [`CostWindows::BYTES_MAX`].
#[derive(Debug, Default)]
pub(crate) struct CostWindows {
    pub(crate) list: Vec<CostWindow>,
    /// Number of the window of each agent, by agent slot. The next agent in an agent slot reuses the memory of the last.
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

    /// Makes room for agent slots below `n`.
    pub(crate) fn grow(&mut self, n: usize) {
        if self.of_agent.len() < n {
            self.of_agent.resize(n, NO_WINDOW);
        }
    }

    /// The window of an agent, for this tick. It is made unless the agent has one of the same key whose centre is
    /// near. `guide_path` are the next poses of its path, the last with cost 0; those from the first outside the
    /// window on do not count. `radius` is half the side of the window in cells.
    ///
    /// A window obtained later may take the place of this one, so no caller keeps it.
    pub(crate) fn obtain(
        &mut self,
        slot: AgentSlot,
        key: WindowKey,
        move_costs: MoveCosts<'_>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> WindowView<'_> {
        let own = self.of_agent[slot.index()];
        let fits = |window: &CostWindow| {
            let off = center.chebyshev_distance(window.center);
            window.key == key && WINDOW_REUSE_PARTS * off <= window.radius
        };
        let number = match self.list.get(own as usize) {
            Some(window) if fits(window) => own as usize,
            _ => self.make(slot, key, move_costs, (center, radius), guide_path),
        };
        let window = &mut self.list[number];
        window.used_at = move_costs.tick;
        WindowView { area: window.area, costs: &window.costs }
    }

    /// Makes the window of an agent; gives its number.
    fn make(
        &mut self,
        slot: AgentSlot,
        key: WindowKey,
        move_costs: MoveCosts<'_>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> usize {
        let (space, tick) = (move_costs.tables.space(), move_costs.tick);
        let area = Rect::of_cell(center).grown(radius, space.size());
        let inside = |state: State| area.contains(space.pose(state).cell);
        let n_inside = guide_path.iter().position(|&(state, _)| !inside(state)).unwrap_or(guide_path.len());
        let number = self.number_for(slot, tick);
        let guide_path = &guide_path[..n_inside];
        let base = guide_path.last().map_or(0, |&(_, left)| left);
        let window = &mut self.list[number];
        self.bytes -= window.room * 2;
        window.costs.clear();
        // Room for a window that no border cuts off, so that a later one allocates nothing.
        let room = room_of(radius, space.headings());
        window.costs.reserve_exact(room);
        window.room = window.room.max(room);
        let moves_to = &self.moves_to[move_costs.class];
        self.scratch.settle(moves_to, move_costs, area, (guide_path, base), &mut window.costs);
        let bytes = window.room * 2;
        (window.slot, window.used_at, window.key) = (slot, tick, key);
        (window.center, window.radius, window.area) = (center, radius, area);
        self.bytes += bytes;
        self.of_agent[slot.index()] = number as u32;
        number
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
        let key = WindowKey { agent: AgentId::NOBODY, path: 0, revision: 0 };
        let (center, area) = (CellXY::new(0, 0), Rect::new(0, 0, 0, 0));
        let costs = Vec::new();
        self.list.push(CostWindow { slot, used_at: tick, key, center, radius: 0, area, costs, room: 0 });
        self.list.len() - 1
    }

    /// The last window of an agent, if it is still there.
    #[cfg(test)]
    pub(crate) fn kept(&self, slot: AgentSlot) -> Option<WindowView<'_>> {
        let window = self.list.get(self.of_agent[slot.index()] as usize)?;
        Some(WindowView { area: window.area, costs: &window.costs })
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

/// Scratch memory in which windows are made.
#[derive(Clone, Debug, Default)]
struct WindowScratch {
    /// Costs of the poses of the window and of a rim around it, as wide as a move leads. Costs in the rim are 0, so
    /// that no move from there is ever cheaper.
    costs: Vec<u16>,
    /// By cost modulo the ring: the first entry of that cost.
    buckets: Vec<u32>,
    entries: Vec<Entry>,
}

/// A pose in the list of a bucket.
#[derive(Clone, Copy, Debug)]
struct Entry {
    state: State,
    /// Its index in [`WindowScratch::costs`].
    at: u32,
    next: u32,
}

impl WindowScratch {
    /// Appends the costs of the poses of a window to `found`: Dijkstra backward from the poses of the guide path,
    /// which lie in the window. Costs count from `base`.
    fn settle(
        &mut self,
        moves_to: &MovesTo,
        MoveCosts { tables, speed_factor, .. }: MoveCosts<'_>,
        area: Rect,
        (guide_path, base): (&[GuidePose], u32),
        found: &mut Vec<u16>,
    ) {
        let space = tables.space();
        let (reach, headings) = (moves_to.reach, usize::from(space.headings()));
        let (row, map_row) =
            ((area.width + 2 * reach) as usize * headings, space.size().width() as usize * headings);
        let inside = |y: usize| {
            let first = (reach as usize + y) * row + reach as usize * headings;
            first..first + area.width as usize * headings
        };
        self.begin(row * (area.height + 2 * reach) as usize);
        for y in 0..area.height as usize {
            self.costs[inside(y)].fill(UNKNOWN_SHORT);
        }
        let mut n_open = 0_usize;
        // A pose of the guide path is entered when its cost is due; the last is the cheapest.
        let mut sources = guide_path.iter().rev().peekable();
        let mut due = 0_u32;
        while n_open > 0 || sources.peek().is_some() {
            while let Some(&&(state, cost)) = sources.peek() {
                let cost = cost - base;
                // Beyond the ring: it waits, unless nothing else is left.
                if n_open > 0 && cost > due {
                    break;
                }
                due = due.max(cost);
                sources.next();
                let CellXY { x, y } = space.pose(state).cell;
                let along = (x - area.x) as usize * headings + state.0 as usize % headings;
                let at = inside((y - area.y) as usize).start + along;
                n_open += usize::from(self.enter(state, at, cost));
            }
            let bucket = &mut self.buckets[due as usize % RING];
            let mut entry = std::mem::replace(bucket, NO_ENTRY);
            while let Some(&Entry { state, at, next }) = self.entries.get(entry as usize) {
                (entry, n_open) = (next, n_open - 1);
                if u32::from(self.costs[at as usize]) != due {
                    continue;
                }
                for &MoveTo { primitive, rows, along } in
                    &moves_to.of_frame[usize::from(space.frame_of(state).0)]
                {
                    let at = at.wrapping_add_signed(-(rows * row as i32 + along)) as usize;
                    let known = u32::from(self.costs[at]);
                    // Most poses are cheap enough already, before any table is read.
                    if known <= due + 1 {
                        continue;
                    }
                    let before = State(state.0.wrapping_add_signed(-(rows * map_row as i32 + along)));
                    let primitive = usize::from(primitive);
                    let Some(ticks) = tables.move_ticks(before, primitive) else { continue };
                    let ticks = ticks_at_speed(ticks, speed_factor);
                    // A move may take nearly 2^32 ticks.
                    if known - due <= ticks {
                        continue;
                    }
                    if (ticks as usize) < RING {
                        n_open += usize::from(self.enter(before, at, due + ticks));
                    }
                }
            }
            // What remains of the path may be nearly 2^32 ticks.
            due = due.saturating_add(1);
            if due >= u32::from(UNKNOWN_SHORT) {
                break;
            }
        }
        (0..area.height as usize).for_each(|y| found.extend_from_slice(&self.costs[inside(y)]));
    }

    /// Forgets all poses, and has `n` of cost 0.
    fn begin(&mut self, n: usize) {
        self.costs.clear();
        self.costs.resize(n, 0);
        self.buckets.clear();
        self.buckets.resize(RING, NO_ENTRY);
        self.entries.clear();
        self.entries.reserve(2 * n);
    }

    /// Enters a pose if this is cheaper than before; says whether it is.
    #[inline]
    fn enter(&mut self, state: State, at: usize, cost: u32) -> bool {
        if cost >= u32::from(self.costs[at]) {
            return false;
        }
        self.costs[at] = cost as u16;
        let first = &mut self.buckets[cost as usize % RING];
        self.entries.push(Entry { state, at: at as u32, next: *first });
        *first = self.entries.len() as u32 - 1;
        true
    }
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowView<'a> {
    area: Rect,
    costs: &'a [u16],
}

impl WindowView<'_> {
    /// Cost-to-go of a pose in ticks; [`UNKNOWN`] if the window does not know it.
    #[inline]
    pub(crate) fn cost(&self, pose: Pose, headings: u8) -> u32 {
        match index_in(self.area, pose, headings) {
            Some(at) if self.costs[at] != UNKNOWN_SHORT => u32::from(self.costs[at]),
            _ => UNKNOWN,
        }
    }
}
