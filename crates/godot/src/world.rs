//! The world as a node.

use crate::clock::Clock;
use crate::map::WheelbaseMap;
use crate::place::{ClassBody, Place};
use crate::told::{Told, integer, place_of, read_file};
use godot::classes::Engine;
use godot::global::Error;
use godot::prelude::*;
use std::path::Path;
use wheelbase_grid::{GridShape, Rect};
use wheelbase_scenario::load::load_class_of_bytes;
use wheelbase_sim::planner::model::Sweep;
use wheelbase_sim::{
    AgentId, AgentRow, Body, ClassSpec, EventKind, EventRow, Friends, Host, MovementClass, OrderKind,
    RefusalReason, Settings, Setup, Team, Threads, UnreachableReason, World,
};

/// A world of units larger than a tile. They turn, reverse and never overlap.
///
/// Add classes of units, call [method start] with a [WheelbaseMap], and give commands. The world steps in the physics
/// frames. A command returns its ticket and takes effect at the next tick, after all earlier ones. The world refuses an
/// impossible command by [signal command_refused]. A mistake of a script is written to the log, and the call returns -1
/// or an error.
///
/// Units are numbers that stay valid until the unit is removed. Cells are [Vector2i], with y to the south. Headings
/// count counter-clockwise from east: with four, 1 is north, and with six, on hexagons, north-east. Worlds that get the
/// same commands at the same ticks stay equal on all machines: see [method state_hash].
#[derive(GodotClass)]
#[class(init, base=Node)]
pub struct WheelbaseWorld {
    /// Ticks per second. Units move smoothly between ticks; 20 is usual.
    #[export(range = (1.0, 240.0, 0.1))]
    #[init(val = 20.0)]
    ticks_per_second: f64,
    /// Whether the world steps in the physics frames. Turn it off to call [method step] yourself, as in lockstep.
    #[export]
    #[init(val = true)]
    auto_step: bool,
    /// Width of a cell: pixels in 2D, meters in 3D. [method start] sets it for maps of a [TileMapLayer].
    #[export]
    #[init(val = 16.0)]
    cell_size: f64,
    /// The north-west corner of the map: x and y in 2D, x and z in 3D. [method start] sets it as [member cell_size].
    #[export]
    origin: Vector2,
    /// Height of the map relative to a map of regular cells: 1 for squares and regular hexagons. [method start] sets it
    /// for maps of a [TileMapLayer].
    #[export]
    #[init(val = 1.0)]
    stretch: f64,
    /// Seed of all random choices. Equal worlds need equal seeds.
    #[export]
    world_seed: i64,
    /// Threads for path searches. Their number changes no result; 0 uses the main thread.
    #[export(range = (0.0, 64.0, 1.0))]
    threads: i64,
    specs: Vec<(ClassSpec, String)>,
    friends: Friends,
    game: Option<Game>,
    clock: Clock,
    told: Told,
    base: Base<Node>,
}

/// A running world.
pub(crate) struct Game {
    pub(crate) world: World,
    pub(crate) bodies: Vec<ClassBody>,
}

impl Game {
    fn new(world: World) -> Self {
        let of = |class: &MovementClass| ClassBody { body: Body::of(class), headings: class.headings() };
        let bodies = world.tables().iter().map(|tables| of(tables.class())).collect();
        Self { world, bodies }
    }

    /// The row of a unit.
    pub(crate) fn unit(&self, unit: i64) -> Result<&AgentRow, String> {
        let row = u32::try_from(unit).ok().and_then(|unit| self.world.agent(AgentId(unit)));
        row.ok_or_else(|| format!("no unit {unit}"))
    }

    /// The class with a number.
    pub(crate) fn class(&self, class: i64) -> Result<(u8, ClassBody), String> {
        let found = u8::try_from(class).ok().and_then(|n| Some((n, *self.bodies.get(usize::from(n))?)));
        found.ok_or_else(|| format!("no class {class}, the world has {}", self.bodies.len()))
    }
}

/// What the last tick has done.
struct Happened {
    tick: u32,
    events: Vec<(EventRow, Option<Rect>)>,
}

#[godot_api]
impl INode for WheelbaseWorld {
    #[func(gd_self)]
    fn physics_process(mut this: Gd<Self>, delta: f64) {
        let due = {
            let mut world = this.bind_mut();
            let ticks = delta * world.ticks_per_second;
            if world.auto_step && world.is_running() { world.clock.advance(ticks) } else { 0 }
        };
        for _ in 0..due {
            if !this.is_instance_valid() || Self::step(this.clone()) != Error::OK {
                break;
            }
        }
    }
}

