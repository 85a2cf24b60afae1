//! What pictures and pages read of a recording alike.

use wheelbase_sim::build::agent_names;
use wheelbase_sim::recording::Header;
use wheelbase_sim::scenario;

/// `u32` that stands for none.
pub const NONE: u32 = u32::MAX;

/// Names of the agents that the scenario and its map list. They are placed first, in that order.
pub fn names(header: &Header) -> Vec<String> {
    let typed = scenario::parse(&header.file, header.scenario.as_bytes());
    typed.map(|typed| agent_names(&typed, &header.objects)).unwrap_or_default()
}
