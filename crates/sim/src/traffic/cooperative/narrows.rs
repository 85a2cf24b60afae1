//! Narrow passages: doors, bridges and lanes where two agents cannot pass each other, and who may enter.
//!
//! A cell is narrow where the free cells in a row or a column through it are too few for two of the widest bodies
//! side by side; narrow cells that touch are one passage. Whoever is in a passage leaves it before anyone enters
//! who could not pass him. The directions take turns: a batch of agents enters one way, then, if one of higher
//! rank waits at the other end, it is the other's turn.

use crate::world::SimClass;
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::{Heading, Offset, Pose};

/// No passage.
pub(super) const OPEN: u32 = u32::MAX;

/// Cells of a passage, and of its longer side, at most; larger ones are regions of their own kind, as mazes are.
const CELLS_MAX: usize = 1024;
const SIDE_MAX: i32 = 48;
/// Agents that enter one way before those of higher rank at the other end have their turn.
const BATCH: u32 = 8;
/// Moves before a passage at which those stop that may not enter, and how many more if many wait.
const QUEUE_MOVES: u32 = 4;
const QUEUE_MOVES_MAX: u32 = 72;
/// Those that wait at the other end have their turn if they are so near.
const NEAR_MOVES: u32 = 16;
/// Ticks for which one that has asked in vain counts as waiting.
const WAITS_TICKS: u32 = 64;

/// Where an agent goes in a passage: from where it enters to where it leaves, in cells; nowhere if it has nothing
/// to do.
pub(super) type Way = (i32, i32);

/// One that wants to go through a passage, or is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passer {
    pub agent: u32,
    pub way: Way,
    /// Short side of its body in cells.
    pub width: u32,
    /// Where it stays, if its goal lies in the passage.
    pub stays: Option<CellXY>,
}

/// One that waits to enter.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    passer: Passer,
    /// In the order of rank.
    place: u64,
    /// Moves to the passage.
    moves: u32,
    /// Tick at which it asked last.
    asked: u32,
}

#[derive(Clone, Debug, Default)]
struct Passage {
    width: u32,
    inside: Vec<Passer>,
    waiting: Vec<Waiting>,
    way: Way,
    /// Agents that have entered that way since the other had its turn.
    entered: u32,
}

/// The passages of a map. Memory: 4 bytes a cell.
#[derive(Debug)]
pub(super) struct Narrows {
    size: GridSize,
    of_cell: Vec<u32>,
    passages: Vec<Passage>,
}

/// Whether two ways lead the same way.
fn agree(one: Way, other: Way) -> bool {
    one.0 * other.0 + one.1 * other.1 > 0
}

impl Narrows {
    /// The passages for agents of some classes, with the shortest and longest side of their bodies.
    pub fn new(size: GridSize, classes: &[SimClass], sides: &[(u32, u32)]) -> Self {
        let mut narrows = Self { size, of_cell: vec![OPEN; size.n_cells()], passages: Vec::new() };
        let widest = sides.iter().map(|&(short, _)| short).max().unwrap_or(1);
        let free = free_cells(size, classes);
        let widths = run_widths(size, &free);
        let narrow: Vec<bool> = widths.iter().map(|&width| width > 0 && width < 2 * widest).collect();
        narrows.find_passages(size, &narrow, &widths);
        narrows
    }

