//! Writes a recording as a world steps.

use crate::load::Source;
use crate::outcome::recorded_outcome_json;
use crate::recording::chunk::Chunk;
use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, CHUNK_BYTES, CHUNK_TICKS, KIND};
use crate::recording::header::{Header, ScenarioText};
use crate::recording::map_edits::EditsInForce;
use crate::recording::observe::Observer;
use crate::recording::record::End;
use std::io::{self, Write};
use wheelbase_sim::codec::{BlockWriter, write_prefix};
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

impl<W: Write> Recorder<W> {
    /// Begins the recording of a world that has not stepped: writes the header, and has the world keep its log.
    /// `scenario` and `source` are what it was built from.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn begin(
        world: &mut World,
        source: &Source,
        scenario: ScenarioText<'_>,
        mut out: W,
    ) -> io::Result<Self> {
        let mut header = Header::of(world, source, scenario);
        let mut blocks = BlockWriter::default();
        write_prefix(&KIND, &mut out)?;
        blocks.write(BLOCK_HEADER, (0, 0), &header, &mut out)?;
        out.flush()?;
        // Freed, for a map may be large: from here on only the classes are needed.
        header.map.terrain = Vec::new();
        header.map.sides = Vec::new();
        header.map.elevation = Vec::new();
        header.scenario = String::new();
        header.attached = Vec::new();
        world.keep_log();
        Ok(Self {
            out,
            header,
            observer: Observer::default(),
            blocks,
            chunk: Chunk::default(),
            first_tick: world.tick(),
            n_ticks: 0,
            edits: EditsInForce::default(),
            ended: false,
        })
    }

    /// Records the last tick of `world`: `tick` is its number, `step` its result. The caller clears the log
    /// ([`World::clear_log`]).
    ///
    /// # Errors
    /// Those of the writer, at ticks that fill a chunk, and of a tick beyond the limits of a recording: 2^25 runs of
    /// equal moves in all paths, 2^24 other events.
    pub fn tick(&mut self, world: &World, tick: u32, step: RunState) -> io::Result<()> {
        if self.n_ticks == 0 {
            self.begin_chunk(tick);
        }
        let observed = self.observer.observe(world, &self.header, tick, step, &mut self.chunk.ticks);
        observed.map_err(|why| io::Error::other(format!("tick {tick} cannot be recorded: {why}")))?;
        self.edits.note(&self.observer.record);
        self.n_ticks += 1;
        self.ended = step == RunState::Ended;
        if self.n_ticks == CHUNK_TICKS || self.chunk.ticks.len() >= CHUNK_BYTES {
            self.write_chunk()?;
        }
        Ok(())
    }

    /// Writes the last chunk and the end. A run that did not come to its end is marked as interrupted.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self, world: &World) -> io::Result<W> {
        if self.n_ticks > 0 {
            self.write_chunk()?;
        }
        let result = RunResult::of(world, 1, &TickTimes::default(), 0.0, 0);
        let end = End {
            tick: world.tick(),
            interrupted: !self.ended,
            state_hash: world.state_hash(),
            outcome: recorded_outcome_json(&result).to_string(),
        };
        self.blocks.write(BLOCK_END, (world.tick(), 0), &end, &mut self.out)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin_chunk(&mut self, tick: u32) {
        self.first_tick = tick;
        self.chunk.ticks.clear();
        self.chunk.edits.clear();
        self.edits.encode(&mut self.chunk.edits);
        let frame = &mut self.observer.frame;
        frame.tick = tick;
        frame.forget_history();
        frame.to_key(&mut self.chunk.key);
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        self.blocks.write(BLOCK_CHUNK, (self.first_tick, self.n_ticks), &self.chunk, &mut self.out)?;
        self.n_ticks = 0;
        // A killed run loses what was not flushed.
        self.out.flush()
    }
}
