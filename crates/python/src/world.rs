//! Worlds: made, commanded, stepped, asked, saved and read.

use crate::buffer::{self, Ring, array_of};
use crate::class::{Class, covered};
use crate::error::{Kind, argument, busy, failure, of_load};
use crate::frame;
use crate::map::{Map, bytes, files, terrain_array};
use crate::order::{
    Options, PyOrder, PySpawn, PyTaskSource, class_of, headings, orders, permille, selection, team_of,
};
use crate::path::Answer;
use crate::pool::threads_of;
use crate::rule::{PathRequest, PyRule, agent_id, answer_of, deep_copy, path_answer, raised};
use crate::tables::{Tables, rows_of};
use crate::value::{Whole, cell, changes, choice, goals, list_of, parts, pose, rect, shown, whole};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::cell::Cell;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wheelbase_grid::Grid;
use wheelbase_planner::{Goal, MovementTables, Path as PlannedPath, Pose, Scratch};
use wheelbase_scenario::load::{Files, Overrides, load_world, load_world_of_bytes};
use wheelbase_scenario::recording::Recorder;
use wheelbase_sim::traffic::{OwnRule, RuleSetting, Traffic};
use wheelbase_sim::{
    Activity, AgentId, AgentRow, AtDeadline, ClassId, CollisionRule, Command, EventKind, EventRow, Friends,
    Host, IfNoRoom, MapEdit, Name, OnAgents, OrderKind, PathSource, RefusalReason, RunState, Settings, Setup,
    Spawn, SpawnGroup, Team, Threads, Ticket, UnreachableReason, World, make_own_rule, tune,
};

/// A world.
#[pyclass(frozen, module = "wheelbase", name = "World")]
pub(crate) struct PyWorld {
    host: Mutex<HostWorld>,
    /// Taken only while attached to Python, and for no longer than it takes to copy.
    rows: Mutex<Rows>,
}

/// The world, and what of it is in Python.
struct HostWorld {
    world: World,
    /// Its rule is written in Python: a step keeps the lock of the interpreter.
    rule_in_python: bool,
    planner: Option<Py<PyAny>>,
    recorder: Option<Recorder<BufWriter<File>>>,
    /// It has its setup still: no snapshot was loaded.
    is_new: bool,
}

/// What a world was made of.
pub(crate) struct WorldSetup {
    pub(crate) grid: Grid,
    pub(crate) tables: Vec<MovementTables>,
    pub(crate) settings: Settings,
    pub(crate) agents: Vec<Spawn>,
    pub(crate) commands: Vec<(u32, Command)>,
}

/// What Python reads between steps.
#[derive(Clone, Default)]
struct Rows {
    agents: Ring<AgentRow>,
    events: Ring<EventRow>,
    tick: u32,
}

/// An agent, and the column, row and heading that an order to a group would give it.
type GivenPose = (u32, Option<(i32, i32, u8)>);

/// The numbers of rows, by name: `Activity.idle` and the like.
pub(crate) fn names() -> [(&'static str, Vec<&'static str>); 5] {
    [
        ("ACTIVITIES", Activity::ALL.map(Activity::name).to_vec()),
        ("EVENTS", EventKind::ALL.map(EventKind::name).to_vec()),
        ("ORDERS", OrderKind::NAMES.to_vec()),
        ("REFUSALS", RefusalReason::ALL.map(RefusalReason::name).to_vec()),
        ("FAILURES", UnreachableReason::ALL.map(UnreachableReason::name).to_vec()),
    ]
}

fn no_agent(agent: AgentId) -> PyErr {
    failure(Kind::NotFound, format!("no agent of id {} is present", agent.0))
}

impl HostWorld {
    fn new(world: World) -> Self {
        Self { world, rule_in_python: false, planner: None, recorder: None, is_new: true }
    }

    /// Runs a tick.
    fn tick(&mut self, py: Python<'_>) -> PyResult<RunState> {
        if let Some(planner) = &self.planner {
            let requests: Vec<_> = self.world.path_requests().collect();
            for (agent, asked) in requests {
                let answer = answer_of(planner.bind(py), agent, &asked)?;
                self.world.command(answer);
            }
        }
        let world = &mut self.world;
        let stepped = if self.rule_in_python { world.try_step() } else { py.detach(|| world.try_step()) };
        let of_rule = raised();
        let run = stepped.map_err(|broken| failure(Kind::Broken, broken.to_string()))?;
        let tick = self.world.tick() - u32::from(run == RunState::Running);
        if let Some(recorder) = &mut self.recorder
            && let Err(error) = recorder.tick(&self.world, tick, run)
        {
            // What came before is a whole file of a run that was cut off.
            if let Some(recorder) = self.recorder.take() {
                recorder.finish_without_end()?;
            }
            return Err(error.into());
        }
        self.world.clear_log();
        of_rule.map(|()| run)
    }
}

impl PyWorld {
    fn new(host: HostWorld) -> Self {
        let world = Self { host: Mutex::new(host), rows: Mutex::default() };
        if let Ok(host) = world.host.try_lock() {
            world.publish(&host.world);
        }
        world
    }

