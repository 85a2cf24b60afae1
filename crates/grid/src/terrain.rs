//! Terrain kinds, side kinds and their speeds.

use crate::colour::{Rgb, hexadecimal};
use crate::shape::SIDES_MAX;
use std::collections::BTreeMap;
use std::fmt;

/// Speed of normal ground, in permille.
pub const SPEED_NORMAL: u16 = 1000;
/// Speed of the side kind `open`, which never limits.
pub const SPEED_OPEN: u16 = u16::MAX;
/// Most terrain kinds a map may have.
pub const TERRAIN_KINDS_MAX: usize = 255;
/// Most side kinds a map may have, `open` and `wall` included.
pub const SIDE_KINDS_MAX: usize = 15;

/// Number of a terrain kind: an index into the map's [`TerrainTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TerrainKind(pub u8);

/// Number of a side kind: an index into the map's [`SideTable`]. 0 is `open`, 1 is `wall`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SideKind(pub u8);

impl SideKind {
    /// Never limits.
    pub const OPEN: Self = Self(0);
    /// Impassable.
    pub const WALL: Self = Self(1);
}

/// One terrain kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerrainEntry {
    /// Name, unique in its table; movement classes override speeds by it.
    pub name: String,
    /// Characters that stand for it in rows and map files; may be empty.
    pub glyphs: String,
    /// Speed in permille: 1000 normal, 0 impassable.
    pub speed: u16,
    /// The colour that stands for it in pictures, of this kind alone; `None` for the standard one.
    pub colour: Option<Rgb>,
    /// Sides such a cell starts with, by [number](crate::GridShape::side_number); a square map leaves the
    /// last two aside.
    pub sides: [SideKind; SIDES_MAX],
}

/// What is wrong with a table of kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// More kinds than a map may have.
    TooMany {
        /// Kinds given.
        found: usize,
        /// Kinds allowed.
        max: usize,
    },
    /// Two kinds have the same name.
    NameTwice(String),
    /// Two kinds claim the same glyph.
    GlyphTwice {
        /// The glyph.
        glyph: char,
        /// The kind that has it.
        first: String,
        /// The kind that claims it again.
        second: String,
    },
    /// Two kinds are to have the same colour.
    ColourTwice {
        /// The colour.
        colour: Rgb,
        /// The kind that has it.
        first: String,
        /// The kind that claims it again.
        second: String,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { found, max } => write!(f, "{found} kinds; a map has at most {max}"),
            Self::NameTwice(name) => write!(f, "two kinds are named \"{name}\""),
            Self::GlyphTwice { glyph, first, second } => {
                write!(f, "glyph {glyph:?} belongs to \"{first}\" and to \"{second}\"; a glyph has one kind")
            }
            Self::ColourTwice { colour, first, second } => {
                let colour = hexadecimal(*colour);
                write!(f, "colour {colour} belongs to \"{first}\" and to \"{second}\"; a colour has one kind")
            }
        }
    }
}

impl std::error::Error for TableError {}

/// The terrain kinds of a map and their glyphs.
///
/// ```
/// use wheelbase_grid::{TerrainKind, TerrainTable};
/// let table = TerrainTable::movingai();
/// assert_eq!(table.kind_of_glyph('W'), Some(TerrainKind(2)));
/// assert_eq!(table[TerrainKind(2)].name, "water");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerrainTable {
    entries: Vec<TerrainEntry>,
    /// Sorted by glyph.
    glyphs: Vec<(char, TerrainKind)>,
    /// How many of the kinds were given; those of the MovingAI format that were added come after.
    n_given: usize,
}

/// Name, glyphs and speed of the kinds of the MovingAI map format.
const MOVINGAI: [(&str, &str, u16); 5] = [
    ("ground", ".G", SPEED_NORMAL),
    ("swamp", "S", 500),
    ("water", "W", 0),
    ("trees", "T", 0),
    ("out", "@O", 0),
];

