//! Costs of states and what supports them: the moves by which a cost is reached.

use crate::fields::cost_field::arcs::{Arcs, Graph};
use crate::model::lattice::Lattice;
use crate::tables::move_words::MoveWord;

/// Cost of a state that is not reached.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Moves of a state that has none: it is a source, or not settled. They leave it where it is.
pub(crate) const AT_SOURCE: u8 = 16;

pub(crate) const NO_MOVE: u8 = 17;

pub(crate) const MOVES_STRIDE: usize = 32;

/// Which way the costs of a [`CostField`](crate::fields::CostField) run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From each pose to the nearest pose of a goal.
    ToGoal,
    /// From the nearest pose of a set of starts to each pose.
    FromStart,
}

/// The least primitive by which a settled state's cost is the time of the move plus the cost after it.
#[inline]
pub(crate) fn downhill_move<W: MoveWord, L: Lattice>(
    graph: &Graph<'_, W, L>,
    arcs: &Arcs,
    costs: &[u32],
    state: u32,
) -> u8 {
    let cost = costs[state as usize];
    if cost == 0 {
        return AT_SOURCE;
    }
    graph.primitive_of(arcs, state, (cost, NO_MOVE), |next| costs[next as usize])
}

/// The least cost of a state by its moves to settled states. Others support nothing: they spread their cost
/// when they are settled.
#[inline(always)]
pub(crate) fn least_support<W: MoveWord, L: Lattice>(
    graph: &Graph<'_, W, L>,
    downhill: &Arcs,
    costs: &[u32],
    radius: u32,
    state: u32,
) -> u32 {
    graph.least(downhill, state, |next| {
        let cost = costs[next as usize];
        if cost <= radius { cost } else { UNREACHED }
    })
}

/// Entries that repairs may add to a frontier at least before the stale ones among them are dropped.
pub(crate) const STALE_MAX: usize = 4096;
