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

use crate::cooperative::passage_map::{Made, PassageMap};
use crate::free_cells::grown;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use std::collections::BTreeMap;
use wheelbase_grid::{CellXY, GridSize, Rect};

/// Where a passage is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouth {
    /// The last cell before it on the path of one that enters there.
    pub cell: CellXY,
    /// The way in from there, in cells.
    pub way: Way,
    /// The ground before it reaches so far, in cells.
    pub reach: u32,
}

impl Mouth {
    /// Whether a cell lies on the ground before it.
    pub fn has_before(&self, cell: CellXY) -> bool {
        let (x, y) = (self.cell.x - cell.x, self.cell.y - cell.y);
        x * self.way.0 + y * self.way.1 >= 0 && cell.chebyshev_distance(self.cell) < self.reach
    }

    /// The square that the ground before it lies in.
    pub fn bounds(&self, size: GridSize) -> Rect {
        grown(Rect::new(self.cell.x, self.cell.y, 1, 1), self.reach.saturating_sub(1), size)
    }
}

/// Where an agent goes in a passage: from where it enters to where it leaves, in cells; nowhere if it has
/// nothing to do.
pub type Way = (i32, i32);

/// One that wants to go through a passage, or is in it.
#[derive(Clone, Copy, Debug)]
pub struct Passer {
    pub agent: u32,
    pub way: Way,
    /// Short side of its body in cells.
    pub width: u32,
    /// Where it stays, if its goal lies in the passage.
    pub stays: Option<CellXY>,
}

/// One whose path leads through a passage.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub passer: Passer,
    /// In the order of rank.
    pub place: PriorityKey,
    /// Moves to the passage.
    pub moves: u32,
    /// Tick at which it asked last, and whether it was kept from entering.
    pub asked: u32,
    pub kept: bool,
}

/// Who is in a passage, by its number on the map, and who waits to enter.
#[derive(Clone, Debug, Default)]
pub struct Passage {
    pub width: u32,
    pub inside: Vec<Passer>,
    pub waiting: Vec<Waiting>,
    pub way: Way,
    /// Agents that have entered that way since the other had its turn.
    pub entered: usize,
    /// Many want to go through either way, as of this tick.
    pub is_busy: bool,
    /// Where agents have asked of late to enter it while it was busy, and when they asked last.
    pub mouths: [Option<(Mouth, u32)>; 2],
}

/// Who may enter which passage.
#[derive(Debug)]
pub struct Admission {
    pub params: TrafficParams,
    pub passages: Vec<Passage>,
    /// Some passage is busy at this tick.
    pub any_busy: bool,
}

/// Whether two ways lead the same way.
pub fn agree(one: Way, other: Way) -> bool {
    one.0 * other.0 + one.1 * other.1 > 0
}

impl Admission {
    /// To no passages yet.
    pub fn new(params: TrafficParams) -> Self {
        Self { params, passages: Vec::new(), any_busy: false }
    }

    /// Follows what the last edits have made of the passages of a map: what has become of several, or a part of one,
    /// has all that were in them or waited. Says whether there are others than before.
    pub fn follow(&mut self, map: &PassageMap) -> bool {
        let take = |&number: &u32| (number, std::mem::take(&mut self.passages[number as usize]));
        let before: BTreeMap<u32, Passage> = map.altered.iter().map(take).collect();
        self.passages.resize_with(map.shapes.len(), Passage::default);
        for Made { number, width, before: of } in &map.made {
            self.passages[*number as usize] = Passage::of(*width, of.iter().map(|number| &before[number]));
        }
        !map.altered.is_empty() || !map.made.is_empty()
    }

    /// Has those leave that are in a passage no more.
    pub fn keep_inside(&mut self, is_inside: impl Fn(u32, u32) -> bool) {
        for (number, passage) in self.passages.iter_mut().enumerate() {
            passage.inside.retain(|passer| is_inside(number as u32, passer.agent));
        }
    }

    /// Whether an agent is in a passage, or has the right to enter it.
    pub fn is_inside(&self, passage: u32, agent: u32) -> bool {
        self.passages[passage as usize].inside.iter().any(|passer| passer.agent == agent)
    }

