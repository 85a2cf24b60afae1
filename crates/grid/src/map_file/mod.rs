//! Maps read from and written to files, and the queries that benchmarks ask of them; one module a format.
//!
//! Readers take the bytes of a whole file and name no file in their errors: the caller, who knows its
//! name, puts it in front. Sizes in a file are bounded before memory is taken.

pub mod movingai;
pub mod movingai_scen;
#[cfg(feature = "png")]
pub mod png;
#[cfg(feature = "tiled")]
pub mod tiled;

pub use movingai::{
    MapFile, MapFileError, MapFileErrorKind, MapFileWarning, MapFileWarningKind, MapWriteError,
};
pub use movingai_scen::{ScenFile, ScenFileError, ScenFileErrorKind, ScenQuery};
