//! What came out of the scene: a few counts, to see what a change has changed, and the hashes.

use std::fmt;
use wheelbase_sim::grid::Fnv1a;
use wheelbase_sim::{Counts, EventKind, EventRow, World};

/// What came out of the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Ticks played.
    pub ticks: u32,
    /// Agents present at the end.
    pub agents: usize,
    /// The counts of the world at the end.
    pub counts: Counts,
    /// Events of each kind, by its number.
    pub events: [u64; EventKind::ALL.len()],
    /// Hash of the state after the last tick.
    pub state_hash: u64,
    /// Hash of the states after all ticks, and of all events.
    pub all_ticks: Fnv1a,
    /// Hash of the bytes of the snapshot.
    pub snapshot: Fnv1a,
}

impl Outcome {
    /// Adds the tick that the world has just run. Returns the hash of its state.
    pub fn see(&mut self, world: &World) -> u64 {
        self.ticks = world.tick();
        self.agents = world.agents().len();
        self.counts = *world.counts();
        self.state_hash = world.state_hash();
        self.all_ticks.write_word(self.state_hash);
        for event in world.events() {
            if let Some(events) = self.events.get_mut(event.kind as usize) {
                *events += 1;
            }
            let EventRow { tick, kind, agent, a, b, c, ticket } = *event;
            [tick, kind, agent, a, b, c].iter().for_each(|&word| self.all_ticks.write_word(word.into()));
            self.all_ticks.write_word(ticket);
        }
        self.state_hash
    }

    /// Events of a kind.
    pub fn events_of(&self, kind: EventKind) -> u64 {
        self.events[kind as usize]
    }
}

/// A line for each number: its name and the number. The text of `golden.txt`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        let numbers = [
            ("ticks", self.ticks.into()),
            ("agents", self.agents as u64),
            ("placed", counts.placed),
            ("removed", counts.removed),
            ("orders_done", counts.orders_done),
            ("orders_unreachable", counts.orders_unreachable),
            ("tasks_done", counts.tasks_done),
            ("moves", counts.moves),
            ("wait_ticks", counts.wait_ticks),
            ("path_requests", counts.path_requests),
            ("longest_request_ticks", counts.longest_request_ticks.into()),
            ("expansions", counts.expansions),
            ("edits_done", self.events_of(EventKind::EditDone)),
            ("edits_waited", self.events_of(EventKind::EditWaits)),
            ("classes_set", self.events_of(EventKind::ClassSet)),
            ("refused", self.events_of(EventKind::Refused)),
        ];
        for (name, number) in numbers {
            writeln!(f, "{name} {number}")?;
        }
        writeln!(f, "state_hash {:016x}", self.state_hash)?;
        writeln!(f, "all_ticks {:016x}", self.all_ticks.finish())?;
        writeln!(f, "snapshot {:016x}", self.snapshot.finish())
    }
}
