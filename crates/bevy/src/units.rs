//! Which entity is which unit.

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use wheelbase_sim::{AgentId, AgentRow};

/// The entities of all units, as of the last tick.
#[derive(Resource, Debug, Default)]
pub struct Units {
    /// What the components say, in order of id.
    pub(crate) rows: Vec<AgentRow>,
    /// Their entities, in the same order. Games may have despawned some.
    pub(crate) entities: Vec<Entity>,
}

impl Units {
    /// The entity of a unit; `None` if the unit is not in the world. Logarithmic in the units.
    pub fn entity(&self, unit: AgentId) -> Option<Entity> {
        let index = self.rows.binary_search_by_key(&unit.0, |row| row.id).ok()?;
        self.entities.get(index).copied()
    }

    /// All units with their entities, in order of id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (AgentId, Entity)> {
        self.rows.iter().zip(&self.entities).map(|(row, &entity)| (row.agent(), entity))
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
