//! Writes a recording beside a simulation.

use crate::load::Source;
use crate::outcome::recorded_outcome_json;
use crate::recording::chunk::Chunk;
use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, CHUNK_BYTES, CHUNK_TICKS, KIND};
use crate::recording::header::Header;
use crate::recording::observe::Observer;
use crate::recording::record::{End, Event, RecordedEdit, TickRecord};
use crate::recording::tick_code::put_edit;
use std::io::{self, Write};
use wheelbase_sim::codec::{BlockWriter, write_prefix};
use wheelbase_sim::{RunResult, RunState, TickTimes, World};

/// A recording being written. Once its buffers have grown to what a chunk takes, a tick allocates nothing
/// in it.
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
    /// Begins the recording of a run that has not begun: writes the header, and has the simulation keep
    /// what happens. `file` is the name of the scenario file, `scenario` its text, `source` what else the
    /// simulation was made of.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn begin(
        world: &mut World,
        source: &Source,
        (file, scenario): (&str, &str),
        mut out: W,
    ) -> io::Result<Self> {
        let mut header = Header::of(world, source, file, scenario);
        let mut blocks = BlockWriter::default();
        write_prefix(&KIND, &mut out)?;
        blocks.write(BLOCK_HEADER, (0, 0), &header, &mut out)?;
        out.flush()?;
        // Only the classes are needed from here on; a map may be large.
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

    /// Records the tick that the simulation has just run: `tick` is its number, `step` what came of it. The
    /// log is left as it is: [`World::clear_log`] is the caller's.
    ///
    /// # Errors
    /// Those of the writer, at ticks at which a chunk is full, and of a tick at which more happens than a recording
    /// may hold: paths of 2^25 runs of equal moves, 2^24 other events.
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

    /// Writes what is left, and the end. A run that was stopped before its end is marked as interrupted.
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
        self.edits.put(&mut self.chunk.edits);
        let frame = &mut self.observer.frame;
        frame.tick = tick;
        frame.forget_history();
        frame.to_key(&mut self.chunk.key);
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        self.blocks.write(BLOCK_CHUNK, (self.first_tick, self.n_ticks), &self.chunk, &mut self.out)?;
        self.n_ticks = 0;
        // What is not handed over is lost when the run is killed.
        self.out.flush()
    }
}

/// The edits made so far, less those that others have undone: what key frames hold of the map.
#[derive(Debug, Default)]
pub(super) struct EditsInForce(Vec<RecordedEdit>);

impl EditsInForce {
    /// Keeps the edits of a tick for the key frames to come; one that sets again all that an earlier one did
    /// takes its place, so that a bridge that opens and closes for ever is kept once.
    pub(super) fn note(&mut self, record: &TickRecord) {
        for event in &record.events {
            if let Event::Edit(edit) = event {
                self.0.retain(|earlier| !edit.set.covers(&earlier.set));
                self.0.push(*edit);
            }
        }
    }

    /// Writes them one behind the other.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|edit| put_edit(edit, out));
    }
}
