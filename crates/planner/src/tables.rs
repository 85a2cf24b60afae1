//! Movement tables: a class compiled against a map, so that a search reads nothing else.
//!
//! One word a state holds a code of a few bits for each primitive: 0 where the move is not legal, else
//! which of the class's times it takes. An expansion reads one word, whatever the size of the body.

use crate::components::Components;
use crate::footprint::Offset;
use crate::movement::{Climb, MovementClass};
use crate::pose::{Heading, Pose, State, StateSpace};
use crate::successor::{Legality, SLOPE_FLAT, climbs, move_time, slope_of, tilts};
use std::collections::BTreeMap;
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

/// The legal primitives of one state and their times, packed.
pub(crate) trait MoveWord: Copy + Default + Send + Sync {
    /// Element type of the speed levels that fit its codes.
    type Level: Level;
    /// Bits of a code.
    const BITS: u32;
    /// Greatest code; 0 is an illegal move.
    const CODE_MAX: u32;
    /// Codes in a word.
    const LANES: usize;
    /// Whether codes are numbers of times, not times themselves.
    const NUMBERED: bool;
    fn code(self, lane: usize) -> usize;
    fn set(&mut self, lane: usize, code: u32);
    /// Time of a legal move in ticks.
    #[inline(always)]
    fn ticks(self, lane: usize, times: &[u32]) -> u32 {
        times[lane << Self::BITS | self.code(lane)]
    }
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
            const CODE_MAX: u32 = (1 << $bits) - 1;
            const LANES: usize = (<$type>::BITS / $bits) as usize;
            const NUMBERED: bool = true;
            #[inline(always)]
            fn code(self, lane: usize) -> usize {
                ((self >> (lane as u32 * $bits)) & ((1 << $bits) - 1)) as usize
            }
            #[inline(always)]
            fn set(&mut self, lane: usize, code: u32) {
                *self |= (code as Self) << (lane as u32 * $bits);
            }
        }
    };
}
packed_word!(u8, 2);
packed_word!(u16, 4);
packed_word!(u32, 4);
packed_word!(u64, 4);
packed_word!(u128, 8);

/// Times themselves, where a primitive has more than 255 different ones: many slopes, or very many speeds.
impl MoveWord for [u32; 16] {
    type Level = u16;
    const BITS: u32 = 0;
    const CODE_MAX: u32 = u32::MAX;
    const LANES: usize = 16;
    const NUMBERED: bool = false;
    fn code(self, lane: usize) -> usize {
        self[lane] as usize
    }
    fn set(&mut self, lane: usize, code: u32) {
        self[lane] = code;
    }
    fn ticks(self, lane: usize, _: &[u32]) -> u32 {
        self[lane]
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
    heights: HeightRows,
}

/// Highest and lowest cell under the footprint, at the start and at the end of a move, a row of anchors.
#[derive(Clone, Debug, Default)]
struct HeightRows {
    before_high: Vec<i16>,
    before_low: Vec<i16>,
    after_high: Vec<i16>,
    after_low: Vec<i16>,
}

#[derive(Clone, Debug)]
pub(crate) enum Layouts {
    Bits2x4(Layout<u8>),
    Bits4x4(Layout<u16>),
    Bits4x8(Layout<u32>),
    Bits4x16(Layout<u64>),
    Bits8x16(Layout<u128>),
    Times(Layout<[u32; 16]>),
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
            $crate::tables::Layouts::Times($layout) => $body,
        }
    };
}
pub(crate) use with_layout;

