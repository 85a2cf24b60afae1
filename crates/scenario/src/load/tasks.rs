//! Builds the tasks of groups.

use super::areas::{POSES_CHECKED_MAX, area_rect, heading_list, off_map};
use super::files::{AttachedFile, Files};
use super::map::relative_to;
use crate::scenario::Diagnostics;
use crate::scenario::{self, Located, found_field};
use std::collections::BTreeMap;
use std::sync::Arc;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::heading_from_name;
use wheelbase_planner::{GoalMember, Heading, Pose};
use wheelbase_sim::{ClassId, Order, OrderKind, Setup, TaskSource};

/// First line of a table of tasks.
const HEADER: &str = "agent,x,y,heading";
/// Most mistakes reported of one table.
const MISTAKES_MAX: usize = 20;
/// Most lines of all tables. Groups of different sizes can all name one table, which is then read for each size.
const LINES_MAX: usize = 1 << 24;

/// The tasks of the agents of a group, as their last order.
pub(super) fn tasks_order(
    setup: &Setup,
    class: ClassId,
    count: u32,
    typed: &scenario::Tasks,
    tasks: &mut TaskReader<'_>,
    errors: &mut Diagnostics<'_>,
) -> Option<Order> {
    let source = match &typed.source {
        scenario::TaskSource::Random { area } => tasks.random_source(setup, class, typed, area, errors)?,
        scenario::TaskSource::File(file) => {
            tasks.source(setup, (class, count), (file, &typed.key), errors)?
        }
    };
    let stream = tasks.n_streams;
    tasks.n_streams += 1;
    Some(Order::new(OrderKind::Tasks(Arc::new(source), stream)))
}

/// Reads the sources of tasks: each table once, each area once.
pub(super) struct TaskReader<'f> {
    files: Files<'f>,
    /// The tables that were read.
    pub attached: Vec<AttachedFile>,
    /// Sources by file, number of agents of the group and number of headings of its class; `None` if wrong, so that
    /// mistakes are reported once.
    read: BTreeMap<(String, u32, u8), Option<TaskSource>>,
    /// Groups with tasks so far: each has a separate random stream.
    n_streams: u32,
    /// Lines read so far.
    n_lines: usize,
    /// Whether a class can stand in an area.
    areas: BTreeMap<(ClassId, [i64; 4]), bool>,
    /// Poses checked for that so far.
    n_poses: u64,
}

impl<'f> TaskReader<'f> {
    pub(super) fn new(files: Files<'f>) -> Self {
        Self {
            files,
            attached: Vec::new(),
            read: BTreeMap::new(),
            n_streams: 0,
            n_lines: 0,
            areas: BTreeMap::new(),
            n_poses: 0,
        }
    }

    /// Random tasks in an area, in which the class must have a legal pose.
    fn random_source(
        &mut self,
        setup: &Setup,
        class: ClassId,
        typed: &scenario::Tasks,
        area: &scenario::Area,
        errors: &mut Diagnostics<'_>,
    ) -> Option<TaskSource> {
        let size = setup.grid.size();
        let (rect, area_key) = (area_rect(area), format!("{}.area", typed.key));
        if let Some(message) = off_map(rect, size) {
            errors.add(area.line, &area_key, message);
            return None;
        }
        let area = rect.intersection(size.rect());
        let mut report = |message| errors.add(typed.line, &area_key, message);
        let key = (class, [area.x.into(), area.y.into(), area.width.into(), area.height.into()]);
        let can_stand = match self.areas.get(&key) {
            Some(&known) => known,
            None => {
                let tables = &setup.tables[class.0 as usize];
                let headings = tables.space().headings();
                let left = POSES_CHECKED_MAX.saturating_sub(self.n_poses) / u64::from(headings);
                let legal = |&cell: &CellXY| {
                    (0..headings)
                        .any(|heading| tables.is_legal_pose(Pose { cell, heading: Heading(heading) }))
                };
                let found = area.cells().take(left as usize).position(|cell| legal(&cell));
                let n_cells = u64::from(area.width) * u64::from(area.height);
                let n_checked = found.map_or(n_cells, |at| at as u64 + 1);
                if n_checked > left {
                    report(format!(
                        "no legal pose of the class among the first {POSES_CHECKED_MAX} poses of all such areas so \
                         far; expected fewer or smaller areas"
                    ));
                    return None;
                }
                self.n_poses += n_checked * u64::from(headings);
                self.areas.insert(key, found.is_some());
                found.is_some()
            }
        };
        if !can_stand {
            let class = &setup.tables[class.0 as usize].class().spec().name;
            report(format!("no pose of class \"{class}\" is legal in the area"));
            return None;
        }
        Some(TaskSource::Random { area })
    }

    /// The tasks in a table, for a group of `count` agents of a class.
    fn source(
        &mut self,
        setup: &Setup,
        (class, count): (ClassId, u32),
        (file, key): (&Located<String>, &str),
        errors: &mut Diagnostics<'_>,
    ) -> Option<TaskSource> {
        let headings = setup.tables[class.0 as usize].space().headings();
        let table = TableReader { count, headings, map: setup.grid.size().rect() };
        let source_key = (file.value.clone(), count, headings);
        if let Some(known) = self.read.get(&source_key) {
            return known.clone();
        }
        let source = self.list(&table, (file, key), errors);
        self.read.insert(source_key, source.clone());
        source
    }

