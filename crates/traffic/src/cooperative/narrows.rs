//! Narrow passages: doors, bridges and lanes where two agents cannot pass each other, and who may enter.
//!
//! A cell is narrow where the free cells in a row or a column through it are too few for two of the widest
//! bodies side by side; narrow cells that touch are one passage. Whoever is in a passage leaves it before
//! anyone enters who could not pass him. The directions take turns: a batch of agents enters one way, then,
//! if one of higher rank waits at the other end, it is the other's turn. All whose paths lead through are
//! known from afar: where some want to come the other way, only the next few come near, and the others stay
//! back, each as far as its place in the line says, so that there is room for those who come out.
//!
//! Where many want to come through both ways a passage is busy: then the directions take turns by number
//! whatever the rank, nobody without the right to enter comes in, not even to step aside, and the ground
//! before its mouths is kept free of those who have nothing to do there.
//!
//! After an edit of the map the passages near it are found anew, as they would be on a new map; who is in
//! one, or waits for it, is so still in what has become of it.

use crate::collision::Step;
use crate::free_cells::{find_free, grown, smallest_bodies};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use std::collections::BTreeMap;
use wheelbase_grid::{BitGrid, CellXY, GridShape, GridSize, Rect};
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::Offset;

/// No passage.
pub const OPEN: u32 = u32::MAX;

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

#[derive(Clone, Debug, Default)]
pub struct Passage {
    pub width: u32,
    /// Number of its cells; none if an edit has done away with it.
    pub n_cells: u32,
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

/// The passages of a map. Memory: 4.5 bytes a cell.
#[derive(Debug)]
pub struct Narrows {
    pub params: TrafficParams,
    pub size: GridSize,
    pub shape: GridShape,
    pub of_cell: Vec<u32>,
    pub passages: Vec<Passage>,
    /// Numbers of passages that are no more, to be given again.
    pub spare: Vec<u32>,
    /// Passages that the last edits have changed or done away with, in order.
    pub altered: Vec<u32>,
    /// Two of the widest bodies side by side, in cells.
    pub pair: u32,
    /// Cells that the smallest body can cover.
    pub free: BitGrid,
    /// Cells where free cells are too few for a pair.
    pub narrow: BitGrid,
    /// Some passage is busy at this tick.
    pub any_busy: bool,
    /// Scratch memory: cells looked at for the last area, and of these the cells of what is too large.
    pub seen: BitGrid,
    pub large: BitGrid,
}

/// A passage found for an area: its cells are `cells[first..][..count]`.
pub struct Found {
    pub first: usize,
    pub count: usize,
    pub width: u32,
    /// Passages of before that have cells in it, in order.
    pub before: Vec<u32>,
    /// It is the one of before, cell by cell, and as wide.
    pub is_same: bool,
}

/// Whether two ways lead the same way.
pub fn agree(one: Way, other: Way) -> bool {
    one.0 * other.0 + one.1 * other.1 > 0
}

impl Narrows {
    /// The passages for agents of some classes, with the shortest and longest side of their bodies.
    pub fn new(
        size: GridSize,
        tables: &[MovementTables],
        sides: &[(u32, u32)],
        params: TrafficParams,
    ) -> Self {
        let bits = || BitGrid::new(size);
        let mut narrows = Self {
            params,
            size,
            shape: tables.first().map_or(GridShape::Square, |tables| tables.space().shape()),
            of_cell: vec![OPEN; size.n_cells()],
            passages: Vec::new(),
            spare: Vec::new(),
            altered: Vec::new(),
            pair: 2 * sides.iter().map(|&(short, _)| short).max().unwrap_or(1),
            free: bits(),
            narrow: bits(),
            any_busy: false,
            seen: bits(),
            large: bits(),
        };
        narrows.follow_edits(tables, &[size.rect()]);
        narrows
    }

    /// Finds the passages anew about areas of the map that were edited; says whether there are others than
    /// before. Linear in the cells of the areas, of what lies within a few bodies of them, and of the
    /// passages there.
    pub fn follow_edits(&mut self, tables: &[MovementTables], edited: &[Rect]) -> bool {
        self.altered.clear();
        let Some(tables) = smallest_bodies(tables) else { return false };
        let areas: Vec<Rect> = edited.iter().map(|&area| find_free(&mut self.free, tables, area)).collect();
        let areas = areas.into_iter().filter(|area| !area.is_empty());
        // A cell's width depends on free cells so far off; and a passage on the next cells.
        let areas: Vec<Rect> = areas.map(|area| grown(area, self.pair, self.size)).collect();
        areas.iter().for_each(|&area| self.find_narrow(area));
        self.find_passages(&areas)
    }

