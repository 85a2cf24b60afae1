//! Recordings: a complete run in a small file, written tick by tick.
//!
//! A recording is a [`Header`] (scenario, map, classes), chunks of ticks, and an [`End`]. Each chunk begins with a key
//! frame, so that it can be read without the ones before, and has its own checksum. A killed run leaves all chunks but
//! the last. The recording of a resumed run begins with a snapshot in place of its scenario. [`Recorder`] writes a
//! recording as a [`World`](wheelbase_sim::World) steps. [`Reader`] streams over it, a [`TickRecord`] at a time.
//! [`replay`] repeats the run for [`verify`], which compares the two runs, and for [`profile`], which measures the
//! second.
//!
//! ```
//! use std::io::Cursor;
//! use std::path::Path;
//! use wheelbase_scenario::recording::{Event, Reader, Recorder, ScenarioText, TickRecord};
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
//! let scenario = ScenarioText { file: "there.toml", text };
//! let mut recorder = Recorder::begin(&mut world, &load::Source::default(), scenario, &mut file)?;
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
mod command_code;
mod decision_code;
mod difference;
mod error;
mod format;
mod header;
mod header_difference;
mod host_start;
mod map_edits;
mod observe;
mod order_texts;
mod profile;
mod reader;
mod rebuild;
mod record;
mod recorded_agents;
mod recorder;
pub mod replay;
mod snapshot_start;
mod tick_code;
mod tick_difference;
mod verify;
mod wait_reasons;

#[cfg(test)]
mod tests;

pub use difference::Difference;
pub use error::RecordingError;
pub use format::{RECORDING_VERSION, is_recording};
pub use header::{Header, MapLayers, RecordedClass, RecordedKind, ScenarioText};
pub use host_start::{HostAgent, HostStart};
pub use profile::{PhaseNanos, ReplayProfile, profile};
pub use reader::{ChunkInfo, Reader};
pub use rebuild::{Rebuilt, rebuild};
pub use record::{End, Event, PathRun, RunRange, TickRecord};
pub use recorded_agents::{RecordedAgents, RecordedMotion};
pub use recorder::Recorder;
pub use snapshot_start::SnapshotStart;
pub use verify::{Verified, verify};
pub use wait_reasons::{REASON_WORK_MAX, ReasonRow, WaitReasons, wait_reasons};
