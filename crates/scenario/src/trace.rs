//! Traces (docs/format.md): one JSON object per line, complete enough for others to replay and judge the run.

use crate::class_text::class_json;
use crate::order_text::order_json;
use crate::outcome::outcome_json;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use wheelbase_grid::{Cell, Grid, GridShape, Rect, SideKind};
use wheelbase_planner::model::{Reached, heading_name};
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{
    AgentId, AppliedEdit, AtDeadline, ClassId, EditEffect, EventDetails, OnAgents, Order, OrderKind,
    RunResult, Team, TraceEvent, USUAL_SPEED_PERMILLE, World,
};

/// Version of the format of traces.
pub const TRACE_VERSION: u32 = 1;

fn pose_json(world: &World, class: ClassId, pose: Pose) -> Value {
    let headings = world.tables()[class.0 as usize].space().headings();
    json!([pose.cell.x, pose.cell.y, heading_name(headings, pose.heading)])
}

/// Writes the first line: the map as it is now, kinds and classes, and the tick if it is not 0.
/// # Errors
/// Errors of the writer.
pub fn write_header(world: &World, out: &mut impl Write) -> io::Result<()> {
    let grid = world.grid();
    let size = grid.size();
    let terrain: Vec<Value> =
        grid.terrain_table().entries().iter().map(|e| json!([e.name, e.speed])).collect();
    let side_kinds: Vec<Value> =
        grid.side_table().entries().iter().map(|e| json!([e.name, e.speed])).collect();
    let specs = world.tables().iter().map(|tables| tables.class().spec());
    let classes: Map<String, Value> = specs.map(|spec| (spec.name.clone(), class_json(spec))).collect();
    let mut header = json!({
        "trace": TRACE_VERSION,
        "scenario": world.settings().name,
        "seed": world.settings().seed,
        "collision": world.settings().collision.name(),
        "shape": grid.shape().name(),
        "size": [size.width(), size.height()],
        "terrain": terrain,
        "cells": runs(grid.terrain().iter().map(|kind| i64::from(kind.0))),
        "sides": sides_not_open(grid),
        "side_kinds": side_kinds,
        "classes": classes,
    });
    let teams = || (0..Team::COUNT as u8).map(Team);
    let pairs = teams().flat_map(|one| teams().skip(usize::from(one.0) + 1).map(move |other| (one, other)));
    let friends: Vec<[u8; 2]> = pairs
        .filter(|&(one, other)| world.friends().are(one, other))
        .map(|(one, other)| [one.0, other.0])
        .collect();
    if !friends.is_empty() {
        header["teams"] = json!({ "friends": friends });
    }
    if world.tick() > 0 {
        header["tick"] = json!(world.tick());
    }
    if let Some(elevation) = grid.elevation() {
        header["elevation"] = json!(runs(elevation.iter().map(|&height| i64::from(height))));
    }
    writeln!(out, "{header}")
}

/// Writes the beginning of a world that goes on from a snapshot, behind the header. Each agent has its placement, its
/// move in progress with the tick at which it began, its open orders, and its task. Edits that wait are no part of it:
/// their lines come when they take effect.
/// # Errors
/// Errors of the writer.
pub fn write_opening(world: &World, out: &mut impl Write) -> io::Result<()> {
    let (tick, agents) = (world.tick(), world.agent_arrays());
    let nothing = EventDetails::default();
    for (row, body) in world.agents().iter().enumerate() {
        let (agent, motion) = (agents.ids[row], &agents.motion[row]);
        let (class, from) = (motion.class, world.pose(row));
        let begun = if motion.at_rest() { tick } else { body.begin_tick };
        let (team, speed_factor) = (agents.teams[row], agents.speed_factors[row]);
        let placed =
            TraceEvent::Spawn { agent, class, pose: from, tick: begun, team, speed_factor, ticket: None };
        write_event(world, begun, (&placed, nothing), out)?;
        if !motion.at_rest() {
            let to = Pose::new(body.to_x, body.to_y, Heading(body.to_heading));
            let (primitive, until) = (motion.primitive, motion.until);
            let moves = TraceEvent::Move { agent, class, primitive, from, to, until };
            write_event(world, begun, (&moves, nothing), out)?;
        }
        let orders = agents.orders(row);
        for order in world.orders().open(&orders).filter(|order| !matches!(order.kind, OrderKind::Tasks(..)))
        {
            writeln!(out, "{}", order_line(tick, agent, order))?;
        }
        if let Some(goal) = world.orders().task(&orders) {
            write_event(world, tick, (&TraceEvent::Task { agent, class, goal }, nothing), out)?;
        }
    }
    Ok(())
}

