//! Admission to narrow passages: who is in each, who waits to enter it, and whose turn it is.
//!
//! Whoever is in a passage leaves it before anyone enters who could not pass him. The directions take turns: a
//! batch of agents enters one way, then, if one of higher rank waits at the other end, it is the other's turn.
//! All whose paths lead through are known from afar: where some want to come the other way, only the next few
//! come near, and the others stay back, each as far as its place in the line says, so that there is room for
//! those who come out.
//!
//! Where many want to come through both ways a passage is busy: then the directions take turns by number
//! whatever the rank, nobody without the right to enter comes in, not even to step aside, and the ground
//! before its mouths is kept free of those who have nothing to do there.

use crate::cooperative::corridor_map::{CorridorMap, Made};
use crate::free_cells::grown;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use std::collections::BTreeMap;
use wheelbase_grid::{CellXY, GridSize, Rect};

/// Where a passage is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// The last cell before it on the path of one that enters there.
    pub cell: CellXY,
    /// The way in from there, in cells.
    pub direction: Direction,
    /// The ground before it reaches so far, in cells.
    pub reach: u32,
}

impl Entrance {
    /// Whether a cell lies on the ground before it.
    pub fn has_before(&self, cell: CellXY) -> bool {
        let (x, y) = (self.cell.x - cell.x, self.cell.y - cell.y);
        x * self.direction.0 + y * self.direction.1 >= 0 && cell.chebyshev_distance(self.cell) < self.reach
    }

    /// The square that the ground before it lies in.
    pub fn bounds(&self, size: GridSize) -> Rect {
        grown(Rect::new(self.cell.x, self.cell.y, 1, 1), self.reach.saturating_sub(1), size)
    }
}

/// Where an agent goes in a passage: from where it enters to where it leaves, in cells; nowhere if it has
/// nothing to do.
pub type Direction = (i32, i32);

/// One that wants to go through a passage, or is in it.
#[derive(Clone, Copy, Debug)]
pub struct Entrant {
    pub agent: u32,
    pub direction: Direction,
    /// Short side of its body in cells.
    pub width: u32,
    /// Where it stays, if its goal lies in the passage.
    pub stays: Option<CellXY>,
}

/// One whose path leads through a passage.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionRequest {
    pub entrant: Entrant,
    /// In the order of rank.
    pub key: PriorityKey,
    /// Moves to the passage.
    pub moves: u32,
    /// Tick at which it asked last, and whether it was kept from entering.
    pub asked: u32,
    pub kept: bool,
}

/// Who is in a passage, by its number on the map, and who waits to enter.
#[derive(Clone, Debug, Default)]
pub struct Corridor {
    pub width: u32,
    pub inside: Vec<Entrant>,
    pub waiting: Vec<AdmissionRequest>,
    pub direction: Direction,
    /// Agents that have entered that way since the other had its turn.
    pub entered: usize,
    /// Many want to go through either way, as of this tick.
    pub is_busy: bool,
    /// Where agents have asked of late to enter it while it was busy, and when they asked last.
    pub entrances: [Option<(Entrance, u32)>; 2],
}

/// Who may enter which passage.
#[derive(Debug)]
pub struct Admission {
    pub params: TrafficParams,
    pub corridors: Vec<Corridor>,
    /// Some passage is busy at this tick.
    pub any_busy: bool,
}

/// Whether two ways lead the same way.
pub fn agree(one: Direction, other: Direction) -> bool {
    one.0 * other.0 + one.1 * other.1 > 0
}

impl Admission {
    /// To no passages yet.
    pub fn new(params: TrafficParams) -> Self {
        Self { params, corridors: Vec::new(), any_busy: false }
    }

    /// Follows what the last edits have made of the passages of a map: what has become of several, or a part of one,
    /// has all that were in them or waited. Says whether there are others than before.
    pub fn follow(&mut self, map: &CorridorMap) -> bool {
        let take = |&number: &u32| (number, std::mem::take(&mut self.corridors[number as usize]));
        let before: BTreeMap<u32, Corridor> = map.altered.iter().map(take).collect();
        self.corridors.resize_with(map.shapes.len(), Corridor::default);
        for Made { number, width, before: of } in &map.made {
            self.corridors[*number as usize] = Corridor::of(*width, of.iter().map(|number| &before[number]));
        }
        !map.altered.is_empty() || !map.made.is_empty()
    }

    /// Has those leave that are in a passage no more.
    pub fn keep_inside(&mut self, is_inside: impl Fn(u32, u32) -> bool) {
        for (number, corridor) in self.corridors.iter_mut().enumerate() {
            corridor.inside.retain(|entrant| is_inside(number as u32, entrant.agent));
        }
    }

    /// Whether an agent is in a passage, or has the right to enter it.
    pub fn is_inside(&self, corridor: u32, agent: u32) -> bool {
        self.corridors[corridor as usize].inside.iter().any(|entrant| entrant.agent == agent)
    }

