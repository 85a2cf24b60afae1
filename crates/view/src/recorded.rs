//! What pictures and pages read of a recording alike.

use wheelbase_scenario::load::agent_names;
use wheelbase_scenario::recording::Header;
use wheelbase_scenario::scenario;

/// `u32` that stands for none.
pub const NONE: u32 = u32::MAX;

/// Names of the agents that the scenario and its map list. They are placed first, in that order.
pub fn names(header: &Header) -> Vec<String> {
    let typed = scenario::parse(&header.file, header.scenario.as_bytes());
    typed.map(|typed| agent_names(&typed, &header.objects)).unwrap_or_default()
}
