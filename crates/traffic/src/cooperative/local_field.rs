//! Local cost-to-go: of every pose in a window around an agent, to where its path leaves the window.
//!
//! A path is a single string of poses. An agent that has to leave it because others are in its way must know the
//! cost-to-go of every pose nearby. The poses of the path within the window, each with what remains of the path from
//! there, are the sources of a Dijkstra search backward over the movement tables. So a goal that no other agent
//! shares costs a few thousand poses, not all poses of the map.

use crate::clone_fields::clone_fields;
use crate::cooperative::fixed::{FIELD_REACH, FIELD_REACH_BODIES, FIELD_REUSE_PARTS};
use crate::motion::{AgentId, AgentSlot};
use crate::speed::ticks_at_speed;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::model::State;
use wheelbase_planner::{MovementTables, Pose};

/// Cost-to-go of a pose that a field does not know.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The same in a field.
const UNKNOWN_SHORT: u16 = u16::MAX;

/// Buckets of the search, one for each cost in a ring. Moves that take longer are not made off the path.
const RING: usize = 4096;

/// Field number of an agent without a field.
pub(crate) const NO_FIELD: u32 = u32::MAX;

/// Index at the end of a list of entries.
const NO_ENTRY: u32 = u32::MAX;

/// What a field belongs to; another key needs another field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldKey {
    /// Its agent: the next agent in the slot needs another field.
    pub(crate) agent: AgentId,
    /// Number of the path among all paths of the agent.
    pub(crate) path: u32,
    /// Revision of the tables of its class.
    pub(crate) revision: u64,
}

/// The field of an agent.
#[derive(Debug)]
pub(crate) struct LocalField {
    pub(crate) slot: AgentSlot,
    pub(crate) used_at: u32,
    pub(crate) key: FieldKey,
    /// Cell of the agent when the field was made.
    pub(crate) center: CellXY,
    pub(crate) radius: u32,
    pub(crate) window: Rect,
    /// Costs in ticks, `[height * width * headings]` of the window.
    pub(crate) costs: Vec<u16>,
    /// Room made for costs so far. The capacity would not do: a clone has another.
    pub(crate) room: usize,
}

clone_fields!(LocalField { slot, used_at, key, center, radius, window, costs, room });

/// The fields of all agents that have recently needed one. Memory: 2 bytes per pose of each window, at most
/// [`LocalFields::BYTES_MAX`].
#[derive(Debug, Default)]
pub(crate) struct LocalFields {
    pub(crate) fields: Vec<LocalField>,
    /// Number of the field of each agent, by agent slot. The next agent in an agent slot reuses the memory of the last.
    pub(crate) of_agent: Vec<u32>,
    /// Bytes of all costs.
    pub(crate) bytes: usize,
    /// From this many bytes on, a new field takes the place of an old one.
    pub(crate) bytes_max: usize,
    /// By class.
    moves_to: Vec<MovesTo>,
    scratch: FieldScratch,
}

clone_fields!(LocalFields { fields, of_agent, bytes, bytes_max, moves_to } keep { scratch });

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

impl LocalFields {
    /// Most memory of all fields together, in bytes.
    pub(crate) const BYTES_MAX: usize = 256 << 20;

