//! Recordings: a run in a file, small, written as it goes, and complete.
//!
//! A recording is a [`Header`] (scenario, map, classes), chunks of ticks, and an [`End`]. Each chunk begins
//! with a key frame, so it can be read without those before it, and has a checksum of its own; a run that is
//! killed leaves all chunks but the last. [`Recorder`] writes one beside a [`Simulation`](wheelbase_sim::Simulation),
//! [`Reader`] streams over one, a [`TickRecord`] at a time, and [`verify`] runs it again.
//!
//! ```
//! use std::io::Cursor;
//! use std::path::Path;
//! use wheelbase_scenario::recording::{Event, Reader, Recorder, TickRecord};
//! use wheelbase_scenario::{load, scenario};
//! use wheelbase_sim::Step;
//! let text = r#"
//! name = "there"
//! ticks = 100
//! [map]
//! rows = ["........"]
//! [class.cart]
//! headings = 4
//! moves = [{ name = "forward", by = [1, 0], time = 4 }]
//! [[agents]]
//! class = "cart"
//! at = [0, 0, "E"]
//! orders = [{ goto = [7, 0] }]
//! "#;
//! let typed = scenario::parse("there.toml", text.as_bytes())?;
//! let mut sim = load::build_simulation(Path::new("there.toml"), &typed)?;
//! let mut file = Vec::new();
//! let mut recorder = Recorder::begin(&mut sim, &load::Source::default(), ("there.toml", text), &mut file)?;
//! loop {
//!     let tick = sim.tick();
//!     let step = sim.step();
//!     recorder.tick(&sim, tick, step)?;
//!     sim.clear_log();
//!     if step == Step::Ended {
//!         break;
//!     }
//! }
//! recorder.finish(&sim)?;
//!
//! let mut reader = Reader::open(Cursor::new(file))?;
//! assert_eq!(reader.header().name, "there");
//! let (mut tick, mut moves) = (TickRecord::default(), 0);
//! while reader.next_tick(&mut tick)? {
//!     moves += tick.events.iter().filter(|event| matches!(event, Event::Move { .. })).count();
//! }
//! assert_eq!((moves, reader.agents().pose(0).cell.x), (7, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod header;
mod observe;
mod reader;
mod record;
mod recorded_agents;
mod recorder;
mod replay;
mod tick_code;
mod verify;

#[cfg(test)]
mod altered;

pub use error::RecordingError;
pub use header::{Header, MapLayers, RecordedClass, RecordedKind, RecordedPrimitive};
pub use reader::{ChunkPlace, Reader};
pub use record::{End, Event, PathRun, RecordedEdit, RecordedSet, TickRecord};
pub use recorded_agents::{RecordedAgents, RecordedMotion};
pub use recorder::Recorder;
pub use replay::{PhaseNanos, Replayed, replay};
pub use verify::{Difference, Verified, check_memory, movement_classes, rebuild, verify};

use recorded_agents::KeyFrame;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use wheelbase_sim::codec::{FileKind, plain_bytes};

/// The kind of file that a recording is. Whoever changes the layout of what is written changes the version
/// and the description.
const KIND: FileKind = FileKind {
    magic: *b"WB-REC\r\n",
    name: "recording",
    version: 3,
    layout: "Header: file scenario attached name seed ticks expansions_per_tick tries_per_tick collision shape \
             terrain_kinds terrain_colours side_kinds map map_revision objects classes orders order_kinds; Chunk: key edits ticks; key: ids classes \
             x y headings primitives since left orders waits n_runs runs counters; tick: flags events moves \
             late waits current drops counters hash; End: tick interrupted state_hash outcome",
};

/// Whether a file begins as a recording does. Nothing is read of a pipe, for that would be lost.
pub fn is_recording(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == KIND.magic
}

/// Kinds of blocks.
const BLOCK_HEADER: u8 = 1;
const BLOCK_CHUNK: u8 = 2;
const BLOCK_END: u8 = 3;

/// Ticks of a chunk at most.
const CHUNK_TICKS: u32 = 128;
/// Bytes of ticks behind which a chunk is written out.
const CHUNK_BYTES: usize = 1 << 20;

/// Some ticks, and all that one must know to read them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Chunk {
    /// The agents before the first tick.
    key: KeyFrame,
    /// The edits in force then, as in a tick, one behind the other.
    #[serde(deserialize_with = "plain_bytes")]
    edits: Vec<u8>,
    /// The ticks, one behind the other.
    #[serde(deserialize_with = "plain_bytes")]
    ticks: Vec<u8>,
}
