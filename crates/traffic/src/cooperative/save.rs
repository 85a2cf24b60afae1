//! The state of the rule, part by part: all that a later tick depends on.
//!
//! Left out are scratch memory, what every tick computes before it reads it, what follows from the rest (the heads of
//! plans, the lists of reservations by agent), and what no later tick reads (soft reservations that have ended, windows
//! of paths that have changed). The order of reservations on a cell, of cost windows, and of agents at corridors does
//! matter. So do the numbers of corridors.

use crate::cooperative::admission::AdmissionRequest;
use crate::cooperative::admission::{Admission, Corridor, Direction, Entrant};
use crate::cooperative::agent_columns::{DETAILS, HEADS, KEYS, YIELD_STATES};
use crate::cooperative::corridor_map::CorridorMap;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::Reservation;
use crate::cooperative::state::Cooperative;
use crate::cooperative::windowed_cost_to_go::CostWindow;
use crate::motion::AgentId;
use crate::rule_state::StateVisitor;
use crate::saved_columns::visit_columns;
use wheelbase_grid::{CellXY, GridSize};

/// Value of a cost window that is not of the present path of an agent; above it, the number of its class and one.
pub(crate) const IS_STALE: u64 = 0;

/// Costs of a window in one word.
pub(crate) const COSTS_OF_WORD: usize = 4;

/// Shows the state of the rule.
pub(crate) fn visit_cooperative(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let Cooperative { table, present, just_out, revisions, next_tick, .. } = rule;
    let counts = [table.heads.len() as u64, u64::from(*next_tick)];
    visitor.part("cooperative", &mut counts.into_iter());
    visitor.part("revisions", &mut revisions.iter().copied());
    visitor.part("agent.id", &mut present.iter().map(|(id, _)| u64::from(id.0)));
    visitor.part("agent.slot", &mut present.iter().map(|(_, slot)| u64::from(slot.0)));
    visitor.part("just_out", &mut just_out.iter().map(|id| u64::from(id.0)));
    visitor.part("roadblocks", &mut table.roadblocks.iter().map(|id| u64::from(id.0)));
    visit_agents(rule, visitor);
    visit_plans(rule, visitor);
    visit_reservations(rule, visitor);
    visit_soft_reservations(rule, visitor);
    visit_corridor_map(&table.corridor_control.map, visitor);
    visit_admission(&table.corridor_control.admission, table.corridor_control.map.size, visitor);
    visit_windows(rule, visitor);
}

fn visit_agents(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let PlanTable { heads, details, yield_states, speed_factors, .. } = &rule.table;
    let slots = || rule.present.iter().map(|(_, slot)| slot.index());
    visit_columns(HEADS, (heads, slots()), visitor);
    visit_columns(KEYS, (yield_states, slots()), visitor);
    visit_columns(YIELD_STATES, (yield_states, slots()), visitor);
    visitor.part("speed_factor", &mut slots().map(|at| speed_factors[at].into()));
    visit_columns(DETAILS, (details, slots()), visitor);
}

fn visit_plans(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let plans = || rule.present.iter().map(|(_, slot)| &rule.table.plans[slot.index()]);
    visitor.part("plan.n_moves", &mut plans().map(|plan| plan.moves().len() as u64));
    visitor.part("plan.end_state", &mut plans().map(|plan| plan.end.0.0.into()));
    visitor.part("plan.end_tick", &mut plans().map(|plan| plan.end.1.into()));
    let moves = || plans().flat_map(|plan| plan.moves());
    visitor.part("plan.starts", &mut moves().map(|planned| planned.start.into()));
    visitor.part("plan.ticks", &mut moves().map(|planned| planned.ticks.into()));
    visitor.part("plan.primitives", &mut moves().map(|planned| planned.primitive.into()));
}

/// Of each cell with reservations its index and their number, and of each reservation its agent and ticks.
fn visit_reservations(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let reservations = &rule.table.reservations;
    let cells = || (0..reservations.of_cell.len()).filter(|&cell| reservations.on(cell).next().is_some());
    let counts = cells().flat_map(|cell| [cell as u64, reservations.on(cell).count() as u64]);
    visitor.part("reserved_cells", &mut { counts });
    let ticks = |one: &Reservation| [one.agent.0, one.from, one.until, one.leaves].map(u64::from);
    visitor.part("reservations", &mut cells().flat_map(|cell| reservations.on(cell).flat_map(ticks)));
}

/// The soft reservations that the next tick finds.
fn visit_soft_reservations(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let soft = &rule.table.soft_reservations;
    visitor.part("claims", &mut [u64::from(soft.until), soft.reserved_so_far].into_iter());
    let open = soft.of_cell.iter().enumerate().filter(|(_, (until, _))| *until > rule.next_tick);
    let words = open.flat_map(|(cell, &(until, key))| {
        let ([rank, id], team) = (key.words(), soft.teams.get(cell).copied().unwrap_or_default());
        [cell as u64, until.into(), rank, id, team.0.into()]
    });
    visitor.part("claimed_cells", &mut { words });
}

