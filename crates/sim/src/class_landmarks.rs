//! Landmarks of the movement classes: far searches become cheap, and paths stay exactly cheapest.
//!
//! They are made before the first tick, where counts say that they pay. Their bounds hold as long as no move has become
//! legal or cheaper since. This is tracked by cell. A move can only become easier where a cell that it sweeps, or a
//! side of such a cell, becomes faster. So scheduled edits are taken into account: landmarks are made on the map with
//! all speed-ups applied together. Doors may open and close during the run. After any other edit that eases a move they
//! are repaired, within a part of each tick's expansions, and not used until then.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use wheelbase_grid::{BitGrid, CellXY, Change, Grid, Rect};
use wheelbase_planner::model::{ClassSpeeds, State, StateSpace};
use wheelbase_planner::search::{Heuristic, LandmarkRepair, Landmarks};
use wheelbase_planner::tables::SavedTables;
use wheelbase_planner::{MovementClass, MovementTables};

/// Most landmarks of a class.
pub const LANDMARKS_MAX: u32 = 64;
/// Landmarks of a class, where they pay. Searches with four need a quarter of the expansions of the norm alone. Eight
/// need a fifth, and take twice the time to make and twice the memory.
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
    /// The map that they are for, at least as fast everywhere as the present map but for the eased cells, and its
    /// tables.
    best: Arc<Grid>,
    tables: MovementTables,
    /// Cells over which a move can be easier than on that map, and their number.
    eased: BitGrid,
    n_eased: usize,
    /// A repair would change nothing until the next edit: heights differ, which no repair follows.
    waits_for_edit: bool,
    repair: Repair,
}

/// The rest of a repair.
#[derive(Clone, Debug)]
enum Repair {
    None,
    UnderWay(LandmarkRepair),
    /// A world that was loaded has the repaired distances, but still has to spend this many expansions on them.
    Owed(u64),
}

/// Landmarks as a snapshot holds them: how they are made. A repair in progress is stored as the expansions it still
/// takes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LandmarkRecipe {
    states: Vec<State>,
    threshold_permille: Option<u64>,
    best: Grid,
    tables: SavedTables,
    owed: u64,
}

impl LandmarkRecipe {
    /// Bytes of a pose in the tables of their map.
    pub fn word_bytes(&self) -> u64 {
        self.tables.word_bytes()
    }
}

impl ClassLandmarks {
    fn new(landmarks: Landmarks, best: Arc<Grid>, tables: MovementTables) -> Self {
        let (landmarks, eased) = (Arc::new(landmarks), BitGrid::new(best.size()));
        let (n_eased, waits_for_edit, repair) = (0, false, Repair::None);
        Self { landmarks, best, tables, eased, n_eased, waits_for_edit, repair }
    }

    /// How they are made.
    pub fn save(&self) -> LandmarkRecipe {
        let owed = match &self.repair {
            Repair::None => 0,
            Repair::Owed(owed) => *owed,
            Repair::UnderWay(repair) => {
                let (mut landmarks, mut repair) = (Landmarks::clone(&self.landmarks), repair.clone());
                landmarks.repair(&self.tables, &mut repair, u64::MAX).0
            }
        };
        LandmarkRecipe {
            states: self.landmarks.states().to_vec(),
            threshold_permille: self.landmarks.threshold_permille(),
            best: Grid::clone(&self.best),
            tables: self.tables.save(),
            owed,
        }
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
        let LandmarkRecipe { states, threshold_permille, best, tables, owed } = recipe;
        let kinds = |grid: &Grid| (grid.size(), grid.shape(), grid.side_table().clone());
        if kinds(&best) != kinds(grid) || best.terrain_table() != grid.terrain_table() {
            return Err("landmarks of another map".to_owned());
        }
        let tables =
            MovementTables::restore(&tables, &best, class.clone()).map_err(|error| error.to_string())?;
        let n_states = tables.space().n_states();
        let are_known = states.iter().all(|state| (state.0 as usize) < n_states && tables.is_legal(*state));
        if states.len() > most_in(tables.space()).min(LANDMARKS_MAX as usize) || !are_known {
            return Err(format!("{} landmarks, or one in no legal pose", states.len()));
        }
        let landmarks = Landmarks::at(&tables, states, threshold_permille);
        let mut restored = Self::new(landmarks, Arc::new(best), tables);
        restored.repair = if owed > 0 { Repair::Owed(owed) } else { Repair::None };
        restored.follow(class, speeds, grid, grid.size().rect());
        Ok(restored)
    }