impl TerrainTable {
    /// A table of the given kinds, numbered in order.
    /// # Errors
    /// [`TableError`] if there are more than 255, or a name, glyph or colour occurs twice.
    pub fn new(entries: Vec<TerrainEntry>) -> Result<Self, TableError> {
        if entries.len() > TERRAIN_KINDS_MAX {
            return Err(TableError::TooMany { found: entries.len(), max: TERRAIN_KINDS_MAX });
        }
        let mut glyphs: BTreeMap<char, TerrainKind> = BTreeMap::new();
        for (number, entry) in entries.iter().enumerate() {
            if entries[..number].iter().any(|e| e.name == entry.name) {
                return Err(TableError::NameTwice(entry.name.clone()));
            }
            let same = |other: &&TerrainEntry| entry.colour.is_some() && other.colour == entry.colour;
            if let (Some(colour), Some(first)) = (entry.colour, entries[..number].iter().find(same)) {
                let (first, second) = (first.name.clone(), entry.name.clone());
                return Err(TableError::ColourTwice { colour, first, second });
            }
            for glyph in entry.glyphs.chars() {
                if let Some(first) = glyphs.insert(glyph, TerrainKind(number as u8)) {
                    return Err(TableError::GlyphTwice {
                        glyph,
                        first: entries[first.0 as usize].name.clone(),
                        second: entry.name.clone(),
                    });
                }
            }
        }
        let glyphs = glyphs.into_iter().collect();
        let n_given = entries.len();
        Ok(Self { entries, glyphs, n_given })
    }

    /// The kinds of the MovingAI format: `ground` (`.` `G`) 1000, `swamp` (`S`) 500, and `water`
    /// (`W`), `trees` (`T`), `out` (`@` `O`) impassable.
    pub fn movingai() -> Self {
        Self::with_standard(Vec::new()).unwrap_or_else(|_| unreachable!("five kinds, no glyph twice"))
    }

    /// The given kinds, then those of the MovingAI format whose names they do not replace. An entry
    /// of a standard name keeps the standard glyphs where it lists none; a glyph that a given kind
    /// lists is its own, whatever the standard says.
    /// # Errors
    /// As [`TerrainTable::new`].
    pub fn with_standard(mut entries: Vec<TerrainEntry>) -> Result<Self, TableError> {
        for entry in entries.iter_mut().filter(|e| e.glyphs.is_empty()) {
            if let Some((_, glyphs, _)) = MOVINGAI.iter().find(|(name, ..)| *name == entry.name) {
                entry.glyphs = (*glyphs).to_owned();
            }
        }
        let taken: String = entries.iter().map(|e| e.glyphs.as_str()).collect();
        let given = entries.len();
        for (name, glyphs, speed) in MOVINGAI {
            if entries[..given].iter().all(|e| e.name != name) {
                entries.push(TerrainEntry {
                    name: name.to_owned(),
                    glyphs: glyphs.chars().filter(|g| !taken.contains(*g)).collect(),
                    speed,
                    colour: None,
                    sides: [SideKind::OPEN; SIDES_MAX],
                });
            }
        }
        Self::new(entries).map(|table| Self { n_given: given, ..table })
    }

    /// The kinds that were given, without those that [`TerrainTable::with_standard`] added.
    pub fn given(&self) -> &[TerrainEntry] {
        &self.entries[..self.n_given]
    }

    /// The kinds in order of their number.
    pub fn entries(&self) -> &[TerrainEntry] {
        &self.entries
    }

    /// The kind that a glyph stands for.
    pub fn kind_of_glyph(&self, glyph: char) -> Option<TerrainKind> {
        self.glyphs.binary_search_by_key(&glyph, |(g, _)| *g).ok().map(|at| self.glyphs[at].1)
    }

    /// The kind of that name.
    pub fn kind_of_name(&self, name: &str) -> Option<TerrainKind> {
        let at = self.entries.iter().position(|e| e.name == name)?;
        Some(TerrainKind(at as u8))
    }
}

impl std::ops::Index<TerrainKind> for TerrainTable {
    type Output = TerrainEntry;

    fn index(&self, kind: TerrainKind) -> &TerrainEntry {
        &self.entries[kind.0 as usize]
    }
}

/// One side kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideEntry {
    /// Name, unique in its table.
    pub name: String,
    /// Speed in permille; the edge between two cells is as slow as the slower of its two sides.
    pub speed: u16,
}

/// The side kinds of a map; `open` and `wall` are always the first two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideTable {
    entries: Vec<SideEntry>,
}

impl Default for SideTable {
    fn default() -> Self {
        let entry = |name: &str, speed| SideEntry { name: name.to_owned(), speed };
        Self { entries: vec![entry("open", SPEED_OPEN), entry("wall", 0)] }
    }
}

