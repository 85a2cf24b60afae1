//! What `--version` prints: release, commit, target, and the versions of the formats that are read and written.

use wheelbase_scenario::recording::RECORDING_VERSION;
use wheelbase_scenario::trace::TRACE_VERSION;
use wheelbase_sim::{RESULT_SCHEMA, SNAPSHOT};

/// The text behind the name of the program.
pub fn text() -> String {
    // Debug builds do not ask for it, and a packed source has none.
    let commit = match env!("WHEELBASE_COMMIT") {
        "" => "not known",
        commit => commit,
    };
    format!(
        "{}\ncommit: {commit}\ntarget: {}\nformats: results {RESULT_SCHEMA}, trace {TRACE_VERSION}, recording \
         {RECORDING_VERSION}, snapshot {}",
        env!("CARGO_PKG_VERSION"),
        env!("WHEELBASE_TARGET"),
        SNAPSHOT.version
    )
}
