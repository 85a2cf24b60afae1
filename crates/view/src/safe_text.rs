//! Text from files made safe where it is shown: a function, or a writer, for each outlet. Names and paths may
//! hold any character; some of them steer a terminal, turn the order of what stands beside them, or make a
//! document that no reader takes.

use std::io::{self, Write};
use std::path::Path;

/// Whether a character is not shown as it is: one that controls (C0, C1, delete), that turns the direction of
/// writing, that ends a line beside `\n`, or that is none (U+FFFE and its like, which XML cannot hold).
fn is_unsafe(letter: char) -> bool {
    let turns_direction = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_none = matches!(letter, '\u{fdd0}'..='\u{fdef}') || letter as u32 & 0xfffe == 0xfffe;
    letter.is_control() || turns_direction || is_none || matches!(letter, '\u{2028}' | '\u{2029}')
}

/// A name or path as part of a line for people: what is unsafe is written as `\u{1b}`, line ends too.
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

/// A path as [`line()`].
pub fn path(path: &Path) -> String {
    line(&path.to_string_lossy())
}

/// Text as it stands in HTML and SVG, between tags and in attributes with double quotes.
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

/// How a writer writes what is unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// As `\u{1b}`; lines end and columns stay.
    People,
    /// As JSON has it. Outside its strings stands nothing unsafe but white space.
    Json,
}

/// A writer of text that makes safe what goes through it. Each write must be whole characters, which those of
/// `write!` and of `serde_json` are; what is no text becomes U+FFFD.
#[derive(Debug)]
pub struct SafeText<W> {
    out: W,
    style: Style,
}

impl<W: Write> SafeText<W> {
    /// Text for people: lines on a terminal.
    pub fn for_people(out: W) -> Self {
        Self { out, style: Style::People }
    }

    /// Lines of JSON.
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

/// Whether a byte may be the first of an unsafe character, or of none. Most text has no such byte.
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
    fn nothing_unsafe_is_left_in_any_outlet() {
        let people = written(|out| write!(SafeText::for_people(out), "{NAME}").unwrap());
        assert_eq!(
            people,
            "a\\u{1b}[31m\\u{7}\\u{9b}\\u{7f}\\u{202e}\\u{2028}\\u{fffe}\\u{1ffff}\\u{d}\n\t<é>\""
        );
        // A name may not end a line.
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
    fn all_that_is_safe_stays() {
        let text = "plain, ünïcödé, 日本語, \u{1f980}, 'quoted'\n\tand columns\n";
        assert_eq!(written(|out| SafeText::for_people(out).write_all(text.as_bytes()).unwrap()), text);
        assert_eq!(line(text.lines().next().unwrap()), text.lines().next().unwrap());
    }

    #[test]
    fn bytes_that_are_no_text_become_text() {
        let out = written(|out| SafeText::for_people(out).write_all(b"a\xffb\xc2").unwrap());
        assert_eq!(out, "a\u{fffd}b\u{fffd}");
        // White space that JSON allows between its values.
        let out = written(|out| SafeText::json(out).write_all(b"[1,\r2]\n").unwrap());
        assert_eq!(out, "[1, 2]\n");
    }
}
