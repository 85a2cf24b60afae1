//! The commands of the local player that have not been given to the world.

use crate::player_command::{OrderTicket, PlayerAct, PlayerCommand};
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use wheelbase_sim::{Command, Spawn};

/// What [`Orders`](crate::Orders) has written since the last tick. A system that has the whole Bevy world, or a test,
/// may push here.
#[derive(Resource, Debug, Default)]
pub struct CommandQueue {
    pub(crate) player: u8,
    pub(crate) next_number: u32,
    pub(crate) commands: Vec<PlayerCommand>,
    /// Entities reserved for units, with the commands that place these.
    pub(crate) reserved: Vec<(OrderTicket, Entity)>,
}

impl CommandQueue {
    /// Adds a command. It takes effect at the next tick, after all earlier ones of this player.
    pub fn push(&mut self, command: Command) -> OrderTicket {
        self.push_act(PlayerAct::Command(command))
    }

    /// Withdraws an edit that waits.
    pub fn cancel(&mut self, edit: OrderTicket) -> OrderTicket {
        self.push_act(PlayerAct::CancelEdit(edit))
    }

    /// Places a unit with an existing entity, which is despawned if the command is refused.
    pub fn spawn(&mut self, entity: Entity, spawn: Spawn) -> OrderTicket {
        let ticket = self.push(Command::Spawn(spawn));
        self.reserved.push((ticket, entity));
        ticket
    }

    fn push_act(&mut self, act: PlayerAct) -> OrderTicket {
        let ticket = OrderTicket { player: self.player, number: self.next_number };
        // No player gives four thousand million commands.
        self.next_number = self.next_number.wrapping_add(1);
        self.commands.push(PlayerCommand { ticket, act });
        ticket
    }
}
