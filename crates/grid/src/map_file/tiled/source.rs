//! An XML document, and mistakes in it with their lines.

use super::error::{TiledError, TiledErrorKind};
use roxmltree::{Document, Node, ParsingOptions};
use std::ops::RangeInclusive;

/// Most nodes of a document: more than twice the agents there may be, with their properties.
const NODES_MAX: u32 = 1 << 24;
/// Most characters of a value that an error repeats.
const EXCERPT_CHARS_MAX: usize = 40;

/// A document and the file it is from.
pub(super) struct Source<'d> {
    document: &'d Document<'d>,
    tileset: Option<&'d str>,
}

/// The text of a file.
pub(super) fn text<'b>(bytes: &'b [u8], tileset: Option<&str>) -> Result<&'b str, TiledError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
        TiledError { tileset: tileset.map(str::to_owned), line, kind: TiledErrorKind::NotUtf8 }
    })
}

/// The elements of a text.
pub(super) fn document<'t>(text: &'t str, tileset: Option<&str>) -> Result<Document<'t>, TiledError> {
    let options = ParsingOptions { nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| TiledError {
        tileset: tileset.map(str::to_owned),
        line: error.pos().row,
        kind: TiledErrorKind::Xml(error.to_string()),
    })
}

impl<'d> Source<'d> {
    pub fn new(document: &'d Document<'d>, tileset: Option<&'d str>) -> Self {
        Self { document, tileset }
    }

    /// The outermost element, which must have that name.
    pub fn root(&self, expected: &'static str) -> Result<Node<'d, 'd>, TiledError> {
        let root = self.document.root_element();
        if root.has_tag_name(expected) {
            return Ok(root);
        }
        let found = excerpt(root.tag_name().name());
        Err(self.error(root, TiledErrorKind::Root { found, expected }))
    }

    /// A mistake at an element.
    pub fn error(&self, node: Node<'_, '_>, kind: TiledErrorKind) -> TiledError {
        TiledError { tileset: self.tileset.map(str::to_owned), line: self.line(node), kind }
    }

    pub fn line(&self, node: Node<'_, '_>) -> u32 {
        self.document.text_pos_at(node.range().start).row
    }

    /// A value that is not what it should be.
    pub fn bad_value(&self, node: Node<'_, '_>, name: &str, found: &str, expected: String) -> TiledError {
        let (name, found) = (name.to_owned(), excerpt(found));
        self.error(node, TiledErrorKind::BadValue { name, found, expected })
    }

    /// An attribute that must be there.
    pub fn attribute<'n>(&self, node: Node<'n, '_>, name: &'static str) -> Result<&'n str, TiledError> {
        node.attribute(name).ok_or_else(|| {
            let element = node.tag_name().name().to_owned();
            self.error(node, TiledErrorKind::Missing { element, attribute: name })
        })
    }

    /// An attribute that must be a whole number.
    pub fn whole(
        &self,
        node: Node<'_, '_>,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<u64, TiledError> {
        let found = self.attribute(node, name)?;
        let number = found.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            self.bad_value(node, name, found, expected)
        })
    }

    /// An attribute that is a number, 0 if it is not there, at most `limit` from 0.
    pub fn number(&self, node: Node<'_, '_>, name: &'static str, limit: f64) -> Result<f64, TiledError> {
        let Some(found) = node.attribute(name) else { return Ok(0.0) };
        // Also false for a NaN.
        let number = found.parse().ok().filter(|number: &f64| number.abs() <= limit);
        number.ok_or_else(|| self.bad_value(node, name, found, format!("a number from -{limit} to {limit}")))
    }

    /// The properties of an element: name, value, type and element of each.
    pub fn properties_of<'n, 'i: 'n>(
        &self,
        node: Node<'n, 'i>,
    ) -> impl Iterator<Item = (&'n str, &'n str, &'n str, Node<'n, 'i>)> + use<'n, 'i> {
        let lists = node.children().filter(|child| child.has_tag_name("properties"));
        let properties =
            lists.flat_map(|list| list.children().filter(|child| child.has_tag_name("property")));
        properties.filter_map(|property| {
            // A value of several lines stands as text.
            let value = property.attribute("value").or_else(|| property.text()).unwrap_or("");
            Some((
                property.attribute("name")?,
                value,
                property.attribute("type").unwrap_or("string"),
                property,
            ))
        })
    }

    /// Whether a layer is there to be seen alone.
    pub fn is_decoration(&self, layer: Node<'_, '_>) -> bool {
        self.properties_of(layer).any(|(name, value, ..)| name == "decoration" && value == "true")
    }
}

/// The start of a text that may be long.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
