//! Keep-clear ground: where no plan ends while a corridor is busy.
//!
//! The box rule of road traffic: enter a junction only if the way out of it is free. Where two bodies can pass each other
//! in a corridor, agents enter it from both ends at once. If they could stop in it, or on the ground before its
//! entrances, waiting agents would stand in the way of agents that come out. So a plan that leads onto this ground
//! leads off it again: it reserves the whole crossing, or the agent stays outside. Agents that are there already,
//! because the corridor has just become busy or an edit waits for it to be empty, leave it by any plan, and stay only
//! without one. A goal there may be occupied, and so may a retreat.
//!
//! In a corridor in which no two bodies pass, directions take turns, and the ground before its entrances is kept clear
//! by admission.

use crate::clone_fields::clone_fields;
use crate::cooperative::admission::Admission;
use crate::cooperative::corridor_map::CorridorMap;
use crate::free_cells::grown;
use crate::params::TrafficParams;
use crate::teams::Team;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::Offset;

/// The keep-clear ground of a corridor.
#[derive(Clone, Debug)]
struct Ground {
    corridor: u32,
    /// Its bounding rectangle.
    bounds: Rect,
    /// Which cells of the rectangle are part of it, row by row.
    cells: Vec<bool>,
    /// Teams for which the corridor is busy at this tick, a bit each.
    busy_for: u32,
}

/// The keep-clear ground of all corridors that were busy since the last edit of the map. Memory: a byte for each cell of
/// the bounding rectangle of each. It follows from the map and from which corridors are busy, so nothing of it is saved.
#[derive(Debug)]
pub(crate) struct KeepClear {
    /// Cells before an entrance that are kept clear.
    reach: u32,
    /// Width of a corridor in which two of the narrowest bodies pass.
    pub(crate) passing_width: u32,
    grounds: Vec<Ground>,
    /// Indices of those whose corridors are busy at this tick.
    active: Vec<u32>,
}

clone_fields!(KeepClear { reach, passing_width, grounds, active });

impl KeepClear {
    /// No ground yet, for classes with the shortest and longest sides of their bodies.
    pub(crate) fn new(sides: &[(u32, u32)], params: &TrafficParams) -> Self {
        let longest = sides.iter().map(|&(_, long)| long).max().unwrap_or(1);
        let narrowest = sides.iter().map(|&(short, _)| short).min().unwrap_or(1);
        Self {
            reach: (params.keep_clear_quarters * longest).div_ceil(4),
            passing_width: 2 * narrowest,
            grounds: Vec::new(),
            active: Vec::new(),
        }
    }

    /// Forgets all ground, after an edit of the map.
    pub(crate) fn forget(&mut self) {
        self.grounds.clear();
        self.active.clear();
    }

    /// Follows which corridors are busy at a tick. Linear in the ground of a corridor that is busy for the first time.
    pub(crate) fn update(&mut self, map: &CorridorMap, admission: &Admission) {
        self.active.clear();
        if self.reach == 0 || !admission.any_busy {
            return;
        }
        for (number, shape) in map.shapes.iter().enumerate() {
            let corridor = number as u32;
            let busy_for = admission.busy_for(corridor);
            if busy_for == 0 || shape.width < self.passing_width {
                continue;
            }
            let known = self.grounds.iter().position(|ground| ground.corridor == corridor);
            let at = known.unwrap_or(self.grounds.len());
            if known.is_none() {
                self.grounds.push(Ground::find(map, (corridor, shape.first_cell), self.reach));
            }
            self.grounds[at].busy_for = busy_for;
            self.active.push(at as u32);
        }
    }

    /// The grounds on which agents of a team must not stop.
    fn for_team(&self, team: Team) -> impl Iterator<Item = &Ground> {
        let active = self.active.iter().map(|&at| &self.grounds[at as usize]);
        active.filter(move |ground| team.is_in(ground.busy_for))
    }

    /// Whether an agent of a team must not stop where its body covers some cells.
    #[inline]
    pub(crate) fn covers(&self, (anchor, cells): (CellXY, &[Offset]), team: Team) -> bool {
        self.corridor_under((anchor, cells), team).is_some()
    }

    /// A corridor on whose ground an agent of a team must not stop where its body covers some cells.
    pub(crate) fn corridor_under(&self, (anchor, cells): (CellXY, &[Offset]), team: Team) -> Option<u32> {
        let is_under = |ground: &&Ground| cells.iter().any(|to| ground.contains(to.cell_from(anchor)));
        self.for_team(team).find(is_under).map(|ground| ground.corridor)
    }

    /// Whether there is any such ground at this tick.
    pub(crate) fn is_active(&self) -> bool {
        !self.active.is_empty()
    }
}

impl Ground {
    /// The cells of a corridor, and the free cells from which it is at most `reach` steps away, diagonal steps too.
    fn find(map: &CorridorMap, (corridor, first): (u32, u32), reach: u32) -> Self {
        let width = map.size.width();
        let first = CellXY::new((first % width) as i32, (first / width) as i32);
        let mut found = BTreeSet::from([(first.y, first.x)]);
        // The neighbours of the cells of a ring that are part of it and new.
        let mut next = |ring: &[CellXY], is_part: &dyn Fn(CellXY) -> bool| -> Vec<CellXY> {
            let around = |&cell: &CellXY| grown(Rect::new(cell.x, cell.y, 1, 1), 1, map.size).cells();
            let cells = ring.iter().flat_map(around).filter(|&cell| is_part(cell));
            cells.filter(|cell| found.insert((cell.y, cell.x))).collect()
        };
        let mut ring = vec![first];
        let mut all = ring.clone();
        while !ring.is_empty() {
            ring = next(&ring, &|cell| map.at_anchor(cell) == corridor);
            all.extend_from_slice(&ring);
        }
        ring.clone_from(&all);
        for _ in 0..reach {
            ring = next(&ring, &|cell| map.free.get(cell));
            all.extend_from_slice(&ring);
        }
        let around = |bounds: Rect, cell: &CellXY| bounds.union(Rect::new(cell.x, cell.y, 1, 1));
        let bounds = all.iter().fold(Rect::new(first.x, first.y, 1, 1), around);
        let cells = bounds.cells().map(|cell| found.contains(&(cell.y, cell.x))).collect();
        Self { corridor, bounds, cells, busy_for: 0 }
    }

    #[inline]
    fn contains(&self, cell: CellXY) -> bool {
        let (x, y) = (cell.x - self.bounds.x, cell.y - self.bounds.y);
        self.bounds.contains(cell) && self.cells[y as usize * self.bounds.width as usize + x as usize]
    }
}