#[godot_api]
impl WheelbaseWorld {
    /// The world has begun, by [method start].
    #[signal]
    pub(crate) fn started();
    /// Another world was loaded, by [method load]. Units with the same number are the same.
    #[signal]
    pub(crate) fn loaded();
    /// A tick is over, and its other signals were sent.
    #[signal]
    pub(crate) fn ticked(tick: i64);
    /// The world can run no longer, because of a mistake inside it. Load the last save.
    #[signal]
    pub(crate) fn broken(message: GString);
    /// A unit is in the world, placed by the command with this ticket.
    #[signal]
    pub(crate) fn unit_spawned(unit: i64, ticket: i64);
    /// A unit is no longer in the world.
    #[signal]
    pub(crate) fn unit_removed(unit: i64);
    /// A unit is off the map, by [method enter]. A node of it stays where it is: hide it.
    #[signal]
    pub(crate) fn unit_entered(unit: i64, container: i64);
    /// A unit is back on the map, by [method leave].
    #[signal]
    pub(crate) fn unit_left(unit: i64);
    /// A unit has reached the goal of an order.
    #[signal]
    pub(crate) fn arrived(unit: i64);
    /// A unit has done an order: `goto`, `goto_group`, `goto_area`, `wait`, `follow`.
    #[signal]
    pub(crate) fn order_done(unit: i64, order: GString);
    /// A unit cannot do an order, and drops it: `unreachable`, `goal_blocked`, `goal_off_map`, `obstructed`, `no_room`.
    #[signal]
    pub(crate) fn order_failed(unit: i64, order: GString, reason: GString);
    /// A unit has waited for 8 ticks for another one; -1 if nobody in particular is in its way.
    #[signal]
    pub(crate) fn blocked(unit: i64, by: i64);
    /// A command was refused, or its part about one unit. `unit` is -1 if it is about none.
    #[signal]
    pub(crate) fn command_refused(ticket: i64, unit: i64, reason: GString);
    /// An edit of the map has taken effect in a rectangle of cells: redraw them.
    #[signal]
    pub(crate) fn edit_done(ticket: i64, area: Rect2i);
    /// An edit waits until a number of units are out of the way.
    #[signal]
    pub(crate) fn edit_waits(ticket: i64, units: i64);
    /// A waiting edit was withdrawn by [method cancel_edit].
    #[signal]
    pub(crate) fn edit_cancelled(ticket: i64);
    /// A later edit has replaced a part of a waiting one; `left` changes of it still wait.
    #[signal]
    pub(crate) fn edit_replaced(ticket: i64, left: i64);

    /// Adds a class of units before [method start]. Returns its number, from 0, or -1. `text` is a class file in TOML:
    /// footprint, moves, speeds. `file` is what messages call it.
    #[func]
    pub(crate) fn add_class(&mut self, text: GString, #[opt(default = "class.toml")] file: GString) -> i64 {
        let added = self.added(&file.to_string(), text.to_string().as_bytes());
        self.told("add_class", added).unwrap_or(-1)
    }

    /// Adds the class of a file, as [method add_class] does. Export it with the project: it is no resource.
    #[func]
    pub(crate) fn add_class_file(&mut self, path: GString) -> i64 {
        let added = read_file(&path).and_then(|bytes| self.added(&path.to_string(), &bytes));
        self.told("add_class_file", added).unwrap_or(-1)
    }

    /// Makes two teams friends before [method start]. Every other team is alone.
    #[func]
    pub(crate) fn befriend(&mut self, team: i64, other: i64) -> Error {
        let teams = self.before_start().and_then(|()| Ok((team_of(team)?, team_of(other)?)));
        let done = teams.map(|(team, other)| self.friends.befriend(team, other));
        self.done("befriend", done)
    }

    /// Begins with a map, the classes that were added, and no units. A later call replaces the world.
    #[func(gd_self)]
    pub(crate) fn start(mut this: Gd<Self>, map: Option<Gd<WheelbaseMap>>) -> Error {
        let error = {
            let mut world = this.bind_mut();
            let begun = world.begun(map);
            world.done("start", begun)
        };
        if error == Error::OK {
            this.signals().started().emit();
        }
        error
    }

    /// Whether there is a world: [method start] or [method load] has succeeded.
    #[func]
    pub(crate) fn is_running(&self) -> bool {
        self.game.is_some()
    }

    /// Runs one tick and sends its signals. Only needed without [member auto_step].
    #[func(gd_self)]
    pub(crate) fn step(mut this: Gd<Self>) -> Error {
        let happened = {
            let mut world = this.bind_mut();
            let happened = world.stepped();
            world.told("step", happened)
        };
        let Some(Happened { tick, events }) = happened else {
            let message = this.bind().last_error();
            if this.bind().is_running() {
                this.signals().broken().emit(&message);
            }
            return Error::FAILED;
        };
        for (event, area) in events {
            // A game may free the world in a signal.
            if !this.is_instance_valid() {
                return Error::OK;
            }
            emit(&this, &event, area);
        }
        if this.is_instance_valid() {
            this.signals().ticked().emit(i64::from(tick));
        }
        Error::OK
    }

