//! Orders: what agents are told to do.

use crate::plain;
use crate::tasks::TaskSource;
use crate::trip::{IfUnreachable, Trip};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::{heading_from_name, heading_name};
use wheelbase_planner::search::Fallback;
use wheelbase_planner::{Goal, GoalMember, Heading, Pose};
use wheelbase_traffic::motion::AgentId;

/// An order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The action that it asks for.
    pub kind: OrderKind,
    /// Number of headings in which the headings of its members are counted: 1, 4, 6 or 8.
    pub headings: u8,
    /// Goals that it names by a heading that a class with this many headings lacks.
    pub lacked: Box<[LackedGoal]>,
}

/// A goal with a heading that the class lacks. It is not a member of the trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LackedGoal {
    /// Its index among all goals that the order names.
    pub number: u32,
    /// Its cell.
    pub cell: CellXY,
    /// Number of headings of the classes that have its heading, and the heading.
    pub heading: (u8, Heading),
}

impl LackedGoal {
    /// Name of its heading.
    pub fn heading_name(&self) -> &'static str {
        heading_name(self.heading.0, self.heading.1)
    }
}

/// What an order asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderKind {
    /// Go to the member of the goal that is cheapest to reach, or near enough to it where the goal has a radius. It is
    /// done at the tick after the agent has arrived. If no path leads there, one event says why. Then the order is
    /// dropped, or kept with `or_wait`; with `or_nearest` it leads to the nearest reachable pose.
    Goto(Trip),
    /// Go to the cheapest pose with its anchor in the area that no other agent stands on or is assigned. If there is
    /// none, it fails with `no_room`, and continues as for `goto`.
    ///
    /// The trip has no members.
    GotoArea(Rect, Trip),
    /// Go to a pose around the goal. Poses are assigned to all agents of the command together. If an agent has no path
    /// to its pose, only this agent fails, as for `goto`. In formation (`goto_formation`) the mean of the agents' cells
    /// goes to the goal. Each agent goes to its place around it, or to the nearest free pose. All move at the pace of
    /// the slowest: faster agents have lower speed factors until they arrive. They face the heading of the goal, if
    /// their class has it.
    ///
    /// The number identifies it across the lists of several classes; the world sets it when the order is given.
    GotoGroup(u32, Trip),
    /// Visit the waypoints in turn, forever: later orders never begin. If no path leads to a waypoint, it fails as for
    /// `goto`.
    Patrol(Trip),
    /// Stand for a number of ticks. Others may push the agent aside.
    Wait(u32),
    /// Do one task after another, forever. An event reports an unreachable task, and the next task begins.
    ///
    /// Random tasks are drawn from a stream of this number, a separate stream for each agent.
    Tasks(Arc<TaskSource>, u32),
    /// Drop all later orders and rest. Others may push the agent.
    Stop,
    /// Rest forever. Nobody pushes the agent, and searches treat it as an obstacle. An edit of its cells waits for it.
    Hold,
    /// Keep within a number of cells of an agent. Done when that agent is gone.
    Follow {
        /// The agent.
        #[serde(with = "plain")]
        leader: AgentId,
        /// The distance, as the radius of a goal.
        within: u32,
    },
    /// Stand in place for a number of ticks, as with [`OrderKind::Hold`]: nobody pushes the agent, and searches treat
    /// it as an obstacle. It leaves only the cells of a waiting edit.
    WaitInPlace(u32),
    /// Repeat this number of orders before it, forever. Each round is a new list, with new numbers.
    ///
    /// They are orders to go to a goal or an area, or to wait.
    Repeat(u32),
}

impl OrderKind {
    /// Names of all kinds.
    pub const NAMES: [&'static str; 12] = [
        "goto",
        "goto_area",
        "patrol",
        "wait",
        "task",
        "goto_group",
        "stop",
        "hold",
        "follow",
        "wait_in_place",
        "repeat",
        "goto_formation",
    ];

    /// Its index in [`OrderKind::NAMES`].
    pub fn number(&self) -> u8 {
        match self {
            Self::Goto(_) => 0,
            Self::GotoArea(..) => 1,
            Self::Patrol(_) => 2,
            Self::Wait(_) => 3,
            Self::Tasks(..) => 4,
            Self::GotoGroup(_, trip) if trip.formation => 11,
            Self::GotoGroup(..) => 5,
            Self::Stop => 6,
            Self::Hold => 7,
            Self::Follow { .. } => 8,
            Self::WaitInPlace(_) => 9,
            Self::Repeat(_) => 10,
        }
    }

