//! Texts of files and XML documents in them, and errors with their lines.

use super::error::{TiledError, TiledErrorKind};
use crate::decoder_panic::catch_decoder_panic;
use crate::text_lines::{excerpt, shortened};
use roxmltree::{Document, Node, ParsingOptions};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Most nodes of a document: twice the largest number of agents with their properties.
const NODES_MAX: u32 = 1 << 24;
/// Most attributes of an element: the parser compares each with all before it. Tiled writes at most two dozen.
const ATTRIBUTES_MAX: usize = 128;
/// Most namespaces of a document: the parser scans all of them, and copies them from element to element. Tiled writes
/// none.
const NAMESPACES_MAX: usize = 16;
/// Most characters of a message of the parser that an error repeats: it can contain long names.
const PARSER_CHARS_MAX: usize = 120;
/// Bytes between two offsets with a known line.
const LINE_STEP: usize = 1 << 12;

/// The text of a file.
pub(super) struct FileText<'d> {
    pub text: &'d str,
    tileset: Option<&'d str>,
    /// Line breaks before every [`LINE_STEP`]-th byte, since all objects and tiles need their line.
    breaks: Vec<u32>,
}

/// A place in a file.
#[derive(Clone, Default)]
pub(super) struct SourceLocation {
    tileset: Option<String>,
    line: u32,
}

/// A document and its file.
pub(super) struct Source<'d> {
    document: &'d Document<'d>,
    pub file: FileText<'d>,
}

/// A property of an element.
#[derive(Clone, Copy)]
pub(super) struct Property<'n, 'i> {
    pub name: &'n str,
    pub value: &'n str,
    pub type_name: &'n str,
    /// The element of the property.
    pub node: Node<'n, 'i>,
}

/// The text of a file.
pub(super) fn text<'b>(bytes: &'b [u8], tileset: Option<&str>) -> Result<&'b str, TiledError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = line_breaks(&bytes[..error.valid_up_to()]) + 1;
        TiledError { tileset: tileset.map(str::to_owned), line, kind: TiledErrorKind::NotUtf8 }
    })
}

/// Parses a text.
pub(super) fn document<'t>(text: &'t str, tileset: Option<&str>) -> Result<Document<'t>, TiledError> {
    let error = |line, kind| TiledError { tileset: tileset.map(str::to_owned), line, kind };
    check_attributes(text).map_err(|(at, what)| {
        let line = line_breaks(&text.as_bytes()[..at]) + 1;
        error(line, TiledErrorKind::NotSupported { what, instead: "what the editor writes" })
    })?;
    // Without an internal subset, which was refused, a DOCTYPE declares nothing.
    let options = ParsingOptions { nodes_limit: NODES_MAX, allow_dtd: true, ..ParsingOptions::default() };
    let parsed = catch_decoder_panic(|| Document::parse_with_options(text, options))
        .map_err(|panic| error(1, TiledErrorKind::Xml(panic.to_string())))?;
    parsed.map_err(|wrong| {
        let (line, what) = (wrong.pos().row, shortened(&wrong.to_string(), PARSER_CHARS_MAX));
        error(line, TiledErrorKind::Xml(what))
    })
}

/// Refuses documents that declare entities, or whose attributes would take the parser more than linear time. Gives the
/// byte and the reason. XML that is not well-formed can pass.
fn check_attributes(text: &str) -> Result<(), (usize, String)> {
    let mut n_namespaces = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .into_iter()
            .find_map(|(open, close)| Some(rest.strip_prefix(open)?.find(close).map(|end| open.len() + end)));
        at = match skipped {
            Some(Some(end)) => start + end,
            // Not terminated.
            Some(None) => return Ok(()),
            None => {
                let tag = TagScan::of(rest);
                if tag.has_bracket && rest.starts_with("<!DOCTYPE") {
                    return Err((start, "a DOCTYPE with declarations".to_owned()));
                }
                if tag.n_attributes > ATTRIBUTES_MAX {
                    return Err((start, format!("more than {ATTRIBUTES_MAX} attributes in an element")));
                }
                n_namespaces += tag.n_namespaces;
                if n_namespaces > NAMESPACES_MAX {
                    return Err((start, format!("more than {NAMESPACES_MAX} declarations of namespaces")));
                }
                start + tag.n_bytes
            }
        };
    }
    Ok(())
}

/// What a scan of a tag finds, short of parsing it.
struct TagScan {
    n_bytes: usize,
    n_attributes: usize,
    n_namespaces: usize,
    /// Whether a bracket opens outside quotes.
    has_bracket: bool,
}

impl TagScan {
    /// Scans the tag at the start of a text.
    fn of(text: &str) -> Self {
        let mut tag = Self { n_bytes: text.len(), n_attributes: 0, n_namespaces: 0, has_bracket: false };
        let mut quote = None;
        for (at, byte) in text.bytes().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => {
                    tag.n_attributes += 1;
                    quote = Some(byte);
                }
                (None, b'>') => {
                    tag.n_bytes = at + 1;
                    break;
                }
                (None, b'[') => tag.has_bracket = true,
                (None, _) => tag.n_namespaces += usize::from(text.as_bytes()[at..].starts_with(b"xmlns")),
            }
        }
        tag
    }
}

