//! Worlds through the C interface: each test calls the functions that C calls.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../../sim/tests/common/mod.rs"]
mod common;

mod arguments;
mod calls;
mod commands;
mod lockstep;
mod questions;
mod random_calls;
mod recordings;
mod rows;
mod scenes;
mod setups;
