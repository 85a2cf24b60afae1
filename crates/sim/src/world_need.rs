//! Estimate of the memory that a world needs, before any of it is allocated.

use crate::class_landmarks;
use crate::route_mode::RouteMode;
use crate::shared_fields;
use wheelbase_grid::{Grid, GridShape, MemoryMax, MemoryNeed, MemoryTooLarge};
use wheelbase_planner::abstraction::routes_need;
use wheelbase_planner::model::StateSpace;
use wheelbase_planner::tables::{landmarks_need, search_need};
use wheelbase_planner::{MovementClass, tables_need};
use wheelbase_traffic::collision::CollisionRule;

/// Bytes of an agent with its rows, its entity, its first orders, its tasks and the traffic rule's data.
const AGENT_BYTES: u64 = 600;
/// Bytes of a change of an edit: its command, and its areas in the world and the traffic rule while it waits. Half more
/// than measured with a thousand edits that wait.
const CHANGE_BYTES: u64 = 800;
/// Bytes that any run needs, including the pages of the program and of its threads.
const BASE_BYTES: u64 = 8 << 20;

/// The parts of a world that determine its memory.
pub struct WorldParts<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// The classes.
    pub classes: Vec<&'a MovementClass>,
    /// The collision rule.
    pub collision: CollisionRule,
    /// Number of search slots.
    pub search_slots: u64,
    /// Most agents together.
    pub agents: u64,
    /// Changes of the map by scheduled edits, each of which may have to wait.
    pub changes: u64,
    /// Landmarks of each class that has any.
    pub landmarks: usize,
    /// How path requests are answered: routes need a graph of each class.
    pub routes: RouteMode,
    /// Bytes of a cost field per cell and heading, and the limit for all fields.
    pub fields: (u64, u64),
}

impl WorldParts<'_> {
    /// Bytes of a cost field per cell and heading, and the limit for all fields, with the usual traffic rule.
    pub const FIELDS: (u64, u64) = shared_fields::NEED;

    /// Landmarks that each class can have: `asked`, or without that number as many as can pay for `with_tasks` agents
    /// with tasks.
    pub fn landmarks_expected(asked: Option<usize>, with_tasks: u64) -> usize {
        class_landmarks::expected(asked, with_tasks)
    }

    /// Memory to build the world, and memory that a run can take.
    pub fn need(&self) -> MemoryNeed {
        let grid = self.grid;
        let (size, shape) = (grid.size(), grid.shape());
        let map = wheelbase_grid::grid_bytes(size, shape, !grid.all_sides_open(), grid.elevation().is_some());
        let (mut kept, mut at_work) = (0_u64, 0_u64);
        for &class in &self.classes {
            let need = tables_need(grid, class);
            kept = kept.saturating_add(need.kept);
            at_work = at_work.max(need.peak - need.kept);
        }
        let spaces = || self.classes.iter().map(|class| StateSpace::new(size, shape, class.headings()));
        let each = |need: &dyn Fn(StateSpace) -> MemoryNeed| {
            spaces().map(need).fold(MemoryNeed::default(), MemoryNeed::or)
        };
        let landmarks = spaces().fold(MemoryNeed::default(), |sum, space| {
            let number = self.landmarks.min(class_landmarks::most_in(space));
            sum.and(landmarks_need(space, number))
        });
        // Landmarks have a copy of the map, and tables of it once an edit makes them differ.
        let copy = MemoryNeed::built(map.saturating_add(kept));
        let landmarks = if landmarks.built > 0 { landmarks.and(copy) } else { landmarks };
        let slots = self.search_slots.min(self.agents);
        let of_routes = spaces().fold(MemoryNeed::default(), |sum, space| sum.and(routes_need(space, slots)));
        let routes = match self.routes {
            RouteMode::Exact => MemoryNeed::default(),
            RouteMode::Abstract => of_routes,
            RouteMode::Auto => MemoryNeed::on_demand(of_routes.total),
        };
        let of_cells = cell_bytes(shape, self.collision) * size.n_cells() as u64;
        let tables = MemoryNeed::built(BASE_BYTES + map + kept);
        let of_agents = AGENT_BYTES * self.agents + CHANGE_BYTES.saturating_mul(self.changes);
        let run =
            tables.and(MemoryNeed::built(of_cells.saturating_add(of_agents))).and(landmarks).and(routes);
        let searches = each(&search_need).total * slots;
        let most_states = spaces().map(|space| space.n_states() as u64).max().unwrap_or(0);
        let (field_bytes, fields_max) = self.fields;
        let fields = fields_max.min((field_bytes * most_states).saturating_mul(self.agents));
        tables.and(MemoryNeed::built(at_work)).or(run.and(MemoryNeed::on_demand(searches + fields)))
    }

    /// Compares the need with a limit.
    /// # Errors
    /// [`MemoryTooLarge`] if it needs more.
    pub fn check(&self, memory_max: MemoryMax) -> Result<(), MemoryTooLarge> {
        memory_max.check(self.need(), || {
            let (n, headings) = (self.classes.len(), self.classes.iter().map(|class| u64::from(class.headings())));
            let headings: u64 = headings.sum();
            let classes = if n == 1 { "class" } else { "classes" };
            format!(
                "a map of {} cells, {n} {classes} of {headings} headings in all, {} agents and {} searches together",
                self.grid.size(),
                self.agents,
                self.search_slots.min(self.agents)
            )
        })
    }
}

/// Bytes per cell of all arrays by cell.
fn cell_bytes(shape: GridShape, collision: CollisionRule) -> u64 {
    let n_sides = shape.sides().len() as u64;
    let discrete = if collision == CollisionRule::Discrete { 8 } else { 0 };
    let occupancy = 4 + discrete;
    // Each corridor has its state: on a map of many, about 25 bytes per cell.
    let (reservations, soft_reservations, corridors, avoided, assigned) = (4, 20, 31, 4, 4);
    let flow = 2 * n_sides;
    occupancy + reservations + soft_reservations + corridors + avoided + assigned + flow
}
