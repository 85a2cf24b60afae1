//! The program from outside, and what holds documents, layers and public interface to the code.
//! One program, since linking one for each file takes most of the time of a build.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "all of it is for tests")]

mod bad_input;
mod bench;
mod check;
mod common;
mod distances;
mod documents;
mod first_ten_minutes;
mod heavy_process;
mod layers;
mod lessons;
mod manual;
mod messages;
mod move_plans;
mod one_shot;
mod outputs;
mod pictures;
mod plan;
mod plan_pictures;
mod problem;
mod public_api;
mod recording;
mod render;
mod report;
mod run;
mod show;
mod snapshots;
mod source;
mod sweep;
