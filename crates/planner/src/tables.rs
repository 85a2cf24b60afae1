//! Movement tables: a class compiled against a map, so that a search reads nothing else.
//!
//! One word a state holds a code of a few bits for each primitive: 0 where the move is not legal, else
//! which of the class's times it takes. An expansion reads one word, whatever the size of the body.

use crate::components::Components;
use crate::footprint::Offset;
use crate::movement::MovementClass;
use crate::pose::{Heading, Pose, State, StateSpace};
use crate::successor::{Legality, move_time};
use std::sync::Arc;
use wheelbase_grid::{CellXY, Grid, GridSize, Rect, Side};

/// One legal move out of or into a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Number of the primitive.
    pub primitive: u8,
    /// The state at the other end of the move.
    pub state: State,
    /// Time of the move in ticks.
    pub ticks: u32,
}

/// A code for each primitive of one state, packed.
pub(crate) trait MoveWord: Copy + Default + Send + Sync {
    /// Element type of the speed levels that fit its codes.
    type Level: Level;
    /// Bits of a code.
    const BITS: u32;
    /// Codes in a word.
    const LANES: usize;
    fn code(self, lane: usize) -> usize;
    fn set(&mut self, lane: usize, code: Self::Level);
}

/// A speed level: 0 impassable, then the class's speeds in rising order.
pub(crate) trait Level: Copy + Ord + Default + Send + Sync {
    const TOP: Self;
    fn of(number: usize) -> Self;
    fn number(self) -> usize;
}

macro_rules! level {
    ($type:ty) => {
        impl Level for $type {
            const TOP: Self = Self::MAX;
            fn of(number: usize) -> Self {
                number as Self
            }
            fn number(self) -> usize {
                self as usize
            }
        }
    };
}
level!(u8);
level!(u16);

macro_rules! packed_word {
    ($type:ty, $bits:expr) => {
        impl MoveWord for $type {
            type Level = u8;
            const BITS: u32 = $bits;
            const LANES: usize = (<$type>::BITS / $bits) as usize;
            #[inline(always)]
            fn code(self, lane: usize) -> usize {
                ((self >> (lane as u32 * $bits)) & ((1 << $bits) - 1)) as usize
            }
            #[inline(always)]
            fn set(&mut self, lane: usize, code: u8) {
                *self |= Self::from(code) << (lane as u32 * $bits);
            }
        }
    };
}
packed_word!(u8, 2);
packed_word!(u16, 4);
packed_word!(u32, 4);
packed_word!(u64, 4);
packed_word!(u128, 8);

/// More than 255 different times: a class of very long base times on a map of very many speeds.
impl MoveWord for [u16; 16] {
    type Level = u16;
    const BITS: u32 = 16;
    const LANES: usize = 16;
    fn code(self, lane: usize) -> usize {
        usize::from(self[lane])
    }
    fn set(&mut self, lane: usize, code: u16) {
        self[lane] = code;
    }
}

/// A primitive at one heading, as the kernel reads it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    /// Difference of the states' indices.
    pub delta: i32,
    pub dx: i32,
    pub dy: i32,
    pub heading_after: u32,
}

/// Words and speed levels of one layout.
#[derive(Clone, Debug)]
pub(crate) struct Layout<W: MoveWord> {
    /// `[n_states]`.
    pub words: Vec<W>,
    /// Level of each cell, `[height * width]`.
    cells: Vec<W::Level>,
    /// Levels of the edge to the east and to the south of each cell, `[height * width]`; empty where
    /// no edge can limit.
    east: Vec<W::Level>,
    south: Vec<W::Level>,
    /// Rows being worked on, kept so that an update allocates nothing.
    levels_row: Vec<W::Level>,
    words_row: Vec<W>,
}

#[derive(Clone, Debug)]
pub(crate) enum Layouts {
    Bits2x4(Layout<u8>),
    Bits4x4(Layout<u16>),
    Bits4x8(Layout<u32>),
    Bits4x16(Layout<u64>),
    Bits8x16(Layout<u128>),
    Bits16x16(Layout<[u16; 16]>),
}

/// Runs the same code for whichever layout a class has.
macro_rules! with_layout {
    ($layouts:expr, $layout:ident => $body:expr) => {
        match $layouts {
            $crate::tables::Layouts::Bits2x4($layout) => $body,
            $crate::tables::Layouts::Bits4x4($layout) => $body,
            $crate::tables::Layouts::Bits4x8($layout) => $body,
            $crate::tables::Layouts::Bits4x16($layout) => $body,
            $crate::tables::Layouts::Bits8x16($layout) => $body,
            $crate::tables::Layouts::Bits16x16($layout) => $body,
        }
    };
}
pub(crate) use with_layout;

