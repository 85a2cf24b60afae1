//! The corridors of a map, admission to them, and the ground before them.

use crate::clone_fields::clone_fields;
use crate::collision::Transition;
use crate::cooperative::admission::Admission;
use crate::cooperative::corridor_map::{CorridorMap, NO_CORRIDOR};
use crate::cooperative::no_stopping::NoStopping;
use crate::forbidden::ForbiddenArea;
use crate::motion::ClassId;
use crate::params::TrafficParams;
use crate::teams::Team;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::Offset;

/// The corridors of a map, and admission to them.
#[derive(Debug)]
pub(crate) struct CorridorControl {
    pub(crate) map: CorridorMap,
    pub(crate) admission: Admission,
    pub(crate) no_stopping: NoStopping,
}

clone_fields!(CorridorControl { map, admission, no_stopping });

impl CorridorControl {
    /// For agents of some classes, with the shortest and longest sides of their bodies.
    pub(crate) fn new(
        size: GridSize,
        tables: &[MovementTables],
        sides: &[(u32, u32)],
        params: TrafficParams,
    ) -> Self {
        let map = CorridorMap::new(size, tables, sides, &params);
        let no_stopping = NoStopping::new(size, sides, &params);
        let admission = Admission::new(params, no_stopping.passing_width);
        let mut corridor_control = Self { map, admission, no_stopping };
        corridor_control.update(tables, &[size.rect()]);
        corridor_control
    }

    /// Computes the corridors again near edited areas. An agent in a corridor, or waiting for it, is so afterwards in
    /// what has become of it. Says whether any corridor has changed.
    pub(crate) fn update(&mut self, tables: &[MovementTables], edited: &[Rect]) -> bool {
        self.map.update(tables, edited);
        self.no_stopping.forget();
        self.admission.update(&self.map)
    }

    /// Finds which corridors are busy at a tick, and the no-stopping ground of these and of edits that wait.
    /// `classes` are the classes of the agents.
    pub(crate) fn find_busy(
        &mut self,
        tick: u32,
        forbidden: &[ForbiddenArea],
        classes: impl Iterator<Item = ClassId>,
    ) {
        self.admission.find_busy(tick);
        self.no_stopping.update(&self.map, &self.admission, forbidden, classes);
    }

    /// The corridor that a move enters, if it is busy for a team.
    #[inline]
    pub(crate) fn enters_busy(&self, step: &Transition<'_>, team: Team) -> Option<u32> {
        if !self.admission.any_busy {
            return None;
        }
        let at = |anchor: CellXY, to: &Offset| self.map.at_anchor(to.cell_from(anchor));
        let ((start, under), (end, onto)) = (step.start(), step.end());
        let mut corridors = onto.iter().map(|to| at(end, to));
        let corridor =
            corridors.find(|&corridor| corridor != NO_CORRIDOR && self.admission.is_busy(corridor, team))?;
        under.iter().all(|to| at(start, to) != corridor).then_some(corridor)
    }
}
