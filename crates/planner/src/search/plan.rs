//! A*: one kernel for every layout, heuristic and open list.
//!
//! Hart, Nilsson and Raphael 1968; weighted as in Pohl 1970. A pose is settled when it is taken off the open list, not
//! when it is generated. It is reopened if a cheaper path to it turns up later, which happens only with weights and
//! with inconsistent heuristics.
//!
//! Ties: least `g + h`; then least `h`, in up to 16 classes relative to the start ([`KeyOrder`]). The last
//! pushed comes next, except that among successors of one pose that come next a move precedes a turn.

use crate::model::outcome::{COST_MAX, Progress, Reached, Status};
use crate::model::path::{Path, PathPose};
use crate::model::pose::{Heading, Pose, State};
use crate::model::state_indexing::with_indexing;
use crate::open_list::{BUCKETS_MAX, KeyOrder, NonMonotoneQueue, OpenList};
use crate::search::estimate::{
    ArrayEstimate, CellBounds, Estimate, IntegerNorm, ShapeNorm, Weighted, ZeroEstimate,
};
use crate::search::free_moves::is_free;
use crate::search::guide::HeuristicName;
use crate::search::heuristic::{AnyEstimate, Heuristic, Prepared};
use crate::search::kernel::{Kernel, StopReason};
use crate::search::landmarks::{LandmarkEstimate, SelectedColumns};
use crate::search::nearest_poses::poses_at_nearest;
use crate::search::request::{Answer, Fallback, GoalArea, Request};
use crate::search::scratch::{NearestRun, Outcome, Scratch, SearchRun};
use crate::tables::MovementTables;
use crate::tables::components::Reachability;
use crate::tables::layouts::with_layout;
use crate::tables::node::Node;
use wheelbase_grid::CellXY;

/// Plans a cheapest path, or one within the request's weight, in one call: [`begin`], [`advance`] to the end or
/// the limit, [`finish`]. Writes poses and moves to `path`, which is empty if there is no path.
///
/// Does not allocate once `scratch` and `path` have grown.
pub fn plan(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    path: &mut Path,
) -> Answer {
    begin(tables, request, scratch);
    advance(tables, request, scratch, u64::MAX);
    finish(tables, request, scratch, path)
}

/// Begins a search: answers what needs no search, and prepares the scratch for the rest. Drops a search in
/// progress.
///
/// # Panics
/// If the request's obstacles or landmarks do not match the size of the map.
pub fn begin(tables: &MovementTables, request: &Request<'_>, scratch: &mut Scratch) -> Progress {
    let space = tables.space();
    if let Heuristic::Landmarks(landmarks) = request.heuristic {
        assert_eq!(landmarks.space(), space, "landmarks of another map");
    }
    if let Some(obstacles) = request.obstacles {
        assert_eq!(obstacles.size(), space.size(), "obstacles of another map");
    }
    scratch.reset(space.n_states());
    match mark_goals(tables, request, scratch) {
        Err(status) => {
            scratch.run.outcome = Some(Outcome::Without(status));
            Progress::Done
        }
        Ok((start, prepared)) => {
            // Goals that are no members of the goal are poses nearest to it.
            let is_member = |&state: &u32| request.goal.matches(space.shape(), space.pose(State(state)));
            let to_nearest = request.area.is_none() && scratch.goals.iter().any(|state| !is_member(state));
            push_start(tables, request, scratch, start, prepared);
            scratch.run.nearest = to_nearest.then_some(NearestRun { at: 0, best: None, again: false });
            Progress::Running
        }
    }
}

/// Marks the goal's legal poses that components do not rule out, and prepares the heuristic. Returns the status of a
/// query that needs no search.
fn mark_goals(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
) -> Result<(State, Prepared), Status> {
    let space = tables.space();
    let start = space.state(request.start).ok_or(Status::StartOffMap)?;
    let start_legal = tables.is_legal(start);
    let (mut on_map, mut legal, mut headings) = (false, false, 0_u8);
    let mut cells = CellBounds::empty(space.shape());
    if let Some(area) = request.area {
        return find_open_goal(tables, request, area, start);
    }
    request.goal.for_each_pose(space, |pose| {
        let Some(state) = space.state(pose) else { return };
        on_map = true;
        legal |= tables.is_legal(state);
        if start_legal
            && tables.is_legal(state)
            && tables.components().reachability(start, state) != Reachability::No
        {
            scratch.mark_goal(state);
            cells.add(pose.cell);
            headings |= 1 << pose.heading.0;
        }
    });
    let nearest = request.fallback == Fallback::Nearest;
    if !on_map && !nearest {
        return Err(Status::GoalOffMap);
    }
    if !start_legal {
        return Err(Status::StartBlocked);
    }
    if !legal && !nearest {
        return Err(Status::GoalBlocked);
    }
    if headings == 0 && !nearest {
        return Err(Status::Unreachable);
    }
    if headings == 0
        && may_mark_nearest(request)
        && let Some(prepared) = mark_nearest(tables, request, scratch, start, 0)
    {
        return Ok((start, prepared));
    }
    let prepared = match headings {
        // No goal to be guided to: everything is explored, for the nearest pose.
        0 => Prepared::Zero,
        _ => Prepared::new(&request.heuristic, tables, cells, headings),
    };
    let is_goal = |state: State| scratch.nodes[state.0 as usize] & Node::GOAL != 0;
    Ok((start, with_landmarks(request, start, prepared, is_goal)))
}

