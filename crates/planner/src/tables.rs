//! Movement tables: a class compiled against a map, so that a search reads nothing else.
//!
//! One word a state holds a code of a few bits for each primitive: 0 where the move is not legal, else
//! which of the class's times it takes. An expansion reads one word, whatever the size of the body.

mod levels;
mod plan;
mod rows;
mod slopes;
mod still_poses;
mod tell;
mod window;
mod words;

use crate::components::{Components, GraphChange};
use crate::footprint::Offset;
use crate::movement::{Climb, MovementClass};
use crate::pose::{Pose, State, StateSpace};
use crate::scratch::Node;
use crate::successor::{Legality, SLOPE_FLAT, move_time};
pub(crate) use levels::EDGES_MAX;
use levels::LevelsOf;
use plan::CompilePlan;
use rows::{Layout, RowsOf};
use slopes::{SlopeTimes, TooManyTimes};
use std::collections::BTreeMap;
use std::sync::Arc;
pub(crate) use still_poses::StillPoses;
use tell::Tell;
pub(crate) use tell::lanes_of;
use wheelbase_grid::{CellXY, Grid, Rect};
pub(crate) use words::MoveWord;

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

/// A primitive in one frame, as the kernel reads it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    /// Difference of the states' indices.
    pub delta: i32,
    pub dx: i32,
    pub dy: i32,
    pub heading_after: u32,
}

/// The primitives that a class has in one frame, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LanesAt {
    /// Number of the primitive, and the difference of the states' indices.
    pub lanes: [(u32, i32); 16],
    pub n: usize,
}

/// What an edit of the map did to the moves of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Some pose or move became legal or illegal, or takes another time.
    pub changed: bool,
    /// Some pose or move became legal, or takes less time. Without it what had no way has none still, and
    /// a cheapest path that is legal is still a cheapest one.
    pub eased: bool,
}

