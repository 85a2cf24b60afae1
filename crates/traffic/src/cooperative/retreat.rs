//! Retreats: poses at which pushed agents rest clear of given cells, and the moves that lead there.
//!
//! The search is breadth-first over poses and ignores time: the moves are carried out as reservations of others
//! allow. It goes through free cells first. If it finds no retreat there, it goes through resting agents that may be
//! pushed in turn; these join the chain after the agent. That is the priority inheritance of PIBT (Okumura et al.
//! 2022) with as many successors as a body touches agents. An agent waits for every resting agent whose place its moves
//! cross. Such moves cross the retreat of another agent only if that agent waits for this one, so waits form no cycle.

use crate::cooperative::moves::{is_idle, transition_at};
use crate::cooperative::path_cells::PathCells;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::reservations::FOREVER;
use crate::forbidden::forbids;
use crate::motion::{Activity, AgentSlot};
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_grid::EpochMarks;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::{Offset, State};

/// Index of the pose before the first.
const NO_POSE: u32 = u32::MAX;

/// A pose that a search has reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReachedPose {
    pub(crate) state: State,
    /// Index of the pose before it; [`NO_POSE`] of the first.
    pub(crate) before: u32,
    /// The move from there.
    pub(crate) primitive: u8,
}

impl ReachedPose {
    /// The first pose of a search.
    pub(crate) fn first(state: State) -> Self {
        Self { state, before: NO_POSE, primitive: 0 }
    }
}

/// An agent of a chain: its row, and its moves to its retreat in `moves[first..][..count]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChainLink {
    pub(crate) row: u32,
    pub(crate) first: u32,
    /// 0 as long as it has no retreat.
    pub(crate) count: u32,
    /// It waits for the agent that looks for a retreat now, or for others that do.
    pub(crate) waits: bool,
}

impl ChainLink {
    /// An agent without moves yet.
    pub(crate) fn of(row: usize) -> Self {
        Self { row: row as u32, first: 0, count: 0, waits: false }
    }
}

/// Scratch memory: 4 bytes per cell, 4 per state, and 4 more for classes that cannot undo their moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct PushScratch {
    /// Cells that retreats keep clear of.
    pub(crate) avoided: PathCells,
    /// States that the search has reached.
    pub(crate) seen: EpochMarks,
    /// States from which an agent that cannot undo its moves comes back to where it is.
    pub(crate) returns: EpochMarks,
    pub(crate) reached: Vec<ReachedPose>,
    /// The pusher, unless it may be pushed itself, then the agents that retreat.
    pub(crate) chain: Vec<ChainLink>,
    /// Moves of the agents of the chain.
    pub(crate) moves: Vec<u8>,
    /// Cells that the moves of the chain have added to the avoided ones.
    pub(crate) added: Vec<u32>,
    /// Cells of the retreats found so far, and the agents' indices in the chain.
    pub(crate) taken: Vec<(u32, u32)>,
    /// Indices in the chain of an agent and of another for which it waits.
    pub(crate) dependencies: Vec<(u32, u32)>,
    /// Rows of the agents of the chain that have no retreat, and stay where they are.
    pub(crate) closed: Vec<u32>,
    /// Rows of the idle agents near edits that wait.
    pub(crate) idle: Vec<u32>,
    /// Rows of the agents on the poses that a shut-in agent reaches.
    pub(crate) others: Vec<u32>,
}

/// One attempt to find retreats for a chain of agents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// Agents after this key may be pushed, and idle agents.
    pub(crate) key: PriorityKey,
    /// Teams whose agents may be pushed, a bit each.
    pub(crate) teams: u32,
    /// Retreats must be free of resting agents, even of agents that could be pushed on.
    pub(crate) to_free: bool,
    /// The number of poses of one search is doubled this many times.
    pub(crate) doublings: u32,
    /// Poses that may still be expanded for the whole chain.
    pub(crate) poses_left: u64,
}

/// Finds retreats for the agent of the chain at `first`, its last, and for the agents that join it. If one of them
/// has none, all look for retreats that do not go through it, as long as poses are left.
pub(crate) fn find_retreats(
    planning: &mut Planning<'_>,
    scratch: &mut PushScratch,
    first: usize,
    attempt: &mut Attempt,
) -> bool {
    scratch.closed.clear();
    scratch.added.clear();
    loop {
        scratch.taken.clear();
        scratch.dependencies.clear();
        let mut at = first;
        let pushed_max = planning.table.params.pushed_max as usize;
        while at < scratch.chain.len()
            && scratch.chain.len() <= pushed_max
            && retreat(planning, scratch, at, attempt)
        {
            at += 1;
        }
        if at == scratch.chain.len() {
            return true;
        }
        // Of bodies that cannot undo their moves, longer ways to retreats left one more stuck in a lane of lorries.
        let class = planning.view.agents.motion[scratch.chain[first].row as usize].class.0 as usize;
        let is_last = at == first || planning.table.turnaround.needs(class);
        if is_last || attempt.poses_left == 0 || scratch.chain.len() > pushed_max {
            return false;
        }
        let PushScratch { avoided, chain, moves, added, closed, .. } = scratch;
        closed.push(chain[at].row);
        chain.truncate(first + 1);
        chain[first] = ChainLink::of(chain[first].row as usize);
        moves.clear();
        added.drain(..).for_each(|cell| avoided.remove(cell as usize));
    }
}

