//! Admission to corridors: which agents are in each, which wait to enter, and which direction has its turn.
//!
//! An agent enters a corridor only if it can pass, or follow, every agent in it. Directions take turns: a batch of
//! agents enters one way. Then, if an agent of higher priority waits at the other end, that end has its turn. Agents
//! ask for the corridors on their paths from afar. Where some come the other way, only the next few approach. The
//! others stay back, each as far as its position in the queue says, so that agents that come out find room.
//!
//! A corridor that many agents want to pass both ways is busy. Then directions take turns by number, whatever the
//! priorities, and no agent enters without admission, not even to yield.

use crate::clone_fields::clone_fields;
use crate::cooperative::corridor_map::{CorridorMap, NewCorridor};
use crate::cooperative::fixed::{
    CORRIDOR_BATCH, CORRIDOR_BATCH_BUSY, QUEUE_MOVES, QUEUE_MOVES_EACH, QUEUE_MOVES_MAX, REQUEST_TICKS,
    TURN_MOVES,
};
use crate::motion::{AgentId, AgentSlot};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::saved::saved;
use crate::teams::Team;
use std::collections::BTreeMap;
use wheelbase_grid::CellXY;

/// The count of agents that have entered a corridor in a turn stops here, so that it never overflows.
pub(crate) const ENTERED_MAX: usize = i32::MAX as usize;

/// Columns and rows by which an agent goes through a corridor, from entry to exit. (0, 0) if it does not go through.
pub(crate) type Direction = (i32, i32);

/// Where a corridor is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entrance {
    /// The last cell before the corridor on the path of an agent that enters there.
    pub(crate) cell: CellXY,
    /// Direction of the first move into the corridor.
    pub(crate) direction: Direction,
    /// Reach of the ground before it, in cells.
    pub(crate) reach: u32,
}

impl Entrance {
    /// Whether a cell lies on the ground before the entrance.
    pub(crate) fn has_before(&self, cell: CellXY) -> bool {
        let (x, y) = (self.cell.x - cell.x, self.cell.y - cell.y);
        x * self.direction.0 + y * self.direction.1 >= 0 && cell.chebyshev_distance(self.cell) < self.reach
    }
}

/// An agent that is in a corridor or wants to go through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entrant {
    pub(crate) agent: AgentId,
    /// Its agent slot. Requests outlive their agents: the slot of a request may belong to another agent by now.
    pub(crate) slot: AgentSlot,
    pub(crate) direction: Direction,
    /// Short side of its body in cells.
    pub(crate) width: u32,
    /// Its goal, if that lies in the corridor.
    pub(crate) stays: Option<CellXY>,
    /// Its team, and its friends, a bit each.
    pub(crate) team: Team,
    pub(crate) friends: u32,
}

saved!(Entrant { agent, slot, direction, width, stays, team, friends });

impl Entrant {
    /// Whether another entrant counts for it: agents that are not friends are mere obstacles where they are.
    fn reckons_with(&self, other: &Self) -> bool {
        other.team.is_in(self.friends)
    }

    /// Whether it can pass another in a corridor of some width. An agent that stays may stand in the middle.
    fn passes(&self, other: &Self, width: u32) -> bool {
        match (self.stays, other.stays) {
            (None, None) => self.width + other.width <= width,
            (Some(_), None) => other.width <= width.saturating_sub(self.width).div_ceil(2),
            (None, Some(_)) => self.width <= width.saturating_sub(other.width).div_ceil(2),
            (Some(_), Some(_)) => false,
        }
    }

    /// Whether it can follow another that has entered before.
    fn follows(&self, other: &Self) -> bool {
        let is_left_behind = other.stays.is_none() || self.stays.is_some() && self.stays != other.stays;
        agree(self.direction, other.direction) && is_left_behind
    }
}

