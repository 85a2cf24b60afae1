//! Landmarks of the movement classes: they make far searches cheap, and paths stay exactly cheapest.
//!
//! Made before the first tick, where a count says that they pay. They bound costs from below as long as no
//! move is legal or cheaper that was not when they were made. That is told cell by cell: a move can only have
//! become easier where one of the cells that it sweeps, or a side of one, is faster than it was. So the edits
//! that a scenario will make are looked through first: landmarks are made on the map as it would be if all
//! that they make faster were so at once, and doors may open and shut as they like.

use crate::events::{Action, Event};
use std::borrow::Cow;
use std::sync::Arc;
use wheelbase_grid::{BitGrid, Change, Grid, Rect};
use wheelbase_planner::model::{ClassSpeeds, StateSpace};
use wheelbase_planner::search::{Heuristic, Landmarks};
use wheelbase_planner::{MovementClass, MovementTables};

/// Landmarks of a class that are made where they pay. Four cost a quarter of the expansions of the norm
/// alone; eight cost a fifth, take twice as long to make and twice the memory.
pub(crate) const LANDMARKS: usize = 4;
/// They pay where so many agents have tasks all over the map. To make them takes as long as some hundred
/// searches.
pub(crate) const AGENTS_PAY: u64 = 100;
/// Most bytes that the landmarks of all classes may take together.
pub(crate) const BYTES_MAX: usize = 1 << 30;
/// Bytes of a landmark by state at most: a distance each way.
pub(crate) const LANDMARK_BYTES: usize = 8;

/// The landmarks of a class, and whether they hold.
#[derive(Debug)]
pub(crate) struct ClassLandmarks {
    landmarks: Landmarks,
    /// The map that they were made on.
    made_on: Arc<Grid>,
    /// Cells over which a move may be easier than on that map, and their number.
    eased: BitGrid,
    n_eased: usize,
}

impl ClassLandmarks {
    /// Whether no move is easier than when they were made.
    fn hold(&self) -> bool {
        self.n_eased == 0
    }

    /// What guides searches of the class to goals without a field of costs.
    pub fn heuristic(&self) -> Heuristic<'_> {
        if self.hold() { Heuristic::Landmarks(&self.landmarks) } else { Heuristic::Default }
    }

    /// Bytes in use.
    pub fn memory_bytes(&self) -> usize {
        self.landmarks.memory_bytes()
    }

    /// Follows an edit of the map; says whether they held before it and do not now, or the other way round.
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

/// Most landmarks that a class with these poses may be given.
pub(crate) fn most_in(space: StateSpace) -> usize {
    BYTES_MAX / (LANDMARK_BYTES * space.n_states().max(1))
}

/// Landmarks that each class of a scenario may be given: as many as `asked`, or where that is `None` as many as
/// may pay for so many agents with tasks.
pub(crate) fn expected(asked: Option<usize>, with_tasks: u64) -> usize {
    asked.unwrap_or(if with_tasks >= AGENTS_PAY { LANDMARKS } else { 0 })
}

/// Landmarks of a class on a map, made as it would be if all that the events make faster were so at once.
pub(crate) fn landmarks_of(
    tables: &MovementTables,
    speeds: &ClassSpeeds,
    map: &Arc<Grid>,
    events: &[Event],
    number: usize,
) -> ClassLandmarks {
    let mut at_best = Cow::Borrowed(&**map);
    for event in events {
        if let Action::Edit(edit) = &event.action {
            ease(&mut at_best, speeds, edit.change);
        }
    }
    let (landmarks, made_on) = match at_best {
        Cow::Borrowed(_) => (Landmarks::of(tables, number), Arc::clone(map)),
        Cow::Owned(grid) => {
            let mut tables = MovementTables::compile(&grid, tables.class().clone());
            tables.make_components();
            (Landmarks::of(&tables, number), Arc::new(grid))
        }
    };
    ClassLandmarks { landmarks, eased: BitGrid::new(map.size()), n_eased: 0, made_on }
}

/// Makes of a change what it makes faster. Heights and turned tiles are left as they are: where they ease a
/// move, landmarks are left unused as long as that is so.
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
