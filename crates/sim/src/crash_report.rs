//! Crash reports: the data to run to a panic again.
//!
//! A report is an envelope of [`codec`](crate::codec) with one block, the panic and the commands, and a snapshot behind
//! it.

use crate::broken::{Broken, ReportBase};
use crate::codec::{BlockHead, BlockWriter, Damage, FileKind, read_block, read_prefix, write_prefix};
use crate::command_queue::GivenCommand;
use crate::snapshot::{Host, LoadError, SaveError};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::io::{self, Read};

/// The kind of file.
pub const CRASH_REPORT: FileKind = FileKind {
    magic: *b"WB-CRS\r\n",
    name: "crash report",
    version: 1,
    versions_before: &[],
    layout: "1 panic: program broken(tick message) commands(before ticket tick command); then a snapshot",
};

/// Kind of the only block.
const BLOCK_PANIC: u8 = 1;

#[derive(Serialize, Deserialize)]
struct PanicBlock {
    /// The release that wrote it.
    program: String,
    /// `None` for a world that is whole.
    broken: Option<Broken>,
    /// The commands, and before which tick each was given.
    commands: Vec<(u32, GivenCommand)>,
}

/// A report of a panic, read again: the world as it was saved last, and the commands given from then on.
///
/// ```
/// # use wheelbase_sim::{Grid, MovementClass, Settings, Setup, SideTable, TerrainTable, World};
/// use wheelbase_sim::{CrashReport, Host};
/// # let grid = Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default())?;
/// # let setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]);
/// # let mut world = World::new(setup)?;
/// world.keep_report()?;
/// while world.tick() < 100 {
///     if let Err(broken) = world.try_step() {
///         eprintln!("{broken}; please send the report");
///         break;
///     }
/// }
/// let bytes = world.report().unwrap_or_default();
/// // Where the report has come to:
/// let CrashReport { mut world, mut commands, .. } = CrashReport::load(&bytes, Host::default())?;
/// while world.tick() < 100 {
///     commands.give_due(&mut world);
///     world.step();
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CrashReport {
    /// The world as it was saved.
    pub world: World,
    /// The commands given since.
    pub commands: CommandsSince,
    /// The panic; `None` if the world was whole.
    pub broken: Option<Broken>,
    /// The release of this crate that wrote the report.
    pub program: String,
}

/// Commands to give again, each before its tick.
#[derive(Debug, Default)]
pub struct CommandsSince {
    /// From the last to the first.
    rest: Vec<(u32, GivenCommand)>,
}

impl CommandsSince {
    /// Gives the commands that were given before the next tick of the world.
    pub fn give_due(&mut self, world: &mut World) {
        let tick = world.tick();
        while let Some((_, given)) = self.rest.pop_if(|(before, _)| *before <= tick) {
            world.command_again(given);
        }
    }

    /// Number of the commands left.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

impl CrashReport {
    /// Reads the bytes of [`World::report`]. Everything is checked as by [`World::load`].
    /// # Errors
    /// [`LoadError`], with the part and its mistake.
    pub fn load(mut bytes: &[u8], host: Host<'_>) -> Result<Self, LoadError> {
        Self::load_from(&mut bytes, host)
    }

    /// As [`CrashReport::load`], from a file.
    /// # Errors
    /// As [`CrashReport::load`].
    pub fn load_from(input: &mut impl Read, host: Host<'_>) -> Result<Self, LoadError> {
        let damaged = |damage| LoadError::before_snapshot(&CRASH_REPORT, &damage);
        read_prefix(&CRASH_REPORT, input).map_err(damaged)?;
        let head = BlockHead::read(input).map_err(damaged)?;
        if (head.kind, head.number) != (BLOCK_PANIC, 0) {
            return Err(damaged(Damage::meaning("is no panic")));
        }
        let PanicBlock { program, broken, commands } =
            read_block(&head, host.block_bytes_max(), input).map_err(damaged)?;
        let world = World::load_from(input, host)?;
        let wrong = |why: String| LoadError::Meaning { part: "commands since the snapshot", why };
        let (mut before, mut next) = (world.tick(), world.next_ticket().0);
        for (at, GivenCommand { ticket, .. }) in &commands {
            if *at < before || ticket.0 != next {
                let found = ticket.0;
                return Err(wrong(format!(
                    "ticket {found} before tick {at}, expected ticket {next} before tick {before} or later"
                )));
            }
            (before, next) = (*at, next + 1);
        }
        let commands = CommandsSince { rest: commands.into_iter().rev().collect() };
        Ok(Self { world, commands, broken, program })
    }
}

impl World {
    /// Makes [`World::report`] possible from now on: saves the world, and keeps a copy of every later command. Repeat
    /// the call from time to time, so that the stored commands do not grow without end. A copy of a world keeps none.
    /// Returns the snapshot, as [`World::save`] does.
    /// # Errors
    /// As [`World::save`]; earlier commands are still kept.
    pub fn keep_report(&mut self) -> Result<&[u8], SaveError> {
        let base = ReportBase { snapshot: self.save()?, given: Vec::new() };
        Ok(&self.report_base.insert(Box::new(base)).snapshot)
    }

    /// A report to run to this tick again ([`CrashReport`]): of a broken world, to the panic. `None` if
    /// [`World::keep_report`] was not called, or the commands since exceed the size of a block.
    pub fn report(&self) -> Option<Vec<u8>> {
        let ReportBase { snapshot, given } = &**self.report_base.as_ref()?;
        self.report_of(snapshot, given.iter()).ok()
    }

    /// A report that begins with `start`, an earlier state of this world that `commands` led from. It is for a host
    /// that can rebuild that state and so need not save it beforehand.
    /// # Errors
    /// As [`World::save`] of `start`, and for commands that exceed the size of a block.
    pub fn report_from(&self, start: &Self, commands: &CommandsSince) -> Result<Vec<u8>, SaveError> {
        self.report_of(&start.save()?, commands.rest.iter().rev()).map_err(SaveError::TooLarge)
    }

    fn report_of<'a>(
        &self,
        snapshot: &[u8],
        given: impl Iterator<Item = &'a (u32, GivenCommand)>,
    ) -> io::Result<Vec<u8>> {
        let block = PanicBlock {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            broken: self.broken().cloned(),
            commands: given.cloned().collect(),
        };
        let mut out = Vec::new();
        write_prefix(&CRASH_REPORT, &mut out)?;
        BlockWriter::default().write(BLOCK_PANIC, (self.tick, 0), &block, &mut out)?;
        out.extend_from_slice(snapshot);
        Ok(out)
    }
}
