//! Traces (docs/format.md): one JSON object per line, complete enough for others to replay and judge the run.

use crate::class_text::class_json;
use crate::order_text::order_json;
use crate::outcome::outcome_json;
use serde_json::{Value, json};
use std::io::{self, Write};
use wheelbase_grid::{Cell, Grid, GridShape, Rect, SideKind};
use wheelbase_planner::Pose;
use wheelbase_planner::model::heading_name;
use wheelbase_sim::{AppliedEdit, ClassId, EditEffect, OnAgents, RunResult, TraceEvent, World};

/// Key and value of an edit in its line.
fn effect_json(effect: &EditEffect, shape: GridShape) -> (&'static str, Value) {
    let cells = |area: Rect| area.cells().map(|cell| [cell.x, cell.y]).collect::<Vec<_>>();
    match *effect {
        EditEffect::Terrain { area, kind } => {
            ("set_terrain", json!({ "cells": cells(area), "kind": kind.0 }))
        }
        EditEffect::Elevation { area, height } => {
            ("set_elevation", json!({ "cells": cells(area), "height": height }))
        }
        EditEffect::Sides { cell, kinds } => {
            let set = shape.sides().iter().zip(kinds).filter_map(|(side, kind)| Some((side, kind?)));
            let sides: Vec<Value> =
                set.map(|(side, kind)| json!([cell.x, cell.y, side.name(), kind.0])).collect();
            ("set_side", json!({ "sides": sides }))
        }
    }
}

fn pose_json(world: &World, class: ClassId, pose: Pose) -> Value {
    let headings = world.tables()[class.0 as usize].space().headings();
    json!([pose.cell.x, pose.cell.y, heading_name(headings, pose.heading)])
}

/// Writes the first line: map, kinds and classes.
/// # Errors
/// Those of the writer.
pub fn write_header(world: &World, out: &mut impl Write) -> io::Result<()> {
    let grid = world.grid();
    let size = grid.size();
    let terrain: Vec<Value> =
        grid.terrain_table().entries().iter().map(|e| json!([e.name, e.speed])).collect();
    let side_kinds: Vec<Value> =
        grid.side_table().entries().iter().map(|e| json!([e.name, e.speed])).collect();
    let specs = world.tables().iter().map(|tables| tables.class().spec());
    let classes: serde_json::Map<String, Value> =
        specs.map(|spec| (spec.name.clone(), class_json(spec))).collect();
    let mut header = json!({
        "trace": 1,
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
    if let Some(elevation) = grid.elevation() {
        header["elevation"] = json!(runs(elevation.iter().map(|&height| i64::from(height))));
    }
    writeln!(out, "{header}")
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

/// Writes the line of an event that took effect at a tick.
/// # Errors
/// Those of the writer.
pub fn write_event(world: &World, tick: u32, event: &TraceEvent, out: &mut impl Write) -> io::Result<()> {
    let line = match *event {
        TraceEvent::Spawn { agent, class, pose, tick } => json!({
            "t": tick,
            "spawn": agent.0,
            "class": world.classes()[class.0 as usize].name,
            "at": pose_json(world, class, pose),
        }),
        TraceEvent::Remove { agent } => json!({ "t": tick, "remove": agent.0 }),
        TraceEvent::Order { agent, order } => json!({
            "t": tick,
            "agent": agent.0,
            "order": order_json(&world.orders().all()[order as usize], world.orders()),
        }),
        TraceEvent::Path { .. } => return Ok(()),
        TraceEvent::Move { agent, class, primitive, to, until, .. } => json!({
            "t": tick,
            "agent": agent.0,
            "move": world.tables()[class.0 as usize].class().primitives()[primitive as usize].name,
            "to": pose_json(world, class, to),
            "until": until,
        }),
        TraceEvent::Done { agent, order } => json!({ "t": tick, "agent": agent.0, "done": order }),
        TraceEvent::Unreachable { agent, order } => {
            json!({ "t": tick, "agent": agent.0, "unreachable": order })
        }
        TraceEvent::Task { agent, class, goal } => {
            let headings = world.tables()[class.0 as usize].space().headings();
            let heading = goal.heading.map_or("any", |heading| heading_name(headings, heading));
            json!({ "t": tick, "agent": agent.0, "task": [goal.cell.x, goal.cell.y, heading] })
        }
        TraceEvent::TaskDone { agent, cell } => {
            json!({ "t": tick, "agent": agent.0, "task_done": [cell.x, cell.y] })
        }
        TraceEvent::Edit(AppliedEdit { effect, on_agents, asked }) => {
            let (key, value) = effect_json(&effect, world.grid().shape());
            json!({
                "t": tick,
                key: value,
                "on_agents": match on_agents {
                    OnAgents::Wait => "wait",
                    OnAgents::Strand => "strand",
                    OnAgents::Remove => "remove",
                },
                "asked": asked,
            })
        }
    };
    writeln!(out, "{line}")
}

/// Writes the last line: the outcome.
/// # Errors
/// Those of the writer.
pub fn write_end(result: &RunResult, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", json!({ "t": result.ticks, "end": outcome_json(result) }))
}