    /// The world, unless another thread is in it, or a step has broken it.
    fn held(&self) -> PyResult<MutexGuard<'_, HostWorld>> {
        let host = self.host.try_lock().map_err(|_| busy("World"))?;
        match host.world.broken() {
            Some(broken) => Err(failure(Kind::Broken, broken.to_string())),
            None => Ok(host),
        }
    }

    /// What a world that has not stepped was made of: map, tables, settings, agents, and commands for later ticks.
    pub(crate) fn setup(&self, name: &str) -> PyResult<WorldSetup> {
        let host = self.held()?;
        let world = &host.world;
        if !host.is_new || world.tick() > 0 {
            return Err(argument(format!("`{name}` has stepped, or was loaded; expected a new World")));
        }
        Ok(WorldSetup {
            grid: world.grid().clone(),
            tables: world.tables().to_vec(),
            settings: world.settings().clone(),
            agents: world.setup_agents().to_vec(),
            commands: world.setup_commands().map(|(tick, command)| (tick, command.clone())).collect(),
        })
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies the rows to where Python reads them.
    fn publish(&self, world: &World) {
        let mut rows = self.rows();
        rows.agents.publish(world.agents());
        rows.events.publish(world.events());
        rows.tick = world.tick();
    }

    /// Gives a command; its ticket.
    fn give(
        &self,
        at: Option<&Bound<'_, PyAny>>,
        make: impl FnOnce(&World) -> PyResult<Command>,
    ) -> PyResult<u64> {
        let at = at.map(|at| whole(at, "at", "a tick")).transpose()?;
        let mut host = self.held()?;
        let command = make(&host.world)?;
        Ok(match at {
            None => host.world.command(command).0,
            Some(tick) => host.world.command_at(tick, command).0,
        })
    }
}

/// The tables of a class of a world.
fn tables_of<'w>(world: &'w World, class: &Bound<'_, PyAny>) -> PyResult<&'w MovementTables> {
    let number = usize::from(class_of(class, world.tables(), "class_")?.0);
    world.tables().get(number).ok_or_else(|| {
        failure(Kind::NotFound, format!("class {number}: the world has {} classes", world.tables().len()))
    })
}

/// The tables of classes on a map, with components: compiled where they are not yet.
pub(crate) fn compiled(
    py: Python<'_>,
    classes: &Bound<'_, PyAny>,
    grid: &Grid,
) -> PyResult<Vec<MovementTables>> {
    let mut tables = Vec::new();
    for (number, one) in parts(classes, "classes", "a list of Class or Tables")?.iter().enumerate() {
        if let Ok(compiled) = one.cast::<Tables>() {
            let compiled = compiled.get().read()?;
            compiled.check_map(grid)?;
            let mut own = compiled.tables.clone();
            if !own.components().are_known() {
                own.make_components();
            }
            tables.push(own);
        } else if let Ok(class) = one.cast::<Class>() {
            let (class, grid) = (class.get().on(grid)?, grid);
            tables.push(py.detach(|| {
                let mut own = MovementTables::compile(grid, class);
                own.make_components();
                own
            }));
        } else {
            let found = shown(one);
            return Err(argument(format!("`classes[{number}]` is {found}, expected a Class or Tables")));
        }
    }
    Ok(tables)
}

/// A planner, or nothing.
fn planner_of(planner: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    if let Some(planner) = planner
        && !planner.hasattr("plan")?
    {
        return Err(argument(format!("`planner` is {}, expected a Planner", shown(planner))));
    }
    Ok(planner.map(|planner| planner.clone().unbind()))
}

