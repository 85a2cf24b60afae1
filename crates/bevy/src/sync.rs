//! Entities follow the world: they come, go, and get the components that have changed.

use crate::command_queue::CommandQueue;
use crate::components::{Pose2, Unit, UnitActivity, UnitClass, UnitOrder, UnitTeam, Waiting};
use crate::interpolate::drawn;
use crate::messages::{EditMessage, MapChanged, UnitMessage, UnitRemoved, UnitSpawned};
use crate::off_map::OffMap;
use crate::space::Space;
use crate::units::{Known, Units};
use crate::wheelbase::Wheelbase;
use bevy_ecs::change_detection::{Res, ResMut};
use bevy_ecs::entity::{Entities, Entity, EntityHashSet};
use bevy_ecs::message::MessageWriter;
use bevy_ecs::system::{Commands, Query, SystemParam};
use std::collections::BTreeMap;
use wheelbase_sim::{Activity, AgentId, AgentRow, ClassId, Command, EventKind, EventRow, Team, WaitReason};

/// A waiting unit's reason is looked up every time this many ticks have passed, depending on its id.
const WHY_TICKS: u32 = 8;

#[derive(SystemParam)]
pub(crate) struct Out<'w, 's> {
    commands: Commands<'w, 's>,
    queue: ResMut<'w, CommandQueue>,
    units: MessageWriter<'w, UnitMessage>,
    edits: MessageWriter<'w, EditMessage>,
    maps: MessageWriter<'w, MapChanged>,
}

/// Units that are not where the index has them, by id. Units off the map have their component.
type Moved = BTreeMap<u32, (Known, Option<OffMap>)>;

/// What a run of [`follow`] reads, and the units that it has to move or has placed.
struct Follower<'a, 'w, 's> {
    wheelbase: &'a Wheelbase,
    is_replaced: bool,
    alive: &'a Entities,
    waiting: &'a Query<'w, 's, (Entity, &'static Unit, &'static Waiting)>,
    space: &'a Space,
    moved: Moved,
    /// New units with their entities.
    placed: Vec<(AgentId, Entity)>,
}

/// After a tick, a load or a rollback. A tick costs a comparison for each row that it has changed; if units have gone,
/// left the map or come back, for each unit.
pub(crate) fn follow(
    mut wheelbase: ResMut<Wheelbase>,
    mut units: ResMut<Units>,
    alive: &Entities,
    waiting: Query<(Entity, &'static Unit, &'static Waiting)>,
    space: Res<Space>,
    mut out: Out,
) {
    if !wheelbase.has_ticked && !wheelbase.is_replaced {
        return;
    }
    let (wheelbase, units) = (&mut *wheelbase, &mut *units);
    let is_replaced = std::mem::take(&mut wheelbase.is_replaced);
    let mut gone = if is_replaced { part_from_strangers(wheelbase, units, alive) } else { Vec::new() };
    let moves_units = |event: &EventRow| {
        matches!(event.kind(), Some(EventKind::Removed | EventKind::Entered | EventKind::Left))
    };
    let (moved, placed) = (Moved::new(), Vec::new());
    let mut follower =
        Follower { wheelbase, is_replaced, alive, waiting: &waiting, space: &space, moved, placed };
    if is_replaced || wheelbase.events().iter().any(moves_units) {
        follower.moved = take_moved(wheelbase, units);
        follower.off_map(units, &mut out);
    }
    if is_replaced {
        follower.rows(0..wheelbase.agents().len(), units, &mut out);
    } else {
        follower.rows(wheelbase.changed_rows(), units, &mut out);
    }
    follower.still_waiting(units, &mut out.commands);
    let Follower { moved, placed, .. } = follower;
    gone.extend(moved.into_values());
    for (unit, entity) in placed {
        wheelbase.got(unit, entity);
    }
    // After a rollback another unit can have the entity.
    let kept = if is_replaced { units.entities().collect() } else { EntityHashSet::default() };
    for (known, off) in gone {
        if !kept.contains(&known.entity) {
            remove(&known, off, alive, &mut out);
        }
    }
    if std::mem::take(&mut wheelbase.is_map_replaced) {
        let (area, revision) = (wheelbase.grid().size().rect(), wheelbase.grid().revision());
        out.maps.write(MapChanged { area, revision });
    }
    if std::mem::take(&mut wheelbase.has_ticked) {
        tell(wheelbase, units, &mut out);
    }
}

