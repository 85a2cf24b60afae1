//! Why a traffic rule keeps an agent back: which of its rules, and which agent holds what the agent needs.

use crate::motion::AgentId;
use std::fmt;
use wheelbase_grid::CellXY;

/// A corridor, by what finds it on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorridorPlace {
    /// Its number, which edits of the map near it may change.
    pub number: u32,
    /// The first of its cells, row by row.
    pub cell: CellXY,
}

/// A side of a corridor: that from which agents enter it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorridorSide {
    /// They go west.
    East,
    /// They go south.
    North,
    /// They go east.
    West,
    /// They go north.
    South,
}

/// Why an agent with a path does not begin its next move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Admission: agents that come from another side have their turn to enter a corridor.
    CorridorTurn {
        /// The corridor.
        corridor: CorridorPlace,
        /// The side that has its turn.
        side: CorridorSide,
        /// Agents nearer to the corridor that go the agent's way.
        ahead: u32,
    },
    /// Admission: an agent is in the corridor, or admitted to it, that this one can neither pass nor follow.
    CorridorHeld {
        /// The corridor.
        corridor: CorridorPlace,
        /// That agent.
        holder: AgentId,
        /// Agents nearer to the corridor that go the agent's way.
        ahead: u32,
    },
    /// Admission: a whole batch that goes the agent's way comes first, for others want to come the other way.
    CorridorQueue {
        /// The corridor.
        corridor: CorridorPlace,
        /// The side of the queue.
        side: CorridorSide,
        /// Agents nearer to the corridor that go the agent's way.
        ahead: u32,
    },
    /// The next moves lead into a busy corridor, for which the agent has not asked.
    CorridorBusy {
        /// The corridor.
        corridor: CorridorPlace,
    },
    /// No plan leads over the no-stopping ground of a busy corridor and off it again.
    NoStopping {
        /// The corridor.
        corridor: CorridorPlace,
        /// The agent in the way, if it is one.
        holder: Option<AgentId>,
        /// A cell that it has reserved, or one of the ground.
        at: CellXY,
    },
    /// The body cannot undo its moves, and no pose that the next moves lead to leaves it, or an agent there, room to
    /// turn.
    NoRoomToTurn {
        /// That agent, if it is one; else walls leave no room.
        holder: Option<AgentId>,
        /// The last of these poses.
        at: CellXY,
    },
    /// An agent of higher priority has a soft reservation on a cell of the next moves.
    SoftReservation {
        /// That agent; `None` if the reservation has outlived it.
        holder: Option<AgentId>,
        /// The cell.
        at: CellXY,
    },
    /// An edit of the map waits for a cell of the next moves, or makes it no-stopping ground.
    Edit {
        /// The cell.
        at: CellXY,
    },
    /// Another agent has reserved a cell of the next moves for its own: it goes first.
    Reserved {
        /// That agent.
        holder: AgentId,
        /// The cell.
        at: CellXY,
    },
    /// Another agent rests on a cell of the next moves.
    Resting {
        /// That agent.
        holder: AgentId,
        /// The cell.
        at: CellXY,
    },
    /// The agent was pushed aside, and stays until its pusher has passed.
    MakesWay {
        /// The pusher.
        holder: AgentId,
    },
    /// The next move is planned.
    Planned {
        /// The tick at which it begins.
        begins: u32,
    },
    /// Nothing is in the way any more; the agent replans after a pause.
    Pause {
        /// The tick at which it looks.
        until: u32,
    },
    /// No plan among the reservations of the others was found, where no single one is in the way.
    NoPlan {
        /// The tick at which the agent looks again.
        until: u32,
    },
    /// The way is free, but its searches have used up the poses that the agent may expand.
    Budget,
    /// On a map too full for all, the robot pursues no goal for a while.
    Crowd,
    /// The robot is bound to a push.
    Pushed {
        /// The tick at which it is free again.
        until: u32,
    },
    /// The robot is slower than the rule allows, or stands where the rule has no moves for it.
    Stopped,
    /// No operation of the robot that is free, or for which others may yield, brings it nearer.
    NoOperation,
    /// The host, which names the moves, has named none.
    Host,
}

impl CorridorSide {
    /// The side from which agents come that go through by some columns and rows.
    pub(crate) fn of_direction((columns, rows): (i32, i32)) -> Self {
        match columns.abs() >= rows.abs() {
            true if columns >= 0 => Self::West,
            true => Self::East,
            false if rows >= 0 => Self::North,
            false => Self::South,
        }
    }

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::East => "east",
            Self::North => "north",
            Self::West => "west",
            Self::South => "south",
        }
    }
}

