//! One-shot multi-agent path finding on the queries of a MovingAI `.scen` file: each agent goes from its start to its
//! goal and stays there.
//!
//! The instance becomes the text of a scenario, so that recordings and all else take it as they take any other.

use super::error::LoadError;
use super::files::{Files, read_file};
use super::loaded::Loaded;
use super::overrides::Overrides;
use super::scen::{ScenProblem, load_scen};
use super::world::{load_world_of_bytes, read_class_spec};
use crate::scenario::{Diagnostics, Message, ScenarioError, TICK_MAX};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};
use wheelbase_grid::{CellXY, Grid, GridShape, MemoryMax};
use wheelbase_maps::movingai_scen::ScenQuery;
use wheelbase_planner::model::Offset;
use wheelbase_planner::{Heading, Legality, MovementClass, Pose};
use wheelbase_sim::{AgentId, Command, Order, World};
use wheelbase_traffic::motion::Activity;

/// The agent of the field's standard: one cell, to one of four neighbours in one time step on any ground that is not
/// blocked.
const GRID_CLASS: &str = r#"[class.grid]
headings = 1
speed = { swamp = 1000 }
moves = [
  { name = "E", by = [1, 0], time = 1 },
  { name = "N", by = [0, -1], time = 1 },
  { name = "W", by = [-1, 0], time = 1 },
  { name = "S", by = [0, 1], time = 1 },
]
"#;
/// Moves of the longest base time that a run may take, without `--ticks`.
const MOVES_MAX: u32 = 10_000;
/// Ticks for which an agent that made way stays aside before it is sent back.
const ASIDE_TICKS: u32 = 4;
/// Warnings about queries after which further ones are counted.
const WARNINGS_MAX: usize = 100;
/// Of an agent that is not at its goal, or is not sent back.
const NEVER: u32 = u32::MAX;

/// A one-shot instance that was loaded.
#[non_exhaustive]
pub struct LoadedOneShot {
    /// Its world and sources, as of the scenario.
    pub loaded: Loaded,
    /// The scenario that it was made into.
    pub text: String,
    /// Its goals.
    pub one_shot: OneShot,
}

/// The goals of a one-shot instance, and who has arrived.
///
/// An agent that has arrived may have to make way for another. Nothing of its order is left then; so it is sent back.
#[derive(Clone, Debug)]
pub struct OneShot {
    /// By id.
    goals: Vec<CellXY>,
    /// Tick of the last arrival of each agent that is at its goal, by id.
    arrived_at: Vec<u32>,
    /// Tick at which each agent is sent back, by id.
    sent_back_at: Vec<u32>,
}

/// How good a solution is, by the usual measures of multi-agent path finding. Both are `None` unless all agents are at
/// their goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OneShotResult {
    /// Tick at which the last agent arrived to stay.
    pub makespan: Option<u32>,
    /// Sum over the agents of the tick at which each arrived at its goal to stay.
    pub sum_of_costs: Option<u64>,
    /// Agents that are not at their goals.
    pub agents_off_goal: u64,
}

/// Loads the first `agents` queries of a MovingAI `.scen` file as one run. Each agent begins at rest, facing east if
/// its class has headings; its order is to go to its goal, with any heading. The map is as in [`load_scen`], the rule
/// of collision is [`Discrete`](wheelbase_sim::CollisionRule::Discrete). Without `class`, agents take one tick per move
/// to one of four neighbours; else it is as in [`load_planning_problem`](super::load_planning_problem).
/// # Errors
/// [`LoadError`] with every start or goal that is blocked, or overlaps another, by its line. Also as
/// [`load_world`](super::load_world).
pub fn load_one_shot(
    file: &Path,
    map: Option<&Path>,
    agents: u32,
    class: Option<&str>,
    overrides: Overrides,
) -> Result<LoadedOneShot, LoadError> {
    let ScenProblem { queries, map, problem, .. } = load_scen(file, map, class, overrides.memory_max)?;
    let Some(queries) = queries.queries.get(..agents as usize) else {
        let found = queries.queries.len();
        let message =
            Message::unexpected(format!("at least {agents} queries, one per agent"), found.to_string());
        return Err(LoadError::in_file(file, message));
    };
    let (class, class_text) = match class {
        None => (grid_class(), GRID_CLASS.to_owned()),
        Some(name) => {
            let is_file = name != "octile" || Path::new(name).exists();
            let bytes = if is_file { read_file(Path::new(name))? } else { Vec::new() };
            (problem.class, String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned())
        }
    };
    check(file, queries, (&problem.grid, &class), true).stop_if_any()?;
    let text = scenario_text(file, &map, queries, (&class, &class_text));
    drop(problem.grid);
    let loaded = load_world_of_bytes(file, text.as_bytes(), Files::Disk, overrides)?;
    let one_shot = OneShot::new(queries.iter().map(|query| query.goal).collect());
    Ok(LoadedOneShot { loaded, text, one_shot })
}