    /// Name in scenarios and traces.
    pub fn name(&self) -> &'static str {
        Self::NAMES[usize::from(self.number())]
    }

    /// Whether the agent is assigned a pose, which it keeps until the order is closed.
    pub fn assigns_pose(&self) -> bool {
        self.area().is_some() || self.group().is_some()
    }

    /// The trip that the order itself names. Tasks and an order to follow have a trip of each agent's own
    /// ([`OrderPool::trip`](crate::OrderPool::trip)); others lead nowhere.
    pub fn trip(&self) -> Option<&Trip> {
        match self {
            Self::Goto(trip) | Self::GotoArea(_, trip) | Self::GotoGroup(_, trip) | Self::Patrol(trip) => {
                Some(trip)
            }
            _ => None,
        }
    }

    /// As [`OrderKind::trip`].
    fn trip_mut(&mut self) -> Option<&mut Trip> {
        match self {
            Self::Goto(trip) | Self::GotoArea(_, trip) | Self::GotoGroup(_, trip) | Self::Patrol(trip) => {
                Some(trip)
            }
            _ => None,
        }
    }

    /// The trip whose members are goals that the order names; that of an order to an area has none.
    fn named_goals(&mut self) -> Option<&mut Trip> {
        if self.area().is_some() { None } else { self.trip_mut() }
    }

    /// Whether its agent can bring it to an end. Orders after an endless order never begin, except after `follow`, once
    /// the leader is gone.
    pub fn has_end(&self) -> bool {
        !matches!(
            self,
            Self::Patrol(_) | Self::Tasks(..) | Self::Hold | Self::Follow { .. } | Self::Repeat(_)
        )
    }

    /// Whether an agent with it is on hold.
    pub(crate) fn holds(&self) -> bool {
        matches!(self, Self::Hold | Self::WaitInPlace(_))
    }

    /// Whether the hold of an agent ends by itself, given the number of the kind of its order.
    pub(crate) fn ends_hold(number: u8) -> bool {
        number == Self::WaitInPlace(0).number()
    }

    /// Ticks that an agent dwells: at each waypoint, or for the whole order.
    pub(crate) fn dwell_ticks(&self) -> Option<u32> {
        match self {
            Self::Wait(ticks) => Some(*ticks),
            Self::Patrol(trip) => Some(trip.dwell),
            _ => None,
        }
    }

    /// Whether it counts among the orders done or left: `stop` and `hold` do not.
    pub fn counts(&self) -> bool {
        !matches!(self, Self::Stop | Self::Hold | Self::Repeat(_))
    }

    /// Whether the log has it when it is given. Tasks enter the log one by one.
    pub(crate) fn is_logged(&self) -> bool {
        !matches!(self, Self::Tasks(..) | Self::Repeat(_))
    }

    /// Whether it can be repeated.
    pub(crate) fn can_repeat(&self) -> bool {
        self.has_end() && self.group().is_none()
    }

    /// The number of orders before it that it repeats.
    pub(crate) fn repeats(&self) -> Option<u32> {
        if let Self::Repeat(count) = *self { Some(count) } else { None }
    }

    /// The source of its tasks, and their stream.
    pub(crate) fn tasks(&self) -> Option<(&Arc<TaskSource>, u32)> {
        if let Self::Tasks(source, stream) = self { Some((source, *stream)) } else { None }
    }

    /// The agent that it follows, and the distance.
    pub(crate) fn leader(&self) -> Option<(AgentId, u32)> {
        if let Self::Follow { leader, within } = *self { Some((leader, within)) } else { None }
    }

    /// The area to which it leads.
    pub(crate) fn area(&self) -> Option<Rect> {
        if let Self::GotoArea(area, _) = *self { Some(area) } else { None }
    }

    /// Its number, if it is to a group.
    pub(crate) fn group(&self) -> Option<u32> {
        if let Self::GotoGroup(number, _) = *self { Some(number) } else { None }
    }

    /// Sets its number, if it is to a group.
    pub(crate) fn set_group(&mut self, new: u32) {
        if let Self::GotoGroup(number, _) = self {
            *number = new;
        }
    }

    /// Whether each member of its trip must be on the map.
    pub(crate) fn visits_all(&self) -> bool {
        matches!(self, Self::Patrol(_))
    }

    /// The current goal of its trip: one waypoint of a patrol, all members of any other.
    pub(crate) fn goal<'a>(&self, trip: &'a Trip, waypoint: u32) -> Goal<'a> {
        let mut members = &trip.members[..];
        if self.visits_all() {
            let waypoint = waypoint as usize % members.len().max(1);
            members = members.get(waypoint..=waypoint).unwrap_or(&[]);
        }
        Goal { members, within: trip.within }
    }
}

