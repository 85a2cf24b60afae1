//! A directed graph in explicit form.

use crate::model::outcome::COST_MAX;
use std::fmt;

/// A directed edge as listed by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Source node.
    pub from: u32,
    /// Target node.
    pub to: u32,
    /// Cost in ticks, 0 to [`COST_MAX`].
    pub weight: i64,
}

impl Edge {
    /// The edge from one node to another with a cost.
    pub const fn new(from: u32, to: u32, weight: i64) -> Self {
        Self { from, to, weight }
    }
}

/// A node at the other end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The node.
    pub node: u32,
    /// Weight of the edge in ticks.
    pub weight: u32,
    /// Number of the edge.
    pub edge: u32,
}

/// Maximum number of nodes, and of edges: 2^29.
pub const GRAPH_MAX: usize = 1 << 29;

/// Error in the creation or change of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// More nodes or edges than [`GRAPH_MAX`].
    TooLarge {
        /// Nodes requested.
        nodes: usize,
        /// Edges requested.
        edges: usize,
    },
    /// An edge refers to a node outside the graph.
    NoSuchNode {
        /// Number of the edge.
        edge: usize,
        /// The node it refers to.
        node: u32,
        /// Number of nodes.
        n_nodes: u32,
    },
    /// A weight is negative or too large.
    Weight {
        /// Number of the edge.
        edge: usize,
        /// The weight given.
        weight: i64,
    },
    /// No edge has the given number.
    NoSuchEdge {
        /// The number given.
        edge: usize,
        /// Number of edges.
        n_edges: usize,
    },
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { nodes, edges } => {
                write!(f, "{nodes} nodes and {edges} edges; a graph has at most {GRAPH_MAX} of each")
            }
            Self::NoSuchNode { edge, node, n_nodes: 0 } => {
                write!(f, "edge {edge}: there is no node {node}; the graph has no nodes")
            }
            Self::NoSuchNode { edge, node, n_nodes } => {
                write!(f, "edge {edge}: there is no node {node}; the nodes are 0 to {}", n_nodes - 1)
            }
            Self::Weight { edge, weight } => {
                write!(f, "edge {edge}: a weight of {weight}; expected 0 to {COST_MAX}")
            }
            Self::NoSuchEdge { edge, n_edges } => {
                write!(f, "there is no edge {edge}; the graph has {n_edges}")
            }
        }
    }
}

impl std::error::Error for GraphError {}

/// A directed graph with non-negative integer weights.
///
/// Nodes are numbered from 0, edges in the order of the list. Parallel edges and self-loops are allowed.
/// Weights can be changed, and edges removed and restored; searches see changes immediately, fields must be
/// restarted.
///
/// Memory: 8 bytes per node and 20 per edge.
///
/// ```
/// use wheelbase_planner::graph::*;
/// use wheelbase_planner::Status;
///
/// // A one-way street from 0 through 1 to 2, and longer routes.
/// let edges = [(0, 1, 4), (1, 2, 4), (2, 3, 5), (3, 0, 5), (0, 3, 6), (3, 2, 6)];
/// let mut graph = Graph::new(4, edges.map(|(from, to, weight)| Edge::new(from, to, weight)))?;
/// let (mut scratch, mut path) = (GraphScratch::new(), GraphPath::new());
/// let request = GraphRequest::new(0, &[2]);
/// let answer = graph.plan(&request, &mut scratch, &mut path);
/// assert_eq!((answer.status, answer.cost, &path.nodes[..]), (Status::Found, 8, &[0, 1, 2][..]));
///
/// // Road works.
/// graph.set_weight(1, 9)?;
/// assert_eq!(graph.plan(&request, &mut scratch, &mut path).cost, 12);
/// graph.remove(5)?;
/// assert_eq!(graph.plan(&request, &mut scratch, &mut path).cost, 13);
/// graph.remove(0)?;
/// assert_eq!(graph.plan(&request, &mut scratch, &mut path).status, Status::Unreachable);
/// # Ok::<(), GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    /// `[n_nodes + 1]`: start of the edges out of each node in the array below.
    first_out: Vec<u32>,
    /// `[n_edges]`: number of each edge, by source node and then in the order of the list.
    out: Vec<u32>,
    /// `[n_nodes + 1]` and `[n_edges]`: the same for the edges into each node.
    first_into: Vec<u32>,
    into: Vec<u32>,
    /// `[n_edges]`, by number: source, target and weight, [`REMOVED`] if the edge is removed.
    pub(crate) edges: Vec<(u32, u32, u32)>,
    /// Upper bound of all weights since the graph was made.
    pub(crate) max_weight: u32,
    revision: u64,
}

/// Weight of a removed edge.
pub(crate) const REMOVED: u32 = u32::MAX;

/// No edge.
pub(crate) const NO_EDGE: u32 = u32::MAX;

