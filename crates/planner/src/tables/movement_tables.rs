//! Movement tables: a class compiled against a map, so that a search reads nothing else.
//!
//! One word per state holds a code of a few bits for each primitive. The code is 0 if the move is illegal, else an
//! index of its time. An expansion reads one word, whatever the size of the body.

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
use crate::tables::moves::{COST_ENTRIES, FRAME_STRIDE, FrameSlots, MoveDelta, Successor, Update};
use crate::tables::node::Node;
use crate::tables::plan::CompilePlan;
use crate::tables::pose_graph::PoseGraph;
use crate::tables::row_words::RowContext;
use crate::tables::slopes::{SlopeTimes, TooManyTimes};
use crate::tables::speed_classes::KindSpeedClasses;
use std::collections::BTreeMap;
use std::sync::Arc;
use wheelbase_grid::{Grid, Rect};

/// Capacity of a layout: moves per word and distinct times per move, and its bytes per state.
#[derive(Clone, Copy, Debug)]
struct LayoutCapacity {
    moves: usize,
    times: usize,
    bytes: u64,
}

impl LayoutCapacity {
    fn holds(self, moves: usize, times: usize) -> bool {
        moves <= self.moves && times <= self.times
    }
}

/// The [`Layouts`] in order, from narrow to wide.
const LAYOUTS: [LayoutCapacity; 6] = [
    LayoutCapacity { moves: 4, times: 3, bytes: 1 },
    LayoutCapacity { moves: 4, times: 15, bytes: 2 },
    LayoutCapacity { moves: 8, times: 15, bytes: 4 },
    LayoutCapacity { moves: 16, times: 15, bytes: 8 },
    LayoutCapacity { moves: 16, times: 255, bytes: 16 },
    LayoutCapacity { moves: 16, times: usize::MAX, bytes: 64 },
];

/// Bytes per state for a class with `moves` moves of `times` distinct times each.
pub(crate) fn word_bytes(moves: usize, times: usize) -> u64 {
    LAYOUTS.iter().find(|capacity| capacity.holds(moves, times)).map_or(0, |capacity| capacity.bytes)
}

/// Bytes per state of a layout by number; of the widest layout if there is no such number.
pub(super) fn layout_bytes(layout: usize) -> u64 {
    LAYOUTS[layout.min(LAYOUTS.len() - 1)].bytes
}

/// Upper bound of the distinct times of a move of a class on a map.
pub(crate) fn max_times(grid: &Grid, class: &MovementClass) -> usize {
    let sloped = is_sloped(grid, class);
    let n_speed_classes = SpeedClasses::of(&Legality::new(grid, class), sloped).speeds.len();
    let Some(heights) = grid.elevation().filter(|_| sloped) else { return n_speed_classes };
    let range = heights.iter().copied().fold((i16::MAX, i16::MIN), |(a, b), h| (a.min(h), b.max(h)));
    let most = (i32::from(range.1) - i32::from(range.0)).unsigned_abs();
    let climb = &class.spec().climb;
    let rises = |limit: Option<u32>| limit.map_or(most, |limit| limit.min(most)) as usize;
    n_speed_classes * (rises(climb.max_up) + rises(climb.max_down) + 1)
}

/// Whether a class on a map must store the speed classes of edges.
pub(crate) fn edges_limit(grid: &Grid, class: &MovementClass) -> bool {
    let speed_classes = SpeedClasses::of(&Legality::new(grid, class), is_sloped(grid, class));
    !grid.all_sides_open()
        || speed_classes.of_sides.first().is_some_and(|&speed_class| speed_class < speed_classes.speeds.len())
}

/// A movement class compiled against one map: the legal primitives of each pose and their costs. Shared by all
/// agents of the class; a search reads nothing else of the map.
///
/// Memory per state: 1 byte with up to 4 primitives and 3 distinct times each. It is 2 to 8 with up to 15 times, 16
/// with up to 255, and 64 beyond. A pose takes 1 bit more, and a cell 1 byte, besides the [`Components`].
/// [`crate::tables_need`] gives an estimate in advance.
///
/// A clone shares all of it: several worlds and threads can use the same tables. The first change of one of them
/// ([`MovementTables::update`]) gives it a separate copy.
#[derive(Clone, Debug)]
pub struct MovementTables {
    compiled: Arc<Compiled>,
}

