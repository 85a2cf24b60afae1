//! The first leg of a route, as a slot searches for it.

use super::search_inputs::SearchInputs;
use crate::goal_poses::poses_of;
use crate::leg::Leg;
use crate::ring::ring;
use serde::{Deserialize, Serialize};
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::abstraction::{Abstraction, RouteScratch};
use wheelbase_planner::model::State;
use wheelbase_planner::search::GoalArea;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{GoalMember, Heading, MovementTables, Pose, Request};

/// Most headings of a class.
const HEADINGS_MAX: usize = 8;
/// Cells from its start that a first leg leads at least, along one axis: the side of a cluster. A short one is known
/// soon.
const FIRST_LEG_CELLS: u32 = 32;
/// The same for a next leg, for which there is time. A longer leg needs fewer routes.
const NEXT_LEG_CELLS: u32 = 96;
/// Cells to the goal, along one axis, below which the search for a path to the goal itself begins.
pub(crate) const NEAR_CELLS: u32 = 2 * FIRST_LEG_CELLS;
/// Expansions per heading of a search for a leg, at most: as many as poses in a square of 128 cells. A search for more
/// meets headings that the portals of the route do not join.
const LEG_EXPANSIONS: u64 = 128 * 128;
/// Cells to the goal from which on a route only leads toward it.
const TOWARD_CELLS: u32 = 8 * 32;
/// Expansions of a search for a route that count as one of a budget: in the small arrays of clusters they take half as
/// long.
const CHEAP_EXPANSIONS: u64 = 2;
/// Cells of an area whose poses are tried as the end of a route, at most.
const AREA_TRIES: usize = 4096;

/// A leg to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SlotLeg {
    /// The cell where it ends: a portal.
    pub end: CellXY,
    /// Bits of the headings there from which the goal may be reached.
    pub headings: u8,
    /// Cost of the route from its start, in ticks.
    pub route_ticks: u32,
    /// Cost of the route from its end, in ticks.
    pub rest_ticks: u32,
    /// Whether the route knows the way to the goal itself.
    pub is_near: bool,
}

impl SlotLeg {
    /// Whether it ends on a map, with headings of a class.
    pub fn is_on(self, size: GridSize, headings: u8) -> bool {
        size.contains(self.end) && self.headings != 0 && u32::from(self.headings) < 1 << headings
    }

    /// The poses where it may end, and how many.
    pub fn members(self) -> ([GoalMember; HEADINGS_MAX], usize) {
        let mut members = [GoalMember::any(self.end); HEADINGS_MAX];
        let headings = (0..HEADINGS_MAX as u8).filter(|heading| self.headings >> heading & 1 == 1);
        let mut n = 0;
        for (member, heading) in members.iter_mut().zip(headings) {
            member.heading = Some(Heading(heading));
            n += 1;
        }
        (members, n)
    }

    /// Expansions of a search for it, at most.
    pub fn expansions_max(tables: &MovementTables) -> u64 {
        LEG_EXPANSIONS * u64::from(tables.space().headings())
    }
}

/// The first leg of the cheapest route of a request, and the expansions of the search for the route. A route that
/// continues the current leg has to cost less than that of the leg. `None` if the goal is near, or if no route to it is
/// known: then the search for a path to the goal itself begins.
pub(crate) fn first_leg(
    (tables, graph): (&MovementTables, &Abstraction),
    request: &Request<'_>,
    in_hand: Leg,
    scratch: &mut RouteScratch,
) -> (Option<SlotLeg>, u64) {
    let space = tables.space();
    let Some(goal) = end_of_far_route(tables, request) else { return (None, 0) };
    let member = GoalMember::pose(space.pose(goal));
    let distance = request.start.cell.chebyshev_distance(member.cell);
    // Once near, always near: the costs of the two kinds do not compare.
    let is_near = distance < TOWARD_CELLS || in_hand.is_near;
    let ends = (request.start, member);
    let route = match (in_hand.is_some(), is_near) {
        // The last leg has ended at a portal.
        (true, _) => graph.route_from_portal(tables, ends, is_near, scratch),
        (false, true) => graph.route(tables, request.start, member, scratch),
        (false, false) => graph.route_toward(tables, request.start, member, scratch),
    };
    let Some(route) = route else { return (None, 0) };
    let charge = route.expansions / CHEAP_EXPANSIONS;
    let ticks_max = if in_hand.is_near == is_near { in_hand.route_ticks } else { Leg::NONE.route_ticks };
    let cells_min = if in_hand.is_some() { NEXT_LEG_CELLS } else { FIRST_LEG_CELLS };
    let is_far = |cell: CellXY| request.start.cell.chebyshev_distance(cell) >= cells_min;
    let Some(at) = (1..route.portals.len()).find(|&at| is_far(route.portals[at].cell)) else {
        return (None, charge);
    };
    if at + 1 == route.portals.len() || route.cost >= ticks_max {
        return (None, charge);
    }
    let end = route.portals[at];
    let goes_on = |&state: &State| tables.components().reachability(state, goal) != Reachability::No;
    let states = poses_of(tables, GoalMember::any(end.cell)).filter(goes_on);
    let headings = states.fold(0, |bits, state| bits | 1 << space.pose(state).heading.0);
    let leg =
        SlotLeg { end: end.cell, headings, route_ticks: route.cost, rest_ticks: end.remaining, is_near };
    ((headings != 0).then_some(leg), charge)
}