/// Whether a search for the pose nearest to an unreachable goal may go to the poses found around the goal. It knows
/// exact costs, and follows a bound that is never too great.
fn may_mark_nearest(request: &Request<'_>) -> bool {
    let is_exact =
        matches!(request.heuristic, Heuristic::Default | Heuristic::Landmarks(_) | Heuristic::Named(_))
            && !is_greedy(request);
    is_exact && request.weight_permille <= 1000 && request.penalties.is_none() && !request.partial
}

/// The heuristic of a request at its start, without a search: a lower bound of the cost of any path in ticks,
/// whatever its weight. 0 if nothing is known, and for a goal by area.
pub fn cost_lower_bound_of(tables: &MovementTables, request: &Request<'_>) -> u32 {
    let space = tables.space();
    let Some(start) = space.state(request.start) else { return 0 };
    let is_goal = |state| tables.is_legal(state);
    let mut cells = CellBounds::empty(space.shape());
    let mut headings = 0_u8;
    request.goal.for_each_pose(space, |pose| {
        if space.state(pose).is_some_and(is_goal) {
            cells.add(pose.cell);
            headings |= 1 << pose.heading.0;
        }
    });
    if headings == 0 || request.area.is_some() {
        return 0;
    }
    let norm = Prepared::new(&request.heuristic, tables, cells, headings);
    let prepared = with_landmarks(request, start, norm, is_goal);
    let Pose { cell, heading } = request.start;
    estimate_of(tables, &prepared, request).plain(start.0, cell.x, cell.y, heading.0 as usize)
}

/// Lets the landmarks of a request guide it if their bound sufficiently exceeds the norm's.
fn with_landmarks(
    request: &Request<'_>,
    start: State,
    prepared: Prepared,
    is_goal: impl Fn(State) -> bool,
) -> Prepared {
    let (Heuristic::Landmarks(landmarks), Prepared::Linear(norm)) = (request.heuristic, prepared) else {
        return prepared;
    };
    let space = landmarks.space();
    let Pose { cell, heading } = request.start;
    let norm_bound = norm.weighted(start.0, cell.x, cell.y, heading.0 as usize);
    let selection = landmarks.choose(start, norm_bound, |found| {
        request.goal.for_each_pose(space, |pose| {
            let state = space.state(pose).filter(|&state| is_goal(state));
            state.into_iter().for_each(&mut *found);
        });
    });
    selection.map_or(prepared, |selection| Prepared::Landmarks(selection, landmarks.step_max(), norm))
}

/// Like [`mark_goals`], for a goal by area. Its members are recognised when taken off the open list, so here it
/// suffices to find any member that may be reachable.
fn find_open_goal(
    tables: &MovementTables,
    request: &Request<'_>,
    area: GoalArea<'_>,
    start: State,
) -> Result<(State, Prepared), Status> {
    let space = tables.space();
    let on_map = area.area.intersection(space.size().rect());
    let nearest = request.fallback == Fallback::Nearest;
    if on_map.is_empty() && !nearest {
        return Err(Status::GoalOffMap);
    }
    if !tables.is_legal(start) {
        return Err(Status::StartBlocked);
    }
    let mut legal = false;
    let mut may_be_reached = |cell: CellXY| {
        let poses = (0..space.headings()).map(|h| Pose { cell, heading: Heading(h) });
        poses.filter_map(|pose| Some((space.state(pose)?, pose))).any(|(state, pose)| {
            let open = tables.is_legal(state) && (area.open)(pose);
            legal |= open;
            open && tables.components().reachability(start, state) != Reachability::No
        })
    };
    if on_map.cells().any(&mut may_be_reached) {
        let cells = CellBounds::rectangle(space.shape(), on_map);
        let headings = ((1_u32 << space.headings()) - 1) as u8;
        return Ok((start, Prepared::new(&request.heuristic, tables, cells, headings)));
    }
    match (nearest, legal) {
        (true, _) => Ok((start, Prepared::Zero)),
        (false, true) => Err(Status::Unreachable),
        (false, false) => Err(Status::GoalBlocked),
    }
}

