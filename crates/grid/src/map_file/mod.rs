//! Maps read from and written to files, one module a format.
//!
//! Readers take the bytes of a whole file and name no file in their errors: the caller, who knows its
//! name, puts it in front. Sizes in a file are bounded before memory is taken.

pub mod movingai;

pub use movingai::{
    MapFile, MapFileError, MapFileErrorKind, MapFileWarning, MapFileWarningKind, MapWriteError,
};
