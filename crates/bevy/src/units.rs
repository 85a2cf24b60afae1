//! Which entity is which unit.

use crate::off_map::OffMap;
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use wheelbase_sim::{AgentId, AgentRow};

/// The entities of all units, as of the last tick.
#[derive(Resource, Debug, Default)]
pub struct Units {
    /// The units on the map, in order of id: the order of [`World::agents`](wheelbase_sim::World::agents).
    pub(crate) known: Vec<Known>,
    /// The units off the map, in order of id.
    pub(crate) off_map: Vec<(Known, OffMap)>,
}

/// A unit that has an entity. Games may have despawned it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// What the components say.
    pub(crate) row: AgentRow,
    pub(crate) entity: Entity,
}

impl Units {
    /// The entity of a unit, on or off the map; `None` if there is no such unit. Logarithmic in the units.
    pub fn entity(&self, unit: AgentId) -> Option<Entity> {
        let off_map = || {
            let index = self.off_map.binary_search_by_key(&unit.0, |(known, _)| known.row.id).ok()?;
            Some(self.off_map[index].0.entity)
        };
        match self.known.binary_search_by_key(&unit.0, |known| known.row.id) {
            Ok(index) => Some(self.known[index].entity),
            Err(_) => off_map(),
        }
    }

    /// The units on the map with their entities, in order of id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (AgentId, Entity)> {
        self.known.iter().map(|known| (known.row.agent(), known.entity))
    }

    /// The units off the map with their entities, in order of id.
    pub fn off_map(&self) -> impl ExactSizeIterator<Item = (AgentId, Entity)> {
        self.off_map.iter().map(|(known, _)| (known.row.agent(), known.entity))
    }

    /// The entities of all units.
    pub(crate) fn entities(&self) -> impl Iterator<Item = Entity> {
        let off_map = self.off_map.iter().map(|(known, _)| known);
        self.known.iter().chain(off_map).map(|known| known.entity)
    }

    /// Number of units on the map.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are none on the map.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}