fn push_start(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    start: State,
    prepared: Prepared,
) {
    let Scratch { nodes, stamp, buckets, heap, run, .. } = scratch;
    let size = tables.space().size();
    let pose = request.start;
    let estimate = estimate_of(tables, &prepared, request);
    let bound = estimate.weighted(start.0, pose.cell.x, pose.cell.y, pose.heading.0 as usize);
    let sum = estimate.key(0, bound);
    let range = sum_range(tables, request, &prepared);
    // Buckets need keys that never fall, which only a consistent heuristic guarantees.
    let whole = match prepared {
        Prepared::Array(base) => base.is_integer(size),
        _ => true,
    };
    let in_buckets = range < BUCKETS_MAX && request.weight_permille == 1000 && !estimate.greedy && whole;
    let goal = nodes[start.0 as usize] & Node::GOAL;
    nodes[start.0 as usize] = Node::pack(0, stamp.get(), goal);
    // Without a weight no key falls below the start's estimate.
    let keys_from = match estimate.greedy {
        true => 0,
        false => u64::from(estimate.plain(start.0, pose.cell.x, pose.cell.y, pose.heading.0 as usize)),
    };
    let order = if in_buckets { KeyOrder::new(range, bound) } else { KeyOrder::default() };
    let key = order.key(sum, bound);
    if in_buckets {
        buckets.reset(order.range(range), order.key(sum, 0));
        buckets.push(key, start.0);
    } else {
        NonMonotoneQueue::reset(buckets, heap, keys_from).push(key, start.0);
    }
    let by_area = request.area.is_some();
    let guide = prepared.guide(&request.heuristic, tables);
    *run = SearchRun {
        start: Some(start),
        prepared: Some(prepared),
        guide,
        in_buckets,
        order,
        keys_from,
        by_area,
        ..SearchRun::default()
    };
}

/// Continues a search for at most `expansions` more. A finished search stays finished. A search that reached the
/// request's limit continues if the request now allows more.
///
/// `tables` and `request` must be those given to [`begin`], unchanged except for the limits.
pub fn advance(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    expansions: u64,
) -> Progress {
    let run = &scratch.run;
    if run.outcome.is_some() || run.prepared.is_none() {
        return Progress::Done;
    }
    let mut rest = expansions;
    let mut go_on = |scratch: &mut Scratch| {
        let before = scratch.run.expansions;
        let left = left_to(request, scratch);
        let stop = run_kernel(tables, request, scratch, left.min(rest));
        let at_limit = left <= rest;
        rest -= scratch.run.expansions - before;
        (stop, at_limit)
    };
    let (mut stop, mut at_limit) = go_on(scratch);
    while let Some(nearest) = scratch.run.nearest {
        match stop {
            StopReason::Goal(state) if nearest.again => {
                scratch.run.outcome = Some(Outcome::AtNearest(state));
                return Progress::Done;
            }
            StopReason::Goal(state) => {
                let found = (Node::cost(scratch.nodes[state.0 as usize]), state.0, nearest.at);
                let best = Some(nearest.best.map_or(found, |best| best.min(found)));
                scratch.run.nearest = Some(NearestRun { best, ..nearest });
            }
            StopReason::Exhausted => {
                // All that can be reached is explored without one of them: the best of it is found below.
                let Some(best) = nearest.best else { break };
                if let Some(end) = go_to_next_nearest(tables, request, scratch, nearest, best) {
                    scratch.run.outcome = Some(Outcome::AtNearest(end));
                    return Progress::Done;
                }
            }
            // Searches to several cells have used up the limit, which may yet be enough to reach every pose.
            StopReason::Budget if at_limit && (nearest.at > 0 || nearest.again) => {
                restart_exactly(tables, request, scratch);
            }
            StopReason::Budget => break,
        }
        (stop, at_limit) = go_on(scratch);
    }
    if matches!(stop, StopReason::Exhausted) && needs_exact_costs(request, scratch) {
        if scratch.run.overflowed && enumerate_reachable(tables, request, scratch).0 {
            // Only greed made the path to the goal too long: no pose near it takes its place.
            scratch.run.outcome = Some(Outcome::Without(Status::CostOverflow));
            return Progress::Done;
        }
        restart_exactly(tables, request, scratch);
        (stop, at_limit) = go_on(scratch);
    }
    match stop {
        StopReason::Budget if at_limit => Progress::Done,
        StopReason::Budget => Progress::Running,
        StopReason::Goal(state) => {
            scratch.run.outcome = Some(Outcome::AtGoal(state));
            Progress::Done
        }
        StopReason::Exhausted => {
            scratch.run.outcome = Some(end_without_goal(tables, request, scratch));
            Progress::Done
        }
    }
}

/// Marks the poses at one of the cells nearest to the goal as goals, and prepares a bound to them. `None` if there is
/// no such cell.
fn mark_nearest(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    start: State,
    number: u32,
) -> Option<Prepared> {
    let mut cells = CellBounds::empty(tables.space().shape());
    let mut headings = 0;
    let is_there = poses_at_nearest(tables, &request.goal, start, number, |pose, state| {
        scratch.mark_goal(state);
        cells.add(pose.cell);
        headings |= 1 << pose.heading.0;
    });
    is_there.then(|| prepare_named(request, tables, cells, headings))
}