    /// No fields yet, for some classes.
    pub(crate) fn new<'a>(classes: impl Iterator<Item = &'a MovementTables>) -> Self {
        Self {
            fields: Vec::new(),
            of_agent: Vec::new(),
            bytes: 0,
            bytes_max: Self::BYTES_MAX,
            moves_to: classes.map(MovesTo::new).collect(),
            scratch: FieldScratch::default(),
        }
    }

    /// Makes room for agent slots below `n`.
    pub(crate) fn grow(&mut self, n: usize) {
        if self.of_agent.len() < n {
            self.of_agent.resize(n, NO_FIELD);
        }
    }

    /// The field of an agent, for this tick. It is made unless the agent has one of the same key whose centre is
    /// near. `guide_path` are the next poses of its path, the last with cost 0; those from the first outside the
    /// window on do not count. `radius` is half the side of the window in cells.
    ///
    /// A field obtained later may take the place of this one, so no caller keeps it.
    pub(crate) fn obtain(
        &mut self,
        slot: AgentSlot,
        key: FieldKey,
        move_costs: MoveCosts<'_>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> FieldView<'_> {
        let own = self.of_agent[slot.index()];
        let fits = |field: &LocalField| {
            let off = center.chebyshev_distance(field.center);
            field.key == key && FIELD_REUSE_PARTS * off <= field.radius
        };
        let number = match self.fields.get(own as usize) {
            Some(field) if fits(field) => own as usize,
            _ => self.make(slot, key, move_costs, (center, radius), guide_path),
        };
        let field = &mut self.fields[number];
        field.used_at = move_costs.tick;
        FieldView { window: field.window, costs: &field.costs }
    }

    /// Makes the field of an agent; gives its number.
    fn make(
        &mut self,
        slot: AgentSlot,
        key: FieldKey,
        move_costs: MoveCosts<'_>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> usize {
        let (space, tick) = (move_costs.tables.space(), move_costs.tick);
        let window = window_around(center, radius, space.size());
        let inside = |state: State| window.contains(space.pose(state).cell);
        let n_inside = guide_path.iter().position(|&(state, _)| !inside(state)).unwrap_or(guide_path.len());
        let number = self.number_for(slot, tick);
        let guide_path = &guide_path[..n_inside];
        let base = guide_path.last().map_or(0, |&(_, left)| left);
        let field = &mut self.fields[number];
        self.bytes -= field.room * 2;
        field.costs.clear();
        // Room for a window that no border cuts off, so that a later one allocates nothing.
        let room = room_of(radius, space.headings());
        field.costs.reserve_exact(room);
        field.room = field.room.max(room);
        let moves_to = &self.moves_to[move_costs.class];
        self.scratch.settle(moves_to, move_costs, window, (guide_path, base), &mut field.costs);
        let bytes = field.room * 2;
        (field.slot, field.used_at, field.key) = (slot, tick, key);
        (field.center, field.radius, field.window) = (center, radius, window);
        self.bytes += bytes;
        self.of_agent[slot.index()] = number as u32;
        number
    }

    /// The number of an agent's field. An agent without a field gets a new one or, when memory is full, the least
    /// recently used.
    fn number_for(&mut self, slot: AgentSlot, tick: u32) -> usize {
        let own = self.of_agent[slot.index()];
        if own != NO_FIELD {
            return own as usize;
        }
        if self.bytes >= self.bytes_max {
            let oldest = self.fields.iter().enumerate().min_by_key(|(_, field)| field.used_at);
            if let Some((number, field)) = oldest {
                self.of_agent[field.slot.index()] = NO_FIELD;
                return number;
            }
        }
        let key = FieldKey { agent: AgentId::NOBODY, path: 0, revision: 0 };
        let (center, window) = (CellXY::new(0, 0), Rect::new(0, 0, 0, 0));
        let costs = Vec::new();
        self.fields.push(LocalField { slot, used_at: tick, key, center, radius: 0, window, costs, room: 0 });
        self.fields.len() - 1
    }

    /// The last field of an agent, if it is still there.
    #[cfg(test)]
    pub(crate) fn kept(&self, slot: AgentSlot) -> Option<FieldView<'_>> {
        let field = self.fields.get(self.of_agent[slot.index()] as usize)?;
        Some(FieldView { window: field.window, costs: &field.costs })
    }

    /// Leaves memory for a single field.
    #[cfg(test)]
    pub(crate) fn shrink_to_one(&mut self) {
        self.bytes_max = 1;
    }

    /// Which fields there are, for the state hash.
    pub(crate) fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for field in &self.fields {
            word(u64::from(field.key.agent.0) << 32 | u64::from(field.used_at));
        }
    }
}

/// Scratch memory in which fields are made.
#[derive(Clone, Debug, Default)]
struct FieldScratch {
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
    /// Its index in [`FieldScratch::costs`].
    at: u32,
    next: u32,
}

impl FieldScratch {
    /// Appends the costs of the poses of a window to `found`: Dijkstra backward from the poses of the guide path,
    /// which lie in the window. Costs count from `base`.
    fn settle(
        &mut self,
        moves_to: &MovesTo,
        MoveCosts { tables, speed_factor, .. }: MoveCosts<'_>,
        window: Rect,
        (guide_path, base): (&[GuidePose], u32),
        found: &mut Vec<u16>,
    ) {
        let space = tables.space();
        let (reach, headings) = (moves_to.reach, usize::from(space.headings()));
        let (row, map_row) =
            ((window.width + 2 * reach) as usize * headings, space.size().width() as usize * headings);
        let inside = |y: usize| {
            let first = (reach as usize + y) * row + reach as usize * headings;
            first..first + window.width as usize * headings
        };
        self.begin(row * (window.height + 2 * reach) as usize);
        for y in 0..window.height as usize {
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
                let along = (x - window.x) as usize * headings + state.0 as usize % headings;
                let at = inside((y - window.y) as usize).start + along;
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
        (0..window.height as usize).for_each(|y| found.extend_from_slice(&self.costs[inside(y)]));
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

/// The window of a field around a cell.
pub(crate) fn window_around(center: CellXY, radius: u32, size: GridSize) -> Rect {
    let side = 2 * radius + 1;
    Rect::new(center.x - radius as i32, center.y - radius as i32, side, side).intersection(size.rect())
}

/// Costs of a window that no border cuts off.
pub(crate) fn room_of(radius: u32, headings: u8) -> usize {
    let side = 2 * radius as usize + 1;
    side * side * usize::from(headings)
}

/// Radius of the window around an agent, given the longest side of its body.
pub(crate) fn field_radius(longest: u32) -> u32 {
    FIELD_REACH + FIELD_REACH_BODIES * longest
}

/// Index of a pose in a window; `None` outside.
fn index_in(window: Rect, pose: Pose, headings: u8) -> Option<usize> {
    let (x, y) = ((pose.cell.x - window.x) as u32, (pose.cell.y - window.y) as u32);
    (x < window.width && y < window.height)
        .then(|| (y * window.width + x) as usize * usize::from(headings) + usize::from(pose.heading.0))
}

/// A field to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldView<'a> {
    window: Rect,
    costs: &'a [u16],
}

impl FieldView<'_> {
    /// Cost-to-go of a pose in ticks; [`UNKNOWN`] if the field does not know it.
    #[inline]
    pub(crate) fn cost(&self, pose: Pose, headings: u8) -> u32 {
        match index_in(self.window, pose, headings) {
            Some(at) if self.costs[at] != UNKNOWN_SHORT => u32::from(self.costs[at]),
            _ => UNKNOWN,
        }
    }
}
