//! Orders, tasks and placements as Python gives them, and what they are in Rust.
//!
//! An argument becomes a Rust value wherever such a value exists. So the world itself refuses a goal off the map or an
//! unknown class, by an event with the ticket.

use crate::error::argument;
use crate::value::{PyRect, Whole, cells, choice, fallback, goals, list_of, parts, pose, rect, shown, whole};
use pyo3::prelude::*;
use std::sync::Arc;
use wheelbase_planner::MovementTables;
use wheelbase_sim::{
    AgentId, AgentSelection, ClassId, IfUnreachable, Order, OrderKind, Spawn, TaskSource, Team, Trip,
    USUAL_SPEED_PERMILLE,
};

/// An order.
#[pyclass(frozen, skip_from_py_object, module = "wheelbase", name = "Order")]
#[derive(Clone)]
pub(crate) struct PyOrder(pub(crate) Order);

/// Where tasks come from.
#[pyclass(frozen, skip_from_py_object, module = "wheelbase", name = "TaskSource")]
#[derive(Clone)]
pub(crate) struct PyTaskSource(pub(crate) Arc<TaskSource>);

/// How headings are counted.
fn headings_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u8>> {
    given.map(|headings| whole(headings, "headings", "1, 4, 6 or 8")).transpose()
}

fn within_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    given.map_or(Ok(0), |within| whole(within, "within", "a number of cells"))
}

/// The goal of an order, and how its headings are counted.
struct TripOptions<'a, 'py> {
    within: Option<&'a Bound<'py, PyAny>>,
    fallback: &'a str,
    if_unreachable: &'a str,
    headings: Option<&'a Bound<'py, PyAny>>,
}

impl TripOptions<'_, '_> {
    fn trip(&self, goal: Option<&Bound<'_, PyAny>>) -> PyResult<(Trip, u8)> {
        let headings = headings_of(self.headings)?;
        let (members, counted) = goal.map_or(Ok((Vec::new(), 1)), |goal| goals(goal, headings, "goal"))?;
        let all = [("drop", IfUnreachable::Drop), ("wait", IfUnreachable::Wait)];
        let trip = Trip {
            within: within_of(self.within)?,
            fallback: fallback(self.fallback)?,
            if_unreachable: choice(self.if_unreachable, "if_unreachable", &all)?,
            ..Trip::to(members)
        };
        Ok((trip, headings.unwrap_or(counted)))
    }

    fn order(&self, goal: &Bound<'_, PyAny>, kind: fn(Trip) -> OrderKind) -> PyResult<PyOrder> {
        let (trip, headings) = self.trip(Some(goal))?;
        Ok(PyOrder(Order { headings, ..Order::new(kind(trip)) }))
    }
}

#[pymethods]
impl PyOrder {
    #[staticmethod]
    #[pyo3(signature = (goal, *, within = None, fallback = "fail", if_unreachable = "drop", headings = None))]
    fn goto(
        goal: &Bound<'_, PyAny>,
        within: Option<&Bound<'_, PyAny>>,
        fallback: &str,
        if_unreachable: &str,
        headings: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        TripOptions { within, fallback, if_unreachable, headings }.order(goal, OrderKind::Goto)
    }

    #[staticmethod]
    #[pyo3(signature = (goal, *, within = None, fallback = "fail", if_unreachable = "drop", headings = None))]
    fn goto_group(
        goal: &Bound<'_, PyAny>,
        within: Option<&Bound<'_, PyAny>>,
        fallback: &str,
        if_unreachable: &str,
        headings: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        TripOptions { within, fallback, if_unreachable, headings }
            .order(goal, |trip| OrderKind::GotoGroup(0, trip))
    }

    #[staticmethod]
    #[pyo3(signature = (goal, *, fallback = "fail", if_unreachable = "drop", headings = None))]
    fn goto_formation(
        goal: &Bound<'_, PyAny>,
        fallback: &str,
        if_unreachable: &str,
        headings: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        TripOptions { within: None, fallback, if_unreachable, headings }
            .order(goal, |trip| OrderKind::GotoGroup(0, Trip { formation: true, ..trip }))
    }

