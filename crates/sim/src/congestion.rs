//! Where agents wait, and ways around it: a path that leads through jams is held against one that keeps clear of
//! them.
//!
//! The map is cut into blocks. Of each it is counted how long agents wait in it and how many enter it, and old
//! counts are forgotten by and by: the one by the other is what it costs to go through. Agents look one after the
//! other what that adds to their paths, and where it is much they ask for a path on which no jammed block lies;
//! they take it if it is the quicker one with all waiting (guide paths by observed traffic, as in Guided PIBT: Chen
//! et al., AAAI 2024).

use crate::agents::Activity;
use crate::requests::Route;
use crate::state_hash::fold;
use crate::tick::ask_for_path;
use crate::world::Simulation;
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::{MovementTables, State};

/// Cells along the side of a block, as a power of two.
const BLOCK_SHIFT: u32 = 3;
/// Ticks after which what was counted counts half.
const HALF_LIFE_TICKS: u32 = 256;
/// A block is jammed if agents wait so many ticks in it each.
const JAMMED_TICKS: u32 = 48;
/// Waiting on a path for which it is worth to look for another, in ticks.
const WORTH_TICKS: u32 = 64;
/// Agents that look at their paths a tick, and those that ask for another at most.
const LOOKS_A_TICK: usize = 128;
const ASKS_A_TICK: usize = 4;
/// Moves of a path that are looked at.
const LOOK_MOVES: usize = 1024;
/// Blocks around the start and the goal, along each axis, that one goes through in any case.
const ENDS_BLOCKS: i32 = 1;

/// What was counted in a block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    waited_ticks: u32,
    entered: u32,
}

impl Block {
    /// Ticks that an agent waits in it on the whole.
    fn delay(self) -> u32 {
        self.waited_ticks / (self.entered + 1)
    }
}

/// Waiting by block of the map. Memory: 1/8 of a byte a cell.
#[derive(Debug)]
pub(crate) struct Congestion {
    size: GridSize,
    /// Blocks in a row.
    width: usize,
    blocks: Vec<Block>,
    /// Row of the agent that looks next.
    next: usize,
    /// Hash of all that was ever counted, in order.
    counted_so_far: u64,
}

impl Congestion {
    pub fn new(size: GridSize) -> Self {
        let blocks = |cells: u32| cells.div_ceil(1 << BLOCK_SHIFT) as usize;
        let width = blocks(size.width());
        let blocks = vec![Block::default(); width * blocks(size.height())];
        Self { size, width, blocks, next: 0, counted_so_far: 0 }
    }

    fn index(&self, cell: CellXY) -> usize {
        (cell.y >> BLOCK_SHIFT) as usize * self.width + (cell.x >> BLOCK_SHIFT) as usize
    }

    /// An agent on its way rests with its anchor on a cell for a tick.
    pub fn count_wait(&mut self, cell: CellXY) {
        let at = self.index(cell);
        self.counted_so_far = fold(self.counted_so_far, at as u64);
        self.blocks[at].waited_ticks = self.blocks[at].waited_ticks.saturating_add(1);
    }

    /// An agent begins to move its anchor from one cell to another.
    pub fn count_move(&mut self, from: CellXY, to: CellXY) {
        let (from, to) = (self.index(from), self.index(to));
        if from != to {
            self.counted_so_far = fold(self.counted_so_far, (from as u64) << 32 | to as u64);
            self.blocks[to].entered = self.blocks[to].entered.saturating_add(1);
        }
    }

    /// A tick is over: what was counted fades.
    pub fn fade(&mut self, tick: u32) {
        if tick.is_multiple_of(HALF_LIFE_TICKS) {
            for Block { waited_ticks, entered } in &mut self.blocks {
                (*waited_ticks, *entered) = (*waited_ticks / 2, *entered / 2);
            }
        }
    }

    /// Ticks that an agent is thought to wait on a path from a state, behind the block in which that lies.
    pub fn delay_along(&self, tables: &MovementTables, mut state: State, moves: &[u8]) -> u64 {
        let space = tables.space();
        let mut block = self.index(space.pose(state).cell);
        let mut delay = 0;
        for &primitive in moves.iter().take(LOOK_MOVES) {
            state = tables.state_after(state, usize::from(primitive));
            let now = self.index(space.pose(state).cell);
            if now != block {
                delay += u64::from(self.blocks[now].delay());
                block = now;
            }
        }
        delay
    }

    /// Marks the cells of the jammed blocks, but those about some cells.
    pub fn mark_jams(&self, obstacles: &mut BitGrid, ends: impl Iterator<Item = CellXY> + Clone) {
        obstacles.clear();
        for (at, block) in self.blocks.iter().enumerate() {
            if block.delay() < JAMMED_TICKS {
                continue;
            }
            let (x, y) = ((at % self.width) as i32, (at / self.width) as i32);
            let is_end = |cell: CellXY| {
                let (dx, dy) = ((cell.x >> BLOCK_SHIFT) - x, (cell.y >> BLOCK_SHIFT) - y);
                dx.abs().max(dy.abs()) <= ENDS_BLOCKS
            };
            if !ends.clone().any(is_end) {
                let area = Rect::new(x << BLOCK_SHIFT, y << BLOCK_SHIFT, 1 << BLOCK_SHIFT, 1 << BLOCK_SHIFT);
                obstacles.fill(area.intersection(self.size.rect()), true);
            }
        }
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        word(self.next as u64);
        word(self.counted_so_far);
    }
}

/// Has the next few agents look at their paths, as long as nobody else waits for one; those on whose path agents
/// wait for long ask for another.
pub(crate) fn ask_around_jams(sim: &mut Simulation) {
    let n_agents = sim.agents.len();
    if !sim.traffic.needs_paths() || sim.requests.open() > 0 {
        return;
    }
    let mut asked = 0;
    for _ in 0..LOOKS_A_TICK.min(n_agents) {
        let row = sim.congestion.next % n_agents;
        sim.congestion.next = row + 1;
        let motion = sim.agents.motion[row];
        let looks = motion.at_rest()
            && motion.activity == Activity::Following
            && !motion.replan
            && !sim.agents.orders[row].to_nearest
            && sim.tick >= sim.agents.patience[row].look_again_at
            && !sim.traffic.makes_way(sim.agents.ids[row]);
        if !looks {
            continue;
        }
        let tables = &sim.classes[motion.class.0 as usize].tables;
        let moves = sim.paths.moves(sim.agents.paths[row]);
        if sim.congestion.delay_along(tables, motion.state, moves) >= u64::from(WORTH_TICKS) {
            ask_for_path(sim, row, Route::AroundJams);
            asked += 1;
            if asked == ASKS_A_TICK {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
