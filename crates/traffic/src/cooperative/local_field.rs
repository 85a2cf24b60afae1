//! The cost-to-go around an agent: of every pose in a window, to where its path leaves the window.
//!
//! A path is one line of poses; an agent that has to leave it, for another is in its way, must know what
//! every pose nearby is worth. The poses of the path within the window, each with what remains of the path
//! from there, are the sources of a Dijkstra backward over the movement tables. A goal shared by nobody so
//! costs a few thousand poses instead of the map's.

use super::contraflow::Contraflow;
use crate::flow::DirectionalFlow;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;
use wheelbase_planner::{MovementTables, Pose};

/// Cost of a pose of which a field says nothing.
pub const UNKNOWN: u32 = u32::MAX;

/// Costs that are told apart in the making; a move that takes longer is not made off the path.
pub const RING: usize = 4096;
pub const NONE: u32 = u32::MAX;
pub const UNKNOWN_SHORT: u16 = u16::MAX;

/// What a field was made for; another path asks for another field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldKey {
    /// Number of the path among those that the agent has had.
    pub path: u32,
    /// Revision of the tables of its class.
    pub revision: u64,
}

/// The field of an agent.
#[derive(Debug)]
pub struct LocalField {
    pub agent: u32,
    pub used_at: u32,
    pub key: FieldKey,
    /// Where the agent stood.
    pub center: CellXY,
    pub radius: u32,
    pub window: Rect,
    /// Costs in ticks, `[height * width * headings]` of the window.
    pub costs: Vec<u16>,
}

/// Fields of the agents that have needed one lately. Memory: 2 bytes a pose of each window, at most
/// [`LocalFields::BYTES_MAX`].
#[derive(Debug, Default)]
pub struct LocalFields {
    pub fields: Vec<LocalField>,
    /// Field of each agent, by id.
    pub of_agent: Vec<u32>,
    /// Bytes that they take, and from which on one gives up its place to another.
    pub bytes: usize,
    pub bytes_max: usize,
    /// By class.
    pub moves_to: Vec<MovesTo>,
    pub sweep: Sweep,
}

/// The moves of a class by the poses to which they lead.
#[derive(Debug)]
pub struct MovesTo {
    /// Columns or rows that one leads over at most.
    pub reach: u32,
    /// By frame after the move.
    pub of_frame: Vec<Vec<MoveTo>>,
}

/// A move, told from where it leads to.
#[derive(Clone, Copy, Debug)]
pub struct MoveTo {
    pub primitive: u8,
    /// Rows that it leads down, and the difference of the indices of the states within a row.
    pub rows: i32,
    pub along: i32,
}

impl MovesTo {
    pub fn new(tables: &MovementTables) -> Self {
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

/// What moves cost at a tick: those of a class, dearer against the streams.
#[derive(Clone, Copy)]
pub struct Costs<'a> {
    pub tables: &'a MovementTables,
    /// Number of the class.
    pub number: usize,
    pub contraflow: &'a Contraflow,
    pub flow: &'a DirectionalFlow,
    pub tick: u32,
}

/// A pose of a path: its state and what remains from there, in ticks.
pub type GuidePose = (State, u32);

impl LocalFields {
    /// Most memory that fields take together, in bytes.
    pub const BYTES_MAX: usize = 256 << 20;

    /// No fields yet, of agents of some classes.
    pub fn new<'a>(classes: impl Iterator<Item = &'a MovementTables>) -> Self {
        Self {
            fields: Vec::new(),
            of_agent: Vec::new(),
            bytes: 0,
            bytes_max: Self::BYTES_MAX,
            moves_to: classes.map(MovesTo::new).collect(),
            sweep: Sweep::default(),
        }
    }

    /// Makes room for agents of ids below `n`.
    pub fn grow(&mut self, n: usize) {
        if self.of_agent.len() < n {
            self.of_agent.resize(n, NONE);
        }
    }

