//! Maps and heights as PNG pictures, one pixel per cell.
//!
//! A map is a picture in colours, with or without a palette. A pixel has the colour of the terrain kind of its cell,
//! see [`TerrainColours`]. Heights are a greyscale picture of 8 or 16 bits: the value of a pixel is the height of its
//! cell. The format comes from the W3C, "Portable Network Graphics Specification (Third Edition)".

#[cfg(test)]
mod tests;

use crate::decoder_panic::{DecoderPanic, catch_decoder_panic};
use crate::terrain_colours::TerrainColours;
use crate::write_error::{MapWriteError, check_sides};
use png::{
    BitDepth, ColorType, Decoder, DecodingError, Encoder, EncodingError, Info, Limits, Reader,
    Transformations,
};
use std::fmt;
use std::io::{self, Cursor};
use wheelbase_grid::{
    CellXY, Grid, GridSize, MemoryNeed, Rgb, SideTable, SizeError, TerrainKind, TerrainTable, hexadecimal,
};

/// Most bytes of memory for everything but the pixels while a picture is read.
const ANCILLARY_BYTES_MAX: usize = 1 << 24;
/// Most colours of a palette.
const PALETTE_COLOURS_MAX: usize = 256;
/// Most colours that an error lists.
const COLOURS_SHOWN_MAX: usize = 12;

/// Why a picture cannot be read as a map or as heights.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PngError {
    /// It is not a PNG file, or a damaged one.
    Damaged(String),
    /// No map has that size.
    Size(SizeError),
    /// A pixel of a map is transparent.
    NotOpaque {
        /// The cell of the pixel.
        cell: CellXY,
    },
    /// A pixel of a map has the colour of no terrain kind.
    UnknownColour {
        /// The first such cell, row by row.
        cell: CellXY,
        /// Its colour.
        found: Rgb,
        /// The valid colours, with the names of their kinds.
        known: String,
    },
    /// Heights are not in greyscale of 8 or 16 bits.
    NotGrey {
        /// The colours of the picture.
        found: String,
    },
    /// A height is above 32,767.
    TooHigh {
        /// The first such cell, row by row.
        cell: CellXY,
        /// The value of its pixel.
        found: u16,
    },
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(why) => write!(f, "cannot be read as a PNG picture: {why}"),
            Self::Size(error) => error.fmt(f),
            Self::NotOpaque { cell } => write!(f, "pixel {cell} is transparent, expected an opaque one"),
            Self::UnknownColour { cell, found, known } => {
                write!(f, "pixel {cell} is {}, which no terrain has; expected {known}", hexadecimal(*found))
            }
            Self::NotGrey { found } => {
                write!(f, "is a picture in {found}; expected heights in greyscale of 8 or 16 bits")
            }
            Self::TooHigh { cell, found } => {
                write!(f, "pixel {cell} has the value {found}; expected a height of at most {}", i16::MAX)
            }
        }
    }
}

impl std::error::Error for PngError {}

impl From<DecodingError> for PngError {
    fn from(error: DecodingError) -> Self {
        Self::Damaged(without_debug_text(&error.to_string()))
    }
}

impl From<DecoderPanic> for PngError {
    fn from(panic: DecoderPanic) -> Self {
        Self::Damaged(panic.to_string())
    }
}