    /// The next agent in a passage, or with the right to enter it, at a place in its list or behind, that
    /// another cannot pass and does not follow; and its place.
    pub fn next_opposed(&self, corridor: u32, entrant: &Entrant, from: usize) -> Option<(u32, usize)> {
        let Corridor { width, inside, .. } = &self.corridors[corridor as usize];
        let opposed = |other: &Entrant| {
            let both_go = entrant.stays.is_none() && other.stays.is_none();
            let both_stay = entrant.stays.is_some() && other.stays.is_some() && entrant.stays != other.stays;
            let passes = both_go && entrant.width + other.width <= *width;
            let follows = agree(entrant.direction, other.direction) && (both_go || both_stay);
            other.agent != entrant.agent && !passes && !follows
        };
        let at = from + inside.iter().skip(from).position(opposed)?;
        Some((inside[at].agent, at))
    }

    /// Whether it is the turn of those that wait at the other end of a passage.
    pub fn is_turn_of_other(&self, corridor: u32, entrant: &Entrant, key: PriorityKey, tick: u32) -> bool {
        let Corridor { inside, direction, entered, .. } = &self.corridors[corridor as usize];
        let goes_on = agree(entrant.direction, *direction)
            && *entered < (self.params.corridor_batch as usize)
            && !inside.is_empty();
        let mut others = self.requests_to(corridor, entrant, tick, false);
        if self.is_busy(corridor) && *direction != (0, 0) {
            let is_over = *entered >= (self.params.corridor_turn_busy as usize);
            let goes_with = agree(entrant.direction, *direction);
            return goes_with == is_over
                && others.any(|other| (other.kept || !goes_with) && other.moves <= self.params.near_moves);
        }
        !goes_on && others.any(|other| other.kept && other.key < key && other.moves <= self.params.near_moves)
    }

    /// Whether enough are nearer to a passage than an agent, or have the right to enter it the same way,
    /// while others want to come the other way.
    pub fn is_crowded(&self, corridor: u32, entrant: &Entrant, moves: u32, tick: u32) -> bool {
        if self.requests_to(corridor, entrant, tick, false).next().is_none() {
            return false;
        }
        let inside = &self.corridors[corridor as usize].inside;
        let with = inside.iter().filter(|other| agree(entrant.direction, other.direction)).count();
        let batch = if self.is_busy(corridor) {
            self.params.corridor_batch_busy as usize
        } else {
            self.params.corridor_batch as usize
        };
        with + self.n_before(corridor, entrant, moves, tick) >= batch
    }

    /// Finds which passages are busy at a tick.
    pub fn find_busy(&mut self, tick: u32) {
        self.any_busy = false;
        for Corridor { waiting, is_busy, .. } in &mut self.corridors {
            *is_busy = false;
            if waiting.len() >= 2 * (self.params.corridor_busy as usize) {
                let one_way = waiting[0].entrant.direction;
                let asked = waiting.iter().filter(|other| tick - other.asked <= self.params.asked_ticks);
                let with = asked.clone().filter(|other| agree(other.entrant.direction, one_way)).count();
                *is_busy = with >= (self.params.corridor_busy as usize)
                    && asked.count() >= with + (self.params.corridor_busy as usize);
            }
            self.any_busy |= *is_busy;
        }
    }

    /// Whether many want to go through a passage either way.
    pub fn is_busy(&self, corridor: u32) -> bool {
        self.corridors[corridor as usize].is_busy
    }

    /// Notes where one that has asked comes to a busy passage.
    pub fn note_entrance(&mut self, corridor: u32, entrance: Entrance, tick: u32) {
        let entrances = &mut self.corridors[corridor as usize].entrances;
        let known = entrances.iter().position(|known| known.is_some_and(|known| known.0 == entrance));
        let oldest = usize::from(entrances[1].map(|known| known.1) < entrances[0].map(|known| known.1));
        entrances[known.unwrap_or(oldest)] = Some((entrance, tick));
    }

    /// The first mouth at a place in the list of all, or behind, that is to be kept clear; and its place.
    pub fn next_entrance(&self, from: usize, tick: u32) -> Option<(Entrance, usize)> {
        if !self.any_busy {
            return None;
        }
        (from..2 * self.corridors.len()).find_map(|at| {
            let corridor = &self.corridors[at / 2];
            let (entrance, asked) = corridor.entrances[at % 2].filter(|_| corridor.is_busy)?;
            (tick - asked <= self.params.entrance_ticks).then_some((entrance, at))
        })
    }

    /// Others that have asked of late to enter a passage: the same way, or the other way if they cannot be
    /// passed.
    pub fn requests_to(
        &self,
        corridor: u32,
        entrant: &Entrant,
        tick: u32,
        same_way: bool,
    ) -> impl Iterator<Item = &AdmissionRequest> {
        let Corridor { width, waiting, .. } = &self.corridors[corridor as usize];
        let entrant = *entrant;
        waiting.iter().filter(move |other| {
            other.entrant.agent != entrant.agent
                && tick - other.asked <= self.params.asked_ticks
                && agree(entrant.direction, other.entrant.direction) == same_way
                && (same_way || entrant.width + other.entrant.width > *width)
        })
    }

