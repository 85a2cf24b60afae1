//! Keep-clear ground: where no plan ends while a corridor is busy or an edit waits.
//!
//! The box rule of road traffic: enter a junction only if the way out of it is free. Where two bodies can pass each other
//! in a corridor, agents enter it from both ends at once. If they could stop in it, or on the ground before its
//! entrances, waiting agents would stand in the way of agents that come out. So a plan that leads onto this ground
//! leads off it again: it reserves the whole crossing, or the agent stays outside. Agents that are there already,
//! because the corridor has just become busy or an edit waits for it to be empty, leave it by any plan, and stay only
//! without one. A goal there may be occupied, and so may a retreat.
//!
//! The cells of an edit that waits, and the ground around them, are kept clear too: agents that may not enter them would
//! stand in the way of agents that have to leave.
//!
//! In a corridor in which no two bodies pass, directions take turns, and the ground before its entrances is kept clear
//! by admission.

use crate::clone_fields::clone_fields;
use crate::cooperative::admission::Admission;
use crate::cooperative::corridor_map::CorridorMap;
use crate::forbidden::ForbiddenArea;
use crate::free_cells::grown;
use crate::params::TrafficParams;
use crate::teams::Team;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::Offset;

/// What ground is kept clear for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptFor {
    /// A corridor, while it is busy.
    Corridor(u32),
    /// An edit that waits.
    Edit(u64),
}

/// An agent as far as keep-clear ground is concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepsClear {
    team: Team,
    /// It is on the cells of an edit that waits: it leaves them by any plan.
    pub(crate) leaves_edit: bool,
}

/// The keep-clear ground of a corridor or an edit.
#[derive(Clone, Debug)]
struct Ground {
    kept_for: KeptFor,
    /// Its bounding rectangle.
    bounds: Rect,
    /// What each cell of the rectangle is, row by row.
    cells: Vec<Part>,
    /// Teams that keep it clear at this tick, a bit each.
    teams: u32,
}

/// What a cell is to a ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    None,
    /// Kept clear.
    Ground,
    /// Kept clear, and a cell of the edit that waits.
    OfEdit,
}

/// The keep-clear ground of the edits that wait, and of all corridors that were busy since the last edit of the map.
/// Memory: a byte for each cell of the bounding rectangle of each. It follows from the map, from the edits and from which
/// corridors are busy, so nothing of it is saved.
#[derive(Debug)]
pub(crate) struct KeepClear {
    /// Cells before an entrance that are kept clear.
    reach: u32,
    /// Width of a corridor in which two of the narrowest bodies pass.
    pub(crate) passing_width: u32,
    grounds: Vec<Ground>,
    /// Indices of those that are kept clear at this tick.
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

    /// Follows which corridors are busy and which edits wait at a tick. Linear in the ground of a corridor that is busy
    /// for the first time, and of an edit that is new.
    pub(crate) fn update(&mut self, map: &CorridorMap, admission: &Admission, forbidden: &[ForbiddenArea]) {
        self.active.clear();
        if self.reach == 0 {
            return;
        }
        for areas in forbidden.chunk_by(|one, next| one.edit == next.edit) {
            let find = |reach| Ground::around(map, areas, reach);
            self.keep(KeptFor::Edit(areas[0].edit), u32::MAX, find);
        }
        if !admission.any_busy {
            return;
        }
        for (number, shape) in map.shapes.iter().enumerate() {
            let corridor = number as u32;
            let busy_for = admission.busy_for(corridor);
            if busy_for == 0 || shape.width < self.passing_width {
                continue;
            }
            let find = |reach| Ground::find(map, (corridor, shape.first_cell), reach);
            self.keep(KeptFor::Corridor(corridor), busy_for, find);
        }
    }

    /// Has some teams keep a ground clear at this tick.
    fn keep(&mut self, kept_for: KeptFor, teams: u32, find: impl FnOnce(u32) -> (Rect, Vec<Part>)) {
        let known = self.grounds.iter().position(|ground| ground.kept_for == kept_for);
        let at = known.unwrap_or(self.grounds.len());
        if known.is_none() {
            let (bounds, cells) = find(self.reach);
            self.grounds.push(Ground { kept_for, bounds, cells, teams });
        }
        self.grounds[at].teams = teams;
        self.active.push(at as u32);
    }

