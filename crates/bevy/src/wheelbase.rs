//! The world as a resource, with what lockstep and rollback need.

use crate::player_command::{OrderTicket, PlayerAct, PlayerCommand};
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::ops::Deref;
use wheelbase_sim::{AgentId, Body, Command, EventKind, EventRow, Host, LoadError, SaveError, Ticket, World};

/// How a saved game begins. What follows: the number of edits, ticket, player and number of each, and the snapshot.
const SAVED: &[u8] = b"bevy_wheelbase 1\n";
const SAVED_EDIT_BYTES: usize = 8 + 1 + 4;
/// The first and the last ticket of a tick.
const FIRST: OrderTicket = OrderTicket { player: 0, number: 0 };
const LAST: OrderTicket = OrderTicket { player: u8::MAX, number: u32::MAX };
/// A ticket that no edit has: the simulation refuses it.
const NO_EDIT: Ticket = Ticket(u64::MAX);

/// The world. It reads as a [`World`]; only [`Orders`](crate::Orders) and
/// [`RemoteCommands`](crate::RemoteCommands) change it, so that every command is known to rollback and lockstep.
#[derive(Resource)]
pub struct Wheelbase {
    world: World,
    /// By class.
    bodies: Vec<Body>,
    /// The world before each of the last ticks, by tick modulo the length.
    ring: Vec<Option<World>>,
    /// Commands by tick: of the ticks in the ring, and of later ones.
    given: BTreeMap<(u32, OrderTicket), PlayerAct>,
    /// Commands of the ticks in the ring by their tickets in the world: tick, name, whether they place one unit.
    tickets: BTreeMap<Ticket, (u32, OrderTicket, bool)>,
    /// The same for all edits, which can wait for long.
    edits: BTreeMap<Ticket, (u32, OrderTicket)>,
    /// Entities of the units that commands in the ring place.
    reserved: BTreeMap<OrderTicket, (u32, Entity)>,
    /// Units that such commands have placed.
    born: BTreeMap<AgentId, (u32, OrderTicket)>,
    /// Raised whenever the world was replaced by another one.
    pub(crate) generation: u32,
    /// Whether the last tick has not been shown to the entities.
    pub(crate) has_ticked: bool,
    /// Whether the world was replaced since they last followed it.
    pub(crate) is_replaced: bool,
    /// Whether the map is another one since then.
    pub(crate) is_map_replaced: bool,
    /// Whether the world waits for other players.
    pub(crate) is_stalled: bool,
}

/// A tick that the ring does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RollbackError {
    /// The tick asked for.
    pub tick: u32,
    /// The earliest tick in the ring; `None` if it is empty.
    pub earliest: Option<u32>,
}

impl fmt::Display for RollbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, earliest } = self;
        match earliest {
            Some(earliest) => write!(f, "no rollback to tick {tick}: the earliest one kept is {earliest}"),
            None => write!(f, "no rollback to tick {tick}: none is kept; see `WheelbasePlugin::rollback`"),
        }
    }
}

impl Error for RollbackError {}

impl Deref for Wheelbase {
    type Target = World;
    fn deref(&self) -> &World {
        &self.world
    }
}

impl Wheelbase {
    /// A world that can roll back by a number of ticks.
    pub(crate) fn new(world: World, rollback_ticks: usize) -> Self {
        let mut wheelbase = Self {
            bodies: Vec::new(),
            world,
            ring: (0..rollback_ticks).map(|_| None).collect(),
            given: BTreeMap::new(),
            tickets: BTreeMap::new(),
            edits: BTreeMap::new(),
            reserved: BTreeMap::new(),
            born: BTreeMap::new(),
            generation: 0,
            has_ticked: false,
            is_replaced: false,
            is_map_replaced: true,
            is_stalled: false,
        };
        wheelbase.replaced();
        wheelbase
    }

    fn replaced(&mut self) {
        self.bodies = self.world.tables().iter().map(|tables| Body::of(tables.class())).collect();
        self.generation = self.generation.wrapping_add(1);
        self.is_replaced = true;
        self.has_ticked = false;
    }

    /// The state hash: equal worlds have equal hashes on all machines. Linear in the units.
    pub fn hash(&self) -> u64 {
        self.world.state_hash()
    }

    /// The body of each class, for drawing.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Whether a lockstep world waits for turns of other players.
    pub fn is_stalled(&self) -> bool {
        self.is_stalled
    }

