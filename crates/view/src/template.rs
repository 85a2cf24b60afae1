//! Page templates.

/// Replaces each placeholder of a page by its text. Placeholders are listed in page order, so inserted text is never
/// searched for placeholders.
pub(crate) fn filled(page: &str, parts: &[(&str, String)]) -> String {
    let length = parts.iter().map(|(_, text)| text.len()).sum::<usize>() + page.len();
    let (mut out, mut rest) = (String::with_capacity(length), page);
    for (placeholder, text) in parts {
        let (before, after) = rest.split_once(placeholder).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(text);
        rest = after;
    }
    out.push_str(rest);
    out
}
