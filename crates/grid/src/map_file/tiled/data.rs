//! The tiles of a layer: numbers as text, or bytes in base64.

use super::error::{TiledError, TiledErrorKind};
use super::source::{Source, excerpt};
use crate::GridSize;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use roxmltree::Node;
use std::borrow::Cow;

/// The numbers of a layer's tiles, one a cell, with the bits that say how they are flipped.
pub(super) fn read_layer(
    source: &Source<'_>,
    layer: Node<'_, '_>,
    size: GridSize,
) -> Result<Vec<u32>, TiledError> {
    for (name, of_map) in [("width", size.width()), ("height", size.height())] {
        if let Some(found) = layer.attribute(name).filter(|found| found.parse() != Ok(of_map)) {
            return Err(source.bad_value(layer, name, found, format!("{of_map}, as of the map")));
        }
    }
    let Some(data) = layer.children().find(|child| child.has_tag_name("data")) else {
        let kind = TiledErrorKind::BadData("there is no element \"data\"".to_owned());
        return Err(source.error(layer, kind));
    };
    let not_supported =
        |what: String, instead| Err(source.error(data, TiledErrorKind::NotSupported { what, instead }));
    if data.children().any(|child| child.has_tag_name("chunk")) {
        return not_supported("layers in chunks".to_owned(), "a map of fixed size");
    }
    let n_cells = size.n_cells();
    let formats = "Tile Layer Format \"CSV\" or \"Base64\", uncompressed or with zlib";
    match (data.attribute("encoding"), data.attribute("compression").unwrap_or("")) {
        (Some("csv"), _) => read_csv(source, data, n_cells),
        (Some("base64"), compression @ ("" | "zlib")) => {
            let bad = |why: String| source.error(data, TiledErrorKind::BadData(why));
            let mut bytes = from_base64(&text_of(data)).map_err(bad)?;
            if compression == "zlib" {
                let limit = n_cells * 4 + 1;
                bytes = decompress_to_vec_zlib_with_limit(&bytes, limit)
                    .map_err(|error| bad(error.to_string()))?;
            }
            let (found, expected) = (bytes.len().div_ceil(4), n_cells);
            if bytes.len() != expected * 4 {
                return Err(source.error(data, TiledErrorKind::LayerLength { found, expected }));
            }
            Ok(bytes
                .chunks_exact(4)
                .map(|tile| u32::from_le_bytes([tile[0], tile[1], tile[2], tile[3]]))
                .collect())
        }
        (Some("base64"), other) => not_supported(format!("compression {:?}", excerpt(other)), formats),
        (Some(other), _) => not_supported(format!("encoding {:?}", excerpt(other)), formats),
        (None, _) => not_supported("layers in XML".to_owned(), formats),
    }
}

/// All text of an element.
fn text_of<'d>(node: Node<'d, '_>) -> Cow<'d, str> {
    let mut texts = node.children().filter_map(|child| child.is_text().then(|| child.text()).flatten());
    let first = texts.next().unwrap_or("");
    // More than one only where comments lie between.
    texts.fold(Cow::Borrowed(first), |whole, more| whole + more)
}

/// Reads numbers with commas between them.
fn read_csv(source: &Source<'_>, data: Node<'_, '_>, n_cells: usize) -> Result<Vec<u32>, TiledError> {
    let text = text_of(data);
    let mut tiles = Vec::new();
    let mut line = source.line(data);
    let too_many =
        || source.error(data, TiledErrorKind::LayerLength { found: n_cells + 1, expected: n_cells });
    for part in text.split(',') {
        let number = part.trim();
        // A comma after the last is none before another.
        if number.is_empty() && tiles.len() == n_cells {
            break;
        }
        if tiles.len() == n_cells {
            return Err(too_many());
        }
        line += part.len().checked_sub(part.trim_start().len()).map_or(0, |n| newlines(&part[..n]));
        let tile = number.parse().map_err(|_| {
            let expected = "a whole number from 0 to 4294967295".to_owned();
            let at = format!("tile {} of the layer", tiles.len());
            TiledError { line, ..source.bad_value(data, &at, number, expected) }
        })?;
        tiles.push(tile);
        line += newlines(part.trim_start());
    }
    if tiles.len() != n_cells {
        return Err(source.error(data, TiledErrorKind::LayerLength { found: tiles.len(), expected: n_cells }));
    }
    Ok(tiles)
}

fn newlines(text: &str) -> u32 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u32
}

/// The bytes that a text stands for in base64 (RFC 4648), blanks and lines apart, or what is wrong with it.
fn from_base64(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut n_digits, mut padding) = (0_u32, 0_usize, 0_usize);
    for letter in text.chars().filter(|letter| !letter.is_ascii_whitespace()) {
        let digit = match letter {
            'A'..='Z' => letter as u32 - 'A' as u32,
            'a'..='z' => letter as u32 - 'a' as u32 + 26,
            '0'..='9' => letter as u32 - '0' as u32 + 52,
            '+' => 62,
            '/' => 63,
            '=' => 0,
            other => return Err(format!("{other:?} is no digit of base64")),
        };
        padding += usize::from(letter == '=');
        if padding > 0 && letter != '=' {
            return Err("there are digits of base64 after its end".to_owned());
        }
        bits = bits << 6 | digit;
        n_digits += 1;
        if n_digits.is_multiple_of(4) {
            bytes.extend(&bits.to_be_bytes()[1..]);
        }
    }
    if !n_digits.is_multiple_of(4) || padding > 2 {
        return Err(format!("{n_digits} digits of base64, expected a multiple of 4"));
    }
    bytes.truncate(bytes.len() - padding);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (text, bytes) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm 9v\n", "foo"), ("Zm9vYmFy", "foobar")]
        {
            assert_eq!(from_base64(text).unwrap(), bytes.as_bytes());
        }
        assert_eq!(from_base64("//79").unwrap(), [0xff, 0xfe, 0xfd]);
        for wrong in ["Z", "Zm9", "Z===", "Zg==Zg==", "Zm9_", "===="] {
            assert!(from_base64(wrong).is_err(), "{wrong}");
        }
    }
}
