//! Refuses outputs that would overwrite inputs or each other, before any is opened.

use crate::failure::Failure;
use std::path::Path;
use wheelbase_scenario::output_clash;
pub use wheelbase_scenario::output_clash::Output;
use wheelbase_view::safe_text;

/// As [`output_clash::refuse_clashes`].
/// # Errors
/// The first clash.
pub fn refuse_clashes<'a>(
    outputs: impl IntoIterator<Item = Output<'a>>,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let clash = |clash: output_clash::OutputClash| Failure::bad_input(safe_text::line(&clash.to_string()));
    output_clash::refuse_clashes(outputs, inputs).map_err(clash)
}
