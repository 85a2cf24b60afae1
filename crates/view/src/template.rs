//! Pages with marks in them.

/// A page with texts put in for the marks in it, in the order in which they stand, so that nothing that was
/// put in is looked through.
pub(crate) fn filled(page: &str, parts: &[(&str, String)]) -> String {
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