/// The bound by the heuristic that a request names, or by the default one.
fn prepare_named(
    request: &Request<'_>,
    tables: &MovementTables,
    cells: CellBounds,
    headings: u8,
) -> Prepared {
    let heuristic = match request.heuristic {
        Heuristic::Named(name) => Heuristic::Named(name),
        _ => Heuristic::Default,
    };
    Prepared::new(&heuristic, tables, cells, headings)
}

/// A search has found all poses at a cell near the goal that may be the nearest. Restarts it to the next such cell;
/// behind the last, for the path to the best pose, unless that is there. Then it returns that pose.
fn go_to_next_nearest(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    nearest: NearestRun,
    (cost, state, found_at): (u32, u32, u32),
) -> Option<State> {
    let space = tables.space();
    let (start, expansions) = (scratch.run.start?, scratch.run.expansions);
    let is_there = |number| poses_at_nearest(tables, &request.goal, start, number, |_, _| {});
    let (at, again) = if is_there(nearest.at + 1) { (nearest.at + 1, false) } else { (found_at, true) };
    if again && found_at == nearest.at {
        return Some(State(state));
    }
    scratch.reset(space.n_states());
    let prepared = if again {
        scratch.mark_goal(State(state));
        let mut cells = CellBounds::empty(space.shape());
        let pose = space.pose(State(state));
        cells.add(pose.cell);
        prepare_named(request, tables, cells, 1 << pose.heading.0)
    } else {
        mark_nearest(tables, request, scratch, start, at)?
    };
    push_start(tables, request, scratch, start, prepared);
    scratch.run.expansions = expansions;
    scratch.run.nearest = Some(NearestRun { at, best: Some((cost, state, found_at)), again });
    None
}

/// Expansions that the limit of a request leaves to its search.
fn left_to(request: &Request<'_>, scratch: &Scratch) -> u64 {
    request.expansions_max.map_or(u64::MAX, |max| max.saturating_sub(scratch.run.expansions))
}

/// Continues past the goal pose at which a search for a goal by area ended, because that pose is no longer
/// open. Poses already rejected stay rejected; so as long as open poses only become fewer, the next pose found
/// is the cheapest of those left. Has no effect on a search that did not end at such a goal.
pub fn pass_goal(scratch: &mut Scratch) -> Progress {
    match scratch.run.outcome {
        Some(Outcome::AtGoal(_)) if scratch.run.by_area => {
            scratch.run.outcome = None;
            Progress::Running
        }
        _ => Progress::Done,
    }
}

/// Lower bound, in ticks, of the cost of the path that a search in progress will find. Its weight must be 1000 and its
/// heuristic admissible. Penalties count as ticks. Rises as the search proceeds; 0 if nothing is known.
pub fn cost_lower_bound(scratch: &Scratch) -> u32 {
    let run = &scratch.run;
    if !run.in_buckets || run.outcome.is_some() {
        return 0;
    }
    // A key is the cost so far plus a lower bound of the remaining cost.
    let sum = scratch.buckets.least_key().map_or(0, |key| run.order.sum(key));
    u32::try_from(sum).unwrap_or(COST_MAX)
}

fn is_greedy(request: &Request<'_>) -> bool {
    matches!(request.heuristic, Heuristic::Named(HeuristicName::Greedy))
}

/// A greedy search keeps the first path found to a pose, but the nearest pose is determined by exact costs.
fn needs_exact_costs(request: &Request<'_>, scratch: &Scratch) -> bool {
    let greedy = is_greedy(request) && !matches!(scratch.run.prepared, Some(Prepared::Zero));
    greedy && request.fallback == Fallback::Nearest
}

/// Restarts as Dijkstra's algorithm, after a greedy search found the goal unreachable, or searches to the nearest poses
/// used up the limit. It expands the same poses, which count once.
fn restart_exactly(tables: &MovementTables, request: &Request<'_>, scratch: &mut Scratch) {
    let Some(start) = scratch.run.start else { return };
    let expansions = scratch.run.expansions;
    scratch.reset(tables.space().n_states());
    push_start(tables, request, scratch, start, Prepared::Zero);
    scratch.run.earlier_expansions = expansions;
}

/// Returns the answer of a search and writes its path. If the search has not ended, the status is
/// [`Status::LimitReached`], and the search can still continue.
pub fn finish(tables: &MovementTables, request: &Request<'_>, scratch: &Scratch, path: &mut Path) -> Answer {
    path.clear();
    let run = &scratch.run;
    let (status, end) = match (run.outcome, run.start) {
        (Some(Outcome::AtGoal(state)), _) => (Status::Found, Some((Reached::Goal, state))),
        (Some(Outcome::AtNearest(state)), _) => (Status::Found, Some((Reached::Nearest, state))),
        (Some(Outcome::Without(status)), _) => (status, None),
        (None, start) => {
            let best = run.best.map(|(.., state)| State(state)).or(start);
            (Status::LimitReached, best.filter(|_| request.partial).map(|state| (Reached::Partial, state)))
        }
    };
    if let (Some((_, state)), Some(start)) = (end, run.start) {
        write_path(tables, scratch, start, state, path);
    }
    let reached = end.map(|(reached, _)| reached);
    let expansions = run.expansions.max(run.earlier_expansions);
    Answer { status, reached, cost: path.cost(), expansions, guide: run.guide }
}

