//! The JSON schema of scenarios and class files, for editors.

/// JSON schema (draft 7) of scenarios and class files: keys, types, ranges, and what each key means. What a schema
/// cannot say, such as that a class is defined, only [`parse`](super::parse) and loading find. Held by
/// `crates/scenario/tests/schema.rs`.
pub const SCHEMA: &str = include_str!("schema.json");