/// A movement class compiled against one map: for each pose, which primitives are legal and what each
/// costs. Shared by all agents of the class; a search reads nothing else of the map.
///
/// Memory a state: 1 byte with up to 4 primitives and 3 different speeds, 2 to 8 with up to 15
/// speeds, 16 with up to 255, 32 beyond; plus 1 bit for the pose, 4 bytes for its component, and 1
/// byte a cell.
#[derive(Clone, Debug)]
pub struct MovementTables {
    class: Arc<MovementClass>,
    space: StateSpace,
    pub(crate) layouts: Layouts,
    /// `[heading * 16 + primitive]`.
    pub(crate) steps: Vec<Step>,
    /// Ticks by `[primitive << bits | code]`.
    pub(crate) times: Vec<u32>,
    /// One bit a state: its pose is legal.
    legal: Vec<u64>,
    /// Level number of each terrain kind and of each side kind.
    terrain_levels: Vec<usize>,
    side_levels: Vec<usize>,
    n_levels: usize,
    components: Components,
    revision: u64,
}

/// Steps a heading has in `MovementTables::steps`.
pub(crate) const STEPS_STRIDE: usize = 16;

impl MovementTables {
    /// Compiles a class against a map. Time is linear in states x primitives x swept cells, a row of
    /// cells at a time.
    pub fn compile(grid: &Grid, class: MovementClass) -> Self {
        let legality = Legality::new(grid, &class);
        let levels = Levels::of(&legality);
        let space = legality.space();
        let n_primitives = class.primitives().len();
        let n_levels = levels.speeds.len();
        let (terrain_levels, side_levels) = (levels.of_terrain, levels.of_sides);
        let mut tables = Self {
            space,
            layouts: match (n_primitives, n_levels) {
                (..=4, ..=3) => Layouts::Bits2x4(Layout::new(space)),
                (..=4, ..=15) => Layouts::Bits4x4(Layout::new(space)),
                (..=8, ..=15) => Layouts::Bits4x8(Layout::new(space)),
                (_, ..=15) => Layouts::Bits4x16(Layout::new(space)),
                (_, ..=255) => Layouts::Bits8x16(Layout::new(space)),
                _ => Layouts::Bits16x16(Layout::new(space)),
            },
            steps: steps_of(&class, space),
            times: Vec::new(),
            legal: vec![0; space.n_states().div_ceil(64)],
            terrain_levels,
            side_levels,
            n_levels,
            components: Components::default(),
            revision: grid.revision(),
            class: Arc::new(class),
        };
        let bits = tables.code_bits();
        tables.times = vec![0; n_primitives << bits];
        for (primitive, p) in tables.class.primitives().iter().enumerate() {
            for (number, &speed) in levels.speeds.iter().enumerate() {
                tables.times[primitive << bits | (number + 1)] = move_time(p.time, speed);
            }
        }
        tables.refresh(grid, grid.size().rect());
        tables
    }

    /// Follows an edit of the map: redoes the poses whose swept cells can touch the changed rectangle,
    /// and the components. The tables equal freshly compiled ones afterwards.
    ///
    /// # Panics
    /// If the map is not of the size the tables were compiled for.
    pub fn update(&mut self, grid: &Grid, changed: Rect) {
        assert_eq!(grid.size(), self.space.size(), "tables of another map");
        self.revision = grid.revision();
        if !changed.is_empty() {
            self.refresh(grid, changed);
        }
    }

    fn refresh(&mut self, grid: &Grid, changed: Rect) {
        let Self { layouts, class, space, legal, terrain_levels, side_levels, n_levels, .. } = self;
        // An edge limits only where some side is slower than the fastest ground.
        let open_limits = side_levels.first().is_some_and(|&level| level < *n_levels);
        let levels = LevelsOf { grid, terrain: terrain_levels, sides: side_levels };
        with_layout!(layouts, layout => {
            let edges = open_limits || !grid.all_sides_open();
            // The first side that is not open: all edges are new.
            let changed = if edges && layout.east.is_empty() { space.size().rect() } else { changed };
            layout.refresh_levels(&levels, edges, changed);
            layout.compile_rows(class, *space, touched_anchors(class, space.size(), changed), legal);
        });
        let mut components = std::mem::take(&mut self.components);
        components.relabel(self);
        self.components = components;
    }