/// The corridors follow from the free cells, but not their numbers.
fn visit_corridor_map(map: &CorridorMap, visitor: &mut dyn StateVisitor) {
    let rows = (0..map.size.height()).flat_map(|y| map.free.row_words(y).iter().copied());
    visitor.part("free_cells", &mut { rows });
    visitor.part("corridor.first_cell", &mut map.first_cells().into_iter().map(u64::from));
    visitor.part("corridor.spare", &mut map.spare.iter().map(|&number| u64::from(number)));
}

fn visit_admission(admission: &Admission, size: GridSize, visitor: &mut dyn StateVisitor) {
    let corridors = || (0_u64..).zip(&admission.corridors);
    let pair = |(dx, dy): Direction| [signed(dx), signed(dy)];
    let has_turn = |(_, corridor): &(u64, &Corridor)| corridor.direction != (0, 0) || corridor.entered > 0;
    let turns = corridors().filter(has_turn).flat_map(|(number, corridor)| {
        let [dx, dy] = pair(corridor.direction);
        [number, dx, dy, corridor.entered as u64]
    });
    visitor.part("corridor.turns", &mut { turns });
    let inside = corridors().flat_map(|(number, corridor)| {
        let of = move |entrant| std::iter::once(number).chain(entrant_words(entrant, size));
        corridor.inside.iter().flat_map(of)
    });
    visitor.part("corridor.inside", &mut { inside });
    let waiting = corridors().flat_map(|(number, corridor)| {
        corridor.waiting.iter().flat_map(move |request| {
            let [rank, id] = request.key.words();
            let AdmissionRequest { moves, asked_at, refused, since, .. } = *request;
            let asked = [rank, id, moves.into(), asked_at.into(), refused.into(), since.into()];
            std::iter::once(number).chain(entrant_words(&request.entrant, size)).chain(asked)
        })
    });
    visitor.part("corridor.waiting", &mut { waiting });
}

/// Its words: agent, slot, direction, width, index of the cell where it stays and one or 0, team, friends.
fn entrant_words(entrant: &Entrant, size: GridSize) -> [u64; 8] {
    let Entrant { agent, slot, direction: (dx, dy), width, stays, team, friends } = *entrant;
    let stays = stays.map_or(0, |cell| index(size, cell) + 1);
    let (agent, slot) = (agent.0.into(), slot.0.into());
    [agent, slot, signed(dx), signed(dy), width.into(), stays, team.0.into(), friends.into()]
}

/// A signed number as the bits of an unsigned one.
fn signed(number: i32) -> u64 {
    u64::from(number as u32)
}

fn index(size: GridSize, cell: CellXY) -> u64 {
    size.cell(cell).map_or(u64::from(u32::MAX), |cell| u64::from(cell.0))
}

/// All cost windows: windows of former paths are replaced in turn when memory is full. Costs of the windows of present
/// paths.
fn visit_windows(rule: &Cooperative, visitor: &mut dyn StateVisitor) {
    let Cooperative { table, search, present, revisions, .. } = rule;
    let mut agents = vec![AgentId::NOBODY; table.heads.len()];
    present.iter().for_each(|&(id, slot)| agents[slot.index()] = id);
    // The number of the first class with its revision, and one.
    let class_of = |window: &CostWindow| {
        let at = window.slot.index();
        let class = revisions.iter().position(|&revision| revision == window.key.revision);
        let is_present = agents[at] == window.key.agent && table.details[at].path == window.key.path;
        class.filter(|_| is_present).map_or(IS_STALE, |class| class as u64 + 1)
    };
    let windows = &search.windows.list;
    let mut of_window = |name, value: &dyn Fn(&CostWindow) -> u64| {
        visitor.part(name, &mut windows.iter().map(value));
    };
    of_window("field.slot", &|window| window.slot.0.into());
    of_window("field.agent", &|window| window.key.agent.0.into());
    of_window("field.used_at", &|window| window.used_at.into());
    of_window("field.room", &|window| window.room as u64);
    of_window("field.class", &class_of);
    let present = || windows.iter().filter(|window| class_of(window) != IS_STALE);
    let size = table.corridor_control.map.size;
    visitor.part("field.center", &mut present().map(|window| index(size, window.center)));
    visitor.part("field.radius", &mut present().map(|window| window.radius.into()));
    visitor.part("field.n_costs", &mut present().map(|window| window.costs.len() as u64));
    let word = |costs: &[u16]| costs.iter().rev().fold(0, |word, &cost| word << 16 | u64::from(cost));
    visitor
        .part("field.costs", &mut present().flat_map(|window| window.costs.chunks(COSTS_OF_WORD).map(word)));
}