/// Finds the moves of one agent of the chain to the nearest retreat, through free cells or else through resting agents,
/// which join the chain.
fn retreat(planning: &mut Planning<'_>, scratch: &mut PushScratch, at: usize, attempt: &mut Attempt) -> bool {
    let view = planning.view;
    let found = find_retreat(planning, scratch, at, attempt, false).or_else(|| {
        mark_waiting(&mut scratch.chain, &scratch.dependencies, at);
        find_retreat(planning, scratch, at, attempt, true)
    });
    let Some(found) = found else { return false };
    let PushScratch { avoided, reached, chain, moves, added, taken, dependencies, .. } = scratch;
    let first = moves.len();
    let mut pose = reached[found];
    while pose.before != NO_POSE {
        moves.push(pose.primitive);
        pose = reached[pose.before as usize];
    }
    moves[first..].reverse();
    let row = chain[at].row as usize;
    let count = (moves.len() - first) as u32;
    // Agents that it pushes keep clear of its moves too.
    let reservations = &planning.table.reservations;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let agent = view.agents.slots[row];
    let mut state = motion.state;
    for &primitive in &moves[first..] {
        let primitive = usize::from(primitive);
        let step = transition_at(tables, tables.space().pose(state), primitive);
        let (anchor, cells) = view.occupancy.needed(&step);
        for &offset in cells {
            let cell = reservations.index(anchor, offset);
            if avoided.insert(cell) {
                added.push(cell as u32);
            }
            let rests = reservations.on(cell).filter(|other| other.agent != agent && other.until == FOREVER);
            for row in rests.filter_map(|other| view.agents.row_of_slot(other.agent)) {
                let known = chain.iter().position(|link| link.row == row as u32);
                if known.is_none() {
                    chain.push(ChainLink::of(row));
                }
                dependencies.push((at as u32, known.unwrap_or(chain.len() - 1) as u32));
            }
        }
        state = tables.state_after(state, primitive);
    }
    let pose = tables.space().pose(state);
    let body = tables.class().cells_at(pose).iter();
    taken.extend(body.map(|&offset| (reservations.index(pose.cell, offset) as u32, at as u32)));
    chain[at] = ChainLink { first: first as u32, count, ..chain[at] };
    true
}

/// Marks the agents of a chain that wait for one of them. At most quadratic in the dependencies.
fn mark_waiting(chain: &mut [ChainLink], dependencies: &[(u32, u32)], at: usize) {
    chain.iter_mut().for_each(|link| link.waits = false);
    let mut is_new = true;
    while std::mem::take(&mut is_new) {
        for &(agent, other) in dependencies {
            let waits = other as usize == at || chain[other as usize].waits;
            is_new |= waits && !chain[agent as usize].waits;
            chain[agent as usize].waits |= waits;
        }
    }
}

/// Searches breadth-first for the nearest pose clear of the avoided cells; gives its index in `reached`.
fn find_retreat(
    planning: &mut Planning<'_>,
    scratch: &mut PushScratch,
    at: usize,
    attempt: &mut Attempt,
    through: bool,
) -> Option<usize> {
    let view = planning.view;
    let PushScratch { avoided, seen, returns, reached, chain, taken, closed, .. } = scratch;
    let row = chain[at].row as usize;
    let motion = view.agents.motion[row];
    let class = motion.class.0 as usize;
    let tables = &view.tables[class];
    let n_states = view.tables.iter().map(|tables| tables.space().n_states()).max().unwrap_or(0);
    let table = &*planning.table;
    let poses = table.params.retreat_poses as usize;
    let poses_max = poses << attempt.doublings;
    // A pose leads to 16 others at most.
    reached.clear();
    reached.reserve(32 * poses);
    let turns = table.turnaround.needs(class);
    if turns {
        returns.begin(n_states);
        mark_returns(tables, motion.state, poses_max, returns, reached);
    }
    seen.begin(n_states);
    reached.clear();
    reached.push(ReachedPose::first(motion.state));
    seen.insert(motion.state.0 as usize);
    let team = view.agents.teams[row];
    // A friend's friends need not be friends.
    let teams = attempt.teams & view.friends.of_team(team);
    let attempt_here = Attempt { teams, ..*attempt };
    let agent = view.agents.slots[row];
    let entry = Entry { agent, chain: &chain[..=at], taken, closed, attempt: attempt_here, through };
    let mut next = 0;
    while next < reached.len() && next < poses_max && attempt.poses_left > 0 {
        attempt.poses_left -= 1;
        planning.search.expanded += 1;
        let state = reached[next].state;
        let pose = tables.space().pose(state);
        let body = (pose.cell, tables.class().cells_at(pose));
        let may_turn = || match through {
            true => !turns || table.turnaround.fits((class, tables), state),
            false => table.may_rest(view, row, state),
        };
        let returns = || !turns || returns.contains(state.0 as usize);
        let is_retreat = next > 0
            && !avoided.meets(&table.reservations, body)
            && entry.is_open((view, table), body, true)
            && may_turn()
            && returns();
        if is_retreat {
            return Some(next);
        }
        tables.for_each_successor(state, |successor| {
            let step = transition_at(tables, pose, usize::from(successor.primitive));
            let is_new = !seen.contains(successor.state.0 as usize);
            if is_new
                && table.corridor_control.enters_busy(&step, team).is_none()
                && entry.is_open((view, table), view.occupancy.needed(&step), false)
                && !forbids(view.forbidden, pose.cell, body.1, step.swept().1)
            {
                seen.insert(successor.state.0 as usize);
                let (before, primitive) = (next as u32, successor.primitive);
                reached.push(ReachedPose { state: successor.state, before, primitive });
            }
        });
        next += 1;
    }
    None
}