/// A movement class compiled against one map: for each pose, which primitives are legal and what each
/// costs. Shared by all agents of the class; a search reads nothing else of the map.
///
/// Memory a state: 1 byte with up to 4 primitives and 3 different times each, 2 to 8 with up to 15
/// times, 16 with up to 255, 64 beyond; plus 1 bit for the pose, 4 bytes for its component, and 1
/// byte a cell.
#[derive(Clone, Debug)]
pub struct MovementTables {
    class: Arc<MovementClass>,
    space: StateSpace,
    pub(crate) layouts: Layouts,
    /// `[heading * 16 + primitive]`.
    pub(crate) steps: Vec<Step>,
    /// Ticks by `[primitive << bits | code]`; empty where the words hold times themselves.
    pub(crate) times: Vec<u32>,
    /// Where slopes count: the code of each time of each primitive. Grows with edits, never shrinks.
    slope_codes: Vec<BTreeMap<u32, u32>>,
    /// Least time of each primitive and most of all, in ticks. Edits may leave them too wide.
    least_ticks: Vec<u32>,
    most_ticks: u32,
    /// One bit a state: its pose is legal.
    legal: Vec<u64>,
    /// Level number of each terrain kind and of each side kind.
    terrain_levels: Vec<usize>,
    side_levels: Vec<usize>,
    /// Slowest speed of each level from 1, rising.
    speeds: Vec<u16>,
    components: Components,
    revision: u64,
}

/// Steps a heading has in `MovementTables::steps`.
pub(crate) const STEPS_STRIDE: usize = 16;

impl MovementTables {
    /// Compiles a class against a map. Time is linear in states x primitives x swept cells, a row of
    /// cells at a time.
    pub fn compile(grid: &Grid, class: MovementClass) -> Self {
        Self::compile_shared(grid, Arc::new(class))
    }

    fn compile_shared(grid: &Grid, class: Arc<MovementClass>) -> Self {
        let legality = Legality::new(grid, &class);
        let sloped = is_sloped(grid, &class);
        let levels = Levels::of(&legality, sloped);
        let space = legality.space();
        let n_primitives = class.primitives().len();
        let n_levels = levels.speeds.len();
        // With slopes the number of different times is known only afterwards: the next wider layout is
        // taken when one does not hold them.
        type MakeLayout = fn(StateSpace) -> Layouts;
        let wider: [(usize, usize, MakeLayout); 6] = [
            (4, 3, |space| Layouts::Bits2x4(Layout::new(space))),
            (4, 15, |space| Layouts::Bits4x4(Layout::new(space))),
            (8, 15, |space| Layouts::Bits4x8(Layout::new(space))),
            (16, 15, |space| Layouts::Bits4x16(Layout::new(space))),
            (16, 255, |space| Layouts::Bits8x16(Layout::new(space))),
            (16, usize::MAX, |space| Layouts::Times(Layout::new(space))),
        ];
        let fitting =
            wider.into_iter().filter(|&(lanes, times, _)| n_primitives <= lanes && n_levels <= times);
        for (_, _, layout) in fitting {
            let mut tables = Self {
                space,
                layouts: layout(space),
                steps: steps_of(&class, space),
                times: Vec::new(),
                slope_codes: if sloped { vec![BTreeMap::new(); n_primitives] } else { Vec::new() },
                least_ticks: Vec::new(),
                most_ticks: 0,
                legal: vec![0; space.n_states().div_ceil(64)],
                terrain_levels: levels.of_terrain.clone(),
                side_levels: levels.of_sides.clone(),
                speeds: levels.speeds.clone(),
                components: Components::default(),
                revision: grid.revision(),
                class: Arc::clone(&class),
            };
            tables.list_times(sloped);
            if tables.refresh(grid, grid.size().rect()).is_ok() {
                return tables;
            }
        }
        unreachable!("the widest layout holds any time")
    }

    /// The times that are known beforehand: all of them on flat ground.
    fn list_times(&mut self, sloped: bool) {
        let n_primitives = self.class.primitives().len();
        let (bits, numbered) = with_layout!(&self.layouts, layout => (layout.bits(), layout.numbered()));
        if numbered {
            self.times = vec![0; n_primitives << bits];
        }
        if sloped {
            self.least_ticks = vec![u32::MAX; n_primitives];
            return;
        }
        for (primitive, p) in self.class.primitives().iter().enumerate() {
            for (number, &speed) in self.speeds.iter().enumerate() {
                let ticks = move_time(p.time, SLOPE_FLAT, speed);
                self.most_ticks = self.most_ticks.max(ticks);
                if numbered {
                    self.times[primitive << bits | (number + 1)] = ticks;
                }
            }
            // The highest level is the fastest; a class that can stand nowhere has none.
            let fastest = self.speeds.last().map(|&speed| move_time(p.time, SLOPE_FLAT, speed));
            self.least_ticks.push(fastest.unwrap_or(p.time));
        }
    }

