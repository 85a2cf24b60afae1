//! Costs between every node of a graph and some, and distances read from them.

use super::{Graph, GraphPath};
use crate::fields::cost_field::support::Direction;
use crate::fields::cost_field::{Block, Frontier, Settled, Until};
use crate::graph::edges::NO_EDGE;
use crate::model::outcome::{COST_MAX, Progress};
use crate::model::pose::State;
use crate::search::open_list::BLOCK;

/// The exact cost in ticks between every node of a graph and the nearest of some: toward a goal, or from a
/// start. Settled as far as it is asked, by cost, by node or by a budget, and later goes on from there.
///
/// Memory: 8 bytes a node, 4 a node that was reached, and 4 a node on the rim of what is settled.
///
/// ```
/// use wheelbase_planner::graph::*;
/// use wheelbase_planner::Until;
///
/// let edges = [(0, 1, 4), (1, 2, 0), (2, 1, 0), (2, 3, 5)];
/// let graph = Graph::new(5, edges.map(|(from, to, weight)| Edge::new(from, to, weight)))?;
/// let mut field = GraphField::to_goal(&graph, &[3]);
/// let mut distances = Vec::new();
/// field.measure(&graph, &[0, 2, 4], &mut distances);
/// assert_eq!(distances, [Some(9), Some(5), None]);
/// // The next edge on the way, and where it leads.
/// assert_eq!(field.next(&graph, 1), Some((1, 2)));
/// assert_eq!(field.within(5).collect::<Vec<_>>(), [(1, 5), (2, 5), (3, 0)]);
/// # Ok::<(), GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GraphField {
    direction: Direction,
    sources: Vec<u32>,
    /// `[n_nodes]`: those of at most the radius are settled; above, the cost of some way, which stands in the
    /// frontier; [`UNREACHED`] without one.
    costs: Vec<u32>,
    /// `[n_nodes]`: the first edge that gave the node its cost. With weights of 0 an edge that fits the costs
    /// may lead round in a circle; this one never does.
    edges: Vec<u32>,
    /// Nodes that were reached, for the next beginning.
    reached: Vec<u32>,
    frontier: Frontier,
    radius: u32,
    revision: u64,
}

pub(crate) const UNREACHED: u32 = u32::MAX;

impl GraphField {
    /// The cost from every node to the nearest of some; nothing is settled yet but those.
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

    /// Begins anew in the same memory, for other nodes or after a change of the graph. Nodes that the graph
    /// does not have count for nothing. Takes time in proportion to the nodes that were reached.
    pub fn restart(&mut self, graph: &Graph, sources: &[u32]) {
        for node in self.reached.drain(..) {
            self.costs[node as usize] = UNREACHED;
            self.edges[node as usize] = NO_EDGE;
        }
        self.costs.resize(graph.n_nodes(), UNREACHED);
        self.edges.resize(graph.n_nodes(), NO_EDGE);
        self.frontier.reset(u64::from(graph.most_weight), 0);
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

    /// Settles nodes in order of cost, at most `expansions` of them, as far as `until` says; states are the
    /// numbers of nodes. `Running` means that the budget was spent first.
    ///
    /// # Panics
    /// If the graph has changed since the field was begun ([`GraphField::restart`]).
    pub fn settle(&mut self, graph: &Graph, until: Until, expansions: u64) -> Settled {
        assert_eq!(
            (graph.revision(), graph.n_nodes()),
            (self.revision, self.costs.len()),
            "the graph has changed: the field is to be begun anew"
        );
        match self.direction {
            Direction::ToGoal => self.spread::<false>(graph, until, expansions),
            Direction::FromStart => self.spread::<true>(graph, until, expansions),
        }
    }

    fn spread<const FORWARD: bool>(&mut self, graph: &Graph, until: Until, budget: u64) -> Settled {
        let Self { costs, edges, reached, frontier, radius, .. } = self;
        let mut block: Block = [0; BLOCK];
        let mut expansions = 0;
        loop {
            let last = match until {
                Until::All => COST_MAX,
                Until::Within(ticks) => ticks.min(COST_MAX),
                Until::Pose(State(node)) if costs[node as usize] <= *radius => break,
                Until::Pose(_) => COST_MAX,
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
                graph.each::<FORWARD>(node, |next, weight, edge| {
                    // Beyond COST_MAX it saturates at what is not reached, and is not followed.
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

    /// Every node of at most so many ticks is settled.
    pub fn radius(&self) -> u32 {
        self.radius
    }

    /// Whether every node that can be reached is settled.
    pub fn is_complete(&self) -> bool {
        self.frontier.is_empty()
    }

    /// Cost of a node if it is settled.
    pub fn cost(&self, node: u32) -> Option<u32> {
        let cost = *self.costs.get(node as usize)?;
        (cost <= self.radius()).then_some(cost)
    }

    /// Settles what is needed and writes the cost of each node asked about, `None` where there is no way.
    /// Returns the expansions.
    pub fn measure(&mut self, graph: &Graph, asked: &[u32], answers: &mut Vec<Option<u32>>) -> u64 {
        answers.clear();
        let mut expansions = 0;
        for &node in asked {
            if (node as usize) < self.costs.len() {
                expansions += self.settle(graph, Until::Pose(State(node)), u64::MAX).expansions;
            }
            answers.push(self.cost(node));
        }
        expansions
    }

    /// Every settled node of at most so many ticks and its cost, in order of number.
    pub fn within(&self, ticks: u32) -> impl Iterator<Item = (u32, u32)> {
        let most = ticks.min(self.radius());
        let costs = self.costs.iter().enumerate().filter(move |&(_, &cost)| cost <= most);
        costs.map(|(node, &cost)| (node as u32, cost))
    }

    /// The next edge on the way from a settled node to the goal, and the node it leads to; of a field from a
    /// start, the last edge of the way to the node and the node before it. `None` at the sources and at what
    /// is not settled. Of several cheapest ways always the same one, which never goes in a circle.
    pub fn next(&self, graph: &Graph, node: u32) -> Option<(u32, u32)> {
        self.cost(node)?;
        let number = self.edges[node as usize];
        let &(from, to, _) = graph.edges.get(number as usize)?;
        Some((number, if self.direction == Direction::ToGoal { to } else { from }))
    }

    /// Writes a cheapest way between a settled node and the sources, in the direction of travel. Returns
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
