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
    // Two pixels per byte.
    let indexed = picture(ColorType::Indexed, BitDepth::Four, [3, 1], &[0x10, 0x10]);
    assert_eq!(read(&indexed), Ok(vec![2, 0, 2]));
    assert_eq!(read(&picture(ColorType::Grayscale, BitDepth::Eight, [1, 1], &[30])), Ok(vec![4]));
    let mut rgba = [88, 120, 68, 255].repeat(4);
    assert_eq!(read(&picture(ColorType::Rgba, BitDepth::Eight, [2, 2], &rgba)), Ok(vec![0; 4]));
    rgba[15] = 254;
    let error = read(&picture(ColorType::Rgba, BitDepth::Eight, [2, 2], &rgba)).unwrap_err();
    assert_eq!(error, "pixel (1, 1) is transparent, expected an opaque one");
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
        (ColorType::Grayscale, BitDepth::One, &[0], "greyscale of 1 bits"),
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
                // The decoder itself refuses some lengths.
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

/// Made the decoder panic.
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
fn sides_and_hexagons_are_refused() {
    let mut grid = Grid::from_rows(&["..", ".."], TerrainTable::movingai(), SideTable::default()).unwrap();
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
    fn damage_is_an_error_not_a_panic(at in 0_usize..1000, byte: u8, cut in 0_usize..1000) {
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
