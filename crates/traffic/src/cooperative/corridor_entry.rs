//! Entering narrow passages: an agent looks which lie ahead of it, asks to enter those that are near, and
//! stops before one that it is kept from.

use super::admission::{Entrance, Entrant};
use super::corridor_map::OPEN;
use crate::cooperative::corridors_ahead::{Ahead, entrance_reach};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::retreat::Pushing;
use crate::cooperative::steps::{guide_moves, is_idle, waited};
use crate::motion::AgentId;
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_planner::model::State;

/// Lists the passages on the next stretch of an agent's path.
pub fn look_ahead(
    now: &mut Planning<'_>,
    room: &mut Pushing,
    row: usize,
    mut state: State,
    key: PriorityKey,
) {
    let view = now.view;
    let id = view.agents.ids[row].0;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let (PlanTable { corridor_control, heads, sides, .. }, ahead) = (&*now.table, &mut now.ahead);
    ahead.clear();
    let path = guide_moves(view, row, &heads[id as usize]);
    let mut cell = tables.space().pose(state).cell;
    let (mut corridor, mut entered) = (corridor_control.map.at_anchor(cell), cell);
    let mut entrant =
        Entrant { agent: id, direction: (0, 0), width: sides[motion.class.0 as usize].0, stays: None };
    let mut left = path.len();
    let mut moves = 0;
    let reach = entrance_reach(sides[motion.class.0 as usize], &now.table.params);
    let mut entrance = Entrance { cell, direction: (0, 0), reach };
    for (number, &primitive) in path.iter().take(now.table.params.look_ahead_moves as usize).enumerate() {
        if tables.move_ticks(state, usize::from(primitive)).is_none() {
            break;
        }
        state = tables.state_after(state, usize::from(primitive));
        left -= 1;
        let before = std::mem::replace(&mut cell, tables.space().pose(state).cell);
        let now = corridor_control.map.at_anchor(cell);
        if now != corridor {
            if corridor != OPEN {
                entrant.direction = (cell.x - entered.x, cell.y - entered.y);
                ahead.push(Ahead { corridor, entrant, holder: None, moves, entrance, stays_off: false });
            }
            (corridor, entered, moves) = (now, before, number as u32);
            entrance = Entrance { cell: before, direction: (cell.x - before.x, cell.y - before.y), reach };
        }
    }
    if corridor != OPEN {
        entrant.direction = (cell.x - entered.x, cell.y - entered.y);
        entrant.stays = (left == 0 && heads[id as usize].retreat_left == 0).then_some(cell);
        ahead.push(Ahead { corridor, entrant, holder: None, moves, entrance, stays_off: false });
    }
    ask_to_enter(now, room, row, key);
}

/// Asks of each passage ahead whether the agent may enter it. Of one that is near it gets the right to
/// enter; before one that it is kept from it stops.
pub fn ask_to_enter(now: &mut Planning<'_>, room: &mut Pushing, row: usize, key: PriorityKey) {
    let view = now.view;
    let id = view.agents.ids[row].0;
    now.stop = u32::MAX;
    for number in 0..now.ahead.len() {
        let Ahead { corridor, entrant, moves, entrance, .. } = now.ahead[number];
        let is_busy = now.table.corridor_control.admission.is_busy(corridor);
        if is_busy {
            now.table.corridor_control.admission.note_entrance(corridor, entrance, view.tick);
        }
        if now.table.corridor_control.admission.is_inside(corridor, id) {
            now.table.corridor_control.admission.enter(corridor, entrant);
            continue;
        }
        let holder = holder(now.table, room, view, row, (corridor, &entrant), key);
        let crowded = now.table.corridor_control.admission.is_crowded(corridor, &entrant, moves, view.tick);
        let holder = holder.or(crowded.then_some(id));
        now.ahead[number].holder = holder;
        now.ahead[number].stays_off = is_busy && crowded;
        now.table.corridor_control.admission.note_asked(
            corridor,
            entrant,
            (key, moves),
            (view.tick, holder.is_some()),
        );
        if holder.is_some() {
            let queue =
                now.table.corridor_control.admission.queue_moves(corridor, &entrant, moves, view.tick);
            now.stop = now.stop.min(moves.saturating_sub(queue));
        } else if moves <= now.table.params.admit_moves
            && now.table.heads[id as usize].retreat_left == 0
            && now.table.admit(id, corridor, is_busy.then_some(view.tick))
        {
            now.table.corridor_control.admission.enter(corridor, entrant);
        }
    }
}

/// Who keeps an agent from entering a passage; `None` if it may enter, itself if it is not its turn. Who
/// has the right to enter and does not get on loses it.
pub fn holder(
    table: &mut PlanTable,
    room: &mut Pushing,
    view: &TrafficView<'_>,
    row: usize,
    (corridor, entrant): (u32, &Entrant),
    key: PriorityKey,
) -> Option<u32> {
    let mut from = 0;
    while let Some((other, at)) = table.corridor_control.admission.next_opposed(corridor, entrant, from) {
        if holds_up(table, room, view, other, row) {
            return Some(other);
        }
        if table.cold[other as usize].admitted == corridor {
            table.give_up_admission(other);
            from = at;
        } else {
            from = at + 1;
        }
    }
    let is_turn = table.corridor_control.admission.is_turn_of_other(corridor, entrant, key, view.tick);
    is_turn.then_some(entrant.agent)
}

/// Whether an agent in a passage can keep another from entering: not if it does not get on itself, else
/// all might wait for each other, and not if it has nothing to do and is out of the way.
pub fn holds_up(
    table: &PlanTable,
    room: &mut Pushing,
    view: &TrafficView<'_>,
    holder: u32,
    row: usize,
) -> bool {
    let Some(other) = view.agents.row(AgentId(holder)) else { return false };
    if other == row {
        return true;
    }
    let motion = &view.agents.motion[other];
    if is_idle(motion.activity) && motion.at_rest() {
        return room.stands_in_way(view, table, row, other);
    }
    waited(view, other) < table.params.keeps_steps * table.step_ticks[motion.class.0 as usize]
}