    /// Finds the narrow cells of an area anew: those in runs of free cells, along a row or a column, that are
    /// shorter than a pair.
    pub fn find_narrow(&mut self, area: Rect) {
        let Self { free, narrow, pair, size, .. } = self;
        narrow.fill(area, false);
        // Shorter runs that come into the area end before they leave this.
        let wide = grown(area, *pair, *size);
        let mut line = |length: u32, cell_at: &dyn Fn(i32) -> CellXY| {
            let mut from = 0;
            for to in 0..=length as i32 {
                if to < length as i32 && free.get(cell_at(to)) {
                    continue;
                }
                if to - from < *pair as i32 {
                    (from..to).map(cell_at).filter(|&cell| area.contains(cell)).for_each(|cell| {
                        narrow.set(cell, true);
                    });
                }
                from = to + 1;
            }
        };
        for y in area.y..area.y + area.height as i32 {
            line(wide.width, &|at| CellXY::new(wide.x + at, y));
        }
        for x in area.x..area.x + area.width as i32 {
            line(wide.height, &|at| CellXY::new(x, wide.y + at));
        }
    }

    /// Joins the narrow cells that touch, of areas and all that touch these, to passages, those too large
    /// left out. What is there already keeps its number and who is in it; what has become of several, or a
    /// part of one, has all that were in them. Says whether there are others than before.
    pub fn find_passages(&mut self, areas: &[Rect]) -> bool {
        let size = self.size;
        // A passage that changes only where it touches an area has a cell beside it.
        let of_areas = || areas.iter().flat_map(move |&area| grown(area, 1, size).cells());
        let mut cells: Vec<CellXY> = Vec::new();
        let mut large: Vec<CellXY> = Vec::new();
        let mut found: Vec<Found> = Vec::new();
        for first in of_areas() {
            if !self.narrow.get(first) || self.seen.get(first) {
                continue;
            }
            let begin = cells.len();
            if self.join(first, &mut cells) {
                found.push(self.compare(&cells, begin));
            } else {
                cells[begin..].iter().for_each(|&cell| self.large.set(cell, true));
                large.extend(cells.drain(begin..));
            }
        }
        for &cell in cells.iter().chain(&large) {
            self.seen.set(cell, false);
            self.large.set(cell, false);
        }
        // What is as it was stays; the others give up their cells.
        let same: Vec<u32> = found
            .iter()
            .filter(|found| found.is_same)
            .filter_map(|found| found.before.first().copied())
            .collect();
        let mut before: BTreeMap<u32, Passage> = BTreeMap::new();
        for cell in of_areas() {
            let number = self.at_anchor(cell);
            if number != OPEN && !same.contains(&number) {
                self.unmark(cell, number);
                before.insert(number, std::mem::take(&mut self.passages[number as usize]));
            }
        }
        self.altered.extend(before.keys());
        found.retain(|found| !found.is_same);
        let mut spare: Vec<u32> = before.keys().copied().rev().collect();
        for found in &found {
            let own = found.before.iter().copied().find(|number| spare.contains(number));
            spare.retain(|&number| Some(number) != own);
            let number = own.or_else(|| self.spare.pop()).unwrap_or(self.passages.len() as u32);
            let cells = &cells[found.first..][..found.count];
            for &CellXY { x, y } in cells {
                self.of_cell[y as usize * self.size.width() as usize + x as usize] = number;
            }
            self.passages.resize_with(self.passages.len().max(number as usize + 1), Passage::default);
            let passage =
                Passage::of(found.width, cells.len(), found.before.iter().map(|number| &before[number]));
            self.passages[number as usize] = passage;
        }
        self.spare.extend(spare);
        !before.is_empty() || !found.is_empty()
    }