/// The arrays of movement tables.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) graph: PoseGraph,
    plan: CompilePlan,
    /// Speed class of each terrain kind and of each side kind.
    terrain_speed_classes: Vec<usize>,
    side_speed_classes: Vec<usize>,
    /// Slowest speed of each speed class from 1, ascending.
    speeds: Vec<u16>,
    pub(super) components: Components,
    /// Effect of the last update, kept so that the next does not allocate.
    change: GraphChange,
    pub(super) revision: u64,
}

/// Components follow updates of at most one in `FOLLOWED_SHARE` states move by move; after larger updates
/// everything is relabelled.
const FOLLOWED_SHARE: u64 = 2;

impl MovementTables {
    /// Compiles a class against a map, without [`Components`]: see [`MovementTables::make_components`]. Time is
    /// linear in states x primitives x swept cells, one row of cells at a time.
    pub fn compile(grid: &Grid, class: MovementClass) -> Self {
        Self { compiled: Arc::new(Compiled::of(grid, Arc::new(class))) }
    }

    /// Tables of these arrays.
    pub(super) fn of_compiled(compiled: Compiled) -> Self {
        Self { compiled: Arc::new(compiled) }
    }

    /// The arrays.
    pub(super) fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Whether two tables share their memory: one is a clone of the other, and neither has followed an edit since.
    pub fn share(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.compiled, &other.compiled)
    }

    /// The poses and their moves.
    #[inline]
    pub(crate) fn graph(&self) -> &PoseGraph {
        &self.compiled.graph
    }

    /// Creates the [`Components`] of the poses, or recreates them; every later [`MovementTables::update`]
    /// maintains them. Nearly linear in the number of legal moves (union-find, Tarjan 1975; strong components
    /// Tarjan 1972). This can take longer than compiling, and pays off for many queries or possibly unreachable
    /// goals.
    ///
    /// Without components a search for an unreachable goal exhausts all reachable poses. The status is the
    /// same, and so is the cost with a weight of 1000. But expansions differ, and with
    /// [`expansions_max`](crate::Request::expansions_max) the status may be `LimitReached` instead of
    /// `Unreachable`. [`Components::reachability`] is always unknown.
    pub fn make_components(&mut self) {
        Arc::make_mut(&mut self.compiled).make_components();
    }

    /// Follows an edit of the map: recompiles the poses whose swept cells can touch the changed rectangle, and updates
    /// the components. Any part of the rectangle off the map is left out. Afterwards the tables equal freshly compiled
    /// ones. The first elevation of a map, and slopes with more distinct times than the layout holds, recompile
    /// everything.
    /// # Panics
    /// If the map differs in size or shape from the one the tables were compiled for.
    pub fn update(&mut self, grid: &Grid, changed: Rect) -> Update {
        Arc::make_mut(&mut self.compiled).update(grid, changed.intersection(grid.size().rect()))
    }

    /// Recomputes the strong components of a class with one-way moves if edits have made them
    /// [stale](Components::is_stale). Linear in the number of legal moves.
    pub fn renew_components(&mut self) {
        if self.compiled.components.is_stale() {
            Arc::make_mut(&mut self.compiled).renew_components();
        }
    }

    /// The class.
    #[inline]
    pub fn class(&self) -> &MovementClass {
        self.graph().class()
    }

    /// All poses.
    #[inline]
    pub fn space(&self) -> StateSpace {
        self.graph().space()
    }

    /// Whether every legal move has a legal inverse.
    #[inline]
    pub fn is_reversible(&self) -> bool {
        self.graph().is_reversible()
    }

    /// Whether heights matter: then a move and its inverse may take different times.
    #[inline]
    pub(crate) fn is_sloped(&self) -> bool {
        self.graph().is_sloped()
    }

    /// Whether the pose of a state is legal.
    #[inline]
    pub fn is_legal(&self, state: State) -> bool {
        self.graph().is_legal(state)
    }

    /// Whether a pose is on the map and legal.
    #[inline]
    pub fn is_legal_pose(&self, pose: Pose) -> bool {
        self.graph().is_legal_pose(pose)
    }

    /// Time of a move from a state in ticks, or `None` if it is illegal.
    #[inline]
    pub fn move_ticks(&self, state: State, primitive: usize) -> Option<u32> {
        self.graph().move_ticks(state, primitive)
    }

    /// State after a legal move.
    #[inline]
    pub fn state_after(&self, state: State, primitive: usize) -> State {
        self.graph().state_after(state, primitive)
    }

    /// Calls `found` with every legal move from a state, in order of primitive.
    #[inline]
    pub fn for_each_successor(&self, state: State, found: impl FnMut(Successor)) {
        self.graph().for_each_successor(state, found);
    }

    /// Calls `found` with every state adjacent through a legal move in either direction; some are repeated.
    #[inline]
    pub fn for_each_neighbour(&self, state: State, found: impl FnMut(State)) {
        self.graph().for_each_neighbour(state, found);
    }

    /// Calls `found` with every legal move that leads to a state, in order of primitive, then of heading before
    /// it.
    #[inline]
    pub fn for_each_predecessor(&self, state: State, found: impl FnMut(Successor)) {
        self.graph().for_each_predecessor(state, found);
    }

    /// Displacement in columns and rows of a primitive in a frame, and the heading after it.
    pub(crate) fn move_delta(&self, frame: u8, primitive: usize) -> (i32, i32, u8) {
        self.graph().move_delta(frame, primitive)
    }

    /// Lower bound of the time of the primitive's legal moves, in ticks.
    ///
    /// # Panics
    /// If the class has no such primitive.
    #[inline]
    pub fn min_ticks(&self, primitive: usize) -> u32 {
        self.graph().min_ticks(primitive)
    }

    /// Upper bound of the time of any legal move, in ticks.
    #[inline]
    pub fn max_ticks(&self) -> u64 {
        self.graph().max_ticks()
    }

    /// Start anchors of the poses and moves that [`MovementTables::update`] recompiles for a changed rectangle.
    pub(crate) fn touched_anchors(&self, changed: Rect) -> Rect {
        self.compiled.plan.touched_anchors(self.graph().space.size(), changed)
    }

    /// End anchors of the moves that an update recompiles.
    pub(crate) fn touched_ends(&self, changed: Rect) -> Rect {
        self.compiled.plan.touched_ends(self.graph().space.size(), changed)
    }

    /// Revision of the map that the tables were compiled from or last updated to.
    pub fn revision(&self) -> u64 {
        self.compiled.revision
    }

    /// Memory in bytes: moves, cells, update buffers once used, and the [`Components`] if made. Excludes the
    /// class, whose shapes take memory in proportion to its swept cells.
    pub fn memory_bytes(&self) -> usize {
        let layout = with_layout!(&self.graph().layouts, layout => layout.memory_bytes());
        let move_deltas = size_of_val(&*self.graph().move_deltas)
            + size_of_val(&*self.graph().frame_slots)
            + size_of_val(&*self.graph().costs);
        let times = 4 * (self.graph().times.capacity() + self.graph().min_ticks.capacity());
        layout
            + move_deltas
            + times
            + self.graph().isolated.memory_bytes()
            + self.compiled.change.memory_bytes()
            + self.compiled.components.memory_bytes()
    }

    /// Connected components of the poses; empty unless [made](MovementTables::make_components).
    pub fn components(&self) -> &Components {
        &self.compiled.components
    }
}

