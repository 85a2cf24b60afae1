//! Entities follow the world: they come, go, and get the components that have changed.

use crate::command_queue::CommandQueue;
use crate::components::{Unit, UnitActivity, UnitClass, UnitOrder, UnitTeam, Waiting};
use crate::interpolate::drawn;
use crate::messages::{EditMessage, MapChanged, UnitMessage, UnitRemoved, UnitSpawned};
use crate::space::Space;
use crate::units::Units;
use crate::wheelbase::Wheelbase;
use bevy_ecs::change_detection::{Res, ResMut};
use bevy_ecs::entity::{Entities, Entity, EntityHashSet};
use bevy_ecs::message::MessageWriter;
use bevy_ecs::system::{Commands, Local, Query, SystemParam};
use wheelbase_sim::{AgentRow, ClassId, Command, EventKind, Team};

/// A waiting unit's reason is looked up once in so many ticks, by its id.
const WHY_TICKS: u32 = 8;

#[derive(SystemParam)]
pub(crate) struct Out<'w, 's> {
    commands: Commands<'w, 's>,
    queue: ResMut<'w, CommandQueue>,
    units: MessageWriter<'w, UnitMessage>,
    edits: MessageWriter<'w, EditMessage>,
    maps: MessageWriter<'w, MapChanged>,
}

/// After a tick, a load or a rollback. Linear in the units, by one comparison of rows for each.
pub(crate) fn follow(
    mut wheelbase: ResMut<Wheelbase>,
    mut units: ResMut<Units>,
    mut spare: Local<Units>,
    alive: &Entities,
    waiting: Query<&Waiting>,
    space: Res<Space>,
    mut out: Out,
) {
    if !wheelbase.has_ticked && !wheelbase.is_replaced {
        return;
    }
    let wheelbase = &mut *wheelbase;
    let is_replaced = std::mem::take(&mut wheelbase.is_replaced);
    let mut gone = if is_replaced { part_from_strangers(wheelbase, &mut units, alive) } else { Vec::new() };

    let spare = &mut *spare;
    std::mem::swap(&mut *units, spare);
    let before = spare.rows.drain(..).zip(spare.entities.drain(..));
    let mut before = before.peekable();
    let mut placed = Vec::new();
    for row in wheelbase.agents() {
        while let Some(left) = before.next_if(|(known, _)| known.id < row.id) {
            gone.push(left);
        }
        let entity = match before.next_if(|(known, _)| known.id == row.id) {
            Some((known, entity)) => {
                if known != *row {
                    update(&known, row, entity, &mut out.commands);
                }
                entity
            }
            None => {
                let reserved = wheelbase.reserved_for(row.agent());
                let entity = reserved.filter(|&entity| alive.contains_spawned(entity) || !is_replaced);
                let entity = entity.unwrap_or_else(|| out.commands.spawn_empty().id());
                if reserved == Some(entity) && !alive.contains_spawned(entity) {
                    // The game has despawned it before its unit was placed.
                    out.queue.push(Command::remove(row.agent()));
                } else {
                    make(wheelbase, row, entity, &space, &mut out);
                }
                placed.push((row.agent(), entity));
                entity
            }
        };
        if row.waits_since != AgentRow::NEVER {
            say_why(wheelbase, row, entity, &waiting, &mut out.commands);
        }
        units.rows.push(*row);
        units.entities.push(entity);
    }
    gone.extend(before);
    for (unit, entity) in placed {
        wheelbase.got(unit, entity);
    }
    // After a rollback another unit can have the entity.
    let kept = if is_replaced { units.entities.iter().copied().collect() } else { EntityHashSet::default() };
    for (row, entity) in gone {
        if !kept.contains(&entity) {
            remove(&row, entity, alive, &mut out);
        }
    }
    if std::mem::take(&mut wheelbase.is_map_replaced) {
        let (area, revision) = (wheelbase.grid().size().rect(), wheelbase.grid().revision());
        out.maps.write(MapChanged { area, revision });
    }
    if std::mem::take(&mut wheelbase.has_ticked) {
        tell(wheelbase, &units, &mut out);
    }
}

/// Takes units out of the index whose entity is gone, or reserved for another unit. A rollback can give
/// a command another id.
fn part_from_strangers(
    wheelbase: &Wheelbase,
    units: &mut Units,
    alive: &Entities,
) -> Vec<(AgentRow, Entity)> {
    let all_reserved: EntityHashSet = wheelbase.reserved().collect();
    let is_stranger = |(row, entity): &(AgentRow, Entity)| {
        !alive.contains_spawned(*entity)
            || match wheelbase.reserved_for(row.agent()) {
                Some(reserved) => reserved != *entity,
                None => all_reserved.contains(entity),
            }
    };
    let all = units.rows.drain(..).zip(units.entities.drain(..));
    let (strangers, known): (Vec<_>, Vec<_>) = all.partition(is_stranger);
    (units.rows, units.entities) = known.into_iter().unzip();
    strangers
}

