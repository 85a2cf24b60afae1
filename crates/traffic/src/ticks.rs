//! Ticks that no run reaches.

/// The tick of an event that never happens. Runs end before it: ticks saturate one below.
pub const NEVER: u32 = u32::MAX;
