//! Colours that stand for terrain kinds in pictures.

use crate::TerrainEntry;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The colour of a terrain kind that has none of its own: by names that are common, else the slower the
/// darker.
pub fn standard_colour(name: &str, speed: u16) -> Rgb {
    match name {
        "ground" | "grass" | "meadow" | "floor" => [88, 120, 68],
        "road" | "street" => [150, 150, 150],
        "swamp" | "mud" => [100, 84, 48],
        "trees" | "wood" | "woods" | "forest" => [16, 64, 24],
        "water" | "deep" | "river" | "lake" | "sea" => [20, 48, 120],
        "shallow" | "ford" => [60, 110, 170],
        "sand" => [180, 160, 100],
        "out" | "rock" => [30, 30, 30],
        _ if speed == 0 => [48, 40, 40],
        _ => {
            // At most 60 + 100.
            let level = 60 + (speed.min(1600) / 16) as u8;
            [level, level, level]
        }
    }
}

/// A colour as it is written: `#rrggbb`.
pub fn hexadecimal(colour: Rgb) -> String {
    let [red, green, blue] = colour;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour that is written as `#rrggbb`.
pub fn colour_from_hexadecimal(text: &str) -> Option<Rgb> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

/// A colour for each kind: its own, else the standard one, or the next in a fixed order that none before it
/// has. No two of the result are the same if no two of the kinds' own are.
pub(crate) fn distinct_colours(entries: &[TerrainEntry]) -> Vec<Rgb> {
    let mut taken: Vec<Rgb> = entries.iter().filter_map(|entry| entry.colour).collect();
    let pick = |entry: &TerrainEntry| {
        if let Some(own) = entry.colour {
            return own;
        }
        let mut colour = standard_colour(&entry.name, entry.speed);
        while taken.contains(&colour) {
            // Odd steps: each component comes back only after 256 of them, and a table has fewer kinds.
            let [red, green, blue] = colour;
            colour = [red.wrapping_add(37), green.wrapping_add(59), blue.wrapping_add(83)];
        }
        taken.push(colour);
        colour
    };
    entries.iter().map(pick).collect()
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