impl Order {
    /// An order that names no heading, for agents of all classes.
    pub fn new(kind: OrderKind) -> Self {
        Self { kind, headings: 1, lacked: Box::default() }
    }

    /// To a cell, in any heading; dropped if it cannot be reached.
    ///
    /// ```
    /// use wheelbase_grid::CellXY;
    /// use wheelbase_sim::{Order, OrderKind};
    /// let order = Order::goto(CellXY::new(4, 2));
    /// assert_eq!(order.kind.name(), "goto");
    /// ```
    pub fn goto(cell: CellXY) -> Self {
        Self::goto_any(vec![GoalMember::any(cell)], 0)
    }

    /// To the nearest of some cells, in any heading, or within a radius in cells of one of them.
    pub fn goto_any(members: Vec<GoalMember>, within: u32) -> Self {
        Self::new(OrderKind::Goto(Trip { within, ..Trip::to(members) }))
    }

    /// To a pose exactly, for classes with this many headings: 4, 6 or 8.
    pub fn goto_pose(pose: Pose, headings: u8) -> Self {
        let member = GoalMember { cell: pose.cell, heading: Some(pose.heading) };
        Self { headings, ..Self::goto_any(vec![member], 0) }
    }

    /// To a free pose in an area.
    pub fn goto_area(area: Rect) -> Self {
        Self::new(OrderKind::GotoArea(area, Trip::to(Vec::new())))
    }

    /// To poses around a cell, for all agents that get the order together.
    pub fn goto_group(cell: CellXY) -> Self {
        Self::new(OrderKind::GotoGroup(0, Trip::to(vec![GoalMember::any(cell)])))
    }

    /// In formation to poses around a cell, for all agents that get the order together. They face the heading of the
    /// pose, as counted by classes with this many headings: 4, 6 or 8.
    ///
    /// ```
    /// use wheelbase_sim::{AgentId, Command, Heading, Order, Pose};
    /// let north = Pose::new(30, 4, Heading(1));
    /// let command = Command::order(vec![AgentId(0), AgentId(1)], Order::goto_formation(north, 4).or_nearest());
    /// ```
    pub fn goto_formation(pose: Pose, headings: u8) -> Self {
        let member = GoalMember { cell: pose.cell, heading: Some(pose.heading) };
        let trip = Trip { formation: true, ..Trip::to(vec![member]) };
        Self { headings, ..Self::new(OrderKind::GotoGroup(0, trip)) }
    }

    /// To cells in turn, without end.
    pub fn patrol(waypoints: &[CellXY]) -> Self {
        let members = waypoints.iter().map(|&cell| GoalMember::any(cell)).collect();
        Self::new(OrderKind::Patrol(Trip::to(members)))
    }

    /// Do a number of orders before it in a list once more, without end.
    ///
    /// ```
    /// use wheelbase_sim::{AgentId, CellXY, Command, Order};
    /// let (mine, dock) = (CellXY::new(30, 4), CellXY::new(2, 4));
    /// let round = [Order::goto(mine), Order::wait(100), Order::goto(dock), Order::wait(50).in_place()];
    /// let command = Command::orders(AgentId(0), [&round[..], &[Order::repeat(4)]].concat());
    /// ```
    pub fn repeat(orders: u32) -> Self {
        Self::new(OrderKind::Repeat(orders))
    }

    /// Of an order to [`patrol`](Order::patrol), the same with a number of ticks to stand at each waypoint. Others are
    /// left as they are.
    #[must_use]
    pub fn dwell(mut self, ticks: u32) -> Self {
        if let OrderKind::Patrol(trip) = &mut self.kind {
            trip.dwell = ticks;
        }
        self
    }