    /// The next agent in a passage, or with the right to enter it, at a place in its list or behind, that
    /// another cannot pass and does not follow; and its place.
    pub fn next_opposed(&self, passage: u32, passer: &Passer, from: usize) -> Option<(u32, usize)> {
        let Passage { width, inside, .. } = &self.passages[passage as usize];
        let opposed = |other: &Passer| {
            let both_go = passer.stays.is_none() && other.stays.is_none();
            let both_stay = passer.stays.is_some() && other.stays.is_some() && passer.stays != other.stays;
            let passes = both_go && passer.width + other.width <= *width;
            let follows = agree(passer.way, other.way) && (both_go || both_stay);
            other.agent != passer.agent && !passes && !follows
        };
        let at = from + inside.iter().skip(from).position(opposed)?;
        Some((inside[at].agent, at))
    }

    /// Whether it is the turn of those that wait at the other end of a passage.
    pub fn is_turn_of_other(&self, passage: u32, passer: &Passer, place: PriorityKey, tick: u32) -> bool {
        let Passage { inside, way, entered, .. } = &self.passages[passage as usize];
        let goes_on =
            agree(passer.way, *way) && *entered < (self.params.corridor_batch as usize) && !inside.is_empty();
        let mut others = self.waiting_to(passage, passer, tick, false);
        if self.is_busy(passage) && *way != (0, 0) {
            let is_over = *entered >= (self.params.corridor_turn_busy as usize);
            let goes_with = agree(passer.way, *way);
            return goes_with == is_over
                && others.any(|other| (other.kept || !goes_with) && other.moves <= self.params.near_moves);
        }
        !goes_on
            && others.any(|other| other.kept && other.place < place && other.moves <= self.params.near_moves)
    }

    /// Whether enough are nearer to a passage than an agent, or have the right to enter it the same way,
    /// while others want to come the other way.
    pub fn is_crowded(&self, passage: u32, passer: &Passer, moves: u32, tick: u32) -> bool {
        if self.waiting_to(passage, passer, tick, false).next().is_none() {
            return false;
        }
        let inside = &self.passages[passage as usize].inside;
        let with = inside.iter().filter(|other| agree(passer.way, other.way)).count();
        let batch = if self.is_busy(passage) {
            self.params.corridor_batch_busy as usize
        } else {
            self.params.corridor_batch as usize
        };
        with + self.n_before(passage, passer, moves, tick) >= batch
    }

    /// Finds which passages are busy at a tick.
    pub fn find_busy(&mut self, tick: u32) {
        self.any_busy = false;
        for Passage { waiting, is_busy, .. } in &mut self.passages {
            *is_busy = false;
            if waiting.len() >= 2 * (self.params.corridor_busy as usize) {
                let one_way = waiting[0].passer.way;
                let asked = waiting.iter().filter(|other| tick - other.asked <= self.params.asked_ticks);
                let with = asked.clone().filter(|other| agree(other.passer.way, one_way)).count();
                *is_busy = with >= (self.params.corridor_busy as usize)
                    && asked.count() >= with + (self.params.corridor_busy as usize);
            }
            self.any_busy |= *is_busy;
        }
    }

    /// Whether many want to go through a passage either way.
    pub fn is_busy(&self, passage: u32) -> bool {
        self.passages[passage as usize].is_busy
    }

    /// Notes where one that has asked comes to a busy passage.
    pub fn note_mouth(&mut self, passage: u32, mouth: Mouth, tick: u32) {
        let mouths = &mut self.passages[passage as usize].mouths;
        let known = mouths.iter().position(|known| known.is_some_and(|known| known.0 == mouth));
        let oldest = usize::from(mouths[1].map(|known| known.1) < mouths[0].map(|known| known.1));
        mouths[known.unwrap_or(oldest)] = Some((mouth, tick));
    }

    /// The first mouth at a place in the list of all, or behind, that is to be kept clear; and its place.
    pub fn next_mouth(&self, from: usize, tick: u32) -> Option<(Mouth, usize)> {
        if !self.any_busy {
            return None;
        }
        (from..2 * self.passages.len()).find_map(|at| {
            let passage = &self.passages[at / 2];
            let (mouth, asked) = passage.mouths[at % 2].filter(|_| passage.is_busy)?;
            (tick - asked <= self.params.entrance_ticks).then_some((mouth, at))
        })
    }

    /// Others that have asked of late to enter a passage: the same way, or the other way if they cannot be
    /// passed.
    pub fn waiting_to(
        &self,
        passage: u32,
        passer: &Passer,
        tick: u32,
        same_way: bool,
    ) -> impl Iterator<Item = &Waiting> {
        let Passage { width, waiting, .. } = &self.passages[passage as usize];
        let passer = *passer;
        waiting.iter().filter(move |other| {
            other.passer.agent != passer.agent
                && tick - other.asked <= self.params.asked_ticks
                && agree(passer.way, other.passer.way) == same_way
                && (same_way || passer.width + other.passer.width > *width)
        })
    }

