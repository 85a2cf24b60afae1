//! Movement tables as data: what edits leave in them that a fresh compilation does not.

use crate::model::movement::MovementClass;
use crate::restore_error::{RestoreError, check_length};
use crate::tables::components::Components;
use crate::tables::components::saved_components::SavedComponents;
use crate::tables::layouts::with_layout;
use crate::tables::movement_tables::{Compiled, MovementTables, layout_bytes};
use std::sync::Arc;
use wheelbase_grid::Grid;

/// What [`MovementTables::save`] returns: all that map and class do not tell of tables that have followed edits. Plain
/// data, and little of it: a few times of each move on slopes. One-way moves add their strong components, up to 5
/// bytes per state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedTables {
    /// Number of the layout of the move words.
    layout: u8,
    /// Whether edges are stored.
    has_edges: bool,
    /// On slopes, for each primitive: its times in order of code.
    slope_times: Vec<Vec<u32>>,
    /// On slopes: bounds of move times.
    min_ticks: Vec<u32>,
    max_ticks: u32,
    components: Option<SavedComponents>,
    revision: u64,
}

impl SavedTables {
    /// Bytes per state of the tables that it restores, without components. The words of their moves may be wider after
    /// edits than [`tables_need`](crate::tables_need) tells. For a limit to the memory before it is taken.
    pub fn word_bytes(&self) -> u64 {
        layout_bytes(usize::from(self.layout))
    }
}

impl MovementTables {
    /// All that map and class do not tell of the tables. Linear in the states for one-way moves.
    pub fn save(&self) -> SavedTables {
        let Compiled { graph, components, revision, .. } = self.compiled();
        // Codes are numbered from 1.
        let in_order = |codes: &std::collections::BTreeMap<u32, u32>| {
            let mut times: Vec<u32> = codes.keys().copied().collect();
            times.sort_unstable_by_key(|ticks| codes[ticks]);
            times
        };
        let sloped = graph.is_sloped();
        SavedTables {
            layout: graph.layouts.number() as u8,
            has_edges: with_layout!(&graph.layouts, layout => layout.layers.has_edges()),
            slope_times: graph.slope_codes.iter().map(in_order).collect(),
            min_ticks: if sloped { graph.min_ticks.clone() } else { Vec::new() },
            max_ticks: if sloped { graph.max_ticks } else { 0 },
            components: components.save(graph),
            revision: *revision,
        }
    }

    /// Compiles a class against a map as the saved tables were. They answer every question alike, now and after any
    /// later edits, and lead searches and fields the same way. Takes as long as compiling, and as making the components
    /// if there were any.
    ///
    /// `grid` must be the map as the saved tables knew it, and must also have an elevation layer if that map had one.
    /// # Errors
    /// [`RestoreError`] if the saved tables are none of this class on this map.
    pub fn restore(saved: &SavedTables, grid: &Grid, class: MovementClass) -> Result<Self, RestoreError> {
        let SavedTables { layout, has_edges, slope_times, min_ticks, max_ticks, components, revision } =
            saved;
        if grid.shape() != class.grid_shape() {
            return Err(RestoreError::new("tables", "a class for maps of another shape"));
        }
        let n_primitives = class.primitives().len();
        let layout = usize::from(*layout);
        let compiled = Compiled::in_layout_with_times(grid, Arc::new(class), layout, slope_times, *has_edges);
        let mut compiled = compiled.ok_or_else(|| {
            RestoreError::new("tables", format_args!("layout {layout} or its times do not fit class and map"))
        })?;
        if compiled.graph.is_sloped() {
            check_length("least times", min_ticks.len(), n_primitives)?;
            let graph = &mut compiled.graph;
            let bounds =
                min_ticks.iter().zip(&graph.min_ticks).all(|(&saved, &ticks)| (1..=ticks).contains(&saved));
            if !bounds || *max_ticks < graph.max_ticks {
                return Err(RestoreError::new("tables", "times of moves are not within their bounds"));
            }
            graph.min_ticks.clone_from(min_ticks);
            graph.max_ticks = *max_ticks;
        } else {
            check_length("least times", min_ticks.len(), 0)?;
        }
        if let Some(saved) = components {
            compiled.components = Components::restore(saved, &compiled.graph)?;
        }
        compiled.revision = *revision;
        Ok(Self::of_compiled(compiled))
    }
}