    /// Stand for a number of ticks.
    pub fn wait(ticks: u32) -> Self {
        Self::new(OrderKind::Wait(ticks))
    }

    /// Of an order to [`wait`](Order::wait), the same without ever being pushed: at a dock, a pump, a deployment.
    /// Others are left as they are.
    ///
    /// A dock with a queue: trucks come to a yard, and are sent to the dock in the order in which they came there. Each
    /// stands for 60 ticks and drives home.
    /// ```
    /// use std::collections::VecDeque;
    /// use wheelbase_sim::grid::{Grid, SideTable, TerrainTable};
    /// use wheelbase_sim::planner::{ClassSpec, Heading, MovementClass, Primitive};
    /// use wheelbase_sim::*;
    ///
    /// let grid = Grid::from_rows(&["................"; 9], TerrainTable::movingai(), SideTable::default())?;
    /// let mut truck = ClassSpec::new("truck", 1);
    /// truck.primitives = Primitive::four_directions(2);
    /// let mut setup = Setup::cooperative(Settings::named("dock"), grid, vec![MovementClass::new(truck)?]);
    /// let (yard, dock) = (CellXY::new(8, 4), CellXY::new(15, 4));
    /// let homes: Vec<CellXY> = (0..6).map(|y| CellXY::new(0, y)).collect();
    /// for home in &homes {
    ///     let spawn = Spawn::new(ClassId(0), Pose { cell: *home, heading: Heading(0) });
    ///     setup.agents.push(spawn.with_orders([Order::goto_group(yard)]));
    /// }
    /// let mut world = World::new(setup)?;
    /// let (mut queue, mut is_free, mut served) = (VecDeque::new(), true, Vec::new());
    /// while world.counts().orders_done < 4 * 6 && world.tick() < 2_000 {
    ///     world.step();
    ///     for event in world.events().iter().filter(|event| event.kind() == Some(EventKind::OrderDone)) {
    ///         match OrderKind::NAMES[event.b as usize] {
    ///             "goto_group" => queue.push_back(event.agent),
    ///             "wait_in_place" => is_free = true,
    ///             _ => {}
    ///         }
    ///     }
    ///     if is_free && let Some(next) = queue.pop_front() {
    ///         let home = Order::goto(homes[next as usize]);
    ///         let orders = [Order::goto(dock), Order::wait(60).in_place(), home];
    ///         world.command(Command::orders(AgentId(next), orders));
    ///         is_free = false;
    ///         served.push(next);
    ///     }
    /// }
    /// assert_eq!((served.len(), world.counts().orders_done), (6, 4 * 6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_place(mut self) -> Self {
        if let OrderKind::Wait(ticks) = self.kind {
            self.kind = OrderKind::WaitInPlace(ticks);
        }
        self
    }

    /// Rest without end, pushed by nobody, an obstacle to all others.
    pub fn hold() -> Self {
        Self::new(OrderKind::Hold)
    }

    /// Keep within a number of cells of an agent; done when that is gone.
    pub fn follow(leader: AgentId, within: u32) -> Self {
        Self::new(OrderKind::Follow { leader, within })
    }

    /// The same, but where its goal cannot be reached the agent goes to the nearest pose that it can reach. Means
    /// nothing for orders that lead nowhere and for [`Order::follow`].
    ///
    /// ```
    /// use wheelbase_sim::{CellXY, Order, OrderKind};
    /// let order = Order::goto(CellXY::new(4, 2)).or_nearest().or_wait();
    /// assert!(matches!(order.kind, OrderKind::Goto(trip) if trip.within == 0));
    /// ```
    #[must_use]
    pub fn or_nearest(mut self) -> Self {
        if let Some(trip) = self.kind.trip_mut() {
            trip.fallback = Fallback::Nearest;
        }
        self
    }

    /// The same, but where its goal cannot be reached the order is kept and tried again after a change that could help.
    /// Means nothing for orders that lead nowhere and for [`Order::follow`].
    #[must_use]
    pub fn or_wait(mut self) -> Self {
        if let Some(trip) = self.kind.trip_mut() {
            trip.if_unreachable = IfUnreachable::Wait;
        }
        self
    }

    /// Whether an order asks for the same, whatever number it has as an order to a group. Tasks restart.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same = match (&self.kind, &other.kind) {
            (OrderKind::GotoGroup(_, trip), OrderKind::GotoGroup(_, of)) => trip == of,
            (OrderKind::Tasks(..), _) => false,
            (kind, of) => kind == of,
        };
        same && self.headings == other.headings && self.lacked == other.lacked
    }

    /// The same order for classes of another number of headings. Goals with a heading that these lack are no longer
    /// members of it. They stay known as [`Order::lacked`], so that nothing is lost on the way.
    #[must_use]
    pub fn for_headings(&self, headings: u8) -> Self {
        let mut order = self.clone();
        order.headings = headings;
        if headings == self.headings || self.names_no_heading() {
            return order;
        }
        let Some(trip) = order.kind.named_goals() else { return order };
        let named =
            |member: &GoalMember| (member.cell, member.heading.map(|heading| (self.headings, heading)));
        let (mut members, mut lacked) = (trip.members.iter().map(named), self.lacked.iter().peekable());
        let mut goals = Vec::with_capacity(trip.members.len() + self.lacked.len());
        loop {
            let number = goals.len() as u32;
            if let Some(goal) = lacked.next_if(|goal| goal.number == number) {
                goals.push((goal.cell, Some(goal.heading)));
                continue;
            }
            let Some(goal) = members.next() else {
                // A host may have given them any numbers.
                goals.extend(lacked.map(|goal| (goal.cell, Some(goal.heading))));
                break;
            };
            goals.push(goal);
        }
        let (mut members, mut lacked) = (Vec::with_capacity(goals.len()), Vec::new());
        for (number, (cell, heading)) in goals.into_iter().enumerate() {
            let Some((of, named)) = heading else {
                members.push(GoalMember::any(cell));
                continue;
            };
            match heading_from_name(headings, heading_name(of, named)) {
                Some(heading) => members.push(GoalMember { cell, heading: Some(heading) }),
                None if trip.formation => members.push(GoalMember::any(cell)),
                None => lacked.push(LackedGoal { number: number as u32, cell, heading: (of, named) }),
            }
        }
        trip.members = members;
        order.lacked = lacked.into();
        order
    }

    /// The same for a class with another number of headings that an agent takes while it has the order. A heading that
    /// the new class lacks means any.
    #[must_use]
    pub(crate) fn kept_for_headings(&self, headings: u8) -> Self {
        let mut order = self.for_headings(headings);
        let lacked = std::mem::take(&mut order.lacked);
        if let Some(trip) = order.kind.named_goals() {
            for goal in &lacked {
                let at = (goal.number as usize).min(trip.members.len());
                trip.members.insert(at, GoalMember::any(goal.cell));
            }
        }
        order
    }

    /// Whether it means the same for all numbers of headings.
    pub fn names_no_heading(&self) -> bool {
        // Orders that lead nowhere name no goal, whatever a host says that they lack.
        let names = |trip: &Trip| {
            !self.lacked.is_empty() || trip.members.iter().any(|member| member.heading.is_some())
        };
        !self.kind.trip().is_some_and(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goals without a heading of the class come back with a class that has it, in order, whatever numbers a host gave
    /// them.
    #[test]
    fn no_goal_is_lost_on_the_way_through_classes() {
        let (one, other) = (CellXY::new(1, 0), CellXY::new(2, 0));
        let north_east = heading_from_name(8, "NE").unwrap_or(Heading(0));
        for number in [0, 1, 7] {
            let mut order = Order::goto_any(vec![GoalMember::any(one)], 0);
            order.headings = 4;
            order.lacked = Box::new([LackedGoal { number, cell: other, heading: (8, north_east) }]);
            let of_eight = order.for_headings(8);
            let mut cells: Vec<CellXY> = of_eight
                .kind
                .trip()
                .map_or(Vec::new(), |trip| trip.members.iter().map(|goal| goal.cell).collect());
            cells.sort_unstable_by_key(|cell| cell.x);
            assert_eq!((cells, of_eight.lacked.len()), (vec![one, other], 0), "{number}");
            let again = of_eight.for_headings(4);
            assert_eq!(again.lacked.len(), 1, "{number}");
            let alone = Order { kind: Order::goto_any(Vec::new(), 0).kind, ..order.clone() };
            assert_eq!(alone.kept_for_headings(4).kind.trip().map(|trip| trip.members.len()), Some(1));
            assert_eq!(alone.for_headings(1).lacked.len(), 1, "{number}");
        }
    }
}
