//! Entering narrow passages: an agent looks which lie ahead of it, asks to enter those that are near, and
//! stops before one that it is kept from.

use super::admission::{Mouth, Passer};
use super::passage_map::OPEN;
use crate::cooperative::ahead::{Ahead, mouth_reach};
use crate::cooperative::board::Board;
use crate::cooperative::planning::Planning;
use crate::cooperative::room::MakeWay;
use crate::cooperative::steps::{is_idle, line_moves, waited};
use crate::motion::AgentId;
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_planner::model::State;

/// Lists the passages on the next stretch of an agent's path.
pub fn look_ahead(
    now: &mut Planning<'_>,
    room: &mut MakeWay,
    row: usize,
    mut state: State,
    place: PriorityKey,
) {
    let view = now.view;
    let id = view.agents.ids[row].0;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let (Board { narrows, members, sides, .. }, ahead) = (&*now.board, &mut now.ahead);
    ahead.clear();
    let path = line_moves(view, row, &members[id as usize]);
    let mut cell = tables.space().pose(state).cell;
    let (mut passage, mut entered) = (narrows.map.at_anchor(cell), cell);
    let mut passer = Passer { agent: id, way: (0, 0), width: sides[motion.class.0 as usize].0, stays: None };
    let mut left = path.len();
    let mut moves = 0;
    let reach = mouth_reach(sides[motion.class.0 as usize], &now.board.params);
    let mut mouth = Mouth { cell, way: (0, 0), reach };
    for (number, &primitive) in path.iter().take(now.board.params.look_ahead_moves as usize).enumerate() {
        if tables.move_ticks(state, usize::from(primitive)).is_none() {
            break;
        }
        state = tables.state_after(state, usize::from(primitive));
        left -= 1;
        let before = std::mem::replace(&mut cell, tables.space().pose(state).cell);
        let now = narrows.map.at_anchor(cell);
        if now != passage {
            if passage != OPEN {
                passer.way = (cell.x - entered.x, cell.y - entered.y);
                ahead.push(Ahead { passage, passer, keeper: None, moves, mouth, stays_off: false });
            }
            (passage, entered, moves) = (now, before, number as u32);
            mouth = Mouth { cell: before, way: (cell.x - before.x, cell.y - before.y), reach };
        }
    }
    if passage != OPEN {
        passer.way = (cell.x - entered.x, cell.y - entered.y);
        passer.stays = (left == 0 && members[id as usize].aside_left == 0).then_some(cell);
        ahead.push(Ahead { passage, passer, keeper: None, moves, mouth, stays_off: false });
    }
    ask_to_enter(now, room, row, place);
}

/// Asks of each passage ahead whether the agent may enter it. Of one that is near it gets the right to
/// enter; before one that it is kept from it stops.
pub fn ask_to_enter(now: &mut Planning<'_>, room: &mut MakeWay, row: usize, place: PriorityKey) {
    let view = now.view;
    let id = view.agents.ids[row].0;
    now.stop = u32::MAX;
    for number in 0..now.ahead.len() {
        let Ahead { passage, passer, moves, mouth, .. } = now.ahead[number];
        let is_busy = now.board.narrows.admission.is_busy(passage);
        if is_busy {
            now.board.narrows.admission.note_mouth(passage, mouth, view.tick);
        }
        if now.board.narrows.admission.is_inside(passage, id) {
            now.board.narrows.admission.enter(passage, passer);
            continue;
        }
        let keeper = keeper(now.board, room, view, row, (passage, &passer), place);
        let crowded = now.board.narrows.admission.is_crowded(passage, &passer, moves, view.tick);
        let keeper = keeper.or(crowded.then_some(id));
        now.ahead[number].keeper = keeper;
        now.ahead[number].stays_off = is_busy && crowded;
        now.board.narrows.admission.note_asked(
            passage,
            passer,
            (place, moves),
            (view.tick, keeper.is_some()),
        );
        if keeper.is_some() {
            let queue = now.board.narrows.admission.queue_moves(passage, &passer, moves, view.tick);
            now.stop = now.stop.min(moves.saturating_sub(queue));
        } else if moves <= now.board.params.admit_moves
            && now.board.members[id as usize].aside_left == 0
            && now.board.grant(id, passage, is_busy.then_some(view.tick))
        {
            now.board.narrows.admission.enter(passage, passer);
        }
    }
}

/// Who keeps an agent from entering a passage; `None` if it may enter, itself if it is not its turn. Who
/// has the right to enter and does not get on loses it.
pub fn keeper(
    board: &mut Board,
    room: &mut MakeWay,
    view: &TrafficView<'_>,
    row: usize,
    (passage, passer): (u32, &Passer),
    place: PriorityKey,
) -> Option<u32> {
    let mut from = 0;
    while let Some((other, at)) = board.narrows.admission.next_opposed(passage, passer, from) {
        if keeps(board, room, view, other, row) {
            return Some(other);
        }
        if board.cold[other as usize].granted == passage {
            board.give_up_right(other);
            from = at;
        } else {
            from = at + 1;
        }
    }
    let is_turn = board.narrows.admission.is_turn_of_other(passage, passer, place, view.tick);
    is_turn.then_some(passer.agent)
}

/// Whether an agent in a passage can keep another from entering: not if it does not get on itself, else
/// all might wait for each other, and not if it has nothing to do and is out of the way.
pub fn keeps(board: &Board, room: &mut MakeWay, view: &TrafficView<'_>, keeper: u32, row: usize) -> bool {
    let Some(other) = view.agents.row(AgentId(keeper)) else { return false };
    if other == row {
        return true;
    }
    let motion = &view.agents.motion[other];
    if is_idle(motion.activity) && motion.at_rest() {
        return room.stands_in_way(view, board, row, other);
    }
    waited(view, other) < board.params.keeps_steps * board.step_ticks[motion.class.0 as usize]
}
