//! Edits of the map in a recording: applied to its layers, and kept for key frames.

use crate::recording::header::MapLayers;
use crate::recording::record::{Event, TickRecord};
use crate::recording::tick_code::{EDITS_MAX, encode_edit};
use std::collections::BTreeSet;
use wheelbase_grid::Rect;
use wheelbase_sim::{AppliedEdit, EditEffect};

/// Cost of finding a row of cells to paint, in painted cells.
const ROW_CELLS: u64 = 16;
/// Most later edits compared with earlier ones of other parts.
const LATER_KEPT: usize = 16;

/// Applies edits in order, but skips some that later ones overwrite. `painted` counts cells, up to `painted_max`.
/// # Errors
/// The text of the exceeded limit.
pub(super) fn apply_edits(
    effects: &[EditEffect],
    map: &mut MapLayers,
    painted: &mut u64,
    painted_max: u64,
) -> Result<(), String> {
    let mut later = LaterEdits::default();
    let mut kept: Vec<&EditEffect> = Vec::new();
    for effect in effects.iter().rev() {
        if later.is_news(effect) {
            *painted = painted.saturating_add(cells_painted(effect));
            kept.push(effect);
        }
    }
    if *painted > painted_max {
        let n = effects.len();
        return Err(format!("its edits, {n} of them here, paint more than {painted_max} cells of the map"));
    }
    kept.iter().rev().for_each(|effect| apply(effect, map));
    Ok(())
}

/// The layer, and the area or the cell and the sides that an edit sets.
type SetPart = (u8, [i32; 2], [u32; 2]);

/// Edits visited from the last to the first, to find edits that a later edit overwrites. The later edit is one of the
/// largest, or any of the same part. A flood that comes and goes is kept once, and so is a bridge that opens and
/// closes.
#[derive(Default)]
struct LaterEdits {
    largest: Vec<EditEffect>,
    parts: BTreeSet<SetPart>,
}

impl LaterEdits {
    /// Adds an edit. Returns whether no later edit is known to overwrite it.
    fn is_news(&mut self, effect: &EditEffect) -> bool {
        if self.largest.iter().any(|later| overwrites(later, effect)) || !self.parts.insert(part_of(effect)) {
            return false;
        }
        if self.largest.len() < LATER_KEPT {
            self.largest.push(*effect);
        } else if let Some(least) = self.largest.iter_mut().min_by_key(|later| cells_painted(later))
            && cells_painted(least) < cells_painted(effect)
        {
            *least = *effect;
        }
        true
    }
}

/// What an edit sets.
fn part_of(effect: &EditEffect) -> SetPart {
    match *effect {
        EditEffect::Terrain { area, .. } => (0, [area.x, area.y], [area.width, area.height]),
        EditEffect::Elevation { area, .. } => (1, [area.x, area.y], [area.width, area.height]),
        EditEffect::Sides { cell, kinds } => {
            let sides = kinds.iter().enumerate().map(|(side, kind)| u32::from(kind.is_some()) << side);
            (2, [cell.x, cell.y], [sides.sum(), 0])
        }
    }
}

/// The cost of applying an edit.
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

/// The edits so far that make the map of a key frame: all that no later edit is known to overwrite.
#[derive(Debug, Default)]
pub(super) struct EditsInForce {
    edits: Vec<AppliedEdit>,
    /// Number of edits after the overwritten ones were last dropped.
    n_kept: usize,
}

/// Overwritten edits are dropped at this many more edits than twice the number kept last.
const DROP_FROM: usize = 1 << 10;

impl EditsInForce {
    /// Adds the edits of a tick.
    /// # Errors
    /// There are too many.
    pub(super) fn note(&mut self, record: &TickRecord) -> Result<(), String> {
        for event in &record.events {
            if let Event::Edit(edit) = event {
                self.edits.push(*edit);
                if self.edits.len() >= 2 * self.n_kept + DROP_FROM {
                    self.drop_overwritten();
                }
            }
        }
        let n = self.edits.len();
        if n > EDITS_MAX { Err(format!("{n} edits in force, expected at most {EDITS_MAX}")) } else { Ok(()) }
    }

    fn drop_overwritten(&mut self) {
        if self.edits.len() == self.n_kept {
            return;
        }
        let mut later = LaterEdits::default();
        self.edits.reverse();
        self.edits.retain(|edit| later.is_news(&edit.effect));
        self.edits.reverse();
        self.n_kept = self.edits.len();
    }

    /// Appends them as they stand in a key frame.
    pub(super) fn encode(&mut self, out: &mut Vec<u8>) {
        self.drop_overwritten();
        self.edits.iter().for_each(|edit| encode_edit(edit, out));
    }
}
