//! Tasks of groups.

use super::agents::heading_list;
use super::complaints::Complaints;
use super::events::area_rect;
use super::files::{AttachedFile, Files};
use super::map::beside;
use crate::agents::ClassId;
use crate::orders::{Order, OrderKind, OrderList};
use crate::scenario::{self, Located};
use crate::tasks::{TaskSlot, TaskSource};
use crate::world::Simulation;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{GoalMember, Heading, Pose, heading_from_name};

/// First line of a table of tasks.
const HEADER: &str = "agent,x,y,heading";
/// Mistakes of one table that are told.
const MISTAKES_MAX: usize = 20;

/// The tasks of each agent of a group, in the pool.
pub(super) fn add_tasks(
    sim: &mut Simulation,
    class: ClassId,
    count: u32,
    typed: &scenario::Tasks,
    files: Files<'_>,
    errors: &mut Complaints<'_>,
) -> Option<OrderList> {
    let source = match &typed.source {
        scenario::TaskSource::Random { area } => random_source(sim, class, typed, area, errors)?,
        scenario::TaskSource::File(file) => {
            list_source(sim, class, count, (file, &typed.key), files, errors)?
        }
    };
    let as_written = match &typed.source {
        scenario::TaskSource::Random { area } => {
            serde_json::json!({ "task": "random", "area": [area.x, area.y, area.width, area.height] })
        }
        scenario::TaskSource::File(file) => serde_json::json!({ "task": file.value }),
    };
    add_slots(sim, source, count, &as_written)
}

/// A slot for each of `count` agents, in the pool.
pub(super) fn add_slots(
    sim: &mut Simulation,
    source: TaskSource,
    count: u32,
    as_written: &serde_json::Value,
) -> Option<OrderList> {
    let number = u16::try_from(sim.orders.task_sources.len()).ok()?;
    sim.orders.task_sources.push(source);
    let seed = sim.settings.seed;
    // Events have random numbers of their own below 2^32.
    let stream = |agent: u32| (u64::from(number) + 1) << 32 | u64::from(agent);
    let slot = |agent: u32| Order {
        kind: OrderKind::Task(TaskSlot::new(number, agent, (seed, stream(agent)))),
        as_written: as_written.clone(),
    };
    let slots: Vec<Order> = (0..count).map(slot).collect();
    Some(sim.orders.add(&slots))
}

fn random_source(
    sim: &Simulation,
    class: ClassId,
    typed: &scenario::Tasks,
    area: &scenario::Area,
    errors: &mut Complaints<'_>,
) -> Option<TaskSource> {
    let area = area_rect(area).intersection(sim.grid.size().rect());
    let tables = &sim.classes[class.0 as usize].tables;
    let legal = |cell: CellXY| {
        (0..tables.space().headings())
            .any(|heading| tables.is_legal_pose(Pose { cell, heading: Heading(heading) }))
    };
    if !area.cells().any(legal) {
        let class = &sim.classes[class.0 as usize].name;
        errors.add(
            typed.line,
            &format!("{}.area", typed.key),
            format!("no pose of class \"{class}\" is legal in it"),
        );
        return None;
    }
    Some(TaskSource::Random { area })
}

/// Reads a table of tasks: `agent,x,y,heading` a line, `agent` counted from 0 among those of the group.
fn list_source(
    sim: &mut Simulation,
    class: ClassId,
    count: u32,
    (file, key): (&Located<String>, &str),
    files: Files<'_>,
    errors: &mut Complaints<'_>,
) -> Option<TaskSource> {
    let path = beside(errors.file(), &file.value);
    let bytes = files.read(&path, &file.value);
    let bytes = bytes.map_err(|error| errors.add(file.line, &format!("{key}.file"), error)).ok()?;
    let headings = sim.classes[class.0 as usize].tables.space().headings();
    let table = TableReader { count, headings, map: sim.grid.size().rect() };
    let mut mistakes = Vec::new();
    let mut goals = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        let found = match (number, text) {
            (0, HEADER) => continue,
            (0, _) => Err(("", format!("expected the line {HEADER}, found {:?}", excerpt(text)))),
            (_, "") => continue,
            _ => table.row(text),
        };
        match found {
            Ok(row) => goals.push(row),
            Err((column, message)) => mistakes.push((number as u32 + 1, column, message)),
        }
        if mistakes.len() == MISTAKES_MAX {
            break;
        }
    }
    // Stable: the goals of an agent stay in their order.
    goals.sort_by_key(|&(agent, _)| agent);
    let of_agent = if mistakes.is_empty() { of_agents(&goals, count) } else { Ok(Vec::new()) };
    let of_agent = of_agent.unwrap_or_else(|agent| {
        let message = format!("agent {agent} has no task, expected one at least for each of {count}");
        mistakes.push((1, "", message));
        Vec::new()
    });
    for (line, column, message) in mistakes.iter() {
        errors.add_in(&path, *line, column, message);
    }
    if !mistakes.is_empty() {
        return None;
    }
    if sim.attached.iter().all(|attached| attached.name != file.value) {
        sim.attached.push(AttachedFile { name: file.value.clone(), bytes });
    }
    Some(TaskSource::List { goals: goals.iter().map(|&(_, goal)| goal).collect(), of_agent })
}

/// What a row of a table is held against.
struct TableReader {
    count: u32,
    headings: u8,
    map: Rect,
}

impl TableReader {
    /// Agent and goal of a row, or the column that is wrong and why.
    fn row(&self, text: &str) -> Result<(u32, GoalMember), (&'static str, String)> {
        let mut fields = text.split(',').map(str::trim);
        let mut next = || fields.next().unwrap_or("");
        let (agent, x, y, heading) = (next(), next(), next(), next());
        if fields.next().is_some() {
            return Err(("", format!("expected four columns, {HEADER}, found {:?}", excerpt(text))));
        }
        let last = self.count - 1;
        let agent = agent.parse().ok().filter(|&agent: &u32| agent <= last).ok_or_else(|| {
            (
                "agent",
                format!(
                    "expected a number from 0 to {last}, as many as the group has, found {:?}",
                    excerpt(agent)
                ),
            )
        })?;
        let coordinate = |text: &str, name, len: u32| {
            let number = text.parse().ok().filter(|&number: &u32| number < len);
            let expected =
                || (name, format!("expected a number from 0 to {}, found {:?}", len - 1, excerpt(text)));
            number.map(|number| number as i32).ok_or_else(expected)
        };
        let cell = CellXY::new(coordinate(x, "x", self.map.width)?, coordinate(y, "y", self.map.height)?);
        let heading = match heading {
            "" | "any" => None,
            name => Some(heading_from_name(self.headings, name).ok_or_else(|| {
                let known = heading_list(self.headings);
                ("heading", format!("expected any, {known}, found {:?}", excerpt(name)))
            })?),
        };
        Ok((agent, GoalMember { cell, heading }))
    }
}

/// First goal and number of goals of each agent, or the first that has none. `goals` stand in order of agent.
fn of_agents(goals: &[(u32, GoalMember)], count: u32) -> Result<Vec<(u32, u32)>, u32> {
    let mut of_agent = Vec::with_capacity(count as usize);
    let mut first = 0;
    for agent in 0..count {
        let of_this = goals[first..].iter().take_while(|&&(owner, _)| owner == agent).count();
        if of_this == 0 {
            return Err(agent);
        }
        of_agent.push((first as u32, of_this as u32));
        first += of_this;
    }
    Ok(of_agent)
}

fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}
