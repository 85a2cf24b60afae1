//! The schema for editors agrees with the reader: it accepts every scenario of the repository, and no key that the
//! reader refuses. `guide.rs` holds its keys and texts.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use wheelbase_scenario::scenario::{SCHEMA, parse, parse_class_file};

/// The compiled schema.
struct Schema(Schemas, SchemaIndex);

impl Schema {
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let name = "http://localhost/scenario.json";
        compiler.add_resource(name, serde_json::from_str(SCHEMA).unwrap()).unwrap();
        let index = compiler.compile(name, &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        Self(schemas, index)
    }

    /// Why a document is not valid; `None` if it is.
    fn refusal(&self, document: &Value) -> Option<String> {
        self.0.validate(document, self.1).err().map(|error| format!("{error:#}"))
    }

    fn refuses_text(&self, text: &str) -> bool {
        self.refusal(&toml::from_str(text).unwrap()).is_some()
    }
}

/// The TOML files of a folder and the folders in it.
fn toml_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            toml_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
}

fn scenarios() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    toml_files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios")), &mut files);
    files.sort();
    let read = |file: PathBuf| std::fs::read_to_string(&file).map(|text| (file, text)).unwrap();
    files.into_iter().map(read).collect()
}

/// The JSON pointers of all tables in a document.
fn tables(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            found.push(pointer.to_owned());
            for (key, value) in entries {
                let key = key.replace('~', "~0").replace('/', "~1");
                tables(value, &format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(items) => {
            // Alike in the large files: the first ones do.
            for (item_idx, item) in items.iter().enumerate().take(3) {
                tables(item, &format!("{pointer}/{item_idx}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn every_scenario_of_the_repository_is_valid() {
    let schema = Schema::new();
    let scenarios = scenarios();
    assert!(scenarios.len() > 30, "{}", scenarios.len());
    for (file, text) in scenarios {
        let refusal = schema.refusal(&toml::from_str(&text).unwrap());
        assert_eq!(refusal, None, "{}", file.display());
    }
}

#[test]
fn no_table_may_have_an_unknown_key() {
    let schema = Schema::new();
    for (file, text) in scenarios().into_iter().filter(|(_, text)| text.len() < 20_000) {
        let document: Value = toml::from_str(&text).unwrap();
        let mut places = Vec::new();
        tables(&document, "", &mut places);
        for place in places {
            let mut wrong = document.clone();
            // Where any name may stand, this is no value for it.
            wrong.pointer_mut(&place).unwrap()["not a key"] = json!(true);
            assert!(schema.refusal(&wrong).is_some(), "{}: {place}", file.display());
        }
    }
}

/// A small scenario with every kind of value.
const SMALL: &str = r#"name = "small"
ticks = 9
[map]
rows = ["...."]
[class.cart]
headings = 4
moves = [{ name = "forward", by = [1, 0], time = 2 }]
[[agents]]
class = "cart"
at = [1, 0, "E"]
orders = [{ goto = [2, 0], within = 1 }]
[[events]]
tick = 3
set_side = { cell = [1, 0], side = "N", kind = "wall" }
"#;

#[test]
fn schema_and_reader_refuse_the_same() {
    let schema = Schema::new();
    assert!(!schema.refuses_text(SMALL) && parse("small.toml", SMALL.as_bytes()).is_ok());
    for (piece, wrong) in [
        ("ticks = 9", "ticks = 0"),
        ("ticks = 9", "ticks = 9.5"),
        ("ticks = 9\n", ""),
        ("name = \"small\"", "name = 4"),
        ("rows = [\"....\"]", "rows = []"),
        ("rows = [\"....\"]", "rows = [\"....\"]\nfile = \"a.map\""),
        ("rows = [\"....\"]", "shape = \"square\""),
        ("headings = 4", "headings = 3"),
        ("headings = 4", "headings = 4\nsweep = \"half\""),
        ("headings = 4", "headings = 4\nspeed = { ground = 65536 }"),
        ("by = [1, 0], ", "by = [256, 0], "),
        ("by = [1, 0], ", ""),
        (", time = 2", ""),
        ("at = [1, 0, \"E\"]", "at = [1]"),
        ("at = [1, 0, \"E\"]", "at = { x = 1 }"),
        ("class = \"cart\"\n", ""),
        ("orders = [{", "orders = [{ wait = 3,"),
        ("goto = [2, 0], within = 1", "follow = \"a\""),
        ("goto = [2, 0], within = 1", "stop = false"),
        ("tick = 3", "tick = -1"),
        ("side = \"N\"", "side = \"north\""),
        ("cell = [1, 0]", "cell = [1, 0, 0]"),
    ] {
        assert_eq!(SMALL.matches(piece).count(), 1, "{piece}");
        let text = SMALL.replace(piece, wrong);
        assert!(parse("small.toml", text.as_bytes()).is_err(), "the reader: {wrong}");
        assert!(schema.refuses_text(&text), "the schema: {wrong}");
    }
}

#[test]
fn a_class_file_is_valid_alone() {
    let schema = Schema::new();
    let class = "[class.cart]\nheadings = 1\nmoves = [{ name = \"east\", by = [1, 0], time = 2 }]\n";
    assert!(!schema.refuses_text(class) && parse_class_file("cart.toml", class.as_bytes()).is_ok());
    let both = format!("ticks = 3\n{class}");
    assert!(schema.refuses_text(&both) && parse_class_file("cart.toml", both.as_bytes()).is_err());
    assert!(schema.refuses_text("[terrain.mud]\nspeed = 5\n"));
}