/// Reads a map from the bytes of a whole picture. A pixel stands for the kind of `terrain` with its
/// [colour](TerrainColours); cells have the initial sides of their kinds.
///
/// ```
/// use wheelbase_grid::{Grid, SideTable, TerrainTable};
/// use wheelbase_maps::png;
/// let (terrain, sides) = (TerrainTable::movingai(), SideTable::default());
/// let grid = Grid::from_rows(&["..W", ".T."], terrain.clone(), sides.clone())?;
/// let mut picture = Vec::new();
/// png::write(&grid, &mut picture)?;
/// assert_eq!(png::parse(&picture, terrain, sides)?.terrain(), grid.terrain());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// [`PngError`] with the pixel, the value found and the value expected. Memory is allocated only for a valid size of
/// a map.
pub fn parse(bytes: &[u8], terrain: TerrainTable, sides: SideTable) -> Result<Grid, PngError> {
    let Picture { size, samples, values } =
        decode(bytes, Transformations::EXPAND | Transformations::STRIP_16, |_| Ok(()))?;
    let colours = TerrainColours::of(&terrain);
    let width = size.width() as usize;
    let mut kinds: Vec<TerrainKind> = Vec::with_capacity(size.n_cells());
    // A cache: most neighbours are equal.
    let mut last: Option<(Rgb, TerrainKind)> = None;
    for pixel in values.chunks_exact(samples) {
        let cell = || CellXY::new((kinds.len() % width) as i32, (kinds.len() / width) as i32);
        let (colour, alpha) = match *pixel {
            [grey] => ([grey; 3], u8::MAX),
            [grey, alpha] => ([grey; 3], alpha),
            [red, green, blue] => ([red, green, blue], u8::MAX),
            [red, green, blue, alpha] => ([red, green, blue], alpha),
            _ => return Err(PngError::Damaged(format!("a pixel of {samples} values"))),
        };
        if alpha != u8::MAX {
            return Err(PngError::NotOpaque { cell: cell() });
        }
        let kind = match last {
            Some((same, kind)) if same == colour => kind,
            _ => colours.kind_of(colour).ok_or_else(|| PngError::UnknownColour {
                cell: cell(),
                found: colour,
                known: known_colours(&terrain, &colours),
            })?,
        };
        last = Some((colour, kind));
        kinds.push(kind);
    }
    if kinds.len() != size.n_cells() {
        return Err(PngError::Damaged(format!("{} pixels, expected {}", kinds.len(), size.n_cells())));
    }
    Ok(Grid::from_terrain(size, kinds, terrain, sides))
}

/// Estimates the peak memory of [`parse()`] and [`parse_heights`] from the head of a picture. It counts values of at
/// most four bytes per pixel, and two bytes per cell. Zero without a valid head, which both refuse.
pub fn need(bytes: &[u8]) -> MemoryNeed {
    let limits = Limits { bytes: ANCILLARY_BYTES_MAX };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    let size = decoder.read_header_info().map(|info| GridSize::new(info.width.into(), info.height.into()));
    match size {
        Ok(Ok(size)) => MemoryNeed::built(6 * size.n_cells() as u64),
        _ => MemoryNeed::default(),
    }
}

/// Reads heights from the bytes of a whole picture: its size, and its values row by row.
/// # Errors
/// As [`parse()`]; also if it is not in greyscale of 8 or 16 bits, or has a value above 32,767.
pub fn parse_heights(bytes: &[u8]) -> Result<(GridSize, Vec<i16>), PngError> {
    let mut is_wide = false;
    let Picture { size, values, .. } = decode(bytes, Transformations::IDENTITY, |info| {
        is_wide = info.bit_depth == BitDepth::Sixteen;
        check_grey(info)
    })?;
    let values: Vec<u16> = if is_wide {
        values.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
    } else {
        values.into_iter().map(u16::from).collect()
    };
    let width = size.width() as usize;
    let height = |(at, &value): (usize, &u16)| {
        let cell = CellXY::new((at % width) as i32, (at / width) as i32);
        i16::try_from(value).map_err(|_| PngError::TooHigh { cell, found: value })
    };
    Ok((size, values.iter().enumerate().map(height).collect::<Result<_, _>>()?))
}

/// Writes the terrain of a map as a picture with a palette of the [colours](TerrainColours) of its kinds. Names and
/// speeds are not in the file: its reader needs the table. Heights are left out.
/// # Errors
/// [`MapWriteError`] if a side is not open or the cells are hexagons, before anything is written; or if `out` fails.
pub fn write(grid: &Grid, out: &mut impl io::Write) -> Result<(), MapWriteError> {
    check_sides(grid)?;
    let size = grid.size();
    let mut encoder = Encoder::new(out, size.width(), size.height());
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(TerrainColours::of(grid.terrain_table()).all().concat());
    let cells: Vec<u8> = grid.terrain().iter().map(|kind| kind.0).collect();
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&cells)?;
        writer.finish()
    });
    written.map_err(|error| match error {
        EncodingError::IoError(error) => MapWriteError::Io(error),
        other => MapWriteError::Io(io::Error::other(other)),
    })
}

