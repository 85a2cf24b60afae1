//! An abstract graph of the map for one class (HPA*; Botea, Müller and Schaeffer 2004). It finds routes across large
//! maps in a fraction of the time of an exact search.
//!
//! The map is divided into clusters. The nodes are cells on the borders of clusters, the portals. The cost between two
//! portals of a cluster is the least cost of a path of poses between any headings of the two cells. The path keeps to
//! the cluster and a margin around it. So a cost knows one-way moves, slopes, walls on sides of cells and swept turns,
//! but promises no heading.

mod build;
mod cluster_search;
mod clusters;
pub(crate) mod leg_search;
mod route;

pub use build::Abstraction;
pub use leg_search::plan_along;
pub use route::{Route, RoutePortal, RouteScratch, routes_need};
