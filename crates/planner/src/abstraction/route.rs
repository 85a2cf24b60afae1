//! Routes over the abstract graph.

use crate::abstraction::build::{Abstraction, Rates, graph_need, poses_of};
use crate::abstraction::cluster_search::{Along, ClusterSearch, UNREACHED};
use crate::abstraction::clusters::{BORDER_PORTALS, Clusters, PortalId};
use crate::model::{GoalMember, Pose, StateSpace};
use crate::tables::MovementTables;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheelbase_grid::{CellXY, MemoryNeed, Rect};

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
    /// Portals and poses that the search has taken off its open lists.
    pub expansions: u64,
}

/// Memory of the searches for routes.
#[derive(Debug, Default)]
pub struct RouteScratch {
    search: ClusterSearch,
    /// By number of portal.
    reached: Vec<Reached>,
    /// Numbers of the portals with a cost.
    touched: Vec<u32>,
    /// Costs from portals to the goal.
    to_goal: Vec<(PortalId, u32)>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

/// What a search for a route knows of a portal.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// Cost from the start.
    cost: u32,
    /// Lower bound of the cost to the goal.
    bound: u32,
    /// The portal before, and the cluster between the two.
    before: u32,
    through: u32,
}

/// Entries of a portal in the open list, at most in practice: one for each time that its cost falls.
const OPEN_ENTRIES: usize = 8;

/// Most memory of a graph, once built, and of a number of [`RouteScratch`] for searches at the same time.
pub fn routes_need(space: StateSpace, searches: u64) -> MemoryNeed {
    let n_portals = Clusters::of(space.size()).len() as u64 * 2 * u64::from(BORDER_PORTALS);
    let portal = size_of::<Reached>() + size_of::<u32>() + OPEN_ENTRIES * size_of::<Reverse<(u32, u32)>>();
    graph_need(space).and(MemoryNeed::on_demand((n_portals * portal as u64).saturating_mul(searches)))
}

/// No portal.
const NONE: u32 = u32::MAX;

impl Reached {
    const NOT: Self = Self { cost: UNREACHED, bound: 0, before: NONE, through: NONE };
}

impl Abstraction {
    /// The cheapest route from a pose to a goal; `None` if there is none. Two searches of a cluster, and A* over the
    /// portals. The graph must be complete and follow the revision of the tables. Debug builds check this.
    pub fn route(
        &self,
        tables: &MovementTables,
        start: Pose,
        goal: GoalMember,
        scratch: &mut RouteScratch,
    ) -> Option<Route> {
        self.route_by(tables, (start, goal), (false, true), scratch)
    }

    /// As [`Abstraction::route`], but searches the cluster of the start alone, which takes half of the time. A bound
    /// takes the place of the costs from portals to the goal, so that no route is known to reach it. For the first leg
    /// of a long way.
    pub fn route_toward(
        &self,
        tables: &MovementTables,
        start: Pose,
        goal: GoalMember,
        scratch: &mut RouteScratch,
    ) -> Option<Route> {
        self.route_by(tables, (start, goal), (false, false), scratch)
    }

    /// As [`Abstraction::route`] or, without `searches_end`, [`Abstraction::route_toward`]. From a portal it starts in
    /// any heading there: the edges of the graph are enough, and no cluster of the start is searched. For the next leg
    /// of a route.
    pub fn route_from_portal(
        &self,
        tables: &MovementTables,
        (start, goal): (Pose, GoalMember),
        searches_end: bool,
        scratch: &mut RouteScratch,
    ) -> Option<Route> {
        self.route_by(tables, (start, goal), (true, searches_end), scratch)
    }

    /// The route of a search that may start at a portal, and that may search the cluster of the goal.
    fn route_by(
        &self,
        tables: &MovementTables,
        (start, goal): (Pose, GoalMember),
        (from_portal, searches_end): (bool, bool),
        scratch: &mut RouteScratch,
    ) -> Option<Route> {
        debug_assert_eq!(self.revision(), tables.revision(), "the graph follows the map");
        debug_assert!(self.is_complete(), "all clusters have their costs");
        if !self.clusters.contains(start.cell) || !self.clusters.contains(goal.cell) {
            return None;
        }
        // A goal in the cluster of the start may have a way there past all portals.
        let from_portal = from_portal && self.clusters.at(start.cell) != self.clusters.at(goal.cell);
        let ends = (start, goal);
        let near = (from_portal, searches_end, Clusters::near_region as fn(_, _) -> _);
        // Few paths need the margin.
        let route = self.route_within(tables, ends, near, scratch);
        route.or_else(|| self.route_within(tables, ends, (false, searches_end, Clusters::region), scratch))
    }

