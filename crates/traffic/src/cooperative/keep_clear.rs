//! Keep-clear ground: where no plan ends while a corridor is busy.
//!
//! The box rule of road traffic: enter a junction only if the way out of it is free. Where two bodies can pass each other
//! in a corridor, agents enter it from both ends at once. If they could stop in it, or on the ground before its
//! entrances, those that wait would stand in the way of those that come out. So a plan that leads onto this ground
//! leads off it again: it reserves the whole crossing, or the agent stays outside. Agents that are there already,
//! because the corridor has just become busy or an edit waits for it to be empty, leave it by any plan, and stay only
//! without one. A goal there may be occupied.
//!
//! In a corridor in which no two bodies pass, directions take turns, and the ground before its entrances is kept clear
//! by admission.

use crate::clone_fields::clone_fields;
use crate::cooperative::admission::Admission;
use crate::cooperative::corridor_map::CorridorMap;
use crate::free_cells::grown;
use crate::params::TrafficParams;
use crate::teams::Team;
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::model::Offset;

/// The keep-clear ground of a corridor.
#[derive(Clone, Debug)]
struct Ground {
    corridor: u32,
    /// The area that it can lie in, and its bounding rectangle.
    area: Rect,
    bounds: Rect,
    /// Its cells, by place in the area.
    cells: BitGrid,
    /// Teams for which the corridor is busy at this tick, a bit each.
    busy_for: u32,
}

/// The keep-clear ground of all corridors that were busy since the last edit of the map. Memory: a bit for each cell of
/// an area around each. It follows from the map and from which corridors are busy, so nothing of it is saved.
#[derive(Debug)]
pub(crate) struct KeepClear {
    /// Cells before an entrance that are kept clear.
    reach: u32,
    /// Width of a corridor in which two of the narrowest bodies pass.
    passing_width: u32,
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
        self.for_team(team).any(|ground| cells.iter().any(|to| ground.contains(to.cell_from(anchor))))
    }

    /// Whether such ground is within some columns and rows of a cell.
    pub(crate) fn is_near(&self, cell: CellXY, reach: u32, team: Team, size: GridSize) -> bool {
        self.for_team(team).any(|ground| grown(ground.bounds, reach, size).contains(cell))
    }
}

impl Ground {
    /// The cells of a corridor, and the free cells from which it is at most `reach` steps away, diagonal steps too.
    fn find(map: &CorridorMap, (corridor, first): (u32, u32), reach: u32) -> Self {
        let width = map.size.width();
        let first = CellXY::new((first % width) as i32, (first / width) as i32);
        let around = |cell: CellXY, by| grown(Rect::new(cell.x, cell.y, 1, 1), by, map.size);
        let area = around(first, map.side_max + reach);
        let mut ground = Self {
            corridor,
            area,
            bounds: around(first, 0),
            cells: BitGrid::new(map.size_of(area)),
            busy_for: 0,
        };
        let mut found = vec![first];
        ground.insert(first);
        let mut next = 0;
        while next < found.len() {
            let cells = around(found[next], 1).cells().filter(|&cell| map.at_anchor(cell) == corridor);
            found.extend(cells.filter(|&cell| ground.insert(cell)));
            next += 1;
        }
        let mut ring = 0;
        for _ in 0..reach {
            let end = found.len();
            for at in std::mem::replace(&mut ring, end)..end {
                let cells = around(found[at], 1).cells().filter(|&cell| map.free.get(cell));
                found.extend(cells.filter(|&cell| ground.insert(cell)));
            }
        }
        ground
    }

    /// Adds a cell; says whether it is new.
    fn insert(&mut self, cell: CellXY) -> bool {
        let at = self.place(cell);
        let is_new = !self.cells.get(at);
        self.cells.set(at, true);
        self.bounds = self.bounds.union(Rect::new(cell.x, cell.y, 1, 1));
        is_new
    }

    fn place(&self, cell: CellXY) -> CellXY {
        CellXY::new(cell.x - self.area.x, cell.y - self.area.y)
    }

    #[inline]
    fn contains(&self, cell: CellXY) -> bool {
        self.cells.get(self.place(cell))
    }
}
