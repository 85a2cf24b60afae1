//! Pushing: who goes first and cannot move has all in front of it make room, along a string of cells.
//!
//! The strings of actions reach a few ticks, and a robot that is pushed picks what is best for itself. So in
//! a lane with one bay nobody enters the bay, and in a dense crowd no chain of lifts may lead to where there
//! is room. This looks for room over the whole map instead: the nearest empty cell off the way of the robot,
//! by cells that others can leave, or one on its way if there is none off it. All in between move up by one
//! cell at the same tick, as soon as all have turned. Where nothing is empty, a ring of robots turns.

use super::operations::{DEPTH, FORWARD, LEFT, RIGHT, WAIT};
use super::unit_map::BLOCKED;
use crate::unit_robots::pursuers::is_packed;
use crate::unit_robots::state::UnitRobots;
use crate::unit_robots::team::{NOBODY, RING, clear, put};

impl UnitRobots {
    /// On a packed map, has others make room for each that pursues its goal and is to stay where it is. With
    /// more room the strings of actions find more.
    pub(super) fn push_for_standing(&mut self) {
        if !is_packed(&self.params, &self.map, self.team.at.len()) {
            return;
        }
        for at in 0..self.n_with_goal {
            let row = self.order[at].1 as usize;
            let is_bound = self.team.bound_until[row] > self.tick;
            if !is_bound && self.team.cells[row] == [self.team.at[row]; DEPTH + 1] {
                self.push_for(row, self.params.robot_push_cells_near as usize);
            }
        }
    }

    /// Has the robots that stand close ahead on the way of another make room; looks at so many cells for it.
    pub(super) fn push_for(&mut self, row: usize, cells_max: usize) {
        self.push.begin(self.map.n_cells());
        let Some((first, steps)) = self.mark_way(row) else { return };
        if !self.may_leave(first, row) {
            return;
        }
        let own = self.team.at[row];
        let may_turn_ring = steps == 1 && self.may_leave(own, row);
        let Some(room) = self.find_room(row, first, may_turn_ring, cells_max) else { return };
        // Back from the room to the first; those behind an empty cell on the way need not move.
        let mut cell = room;
        while room == own || cell != first {
            if self.robot_in(cell) == NOBODY {
                self.push.moves.clear();
            }
            let before = self.push.came_from[cell as usize];
            let robot = self.robot_in(before);
            if robot != NOBODY {
                self.push.moves.push((u32::from(robot), self.heading_of_step(before, cell)));
            }
            cell = before;
            if cell == own {
                break;
            }
        }
        self.move_up();
    }