/// The pose to which a route of a request leads; `None` if the goal is near, or if no pose of it may be reached.
pub(crate) fn end_of_far_route(tables: &MovementTables, request: &Request<'_>) -> Option<State> {
    let space = tables.space();
    let start = space.state(request.start).filter(|&start| tables.is_legal(start))?;
    let is_far = |cell| request.start.cell.chebyshev_distance(cell) >= NEAR_CELLS;
    end_of_route(tables, request, start).filter(|&goal| is_far(space.pose(goal).cell))
}

/// The pose to which a route leads: of the poses of the goal that may be reached, that nearest to the start.
fn end_of_route(tables: &MovementTables, request: &Request<'_>, start: State) -> Option<State> {
    let space = tables.space();
    let from = request.start.cell;
    let may_reach = |state: State| {
        tables.is_legal(state) && tables.components().reachability(start, state) != Reachability::No
    };
    if let Some(area) = request.area {
        return nearest_of_area(tables, &area, from, may_reach);
    }
    let mut nearest: Option<(u32, State)> = None;
    request.goal.for_each_pose(space, |pose| {
        let distance = from.chebyshev_distance(pose.cell);
        let is_nearer = nearest.is_none_or(|(least, _)| distance < least);
        if let Some(state) = space.state(pose).filter(|&state| is_nearer && may_reach(state)) {
            nearest = Some((distance, state));
        }
    });
    nearest.map(|(_, state)| state)
}

/// The first open pose of an area that may be reached, ring by ring around its cell nearest to the start.
fn nearest_of_area(
    tables: &MovementTables,
    area: &GoalArea<'_>,
    from: CellXY,
    may_reach: impl Fn(State) -> bool,
) -> Option<State> {
    let space = tables.space();
    let on_map = area.area.intersection(space.size().rect());
    if on_map.is_empty() {
        return None;
    }
    let near = nearest_cell(on_map, from);
    let is_end = |&state: &State| may_reach(state) && (area.open)(space.pose(state));
    let rings = (0..on_map.width.max(on_map.height)).flat_map(|reach| ring(near, reach, on_map));
    rings.take(AREA_TRIES).flat_map(|cell| poses_of(tables, GoalMember::any(cell))).find(is_end)
}

/// The cell of an area on the map that is nearest to a cell.
fn nearest_cell(on_map: Rect, from: CellXY) -> CellXY {
    let Rect { x, y, width, height } = on_map;
    CellXY::new(from.x.clamp(x, x + width as i32 - 1), from.y.clamp(y, y + height as i32 - 1))
}

/// State in which the current path of an agent ends; `None` if its moves are illegal by now.
pub(crate) fn end_of_path(search_inputs: SearchInputs<'_>, row: usize, moves: &[u8]) -> Option<State> {
    let (tables, motion) = (search_inputs.tables(row), &search_inputs.agents.motion[row]);
    let state = wheelbase_traffic::motion::end_state(tables, motion);
    tables.follow_moves(state, moves).ok().map(|end| end.state)
}

/// Distance from a pose to the goal of a request in cells, along the longer axis; 0 to an area off the map.
pub(crate) fn cells_to_goal(size: GridSize, request: &Request<'_>, area: Option<Rect>) -> u32 {
    let Pose { cell, .. } = request.start;
    if let Some(area) = area {
        let on_map = area.intersection(size.rect());
        return if on_map.is_empty() { 0 } else { cell.chebyshev_distance(nearest_cell(on_map, cell)) };
    }
    let distances = request.goal.members.iter().map(|member| cell.chebyshev_distance(member.cell));
    distances.min().unwrap_or(0).saturating_sub(request.goal.within)
}