/// Follows primitives back from a state, then sums arrivals forward. With a weight, a pose on the path may have become
/// cheaper after its successor was reached.
fn write_path(tables: &MovementTables, scratch: &Scratch, start: State, end: State, path: &mut Path) {
    let space = tables.space();
    let mut state = end;
    while state != start {
        let slot = (scratch.nodes[state.0 as usize] & Node::SLOT_MASK) as usize;
        path.moves.push(slot as u8);
        state = tables.graph().state_before(state, slot);
    }
    path.moves.reverse();
    let mut arrival = 0;
    path.poses.push(PathPose { pose: space.pose(state), arrival });
    for &primitive in &path.moves {
        arrival += tables.move_ticks(state, primitive as usize).unwrap_or(0);
        state = tables.state_after(state, primitive as usize);
        path.poses.push(PathPose { pose: space.pose(state), arrival });
    }
}

/// The open list is empty. The goal is unreachable unless some path overflowed, or the nearest pose was
/// requested.
fn end_without_goal(tables: &MovementTables, request: &Request<'_>, scratch: &mut Scratch) -> Outcome {
    let nearest = request.fallback == Fallback::Nearest;
    if !nearest && !scratch.run.overflowed {
        return Outcome::Without(Status::Unreachable);
    }
    match enumerate_reachable(tables, request, scratch) {
        (true, _) => Outcome::Without(Status::CostOverflow),
        (_, Some((_, cost, state))) if nearest && cost <= COST_MAX => Outcome::AtNearest(State(state)),
        (_, Some(_)) if nearest => Outcome::Without(Status::CostOverflow),
        _ => Outcome::Without(Status::Unreachable),
    }
}

/// Enumerates all reachable states, ignoring costs. Gives whether one of them is in the goal, and the measure, the cost
/// and the index of the nearest.
fn enumerate_reachable(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
) -> (bool, Option<(u64, u32, u32)>) {
    let overflowed = scratch.run.overflowed;
    // A search around an unreachable goal marks the poses near it in place of the goal.
    let goal_flag = if scratch.run.nearest.is_some() { 0 } else { Node::GOAL };
    let Some(start) = scratch.run.start else { return (false, None) };
    let Scratch { nodes, stamp, stack, .. } = scratch;
    let mut best: Option<(u64, u32, u32)> = None;
    let mut goal_met = false;
    let is_open = |pose| request.area.is_none_or(|area| (area.open)(pose));
    stack.clear();
    stack.push(start.0);
    while let Some(state) = stack.pop() {
        let node = nodes[state as usize];
        let touched = Node::stamp(node) == stamp.get();
        let pose = tables.space().pose(State(state));
        goal_met |= node & goal_flag != 0;
        // Without an overflow every pose has been checked, and poses that opened since do not count.
        goal_met |= overflowed && request.area.is_some_and(|area| area.matches(pose));
        // Closed means settled and not yet visited here; touched but not closed means visited.
        if touched && node & Node::CLOSED == 0 {
            continue;
        }
        let cost = if touched { Node::cost(node) } else { Node::UNREACHED };
        nodes[state as usize] = if touched { node & !Node::CLOSED } else { Node::pack(cost, stamp.get(), 0) };
        let candidate = (request.measure(tables.space().shape(), pose.cell), cost, state);
        if best.is_none_or(|b| candidate < b) && is_open(pose) {
            best = Some(candidate);
        }
        tables.for_each_successor(State(state), |next| {
            if is_free(tables, request, pose, next.primitive as usize) {
                stack.push(next.state.0);
            }
        });
    }
    (goal_met, best)
}

/// Calls `met` with the cells of the request's obstacles that kept moves from poses that a search has reached, some
/// more than once. Returns whether the search tells: it must have found its goal [`Status::Unreachable`] with no
/// fallback. Without such a cell, the map alone makes the goal unreachable. Linear in the poses reached.
///
/// `tables` and `request` must belong to the search. It cannot go on afterwards.
pub fn for_each_obstacle_met(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    mut met: impl FnMut(CellXY),
) -> bool {
    let is_whole = matches!(scratch.run.outcome, Some(Outcome::Without(Status::Unreachable)))
        && request.fallback == Fallback::Fail
        && !scratch.run.overflowed;
    // Components may have told it without a search.
    let (true, Some(obstacles), Some(start)) = (is_whole, request.obstacles, scratch.run.start) else {
        return is_whole;
    };
    let Scratch { nodes, stack, .. } = scratch;
    stack.clear();
    stack.push(start.0);
    while let Some(state) = stack.pop() {
        // Every pose reached is closed, until it is visited here.
        if nodes[state as usize] & Node::CLOSED == 0 {
            continue;
        }
        nodes[state as usize] &= !Node::CLOSED;
        let pose = tables.space().pose(State(state));
        tables.for_each_successor(State(state), |next| {
            let primitive = next.primitive as usize;
            if is_free(tables, request, pose, primitive) {
                return stack.push(next.state.0);
            }
            let swept = tables.class().shape_at(pose, primitive).swept.iter();
            let cells = swept.map(|offset| offset.cell_from(pose.cell));
            cells.filter(|&cell| obstacles.get(cell)).for_each(&mut met);
        });
    }
    true
}

