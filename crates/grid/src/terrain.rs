//! Terrain kinds, side kinds and their speeds.

use crate::colour::{Rgb, hexadecimal};
use crate::shape::SIDES_MAX;
use std::collections::BTreeMap;
use std::fmt;

/// Speed of normal ground, in thousandths.
pub const SPEED_NORMAL: u16 = 1000;
/// Speed of the side kind `open`, which never limits a move.
pub const SPEED_OPEN: u16 = u16::MAX;
/// Maximum number of terrain kinds of a map.
pub const TERRAIN_KINDS_MAX: usize = 255;
/// Maximum number of side kinds of a map, including `open` and `wall`.
pub const SIDE_KINDS_MAX: usize = 15;

/// A terrain kind: an index into the map's [`TerrainTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
// Hosts in other languages read a map's kinds as bytes.
#[repr(transparent)]
pub struct TerrainKind(pub u8);

/// A side kind: an index into the map's [`SideTable`]. 0 is `open`, 1 is `wall`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SideKind(pub u8);

impl SideKind {
    /// Never limits a move.
    pub const OPEN: Self = Self(0);
    /// Impassable.
    pub const WALL: Self = Self(1);
}

/// One terrain kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerrainEntry {
    /// Name, unique in its table; movement classes override speeds by it.
    pub name: String,
    /// Characters that represent the kind in rows and map files; may be empty.
    pub glyphs: String,
    /// Speed in thousandths: 1000 normal, 0 impassable.
    pub speed: u16,
    /// Colour in pictures, unique to this kind; `None` for the standard colour.
    pub colour: Option<Rgb>,
    /// Initial sides of a cell of this kind, by [number](crate::GridShape::side_number); square maps ignore the
    /// last two.
    pub sides: [SideKind; SIDES_MAX],
}

impl TerrainEntry {
    /// A kind whose cells begin with open sides, in the standard colour.
    ///
    /// ```
    /// use wheelbase_grid::{TerrainEntry, TerrainTable};
    /// let kinds = TerrainTable::with_standard(vec![TerrainEntry::new("building", "#", 0)])?;
    /// assert_eq!(kinds.kind_of_glyph('#'), kinds.kind_of_name("building"));
    /// # Ok::<(), wheelbase_grid::TableError>(())
    /// ```
    pub fn new(name: &str, glyphs: &str, speed: u16) -> Self {
        Self {
            name: name.to_owned(),
            glyphs: glyphs.to_owned(),
            speed,
            colour: None,
            sides: [SideKind::OPEN; SIDES_MAX],
        }
    }
}

/// Error in a table of kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// Too many kinds.
    TooMany {
        /// Kinds found.
        found: usize,
        /// Kinds allowed.
        max: usize,
    },
    /// Two kinds with the same name.
    NameTwice(String),
    /// Two kinds with the same glyph.
    GlyphTwice {
        /// The glyph.
        glyph: char,
        /// The first kind with it.
        first: String,
        /// The second kind with it.
        second: String,
    },
    /// Two kinds with the same colour.
    ColourTwice {
        /// The colour.
        colour: Rgb,
        /// The first kind with it.
        first: String,
        /// The second kind with it.
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
    /// Number of kinds given by the user; the kinds of the MovingAI format follow.
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
    /// [`TableError`] if there are more than 255 kinds, or a name, glyph or colour occurs twice.
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

    /// The given kinds, followed by those kinds of the MovingAI format whose names are not among them. A given
    /// kind with a standard name and no glyphs gets the standard glyphs. A glyph listed by a given kind is
    /// removed from the standard kinds.
    /// # Errors
    /// Like [`TerrainTable::new`].
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
                let glyphs: String = glyphs.chars().filter(|g| !taken.contains(*g)).collect();
                entries.push(TerrainEntry::new(name, &glyphs, speed));
            }
        }
        Self::new(entries).map(|table| Self { n_given: given, ..table })
    }

    /// A table of these kinds, of which the user gave the first `n_given`.
    #[cfg(feature = "serde")]
    pub(crate) fn of_parts(entries: Vec<TerrainEntry>, n_given: usize) -> Result<Self, TableError> {
        Self::new(entries).map(|table| Self { n_given, ..table })
    }

    /// The given kinds, without the ones [`TerrainTable::with_standard`] added.
    pub fn given(&self) -> &[TerrainEntry] {
        &self.entries[..self.n_given]
    }

    /// The kinds, in order of their number.
    pub fn entries(&self) -> &[TerrainEntry] {
        &self.entries
    }

    /// The kind that a glyph represents.
    pub fn kind_of_glyph(&self, glyph: char) -> Option<TerrainKind> {
        self.glyphs.binary_search_by_key(&glyph, |(g, _)| *g).ok().map(|at| self.glyphs[at].1)
    }

    /// The kind with the given name.
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
    /// Speed in thousandths; the edge between two cells has the speed of the slower of its two sides.
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
    /// `open` and `wall`, then the given kinds. A given `open` or `wall` overrides that kind's speed.
    /// # Errors
    /// [`TableError`] if there are more than 15 kinds in total, or a name occurs twice.
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

    /// The kinds, in order of their number.
    pub fn entries(&self) -> &[SideEntry] {
        &self.entries
    }

    /// The kind with the given name.
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

    /// Glyphs were once compared pairwise: a quarter of a million took minutes.
    #[test]
    fn a_kind_may_have_very_many_glyphs() {
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
    fn duplicate_glyphs_and_names_are_rejected() {
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
    fn given_kinds_are_distinguished_from_added_ones() {
        let table = TerrainTable::with_standard(vec![entry("grass", ".")]).unwrap();
        assert_eq!((table.given().len(), table.entries().len()), (1, 6));
    }
}