    #[staticmethod]
    #[pyo3(signature = (area, *, fallback = "fail", if_unreachable = "drop"))]
    fn goto_area(area: &Bound<'_, PyAny>, fallback: &str, if_unreachable: &str) -> PyResult<Self> {
        let options = TripOptions { within: None, fallback, if_unreachable, headings: None };
        Ok(Self(Order::new(OrderKind::GotoArea(rect(area, "area")?, options.trip(None)?.0))))
    }

    #[staticmethod]
    #[pyo3(signature = (waypoints, *, headings = None, dwell = Whole(0)))]
    fn patrol(
        waypoints: &Bound<'_, PyAny>,
        headings: Option<&Bound<'_, PyAny>>,
        dwell: Whole<u32>,
    ) -> PyResult<Self> {
        let options = TripOptions { within: None, fallback: "fail", if_unreachable: "drop", headings };
        Ok(Self(options.order(waypoints, OrderKind::Patrol)?.0.dwell(dwell.0)))
    }

    #[staticmethod]
    fn repeat(orders: Whole<u32>) -> Self {
        Self(Order::repeat(orders.0))
    }

    #[staticmethod]
    fn wait(ticks: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Order::wait(whole(ticks, "ticks", "a number of ticks")?)))
    }

    #[staticmethod]
    fn wait_in_place(ticks: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Order::wait(whole(ticks, "ticks", "a number of ticks")?).in_place()))
    }

    #[staticmethod]
    #[pyo3(signature = (source, *, stream = Whole(0)))]
    fn tasks(source: &Bound<'_, PyTaskSource>, stream: Whole<u32>) -> Self {
        Self(Order::new(OrderKind::Tasks(Arc::clone(&source.get().0), stream.0)))
    }

    #[staticmethod]
    fn stop() -> Self {
        Self(Order::new(OrderKind::Stop))
    }

    #[staticmethod]
    fn hold() -> Self {
        Self(Order::hold())
    }

    #[staticmethod]
    fn follow(leader: &Bound<'_, PyAny>, within: &Bound<'_, PyAny>) -> PyResult<Self> {
        let leader = whole(leader, "leader", "the id of an agent")?;
        Ok(Self(Order::follow(AgentId(leader), within_of(Some(within))?)))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    fn __repr__(&self) -> String {
        format!("<Order {}>", wheelbase_scenario::order_text::order_json(&self.0))
    }
}

#[pymethods]
impl PyTaskSource {
    #[staticmethod]
    fn random(area: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Arc::new(TaskSource::Random { area: rect(area, "area")? })))
    }

    #[staticmethod]
    #[pyo3(name = "list", signature = (lists, *, headings = None))]
    fn of_lists(lists: &Bound<'_, PyAny>, headings: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let headings = headings_of(headings)?;
        let (mut all, mut of_agent, mut most) = (Vec::new(), Vec::new(), 1);
        for (number, one) in parts(lists, "lists", "a list of goals for each agent")?.iter().enumerate() {
            let (members, counted) = goals(one, headings, &format!("lists[{number}]"))?;
            of_agent.push((all.len() as u32, members.len() as u32));
            all.extend(members);
            most = most.max(counted);
        }
        let (goals, of_agent) = (all.into(), of_agent.into());
        Ok(Self(Arc::new(TaskSource::List { goals, of_agent, headings: headings.unwrap_or(most) })))
    }

    #[staticmethod]
    fn round_robin(cells: &Bound<'_, PyAny>, team: Whole<u32>) -> PyResult<Self> {
        let cells = self::cells(cells, "cells")?.into();
        Ok(Self(Arc::new(TaskSource::RoundRobin { cells, team: team.0 })))
    }
}