    /// A saved game: [method load] continues from it exactly, also with commands that have not taken effect. Empty on
    /// failure.
    #[func]
    pub(crate) fn save(&self) -> PackedByteArray {
        let saved = self.game().and_then(|game| game.world.save().map_err(|error| error.to_string()));
        self.told("save", saved).map(PackedByteArray::from).unwrap_or_default()
    }

    /// Replaces the world by a saved one. It needs no map and no classes. Bytes that are no saved game change nothing.
    #[func(gd_self)]
    pub(crate) fn load(mut this: Gd<Self>, bytes: PackedByteArray) -> Error {
        let error = {
            let mut world = this.bind_mut();
            let host = Host { threads: world.threads(), ..Host::default() };
            let loaded = World::load(bytes.as_slice(), host).map_err(|error| error.to_string());
            let loaded = loaded.map(|loaded| world.run(loaded));
            world.done("load", loaded)
        };
        if error == Error::OK {
            this.signals().loaded().emit();
        }
        error
    }

    /// The message of the last call that failed; empty if none has.
    #[func]
    pub(crate) fn last_error(&self) -> GString {
        self.told.last()
    }
}

impl WheelbaseWorld {
    /// The value; or `None`, with the mistake in the log.
    pub(crate) fn told<T>(&self, method: &str, result: Result<T, String>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(_) => self.told.told(&place_of(&self.base()), method, result),
        }
    }

    fn done(&self, method: &str, result: Result<(), String>) -> Error {
        if self.told(method, result).is_some() { Error::OK } else { Error::ERR_INVALID_PARAMETER }
    }

    pub(crate) fn game(&self) -> Result<&Game, String> {
        self.game.as_ref().ok_or_else(|| "there is no world: call start() or load() first".to_owned())
    }

    pub(crate) fn game_mut(&mut self) -> Result<&mut Game, String> {
        self.game.as_mut().ok_or_else(|| "there is no world: call start() or load() first".to_owned())
    }

    /// The names of the classes, by number.
    pub(crate) fn class_names(&self) -> Vec<&str> {
        match &self.game {
            Some(game) => game.world.classes().iter().map(|class| &*class.name).collect(),
            None => self.specs.iter().map(|(spec, _)| &*spec.name).collect(),
        }
    }

    /// Where the map lies.
    pub(crate) fn place(&self) -> Place {
        let [cell_size, stretch] =
            [self.cell_size, self.stretch].map(|number| if number > 0.0 { number } else { 1.0 });
        Place { cell_size, stretch, origin: [self.origin.x, self.origin.y].map(f64::from) }
    }

    /// The time in ticks that this frame shows: in the last tick.
    pub(crate) fn shown_time(&self) -> f64 {
        let tick = self.game.as_ref().map_or(0, |game| game.world.tick());
        // A world that somebody else steps stands where its last tick has ended.
        let part = if self.auto_step {
            self.clock.shown(Engine::singleton().get_physics_interpolation_fraction())
        } else {
            1.0
        };
        f64::from(tick) - 1.0 + part
    }

    fn before_start(&self) -> Result<(), String> {
        if self.is_running() {
            Err("the world is running: call this before start()".to_owned())
        } else {
            Ok(())
        }
    }

    fn added(&mut self, file: &str, bytes: &[u8]) -> Result<i64, String> {
        self.before_start()?;
        let spec = load_class_of_bytes(Path::new(file), None, bytes).map_err(|error| error.to_string())?;
        if let Some((_, other)) = self.specs.iter().find(|(known, _)| known.name == spec.name) {
            return Err(format!("{file}: class \"{}\" is in {other} already", spec.name));
        }
        self.specs.push((spec, file.to_owned()));
        Ok(self.specs.len() as i64 - 1)
    }

    fn threads(&self) -> Threads {
        Threads::Own(usize::try_from(self.threads).unwrap_or(0).min(64))
    }

    fn begun(&mut self, map: Option<Gd<WheelbaseMap>>) -> Result<(), String> {
        let map = map.ok_or("map is null")?;
        let map = map.bind();
        let grid = map.grid().ok_or("the map is empty: call one of its read methods first")?;
        if self.specs.is_empty() {
            return Err("there is no class of units: call add_class() first".to_owned());
        }
        let mut classes = Vec::with_capacity(self.specs.len());
        for (spec, file) in &self.specs {
            let mut spec = spec.clone();
            if spec.headings == 1 && grid.shape() == GridShape::Hex {
                (spec.shape, spec.sweep) = (GridShape::Hex, Sweep::usual(GridShape::Hex));
            }
            let class = MovementClass::for_map(spec, grid.size());
            classes.push(class.map_err(|error| format!("{file}: {error}"))?);
        }
        let settings =
            Settings { seed: self.world_seed as u64, ..Settings::named(&self.base().get_name().to_string()) };
        let mut setup = Setup::cooperative(settings, grid.clone(), classes);
        setup.friends = self.friends;
        setup.threads = self.threads();
        let world = World::new(setup).map_err(|errors| errors.to_string())?;
        if let Some(place) = map.place() {
            (self.cell_size, self.stretch) = (place.cell_size, place.stretch);
            let [x, y] = place.origin.map(|at| at as f32);
            self.origin = Vector2::new(x, y);
        }
        self.run(world);
        Ok(())
    }

    fn run(&mut self, world: World) {
        self.game = Some(Game::new(world));
        self.clock = Clock::default();
    }

    fn stepped(&mut self) -> Result<Happened, String> {
        let world = &mut self.game_mut()?.world;
        world.try_step().map_err(|broken| broken.to_string())?;
        let with_area = |(index, event): (usize, &EventRow)| (*event, world.event_details(index).area);
        Ok(Happened {
            tick: world.tick(),
            events: world.events().iter().enumerate().map(with_area).collect(),
        })
    }
}

