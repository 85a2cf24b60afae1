//! A* and Dijkstra's search from one node to the nearest of some.

use super::Graph;
use crate::graph::edges::NO_EDGE;
use crate::model::outcome::{COST_MAX, Reached, Status};
use crate::search::guide::Guide;
use crate::search::open_list::{BUCKETS_MAX, BucketQueue, FallingQueue, HeapQueue, OpenList};
use crate::search::request::Answer;

/// One question about a graph.
#[derive(Clone, Copy)]
pub struct GraphRequest<'a> {
    /// Where the way begins.
    pub start: u32,
    /// Nodes at any of which it may end.
    pub goals: &'a [u32],
    /// Lower bound of the cost from a node to the nearest goal, never more than that cost: then the answer
    /// is exact, whether or not the bound is consistent (one that is not may have nodes expanded more than
    /// once). Without one the search is Dijkstra's; a bound of 0 gives the same.
    pub estimate: Option<&'a dyn Fn(u32) -> u32>,
    /// Most expansions before the search stops with [`Status::LimitReached`].
    pub expansions_max: Option<u64>,
}

impl<'a> GraphRequest<'a> {
    /// The cheapest way from a node to the nearest of some, by Dijkstra's search.
    pub const fn new(start: u32, goals: &'a [u32]) -> Self {
        Self { start, goals, estimate: None, expansions_max: None }
    }
}

/// A way through a graph. The caller keeps it and passes it again, so that its memory is reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphPath {
    /// Nodes, the start first; none if there is no way.
    pub nodes: Vec<u32>,
    /// Cost from the start to each of the nodes.
    pub arrivals: Vec<u32>,
    /// Numbers of the edges between them; one fewer.
    pub edges: Vec<u32>,
}

impl GraphPath {
    /// An empty path.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the path and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.arrivals.clear();
        self.edges.clear();
    }

    /// Cost in ticks, 0 for an empty path.
    pub fn cost(&self) -> u32 {
        self.arrivals.last().copied().unwrap_or(0)
    }
}

/// What a search knows of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// Search that last touched it; else the rest means nothing.
    stamp: u32,
    cost: u32,
    /// Edge by which it was reached.
    edge: u32,
    closed: bool,
    goal: bool,
}

/// The memory of one search over a graph, one a worker; 16 bytes a node and 4 a node on the open list.
/// Reset without clearing.
#[derive(Debug, Default)]
pub struct GraphScratch {
    reaches: Vec<Reach>,
    stamp: u32,
    buckets: BucketQueue,
    heap: HeapQueue,
    /// Nodes still to be visited when those that can be reached are gone through.
    stack: Vec<u32>,
}

impl GraphScratch {
    /// Empty; memory is taken at the first search.
    pub fn new() -> Self {
        Self::default()
    }

    fn reset(&mut self, n_nodes: usize) {
        if self.reaches.len() < n_nodes || self.stamp == u32::MAX {
            self.reaches.clear();
            self.reaches.resize(n_nodes, Reach::default());
            self.stamp = 0;
        }
        self.stamp += 1;
    }
}

/// What this search knows of a node, made fresh if it is the first to touch it.
#[inline(always)]
fn touch(reaches: &mut [Reach], stamp: u32, node: u32) -> &mut Reach {
    let reach = &mut reaches[node as usize];
    if reach.stamp != stamp {
        *reach = Reach { stamp, cost: u32::MAX, edge: NO_EDGE, closed: false, goal: false };
    }
    reach
}

