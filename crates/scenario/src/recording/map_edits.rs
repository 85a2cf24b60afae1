//! Edits of the map in a recording: applied to its layers, and kept for key frames.

use crate::recording::header::MapLayers;
use crate::recording::record::{Event, TickRecord};
use crate::recording::tick_code::encode_edit;
use wheelbase_grid::Rect;
use wheelbase_sim::{AppliedEdit, EditEffect};

/// Cost of finding a row of cells to paint, in painted cells.
const ROW_CELLS: u64 = 16;
/// Later edits kept to compare earlier ones with.
const LATER_KEPT: usize = 16;

/// Applies edits in order, but skips some that later ones overwrite. `painted` counts cells, up to `painted_max`.
/// # Errors
/// The text of what is too much.
pub(super) fn apply_edits(
    effects: &[EditEffect],
    map: &mut MapLayers,
    painted: &mut u64,
    painted_max: u64,
) -> Result<(), String> {
    // The largest edits, from the last one on: a flood that comes and goes is painted once.
    let mut later: Vec<EditEffect> = Vec::with_capacity(LATER_KEPT);
    let mut kept: Vec<&EditEffect> = Vec::new();
    for effect in effects.iter().rev() {
        if later.iter().any(|later| overwrites(later, effect)) {
            continue;
        }
        *painted = painted.saturating_add(cells_painted(effect));
        kept.push(effect);
        if later.len() < LATER_KEPT {
            later.push(*effect);
        } else if let Some(least) = later.iter_mut().min_by_key(|later| cells_painted(later))
            && cells_painted(least) < cells_painted(effect)
        {
            *least = *effect;
        }
    }
    if *painted > painted_max {
        let n = effects.len();
        return Err(format!("its edits, {n} of them here, paint more than {painted_max} cells of the map"));
    }
    kept.iter().rev().for_each(|effect| apply(effect, map));
    Ok(())
}

/// What it costs to apply an edit.
fn cells_painted(effect: &EditEffect) -> u64 {
    match effect {
        EditEffect::Terrain { area, .. } | EditEffect::Elevation { area, .. } => {
            u64::from(area.height) * (u64::from(area.width) + ROW_CELLS)
        }
        EditEffect::Sides { .. } => ROW_CELLS,
    }
}

/// Whether an edit sets all that an earlier one did.
fn overwrites(later: &EditEffect, earlier: &EditEffect) -> bool {
    match (later, earlier) {
        (EditEffect::Terrain { area, .. }, EditEffect::Terrain { area: earlier, .. })
        | (EditEffect::Elevation { area, .. }, EditEffect::Elevation { area: earlier, .. }) => {
            area.intersection(*earlier) == *earlier
        }
        (
            EditEffect::Sides { cell, kinds },
            EditEffect::Sides { cell: earlier_cell, kinds: earlier_kinds },
        ) => {
            let mut sides = kinds.iter().zip(earlier_kinds);
            cell == earlier_cell && sides.all(|(later, earlier)| later.is_some() || earlier.is_none())
        }
        _ => false,
    }
}

/// Applies an edit; skips cells off the map.
fn apply(effect: &EditEffect, map: &mut MapLayers) {
    let n_cells = map.terrain.len();
    let on_map = Rect::new(0, 0, map.width, map.height);
    let width = map.width as usize;
    fn fill<T: Copy>(layer: &mut [T], width: usize, area: Rect, value: T) {
        let (x, y) = (area.x as usize, area.y as usize);
        if area.is_empty() {
            return;
        }
        for row in layer.chunks_exact_mut(width).skip(y).take(area.height as usize) {
            row[x..x + area.width as usize].fill(value);
        }
    }
    match *effect {
        EditEffect::Terrain { area, kind } => {
            fill(&mut map.terrain, width, area.intersection(on_map), kind.0)
        }
        EditEffect::Elevation { area, height } => {
            map.elevation.resize(n_cells, 0);
            fill(&mut map.elevation, width, area.intersection(on_map), height);
        }
        EditEffect::Sides { cell, kinds } => {
            map.sides.resize(n_cells, 0);
            let Some(index) = map.index(cell) else { return };
            for (side, kind) in kinds.iter().enumerate() {
                if let Some(kind) = kind {
                    let bits = 4 * side as u32;
                    map.sides[index] = map.sides[index] & !(15 << bits) | u32::from(kind.0 & 15) << bits;
                }
            }
        }
    }
}

/// The edits so far that no later one overwrites: the map of a key frame.
#[derive(Debug, Default)]
pub(super) struct EditsInForce(Vec<AppliedEdit>);

impl EditsInForce {
    /// Adds the edits of a tick. An edit replaces those it overwrites, so that a bridge that opens and closes forever
    /// is kept once.
    pub(super) fn note(&mut self, record: &TickRecord) {
        for event in &record.events {
            if let Event::Edit(edit) = event {
                self.0.retain(|earlier| !overwrites(&edit.effect, &earlier.effect));
                self.0.push(*edit);
            }
        }
    }

    /// Appends them as they stand in a key frame.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|edit| encode_edit(edit, out));
    }
}
