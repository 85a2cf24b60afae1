//! Events.

use super::complaints::{Complaints, listed};
use crate::events::{TerrainEdit, TimedEdit};
use crate::scenario::{self, Scenario};
use wheelbase_grid::{Grid, Rect};

pub(super) fn build_events(typed: &Scenario, grid: &Grid, errors: &mut Complaints<'_>) -> Vec<TimedEdit> {
    let mut events = Vec::new();
    for event in &typed.events {
        let scenario::EventAction::SetTerrain { area, kind, on_agents } = &event.action;
        let Some(kind) = grid.terrain_table().kind_of_name(&kind.value) else {
            let known = listed(grid.terrain_table().entries().iter().map(|e| e.name.as_str()));
            let message = format!("no terrain \"{}\", expected {known}", kind.value);
            errors.add(kind.line, &format!("{}.set_terrain.kind", event.key), message);
            continue;
        };
        let edit = TerrainEdit { area: area_rect(area), kind, on_agents: *on_agents };
        events.push(TimedEdit { tick: event.tick, edit });
    }
    // Stable: events of one tick apply in the order of the file.
    events.sort_by_key(|event| event.tick);
    events
}

pub(super) fn area_rect(area: &scenario::Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}
