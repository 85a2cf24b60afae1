//! Escapes untrusted text for each output: terminal, JSON, HTML and SVG.
//!
//! Names and paths from files may hold any character. Some control the terminal, reverse the direction of the
//! surrounding text, or make a document malformed.

use std::io::{self, Write};
use std::path::Path;

/// Whether a character must be escaped. These are control characters (C0, C1, delete), bidirectional controls, line and
/// paragraph separators, and noncharacters (such as U+FFFE, which XML cannot contain).
fn is_unsafe(letter: char) -> bool {
    let is_bidi_control = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_noncharacter = matches!(letter, '\u{fdd0}'..='\u{fdef}') || letter as u32 & 0xfffe == 0xfffe;
    letter.is_control() || is_bidi_control || is_noncharacter || matches!(letter, '\u{2028}' | '\u{2029}')
}

/// A name within a line of text for people. Unsafe characters, newlines included, are escaped as in `\u{1b}`.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_unsafe(letter) {
            true => out.extend(letter.escape_unicode()),
            false => out.push(letter),
        }
    }
    out
}

/// A path within a line of text for people; escaped as by [`line()`].
pub fn path(path: &Path) -> String {
    line(&path.to_string_lossy())
}

/// Text for HTML and SVG, between tags or in double-quoted attributes.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ if is_unsafe(letter) => out.extend(letter.escape_unicode()),
            _ => out.push(letter),
        }
    }
    out
}

/// How unsafe characters are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// As `\u{1b}`; newlines and tabs pass through.
    People,
    /// As a JSON escape. Outside JSON strings, white space is the only unsafe text.
    Json,
}

/// A writer that escapes the text passing through it. Each write must contain whole characters, as writes of `write!`
/// and `serde_json` do; invalid UTF-8 becomes U+FFFD.
#[derive(Debug)]
pub struct SafeText<W> {
    out: W,
    style: Style,
}

impl<W: Write> SafeText<W> {
    /// For text that people read on a terminal.
    pub fn for_people(out: W) -> Self {
        Self { out, style: Style::People }
    }

    /// For lines of JSON.
    pub fn json(out: W) -> Self {
        Self { out, style: Style::Json }
    }

    fn write_escaped(&mut self, letter: char) -> io::Result<()> {
        match self.style {
            Style::People => write!(self.out, "{}", letter.escape_unicode()),
            Style::Json if letter.is_ascii_whitespace() => self.out.write_all(b" "),
            Style::Json => {
                let mut units = [0; 2];
                letter.encode_utf16(&mut units).iter().try_for_each(|unit| write!(self.out, "\\u{unit:04x}"))
            }
        }
    }
}

impl<W: Write> Write for SafeText<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !bytes.iter().any(|&byte| may_begin_unsafe(byte)) {
            return self.out.write_all(bytes);
        }
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            let mut written = 0;
            for (at, letter) in text.char_indices() {
                if is_unsafe(letter) && !matches!(letter, '\n' | '\t') {
                    self.out.write_all(&text.as_bytes()[written..at])?;
                    self.write_escaped(letter)?;
                    written = at + letter.len_utf8();
                }
            }
            self.out.write_all(&text.as_bytes()[written..])?;
            if !chunk.invalid().is_empty() {
                self.out.write_all("\u{fffd}".as_bytes())?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether a byte can begin an unsafe character or invalid UTF-8. Most text has no such byte, and skips decoding.
fn may_begin_unsafe(byte: u8) -> bool {
    !matches!(byte, b'\n' | b'\t' | 0x20..=0x7e)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "a\u{1b}[31m\u{7}\u{9b}\u{7f}\u{202e}\u{2028}\u{fffe}\u{1ffff}\r\n\t<é>\"";

    fn written(through: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        through(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_output_escapes_unsafe_characters() {
        let people = written(|out| write!(SafeText::for_people(out), "{NAME}").unwrap());
        assert_eq!(
            people,
            "a\\u{1b}[31m\\u{7}\\u{9b}\\u{7f}\\u{202e}\\u{2028}\\u{fffe}\\u{1ffff}\\u{d}\n\t<é>\""
        );
        // A name must not end a line.
        assert_eq!(line(NAME), people.replace('\n', "\\u{a}").replace('\t', "\\u{9}"));
        let json = written(|out| serde_json::to_writer(SafeText::json(out), NAME).unwrap());
        assert!(!json.chars().any(is_unsafe), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), NAME);
        let xml = format!("<a b=\"{0}\">{0}</a>", markup(NAME));
        let document = roxmltree::Document::parse(&xml).unwrap();
        assert_eq!(document.root_element().text(), Some(line(NAME).as_str()));
        assert_eq!(document.root_element().attribute("b"), Some(line(NAME).as_str()));
    }

    #[test]
    fn safe_text_is_unchanged() {
        let text = "plain, ünïcödé, 日本語, \u{1f980}, 'quoted'\n\tand columns\n";
        assert_eq!(written(|out| SafeText::for_people(out).write_all(text.as_bytes()).unwrap()), text);
        assert_eq!(line(text.lines().next().unwrap()), text.lines().next().unwrap());
    }

    #[test]
    fn invalid_utf8_becomes_replacement_characters() {
        let out = written(|out| SafeText::for_people(out).write_all(b"a\xffb\xc2").unwrap());
        assert_eq!(out, "a\u{fffd}b\u{fffd}");
        // White space that JSON allows between values.
        let out = written(|out| SafeText::json(out).write_all(b"[1,\r2]\n").unwrap());
        assert_eq!(out, "[1, 2]\n");
    }
}
