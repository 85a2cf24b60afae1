//! How much memory a scenario will take, told before any of it is taken.

use super::LoadError;
use crate::class_landmarks;
use crate::scenario::{AGENTS_MAX, EventAction, Scenario};
use std::path::Path;
use wheelbase_grid::{Grid, GridShape, GridSize, MemoryMax, MemoryNeed, MemoryTooLarge};
use wheelbase_planner::{MovementClass, StateSpace, landmarks_need, search_need, tables_need};
use wheelbase_traffic::collision::CollisionRule;

/// Bytes of an agent with its entity, its first orders, its tasks and what the traffic keeps of it.
const AGENT_BYTES: u64 = 600;
/// Bytes of a scenario's text for each of its bytes, for each character that may begin a value of a list, and for
/// each that may begin a key or a table: the document, and what was typed.
const TEXT_BYTES: u64 = 4;
const VALUE_BYTES: u64 = 150;
const KEY_BYTES: u64 = 300;
/// What there is whatever the scenario, the program's own pages and its threads' among it.
const BASE_BYTES: u64 = 8 << 20;

/// What a simulation is made of, as far as its memory goes.
pub(crate) struct SimulationParts<'a> {
    pub grid: &'a Grid,
    pub classes: Vec<&'a MovementClass>,
    pub collision: CollisionRule,
    pub search_slots: u64,
    pub agents: u64,
    /// Landmarks of each class, of those that have any.
    pub landmarks: usize,
    /// Bytes of a cost field for a cell and heading, and most that all may take.
    pub fields: (u64, u64),
}

impl SimulationParts<'_> {
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
        let searches = each(&search_need).most * self.search_slots.min(self.agents);
        let most_states = spaces().map(|space| space.n_states() as u64).max().unwrap_or(0);
        let (field_bytes, fields_max) = self.fields;
        let fields = fields_max.min((field_bytes * most_states).saturating_mul(self.agents));
        tables.and(MemoryNeed::built(at_work)).or(run.and(MemoryNeed::may_take(searches + fields)))
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
    let streams = 3 * n_sides;
    reservation + claims + wishes + narrows + avoided + given + streams
}

/// What reading the text of a scenario or class file takes, by its length and the characters that may begin a
/// value.
fn text_need(text: &[u8]) -> MemoryNeed {
    let of_byte = |byte: &u8| match byte {
        b',' => TEXT_BYTES + VALUE_BYTES,
        b'=' | b'[' | b'{' | b'\n' => TEXT_BYTES + KEY_BYTES,
        _ => TEXT_BYTES,
    };
    MemoryNeed::built(text.iter().map(of_byte).sum())
}

/// # Errors
/// [`LoadError::Memory`] if the text of a scenario or class file needs more than may be taken.
pub(super) fn check_text(path: &Path, text: &[u8], memory_max: MemoryMax) -> Result<(), LoadError> {
    let what = || format!("a text of {} bytes", text.len());
    memory_max.check(text_need(text), what).map_err(|error| too_large(path, error))
}

/// # Errors
/// [`LoadError::Memory`] if what is read of a file needs more than may be taken.
pub(super) fn check_file(path: &Path, need: MemoryNeed, memory_max: MemoryMax) -> Result<(), LoadError> {
    memory_max.check(need, || "what is in it".to_owned()).map_err(|error| too_large(path, error))
}

/// # Errors
/// [`LoadError::Memory`] if a generated map needs more than may be taken: its cells twice, and what it is made
/// by.
pub(super) fn check_generated(path: &Path, size: GridSize, memory_max: MemoryMax) -> Result<(), LoadError> {
    let need = MemoryNeed::built(4 * size.n_cells() as u64);
    memory_max.check(need, || format!("a map of {size} cells")).map_err(|error| too_large(path, error))
}

pub(super) fn too_large(path: &Path, error: MemoryTooLarge) -> LoadError {
    LoadError::Memory { file: path.display().to_string(), error }
}

/// Agents that a scenario may have at once.
pub(crate) fn most_agents(typed: &Scenario, on_map: usize) -> u64 {
    let added = typed.events.iter().filter_map(|event| match &event.action {
        EventAction::AddAgents(group) => Some(group),
        _ => None,
    });
    let groups = typed.groups.iter().chain(added).map(|group| u64::from(group.count));
    groups.fold((typed.agents.len() + on_map) as u64, u64::saturating_add).min(AGENTS_MAX.into())
}

/// Agents with tasks that are there before the first tick.
pub(super) fn agents_with_tasks(typed: &Scenario) -> u64 {
    typed.groups.iter().filter(|group| group.tasks.is_some()).map(|group| u64::from(group.count)).sum()
}