    /// The field of an agent, for this tick. It is made unless there is one that was made for the same and from
    /// whose middle the center is not far. `guide_path` are the poses of its path from where it stands, as far as
    /// they are to be looked at, the last with cost 0; those behind the first that lies outside the window do
    /// not count. `radius` is the half side of the window in cells.
    ///
    /// A field that is obtained later may take the place of this one, so nobody keeps one for later.
    pub fn obtain(
        &mut self,
        agent: u32,
        key: FieldKey,
        ground: Costs<'_>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> FieldView<'_> {
        let own = self.of_agent[agent as usize];
        let fits = |field: &LocalField| {
            field.key == key && 3 * center.chebyshev_distance(field.center) <= field.radius
        };
        let slot = match self.fields.get(own as usize) {
            Some(field) if fits(field) => own as usize,
            _ => self.make(agent, key, ground, (center, radius), guide_path),
        };
        let field = &mut self.fields[slot];
        field.used_at = ground.tick;
        FieldView { window: field.window, costs: &field.costs }
    }

    /// Makes the field of an agent; gives its slot.
    pub fn make(
        &mut self,
        agent: u32,
        key: FieldKey,
        ground: Costs<'_>,
        (center, radius): (CellXY, u32),
        guide_path: &[GuidePose],
    ) -> usize {
        let (space, tick) = (ground.tables.space(), ground.tick);
        let side = 2 * radius + 1;
        let window = Rect::new(center.x - radius as i32, center.y - radius as i32, side, side)
            .intersection(space.size().rect());
        let inside = |state: State| window.contains(space.pose(state).cell);
        let n_inside = guide_path.iter().position(|&(state, _)| !inside(state)).unwrap_or(guide_path.len());
        let slot = self.slot_for(agent, tick);
        let guide_path = &guide_path[..n_inside];
        let base = guide_path.last().map_or(0, |&(_, left)| left);
        let field = &mut self.fields[slot];
        self.bytes -= field.costs.capacity() * 2;
        field.costs.clear();
        // Room for a window that no border cuts off, so that a later one needs no more.
        field.costs.reserve_exact(side as usize * side as usize * usize::from(space.headings()));
        self.sweep.settle(
            &self.moves_to[ground.number],
            ground,
            window,
            (guide_path, base),
            &mut field.costs,
        );
        self.bytes += field.costs.capacity() * 2;
        (field.agent, field.used_at, field.key) = (agent, tick, key);
        (field.center, field.radius, field.window) = (center, radius, window);
        self.of_agent[agent as usize] = slot as u32;
        slot
    }

    /// The slot of an agent's field; if it has none, a new one or, when memory is full, that of the field
    /// used longest ago.
    pub fn slot_for(&mut self, agent: u32, tick: u32) -> usize {
        let own = self.of_agent[agent as usize];
        if own != NONE {
            return own as usize;
        }
        if self.bytes >= self.bytes_max {
            let oldest = self.fields.iter().enumerate().min_by_key(|(_, field)| field.used_at);
            if let Some((slot, field)) = oldest {
                self.of_agent[field.agent as usize] = NONE;
                return slot;
            }
        }
        let key = FieldKey { path: 0, revision: 0 };
        let (center, window) = (CellXY::new(0, 0), Rect::new(0, 0, 0, 0));
        self.fields.push(LocalField {
            agent,
            used_at: tick,
            key,
            center,
            radius: 0,
            window,
            costs: Vec::new(),
        });
        self.fields.len() - 1
    }

    /// The field that an agent has had last, if it is still there.
    pub fn kept(&self, agent: u32) -> Option<FieldView<'_>> {
        let field = self.fields.get(self.of_agent[agent as usize] as usize)?;
        Some(FieldView { window: field.window, costs: &field.costs })
    }

    /// Has room for one field alone.
    pub fn shrink_to_one(&mut self) {
        self.bytes_max = 1;
    }

    /// Fields that there are, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for field in &self.fields {
            word(u64::from(field.agent) << 32 | u64::from(field.used_at));
        }
    }
}

/// Scratch memory of the making of fields.
#[derive(Debug, Default)]
pub struct Sweep {
    /// Costs of the poses of the window, and around it of as many cells as a move leads over. There they are
    /// 0, so that no way to them is ever the cheaper one.
    pub costs: Vec<u16>,
    /// By cost modulo the ring: the first entry of that cost.
    pub buckets: Vec<u32>,
    pub entries: Vec<Entry>,
}

/// A pose entered in the list of those of its cost.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub state: State,
    /// Its place in [`Sweep::costs`].
    pub at: u32,
    /// The next entry of that cost.
    pub next: u32,
}

