//! Claims: which agent will hold which cell from which tick to which.
//!
//! A list for each cell, in one array of claims that are used again. An agent always claims what it needs to
//! finish the move that it has begun, to carry out the moves that it has planned, and to rest behind the last
//! of them for ever. Under the swept rule no two claims of different agents on a cell overlap. Under the
//! discrete rule a move claims the cells on which it ends from its beginning, and they may still be claimed
//! by one that has begun to leave them by then and is gone when it ends. So whatever becomes of later plans,
//! those that stand can be carried out.

use crate::collision::{CollisionRule, Transition};
use crate::priority::PriorityKey;
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::model::Offset;

/// The end of a claim that does not end.
pub const FOREVER: u32 = u32::MAX;

pub const NONE: u32 = u32::MAX;

/// An agent's claim on a cell from one tick up to, not including, another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Id of the agent.
    pub agent: u32,
    pub from: u32,
    pub until: u32,
    /// When the move begins with which the cell is given up; [`FOREVER`] if none is planned.
    pub leaves: u32,
    pub cell: u32,
    pub next_in_cell: u32,
    pub next_of_agent: u32,
}

impl Reservation {
    /// Whether it holds at some tick from one up to, not including, another.
    pub fn meets(&self, (from, until): (u32, u32)) -> bool {
        self.from < until && from < self.until
    }
}

/// How one stands towards the claims of others: all of them hold, or those of lower rank give way.
#[derive(Clone, Copy, Debug)]
pub struct Precedence<'a> {
    /// By id.
    pub yield_states: &'a [YieldState],
    /// Agents behind this place in the order of rank give way.
    pub key: PriorityKey,
    /// Steps in which one that gives way is thought to clear a cell.
    pub steps: u32,
    /// The present tick.
    pub tick: u32,
}

/// Where an agent stands when others plan through its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YieldState {
    /// Place in the order of rank; [`PriorityKey::FIRST`] if it gives way to nobody.
    pub key: PriorityKey,
    /// When it was last given a plan or sent another way: at that tick it gives way to nobody any more.
    pub touched_at: u32,
    /// When the move that it has begun ends, 0 if it rests, and ticks of a step.
    pub busy_until: u32,
    pub step_ticks: u32,
}

impl YieldState {
    /// That of an agent that was never looked at.
    pub const NEW: Self = Self { key: PriorityKey::FIRST, touched_at: NONE, busy_until: 0, step_ticks: 0 };
}

impl Precedence<'_> {
    /// All claims hold.
    pub const STRICT: Self = Self { yield_states: &[], key: PriorityKey::LAST, steps: 0, tick: 0 };

    /// Whether an agent gives way.
    #[inline]
    pub fn yields(&self, agent: u32) -> bool {
        self.displaceable(agent).is_some()
    }

    /// Where an agent stands that gives way.
    #[inline]
    pub fn displaceable(&self, agent: u32) -> Option<&YieldState> {
        let gives_way =
            |yield_state: &&YieldState| yield_state.key > self.key && yield_state.touched_at != self.tick;
        self.yield_states.get(agent as usize).filter(gives_way)
    }

    /// A claim as far as it holds: its end, and when the cell is begun to be left.
    #[inline]
    pub fn holds(&self, reservation: &Reservation) -> (u32, u32) {
        match self.displaceable(reservation.agent) {
            Some(yield_state) => {
                let rests_at = yield_state.busy_until.max(self.tick);
                let cleared = rests_at.saturating_add(self.steps * yield_state.step_ticks);
                (reservation.until.min(cleared), reservation.leaves.min(cleared))
            }
            None => (reservation.until, reservation.leaves),
        }
    }
}

/// All claims. Memory: 4 bytes a cell, 28 a claim, 4 an agent ever placed.
#[derive(Debug)]
pub struct Reservations {
    pub width: i32,
    pub rule: CollisionRule,
    /// First claim on each cell.
    pub of_cell: Vec<u32>,
    /// First claim of each agent, by id.
    pub of_agent: Vec<u32>,
    pub reservations: Vec<Reservation>,
    /// First of those that are free, linked as those of an agent are.
    pub free: u32,
}

impl Reservations {
    pub fn new(size: GridSize, rule: CollisionRule) -> Self {
        Self {
            rule,
            width: size.width() as i32,
            of_cell: vec![NONE; size.n_cells()],
            of_agent: Vec::new(),
            reservations: Vec::new(),
            free: NONE,
        }
    }

