//! The cost-to-go around an agent: of every pose in a window, to where its path leaves the window.
//!
//! A path is one line of poses; an agent that has to leave it, for another is in its way, must know what every
//! pose nearby is worth. The poses of the path within the window, each with what remains of the path from
//! there, are the sources of a Dijkstra backward over the movement tables. A goal shared by nobody so costs a
//! few thousand poses instead of the map's.

use super::streams::Streams;
use crate::world::SimClass;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{Pose, State};

/// Cost of a pose of which a field says nothing.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Costs that are told apart in the making; a move that takes longer is not made off the path.
const RING: usize = 4096;
const NONE: u32 = u32::MAX;
const UNKNOWN_SHORT: u16 = u16::MAX;

/// What a field was made for; another path asks for another field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldKey {
    /// Number of the path among those that the agent has had.
    pub path: u32,
    /// Revision of the tables of its class.
    pub revision: u64,
}

/// The field of an agent.
#[derive(Debug)]
struct Field {
    agent: u32,
    used_at: u32,
    key: FieldKey,
    /// Where the agent stood.
    center: CellXY,
    radius: u32,
    window: Rect,
    /// Costs in ticks, `[height * width * headings]` of the window.
    costs: Vec<u16>,
}

/// Fields of the agents that have needed one lately. Memory: 2 bytes a pose of each window, at most
/// [`WindowFields::BYTES_MAX`].
#[derive(Debug, Default)]
pub(super) struct WindowFields {
    fields: Vec<Field>,
    /// Field of each agent, by id.
    of_agent: Vec<u32>,
    bytes: usize,
    costs: Vec<u32>,
    /// By cost modulo the ring: the first entry of that cost.
    buckets: Vec<u32>,
    /// Poses entered: state, cost, the next entry of that cost.
    entries: Vec<(u32, u32, u32)>,
}

/// What moves cost at a tick: those of a class, dearer against the streams.
#[derive(Clone, Copy)]
pub(super) struct Costs<'a> {
    pub class: &'a SimClass,
    /// Number of the class.
    pub number: usize,
    pub streams: &'a Streams,
    pub tick: u32,
}

/// A pose of a path: its state and what remains from there, in ticks.
pub(super) type LinePose = (State, u32);

impl WindowFields {
    /// Most memory that fields take together, in bytes.
    const BYTES_MAX: usize = 256 << 20;

    /// Makes room for agents of ids below `n`.
    pub fn grow(&mut self, n: usize) {
        if self.of_agent.len() < n {
            self.of_agent.resize(n, NONE);
        }
    }

    /// Whether an agent has a field that was made for that and from whose middle the cell is not far.
    pub fn has(&self, agent: u32, key: FieldKey, cell: CellXY) -> bool {
        self.fields.get(self.of_agent[agent as usize] as usize).is_some_and(|field| {
            let off = (cell.x - field.center.x).unsigned_abs().max((cell.y - field.center.y).unsigned_abs());
            field.key == key && 3 * off <= field.radius
        })
    }