impl Follower<'_, '_, '_> {
    /// Rebuilds the list of units off the map.
    fn off_map(&mut self, units: &mut Units, out: &mut Out) {
        for inside in self.wheelbase.off_map() {
            let off = OffMap { container: Some(inside.container).filter(|&id| id != AgentId::NOBODY) };
            let (id, class, team) = (inside.id.0, inside.class.0, inside.team.0);
            let known = if let Some((Known { row: known, entity }, was)) = self.moved.remove(&id) {
                let (activity, waits_since) = (Activity::Idle as u8, AgentRow::NEVER);
                let row = AgentRow { class, team, activity, waits_since, ..known };
                update(&known, &row, entity, &mut out.commands);
                if was != Some(off) {
                    take_off(&row, entity, off, out);
                }
                Known { row, entity }
            } else {
                let row = AgentRow { id, class, team, ..AgentRow::default() };
                Known { row, entity: self.make(&row, Some(off), out) }
            };
            units.off_map.push((known, off));
        }
    }

    /// Has the entities of rows follow them. Rows are given in ascending order, and all new ones are among them.
    fn rows(&mut self, indices: impl Iterator<Item = usize>, units: &mut Units, out: &mut Out) {
        let mut new = Vec::new();
        for index in indices {
            let row = self.wheelbase.agents()[index];
            let known = units.known.get_mut(index - new.len()).filter(|known| known.row.id == row.id);
            let entity = if let Some(known) = known {
                update(&known.row, &row, known.entity, &mut out.commands);
                known.row = row;
                known.entity
            } else {
                let entity = match self.moved.remove(&row.id) {
                    Some((known, _)) => {
                        update(&known.row, &row, known.entity, &mut out.commands);
                        put_back(self.wheelbase, &row, known.entity, self.space, &mut out.commands);
                        out.units.write(UnitMessage::Left { unit: row.agent(), entity: known.entity });
                        known.entity
                    }
                    None => self.make(&row, None, out),
                };
                new.push(Known { row, entity });
                entity
            };
            let is_said = |(_, unit, said): (_, &Unit, &Waiting)| {
                unit.0 == row.agent() && said.since == row.waits_since
            };
            if row.waits_since != AgentRow::NEVER && !self.waiting.get(entity).is_ok_and(is_said) {
                say_why(self.wheelbase, &row, entity, None, &mut out.commands);
            }
        }
        if !new.is_empty() {
            units.known.extend(new);
            // Two sorted runs: linear.
            units.known.sort_by_key(|known| known.row.id);
        }
    }

    /// Asks again why units wait that have waited before.
    fn still_waiting(&self, units: &Units, commands: &mut Commands) {
        for (entity, &Unit(unit), said) in self.waiting {
            if self.wheelbase.tick().wrapping_add(unit.0).is_multiple_of(WHY_TICKS)
                && units.entity(unit) == Some(entity)
                && let Some(row) = self.wheelbase.agent(unit).filter(|row| row.waits_since == said.since)
            {
                say_why(self.wheelbase, row, entity, Some(said.why), commands);
            }
        }
    }

    /// Gives a unit that is new an entity with its components.
    fn make(&mut self, row: &AgentRow, off: Option<OffMap>, out: &mut Out) -> Entity {
        let unit = row.agent();
        let reserved = self.wheelbase.reserved_for(unit);
        let entity = reserved.filter(|&entity| self.alive.contains_spawned(entity) || !self.is_replaced);
        let entity = entity.unwrap_or_else(|| out.commands.spawn_empty().id());
        self.placed.push((unit, entity));
        if reserved == Some(entity) && !self.alive.contains_spawned(entity) {
            // The game has despawned it before its unit was placed.
            out.queue.push(Command::remove(unit));
            return entity;
        }
        let mut of_unit = out.commands.entity(entity);
        of_unit.try_insert((
            Unit(unit),
            UnitClass(ClassId(row.class)),
            UnitTeam(Team(row.team)),
            UnitActivity::of(row),
            UnitOrder::of(row),
        ));
        if row.waits_since == AgentRow::NEVER {
            of_unit.try_remove::<Waiting>();
        }
        out.units.write(UnitMessage::Spawned { unit, entity });
        match off {
            Some(off) => take_off(row, entity, off, out),
            None => put_back(self.wheelbase, row, entity, self.space, &mut out.commands),
        }
        out.commands.trigger(UnitSpawned { entity, unit });
        entity
    }
}

