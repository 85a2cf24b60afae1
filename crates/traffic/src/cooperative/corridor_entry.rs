//! Entry to corridors: an agent finds the corridors on its path, asks for admission, and stops before a corridor that
//! it may not enter.

use super::admission::{Direction, Entrance, Entrant};
use super::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::{CorridorAhead, Refusal, entrance_reach};
use crate::cooperative::fixed::{ADMIT_MOVES, HOLDER_WAIT_STEPS, LOOK_AHEAD_MOVES};
use crate::cooperative::moves::{guide_moves, is_idle, waited};
use crate::cooperative::path_cells::{PathCells, rests_on_path};
use crate::cooperative::plan_head::Refused;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::{NO_STOP, Planning};
use crate::motion::{Activity, AgentId, AgentSlot};
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;

/// Lists the corridors on the next moves of an agent's path from a state, in `planning.ahead`.
pub(crate) fn find_corridors_ahead(planning: &mut Planning<'_>, row: usize, state: State) {
    list_corridors_ahead(planning.table, planning.view, row, state, &mut planning.ahead);
}

/// Lists the corridors on the next moves of an agent's path from a state.
pub(crate) fn list_corridors_ahead(
    table: &PlanTable,
    view: &TrafficView<'_>,
    row: usize,
    mut state: State,
    ahead: &mut Vec<CorridorAhead>,
) {
    let (agent, slot) = (view.agents.ids[row], view.agents.slots[row]);
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let PlanTable { corridor_control, heads, sides, .. } = table;
    ahead.clear();
    let path = guide_moves(view, row, &heads[slot.index()]);
    let sides = sides[motion.class.0 as usize];
    let reach = entrance_reach(sides);
    let mut cell = tables.space().pose(state).cell;
    let (mut corridor, mut entered) = (corridor_control.map.at_anchor(cell), cell);
    let mut entrance = Entrance { cell, direction: (0, 0), reach };
    let (mut left, mut moves) = (path.len(), 0);
    let team = view.agents.teams[row];
    let friends = view.friends.of_team(team);
    let through = |from, to, stays| {
        let direction = columns_and_rows(from, to);
        Entrant { agent, slot, direction, width: sides.0, stays, team, friends }
    };
    for (number, &primitive) in path.iter().take(LOOK_AHEAD_MOVES as usize).enumerate() {
        if tables.move_ticks(state, usize::from(primitive)).is_none() {
            break;
        }
        state = tables.state_after(state, usize::from(primitive));
        left -= 1;
        let before = std::mem::replace(&mut cell, tables.space().pose(state).cell);
        let here = corridor_control.map.at_anchor(cell);
        if here != corridor {
            if corridor != NO_CORRIDOR {
                let entrant = through(entered, cell, None);
                ahead.push(CorridorAhead {
                    corridor,
                    entrant,
                    refusal: None,
                    moves,
                    entrance,
                    keeps_off: false,
                });
            }
            (corridor, entered, moves) = (here, before, number as u32);
            entrance = Entrance { cell: before, direction: columns_and_rows(before, cell), reach };
        }
    }
    if corridor != NO_CORRIDOR {
        let stays = left == 0 && heads[slot.index()].retreat_left == 0;
        let entrant = through(entered, cell, stays.then_some(cell));
        ahead.push(CorridorAhead { corridor, entrant, refusal: None, moves, entrance, keeps_off: false });
    }
}

/// Columns and rows from one cell to another.
fn columns_and_rows(from: CellXY, to: CellXY) -> Direction {
    (to.x - from.x, to.y - from.y)
}

