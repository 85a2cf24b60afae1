//! Maps from outside: generated, of MovingAI, of Tiled.
//! One program, since linking one for each file takes most of the time of a build.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod generated_maps;
mod movingai_shared;
mod tiled_files;
mod tiled_maps;