/// Runs of equal values as `[count, value]`.
fn runs(values: impl Iterator<Item = i64>) -> Vec<[i64; 2]> {
    let mut runs: Vec<[i64; 2]> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some([count, last]) if *last == value => *count += 1,
            _ => runs.push([1, value]),
        }
    }
    runs
}

fn sides_not_open(grid: &Grid) -> Vec<Value> {
    if grid.all_sides_open() {
        return Vec::new();
    }
    let cells = (0..grid.size().n_cells() as u32).map(Cell);
    let sides = cells.flat_map(|cell| grid.shape().sides().iter().map(move |&side| (cell, side)));
    let set = sides.filter(|&(cell, side)| grid.side_of(cell, side) != SideKind::OPEN);
    set.map(|(cell, side)| {
        let xy = grid.size().xy(cell);
        json!([xy.x, xy.y, side.name(), grid.side_of(cell, side).0])
    })
    .collect()
}

/// Writes the lines of what took effect at a tick, from the log of the world. The changes of an edit are one line, or
/// as few as can contain them. A further line follows directly if a key has cells of two kinds or heights.
/// # Errors
/// Errors of the writer.
pub fn write_log(world: &World, tick: u32, out: &mut impl Write) -> io::Result<()> {
    let mut line: Option<EditLine<'_>> = None;
    let mut of_edit = EventDetails::default();
    for (index, event) in world.log().iter().enumerate() {
        let details = world.log_details(index);
        let TraceEvent::Edit(edit) = event else {
            line.take().map_or(Ok(()), |line| line.write(tick, out))?;
            write_event(world, tick, (event, details), out)?;
            continue;
        };
        if edit.part == 0 {
            of_edit = details;
        }
        let shape = world.grid().shape();
        if line.as_mut().is_none_or(|line| edit.part == 0 || !line.add(&edit.effect, shape)) {
            let begun = EditLine::of(edit, of_edit, shape);
            line.replace(begun).map_or(Ok(()), |line| line.write(tick, out))?;
        }
    }
    line.map_or(Ok(()), |line| line.write(tick, out))
}

/// The line of an edit, to which its further changes are added.
struct EditLine<'a> {
    edit: AppliedEdit,
    details: EventDetails<'a>,
    /// The keys of its changes.
    keys: Map<String, Value>,
}

impl<'a> EditLine<'a> {
    fn of(edit: &AppliedEdit, details: EventDetails<'a>, shape: GridShape) -> Self {
        let mut line = Self { edit: *edit, details, keys: Map::new() };
        line.add(&edit.effect, shape);
        line
    }

    /// Adds a change, unless its key has cells of another kind or height.
    fn add(&mut self, effect: &EditEffect, shape: GridShape) -> bool {
        let cells = |area: Rect| area.cells().map(|cell| json!([cell.x, cell.y])).collect::<Vec<_>>();
        let (key, list, mut entries, to) = match *effect {
            EditEffect::Terrain { area, kind } => {
                ("set_terrain", "cells", cells(area), Some(("kind", json!(kind.0))))
            }
            EditEffect::Elevation { area, height } => {
                ("set_elevation", "cells", cells(area), Some(("height", json!(height))))
            }
            EditEffect::Sides { cell, kinds } => {
                let set = shape.sides().iter().zip(kinds).filter_map(|(side, kind)| Some((side, kind?)));
                let sides = set.map(|(side, kind)| json!([cell.x, cell.y, side.name(), kind.0]));
                ("set_side", "sides", sides.collect(), None)
            }
        };
        let Some(found) = self.keys.get_mut(key) else {
            let mut value = json!({ list: entries });
            if let Some((name, to)) = to {
                value[name] = to;
            }
            self.keys.insert(key.to_owned(), value);
            return true;
        };
        if to.is_some_and(|(name, to)| found[name] != to) {
            return false;
        }
        if let Some(list) = found[list].as_array_mut() {
            list.append(&mut entries);
        }
        true
    }

