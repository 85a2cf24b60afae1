//! The page that plays a run: `page.html` with its style, its script and the run put in.

use crate::render::film::Film;
use crate::render::pack::pack;
use crate::safe_text::markup;
use miniz_oxide::deflate::compress_to_vec_zlib;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The script: its parts, one behind the other.
const SCRIPT: &str = concat!(
    include_str!("page/run.js"),
    include_str!("page/lattice.js"),
    include_str!("page/body.js"),
    include_str!("page/film.js"),
    include_str!("page/ground.js"),
    include_str!("page/paths.js"),
    include_str!("page/view.js"),
    include_str!("page/plot.js"),
    include_str!("page/player.js"),
);

/// Level of deflate: the page is written once and may be sent often.
const DEFLATE_LEVEL: u8 = 9;

/// The page of a film: one file that needs nothing beside it. Linear in the film.
pub fn page(film: &Film) -> String {
    let run = base64(&compress_to_vec_zlib(&pack(film), DEFLATE_LEVEL));
    // In the order in which they stand.
    let parts = [
        ("{{title}}", markup(&film.header.name)),
        ("{{style}}", STYLE.to_owned()),
        ("{{run}}", run),
        ("{{script}}", SCRIPT.to_owned()),
    ];
    filled(PAGE, &parts)
}

/// A page with texts put in for the marks in it, in the order in which they stand, so that nothing that was
/// put in is looked through.
pub fn filled(page: &str, parts: &[(&str, String)]) -> String {
    let length = parts.iter().map(|(_, text)| text.len()).sum::<usize>() + page.len();
    let (mut out, mut rest) = (String::with_capacity(length), page);
    for (mark, text) in parts {
        let (before, behind) = rest.split_once(mark).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(text);
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Bytes as base64 (RFC 4648), padded.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let there = digit <= three.len();
            let index = bits >> (18 - 6 * digit) & 63;
            text.push(if there { char::from(DIGITS[index as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (len, expected) in expected.iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..len]), *expected);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn the_page_has_a_place_for_each_part_in_order() {
        let at = |mark| PAGE.match_indices(mark).map(|(at, _)| at).collect::<Vec<_>>();
        let places = ["{{title}}", "{{style}}", "{{run}}", "{{script}}"].map(at);
        assert!(places.iter().all(|places| places.len() == 1));
        assert!(places.is_sorted());
        // A script that held its own end would end there.
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
