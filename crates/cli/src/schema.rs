//! `wheelbase schema`: the JSON schema of scenarios and class files.

use crate::failure::{Exit, Failure};
use std::io::{self, Write};
use wheelbase_scenario::scenario::SCHEMA;

pub fn run() -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    out.write_all(SCHEMA.as_bytes())?;
    out.flush()?;
    Ok(Exit::Done)
}
