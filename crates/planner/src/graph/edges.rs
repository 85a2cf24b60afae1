//! A directed graph, stored whole.

use crate::model::outcome::COST_MAX;
use std::fmt;

/// A directed edge as a user lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Node that it leaves.
    pub from: u32,
    /// Node that it leads to.
    pub to: u32,
    /// Cost in ticks, 0 to [`COST_MAX`].
    pub weight: i64,
}

impl Edge {
    /// The edge from one node to another at a cost.
    pub const fn new(from: u32, to: u32, weight: i64) -> Self {
        Self { from, to, weight }
    }
}

/// Most nodes, and most edges, of a graph: 2^29.
pub const GRAPH_MAX: usize = 1 << 29;

/// Why a graph cannot be made, or changed so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// More nodes or edges than [`GRAPH_MAX`].
    TooLarge {
        /// Nodes given.
        nodes: usize,
        /// Edges given.
        edges: usize,
    },
    /// An edge ends at a node that the graph does not have.
    NoSuchNode {
        /// Number of the edge.
        edge: usize,
        /// The node it names.
        node: u32,
        /// Nodes that there are.
        n_nodes: u32,
    },
    /// A weight is negative or too large.
    Weight {
        /// Number of the edge.
        edge: usize,
        /// Weight given.
        weight: i64,
    },
    /// There is no edge of that number.
    NoSuchEdge {
        /// Number given.
        edge: usize,
        /// Edges that there are.
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

/// A directed graph with whole weights that are not negative.
///
/// Nodes are numbered from 0, edges in the order in which they were listed. Several edges may join the
/// same two nodes, and one may lead back to its own node. A weight can be changed and an edge taken out
/// and put back; searches see it at once, fields begin anew.
///
/// Memory: 8 bytes a node and 20 an edge.
///
/// ```
/// use wheelbase_planner::graph::*;
/// use wheelbase_planner::Status;
///
/// // A one-way street from 0 to 2 by 1, and a long way round.
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
    /// `[n_nodes + 1]`: where the edges out of each node begin in the two arrays below.
    first_out: Vec<u32>,
    /// `[n_edges]`: number of each edge, by the node it leaves and then in the order of the list.
    out: Vec<u32>,
    /// `[n_nodes + 1]` and `[n_edges]`: the same of the edges into each node.
    first_into: Vec<u32>,
    into: Vec<u32>,
    /// `[n_edges]`, by number: the nodes that it joins and its weight, [`REMOVED`] if it is not there.
    pub(crate) edges: Vec<(u32, u32, u32)>,
    /// No weight is more, nor has been since the graph was made.
    pub(crate) most_weight: u32,
    revision: u64,
}

/// Weight of an edge that was taken out.
pub(crate) const REMOVED: u32 = u32::MAX;

/// No edge.
pub(crate) const NO_EDGE: u32 = u32::MAX;

impl Graph {
    /// The graph of so many nodes with these edges. Linear in both.
    /// # Errors
    /// [`GraphError`] that names the first edge that is wrong.
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
        let most_weight = list.iter().map(|edge| edge.2).max().unwrap_or(0);
        Ok(Self { first_out, out, first_into, into, edges: list, most_weight, revision: 0 })
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.first_out.len() - 1
    }

    /// Number of edges, those taken out included.
    pub fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// The nodes that an edge joins, and its weight unless it was taken out; `None` if there is none of that
    /// number.
    pub fn edge(&self, edge: usize) -> Option<(u32, u32, Option<u32>)> {
        let &(from, to, weight) = self.edges.get(edge)?;
        Some((from, to, (weight != REMOVED).then_some(weight)))
    }

    /// Gives an edge another weight; one that was taken out is put back.
    /// # Errors
    /// [`GraphError`] if there is no such edge or the weight is not allowed.
    pub fn set_weight(&mut self, edge: usize, weight: i64) -> Result<(), GraphError> {
        let weight = checked_weight(edge, weight)?;
        self.most_weight = self.most_weight.max(weight);
        self.put_weight(edge, weight)
    }

    /// Takes an edge out.
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

    /// Counts the changes.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Calls `found` with the other node, weight and number of every edge out of a node (`FORWARD`) or into
    /// it, in the order of the list.
    #[inline(always)]
    pub(crate) fn each<const FORWARD: bool>(&self, node: u32, mut found: impl FnMut(u32, u32, u32)) {
        let (first, numbers) = match FORWARD {
            true => (&self.first_out, &self.out),
            false => (&self.first_into, &self.into),
        };
        let row = first[node as usize] as usize..first[node as usize + 1] as usize;
        for &number in &numbers[row] {
            let (from, to, weight) = self.edges[number as usize];
            if weight != REMOVED {
                found(if FORWARD { to } else { from }, weight, number);
            }
        }
    }

    /// Calls `found` with the node it leads to, the weight and the number of every edge out of a node, in the
    /// order of the list.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn for_each_successor(&self, node: u32, found: impl FnMut(u32, u32, u32)) {
        self.each::<true>(node, found);
    }

    /// The same of the edges into a node, with the node that each leaves.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn for_each_predecessor(&self, node: u32, found: impl FnMut(u32, u32, u32)) {
        self.each::<false>(node, found);
    }
}

pub(crate) fn checked_weight(edge: usize, weight: i64) -> Result<u32, GraphError> {
    let checked = u32::try_from(weight).ok().filter(|&weight| weight <= COST_MAX);
    checked.ok_or(GraphError::Weight { edge, weight })
}

/// Numbers sorted by their node, stable, and where each node's begin (counting sort).
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