    fn code_bits(&self) -> u32 {
        with_layout!(&self.layouts, layout => layout.bits())
    }

    /// The class.
    pub fn class(&self) -> &MovementClass {
        &self.class
    }

    /// All poses.
    pub fn space(&self) -> StateSpace {
        self.space
    }

    /// Revision of the map that the tables were compiled from or last updated to.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Connected components of the poses.
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// Whether the pose of a state is legal.
    pub fn is_legal(&self, state: State) -> bool {
        self.legal[state.0 as usize / 64] >> (state.0 % 64) & 1 == 1
    }

    /// Whether a pose is on the map and legal.
    pub fn is_legal_pose(&self, pose: Pose) -> bool {
        self.space.state(pose).is_some_and(|state| self.is_legal(state))
    }

    /// Time of a move from a state in ticks, or `None` if it is not legal.
    pub fn move_ticks(&self, state: State, primitive: usize) -> Option<u32> {
        if primitive >= self.class.primitives().len() {
            return None;
        }
        with_layout!(&self.layouts, layout => {
            let code = layout.words[state.0 as usize].code(primitive);
            (code != 0).then(|| self.times[primitive << layout.bits() | code])
        })
    }

    /// State after a legal move.
    pub fn state_after(&self, state: State, primitive: usize) -> State {
        let heading = state.0 as usize % self.space.headings() as usize;
        State(state.0.wrapping_add_signed(self.steps[heading * STEPS_STRIDE + primitive].delta))
    }

    /// Calls `found` with every legal move from a state, in order of primitive.
    pub fn for_each_successor(&self, state: State, mut found: impl FnMut(Successor)) {
        let heading = state.0 as usize % self.space.headings() as usize;
        let steps = &self.steps[heading * STEPS_STRIDE..][..self.class.primitives().len()];
        with_layout!(&self.layouts, layout => {
            let word = layout.words[state.0 as usize];
            for (primitive, step) in steps.iter().enumerate() {
                let code = word.code(primitive);
                if code != 0 {
                    let ticks = self.times[primitive << layout.bits() | code];
                    let state = State(state.0.wrapping_add_signed(step.delta));
                    found(Successor { primitive: primitive as u8, state, ticks });
                }
            }
        })
    }

    /// Calls `found` with every legal move that leads to a state, in order of primitive, then of the
    /// heading before.
    pub fn for_each_predecessor(&self, state: State, mut found: impl FnMut(Successor)) {
        let pose = self.space.pose(state);
        for primitive in 0..self.class.primitives().len() {
            for heading in 0..self.space.headings() {
                let step = self.steps[heading as usize * STEPS_STRIDE + primitive];
                if step.heading_after != u32::from(pose.heading.0) {
                    continue;
                }
                let cell = CellXY::new(pose.cell.x - step.dx, pose.cell.y - step.dy);
                let Some(before) = self.space.state(Pose { cell, heading: Heading(heading) }) else {
                    continue;
                };
                if let Some(ticks) = self.move_ticks(before, primitive) {
                    found(Successor { primitive: primitive as u8, state: before, ticks });
                }
            }
        }
    }

    /// Least time of a primitive on any terrain of the map's table, in ticks.
    pub(crate) fn least_ticks(&self, primitive: usize) -> u32 {
        // The highest level is the fastest; a class that can stand nowhere has none.
        match self.n_levels {
            0 => self.class.primitives()[primitive].time,
            top => self.times[primitive << self.code_bits() | top],
        }
    }

    /// Longest time of any legal move, in ticks.
    pub(crate) fn most_ticks(&self) -> u64 {
        self.times.iter().copied().max().map_or(0, u64::from)
    }
}

/// The speeds of a class on a map, told apart only where some primitive's time differs.
struct Levels {
    /// Slowest speed of each level from 1, rising.
    speeds: Vec<u16>,
    of_terrain: Vec<usize>,
    of_sides: Vec<usize>,
}