    /// A saved game: the world and the names of its edits. Commands that have not taken effect are not in it. Save
    /// between two frames; [`Wheelbase::load`] and `World::load` of its end read it.
    /// # Errors
    /// As [`World::save`].
    pub fn save(&self) -> Result<Vec<u8>, SaveError> {
        let mut bytes = SAVED.to_vec();
        bytes.extend((self.edits.len() as u32).to_le_bytes());
        for (ticket, (_, OrderTicket { player, number })) in &self.edits {
            bytes.extend(ticket.0.to_le_bytes());
            bytes.push(*player);
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.world.save()?);
        Ok(bytes)
    }

    /// Replaces the world by a saved one, or by a snapshot of any other host. Entities are matched by unit id and keep
    /// your components. On an error nothing changes. Commands of the last ticks are forgotten.
    ///
    /// In a game of several players insert a new [`RemoteCommands`](crate::RemoteCommands), too. It needs all turns
    /// from the tick of the saved game on. If all players load it, the turns of the first ticks, as many as the input
    /// delay, are empty.
    /// # Errors
    /// As [`World::load`].
    pub fn load(&mut self, bytes: &[u8], host: Host<'_>) -> Result<(), LoadError> {
        let (edits, snapshot) = match bytes.strip_prefix(SAVED) {
            Some(rest) => edits_of(rest).ok_or_else(|| LoadError::Meaning {
                part: "names of edits",
                why: "the bytes end too early".to_owned(),
            })?,
            None => (BTreeMap::new(), bytes),
        };
        self.world = World::load(snapshot, host)?;
        self.edits = edits;
        self.given.clear();
        self.tickets.clear();
        self.reserved.clear();
        self.born.clear();
        self.ring.iter_mut().for_each(|kept| *kept = None);
        self.is_map_replaced = true;
        self.replaced();
        Ok(())
    }

    /// Goes back to the beginning of a tick. Returns the commands for that tick and later ones, and forgets them. Give
    /// the wanted ones to [`RemoteCommands::at`](crate::RemoteCommands::at). Entities follow at the next tick, or at
    /// the end of this frame.
    /// # Errors
    /// The ring has no such tick. Nothing changes.
    pub fn rollback_to(&mut self, tick: u32) -> Result<Vec<(u32, PlayerCommand)>, RollbackError> {
        if tick != self.world.tick() {
            let kept = self.ring.iter().flatten();
            let earliest = kept.clone().map(|world| world.tick()).min();
            let from = kept.filter(|_| tick < self.world.tick()).find(|world| world.tick() == tick);
            let from = from.ok_or(RollbackError { tick, earliest })?;
            self.is_map_replaced |= from.grid().revision() != self.world.grid().revision();
            self.world.clone_from(from);
            self.tickets.retain(|_, (at, ..)| *at < tick);
            self.edits.retain(|_, (at, _)| *at < tick);
            self.born.retain(|_, (at, _)| *at < tick);
            self.replaced();
        }
        let undone = self.given.split_off(&(tick, FIRST));
        Ok(undone.into_iter().map(|((at, ticket), act)| (at, PlayerCommand { ticket, act })).collect())
    }

    /// Whether a command for a tick can still take effect at that tick.
    pub(crate) fn reaches(&self, tick: u32) -> bool {
        tick >= self.world.tick() || self.ring.iter().flatten().any(|world| world.tick() == tick)
    }

    /// Takes a command for a tick that [is in reach](Self::reaches).
    pub(crate) fn take(&mut self, tick: u32, PlayerCommand { ticket, act }: PlayerCommand) {
        self.given.insert((tick, ticket), act);
    }

    /// Takes the entity reserved for the unit that a command for a tick places.
    pub(crate) fn reserve(&mut self, tick: u32, ticket: OrderTicket, entity: Entity) {
        self.reserved.insert(ticket, (tick, entity));
    }

    /// Runs again from a tick to the present one.
    pub(crate) fn replay_from(&mut self, tick: u32) {
        let now = self.world.tick();
        let Ok(commands) = self.rollback_to(tick) else { return };
        commands.into_iter().for_each(|(tick, command)| self.take(tick, command));
        let revision = self.world.grid().revision();
        while self.world.tick() < now && self.world.broken().is_none() {
            self.begin_tick();
            self.end_tick();
        }
        self.is_map_replaced |= self.world.grid().revision() != revision;
        self.has_ticked = false;
    }

