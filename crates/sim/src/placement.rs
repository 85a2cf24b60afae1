//! Random placement of agents.
//!
//! Agents are placed where they can come from and go to the rest of the map. An agent in a pocket carries out tasks of
//! no length, and its body may stand in a street for good.

use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{Heading, MovementTables, Pose};
use wheelbase_traffic::forbidden::{ForbiddenArea, forbids};
use wheelbase_traffic::motion::{AgentSlot, ClassId};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::random::Random;

/// The poses of a class in an area from which agents are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacementArea {
    /// The class.
    pub class: ClassId,
    /// Area of their anchors, clipped to the map.
    pub area: Rect,
    /// Whether all legal poses of the area are equal. Else poses of the largest set come first. Sets have mutually
    /// reachable poses of the class, some of them in the area. The largest has the most poses on the map. The others
    /// follow once none of these is free.
    pub anywhere: bool,
}

/// The poses of a [`PlacementArea`] that have not been drawn.
pub struct Placement {
    of: PlacementArea,
    /// The poses that come first, and the others.
    poses: [Vec<State>; 2],
    /// The poses drawn: of which list, and their index at that time.
    drawn: Vec<(usize, usize, State)>,
    /// Number of legal poses in the area.
    pub n_legal: usize,
}

impl Placement {
    /// All poses of an area. Linear in its poses, and in blocks of 64 poses of the class unless they may be anywhere.
    /// Where the tables have no components, all legal poses count.
    pub fn new(tables: &[MovementTables], of: PlacementArea) -> Self {
        let tables = &tables[of.class.0 as usize];
        let space = tables.space();
        let (mut poses, mut others): (Vec<State>, Vec<State>) = Default::default();
        for cell in of.area.intersection(space.size().rect()).cells() {
            let at = |h| space.state(Pose { cell, heading: Heading(h) });
            poses.extend((0..space.headings()).filter_map(at).filter(|&state| tables.is_legal(state)));
        }
        if !of.anywhere && tables.components().are_known() {
            let sizes = tables.components().sizes();
            // Of sets of one size the first.
            let largest =
                poses.iter().rev().filter_map(|&state| sizes.set_of(state)).max_by_key(|&(_, size)| size);
            (poses, others) = poses.into_iter().partition(|&state| sizes.set_of(state) == largest);
        }
        Self { of, n_legal: poses.len() + others.len(), poses: [poses, others], drawn: Vec::new() }
    }

    /// Whether it is for that area, so that it can be used again after [`Self::put_back`].
    pub fn is_of(&self, of: PlacementArea) -> bool {
        self.of == of
    }

    /// Puts all drawn poses back in their old order, so that later draws equal the draws of a new placement.
    pub fn put_back(&mut self) {
        while let Some((list, at, state)) = self.drawn.pop() {
            // `swap_remove` had moved the last pose here.
            let poses = &mut self.poses[list];
            poses.push(state);
            let last = poses.len() - 1;
            poses.swap(at, last);
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
        let tables = &tables[self.of.class.0 as usize];
        while let Some(list) = self.poses.iter().position(|poses| !poses.is_empty()) {
            let at = random.below(self.poses[list].len());
            let state = self.poses[list].swap_remove(at);
            self.drawn.push((list, at, state));
            let pose = tables.space().pose(state);
            let cells = tables.class().cells_at(pose);
            if is_free(occupancy, forbidden, pose.cell, cells) {
                return Some(state);
            }
        }
        None
    }
}

/// Whether an agent can be placed on cells. They are neither held, nor the destination of a move, nor in the area of an
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
    use crate::scenes::{class, drive, map, setup, world};
    use wheelbase_planner::{ClassSpec, Primitive};

