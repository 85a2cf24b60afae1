//! Apps without a window: everything that games rely on.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod change_detection;
mod common;
mod documents;
mod drawing;
mod entities;
mod map;
mod net;
mod off_map;
mod picking;