impl Graph {
    /// The graph of `n_nodes` nodes with the given edges. Linear in both.
    /// # Errors
    /// [`GraphError`] for the first invalid edge.
    pub fn new(n_nodes: u32, edges: impl IntoIterator<Item = Edge>) -> Result<Self, GraphError> {
        let mut list = Vec::new();
        for (number, edge) in edges.into_iter().enumerate() {
            let missing = [edge.from, edge.to].into_iter().find(|&node| node >= n_nodes);
            if let Some(node) = missing {
                return Err(GraphError::NoSuchNode { edge: number, node, n_nodes });
            }
            list.push((edge.from, edge.to, checked_weight(number, edge.weight)?));
            if list.len() > GRAPH_MAX {
                break;
            }
        }
        if n_nodes as usize > GRAPH_MAX || list.len() > GRAPH_MAX {
            return Err(GraphError::TooLarge { nodes: n_nodes as usize, edges: list.len() });
        }
        let (first_out, out) = rows(n_nodes, list.iter().map(|edge| edge.0));
        let (first_into, into) = rows(n_nodes, list.iter().map(|edge| edge.1));
        let max_weight = list.iter().map(|edge| edge.2).max().unwrap_or(0);
        Ok(Self { first_out, out, first_into, into, edges: list, max_weight, revision: 0 })
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.first_out.len() - 1
    }

    /// Number of edges, including removed ones.
    pub fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// Source, target, and weight (`None` if removed) of an edge; `None` if the number is invalid.
    pub fn edge(&self, edge: usize) -> Option<(u32, u32, Option<u32>)> {
        let &(from, to, weight) = self.edges.get(edge)?;
        Some((from, to, (weight != REMOVED).then_some(weight)))
    }

    /// Sets the weight of an edge, restoring it if it was removed.
    /// # Errors
    /// [`GraphError`] if the edge does not exist or the weight is invalid.
    pub fn set_weight(&mut self, edge: usize, weight: i64) -> Result<(), GraphError> {
        let weight = checked_weight(edge, weight)?;
        self.max_weight = self.max_weight.max(weight);
        self.put_weight(edge, weight)
    }

    /// Removes an edge.
    /// # Errors
    /// [`GraphError::NoSuchEdge`].
    pub fn remove(&mut self, edge: usize) -> Result<(), GraphError> {
        self.put_weight(edge, REMOVED)
    }

    fn put_weight(&mut self, edge: usize, weight: u32) -> Result<(), GraphError> {
        let n_edges = self.edges.len();
        let known = self.edges.get_mut(edge).ok_or(GraphError::NoSuchEdge { edge, n_edges })?;
        if known.2 != weight {
            known.2 = weight;
            self.revision += 1;
        }
        Ok(())
    }

    /// Number of changes so far.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Calls `found` with the neighbour over every edge out of a node (`FORWARD`) or into it, in the order of the list.
    #[inline(always)]
    pub(crate) fn each<const FORWARD: bool>(&self, node: u32, mut found: impl FnMut(Neighbour)) {
        let (first, numbers) = match FORWARD {
            true => (&self.first_out, &self.out),
            false => (&self.first_into, &self.into),
        };
        let row = first[node as usize] as usize..first[node as usize + 1] as usize;
        for &number in &numbers[row] {
            let (from, to, weight) = self.edges[number as usize];
            if weight != REMOVED {
                found(Neighbour { node: if FORWARD { to } else { from }, weight, edge: number });
            }
        }
    }

    /// Calls `found` with the target of every edge out of a node, in the order of the list.
    ///
    /// # Panics
    /// If the node does not exist.
    pub fn for_each_successor(&self, node: u32, found: impl FnMut(Neighbour)) {
        self.each::<true>(node, found);
    }

    /// Calls `found` with the source of every edge into a node, in the order of the list.
    ///
    /// # Panics
    /// If the node does not exist.
    pub fn for_each_predecessor(&self, node: u32, found: impl FnMut(Neighbour)) {
        self.each::<false>(node, found);
    }
}

pub(crate) fn checked_weight(edge: usize, weight: i64) -> Result<u32, GraphError> {
    let checked = u32::try_from(weight).ok().filter(|&weight| weight <= COST_MAX);
    checked.ok_or(GraphError::Weight { edge, weight })
}

/// Edge numbers sorted by node, stable, and the start of each node's edges (counting sort).
pub(crate) fn rows(n_nodes: u32, nodes: impl Iterator<Item = u32> + Clone) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0; n_nodes as usize + 1];
    let mut n = 0;
    for node in nodes.clone() {
        first[node as usize + 1] += 1;
        n += 1;
    }
    for node in 0..n_nodes as usize {
        first[node + 1] += first[node];
    }
    let (mut next, mut numbers) = (first.clone(), vec![0; n]);
    for (number, node) in nodes.enumerate() {
        let at = &mut next[node as usize];
        numbers[*at as usize] = number as u32;
        *at += 1;
    }
    (first, numbers)
}
