//! A* and Dijkstra's algorithm from one node to the nearest of several goals.

use super::Graph;
use crate::graph::edges::{NO_EDGE, Neighbour};
use crate::model::outcome::{COST_MAX, Reached, Status, UNREACHED};
use crate::open_list::{BUCKETS_MAX, BucketQueue, HeapQueue, NonMonotoneQueue, OpenList};
use crate::search::guide::Guide;
use crate::search::request::Answer;
use wheelbase_grid::Epoch;

/// A planning request on a graph. Start from [`GraphRequest::new`] and set further fields: fields may be added.
#[derive(Clone, Copy)]
pub struct GraphRequest<'a> {
    /// Start node.
    pub start: u32,
    /// Goal nodes; a path may end at any of them.
    pub goals: &'a [u32],
    /// Lower bound of the cost from a node to the nearest goal. If it is admissible the answer is exact, even
    /// if it is not consistent (then nodes may be expanded repeatedly). `None` means Dijkstra's algorithm,
    /// equivalent to a bound of 0.
    pub estimate: Option<&'a dyn Fn(u32) -> u32>,
    /// Maximum number of expansions before the search stops with [`Status::LimitReached`].
    pub expansions_max: Option<u64>,
}

impl<'a> GraphRequest<'a> {
    /// The cheapest path from a node to the nearest goal, by Dijkstra's algorithm.
    pub const fn new(start: u32, goals: &'a [u32]) -> Self {
        Self { start, goals, estimate: None, expansions_max: None }
    }
}

/// A path through a graph. Owned and passed in by the caller, so that its memory is reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphPath {
    /// Nodes, start first; none if there is no path.
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

    /// Empties the path and keeps its allocation.
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

/// Search data of a node.
#[derive(Clone, Copy, Debug, Default)]
struct NodeRecord {
    /// The search that last touched it; in any other search the rest is invalid.
    epoch: u32,
    cost: u32,
    /// Edge by which it was reached.
    edge: u32,
    closed: bool,
    goal: bool,
}

/// The memory of one search over a graph, one per worker; 16 bytes per node and 4 per node on the open list.
/// Reset without clearing.
#[derive(Debug, Default)]
pub struct GraphScratch {
    records: Vec<NodeRecord>,
    epoch: Epoch,
    buckets: BucketQueue,
    heap: HeapQueue,
    /// Nodes to visit when all reachable nodes are enumerated.
    stack: Vec<u32>,
}

impl GraphScratch {
    /// Empty; memory is allocated at the first search.
    pub fn new() -> Self {
        Self::default()
    }

    fn reset(&mut self, n_nodes: usize) {
        if self.records.len() < n_nodes {
            self.records.resize(n_nodes, NodeRecord::default());
        }
        let Self { records, epoch, .. } = self;
        epoch.advance(u32::MAX, || records.fill(NodeRecord::default()));
    }
}

/// The current search's data of a node, initialised on first access.
#[inline(always)]
fn touch(records: &mut [NodeRecord], epoch: u32, node: u32) -> &mut NodeRecord {
    let record = &mut records[node as usize];
    if record.epoch != epoch {
        *record = NodeRecord { epoch, cost: UNREACHED, edge: NO_EDGE, closed: false, goal: false };
    }
    record
}

