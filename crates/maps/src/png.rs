//! Maps and heights as PNG pictures, one pixel a cell.
//!
//! A map is a picture in colours, of a palette or not: the pixel's colour is that of the cell's terrain kind,
//! [`TerrainColours`]. Heights are a grey picture of 8 or 16 bits: the value of a pixel is the height
//! of its cell. What a PNG file is says the W3C, "Portable Network Graphics Specification (Third Edition)".

use crate::fence::{DecoderPanic, fenced};
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

/// Most bytes that what stands beside the pixels may take while a picture is read.
const ANCILLARY_BYTES_MAX: usize = 1 << 24;
/// Most colours of a palette.
const PALETTE_COLOURS_MAX: usize = 256;
/// Most colours that an error lists.
const COLOURS_SHOWN_MAX: usize = 12;

/// Why a picture cannot be read as a map or as heights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PngError {
    /// It is no PNG file, or a damaged one.
    Damaged(String),
    /// No map has that size.
    Size(SizeError),
    /// A map has a pixel that one can see through.
    NotOpaque {
        /// The cell of the pixel.
        cell: CellXY,
    },
    /// A map has a colour that stands for no terrain kind.
    UnknownColour {
        /// The first such cell, row by row.
        cell: CellXY,
        /// Its colour.
        found: Rgb,
        /// Colours that would be right, with the names of their kinds.
        known: String,
    },
    /// Heights are not in grey of 8 or 16 bits.
    NotGrey {
        /// What the picture is instead.
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
            Self::NotOpaque { cell } => write!(f, "pixel {cell} can be seen through, expected an opaque one"),
            Self::UnknownColour { cell, found, known } => {
                write!(f, "pixel {cell} is {}, which no terrain has; expected {known}", hexadecimal(*found))
            }
            Self::NotGrey { found } => {
                write!(f, "is a picture in {found}; expected heights in grey of 8 or 16 bits")
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

/// Reads a map from the bytes of a whole picture. A pixel means the kind of `terrain` whose
/// [colour](TerrainColours) it has; cells have the sides that their kinds start with.
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
/// [`PngError`] with the pixel, what was found and what would be right. Memory is taken only for a picture of
/// a size that a map may have.
pub fn parse(bytes: &[u8], terrain: TerrainTable, sides: SideTable) -> Result<Grid, PngError> {
    let Picture { size, samples, values } =
        decode(bytes, Transformations::EXPAND | Transformations::STRIP_16, |_| Ok(()))?;
    let colours = TerrainColours::of(&terrain);
    let width = size.width() as usize;
    let mut kinds: Vec<TerrainKind> = Vec::with_capacity(size.n_cells());
    // Neighbours are mostly alike.
    let mut last: Option<(Rgb, TerrainKind)> = None;
    for pixel in values.chunks_exact(samples) {
        let cell = || CellXY::new((kinds.len() % width) as i32, (kinds.len() / width) as i32);
        // Grey, grey and alpha, colours, colours and alpha.
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

/// What [`parse()`] and [`parse_heights`] take at their peak, told from the head of a picture: its values, of at
/// most four bytes a pixel, and two bytes a cell. A picture without a right head needs nothing.
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
/// [`PngError`] as for [`parse()`], and if it is not in grey of 8 or 16 bits or has a value above 32,767.
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

/// Writes the terrain of a map as a picture with a palette of the [colours](TerrainColours) of its kinds. Nothing is written of a map that has more to say.
///
/// The file says nothing of names and speeds: whoever reads it brings the table. Heights are left out.
/// # Errors
/// [`MapWriteError`] if a side is not open, the cells are hexagons, or `out` fails.
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

/// A picture as it comes from the decoder.
struct Picture {
    size: GridSize,
    /// Values a pixel.
    samples: usize,
    /// The values of all pixels, row by row, without padding.
    values: Vec<u8>,
}

/// Decodes a picture of a size that a map may have. `check` looks at what stands before the pixels.
fn decode(
    bytes: &[u8],
    wanted: Transformations,
    check: impl FnOnce(&Info<'_>) -> Result<(), PngError>,
) -> Result<Picture, PngError> {
    fenced(|| {
        let (mut reader, size) = open(bytes, wanted)?;
        check_palette(reader.info())?;
        check(reader.info())?;
        let samples = reader.output_color_type().0.samples();
        Ok(Picture { size, samples, values: frame(&mut reader)? })
    })?
}

/// Reads a picture that is in memory.
type PictureReader<'b> = Reader<Cursor<&'b [u8]>>;

/// Opens a picture of a size that a map may have.
fn open(bytes: &[u8], wanted: Transformations) -> Result<(PictureReader<'_>, GridSize), PngError> {
    let limits = Limits { bytes: ANCILLARY_BYTES_MAX };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(wanted);
    // Texts and profiles may be deflated, and say nothing of cells.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let info = decoder.read_header_info()?;
    let size = GridSize::new(u64::from(info.width), u64::from(info.height)).map_err(PngError::Size)?;
    Ok((decoder.read_info()?, size))
}

/// Refuses palettes that hold no whole number of colours, or too many: the decoder takes them as they come and
/// fails on them.
fn check_palette(info: &Info<'_>) -> Result<(), PngError> {
    let Some(palette) = info.palette.as_deref().filter(|_| info.color_type == ColorType::Indexed) else {
        return Ok(());
    };
    let is_right =
        palette.len().is_multiple_of(3) && (1..=PALETTE_COLOURS_MAX).contains(&(palette.len() / 3));
    if is_right {
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
        ColorType::Grayscale if is_grey => "grey",
        ColorType::Grayscale | ColorType::GrayscaleAlpha => "grey that can be seen through",
        ColorType::Indexed => "colours of a palette",
        ColorType::Rgb | ColorType::Rgba => "colours",
    };
    Err(PngError::NotGrey { found: format!("{colours} of {} bits", info.bit_depth as u8) })
}

/// The values of all pixels, row by row, without padding.
fn frame(reader: &mut PictureReader<'_>) -> Result<Vec<u8>, PngError> {
    let too_large = || PngError::Damaged("its pixels do not fit the memory".to_owned());
    let mut values = vec![0; reader.output_buffer_size().ok_or_else(too_large)?];
    let used = reader.next_frame(&mut values)?.buffer_size();
    values.truncate(used);
    Ok(values)
}

/// A message of the decoder with the name of a chunk in place of all that Rust knows of its type.
fn without_debug_text(message: &str) -> String {
    let chunk = message.split_once("ChunkType { type: ").and_then(|(before, rest)| {
        let (name, rest) = rest.split_once(", critical: ")?;
        Some(format!("{before}{name}{}", rest.split_once(" }")?.1))
    });
    chunk.unwrap_or_else(|| message.to_owned())
}

/// The colours of a table with the names of their kinds; of many only the first.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wheelbase_grid::{GridShape, Side, SideKind};

    fn picture(colours: ColorType, depth: BitDepth, size: [u32; 2], values: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, size[0], size[1]);
        encoder.set_color(colours);
        encoder.set_depth(depth);
        if colours == ColorType::Indexed {
            encoder.set_palette(vec![88, 120, 68, 20, 48, 120]);
        }
        encoder.write_header().unwrap().write_image_data(values).unwrap();
        out
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let grid = parse(bytes, TerrainTable::movingai(), SideTable::default());
        grid.map(|grid| grid.terrain().iter().map(|kind| kind.0).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn colours_are_terrain() {
        let ground = [88, 120, 68];
        let (water, rock) = ([20, 48, 120], [30, 30, 30]);
        let rgb = picture(ColorType::Rgb, BitDepth::Eight, [3, 1], &[ground, water, rock].concat());
        assert_eq!(read(&rgb), Ok(vec![0, 2, 4]));
        // Two pixels a byte.
        let indexed = picture(ColorType::Indexed, BitDepth::Four, [3, 1], &[0x10, 0x10]);
        assert_eq!(read(&indexed), Ok(vec![2, 0, 2]));
        assert_eq!(read(&picture(ColorType::Grayscale, BitDepth::Eight, [1, 1], &[30])), Ok(vec![4]));
        let mut rgba = [88, 120, 68, 255].repeat(4);
        assert_eq!(read(&picture(ColorType::Rgba, BitDepth::Eight, [2, 2], &rgba)), Ok(vec![0; 4]));
        rgba[15] = 254;
        let error = read(&picture(ColorType::Rgba, BitDepth::Eight, [2, 2], &rgba)).unwrap_err();
        assert_eq!(error, "pixel (1, 1) can be seen through, expected an opaque one");
        rgba[4] = 89;
        let error = read(&picture(ColorType::Rgba, BitDepth::Eight, [2, 2], &rgba)).unwrap_err();
        assert_eq!(
            error,
            "pixel (1, 0) is #597844, which no terrain has; expected #587844 (ground), #645430 (swamp), \
             #143078 (water), #104018 (trees), #1e1e1e (out)"
        );
    }

    #[test]
    fn grey_is_height() {
        let eight = picture(ColorType::Grayscale, BitDepth::Eight, [2, 1], &[0, 255]);
        assert_eq!(parse_heights(&eight).unwrap().1, [0, 255]);
        let sixteen = picture(ColorType::Grayscale, BitDepth::Sixteen, [1, 2], &[127, 255, 1, 2]);
        let (size, heights) = parse_heights(&sixteen).unwrap();
        assert_eq!((size.width(), size.height(), heights), (1, 2, vec![32_767, 258]));
        let high = picture(ColorType::Grayscale, BitDepth::Sixteen, [1, 2], &[0, 0, 128, 0]);
        let error = parse_heights(&high).unwrap_err().to_string();
        assert_eq!(error, "pixel (0, 1) has the value 32768; expected a height of at most 32767");
        for (colours, depth, values, found) in [
            (ColorType::Rgb, BitDepth::Eight, &[0, 0, 0][..], "colours of 8 bits"),
            (ColorType::Indexed, BitDepth::Eight, &[1], "colours of a palette of 8 bits"),
            (ColorType::Grayscale, BitDepth::One, &[0], "grey of 1 bits"),
        ] {
            let error = parse_heights(&picture(colours, depth, [1, 1], values)).unwrap_err();
            assert_eq!(error, PngError::NotGrey { found: found.to_owned() });
        }
    }

    #[test]
    fn sizes_are_bounded_before_memory_is_taken() {
        let mut large = picture(ColorType::Grayscale, BitDepth::Eight, [1, 1], &[0]);
        large[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        // The sum over the header follows it.
        let sum = crc(&large[12..29]);
        large[29..33].copy_from_slice(&sum.to_be_bytes());
        assert!(matches!(parse_heights(&large), Err(PngError::Size(_))), "{:?}", parse_heights(&large));
        // The largest that is allowed, without pixels.
        large[16..24].copy_from_slice(&[0, 0, 32, 0, 0, 0, 32, 0]);
        let sum = crc(&large[12..29]);
        large[29..33].copy_from_slice(&sum.to_be_bytes());
        assert!(matches!(parse_heights(&large), Err(PngError::Damaged(_))));
    }

    /// CRC-32 bit by bit, from its definition in the specification.
    fn crc(bytes: &[u8]) -> u32 {
        let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        !bytes.iter().fold(u32::MAX, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
    }

    /// A picture of one row of four pixels, all of the first colour, with that palette.
    fn with_palette(depth: BitDepth, palette: Vec<u8>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, 4, 1);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(depth);
        encoder.set_palette(palette);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&[0; 4][..depth as usize * 4 / 8 + usize::from(depth == BitDepth::One)])
            .unwrap();
        out
    }

    #[test]
    fn palettes_of_any_length_are_read_or_refused() {
        for depth in [BitDepth::One, BitDepth::Two, BitDepth::Four, BitDepth::Eight] {
            for n_bytes in 0..=770 {
                let palette = [88, 120, 68].into_iter().cycle().take(n_bytes).collect();
                let picture = with_palette(depth, palette);
                let found = read(&picture);
                if (3..=768).contains(&n_bytes) && n_bytes % 3 == 0 {
                    assert_eq!(found, Ok(vec![0; 4]), "{depth:?}, {n_bytes} bytes");
                } else {
                    // Lengths that no palette has are refused by the decoder itself.
                    let error = found.unwrap_err();
                    let expected =
                        format!("a palette of {n_bytes} bytes, expected 3 for each of 1 to 256 colours");
                    let found = error.strip_prefix("cannot be read as a PNG picture: ").unwrap();
                    assert!(found == expected || found == "Chunk length wrong: PLTE", "{depth:?}: {found}");
                }
                assert!(parse_heights(&picture).is_err());
            }
        }
    }

    /// The decoder panicked on it.
    #[test]
    fn a_palette_of_four_bytes_is_damage() {
        let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x02\x08\x03\0\0\0\x45\x68\xfd\x16\
            \0\0\0\x04PLTEabcdxe\xbcw\0\0\0\x0bIDATx\x9cc`\0\x01\0\0\x06\0\x01\xfe\x8cg\xc8\
            \0\0\0\0IEND\xaeB`\x82";
        let error = read(picture).unwrap_err();
        assert!(error.contains("a palette of 4 bytes"), "{error}");
        assert!(parse_heights(picture).unwrap_err().to_string().contains("a palette of 4 bytes"));
    }

    #[test]
    fn what_a_picture_cannot_say_is_refused() {
        let mut grid =
            Grid::from_rows(&["..", ".."], TerrainTable::movingai(), SideTable::default()).unwrap();
        let hexagons = grid.clone().with_shape(GridShape::Hex);
        assert!(matches!(write(&hexagons, &mut Vec::new()), Err(MapWriteError::Hexagons)));
        grid.set_side(CellXY::new(1, 0), Side::North, SideKind::WALL);
        let error = write(&grid, &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(
            error,
            "cell (1, 0): side N is \"wall\", expected \"open\"; .map and .png files have no sides"
        );
    }

    proptest! {
        #[test]
        fn a_map_is_read_as_it_was_written(width in 1_usize..40, cells in prop::collection::vec(0_u8..5, 1..600)) {
            let cells = &cells[..cells.len() / width * width];
            prop_assume!(!cells.is_empty());
            let size = GridSize::new(width as u64, (cells.len() / width) as u64).unwrap();
            let kinds: Vec<_> = cells.iter().map(|&kind| TerrainKind(kind)).collect();
            let grid = Grid::from_terrain(size, kinds, TerrainTable::movingai(), SideTable::default());
            let mut picture = Vec::new();
            write(&grid, &mut picture).unwrap();
            let again = parse(&picture, TerrainTable::movingai(), SideTable::default()).unwrap();
            prop_assert_eq!((again.size(), again.terrain()), (grid.size(), grid.terrain()));
        }

        #[test]
        fn damage_is_an_error_and_no_panic(at in 0_usize..1000, byte: u8, cut in 0_usize..1000) {
            let whole = picture(ColorType::Indexed, BitDepth::Eight, [9, 7], &[1; 63]);
            let mut bytes = whole.clone();
            bytes[at % whole.len()] = byte;
            let _ = read(&bytes);
            let _ = parse_heights(&bytes);
            bytes.truncate(cut % (whole.len() - 40));
            prop_assert!(read(&bytes).is_err());
            prop_assert!(parse_heights(&bytes).is_err());
        }
    }
}