/// A team of a number.
pub(crate) fn team_of(team: i64) -> Result<Team, String> {
    let known = u8::try_from(team).ok().map(Team).filter(|team| team.is_known());
    known.ok_or_else(|| format!("team is {team}, expected 0 to {}", Team::COUNT - 1))
}

/// A rectangle of the map, for scripts.
pub(crate) fn rect2i(area: Rect) -> Rect2i {
    Rect2i::from_components(area.x, area.y, area.width as i32, area.height as i32)
}

/// Whether an order leads to a goal and ends there.
fn has_goal(order: &str) -> bool {
    order.starts_with("goto")
}

/// Sends the signal of an event. Nothing is borrowed meanwhile: receivers may call the world.
fn emit(this: &Gd<WheelbaseWorld>, event: &EventRow, area: Option<Rect>) {
    let unit = event.agent().map_or(-1, |unit| i64::from(unit.0));
    let ticket = event.ticket().map_or(-1, |ticket| ticket.0 as i64);
    let order = || OrderKind::NAMES.get(event.b as usize).copied().unwrap_or_default();
    let edit = || event.edit().map_or(-1, |ticket| ticket.0 as i64);
    let mut signals = this.signals();
    match event.kind() {
        Some(EventKind::Spawned) => signals.unit_spawned().emit(unit, ticket),
        Some(EventKind::Removed) => signals.unit_removed().emit(unit),
        Some(EventKind::Entered) => {
            signals
                .unit_entered()
                .emit(unit, if event.a == EventRow::NONE { -1 } else { i64::from(event.a) });
        }
        Some(EventKind::Left) => signals.unit_left().emit(unit),
        Some(EventKind::Refused) => {
            let reason = event.refusal().map_or("", RefusalReason::name);
            signals.command_refused().emit(ticket, unit, reason);
        }
        Some(EventKind::OrderDone) => {
            if has_goal(order()) {
                signals.arrived().emit(unit);
            }
            if this.is_instance_valid() {
                this.signals().order_done().emit(unit, order());
            }
        }
        Some(EventKind::OrderFailed) => {
            let reason = event.failure().map_or("", UnreachableReason::name);
            signals.order_failed().emit(unit, order(), reason);
        }
        Some(EventKind::Blocked) => {
            let by = if event.a == EventRow::NONE { -1 } else { i64::from(event.a) };
            signals.blocked().emit(unit, by);
        }
        Some(EventKind::EditDone) => {
            signals.edit_done().emit(ticket, area.map_or(Rect2i::default(), rect2i));
        }
        Some(EventKind::EditWaits) => signals.edit_waits().emit(ticket, i64::from(event.a)),
        Some(EventKind::EditCancelled) => signals.edit_cancelled().emit(edit()),
        Some(EventKind::EditReplaced) => signals.edit_replaced().emit(edit(), i64::from(event.c)),
        // Others say only that a command has taken effect: `events()` has them.
        _ => {}
    }
}

/// The number of a ticket for scripts.
pub(crate) fn ticket_of(ticket: i64) -> Result<wheelbase_sim::Ticket, String> {
    integer::<u64>("ticket", ticket, "0 or more").map(wheelbase_sim::Ticket)
}
