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
use crate::forbidden::{ForbiddenArea, bounds_of, meet, touches};
use crate::free_cells::grown;
use crate::params::TrafficParams;
use crate::teams::Team;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::model::Offset;

/// What ground is kept clear for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptFor {
    /// A corridor, while it is busy.
    Corridor(u32),
    /// An edit that waits.
    Edit,
}

/// An agent as far as keep-clear ground is concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepsClear {
    team: Team,
    /// It is on the cells of an edit that waits: it leaves them by any plan.
    pub(crate) leaves_edit: bool,
}

/// The keep-clear ground of a corridor.
#[derive(Clone, Debug)]
struct Ground {
    corridor: u32,
    /// Its bounding rectangle.
    bounds: Rect,
    /// Whether each cell of the rectangle is part of it, row by row.
    cells: Vec<bool>,
    /// Teams that keep it clear at this tick, a bit each.
    teams: u32,
}

/// The keep-clear ground of an edit that waits: its areas, and the cells around them. All teams keep it clear.
#[derive(Clone, Copy, Debug)]
struct EditGround {
    /// Its areas: from this index in the list of all areas up to the other.
    first: u32,
    end: u32,
    /// Its bounding rectangle.
    bounds: Rect,
}

/// An area of an edit that waits, as far as it is on the map.
#[derive(Clone, Copy, Debug)]
struct EditArea {
    area: Rect,
    /// The area and the cells around it that are kept clear.
    near: Rect,
}

/// What a body is to the ground of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// On cells of the edit.
    OnEdit,
    /// On the ground around them.
    Near,
}

/// The keep-clear ground of the edits that wait, and of all corridors that were busy since the last edit of the map.
/// Memory: a byte for each cell of the bounding rectangle of each corridor, and rectangles of the edits. It follows from
/// the map, from the edits and from which corridors are busy, so nothing of it is saved.
#[derive(Debug)]
pub(crate) struct KeepClear {
    /// Cells before an entrance that are kept clear.
    reach: u32,
    /// Width of a corridor in which two of the narrowest bodies pass.
    pub(crate) passing_width: u32,
    grounds: Vec<Ground>,
    /// Indices of those that are kept clear at this tick.
    active: Vec<u32>,
    /// The areas of the edits that wait, as they were given.
    forbidden: Vec<ForbiddenArea>,
    edits: Vec<EditGround>,
    edit_areas: Vec<EditArea>,
    /// Bounding rectangle of the ground of all edits.
    edit_bounds: Rect,
}

