//! Costs of states and their support: the moves by which a cost is reached.

use crate::fields::cost_field::arcs::{ArcGraph, Arcs};
use crate::model::outcome::UNREACHED;
use crate::model::state_indexing::StateIndexing;
use crate::tables::move_words::MoveWord;

/// Values for states without a next move: a source, or unsettled. They leave the state where it is.
pub(crate) const AT_SOURCE: u8 = 16;

pub(crate) const NO_MOVE: u8 = 17;

pub(crate) const MOVES_STRIDE: usize = 32;

/// Direction of the costs of a [`CostField`](crate::fields::CostField).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Direction {
    /// From each pose to the nearest pose of a goal.
    ToGoal,
    /// From the nearest pose of a set of starts to each pose.
    FromStart,
}

/// The least primitive for which a settled state's cost is the time of the move plus the cost after it.
#[inline]
pub(crate) fn downhill_move<W: MoveWord, L: StateIndexing>(
    graph: &ArcGraph<'_, W, L>,
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

/// The least cost of a state by its moves to settled states. Unsettled states support nothing: they spread
/// their cost when they are settled.
#[inline(always)]
pub(crate) fn least_support<W: MoveWord, L: StateIndexing>(
    graph: &ArcGraph<'_, W, L>,
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

/// Minimum number of entries that repairs add to a frontier before its stale entries are removed.
pub(crate) const STALE_MAX: usize = 4096;
