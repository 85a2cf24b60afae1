//! The components of a unit's entity. The plugin makes and keeps them; a component that is equal is not touched.

use crate::command_queue::CommandQueue;
use crate::units::Units;
use bevy_ecs::component::Component;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::world::DeferredWorld;
use wheelbase_sim::{Activity, AgentId, AgentRow, ClassId, Command, OrderKind, Team, WaitReason};

/// A unit, by its permanent id in the world. `Added<Unit>` finds units that were placed. An entity that is despawned,
/// or loses this component, removes its unit at the next tick.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[component(immutable, on_remove = removed_by_game)]
pub struct Unit(pub AgentId);

/// The class of a unit.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(immutable)]
pub struct UnitClass(pub ClassId);

/// The team of a unit.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(immutable)]
pub struct UnitTeam(pub Team);

/// What a unit is doing. `Changed<UnitActivity>` is the moment to start an animation.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(immutable)]
pub struct UnitActivity(pub Activity);

/// The current order of a unit. Off the map it is the last order before.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(immutable)]
pub struct UnitOrder {
    /// Kind and number of the order; `None` without one.
    order: Option<(u8, u32)>,
}

impl UnitOrder {
    /// Name of its kind, such as `goto`; `None` without an order.
    pub fn name(self) -> Option<&'static str> {
        self.order.and_then(|(kind, _)| OrderKind::NAMES.get(usize::from(kind)).copied())
    }

    /// Number in [`World::orders`](wheelbase_sim::World::orders); `None` without an order.
    pub fn number(self) -> Option<u32> {
        self.order.map(|(_, number)| number)
    }
}

/// A unit that could have moved on but has not. The component comes and goes with the waiting.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(immutable, storage = "SparseSet")]
pub struct Waiting {
    /// Tick since which it waits.
    pub since: u32,
    /// Why, as of at most 8 ticks ago.
    pub why: WaitReason,
}

/// Where to draw a unit on the map in this frame: a point of the plane of [`Space`](crate::Space), and an angle. With
/// the feature `transform` its `Transform` follows.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose2 {
    pub(crate) point: [f32; 2],
    pub(crate) angle: f32,
}

impl Pose2 {
    /// The centre of the body, in world units.
    pub fn point(&self) -> [f32; 2] {
        self.point
    }

    /// The facing in radians, from the first axis of the plane towards the second.
    pub fn angle(&self) -> f32 {
        self.angle
    }
}

impl UnitActivity {
    pub(crate) fn of(row: &AgentRow) -> Self {
        // No world produces an unknown number.
        Self(row.activity().unwrap_or(Activity::Idle))
    }
}

impl UnitOrder {
    pub(crate) fn of(row: &AgentRow) -> Self {
        Self { order: (row.order_kind != AgentRow::NO_ORDER).then_some((row.order_kind, row.order)) }
    }
}

/// Units that the plugin itself takes away are not in the index any more.
fn removed_by_game(mut world: DeferredWorld<'_>, HookContext { entity, .. }: HookContext) {
    let Some(&Unit(unit)) = world.get::<Unit>(entity) else { return };
    if world.get_resource::<Units>().and_then(|units| units.entity(unit)) != Some(entity) {
        return;
    }
    if let Some(mut queue) = world.get_resource_mut::<CommandQueue>() {
        queue.push(Command::remove(unit));
        #[cfg(debug_assertions)]
        log::info!("the entity of unit {} is gone: its unit is removed at the next tick", unit.0);
    }
}