impl Levels {
    fn of(legality: &Legality<'_>) -> Self {
        let (terrain, sides) = (legality.terrain_speeds(), legality.side_speeds());
        // An edge lies between two cells, so it never makes a move faster than the fastest ground.
        let top = terrain.iter().copied().max().unwrap_or(0);
        let mut all: Vec<u16> = terrain.iter().copied().chain(sides.iter().map(|&s| s.min(top))).collect();
        all.sort_unstable();
        all.dedup();
        let mut speeds: Vec<u16> = Vec::new();
        let mut last_times: Vec<u32> = Vec::new();
        for speed in all.into_iter().filter(|&speed| speed > 0) {
            let times: Vec<u32> = legality.base_times().map(|base| move_time(base, speed)).collect();
            if times != last_times {
                speeds.push(speed);
                last_times = times;
            }
        }
        let level_of = |&speed: &u16| match speed.min(top) {
            0 => 0,
            speed => speeds.partition_point(|&s| s <= speed),
        };
        let of_terrain = terrain.iter().map(level_of).collect();
        let of_sides = sides.iter().map(level_of).collect();
        Self { speeds, of_terrain, of_sides }
    }
}

/// Where levels of cells and edges are looked up.
struct LevelsOf<'a> {
    grid: &'a Grid,
    terrain: &'a [usize],
    sides: &'a [usize],
}

impl LevelsOf<'_> {
    fn edge(&self, cell: CellXY, side: Side) -> usize {
        let size = self.grid.size();
        let (dx, dy) = side.step();
        let level = |cell, side| match size.cell(cell) {
            Some(cell) => self.sides[self.grid.side_of(cell, side).0 as usize],
            None => 0,
        };
        level(cell, side).min(level(CellXY::new(cell.x + dx, cell.y + dy), side.opposite()))
    }
}

impl<W: MoveWord> Layout<W> {
    fn new(space: StateSpace) -> Self {
        Self {
            words: vec![W::default(); space.n_states()],
            cells: vec![W::Level::default(); space.size().n_cells()],
            east: Vec::new(),
            south: Vec::new(),
            levels_row: Vec::new(),
            words_row: Vec::new(),
        }
    }

    pub fn bits(&self) -> u32 {
        W::BITS
    }

    /// Reads cells and edges of the changed rectangle anew.
    fn refresh_levels(&mut self, levels: &LevelsOf<'_>, edges: bool, changed: Rect) {
        let grid = levels.grid;
        let size = grid.size();
        let width = size.width() as usize;
        for y in changed.y as usize..changed.y as usize + changed.height as usize {
            let start = y * width + changed.x as usize;
            let row = start..start + changed.width as usize;
            for (level, kind) in self.cells[row.clone()].iter_mut().zip(&grid.terrain()[row]) {
                *level = W::Level::of(levels.terrain[kind.0 as usize]);
            }
        }
        if !edges {
            return;
        }
        if self.east.is_empty() {
            self.east = vec![W::Level::default(); size.n_cells()];
            self.south = vec![W::Level::default(); size.n_cells()];
        }
        // A cell's west and north edges are kept with its neighbours there.
        let around = Rect::new(changed.x - 1, changed.y - 1, changed.width + 1, changed.height + 1);
        for xy in around.intersection(size.rect()).cells() {
            let cell = xy.y as usize * width + xy.x as usize;
            self.east[cell] = W::Level::of(levels.edge(xy, Side::East));
            self.south[cell] = W::Level::of(levels.edge(xy, Side::South));
        }
    }

    /// Compiles every state whose anchor lies in `anchors`, a row of cells at a time.
    fn compile_rows(&mut self, class: &MovementClass, space: StateSpace, anchors: Rect, legal: &mut [u64]) {
        let Self { words, cells, east, south, levels_row, words_row } = self;
        let size = space.size();
        let headings = space.headings() as usize;
        levels_row.resize(anchors.width as usize, W::Level::default());
        words_row.resize(anchors.width as usize, W::default());
        let lowest = |row: &mut [W::Level], y: i32, swept: &[Offset], edges: &[(Offset, Side)]| {
            row.fill(W::Level::TOP);
            for &offset in swept {
                lower_row(row, cells, size, anchors.x, y, offset);
            }
            if !east.is_empty() {
                for &(offset, side) in edges {
                    let plane = if side == Side::East { &*east } else { &*south };
                    lower_row(row, plane, size, anchors.x, y, offset);
                }
            }
        };
        for y in anchors.y..anchors.y + anchors.height as i32 {
            let first = (y as usize * size.width() as usize + anchors.x as usize) * headings;
            for heading in 0..headings {
                let at = Heading(heading as u8);
                lowest(levels_row, y, class.footprint().at(at), class.rest_edges(at));
                for (column, level) in levels_row.iter().enumerate() {
                    let state = first + column * headings + heading;
                    let bit = 1 << (state % 64);
                    let word = &mut legal[state / 64];
                    *word = if level.number() > 0 { *word | bit } else { *word & !bit };
                }
                words_row.fill(W::default());
                for primitive in 0..class.primitives().len() {
                    let shape = class.shape(at, primitive);
                    lowest(levels_row, y, &shape.swept, &shape.edges);
                    close_off_map(levels_row, size, anchors.x, y, shape.step);
                    for (word, &level) in words_row.iter_mut().zip(levels_row.iter()) {
                        word.set(primitive, level);
                    }
                }
                let states = words[first..].iter_mut().skip(heading).step_by(headings);
                for (state, word) in states.zip(words_row.iter()) {
                    *state = *word;
                }
            }
        }
    }
}