impl Compiled {
    /// [`MovementTables::make_components`].
    fn make_components(&mut self) {
        self.components = Components::of(&self.graph);
    }

    /// Compiles a class against a map, without components.
    fn of(grid: &Grid, class: Arc<MovementClass>) -> Self {
        let legality = Legality::new(grid, &class);
        let sloped = is_sloped(grid, &class);
        let speed_classes = SpeedClasses::of(&legality, sloped);
        let n_primitives = class.primitives().len();
        let n_speed_classes = speed_classes.speeds.len();
        // On slopes the number of distinct times is not known in advance: wider layouts are tried until one
        // fits.
        let fitting =
            LAYOUTS.iter().enumerate().filter(|(_, layout)| layout.holds(n_primitives, n_speed_classes));
        for (layout, _) in fitting {
            let mut tables = Self::in_layout(grid, &class, &speed_classes, layout);
            if tables.compile_all(grid).is_ok() {
                return tables;
            }
        }
        unreachable!("the widest layout holds any time")
    }

    /// Tables in a layout, without compiled states.
    fn in_layout(
        grid: &Grid,
        class: &Arc<MovementClass>,
        speed_classes: &SpeedClasses,
        layout: usize,
    ) -> Self {
        let sloped = is_sloped(grid, class);
        let space = StateSpace::new(grid.size(), grid.shape(), class.headings());
        let n_primitives = class.primitives().len();
        let graph = PoseGraph {
            space,
            layouts: Layouts::numbered(layout, space),
            move_deltas: move_deltas_of(class, space),
            frame_slots: frame_slots(class, space),
            times: Vec::new(),
            costs: Box::new([Node::ILLEGAL; COST_ENTRIES]),
            // Not empty for a class without moves either: its poses may be too tilted.
            slope_codes: if sloped { vec![BTreeMap::new(); n_primitives.max(1)] } else { Vec::new() },
            min_ticks: Vec::new(),
            max_ticks: 0,
            isolated: IsolatedPoses::default(),
            class: Arc::clone(class),
        };
        let mut tables = Self {
            graph,
            plan: CompilePlan::of(class, space.size()),
            terrain_speed_classes: speed_classes.of_terrain.clone(),
            side_speed_classes: speed_classes.of_sides.clone(),
            speeds: speed_classes.speeds.clone(),
            components: Components::default(),
            change: GraphChange::default(),
            revision: grid.revision(),
        };
        tables.list_times(sloped);
        tables
    }