impl Sweep {
    /// Adds the costs of the poses of a window to those found: Dijkstra backward from the poses of the line,
    /// which lie in the window. Costs count from `base` on.
    pub fn settle(
        &mut self,
        moves_to: &MovesTo,
        Costs { tables, number, contraflow, flow, .. }: Costs<'_>,
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
        let mut left = 0_usize;
        // The poses of the line are entered when their cost comes; the last is the cheapest.
        let mut entering = guide_path.iter().rev().peekable();
        let mut now = 0_u32;
        while left > 0 || entering.peek().is_some() {
            while let Some(&&(state, cost)) = entering.peek() {
                let cost = cost - base;
                // Farther than the ring reaches: wait, unless nothing else is left.
                if left > 0 && cost > now {
                    break;
                }
                now = now.max(cost);
                entering.next();
                let CellXY { x, y } = space.pose(state).cell;
                let along = (x - window.x) as usize * headings + state.0 as usize % headings;
                let at = inside((y - window.y) as usize).start + along;
                left += usize::from(self.enter(state, at, cost));
            }
            let bucket = &mut self.buckets[now as usize % RING];
            let mut entry = std::mem::replace(bucket, NONE);
            while let Some(&Entry { state, at, next }) = self.entries.get(entry as usize) {
                (entry, left) = (next, left - 1);
                if u32::from(self.costs[at as usize]) != now {
                    continue;
                }
                for &MoveTo { primitive, rows, along } in
                    &moves_to.of_frame[usize::from(space.frame_of(state).0)]
                {
                    let at = at.wrapping_add_signed(-(rows * row as i32 + along)) as usize;
                    let known = u32::from(self.costs[at]);
                    // Most poses are known well enough before anything is looked up.
                    if known <= now + 1 {
                        continue;
                    }
                    let before = State(state.0.wrapping_add_signed(-(rows * map_row as i32 + along)));
                    let primitive = usize::from(primitive);
                    let Some(ticks) = tables.move_ticks(before, primitive) else { continue };
                    // A move may take nearly 2^32 ticks.
                    if known - now <= ticks {
                        continue;
                    }
                    let longer = u64::from(ticks) + contraflow.extra(flow, number, before, primitive, ticks);
                    if longer < RING as u64 {
                        left += usize::from(self.enter(before, at, now + longer as u32));
                    }
                }
            }
            // What remains of the path from a pose of the line may be nearly 2^32 ticks.
            now = now.saturating_add(1);
            if now >= u32::from(UNKNOWN_SHORT) {
                break;
            }
        }
        (0..window.height as usize).for_each(|y| found.extend_from_slice(&self.costs[inside(y)]));
    }

    /// Forgets all poses, and has so many of cost 0.
    pub fn begin(&mut self, n: usize) {
        self.costs.clear();
        self.costs.resize(n, 0);
        self.buckets.clear();
        self.buckets.resize(RING, NONE);
        self.entries.clear();
        self.entries.reserve(2 * n);
    }

    /// Enters a pose if it is cheaper than it was; says whether it is.
    #[inline]
    pub fn enter(&mut self, state: State, at: usize, cost: u32) -> bool {
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

/// Place of a pose in a window; `None` outside.
pub fn index_in(window: Rect, pose: Pose, headings: u8) -> Option<usize> {
    let (x, y) = ((pose.cell.x - window.x) as u32, (pose.cell.y - window.y) as u32);
    (x < window.width && y < window.height)
        .then(|| (y * window.width + x) as usize * usize::from(headings) + usize::from(pose.heading.0))
}

/// A field to be read.
#[derive(Clone, Copy, Debug)]
pub struct FieldView<'a> {
    pub window: Rect,
    pub costs: &'a [u16],
}

impl FieldView<'_> {
    /// Cost-to-go of a pose in ticks, [`UNKNOWN`] where the field says nothing.
    #[inline]
    pub fn cost(&self, pose: Pose, headings: u8) -> u32 {
        match index_in(self.window, pose, headings) {
            Some(at) if self.costs[at] != UNKNOWN_SHORT => u32::from(self.costs[at]),
            _ => UNKNOWN,
        }
    }
}
