//! The counters of a tick, as recordings and tables of metrics hold them.

use crate::world::World;
use std::io::{self, Write};

/// Type of a counter.
trait Counter: Copy + Into<u64> {
    /// The counter of a value; `None` if the value is too large for it.
    fn of_value(value: u64) -> Option<Self>;
}

impl Counter for u32 {
    fn of_value(value: u64) -> Option<Self> {
        value.try_into().ok()
    }
}

impl Counter for u64 {
    /// A quarter of the range at most: a count read from a file must leave room to add to it.
    fn of_value(value: u64) -> Option<Self> {
        (value <= Self::MAX / 4).then_some(value)
    }
}

macro_rules! counters {
    ($($(#[doc = $about:literal])+ $name:ident: $number:ty,)+) => {
        /// Counters after a tick. The first six describe the tick, the others the run so far.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters { $($(#[doc = $about])+ pub $name: $number,)+ }

        impl Counters {
            /// Names of the counters, in order of the fields.
            pub const NAMES: [&'static str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

            /// The counters in the order of [`Counters::NAMES`].
            pub fn values(&self) -> [u64; Self::NAMES.len()] {
                [$(self.$name.into()),+]
            }

            /// The counters with these values, or `None` if one is too large for its counter.
            pub fn of_values(values: [u64; Self::NAMES.len()]) -> Option<Self> {
                let [$($name),+] = values;
                Some(Self { $($name: <$number as Counter>::of_value($name)?,)+ })
            }
        }
    };
}

counters! {
    /// Agents present.
    agents: u32,
    /// Agents in mid-move, once the moves of the tick had begun.
    moving: u32,
    /// Agents at rest with a path to follow, or waiting for a path.
    waiting: u32,
    /// Of these, agents that have ended no move for [`STUCK_AFTER_TICKS`](crate::STUCK_AFTER_TICKS).
    stuck: u32,
    /// Edits that wait until they disturb no agent.
    edits_pending: u32,
    /// Path requests without an answer.
    requests_open: u32,
    /// Orders done.
    orders_done: u64,
    /// Orders dropped because their goal cannot be reached.
    orders_unreachable: u64,
    /// Tasks done.
    tasks_done: u64,
    /// Moves begun.
    moves: u64,
    /// Path requests made.
    path_requests: u64,
    /// Expansions of all searches.
    expansions: u64,
    /// Agent-ticks waited.
    wait_ticks: u64,
}

impl Counters {
    /// The counters of a world after its last tick. Linear in agents.
    pub fn of(world: &World) -> Self {
        let counts = world.counts();
        Self {
            agents: world.agents.len() as u32,
            moving: counts.moving,
            waiting: counts.waiting,
            stuck: world.stuck_agents() as u32,
            edits_pending: world.edits_pending() as u32,
            requests_open: world.requests.open() as u32,
            orders_done: counts.orders_done,
            orders_unreachable: counts.orders_unreachable,
            tasks_done: counts.tasks_done,
            moves: counts.moves,
            path_requests: counts.path_requests,
            expansions: counts.expansions,
            wait_ticks: counts.wait_ticks,
        }
    }

    /// Writes the header line of a table of metrics: the names of its columns.
    /// # Errors
    /// Errors of the writer.
    pub fn write_csv_header(out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "tick,{}", Self::NAMES.join(","))
    }

    /// Writes the line of a tick: its number, then the counters.
    /// # Errors
    /// Errors of the writer.
    pub fn write_csv_row(&self, tick: u32, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{tick}")?;
        self.values().iter().try_for_each(|value| write!(out, ",{value}"))?;
        writeln!(out)
    }
}
