//! The plugin: resources, messages, and systems in their order.

use crate::command_queue::CommandQueue;
use crate::cursor::CursorPoint;
use crate::interpolate::interpolate;
use crate::messages::{EditMessage, LocalTurn, MapChanged, TooLate, UnitMessage};
use crate::remote_commands::RemoteCommands;
use crate::space::Space;
use crate::sync::follow;
use crate::units::Units;
use crate::wheelbase::Wheelbase;
use bevy_app::{App, FixedUpdate, Plugin, PostUpdate, Startup};
use bevy_ecs::change_detection::{Res, ResMut};
use bevy_ecs::message::MessageWriter;
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy_ecs::system::Local;
use bevy_time::{Fixed, Time};
use std::sync::{Mutex, PoisonError};
use wheelbase_sim::World;

/// Adds a world to an app. It needs Bevy's `TimePlugin`, which `DefaultPlugins` and `MinimalPlugins` have.
pub struct WheelbasePlugin {
    /// Taken when the plugin is built.
    world: Mutex<Option<World>>,
    ticks_per_second: Option<f64>,
    space: Space,
    play: Play,
    rollback_ticks: usize,
}

/// The players.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct Play {
    /// The local player.
    player: u8,
    /// Ticks between a command and its effect.
    delay: u32,
    /// Players of a lockstep; 0 does not wait for anyone.
    players: u8,
    /// Whether the turns of the local player are sent.
    sends: bool,
}

/// The systems of the plugin, in this order. The first three are in `FixedUpdate`, and `Entities` in `Startup`, too.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WheelbaseSystems {
    /// Takes the commands of [`Orders`](crate::Orders) and [`RemoteCommands`], and rolls back where one is late.
    Commands,
    /// Runs a tick of the world.
    Step,
    /// Spawns and despawns entities, updates components, sends messages.
    Entities,
    /// In `PostUpdate`, before transforms propagate: draws between the last two ticks.
    Interpolate,
}

impl WheelbasePlugin {
    /// A plugin for a world.
    pub fn new(world: World) -> Self {
        Self {
            world: Mutex::new(Some(world)),
            ticks_per_second: None,
            space: Space::default(),
            play: Play::default(),
            rollback_ticks: 0,
        }
    }

    /// Sets the rate of Bevy's `FixedUpdate`: a tick of the world is one run of it. Without it the rate stays, 64 Hz by
    /// default.
    /// # Panics
    /// When the plugin is built, if the rate is not positive and finite.
    #[must_use]
    pub fn ticks_per_second(self, hertz: f64) -> Self {
        Self { ticks_per_second: Some(hertz), ..self }
    }

    /// Sets where the map lies.
    #[must_use]
    pub fn space(self, space: Space) -> Self {
        Self { space, ..self }
    }

    /// Sets the number of the local player, which orders its commands among the commands of other players. It is 0 by
    /// default.
    #[must_use]
    pub fn player(mut self, player: u8) -> Self {
        self.play.player = player;
        self
    }

    /// Sets how many ticks later the commands of the local player take effect.
    #[must_use]
    pub fn input_delay(mut self, ticks: u32) -> Self {
        self.play.delay = ticks;
        self
    }

    /// Lockstep of players 0, 1, ...: a tick runs when the turns of all have arrived
    /// ([`RemoteCommands::turn`]). Send each [`LocalTurn`] to the others. The input delay is at least 1 tick.
    #[must_use]
    pub fn lockstep(mut self, players: u8) -> Self {
        (self.play.players, self.play.sends) = (players, true);
        self.play.delay = self.play.delay.max(1);
        self
    }

    /// Keeps the last ticks as copies of the world. A command for one of them rolls back and runs forward again.
    #[must_use]
    pub fn rollback(mut self, ticks: u16) -> Self {
        (self.rollback_ticks, self.play.sends) = (ticks.into(), true);
        self
    }
}

impl Plugin for WheelbasePlugin {
    fn build(&self, app: &mut App) {
        let world = self.world.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(world) = world else { return log::error!("a WheelbasePlugin was built twice") };
        if let Some(hertz) = self.ticks_per_second {
            app.insert_resource(Time::<Fixed>::from_hz(hertz));
        }
        app.insert_resource(Wheelbase::new(world, self.rollback_ticks))
            .insert_resource(self.space)
            .insert_resource(self.play)
            .insert_resource(CommandQueue { player: self.play.player, ..CommandQueue::default() })
            .init_resource::<RemoteCommands>()
            .init_resource::<Units>()
            .init_resource::<CursorPoint>()
            .add_message::<UnitMessage>()
            .add_message::<EditMessage>()
            .add_message::<MapChanged>()
            .add_message::<LocalTurn>()
            .add_message::<TooLate>();
        use WheelbaseSystems::{Commands, Entities, Interpolate, Step};
        app.configure_sets(FixedUpdate, (Commands, Step, Entities).chain())
            .configure_sets(PostUpdate, (Entities, Interpolate).chain())
            .add_systems(Startup, follow.in_set(Entities))
            .add_systems(
                FixedUpdate,
                (take_commands.in_set(Commands), step.in_set(Step), follow.in_set(Entities)),
            )
            // A game that is loaded while time stands still is drawn, too.
            .add_systems(PostUpdate, (follow.in_set(Entities), interpolate.in_set(Interpolate)));
        #[cfg(feature = "transform")]
        app.configure_sets(PostUpdate, Interpolate.before(bevy_transform::TransformSystems::Propagate))
            .add_systems(PostUpdate, crate::interpolate::place.in_set(Interpolate).after(interpolate));
        #[cfg(feature = "gizmos")]
        crate::gizmos::build(app);
        #[cfg(feature = "picking")]
        crate::picking::build(app);
    }
}

fn take_commands(
    play: Res<Play>,
    mut generation: Local<u32>,
    mut wheelbase: ResMut<Wheelbase>,
    mut queue: ResMut<CommandQueue>,
    mut remote: ResMut<RemoteCommands>,
    mut turns: MessageWriter<LocalTurn>,
    mut late: MessageWriter<TooLate>,
) {
    let now = wheelbase.tick();
    let mut back_to = now;
    for (tick, command) in remote.inbox.drain(..) {
        if wheelbase.reaches(tick) {
            back_to = back_to.min(tick);
            wheelbase.take(tick, command);
        } else {
            late.write(TooLate { tick, command });
        }
    }
    if back_to < now {
        wheelbase.replay_from(back_to);
    }
    remote.turns.retain(|&(tick, _)| tick >= now);
    // Before the first commands can arrive nobody has any.
    wheelbase.is_stalled = now >= play.delay && !remote.has_all(now, play.players, play.player);
    if wheelbase.is_stalled || wheelbase.broken().is_some() {
        return;
    }
    if std::mem::replace(&mut *generation, wheelbase.generation) != wheelbase.generation {
        queue.next_number = queue.next_number.max(wheelbase.free_number(play.player));
    }
    let tick = now.saturating_add(play.delay);
    for (ticket, entity) in queue.reserved.drain(..) {
        wheelbase.reserve(tick, ticket, entity);
    }
    let commands = std::mem::take(&mut queue.commands);
    for command in &commands {
        wheelbase.take(tick, command.clone());
    }
    if play.sends {
        turns.write(LocalTurn { tick, commands });
    }
    wheelbase.begin_tick();
}

fn step(mut wheelbase: ResMut<Wheelbase>) {
    if !wheelbase.is_stalled && wheelbase.broken().is_none() {
        wheelbase.end_tick();
    }
}
