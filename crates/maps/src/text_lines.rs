//! Lines of text files, and excerpts of them for errors.

/// Most characters of a text that an error repeats: a file of another kind can be one endless line.
pub(crate) const EXCERPT_CHARS_MAX: usize = 40;

/// The lines of a text, without their LF or CRLF. Unlike `str::lines`, it strips the CR of a last line without LF too.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a str,
    /// Lines read so far: the number of the last one.
    pub(crate) n_read: usize,
}

impl<'a> Lines<'a> {
    /// The lines of a file, without its byte-order mark. If it is not UTF-8 text, line and column, from 1, of the first
    /// invalid byte.
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Self, (usize, usize)> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let rest = std::str::from_utf8(bytes).map_err(|_| {
            let before = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
        })?;
        Ok(Self { rest, n_read: 0 })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.n_read += 1;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// Whether the lines of a file end in CR alone, as old programs write them.
pub(crate) fn end_in_cr_alone(bytes: &[u8]) -> bool {
    bytes.contains(&b'\r') && !bytes.contains(&b'\n')
}

/// The start of a text, for an error.
pub(crate) fn excerpt(text: &str) -> String {
    shortened(text, EXCERPT_CHARS_MAX)
}

/// The first `chars_max` characters of a text.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
