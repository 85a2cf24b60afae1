//! The agents that an edit of the map disturbs, and whether moves lead them off its cells.

use crate::commands::{CHANGES_MAX, MapEdit, OnAgents, RefusalReason};
use crate::pending_edits::{PendingEdit, WaitsFor};
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, Change, Rect};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{Legality, MovementTables};
use wheelbase_traffic::OwnRule;
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::forbidden::{bounds_of, touches};
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
    find_near(world, changes, |row| {
        if would_disturb(world, changes, row) {
            disturbed.push(world.agents.ids[row]);
        }
        false
    });
    disturbed.sort_unstable();
    disturbed.dedup();
}

/// An agent that changes would disturb, if there is one: first looks at `known`.
pub(crate) fn find_one_disturbed(
    world: &World,
    changes: &[Change],
    known: Option<AgentId>,
) -> Option<WaitsFor> {
    let known = known.and_then(|agent| world.agents.present_row(agent));
    let mut found = known.filter(|&row| would_disturb(world, changes, row));
    if found.is_none() {
        find_near(world, changes, |row| {
            found = would_disturb(world, changes, row).then_some(row);
            found.is_some()
        });
    }
    found.map(|row| WaitsFor::of(&world.agents, row, world.grid.revision()))
}

/// Whether an edit that waits is known to wait on: an agent that it would disturb has not moved, nor has the map
/// changed.
pub(crate) fn is_known_to_wait(world: &World, at: usize) -> bool {
    let PendingEdit { asked, edit, .. } = &world.pending_edits.edits()[at];
    let waits_for = world.pending_edits.waits_for(at);
    edit.on_agents.after(world.tick - asked) == OnAgents::Wait
        && waits_for.is_some_and(|known| known.holds(&world.agents, world.grid.revision()))
}

/// Gives the rows of agents that touch cells of changes to `found`, some more than once, until it says that it is
/// enough.
fn find_near(world: &World, changes: &[Change], mut found: impl FnMut(usize) -> bool) {
    let map = world.grid.size().rect();
    let areas = || changes.iter().map(|change| change.area().intersection(map));
    let n_cells: u64 = areas().map(Rect::n_cells).sum();
    if world.occupancy.rule() == CollisionRule::Swept && n_cells <= world.agents.len() as u64 {
        // Every agent that touches a cell holds it.
        let cells = areas().flat_map(|area| area.cells());
        let holders = cells.filter_map(|cell| world.occupancy.holder_at(cell));
        holders.filter_map(|slot| world.agents.row_of_slot(slot)).any(found);
    } else {
        let bounds = areas().fold(Rect::new(0, 0, 0, 0), Rect::union);
        let is_near = |row: &usize| {
            let (anchor, cells) = touched_cells(world, *row);
            touches(bounds, anchor, cells) && areas().any(|area| touches(area, anchor, cells))
        };
        let rows = (0..world.agents.len()).filter(|&row| world.agents.is_present(row));
        rows.filter(is_near).any(&mut found);
    }
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
/// Agents whose ways are kept.
const WAYS_KEPT: usize = 16;

/// Where moves lead agents, each alone on the map: searched once for many edits.
#[derive(Default)]
pub(crate) struct WaysOff(BTreeMap<usize, Ways>);

/// Where moves lead an agent.
struct Ways {
    seen: BTreeSet<u32>,
    /// The poses reached, breadth-first.
    reached: Vec<State>,
    /// How many of them are expanded.
    n_expanded: usize,
    /// Rectangle around the bodies in the expanded ones.
    bounds: Rect,
}

impl WaysOff {
    /// Whether moves lead the agent in a row to a pose off all cells that changes touch, as far as
    /// [`WAY_OFF_POSES_MAX`] poses tell.
    pub(crate) fn lead_off(&mut self, world: &World, row: usize, changes: &[Change]) -> bool {
        if self.0.len() >= WAYS_KEPT && !self.0.contains_key(&row) {
            self.0.clear();
        }
        let motion = &world.agents.motion[row];
        let tables = &world.tables[motion.class.0 as usize];
        let ways = self.0.entry(row).or_insert_with(|| Ways::from(end_state(tables, motion)));
        ways.lead_off(tables, changes)
    }
}

impl Ways {
    fn from(state: State) -> Self {
        let bounds = Rect::new(0, 0, 0, 0);
        Self { seen: BTreeSet::from([state.0]), reached: vec![state], n_expanded: 0, bounds }
    }

    fn lead_off(&mut self, tables: &MovementTables, changes: &[Change]) -> bool {
        let is_whole = self.n_expanded == self.reached.len();
        let has_all = |area: Rect| area.intersection(self.bounds) == self.bounds;
        if is_whole && changes.iter().any(|change| has_all(change.area())) {
            return false;
        }
        let mut at = 0;
        while let Some(&state) = self.reached.get(at) {
            let pose = tables.space().pose(state);
            let cells = tables.class().cells_at(pose);
            let is_on = changes.iter().any(|change| touches(change.area(), pose.cell, cells));
            if at >= WAY_OFF_POSES_MAX || !is_on {
                return true;
            }
            if at == self.n_expanded {
                self.n_expanded += 1;
                self.bounds = self.bounds.union(bounds_of(pose.cell, cells));
                let Self { seen, reached, .. } = self;
                tables.for_each_successor(state, |successor| {
                    if seen.insert(successor.state.0) {
                        reached.push(successor.state);
                    }
                });
            }
            at += 1;
        }
        false
    }
}

/// Whether an edit waits for an agent that the traffic rule sends off its cells. Such an agent has nothing to do, and
/// moves lead off the cells. Linear in the agents and cells of the edits that wait, and a search for each such agent.
pub(crate) fn sends_off(world: &World) -> bool {
    let mut ways = WaysOff::default();
    let mut is_sent = |agent: &AgentId, changes: &[Change]| {
        world.agents.row(*agent).is_some_and(|row| {
            matches!(world.agents.motion[row].activity, Activity::Idle | Activity::Unreachable)
                && !world.agents.wait_states[row].stranded
                && ways.lead_off(world, row, changes)
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
