//! Space-time reservations: which agent holds which cell from which tick to which.
//!
//! One linked list for each cell, in one array whose entries are used again. An agent has always reserved the cells
//! to finish its move in progress, to carry out its plan, and to rest after it forever. Under the swept rule no two
//! reservations of different agents on a cell overlap. Under the discrete rule a move reserves its end footprint from
//! its start on. Another agent may still hold it if it has begun to leave and is gone when the move ends. So all
//! plans can be carried out, whatever is planned later.

use crate::clone_fields::clone_fields;
use crate::collision::{CollisionRule, Transition};
use crate::motion::AgentSlot;
use crate::priority::PriorityKey;
use crate::saved::saved;
use crate::teams::Team;
use crate::ticks::NEVER;
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::model::Offset;

/// The end of a reservation that does not end.
pub(crate) const FOREVER: u32 = NEVER;

/// Index at the end of a list.
pub(crate) const NO_RESERVATION: u32 = u32::MAX;

/// A reservation of a cell from one tick up to, not including, another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reservation {
    /// Agent slot of the agent.
    pub(crate) agent: AgentSlot,
    pub(crate) from: u32,
    pub(crate) until: u32,
    /// Start of the move with which the agent leaves the cell; [`FOREVER`] if none is planned.
    pub(crate) leaves: u32,
    pub(crate) cell: u32,
    pub(crate) next_in_cell: u32,
    pub(crate) next_of_agent: u32,
}

saved!(Reservation { agent, cell, from, until, leaves } else {
    Self { agent: AgentSlot::NOBODY, cell: 0, from: 0, until: 0, leaves: 0, next_in_cell: NO_RESERVATION,
        next_of_agent: NO_RESERVATION }
});

impl Reservation {
    /// Whether it overlaps an interval of ticks.
    pub(crate) fn meets(&self, (from, until): (u32, u32)) -> bool {
        self.from < until && from < self.until
    }
}

/// Whose reservations count for an agent: all agents, or only agents that do not yield to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precedence<'a> {
    /// By agent slot; empty if no agent yields.
    pub(crate) yield_states: &'a [YieldState],
    /// Agents after this key yield, if their teams may.
    pub(crate) key: PriorityKey,
    /// Teams whose agents may yield, a bit each.
    pub(crate) teams: u32,
    /// Steps in which a yielding agent is assumed to clear a cell.
    pub(crate) steps: u32,
    /// The present tick.
    pub(crate) tick: u32,
}

/// Whether and how an agent yields at the present tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct YieldState {
    /// Its priority key; [`PriorityKey::FIRST`] if it yields to no agent.
    pub(crate) key: PriorityKey,
    /// Tick at which it last got a plan or was pushed. At that tick it yields no more.
    pub(crate) touched_at: u32,
    /// End of its move in progress; 0 at rest.
    pub(crate) moves_until: u32,
    /// Ticks of its fastest step.
    pub(crate) step_ticks: u16,
    /// Its team.
    pub(crate) team: Team,
}

// A search reads one for each reservation of a cell.
const _: () = assert!(size_of::<YieldState>() == 24);

saved!(YieldState { key, moves_until, step_ticks, team } else Self::NEW);

impl YieldState {
    /// Of a new agent.
    pub(crate) const NEW: Self =
        Self { key: PriorityKey::FIRST, touched_at: NEVER, moves_until: 0, step_ticks: 0, team: Team(0) };
}

