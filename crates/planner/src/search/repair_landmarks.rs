//! Repair of landmarks after moves have become legal or cheaper, a few expansions at a time.
//!
//! Distances only become shorter then. From the poses near the change the shorter ones spread as in Dijkstra's
//! algorithm, column by column, and end where nothing becomes shorter.

use crate::fields::cost_field::extent::rows_of;
use crate::model::outcome::{COST_MAX, UNREACHED};
use crate::model::pose::State;
use crate::search::landmarks::{LandmarkDistances, Landmarks};
use crate::tables::MovementTables;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheelbase_grid::Rect;

/// A repair of landmarks under way. Until it is done their bounds do not hold.
#[derive(Clone, Debug, Default)]
pub struct LandmarkRepair {
    /// Poses from which moves may have become easier, in the order of the areas.
    near: Vec<State>,
    /// The column that is repaired, and how many of the poses it has looked at.
    column: usize,
    seen: usize,
    /// Poses with a shorter distance that has not spread yet.
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Landmarks {
    /// Begins a repair after moves that sweep cells of these areas have become legal or cheaper. `tables` follow that
    /// change already. No other move has changed since the landmarks were made or last repaired. Linear in the poses
    /// near the areas.
    pub fn begin_repair(&mut self, tables: &MovementTables, areas: &[Rect]) -> LandmarkRepair {
        self.step_max = self.step_max.max(Self::step_max_of(tables));
        let mut near: Vec<State> = Vec::new();
        for &area in areas {
            for states in rows_of(self.space, tables.touched_anchors(area)) {
                let states = states.map(|state| State(state as u32));
                near.extend(states.filter(|&state| tables.is_legal(state)));
            }
        }
        near.sort_unstable();
        near.dedup();
        LandmarkRepair { near, ..LandmarkRepair::default() }
    }

    /// Goes on with a repair, by at most a number of expansions. Returns the expansions spent, and whether the repair
    /// is done. Then the distances are equal to [`Landmarks::at`] the same poses.
    pub fn repair(
        &mut self,
        tables: &MovementTables,
        repair: &mut LandmarkRepair,
        expansions_max: u64,
    ) -> (u64, bool) {
        let n_from = self.states.len();
        let LandmarkRepair { near, column, seen, open } = repair;
        let mut spent = 0;
        while *column < 2 * n_from {
            let is_from = *column < n_from;
            // Distances that have become shorter again have spread from there.
            while let Some(&Reverse((ticks, state))) = open.peek()
                && self.distance(*column, state) != ticks
            {
                open.pop();
            }
            let next = near.get(*seen).copied();
            if next.is_none() && open.is_empty() {
                (*column, *seen) = (*column + 1, 0);
                continue;
            }
            if spent == expansions_max {
                return (spent, false);
            }
            spent += 1;
            let Some(state) = next else {
                if let Some(Reverse((ticks, state))) = open.pop() {
                    let spread = |landmarks: &mut Self, other: State, by: u32| {
                        landmarks.shorten(*column, other, ticks.saturating_add(by), open);
                    };
                    self.for_each_neighbour(tables, State(state), is_from, spread);
                }
                continue;
            };
            *seen += 1;
            // Of the poses near the change: their moves lead on from the landmark, or on to it.
            let ticks = self.distance(*column, state.0);
            let moves = |landmarks: &mut Self, other: State, by: u32| {
                if is_from {
                    landmarks.shorten(*column, other, ticks.saturating_add(by), open);
                } else {
                    let way = landmarks.distance(*column, other.0).saturating_add(by);
                    landmarks.shorten(*column, state, way, open);
                }
            };
            self.for_each_neighbour(tables, state, true, moves);
        }
        (spent, true)
    }

    /// Calls `found` with each pose after a move from a state, or before a move to it, and the ticks of that move.
    fn for_each_neighbour(
        &mut self,
        tables: &MovementTables,
        state: State,
        after: bool,
        mut found: impl FnMut(&mut Self, State, u32),
    ) {
        if after {
            tables.for_each_successor(state, |next| found(self, next.state, next.ticks));
        } else {
            tables.for_each_predecessor(state, |before| found(self, before.state, before.ticks));
        }
    }

    /// A distance, [`UNREACHED`] without a way.
    fn distance(&self, column: usize, state: u32) -> u32 {
        match &self.distances {
            LandmarkDistances::Narrow(columns) => match columns[column][state as usize] {
                u16::MAX => UNREACHED,
                ticks => u32::from(ticks),
            },
            LandmarkDistances::Wide(columns) => columns[column][state as usize],
        }
    }

    /// Sets a distance if it is shorter.
    fn shorten(
        &mut self,
        column: usize,
        state: State,
        ticks: u32,
        open: &mut BinaryHeap<Reverse<(u32, u32)>>,
    ) {
        if ticks > COST_MAX || ticks >= self.distance(column, state.0) {
            return;
        }
        if ticks >= u32::from(u16::MAX) {
            self.distances.widen();
        }
        match &mut self.distances {
            LandmarkDistances::Narrow(columns) => columns[column][state.0 as usize] = ticks as u16,
            LandmarkDistances::Wide(columns) => columns[column][state.0 as usize] = ticks,
        }
        open.push(Reverse((ticks, state.0)));
    }
}

impl LandmarkDistances {
    /// Makes room for distances of 32 bits.
    fn widen(&mut self) {
        if let Self::Narrow(columns) = self {
            let ticks = |&ticks: &u16| if ticks == u16::MAX { UNREACHED } else { u32::from(ticks) };
            *self = Self::Wide(columns.iter().map(|column| column.iter().map(ticks).collect()).collect());
        }
    }
}
