//! Tests of the rule for agents of any body that need a whole simulation.

mod claims;
mod contraflow;
mod cooperative;
mod greedy;
mod interval_search;
mod lifting;
mod make_way;
mod narrows;
mod scenes;
mod window_field;
