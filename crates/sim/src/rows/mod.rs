//! What games, renderers and other languages read of a world: rows of plain integers, borrowed.

pub(crate) mod agent_row;
pub(crate) mod changed_rows;
pub(crate) mod drawn_body;
pub(crate) mod event_details;
pub(crate) mod event_row;
pub(crate) mod interpolation;