/// A request of an agent to enter a corridor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdmissionRequest {
    pub(crate) entrant: Entrant,
    pub(crate) key: PriorityKey,
    /// Moves to the corridor.
    pub(crate) moves: u32,
    /// Tick of the last request.
    pub(crate) asked_at: u32,
    /// Whether it was refused.
    pub(crate) refused: bool,
    /// Tick of the first of the requests without a break.
    pub(crate) since: u32,
}

saved!(AdmissionRequest { entrant, key, moves, asked_at, refused, since });

/// The agents in a corridor and before it.
#[derive(Debug, Default)]
pub(crate) struct Corridor {
    pub(crate) width: u32,
    /// Agents in the corridor or admitted to it.
    pub(crate) inside: Vec<Entrant>,
    pub(crate) waiting: Vec<AdmissionRequest>,
    /// The direction that has its turn.
    pub(crate) direction: Direction,
    /// Agents that have entered in this turn.
    pub(crate) entered: usize,
    /// Teams, a bit each, with many friends that want to go through both ways at this tick.
    pub(crate) busy_for: u32,
}

clone_fields!(Corridor { width, inside, waiting, direction, entered, busy_for });

/// Admission to all corridors, by their numbers on the map.
#[derive(Debug)]
pub(crate) struct Admission {
    params: TrafficParams,
    /// Width of a corridor in which two of the narrowest bodies pass.
    passing_width: u32,
    pub(crate) corridors: Vec<Corridor>,
    /// Some corridor is busy for some team at this tick.
    pub(crate) any_busy: bool,
}

clone_fields!(Admission { params, passing_width, corridors, any_busy });

/// Whether two directions lead the same way.
pub(crate) fn agree(one: Direction, other: Direction) -> bool {
    one.0 * other.0 + one.1 * other.1 > 0
}

impl Admission {
    /// No corridors yet; two of the narrowest bodies pass each other where they have `passing_width` cells.
    pub(crate) fn new(params: TrafficParams, passing_width: u32) -> Self {
        Self { params, passing_width, corridors: Vec::new(), any_busy: false }
    }

    /// Applies the last changes of the corridors of a map. A corridor that was joined or cut has the agents of all
    /// corridors of before that have cells in it. Says whether anything has changed.
    pub(crate) fn update(&mut self, map: &CorridorMap) -> bool {
        let take = |&number: &u32| (number, std::mem::take(&mut self.corridors[number as usize]));
        let before: BTreeMap<u32, Corridor> = map.altered.iter().map(take).collect();
        self.corridors.resize_with(map.shapes.len(), Corridor::default);
        for NewCorridor { number, width, before: of } in &map.made {
            self.corridors[*number as usize] = Corridor::of(*width, of.iter().map(|number| &before[number]));
        }
        !map.altered.is_empty() || !map.made.is_empty()
    }

    /// Removes agents from the corridors that they are no longer in.
    pub(crate) fn keep_inside(&mut self, is_inside: impl Fn(u32, AgentSlot) -> bool) {
        for (number, corridor) in self.corridors.iter_mut().enumerate() {
            corridor.inside.retain(|entrant| is_inside(number as u32, entrant.slot));
        }
    }

    /// Whether an agent is in a corridor or admitted to it.
    pub(crate) fn is_inside(&self, corridor: u32, slot: AgentSlot) -> bool {
        self.corridors[corridor as usize].inside.iter().any(|entrant| entrant.slot == slot)
    }

    /// The next agent in a corridor that an entrant can neither pass nor follow, and its index. The scan starts at an
    /// index of the list.
    pub(crate) fn next_opposing(
        &self,
        corridor: u32,
        entrant: &Entrant,
        from: usize,
    ) -> Option<(AgentSlot, usize)> {
        let Corridor { width, inside, .. } = &self.corridors[corridor as usize];
        let keeps_out = |other: &Entrant| {
            other.agent != entrant.agent
                && entrant.reckons_with(other)
                && !entrant.passes(other, *width)
                && !entrant.follows(other)
        };
        let at = from + inside.iter().skip(from).position(keeps_out)?;
        Some((inside[at].slot, at))
    }

