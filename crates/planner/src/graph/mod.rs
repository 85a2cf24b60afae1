//! Plain directed graphs: waypoints, portals, rooms and doors, or anything else that is not a map of cells.
//!
//! Stored as adjacency arrays (compressed sparse rows) of the edges out of each node and into each node.
//! Searches use the same open lists as searches over poses, fields the same frontier, with the same
//! tie-breaking.

pub(crate) mod edges;
pub(crate) mod field;
pub(crate) mod search;

pub use edges::{Edge, GRAPH_MAX, Graph, GraphError, Neighbour};
pub use field::GraphField;
pub use search::{GraphPath, GraphRequest, GraphScratch};