impl Update {
    fn or(self, other: Self) -> Self {
        Self { changed: self.changed || other.changed, eased: self.eased || other.eased }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Layouts {
    Bits2x4(Layout<u8>),
    Bits4x4(Layout<u16>),
    Bits4x8(Layout<u32>),
    Bits4x16(Layout<u64>),
    Bits8x16(Layout<[u8; 16]>),
    Times(Layout<[u32; 16]>),
}

/// How many moves and different times the words of a layout hold, and their bytes.
#[derive(Clone, Copy, Debug)]
struct Form {
    moves: usize,
    times: usize,
    bytes: u64,
}

impl Form {
    fn holds(self, moves: usize, times: usize) -> bool {
        moves <= self.moves && times <= self.times
    }
}

/// The [`Layouts`] in their order, from narrow to wide.
const LAYOUTS: [Form; 6] = [
    Form { moves: 4, times: 3, bytes: 1 },
    Form { moves: 4, times: 15, bytes: 2 },
    Form { moves: 8, times: 15, bytes: 4 },
    Form { moves: 16, times: 15, bytes: 8 },
    Form { moves: 16, times: 255, bytes: 16 },
    Form { moves: 16, times: usize::MAX, bytes: 64 },
];

/// Bytes of the words of a class with so many moves and different times each.
pub(crate) fn word_bytes(moves: usize, times: usize) -> u64 {
    LAYOUTS.iter().find(|form| form.holds(moves, times)).map_or(0, |form| form.bytes)
}

/// Most different times that a move of a class may take on a map.
pub(crate) fn most_times(grid: &Grid, class: &MovementClass) -> usize {
    let sloped = is_sloped(grid, class);
    let n_levels = Levels::of(&Legality::new(grid, class), sloped).speeds.len();
    let Some(heights) = grid.elevation().filter(|_| sloped) else { return n_levels };
    let range = heights.iter().copied().fold((i16::MAX, i16::MIN), |(a, b), h| (a.min(h), b.max(h)));
    let most = (i32::from(range.1) - i32::from(range.0)).unsigned_abs();
    let climb = &class.spec().climb;
    let rises = |limit: Option<u32>| limit.map_or(most, |limit| limit.min(most)) as usize;
    n_levels * (rises(climb.max_up) + rises(climb.max_down) + 1)
}

/// Whether a class on a map keeps the levels of edges.
pub(crate) fn later_sides_limit(grid: &Grid, class: &MovementClass) -> bool {
    let levels = Levels::of(&Legality::new(grid, class), is_sloped(grid, class));
    !grid.all_sides_open() || levels.of_sides.first().is_some_and(|&level| level < levels.speeds.len())
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
/// times, 16 with up to 255, 64 beyond; plus 1 bit for the pose and 1 byte a cell, and what [`Components`]
/// take; [`crate::tables_need`] tells it beforehand.
#[derive(Clone, Debug)]
pub struct MovementTables {
    class: Arc<MovementClass>,
    space: StateSpace,
    pub(crate) layouts: Layouts,
    /// `[frame * 16 + primitive]`, of sixteen frames, so that none needs to be looked for past the end.
    pub(crate) steps: Box<[Step; STEPS_STRIDE * STEPS_STRIDE]>,
    /// Which primitives there are in each frame.
    pub(crate) lanes_at: Box<[LanesAt; STEPS_STRIDE]>,
    /// Ticks by `[primitive << bits | code]`; empty where the words hold times themselves.
    pub(crate) times: Vec<u32>,
    /// The same as the kernel reads it, by [`MoveWord::cost_index`].
    pub(crate) costs: Box<[i64; COSTS]>,
    /// Where slopes count: the code of each time of each primitive. Grows with edits, never shrinks.
    slope_codes: Vec<BTreeMap<u32, u32>>,
    /// Least time of each primitive and most of all, in ticks. Edits may leave them too wide.
    least_ticks: Vec<u32>,
    most_ticks: u32,
    still: StillPoses,
    plan: CompilePlan,
    /// Level number of each terrain kind and of each side kind.
    terrain_levels: Vec<usize>,
    side_levels: Vec<usize>,
    /// Slowest speed of each level from 1, rising.
    speeds: Vec<u16>,
    components: Components,
    /// What the last update did, kept so that the next allocates nothing.
    change: GraphChange,
    revision: u64,
}

/// Updates of at most one state in so many are followed move by move by the components; after larger ones
/// all are labelled anew.
const FOLLOWED_SHARE: u64 = 2;

/// Room for the costs of the widest numbered words: sixteen moves of 256 codes each.
pub(crate) const COSTS: usize = 1 << 12;

/// Steps a frame has in `MovementTables::steps`.
pub(crate) const STEPS_STRIDE: usize = 16;

impl MovementTables {
    /// Compiles a class against a map, without [`Components`]: see [`MovementTables::make_components`]. Time
    /// is linear in states x primitives x swept cells, a row of cells at a time.
    pub fn compile(grid: &Grid, class: MovementClass) -> Self {
        Self::compile_shared(grid, Arc::new(class))
    }

    /// Makes the [`Components`] of the poses, or makes them anew; from then on every
    /// [`MovementTables::update`] keeps them true. Near linear in the number of legal moves (union-find,
    /// Tarjan 1975; strong components Tarjan 1972). That may take longer than compiling, and pays where many
    /// questions are asked or a goal may be out of reach.
    ///
    /// Without them a search for a goal that cannot be reached goes through all that can be: the same status,
    /// and the same cost with a weight of 1000, but other expansions, and with
    /// [`expansions_max`](crate::Request::expansions_max) `LimitReached` may stand for `Unreachable`.
    /// [`Components::way`] then knows nothing.
    pub fn make_components(&mut self) {
        self.components = Components::of(self);
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
        let make: [MakeLayout; LAYOUTS.len()] = [
            |space| Layouts::Bits2x4(Layout::new(space)),
            |space| Layouts::Bits4x4(Layout::new(space)),
            |space| Layouts::Bits4x8(Layout::new(space)),
            |space| Layouts::Bits4x16(Layout::new(space)),
            |space| Layouts::Bits8x16(Layout::new(space)),
            |space| Layouts::Times(Layout::new(space)),
        ];
        let fitting = LAYOUTS.iter().zip(make).filter(|(form, _)| form.holds(n_primitives, n_levels));
        for (_, layout) in fitting {
            let mut tables = Self {
                space,
                layouts: layout(space),
                steps: steps_of(&class, space),
                lanes_at: lanes_at(&class, space),
                times: Vec::new(),
                costs: Box::new([Node::ILLEGAL; COSTS]),
                slope_codes: if sloped { vec![BTreeMap::new(); n_primitives] } else { Vec::new() },
                least_ticks: Vec::new(),
                most_ticks: 0,
                still: StillPoses::default(),
                plan: CompilePlan::of(&class, space.size()),
                terrain_levels: levels.of_terrain.clone(),
                side_levels: levels.of_sides.clone(),
                speeds: levels.speeds.clone(),
                components: Components::default(),
                change: GraphChange::default(),
                revision: grid.revision(),
                class: Arc::clone(&class),
            };
            tables.list_times(sloped);
            if tables.compile_all(grid).is_ok() {
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
                    let code = number as u32 + 1;
                    with_layout!(&self.layouts, layout => layout.note_cost(&mut self.costs, primitive, code, ticks));
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
    /// If the map is not of the size and shape the tables were compiled for.
    pub fn update(&mut self, grid: &Grid, changed: Rect) -> Update {
        let of_map = (grid.size(), grid.shape());
        assert_eq!(of_map, (self.space.size(), self.space.shape()), "tables of another map");
        self.revision = grid.revision();
        if changed.is_empty() {
            return Update::default();
        }
        let same_form = is_sloped(grid, &self.class) != self.slope_codes.is_empty();
        if same_form && let Ok(update) = self.refresh(grid, changed) {
            return update;
        }
        let before = std::mem::replace(self, Self::compile_shared(grid, Arc::clone(&self.class)));
        if before.components.are_known() {
            self.components = Components::of(self);
        }
        self.compare(&before)
    }

    /// What differs from other tables of the class, state by state.
    fn compare(&self, before: &Self) -> Update {
        let mut update = Update::default();
        let mut note = |was: Option<u32>, is: Option<u32>| {
            update.changed |= was != is;
            update.eased |= is.is_some_and(|is| was.is_none_or(|was| is < was));
        };
        for state in (0..self.space.n_states() as u32).map(State) {
            let legal = |tables: &Self| tables.is_legal(state).then_some(0);
            note(legal(before), legal(self));
            for primitive in 0..self.class.primitives().len() {
                note(before.move_ticks(state, primitive), self.move_ticks(state, primitive));
            }
        }
        update
    }

    /// Compiles all of a map; fails if the layout does not hold all times.
    fn compile_all(&mut self, grid: &Grid) -> Result<(), TooManyTimes> {
        let edges = self.open_sides_limit() || !grid.all_sides_open();
        let Self { layouts, class, space, still, plan, terrain_levels, side_levels, speeds, .. } = self;
        let levels = LevelsOf { grid, terrain: terrain_levels, sides: side_levels };
        let mut slopes = SlopeTimes {
            elevation: grid.elevation().filter(|_| !self.slope_codes.is_empty()),
            speeds,
            codes: &mut self.slope_codes,
            times: &mut self.times,
            costs: &mut self.costs,
            least_ticks: &mut self.least_ticks,
            most_ticks: &mut self.most_ticks,
        };
        let of = RowsOf { class, plan, space: *space };
        with_layout!(layouts, layout => layout.compile_all(&of, (&levels, edges), still, &mut slopes))
    }

    /// Compiles what a changed rectangle can touch once more; fails if the layout does not hold all times.
    fn refresh(&mut self, grid: &Grid, changed: Rect) -> Result<Update, TooManyTimes> {
        let edges = self.open_sides_limit() || !grid.all_sides_open();
        let both_ways = self.is_reversible();
        let Self { layouts, class, space, still, plan, terrain_levels, side_levels, speeds, .. } = self;
        let levels = LevelsOf { grid, terrain: terrain_levels, sides: side_levels };
        let mut slopes = SlopeTimes {
            elevation: grid.elevation().filter(|_| !self.slope_codes.is_empty()),
            speeds,
            codes: &mut self.slope_codes,
            times: &mut self.times,
            costs: &mut self.costs,
            least_ticks: &mut self.least_ticks,
            most_ticks: &mut self.most_ticks,
        };
        let n_cells = space.size().n_cells() as u64;
        self.change.clear();
        let (followed, anchors, update) = with_layout!(layouts, layout => {
            // The first side that is not open: all edges are new.
            let changed = if edges && !layout.planes.has_edges() { space.size().rect() } else { changed };
            layout.planes.refresh(&levels, edges, changed);
            let anchors = plan.touched_anchors(space.size(), changed);
            let followed = self.components.are_known() && anchors.n_cells() * FOLLOWED_SHARE <= n_cells;
            let of = RowsOf { class, plan, space: *space };
            let mut tell = Tell {
                steps: &self.steps[..],
                space: *space,
                both_ways,
                change: followed.then_some(&mut self.change),
            };
            (followed, anchors, layout.update(&of, anchors, still, &mut slopes, &mut tell)?)
        });
        if update.changed && self.components.are_known() {
            let mut components = std::mem::take(&mut self.components);
            match followed {
                true => components.follow(self, &self.change, anchors),
                false => components.relabel(self),
            }
            self.components = components;
        }
        Ok(update)
    }

    /// Whether an edge of open sides limits: only where it is slower than the fastest ground.
    fn open_sides_limit(&self) -> bool {
        self.side_levels.first().is_some_and(|&level| level < self.speeds.len())
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
    pub fn is_reversible(&self) -> bool {
        let climb = &self.class.spec().climb;
        let one_way = !self.slope_codes.is_empty() && (climb.max_up.is_some() || climb.max_down.is_some());
        self.class.is_reversible() && !one_way
    }

    /// Whether heights count: then a move and the one that takes it back may take unlike times.
    pub(crate) fn is_sloped(&self) -> bool {
        !self.slope_codes.is_empty()
    }

    /// Legal poses without any legal move.
    pub(crate) fn still_poses(&self) -> &StillPoses {
        &self.still
    }

    /// Anchors of the poses and moves that [`MovementTables::update`] redoes for a changed rectangle.
    pub(crate) fn touched_anchors(&self, changed: Rect) -> Rect {
        self.plan.touched_anchors(self.space.size(), changed)
    }

    /// Anchors at which the moves that an update redoes end.
    pub(crate) fn touched_ends(&self, changed: Rect) -> Rect {
        self.plan.touched_ends(self.space.size(), changed)
    }

    /// Revision of the map that the tables were compiled from or last updated to.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Numbers the strong components of a class with one-way moves anew, if edits have left them
    /// [stale](Components::is_stale). Linear in the number of legal moves.
    pub fn renew_components(&mut self) {
        if !self.components.is_stale() {
            return;
        }
        let mut components = std::mem::take(&mut self.components);
        components.renew_strong(self);
        self.components = components;
    }

    /// Memory in bytes: moves, cells, the room for updates once there was one, and the [`Components`] if they
    /// were made. Without the class, which takes as much for each that is made of it as its moves sweep.
    pub fn memory_bytes(&self) -> usize {
        let layout = with_layout!(&self.layouts, layout => layout.memory_bytes());
        let steps = size_of_val(&*self.steps) + size_of_val(&*self.lanes_at) + size_of_val(&*self.costs);
        let times = 4 * (self.times.capacity() + self.least_ticks.capacity());
        layout
            + steps
            + times
            + self.still.memory_bytes()
            + self.change.memory_bytes()
            + self.components.memory_bytes()
    }

    /// Connected components of the poses; without any label where none were
    /// [made](MovementTables::make_components).
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// Whether the pose of a state is legal.
    #[inline]
    pub fn is_legal(&self, state: State) -> bool {
        let state = state.0 as usize;
        with_layout!(&self.layouts, layout => layout.has_move(state)) || self.still.contains(state)
    }

    /// Whether a pose is on the map and legal.
    pub fn is_legal_pose(&self, pose: Pose) -> bool {
        self.space.state(pose).is_some_and(|state| self.is_legal(state))
    }

    /// Time of a move from a state in ticks, or `None` if it is not legal.
    #[inline]
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
    #[inline]
    pub fn state_after(&self, state: State, primitive: usize) -> State {
        let frame = self.space.frame_of(state).0 as usize;
        State(state.0.wrapping_add_signed(self.steps[frame * STEPS_STRIDE + primitive].delta))
    }

    /// Calls `found` with every legal move from a state, in order of primitive.
    pub fn for_each_successor(&self, state: State, mut found: impl FnMut(Successor)) {
        let frame = self.space.frame_of(state).0 as usize;
        let steps = &self.steps[frame * STEPS_STRIDE..][..self.class.primitives().len()];
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

    /// Calls `found` with every state that a legal move leads to or from; some come more than once.
    pub fn for_each_neighbour(&self, state: State, mut found: impl FnMut(State)) {
        self.for_each_successor(state, |next| found(next.state));
        if !self.is_reversible() {
            self.for_each_predecessor(state, |before| found(before.state));
        }
    }

    /// Calls `found` with every legal move that leads to a state, in order of primitive, then of the
    /// heading before.
    pub fn for_each_predecessor(&self, state: State, mut found: impl FnMut(Successor)) {
        let pose = self.space.pose(state);
        for primitive in 0..self.class.primitives().len() {
            for frame in self.class.frames() {
                let step = self.steps[frame.0 as usize * STEPS_STRIDE + primitive];
                if step.heading_after != u32::from(pose.heading.0) {
                    continue;
                }
                let cell = CellXY::new(pose.cell.x - step.dx, pose.cell.y - step.dy);
                let before = Pose { cell, heading: self.class.heading_of(frame) };
                if self.space.frame(before) != frame {
                    continue;
                }
                let Some(before) = self.space.state(before) else { continue };
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

fn lanes_at(class: &MovementClass, space: StateSpace) -> Box<[LanesAt; STEPS_STRIDE]> {
    let steps = steps_of(class, space);
    let mut lanes = Box::new([LanesAt::default(); STEPS_STRIDE]);
    for frame in class.frames() {
        let at = &mut lanes[frame.0 as usize];
        for primitive in (0..class.primitives().len()).filter(|&p| class.shape(frame, p).applies) {
            at.lanes[at.n] = (primitive as u32, steps[frame.0 as usize * STEPS_STRIDE + primitive].delta);
            at.n += 1;
        }
    }
    lanes
}

fn steps_of(class: &MovementClass, space: StateSpace) -> Box<[Step; STEPS_STRIDE * STEPS_STRIDE]> {
    let mut steps = Box::new([Step::default(); STEPS_STRIDE * STEPS_STRIDE]);
    let headings = i64::from(space.headings());
    for frame in class.frames() {
        for primitive in 0..class.primitives().len() {
            let shape = class.shape(frame, primitive);
            let Offset { dx, dy } = shape.step;
            let cells = i64::from(dy) * i64::from(space.size().width()) + i64::from(dx);
            let turned = i64::from(shape.heading_after.0) - i64::from(class.heading_of(frame).0);
            // A step that does not fit 32 bits leaves the map and is never legal.
            let delta = i32::try_from(cells * headings + turned).unwrap_or(0);
            let heading_after = u32::from(shape.heading_after.0);
            steps[frame.0 as usize * STEPS_STRIDE + primitive] = Step { delta, dx, dy, heading_after };
        }
    }
    steps
}