/// A rule by its name, or one of Python.
fn rule_of(rule: &Bound<'_, PyAny>, setting: RuleSetting<'_>) -> PyResult<(Box<dyn Traffic>, bool)> {
    let Ok(name) = rule.extract::<String>() else {
        return Ok((Box::new(PyRule::new(rule)?), true));
    };
    let own = choice(&name, "rule", &OwnRule::ALL.map(|rule| (rule.name(), rule)))?;
    let made = own.make(setting).ok_or_else(|| {
        argument(format!("the rule {name} does not support these classes or the collision rule"))
    })?;
    Ok((made, false))
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (
        map, classes, agents = None, *, name = "world", seed = Whole(0), ticks = None, collision = "swept", rule = None,
        planner = None, friends = None, expansions_per_tick = None, search_slots = None,
        poses_per_agent = None, tries_per_tick = None, landmarks = None, eased = None, tunables = None, threads = Whole(1)
    ))]
    #[allow(clippy::too_many_arguments)]
    fn of_parts(
        py: Python<'_>,
        map: &Bound<'_, Map>,
        classes: &Bound<'_, PyAny>,
        agents: Option<&Bound<'_, PyAny>>,
        name: &str,
        seed: Whole<u64>,
        ticks: Option<Whole<u32>>,
        collision: &str,
        rule: Option<&Bound<'_, PyAny>>,
        planner: Option<&Bound<'_, PyAny>>,
        friends: Option<&Bound<'_, PyAny>>,
        expansions_per_tick: Option<Whole<u64>>,
        search_slots: Option<Whole<usize>>,
        poses_per_agent: Option<Whole<u32>>,
        tries_per_tick: Option<Whole<u64>>,
        landmarks: Option<Whole<usize>>,
        eased: Option<&Bound<'_, PyAny>>,
        tunables: Option<&Bound<'_, PyDict>>,
        threads: Whole<u32>,
    ) -> PyResult<Self> {
        let grid = map.get().grid()?.clone();
        let usual = Settings::named(name);
        let rules = [("swept", CollisionRule::Swept), ("discrete", CollisionRule::Discrete)];
        let mut settings = Settings {
            seed: seed.0,
            collision: choice(collision, "collision", &rules)?,
            ticks: ticks.map_or(Settings::ENDLESS, |ticks| ticks.0),
            expansions_per_tick: expansions_per_tick.map_or(usual.expansions_per_tick, |given| given.0),
            search_slots: search_slots.map_or(usual.search_slots, |given| given.0),
            poses_per_agent: poses_per_agent.map_or(usual.poses_per_agent, |given| given.0),
            tries_per_tick: tries_per_tick.map_or(usual.tries_per_tick, |given| given.0),
            ..usual
        };
        for (key, value) in tunables.into_iter().flatten() {
            let key: String = key.extract().map_err(|_| argument("`tunables` has a key that is no str"))?;
            let value = whole(&value, &format!("tunables[\"{key}\"]"), "a number of 32 bits")?;
            let Settings { traffic, replan, .. } = &mut settings;
            tune(traffic, replan, &key, value).map_err(|error| argument(format!("`tunables`: {error}")))?;
        }
        let tables = compiled(py, classes, &grid)?;
        let mut placed = Vec::new();
        let given = agents.map_or(Ok(Vec::new()), |agents| parts(agents, "agents", "a list of Spawn"))?;
        for (number, one) in given.iter().enumerate() {
            let spawn = one
                .cast::<PySpawn>()
                .map_err(|_| argument(format!("`agents[{number}]` is {}, expected a Spawn", shown(one))))?;
            placed.push(spawn.get().resolve(py, &tables, &format!("agents[{number}]."))?);
        }
        let mut friendly = Friends::default();
        let given = friends.map_or(Ok(Vec::new()), |friends| parts(friends, "friends", "pairs of teams"))?;
        for (number, pair) in given.iter().enumerate() {
            let expected = "a pair of teams of 0 to 31";
            let wrong = || argument(format!("`friends[{number}]` is {}, expected {expected}", shown(pair)));
            let (one, other) = pair.extract::<(u8, u8)>().map_err(|_| wrong())?;
            if !(Team(one).is_known() && Team(other).is_known()) {
                return Err(wrong());
            }
            friendly.befriend(Team(one), Team(other));
        }
        let eased = eased.map_or(Ok(Vec::new()), |eased| changes(eased, &grid, "eased"))?;
        let setting = RuleSetting {
            tables: &tables,
            size: grid.size(),
            collision: settings.collision,
            n_agents: placed.len(),
            seed: seed.0,
            params: settings.traffic,
        };
        let (traffic, rule_in_python) = match rule {
            Some(rule) => rule_of(rule, setting)?,
            None => {
                let made = OwnRule::Cooperative.make(setting);
                (made.ok_or_else(|| argument("the rule does not support these classes"))?, false)
            }
        };
        let planner = planner_of(planner)?;
        let setup = Setup {
            agents: placed,
            friends: friendly,
            threads: if rule_in_python { Threads::Caller } else { threads_of(threads.0)? },
            paths: if planner.is_some() { PathSource::Host } else { PathSource::Planner },
            landmarks: landmarks.map(|landmarks| landmarks.0),
            eased,
            ..Setup::with_rule(settings, grid, tables, traffic)
        };
        let made = if rule_in_python { World::new(setup) } else { py.detach(|| World::new(setup)) };
        raised()?;
        let world = made.map_err(|errors| argument(errors.to_string()))?;
        Ok(Self::new(HostWorld { rule_in_python, planner, ..HostWorld::new(world) }))
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, seed = None, ticks = None, threads = Whole(1)))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        seed: Option<Whole<u64>>,
        ticks: Option<Whole<u32>>,
        threads: Whole<u32>,
    ) -> PyResult<Self> {
        let threads = threads_of(threads.0)?;
        let (seed, ticks) = (seed.map(|seed| seed.0), ticks.map(|ticks| ticks.0));
        let overrides = Overrides { seed, ticks, ..Overrides::default() };
        let mut world = py.detach(|| load_world(&path, overrides)).map_err(|error| of_load(&error))?;
        world.set_threads(threads);
        Ok(Self::new(HostWorld::new(world)))
    }

    #[staticmethod]
    #[pyo3(signature = (name, text, files = None, *, seed = None, ticks = None, threads = Whole(1)))]
    fn parse(
        py: Python<'_>,
        name: &str,
        text: &Bound<'_, PyAny>,
        files: Option<&Bound<'_, PyDict>>,
        seed: Option<Whole<u64>>,
        ticks: Option<Whole<u32>>,
        threads: Whole<u32>,
    ) -> PyResult<Self> {
        let threads = threads_of(threads.0)?;
        let (text, files) = (bytes(text, "text")?, self::files(files)?);
        let (seed, ticks) = (seed.map(|seed| seed.0), ticks.map(|ticks| ticks.0));
        let overrides = Overrides { seed, ticks, ..Overrides::default() };
        let load = || load_world_of_bytes(Path::new(name), &text, Files::Memory(&files), overrides);
        let mut world = py.detach(load).map_err(|error| of_load(&error))?.world;
        world.set_threads(threads);
        Ok(Self::new(HostWorld::new(world)))
    }

    #[staticmethod]
    #[pyo3(signature = (saved, *, rules = None, planner = None, threads = Whole(1)))]
    fn load(
        py: Python<'_>,
        saved: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
        planner: Option<&Bound<'_, PyAny>>,
        threads: Whole<u32>,
    ) -> PyResult<Self> {
        let (saved, threads) = (bytes(saved, "saved")?, threads_of(threads.0)?);
        let rule_in_python = Cell::new(false);
        let make = |name: &str, setting: RuleSetting<'_>| -> Option<Box<dyn Traffic>> {
            if let Some(own) = make_own_rule(name, setting) {
                return Some(own);
            }
            let factory = rules?.get_item(name).ok().flatten()?;
            let made = factory.call0().and_then(|rule| PyRule::new(&rule));
            rule_in_python.set(true);
            // The error of an unknown rule says no more than its name.
            made.map(|rule| Box::new(rule) as Box<dyn Traffic>).map_err(|error| error.display(py)).ok()
        };
        let loaded = if rules.is_some() {
            World::load(&saved, Host { traffic: &make, ..Host::default() })
        } else {
            py.detach(|| World::load(&saved, Host::default()))
        };
        raised()?;
        let mut world = loaded.map_err(|error| match error {
            wheelbase_sim::LoadError::Memory(_) => failure(Kind::Limit, format!("`saved`: {error}")),
            _ => failure(Kind::Text, format!("`saved`: {error}")),
        })?;
        let rule_in_python = rule_in_python.get();
        if !rule_in_python {
            world.set_threads(threads);
        }
        let planner = planner_of(planner)?;
        Ok(Self::new(HostWorld { rule_in_python, planner, is_new: false, ..HostWorld::new(world) }))
    }

    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let host = self.held()?;
        let world = &host.world;
        let saved = if host.rule_in_python { world.save() } else { py.detach(|| world.save()) };
        raised()?;
        let saved = saved.map_err(|error| failure(Kind::Limit, error.to_string()))?;
        Ok(PyBytes::new(py, &saved))
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let host = self.held()?;
        let copy = host.world.clone();
        raised()?;
        let planner = host.planner.as_ref().map(|planner| deep_copy(planner.bind(py))).transpose()?;
        let (rule_in_python, is_new) = (host.rule_in_python, host.is_new);
        Ok(Self::new(HostWorld { rule_in_python, planner, is_new, ..HostWorld::new(copy) }))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    fn copy_from(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<()> {
        if std::ptr::eq(self, other.get()) {
            return self.held().map(|_| ());
        }
        let (mut host, from) = (self.held()?, other.get().held()?);
        let planner = from.planner.as_ref().map(|planner| deep_copy(planner.bind(py))).transpose()?;
        host.recorder = None;
        host.world.clone_from(&from.world);
        host.world.clear_log();
        (host.rule_in_python, host.planner, host.is_new) = (from.rule_in_python, planner, from.is_new);
        self.publish(&host.world);
        raised()
    }

    #[pyo3(signature = (ticks = Whole(1)))]
    fn step(&self, py: Python<'_>, ticks: Whole<u32>) -> PyResult<bool> {
        let mut host = self.held()?;
        let mut run = Ok(RunState::Running);
        for _ in 0..ticks.0 {
            run = host.tick(py);
            if !matches!(run, Ok(RunState::Running)) {
                break;
            }
            if let Err(error) = py.check_signals() {
                run = Err(error);
                break;
            }
        }
        self.publish(&host.world);
        Ok(run? == RunState::Running)
    }

    /// Arrays over the rows of the last step, without a copy.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows().agents.current();
        array_of(py, &rows, &[rows.len()])
    }

    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows().events.current();
        array_of(py, &rows, &[rows.len()])
    }

    /// What an event of the last step says beyond its row.
    fn event_details<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        let host = self.held()?;
        let n_events = host.world.events().len();
        if index >= n_events {
            return Err(failure(Kind::NotFound, format!("event {index} of {n_events}")));
        }
        let details = host.world.event_details(index);
        let all = PyDict::new(py);
        all.set_item("ticket", details.ticket.map(|ticket| ticket.0))?;
        all.set_item("reached", details.reached.map(|reached| reached.name()))?;
        all.set_item("blocker", details.blocker.map(|agent| agent.0))?;
        all.set_item("area", details.area.map(|area| (area.x, area.y, area.width, area.height)))?;
        all.set_item("class", details.class.map(|class| class.0))?;
        all.set_item("team", details.team.map(|team| team.0))?;
        all.set_item("pose", details.pose.map(|pose| (pose.cell.x, pose.cell.y, pose.heading.0)))?;
        all.set_item("agents", details.agents.iter().map(|agent| agent.0).collect::<Vec<u32>>())?;
        Ok(all)
    }

    #[getter]
    fn tick(&self) -> u32 {
        self.rows().tick
    }

    fn hash(&self, py: Python<'_>) -> PyResult<u64> {
        let host = self.held()?;
        let world = &host.world;
        Ok(py.detach(|| world.state_hash()))
    }

    #[getter]
    fn nothing_left(&self) -> PyResult<bool> {
        Ok(self.held()?.world.nothing_left())
    }

    fn set_threads(&self, threads: Whole<u32>) -> PyResult<()> {
        let threads = threads_of(threads.0)?;
        let mut host = self.held()?;
        if !host.rule_in_python {
            host.world.set_threads(threads);
        }
        Ok(())
    }

    fn set_ticks(&self, ticks: Option<Whole<u32>>) -> PyResult<()> {
        self.held()?.world.set_ticks(ticks.map_or(Settings::ENDLESS, |ticks| ticks.0));
        Ok(())
    }

    fn check_invariants(&self) -> PyResult<()> {
        self.held()?.world.check_invariants();
        Ok(())
    }

    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let host = self.held()?;
        let counts = host.world.counts();
        let (all, failures) = (PyDict::new(py), PyDict::new(py));
        for (reason, n) in counts.unreachable_reasons.iter() {
            failures.set_item(reason.name(), n)?;
        }
        all.set_item("unreachable_reasons", failures)?;
        all.set_item("edits_pending", host.world.edits_pending())?;
        all.set_item("collisions", counts.collisions)?;
        macro_rules! numbers {
            ($($name:ident),*) => { $(all.set_item(stringify!($name), counts.$name)?;)* };
        }
        numbers!(
            placed,
            removed,
            not_placed,
            commands_refused,
            orders_done,
            orders_unreachable,
            tasks_done,
            longest_task_ticks,
            moves,
            moves_refused,
            moves_overlapping,
            flowtime,
            trips,
            trip_ticks,
            bound_ticks,
            longest_trip_ticks,
            moving,
            waiting,
            wait_ticks,
            longest_wait_ticks,
            path_requests,
            longest_request_ticks,
            expansions
        );
        Ok(all)
    }

    // Commands.

    #[pyo3(signature = (
        class_, pose, *, orders = None, priority = Whole(0), team = None, speed_factor = None, number = Whole(0), at = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn spawn(
        &self,
        class_: &Bound<'_, PyAny>,
        pose: &Bound<'_, PyAny>,
        orders: Option<&Bound<'_, PyAny>>,
        priority: Whole<i32>,
        team: Option<&Bound<'_, PyAny>>,
        speed_factor: Option<&Bound<'_, PyAny>>,
        number: Whole<u32>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let options = Options { number: number.0, ..Options::of(orders, priority, team, speed_factor)? };
        self.give(at, |world| options.spawn(class_, pose, world.tables(), "").map(Command::Spawn))
    }

    #[pyo3(signature = (
        class_, count, area, *, orders = None, priority = Whole(0), team = None, speed_factor = None,
        anywhere = false, if_no_room = "drop", at = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn spawn_group(
        &self,
        class_: &Bound<'_, PyAny>,
        count: Whole<u32>,
        area: &Bound<'_, PyAny>,
        orders: Option<&Bound<'_, PyAny>>,
        priority: Whole<i32>,
        team: Option<&Bound<'_, PyAny>>,
        speed_factor: Option<&Bound<'_, PyAny>>,
        anywhere: bool,
        if_no_room: &str,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let all = [("drop", IfNoRoom::Drop), ("wait", IfNoRoom::Wait { placed: 0 })];
        let if_no_room = choice(if_no_room, "if_no_room", &all)?;
        let Options { orders, priority, team, speed_factor, .. } =
            Options::of(orders, priority, team, speed_factor)?;
        let area = rect(area, "area")?;
        self.give(at, |world| {
            let class = class_of(class_, world.tables(), "class_")?;
            Ok(Command::SpawnGroup(SpawnGroup {
                class,
                count: count.0,
                area,
                priority,
                team,
                orders,
                speed_factor,
                anywhere,
                if_no_room,
            }))
        })
    }

    #[pyo3(signature = (agents, *, at = None))]
    fn remove(&self, agents: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        self.give(at, |_| Ok(Command::Remove(selection(agents)?)))
    }

    #[pyo3(signature = (agents, orders, *, append = false, at = None))]
    fn order(
        &self,
        agents: &Bound<'_, PyAny>,
        orders: &Bound<'_, PyAny>,
        append: bool,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let (agents, orders) = (selection(agents)?, self::orders(orders, "orders")?);
        self.give(at, |_| Ok(Command::Order { agents, orders, append }))
    }

    #[pyo3(signature = (agents, *, at = None))]
    fn stop(&self, agents: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        self.give(at, |_| Ok(Command::stop(selection(agents)?)))
    }

    #[pyo3(signature = (agents, *, at = None))]
    fn hold(&self, agents: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        self.give(at, |_| Ok(Command::hold(selection(agents)?)))
    }

    #[pyo3(signature = (agents, source, *, stream = Whole(0), at = None))]
    fn tasks(
        &self,
        agents: &Bound<'_, PyAny>,
        source: &Bound<'_, PyTaskSource>,
        stream: Whole<u32>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let source = Arc::clone(&source.get().0);
        self.give(at, |_| Ok(Command::Tasks { agents: selection(agents)?, source, stream: stream.0 }))
    }

    #[pyo3(signature = (agents, priority, *, at = None))]
    fn set_priority(
        &self,
        agents: &Bound<'_, PyAny>,
        priority: Whole<i32>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        self.give(at, |_| Ok(Command::Priority { agents: selection(agents)?, priority: priority.0 }))
    }

    #[pyo3(signature = (agent, class_, pose = None, *, at = None))]
    fn set_class(
        &self,
        agent: &Bound<'_, PyAny>,
        class_: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let agent = agent_id(agent)?;
        self.give(at, |world| {
            let class = class_of(class_, world.tables(), "class_")?;
            let count = headings(class, world.tables());
            let pose = pose.map(|pose| self::pose(pose, count, "pose")).transpose()?;
            Ok(Command::Class { agent, class, pose })
        })
    }

    #[pyo3(signature = (agents, team, *, at = None))]
    fn set_team(
        &self,
        agents: &Bound<'_, PyAny>,
        team: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        self.give(at, |_| Ok(Command::Team { agents: selection(agents)?, team: team_of(team, "team")? }))
    }

    #[pyo3(signature = (agents, factor, *, at = None))]
    fn set_speed_factor(
        &self,
        agents: &Bound<'_, PyAny>,
        factor: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let permille = permille(factor, "factor")?;
        self.give(at, |_| Ok(Command::SpeedFactor { agents: selection(agents)?, permille }))
    }

    #[pyo3(signature = (agents, container = None, *, at = None))]
    fn enter(
        &self,
        agents: &Bound<'_, PyAny>,
        container: Option<&Bound<'_, PyAny>>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let container = container.map(agent_id).transpose()?.unwrap_or(AgentId::NOBODY);
        self.give(at, |_| Ok(Command::enter(selection(agents)?, container)))
    }

    #[pyo3(signature = (agent, pose, *, or_nearest = true, at = None))]
    fn leave(
        &self,
        agent: &Bound<'_, PyAny>,
        pose: &Bound<'_, PyAny>,
        or_nearest: bool,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let agent = agent_id(agent)?;
        self.give(at, |world| {
            let class = world.off_map().find(|of| of.id == agent).map(|of| of.class);
            let class = class.or_else(|| world.agent(agent).map(|row| ClassId(row.class)));
            let count = class.map_or(8, |class| headings(class, world.tables()));
            Ok(Command::Leave { agent, pose: self::pose(pose, count, "pose")?, or_nearest })
        })
    }

    #[pyo3(signature = (changes, *, on_agents = "wait", deadline = None, at = None))]
    fn edit(
        &self,
        changes: &Bound<'_, PyAny>,
        on_agents: &str,
        deadline: Option<Whole<u32>>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let all = [
            ("wait", (OnAgents::Wait, None)),
            ("strand", (OnAgents::Strand, None)),
            ("remove", (OnAgents::Remove, None)),
            ("wait_strand", (OnAgents::Wait, Some(AtDeadline::Strand))),
            ("wait_remove", (OnAgents::Wait, Some(AtDeadline::Remove))),
        ];
        let on_agents = match (choice(on_agents, "on_agents", &all)?, deadline) {
            ((on_agents, None), None) => on_agents,
            ((_, Some(then)), Some(deadline)) => OnAgents::WaitUntil { deadline: deadline.0, then },
            ((_, Some(_)), None) => {
                return Err(argument(format!("`on_agents` is \"{on_agents}\": `deadline` is missing")));
            }
            ((_, None), Some(_)) => {
                return Err(argument(format!(
                    "`deadline` is of no use where `on_agents` is \"{on_agents}\", expected \"wait_strand\" or \
                     \"wait_remove\""
                )));
            }
        };
        self.give(at, |world| {
            let changes = self::changes(changes, world.grid(), "changes")?.into();
            Ok(Command::Edit(MapEdit { changes, on_agents }))
        })
    }

    #[pyo3(signature = (edit, *, at = None))]
    fn cancel_edit(&self, edit: Whole<u64>, at: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        self.give(at, |_| Ok(Command::CancelEdit(Ticket(edit.0))))
    }

    #[pyo3(signature = (agents, primitives, *, at = None))]
    fn decide(
        &self,
        agents: &Bound<'_, PyAny>,
        primitives: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let agents = list_of::<u32>(agents, "agents", "the id of an agent")?;
        let primitives = list_of::<u8>(primitives, "primitives", "the number of a primitive")?;
        if agents.len() != primitives.len() {
            let (n, m) = (primitives.len(), agents.len());
            return Err(argument(format!("`primitives` has {n} values, expected {m}, as `agents` has")));
        }
        let all = agents.into_iter().map(AgentId).zip(primitives);
        self.give(at, |_| Ok(Command::Decisions(all.collect())))
    }

    #[pyo3(signature = (agent, moves, *, at = None))]
    fn answer_path(
        &self,
        agent: &Bound<'_, PyAny>,
        moves: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let answer = path_answer(agent_id(agent)?, moves, "moves")?;
        self.give(at, |_| Ok(answer))
    }

    // Questions.

    fn agent_at(&self, cell: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let cell = self::cell(cell, "cell")?;
        Ok(self.held()?.world.agent_at(cell).map(|agent| agent.0))
    }

    fn agents_in<'py>(&self, py: Python<'py>, area: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.held()?.world.agents_in(rect(area, "area")?);
        buffer::list(py, found.into_iter().map(|agent| agent.0).collect())
    }

    #[pyo3(signature = (container = None))]
    fn off_map<'py>(
        &self,
        py: Python<'py>,
        container: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let container = container.map(agent_id).transpose()?;
        let host = self.held()?;
        let off_map = host.world.off_map().filter(|of| container.is_none_or(|agent| of.container == agent));
        buffer::list(py, off_map.map(|of| of.id.0).collect())
    }

    /// Why an agent cannot be placed; `None` if it can.
    fn why_not_place(
        &self,
        class_: &Bound<'_, PyAny>,
        pose: &Bound<'_, PyAny>,
    ) -> PyResult<Option<&'static str>> {
        let host = self.held()?;
        let class = class_of(class_, host.world.tables(), "class_")?;
        let pose = self::pose(pose, headings(class, host.world.tables()), "pose")?;
        Ok(host.world.can_place(class, pose).err().map(RefusalReason::name))
    }

    fn can_place(&self, class_: &Bound<'_, PyAny>, pose: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.why_not_place(class_, pose)?.is_none())
    }

    fn would_disturb<'py>(&self, py: Python<'py>, changes: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let host = self.held()?;
        let changes = self::changes(changes, host.world.grid(), "changes")?;
        let found = host.world.would_disturb(&changes);
        let found = found.map_err(|reason| argument(format!("`changes`: {reason}")))?;
        buffer::list(py, found.into_iter().map(|agent| agent.0).collect())
    }

    /// The poses that an order to a group would give, by agent; `None` without room or a way.
    fn group_poses(
        &self,
        py: Python<'_>,
        agents: &Bound<'_, PyAny>,
        order: &Bound<'_, PyOrder>,
    ) -> PyResult<Vec<GivenPose>> {
        let agents: Vec<AgentId> =
            list_of::<u32>(agents, "agents", "the id of an agent")?.into_iter().map(AgentId).collect();
        let host = self.held()?;
        let (world, order) = (&host.world, &order.get().0);
        let found = py.detach(|| world.group_poses(&agents, order));
        let given = |pose: Pose| (pose.cell.x, pose.cell.y, pose.heading.0);
        Ok(found.into_iter().map(|(agent, pose)| (agent.0, pose.map(given))).collect())
    }

    #[pyo3(signature = (agent, goal, *, within = None))]
    fn plan(
        &self,
        py: Python<'_>,
        agent: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        within: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Answer> {
        let agent = agent_id(agent)?;
        let host = self.held()?;
        let world = &host.world;
        let row = world.agent(agent).ok_or_else(|| no_agent(agent))?;
        let count = headings(ClassId(row.class), world.tables());
        let members = goals(goal, Some(count), "goal")?.0;
        let within = within.map_or(Ok(0), |within| whole(within, "within", "a number of cells"))?;
        let (mut scratch, mut path) = (Scratch::new(), PlannedPath::new());
        let goal = Goal { members: &members, within };
        let found = py.detach(|| world.plan(agent, goal, &mut scratch, &mut path));
        Ok(Answer::new(found.ok_or_else(|| no_agent(agent))?, &path, None))
    }

    /// Where an agent can get within some ticks.
    fn reach<'py>(
        &self,
        py: Python<'py>,
        agent: &Bound<'_, PyAny>,
        ticks: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (agent, ticks) = (agent_id(agent)?, whole(ticks, "ticks", "a number of ticks")?);
        let host = self.held()?;
        let world = &host.world;
        let found = py.detach(|| world.reach(agent, ticks)).ok_or_else(|| no_agent(agent))?;
        buffer::list(py, rows_of(found.within(ticks)))
    }

    /// The rest of the path of an agent.
    fn path<'py>(&self, py: Python<'py>, agent: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let agent = agent_id(agent)?;
        let mut path = PlannedPath::new();
        if !self.held()?.world.path_of(agent, &mut path) {
            return Err(no_agent(agent));
        }
        buffer::list(py, rows_of(path.poses.iter().map(|pose| (pose.pose, pose.arrival))))
    }

    fn reason_for_waiting<'py>(
        &self,
        py: Python<'py>,
        agent: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let agent = agent_id(agent)?;
        let named = self.held()?.world.reason_for_waiting(agent).ok_or_else(|| no_agent(agent))?.named();
        let all = PyDict::new(py);
        all.set_item("rule", named.rule)?;
        all.set_item("holder", named.holder)?;
        all.set_item("at", named.at.map(|[x, y]| (x, y)))?;
        all.set_item("corridor", named.corridor)?;
        all.set_item("corridor_at", named.corridor_at.map(|[x, y]| (x, y)))?;
        all.set_item("side", named.side)?;
        all.set_item("ahead", named.ahead)?;
        all.set_item("text", named.text)?;
        Ok(all)
    }

    fn path_requests(&self) -> PyResult<Vec<PathRequest>> {
        let host = self.held()?;
        Ok(host.world.path_requests().map(|(agent, asked)| PathRequest::new(agent, &asked)).collect())
    }

    #[getter]
    fn class_names(&self) -> PyResult<Vec<String>> {
        Ok(self.held()?.world.tables().iter().map(|tables| tables.class().spec().name.clone()).collect())
    }

    fn class_cells(&self, class_: &Bound<'_, PyAny>, pose: &Bound<'_, PyAny>) -> PyResult<Vec<(i32, i32)>> {
        let host = self.held()?;
        let class = tables_of(&host.world, class_)?.class();
        covered(class, self::pose(pose, class.headings(), "pose")?)
    }

    fn movement_class(&self, class_: &Bound<'_, PyAny>) -> PyResult<Class> {
        Ok(Class::new(tables_of(&self.held()?.world, class_)?.class().clone()))
    }

    fn add_class(&self, py: Python<'_>, class_: &Bound<'_, PyAny>) -> PyResult<u8> {
        let wrong = || argument(format!("`class_` is {}, expected a Class", shown(class_)));
        let class = class_.cast::<Class>().map_err(|_| wrong())?;
        let mut host = self.held()?;
        let class = class.get().on(host.world.grid())?;
        let HostWorld { world, .. } = &mut *host;
        let added = py.detach(|| world.add_class(class));
        added.map(|class| class.0).map_err(|error| argument(error.to_string()))
    }

    fn landmarks_in_use(&self, class_: &Bound<'_, PyAny>) -> PyResult<bool> {
        let host = self.held()?;
        tables_of(&host.world, class_)?;
        Ok(host.world.landmarks_in_use(class_of(class_, host.world.tables(), "class_")?))
    }

    fn tables(&self, class_: &Bound<'_, PyAny>) -> PyResult<Tables> {
        let host = self.held()?;
        Ok(Tables::new(tables_of(&host.world, class_)?.clone(), host.world.grid()))
    }

    fn map(&self) -> PyResult<Map> {
        Ok(Map::new(self.held()?.world.grid().clone()))
    }

    #[getter]
    fn terrain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        terrain_array(py, self.held()?.world.grid())
    }

    fn name_agent(&self, agent: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let agent = agent_id(agent)?;
        let mut host = self.held()?;
        host.world.agent(agent).ok_or_else(|| no_agent(agent))?;
        host.world.name_agent(agent, name);
        Ok(())
    }

    fn agent_name(&self, agent: &Bound<'_, PyAny>) -> PyResult<String> {
        let agent = agent_id(agent)?;
        let host = self.held()?;
        let entity = host.world.entity(agent).ok_or_else(|| no_agent(agent))?;
        let name = host.world.entities().get::<&Name>(entity);
        Ok(name.as_ref().map_or(String::new(), |name| name.0.to_string()))
    }

    // Recordings and pictures.

    fn record(&self, path: PathBuf) -> PyResult<()> {
        let mut host = self.held()?;
        let out = BufWriter::new(File::create(path)?);
        let is_whole = host.is_new && host.world.tick() == 0;
        let recorder = match is_whole {
            true => Recorder::begin_host(&mut host.world, out),
            false => Recorder::begin_resumed(&mut host.world, out),
        };
        raised()?;
        host.recorder = Some(recorder?);
        Ok(())
    }

    fn finish_recording(&self) -> PyResult<()> {
        let mut host = self.held()?;
        let Some(recorder) = host.recorder.take() else {
            return Err(argument("no recording is under way: call `record` first"));
        };
        let out = recorder.finish(&host.world)?;
        out.into_inner().map_err(|error| error.into_error())?;
        host.world.clear_log();
        Ok(())
    }

    #[pyo3(signature = (*, area = None, scale = None, time = None))]
    fn frame<'py>(
        &self,
        py: Python<'py>,
        area: Option<&Bound<'_, PyAny>>,
        scale: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let area = area.map(|area| rect(area, "area")).transpose()?;
        let scale = scale.map(|scale| whole(scale, "scale", "a number of pixels a cell")).transpose()?;
        let host = self.held()?;
        let (world, time) = (&host.world, time.unwrap_or(f64::from(host.world.tick())));
        let view = frame::view_of(world.grid(), area, scale)?;
        let image = py.detach(|| frame::of_world(world, view, time));
        frame::array(py, &image)
    }

    fn __repr__(&self) -> PyResult<String> {
        let host = self.held()?;
        let world = &host.world;
        let (name, tick, agents) = (&world.settings().name, world.tick(), world.agents().len());
        Ok(format!("<World {name}: tick {tick}, {agents} agents>"))
    }
}
