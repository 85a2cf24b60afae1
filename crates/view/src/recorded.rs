//! Facts that both pictures and pages read from a recording.

use wheelbase_scenario::load::agent_names;
use wheelbase_scenario::recording::Header;
use wheelbase_scenario::scenario;

/// Marks an absent `u32`: recordings store it in place of a tick or an order.
pub const NONE: u32 = u32::MAX;

/// Names of the agents listed by the scenario and its map, by id: these agents are placed first, in this order.
/// Empty for unnamed agents, and for all of them if the scenario text cannot be parsed.
pub fn names(header: &Header) -> Vec<String> {
    let typed = scenario::parse(&header.file, header.scenario.as_bytes());
    typed.map(|typed| agent_names(&typed, &header.objects)).unwrap_or_default()
}