/// Checks a MovingAI `.scen` file and its map, which is as in [`load_scen`]. Gives a warning for each start or goal
/// that is blocked, and of very many only the first.
/// # Errors
/// As [`load_scen`].
pub fn check_scen(
    file: &Path,
    map: Option<&Path>,
    memory_max: MemoryMax,
) -> Result<Vec<ScenarioError>, LoadError> {
    let ScenProblem { queries, problem, .. } = load_scen(file, map, None, memory_max)?;
    let (mut warnings, mut n_more) = (Vec::new(), 0);
    for query in queries.queries.chunks(1) {
        let mut found = check(file, query, (&problem.grid, &problem.class), false).take();
        match warnings.len() < WARNINGS_MAX {
            true => warnings.append(&mut found),
            false => n_more += found.len(),
        }
    }
    if n_more > 0 {
        let message = format!("{n_more} more starts and goals are blocked");
        warnings.push(ScenarioError::of_file(file.display().to_string(), message));
    }
    Ok(warnings)
}

fn grid_class() -> MovementClass {
    let spec = read_class_spec(GRID_CLASS, GridShape::Square);
    let class = spec.and_then(|spec| MovementClass::new(spec).ok());
    class.unwrap_or_else(|| unreachable!("four moves of one cell"))
}

/// The scenario of an instance.
fn scenario_text(
    file: &Path,
    map: &Path,
    queries: &[ScenQuery],
    (class, class_text): (&MovementClass, &str),
) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let base_ticks = class.primitives().iter().map(|primitive| primitive.time).max().unwrap_or(1);
    let ticks = base_ticks.saturating_mul(MOVES_MAX).min(TICK_MAX);
    let name = quoted(&class.spec().name);
    let heading = if class.headings() > 1 { ", \"E\"" } else { "" };
    let mut text = format!(
        "name = {}\nticks = {ticks}\ncollision = \"discrete\"\nmap = {{ file = {} }}\nagents = [\n",
        quoted(&file.file_stem().unwrap_or_default().to_string_lossy()),
        quoted(&path_from(file, map)),
    );
    for ScenQuery { start, goal, .. } in queries {
        let (CellXY { x, y }, CellXY { x: goal_x, y: goal_y }) = (start, goal);
        // Kept, not dropped: the agent is not sent off again and again.
        let order = format!("{{ goto = [{goal_x}, {goal_y}], if_unreachable = \"wait\" }}");
        let written = writeln!(text, "  {{ class = {name}, at = [{x}, {y}{heading}], orders = [{order}] }},");
        debug_assert!(written.is_ok(), "a string takes any text");
    }
    text + "]\n\n" + class_text
}

/// The path of a map from the folder of a file.
fn path_from(file: &Path, map: &Path) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    if let (true, Some(name)) = (map.parent() == Some(folder), map.file_name()) {
        return name.to_string_lossy().into_owned();
    }
    // Without links: `..` leads out of the folder in which a file really lies.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (folder, map) = (real(&Path::new(".").join(folder)), real(map));
    let shared = folder.components().zip(map.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    // On another drive nothing is shared.
    let up = up.take(if shared == 0 { 0 } else { usize::MAX });
    let path: PathBuf = up.chain(map.components().skip(shared)).collect();
    path.to_string_lossy().into_owned()
}

/// The mistakes in queries: starts and goals that are blocked, or that overlap if all agents are there `together`.
fn check<'f>(
    file: &'f Path,
    queries: &[ScenQuery],
    (grid, class): (&Grid, &MovementClass),
    together: bool,
) -> Diagnostics<'f> {
    let legality = Legality::new(grid, class);
    let mut errors = Diagnostics::new(file);
    let (mut starts, mut goals) = (BTreeMap::new(), BTreeMap::new());
    for query in queries {
        let pose = Pose { cell: query.start, heading: Heading(0) };
        if let Err(blocked) = legality.check_pose(pose) {
            let what = format!("the start is blocked: {}", blocked.describe(grid));
            errors.add(query.line, "start", Message::wrong(what, "a free one"));
        }
        if together {
            let body = class.cells_at(pose).iter().map(|offset| offset.cell_from(query.start));
            note(&mut starts, body, (query.line, "start"), &mut errors);
        }
        let poses = (0..class.headings()).map(|heading| Pose { cell: query.goal, heading: Heading(heading) });
        // Legal with any heading will do.
        let mut blocked = None;
        let is_free = poses.map(|pose| legality.check_pose(pose)).any(|checked| match checked {
            Ok(()) => true,
            Err(why) => {
                blocked.get_or_insert(why);
                false
            }
        });
        if let Some(blocked) = blocked.filter(|_| !is_free) {
            let what = format!("the goal is blocked: {}", blocked.describe(grid));
            errors.add(query.line, "goal", Message::wrong(what, "a free one"));
        }
        if !together {
            continue;
        }
        // With several headings the body at the goal is not known.
        let cells = match class.headings() {
            1 => class.cells_at(Pose { cell: query.goal, heading: Heading(0) }),
            _ => &[Offset::new(0, 0)][..],
        };
        let body = cells.iter().map(|offset| offset.cell_from(query.goal));
        note(&mut goals, body, (query.line, "goal"), &mut errors);
    }
    errors
}