    /// Follows an edit of the map: redoes the poses whose swept cells can touch the changed rectangle,
    /// and the components. The tables equal freshly compiled ones afterwards. The first elevation of a
    /// map, and slopes that bring more different times than the layout holds, compile all anew.
    ///
    /// # Panics
    /// If the map is not of the size the tables were compiled for.
    pub fn update(&mut self, grid: &Grid, changed: Rect) {
        assert_eq!(grid.size(), self.space.size(), "tables of another map");
        self.revision = grid.revision();
        if changed.is_empty() {
            return;
        }
        let same_form = is_sloped(grid, &self.class) != self.slope_codes.is_empty();
        if !same_form || self.refresh(grid, changed).is_err() {
            *self = Self::compile_shared(grid, Arc::clone(&self.class));
        }
    }

    /// Compiles what a changed rectangle can touch; fails if the layout does not hold all times.
    fn refresh(&mut self, grid: &Grid, changed: Rect) -> Result<(), TooManyTimes> {
        let Self { layouts, class, space, legal, terrain_levels, side_levels, speeds, .. } = self;
        // An edge limits only where some side is slower than the fastest ground.
        let open_limits = side_levels.first().is_some_and(|&level| level < speeds.len());
        let levels = LevelsOf { grid, terrain: terrain_levels, sides: side_levels };
        let mut slopes = SlopeTimes {
            elevation: grid.elevation().filter(|_| !self.slope_codes.is_empty()),
            speeds,
            codes: &mut self.slope_codes,
            times: &mut self.times,
            least_ticks: &mut self.least_ticks,
            most_ticks: &mut self.most_ticks,
        };
        with_layout!(layouts, layout => {
            let edges = open_limits || !grid.all_sides_open();
            // The first side that is not open: all edges are new.
            let changed = if edges && layout.east.is_empty() { space.size().rect() } else { changed };
            layout.refresh_levels(&levels, edges, changed);
            let anchors = touched_anchors(class, space.size(), changed);
            layout.compile_rows(class, *space, anchors, legal, &mut slopes)?;
        });
        let mut components = std::mem::take(&mut self.components);
        components.relabel(self);
        self.components = components;
        Ok(())
    }

    /// The class.
    pub fn class(&self) -> &MovementClass {
        &self.class
    }

    /// All poses.
    pub fn space(&self) -> StateSpace {
        self.space
    }

    /// Whether every legal move can be taken back by one legal move.
    pub(crate) fn is_reversible(&self) -> bool {
        let climb = &self.class.spec().climb;
        let one_way = !self.slope_codes.is_empty() && (climb.max_up.is_some() || climb.max_down.is_some());
        self.class.is_reversible() && !one_way
    }

    /// Whether heights count: then a move and the one that takes it back may take unlike times.
    pub(crate) fn is_sloped(&self) -> bool {
        !self.slope_codes.is_empty()
    }

