//! No-stopping ground: where no plan ends while a corridor is busy or an edit waits.
//!
//! The box rule of road traffic: enter a junction only if the way out of it is free. Where two bodies can pass each
//! other in a corridor, agents enter it from both ends together. If they could stop in it, or on the ground before its
//! entrances, waiting agents would stand in the way of agents that come out. So a plan that leads onto this ground
//! leads off it again: it reserves the whole crossing, or the agent stays outside. Agents can be there already when the
//! corridor becomes busy or an edit begins to wait. They leave it by any plan. They stay only without one. A goal there
//! may be occupied, and so may a retreat.
//!
//! The cells of an edit that waits, and the ground around them, are no-stopping ground too. Otherwise agents that may
//! not enter them would stand in the way of agents that have to leave.
//!
//! In a corridor in which no two bodies pass, directions take turns by admission.

use crate::clone_fields::clone_fields;
use crate::cooperative::admission::Admission;
use crate::cooperative::corridor_map::CorridorMap;
use crate::forbidden::{ForbiddenArea, bounds_of, touches};
use crate::motion::ClassId;
use crate::params::TrafficParams;
use crate::teams::Team;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::model::Offset;

/// Why ground is no-stopping ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoStoppingFor {
    /// A corridor, while it is busy.
    Corridor(u32),
    /// An edit that waits.
    Edit,
}

/// An agent that looks for a place to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoppingAgent {
    team: Team,
    /// It is on the cells of an edit that waits: it leaves them by any plan.
    pub(crate) leaves_edit: bool,
}

/// The no-stopping ground of a corridor.
#[derive(Clone, Debug)]
struct Ground {
    corridor: u32,
    /// Its bounding rectangle.
    bounds: Rect,
    /// Whether each cell of the rectangle is part of it, row by row.
    cells: Vec<bool>,
    /// Teams that must not stop on it at this tick, a bit each; 0 while it is switched off.
    teams: u32,
}

/// Which teams must not stop on a cell, in a byte. It has a bit for each of the first teams, one for all others
/// together, and one for the edits that wait. Almost all games have few teams; those beyond the first have to ask the
/// grounds themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Marks(u8);

impl Marks {
    const NONE: Self = Self(0);
    /// Ground of an edit that waits.
    const EDIT: Self = Self(1 << 7);
    /// Teams with a separate bit.
    const TEAMS: u8 = 6;

    /// The marks of the ground of some teams.
    fn of_teams(teams: u32) -> Self {
        let others = if teams >> Self::TEAMS == 0 { 0 } else { 1 << Self::TEAMS };
        Self(teams as u8 & ((1 << Self::TEAMS) - 1) | others)
    }

    /// Whether they may forbid a team to stop: surely if it is one of the first.
    fn may_be_for(self, team: Team) -> bool {
        self.0 & 1 << team.0.min(Self::TEAMS) != 0
    }

    fn has(self, marks: Self) -> bool {
        self.0 & marks.0 != 0
    }

    fn add(&mut self, marks: Self) {
        self.0 |= marks.0;
    }

    fn remove(&mut self, marks: Self) {
        self.0 &= !marks.0;
    }
}

/// The no-stopping ground of an edit that waits: its areas, and the cells around them. It binds all teams.
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
    /// The area and the cells around it where no plan ends.
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

/// The no-stopping ground of the edits that wait, and of all corridors that were busy since the last edit of the map.
/// Memory: one byte per cell, one byte for each cell of the bounding rectangle of each corridor, and rectangles of
/// the edits. It follows from the map, from the edits and from which corridors are busy, so nothing of it is saved.
///
/// A search checks for each of its poses whether the body covers such ground. So each cell stores why it is such
/// ground. These marks change only when a ground is switched on or off.
#[derive(Debug)]
pub(crate) struct NoStopping {
    /// Cells before an entrance that are no-stopping ground.
    reach: u32,
    /// The same for the longest body of each class alone.
    reach_of_class: Vec<u32>,
    /// Of the longest side of a body, the part that is its reach, in quarters.
    quarters: u32,
    /// No-stopping ground around an edit, in cells: the reach of the classes that have agents.
    edit_reach: u32,
    /// Width of a corridor in which two of the narrowest bodies pass.
    pub(crate) passing_width: u32,
    size: GridSize,
    /// By number of the corridor.
    grounds: Vec<Ground>,
    /// Some of them is switched on at this tick.
    any_ground: bool,
    /// Of each cell, by its index.
    marks: Vec<Marks>,
    /// The areas of the edits that wait, as they were given.
    forbidden: Vec<ForbiddenArea>,
    edits: Vec<EditGround>,
    edit_areas: Vec<EditArea>,
    /// Bounding rectangle of the ground of all edits.
    edit_bounds: Rect,
}

