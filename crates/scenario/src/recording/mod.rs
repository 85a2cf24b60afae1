//! Recordings: a run in a file, small, written as it goes, and complete.
//!
//! A recording is a [`Header`] (scenario, map, classes), chunks of ticks, and an [`End`]. Each chunk begins
//! with a key frame, so it can be read without those before it, and has a checksum of its own; a run that is
//! killed leaves all chunks but the last. [`Recorder`] writes one beside a [`World`](wheelbase_sim::Simulation),
//! [`Reader`] streams over one, a [`TickRecord`] at a time, and [`verify`] runs it again.
//!
//! ```
//! use std::io::Cursor;
//! use std::path::Path;
//! use wheelbase_scenario::recording::{Event, Reader, Recorder, TickRecord};
//! use wheelbase_scenario::{load, scenario};
//! use wheelbase_sim::RunState;
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
//! let mut world = load::build_world(Path::new("there.toml"), &typed)?;
//! let mut file = Vec::new();
//! let mut recorder = Recorder::begin(&mut world, &load::Source::default(), ("there.toml", text), &mut file)?;
//! loop {
//!     let tick = world.tick();
//!     let step = world.step();
//!     recorder.tick(&world, tick, step)?;
//!     world.clear_log();
//!     if step == RunState::Ended {
//!         break;
//!     }
//! }
//! recorder.finish(&world)?;
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

mod chunk;
mod error;
mod format;
mod header;
mod observe;
mod reader;
mod rebuild;
mod record;
mod recorded_agents;
mod recorder;
mod replay;
mod tick_code;
mod verify;

#[cfg(test)]
mod altered;

pub use error::RecordingError;
pub use format::is_recording;
pub use header::{Header, MapLayers, RecordedClass, RecordedKind, RecordedPrimitive};
pub use reader::{ChunkPlace, Reader};
pub use rebuild::{check_memory, movement_classes, rebuild};
pub use record::{End, Event, PathRun, RecordedEdit, RecordedSet, TickRecord};
pub use recorded_agents::{RecordedAgents, RecordedMotion};
pub use recorder::Recorder;
pub use replay::{PhaseNanos, Replayed, replay};
pub use verify::{Difference, Verified, verify};