    /// Anchors of the poses and moves that [`MovementTables::update`] redoes for a changed rectangle.
    pub(crate) fn touched_anchors(&self, changed: Rect) -> Rect {
        touched_anchors(&self.class, self.space.size(), changed)
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
            let word = layout.words[state.0 as usize];
            (word.code(primitive) != 0).then(|| word.ticks(primitive, &self.times))
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
                if word.code(primitive) != 0 {
                    let ticks = word.ticks(primitive, &self.times);
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

    /// No legal move by the primitive takes less, in ticks.
    pub(crate) fn least_ticks(&self, primitive: usize) -> u32 {
        self.least_ticks[primitive]
    }

    /// No legal move takes more, in ticks.
    pub(crate) fn most_ticks(&self) -> u64 {
        u64::from(self.most_ticks)
    }
}

/// Whether heights matter to a class on a map.
fn is_sloped(grid: &Grid, class: &MovementClass) -> bool {
    grid.elevation().is_some() && class.spec().climb != Climb::default()
}

/// A primitive has more different times than the layout has codes.
struct TooManyTimes;

/// Times of moves on slopes, and their codes.
struct SlopeTimes<'a> {
    /// `[height * width]`; `None` where heights do not matter.
    elevation: Option<&'a [i16]>,
    speeds: &'a [u16],
    codes: &'a mut [BTreeMap<u32, u32>],
    times: &'a mut [u32],
    least_ticks: &'a mut [u32],
    most_ticks: &'a mut u32,
}

impl SlopeTimes<'_> {
    /// Code of a time; a new one if it has none yet.
    fn code<W: MoveWord>(&mut self, primitive: usize, ticks: u32) -> Result<u32, TooManyTimes> {
        if !W::NUMBERED {
            self.widen(primitive, ticks);
            return Ok(ticks);
        }
        let codes = &mut self.codes[primitive];
        if let Some(&code) = codes.get(&ticks) {
            return Ok(code);
        }
        let code = codes.len() as u32 + 1;
        if code > W::CODE_MAX {
            return Err(TooManyTimes);
        }
        codes.insert(ticks, code);
        self.times[primitive << W::BITS | code as usize] = ticks;
        self.widen(primitive, ticks);
        Ok(code)
    }

    fn widen(&mut self, primitive: usize, ticks: u32) {
        self.least_ticks[primitive] = self.least_ticks[primitive].min(ticks);
        *self.most_ticks = (*self.most_ticks).max(ticks);
    }
}

/// The speeds of a class on a map; on flat ground told apart only where some primitive's time differs.
struct Levels {
    /// Slowest speed of each level from 1, rising.
    speeds: Vec<u16>,
    of_terrain: Vec<usize>,
    of_sides: Vec<usize>,
}

impl Levels {
    fn of(legality: &Legality<'_>, sloped: bool) -> Self {
        let (terrain, sides) = (legality.terrain_speeds(), legality.side_speeds());
        // An edge lies between two cells, so it never makes a move faster than the fastest ground.
        let top = terrain.iter().copied().max().unwrap_or(0);
        let mut all: Vec<u16> = terrain.iter().copied().chain(sides.iter().map(|&s| s.min(top))).collect();
        all.sort_unstable();
        all.dedup();
        let mut speeds: Vec<u16> = Vec::new();
        let mut last_times: Vec<u32> = Vec::new();
        for speed in all.into_iter().filter(|&speed| speed > 0) {
            let times: Vec<u32> =
                legality.base_times().map(|base| move_time(base, SLOPE_FLAT, speed)).collect();
            if sloped || times != last_times {
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
            heights: HeightRows::default(),
        }
    }

    fn bits(&self) -> u32 {
        W::BITS
    }

    fn numbered(&self) -> bool {
        W::NUMBERED
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
    fn compile_rows(
        &mut self,
        class: &MovementClass,
        space: StateSpace,
        anchors: Rect,
        legal: &mut [u64],
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<(), TooManyTimes> {
        let Self { words, cells, east, south, levels_row, words_row, heights } = self;
        let size = space.size();
        let headings = space.headings() as usize;
        let climb = &class.spec().climb;
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
                if let Some(elevation) = slopes.elevation {
                    heights.read_before(elevation, size, anchors, y, class.footprint().at(at));
                    heights.close_tilted(levels_row, climb);
                }
                for (column, level) in levels_row.iter().enumerate() {
                    let state = first + column * headings + heading;
                    let bit = 1 << (state % 64);
                    let word = &mut legal[state / 64];
                    *word = if level.number() > 0 { *word | bit } else { *word & !bit };
                }
                words_row.fill(W::default());
                for primitive in 0..class.primitives().len() {
                    let shape = class.shape(at, primitive);
                    if !shape.applies {
                        continue;
                    }
                    lowest(levels_row, y, &shape.swept, &shape.edges);
                    close_off_map(levels_row, size, anchors.x, y, shape.step);
                    let base = class.primitives()[primitive].time;
                    match slopes.elevation {
                        None if W::NUMBERED => {
                            for (word, &level) in words_row.iter_mut().zip(levels_row.iter()) {
                                word.set(primitive, level.number() as u32);
                            }
                        }
                        None => {
                            let legal =
                                words_row.iter_mut().zip(levels_row.iter()).filter(|(_, l)| l.number() > 0);
                            for (word, level) in legal {
                                let speed = slopes.speeds[level.number() - 1];
                                word.set(primitive, move_time(base, SLOPE_FLAT, speed));
                            }
                        }
                        Some(elevation) => {
                            let after = class.footprint().at(shape.heading_after);
                            heights.read_after(elevation, size, anchors, y, after, shape.step);
                            for (column, word) in words_row.iter_mut().enumerate() {
                                let Some(rise) = heights.rise(column, climb) else { continue };
                                let level = levels_row[column].number();
                                if level > 0 {
                                    let ticks =
                                        move_time(base, slope_of(climb, rise), slopes.speeds[level - 1]);
                                    word.set(primitive, slopes.code::<W>(primitive, ticks)?);
                                }
                            }
                        }
                    }
                }
                let states = words[first..].iter_mut().skip(heading).step_by(headings);
                for (state, word) in states.zip(words_row.iter()) {
                    *state = *word;
                }
            }
        }
        Ok(())
    }
}

impl HeightRows {
    fn read_before(&mut self, elevation: &[i16], size: GridSize, anchors: Rect, y: i32, cells: &[Offset]) {
        let place = (anchors.x, y, anchors.width as usize);
        read_heights(&mut self.before_high, &mut self.before_low, elevation, size, place, cells);
    }