impl Reason {
    /// Name of the rule in outputs.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::CorridorTurn { .. } => "corridor_turn",
            Self::CorridorHeld { .. } => "corridor_held",
            Self::CorridorQueue { .. } => "corridor_queue",
            Self::CorridorBusy { .. } => "corridor_busy",
            Self::NoStopping { .. } => "keep_clear",
            Self::NoRoomToTurn { .. } => "no_room_to_turn",
            Self::SoftReservation { .. } => "claim",
            Self::Edit { .. } => "edit",
            Self::Reserved { .. } => "reserved",
            Self::Resting { .. } => "resting",
            Self::MakesWay { .. } => "makes_way",
            Self::Planned { .. } => "planned",
            Self::Pause { .. } => "pause",
            Self::NoPlan { .. } => "no_plan",
            Self::Budget => "budget",
            Self::Crowd => "crowd",
            Self::Pushed { .. } => "pushed",
            Self::Stopped => "stopped",
            Self::NoOperation => "no_operation",
            Self::Host => "host",
        }
    }

    /// The agent that holds what this one needs, if it is one.
    pub fn holder(&self) -> Option<AgentId> {
        match *self {
            Self::CorridorHeld { holder, .. }
            | Self::Reserved { holder, .. }
            | Self::Resting { holder, .. }
            | Self::MakesWay { holder } => Some(holder),
            Self::NoStopping { holder, .. }
            | Self::NoRoomToTurn { holder, .. }
            | Self::SoftReservation { holder, .. } => holder,
            _ => None,
        }
    }

    /// The corridor, if it is about one.
    pub fn corridor(&self) -> Option<CorridorPlace> {
        match *self {
            Self::CorridorTurn { corridor, .. }
            | Self::CorridorHeld { corridor, .. }
            | Self::CorridorQueue { corridor, .. }
            | Self::CorridorBusy { corridor }
            | Self::NoStopping { corridor, .. } => Some(corridor),
            _ => None,
        }
    }

    /// The cell that the agent needs, if it is one.
    pub fn at(&self) -> Option<CellXY> {
        match *self {
            Self::NoStopping { at, .. }
            | Self::NoRoomToTurn { at, .. }
            | Self::SoftReservation { at, .. }
            | Self::Edit { at }
            | Self::Reserved { at, .. }
            | Self::Resting { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Of an admission: the side of the turn or of the queue, if it is one, and the agents ahead.
    pub fn queue(&self) -> Option<(Option<CorridorSide>, u32)> {
        match *self {
            Self::CorridorTurn { side, ahead, .. } | Self::CorridorQueue { side, ahead, .. } => {
                Some((Some(side), ahead))
            }
            Self::CorridorHeld { ahead, .. } => Some((None, ahead)),
            _ => None,
        }
    }
}

impl fmt::Display for CorridorPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "corridor {} at {}", self.number, self.cell)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CorridorTurn { corridor, side, ahead } => {
                write!(f, "admission to {corridor}: turn of the {} side, {ahead} ahead", side.name())
            }
            Self::CorridorHeld { corridor, holder, ahead } => {
                write!(f, "admission to {corridor}: held by {}, {ahead} ahead", holder.0)
            }
            Self::CorridorQueue { corridor, side, ahead } => {
                write!(f, "admission to {corridor}: queue of the {} side, {ahead} ahead", side.name())
            }
            Self::CorridorBusy { corridor } => write!(f, "{corridor} is busy, and the agent has not asked"),
            Self::NoRoomToTurn { holder: Some(holder), at } => {
                write!(f, "room to turn at {at}: {} is in the way", holder.0)
            }
            Self::NoRoomToTurn { holder: None, at } => {
                write!(f, "room to turn at {at}: walls are in the way")
            }
            Self::NoStopping { corridor, holder: Some(holder), at } => {
                write!(f, "no-stopping ground of {corridor}: {} has {at} on the way off it", holder.0)
            }
            Self::NoStopping { corridor, holder: None, at } => {
                write!(f, "no-stopping ground of {corridor}: no plan leads off it again from {at}")
            }
            Self::SoftReservation { holder: Some(holder), at } => {
                write!(f, "soft reservation of {} on {at}", holder.0)
            }
            Self::SoftReservation { holder: None, at } => {
                write!(f, "a soft reservation on {at} that still stands")
            }
            Self::Edit { at } => write!(f, "an edit waits for {at}"),
            Self::Reserved { holder, at } => write!(f, "{} has reserved {at} and goes first", holder.0),
            Self::Resting { holder, at } => write!(f, "{} rests at {at} on the path", holder.0),
            Self::MakesWay { holder } => write!(f, "makes way for {}", holder.0),
            Self::Planned { begins } => write!(f, "the next move is planned for tick {begins}"),
            Self::Pause { until } => write!(f, "pause before the next look, at tick {until}"),
            Self::NoPlan { until } => {
                write!(f, "no plan among the reservations of the others, next look at tick {until}")
            }
            Self::Budget => f.write_str("its searches have used up the poses that it may expand"),
            Self::Crowd => f.write_str("pursues no goal for now: the map is too full"),
            Self::Pushed { until } => write!(f, "moves up for a push until tick {until}"),
            Self::Stopped => f.write_str("too slow for the rule, or where it knows no moves"),
            Self::NoOperation => f.write_str("no free operation brings it nearer"),
            Self::Host => f.write_str("the host has named no move"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_those_that_agents_come_from() {
        let sides = [(5, 1), (-5, 5), (1, 4), (-1, -4)].map(|by| CorridorSide::of_direction(by).name());
        assert_eq!(sides, ["west", "east", "north", "south"]);
    }

    #[test]
    fn texts_name_corridor_side_and_queue() {
        let corridor = CorridorPlace { number: 7, cell: CellXY::new(66, 14) };
        let turn = Reason::CorridorTurn { corridor, side: CorridorSide::East, ahead: 3 };
        assert_eq!(turn.to_string(), "admission to corridor 7 at (66, 14): turn of the east side, 3 ahead");
        let held = Reason::CorridorHeld { corridor, holder: AgentId(12), ahead: 0 };
        assert_eq!(held.to_string(), "admission to corridor 7 at (66, 14): held by 12, 0 ahead");
        assert_eq!((held.holder(), held.queue()), (Some(AgentId(12)), Some((None, 0))));
    }
}