    /// The rule of collision that the claims keep.
    pub fn rule(&self) -> CollisionRule {
        self.rule
    }

    /// Index of a cell on the map, given from an anchor.
    #[inline]
    pub fn index(&self, anchor: CellXY, offset: Offset) -> usize {
        ((anchor.y + offset.dy) * self.width + anchor.x + offset.dx) as usize
    }

    /// Makes room for agents of ids below `n`.
    pub fn grow(&mut self, n: usize) {
        if self.of_agent.len() < n {
            self.of_agent.resize(n, NONE);
        }
    }

    /// The claims on a cell.
    #[inline]
    pub fn on(&self, cell: usize) -> impl Iterator<Item = &Reservation> {
        let mut at = self.of_cell[cell];
        std::iter::from_fn(move || {
            let reservation = self.reservations.get(at as usize)?;
            at = reservation.next_in_cell;
            Some(reservation)
        })
    }

    /// Adds a claim; one of the same agent that ends where this one begins is prolonged.
    pub fn add(&mut self, agent: u32, cell: usize, (from, until): (u32, u32), leaves: u32) {
        let mut at = self.of_cell[cell];
        while let Some(reservation) = self.reservations.get_mut(at as usize) {
            if reservation.agent == agent && reservation.from <= from && from <= reservation.until {
                reservation.until = reservation.until.max(until);
                reservation.leaves = leaves;
                return;
            }
            debug_assert!(
                reservation.agent == agent
                    || reservation.until <= from
                    || until <= reservation.from
                    || self.rule == CollisionRule::Discrete,
                "agents {agent} and {} would both claim a cell",
                reservation.agent
            );
            at = reservation.next_in_cell;
        }
        let reservation = Reservation {
            agent,
            from,
            until,
            leaves,
            cell: cell as u32,
            next_in_cell: self.of_cell[cell],
            next_of_agent: self.of_agent[agent as usize],
        };
        let number = self.free;
        let number = match self.reservations.get_mut(number as usize) {
            Some(key) => {
                self.free = key.next_of_agent;
                *key = reservation;
                number
            }
            None => {
                self.reservations.push(reservation);
                self.reservations.len() as u32 - 1
            }
        };
        self.of_cell[cell] = number;
        self.of_agent[agent as usize] = number;
    }

    /// Claims a footprint for an agent that rests there.
    pub fn rest(&mut self, agent: u32, cells: (CellXY, &[Offset]), from: u32, until: u32) {
        self.add_all(agent, cells, (from, until), FOREVER);
    }

    /// Claims what a move needs that begins and ends at these ticks; it may have begun before.
    pub fn move_on(&mut self, agent: u32, step: &Transition<'_>, (start, end): (u32, u32)) {
        match self.rule {
            CollisionRule::Swept => self.add_all(agent, step.swept(), (start, end), FOREVER),
            CollisionRule::Discrete => {
                self.add_all(agent, step.start(), (start, end), start);
                self.add_all(agent, step.end(), (start, end), FOREVER);
            }
        }
    }

    pub fn add_all(
        &mut self,
        agent: u32,
        (anchor, cells): (CellXY, &[Offset]),
        (from, until): (u32, u32),
        leaves: u32,
    ) {
        if from < until {
            for &offset in cells {
                self.add(agent, self.index(anchor, offset), (from, until), leaves);
            }
        }
    }

    /// Takes back all claims of an agent.
    pub fn remove(&mut self, agent: u32) {
        let mut at = std::mem::replace(&mut self.of_agent[agent as usize], NONE);
        while at != NONE {
            let Reservation { cell, next_in_cell, next_of_agent, .. } = self.reservations[at as usize];
            let first = self.of_cell[cell as usize];
            if first == at {
                self.of_cell[cell as usize] = next_in_cell;
            } else {
                let mut before = first;
                while self.reservations[before as usize].next_in_cell != at {
                    before = self.reservations[before as usize].next_in_cell;
                }
                self.reservations[before as usize].next_in_cell = next_in_cell;
            }
            self.reservations[at as usize].next_of_agent = self.free;
            self.free = at;
            at = next_of_agent;
        }
    }

    /// Takes back all claims.
    pub fn clear(&mut self) {
        self.of_cell.fill(NONE);
        self.of_agent.fill(NONE);
        self.reservations.clear();
        self.free = NONE;
    }