    /// Adds a narrow cell and all that are joined to it; says whether they are few enough for a passage.
    pub fn join(&mut self, first: CellXY, cells: &mut Vec<CellXY>) -> bool {
        let mut at = cells.len();
        let begin = at;
        let mut bounds = Rect::new(first.x, first.y, 1, 1);
        cells.push(first);
        self.seen.set(first, true);
        while let Some(&cell) = cells.get(at) {
            at += 1;
            for &side in self.shape.sides() {
                let cell = self.shape.neighbour(cell, side);
                if !self.narrow.get(cell) {
                    continue;
                }
                // It is a part of what was found to be too large.
                if self.large.get(cell) {
                    return false;
                }
                if !self.seen.get(cell) {
                    self.seen.set(cell, true);
                    cells.push(cell);
                    bounds = bounds.union(Rect::new(cell.x, cell.y, 1, 1));
                }
            }
            let side = bounds.width.max(bounds.height);
            if cells.len() - begin > (self.params.corridor_cells_max as usize)
                || side > self.params.corridor_side_max
            {
                return false;
            }
        }
        true
    }

    /// A passage of the cells from `first` on, beside those of before.
    pub fn compare(&self, cells: &[CellXY], first: usize) -> Found {
        let cells = &cells[first..];
        let mut before: Vec<u32> = cells.iter().map(|&cell| self.at_anchor(cell)).collect();
        before.sort_unstable();
        before.dedup();
        let width = cells.iter().map(|&cell| self.width_of(cell)).min().unwrap_or(0);
        let is_same = matches!(before[..], [one] if one != OPEN && {
            let known = &self.passages[one as usize];
            (known.n_cells, known.width) == (cells.len() as u32, width)
        });
        before.retain(|&number| number != OPEN);
        Found { first, count: cells.len(), width, before, is_same }
    }

    /// Takes back the number of a passage from a cell and all of its cells that are joined to it.
    pub fn unmark(&mut self, first: CellXY, number: u32) {
        let mut cells = vec![first];
        while let Some(cell) = cells.pop() {
            if self.at_anchor(cell) != number {
                continue;
            }
            self.of_cell[cell.y as usize * self.size.width() as usize + cell.x as usize] = OPEN;
            cells.extend(self.shape.sides().iter().map(|&side| self.shape.neighbour(cell, side)));
        }
    }

    /// The shorter one of the runs of free cells through a narrow cell, along its row and its column.
    pub fn width_of(&self, cell: CellXY) -> u32 {
        let run = |dx: i32, dy: i32| {
            let free =
                |at: &u32| self.free.get(CellXY::new(cell.x + dx * *at as i32, cell.y + dy * *at as i32));
            (1..=self.pair).take_while(free).count() as u32
        };
        (1 + run(1, 0) + run(-1, 0)).min(1 + run(0, 1) + run(0, -1))
    }

    /// Whether the last edits have changed a passage, or done away with it.
    pub fn is_altered(&self, passage: u32) -> bool {
        self.altered.binary_search(&passage).is_ok()
    }

    /// Has those leave that are in a passage no more.
    pub fn keep_inside(&mut self, is_inside: impl Fn(u32, u32) -> bool) {
        for (number, passage) in self.passages.iter_mut().enumerate() {
            passage.inside.retain(|passer| is_inside(number as u32, passer.agent));
        }
    }

    /// The passage that a cell lies in; [`OPEN`] if in none.
    #[inline]
    pub fn at(&self, cell: usize) -> u32 {
        self.of_cell[cell]
    }

    /// The passage under an anchor; [`OPEN`] if there is none.
    pub fn at_anchor(&self, anchor: CellXY) -> u32 {
        self.size.cell(anchor).map_or(OPEN, |cell| self.of_cell[cell.0 as usize])
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

    /// The busy passage that a move enters, if any.
    #[inline]
    pub fn enters_busy(&self, step: &Step<'_>) -> Option<u32> {
        if !self.any_busy {
            return None;
        }
        let at = |anchor: CellXY, to: &Offset| self.at_anchor(to.cell_from(anchor));
        let ((start, under), (end, onto)) = (step.start(), step.end());
        let mut passages = onto.iter().map(|to| at(end, to));
        let passage = passages.find(|&passage| passage != OPEN && self.is_busy(passage))?;
        under.iter().all(|to| at(start, to) != passage).then_some(passage)
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
    /// A passage of so many cells that has come of others: with all that were in them or waited, and the way
    /// and the batch of the first.
    pub fn of<'a>(width: u32, n_cells: usize, mut before: impl Iterator<Item = &'a Self>) -> Self {
        let (n_cells, first) = (n_cells as u32, before.next());
        let (inside, waiting) = (Vec::with_capacity(8), Vec::with_capacity(8));
        let (way, entered) = first.map_or(((0, 0), 0), |first| (first.way, first.entered));
        let mut passage = Self { width, n_cells, inside, waiting, way, entered, ..Self::default() };
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
