//! The C interface of Wheelbase. Its documentation is the header, `include/wheelbase.h`, and `docs/c.md`.
//!
//! Each function is thin: it makes values of Rust from its arguments, calls one function of the libraries, and writes
//! down what comes back. Nothing is implemented here that the libraries have.

#![warn(unsafe_op_in_unsafe_fn)]

mod status;

mod handle;

mod call;

mod arguments;

mod value;

mod error;

mod names;

mod map;

mod class;

mod tables;

mod plan;

mod field;

mod queue;

mod row;

mod world;

mod order;

mod setup;

mod command;

mod question;

mod recording;

#[cfg(target_arch = "wasm32")]
mod wasm;

pub use class::*;
pub use command::*;
pub use error::{wb_abi_version, wb_last_error, wb_status_name};
pub use field::*;
pub use map::*;
pub use order::*;
pub use plan::*;
pub use question::*;
pub use queue::*;
pub use recording::*;
pub use row::*;
pub use setup::*;
pub use status::*;
pub use tables::*;
pub use value::*;
pub use world::*;