    /// Marks the cells on the way of a robot to its goal. Gives the first cell, and how many steps ahead it
    /// is, if a robot stands there and it is near; those before it are out of bounds.
    fn mark_way(&mut self, row: usize) -> Option<(u32, usize)> {
        let field = self.fields.of(self.team.goal[row]);
        let Self { map, team, push, reserved, tick, .. } = self;
        let (mut cell, mut heading) = (team.at[row], team.heading[row]);
        let (mut first, mut steps) = (None, 0);
        let mut left = field.cost(map.number(cell), heading);
        push.on_way[cell as usize] = push.stamp;
        push.seen[cell as usize] = push.stamp;
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
            push.on_way[cell as usize] = push.stamp;
            if first.is_some() || by_step.is_none() {
                continue;
            }
            let robot = reserved[cell as usize][*tick as usize % RING];
            if robot != NOBODY {
                let stands = team.cells[usize::from(robot)] == [cell; DEPTH + 1];
                if !stands {
                    return None;
                }
                first = Some((cell, steps));
            } else if steps == DEPTH {
                return None;
            }
            push.seen[cell as usize] = push.stamp;
        }
        first
    }

    /// Who stands in a cell.
    fn robot_in(&self, cell: u32) -> u16 {
        self.reserved[cell as usize][self.tick as usize % RING]
    }

    /// Whether whoever stands in a cell may leave it or stay, and nobody else has reserved it. The robot in
    /// `row` pushes.
    fn may_leave(&self, cell: u32, row: usize) -> bool {
        let reserved = &self.reserved[cell as usize];
        let robot = reserved[self.tick as usize % RING];
        let others = (1..=DEPTH)
            .any(|depth| ![NOBODY, robot].contains(&reserved[(self.tick as usize + depth) % RING]));
        let is_bound = robot != NOBODY && {
            let other = usize::from(robot);
            self.team.bound_until[other] > self.tick || self.team.rank[other] < self.team.rank[row]
        };
        !others && !is_bound
    }

    /// The nearest room for the robot in `first`: an empty cell off the way of the one that pushes, else one
    /// on its way, else its own cell, if a ring leads back to it. Looks at so many cells.
    fn find_room(&mut self, row: usize, first: u32, may_turn_ring: bool, cells_max: usize) -> Option<u32> {
        let own = self.team.at[row];
        let stamp = self.push.stamp;
        let (mut on_way, mut ring) = (None, None);
        self.push.queue.push(first);
        self.push.seen[first as usize] = stamp;
        self.push.came_from[first as usize] = own;
        let mut next = 0;
        while let Some(&cell) = self.push.queue.get(next) {
            if next > cells_max {
                break;
            }
            next += 1;
            for heading in 0..4 {
                let ahead = self.map.ahead(cell, heading);
                if !self.map.is_open(cell, heading) || self.map.number(ahead) == BLOCKED {
                    continue;
                }
                if ahead == own && cell != first && ring.is_none() && may_turn_ring {
                    ring = Some(own);
                    self.push.came_from[own as usize] = cell;
                }
                if self.push.seen[ahead as usize] == stamp || !self.may_leave(ahead, row) {
                    continue;
                }
                self.push.seen[ahead as usize] = stamp;
                self.push.came_from[ahead as usize] = cell;
                self.push.queue.push(ahead);
                if self.robot_in(ahead) == NOBODY {
                    if self.push.on_way[ahead as usize] != stamp {
                        return Some(ahead);
                    }
                    on_way = on_way.or(Some(ahead));
                }
            }
        }
        on_way.or(ring)
    }

    /// Heading of the step from a cell to one beside it.
    fn heading_of_step(&self, from: u32, to: u32) -> u8 {
        (0..4).find(|&heading| self.map.ahead(from, heading) == to).unwrap_or(0)
    }

    /// All that move turn to where they go, and then step at the same tick; until then nobody lifts them.
    fn move_up(&mut self) {
        let Self { map, team, fields, reserved, push, tick, .. } = self;
        let turns_of = |team: &super::team::Team, (robot, to): (u32, u8)| match (to + 4
            - team.heading[robot as usize])
            % 4
        {
            0 => [WAIT, WAIT],
            1 => [LEFT, WAIT],
            3 => [RIGHT, WAIT],
            _ => [LEFT, LEFT],
        };
        let n_turns = |turns: [u8; 2]| turns.iter().filter(|&&turn| turn != WAIT).count();
        let transition_at = push.moves.iter().map(|&to| n_turns(turns_of(team, to))).max().unwrap_or(0);
        for &(robot, _) in &push.moves {
            clear(reserved, *tick, &team.cells[robot as usize]);
        }
        for &(robot, heading) in &push.moves {
            let row = robot as usize;
            let turns = turns_of(team, (robot, heading));
            let mut actions = [turns[0], turns[1], WAIT, WAIT];
            actions[transition_at] = FORWARD;
            let next = map.ahead(team.at[row], heading);
            team.actions[row] = actions;
            team.cells[row] =
                std::array::from_fn(|depth| if depth > transition_at { next } else { team.at[row] });
            put(reserved, *tick, &team.cells[row], robot);
            if team.goal[row] != u32::MAX {
                team.value[row] = team.value_of_reserved(map, fields.of(team.goal[row]), row);
            }
            team.bound_until[row] = *tick + transition_at as u32 + 1;
            team.planned[row] = true;
        }
    }
}