/// Notes the cells of a start or goal, and refuses cells of an earlier line, once.
fn note(
    taken: &mut BTreeMap<(i32, i32), u32>,
    body: impl Iterator<Item = CellXY>,
    (line, key): (u32, &str),
    errors: &mut Diagnostics<'_>,
) {
    let mut first = None;
    for CellXY { x, y } in body {
        let of = *taken.entry((y, x)).or_insert(line);
        first = first.or((of != line).then_some((x, y, of)));
    }
    if let Some((x, y, of)) = first {
        let what = format!("cell ({x}, {y}) belongs to the {key} of line {of}");
        errors.add(line, key, Message::wrong(what, format!("a {key} for each agent")));
    }
}

impl OneShot {
    fn new(goals: Vec<CellXY>) -> Self {
        let n = goals.len();
        Self { goals, arrived_at: vec![NEVER; n], sent_back_at: vec![NEVER; n] }
    }

    /// Notes who is at its goal, and sends agents back that have made way. To be called before each tick. Linear in the
    /// agents; the commands that it gives take effect at later ticks.
    pub fn before_tick(&mut self, world: &mut World) {
        self.note_arrivals(world);
        let tick = world.tick();
        for (at, &goal) in self.goals.iter().enumerate() {
            let agent = AgentId(at as u32);
            let agents = world.agent_arrays();
            let Some(row) = agents.row(agent).filter(|_| self.arrived_at[at] == NEVER) else { continue };
            let motion = agents.motion[row];
            let rests = match motion.activity {
                Activity::Idle => motion.at_rest(),
                Activity::Yielding => motion.at_rest() && agents.paths[row].is_empty(),
                _ => false,
            };
            let is_sent = self.sent_back_at[at] != NEVER && tick <= self.sent_back_at[at];
            if rests && !is_sent && world.orders().left(&agents.orders(row)) == 0 {
                let back_at = tick.saturating_add(ASIDE_TICKS);
                self.sent_back_at[at] = back_at;
                world.command_at(back_at, Command::order(agent, Order::goto(goal)));
            }
        }
    }

    /// Notes who is at its goal: between any two ticks, and at the end. Linear in the agents.
    pub fn note_arrivals(&mut self, world: &World) {
        let agents = world.agent_arrays();
        for (at, &goal) in self.goals.iter().enumerate() {
            let row = agents.row(AgentId(at as u32));
            let is_there =
                row.is_some_and(|row| agents.motion[row].at_rest() && world.pose(row).cell == goal);
            let arrived_at = &mut self.arrived_at[at];
            *arrived_at = if is_there { (*arrived_at).min(world.tick()) } else { NEVER };
        }
    }

    /// The result so far.
    pub fn result(&self) -> OneShotResult {
        let arrived_at: Vec<Option<u32>> =
            self.arrived_at.iter().map(|&tick| Some(tick).filter(|&tick| tick != NEVER)).collect();
        OneShotResult::of(&arrived_at)
    }

    /// The goals, by id.
    pub fn goals(&self) -> &[CellXY] {
        &self.goals
    }
}

impl OneShotResult {
    /// Of the ticks at which agents arrived to stay; `None` if an agent did not.
    pub(crate) fn of(arrived_at: &[Option<u32>]) -> Self {
        let there = || arrived_at.iter().flatten();
        let agents_off_goal = (arrived_at.len() - there().count()) as u64;
        let all_there = agents_off_goal == 0;
        Self {
            makespan: there().copied().max().filter(|_| all_there),
            sum_of_costs: all_there.then(|| there().map(|&tick| u64::from(tick)).sum()),
            agents_off_goal,
        }
    }
}