    /// Whether the bounds hold: no move is easier than on their map.
    pub fn hold(&self) -> bool {
        self.n_eased == 0 && matches!(self.repair, Repair::None)
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
            let eased = speeds.may_ease(class, &self.best, grid, cell);
            let was = self.eased.get(cell);
            self.n_eased = self.n_eased + usize::from(eased) - usize::from(was);
            self.eased.set(cell, eased);
        }
        self.waits_for_edit = false;
        held != self.hold()
    }

    /// Goes on with the repair that eased cells need, by at most a number of expansions. Returns the expansions spent,
    /// and whether the bounds have begun to hold. Without eased cells it takes constant time.
    pub fn repair(&mut self, speeds: &ClassSpeeds, grid: &Grid, expansions_max: u64) -> (u64, bool) {
        let (mut spent, held) = (0, self.hold());
        // Landmarks that never pay need no repair.
        while !self.hold() && !self.waits_for_edit && self.landmarks.threshold_permille().is_some() {
            let left = expansions_max - spent;
            let (took, is_done) = match &mut self.repair {
                Repair::None => {
                    self.begin_repair(speeds, grid);
                    continue;
                }
                Repair::Owed(owed) => {
                    let paid = left.min(*owed);
                    *owed -= paid;
                    (paid, *owed == 0)
                }
                Repair::UnderWay(repair) => {
                    Arc::make_mut(&mut self.landmarks).repair(&self.tables, repair, left)
                }
            };
            spent += took;
            if !is_done {
                break;
            }
            self.repair = Repair::None;
        }
        (spent, self.hold() && !held)
    }

    /// Eases their map where the present one is faster, and begins the repair of the distances.
    fn begin_repair(&mut self, speeds: &ClassSpeeds, grid: &Grid) {
        let Self { landmarks, best, tables, eased, n_eased, waits_for_edit, repair } = self;
        let best = Arc::make_mut(best);
        let before = best.revision();
        let areas = areas_of(eased, grid.size().rect());
        for &area in &areas {
            for cell in area.cells() {
                speeds.ease(best, grid, cell);
                let is_eased = speeds.may_ease(tables.class(), best, grid, cell);
                *n_eased -= usize::from(!is_eased);
                eased.set(cell, is_eased);
            }
        }
        *waits_for_edit = *n_eased > 0;
        if best.revision() == before {
            return;
        }
        for &area in &areas {
            tables.update(best, area);
        }
        *repair = Repair::UnderWay(Arc::make_mut(landmarks).begin_repair(tables, &areas));
    }
}

/// The cells of a mask as rectangles; cells that form a rectangle are one. Linear in the rows with a
/// cell, and in the words of the mask.
fn areas_of(mask: &BitGrid, map: Rect) -> Vec<Rect> {
    let mut areas: Vec<Rect> = Vec::new();
    let (width, height) = (map.width as i32, map.height as i32);
    for y in 0..height {
        if mask.row_words(y as u32).iter().all(|&word| word == 0) {
            continue;
        }
        let mut x = 0;
        while x < width {
            let run = (x..width).take_while(|&x| mask.get(CellXY::new(x, y))).count() as i32;
            if run > 0 {
                let is_above = |area: &&mut Rect| {
                    (area.x, area.width as i32) == (x, run) && area.y + area.height as i32 == y
                };
                match areas.iter_mut().rev().find(is_above) {
                    Some(area) => area.height += 1,
                    None => areas.push(Rect::new(x, y, run as u32, 1)),
                }
            }
            x += run + 1;
        }
    }
    areas
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
    match at_best {
        Cow::Borrowed(_) => {
            ClassLandmarks::new(Landmarks::of(tables, number), Arc::clone(map), tables.clone())
        }
        Cow::Owned(grid) => {
            let mut tables = MovementTables::compile(&grid, tables.class().clone());
            tables.make_components();
            ClassLandmarks::new(Landmarks::of(&tables, number), Arc::new(grid), tables)
        }
    }
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