/// Gives an entity the components of a unit that is new to it.
fn make(wheelbase: &Wheelbase, row: &AgentRow, entity: Entity, space: &Space, out: &mut Out) {
    let pose = drawn(wheelbase, row, f64::from(wheelbase.tick()), space);
    let mut of_unit = out.commands.entity(entity);
    of_unit.try_insert((
        Unit(row.agent()),
        UnitClass(ClassId(row.class)),
        UnitTeam(Team(row.team)),
        UnitActivity::of(row),
        UnitOrder::of(row),
        pose,
    ));
    #[cfg(feature = "transform")]
    of_unit.try_insert_if_new(crate::interpolate::transform_of(&pose, space));
    if row.waits_since == AgentRow::NEVER {
        of_unit.try_remove::<Waiting>();
    }
    out.commands.trigger(UnitSpawned { entity, unit: row.agent() });
    out.units.write(UnitMessage::Spawned { unit: row.agent(), entity });
}

/// Replaces the components that differ. A move alone touches none.
fn update(known: &AgentRow, row: &AgentRow, entity: Entity, commands: &mut Commands) {
    let mut of_unit = commands.entity(entity);
    if known.class != row.class {
        of_unit.try_insert(UnitClass(ClassId(row.class)));
    }
    if known.team != row.team {
        of_unit.try_insert(UnitTeam(Team(row.team)));
    }
    if known.activity != row.activity {
        of_unit.try_insert(UnitActivity::of(row));
    }
    if UnitOrder::of(known) != UnitOrder::of(row) {
        of_unit.try_insert(UnitOrder::of(row));
    }
    if row.waits_since == AgentRow::NEVER && known.waits_since != AgentRow::NEVER {
        of_unit.try_remove::<Waiting>();
    }
}

/// Keeps the reason of a waiting unit.
fn say_why(
    wheelbase: &Wheelbase,
    row: &AgentRow,
    entity: Entity,
    waiting: &Query<&Waiting>,
    commands: &mut Commands,
) {
    let said = waiting.get(entity).ok().filter(|said| said.since == row.waits_since);
    if said.is_some() && !wheelbase.tick().wrapping_add(row.id).is_multiple_of(WHY_TICKS) {
        return;
    }
    if let Some(why) = wheelbase.reason_for_waiting(row.agent())
        && said.is_none_or(|said| said.why != why)
    {
        commands.entity(entity).try_insert(Waiting { since: row.waits_since, why });
    }
}

/// Despawns the entity of a unit that is no longer in the world.
fn remove(row: &AgentRow, entity: Entity, alive: &Entities, out: &mut Out) {
    if alive.contains_spawned(entity) {
        let (unit, class, team, pose) = (row.agent(), ClassId(row.class), Team(row.team), row.pose());
        out.commands.trigger(UnitRemoved { entity, unit, class, team, pose });
        out.commands.entity(entity).try_despawn();
    }
    out.units.write(UnitMessage::Removed { unit: row.agent(), entity });
}

/// Sends the messages of a tick.
fn tell(wheelbase: &Wheelbase, units: &Units, out: &mut Out) {
    for (index, event) in wheelbase.events().iter().enumerate() {
        let of_unit = || event.agent().and_then(|unit| Some((unit, units.entity(unit)?)));
        match event.kind() {
            Some(EventKind::Spawned) => {
                // Removed in the same tick: no row was ever seen.
                if let Some(unit) = event.agent().filter(|&unit| wheelbase.agent(unit).is_none())
                    && let Some(entity) = wheelbase.reserved_for(unit)
                {
                    out.commands.entity(entity).try_despawn();
                    out.units.write(UnitMessage::Removed { unit, entity });
                }
            }
            Some(EventKind::Refused) => {
                let Some(reason) = event.refusal() else { continue };
                let ticket = wheelbase.name_of(event, false);
                let entity = ticket.and_then(|ticket| wheelbase.reserved_by(ticket));
                if let Some(entity) = entity {
                    out.commands.entity(entity).try_despawn();
                }
                out.units.write(UnitMessage::Refused { ticket, unit: event.agent(), entity, reason });
            }
            Some(EventKind::OrderDone) => {
                if let Some((unit, entity)) = of_unit() {
                    out.units.write(UnitMessage::OrderDone { unit, entity, kind: event.b });
                }
            }
            Some(EventKind::OrderFailed) => {
                if let (Some((unit, entity)), Some(why)) = (of_unit(), event.failure()) {
                    out.units.write(UnitMessage::OrderFailed { unit, entity, kind: event.b, why });
                }
            }
            Some(EventKind::Blocked) => {
                if let Some((unit, entity)) = of_unit() {
                    let by = wheelbase_sim::AgentId(event.a);
                    out.units.write(UnitMessage::Blocked { unit, entity, by });
                }
            }
            Some(
                kind @ (EventKind::EditDone
                | EventKind::EditWaits
                | EventKind::EditCancelled
                | EventKind::EditReplaced),
            ) => {
                let Some(area) = wheelbase.event_details(index).area else { continue };
                out.edits.write(EditMessage { ticket: wheelbase.name_of(event, true), kind, area });
                if kind == EventKind::EditDone {
                    out.maps.write(MapChanged { area, revision: wheelbase.grid().revision() });
                }
            }
            _ => {}
        }
    }
}