impl Precedence<'_> {
    /// All reservations count.
    pub(crate) const STRICT: Self =
        Self { yield_states: &[], key: PriorityKey::LAST, teams: 0, steps: 0, tick: 0 };

    /// Whether an agent yields.
    #[inline]
    pub(crate) fn yields(&self, agent: AgentSlot) -> bool {
        self.yielding(agent).is_some()
    }

    /// The yield state of an agent that yields.
    #[inline]
    fn yielding(&self, agent: AgentSlot) -> Option<&YieldState> {
        let yields = |yield_state: &&YieldState| {
            yield_state.key > self.key
                && yield_state.touched_at != self.tick
                && yield_state.team.is_in(self.teams)
        };
        self.yield_states.get(agent.index()).filter(yields)
    }

    /// End of a reservation, and when its agent leaves the cell, as far as the reservation counts.
    #[inline]
    pub(crate) fn holds(&self, reservation: &Reservation) -> (u32, u32) {
        match self.yielding(reservation.agent) {
            Some(yield_state) => {
                let rests_at = yield_state.moves_until.max(self.tick);
                let cleared = rests_at.saturating_add(self.steps * u32::from(yield_state.step_ticks));
                (reservation.until.min(cleared), reservation.leaves.min(cleared))
            }
            None => (reservation.until, reservation.leaves),
        }
    }
}

/// All reservations. Memory: 4 bytes per cell, 28 per reservation, 4 per agent slot.
#[derive(Debug)]
pub(crate) struct Reservations {
    pub(crate) width: i32,
    pub(crate) rule: CollisionRule,
    /// First reservation of each cell.
    pub(crate) of_cell: Vec<u32>,
    /// First reservation of each agent, by agent slot.
    pub(crate) of_agent: Vec<u32>,
    pub(crate) reservations: Vec<Reservation>,
    /// First free entry. Free entries are linked like the entries of an agent.
    pub(crate) free: u32,
}

clone_fields!(Reservations { width, rule, of_cell, of_agent, reservations, free });

impl Reservations {
    pub(crate) fn new(size: GridSize, rule: CollisionRule) -> Self {
        Self {
            rule,
            width: size.width() as i32,
            of_cell: vec![NO_RESERVATION; size.n_cells()],
            of_agent: Vec::new(),
            reservations: Vec::new(),
            free: NO_RESERVATION,
        }
    }

    /// The rule of collision under which cells are reserved.
    pub(crate) fn rule(&self) -> CollisionRule {
        self.rule
    }

    /// Index of a cell of the map, given from an anchor.
    #[inline]
    pub(crate) fn index(&self, anchor: CellXY, offset: Offset) -> usize {
        ((anchor.y + offset.dy) * self.width + anchor.x + offset.dx) as usize
    }

    /// Makes room for agent slots below `n`.
    pub(crate) fn grow(&mut self, n: usize) {
        if self.of_agent.len() < n {
            self.of_agent.resize(n, NO_RESERVATION);
        }
    }

    /// The reservations of a cell.
    #[inline]
    pub(crate) fn on(&self, cell: usize) -> impl Iterator<Item = &Reservation> {
        let mut at = self.of_cell[cell];
        std::iter::from_fn(move || {
            let reservation = self.reservations.get(at as usize)?;
            at = reservation.next_in_cell;
            Some(reservation)
        })
    }

