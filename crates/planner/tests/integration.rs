//! The planner from outside: against slow references, published lengths and forged bytes.
//! One program, since linking one for each file takes most of the time of a build.
//! Tests that count allocations are a separate program, and so are tests of `.ci/features` without rayon.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "all of it is for tests")]

mod abstraction;
mod check_moves;
mod common;
mod connections;
mod cost_fields;
mod distances;
mod embed_runs;
mod equal_to_fresh;
mod equal_to_reference;
mod goal_area;
mod graphs;
mod landmarks;
mod large_bodies;
mod movingai_shared;
mod replan;
mod saved_fields;
mod saved_search;
mod saved_tables;
mod shared_tables;
mod statuses;
mod swept_cells;
mod ties;
