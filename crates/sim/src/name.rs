//! Names of agents.

use serde::{Deserialize, Serialize};

/// Name of an agent, where the scenario gives one. A component of its entity; no part of the state, and in no hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Name(pub Box<str>);
