//! The queue of commands: those for the next tick, and those for later ones.

use crate::codec::{COUNT_MAX, encode};
use crate::commands::{Command, Ticket};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::Fnv1a;

/// A command, its ticket, and the tick for which a host gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenCommand {
    /// Its ticket.
    pub ticket: Ticket,
    /// Its tick; `None` for the next one.
    pub tick: Option<u32>,
    /// The command.
    pub command: Command,
}

/// Commands that have not taken effect. Commands of one tick take effect in order of their tickets.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandQueue {
    /// For the next tick, in order of ticket.
    next: Vec<(Ticket, Command)>,
    /// For later ticks, by tick and ticket, with their hashes.
    later: BTreeMap<(u32, Ticket), (u64, Command)>,
    /// The ticket of the next command.
    next_ticket: u64,
    /// Number of the commands that came with the setup; they have the first tickets.
    of_setup: u64,
    /// Sums of the hashes of the commands for the next tick and for later ones.
    next_hash: u64,
    later_hash: u64,
    /// Scratch: the bytes of a command.
    bytes: Vec<u8>,
}

/// The queue as a snapshot holds it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedQueue {
    next: Vec<(Ticket, Command)>,
    later: Vec<(u32, Ticket, Command)>,
    next_ticket: u64,
    of_setup: u64,
}

impl CommandQueue {
    /// The commands that have not taken effect.
    pub fn save(&self) -> SavedQueue {
        let later = self.later().map(|(tick, ticket, command)| (tick, ticket, command.clone()));
        let Self { ref next, next_ticket, of_setup, .. } = *self;
        SavedQueue { next: next.clone(), later: later.collect(), next_ticket, of_setup }
    }

    /// A queue as it was saved, of a world whose next tick is `tick`.
    /// # Errors
    /// Tickets or ticks are out of order, in words.
    pub fn restore(saved: SavedQueue, tick: u32) -> Result<Self, String> {
        let SavedQueue { next, later, next_ticket, of_setup } = saved;
        let mut queue = Self { next_ticket, of_setup, ..Self::default() };
        let is_rising = next.is_sorted_by(|(one, _), (other, _)| one < other);
        let tickets =
            next.iter().map(|(ticket, _)| *ticket).chain(later.iter().map(|(_, ticket, _)| *ticket));
        if !is_rising
            || of_setup > next_ticket
            || next_ticket > COUNT_MAX
            || tickets.clone().any(|ticket| ticket.0 >= next_ticket)
        {
            return Err("tickets of commands out of order".to_owned());
        }
        let distinct: BTreeSet<Ticket> = tickets.clone().collect();
        if distinct.len() != tickets.count() {
            return Err("two commands of one ticket".to_owned());
        }
        if let Some((at, ..)) = later.iter().find(|(at, ..)| *at < tick) {
            return Err(format!("a command for tick {at}, before the next tick {tick}"));
        }
        for (ticket, command) in next {
            queue.push_as(ticket, command);
        }
        for (tick, ticket, command) in later {
            queue.postpone(tick, ticket, command);
        }
        Ok(queue)
    }

    /// Adds a command for the next tick.
    pub fn push(&mut self, command: Command) -> Ticket {
        let ticket = self.take_ticket();
        self.push_as(ticket, command);
        ticket
    }

    fn push_as(&mut self, ticket: Ticket, command: Command) {
        self.next_hash = self.next_hash.wrapping_add(self.hash_of(ticket, None, &command));
        self.next.push((ticket, command));
    }

    /// Adds a command for a tick that has not begun.
    pub fn push_at(&mut self, tick: u32, command: Command) -> Ticket {
        let ticket = self.take_ticket();
        self.postpone(tick, ticket, command);
        ticket
    }

    /// Has a command that took effect in part take effect again at a later tick, with the same ticket.
    pub fn postpone(&mut self, tick: u32, ticket: Ticket, command: Command) {
        let hash = self.hash_of(ticket, Some(tick), &command);
        self.later_hash = self.later_hash.wrapping_add(hash);
        self.later.insert((tick, ticket), (hash, command));
    }

    /// The ticket of the next command.
    pub fn next_ticket(&self) -> Ticket {
        Ticket(self.next_ticket)
    }

    fn take_ticket(&mut self) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        ticket
    }

    fn hash_of(&mut self, ticket: Ticket, tick: Option<u32>, command: &Command) -> u64 {
        let mut hash = Fnv1a::new();
        hash.write_word(ticket.0);
        hash.write_word(tick.map_or(u64::MAX, u64::from));
        self.bytes.clear();
        // Cannot fail: commands are plain data. Even without them ticket and tick tell most queues apart.
        if encode(command, &mut self.bytes).is_ok() {
            hash.write(&self.bytes);
        }
        hash.finish()
    }

    /// Moves the commands due at a tick to `due`. The commands scheduled for it come first, then the commands for the
    /// next tick, each in order of ticket.
    pub fn take_due(&mut self, tick: u32, due: &mut Vec<(Ticket, Command)>) {
        while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= tick) {
            let ((_, ticket), (hash, command)) = entry.remove_entry();
            self.later_hash = self.later_hash.wrapping_sub(hash);
            due.push((ticket, command));
        }
        due.append(&mut self.next);
        self.next_hash = 0;
    }

    /// Whether no command waits.
    pub fn is_empty(&self) -> bool {
        self.next.is_empty() && self.later.is_empty()
    }

    /// Whether a command takes effect at a tick.
    pub fn any_due(&self, tick: u32) -> bool {
        !self.next.is_empty() || self.later.first_key_value().is_some_and(|(&(first, _), _)| first <= tick)
    }

    /// Commands for later ticks, by tick and ticket.
    pub fn later(&self) -> impl ExactSizeIterator<Item = (u32, Ticket, &Command)> {
        self.later.iter().map(|(&(tick, ticket), (_, command))| (tick, ticket, command))
    }

    /// Commands for the next tick, in order.
    pub fn next(&self) -> &[(Ticket, Command)] {
        &self.next
    }

    /// Counts the commands given so far as commands of the setup.
    pub fn end_setup(&mut self) {
        self.of_setup = self.next_ticket;
    }

    /// Whether a command came with the setup.
    pub fn is_of_setup(&self, ticket: Ticket) -> bool {
        ticket.0 < self.of_setup
    }

    /// Commands of the setup that have not taken effect, by tick and ticket.
    pub fn of_setup(&self) -> impl Iterator<Item = (u32, &Command)> {
        self.later()
            .filter(|(_, ticket, _)| self.is_of_setup(*ticket))
            .map(|(tick, _, command)| (tick, command))
    }

    /// All other commands that have not taken effect, in order of ticket.
    pub fn given(&self) -> Vec<GivenCommand> {
        let next = self.next.iter().map(|(ticket, command)| (*ticket, None, command));
        let later = self.later().filter(|(_, ticket, _)| !self.is_of_setup(*ticket));
        let later = later.map(|(tick, ticket, command)| (ticket, Some(tick), command));
        let given = |(ticket, tick, command): (Ticket, Option<u32>, &Command)| GivenCommand {
            ticket,
            tick,
            command: command.clone(),
        };
        let mut all: Vec<GivenCommand> = next.chain(later).map(given).collect();
        all.sort_unstable_by_key(|command| command.ticket);
        all
    }

    /// Words that identify the queue, for the state hash.
    pub fn words(&self) -> [u64; 3] {
        [self.next_ticket, self.next_hash, self.later_hash]
    }
}