/// Most by which a move raises the sum of cost and bound.
pub(super) fn sum_range(tables: &MovementTables, request: &Request<'_>, prepared: &Prepared) -> u64 {
    let penalty_max = request.penalties.map_or(0, |penalties| u64::from(penalties.max_ticks()));
    tables.max_ticks() + penalty_max + prepared.step_max(tables)
}

/// The weighted estimate of a request.
pub(super) fn estimate_of<'a>(
    tables: &MovementTables,
    prepared: &Prepared,
    request: &Request<'a>,
) -> Weighted<AnyEstimate<'a>> {
    let estimate = match (prepared, request.heuristic) {
        (Prepared::Array(base), heuristic) => match ArrayEstimate::of(tables, &heuristic, base) {
            Some(array) => AnyEstimate::Array(array, *base),
            None => AnyEstimate::Zero,
        },
        (Prepared::Linear(linear), _) => AnyEstimate::Linear(*linear),
        (Prepared::Euclid(euclid), _) => AnyEstimate::Euclid(*euclid),
        (Prepared::Landmarks(selection, _, norm), Heuristic::Landmarks(landmarks)) => {
            AnyEstimate::Landmarks(landmarks, *selection, *norm)
        }
        (Prepared::Custom, Heuristic::Custom(estimate)) => AnyEstimate::Custom(estimate),
        _ => AnyEstimate::Zero,
    };
    let greedy = is_greedy(request) && !matches!(estimate, AnyEstimate::Zero);
    Weighted { estimate, weight_permille: request.weight_permille.max(1000), greedy }
}

/// Runs the kernel for the shape of the map. If the norm is a sum of columns and rows, its terms are tabulated
/// once a search has gone far enough that this pays off. Short searches cost the same on any map.
fn run_kernel(
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    budget: u64,
) -> StopReason {
    let run_on = |scratch: &mut Scratch, budget| with_indexing!(tables.space(), indexing => run_kernel_on(indexing, tables, request, scratch, budget));
    let size = tables.space().size();
    let parts = scratch.run.prepared.as_ref().and_then(|prepared| prepared.sum_on(size));
    let Some(norm) = parts.filter(|_| !scratch.run.parts_listed) else { return run_on(scratch, budget) };
    let far = u64::from(size.width() + size.height()) / PARTS_AN_EXPANSION;
    let near = budget.min(far.saturating_sub(scratch.run.expansions));
    if near > 0 {
        // The estimates are the same without a table, so the search continues as if it had not stopped.
        match run_on(scratch, near) {
            StopReason::Budget if near < budget => {}
            stop => return stop,
        }
    }
    norm.list_parts(size, &mut scratch.norm_parts);
    scratch.run.parts_listed = true;
    run_on(scratch, budget - near)
}

/// Number of terms that can be tabulated in the time that an expansion loses without the table.
const PARTS_AN_EXPANSION: u64 = 4;

