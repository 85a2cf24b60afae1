//! What a run keeps of a movement class next to its movement tables.

use crate::class_graph::ClassGraph;
use crate::class_landmarks::ClassLandmarks;
use wheelbase_planner::model::ClassSpeeds;
use wheelbase_planner::search::Heuristic;

/// A movement class of a run. Its movement tables are kept apart, by class.
#[derive(Clone, Debug)]
pub struct WorldClass {
    /// Name.
    pub name: String,
    /// Its speeds on the kinds of the map.
    pub speeds: ClassSpeeds,
    /// Landmarks that guide its far searches.
    pub(crate) landmarks: Option<ClassLandmarks>,
    /// Its abstract graph.
    pub(crate) graph: ClassGraph,
}

impl WorldClass {
    /// Heuristic for searches of the class to goals without a cost field.
    pub(crate) fn heuristic(&self) -> Heuristic<'_> {
        self.landmarks.as_ref().map_or(Heuristic::Default, ClassLandmarks::heuristic)
    }

    /// Bytes of its landmarks.
    pub(crate) fn landmark_bytes(&self) -> usize {
        self.landmarks.as_ref().map_or(0, ClassLandmarks::memory_bytes)
    }
}
