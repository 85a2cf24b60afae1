//! The abstract graph of a class in a run: when it is made, and how far.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wheelbase_grid::Rect;
use wheelbase_planner::MovementTables;
use wheelbase_planner::abstraction::Abstraction;

/// Bits of the expansions that are counted. Every graph costs less than their most.
const UNFIT_BITS: u32 = 40;
const UNFIT_MAX: u64 = (1 << UNFIT_BITS) - 1;

/// The abstract graph of a class. It follows the edits of the map.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassGraph {
    graph: Option<Arc<Abstraction>>,
    /// Expansions expected of exact searches to far goals that did not fit the budgets of their ticks, until the graph
    /// is complete.
    unfit: u64,
}

/// A graph as a snapshot stores it. Its costs follow from the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedGraph {
    unfit: u64,
    /// Clusters that have their costs; `None` without a graph.
    n_searched: Option<u32>,
}

impl ClassGraph {
    /// The graph, once it is complete.
    pub fn complete(&self) -> Option<&Abstraction> {
        self.graph.as_deref().filter(|graph| graph.is_complete())
    }

    /// Makes all that is missing of it.
    pub fn finish(&mut self, tables: &MovementTables) {
        if self.complete().is_none() {
            self.search_more(tables, usize::MAX);
        }
    }

    /// Notes the expansions expected of exact searches that did not fit the budget of a tick.
    pub fn note_unfit(&mut self, expansions: u64) {
        self.unfit = self.unfit.saturating_add(expansions).min(UNFIT_MAX);
    }

    /// Makes as many clusters as a budget of expansions pays for, at least one. It waits until exact searches have cost
    /// as much as the graph. (Ski rental: in the worst case both together cost twice as much as either.) Returns the
    /// rest of the budget.
    pub fn extend(&mut self, tables: &MovementTables, budget: u64) -> u64 {
        let space = tables.space();
        if self.complete().is_some() || self.unfit < Abstraction::expansions(space) {
            return budget;
        }
        let each = Abstraction::cluster_expansions(space);
        let n = self.search_more(tables, (budget / each).max(1) as usize);
        budget.saturating_sub(n as u64 * each)
    }

    fn search_more(&mut self, tables: &MovementTables, clusters_max: usize) -> usize {
        let graph = self.graph.get_or_insert_with(|| Arc::new(Abstraction::without_costs(tables)));
        Arc::make_mut(graph).search_more(tables, clusters_max)
    }

    /// Follows an edit that the tables have followed.
    pub fn update(&mut self, tables: &MovementTables, changed: Rect) {
        if let Some(graph) = &mut self.graph {
            Arc::make_mut(graph).update(tables, changed);
        }
    }

    /// The state on which answers depend if graphs are made when they pay.
    pub fn word(&self) -> u64 {
        let n_searched = self.graph.as_ref().map_or(0, |graph| graph.n_searched() as u64 + 1);
        n_searched << UNFIT_BITS | self.unfit
    }

    pub fn save(&self) -> SavedGraph {
        let n_searched = self.graph.as_ref().map(|graph| graph.n_searched() as u32);
        SavedGraph { unfit: self.unfit, n_searched }
    }

    /// Makes a graph as far as it was made when it was saved.
    pub fn restore(saved: SavedGraph, tables: &MovementTables) -> Self {
        let mut restored = Self { graph: None, unfit: saved.unfit.min(UNFIT_MAX) };
        if let Some(n) = saved.n_searched {
            restored.search_more(tables, n as usize);
        }
        restored
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.graph.as_ref().map_or(0, |graph| graph.memory_bytes())
    }
}
