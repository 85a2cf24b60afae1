//! The rule for agents with bodies of any size: windowed cooperative planning among space-time reservations.
//!
//! Every agent has a plan: a string of timed moves, after which it rests. All cells of all plans are reserved tick
//! by tick and never conflict, so every plan can be carried out whatever happens later. An agent may look for a
//! better plan at any time (windowed hierarchical cooperative A*, WHCA*, Silver 2005). An agent plans in this order:
//!
//! 1. If the next moves of its path are free, they are its plan, without a search.
//! 2. Else it searches by safe intervals (SIPP, Phillips and Likhachev 2011) for the moves that bring it farthest
//!    within a horizon: module `sipp`. The cost-to-go is exact within a window around its path, where the true
//!    distances of WHCA* cover the map: module `windowed_cost_to_go`.
//! 3. If other plans cost it much, it makes others yield. Agents of lower priority inherit its priority and replan
//!    around it, as in PIBT (Okumura et al. 2022) and EPIBT (Yukhnevich and Andreychuk 2025). Agents of any
//!    priority replan if all plans together cost less, as in large neighbourhood search (MAPF-LNS, Li et al. 2021).
//!    All or nothing: module `priority_inheritance`.
//! 4. If agents at rest block it for long, it pushes them to retreats off its path: modules `pushing` and
//!    `retreat`.
//! 5. If the agent in its way cannot make way, it asks for a path around it: module `roadblocks`.
//!
//! Corridors, the narrow regions without a short way around, are entered one direction at a time: modules
//! `corridor_map`, `way_around`, `admission` and `corridor_entry`. Where narrow ones can pass, no plan ends in a busy
//! corridor or before it: modules `no_stopping` and `crossing`. Bodies that cannot undo their moves stop only where
//! they can turn: module `turnaround`. Each agent pays for its searches with separate credit: module `credit`. Priority
//! is the given priority plus the age of the trip, then the lower id ([`PriorityKey`](crate::PriorityKey)). Agents in
//! corridors come first, so that these empty.
//!
//! The rule is not complete: it never lets agents overlap, but there are jams that it does not resolve.

pub(crate) mod admission;
pub(crate) mod audit;
pub(crate) mod corridor_control;
pub(crate) mod corridor_entry;
pub(crate) mod corridor_map;
pub(crate) mod corridors_ahead;
pub(crate) mod credit;
pub(crate) mod crossing;
pub(crate) mod fixed;
pub(crate) mod inheritance_kind;
pub(crate) mod moves;
pub(crate) mod no_stopping;
pub(crate) mod path_cells;
pub(crate) mod plan;
pub(crate) mod plan_head;
pub(crate) mod plan_table;
pub(crate) mod planning;
pub(crate) mod prioritized;
pub(crate) mod priority_inheritance;
pub(crate) mod pushing;
pub(crate) mod reason;
pub(crate) mod reservations;
pub(crate) mod restore;
pub(crate) mod restored;
pub(crate) mod restored_plans;
pub(crate) mod retreat;
pub(crate) mod roadblocks;
pub(crate) mod save;
pub(crate) mod sipp;
pub(crate) mod soft_reservations;
pub(crate) mod state;
pub(crate) mod tick;
pub(crate) mod turnaround;
pub(crate) mod way_around;
pub(crate) mod windowed_cost_to_go;

pub use state::Cooperative;
