//! How much memory a simulation will take, told before any of it is taken.

use crate::class_landmarks;
use crate::shared_fields;
use wheelbase_grid::{Grid, GridShape, MemoryMax, MemoryNeed, MemoryTooLarge};
use wheelbase_planner::model::StateSpace;
use wheelbase_planner::tables::{landmarks_need, search_need};
use wheelbase_planner::{MovementClass, tables_need};
use wheelbase_traffic::collision::CollisionRule;

/// Bytes of an agent with its entity, its first orders, its tasks and what the traffic keeps of it.
const AGENT_BYTES: u64 = 600;
/// What there is whatever the scenario, the program's own pages and its threads' among it.
const BASE_BYTES: u64 = 8 << 20;

/// What a simulation is made of, as far as its memory goes.
pub struct WorldParts<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// Its classes.
    pub classes: Vec<&'a MovementClass>,
    /// The rule of collision.
    pub collision: CollisionRule,
    /// Searches at once.
    pub search_slots: u64,
    /// Agents at once.
    pub agents: u64,
    /// Landmarks of each class, of those that have any.
    pub landmarks: usize,
    /// Bytes of a cost field for a cell and heading, and most that all may take.
    pub fields: (u64, u64),
}

impl WorldParts<'_> {
    /// Bytes that cost fields take for a cell and heading, and all together at most, under the usual rule.
    pub const FIELDS: (u64, u64) = shared_fields::NEED;

    /// Landmarks that each class may be given: as many as `asked`, or where that is `None` as many as may pay for so
    /// many agents with tasks.
    pub fn landmarks_expected(asked: Option<usize>, with_tasks: u64) -> usize {
        class_landmarks::expected(asked, with_tasks)
    }

    /// What it takes to build it, and what a run may come to take.
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
        // Landmarks of a class are made on a copy of the map.
        let landmarks = if landmarks.built > 0 { landmarks.and(MemoryNeed::built(map)) } else { landmarks };
        let of_cells = cell_bytes(shape, self.collision) * size.n_cells() as u64;
        let tables = MemoryNeed::built(BASE_BYTES + map + kept);
        let run = tables.and(MemoryNeed::built(of_cells + AGENT_BYTES * self.agents)).and(landmarks);
        let searches = each(&search_need).total * self.search_slots.min(self.agents);
        let most_states = spaces().map(|space| space.n_states() as u64).max().unwrap_or(0);
        let (field_bytes, fields_max) = self.fields;
        let fields = fields_max.min((field_bytes * most_states).saturating_mul(self.agents));
        tables.and(MemoryNeed::built(at_work)).or(run.and(MemoryNeed::on_demand(searches + fields)))
    }

    /// # Errors
    /// [`MemoryTooLarge`] if it needs more than may be taken.
    pub fn check(&self, memory_max: MemoryMax) -> Result<(), MemoryTooLarge> {
        memory_max.check(self.need(), || {
            let (n, headings) = (self.classes.len(), self.classes.iter().map(|class| u64::from(class.headings())));
            let headings: u64 = headings.sum();
            let classes = if n == 1 { "class" } else { "classes" };
            format!(
                "a map of {} cells, {n} {classes} of {headings} headings in all, {} agents and {} searches at once",
                self.grid.size(),
                self.agents,
                self.search_slots.min(self.agents)
            )
        })
    }
}

/// Bytes of a cell in all that a simulation keeps by cell.
fn cell_bytes(shape: GridShape, collision: CollisionRule) -> u64 {
    let n_sides = shape.sides().len() as u64;
    let discrete = if collision == CollisionRule::Discrete { 8 } else { 0 };
    let reservation = 4 + discrete;
    let (claims, wishes, narrows, avoided, given) = (4, 16, 5, 4, 4);
    let flow = 3 * n_sides;
    reservation + claims + wishes + narrows + avoided + given + flow
}