/// Selects the kernel for the layout, heuristic and open list.
fn run_kernel_on<L: ShapeNorm>(
    indexing: L,
    tables: &MovementTables,
    request: &Request<'_>,
    scratch: &mut Scratch,
    budget: u64,
) -> StopReason {
    let Scratch { nodes, stamp, goals, buckets, heap, norm_parts, run, .. } = scratch;
    let Some(prepared) = run.prepared else { return StopReason::Exhausted };
    let sum_max = match run.nearest {
        // At equal cost only a pose of a lower index is better.
        Some(NearestRun { best: Some((cost, state, _)), again: false, .. }) => {
            let may_be_equal = goals.iter().any(|&goal| goal < state);
            if may_be_equal { cost.into() } else { u64::from(cost).saturating_sub(1) }
        }
        _ => u64::MAX,
    };
    let size = tables.space().size();
    let sums = L::SUMS && run.parts_listed;
    with_layout!(&tables.graph().layouts, layout => {
        let words = &layout.words[..];
        let mut kernel = Kernel {
            tables, indexing, words, move_deltas: &tables.graph().move_deltas, costs: &tables.graph().costs, budget, order: run.order,
            touched: Node::pack(Node::UNREACHED, stamp.get(), 0), dearest: Node::pack(COST_MAX, stamp.get(), 0),
            request, sum_max, run,
        };
        let nodes = &mut nodes[..words.len()];
        match prepared {
            Prepared::Zero if kernel.run.in_buckets => kernel.run(nodes, &ZeroEstimate, buckets),
            Prepared::Linear(linear) if kernel.run.in_buckets => {
                match (linear.is_integer(size), linear.is_sum(size)) {
                    (_, true) if sums => kernel.run(nodes, &linear.sum(size, norm_parts), buckets),
                    (true, _) => kernel.run(nodes, &L::Integer::of(&linear), buckets),
                    (false, _) => kernel.run(nodes, &linear, buckets),
                }
            }
            Prepared::Landmarks(selection, _, norm) if kernel.run.in_buckets => {
                let Heuristic::Landmarks(landmarks) = request.heuristic else { return StopReason::Exhausted };
                match (landmarks.selected(&selection), norm.is_sum(size)) {
                    (SelectedColumns::Narrow(of), true) if sums => {
                        let sum = norm.sum(size, norm_parts);
                        kernel.run(nodes, &LandmarkEstimate::new(of, sum), buckets)
                    }
                    (SelectedColumns::Narrow(of), _) => {
                        kernel.run(nodes, &LandmarkEstimate::new(of, norm), buckets)
                    }
                    (SelectedColumns::Wide(of), true) if sums => {
                        let sum = norm.sum(size, norm_parts);
                        kernel.run(nodes, &LandmarkEstimate::new(of, sum), buckets)
                    }
                    (SelectedColumns::Wide(of), _) => {
                        kernel.run(nodes, &LandmarkEstimate::new(of, norm), buckets)
                    }
                }
            }
            Prepared::Array(base) if kernel.run.in_buckets => {
                match ArrayEstimate::<L::Integer>::of(tables, &request.heuristic, &base) {
                    Some(array) => kernel.run(nodes, &array, buckets),
                    None => kernel.run(nodes, &ZeroEstimate, buckets),
                }
            }
            _ => {
                let mut open = NonMonotoneQueue::resume(buckets, heap, kernel.run.keys_from);
                let any = estimate_of(tables, &prepared, request);
                match prepared {
                    Prepared::Linear(linear) if sums && linear.is_sum(size) => {
                        let Weighted { weight_permille, greedy, .. } = any;
                        let estimate = linear.sum(size, norm_parts);
                        kernel.run(nodes, &Weighted { estimate, weight_permille, greedy }, &mut open)
                    }
                    Prepared::Landmarks(selection, _, norm) if norm.is_integer(size) => {
                        let Heuristic::Landmarks(landmarks) = request.heuristic else {
                            return StopReason::Exhausted;
                        };
                        let norm = L::Integer::of(&norm);
                        let Weighted { weight_permille, greedy, .. } = any;
                        match landmarks.selected(&selection) {
                            SelectedColumns::Narrow(of) => {
                                let estimate = LandmarkEstimate::new(of, norm);
                                kernel.run(nodes, &Weighted { estimate, weight_permille, greedy }, &mut open)
                            }
                            SelectedColumns::Wide(of) => {
                                let estimate = LandmarkEstimate::new(of, norm);
                                kernel.run(nodes, &Weighted { estimate, weight_permille, greedy }, &mut open)
                            }
                        }
                    }
                    _ => kernel.run(nodes, &any, &mut open),
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::class_spec::ClassSpec;
    use crate::model::goal::{Goal, GoalMember};
    use crate::model::movement::MovementClass;
    use crate::model::primitive::Primitive;
    use crate::search::guide::HeuristicName;
    use wheelbase_grid::{Grid, GridSize, SideTable, TerrainKind, TerrainTable};

    /// Knuth's linear congruential generator, high bits.
    struct Rng(u64);

    impl Rng {
        fn below(&mut self, n: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % u64::from(n)) as u32
        }
    }

    fn class(headings: u8, primitives: Vec<Primitive>) -> MovementClass {
        let mut spec = ClassSpec::new("any", headings);
        spec.primitives = primitives;
        MovementClass::new(spec).unwrap()
    }

    /// Classes of four, eight and nine moves, in words of three widths.
    fn classes() -> Vec<MovementClass> {
        let step = |number: i32, by| Primitive::step(&format!("m{number}"), by, 7 + number as u32);
        let knight = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
        let mut arcs = Primitive::vehicle(3, 9, 4);
        let names = ["arc left", "arc right", "back left", "back right", "slide"];
        let bys = [(1, 0), (1, 0), (-1, 0), (-1, 0), (0, 1)];
        for (name, (by, turn)) in names.into_iter().zip(bys.into_iter().zip([1, -1, -1, 1, 0])) {
            arcs.push(Primitive { turn, ..Primitive::step(name, by, 5) });
        }
        vec![
            class(4, Primitive::vehicle(2, 6, 2)),
            class(1, Primitive::four_directions(5)),
            class(1, knight.into_iter().enumerate().map(|(n, by)| step(n as i32, by)).collect()),
            class(4, arcs),
        ]
    }

    /// Mostly ground, some swamp, some water, drawn cell by cell.
    fn random_grid(rng: &mut Rng) -> Grid {
        let size = GridSize::new(30, 30).unwrap();
        let cells = (0..900).map(|_| TerrainKind([0, 0, 0, 0, 0, 1, 2][rng.below(7) as usize])).collect();
        Grid::from_terrain(size, cells, TerrainTable::movingai(), SideTable::default())
    }

    fn random_pose(tables: &MovementTables, rng: &mut Rng) -> Pose {
        tables.space().pose(State(rng.below(tables.space().n_states() as u32)))
    }

    fn plan_with_heap(
        tables: &MovementTables,
        request: &Request<'_>,
        scratch: &mut Scratch,
        path: &mut Path,
    ) -> Answer {
        begin(tables, request, scratch);
        if scratch.run.prepared.is_some() {
            let Scratch { buckets, heap, run, .. } = &mut *scratch;
            let (key, state) = match run.in_buckets {
                true => buckets.pop().unwrap(),
                false => NonMonotoneQueue::resume(buckets, heap, run.keys_from).pop().unwrap(),
            };
            // All keys lie outside the window, so only the heap is used.
            (run.in_buckets, run.keys_from) = (false, 1 << 40);
            NonMonotoneQueue::reset(buckets, heap, run.keys_from).push(key, state);
        }
        advance(tables, request, scratch, u64::MAX);
        finish(tables, request, scratch, path)
    }

    /// Answer and path, including expansions, do not depend on the open list.
    #[test]
    fn buckets_and_heap_give_the_same_search() {
        let mut rng = Rng(1);
        let (mut scratch, mut path, mut other) = (Scratch::new(), Path::new(), Path::new());
        let mut in_buckets = 0;
        for class in classes() {
            for _ in 0..6 {
                let tables = MovementTables::compile(&random_grid(&mut rng), class.clone());
                for heuristic in HeuristicName::ALL {
                    for (limit, weight) in [(None, 1000), (Some(37), 1000), (None, 1300), (Some(37), 2500)] {
                        let start = random_pose(&tables, &mut rng);
                        let goal = [(); 2].map(|()| GoalMember::any(random_pose(&tables, &mut rng).cell));
                        let mut request = Request::new(start, Goal { members: &goal, within: 1 });
                        request.heuristic = Heuristic::Named(heuristic);
                        (request.expansions_max, request.partial) = (limit, true);
                        request.weight_permille = weight;
                        let answer = plan(&tables, &request, &mut scratch, &mut path);
                        in_buckets += u32::from(scratch.run.in_buckets);
                        let with_heap = plan_with_heap(&tables, &request, &mut scratch, &mut other);
                        assert_eq!((answer, &path), (with_heap, &other), "{request:?}");
                    }
                }
            }
        }
        assert!(in_buckets > 80, "{in_buckets} searches ran in buckets");
    }

    /// Nodes of old searches must not match when stamps wrap.
    #[test]
    fn plans_stay_correct_when_stamps_wrap() {
        let mut rng = Rng(2);
        let tables = MovementTables::compile(&random_grid(&mut rng), classes().remove(0));
        let queries: Vec<(Pose, Pose)> =
            (0..40).map(|_| (random_pose(&tables, &mut rng), random_pose(&tables, &mut rng))).collect();
        let answers = |scratch: &mut Scratch| -> Vec<(Answer, Path)> {
            let one = |&(start, goal): &(Pose, Pose)| {
                let goal = [GoalMember::pose(goal)];
                let mut path = Path::new();
                (plan(&tables, &Request::new(start, Goal::of(&goal)), scratch, &mut path), path)
            };
            queries.iter().map(one).collect()
        };
        let mut scratch = Scratch::new();
        let expected = answers(&mut scratch);
        assert!(expected.iter().filter(|(answer, _)| answer.status == Status::Found).count() > 5);
        scratch.age_to_last_stamp();
        // The first of these uses the last stamp, the second the first stamp again.
        assert_eq!(answers(&mut scratch), expected);
        assert!(scratch.stamp.get() < 100, "the stamps did not wrap");
        assert_eq!(answers(&mut scratch), expected);
    }

    /// Slices may end between any two expansions, also while a state is held outside the open list.
    #[test]
    fn slices_of_any_length_give_the_same_path() {
        let mut rng = Rng(3);
        let grid = random_grid(&mut rng);
        for class in classes() {
            let tables = MovementTables::compile(&grid, class);
            let (mut scratch, mut path, mut sliced) = (Scratch::new(), Path::new(), Path::new());
            for slice in 1..30 {
                let start = random_pose(&tables, &mut rng);
                let goal = [GoalMember::any(random_pose(&tables, &mut rng).cell)];
                let request = Request::new(start, Goal::of(&goal));
                let answer = plan(&tables, &request, &mut scratch, &mut path);
                begin(&tables, &request, &mut scratch);
                while advance(&tables, &request, &mut scratch, slice) == Progress::Running {}
                assert_eq!(finish(&tables, &request, &scratch, &mut sliced), answer);
                assert_eq!(sliced, path);
            }
        }
    }
}
