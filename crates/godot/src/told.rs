//! How a mistake of a script is told: an error in the engine's log that names the object, the method and the mistake.

use godot::prelude::*;
use std::cell::RefCell;

/// The last mistake of an object.
#[derive(Debug, Default)]
pub(crate) struct Told(RefCell<String>);

impl Told {
    /// The value; or `None`, with the mistake in the log.
    pub(crate) fn told<T>(&self, place: &str, method: &str, result: Result<T, String>) -> Option<T> {
        result.map_err(|mistake| self.push(format!("{place}.{method}: {mistake}"))).ok()
    }

    fn push(&self, message: String) {
        godot::global::push_error(&[message.to_variant()]);
        self.0.replace(message);
    }

    /// The last message; empty if there was none.
    pub(crate) fn last(&self) -> GString {
        GString::from(self.0.borrow().as_str())
    }
}

/// The path of a node in the tree, or its class outside of it.
pub(crate) fn place_of(node: &Node) -> String {
    if node.is_inside_tree() { node.get_path().to_string() } else { node.get_class().to_string() }
}

/// The content of a file, in the project or outside of it.
pub(crate) fn read_file(path: &GString) -> Result<Vec<u8>, String> {
    use godot::classes::FileAccess;
    if !FileAccess::file_exists(path) {
        return Err(format!("{path}: no such file"));
    }
    Ok(FileAccess::get_file_as_bytes(path).to_vec())
}

/// An integer of a script, in the range of a type.
pub(crate) fn integer<T: TryFrom<i64>>(name: &str, value: i64, range: &str) -> Result<T, String> {
    T::try_from(value).map_err(|_| format!("{name} is {value}, expected {range}"))
}