clone_fields!(NoStopping {
    reach,
    reach_of_class,
    quarters,
    edit_reach,
    passing_width,
    size,
    grounds,
    any_ground,
    marks,
    forbidden,
    edits,
    edit_areas,
    edit_bounds,
});

/// The reach of a body with this longest side in cells.
fn reach_of(quarters: u32, long: u32) -> u32 {
    (quarters * long).div_ceil(4)
}

impl NoStopping {
    /// Adds a class with the shortest and longest side of its body. Grounds of corridors stay as they are.
    pub(crate) fn add_class(&mut self, (_, long): (u32, u32)) {
        self.reach_of_class.push(reach_of(self.quarters, long));
    }

    /// No ground yet, for classes with the shortest and longest sides of their bodies.
    pub(crate) fn new(size: GridSize, sides: &[(u32, u32)], params: &TrafficParams) -> Self {
        let quarters = params.keep_clear_quarters;
        let reach_of_class: Vec<u32> = sides.iter().map(|&(_, long)| reach_of(quarters, long)).collect();
        let narrowest = sides.iter().map(|&(short, _)| short).min().unwrap_or(1);
        Self {
            reach: reach_of_class.iter().copied().max().unwrap_or(reach_of(quarters, 1)),
            quarters,
            reach_of_class,
            edit_reach: 0,
            passing_width: 2 * narrowest,
            size,
            grounds: Vec::new(),
            any_ground: false,
            marks: vec![Marks::NONE; size.n_cells()],
            forbidden: Vec::new(),
            edits: Vec::new(),
            edit_areas: Vec::new(),
            edit_bounds: Rect::new(0, 0, 0, 0),
        }
    }

    /// Forgets the ground of corridors, after an edit of the map.
    pub(crate) fn forget(&mut self) {
        let Self { grounds, marks, size, .. } = self;
        for ground in grounds.drain(..).filter(|ground| ground.teams != 0) {
            ground.for_each_cell(*size, |cell| marks[cell].remove(Marks::of_teams(u32::MAX)));
        }
        self.any_ground = false;
    }

    /// Follows which corridors are busy and which edits wait at a tick. Linear in the ground of the corridors that have
    /// become busy or have ceased to be, and in the areas of edits when these change. `classes` are the classes of the
    /// agents: a class without agents keeps no ground clear around edits.
    pub(crate) fn update(
        &mut self,
        map: &CorridorMap,
        admission: &Admission,
        forbidden: &[ForbiddenArea],
        classes: impl Iterator<Item = ClassId>,
    ) {
        if self.reach == 0 {
            return;
        }
        let reach_of = |class: ClassId| self.reach_of_class[usize::from(class.0)];
        let edit_reach = match forbidden {
            [] => self.edit_reach,
            _ => classes.map(reach_of).max().unwrap_or(0),
        };
        if self.forbidden != forbidden || self.edit_reach != edit_reach {
            self.edit_reach = edit_reach;
            self.set_edits(forbidden);
        }
        if !admission.any_busy && !self.any_ground {
            return;
        }
        self.any_ground = false;
        let mut at = 0;
        for (number, shape) in map.shapes.iter().enumerate() {
            let corridor = number as u32;
            let is_wide = shape.width >= self.passing_width;
            let teams = if is_wide { admission.corridors[corridor as usize].busy_for } else { 0 };
            let is_known = self.grounds.get(at).is_some_and(|ground| ground.corridor == corridor);
            if teams != 0 && !is_known {
                let (bounds, cells) = Ground::find(map, (corridor, shape.first_cell), self.reach);
                self.grounds.insert(at, Ground { corridor, bounds, cells, teams: 0 });
            }
            if teams != 0 || is_known {
                self.switch(at, teams);
                at += 1;
            }
            self.any_ground |= teams != 0;
        }
    }