/// Takes units out of the index whose entity is gone, or reserved for another unit. A rollback can give
/// a command another id.
fn part_from_strangers(
    wheelbase: &Wheelbase,
    units: &mut Units,
    alive: &Entities,
) -> Vec<(Known, Option<OffMap>)> {
    let all_reserved: EntityHashSet = wheelbase.reserved().collect();
    let is_stranger = |Known { row, entity }: &Known| {
        !alive.contains_spawned(*entity)
            || match wheelbase.reserved_for(row.agent()) {
                Some(reserved) => reserved != *entity,
                None => all_reserved.contains(entity),
            }
    };
    let on_map = units.known.extract_if(.., |known| is_stranger(known)).map(|known| (known, None));
    let off_map = units.off_map.extract_if(.., |(known, _)| is_stranger(known));
    on_map.chain(off_map.map(|(known, off)| (known, Some(off)))).collect()
}

/// Takes the units out of the index that are off the map, or on it no longer.
fn take_moved(wheelbase: &Wheelbase, units: &mut Units) -> Moved {
    let mut rows = wheelbase.agents().iter().peekable();
    let has_no_row = |known: &mut Known| {
        while rows.next_if(|row| row.id < known.row.id).is_some() {}
        rows.peek().is_none_or(|row| row.id != known.row.id)
    };
    let on_map = units.known.extract_if(.., has_no_row).map(|known| (known, None));
    let off_map = units.off_map.drain(..).map(|(known, off)| (known, Some(off)));
    on_map.chain(off_map).map(|unit| (unit.0.row.id, unit)).collect()
}

/// Has an entity be drawn where its unit is.
fn put_back(wheelbase: &Wheelbase, row: &AgentRow, entity: Entity, space: &Space, commands: &mut Commands) {
    let pose = drawn(wheelbase, row, f64::from(wheelbase.tick()), space);
    let mut of_unit = commands.entity(entity);
    of_unit.try_insert(pose).try_remove::<OffMap>();
    #[cfg(feature = "transform")]
    of_unit.try_insert_if_new(crate::interpolate::transform_of(&pose, space));
}

/// Marks the entity of a unit that has left the map.
fn take_off(row: &AgentRow, entity: Entity, off: OffMap, out: &mut Out) {
    out.commands.entity(entity).try_insert(off).try_remove::<Pose2>();
    out.units.write(UnitMessage::Entered { unit: row.agent(), entity, container: off.container });
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

/// Tells why a unit waits, if something else was said.
fn say_why(
    wheelbase: &Wheelbase,
    row: &AgentRow,
    entity: Entity,
    said: Option<WaitReason>,
    commands: &mut Commands,
) {
    if let Some(why) = wheelbase.reason_for_waiting(row.agent())
        && said != Some(why)
    {
        commands.entity(entity).try_insert(Waiting { since: row.waits_since, why });
    }
}

/// Despawns the entity of a unit that is no longer in the world.
fn remove(known: &Known, off: Option<OffMap>, alive: &Entities, out: &mut Out) {
    let Known { row, entity } = *known;
    let unit = row.agent();
    if alive.contains_spawned(entity) {
        let (class, team, pose) = (ClassId(row.class), Team(row.team), off.is_none().then(|| row.pose()));
        out.commands.trigger(UnitRemoved { entity, unit, class, team, pose });
        out.commands.entity(entity).try_despawn();
    }
    out.units.write(UnitMessage::Removed { unit, entity });
}

/// Sends the messages of a tick.
fn tell(wheelbase: &Wheelbase, units: &Units, out: &mut Out) {
    for (index, event) in wheelbase.events().iter().enumerate() {
        let of_unit = || event.agent().and_then(|unit| Some((unit, units.entity(unit)?)));
        match event.kind() {
            Some(EventKind::Spawned) => {
                // Removed in the same tick: no row was ever seen.
                if let Some(unit) = event.agent().filter(|&unit| units.entity(unit).is_none())
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
                    let by = AgentId(event.a);
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
