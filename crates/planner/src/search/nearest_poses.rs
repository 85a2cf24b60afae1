//! The poses nearest to a goal that the map may let a start reach: found around the goal, without a search.

use crate::model::goal::Goal;
use crate::model::pose::{Heading, Pose, State};
use crate::tables::MovementTables;
use crate::tables::components::Reachability;
use wheelbase_grid::{CellXY, Rect};

/// Columns and rows around the goal that are looked at first; doubled until a pose is found.
const FIRST_REACH: u32 = 8;

/// Calls `found` with the poses at one of the cells at the least distance from a goal, as named. Such a cell has a
/// legal pose that components do not rule out from a start. They are the poses of the cell of a number in row-major
/// order. Returns whether there is such a cell; none for goals of several members. No pose nearer to the goal can be
/// reached. Linear in the cells up to twice as far as they are.
pub(crate) fn poses_at_nearest(
    tables: &MovementTables,
    goal: &Goal<'_>,
    start: State,
    number: u32,
    mut found: impl FnMut(Pose, State),
) -> bool {
    let space = tables.space();
    let [member] = goal.members else { return false };
    let open_at = |cell: CellXY| {
        let poses = (0..space.headings()).map(move |heading| Pose { cell, heading: Heading(heading) });
        poses.filter_map(|pose| Some((pose, space.state(pose)?))).filter(|&(_, state)| {
            tables.is_legal(state) && tables.components().reachability(start, state) != Reachability::No
        })
    };
    let measure = |cell: CellXY| space.shape().measure(member.cell, cell);
    let mut reach = FIRST_REACH;
    loop {
        let cells = || Rect::of_cell(member.cell).grown(reach, space.size()).cells();
        let mut least = space.shape().measure_of(reach).saturating_add(1);
        for cell in cells() {
            let far = measure(cell);
            if far < least && open_at(cell).next().is_some() {
                least = far;
            }
        }
        if least <= space.shape().measure_of(reach) {
            let mut nearest =
                cells().filter(|&cell| measure(cell) == least && open_at(cell).next().is_some());
            let cell = nearest.nth(number as usize);
            cell.into_iter().flat_map(open_at).for_each(|(pose, state)| found(pose, state));
            return cell.is_some();
        }
        if reach == u32::MAX {
            return false;
        }
        reach = reach.saturating_mul(2);
    }
}