    /// A later tick at which to look again whether a move can begin, if one that begins and ends at these
    /// ticks would need what another agent claims; [`FOREVER`] if that one does not leave.
    #[inline]
    pub fn look_again_at(
        &self,
        agent: u32,
        step: &Transition<'_>,
        (start, end): (u32, u32),
        precedence: Precedence<'_>,
    ) -> Option<u32> {
        let mut again = None;
        match self.rule {
            CollisionRule::Swept => {
                let (anchor, cells) = step.swept();
                for &offset in cells {
                    for reservation in self.on(self.index(anchor, offset)) {
                        if reservation.agent != agent && reservation.meets((start, end)) {
                            let (until, _) = precedence.holds(reservation);
                            if start < until {
                                again = again.max(Some(until));
                            }
                        }
                    }
                }
            }
            CollisionRule::Discrete => {
                let (anchor, cells) = step.end();
                for &offset in cells {
                    for reservation in self.on(self.index(anchor, offset)) {
                        let (until, leaves) = precedence.holds(reservation);
                        let overlaps = reservation.agent != agent && reservation.from <= end && start < until;
                        if overlaps && (until > end || leaves > start) {
                            // When it has begun to leave and the move ends no sooner.
                            let gone = until.saturating_sub(end - start);
                            let next = if until == FOREVER { FOREVER } else { gone.max(leaves.min(until)) };
                            again = again.max(Some(next.max(start + 1)));
                        }
                    }
                }
            }
        }
        again
    }

    /// Whether a move between these ticks needs what others claim who give way.
    #[inline]
    pub fn lifts_any(
        &self,
        agent: u32,
        step: &Transition<'_>,
        ticks: (u32, u32),
        precedence: Precedence<'_>,
    ) -> bool {
        if precedence.yield_states.is_empty() {
            return false;
        }
        let (anchor, cells) = self.rule.needed(step);
        cells.iter().any(|&offset| {
            let mut reservations = self.on(self.index(anchor, offset));
            reservations.any(|reservation| {
                reservation.agent != agent && reservation.meets(ticks) && precedence.yields(reservation.agent)
            })
        })
    }

    /// Adds those to a list that claim one of the cells between two ticks and give way, each once.
    pub fn list_displaced(
        &self,
        agent: u32,
        (anchor, cells): (CellXY, &[Offset]),
        ticks: (u32, u32),
        precedence: Precedence<'_>,
        displaceable: &mut Vec<u32>,
    ) {
        for &offset in cells {
            for reservation in self.on(self.index(anchor, offset)) {
                let meets = reservation.agent != agent && reservation.meets(ticks);
                if meets && precedence.yields(reservation.agent) && !displaceable.contains(&reservation.agent)
                {
                    displaceable.push(reservation.agent);
                }
            }
        }
    }

    /// Whether nobody else claims any of the cells from a tick on.
    pub fn is_free(&self, agent: u32, (anchor, cells): (CellXY, &[Offset]), from: u32) -> bool {
        cells.iter().all(|&offset| {
            let mut reservations = self.on(self.index(anchor, offset));
            reservations.all(|reservation| reservation.agent == agent || reservation.until <= from)
        })
    }

    /// The first tick after `at` at which another agent claims one of the cells, which are free at `at`;
    /// [`FOREVER`] if none does.
    pub fn free_until(
        &self,
        agent: u32,
        (anchor, cells): (CellXY, &[Offset]),
        at: u32,
        precedence: Precedence<'_>,
    ) -> u32 {
        let mut until = FOREVER;
        for &offset in cells {
            for reservation in self.on(self.index(anchor, offset)) {
                if reservation.agent != agent && reservation.until > at {
                    let (holds_until, _) = precedence.holds(reservation);
                    if holds_until > at && holds_until > reservation.from {
                        until = until.min(reservation.from);
                    }
                }
            }
        }
        until
    }

    /// Another agent that claims one of the cells for ever: the first by order of the cells.
    pub fn resting_on(&self, agent: u32, (anchor, cells): (CellXY, &[Offset])) -> Option<u32> {
        cells.iter().find_map(|&offset| {
            let mut reservations = self.on(self.index(anchor, offset));
            reservations
                .find(|reservation| reservation.agent != agent && reservation.until == FOREVER)
                .map(|reservation| reservation.agent)
        })
    }
}