    fn write(self, tick: u32, out: &mut impl Write) -> io::Result<()> {
        let AppliedEdit { on_agents, asked, .. } = self.edit;
        let mut line = json!({ "t": tick });
        for (key, value) in self.keys {
            line[key] = value;
        }
        let (on_agents, deadline) = match on_agents {
            OnAgents::Wait => ("wait", None),
            OnAgents::Strand => ("strand", None),
            OnAgents::Remove => ("remove", None),
            OnAgents::WaitUntil { deadline, then: AtDeadline::Strand } => ("strand", Some(deadline)),
            OnAgents::WaitUntil { deadline, then: AtDeadline::Remove } => ("remove", Some(deadline)),
        };
        line["on_agents"] = json!(on_agents);
        line["asked"] = json!(asked);
        if let Some(deadline) = deadline {
            line["deadline"] = json!(deadline);
        }
        let EventDetails { ticket, agents, .. } = self.details;
        add_details(&mut line, EventDetails { ticket, agents, ..EventDetails::default() });
        writeln!(out, "{line}")
    }
}

/// The line of an order that an agent has.
fn order_line(tick: u32, agent: AgentId, order: &Order) -> Value {
    json!({ "t": tick, "agent": agent.0, "order": order_json(order) })
}

/// Adds the details of an event that its line lacks, but for its class and pose. Defaults are left out.
fn add_details(line: &mut Value, details: EventDetails<'_>) {
    let EventDetails { ticket, reached, blocker, area, team, agents, .. } = details;
    let waited_for: Vec<u32> = agents.iter().map(|agent| agent.0).collect();
    let keys = [
        ("ticket", ticket.map(|ticket| json!(ticket.0))),
        ("reached", reached.filter(|&reached| reached != Reached::Goal).map(|reached| json!(reached.name()))),
        ("blocker", blocker.map(|agent| json!(agent.0))),
        ("area", area.map(|area| json!([area.x, area.y, area.width, area.height]))),
        ("team", team.filter(|&team| team != Team::default()).map(|team| json!(team.0))),
        ("waited_for", (!waited_for.is_empty()).then(|| json!(waited_for))),
    ];
    for (key, value) in keys {
        if let Some(value) = value.filter(|_| line.get(key).is_none()) {
            line[key] = value;
        }
    }
}

/// Adds the class and the pose of an event, unless its line says them or they do not exist.
fn add_pose(line: &mut Value, world: &World, details: EventDetails<'_>) {
    let Some(class) = details.class.filter(|_| line.get("class").is_none()) else { return };
    let Some(tables) = world.tables().get(usize::from(class.0)) else { return };
    line["class"] = json!(tables.class().spec().name);
    let is_told = line.get("leave").is_some();
    if let Some(pose) = details.pose.filter(|pose| !is_told && pose.heading.0 < tables.space().headings()) {
        line["at"] = pose_json(world, class, pose);
    }
}

