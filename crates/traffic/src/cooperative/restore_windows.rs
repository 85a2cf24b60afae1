//! Windowed cost-to-go is read from a saved state.

use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::restore_corridors::cell;
use crate::cooperative::save::{COSTS_OF_WORD, IS_STALE};
use crate::cooperative::state::Cooperative;
use crate::cooperative::windowed_cost_to_go::{
    CostWindow, NO_WINDOW, UNKNOWN_SHORT, WindowKey, room_of, window_radius,
};
use crate::motion::{AgentId, AgentSlot};
use crate::rule_state::{RuleContext, RuleStateError};
use crate::state_reader::StateReader;
use wheelbase_grid::{CellXY, Rect};

/// Revision of a window that no path uses again.
const NO_REVISION: u64 = u64::MAX;

/// The windows, in their order. Windows of former paths have no costs.
pub(crate) fn restore_windows(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let Cooperative { table: PlanTable { heads, details, sides, .. }, search, revisions, .. } = rule;
    let (n_slots, size, windows) = (heads.len(), context.grid_size, &mut search.windows);
    let radius_of = |class: usize| window_radius(sides[class].1);
    let headings_of = |class: usize| context.tables[class].space().headings();
    let rooms = (0..context.tables.len()).map(|class| room_of(radius_of(class), headings_of(class)));
    let room_max = rooms.max().unwrap_or(0) as u64;
    let mut slots = reader.part("field.slot")?;
    let n = slots.left();
    let mut agents = reader.part_of("field.agent", n)?;
    let mut used_at = reader.part_of("field.used_at", n)?;
    let mut rooms = reader.part_of("field.room", n)?;
    let mut classes = reader.part_of("field.class", n)?;
    let mut centers = reader.part("field.center")?;
    let mut radii = reader.part_of("field.radius", centers.left())?;
    let mut counts = reader.part_of("field.n_costs", centers.left())?;
    let mut costs = reader.part("field.costs")?;
    for number in 0..n {
        let slot = AgentSlot(slots.below(n_slots, "an agent slot")?);
        if std::mem::replace(&mut windows.of_agent[slot.index()], number as u32) != NO_WINDOW {
            return Err(slots.wrong("one window of each agent slot"));
        }
        let agent = AgentId(agents.u32("an agent id")?);
        let used_at = used_at.u32_to(context.tick, "a tick up to the present one")?;
        let room = rooms.next(0..=room_max, "room for costs")? as usize;
        windows.bytes += room * 2;
        let class = classes.next(IS_STALE..=revisions.len() as u64, "a class and one, or 0")?;
        let mut window = CostWindow {
            slot,
            used_at,
            key: WindowKey { agent, path: 0, revision: NO_REVISION },
            center: CellXY::new(0, 0),
            radius: 0,
            area: Rect::new(0, 0, 0, 0),
            costs: Vec::new(),
            settled: 0,
            room,
        };
        if class != IS_STALE {
            window.center = cell(&mut centers, size)?;
            window.radius = radii.u32("a radius")?;
            let n_costs = counts.next(0..=room as u64, "costs of the window")? as usize;
            let n_words = n_costs.div_ceil(COSTS_OF_WORD);
            if n_words > costs.left() {
                return Err(counts.wrong(format!("at most the {} words of costs left", costs.left())));
            }
            window.costs.reserve_exact(n_costs);
            for _ in 0..n_words {
                let word = costs.word()?;
                let left = n_costs - window.costs.len();
                window.costs.extend((0..left.min(COSTS_OF_WORD)).map(|at| (word >> (16 * at)) as u16));
            }
            let known = window.costs.iter().filter(|&&cost| cost != UNKNOWN_SHORT);
            window.settled = known.max().map_or(0, |&cost| cost.into());
            let row = context.agents.row_of_slot(slot).filter(|&row| context.agents.ids[row] == agent);
            // After an edit or with another class the agent needs another window.
            let revision = revisions[class as usize - 1];
            let is_current = |row: &usize| {
                let tables = &context.tables[usize::from(context.agents.motion[*row].class.0)];
                revision == tables.revision() && !context.reclassed.contains(&(*row as u32))
            };
            match row.filter(is_current) {
                Some(row) => {
                    let class_of_agent = usize::from(context.agents.motion[row].class.0);
                    let area = Rect::of_cell(window.center).grown(radius_of(class_of_agent), size);
                    let n =
                        area.width as usize * area.height as usize * usize::from(headings_of(class_of_agent));
                    if window.radius != radius_of(class_of_agent) {
                        return Err(radii.wrong(format!("{}, that of its class", radius_of(class_of_agent))));
                    }
                    if n_costs != n {
                        return Err(counts.wrong(format!("{n}, one for each pose of the window")));
                    }
                    window.area = area;
                    window.key.path = details[slot.index()].path;
                    window.key.revision = revision;
                }
                None => {
                    (window.center, window.radius, window.costs) = (CellXY::new(0, 0), 0, Vec::new());
                }
            }
        }
        windows.list.push(window);
    }
    costs.finish()?;
    centers.finish()
}