/// `row[i] = min(row[i], plane[(x + i, y) + offset])`, 0 where that is off the map.
fn lower_row<L: Level>(row: &mut [L], plane: &[L], size: GridSize, x: i32, y: i32, offset: Offset) {
    let Some(part) = close_off_map(row, size, x, y, offset) else { return };
    let start = (y + offset.dy) as usize * size.width() as usize;
    let from = (start as i64 + i64::from(x) + i64::from(offset.dx) + part.start as i64) as usize;
    let source = &plane[from..from + part.len()];
    for (level, &other) in row[part].iter_mut().zip(source) {
        *level = (*level).min(other);
    }
}

/// Sets the row to 0 where `(x + i, y) + offset` is off the map; returns the part that is on it.
fn close_off_map<L: Level>(
    row: &mut [L],
    size: GridSize,
    x: i32,
    y: i32,
    offset: Offset,
) -> Option<std::ops::Range<usize>> {
    let length = row.len() as i64;
    let first = i64::from(x) + i64::from(offset.dx);
    let low = (-first).clamp(0, length) as usize;
    let high = (i64::from(size.width()) - first).clamp(0, length) as usize;
    let row_on_map = (0..i64::from(size.height())).contains(&(i64::from(y) + i64::from(offset.dy)));
    if !row_on_map || low >= high {
        row.fill(L::default());
        return None;
    }
    row[..low].fill(L::default());
    row[high..].fill(L::default());
    Some(low..high)
}

/// Anchors of the poses and moves that can touch the changed cells.
fn touched_anchors(class: &MovementClass, size: GridSize, changed: Rect) -> Rect {
    let (mut low, mut high) = (Offset::default(), Offset::default());
    for heading in (0..class.headings()).map(Heading) {
        for primitive in 0..class.primitives().len() {
            for &Offset { dx, dy } in &class.shape(heading, primitive).swept {
                low = Offset::new(low.dx.min(dx), low.dy.min(dy));
                high = Offset::new(high.dx.max(dx), high.dy.max(dy));
            }
        }
    }
    let wider = Rect::new(
        changed.x - high.dx,
        changed.y - high.dy,
        changed.width + (high.dx - low.dx) as u32,
        changed.height + (high.dy - low.dy) as u32,
    );
    wider.intersection(size.rect())
}

fn steps_of(class: &MovementClass, space: StateSpace) -> Vec<Step> {
    let mut steps = vec![Step::default(); class.headings() as usize * STEPS_STRIDE];
    let headings = i64::from(space.headings());
    for heading in 0..class.headings() {
        for primitive in 0..class.primitives().len() {
            let shape = class.shape(Heading(heading), primitive);
            let Offset { dx, dy } = shape.step;
            let cells = i64::from(dy) * i64::from(space.size().width()) + i64::from(dx);
            let turned = i64::from(shape.heading_after.0) - i64::from(heading);
            // A step that does not fit 32 bits leaves the map and is never legal.
            let delta = i32::try_from(cells * headings + turned).unwrap_or(0);
            let heading_after = u32::from(shape.heading_after.0);
            steps[heading as usize * STEPS_STRIDE + primitive] = Step { delta, dx, dy, heading_after };
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_codes_apart() {
        fn check<W: MoveWord>() {
            let mut word = W::default();
            let top = (1_usize << W::BITS) - 1;
            for lane in (0..W::LANES).step_by(2) {
                word.set(lane, W::Level::of(top));
            }
            for lane in 0..W::LANES {
                assert_eq!(word.code(lane), if lane % 2 == 0 { top } else { 0 });
            }
        }
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<u128>();
        check::<[u16; 16]>();
    }
}