impl Graph {
    /// Finds a cheapest path. A node is settled when it is taken off the open list, not when it is generated. Among
    /// equal keys the last one pushed is taken first. Among equally cheap paths to a node the first found is kept. So
    /// equal requests have equal answers.
    ///
    /// [`Status::StartOffMap`] and [`Status::GoalOffMap`] mean that the start, or every goal, is not a node of
    /// the graph; [`Status::CostOverflow`] that every path costs more than [`COST_MAX`]. Does not allocate once
    /// `scratch` and `path` have grown.
    pub fn plan(
        &self,
        request: &GraphRequest<'_>,
        scratch: &mut GraphScratch,
        path: &mut GraphPath,
    ) -> Answer {
        path.clear();
        let guide = if request.estimate.is_some() { Guide::Custom } else { Guide::Nothing };
        let ended = |status| Answer { guide, ..Answer::ended(status) };
        let n_nodes = self.n_nodes();
        if request.start as usize >= n_nodes {
            return ended(Status::StartOffMap);
        }
        scratch.reset(n_nodes);
        let mut goals = request.goals.iter().copied().filter(|&goal| (goal as usize) < n_nodes).peekable();
        if goals.peek().is_none() {
            return ended(Status::GoalOffMap);
        }
        goals.for_each(|goal| touch(&mut scratch.records, scratch.epoch.get(), goal).goal = true);
        touch(&mut scratch.records, scratch.epoch.get(), request.start).cost = 0;
        let GraphScratch { records, epoch, buckets, heap, .. } = scratch;
        let mut search =
            GraphSearch { graph: self, records, epoch: epoch.get(), expansions: 0, overflowed: false };
        let budget = request.expansions_max.unwrap_or(u64::MAX);
        let range = u64::from(self.max_weight);
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
                let mut open = NonMonotoneQueue::reset(buckets, heap, key);
                open.push(key, request.start);
                search.run(&mut open, estimate, budget)
            }
        };
        let (expansions, overflowed) = (search.expansions, search.overflowed);
        if let StopReason::Goal(node) = end {
            self.write_path(records, node, path);
        }
        let status = match end {
            StopReason::Goal(_) => Status::Found,
            StopReason::Budget => Status::LimitReached,
            StopReason::Exhausted if overflowed && self.reaches_goal(request, scratch) => {
                Status::CostOverflow
            }
            StopReason::Exhausted => Status::Unreachable,
        };
        let reached = (status == Status::Found).then_some(Reached::Goal);
        Answer { status, reached, cost: path.cost(), expansions, guide }
    }

    /// Whether any goal is reachable, at any cost.
    fn reaches_goal(&self, request: &GraphRequest<'_>, scratch: &mut GraphScratch) -> bool {
        scratch.reset(self.n_nodes());
        let GraphScratch { records, epoch, stack, .. } = scratch;
        stack.clear();
        stack.push(request.start);
        touch(records, epoch.get(), request.start).closed = true;
        while let Some(node) = stack.pop() {
            self.each::<true>(node, |Neighbour { node: next, .. }| {
                let record = touch(records, epoch.get(), next);
                if !std::mem::replace(&mut record.closed, true) {
                    stack.push(next);
                }
            });
        }
        let visited =
            |&goal: &u32| records.get(goal as usize).is_some_and(|record| record.epoch == epoch.get());
        request.goals.iter().any(visited)
    }

    fn write_path(&self, records: &[NodeRecord], end: u32, path: &mut GraphPath) {
        let mut node = end;
        loop {
            let NodeRecord { cost, edge, .. } = records[node as usize];
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

enum StopReason {
    Goal(u32),
    Exhausted,
    Budget,
}

struct GraphSearch<'a> {
    graph: &'a Graph,
    records: &'a mut [NodeRecord],
    epoch: u32,
    expansions: u64,
    overflowed: bool,
}

impl GraphSearch<'_> {
    fn run<Q: OpenList>(&mut self, open: &mut Q, estimate: impl Fn(u32) -> u32, budget: u64) -> StopReason {
        let Self { graph, records, epoch, expansions, overflowed } = self;
        while let Some((_, node)) = open.pop() {
            let record = &mut records[node as usize];
            if record.closed {
                continue;
            }
            if record.goal {
                return StopReason::Goal(node);
            }
            if *expansions == budget {
                return StopReason::Budget;
            }
            *expansions += 1;
            record.closed = true;
            let cost = record.cost;
            graph.each::<true>(node, |Neighbour { node: next, weight, edge }| {
                let reached = u64::from(cost) + u64::from(weight);
                if reached > u64::from(COST_MAX) {
                    *overflowed = true;
                    return;
                }
                let known = touch(records, *epoch, next);
                if reached >= u64::from(known.cost) {
                    return;
                }
                (known.cost, known.edge, known.closed) = (reached as u32, edge, false);
                // At a goal nothing remains, whatever the caller's bound.
                let rest = if known.goal { 0 } else { estimate(next) };
                open.push(reached + u64::from(rest), next);
            });
        }
        StopReason::Exhausted
    }
}
