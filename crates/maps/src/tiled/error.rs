//! Errors of Tiled maps.

use std::fmt;
use wheelbase_grid::{CellXY, SizeError, TableError};

/// Why a Tiled map cannot be read, and where.
///
/// Its text does not name the map: `line 7: element "layer" has no attribute "width"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TiledError {
    /// The tileset in which it is, as the map names it; `None` for the map itself.
    pub tileset: Option<String>,
    /// Line, from 1.
    pub line: u32,
    /// The mistake.
    pub kind: TiledErrorKind,
}

/// A mistake in a Tiled map.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TiledErrorKind {
    /// It is not UTF-8 text from here on.
    NotUtf8,
    /// It is not well-formed XML.
    Xml(String),
    /// It is another kind of file.
    Root {
        /// Its outermost element.
        found: String,
        /// The expected one.
        expected: &'static str,
    },
    /// An element lacks an attribute.
    Missing {
        /// The element.
        element: String,
        /// The attribute.
        attribute: &'static str,
    },
    /// An attribute or a property has an invalid value.
    BadValue {
        /// The attribute or property.
        name: String,
        /// Its value.
        found: String,
        /// The valid values.
        expected: String,
    },
    /// A feature of Tiled that this reader lacks.
    NotSupported {
        /// The feature.
        what: String,
        /// What to use instead.
        instead: &'static str,
    },
    /// No map has that size.
    BadSize(SizeError),
    /// A tileset that the map names cannot be read.
    Tileset {
        /// Its file, as the map names it.
        file: String,
        /// Why.
        why: String,
    },
    /// There is no tile layer.
    NoLayer,
    /// A layer does not have one tile per cell.
    LayerLength {
        /// Tiles in the layer; one more than expected means that many or more.
        found: usize,
        /// Cells of the map.
        expected: usize,
    },
    /// The data of a layer is damaged.
    BadData(String),
    /// A tile is in no tileset.
    TileOutOfRange {
        /// The cell.
        cell: CellXY,
        /// Its number as in the layer, with its flips.
        found: u32,
        /// The numbers of all tilesets.
        known: String,
    },
    /// A tile has neither terrain nor sides.
    NoTerrain {
        /// The first such cell.
        cell: CellXY,
        /// Number of the tile in its tileset.
        tile: u32,
        /// Name of the tileset.
        tileset: String,
    },
    /// A terrain kind has no speed.
    NoSpeed {
        /// Name of the kind.
        terrain: String,
    },
    /// Two tiles give their terrain kind different speeds.
    SpeedTwice {
        /// Name of the kind.
        terrain: String,
        /// The speed of the first tile.
        first: u16,
        /// The speed of the second tile.
        second: u16,
    },
    /// The kinds of the tiles and of the caller together make no valid table.
    Table(TableError),
}

impl fmt::Display for TiledError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tileset) = &self.tileset {
            write!(f, "tileset {tileset}: ")?;
        }
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for TiledErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => write!(f, "not UTF-8 text; expected an XML file"),
            Self::Xml(why) => write!(f, "not well-formed XML: {why}"),
            Self::Root { found, expected } => {
                write!(f, "found element \"{found}\", expected \"{expected}\" as the outermost")
            }
            Self::Missing { element, attribute } => {
                write!(f, "element \"{element}\" has no attribute \"{attribute}\"")
            }
            Self::BadValue { name, found, expected } => {
                write!(f, "\"{name}\" is {found:?}, expected {expected}")
            }
            Self::NotSupported { what, instead } => write!(f, "not supported: {what}; use {instead}"),
            Self::BadSize(error) => error.fmt(f),
            Self::Tileset { file, why } => write!(f, "tileset {file}: {why}"),
            Self::NoLayer => write!(f, "the map has no tile layer, expected at least one"),
            Self::LayerLength { found, expected } if found > expected => {
                write!(f, "the layer has more than {expected} tiles, expected one per cell")
            }
            Self::LayerLength { found, expected } => {
                write!(f, "the layer has {found} tiles, expected {expected}, one per cell")
            }
            Self::BadData(why) => write!(f, "the data of the layer cannot be read: {why}"),
            Self::TileOutOfRange { cell, found, known } => {
                let known = if known.is_empty() { "a map with a tileset" } else { known };
                write!(f, "cell {cell}: there is no tile {found}; expected {known}")
            }
            Self::NoTerrain { cell, tile, tileset } => write!(
                f,
                "cell {cell}: tile {tile} of tileset \"{tileset}\" has neither a property \"terrain\" nor \"sides\"; give it one, or its layer the property \"decoration\""
            ),
            Self::NoSpeed { terrain } => write!(
                f,
                "terrain \"{terrain}\" has no speed; give the tile a property \"speed\", or the scenario a table [terrain.{terrain}]"
            ),
            Self::SpeedTwice { terrain, first, second } => write!(
                f,
                "terrain \"{terrain}\" has speed {second} here and {first} at another tile; a kind has one speed"
            ),
            Self::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TiledError {}
