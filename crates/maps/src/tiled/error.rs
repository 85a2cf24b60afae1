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
    /// It is not well-formed JSON.
    Json(String),
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
    /// The map is infinite, and no layer has a tile.
    NoChunk,
    /// A layer, or a chunk of one, does not have one tile per cell.
    LayerLength {
        /// Its tiles; one more than expected means that many or more.
        found: usize,
        /// Its cells.
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
    /// Neither a tile nor its layer nor the caller names its kind.
    NoTerrain {
        /// The first such cell.
        cell: CellXY,
        /// Number of the tile in its tileset.
        tile: u32,
        /// Name of the tileset.
        tileset: String,
        /// Class of the tile; empty if it has none.
        class: String,
        /// How many other tiles of the map are like that.
        more: usize,
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
            Self::Json(why) => write!(f, "not well-formed JSON: {why}"),
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
            Self::NoChunk => write!(f, "the map is infinite and has no tile, expected at least one"),
            Self::LayerLength { found, expected } if found > expected => {
                write!(f, "there are more than {expected} tiles here, expected one per cell")
            }
            Self::LayerLength { found, expected } => {
                write!(f, "there are {found} tiles here, expected {expected}, one per cell")
            }
            Self::BadData(why) => write!(f, "the tiles cannot be read: {why}"),
            Self::TileOutOfRange { cell, found, known } => {
                let known = if known.is_empty() { "a map with a tileset" } else { known };
                write!(f, "cell {cell}: there is no tile {found}; expected {known}")
            }
            Self::NoTerrain { cell, tile, tileset, class, more } => {
                write!(f, "cell {cell}: tile {tile} of tileset \"{tileset}\" ")?;
                match class.as_str() {
                    "" => write!(f, "has neither a property \"terrain\" or \"sides\" nor a class")?,
                    class => write!(f, "is of class \"{class}\", which is no terrain kind")?,
                }
                match more {
                    0 => {}
                    1 => write!(f, "; 1 other tile is like that")?,
                    more => write!(f, "; {more} other tiles are like that")?,
                }
                let key = if class.is_empty() { format!("{tileset}/{tile}") } else { class.clone() };
                write!(
                    f,
                    "; give it one, or the scenario a kind for it: [map.tiles] with {key:?} = \"ground\""
                )
            }
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