    /// Agents that want to go the same way through a passage and are nearer to it.
    pub fn n_before(&self, passage: u32, passer: &Passer, moves: u32, tick: u32) -> usize {
        let before = |other: &&Waiting| (other.moves, other.passer.agent) < (moves, passer.agent);
        self.waiting_to(passage, passer, tick, true).filter(before).count()
    }

    /// Moves before a passage at which one that is kept from it stops: the more, the more are nearer to it
    /// that want to go the same way.
    pub fn queue_moves(&self, passage: u32, passer: &Passer, moves: u32, tick: u32) -> u32 {
        let before = self.n_before(passage, passer, moves, tick) as u32;
        self.params.queue_moves + (self.params.queue_moves_each * before).min(self.params.queue_moves_max)
    }

    /// Notes that an agent of a place in the order of rank and so many moves away has asked to enter a
    /// passage, and whether it is kept from it.
    pub fn note_asked(
        &mut self,
        passage: u32,
        passer: Passer,
        (place, moves): (PriorityKey, u32),
        (asked, kept): (u32, bool),
    ) {
        let waiting = &mut self.passages[passage as usize].waiting;
        waiting.retain(|other| {
            other.passer.agent != passer.agent && asked - other.asked <= self.params.asked_ticks
        });
        waiting.push(Waiting { passer, place, moves, asked, kept });
    }

    /// An agent comes to be in a passage, or is known to go another way in it.
    pub fn enter(&mut self, passage: u32, passer: Passer) {
        let Passage { inside, waiting, way, entered, .. } = &mut self.passages[passage as usize];
        if let Some(known) = inside.iter_mut().find(|other| other.agent == passer.agent) {
            *known = passer;
            return;
        }
        waiting.retain(|other| other.passer.agent != passer.agent);
        // One that has nothing to do there begins no turn.
        if passer.way != (0, 0) {
            if !agree(*way, passer.way) {
                (*way, *entered) = (passer.way, 0);
            }
            *entered += 1;
        }
        inside.push(passer);
    }

    /// An agent has left a passage.
    pub fn leave(&mut self, passage: u32, agent: u32) {
        self.passages[passage as usize].inside.retain(|passer| passer.agent != agent);
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        let pair = |(high, low): (i32, i32)| u64::from(high as u32) << 32 | u64::from(low as u32);
        let passer_words = |passer: &Passer, word: &mut dyn FnMut(u64)| {
            word(u64::from(passer.agent) << 32 | u64::from(passer.width));
            word(pair(passer.way));
            word(passer.stays.map_or(u64::MAX, |cell| pair((cell.x, cell.y))));
        };
        for (number, passage) in self.passages.iter().enumerate() {
            // Most have never been entered nor asked for.
            if passage.entered == 0 && passage.waiting.is_empty() && passage.inside.is_empty() {
                continue;
            }
            word((number as u64) << 32 | passage.entered as u64);
            word(pair(passage.way));
            for passer in &passage.inside {
                passer_words(passer, word);
            }
            for (mouth, asked) in passage.mouths.into_iter().flatten() {
                word(pair((mouth.cell.x, mouth.cell.y)));
                word(pair(mouth.way));
                word(u64::from(mouth.reach) << 32 | u64::from(asked));
            }
            for waiting in &passage.waiting {
                passer_words(&waiting.passer, word);
                word(waiting.place.word());
                word(
                    u64::from(waiting.moves) << 33 | u64::from(waiting.asked) << 1 | u64::from(waiting.kept),
                );
            }
        }
    }
}

impl Passage {
    /// A passage that has come of others: with all that were in them or waited, and the way
    /// and the batch of the first.
    pub fn of<'a>(width: u32, mut before: impl Iterator<Item = &'a Self>) -> Self {
        let first = before.next();
        let (inside, waiting) = (Vec::with_capacity(8), Vec::with_capacity(8));
        let (way, entered) = first.map_or(((0, 0), 0), |first| (first.way, first.entered));
        let mut passage = Self { width, inside, waiting, way, entered, ..Self::default() };
        for other in first.into_iter().chain(before) {
            for &passer in &other.inside {
                if passage.inside.iter().all(|known| known.agent != passer.agent) {
                    passage.inside.push(passer);
                }
            }
            for &waits in &other.waiting {
                if passage.waiting.iter().all(|known| known.passer.agent != waits.passer.agent) {
                    passage.waiting.push(waits);
                }
            }
        }
        passage
    }
}
