//! Decodes the tiles of a layer or of a chunk of one: numbers as text, elements, or bytes in base64.

use super::error::{TiledError, TiledErrorKind};
use super::inflate::Compression;
use super::source::{Source, line_breaks};
use crate::text_lines::excerpt;
use roxmltree::Node;
use std::borrow::Cow;

/// How the tiles of a layer are written.
#[derive(Clone, Copy)]
pub(super) enum TileForm {
    /// An element each.
    Elements,
    /// Numbers with commas between them.
    Csv,
    /// Numbers of four bytes.
    Base64(Compression),
}

impl TileForm {
    /// The form of a layer, by its element `data`.
    pub fn of(source: &Source<'_>, data: Node<'_, '_>) -> Result<Self, TiledError> {
        let not_supported = |what: &str, name: &str| {
            let instead = "Tile Layer Format \"CSV\" or \"Base64\", uncompressed or with zlib, gzip or zstd";
            source.not_supported(data, format!("{what} {:?}", excerpt(name)), instead)
        };
        match data.attribute("encoding") {
            None => Ok(Self::Elements),
            Some("csv") => Ok(Self::Csv),
            Some("base64") => {
                let name = data.attribute("compression").unwrap_or("");
                let compression = Compression::from_name(name);
                compression.map(Self::Base64).ok_or_else(|| not_supported("compression", name))
            }
            Some(other) => Err(not_supported("encoding", other)),
        }
    }

    /// Calls `add_tile` with the place of each tile, row by row, and its number, including the flip bits. `node` is the
    /// element `data`, or a chunk in it. Keeps nothing of the tiles.
    pub fn read(
        self,
        source: &Source<'_>,
        node: Node<'_, '_>,
        n_cells: usize,
        mut add_tile: impl FnMut(usize, u32) -> Result<(), TiledError>,
    ) -> Result<(), TiledError> {
        match self {
            Self::Elements => read_elements(source, node, n_cells, add_tile),
            Self::Csv => read_csv(source, node, n_cells, add_tile),
            Self::Base64(compression) => {
                let bad = |why: String| source.error(node, TiledErrorKind::BadData(why));
                let bytes = from_base64(&text_of(node)).map_err(bad)?;
                let mut n_bytes = 0;
                let mut add_bytes = |bytes: &[u8]| {
                    for tile in bytes.chunks(4) {
                        let cell = n_bytes / 4;
                        n_bytes += tile.len();
                        if cell == n_cells {
                            break;
                        }
                        if let Ok(tile) = tile.try_into() {
                            add_tile(cell, u32::from_le_bytes(tile))?;
                        }
                    }
                    Ok(n_bytes <= n_cells * 4)
                };
                compression.decompress(&bytes, n_cells * 4, &mut add_bytes, |why| bad(why.to_owned()))?;
                // An incomplete tile does not count, except after the last cell.
                let n_tiles = if n_bytes > n_cells * 4 { n_cells + 1 } else { n_bytes / 4 };
                check_length(source, node, n_tiles, n_cells)
            }
        }
    }
}

/// Refuses too few or too many tiles; one more than expected stands for any more.
fn check_length(
    source: &Source<'_>,
    node: Node<'_, '_>,
    found: usize,
    expected: usize,
) -> Result<(), TiledError> {
    match found == expected {
        true => Ok(()),
        false => Err(source.error(node, TiledErrorKind::LayerLength { found, expected })),
    }
}

/// The text of an element.
pub(super) fn text_of<'d>(node: Node<'d, '_>) -> Cow<'d, str> {
    let mut texts = node.children().filter_map(|child| child.is_text().then(|| child.text()).flatten());
    let first = texts.next().unwrap_or("");
    // Several only if comments separate them.
    texts.fold(Cow::Borrowed(first), |whole, more| whole + more)
}

/// Reads elements `tile`, each with the attribute `gid` unless it is empty.
fn read_elements(
    source: &Source<'_>,
    node: Node<'_, '_>,
    n_cells: usize,
    mut add_tile: impl FnMut(usize, u32) -> Result<(), TiledError>,
) -> Result<(), TiledError> {
    let mut n_tiles = 0;
    for tile in node.children().filter(|child| child.has_tag_name("tile")) {
        if n_tiles == n_cells {
            n_tiles += 1;
            break;
        }
        let number = match tile.attribute("gid") {
            Some(_) => source.whole(tile, "gid", 0..=u32::MAX)?,
            None => 0,
        };
        add_tile(n_tiles, number)?;
        n_tiles += 1;
    }
    check_length(source, node, n_tiles, n_cells)
}

/// Reads numbers separated by commas.
fn read_csv(
    source: &Source<'_>,
    node: Node<'_, '_>,
    n_cells: usize,
    mut add_tile: impl FnMut(usize, u32) -> Result<(), TiledError>,
) -> Result<(), TiledError> {
    let text = text_of(node);
    let mut n_tiles = 0;
    let mut line = source.line(node);
    for part in text.split(',') {
        let number = part.trim();
        // A comma may follow the last number.
        if number.is_empty() && n_tiles == n_cells {
            break;
        }
        if n_tiles == n_cells {
            n_tiles += 1;
            break;
        }
        line +=
            part.len().checked_sub(part.trim_start().len()).map_or(0, |n| line_breaks(&part.as_bytes()[..n]));
        let tile = number.parse().map_err(|_| {
            let expected = "a whole number from 0 to 4294967295".to_owned();
            let at = format!("tile {n_tiles} of the layer");
            TiledError { line, ..source.bad_value(node, &at, number, expected) }
        })?;
        add_tile(n_tiles, tile)?;
        n_tiles += 1;
        line += line_breaks(part.trim_start().as_bytes());
    }
    check_length(source, node, n_tiles, n_cells)
}

/// Decodes base64 (RFC 4648) with white space in it. The error is a message.
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
            other => return Err(format!("{other:?} is not a base64 digit")),
        };
        padding += usize::from(letter == '=');
        if padding > 0 && letter != '=' {
            return Err("there are base64 digits after its padding".to_owned());
        }
        bits = bits << 6 | digit;
        n_digits += 1;
        if n_digits.is_multiple_of(4) {
            bytes.extend(&bits.to_be_bytes()[1..]);
        }
    }
    if !n_digits.is_multiple_of(4) || padding > 2 {
        return Err(format!("{n_digits} base64 digits, expected a multiple of 4"));
    }
    bytes.truncate(bytes.len() - padding);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_in_the_rfc() {
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
