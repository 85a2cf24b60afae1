//! Movement tables: a class compiled against a map, so that a search reads nothing else.
//!
//! One word a state holds a code of a few bits for each primitive: 0 where the move is not legal, else
//! which of the class's times it takes. An expansion reads one word, whatever the size of the body.

use crate::model::class_spec::Climb;
use crate::model::movement::MovementClass;
use crate::model::offset::Offset;
use crate::model::pose::{Pose, State, StateSpace};
use crate::model::successor::{Legality, SLOPE_FLAT, move_time};
use crate::tables::change_log::ChangeLog;
use crate::tables::components::Components;
use crate::tables::graph_change::GraphChange;
use crate::tables::isolated_poses::IsolatedPoses;
use crate::tables::layouts::{Layouts, with_layout};
use crate::tables::node::Node;
use crate::tables::plan::CompilePlan;
use crate::tables::pose_graph::PoseGraph;
use crate::tables::row_words::RowsOf;
use crate::tables::rows::Layout;
use crate::tables::slopes::{SlopeTimes, TooManyTimes};
use crate::tables::speed_classes::SpeedClassesOf;
use crate::tables::steps::{COSTS, STEPS_STRIDE, SlotsAt, Step, Successor, Update};
use std::collections::BTreeMap;
use std::sync::Arc;
use wheelbase_grid::{Grid, Rect};

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
    let n_speed_classes = SpeedClasses::of(&Legality::new(grid, class), sloped).speeds.len();
    let Some(heights) = grid.elevation().filter(|_| sloped) else { return n_speed_classes };
    let range = heights.iter().copied().fold((i16::MAX, i16::MIN), |(a, b), h| (a.min(h), b.max(h)));
    let most = (i32::from(range.1) - i32::from(range.0)).unsigned_abs();
    let climb = &class.spec().climb;
    let rises = |limit: Option<u32>| limit.map_or(most, |limit| limit.min(most)) as usize;
    n_speed_classes * (rises(climb.max_up) + rises(climb.max_down) + 1)
}

/// Whether a class on a map keeps the levels of edges.
pub(crate) fn later_sides_limit(grid: &Grid, class: &MovementClass) -> bool {
    let speed_classes = SpeedClasses::of(&Legality::new(grid, class), is_sloped(grid, class));
    !grid.all_sides_open()
        || speed_classes.of_sides.first().is_some_and(|&speed_class| speed_class < speed_classes.speeds.len())
}

