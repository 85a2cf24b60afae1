//! Costs between every node of a graph and a set of nodes, and distances read from them.

use super::{Graph, GraphPath};
use crate::fields::cost_field::support::Direction;
use crate::fields::cost_field::{Block, Frontier, SettleTarget, Settled};
use crate::graph::edges::{NO_EDGE, Neighbour};
use crate::model::outcome::{COST_MAX, Progress, UNREACHED};
use crate::model::pose::State;
use crate::open_list::BLOCK;

/// The exact cost in ticks between every node of a graph and the nearest of some nodes: towards a goal, or from
/// a start. Settled as far as requested, up to a cost, a node or a budget, and later continued from there.
///
/// Memory: 8 bytes per node, 4 per reached node, and 4 per node on the boundary of the settled region.
///
/// ```
/// use wheelbase_planner::graph::*;
/// use wheelbase_planner::SettleTarget;
///
/// let edges = [(0, 1, 4), (1, 2, 0), (2, 1, 0), (2, 3, 5)];
/// let graph = Graph::new(5, edges.map(|(from, to, weight)| Edge::new(from, to, weight)))?;
/// let mut field = GraphField::to_goal(&graph, &[3]);
/// let mut distances = Vec::new();
/// field.measure(&graph, &[0, 2, 4], &mut distances);
/// assert_eq!(distances, [Some(9), Some(5), None]);
/// // The next edge on the path, and the node it leads to.
/// assert_eq!(field.next(&graph, 1), Some((1, 2)));
/// assert_eq!(field.within(5).collect::<Vec<_>>(), [(1, 5), (2, 5), (3, 0)]);
/// # Ok::<(), GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GraphField {
    direction: Direction,
    sources: Vec<u32>,
    /// `[n_nodes]`. Costs up to the radius are settled. Larger ones are the costs of some path, with an entry
    /// in the frontier; [`UNREACHED`] if no path is known.
    costs: Vec<u32>,
    /// `[n_nodes]`: the edge that first gave the node its cost. With weights of 0, other edges consistent with
    /// the costs may form a cycle; these never do.
    edges: Vec<u32>,
    /// Reached nodes, to be reset at a restart.
    reached: Vec<u32>,
    frontier: Frontier,
    radius: u32,
    revision: u64,
}

impl GraphField {
    /// The cost from every node to the nearest of some nodes; initially only those are settled.
    pub fn to_goal(graph: &Graph, goals: &[u32]) -> Self {
        Self::new(graph, goals, Direction::ToGoal)
    }

    /// The cost from the nearest of some nodes to every node.
    pub fn from_start(graph: &Graph, starts: &[u32]) -> Self {
        Self::new(graph, starts, Direction::FromStart)
    }

    fn new(graph: &Graph, sources: &[u32], direction: Direction) -> Self {
        let mut field = Self {
            direction,
            sources: Vec::new(),
            costs: Vec::new(),
            edges: Vec::new(),
            reached: Vec::new(),
            frontier: Frontier::default(),
            radius: 0,
            revision: 0,
        };
        field.restart(graph, sources);
        field
    }

    /// Restarts in the same memory, for other nodes or after a change of the graph. Nodes outside the graph are
    /// ignored. Linear in the nodes that were reached.
    pub fn restart(&mut self, graph: &Graph, sources: &[u32]) {
        for node in self.reached.drain(..) {
            self.costs[node as usize] = UNREACHED;
            self.edges[node as usize] = NO_EDGE;
        }
        self.costs.resize(graph.n_nodes(), UNREACHED);
        self.edges.resize(graph.n_nodes(), NO_EDGE);
        self.frontier.reset(u64::from(graph.max_weight), 0);
        self.radius = 0;
        self.sources.clear();
        self.sources.extend(sources.iter().filter(|&&node| (node as usize) < graph.n_nodes()));
        for &node in &self.sources {
            if self.costs[node as usize] == UNREACHED {
                self.costs[node as usize] = 0;
                self.reached.push(node);
                self.frontier.push(0, node);
            }
        }
        self.revision = graph.revision();
    }

    /// Settles nodes in order of cost, at most `expansions` of them, up to the target, in which states are node
    /// numbers. `Running` means that the budget was spent first.
    ///
    /// # Panics
    /// If the graph has changed since the field was started ([`GraphField::restart`]).
    pub fn settle(&mut self, graph: &Graph, target: SettleTarget, expansions: u64) -> Settled {
        assert_eq!(
            (graph.revision(), graph.n_nodes()),
            (self.revision, self.costs.len()),
            "the graph has changed: restart the field first"
        );
        match self.direction {
            Direction::ToGoal => self.spread::<false>(graph, target, expansions),
            Direction::FromStart => self.spread::<true>(graph, target, expansions),
        }
    }