    /// Compiles a class against a map in a layout, with codes for some times of each primitive, in order of code, and
    /// no others. `None` if the layout or the codes do not suffice. `has_edges`: edges are stored even if all sides are
    /// open.
    pub(super) fn in_layout_with_times(
        grid: &Grid,
        class: Arc<MovementClass>,
        layout: usize,
        times: &[Vec<u32>],
        has_edges: bool,
    ) -> Option<Self> {
        let sloped = is_sloped(grid, &class);
        let speed_classes = SpeedClasses::of(&Legality::new(grid, &class), sloped);
        let holds =
            |layout: &LayoutCapacity| layout.holds(class.primitives().len(), speed_classes.speeds.len());
        let fits = LAYOUTS.get(layout).is_some_and(holds);
        // On flat ground there is no other layout than the first that fits.
        if !fits || !sloped && LAYOUTS[..layout].iter().any(holds) {
            return None;
        }
        let mut tables = Self::in_layout(grid, &class, &speed_classes, layout);
        if tables.graph.slope_codes.len() != times.len() {
            return None;
        }
        tables.list_slope_times(times)?;
        tables.compile_all_with(grid, has_edges).ok()?;
        let is_listed = |(codes, times): (&BTreeMap<u32, u32>, &Vec<u32>)| codes.len() == times.len();
        tables.graph.slope_codes.iter().zip(times).all(is_listed).then_some(tables)
    }

    /// Gives codes to times on slopes, in order; `None` if these are too many, or a time is 0 or listed twice.
    fn list_slope_times(&mut self, times: &[Vec<u32>]) -> Option<()> {
        let PoseGraph { layouts, slope_codes, times: of_codes, costs, min_ticks, max_ticks, .. } =
            &mut self.graph;
        let mut slopes = SlopeTimes {
            elevation: None,
            speeds: &self.speeds,
            codes: slope_codes,
            times: of_codes,
            costs,
            min_ticks,
            max_ticks,
        };
        with_layout!(layouts, layout => {
            for (primitive, times) in times.iter().enumerate() {
                for (number, &ticks) in (1..).zip(times) {
                    let code = layout.code_of(&mut slopes, primitive, ticks).ok()?;
                    if ticks == 0 || !layout.numbered() || code != number {
                        return None;
                    }
                }
            }
        });
        Some(())
    }