impl Graph {
    /// Finds a cheapest way. A node counts as reached when it is taken off the open list, not when it is
    /// generated; among equal keys the one pushed last is taken first, and among equal ways to a node the
    /// first that was found is kept, so that the same question has the same answer always.
    ///
    /// [`Status::StartOffMap`] and [`Status::GoalOffMap`] say that there is no such node, of the goals that
    /// there is none at all; [`Status::CostOverflow`] that every way takes more than [`COST_MAX`]. Allocates
    /// nothing once `scratch` and `path` have grown.
    pub fn plan(
        &self,
        request: &GraphRequest<'_>,
        scratch: &mut GraphScratch,
        path: &mut GraphPath,
    ) -> Answer {
        path.clear();
        let guide = if request.estimate.is_some() { Guide::Custom } else { Guide::Nothing };
        let ended = |status| Answer { status, reached: None, cost: 0, expansions: 0, guide };
        let n_nodes = self.n_nodes();
        if request.start as usize >= n_nodes {
            return ended(Status::StartOffMap);
        }
        scratch.reset(n_nodes);
        let mut goals = request.goals.iter().copied().filter(|&goal| (goal as usize) < n_nodes).peekable();
        if goals.peek().is_none() {
            return ended(Status::GoalOffMap);
        }
        goals.for_each(|goal| touch(&mut scratch.reaches, scratch.stamp, goal).goal = true);
        touch(&mut scratch.reaches, scratch.stamp, request.start).cost = 0;
        let GraphScratch { reaches, stamp, buckets, heap, .. } = scratch;
        let mut search = Search { graph: self, reaches, stamp: *stamp, expansions: 0, overflowed: false };
        let budget = request.expansions_max.unwrap_or(u64::MAX);
        let range = u64::from(self.most_weight);
        let end = match request.estimate {
            None if range < BUCKETS_MAX => {
                buckets.reset(range, 0);
                buckets.push(0, request.start);
                search.run(buckets, |_| 0, budget)
            }
            None => {
                heap.reset();
                heap.push(0, request.start);
                search.run(heap, |_| 0, budget)
            }
            Some(estimate) => {
                let key = u64::from(estimate(request.start));
                let mut open = FallingQueue::reset(buckets, heap, key);
                open.push(key, request.start);
                search.run(&mut open, estimate, budget)
            }
        };
        let (expansions, overflowed) = (search.expansions, search.overflowed);
        if let End::Goal(node) = end {
            self.write_path(reaches, node, path);
        }
        let status = match end {
            End::Goal(_) => Status::Found,
            End::Budget => Status::LimitReached,
            End::Exhausted if overflowed && self.reaches_goal(request, scratch) => Status::CostOverflow,
            End::Exhausted => Status::Unreachable,
        };
        let reached = (status == Status::Found).then_some(Reached::Goal);
        Answer { status, reached, cost: path.cost(), expansions, guide }
    }

    /// Whether edges lead to a goal, at any cost.
    fn reaches_goal(&self, request: &GraphRequest<'_>, scratch: &mut GraphScratch) -> bool {
        scratch.reset(self.n_nodes());
        let GraphScratch { reaches, stamp, stack, .. } = scratch;
        stack.clear();
        stack.push(request.start);
        touch(reaches, *stamp, request.start).closed = true;
        while let Some(node) = stack.pop() {
            self.each::<true>(node, |next, _, _| {
                let reach = touch(reaches, *stamp, next);
                if !std::mem::replace(&mut reach.closed, true) {
                    stack.push(next);
                }
            });
        }
        let visited = |&goal: &u32| reaches.get(goal as usize).is_some_and(|reach| reach.stamp == *stamp);
        request.goals.iter().any(visited)
    }

    fn write_path(&self, reaches: &[Reach], end: u32, path: &mut GraphPath) {
        let mut node = end;
        loop {
            let Reach { cost, edge, .. } = reaches[node as usize];
            path.nodes.push(node);
            path.arrivals.push(cost);
            if edge == NO_EDGE {
                break;
            }
            path.edges.push(edge);
            node = self.edges[edge as usize].0;
        }
        path.nodes.reverse();
        path.arrivals.reverse();
        path.edges.reverse();
    }
}

enum End {
    Goal(u32),
    Exhausted,
    Budget,
}

struct Search<'a> {
    graph: &'a Graph,
    reaches: &'a mut [Reach],
    stamp: u32,
    expansions: u64,
    overflowed: bool,
}

impl Search<'_> {
    fn run<Q: OpenList>(&mut self, open: &mut Q, estimate: impl Fn(u32) -> u32, budget: u64) -> End {
        let Self { graph, reaches, stamp, expansions, overflowed } = self;
        while let Some((_, node)) = open.pop() {
            let reach = &mut reaches[node as usize];
            if reach.closed {
                continue;
            }
            if reach.goal {
                return End::Goal(node);
            }
            if *expansions == budget {
                return End::Budget;
            }
            *expansions += 1;
            reach.closed = true;
            let cost = reach.cost;
            graph.each::<true>(node, |next, weight, edge| {
                let reached = u64::from(cost) + u64::from(weight);
                if reached > u64::from(COST_MAX) {
                    *overflowed = true;
                    return;
                }
                let known = touch(reaches, *stamp, next);
                if reached >= u64::from(known.cost) {
                    return;
                }
                (known.cost, known.edge, known.closed) = (reached as u32, edge, false);
                // At a goal nothing remains, whatever the caller's bound says.
                let rest = if known.goal { 0 } else { estimate(next) };
                open.push(reached + u64::from(rest), next);
            });
        }
        End::Exhausted
    }
}
