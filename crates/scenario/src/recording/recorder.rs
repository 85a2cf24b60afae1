//! Writes a recording as a world steps.

use crate::load::Source;
use crate::outcome::outcome_json;
use crate::recording::chunk::Chunk;
use crate::recording::command_code::commands_to_end;
use crate::recording::error::RecordingError;
use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, CHUNK_BYTES, CHUNK_TICKS, KIND};
use crate::recording::header::{Header, ScenarioText};
use crate::recording::host_start::HostStart;
use crate::recording::map_edits::EditsInForce;
use crate::recording::observe::Observer;
use crate::recording::reader::HEADER_MEMORY_MAX;
use crate::recording::record::End;
use std::io::{self, Write};
use wheelbase_sim::codec::{BlockHead, BlockWriter, Damage, read_block, write_prefix};
use wheelbase_sim::{RunResult, RunState, TickTimes, World};

/// A recording being written. Once its buffers have the size of a chunk, a tick allocates nothing.
#[derive(Debug)]
pub struct Recorder<W: Write> {
    out: W,
    header: Header,
    observer: Observer,
    blocks: BlockWriter,
    chunk: Chunk,
    first_tick: u32,
    n_ticks: u32,
    edits: EditsInForce,
    ended: bool,
}

/// Refuses to write a header that could not be read again.
fn check_header(block: &[u8]) -> io::Result<()> {
    let mut input = block;
    let read = BlockHead::read(&mut input)
        .and_then(|head| read_block::<Header>(&head, HEADER_MEMORY_MAX, &mut input).map(|_| ()));
    read.map_err(|damage| {
        let why = match damage {
            Damage::Meaning(why) => why,
            other => RecordingError::of(other, || "the start".to_owned()).to_string(),
        };
        io::Error::other(format!("the run cannot be recorded: its setup: {why}"))
    })
}

/// The message for a step in which something happens after the end of the run.
fn after_the_end(tick: u32) -> String {
    format!(
        "the run ended at tick {tick}, and its recording with it: begin another one, or run a world without a last tick"
    )
}

impl<W: Write> Recorder<W> {
    /// Begins the recording of a world that was built from a scenario and has not stepped. Writes the header, and
    /// starts the log of the world. It was built from `scenario` and `source`.
    ///
    /// # Errors
    /// Errors of the writer. Also if the world cannot be recorded: it has stepped, or has classes beyond the limits.
    pub fn begin(world: &mut World, source: &Source, scenario: ScenarioText<'_>, out: W) -> io::Result<Self> {
        Self::begin_with(Header::of(world, source, scenario), world, out)
    }

    /// Begins the recording of a world that was made by [`World::new`] and has not stepped. The header holds its setup,
    /// so that nothing else is needed to run it again. Our own traffic rules are rebuilt for the settings of the
    /// run; the decisions of any other rule are recorded.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
    /// use wheelbase_scenario::recording::{Reader, Recorder, verify};
    /// use wheelbase_sim::{ClassId, Command, Order, Settings, Setup, Spawn, World};
    /// let mut cart = ClassSpec::new("cart", 4);
    /// cart.primitives = Primitive::vehicle(4, 8, 4);
    /// let grid = Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default())?;
    /// let setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::new(cart)?]);
    /// let mut world = World::new(setup)?;
    /// let mut recorder = Recorder::begin_host(&mut world, Vec::new())?;
    /// world.command(Command::Spawn(Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0)))));
    /// for tick in 0..40 {
    ///     if tick == 3 {
    ///         let cart = world.agent_arrays().ids[0];
    ///         world.command(Command::order(cart, Order::goto(CellXY::new(5, 0))));
    ///     }
    ///     let step = world.step();
    ///     recorder.tick(&world, tick, step)?;
    ///     world.clear_log();
    /// }
    /// let mut reader = Reader::open(Cursor::new(recorder.finish(&world)?))?;
    /// assert_eq!(verify(&mut reader, |_| true)?.difference, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Recorder::begin`].
    pub fn begin_host(world: &mut World, out: W) -> io::Result<Self> {
        Self::begin_with(Header::of_host(world), world, out)
    }

    /// Begins the recording of a world at any tick, such as one from [`World::load`]. The recording begins with a
    /// snapshot of the world, so that nothing else is needed to run it again from there. Commands given so far and the
    /// log belong to the time before. Of a traffic rule from outside the decisions are recorded.
    ///
    /// # Errors
    /// Errors of the writer. Also if the world cannot be saved, or has classes beyond the limits.
    pub fn begin_resumed(world: &mut World, out: W) -> io::Result<Self> {
        Self::begin_with(Header::of_resumed(world), world, out)
    }