    /// The field of an agent that has one.
    pub fn of(&self, agent: u32) -> FieldView<'_> {
        let field = &self.fields[self.of_agent[agent as usize] as usize];
        FieldView { window: field.window, costs: &field.costs }
    }

    /// The field of an agent is used at a tick.
    pub fn used(&mut self, agent: u32, tick: u32) {
        self.fields[self.of_agent[agent as usize] as usize].used_at = tick;
    }

    /// Makes the field of an agent. `line` are the poses of its path from where it stands, as far as they are
    /// to be looked at, the last with cost 0; those behind the first that lies outside the window do not
    /// count. `radius` is the half side of the window in cells.
    pub fn make(
        &mut self,
        agent: u32,
        key: FieldKey,
        ground: Costs<'_>,
        (center, radius): (CellXY, u32),
        line: &[LinePose],
    ) {
        let (space, tick) = (ground.class.tables.space(), ground.tick);
        let side = 2 * radius + 1;
        let window = Rect::new(center.x - radius as i32, center.y - radius as i32, side, side)
            .intersection(space.size().rect());
        let inside = |state: State| window.contains(space.pose(state).cell);
        let n_inside = line.iter().position(|&(state, _)| !inside(state)).unwrap_or(line.len());
        let slot = self.slot_for(agent, tick);
        let line = &line[..n_inside];
        let base = line.last().map_or(0, |&(_, left)| left);
        let n = window.width as usize * window.height as usize * usize::from(space.headings());
        self.settle(ground, window, n, (line, base));
        let field = &mut self.fields[slot];
        self.bytes -= field.costs.capacity() * 2;
        field.costs.clear();
        // Room for a window that no border cuts off, so that a later one needs no more.
        field.costs.reserve_exact(side as usize * side as usize * usize::from(space.headings()));
        let short = |&cost: &u32| cost.min(u32::from(UNKNOWN_SHORT)) as u16;
        field.costs.extend(self.costs[..n].iter().map(short));
        self.bytes += field.costs.capacity() * 2;
        (field.agent, field.used_at, field.key) = (agent, tick, key);
        (field.center, field.radius, field.window) = (center, radius, window);
        self.of_agent[agent as usize] = slot as u32;
    }

    /// The slot of an agent's field; if it has none, a new one or, when memory is full, that of the field used
    /// longest ago.
    fn slot_for(&mut self, agent: u32, tick: u32) -> usize {
        let own = self.of_agent[agent as usize];
        if own != NONE {
            return own as usize;
        }
        if self.bytes >= Self::BYTES_MAX {
            let oldest = self.fields.iter().enumerate().min_by_key(|(_, field)| field.used_at);
            if let Some((slot, field)) = oldest {
                self.of_agent[field.agent as usize] = NONE;
                return slot;
            }
        }
        let key = FieldKey { path: 0, revision: 0 };
        let (center, window) = (CellXY::new(0, 0), Rect::new(0, 0, 0, 0));
        self.fields.push(Field { agent, used_at: tick, key, center, radius: 0, window, costs: Vec::new() });
        self.fields.len() - 1
    }

    /// Dijkstra backward from the poses of the line, within the window. Costs count from `base` on.
    fn settle(
        &mut self,
        Costs { class, number, streams, tick }: Costs<'_>,
        window: Rect,
        n: usize,
        (line, base): (&[LinePose], u32),
    ) {
        let Self { costs, buckets, entries, .. } = self;
        let space = class.tables.space();
        let index = |pose: Pose| index_in(window, pose, space.headings());
        costs.clear();
        costs.resize(n, UNKNOWN);
        buckets.clear();
        buckets.resize(RING, NONE);
        entries.clear();
        entries.reserve(2 * n);
        let enter = |entries: &mut Vec<(u32, u32, u32)>, buckets: &mut [u32], state: State, cost: u32| {
            let first = &mut buckets[cost as usize % RING];
            entries.push((state.0, cost, *first));
            *first = entries.len() as u32 - 1;
        };
        let mut left = 0_usize;
        // The poses of the line are entered when their cost comes; the last is the cheapest.
        let mut entering = line.iter().rev().peekable();
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
                let Some(at) = index(space.pose(state)) else { continue };
                if cost < costs[at] {
                    costs[at] = cost;
                    enter(entries, buckets, state, cost);
                    left += 1;
                }
            }
            let mut entry = std::mem::replace(&mut buckets[now as usize % RING], NONE);
            while let Some(&(state, cost, next_entry)) = entries.get(entry as usize) {
                (entry, left) = (next_entry, left - 1);
                let at = index(space.pose(State(state)));
                if at.is_none_or(|at| costs[at] != cost) {
                    continue;
                }
                class.tables.for_each_predecessor(State(state), |before| {
                    let pose = space.pose(before.state);
                    let Some(at) = index(pose) else { return };
                    let move_at = (space.frame(pose), pose.cell);
                    let ticks = before.ticks;
                    let extra = streams.extra(number, move_at, usize::from(before.primitive), ticks, tick);
                    let longer = u64::from(ticks) + extra;
                    if longer >= RING as u64 {
                        return;
                    }
                    let next = cost + longer as u32;
                    if next < costs[at] {
                        costs[at] = next;
                        enter(entries, buckets, before.state, next);
                        left += 1;
                    }
                });
            }
            now += 1;
            if now >= u32::from(UNKNOWN_SHORT) {
                break;
            }
        }
    }

    /// Fields that there are, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for field in &self.fields {
            word(u64::from(field.agent) << 32 | u64::from(field.used_at));
        }
    }
}

/// Place of a pose in a window; `None` outside.
fn index_in(window: Rect, pose: Pose, headings: u8) -> Option<usize> {
    let (x, y) = ((pose.cell.x - window.x) as u32, (pose.cell.y - window.y) as u32);
    (x < window.width && y < window.height)
        .then(|| (y * window.width + x) as usize * usize::from(headings) + usize::from(pose.heading.0))
}

/// A field to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldView<'a> {
    window: Rect,
    costs: &'a [u16],
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

#[cfg(test)]
mod tests;
