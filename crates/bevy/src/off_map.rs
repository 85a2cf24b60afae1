//! The component of units off the map.

use bevy_ecs::component::Component;
use wheelbase_sim::AgentId;

/// A unit off the map: in a transport or a garrison, or away until it respawns. It keeps its entity, its orders and
/// your components, and has no [`Pose2`](crate::Pose2). Hide it on `On<Add, OffMap>`, and show it on
/// `On<Remove, OffMap>`. [`Orders::enter`](crate::Orders::enter) and [`Orders::leave`](crate::Orders::leave).
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(immutable, storage = "SparseSet")]
pub struct OffMap {
    /// The unit that it has entered; `None` if none was named. It may be gone by now.
    pub container: Option<AgentId>,
}