    /// Switches a ground on for some teams and no others.
    fn switch(&mut self, at: usize, teams: u32) {
        let Self { grounds, marks, size, .. } = self;
        let before = std::mem::replace(&mut grounds[at].teams, teams);
        let ground = &grounds[at];
        if before == teams {
            return;
        }
        // Other ground may overlap it.
        ground.for_each_cell(*size, |cell| marks[cell].remove(Marks::of_teams(before)));
        for other in grounds.iter().filter(|other| other.teams != 0 && other.bounds.overlaps(ground.bounds)) {
            other.mark(marks, *size);
        }
    }

    fn set_edits(&mut self, forbidden: &[ForbiddenArea]) {
        let size = self.size;
        for of in self.edit_areas.drain(..) {
            for_each_mark(&mut self.marks, (size, of.near), |marks| marks.remove(Marks::EDIT));
        }
        self.forbidden.clear();
        self.forbidden.extend_from_slice(forbidden);
        self.edits.clear();
        self.edit_bounds = Rect::new(0, 0, 0, 0);
        for areas in forbidden.chunk_by(|one, next| one.edit == next.edit) {
            let first = self.edit_areas.len();
            // The rectangle of an edit may lie off the map, wholly or in part.
            let on_map = areas.iter().map(|of| of.area.intersection(size.rect()));
            let on_map = on_map.filter(|area| !area.is_empty());
            self.edit_areas
                .extend(on_map.map(|area| EditArea { area, near: area.grown(self.edit_reach, size) }));
            let near = self.edit_areas[first..].iter().map(|of| of.near);
            let bounds = near.fold(Rect::new(0, 0, 0, 0), Rect::union);
            let (first, end) = (first as u32, self.edit_areas.len() as u32);
            self.edits.push(EditGround { first, end, bounds });
            self.edit_bounds = self.edit_bounds.union(bounds);
        }
        for of in &self.edit_areas {
            for_each_mark(&mut self.marks, (size, of.near), |marks| marks.add(Marks::EDIT));
        }
    }

    /// An agent of a team that is, or will be, where its body covers some cells.
    pub(crate) fn agent_at(&self, team: Team, body: (CellXY, &[Offset])) -> StoppingAgent {
        let leaves_edit = self.is_near_edits(body) && self.near_edits(body, |of| of.area).next().is_some();
        StoppingAgent { team, leaves_edit }
    }

    /// The marks of the cells that a body covers, together.
    #[inline]
    fn marks_under(&self, (anchor, cells): (CellXY, &[Offset])) -> Marks {
        let on_map = cells.iter().filter_map(|to| self.size.cell(to.cell_from(anchor)));
        on_map.fold(Marks::NONE, |marks, cell| Marks(marks.0 | self.marks[cell.0 as usize].0))
    }

    /// Whether a body is on the ground of some edit that waits.
    pub(crate) fn is_near_edits(&self, body: (CellXY, &[Offset])) -> bool {
        self.marks_under(body).has(Marks::EDIT)
    }