/// A decoded picture.
struct Picture {
    size: GridSize,
    /// Values per pixel.
    samples: usize,
    /// The values of all pixels, row by row, without padding.
    values: Vec<u8>,
}

/// Decodes a picture of a valid size. `check` gets its head before the pixels are read.
fn decode(
    bytes: &[u8],
    transformations: Transformations,
    check: impl FnOnce(&Info<'_>) -> Result<(), PngError>,
) -> Result<Picture, PngError> {
    catch_decoder_panic(|| {
        let (mut reader, size) = open(bytes, transformations)?;
        check_palette(reader.info())?;
        check(reader.info())?;
        let samples = reader.output_color_type().0.samples();
        Ok(Picture { size, samples, values: frame(&mut reader)? })
    })?
}

/// A reader of a picture in memory.
type PictureReader<'b> = Reader<Cursor<&'b [u8]>>;

/// Opens a picture of a valid size.
fn open(bytes: &[u8], transformations: Transformations) -> Result<(PictureReader<'_>, GridSize), PngError> {
    let limits = Limits { bytes: ANCILLARY_BYTES_MAX };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(transformations);
    // Not needed, and possibly large once inflated.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let info = decoder.read_header_info()?;
    let size = GridSize::new(u64::from(info.width), u64::from(info.height)).map_err(PngError::Size)?;
    Ok((decoder.read_info()?, size))
}

/// Refuses palettes with an incomplete colour, or with too many colours: the decoder accepts them and then panics.
fn check_palette(info: &Info<'_>) -> Result<(), PngError> {
    let Some(palette) = info.palette.as_deref().filter(|_| info.color_type == ColorType::Indexed) else {
        return Ok(());
    };
    let is_valid =
        palette.len().is_multiple_of(3) && (1..=PALETTE_COLOURS_MAX).contains(&(palette.len() / 3));
    if is_valid {
        return Ok(());
    }
    Err(PngError::Damaged(format!(
        "a palette of {} bytes, expected 3 for each of 1 to {PALETTE_COLOURS_MAX} colours",
        palette.len()
    )))
}

/// Refuses pictures that are not heights.
fn check_grey(info: &Info<'_>) -> Result<(), PngError> {
    let is_grey = info.color_type == ColorType::Grayscale && info.trns.is_none();
    if is_grey && matches!(info.bit_depth, BitDepth::Eight | BitDepth::Sixteen) {
        return Ok(());
    }
    let colours = match info.color_type {
        ColorType::Grayscale if is_grey => "greyscale",
        ColorType::Grayscale | ColorType::GrayscaleAlpha => "transparent greyscale",
        ColorType::Indexed => "colours of a palette",
        ColorType::Rgb | ColorType::Rgba => "colours",
    };
    Err(PngError::NotGrey { found: format!("{colours} of {} bits", info.bit_depth as u8) })
}

/// The values of all pixels, row by row, without padding.
fn frame(reader: &mut PictureReader<'_>) -> Result<Vec<u8>, PngError> {
    let too_large = || PngError::Damaged("its pixels do not fit in memory".to_owned());
    let mut values = vec![0; reader.output_buffer_size().ok_or_else(too_large)?];
    let used = reader.next_frame(&mut values)?.buffer_size();
    values.truncate(used);
    Ok(values)
}

/// A message of the decoder with the name of a chunk in place of its debug text.
fn without_debug_text(message: &str) -> String {
    let chunk = message.split_once("ChunkType { type: ").and_then(|(before, rest)| {
        let (name, rest) = rest.split_once(", critical: ")?;
        Some(format!("{before}{name}{}", rest.split_once(" }")?.1))
    });
    chunk.unwrap_or_else(|| message.to_owned())
}

/// The colours of a table with the names of their kinds; of many colours only the first.
fn known_colours(terrain: &TerrainTable, colours: &TerrainColours) -> String {
    let named = terrain.entries().iter().zip(colours.all());
    let named: Vec<String> =
        named.map(|(entry, colour)| format!("{} ({})", hexadecimal(*colour), entry.name)).collect();
    let shown = named[..named.len().min(COLOURS_SHOWN_MAX)].join(", ");
    match named.len().saturating_sub(COLOURS_SHOWN_MAX) {
        0 => shown,
        more => format!("{shown} or one of {more} more"),
    }
}
