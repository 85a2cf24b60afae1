//! Scenario files from outside: what runs, recordings, problems and sweeps come to.
//! One program, since linking one for each file takes most of the time of a build.
//! Tests that count allocations are a separate program.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod agent_events;
mod common;
mod components;
mod corridors;
mod crowds;
mod determinism;
mod door_load;
mod edits_that_wait;
mod eight_seeds;
mod first_scenarios;
mod goto_area;
mod goto_group;
mod guide;
mod hard_cases;
mod heavy_mode;
mod hexagonal_maps;
mod host_recordings;
mod judge_commands;
mod landmarks;
mod lessons;
mod map_edits;
mod map_files;
mod move_plans;
mod obstructed_orders;
mod on_screen;
mod one_shot;
mod orders_and_events;
mod outcomes;
mod phases;
mod problems;
mod properties;
mod reasons;
mod recorded_outcomes;
mod recordings;
mod regressions;
mod roadblocks;
mod routes;
mod rows;
mod schema;
mod shared_goals;
mod single_agent_bound;
mod skirmish;
mod tasks;
mod teams;
mod traffic_scenarios;
mod unit_robots;
