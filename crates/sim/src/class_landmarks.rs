//! Landmarks of the movement classes: far searches become cheap, and paths stay exactly cheapest.
//!
//! They are made before the first tick, where counts say that they pay. Their bounds hold as long as no move has
//! become legal or cheaper since. This is tracked by cell: a move can only become easier where a cell that it sweeps,
//! or a side of such a cell, becomes faster. So the scheduled edits are taken into account: landmarks are made on the
//! map as it would be with all speed-ups applied at once, and doors may open and close during the run.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use wheelbase_grid::{BitGrid, Change, Grid, Rect};
use wheelbase_planner::model::{ClassSpeeds, StateSpace};
use wheelbase_planner::search::{Heuristic, Landmarks};
use wheelbase_planner::tables::SavedTables;
use wheelbase_planner::{MovementClass, MovementTables};

/// Most landmarks of a class.
pub const LANDMARKS_MAX: u32 = 64;
/// Landmarks of a class, where they pay. Four need a quarter of the expansions of the norm alone; eight need a fifth,
/// and take twice the time to make and twice the memory.
pub(crate) const LANDMARKS: usize = 4;
/// Number of agents with tasks all over the map from which on landmarks pay. Making them takes as long as about a
/// hundred searches.
pub(crate) const AGENTS_PAY: u64 = 100;
/// Most bytes of the landmarks of all classes together.
pub(crate) const BYTES_MAX: usize = 1 << 30;
/// Most bytes of a landmark per state: a distance in each direction.
pub(crate) const LANDMARK_BYTES: usize = 8;

/// The landmarks of a class, and whether their bounds hold.
#[derive(Clone, Debug)]
pub(crate) struct ClassLandmarks {
    landmarks: Arc<Landmarks>,
    /// Their number, and the tables that they were made with: with the map, their recipe.
    number: usize,
    made_with: Arc<SavedTables>,
    /// The map that they were made on.
    made_on: Arc<Grid>,
    /// Cells over which a move can be easier than on that map, and their number.
    eased: BitGrid,
    n_eased: usize,
}

/// Landmarks as a snapshot holds them: how they were made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LandmarkRecipe {
    number: u32,
    made_on: Grid,
    made_with: SavedTables,
}

impl ClassLandmarks {
    /// How they were made.
    pub fn save(&self) -> LandmarkRecipe {
        let (made_on, made_with) = (Grid::clone(&self.made_on), SavedTables::clone(&self.made_with));
        LandmarkRecipe { number: self.number as u32, made_on, made_with }
    }

    /// Makes the landmarks of a class again, as they are on the present map.
    /// # Errors
    /// The recipe is of another map or class, or asks for more landmarks than there can be; in words.
    pub fn restore(
        recipe: LandmarkRecipe,
        class: &MovementClass,
        speeds: &ClassSpeeds,
        grid: &Grid,
    ) -> Result<Self, String> {
        let LandmarkRecipe { number, made_on, made_with } = recipe;
        let kinds = |grid: &Grid| (grid.size(), grid.shape(), grid.side_table().clone());
        if kinds(&made_on) != kinds(grid) || made_on.terrain_table() != grid.terrain_table() {
            return Err("landmarks of another map".to_owned());
        }
        let tables = MovementTables::restore(&made_with, &made_on, class.clone())
            .map_err(|error| error.to_string())?;
        if number as usize > most_in(tables.space()) || number > LANDMARKS_MAX {
            return Err(format!("{number} landmarks"));
        }
        let landmarks = Arc::new(Landmarks::of(&tables, number as usize));
        let eased = BitGrid::new(grid.size());
        let (number, made_on, made_with) = (number as usize, Arc::new(made_on), Arc::new(made_with));
        let mut restored = Self { landmarks, number, made_on, made_with, eased, n_eased: 0 };
        restored.follow(class, speeds, grid, grid.size().rect());
        Ok(restored)
    }

    /// Whether the bounds hold: no move is easier than when the landmarks were made.
    fn hold(&self) -> bool {
        self.n_eased == 0
    }

    /// Heuristic for searches of the class to goals without a cost field.
    pub fn heuristic(&self) -> Heuristic<'_> {
        if self.hold() { Heuristic::Landmarks(&self.landmarks) } else { Heuristic::Default }
    }

    /// Bytes in use.
    pub fn memory_bytes(&self) -> usize {
        self.landmarks.memory_bytes()
    }

    /// Follows an edit of the map. Returns whether the bounds have begun or ceased to hold.
    pub fn follow(
        &mut self,
        class: &MovementClass,
        speeds: &ClassSpeeds,
        grid: &Grid,
        changed: Rect,
    ) -> bool {
        let held = self.hold();
        for cell in changed.intersection(grid.size().rect()).cells() {
            let eased = speeds.may_ease(class, &self.made_on, grid, cell);
            let was = self.eased.get(cell);
            self.n_eased = self.n_eased + usize::from(eased) - usize::from(was);
            self.eased.set(cell, eased);
        }
        held != self.hold()
    }
}

/// Most landmarks that a class with these poses can have.
pub(crate) fn most_in(space: StateSpace) -> usize {
    BYTES_MAX / (LANDMARK_BYTES * space.n_states().max(1))
}

/// Upper bound of the landmarks of each class: the number asked for, or without one the number that pays for
/// `with_tasks` agents with tasks.
pub(crate) fn expected(asked: Option<usize>, with_tasks: u64) -> usize {
    asked.unwrap_or(if with_tasks >= AGENTS_PAY { LANDMARKS } else { 0 })
}

/// Makes `number` landmarks of a class, on the map with every speed-up of the given edits applied.
pub(crate) fn landmarks_of(
    tables: &MovementTables,
    speeds: &ClassSpeeds,
    map: &Arc<Grid>,
    edits: &[Change],
    number: usize,
) -> ClassLandmarks {
    let mut at_best = Cow::Borrowed(&**map);
    for &change in edits {
        ease(&mut at_best, speeds, change);
    }
    let (landmarks, made_on, made_with) = match at_best {
        Cow::Borrowed(_) => (Landmarks::of(tables, number), Arc::clone(map), tables.save()),
        Cow::Owned(grid) => {
            let mut tables = MovementTables::compile(&grid, tables.class().clone());
            tables.make_components();
            (Landmarks::of(&tables, number), Arc::new(grid), tables.save())
        }
    };
    let (landmarks, made_with, eased) = (Arc::new(landmarks), Arc::new(made_with), BitGrid::new(map.size()));
    ClassLandmarks { landmarks, number, made_on, made_with, eased, n_eased: 0 }
}

/// Applies the speed-ups of a change. Heights and rotated tiles are left as they are: while such a change eases a
/// move, the landmarks are not used.
fn ease(map: &mut Cow<'_, Grid>, speeds: &ClassSpeeds, change: Change) {
    match change {
        Change::Terrain { area, kind } => {
            for cell in area.intersection(map.size().rect()).cells() {
                let is_faster = |was| speeds.of_terrain(kind) > speeds.of_terrain(was);
                if map.terrain_at(cell).is_some_and(is_faster) {
                    map.to_mut().set_terrain(Rect::new(cell.x, cell.y, 1, 1), kind);
                }
            }
        }
        Change::Side { cell: xy, side, kind } => {
            let is_faster = |cell| speeds.of_side(kind) > speeds.of_side(map.side_of(cell, side));
            if map.size().cell(xy).is_some_and(is_faster) {
                map.to_mut().set_side(xy, side, kind);
            }
        }
        Change::Elevation { .. } | Change::Rotate { .. } => {}
    }
}
