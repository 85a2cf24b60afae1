//! Colours of terrain kinds in pictures.

use wheelbase_grid::{Rgb, TerrainEntry, TerrainKind, TerrainTable};

/// A distinct colour for each kind of a table. It is the colour of the kind, else the standard colour for its name
/// and speed. If another kind has that colour, it is a similar one.
///
/// ```
/// use wheelbase_grid::{TerrainKind, TerrainTable};
/// use wheelbase_maps::TerrainColours;
/// let colours = TerrainColours::of(&TerrainTable::movingai());
/// assert_eq!(colours.colour(TerrainKind(2)), [20, 48, 120]);
/// assert_eq!(colours.kind_of([20, 48, 120]), Some(TerrainKind(2)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerrainColours {
    /// By number of the kind.
    colours: Vec<Rgb>,
}

impl TerrainColours {
    /// The colours of the kinds of a table.
    pub fn of(table: &TerrainTable) -> Self {
        Self { colours: distinct_colours(table.entries()) }
    }

    /// The colour of a kind.
    /// # Panics
    /// If the kind is not in the table.
    pub fn colour(&self, kind: TerrainKind) -> Rgb {
        self.colours[kind.0 as usize]
    }

    /// The colours of all kinds, by number.
    pub fn all(&self) -> &[Rgb] {
        &self.colours
    }

    /// The kind of a colour. Linear in the number of kinds.
    pub fn kind_of(&self, colour: Rgb) -> Option<TerrainKind> {
        self.colours.iter().position(|&own| own == colour).map(|at| TerrainKind(at as u8))
    }
}

/// The colour of a terrain kind without a colour: by name if it is a common one, else the slower the darker.
fn standard_colour(name: &str, speed: u16) -> Rgb {
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
            // At most 160.
            let level = 60 + (speed.min(1600) / 16) as u8;
            [level, level, level]
        }
    }
}

/// A colour for each kind: its own, else the standard one, or the next one in a fixed order that is free. The result is
/// distinct if the colours of the kinds are.
fn distinct_colours(entries: &[TerrainEntry]) -> Vec<Rgb> {
    let mut taken: Vec<Rgb> = entries.iter().filter_map(|entry| entry.colour).collect();
    let pick = |entry: &TerrainEntry| {
        if let Some(own) = entry.colour {
            return own;
        }
        let mut colour = standard_colour(&entry.name, entry.speed);
        while taken.contains(&colour) {
            // Odd steps: each component recurs only after 256 of them, more than the kinds of a table.
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
    use wheelbase_grid::{SIDES_MAX, SideKind};

    #[test]
    fn colours_are_distinct() {
        let entry = |n: usize| TerrainEntry {
            name: format!("kind {n}"),
            glyphs: String::new(),
            speed: 700,
            colour: (n == 7).then_some([88, 120, 68]),
            sides: [SideKind::OPEN; SIDES_MAX],
        };
        let table = TerrainTable::with_standard((0..200).map(entry).collect()).unwrap();
        let colours = TerrainColours::of(&table);
        for (number, &colour) in colours.all().iter().enumerate() {
            assert_eq!(colours.kind_of(colour), Some(TerrainKind(number as u8)));
        }
        // The standard colour of ground is taken by another kind here.
        assert_eq!(colours.colour(TerrainKind(7)), [88, 120, 68]);
        let standard = TerrainColours::of(&TerrainTable::movingai());
        assert_eq!(standard.colour(TerrainKind(0)), [88, 120, 68]);
    }
}
