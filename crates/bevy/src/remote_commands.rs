//! Commands that come from elsewhere: from other players, or from a replay.

use crate::player_command::PlayerCommand;
use bevy_ecs::resource::Resource;
use std::collections::BTreeSet;

/// A network layer puts the commands here that it receives.
/// [`WheelbaseSystems::Commands`](crate::WheelbaseSystems::Commands) gives it to the world.
///
/// With [`rollback`](crate::WheelbasePlugin::rollback) a command for a past tick rolls the world back to that tick and
/// runs it forward again.
#[derive(Resource, Debug, Default)]
pub struct RemoteCommands {
    pub(crate) inbox: Vec<(u32, PlayerCommand)>,
    /// Turns that have arrived, by tick and player.
    pub(crate) turns: BTreeSet<(u32, u8)>,
}

impl RemoteCommands {
    /// All commands of another player for a tick, in any order. A lockstep world runs the tick when it has the turns of
    /// all players, also the empty ones.
    pub fn turn(&mut self, player: u8, tick: u32, commands: impl IntoIterator<Item = PlayerCommand>) {
        self.turns.insert((tick, player));
        // A player speaks only for itself.
        let own = commands.into_iter().filter(|command| command.ticket.player == player);
        self.inbox.extend(own.map(|command| (tick, command)));
    }

    /// One command for a tick. The same command, received twice, counts once.
    pub fn at(&mut self, tick: u32, command: PlayerCommand) {
        self.inbox.push((tick, command));
    }

    /// Whether the turns of all players but one have come for a tick.
    pub(crate) fn has_all(&self, tick: u32, players: u8, local: u8) -> bool {
        (0..players).all(|player| player == local || self.turns.contains(&(tick, player)))
    }
}
