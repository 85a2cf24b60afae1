//! Plain directed graphs: waypoints, portals, rooms and doors, whatever is no map of cells.
//!
//! Adjacency arrays (compressed sparse rows) of the edges out of each node and into each node. Searches
//! take the same open lists as those over poses, fields the same frontier, with the same ties.

pub(crate) mod edges;
pub(crate) mod field;
pub(crate) mod search;

pub use edges::{Edge, GRAPH_MAX, Graph, GraphError};
pub use field::GraphField;
pub use search::{GraphPath, GraphRequest, GraphScratch};