    fn begin_with(header: Result<Header, String>, world: &mut World, mut out: W) -> io::Result<Self> {
        let header = header.map_err(|why| io::Error::other(format!("the run cannot be recorded: {why}")));
        let mut header = header?;
        let (mut blocks, mut block) = (BlockWriter::default(), Vec::new());
        write_prefix(&KIND, &mut out)?;
        blocks.write(BLOCK_HEADER, (0, 0), &header, &mut block)?;
        let may_be_too_large =
            header.snapshot.is_some() || header.host.as_ref().is_some_and(HostStart::may_be_too_large);
        if may_be_too_large {
            check_header(&block)?;
        }
        out.write_all(&block)?;
        out.flush()?;
        // Freed, for a map may be large: from here on only the classes are needed.
        header.map.terrain = Vec::new();
        header.map.sides = Vec::new();
        header.map.elevation = Vec::new();
        header.scenario = String::new();
        header.attached = Vec::new();
        if let Some(host) = &mut header.host {
            host.forget_agents();
        }
        let mut observer = Observer::new(&header);
        if let Some(start) = &mut header.snapshot {
            start.bytes = Vec::new();
            world.keep_log_from_here();
            let begun = observer.begin_at(world);
            begun.map_err(|why| io::Error::other(format!("the run cannot be recorded: {why}")))?;
        } else {
            world.keep_log();
        }
        let mut recorder = Self {
            out,
            observer,
            header,
            blocks,
            chunk: Chunk::default(),
            first_tick: world.tick(),
            n_ticks: 0,
            edits: EditsInForce::default(),
            ended: false,
        };
        recorder.begin_chunk(world);
        Ok(recorder)
    }

    /// Records the last tick of `world`: `tick` is its number, `step` its result. The caller clears the log
    /// ([`World::clear_log`]).
    ///
    /// A recording ends with its run. Later steps add nothing as long as nothing happens in them.
    ///
    /// # Errors
    /// - A step in which something happens after the end of the run. Begin another recording, or run a world without a
    ///   last tick ([`Settings::ENDLESS`](wheelbase_sim::Settings::ENDLESS)). [`Recorder::finish_without_end`] writes
    ///   the ticks before.
    /// - A step of a world to which a class was added since the recording began. Begin another one.
    /// - Errors of the writer, at ticks that fill a chunk.
    /// - A tick beyond the limits of a recording: 2^25 runs of equal moves in all paths, 2^24 other events, 2^20 edits
    ///   in force. Commands have at most 2^26 bytes, orders of agents 2^27.
    pub fn tick(&mut self, world: &World, tick: u32, step: RunState) -> io::Result<()> {
        if self.ended {
            let is_idle =
                step == RunState::Ended && world.log().is_empty() && world.log_commands().is_empty();
            let tick = self.observer.frame.tick;
            return is_idle.then_some(()).ok_or_else(|| io::Error::other(after_the_end(tick)));
        }
        if world.tables().len() > self.header.classes.len() {
            let name = world.tables()[self.header.classes.len()].class().spec().name.clone();
            return Err(io::Error::other(format!(
                "class \"{name}\" was added since: begin another recording"
            )));
        }
        let observed = self.observer.observe(world, &self.header, tick, step, &mut self.chunk.ticks);
        let noted = observed.and_then(|()| self.edits.note(&self.observer.record));
        noted.map_err(|why| io::Error::other(format!("tick {tick} cannot be recorded: {why}")))?;
        self.n_ticks += 1;
        self.ended = step == RunState::Ended;
        if self.n_ticks == CHUNK_TICKS || self.chunk.ticks.len() >= CHUNK_BYTES {
            self.write_chunk()?;
            self.begin_chunk(world);
        }
        Ok(())
    }

    /// Writes the last chunk and the end. A run that has not ended is marked as interrupted; a run without a last tick
    /// always is.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish(self, world: &World) -> io::Result<W> {
        let result = RunResult::of(world, 1, &TickTimes::default(), 0.0, 0);
        self.finish_with(world, result)
    }

    /// Does what [`Recorder::finish`] does, with a result of the world that the caller has computed already.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish_with(mut self, world: &World, mut result: RunResult) -> io::Result<W> {
        if self.n_ticks > 0 {
            self.write_chunk()?;
        }
        let mut commands = Vec::new();
        commands_to_end(world, &mut commands).map_err(io::Error::other)?;
        if self.header.host.is_some() {
            // Names of agents are in no setup: the run that verifies has none.
            result.orders_left_by.iter_mut().for_each(|of| of.example.name = None);
        }
        let end = End {
            tick: world.tick(),
            interrupted: !self.ended,
            state_hash: world.state_hash(),
            outcome: outcome_json(&result).to_string(),
            commands,
        };
        self.blocks.write(BLOCK_END, (world.tick(), 0), &end, &mut self.out)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes the ticks recorded so far and no end, as if the run had been killed now. The world may be no longer at
    /// hand, or a panic has left it half way through a tick ([`World::broken`]).
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish_without_end(mut self) -> io::Result<W> {
        if self.n_ticks > 0 {
            self.write_chunk()?;
        }
        Ok(self.out)
    }

    /// Begins a chunk with the next tick of the world.
    fn begin_chunk(&mut self, world: &World) {
        self.first_tick = world.tick();
        self.observer.begin_chunk(world);
        let Self { chunk, edits, observer: Observer { frame, .. }, .. } = self;
        chunk.ticks.clear();
        chunk.edits.clear();
        edits.encode(&mut chunk.edits);
        chunk.orders.clear();
        frame.texts.encode(&mut chunk.orders);
        frame.to_key(&mut chunk.key);
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        self.blocks.write(BLOCK_CHUNK, (self.first_tick, self.n_ticks), &self.chunk, &mut self.out)?;
        self.n_ticks = 0;
        // A killed run loses data that was not flushed.
        self.out.flush()
    }
}
