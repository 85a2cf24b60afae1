//! Worlds from outside: commands, snapshots, rules of others, floods of requests.
//! One program, since linking one for each file takes most of the time of a build.
//! Tests that count allocations are separate programs.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod added_class;
mod broken_world;
mod buildings;
mod commands;
mod common;
mod event_details;
mod examples_run;
mod follow;
mod forged_snapshots;
mod formation;
mod greedy;
mod group_again;
mod idle_base;
mod landmarks_after_edits;
mod lockstep;
mod off_map;
mod outside_rule;
mod random_commands;
mod rts;
mod unreachable_flood;
mod would_disturb;