    /// Whether the agents at the other end of a corridor have their turn.
    pub(crate) fn is_turn_of_others(
        &self,
        corridor: u32,
        entrant: &Entrant,
        key: PriorityKey,
        tick: u32,
    ) -> bool {
        let Corridor { inside, direction, entered, .. } = &self.corridors[corridor as usize];
        let goes_on = agree(entrant.direction, *direction)
            && *entered < (CORRIDOR_BATCH as usize)
            && !inside.is_empty();
        let mut others = self.requests_against(corridor, *entrant, tick);
        if self.is_busy(corridor, entrant.team) && *direction != (0, 0) {
            let is_over = *entered >= (self.params.corridor_turn_busy as usize);
            let goes_with = agree(entrant.direction, *direction);
            return goes_with == is_over
                && others.any(|other| (other.refused || !goes_with) && other.moves <= TURN_MOVES);
        }
        !goes_on && others.any(|other| other.refused && other.key < key && other.moves <= TURN_MOVES)
    }

    /// Whether a batch of agents is nearer to a corridor than an entrant, or admitted the same way. Others must want to
    /// come the other way.
    pub(crate) fn is_crowded(&self, corridor: u32, entrant: &Entrant, moves: u32, tick: u32) -> bool {
        let goes_first = self.has_starved(corridor, entrant.agent);
        if goes_first || self.requests_against(corridor, *entrant, tick).next().is_none() {
            return false;
        }
        let inside = &self.corridors[corridor as usize].inside;
        let goes_with =
            |other: &&Entrant| agree(entrant.direction, other.direction) && entrant.reckons_with(other);
        let with = inside.iter().filter(goes_with).count();
        let batch = if self.is_busy(corridor, entrant.team) {
            CORRIDOR_BATCH_BUSY as usize
        } else {
            CORRIDOR_BATCH as usize
        };
        with + self.n_ahead(corridor, entrant, moves, tick) >= batch
    }

    /// Computes which corridors are busy at a tick.
    pub(crate) fn find_busy(&mut self, tick: u32) {
        self.any_busy = false;
        for Corridor { width, waiting, busy_for, .. } in &mut self.corridors {
            *busy_for = 0;
            let passes = *width >= self.passing_width;
            let busy =
                if passes { self.params.corridor_busy_wide } else { self.params.corridor_busy } as usize;
            if waiting.len() >= 2 * busy {
                *busy_for = teams_with_busy_friends(waiting, busy, tick.saturating_sub(REQUEST_TICKS));
            }
            self.any_busy |= *busy_for != 0;
        }
    }

    /// Whether many friends of a team want to go through a corridor both ways.
    pub(crate) fn is_busy(&self, corridor: u32, team: Team) -> bool {
        team.is_in(self.corridors[corridor as usize].busy_for)
    }

    /// Recent requests of friends for a corridor.
    fn requests_of_friends(
        &self,
        corridor: u32,
        entrant: Entrant,
        tick: u32,
    ) -> impl Iterator<Item = &AdmissionRequest> {
        self.corridors[corridor as usize].waiting.iter().filter(move |other| {
            other.entrant.agent != entrant.agent
                && entrant.reckons_with(&other.entrant)
                && tick - other.asked_at <= REQUEST_TICKS
        })
    }

    /// Recent requests of friends that an entrant would keep out.
    pub(crate) fn requests_against(
        &self,
        corridor: u32,
        entrant: Entrant,
        tick: u32,
    ) -> impl Iterator<Item = &AdmissionRequest> {
        let width = self.corridors[corridor as usize].width;
        self.requests_of_friends(corridor, entrant, tick)
            .filter(move |other| !other.entrant.passes(&entrant, width) && !other.entrant.follows(&entrant))
    }