/// A movement class compiled against one map: for each pose, which primitives are legal and what each
/// costs. Shared by all agents of the class; a search reads nothing else of the map.
///
/// Memory a state: 1 byte with up to 4 primitives and 3 different times each, 2 to 8 with up to 15
/// times, 16 with up to 255, 64 beyond; plus 1 bit for the pose and 1 byte a cell, and what [`Components`]
/// take; [`crate::tables_need`] tells it beforehand.
#[derive(Clone, Debug)]
pub struct MovementTables {
    pub(crate) graph: PoseGraph,
    plan: CompilePlan,
    /// Level number of each terrain kind and of each side kind.
    terrain_speed_classes: Vec<usize>,
    side_speed_classes: Vec<usize>,
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
        self.components = Components::of(&self.graph);
    }

    fn compile_shared(grid: &Grid, class: Arc<MovementClass>) -> Self {
        let legality = Legality::new(grid, &class);
        let sloped = is_sloped(grid, &class);
        let speed_classes = SpeedClasses::of(&legality, sloped);
        let space = legality.space();
        let n_primitives = class.primitives().len();
        let n_speed_classes = speed_classes.speeds.len();
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
        let fitting = LAYOUTS.iter().zip(make).filter(|(form, _)| form.holds(n_primitives, n_speed_classes));
        for (_, layout) in fitting {
            let graph = PoseGraph {
                space,
                layouts: layout(space),
                steps: steps_of(&class, space),
                slots_at: slots_at(&class, space),
                times: Vec::new(),
                costs: Box::new([Node::ILLEGAL; COSTS]),
                slope_codes: if sloped { vec![BTreeMap::new(); n_primitives] } else { Vec::new() },
                least_ticks: Vec::new(),
                most_ticks: 0,
                isolated: IsolatedPoses::default(),
                class: Arc::clone(&class),
            };
            let mut tables = Self {
                graph,
                plan: CompilePlan::of(&class, space.size()),
                terrain_speed_classes: speed_classes.of_terrain.clone(),
                side_speed_classes: speed_classes.of_sides.clone(),
                speeds: speed_classes.speeds.clone(),
                components: Components::default(),
                change: GraphChange::default(),
                revision: grid.revision(),
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
        let n_primitives = self.graph.class.primitives().len();
        let (bits, numbered) =
            with_layout!(&self.graph.layouts, layout => (layout.bits(), layout.numbered()));
        if numbered {
            self.graph.times = vec![0; n_primitives << bits];
        }
        if sloped {
            self.graph.least_ticks = vec![u32::MAX; n_primitives];
            return;
        }
        for (primitive, p) in self.graph.class.primitives().iter().enumerate() {
            for (number, &speed) in self.speeds.iter().enumerate() {
                let ticks = move_time(p.time, SLOPE_FLAT, speed);
                self.graph.most_ticks = self.graph.most_ticks.max(ticks);
                if numbered {
                    self.graph.times[primitive << bits | (number + 1)] = ticks;
                    let code = number as u32 + 1;
                    with_layout!(&self.graph.layouts, layout => layout.note_cost(&mut self.graph.costs, primitive, code, ticks));
                }
            }
            // The highest level is the fastest; a class that can stand nowhere has none.
            let fastest = self.speeds.last().map(|&speed| move_time(p.time, SLOPE_FLAT, speed));
            self.graph.least_ticks.push(fastest.unwrap_or(p.time));
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
        assert_eq!(of_map, (self.graph.space.size(), self.graph.space.shape()), "tables of another map");
        self.revision = grid.revision();
        if changed.is_empty() {
            return Update::default();
        }
        let same_form = is_sloped(grid, &self.graph.class) != self.graph.slope_codes.is_empty();
        if same_form && let Ok(update) = self.refresh(grid, changed) {
            return update;
        }
        let before = std::mem::replace(self, Self::compile_shared(grid, Arc::clone(&self.graph.class)));
        if before.components.are_known() {
            self.components = Components::of(&self.graph);
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
        for state in (0..self.graph.space.n_states() as u32).map(State) {
            let legal = |tables: &Self| tables.is_legal(state).then_some(0);
            note(legal(before), legal(self));
            for primitive in 0..self.graph.class.primitives().len() {
                note(before.move_ticks(state, primitive), self.move_ticks(state, primitive));
            }
        }
        update
    }

    /// Compiles all of a map; fails if the layout does not hold all times.
    fn compile_all(&mut self, grid: &Grid) -> Result<(), TooManyTimes> {
        let edges = self.open_sides_limit() || !grid.all_sides_open();
        let Self { graph, plan, terrain_speed_classes, side_speed_classes, speeds, .. } = self;
        let PoseGraph {
            layouts,
            class,
            space,
            isolated,
            slope_codes,
            times,
            costs,
            least_ticks,
            most_ticks,
            ..
        } = graph;
        let speed_classes =
            SpeedClassesOf { grid, terrain: terrain_speed_classes, sides: side_speed_classes };
        let mut slopes = SlopeTimes {
            elevation: grid.elevation().filter(|_| !slope_codes.is_empty()),
            speeds,
            codes: slope_codes,
            times,
            costs,
            least_ticks,
            most_ticks,
        };
        let of = RowsOf { class, plan, space: *space };
        with_layout!(layouts, layout => layout.compile_all(&of, (&speed_classes, edges), isolated, &mut slopes))
    }

    /// Compiles what a changed rectangle can touch once more; fails if the layout does not hold all times.
    fn refresh(&mut self, grid: &Grid, changed: Rect) -> Result<Update, TooManyTimes> {
        let edges = self.open_sides_limit() || !grid.all_sides_open();
        let both_ways = self.is_reversible();
        let Self { graph, plan, terrain_speed_classes, side_speed_classes, speeds, .. } = self;
        let PoseGraph {
            layouts,
            class,
            space,
            isolated,
            slope_codes,
            times,
            costs,
            least_ticks,
            most_ticks,
            ..
        } = graph;
        let speed_classes =
            SpeedClassesOf { grid, terrain: terrain_speed_classes, sides: side_speed_classes };
        let mut slopes = SlopeTimes {
            elevation: grid.elevation().filter(|_| !slope_codes.is_empty()),
            speeds,
            codes: slope_codes,
            times,
            costs,
            least_ticks,
            most_ticks,
        };
        let n_cells = space.size().n_cells() as u64;
        self.change.clear();
        let (followed, anchors, update) = with_layout!(layouts, layout => {
            // The first side that is not open: all edges are new.
            let changed = if edges && !layout.planes.has_edges() { space.size().rect() } else { changed };
            layout.planes.refresh(&speed_classes, edges, changed);
            let anchors = plan.touched_anchors(space.size(), changed);
            let followed = self.components.are_known() && anchors.n_cells() * FOLLOWED_SHARE <= n_cells;
            let of = RowsOf { class, plan, space: *space };
            let mut change_log = ChangeLog {
                steps: &graph.steps[..],
                space: *space,
                both_ways,
                change: followed.then_some(&mut self.change),
            };
            (followed, anchors, layout.update(&of, anchors, isolated, &mut slopes, &mut change_log)?)
        });
        if update.changed && self.components.are_known() {
            let mut components = std::mem::take(&mut self.components);
            match followed {
                true => components.follow(&self.graph, &self.change, anchors),
                false => components.relabel(&self.graph),
            }
            self.components = components;
        }
        Ok(update)
    }

    /// Whether an edge of open sides limits: only where it is slower than the fastest ground.
    fn open_sides_limit(&self) -> bool {
        self.side_speed_classes.first().is_some_and(|&speed_class| speed_class < self.speeds.len())
    }

    /// The class.
    #[inline]
    pub fn class(&self) -> &MovementClass {
        self.graph.class()
    }

    /// All poses.
    #[inline]
    pub fn space(&self) -> StateSpace {
        self.graph.space()
    }

    /// Whether every legal move can be taken back by one legal move.
    #[inline]
    pub fn is_reversible(&self) -> bool {
        self.graph.is_reversible()
    }

    /// Whether heights count: then a move and the one that takes it back may take unlike times.
    #[inline]
    pub(crate) fn is_sloped(&self) -> bool {
        self.graph.is_sloped()
    }

    /// Whether the pose of a state is legal.
    #[inline]
    pub fn is_legal(&self, state: State) -> bool {
        self.graph.is_legal(state)
    }

    /// Whether a pose is on the map and legal.
    #[inline]
    pub fn is_legal_pose(&self, pose: Pose) -> bool {
        self.graph.is_legal_pose(pose)
    }

    /// Time of a move from a state in ticks, or `None` if it is not legal.
    #[inline]
    pub fn move_ticks(&self, state: State, primitive: usize) -> Option<u32> {
        self.graph.move_ticks(state, primitive)
    }

    /// State after a legal move.
    #[inline]
    pub fn state_after(&self, state: State, primitive: usize) -> State {
        self.graph.state_after(state, primitive)
    }

    /// Calls `found` with every legal move from a state, in order of primitive.
    #[inline]
    pub fn for_each_successor(&self, state: State, found: impl FnMut(Successor)) {
        self.graph.for_each_successor(state, found);
    }

    /// Calls `found` with every state that a legal move leads to or from; some come more than once.
    #[inline]
    pub fn for_each_neighbour(&self, state: State, found: impl FnMut(State)) {
        self.graph.for_each_neighbour(state, found);
    }

    /// Calls `found` with every legal move that leads to a state, in order of primitive, then of the
    /// heading before.
    #[inline]
    pub fn for_each_predecessor(&self, state: State, found: impl FnMut(Successor)) {
        self.graph.for_each_predecessor(state, found);
    }

    /// No legal move by the primitive takes less, in ticks.
    #[inline]
    pub(crate) fn least_ticks(&self, primitive: usize) -> u32 {
        self.graph.least_ticks(primitive)
    }

    /// No legal move takes more, in ticks.
    #[inline]
    pub(crate) fn most_ticks(&self) -> u64 {
        self.graph.most_ticks()
    }

    /// Anchors of the poses and moves that [`MovementTables::update`] redoes for a changed rectangle.
    pub(crate) fn touched_anchors(&self, changed: Rect) -> Rect {
        self.plan.touched_anchors(self.graph.space.size(), changed)
    }

    /// Anchors at which the moves that an update redoes end.
    pub(crate) fn touched_ends(&self, changed: Rect) -> Rect {
        self.plan.touched_ends(self.graph.space.size(), changed)
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
        components.renew_strong(&self.graph);
        self.components = components;
    }

    /// Memory in bytes: moves, cells, the room for updates once there was one, and the [`Components`] if they
    /// were made. Without the class, which takes as much for each that is made of it as its moves sweep.
    pub fn memory_bytes(&self) -> usize {
        let layout = with_layout!(&self.graph.layouts, layout => layout.memory_bytes());
        let steps = size_of_val(&*self.graph.steps)
            + size_of_val(&*self.graph.slots_at)
            + size_of_val(&*self.graph.costs);
        let times = 4 * (self.graph.times.capacity() + self.graph.least_ticks.capacity());
        layout
            + steps
            + times
            + self.graph.isolated.memory_bytes()
            + self.change.memory_bytes()
            + self.components.memory_bytes()
    }

    /// Connected components of the poses; without any label where none were
    /// [made](MovementTables::make_components).
    pub fn components(&self) -> &Components {
        &self.components
    }
}

/// Whether heights matter to a class on a map.
fn is_sloped(grid: &Grid, class: &MovementClass) -> bool {
    grid.elevation().is_some() && class.spec().climb != Climb::default()
}

/// The speeds of a class on a map; on flat ground told apart only where some primitive's time differs.
struct SpeedClasses {
    /// Slowest speed of each level from 1, rising.
    speeds: Vec<u16>,
    of_terrain: Vec<usize>,
    of_sides: Vec<usize>,
}

impl SpeedClasses {
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
        let speed_class_of = |&speed: &u16| match speed.min(top) {
            0 => 0,
            speed => speeds.partition_point(|&s| s <= speed),
        };
        let of_terrain = terrain.iter().map(speed_class_of).collect();
        let of_sides = sides.iter().map(speed_class_of).collect();
        Self { speeds, of_terrain, of_sides }
    }
}

fn slots_at(class: &MovementClass, space: StateSpace) -> Box<[SlotsAt; STEPS_STRIDE]> {
    let steps = steps_of(class, space);
    let mut slots = Box::new([SlotsAt::default(); STEPS_STRIDE]);
    for frame in class.frames() {
        let at = &mut slots[frame.0 as usize];
        for primitive in (0..class.primitives().len()).filter(|&p| class.shape(frame, p).applies) {
            at.slots[at.n] = (primitive as u32, steps[frame.0 as usize * STEPS_STRIDE + primitive].delta);
            at.n += 1;
        }
    }
    slots
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
