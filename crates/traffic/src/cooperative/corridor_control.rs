//! Narrow passages: which there are, and who may enter them.

use crate::collision::Transition;
use crate::cooperative::admission::Admission;
use crate::cooperative::corridor_map::{CorridorMap, OPEN};
use crate::params::TrafficParams;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::Offset;

/// The passages of a map and who may enter them.
#[derive(Debug)]
pub struct CorridorControl {
    pub map: CorridorMap,
    pub admission: Admission,
}

impl CorridorControl {
    /// The passages for agents of some classes, with the shortest and longest side of their bodies.
    pub fn new(
        size: GridSize,
        tables: &[MovementTables],
        sides: &[(u32, u32)],
        params: TrafficParams,
    ) -> Self {
        let largest = (params.corridor_cells_max, params.corridor_side_max);
        let map = CorridorMap::new(size, tables, sides, largest);
        let mut corridor_control = Self { map, admission: Admission::new(params) };
        corridor_control.follow_edits(tables, &[size.rect()]);
        corridor_control
    }

    /// Finds the passages anew about areas of the map that were edited; who is in one, or waits for it, is so still in
    /// what has become of it. Says whether there are others than before.
    pub fn follow_edits(&mut self, tables: &[MovementTables], edited: &[Rect]) -> bool {
        self.map.follow_edits(tables, edited);
        self.admission.follow(&self.map)
    }

    /// The busy passage that a move enters, if any.
    #[inline]
    pub fn enters_busy(&self, step: &Transition<'_>) -> Option<u32> {
        if !self.admission.any_busy {
            return None;
        }
        let at = |anchor: CellXY, to: &Offset| self.map.at_anchor(to.cell_from(anchor));
        let ((start, under), (end, onto)) = (step.start(), step.end());
        let mut corridors = onto.iter().map(|to| at(end, to));
        let corridor = corridors.find(|&corridor| corridor != OPEN && self.admission.is_busy(corridor))?;
        under.iter().all(|to| at(start, to) != corridor).then_some(corridor)
    }
}