    /// Reads a table: lines of `agent,x,y,heading`, `agent` counted from 0 within the group.
    fn list(
        &mut self,
        table: &TableReader,
        (file, key): (&Located<String>, &str),
        errors: &mut Diagnostics<'_>,
    ) -> Option<TaskSource> {
        let path = relative_to(errors.file(), &file.value);
        let attached = self.attached.iter().position(|attached| attached.name == file.value);
        let at = match attached {
            Some(at) => at,
            None => {
                let bytes = self.files.read(&path, &file.value);
                let bytes = bytes
                    .map_err(|error| errors.add(file.line, &format!("{key}.file"), error.into_message()))
                    .ok()?;
                self.attached.push(AttachedFile { name: file.value.clone(), bytes });
                self.attached.len() - 1
            }
        };
        let mut mistakes = Vec::new();
        let mut goals = Vec::new();
        for (number, line) in self.attached[at].bytes.split(|&byte| byte == b'\n').enumerate() {
            self.n_lines += 1;
            if self.n_lines > LINES_MAX {
                let message = format!("expected at most {LINES_MAX} lines in all tables of tasks together");
                errors.add(file.line, &format!("{key}.file"), message);
                return None;
            }
            let text = String::from_utf8_lossy(line);
            let text = text.trim();
            let found = match (number, text) {
                (0, HEADER) => continue,
                (0, _) => Err(("", format!("expected the line {HEADER}, found another"))),
                (_, "") => continue,
                _ => table.row(text),
            };
            match found {
                Ok(row) => goals.push(row),
                Err((column, message)) => mistakes.push((number as u32 + 1, column, message)),
            }
            // Without its first line it is some other file, whose text messages must not show.
            if mistakes.len() == MISTAKES_MAX || (number == 0 && !mistakes.is_empty()) {
                break;
            }
        }
        // Stable: keeps the order of the goals of an agent.
        goals.sort_by_key(|&(agent, _)| agent);
        let of_agent =
            if mistakes.is_empty() { goals_of_agents(&goals, table.count) } else { Ok(Vec::new()) };
        let of_agent = of_agent.unwrap_or_else(|agent| {
            let count = table.count;
            let message = format!("agent {agent} has no task, expected at least one for each of {count}");
            mistakes.push((1, "", message));
            Vec::new()
        });
        for (line, column, message) in mistakes.iter() {
            errors.add_in(&path, *line, column, message);
        }
        if !mistakes.is_empty() {
            return None;
        }
        let goals = goals.iter().map(|&(_, goal)| goal).collect();
        Some(TaskSource::List { goals, of_agent: of_agent.into(), headings: table.headings })
    }
}

/// Checks the rows of a table.
struct TableReader {
    count: u32,
    headings: u8,
    map: Rect,
}

impl TableReader {
    /// Agent and goal of a row, or the wrong column and a message.
    fn row(&self, text: &str) -> Result<(u32, GoalMember), (&'static str, String)> {
        let mut fields = text.split(',').map(str::trim);
        let mut next = || fields.next().unwrap_or("");
        let (agent, x, y, heading) = (next(), next(), next(), next());
        if fields.next().is_some() {
            let found = text.split(',').count();
            return Err(("", format!("expected four columns, {HEADER}, found {found}")));
        }
        let last = self.count - 1;
        let agent = agent.parse().ok().filter(|&agent: &u32| agent <= last).ok_or_else(|| {
            (
                "agent",
                format!(
                    "expected a number from 0 to {last}, the agents of the group, {}",
                    found_field(agent)
                ),
            )
        })?;
        let coordinate = |text: &str, name, len: u32| {
            let number = text.parse().ok().filter(|&number: &u32| number < len);
            let expected =
                || (name, format!("expected a number from 0 to {}, {}", len - 1, found_field(text)));
            number.map(|number| number as i32).ok_or_else(expected)
        };
        let cell = CellXY::new(coordinate(x, "x", self.map.width)?, coordinate(y, "y", self.map.height)?);
        let heading = match heading {
            "" | "any" => None,
            name => Some(heading_from_name(self.headings, name).ok_or_else(|| {
                let known = heading_list(self.headings);
                ("heading", format!("expected any, {known}, {}", found_field(name)))
            })?),
        };
        Ok((agent, GoalMember { cell, heading }))
    }
}

/// Index of the first goal and number of goals of each agent, or the first agent without any. `goals` are in order of
/// agent.
fn goals_of_agents(goals: &[(u32, GoalMember)], count: u32) -> Result<Vec<(u32, u32)>, u32> {
    let mut of_agent = Vec::with_capacity(count as usize);
    let mut first = 0;
    for agent in 0..count {
        let n_goals = goals[first..].iter().take_while(|&&(owner, _)| owner == agent).count();
        if n_goals == 0 {
            return Err(agent);
        }
        of_agent.push((first as u32, n_goals as u32));
        first += n_goals;
    }
    Ok(of_agent)
}