    /// The edits with an area, itself or with the cells around it, that a body touches.
    fn near_edits<'a>(
        &'a self,
        (anchor, cells): (CellXY, &'a [Offset]),
        part: impl Fn(&EditArea) -> Rect + Copy + 'a,
    ) -> impl Iterator<Item = &'a EditGround> {
        let bounds = bounds_of(anchor, cells);
        let edits = if self.edit_bounds.overlaps(bounds) { &self.edits[..] } else { &[] };
        edits.iter().filter(move |edit| {
            edit.bounds.overlaps(bounds)
                && self.areas_of(edit).iter().any(|of| touches(part(of), anchor, cells))
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
        if !edit.bounds.overlaps(bounds_of(anchor, cells)) {
            return None;
        }
        let touches = |part: fn(&EditArea) -> Rect| {
            self.areas_of(edit).iter().any(|of| touches(part(of), anchor, cells))
        };
        let near = || touches(|of| of.near).then_some(Place::Near);
        if touches(|of| of.area) { Some(Place::OnEdit) } else { near() }
    }

    /// The cells of an edit, with the ground around them for [`Place::Near`]. Cells of overlapping areas come more than
    /// once.
    pub(crate) fn cells_of_edit(&self, edit: usize, place: Place) -> impl Iterator<Item = CellXY> {
        let of = move |of: &EditArea| if place == Place::OnEdit { of.area } else { of.near };
        self.areas_of(&self.edits[edit]).iter().map(of).flat_map(Rect::cells)
    }

    /// Whether an agent must not stop where its body covers some cells.
    #[inline]
    pub(crate) fn covers(&self, body: (CellXY, &[Offset]), agent: StoppingAgent) -> bool {
        let marks = self.marks_under(body);
        let is_for_team = || {
            let is_first = agent.team.0 < Marks::TEAMS;
            marks.may_be_for(agent.team) && (is_first || self.corridor_under(body, agent.team).is_some())
        };
        marks != Marks::NONE && (marks.has(Marks::EDIT) && !agent.leaves_edit || is_for_team())
    }

    /// Why an agent must not stop where its body covers some cells.
    pub(crate) fn reason_under(
        &self,
        body: (CellXY, &[Offset]),
        agent: StoppingAgent,
    ) -> Option<NoStoppingFor> {
        if !agent.leaves_edit && self.near_edits(body, |of| of.near).next().is_some() {
            return Some(NoStoppingFor::Edit);
        }
        self.corridor_under(body, agent.team).map(NoStoppingFor::Corridor)
    }

    /// The first corridor on whose ground a body of a team must not stop.
    fn corridor_under(&self, (anchor, cells): (CellXY, &[Offset]), team: Team) -> Option<u32> {
        let is_under = |ground: &&Ground| {
            team.is_in(ground.teams) && cells.iter().any(|to| ground.has(to.cell_from(anchor)))
        };
        self.grounds.iter().find(is_under).map(|ground| ground.corridor)
    }

    /// Whether there is any such ground at this tick.
    pub(crate) fn is_active(&self) -> bool {
        self.any_ground || !self.edits.is_empty()
    }
}

/// Changes the marks of all cells of an area of the map, row by row.
fn for_each_mark(marks: &mut [Marks], (size, area): (GridSize, Rect), mut change: impl FnMut(&mut Marks)) {
    let firsts = (area.y..area.y + area.height as i32).filter_map(|y| size.cell(CellXY::new(area.x, y)));
    for first in firsts {
        marks[first.0 as usize..][..area.width as usize].iter_mut().for_each(&mut change);
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
            let around = |&cell: &CellXY| Rect::of_cell(cell).grown(1, map.size).cells();
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

    /// Calls a function with the index of each of its cells.
    fn for_each_cell(&self, size: GridSize, call: impl FnMut(usize)) {
        let is_part = self.bounds.cells().zip(&self.cells).filter(|&(_, &is_part)| is_part);
        is_part.filter_map(|(cell, _)| size.cell(cell)).map(|cell| cell.0 as usize).for_each(call);
    }

    /// Marks its cells for the teams that must not stop on it.
    fn mark(&self, marks: &mut [Marks], size: GridSize) {
        self.for_each_cell(size, |cell| marks[cell].add(Marks::of_teams(self.teams)));
    }

    /// Whether a cell is part of it.
    fn has(&self, cell: CellXY) -> bool {
        if !self.bounds.contains(cell) {
            return false;
        }
        let (x, y) = (cell.x - self.bounds.x, cell.y - self.bounds.y);
        self.cells[y as usize * self.bounds.width as usize + x as usize]
    }
}