impl<'d> FileText<'d> {
    pub fn new(text: &'d str, tileset: Option<&'d str>) -> Self {
        let mut before = 0;
        let breaks = text.as_bytes().chunks(LINE_STEP).map(|piece| {
            let here = before;
            before += line_breaks(piece);
            here
        });
        Self { text, tileset, breaks: breaks.collect() }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> u32 {
        let piece = at / LINE_STEP;
        let known = self.breaks.get(piece).copied().unwrap_or(0);
        known + line_breaks(&self.text.as_bytes()[piece * LINE_STEP..at]) + 1
    }

    /// The place of a byte.
    pub fn location(&self, at: usize) -> SourceLocation {
        SourceLocation { tileset: self.tileset.map(str::to_owned), line: self.line(at) }
    }

    /// An error at a byte.
    pub fn error(&self, at: usize, kind: TiledErrorKind) -> TiledError {
        self.location(at).error(kind)
    }

    /// The error of an invalid value at a byte.
    pub fn bad_value(&self, at: usize, name: &str, found: &str, expected: String) -> TiledError {
        let (name, found) = (name.to_owned(), excerpt(found));
        self.error(at, TiledErrorKind::BadValue { name, found, expected })
    }
}

impl SourceLocation {
    /// An error at the place.
    pub fn error(&self, kind: TiledErrorKind) -> TiledError {
        TiledError { tileset: self.tileset.clone(), line: self.line, kind }
    }
}

impl<'d> Source<'d> {
    pub fn new(document: &'d Document<'d>, tileset: Option<&'d str>) -> Self {
        Self { document, file: FileText::new(document.input_text(), tileset) }
    }

    /// The outermost element, which must have the expected name.
    pub fn root(&self, expected: &'static str) -> Result<Node<'d, 'd>, TiledError> {
        let root = self.document.root_element();
        if root.has_tag_name(expected) {
            return Ok(root);
        }
        let found = excerpt(root.tag_name().name());
        Err(self.error(root, TiledErrorKind::Root { found, expected }))
    }

    /// An error at an element.
    pub fn error(&self, node: Node<'_, '_>, kind: TiledErrorKind) -> TiledError {
        self.file.error(node.range().start, kind)
    }

    pub fn line(&self, node: Node<'_, '_>) -> u32 {
        self.file.line(node.range().start)
    }

    /// The place of an element.
    pub fn location(&self, node: Node<'_, '_>) -> SourceLocation {
        self.file.location(node.range().start)
    }

    /// The error of an invalid value.
    pub fn bad_value(&self, node: Node<'_, '_>, name: &str, found: &str, expected: String) -> TiledError {
        self.file.bad_value(node.range().start, name, found, expected)
    }

    /// The error of a feature that this reader lacks.
    pub fn not_supported(&self, node: Node<'_, '_>, what: String, instead: &'static str) -> TiledError {
        self.error(node, TiledErrorKind::NotSupported { what, instead })
    }

    /// A required attribute.
    pub fn attribute<'n>(&self, node: Node<'n, '_>, name: &'static str) -> Result<&'n str, TiledError> {
        node.attribute(name).ok_or_else(|| {
            let element = node.tag_name().name().to_owned();
            self.error(node, TiledErrorKind::Missing { element, attribute: name })
        })
    }

    /// A required attribute with a whole number.
    pub fn whole<T: FromStr + PartialOrd + Display>(
        &self,
        node: Node<'_, '_>,
        name: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<T, TiledError> {
        let found = self.attribute(node, name)?;
        let number = found.parse().ok().filter(|number: &T| range.contains(number));
        number.ok_or_else(|| {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            self.bad_value(node, name, found, expected)
        })
    }

    /// An optional attribute with a number from `-limit` to `limit`; 0 if it is missing.
    pub fn number(&self, node: Node<'_, '_>, name: &'static str, limit: f64) -> Result<f64, TiledError> {
        let Some(found) = node.attribute(name) else { return Ok(0.0) };
        // False for NaN too.
        let number = found.parse().ok().filter(|number: &f64| number.abs() <= limit);
        number.ok_or_else(|| self.bad_value(node, name, found, format!("a number from -{limit} to {limit}")))
    }

    /// The properties of an element.
    pub fn properties_of<'n, 'i: 'n>(
        &self,
        node: Node<'n, 'i>,
    ) -> impl Iterator<Item = Property<'n, 'i>> + use<'n, 'i> {
        let lists = node.children().filter(|child| child.has_tag_name("properties"));
        let properties =
            lists.flat_map(|list| list.children().filter(|child| child.has_tag_name("property")));
        properties.filter_map(|node| {
            Some(Property {
                name: node.attribute("name")?,
                // A value of several lines is text.
                value: node.attribute("value").or_else(|| node.text()).unwrap_or(""),
                type_name: node.attribute("type").unwrap_or("string"),
                node,
            })
        })
    }

    /// Whether a layer is decoration only.
    pub fn is_decoration(&self, layer: Node<'_, '_>) -> bool {
        self.properties_of(layer).any(|property| property.name == "decoration" && property.value == "true")
    }
}

/// The line breaks of a text.
pub(super) fn line_breaks(text: &[u8]) -> u32 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u32
}