    /// Sets the times known in advance; on flat ground these are all.
    fn list_times(&mut self, sloped: bool) {
        let n_primitives = self.graph.class.primitives().len();
        let (bits, numbered) =
            with_layout!(&self.graph.layouts, layout => (layout.bits(), layout.numbered()));
        if numbered {
            self.graph.times = vec![0; n_primitives << bits];
        }
        if sloped {
            self.graph.min_ticks = vec![u32::MAX; n_primitives];
            return;
        }
        for (primitive, p) in self.graph.class.primitives().iter().enumerate() {
            for (number, &speed) in self.speeds.iter().enumerate() {
                let ticks = move_time(p.time, SLOPE_FLAT, speed);
                self.graph.max_ticks = self.graph.max_ticks.max(ticks);
                if numbered {
                    self.graph.times[primitive << bits | (number + 1)] = ticks;
                    let code = number as u32 + 1;
                    with_layout!(&self.graph.layouts, layout => layout.note_cost(&mut self.graph.costs, primitive, code, ticks));
                }
            }
            // The highest speed class is the fastest; a class that can stand nowhere has none.
            let fastest = self.speeds.last().map(|&speed| move_time(p.time, SLOPE_FLAT, speed));
            self.graph.min_ticks.push(fastest.unwrap_or(p.time));
        }
    }

    /// [`MovementTables::update`].
    fn update(&mut self, grid: &Grid, changed: Rect) -> Update {
        let of_map = (grid.size(), grid.shape());
        assert_eq!(of_map, (self.graph.space.size(), self.graph.space.shape()), "tables of another map");
        self.revision = grid.revision();
        if changed.is_empty() {
            return Update::default();
        }
        let slopes_unchanged = is_sloped(grid, &self.graph.class) != self.graph.slope_codes.is_empty();
        if slopes_unchanged && let Ok(update) = self.refresh(grid, changed) {
            return update;
        }
        let before = std::mem::replace(self, Self::of(grid, Arc::clone(&self.graph.class)));
        if before.components.are_known() {
            self.components = Components::of(&self.graph);
        }
        self.compare(&before)
    }

    /// Differences from other tables of the class, state by state.
    fn compare(&self, before: &Self) -> Update {
        let mut update = Update::default();
        let mut note = |was: Option<u32>, is: Option<u32>| {
            update.changed |= was != is;
            update.eased |= is.is_some_and(|is| was.is_none_or(|was| is < was));
        };
        for state in (0..self.graph.space.n_states() as u32).map(State) {
            let legal = |tables: &Self| tables.graph.is_legal(state).then_some(0);
            note(legal(before), legal(self));
            for primitive in 0..self.graph.class.primitives().len() {
                note(before.graph.move_ticks(state, primitive), self.graph.move_ticks(state, primitive));
            }
        }
        update
    }

    /// Compiles the whole map; fails if the layout cannot hold all times.
    fn compile_all(&mut self, grid: &Grid) -> Result<(), TooManyTimes> {
        self.compile_all_with(grid, false)
    }

    /// As [`Self::compile_all`]; with `edges`, edges are stored even if all sides are open.
    fn compile_all_with(&mut self, grid: &Grid, edges: bool) -> Result<(), TooManyTimes> {
        let edges = edges || self.open_edges_limit() || !grid.all_sides_open();
        let Self { graph, plan, terrain_speed_classes, side_speed_classes, speeds, .. } = self;
        let speed_classes =
            KindSpeedClasses { grid, terrain: terrain_speed_classes, sides: side_speed_classes };
        let Compilation { layouts, context, isolated, mut slopes, .. } =
            Compilation::of(graph, plan, speeds, grid);
        with_layout!(layouts, layout => layout.compile_all(&context, (&speed_classes, edges), isolated, &mut slopes))
    }

