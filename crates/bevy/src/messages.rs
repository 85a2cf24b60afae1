//! What happened, as messages and as events of entities.

use crate::player_command::{OrderTicket, PlayerCommand};
use bevy_ecs::entity::Entity;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::Message;
use wheelbase_sim::{AgentId, ClassId, EventKind, Pose, Rect, RefusalReason, Team, UnreachableReason};

/// Something that happened to a unit at a tick.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitMessage {
    /// It is in the world: placed by a command, by the setup, by a loaded game or by a rollback.
    Spawned {
        /// The unit.
        unit: AgentId,
        /// Its entity.
        entity: Entity,
    },
    /// It is no longer in the world.
    Removed {
        /// The unit.
        unit: AgentId,
        /// The entity that it had, which is gone now.
        entity: Entity,
    },
    /// It has left the map and has [`OffMap`](crate::OffMap): by a command, a loaded game or a rollback.
    Entered {
        /// The unit.
        unit: AgentId,
        /// Its entity, which stays.
        entity: Entity,
        /// The unit that it has entered; `None` if none was named.
        container: Option<AgentId>,
    },
    /// It is on the map again: by a command, a loaded game or a rollback.
    Left {
        /// The unit.
        unit: AgentId,
        /// Its entity.
        entity: Entity,
    },
    /// A command was refused, or its part about one unit.
    Refused {
        /// The command; `None` if it came with the setup or before a load.
        ticket: Option<OrderTicket>,
        /// The unit that it was about, if it was about one.
        unit: Option<AgentId>,
        /// The entity reserved for the unit to place, which is gone now.
        entity: Option<Entity>,
        /// Why.
        reason: RefusalReason,
    },
    /// It has done an order.
    OrderDone {
        /// The unit.
        unit: AgentId,
        /// Its entity.
        entity: Entity,
        /// Kind of the order, an index into [`OrderKind::NAMES`](wheelbase_sim::OrderKind::NAMES).
        kind: u32,
    },
    /// It cannot reach the goal of an order.
    OrderFailed {
        /// The unit.
        unit: AgentId,
        /// Its entity.
        entity: Entity,
        /// Kind of the order, as in [`UnitMessage::OrderDone`].
        kind: u32,
        /// Why.
        why: UnreachableReason,
    },
    /// It has waited for 8 ticks.
    Blocked {
        /// The unit.
        unit: AgentId,
        /// Its entity.
        entity: Entity,
        /// The unit in its way.
        by: AgentId,
    },
}

/// Something that happened to an edit of the map.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditMessage {
    /// The edit; `None` if it came with the setup or before a load.
    pub ticket: Option<OrderTicket>,
    /// [`EventKind::EditDone`], [`EventKind::EditWaits`], [`EventKind::EditCancelled`] or [`EventKind::EditReplaced`].
    pub kind: EventKind,
    /// Rectangle around its cells.
    pub area: Rect,
}

/// A part of the map has changed: redraw it in a tilemap or a minimap. A loaded game sends the whole map, and so
/// does a rollback past an edit.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapChanged {
    /// Rectangle around the changed cells.
    pub area: Rect,
    /// [`Grid::revision`](wheelbase_sim::Grid::revision) after the change.
    pub revision: u64,
}

/// The commands of the local player for a tick: what a network layer sends to the others, also if there are none. Sent
/// once for each tick, by plugins with [`lockstep`](crate::WheelbasePlugin::lockstep) or
/// [`rollback`](crate::WheelbasePlugin::rollback).
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct LocalTurn {
    /// The tick at which they take effect.
    pub tick: u32,
    /// The commands.
    pub commands: Vec<PlayerCommand>,
}

/// A command came for a tick that is too long ago, and was dropped. This machine has left the others: load a game of
/// theirs.
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct TooLate {
    /// The tick.
    pub tick: u32,
    /// The command.
    pub command: PlayerCommand,
}

/// Event of a unit's entity: it is in the world, and has its components.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitSpawned {
    /// The entity.
    pub entity: Entity,
    /// The unit.
    pub unit: AgentId,
}

/// Event of a unit's entity: the unit is no longer in the world. The entity is despawned after the observers have run.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitRemoved {
    /// The entity.
    pub entity: Entity,
    /// The unit.
    pub unit: AgentId,
    /// Its class.
    pub class: ClassId,
    /// Its team.
    pub team: Team,
    /// Its last pose; in mid-move the pose in which the move began; `None` if it was off the map.
    pub pose: Option<Pose>,
}