    /// Joins narrow cells that touch to passages, those too large left out.
    fn find_passages(&mut self, size: GridSize, narrow: &[bool], widths: &[u32]) {
        let (width, height) = (size.width() as i32, size.height() as i32);
        let mut seen = vec![false; narrow.len()];
        let mut cells: Vec<CellXY> = Vec::new();
        for first in size.rect().cells() {
            let index = |cell: CellXY| (cell.y * width + cell.x) as usize;
            if !narrow[index(first)] || seen[index(first)] {
                continue;
            }
            cells.clear();
            cells.push(first);
            seen[index(first)] = true;
            let mut at = 0;
            while let Some(&CellXY { x, y }) = cells.get(at) {
                at += 1;
                for (dx, dy) in [(1, 0), (0, -1), (-1, 0), (0, 1)] {
                    let cell = CellXY::new(x + dx, y + dy);
                    let inside = cell.x >= 0 && cell.y >= 0 && cell.x < width && cell.y < height;
                    if inside && narrow[index(cell)] && !seen[index(cell)] {
                        seen[index(cell)] = true;
                        cells.push(cell);
                    }
                }
            }
            let (left, right) =
                cells.iter().fold((i32::MAX, 0), |(low, high), cell| (low.min(cell.x), high.max(cell.x)));
            let (top, bottom) =
                cells.iter().fold((i32::MAX, 0), |(low, high), cell| (low.min(cell.y), high.max(cell.y)));
            if cells.len() > CELLS_MAX || right - left >= SIDE_MAX || bottom - top >= SIDE_MAX {
                continue;
            }
            let number = self.passages.len() as u32;
            let least = cells.iter().map(|&cell| widths[index(cell)]).min().unwrap_or(0);
            let (inside, waiting) = (Vec::with_capacity(8), Vec::with_capacity(8));
            self.passages.push(Passage { width: least, inside, waiting, ..Passage::default() });
            for &cell in &cells {
                self.of_cell[index(cell)] = number;
            }
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

    /// Who keeps an agent from entering a passage; `None` if it may enter, itself if it is not its turn.
    pub fn keeper(&self, passage: u32, passer: &Passer, place: u64, tick: u32) -> Option<u32> {
        let Passage { width, inside, waiting, way, entered } = &self.passages[passage as usize];
        for other in inside.iter().filter(|other| other.agent != passer.agent) {
            let both_go = passer.stays.is_none() && other.stays.is_none();
            let both_stay = passer.stays.is_some() && other.stays.is_some() && passer.stays != other.stays;
            let passes = both_go && passer.width + other.width <= *width;
            let follows = agree(passer.way, other.way) && (both_go || both_stay);
            if !passes && !follows {
                return Some(other.agent);
            }
        }
        let goes_on = agree(passer.way, *way) && *entered < BATCH && !inside.is_empty();
        let turn_of_other = waiting.iter().any(|other| {
            other.passer.agent != passer.agent
                && tick - other.asked <= WAITS_TICKS
                && other.place < place
                && other.moves <= NEAR_MOVES
                && !agree(passer.way, other.passer.way)
                && passer.width + other.passer.width > *width
        });
        (!goes_on && turn_of_other).then_some(passer.agent)
    }

    /// Moves before a passage at which one that is kept from it stops: the more, the more wait nearer to
    /// it to go the same way.
    pub fn queue_moves(&self, passage: u32, passer: &Passer, moves: u32) -> u32 {
        let waiting = &self.passages[passage as usize].waiting;
        let before = waiting.iter().filter(|other| {
            (other.moves, other.passer.agent) < (moves, passer.agent) && agree(other.passer.way, passer.way)
        });
        QUEUE_MOVES + (before.count() as u32 / 2).min(QUEUE_MOVES_MAX)
    }

    /// Notes that an agent so many moves away waits to enter a passage.
    pub fn wait(&mut self, passage: u32, passer: Passer, (place, moves): (u64, u32), tick: u32) {
        let waiting = &mut self.passages[passage as usize].waiting;
        waiting.retain(|other| other.passer.agent != passer.agent && tick - other.asked <= WAITS_TICKS);
        waiting.push(Waiting { passer, place, moves, asked: tick });
    }

    /// An agent comes to be in a passage, or is known to go another way in it.
    pub fn enter(&mut self, passage: u32, passer: Passer) {
        let Passage { inside, waiting, way, entered, .. } = &mut self.passages[passage as usize];
        if let Some(known) = inside.iter_mut().find(|other| other.agent == passer.agent) {
            *known = passer;
            return;
        }
        waiting.retain(|other| other.passer.agent != passer.agent);
        if !agree(*way, passer.way) {
            (*way, *entered) = (passer.way, 0);
        }
        *entered += 1;
        inside.push(passer);
    }

    /// An agent has left a passage.
    pub fn leave(&mut self, passage: u32, agent: u32) {
        self.passages[passage as usize].inside.retain(|passer| passer.agent != agent);
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for (number, passage) in self.passages.iter().enumerate() {
            // Most have never been entered nor asked for.
            if passage.entered == 0 && passage.waiting.is_empty() {
                continue;
            }
            word((number as u64) << 32 | u64::from(passage.entered));
            for passer in &passage.inside {
                word(u64::from(passer.agent) << 32 | u64::from(passer.width));
            }
            for waiting in &passage.waiting {
                word(u64::from(waiting.passer.agent) << 32 | u64::from(waiting.asked));
            }
        }
    }
}

/// The cells that the smallest body can cover.
fn free_cells(size: GridSize, classes: &[SimClass]) -> Vec<bool> {
    let mut free = vec![false; size.n_cells()];
    let body = |class: &&SimClass| {
        class.tables.class().frames().map(|frame| class.tables.class().footprint().at(frame).len()).min()
    };
    let Some(class) = classes.iter().min_by_key(body) else { return free };
    let (tables, space) = (&class.tables, class.tables.space());
    for cell in size.rect().cells() {
        for heading in 0..space.headings() {
            let pose = Pose { cell, heading: Heading(heading) };
            if tables.is_legal_pose(pose) {
                for &Offset { dx, dy } in tables.class().cells_at(pose) {
                    free[((cell.y + dy) * size.width() as i32 + cell.x + dx) as usize] = true;
                }
            }
        }
    }
    free
}

/// For each free cell the length of the shorter one of the runs of free cells through it, along its row and its
/// column; 0 for others.
fn run_widths(size: GridSize, free: &[bool]) -> Vec<u32> {
    let (width, height) = (size.width() as usize, size.height() as usize);
    let mut widths = vec![0; free.len()];
    let mut line = |length: usize, cell_at: &dyn Fn(usize) -> usize, first: bool| {
        let mut from = 0;
        for to in 0..=length {
            if to < length && free[cell_at(to)] {
                continue;
            }
            for at in from..to {
                let run = (to - from) as u32;
                let known = &mut widths[cell_at(at)];
                *known = if first { run } else { run.min(*known) };
            }
            from = to + 1;
        }
    };
    (0..height).for_each(|y| line(width, &|x| y * width + x, true));
    (0..width).for_each(|x| line(height, &|y| y * width + x, false));
    widths
}