    /// Recompiles the surroundings of a changed rectangle; fails if the layout cannot hold all times.
    fn refresh(&mut self, grid: &Grid, changed: Rect) -> Result<Update, TooManyTimes> {
        let edges = self.open_edges_limit() || !grid.all_sides_open();
        let reversible = self.graph.is_reversible();
        let Self { graph, plan, terrain_speed_classes, side_speed_classes, speeds, .. } = self;
        let speed_classes =
            KindSpeedClasses { grid, terrain: terrain_speed_classes, sides: side_speed_classes };
        let Compilation { layouts, context, isolated, mut slopes, move_deltas } =
            Compilation::of(graph, plan, speeds, grid);
        let space = context.space;
        let n_cells = space.size().n_cells() as u64;
        self.change.clear();
        let (followed, anchors, update) = with_layout!(layouts, layout => {
            // At the first side that is not open, all edges are new.
            let changed = if edges && !layout.layers.has_edges() { space.size().rect() } else { changed };
            layout.layers.refresh(&speed_classes, edges, changed);
            let anchors = plan.touched_anchors(space.size(), changed);
            let followed = self.components.are_known() && anchors.n_cells() * FOLLOWED_SHARE <= n_cells;
            let mut change_log = ChangeLog {
                move_deltas,
                space,
                reversible,
                change: followed.then_some(&mut self.change),
            };
            (followed, anchors, layout.update(&context, anchors, isolated, &mut slopes, &mut change_log)?)
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

    /// Whether edges with open sides limit moves: only if they are slower than the fastest ground.
    fn open_edges_limit(&self) -> bool {
        self.side_speed_classes.first().is_some_and(|&speed_class| speed_class < self.speeds.len())
    }

    /// [`MovementTables::renew_components`].
    fn renew_components(&mut self) {
        if !self.components.is_stale() {
            return;
        }
        let mut components = std::mem::take(&mut self.components);
        components.renew_strong(&self.graph);
        self.components = components;
    }
}

/// The parts of tables that compilation writes and reads.
struct Compilation<'a> {
    layouts: &'a mut Layouts,
    context: RowContext<'a>,
    isolated: &'a mut IsolatedPoses,
    slopes: SlopeTimes<'a>,
    move_deltas: &'a [MoveDelta],
}

impl<'a> Compilation<'a> {
    fn of(graph: &'a mut PoseGraph, plan: &'a CompilePlan, speeds: &'a [u16], grid: &'a Grid) -> Self {
        let elevation = grid.elevation().filter(|_| graph.is_sloped());
        Self {
            layouts: &mut graph.layouts,
            context: RowContext { class: &graph.class, plan, space: graph.space },
            isolated: &mut graph.isolated,
            slopes: SlopeTimes {
                elevation,
                speeds,
                codes: &mut graph.slope_codes,
                times: &mut graph.times,
                costs: &mut graph.costs,
                min_ticks: &mut graph.min_ticks,
                max_ticks: &mut graph.max_ticks,
            },
            move_deltas: &graph.move_deltas[..],
        }
    }
}

/// Whether heights matter to a class on a map.
fn is_sloped(grid: &Grid, class: &MovementClass) -> bool {
    grid.elevation().is_some() && class.spec().climb != Climb::default()
}

/// The distinct speeds of a class on a map. On flat ground, speeds are merged if every primitive takes the same
/// time.
struct SpeedClasses {
    /// Slowest speed of each speed class from 1, ascending.
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
            if sloped || speeds.is_empty() || times != last_times {
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

fn frame_slots(class: &MovementClass, space: StateSpace) -> Box<[FrameSlots; FRAME_STRIDE]> {
    let move_deltas = move_deltas_of(class, space);
    let mut slots = Box::new([FrameSlots::default(); FRAME_STRIDE]);
    for frame in class.frames() {
        let at = &mut slots[frame.0 as usize];
        for primitive in (0..class.primitives().len()).filter(|&p| class.shape(frame, p).applies) {
            at.slots[at.n] =
                (primitive as u32, move_deltas[frame.0 as usize * FRAME_STRIDE + primitive].delta);
            at.n += 1;
        }
    }
    slots
}

fn move_deltas_of(class: &MovementClass, space: StateSpace) -> Box<[MoveDelta; FRAME_STRIDE * FRAME_STRIDE]> {
    let mut move_deltas = Box::new([MoveDelta::default(); FRAME_STRIDE * FRAME_STRIDE]);
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
            move_deltas[frame.0 as usize * FRAME_STRIDE + primitive] =
                MoveDelta { delta, dx, dy, heading_after };
        }
    }
    move_deltas
}
