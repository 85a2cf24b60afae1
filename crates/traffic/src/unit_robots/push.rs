//! Pushing of unit robots: a robot that goes first and is blocked pushes a string of robots towards an empty cell.
//!
//! Operations reach a few ticks, and a yielding robot takes its best operation. So in a lane with one bay no robot
//! enters the bay. In a dense crowd no chain of yielding robots may lead to the empty cells. This search covers the map
//! instead, breadth-first over cells that robots can leave. It looks for the nearest empty cell off the path of the
//! pusher, or else one on it. All robots in between turn and then move up by one cell at the same tick. Where no cell
//! is empty, a ring of robots rotates.

use crate::unit_robots::operations::{DEPTH, FORWARD, LEFT, RIGHT, WAIT};
use crate::unit_robots::robot_reservations::{NOBODY, RobotReservations};
use crate::unit_robots::team::{NO_GOAL, Team};
use crate::unit_robots::unit_fields::UnitFields;
use crate::unit_robots::unit_map::{BLOCKED, UnitMap};
use wheelbase_grid::EpochMarks;

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct PushScratch {
    /// Predecessor of each cell that is `seen`, `[n_cells]`.
    came_from: Vec<u32>,
    seen: EpochMarks,
    /// Cells on the path of the pusher.
    on_path: EpochMarks,
    queue: Vec<u32>,
    /// Robots that move, each with the heading of its step.
    moves: Vec<(u32, u8)>,
}

impl PushScratch {
    fn begin(&mut self, n_cells: usize) {
        self.came_from.resize(n_cells, 0);
        self.seen.begin(n_cells);
        self.on_path.begin(n_cells);
        self.queue.clear();
        self.moves.clear();
        self.queue.reserve(n_cells);
        self.moves.reserve(n_cells);
    }
}

/// The robots around a push.
pub(super) struct PushContext<'a> {
    pub map: &'a UnitMap,
    pub fields: &'a UnitFields,
    pub team: &'a mut Team,
    pub reservations: &'a mut RobotReservations,
    pub tick: u32,
}

/// Pushes the robot that rests close ahead on the path of another, and the robots in its way. Expands at most this many
/// cells.
pub(super) fn push_ahead(
    context: &mut PushContext<'_>,
    scratch: &mut PushScratch,
    row: usize,
    cells_max: usize,
) {
    scratch.begin(context.map.n_cells());
    let Some((first, steps)) = mark_path(context, scratch, row) else { return };
    if !may_leave(context, first, row) {
        return;
    }
    let own = context.team.at[row];
    let may_rotate = steps == 1 && may_leave(context, own, row);
    let Some(room) = find_room(context, scratch, row, first, may_rotate, cells_max) else { return };
    // Back from the room to the first cell. Robots beyond an empty cell on the way need not move.
    let mut cell = room;
    while room == own || cell != first {
        if context.reservations.holder(cell, 0) == NOBODY {
            scratch.moves.clear();
        }
        let before = scratch.came_from[cell as usize];
        let robot = context.reservations.holder(before, 0);
        if robot != NOBODY {
            scratch.moves.push((u32::from(robot), heading_of_step(context.map, before, cell)));
        }
        cell = before;
        if cell == own {
            break;
        }
    }
    move_up(context, &scratch.moves);
}

/// Marks the cells on the path of a robot to its goal. Gives the first cell with a resting robot, and how many steps
/// ahead it is, if it is near. The search does not enter the cells before it.
fn mark_path(context: &PushContext<'_>, scratch: &mut PushScratch, row: usize) -> Option<(u32, usize)> {
    let PushContext { map, fields, team, reservations, .. } = context;
    let field = fields.of(team.goal[row]);
    let (mut cell, mut heading) = (team.at[row], team.heading[row]);
    let (mut first, mut steps) = (None, 0);
    let mut left = field.cost(map.number(cell), heading);
    scratch.on_path.insert(cell as usize);
    scratch.seen.insert(cell as usize);
    while left > 0 {
        let number = map.number(cell);
        let by_step = Some(map.ahead(cell, heading))
            .filter(|&ahead| map.is_open(cell, heading) && field.cost(map.number(ahead), heading) < left);
        let turned = [1, 3].map(|turn| (heading + turn) % 4);
        let by_turn = turned.into_iter().find(|&turned| field.cost(number, turned) < left);
        match (by_step, by_turn) {
            (Some(ahead), _) => (cell, steps) = (ahead, steps + 1),
            (None, Some(turned)) => heading = turned,
            (None, None) => return first,
        }
        left = field.cost(map.number(cell), heading);
        scratch.on_path.insert(cell as usize);
        if first.is_some() || by_step.is_none() {
            continue;
        }
        let robot = reservations.holder(cell, 0);
        if robot != NOBODY {
            let rests = team.cells[usize::from(robot)] == [cell; DEPTH + 1];
            if !rests {
                return None;
            }
            first = Some((cell, steps));
        } else if steps == DEPTH {
            return None;
        }
        scratch.seen.insert(cell as usize);
    }
    first
}

