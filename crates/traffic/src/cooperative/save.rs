//! The state of the rule, part by part: all that a later tick depends on.
//!
//! Scratch memory is left out, and all that a tick computes before it reads it. So is all that follows from the rest:
//! the heads of plans, the lists of reservations by agent. No later tick reads soft reservations that have ended, or
//! windows of paths that have changed. The order of reservations on a cell, of cost windows, and of agents at corridors
//! does matter. So do the numbers of corridors.

use crate::cooperative::admission::Corridor;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::state::Cooperative;
use crate::cooperative::windowed_cost_to_go::{CostWindow, WindowKey};
use crate::motion::{AgentId, AgentSlot};
use crate::rule_state::StateVisitor;
use crate::saved::pack;
use wheelbase_grid::CellXY;

/// A cost window: slot and key, tick of its last use and room, centre, radius and number of costs.
pub(crate) type SavedWindow = ((AgentSlot, WindowKey), (u32, usize), (CellXY, u32), usize);

/// Revision of a window that no path uses again.
pub(crate) const NO_REVISION: u64 = u64::MAX;

/// Shows the state of the rule.
pub(crate) fn visit_cooperative(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let Cooperative { table, present, just_out, revisions, next_tick, .. } = rule;
    let PlanTable { heads, details, yield_states, speed_factors, plans, reservations, .. } = table;
    let slots = || present.iter().map(|(_, slot)| slot.index());
    visitor.list("cooperative", [heads.len() as u32, *next_tick]);
    visitor.list("revisions", revisions.iter().copied());
    visitor.list("agents", present.iter().copied());
    visitor.list("just_out", just_out.iter().copied());
    visitor.list("roadblocks", table.roadblocks.iter().copied());
    visitor.list("heads", slots().map(|at| heads[at]));
    visitor.list("details", slots().map(|at| details[at]));
    visitor.list("yield_states", slots().map(|at| yield_states[at]));
    visitor.list("speed_factors", slots().map(|at| speed_factors[at]));
    visitor.list("plans", slots().map(|at| (plans[at].moves().len(), plans[at].end)));
    visitor.list("plan.moves", slots().flat_map(|at| plans[at].moves().iter().copied()));
    visitor.list(
        "reservations",
        (0..reservations.of_cell.len()).flat_map(|cell| reservations.on(cell).copied()),
    );
    visit_soft_reservations(rule, visitor);
    visit_corridors(table, visitor);
    visit_windows(rule, visitor);
}

/// The soft reservations that the next tick finds.
fn visit_soft_reservations(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let soft = &rule.table.soft_reservations;
    visitor.list("claims", [(soft.until, soft.reserved_so_far)]);
    let open = (0..).zip(&soft.of_cell).filter(|(_, (until, _))| *until > rule.next_tick);
    let team = |cell: u32| soft.teams.get(cell as usize).copied().unwrap_or_default();
    visitor.list("claimed_cells", open.map(|(cell, &reserved)| (cell, reserved, team(cell))));
}

/// The corridors follow from the free cells, but not their numbers.
fn visit_corridors(table: &PlanTable, visitor: &mut dyn StateVisitor) {
    let (map, corridors) = (&table.corridor_control.map, &table.corridor_control.admission.corridors);
    visitor.list("free_cells", (0..map.size.height()).flat_map(|y| map.free.row_words(y).iter().copied()));
    visitor.list("corridor.first_cell", map.first_cells());
    visitor.list("corridor.spare", map.spare.iter().copied());
    let turn = |of: &Corridor| (of.direction, of.entered, of.inside.len(), of.waiting.len());
    visitor.list("corridors", corridors.iter().map(turn));
    visitor.list("corridor.inside", corridors.iter().flat_map(|corridor| corridor.inside.iter().copied()));
    visitor.list("corridor.waiting", corridors.iter().flat_map(|corridor| corridor.waiting.iter().copied()));
}

/// All cost windows: windows of former paths are replaced in turn when memory is full. Costs of the windows of present
/// paths.
fn visit_windows(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let Cooperative { table, search, present, revisions, .. } = rule;
    let mut agents = vec![AgentId::NOBODY; table.heads.len()];
    present.iter().for_each(|&(id, slot)| agents[slot.index()] = id);
    let is_present = |&CostWindow { slot, key, .. }: &CostWindow| {
        let at = slot.index();
        let of_agent = (agents[at], table.details[at].path, table.speed_factors[at]);
        of_agent == (key.agent, key.path, key.speed_factor) && revisions.contains(&key.revision)
    };
    let windows = &search.windows.list;
    let saved = |window: &CostWindow| -> SavedWindow {
        let &CostWindow { slot, used_at, key, center, radius, room, .. } = window;
        if is_present(window) {
            return ((slot, key), (used_at, room), (center, radius), window.costs.len());
        }
        let key = WindowKey { path: 0, revision: NO_REVISION, ..key };
        ((slot, key), (used_at, room), (CellXY::new(0, 0), 0), 0)
    };
    visitor.list("windows", windows.iter().map(saved));
    let costs = windows.iter().filter(|window| is_present(window)).flat_map(|window| pack(&window.costs));
    visitor.list("window.costs", costs);
}