    /// Keeps the world and gives it the commands of its next tick.
    pub(crate) fn begin_tick(&mut self) {
        let tick = self.world.tick();
        let oldest = tick.saturating_sub(self.ring.len() as u32);
        self.given.retain(|(at, _), _| *at >= oldest);
        self.tickets.retain(|_, (at, ..)| *at >= oldest);
        self.reserved.retain(|_, (at, _)| *at >= oldest);
        self.born.retain(|_, (at, _)| *at >= oldest);
        let n_kept = self.ring.len().max(1);
        match self.ring.get_mut(tick as usize % n_kept) {
            Some(Some(kept)) => kept.clone_from(&self.world),
            Some(kept) => *kept = Some(self.world.clone()),
            None => {}
        }
        for (&(_, name), act) in self.given.range((tick, FIRST)..=(tick, LAST)) {
            let command = match act {
                PlayerAct::Command(command) => command.clone(),
                PlayerAct::CancelEdit(edit) => {
                    let found = self.edits.iter().rev().find(|(_, (_, name))| name == edit);
                    Command::CancelEdit(found.map_or(NO_EDIT, |(&ticket, _)| ticket))
                }
            };
            let (is_edit, places) =
                (matches!(command, Command::Edit(_)), matches!(command, Command::Spawn(_)));
            let ticket = self.world.command(command);
            if is_edit {
                self.edits.insert(ticket, (tick, name));
            } else {
                self.tickets.insert(ticket, (tick, name, places));
            }
        }
    }

    /// Steps, and notes which units the commands of the tick have placed.
    pub(crate) fn end_tick(&mut self) {
        let tick = self.world.tick();
        if let Err(broken) = self.world.try_step() {
            log::error!("{broken}");
            return;
        }
        // A game can keep entities from following each tick: then they follow as after a load.
        self.is_replaced |= self.has_ticked;
        self.has_ticked = true;
        for event in self.world.events() {
            if event.kind() == Some(EventKind::Spawned)
                && let (Some(unit), Some(ticket)) = (event.agent(), event.ticket())
                && let Some(&(_, name, true)) = self.tickets.get(&ticket)
            {
                self.born.insert(unit, (tick, name));
            }
        }
    }

    /// The command of a player that an event is about.
    pub(crate) fn name_of(&self, event: &EventRow, edit: bool) -> Option<OrderTicket> {
        let ticket = if edit { event.edit().or(event.ticket()) } else { event.ticket() }?;
        let of_edit = || self.edits.get(&ticket).map(|&(_, name)| name);
        self.tickets.get(&ticket).map(|&(_, name, _)| name).or_else(of_edit)
    }

    /// The entity reserved by a command of the last ticks.
    pub(crate) fn reserved_by(&self, name: OrderTicket) -> Option<Entity> {
        self.reserved.get(&name).map(|&(_, entity)| entity)
    }

    /// The entity reserved for a unit, if a command of the last ticks has placed it.
    pub(crate) fn reserved_for(&self, unit: AgentId) -> Option<Entity> {
        self.born.get(&unit).and_then(|&(_, name)| self.reserved_by(name))
    }

    /// All entities that were reserved for units in the last ticks.
    pub(crate) fn reserved(&self) -> impl Iterator<Item = Entity> {
        self.reserved.values().map(|&(_, entity)| entity)
    }

    /// Notes the entity that a unit got: after a rollback the same command gets it again.
    pub(crate) fn got(&mut self, unit: AgentId, entity: Entity) {
        if let Some(&(tick, name)) = self.born.get(&unit) {
            self.reserved.insert(name, (tick, entity));
        }
    }

    /// The least number of a command that names no edit of a player.
    pub(crate) fn free_number(&self, player: u8) -> u32 {
        let numbers = self.edits.values().filter(|(_, name)| name.player == player);
        numbers.map(|(_, name)| name.number.saturating_add(1)).max().unwrap_or(0)
    }
}

/// The names of edits at the beginning of bytes, and the rest.
fn edits_of(bytes: &[u8]) -> Option<(BTreeMap<Ticket, (u32, OrderTicket)>, &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let n_bytes = (u32::from_le_bytes(*count) as usize).checked_mul(SAVED_EDIT_BYTES)?;
    let (edits, rest) = rest.split_at_checked(n_bytes)?;
    let edit = |bytes: &[u8]| {
        let (ticket, rest) = bytes.split_first_chunk()?;
        let (&player, number) = rest.split_first()?;
        let number = u32::from_le_bytes(number.try_into().ok()?);
        Some((Ticket(u64::from_le_bytes(*ticket)), (0, OrderTicket { player, number })))
    };
    Some((edits.chunks_exact(SAVED_EDIT_BYTES).map(edit).collect::<Option<_>>()?, rest))
}
