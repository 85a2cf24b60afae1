//! The system parameter that gives commands.

use crate::command_queue::CommandQueue;
use crate::components::Unit;
use crate::player_command::OrderTicket;
use bevy_ecs::change_detection::ResMut;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::QueryFilter;
use bevy_ecs::system::{Commands, Query, SystemParam};
use wheelbase_sim::{
    AgentId, AgentSelection, CellXY, Change, ClassId, Command, MapEdit, Order, Pose, Rect, Spawn, Team,
    TerrainKind,
};

/// Gives commands. They take effect at the next tick, in the order in which they were given, on every machine the same.
/// A refusal is a [`UnitMessage::Refused`](crate::UnitMessage::Refused) with the ticket.
#[derive(SystemParam)]
pub struct Orders<'w, 's> {
    queue: ResMut<'w, CommandQueue>,
    commands: Commands<'w, 's>,
}

/// Names units: one or several ids, a query of [`Unit`], or all units in a rectangle of cells.
pub trait SelectUnits {
    /// The selection as commands carry it.
    fn selection(self) -> AgentSelection;
}

impl SelectUnits for Unit {
    fn selection(self) -> AgentSelection {
        self.0.into()
    }
}

impl SelectUnits for &Unit {
    fn selection(self) -> AgentSelection {
        self.0.into()
    }
}

impl SelectUnits for AgentId {
    fn selection(self) -> AgentSelection {
        self.into()
    }
}

impl SelectUnits for Rect {
    fn selection(self) -> AgentSelection {
        self.into()
    }
}

impl SelectUnits for Vec<AgentId> {
    fn selection(self) -> AgentSelection {
        self.into()
    }
}

impl<F: QueryFilter> SelectUnits for &Query<'_, '_, &Unit, F> {
    fn selection(self) -> AgentSelection {
        let mut units: Vec<AgentId> = self.iter().map(|unit| unit.0).collect();
        // The order of entities is arbitrary.
        units.sort_unstable();
        units.into()
    }
}

impl Orders<'_, '_> {
    /// Gives orders to units. The first order replaces their present ones; see [`OrderSeries::then`].
    pub fn of(&mut self, units: impl SelectUnits) -> OrderSeries<'_> {
        OrderSeries { queue: &mut self.queue, units: units.selection(), append: false, ticket: None }
    }

    /// Places a unit. Returns its entity, which can get components now; [`Unit`] comes with the next tick. A refusal
    /// despawns the entity.
    pub fn spawn(&mut self, class: ClassId, pose: Pose, team: Team) -> Entity {
        self.spawn_with(Spawn { team, ..Spawn::new(class, pose) })
    }

    /// As [`Orders::spawn`], with priority, speed and orders.
    pub fn spawn_with(&mut self, spawn: Spawn) -> Entity {
        let entity = self.commands.spawn_empty().id();
        self.queue.spawn(entity, spawn);
        entity
    }

    /// Removes units, and then their entities.
    pub fn remove(&mut self, units: impl SelectUnits) -> OrderTicket {
        self.give(Command::Remove(units.selection()))
    }

    /// Takes units off the map, into a container or, with `None`, into nothing. They keep their entities and orders,
    /// and have [`OffMap`](crate::OffMap) until they [leave](Orders::leave). The code that removes a container decides
    /// about the units inside.
    pub fn enter(&mut self, units: impl SelectUnits, container: impl Into<Option<AgentId>>) -> OrderTicket {
        let container = container.into().unwrap_or(AgentId::NOBODY);
        self.give(Command::Enter { agents: units.selection(), container })
    }

    /// Puts a unit that is off the map into the free pose nearest to a pose. It goes on with its orders. Without a free
    /// pose it stays off the map. [`Orders::give`] takes a `Leave` that insists on its pose.
    pub fn leave(&mut self, unit: AgentId, pose: Pose) -> OrderTicket {
        self.give(Command::leave(unit, pose))
    }

    /// Puts a kind of terrain on the cells of a rectangle. It waits until it disturbs no unit.
    pub fn build(&mut self, area: Rect, kind: TerrainKind) -> OrderTicket {
        self.edit(MapEdit::new(Change::Terrain { area, kind }))
    }

    /// Edits the map.
    pub fn edit(&mut self, edit: MapEdit) -> OrderTicket {
        self.give(Command::Edit(edit))
    }

    /// Withdraws an edit that still waits.
    pub fn cancel(&mut self, edit: OrderTicket) -> OrderTicket {
        self.queue.cancel(edit)
    }

    /// Gives any command.
    pub fn give(&mut self, command: Command) -> OrderTicket {
        self.queue.push(command)
    }
}

/// Orders to some units. Each method gives one.
pub struct OrderSeries<'a> {
    queue: &'a mut CommandQueue,
    units: AgentSelection,
    append: bool,
    ticket: Option<OrderTicket>,
}

impl OrderSeries<'_> {
    /// Has the next order come after the ones that the units have: the shift key.
    #[must_use]
    pub fn then(mut self) -> Self {
        self.append = true;
        self
    }

    /// Gives an order.
    pub fn order(mut self, order: Order) -> Self {
        // Nobody is selected: no command.
        if !matches!(&self.units, AgentSelection::Named(units) if units.is_empty()) {
            let command =
                Command::Order { agents: self.units.clone(), orders: [order].into(), append: self.append };
            self.ticket = Some(self.queue.push(command));
        }
        self
    }

    /// To a cell.
    pub fn goto(self, cell: CellXY) -> Self {
        self.order(Order::goto(cell))
    }

    /// To poses around a cell, shared out among the units.
    pub fn goto_group(self, cell: CellXY) -> Self {
        self.order(Order::goto_group(cell))
    }

    /// In formation to poses around a cell: the units keep their layout and the pace of the slowest. They face the
    /// heading of the pose, as counted by classes with this many headings.
    pub fn goto_formation(self, pose: Pose, headings: u8) -> Self {
        self.order(Order::goto_formation(pose, headings))
    }

    /// To free poses in a rectangle.
    pub fn goto_area(self, area: Rect) -> Self {
        self.order(Order::goto_area(area))
    }

    /// From cell to cell, without end.
    pub fn patrol(self, waypoints: &[CellXY]) -> Self {
        self.order(Order::patrol(waypoints))
    }

    /// Within a number of cells of a unit.
    pub fn follow(self, leader: AgentId, within: u32) -> Self {
        self.order(Order::follow(leader, within))
    }

    /// Drops all orders and rests; others may push the units.
    pub fn stop(self) -> Self {
        self.order(Order::new(wheelbase_sim::OrderKind::Stop))
    }

    /// Rests without end; nobody pushes the units.
    pub fn hold(self) -> Self {
        self.order(Order::hold())
    }

    /// The name of the last command; `None` if nobody is selected.
    pub fn ticket(self) -> Option<OrderTicket> {
        self.ticket
    }
}