/// Writes the line of an event other than an edit.
fn write_event(
    world: &World,
    tick: u32,
    (event, details): (&TraceEvent, EventDetails<'_>),
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = match *event {
        TraceEvent::Spawn { agent, class, pose, tick, team, speed_factor, .. } => {
            let mut line = json!({
                "t": tick,
                "spawn": agent.0,
                "class": world.classes()[class.0 as usize].name,
                "at": pose_json(world, class, pose),
            });
            if team != Team::default() {
                line["team"] = json!(team.0);
            }
            if speed_factor != USUAL_SPEED_PERMILLE {
                line["speed_factor"] = json!(speed_factor);
            }
            line
        }
        TraceEvent::Remove { agent, .. } => json!({ "t": tick, "remove": agent.0 }),
        TraceEvent::Enter { agent, container } => {
            let container = (container != AgentId::NOBODY).then_some(container.0);
            json!({ "t": tick, "agent": agent.0, "enter": container })
        }
        TraceEvent::Leave { agent, class, pose, .. } => {
            json!({ "t": tick, "agent": agent.0, "leave": pose_json(world, class, pose) })
        }
        TraceEvent::Order { agent, order, append, .. } => {
            // Kept in the pool until the next tick, whatever has become of it.
            let Some(order) = world.orders().get(order) else { return Ok(()) };
            let mut line = order_line(tick, agent, order);
            if append {
                line["append"] = json!(true);
            }
            line
        }
        TraceEvent::Refused { ticket, agent, reason } => {
            let mut line = json!({ "t": tick, "ticket": ticket.0, "refused": reason.name() });
            if let Some(agent) = agent {
                line["agent"] = json!(agent.0);
            }
            line
        }
        TraceEvent::Priority { agent, priority } => {
            json!({ "t": tick, "agent": agent.0, "priority": priority })
        }
        TraceEvent::Team { agent, team } => json!({ "t": tick, "agent": agent.0, "team": team.0 }),
        TraceEvent::SpeedFactor { agent, permille } => {
            json!({ "t": tick, "agent": agent.0, "speed_factor": permille })
        }
        TraceEvent::Class { agent, class, pose } => json!({
            "t": tick,
            "agent": agent.0,
            "class": world.classes()[class.0 as usize].name,
            "at": pose_json(world, class, pose),
        }),
        TraceEvent::TasksReplaced { agent } => json!({ "t": tick, "agent": agent.0, "tasks": "replaced" }),
        TraceEvent::Path { .. } => return Ok(()),
        TraceEvent::Move { agent, class, primitive, to, until, .. } => json!({
            "t": tick,
            "agent": agent.0,
            "move": world.tables()[class.0 as usize].class().primitives()[primitive as usize].name,
            "to": pose_json(world, class, to),
            "until": until,
        }),
        TraceEvent::Done { agent, kind, .. } => {
            json!({ "t": tick, "agent": agent.0, "done": OrderKind::NAMES[usize::from(kind)] })
        }
        TraceEvent::Unreachable { agent, kind, reason, .. } => json!({
            "t": tick,
            "agent": agent.0,
            "unreachable": OrderKind::NAMES[usize::from(kind)],
            "reason": reason.name(),
        }),
        TraceEvent::Task { agent, class, goal } => {
            let headings = world.tables()[class.0 as usize].space().headings();
            let heading = goal.heading.map_or("any", |heading| heading_name(headings, heading));
            json!({ "t": tick, "agent": agent.0, "task": [goal.cell.x, goal.cell.y, heading] })
        }
        TraceEvent::TaskDone { agent, cell } => {
            json!({ "t": tick, "agent": agent.0, "task_done": [cell.x, cell.y] })
        }
        TraceEvent::EditCancelled { ticket, edit } => {
            json!({ "t": tick, "ticket": ticket.0, "cancelled": edit.0 })
        }
        // What the later edit leaves of it has lines when it takes effect.
        TraceEvent::EditReplaced { .. } | TraceEvent::Edit(_) => return Ok(()),
    };
    add_details(&mut line, details);
    add_pose(&mut line, world, details);
    writeln!(out, "{line}")
}

/// Writes the last line: the outcome.
/// # Errors
/// Errors of the writer.
pub fn write_end(result: &RunResult, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", json!({ "t": result.ticks, "end": outcome_json(result) }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use wheelbase_grid::{CellXY, Change, Side, SideTable, TerrainKind, TerrainTable};
    use wheelbase_planner::search::Fallback;
    use wheelbase_planner::{GoalMember, MovementClass};
    use wheelbase_sim::{Command, MapEdit, Settings, Setup, Spawn, Trip};

    /// The lines of an edit of these changes.
    fn lines_of(changes: &[Change]) -> Vec<String> {
        let grid =
            Grid::from_rows(&["....", "...."], TerrainTable::movingai(), SideTable::default()).unwrap();
        let setup = Setup::cooperative(Settings::named("edits"), grid, Vec::new());
        let mut world = World::new(setup).unwrap();
        world.keep_log();
        let edit = MapEdit { changes: Arc::from(changes), on_agents: OnAgents::Wait };
        world.command(Command::Edit(edit.clone()));
        world.command(Command::Edit(MapEdit { changes: Arc::from(&changes[..1]), ..edit }));
        world.step();
        let mut out = Vec::new();
        write_log(&world, 0, &mut out).unwrap();
        let mut lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
        // Another edit of the tick has a separate line.
        lines.pop().unwrap();
        lines
    }

    #[test]
    fn the_changes_of_an_edit_are_as_few_lines_as_can_hold_them() {
        let terrain = |x, y, kind| Change::Terrain { area: Rect::new(x, y, 1, 1), kind: TerrainKind(kind) };
        let height = |height| Change::Elevation { area: Rect::new(0, 1, 2, 1), height };
        let cell = CellXY::new(2, 1);
        let side = Change::Side { cell, side: Side::North, kind: SideKind(1) };
        assert_eq!(
            lines_of(&[terrain(0, 0, 2), height(7), terrain(3, 1, 2), side]),
            [concat!(
                r#"{"t":0,"set_terrain":{"cells":[[0,0],[3,1]],"kind":2},"#,
                r#""set_elevation":{"cells":[[0,1],[1,1]],"height":7},"#,
                r#""set_side":{"sides":[[2,1,"N",1]]},"on_agents":"wait","asked":0,"ticket":0}"#
            )]
        );
        assert_eq!(
            lines_of(&[terrain(0, 0, 2), terrain(0, 0, 1), side, terrain(1, 0, 1), height(3), height(4)]),
            [
                r#"{"t":0,"set_terrain":{"cells":[[0,0]],"kind":2},"on_agents":"wait","asked":0,"ticket":0}"#,
                concat!(
                    r#"{"t":0,"set_terrain":{"cells":[[0,0],[1,0]],"kind":1},"set_side":{"sides":[[2,1,"N",1]]},"#,
                    r#""set_elevation":{"cells":[[0,1],[1,1]],"height":3},"on_agents":"wait","asked":0,"ticket":0}"#
                ),
                concat!(
                    r#"{"t":0,"set_elevation":{"cells":[[0,1],[1,1]],"height":4},"#,
                    r#""on_agents":"wait","asked":0,"ticket":0}"#
                ),
            ]
        );
    }

    /// What events say by their details.
    #[test]
    fn lines_say_the_details_of_events() {
        let grid = Grid::from_rows(&["......W..."], TerrainTable::movingai(), SideTable::default()).unwrap();
        let mut setup = Setup::cooperative(Settings::named("details"), grid, vec![MovementClass::octile()]);
        let enemy = Spawn { team: Team(1), ..Spawn::new(ClassId(0), Pose::new(4, 0, Heading(0))) }
            .with_orders([Order::hold()]);
        setup.agents = vec![Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0))), enemy.clone()];
        let mut world = World::new(setup).unwrap();
        world.keep_log_from_here();
        let trip = Trip::to(vec![GoalMember::any(CellXY::new(9, 0))]);
        let near = Order::new(OrderKind::Goto(Trip { fallback: Fallback::Nearest, ..trip }));
        let area = Rect::new(4, 0, 2, 1);
        world.command(Command::order(AgentId(0), Order::goto(CellXY::new(5, 0))));
        world.command(Command::Spawn(enemy));
        world.command(Command::edit(Change::Terrain { area, kind: TerrainKind(2) }));
        let mut out = Vec::new();
        for tick in 0..40_010 {
            match tick {
                10 => drop(world.command(Command::order(AgentId(0), near.clone()))),
                40_000 => drop(world.command(Command::remove(AgentId(1)))),
                _ => {}
            }
            world.step();
            write_log(&world, tick, &mut out).unwrap();
            world.clear_log();
        }
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains("\"move\"")).collect();
        assert_eq!(
            lines,
            [
                r#"{"t":0,"agent":0,"order":{"goto":[5,0]},"ticket":0}"#,
                r#"{"t":0,"ticket":1,"refused":"pose_held","blocker":1,"team":1,"class":"octile","at":[4,0,"-"]}"#,
                r#"{"t":0,"agent":0,"unreachable":"goto","reason":"obstructed","ticket":0,"blocker":1}"#,
                r#"{"t":10,"agent":0,"order":{"goto":[9,0],"fallback":"nearest"},"ticket":3}"#,
                r#"{"t":30010,"agent":0,"done":"goto","ticket":3,"reached":"nearest"}"#,
                r#"{"t":40000,"remove":1,"ticket":4,"team":1,"class":"octile","at":[4,0,"-"]}"#,
                concat!(
                    r#"{"t":40000,"set_terrain":{"cells":[[4,0],[5,0]],"kind":2},"on_agents":"wait","asked":0,"#,
                    r#""ticket":2,"waited_for":[1]}"#
                ),
            ]
        );
    }
}
