//! A movement class of a run: all that is kept of it beside its movement tables.

use crate::class_landmarks::ClassLandmarks;
use wheelbase_planner::model::ClassSpeeds;
use wheelbase_planner::search::Heuristic;

/// A movement class of the scenario; its movement tables lie beside it, by class.
#[derive(Debug)]
pub struct SimClass {
    /// Name.
    pub name: String,
    /// Its speeds on the map's kinds.
    pub speeds: ClassSpeeds,
    /// What makes its far searches cheap.
    pub(crate) landmarks: Option<ClassLandmarks>,
}

impl SimClass {
    /// What guides searches of the class to goals without a field of costs.
    pub(crate) fn heuristic(&self) -> Heuristic<'_> {
        self.landmarks.as_ref().map_or(Heuristic::Default, ClassLandmarks::heuristic)
    }

    /// Bytes of its landmarks.
    pub(crate) fn landmark_bytes(&self) -> usize {
        self.landmarks.as_ref().map_or(0, ClassLandmarks::memory_bytes)
    }
}
