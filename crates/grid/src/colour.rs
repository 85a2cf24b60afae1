//! Colours and their notation `#rrggbb`.

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// A colour in the notation `#rrggbb`.
pub fn hexadecimal(colour: Rgb) -> String {
    let [red, green, blue] = colour;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Parses `#rrggbb`.
pub fn colour_from_hexadecimal(text: &str) -> Option<Rgb> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_written() {
        for colour in [[0, 0, 0], [255, 1, 16], [18, 52, 86]] {
            assert_eq!(colour_from_hexadecimal(&hexadecimal(colour)), Some(colour));
        }
        for text in ["", "#12345", "#1234567", "123456", "#12345g", "#+12345", "#12é45"] {
            assert_eq!(colour_from_hexadecimal(text), None, "{text}");
        }
    }
}
