//! Decodes the tiles of a layer: numbers as text, or bytes in base64.

use super::error::{TiledError, TiledErrorKind};
use super::source::{Source, line_breaks};
use crate::decoder_panic::catch_decoder_panic;
use crate::text_lines::excerpt;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use roxmltree::Node;
use std::borrow::Cow;
use wheelbase_grid::GridSize;

/// Bytes that are inflated at a time; a multiple of the size of a tile.
const INFLATED_BYTES: usize = 1 << 15;

/// Calls `add_tile` with each cell, row by row, and the number of its tile, including the flip bits. Keeps nothing of the
/// layer.
pub(super) fn read_layer(
    source: &Source<'_>,
    layer: Node<'_, '_>,
    size: GridSize,
    mut add_tile: impl FnMut(usize, u32) -> Result<(), TiledError>,
) -> Result<(), TiledError> {
    for (name, of_map) in [("width", size.width()), ("height", size.height())] {
        if let Some(found) = layer.attribute(name).filter(|found| found.parse() != Ok(of_map)) {
            return Err(source.bad_value(layer, name, found, format!("{of_map}, as for the map")));
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
        (Some("csv"), _) => read_csv(source, data, n_cells, add_tile),
        (Some("base64"), compression @ ("" | "zlib")) => {
            let bad = |why: String| source.error(data, TiledErrorKind::BadData(why));
            let bytes = from_base64(&text_of(data)).map_err(bad)?;
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
            match compression {
                "zlib" => inflate_to(&bytes, &mut add_bytes, |why| bad(why.to_owned()))?,
                _ => add_bytes(&bytes).map(drop)?,
            }
            if n_bytes != n_cells * 4 {
                // An incomplete tile does not count, except after the last cell.
                let found = if n_bytes > n_cells * 4 { n_cells + 1 } else { n_bytes / 4 };
                let expected = n_cells;
                return Err(source.error(data, TiledErrorKind::LayerLength { found, expected }));
            }
            Ok(())
        }
        (Some("base64"), other) => not_supported(format!("compression {:?}", excerpt(other)), formats),
        (Some(other), _) => not_supported(format!("encoding {:?}", excerpt(other)), formats),
        (None, _) => not_supported("layers in XML".to_owned(), formats),
    }
}

/// Inflates zlib data piece by piece. `take` returns whether it wants more.
fn inflate_to(
    mut bytes: &[u8],
    take: &mut impl FnMut(&[u8]) -> Result<bool, TiledError>,
    bad: impl Fn(&str) -> TiledError,
) -> Result<(), TiledError> {
    let mut state = InflateState::new_boxed(DataFormat::Zlib);
    let mut piece = vec![0; INFLATED_BYTES];
    let mut n_filled = 0;
    loop {
        let step = catch_decoder_panic(|| inflate(&mut state, bytes, &mut piece[n_filled..], MZFlush::None));
        let step = step.map_err(|panic| bad(&panic.to_string()))?;
        bytes = &bytes[step.bytes_consumed.min(bytes.len())..];
        n_filled += step.bytes_written;
        let ends = match step.status {
            Ok(status) => status == MZStatus::StreamEnd,
            Err(MZError::Buf) => return Err(bad("its deflated bytes end too early")),
            Err(_) => return Err(bad("its bytes do not inflate")),
        };
        if ends || n_filled == piece.len() {
            if !take(&piece[..n_filled])? || ends {
                return Ok(());
            }
            n_filled = 0;
        } else if step.bytes_consumed == 0 && step.bytes_written == 0 {
            return Err(bad("its deflated bytes end too early"));
        }
    }
}

/// The text of an element.
fn text_of<'d>(node: Node<'d, '_>) -> Cow<'d, str> {
    let mut texts = node.children().filter_map(|child| child.is_text().then(|| child.text()).flatten());
    let first = texts.next().unwrap_or("");
    // Several only if comments separate them.
    texts.fold(Cow::Borrowed(first), |whole, more| whole + more)
}

/// Reads numbers separated by commas.
fn read_csv(
    source: &Source<'_>,
    data: Node<'_, '_>,
    n_cells: usize,
    mut add_tile: impl FnMut(usize, u32) -> Result<(), TiledError>,
) -> Result<(), TiledError> {
    let text = text_of(data);
    let mut n_tiles = 0;
    let mut line = source.line(data);
    let too_many =
        || source.error(data, TiledErrorKind::LayerLength { found: n_cells + 1, expected: n_cells });
    for part in text.split(',') {
        let number = part.trim();
        // A comma may follow the last number.
        if number.is_empty() && n_tiles == n_cells {
            break;
        }
        if n_tiles == n_cells {
            return Err(too_many());
        }
        line +=
            part.len().checked_sub(part.trim_start().len()).map_or(0, |n| line_breaks(&part.as_bytes()[..n]));
        let tile = number.parse().map_err(|_| {
            let expected = "a whole number from 0 to 4294967295".to_owned();
            let at = format!("tile {n_tiles} of the layer");
            TiledError { line, ..source.bad_value(data, &at, number, expected) }
        })?;
        add_tile(n_tiles, tile)?;
        n_tiles += 1;
        line += line_breaks(part.trim_start().as_bytes());
    }
    if n_tiles != n_cells {
        return Err(source.error(data, TiledErrorKind::LayerLength { found: n_tiles, expected: n_cells }));
    }
    Ok(())
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