/// Asks for admission to each corridor ahead. A near corridor admits the agent, or the agent stops before it.
pub(crate) fn request_admission(
    planning: &mut Planning<'_>,
    path_cells: &mut PathCells,
    row: usize,
    key: PriorityKey,
) {
    let view = planning.view;
    let slot = view.agents.slots[row];
    planning.stop = NO_STOP;
    let mut refused = Refused::NONE;
    for ahead in &mut planning.ahead {
        let CorridorAhead { corridor, entrant, moves, .. } = *ahead;
        let admission = &mut planning.table.corridor_control.admission;
        let is_busy = admission.is_busy(corridor, entrant.team);
        if admission.is_inside(corridor, slot) {
            admission.enter(corridor, entrant);
            continue;
        }
        let refusal = find_refusal(planning.table, path_cells, view, row, (corridor, &entrant), key);
        let admission = &mut planning.table.corridor_control.admission;
        let crowded = admission.is_crowded(corridor, &entrant, moves, view.tick);
        ahead.refusal = refusal.or(crowded.then_some(Refusal::Queue));
        ahead.keeps_off = is_busy && crowded;
        let is_refused = ahead.refusal.is_some();
        admission.note_request(corridor, entrant, (key, moves), (view.tick, is_refused));
        if let Some(refusal) = ahead.refusal {
            let queue = admission.queue_moves(corridor, &entrant, moves, view.tick);
            let stop = moves.saturating_sub(queue);
            if stop < planning.stop {
                planning.stop = stop;
                let holder = match refusal {
                    Refusal::Held(holder) => view.agents.row_of_slot(holder).map(|row| view.agents.ids[row]),
                    _ => None,
                };
                let path = guide_moves(view, row, &planning.table.heads[slot.index()]);
                refused = Refused {
                    corridor,
                    path_left: (path.len() as u32).saturating_sub(stop),
                    holder: holder.unwrap_or(AgentId::NOBODY),
                    queues: refusal == Refusal::Queue,
                };
            }
        } else if moves <= ADMIT_MOVES
            && planning.table.heads[slot.index()].retreat_left == 0
            && planning.table.admit(slot, corridor, is_busy.then_some(view.tick))
        {
            planning.table.corridor_control.admission.enter(corridor, entrant);
        }
    }
    planning.table.details[slot.index()].refused = refused;
}

/// What keeps an entrant out of a corridor, but for the queue. An agent that is admitted but does not get on loses its
/// admission.
fn find_refusal(
    table: &mut PlanTable,
    path_cells: &mut PathCells,
    view: &TrafficView<'_>,
    row: usize,
    (corridor, entrant): (u32, &Entrant),
    key: PriorityKey,
) -> Option<Refusal> {
    let mut from = 0;
    while let Some((other, at)) = table.corridor_control.admission.next_opposing(corridor, entrant, from) {
        if blocks_entry(table, path_cells, view, other, row) {
            return Some(Refusal::Held(other));
        }
        if table.details[other.index()].admitted == corridor {
            table.give_up_admission(other);
            from = at;
        } else {
            from = at + 1;
        }
    }
    let admission = &table.corridor_control.admission;
    let first = admission.right_of_way(corridor, entrant, view.tick).map(|first| first.entrant.slot);
    let goes_first = first == Some(entrant.slot);
    let others_turn = !goes_first && admission.is_turn_of_others(corridor, entrant, key, view.tick);
    if others_turn { Some(Refusal::Turn) } else { first.filter(|_| !goes_first).map(Refusal::Held) }
}

/// Whether an agent in a corridor can keep another from entering. Not if it makes no progress: both might wait for each
/// other. Not if it is idle and off the other's path.
fn blocks_entry(
    table: &PlanTable,
    path_cells: &mut PathCells,
    view: &TrafficView<'_>,
    holder: AgentSlot,
    row: usize,
) -> bool {
    let Some(other) = view.agents.row_of_slot(holder) else { return false };
    if other == row {
        return true;
    }
    let motion = &view.agents.motion[other];
    let rests = is_idle(motion.activity) || motion.activity == Activity::Holding;
    if rests && motion.at_rest() {
        return rests_on_path(path_cells, (view, table), other, row);
    }
    waited(view, other) < HOLDER_WAIT_STEPS * table.step_ticks_of(&view.agents, other)
}