/// One order or a list of them.
pub(crate) fn orders(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Arc<[Order]>> {
    if let Ok(order) = given.cast::<PyOrder>() {
        return Ok([order.get().0.clone()].into());
    }
    let one = |(number, order): (usize, &Bound<'_, PyAny>)| {
        let order = order
            .cast::<PyOrder>()
            .map_err(|_| argument(format!("`{name}[{number}]` is {}, expected an Order", shown(order))))?;
        Ok(order.get().0.clone())
    };
    parts(given, name, "an Order or a list of them")?.iter().enumerate().map(one).collect()
}

/// An agent to be placed.
#[pyclass(frozen, module = "wheelbase", name = "Spawn")]
pub(crate) struct PySpawn {
    class: Py<PyAny>,
    pose: Py<PyAny>,
    rest: Options,
}

/// What an agent has besides its class and its place.
pub(crate) struct Options {
    pub orders: Arc<[Order]>,
    pub priority: i32,
    pub team: Team,
    pub speed_factor: u16,
    /// Its index among the agents that share its tasks.
    pub number: u32,
}

impl Options {
    pub(crate) fn of(
        orders: Option<&Bound<'_, PyAny>>,
        priority: Whole<i32>,
        team: Option<&Bound<'_, PyAny>>,
        speed_factor: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            orders: orders.map_or(Ok([].into()), |orders| self::orders(orders, "orders"))?,
            priority: priority.0,
            team: team.map_or(Ok(Team(0)), |team| team_of(team, "team"))?,
            speed_factor: speed_factor
                .map_or(Ok(USUAL_SPEED_PERMILLE), |factor| permille(factor, "speed_factor"))?,
            number: 0,
        })
    }

    /// The agent of a class at a pose.
    pub(crate) fn spawn(
        &self,
        class: &Bound<'_, PyAny>,
        at: &Bound<'_, PyAny>,
        tables: &[MovementTables],
        name: &str,
    ) -> PyResult<Spawn> {
        let class = class_of(class, tables, &format!("{name}class_"))?;
        Ok(Spawn {
            priority: self.priority,
            team: self.team,
            speed_factor: self.speed_factor,
            number: self.number,
            orders: Arc::clone(&self.orders),
            ..Spawn::new(class, pose(at, headings(class, tables), &format!("{name}pose"))?)
        })
    }
}

impl PySpawn {
    pub(crate) fn resolve(&self, py: Python<'_>, tables: &[MovementTables], name: &str) -> PyResult<Spawn> {
        self.rest.spawn(self.class.bind(py), self.pose.bind(py), tables, name)
    }
}

#[pymethods]
impl PySpawn {
    #[new]
    #[pyo3(signature = (class_, pose, *, orders = None, priority = Whole(0), team = None, speed_factor = None, number = Whole(0)))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        class_: Py<PyAny>,
        pose: Py<PyAny>,
        orders: Option<&Bound<'_, PyAny>>,
        priority: Whole<i32>,
        team: Option<&Bound<'_, PyAny>>,
        speed_factor: Option<&Bound<'_, PyAny>>,
        number: Whole<u32>,
    ) -> PyResult<Self> {
        let rest = Options { number: number.0, ..Options::of(orders, priority, team, speed_factor)? };
        Ok(Self { class: class_, pose, rest })
    }
}

/// How many headings a class has. Any number for a class that the world lacks, because the world refuses it itself.
pub(crate) fn headings(class: ClassId, tables: &[MovementTables]) -> u8 {
    tables.get(usize::from(class.0)).map_or(u8::MAX, |tables| tables.class().headings())
}

/// A class of a world, by number or by name.
pub(crate) fn class_of(given: &Bound<'_, PyAny>, tables: &[MovementTables], name: &str) -> PyResult<ClassId> {
    let Ok(text) = given.extract::<String>() else {
        return whole(given, name, "the number or the name of a class").map(ClassId);
    };
    let known = || tables.iter().map(|tables| &tables.class().spec().name[..]);
    let found = known().position(|known| known == text);
    found.map(|number| ClassId(number as u8)).ok_or_else(|| {
        argument(format!(
            "`{name}` is \"{text}\", expected one of {}",
            known().collect::<Vec<_>>().join(", ")
        ))
    })
}

pub(crate) fn team_of(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Team> {
    whole(given, name, "a team of 0 to 31").map(Team)
}

pub(crate) fn permille(given: &Bound<'_, PyAny>, name: &str) -> PyResult<u16> {
    whole(given, name, "thousandths of 1 to 65535")
}

/// Agents: an id, a list of ids, or all in a [`PyRect`].
pub(crate) fn selection(given: &Bound<'_, PyAny>) -> PyResult<AgentSelection> {
    if let Ok(area) = given.cast::<PyRect>() {
        return Ok(AgentSelection::Area(area.get().area()));
    }
    if given.extract::<i64>().is_ok() {
        return whole(given, "agents", "the id of an agent").map(|agent| AgentSelection::One(AgentId(agent)));
    }
    let ids = list_of::<u32>(given, "agents", "the id of an agent")?;
    Ok(AgentSelection::Named(ids.into_iter().map(AgentId).collect()))
}