    /// Agents that want to go the same way through a passage and are nearer to it.
    pub fn n_before(&self, corridor: u32, entrant: &Entrant, moves: u32, tick: u32) -> usize {
        let before = |other: &&AdmissionRequest| (other.moves, other.entrant.agent) < (moves, entrant.agent);
        self.requests_to(corridor, entrant, tick, true).filter(before).count()
    }

    /// Moves before a passage at which one that is kept from it stops: the more, the more are nearer to it
    /// that want to go the same way.
    pub fn queue_moves(&self, corridor: u32, entrant: &Entrant, moves: u32, tick: u32) -> u32 {
        let before = self.n_before(corridor, entrant, moves, tick) as u32;
        self.params.queue_moves + (self.params.queue_moves_each * before).min(self.params.queue_moves_max)
    }

    /// Notes that an agent of a place in the order of rank and so many moves away has asked to enter a
    /// passage, and whether it is kept from it.
    pub fn note_asked(
        &mut self,
        corridor: u32,
        entrant: Entrant,
        (key, moves): (PriorityKey, u32),
        (asked, kept): (u32, bool),
    ) {
        let waiting = &mut self.corridors[corridor as usize].waiting;
        waiting.retain(|other| {
            other.entrant.agent != entrant.agent && asked - other.asked <= self.params.asked_ticks
        });
        waiting.push(AdmissionRequest { entrant, key, moves, asked, kept });
    }

    /// An agent comes to be in a passage, or is known to go another way in it.
    pub fn enter(&mut self, corridor: u32, entrant: Entrant) {
        let Corridor { inside, waiting, direction, entered, .. } = &mut self.corridors[corridor as usize];
        if let Some(known) = inside.iter_mut().find(|other| other.agent == entrant.agent) {
            *known = entrant;
            return;
        }
        waiting.retain(|other| other.entrant.agent != entrant.agent);
        // One that has nothing to do there begins no turn.
        if entrant.direction != (0, 0) {
            if !agree(*direction, entrant.direction) {
                (*direction, *entered) = (entrant.direction, 0);
            }
            *entered += 1;
        }
        inside.push(entrant);
    }

    /// An agent has left a passage.
    pub fn leave(&mut self, corridor: u32, agent: u32) {
        self.corridors[corridor as usize].inside.retain(|entrant| entrant.agent != agent);
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        let pair = |(high, low): (i32, i32)| u64::from(high as u32) << 32 | u64::from(low as u32);
        let passer_words = |entrant: &Entrant, word: &mut dyn FnMut(u64)| {
            word(u64::from(entrant.agent) << 32 | u64::from(entrant.width));
            word(pair(entrant.direction));
            word(entrant.stays.map_or(u64::MAX, |cell| pair((cell.x, cell.y))));
        };
        for (number, corridor) in self.corridors.iter().enumerate() {
            // Most have never been entered nor asked for.
            if corridor.entered == 0 && corridor.waiting.is_empty() && corridor.inside.is_empty() {
                continue;
            }
            word((number as u64) << 32 | corridor.entered as u64);
            word(pair(corridor.direction));
            for entrant in &corridor.inside {
                passer_words(entrant, word);
            }
            for (entrance, asked) in corridor.entrances.into_iter().flatten() {
                word(pair((entrance.cell.x, entrance.cell.y)));
                word(pair(entrance.direction));
                word(u64::from(entrance.reach) << 32 | u64::from(asked));
            }
            for waiting in &corridor.waiting {
                passer_words(&waiting.entrant, word);
                word(waiting.key.word());
                word(
                    u64::from(waiting.moves) << 33 | u64::from(waiting.asked) << 1 | u64::from(waiting.kept),
                );
            }
        }
    }
}

impl Corridor {
    /// A passage that has come of others: with all that were in them or waited, and the way
    /// and the batch of the first.
    pub fn of<'a>(width: u32, mut before: impl Iterator<Item = &'a Self>) -> Self {
        let first = before.next();
        let (inside, waiting) = (Vec::with_capacity(8), Vec::with_capacity(8));
        let (direction, entered) = first.map_or(((0, 0), 0), |first| (first.direction, first.entered));
        let mut corridor = Self { width, inside, waiting, direction, entered, ..Self::default() };
        for other in first.into_iter().chain(before) {
            for &entrant in &other.inside {
                if corridor.inside.iter().all(|known| known.agent != entrant.agent) {
                    corridor.inside.push(entrant);
                }
            }
            for &waits in &other.waiting {
                if corridor.waiting.iter().all(|known| known.entrant.agent != waits.entrant.agent) {
                    corridor.waiting.push(waits);
                }
            }
        }
        corridor
    }
}
