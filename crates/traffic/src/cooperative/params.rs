//! Numbers that several mechanisms of the rule share: how far agents look, and how long they wait before they ask more of
//! others.

/// An agent looks as far ahead as so many of its fastest steps take. With 8, those of mixed bodies on bases
/// did 4 % fewer tasks, for wide ones turn too late to pass each other; 24 gained no more.
pub const HORIZON_STEPS: u32 = 16;
/// Moves of a path that a field is made of, at most.
pub const LINE_MOVES_MAX: usize = 64;
/// Nodes that one search may expand, and one of an agent that has waited long.
pub const NODES: usize = 240;
pub const NODES_AFTER_WAITING: usize = 800;
/// Waiting is counted in times of the move that an agent waits to begin. After so many of them it makes one
/// that has nothing to do step aside; others; any others; and it asks for a path around those at rest.
pub const PUSH_IDLE_AFTER: u32 = 1;
pub const PUSH_AFTER: u32 = 3;
pub const PUSH_ANY_AFTER: u32 = 16;
pub const AROUND_AFTER: u32 = 12;
/// One that others cost so many steps has those of lower rank plan around it.
pub const LIFT_AFTER_STEPS: u32 = 3;
/// One that cannot reach the room to which it was to step aside gives that up.
pub const GIVE_UP_AFTER: u32 = 8;
/// One that has stepped aside lets the other pass for so long at most.
pub const HOLD_MOVES_MAX: u32 = 48;
/// Moves ahead of one that is to pass, which the one that stepped aside looks at.
pub const PASSING_MOVES: usize = 32;
/// Its own moves that it compares with them.
pub const RETURN_MOVES: usize = 8;
