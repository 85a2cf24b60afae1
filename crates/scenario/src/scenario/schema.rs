//! The JSON schema of scenarios and class files, for editors.

/// JSON schema (draft 7) of scenarios and class files: keys, types, ranges, and what each key means. What a schema
/// cannot say, such as that a class is defined, only [`parse`](super::parse) and loading find. Held by
/// `crates/scenario/tests/schema.rs`.
pub const SCHEMA: &str = include_str!("schema.json");

#[cfg(test)]
mod tests {
    use super::SCHEMA;
    use crate::scenario::advice::HOMES;
    use serde_json::Value;

    /// A text says that a key belongs to some table: one table has it.
    #[test]
    fn keys_belong_where_the_advice_says() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let tables = schema["definitions"].as_object().unwrap().values().chain([&schema]);
        let tables: Vec<&Value> = tables.map(|table| &table["properties"]).collect();
        for (keys, home) in HOMES {
            let has_all = |table: &&Value| keys.iter().all(|key| table.get(key).is_some());
            assert!(tables.iter().any(has_all), "{keys:?}: {home}");
        }
    }
}
