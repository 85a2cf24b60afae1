//! Reads, writes and makes maps.
//!
//! What comes out is a [`Grid`](wheelbase_grid::Grid), what goes in is the bytes of a whole file, or a seed. Readers
//! name no file in their errors: the caller, who knows its name, puts it in front. Sizes in a file are bounded
//! before memory is taken, and decoders that are not ours stand behind a fence ([`fenced`]). The MovingAI formats
//! are always there; `png` and `tiled` are features.
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

mod fence;
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

pub use fence::{DecoderPanic, fenced, is_fenced};
pub use generate::{MapKind, generate};
pub use movingai::{MapFile, MapFileError, MapFileErrorKind, MapFileWarning, MapFileWarningKind};
pub use movingai_scen::{ScenFile, ScenFileError, ScenFileErrorKind, ScenQuery};
pub use terrain_colours::TerrainColours;
pub use write_error::MapWriteError;
