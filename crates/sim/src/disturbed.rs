//! The agents that an edit of the map disturbs, and whether moves lead them off its cells.

use crate::commands::{CHANGES_MAX, MapEdit, RefusalReason};
use crate::world::World;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, Change, Rect};
use wheelbase_planner::Legality;
use wheelbase_planner::model::{Offset, State};
use wheelbase_traffic::OwnRule;
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::forbidden::touches;
use wheelbase_traffic::motion::{Activity, AgentId, end_state, transition_of};

/// Checks that everything an edit names exists.
/// # Errors
/// [`RefusalReason::TooLong`], [`RefusalReason::WrongEdit`].
pub(crate) fn check_edit(world: &World, edit: &MapEdit) -> Result<(), RefusalReason> {
    if edit.changes.len() > CHANGES_MAX {
        return Err(RefusalReason::TooLong);
    }
    check_changes(world, &edit.changes)
}

/// Checks that everything changes name exists.
/// # Errors
/// [`RefusalReason::WrongEdit`].
fn check_changes(world: &World, changes: &[Change]) -> Result<(), RefusalReason> {
    let are_right = changes.iter().all(|change| change.check(&world.grid).is_ok());
    if are_right { Ok(()) } else { Err(RefusalReason::WrongEdit) }
}

/// Agents whose legal pose or current move the changes would make illegal, in order of id.
pub(crate) fn find_disturbed(world: &World, changes: &[Change], disturbed: &mut Vec<AgentId>) {
    disturbed.clear();
    let map = world.grid.size().rect();
    let areas = || changes.iter().map(|change| change.area().intersection(map));
    let mut consider = |row: usize| {
        if would_disturb(world, changes, row) {
            disturbed.push(world.agents.ids[row]);
        }
    };
    let n_cells: usize = areas().map(|area| area.width as usize * area.height as usize).sum();
    if world.occupancy.rule() == CollisionRule::Swept && n_cells <= world.agents.len() {
        // Every agent that touches a cell holds it.
        let cells = areas().flat_map(|area| area.cells());
        let holders = cells.filter_map(|cell| world.occupancy.holder_at(cell));
        holders.filter_map(|slot| world.agents.row_of_slot(slot)).for_each(&mut consider);
    } else {
        let bounds = areas().filter(|area| !area.is_empty()).reduce(|all, area| all.union(area));
        let bounds = bounds.unwrap_or(Rect::new(0, 0, 0, 0));
        let is_near = |row: &usize| {
            let (anchor, cells) = touched_cells(world, *row);
            touches(bounds, anchor, cells) && areas().any(|area| touches(area, anchor, cells))
        };
        (0..world.agents.len())
            .filter(|&row| world.agents.is_present(row))
            .filter(is_near)
            .for_each(&mut consider);
    }
    disturbed.sort_unstable();
    disturbed.dedup();
}

/// The agents that some changes would disturb, in order of id.
/// # Errors
/// [`RefusalReason::WrongEdit`].
pub(crate) fn disturbed_by(world: &World, changes: &[Change]) -> Result<Vec<AgentId>, RefusalReason> {
    check_changes(world, changes)?;
    let mut disturbed = Vec::new();
    find_disturbed(world, changes, &mut disturbed);
    Ok(disturbed)
}

/// Poses that are searched for a way off the cells of an edit.
const WAY_OFF_POSES_MAX: usize = 100_000;

/// Whether moves lead an agent, alone on the map, to a pose off all cells that changes touch, as far as
/// [`WAY_OFF_POSES_MAX`] poses tell.
pub(crate) fn leads_off(world: &World, row: usize, changes: &[Change]) -> bool {
    let motion = &world.agents.motion[row];
    let tables = &world.tables[motion.class.0 as usize];
    let is_off = |state: State| {
        let pose = tables.space().pose(state);
        let cells = tables.class().cells_at(pose);
        !changes.iter().any(|change| touches(change.area(), pose.cell, cells))
    };
    let from = end_state(tables, motion);
    let (mut seen, mut reached, mut next) = (BTreeSet::from([from.0]), vec![from], 0);
    while let Some(&state) = reached.get(next) {
        if next >= WAY_OFF_POSES_MAX || is_off(state) {
            return true;
        }
        tables.for_each_successor(state, |successor| {
            if seen.insert(successor.state.0) {
                reached.push(successor.state);
            }
        });
        next += 1;
    }
    false
}

/// Whether an edit waits for an agent that the rule of traffic sends off its cells: one without anything to do that moves
/// lead off them. Linear in the agents and cells of the edits that wait, and a search for each such agent.
pub(crate) fn sends_off(world: &World) -> bool {
    let is_sent = |agent: &AgentId, changes: &[Change]| {
        world.agents.row(*agent).is_some_and(|row| {
            matches!(world.agents.motion[row].activity, Activity::Idle | Activity::Unreachable)
                && !world.agents.wait_states[row].stranded
                && leads_off(world, row, changes)
        })
    };
    // What waits was checked when it was asked for.
    world.own_rule() == Some(OwnRule::Cooperative)
        && world.settings.traffic.keep_clear_quarters > 0
        && world.pending_edits.edits().iter().any(|pending| {
            let changes = &pending.edit.changes;
            disturbed_by(world, changes).unwrap_or_default().iter().any(|agent| is_sent(agent, changes))
        })
}

/// Up to this many changes, legality checks them all for each cell.
const CHANGES_FEW: usize = 8;

/// Whether changes of the map would make the legal pose or the current move of the agent in a row illegal.
fn would_disturb(world: &World, changes: &[Change], row: usize) -> bool {
    let motion = &world.agents.motion[row];
    let number = motion.class.0 as usize;
    let (class, tables) = (&world.classes[number], &world.tables[number]);
    // Legality checks every change for every cell, so only the nearby changes of a large edit are kept.
    let near;
    let changes = if changes.len() > CHANGES_FEW {
        let (anchor, cells) = touched_cells(world, row);
        let at = |offset: &Offset| offset.cell_from(anchor);
        let cell = |CellXY { x, y }: CellXY| Rect::new(x - 1, y - 1, 3, 3);
        let around =
            cells.iter().map(|offset| cell(at(offset))).fold(cell(anchor), |all, one| all.union(one));
        let is_near = |change: &&Change| !change.area().intersection(around).is_empty();
        near = changes.iter().filter(is_near).copied().collect::<Vec<_>>();
        &near[..]
    } else {
        changes
    };
    let after = Legality::after(&world.grid, tables.class(), &class.speeds, changes);
    let (pose, primitive) = (world.pose(row), motion.primitive as usize);
    match motion.at_rest() {
        true => tables.is_legal(motion.state) && after.check_pose(pose).is_err(),
        false => {
            tables.move_ticks(motion.state, primitive).is_some() && after.explain(pose, primitive).is_err()
        }
    }
}

/// The cells that an agent touches: swept cells in mid-move, else its footprint.
fn touched_cells(world: &World, row: usize) -> (CellXY, &[Offset]) {
    let motion = &world.agents.motion[row];
    let step = transition_of(&world.tables, motion);
    if motion.at_rest() { step.start() } else { step.swept() }
}