    fn spread<const FORWARD: bool>(&mut self, graph: &Graph, target: SettleTarget, budget: u64) -> Settled {
        let Self { costs, edges, reached, frontier, radius, .. } = self;
        let mut block: Block = [0; BLOCK];
        let mut expansions = 0;
        loop {
            let last = match target {
                SettleTarget::All => COST_MAX,
                SettleTarget::Within(ticks) => ticks.min(COST_MAX),
                SettleTarget::Pose(State(node)) if costs[node as usize] <= *radius => break,
                SettleTarget::Pose(_) => COST_MAX,
            };
            match frontier.least() {
                Some(least) if least <= last => {}
                _ => {
                    *radius = last.max(*radius);
                    frontier.advance_to(*radius);
                    break;
                }
            }
            let Some((cost, n)) = frontier.pop_block(&mut block) else { break };
            *radius = cost;
            for (at, &node) in block[..n].iter().enumerate().rev() {
                if costs[node as usize] != cost {
                    continue;
                }
                if expansions == budget {
                    block[..=at].iter().for_each(|&node| frontier.push(cost, node));
                    return Settled { progress: Progress::Running, expansions };
                }
                expansions += 1;
                graph.each::<FORWARD>(node, |Neighbour { node: next, weight, edge }| {
                    // Beyond COST_MAX the cost saturates to unreached, and is not followed.
                    let cost = cost.saturating_add(weight);
                    let known = &mut costs[next as usize];
                    if cost < *known {
                        if *known == UNREACHED {
                            reached.push(next);
                        }
                        *known = cost;
                        edges[next as usize] = edge;
                        frontier.push(cost, next);
                    }
                });
            }
        }
        Settled { progress: Progress::Done, expansions }
    }

    /// Every node of at most this cost in ticks is settled.
    pub fn radius(&self) -> u32 {
        self.radius
    }

    /// Whether every reachable node is settled.
    pub fn is_complete(&self) -> bool {
        self.frontier.is_empty()
    }

    /// Cost of a node if it is settled.
    pub fn cost(&self, node: u32) -> Option<u32> {
        let cost = *self.costs.get(node as usize)?;
        (cost <= self.radius()).then_some(cost)
    }

    /// Settles as far as necessary and writes the cost of each queried node, `None` if unreachable. Returns the
    /// number of expansions.
    pub fn measure(&mut self, graph: &Graph, asked: &[u32], answers: &mut Vec<Option<u32>>) -> u64 {
        answers.clear();
        let mut expansions = 0;
        for &node in asked {
            if (node as usize) < self.costs.len() {
                expansions += self.settle(graph, SettleTarget::Pose(State(node)), u64::MAX).expansions;
            }
            answers.push(self.cost(node));
        }
        expansions
    }

    /// Every settled node of at most `ticks` and its cost, in order of number.
    pub fn within(&self, ticks: u32) -> impl Iterator<Item = (u32, u32)> {
        let last = ticks.min(self.radius());
        let costs = self.costs.iter().enumerate().filter(move |&(_, &cost)| cost <= last);
        costs.map(|(node, &cost)| (node as u32, cost))
    }

    /// The next edge on the path from a settled node to the goal, and the node it leads to. For a field from a
    /// start, the last edge of the path to the node, and the node before it. `None` at the sources and at
    /// unsettled nodes. Deterministic among equally cheap paths, and never part of a cycle.
    pub fn next(&self, graph: &Graph, node: u32) -> Option<(u32, u32)> {
        self.cost(node)?;
        let number = self.edges[node as usize];
        let &(from, to, _) = graph.edges.get(number as usize)?;
        Some((number, if self.direction == Direction::ToGoal { to } else { from }))
    }

    /// Writes a cheapest path between a settled node and the sources, in the direction of travel. Returns
    /// whether there is one.
    pub fn follow(&self, graph: &Graph, node: u32, path: &mut GraphPath) -> bool {
        path.clear();
        let Some(cost) = self.cost(node) else { return false };
        let mut at = node;
        loop {
            let here = self.costs[at as usize];
            path.nodes.push(at);
            path.arrivals.push(if self.direction == Direction::ToGoal { cost - here } else { here });
            let Some((edge, next)) = self.next(graph, at) else { break };
            path.edges.push(edge);
            at = next;
        }
        if self.direction == Direction::FromStart {
            path.nodes.reverse();
            path.arrivals.reverse();
            path.edges.reverse();
        }
        true
    }
}
