//! The rule for teams of unit robots: enhanced priority inheritance with backtracking, and neighbourhood search.
//!
//! A unit robot covers one cell, has four headings, and steps forward or turns in one tick. It always has an
//! operation, a string of `DEPTH` actions, whose cells are reserved tick by tick and never conflict. A tick goes
//! through these phases:
//!
//! 1. On a map too full for all robots, only as many as it carries pursue their goals: module `crowd`.
//! 2. Each goal has a field of costs-to-go, computed backward towards its robot (A*, as the abstract distances of
//!    Silver 2005 are): module `unit_fields`. Steps against the flow of robots, and out of cells in which robots
//!    wait, cost more (Guided PIBT, Chen et al. 2024): module `guidance`.
//! 3. Robots take turns, those nearest to their goals first, and look for the operation that leads nearest. A robot
//!    that is in the way and comes later inherits the priority: it yields and looks for another operation. If the last
//!    of such a chain finds none, the chain is undone. That is EPIBT (Yukhnevich and Andreychuk 2025,
//!    <https://arxiv.org/abs/2511.09193>), which extends PIBT (Okumura et al. 2019) from one action to several. A few
//!    of the robots that have waited longest go before all others for a while, so that none starves. Such a robot, if
//!    blocked, pushes a string of robots towards an empty cell: module `push`.
//! 4. The remaining budget goes into large neighbourhood search (as in MAPF-LNS, Li et al. 2021). Robots drawn at
//!    random may make any others yield if the weighted sum of all costs does not grow.
//!
//! Then only the first action of each operation is carried out; the rest stays reserved for the next tick.
//!
//! The rule knows no teams: all robots yield to each other, whoever their friends are. A robot on hold rests, and so
//! does a robot with a speed factor below 1000, for which a tick is too short. They never yield. Factors above
//! 1000 count as 1000.

mod crowd;
mod guidance;
mod operations;
mod planning;
mod push;
mod reason;
mod restore;
mod robot_reservations;
mod save;
mod state;
mod team;
mod unit_fields;
mod unit_map;

pub use state::UnitRobots;