    /// An agent of a team that is, or will be, where its body covers some cells.
    pub(crate) fn agent_at(&self, team: Team, (anchor, cells): (CellXY, &[Offset])) -> KeepsClear {
        let is_on = |ground: &Ground| {
            ground.is_for_edit() && cells.iter().any(|to| ground.part(to.cell_from(anchor)) == Part::OfEdit)
        };
        KeepsClear { team, leaves_edit: self.active_grounds().any(is_on) }
    }

    /// Number of grounds that are kept clear at this tick.
    pub(crate) fn n_grounds(&self) -> usize {
        self.active.len()
    }

    /// The cells of a ground that is kept clear at this tick for an edit, and whether each is a cell of the edit; none of
    /// a ground that is kept clear for a corridor.
    pub(crate) fn cells_for_edit(&self, at: usize) -> impl Iterator<Item = (CellXY, bool)> {
        let ground = self.active.get(at).map(|&at| &self.grounds[at as usize]);
        let ground = ground.filter(|ground| ground.is_for_edit());
        let cells = ground.into_iter().flat_map(|ground| ground.bounds.cells().zip(&ground.cells));
        cells.filter(|(_, part)| **part != Part::None).map(|(cell, part)| (cell, *part == Part::OfEdit))
    }

    fn active_grounds(&self) -> impl Iterator<Item = &Ground> {
        self.active.iter().map(|&at| &self.grounds[at as usize])
    }

    /// Whether an agent must not stop where its body covers some cells.
    #[inline]
    pub(crate) fn covers(&self, body: (CellXY, &[Offset]), agent: KeepsClear) -> bool {
        self.kept_under(body, agent).is_some()
    }

    /// What the ground is kept clear for on which an agent must not stop where its body covers some cells.
    pub(crate) fn kept_under(
        &self,
        (anchor, cells): (CellXY, &[Offset]),
        agent: KeepsClear,
    ) -> Option<KeptFor> {
        let is_under = |ground: &&Ground| {
            agent.team.is_in(ground.teams)
                && !(agent.leaves_edit && ground.is_for_edit())
                && cells.iter().any(|to| ground.part(to.cell_from(anchor)) != Part::None)
        };
        self.active_grounds().find(is_under).map(|ground| ground.kept_for)
    }

    /// Whether there is any such ground at this tick.
    pub(crate) fn is_active(&self) -> bool {
        !self.active.is_empty()
    }
}

impl Ground {
    /// The cells of a corridor, and the free cells from which it is at most `reach` steps away, diagonal steps too.
    fn find(map: &CorridorMap, (corridor, first): (u32, u32), reach: u32) -> (Rect, Vec<Part>) {
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
        let part = |cell: CellXY| if found.contains(&(cell.y, cell.x)) { Part::Ground } else { Part::None };
        (bounds, bounds.cells().map(part).collect())
    }

    /// The cells of an edit's areas, and those at most `reach` steps away.
    fn around(map: &CorridorMap, areas: &[ForbiddenArea], reach: u32) -> (Rect, Vec<Part>) {
        // The rectangle of an edit may lie off the map, wholly or in part.
        let on_map = areas.iter().map(|of| of.area.intersection(map.size.rect()));
        let on_map = on_map.filter(|area| !area.is_empty());
        let near = |area: Rect| grown(area, reach, map.size);
        let bounds = on_map.clone().map(near).reduce(Rect::union).unwrap_or(Rect::new(0, 0, 0, 0));
        let mut parts = vec![Part::None; bounds.n_cells() as usize];
        let mut mark = |cell: CellXY, part: Part| {
            let (x, y) = (cell.x - bounds.x, cell.y - bounds.y);
            let known = &mut parts[y as usize * bounds.width as usize + x as usize];
            *known = part.max(*known);
        };
        on_map.clone().flat_map(|area| near(area).cells()).for_each(|cell| mark(cell, Part::Ground));
        on_map.flat_map(Rect::cells).for_each(|cell| mark(cell, Part::OfEdit));
        (bounds, parts)
    }

    fn is_for_edit(&self) -> bool {
        matches!(self.kept_for, KeptFor::Edit(_))
    }

    /// What a cell is to it.
    #[inline]
    fn part(&self, cell: CellXY) -> Part {
        if !self.bounds.contains(cell) {
            return Part::None;
        }
        let (x, y) = (cell.x - self.bounds.x, cell.y - self.bounds.y);
        self.cells[y as usize * self.bounds.width as usize + x as usize]
    }
}
