//! Random placement of agents.

use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{Heading, MovementTables, Pose};
use wheelbase_traffic::forbidden::{ForbiddenArea, forbids};
use wheelbase_traffic::motion::{AgentSlot, ClassId};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::random::Random;

/// The legal poses of a class in an area that have not been drawn.
pub struct Placement {
    class: ClassId,
    area: Rect,
    poses: Vec<State>,
    /// The poses drawn, with their index at that time.
    drawn: Vec<(usize, State)>,
    /// Number of legal poses in the area.
    pub n_legal: usize,
}

impl Placement {
    /// All legal poses of a class in an area, clipped to the map.
    pub fn new(tables: &[MovementTables], class: ClassId, area: Rect) -> Self {
        let tables = &tables[class.0 as usize];
        let space = tables.space();
        let mut poses: Vec<State> = Vec::new();
        for cell in area.intersection(space.size().rect()).cells() {
            let at = |h| space.state(Pose { cell, heading: Heading(h) });
            poses.extend((0..space.headings()).filter_map(at).filter(|&state| tables.is_legal(state)));
        }
        Self { class, area, n_legal: poses.len(), poses, drawn: Vec::new() }
    }

    /// Whether it is for that class and area, so that it can be used again after [`Self::put_back`].
    pub fn is_of(&self, class: ClassId, area: Rect) -> bool {
        (self.class, self.area) == (class, area)
    }

    /// Puts all drawn poses back in their old order, so that later draws are those of a new placement.
    pub fn put_back(&mut self) {
        while let Some((at, state)) = self.drawn.pop() {
            // `swap_remove` had moved the last pose here.
            self.poses.push(state);
            let last = self.poses.len() - 1;
            self.poses.swap(at, last);
        }
    }

    /// Draws poses until one is free: its cells are neither held, nor the destination of a move, nor in the area of a
    /// pending edit.
    pub fn draw(
        &mut self,
        tables: &[MovementTables],
        occupancy: &Occupancy,
        forbidden: &[ForbiddenArea],
        random: &mut Random,
    ) -> Option<State> {
        let tables = &tables[self.class.0 as usize];
        while !self.poses.is_empty() {
            let at = random.below(self.poses.len());
            let state = self.poses.swap_remove(at);
            self.drawn.push((at, state));
            let pose = tables.space().pose(state);
            let cells = tables.class().cells_at(pose);
            if is_free(occupancy, forbidden, pose.cell, cells) {
                return Some(state);
            }
        }
        None
    }
}

/// Whether an agent can be placed on cells: they are neither held, nor the destination of a move, nor in the area of an
/// edit that waits.
pub(crate) fn is_free(
    occupancy: &Occupancy,
    forbidden: &[ForbiddenArea],
    anchor: CellXY,
    cells: &[Offset],
) -> bool {
    occupancy.blocker(AgentSlot::NOBODY, anchor, cells).is_none()
        && occupancy.first_arriving(AgentSlot::NOBODY, anchor, cells).is_none()
        && !forbids(forbidden, anchor, &[], cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, scenario};

    #[test]
    fn what_is_put_back_is_drawn_as_from_a_new_one() {
        let text = "name = \"p\"\nticks = 1\n[map]\nrows = [\"....T...\", \"..T.....\", \"........\"]\n\
            [class.c]\nheadings = 4\nfootprint = [\"X>\"]\nmoves = [{ name = \"f\", by = [1, 0], time = 1 }]\n";
        let typed = scenario::parse("p.toml", text.as_bytes()).unwrap();
        let world = load::build_world(std::path::Path::new("p.toml"), &typed).unwrap();
        let (class, area) = (ClassId(0), Rect::new(0, 0, 8, 3));
        let draw =
            |of: &mut Placement, random: &mut Random| of.draw(world.tables(), &world.occupancy, &[], random);
        let mut kept = Placement::new(world.tables(), class, area);
        for draws in [0, 1, 7, kept.n_legal, kept.n_legal + 1, 30] {
            let mut new = Placement::new(world.tables(), class, area);
            let (mut a, mut b) = (Random::new(draws as u64), Random::new(draws as u64));
            for _ in 0..draws {
                assert_eq!(draw(&mut kept, &mut a), draw(&mut new, &mut b));
            }
            kept.put_back();
        }
    }
}
