//! Reads, writes and generates maps.
//!
//! Input is the bytes of a whole file, or a seed; output is a [`Grid`](wheelbase_grid::Grid). Errors name no file: the
//! caller knows its name and puts it in front. Sizes in a file are checked before memory is allocated, and panics of
//! third-party decoders are errors of the file ([`catch_decoder_panic`]). The MovingAI formats are always included;
//! `png` and `tiled` are features.
//!
//! ```
//! use wheelbase_grid::{GridSize, SideTable, TerrainTable};
//! use wheelbase_maps::{MapKind, generate, movingai};
//! let map = generate(MapKind::Rooms, GridSize::new(64, 48)?, 7);
//! let mut file = Vec::new();
//! movingai::write(&map, &mut file)?;
//! let again = movingai::parse(&file, TerrainTable::movingai(), SideTable::default())?;
//! assert_eq!(again.grid.terrain(), map.terrain());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod decoder_panic;
mod generate;
pub mod movingai;
pub mod movingai_scen;
#[cfg(feature = "png")]
pub mod png;
mod terrain_colours;
mod text_lines;
#[cfg(feature = "tiled")]
pub mod tiled;
mod write_error;

pub use decoder_panic::{DecoderPanic, catch_decoder_panic, is_in_decoder};
pub use generate::{MapKind, generate};
pub use movingai::{MapFile, MapFileError, MapFileErrorKind, MapFileWarning, MapFileWarningKind};
pub use movingai_scen::{ScenFile, ScenFileError, ScenFileErrorKind, ScenQuery};
pub use terrain_colours::TerrainColours;
pub use write_error::MapWriteError;
