//! What agents do tick by tick, worked out the slow and obvious way from the rules of collision (docs/rules.md 2.6).

use super::ground::Ground;
use crate::collision::{CollisionRule, Transition};
use crate::cooperative::moves::{pose_after, transition_at};
use crate::cooperative::plan::PlannedMove;
use crate::cooperative::reservations::{FOREVER, Reservations};
use crate::motion::AgentSlot;
use crate::random::Random;
use std::collections::BTreeSet;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};

/// What an agent does from tick 0 on: it rests, makes its moves, and rests forever.
#[derive(Clone, Debug)]
pub struct Walk {
    pub class: usize,
    pub from: State,
    pub moves: Vec<PlannedMove>,
}

/// What an agent does at a tick.
#[derive(Clone, Copy)]
pub enum Doing<'a> {
    Rests(Pose),
    Moves(Transition<'a>, PlannedMove),
}

/// The cells of some offsets.
pub fn cells((anchor, offsets): (CellXY, &[Offset])) -> BTreeSet<CellXY> {
    offsets.iter().map(|offset| offset.cell_from(anchor)).collect()
}

/// The cells under a body.
pub fn body(tables: &MovementTables, pose: Pose) -> BTreeSet<CellXY> {
    cells((pose.cell, tables.class().cells_at(pose)))
}

impl Walk {
    /// Tick from which on it rests forever.
    pub fn ends(&self) -> u32 {
        self.moves.last().map_or(0, |last| last.start + last.ticks)
    }

    /// Where it rests in the end.
    pub fn end_state(&self, tables: &[MovementTables]) -> State {
        let after = |state, planned: &PlannedMove| {
            tables[self.class].state_after(state, usize::from(planned.primitive))
        };
        self.moves.iter().fold(self.from, after)
    }

    pub fn doing<'a>(&self, tables: &'a [MovementTables], tick: u32) -> Doing<'a> {
        let tables = &tables[self.class];
        let mut pose = tables.space().pose(self.from);
        for &planned in &self.moves {
            let step = transition_at(tables, pose, usize::from(planned.primitive));
            if tick < planned.start {
                break;
            }
            if tick < planned.start + planned.ticks {
                return Doing::Moves(step, planned);
            }
            pose = pose_after(&step);
        }
        Doing::Rests(pose)
    }

    /// The cells that it holds at a tick.
    pub fn held(&self, tables: &[MovementTables], rule: CollisionRule, tick: u32) -> BTreeSet<CellXY> {
        match self.doing(tables, tick) {
            Doing::Rests(pose) => body(&tables[self.class], pose),
            Doing::Moves(step, _) => cells(rule.held(&step)),
        }
    }

    /// Reserves all that it needs.
    pub fn reserve(&self, tables: &[MovementTables], reservations: &mut Reservations, agent: AgentSlot) {
        let tables = &tables[self.class];
        let (mut pose, mut ready) = (tables.space().pose(self.from), 0);
        for planned in &self.moves {
            let step = transition_at(tables, pose, usize::from(planned.primitive));
            reservations.rest(agent, step.start(), ready, planned.start);
            reservations.move_on(agent, &step, (planned.start, planned.start + planned.ticks));
            (pose, ready) = (pose_after(&step), planned.start + planned.ticks);
        }
        reservations.rest(agent, (pose.cell, tables.class().cells_at(pose)), ready, FOREVER);
    }
}

/// Whether two agents ever violate the rule of collision, tick by tick.
pub fn collide(tables: &[MovementTables], rule: CollisionRule, one: &Walk, other: &Walk) -> bool {
    (0..=one.ends().max(other.ends())).any(|tick| {
        !one.held(tables, rule, tick).is_disjoint(&other.held(tables, rule, tick))
            || (rule == CollisionRule::Discrete
                && (may_not_begin(tables, one, other, tick) || may_not_begin(tables, other, one, tick)))
    })
}

/// Discrete rule: whether a move begins at a tick that may not, with what another agent does then.
fn may_not_begin(tables: &[MovementTables], walk: &Walk, other: &Walk, tick: u32) -> bool {
    let Doing::Moves(step, planned) = walk.doing(tables, tick) else { return false };
    if planned.start != tick {
        return false;
    }
    let (end, until) = (cells(step.end()), planned.start + planned.ticks);
    match other.doing(tables, tick) {
        Doing::Rests(_) => !end.is_disjoint(&other.held(tables, CollisionRule::Discrete, tick)),
        Doing::Moves(their, their_move) => {
            let their_until = their_move.start + their_move.ticks;
            let exchange = their_until == until && !cells(their.end()).is_disjoint(&cells(step.start()));
            !end.is_disjoint(&cells(their.end()))
                || ((their_until > until || exchange) && !end.is_disjoint(&cells(their.start())))
        }
    }
}

/// Walks of several agents that never violate the rule among themselves: at most `n`, of at most `moves` moves.
pub fn random_walks(
    ground: &Ground,
    rule: CollisionRule,
    random: &mut Random,
    (n, moves): (usize, usize),
) -> Vec<Walk> {
    let tables = &ground.tables;
    let mut walks: Vec<Walk> = Vec::new();
    for _ in 0..n {
        let class = random.below(tables.len());
        let Some(from) = ground.any_state(class, random) else { continue };
        let mut walk = Walk { class, from, moves: Vec::new() };
        let fits =
            |walk: &Walk, walks: &[Walk]| walks.iter().all(|other| !collide(tables, rule, walk, other));
        if !fits(&walk, &walks) {
            continue;
        }
        for _ in 0..moves {
            let mut next = Vec::new();
            tables[class].for_each_successor(walk.end_state(tables), |successor| next.push(successor));
            if next.is_empty() {
                break;
            }
            let chosen = next[random.below(next.len())];
            let start = walk.ends() + random.below(5) as u32;
            walk.moves.push(PlannedMove { start, ticks: chosen.ticks, primitive: chosen.primitive });
            if !fits(&walk, &walks) {
                walk.moves.pop();
            }
        }
        walks.push(walk);
    }
    walks
}
