//! Commands as they cross the wire.

use serde::{Deserialize, Serialize};
use wheelbase_sim::Command;

/// Names a command on every machine: its player, and how many commands that player gave before. Commands of one tick
/// take effect in this order, whenever they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrderTicket {
    /// The player.
    pub player: u8,
    /// Commands that the player gave before.
    pub number: u32,
}

/// A command of a player. Only this crosses the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerCommand {
    /// Its name.
    pub ticket: OrderTicket,
    /// Its effect.
    pub act: PlayerAct,
}

/// The effect of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlayerAct {
    /// A command of the simulation.
    Command(Command),
    /// Withdraws an edit that waits. The ticket is the same on every machine, even after a rollback.
    CancelEdit(OrderTicket),
}