/// Whether the robot in a cell, if any, may leave it or stay, and no other robot has reserved the cell. The robot in
/// `row` pushes.
fn may_leave(context: &PushContext<'_>, cell: u32, row: usize) -> bool {
    let PushContext { team, reservations, tick, .. } = context;
    let robot = reservations.holder(cell, 0);
    let others = (1..=DEPTH).any(|depth| ![NOBODY, robot].contains(&reservations.holder(cell, depth)));
    let is_bound = robot != NOBODY && {
        let other = usize::from(robot);
        team.bound_until[other] > *tick || team.turn[other] < team.turn[row]
    };
    !others && !is_bound
}

/// The nearest room for the robot in `first`: an empty cell off the path of the pusher, else one on it. Else it is the
/// pusher's own cell, if a ring leads back to it.
fn find_room(
    context: &PushContext<'_>,
    scratch: &mut PushScratch,
    row: usize,
    first: u32,
    may_rotate: bool,
    cells_max: usize,
) -> Option<u32> {
    let PushContext { map, team, reservations, .. } = context;
    let PushScratch { came_from, seen, on_path, queue, .. } = scratch;
    let own = team.at[row];
    let (mut on_path_room, mut ring) = (None, None);
    queue.push(first);
    seen.insert(first as usize);
    came_from[first as usize] = own;
    let mut next = 0;
    while let Some(&cell) = queue.get(next) {
        if next > cells_max {
            break;
        }
        next += 1;
        for heading in 0..4 {
            let ahead = map.ahead(cell, heading);
            if !map.is_open(cell, heading) || map.number(ahead) == BLOCKED {
                continue;
            }
            if ahead == own && cell != first && ring.is_none() && may_rotate {
                ring = Some(own);
                came_from[own as usize] = cell;
            }
            if seen.contains(ahead as usize) || !may_leave(context, ahead, row) {
                continue;
            }
            seen.insert(ahead as usize);
            came_from[ahead as usize] = cell;
            queue.push(ahead);
            if reservations.holder(ahead, 0) == NOBODY {
                if !on_path.contains(ahead as usize) {
                    return Some(ahead);
                }
                on_path_room = on_path_room.or(Some(ahead));
            }
        }
    }
    on_path_room.or(ring)
}

/// Heading of the step from a cell to a neighbour.
fn heading_of_step(map: &UnitMap, from: u32, to: u32) -> u8 {
    (0..4).find(|&heading| map.ahead(from, heading) == to).unwrap_or(0)
}

/// All robots that move turn towards their next cells, and then step at the same tick. Until then they are bound.
fn move_up(context: &mut PushContext<'_>, moves: &[(u32, u8)]) {
    let PushContext { map, fields, team, reservations, tick } = context;
    let turns_of = |team: &Team, (robot, to): (u32, u8)| match (to + 4 - team.heading[robot as usize]) % 4 {
        0 => [WAIT, WAIT],
        1 => [LEFT, WAIT],
        3 => [RIGHT, WAIT],
        _ => [LEFT, LEFT],
    };
    let n_turns = |turns: [u8; 2]| turns.iter().filter(|&&turn| turn != WAIT).count();
    let step_at = moves.iter().map(|&to| n_turns(turns_of(team, to))).max().unwrap_or(0);
    for &(robot, _) in moves {
        reservations.clear(&team.cells[robot as usize]);
    }
    for &(robot, heading) in moves {
        let row = robot as usize;
        let turns = turns_of(team, (robot, heading));
        let mut actions = [turns[0], turns[1], WAIT, WAIT];
        actions[step_at] = FORWARD;
        let next = map.ahead(team.at[row], heading);
        team.actions[row] = actions;
        team.cells[row] = std::array::from_fn(|depth| if depth > step_at { next } else { team.at[row] });
        reservations.put(&team.cells[row], robot);
        if team.goal[row] != NO_GOAL {
            team.cost[row] = team.cost_of_reserved(map, fields.of(team.goal[row]), row);
        }
        team.bound_until[row] = *tick + step_at as u32 + 1;
        team.planned[row] = true;
    }
}