    /// The cheapest route whose ends keep to a region around the clusters of start and goal.
    fn route_within(
        &self,
        tables: &MovementTables,
        (start, goal): (Pose, GoalMember),
        (from_portal, searches_end, region): (bool, bool, fn(Clusters, u32) -> Rect),
        scratch: &mut RouteScratch,
    ) -> Option<Route> {
        scratch.reached.resize(self.portal_numbers(), Reached::NOT);
        let RouteScratch { search, reached, touched, to_goal, open } = scratch;
        for number in touched.drain(..) {
            reached[number as usize] = Reached::NOT;
        }
        open.clear();
        // Costs to the goal from the portals of its cluster, and from the start if that is near.
        let last = self.clusters.at(goal.cell);
        let is_goal = |pose: &Pose| goal.heading.is_none_or(|heading| heading == pose.heading);
        let portals = self.portals(last);
        let cells = portals.iter().map(|&(_, cell)| cell);
        let (mut expansions, mut rates) = (0, self.rates());
        to_goal.clear();
        if searches_end {
            search.enter(tables, region(self.clusters, last), Along::Against);
            expansions += search.run(tables, poses_of(tables, goal.cell).filter(is_goal), cells.clone());
            let costs = portals.iter().map(|&(portal, cell)| (portal, search.cost_of_cell(cell)));
            to_goal.extend(costs.filter(|&(_, cost)| cost != UNREACHED));
            rates = rates.min(Rates::of(cells.map(|cell| (search.cost_of_cell(cell), cell, goal.cell))));
        } else {
            to_goal.extend(portals.iter().map(|&(portal, cell)| (portal, rates.bound(cell, goal.cell))));
        }
        let mut frontier = Frontier { reached, touched, open, rates, goal: goal.cell };
        let first = self.clusters.at(start.cell);
        let portals = self.portals(first);
        let mut best = (UNREACHED, NONE);
        // A cell at a corner may be two portals.
        for &portal in portals.iter().filter(|&&(_, cell)| from_portal && cell == start.cell) {
            frontier.reach(portal, 0, (NONE, NONE));
        }
        if frontier.open.is_empty() {
            // The goal may be near.
            let direct = Some(goal.cell).filter(|_| first == last);
            let cells = portals.iter().map(|&(_, cell)| cell).chain(direct);
            search.enter(tables, region(self.clusters, first), Along::Moves);
            expansions += search.run(tables, std::iter::once(start), cells);
            let direct = poses_of(tables, goal.cell).filter(is_goal).map(|pose| search.cost_of_pose(pose));
            best.0 = direct.min().unwrap_or(UNREACHED);
            for &(portal, cell) in portals {
                frontier.reach((portal, cell), search.cost_of_cell(cell), (NONE, first));
            }
        }
        while let Some((sum, portal, of)) = frontier.pop() {
            if sum >= best.0 {
                break;
            }
            expansions += 1;
            if let Some(&(_, left)) = to_goal.iter().find(|of| of.0 == portal) {
                best = best.min((of.cost.saturating_add(left), portal.0));
            }
            // A way on through the same cluster has an edge that leads there.
            let across =
                self.clusters.beside(portal.border()).into_iter().filter(|&cluster| cluster != of.through);
            for cluster in across {
                let portals = self.portals(cluster);
                let Some(at) = portals.iter().position(|of| of.0 == portal) else { continue };
                for (&other, &step) in portals.iter().zip(self.costs_from(cluster, at)) {
                    frontier.reach(other, of.cost.saturating_add(step), (portal.0, cluster));
                }
            }
        }
        let reached = &*frontier.reached;
        (best.0 != UNREACHED).then(|| Route { expansions, ..self.trace(reached, best) })
    }

    /// The route that ends at a portal.
    fn trace(&self, reached: &[Reached], (total, mut number): (u32, u32)) -> Route {
        let mut portals = Vec::new();
        while number != NONE {
            let Reached { cost, before, .. } = reached[number as usize];
            let cell = self.cell_of(PortalId(number));
            portals.push(RoutePortal { cell, cost, remaining: total - cost });
            number = before;
        }
        portals.reverse();
        Route { portals, cost: total, expansions: 0 }
    }
}

/// The open portals of a search.
struct Frontier<'a> {
    reached: &'a mut [Reached],
    touched: &'a mut Vec<u32>,
    open: &'a mut BinaryHeap<Reverse<(u32, u32)>>,
    rates: Rates,
    goal: CellXY,
}

impl Frontier<'_> {
    /// A portal is reached at a cost, from another one through a cluster.
    fn reach(&mut self, (portal, cell): (PortalId, CellXY), cost: u32, (before, through): (u32, u32)) {
        let known = &mut self.reached[portal.0 as usize];
        if cost < known.cost {
            if known.cost == UNREACHED {
                self.touched.push(portal.0);
                known.bound = self.rates.bound(cell, self.goal);
            }
            (known.cost, known.before, known.through) = (cost, before, through);
            self.open.push(Reverse((cost.saturating_add(known.bound), portal.0)));
        }
    }

    /// The open portal with the least sum of cost and bound: the sum, the portal, and its record.
    fn pop(&mut self) -> Option<(u32, PortalId, Reached)> {
        while let Some(Reverse((sum, number))) = self.open.pop() {
            let of = self.reached[number as usize];
            if of.cost.saturating_add(of.bound) == sum {
                return Some((sum, PortalId(number), of));
            }
        }
        None
    }
}