    /// Number of agents that want to go through a corridor the same way and are nearer to it.
    pub(crate) fn n_ahead(&self, corridor: u32, entrant: &Entrant, moves: u32, tick: u32) -> usize {
        let is_ahead =
            |other: &&AdmissionRequest| (other.moves, other.entrant.agent) < (moves, entrant.agent);
        let goes_with = |other: &&AdmissionRequest| agree(entrant.direction, other.entrant.direction);
        self.requests_of_friends(corridor, *entrant, tick).filter(goes_with).filter(is_ahead).count()
    }

    /// Moves before a corridor at which an agent stops that is not admitted, by its position in the queue.
    pub(crate) fn queue_moves(&self, corridor: u32, entrant: &Entrant, moves: u32, tick: u32) -> u32 {
        let n_ahead = match self.has_starved(corridor, entrant.agent) {
            true => 0,
            false => self.n_ahead(corridor, entrant, moves, tick) as u32,
        };
        QUEUE_MOVES + (QUEUE_MOVES_EACH * n_ahead).min(QUEUE_MOVES_MAX)
    }

    /// Whether a request is so old that others let its agent in first. Where directions take turns, everyone has one.
    fn starves(&self, corridor: u32, request: &AdmissionRequest) -> bool {
        let passes = self.corridors[corridor as usize].width >= self.passing_width;
        passes && request.asked_at - request.since >= self.params.right_of_way_ticks
    }

    /// Whether an agent has waited too long before a corridor.
    fn has_starved(&self, corridor: u32, agent: AgentId) -> bool {
        let mut waiting = self.corridors[corridor as usize].waiting.iter();
        waiting.any(|of| of.entrant.agent == agent && self.starves(corridor, of))
    }

    /// The agent that all others let in first: of those near a busy corridor that have waited too long, the first by
    /// priority.
    pub(crate) fn right_of_way(
        &self,
        corridor: u32,
        entrant: &Entrant,
        tick: u32,
    ) -> Option<&AdmissionRequest> {
        if !self.is_busy(corridor, entrant.team) {
            return None;
        }
        let all = self.corridors[corridor as usize].waiting.iter();
        let near = all.filter(|of| {
            self.starves(corridor, of)
                && of.moves <= TURN_MOVES
                && tick - of.asked_at <= REQUEST_TICKS
                && entrant.reckons_with(&of.entrant)
        });
        near.min_by_key(|of| of.key)
    }

    /// Notes a request to enter a corridor that is some moves away, and whether it was refused.
    pub(crate) fn note_request(
        &mut self,
        corridor: u32,
        entrant: Entrant,
        (key, moves): (PriorityKey, u32),
        (asked_at, refused): (u32, bool),
    ) {
        let waiting = &mut self.corridors[corridor as usize].waiting;
        let before = waiting
            .iter()
            .find(|other| other.entrant.agent == entrant.agent && asked_at - other.asked_at <= REQUEST_TICKS);
        let since = before.map_or(asked_at, |before| before.since);
        waiting.retain(|other| {
            other.entrant.agent != entrant.agent && asked_at - other.asked_at <= REQUEST_TICKS
        });
        waiting.push(AdmissionRequest { entrant, key, moves, asked_at, refused, since });
    }

    /// An agent enters a corridor or is admitted to it, or its direction there has changed.
    pub(crate) fn enter(&mut self, corridor: u32, entrant: Entrant) {
        let Corridor { inside, waiting, direction, entered, .. } = &mut self.corridors[corridor as usize];
        if let Some(known) = inside.iter_mut().find(|other| other.agent == entrant.agent) {
            *known = entrant;
            return;
        }
        waiting.retain(|other| other.entrant.agent != entrant.agent);
        // An agent that does not go through begins no turn.
        if entrant.direction != (0, 0) {
            if !agree(*direction, entrant.direction) {
                (*direction, *entered) = (entrant.direction, 0);
            }
            *entered = (*entered + 1).min(ENTERED_MAX);
        }
        inside.push(entrant);
    }

