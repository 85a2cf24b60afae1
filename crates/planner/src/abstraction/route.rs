//! Routes over the abstract graph.

use crate::abstraction::build::{Abstraction, poses_of, rate, steps_between};
use crate::abstraction::cluster_search::{Along, ClusterSearch, UNREACHED};
use crate::abstraction::clusters::PortalId;
use crate::model::{Goal, GoalMember, Path, Pose, Status};
use crate::search::{Request, Scratch, plan};
use crate::tables::MovementTables;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheelbase_grid::CellXY;

/// A portal that a route passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutePortal {
    /// Its cell.
    pub cell: CellXY,
    /// Cost from the start, in ticks.
    pub cost: u32,
    /// Cost from there to the goal, in ticks.
    pub remaining: u32,
}

/// A way from portal to portal. Its cost promises no headings at portals, so a path along it can cost more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The portals, in order.
    pub portals: Vec<RoutePortal>,
    /// Cost from the start to the goal, in ticks.
    pub cost: u32,
}

/// Memory of the searches for routes.
#[derive(Debug, Default)]
pub struct RouteScratch {
    search: ClusterSearch,
    /// Cost from the start and the portal before, by number of portal.
    reached: Vec<(u32, u32)>,
    /// Numbers of the portals with a cost.
    touched: Vec<u32>,
    /// Costs from portals to the goal.
    to_goal: Vec<(PortalId, u32)>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

/// No portal.
const NONE: u32 = u32::MAX;

impl Abstraction {
    /// The cheapest route from a pose to a goal; `None` if there is none. Two searches of 48 x 48 cells, and A* over the
    /// portals. The graph must follow the revision of the tables. Debug
    /// builds check this.
    pub fn route(
        &self,
        tables: &MovementTables,
        start: Pose,
        goal: GoalMember,
        scratch: &mut RouteScratch,
    ) -> Option<Route> {
        debug_assert_eq!(self.revision(), tables.revision(), "the graph follows the map");
        if !self.clusters.contains(start.cell) || !self.clusters.contains(goal.cell) {
            return None;
        }
        scratch.reached.resize(self.portal_numbers(), (UNREACHED, NONE));
        let RouteScratch { search, reached, touched, to_goal, open } = scratch;
        for number in touched.drain(..) {
            reached[number as usize] = (UNREACHED, NONE);
        }
        open.clear();
        // Costs to the goal from the portals of its cluster, and from the start if that is near.
        let last = self.clusters.at(goal.cell);
        let is_goal = |pose: &Pose| goal.heading.is_none_or(|heading| heading == pose.heading);
        search.run(
            tables,
            self.clusters.region(last),
            Along::Against,
            poses_of(tables, goal.cell).filter(is_goal),
        );
        to_goal.clear();
        to_goal.extend(self.portals(last).map(|portal| (portal, search.cost_of_cell(self.cell_of(portal)))));
        to_goal.retain(|&(_, cost)| cost != UNREACHED);
        let of_goal =
            to_goal.iter().map(|&(portal, cost)| rate(cost, steps_between(self.cell_of(portal), goal.cell)));
        let least_rate = of_goal.fold(self.least_rate(), u32::min);
        let mut frontier = Frontier { graph: self, reached, touched, open, least_rate, goal: goal.cell };
        let first = self.clusters.at(start.cell);
        search.run(tables, self.clusters.region(first), Along::Moves, std::iter::once(start));
        // The goal may be near.
        let direct = poses_of(tables, goal.cell).filter(is_goal).map(|pose| search.cost_of_pose(pose));
        let mut best = (direct.min().unwrap_or(UNREACHED), NONE);
        for portal in self.portals(first) {
            frontier.reach(portal, search.cost_of_cell(self.cell_of(portal)), NONE);
        }
        while let Some((sum, portal, cost)) = frontier.pop() {
            if sum >= best.0 {
                break;
            }
            if let Some(&(_, left)) = to_goal.iter().find(|of| of.0 == portal) {
                best = best.min((cost.saturating_add(left), portal.0));
            }
            for cluster in self.clusters.beside(portal.border()) {
                let Some(at) = self.portals(cluster).position(|of| of == portal) else { continue };
                for (other, &step) in self.portals(cluster).zip(self.costs_from(cluster, at)) {
                    frontier.reach(other, cost.saturating_add(step), portal.0);
                }
            }
        }
        let reached = &*frontier.reached;
        (best.0 != UNREACHED).then(|| self.trace(reached, best))
    }

    /// The route that ends at a portal.
    fn trace(&self, reached: &[(u32, u32)], (total, mut number): (u32, u32)) -> Route {
        let mut portals = Vec::new();
        while number != NONE {
            let (cost, before) = reached[number as usize];
            let cell = self.cell_of(PortalId(number));
            portals.push(RoutePortal { cell, cost, remaining: total - cost });
            number = before;
        }
        portals.reverse();
        Route { portals, cost: total }
    }
}

/// The open portals of a search.
struct Frontier<'a> {
    graph: &'a Abstraction,
    reached: &'a mut [(u32, u32)],
    touched: &'a mut Vec<u32>,
    open: &'a mut BinaryHeap<Reverse<(u32, u32)>>,
    /// Least cost of a cell of distance in 1,024ths of a tick.
    least_rate: u32,
    goal: CellXY,
}

impl Frontier<'_> {
    /// Lower bound of the cost from a portal to the goal.
    fn bound(&self, portal: PortalId) -> u32 {
        let steps = u64::from(steps_between(self.graph.cell_of(portal), self.goal));
        if self.least_rate == UNREACHED { 0 } else { (steps * u64::from(self.least_rate) / 1024) as u32 }
    }

    /// A portal is reached at a cost from another one.
    fn reach(&mut self, portal: PortalId, cost: u32, before: u32) {
        let known = self.reached[portal.0 as usize].0;
        if cost < known {
            if known == UNREACHED {
                self.touched.push(portal.0);
            }
            self.reached[portal.0 as usize] = (cost, before);
            self.open.push(Reverse((cost.saturating_add(self.bound(portal)), portal.0)));
        }
    }

    /// The open portal with the least sum of cost and bound: that sum, the portal, and its cost.
    fn pop(&mut self) -> Option<(u32, PortalId, u32)> {
        while let Some(Reverse((sum, number))) = self.open.pop() {
            let cost = self.reached[number as usize].0;
            if cost.saturating_add(self.bound(PortalId(number))) == sum {
                return Some((sum, PortalId(number), cost));
            }
        }
        None
    }
}

/// Plans a path along a route, leg by leg. Each leg is exact, and leads to the second portal ahead with any heading, or to
/// the goal. Returns whether all legs exist; `path` then leads from the start to the goal.
///
/// Costs of legs add up to at least the route's cost, and at most a few percent more where bodies turn freely.
pub fn plan_along(
    tables: &MovementTables,
    route: &Route,
    (start, goal): (Pose, GoalMember),
    scratch: &mut Scratch,
    path: &mut Path,
) -> bool {
    let mut leg = Path::new();
    let (mut from, mut at) = (start, 0);
    path.clear();
    loop {
        let end = route.portals.get(at + 1);
        let member = [end.map_or(goal, |portal| GoalMember::any(portal.cell))];
        let request = Request::new(from, Goal::of(&member));
        if plan(tables, &request, scratch, &mut leg).status != Status::Found {
            return false;
        }
        let Some(start) = tables.space().state(from) else { return false };
        if tables.append_moves(path, start, &leg.moves).is_err() {
            return false;
        }
        if end.is_none() {
            return true;
        }
        from = leg.poses.last().map_or(from, |last| last.pose);
        at += 2;
    }
}