    #[test]
    fn what_is_put_back_is_drawn_as_from_a_new_one() {
        let cart = class(ClassSpec::new("cart", 4), &[(0, 0), (-1, 0)], drive(1, 1));
        let grid = map(&["....T...", "..T.....", "........"].map(String::from));
        let world = world(setup(1, grid, vec![cart]), []);
        let of = PlacementArea { class: ClassId(0), area: Rect::new(0, 0, 8, 3), anywhere: false };
        let draw =
            |of: &mut Placement, random: &mut Random| of.draw(world.tables(), &world.occupancy, &[], random);
        let mut kept = Placement::new(world.tables(), of);
        for draws in [0, 1, 7, kept.n_legal, kept.n_legal + 1, 30] {
            let mut new = Placement::new(world.tables(), of);
            let (mut a, mut b) = (Random::new(draws as u64), Random::new(draws as u64));
            for _ in 0..draws {
                assert_eq!(draw(&mut kept, &mut a), draw(&mut new, &mut b));
            }
            kept.put_back();
        }
    }

    /// The poses of an area from which agents are drawn, compared with floods over moves from every pose.
    #[test]
    fn agents_are_placed_in_the_largest_set_of_poses_that_reach_each_other() {
        let rows: Vec<String> = (0..12)
            .map(|y| (0..16).map(|x| if x == 6 || (x * 5 + y * 11) % 9 < 3 { 'W' } else { '.' }).collect())
            .collect();
        let grid = map(&rows);
        let with_reverse = Primitive::vehicle(2, 6, 3);
        let without = with_reverse.iter().filter(|primitive| primitive.name != "reverse").cloned().collect();
        for primitives in [with_reverse, without] {
            let cart = class(ClassSpec::new("cart", 4), &[(0, 0), (-1, 0)], primitives);
            let mut tables = MovementTables::compile(&grid, cart);
            tables.make_components();
            let n_states = tables.space().n_states();
            let legal: Vec<State> =
                (0..n_states as u32).map(State).filter(|&at| tables.is_legal(at)).collect();
            let reach = |from: State| {
                let (mut seen, mut list) = (vec![false; n_states], vec![from]);
                seen[from.0 as usize] = true;
                while let Some(at) = list.pop() {
                    tables.for_each_successor(at, |next| {
                        if !std::mem::replace(&mut seen[next.state.0 as usize], true) {
                            list.push(next.state);
                        }
                    });
                }
                seen
            };
            let reached: Vec<Vec<bool>> = (0..n_states as u32)
                .map(|at| if tables.is_legal(State(at)) { reach(State(at)) } else { Vec::new() })
                .collect();
            let mutual = |a: State, b: State| {
                reached[a.0 as usize][b.0 as usize] && reached[b.0 as usize][a.0 as usize]
            };
            let size = |of: State| legal.iter().filter(|&&other| mutual(of, other)).count();
            for area in [
                Rect::new(0, 0, 16, 12),
                Rect::new(0, 0, 5, 12),
                Rect::new(7, 2, 3, 4),
                Rect::new(3, 3, 1, 1),
            ] {
                let of = PlacementArea { class: ClassId(0), area, anywhere: false };
                let mut placement = Placement::new(std::slice::from_ref(&tables), of);
                let inside = |state: &State| area.contains(tables.space().pose(*state).cell);
                let largest = legal.iter().copied().filter(inside).rev().max_by_key(|&state| size(state));
                let mut expected: Vec<State> = legal.iter().copied().filter(inside).collect();
                expected.retain(|&state| largest.is_some_and(|largest| mutual(largest, state)));
                placement.poses[0].sort_unstable();
                assert_eq!(placement.poses[0], expected, "{area:?}");
                let all =
                    Placement::new(std::slice::from_ref(&tables), PlacementArea { anywhere: true, ..of });
                let n_legal = legal.iter().filter(|&state| inside(state)).count();
                assert_eq!([all.n_legal, all.poses[0].len()], [n_legal; 2]);
                assert_eq!(placement.poses[1].len(), n_legal - expected.len());
            }
        }
    }
}