clone_fields!(KeepClear { reach, passing_width, grounds, active, forbidden, edits, edit_areas, edit_bounds });

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
            forbidden: Vec::new(),
            edits: Vec::new(),
            edit_areas: Vec::new(),
            edit_bounds: Rect::new(0, 0, 0, 0),
        }
    }

    /// Forgets the ground of corridors, after an edit of the map.
    pub(crate) fn forget(&mut self) {
        self.grounds.clear();
        self.active.clear();
    }

    /// Follows which corridors are busy and which edits wait at a tick. Linear in the ground of a corridor that is busy
    /// for the first time, and in the areas of the edits.
    pub(crate) fn update(&mut self, map: &CorridorMap, admission: &Admission, forbidden: &[ForbiddenArea]) {
        self.active.clear();
        if self.reach == 0 {
            return;
        }
        if self.forbidden != forbidden {
            self.set_edits(map.size, forbidden);
        }
        if !admission.any_busy {
            return;
        }
        for (number, shape) in map.shapes.iter().enumerate() {
            let corridor = number as u32;
            let busy_for = admission.busy_for(corridor);
            if busy_for > 0 && shape.width >= self.passing_width {
                self.keep(map, (corridor, shape.first_cell), busy_for);
            }
        }
    }

    fn set_edits(&mut self, size: GridSize, forbidden: &[ForbiddenArea]) {
        self.forbidden.clear();
        self.forbidden.extend_from_slice(forbidden);
        self.edits.clear();
        self.edit_areas.clear();
        self.edit_bounds = Rect::new(0, 0, 0, 0);
        for areas in forbidden.chunk_by(|one, next| one.edit == next.edit) {
            let first = self.edit_areas.len();
            // The rectangle of an edit may lie off the map, wholly or in part.
            let on_map = areas.iter().map(|of| of.area.intersection(size.rect()));
            let on_map = on_map.filter(|area| !area.is_empty());
            self.edit_areas.extend(on_map.map(|area| EditArea { area, near: grown(area, self.reach, size) }));
            let near = self.edit_areas[first..].iter().map(|of| of.near);
            let bounds = near.fold(Rect::new(0, 0, 0, 0), Rect::union);
            let (first, end) = (first as u32, self.edit_areas.len() as u32);
            self.edits.push(EditGround { first, end, bounds });
            self.edit_bounds = self.edit_bounds.union(bounds);
        }
    }

    /// Has some teams keep the ground of a corridor, one of whose cells is given, clear at this tick.
    fn keep(&mut self, map: &CorridorMap, (corridor, first_cell): (u32, u32), teams: u32) {
        let known = self.grounds.iter().position(|ground| ground.corridor == corridor);
        let at = known.unwrap_or(self.grounds.len());
        if known.is_none() {
            let (bounds, cells) = Ground::find(map, (corridor, first_cell), self.reach);
            self.grounds.push(Ground { corridor, bounds, cells, teams });
        }
        self.grounds[at].teams = teams;
        self.active.push(at as u32);
    }

    /// An agent of a team that is, or will be, where its body covers some cells.
    pub(crate) fn agent_at(&self, team: Team, body: (CellXY, &[Offset])) -> KeepsClear {
        KeepsClear { team, leaves_edit: self.near_edits(body, |of| of.area).next().is_some() }
    }

    /// Whether a body is on the ground of some edit that waits.
    pub(crate) fn is_near_edits(&self, body: (CellXY, &[Offset])) -> bool {
        self.near_edits(body, |of| of.near).next().is_some()
    }

    /// The edits with an area, itself or with the cells around it, that a body touches.
    fn near_edits<'a>(
        &'a self,
        (anchor, cells): (CellXY, &'a [Offset]),
        part: impl Fn(&EditArea) -> Rect + Copy + 'a,
    ) -> impl Iterator<Item = &'a EditGround> {
        let bounds = bounds_of(anchor, cells);
        let edits = if meet(self.edit_bounds, bounds) { &self.edits[..] } else { &[] };
        edits.iter().filter(move |edit| {
            meet(edit.bounds, bounds) && self.areas_of(edit).iter().any(|of| touches(part(of), anchor, cells))
        })
    }

    fn areas_of(&self, edit: &EditGround) -> &[EditArea] {
        &self.edit_areas[edit.first as usize..edit.end as usize]
    }

    /// Number of edits that wait.
    pub(crate) fn n_edits(&self) -> usize {
        self.edits.len()
    }

    /// Where a body is on the ground of an edit, if it is.
    pub(crate) fn place(&self, edit: usize, (anchor, cells): (CellXY, &[Offset])) -> Option<Place> {
        let edit = &self.edits[edit];
        if !meet(edit.bounds, bounds_of(anchor, cells)) {
            return None;
        }
        let touches = |part: fn(&EditArea) -> Rect| {
            self.areas_of(edit).iter().any(|of| touches(part(of), anchor, cells))
        };
        let near = || touches(|of| of.near).then_some(Place::Near);
        if touches(|of| of.area) { Some(Place::OnEdit) } else { near() }
    }

    /// The cells of the ground of an edit, those of areas that overlap more than once.
    pub(crate) fn cells_of_edit(&self, edit: usize) -> impl Iterator<Item = CellXY> {
        self.areas_of(&self.edits[edit]).iter().flat_map(|of| of.near.cells())
    }

    /// Whether an agent must not stop where its body covers some cells.
    #[inline]
    pub(crate) fn covers(&self, body: (CellXY, &[Offset]), agent: KeepsClear) -> bool {
        self.kept_under(body, agent).is_some()
    }

    /// What the ground is kept clear for on which an agent must not stop where its body covers some cells.
    pub(crate) fn kept_under(&self, body: (CellXY, &[Offset]), agent: KeepsClear) -> Option<KeptFor> {
        if !agent.leaves_edit && self.is_near_edits(body) {
            return Some(KeptFor::Edit);
        }
        let (anchor, cells) = body;
        let is_under = |ground: &&Ground| {
            agent.team.is_in(ground.teams) && cells.iter().any(|to| ground.has(to.cell_from(anchor)))
        };
        let mut active = self.active.iter().map(|&at| &self.grounds[at as usize]);
        active.find(is_under).map(|ground| KeptFor::Corridor(ground.corridor))
    }

    /// Whether there is any such ground at this tick.
    pub(crate) fn is_active(&self) -> bool {
        !self.active.is_empty() || !self.edits.is_empty()
    }
}

impl Ground {
    /// The cells of a corridor, and the free cells from which it is at most `reach` steps away, diagonal steps too.
    fn find(map: &CorridorMap, (corridor, first): (u32, u32), reach: u32) -> (Rect, Vec<bool>) {
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
        (bounds, bounds.cells().map(|cell| found.contains(&(cell.y, cell.x))).collect())
    }

    /// Whether a cell is part of it.
    #[inline]
    fn has(&self, cell: CellXY) -> bool {
        if !self.bounds.contains(cell) {
            return false;
        }
        let (x, y) = (cell.x - self.bounds.x, cell.y - self.bounds.y);
        self.cells[y as usize * self.bounds.width as usize + x as usize]
    }
}