/// Marks the states from which a state can be reached, the nearest `poses_max` of them; `queue` is scratch.
fn mark_returns(
    tables: &MovementTables,
    to: State,
    poses_max: usize,
    returns: &mut EpochMarks,
    queue: &mut Vec<ReachedPose>,
) {
    returns.insert(to.0 as usize);
    queue.push(ReachedPose::first(to));
    let mut next = 0;
    while next < queue.len() && next < poses_max {
        tables.for_each_predecessor(queue[next].state, |before| {
            if returns.insert(before.state.0 as usize) {
                queue.push(ReachedPose::first(before.state));
            }
        });
        next += 1;
    }
}

/// Which cells a retreating agent may enter.
struct Entry<'a> {
    agent: AgentSlot,
    /// The chain up to the agent. Agents after it in the chain have no retreat yet and may be pushed further.
    chain: &'a [ChainLink],
    /// Cells of the retreats of the agents before it in the chain.
    taken: &'a [(u32, u32)],
    /// Rows of agents that cannot be pushed off.
    closed: &'a [u32],
    attempt: Attempt,
    /// It may go through resting agents that can be pushed, and through the places of agents that leave before it.
    through: bool,
}

impl Entry<'_> {
    /// Whether no other agent rests on the cells, except agents that may be pushed. To stay there, the cells must not
    /// be reserved for later either.
    fn is_open(
        &self,
        (view, table): (&TrafficView<'_>, &PlanTable),
        (anchor, cells): (CellXY, &[Offset]),
        to_stay: bool,
    ) -> bool {
        cells.iter().all(|&offset| {
            let cell = table.reservations.index(anchor, offset);
            if self.through && self.is_taken(cell as u32) {
                return false;
            }
            table.reservations.on(cell).all(|reservation| {
                let rests = reservation.until == FOREVER;
                reservation.agent == self.agent
                    || (!rests && !to_stay)
                    || (self.through
                        && rests
                        && !(to_stay && self.attempt.to_free)
                        && (self.leaves_first(view, reservation.agent)
                            || self.may_push((view, table), reservation.agent)))
            })
        })
    }

    /// Whether a cell belongs to the retreat of an agent that does not wait for this one.
    fn is_taken(&self, cell: u32) -> bool {
        self.taken.iter().any(|&(taken, by)| taken == cell && !self.chain[by as usize].waits)
    }

    /// Whether an agent has a retreat and does not wait for this one, so that this one can wait for it.
    fn leaves_first(&self, view: &TrafficView<'_>, agent: AgentSlot) -> bool {
        let row = view.agents.row_of_slot(agent);
        self.chain.iter().any(|link| link.count > 0 && !link.waits && Some(link.row as usize) == row)
    }

    /// Whether an agent can be pushed. It is a friend, rests, has no plan and will look for one within the horizon.
    /// It is idle or of lower priority, but not on hold.
    fn may_push(&self, (view, table): (&TrafficView<'_>, &PlanTable), agent: AgentSlot) -> bool {
        let Some(row) = view.agents.row_of_slot(agent) else { return false };
        let motion = &view.agents.motion[row];
        let head = &table.heads[agent.index()];
        let horizon = table.params.horizon_steps * table.step_ticks_of(&view.agents, row);
        motion.at_rest()
            && view.agents.teams[row].is_in(self.attempt.teams)
            && motion.activity != Activity::Holding
            && head.plan_is_empty()
            && head.next_try <= view.tick.saturating_add(horizon)
            && self.chain.iter().all(|link| link.row != row as u32)
            && !self.closed.contains(&(row as u32))
            && (is_idle(motion.activity) || self.attempt.key < table.key(view, row))
    }
}