    fn read_after(
        &mut self,
        elevation: &[i16],
        size: GridSize,
        anchors: Rect,
        y: i32,
        cells: &[Offset],
        step: Offset,
    ) {
        let place = (anchors.x + step.dx, y + step.dy, anchors.width as usize);
        read_heights(&mut self.after_high, &mut self.after_low, elevation, size, place, cells);
    }

    /// Sets the levels to 0 where the body would tilt too far.
    fn close_tilted<L: Level>(&self, levels: &mut [L], climb: &Climb) {
        for (column, level) in levels.iter_mut().enumerate() {
            if !tilts(climb, i32::from(self.before_high[column]) - i32::from(self.before_low[column])) {
                *level = L::default();
            }
        }
    }

    /// Rise of the move from a column's anchor, if the class can take it and the tilt at both ends.
    fn rise(&self, column: usize, climb: &Climb) -> Option<i32> {
        let [before, before_low, after, after_low] =
            [&self.before_high, &self.before_low, &self.after_high, &self.after_low]
                .map(|row| i32::from(row[column]));
        let rise = after - before;
        let legal =
            tilts(climb, before - before_low) && tilts(climb, after - after_low) && climbs(climb, rise);
        legal.then_some(rise)
    }
}

/// Highest and lowest of the cells about each anchor of a row; cells off the map do not count.
fn read_heights(
    high: &mut Vec<i16>,
    low: &mut Vec<i16>,
    elevation: &[i16],
    size: GridSize,
    (x, y, length): (i32, i32, usize),
    cells: &[Offset],
) {
    high.clear();
    high.resize(length, i16::MIN);
    low.clear();
    low.resize(length, i16::MAX);
    for offset in cells {
        let row = y + offset.dy;
        if !(0..size.height() as i32).contains(&row) {
            continue;
        }
        let first = i64::from(x) + i64::from(offset.dx);
        let from = (-first).clamp(0, length as i64) as usize;
        let to = (i64::from(size.width()) - first).clamp(0, length as i64) as usize;
        if from >= to {
            continue;
        }
        let start = (i64::from(row) * i64::from(size.width()) + first + from as i64) as usize;
        let source = &elevation[start..start + (to - from)];
        for ((high, low), &height) in high[from..to].iter_mut().zip(&mut low[from..to]).zip(source) {
            *high = (*high).max(height);
            *low = (*low).min(height);
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
                word.set(lane, top as u32);
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
    }
}