impl SideTable {
    /// `open` and `wall`, then the given kinds; one of those two names replaces its speed.
    /// # Errors
    /// [`TableError`] if there are more than 15 in all, or a name occurs twice.
    pub fn new(given: Vec<SideEntry>) -> Result<Self, TableError> {
        let mut table = Self::default();
        for (number, entry) in given.iter().enumerate() {
            if given[..number].iter().any(|e| e.name == entry.name) {
                return Err(TableError::NameTwice(entry.name.clone()));
            }
            match table.entries[..2].iter_mut().find(|e| e.name == entry.name) {
                Some(known) => known.speed = entry.speed,
                None => table.entries.push(entry.clone()),
            }
        }
        if table.entries.len() > SIDE_KINDS_MAX {
            return Err(TableError::TooMany { found: table.entries.len(), max: SIDE_KINDS_MAX });
        }
        Ok(table)
    }

    /// The kinds in order of their number.
    pub fn entries(&self) -> &[SideEntry] {
        &self.entries
    }

    /// The kind of that name.
    pub fn kind_of_name(&self, name: &str) -> Option<SideKind> {
        let at = self.entries.iter().position(|e| e.name == name)?;
        Some(SideKind(at as u8))
    }
}

impl std::ops::Index<SideKind> for SideTable {
    type Output = SideEntry;

    fn index(&self, kind: SideKind) -> &SideEntry {
        &self.entries[kind.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, glyphs: &str) -> TerrainEntry {
        TerrainEntry {
            name: name.to_owned(),
            glyphs: glyphs.to_owned(),
            speed: 700,
            colour: None,
            sides: [SideKind::OPEN; SIDES_MAX],
        }
    }

    /// Each glyph was held against all before it: a quarter of a million took minutes.
    #[test]
    fn a_kind_may_have_every_glyph_there_is() {
        let glyphs: String = ('\u{4e00}'..='\u{10ffff}').take(240_000).collect();
        let table = TerrainTable::new(vec![entry("all", &glyphs), entry("one", "a")]).unwrap();
        assert_eq!(table.kind_of_glyph('\u{20000}'), Some(TerrainKind(0)));
        let twice = TerrainTable::new(vec![entry("all", &glyphs), entry("one", "a\u{20000}")]);
        let expected =
            TableError::GlyphTwice { glyph: '\u{20000}', first: "all".to_owned(), second: "one".to_owned() };
        assert_eq!(twice, Err(expected));
    }

    #[test]
    fn given_kinds_take_glyphs_from_the_standard() {
        let table = TerrainTable::with_standard(vec![entry("grass", "."), entry("water", "")]).unwrap();
        assert_eq!(table.kind_of_glyph('.'), Some(TerrainKind(0)));
        assert_eq!(table.kind_of_glyph('W'), Some(TerrainKind(1)));
        assert_eq!(table[TerrainKind(1)].speed, 700);
        assert_eq!(table[table.kind_of_glyph('G').unwrap()].name, "ground");
        assert_eq!(table.entries().len(), 6);
    }

    #[test]
    fn a_glyph_or_name_given_twice_is_refused() {
        let twice = TerrainTable::new(vec![entry("a", "x"), entry("b", "yx")]);
        assert!(matches!(twice, Err(TableError::GlyphTwice { glyph: 'x', .. })));
        let twice = TerrainTable::new(vec![entry("a", "x"), entry("a", "y")]);
        assert_eq!(twice, Err(TableError::NameTwice("a".to_owned())));
        let mut both = [entry("a", ""), entry("b", "")];
        both.iter_mut().for_each(|entry| entry.colour = Some([1, 2, 3]));
        let twice = TerrainTable::new(both.to_vec()).unwrap_err().to_string();
        assert_eq!(twice, "colour #010203 belongs to \"a\" and to \"b\"; a colour has one kind");
        let many = (0..256).map(|n| entry(&n.to_string(), "")).collect();
        assert!(matches!(TerrainTable::new(many), Err(TableError::TooMany { found: 256, max: 255 })));
    }

    #[test]
    fn kinds_that_were_given_are_told_from_those_added() {
        let table = TerrainTable::with_standard(vec![entry("grass", ".")]).unwrap();
        assert_eq!((table.given().len(), table.entries().len()), (1, 6));
    }
}
