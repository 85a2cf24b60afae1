//! Worlds in which a step has panicked, and the data kept to run to that panic again.

use crate::command_queue::GivenCommand;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::error::Error;
use std::fmt;

/// Why a world can step no further: code inside a step panicked, so that the tick was left half done. Such a world says
/// its tick and its report. Any other call that returns an error returns this one, and
/// [`World::step`](crate::World::step) panics with it. A command has no effect. Everything else shows what the panic
/// left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    tick: u32,
    message: String,
}

impl Broken {
    /// What a panic came with.
    pub(crate) fn of_panic(tick: u32, payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self { tick, message: text.unwrap_or("no message").to_owned() }
    }

    /// The tick in which it happened: the number of whole ticks.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The message of the panic.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, message } = self;
        write!(f, "the world is broken: its step of tick {tick} panicked: {message}")
    }
}

impl Error for Broken {}

/// What a crash report is made of: a snapshot, and each command given since, with the tick that came next.
#[derive(Debug)]
pub(crate) struct ReportBase {
    pub snapshot: Vec<u8>,
    pub given: Vec<(u32, GivenCommand)>,
}