    /// Sets the team and its friends of an agent in a corridor or admitted to it.
    pub(crate) fn set_team(&mut self, corridor: u32, slot: AgentSlot, (team, friends): (Team, u32)) {
        let inside = self.corridors[corridor as usize].inside.iter_mut();
        inside
            .filter(|entrant| entrant.slot == slot)
            .for_each(|entrant| (entrant.team, entrant.friends) = (team, friends));
    }

    /// An agent has left a corridor.
    pub(crate) fn leave(&mut self, corridor: u32, slot: AgentSlot) {
        self.corridors[corridor as usize].inside.retain(|entrant| entrant.slot != slot);
    }

    /// The state on which later ticks depend, for the state hash.
    pub(crate) fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        let pair = |(high, low): (i32, i32)| u64::from(high as u32) << 32 | u64::from(low as u32);
        let entrant_words = |entrant: &Entrant, word: &mut dyn FnMut(u64)| {
            word(
                u64::from(entrant.agent.0) << 32 | u64::from(entrant.team.0) << 24 | u64::from(entrant.width),
            );
            word(pair(entrant.direction));
            word(entrant.stays.map_or(u64::MAX, |cell| pair((cell.x, cell.y))));
        };
        for (number, corridor) in self.corridors.iter().enumerate() {
            // Most corridors were never entered nor asked for.
            if corridor.entered == 0 && corridor.waiting.is_empty() && corridor.inside.is_empty() {
                continue;
            }
            word((number as u64) << 32 | corridor.entered as u64);
            word(pair(corridor.direction));
            for entrant in &corridor.inside {
                entrant_words(entrant, word);
            }
            for request in &corridor.waiting {
                entrant_words(&request.entrant, word);
                word(request.key.word());
                let AdmissionRequest { moves, asked_at, refused, since, .. } = *request;
                word(u64::from(moves) << 33 | u64::from(asked_at) << 1 | u64::from(refused));
                word(since.into());
            }
        }
    }
}

/// Teams, a bit each, with at least `busy` friends from either end that have asked since a tick.
fn teams_with_busy_friends(waiting: &[AdmissionRequest], busy: usize, since: u32) -> u32 {
    // Friendship is mutual: a team's friends have it in their masks.
    let is_busy = |team: Team| {
        let mut friends = waiting.iter().filter(|other| team.is_in(other.entrant.friends)).peekable();
        let one_way = friends.peek().map_or((0, 0), |first| first.entrant.direction);
        let asked = friends.filter(|other| other.asked_at >= since);
        let with = asked.clone().filter(|other| agree(other.entrant.direction, one_way)).count();
        with >= busy && asked.count() >= with + busy
    };
    let with_friends = waiting.iter().fold(0, |teams, other| teams | other.entrant.friends);
    if waiting.iter().all(|other| other.entrant.friends == with_friends) {
        return waiting.first().map_or(0, |first| if is_busy(first.entrant.team) { with_friends } else { 0 });
    }
    let teams = (0..Team::COUNT as u8).map(Team).filter(|team| team.is_in(with_friends));
    teams.filter(|&team| is_busy(team)).fold(0, |teams, team| teams | 1 << team.0)
}

impl Corridor {
    /// A corridor that comes of others: with the agents of all, and the turn of the first.
    fn of<'a>(width: u32, mut before: impl Iterator<Item = &'a Self>) -> Self {
        let first = before.next();
        let (direction, entered) = first.map_or(((0, 0), 0), |first| (first.direction, first.entered));
        let mut corridor = Self { width, direction, entered, ..Self::default() };
        for other in first.into_iter().chain(before) {
            for &entrant in &other.inside {
                if corridor.inside.iter().all(|known| known.agent != entrant.agent) {
                    corridor.inside.push(entrant);
                }
            }
            for &request in &other.waiting {
                if corridor.waiting.iter().all(|known| known.entrant.agent != request.entrant.agent) {
                    corridor.waiting.push(request);
                }
            }
        }
        corridor
    }
}