    /// Adds a reservation, or extends one of the same agent that ends where this one begins.
    pub(crate) fn add(&mut self, agent: AgentSlot, cell: usize, (from, until): (u32, u32), leaves: u32) {
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
                "{agent:?} and {:?} would both reserve a cell",
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
            next_of_agent: self.of_agent[agent.index()],
        };
        let number = self.free;
        let number = match self.reservations.get_mut(number as usize) {
            Some(entry) => {
                self.free = entry.next_of_agent;
                *entry = reservation;
                number
            }
            None => {
                self.reservations.push(reservation);
                self.reservations.len() as u32 - 1
            }
        };
        self.of_cell[cell] = number;
        self.of_agent[agent.index()] = number;
    }

    /// Reserves the footprint of an agent at rest.
    pub(crate) fn rest(&mut self, agent: AgentSlot, cells: (CellXY, &[Offset]), from: u32, until: u32) {
        self.add_all(agent, cells, (from, until), FOREVER);
    }

    /// Reserves what a move between these ticks needs; it may have begun before.
    pub(crate) fn move_on(&mut self, agent: AgentSlot, step: &Transition<'_>, (start, end): (u32, u32)) {
        match self.rule {
            CollisionRule::Swept => self.add_all(agent, step.swept(), (start, end), FOREVER),
            CollisionRule::Discrete => {
                self.add_all(agent, step.start(), (start, end), start);
                self.add_all(agent, step.end(), (start, end), FOREVER);
            }
        }
    }

    pub(crate) fn add_all(
        &mut self,
        agent: AgentSlot,
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

    /// Removes all reservations of an agent.
    pub(crate) fn remove(&mut self, agent: AgentSlot) {
        let mut at = std::mem::replace(&mut self.of_agent[agent.index()], NO_RESERVATION);
        while at != NO_RESERVATION {
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

    /// Removes all reservations.
    pub(crate) fn clear(&mut self) {
        self.of_cell.fill(NO_RESERVATION);
        self.of_agent.fill(NO_RESERVATION);
        self.reservations.clear();
        self.free = NO_RESERVATION;
    }

    /// Whether a move between these ticks conflicts with reservations of others: `None` if not, else a later tick to
    /// try. That is [`FOREVER`] if the other agent does not leave. Of the ticks after `latest` any will do.
    #[inline]
    pub(crate) fn look_again_at(
        &self,
        agent: AgentSlot,
        step: &Transition<'_>,
        (start, end, latest): (u32, u32, u32),
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
                                if until > latest {
                                    return again;
                                }
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
                            // When the other has begun to leave and the move does not end before it is gone.
                            let gone = until.saturating_sub(end - start);
                            let next = if until == FOREVER { FOREVER } else { gone.max(leaves.min(until)) };
                            again = again.max(Some(next.max(start + 1)));
                            if again > Some(latest) {
                                return again;
                            }
                        }
                    }
                }
            }
        }
        again
    }

    /// Whether a move between these ticks needs cells of agents that yield.
    #[inline]
    pub(crate) fn needs_yielding(
        &self,
        agent: AgentSlot,
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

    /// Adds to a list the agents that yield and have reserved one of the cells between two ticks, each once.
    pub(crate) fn list_yielding(
        &self,
        agent: AgentSlot,
        (anchor, cells): (CellXY, &[Offset]),
        ticks: (u32, u32),
        precedence: Precedence<'_>,
        blockers: &mut Vec<AgentSlot>,
    ) {
        for &offset in cells {
            for reservation in self.on(self.index(anchor, offset)) {
                let meets = reservation.agent != agent && reservation.meets(ticks);
                if meets && precedence.yields(reservation.agent) && !blockers.contains(&reservation.agent) {
                    blockers.push(reservation.agent);
                }
            }
        }
    }

    /// Whether no other agent has reserved any of the cells from a tick on.
    pub(crate) fn is_free(&self, agent: AgentSlot, (anchor, cells): (CellXY, &[Offset]), from: u32) -> bool {
        cells.iter().all(|&offset| {
            let mut reservations = self.on(self.index(anchor, offset));
            reservations.all(|reservation| reservation.agent == agent || reservation.until <= from)
        })
    }

    /// The first tick after `at` at which one of the cells, all free at `at`, is reserved by another agent;
    /// [`FOREVER`] if none is.
    pub(crate) fn free_until(
        &self,
        agent: AgentSlot,
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

    /// Another agent that has reserved one of the cells forever: the first in the order of the cells.
    pub(crate) fn resting_on(
        &self,
        agent: AgentSlot,
        (anchor, cells): (CellXY, &[Offset]),
    ) -> Option<AgentSlot> {
        cells.iter().find_map(|&offset| {
            let mut reservations = self.on(self.index(anchor, offset));
            reservations
                .find(|reservation| reservation.agent != agent && reservation.until == FOREVER)
                .map(|reservation| reservation.agent)
        })
    }
}
